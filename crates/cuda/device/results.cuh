// What a kernel hands back to the host: one word per value.
#pragma once

namespace gw {

__device__ __forceinline__ void put(unsigned long long* slot, int v) { *slot = (unsigned)v; }
__device__ __forceinline__ void put(unsigned long long* slot, unsigned v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, unsigned long long v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, bool v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, float v) { *slot = (unsigned)__float_as_int(v); }
__device__ __forceinline__ void put(unsigned long long* slot, double v) { *slot = (unsigned long long)__double_as_longlong(v); }

}  // namespace gw
