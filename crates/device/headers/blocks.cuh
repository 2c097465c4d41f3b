// Neighbour lists that change, in blocks of powers of two slots, after Hornet (Busato et al., 2018).
//
// A list stands sorted in the first slots of a block of 2^k, k >= 2; a pair per vertex says where it begins and ends,
// as kernels of programs read it. Blocks that become free are used again: every size has a stack of them. A block
// holds a list that fills at least half of it, unless it is of the smallest size.
#pragma once
#include "range.cuh"

namespace gw {

constexpr unsigned SIZES = 32;          // sizes of blocks, by their logarithm
constexpr unsigned SMALLEST = 2;
constexpr unsigned NO_BLOCK = 255;      // the size of the block of an empty list

// Which blocks are in use, and what the last batch did. The host reads it after every batch.
struct PoolState {
    unsigned long long end;        // slots from here on were never in a block
    unsigned long long used;       // slots of blocks that hold lists
    unsigned long long edges;
    unsigned long long needed;     // slots that the pool must have for the batch that waits for them; 0: it is applied
    unsigned long long inserted, deleted;       // by the last batch
    unsigned long long reweighted;              // edges with another weight, by all batches
    unsigned long long unknown;                 // changes that name unknown vertices, of all batches
    unsigned long long greatest;   // no list is or was longer
    unsigned long long unused;
    unsigned free[SIZES];          // blocks on each stack
    unsigned made[SIZES];          // blocks ever made
    // Of the batch under way; zero between batches.
    unsigned wanted[SIZES];
    unsigned returned[SIZES];
    unsigned long long tiles;      // of lists that several blocks of threads move: lists << 40 | tiles
    unsigned teams[3];             // lists that a few lanes, a warp, a block of threads merges
    unsigned spare;
};

template <class Offset> struct Pool {
    Range<Offset>* ranges;         // per vertex
    unsigned char* sizes;          // of its block
    unsigned* targets;             // slots
    unsigned* weights;             // null without weights
    PoolState* state;
    unsigned* stacks[SIZES];       // first slots of free blocks, divided by 4
    unsigned long long capacity;   // slots
    alignas(8) unsigned vertices;
};

__device__ __forceinline__ unsigned size_for(unsigned length) {
    const unsigned size = length > 1 ? 32 - __clz(length - 1) : 0;
    return length == 0 ? NO_BLOCK : size < SMALLEST ? SMALLEST : size;
}

// Whether a list of this length belongs in a block of this size.
__device__ __forceinline__ bool suits(unsigned size, unsigned length) {
    if (size == NO_BLOCK || length == 0) return size == NO_BLOCK && length == 0;
    return length <= 1ull << size && (2ull * length >= 1ull << size || size == SMALLEST);
}

// The first entry of a sorted list that is not below `target`.
template <class Offset>
__device__ __forceinline__ unsigned lower_bound(const unsigned* targets, Range<Offset> list, unsigned target) {
    unsigned low = 0, high = (unsigned)list.length();
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (targets[list.first + middle] < target) low = middle + 1;
        else high = middle;
    }
    return low;
}

}  // namespace gw
