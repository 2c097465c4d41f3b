// CM, block mapping: a block takes as many consecutive vertices as it has threads, scans their degrees in shared
// memory, and its threads stride over all their edges together; the owner of an edge is found by binary search in the
// scan. Balanced within a block, so a hub delays its block only by its own edges; a search per edge and barriers are
// the price. Good for uneven degrees where hubs are short, and for frontiers of some thousand vertices. CM of the UGF
// thesis.
#pragma once
#include "balance_common.cuh"

namespace gw {

template <class Offset> struct StagedBlock {
    int v[BLOCK];
    Offset begin[BLOCK];  // number of the first edge of v among the edges of the block
    Offset shift[BLOCK];  // position of an edge less its number
};

template <class Offset> __device__ __forceinline__ StagedBlock<Offset>& staged_block() {
    __shared__ StagedBlock<Offset> staged;
    return staged;
}

template <class Walk> __device__ void balance_block_mapping(Walk& walk) {
    typedef typename Walk::Offset Offset;
    StagedBlock<Offset>& staged = staged_block<Offset>();
    const unsigned n = walk.active();
    // A small frontier is spread over all blocks.
    const unsigned even = n / blocks() + (n % blocks() > 0);
    const unsigned share = even < BLOCK ? even : BLOCK;
    for (unsigned base = blockIdx.x * share; base < n; base += blocks() * share) {
        const unsigned i = base + threadIdx.x;
        const int v = threadIdx.x < share && i < n ? walk.vertex(i) : -1;
        Offset first = 0, count = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            first = edges.first;
            count = edges.length();
        }
        Offset total;
        const Offset begin = block_exclusive(count, total);  // its barriers also end the use of the previous round
        staged.v[threadIdx.x] = v;
        staged.begin[threadIdx.x] = begin;
        staged.shift[threadIdx.x] = first - begin;
        __syncthreads();
        EdgeRun<Walk> run;
        for (Offset k = threadIdx.x; k < total; k += BLOCK) {
            // The last vertex that begins here or before: those without edges are passed over.
            const unsigned slot = last_not_above(staged.begin, BLOCK, k);
            run.edge(walk, staged.v[slot], staged.shift[slot] + k);
        }
        run.close(walk);
    }
}

}  // namespace gw
