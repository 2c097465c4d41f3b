// CTA_WARP_SCAN: every thread of a block holds a vertex. Lists of at least a block's size are walked by the whole
// block one after the other, then lists of at least 32 edges by single warps, and what is left is expanded through a
// scan over the block, so that neighbouring threads visit neighbouring edges. Coalesced throughout; its phases and
// barriers cost on regular graphs. Best on very irregular ones. Merrill's gathering, as described in Busato's survey;
// the long lists are collected in one go (Helix' block gathering) instead of electing a thread for each.
#pragma once
#include "balance_common.cuh"

namespace gw {

template <class Offset> struct CtaWarpScan {
    static constexpr unsigned CAPACITY = 4 * BLOCK;  // edges expanded together
    unsigned larges;
    unsigned short large[BLOCK];     // threads that hold a long list
    int v[BLOCK];
    Offset first[BLOCK], count[BLOCK];
    unsigned short owner[CAPACITY];  // thread that holds the vertex of an expanded edge
    Offset shift[BLOCK];             // position of an edge less its number
};

template <class Offset> __device__ __forceinline__ CtaWarpScan<Offset>& cta_warp_scan() {
    __shared__ CtaWarpScan<Offset> shared;
    return shared;
}

template <class Walk> __device__ void balance_cta_warp_scan(Walk& walk) {
    typedef typename Walk::Offset Offset;
    CtaWarpScan<Offset>& shared = cta_warp_scan<Offset>();
    const unsigned n = walk.active();
    const unsigned even = n / blocks() + (n % blocks() > 0);
    const unsigned share = even < BLOCK ? even : BLOCK;
    for (unsigned base = blockIdx.x * share; base < n; base += blocks() * share) {
        const unsigned i = base + threadIdx.x;
        const int v = threadIdx.x < share && i < n ? walk.vertex(i) : -1;
        Offset first = 0, count = 0;
        if (v >= 0) {
            const Range<Offset> edges = walk.range(v);
            first = edges.first;
            count = edges.length();
        }

        // 1. Long lists: the block. The barriers of phase 3 have ended the previous round.
        if (threadIdx.x == 0) shared.larges = 0;
        shared.v[threadIdx.x] = v;
        shared.first[threadIdx.x] = first;
        shared.count[threadIdx.x] = count;
        __syncthreads();
        if (count >= BLOCK) {
            shared.large[atomicAdd(&shared.larges, 1u)] = (unsigned short)threadIdx.x;
            count = 0;
        }
        __syncthreads();
        for (unsigned k = 0; k < shared.larges; ++k) {
            const unsigned from = shared.large[k];
            const int of = shared.v[from];
            const Offset start = warp() * WARP;
            typename Walk::Partial partial = walk.begin(of);
            walk_share(walk, of, shared.first[from], shared.count[from], start, lane(), BLOCK, FULL, partial);
            __syncwarp();
            walk.template end<32, false>(of, partial);
        }

        // 2. Middle lists: the warp.
        for (unsigned waiting = __ballot_sync(FULL, count >= WARP); waiting != 0; waiting &= waiting - 1) {
            const unsigned from = __ffs(waiting) - 1;
            const int of = __shfl_sync(FULL, v, from);
            const Offset of_first = __shfl_sync(FULL, first, from), of_count = __shfl_sync(FULL, count, from);
            typename Walk::Partial partial = walk.begin(of);
            walk_share(walk, of, of_first, of_count, Offset(0), lane(), WARP, FULL, partial);
            __syncwarp();
            walk.template end<32, true>(of, partial);
        }

        // 3. Short lists: expanded in order into shared memory, then one edge per thread.
        const unsigned mine = count < WARP ? (unsigned)count : 0;
        unsigned total;
        const unsigned begin = block_exclusive(mine, total);
        shared.shift[threadIdx.x] = first - begin;
        EdgeRun<Walk> run;
        for (unsigned from = 0; from < total; from += CtaWarpScan<Offset>::CAPACITY) {
            const unsigned left = total - from;
            const unsigned here = left < CtaWarpScan<Offset>::CAPACITY ? left : CtaWarpScan<Offset>::CAPACITY;
            const unsigned low = begin > from ? begin : from;
            const unsigned high = begin + mine < from + here ? begin + mine : from + here;
            for (unsigned k = low; k < high; ++k) shared.owner[k - from] = (unsigned short)threadIdx.x;
            __syncthreads();
            for (unsigned k = threadIdx.x; k < here; k += BLOCK) {
                const unsigned owner = shared.owner[k];
                run.edge(walk, shared.v[owner], shared.shift[owner] + (from + k));
            }
            __syncthreads();
        }
        run.close(walk);
    }
}

}  // namespace gw
