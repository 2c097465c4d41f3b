//! Programs on graphs that change: lists read where they stand give what their copy in compressed rows gives.

use std::collections::BTreeSet;
use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_dynamic::{Batch, DynamicGraph, EdgeWeight, Ends};
use gw_exec::{GraphVm, ReferenceVm, RunOptions, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec, Spans};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, find, programs};
use gw_schedule::ProgramSchedule;
use proptest::prelude::*;

/// A graph that has changed, in both forms.
struct Changed {
    /// Lists where they stand.
    spans: Arc<Graph>,
    /// Their copy.
    rows: Arc<Graph>,
}

impl Changed {
    fn of<W: EdgeWeight>(graph: &DynamicGraph<W>) -> Changed {
        let snapshot = graph.snapshot();
        Changed { spans: Arc::new(snapshot.graph().unwrap()), rows: Arc::new(snapshot.to_graph().unwrap()) }
    }

    /// Edges of a graph and random batches behind them, one of them beside a reader.
    fn from_spec<W: EdgeWeight>(spec: &str, ends: Ends, weight: impl Fn(u64) -> W) -> Changed {
        let graph = GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph;
        let mut dynamic = DynamicGraph::<W>::from_graph(&graph, ends).unwrap();
        let (vertices, mut random) = (graph.vertices() as u64, Rng::new(graph.edges() as u64, 0));
        let mut reader = None;
        for round in 0..4 {
            let mut batch = Batch::new();
            for _ in 0..graph.edges() / 8 + 4 {
                let [source, target] = [0; 2].map(|_| random.below(vertices) as u32);
                let list = dynamic.snapshot();
                let list = list.neighbours(source);
                match random.below(2) {
                    0 if !list.is_empty() => batch.delete(source, list[random.below(list.len() as u64) as usize]),
                    // Many programs want no loops.
                    _ if source == target => continue,
                    _ => batch.insert(source, target, weight(random.below(20) + 1)),
                };
            }
            reader = reader.or((round == 1).then(|| Changed::of(&dynamic).spans));
            dynamic.apply(&batch).unwrap();
        }
        Changed::of(&dynamic)
    }

    /// The same lists in slots of which there might be more than 2^32, so that ranges are 64 bits wide.
    fn widened(&self) -> Changed {
        let out = self.rows.out();
        let lists: Vec<(usize, usize)> = (0..out.vertices() as u32)
            .rev()
            .scan(0, |at, v| Some((std::mem::replace(at, *at + out.degree(v) + 3), out.degree(v))))
            .collect();
        let (mut targets, mut weights) = (vec![u32::MAX; out.edges() + 3 * lists.len()], Vec::new());
        weights.resize(targets.len(), i32::MIN);
        for (v, &(begin, len)) in lists.iter().rev().enumerate() {
            targets[begin..begin + len].copy_from_slice(out.neighbours(v as u32));
            weights[begin..begin + len].copy_from_slice(out.weights_of(v as u32));
        }
        let slots = std::ptr::slice_from_raw_parts(targets.as_ptr(), 1 << 33);
        let values = std::ptr::slice_from_raw_parts(weights.as_ptr(), 1 << 33);
        let list = |v: u32| lists[lists.len() - 1 - v as usize];
        // SAFETY: all lists lie at the beginning of the slots, in vectors that nobody changes and the spans hold.
        let spans = unsafe { Spans::new(lists.len(), list, slots, values, Box::new((targets, weights))) };
        let graph = Graph::from_spans(spans, None, self.rows.is_symmetric());
        Changed { spans: Arc::new(graph), rows: Arc::clone(&self.rows) }
    }

    fn is_copied(&self) -> bool {
        self.spans.derived().iter().any(|form| form.name.starts_with("compressed copy"))
    }
}

/// The globals of a run; with `valid`, a validator has looked at them.
fn run(
    program: &Program,
    schedule: &Option<ProgramSchedule>,
    (graph, rows): (&Arc<Graph>, &Arc<Graph>),
    vm: &dyn GraphVm,
    valid: bool,
) -> Result<Vec<(String, Vec<u64>)>, String> {
    let text = program.example_text();
    let front = compile_front(&SourceFile::new(program.file, &*text).with_weights(program.usual_weights()))
        .map_err(|_| "does not compile")?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let schedule = schedule.clone().or(front.schedule).unwrap_or_default();
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    let mut prepared = gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())?;
    let args = example_args(program, "changing", rows);
    let graphs = SpecGraphs::new();
    graphs.insert("changing", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
    let result = prepared.run(&options).map_err(|e| e.to_string())?;
    if valid {
        let run = Run { graph: rows, args: &args, results: &result.globals };
        program.validate(&run).map_err(|e| e.to_string())?;
    }
    let bits = |value: &Value| match value {
        Value::Vector(vector) => vector.to_f64().iter().map(|entry| entry.to_bits()).collect(),
        Value::Set(set) => set.ids().unwrap().into_iter().map(u64::from).collect(),
        value => value.bits().into_iter().collect(),
    };
    Ok(result.globals.iter().map(|(name, value)| (name.to_string(), bits(value))).collect())
}

/// Runs on one thread and on the reference machine give the same in both forms, bit by bit or in their refusal, and
/// runs on two threads in the smallest chunks give what is right.
fn same(program: &Program, changed: &Changed) -> Result<(), String> {
    let Changed { spans, rows } = changed;
    let (alone, reference) = (CpuVm::new(1), ReferenceVm::new());
    for vm in [&alone as &dyn GraphVm, &reference] {
        let here = run(program, &None, (spans, rows), vm, true);
        let there = run(program, &None, (rows, rows), vm, true);
        match (here, there) {
            (Err(here), Err(there)) if here == there && here.contains("integer weights") => return Ok(()),
            (here, there) => {
                let (here, there) = (here?, there?);
                let differ = here.iter().zip(&there).filter(|(a, b)| a != b).map(|(a, _)| a.0.clone());
                let differ = differ.collect::<Vec<_>>().join(", ");
                if !differ.is_empty() {
                    return Err(format!("{differ} differs on {}", vm.name()));
                }
            }
        }
    }
    run(program, &None, (spans, rows), &CpuVm::with_tiny_chunks(2), true)?;
    Ok(())
}

const SPECS: [&str; 4] = ["kron:8", "road:12x12", "star:50", "powerlaw:300:2.2"];

fn every_program_is_the_same<W: EdgeWeight>(weights: &str, weight: impl Fn(u64) -> W) {
    let (mut problems, mut copied, mut tried) = (Vec::new(), BTreeSet::new(), 0);
    let graphs = SPECS.iter().flat_map(|&spec| {
        [Ends::Undirected, Ends::Directed, Ends::DirectedBoth].map(|ends| (format!("{spec}{weights}"), ends))
    });
    for (turn, (spec, ends)) in graphs.enumerate() {
        // A third of the programs on each graph, another on the next; all in a nightly run.
        let (first, step) = gw_testing::usually((turn % 3, 3), (0, 1));
        for program in programs().iter().skip(first).step_by(step) {
            let changed = Changed::from_spec(&spec, ends, &weight);
            if !program.suits(&changed.rows) {
                continue;
            }
            tried += 1;
            if let Err(problem) = same(program, &changed) {
                problems.push(format!("{} {spec} {ends:?}: {problem}", program.name));
            }
            if changed.is_copied() {
                copied.insert(program.name);
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(tried > 80, "{tried}");
    // Weights for edges without one go with compressed rows.
    // The numbers of edges are their places in compressed rows, for which operators over triangles look.
    copied.retain(|name| !["ktruss", "lcc"].contains(name));
    copied.retain(|name| !weights.is_empty() || !["k-shortest-paths", "leiden", "louvain"].contains(name));
    assert!(copied.is_empty(), "lists were copied for {copied:?}");
}

#[test]
fn every_program_is_the_same_without_weights() {
    every_program_is_the_same("", |_| ());
}

#[test]
fn every_program_is_the_same_with_integers() {
    every_program_is_the_same(":weights=1..20", |weight| weight as i32);
}

#[test]
fn every_program_is_the_same_with_fractions() {
    every_program_is_the_same(":weights=0.5..20.5", |weight| weight as f32 + 0.5);
}

/// Every form that a schedule may ask for: edge-parallel, segments, maps, buckets.
#[test]
fn right_under_random_schedules() {
    let schedules: u64 = gw_testing::usually(4, 200);
    let machine = CpuVm::with_tiny_chunks(3);
    let (mut tried, mut problems) = (0, Vec::new());
    let graphs: Vec<Changed> = [("kron:8", Ends::Undirected), ("powerlaw:300:2.2", Ends::Directed)]
        .into_iter()
        .map(|(spec, ends)| Changed::from_spec(&format!("{spec}:weights=1..20"), ends, |weight| weight as i32))
        .collect();
    for program in programs() {
        let front = compile_front(&SourceFile::new(program.file, program.source).with_weights(program.usual_weights()))
            .ok()
            .unwrap();
        let points = gw_ir::program_points(&gw_ir::lower(&front.typed, program.source).unwrap());
        for (seed, Changed { spans, rows }) in (0..schedules).flat_map(|seed| graphs.iter().map(move |g| (seed, g))) {
            let mut schedule = ProgramSchedule::new();
            for (i, point) in points.iter().enumerate() {
                let Some(path) = &point.path else { continue };
                let space = gw_schedule::Space::new(&point.point, &machine.capabilities());
                if let Some(picked) = space.sample(seed * 31 + i as u64, 1).pop() {
                    schedule.set(path, picked).unwrap();
                }
            }
            if !program.suits(rows) {
                continue;
            }
            tried += 1;
            let text = schedule.to_string();
            if let Err(problem) = run(program, &Some(schedule), (spans, rows), &machine, true) {
                problems.push(format!("{} under `{text}`: {problem}", program.name));
            }
        }
    }
    assert!(tried > 100, "{tried}");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn ranges_may_be_wide() {
    for (spec, ends) in [("kron:8:weights=1..20", Ends::Undirected), ("kron:7:weights=1..20", Ends::Directed)] {
        let changed = Changed::from_spec(spec, ends, |weight| weight as i32).widened();
        for program in programs().iter().filter(|program| program.suits(&changed.rows)) {
            assert_eq!(same(program, &changed), Ok(()), "{} {ends:?}", program.name);
        }
    }
}

#[test]
fn a_graph_stays_as_it_was_while_batches_are_applied() {
    let spec = GraphSpec::parse("kron:8").unwrap().load(&Silent).unwrap().graph;
    let mut dynamic = DynamicGraph::<()>::from_graph(&spec, Ends::Undirected).unwrap();
    let before = Changed::of(&dynamic);
    let program = find("cc").unwrap();
    let vm = CpuVm::new(1);
    let first = run(program, &None, (&before.spans, &before.rows), &vm, true).unwrap();
    for vertex in 0..200 {
        dynamic.isolate(vertex).unwrap();
    }
    // Blocks that became free are used again, those of the old version excepted.
    let mut batch = Batch::new();
    for (vertex, step) in (0..200).flat_map(|vertex| (0..20).map(move |step| (vertex, step))) {
        batch.insert(vertex, (7 * vertex + step) % 256, ());
    }
    dynamic.apply(&batch).unwrap();
    assert_eq!(run(program, &None, (&before.spans, &before.rows), &vm, true), Ok(first));
    let after = Changed::of(&dynamic);
    drop(dynamic);
    same(program, &after).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(10, 500)))]

    /// Mixed updates, then the programs that everybody asks for.
    #[test]
    fn mixed_updates(
        vertices in 1u32..60,
        ends in prop_oneof![Just(Ends::Undirected), Just(Ends::Directed), Just(Ends::DirectedBoth)],
        batches in prop::collection::vec(prop::collection::vec((0u32..60, 0u32..60, 0i32..30), 0..80), 1..5),
    ) {
        let mut graph = DynamicGraph::<i32>::new(vertices as usize, ends).unwrap();
        for changes in &batches {
            let mut batch = Batch::new();
            for &(source, target, weight) in changes {
                let (source, target) = (source % vertices, target % vertices);
                match weight {
                    0..10 => batch.delete(source, target),
                    _ if source == target => continue,
                    _ => batch.insert(source, target, weight),
                };
            }
            graph.apply(&batch).unwrap();
        }
        let changed = Changed::of(&graph);
        for name in ["bfs", "cc", "pagerank", "sssp", "tc", "kcore"] {
            let program = find(name).unwrap();
            if program.suits(&changed.rows) {
                prop_assert_eq!(same(program, &changed), Ok(()), "{}", name);
            }
        }
        prop_assert!(!changed.is_copied());
    }
}
