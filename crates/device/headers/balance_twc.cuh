// TWC, thread, warp and block mapping: a first pass sorts the active vertices by degree into bins, then each bin is
// walked in its own way: below 32 edges warps take 32 vertices at a time (as WM), below the block size a warp takes a
// vertex, above it a block does, and a vertex with more edges than the grid has threads is shared by the whole grid.
// Bins are the same for all blocks, so that the load is balanced over the whole device, which ETWC's are not; the
// price is a pass over the frontier and a barrier of the grid. Good for large frontiers with very skewed degrees. TWC
// of the UGF thesis, after Merrill; bins beyond the block are the supplementary queues of Helix.
#pragma once
#include "balance_common.cuh"
#include "balance_warp_mapping.cuh"

namespace gw {

// Words of scratch needed for so many active entries.
__device__ __host__ constexpr unsigned long long twc_words(unsigned long long active) {
    return SCRATCH_CONTROL + 2 * active;
}

// Two arrays of `active` vertices hold the four bins: one grows from the front of each, one from its back.
struct TwcBins {
    unsigned* control;
    int *low, *high;
    unsigned active;
    unsigned set;

    enum { SMALL, MIDDLE, LARGE, GIANT };  // below 32 edges, below a block, below the grid, more

    __device__ TwcBins(Scratch& scratch, unsigned active)
        : control(scratch.words), low((int*)scratch.words + SCRATCH_CONTROL), high(low + active), active(active),
          set(*(volatile unsigned*)scratch.words) {}

    // Lengths of two bins in one word, so that one atomic extends both. There are two sets of lengths used by turns:
    // one is cleared while the other is in use, which saves a barrier. Control word 0 says whose turn it is.
    __device__ unsigned long long* lengths(unsigned of_set, unsigned pair) const {
        return (unsigned long long*)(control + 2) + 2 * of_set + pair;
    }
    __device__ unsigned length(unsigned bin) const {
        return (unsigned)(*(volatile unsigned long long*)lengths(set, bin / 2) >> (bin % 2 * 32));
    }
    __device__ void put(unsigned bin, unsigned at, int v) const {
        int* half = bin < LARGE ? low : high;
        half[bin % 2 == 0 ? at : active - 1 - at] = v;
    }
    __device__ int get(unsigned bin, unsigned at) const {
        const int* half = bin < LARGE ? low : high;
        return half[bin % 2 == 0 ? at : active - 1 - at];
    }
    // Once the bins are filled.
    __device__ void next_turn() const {
        *lengths(1 - set, 0) = 0;
        *lengths(1 - set, 1) = 0;
        control[0] = 1 - set;
    }
};

// Sorts the active vertices into the bins. A lane looks at a few entries, and a warp extends the bins once for all of
// them.
template <class Walk> __device__ __forceinline__ void twc_fill(Walk& walk, const TwcBins& bins) {
    typedef typename Walk::Offset Offset;
    constexpr unsigned ENTRIES = 4;  // per lane; 32 * ENTRIES must fit the 8 bits of a count
    const unsigned n = bins.active;
    const Offset giant = (Offset)blocks() * BLOCK;
    const unsigned tile = WARP * ENTRIES;
    for (unsigned base = dealt_warp() * tile; base < n; base += all_warps() * tile) {
        int v[ENTRIES];
        unsigned shift[ENTRIES];  // of the bin's count; 32 for none
        unsigned counts = 0;      // four counts of 8 bits
#pragma unroll
        for (unsigned k = 0; k < ENTRIES; ++k) {
            const unsigned i = base + k * WARP + lane();
            v[k] = i < n ? walk.vertex(i) : -1;
        }
#pragma unroll
        for (unsigned k = 0; k < ENTRIES; ++k) {
            const Offset count = v[k] >= 0 ? walk.range(v[k]).length() : 0;
            const unsigned bin = (count >= WARP) + (count >= BLOCK) + (count >= giant);
            shift[k] = count > 0 ? 8 * bin : 32;
            if (count > 0) counts += 1u << shift[k];
        }
        unsigned total;
        unsigned ranks = warp_exclusive(counts, total);
        unsigned long long low = 0, high = 0;
        if (lane() == 0) {
            const unsigned long long add_low = (total & 0xff) | (unsigned long long)(total >> 8 & 0xff) << 32;
            const unsigned long long add_high = (total >> 16 & 0xff) | (unsigned long long)(total >> 24) << 32;
            if (add_low) low = atomicAdd(bins.lengths(bins.set, 0), add_low);
            if (add_high) high = atomicAdd(bins.lengths(bins.set, 1), add_high);
        }
        low = __shfl_sync(FULL, low, 0);
        high = __shfl_sync(FULL, high, 0);
#pragma unroll
        for (unsigned k = 0; k < ENTRIES; ++k) {
            if (shift[k] < 32) {
                const unsigned bin = shift[k] / 8;
                const unsigned begin = (unsigned)((bin < TwcBins::LARGE ? low : high) >> (bin % 2 * 32));
                bins.put(bin, begin + (ranks >> shift[k] & 0xff), v[k]);
                ranks += 1u << shift[k];
            }
        }
    }
}

template <class Walk> __device__ void balance_twc(Walk& walk, Scratch& scratch, Grid& grid) {
    typedef typename Walk::Offset Offset;
    const unsigned n = walk.active();
    if (n == 0) return;  // the same for all: nobody waits
    const TwcBins bins(scratch, n);
    twc_fill(walk, bins);
    grid.wait();
    if (grid.first()) bins.next_turn();

    // The longest lists first.
    const unsigned giants = bins.length(TwcBins::GIANT), larges = bins.length(TwcBins::LARGE);
    const unsigned middles = bins.length(TwcBins::MIDDLE), smalls = bins.length(TwcBins::SMALL);
    // Giants are shared by all warps of the grid, large lists by those of a block. One loop for both, because the
    // code of an edge is long.
    for (unsigned i = 0;; ++i) {
        const bool giant = i < giants;
        const unsigned at = giant ? i : (i - giants) * blocks() + blockIdx.x;
        if (!giant && at >= larges) break;
        const int v = bins.get(giant ? TwcBins::GIANT : TwcBins::LARGE, at);
        const Range<Offset> edges = walk.range(v);
        const Offset first = edges.first, count = edges.length();
        const Offset start = (giant ? dealt_warp() : warp()) * WARP;
        typename Walk::Partial partial = walk.begin(v);
        walk_share(walk, v, first, count, start, lane(), giant ? blocks() * BLOCK : BLOCK, FULL, partial);
        __syncwarp();
        walk.template end<32, false>(v, partial);
    }
    // Several vertices per load once there are plenty, yet several turns for every warp.
    const unsigned plenty = middles / (4 * all_warps());
    const unsigned chunk = plenty < 1 ? 1 : plenty > 8 ? 8 : plenty;
    walk_groups(walk, [&](unsigned i) { return bins.get(TwcBins::MIDDLE, i); }, middles, Lanes<32>(), chunk);
    const unsigned share = vertices_per_warp(smalls);
    for (unsigned base = dealt_warp() * share; base < smalls; base += all_warps() * share) {
        const unsigned i = base + lane();
        walk_warp(walk, lane() < share && i < smalls ? bins.get(TwcBins::SMALL, i) : -1);
    }
}

}  // namespace gw
