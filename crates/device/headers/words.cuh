// Operations on the bits of whole numbers, and random bits by counter.
#pragma once
#include "graph.cuh"

namespace gw {

// The count of a shift is taken modulo the width of the type, as the language has it.
__device__ __forceinline__ int shift_left(int a, int n) { return (int)((unsigned)a << ((unsigned)n & 31)); }
__device__ __forceinline__ unsigned shift_left(unsigned a, unsigned n) { return a << (n & 31); }
__device__ __forceinline__ unsigned long long shift_left(unsigned long long a, unsigned long long n) { return a << (n & 63); }
__device__ __forceinline__ long long shift_left(long long a, long long n) { return (long long)((unsigned long long)a << ((unsigned long long)n & 63)); }
__device__ __forceinline__ int shift_right(int a, int n) { return a >> ((unsigned)n & 31); }
__device__ __forceinline__ long long shift_right(long long a, long long n) { return a >> ((unsigned long long)n & 63); }
__device__ __forceinline__ unsigned shift_right(unsigned a, unsigned n) { return a >> (n & 31); }
__device__ __forceinline__ unsigned long long shift_right(unsigned long long a, unsigned long long n) { return a >> (n & 63); }

__device__ __forceinline__ int popcount(int a) { return __popc((unsigned)a); }
__device__ __forceinline__ int popcount(unsigned a) { return __popc(a); }
__device__ __forceinline__ int popcount(long long a) { return __popcll((unsigned long long)a); }
__device__ __forceinline__ int popcount(unsigned long long a) { return __popcll(a); }

// The same numbers as `gw_exec::random::bits`.
__device__ __forceinline__ unsigned long long random_bits(unsigned long long seed, unsigned long long a, unsigned long long b) {
    const unsigned long long increment = 0x9e3779b97f4a7c15ull;
    const unsigned long long first = Draws::mix(seed + increment);
    return Draws::mix((Draws::mix((first ^ a) + increment) ^ b) + increment);
}

}  // namespace gw
