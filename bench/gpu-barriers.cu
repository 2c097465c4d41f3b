// What a round of a fused loop costs before it does anything: barriers of the grid, launches, waits.
//
//     nvcc -O2 -arch=sm_90 -o gpu-barriers bench/gpu-barriers.cu && ./gpu-barriers
//
// A variant of the barrier is a way to arrive and to look, each with the orders of memory that make it a barrier:
// `ours` is that of crates/device/headers/grid.cuh. `pass` is a barrier between a write and a read of other entries by
// 100,000 threads. Results: bench/gpu-h200.md.
#include <cooperative_groups.h>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr unsigned ROUNDS = 2000;
constexpr unsigned ENTRIES = 100000;
__device__ unsigned counters[4096];

__device__ unsigned add_release(unsigned* p, unsigned n) {
    unsigned before;
    asm volatile("atom.add.release.gpu.global.u32 %0,[%1],%2;" : "=r"(before) : "l"(p), "r"(n) : "memory");
    return before;
}
__device__ unsigned load_acquire(unsigned* p) {
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(now) : "l"(p) : "memory");
    return now;
}
__device__ unsigned load_relaxed(unsigned* p) {
    unsigned now;
    asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];" : "=r"(now) : "l"(p) : "memory");
    return now;
}
__device__ void store_release(unsigned* p, unsigned n) {
    asm volatile("st.release.gpu.global.u32 [%0],%1;" ::"l"(p), "r"(n) : "memory");
}

enum Variant { OURS, RELAXED, APART };

template <Variant V> __device__ void barrier(unsigned* counter, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        if (V == APART) {
            // The last to arrive writes another word, which the others look at.
            if (add_release(counter, 1) == round * gridDim.x + gridDim.x - 1) store_release(counter + 64, round + 1);
            else while (load_acquire(counter + 64) != round + 1) {}
        } else {
            const unsigned before = add_release(counter, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
            while ((((V == OURS ? load_acquire(counter) : load_relaxed(counter)) ^ before) & 0x80000000u) == 0) {}
            if (V == RELAXED) __threadfence();
        }
    }
    __syncthreads();
}

template <Variant V> __global__ void __launch_bounds__(1024) alone(unsigned* counter) {
    for (unsigned i = 0; i < ROUNDS; i++) barrier<V>(counter, i);
}
template <Variant V> __global__ void __launch_bounds__(1024) pass(unsigned* counter, unsigned* entries) {
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (me < ENTRIES) entries[me * 33 % ENTRIES] = sum + i;
        barrier<V>(counter, i);
        if (me < ENTRIES) sum += entries[me];
    }
    if (sum == 12345) entries[0] = sum;
}
__global__ void __launch_bounds__(1024) cooperative() {
    for (unsigned i = 0; i < ROUNDS; i++) cg::this_grid().sync();
}
// The barrier of the hardware inside a cluster, ours between the clusters.
__global__ void __launch_bounds__(1024) clusters(unsigned* counter) {
    auto cluster = cg::this_cluster();
    const unsigned count = gridDim.x / cluster.num_blocks();
    for (unsigned i = 0; i < ROUNDS; i++) {
        cluster.sync();
        if (cluster.block_rank() == 0 && threadIdx.x == 0) {
            add_release(counter, 1);
            while (load_acquire(counter) < (i + 1) * count) {}
        }
        cluster.sync();
    }
}
__global__ void nothing() {}

unsigned* counter;
unsigned* entries;

// Nanoseconds per round, the least of three launches.
void measure(const char* name, void* kernel, int grid, int block, int cluster, void** arguments) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float least = 1e9f;
    for (int k = 0; k < 3; k++) {
        cudaMemset(counter, 0, sizeof(counters));
        cudaLaunchAttribute attribute = {};
        if (cluster) {
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = cluster;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        } else {
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
        }
        cudaLaunchConfig_t config = {};
        config.gridDim = grid;
        config.blockDim = block;
        config.attrs = &attribute;
        config.numAttrs = 1;
        cudaEventRecord(begin);
        const cudaError_t launched = cudaLaunchKernelExC(&config, kernel, arguments);
        cudaEventRecord(end);
        const cudaError_t ended = cudaEventSynchronize(end);
        if (launched != cudaSuccess || ended != cudaSuccess) {
            printf("%s\t%d\t%d\t%d\t%s\n", name, grid, block, cluster, cudaGetErrorString(launched ? launched : ended));
            return;
        }
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, begin, end);
        least = milliseconds < least ? milliseconds : least;
    }
    printf("%s\t%d\t%d\t%d\t%.0f ns\n", name, grid, block, cluster, least * 1e6 / ROUNDS);
}

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main() {
    cudaGetSymbolAddress((void**)&counter, counters);
    cudaMalloc(&entries, 4 * ENTRIES);
    void* one[] = {&counter};
    void* two[] = {&counter, &entries};
    printf("barrier\tblocks\tthreads\tcluster\n");
    for (int per_processor : {1, 2, 4}) {
        for (int block : {256, 512, 1024}) {
            if (per_processor * block > 2048) continue;
            const int grid = 132 * per_processor;
            measure("ours", (void*)alone<OURS>, grid, block, 0, one);
            measure("relaxed", (void*)alone<RELAXED>, grid, block, 0, one);
            measure("apart", (void*)alone<APART>, grid, block, 0, one);
            measure("cooperative groups", (void*)cooperative, grid, block, 0, nullptr);
            measure("pass", (void*)pass<OURS>, grid, block, 0, two);
        }
    }
    for (int cluster : {2, 4, 8}) measure("clusters", (void*)clusters, 128, 512, cluster, one);
    for (int with_copy : {0, 1}) {
        double begin = 0;
        for (int i = -100; i < 1000; i++) {
            if (i == 0) begin = now();
            unsigned word;
            nothing<<<132, 1024>>>();
            if (with_copy) cudaMemcpyAsync(&word, counter, 4, cudaMemcpyDeviceToHost, 0);
            cudaStreamSynchronize(0);
        }
        printf("launch%s and wait\t%.2f us\n", with_copy ? ", copy" : "", (now() - begin) / 1000);
    }
}
