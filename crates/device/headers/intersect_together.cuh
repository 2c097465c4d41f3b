// Edge functions that add up common neighbours, run by lanes together: `if <condition> x += <common neighbours of
// both ends>`. Such a function is a condition and a sum, and parts of a sum may be found by anybody. So the list of
// the vertex that owns the edges is put into shared memory once, as a map of bits or as it is, and the lists of the
// other ends, one after the other, are read by a group of lanes side by side, each of which looks its ids up there.
// It is a load balancer; a Walk says in addition to what balance_common.cuh lists:
//
//   static constexpr Part PART;                // the edges that can be wanted; lists are ascending
//   static constexpr bool LIMIT_IS_OWNER;      // common neighbours count up to the owner, or up to the other end
//   graph                                      // whose out-neighbours are intersected
//   int other(Offset e) const;                 // the other end of an edge
//   bool wants(int v, int other, Offset e);    // filters and condition
//   void found(int v, int n, Partial& p);      // adds n to the sum of an edge of v
//
// Owners differ by orders of magnitude. Those with a few edges are done by one lane, edge by edge as any function.
// Those with some more are done by a warp, which searches the owner's list. Those with many are put aside in pieces,
// and when all others are done blocks take the pieces one by one; this is where nearly all the work is in skewed
// graphs, and there the owner's list is a map, so that an id costs one look. Tiles and pieces are handed out by
// counters.
//
// Per id that is looked up: 4 bytes of a list, coalesced, and one word of shared memory. Per edge: the edge, and two
// offsets.
#pragma once
#include "balance_common.cuh"
#include "intersect.cuh"

namespace gw {

// The edges of a vertex that can be wanted: all, those to ends above it, those to ends below it.
enum Part { ALL_EDGES, TO_ABOVE, TO_BELOW };

// Numbers to turn.
#ifndef GW_MARK_BITS
#define GW_MARK_BITS (1 << 18)   // ids that a map holds: an eighth of it is the block's shared memory in bytes
#endif
#ifndef GW_TAIL_IDS
#define GW_TAIL_IDS 1024         // ids beyond the map that are kept beside it
#endif
#ifndef GW_MANY_EDGES
#define GW_MANY_EDGES 64         // edges from which on a block takes an owner
#endif
#ifndef GW_PIECE
#define GW_PIECE 1024            // edges of an owner that a block takes at once
#endif
#ifndef GW_FEW_EDGES
#define GW_FEW_EDGES 3           // edges up to which a lane takes an owner
#endif
#ifndef GW_FEW_MARKS
#define GW_FEW_MARKS 16          // and ids of its list up to which it does
#endif
#ifndef GW_AHEAD
#define GW_AHEAD 4               // ids that a lane reads before it looks at the first
#endif
#ifndef GW_SHORT_LISTS
#define GW_SHORT_LISTS 32        // lists up to this length are read by eight lanes each,
#endif
#ifndef GW_LANES
#define GW_LANES 32              // longer ones by so many
#endif
#ifndef GW_MUCH_LONGER
#define GW_MUCH_LONGER 256       // a list so many times longer than the owner's is searched, not read
#endif
#ifndef GW_MOST_PIECES
#define GW_MOST_PIECES 0x40000000u   // pieces that are put aside, if there is room
#endif

constexpr unsigned MARK_BITS = GW_MARK_BITS, MARK_WORDS = MARK_BITS / 32, WARP_IDS = MARK_WORDS / WARPS;
constexpr unsigned STRIP = 32;   // edges that a warp looks at side by side

struct Together {
    unsigned words[MARK_WORDS];  // of blocks: a map, zero while nobody uses it; of warps: ids
    int tail[GW_TAIL_IDS];
    unsigned next, strip;        // piece that comes next; edges of the piece that are taken
};

__device__ __forceinline__ Together& together() {
    __shared__ Together shared;
    return shared;
}

// Pieces put aside for blocks, in scratch.
template <class Offset> struct Pieces {
    struct Piece {
        int v;
        unsigned marks;          // ids of v's list that matter
        Offset first, count;     // edges; none in a piece that is none
    };
    unsigned* control;           // tiles taken, pieces put aside, pieces taken
    Piece* pieces;
    unsigned capacity;

    __device__ __forceinline__ Pieces(const Scratch& scratch)
        : control(scratch.words + 32), pieces((Piece*)(scratch.words + SCRATCH_CONTROL)) {
        const unsigned long long room = (scratch.capacity - SCRATCH_CONTROL) * 4 / sizeof(Piece);
        capacity = room < GW_MOST_PIECES ? (unsigned)room : GW_MOST_PIECES;
    }
    __device__ __forceinline__ void clear() const { control[0] = control[1] = control[2] = 0; }
    __device__ __forceinline__ unsigned length() const {
        const unsigned put = *(volatile unsigned*)(control + 1);
        return put < capacity ? put : capacity;
    }
    // Puts the edges of an owner aside; false when there is no room.
    __device__ __forceinline__ bool put(int v, unsigned marks, Offset first, Offset count) const {
        const unsigned n = (unsigned)((count + GW_PIECE - 1) / GW_PIECE);
        const unsigned at = atomicAdd(control + 1, n);
        // What is left; an expression with `at + k >= at` in the loop was compiled as if it had one round.
        const unsigned room = at >= capacity ? 0 : capacity - at < n ? capacity - at : n;
        for (unsigned k = 0; k < room; ++k) {
            const Offset done = (Offset)k * GW_PIECE;
            const Offset rest = count - done;
            pieces[at + k] = Piece{v, marks, first + done, room < n ? 0 : rest < GW_PIECE ? rest : (Offset)GW_PIECE};
        }
        return room == n;
    }
};

// An owner's list as lanes look ids up in it. `top` is its last id.
struct MarkedBits {
    int top;
    unsigned base;               // of the map, as the instruction wants it: the compiler would make it anew for every id
    __device__ __forceinline__ explicit MarkedBits(int top) : top(top), base(0) {
#ifdef __CUDA_ARCH__
        base = (unsigned)__cvta_generic_to_shared(together().words);
#endif
    }
    __device__ __forceinline__ unsigned has(int id) const {
        unsigned word;
#ifdef __CUDA_ARCH__
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(base + ((unsigned)id >> 5) * 4));
#else
        word = together().words[(unsigned)id >> 5];
#endif
        return word >> (id & 31) & 1;
    }
};
struct MarkedIds {
    const int* ids;
    unsigned count;
    int top;
    __device__ __forceinline__ unsigned has(int id) const { return ids[last_not_above(ids, count, id)] == id; }
};
// A map as far as it goes, ids beyond. Numbered by falling degree, a graph has nearly all ends of its edges in the map.
struct MarkedBoth {
    MarkedBits bits;
    MarkedIds tail;
    int top;
    __device__ __forceinline__ unsigned has(int id) const { return (unsigned)id < MARK_BITS ? bits.has(id) : tail.has(id); }
};

// The part of a vertex's list that matters as marks.
template <class Walk> struct Owner {
    typedef typename Walk::Offset Offset;
    int v;
    Offset list;                 // where its list begins
    unsigned marks;              // at least 1
};

// Ids of a list that can matter for any edge of v: its length.
template <class Walk> __device__ __forceinline__ unsigned marks_of(const Walk& walk, int v) {
    typedef typename Walk::Offset Offset;
    const Range<Offset> list = walk.graph.out_range(v);
    const Offset begin = list.first, end = list.last;
    if (Walk::LIMIT_IS_OWNER || Walk::PART == TO_BELOW)
        return (unsigned)(end_within(walk.graph.out_neighbours, begin, end, v) - begin);
    return (unsigned)(end - begin);
}

// The edges of v that can be wanted.
template <class Walk>
__device__ __forceinline__ void narrow(const Walk& walk, int v, typename Walk::Offset& first, typename Walk::Offset& last) {
    typedef typename Walk::Offset Offset;
    if (Walk::PART == ALL_EDGES || first >= last) return;
    // Most vertices of a degree-ordered graph have no edge to ends above them: look at the last first.
    if (Walk::PART == TO_ABOVE && walk.other(last - 1) <= v) first = last;
    Offset low = first, high = last;
    while (low < high) {
        const Offset middle = low + (high - low) / 2;
        const int other = walk.other(middle);
        if (Walk::PART == TO_ABOVE ? other <= v : other < v) low = middle + 1;
        else high = middle;
    }
    (Walk::PART == TO_ABOVE ? first : last) = low;
}

// Groups of LANES lanes read the lists of the warp's lanes, `count` of them, and look the ids up. A list is `length`
// ids from `begin` on, and matters up to `bound`. While a group looks at one list, the beginning of its next is on
// the way.
template <unsigned LANES, class Marks, class Offset>
__device__ __forceinline__ unsigned look_up_lists(const int* list, Offset begin, unsigned length, int bound, unsigned count,
                                                  const Marks& marks) {
    constexpr unsigned GROUPS = WARP / LANES, AHEAD = GW_AHEAD;
    const unsigned at = lane() % LANES, group = lane() / LANES;
    const unsigned rounds = (count + GROUPS - 1) / GROUPS;
    unsigned found = 0;
    int id[AHEAD];
    Offset from = __shfl_sync(FULL, begin, group);
    unsigned size = __shfl_sync(FULL, length, group);
    int limit = __shfl_sync(FULL, bound, group);
#pragma unroll
    for (unsigned j = 0; j < AHEAD; ++j)
        id[j] = at + j * LANES < size ? edge_value(list + from + at + j * LANES) : 0x7fffffff;
#pragma unroll 1
    for (unsigned round = 1; round <= rounds; ++round) {
        const unsigned source = (round * GROUPS + group) % WARP;
        const Offset next_from = __shfl_sync(FULL, begin, source);
        const unsigned next_size = round < rounds ? __shfl_sync(FULL, length, source) : 0;
        const int next_limit = __shfl_sync(FULL, bound, source);
        int next[AHEAD];
#pragma unroll
        for (unsigned j = 0; j < AHEAD; ++j)
            next[j] = at + j * LANES < next_size ? edge_value(list + next_from + at + j * LANES) : 0x7fffffff;
        for (unsigned k = at;;) {
#pragma unroll
            for (unsigned j = 0; j < AHEAD; ++j)
                if (id[j] <= limit) found += marks.has(id[j]);
            k += AHEAD * LANES;
            if (id[AHEAD - 1] > limit || k >= size) break;
#pragma unroll
            for (unsigned j = 0; j < AHEAD; ++j)
                id[j] = k + j * LANES < size ? edge_value(list + from + k + j * LANES) : 0x7fffffff;
        }
#pragma unroll
        for (unsigned j = 0; j < AHEAD; ++j) id[j] = next[j];
        from = next_from, size = next_size, limit = next_limit;
    }
    return found;
}

// A warp visits `count` (at most STRIP) edges of an owner from `first` on; what this lane found.
template <class Walk, class Marks>
__device__ __forceinline__ unsigned visit_strip(Walk& walk, const Owner<Walk>& owner, typename Walk::Offset first, unsigned count,
                                                const Marks& marks) {
    typedef typename Walk::Offset Offset;
    const int* list = walk.graph.out_neighbours;
    Offset begin = 0;
    unsigned length = 0;
    int bound = -1;
    if (lane() < count) {
        const int other = walk.other(first + lane());
        if (walk.wants(owner.v, other, first + lane())) {
            const Range<Offset> lies = walk.graph.out_range(other);
            begin = lies.first;
            length = (unsigned)lies.length();
            bound = Walk::LIMIT_IS_OWNER || marks.top < other ? marks.top : other;
        }
    }
    const unsigned reach = length <= (unsigned)bound ? length : (unsigned)(bound + 1);
    unsigned found = 0;
    // Lists that are much longer than the owner's: its ids are searched in them.
    for (unsigned far = __ballot_sync(FULL, reach / GW_MUCH_LONGER > owner.marks); far; far &= far - 1) {
        const int source = __ffs(far) - 1;
        const int* other = list + __shfl_sync(FULL, begin, source);
        const unsigned size = __shfl_sync(FULL, length, source);
        const int limit = __shfl_sync(FULL, bound, source);
        for (unsigned k = lane(); k < owner.marks; k += WARP) {
            const int id = list[owner.list + k];
            if (id > limit) break;
            found += other[last_not_above(other, size, id)] == id;
        }
        if (lane() == (unsigned)source) length = 0;
    }
    const bool all_short = !__any_sync(FULL, length > 0 && reach > GW_SHORT_LISTS);
    if (all_short) return found + look_up_lists<8>(list, begin, length, bound, count, marks);
    return found + look_up_lists<GW_LANES>(list, begin, length, bound, count, marks);
}

// Warps take tiles of 32 vertices: what a lane or a warp can do is done, the rest put aside.
template <class Walk>
__device__ __forceinline__ void intersect_tiles(Walk& walk, const Pieces<typename Walk::Offset>& pieces) {
    typedef typename Walk::Offset Offset;
    const unsigned n = walk.active(), tiles = n / WARP + (n % WARP != 0);
    const int* list = walk.graph.out_neighbours;
    int* kept = (int*)together().words + warp() * WARP_IDS;
    for (;;) {
        unsigned tile = 0;
        if (lane() == 0) tile = atomicAdd(pieces.control, 1u);
        tile = __shfl_sync(FULL, tile, 0);
        if (tile >= tiles) break;
        const unsigned i = tile * WARP + lane();
        const int v = i < n ? walk.vertex(i) : -1;
        Offset first = 0, last = 0;
        unsigned marks = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            first = edges.first;
            last = edges.last;
            narrow(walk, v, first, last);
            if (first < last) marks = marks_of(walk, v);
        }
        const Offset count = marks > 0 ? last - first : 0;
        bool by_warp = count > 0;
        if (count >= GW_MANY_EDGES) {
            by_warp = !pieces.put(v, marks, first, count);
        } else if (count > 0 && count <= GW_FEW_EDGES && marks <= GW_FEW_MARKS) {
            typename Walk::Partial partial = walk.begin(v);
            for (Offset e = first; e < last; ++e) walk.edge(v, e, partial);
            walk.template end<1, false>(v, partial);
            by_warp = false;
        }
        for (unsigned waiting = __ballot_sync(FULL, by_warp); waiting; waiting &= waiting - 1) {
            const int source = __ffs(waiting) - 1;
            Owner<Walk> owner;
            owner.v = __shfl_sync(FULL, v, source);
            owner.marks = __shfl_sync(FULL, marks, source);
            owner.list = walk.graph.out_begin(owner.v);
            const Offset begin = __shfl_sync(FULL, first, source), edges = __shfl_sync(FULL, count, source);
            const int top = list[owner.list + owner.marks - 1];
            const bool fits = owner.marks <= WARP_IDS;
            if (fits)
                for (unsigned k = lane(); k < owner.marks; k += WARP) kept[k] = list[owner.list + k];
            __syncwarp();
            const MarkedIds ids{fits ? kept : list + owner.list, owner.marks, top};
            typename Walk::Partial partial = walk.begin(owner.v);
#pragma unroll 1
            for (Offset done = 0; done < edges; done += STRIP) {
                const unsigned strip = edges - done < STRIP ? (unsigned)(edges - done) : STRIP;
                walk.found(owner.v, (int)visit_strip(walk, owner, begin + done, strip, ids), partial);
            }
            __syncwarp();
            walk.template end<32, false>(owner.v, partial);
        }
    }
}

// The warps of a block take strips of a piece; what this lane found.
template <class Walk, class Marks>
__device__ __forceinline__ unsigned visit_piece(Walk& walk, const Owner<Walk>& owner, typename Walk::Offset first, unsigned count,
                                                const Marks& marks) {
    // Strips are short where there are few edges, so that all warps get some.
    const unsigned share = count / (2 * WARPS), strip = share < 8 ? 8 : share < STRIP ? share : STRIP;
    unsigned found = 0;
#pragma unroll 1
    for (;;) {
        unsigned start = 0;
        if (lane() == 0) start = atomicAdd(&together().strip, strip);
        start = __shfl_sync(FULL, start, 0);
        if (start >= count) break;
        found += visit_strip(walk, owner, first + start, count - start < strip ? count - start : strip, marks);
    }
    return found;
}

// Blocks take pieces.
template <class Walk>
__device__ __forceinline__ void intersect_pieces(Walk& walk, const Pieces<typename Walk::Offset>& pieces) {
    typedef typename Walk::Offset Offset;
    Together& shared = together();
    const int* list = walk.graph.out_neighbours;
    const unsigned length = pieces.length();
    for (unsigned k = threadIdx.x; k < MARK_WORDS; k += BLOCK) shared.words[k] = 0;
    if (threadIdx.x == 0) shared.next = atomicAdd(pieces.control + 2, 1u);
    for (;;) {
        __syncthreads();
        const unsigned piece_number = shared.next;
        if (piece_number >= length) break;
        const typename Pieces<Offset>::Piece piece = pieces.pieces[piece_number];
        const Owner<Walk> owner{piece.v, walk.graph.out_begin(piece.v), piece.marks};
        const unsigned count = (unsigned)piece.count;
        const int* ids = list + owner.list;
        const int top = ids[owner.marks - 1];
        // Ids in the map come first.
        unsigned mapped = owner.marks;
        if ((unsigned)top >= MARK_BITS)
            mapped = warp_partition_point(0, owner.marks, [=](unsigned k) { return (unsigned)ids[k] < MARK_BITS; });
        const unsigned beyond = owner.marks - mapped;
        const bool kept = beyond <= GW_TAIL_IDS;
        for (unsigned k = threadIdx.x; k < mapped; k += BLOCK)
            atomicOr(shared.words + ((unsigned)ids[k] >> 5), 1u << (ids[k] & 31));
        if (kept)
            for (unsigned k = threadIdx.x; k < beyond; k += BLOCK) shared.tail[k] = ids[mapped + k];
        if (threadIdx.x == 0) shared.strip = 0;
        __syncthreads();
        if (threadIdx.x == 0) shared.next = atomicAdd(pieces.control + 2, 1u);
        typename Walk::Partial partial = walk.begin(owner.v);
        unsigned found;
        if (beyond == 0) {
            found = visit_piece(walk, owner, piece.first, count, MarkedBits(top));
        } else {
            const MarkedIds tail{kept ? shared.tail : ids + mapped, beyond, top};
            found = visit_piece(walk, owner, piece.first, count, MarkedBoth{MarkedBits(top), tail, top});
        }
        walk.found(owner.v, (int)found, partial);
        __syncwarp();
        walk.template end<32, false>(owner.v, partial);
        __syncthreads();
        for (unsigned k = threadIdx.x; k < mapped; k += BLOCK) atomicAnd(shared.words + ((unsigned)ids[k] >> 5), 0u);
    }
}

template <class Walk> __device__ void balance_intersections(Walk& walk, Scratch& scratch, const Grid& grid) {
    const Pieces<typename Walk::Offset> pieces(scratch);
    if (grid.first()) pieces.clear();
    grid.wait();
    intersect_tiles(walk, pieces);
    grid.wait();
    intersect_pieces(walk, pieces);
}

}  // namespace gw
