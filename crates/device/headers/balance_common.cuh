// What the load balancers have in common. A balancer distributes the edges of the active vertices over the threads of
// the whole grid; every thread of the grid calls it. What to do with them is said by a Walk:
//
//   typedef unsigned Offset;                   // position of an edge; or unsigned long long
//   static constexpr bool EARLY_EXIT;          // edge() may say that the vertex needs no more edges
//   struct Partial;                            // what one thread gathers for one vertex; may be empty
//   unsigned active() const;                   // entries to walk; the same for all threads
//   int vertex(unsigned i) const;              // the i-th active vertex, or -1: skip this entry
//   Range<Offset> range(int v) const;          // of the edges of v
//   Offset first(int v) const;                 // its beginning, where that is enough
//   Partial begin(int v) const;                // start of a thread's share of v
//   bool edge(int v, Offset e, Partial& p);    // visits an edge; false: no more edges of v are needed
//   template <int LANES, bool WHOLE> void end(int v, Partial& p);
//
// `end` is called by an aligned group of LANES converged lanes that shared v; WHOLE when they visited all edges of v,
// otherwise others visit edges of v too. vertex(i) is called by one thread per entry, so that a filter which changes
// meanwhile cannot split a group. A vertex without edges may or may not get its begin and end.
//
// A balancer does not wait for the grid at its end, and may be called again, for the same or another Walk, in the
// same kernel; between two calls that use Scratch the caller waits for the grid.
#pragma once
#include "grid.cuh"
#include "range.cuh"
#include "scan.cuh"

namespace gw {

// Edges a thread has under way at once where nothing ends a vertex early.
constexpr int UNROLL = 4;

// Warps of the whole grid.
__device__ __forceinline__ unsigned all_warps() { return blocks() * WARPS; }

// Number of this warp when warps are dealt to the blocks in turn, like cards. Consecutive work then lies on different
// multiprocessors: a small frontier fills the machine, and the hubs at the head of a degree-ordered one are spread.
__device__ __forceinline__ unsigned dealt_warp() { return warp() * blocks() + blockIdx.x; }

// The lanes of the aligned group of `lanes` neighbours (a power of two) that this lane is in.
__device__ __forceinline__ unsigned lanes_of_group(unsigned lanes) {
    return (FULL >> (WARP - lanes)) << (lane() & ~(lanes - 1));
}

// A number of lanes known to the compiler; a plain `unsigned` is one that is not.
template <unsigned LANES> struct Lanes {
    __device__ __forceinline__ constexpr operator unsigned() const { return LANES; }
};

// Ends a share of v for a group of lanes.
template <bool WHOLE, unsigned LANES, class Walk>
__device__ __forceinline__ void end_group(Walk& walk, Lanes<LANES>, int v, typename Walk::Partial& partial) {
    walk.template end<LANES, WHOLE>(v, partial);
}
template <bool WHOLE, class Walk>
__device__ __forceinline__ void end_group(Walk& walk, unsigned lanes, int v, typename Walk::Partial& partial) {
    switch (lanes) {
        case 1: walk.template end<1, WHOLE>(v, partial); break;
        case 2: walk.template end<2, WHOLE>(v, partial); break;
        case 4: walk.template end<4, WHOLE>(v, partial); break;
        case 8: walk.template end<8, WHOLE>(v, partial); break;
        case 16: walk.template end<16, WHOLE>(v, partial); break;
        default: walk.template end<32, WHOLE>(v, partial); break;
    }
}

// A thread's edges k, k + step, ... below `count`, BATCH at a time while there are so many, then fewer. The batches
// are written out because the compiler would test the bound before every edge, and the loads of one edge would wait
// for the last.
template <int BATCH, class Walk>
__device__ __forceinline__ void walk_batches(Walk& walk, int v, typename Walk::Offset first, typename Walk::Offset k,
                                             typename Walk::Offset count, unsigned step,
                                             typename Walk::Partial& partial) {
#pragma unroll 1
    for (; k < count && count - k > (BATCH - 1) * step; k += BATCH * step) {
#pragma unroll
        for (unsigned b = 0; b < BATCH; ++b) walk.edge(v, first + k + b * step, partial);
    }
    if constexpr (BATCH > 1) walk_batches<BATCH / 2>(walk, v, first, k, count, step, partial);
}

// A group's share of `count` edges of v from position `first` on: the edges start, start + 1, ... one per lane, then
// those `step` further on, and so forth. All lanes of `mask` call with the same values but `at`, their place in the
// group. With an early exit they stop together. The lanes may return one by one: call __syncwarp(mask) before they
// cooperate again.
template <int BATCH = UNROLL, class Walk>
__device__ __forceinline__ void walk_share(Walk& walk, int v, typename Walk::Offset first, typename Walk::Offset count,
                                           typename Walk::Offset start, unsigned at, unsigned step, unsigned mask,
                                           typename Walk::Partial& partial) {
    typedef typename Walk::Offset Offset;
    if constexpr (Walk::EARLY_EXIT) {
        for (Offset k = start; k < count; k += step) {
            bool enough = false;
            if (k + at < count) enough = !walk.edge(v, first + k + at, partial);
            if (__any_sync(mask, enough)) break;
        }
    } else {
        walk_batches<BATCH>(walk, v, first, start + at, count, step, partial);
    }
}

// Groups of `lanes` neighbouring lanes walk one vertex after another of the `n` entries that `entry(i)` gives; each
// takes `chunk` consecutive ones. The lanes of a group first load up to `lanes` entries with their edge ranges side
// by side, then hand them round by shuffles: few, coalesced, independent loads, and each entry is looked at once.
template <class Walk, class Entry, class LaneCount>
__device__ __forceinline__ void walk_groups(Walk& walk, Entry entry, unsigned n, LaneCount lanes, unsigned chunk) {
    typedef typename Walk::Offset Offset;
    const unsigned at = lane() % lanes, group = lane() / lanes;
    const unsigned mask = lanes_of_group(lanes);
    const unsigned long long tile = (unsigned long long)(WARP / lanes) * chunk;
    for (unsigned long long base = dealt_warp() * tile; base < n; base += all_warps() * tile) {
#pragma unroll 1  // the code of an edge is long, and `chunk` often a constant
        for (unsigned done = 0; done < chunk; done += lanes) {
            const unsigned rounds = chunk - done < lanes ? chunk - done : (unsigned)lanes;
            const unsigned long long i = base + (unsigned long long)group * chunk + done + at;
            int mine = -1;
            Offset my_first = 0, my_count = 0;
            if (at < rounds && i < n) mine = entry((unsigned)i);
            if (mine >= 0) {
                const Range<Offset> edges = walk.range(mine);
                my_first = edges.first;
                my_count = edges.length();
            }
#pragma unroll 1
            for (unsigned round = 0; round < rounds; ++round) {
                const int v = __shfl_sync(FULL, mine, round, lanes);
                const Offset first = __shfl_sync(FULL, my_first, round, lanes);
                const Offset count = __shfl_sync(FULL, my_count, round, lanes);
                if (v >= 0) {
                    typename Walk::Partial partial = walk.begin(v);
                    walk_share(walk, v, first, count, 0, at, lanes, mask, partial);
                    __syncwarp(mask);
                    end_group<true>(walk, lanes, v, partial);
                }
                __syncwarp();
            }
        }
    }
}

// Edges that come to one thread in order of their vertices, where neighbouring threads may hold the same vertex:
// begin and end are called around runs of one vertex.
template <class Walk, bool GATHERS_NOTHING = __is_empty(typename Walk::Partial)> struct EdgeRun {
    int v = -1;
    typename Walk::Partial partial;

    __device__ __forceinline__ void edge(Walk& walk, int of, typename Walk::Offset e) {
        if (of != v) {
            close(walk);
            v = of;
            partial = walk.begin(of);
        }
        walk.edge(of, e, partial);
    }

    __device__ __forceinline__ void close(Walk& walk) {
        if (v >= 0) walk.template end<1, false>(v, partial);
        v = -1;
    }
};

// Nothing is gathered: every edge is a run.
template <class Walk> struct EdgeRun<Walk, true> {
    __device__ __forceinline__ void edge(Walk& walk, int of, typename Walk::Offset e) {
        typename Walk::Partial partial = walk.begin(of);
        walk.edge(of, e, partial);
        walk.template end<1, false>(of, partial);
    }
    __device__ __forceinline__ void close(Walk&) {}
};

}  // namespace gw
