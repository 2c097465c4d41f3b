// The grid as one team: the number of a thread in it, and the barrier over all its blocks. While the first block runs
// alone, it is the team.
//
// A kernel that waits at the barrier must have all its blocks on the device at once (a cooperative launch). Grids are
// one-dimensional.
#pragma once

namespace gw {

// Global memory for load balancers. The first SCRATCH_CONTROL words belong to them alone: zero when the memory is
// allocated, never written by anybody else. The rest may be used by others between two calls.
struct Scratch {
    unsigned* words;              // aligned to 8 bytes
    unsigned long long capacity;  // in words
};

constexpr unsigned SCRATCH_CONTROL = 64;

// Blocks that share the work: all of the grid, or the first alone (alone.cuh), which is told in shared memory.
#ifdef GW_ALONE
__device__ __forceinline__ unsigned& alone_mark() {
    __shared__ unsigned alone;
    return alone;
}
__device__ __forceinline__ bool is_alone() { return alone_mark() != 0; }
#else
__device__ __forceinline__ constexpr bool is_alone() { return false; }
#endif
__device__ __forceinline__ unsigned blocks() { return is_alone() ? 1 : gridDim.x; }

// The barrier is one counter in global memory, zero before its first use. Every block adds one; block 0 adds what is
// missing to carry the count into the top bit. So the top bit flips exactly when the last block has arrived, the
// lower bits are zero again, and the next barrier can begin at once: nothing is ever reset, across launches either.
struct Grid {
    unsigned* counter;

    __device__ __forceinline__ unsigned rank() const { return blockIdx.x * blockDim.x + threadIdx.x; }
    __device__ __forceinline__ unsigned size() const { return blocks() * blockDim.x; }
    __device__ __forceinline__ bool first() const { return blockIdx.x == 0 && threadIdx.x == 0; }

    // Waits for all threads of the grid; what they wrote before is seen by all afterwards. Who waits for long asks only
    // now and then (PAUSE nanoseconds), so that the counter's part of the memory is free for others.
    template <unsigned PAUSE = 0> __device__ __forceinline__ void wait() const {
        __syncthreads();
        if (threadIdx.x == 0 && blocks() > 1) {
            const unsigned before = arrive(blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
            while (((look() ^ before) & 0x80000000u) == 0) {
#ifdef __CUDA_ARCH__
                if (PAUSE > 0) __nanosleep(PAUSE);
#else
                __nanosleep(20);   // the emulator goes on with another thread
#endif
            }
        }
        __syncthreads();
    }

    // Adds to the counter, after all that this block wrote.
    __device__ __forceinline__ unsigned arrive(unsigned add) const {
#ifdef __CUDA_ARCH__
        unsigned before;
        asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                     : "=r"(before) : "l"(counter), "r"(add) : "memory");
        return before;
#else
        __threadfence();
        return atomicAdd(counter, add);
#endif
    }

    // Reads the counter, before all that this block reads afterwards.
    __device__ __forceinline__ unsigned look() const {
#ifdef __CUDA_ARCH__
        unsigned now;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
        return now;
#else
        const unsigned now = *(volatile unsigned*)counter;
        __threadfence();
        return now;
#endif
    }
};

}  // namespace gw
