// ETWC (also TWCE), edge-based thread, warp and block mapping: the edges of every vertex, not the vertices, are split
// by size. A warp looks at 32 vertices at once, a lane each. As many edges of a vertex as fill whole strides of the
// block go to a queue of the block, as many of the rest as fill whole warps to a queue of the warps, and the
// remainder (fewer than 32) is done at once by eight lanes. Then warps take entries of their queue one by one, and
// all threads of the block walk each entry of the block's. The queues live in shared memory, and nearly all strides
// are full and coalesced. The best mapping for skewed degrees, and a good one everywhere. The load balancer of the
// UGF thesis (TWCE in its code), with two changes: a vertex that takes no part costs a lane, not eight; and lists of
// many thousand edges, which would keep one block busy long after the others, are put aside and shared by the whole
// grid, behind a barrier. Graphs without such lists pay no barrier.
#pragma once
#include "balance_common.cuh"

namespace gw {

template <class Offset> struct EtwcQueues {
    static constexpr unsigned CAPACITY = BLOCK;  // vertices a block looks at together
    struct Set {
        unsigned for_warps, taken, for_block;  // lengths, and entries already taken by a warp
        // Vertices; where their edges lie is asked again, which the nearest cache answers. Small queues leave it room.
        int of_warps[CAPACITY], of_block[CAPACITY];

        __device__ __forceinline__ void clear() { for_warps = taken = for_block = 0; }
    };
    // Three sets used in turn make one barrier per round enough: when a warp is past the barrier of round r, all are
    // done with the set of round r - 1, and none can fill it again (round r + 2) before the next barrier.
    Set sets[3];
};

template <class Offset> __device__ __forceinline__ EtwcQueues<Offset>& etwc_queues() {
    __shared__ EtwcQueues<Offset> queues;
    return queues;
}

// Lists of this many edges are cut into pieces for all blocks.
constexpr unsigned ETWC_HUB = 16 * BLOCK, ETWC_PIECE = 8 * BLOCK;

// Words of scratch needed for so many active entries with so many edges.
__device__ __host__ constexpr unsigned long long etwc_words(unsigned long long active, unsigned long long edges) {
    return SCRATCH_CONTROL + 2 * (active + edges / ETWC_PIECE);
}

// The pieces put aside. There are two counters used by turns, as in TWC: one is cleared while the other is in use.
struct EtwcPieces {
    struct Piece {
        int v;
        unsigned number;
    };
    unsigned* control;
    Piece* list;
    unsigned turn, room;

    __device__ EtwcPieces(Scratch& scratch)
        : control(scratch.words + 16), list((Piece*)(scratch.words + SCRATCH_CONTROL)),
          turn(*(volatile unsigned*)(scratch.words + 16)) {
        const unsigned long long all = (scratch.capacity - SCRATCH_CONTROL) / 2;
        room = all < ~0u ? (unsigned)all : ~0u;
    }
    // False where there is no room: in an input with repeats the hubs of the graph stand more than once. The caller
    // then walks v like other vertices. Places that were asked for in vain are marked as empty; who comes later asks
    // beyond them. One addition, not a loop of compare and swap: hubs are found by many warps at once, and only one
    // swap of a round succeeds (3,000 hubs of kron20 took 1.5 ms).
    __device__ bool put(int v, unsigned pieces) const {
        const unsigned at = atomicAdd(control + 1 + turn, pieces);
        if (pieces <= room && at <= room - pieces) {
            write(at, v, pieces);
            return true;
        }
        for (unsigned i = at; i < room; ++i) list[i] = Piece{-1, 0};
        return false;
    }
    // The same for walks over all vertices, each of them once: there is room.
    __device__ void put_one_of_all(int v, unsigned pieces) const {
        write(atomicAdd(control + 1 + turn, pieces), v, pieces);
    }
    __device__ void write(unsigned at, int v, unsigned pieces) const {
        for (unsigned i = 0; i < pieces; ++i) list[at + i] = Piece{v, i};
    }
    // Some may be empty (v below 0).
    __device__ unsigned length() const {
        const unsigned asked = *(volatile unsigned*)(control + 1 + turn);
        return asked < room ? asked : room;
    }
    __device__ void next_turn() const {
        control[2 - turn] = 0;
        control[0] = 1 - turn;
    }
};

// `greatest` is the length of the longest list of the graph.
template <class Walk> __device__ void balance_etwc(Walk& walk, Scratch& scratch, Grid& grid, unsigned greatest) {
    typedef typename Walk::Offset Offset;
    const bool has_hubs = greatest >= ETWC_HUB && walk.active() > 0;
    const EtwcPieces pieces(scratch);
    constexpr unsigned LANES = 8;
    EtwcQueues<Offset>& queues = etwc_queues<Offset>();

    __syncthreads();  // an earlier call is done with the queues
    if (threadIdx.x < 3) queues.sets[threadIdx.x].clear();
    __syncthreads();

    const unsigned n = walk.active();
    const unsigned at = lane() % LANES;
    const unsigned mask = lanes_of_group(LANES);
    // Small frontiers: fewer vertices per warp, so that more blocks have some. A power of two from 4 to 32.
    unsigned per_warp = WARP;
    while (per_warp > 4 && (unsigned long long)n < (unsigned long long)all_warps() * per_warp / 2) per_warp /= 2;
    unsigned turn = 0;
    for (unsigned base = blockIdx.x * per_warp; base < n; base += all_warps() * per_warp) {
        typename EtwcQueues<Offset>::Set& set = queues.sets[turn];

        // 1. A lane per vertex: queue the large parts.
        const unsigned i = base + warp() * blocks() * per_warp + lane();
        int v = -1;
        Offset first = 0, count = 0;
        if (lane() < per_warp && i < n) {
            v = walk.vertex(i);
            if (v >= 0) {
                const Range<Offset> edges = walk.range(v);
                first = edges.first;
                count = edges.length();
                if (count >= ETWC_HUB && pieces.put(v, (unsigned)((count + ETWC_PIECE - 1) / ETWC_PIECE))) count = 0;
                const Offset below_block = count % BLOCK;
                if (count >= BLOCK) set.of_block[atomicAdd(&set.for_block, 1u)] = v;
                if (below_block >= WARP) set.of_warps[atomicAdd(&set.for_warps, 1u)] = v;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) queues.sets[turn == 0 ? 2 : turn - 1].clear();

        // 2. The remainders: eight lanes each, the groups take them in turn.
        const unsigned rest = (unsigned)(count % BLOCK) % WARP;
        for (unsigned waiting = __ballot_sync(FULL, rest > 0); waiting;) {
            unsigned mine = waiting;
            for (unsigned g = 0; g < lane() / LANES; ++g) mine &= mine - 1;
            for (unsigned g = 0; g < WARP / LANES; ++g) waiting &= waiting - 1;
            const int from = mine ? __ffs(mine) - 1 : (int)lane();
            const int owner = __shfl_sync(FULL, v, from);
            const Offset begin = __shfl_sync(FULL, first, from), all = __shfl_sync(FULL, count, from);
            if (mine) {
                const unsigned few = (unsigned)(all % BLOCK) % WARP;
                typename Walk::Partial partial = walk.begin(owner);
                walk_share<2>(walk, owner, begin + (all - few), Offset(few), Offset(0), at, LANES, mask, partial);
                __syncwarp(mask);
                if (all < WARP) {
                    walk.template end<LANES, true>(owner, partial);
                } else {
                    walk.template end<LANES, false>(owner, partial);
                }
            }
            __syncwarp();
        }

        // 3. The queues: entries for single warps are taken one by one, then those of the block by all its warps. One
        // loop for both, because the code of an edge is long.
        bool singly = set.for_warps > 0;
        for (unsigned next = 0;; ++next) {
            if (singly) {
                if (lane() == 0) next = atomicAdd(&set.taken, 1u);
                next = __shfl_sync(FULL, next, 0);
                if (next >= set.for_warps) {
                    singly = false;
                    next = 0;
                }
            }
            if (!singly && next >= set.for_block) break;
            const int owner = singly ? set.of_warps[next] : set.of_block[next];
            const Range<Offset> edges = walk.range(owner);
            const Offset begin = edges.first, all = edges.length();
            const Offset below_block = all % BLOCK, below_warp = all % WARP;
            const Offset skipped = singly ? all - below_block : 0;
            const Offset part = singly ? below_block - below_warp : all - below_block;
            const Offset start = singly ? 0 : warp() * WARP;
            typename Walk::Partial partial = walk.begin(owner);
            walk_share(walk, owner, begin + skipped, part, start, lane(), singly ? WARP : BLOCK, FULL, partial);
            __syncwarp();
            walk.template end<32, false>(owner, partial);
        }
        turn = turn == 2 ? 0 : turn + 1;
    }
    if (!has_hubs) return;

    // 4. The pieces, block by block.
    grid.wait();
    const unsigned length = pieces.length();
    if (grid.first()) pieces.next_turn();
    for (unsigned next = blockIdx.x; next < length; next += blocks()) {
        const EtwcPieces::Piece piece = pieces.list[next];
        if (piece.v < 0) continue;
        const Offset skipped = (Offset)piece.number * ETWC_PIECE;
        const Range<Offset> edges = walk.range(piece.v);
        const Offset begin = edges.first + skipped, all = edges.last - begin;
        typename Walk::Partial partial = walk.begin(piece.v);
        walk_share(walk, piece.v, begin, all < ETWC_PIECE ? all : (Offset)ETWC_PIECE, Offset(warp() * WARP), lane(), BLOCK, FULL,
                   partial);
        __syncwarp();
        walk.template end<32, false>(piece.v, partial);
    }
}

}  // namespace gw
