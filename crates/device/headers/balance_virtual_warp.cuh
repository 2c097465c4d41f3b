// VIRTUAL_WARP: groups of LANES neighbouring lanes (1, 2, 4, ... 32) share a vertex and stride over its edges; each
// group takes `chunk` consecutive vertices. Lists of about LANES to 4 LANES edges are read coalesced and leave few
// lanes idle; the best size follows the mean degree, and is rather half of it than the whole. Nothing is balanced
// across groups, so hubs are slow. A larger chunk means fewer, wider loads of the frontier, at the price of
// parallelism: good for full frontiers. "Virtual warps" of Busato's survey, with the shuffled frontier loads of
// Helix' node-based mapping.
#pragma once
#include "balance_common.cuh"

namespace gw {

template <int LANES, class Walk> __device__ void balance_virtual_warp(Walk& walk, unsigned chunk) {
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "1, 2, 4, 8, 16 or 32 lanes");
    walk_groups(walk, [&](unsigned i) { return walk.vertex(i); }, walk.active(), Lanes<LANES>(), chunk > 0 ? chunk : 1);
}

}  // namespace gw
