//! What it costs to read the lists of a graph that changes where they stand, beside compressed rows:
//! `cargo run --release -p gw-cpu --example changing -- THREADS GRAPH...`. Medians of runs that take turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gw_cpu::CpuVm;
use gw_dynamic::{Batch, DynamicGraph, Ends};
use gw_exec::{GraphVm, RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};

/// Runs per program and form, fewer where they take long.
const TRIES: usize = 41;
const LEAST_TRIES: usize = 7;
const ENOUGH: Duration = Duration::from_secs(8);

fn main() {
    let mut args = std::env::args().skip(1);
    let threads = args.next().and_then(|text| text.parse().ok()).unwrap_or(0);
    for spec in args {
        let graph = GraphSpec::parse(&spec).and_then(|spec| spec.load(&Silent)).unwrap().graph;
        let mut dynamic = DynamicGraph::<()>::from_graph(&graph, Ends::Undirected).unwrap();
        println!("{spec}: {} vertices, {} edges", graph.vertices(), graph.edges());
        compare("as taken over", &dynamic, threads);
        // A tenth of the edges go, and as many come, with the degrees of the graph.
        let (out, mut random) = (graph.out(), Rng::new(7, 0));
        for _ in 0..10 {
            let mut batch = Batch::new();
            let mut end = || out.targets()[random.below(out.edges() as u64) as usize];
            for _ in 0..graph.edges() / 200 {
                let (source, target) = (end(), end());
                batch.delete(source, out.neighbours(source)[target as usize % out.degree(source)]);
                if source != target {
                    batch.insert(source, target, ());
                }
            }
            dynamic.apply(&batch).unwrap();
        }
        compare("after 10 batches", &dynamic, threads);
    }
}

fn compare(state: &str, dynamic: &DynamicGraph<()>, threads: usize) {
    let snapshot = dynamic.snapshot();
    let start = Instant::now();
    let spans = Arc::new(snapshot.graph().unwrap());
    let found = start.elapsed();
    let start = Instant::now();
    let rows = Arc::new(snapshot.to_graph().unwrap());
    println!("{state}: lists found in {found:.1?}, copied in {:.1?}", start.elapsed());
    for name in ["bfs", "pagerank", "cc", "tc"] {
        let vm = CpuVm::new(threads);
        let [mut on_rows, mut on_spans] = [&rows, &spans].map(|graph| Job::new(name, &vm, graph));
        let mut times = [Vec::new(), Vec::new()];
        let start = Instant::now();
        while times[0].len() < LEAST_TRIES || times[0].len() < TRIES && start.elapsed() < ENOUGH {
            times[0].push(on_rows.seconds());
            times[1].push(on_spans.seconds());
        }
        let [a, b] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!("{name:10} rows {:8.3} ms, spans {:8.3} ms, ratio {:.2}", a * 1e3, b * 1e3, b / a);
    }
}

/// A program that is ready to run on a graph.
struct Job {
    program: gw_exec::Program,
    options: RunOptions,
}

impl Job {
    /// Compiled, and run twice.
    fn new(name: &str, vm: &CpuVm, graph: &Arc<Graph>) -> Job {
        let program = gw_programs::find(name).unwrap();
        let front = compile_front(&SourceFile::new(program.file, program.source)).ok().unwrap();
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let (module, choice) = vm.choose(module, graph);
        let module = gw_ir::run_pipeline(module, &choice.schedule, &gw_ir::Options::default()).unwrap();
        let graphs = SpecGraphs::new();
        graphs.insert("graph", Arc::clone(graph));
        let args = gw_programs::example_args(program, "graph", graph);
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) };
        let program = gw_exec::Program::prepare(vm, Arc::new(module)).unwrap();
        let mut job = Job { program, options };
        for _ in 0..2 {
            job.seconds();
        }
        job
    }

    fn seconds(&mut self) -> f64 {
        let start = Instant::now();
        self.program.run(&self.options).unwrap();
        start.elapsed().as_secs_f64()
    }
}
