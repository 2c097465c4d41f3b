// Priority queues: buckets of `delta` priorities, of which one is open.
//
// A bit per vertex says that it is queued; its bucket follows from its priority. Vertices that fall into the open
// bucket are collected in a near set when their buckets are updated, so that most rounds touch nothing else. Only
// when the near set is empty, or something better than the open bucket came up, is the rest gone through for another
// bucket: all bits of a lazy queue, the far list of a near-far one (far.cuh). Which bucket that will be is mostly
// known before: updates and the last pass note the best they saw. It is a bound, since a vertex may have left its
// bucket; a pass that finds nothing there has seen the true one.
#pragma once
#include "far.cuh"
#include "members.cuh"
#include "output.cuh"

namespace gw {

constexpr unsigned long long NO_BUCKET = ~0ull;

enum QueueKind { LAZY, NEAR_FAR };

template <class T, QueueKind KIND = LAZY> struct Queue {
    T* priorities;
    unsigned* pending;              // bits
    unsigned* marks;                // round in which a vertex last came into the near set
    unsigned long long* cells;      // 0: vertices queued, less `taken`; 1, 2: best bucket of an update but the open one;
                                    // 3 to 6: best bucket of a pass; from 7 on the lengths of the far list
    unsigned long long delta;
    unsigned long long current;     // the open bucket
    unsigned long long best;        // of all that is queued, when known
    alignas(8) int near;            // place of the near set when the kernel begins
    alignas(8) unsigned increasing;
    alignas(8) unsigned best_known;
    alignas(8) unsigned turn;       // counts dequeues
    alignas(8) unsigned passes;     // over all that is queued
    unsigned long long taken;       // vertices dequeued that cell 0 still counts
    unsigned long long bound;       // rank that nothing queued comes before, but the near set
    Far far;

    __device__ __forceinline__ bool better(unsigned long long a, unsigned long long b) const {
        if (b == NO_BUCKET) return a != NO_BUCKET;
        return a != NO_BUCKET && (increasing ? a < b : a > b);
    }
    // Buckets as numbers of which the least is the best. Its own inverse.
    __device__ __forceinline__ unsigned long long rank(unsigned long long bucket) const {
        return bucket == NO_BUCKET ? NO_BUCKET : increasing ? bucket : NO_BUCKET - 1 - bucket;
    }
    // The best rank that an update of this turn met outside the open bucket.
    __device__ __forceinline__ unsigned long long updated() const {
        return ((volatile unsigned long long*)cells)[1 + (turn & 1)];
    }
    __device__ __forceinline__ bool is_pending(int v) const { return pending[(unsigned)v >> 5] >> (v & 31) & 1; }
};

__device__ __forceinline__ bool is_queued(int p) { return p != 2147483647; }
__device__ __forceinline__ bool is_queued(unsigned p) { return p != 0xffffffffu; }
__device__ __forceinline__ bool is_queued(long long p) { return p != 9223372036854775807ll; }
__device__ __forceinline__ bool is_queued(unsigned long long p) { return p != ~0ull; }
__device__ __forceinline__ bool is_queued(float p) { return !(p >= 3.402823466e38f); }
__device__ __forceinline__ bool is_queued(double p) { return !(p >= 1.7976931348623157e308); }
template <class T> __device__ __forceinline__ bool is_negative(T p) { return p < 0; }
template <> __device__ __forceinline__ bool is_negative(unsigned) { return false; }
template <> __device__ __forceinline__ bool is_negative(unsigned long long) { return false; }

// The number of a bucket; priorities are not negative.
template <class T> __device__ __forceinline__ unsigned long long bucket_number(T p, unsigned long long delta) {
    return (unsigned long long)p / delta;
}
template <> __device__ __forceinline__ unsigned long long bucket_number(int p, unsigned long long delta) {
    // Divisions of 64 bits are slow; these priorities need none.
    return delta > 0x7fffffffull ? 0 : (unsigned)p / (unsigned)delta;
}
template <> __device__ __forceinline__ unsigned long long bucket_number(float p, unsigned long long delta) {
    return (unsigned long long)((double)p / __longlong_as_double((long long)delta));
}
template <> __device__ __forceinline__ unsigned long long bucket_number(double p, unsigned long long delta) {
    return (unsigned long long)(p / __longlong_as_double((long long)delta));
}

template <class T, QueueKind KIND>
__device__ __forceinline__ unsigned long long bucket_of(const Queue<T, KIND>& queue, int v, Fault* fault, unsigned line) {
    const T p = queue.priorities[v];
    if (!is_queued(p)) return NO_BUCKET;
    if (is_negative(p)) {
        report(fault, FAULT_NEGATIVE, line, v, (long long)p);
        return 0;
    }
    return bucket_number(p, queue.delta);
}

// The greatest number of a type is no priority: it means "not queued". Reals do not overflow.
__device__ __forceinline__ int no_priority(int) { return 2147483647; }
__device__ __forceinline__ unsigned no_priority(unsigned) { return ~0u; }
__device__ __forceinline__ long long no_priority(long long) { return 9223372036854775807ll; }
__device__ __forceinline__ unsigned long long no_priority(unsigned long long) { return ~0ull; }

// Lowers a priority. What is no priority is a sum that did not fit, and compared without sign it is no smaller than
// any other. As the first priority of a vertex it is an error.
__device__ __forceinline__ bool lower_priority(Fault* fault, int* p, int value, unsigned line) {
    if ((unsigned)value >= 2147483647u) {
        if (load(p) == 2147483647) report(fault, FAULT_OVERFLOW, line, value, 0);
        return false;
    }
    return value < *p && value < atomicMin(p, value);
}
__device__ __forceinline__ bool lower_priority(Fault* fault, long long* p, long long value, unsigned line) {
    if ((unsigned long long)value >= 9223372036854775807ull) {
        if (load(p) == 9223372036854775807ll) report(fault, FAULT_OVERFLOW, line, value, 0);
        return false;
    }
    return atomic_min(p, value);
}
template <class T> __device__ __forceinline__ bool lower_priority(Fault* fault, T* p, T value, unsigned line) {
    if (value == no_priority(value)) {
        if (load(p) == value) report(fault, FAULT_OVERFLOW, line, (long long)value, 0);
        return false;
    }
    return atomic_min(p, value);
}

// What a priority above its floor becomes by a sum: not less than the floor, and not as large as "not queued", which
// is an error. Computed with distances, which cannot wrap around.
template <class T, class D>
__device__ __forceinline__ T exact_sum(Fault* fault, T held, D delta, T floor, unsigned line) {
    const bool down = delta < (D)0;
    const unsigned long long amount = down ? 0ull - (unsigned long long)delta : (unsigned long long)delta;
    if (down) return amount < (unsigned long long)held - (unsigned long long)floor ? (T)((unsigned long long)held - amount) : floor;
    if (amount >= (unsigned long long)no_priority(held) - (unsigned long long)held) {
        report(fault, FAULT_OVERFLOW, line, (long long)held, 0);
        return held;
    }
    return (T)((unsigned long long)held + amount);
}
template <class D> __device__ __forceinline__ float exact_sum(Fault*, float held, D delta, float floor, unsigned) {
    return held + (float)delta > floor ? held + (float)delta : floor;
}
template <class D> __device__ __forceinline__ double exact_sum(Fault*, double held, D delta, double floor, unsigned) {
    return held + (double)delta > floor ? held + (double)delta : floor;
}

// Adds to a priority that is above its floor, not going below it; true when the priority changed.
template <class T, class D>
__device__ __forceinline__ bool sum_with_floor(Fault* fault, T* p, D delta, T floor, unsigned line) {
    auto* words = words_of(p);
    auto old = load(words);
    while (true) {
        T held;
        of_word(old, held);
        if (!(held > floor)) return false;
        const T next = exact_sum(fault, held, delta, floor, line);
        if (next == held) return false;
        const auto found = atomicCAS(words, old, word_of(next));
        if (found == old) return true;
        old = found;
    }
}

// The same for numbers that go down, without a loop: many threads may take from the same entry at once. One that
// finds it at the floor gives back what it took; meanwhile others find it below the floor and do the same, which is
// right, because a priority at its floor stays there. Few threads take little, so that the entry does not wrap around
// meanwhile.
__device__ __forceinline__ bool sum_with_floor(Fault* fault, int* p, int delta, int floor, unsigned line) {
    if (delta >= 0 || delta < -64) return sum_with_floor<int, int>(fault, p, delta, floor, line);
    if (load(p) <= floor) return false;
    const int old = atomicAdd(p, delta);
    if (old <= floor) {
        atomicAdd(p, -delta);
        return false;
    }
    if (old + delta < floor) atomicAdd(p, floor - old - delta);
    return true;
}

template <class T, QueueKind KIND> __device__ __forceinline__ bool finished(const Queue<T, KIND>& queue) {
    return *(volatile unsigned long long*)queue.cells == queue.taken;
}

// Whether the next bucket of a queue is its near set: no other bucket has to be looked for among all vertices.
template <class T, QueueKind KIND>
__device__ __forceinline__ bool has_near(const Run& run, const Queue<T, KIND>& queue, int near) {
    return run.size(near) > 0 && !(queue.updated() < queue.rank(queue.current));
}

// Queues every vertex that has a priority. Every thread of the grid calls it; the cells are zero before.
template <class T, QueueKind KIND>
__device__ inline void fill(Queue<T, KIND>& queue, unsigned vertices, const Grid& grid, Fault* fault) {
    const unsigned words = (vertices + 31) / 32;
    unsigned long long count = 0;
    // A lane per vertex, a warp per word.
    for (unsigned w = grid.rank() / 32; w < words; w += grid.size() / 32) {
        const unsigned v = 32 * w + lane();
        const bool queued = v < vertices && bucket_of(queue, (int)v, fault, 0) != NO_BUCKET;
        const unsigned bits = __ballot_sync(0xffffffffu, queued);
        if (lane() == 0) {
            queue.pending[w] = bits;
            if constexpr (KIND == NEAR_FAR) queue.far.add_word(queue.cells, vertices, w, bits);
            count += __popc(bits);
        }
    }
    block_add(queue.cells, count);
    if (grid.first())
        for (int i = 1; i < 7; i++) queue.cells[i] = NO_BUCKET;
}

// Calls `visit` with every queued vertex, but those of a near-far queue that are in its near set alone.
template <class T, QueueKind KIND, class Visit>
__device__ __forceinline__ void each_queued(const Run& run, const Queue<T, KIND>& queue, Visit visit) {
    if constexpr (KIND == NEAR_FAR) {
        const int* ids = queue.far.ids(run.vertices());
        const unsigned n = queue.far.length(queue.cells);
        for (unsigned i = run.grid.rank(); i < n; i += run.grid.size())
            if (queue.is_pending(ids[i])) visit(ids[i]);
    } else {
        const unsigned words = (run.vertices() + 31) / 32;
        for (unsigned w = run.grid.rank(); w < words; w += run.grid.size())
            for (unsigned rest = queue.pending[w]; rest; rest &= rest - 1) visit((int)(32 * w + __ffs(rest) - 1));
    }
}

// The end of a pass: the best rank that any thread saw, after a barrier. The cell of the next pass is made ready
// before the barrier, so that passes may follow each other at once; nobody still reads what an earlier pass left
// there.
template <class T, QueueKind KIND>
__device__ __forceinline__ unsigned long long end_pass(Run& run, Queue<T, KIND>& queue, unsigned long long best, unsigned live) {
    unsigned long long* cell = queue.cells + 3 + (queue.passes & 3);
    block_min(cell, best);
    queue.passes++;
    if (run.grid.first()) queue.cells[3 + (queue.passes & 3)] = NO_BUCKET;
    run.wait(live);
    return *(volatile unsigned long long*)cell;
}

// Finds the best bucket, when it is not known. What was updated before lies behind a barrier.
template <class T, QueueKind KIND> __device__ inline void find_best(Run& run, Queue<T, KIND>& queue, int near, unsigned live) {
    if (queue.best_known) return;
    const bool open = run.size(near) > 0;
    queue.best_known = 1;
    if (open && !(queue.updated() < queue.rank(queue.current))) {
        queue.best = queue.current;
        return;
    }
    unsigned long long best = open ? queue.rank(queue.current) : NO_BUCKET;
    each_queued(run, queue, [&](int v) {
        const unsigned long long rank = queue.rank(bucket_of(queue, v, (Fault*)nullptr, 0));
        best = rank < best ? rank : best;
    });
    queue.best = queue.rank(end_pass(run, queue, best, live));
}

// The priority of a vertex can no longer change for the better: nothing queued comes before or with its bucket. Asked
// after find_best.
template <class T, QueueKind KIND>
__device__ __forceinline__ bool finished_node(const Queue<T, KIND>& queue, int v, Fault* fault, unsigned line) {
    const unsigned long long bucket = bucket_of(queue, v, fault, line);
    return queue.best == NO_BUCKET || (bucket != NO_BUCKET && queue.better(bucket, queue.best));
}

// A pass over a lazy queue: the vertices of one rank go to a set. The best rank that this thread saw among the others.
template <class T>
__device__ __forceinline__ unsigned long long take_rank(Run& run, Queue<T, LAZY>& queue, unsigned long long wanted, const Set& set) {
    unsigned long long best = NO_BUCKET;
    const unsigned words = (run.vertices() + 31) / 32;
    // A lane per vertex: the priorities of a word are read together.
    for (unsigned w = run.grid.rank() / 32; w < words; w += run.grid.size() / 32) {
        const unsigned bits = queue.pending[w];
        if (!bits) continue;
        const int v = (int)(32 * w + lane());
        bool take = false;
        if (bits >> lane() & 1) {
            const unsigned long long rank = queue.rank(bucket_of(queue, v, (Fault*)nullptr, 0));
            take = rank == wanted;
            if (!take) best = rank < best ? rank : best;
        }
        const unsigned mine = __ballot_sync(0xffffffffu, take);
        if (!mine) continue;
        __syncwarp();  // all have read the word
        unsigned base = 0;
        if (lane() == 0) {
            base = atomicAdd(set.head, __popc(mine));
            queue.pending[w] = bits & ~mine;
        }
        base = __shfl_sync(0xffffffffu, base, 0);
        if (take) set.queue[base + __popc(mine & ((1u << lane()) - 1))] = v;
    }
    return best;
}

// The same for a near-far queue: its far list is split. What is not queued any more is dropped, the rest moves to the
// other side.
template <class T>
__device__ __forceinline__ unsigned long long take_rank(Run& run, Queue<T, NEAR_FAR>& queue, unsigned long long wanted, const Set& set) {
    unsigned long long best = NO_BUCKET;
    const int* ids = queue.far.ids(run.vertices());
    const unsigned n = queue.far.length(queue.cells);
    queue.far.turn_over(queue.cells, run.grid);
    Appender<0> taken{set.queue, set.head};
    Appender<1> kept = queue.far.appender(queue.cells, run.vertices());
    taken.begin();
    kept.begin();
    in_step(run.grid, n, [&](unsigned i, bool here) {
        const int v = here ? ids[i] : 0;
        bool take = false, keep = false;
        if (here && queue.is_pending(v)) {
            const unsigned long long rank = queue.rank(bucket_of(queue, v, (Fault*)nullptr, 0));
            take = rank == wanted;
            keep = !take;
            if (take) clear_bit(queue.pending, v);
            else best = rank < best ? rank : best;
        }
        if (here && !keep) clear_bit(queue.far.listed, v);
        taken.append(take, v);
        kept.append(keep, v);
    });
    taken.flush();
    kept.flush();
    return best;
}

// Takes the vertices of the best bucket out of the queue. Their number is subtracted at the next update: others may
// still be reading the count.
template <class T, QueueKind KIND> __device__ inline int dequeue(Run& run, Queue<T, KIND>& queue, int& near, unsigned live) {
    const unsigned long long updated = queue.updated(), current = queue.rank(queue.current);
    queue.bound = updated < queue.bound ? updated : queue.bound;
    const bool some_near = run.size(near) > 0;
    int place;
    if (some_near && !(updated < current)) {
        // The bits are cleared beside the operator that follows; it does not look at them.
        place = near;
        const Set set = run.at(place);
        const unsigned n = set.size();
        for (unsigned i = run.grid.rank(); i < n; i += run.grid.size()) clear_bit(queue.pending, set.queue[i]);
        queue.taken += n;
    } else {
        place = run.make(QUEUE, live);
        live |= Run::bit(place);
        if (some_near) {
            // The near set is given up, and its bucket is one of many.
            queue.bound = current < queue.bound ? current : queue.bound;
            if constexpr (KIND == NEAR_FAR) {
                Appender<1> far = queue.far.appender(queue.cells, run.vertices());
                const Set set = run.at(near);
                far.begin();
                in_step(run.grid, set.size(), [&](unsigned i, bool here) {
                    const int v = here ? set.queue[i] : 0;
                    far.append(here && mark_bit(queue.far.listed, v), v);
                });
                far.flush();
                run.wait(live);
            }
        }
        if (!finished(queue)) {
            unsigned long long wanted = queue.best_known ? queue.rank(queue.best) : queue.bound;
            // The second time the bucket is the true one.
            while (wanted != NO_BUCKET) {
                queue.bound = end_pass(run, queue, take_rank(run, queue, wanted, run.at(place)), live);
                if (run.size(place) > 0) {
                    queue.current = queue.rank(wanted);
                    break;
                }
                wanted = queue.bound;
                // Everybody has seen that the set is empty.
                run.wait(live);
            }
            queue.taken += run.size(place);
        }
    }
    near = EMPTY;
    queue.best_known = 0;
    queue.turn++;
    if (run.grid.first()) queue.cells[1 + (queue.turn & 1)] = NO_BUCKET;
    return place;
}

// Moves the members of a set to the buckets of their present priorities.
template <class T, QueueKind KIND>
__device__ inline void update_buckets(Run& run, Queue<T, KIND>& queue, int& near, int modified, Fault* fault,
                                      unsigned line, unsigned live) {
    if (near == EMPTY) near = run.make(QUEUE, live);
    Output out{run.at(near), fault, line, queue.marks, queue.turn + 1, 0};
    out.begin();
    unsigned long long best = NO_BUCKET, change = 0;
    // A member, and whether it is new in the far list.
    auto move = [&](int v) {
        const unsigned long long bucket = bucket_of(queue, v, fault, line);
        if (bucket == NO_BUCKET) {
            if (clear_bit(queue.pending, v)) change--;
            return false;
        }
        if (mark_bit(queue.pending, v)) change++;
        if (bucket == queue.current) {
            out.append_by_counters(v);
            return false;
        }
        const unsigned long long rank = queue.rank(bucket);
        best = rank < best ? rank : best;
        return KIND == NEAR_FAR && mark_bit(queue.far.listed, v);
    };
    if constexpr (KIND == NEAR_FAR) {
        Appender<1> far = queue.far.appender(queue.cells, run.vertices());
        far.begin();
        each_member_in_step(run, modified, [&](int v, bool here) { far.append(here && move(v), v); });
        far.flush();
    } else {
        each_member(run, modified, move);
    }
    out.flush();
    if (run.grid.first()) change -= queue.taken;
    queue.taken = 0;
    block_add(queue.cells, change);
    block_min(queue.cells + 1 + (queue.turn & 1), best);
    queue.best_known = 0;
}

}  // namespace gw
