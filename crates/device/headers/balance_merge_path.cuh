// MERGE_PATH: the list of vertices and the list of edges, merged in the order in which a single thread would meet
// them, are cut into equal pieces, one per thread. So both long lists and long runs of short ones are divided evenly.
// A thread walks consecutive edges: it meets most short vertices whole and needs an atomic only at the two ends of
// its piece, which makes this the mapping for gathering (pull with sums) over very skewed degrees; reads are less
// coalesced than with STRICT. The merge path of Green and Merrill, named in Busato's survey.
#pragma once
#include "balance_segments.cuh"

namespace gw {

template <class Offset> struct StagedMerge {
    static constexpr unsigned WANTED = 1024;  // few: two balancers must fit in 48 KiB of shared memory
    static constexpr unsigned PER_THREAD = WANTED / BLOCK < 1 ? 1 : WANTED / BLOCK > 8 ? 8 : WANTED / BLOCK;
    static constexpr unsigned TILE = BLOCK * PER_THREAD;
    int v[TILE + 1];
    unsigned end[TILE + 1];   // edges of the tile up to the last of v
    Offset shift[TILE + 1];   // position of an edge less its number in the tile
};

template <class Offset> __device__ __forceinline__ StagedMerge<Offset>& staged_merge() {
    __shared__ StagedMerge<Offset> staged;
    return staged;
}

template <class Walk> __device__ void balance_merge_path(Walk& walk, Scratch& scratch, Grid& grid) {
    typedef typename Walk::Offset Offset;
    typedef unsigned long long Wide;
    typedef StagedMerge<Offset> Staged;
    Staged& staged = staged_merge<Offset>();
    share_segments<true>(walk, scratch, grid, [&](const Segment<Offset> segment, Wide from, Wide to) {
        // After d steps along the path as many vertices are finished as have their end within the first d steps.
        const auto finished = [&](Wide d, unsigned low, unsigned high) {
            return warp_partition_point(low, high, [&](unsigned i) { return (Wide)segment.begin[i + 1] + i + 1 <= d; });
        };
        unsigned j = finished(from, 0, segment.vertices);
        for (Wide base = from; base < to;) {
            const unsigned steps = to - base < Staged::TILE ? (unsigned)(to - base) : Staged::TILE;
            const unsigned furthest = segment.vertices - j < steps ? segment.vertices : j + steps;
            const unsigned next = finished(base + steps, j, furthest);
            const unsigned ends = next - j;              // vertices that end in this tile
            const Offset first_edge = (Offset)(base - j);
            __syncthreads();  // the previous tile is done
            for (unsigned k = threadIdx.x; k <= ends; k += BLOCK) {
                if (j + k < segment.vertices) {
                    const int v = segment.vertex[j + k];
                    staged.v[k] = v;
                    staged.end[k] = k < ends ? (unsigned)(segment.begin[j + k + 1] - first_edge) : FULL;
                    staged.shift[k] = walk.first(v) - segment.begin[j + k] + first_edge;
                }
            }
            __syncthreads();

            // This thread's piece: `a` vertices and `b` edges of the tile lie before it.
            const unsigned d = threadIdx.x * Staged::PER_THREAD;
            if (d < steps) {
                const unsigned edges = steps - ends;
                unsigned a = d > edges ? d - edges : 0;
                for (unsigned high = d < ends ? d : ends; a < high;) {
                    const unsigned middle = (a + high) / 2;
                    if (staged.end[middle] <= d - 1 - middle) a = middle + 1;
                    else high = middle;
                }
                unsigned b = d - a;
                const unsigned mine = steps - d < Staged::PER_THREAD ? steps - d : Staged::PER_THREAD;
                bool open = false, from_start = false;
                typename Walk::Partial partial;
                for (unsigned k = 0; k < mine; ++k) {
                    if (a < ends && b >= staged.end[a]) {  // the end of a vertex
                        if (open && from_start) walk.template end<1, true>(staged.v[a], partial);
                        else if (open) walk.template end<1, false>(staged.v[a], partial);
                        open = false;
                        from_start = true;
                        ++a;
                    } else {
                        const int v = staged.v[a];
                        if (!open) partial = walk.begin(v);
                        open = true;
                        walk.edge(v, staged.shift[a] + b, partial);
                        ++b;
                    }
                }
                if (open) walk.template end<1, false>(staged.v[a], partial);
            }
            j = next;
            base += steps;
        }
    });
}

}  // namespace gw
