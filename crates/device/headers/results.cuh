// What a kernel hands back to the host, or to the next launch of its loop: one word per value.
#pragma once

namespace gw {

__device__ __forceinline__ void put(unsigned long long* slot, int v) { *slot = (unsigned)v; }
__device__ __forceinline__ void put(unsigned long long* slot, unsigned v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, long long v) { *slot = (unsigned long long)v; }
__device__ __forceinline__ void put(unsigned long long* slot, unsigned long long v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, bool v) { *slot = v; }
__device__ __forceinline__ void put(unsigned long long* slot, float v) { *slot = (unsigned)__float_as_int(v); }
__device__ __forceinline__ void put(unsigned long long* slot, double v) { *slot = (unsigned long long)__double_as_longlong(v); }

__device__ __forceinline__ void take(const unsigned long long* slot, int& v) { v = (int)*slot; }
__device__ __forceinline__ void take(const unsigned long long* slot, unsigned& v) { v = (unsigned)*slot; }
__device__ __forceinline__ void take(const unsigned long long* slot, long long& v) { v = (long long)*slot; }
__device__ __forceinline__ void take(const unsigned long long* slot, unsigned long long& v) { v = *slot; }
__device__ __forceinline__ void take(const unsigned long long* slot, bool& v) { v = *slot != 0; }
__device__ __forceinline__ void take(const unsigned long long* slot, float& v) { v = __int_as_float((int)*slot); }
__device__ __forceinline__ void take(const unsigned long long* slot, double& v) { v = __longlong_as_double((long long)*slot); }

// Two counts in one word.
__device__ __forceinline__ void take(const unsigned long long* slot, unsigned& high, unsigned& low) {
    high = (unsigned)(*slot >> 32);
    low = (unsigned)*slot;
}

}  // namespace gw
