// Every access to memory passes here: it must lie in memory that is allocated, it may be the moment for another thread
// to run, and it is checked for races.
//
// The compiler calls the `__tsan_` functions because kernels are built with -fsanitize=thread; its own runtime is not
// used.
#pragma once
#include "races.hpp"

namespace gw_emulated {

inline bool within(const Range& r, uint64_t address, uint64_t bytes) { return address >= r.begin && address + bytes <= r.end; }

// Ranges are sorted and apart; most accesses hit the range that their page hit last.
inline bool allocated(Machine& m, uint64_t address, uint64_t bytes) {
    const Run& run = *m.run;
    uint32_t& recent = m.recent[address >> 12 & 63];
    if (recent < run.ranges && within(run.memory[recent], address, bytes)) return true;
    uint64_t low = 0, high = run.ranges;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (run.memory[middle].end <= address) low = middle + 1; else high = middle;
    }
    if (low < run.ranges && within(run.memory[low], address, bytes)) {
        recent = (uint32_t)low;
        return true;
    }
    for (uint64_t i = 0; i < run.library_ranges; i++)
        if (within(run.library[i], address, bytes)) return true;
    auto arguments = (uint64_t)run.arguments;
    return within({arguments, arguments + run.argument_bytes}, address, bytes);
}

inline void pause(Fiber* f) {
    Machine& m = *f->machine;
    f->budget = 1 + m.below(128);
    f->state = State::Ready;
    if (m.order == Machine::Order::Backward) f->block->ready.push_front(f); else f->block->ready.push_back(f);
    leave(f);
}

inline void touch(const void* at, unsigned bytes, Touch touch, void* place) {
    Fiber* f = gwe_current;
    if (!f) return;
    Machine& m = *f->machine;
    if (m.pending.fiber) resolve_pending(m);
    auto address = (uint64_t)at;
    if (address - (uint64_t)f->stack < STACK) return;
    if (--f->budget <= 0) pause(f);
    if (is_write(touch) && touch != Touch::Atomic) m.progress = true;
    uint64_t offset = address - (uint64_t)m.shared;
    if (offset < m.run->shared_bytes && offset + bytes <= m.run->shared_bytes) {
        if (m.run->races) touch_shared(f, offset, bytes, touch, place);
        return;
    }
    if (!allocated(m, address, bytes))
        fail(f, "at {%p}: %s %u bytes at %p, which is not in allocated memory", place, is_write(touch) ? "writes" : "reads", bytes, at);
    if (m.run->races > 1) touch_global(f, address, bytes, touch, place);
}

extern "C" void gwe_touch(const void* at, unsigned bytes, Touch how) { touch(at, bytes, how, __builtin_return_address(0)); }
extern "C" void gwe_fence(int scope) { fence(gwe_current, scope); }

#define GWE_TSAN(n)                                                                                                      \
    void __tsan_read##n(void* p) { touch(p, n, Touch::Read, __builtin_return_address(0)); }                             \
    void __tsan_write##n(void* p) { touch(p, n, Touch::Write, __builtin_return_address(0)); }                           \
    void __tsan_unaligned_read##n(void* p) { touch(p, n, Touch::Read, __builtin_return_address(0)); }                   \
    void __tsan_unaligned_write##n(void* p) { touch(p, n, Touch::Write, __builtin_return_address(0)); }                 \
    void __tsan_volatile_read##n(void* p) { touch(p, n, Touch::RelaxedRead, __builtin_return_address(0)); }             \
    void __tsan_volatile_write##n(void* p) { touch(p, n, Touch::RelaxedWrite, __builtin_return_address(0)); }           \
    void __tsan_unaligned_volatile_read##n(void* p) { touch(p, n, Touch::RelaxedRead, __builtin_return_address(0)); }   \
    void __tsan_unaligned_volatile_write##n(void* p) { touch(p, n, Touch::RelaxedWrite, __builtin_return_address(0)); }
extern "C" {
GWE_TSAN(1)
GWE_TSAN(2)
GWE_TSAN(4)
GWE_TSAN(8)
GWE_TSAN(16)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_read_range(void* p, unsigned long n) { touch(p, (unsigned)n, Touch::Read, __builtin_return_address(0)); }
void __tsan_write_range(void* p, unsigned long n) { touch(p, (unsigned)n, Touch::Write, __builtin_return_address(0)); }
}

}  // namespace gw_emulated
