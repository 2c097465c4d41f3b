// A batch (batch.cuh) from its first step to its last.
#pragma once
#include "batch_merge.cuh"

namespace gw {

// By the first warp of the grid.
template <class Offset>
__device__ void finish(const Batch<Offset>& batch, const Supply& supply, unsigned operations, unsigned insertions) {
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
        state->teams[BY_LANES] = state->teams[BY_WARP] = state->teams[BY_BLOCK] = 0;
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
