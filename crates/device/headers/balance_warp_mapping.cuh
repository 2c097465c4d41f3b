// WM, warp mapping: a warp takes up to 32 consecutive vertices, scans their degrees, and its lanes stride over all
// their edges together. Every stride but the last is full whatever the degrees are; warps with a hub among their
// vertices take longer than others. Good for moderate degrees, also uneven ones, and for frontiers too small for one
// thread per vertex. WM of the UGF thesis; "local warp search" of Busato's survey is its relative in registers.
//
// The owner of an edge is found without a search: of 32 consecutive edges, those that begin a vertex are marked in a
// word, and counting the marks up to an edge gives the number of its vertex among those that have edges.
#pragma once
#include "balance_common.cuh"

namespace gw {

// What a warp has staged: the vertices with edges, in order.
template <class Offset> struct StagedWarp {
    int v[WARP];
    Offset shift[WARP];  // position of an edge less its number among the edges of the warp
};

template <class Offset> __device__ __forceinline__ StagedWarp<Offset>& staged_warp() {
    __shared__ StagedWarp<Offset> staged[WARPS];
    return staged[warp()];
}

// Walks the edges of the vertices that the lanes hold, -1 for none. All lanes of the warp call.
template <class Walk> __device__ __forceinline__ void walk_warp(Walk& walk, int v) {
    typedef typename Walk::Offset Offset;
    StagedWarp<Offset>& staged = staged_warp<Offset>();
    Offset first = 0, count = 0;
    if (v >= 0) {
        const Range<Offset> edges = walk.range(v);
        first = edges.first;
        count = edges.length();
    }
    Offset total;
    const Offset begin = warp_exclusive(count, total);
    const unsigned with_edges = __ballot_sync(FULL, count > 0);
    if (count > 0) {
        const unsigned slot = __popc(with_edges & ((1u << lane()) - 1));
        staged.v[slot] = v;
        staged.shift[slot] = first - begin;
    }
    __syncwarp();

    EdgeRun<Walk> run;
    const unsigned up_to_me = FULL >> (WARP - 1 - lane());
    unsigned started = 0;  // vertices begun before this stride
    Offset k = 0;
    // The owner of edge k + lane. A vertex begun earlier gives a difference that is huge or is shifted out.
    auto owner = [&](Offset k) {
        const Offset ahead = begin - k;
        const unsigned starts = warp_union(count > 0 && begin >= k && ahead < WARP ? 1u << (unsigned)ahead : 0);
        const unsigned slot = started + __popc(starts & up_to_me) - 1;
        started += __popc(starts);
        return slot;
    };
    // Whole batches of strides: their loads can be under way together.
    for (; total - k >= WARP * UNROLL; k += WARP * UNROLL) {
        int of[UNROLL];
        Offset e[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const unsigned slot = owner(k + u * WARP);
            of[u] = staged.v[slot];
            e[u] = staged.shift[slot] + k + u * WARP + lane();
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) run.edge(walk, of[u], e[u]);
    }
#pragma unroll 1
    for (; k < total; k += WARP) {
        const unsigned slot = owner(k);
        if (k + lane() < total) run.edge(walk, staged.v[slot], staged.shift[slot] + k + lane());
    }
    run.close(walk);
    __syncwarp();  // what is staged may be overwritten
}

// Vertices per warp, so that all warps of the grid have some; at most 32.
__device__ __forceinline__ unsigned vertices_per_warp(unsigned n) {
    const unsigned share = n / all_warps() + (n % all_warps() > 0);
    return share < WARP ? share : WARP;
}

template <class Walk> __device__ void balance_warp_mapping(Walk& walk) {
    const unsigned n = walk.active();
    const unsigned share = vertices_per_warp(n);
    for (unsigned base = dealt_warp() * share; base < n; base += all_warps() * share) {
        const unsigned i = base + lane();
        walk_warp(walk, lane() < share && i < n ? walk.vertex(i) : -1);
    }
}

}  // namespace gw
