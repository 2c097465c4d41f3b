// DYNAMIC_VIRTUAL_WARP: virtual warps whose size is chosen at every call: the largest power of two, from MIN to 32,
// for which all active vertices still get their group at once. Small frontiers, where parallelism is scarce, get a
// whole warp per vertex; large ones small groups that waste fewer lanes. Good for traversals of graphs without hubs
// whose frontiers grow and shrink. After BFS-4K's dynamic virtual warps (which never goes below 4).
#pragma once
#include "balance_common.cuh"

namespace gw {

template <int MIN, class Walk> __device__ void balance_dynamic_virtual_warp(Walk& walk) {
    static_assert(MIN >= 1 && MIN <= 32 && (MIN & (MIN - 1)) == 0, "1, 2, 4, 8, 16 or 32 lanes");
    const unsigned n = walk.active();
    const unsigned long long threads = (unsigned long long)blocks() * BLOCK;
    // One copy of the edge code serves all sizes: the size is a run-time number.
    unsigned lanes = WARP;
    while (lanes > MIN && (unsigned long long)n * lanes > threads) lanes /= 2;
    walk_groups(walk, [&](unsigned i) { return walk.vertex(i); }, n, lanes, 1);
}

}  // namespace gw
