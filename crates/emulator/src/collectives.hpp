// What threads do together: warp operations, block barriers, and the rules about who must take part.
#pragma once
#include "machine.hpp"

namespace gw_emulated {

inline const char* name(Op op) {
    static const char* const names[] = {
        "", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync",
        "__match_any_sync", "__match_all_sync", "__syncwarp", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
        "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync",
        "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__activemask"};
    static_assert(sizeof names / sizeof *names == (int)Op::Count, "a name for every operation");
    return names[(int)op];
}

inline bool same_place(const Fiber* a, const Fiber* b) {
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

inline void wait(Fiber* f, Op op, unsigned mask, uint64_t value, const char* file, int line) {
    f->op = op;
    f->mask = mask;
    f->value = value;
    f->file = file;
    f->line = line;
    f->state = State::Waiting;
}

// ---- warps -------------------------------------------------------------------------------------------------------

// The lane that a shuffle reads: its own when the other lies outside its group of `width` lanes.
inline unsigned source(const Fiber* f) {
    int lane = f->lane, width = f->width, begin = lane & ~(width - 1), end = begin + width;
    switch (f->op) {
        case Op::Shuffle: return begin + (f->argument & (width - 1));
        case Op::ShuffleUp: return lane - f->argument >= begin && f->argument < 32 ? lane - f->argument : lane;
        case Op::ShuffleDown: return f->argument < 32 && lane + f->argument < end ? lane + f->argument : lane;
        default: return (lane ^ f->argument) < end && (lane ^ f->argument) >= 0 ? lane ^ f->argument : lane;
    }
}

inline uint64_t combine(Op op, uint64_t a, uint64_t b) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (op) {
        case Op::AddUnsigned: return x + y;
        case Op::MinUnsigned: return x < y ? x : y;
        case Op::MaxUnsigned: return x > y ? x : y;
        case Op::MinSigned: return (int32_t)x < (int32_t)y ? x : y;
        case Op::MaxSigned: return (int32_t)x > (int32_t)y ? x : y;
        case Op::And: return x & y;
        case Op::Or: return x | y;
        default: return x ^ y;
    }
}

// Gives every lane its result and makes it ready, once all live lanes of the mask are there; says whether they were.
inline bool complete_warp(Fiber* asker, Warp& warp, unsigned which) {
    const Warp::Group group = warp.groups[which];
    const unsigned mask = group.mask, lanes = group.arrived;
    const Op op = group.witness->op;
    if (lanes != (mask & warp.live)) return false;
    warp.groups[which] = warp.groups[--warp.group_count];
    uint64_t all = 0;
    unsigned ballot = 0;
    bool first = true, same = true;
    uint64_t one = 0;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        Fiber* f = warp.lanes[__builtin_ctz(rest)];
        ballot |= f->value ? 1u << f->lane : 0;
        same = same && (first || f->value == one);
        one = f->value;
        all = first ? f->value : combine(op, all, f->value);
        first = false;
    }
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        Fiber* f = warp.lanes[__builtin_ctz(rest)];
        switch (op) {
            case Op::Shuffle:
            case Op::ShuffleUp:
            case Op::ShuffleDown:
            case Op::ShuffleXor: {
                unsigned from = source(f);
                if (!(lanes >> from & 1))
                    fail(asker, "%s at %s:%d: lane %u reads lane %u, which is not in the mask %08x", name(op), f->file, f->line, f->lane, from, mask);
                f->result = warp.lanes[from]->value;
                break;
            }
            case Op::Ballot: f->result = ballot; break;
            case Op::Any: f->result = ballot != 0; break;
            case Op::All: f->result = ballot == lanes; break;
            case Op::MatchAll: f->result = same ? lanes : 0; break;
            case Op::MatchAny: {
                unsigned alike = 0;
                for (unsigned others = lanes; others; others &= others - 1) {
                    unsigned other = __builtin_ctz(others);
                    if (warp.lanes[other]->value == f->value) alike |= 1u << other;
                }
                f->result = alike;
                break;
            }
            case Op::SyncWarp: break;
            default: f->result = all;
        }
    }
    if (op == Op::SyncWarp) warp_ordered(warp, lanes);
    Machine& m = *asker->machine;
    m.progress = true;
    for (unsigned rest = lanes; rest; rest &= rest - 1) m.release(warp.lanes[__builtin_ctz(rest)]);
    return true;
}

// A lane has exited: who waits for it either goes on without it (`__syncwarp`) or waits for nobody.
inline void left_warp(Fiber* f) {
    Warp& warp = *f->warp;
    for (unsigned i = 0; i < warp.group_count;) {
        const Fiber* g = warp.groups[i].witness;
        const bool named = warp.groups[i].mask >> f->lane & 1;
        if (named && g->op != Op::SyncWarp)
            fail(f, "exits while lane %u waits for it in %s(mask %08x) at %s:%d", g->lane, name(g->op), g->mask, g->file, g->line);
        if (!named || !complete_warp(f, warp, i)) i++;
    }
}

extern "C" unsigned long long gwe_warp(Op op, unsigned mask, unsigned long long value, int argument, int width, const char* file, int line) {
    Fiber* f = gwe_current;
    Warp& warp = *f->warp;
    if (!(mask >> f->lane & 1)) fail(f, "%s(mask %08x) at %s:%d: the calling lane is not in the mask", name(op), mask, file, line);
    if (op != Op::SyncWarp && (mask & ~warp.live))
        fail(f, "%s(mask %08x) at %s:%d: lanes %08x have exited", name(op), mask, file, line, mask & ~warp.live);
    if (width <= 0 || width > 32 || (width & (width - 1))) fail(f, "%s at %s:%d: width %d", name(op), file, line, width);
    wait(f, op, mask, value, file, line);
    f->argument = argument;
    f->width = width;
    unsigned which = 0;
    while (which < warp.group_count && warp.groups[which].mask != mask) which++;
    if (which == warp.group_count) warp.groups[warp.group_count++] = {mask, 0, f};
    const Fiber* g = warp.groups[which].witness;
    if (g->op != op || !same_place(f, g))
        fail(f, "is in %s(mask %08x) at %s:%d while lane %u is in %s at %s:%d", name(op), mask, file, line, g->lane, name(g->op), g->file, g->line);
    warp.groups[which].arrived |= 1u << f->lane;
    complete_warp(f, warp, which);
    leave(f);
    return f->result;
}

// Which lanes run together is not defined: every answer that holds the caller is right. Lanes that ask at the same
// place are collected until the block has nothing else to do and then split at random.
extern "C" unsigned gwe_active(const char* file, int line) {
    Fiber* f = gwe_current;
    if (f->machine->below(4) == 0) return 1u << f->lane;
    wait(f, Op::ActiveMask, 0, 0, file, line);
    f->block->asking++;
    leave(f);
    return (unsigned)f->result;
}

inline void answer_active(Block& block) {
    block.asking = 0;
    for (Warp& w : block.warps) {
        for (unsigned i = 0; i < 32; i++) {
            Fiber* f = w.lanes[i];
            if (!f || f->state != State::Waiting || f->op != Op::ActiveMask) continue;
            Machine& m = *f->machine;
            unsigned choice = m.below(2) ? ~0u : (unsigned)m.draw();
            unsigned lanes = 1u << i;
            for (unsigned j = i + 1; j < 32; j++) {
                Fiber* g = w.lanes[j];
                if (g && g->state == State::Waiting && g->op == Op::ActiveMask && same_place(f, g) && (choice >> j & 1)) lanes |= 1u << j;
            }
            for (unsigned rest = lanes; rest; rest &= rest - 1) {
                Fiber* g = w.lanes[__builtin_ctz(rest)];
                g->result = lanes;
                m.release(g);
            }
        }
    }
}

// ---- blocks ------------------------------------------------------------------------------------------------------

// Threads that have exited count as arrived, as on the device.
inline void complete_barrier(Fiber* asker, Block& block) {
    if (block.arrived == 0 || block.arrived != block.live) return;
    int count = 0;
    for (Fiber* f : block.fibers)
        if (f->state == State::Waiting) count += f->value != 0;
    const int live = block.live;
    block.arrived = 0;
    block_ordered(block);
    Machine& m = *asker->machine;
    m.progress = true;
    for (Fiber* f : block.fibers) {
        if (f->state != State::Waiting) continue;
        f->result = f->op == Op::BarrierCount ? count : f->op == Op::BarrierAnd ? count == live : count != 0;
        m.release(f);
    }
}

extern "C" int gwe_barrier(Op op, int predicate, const char* file, int line) {
    Fiber* f = gwe_current;
    Block& block = *f->block;
    wait(f, op, 0, predicate != 0, file, line);
    Fiber* g = block.arrived++ ? block.witness : f;
    if (g->op != op || !same_place(f, g))
        fail(f, "is in %s at %s:%d while thread %u is in %s at %s:%d", name(op), file, line, g->thread.x, name(g->op), g->file, g->line);
    block.witness = f;
    complete_barrier(f, block);
    leave(f);
    return (int)f->result;
}

// ---- time --------------------------------------------------------------------------------------------------------

extern "C" void gwe_sleep(const char* file, int line) {
    Fiber* f = gwe_current;
    f->file = file;
    f->line = line;
    f->state = State::Resting;
    f->block->resting.push_back(f);
    leave(f);
}

extern "C" long long gwe_clock() { return gwe_current->machine->clock += 16; }

extern "C" void gwe_trap(const char* what, const char* file, int line) { fail(gwe_current, "%s at %s:%d", what, file, line); }

}  // namespace gw_emulated
