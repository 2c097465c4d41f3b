//! The emulated device against kernels whose results are known, and against kernels that are wrong.

use gw_device::{Address, Device, DeviceError, Kernel, Launch, Unit};
use gw_emulator::{EmulatedDevice, Races};

/// What all kernels here take.
const ARGUMENTS: &str = "struct Arguments { int* out; unsigned long long n; };\n";

struct Bench {
    device: EmulatedDevice,
    seed: u64,
}

impl Bench {
    /// None, with the reason printed by the device, on a machine without g++.
    fn new(seed: u64) -> Option<Bench> {
        Some(Bench { device: EmulatedDevice::new()?.with_seed(seed), seed })
    }

    fn compile(&self, name: &str, body: &str, block: u32) -> Result<Kernel, DeviceError> {
        self.device.compile(&Unit { name: name.into(), source: format!("{ARGUMENTS}{body}"), block })
    }

    /// Runs the kernel `k` on `out` and returns what it left there.
    fn run(&self, body: &str, grid: u32, block: u32, n: u64, out: &[i32]) -> Result<Vec<i32>, DeviceError> {
        let source = body.replace("KERNEL", "extern \"C\" __global__ void k(const __grid_constant__ Arguments a)");
        let kernel = self.compile("k", &source, block)?;
        let bytes: Vec<u8> = out.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let memory = self.device.allocate(bytes.len())?;
        self.device.upload(memory, &bytes)?;
        let launch = Launch { grid, block, cooperative: grid > 1 };
        let result = self.device.launch(&kernel, launch, &arguments(memory, n));
        let mut bytes = bytes;
        self.device.download(&mut bytes, memory)?;
        self.device.release(memory);
        result.map(|()| bytes.chunks_exact(4).map(|c| i32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect())
    }

    /// The message of a launch that must fail.
    fn failure(&self, body: &str, grid: u32, block: u32) -> String {
        match self.run(body, grid, block, 0, &[0; 64]) {
            Err(DeviceError::Call { call: "launch", reason }) => reason,
            other => panic!("the launch should fail, but: {other:?}"),
        }
    }
}

fn arguments(out: Address, n: u64) -> Vec<u8> {
    [out.0.to_ne_bytes(), n.to_ne_bytes()].concat()
}

/// Calls a test with devices of several seeds, so of several orders.
fn seeds(test: impl Fn(&Bench)) {
    for seed in 1..=6 {
        let Some(bench) = Bench::new(seed) else { return };
        test(&bench);
    }
}

#[test]
fn block_reduction_with_barriers() {
    let body = "KERNEL {
        __shared__ int cells[256];
        unsigned t = threadIdx.x;
        cells[t] = a.out[t];
        __syncthreads();
        for (unsigned half = 128; half > 0; half /= 2) {
            if (t < half) cells[t] += cells[t + half];
            __syncthreads();
        }
        if (t == 0) a.out[0] = cells[0];
    }";
    seeds(|bench| {
        let data: Vec<i32> = (0..256).collect();
        assert_eq!(bench.run(body, 1, 256, 0, &data).unwrap()[0], 255 * 128);
    });
}

#[test]
fn warp_scan_with_shuffles() {
    let body = "KERNEL {
        unsigned lane = threadIdx.x % 32;
        int x = a.out[threadIdx.x];
        for (int d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(0xffffffffu, x, d);
            if (lane >= d) x += y;
        }
        a.out[threadIdx.x] = x;
    }";
    seeds(|bench| {
        let data: Vec<i32> = (0..96).map(|i| i * 7 % 13).collect();
        let expected: Vec<i32> = data
            .chunks(32)
            .flat_map(|warp| {
                let mut sum = 0;
                warp.iter().map(move |x| {
                    sum += x;
                    sum
                })
            })
            .collect();
        assert_eq!(bench.run(body, 1, 96, 0, &data).unwrap(), expected);
    });
}

#[test]
fn warp_operations() {
    let body = "KERNEL {
        unsigned lane = threadIdx.x;
        unsigned full = 0xffffffffu;
        int* o = a.out + lane * 16;
        o[0] = __shfl_sync(full, (int)lane, 5);
        o[1] = __shfl_sync(full, (int)lane, 5, 8);
        o[2] = __shfl_down_sync(full, (int)lane, 3, 16);
        o[3] = __shfl_xor_sync(full, (int)lane, 1);
        o[4] = __ballot_sync(full, lane % 3 == 0);
        o[5] = __any_sync(full, lane == 31);
        o[6] = __all_sync(full, lane < 31);
        o[7] = __match_any_sync(full, lane % 4);
        int same;
        o[8] = __match_all_sync(full, 7ull, &same) == full && same;
        o[9] = __reduce_add_sync(full, (int)lane - 40);
        o[10] = __reduce_min_sync(full, (int)lane - 40);
        o[11] = __reduce_max_sync(full, lane);
        o[12] = (int)__shfl_sync(full, 1e300 * lane > 1.0 ? 2.5 : 1.5, 9);
        o[13] = lane % 2 ? __popc(__ballot_sync(0xaaaaaaaau, 1)) : __reduce_or_sync(0x55555555u, 1u << lane);
        o[14] = __reduce_xor_sync(full, 1u << lane / 2);
        o[15] = __shfl_up_sync(full, (int)lane, 1);
    }";
    seeds(|bench| {
        let out = bench.run(body, 1, 32, 0, &[0; 512]).unwrap();
        for lane in 0..32i32 {
            let o = &out[lane as usize * 16..][..16];
            let ballot = (0..32).step_by(3).fold(0u32, |m, l| m | 1 << l) as i32;
            let down = if lane % 16 + 3 < 16 { lane + 3 } else { lane };
            let alike = (0x11111111u32 << (lane % 4)) as i32;
            let odd = if lane % 2 == 1 { 16 } else { 0x55555555 };
            let first = [5, lane / 8 * 8 + 5, down, lane ^ 1, ballot, 1, 0, alike, 1];
            let second = [496 - 32 * 40, -40, 31, 2, odd, 0, (lane - 1).max(0)];
            assert_eq!(o, [&first[..], &second[..]].concat(), "lane {lane}");
        }
    });
}

#[test]
fn active_lanes_enqueue_together() {
    // Lanes leave the loop at different times; those that run together take their slots with one atomic.
    let body = "KERNEL {
        unsigned lane = threadIdx.x % 32;
        for (unsigned i = 0; i < threadIdx.x % 7; i++) {
            if ((threadIdx.x + i) % 3 == 0) continue;
            unsigned mask = __activemask();
            int leader = __ffs(mask) - 1;
            unsigned base = 0;
            if (lane == leader) base = atomicAdd((unsigned*)a.out, (unsigned)__popc(mask));
            base = __shfl_sync(mask, base, leader);
            a.out[1 + base + __popc(mask & ((1u << lane) - 1))] = threadIdx.x * 8 + i;
        }
    }";
    let mut expected: Vec<i32> =
        (0..128).flat_map(|t| (0..t % 7).filter(move |i| (t + i) % 3 != 0).map(move |i| t * 8 + i)).collect();
    expected.sort();
    seeds(|bench| {
        let out = bench.run(body, 1, 128, 0, &[0; 1024]).unwrap();
        assert_eq!(out[0] as usize, expected.len());
        let mut found = out[1..=expected.len()].to_vec();
        found.sort();
        assert_eq!(found, expected);
    });
}

/// The grid barrier of these tests: the last block to arrive opens the next phase.
const GRID_BARRIER: &str = "__device__ void grid_barrier(unsigned* count, volatile unsigned* phase) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            unsigned now = *phase;
            if (atomicAdd(count, 1u) == gridDim.x - 1) {
                atomicExch(count, 0u);
                __threadfence();
                *phase = now + 1;
            } else {
                while (*phase == now) __nanosleep(20);
            }
            __threadfence();
        }
        __syncthreads();
    }\n";

#[test]
fn grid_barrier_many_times() {
    // Every block reads what its neighbour wrote in the phase before.
    let body = format!(
        "{GRID_BARRIER} KERNEL {{
        __shared__ int got;
        volatile int* cells = a.out + 2;
        for (unsigned i = 0; i < a.n; i++) {{
            if (threadIdx.x == 0) got = cells[(blockIdx.x + 1) % gridDim.x + (i % 2) * gridDim.x];
            __syncthreads();
            if (threadIdx.x == 33) cells[blockIdx.x + ((i + 1) % 2) * gridDim.x] = got + 1;
            grid_barrier((unsigned*)a.out, (unsigned*)a.out + 1);
        }}
    }}"
    );
    seeds(|bench| {
        let out = bench.run(&body, 4, 64, 1000, &[0; 10]).unwrap();
        assert_eq!(out[1..6], [1000, 1000, 1000, 1000, 1000]);
    });
}

#[test]
fn atomics_from_all_threads() {
    let body = "KERNEL {
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
        atomicAdd(a.out, 2);
        atomicMax(a.out + 1, (int)t);
        atomicMin(a.out + 2, (int)t - 5);
        atomicOr((unsigned*)a.out + 3, 1u << t % 32);
        atomicXor((unsigned*)a.out + 4, t);
        atomicInc((unsigned*)a.out + 5, 9u);
        atomicAdd((float*)a.out + 6, 0.5f);
        atomicAdd((unsigned long long*)(a.out + 8), 1ull << 31);
        int old = a.out[10], seen;
        do { seen = old; old = atomicCAS(a.out + 10, seen, seen + 3); } while (old != seen);
    }";
    seeds(|bench| {
        let out = bench.run(body, 4, 128, 0, &[0; 12]).unwrap();
        let xor = (0..512).fold(0, |x, t| x ^ t);
        assert_eq!(out[..6], [1024, 511, -5, -1, xor, 512 % 10]);
        assert_eq!(f32::from_bits(out[6] as u32), 256.0);
        assert_eq!((out[8] as u32 as u64) | (out[9] as u64) << 32, 512 << 31);
        assert_eq!(out[10], 3 * 512);
    });
}

#[test]
fn grids_larger_than_the_device_run_in_turns() {
    let body = "KERNEL {
        __shared__ int first;
        if (threadIdx.x == 0) first = blockIdx.x * blockDim.x;
        __syncthreads();
        a.out[first + threadIdx.x] = blockIdx.x;
    }";
    let Some(bench) = Bench::new(1) else { return };
    let kernel =
        bench.compile("k", &body.replace("KERNEL", "extern \"C\" __global__ void k(const Arguments a)"), 32).unwrap();
    let memory = bench.device.allocate(4 * 320).unwrap();
    let launch = Launch { grid: 10, block: 32, cooperative: false };
    bench.device.launch(&kernel, launch, &arguments(memory, 0)).unwrap();
    let mut bytes = vec![0; 4 * 320];
    bench.device.download(&mut bytes, memory).unwrap();
    for (i, cell) in bytes.chunks_exact(4).enumerate() {
        assert_eq!(cell, (i as u32 / 32).to_ne_bytes());
    }
    let all = Launch { cooperative: true, ..launch };
    let refused = bench.device.launch(&kernel, all, &arguments(memory, 0)).unwrap_err().to_string();
    assert!(refused.contains("10 blocks shall wait for each other, 4 can"), "{refused}");
    bench.device.release(memory);
}

#[test]
fn threads_that_exited_count_at_a_barrier() {
    let body = "KERNEL {
        if (threadIdx.x >= 40) return;
        int n = __syncthreads_count(threadIdx.x % 2);
        a.out[threadIdx.x] = n;
    }";
    seeds(|bench| assert_eq!(bench.run(body, 1, 64, 0, &[0; 64]).unwrap()[..41], [[20; 40].as_slice(), &[0]].concat()));
}

#[test]
fn a_missing_barrier_is_a_race() {
    let body = "KERNEL {
        __shared__ int cells[64];
        cells[threadIdx.x] = threadIdx.x;
        a.out[threadIdx.x] = cells[63 - threadIdx.x];
    }";
    seeds(|bench| {
        let reason = bench.failure(body, 1, 64);
        assert!(
            reason.contains("race in shared memory at k.cu:5") || reason.contains("nobody has written"),
            "{reason}"
        );
    });
}

#[test]
fn a_missing_warp_barrier_is_a_race() {
    let body = "KERNEL {
        __shared__ int cells[32];
        cells[threadIdx.x] = 1;
        __syncwarp();
        int x = cells[31 - threadIdx.x];
        SYNC
        cells[threadIdx.x] = x + threadIdx.x;
        __syncwarp();
        a.out[threadIdx.x] = cells[31 - threadIdx.x];
    }";
    seeds(|bench| {
        let right = bench.run(&body.replace("SYNC", "__syncwarp();"), 1, 32, 0, &[0; 32]).unwrap();
        assert_eq!(right, (0..32).map(|t| 32 - t).collect::<Vec<_>>());
        let reason = bench.failure(&body.replace("SYNC", ""), 1, 32);
        assert!(reason.contains("race in shared memory at k.cu:"), "{reason}");
    });
}

#[test]
fn writing_the_same_value_is_no_race() {
    let body = "KERNEL {
        __shared__ int flag;
        if (threadIdx.x == 0) flag = 0;
        __syncthreads();
        if (threadIdx.x % 3 == 0) flag = 1;
        __syncthreads();
        a.out[threadIdx.x] = flag;
    }";
    seeds(|bench| assert_eq!(bench.run(body, 1, 64, 0, &[0; 64]).unwrap(), [1; 64]));
    let wrong = body.replace("flag = 1", "flag = threadIdx.x + 1");
    seeds(|bench| {
        let reason = bench.failure(&wrong, 1, 64);
        assert!(reason.contains("race in shared memory at k.cu:6") && reason.contains("writes 4 bytes"), "{reason}");
    });
}

/// Blocks pass values on through global memory; FENCE and WAIT are left out to make it wrong.
const NEIGHBOURS: &str = "__device__ void grid_barrier(unsigned* count, volatile unsigned* phase) {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned now = *phase;
            FENCE;
            if (atomicAdd(count, 1u) == gridDim.x - 1) {
                atomicExch(count, 0u);
                __threadfence();
                *phase = now + 1;
            } else {
                while (*phase == now) __nanosleep(20);
            }
            __threadfence();
        }
        __syncthreads();
    }
    KERNEL {
        int* cells = a.out + 2;
        int got = 0;
        for (unsigned i = 0; i < 9; i++) {
            cells[blockIdx.x * 64 + threadIdx.x] = got + 1;
            grid_barrier((unsigned*)a.out, (unsigned*)a.out + 1);
            got = cells[(blockIdx.x + 1) % 4 * 64 + threadIdx.x];
            WAIT;
        }
    }";

#[test]
fn races_in_global_memory_are_found_when_asked_for() {
    let wait = "grid_barrier((unsigned*)a.out, (unsigned*)a.out + 1)";
    let right = NEIGHBOURS.replace("FENCE", "__threadfence()").replace("WAIT", wait);
    let no_fence = NEIGHBOURS.replace("FENCE", "").replace("WAIT", wait);
    let no_wait = NEIGHBOURS.replace("FENCE", "__threadfence()").replace("WAIT", "");
    let mixed = "KERNEL { if (threadIdx.x == 0) a.out[0] = 5; atomicAdd(a.out, 1); }";
    seeds(|bench| {
        let bench = Bench {
            device: EmulatedDevice::new().unwrap().with_seed(bench.seed).with_races(Races::Global),
            seed: bench.seed,
        };
        let out = bench.run(&right, 4, 64, 0, &[0; 258]).unwrap();
        assert_eq!(out[2..], [9; 256]);
        for (wrong, places) in [(&no_fence[..], [":22", ":24"]), (&no_wait, [":22", ":24"]), (mixed, [":2:", ":2,"])] {
            let reason = format!("{:?}", bench.run(wrong, 4, 64, 0, &[0; 258]));
            let named = places.iter().all(|place| reason.contains(&format!("at k.cu{place}")));
            assert!(reason.contains("race in global memory") && named, "{reason}");
        }
        // Looking before an atomic is allowed, and writing the same value.
        let habit = "KERNEL { if (a.out[0] < 7) atomicMax(a.out, 7); a.out[1] = 3; }";
        assert_eq!(bench.run(habit, 4, 64, 0, &[0; 2]).unwrap(), [7, 3]);
        let constant =
            "KERNEL { if (threadIdx.x == 0) a.out[0] = 5; __syncthreads(); a.out[1 + threadIdx.x] = __ldg(a.out); }";
        assert!(bench.failure(constant, 1, 32).contains("reads as read-only what this launch writes at k.cu:2"));
    });
}

#[test]
fn an_update_without_an_atomic_gets_lost() {
    let body = "KERNEL { for (int i = 0; i < 50; i++) a.out[0] += 1; }";
    let Some(bench) = Bench::new(1) else { return };
    let sum = bench.run(body, 4, 128, 0, &[0]).unwrap()[0];
    assert!(sum < 4 * 128 * 50, "threads were never interrupted");
}

#[test]
fn memory_of_others_is_refused() {
    seeds(|bench| {
        let reason = bench.failure("KERNEL { if (threadIdx.x == 7) a.out[64] = 1; }", 1, 64);
        assert!(reason.contains("thread 7") && reason.contains("at k.cu:2: writes 4 bytes"), "{reason}");
        let reason = bench.failure("KERNEL { int* none = 0; a.out[0] = none[a.n]; }", 1, 32);
        assert!(reason.contains("not in allocated memory"), "{reason}");
    });
}

#[test]
fn broken_rules_of_warps_are_named() {
    let Some(bench) = Bench::new(3) else { return };
    let cases = [
        ("KERNEL { if (threadIdx.x == 3) return; __ballot_sync(0xffffffffu, 1); }", "exit"),
        ("KERNEL { if (threadIdx.x % 2) __ballot_sync(~0u, 1);\n else __any_sync(~0u, 1); }", "while lane"),
        ("KERNEL { __ballot_sync(1u, 1); }", "not in the mask"),
        ("KERNEL { if (threadIdx.x < 16) a.out[threadIdx.x] = __shfl_sync(0xffffu, 1, 20); }", "reads lane 20"),
        ("KERNEL { if (threadIdx.x % 2) __ballot_sync(~0u, 1); else __syncthreads(); }", "deadlock"),
        ("KERNEL { if (threadIdx.x < 32) __syncthreads();\n else __syncthreads(); }", "k.cu:3"),
        ("KERNEL { while (((volatile int*)a.out)[1] == 0) __nanosleep(9); }", "stuck"),
        ("KERNEL { __shared__ int x; if (a.n) x = 1; __syncthreads(); a.out[0] = x; }", "nobody has written"),
        ("KERNEL { assert(threadIdx.x < 50); }", "threadIdx.x < 50"),
    ];
    for (body, expected) in cases {
        let reason = bench.failure(body, 1, 64);
        assert!(reason.contains(expected), "{body}: {reason}");
    }
}

#[test]
fn a_block_that_never_comes_is_found() {
    let body = format!(
        "{GRID_BARRIER} KERNEL {{ if (blockIdx.x < 3) grid_barrier((unsigned*)a.out, (unsigned*)a.out + 1); }}"
    );
    let Some(bench) = Bench::new(2) else { return };
    let reason = bench.failure(&body, 4, 64);
    assert!(reason.contains("stuck") && reason.contains("sleep at k.cu:"), "{reason}");
}

#[test]
fn the_same_seed_gives_the_same_order() {
    let body = "KERNEL { a.out[1 + atomicAdd(a.out, 1)] = blockIdx.x * 64 + threadIdx.x; }";
    let order = |seed| Bench::new(seed).map(|bench| bench.run(body, 4, 64, 0, &[0; 257]).unwrap());
    assert_eq!(order(5), order(5));
    if order(5).is_some() {
        assert_ne!(order(5), order(6));
    }
}

#[test]
fn the_compiler_says_what_it_refuses() {
    let Some(bench) = Bench::new(1) else { return };
    let error = bench.run("KERNEL { nothing(); }", 1, 32, 0, &[0]).unwrap_err();
    assert!(
        matches!(&error, DeviceError::Compile { kernel, log } if kernel == "k" && log.contains("k.cu:2")),
        "{error}"
    );
}

#[test]
fn memory_is_checked() {
    let Some(device) = EmulatedDevice::new().map(|device| device.with_memory(1000)) else { return };
    let memory = device.allocate(600).unwrap();
    assert_eq!(memory.0 % 256, 0);
    assert_eq!(device.allocate(401), Err(DeviceError::OutOfMemory { needed: 401, free: 400 }));
    device.fill(memory, 7, 4, 100).unwrap();
    device.copy(memory.offset(400), memory, 200).unwrap();
    let mut bytes = [0; 4];
    device.download(&mut bytes, memory.offset(596)).unwrap();
    assert_eq!(bytes, 7u32.to_ne_bytes());
    assert!(device.download(&mut bytes, memory.offset(597)).is_err());
    assert!(device.upload(memory.offset(599), &[1, 2]).is_err());
    device.release(memory);
    assert_eq!(device.free_bytes(), Ok(1000));
}

/// The handle of the condition comes behind the arguments.
const REPEATED: &str = "#include \"condition.cuh\"
struct Repeated { Arguments a; unsigned long long condition; };
extern \"C\" __global__ void k(const __grid_constant__ Repeated r) {
    r.a.out[threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x == 0 && r.a.out[1] != 7) gw::set_condition(r.condition, r.a.out[1] < (int)r.a.n);
}";

#[test]
fn kernels_are_repeated_until_they_say_no() {
    let Some(bench) = Bench::new(1) else { return };
    let kernel = bench.compile("k", REPEATED, 64).unwrap();
    let memory = bench.device.allocate(256).unwrap();
    let launch = Launch { grid: 1, block: 64, cooperative: false };
    let repeat = |n: u64| {
        bench.device.fill(memory, 0, 4, 64).unwrap();
        bench.device.launch_while(&kernel, launch, &arguments(memory, n))
    };
    repeat(5).unwrap();
    let mut bytes = [0; 256];
    bench.device.download(&mut bytes, memory).unwrap();
    assert!(bytes.chunks_exact(4).all(|cell| cell == [5, 0, 0, 0]), "{bytes:?}");
    assert_eq!(bench.device.usage().launches, 1);
    // A GPU would go on for ever.
    let forgotten = repeat(9).unwrap_err().to_string();
    assert!(forgotten.contains("did not set its condition"), "{forgotten}");
}
