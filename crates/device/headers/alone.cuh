// Rounds that one block runs alone. While the frontier of a loop has few edges, the first block goes on with the loop
// by itself, and the others wait at one barrier of the grid: all barriers in between are barriers of the block. The
// variables of the loop are the same in all threads of the grid; when the others go on, they take them up from memory.
//
// A kernel with such a loop defines GW_ALONE before any header is included.
#pragma once
#include "run.cuh"
#include "scan.cuh"

namespace gw {

// Edges of a frontier with which a block goes on alone, those with which it begins, and members of the frontier. It
// begins with fewer because beginning and ending take a barrier of the grid each. Small blocks are those of graphs with
// short lists, where a round of the grid takes little. Not measured.
constexpr unsigned ALONE_STAY = BLOCK < 512 ? 2 * BLOCK : 8 * BLOCK, ALONE_BEGIN = ALONE_STAY / 2;
constexpr unsigned ALONE_MEMBERS = 2 * BLOCK;

// Whether a queue has few vertices with few edges; not if it is empty. Every block finds out for itself, and all come
// to the same end: the set changes only behind a barrier.
template <class Degree> __device__ __forceinline__ bool has_few(const int* ids, unsigned n, Degree degree) {
    if (n == 0 || n > ALONE_MEMBERS) return false;
    const unsigned most = is_alone() ? ALONE_STAY : ALONE_BEGIN;
    unsigned mine = 0;
    for (unsigned i = threadIdx.x; i < n; i += BLOCK) {
        const auto edges = degree(ids[i]);
        mine += edges < most ? (unsigned)edges : most + 1;
    }
    unsigned all;
    block_exclusive(mine, all);
    return all <= most;
}
template <class Offset> __device__ __forceinline__ bool has_few(const int* ids, unsigned n, const Offset* offsets) {
    return has_few(ids, n, [=](int v) { return offsets[v + 1] - offsets[v]; });
}
template <class Offset>
__device__ __forceinline__ bool has_few(const int* ids, unsigned n, const Range<Offset>* ranges) {
    return has_few(ids, n, [=](int v) { return ranges[v].length(); });
}

// The same for the set at a place, which must be a queue already, and for the last set of a list.
template <class Lists> __device__ __forceinline__ bool has_few_edges(const Run& run, int place, Lists lists) {
    if (place < 0 || place >= PLACES || !(run.form(place) & QUEUE)) return false;
    const Set set = run.at(place);
    return has_few(set.queue, set.size(), lists);
}
template <class Lists>
__device__ __forceinline__ bool has_few_edges(const List& list, unsigned depth, unsigned used, Lists lists) {
    const unsigned begin = depth > 1 ? ((volatile unsigned*)list.ends)[depth - 2] : 0;
    return depth > 0 && has_few(list.ids + begin, used - begin, lists);
}

// Every thread of the kernel calls it first.
__device__ __forceinline__ void begin_together() {
    if (threadIdx.x == 0) alone_mark() = 0;
    __syncthreads();
}

// From here on the first block is alone; true in its threads. The others come back when it has called `end_alone`.
__device__ inline bool begin_alone(const Run& run) {
    run.grid.wait();  // all have decided, by what the block is about to change
    if (blockIdx.x > 0) {
        run.grid.wait<200>();
        return false;
    }
    if (threadIdx.x == 0) alone_mark() = 1;
    __syncthreads();
    return true;
}
__device__ inline void end_alone(const Run& run) {
    __syncthreads();
    if (threadIdx.x == 0) alone_mark() = 0;
    run.grid.wait();
}

}  // namespace gw
