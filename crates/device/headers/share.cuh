// Functions over the members of a set, each with one loop whose turns lanes share. An Op says:
//
//   int turns(int v);                                       // of the loop of member v; negative ones are none
//   template <class Share> void part(int v, const Share&);  // the turns of this share, and what stands around them
//
// The turns of one member differ from those of another by orders of magnitude, as degrees do. Members with few are done
// by a lane each, those with some more by eight lanes, others by a warp; and where nothing is added up over all turns
// of a member (PIECES), many turns are put aside in pieces, which warps take one by one when all members are looked at.
// Where there are fewer members than lanes, warps take fewer members at once, so that all warps have work.
//
// A set is read once; per member the statements before the loop are run twice by one lane and then once by every lane
// that shares it. With PIECES it costs one barrier.
#pragma once
#include "balance_common.cuh"
#include "members.cuh"

namespace gw {

// Numbers to turn.
#ifndef GW_FEW_TURNS
#define GW_FEW_TURNS 6           // turns up to which a lane does a member
#endif
#ifndef GW_SOME_TURNS
#define GW_SOME_TURNS 48         // and eight lanes
#endif
#ifndef GW_MANY_TURNS
#define GW_MANY_TURNS 512        // turns from which on they are put aside,
#endif
#ifndef GW_PIECE_TURNS
#define GW_PIECE_TURNS 256       // in pieces of so many
#endif

__device__ __forceinline__ unsigned turns_between(int low, int high) {
    return high > low ? (unsigned)high - (unsigned)low : 0;
}

// One lane does all turns.
struct WholeLoop {
    static constexpr unsigned STEP = 1;
    __device__ __forceinline__ unsigned first() const { return 0; }
    __device__ __forceinline__ unsigned last(unsigned turns) const { return turns; }
    __device__ __forceinline__ bool leads() const { return true; }
    template <class T> __device__ __forceinline__ T sum(T value) const { return value; }
};

// An aligned group of LANES lanes does turns `begin` to `end`, a lane every LANES-th. All its lanes come to the sum.
template <unsigned LANES> struct LoopPart {
    static constexpr unsigned STEP = LANES;
    unsigned begin, end;
    __device__ __forceinline__ unsigned first() const { return begin + lane() % LANES; }
    __device__ __forceinline__ unsigned last(unsigned turns) const { return turns < end ? turns : end; }
    __device__ __forceinline__ bool leads() const { return lane() % LANES == 0; }
    template <class T> __device__ __forceinline__ T sum(T value) const {
        __syncwarp(group_mask<LANES>());
        return group_reduce<LANES>(value, Plus());
    }
};

// Turns put aside for warps, in scratch. Two sets of counters take turns: one is used while the other is cleared.
struct LoopPieces {
    struct Piece {
        int v;
        unsigned first;
    };
    unsigned* control;           // uses so far; pieces put aside and pieces taken, twice
    Piece* pieces;
    unsigned capacity, use;

    __device__ __forceinline__ explicit LoopPieces(const Scratch& scratch)
        : control(scratch.words + 40), pieces((Piece*)(scratch.words + SCRATCH_CONTROL)) {
        const unsigned long long room = (scratch.capacity - SCRATCH_CONTROL) / 2;
        capacity = room < 0x40000000u ? (unsigned)room : 0x40000000u;
        use = *(volatile unsigned*)control & 1;
    }
    __device__ __forceinline__ unsigned* put_aside() const { return control + 1 + 2 * use; }
    __device__ __forceinline__ unsigned* taken() const { return control + 2 + 2 * use; }
    // By one thread, before the barrier between putting and taking, and behind it.
    __device__ __forceinline__ void clear_other() const { control[1 + 2 * (use ^ 1)] = control[2 + 2 * (use ^ 1)] = 0; }
    __device__ __forceinline__ void finish() const { control[0] = use ^ 1; }

    // Puts the turns of a member aside; false when there is no room.
    __device__ __forceinline__ bool put(int v, unsigned turns) const {
        const unsigned n = (turns - 1) / GW_PIECE_TURNS + 1;
        const unsigned at = atomicAdd(put_aside(), n);
        const unsigned room = at >= capacity ? 0 : capacity - at < n ? capacity - at : n;
        // Pieces of a member that has no room for all are none.
        for (unsigned k = 0; k < room; ++k) pieces[at + k] = Piece{room < n ? -1 : v, k * GW_PIECE_TURNS};
        return room == n;
    }
};

template <bool PIECES, class Op>
__device__ __forceinline__ void share_loops(const Run& run, int place, Op& op, const Scratch& scratch) {
    if (place == EMPTY) return;
    const bool listed = place != ALL_VERTICES && run.form(place) & QUEUE;
    const Set set = run.at(place == ALL_VERTICES ? EMPTY : place);
    const unsigned form = place == ALL_VERTICES ? 0 : run.form(place);
    const unsigned n = listed ? set.size() : run.vertices();
    const LoopPieces pieces(scratch);
    if (PIECES && run.grid.first()) pieces.clear_other();
    const unsigned shares = n / all_warps() + (n % all_warps() != 0);
    const unsigned at_once = shares < WARP ? shares : WARP;
    for (unsigned long long base = (unsigned long long)dealt_warp() * at_once; base < n;
         base += (unsigned long long)all_warps() * at_once) {
        const unsigned long long i = base + lane();
        bool here = lane() < at_once && i < n;
        const int v = here ? listed ? set.queue[i] : (int)i : 0;
        if (here && form && !listed) here = set.has(form, v);
        const int counted = here ? op.turns(v) : 0;
        const unsigned turns = counted > 0 ? counted : 0;
        if (here && turns <= GW_FEW_TURNS) op.part(v, WholeLoop());
        __syncwarp();
        const bool some = turns > GW_FEW_TURNS && turns <= GW_SOME_TURNS;
        if (__any_sync(FULL, some)) {
#pragma unroll 1
            for (unsigned round = 0; round < 8; ++round) {
                const int of = __shfl_sync(FULL, v, round, 8);
                if (__shfl_sync(FULL, (int)some, round, 8)) op.part(of, LoopPart<8>{0, ~0u});
                __syncwarp();
            }
        }
        bool more = turns > GW_SOME_TURNS;
        if (PIECES && turns > GW_MANY_TURNS) more = !pieces.put(v, turns);
        for (unsigned waiting = __ballot_sync(FULL, more); waiting; waiting &= waiting - 1) {
            const int of = __shfl_sync(FULL, v, __ffs(waiting) - 1);
            op.part(of, LoopPart<32>{0, ~0u});
            __syncwarp();
        }
    }
    if (!PIECES) return;
    run.grid.wait();
    if (run.grid.first()) pieces.finish();
    const unsigned put = *(volatile unsigned*)pieces.put_aside();
    const unsigned length = put < pieces.capacity ? put : pieces.capacity;
    while (length > 0) {
        unsigned next = 0;
        if (lane() == 0) next = atomicAdd(pieces.taken(), 1u);
        next = __shfl_sync(FULL, next, 0);
        if (next >= length) break;
        const LoopPieces::Piece piece = pieces.pieces[next];
        if (piece.v >= 0) op.part(piece.v, LoopPart<32>{piece.first, piece.first + GW_PIECE_TURNS});
        __syncwarp();
    }
}

}  // namespace gw
