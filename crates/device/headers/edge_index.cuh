// The position of the edge between two vertices, by binary search in the list of its source.
#pragma once
#include "graph.cuh"

namespace gw {

// -1 when there is no such edge.
template <class G> __device__ inline int edge_index(const G& graph, unsigned source, unsigned target) {
    const auto list = graph.out_range(source);
    auto low = list.first, high = list.last;
    const auto end = list.last;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if ((unsigned)graph.out_neighbours[middle] < target) low = middle + 1;
        else high = middle;
    }
    const bool found = low < end && (unsigned)graph.out_neighbours[low] == target;
    return found ? (int)(graph.out_position(source) + (low - list.first)) : -1;
}

}  // namespace gw
