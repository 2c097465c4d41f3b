// Candidates of Booleans over tiles of words: which patterns of one, two or three truth values occur. A warp takes a
// candidate and a tile at a time.
#include "atomics.cuh"
#include "warp.cuh"

typedef unsigned long long Word;

static constexpr unsigned TILE = GW_WORDS;
static constexpr unsigned ALL = 0xffffffffu;

struct Candidate {
    // How many variables, and which.
    unsigned arity, a, b, c;
    double unused;
};

struct Arguments {
    const Word* const* columns;
    const Candidate* candidates;
    unsigned* seen;
    Word count, first, tiles;
    // Bit b of the table: nothing is left to find once the seen bits are b.
    Word dead[4];
};

static __device__ __forceinline__ unsigned patterns(Word a, Word b, Word c, unsigned bits) {
    const Word x[2] = {~a, a}, y[2] = {~b, b}, z[2] = {~c, c};
#pragma unroll
    for (unsigned p = 0; p < 8; p++) bits |= (unsigned)((x[p & 1] & y[p >> 1 & 1] & z[p >> 2]) != 0) << p;
    return bits;
}

extern "C" __global__ void __launch_bounds__(GW_BLOCK) check_patterns(const __grid_constant__ Arguments args)
{
    const unsigned warps = GW_BLOCK / 32;
    const Word units = args.tiles * args.count, share = (units + gridDim.x - 1) / gridDim.x;
    const Word begin = blockIdx.x * share + threadIdx.x / 32;
    const Word end = (blockIdx.x + 1) * share < units ? (blockIdx.x + 1) * share : units;
    const Word tiles_on = warps / args.count, further = warps % args.count;
    Word tile = args.first + begin / args.count, index = begin % args.count;
    for (Word unit = begin; unit < end; unit += warps) {
        unsigned seen = 0;
        if (gw::lane() == 0) seen = gw::load(args.seen + index);
        seen = __shfl_sync(ALL, seen, 0);
        if (!((args.dead[seen >> 6] >> (seen & 63)) & 1)) {
            const Candidate candidate = args.candidates[index];
            const Word* a = args.columns[candidate.a] + tile * TILE;
            const Word* b = candidate.arity > 1 ? args.columns[candidate.b] + tile * TILE : nullptr;
            const Word* c = candidate.arity > 2 ? args.columns[candidate.c] + tile * TILE : nullptr;
            unsigned bits = 0;
#pragma unroll 2
            for (unsigned step = 0; step < TILE / 64; step++) {
                const unsigned at = 2 * (32 * step + gw::lane());
                const ulonglong2 none = make_ulonglong2(0, 0);
                const ulonglong2 x = __ldg((const ulonglong2*)(a + at));
                const ulonglong2 y = b ? __ldg((const ulonglong2*)(b + at)) : none;
                const ulonglong2 z = c ? __ldg((const ulonglong2*)(c + at)) : none;
                bits = patterns(x.y, y.y, z.y, patterns(x.x, y.x, z.x, bits));
            }
            unsigned found = 0;
#pragma unroll
            for (unsigned p = 0; p < 8; p++) found |= (unsigned)(__any_sync(ALL, (bits >> p) & 1) != 0) << p;
            if (gw::lane() == 0 && (found & ~seen)) atomicOr(args.seen + index, found);
        }
        tile += tiles_on, index += further;
        if (index >= args.count) index -= args.count, tile++;
    }
}
