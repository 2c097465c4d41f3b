// Lists of a graph under other numbers of its vertices: numbers are exchanged and every list is sorted, by one lane per
// neighbour, one warp or one block, as its length asks for.
#pragma once

#include "warp.cuh"

namespace gw {

// One list: `from` and `to` change their roles with every pass of the sort.
struct SortedList {
    unsigned *from, *to;
    unsigned *from_weights, *to_weights;   // null without weights

    __device__ __forceinline__ void swap() {
        unsigned* other = from; from = to; to = other;
        other = from_weights; from_weights = to_weights; to_weights = other;
    }
};

constexpr unsigned DIGITS = 256;

// Sorts a list by the lowest digit not yet sorted by, stably, with `WARPS` warps, and so on until all digits are done.
// Every warp has a stretch of the list and counts its digits; stretches are written where the counts say. `counts` is
// shared memory for all of these warps, `warp` the own number among them.
template <unsigned WARPS>
__device__ void sort_list(SortedList list, unsigned long long length, unsigned passes, unsigned (*counts)[DIGITS], unsigned warp) {
    auto meet = [] { if (WARPS > 1) __syncthreads(); else __syncwarp(); };
    const unsigned long long stretch = (length + 32 * WARPS - 1) / (32 * WARPS) * 32;
    const unsigned long long begin = warp * stretch, end = begin + stretch < length ? begin + stretch : length;
    unsigned* own = counts[warp];
    for (unsigned pass = 0; pass < passes; pass++) {
        const unsigned shift = 8 * pass;
        for (unsigned digit = lane(); digit < DIGITS; digit += 32) own[digit] = 0;
        __syncwarp();
        for (unsigned long long base = begin; base < end; base += 32) {
            const bool inside = base + lane() < end;
            const unsigned digit = inside ? list.from[base + lane()] >> shift & (DIGITS - 1) : DIGITS;
            const unsigned same = __match_any_sync(0xffffffffu, digit);
            if (inside && lane() == __ffs(same) - 1) own[digit] += __popc(same);
            __syncwarp();
        }
        meet();
        // Where each warp begins to write each digit.
        if (warp == 0) {
            unsigned sum = 0;
            for (unsigned digit = 8 * lane(); digit < 8 * lane() + 8; digit++)
                for (unsigned other = 0; other < WARPS; other++) sum += counts[other][digit];
            unsigned before = sum;
            for (unsigned step = 1; step < 32; step *= 2) {
                const unsigned further = __shfl_up_sync(0xffffffffu, before, step);
                if (lane() >= step) before += further;
            }
            before -= sum;
            for (unsigned digit = 8 * lane(); digit < 8 * lane() + 8; digit++)
                for (unsigned other = 0; other < WARPS; other++) {
                    const unsigned here = counts[other][digit];
                    counts[other][digit] = before;
                    before += here;
                }
        }
        meet();
        for (unsigned long long base = begin; base < end; base += 32) {
            const bool inside = base + lane() < end;
            const unsigned key = inside ? list.from[base + lane()] : 0;
            const unsigned digit = inside ? key >> shift & (DIGITS - 1) : DIGITS;
            const unsigned same = __match_any_sync(0xffffffffu, digit);
            const unsigned place = inside ? own[digit] + __popc(same & ((1u << lane()) - 1)) : 0;
            __syncwarp();
            if (inside) {
                list.to[place] = key;
                if (list.from_weights) list.to_weights[place] = list.from_weights[base + lane()];
                if (lane() == __ffs(same) - 1) own[digit] += __popc(same);
            }
            __syncwarp();
        }
        meet();
        list.swap();
    }
}

// Sorts a list of at most 32 entries: every lane counts the entries before its own.
__device__ __forceinline__ void sort_few(SortedList list, unsigned length, unsigned key, unsigned weight) {
    unsigned place = 0;
    for (unsigned other = 0; other < length; other++) {
        const unsigned its = __shfl_sync(0xffffffffu, key, other);
        place += its < key || (its == key && other < lane());
    }
    if (lane() < length) {
        list.to[place] = key;
        if (list.to_weights) list.to_weights[place] = weight;
    }
}

}  // namespace gw
