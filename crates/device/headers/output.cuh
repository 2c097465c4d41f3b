// The output set of an operator, as one thread sees it while it adds vertices.
//
// A queue is filled by numbers drawn once per group of lanes. Repeats are kept out, where the schedule asks for it, by
// round counters, a map, a small hash table (most repeats) or by comparing lanes (repeats within a warp). Maps keep
// repeats out by themselves; how their members are counted is a choice of its own.
//
// How a thread gets room in the queue is a choice too (`Room`). Staged ids wait in shared memory. A ballot reserves for
// the lanes that are here, at every step, and they write side by side. Registers hold a few ids per thread; lanes whose
// registers are full reserve together, and write side by side because all have the same number: the register queues,
// ballots and induced coalescing of BFS-4K and Helix (Busato, 2018).
#pragma once
#include "fault.cuh"
#include "reduce.cuh"
#include "repeats.cuh"
#include "set.cuh"

namespace gw {

// Ids that a block keeps in shared memory until the operator ends, so that most appends cost no global atomic: a
// counter that all warps of the device add to takes longer than everything else on small frontiers.
struct Stage {
    static constexpr unsigned CAPACITY = 4 * GW_BLOCK;
    unsigned count, base;
    int ids[CAPACITY];
};
template <int NUMBER = 0> __device__ __forceinline__ Stage& stage() {
    __shared__ Stage ids;
    return ids;
}

enum Room { ROOM_STAGED, ROOM_BALLOT, ROOM_REGISTERS };

// Ids that a thread keeps in registers.
constexpr unsigned HELD = 4;

enum Counting { COUNT_PLAIN, COUNT_BULK, COUNT_WARP, COUNT_BLOCK };

struct Output {
    Set set;
    Fault* fault;
    unsigned line;            // of the operator
    unsigned* seen;           // round counters, or a map, by the method of deduplication
    unsigned round;
    unsigned added;           // members this thread has added to a map and not yet counted
    unsigned holds;           // ids of this thread in `held`
    int held[HELD];

    // Whether a vertex without out-edges stays out. One of them enters, so that the set is empty only where nothing was
    // found.
    __device__ __forceinline__ bool has_leaf() const {
        return *(const volatile unsigned*)(set.head + 5) != 0 || atomicExch(set.head + 5, 1u) != 0;
    }
    // Every thread of the block calls it before the first append.
    __device__ __forceinline__ void begin() {
        __syncthreads();
        if (threadIdx.x == 0) stage<>().count = 0;
        __syncthreads();
    }
    // All ways to add a vertex tell whether it was new.
    template <Room ROOM = ROOM_STAGED> __device__ __forceinline__ bool append(int v) {
        if constexpr (ROOM == ROOM_BALLOT) {
            put(take_number(set.head), v);
        } else if constexpr (ROOM == ROOM_REGISTERS) {
            hold(v);
        } else {
            const unsigned staged = take_number(&stage<>().count);
            if (staged < Stage::CAPACITY) stage<>().ids[staged] = v;
            else put(take_overflow_number(set.head), v);
        }
        return true;
    }
    // Registers have no addresses: every slot is written or left alone, by number.
    __device__ __forceinline__ void hold(int v) {
#pragma unroll
        for (unsigned slot = 0; slot < HELD; ++slot) {
            if (holds == slot) held[slot] = v;
        }
        if (++holds < HELD) return;
        const unsigned here = __activemask();
        const unsigned leader = __ffs(here) - 1, lanes = __popc(here);
        unsigned base = 0;
        if (lane() == leader) base = atomicAdd(set.head, HELD * lanes);
        base = __shfl_sync(here, base, leader) + __popc(here & ((1u << lane()) - 1));
#pragma unroll
        for (unsigned slot = 0; slot < HELD; ++slot) put(base + slot * lanes, held[slot]);
        holds = 0;
    }
    // What is left in registers: one reservation per block.
    __device__ __forceinline__ void put_held() {
        __syncthreads();
        if (threadIdx.x == 0) stage<>().count = 0;
        __syncthreads();
        const unsigned mine = holds > 0 ? atomicAdd(&stage<>().count, holds) : 0;
        __syncthreads();
        if (stage<>().count == 0) return;
        if (threadIdx.x == 0) stage<>().base = atomicAdd(set.head, stage<>().count);
        __syncthreads();
#pragma unroll
        for (unsigned slot = 0; slot < HELD; ++slot) {
            if (slot < holds) put(stage<>().base + mine + slot, held[slot]);
        }
        holds = 0;
    }
    __device__ __forceinline__ void put(unsigned at, int v) {
        if (at < set.capacity) set.queue[at] = v;
        else report(fault, FAULT_FULL, line, at, set.capacity);
    }
    // Every thread of the block calls it after the last append.
    template <Room ROOM = ROOM_STAGED> __device__ __forceinline__ void flush() {
        if constexpr (ROOM == ROOM_BALLOT) return;
        if constexpr (ROOM == ROOM_REGISTERS) {
            put_held();
            return;
        }
        __syncthreads();
        const unsigned n = stage<>().count < Stage::CAPACITY ? stage<>().count : Stage::CAPACITY;
        if (n == 0) return;
        if (threadIdx.x == 0) stage<>().base = atomicAdd(set.head, n);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) put(stage<>().base + i, stage<>().ids[i]);
    }
    template <Room ROOM = ROOM_STAGED> __device__ __forceinline__ bool append_by_counters(int v) {
        return seen[v] != round && atomicExch(seen + v, round) != round && append<ROOM>(v);
    }
    template <Room ROOM> __device__ __forceinline__ bool append_by_bits(int v) {
        return mark_bit(seen, v) && append<ROOM>(v);
    }
    template <Room ROOM> __device__ __forceinline__ bool append_by_bytes(int v) {
        return mark_byte((unsigned char*)seen, v) && append<ROOM>(v);
    }
    // `table` is in shared memory, filled with -1.
    template <unsigned ENTRIES, Room ROOM> __device__ __forceinline__ bool append_by_hash(int v, volatile int* table) {
        const unsigned at = ((unsigned)v * 2654435761u) % ENTRIES;
        if (table[at] == v) return false;
        table[at] = v;
        return append<ROOM>(v);
    }
    template <Room ROOM> __device__ __forceinline__ bool append_by_hash64(int v) {
        return !repeats_in_block(v, output_words64()) && append<ROOM>(v);
    }
    template <Room ROOM> __device__ __forceinline__ bool append_by_match(int v) {
        return !repeats_in_warp(v) && append<ROOM>(v);
    }
    template <Counting COUNTING> __device__ __forceinline__ bool count() {
        if (COUNTING == COUNT_PLAIN) take_number(set.head);
        else added++;
        return true;
    }
    template <Counting COUNTING> __device__ __forceinline__ bool insert_bit(int v) {
        return mark_bit(set.bits, v) && count<COUNTING>();
    }
    template <Counting COUNTING> __device__ __forceinline__ bool insert_byte(int v) {
        return mark_byte(set.bytes, v) && count<COUNTING>();
    }
    // The mask of the set has the round of this output.
    template <Counting COUNTING> __device__ __forceinline__ bool insert_level(int v) {
        return set.levels[v] != round && atomicExch(set.levels + v, round) != round && count<COUNTING>();
    }

    // Adds the out-edges of what this thread has added to those of the set. Every thread of the block calls it at the
    // end of the operator: then a choice between variants needs no walk over the set, and no barrier behind it.
    __device__ __forceinline__ void add_edges(unsigned long long edges) const {
        block_add((unsigned long long*)(set.head + 2), edges);
    }

    // Adds what was counted to the size of the set; every thread of the block calls it at the end of the operator.
    template <Counting COUNTING> __device__ __forceinline__ void finish() {
        if (COUNTING == COUNT_BULK && added) atomicAdd(set.head, added);
        if (COUNTING == COUNT_WARP) {
            __syncwarp();
            const unsigned sum = warp_sum(added);
            if (lane() == 0 && sum) atomicAdd(set.head, sum);
        }
        if (COUNTING == COUNT_BLOCK) {
            __shared__ unsigned total;
            __syncthreads();
            if (threadIdx.x == 0) total = 0;
            __syncthreads();
            const unsigned sum = warp_sum(added);
            if (lane() == 0 && sum) atomicAdd(&total, sum);
            __syncthreads();
            if (threadIdx.x == 0 && total) atomicAdd(set.head, total);
        }
        added = 0;
    }
};

}  // namespace gw
