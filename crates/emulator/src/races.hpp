// Races: two threads touch the same bytes, one of them writes, and nothing orders the two accesses.
//
// What orders accesses: __syncthreads within a block (its epoch), __syncwarp within a warp (ticks of its lanes), and
// between blocks a fence, an atomic or volatile write, an atomic or volatile read of the same address, a fence, as in
// a grid barrier. What one thread alone passes on by such a pair without a barrier of its block is not followed.
#pragma once
#include "machine.hpp"

namespace gw_emulated {

inline bool is_write(Touch t) { return t == Touch::Write || t == Touch::RelaxedWrite || t == Touch::Atomic; }
inline bool is_relaxed(Touch t) { return t == Touch::RelaxedRead || t == Touch::RelaxedWrite || t == Touch::Atomic; }
inline const char* verb(Touch t) { return t == Touch::Atomic ? "changes atomically" : is_write(t) ? "writes" : "reads"; }

// ---- order -------------------------------------------------------------------------------------------------------

inline void join(std::vector<uint64_t>& into, const std::vector<uint64_t>& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (size_t i = 0; i < from.size(); i++)
        if (into[i] < from[i]) into[i] = from[i];
}

inline void block_ordered(Block& block) {
    Machine& m = *block.fibers[0]->machine;
    block.epoch = ++m.epoch;
    if (m.run->races < 2) return;
    std::vector<uint64_t> all;
    for (Fiber* f : block.fibers) join(all, f->known);
    for (Fiber* f : block.fibers) f->known = all;
}

inline void warp_ordered(Warp& warp, unsigned lanes) {
    uint32_t known[32] = {};
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        Fiber* f = warp.lanes[__builtin_ctz(rest)];
        f->seen[f->lane] = f->tick++;
        for (int i = 0; i < 32; i++) known[i] = known[i] > f->seen[i] ? known[i] : f->seen[i];
    }
    for (unsigned rest = lanes; rest; rest &= rest - 1) memcpy(warp.lanes[__builtin_ctz(rest)]->seen, known, sizeof known);
}

inline void fence(Fiber* f, int scope) {
    if (f->machine->run->races < 2 || scope == 0) return;
    join(f->known, f->heard);
    f->fenced = f->known;
    f->fenced[f->block->slot] = f->block->epoch - 1;
}

// An atomic or volatile access passes on what was fenced before it.
inline void pass(Fiber* f, uint64_t address, Touch touch) {
    Machine& m = *f->machine;
    if (is_write(touch) && !f->fenced.empty()) join(m.passed[address], f->fenced);
    if (touch != Touch::RelaxedWrite) {
        auto found = m.passed.find(address);
        if (found != m.passed.end()) join(f->heard, found->second);
    }
}

// Whether accesses in an epoch of the block in a slot come before what this thread does now; `local` when they are in
// the present epoch of its own block, where lanes and ticks decide.
inline bool before(const Fiber* f, unsigned slot, uint64_t epoch, bool& local) {
    const Block& block = *f->block;
    local = slot == block.slot && epoch == block.epoch;
    return (slot == block.slot && epoch >= block.birth && epoch < block.epoch) || (slot < f->known.size() && f->known[slot] >= epoch);
}

// ---- traces ------------------------------------------------------------------------------------------------------

inline bool local_write_races(const Fiber* f, const Trace& t) {
    return t.writer != f->thread.x && (t.writer / 32 != f->warp->number || f->seen[t.writer % 32] < t.write_tick);
}

inline bool local_reads_race(const Fiber* f, const Trace& t) {
    if (t.read_warp != f->warp->number) return true;
    for (unsigned rest = t.read_lanes & ~(1u << f->lane); rest; rest &= rest - 1)
        if (f->seen[__builtin_ctz(rest)] < t.read_tick) return true;
    return false;
}

inline void note_read(const Fiber* f, Trace& t, bool relaxed, void* place) {
    if (t.read_epoch != f->block->epoch || t.read_block != f->block->slot) {
        t.read_epoch = f->block->epoch;
        t.read_block = f->block->slot;
        t.read_tick = f->tick;
        t.read_warp = f->warp->number;
        t.read_lanes = 0;
        t.read_relaxed = true;
    } else if (t.read_warp != f->warp->number) {
        t.read_warp = Trace::MANY;
    }
    // The earliest tick of several readers: a race may be missed, but none is invented.
    t.read_tick = t.read_tick < f->tick ? t.read_tick : f->tick;
    t.read_lanes |= 1u << f->lane;
    t.read_relaxed &= relaxed;
    t.read_place = place;
}

inline void note_write(const Fiber* f, Trace& t, bool relaxed, void* place) {
    t.write_epoch = f->block->epoch;
    t.write_block = f->block->slot;
    t.write_tick = f->tick;
    t.writer = f->thread.x;
    t.write_relaxed = relaxed;
    t.write_place = place;
}

inline void note(const Fiber* f, Trace& t, Touch touch, void* place) {
    if (touch != Touch::Write && touch != Touch::RelaxedWrite) note_read(f, t, is_relaxed(touch), place);
    if (is_write(touch)) note_write(f, t, is_relaxed(touch), place);
}

inline std::string reader(const Fiber* f, const Trace& t) {
    if (t.read_warp == Trace::MANY) return "several warps";
    const unsigned others = t.read_lanes & ~(t.read_warp == f->warp->number ? 1u << f->lane : 0);
    return "thread " + std::to_string(t.read_warp * 32 + __builtin_ctz(others ? others : t.read_lanes));
}

// ---- verdicts ----------------------------------------------------------------------------------------------------

// A plain write is judged once it is done: writing what is there already harms nobody.
inline void race(Fiber* f, const void* at, unsigned bytes, Touch touch, const std::string& message) {
    Pending& p = f->machine->pending;
    if (touch != Touch::Write || bytes > sizeof p.before) fail(f, "%s", message.c_str());
    p.address = (const unsigned char*)at;
    p.bytes = bytes;
    memcpy(p.before, at, bytes);
    p.fiber = f;
    p.message = message;
}

inline void resolve_pending(Machine& m) {
    Pending& p = m.pending;
    Fiber* f = p.fiber;
    p.fiber = nullptr;
    if (memcmp(p.address, p.before, p.bytes) != 0) fail(f, "%s", p.message.c_str());
}

inline std::string describe(const char* where, Touch touch, unsigned bytes, void* place, const std::string& who, const char* did, void* other) {
    char text[256];
    snprintf(text, sizeof text, "race in %s memory at {%p}: %s %u bytes that %s %s at {%p}, and nothing orders the two", where, place,
             verb(touch), bytes, who.c_str(), did, other);
    return text;
}

// In shared memory only accesses that are both atomic or volatile may meet.
inline void touch_shared(Fiber* f, uint64_t offset, unsigned bytes, Touch touch, void* place) {
    const bool write = is_write(touch), relaxed = is_relaxed(touch);
    const uint64_t epoch = f->block->epoch;
    Trace* traces = f->block->traces.data() + offset;
    const unsigned char* at = f->machine->shared + offset;
    bool unwritten = true;
    for (unsigned i = 0; i < bytes; i++) {
        const Trace& t = traces[i];
        unwritten &= t.write_epoch < f->block->birth;
        if (t.write_epoch == epoch && !(relaxed && t.write_relaxed) && local_write_races(f, t))
            return race(f, at, bytes, touch, describe("shared", touch, bytes, place, "thread " + std::to_string(t.writer), "wrote", t.write_place));
        if (write && t.read_epoch == epoch && !(relaxed && t.read_relaxed) && local_reads_race(f, t))
            return race(f, at, bytes, touch, describe("shared", touch, bytes, place, reader(f, t), "read", t.read_place));
    }
    if (unwritten && !write) fail(f, "at {%p}: reads shared memory that nobody has written", place);
    for (unsigned i = 0; i < bytes; i++) note(f, traces[i], touch, place);
}

constexpr unsigned PAGE = 10;

inline Trace& trace_of(Machine& m, uint64_t address) {
    auto& page = m.pages[address >> PAGE];
    if (!page) page.reset(new Trace[1 << PAGE]);
    return page[address & ((1 << PAGE) - 1)];
}

// In global memory a plain read may also meet an atomic or volatile write: looking before an atomic is a habit, and
// the device reads aligned cells whole.
inline void touch_global(Fiber* f, uint64_t address, unsigned bytes, Touch touch, void* place) {
    Machine& m = *f->machine;
    const bool write = is_write(touch), relaxed = is_relaxed(touch);
    if (relaxed) pass(f, address, touch);
    for (unsigned i = 0; i < bytes; i++) {
        const Trace& t = trace_of(m, address + i);
        if (t.write_epoch >= m.birth) {
            if (touch == Touch::ReadOnly) fail(f, "at {%p}: reads as read-only what this launch writes at {%p}", place, t.write_place);
            bool local;
            const bool ordered = before(f, t.write_block, t.write_epoch, local);
            const bool may_meet = t.write_relaxed && (relaxed || !write);
            if (!may_meet && (local ? local_write_races(f, t) : !ordered))
                return race(f, (void*)address, bytes, touch,
                            describe("global", touch, bytes, place, "thread " + std::to_string(t.writer) + " of the block in slot " + std::to_string(t.write_block), "wrote", t.write_place));
        }
        if (write && t.read_epoch >= m.birth) {
            bool local;
            const bool ordered = before(f, t.read_block, t.read_epoch, local);
            if (!relaxed && (local ? local_reads_race(f, t) : !ordered))
                return race(f, (void*)address, bytes, touch,
                            describe("global", touch, bytes, place, reader(f, t) + " of the block in slot " + std::to_string(t.read_block), "read", t.read_place));
        }
    }
    for (unsigned i = 0; i < bytes; i++) {
        Trace& t = trace_of(m, address + i);
        // One reading block is remembered: sometimes the earlier, sometimes the later.
        if (!write && t.read_epoch >= m.birth && t.read_block != f->block->slot && m.below(2)) continue;
        note(f, t, touch, place);
    }
}

}  // namespace gw_emulated
