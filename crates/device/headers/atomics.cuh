// Updates of one cell. Each says whether it counts as a change: a sum always, the others when the cell changed.
#pragma once

namespace gw {

// Reads a cell that others may be writing.
template <class T> __device__ __forceinline__ T load(const T* p) { return *(const volatile T*)p; }

// Signed numbers wrap around in the language; in C++ that must be said.
__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
__device__ __forceinline__ int neg(int a) { return (int)(0u - (unsigned)a); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long neg(long long a) { return (long long)(0ull - (unsigned long long)a); }
// The second where it is strictly better: one that is not a number counts only as the first.
template <class T> __device__ __forceinline__ T largest_of(T a, T b) { return a < b ? b : a; }
template <class T> __device__ __forceinline__ T least_of(T a, T b) { return b < a ? b : a; }
__device__ __forceinline__ int absolute(int a) { return a < 0 ? neg(a) : a; }
__device__ __forceinline__ long long absolute(long long a) { return a < 0 ? neg(a) : a; }
__device__ __forceinline__ unsigned absolute(unsigned a) { return a; }
__device__ __forceinline__ unsigned long long absolute(unsigned long long a) { return a; }
__device__ __forceinline__ float absolute(float a) { return fabsf(a); }
__device__ __forceinline__ double absolute(double a) { return fabs(a); }

// From a real to a whole number, towards zero. What does not fit becomes the nearest that does, and NaN 0; a cast
// leaves that open.
__device__ __forceinline__ int to_int(float a) { return a != a ? 0 : __float2int_rz(a); }
__device__ __forceinline__ int to_int(double a) { return a != a ? 0 : __double2int_rz(a); }
__device__ __forceinline__ unsigned to_unsigned(float a) { return a != a ? 0 : __float2uint_rz(a); }
__device__ __forceinline__ unsigned to_unsigned(double a) { return a != a ? 0 : __double2uint_rz(a); }
__device__ __forceinline__ long long to_int_64(float a) { return a != a ? 0 : __float2ll_rz(a); }
__device__ __forceinline__ long long to_int_64(double a) { return a != a ? 0 : __double2ll_rz(a); }
__device__ __forceinline__ unsigned long long to_unsigned_64(float a) { return a != a ? 0 : __float2ull_rz(a); }
__device__ __forceinline__ unsigned long long to_unsigned_64(double a) { return a != a ? 0 : __double2ull_rz(a); }

// A cell as a word that compare-and-swap takes.
__device__ __forceinline__ int word_of(int v) { return v; }
__device__ __forceinline__ unsigned word_of(unsigned v) { return v; }
__device__ __forceinline__ unsigned long long word_of(unsigned long long v) { return v; }
__device__ __forceinline__ unsigned long long word_of(long long v) { return (unsigned long long)v; }
__device__ __forceinline__ int word_of(float v) { return __float_as_int(v); }
__device__ __forceinline__ unsigned long long word_of(double v) { return (unsigned long long)__double_as_longlong(v); }
__device__ __forceinline__ void of_word(int w, int& v) { v = w; }
__device__ __forceinline__ void of_word(unsigned w, unsigned& v) { v = w; }
__device__ __forceinline__ void of_word(unsigned long long w, unsigned long long& v) { v = w; }
__device__ __forceinline__ void of_word(unsigned long long w, long long& v) { v = (long long)w; }
__device__ __forceinline__ void of_word(int w, float& v) { v = __int_as_float(w); }
__device__ __forceinline__ void of_word(unsigned long long w, double& v) { v = __longlong_as_double((long long)w); }
__device__ __forceinline__ int* words_of(int* p) { return p; }
__device__ __forceinline__ unsigned* words_of(unsigned* p) { return p; }
__device__ __forceinline__ unsigned long long* words_of(unsigned long long* p) { return p; }
__device__ __forceinline__ unsigned long long* words_of(long long* p) { return (unsigned long long*)p; }
__device__ __forceinline__ int* words_of(float* p) { return (int*)p; }
__device__ __forceinline__ unsigned long long* words_of(double* p) { return (unsigned long long*)p; }

// Sums.
template <class T> __device__ __forceinline__ bool sum(T* p, T v) { *p = (T)(*p + v); return true; }
__device__ __forceinline__ bool sum(int* p, int v) { *p = add(*p, v); return true; }
__device__ __forceinline__ bool sum(long long* p, long long v) { *p = add(*p, v); return true; }
__device__ __forceinline__ bool sum(bool* p, bool v) { *p = *p | v; return true; }
template <class T> __device__ __forceinline__ bool atomic_sum(T* p, T v) { atomicAdd(p, v); return true; }
__device__ __forceinline__ bool atomic_sum(long long* p, long long v) { atomicAdd((unsigned long long*)p, (unsigned long long)v); return true; }
__device__ __forceinline__ bool atomic_sum(bool* p, bool v) { if (v) *p = true; return true; }

// Minimum and maximum.
template <class T> __device__ __forceinline__ bool min_into(T* p, T v) { if (!(v < *p)) return false; *p = v; return true; }
template <class T> __device__ __forceinline__ bool max_into(T* p, T v) { if (!(v > *p)) return false; *p = v; return true; }
// Looking first costs a load and saves most atomics.
__device__ __forceinline__ bool atomic_min(int* p, int v) { return v < *p && v < atomicMin(p, v); }
__device__ __forceinline__ bool atomic_min(unsigned* p, unsigned v) { return v < *p && v < atomicMin(p, v); }
__device__ __forceinline__ bool atomic_min(unsigned long long* p, unsigned long long v) { return v < *p && v < atomicMin(p, v); }
__device__ __forceinline__ bool atomic_min(long long* p, long long v) { return v < *p && v < atomicMin(p, v); }
__device__ __forceinline__ bool atomic_max(int* p, int v) { return v > *p && v > atomicMax(p, v); }
__device__ __forceinline__ bool atomic_max(unsigned* p, unsigned v) { return v > *p && v > atomicMax(p, v); }
__device__ __forceinline__ bool atomic_max(unsigned long long* p, unsigned long long v) { return v > *p && v > atomicMax(p, v); }
__device__ __forceinline__ bool atomic_max(long long* p, long long v) { return v > *p && v > atomicMax(p, v); }
template <class T, class Better> __device__ __forceinline__ bool swap_while(T* p, T v, Better better) {
    auto* words = words_of(p);
    auto old = load(words);
    while (true) {
        T held;
        of_word(old, held);
        if (!better(v, held)) return false;
        const auto found = atomicCAS(words, old, word_of(v));
        if (found == old) return true;
        old = found;
    }
}
__device__ __forceinline__ bool atomic_min(float* p, float v) { return swap_while(p, v, [](float a, float b) { return a < b; }); }
__device__ __forceinline__ bool atomic_min(double* p, double v) { return swap_while(p, v, [](double a, double b) { return a < b; }); }
__device__ __forceinline__ bool atomic_max(float* p, float v) { return swap_while(p, v, [](float a, float b) { return a > b; }); }
__device__ __forceinline__ bool atomic_max(double* p, double v) { return swap_while(p, v, [](double a, double b) { return a > b; }); }
__device__ __forceinline__ bool atomic_min(bool* p, bool v) { if (v || !*p) return false; *p = false; return true; }
__device__ __forceinline__ bool atomic_max(bool* p, bool v) { if (!v || *p) return false; *p = true; return true; }

// The same, without an atomic where the caller is the only one to write the cell. Others may read it meanwhile.
template <class T> __device__ __forceinline__ bool min_into_if(bool alone, T* p, T v) {
    if (!alone) return atomic_min(p, v);
    if (!(v < load(p))) return false;
    *(volatile T*)p = v;
    return true;
}
template <class T> __device__ __forceinline__ bool max_into_if(bool alone, T* p, T v) {
    if (!alone) return atomic_max(p, v);
    if (!(v > load(p))) return false;
    *(volatile T*)p = v;
    return true;
}
template <class T> __device__ __forceinline__ bool sum_if(bool alone, T* p, T v) {
    if (!alone) return atomic_sum(p, v);
    T total = load(p);
    sum(&total, v);
    *(volatile T*)p = total;
    return true;
}

// Bits of whole numbers.
template <class T> __device__ __forceinline__ bool or_into(T* p, T v) { if ((v & ~*p) == 0) return false; *p |= v; return true; }
template <class T> __device__ __forceinline__ bool and_into(T* p, T v) { if ((*p & ~v) == 0) return false; *p &= v; return true; }
template <class T> __device__ __forceinline__ bool atomic_or(T* p, T v) { return (v & ~*p) != 0 && (v & ~atomicOr(p, v)) != 0; }
template <class T> __device__ __forceinline__ bool atomic_and(T* p, T v) { return (*p & ~v) != 0 && (atomicAnd(p, v) & ~v) != 0; }
__device__ __forceinline__ bool atomic_or(long long* p, long long v) { return atomic_or((unsigned long long*)p, (unsigned long long)v); }
__device__ __forceinline__ bool atomic_and(long long* p, long long v) { return atomic_and((unsigned long long*)p, (unsigned long long)v); }

// Stores `value` if the cell holds `expect`; `held` is equal to it, and what the cell probably holds. Numbers that are
// equal may be different words: 0.0 and -0.0 are.
template <class T> __device__ __forceinline__ bool swap_held(T* p, T held, T expect, T value) {
    while (true) {
        const auto word = word_of(held);
        const auto found = atomicCAS(words_of(p), word, word_of(value));
        if (found == word) return true;
        of_word(found, held);
        if (!(held == expect)) return false;
    }
}
// Stores `value` if the cell holds `expect`.
template <class T> __device__ __forceinline__ bool compare_and_swap(T* p, T expect, T value) {
    const T held = *p;
    return held == expect && swap_held(p, held, expect, value);
}
template <class T> __device__ __forceinline__ bool swap_at_once(T* p, T expect, T value) {
    return swap_held(p, expect, expect, value);
}
// The same by a test and a plain store: several threads may be told that they stored, and one of their values stays.
template <class T> __device__ __forceinline__ bool test_and_store(T* p, T expect, T value) {
    if (!(load(p) == expect)) return false;
    *(volatile T*)p = value;
    return true;
}
// There are no atomics on bytes: the word around the byte is swapped.
__device__ __forceinline__ bool compare_and_swap(bool* p, bool expect, bool value) {
    unsigned* word = (unsigned*)((unsigned long long)p & ~3ull);
    const unsigned shift = 8 * ((unsigned long long)p & 3);
    unsigned old = load(word);
    while (((old >> shift) & 0xff) == (unsigned)expect) {
        const unsigned found = atomicCAS(word, old, (old & ~(0xffu << shift)) | ((unsigned)value << shift));
        if (found == old) return true;
        old = found;
    }
    return false;
}

__device__ __forceinline__ bool swap_at_once(bool* p, bool expect, bool value) { return compare_and_swap(p, expect, value); }

}  // namespace gw
