//! Edge functions that add up common neighbours, which lanes find together: every way through that code, and the sums
//! are right.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gw_cuda::CudaVm;
use gw_device::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, Unit, Usage};
use gw_emulator::EmulatedDevice;
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Number, Results, Values};
use gw_schedule::{Family, ProgramSchedule};

/// The emulated device with some numbers of a header turned.
struct Turned {
    device: EmulatedDevice,
    numbers: &'static [(&'static str, u32)],
}

impl Device for Turned {
    fn facts(&self) -> &Facts {
        self.device.facts()
    }
    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.device.allocate(bytes)
    }
    fn release(&self, address: Address) {
        self.device.release(address);
    }
    fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.device.free_bytes()
    }
    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError> {
        self.device.upload(to, from)
    }
    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        self.device.download(to, from)
    }
    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError> {
        self.device.copy(to, from, bytes)
    }
    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError> {
        self.device.fill(to, value, bytes, count)
    }
    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError> {
        let mut source: String = self.numbers.iter().map(|(name, n)| format!("#define GW_{name} {n}u\n")).collect();
        source.push_str(&unit.source);
        self.device.compile(&Unit { source, ..unit.clone() })
    }
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.device.launch(kernel, launch, arguments)
    }
    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.device.launch_while(kernel, launch, arguments)
    }
    fn wait(&self) -> Result<(), DeviceError> {
        self.device.wait()
    }
    fn mark(&self) -> Result<Mark, DeviceError> {
        self.device.mark()
    }
    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError> {
        self.device.seconds(from, to)
    }
    fn usage(&self) -> Usage {
        self.device.usage()
    }
    fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address) {
        self.device.watch(stop, word);
    }
}

/// The program with this function and this way to apply it.
fn program(body: &str, apply: &str) -> String {
    format!(
        "element Vertex end\nelement Edge end\n\
         const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);\n\
         const vertices : vertexset{{Vertex}} = edges.getVertices();\n\
         const total : uint_64 = 0;\n\
         const sums : vector{{Vertex}}(int) = 0;\n\
         const third : vector{{Vertex}}(bool) = false;\n\
         func choose_third(v : Vertex)\n    third[v] = v - (v / 3) * 3 == 0;\nend\n\
         func in_third(v : Vertex) -> output : bool\n    output = third[v];\nend\n\
         func count(src : Vertex, dst : Vertex)\n{body}\nend\n\
         func main()\n    vertices.apply(choose_third);\n    #s1# edges{apply}.apply(count);\nend\n"
    )
}

/// Both results of a program on a device.
fn run(source: &str, direction: &str, graph: &Arc<Graph>, device: Arc<dyn Device>, together: bool) -> (u64, Vec<i32>) {
    let front = compile_front(&SourceFile::new("test.gt", source)).unwrap_or_else(|e| panic!("{source}\n{e:?}"));
    let module = gw_ir::lower(&front.typed, source).unwrap();
    let schedule: ProgramSchedule = format!("on=gpu;s1@{direction},lb=etwc;s2@intersect=combined").parse().unwrap();
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = Arc::new(gw_ir::run_pipeline(module, &schedule, &options).unwrap());
    let taken = gw_cuda::listings(&module).unwrap().iter().any(|unit| unit.source.contains("balance_intersections(op"));
    assert_eq!(taken, together, "{direction}\n{source}");
    let vm = CudaVm::on(device);
    let mut prepared = gw_exec::Program::prepare(&vm, module).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("graph", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["graph"]) };
    let result = prepared.run(&options).unwrap_or_else(|e| panic!("{direction}\n{source}\n{e}"));
    let Some(Number::Integer(total)) = Results::scalar(&result.globals, "total") else { panic!("no total") };
    let Some(Values::Int(sums)) = Results::vector(&result.globals, "sums") else { panic!("no sums") };
    (total as u64, sums.into_owned())
}

/// Common out-neighbours of u and v not above v.
fn common(graph: &Graph, u: u32, v: u32) -> u64 {
    let others = graph.out().neighbours(v);
    graph.out().neighbours(u).iter().filter(|&&x| x <= v && others.binary_search(&x).is_ok()).count() as u64
}

/// What the edges for which `wanted` holds give per end, `at` one of them, and together.
fn expected(
    graph: &Graph,
    wanted: impl Fn(u32, u32) -> bool,
    limit_is_source: bool,
    at_source: bool,
) -> (u64, Vec<i32>) {
    let mut sums = vec![0; graph.vertices()];
    let mut total = 0;
    for src in 0..graph.vertices() as u32 {
        for &dst in graph.out().neighbours(src).iter().filter(|&&dst| wanted(src, dst)) {
            let n = if limit_is_source { common(graph, dst, src) } else { common(graph, src, dst) };
            total += n;
            sums[if at_source { src } else { dst } as usize] += n as i32;
        }
    }
    (total, sums)
}

fn graph(spec: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph)
}

/// Numbers that lead every way: owners by lanes, warps and blocks; maps, ids beyond them, kept lists and lists left
/// where they are; long lists searched; more pieces than there is room for; one id at a time and several.
const NUMBERS: &[&[(&str, u32)]] = &[
    &[],
    &[("MANY_EDGES", 4), ("PIECE", 7), ("FEW_EDGES", 1), ("SHORT_LISTS", 0)],
    &[("MARK_BITS", 256), ("TAIL_IDS", 4), ("MANY_EDGES", 8), ("FEW_EDGES", 0), ("AHEAD", 1), ("LANES", 16)],
    &[("MARK_BITS", 256), ("MANY_EDGES", 8), ("PIECE", 100)],
    &[("MARK_BITS", 16384), ("MANY_EDGES", 2), ("MUCH_LONGER", 1), ("AHEAD", 3)],
    &[("MANY_EDGES", 3), ("PIECE", 5), ("MOST_PIECES", 10), ("SHORT_LISTS", 1000)],
    &[("MANY_EDGES", 100_000), ("MARK_BITS", 2048), ("MUCH_LONGER", 4)],
    &[("FEW_EDGES", 1000), ("FEW_MARKS", 1000)],
];

#[test]
fn every_way_gives_the_same_sums() {
    let body = "    if src > dst\n        #s2# total += intersectNeighbor(edges, src, dst);\n    end";
    let source = program(body, "");
    for spec in ["kron:8", "kron:7:directed", "star:400", "complete:70"] {
        let graph = graph(spec);
        let right = expected(&graph, |src, dst| src > dst, false, false).0;
        for numbers in NUMBERS {
            for direction in ["pull", "push"] {
                let Some(device) = EmulatedDevice::new() else { return };
                let (total, _) = run(&source, direction, &graph, Arc::new(Turned { device, numbers }), true);
                assert_eq!(total, right, "{spec} {direction} {numbers:?}");
            }
        }
    }
}

#[test]
fn conditions_filters_limits_and_targets_are_kept() {
    type Wanted = fn(u32, u32) -> bool;
    // Function, filters, edges that count, limit at the source, sum at the source, taken apart when pulling and
    // pushing.
    let cases: [(&str, &str, Wanted, bool, bool, bool, bool); 6] = [
        ("    #s2# sums[dst] += intersectNeighbor(edges, src, dst);", "", |_, _| true, false, false, true, false),
        ("    #s2# sums[src] += intersectNeighbor(edges, src, dst);", "", |_, _| true, false, true, false, true),
        (
            "    if dst > src\n        #s2# sums[dst] += intersectNeighbor(edges, dst, src);\n    end",
            "",
            |s, d| d > s,
            true,
            false,
            true,
            false,
        ),
        (
            "    if third[src]\n        if src < dst\n            #s2# sums[dst] += intersectNeighbor(edges, src, dst);\n        end\n    end",
            "",
            |s, d| s % 3 == 0 && s < d,
            false,
            false,
            true,
            false,
        ),
        (
            "    var apart : int = dst - src;\n    if apart > 5\n        #s2# sums[dst] += intersectNeighbor(edges, src, dst);\n    end",
            ".from(in_third).to(in_third)",
            |s, d| s % 3 == 0 && d % 3 == 0 && d > s + 5,
            false,
            false,
            true,
            false,
        ),
        // Twice the number: not a plain sum of it.
        (
            "    #s2# sums[dst] += 2 * (intersectNeighbor(edges, src, dst));",
            "",
            |_, _| true,
            false,
            false,
            false,
            false,
        ),
    ];
    // Each graph has half of the cases and one device; all in a nightly run.
    let all = gw_testing::is_nightly();
    for (half, spec) in ["kron:7", "kron:7:directed"].into_iter().enumerate() {
        let graph = graph(spec);
        for (i, (body, filters, wanted, limit, at, pulled, pushed)) in cases.iter().enumerate() {
            if !all && i % 2 != half {
                continue;
            }
            let source = program(body, filters);
            let (_, mut right) = expected(&graph, wanted, *limit, *at);
            if body.contains("2 *") {
                right.iter_mut().for_each(|n| *n *= 2);
            }
            for (direction, together) in [("pull", *pulled), ("push", *pushed)] {
                for numbers in [NUMBERS[1], NUMBERS[4]].into_iter().skip(if all { 0 } else { i / 2 % 2 }).take(if all {
                    2
                } else {
                    1
                }) {
                    let Some(device) = EmulatedDevice::new() else { return };
                    let (_, sums) = run(&source, direction, &graph, Arc::new(Turned { device, numbers }), together);
                    assert_eq!(sums, right, "case {i}, {spec} {direction} {numbers:?}");
                }
            }
        }
    }
}
