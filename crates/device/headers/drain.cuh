// Buckets that blocks drain by themselves. A vertex that falls into the open bucket of a queue goes to a list of the
// block that saw it fall, in shared memory, and the block walks its edges at once, without a barrier of the grid; a
// bucket whose vertices fall one after the other takes one step instead of one for each. What would keep a block busy
// for long goes to the near set, which all blocks share in the next step. Bucket fusion (Zhang et al.: Optimizing
// ordered graph algorithms with GraphIt, CGO 2020) for blocks instead of threads.
//
// This is for changes that end at the priority of the open bucket: then a vertex falls into it once. Queues are lazy
// ones of bucket width 1. Counts of a turn wait in cells of their own until a barrier lies behind them
// (`take_settled`), so that a step has one barrier.
#pragma once
#include "balance_block_mapping.cuh"
#include "priority.cuh"

namespace gw {

// Vertices that a block can list; edges that it walks in one go, and before it gives the rest away. Sharing costs a
// step, a few microseconds; a block walks a few thousand edges meanwhile.
constexpr unsigned SETTLED_ROOM = 4 * BLOCK, SETTLED_BATCH = 8 * BLOCK, SETTLED_EDGES = 32 * BLOCK;

struct SettledList {
    unsigned count;
    int ids[SETTLED_ROOM];
};
__device__ __forceinline__ SettledList& settled_list() {
    __shared__ SettledList list;
    return list;
}

// What a thread knows about its changes of priorities.
template <class T> struct Drain {
    T now{};                              // priority that the change at hand left
    unsigned long long best = NO_BUCKET;  // rank of all that did not fall into the open bucket
    unsigned long long gone = 0;          // vertices that left the queue, less those that entered

    // A priority has changed.
    __device__ __forceinline__ void moved(const Queue<T, LAZY>& queue, int v, Output& near) {
        const unsigned long long bucket = bucket_number(now, 1);
        if (bucket == queue.current) {
            SettledList& list = settled_list();
            const unsigned at = atomicAdd(&list.count, 1u);
            if (at < SETTLED_ROOM) list.ids[at] = v;
            else near.append(v);
            return;
        }
        const unsigned long long rank = queue.rank(bucket);
        best = rank < best ? rank : best;
        if (!queue.is_pending(v) && mark_bit(queue.pending, v)) gone--;
    }

    // Every thread of the block calls it at the end of the operator.
    __device__ __forceinline__ void finish(const Queue<T, LAZY>& queue) const {
        unsigned long long* cell = queue.cells + SETTLED + queue.turn % 3;
        block_add(cell, gone);
        block_min(cell + 3, best);
    }
};

// Makes the cells ready, before the barrier ahead of the first turn.
template <class T> __device__ __forceinline__ void begin_drain(const Grid& grid, const Queue<T, LAZY>& queue) {
    if (!grid.first()) return;
    for (unsigned i = 0; i < 3; ++i) {
        queue.cells[SETTLED + i] = 0;
        queue.cells[SETTLED + 3 + i] = NO_BUCKET;
    }
}

// Every thread of the block calls it before the operator.
__device__ __forceinline__ void begin_settled() {
    if (threadIdx.x == 0) settled_list().count = 0;
    __syncthreads();
}

// Walks the edges of what fell into the open bucket, and of what falls meanwhile. Every thread of the block calls it.
template <class Walk, class T> __device__ void drain(Walk& walk, const Queue<T, LAZY>& queue) {
    typedef typename Walk::Offset Offset;
    StagedBlock<Offset>& staged = staged_block<Offset>();
    SettledList& list = settled_list();
    Offset walked = 0;
    while (true) {
        __syncthreads();  // what was found is listed
        const unsigned n = list.count < SETTLED_ROOM ? list.count : SETTLED_ROOM;
        if (n == 0) return;
        const unsigned rest = n > BLOCK ? n - BLOCK : 0;
        const int v = rest + threadIdx.x < n ? list.ids[rest + threadIdx.x] : -1;
        Offset first = 0, count = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            first = edges.first;
            count = edges.length();
        }
        Offset total;
        const Offset begin = block_exclusive(count, total);  // behind its barriers nobody reads the list
        walked += total;
        if (total > SETTLED_BATCH || walked > SETTLED_EDGES) {
            if (v >= 0) walk.out.append(v);
            for (unsigned i = threadIdx.x; i < rest; i += BLOCK) walk.out.append(list.ids[i]);
            return;
        }
        if (threadIdx.x == 0) list.count = rest;
        if (v >= 0) {
            clear_bit(queue.pending, v);
            walk.drain.gone++;
        }
        staged.v[threadIdx.x] = v;
        staged.begin[threadIdx.x] = begin;
        staged.shift[threadIdx.x] = first - begin;
        __syncthreads();
        EdgeRun<Walk> run;
        for (Offset k = threadIdx.x; k < total; k += BLOCK) {
            const unsigned slot = last_not_above(staged.begin, BLOCK, k);
            run.edge(walk, staged.v[slot], staged.shift[slot] + k);
        }
        run.close(walk);
    }
}

// Takes up what the blocks did in the last turn, behind a barrier. The cells of the turn after next are made ready:
// nobody looks at them now, and a barrier lies between this and their use.
template <class T> __device__ __forceinline__ void take_settled(const Grid& grid, Queue<T, LAZY>& queue) {
    volatile unsigned long long* cells = queue.cells + SETTLED;
    const unsigned cell = queue.turn % 3, next = (queue.turn + 2) % 3;
    const unsigned long long best = cells[3 + cell];
    queue.taken += cells[cell];
    queue.bound = best < queue.bound ? best : queue.bound;
    queue.best_known = 0;
    if (grid.first()) {
        cells[next] = 0;
        cells[3 + next] = NO_BUCKET;
    }
}

}  // namespace gw
