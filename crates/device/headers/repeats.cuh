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

// Tables in shared memory, of 16 KiB for outputs and of 8 KiB for inputs: a block loads a vertex per thread at a time,
// and an operator may have both beside a balancer that itself takes 20 KiB of the 48 that there are.
template <unsigned WORDS> struct Words64 {
    volatile unsigned long long* words;
};
__device__ __forceinline__ Words64<2048> output_words64() {
    __shared__ unsigned long long words[2048];
    return {words};
}
__device__ __forceinline__ Words64<1024> input_words64() {
    __shared__ unsigned long long words[1024];
    return {words};
}

// True where another lane that is here holds the same vertex and has the smaller number.
__device__ __forceinline__ bool repeats_in_warp(int v) {
    const unsigned here = __activemask();
    return (unsigned)__ffs(__match_any_sync(here, v)) - 1 != lane();
}

// True where another thread of the block is left to deal with the vertex.
template <unsigned WORDS> __device__ __forceinline__ bool repeats_in_block(int v, Words64<WORDS> table) {
    volatile unsigned long long* word = table.words + ((unsigned)v * 2654435761u >> 16) % WORDS;
    const unsigned long long mine = (unsigned long long)(unsigned)v << 32 | threadIdx.x;
    *word = mine;
    __syncwarp(__activemask());
    const unsigned long long found = *word;
    return found != mine && (found >> 32) == (unsigned)v;
}

}  // namespace gw
