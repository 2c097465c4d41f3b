// The fifth step of a batch (batch.cuh): every list that changes is merged with its operations.
#pragma once
#include "batch_plan.cuh"

namespace gw {

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
struct LanesTeam {
    static constexpr unsigned SIZE = FEW_LANES;
    static __device__ __forceinline__ unsigned rank() { return lane() % SIZE; }
    static __device__ __forceinline__ void wait() { __syncwarp(((1u << SIZE) - 1) << (lane() & ~(SIZE - 1))); }
};
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

template <class Offset>
__device__ void merge(const Batch<Offset>& batch, const Supply& supply, const Grid& grid, unsigned lists) {
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
    const unsigned of_blocks = state->teams[BY_BLOCK], of_warps = state->teams[BY_WARP];
    const unsigned of_lanes = state->teams[BY_LANES];
    for (unsigned i = blockIdx.x; i < of_blocks; i += gridDim.x)
        merge_list<BlockTeam>(batch, batch.of_team[BY_BLOCK][i]);
    for (unsigned i = warp() * gridDim.x + blockIdx.x; i < of_warps; i += gridDim.x * WARPS)
        merge_list<WarpTeam>(batch, batch.of_team[BY_WARP][i]);
    __syncwarp();
    for (unsigned i = grid.rank() / FEW_LANES; i < of_lanes; i += grid.size() / FEW_LANES)
        merge_list<LanesTeam>(batch, batch.of_team[BY_LANES][i]);
    __syncwarp();
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

}  // namespace gw
