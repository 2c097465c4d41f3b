// Candidates of numbers over tiles of instants: a warp takes a candidate and a tile at a time. The warps of a block
// work on the same tile, so that its columns are read from memory once and then come from the first cache.
//
// GW_NUMBER is float or double, GW_VECTOR how many of them 16 bytes hold, GW_GROUP which questions are asked: 0 orders
// of two numbers, 1 arithmetic, 2 logarithms and powers.
#include "atomics.cuh"
#include "warp.cuh"

typedef GW_NUMBER Number;
typedef unsigned long long Word;

static constexpr unsigned TILE = GW_TILE;
// Loads of 16 bytes by which a warp reads a tile of a column.
static constexpr unsigned STEPS = TILE / (32 * GW_VECTOR);
static constexpr unsigned ALL = 0xffffffffu;

// Seen bits of a template: it fails, or the host must look because rounding may decide.
static constexpr unsigned FAILS = 1, UNSURE = 2;

struct Candidate {
    unsigned question, a, b, c;
    double constant;
};

struct Arguments {
    const Number* const* columns;
    const Candidate* candidates;
    unsigned* seen;
    Word count, first, tiles;
    // Bit b: nothing is left to find once the seen bits are b.
    Word dead;
    double tolerance;
};

static __device__ __forceinline__ void read(const float* from, float (&to)[4]) {
    const float4 v = __ldg((const float4*)from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
static __device__ __forceinline__ void read(const double* from, double (&to)[2]) {
    const double2 v = __ldg((const double2*)from);
    to[0] = v.x, to[1] = v.y;
}

// The seen bits of all lanes together.
template <unsigned BITS> static __device__ __forceinline__ unsigned together(unsigned bits) {
    unsigned all = 0;
#pragma unroll
    for (unsigned bit = 0; bit < BITS; bit++) all |= (unsigned)(__any_sync(ALL, (bits >> bit) & 1) != 0) << bit;
    return all;
}

#if GW_GROUP == 0

static __device__ unsigned scan(const Arguments& args, const Candidate& candidate, Word from) {
    const Number *a = args.columns[candidate.a] + from, *b = args.columns[candidate.b] + from;
    unsigned bits = 0;
#pragma unroll 4
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned at = GW_VECTOR * (32 * step + gw::lane());
        Number x[GW_VECTOR], y[GW_VECTOR];
        read(a + at, x);
        read(b + at, y);
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) {
            bits |= x[k] < y[k] ? 1u : x[k] == y[k] ? 2u : x[k] > y[k] ? 4u : 8u;
        }
    }
    return together<4>(bits);
}

#elif GW_GROUP == 1

// Whether a condition fails at some instant of the tile.
template <class Holds> static __device__ __forceinline__ unsigned all1(const Number* a, Holds holds) {
    bool fails = false;
#pragma unroll 4
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned at = GW_VECTOR * (32 * step + gw::lane());
        Number x[GW_VECTOR];
        read(a + at, x);
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) fails |= !holds((double)x[k]);
    }
    return __any_sync(ALL, fails) ? FAILS : 0;
}
template <class Holds> static __device__ __forceinline__ unsigned all2(const Number* a, const Number* b, Holds holds) {
    bool fails = false;
#pragma unroll 4
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned at = GW_VECTOR * (32 * step + gw::lane());
        Number x[GW_VECTOR], y[GW_VECTOR];
        read(a + at, x);
        read(b + at, y);
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) fails |= !holds(x[k], y[k]);
    }
    return __any_sync(ALL, fails) ? FAILS : 0;
}
template <class Holds>
static __device__ __forceinline__ unsigned all3(const Number* a, const Number* b, const Number* c, Holds holds) {
    bool fails = false;
#pragma unroll 4
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned at = GW_VECTOR * (32 * step + gw::lane());
        Number x[GW_VECTOR], y[GW_VECTOR], z[GW_VECTOR];
        read(a + at, x);
        read(b + at, y);
        read(c + at, z);
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) fails |= !holds(x[k], y[k], z[k]);
    }
    return __any_sync(ALL, fails) ? FAILS : 0;
}

// Whether a condition of 64-bit numbers fails that a cheaper one in the width of the column implies. The cheap one is
// asked about all instants of a step first.
template <class Cheap, class Holds>
static __device__ __forceinline__ unsigned
all_or(const Number* a, const Number* b, const Number* c, Cheap cheap, Holds holds) {
    bool fails = false;
#pragma unroll 4
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned at = GW_VECTOR * (32 * step + gw::lane());
        Number x[GW_VECTOR], y[GW_VECTOR], z[GW_VECTOR];
        read(a + at, x);
        read(b + at, y);
        read(c + at, z);
        bool sure = true;
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) sure &= cheap(x[k], y[k], z[k]);
        if (sure) continue;
#pragma unroll
        for (unsigned k = 0; k < GW_VECTOR; k++) fails |= !holds((double)x[k], (double)y[k], (double)z[k]);
    }
    return __any_sync(ALL, fails) ? FAILS : 0;
}

static __device__ unsigned scan(const Arguments& args, const Candidate& candidate, Word from) {
    const Number* a = args.columns[candidate.a] + from;
    const double k = candidate.constant;
    switch (candidate.question) {
        case GW_CONSTANT_EQUAL: return all1(a, [k](double x) { return x == k; });
        case GW_CONSTANT_UNEQUAL: return all1(a, [k](double x) { return x != k; });
        case GW_CONSTANT_LESS: return all1(a, [k](double x) { return x < k; });
        case GW_CONSTANT_AT_MOST: return all1(a, [k](double x) { return x <= k; });
    }
    const Number* b = args.columns[candidate.b] + from;
    switch (candidate.question) {
        case GW_BELOW_ROOT: return all2(a, b, [](Number x, Number y) { return (double)x < sqrt((double)y); });
        case GW_BELOW_NEXT: return all2(a, b, [](Number x, Number y) { return (double)x < (double)y + 1.0; });
        case GW_DOUBLE: return all2(a, b, [](Number x, Number y) { return (double)x == 2.0 * (double)y; });
    }
    const Number* c = args.columns[candidate.c] + from;
    // Two numbers that compare are below, equal or above.
    const auto compare = [](Number y, Number z) { return y <= z || y > z; };
    switch (candidate.question) {
        case GW_LEAST:
            return all3(a, b, c, [compare](Number x, Number y, Number z) {
                return (x == (y < z ? y : z)) & compare(y, z);
            });
        case GW_MOST:
            return all3(a, b, c, [compare](Number x, Number y, Number z) {
                return (x == (y > z ? y : z)) & compare(y, z);
            });
        // Rounding keeps order: x < round(y * z) implies x < y * z.
        case GW_BELOW_PRODUCT:
            return all_or(a, b, c, [](Number x, Number y, Number z) { return x < y * z; },
                          [](double x, double y, double z) { return x < y * z; });
        case GW_AT_MOST_SUM:
            return all_or(a, b, c, [](Number x, Number y, Number z) { return x < y + z; },
                          [](double x, double y, double z) { return x <= y + z; });
    }
    return UNSURE;
}

#else

// Logarithms and powers of the device and of the host may differ in their last bits. Far from the border of the
// tolerance that changes nothing; near it the host looks again. The slack is a hundred times the error of both. Both
// numbers are finite, and the second is no smaller than 1e-290 and no larger than 1e290.
static __device__ __forceinline__ unsigned near(double x, double y, double tolerance) {
    const double most = fmax(fabs(x), fabs(y)), apart = fabs(x - y);
    const double slack = 1e-13 * most, limit = tolerance * most;
    if (apart + slack <= limit) return 0;
    return apart - slack > limit ? FAILS : UNSURE;
}

// x = log(y). The logarithms of 0, 1 and infinity are exact, and there is none of numbers below 0.
static __device__ __forceinline__ unsigned logarithm(double x, double y, double tolerance) {
    if (!(x == x) || !(y >= 0.0)) return FAILS;
    const double log_y = log(y);
    if (x == log_y && (log_y == 0.0 || log_y - log_y != 0.0)) return 0;
    if (log_y == 0.0 || log_y - log_y != 0.0 || x - x != 0.0) return FAILS;
    return near(x, log_y, tolerance);
}

// x = y ^ z. Results that overflow or vanish, and zeros and infinities among the arguments, are for the host; there a
// number of ordinary size fails.
static __device__ __forceinline__ unsigned power(double x, double y, double z, double tolerance) {
    if (!(x == x)) return FAILS;
    const double p = pow(y, z);
    if (!(p == p)) return FAILS;
    const double size = fabs(p);
    if (size > 1e-290 && size < 1e290) {
        if (x - x != 0.0) return FAILS;
        return near(x, p, tolerance);
    }
    // What every implementation gives: 0 ^ z = 0 for z above 0.
    if (p == 0.0 && y == 0.0 && x == 0.0) return 0;
    return fabs(x) > 1e-280 && fabs(x) < 1e280 && tolerance < 0.5 ? FAILS : UNSURE;
}

static __device__ unsigned scan(const Arguments& args, const Candidate& candidate, Word from) {
    const bool is_power = candidate.question == GW_POWER;
    const Number *a = args.columns[candidate.a] + from, *b = args.columns[candidate.b] + from;
    const Number* c = is_power ? args.columns[candidate.c] + from : a;
    unsigned bits = 0;
    for (unsigned at = gw::lane(); at < TILE; at += 32) {
        const double x = a[at], y = b[at], z = c[at];
        bits |= is_power ? power(x, y, z, args.tolerance) : logarithm(x, y, args.tolerance);
        if (__any_sync(ALL, bits & FAILS)) return FAILS;
    }
    return together<2>(bits);
}

#endif

extern "C" __global__ void __launch_bounds__(GW_BLOCK) check_numbers(const __grid_constant__ Arguments args)
{
    const unsigned warps = GW_BLOCK / 32;
    const Word units = args.tiles * args.count, share = (units + gridDim.x - 1) / gridDim.x;
    const Word begin = blockIdx.x * share + threadIdx.x / 32;
    const Word end = (blockIdx.x + 1) * share < units ? (blockIdx.x + 1) * share : units;
    // From one unit of a warp to the next without a division each.
    const Word tiles_on = warps / args.count, further = warps % args.count;
    Word tile = args.first + begin / args.count, index = begin % args.count;
    for (Word unit = begin; unit < end; unit += warps) {
        // All lanes must go the same way, and others may be writing.
        unsigned seen = 0;
        if (gw::lane() == 0) seen = gw::load(args.seen + index);
        seen = __shfl_sync(ALL, seen, 0);
        if (!((args.dead >> seen) & 1)) {
            const Candidate candidate = args.candidates[index];
            const unsigned found = scan(args, candidate, tile * TILE);
            if (gw::lane() == 0 && (found & ~seen)) atomicOr(args.seen + index, found);
        }
        tile += tiles_on, index += further;
        if (index >= args.count) index -= args.count, tile++;
    }
}
