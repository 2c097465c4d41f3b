// A number of 32 bits and the round of its last change in one word of 64 bits, changed by one atomic: whoever changes
// the number learns at once whether another thread has done so in the same round, and so whether the vertex stands in
// the output already. No vertex enters an output twice. After H-BF (Busato, 2018, section 8.4), with the comparison of
// the numbers that its listing leaves out.
//
// The number is the upper half, so that words compare as numbers do. Of two words with equal numbers the one with the
// earlier round stays: rounds count up for a minimum and are inverted for a maximum.
#pragma once
#include "atomics.cuh"
#include "grid.cuh"

namespace gw {

__device__ __forceinline__ long long pack(int value, unsigned round) {
    return (long long)((unsigned long long)(unsigned)value << 32 | round);
}
__device__ __forceinline__ unsigned long long pack(unsigned value, unsigned round) {
    return (unsigned long long)value << 32 | round;
}

// `number` is the upper half of a word. True when the number changed and had not changed in this round before. The
// caller may be the only one to write the word (`alone`); it then writes it once per round.
template <class T> __device__ __forceinline__ bool min_word(bool alone, T* number, T value, unsigned round) {
    if (!(value < load(number))) return false;
    const auto mine = pack(value, round);
    decltype(pack(value, round))* word = (decltype(pack(value, round))*)(number - 1);
    if (alone) {
        *(volatile decltype(pack(value, round))*)word = mine;
        return true;
    }
    const auto old = atomicMin(word, mine);
    return value < (T)(old >> 32) && (unsigned)old != round;
}
template <class T> __device__ __forceinline__ bool max_word(bool alone, T* number, T value, unsigned round) {
    if (!(value > load(number))) return false;
    const auto mine = pack(value, ~round);
    decltype(pack(value, round))* word = (decltype(pack(value, round))*)(number - 1);
    if (alone) {
        *(volatile decltype(pack(value, round))*)word = mine;
        return true;
    }
    const auto old = atomicMax(word, mine);
    return value > (T)(old >> 32) && (unsigned)old != ~round;
}

// Words of numbers that have changed in no round, and back. `halves` are the halves of the words. Every thread of the
// grid calls them; all see the words behind the first.
template <class T>
__device__ inline void to_words(const T* numbers, T* halves, unsigned long long count, const Grid& grid) {
    for (unsigned long long i = grid.rank(); i < count; i += grid.size()) {
        halves[2 * i] = 0;
        halves[2 * i + 1] = numbers[i];
    }
    grid.wait();
}
template <class T>
__device__ inline void of_words(T* numbers, const T* halves, unsigned long long count, const Grid& grid) {
    grid.wait();
    for (unsigned long long i = grid.rank(); i < count; i += grid.size()) numbers[i] = halves[2 * i + 1];
}

}  // namespace gw
