//! Scans over warps and blocks, and the searches that balancers make in them, against plain loops.

use gw_device::{Device, Launch, Unit};
use gw_emulator::EmulatedDevice;

/// Runs a kernel of one block on numbers of four bytes; it leaves its results in their place.
fn run(block: u32, body: &str, cells: &[u32]) -> Option<Vec<u32>> {
    let device = EmulatedDevice::new()?;
    let source = format!(
        "#define GW_BLOCK {block}\n#include \"scan.cuh\"\nstruct Arguments {{ unsigned* cells; }};
extern \"C\" __global__ void scan(const __grid_constant__ Arguments a) {{ unsigned* cells = a.cells; {body} }}"
    );
    let kernel = device.compile(&Unit { name: "scan".into(), source, block }).unwrap();
    let memory = device.allocate(4 * cells.len()).unwrap();
    device.upload(memory, &cells.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<_>>()).unwrap();
    let launch = Launch { grid: 1, block, cooperative: false };
    device.launch(&kernel, launch, &memory.0.to_ne_bytes()).unwrap();
    let mut bytes = vec![0; 4 * cells.len()];
    device.download(&mut bytes, memory).unwrap();
    device.release(memory);
    Some(bytes.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect())
}

/// Numbers below 1000; sums of 1024 of them are exact in every type.
fn numbers(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2654435761) >> 22).map(|x| x % 1000).collect()
}

fn before(cells: &[u32]) -> Vec<u32> {
    cells.iter().scan(0, |sum, x| Some(std::mem::replace(sum, *sum + x))).collect()
}

const TYPES: [&str; 5] = ["int", "unsigned", "unsigned long long", "float", "double"];

#[test]
fn warps_are_scanned() {
    for kind in TYPES {
        let body = format!(
            "{kind} total; const {kind} value = ({kind})cells[threadIdx.x];
             const {kind} up_to = gw::warp_inclusive(value), before = gw::warp_exclusive(value, total);
             __syncthreads();
             cells[threadIdx.x] = (unsigned)before;
             cells[64 + threadIdx.x] = (unsigned)up_to;
             cells[128 + threadIdx.x] = (unsigned)total;"
        );
        let cells = numbers(192);
        let Some(found) = run(64, &body, &cells) else { return };
        for (w, warp) in cells[..64].chunks(32).enumerate() {
            let exclusive = before(warp);
            let inclusive: Vec<u32> = exclusive.iter().zip(warp).map(|(a, b)| a + b).collect();
            let total = vec![warp.iter().sum::<u32>(); 32];
            for (at, expected) in [(0, exclusive), (64, inclusive), (128, total)] {
                assert_eq!(found[at + 32 * w..][..32], expected, "{kind}, warp {w}");
            }
        }
    }
}

#[test]
fn blocks_are_scanned_again_and_again() {
    for (kind, block) in TYPES.into_iter().zip([32, 96, 256, 1024, 64]) {
        // The second scan must not disturb the first.
        let body = format!(
            "{kind} total, more; const {kind} value = ({kind})cells[threadIdx.x];
             const {kind} before = gw::block_exclusive(value, total);
             const {kind} ones = gw::block_exclusive(({kind})1, more);
             cells[threadIdx.x] = (unsigned)before + (ones == ({kind})threadIdx.x ? 0 : 1000000);
             cells[{block} + threadIdx.x] = (unsigned)total + (more == ({kind}){block} ? 0 : 1000000);"
        );
        let cells = numbers(2 * block);
        let Some(found) = run(block, &body, &cells) else { return };
        let (values, n) = (&cells[..block as usize], block as usize);
        assert_eq!(found[..n], before(values), "{kind}, {block} threads");
        assert_eq!(found[n..], vec![values.iter().sum::<u32>(); n], "{kind}, {block} threads");
    }
}

#[test]
fn bits_of_a_warp_are_united() {
    let body = "cells[threadIdx.x] = gw::warp_union(threadIdx.x % 3 == 0 ? 1u << threadIdx.x : 0);";
    let Some(found) = run(32, body, &[0; 32]) else { return };
    let expected = (0..32).step_by(3).fold(0u32, |bits, i| bits | 1 << i);
    assert_eq!(found, [expected; 32]);
}

/// Every sequence length up to 70, and some longer ones; every key that matters.
#[test]
fn searches_find_the_last_not_above() {
    for length in (1..70).chain([255, 256, 257, 1000]) {
        // Non-decreasing, beginning with 0, with runs of equal values.
        let mut values: Vec<u32> = numbers(length).into_iter().map(|x| x / 3).collect();
        values.sort_unstable();
        values[0] = 0;
        let keys: Vec<u32> = (0..64).map(|i| i * 350 / 64).collect();
        let cells = [values.clone(), keys.clone(), vec![0; 128]].concat();
        // One search per thread, then one per warp for each key in turn.
        let body = "const unsigned* keys = cells + n; unsigned* out = cells + n + 64;
             out[threadIdx.x] = gw::last_not_above(cells, n, keys[threadIdx.x]);
             for (unsigned k = gw::warp(); k < 64; k += 2) {
                 const unsigned end = gw::warp_partition_point(0u, n, [&](unsigned i) { return cells[i] <= keys[k]; });
                 if (gw::lane() == 0) out[64 + k] = end;
             }";
        // The length is data: one kernel serves all.
        let with_length = [vec![length], cells].concat();
        let body = format!("const unsigned n = cells[0]; cells += 1; {body}");
        let Some(found) = run(64, &body, &with_length) else { return };
        let out = &found[1 + length as usize + 64..];
        for (i, key) in keys.iter().enumerate() {
            let end = values.partition_point(|v| v <= key) as u32;
            assert_eq!(out[i], end - 1, "length {length}, key {key}");
            assert_eq!(out[64 + i], end, "length {length}, key {key}");
        }
    }
}
