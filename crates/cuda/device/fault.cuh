// Faults of the program inside an operator: the first one is kept, with its line, and the host reports it.
#pragma once

namespace gw {

struct Fault {
    unsigned code;      // 0: none
    unsigned line;
    long long index;
    long long length;
};
enum FaultCode : unsigned { FAULT_INDEX = 1, FAULT_DIVISION = 2, FAULT_OVERFLOW = 3, FAULT_FULL = 4, FAULT_NEGATIVE = 5, FAULT_EMPTY = 6 };

__device__ __noinline__ void report(Fault* fault, unsigned code, unsigned line, long long index, long long length) {
    if (fault && atomicCAS(&fault->code, 0u, code) == 0u) {
        fault->line = line;
        fault->index = index;
        fault->length = length;
    }
}

// An index that may be out of range: then entry 0 stands in for it, and the run fails.
__device__ __forceinline__ unsigned checked(Fault* fault, long long index, long long length, unsigned line) {
    if ((unsigned long long)index < (unsigned long long)length) return (unsigned)index;
    report(fault, FAULT_INDEX, line, index, length);
    return 0;
}

template <class T> __device__ __forceinline__ T divide(Fault* fault, T a, T b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return b == (T)-1 ? (T)(0 - (T)a) : (T)(a / b);
}
template <> __device__ __forceinline__ unsigned divide(Fault* fault, unsigned a, unsigned b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return a / b;
}
template <> __device__ __forceinline__ unsigned long long divide(Fault* fault, unsigned long long a, unsigned long long b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return a / b;
}
template <> __device__ __forceinline__ int divide(Fault* fault, int a, int b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return b == -1 ? (int)(0u - (unsigned)a) : a / b;
}
template <class T> __device__ __forceinline__ T remainder(Fault* fault, T a, T b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return b == (T)-1 && (T)-1 < 0 ? 0 : a % b;
}

}  // namespace gw
