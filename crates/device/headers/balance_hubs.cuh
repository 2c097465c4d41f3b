// HUBS APART: any balancer that gives a vertex to one thread, warp or block, with the long lists taken out. A vertex
// of at least `least` edges is put aside when it is loaded; after the others, and a barrier of the grid, all blocks
// share the pieces of these lists. Graphs without such vertices pay no barrier. The supplementary queues of Helix
// (Busato, 2018, section 7.3), with pieces of equal size instead of a launch per power of two: those launches gave each
// thread at most two edges, and a launch would cost more than the edges.
#pragma once
#include "balance_etwc.cuh"

namespace gw {

// A walk without the hubs, which it puts aside.
template <class Walk> struct WithoutHubs {
    typedef typename Walk::Offset Offset;
    typedef typename Walk::Partial Partial;
    static constexpr bool EARLY_EXIT = Walk::EARLY_EXIT;
    Walk& walk;
    const EtwcPieces& pieces;
    const unsigned least;

    __device__ __forceinline__ unsigned active() const { return walk.active(); }
    __device__ __forceinline__ int vertex(unsigned i) {
        const int v = walk.vertex(i);
        if (v < 0) return v;
        const Offset count = walk.range(v).length();
        if (count < least) return v;
        return pieces.put(v, (unsigned)((count + ETWC_PIECE - 1) / ETWC_PIECE)) ? -1 : v;
    }
    __device__ __forceinline__ Offset first(int v) const { return walk.first(v); }
    __device__ __forceinline__ Range<Offset> range(int v) const { return walk.range(v); }
    __device__ __forceinline__ Partial begin(int v) const { return walk.begin(v); }
    __device__ __forceinline__ bool edge(int v, Offset e, Partial& partial) { return walk.edge(v, e, partial); }
    template <int LANES, bool WHOLE> __device__ __forceinline__ void end(int v, Partial& partial) {
        walk.template end<LANES, WHOLE>(v, partial);
    }
};

// `greatest` is the length of the longest list of the graph, `balance` a balancer as a function of a walk. Needs as
// much scratch as ETWC.
template <class Walk, class Balance>
__device__ void balance_hubs(Walk& walk, Scratch& scratch, Grid& grid, unsigned least, unsigned greatest,
                             Balance balance) {
    typedef typename Walk::Offset Offset;
    const EtwcPieces pieces(scratch);
    WithoutHubs<Walk> others{walk, pieces, least};
    balance(others);
    if (greatest < least || walk.active() == 0) return;  // the same for all: nobody waits

    grid.wait();
    const unsigned length = pieces.length();
    if (grid.first()) pieces.next_turn();
    for (unsigned next = blockIdx.x; next < length; next += blocks()) {
        const EtwcPieces::Piece piece = pieces.list[next];
        if (piece.v < 0) continue;
        const Range<Offset> edges = walk.range(piece.v);
        const Offset begin = edges.first + (Offset)piece.number * ETWC_PIECE, all = edges.last - begin;
        const Offset here = all < ETWC_PIECE ? all : (Offset)ETWC_PIECE;
        typename Walk::Partial partial = walk.begin(piece.v);
        walk_share(walk, piece.v, begin, here, Offset(warp() * WARP), lane(), BLOCK, FULL, partial);
        __syncwarp();
        walk.template end<32, false>(piece.v, partial);
    }
}

}  // namespace gw
