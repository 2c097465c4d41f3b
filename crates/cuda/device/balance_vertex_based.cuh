// VERTEX_BASED: a thread takes a vertex and walks its edges one after the other. No overhead at all, but the lanes of
// a warp wait for the longest list among them and read edges from 32 places. Good where lists are tiny and regular
// (roads), and where a pull stops after an edge or two. "Work-item to thread" of Busato's survey of mappings.
#pragma once
#include "balance_common.cuh"

namespace gw {

template <class Walk> __device__ void balance_vertex_based(Walk& walk) {
    typedef typename Walk::Offset Offset;
    const unsigned n = walk.active();
    for (unsigned base = dealt_warp() * WARP; base < n; base += all_warps() * WARP) {
        const unsigned i = base + lane();
        const int v = i < n ? walk.vertex(i) : -1;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            const Offset first = edges.first, last = edges.last;
            typename Walk::Partial partial = walk.begin(v);
            if constexpr (Walk::EARLY_EXIT) {
                for (Offset e = first; e < last; ++e) {
                    if (!walk.edge(v, e, partial)) break;
                }
            } else {
                walk_batches<UNROLL>(walk, v, first, Offset(0), last - first, 1, partial);
            }
            walk.template end<1, true>(v, partial);
        }
        __syncwarp();
    }
}

}  // namespace gw
