// ETWC for walks over all vertices: what is cut off for blocks goes to one queue of the whole grid. A frontier may be
// small, and then a barrier of the grid costs more than its edges; all vertices are many. So the long lists are put
// aside in pieces of a few hundred edges, and the warps take them behind a barrier, all lists of a degree-ordered
// graph in pieces of one size. Graphs without much longer lists pay no barrier. Before, a warp looks at 32 vertices at
// once, a lane each, and at fewer where there are not enough vertices for all warps: lists of SHORT_LIST edges and more
// are walked by the warp one by one, shorter ones by eight lanes each. No warp ever waits for others of its block, and
// no shared memory is used: the nearest cache has it all.
#pragma once
#include "balance_etwc.cuh"

namespace gw {

// Lists that are cut into pieces, and edges of a piece. The barrier and the pass behind it cost about as much as a list
// of LONGEST_ALONE edges takes one warp, 1.2 us for 128 of them: where none is longer, no list is cut. Where vertices
// are few, pieces are of a quarter of the length.
constexpr unsigned LONG_LIST = 256, LONG_PIECE = 512, LONGEST_ALONE = 512;

// Lists below this length are walked by eight lanes: four lists at once hide more latency than one.
constexpr unsigned SHORT_LIST = 64;

template <class Walk> __device__ void balance_etwc_all(Walk& walk, Scratch& scratch, Grid& grid, unsigned greatest) {
    typedef typename Walk::Offset Offset;
    const bool has_long = greatest >= LONGEST_ALONE && walk.active() > 0;
    const EtwcPieces pieces(scratch);
    constexpr unsigned LANES = 8;
    const unsigned n = walk.active();
    const unsigned at = lane() % LANES;
    const unsigned mask = lanes_of_group(LANES);
    // As many as let the warps end together, at least one for each group of lanes.
    const unsigned share = n / all_warps() + (n % all_warps() > 0);
    const unsigned per_warp = share > WARP ? WARP : share > WARP / LANES ? share : WARP / LANES;
    // Few vertices are dealt to the warps one by one: neighbours in the numbering often have lists of like lengths, and
    // the last warp to end would be the one that has the longest. Many lie side by side, which reads fewer lines.
    const unsigned all = all_warps() * per_warp;
    const bool singly = per_warp < WARP;
    const unsigned piece_length = singly ? LONG_PIECE / 4 : LONG_PIECE;
    const unsigned begin = singly ? dealt_warp() : dealt_warp() * per_warp, step = singly ? all_warps() : 1;
    for (unsigned base = 0; base < n; base += all) {
        // 1. A lane per vertex: put the long lists aside.
        const unsigned i = base + begin + lane() * step;
        int v = -1;
        Offset first = 0, count = 0;
        if (lane() < per_warp && i < n) {
            v = walk.vertex(i);
            if (v >= 0) {
                const Range<Offset> edges = walk.range(v);
                first = edges.first;
                count = edges.length();
                if (has_long && count >= LONG_LIST) {
                    pieces.put_one_of_all(v, (unsigned)((count + piece_length - 1) / piece_length));
                    count = 0;
                }
            }
        }
        // 2. Lists for the warp.
        for (unsigned waiting = __ballot_sync(FULL, count >= SHORT_LIST); waiting; waiting &= waiting - 1) {
            const int from = __ffs(waiting) - 1;
            const int owner = __shfl_sync(FULL, v, from);
            const Offset start = __shfl_sync(FULL, first, from), edges = __shfl_sync(FULL, count, from);
            typename Walk::Partial partial = walk.begin(owner);
            walk_share(walk, owner, start, edges, Offset(0), lane(), WARP, FULL, partial);
            __syncwarp();
            walk.template end<32, true>(owner, partial);
        }
        // 3. The others: eight lanes each, the groups take them in turn.
        const unsigned few = count < SHORT_LIST ? (unsigned)count : 0;
        for (unsigned waiting = __ballot_sync(FULL, few > 0); waiting;) {
            unsigned mine = waiting;
            for (unsigned g = 0; g < lane() / LANES; ++g) mine &= mine - 1;
            for (unsigned g = 0; g < WARP / LANES; ++g) waiting &= waiting - 1;
            const int from = mine ? __ffs(mine) - 1 : (int)lane();
            const int owner = __shfl_sync(FULL, v, from);
            const Offset start = __shfl_sync(FULL, first, from);
            const unsigned edges = __shfl_sync(FULL, few, from);
            if (mine) {
                typename Walk::Partial partial = walk.begin(owner);
                walk_share(walk, owner, start, Offset(edges), Offset(0), at, LANES, mask, partial);
                __syncwarp(mask);
                walk.template end<LANES, true>(owner, partial);
            }
            __syncwarp();
        }
    }
    if (!has_long) return;

    // 4. The pieces, warp by warp.
    grid.wait();
    const unsigned length = pieces.length();
    if (grid.first()) pieces.next_turn();
    for (unsigned next = dealt_warp(); next < length; next += all_warps()) {
        const EtwcPieces::Piece piece = pieces.list[next];
        const Offset skipped = (Offset)piece.number * piece_length;
        const Range<Offset> edges = walk.range(piece.v);
        const Offset start = edges.first + skipped, rest = edges.last - start;
        typename Walk::Partial partial = walk.begin(piece.v);
        walk_share(walk, piece.v, start, rest < piece_length ? rest : (Offset)piece_length, Offset(0), lane(), WARP, FULL, partial);
        __syncwarp();
        walk.template end<32, false>(piece.v, partial);
    }
}

}  // namespace gw
