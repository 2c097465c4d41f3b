// The four characterisation functions of the fine-grained model on the device at hand: memory throughput against bytes
// moved, arithmetic throughput against operations, time against bank conflicts and against divergent paths of a warp.
//
//   nvcc -O3 -std=c++20 -arch=sm_90 characterise.cu -o characterise
//   characterise time
#include "measure.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

// Reads `count` vectors that begin at a place of their own in every run, so that no cache holds them.
__global__ void read_all(const uint4* in, u64 count, u32* out) {
    u32 sum = 0;
#pragma unroll 4
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        const uint4 v = in[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678) *out = sum;
}

// `rounds` times 64 dependent multiply-adds in each of four chains.
__global__ void multiply_add(u32 rounds, float seed, float* out) {
    float a = seed + threadIdx.x, b = seed * 2, c = seed * 3, d = seed * 5;
    for (u32 r = 0; r < rounds; ++r) {
#pragma unroll
        for (int k = 0; k < 64; ++k) {
            a = fmaf(a, seed, b), b = fmaf(b, seed, c), c = fmaf(c, seed, d), d = fmaf(d, seed, a);
        }
    }
    if (a + b + c + d == 0.123f) *out = a;
}

// Lane l reads word l * stride: a stride of 2^j makes 2^j lanes collide in a bank.
__global__ void conflicts(u32 stride, u32 rounds, u32* out) {
    __shared__ volatile u32 words[1024];
    for (u32 k = threadIdx.x; k < 1024; k += blockDim.x) words[k] = k;
    __syncthreads();
    u32 at = threadIdx.x % 32 * stride % 1024, sum = 0;
    for (u32 r = 0; r < rounds; ++r) {
#pragma unroll
        for (int k = 0; k < 16; ++k) sum += words[at];
        at ^= sum & 0x80000000u ? 1 : 0;
    }
    if (sum == 0x12345678) *out = sum;
}

// The lanes of a warp take `paths` different branches of equal length, one after the other.
template <int PATH> __device__ __noinline__ float branch(float x, float seed) {
#pragma unroll
    for (int k = 0; k < 32; ++k) x = fmaf(x, seed, (float)(PATH + 1));
    return x;
}
template <int PATH> __device__ __forceinline__ float choose(u32 path, float x, float seed) {
    if (path == PATH) return branch<PATH>(x, seed);
    if constexpr (PATH > 0) return choose<PATH - 1>(path, x, seed);
    return x;
}
__global__ void divergence(u32 paths, u32 rounds, float seed, float* out) {
    const u32 path = threadIdx.x % 32 % paths;
    float x = seed;
    for (u32 r = 0; r < rounds; ++r) x = choose<31>(path, x, seed);
    if (x == 0.123f) *out = x;
}

int main(int argc, char** argv) {
    Measure measure(argc, argv);
    const u64 POOL = 16ull << 30;
    char* pool;
    u32* out;
    CHECK(cudaMalloc(&pool, POOL));
    CHECK(cudaMemset(pool, 1, POOL));
    CHECK(cudaMalloc(&out, 64));
    const auto fine = [] { return true; };
    u64 at = 0;
    for (u64 bytes = 1 << 18; bytes <= 4ull << 30; bytes *= 2) {
        const int blocks = (int)std::min<u64>(resident_blocks((const void*)read_all, 256), (bytes / 16 + 255) / 256);
        measure.variant("dram", std::to_string(bytes).c_str(), "bytes", (double)bytes, [&, bytes, blocks] {
            at = at + bytes + bytes <= POOL ? at + bytes : 0;
            read_all<<<blocks, 256>>>((const uint4*)(pool + at), bytes / 16, out);
        }, fine);
    }
    const int full = resident_blocks((const void*)multiply_add, 256);
    for (u32 rounds = 1; rounds <= 4096; rounds *= 4) {
        const double operations = 2.0 * 256 * rounds * full * 256;
        measure.variant("arithmetic", std::to_string(rounds * 256).c_str(), "multiply-adds per thread", operations,
                        [=] { multiply_add<<<full, 256>>>(rounds, 0.5f, (float*)out); }, fine);
    }
    for (u32 stride = 1; stride <= 32; stride *= 2)
        measure.variant("shared", std::to_string(stride).c_str(), "lanes per bank", 0,
                        [=] { conflicts<<<full, 256>>>(stride, 256, out); }, fine);
    for (u32 paths = 1; paths <= 32; paths *= 2)
        measure.variant("divergence", std::to_string(paths).c_str(), "paths per warp", 0,
                        [=] { divergence<<<full, 256>>>(paths, 64, 0.5f, (float*)out); }, fine);
}
