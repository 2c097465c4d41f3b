//! The Swarm evaluation of the thesis on graphs and caches that are scaled down.
//!
//! `cargo run --release -p gw-swarm --example evaluation PART` prints a part of `bench/swarm-evaluation.md`:
//!
//! - `curves` and `hinted`: speedups without and with hints; a folder as second argument gets a page of stacked bars
//!   per program and graph
//! - `larger`: speedups on graphs and caches four times as large
//! - `causes`: why tasks abort
//! - `caches`: without caches that grow with the cores
//! - `delta`: widths of buckets
//! - `schedules`: tasks of vertices and of edges, hints, coarsening, barriers
//! - `speed`: of the simulator itself
//! - `run PROGRAM GRAPH SCHEDULE CORES [PARAMETERS]`: one run, with parameters as in a file, separated by `;`
//!
//! Simulations share the cores of the host; cycles do not depend on that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Run, example_args};
use gw_schedule::{Family, ProgramSchedule};
use gw_swarm::sim::config::Config;
use gw_swarm::{Report, SwarmVm, page};

/// A road-like and a social-like graph for curves; smaller ones where there are many runs, or a run does much.
const LARGE: [(&str, &str); 2] = [("road", "road:128x128:weights=1..100"), ("social", "kron:13:weights=1..64")];
const SMALL: [(&str, &str); 2] = [("road", "road:64x64:weights=1..100"), ("social", "kron:11:weights=1..64")];
const LARGER: [(&str, &str); 2] = [("road", "road:256x256:weights=1..100"), ("social", "kron:15:weights=1..64")];
const CORES: [usize; 5] = [1, 4, 16, 64, 256];
/// A setting: tasks of edges with hints.
const HINTED: &str = "lb=edge-based,hint=on";
const PROGRAMS: [&str; 5] = ["bfs", "sssp-delta", "cc", "pagerank", "bc"];

/// Caches for graphs of some ten thousand vertices: those of the thesis divided by 16 (L1) and 32.
fn scaled(cores: usize) -> Config {
    Config { cores, l1_bytes: 1 << 10, l2_bytes_per_core: 2 << 10, llc_bytes_per_core: 8 << 10, ..Config::default() }
}

/// A setting of the edge operators of a program.
fn on_edges(program: &str, setting: &str) -> String {
    match (setting, program) {
        ("", _) => "default".to_string(),
        (_, "bc") => format!("s0:s1@{setting};s2:s3@{setting}"),
        _ => format!("s0:s1@{setting}"),
    }
}

/// A loop with a barrier after every operator.
fn with_barriers(program: &str, setting: &str) -> String {
    let loops = if program == "pagerank" { "" } else { "s0@queue=unordered;" };
    format!("{loops}{}", on_edges(program, setting)).trim_end_matches(";default").to_string()
}

struct Case {
    graph: Arc<Graph>,
    spec: String,
}

/// A run and how long a core of the host took for it.
struct Outcome {
    report: Report,
    seconds: f64,
}

impl Outcome {
    fn cycles(&self) -> u64 {
        self.report.stats.cycles
    }

    fn aborted(&self) -> f64 {
        let cores = &self.report.stats.cores;
        cores.aborted as f64 * 100.0 / cores.total().max(1) as f64
    }

    fn near_hits(&self) -> f64 {
        let memory = &self.report.stats.memory;
        (memory.l1_hits + memory.l2_hits) as f64 * 100.0 / memory.accesses.max(1) as f64
    }
}

impl Case {
    fn new(spec: &str) -> Case {
        let graph = GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).expect("a graph").graph;
        Case { graph: Arc::new(graph), spec: spec.to_string() }
    }

    /// Runs a program under a schedule and validates the result.
    fn run(&self, program: &str, schedule: &str, config: Config) -> Outcome {
        let program = gw_programs::find(program).expect("a standard program");
        let machine = SwarmVm::new(config).expect("a machine");
        let mut schedule: ProgramSchedule = schedule.parse().expect("a schedule");
        schedule.set_family(Some(Family::Swarm));
        let file = SourceFile::new(program.file, program.source);
        let Ok(front) = compile_front(&file) else { panic!("{} does not compile", program.name) };
        let module = gw_ir::lower(&front.typed, program.source).expect("lowering");
        let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).expect("passes");
        let mut prepared = gw_exec::Program::prepare(&machine, Arc::new(module)).expect("a program");
        let mut args = example_args(program, &self.spec, &self.graph);
        if program.name == "pagerank" {
            args = vec![args[0].clone(), "3".to_string(), "0".to_string()];
        }
        let graphs = SpecGraphs::new();
        graphs.insert(&args[0], Arc::clone(&self.graph));
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
        let start = processor_seconds();
        let result = prepared.run(&options).expect("a run");
        let seconds = processor_seconds() - start;
        let run = Run { graph: &self.graph, args: &args, results: &result.globals };
        // Three rounds of PageRank are not the fixed point that the validator asks for.
        if program.name != "pagerank" {
            program.validate(&run).expect("a right result");
        }
        Outcome { report: machine.last_report(), seconds }
    }
}

/// Seconds that this thread has been running: what others do on the host does not count. Where the system does not
/// tell, seconds of the clock.
fn processor_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |n| n * 1e-9)
}

/// One of the runs of a table.
type Job<'a> = Box<dyn Fn() -> Outcome + Send + Sync + 'a>;

/// Carries out jobs on all cores of the host; the results are in the order of the jobs.
fn all(jobs: &[Job<'_>]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Outcome)>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((at, job)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
                {
                    let outcome = job();
                    done.lock().expect("no run panicked").push((at, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no run panicked");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// A row of runs by cores.
fn by_cores(name: &str, outcomes: &[Outcome]) {
    let first = outcomes[0].cycles() as f64;
    let cells: Vec<String> =
        outcomes[1..].iter().map(|o| format!("{:.2} ({:.0} %)", first / o.cycles() as f64, o.aborted())).collect();
    println!("| {name} | {} | {} |", outcomes[0].cycles(), cells.join(" | "));
}

fn header(title: &str) {
    println!(
        "\n| {title} | cycles on 1 core | {} |",
        CORES[1..].iter().map(|c| format!("{c} cores")).collect::<Vec<_>>().join(" | ")
    );
    println!("|---|---|{}", "---|".repeat(CORES.len() - 1));
}

/// A row of a program under a schedule by cores.
fn row(name: &str, program: &str, case: &Case, schedule: &str, change: Change) -> Vec<Outcome> {
    let run = |cores| move || case.run(program, schedule, change(scaled(cores)));
    let outcomes = all(&CORES.map(|cores| Box::new(run(cores)) as Job<'_>));
    by_cores(name, &outcomes);
    outcomes
}

fn curves(large: &[(&str, Case)], small: &[(&str, Case)], setting: &str, folder: Option<&String>) {
    header(&format!("speedup over one core (cycles aborted) with `{setting}`"));
    for program in PROGRAMS {
        // Label propagation takes as many rounds as the graph is wide.
        for (kind, case) in if program == "cc" { small } else { large } {
            let outcomes = row(&format!("{program} {kind}"), program, case, &on_edges(program, setting), |c| c);
            if let Some(folder) = folder {
                let reports: Vec<Report> = outcomes.into_iter().map(|o| o.report).collect();
                let text = page::page(&format!("{program} on {}", case.spec), &reports);
                std::fs::write(format!("{folder}/{program}-{kind}.html"), text).expect("a page");
            }
        }
    }
}

/// The schedule of a program.
type Schedules<'a> = &'a dyn Fn(&str) -> String;

/// Another machine made of one.
type Change = fn(Config) -> Config;

/// A table of SSSP runs on 64 cores by schedule and change of the machine.
fn table(cases: &[(&str, Case)], programs: &[&str], rows: &[(&str, Schedules<'_>, Change)]) {
    let columns: Vec<(&str, &str, &Case)> =
        programs.iter().flat_map(|&p| cases.iter().map(move |(kind, case)| (p, *kind, case))).collect();
    let titles: Vec<String> = columns.iter().map(|(program, kind, _)| format!("{program} {kind}")).collect();
    println!("\n| cycles on 64 cores (aborted, hits in L1 and L2) | {} |", titles.join(" | "));
    println!("|---|{}", "---|".repeat(columns.len()));
    for (name, schedule, change) in rows {
        let jobs: Vec<Job<'_>> = columns
            .iter()
            .map(|&(program, _, case)| {
                let (schedule, change) = (schedule(program), *change);
                Box::new(move || case.run(program, &schedule, change(scaled(64)))) as Job<'_>
            })
            .collect();
        let cells: Vec<String> = all(&jobs)
            .iter()
            .map(|o| format!("{} ({:.0} %, {:.0} %)", o.cycles(), o.aborted(), o.near_hits()))
            .collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
}

/// One run, as `run PROGRAM GRAPH SCHEDULE CORES [PARAMETERS]` says.
fn run_one(args: &[String]) {
    let [_, program, spec, schedule, cores, rest @ ..] = args else {
        panic!("run PROGRAM GRAPH SCHEDULE CORES [PARAMETERS]")
    };
    let parameters = rest.first().map_or(String::new(), |text| text.replace(';', "\n"));
    let base = scaled(cores.parse().expect("a number of cores"));
    let mut table: toml::Table = toml::Table::try_from(&base).expect("parameters");
    table.extend(parameters.parse::<toml::Table>().expect("parameters as in a file"));
    let outcome = Case::new(spec).run(program, schedule, table.try_into().expect("parameters"));
    let million = outcome.report.stats.instructions as f64 / outcome.seconds / 1e6;
    print!("{}", outcome.report.in_words());
    println!("  host      {:.2} s, {million:.2} million task instructions per second", outcome.seconds);
}

/// Speedups on graphs and caches four times as large.
fn larger() {
    header("speedup over one core (cycles aborted) with `lb=edge-based` and caches four times as large");
    for (kind, case) in LARGER.map(|(kind, spec)| (kind, Case::new(spec))) {
        for program in ["bfs", "sssp-delta", "pagerank"] {
            row(&format!("{program} {kind}"), program, &case, &on_edges(program, "lb=edge-based"), |c| Config {
                l1_bytes: 4 * c.l1_bytes,
                l2_bytes_per_core: 4 * c.l2_bytes_per_core,
                llc_bytes_per_core: 4 * c.llc_bytes_per_core,
                ..c
            });
        }
    }
}

/// Speedups with caches that do not grow with the cores, and without caches.
fn caches(large: &[(&str, Case)]) {
    header("SSSP, tasks of edges with hints");
    for (kind, case) in large {
        let changes: [(&str, Change); 3] = [
            ("caches grow with the cores", |c| c),
            ("caches of 256 cores", |c| Config { fixed_cache_cores: 256, ..c }),
            ("no caches", |c| Config { flat_memory: true, ..c }),
        ];
        for (name, change) in changes {
            row(&format!("{kind}, {name}"), "sssp-delta", case, &on_edges("sssp-delta", HINTED), change);
        }
    }
}

/// Runs by widths of buckets.
fn deltas(large: &[(&str, Case)]) {
    println!(
        "\n| SSSP on 64 cores: cycles (aborted) by bucket width | 1 | 4 | 16 | 64 | 256 |\n|---|---|---|---|---|---|"
    );
    for (kind, case) in large {
        let run =
            |delta| move || case.run("sssp-delta", &format!("s0:s1@lb=edge-based,hint=on,delta={delta}"), scaled(64));
        let jobs: Vec<Job<'_>> = [1, 4, 16, 64, 256].map(|delta| Box::new(run(delta)) as Job<'_>).into();
        let cells: Vec<String> = all(&jobs).iter().map(|o| format!("{} ({:.0} %)", o.cycles(), o.aborted())).collect();
        println!("| {kind} | {} |", cells.join(" | "));
    }
}

/// The speed of the simulator itself.
fn speed(small: &[(&str, Case)]) {
    println!(
        "\n| one simulation on one core of the host | seconds | million task instructions a second |\n|---|---|---|"
    );
    for program in PROGRAMS {
        for (kind, case) in small {
            for cores in [1, 64] {
                let outcome = case.run(program, &on_edges(program, HINTED), scaled(cores));
                let million = outcome.report.stats.instructions as f64 / outcome.seconds / 1e6;
                println!("| {program} {kind}, {cores} cores | {:.2} | {million:.1} |", outcome.seconds);
            }
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let part = args.first().map_or("", String::as_str);
    if part == "run" {
        return run_one(&args);
    }
    let [large, small] = [LARGE, SMALL].map(|graphs| graphs.map(|(kind, spec)| (kind, Case::new(spec))));
    for (kind, case) in large.iter().chain(&small) {
        println!("- {kind}: `{}`, {} vertices, {} edges", case.spec, case.graph.vertices(), case.graph.edges());
    }
    let edges = |program: &str| on_edges(program, HINTED);
    let vertices = |program: &str| on_edges(program, "");
    match part {
        "curves" => curves(&large, &small, "lb=edge-based", args.get(1)),
        "hinted" => curves(&large, &small, HINTED, args.get(1)),
        "larger" => larger(),
        "causes" => table(
            &small,
            &["bfs", "sssp-delta"],
            &[
                ("tasks of vertices", &vertices, |c| c),
                ("tasks of vertices, conflicts by 4 bytes", &vertices, |c| Config { conflict_bytes: 4, ..c }),
                ("tasks of edges", &|p| on_edges(p, "lb=edge-based"), |c| c),
                ("tasks of edges with hints", &edges, |c| c),
                ("same, equal hints run side by side", &edges, |c| Config { serialize_hints: false, ..c }),
                ("same, conflicts by 4 bytes", &edges, |c| Config { conflict_bytes: 4, ..c }),
                ("same, commit queue of 4 per core", &edges, |c| Config { commit_queue_per_core: 4, ..c }),
            ],
        ),
        "caches" => caches(&large),
        "delta" => deltas(&large),
        "schedules" => table(
            &small,
            &PROGRAMS,
            &[
                ("tasks of vertices", &vertices, |c| c),
                ("tasks of vertices, hints", &|p| on_edges(p, "hint=on"), |c| c),
                ("tasks of edges", &|p| on_edges(p, "lb=edge-based"), |c| c),
                ("tasks of edges, hints", &edges, |c| c),
                ("tasks of edges, coarse", &|p| on_edges(p, "lb=edge-based,coarsen=on"), |c| c),
                ("tasks of edges, coarse, hints", &|p| on_edges(p, "lb=edge-based,coarsen=on,hint=on"), |c| c),
                ("barriers, tasks of vertices", &|p| with_barriers(p, ""), |c| c),
                ("barriers, tasks of edges, hints", &|p| with_barriers(p, "lb=edge-based,hint=on"), |c| c),
                ("barriers, coarse", &|p| with_barriers(p, "coarsen=on"), |c| c),
                ("barriers, stride", &|p| with_barriers(p, "stride=on"), |c| c),
            ],
        ),
        "speed" => speed(&small),
        other => {
            panic!("there is no part `{other}`: curves, hinted, larger, causes, caches, delta, schedules, speed, run")
        }
    }
}
