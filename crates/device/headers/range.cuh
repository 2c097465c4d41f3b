// The edges of a vertex: where its list begins and ends. As a pair in memory (CSR-M) it comes with one load.
#pragma once

namespace gw {

template <class Offset> struct alignas(2 * sizeof(Offset)) Range {
    Offset first, last;
    __device__ __forceinline__ Offset length() const { return last - first; }
};

}  // namespace gw
