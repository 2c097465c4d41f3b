//! Every load balancer against graphs of all shapes: each edge of each active vertex is visited, once, by a thread that
//! knows whose edge it is; what threads gather for a vertex adds up; a walk that may stop early does.

use gw_device::{Address, Device, Kernel, Launch, Unit};
use gw_emulator::EmulatedDevice;

/// The kernel: a walk that checks what it is told, called twice as a fused loop would.
const KERNEL: &str = r#"
struct Arguments {
    const Offset* offsets;
    const int* entries;
    unsigned* visits;          // per edge
    unsigned* sums;            // per vertex: what was gathered
    unsigned* looks;           // per entry: calls of vertex()
    const unsigned* wanted;    // per edge: a walk that may stop early stops here
    unsigned* queued;          // edges that were enqueued
    unsigned* faults;
    gw::Scratch scratch;
    unsigned* counter;
    unsigned long long active;
    unsigned long long mode;
};

// What an edge adds, and what all edges of a vertex add.
__device__ unsigned weight(Offset e) { return (unsigned)e * 2654435761u + 1u; }
__device__ unsigned weights(Offset first, Offset last) {
    unsigned sum = 0;
    for (Offset e = first; e < last; ++e) sum += weight(e);
    return sum;
}

struct Gathered { unsigned sum; };
struct Nothing {};
__device__ void gather(Gathered& p, unsigned w) { p.sum += w; }
__device__ void gather(Nothing&, unsigned) {}
__device__ unsigned gathered(const Gathered& p) { return p.sum; }
__device__ unsigned gathered(const Nothing&) { return 0; }

template <class Kept, bool EARLY> struct Walk {
    typedef ::Offset Offset;
    typedef Kept Partial;
    static constexpr bool EARLY_EXIT = EARLY;
    const Arguments& a;

    __device__ void fault(unsigned kind) { atomicOr(a.faults, 1u << kind); }
    __device__ unsigned active() const { return (unsigned)a.active; }
    __device__ int vertex(unsigned i) const {
        atomicAdd(a.looks + i, 1u);
        return a.entries[i];
    }
    __device__ Offset first(int v) const { return a.offsets[v]; }
    __device__ gw::Range<Offset> range(int v) const { return {a.offsets[v], a.offsets[v + 1]}; }
    __device__ Partial begin(int v) const { return Partial{}; }
    __device__ bool edge(int v, Offset e, Partial& p) {
        if (e < a.offsets[v] || e >= a.offsets[v + 1]) { fault(0); return true; }
        atomicAdd(a.visits + e, 1u);
        gather(p, weight(e));
        // Some edges enqueue with those lanes that happen to be here.
        if (e % 3 == 0) gw::take_number(a.queued);
        return !a.wanted[e];
    }
    template <int LANES, bool WHOLE> __device__ void end(int v, Partial& p) {
        const int least = gw::group_reduce<LANES>(v, gw::Least());
        if (least != gw::group_reduce<LANES>(v, gw::Greatest())) fault(1);
        const unsigned sum = gw::group_reduce<LANES>(gathered(p), gw::Plus());
        if (gw::lane() % LANES == 0) {
            if (WHOLE && !EARLY && !__is_empty(Partial) && sum != weights(first(v), range(v).last)) fault(2);
            atomicAdd(a.sums + v, sum);
        }
    }
};

template <class W> __device__ void twice(const Arguments& a) {
    W op{a};
    gw::Scratch scratch = a.scratch;
    gw::Grid grid{a.counter};
    for (int round = 0; round < 2; ++round) {
        CALL;
        WAIT;
    }
}

extern "C" __global__ void walk(const __grid_constant__ Arguments a) {
    if (a.mode == 0) twice<Walk<Gathered, false>>(a);
    if (a.mode == 1) twice<Walk<Nothing, false>>(a);
    if (a.mode == 2) twice<Walk<Gathered, true>>(a);
}
"#;

/// Calls of the balancer in one launch.
const CALLS: u32 = 2;

/// What the walk of a launch does; the numbers of the kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Gather,
    Visit,
    StopEarly,
}

/// What a balancer promises of a walk that may stop early.
#[derive(Clone, Copy)]
enum Stops {
    /// Nobody goes beyond the stride of so many edges in which the vertex had enough.
    After(u32),
    /// Every thread visits a few edges at most.
    Soon,
    /// Never: it finds vertices by edges.
    Never,
    /// Sometimes: two balancers take turns.
    Sometimes,
}

struct Graph {
    offsets: Vec<u64>,
    /// -1: takes no part.
    entries: Vec<i32>,
    what: String,
}

impl Graph {
    fn new(what: &str, degrees: &[u32], entries: Vec<i32>) -> Graph {
        let mut offsets = vec![0];
        for d in degrees {
            offsets.push(offsets[offsets.len() - 1] + u64::from(*d));
        }
        Graph { offsets, entries, what: what.into() }
    }

    fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    fn edges_of(&self, v: usize) -> std::ops::Range<usize> {
        self.offsets[v] as usize..self.offsets[v + 1] as usize
    }

    /// How often each vertex is active.
    fn times(&self) -> Vec<u32> {
        let mut times = vec![0; self.vertices()];
        self.entries.iter().filter(|v| **v >= 0).for_each(|v| times[*v as usize] += 1);
        times
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Graphs for blocks of so many threads.
fn graphs(block: u32) -> Vec<Graph> {
    let mut random = Random(u64::from(block));
    let all = |n: usize| (0..n as i32).collect::<Vec<_>>();
    let mut graphs = vec![
        Graph::new("nothing active", &[3, 4], vec![]),
        Graph::new("nobody takes part", &[3, 4], vec![-1; 70]),
        Graph::new("no edges", &[0; 100], all(100)),
        Graph::new("one vertex, one edge", &[1], all(1)),
        Graph::new("one hub", &[9 * block + 5], all(1)),
        // More edges than four blocks have threads: a hub for the whole grid.
        Graph::new("star", &[vec![4 * block + 77], vec![1; 150]].concat(), all(151)),
        // More than any balancer stages at once.
        Graph::new("ones", &[1; 2500], all(2500)),
    ];
    let b = block;
    let edges = [0, 1, 7, 8, 9, 31, 32, 33, b - 1, b, b + 1, b + 31, b + 32, b + 33, 2 * b, 0, 0, 3 * b - 1];
    graphs.push(Graph::new("sizes at the borders", &edges, all(edges.len())));
    let hubs_first: Vec<u32> = (0..120u32).map(|i| 3 * b / (i + 1)).collect();
    graphs.push(Graph::new("hubs first", &hubs_first, all(120)));
    // Skewed degrees, some entries filtered out, some vertices active twice, in no order.
    let skewed: Vec<u32> = (0..400).map(|_| (3 * b / (1 + random.below(3 * b))).min(2 * b) - random.below(2)).collect();
    let entries = (0..500).map(|_| random.below(500) as i32).map(|v| if v < 400 { v } else { -1 }).collect();
    graphs.push(Graph::new("skewed", &skewed, entries));
    let sparse: Vec<u32> = (0..2000).map(|_| random.below(12).saturating_sub(8)).collect();
    let entries = (0..2000).map(|v| if random.below(4) > 0 { v } else { -1 }).collect();
    graphs.push(Graph::new("sparse", &sparse, entries));
    graphs
}

/// Memory of the device, given back at the end.
struct Cells<'a> {
    device: &'a EmulatedDevice,
    address: Address,
    count: usize,
}

impl<'a> Cells<'a> {
    fn new(device: &'a EmulatedDevice, words: &[u32]) -> Cells<'a> {
        let address = device.allocate(4 * words.len().max(1)).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        device.upload(address, &bytes).unwrap();
        Cells { device, address, count: words.len() }
    }

    fn read(&self) -> Vec<u32> {
        let mut bytes = vec![0; 4 * self.count];
        self.device.download(&mut bytes, self.address).unwrap();
        bytes.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

impl Drop for Cells<'_> {
    fn drop(&mut self) {
        self.device.release(self.address);
    }
}

struct Bench {
    device: EmulatedDevice,
    kernel: Kernel,
    block: u32,
    wide: bool,
    stops: Stops,
    /// Used by all launches, as a machine would.
    counter: Address,
    scratch: Address,
    words: usize,
}

/// Words of scratch memory that balancers keep for themselves, as in `grid.cuh`.
const SCRATCH_CONTROL: usize = 64;
/// Words of scratch memory: the least that the machine promises for the largest of the graphs.
const SCRATCH_WORDS: usize = 4 * 2500 + 4096;

impl Bench {
    fn new(name: &str, call: &str, stops: Stops, block: u32, wide: bool) -> Option<Bench> {
        let device = EmulatedDevice::new()?;
        // Only scratch memory makes the caller wait between two calls.
        let wait = if call.contains("scratch") { "grid.wait()" } else { "" };
        let offset = if wide { "unsigned long long" } else { "unsigned" };
        let source = format!(
            "#define GW_BLOCK {block}\n#include \"{name}.cuh\"\ntypedef {offset} Offset;\n{}",
            KERNEL.replace("CALL", call).replace("WAIT", wait)
        );
        let kernel = device.compile(&Unit { name: "walk".into(), source, block }).unwrap();
        let counter = device.allocate(4).unwrap();
        let words = SCRATCH_WORDS;
        let scratch = device.allocate(4 * SCRATCH_WORDS).unwrap();
        device.fill(counter, 0, 4, 1).unwrap();
        // Only the first words are promised to be zero.
        device.fill(scratch, 0xdead_beef, 4, SCRATCH_WORDS).unwrap();
        device.fill(scratch, 0, 4, 64).unwrap();
        Some(Bench { device, kernel, block, wide, stops, counter, scratch, words })
    }

    fn run(&self, graph: &Graph, grid: u32, mode: Mode) {
        let what = format!("{}, {grid} blocks of {}, {mode:?}, wide: {}", graph.what, self.block, self.wide);
        let edges = *graph.offsets.last().unwrap() as usize;
        let offsets: Vec<u32> = match self.wide {
            true => graph.offsets.iter().flat_map(|o| [*o as u32, (*o >> 32) as u32]).collect(),
            false => graph.offsets.iter().map(|o| *o as u32).collect(),
        };
        let wanted: Vec<u32> = (0..edges as u32).map(|e| u32::from(mode == Mode::StopEarly && e % 5 == 3)).collect();
        let cells = |words: &[u32]| Cells::new(&self.device, words);
        let offsets = cells(&offsets);
        let entries = cells(&graph.entries.iter().map(|v| *v as u32).collect::<Vec<_>>());
        let visits = cells(&vec![0; edges]);
        let sums = cells(&vec![0; graph.vertices()]);
        let looks = cells(&vec![0; graph.entries.len()]);
        let wants = cells(&wanted);
        let queued = cells(&[0]);
        let faults = cells(&[0]);
        let members = [&offsets, &entries, &visits, &sums, &looks, &wants, &queued, &faults].map(|c| c.address.0);
        let rest = [self.scratch.0, self.words as u64, self.counter.0, graph.entries.len() as u64, mode as u64];
        let arguments: Vec<u8> = members.iter().chain(&rest).flat_map(|x| x.to_ne_bytes()).collect();
        let launch = Launch { grid, block: self.block, cooperative: true };
        if let Err(error) = self.device.launch(&self.kernel, launch, &arguments) {
            panic!("{what}: {error}");
        }

        assert_eq!(faults.read(), [0], "{what}: 1 foreign edge, 2 mixed group, 4 not the whole vertex");
        assert!(looks.read().iter().all(|n| *n == CALLS), "{what}: entries are looked at once per call");
        let visits = visits.read();
        if mode == Mode::StopEarly {
            self.check_early(graph, &visits, &wanted, grid, &what);
        } else {
            self.check_all(graph, &visits, &what);
        }
        let numbers = |edges: std::ops::Range<usize>| edges.map(|e| visits[e].wrapping_mul(weight(e)));
        if mode != Mode::Visit {
            let expected: Vec<u32> =
                (0..graph.vertices()).map(|v| numbers(graph.edges_of(v)).fold(0, u32::wrapping_add)).collect();
            assert_eq!(sums.read(), expected, "{what}: what was gathered");
        }
        let expected: u32 = visits.iter().step_by(3).sum();
        assert_eq!(queued.read(), [expected], "{what}: what was enqueued");
    }

    fn check_all(&self, graph: &Graph, visits: &[u32], what: &str) {
        for (v, times) in graph.times().into_iter().enumerate() {
            for e in graph.edges_of(v) {
                assert_eq!(visits[e], CALLS * times, "{what}: edge {e} of vertex {v} {:?}", graph.edges_of(v));
            }
        }
    }

    fn check_early(&self, graph: &Graph, visits: &[u32], wanted: &[u32], grid: u32, what: &str) {
        for (v, times) in graph.times().into_iter().enumerate() {
            let edges = graph.edges_of(v);
            let all = CALLS * times;
            assert!(edges.clone().all(|e| visits[e] <= all), "{what}: vertex {v} has edges visited too often");
            let enough = edges.clone().position(|e| wanted[e] == 1);
            let visited = |least: u32| edges.clone().filter(|e| visits[*e] >= least).count();
            let Some(enough) = enough else {
                assert_eq!(visited(all), edges.len(), "{what}: vertex {v} never has enough");
                continue;
            };
            // Each call must have met an edge that is enough, or all edges.
            let met: u32 = edges.clone().filter(|e| wanted[*e] == 1).map(|e| visits[e]).sum();
            assert!(met >= all, "{what}: vertex {v} {edges:?} was left too early");
            match self.stops {
                Stops::After(stride) => {
                    let stride = stride as usize;
                    let until = edges.len().min((enough / stride + 1) * stride);
                    assert_eq!(
                        visited(all),
                        if times > 0 { until } else { edges.len() },
                        "{what}: vertex {v} {edges:?}"
                    );
                    assert!(edges.clone().skip(until).all(|e| visits[e] == 0), "{what}: vertex {v} goes on");
                }
                // One in five edges is enough: a stride of a warp ends it, a group of eight may need a second. Of lists
                // that are cut, it ends a piece, of 128 edges at least.
                Stops::Soon => {
                    let limit = (grid * self.block).max(32 * edges.len().div_ceil(128) as u32) + 32 + 16;
                    assert!(visited(1) <= limit as usize, "{what}: vertex {v} {edges:?} goes on: {}", visited(1));
                }
                Stops::Never => assert_eq!(visited(all), edges.len(), "{what}: vertex {v} is walked whole"),
                Stops::Sometimes => {}
            }
        }
    }
}

fn weight(e: usize) -> u32 {
    (e as u32).wrapping_mul(2654435761).wrapping_add(1)
}

fn check(header: &str, call: &str, stops: Stops) {
    check_with(&[(64, false), (64, true), (256, false)], header, call, stops);
}

/// With blocks of so many threads, and with wide offsets or not.
fn check_with(blocks: &[(u32, bool)], header: &str, call: &str, stops: Stops) {
    for &(block, wide) in blocks {
        let Some(bench) = Bench::new(header, call, stops, block, wide) else { return };
        for (i, graph) in graphs(block).iter().enumerate() {
            for mode in [Mode::Gather, Mode::Visit, Mode::StopEarly] {
                // Every graph meets one and four blocks; two and three take turns.
                let grids = if block > 64 || wide {
                    vec![1 + (i as u32 + mode as u32) % 4]
                } else {
                    vec![1, 2 + i as u32 % 2, 4]
                };
                for grid in grids {
                    bench.run(graph, grid, mode);
                }
            }
        }
    }
}

#[test]
fn vertex_based() {
    check("balance_vertex_based", "gw::balance_vertex_based(op)", Stops::After(1));
}

#[test]
fn virtual_warp() {
    check("balance_virtual_warp", "gw::balance_virtual_warp<8>(op, 1)", Stops::After(8));
    let all = [(1, 3), (16, 20), (1, 1), (2, 5), (4, 4), (32, 2)];
    let taken = gw_testing::usually(2, all.len());
    for (lanes, chunk) in &all[..taken] {
        let call = format!("gw::balance_virtual_warp<{lanes}>(op, {chunk})");
        check_with(&[(64, false)], "balance_virtual_warp", &call, Stops::After(*lanes));
    }
}

#[test]
fn dynamic_virtual_warp() {
    check("balance_dynamic_virtual_warp", "gw::balance_dynamic_virtual_warp<4>(op)", Stops::Soon);
}

#[test]
fn twc() {
    check("balance_twc", "gw::balance_twc(op, scratch, grid)", Stops::Soon);
}

#[test]
fn etwc() {
    check("balance_etwc", "gw::balance_etwc(op, scratch, grid, 1u << 31)", Stops::Soon);
}

#[test]
fn etwc_over_all_vertices() {
    check("balance_etwc_all", "gw::balance_etwc_all(op, scratch, grid, 1u << 31)", Stops::Soon);
}

#[test]
fn warp_mapping() {
    check("balance_warp_mapping", "gw::balance_warp_mapping(op)", Stops::Never);
}

#[test]
fn block_mapping() {
    check("balance_block_mapping", "gw::balance_block_mapping(op)", Stops::Never);
}

#[test]
fn cta_warp_scan() {
    check("balance_cta_warp_scan", "gw::balance_cta_warp_scan(op)", Stops::Soon);
}

#[test]
fn local_warp_search() {
    check("balance_local_warp_search", "gw::balance_local_warp_search(op)", Stops::Never);
}

#[test]
fn strict() {
    check("balance_strict", "gw::balance_strict(op, scratch, grid)", Stops::Never);
}

#[test]
fn merge_path() {
    check("balance_merge_path", "gw::balance_merge_path(op, scratch, grid)", Stops::Never);
}

#[test]
fn multi_phase() {
    check("balance_multi_phase", "gw::balance_multi_phase(op, scratch, grid)", Stops::Never);
}

/// Two balancers in one kernel, one after the other on the same walk, as hybrid schedules have them.
#[test]
fn two_in_one_kernel() {
    let headers = ["balance_etwc", "balance_merge_path", "balance_multi_phase", "balance_twc"];
    let header = headers.join(".cuh\"\n#include \"");
    let call = "if (round == 0) gw::balance_twc(op, scratch, grid); else gw::balance_multi_phase(op, scratch, grid)";
    check_with(&[(64, false)], &header, call, Stops::Sometimes);
    let call =
        "if (round == 0) gw::balance_etwc(op, scratch, grid, 1u << 31); else gw::balance_merge_path(op, scratch, grid)";
    check_with(&[(64, false)], &header, call, Stops::Sometimes);
}

/// The longest lists put aside, around balancers that give a vertex to a thread, a group of lanes, a warp and a block.
#[test]
fn hubs_apart() {
    let around = |least: u32, balance: &str| {
        format!("gw::balance_hubs(op, scratch, grid, {least}u, 1u << 31, [&](auto& op) {{ gw::{balance}; }})")
    };
    let all = [
        ("balance_vertex_based", "balance_vertex_based(op)"),
        ("balance_block_mapping", "balance_block_mapping(op)"),
        ("balance_warp_mapping", "balance_warp_mapping(op)"),
        ("balance_virtual_warp", "balance_virtual_warp<8>(op, 3)"),
        ("balance_local_warp_search", "balance_local_warp_search(op)"),
        ("balance_cta_warp_scan", "balance_cta_warp_scan(op)"),
        ("balance_dynamic_virtual_warp", "balance_dynamic_virtual_warp<4>(op)"),
    ];
    let taken = gw_testing::usually(2, all.len());
    for (header, balance) in &all[..taken] {
        let header = format!("balance_hubs.cuh\"\n#include \"{header}");
        check_with(&[(64, false)], &header, &around(33, balance), Stops::Sometimes);
    }
    // Every vertex is a hub.
    let header = "balance_hubs.cuh\"\n#include \"balance_warp_mapping";
    check_with(&[(64, true)], header, &around(1, "balance_warp_mapping(op)"), Stops::Sometimes);
}

/// A hub that stands in the input more often than its pieces have room: those put aside are walked by all blocks, the
/// others like other vertices, and nothing is written behind the room.
#[test]
fn hubs_repeated_beyond_the_room() {
    let hubs = "gw::balance_hubs(op, scratch, grid, 33u, 1u << 31, [&](auto& op) { gw::balance_warp_mapping(op); })";
    let etwc = "gw::balance_etwc(op, scratch, grid, 1u << 31)";
    for (header, call) in [("balance_hubs.cuh\"\n#include \"balance_warp_mapping", hubs), ("balance_etwc", etwc)] {
        let Some(mut bench) = Bench::new(header, call, Stops::Sometimes, 64, false) else { return };
        // Room for ten pieces; a hub has three.
        bench.device.release(bench.scratch);
        bench.words = SCRATCH_CONTROL + 20;
        bench.scratch = bench.device.allocate(4 * bench.words).unwrap();
        bench.device.fill(bench.scratch, 0, 4, 64).unwrap();
        let entries = (0..60).map(|i| if i % 3 == 0 { 1 } else { 0 }).collect();
        let graph = Graph::new("one hub forty times", &[20 * 64 + 5, 2], entries);
        for (grid, mode) in [(1, Mode::Gather), (3, Mode::Visit), (4, Mode::Gather)] {
            bench.run(&graph, grid, mode);
        }
    }
}
