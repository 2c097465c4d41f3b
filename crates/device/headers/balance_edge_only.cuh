// EDGE_ONLY: every thread takes edges of a list, all of them, whatever is active; membership is tested per edge. Good
// when nearly all edges are to be visited, and with the list ordered by blocks of one end, so that the entries of
// that end stay in the cache (Brahmakshatriya's EdgeBlocking).
#pragma once

namespace gw {

template <class Walk> __device__ __forceinline__ void balance_edge_only(Walk& walk) {
    typedef typename Walk::Offset Offset;
    const Offset edges = walk.active();
    const Offset step = (Offset)blocks() * blockDim.x;
    for (Offset e = (Offset)blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += step) walk.edge(e);
}

}  // namespace gw
