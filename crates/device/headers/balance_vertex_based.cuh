// VERTEX_BASED: a thread takes a vertex and walks its edges one after the other. No overhead at all, but the lanes of
// a warp wait for the longest list among them and read edges from 32 places. Good where lists are tiny and regular
// (roads), and where a pull stops after an edge or two. "Work-item to thread" of Busato's survey of mappings.
//
// Where a vertex may stop early, most lists end after few edges, but the list of a hub whose edges are all in vain is
// walked to its end: one thread needs 12 ms for the 55,372 edges of a hub of a web graph. So a thread walks the first
// ALONE edges of its vertex, the warp walks together what is left of its lists, one after the other, and what is left
// of the longest ones waits for all warps of the block.
#pragma once
#include "balance_common.cuh"

namespace gw {

// Edges that a thread walks alone where a vertex may stop early.
constexpr unsigned ALONE = 32;

// Lists of which more than this is left wait for the block, as many of them as its queue takes.
constexpr unsigned FOR_BLOCK = 32 * WARP, WAITING = 128;

struct WaitingHubs {
    unsigned length;
    int of[WAITING];
};

__device__ __forceinline__ WaitingHubs& waiting_hubs() {
    __shared__ WaitingHubs hubs;
    return hubs;
}

// What is left of the lists of the lanes' vertices: from `first` on, `count` edges.
template <class Walk>
__device__ __forceinline__ void walk_rests(Walk& walk, WaitingHubs& hubs, int v, typename Walk::Offset first,
                                           typename Walk::Offset count) {
    typedef typename Walk::Offset Offset;
    if (count > FOR_BLOCK) {
        const unsigned at = atomicAdd(&hubs.length, 1u);
        if (at < WAITING) {
            hubs.of[at] = v;
            count = 0;
        }
    }
    for (unsigned waiting = __ballot_sync(FULL, count > 0); waiting; waiting &= waiting - 1) {
        const int from = __ffs(waiting) - 1;
        const int owner = __shfl_sync(FULL, v, from);
        const Offset begin = __shfl_sync(FULL, first, from), all = __shfl_sync(FULL, count, from);
        typename Walk::Partial partial = walk.begin(owner);
        walk_share(walk, owner, begin, all, Offset(0), lane(), WARP, FULL, partial);
        __syncwarp();
        walk.template end<32, false>(owner, partial);
    }
}

// The lists that wait for the block. Its warps stop one by one, each at its own find.
template <class Walk> __device__ __forceinline__ void walk_waiting(Walk& walk, WaitingHubs& hubs) {
    typedef typename Walk::Offset Offset;
    __syncthreads();
    const unsigned length = hubs.length < WAITING ? hubs.length : WAITING;
    for (unsigned next = 0; next < length; ++next) {
        const int owner = hubs.of[next];
        const Range<Offset> edges = walk.range(owner);
        typename Walk::Partial partial = walk.begin(owner);
        walk_share(walk, owner, edges.first + ALONE, edges.length() - ALONE, Offset(warp() * WARP), lane(), BLOCK, FULL,
                   partial);
        __syncwarp();
        walk.template end<32, false>(owner, partial);
    }
}

template <class Walk> __device__ void balance_vertex_based(Walk& walk) {
    typedef typename Walk::Offset Offset;
    const unsigned n = walk.active();
    if constexpr (Walk::EARLY_EXIT) {
        __syncthreads();  // an earlier call is done with the queue
        if (threadIdx.x == 0) waiting_hubs().length = 0;
        __syncthreads();
    }
    for (unsigned base = dealt_warp() * WARP; base < n; base += all_warps() * WARP) {
        const unsigned i = base + lane();
        const int v = i < n ? walk.vertex(i) : -1;
        Offset rest_first = 0, rest = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            const Offset first = edges.first, last = edges.last;
            typename Walk::Partial partial = walk.begin(v);
            if constexpr (Walk::EARLY_EXIT) {
                rest_first = last - first > ALONE ? first + ALONE : last;
                rest = last - rest_first;
                for (Offset e = first; e < rest_first; ++e) {
                    if (!walk.edge(v, e, partial)) {
                        rest = 0;
                        break;
                    }
                }
            } else {
                walk_batches<UNROLL>(walk, v, first, Offset(0), last - first, 1, partial);
            }
            if (rest == 0) {
                walk.template end<1, true>(v, partial);
            } else {
                walk.template end<1, false>(v, partial);
            }
        }
        __syncwarp();
        if constexpr (Walk::EARLY_EXIT) walk_rests(walk, waiting_hubs(), v, rest_first, rest);
    }
    if constexpr (Walk::EARLY_EXIT) walk_waiting(walk, waiting_hubs());
}

}  // namespace gw
