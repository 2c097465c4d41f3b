// The condition of a loop whose launches the device itself repeats: zero ends it.
#pragma once

#ifndef GW_EMULATED
// The driver has it; no library is linked.
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif

namespace gw {

__device__ __forceinline__ void set_condition(unsigned long long handle, bool more) { cudaGraphSetConditional(handle, more); }

}  // namespace gw
