// The far list of a near-far queue: ids of the vertices queued outside the near set, in no order.
//
// A bit per vertex says that it is on the list, so each is there once and the list never outgrows the vertices. An
// entry whose vertex was taken by way of the near set stays until the list is next split; if the vertex is queued
// again before, the entry counts again. There are two sides: a split reads one and fills the other.
#pragma once
#include "output.cuh"

namespace gw {

// Fills a list: numbers are drawn once per warp from a stage in shared memory, which has room for most, and once per
// block from the list. Appenders in use at the same time have stages of their own.
template <int STAGE> struct Appender {
    int* ids;
    unsigned* length;

    // Every thread of the block calls it before the first append.
    __device__ __forceinline__ void begin() {
        __syncthreads();
        if (threadIdx.x == 0) stage<STAGE>().count = 0;
        __syncthreads();
    }
    // All lanes of the warp call it together.
    __device__ __forceinline__ void append(bool wanted, int v) {
        Stage& staged = stage<STAGE>();
        const unsigned at = numbered(wanted, &staged.count);
        const bool fits = at < Stage::CAPACITY;
        if (wanted && fits) staged.ids[at] = v;
        const unsigned beyond = numbered(wanted && !fits, length);
        if (wanted && !fits) ids[beyond] = v;
    }
    // Every thread of the block calls it after the last append.
    __device__ __forceinline__ void flush() {
        Stage& staged = stage<STAGE>();
        __syncthreads();
        const unsigned n = staged.count < Stage::CAPACITY ? staged.count : Stage::CAPACITY;
        if (n == 0) return;
        if (threadIdx.x == 0) staged.base = atomicAdd(length, n);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) ids[staged.base + i] = staged.ids[i];
    }

private:
    // A number of its own for each lane that wants one, by one atomic.
    static __device__ __forceinline__ unsigned numbered(bool wanted, unsigned* counter) {
        const unsigned lanes = __ballot_sync(0xffffffffu, wanted);
        unsigned base = 0;
        if (lanes == 0) return 0;
        if (lane() == 0) base = atomicAdd(counter, __popc(lanes));
        base = __shfl_sync(0xffffffffu, base, 0);
        return base + __popc(lanes & ((1u << lane()) - 1));
    }
};

struct Far {
    int* sides;          // two, of as many ids as there are vertices
    unsigned* listed;    // bits
    alignas(8) unsigned splits;

    __device__ __forceinline__ int* ids(unsigned vertices) const { return sides + (splits & 1 ? (unsigned long long)vertices : 0); }
    // The length of a side changes its cell at every split: the one that is read, the one that grows and the one that
    // is cleared for the next split are never the same.
    static __device__ __forceinline__ unsigned* length_cell(unsigned long long* cells, unsigned split) {
        return (unsigned*)(cells + 7 + (split & 3));
    }
    // What was appended before lies behind a barrier.
    __device__ __forceinline__ unsigned length(unsigned long long* cells) const {
        return *(volatile unsigned*)length_cell(cells, splits);
    }
    __device__ __forceinline__ Appender<1> appender(unsigned long long* cells, unsigned vertices) const {
        return Appender<1>{ids(vertices), length_cell(cells, splits)};
    }
    // From now on the other side is filled.
    __device__ __forceinline__ void turn_over(unsigned long long* cells, const Grid& grid) {
        splits++;
        if (grid.first()) *length_cell(cells, splits + 1) = 0;
    }
    // Lists the vertices of a word of bits; none of them is listed yet, and no other thread has this word.
    __device__ __forceinline__ void add_word(unsigned long long* cells, unsigned vertices, unsigned word, unsigned bits) const {
        listed[word] = bits;
        if (!bits) return;
        unsigned at = atomicAdd(length_cell(cells, splits), __popc(bits));
        for (unsigned rest = bits; rest; rest &= rest - 1) ids(vertices)[at++] = (int)(32 * word + __ffs(rest) - 1);
    }
};

}  // namespace gw
