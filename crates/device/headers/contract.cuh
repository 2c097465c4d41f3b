// The graph between labels. Every edge between two labels becomes a key, keys are sorted, and each run of equal keys is
// an edge of the new graph: its weight is the sum of the values of the run, its source says in which list it stands.
//
// Two launches with the same grid, since the host must find memory for as many edges as there are runs. Counted per
// edge of the old graph: 12 bytes to make a key with its value, 36 per pass of the sort (radix.cuh), and 8 to count the
// runs.
#pragma once
#include "radix.cuh"

namespace gw {

// What the host reads between and after the launches; zero before the first.
struct ContractState {
    unsigned keys;       // edges between two labels
    unsigned wrong;      // labels that are no vertices
    unsigned edges;      // of the new graph
    unsigned heavy;      // sums that do not fit a weight
    unsigned greatest;   // length of the longest list
    unsigned barrier;
};

struct Contraction {
    const unsigned* offsets;           // of the old graph
    const unsigned* neighbours;
    const int* weights;                // null: every edge counts 1
    const int* labels;
    unsigned long long* keys[2];
    unsigned* values[2];               // null without weights
    unsigned* counts;                  // of the sort
    unsigned* runs;                    // per block of threads
    ContractState* state;
    unsigned* new_offsets;             // of the second launch alone
    unsigned* new_sources;
    unsigned* new_neighbours;
    unsigned long long* new_sums;      // zero before
    int* new_weights;
    unsigned long long vertices, edges, bits, passes;
};

// The keys that a block of threads looks at when runs are counted and written.
struct Stretch {
    unsigned begin, end;
};

__device__ __forceinline__ Stretch own_stretch(unsigned count) {
    const unsigned tiles = count / BLOCK + (count % BLOCK > 0);
    const unsigned long long share = (unsigned long long)(tiles / gridDim.x + (tiles % gridDim.x > 0)) * BLOCK;
    const unsigned long long begin = blockIdx.x * share, end = begin + share;
    return {begin < count ? (unsigned)begin : count, end < count ? (unsigned)end : count};
}

__device__ __forceinline__ bool begins_run(const unsigned long long* keys, unsigned at) {
    return at == 0 || keys[at] != keys[at - 1];
}

// The first launch: keys, sorted, and the number of runs.
__device__ inline void contract_keys(const Contraction& c) {
    const Grid grid{&c.state->barrier};
    for (unsigned v = grid.rank(); v < c.vertices; v += grid.size())
        if ((unsigned)c.labels[v] >= c.vertices) c.state->wrong = 1;
    grid.wait();
    if (*(volatile unsigned*)&c.state->wrong) return;   // the same for all
    for (unsigned long long e = grid.rank(); e < c.edges; e += grid.size()) {
        const unsigned source = last_not_above(c.offsets, (unsigned)c.vertices, (unsigned)e);
        const unsigned from = c.labels[source], to = c.labels[c.neighbours[e]];
        if (from == to) continue;
        const unsigned at = take_number(&c.state->keys);
        c.keys[1][at] = (unsigned long long)from << 32 | (unsigned long long)to << 1;
        if (c.weights) c.values[1][at] = (unsigned)c.weights[e];
    }
    grid.wait();
    const unsigned count = *(volatile unsigned*)&c.state->keys;
    KeySort sort{c.keys[1], c.weights ? c.values[1] : nullptr, {c.keys[0], c.keys[1]}, {c.values[0], c.values[1]},
                 c.counts, count, (unsigned)c.bits, (unsigned)c.passes};
    sort_keys(sort, grid);
    const unsigned long long* keys = c.keys[(c.passes - 1) & 1];
    const Stretch own = own_stretch(count);
    unsigned runs = 0, total;
    for (unsigned at = own.begin + threadIdx.x; at < own.end; at += BLOCK) runs += begins_run(keys, at);
    block_exclusive(runs, total);
    if (threadIdx.x == 0) {
        c.runs[blockIdx.x] = total;
        atomicAdd(&c.state->edges, total);
    }
}

// The second launch: the edges of the new graph.
__device__ inline void contract_rows(const Contraction& c) {
    const Grid grid{&c.state->barrier};
    const unsigned count = c.state->keys, edges = c.state->edges;
    const unsigned long long* keys = c.keys[(c.passes - 1) & 1];
    const unsigned* values = c.values[(c.passes - 1) & 1];
    const Stretch own = own_stretch(count);
    unsigned before = 0, total;
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += BLOCK) before += c.runs[block];
    block_exclusive(before, total);
    before = total;
    for (unsigned base = own.begin; base < own.end; base += BLOCK) {
        const unsigned at = base + threadIdx.x;
        const bool inside = at < own.end, begins = inside && begins_run(keys, at);
        const unsigned here = block_exclusive((unsigned)begins, total);
        // The run of the own key; its first key may stand before this stretch.
        const unsigned run = before + here + begins - 1;
        before += total;
        if (begins) {
            c.new_sources[run] = (unsigned)(keys[at] >> 32);
            c.new_neighbours[run] = (unsigned)keys[at] >> 1;
        }
        // Lanes of one run add up among themselves; the last one has the sum.
        long long sum = !inside ? 0 : c.weights ? (long long)(int)values[at] : 1;
        const unsigned key = inside ? run : ~0u;
#pragma unroll
        for (unsigned step = 1; step < WARP; step *= 2) {
            const long long below = __shfl_up_sync(FULL, sum, step);
            const unsigned its = __shfl_up_sync(FULL, key, step);
            if (lane() >= step && its == key) sum += below;
        }
        const unsigned next = __shfl_down_sync(FULL, key, 1);
        if (inside && (lane() == WARP - 1 || next != key))
            atomicAdd(&c.new_sums[run], (unsigned long long)sum);
    }
    grid.wait();
    for (unsigned e = grid.rank(); e < edges; e += grid.size()) {
        const long long sum = (long long)c.new_sums[e];
        c.new_weights[e] = (int)sum;
        if (sum != (int)sum) c.state->heavy = 1;
    }
    for (unsigned v = grid.rank(); v <= c.vertices; v += grid.size()) {
        unsigned low = 0, high = edges;
        while (low < high) {
            const unsigned middle = low + (high - low) / 2;
            if (c.new_sources[middle] < v) low = middle + 1;
            else high = middle;
        }
        c.new_offsets[v] = low;
    }
    grid.wait();
    unsigned greatest = 0;
    for (unsigned v = grid.rank(); v < c.vertices; v += grid.size()) {
        const unsigned length = c.new_offsets[v + 1] - c.new_offsets[v];
        greatest = length > greatest ? length : greatest;
    }
    if (greatest > 0) atomicMax(&c.state->greatest, greatest);
}

}  // namespace gw
