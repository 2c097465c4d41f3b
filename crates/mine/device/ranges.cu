// The least and the largest number of columns, as keys that compare as whole numbers do. A warp takes a column and a
// tile at a time.
#include "atomics.cuh"
#include "warp.cuh"

typedef GW_NUMBER Number;
typedef unsigned long long Word;

static constexpr unsigned TILE = GW_TILE;
static constexpr unsigned ALL = 0xffffffffu;

struct Found {
    Word least, most, not_a_number;
};

struct Arguments {
    const Number* const* columns;
    const unsigned* variables;
    Found* found;
    Word count, tiles;
};

// Larger numbers have larger keys.
static __device__ __forceinline__ Word key(double x) {
    const Word bits = (Word)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

extern "C" __global__ void __launch_bounds__(GW_BLOCK) find_ranges(const __grid_constant__ Arguments args)
{
    const unsigned warps = GW_BLOCK / 32;
    const Word units = args.tiles * args.count, share = (units + gridDim.x - 1) / gridDim.x;
    const Word begin = blockIdx.x * share + threadIdx.x / 32;
    const Word end = (blockIdx.x + 1) * share < units ? (blockIdx.x + 1) * share : units;
    for (Word unit = begin; unit < end; unit += warps) {
        const Word tile = unit % args.tiles, index = unit / args.tiles;
        const Number* column = args.columns[args.variables[index]] + tile * TILE;
        Word least = ~0ull, most = 0;
        bool is_none = false;
#pragma unroll 4
        for (unsigned step = 0; step < TILE / 32; step++) {
            const double x = __ldg(column + 32 * step + gw::lane());
            is_none |= x != x;
            if (x == x) {
                const Word k = key(x);
                least = k < least ? k : least;
                most = k > most ? k : most;
            }
        }
        for (unsigned apart = 16; apart > 0; apart /= 2) {
            const Word low = __shfl_xor_sync(ALL, least, apart), high = __shfl_xor_sync(ALL, most, apart);
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        const bool some_none = __any_sync(ALL, is_none);
        if (gw::lane() == 0) {
            Found* found = args.found + index;
            if (least < gw::load(&found->least)) atomicMin(&found->least, least);
            if (most > gw::load(&found->most)) atomicMax(&found->most, most);
            if (some_none) atomicOr(&found->not_a_number, 1ull);
        }
    }
}
