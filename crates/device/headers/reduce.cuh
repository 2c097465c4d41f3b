// Reductions: over a group of lanes, over a block into a cell, over a whole vector.
#pragma once
#include "atomics.cuh"
#include "warp.cuh"

namespace gw {

struct Plus { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return (T)(a + b); } };
struct Least { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; } };
struct Greatest { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return b > a ? b : a; } };
struct Either { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return (T)(a | b); } };
struct Both { template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return (T)(a & b); } };

// The lanes of the group of LANES neighbours that this lane is in.
template <int LANES> __device__ __forceinline__ unsigned group_mask() {
    return LANES == 32 ? 0xffffffffu : ((1u << (LANES & 31)) - 1) << (lane() & ~(LANES - 1) & 31);
}

// All lanes of a group combine their values; every lane gets the result.
template <int LANES, class T, class Combine> __device__ __forceinline__ T group_reduce(T value, Combine combine) {
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value = combine(value, (T)__shfl_xor_sync(group_mask<LANES>(), value, step, 32));
    return value;
}

__device__ __forceinline__ unsigned warp_sum(unsigned value) { return group_reduce<32>(value, Plus()); }

// The first and last values of a type, where minimum and maximum begin.
template <class T> struct Limits;
template <> struct Limits<int> { static __device__ int least() { return -2147483647 - 1; } static __device__ int greatest() { return 2147483647; } };
template <> struct Limits<unsigned> { static __device__ unsigned least() { return 0; } static __device__ unsigned greatest() { return 0xffffffffu; } };
template <> struct Limits<long long> { static __device__ long long least() { return -9223372036854775807ll - 1; } static __device__ long long greatest() { return 9223372036854775807ll; } };
template <> struct Limits<unsigned long long> { static __device__ unsigned long long least() { return 0; } static __device__ unsigned long long greatest() { return ~0ull; } };
template <> struct Limits<float> { static __device__ float least() { return __int_as_float(0xff800000); } static __device__ float greatest() { return __int_as_float(0x7f800000); } };
template <> struct Limits<double> { static __device__ double least() { return __longlong_as_double(0xfff0000000000000ll); } static __device__ double greatest() { return __longlong_as_double(0x7ff0000000000000ll); } };
template <> struct Limits<bool> { static __device__ bool least() { return false; } static __device__ bool greatest() { return true; } };

// What all threads of the block have is combined and goes into one cell by one atomic. Every thread of the block
// calls it.
template <class T, class Combine, class Store>
__device__ __forceinline__ void block_reduce(T value, T neutral, Combine combine, Store store) {
    __shared__ T parts[32];
    __syncthreads();
    value = group_reduce<32>(value, combine);
    if (lane() == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : neutral;
        value = group_reduce<32>(value, combine);
        if (threadIdx.x == 0) store(value);
    }
}
template <class T> __device__ __forceinline__ void block_add(T* cell, T value) {
    block_reduce(value, (T)0, Plus(), [=](T sum) { if (sum != (T)0) atomic_sum(cell, sum); });
}
// Blocks that have nothing to add leave the cell alone: hundreds of atomics on one word take a microsecond.
template <class T> __device__ __forceinline__ void block_min(T* cell, T value) {
    const T neutral = Limits<T>::greatest();
    block_reduce(value, neutral, Least(), [=](T least) { if (least != neutral) atomic_min(cell, least); });
}
template <class T> __device__ __forceinline__ void block_max(T* cell, T value) {
    const T neutral = Limits<T>::least();
    block_reduce(value, neutral, Greatest(), [=](T most) { if (most != neutral) atomic_max(cell, most); });
}
template <class T> __device__ __forceinline__ void block_or(T* cell, T value) {
    block_reduce(value, (T)0, Either(), [=](T bits) { atomic_or(cell, bits); });
}
template <class T> __device__ __forceinline__ void block_and(T* cell, T value) {
    block_reduce(value, (T)~(T)0, Both(), [=](T bits) { atomic_and(cell, bits); });
}

}  // namespace gw
