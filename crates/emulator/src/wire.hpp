// What a kernel compiled for the emulator asks of the emulator: included by both sides.
#pragma once

namespace gw_emulated {

struct Index {
    unsigned x, y, z;
};

// Operations that several threads do together.
enum class Op : int {
    None,
    Shuffle,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Ballot,
    Any,
    All,
    MatchAny,
    MatchAll,
    SyncWarp,
    AddUnsigned,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
    Barrier,
    BarrierCount,
    BarrierAnd,
    BarrierOr,
    ActiveMask,
    Count
};

// How memory is touched. Plain accesses are what the race check is about; relaxed ones (volatile, past the first cache)
// may meet atomics and each other; read-only ones promise that nothing writes there while the kernel runs.
enum class Touch : int { Read, Write, RelaxedRead, RelaxedWrite, ReadOnly, Atomic };

}  // namespace gw_emulated

extern "C" {
gw_emulated::Index gwe_thread() __attribute__((const));
gw_emulated::Index gwe_block() __attribute__((const));
gw_emulated::Index gwe_block_size() __attribute__((const));
gw_emulated::Index gwe_grid_size() __attribute__((const));
unsigned long long gwe_warp(gw_emulated::Op op, unsigned mask, unsigned long long value, int argument, int width,
                            const char* file, int line);
int gwe_barrier(gw_emulated::Op op, int predicate, const char* file, int line);
unsigned gwe_active(const char* file, int line);
void gwe_sleep(const char* file, int line);
void gwe_fence(int scope);
void gwe_touch(const void* address, unsigned bytes, gw_emulated::Touch touch);
long long gwe_clock();
void gwe_trap(const char* what, const char* file, int line) __attribute__((noreturn));
}
