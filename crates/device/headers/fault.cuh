// Faults of the program inside an operator: the first one is kept, with its line, and the host reports it.
#pragma once

namespace gw {

struct Fault {
    unsigned code;      // 0: none
    unsigned line;
    long long index;
    long long length;
    unsigned vector;    // number of the vector among those of the program; 0: none
    unsigned stop;      // written by the host: the run shall end
    alignas(8) unsigned agreed;   // by all threads of a loop: it ends here
};
enum FaultCode : unsigned {
    FAULT_INDEX = 1,
    FAULT_DIVISION = 2,
    FAULT_OVERFLOW = 3,
    FAULT_FULL = 4,
    FAULT_NEGATIVE = 5,
    FAULT_EMPTY = 6,
    FAULT_VERTEX = 7,
    FAULT_NEIGHBOUR = 8,
    FAULT_NO_OUT = 9,
    FAULT_NO_IN = 10,
    FAULT_SIZE = 11,
};

__device__ __noinline__ void report(Fault* fault, unsigned code, unsigned line, long long index, long long length, unsigned vector = 0) {
    if (fault && atomicCAS(&fault->code, 0u, code) == 0u) {
        fault->line = line;
        fault->index = index;
        fault->length = length;
        fault->vector = vector;
    }
}

// An index that may be out of range: then entry 0 stands in for it, which every vector has memory for, and the run
// fails.
__device__ __forceinline__ unsigned checked(Fault* fault, long long index, long long length, unsigned line, unsigned vector) {
    if ((unsigned long long)index < (unsigned long long)length) return (unsigned)index;
    report(fault, FAULT_INDEX, line, index, length, vector);
    return 0;
}

// The same for a vertex of a graph; lists of vertex 0 exist even in a graph without vertices.
__device__ __forceinline__ unsigned checked_vertex(Fault* fault, long long vertex, unsigned vertices, unsigned line) {
    if ((unsigned long long)vertex < (unsigned long long)vertices) return (unsigned)vertex;
    report(fault, FAULT_VERTEX, line, vertex, vertices);
    return 0;
}

// The size of a new set: none or all vertices.
__device__ __forceinline__ bool set_size(Fault* fault, int size, unsigned vertices, unsigned line) {
    if (size != 0 && (unsigned)size != vertices) report(fault, FAULT_SIZE, line, size, vertices);
    return size != 0;
}

// Whether the run is over, by a fault or because the host says so. Loops of the program ask from time to time: an
// entry that stands in for another may keep them going for ever.
__device__ __forceinline__ bool is_over(const Fault* fault) {
    return *(const volatile unsigned*)&fault->code != 0 || *(const volatile unsigned*)&fault->stop != 0;
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
template <> __device__ __forceinline__ long long divide(Fault* fault, long long a, long long b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return b == -1 ? (long long)(0ull - (unsigned long long)a) : a / b;
}
template <class T> __device__ __forceinline__ T remainder(Fault* fault, T a, T b, unsigned line) {
    if (b == 0) { report(fault, FAULT_DIVISION, line, 0, 0); return 0; }
    return b == (T)-1 && (T)-1 < 0 ? 0 : a % b;
}

}  // namespace gw
