// Reductions, scans and transposes in variants from naive to good, for judging the quality metric: does it order the
// variants of one primitive as their times do?
//
//   nvcc -O3 -std=c++20 -arch=sm_90 primitives.cu -o primitives
//   primitives time|energy SECONDS|once
//
// Steps of reductions after Harris (Optimizing parallel reduction in CUDA, 2007), of scans after Hillis and Steele,
// Blelloch, and Merrill and Garland (single pass with decoupled look-back, 2016), of transposes after Ruetsch and
// Micikevicius (2009). All code is our own.
#include "measure.cuh"

typedef unsigned u32;
typedef unsigned long long u64;
constexpr u32 FULL = 0xffffffffu;
constexpr int B = 256;

__device__ __forceinline__ u32 warp_sum(u32 value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(FULL, value, step);
    return value;
}
__device__ __forceinline__ u32 warp_scan(u32 value) {
    for (int step = 1; step < 32; step *= 2) {
        const u32 below = __shfl_up_sync(FULL, value, step);
        if (threadIdx.x % 32 >= step) value += below;
    }
    return value;
}

// ---- Reductions. A kernel leaves a sum per block; variants of one element per thread go on with these.

__global__ void reduce_atomic(const u32* in, u32* out, u32 n) {
    const u32 i = blockIdx.x * B + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
// Pairs at growing distance; the remainder chooses the threads, which scatters them over all warps.
__global__ void reduce_remainder(const u32* in, u32* out, u32 n) {
    __shared__ u32 sums[B];
    const u32 t = threadIdx.x, i = blockIdx.x * B + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (u32 step = 1; step < B; step *= 2) {
        if (t % (2 * step) == 0) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
// The threads are neighbours, but their entries collide in the banks.
__global__ void reduce_conflicts(const u32* in, u32* out, u32 n) {
    __shared__ u32 sums[B];
    const u32 t = threadIdx.x, i = blockIdx.x * B + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (u32 step = 1; step < B; step *= 2) {
        const u32 at = 2 * step * t;
        if (at < B) sums[at] += sums[at + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
// Threads and entries are neighbours.
__global__ void reduce_sequential(const u32* in, u32* out, u32 n) {
    __shared__ u32 sums[B];
    const u32 t = threadIdx.x, i = blockIdx.x * B + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (u32 step = B / 2; step > 0; step /= 2) {
        if (t < step) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
__device__ __forceinline__ u32 block_sum(u32 value) {
    __shared__ u32 sums[B / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    return threadIdx.x < 32 ? warp_sum(threadIdx.x < B / 32 ? sums[threadIdx.x] : 0) : 0;
}
// One barrier: sums of warps by shuffles.
__global__ void reduce_shuffle(const u32* in, u32* out, u32 n) {
    const u32 i = blockIdx.x * B + threadIdx.x;
    const u32 sum = block_sum(i < n ? in[i] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
// Many elements per thread, one atomic per block.
__global__ void reduce_strided(const u32* in, u32* out, u32 n) {
    u32 sum = 0;
    for (u32 i = blockIdx.x * B + threadIdx.x; i < n; i += gridDim.x * B) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
// And four at a time.
__global__ void reduce_vector(const u32* in, u32* out, u32 n) {
    const uint4* four = (const uint4*)in;
    u32 sum = 0;
#pragma unroll 4
    for (u32 i = blockIdx.x * B + threadIdx.x; i < n / 4; i += gridDim.x * B) {
        const uint4 value = four[i];
        sum += value.x + value.y + value.z + value.w;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

// ---- Scans (inclusive). A kernel scans the tile of a block and leaves its sum; a second one scans the sums, a third
// one adds them.

__global__ void scan_hillis(const u32* in, u32* out, u32* sums, u32 n) {
    __shared__ u32 now[2][B];
    const u32 t = threadIdx.x, i = blockIdx.x * B + t;
    int at = 0;
    now[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (u32 step = 1; step < B; step *= 2) {
        now[1 - at][t] = now[at][t] + (t >= step ? now[at][t - step] : 0);
        at = 1 - at;
        __syncthreads();
    }
    if (i < n) out[i] = now[at][t];
    if (t == B - 1) sums[blockIdx.x] = now[at][t];
}
template <bool PADDED> __device__ __forceinline__ u32 place(u32 i) { return PADDED ? i + i / 32 : i; }
// Up and down a tree; two elements per thread.
template <bool PADDED> __global__ void scan_blelloch(const u32* in, u32* out, u32* sums, u32 n) {
    __shared__ u32 tree[2 * B + 2 * B / 32];
    const u32 t = threadIdx.x, base = blockIdx.x * 2 * B;
    for (u32 k = t; k < 2 * B; k += B) tree[place<PADDED>(k)] = base + k < n ? in[base + k] : 0;
    u32 step = 1;
    for (u32 active = B; active > 0; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active)
            tree[place<PADDED>(step * (2 * t + 2) - 1)] += tree[place<PADDED>(step * (2 * t + 1) - 1)];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[place<PADDED>(2 * B - 1)];
        tree[place<PADDED>(2 * B - 1)] = 0;
    }
    for (u32 active = 1; active < 2 * B; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            const u32 left = place<PADDED>(step * (2 * t + 1) - 1), right = place<PADDED>(step * (2 * t + 2) - 1);
            const u32 kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    for (u32 k = t; k < 2 * B; k += B)
        if (base + k < n) out[base + k] = tree[place<PADDED>(k)] + in[base + k];
}
// Sum of the threads before this one, and of all.
__device__ __forceinline__ u32 block_before(u32 value, u32& total) {
    __shared__ u32 warps[B / 32];
    const u32 inclusive = warp_scan(value), warp = threadIdx.x / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 31) warps[warp] = inclusive;
    __syncthreads();
    u32 before = 0;
    total = 0;
    for (u32 w = 0; w < B / 32; ++w) {
        before += w < warp ? warps[w] : 0;
        total += warps[w];
    }
    return before + inclusive - value;
}
// E neighbouring elements per thread, in vectors of four where E allows.
template <int E> __device__ __forceinline__ u32 tile_scan(const u32* in, u32* out, u32 n, u32 base, u32 (&value)[E]) {
    const u32 i = base + threadIdx.x * E;
    if (E % 4 == 0 && i + E <= n) {
        for (int k = 0; k < E; k += 4) *(uint4*)(value + k) = *(const uint4*)(in + i + k);
    } else {
        for (int k = 0; k < E; ++k) value[k] = i + k < n ? in[i + k] : 0;
    }
    for (int k = 1; k < E; ++k) value[k] += value[k - 1];
    u32 total;
    const u32 before = block_before(value[E - 1], total);
    for (int k = 0; k < E; ++k) value[k] += before;
    return total;
}
template <int E> __device__ __forceinline__ void tile_store(u32* out, u32 n, u32 base, u32 (&value)[E], u32 add) {
    const u32 i = base + threadIdx.x * E;
    for (int k = 0; k < E; ++k) value[k] += add;
    if (E % 4 == 0 && i + E <= n) {
        for (int k = 0; k < E; k += 4) *(uint4*)(out + i + k) = *(uint4*)(value + k);
    } else {
        for (int k = 0; k < E; ++k)
            if (i + k < n) out[i + k] = value[k];
    }
}
template <int E> __global__ void scan_shuffle(const u32* in, u32* out, u32* sums, u32 n) {
    alignas(16) u32 value[E];
    const u32 total = tile_scan<E>(in, out, n, blockIdx.x * B * E, value);
    tile_store<E>(out, n, blockIdx.x * B * E, value, 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
// One block: the sums of blocks before each.
__global__ void scan_sums(u32* sums, u32 count) {
    u32 carry = 0;
    for (u32 base = 0; base < count; base += B) {
        const u32 i = base + threadIdx.x, value = i < count ? sums[i] : 0;
        u32 total;
        const u32 before = block_before(value, total);
        if (i < count) sums[i] = carry + before;
        carry += total;
    }
}
__global__ void scan_add(u32* out, const u32* sums, u32 n, u32 tile) {
    for (u32 k = threadIdx.x; k < tile; k += B) {
        const u32 i = blockIdx.x * tile + k;
        if (i < n) out[i] += sums[blockIdx.x];
    }
}
// Every block writes the sum of its tile, then its prefix; the next ones look back until they find a prefix.
template <int E> __global__ void scan_lookback(const u32* in, u32* out, u64* state, u32* ticket, u32 n) {
    __shared__ u32 shared_tile, shared_before;
    if (threadIdx.x == 0) shared_tile = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 tile = shared_tile;
    alignas(16) u32 value[E];
    const u32 total = tile_scan<E>(in, out, n, tile * B * E, value);
    const u64 SUM = 1ull << 32, PREFIX = 2ull << 32;
    volatile u64* states = state;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) states[tile] = (tile == 0 ? PREFIX : SUM) | total;
        u32 before = 0;
        for (long long last = (long long)tile - 1; last >= 0; last -= 32) {
            const long long at = last - threadIdx.x;
            u64 seen = at >= 0 ? 0 : PREFIX;
            while (__any_sync(FULL, seen < SUM))
                if (seen < SUM) seen = states[at];
            const u32 prefixes = __ballot_sync(FULL, seen >= PREFIX), nearest = prefixes ? __ffs(prefixes) - 1 : 31;
            before += __reduce_add_sync(FULL, threadIdx.x <= nearest ? (u32)seen : 0);
            if (prefixes) break;
        }
        if (threadIdx.x == 0) {
            if (tile > 0) states[tile] = PREFIX | (before + total);
            shared_before = before;
        }
    }
    __syncthreads();
    tile_store<E>(out, n, tile * B * E, value, shared_before);
}

// ---- Transposes of a square matrix whose side is a multiple of 64.

__global__ void transpose_copy(const float* in, float* out, u32 side) {
    const u32 x = blockIdx.x * 32 + threadIdx.x;
    for (u32 y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
        out[(u64)y * side + x] = in[(u64)y * side + x];
}
// Blocks of one row: reads side by side, writes all in different lines.
__global__ void transpose_row(const float* in, float* out, u32 side) {
    const u32 x = blockIdx.x * B + threadIdx.x, y = blockIdx.y;
    out[(u64)x * side + y] = in[(u64)y * side + x];
}
// Blocks of one column: the other way round.
__global__ void transpose_column(const float* in, float* out, u32 side) {
    const u32 x = blockIdx.x * B + threadIdx.x, y = blockIdx.y;
    out[(u64)y * side + x] = in[(u64)x * side + y];
}
// Blocks of 8 x 32: lines are used whole while they are in the cache.
__global__ void transpose_block(const float* in, float* out, u32 side) {
    const u32 x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[(u64)x * side + y] = in[(u64)y * side + x];
}
// A tile in shared memory; PAD 0 makes 32-fold bank conflicts. ROWS of a tile are threads, the others come by a loop.
template <int PAD, int ROWS> __global__ void transpose_tile(const float* in, float* out, u32 side) {
    __shared__ float tile[32][32 + PAD];
    const u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (u32 k = threadIdx.y; k < 32; k += ROWS) tile[k][threadIdx.x] = in[(u64)(y + k) * side + x];
    __syncthreads();
    const u32 to_x = y + threadIdx.x, to_y = blockIdx.x * 32;
    for (u32 k = threadIdx.y; k < 32; k += ROWS) out[(u64)(to_y + k) * side + to_x] = tile[threadIdx.x][k];
}
// Tiles of 64 x 64, two elements at a time.
__global__ void transpose_wide(const float* in, float* out, u32 side) {
    __shared__ float tile[64][65];
    const u32 x = blockIdx.x * 64, y = blockIdx.y * 64;
    for (u32 k = threadIdx.y; k < 64; k += 8) {
        const float2 two = *(const float2*)(in + (u64)(y + k) * side + x + 2 * threadIdx.x);
        tile[k][2 * threadIdx.x] = two.x, tile[k][2 * threadIdx.x + 1] = two.y;
    }
    __syncthreads();
    for (u32 k = threadIdx.y; k < 64; k += 8)
        *(float2*)(out + (u64)(x + k) * side + y + 2 * threadIdx.x) =
            make_float2(tile[2 * threadIdx.x][k], tile[2 * threadIdx.x + 1][k]);
}

struct Primitives {
    Measure& measure;
    u32 n = 1u << 26, scanned = 1u << 24, side = 8192;
    u32 *in, *out, *sums, *other;
    u64* state;
    std::vector<u32> host;

    explicit Primitives(Measure& m) : measure(m), host(n) {
        u32 word = 1;
        for (auto& value : host) value = (word = word * 1664525u + 1013904223u) >> 16;
        for (u32** memory : {&in, &out}) CHECK(cudaMalloc(memory, 4ull * n));
        for (u32** memory : {&sums, &other}) CHECK(cudaMalloc(memory, 4ull * (n / B + 1)));
        CHECK(cudaMalloc(&state, 8ull * (n / B + 2)));
        CHECK(cudaMemcpy(in, host.data(), 4ull * n, cudaMemcpyHostToDevice));
    }
    template <class Kernel, class... Arguments>
    void launch(Kernel kernel, dim3 grid, dim3 block, Arguments... arguments) {
        kernel<<<grid, block>>>(arguments...);
        ++measure.launches;
    }
    std::vector<u32> fetch(const u32* memory, size_t count) {
        std::vector<u32> values(count);
        CHECK(cudaMemcpy(values.data(), memory, 4 * count, cudaMemcpyDeviceToHost));
        return values;
    }

    void reductions() {
        u32 expected = 0;
        for (u32 value : host) expected += value;
        u32* result = sums;
        const auto variant = [&](const char* name, const std::function<void()>& run) {
            measure.variant("reduction", name, "2^26", 4.0 * n, run, [&] {
                run();
                return fetch(result, 1)[0] == expected;
            });
        };
        const auto levels = [&](const char* name, void (*kernel)(const u32*, u32*, u32)) {
            // 2^26 -> 2^18 -> 2^10 -> 4 -> 1, the last sum in `sums`.
            result = sums;
            variant(name, [=, this] {
                launch(kernel, n / B, B, in, sums, n);
                if (measure.mode == "once") return;  // the others are a hundredth of the work
                launch(kernel, n / B / B, B, sums, other, n / B);
                launch(kernel, n / B / B / B, B, other, sums + n / B / 2, n / B / B);
                launch(kernel, 1, B, sums + n / B / 2, sums, n / B / B / B);
            });
        };
        const auto single = [&](const char* name, void (*kernel)(const u32*, u32*, u32), u32 blocks) {
            variant(name, [=, this] {
                CHECK(cudaMemsetAsync(sums, 0, 4));
                launch(kernel, blocks, B, in, sums, n);
            });
        };
        const u32 resident = resident_blocks((const void*)reduce_vector, B);
        single("atomic", reduce_atomic, n / B);
        levels("remainder", reduce_remainder);
        levels("conflicts", reduce_conflicts);
        levels("sequential", reduce_sequential);
        levels("shuffle", reduce_shuffle);
        single("strided", reduce_strided, resident);
        single("vector", reduce_vector, resident);
    }

    void scans() {
        const u32 m = scanned;
        const auto variant = [&](const char* name, const std::function<void()>& run) {
            measure.variant("scan", name, "2^24", 8.0 * m, run, [&] {
                run();
                const std::vector<u32> values = fetch(out, m);
                u32 sum = 0;
                for (u32 i = 0; i < m; ++i)
                    if (values[i] != (sum += host[i])) return false;
                return true;
            });
        };
        const auto three = [&](const char* name, void (*kernel)(const u32*, u32*, u32*, u32), u32 tile) {
            variant(name, [=, this] {
                launch(kernel, m / tile, B, in, out, sums, m);
                if (measure.mode != "once") launch(scan_sums, 1, B, sums, m / tile);
                launch(scan_add, m / tile, B, out, sums, m, tile);
            });
        };
        const auto single = [&](const char* name, void (*kernel)(const u32*, u32*, u64*, u32*, u32), u32 tile) {
            variant(name, [=, this] {
                CHECK(cudaMemsetAsync(state, 0, 8ull * (m / tile + 1)));
                launch(kernel, m / tile, B, in, out, state + 1, (u32*)state, m);
            });
        };
        three("hillis", scan_hillis, B);
        three("blelloch", scan_blelloch<false>, 2 * B);
        three("blelloch-padded", scan_blelloch<true>, 2 * B);
        three("shuffle", scan_shuffle<1>, B);
        three("shuffle-4", scan_shuffle<4>, 4 * B);
        three("shuffle-16", scan_shuffle<16>, 16 * B);
        single("lookback-4", scan_lookback<4>, 4 * B);
        single("lookback-16", scan_lookback<16>, 16 * B);
    }

    void transposes() {
        const u32 s = side;
        const float* from = (const float*)in;
        float* to = (float*)out;
        const auto variant = [&](const char* name, bool copies, void (*kernel)(const float*, float*, u32), dim3 grid,
                                 dim3 block) {
            const auto run = [=, this] { launch(kernel, grid, block, from, to, s); };
            measure.variant("transpose", name, "8192", 8.0 * s * s, run, [&] {
                run();
                const std::vector<u32> values = fetch(out, (size_t)s * s / 8);
                for (u64 i = 0; i < s / 8; i += 7)
                    for (u64 j = 0; j < s; j += 7)
                        if (values[i * s + j] != host[copies ? i * s + j : j * s + i]) return false;
                return true;
            });
        };
        const dim3 tiles(s / 32, s / 32);
        variant("row", false, transpose_row, dim3(s / B, s), B);
        variant("column", false, transpose_column, dim3(s / B, s), B);
        variant("block", false, transpose_block, dim3(s / 8, s / 32), dim3(8, 32));
        variant("tile", false, transpose_tile<0, 32>, tiles, dim3(32, 32));
        variant("tile-padded", false, transpose_tile<1, 32>, tiles, dim3(32, 32));
        variant("tile-padded-8", false, transpose_tile<1, 8>, tiles, dim3(32, 8));
        variant("wide", false, transpose_wide, dim3(s / 64, s / 64), dim3(32, 8));
        variant("copy", true, transpose_copy, tiles, dim3(32, 8));
    }
};

int main(int argc, char** argv) {
    Measure measure(argc, argv);
    Primitives primitives(measure);
    primitives.reductions();
    primitives.scans();
    primitives.transposes();
}
