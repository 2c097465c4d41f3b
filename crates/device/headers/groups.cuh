// Groups of the neighbours of vertices: for every member of a set, the edges are grouped by a key, one value per group,
// and what is chosen among the groups is handed on. Says of an operator what it needs:
//
//   typedef unsigned Offset;                          // position of an edge; or unsigned long long
//   static constexpr bool ADDS;                       // words of a group are added; else the greatest is kept
//   static constexpr bool FIXED;                      // values are reals, added in units of a power of two
//   static constexpr bool OFFERS;                     // own(v) is offered where it is no key
//   static constexpr GroupChoice CHOICE;
// static constexpr GroupUnit LEAST_UNIT;            // what groups the shortest lists; longer ones go to greater units
//   Range<Offset> range(int v) const;                 // of the edges of v
//   int key(int v, Offset e);                         // negative: the edge is left out
//   double real(int v, Offset e);                     // FIXED: the value of an edge
//   unsigned long long word(int v, Offset e, double scale);
//   unsigned long long nothing();                     // the word of the value 0
//   int own(int v);
//   double score(int v, int key, unsigned long long word, double scale);
//   void visit(int v, int key, unsigned long long word, double scale);
//   void chosen(int v, int key);                      // called by one lane
//
// Words are such that 0 is neutral: a table of zeros is empty. Vertices are treated by their degrees. One lane does
// those with up to FEW edges, in registers. A warp does those whose groups fit its part of the block's shared memory.
// The others are put aside and done by blocks, with all of the shared memory or, longer lists still, with a table in
// global memory, of which there are as many as fit.
#pragma once
#include "grid.cuh"
#include "members.cuh"
#include "range.cuh"

namespace gw {

enum GroupChoice { BEST_GROUP, EACH_GROUP, COUNT_GROUPS, LEAST_ABSENT };
// A lane with registers, a warp with a part of shared memory, a block with all of it, a block with global memory.
enum GroupUnit { BY_LANE, BY_WARP, IN_SHARED, IN_MEMORY };

// Tables in global memory, for blocks.
struct GroupTables {
    unsigned long long* words;   // behind those of all tables, their keys
    unsigned slots, count;       // slots of a table, a power of two; tables
};

// Numbers to turn.
#ifndef GW_GROUP_FEW
#define GW_GROUP_FEW 8           // edges up to which a lane groups in registers
#endif
#ifndef GW_GROUP_SLOTS
#define GW_GROUP_SLOTS 2048      // slots in the shared memory of a block
#endif

constexpr unsigned GROUP_FEW = GW_GROUP_FEW, GROUP_SLOTS = GW_GROUP_SLOTS, WARP_SLOTS = GROUP_SLOTS / WARPS;
// Words of the control part of scratch: vertices put aside for shared and for global memory, and those taken.
constexpr unsigned GROUP_CONTROL = 56;

struct GroupSpace {
    unsigned long long words[GROUP_SLOTS];
    unsigned keys[GROUP_SLOTS];
    double scores[WARPS];
    unsigned long long parts[WARPS];
    int best[WARPS];
    unsigned next;
};

__device__ __forceinline__ GroupSpace& group_space() {
    __shared__ GroupSpace space;
    return space;
}

// A table: keys count from 1, 0 is none.
struct GroupTable {
    volatile unsigned* keys;
    volatile unsigned long long* words;
    unsigned shift, mask;

    __device__ __forceinline__ GroupTable(unsigned* keys, unsigned long long* words, unsigned edges) : keys(keys), words(words) {
        // At least twice as many slots as there can be groups.
        const unsigned bits = 32 - __clz(2 * edges + 2);
        shift = 32 - bits;
        mask = (1u << bits) - 1;
    }
    __device__ __forceinline__ unsigned first(unsigned key) const { return ((key - 1) * 2654435769u) >> shift; }
    // The slot of a key, taken for it if there was none; `is_new` tells.
    __device__ __forceinline__ unsigned take(unsigned key, bool& is_new) const {
        is_new = false;
        for (unsigned at = first(key);; at = (at + 1) & mask) {
            unsigned there = keys[at];
            if (there == 0) {
                there = atomicCAS((unsigned*)keys + at, 0u, key);
                is_new = there == 0;
            }
            if (there == 0 || there == key) return at;
        }
    }
    __device__ __forceinline__ bool has(unsigned key) const {
        for (unsigned at = first(key);; at = (at + 1) & mask) {
            const unsigned there = keys[at];
            if (there == 0 || there == key) return there == key;
        }
    }
};

// The better of two choices: the greater score, the lesser key among equals; no key is -1.
__device__ __forceinline__ void better_group(double& score, int& key, double other, int other_key) {
    if (other_key >= 0 && other == other && (key < 0 || other > score || (other == score && other_key < key))) {
        score = other;
        key = other_key;
    }
}

// The power of two by which reals are multiplied; NaN where one of them is no finite number.
__device__ __forceinline__ double group_scale(unsigned long long greatest, unsigned edges) {
    const int exponent = (int)(greatest >> 52);
    if (exponent == 0x7ff) return __longlong_as_double(0x7ff8000000000000ll);
    int shift = 62 - (32 - __clz(edges)) - (exponent - 1022);
    shift = shift < -1022 ? -1022 : shift > 1022 ? 1022 : shift;
    return __longlong_as_double((long long)(1023 + shift) << 52);
}
__device__ __forceinline__ unsigned long long fixed_word(double value, double scale) {
    const double units = rint(value * scale);
    return units == units ? (unsigned long long)(long long)units : 0;
}
__device__ __forceinline__ double fixed_value(unsigned long long word, double scale) {
    return (double)(long long)word * (1.0 / scale);
}
// Doubles as whole numbers without sign in the same order, and back.
__device__ __forceinline__ unsigned long long ordered_word(double value) {
    const long long bits = __double_as_longlong(value);
    return (unsigned long long)bits ^ (bits < 0 ? ~0ull : 1ull << 63);
}
__device__ __forceinline__ double ordered_value(unsigned long long word) {
    return __longlong_as_double((long long)(word ^ (word >> 63 ? 1ull << 63 : ~0ull)));
}
__device__ __forceinline__ unsigned long long magnitude(double value) {
    return (unsigned long long)__double_as_longlong(value) & ~(1ull << 63);
}

// The lanes of a warp, or the threads of a block, that group the edges of one vertex.
struct WarpUnit {
    __device__ __forceinline__ unsigned rank() const { return lane(); }
    __device__ __forceinline__ unsigned size() const { return WARP; }
    __device__ __forceinline__ void wait() const { __syncwarp(); }
    template <class Combine> __device__ __forceinline__ unsigned long long reduce(unsigned long long x, Combine combine) const {
        return group_reduce<32>(x, combine);
    }
    __device__ __forceinline__ void best(double& score, int& key) const {
        for (int step = 16; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(FULL, score, step);
            const int other_key = __shfl_xor_sync(FULL, key, step);
            better_group(score, key, other, other_key);
        }
    }
};
struct BlockUnit {
    __device__ __forceinline__ unsigned rank() const { return threadIdx.x; }
    __device__ __forceinline__ unsigned size() const { return BLOCK; }
    __device__ __forceinline__ void wait() const { __syncthreads(); }
    template <class Combine> __device__ unsigned long long reduce(unsigned long long x, Combine combine) const {
        GroupSpace& space = group_space();
        x = group_reduce<32>(x, combine);
        __syncthreads();
        if (lane() == 0) space.parts[threadIdx.x / WARP] = x;
        __syncthreads();
        x = space.parts[0];
        for (unsigned i = 1; i < WARPS; ++i) x = combine(x, space.parts[i]);
        return x;
    }
    __device__ void best(double& score, int& key) const {
        GroupSpace& space = group_space();
        WarpUnit().best(score, key);
        __syncthreads();
        if (lane() == 0) {
            space.scores[threadIdx.x / WARP] = score;
            space.best[threadIdx.x / WARP] = key;
        }
        __syncthreads();
        for (unsigned i = 0; i < WARPS; ++i) better_group(score, key, space.scores[i], space.best[i]);
    }
};

template <class Op> __device__ __forceinline__ void add_word(unsigned long long* to, unsigned long long word) {
    if (Op::ADDS) atomicAdd(to, word);
    else atomicMax(to, word);
}

// All threads of a unit group the edges of v; the table is empty before and afterwards.
template <class Op, class Unit> __device__ void group_together(Op& op, const Unit& unit, const GroupTable& table, int v) {
    typedef typename Op::Offset Offset;
    const Range<Offset> edges = op.range(v);
    double scale = 1.0;
    if (Op::FIXED) {
        unsigned long long greatest = 0;
        for (Offset e = edges.first + unit.rank(); e < edges.last; e += unit.size())
            if (op.key(v, e) >= 0) {
                const unsigned long long here = magnitude(op.real(v, e));
                greatest = here > greatest ? here : greatest;
            }
        scale = group_scale(unit.reduce(greatest, Greatest()), (unsigned)edges.length());
    }
    for (Offset e = edges.first + unit.rank(); e < edges.last; e += unit.size()) {
        const int key = op.key(v, e);
        if (key < 0) continue;
        bool is_new;
        const unsigned at = table.take((unsigned)key + 1, is_new);
        add_word<Op>((unsigned long long*)table.words + at, op.word(v, e, scale));
    }
    unit.wait();
    if (Op::OFFERS) {
        if (unit.rank() == 0) {
            const int own = op.own(v);
            bool is_new = false;
            if (own >= 0) {
                const unsigned at = table.take((unsigned)own + 1, is_new);
                if (is_new) add_word<Op>((unsigned long long*)table.words + at, op.nothing());
            }
        }
        unit.wait();
    }
    int absent = 0;
    if (Op::CHOICE == LEAST_ABSENT) {
        for (unsigned base = 0;; base += unit.size()) {
            const unsigned key = base + unit.rank();
            const unsigned long long mine = table.has(key + 1) ? ~0ull : key;
            const unsigned long long least = unit.reduce(mine, Least());
            if (least != ~0ull) {
                absent = (int)least;
                break;
            }
        }
        unit.wait();
    }
    double score = 0.0;
    int best = -1;
    unsigned long long groups = 0;
    for (unsigned at = unit.rank(); at <= table.mask; at += unit.size()) {
        const unsigned there = table.keys[at];
        if (there == 0) continue;
        const int key = (int)(there - 1);
        const unsigned long long word = table.words[at];
        table.keys[at] = 0;
        table.words[at] = 0;
        ++groups;
        if (Op::CHOICE == BEST_GROUP) better_group(score, best, op.score(v, key, word, scale), key);
        if (Op::CHOICE == EACH_GROUP) op.visit(v, key, word, scale);
    }
    unit.wait();
    if (Op::CHOICE == BEST_GROUP) unit.best(score, best);
    if (Op::CHOICE == COUNT_GROUPS) best = (int)unit.reduce(groups, Plus());
    if (Op::CHOICE == LEAST_ABSENT) best = absent;
    if (unit.rank() == 0) op.chosen(v, best);
}

// One lane groups a few edges in registers.
template <class Op> __device__ __forceinline__ void group_alone(Op& op, int v) {
    typedef typename Op::Offset Offset;
    const Range<Offset> edges = op.range(v);
    const unsigned degree = (unsigned)edges.length();
    int keys[GROUP_FEW + 1];
    unsigned long long words[GROUP_FEW + 1];
    double scale = 1.0;
    if (Op::FIXED) {
        unsigned long long greatest = 0;
        for (unsigned i = 0; i < degree; ++i)
            if (op.key(v, edges.first + i) >= 0) {
                const unsigned long long here = magnitude(op.real(v, edges.first + i));
                greatest = here > greatest ? here : greatest;
            }
        scale = group_scale(greatest, degree);
    }
#pragma unroll
    for (unsigned i = 0; i <= GROUP_FEW; ++i) {
        int key = -1;
        unsigned long long word = 0;
        bool offered = false;
        if (i < degree && i < GROUP_FEW) {
            key = op.key(v, edges.first + i);
            if (key >= 0) word = op.word(v, edges.first + i, scale);
        } else if (Op::OFFERS && i == GROUP_FEW) {
            key = op.own(v);
            word = op.nothing();
            offered = true;
        }
#pragma unroll
        for (unsigned j = 0; j < i; ++j)
            if (key >= 0 && keys[j] == key) {
                if (!offered) words[j] = Op::ADDS ? words[j] + word : words[j] > word ? words[j] : word;
                key = -1;
            }
        keys[i] = key;
        words[i] = word;
    }
    double score = 0.0;
    int best = -1, groups = 0;
#pragma unroll
    for (unsigned i = 0; i <= GROUP_FEW; ++i) {
        if (keys[i] < 0) continue;
        ++groups;
        if (Op::CHOICE == BEST_GROUP) better_group(score, best, op.score(v, keys[i], words[i], scale), keys[i]);
        if (Op::CHOICE == EACH_GROUP) op.visit(v, keys[i], words[i], scale);
    }
    if (Op::CHOICE == COUNT_GROUPS) best = groups;
    if (Op::CHOICE == LEAST_ABSENT) {
        for (best = 0;; ++best) {
            bool there = false;
#pragma unroll
            for (unsigned i = 0; i <= GROUP_FEW; ++i) there |= keys[i] == best;
            if (!there) break;
        }
    }
    op.chosen(v, best);
}

// Every thread of the grid calls it.
template <class Op>
__device__ void group_neighbours(const Run& run, int place, Op& op, Scratch& scratch, Grid& grid, const GroupTables& tables) {
    GroupSpace& space = group_space();
    unsigned* control = scratch.words + GROUP_CONTROL;
    int* aside = (int*)(scratch.words + SCRATCH_CONTROL);
    const unsigned room = (unsigned)((scratch.capacity - SCRATCH_CONTROL) / 2);
    if (grid.first()) control[0] = control[1] = control[2] = control[3] = 0;
    for (unsigned i = threadIdx.x; i < GROUP_SLOTS; i += BLOCK) {
        space.keys[i] = 0;
        space.words[i] = 0;
    }
    grid.wait();

    // 1. Lanes and warps.
    unsigned* keys = space.keys + (threadIdx.x / WARP) * WARP_SLOTS;
    unsigned long long* words = space.words + (threadIdx.x / WARP) * WARP_SLOTS;
    each_member_in_step(run, place, [&](int v, bool here) {
        const unsigned degree = here ? (unsigned)op.range(v).length() : 0;
        const bool alone = here && Op::LEAST_UNIT == BY_LANE && degree <= GROUP_FEW;
        if (alone) group_alone(op, v);
        const bool by_warp = here && !alone && Op::LEAST_UNIT <= BY_WARP && 4 * (degree + 1) <= WARP_SLOTS;
        if (here && !alone && !by_warp) {
            const bool large = Op::LEAST_UNIT == IN_MEMORY || 4 * (degree + 1) > GROUP_SLOTS;
            const unsigned at = atomicAdd(control + large, 1u);
            aside[large ? room + at : at] = v;
        }
        __syncwarp();
        for (unsigned waiting = __ballot_sync(FULL, by_warp); waiting; waiting &= waiting - 1) {
            const int source = __ffs(waiting) - 1;
            const int owner = __shfl_sync(FULL, v, source);
            const unsigned edges = __shfl_sync(FULL, degree, source);
            group_together(op, WarpUnit(), GroupTable(keys, words, edges), owner);
            __syncwarp();
        }
    });
    grid.wait();

    // 2. Blocks: first lists that need global memory, where the block has some, then the others.
    for (unsigned large = 2; large-- > 0;) {
        if (large && blockIdx.x >= tables.count) continue;
        const unsigned length = *(volatile unsigned*)(control + large);
        for (;;) {
            __syncthreads();
            if (threadIdx.x == 0) space.next = atomicAdd(control + 2 + large, 1u);
            __syncthreads();
            const unsigned next = space.next;
            if (next >= length) break;
            const int v = aside[large ? room + next : next];
            const unsigned degree = (unsigned)op.range(v).length();
            if (large) {
                const unsigned long long skipped = (unsigned long long)blockIdx.x * tables.slots;
                unsigned* far_keys = (unsigned*)(tables.words + (unsigned long long)tables.count * tables.slots);
                group_together(op, BlockUnit(), GroupTable(far_keys + skipped, tables.words + skipped, degree), v);
            } else {
                group_together(op, BlockUnit(), GroupTable(space.keys, space.words, degree), v);
            }
        }
    }
}

}  // namespace gw
