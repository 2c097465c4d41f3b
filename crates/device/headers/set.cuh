// A vertex set on the device: a queue of ids, a map of bits, a map of bytes, a mask of levels, or several of them at
// once.
//
// head[0] counts the members, head[1] is where a conversion to a queue writes next, head[2..3] is the number of edges
// that leave the set, once it was asked for. head[4] is the round of the mask: members are the vertices whose level
// it is. head[5] is not zero once a vertex has entered that the next step has no use for. A fresh set has a zero head
// up to the round and there, and empty maps; its queue needs no clearing, and neither has its
// mask: a round comes only once.
#pragma once
#include "grid.cuh"
#include "scan.cuh"
#include "warp.cuh"

namespace gw {

enum Form : unsigned { QUEUE = 1, BITS = 2, BYTES = 4, COUNTED = 8, LEVELS = 16 };

struct Set {
    int* queue;
    unsigned* bits;
    unsigned char* bytes;
    unsigned* levels;
    unsigned* head;
    alignas(8) unsigned round;   // of the mask, when there is one
    unsigned capacity;           // ids that the queue can hold

    // A queue that is full counts on, to say how much it would have taken; nobody reads beyond what it holds.
    __device__ __forceinline__ unsigned size() const {
        const unsigned counted = *(const volatile unsigned*)head;
        return counted < capacity ? counted : capacity;
    }
    __device__ __forceinline__ bool has_bit(int v) const { return bits[(unsigned)v >> 5] >> (v & 31) & 1; }
    __device__ __forceinline__ bool has_byte(int v) const { return bytes[v] != 0; }
    __device__ __forceinline__ bool has_level(int v) const { return levels[v] == round; }
    // The same by the forms that the set has, of which one is a map.
    __device__ __forceinline__ bool has(unsigned forms, int v) const {
        return forms & BITS ? has_bit(v) : forms & BYTES ? has_byte(v) : has_level(v);
    }
};

// Marks a bit; true when it was not set. Lanes that mark the same word do it by one atomic.
__device__ __forceinline__ bool mark_bit(unsigned* bits, int v) {
    unsigned* word = bits + ((unsigned)v >> 5);
    const unsigned bit = 1u << (v & 31);
    if (*word & bit) return false;
    return !(atomicOr(word, bit) & bit);
}

__device__ __forceinline__ bool clear_bit(unsigned* bits, int v) {
    const unsigned bit = 1u << (v & 31);
    return atomicAnd(bits + ((unsigned)v >> 5), ~bit) & bit;
}

// Marks a byte; true when it was not set. There are no atomics on bytes: the word around it is used.
__device__ __forceinline__ bool mark_byte(unsigned char* bytes, int v) {
    if (bytes[v]) return false;
    const unsigned bit = 1u << (8 * (v & 3));
    return !(atomicOr((unsigned*)bytes + ((unsigned)v >> 2), bit) & bit);
}

// Conversions; every thread of the grid calls them, and waits for the grid before it uses the result.

// Room in the queue for what the threads of a block have found, with one atomic for all of them: a counter that every
// warp adds to would take longer than the walk. Every thread of the block calls it, as often as the others; gives the
// place of its first.
__device__ __forceinline__ unsigned room_in_queue(const Set& set, unsigned found) {
    __shared__ unsigned base;
    unsigned total;
    const unsigned before = block_exclusive(found, total);
    if (total == 0) return 0;
    if (threadIdx.x == 0) base = atomicAdd(set.head + 1, total);
    __syncthreads();
    return base + before;
}

__device__ inline void queue_of_bits(const Set& set, unsigned vertices, const Grid& grid) {
    const unsigned words = (vertices + 31) / 32;
    for (unsigned first = blockIdx.x * BLOCK; first < words; first += grid.size()) {
        const unsigned w = first + threadIdx.x;
        unsigned rest = w < words ? set.bits[w] : 0;
        unsigned at = room_in_queue(set, __popc(rest));
        while (rest) {
            set.queue[at++] = (int)(32 * w + __ffs(rest) - 1);
            rest &= rest - 1;
        }
    }
}

__device__ inline void queue_of_map(const Set& set, unsigned forms, unsigned vertices, const Grid& grid) {
    constexpr unsigned EACH = 8;   // vertices of a thread in one go
    const unsigned long long stride = (unsigned long long)EACH * grid.size();
    for (unsigned long long first = (unsigned long long)EACH * BLOCK * blockIdx.x; first < vertices; first += stride) {
        unsigned found = 0;
#pragma unroll
        for (unsigned i = 0; i < EACH; i++) {
            const unsigned long long v = first + i * BLOCK + threadIdx.x;
            if (v < vertices && set.has(forms, (int)v)) found |= 1u << i;
        }
        unsigned at = room_in_queue(set, __popc(found));
        for (; found; found &= found - 1)
            set.queue[at++] = (int)(first + (__ffs(found) - 1) * BLOCK + threadIdx.x);
    }
}

// A map of a set that has these forms; `round` is for a mask.
template <unsigned TO>
__device__ inline void map_of(const Set& set, unsigned forms, unsigned round, unsigned vertices, const Grid& grid) {
    const bool queue = forms & QUEUE;
    const unsigned n = queue ? set.size() : vertices;
    for (unsigned i = grid.rank(); i < n; i += grid.size()) {
        const int v = queue ? set.queue[i] : (int)i;
        if (!queue && !set.has(forms, v)) continue;
        if (TO == BITS) mark_bit(set.bits, v);
        if (TO == BYTES) set.bytes[v] = 1;
        if (TO == LEVELS) set.levels[v] = round;
    }
}

}  // namespace gw
