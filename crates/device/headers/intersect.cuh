// Common neighbours of two vertices not above a limit: the ways to intersect two sorted lists, one thread each.
#pragma once
#include "graph.cuh"

namespace gw {

// The part of a list that is not above the limit.
template <class Offset> __device__ __forceinline__ Offset end_within(const int* list, Offset begin, Offset end, int limit) {
    while (begin < end) {
        const Offset middle = begin + (end - begin) / 2;
        if (list[middle] <= limit) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

template <class Offset> struct Pair {
    Offset a, a_end, b, b_end;   // a is the shorter
};

template <class G> __device__ __forceinline__ Pair<typename G::Offset> lists_within(const G& graph, unsigned u, unsigned v, int limit) {
    typedef typename G::Offset Offset;
    const int* list = graph.out_neighbours;
    const Range<Offset> of_u = graph.out_range(u), of_v = graph.out_range(v);
    const Offset u_begin = of_u.first, v_begin = of_v.first;
    const Offset u_end = end_within(list, u_begin, of_u.last, limit);
    const Offset v_end = end_within(list, v_begin, of_v.last, limit);
    if (u_end - u_begin <= v_end - v_begin) return {u_begin, u_end, v_begin, v_end};
    return {v_begin, v_end, u_begin, u_end};
}

template <class Offset> __device__ __forceinline__ int merge(const int* list, Offset a, Offset a_end, Offset b, Offset b_end) {
    int count = 0;
    while (a < a_end && b < b_end) {
        const int x = list[a], y = list[b];
        count += x == y;
        a += x <= y;
        b += y <= x;
    }
    return count;
}

template <class G> __device__ __forceinline__ int common_by_merge(const G& graph, unsigned u, unsigned v, int limit) {
    const auto p = lists_within(graph, u, v, limit);
    return merge(graph.out_neighbours, p.a, p.a_end, p.b, p.b_end);
}

// Each id of the shorter list is searched in what is left of the longer.
template <class G> __device__ __forceinline__ int common_by_search(const G& graph, unsigned u, unsigned v, int limit) {
    typedef typename G::Offset Offset;
    auto p = lists_within(graph, u, v, limit);
    const int* list = graph.out_neighbours;
    int count = 0;
    for (Offset a = p.a; a < p.a_end && p.b < p.b_end; a++) {
        const int x = list[a];
        Offset low = p.b, high = p.b_end;
        while (low < high) {
            const Offset middle = low + (high - low) / 2;
            if (list[middle] < x) low = middle + 1;
            else high = middle;
        }
        count += low < p.b_end && list[low] == x;
        p.b = low;
    }
    return count;
}

// Blocks of three by three are compared at once.
template <class G> __device__ __forceinline__ int common_by_blocks(const G& graph, unsigned u, unsigned v, int limit) {
    auto p = lists_within(graph, u, v, limit);
    const int* list = graph.out_neighbours;
    int count = 0;
    while (p.a_end - p.a >= 3 && p.b_end - p.b >= 3) {
        const int x0 = list[p.a], x1 = list[p.a + 1], x2 = list[p.a + 2];
        const int y0 = list[p.b], y1 = list[p.b + 1], y2 = list[p.b + 2];
        count += (x0 == y0) + (x0 == y1) + (x0 == y2) + (x1 == y0) + (x1 == y1) + (x1 == y2) + (x2 == y0) + (x2 == y1) + (x2 == y2);
        const bool both = x2 == y2;
        p.a += both || x2 < y2 ? 3 : 0;
        p.b += both || y2 < x2 ? 3 : 0;
    }
    return count + merge(list, p.a, p.a_end, p.b, p.b_end);
}

// Steps of three while the other list is ahead, then one by one.
template <class G> __device__ __forceinline__ int common_by_skips(const G& graph, unsigned u, unsigned v, int limit) {
    auto p = lists_within(graph, u, v, limit);
    const int* list = graph.out_neighbours;
    int count = 0;
    while (p.a < p.a_end && p.b < p.b_end) {
        while (p.a + 3 < p.a_end && list[p.a + 3] <= list[p.b]) p.a += 3;
        while (p.b + 3 < p.b_end && list[p.b + 3] <= list[p.a]) p.b += 3;
        const int x = list[p.a], y = list[p.b];
        count += x == y;
        p.a += x <= y;
        p.b += y <= x;
    }
    return count;
}

// Search where one list is much longer, merge otherwise.
template <class G> __device__ __forceinline__ int common_by_length(const G& graph, unsigned u, unsigned v, int limit) {
    const auto p = lists_within(graph, u, v, limit);
    if ((p.b_end - p.b) / 8 > p.a_end - p.a) return common_by_search(graph, u, v, limit);
    return merge(graph.out_neighbours, p.a, p.a_end, p.b, p.b_end);
}

}  // namespace gw
