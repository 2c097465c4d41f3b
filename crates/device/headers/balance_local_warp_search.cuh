// LOCAL_WARP_SEARCH: a warp loads up to 32 consecutive vertices and their degrees, and each lane searches the owner
// of its edge with shuffles: five steps over the scanned degrees, which stay in registers. Like warp mapping, but
// without shared memory, so that other uses of it lose nothing. Good for moderate degrees; the search costs more than
// it saves on tiny ones. "Local warp search" of Busato's survey, the edge-discover step of BFS-4K.
#pragma once
#include "balance_common.cuh"

namespace gw {

// The last lane whose value is not above `key`. Values do not decrease from lane to lane; all lanes call.
template <class T> __device__ __forceinline__ unsigned warp_search(T value, T key) {
    unsigned low = 0;
#pragma unroll
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        if (__shfl_sync(FULL, value, low + step) <= key) low += step;
    }
    return low;
}

template <class Walk> __device__ void balance_local_warp_search(Walk& walk) {
    typedef typename Walk::Offset Offset;
    const unsigned n = walk.active();
    const unsigned even = n / all_warps() + (n % all_warps() > 0);
    const unsigned share = even < WARP ? even : WARP;
    for (unsigned base = dealt_warp() * share; base < n; base += all_warps() * share) {
        const unsigned i = base + lane();
        const int v = lane() < share && i < n ? walk.vertex(i) : -1;
        Offset first = 0, count = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            first = edges.first;
            count = edges.length();
        }
        Offset total;
        const Offset begin = warp_exclusive(count, total);
        const Offset shift = first - begin;
        EdgeRun<Walk> run;
        for (Offset base_edge = 0; base_edge < total; base_edge += WARP) {
            const Offset k = base_edge + lane();
            const unsigned from = warp_search(begin, k);
            const int of = __shfl_sync(FULL, v, from);
            const Offset e = __shfl_sync(FULL, shift, from) + k;
            if (k < total) run.edge(walk, of, e);
            __syncwarp();
        }
        run.close(walk);
        __syncwarp();
    }
}

}  // namespace gw
