//! Graphs that change on a GPU: updates per second against the size of batches, memory, and programs on lists in blocks
//! beside compressed rows. Prints tables in markdown; the exit code is 1 where a result was wrong or a step failed.
//!
//! `cargo run --release -p gw-cuda --example gpu_updates -- [--seconds N] [--most N] [--emulated] [GRAPH...]`
//!
//! `--seconds` bounds the whole run (a step that has begun is finished), `--most` the largest batch, `--emulated` runs
//! on the emulated GPU of the tests, where only what is right counts, not its time.

use std::error::Error;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gw_cuda::{CudaVm, DeviceLists, EdgeChanges};
use gw_device::nvidia::NvidiaDevice;
use gw_device::{Buffer, Device};
use gw_dynamic::{Batch, DynamicGraph, Ends};
use gw_emulator::EmulatedDevice;
use gw_exec::{EdgeChange, GraphVm, RunOptions, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use rayon::prelude::*;

type Outcome<T> = Result<T, Box<dyn Error>>;

const GRAPHS: [&str; 3] = ["kron:21", "urand:21", "road:2000x2000"];
const PROGRAMS: [&str; 5] = ["bfs-levels", "pagerank", "cc", "tc", "triangles"];

/// Tries of a cell of a table: enough for a median, in this time where that allows for three.
const TRIES: usize = 15;
const CELL: Duration = Duration::from_millis(400);

/// Adds the place to an error.
trait At<T> {
    fn at(self, place: impl Display) -> Outcome<T>;
}

impl<T, E: Display> At<T> for Result<T, E> {
    fn at(self, place: impl Display) -> Outcome<T> {
        self.map_err(|error| format!("{place}: {error}").into())
    }
}

struct Options {
    end: Instant,
    most: usize,
    emulated: bool,
    graphs: Vec<String>,
}

impl Options {
    fn read() -> Outcome<Options> {
        let (mut seconds, mut most, mut emulated, mut graphs) = (600.0, 10_000_000, false, Vec::new());
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|text| text.parse::<f64>().ok()).filter(|&n| n > 0.0);
            match word.as_str() {
                "--seconds" => seconds = number().ok_or("--seconds wants a number above 0")?,
                "--most" => most = number().ok_or("--most wants a number above 0")? as usize,
                "--emulated" => emulated = true,
                _ if word.starts_with('-') => return Err(format!("unknown option {word}").into()),
                _ => graphs.push(word),
            }
        }
        if graphs.is_empty() {
            graphs = GRAPHS.map(str::to_string).to_vec();
        }
        Ok(Options { end: Instant::now() + Duration::from_secs_f64(seconds), most, emulated, graphs })
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}

fn main() -> Outcome<()> {
    let options = Options::read()?;
    let device: Arc<dyn Device> = match options.emulated {
        true => Arc::new(EmulatedDevice::open().at("the emulated device")?),
        false => Arc::new(NvidiaDevice::open().at("opening the GPU")?),
    };
    let facts = device.facts();
    println!("# Graphs that change on {}\n", facts.name);
    println!(
        "{} processors, {:.0} GB/s, CUDA {}, {}",
        facts.processors,
        facts.bandwidth / 1e9,
        facts.driver,
        facts.compiler
    );
    let mut problems = Vec::new();
    for spec in &options.graphs {
        if options.is_over() {
            problems.push(format!("{spec}: left out, the time is over"));
        } else if let Err(problem) = measure(&options, &device, spec) {
            problems.push(format!("{spec}: {problem}"));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("\n").into()),
    }
}

fn measure(options: &Options, device: &Arc<dyn Device>, spec: &str) -> Outcome<()> {
    let graph = Arc::new(GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).at("the graph")?.graph);
    println!("\n## {spec}: {} vertices, {} edges\n", graph.vertices(), graph.edges());
    check(device, &graph)?;
    updates(options, device, &graph)?;
    if options.is_over() {
        return Err("programs are left out, the time is over".into());
    }
    programs(options, device, &graph)
}

/// How the ends of new edges are drawn.
#[derive(Clone, Copy)]
enum Draw {
    /// All vertices alike.
    Uniform,
    /// As often as they are ends of edges, so that hubs get most.
    ByDegree,
}

impl Draw {
    fn name(self) -> &'static str {
        match self {
            Draw::Uniform => "uniform",
            Draw::ByDegree => "by degree",
        }
    }

    fn edges(self, graph: &Graph, count: usize, seed: u64) -> Vec<(u32, u32)> {
        const PART: usize = 1 << 14;
        let (out, targets) = (graph.out(), graph.out().targets());
        let end = |random: &mut Rng| match self {
            Draw::ByDegree if !targets.is_empty() => targets[random.below(targets.len() as u64) as usize],
            _ => random.below(out.vertices() as u64) as u32,
        };
        let part = |at: usize| {
            let mut random = Rng::new(seed, at as u64);
            let count = PART.min(count - at * PART);
            (0..count).map(|_| (end(&mut random), end(&mut random))).collect::<Vec<_>>()
        };
        (0..count.div_ceil(PART)).into_par_iter().flat_map_iter(part).collect()
    }
}

fn keys_of(edges: &[(u32, u32)], deletes: bool) -> Vec<u8> {
    let key = |&(source, target): &(u32, u32)| EdgeChanges::key(source, target, deletes).to_ne_bytes();
    edges.par_iter().flat_map_iter(key).collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A batch of insertions and deletions does to the lists what it does to a set of edges on the host: all lists that it
/// changes are compared, up to two thousand of them.
fn check(device: &Arc<dyn Device>, graph: &Arc<Graph>) -> Outcome<()> {
    let count = (graph.edges() / 4 + 10).min(200_000);
    let mut lists = DeviceLists::from_adjacency(device, graph.out(), false).at("lists on the device")?;
    let mut host = DynamicGraph::<()>::from_graph(graph, Ends::Directed).at("lists on the host")?;
    for (seed, draw) in [(1, Draw::Uniform), (2, Draw::ByDegree)] {
        let (mut changes, mut batch) = (EdgeChanges::default(), Batch::new());
        let mut random = Rng::new(seed, 99);
        for (source, target) in draw.edges(graph, count, seed) {
            let list = graph.out().neighbours(source);
            if random.below(2) == 0 && !list.is_empty() {
                let target = list[random.below(list.len() as u64) as usize];
                changes.delete(source, target);
                batch.delete(source, target);
            } else {
                changes.insert(source, target, 0);
                batch.insert(source, target, ());
            }
        }
        let did = lists.apply(&changes).at("a mixed batch")?;
        let expected = host.apply(&batch).at("the batch on the host")?;
        if (did.inserted, did.deleted) != (expected.inserted as u64, expected.deleted as u64) {
            let (inserted, deleted) = (expected.inserted, expected.deleted);
            return Err(format!("{did:?}, but on the host {inserted} came and {deleted} went").into());
        }
        let snapshot = host.snapshot();
        let mut sources: Vec<u32> = batch.changes().iter().map(|change| change.0).collect();
        sources.sort_unstable();
        sources.dedup();
        let step = sources.len() / 2000 + 1;
        for &source in sources.iter().step_by(step) {
            if lists.list(source).at("reading a list")? != snapshot.neighbours(source) {
                return Err(format!("list {source} is wrong after a mixed batch, {}", draw.name()).into());
            }
        }
    }
    println!("Two batches of {count} mixed changes gave the same lists as on the host.\n");
    Ok(())
}

fn updates(options: &Options, device: &Arc<dyn Device>, graph: &Arc<Graph>) -> Outcome<()> {
    let start = Instant::now();
    let mut lists = DeviceLists::from_adjacency(device, graph.out(), false).at("lists on the device")?;
    device.wait().at("waiting for the lists")?;
    let taken_over = start.elapsed();
    // The first batch compiles kernels and gets room.
    let mut warm = EdgeChanges::default();
    warm.insert(0, 0, 0).delete(0, 0);
    lists.apply(&warm).at("the first batch")?;
    let rows = 4.0 * (graph.vertices() + 1 + graph.edges()) as f64;
    let memory = lists.occupancy();
    println!(
        "Taken over in {:.1} ms; {:.2} slots per edge, {:.2} times the bytes of compressed rows.\n",
        taken_over.as_secs_f64() * 1e3,
        memory.slots as f64 / memory.edges.max(1) as f64,
        memory.bytes as f64 / rows
    );
    println!(
        "| ends | changes | insert, M/s | delete, M/s | insert, us | delete, us | sort, us | insert from host, M/s | came | slots per edge |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let sizes = (0..8).map(|power| 10usize.pow(power)).filter(|&size| size <= options.most);
    for (draw, size) in
        [Draw::Uniform, Draw::ByDegree].into_iter().flat_map(|draw| sizes.clone().map(move |n| (draw, n)))
    {
        if options.is_over() {
            println!("\nThe time is over.");
            return Ok(());
        }
        let place = |what: &str| format!("{what} {size} changes, {}", draw.name());
        let edges = draw.edges(graph, size, 17 + size as u64);
        let resident = |deletes: bool| Buffer::with(device, &keys_of(&edges, deletes)).at(place("sending"));
        let (insert, delete) = (resident(false)?, resident(true)?);
        let mut changes = EdgeChanges::default();
        for &(source, target) in &edges {
            changes.insert(source, target, 0);
        }
        // Edges that are there already go first, so that every try does the same; room is made for both.
        lists.apply_resident(&insert, None, size).at(place("inserting"))?;
        lists.apply_resident(&delete, None, size).at(place("deleting"))?;
        let [mut ins, mut del, mut from_host, mut sorts] = [const { Vec::new() }; 4];
        let (begin, mut came, mut slots) = (Instant::now(), 0, 0.0);
        while ins.len() < 3 || (begin.elapsed() < CELL && ins.len() < TRIES) {
            let mut timed = |keys: &Buffer, times: &mut Vec<f64>| -> Outcome<u64> {
                device.wait().at(place("waiting before"))?;
                let start = Instant::now();
                let did = lists.apply_resident(keys, None, size).at(place("applying"))?;
                times.push(start.elapsed().as_secs_f64());
                Ok(did.inserted.max(did.deleted))
            };
            came = timed(&insert, &mut ins)?;
            let went = timed(&delete, &mut del)?;
            if came != went {
                return Err(format!("{}: {came} edges came and {went} went", place("applying")).into());
            }
            device.wait().at(place("waiting before"))?;
            let start = Instant::now();
            lists.apply(&changes).at(place("applying from the host"))?;
            from_host.push(start.elapsed().as_secs_f64());
            let memory = lists.occupancy();
            slots = memory.slots as f64 / memory.edges.max(1) as f64;
            sorts.push(lists.sort_seconds(&delete, size).at(place("sorting"))?);
            lists.apply_resident(&delete, None, size).at(place("deleting"))?;
        }
        let rate = |seconds: f64| size as f64 / seconds / 1e6;
        let [ins, del, from_host, sort] = [ins, del, from_host, sorts].map(median);
        println!(
            "| {} | {size} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.2} | {came} | {slots:.2} |",
            draw.name(),
            rate(ins),
            rate(del),
            ins * 1e6,
            del * 1e6,
            sort * 1e6,
            rate(from_host),
        );
    }
    Ok(())
}

/// A program that is ready to run on a graph, and its results.
struct Job {
    program: gw_exec::Program,
    options: RunOptions,
}

impl Job {
    fn new(name: &str, vm: &CudaVm, graph: &Arc<Graph>) -> Outcome<Job> {
        let program = gw_programs::find(name)?;
        let front = compile_front(&SourceFile::new(program.file, program.source)).map_err(|_| "does not compile")?;
        let module = gw_ir::lower(&front.typed, program.source)?;
        let (module, choice) = vm.choose(module, graph);
        let options = gw_ir::Options { family: Some(vm.family()), ..gw_ir::Options::default() };
        let module = gw_ir::run_pipeline(module, &choice.schedule, &options)?;
        let graphs = SpecGraphs::new();
        graphs.insert("graph", Arc::clone(graph));
        let args = gw_programs::example_args(program, "graph", graph);
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) };
        Ok(Job { program: gw_exec::Program::prepare(vm, Arc::new(module))?, options })
    }

    /// Seconds of `main` by the clock of the device.
    fn seconds(&mut self) -> Outcome<f64> {
        let result = self.program.run(&self.options)?;
        Ok(result.device_seconds.unwrap_or(result.seconds))
    }

    fn results(&mut self) -> Outcome<Vec<(String, Vec<f64>)>> {
        let result = self.program.run(&self.options)?;
        let numbers = |value: &Value| match value {
            Value::Vector(vector) => vector.to_f64(),
            value => value.bits().into_iter().map(|bits| bits as f64).collect(),
        };
        Ok(result.globals.iter().map(|(name, value)| (name.to_string(), numbers(value))).collect())
    }
}

/// The first result that differs by more than rounding.
fn difference(one: &[(String, Vec<f64>)], other: &[(String, Vec<f64>)]) -> Option<String> {
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-5 * (a.abs() + b.abs());
    let differs = |a: &[f64], b: &[f64]| a.len() != b.len() || a.iter().zip(b).any(|(&a, &b)| !near(a, b));
    one.iter().zip(other).find(|(a, b)| differs(&a.1, &b.1)).map(|(a, _)| a.0.clone())
}

fn programs(options: &Options, device: &Arc<dyn Device>, graph: &Arc<Graph>) -> Outcome<()> {
    let vm = CudaVm::on(Arc::clone(device));
    let ends = if graph.is_symmetric() { Ends::Undirected } else { Ends::DirectedBoth };
    let mut host = DynamicGraph::<()>::from_graph(graph, ends).at("lists on the host")?;
    let mut spans = Arc::new(host.snapshot().graph()?);
    Job::new("bfs-levels", &vm, &spans).and_then(|mut job| job.seconds()).at("a search before the changes")?;
    // A twentieth of the edges change, in ten batches that the device follows.
    let (mut applying, mut following) = (Vec::new(), Vec::new());
    for number in 0..10 {
        let count = graph.edges() / 200 + 1;
        let mut batch = Batch::new();
        let mut random = Rng::new(number, 5);
        for (source, target) in Draw::ByDegree.edges(graph, count, 1000 + number) {
            let list = graph.out().neighbours(source);
            match random.below(2) {
                0 if !list.is_empty() => batch.delete(source, list[random.below(list.len() as u64) as usize]),
                _ if source == target => continue,
                _ => batch.insert(source, target, ()),
            };
        }
        let before = spans.out().id();
        drop(spans);
        let start = Instant::now();
        let changes = host.apply(&batch).at("a batch on the host")?.changes;
        applying.push(start.elapsed().as_secs_f64());
        spans = Arc::new(host.snapshot().graph()?);
        let change = |edge: &gw_dynamic::ChangedEdge<()>| EdgeChange {
            source: edge.source,
            target: edge.target,
            weight: edge.new_bits(),
        };
        let start = Instant::now();
        if !vm.follow(before, &spans, &mut changes.iter().map(change)).at("following a batch")? {
            return Err(format!("the device did not follow batch {number}").into());
        }
        following.push(start.elapsed().as_secs_f64());
    }
    let rows = Arc::new(host.snapshot().to_graph()?);
    println!(
        "\nTen batches of {} changes: {:.2} ms each on the host, {:.2} ms on the device, sent and applied.\n",
        graph.edges() / 200 + 1,
        median(applying) * 1e3,
        median(following) * 1e3
    );
    println!("| program | compressed rows, ms | lists in blocks, ms | ratio | results |");
    println!("|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for name in PROGRAMS {
        if options.is_over() {
            println!("\nThe time is over.");
            break;
        }
        if gw_programs::find(name).is_ok_and(|program| !program.suits(&rows)) {
            println!("| {name} | | | | not for this graph |");
            continue;
        }
        let (mut on_rows, mut on_spans) = (Job::new(name, &vm, &rows).at(name)?, Job::new(name, &vm, &spans).at(name)?);
        let (expected, found) = (on_rows.results().at(name)?, on_spans.results().at(name)?);
        let differs = difference(&expected, &found);
        let mut times = [Vec::new(), Vec::new()];
        let begin = Instant::now();
        while times[0].len() < 3 || (begin.elapsed() < 4 * CELL && times[0].len() < 3 * TRIES) {
            times[0].push(on_rows.seconds().at(name)?);
            times[1].push(on_spans.seconds().at(name)?);
        }
        let [rows, spans] = times.map(median);
        let same = differs.as_ref().map_or("the same".to_string(), |name| format!("{name} DIFFERS"));
        println!("| {name} | {:.3} | {:.3} | {:.2} | {same} |", rows * 1e3, spans * 1e3, spans / rows);
        wrong.extend(differs.map(|vector| format!("{name}: {vector} differs")));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join(", ").into()),
    }
}
