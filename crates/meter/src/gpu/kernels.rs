//! The kernels, generated as CUDA C++ with inline PTX.
//!
//! All kernels take the same [`Arguments`] and have the same frame: registers are set from the clock so that nothing
//! can be computed ahead, the clock is read, a loop of straight-line code runs, the clock is read again, thread 0 of
//! every block stores the cycles and nanoseconds in between, and a store that only an impossible thread would make
//! keeps the results alive. Loops have up to 1,024 instructions in a row: the code of the loop stays in the caches of
//! instructions, and what the loop itself costs stays below 1 %.

use bytemuck::{Pod, Zeroable};
use gw_device::Unit;

use super::table::Row;

/// Arguments of every kernel.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(super) struct Arguments {
    /// Where blocks store their cycles and nanoseconds, two numbers of 8 bytes each.
    pub out: u64,
    /// Memory to work on.
    pub data: u64,
    /// A size; what of depends on the kernel.
    pub size: u64,
    /// Iterations of the timed loop.
    pub steps: u64,
    /// The setting of the benchmark.
    pub knob: u32,
    /// A thread that does not exist: at least [`IMPOSSIBLE`].
    pub impossible: u32,
}

/// No block has a thread of this number.
pub(super) const IMPOSSIBLE: u32 = 1 << 31;
/// Straight-line instructions of a loop.
pub(super) const UNROLL: usize = 1024;
/// The number of threads in a block where nothing else is said.
pub(super) const BLOCK: u32 = 1024;

/// The frame around a timed loop. `before` sets things up, `body` is one iteration, `keep` uses the results.
fn frame(name: &str, outside: &str, before: &str, body: &str, keep: &str, block: u32) -> Unit {
    let source = format!(
        r#"struct Arguments {{
    unsigned long long out, data, size, steps;
    unsigned knob, impossible;
}};
{outside}
extern "C" __global__ void __launch_bounds__({block}) {name}(const __grid_constant__ Arguments a) {{
    unsigned seed;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(seed));
    seed += threadIdx.x * 2654435761u;
    const unsigned lane = threadIdx.x % 32;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
{before}
    unsigned long long begin, end, begin_ns, end_ns;
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns) :: "memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin) :: "memory");
#pragma unroll 1
    for (unsigned step = (unsigned)a.steps; step != 0; --step) {{
{body}
    }}
    __syncthreads();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end) :: "memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns) :: "memory");
    if (threadIdx.x == 0) {{
        ((unsigned long long*)a.out)[2 * blockIdx.x] = end - begin;
        ((unsigned long long*)a.out)[2 * blockIdx.x + 1] = end_ns - begin_ns;
    }}
    if (threadIdx.x == a.impossible) {{
{keep}
    }}
}}
"#
    );
    Unit { name: name.to_string(), source, block }
}

/// A name that a function can have.
pub(super) fn identifier(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// `count` runs of an arithmetic operation over `chains` accumulators, with `barriers` barriers of the block among
/// them.
pub(super) fn arithmetic(row: &Row, chains: usize, count: usize, barriers: usize, suffix: &str) -> Unit {
    let (kind, letter) = (row.register.name(), row.register.letter());
    let mut before: String =
        (0..chains).map(|i| format!("    {kind} r{i} = ({kind})((seed + {i}u) & 0xffffu) + ({kind})1;\n")).collect();
    before += &match (kind, row.ptx.starts_with("mul") || row.ptx.starts_with("div")) {
        // Factors whose product is one, and summands whose sum is zero.
        ("float" | "double", true) => format!("    const {kind} c0 = a.knob, c1 = ({kind})1 / c0, u = a.knob;\n"),
        ("float" | "double", false) => {
            format!("    const {kind} c0 = ({kind})((seed & 1023u) + 1u), c1 = -c0, u = a.knob;\n")
        }
        _ => String::new(),
    };
    let every = count.checked_div(barriers).unwrap_or(usize::MAX).max(1);
    let mut body = String::new();
    for i in 0..count {
        let own = i % chains;
        // A round of all chains uses one constant and the next round the other, so that every chain has both.
        let second = row.register.second(i / chains, (own + 1) % chains);
        let ptx = row.ptx.replace("A", "%0").replace("B", "%1").replace("U", "%2");
        let third = if row.ptx.contains('U') { format!(", \"{letter}\"(u)") } else { String::new() };
        body += &format!("        asm volatile(\"{ptx}\" : \"+{letter}\"(r{own}) : \"{letter}\"({second}){third});\n");
        if barriers > 0 && (i + 1) % every == 0 {
            body += "        asm volatile(\"bar.sync 0;\" ::: \"memory\");\n";
        }
    }
    let keep: String = (0..chains).map(|i| format!("        (({kind}*)a.out)[{i}] = r{i};\n")).collect();
    frame(&identifier(&format!("{}{suffix}", row.name)), "", &before, &body, &keep, BLOCK)
}

/// How the cells of a pointer chase follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Every cell points to itself.
    Own = 0,
    /// A cell points to the cell as many places on as there are chains: all chains together sweep the memory.
    Sweep = 1,
    /// One random cycle through all cells (`permutation`).
    Random = 2,
}

/// Cell `e` of `n` at place `e * stride` gets the address of its successor. `size` is the binary logarithm of `n`,
/// `steps` the number of chains, `knob` the order, `impossible` the stride in cells of 8 bytes.
pub(super) fn links() -> Unit {
    let source = format!(
        r#"struct Arguments {{
    unsigned long long out, data, size, steps;
    unsigned knob, impossible;
}};
{MIX}
extern "C" __global__ void links(const __grid_constant__ Arguments a) {{
    const unsigned long long n = 1ull << a.size, stride = a.impossible;
    unsigned long long* cells = (unsigned long long*)a.data;
    for (unsigned long long j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {{
        unsigned long long from = j, to = j;
        if (a.knob == 1) to = (j + a.steps) & (n - 1);
        if (a.knob == 2) {{ from = mix(j, a.size); to = mix(j + 1, a.size); }}
        cells[from * stride] = a.data + to * stride * 8;
    }}
}}
"#
    );
    Unit { name: "links".to_string(), source, block: 256 }
}

/// The permutation of `permutation.rs` for a device.
const MIX: &str = "\
__device__ unsigned long long mix(unsigned long long j, unsigned bits) {
    const unsigned long long mask = (1ull << bits) - 1;
    const unsigned half = bits / 2 + 1;
    unsigned long long x = j & mask;
    x = x * 0x9E3779B1ull & mask; x ^= x >> half;
    x = x * 0x85EBCA77ull & mask; x ^= x >> half;
    x = x * 0xC2B2AE3Dull & mask; x ^= x >> half;
    return x;
}";

/// Follows `chains` chains per thread through cells linked by [`links`]; a load of 8 bytes per step and chain.
/// `size`, `knob` are those of [`links`] (the order in the low byte of `knob`, the stride above it). The low 16 bits
/// of `impossible` count launches before this one: the chains go on where these ended, since what they visited may
/// still be in L2.
pub(super) fn chase(cache: &str, chains: usize, unroll: usize) -> Unit {
    let mut before = format!(
        "    const unsigned order = a.knob & 255u;\n    const unsigned long long stride = a.knob >> 8, n = 1ull << a.size;\n    const \
         unsigned long long all = threads * {chains}ull, done = (a.impossible & 65535u) * a.steps * {}ull;\n",
        unroll / chains
    );
    for i in 0..chains {
        before += &format!(
            "    unsigned long long c{i} = {i}ull * threads + thread;\n    if (order == 1) c{i} = c{i} + done * all & n - 1;\n    if \
             (order == 2) c{i} = mix(c{i} * (n / all | 1ull) + done, a.size);\n    unsigned long long p{i} = a.data + (c{i} & n - \
             1) * stride * 8;\n"
        );
    }
    let mut body = String::new();
    for i in 0..unroll {
        let own = i % chains;
        body += &format!("        asm volatile(\"ld.global.{cache}.u64 %0, [%0];\" : \"+l\"(p{own}) :: \"memory\");\n");
    }
    let keep: String = (0..chains).map(|i| format!("        ((unsigned long long*)a.out)[{i}] = p{i};\n")).collect();
    frame(&format!("chase_{cache}_{chains}_{unroll}"), MIX, &before, &body, &keep, BLOCK)
}

/// Loads from or stores to shared memory by lanes `knob` words apart.
pub(super) fn shared(store: bool) -> Unit {
    let mut before = String::from(
        "    __shared__ unsigned cells[1024];\n    unsigned base;\n    asm volatile(\"{ .reg .u64 t; cvta.to.shared.u64 t, \
         %1; cvt.u32.u64 %0, t; }\" : \"=r\"(base) : \"l\"(cells));\n    for (unsigned i = threadIdx.x; i < 1024; i += \
         blockDim.x) cells[i] = base + 4 * i;\n    __syncthreads();\n",
    );
    for i in 0..4 {
        before += &format!("    unsigned p{i} = base + 4 * ((lane * a.knob + {} ) % 1024);\n", 32 * i);
    }
    let mut body = String::new();
    for i in 0..UNROLL {
        let own = i % 4;
        body += &match store {
            true => format!(
                "        asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(p{own}), \"r\"(seed) : \"memory\");\n"
            ),
            false => format!("        asm volatile(\"ld.shared.u32 %0, [%0];\" : \"+r\"(p{own}) :: \"memory\");\n"),
        };
    }
    let keep = "        ((unsigned*)a.out)[0] = p0 + p1 + p2 + p3 + cells[lane];\n";
    frame(if store { "shared_store" } else { "shared_load" }, "", &before, &body, keep, BLOCK)
}

/// Loads from constant memory, the same word by all lanes.
pub(super) fn constant() -> Unit {
    let outside = "__constant__ unsigned table[1024];";
    let mut before = String::new();
    for i in 0..4 {
        // The memory holds zeros, which the compiler cannot know.
        before += &format!("    unsigned p{i} = ((const unsigned*)a.data)[lane] + {};\n", 4 * i);
    }
    let mut body = String::new();
    for i in 0..UNROLL {
        let own = i % 4;
        body += &format!("        p{own} = *(const unsigned*)((const char*)table + p{own});\n");
    }
    let keep = "        ((unsigned*)a.out)[0] = p0 + p1 + p2 + p3;\n";
    frame("constant_load", outside, &before, &body, keep, BLOCK)
}

/// Stores of 8 bytes per thread. Every warp writes 256 bytes at a time: into four places of its own again and again
/// (`sweep` false: they stay in L2), or through the memory of `size` bytes, a power of two.
pub(super) fn store(sweep: bool) -> Unit {
    let places = if sweep { 256 } else { 4 };
    let before = format!(
        "    const unsigned long long warp = thread / 32, bytes = {}ull;\n    unsigned long long at = warp * bytes + lane * 8;\n\
         \x20   unsigned long long p = a.data + at;\n",
        places * 256
    );
    let mut body = String::new();
    for i in 0..256 {
        let offset = (i % places) * 256;
        body += &format!(
            "        asm volatile(\"st.global.cg.u64 [%0+{offset}], %1;\" :: \"l\"(p), \"l\"(begin) : \"memory\");\n"
        );
    }
    if sweep {
        body += "        at = (at + (threads / 32) * bytes) & (a.size - 1);\n        p = a.data + at;\n";
    }
    frame(if sweep { "store_dram" } else { "store_l2" }, "", &before, &body, "", BLOCK)
}

/// Loads of 4 bytes by threads in groups of `knob` neighbours, each group on a line of its own. The whole grid goes on
/// to lines that nobody has seen yet, through memory of `size` bytes.
pub(super) fn coalescence() -> Unit {
    let before = "    const unsigned group = a.knob;\n    const unsigned long long advance = (unsigned long long)(threads / group) \
                  * 128;\n    unsigned long long at = (unsigned long long)(thread / group) * 128 + thread % group * 4;\n    unsigned \
                  sum = 0;\n";
    let mut body = String::new();
    for i in 0..8 {
        body += &format!(
            "        unsigned v{i};\n        asm volatile(\"ld.global.cg.u32 %0, [%1];\" : \"=r\"(v{i}) : \"l\"(a.data + at) : \
             \"memory\");\n        at = (at + advance) & (a.size - 1);\n"
        );
    }
    body += "        sum += v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7;\n";
    frame("coalescence", "", before, &body, "        ((unsigned*)a.out)[0] = sum;\n", BLOCK)
}

/// Copies the lower half of `size` bytes to the upper half, `bytes` bytes per thread at a time.
pub(super) fn copy(bytes: usize) -> Unit {
    // PTX type, constraint letter, C++ type, and components of a value.
    let (ptx, letter, kind, parts) = match bytes {
        1 => ("u8", 'h', "unsigned short", 1),
        2 => ("u16", 'h', "unsigned short", 1),
        4 => ("u32", 'r', "unsigned", 1),
        8 => ("u64", 'l', "unsigned long long", 1),
        _ => ("v2.u64", 'l', "unsigned long long", 2),
    };
    let before = format!(
        "    const unsigned long long half = a.size / 2, advance = threads * {bytes}ull;\n    unsigned long long at = thread * \
         {bytes}ull;\n"
    );
    let (mut loads, mut stores) = (String::new(), String::new());
    for i in 0..4 {
        let offset = format!("((at + {i} * advance) & (half - 1))");
        if parts == 1 {
            loads += &format!(
                "        {kind} v{i};\n        asm volatile(\"ld.global.cg.{ptx} %0, [%1];\" : \"={letter}\"(v{i}) : \"l\"(a.data + \
                 {offset}) : \"memory\");\n"
            );
            stores += &format!(
                "        asm volatile(\"st.global.cg.{ptx} [%0], %1;\" :: \"l\"(a.data + half + {offset}), \"{letter}\"(v{i}) : \
                 \"memory\");\n"
            );
        } else {
            loads += &format!(
                "        {kind} v{i}, w{i};\n        asm volatile(\"ld.global.cg.{ptx} {{%0, %1}}, [%2];\" : \"=l\"(v{i}), \
                 \"=l\"(w{i}) : \"l\"(a.data + {offset}) : \"memory\");\n"
            );
            stores += &format!(
                "        asm volatile(\"st.global.cg.{ptx} [%0], {{%1, %2}};\" :: \"l\"(a.data + half + {offset}), \"l\"(v{i}), \
                 \"l\"(w{i}) : \"memory\");\n"
            );
        }
    }
    let body = format!("{loads}{stores}        at += 4 * advance;\n");
    frame(&format!("copy_{bytes}"), "", &before, &body, "", BLOCK)
}

/// Lanes in groups of `knob` neighbours take different ways: the groups of a warp run one after another.
pub(super) fn divergence() -> Unit {
    let before = "    float r0 = lane, r1 = lane + 1, r2 = lane + 2, r3 = lane + 3;\n    const float u = 1.0f, c = (float)(seed \
                  & 1023u);\n    const unsigned own = lane / a.knob, groups = 32 / a.knob;\n";
    let mut body =
        String::from("        for (unsigned group = 0; group < groups; ++group) {\n            if (group == own) {\n");
    for i in 0..256 {
        let sign = if (i / 4) % 2 == 0 { "" } else { "-" };
        body += &format!(
            "                asm volatile(\"fma.rn.f32 %0, %0, %1, %2;\" : \"+f\"(r{}) : \"f\"(u), \"f\"({sign}c));\n",
            i % 4
        );
    }
    body += "            }\n            __syncwarp();\n        }\n";
    frame("divergence", "", before, &body, "        ((float*)a.out)[0] = r0 + r1 + r2 + r3;\n", BLOCK)
}

/// An atomic operation of every thread per step, at a random sector among `size + 1` (a power of two) of 32 bytes.
pub(super) fn atomic(name: &str, ptx: &str) -> Unit {
    let before = "    unsigned long long state = thread * 0x9E3779B97F4A7C15ull + seed;\n    unsigned found = 0;\n";
    let mut body = String::new();
    for _ in 0..8 {
        body += "        state = state * 6364136223846793005ull + 1442695040888963407ull;\n";
        body += &format!(
            "        asm volatile(\"{ptx}\" : \"+r\"(found) : \"l\"(a.data + ((state >> 33) & a.size) * 32), \"r\"(a.knob), \
             \"f\"((float)a.knob), \"d\"((double)a.knob), \"l\"((unsigned long long)a.knob) : \"memory\");\n"
        );
    }
    let name = identifier(&format!("atomic_{name}"));
    frame(&name, "", before, &body, "        ((unsigned*)a.out)[0] = found;\n", BLOCK)
}

/// Atomic operations by name, in PTX: `%0` may take a result, `%1` is the address, then come operands of all types.
pub(super) const ATOMICS: &[(&str, &str)] = &[
    ("add u32", "red.global.add.u32 [%1], %2;"),
    ("min u32", "red.global.min.u32 [%1], %2;"),
    ("add u64", "red.global.add.u64 [%1], %5;"),
    ("add f32", "red.global.add.f32 [%1], %3;"),
    ("add f64", "red.global.add.f64 [%1], %4;"),
    ("exchange u32", "atom.global.exch.b32 %0, [%1], %2;"),
    ("compare and swap u32", "atom.global.cas.b32 %0, [%1], 0, %2;"),
];

/// Does nothing.
pub(super) fn empty() -> Unit {
    let source = "struct Arguments { unsigned long long out, data, size, steps; unsigned knob, impossible; };\nextern \"C\" \
                  __global__ void nothing(const __grid_constant__ Arguments a) {}\n";
    Unit { name: "nothing".to_string(), source: source.to_string(), block: BLOCK }
}

/// Barriers over the whole grid, `steps` of them; the counter is the first word of `data`.
pub(super) fn grid_barriers() -> Unit {
    let source = "#include \"grid.cuh\"\nstruct Arguments { unsigned long long out, data, size, steps; unsigned knob, impossible; \
                  };\nextern \"C\" __global__ void __launch_bounds__(256) grid_barriers(const __grid_constant__ Arguments a) {\n    \
                  gw::Grid grid{(unsigned*)a.data};\n    for (unsigned long long i = 0; i < a.steps; ++i) grid.wait();\n}\n";
    Unit { name: "grid_barriers".to_string(), source: source.to_string(), block: 256 }
}
