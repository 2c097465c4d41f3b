// The scheduler: which thread of which block runs next, until the grid is done, stuck or wrong.
#include "machine.hpp"
#include "races.hpp"
#include "watch.hpp"
#include "collectives.hpp"
#include "atomics.hpp"
#include <link.h>

namespace gw_emulated {

extern "C" {
__thread Fiber* gwe_current __attribute__((tls_model("initial-exec"))) = nullptr;
Index gwe_thread() { return gwe_current->thread; }
Index gwe_block() { return gwe_current->block->index; }
Index gwe_block_size() { return gwe_current->machine->block_size; }
Index gwe_grid_size() { return gwe_current->machine->grid_size; }
}

void leave(Fiber* f) {
    if (f->machine->pending.fiber) resolve_pending(*f->machine);
    f->context.go(f->machine->scheduler);
}

std::string Machine::who(const Fiber* f) const {
    char text[96];
    snprintf(text, sizeof text, "block %u, thread %u (warp %u, lane %u)", f->block->index.x, f->thread.x, f->warp->number, f->lane);
    return text;
}

void fail(Fiber* f, const char* format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    Machine& m = *f->machine;
    m.failed = true;
    m.message = m.who(f) + ": " + text;
    leave(f);
    abort();
}

// The first function of every fiber.
static void start() {
    Fiber* f = gwe_current;
    f->machine->run->enter(f->machine->run->arguments);
    f = gwe_current;
    f->machine->exited(f);
    leave(f);
    abort();
}

void Machine::exited(Fiber* f) {
    f->state = State::Exited;
    f->warp->live &= ~(1u << f->lane);
    f->block->live--;
    progress = true;
    left_warp(f);
    complete_barrier(f, *f->block);
}

void Machine::begin_block(Block& block) {
    const unsigned slot = block.slot = (unsigned)(&block - blocks.data());
    unsigned threads = run->block;
    block.index = {started++, 0, 0};
    block.live = threads;
    block.arrived = block.asking = 0;
    block.birth = block.epoch = ++epoch;
    if (run->races && block.traces.size() < run->shared_bytes) block.traces.resize(run->shared_bytes);
    block.resting.clear();
    block.ready.reset(threads);
    block.fibers.resize(threads);
    block.warps.assign((threads + 31) / 32, Warp{});
    block.shared.assign(run->shared_bytes, POISON);
    if (loaded == &block) loaded = nullptr;
    for (unsigned t = 0; t < threads; t++) {
        Fiber* f = block.fibers[t] = &fibers[slot * threads + t];
        f->machine = this;
        f->block = &block;
        f->warp = &block.warps[t / 32];
        f->warp->number = t / 32;
        f->lane = t % 32;
        f->warp->lanes[f->lane] = f;
        f->warp->live |= 1u << f->lane;
        f->thread = {t, 0, 0};
        f->stack = stacks[slot * threads + t];
        f->op = Op::None;
        f->file = "its beginning";
        f->line = 0;
        f->tick = 1;
        memset(f->seen, 0, sizeof f->seen);
        if (run->races > 1) {
            f->known.assign(blocks.size(), 0);
            f->fenced.clear();
            f->heard.assign(blocks.size(), 0);
        }
        f->state = State::Ready;
        f->budget = 1 + below(128);
        memcpy(f->stack, &CANARY, sizeof CANARY);
        f->context.prepare(f->stack, STACK, start);
        block.ready.push_back(f);
    }
}

void Machine::load(Block& block) {
    if (loaded == &block || run->shared_bytes == 0) return;
    if (loaded) memcpy(loaded->shared.data(), shared, run->shared_bytes);
    memcpy(shared, block.shared.data(), run->shared_bytes);
    loaded = &block;
}

// Runs one fiber until it waits, rests, exits or is made to pause.
void Machine::step(Block& block) {
    Fiber* f;
    if (order == Order::Random) {
        unsigned i = below(block.ready.count);
        std::swap(block.ready.at(i), block.ready.at(block.ready.count - 1));
        f = block.ready.pop_back();
    } else {
        f = order == Order::Forward ? block.ready.pop_front() : block.ready.pop_back();
    }
    f->state = State::Running;
    gwe_current = f;
    scheduler.go(f->context);
    gwe_current = nullptr;
    // The far end of a stack is in no cache: to look there after every step took a fifth of the time.
    if ((++steps & 15) != 0 && f->state != State::Exited) return;
    uint64_t canary;
    memcpy(&canary, f->stack, sizeof canary);
    if (canary != CANARY && !failed) {
        failed = true;
        message = who(f) + ": the stack overflowed";
    }
}

// Makes fibers ready that only wait for the others to wait; false when there are none.
bool Machine::settle(Block& block) {
    if (block.asking == 0) return false;
    answer_active(block);
    return true;
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

bool Machine::launch(const Run& r) {
    run = &r;
    failed = false;
    message.clear();
    random = r.seed * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 4; i++) draw();
    order = Order(below(3));
    block_size = {r.block, 1, 1};
    grid_size = {r.grid, 1, 1};
    shared = r.shared_bytes ? (unsigned char*)r.probe() - r.shared_offset : nullptr;
    loaded = nullptr;
    started = 0;
    pending.fiber = nullptr;
    unsigned resident = r.grid < r.resident ? r.grid : r.resident;
    if (fibers.size() < (size_t)resident * r.block) fibers.resize((size_t)resident * r.block);
    while (stacks.size() < fibers.size()) {
        // Not a power of two apart: the tops of all stacks would share a few sets of the caches.
        constexpr size_t MANY = 64, APART = STACK + 17 * 64;
        void* chunk = mmap(nullptr, MANY * APART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (chunk == MAP_FAILED) {
            message = "no memory for stacks";
            return false;
        }
        for (unsigned i = 0; i < MANY; i++) stacks.push_back((char*)chunk + i * APART);
    }
    blocks.resize(resident);
    birth = epoch + 1;
    passed.clear();
    active.clear();
    for (Block& b : blocks) {
        begin_block(b);
        active.push_back(&b);
    }
    memset(recent, 0, sizeof recent);

    const double deadline = seconds() + r.seconds;
    unsigned idle = 0, turns = 0;
    while (!active.empty()) {
        if (r.stop && *r.stop) {
            message = "stopped";
            return false;
        }
        if ((++turns & 1023) == 0 && seconds() > deadline) {
            message = "still running after " + std::to_string(r.seconds) + " seconds\n" + dump();
            return false;
        }
        // Any block that has something to do, beginning anywhere.
        Block* block = nullptr;
        unsigned first = below(active.size());
        for (unsigned i = 0; i < active.size() && !block; i++) {
            Block* b = active[(first + i) % active.size()];
            if (b->ready.count || b->asking) block = b;
        }
        if (!block) {
            // Everyone waits or rests: those who rest look again. Nothing changes when they do so for long.
            bool resting = false;
            for (Block* b : active) resting |= !b->resting.empty();
            idle = progress ? 0 : idle + 1;
            progress = false;
            if (!resting || idle > 20000) {
                message = resting ? "stuck: threads sleep in a loop and nothing changes\n" : "deadlock: every thread waits\n";
                message += dump();
                return false;
            }
            for (Block* b : active) wake(*b);
            continue;
        }
        load(*block);
        if (block->ready.count == 0) settle(*block);
        unsigned quantum = 1 + below(4 * r.block);
        while (block->ready.count && quantum--) {
            step(*block);
            if (failed) return false;
        }
        if (block->live == 0) {
            if (started < r.grid) {
                begin_block(*block);
            } else {
                for (Block*& b : active)
                    if (b == block) {
                        b = active.back();
                        active.pop_back();
                        break;
                    }
            }
        } else if (block->ready.count && below(4) == 0) {
            // A loop that spins without sleeping must not keep the others from running.
            settle(*block);
            wake(*block);
        }
    }
    return true;
}

// Who waits where: threads of a warp that wait alike share a line.
std::string Machine::dump() const {
    std::string text;
    char line[256];
    for (Block* b : active) {
        snprintf(line, sizeof line, "block %u: %u threads live, %u at the barrier\n", b->index.x, b->live, b->arrived);
        text += line;
        for (const Warp& w : b->warps) {
            unsigned done = 0;
            for (unsigned i = 0; i < 32; i++) {
                const Fiber* f = w.lanes[i];
                if (!f || done >> i & 1) continue;
                auto alike = [&](const Fiber* g) {
                    return g && g->state == f->state && (f->state == State::Exited || (g->op == f->op && g->mask == f->mask && g->line == f->line && g->file == f->file));
                };
                unsigned lanes = 0;
                for (unsigned j = i; j < 32; j++)
                    if (alike(w.lanes[j])) lanes |= 1u << j;
                done |= lanes;
                const char* state = f->state == State::Exited ? "exited" : f->state == State::Resting ? "sleep" : f->state == State::Waiting ? "wait" : "can run";
                if (f->state == State::Exited)
                    snprintf(line, sizeof line, "  warp %u lanes %08x: exited\n", w.number, lanes);
                else if (f->state == State::Waiting && f->op < Op::Barrier)
                    snprintf(line, sizeof line, "  warp %u lanes %08x: wait in %s(mask %08x) at %s:%d\n", w.number, lanes, name(f->op), f->mask, f->file, f->line);
                else
                    snprintf(line, sizeof line, "  warp %u lanes %08x: %s%s%s at %s:%d\n", w.number, lanes, state, f->op == Op::None ? "" : " in ", name(f->op), f->file, f->line);
                text += line;
            }
        }
    }
    return text;
}

// ---- for the host ------------------------------------------------------------------------------------------------

struct Found {
    const void* inside;
    const void* probe;
    uint64_t base, shared_offset, shared_bytes, initialised;
    Range ranges[16];
    uint64_t count;
};

static int look(dl_phdr_info* info, size_t, void* data) {
    auto& found = *(Found*)data;
    bool here = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& p = info->dlpi_phdr[i];
        auto begin = (uint64_t)info->dlpi_addr + p.p_vaddr;
        here |= p.p_type == PT_LOAD && (uint64_t)found.inside - begin < p.p_memsz;
    }
    if (!here) return 0;
    found.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& p = info->dlpi_phdr[i];
        auto begin = (uint64_t)info->dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD && found.count < 16) found.ranges[found.count++] = {begin, begin + p.p_memsz};
        if (p.p_type == PT_TLS) {
            found.shared_offset = (uint64_t)found.probe - (uint64_t)info->dlpi_tls_data;
            found.shared_bytes = p.p_memsz;
            found.initialised = p.p_filesz;
        }
    }
    return 1;
}

extern "C" {
// Describes the library that holds the function `inside`; `probe` is an address in its thread-local segment.
int gwe_find(const void* inside, const void* probe, Found* found) {
    *found = {};
    found->inside = inside;
    found->probe = probe;
    return dl_iterate_phdr(look, found);
}
Machine* gwe_new() { return new Machine; }
int gwe_launch(Machine* machine, const Run* run) { return machine->launch(*run) ? 0 : 1; }
const char* gwe_message(Machine* machine) { return machine->message.c_str(); }
}

}  // namespace gw_emulated
