// A sorted batch of changes, applied to lists in blocks (blocks.cuh) by all threads of a grid. Six steps, a barrier of
// the grid between each two:
//
//   find     the last change of every edge counts; a binary search says whether the edge is there, and so whether the
//            change does anything (an insertion of an edge that is there, a deletion of one that is not: nothing)
//   gather   changes that do something stand side by side, grouped by source: the operations of a list
//   plan     per list: its new length, whether its block still suits, and who merges it
//   settle   lists that move get blocks, from the stacks of free ones or of slots never used; ranges are written
//   merge    short lists by a thread, longer ones by a warp or a block of threads, in place from behind (insertions) or
//            from the front (deletions) or into the new block; long lists that move by many blocks of threads
//   finish   counts of the pool
//
// Where the pool lacks slots, all blocks end after `plan`; the host makes it larger and launches the rest.
//
// Bytes per change with its 8-byte key: 16 read and 4 written to find, beside a search; 12 read and 12 written to
// gather; about 60 per list that changes; and 8 per neighbour that moves.
#pragma once
#include "blocks.cuh"
#include "grid.cuh"
#include "scan.cuh"

namespace gw {

constexpr unsigned NOTHING = 0xffffffffu;      // the change does nothing

// Moved neighbours and operations of a list at most, for a thread, for a warp, for a block of threads.
constexpr unsigned THREAD_WORK = 12, WARP_WORK = 1024, BLOCK_WORK = 1u << 14;
// What a block of threads moves at once of a list that several of them move.
constexpr unsigned MOVE_TILE = 2048;

enum Merger : unsigned { BY_NOBODY, BY_THREAD, BY_WARP, BY_BLOCK, BY_GRID };
enum Way : unsigned { GROWS, SHRINKS, MOVES };

// A list that the batch may change.
template <class Offset> struct ChangedList {
    Offset old_first, new_first;
    unsigned old_length, new_length;
    unsigned rank, old_rank;       // of its new block among those of its size that are wanted; of the old among returned
    unsigned char size, old_size;  // of the blocks
    unsigned char way, merger;
    bool moves_block;              // the list gets another block
    bool returns_block;            // its old one becomes free
};

template <class Offset> struct Batch {
    Pool<Offset> pool;
    const unsigned long long* keys;   // sorted
    const unsigned* values;           // weights; null without
    unsigned* found;                  // per key: twice the place in the list, and 1 to delete; or NOTHING
    unsigned* op_target;              // operations
    unsigned* op_place;               // as `found`
    unsigned* op_before;              // insertions before; one more entry, all insertions
    unsigned* op_weight;              // null without
    unsigned* source;                 // per list: its vertex
    unsigned* first_op;               // its first operation; one more entry, all operations
    ChangedList<Offset>* lists;
    unsigned* of_warps;               // lists that warps merge
    unsigned* of_blocks;              // that blocks merge
    unsigned long long* of_grid;      // that the grid moves: list << 32 | its first tile, ascending
    unsigned long long* sums;         // per block: keys that do something, those that insert, sources
    unsigned* counter;                // of the barrier
    alignas(8) unsigned count;        // keys
    alignas(8) unsigned resumes;      // goes on at `settle`
};

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

// Gives the threads of a block that want one a number each, by size: one atomic per size and block.
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
        if (list.merger == BY_WARP) batch.of_warps[take_number(&state->of_warps)] = at;
        if (list.merger == BY_BLOCK) batch.of_blocks[take_overflow_number(&state->of_blocks)] = at;
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

template <class Offset> __device__ void settle(const Batch<Offset>& batch, const Supply& supply, const Grid& grid, unsigned lists) {
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

// The operations of a list.
template <class Offset> struct Operations {
    const unsigned *place, *target, *before, *weight;
    unsigned count;

    __device__ __forceinline__ Operations(const Batch<Offset>& batch, unsigned at)
        : place(batch.op_place + batch.first_op[at]), target(batch.op_target + batch.first_op[at]),
          before(batch.op_before + batch.first_op[at]),
          weight(batch.op_weight ? batch.op_weight + batch.first_op[at] : nullptr),
          count(batch.first_op[at + 1] - batch.first_op[at]) {}

    // How many come before entry `i` of the list, an insertion at its place and a deletion of another.
    __device__ __forceinline__ unsigned ahead_of(unsigned i) const {
        unsigned low = 0, high = count;
        while (low < high) {
            const unsigned middle = low + (high - low) / 2;
            if (place[middle] < 2 * i + 1) low = middle + 1;
            else high = middle;
        }
        return low;
    }
    __device__ __forceinline__ bool deletes(unsigned j, unsigned i) const { return j < count && place[j] == 2 * i + 1; }
    // How far entries move behind the first `j` operations.
    __device__ __forceinline__ int shift(unsigned j) const { return (int)(2 * (before[j] - before[0])) - (int)j; }
};

// Threads that merge a list together.
struct WarpTeam {
    static constexpr unsigned SIZE = WARP;
    static __device__ __forceinline__ unsigned rank() { return lane(); }
    static __device__ __forceinline__ void wait() { __syncwarp(); }
};
struct BlockTeam {
    static constexpr unsigned SIZE = BLOCK;
    static __device__ __forceinline__ unsigned rank() { return threadIdx.x; }
    static __device__ __forceinline__ void wait() { __syncthreads(); }
};

// Writes the insertions `j`, `j + step`, ... of a list. They belong where no entry goes.
template <class Offset>
__device__ __forceinline__ void put_insertions(const Pool<Offset>& pool, const Operations<Offset>& operations,
                                               Offset to, unsigned j, unsigned step) {
    for (; j < operations.count; j += step) {
        if (operations.place[j] & 1) continue;
        const Offset slot = to + ((operations.place[j] >> 1) + operations.shift(j));
        pool.targets[slot] = operations.target[j];
        if (pool.weights) pool.weights[slot] = operations.weight[j];
    }
}

// Entry `i` of a list that moves to another block.
template <class Offset>
__device__ __forceinline__ void move_entry(const Pool<Offset>& pool, const Operations<Offset>& operations, Offset from,
                                           Offset to, unsigned i) {
    const unsigned j = operations.ahead_of(i);
    if (operations.deletes(j, i)) return;
    const Offset slot = to + (i + operations.shift(j));
    pool.targets[slot] = pool.targets[from + i];
    if (pool.weights) pool.weights[slot] = pool.weights[from + i];
}

// A list by a team. In place, all entries of a step are read before one is written; steps that come later read entries
// that none before has written, since insertions let entries go up and deletions down.
template <class Team, class Offset>
__device__ void merge_list(const Batch<Offset>& batch, unsigned at) {
    constexpr unsigned ITEMS = 4, STEP = Team::SIZE * ITEMS;
    const Pool<Offset>& pool = batch.pool;
    const ChangedList<Offset> list = batch.lists[at];
    const Operations<Offset> operations(batch, at);
    if (list.way == MOVES) {
        for (unsigned i = Team::rank(); i < list.old_length; i += Team::SIZE)
            move_entry(pool, operations, list.old_first, list.new_first, i);
        put_insertions(pool, operations, list.new_first, Team::rank(), Team::SIZE);
        return;
    }
    // Entries before the first operation stay.
    const unsigned begin = operations.place[0] >> 1, entries = list.old_length - begin;
    const unsigned steps = entries / STEP + (entries % STEP > 0);
    for (unsigned turn = 0; turn < steps; turn++) {
        const unsigned step = list.way == GROWS ? steps - 1 - turn : turn;
        unsigned value[ITEMS], weight[ITEMS], slot[ITEMS];
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) {
            const unsigned i = begin + step * STEP + k * Team::SIZE + Team::rank();
            slot[k] = NOTHING;
            if (i >= list.old_length) continue;
            const unsigned j = operations.ahead_of(i);
            value[k] = pool.targets[list.old_first + i];
            if (pool.weights) weight[k] = pool.weights[list.old_first + i];
            if (list.way == GROWS) slot[k] = i + j;
            else if (!operations.deletes(j, i)) slot[k] = i - j;
        }
        Team::wait();
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) {
            if (slot[k] == NOTHING) continue;
            pool.targets[list.old_first + slot[k]] = value[k];
            if (pool.weights) pool.weights[list.old_first + slot[k]] = weight[k];
        }
        Team::wait();
    }
    if (list.way == GROWS) put_insertions(pool, operations, list.old_first, Team::rank(), Team::SIZE);
}

// A short list by one thread.
template <class Offset> __device__ void merge_short(const Batch<Offset>& batch, unsigned at) {
    const Pool<Offset>& pool = batch.pool;
    const ChangedList<Offset> list = batch.lists[at];
    const Operations<Offset> operations(batch, at);
    const Offset from = list.old_first, to = list.new_first;
    auto move = [&](unsigned from_at, unsigned to_at) {
        pool.targets[to + to_at] = pool.targets[from + from_at];
        if (pool.weights) pool.weights[to + to_at] = pool.weights[from + from_at];
    };
    auto put = [&](unsigned j, unsigned to_at) {
        pool.targets[to + to_at] = operations.target[j];
        if (pool.weights) pool.weights[to + to_at] = operations.weight[j];
    };
    if (list.way == GROWS) {
        unsigned i = list.old_length, out = list.new_length;
        for (unsigned j = operations.count; j-- > 0;) {
            const unsigned place = operations.place[j] >> 1;
            while (i > place) move(--i, --out);
            put(j, --out);
        }
        return;
    }
    // Forward: what is written lies before what is read next, or in another block.
    unsigned i = list.way == MOVES ? 0 : operations.place[0] >> 1, out = i;
    for (unsigned j = 0; j < operations.count; j++) {
        const unsigned place = operations.place[j] >> 1;
        while (i < place) move(i++, out++);
        if (operations.place[j] & 1) i++;
        else put(j, out++);
    }
    while (i < list.old_length) move(i++, out++);
}

// One tile of a list that the grid moves: entries first, then operations.
template <class Offset> __device__ void move_tile(const Batch<Offset>& batch, unsigned at, unsigned tile) {
    const ChangedList<Offset> list = batch.lists[at];
    const Operations<Offset> operations(batch, at);
    const unsigned begin = tile * MOVE_TILE, all = list.old_length + operations.count;
    const unsigned end = all - begin < MOVE_TILE ? all : begin + MOVE_TILE;
    for (unsigned item = begin + threadIdx.x; item < end; item += BLOCK) {
        if (item < list.old_length) move_entry(batch.pool, operations, list.old_first, list.new_first, item);
        else put_insertions(batch.pool, operations, list.new_first, item - list.old_length, operations.count);
    }
}

template <class Offset> __device__ void merge(const Batch<Offset>& batch, const Supply& supply, const Grid& grid, unsigned lists) {
    const Pool<Offset>& pool = batch.pool;
    const PoolState* state = pool.state;
    // Long lists first: they are what a block waits for at the end.
    const unsigned long long packed = state->tiles;
    const unsigned long_lists = (unsigned)(packed >> 40), tiles = (unsigned)packed;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned low = 0, high = long_lists;   // the last list whose first tile is not behind this one
        while (high - low > 1) {
            const unsigned middle = low + (high - low) / 2;
            if ((unsigned)batch.of_grid[middle] <= tile) low = middle;
            else high = middle;
        }
        move_tile(batch, (unsigned)(batch.of_grid[low] >> 32), tile - (unsigned)batch.of_grid[low]);
    }
    for (unsigned i = blockIdx.x; i < state->of_blocks; i += gridDim.x) merge_list<BlockTeam>(batch, batch.of_blocks[i]);
    const unsigned warps = gridDim.x * WARPS;
    for (unsigned i = warp() * gridDim.x + blockIdx.x; i < state->of_warps; i += warps) merge_list<WarpTeam>(batch, batch.of_warps[i]);
    for (unsigned at = grid.rank(); at < lists; at += grid.size()) {
        if (batch.first_op[at] == batch.first_op[at + 1]) continue;
        const ChangedList<Offset>& list = batch.lists[at];
        if (list.merger == BY_THREAD) merge_short(batch, at);
        if (list.returns_block) {
            const unsigned size = list.old_size, wanted = state->wanted[size], free = supply.free[size];
            const unsigned left = free - (wanted < free ? wanted : free);
            pool.stacks[size][left + list.old_rank] = (unsigned)(list.old_first >> 2);
        }
    }
}

// By the first warp of the grid.
template <class Offset> __device__ void finish(const Batch<Offset>& batch, const Supply& supply, unsigned operations, unsigned insertions) {
    PoolState* state = batch.pool.state;
    const unsigned size = lane(), wanted = state->wanted[size], free = supply.free[size];
    state->free[size] = free - (wanted < free ? wanted : free) + state->returned[size];
    state->made[size] += wanted > free ? wanted - free : 0;
    state->wanted[size] = state->returned[size] = 0;
    if (lane() == 0) {
        state->end = supply.end;
        state->edges += 2ull * insertions - operations;
        state->inserted = insertions;
        state->deleted = operations - insertions;
        state->needed = state->tiles = 0;
        state->of_warps = state->of_blocks = 0;
    }
}

template <class Offset> __device__ void apply(const Batch<Offset>& batch) {
    __shared__ Supply supply;
    const Grid grid{batch.counter};
    if (!batch.resumes) {
        find(batch);
        grid.wait();
        gather(batch, grid);
        grid.wait();
    }
    const Sums sums(batch.sums);
    const unsigned operations = sums.all[0], insertions = sums.all[1], lists = sums.all[2];
    if (!batch.resumes) {
        plan(batch, lists);
        grid.wait();
    }
    supply_of(batch.pool, supply);
    if (supply.end > batch.pool.capacity) {
        if (grid.first()) batch.pool.state->needed = supply.end;
        return;
    }
    settle(batch, supply, grid, lists);
    grid.wait();
    merge(batch, supply, grid, lists);
    grid.wait();
    if (blockIdx.x == 0 && threadIdx.x < WARP) finish(batch, supply, operations, insertions);
}

}  // namespace gw
