//! Groups of neighbours, whichever unit finds them, against a map: few keys and many, lists of all lengths, in grids of
//! several block sizes.

use std::collections::BTreeMap;

use gw_device::{Buffer, Device, Launch, Unit};
use gw_emulator::EmulatedDevice;
use std::sync::Arc;

/// Lists of these lengths, each with keys drawn below one of these bounds.
const LENGTHS: [usize; 12] = [0, 1, 3, 8, 9, 31, 64, 100, 300, 700, 1500, 3000];
const BOUNDS: [u32; 4] = [1, 5, 60, 100_000];

fn bytes<const N: usize>(words: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    words.flatten().collect()
}

struct Lists {
    offsets: Vec<u32>,
    keys: Vec<i32>,
    values: Vec<u32>,
}

fn lists() -> Lists {
    let mut lists = Lists { offsets: vec![0], keys: Vec::new(), values: Vec::new() };
    let mut state = 7u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state >> 4) * u64::from(below)) >> 28) as u32
    };
    for bound in BOUNDS {
        for length in LENGTHS {
            for _ in 0..length {
                // One edge in nine has no key.
                lists.keys.push(if draw(9) == 0 { -1 } else { draw(bound) as i32 });
                lists.values.push(draw(50));
            }
            lists.offsets.push(lists.keys.len() as u32);
        }
    }
    lists
}

/// The key with the greatest sum, or the greatest of all values, the least among equals; `v mod 7` is offered.
fn best(lists: &Lists, v: usize, adds: bool) -> i32 {
    let mut groups = BTreeMap::<i32, u64>::new();
    for e in lists.offsets[v] as usize..lists.offsets[v + 1] as usize {
        if lists.keys[e] >= 0 {
            let group = groups.entry(lists.keys[e]).or_default();
            let value = u64::from(lists.values[e]);
            *group = if adds { *group + value } else { value.max(*group) };
        }
    }
    groups.entry(v as i32 % 7).or_default();
    groups.iter().max_by_key(|(key, word)| (**word, std::cmp::Reverse(**key))).map_or(-1, |(key, _)| *key)
}

fn source(block: u32, adds: bool, least: &str) -> String {
    format!(
        "#define GW_BLOCK {block}\n#include \"groups.cuh\"
struct Arguments {{
    const unsigned* offsets; const int* keys; const unsigned* values; int* found;
    unsigned* scratch; unsigned* counter; unsigned long long* tables; gw::Places* places;
    unsigned long long vertices, slots, count, capacity;
}};
struct Operator {{
    typedef unsigned Offset;
    static constexpr bool ADDS = {adds}, FIXED = false, OFFERS = true;
    static constexpr gw::GroupChoice CHOICE = gw::BEST_GROUP;
    static constexpr gw::GroupUnit LEAST_UNIT = gw::{least};
    const Arguments& a;
    __device__ gw::Range<unsigned> range(int v) const {{ return {{a.offsets[v], a.offsets[v + 1]}}; }}
    __device__ int key(int v, unsigned e) {{ return a.keys[e]; }}
    __device__ double real(int v, unsigned e) {{ return a.values[e]; }}
    __device__ unsigned long long word(int v, unsigned e, double scale) {{ return a.values[e]; }}
    __device__ unsigned long long nothing() {{ return 0; }}
    __device__ int own(int v) {{ return v % 7; }}
    __device__ double score(int v, int key, unsigned long long word, double scale) {{ return (double)word; }}
    __device__ void visit(int v, int key, unsigned long long word, double scale) {{}}
    __device__ void chosen(int v, int key) {{ a.found[v] = key; }}
}};
extern \"C\" __global__ void __launch_bounds__({block}) groups(const __grid_constant__ Arguments a) {{
    if (blockIdx.x == 0 && threadIdx.x == 0) a.places->vertices = (unsigned)a.vertices;
    gw::Run run(*a.places, a.counter, 0, 1);
    run.grid.wait();
    gw::Scratch scratch{{a.scratch, a.capacity}};
    gw::GroupTables tables{{a.tables, (unsigned)a.slots, (unsigned)a.count}};
    Operator op{{a}};
    // Twice: tables are as empty as before.
    for (int time = 0; time < 2; ++time) {{
        gw::group_neighbours(run, gw::ALL_VERTICES, op, scratch, run.grid, tables);
        run.grid.wait();
    }}
}}"
    )
}

#[test]
fn every_unit_finds_the_best_group() {
    let Some(device) = EmulatedDevice::new() else { return };
    let device: Arc<dyn Device> = Arc::new(device);
    let lists = lists();
    let vertices = lists.offsets.len() - 1;
    let memory = |bytes: &[u8]| Buffer::with(&device, bytes).unwrap();
    let offsets = memory(&bytes(lists.offsets.iter().map(|x| x.to_ne_bytes())));
    let (keys, values) = (
        memory(&bytes(lists.keys.iter().map(|x| x.to_ne_bytes()))),
        memory(&bytes(lists.values.iter().map(|x| x.to_ne_bytes()))),
    );
    for (block, adds, least) in [
        (64, true, "BY_LANE"),
        (256, true, "BY_LANE"),
        (512, false, "BY_LANE"),
        (1024, true, "BY_LANE"),
        (256, false, "BY_WARP"),
        (256, true, "IN_SHARED"),
        (128, false, "IN_MEMORY"),
    ] {
        let (slots, count, capacity) = (8192u64, 2u64, 64 + 2 * vertices as u64);
        let found = memory(&vec![0xff; 4 * vertices]);
        let zeros = |bytes: usize| Buffer::zeroed(&device, bytes).unwrap();
        let (scratch, counter) = (zeros(4 * capacity as usize), zeros(4));
        let (tables, places) = (zeros((12 * slots * count) as usize), zeros(4096));
        let buffers = [&offsets, &keys, &values, &found, &scratch, &counter, &tables, &places];
        let mut arguments: Vec<u64> = buffers.iter().map(|buffer| buffer.address().0).collect();
        arguments.extend([vertices as u64, slots, count, capacity]);
        let source = source(block, adds, least);
        let kernel = device.compile(&Unit { name: "groups".into(), source, block }).unwrap();
        let launch = Launch { grid: 3, block, cooperative: true };
        device.launch(&kernel, launch, &bytes(arguments.iter().map(|x| x.to_ne_bytes()))).unwrap();
        let mut chosen = vec![0; 4 * vertices];
        device.download(&mut chosen, found.address()).unwrap();
        let chosen: Vec<i32> = chosen.chunks_exact(4).map(|c| i32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect();
        let expected: Vec<i32> = (0..vertices).map(|v| best(&lists, v, adds)).collect();
        assert_eq!(chosen, expected, "{block} threads, {least}, sums: {adds}");
    }
}
