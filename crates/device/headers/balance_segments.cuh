// The scanned degrees of all active vertices, for balancers that divide the edges of the whole frontier evenly.
//
// The entries are cut into segments of equal length, one per block. A block scans the degrees of its segment, leaving
// out entries that take no part and vertices without edges, and writes down vertices, scan and totals; one barrier of
// the grid later every block scans the totals. A place in the whole is thus found in two steps, first its segment (in
// shared memory), then its vertex (in the scan of that segment): the scan of the whole is never written, which saves
// a pass and a barrier. Because vertices without edges are gone, k consecutive edges have at most k vertices.
#pragma once
#include "balance_common.cuh"

namespace gw {

constexpr unsigned MAX_SEGMENTS = 512;

// Words of scratch needed for so many active entries.
template <class Offset> __device__ __host__ constexpr unsigned long long segment_words(unsigned long long active) {
    return SCRATCH_CONTROL + MAX_SEGMENTS * 3 + active + (active + MAX_SEGMENTS) * (sizeof(Offset) / 4);
}

// A segment as its users see it.
template <class Offset> struct Segment {
    const int* vertex;
    const Offset* begin;  // number of the first edge of each vertex in the segment; one more entry, the number of edges
    unsigned vertices;
};

template <class Offset> struct Segments {
    unsigned length;   // entries of a segment; the last may have fewer
    unsigned count;
    unsigned long long* edges;  // per segment
    unsigned* vertices;         // per segment
    Offset* begin;
    int* vertex;

    __device__ Segments(Scratch& scratch, unsigned active) {
        const unsigned parts = blocks() < MAX_SEGMENTS ? blocks() : MAX_SEGMENTS;
        const unsigned even = active / parts + (active % parts > 0);
        length = even < BLOCK ? BLOCK : even;
        count = active / length + (active % length > 0);
        edges = (unsigned long long*)(scratch.words + SCRATCH_CONTROL);
        begin = (Offset*)(edges + MAX_SEGMENTS);
        vertices = (unsigned*)(begin + active + MAX_SEGMENTS);
        vertex = (int*)(vertices + MAX_SEGMENTS);
    }
    __device__ Segment<Offset> operator[](unsigned s) const {
        const unsigned long long at = (unsigned long long)s * length;
        return Segment<Offset>{vertex + at, begin + at + s, vertices[s]};
    }

    // Scans the degrees of this block's segment.
    template <class Walk> __device__ void scan(Walk& walk, unsigned active) {
        const unsigned s = blockIdx.x;
        if (s >= count) return;
        int* to_vertex = vertex + (unsigned long long)s * length;
        Offset* to_begin = begin + (unsigned long long)s * (length + 1);
        const unsigned from = s * length;
        const unsigned to = active - from < length ? active : from + length;
        unsigned vertices_before = 0;
        Offset edges_before = 0;
        for (unsigned base = from; base < to; base += BLOCK) {
            const unsigned i = base + threadIdx.x;
            const int v = i < to ? walk.vertex(i) : -1;
            const Offset degree = v >= 0 ? walk.range(v).length() : 0;
            // One scan for both: edges above, vertices in the lowest 16 bits.
            unsigned long long total;
            const unsigned long long before = block_exclusive((unsigned long long)degree << 16 | (degree > 0), total);
            if (degree > 0) {
                const unsigned at = vertices_before + (unsigned)(before & 0xffff);
                to_vertex[at] = v;
                to_begin[at] = edges_before + (Offset)(before >> 16);
            }
            vertices_before += (unsigned)(total & 0xffff);
            edges_before += (Offset)(total >> 16);
        }
        if (threadIdx.x == 0) {
            to_begin[vertices_before] = edges_before;
            vertices[s] = vertices_before;
            edges[s] = edges_before;
        }
    }
};

template <class Offset> __device__ __forceinline__ unsigned long long* segment_starts() {
    __shared__ unsigned long long starts[MAX_SEGMENTS + 1];
    return starts;
}

// Scans the active vertices, then gives each block an equal, consecutive share of the whole: of the edges, or, if
// WITH_VERTICES, of vertices and edges counted together. `work(segment, from, to)` is called by all threads of the
// block for every piece of the share that lies in one segment; from and to count from the start of the segment.
template <bool WITH_VERTICES, class Walk, class Work>
__device__ __forceinline__ void share_segments(Walk& walk, Scratch& scratch, Grid& grid, Work work) {
    typedef typename Walk::Offset Offset;
    typedef unsigned long long Wide;  // vertices and edges together may pass 2^32
    const unsigned n = walk.active();
    if (n == 0) return;  // the same for all: nobody waits
    Segments<Offset> segments(scratch, n);
    segments.scan(walk, n);
    grid.wait();

    // Where each segment starts in the whole. The barrier has ended an earlier use.
    Wide* starts = segment_starts<Offset>();
    Wide all = 0;
    for (unsigned base = 0; base < segments.count; base += BLOCK) {
        const unsigned s = base + threadIdx.x;
        Wide size = 0;
        if (s < segments.count) size = segments.edges[s] + (WITH_VERTICES ? segments.vertices[s] : 0);
        Wide total;
        const Wide before = block_exclusive(size, total);
        if (s < segments.count) starts[s] = all + before;
        all += total;
    }
    if (threadIdx.x == 0) starts[segments.count] = all;
    __syncthreads();

    // Equal shares, of whole warps and not less than a block can do at once.
    const Wide even = (all + blocks() - 1) / blocks();
    const Wide share = even < BLOCK ? BLOCK : (even + WARP - 1) / WARP * WARP;
    Wide from = blockIdx.x * share;
    const Wide to = from + share < all ? from + share : all;
    if (from < to) {
        for (unsigned s = last_not_above(starts, segments.count, from); from < to; ++s) {
            const Wide stop = starts[s + 1] < to ? starts[s + 1] : to;
            if (from < stop) work(segments[s], from - starts[s], stop - starts[s]);
            from = stop;
        }
    }
}

}  // namespace gw
