// Scans and searches: a scan over a warp by shuffles (five steps in registers, no shared memory), one over a block by
// a scan per warp and one of the warps' totals. After the warp scan of BFS-4K and Helix. Reductions are in
// reduce.cuh.
//
// Types: int, unsigned, unsigned long long, float, double. All lanes of the warp, or all threads of the block, must
// call. Kernels are compiled for one block size, GW_BLOCK: defined before any header is included, equal to
// blockDim.x.
#pragma once
#include "reduce.cuh"
#include "warp.cuh"

#ifndef GW_BLOCK
#error "GW_BLOCK, the number of threads of a block, must be defined before this header"
#endif

namespace gw {

constexpr unsigned BLOCK = GW_BLOCK;
constexpr unsigned WARP = 32;
constexpr unsigned WARPS = BLOCK / WARP;  // of a block
constexpr unsigned FULL = 0xffffffffu;    // all lanes of a warp

static_assert(BLOCK % WARP == 0 && BLOCK >= WARP && BLOCK <= 1024, "a block is 1 to 32 whole warps");

// Number of this warp in its block.
__device__ __forceinline__ unsigned warp() { return threadIdx.x / WARP; }

// The bits set in any lane of the warp; from sm_80 on there is an instruction for it.
__device__ __forceinline__ unsigned warp_union(unsigned bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL, bits);
#else
    return group_reduce<32>(bits, [](unsigned a, unsigned b) { return a | b; });
#endif
}

// Sum over the lanes up to and with this one.
template <class T> __device__ __forceinline__ T warp_inclusive(T value) {
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const T below = __shfl_up_sync(FULL, value, step);
        if (lane() >= step) value += below;
    }
    return value;
}

// Sum over the lanes before this one; `total` is that over all.
template <class T> __device__ __forceinline__ T warp_exclusive(T value, T& total) {
    const T inclusive = warp_inclusive(value);
    total = __shfl_sync(FULL, inclusive, WARP - 1);
    const T below = __shfl_up_sync(FULL, inclusive, 1);
    return lane() == 0 ? T(0) : below;
}

template <class T> __device__ __forceinline__ T* block_scan_sums() {
    __shared__ T sums[WARPS];
    return sums;
}

// Sum over the threads of the block before this one; `total` is that over all. Two barriers of the block.
template <class T> __device__ __forceinline__ T block_exclusive(T value, T& total) {
    T* sums = block_scan_sums<T>();
    T of_warp;
    const T before = warp_exclusive(value, of_warp);
    __syncthreads();  // the previous scan has been read
    if (lane() == 0) sums[warp()] = of_warp;
    __syncthreads();
    // Every warp scans the totals itself, which saves a third barrier.
    const T warps_before = warp_exclusive(lane() < WARPS ? sums[lane()] : T(0), total);
    return __shfl_sync(FULL, warps_before, warp()) + before;
}

// Index of the last of `count` (>= 1) non-decreasing values that is not above `key`, or 0. Always the same number of
// steps with one load each: no lane waits for another.
template <class T, class Key>
__device__ __forceinline__ unsigned last_not_above(const T* values, unsigned count, Key key) {
    unsigned low = 0;
    for (unsigned step = count > 1 ? 1u << (31 - __clz(count - 1)) : 0; step > 0; step /= 2) {
        if (low + step < count && values[low + step] <= key) low += step;
    }
    return low;
}

// How many of the leading indices of [low, high) satisfy `holds`, which is true up to some index and false from there
// on; the answer is that index. A warp probes 32 places at once, so that a million entries need four dependent loads.
// All lanes of the warp call with the same arguments.
template <class Holds>
__device__ __forceinline__ unsigned warp_partition_point(unsigned low, unsigned high, Holds holds) {
    while (low < high) {
        const unsigned step = (high - low + WARP - 1) / WARP;
        const unsigned probe = low + (lane() + 1) * step - 1;
        const unsigned passed = __popc(__ballot_sync(FULL, probe < high && holds(probe)));
        const unsigned next = low + (passed + 1) * step - 1;
        if (next < high) high = next;
        low += passed * step;
    }
    return low;
}

}  // namespace gw
