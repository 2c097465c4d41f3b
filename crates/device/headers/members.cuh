// The members of a set, shared out among all threads.
#pragma once
#include "run.cuh"

namespace gw {

// Calls `visit` once per member, repeats counted. A map is read vertex by vertex.
template <class Visit> __device__ __forceinline__ void each_member(const Run& run, int place, Visit visit) {
    if (place == EMPTY) return;
    if (place == ALL_VERTICES) {
        for (unsigned v = run.grid.rank(); v < run.vertices(); v += run.grid.size()) visit((int)v);
        return;
    }
    const Set set = run.at(place);
    const unsigned form = run.form(place);
    if (form & QUEUE) {
        const unsigned n = set.size();
        for (unsigned i = run.grid.rank(); i < n; i += run.grid.size()) visit(set.queue[i]);
    } else {
        for (unsigned v = run.grid.rank(); v < run.vertices(); v += run.grid.size())
            if (set.has(form, (int)v)) visit((int)v);
    }
}

// Calls `visit(i, here)` for all i below n, shared out among all threads. The lanes of a warp call it together;
// `here` is false in those that have no number left.
template <class Visit> __device__ __forceinline__ void in_step(const Grid& grid, unsigned n, Visit visit) {
    for (unsigned long long base = grid.rank() - lane(); base < n; base += grid.size()) {
        const unsigned long long i = base + lane();
        visit((unsigned)i, i < n);
    }
}

// The members of a set for visits that need the lanes of a warp together: each calls `visit(v, here)`, and `here` is
// false where it has no member.
template <class Visit> __device__ __forceinline__ void each_member_in_step(const Run& run, int place, Visit visit) {
    if (place == EMPTY) return;
    const bool listed = place != ALL_VERTICES && run.form(place) & QUEUE;
    const Set set = run.at(place == ALL_VERTICES ? EMPTY : place);
    const unsigned form = place == ALL_VERTICES ? 0 : run.form(place);
    in_step(run.grid, listed ? set.size() : run.vertices(), [&](unsigned i, bool here) {
        const int v = here ? listed ? set.queue[i] : (int)i : 0;
        if (here && form && !listed) here = set.has(form, v);
        visit(v, here);
    });
}

// Adds one vertex to a set that has room for maps. One that is in the set already changes nothing: a map tells.
__device__ inline void add_vertex(Run& run, int& place, int vertex, Fault* fault, unsigned line, unsigned live) {
    const bool outside = (unsigned)vertex >= run.vertices();
    if (outside) {
        if (run.grid.first()) report(fault, FAULT_VERTEX, line, vertex, run.vertices());
        return;
    }
    if (place == EMPTY) place = run.make(QUEUE, live);
    if (place == VIEW) run.copy_view(place, live);
    if (place == ALL_VERTICES) return;
    run.need_queue(place, live | Run::bit(place));
    run.need_bits(place, live | Run::bit(place));
    const Set set = run.at(place);
    const bool known = set.has_bit(vertex);
    // Everybody has looked before one thread adds.
    run.grid.wait();
    if (known) return;
    if (run.grid.first()) {
        const unsigned at = set.head[0]++;
        if (at < set.capacity) set.queue[at] = vertex;
        else report(fault, FAULT_FULL, line, at, set.capacity);
        mark_bit(set.bits, vertex);
        if (run.form(place) & BYTES) set.bytes[vertex] = 1;
        if (run.form(place) & LEVELS) set.levels[vertex] = set.round;
    }
    run.set_form(place, run.form(place) & ~(unsigned)COUNTED);
}

}  // namespace gw
