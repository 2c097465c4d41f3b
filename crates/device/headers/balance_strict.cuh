// STRICT: the degrees of all active vertices are scanned over the whole device, every block owns an equal range of
// consecutive edges, and each thread finds the vertex of its edge by binary search. The load is exactly equal for all
// blocks, warps and threads whatever the degrees are, and edges are read coalesced; a pass over the frontier, a
// barrier of the grid and a search per edge are the price. Good for large frontiers with extreme hubs. STRICT of the
// UGF thesis.
#pragma once
#include "balance_segments.cuh"

namespace gw {

template <class Offset> struct StagedStrict {
    int v[BLOCK];
    Offset begin[BLOCK], shift[BLOCK];
};

template <class Offset> __device__ __forceinline__ StagedStrict<Offset>& staged_strict() {
    __shared__ StagedStrict<Offset> staged;
    return staged;
}

template <class Walk> __device__ void balance_strict(Walk& walk, Scratch& scratch, Grid& grid) {
    typedef typename Walk::Offset Offset;
    typedef unsigned long long Wide;
    StagedStrict<Offset>& staged = staged_strict<Offset>();
    share_segments<false>(walk, scratch, grid, [&](const Segment<Offset> segment, Wide from, Wide to) {
        const Offset *begin = segment.begin, end = (Offset)to;
        // The vertex of the first edge.
        const auto begins = [&](unsigned i) { return begin[i] <= (Offset)from; };
        unsigned j = warp_partition_point(0, segment.vertices, begins) - 1;
        for (Offset base = (Offset)from; base < end;) {
            const Offset stop = end - base < BLOCK ? end : base + BLOCK;
            // Each vertex has an edge, so a block's edges belong to at most a block's number of vertices.
            __syncthreads();  // the previous round is over
            Offset mine = ~Offset(0);
            if (j + threadIdx.x < segment.vertices) mine = begin[j + threadIdx.x];
            staged.begin[threadIdx.x] = mine;
            if (mine < stop) {
                const int v = segment.vertex[j + threadIdx.x];
                staged.v[threadIdx.x] = v;
                staged.shift[threadIdx.x] = walk.first(v) - mine;
            }
            __syncthreads();
            const Offset k = base + threadIdx.x;
            if (k < stop) {
                const unsigned slot = last_not_above(staged.begin, BLOCK, k);
                const int v = staged.v[slot];
                typename Walk::Partial partial = walk.begin(v);
                walk.edge(v, staged.shift[slot] + k, partial);
                walk.template end<1, false>(v, partial);
            }
            // The vertex of the next round's first edge is among the staged ones or follows them.
            unsigned passed = last_not_above(staged.begin, BLOCK, stop);
            if (passed == BLOCK - 1 && j + BLOCK < segment.vertices && begin[j + BLOCK] <= stop) passed = BLOCK;
            j += passed;
            base = stop;
        }
    });
}

}  // namespace gw
