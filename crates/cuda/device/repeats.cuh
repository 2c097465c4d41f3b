// Whether a vertex that a thread holds is held by another thread as well: repeats that need no map of all vertices.
//
// Within a warp lanes compare their vertices. Within a block a table in shared memory is asked: every thread writes
// (vertex, its number) as one word of 64 bits, and then reads. The thread that wrote last finds its own word or that
// of another vertex, and keeps the vertex; those that find the vertex with another number leave it to that thread. So
// one copy always survives. Nothing is cleared, for every thread writes before it reads. After hash64 of BFS-4K and
// the duplicate removal of Helix (Busato, 2018, sections 6.3 and 7.3); since Volta the lanes of a warp must be told
// to wait.
#pragma once
#include "warp.cuh"

namespace gw {

// Words of a table; 16 KiB of shared memory.
constexpr unsigned WORDS64 = 2048;

template <int NUMBER> __device__ __forceinline__ volatile unsigned long long* words64() {
    __shared__ unsigned long long words[WORDS64];
    return words;
}

// True where another lane that is here holds the same vertex and has the smaller number.
__device__ __forceinline__ bool repeats_in_warp(int v) {
    const unsigned here = __activemask();
    return (unsigned)__ffs(__match_any_sync(here, v)) - 1 != lane();
}

// True where another thread of the block is left to deal with the vertex.
__device__ __forceinline__ bool repeats_in_block(int v, volatile unsigned long long* words) {
    volatile unsigned long long* word = words + ((unsigned)v * 2654435761u >> 16) % WORDS64;
    const unsigned long long mine = (unsigned long long)(unsigned)v << 32 | threadIdx.x;
    *word = mine;
    __syncwarp(__activemask());
    const unsigned long long found = *word;
    return found != mine && (found >> 32) == (unsigned)v;
}

}  // namespace gw
