// Switching between stacks: a CUDA thread is a fiber, and a switch is a few instructions without a system call.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gw_emulated {

#if defined(__x86_64__)

// Saves the registers that a call preserves on the stack, stores the stack pointer and goes on with another stack.
extern "C" void gwe_switch(void** save, void* load);
asm(R"(
.text
.globl gwe_switch
.type gwe_switch,@function
gwe_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size gwe_switch,.-gwe_switch
)");

struct Context {
    void* pointer = nullptr;

    // `start` never returns. Below it lies a null return address, so that the stack is aligned as after a call.
    void prepare(char* low, size_t bytes, void (*start)()) {
        auto* top = reinterpret_cast<uintptr_t*>((reinterpret_cast<uintptr_t>(low) + bytes) & ~uintptr_t(15));
        *--top = 0;
        *--top = reinterpret_cast<uintptr_t>(start);
        for (int i = 0; i < 6; i++) *--top = 0;
        pointer = top;
    }
    void go(Context& to) { gwe_switch(&pointer, to.pointer); }
};

#else

}  // namespace gw_emulated
#include <ucontext.h>
namespace gw_emulated {

struct Context {
    ucontext_t context;

    void prepare(char* low, size_t bytes, void (*start)()) {
        getcontext(&context);
        context.uc_stack.ss_sp = low;
        context.uc_stack.ss_size = bytes;
        context.uc_link = nullptr;
        makecontext(&context, start, 0);
    }
    void go(Context& to) { swapcontext(&context, &to.context); }
};

#endif

}  // namespace gw_emulated
