//! Carries out a plan: the order of runs, their timing and validation.
//!
//! Graphs come one after the other, each loaded once. On a graph, the schedules of one program take turns: every start
//! vertex is run under all of them before the next, and each round begins with another one, so that a disturbance of
//! the machine hits them alike. A schedule that the machine chooses is chosen and compiled anew for each graph.
//!
//! The time of a run is the same on every machine: from the first statement to the end of `main`, by the clock of the
//! host, loading left out. Choosing, compiling, fetching results from a device and validation are not in it. What is
//! done once per graph (derived forms, transfer to a device) happens in the warm-up; a *first run* on the same edges
//! under a new identity has it all, and gets a column of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gw_exec::{ErrorKind, ExecError, GraphVm, MachineUsage, RunOptions, RunResult};
use gw_graph::progress::Progress;
use gw_graph::{Graph, VertexId, Weight, with_weights};
use gw_programs::{Remark, Run as FinishedRun};

use crate::clock::utc_now;
use crate::energy::{RowEnergy, metered};
use crate::graphs::BenchGraphs;
use crate::plan::{Cell, CellName, Plan};
use crate::program::Prepared;
use crate::record::{Counted, Measurement, Provenance, RowUsage};
use crate::sources;
use crate::stats::Summary;
use crate::template::fill;
use crate::traffic::{Tally, Traffic, typical};
use graphwright::Times;
use graphwright::schedule::{ADAPTIVE, AUTO, RULE, Wanted};

/// On what and how a plan is run.
pub struct Settings<'a> {
    /// The machine.
    pub machine: &'a dyn GraphVm,
    /// How many threads it uses, for the record.
    pub threads: usize,
    /// Ends the measuring when it becomes true.
    pub cancel: Arc<AtomicBool>,
    /// What goes into every row.
    pub provenance: Provenance,
    /// Meters the energy of a run of every row, which takes some seconds more per row.
    pub energy: Option<&'a dyn gw_meter::power::EnergyMeter>,
}

/// Hears how measuring goes on.
pub trait Listener {
    /// Where the loading of a graph tells its progress.
    fn loading(&self) -> &dyn Progress;
    /// A run is about to start, the `run`-th of `runs` of its row; warm-ups come as 0.
    fn running(&mut self, name: &CellName, run: usize, runs: usize);
    /// A row is finished.
    fn finished(&mut self, row: &Measurement);
}

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The rows. A row that failed says why.
    pub rows: Vec<Measurement>,
    /// Measuring was cancelled.
    pub interrupted: bool,
}

/// Measures every row of a plan. Failures end a row, never the whole.
pub fn run(plan: &Plan, settings: &Settings<'_>, listener: &mut dyn Listener) -> Outcome {
    let compiled = plan.schedules.iter().map(|s| match s.wanted.on(settings.machine).0 {
        Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => None,
        fixed => Some(plan.programs[s.program].prepare(&fixed, settings.machine, &RunOptions::default())),
    });
    let mut runner = Runner { plan, settings, listener, compiled: compiled.collect(), outcome: Outcome::default() };
    for graph in 0..plan.graphs.len() {
        runner.graph(graph);
        if runner.outcome.interrupted {
            break;
        }
    }
    runner.outcome
}

struct Runner<'a> {
    plan: &'a Plan,
    settings: &'a Settings<'a>,
    listener: &'a mut dyn Listener,
    /// `None` where the machine chooses the schedule when it sees the graph.
    compiled: Vec<Option<Result<Prepared, String>>>,
    outcome: Outcome,
}

/// A graph at work.
struct Loaded {
    graphs: Arc<BenchGraphs>,
    seconds: f64,
}

/// A row in the making.
struct Row<'a> {
    cell: &'a Cell,
    /// The program under the schedule that the machine has chosen for this graph.
    chosen: Option<Result<Prepared, String>>,
    seconds: Vec<f64>,
    /// The same runs from the first kernel to the last, by the clock of a device.
    device_seconds: Vec<f64>,
    /// A run on a graph that nobody has run on before, compiling left out.
    first_seconds: Option<f64>,
    startups: Vec<f64>,
    traffic: Vec<Traffic>,
    /// What the machine counted in each warm-up run, and in each timed run that was not fetched.
    warm_up_usage: Vec<MachineUsage>,
    run_usage: Vec<MachineUsage>,
    energy: Option<RowEnergy>,
    verified: usize,
    problem: Option<String>,
    error: Option<String>,
}

impl<'a> Row<'a> {
    fn new(cell: &'a Cell) -> Self {
        Row {
            cell,
            chosen: None,
            seconds: Vec::new(),
            device_seconds: Vec::new(),
            first_seconds: None,
            startups: Vec::new(),
            traffic: Vec::new(),
            warm_up_usage: Vec::new(),
            run_usage: Vec::new(),
            energy: None,
            verified: 0,
            problem: None,
            error: None,
        }
    }
}

impl<'a> Runner<'a> {
    fn cancelled(&self) -> bool {
        self.settings.cancel.load(Ordering::Relaxed)
    }

    /// All rows on one graph.
    fn graph(&mut self, index: usize) {
        let plan = self.plan;
        let cells: Vec<&Cell> = plan.cells().iter().filter(|cell| cell.graph == index).collect();
        if cells.is_empty() {
            return;
        }
        let start = Instant::now();
        let loaded = BenchGraphs::load(&plan.graphs[index], self.listener.loading()).map(Arc::new);
        let loaded = loaded.map_err(|error| error.to_string());
        let seconds = start.elapsed().as_secs_f64();
        for group in cells.chunk_by(|a, b| a.group == b.group) {
            if self.cancelled() {
                self.outcome.interrupted = true;
                return;
            }
            let mut rows: Vec<Row<'_>> = group.iter().map(|cell| Row::new(cell)).collect();
            let standard = plan.programs[plan.schedules[rows[0].cell.schedule].program].standard();
            let suited = loaded.as_ref().map_err(Clone::clone).and_then(|graphs| graphs.suited(standard));
            let starts = match &suited {
                Ok(graphs) => self.group(&mut rows, graphs),
                Err(error) => {
                    rows.iter_mut().for_each(|row| row.error = Some(error.clone()));
                    Vec::new()
                }
            };
            let graph = suited.as_ref().ok().map(|graphs| Loaded { graphs: Arc::clone(graphs), seconds });
            for row in rows {
                // After an interruption a row that was never run has nothing to say.
                if !(self.outcome.interrupted && row.seconds.is_empty() && row.error.is_none()) {
                    let measurement = self.measurement(row, graph.as_ref(), &starts);
                    self.listener.finished(&measurement);
                    self.outcome.rows.push(measurement);
                }
            }
            if self.outcome.interrupted {
                return;
            }
        }
    }

    /// Runs the schedules of one program on one graph in turns. Returns the start vertices.
    fn group(&mut self, rows: &mut [Row<'_>], graphs: &Arc<BenchGraphs>) -> Vec<VertexId> {
        let plan = self.plan;
        let cell = rows[0].cell;
        let starts = match self.check(cell, graphs) {
            Ok(starts) => starts,
            Err(error) => {
                rows.iter_mut().for_each(|row| row.error = Some(error.clone()));
                return Vec::new();
            }
        };
        for row in rows.iter_mut() {
            let planned = &plan.schedules[row.cell.schedule];
            let (program, machine) = (&plan.programs[planned.program], self.settings.machine);
            let anew = program.for_weights(graphs.graph(program.needs_weights()));
            let is_fixed = self.compiled[row.cell.schedule].is_some();
            if anew.is_some() || !is_fixed {
                let options = self.options(&self.arguments(row.cell, graphs, &starts, 0), graphs);
                let wanted = if is_fixed { planned.wanted.on(machine).0 } else { planned.wanted.clone() };
                row.chosen = Some(match anew {
                    Some(anew) => anew.and_then(|program| program.prepare(&wanted, machine, &options)),
                    None => program.prepare(&wanted, machine, &options),
                });
            }
        }
        // A program without a start vertex has one argument list all the same.
        let places = starts.len().max(1);
        for row in rows.iter_mut() {
            for warm_up in 0..plan.warm_ups as usize {
                self.listener.running(&row.cell.name, 0, places * cell.trials as usize);
                self.one(row, graphs, &starts, warm_up % places, Purpose::WarmUp);
            }
            self.listener.running(&row.cell.name, 0, places * cell.trials as usize);
            let anew = Arc::new(graphs.anew());
            self.one(row, &anew, &starts, 0, Purpose::First);
        }
        for round in 0..places * cell.trials as usize {
            for turn in 0..rows.len() {
                if self.outcome.interrupted || self.cancelled() {
                    self.outcome.interrupted = true;
                    return starts;
                }
                let row = &mut rows[(turn + round) % rows.len().max(1)];
                self.listener.running(&row.cell.name, round + 1, places * cell.trials as usize);
                self.one(row, graphs, &starts, round % places, Purpose::Timed { first: round < places });
            }
        }
        if let Some(meter) = self.settings.energy {
            for row in rows.iter_mut() {
                self.energy(row, graphs, &starts, meter);
            }
        }
        starts
    }

    /// Repeats the runs of a row for their energy; a failure is noted in the row.
    fn energy(
        &mut self,
        row: &mut Row<'_>,
        graphs: &Arc<BenchGraphs>,
        starts: &[VertexId],
        meter: &dyn gw_meter::power::EnergyMeter,
    ) {
        if row.error.is_some() || self.outcome.interrupted {
            return;
        }
        let argument_lists = (0..starts.len().max(1)).map(|at| self.arguments(row.cell, graphs, starts, at));
        let options: Vec<RunOptions> =
            argument_lists.map(|args| RunOptions { fetch_results: false, ..self.options(&args, graphs) }).collect();
        let prepared = row.chosen.as_mut().or(self.compiled[row.cell.schedule].as_mut());
        let Some(Ok(prepared)) = prepared else { return };
        match metered(meter, |at| prepared.program.run(&options[at % options.len()]).map(|_| ())) {
            Ok(energy) => row.energy = energy,
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => self.outcome.interrupted = true,
            Err(error) => row.error = Some(sentence(&error)),
        }
    }

    /// Whether the program can run on the graph at all, and where it starts.
    fn check(&self, cell: &Cell, graphs: &BenchGraphs) -> Result<Vec<VertexId>, String> {
        let planned = &self.plan.graphs[cell.graph];
        let graph = graphs.graph(false);
        let Some(count) = cell.sources.map(|count| count as usize) else { return Ok(Vec::new()) };
        if let Some(given) = &planned.sources {
            return match given.iter().find(|&&v| v as usize >= graph.vertices()) {
                Some(v) => Err(format!("there is no source {v}: the graph has {} vertices", graph.vertices())),
                None => Ok(given.iter().copied().take(count).collect()),
            };
        }
        match sources::choose(graph.out(), count, self.plan.seed, sources::SOURCES) {
            chosen if chosen.is_empty() => Err("the graph has no edges: there is no vertex to start from".to_string()),
            chosen => Ok(chosen),
        }
    }

    /// One run of a row; a failure is noted in it.
    fn one(&mut self, row: &mut Row<'_>, graphs: &Arc<BenchGraphs>, starts: &[VertexId], at: usize, purpose: Purpose) {
        if row.error.is_some() || self.outcome.interrupted {
            return;
        }
        let args = self.arguments(row.cell, graphs, starts, at);
        let mut options = self.options(&args, graphs);
        let prepared = match row.chosen.as_mut().or(self.compiled[row.cell.schedule].as_mut()) {
            Some(Ok(prepared)) => prepared,
            Some(Err(error)) => {
                row.error = Some(error.clone());
                return;
            }
            None => return,
        };
        let tally = Arc::new(Tally::default());
        // Records cost time, so only runs that are not timed are observed.
        if purpose == Purpose::WarmUp {
            options.observer = Some(Arc::clone(&tally) as _);
        }
        let validated = purpose == (Purpose::Timed { first: true }) && self.plan.verify && row.problem.is_none();
        // The fetch is outside of the clock; without a validator nobody looks at the results.
        options.fetch_results = validated;
        let before = self.settings.machine.usage();
        let start = Instant::now();
        match prepared.program.run(&options) {
            Ok(ran) => {
                let wall = start.elapsed().as_secs_f64();
                let used = self.settings.machine.usage().zip(before).map(|(after, before)| after - before);
                if purpose == Purpose::First {
                    // Kernels that only this run needs are compiled in it, too.
                    row.first_seconds = Some((wall - used.map_or(0.0, |used| used.compile_seconds)).max(0.0));
                    return;
                }
                if purpose == Purpose::WarmUp {
                    let traffic = match &mut prepared.stepwise {
                        None => tally.traffic(),
                        Some(stepwise) => {
                            let tally = Arc::new(Tally::default());
                            options.observer = Some(Arc::clone(&tally) as _);
                            // What comes to no end is not known.
                            stepwise.run(&options).map_or_else(|_| Traffic::default(), |_| tally.traffic())
                        }
                    };
                    row.traffic.push(traffic);
                    row.warm_up_usage.extend(used);
                    return;
                }
                let times = Times::of(&ran);
                row.device_seconds.extend(times.device);
                row.seconds.push(times.counted());
                row.startups.push(times.startup.max(0.0));
                match validated {
                    true => self.validate(row, graphs, &args, &ran),
                    false => row.run_usage.extend(used),
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => self.outcome.interrupted = true,
            Err(error) => row.error = Some(sentence(&error)),
        }
    }

    fn options(&self, args: &[String], graphs: &Arc<BenchGraphs>) -> RunOptions {
        let mut options = RunOptions::with_args(args.iter().cloned());
        options.cancel = Arc::clone(&self.settings.cancel);
        options.graphs = Arc::clone(graphs) as _;
        options.seed = self.plan.seed;
        // Times are those of a run among many: what is done once per graph has a column of its own.
        options.runs = u32::MAX;
        options
    }

    /// Checks a result of a standard program; other programs have no validator.
    fn validate(&self, row: &mut Row<'_>, graphs: &BenchGraphs, args: &[String], ran: &RunResult) {
        let Some(standard) = self.plan.programs[self.plan.schedules[row.cell.schedule].program].standard() else {
            return;
        };
        let graph = graphs.graph(standard.needs_weights);
        let run = FinishedRun { graph, args, results: &ran.globals };
        if let Some(Remark::NoResult(reason)) = standard.remark(&run) {
            row.seconds.clear();
            row.error = Some(format!("{}: {reason}", args.join(" ")));
            return;
        }
        match standard.validate(&run) {
            Ok(()) => row.verified += 1,
            Err(problem) => row.problem = Some(format!("{}: {problem}", args.join(" "))),
        }
    }

    /// The arguments of the run from the `at`-th start vertex.
    fn arguments(&self, cell: &Cell, graphs: &BenchGraphs, starts: &[VertexId], at: usize) -> Vec<String> {
        let plan = self.plan;
        let graph = graphs.graph(false);
        let other = |stream| sources::choose(graph.out(), at + 1, plan.seed, stream).last().map(ToString::to_string);
        let value = |name: &str| match name {
            "graph" => Some(plan.graphs[cell.graph].name.clone()),
            "source" => starts.get(at).map(ToString::to_string),
            "target" => other(sources::TARGETS),
            "landmark" => Some((graph.vertices() / 2).to_string()),
            "delta" => Some(mean_weight(graphs.graph(true)).to_string()),
            _ => None,
        };
        // The plan has left no other names.
        let args: Vec<String> =
            cell.args.iter().map(|text| fill(text, value).unwrap_or_else(|_| text.clone())).collect();
        match plan.programs[plan.schedules[cell.schedule].program].standard() {
            Some(standard) => standard.with_defaults(&args),
            None => args,
        }
    }

    fn measurement(&self, row: Row<'_>, loaded: Option<&Loaded>, starts: &[VertexId]) -> Measurement {
        let (plan, settings, cell) = (self.plan, self.settings, row.cell);
        let compiled = row.chosen.as_ref().or(self.compiled[cell.schedule].as_ref());
        let prepared = compiled.and_then(|compiled| compiled.as_ref().ok());
        let schedule = match (prepared, &plan.schedules[cell.schedule].wanted) {
            (Some(prepared), _) => prepared.schedule.to_string(),
            (None, Wanted::Fixed(schedule, _)) => schedule.to_string(),
            (None, Wanted::Chosen | Wanted::Tuned(..)) => AUTO.to_string(),
            (None, Wanted::Rule) => RULE.to_string(),
            (None, Wanted::Preset(preset)) => preset.name.to_string(),
            (None, Wanted::Adaptive(..)) => ADAPTIVE.to_string(),
        };
        let weighted = prepared.is_some_and(|p| p.weighted);
        let graph = loaded.map(|loaded| loaded.graphs.graph(weighted));
        let summary = Summary::of(&row.seconds);
        let rate = |amount: Option<u64>| Some(amount? as f64 / summary?.median);
        let touched = graph.and_then(|graph| typical(&row.traffic, graph, weighted));
        let (edges, bytes) = touched.unzip();
        let usage = row_usage(&row);
        let kernel_seconds = usage.map_or(0.0, |usage| usage.warm_up.compile_seconds);
        let planned = cell.trials as usize * starts.len().max(1);
        Measurement {
            suite: plan.suite.clone(),
            program: cell.name.program.clone(),
            graph: cell.name.graph.clone(),
            graph_spec: plan.graphs[cell.graph].spec.to_string(),
            target: settings.machine.name().to_string(),
            schedule,
            schedule_name: cell.name.schedule.clone(),
            threads: settings.threads,
            median_seconds: summary.map(|s| s.median),
            min_seconds: summary.map(|s| s.min),
            max_seconds: summary.map(|s| s.max),
            spread: summary.map(|s| s.spread),
            trials: row.seconds.len(),
            verified: row.verified > 0 && row.problem.is_none() && row.error.is_none(),
            verified_trials: row.verified,
            problem: row.problem,
            complete: row.error.is_none() && row.seconds.len() == planned,
            error: row.error,
            arguments: loaded.map_or_else(Vec::new, |loaded| self.arguments(cell, &loaded.graphs, starts, 0)),
            device_seconds: Summary::of(&row.device_seconds).map(|s| s.median),
            first_seconds: row.first_seconds,
            startup_seconds: Summary::of(&row.startups).map(|s| s.median),
            compile_seconds: prepared.map(|p| p.program.compile_seconds() + kernel_seconds),
            usage,
            graph_seconds: loaded.map(|loaded| loaded.seconds),
            vertices: graph.map(|graph| graph.vertices()),
            graph_edges: graph.map(|graph| graph.edges()),
            edges,
            bytes,
            counted: if touched.is_some() { Counted::Steps } else { Counted::Unknown },
            edges_per_second: rate(edges),
            graph_edges_per_second: rate(graph.map(|graph| graph.edges() as u64)),
            bandwidth: rate(bytes),
            peak_bandwidth: settings.provenance.peak_bandwidth(),
            energy: row.energy,
            seed: plan.seed,
            sources: starts.to_vec(),
            seconds: row.seconds,
            utc: utc_now(),
            provenance: settings.provenance.clone(),
        }
    }
}

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To compile what is compiled late, build derived forms of the graph, and count edges. Where the schedule has
    /// loops that are one step, a run with loops on the host counts for them.
    WarmUp,
    /// To see what a graph costs that nobody has run on before: derived forms, transfer to a device.
    First,
    /// To be timed; the first from its start vertex is validated.
    Timed { first: bool },
}

/// What the machine counted for a row, if it counts at all.
fn row_usage(row: &Row<'_>) -> Option<RowUsage> {
    let warm_up = row.warm_up_usage.iter().copied().reduce(|a, b| a + b)?;
    let median = |of: fn(&MachineUsage) -> f64| {
        Summary::of(&row.run_usage.iter().map(of).collect::<Vec<_>>()).map_or(0.0, |summary| summary.median)
    };
    let count = |of: fn(&MachineUsage) -> u64| {
        let mut counts: Vec<u64> = row.run_usage.iter().map(of).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or(0)
    };
    let run = (!row.run_usage.is_empty()).then(|| MachineUsage {
        compile_seconds: median(|u| u.compile_seconds),
        compiled: count(|u| u.compiled),
        cached: count(|u| u.cached),
        transfer_seconds: median(|u| u.transfer_seconds),
        download_seconds: median(|u| u.download_seconds),
        uploaded_bytes: count(|u| u.uploaded_bytes),
        downloaded_bytes: count(|u| u.downloaded_bytes),
        launches: count(|u| u.launches),
        waits: count(|u| u.waits),
    });
    Some(RowUsage { warm_up, run })
}

/// The error with its line in the program.
fn sentence(error: &ExecError) -> String {
    match error.span().line {
        0 => error.to_string(),
        line => format!("line {line}: {error}"),
    }
}

/// A width of buckets for graphs that nobody has tuned one for.
fn mean_weight(graph: &Graph) -> u64 {
    let count = graph.edges().max(1) as f64;
    let sum: f64 = with_weights!(graph.out().weights(), none => count, w => w.iter().map(|&w| w.real()).sum());
    (sum / count).max(1.0) as u64
}
