// Atomics: only one thread of the emulated device runs at a time, so plain code between two switches is atomic.
#pragma once
#include "watch.hpp"

namespace gw_emulated {

template <class T, class F>
inline T atomically(T* at, void* place, F change) {
    Fiber* f = gwe_current;
    Machine& m = *f->machine;
    if ((uint64_t)at % sizeof(T)) fail(f, "at {%p}: an atomic of %zu bytes at the address %p", place, sizeof(T), (void*)at);
    // Where threads meet in memory their order matters: switch often.
    if (m.below(4) == 0) f->budget = 0;
    touch(at, sizeof(T), Touch::Atomic, place);
    T old = *at;
    T now = change(old);
    memcpy(at, &now, sizeof now);
    if (memcmp(&now, &old, sizeof now) != 0) m.progress = true;
    return old;
}

}  // namespace gw_emulated

#define GWE_ATOMIC(T, name, result)                                                                                    \
    T name(T* at, T value) {                                                                                           \
        return gw_emulated::atomically(at, __builtin_return_address(0), [value](T old) -> T { return result; });       \
    }
#define GWE_CAS(T)                                                                                                     \
    T atomicCAS(T* at, T compare, T value) {                                                                           \
        return gw_emulated::atomically(at, __builtin_return_address(0),                                                \
                                       [=](T old) -> T { return old == compare ? value : old; });                      \
    }
using ull = unsigned long long;
GWE_ATOMIC(int, atomicAdd, (int)((unsigned)old + (unsigned)value))
GWE_ATOMIC(unsigned, atomicAdd, old + value)
GWE_ATOMIC(ull, atomicAdd, old + value)
GWE_ATOMIC(float, atomicAdd, old + value)
GWE_ATOMIC(double, atomicAdd, old + value)
GWE_ATOMIC(int, atomicSub, (int)((unsigned)old - (unsigned)value))
GWE_ATOMIC(unsigned, atomicSub, old - value)
GWE_ATOMIC(int, atomicMin, old < value ? old : value)
GWE_ATOMIC(unsigned, atomicMin, old < value ? old : value)
GWE_ATOMIC(long long, atomicMin, old < value ? old : value)
GWE_ATOMIC(ull, atomicMin, old < value ? old : value)
GWE_ATOMIC(int, atomicMax, old > value ? old : value)
GWE_ATOMIC(unsigned, atomicMax, old > value ? old : value)
GWE_ATOMIC(long long, atomicMax, old > value ? old : value)
GWE_ATOMIC(ull, atomicMax, old > value ? old : value)
GWE_ATOMIC(int, atomicExch, value)
GWE_ATOMIC(unsigned, atomicExch, value)
GWE_ATOMIC(ull, atomicExch, value)
GWE_ATOMIC(float, atomicExch, value)
GWE_ATOMIC(int, atomicOr, old | value)
GWE_ATOMIC(unsigned, atomicOr, old | value)
GWE_ATOMIC(ull, atomicOr, old | value)
GWE_ATOMIC(int, atomicAnd, old & value)
GWE_ATOMIC(unsigned, atomicAnd, old & value)
GWE_ATOMIC(ull, atomicAnd, old & value)
GWE_ATOMIC(int, atomicXor, old ^ value)
GWE_ATOMIC(unsigned, atomicXor, old ^ value)
GWE_ATOMIC(ull, atomicXor, old ^ value)
GWE_ATOMIC(unsigned, atomicInc, old >= value ? 0 : old + 1)
GWE_ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
GWE_CAS(int)
GWE_CAS(unsigned)
GWE_CAS(unsigned short)
GWE_CAS(ull)
