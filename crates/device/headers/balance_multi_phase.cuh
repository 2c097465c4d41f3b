// MULTI_PHASE: like STRICT in dividing the edges of the whole frontier evenly, with less searching. A block takes a
// chunk of consecutive edges and stages the vertices they belong to. A thread searches only the first of a few
// consecutive edges and walks on from there; the owners found are then turned round within the warp through shared
// memory, so that lanes visit neighbouring edges. Perfectly balanced, coalesced, two barriers of the block per chunk:
// the best mapping for uneven medium degrees over large frontiers. Busato's multi-phase mapping: partition, then
// iterated coalesced expansion.
//
// The partition search needs neither the fixed binary nor the interpolated form of the source: a warp probes 32
// places at a time, which takes fewer dependent loads than both.
#pragma once
#include "balance_segments.cuh"

namespace gw {

template <class Offset> struct StagedChunk {
    static constexpr unsigned WANTED = 1024;  // few: two balancers must fit in 48 KiB of shared memory
    static constexpr unsigned ROUNDS = WANTED / BLOCK >= 2 ? 2 : 1;        // searches of a thread per chunk
    static constexpr unsigned EDGES_WANTED = WANTED / BLOCK / ROUNDS;
    // Of a thread per round.
    static constexpr unsigned EDGES = EDGES_WANTED < 1 ? 1 : EDGES_WANTED > 8 ? 8 : EDGES_WANTED;
    static constexpr unsigned CHUNK = BLOCK * EDGES * ROUNDS;
    int v[CHUNK];
    unsigned begin[CHUNK];                        // number of the first edge of v in the chunk
    Offset shift[CHUNK];                          // position of an edge less its number in the chunk
    unsigned short owner[WARPS][WARP * EDGES];    // where a warp turns its owners round
};

template <class Offset> __device__ __forceinline__ StagedChunk<Offset>& staged_chunk() {
    __shared__ StagedChunk<Offset> staged;
    return staged;
}

template <class Walk> __device__ void balance_multi_phase(Walk& walk, Scratch& scratch, Grid& grid) {
    typedef typename Walk::Offset Offset;
    typedef unsigned long long Wide;
    typedef StagedChunk<Offset> Staged;
    constexpr unsigned EDGES = Staged::EDGES, ROUNDS = Staged::ROUNDS, CHUNK = Staged::CHUNK;
    Staged& staged = staged_chunk<Offset>();
    share_segments<false>(walk, scratch, grid, [&](const Segment<Offset> segment, Wide from, Wide to) {
        const Offset *begin = segment.begin, end = (Offset)to;
        // The vertices that begin before edge `k`.
        const auto begun = [&](Offset k, unsigned low, unsigned high) {
            return warp_partition_point(low, high, [&](unsigned i) { return begin[i] < k; });
        };
        unsigned j = begun((Offset)from + 1, 0, segment.vertices) - 1;  // the vertex of the first edge
        for (Offset base = (Offset)from; base < end;) {
            const unsigned edges = end - base < CHUNK ? (unsigned)(end - base) : CHUNK;
            const unsigned furthest = segment.vertices - j < edges ? segment.vertices : j + edges;
            const unsigned next = begun(base + edges, j, furthest);
            const unsigned vertices = next - j;

            // 1. Stage the vertices of the chunk.
            __syncthreads();  // the previous chunk is done
            for (unsigned k = threadIdx.x; k < vertices; k += BLOCK) {
                const int v = segment.vertex[j + k];
                const Offset at = begin[j + k];
                staged.v[k] = v;
                staged.begin[k] = at > base ? (unsigned)(at - base) : 0;
                staged.shift[k] = walk.first(v) - at + base;
            }
            __syncthreads();

            // 2. Search and walk on: the owners of consecutive edges, in registers.
            unsigned owner[ROUNDS][EDGES];
#pragma unroll
            for (unsigned r = 0; r < ROUNDS; ++r) {
                const unsigned k0 = (r * BLOCK + threadIdx.x) * EDGES;
                unsigned slot = last_not_above(staged.begin, vertices, k0);
#pragma unroll
                for (unsigned k = 0; k < EDGES; ++k) {
                    if (k > 0 && slot + 1 < vertices && staged.begin[slot + 1] <= k0 + k) ++slot;
                    owner[r][k] = slot;
                }
            }

            // 3. Turn round within the warp and visit.
            unsigned short* turned = staged.owner[warp()];
            EdgeRun<Walk> run;
#pragma unroll
            for (unsigned r = 0; r < ROUNDS; ++r) {
                __syncwarp();
#pragma unroll
                for (unsigned k = 0; k < EDGES; ++k) turned[lane() * EDGES + k] = (unsigned short)owner[r][k];
                __syncwarp();
#pragma unroll
                for (unsigned k = 0; k < EDGES; ++k) {
                    const unsigned edge = (r * BLOCK + warp() * WARP) * EDGES + k * WARP + lane();
                    const unsigned slot = turned[k * WARP + lane()];
                    if (edge < edges) run.edge(walk, staged.v[slot], staged.shift[slot] + edge);
                }
            }
            run.close(walk);
            // The last vertex goes on in the next chunk unless it ends with this one.
            base += edges;
            j = next < segment.vertices && begin[next] <= base ? next : next - 1;
        }
    });
}

}  // namespace gw
