// Phase 1: neighbourhood scores of all pairs of a target node and 64 query nodes, and the weight of each target node
// as a seed. A warp takes a target node; a lane has the query nodes `lane` and `lane + 32` of the block.
//
// GW_STEP 0: the part of the edges that leave a node. 1: the sum of the parts of a node and its neighbours. 2: the sum
// of the weights of a target node, in the order of query nodes.
#include "atomics.cuh"
#include "warp.cuh"

typedef unsigned long long Word;

static constexpr unsigned ALL = 0xffffffffu;
static constexpr unsigned LANES = 64;
static constexpr unsigned NONE = 0xffffffffu;

struct Arguments {
    // The target.
    const Word* offsets;
    const unsigned *neighbours, *labels;
    // For a label of the target: its number among those of the query, or NONE.
    const unsigned* dense;
    // Row `first * label_count + second`: the query nodes that know an edge of these labels, `words` words each.
    const Word* known;
    // The query's labels and degrees.
    const unsigned *query_labels, *query_degrees;
    // Similarities of labels given by a person, or null.
    const float* matrix;
    // A row of 64 scores per target node, by step 0, and by step 1.
    const unsigned* from;
    unsigned* to;
    double* sums;
    Word nodes, label_count, words, block, query_nodes;
    double floor;
};

static __device__ __forceinline__ unsigned add(unsigned a, unsigned b) { return a + b < a ? 0xffffffffu : a + b; }

extern "C" __global__ void __launch_bounds__(GW_BLOCK) seed_scores(const __grid_constant__ Arguments args)
{
    const unsigned lane = gw::lane();
    const Word warps = (Word)gridDim.x * (GW_BLOCK / 32);
    for (Word t = (Word)blockIdx.x * (GW_BLOCK / 32) + threadIdx.x / 32; t < args.nodes; t += warps) {
        const Word begin = args.offsets[t], end = args.offsets[t + 1];
#if GW_STEP == 0
        // Lanes look at an edge each, then all of them at all 32.
        unsigned low = 0, high = 0;
        const unsigned first = args.dense[args.labels[t]];
        for (Word from = begin; first != NONE && from < end; from += 32) {
            Word knowing = 0;
            unsigned degree = 0;
            if (from + lane < end) {
                const unsigned v = args.neighbours[from + lane], second = args.dense[args.labels[v]];
                if (second != NONE) {
                    knowing = args.known[((Word)first * args.label_count + second) * args.words + args.block];
                    degree = (unsigned)(args.offsets[v + 1] - args.offsets[v]);
                }
            }
            for (unsigned lanes = __ballot_sync(ALL, knowing != 0); lanes; lanes &= lanes - 1) {
                const int other = __ffs(lanes) - 1;
                const Word mask = __shfl_sync(ALL, knowing, other);
                const unsigned part = __shfl_sync(ALL, degree, other);
                if (mask >> lane & 1) low = add(low, part);
                if (mask >> (lane + 32) & 1) high = add(high, part);
            }
        }
        args.to[t * LANES + lane] = low;
        args.to[t * LANES + lane + 32] = high;
#elif GW_STEP == 1
        unsigned low = args.from[t * LANES + lane], high = args.from[t * LANES + lane + 32];
        for (Word from = begin; from < end; from += 32) {
            const unsigned own = from + lane < end ? args.neighbours[from + lane] : 0;
            const unsigned here = (unsigned)(end - from < 32 ? end - from : 32);
#pragma unroll 4
            for (unsigned other = 0; other < here; other++) {
                const Word u = __shfl_sync(ALL, own, other);
                low = add(low, args.from[u * LANES + lane]);
                high = add(high, args.from[u * LANES + lane + 32]);
            }
        }
        args.to[t * LANES + lane] = low;
        args.to[t * LANES + lane + 32] = high;
#else
        const unsigned degree = (unsigned)(end - begin), label = args.labels[t];
        double weights[2];
        for (unsigned half = 0; half < 2; half++) {
            const Word q = args.block * LANES + 32 * half + lane;
            const unsigned score = args.from[t * LANES + 32 * half + lane];
            double weight = 0;
            if (q < args.query_nodes && score != 0) {
                const unsigned other = args.query_degrees[q];
                const unsigned apart = other < degree ? degree - other : other - degree;
                const unsigned most = other < degree ? degree : other;
                const double alike = apart == 0 ? 1.0 : 1.0 - (double)apart / (double)most;
                const double same = args.matrix ? (double)args.matrix[q * args.nodes + t]
                                                : args.query_labels[q] == label ? 1.0 : args.floor;
                weight = alike * same * (double)score;
            }
            weights[half] = weight;
        }
        // In the order of query nodes, as the host adds.
        double sum = 0;
        for (unsigned at = 0; at < LANES; at++) sum += __shfl_sync(ALL, at < 32 ? weights[0] : weights[1], at & 31);
        if (lane == 0) args.sums[args.block * args.nodes + t] = sum;
#endif
    }
}
