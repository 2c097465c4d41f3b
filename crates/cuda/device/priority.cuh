// Priority queues: buckets of `delta` priorities, of which one is open.
//
// A bit per vertex says that it is queued; its bucket follows from its priority. Vertices that fall into the open bucket
// are collected in a near set when their buckets are updated, so that most rounds touch nothing else. Only when the near
// set is empty, or something better than the open bucket came up, are the bits searched for the best bucket.
#pragma once
#include "members.cuh"
#include "output.cuh"

namespace gw {

constexpr unsigned long long NO_BUCKET = ~0ull;

template <class T> struct Queue {
    T* priorities;
    unsigned* pending;              // bits
    unsigned* marks;                // round in which a vertex last came into the near set
    unsigned long long* cells;      // 0: vertices queued, less `taken`; 1, 2: best bucket of an update; 3, 4: best bucket of a search
    unsigned long long delta;
    unsigned long long current;     // the open bucket
    unsigned long long best;        // of all that is queued, when known
    alignas(8) int near;            // place of the near set when the kernel begins
    alignas(8) unsigned increasing;
    alignas(8) unsigned best_known;
    alignas(8) unsigned turn;       // counts dequeues
    alignas(8) unsigned searches;
    unsigned long long taken;       // vertices dequeued that cell 0 still counts

    __device__ __forceinline__ bool better(unsigned long long a, unsigned long long b) const {
        if (b == NO_BUCKET) return a != NO_BUCKET;
        return a != NO_BUCKET && (increasing ? a < b : a > b);
    }
    // Buckets as numbers of which the least is the best.
    __device__ __forceinline__ unsigned long long rank(unsigned long long bucket) const {
        return bucket == NO_BUCKET ? NO_BUCKET : increasing ? bucket : NO_BUCKET - 1 - bucket;
    }
};

__device__ __forceinline__ bool is_queued(int p) { return p != 2147483647; }
__device__ __forceinline__ bool is_queued(unsigned p) { return p != 0xffffffffu; }
__device__ __forceinline__ bool is_queued(unsigned long long p) { return p != ~0ull; }
__device__ __forceinline__ bool is_queued(float p) { return !(p >= 3.402823466e38f); }
__device__ __forceinline__ bool is_queued(double p) { return !(p >= 1.7976931348623157e308); }
template <class T> __device__ __forceinline__ bool is_negative(T p) { return p < 0; }
template <> __device__ __forceinline__ bool is_negative(unsigned) { return false; }
template <> __device__ __forceinline__ bool is_negative(unsigned long long) { return false; }

template <class T>
__device__ __forceinline__ unsigned long long bucket_of(const Queue<T>& queue, int v, Fault* fault, unsigned line) {
    const T p = queue.priorities[v];
    if (!is_queued(p)) return NO_BUCKET;
    if (is_negative(p)) {
        report(fault, FAULT_NEGATIVE, line, v, (long long)p);
        return 0;
    }
    return (unsigned long long)p / queue.delta;
}
template <> __device__ __forceinline__ unsigned long long bucket_of(const Queue<int>& queue, int v, Fault* fault, unsigned line) {
    const int p = queue.priorities[v];
    if (!is_queued(p)) return NO_BUCKET;
    if (p < 0) {
        report(fault, FAULT_NEGATIVE, line, v, p);
        return 0;
    }
    // Divisions of 64 bits are slow; these priorities need none.
    return queue.delta > 0x7fffffffull ? 0 : (unsigned)p / (unsigned)queue.delta;
}
template <> __device__ __forceinline__ unsigned long long bucket_of(const Queue<float>& queue, int v, Fault* fault, unsigned line) {
    const float p = queue.priorities[v];
    if (!is_queued(p)) return NO_BUCKET;
    if (p < 0) { report(fault, FAULT_NEGATIVE, line, v, (long long)p); return 0; }
    return (unsigned long long)((double)p / (double)queue.delta);
}
template <> __device__ __forceinline__ unsigned long long bucket_of(const Queue<double>& queue, int v, Fault* fault, unsigned line) {
    const double p = queue.priorities[v];
    if (!is_queued(p)) return NO_BUCKET;
    if (p < 0) { report(fault, FAULT_NEGATIVE, line, v, (long long)p); return 0; }
    return (unsigned long long)(p / (double)queue.delta);
}

// Lowers an `int` priority. Priorities are not negative: a negative value is a sum that did not fit, and compared without
// sign it is greater than all others. As the first priority of a vertex it is an error.
__device__ __forceinline__ bool lower_priority(Fault* fault, int* p, int value, unsigned line) {
    if (value < 0) {
        if (load(p) == 2147483647) report(fault, FAULT_OVERFLOW, line, value, 0);
        return false;
    }
    return value < *p && value < atomicMin(p, value);
}

template <class T> __device__ __forceinline__ bool finished(const Queue<T>& queue) {
    return *(volatile unsigned long long*)queue.cells == queue.taken;
}

// Queues every vertex that has a priority. Every thread of the grid calls it; the cells are zero before.
template <class T> __device__ inline void fill(Queue<T>& queue, unsigned vertices, const Grid& grid, Fault* fault) {
    const unsigned words = (vertices + 31) / 32;
    unsigned long long count = 0;
    for (unsigned w = grid.rank(); w < words; w += grid.size()) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 32 && 32 * w + i < vertices; i++)
            if (bucket_of(queue, (int)(32 * w + i), fault, 0) != NO_BUCKET) bits |= 1u << i;
        queue.pending[w] = bits;
        count += __popc(bits);
    }
    block_add(queue.cells, count);
    if (grid.first())
        for (int i = 1; i < 5; i++) queue.cells[i] = NO_BUCKET;
}

// Finds the best bucket, when it is not known. What was updated before lies behind a barrier.
template <class T> __device__ inline void find_best(Run& run, Queue<T>& queue, int near, unsigned live) {
    if (queue.best_known) return;
    const unsigned long long updated = ((volatile unsigned long long*)queue.cells)[1 + (queue.turn & 1)];
    if (run.size(near) > 0 && !(updated < queue.rank(queue.current))) {
        queue.best = queue.current;
        queue.best_known = 1;
        return;
    }
    const unsigned words = (run.vertices() + 31) / 32;
    unsigned long long best = NO_BUCKET;
    for (unsigned w = run.grid.rank(); w < words; w += run.grid.size())
        for (unsigned rest = queue.pending[w]; rest; rest &= rest - 1) {
            const unsigned long long rank = queue.rank(bucket_of(queue, (int)(32 * w + __ffs(rest) - 1), (Fault*)nullptr, 0));
            best = rank < best ? rank : best;
        }
    unsigned long long* cell = queue.cells + 3 + (queue.searches & 1);
    block_min(cell, best);
    queue.searches++;
    run.wait(live);
    best = *(volatile unsigned long long*)cell;
    if (run.grid.first()) queue.cells[3 + (queue.searches & 1)] = NO_BUCKET;
    queue.best = queue.rank(best);   // its own inverse
    queue.best_known = 1;
}

// The priority of a vertex can no longer change for the better: nothing queued comes before or with its bucket. Asked
// after find_best.
template <class T> __device__ __forceinline__ bool finished_node(const Queue<T>& queue, int v, Fault* fault, unsigned line) {
    const unsigned long long bucket = bucket_of(queue, v, fault, line);
    return queue.best == NO_BUCKET || (bucket != NO_BUCKET && queue.better(bucket, queue.best));
}

// Takes the vertices of the best bucket out of the queue. Their number is subtracted at the next update: others may still be
// reading the count.
template <class T> __device__ inline int dequeue(Run& run, Queue<T>& queue, int& near, unsigned live) {
    find_best(run, queue, near, live);
    const bool open = queue.best == queue.current && run.size(near) > 0 && near != EMPTY;
    int place;
    if (open) {
        // The bits are cleared beside the operator that follows; it does not look at them.
        place = near;
        const Set set = run.at(place);
        const unsigned n = set.size();
        for (unsigned i = run.grid.rank(); i < n; i += run.grid.size()) clear_bit(queue.pending, set.queue[i]);
        queue.taken += n;
    } else {
        place = run.make(QUEUE, live);
        if (queue.best != NO_BUCKET) {
            const Set set = run.at(place);
            const unsigned words = (run.vertices() + 31) / 32;
            for (unsigned w = run.grid.rank(); w < words; w += run.grid.size()) {
                const unsigned bits = queue.pending[w];
                unsigned mine = 0;
                for (unsigned rest = bits; rest; rest &= rest - 1) {
                    const int i = __ffs(rest) - 1;
                    if (bucket_of(queue, (int)(32 * w) + i, (Fault*)nullptr, 0) == queue.best) mine |= 1u << i;
                }
                if (!mine) continue;
                unsigned at = atomicAdd(set.head, __popc(mine));
                for (unsigned rest = mine; rest; rest &= rest - 1) set.queue[at++] = (int)(32 * w) + __ffs(rest) - 1;
                queue.pending[w] = bits & ~mine;
            }
            queue.current = queue.best;
        }
        run.wait(live | Run::bit(place));
        queue.taken += run.size(place);
    }
    near = EMPTY;
    queue.best_known = 0;
    queue.turn++;
    if (run.grid.first()) queue.cells[1 + (queue.turn & 1)] = NO_BUCKET;
    return place;
}

// Moves the members of a set to the buckets of their present priorities.
template <class T>
__device__ inline void update_buckets(Run& run, Queue<T>& queue, int& near, int modified, unsigned capacity, Fault* fault,
                                      unsigned line, unsigned live) {
    if (near == EMPTY) near = run.make(QUEUE, live);
    Output out{run.at(near), capacity, fault, line, queue.marks, queue.turn + 1, 0};
    out.begin();
    unsigned long long best = NO_BUCKET, change = 0;
    each_member(run, modified, [&](int v) {
        const unsigned long long bucket = bucket_of(queue, v, fault, line);
        if (bucket == NO_BUCKET) {
            if (clear_bit(queue.pending, v)) change--;
            return;
        }
        if (mark_bit(queue.pending, v)) change++;
        if (bucket == queue.current) out.append_by_counters(v);
        const unsigned long long rank = queue.rank(bucket);
        best = rank < best ? rank : best;
    });
    out.flush();
    if (run.grid.first()) change -= queue.taken;
    queue.taken = 0;
    block_add(queue.cells, change);
    block_min(queue.cells + 1 + (queue.turn & 1), best);
    queue.best_known = 0;
}

}  // namespace gw
