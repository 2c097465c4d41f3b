// The position of the edge between two vertices, by binary search in the list of its source.
#pragma once
#include "graph.cuh"

namespace gw {

// -1 when there is no such edge.
template <class G> __device__ inline int edge_index(const G& graph, unsigned source, unsigned target) {
    auto low = graph.out_offsets[source];
    const auto end = graph.out_offsets[source + 1];
    auto high = end;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if ((unsigned)graph.out_neighbours[middle] < target) low = middle + 1;
        else high = middle;
    }
    return low < end && (unsigned)graph.out_neighbours[low] == target ? (int)low : -1;
}

}  // namespace gw
