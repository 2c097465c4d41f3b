// A map of destinations that were claimed, asked before their entries: a bit per vertex in cells of eight, written
// without atomics. Two threads that write one cell at the same time may lose a bit; the entry is then asked again, so
// that nothing but time is lost. After the status bitmask of Helix (Busato, 2018, section 7.3).
#pragma once
#include "grid.cuh"

namespace gw {

__device__ __forceinline__ bool is_visited(const unsigned char* map, int v) {
    return ((const volatile unsigned char*)map)[(unsigned)v >> 3] >> (v & 7) & 1;
}

// Notes a destination, if its entry holds another value now than before; true, for use in a condition.
__device__ __forceinline__ bool note_visited(unsigned char* map, int v, bool changed) {
    if (changed) {
        volatile unsigned char* cell = map + ((unsigned)v >> 3);
        *cell = (unsigned char)(*cell | 1u << (v & 7));
    }
    return true;
}

// Every thread of the grid calls it, and all see an empty map behind it.
__device__ inline void clear_visited(unsigned char* map, unsigned vertices, const Grid& grid) {
    for (unsigned i = grid.rank(); i <= vertices / 8; i += grid.size()) map[i] = 0;
    grid.wait();
}

}  // namespace gw
