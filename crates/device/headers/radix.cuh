// A stable radix sort of changes of edges, 64-bit keys with or without a value of 32 bits each, by source and target.
//
// A key is `source << 32 | target << 1 | deletes`. It is sorted as the number `source << bits | target`, where `bits`
// are those of a vertex, 8 bits per pass: a graph of 2^22 vertices needs 6 passes. The order of equal edges stays.
//
// Keys are cut into as many stretches as there are blocks. In every pass a block counts the digits of its stretch
// (reads 8 bytes per key); after a barrier the counts of each digit are added up over the blocks; after another every
// block takes its stretch tile by tile, sorts a tile by the digit in shared memory and writes runs of equal digits to
// their places (reads and writes 8 bytes per key, in runs of 128 bytes where digits are even). So a pass moves 24 bytes
// per key, 36 with values. Up to a tile of keys is sorted by one block that reads and writes them once.
#pragma once
#include "grid.cuh"
#include "scan.cuh"

namespace gw {

constexpr unsigned DIGIT_BITS = 8, RADIX = 1u << DIGIT_BITS;
constexpr unsigned SORT_ITEMS = 16;                 // keys of a thread
constexpr unsigned SORT_TILE = BLOCK * SORT_ITEMS;  // keys that a block sorts at once

static_assert(BLOCK == RADIX, "a thread per digit");

struct KeySort {
    const unsigned long long* input;
    const unsigned* input_values;        // null without values
    unsigned long long* keys[2];         // the result is in the first after an odd number of passes
    unsigned* values[2];
    unsigned* counts;                    // of digits: RADIX rows with a number per block, and RADIX totals
    alignas(8) unsigned count;           // keys
    alignas(8) unsigned bits;            // of a vertex
    alignas(8) unsigned passes;
};

struct SortSpace {
    unsigned long long keys[SORT_TILE];
    unsigned of_warp[WARPS][RADIX];   // counts, then places, of the keys of a warp
    unsigned first[RADIX];            // place in the tile of the first key with a digit
    unsigned in_tile[RADIX];          // keys of the tile with a digit
    unsigned to[RADIX];               // place in memory of the next key of this block with a digit
};

__device__ __forceinline__ SortSpace& sort_space() {
    __shared__ SortSpace space;
    return space;
}

__device__ __forceinline__ unsigned digit_of(unsigned long long key, unsigned bits, unsigned pass) {
    const unsigned long long number = (key >> 32) << bits | (unsigned)key >> 1;
    return (unsigned)(number >> DIGIT_BITS * pass) & (RADIX - 1);
}

// The keys of a tile, `SORT_ITEMS` per thread: a warp has consecutive ones, and its lanes take turns. What lies behind
// the last key is the greatest number, which stays behind all others.
__device__ __forceinline__ unsigned tile_place(unsigned item) {
    return warp() * (WARP * SORT_ITEMS) + item * WARP + lane();
}

// Where each key of the tile goes in it when the tile is sorted by a digit. `first` and `in_tile` are filled in.
__device__ __forceinline__ void rank_tile(const unsigned long long (&key)[SORT_ITEMS], unsigned bits, unsigned pass,
                                          unsigned (&place)[SORT_ITEMS], SortSpace& space) {
    unsigned* own = space.of_warp[warp()];
    for (unsigned digit = lane(); digit < RADIX; digit += WARP) own[digit] = 0;
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < SORT_ITEMS; k++) {
        const unsigned digit = digit_of(key[k], bits, pass);
        const unsigned same = __match_any_sync(FULL, digit);
        const unsigned below = __popc(same & ((1u << lane()) - 1));
        const unsigned before = own[digit];
        __syncwarp();
        if (below == 0) own[digit] = before + __popc(same);
        place[k] = before + below;
        __syncwarp();
    }
    __syncthreads();
    unsigned sum = 0, total;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        const unsigned here = space.of_warp[w][threadIdx.x];
        space.of_warp[w][threadIdx.x] = sum;
        sum += here;
    }
    const unsigned first = block_exclusive(sum, total);
    space.first[threadIdx.x] = first;
    space.in_tile[threadIdx.x] = sum;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) space.of_warp[w][threadIdx.x] += first;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < SORT_ITEMS; k++) place[k] += own[digit_of(key[k], bits, pass)];
}

// Up to a tile of keys, by one block. The result is where an odd number of passes would leave it.
__device__ inline void sort_few(const KeySort& sort) {
    SortSpace& space = sort_space();
    unsigned long long key[SORT_ITEMS];
    unsigned value[SORT_ITEMS], place[SORT_ITEMS];
#pragma unroll
    for (unsigned k = 0; k < SORT_ITEMS; k++) {
        const unsigned i = tile_place(k);
        key[k] = i < sort.count ? sort.input[i] : ~0ull;
        value[k] = i < sort.count && sort.input_values ? sort.input_values[i] : 0;
    }
    for (unsigned pass = 0; pass < sort.passes; pass++) {
        rank_tile(key, sort.bits, pass, place, space);
#pragma unroll
        for (unsigned k = 0; k < SORT_ITEMS; k++) space.keys[place[k]] = key[k];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < SORT_ITEMS; k++) key[k] = space.keys[tile_place(k)];
        __syncthreads();
        if (!sort.input_values) continue;
#pragma unroll
        for (unsigned k = 0; k < SORT_ITEMS; k++) ((unsigned*)space.keys)[place[k]] = value[k];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < SORT_ITEMS; k++) value[k] = ((unsigned*)space.keys)[tile_place(k)];
        __syncthreads();
    }
#pragma unroll
    for (unsigned k = 0; k < SORT_ITEMS; k++) {
        const unsigned i = tile_place(k);
        if (i >= sort.count) continue;
        sort.keys[0][i] = key[k];
        if (sort.input_values) sort.values[0][i] = value[k];
    }
}

// Any number of keys, by all blocks of the grid.
__device__ inline void sort_keys(const KeySort& sort, const Grid& grid) {
    SortSpace& space = sort_space();
    const unsigned tiles = sort.count / SORT_TILE + (sort.count % SORT_TILE > 0);
    const unsigned share = (tiles / gridDim.x + (tiles % gridDim.x > 0)) * SORT_TILE;
    // Products of 64 bits: a block behind the last key begins beyond 2^32.
    const unsigned long long begins = (unsigned long long)blockIdx.x * share;
    const unsigned begin = begins < sort.count ? (unsigned)begins : sort.count;
    const unsigned end = sort.count - begin < share ? sort.count : begin + share;
    unsigned* totals = sort.counts + RADIX * gridDim.x;
    for (unsigned pass = 0; pass < sort.passes; pass++) {
        const unsigned long long* from = pass == 0 ? sort.input : sort.keys[(pass - 1) & 1];
        const unsigned* from_values = pass == 0 ? sort.input_values : sort.values[(pass - 1) & 1];
        unsigned long long* to = sort.keys[pass & 1];
        unsigned* to_values = sort.values[pass & 1];

        // 1. The digits of the own stretch.
        unsigned* own = space.of_warp[warp()];
        for (unsigned digit = lane(); digit < RADIX; digit += WARP) own[digit] = 0;
        __syncwarp();
        for (unsigned base = begin; base < end; base += BLOCK) {
            const unsigned i = base + threadIdx.x;
            const bool inside = i < end;
            const unsigned digit = inside ? digit_of(from[i], sort.bits, pass) : RADIX;
            const unsigned same = __match_any_sync(FULL, digit);
            if (inside && (same & ((1u << lane()) - 1)) == 0) own[digit] += __popc(same);
            __syncwarp();
        }
        __syncthreads();
        unsigned sum = 0;
#pragma unroll
        for (unsigned w = 0; w < WARPS; w++) sum += space.of_warp[w][threadIdx.x];
        sort.counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
        grid.wait();

        // 2. The keys of each digit in the blocks before.
        for (unsigned digit = blockIdx.x; digit < RADIX; digit += gridDim.x) {
            unsigned* row = sort.counts + digit * gridDim.x;
            unsigned before = 0, total;
            for (unsigned base = 0; base < gridDim.x; base += BLOCK) {
                const unsigned block = base + threadIdx.x;
                const unsigned here = block < gridDim.x ? row[block] : 0;
                const unsigned in_front = block_exclusive(here, total);
                if (block < gridDim.x) row[block] = before + in_front;
                before += total;
            }
            if (threadIdx.x == 0) totals[digit] = before;
        }
        grid.wait();

        // 3. The own stretch, tile by tile.
        unsigned all;
        const unsigned lesser = block_exclusive(totals[threadIdx.x], all);
        space.to[threadIdx.x] = lesser + sort.counts[threadIdx.x * gridDim.x + blockIdx.x];
        for (unsigned base = begin; base < end; base += SORT_TILE) {
            const unsigned valid = end - base < SORT_TILE ? end - base : SORT_TILE;
            unsigned long long key[SORT_ITEMS];
            unsigned place[SORT_ITEMS];
#pragma unroll
            for (unsigned k = 0; k < SORT_ITEMS; k++)
                key[k] = tile_place(k) < valid ? from[base + tile_place(k)] : ~0ull;
            rank_tile(key, sort.bits, pass, place, space);
#pragma unroll
            for (unsigned k = 0; k < SORT_ITEMS; k++) space.keys[place[k]] = key[k];
            __syncthreads();
            unsigned target[SORT_ITEMS];
#pragma unroll
            for (unsigned k = 0; k < SORT_ITEMS; k++) {
                const unsigned i = k * BLOCK + threadIdx.x;
                const unsigned long long sorted = space.keys[i];
                const unsigned digit = digit_of(sorted, sort.bits, pass);
                target[k] = space.to[digit] + (i - space.first[digit]);
                if (i < valid) to[target[k]] = sorted;
            }
            __syncthreads();
            if (from_values) {
#pragma unroll
                for (unsigned k = 0; k < SORT_ITEMS; k++)
                    if (tile_place(k) < valid)
                        ((unsigned*)space.keys)[place[k]] = from_values[base + tile_place(k)];
                __syncthreads();
#pragma unroll
                for (unsigned k = 0; k < SORT_ITEMS; k++) {
                    const unsigned i = k * BLOCK + threadIdx.x;
                    if (i < valid) to_values[target[k]] = ((unsigned*)space.keys)[i];
                }
                __syncthreads();
            }
            space.to[threadIdx.x] += space.in_tile[threadIdx.x];
        }
        grid.wait();
    }
}

}  // namespace gw
