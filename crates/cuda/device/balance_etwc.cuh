// ETWC (also TWCE), edge-based thread, warp and block mapping: the edges of every vertex, not the vertices, are split
// by size. Eight threads look at a vertex. As many of its edges as fill whole strides of the block go to a queue of
// the block, as many of the rest as fill whole warps to a queue of the warps, and the remainder (fewer than 32) is
// done at once by the eight. Then warps take entries of their queue one by one, and all threads of the block walk
// each entry of the block's. The queues live in shared memory: no scratch, no barrier of the grid, and nearly all
// strides are full and coalesced. The best mapping for skewed degrees, and a good one everywhere. The load balancer
// of the UGF thesis (TWCE in its code).
#pragma once
#include "balance_common.cuh"

namespace gw {

template <class Offset> struct EtwcQueues {
    static constexpr unsigned CAPACITY = BLOCK / 8;  // vertices a block looks at together
    struct Entry {
        int v;
        Offset first, count;
    };
    struct Set {
        unsigned for_warps, taken, for_block;  // lengths, and entries already taken by a warp
        Entry of_warps[CAPACITY], of_block[CAPACITY];

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

template <class Walk> __device__ void balance_etwc(Walk& walk) {
    typedef typename Walk::Offset Offset;
    typedef typename EtwcQueues<Offset>::Entry Entry;
    constexpr unsigned LANES = 8, GROUPS = WARP / LANES;
    EtwcQueues<Offset>& queues = etwc_queues<Offset>();

    __syncthreads();  // an earlier call is done with the queues
    if (threadIdx.x < 3) queues.sets[threadIdx.x].clear();
    __syncthreads();

    const unsigned n = walk.active();
    const unsigned at = lane() % LANES;
    const unsigned mask = lanes_of_group(LANES);
    unsigned turn = 0;
    for (unsigned base = blockIdx.x * GROUPS; base < n; base += all_warps() * GROUPS) {
        typename EtwcQueues<Offset>::Set& set = queues.sets[turn];

        // 1. Eight threads per vertex: queue the large parts.
        const unsigned i = base + warp() * gridDim.x * GROUPS + lane() / LANES;
        int v = -1;
        Offset first = 0, count = 0;
        if (at == 0 && i < n) {
            v = walk.vertex(i);
            if (v >= 0) {
                first = walk.first(v);
                count = walk.last(v) - first;
                const Offset below_block = count % BLOCK;
                if (count >= BLOCK) set.of_block[atomicAdd(&set.for_block, 1u)] = Entry{v, first, count - below_block};
                if (below_block >= WARP) {
                    set.of_warps[atomicAdd(&set.for_warps, 1u)] =
                        Entry{v, first + (count - below_block), below_block - below_block % WARP};
                }
            }
        }
        v = __shfl_sync(FULL, v, 0, LANES);
        first = __shfl_sync(FULL, first, 0, LANES);
        count = __shfl_sync(FULL, count, 0, LANES);
        __syncthreads();
        if (threadIdx.x == 0) queues.sets[turn == 0 ? 2 : turn - 1].clear();

        // 2. The remainders.
        const unsigned rest = (unsigned)(count % BLOCK) % WARP;
        if (rest > 0) {
            typename Walk::Partial partial = walk.begin(v);
            walk_share<2>(walk, v, first + (count - rest), Offset(rest), Offset(0), at, LANES, mask, partial);
            __syncwarp(mask);
            if (count < WARP) {
                walk.template end<LANES, true>(v, partial);
            } else {
                walk.template end<LANES, false>(v, partial);
            }
        }
        __syncwarp();

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
            const Entry entry = singly ? set.of_warps[next] : set.of_block[next];
            const Offset start = singly ? 0 : warp() * WARP;
            typename Walk::Partial partial = walk.begin(entry.v);
            walk_share(walk, entry.v, entry.first, entry.count, start, lane(), singly ? WARP : BLOCK, FULL, partial);
            __syncwarp();
            walk.template end<32, false>(entry.v, partial);
        }
        turn = turn == 2 ? 0 : turn + 1;
    }
}

}  // namespace gw
