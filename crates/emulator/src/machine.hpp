// The state of one launch: threads as fibers, warps, blocks, and the order in which they run.
//
// One thread of the host runs the whole grid, so a launch with the same seed does the same steps in the same order.
// Shared memory is the thread-local segment of the kernel's library: it is exchanged when another block goes on.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#include <sys/mman.h>
#include <time.h>
#include "fiber.hpp"
#include "wire.hpp"

namespace gw_emulated {

constexpr size_t STACK = 64 << 10;
constexpr uint64_t CANARY = 0x57ac4b0ff1c3a5a5ull;
constexpr unsigned char POISON = 0xa5;

struct Machine;
struct Block;
struct Warp;

enum class State { Ready, Running, Waiting, Resting, Exited };

// Who touched a byte last, and where in the code.
struct Trace {
    uint64_t write_epoch = 0, read_epoch = 0;
    void *write_place = nullptr, *read_place = nullptr;
    uint32_t write_tick = 0, read_tick = 0;
    // Lanes of `read_warp` that read it; warp MANY: lanes of several warps.
    uint32_t read_lanes = 0;
    uint16_t writer = 0, read_warp = 0;
    // Slots of the blocks; of no meaning in shared memory.
    uint16_t write_block = 0, read_block = 0;
    bool write_relaxed = false, read_relaxed = false;
    static constexpr uint16_t MANY = 0xffff;
};

struct Fiber {
    Index thread{};
    unsigned lane = 0;
    Machine* machine = nullptr;
    Block* block = nullptr;
    Warp* warp = nullptr;
    Context context;
    char* stack = nullptr;
    State state = State::Exited;
    // What it waits for, with the call's place in the source.
    Op op = Op::None;
    unsigned mask = 0;
    uint64_t value = 0;
    int argument = 0;
    int width = 32;
    const char* file = "";
    int line = 0;
    uint64_t result = 0;
    // Accesses until the next forced switch.
    int budget = 0;
    // For the race check: how often this lane was ordered within its warp, and what it knows of the other lanes.
    uint32_t tick = 1;
    uint32_t seen[32] = {};
    // The same for other blocks, by slot: their accesses up to this epoch come before (`known`); what a fence has
    // made ready to be passed on (`fenced`); what came by an atomic or volatile read and is known after the next
    // fence (`heard`).
    std::vector<uint64_t> known, fenced, heard;
};

struct Warp {
    Fiber* lanes[32] = {};
    unsigned live = 0;
    unsigned number = 0;
    // Operations under way: the lanes of `mask` that have arrived, and one of them. Masks differ.
    struct Group {
        unsigned mask, arrived;
        Fiber* witness;
    } groups[32];
    unsigned group_count = 0;
};

// Fibers that can run, taken from either end.
struct Ring {
    std::vector<Fiber*> cells;
    unsigned head = 0, count = 0;
    void reset(unsigned capacity) {
        if (cells.size() < capacity) cells.resize(capacity);
        head = count = 0;
    }
    Fiber*& at(unsigned i) {
        unsigned k = head + i;
        return cells[k >= cells.size() ? k - cells.size() : k];
    }
    void push_back(Fiber* f) { at(count++) = f; }
    void push_front(Fiber* f) {
        head = head ? head - 1 : cells.size() - 1;
        count++;
        at(0) = f;
    }
    Fiber* pop_back() { return at(--count); }
    Fiber* pop_front() {
        Fiber* f = at(0);
        head = head + 1 == cells.size() ? 0 : head + 1;
        count--;
        return f;
    }
};

struct Block {
    Index index{};
    unsigned slot = 0;
    std::vector<Fiber*> fibers;
    std::vector<Warp> warps;
    Ring ready;
    std::vector<Fiber*> resting;
    unsigned live = 0, arrived = 0, asking = 0;
    // One that waits at the barrier: the others must wait at the same.
    Fiber* witness = nullptr;
    // Counts barriers over all launches, so that what an earlier block left in `traces` is old.
    uint64_t epoch = 0, birth = 0;
    std::vector<Trace> traces;
    // The block's shared memory while another block runs.
    std::vector<unsigned char> shared;
};

struct Range {
    uint64_t begin, end;
};

// What the host passes for a launch; the same layout on the Rust side.
struct Run {
    const volatile unsigned char* stop;   // not zero: the launch shall end; may be null
    void (*enter)(const void*);
    void* (*probe)();
    uint64_t shared_offset, shared_bytes;
    const void* arguments;
    uint64_t argument_bytes;
    const Range* memory;
    uint64_t ranges;
    const Range* library;
    uint64_t library_ranges;
    uint64_t seed;
    uint32_t grid, block, resident, seconds;
    // 0: no race check, 1: in shared memory, 2: in global memory too.
    uint32_t races;
};

// A write that races unless it writes what is there already: known only after it is done.
struct Pending {
    const unsigned char* address = nullptr;
    unsigned bytes = 0;
    unsigned char before[16];
    Fiber* fiber = nullptr;
    std::string message;
};

struct Machine {
    const Run* run = nullptr;
    Index block_size{}, grid_size{};
    Context scheduler;
    std::vector<Fiber> fibers;
    std::vector<Block> blocks;
    std::vector<Block*> active;
    std::vector<char*> stacks;
    Block* loaded = nullptr;
    unsigned char* shared = nullptr;
    uint64_t random = 1;
    enum class Order { Random, Forward, Backward } order = Order::Random;
    bool failed = false;
    bool progress = false;
    std::string message;
    long long clock = 0;
    unsigned started = 0;
    uint64_t epoch = 0;
    Pending pending;
    // For the race check in global memory: traces by page, and what was passed on through an address.
    std::unordered_map<uint64_t, std::unique_ptr<Trace[]>> pages;
    std::unordered_map<uint64_t, std::vector<uint64_t>> passed;
    uint64_t birth = 0;
    uint32_t recent[64] = {};

    uint64_t draw() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random * 0x2545f4914f6cdd1dull >> 16;
    }
    unsigned below(unsigned n) { return (unsigned)(draw() % n); }

    bool launch(const Run& run);
    void begin_block(Block& block);
    void load(Block& block);
    // Steps so far: one in 16 looks whether a stack has overflowed, and so does the last of every thread.
    unsigned steps = 0;
    void step(Block& block);
    bool settle(Block& block);
    void exited(Fiber* f);
    void release(Fiber* f) {
        f->op = Op::None;
        f->state = State::Ready;
        f->block->ready.push_back(f);
    }
    void wake(Block& block) {
        for (Fiber* f : block.resting) release(f);
        block.resting.clear();
    }
    std::string who(const Fiber* f) const;
    std::string dump() const;
};

extern "C" __thread Fiber* gwe_current;

const char* name(Op op);
// All live threads of a block, or lanes of a warp, see what the others did before.
void block_ordered(Block& block);
void warp_ordered(Warp& warp, unsigned lanes);
// Gives the host thread back to the scheduler until the fiber is chosen again.
void leave(Fiber* f);
// Ends the launch with a message; never returns into the kernel.
[[noreturn]] void fail(Fiber* f, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace gw_emulated
