// Phases 2 and 3: a warp draws a seed and grows it into a match. Everything is drawn, listed and summed in the order
// of the host, so that both find the same.
//
// GW_THESIS 0: the scoring of the released program. 1: that of the thesis.
#include "atomics.cuh"
#include "warp.cuh"

typedef unsigned long long Word;

static constexpr unsigned ALL = 0xffffffffu;
static constexpr unsigned LANES = 64;
static constexpr unsigned NONE = 0xffffffffu;

enum : unsigned char { UNTOUCHED = 0, FRONTIER = 1, CLOSED = 2 };

struct Arguments {
    // The target.
    const Word* offsets;
    const unsigned *neighbours, *labels;
    // The query.
    const Word* query_offsets;
    const unsigned *query_neighbours, *query_labels;
    // Similarities of labels given by a person, or null.
    const float* matrix;
    // For each block of 64 query nodes, then each target node: a row of 64 scores, and the sum of all weights up to
    // and with this target node.
    const unsigned* scores;
    const double* sums;
    // With the scoring of the thesis, instead of rows of scores: for each query node the weights of all target nodes;
    // the sums are then those of query nodes.
    const float* table;
    // For each solution: the target node of every query node, or NONE.
    unsigned* partners;
    // For each warp, all zero at first: by target node the match in which it is used, the step in which it became a
    // candidate, and its common links; then candidates and the sums of their weights.
    unsigned *used, *found, *common, *candidates;
    double* weights;
    // For each warp, with the scoring of the thesis: by target node the match in which it became a neighbour of a
    // matched one, and of how many; then all of these that are not matched.
    unsigned *met, *links, *frontier;
    // For each warp: query nodes to look at, and an order of them all; what became of each.
    unsigned *open, *order;
    unsigned char* state;
    Word nodes, query_nodes, blocks, solutions, rounds, seed;
    // The similarity of unequal labels while a match grows, and where a further part of the query begins.
    double floor, fresh_floor;
};

// xoshiro256++, seeded by SplitMix64, as on the host.
struct Rng {
    Word s[4];

    static __device__ Word mix(Word z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    __device__ Rng(Word seed, Word stream) {
        Word state = mix(seed) + mix(stream ^ 0x6a09e667f3bcc908ull);
        for (unsigned i = 0; i < 4; i++) {
            state += 0x9e3779b97f4a7c15ull;
            s[i] = mix(state);
        }
    }
    static __device__ Word turned(Word x, unsigned by) { return x << by | x >> (64 - by); }
    __device__ Word next() {
        const Word result = turned(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = turned(s[3], 45);
        return result;
    }
    __device__ Word below(Word bound) {
        Word x = next();
        if (x * bound < bound) {
            const Word threshold = (0 - bound) % bound;
            while (x * bound < threshold) x = next();
        }
        return __umul64hi(x, bound);
    }
    __device__ double unit() { return (double)(next() >> 11) * (1.0 / 9007199254740992.0); }
};

// A warp at work on a match. All lanes call all functions together and draw the same numbers.
struct Grower {
    const Arguments& args;
    const unsigned lane;
    unsigned *used, *found, *common, *candidates, *met, *links, *frontier, *open, *order, *partners;
    double* weights;
    unsigned char* state;
    unsigned round, step;
    // Query nodes to look at, those not looked at, candidates, pairs, neighbours of matched target nodes.
    unsigned waiting, left, count, pairs, around;

    __device__ double similarity(unsigned q, unsigned t, double unequal) const {
        if (args.matrix) return (double)args.matrix[(Word)q * args.nodes + t];
        return args.query_labels[q] == args.labels[t] ? 1.0 : unequal;
    }

    __device__ double alike(unsigned q, unsigned t) const {
        const unsigned a = (unsigned)(args.query_offsets[q + 1] - args.query_offsets[q]);
        const unsigned b = (unsigned)(args.offsets[t + 1] - args.offsets[t]);
        if (a == b) return 1.0;
        return 1.0 - (double)(a < b ? b - a : a - b) / (double)(a < b ? b : a);
    }

    // A query node has been looked at: its neighbours follow.
    __device__ void close(unsigned q) {
        if (lane == 0) state[q] = CLOSED;
        left--;
        __syncwarp();
        const Word begin = args.query_offsets[q], end = args.query_offsets[q + 1];
        for (Word from = begin; from < end; from += 32) {
            const Word at = from + lane;
            const unsigned v = at < end ? args.query_neighbours[at] : 0;
            const bool is_new = at < end && state[v] == UNTOUCHED;
            const unsigned lanes = __ballot_sync(ALL, is_new);
            if (is_new) {
                state[v] = FRONTIER;
                open[waiting + __popc(lanes & ((1u << lane) - 1))] = v;
            }
            waiting += __popc(lanes);
        }
        __syncwarp();
    }

    // Takes a query node that waits, drawn evenly.
    __device__ unsigned take(Rng& rng) {
        const unsigned at = (unsigned)rng.below(waiting), q = open[at], last = open[waiting - 1];
        __syncwarp();
        if (lane == 0) open[at] = last;
        waiting--;
        __syncwarp();
        return q;
    }

    // A query node of a further part, drawn evenly.
    __device__ unsigned take_untouched(Rng& rng) {
        unsigned wanted = (unsigned)rng.below(left);
        for (Word from = 0; from < args.query_nodes; from += 32) {
            const Word q = from + lane;
            unsigned lanes = __ballot_sync(ALL, q < args.query_nodes && state[q] == UNTOUCHED);
            const unsigned here = __popc(lanes);
            if (wanted >= here) {
                wanted -= here;
                continue;
            }
            while (wanted--) lanes &= lanes - 1;
            return (unsigned)from + __ffs(lanes) - 1;
        }
        return 0;
    }

    __device__ void pair(unsigned q, unsigned t) {
        if (lane == 0) {
            partners[q] = t;
            used[t] = round;
        }
        pairs++;
        __syncwarp();
#if GW_THESIS
        const Word begin = args.offsets[t], end = args.offsets[t + 1];
        for (Word from = begin; from < end; from += 32) {
            const Word at = from + lane;
            const unsigned v = at < end ? args.neighbours[at] : 0;
            const bool is_new = at < end && met[v] != round;
            const unsigned lanes = __ballot_sync(ALL, is_new);
            if (is_new) {
                met[v] = round;
                links[v] = 1;
                frontier[around + __popc(lanes & ((1u << lane) - 1))] = v;
            } else if (at < end) {
                links[v]++;
            }
            around += __popc(lanes);
            __syncwarp();
        }
        // Matched ones go, the others move up in their order.
        unsigned kept = 0;
        for (unsigned from = 0; from < around; from += 32) {
            const unsigned at = from + lane, v = at < around ? frontier[at] : 0;
            const bool stays = at < around && used[v] != round;
            const unsigned lanes = __ballot_sync(ALL, stays);
            if (stays) frontier[kept + __popc(lanes & ((1u << lane) - 1))] = v;
            kept += __popc(lanes);
            __syncwarp();
        }
        around = kept;
#endif
    }

    // Appends the unmatched neighbours of a target node to the candidates, each once, and counts their links.
    __device__ void list_neighbours(unsigned partner) {
        const Word begin = args.offsets[partner], end = args.offsets[partner + 1];
        for (Word from = begin; from < end; from += 32) {
            const Word at = from + lane;
            const unsigned t = at < end ? args.neighbours[at] : 0;
            const bool is_free = at < end && used[t] != round;
            const bool is_new = is_free && found[t] != step;
            const unsigned lanes = __ballot_sync(ALL, is_new);
            if (is_new) {
                found[t] = step;
                common[t] = 1;
                candidates[count + __popc(lanes & ((1u << lane) - 1))] = t;
            } else if (is_free) {
                common[t]++;
            }
            count += __popc(lanes);
            __syncwarp();
        }
    }

    // The candidates for a query node. Returns its matched neighbours.
    __device__ unsigned count_common(unsigned q) {
        step++;
        count = 0;
        unsigned links = 0;
        for (Word at = args.query_offsets[q]; at < args.query_offsets[q + 1]; at++) {
            const unsigned partner = partners[args.query_neighbours[at]];
            if (partner == NONE) continue;
            links++;
            list_neighbours(partner);
        }
        return links;
    }

    // The sum of weights after 32 more of them, added one after the other; the sums of the first `valid` are kept.
    __device__ double add_in_order(double sum, double weight, unsigned valid, double* sums) const {
        double own = 0;
        for (unsigned at = 0; at < valid; at++) {
            sum += __shfl_sync(ALL, weight, at);
            if (at == lane) own = sum;
        }
        if (lane < valid) sums[lane] = own;
        return sum;
    }

    // The first of a list whose sum of weights is above a number, or the last.
    __device__ unsigned first_above(const unsigned* list, unsigned length, double drawn) const {
        for (unsigned from = 0; from < length; from += 32) {
            const unsigned at = from + lane;
            const unsigned lanes = __ballot_sync(ALL, at < length && weights[at] > drawn);
            if (lanes) return list[from + __ffs(lanes) - 1];
        }
        return list[length - 1];
    }

    // The weight of a candidate for a query node with so many matched neighbours.
    __device__ double weight(unsigned q, unsigned t, unsigned query_links) const {
        const double same = similarity(q, t, args.floor);
#if GW_THESIS
        const unsigned shared = found[t] == step ? common[t] : 0;
        const unsigned differing = query_links + links[t] - 2 * shared;
        return same * (double)(pairs - differing) / (double)pairs;
#else
        return same * (double)common[t] / (double)query_links;
#endif
    }

    // The partner of a query node with matched neighbours, or NONE.
    __device__ unsigned partner_of(unsigned q, Rng& rng) {
        const unsigned query_links = count_common(q);
#if GW_THESIS
        const unsigned* list = frontier;
        const unsigned length = around;
#else
        const unsigned* list = candidates;
        const unsigned length = count;
#endif
        double sum = 0;
        for (unsigned from = 0; from < length; from += 32) {
            const unsigned at = from + lane;
            // Without pairs, or without matched neighbours, there is nobody to weigh.
            const double own = at < length ? weight(q, list[at], query_links) : 0.0;
            sum = add_in_order(sum, own, min(length - from, 32u), weights + from);
        }
        __syncwarp();
        if (sum > 0) return first_above(list, length, rng.unit() * sum);
        // Any unmatched neighbour of a matched target node.
        step++;
        count = 0;
        for (Word other = 0; other < args.query_nodes; other++) {
            if (partners[other] != NONE) list_neighbours(partners[other]);
        }
        return count ? candidates[rng.below(count)] : NONE;
    }

    // The partner of a query node without matched neighbours, by labels and degrees, or NONE.
    __device__ unsigned fresh_partner(unsigned q, Rng& rng) {
        const bool is_alone = args.query_offsets[q + 1] == args.query_offsets[q];
        count = 0;
        for (Word from = 0; from < args.nodes; from += 32) {
            const Word t = from + lane;
            const bool is_free = t < args.nodes && used[t] != round;
            const unsigned lanes = __ballot_sync(ALL, is_free);
            if (is_free) candidates[count + __popc(lanes & ((1u << lane) - 1))] = (unsigned)t;
            count += __popc(lanes);
        }
        __syncwarp();
        double sum = 0;
        for (unsigned from = 0; from < count; from += 32) {
            const unsigned at = from + lane, t = at < count ? candidates[at] : 0;
            const double degree = is_alone || at >= count ? 1.0 : alike(q, t);
            const double own = at < count ? degree * similarity(q, t, args.fresh_floor) : 0.0;
            sum = add_in_order(sum, own, min(count - from, 32u), weights + from);
        }
        __syncwarp();
        if (count == 0) return NONE;
        if (!(sum > 0)) return candidates[rng.below(count)];
        return first_above(candidates, count, rng.unit() * sum);
    }

#if GW_THESIS
    // The seed: any query node, then a target node of its row.
    __device__ void draw_seed(Rng& rng, unsigned& q, unsigned& t) const {
        q = (unsigned)rng.below(args.query_nodes);
        const double sum = args.sums[q];
        if (!(sum > 0)) {
            t = (unsigned)rng.below(args.nodes);
            return;
        }
        double rest = rng.unit() * sum;
        t = 0;
        for (Word from = 0; from < args.nodes; from += 32) {
            const float own = from + lane < args.nodes ? args.table[q * args.nodes + from + lane] : 0.0f;
            for (unsigned at = 0; at < 32; at++) {
                const float weight = __shfl_sync(ALL, own, at);
                if (!(weight > 0)) continue;
                t = (unsigned)from + at;
                rest -= (double)weight;
                if (rest < 0) return;
            }
        }
    }
#else
    // The seed: a target node by its sum, then a query node of its row.
    __device__ void draw_seed(Rng& rng, unsigned& q, unsigned& t) const {
        const Word all = args.blocks * args.nodes;
        const double total = args.sums[all - 1];
        if (!(total > 0)) {
            q = (unsigned)rng.below(args.query_nodes);
            t = (unsigned)rng.below(args.nodes);
            return;
        }
        const double drawn = rng.unit() * total;
        Word low = 0, high = all;
        while (low < high) {
            const Word middle = (low + high) / 2;
            if (args.sums[middle] <= drawn) low = middle + 1; else high = middle;
        }
        const Word at = low < all ? low : all - 1, block = at / args.nodes;
        t = (unsigned)(at % args.nodes);
        double rest = drawn - (at == 0 ? 0.0 : args.sums[at - 1]);
        const Word first = block * LANES;
        const unsigned lanes = (unsigned)min(args.query_nodes - first, (Word)LANES);
        unsigned chosen = 0;
        for (unsigned other = 0; other < lanes; other++) {
            const unsigned score = args.scores[at * LANES + other];
            if (score == 0) continue;
            const unsigned node = (unsigned)first + other;
            const double weight = alike(node, t) * similarity(node, t, args.floor) * (double)score;
            if (!(weight > 0)) continue;
            chosen = other;
            if (rest < weight) break;
            rest -= weight;
        }
        q = (unsigned)first + chosen;
    }
#endif

    // Gives every query node in turn the partner that costs least. Returns whether one changed.
    __device__ bool improve(Rng& rng) {
        for (Word q = lane; q < args.query_nodes; q += 32) order[q] = (unsigned)q;
        __syncwarp();
        for (Word last = args.query_nodes - 1; last > 0; last--) {
            const Word other = rng.below(last + 1);
            if (lane == 0) {
                const unsigned held = order[last];
                order[last] = order[other];
                order[other] = held;
            }
        }
        __syncwarp();
        bool has_changed = false;
        for (Word turn = 0; turn < args.query_nodes; turn++) {
            const unsigned q = order[turn], old = partners[q];
            __syncwarp();
            if (lane == 0) {
                partners[q] = NONE;
                if (old != NONE) used[old] = 0;
            }
            __syncwarp();
            const double links = count_common(q);
            const double similar = old == NONE ? 0.0 : similarity(q, old, 0.0);
            const double kept = old != NONE && found[old] == step ? (double)common[old] : 0.0;
            // The same sums as on the host: one less the similarity, and links that are lost.
            const double held = old == NONE ? 1.0 + links : 1.0 - similar + (links - kept);
            double best = held;
            unsigned place = NONE;
            for (unsigned at = lane; at < count; at += 32) {
                const unsigned t = candidates[at];
                const double cost = 1.0 - similarity(q, t, 0.0) + (links - (double)common[t]);
                if (cost < best) {
                    best = cost;
                    place = at;
                }
            }
            for (unsigned apart = 16; apart > 0; apart /= 2) {
                const double cost = __shfl_xor_sync(ALL, best, apart);
                const unsigned other = __shfl_xor_sync(ALL, place, apart);
                if (cost < best || (cost == best && other < place)) {
                    best = cost;
                    place = other;
                }
            }
            const unsigned chosen = place == NONE ? old : candidates[place];
            has_changed |= chosen != old;
            __syncwarp();
            if (lane == 0) {
                partners[q] = chosen;
                if (chosen != NONE) used[chosen] = round;
            }
            __syncwarp();
        }
        return has_changed;
    }

    __device__ void grow(Rng& rng) {
        unsigned q, t;
        draw_seed(rng, q, t);
        for (Word at = lane; at < args.query_nodes; at += 32) {
            partners[at] = NONE;
            state[at] = UNTOUCHED;
        }
        waiting = pairs = around = 0;
        left = (unsigned)args.query_nodes;
        __syncwarp();
        close(q);
        pair(q, t);
        while (left > 0) {
            const bool is_near = waiting > 0;
            q = is_near ? take(rng) : take_untouched(rng);
            t = is_near ? partner_of(q, rng) : fresh_partner(q, rng);
            close(q);
            if (t != NONE) pair(q, t);
        }
    }
};

extern "C" __global__ void __launch_bounds__(GW_BLOCK) grow_matches(const __grid_constant__ Arguments args)
{
    const Word warps = (Word)gridDim.x * (GW_BLOCK / 32), warp = (Word)blockIdx.x * (GW_BLOCK / 32) + threadIdx.x / 32;
    const Word of_target = warp * args.nodes, of_query = warp * args.query_nodes;
    Grower grower{args, gw::lane(), args.used + of_target, args.found + of_target, args.common + of_target,
                  args.candidates + of_target, args.met + of_target, args.links + of_target,
                  args.frontier + of_target, args.open + of_query, args.order + of_query, nullptr,
                  args.weights + of_target, args.state + of_query, 0, 0, 0, 0, 0, 0, 0};
    for (Word solution = warp; solution < args.solutions; solution += warps) {
        grower.round++;
        grower.partners = args.partners + solution * args.query_nodes;
        Rng rng(args.seed, solution);
        grower.grow(rng);
        for (Word round = 0; round < args.rounds; round++) {
            if (!grower.improve(rng)) break;
        }
    }
}
