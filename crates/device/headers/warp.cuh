// Lanes of a warp: who is here, and one atomic for all of them.
#pragma once

namespace gw {

__device__ __forceinline__ unsigned lane() { return threadIdx.x & 31; }

// Adds 1 to a counter for every calling thread; each gets a number of its own. One atomic per group of threads that run
// together.
__device__ __forceinline__ unsigned take_number(unsigned* counter) {
    const unsigned here = __activemask();
    const unsigned leader = __ffs(here) - 1;
    unsigned base = 0;
    if (lane() == leader) base = atomicAdd(counter, __popc(here));
    base = __shfl_sync(here, base, leader);
    return base + __popc(here & ((1u << lane()) - 1));
}

// The same for another counter at another place of the program: lanes at the two places must not take part in each
// other's.
__device__ __forceinline__ unsigned take_overflow_number(unsigned* counter) {
    const unsigned here = __activemask();
    const unsigned leader = __ffs(here) - 1;
    unsigned base = 0;
    if (lane() == leader) base = atomicAdd(counter, __popc(here));
    base = __shfl_sync(here, base, leader);
    return base + __popc(here & ((1u << lane()) - 1));
}

}  // namespace gw
