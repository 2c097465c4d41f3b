// The sets of a kernel: which storage is in use, in which forms, and what is cleared when.
//
// Code outside operators runs alike in every thread, so this state is the same in all of them. A set variable is the
// number of a place: 0..7 are lent by the kernel, 8..11 came from the host, 12 is all vertices, 13 is a view into a
// list, -1 is the empty set. A place that no variable names any more is cleared after the next barrier, and lent
// again after the one behind that: so a loop pays one barrier per operator, and clearing runs beside the next
// operator.
#pragma once
#include "fault.cuh"
#include "range.cuh"
#include "reduce.cuh"
#include "set.cuh"

namespace gw {

constexpr unsigned STATE_WORDS = 4;
constexpr int PLACES = 12, OWN_PLACES = 8, ALL_VERTICES = 12, VIEW = 13, EMPTY = -1;

// Ids of several sets, one behind the other, last in first out.
struct List {
    int* ids;
    unsigned* ends;      // ends[i] is one past the last id of set i
    unsigned* heads;     // four words per set
    unsigned capacity;   // of ids
    unsigned depth_capacity;
};

struct ListState {
    List list;
    unsigned depth, used;   // sets on it, ids of them
};

struct Places {
    Set at[PLACES];
    unsigned own;        // how many of the first eight exist
    unsigned vertices;
};

struct Run {
    const Places& places;
    Grid grid;
    unsigned long long forms;   // five bits per place
    unsigned free_places, clearing;
    Set view;                   // a set of a list, seen where it lies
    unsigned view_form;
    unsigned round;             // of deduplication and of masks

    __device__ __forceinline__ Run(const Places& places, unsigned* counter, unsigned long long forms, unsigned round)
        : places(places), grid{counter}, forms(forms), free_places((1u << places.own) - 1), clearing(0),
          view{}, view_form(QUEUE), round(round) {}

    __device__ __forceinline__ unsigned vertices() const { return places.vertices; }
    __device__ __forceinline__ Set at(int place) const {
        if (place == VIEW) return view;
        Set set = places.at[place < 0 ? 0 : place];
        if (place >= 0 && form(place) & LEVELS) set.round = set.head[4];
        return set;
    }
    __device__ __forceinline__ unsigned form(int place) const {
        return place == VIEW ? view_form : (unsigned)(forms >> 5 * place) & 31;
    }
    __device__ __forceinline__ void set_form(int place, unsigned form) {
        if (place == VIEW) view_form = form;
        else forms = (forms & ~(31ull << 5 * place)) | (unsigned long long)form << 5 * place;
    }
    // Members; what was added before must lie behind a barrier.
    __device__ __forceinline__ unsigned size(int place) const {
        if (place == EMPTY) return 0;
        if (place == ALL_VERTICES) return places.vertices;
        return at(place).size();
    }

    __device__ static unsigned bit(int place) { return place >= 0 && place < OWN_PLACES ? 1u << place : 0; }

    // A barrier. `live` are the places that variables name.
    __device__ __forceinline__ void wait(unsigned live) {
        grid.wait();
        recycle(live);
    }

    // What follows a barrier, or the beginning of a kernel that goes on where another ended.
    __device__ __forceinline__ void recycle(unsigned live) {
        free_places |= clearing;
        clearing = ((1u << places.own) - 1) & ~(live | free_places);
        for (unsigned rest = clearing; rest; rest &= rest - 1) clear(__ffs(rest) - 1);
    }

    __device__ inline void clear(int place) {
        const Set set = places.at[place];
        const unsigned was = form(place);
        if (was & BITS)
            for (unsigned w = grid.rank(); w < (vertices() + 31) / 32; w += grid.size()) set.bits[w] = 0;
        if (was & BYTES)
            for (unsigned w = grid.rank(); w < (vertices() + 3) / 4; w += grid.size()) ((unsigned*)set.bytes)[w] = 0;
        if (grid.rank() < 4 || grid.rank() == 5) set.head[grid.rank()] = 0;
    }

    // Whether the run is over, by a fault or because the host says so: every thread calls it and gets the same answer.
    __device__ inline bool is_over(Fault* fault, unsigned live) {
        wait(live);
        if (grid.first()) fault->agreed = gw::is_over(fault);
        wait(live);
        return *(volatile unsigned*)&fault->agreed != 0;
    }

    // A round for the mask of a place. The host sees to it that rounds do not run out.
    __device__ __forceinline__ void next_round(int place) {
        round++;
        if (grid.first()) places.at[place].head[4] = round;
    }

    // What the next launch of a loop must know besides forms and round: STATE_WORDS words.
    __device__ inline void save(unsigned long long* words) const {
        words[0] = (unsigned long long)clearing << 32 | free_places;
        words[1] = (unsigned long long)view.queue;
        words[2] = (unsigned long long)view.head;
        words[3] = (unsigned long long)view.capacity << 32 | view_form;
    }
    __device__ inline void restore(const unsigned long long* words) {
        free_places = (unsigned)words[0];
        clearing = (unsigned)(words[0] >> 32);
        view = Set{(int*)words[1], nullptr, nullptr, nullptr, (unsigned*)words[2], 0, (unsigned)(words[3] >> 32)};
        view_form = (unsigned)words[3];
    }

    // A fresh set, to be filled in this form.
    __device__ __forceinline__ int make(unsigned form, unsigned live) {
        while (!free_places) wait(live);
        const int place = __ffs(free_places) - 1;
        free_places &= free_places - 1;
        set_form(place, form);
        if (form == LEVELS) next_round(place);
        return place;
    }

    // Brings a set into a form. It ends with a barrier when something was to be done.
    __device__ __forceinline__ void need_queue(int place, unsigned live) {
        if (place < 0 || place >= PLACES || form(place) & QUEUE) return;
        const Set set = at(place);
        if (form(place) & BITS) queue_of_bits(set, vertices(), grid);
        else queue_of_map(set, form(place), vertices(), grid);
        set_form(place, form(place) | QUEUE);
        wait(live);
    }
    __device__ __forceinline__ void need_bits(int& place, unsigned live) { need_map<BITS>(place, live); }
    __device__ __forceinline__ void need_bytes(int& place, unsigned live) { need_map<BYTES>(place, live); }
    __device__ __forceinline__ void need_levels(int& place, unsigned live) { need_map<LEVELS>(place, live); }
    template <unsigned MAP> __device__ __forceinline__ void need_map(int& place, unsigned live) {
        if (place == EMPTY || place == ALL_VERTICES || form(place) & MAP) return;
        if (place == VIEW) copy_view(place, live);
        if (MAP == LEVELS) next_round(place);
        map_of<MAP>(at(place), form(place), round, vertices(), grid);
        set_form(place, form(place) | MAP);
        wait(live | bit(place));
    }
    // A set of a list has no room for maps: it moves to a place of its own.
    __device__ inline void copy_view(int& place, unsigned live) {
        place = make(QUEUE, live);
        const Set set = places.at[place];
        const unsigned n = view.size() < set.capacity ? view.size() : set.capacity;
        for (unsigned i = grid.rank(); i < n; i += grid.size()) set.queue[i] = view.queue[i];
        if (grid.first()) set.head[0] = n;
        wait(live | bit(place));
    }

    // Puts a copy of a set on a list; what is read from it later lies behind a barrier.
    __device__ inline void append(List& list, unsigned& depth, unsigned& used, int place, Fault* fault, unsigned line, unsigned live) {
        need_queue(place, live);
        const unsigned n = size(place);
        if (n > list.capacity - used || depth >= list.depth_capacity) {
            if (grid.first()) report(fault, FAULT_FULL, line, (long long)used + n, list.capacity);
            return;
        }
        for (unsigned i = grid.rank(); i < n; i += grid.size())
            list.ids[used + i] = place == ALL_VERTICES ? (int)i : at(place).queue[i];
        if (grid.first()) {
            list.ends[depth] = used + n;
            list.heads[4 * depth] = n;
            list.heads[4 * depth + 1] = list.heads[4 * depth + 2] = list.heads[4 * depth + 3] = 0;
        }
        used += n;
        depth++;
    }
    // Takes the last set off a list. It stays where it is until the list grows again.
    __device__ inline int pop(List& list, unsigned& depth, unsigned& used, Fault* fault, unsigned line) {
        if (depth == 0) {
            if (grid.first()) report(fault, FAULT_EMPTY, line, 0, 0);
            return EMPTY;
        }
        depth--;
        used = depth ? ((volatile unsigned*)list.ends)[depth - 1] : 0;
        view = Set{list.ids + used, nullptr, nullptr, nullptr, list.heads + 4 * depth, 0, list.capacity - used};
        view_form = QUEUE;
        return VIEW;
    }

    // Edges that leave a set, for the choice between variants. Counted once per set.
    template <class Offset>
    __device__ __forceinline__ unsigned long long edges_of(int place, const Offset* offsets, unsigned live) {
        if (place == ALL_VERTICES) return offsets[vertices()];
        return added_up(place, [=](int v) { return offsets[v + 1] - offsets[v]; }, live);
    }
    // The same where lists stand apart, in a graph of so many edges.
    template <class Offset>
    __device__ __forceinline__ unsigned long long edges_of(int place, const Range<Offset>* ranges,
                                                           unsigned long long edges, unsigned live) {
        if (place == ALL_VERTICES) return edges;
        return added_up(place, [=](int v) { return ranges[v].length(); }, live);
    }
    template <class Degree>
    __device__ __forceinline__ unsigned long long added_up(int place, Degree degree, unsigned live) {
        if (place == EMPTY) return 0;
        const Set set = at(place);
        unsigned long long* total = (unsigned long long*)(set.head + 2);
        if (!(form(place) & COUNTED)) {
            unsigned long long sum = 0;
            const bool queue = form(place) & QUEUE;
            const unsigned n = queue ? set.size() : vertices();
            for (unsigned i = grid.rank(); i < n; i += grid.size()) {
                const int v = queue ? set.queue[i] : (int)i;
                if (!queue && !set.has(form(place), v)) continue;
                sum += degree(v);
            }
            block_add(total, sum);
            set_form(place, form(place) | COUNTED);
            wait(live);
        }
        return *(volatile unsigned long long*)total;
    }
    // The set leaves the kernel: whoever counts next begins at zero.
    __device__ __forceinline__ void forget_edges(int place) {
        if (place < 0 || place >= PLACES || !(form(place) & COUNTED)) return;
        if (grid.first()) *(unsigned long long*)(at(place).head + 2) = 0;
        set_form(place, form(place) & ~(unsigned)COUNTED);
    }
};

}  // namespace gw
