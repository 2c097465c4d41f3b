// A graph on the device: neighbour lists by vertex in one or both directions, and lists of edges.
#pragma once
#include "fault.cuh"
#include "range.cuh"

namespace gw {

// What belongs to an edge: read once, never written.
template <class T> __device__ __forceinline__ T edge_value(const T* p) { return __ldg(p); }

// Brings a line into the cache that all multiprocessors share, without waiting for it.
template <class T> __device__ __forceinline__ void fetch_ahead(const T* p) {
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

// Marked neighbours (`gw_graph::derived::Marked`): below zero where the edge is the only one to its destination, with
// the bit `LEAF` where no edge leaves the destination.
constexpr int LEAF = 1 << 30;
constexpr int VERTEX = LEAF - 1;

// All members are eight bytes: the host fills them in as words. Lists that stand apart, those of a graph that changes
// (blocks.cuh), are found by their ranges alone; offsets are then the running sums of their lengths, where somebody
// asks for positions of edges.
template <class OffsetType, class WeightType, bool OUT_APART = false, bool IN_APART = false> struct Graph {
    typedef OffsetType Offset;
    const Offset* out_offsets;
    const int* out_neighbours;
    const WeightType* out_weights;
    const Offset* in_offsets;
    const int* in_neighbours;
    const WeightType* in_weights;
    const int* list_first;      // sources, or pairs of ends
    const int* list_second;     // destinations; null for pairs
    const WeightType* list_weights;
    unsigned long long list_edges;
    alignas(8) unsigned vertices;
    unsigned long long edges;
    unsigned out_greatest, in_greatest;   // longest lists
    const Range<Offset>* out_ranges;      // the offsets once more, as pairs; null where nobody asks for them
    const Range<Offset>* in_ranges;
    const int* out_marked;                // the neighbours with the classes of their edges; null where nobody asks

    __device__ __forceinline__ Range<Offset> out_range(unsigned v) const {
        if constexpr (OUT_APART) return out_ranges[v];
        else return {out_offsets[v], out_offsets[v + 1]};
    }
    __device__ __forceinline__ Range<Offset> in_range(unsigned v) const {
        if constexpr (IN_APART) return in_ranges[v];
        else return {in_offsets[v], in_offsets[v + 1]};
    }
    // Where a list begins, where that is enough.
    __device__ __forceinline__ Offset out_begin(unsigned v) const {
        if constexpr (OUT_APART) return out_ranges[v].first;
        else return out_offsets[v];
    }
    // The position of the first edge of v among all.
    __device__ __forceinline__ Offset out_position(unsigned v) const { return out_offsets[v]; }
    __device__ __forceinline__ int out_degree(unsigned v) const { return (int)out_range(v).length(); }
    __device__ __forceinline__ int list_source(Offset e) const {
        return list_second ? __ldg(list_first + e) : __ldg(list_first + 2 * (unsigned long long)e);
    }
    __device__ __forceinline__ int list_destination(Offset e) const {
        return list_second ? __ldg(list_second + e) : __ldg(list_first + 2 * (unsigned long long)e + 1);
    }
};

template <class G>
__device__ __forceinline__ int out_neighbour(Fault* fault, const G& graph, unsigned v, int position, unsigned line) {
    const auto list = graph.out_range(v);
    const auto degree = list.length();
    if ((unsigned long long)(long long)position < degree) return graph.out_neighbours[list.first + position];
    report(fault, FAULT_NEIGHBOUR, line, position, degree);
    return 0;
}

// The weight of the edge to that neighbour.
template <class G>
__device__ __forceinline__ auto out_weight(Fault* fault, const G& graph, unsigned v, int position, unsigned line) {
    const auto list = graph.out_range(v);
    const auto degree = list.length();
    if ((unsigned long long)(long long)position < degree) return edge_value(graph.out_weights + (list.first + position));
    report(fault, FAULT_NEIGHBOUR, line, position, degree);
    return decltype(edge_value(graph.out_weights))(0);
}

// Random draws of one call of a function, the same on every machine (`gw_exec::random`): they depend on the key of
// the operator call, which the host makes of seed, number and role, on the vertex or the ends of the edge, and on how
// many draws came before.
struct Draws {
    mutable unsigned long long state;

    static __device__ __forceinline__ unsigned long long mix(unsigned long long z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    static __device__ __forceinline__ Draws of(unsigned long long key, unsigned a, unsigned b) {
        return Draws{mix(key ^ ((unsigned long long)a << 32 | b))};
    }
    // A number below the bound.
    __device__ __forceinline__ unsigned long long below(unsigned long long bound) const {
        state += 0x9e3779b97f4a7c15ull;
        return __umul64hi(mix(state), bound);
    }
};

// A random neighbour.
template <bool INCOMING, class G>
__device__ inline int random_neighbour(Fault* fault, const G& graph, unsigned v, const Draws& draws, unsigned line) {
    const int* neighbours = INCOMING ? graph.in_neighbours : graph.out_neighbours;
    const auto list = INCOMING ? graph.in_range(v) : graph.out_range(v);
    const auto degree = list.length();
    if (degree == 0) {
        report(fault, INCOMING ? FAULT_NO_IN : FAULT_NO_OUT, line, v, 0);
        return 0;
    }
    return neighbours[list.first + draws.below(degree)];
}

}  // namespace gw
