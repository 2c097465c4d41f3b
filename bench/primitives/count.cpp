// What the load balancers of the CUDA machine make the warps of an H200 do on the shapes of mapping.cu, counted on the
// host without a GPU: lanes per instruction that visits units, sectors of 32 bytes, and how the work spreads over warps
// and multiprocessors. The counts are the software criteria of crates/criteria/tests/h200/mapping.tsv.
//
//   g++ -O2 -std=c++20 count.cpp -o count && ./count > ../../crates/criteria/tests/h200/mapping.tsv
//
// Rules of the count, the same for all mappings:
//   - an instruction is one visit of up to 32 units by a warp: a read and a write of four bytes per lane;
//   - a sector that the same lanes touched in the instruction before is read from the first-level cache; writes always
//     go to the second-level cache;
//   - the grid has 1,056 blocks of 256 threads, eight per multiprocessor, and units of work are dealt as in the headers
//     of crates/device/headers;
//   - a warp takes one unit of time per instruction, a multiprocessor at least the time of its instructions over 21:
//     at 4.1 TB/s and 700 ns per four reads in flight, 21 warps saturate its share of the memory.
// `longest` is the time of the multiprocessor that is busy longest, in these units.
// Instructions that read offsets, search or sort vertices into bins are not counted.
#include "shape.hpp"
#include <cstdint>
#include <cstdio>
#include <numeric>

using u32 = unsigned;
using u64 = unsigned long long;
constexpr u32 PROCESSORS = 132, BLOCKS = 8 * PROCESSORS, WARPS = 8, ALL_WARPS = BLOCKS * WARPS, WARP = 32, BLOCK = 256;
constexpr double SATURATING = 21;

struct Run {
    u64 at;
    u32 count;
};

struct Count {
    u64 instructions = 0, lanes = 0, read = 0, written = 0;
    std::vector<u64> work = std::vector<u64>(ALL_WARPS, 0);

    // One instruction: ascending runs of neighbouring units. `kept` has the last sector of each run of the instruction
    // before, or nothing.
    void visit(u32 warp, const Run* runs, u32 count, u64* kept = nullptr) {
        u64 last = ~0ull;
        ++instructions, ++work[warp];
        for (u32 i = 0; i < count; ++i) {
            const u64 from = runs[i].at / 8, to = (runs[i].at + runs[i].count - 1) / 8;
            const u64 sectors = to - from + 1 - (from == last);
            lanes += runs[i].count, written += sectors, read += sectors;
            if (kept && kept[i] == from && from != last) --read;
            if (kept) kept[i] = to;
            last = to;
        }
    }
    // All units of one list by the lanes of one warp, or by several warps side by side.
    void whole(u64 at, u64 count, u64 stride, u64 start, u32 warp) {
        for (u64 k = start; k < count; k += stride) {
            const Run run{at + k, (u32)std::min<u64>(WARP, count - k)};
            visit(warp, &run, 1);
        }
    }
};

struct Input {
    std::vector<u32> first;
    u64 items() const { return first.size() - 1; }
    u64 units() const { return first.back(); }
    u64 at(u64 i) const { return first[i]; }
    u32 degree(u64 i) const { return first[i + 1] - first[i]; }
};

// Warp `w` of block `b`; consecutive numbers lie in consecutive blocks.
static u32 warp_of(u32 b, u32 w) { return w * BLOCKS + b; }

// Groups of `size` lanes share an item.
static void lanes(const Input& in, Count& count, u32 size) {
    const u32 groups = WARP / size;
    std::vector<u64> kept(groups);
    std::vector<Run> runs(groups);
    std::vector<u64> before(groups);
    u64 unit = 0;
    for (u64 base = 0; base < in.items(); base += groups, ++unit) {
        const u32 here = (u32)std::min<u64>(groups, in.items() - base);
        u32 longest = 0;
        for (u32 g = 0; g < here; ++g) longest = std::max(longest, in.degree(base + g)), before[g] = ~0ull - 1;
        for (u64 k = 0; k < longest; k += size) {
            u32 active = 0;
            for (u32 g = 0; g < here; ++g) {
                if (in.degree(base + g) <= k) continue;
                runs[active] = {in.at(base + g) + k, (u32)std::min<u64>(size, in.degree(base + g) - k)};
                kept[active] = before[g];
                before[g] = (runs[active].at + runs[active].count - 1) / 8;
                ++active;
            }
            count.visit(unit % ALL_WARPS, runs.data(), active, kept.data());
        }
    }
}

// The units of some lists one after the other, `stride` lanes at a time over `warps` warps from `warp` on.
struct Pool {
    std::vector<Run> lists;
    void clear() { lists.clear(); }
    void add(u64 at, u32 units) {
        if (units) lists.push_back({at, units});
    }
    template <class Warp> void spend(Count& count, Warp warp) const {
        std::vector<Run> runs;
        u32 room = WARP, number = 0;
        for (const Run& list : lists) {
            for (u32 done = 0; done < list.count;) {
                const u32 take = std::min(room, list.count - done);
                runs.push_back({list.at + done, take});
                done += take, room -= take;
                if (room == 0) count.visit(warp(number++), runs.data(), (u32)runs.size()), runs.clear(), room = WARP;
            }
        }
        if (!runs.empty()) count.visit(warp(number), runs.data(), (u32)runs.size());
    }
};

static void by_warps(const Input& in, Count& count) {
    Pool pool;
    for (u64 base = 0, unit = 0; base < in.items(); base += WARP, ++unit) {
        pool.clear();
        for (u64 i = base; i < std::min<u64>(base + WARP, in.items()); ++i) pool.add(in.at(i), in.degree(i));
        pool.spend(count, [&](u32) { return (u32)(unit % ALL_WARPS); });
    }
}

static void by_blocks(const Input& in, Count& count, bool gathered) {
    Pool pool;
    for (u64 base = 0, unit = 0; base < in.items(); base += BLOCK, ++unit) {
        const u32 b = unit % BLOCKS;
        pool.clear();
        for (u64 i = base; i < std::min<u64>(base + BLOCK, in.items()); ++i) {
            const u32 d = in.degree(i), w = (u32)(i - base) / WARP;
            if (!gathered || d < WARP) pool.add(in.at(i), d);
            else if (d < BLOCK) count.whole(in.at(i), d, WARP, 0, warp_of(b, w));
            else for (u32 v = 0; v < WARPS; ++v) count.whole(in.at(i), d, BLOCK, v * WARP, warp_of(b, v));
        }
        pool.spend(count, [&](u32 number) { return warp_of(b, number % WARPS); });
    }
}

static void twc(const Input& in, Count& count) {
    Pool pool;
    u64 large = 0, middle = 0, small = 0;
    u32 held = 0;
    const auto flush = [&] {
        pool.spend(count, [&](u32) { return (u32)(small % ALL_WARPS); });
        pool.clear(), held = 0, ++small;
    };
    for (u64 i = 0; i < in.items(); ++i) {
        const u32 d = in.degree(i);
        if (d >= BLOCKS * BLOCK) {
            for (u32 w = 0; w < ALL_WARPS; ++w) count.whole(in.at(i), d, BLOCKS * BLOCK, w * WARP, w);
        } else if (d >= BLOCK) {
            for (u32 v = 0; v < WARPS; ++v) count.whole(in.at(i), d, BLOCK, v * WARP, warp_of(large % BLOCKS, v));
            ++large;
        } else if (d >= WARP) {
            count.whole(in.at(i), d, WARP, 0, middle++ % ALL_WARPS);
        } else {
            pool.add(in.at(i), d);
            if (++held == WARP) flush();
        }
    }
    flush();
}

static void etwc(const Input& in, Count& count) {
    constexpr u32 HUB = 16 * BLOCK, PIECE = 8 * BLOCK, LANES = 8;
    u64 piece = 0, unit = 0;
    std::vector<u32> turn(BLOCKS, 0);
    for (u64 base = 0; base < in.items(); base += WARP, ++unit) {
        const u32 warp = unit % ALL_WARPS, b = warp % BLOCKS;
        std::vector<Run> rests;
        for (u64 i = base; i < std::min<u64>(base + WARP, in.items()); ++i) {
            const u32 d = in.degree(i);
            if (d >= HUB) {
                for (u32 from = 0; from < d; from += PIECE, ++piece)
                    for (u32 v = 0; v < WARPS; ++v)
                        count.whole(in.at(i) + from, std::min(PIECE, d - from), BLOCK, v * WARP,
                                    warp_of(piece % BLOCKS, v));
                continue;
            }
            const u32 below_block = d % BLOCK, rest = below_block % WARP;
            for (u32 v = 0; v < WARPS; ++v) count.whole(in.at(i), d - below_block, BLOCK, v * WARP, warp_of(b, v));
            if (below_block >= WARP)
                count.whole(in.at(i) + (d - below_block), below_block - rest, WARP, 0,
                            warp_of(b, turn[b]++ % WARPS));
            if (rest) rests.push_back({in.at(i) + (d - rest), rest});
        }
        for (size_t at = 0; at < rests.size(); at += WARP / LANES) {
            const size_t end = std::min(rests.size(), at + WARP / LANES);
            for (u32 k = 0; k < WARP; k += LANES) {
                std::vector<Run> runs;
                for (size_t r = at; r < end; ++r)
                    if (rests[r].count > k) runs.push_back({rests[r].at + k, std::min(LANES, rests[r].count - k)});
                if (!runs.empty()) count.visit(warp, runs.data(), (u32)runs.size());
            }
        }
    }
}

// Every block has an equal range of neighbouring units.
static void evenly(const Input& in, Count& count) {
    for (u32 b = 0; b < BLOCKS; ++b) {
        const u64 from = in.units() * b / BLOCKS, to = in.units() * (b + 1) / BLOCKS;
        for (u32 v = 0; v < WARPS; ++v) count.whole(from, to - from, BLOCK, v * WARP, warp_of(b, v));
    }
}

// Every thread has an equal piece, four steps, of the merged lists of items and units.
static void merged(const Input& in, Count& count) {
    constexpr u64 STEPS = 4;
    u64 item = 0, unit = 0, piece = 0;
    const u64 steps = in.items() + in.units();
    std::vector<Run> visits[STEPS];
    std::vector<u64> kept;
    for (u64 base = 0; base < steps; base += STEPS * WARP) {
        for (auto& visit : visits) visit.clear();
        for (u64 s = 0; s < STEPS * WARP && base + s < steps; ++s) {
            if (item < in.items() && unit >= in.first[item + 1]) ++item;
            else visits[s % STEPS].push_back({unit++, 1});
        }
        // Tiles of 1,024 steps go to blocks; a block takes neighbouring tiles.
        const u64 tile = base / (STEPS * BLOCK), tiles = (steps + STEPS * BLOCK - 1) / (STEPS * BLOCK);
        const u32 warp = warp_of((u32)(tile * BLOCKS / tiles), (u32)(piece++ % WARPS));
        u64 low = ~0ull, high = 0;
        for (auto& visit : visits) {
            if (visit.empty()) continue;
            const u64 before = count.read;
            count.visit(warp, visit.data(), (u32)visit.size());
            // Sectors that an earlier step of the piece has read are in the first-level cache.
            const u64 from = visit.front().at / 8, to = visit.back().at / 8;
            u64 fresh = 0;
            for (u64 s = from; s <= to; ++s) fresh += s < low || s > high;
            count.read = before + fresh;
            low = std::min(low, from), high = std::max(high, to);
        }
    }
}

static void print(const char* shape, const char* mapping, const Count& count) {
    double mean_active = 0, most_active = 0, balance = 0, busy = 0;
    for (u32 p = 0; p < PROCESSORS; ++p) {
        u64 sum = 0, longest = 0;
        for (u32 b = p; b < BLOCKS; b += PROCESSORS)
            for (u32 w = 0; w < WARPS; ++w) {
                sum += count.work[warp_of(b, w)];
                longest = std::max(longest, count.work[warp_of(b, w)]);
            }
        const double active = std::max((double)longest, sum / SATURATING);
        mean_active += active / PROCESSORS, most_active = std::max(most_active, active);
        balance += longest ? (double)sum / (BLOCKS / PROCESSORS * WARPS) / longest * active : 0, busy += active;
    }
    printf("%s\t%s\t%llu\t%.3f\t%llu\t%llu\t%.4f\t%.4f\t%.0f\n", shape, mapping, count.instructions,
           (double)count.lanes / count.instructions, 8 * count.lanes, count.read + count.written,
           mean_active / most_active, balance / busy, most_active);
}

int main() {
    printf("shape\tmapping\tinstructions\tlanes\tuseful_bytes\tl2_sectors\tprocessor_balance\twarp_balance\tlongest\n");
    for (const Shape& shape : SHAPES) {
        const Input in{offsets(shape)};
        const auto run = [&](const char* name, auto&& walk) {
            Count count;
            walk(in, count);
            if (count.lanes != in.units()) {
                fprintf(stderr, "%s %s: %llu units of %llu\n", shape.name, name, count.lanes, in.units());
                return;
            }
            print(shape.name, name, count);
            fflush(stdout);
        };
        run("vertex-based", [](const Input& in, Count& c) { lanes(in, c, 1); });
        run("vw2", [](const Input& in, Count& c) { lanes(in, c, 2); });
        run("vw4", [](const Input& in, Count& c) { lanes(in, c, 4); });
        run("vw8", [](const Input& in, Count& c) { lanes(in, c, 8); });
        run("vw16", [](const Input& in, Count& c) { lanes(in, c, 16); });
        run("vw32", [](const Input& in, Count& c) { lanes(in, c, 32); });
        run("dvw4", [](const Input& in, Count& c) { lanes(in, c, 4); });  // with so many items: groups of four
        run("cta-warp-scan", [](const Input& in, Count& c) { by_blocks(in, c, true); });
        run("twc", [](const Input& in, Count& c) { twc(in, c); });
        run("etwc", [](const Input& in, Count& c) { etwc(in, c); });
        run("wm", [](const Input& in, Count& c) { by_warps(in, c); });
        run("cm", [](const Input& in, Count& c) { by_blocks(in, c, false); });
        run("local-warp-search", [](const Input& in, Count& c) { by_warps(in, c); });
        run("strict", [](const Input& in, Count& c) { evenly(in, c); });
        run("merge-path", [](const Input& in, Count& c) { merged(in, c); });
        run("multi-phase", [](const Input& in, Count& c) { evenly(in, c); });
    }
}
