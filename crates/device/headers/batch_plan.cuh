// The first four steps of a batch (batch.cuh): find, gather, plan, settle.
#pragma once
#include "batch.cuh"

namespace gw {

// The part of the keys that a block takes, in steps of a thread each.
struct Stretch {
    unsigned begin, end;
    __device__ __forceinline__ explicit Stretch(unsigned count) {
        const unsigned steps = count / BLOCK + (count % BLOCK > 0);
        const unsigned share = (steps / gridDim.x + (steps % gridDim.x > 0)) * BLOCK;
        const unsigned long long at = (unsigned long long)blockIdx.x * share;
        begin = at < count ? (unsigned)at : count;
        end = count - begin < share ? count : begin + share;
    }
};

template <class Offset> __device__ __forceinline__ bool begins_list(const Batch<Offset>& batch, unsigned i) {
    return i == 0 || batch.keys[i - 1] >> 32 != batch.keys[i] >> 32;
}

template <class T> __device__ __forceinline__ T block_total(T value) {
    T total;
    block_exclusive(value, total);
    return total;
}

template <class Offset> __device__ void find(const Batch<Offset>& batch) {
    const Pool<Offset>& pool = batch.pool;
    const Stretch own(batch.count);
    unsigned long long operations = 0, insertions = 0, sources = 0, reweighted = 0, unknown = 0;
    for (unsigned i = own.begin + threadIdx.x; i < own.end; i += BLOCK) {
        const unsigned long long key = batch.keys[i];
        unsigned found = NOTHING;
        if (key >> 32 >= pool.vertices || (unsigned)key >> 1 >= pool.vertices) {
            unknown++;
        } else if (i + 1 == batch.count || batch.keys[i + 1] >> 1 != key >> 1) {
            const Range<Offset> list = pool.ranges[key >> 32];
            const unsigned target = (unsigned)key >> 1, place = lower_bound(pool.targets, list, target);
            const bool is_there = place < list.length() && pool.targets[list.first + place] == target;
            if (is_there == (bool)(key & 1)) {
                found = 2 * place + (unsigned)(key & 1);
                operations++;
                insertions += !(key & 1);
            } else if (is_there && pool.weights && pool.weights[list.first + place] != batch.values[i]) {
                pool.weights[list.first + place] = batch.values[i];
                reweighted++;
            }
        }
        batch.found[i] = found;
        sources += begins_list(batch, i);
    }
    operations = block_total(operations);
    insertions = block_total(insertions);
    sources = block_total(sources);
    reweighted = block_total(reweighted);
    unknown = block_total(unknown);
    if (threadIdx.x == 0) {
        batch.sums[3 * blockIdx.x] = operations;
        batch.sums[3 * blockIdx.x + 1] = insertions;
        batch.sums[3 * blockIdx.x + 2] = sources;
        if (reweighted) atomicAdd(&pool.state->reweighted, reweighted);
        if (unknown) atomicAdd(&pool.state->unknown, unknown);
    }
}

// The sums of all blocks before this one, and of all.
struct Sums {
    unsigned before[3], all[3];
    __device__ explicit Sums(const unsigned long long* sums) {
        for (unsigned k = 0; k < 3; k++) {
            unsigned lower = 0, every = 0;
            for (unsigned block = threadIdx.x; block < gridDim.x; block += BLOCK) {
                const unsigned sum = (unsigned)sums[3 * block + k];
                every += sum;
                lower += block < blockIdx.x ? sum : 0;
            }
            before[k] = block_total(lower);
            all[k] = block_total(every);
        }
    }
};

template <class Offset> __device__ void gather(const Batch<Offset>& batch, const Grid& grid) {
    const Stretch own(batch.count);
    const Sums sums(batch.sums);
    unsigned operation = sums.before[0], insertion = sums.before[1], list = sums.before[2];
    for (unsigned base = own.begin; base < own.end; base += BLOCK) {
        const unsigned i = base + threadIdx.x;
        const bool inside = i < own.end;
        const unsigned found = inside ? batch.found[i] : NOTHING;
        const bool is_operation = found != NOTHING, is_first = inside && begins_list(batch, i);
        // At most 256 of each: ten bits.
        static_assert(BLOCK < 1024, "three counts in one word");
        unsigned total;
        const unsigned mine = is_operation | (unsigned)(is_operation && !(found & 1)) << 10 | (unsigned)is_first << 20;
        const unsigned before = block_exclusive(mine, total);
        const unsigned at = operation + (before & 1023);
        if (is_operation) {
            batch.op_target[at] = (unsigned)batch.keys[i] >> 1;
            batch.op_place[at] = found;
            batch.op_before[at] = insertion + (before >> 10 & 1023);
            if (batch.op_weight) batch.op_weight[at] = batch.values[i];
        }
        if (is_first) {
            batch.source[list + (before >> 20)] = (unsigned)(batch.keys[i] >> 32);
            batch.first_op[list + (before >> 20)] = at;
        }
        operation += total & 1023;
        insertion += total >> 10 & 1023;
        list += total >> 20;
    }
    if (grid.first()) {
        batch.op_before[sums.all[0]] = sums.all[1];
        batch.first_op[sums.all[2]] = sums.all[0];
    }
}

// Gives the threads of a block that want one a number each, by size or team: one atomic per kind and block.
struct BlockNumbers {
    unsigned counts[SIZES], bases[SIZES];
};

// All threads of the block call it; `size` is NO_BLOCK where none is wanted.
__device__ __forceinline__ unsigned number_by_size(BlockNumbers& shared, unsigned* counters, unsigned size) {
    __syncthreads();
    if (threadIdx.x < SIZES) shared.counts[threadIdx.x] = 0;
    __syncthreads();
    const unsigned local = size < SIZES ? atomicAdd(&shared.counts[size], 1u) : 0;
    __syncthreads();
    if (threadIdx.x < SIZES && shared.counts[threadIdx.x] > 0)
        shared.bases[threadIdx.x] = atomicAdd(counters + threadIdx.x, shared.counts[threadIdx.x]);
    __syncthreads();
    return size < SIZES ? shared.bases[size] + local : 0;
}

template <class Offset> __device__ void plan(const Batch<Offset>& batch, unsigned lists) {
    __shared__ BlockNumbers numbers;
    PoolState* state = batch.pool.state;
    unsigned long long used = 0, greatest = 0;
    for (unsigned long long base = (unsigned long long)blockIdx.x * BLOCK; base < lists;
         base += (unsigned long long)gridDim.x * BLOCK) {
        const unsigned at = (unsigned)base + threadIdx.x;
        ChangedList<Offset> list{};
        list.size = list.old_size = NO_BLOCK;
        list.merger = BY_NOBODY;
        unsigned work = 0, operations = 0;
        if (at < lists) {
            const unsigned first = batch.first_op[at], last = batch.first_op[at + 1];
            operations = last - first;
            if (operations > 0) {
                const unsigned v = batch.source[at];
                const Range<Offset> range = batch.pool.ranges[v];
                const unsigned insertions = batch.op_before[last] - batch.op_before[first];
                const unsigned deletions = operations - insertions;
                list.old_first = list.new_first = range.first;
                list.old_length = (unsigned)range.length();
                list.new_length = list.old_length + insertions - deletions;
                list.size = list.old_size = batch.pool.sizes[v];
                list.way = deletions == 0 ? GROWS : SHRINKS;
                const unsigned behind = list.old_length - (batch.op_place[first] >> 1);
                const bool mixed = insertions > 0 && deletions > 0;
                if (mixed || behind + operations > BLOCK_WORK || !suits(list.old_size, list.new_length)) {
                    list.way = MOVES;
                    list.size = (unsigned char)size_for(list.new_length);
                    list.moves_block = list.size != NO_BLOCK;
                    list.returns_block = list.old_size != NO_BLOCK;
                }
                work = (list.way == MOVES ? list.old_length : behind) + operations;
                list.merger = list.new_length == 0       ? BY_NOBODY
                              : work <= THREAD_WORK      ? BY_THREAD
                              : work <= LANES_WORK       ? BY_LANES
                              : work <= WARP_WORK        ? BY_WARP
                              : list.way == MOVES        ? BY_GRID
                                                         : BY_BLOCK;
                greatest = list.new_length > greatest ? list.new_length : greatest;
                // Modulo 2^64, as is what becomes less.
                if (list.moves_block) used += 1ull << list.size;
                if (list.returns_block) used -= 1ull << list.old_size;
            }
        }
        list.rank = number_by_size(numbers, state->wanted, list.moves_block ? list.size : NO_BLOCK);
        list.old_rank = number_by_size(numbers, state->returned, list.returns_block ? list.old_size : NO_BLOCK);
        if (at < lists) batch.lists[at] = list;
        const unsigned team = list.merger < TEAMS ? list.merger : NO_BLOCK;
        const unsigned number = number_by_size(numbers, state->teams, team);
        if (team < TEAMS) batch.of_team[team][number] = at;
        if (list.merger == BY_GRID) {
            const unsigned long long tiles = work / MOVE_TILE + (work % MOVE_TILE > 0);
            const unsigned long long before = atomicAdd(&state->tiles, 1ull << 40 | tiles);
            batch.of_grid[before >> 40] = (unsigned long long)at << 32 | (unsigned)before;
        }
    }
    block_add(&state->used, used);
    block_max(&state->greatest, greatest);
}

// Where blocks come from, the same in all blocks of threads.
struct Supply {
    unsigned long long fresh[SIZES];   // the first slot of those never used before
    unsigned free[SIZES];
    unsigned long long end;            // of the slots that are then in blocks
};

// One warp fills it in, largest blocks first: all are aligned to their size or to 32 slots.
template <class Offset> __device__ __forceinline__ void supply_of(const Pool<Offset>& pool, Supply& supply) {
    if (threadIdx.x < WARP) {
        const unsigned size = SIZES - 1 - lane();
        const unsigned wanted = pool.state->wanted[size], free = pool.state->free[size];
        const unsigned long long fresh = wanted > free ? wanted - free : 0;
        unsigned long long total;
        const unsigned long long before = warp_exclusive(fresh << size, total);
        const unsigned largest = __ballot_sync(FULL, fresh > 0);
        const unsigned align = largest ? SIZES - __ffs(largest) : 0;
        const unsigned long long mask = (1ull << (align < 5 ? align : 5)) - 1;
        const unsigned long long end = total ? (pool.state->end + mask) & ~mask : pool.state->end;
        supply.fresh[size] = end + before;
        supply.free[size] = free;
        if (lane() == 0) supply.end = end + total;
    }
    __syncthreads();
}

template <class Offset>
__device__ void settle(const Batch<Offset>& batch, const Supply& supply, const Grid& grid, unsigned lists) {
    for (unsigned at = grid.rank(); at < lists; at += grid.size()) {
        if (batch.first_op[at] == batch.first_op[at + 1]) continue;
        ChangedList<Offset>& list = batch.lists[at];
        const unsigned v = batch.source[at];
        if (list.way == MOVES) {
            const unsigned size = list.size, free = supply.free[size < SIZES ? size : 0];
            list.new_first = size == NO_BLOCK ? 0
                             : list.rank < free
                                 ? (Offset)batch.pool.stacks[size][free - 1 - list.rank] << 2
                                 : (Offset)(supply.fresh[size] + ((unsigned long long)(list.rank - free) << size));
            batch.pool.sizes[v] = (unsigned char)size;
        }
        batch.pool.ranges[v] = Range<Offset>{list.new_first, list.new_first + list.new_length};
    }
}

}  // namespace gw
