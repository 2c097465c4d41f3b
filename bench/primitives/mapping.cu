// Mappings of work to threads on given numbers of units per item: the load balancers of the CUDA machine, from its own
// headers, beside the techniques of Busato's thesis (chapter 5) that the machine has no use for, with their knobs.
//
//   nvcc -O3 -std=c++20 -arch=sm_90 -I ../../crates/device/headers mapping.cu -o mapping
//   mapping time|energy SECONDS|once [-k] SHAPE...
//
// A shape is one of the table SHAPES: the items, and the mean, deviation and maximum of units per item, of an input of
// the thesis. Every item has a unit. The work is to read and update every unit: `out[u] += item`. After -k the knobs of
// Multi-Phase are swept as well. Compiled with -DCHILD_KERNELS -rdc=true -lcudadevrt, only the mapping with kernels
// launched by kernels is measured.
#define GW_BLOCK 256
#include "balance_block_mapping.cuh"
#include "balance_cta_warp_scan.cuh"
#include "balance_dynamic_virtual_warp.cuh"
#include "balance_etwc.cuh"
#include "balance_etwc_all.cuh"
#include "balance_local_warp_search.cuh"
#include "balance_merge_path.cuh"
#include "balance_multi_phase.cuh"
#include "balance_strict.cuh"
#include "balance_twc.cuh"
#include "balance_vertex_based.cuh"
#include "balance_virtual_warp.cuh"
#include "balance_warp_mapping.cuh"
#include "measure.cuh"
#include "shape.hpp"
#include <thread>

typedef unsigned u32;

struct Work {
    const u32* first;  // of item i: its first unit; one more entry, the number of units
    u32 items, units;
    u32* out;
};

__device__ __forceinline__ void visit(const Work& work, u32 unit, u32 item) { work.out[unit] += item; }

// ---- The load balancers of the CUDA machine.

struct Walk {
    typedef unsigned Offset;
    static constexpr bool EARLY_EXIT = false;
    struct Partial {};
    const Work& work;
    __device__ unsigned active() const { return work.items; }
    __device__ int vertex(unsigned i) const { return (int)i; }
    __device__ Offset first(int v) const { return work.first[v]; }
    __device__ gw::Range<Offset> range(int v) const { return {work.first[v], work.first[v + 1]}; }
    __device__ Partial begin(int) const { return Partial{}; }
    __device__ bool edge(int v, Offset e, Partial&) {
        visit(work, e, (u32)v);
        return true;
    }
    template <int LANES, bool WHOLE> __device__ void end(int, Partial&) {}
};

struct Room {
    gw::Scratch scratch;
    unsigned* counter;
    unsigned greatest;
};

#define BALANCER(name, call)                                                                      \
    __global__ void __launch_bounds__(GW_BLOCK) name(const Work work, const Room room) {          \
        Walk op{work};                                                                            \
        [[maybe_unused]] gw::Scratch scratch = room.scratch;                                      \
        [[maybe_unused]] gw::Grid grid{room.counter};                                             \
        call;                                                                                     \
    }
BALANCER(vertex_based, gw::balance_vertex_based(op))
BALANCER(vw2, gw::balance_virtual_warp<2>(op, 1))
BALANCER(vw4, gw::balance_virtual_warp<4>(op, 1))
BALANCER(vw8, gw::balance_virtual_warp<8>(op, 1))
BALANCER(vw16, gw::balance_virtual_warp<16>(op, 1))
BALANCER(vw32, gw::balance_virtual_warp<32>(op, 1))
BALANCER(dvw4, gw::balance_dynamic_virtual_warp<4>(op))
BALANCER(twc, gw::balance_twc(op, scratch, grid))
BALANCER(etwc, gw::balance_etwc(op, scratch, grid, room.greatest))
BALANCER(wm, gw::balance_warp_mapping(op))
BALANCER(cm, gw::balance_block_mapping(op))
BALANCER(strict, gw::balance_strict(op, scratch, grid))
BALANCER(cta_warp_scan, gw::balance_cta_warp_scan(op))
BALANCER(local_warp_search, gw::balance_local_warp_search(op))
BALANCER(merge_path, gw::balance_merge_path(op, scratch, grid))
BALANCER(multi_phase, gw::balance_multi_phase(op, scratch, grid))

// ---- Searches: the last place whose value is not above the key.

// Both sides are looked at in every step.
__device__ __forceinline__ u32 search_two_loads(const u32* a, u32 n, u32 key) {
    u32 low = 0, high = n;
    while (high - low > 1) {
        const u32 middle = low + (high - low) / 2;
        if (a[middle] <= key && (middle + 1 == n || a[middle + 1] > key)) return middle;
        if (a[middle] <= key) low = middle; else high = middle;
    }
    return low;
}
// A fixed number of steps with one load each.
__device__ __forceinline__ u32 search_fixed(const u32* a, u32 n, u32 key) {
    u32 low = 0;
    for (u32 step = n > 1 ? 1u << (31 - __clz(n - 1)) : 0; step > 0; step /= 2)
        if (low + step < n && a[low + step] <= key) low += step;
    return low;
}
// Where the key would lie if values grew evenly; bisection after 16 steps.
__device__ __forceinline__ u32 search_interpolated(const u32* a, u32 n, u32 units, u32 key) {
    u32 low = 0, high = n, at_low = 0, at_high = units;
    for (u32 step = 0; high - low > 1; ++step) {
        u32 k = step < 16 ? low + (u32)((double)(key - at_low) * (high - low) / (at_high - at_low))
                          : low + (high - low) / 2;
        k = min(max(k, low + 1), high - 1);
        const u32 value = a[k];
        if (value <= key) low = k, at_low = value; else high = k, at_high = value;
    }
    return low;
}

enum Search { TWO_LOADS, FIXED, INTERPOLATED };

template <int SEARCH> __global__ void partition(const Work work, u32* part, u32 chunks, u32 chunk) {
    const u32 c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > chunks) return;
    const u32 key = (u32)min((unsigned long long)c * chunk, (unsigned long long)work.units - 1);
    if (SEARCH == TWO_LOADS) part[c] = search_two_loads(work.first, work.items, key);
    if (SEARCH == FIXED) part[c] = search_fixed(work.first, work.items, key);
    if (SEARCH == INTERPOLATED) part[c] = search_interpolated(work.first, work.items, work.units, key);
}

// ---- D1, direct search: a thread per unit.
__global__ void direct_search(const Work work) {
    for (u32 u = blockIdx.x * blockDim.x + threadIdx.x; u < work.units; u += gridDim.x * blockDim.x)
        visit(work, u, search_fixed(work.first, work.items, u));
}

// ---- D3, block search: a block takes equally many items and divides their units evenly among its threads.
constexpr u32 SLAB = 4096;
__global__ void __launch_bounds__(256) block_search(const Work work) {
    __shared__ u32 first[SLAB + 1];
    const u32 begin = blockIdx.x * SLAB, n = min(SLAB, work.items - begin);
    for (u32 k = threadIdx.x; k <= n; k += 256) first[k] = work.first[begin + k];
    __syncthreads();
    const u32 units = first[n] - first[0], share = (units + 255) / 256;
    const u32 from = first[0] + min(units, threadIdx.x * share), to = first[0] + min(units, (threadIdx.x + 1) * share);
    if (from >= to) return;
    u32 j = search_fixed(first, n, from);
    for (u32 u = from; u < to; ++u) {
        while (first[j + 1] <= u) ++j;
        visit(work, u, begin + j);
    }
}

// ---- D4 and D6, two-phase and multi-phase: a partition by searches, then chunks of equally many units per block.
// With TURN the owners of units are turned round within a warp so that units are visited side by side (D6).
template <int B, int K, int IS, bool TURN>
__global__ void __launch_bounds__(B) expand(const Work work, const u32* part, u32 chunks) {
    constexpr u32 CHUNK = B * K * IS;
    extern __shared__ u32 first[];  // CHUNK + 2 entries: every item has a unit
    for (u32 c = blockIdx.x; c < chunks; c += gridDim.x) {
        const u32 low = part[c], n = part[c + 1] - low + 1, base = c * CHUNK;
        for (u32 k = threadIdx.x; k < n; k += B) first[k] = work.first[low + k];
        if (threadIdx.x == 0) first[n] = ~0u;
        __syncthreads();
        u32 owner[IS][K];
#pragma unroll
        for (int s = 0; s < IS; ++s) {
            const u32 u = base + (s * B + threadIdx.x) * K;
            u32 j = search_fixed(first, n, u);
#pragma unroll
            for (int k = 0; k < K; ++k) {
                j += first[j + 1] <= u + k;
                owner[s][k] = low + j;
            }
        }
        if (TURN) {
            __syncthreads();
            u32* turned = first + threadIdx.x / 32 * (32 * K);
            const u32 lane = threadIdx.x % 32;
#pragma unroll
            for (int s = 0; s < IS; ++s) {
#pragma unroll
                for (int k = 0; k < K; ++k) turned[lane * K + k] = owner[s][k];
                __syncwarp();
#pragma unroll
                for (int k = 0; k < K; ++k) {
                    const u32 u = base + (s * B + threadIdx.x / 32 * 32) * K + k * 32 + lane;
                    if (u < work.units) visit(work, u, turned[k * 32 + lane]);
                }
                __syncwarp();
            }
        } else {
#pragma unroll
            for (int s = 0; s < IS; ++s)
#pragma unroll
                for (int k = 0; k < K; ++k) {
                    const u32 u = base + (s * B + threadIdx.x) * K + k;
                    if (u < work.units) visit(work, u, owner[s][k]);
                }
        }
        __syncthreads();
    }
}

#ifdef CHILD_KERNELS
// ---- SD1, virtual warps of four lanes, and a kernel of its own for each item of more than 16384 units.
constexpr u32 LARGE = 16384;
__global__ void child(const Work work, u32 item) {
    const u32 last = work.first[item + 1];
    for (u32 u = work.first[item] + blockIdx.x * blockDim.x + threadIdx.x; u < last; u += gridDim.x * blockDim.x)
        visit(work, u, item);
}
__global__ void __launch_bounds__(256) dynamic_parallelism(const Work work) {
    const u32 group = (blockIdx.x * blockDim.x + threadIdx.x) / 4, groups = gridDim.x * blockDim.x / 4;
    for (u32 item = group; item < work.items; item += groups) {
        const u32 from = work.first[item], to = work.first[item + 1];
        if (to - from > LARGE) {
            if (threadIdx.x % 4 == 0)
                child<<<(to - from + 2047) / 2048, 256, 0, cudaStreamFireAndForget>>>(work, item);
        } else {
            for (u32 u = from + threadIdx.x % 4; u < to; u += 4) visit(work, u, item);
        }
    }
}
#endif

__global__ void wrong(const Work work, unsigned* count) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < work.items; i += gridDim.x * blockDim.x)
        for (u32 u = work.first[i]; u < work.first[i + 1]; ++u)
            if (work.out[u] != i) atomicAdd(count, 1u);
}

struct Bench {
    Measure& measure;
    Work work;
    Room room;
    u32* part;
    unsigned* faults;
    std::string input;

    bool right(const std::function<void()>& run) {
        unsigned count = 0;
        CHECK(cudaMemset(work.out, 0, 4ull * work.units));
        CHECK(cudaMemset(faults, 0, 4));
        run();
        wrong<<<1024, 256>>>(work, faults);
        CHECK(cudaMemcpy(&count, faults, 4, cudaMemcpyDeviceToHost));
        CHECK(cudaGetLastError());
        return count == 0;
    }
    void variant(const char* group, const char* name, const std::function<void()>& run) {
        // A read and a write of every unit, a read of every item.
        const double bytes = 8.0 * work.units + 4.0 * work.items;
        measure.variant(group, name, input.c_str(), bytes, run, [&] { return right(run); });
    }
    void balancer(const char* name, void (*kernel)(const Work, const Room)) {
        const int blocks = resident_blocks((const void*)kernel, GW_BLOCK);
        variant("mapping", name, [=, this] { kernel<<<blocks, GW_BLOCK>>>(work, room), ++measure.launches; });
    }
    // SEARCH, shape of the grid: 0 a block per chunk, 1 the resident blocks, 2 those times 32.
    template <int B, int K, int IS, bool TURN> void chunks(const char* group, const char* name, int search, int grid) {
        constexpr u32 CHUNK = B * K * IS;
        const u32 count = (work.units + CHUNK - 1) / CHUNK;
        const size_t shared = (CHUNK + 2) * 4;
        const auto kernel = expand<B, K, IS, TURN>;
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        const u32 resident = resident_blocks((const void*)kernel, B, shared);
        const u32 blocks = grid == 0 ? count : std::min(count, resident * (grid == 1 ? 1 : 32));
        variant(group, name, [=, this] {
            split(search, count, CHUNK);
            kernel<<<blocks, B, shared>>>(work, part, count), ++measure.launches;
        });
    }
    void split(int search, u32 count, u32 chunk) {
        const u32 blocks = count / 128 + 1;
        if (search == TWO_LOADS) partition<TWO_LOADS><<<blocks, 128>>>(work, part, count, chunk);
        if (search == FIXED) partition<FIXED><<<blocks, 128>>>(work, part, count, chunk);
        if (search == INTERPOLATED) partition<INTERPOLATED><<<blocks, 128>>>(work, part, count, chunk);
        ++measure.launches;
    }
    void all() {
#ifdef CHILD_KERNELS
        variant("mapping", "vw4+child-kernels", [this] { dynamic_parallelism<<<4096, 256>>>(work); });
        return;
#endif
        balancer("vertex-based", vertex_based);
        balancer("vw2", vw2), balancer("vw4", vw4), balancer("vw8", vw8), balancer("vw16", vw16);
        balancer("vw32", vw32), balancer("dvw4", dvw4);
        balancer("twc", twc), balancer("wm", wm), balancer("cm", cm), balancer("strict", strict);
        balancer("etwc", etwc), balancer("cta-warp-scan", cta_warp_scan);
        balancer("local-warp-search", local_warp_search), balancer("merge-path", merge_path);
        balancer("multi-phase", multi_phase);
        chunks<128, 10, 1, false>("mapping", "two-phase(D4)", FIXED, 0);
        chunks<128, 8, 3, true>("mapping", "multi-phase(D6)", FIXED, 2);
        if (measure.mode == "energy") return;
        variant("mapping", "direct-search(D1)", [this] { direct_search<<<4096, 256>>>(work), ++measure.launches; });
        variant("mapping", "block-search(D3)", [this] {
            block_search<<<(work.items + SLAB - 1) / SLAB, 256>>>(work), ++measure.launches;
        });
    }
    template <int IS> void iterations() {
        chunks<128, 8, IS, true>("iterations", std::to_string(IS).c_str(), FIXED, 2);
    }
    void knobs() {
        const u32 chunk = 1024, count = (work.units + chunk - 1) / chunk;
        // Searches alone; what they write is checked by the variants above.
        const double bytes = 4.0 * count;
        const auto search = [&](const char* name, int kind) {
            measure.variant("search", name, input.c_str(), bytes, [=, this] { split(kind, count, chunk); },
                            [] { return true; });
        };
        search("two-loads", TWO_LOADS), search("fixed", FIXED), search("interpolated", INTERPOLATED);
        iterations<1>(), iterations<2>(), iterations<3>(), iterations<4>(), iterations<5>(), iterations<6>();
        iterations<7>(), iterations<8>(), iterations<10>(), iterations<12>();
        chunks<32, 8, 3, true>("block", "32", FIXED, 2), chunks<64, 8, 3, true>("block", "64", FIXED, 2);
        chunks<128, 8, 3, true>("block", "128", FIXED, 2), chunks<256, 8, 3, true>("block", "256", FIXED, 2);
        chunks<512, 8, 3, true>("block", "512", FIXED, 2), chunks<1024, 8, 3, true>("block", "1024", FIXED, 2);
        chunks<128, 8, 3, true>("grid", "per-chunk", FIXED, 0), chunks<128, 8, 3, true>("grid", "resident", FIXED, 1);
        chunks<128, 8, 3, true>("grid", "resident-x32", FIXED, 2);
        chunks<128, 4, 1, false>("strided", "k4", FIXED, 0), chunks<128, 4, 1, true>("turned", "k4", FIXED, 0);
        chunks<128, 8, 1, false>("strided", "k8", FIXED, 0), chunks<128, 8, 1, true>("turned", "k8", FIXED, 0);
        chunks<128, 16, 1, false>("strided", "k16", FIXED, 0), chunks<128, 16, 1, true>("turned", "k16", FIXED, 0);
    }
};

int main(int argc, char** argv) {
#ifdef CHILD_KERNELS
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 65536));
#endif
    Measure measure(argc, argv);
    std::vector<std::pair<const Shape*, bool>> wanted;
    bool knobs = false;
    for (int i = measure.mode == "energy" ? 3 : 2; i < argc; ++i) {
        if (!strcmp(argv[i], "-k")) { knobs = true; continue; }
        const Shape* shape = find_shape(argv[i]);
        if (!shape) { fprintf(stderr, "%s: no shape has this name\n", argv[i]); return 2; }
        wanted.push_back({shape, knobs});
    }
    std::vector<std::vector<u32>> made(wanted.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < wanted.size(); ++i) threads.emplace_back([&, i] { made[i] = offsets(*wanted[i].first); });
    for (auto& thread : threads) thread.join();
    for (size_t i = 0; i < wanted.size(); ++i) {
        const std::vector<u32>& host = made[i];
        const u32 items = (u32)host.size() - 1, units = host.back();
        u32 *first, *out, *part, *words;
        unsigned *counter, *faults;
        const unsigned long long room = 8ull * (items + 65536) + 4 * gw::segment_words<unsigned>(items);
        CHECK(cudaMalloc(&first, 4ull * host.size()));
        CHECK(cudaMalloc(&out, 4ull * units));
        CHECK(cudaMalloc(&part, 4ull * (units / 128 + 4096)));
        CHECK(cudaMalloc(&words, 4 * room));
        CHECK(cudaMalloc(&counter, 4));
        CHECK(cudaMalloc(&faults, 4));
        CHECK(cudaMemset(words, 0, 4 * room));
        CHECK(cudaMemset(counter, 0, 4));
        CHECK(cudaMemset(out, 0, 4ull * units));
        CHECK(cudaMemcpy(first, host.data(), 4ull * host.size(), cudaMemcpyHostToDevice));
        const u32 greatest = (u32)wanted[i].first->max;
        const Work work{first, items, units, out};
        Bench bench{measure, work, {{words, room}, counter, greatest}, part, faults, wanted[i].first->name};
        bench.all();
        if (wanted[i].second) bench.knobs();
        for (void* memory : {(void*)first, (void*)out, (void*)part, (void*)words, (void*)counter, (void*)faults})
            CHECK(cudaFree(memory));
    }
}
