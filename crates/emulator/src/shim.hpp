// CUDA C++ for a C++17 compiler of the host: the words, types and intrinsics that generated kernels use.
// It includes no standard header, so that a kernel that compiles here needs none there either.
#pragma once
#include "wire.hpp"

#define GW_EMULATED 1

// ---- words -------------------------------------------------------------------------------------------------------
#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
// What a kernel does not use is then not compiled: half of the time.
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
// All threads of a block run on one thread of the host; the emulator keeps one copy of that thread's storage per block.
#define __shared__ static thread_local

#define threadIdx (gwe_thread())
#define blockIdx (gwe_block())
#define blockDim (gwe_block_size())
#define gridDim (gwe_grid_size())
static constexpr int warpSize = 32;

using size_t = decltype(sizeof(0));
#define GWE_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define GWE_RAW inline __attribute__((no_sanitize("thread")))

// ---- vector types ------------------------------------------------------------------------------------------------
#define GWE_VECTOR(T, N, A2, A4)                                                      \
    struct __align__(A2) N##2 { T x, y; };                                            \
    struct N##3 { T x, y, z; };                                                       \
    struct __align__(A4) N##4 { T x, y, z, w; };                                      \
    inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                          \
    inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }                  \
    inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }
GWE_VECTOR(signed char, char, 2, 4)
GWE_VECTOR(unsigned char, uchar, 2, 4)
GWE_VECTOR(short, short, 4, 8)
GWE_VECTOR(unsigned short, ushort, 4, 8)
GWE_VECTOR(int, int, 8, 16)
GWE_VECTOR(unsigned, uint, 8, 16)
GWE_VECTOR(long long, longlong, 16, 16)
GWE_VECTOR(unsigned long long, ulonglong, 16, 16)
GWE_VECTOR(float, float, 8, 16)
GWE_VECTOR(double, double, 16, 16)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// ---- the same bits as another type -------------------------------------------------------------------------------
#define GWE_BITS(To, name, From)        \
    inline To name(From from) {         \
        To to;                          \
        __builtin_memcpy(&to, &from, sizeof to); \
        return to;                      \
    }
GWE_BITS(int, __float_as_int, float)
GWE_BITS(unsigned, __float_as_uint, float)
GWE_BITS(float, __int_as_float, int)
GWE_BITS(float, __uint_as_float, unsigned)
GWE_BITS(long long, __double_as_longlong, double)
GWE_BITS(double, __longlong_as_double, long long)

// ---- integers ----------------------------------------------------------------------------------------------------
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int i = 0; i < 32; i++) y |= ((x >> i) & 1u) << (31 - i);
    return y;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
    return result;
}

// ---- arithmetic --------------------------------------------------------------------------------------------------
extern "C" {
double sqrt(double), pow(double, double), exp(double), exp2(double), log(double), log2(double), log10(double), log1p(double);
double floor(double), ceil(double), round(double), rint(double), trunc(double), fmod(double, double), fabs(double);
double sin(double), cos(double), tan(double), atan(double), atan2(double, double), tanh(double), cbrt(double);
double fma(double, double, double), fmin(double, double), fmax(double, double), copysign(double, double), ldexp(double, int);
float sqrtf(float), powf(float, float), expf(float), exp2f(float), logf(float), log2f(float), log10f(float), log1pf(float);
float floorf(float), ceilf(float), roundf(float), rintf(float), truncf(float), fmodf(float, float), fabsf(float);
float sinf(float), cosf(float), tanf(float), atanf(float), atan2f(float, float), tanhf(float), cbrtf(float);
float fmaf(float, float, float), fminf(float, float), fmaxf(float, float), copysignf(float, float), ldexpf(float, int);
int abs(int);
long labs(long);
long long llabs(long long);
int printf(const char*, ...);
void* memcpy(void*, const void*, size_t);
void* memset(void*, int, size_t);
}
#define GWE_FLOAT1(name) \
    inline float name(float x) { return name##f(x); }
GWE_FLOAT1(sqrt) GWE_FLOAT1(exp) GWE_FLOAT1(exp2) GWE_FLOAT1(log) GWE_FLOAT1(log2) GWE_FLOAT1(log10) GWE_FLOAT1(log1p)
GWE_FLOAT1(floor) GWE_FLOAT1(ceil) GWE_FLOAT1(round) GWE_FLOAT1(rint) GWE_FLOAT1(trunc) GWE_FLOAT1(fabs) GWE_FLOAT1(sin)
GWE_FLOAT1(cos) GWE_FLOAT1(tan) GWE_FLOAT1(atan) GWE_FLOAT1(tanh) GWE_FLOAT1(cbrt)
// Math of an integer is math of a double, as on the device.
#define GWE_INTEGER1(name)                                       \
    inline double name(int x) { return name((double)x); }        \
    inline double name(unsigned x) { return name((double)x); }   \
    inline double name(long long x) { return name((double)x); }  \
    inline double name(unsigned long long x) { return name((double)x); }
GWE_INTEGER1(sqrt) GWE_INTEGER1(exp) GWE_INTEGER1(log) GWE_INTEGER1(log2) GWE_INTEGER1(floor) GWE_INTEGER1(ceil)
GWE_INTEGER1(round) GWE_INTEGER1(fabs)
inline float pow(float a, float b) { return powf(a, b); }
inline float pow(float a, int b) { return powf(a, (float)b); }
inline double pow(double a, int b) { return pow(a, (double)b); }
inline double pow(int a, int b) { return pow((double)a, (double)b); }
inline double pow(long long a, long long b) { return pow((double)a, (double)b); }
inline double pow(float a, double b) { return pow((double)a, b); }
inline double pow(double a, float b) { return pow(a, (double)b); }
inline float fmod(float a, float b) { return fmodf(a, b); }
inline float atan2(float a, float b) { return atan2f(a, b); }
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float fmin(float a, float b) { return fminf(a, b); }
inline float fmax(float a, float b) { return fmaxf(a, b); }
inline float copysign(float a, float b) { return copysignf(a, b); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
#define GWE_ROUNDED(T, p)                                     \
    inline T __##p##add_rn(T a, T b) { return a + b; }        \
    inline T __##p##sub_rn(T a, T b) { return a - b; }        \
    inline T __##p##mul_rn(T a, T b) { return a * b; }        \
    inline T __##p##div_rn(T a, T b) { return a / b; }        \
    inline T __##p##sqrt_rn(T a) { return sqrt(a); }
GWE_ROUNDED(float, f)
GWE_ROUNDED(double, d)
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
// Conversions towards zero saturate on the device, and NaN becomes 0.
template <class To, class From>
inline To gwe_saturated(From x, From low, From above, To lowest, To highest) {
    return x != x ? To(0) : x < low ? lowest : x >= above ? highest : To(x);
}
#define GWE_CONVERT(From, from)                                                                                     \
    inline int __##from##2int_rz(From x) { return gwe_saturated<int, From>(x, -0x1p31, 0x1p31, 1 << 31, ~(1 << 31)); } \
    inline unsigned __##from##2uint_rz(From x) { return gwe_saturated<unsigned, From>(x, 0, 0x1p32, 0u, ~0u); }      \
    inline long long __##from##2ll_rz(From x) {                                                                     \
        return gwe_saturated<long long, From>(x, -0x1p63, 0x1p63, 1ll << 63, ~(1ll << 63));                          \
    }                                                                                                               \
    inline unsigned long long __##from##2ull_rz(From x) {                                                           \
        return gwe_saturated<unsigned long long, From>(x, 0, 0x1p64, 0ull, ~0ull);                                   \
    }
GWE_CONVERT(float, float)
GWE_CONVERT(double, double)
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline double __int2double_rn(int x) { return (double)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline float __ull2float_rn(unsigned long long x) { return (float)x; }
inline double __ull2double_rn(unsigned long long x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }

#define GWE_MINMAX(R, A, B)                                             \
    inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }        \
    inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
GWE_MINMAX(int, int, int)
GWE_MINMAX(unsigned, unsigned, unsigned)
GWE_MINMAX(unsigned, int, unsigned)
GWE_MINMAX(unsigned, unsigned, int)
GWE_MINMAX(long, long, long)
GWE_MINMAX(unsigned long, unsigned long, unsigned long)
GWE_MINMAX(long long, long long, long long)
GWE_MINMAX(unsigned long long, unsigned long long, unsigned long long)
GWE_MINMAX(unsigned long long, long long, unsigned long long)
GWE_MINMAX(unsigned long long, unsigned long long, long long)
#define GWE_FLOATMINMAX(R, A, B)                                \
    inline R min(A a, B b) { return fmin((R)a, (R)b); }         \
    inline R max(A a, B b) { return fmax((R)a, (R)b); }
GWE_FLOATMINMAX(float, float, float)
GWE_FLOATMINMAX(double, double, double)
GWE_FLOATMINMAX(double, float, double)
GWE_FLOATMINMAX(double, double, float)

// ---- warps -------------------------------------------------------------------------------------------------------
#define GWE_OP(name) gw_emulated::Op::name
template <class T>
inline unsigned long long gwe_pack(T value) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
inline T gwe_unpack(unsigned long long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
#define GWE_SHUFFLE(T, name, op, A)                                                                     \
    inline T name(unsigned mask, T value, A argument, int width = 32, GWE_SITE) {                       \
        return gwe_unpack<T>(gwe_warp(GWE_OP(op), mask, gwe_pack(value), (int)argument, width, file, line)); \
    }
#define GWE_LANEWISE(T)                                                                                     \
    GWE_SHUFFLE(T, __shfl_sync, Shuffle, int)                                                               \
    GWE_SHUFFLE(T, __shfl_up_sync, ShuffleUp, unsigned)                                                     \
    GWE_SHUFFLE(T, __shfl_down_sync, ShuffleDown, unsigned)                                                 \
    GWE_SHUFFLE(T, __shfl_xor_sync, ShuffleXor, int)                                                        \
    inline unsigned __match_any_sync(unsigned mask, T value, GWE_SITE) {                                    \
        return (unsigned)gwe_warp(GWE_OP(MatchAny), mask, gwe_pack(value), 0, 32, file, line);              \
    }                                                                                                       \
    inline unsigned __match_all_sync(unsigned mask, T value, int* same, GWE_SITE) {                         \
        unsigned lanes = (unsigned)gwe_warp(GWE_OP(MatchAll), mask, gwe_pack(value), 0, 32, file, line);    \
        *same = lanes != 0;                                                                                 \
        return lanes;                                                                                       \
    }
GWE_LANEWISE(int)
GWE_LANEWISE(unsigned)
GWE_LANEWISE(long)
GWE_LANEWISE(unsigned long)
GWE_LANEWISE(long long)
GWE_LANEWISE(unsigned long long)
GWE_LANEWISE(float)
GWE_LANEWISE(double)
inline unsigned __ballot_sync(unsigned mask, int predicate, GWE_SITE) {
    return (unsigned)gwe_warp(GWE_OP(Ballot), mask, predicate != 0, 0, 32, file, line);
}
inline int __any_sync(unsigned mask, int predicate, GWE_SITE) {
    return (int)gwe_warp(GWE_OP(Any), mask, predicate != 0, 0, 32, file, line);
}
inline int __all_sync(unsigned mask, int predicate, GWE_SITE) {
    return (int)gwe_warp(GWE_OP(All), mask, predicate != 0, 0, 32, file, line);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, GWE_SITE) {
    gwe_warp(GWE_OP(SyncWarp), mask, 0, 0, 32, file, line);
}
inline unsigned __activemask(GWE_SITE) { return gwe_active(file, line); }
#define GWE_REDUCE(T, name, op)                                                    \
    inline T name(unsigned mask, T value, GWE_SITE) {                              \
        return (T)gwe_warp(GWE_OP(op), mask, (unsigned)value, 0, 32, file, line);  \
    }
GWE_REDUCE(unsigned, __reduce_add_sync, AddUnsigned)
GWE_REDUCE(int, __reduce_add_sync, AddUnsigned)
GWE_REDUCE(unsigned, __reduce_min_sync, MinUnsigned)
GWE_REDUCE(int, __reduce_min_sync, MinSigned)
GWE_REDUCE(unsigned, __reduce_max_sync, MaxUnsigned)
GWE_REDUCE(int, __reduce_max_sync, MaxSigned)
GWE_REDUCE(unsigned, __reduce_and_sync, And)
GWE_REDUCE(unsigned, __reduce_or_sync, Or)
GWE_REDUCE(unsigned, __reduce_xor_sync, Xor)

// ---- blocks, order, time -----------------------------------------------------------------------------------------
inline void __syncthreads(GWE_SITE) { gwe_barrier(GWE_OP(Barrier), 0, file, line); }
inline int __syncthreads_count(int predicate, GWE_SITE) { return gwe_barrier(GWE_OP(BarrierCount), predicate, file, line); }
inline int __syncthreads_and(int predicate, GWE_SITE) { return gwe_barrier(GWE_OP(BarrierAnd), predicate, file, line); }
inline int __syncthreads_or(int predicate, GWE_SITE) { return gwe_barrier(GWE_OP(BarrierOr), predicate, file, line); }
inline void __threadfence_block() { gwe_fence(0); }
inline void __threadfence() { gwe_fence(1); }
inline void __threadfence_system() { gwe_fence(2); }
inline void __nanosleep(unsigned, GWE_SITE) { gwe_sleep(file, line); }
inline long long clock64() { return gwe_clock(); }
inline int clock() { return (int)gwe_clock(); }
inline void __trap(GWE_SITE) { gwe_trap("__trap()", file, line); }
// The handle is the address of the emulator's cell.
GWE_RAW void cudaGraphSetConditional(unsigned long long handle, unsigned value) { *(unsigned*)handle = value; }
#define __builtin_assume(c) ((c) ? (void)0 : gwe_trap("an assumption does not hold: " #c, __FILE__, __LINE__))
#define assert(c) ((c) ? (void)0 : gwe_trap("an assertion does not hold: " #c, __FILE__, __LINE__))

// ---- loads and stores with a hint --------------------------------------------------------------------------------
#define GWE_LOAD(name, how)                                                \
    template <class T>                                                     \
    GWE_RAW T name(const T* from) {                                        \
        gwe_touch(from, sizeof(T), gw_emulated::Touch::how);               \
        return *from;                                                      \
    }
#define GWE_STORE(name, how)                                               \
    template <class T>                                                     \
    GWE_RAW void name(T* to, T value) {                                    \
        gwe_touch(to, sizeof(T), gw_emulated::Touch::how);                 \
        *to = value;                                                       \
    }
GWE_LOAD(__ldg, ReadOnly)
GWE_LOAD(__ldca, Read)
GWE_LOAD(__ldcs, Read)
GWE_LOAD(__ldlu, Read)
GWE_LOAD(__ldcg, RelaxedRead)
GWE_LOAD(__ldcv, RelaxedRead)
GWE_STORE(__stwb, Write)
GWE_STORE(__stcs, Write)
GWE_STORE(__stcg, RelaxedWrite)
GWE_STORE(__stwt, RelaxedWrite)

// ---- atomics -----------------------------------------------------------------------------------------------------
#define GWE_ATOMIC(T, name)     \
    T name(T* at, T value);     \
    inline T name##_block(T* at, T value) { return name(at, value); }
#define GWE_ATOMICS(X)                                                                                           \
    X(int, atomicAdd) X(unsigned, atomicAdd) X(unsigned long long, atomicAdd) X(float, atomicAdd) X(double, atomicAdd) \
    X(int, atomicSub) X(unsigned, atomicSub)                                                                     \
    X(int, atomicMin) X(unsigned, atomicMin) X(long long, atomicMin) X(unsigned long long, atomicMin)             \
    X(int, atomicMax) X(unsigned, atomicMax) X(long long, atomicMax) X(unsigned long long, atomicMax)             \
    X(int, atomicExch) X(unsigned, atomicExch) X(unsigned long long, atomicExch) X(float, atomicExch)             \
    X(int, atomicOr) X(unsigned, atomicOr) X(unsigned long long, atomicOr)                                       \
    X(int, atomicAnd) X(unsigned, atomicAnd) X(unsigned long long, atomicAnd)                                    \
    X(int, atomicXor) X(unsigned, atomicXor) X(unsigned long long, atomicXor)                                    \
    X(unsigned, atomicInc) X(unsigned, atomicDec)
GWE_ATOMICS(GWE_ATOMIC)
#define GWE_CAS(T)                        \
    T atomicCAS(T* at, T compare, T value); \
    inline T atomicCAS_block(T* at, T compare, T value) { return atomicCAS(at, compare, value); }
GWE_CAS(int)
GWE_CAS(unsigned)
GWE_CAS(unsigned short)
GWE_CAS(unsigned long long)
