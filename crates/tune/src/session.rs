//! A tuning session: from a program with arguments to a schedule, with journal, lab and cache around the search.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use graphwright::Program;
use graphwright::schedule::{ScheduleCache, TunedSchedule, TuningKey, Wanted, text_hash};
use gw_exec::{GraphVm, RunOptions, graph_features, graph_text, label_operators};
use gw_graph::rng::Rng;
use gw_graph::{Graph, VertexId};
use gw_ir::Module;
use gw_lab::{Lab, TuneCell, build_commit, utc_now};
use gw_learned::features::{graph_numbers, known_threads};
use gw_meter::power::{EnergyMeter, Gauge};
use gw_schedule::{Feature, ProgramSchedule};

use crate::bench::{Bench, Objective, Trial};
use crate::error::{Result, TuneError};
use crate::journal::{Journal, Known, Subject};
use crate::live::{LONG, Live, Verdict};
use crate::recorder::Recorder;
use crate::search::{Ended, Event, Found, Settings, search};
use crate::space::ProgramSpace;
use crate::starts::{FromLab, starts, starts_from_lab};

/// The share of the budget that drawing further sources may take.
const DRAW_SHARE: f64 = 0.2;

/// What is tuned, and with what.
pub struct Session<'a> {
    /// The program.
    pub program: &'a Program,
    /// The machine.
    pub machine: &'a dyn GraphVm,
    /// Threads that it computes with.
    pub threads: usize,
    /// Arguments, graphs, seed and the flag that ends the search; the arguments are those of the first input.
    pub options: RunOptions,
    /// Further sources are drawn and the schedule is tuned for all of them.
    pub more_sources: usize,
    /// What shall be small.
    pub objective: Objective,
    /// Meters the energy of runs, for objectives that need it.
    pub meter: Option<&'a dyn EnergyMeter>,
    /// Seconds in all.
    pub budget: Duration,
    /// The seed of all draws.
    pub seed: u64,
    /// Forget what an earlier search of this kind measured.
    pub fresh: bool,
    /// Keeps every trial.
    pub lab: Option<Lab>,
    /// Keeps the result and the journal.
    pub cache: ScheduleCache,
}

/// What was found out before the search.
#[derive(Debug)]
pub struct Prepared {
    /// The space.
    pub space: ProgramSpace,
    /// The schedule of the machine's rule.
    pub rule: ProgramSchedule,
    /// The key of the cache.
    pub key: TuningKey,
    /// What the lab knew.
    pub from_lab: FromLab,
    /// Readings of an earlier search.
    pub recalled: usize,
    /// Inputs that the schedule is tuned for.
    pub inputs: usize,
    /// How runs are metered; `None` where the objective needs no meter.
    pub gauge: Option<Gauge>,
    pub(crate) module: Module,
    pub(crate) graph: Arc<Graph>,
    graph_name: String,
    pub(crate) runs: Vec<RunOptions>,
    /// The budget counts from here: the graph is there, nothing was run.
    pub(crate) begun: Instant,
}

/// The end of a session.
#[derive(Debug)]
pub struct Tuned {
    /// The search.
    pub found: Found,
    /// Seconds spent on compiling.
    pub compile_seconds: f64,
    /// Schedules compiled.
    pub compiles: usize,
    /// Whether the result of the best schedule is right; `None` where nobody can tell.
    pub verified: Option<bool>,
    /// What is wrong with the result of the best schedule.
    pub wrong: Option<String>,
    /// The file of the cache, where one was written.
    pub entry: Option<PathBuf>,
    /// What could not be written down, in words.
    pub problems: Vec<String>,
}

impl Tuned {
    /// The best schedule.
    pub fn schedule(&self) -> &ProgramSchedule {
        &self.found.arms[self.found.best].schedule
    }
}

impl Session<'_> {
    /// Looks at program, graph and lab, and draws the inputs.
    pub fn prepare(&mut self) -> Result<Prepared> {
        let wanted = graph_text(self.program.module(), &self.options.argv).ok_or(TuneError::NoGraph)?;
        let loaded = self.options.graphs.load(&wanted.text, wanted.weight);
        let graph = loaded
            .map_err(|error| graphwright::Error::Run { error, file: self.program.file().clone() })
            .map_err(TuneError::from)?;
        let settled = self.program.settle(&Wanted::Rule, self.machine, &self.options);
        let mut module = settled.module().clone();
        label_operators(&mut module);
        let rule = settled.decision.schedule.clone();
        let space = ProgramSpace::new(&module, &self.machine.capabilities(), self.machine.family());
        if space.slots.is_empty() {
            let (program, machine) = (self.program.name().to_string(), self.machine.name().to_string());
            return Err(TuneError::NothingToTune { program, machine });
        }
        let computer = self.cache.machine(self.machine);
        let key = TuningKey::new(&text_hash(&self.program.file().text), &graph, self.machine.name(), &computer);
        let from_lab = match &self.lab {
            None => FromLab::default(),
            Some(lab) => {
                let features = features(&graph);
                let (program, target) = (self.program.name(), self.machine.name());
                starts_from_lab(lab, program, target, &computer, &features, self.objective, &space)?
            }
        };
        let begun = Instant::now();
        // Before the first run: the meter is watched without work.
        let gauge = self.gauge()?;
        let runs = self.draw_inputs(&module, &graph, &rule, begun);
        Ok(Prepared {
            inputs: runs.len(),
            gauge,
            space,
            rule,
            key,
            from_lab,
            recalled: 0,
            module,
            graph,
            graph_name: wanted.text,
            runs,
            begun,
        })
    }

    /// How runs are metered, where the objective needs it.
    fn gauge(&self) -> Result<Option<Gauge>> {
        let wrong = |reason: String| TuneError::NoMeter { machine: self.machine.name().to_string(), reason };
        match (self.objective.needs_meter(), self.meter) {
            (false, _) => Ok(None),
            (true, Some(meter)) => Gauge::of(meter).map(Some).map_err(wrong),
            (true, None) => Err(wrong("nobody gave a meter".to_string())),
        }
    }

    /// Searches, and writes the result into the cache. `watch` hears of the progress.
    pub fn tune(&mut self, prepared: &mut Prepared, watch: &mut dyn FnMut(&Event<'_>)) -> Result<Tuned> {
        let machine = prepared.key.machine.clone();
        let mut settings = self.settings(prepared);
        let argv = |run: &RunOptions| run.argv[1..].to_vec();
        let inputs = prepared.runs.iter().map(argv).collect();
        let subject = Subject::new(&prepared.key.program, &prepared.key.graph, &machine, inputs);
        let mut problems = Vec::new();
        let mut journal = None;
        match self.journal(prepared, &subject) {
            Ok(None) => {}
            Ok(Some((opened, known))) => {
                prepared.recalled = known.iter().map(Vec::len).sum();
                (journal, settings.known) = (Some(opened), known);
            }
            Err(problem) => problems.push(problem),
        }
        let mut recorder = Recorder::new(
            self.lab.as_mut(),
            cell(self.program, prepared, &machine, known_threads(self.machine)),
            journal,
        );
        recorder.problems = problems;
        let mut bench = Live::new(
            self.program,
            self.machine,
            prepared.module.clone(),
            Arc::clone(&prepared.graph),
            prepared.runs.clone(),
            self.objective,
            |trial| recorder.add(trial),
        );
        bench.begun_at(prepared.begun);
        if let (Some(meter), Some(gauge)) = (self.meter, &prepared.gauge) {
            bench = bench.metered(meter, gauge.clone());
        }
        let found = search(&mut bench, &prepared.space, &settings, watch)?;
        let best = found.arms[found.best].schedule.clone();
        let verdict = if found.ended == Ended::Stopped { Verdict::Unknown } else { bench.verify(&best) };
        // Ctrl-C may also end the run that was to be checked.
        let stopped = found.ended == Ended::Stopped || self.options.cancel.load(Ordering::Relaxed);
        let (compile_seconds, compiles, lost) = (bench.compile_seconds, bench.compiles, bench.lost);
        drop(bench);
        let mut problems = std::mem::take(&mut recorder.problems);
        if lost {
            problems.push("the device is still at work on a schedule that was ended, so the search ended early".into());
        }
        let keeps = !stopped && matches!(verdict, Verdict::Right | Verdict::Unknown);
        let mut wrong = None;
        let verified = match verdict {
            Verdict::Right => Some(true),
            Verdict::Unknown => None,
            Verdict::Failed(_) if stopped => None,
            Verdict::Wrong(problem) => {
                wrong = Some(problem);
                Some(false)
            }
            Verdict::Failed(problem) => {
                problems.push(format!("the best schedule could not be checked and is not kept: {problem}"));
                None
            }
        };
        // A search that was ended had no duel: the journal has what it measured, and the cache stays as it was.
        let mut entry = None;
        if keeps && let Some(aim) = self.objective.aim() {
            let cache = self.cache.clone().aimed_at(aim);
            match keep(&cache, self.program.name(), self.objective, prepared, &found) {
                Ok(file) => entry = file,
                Err(error) => problems.push(format!("the cache of schedules cannot be written: {error}")),
            }
        }
        // After the entry: another process may be writing to the lab for a while.
        recorder.finish();
        problems.append(&mut recorder.problems);
        Ok(Tuned { found, compile_seconds, compiles, verified, wrong, entry, problems })
    }

    /// What the search begins with.
    fn settings(&self, prepared: &mut Prepared) -> Settings {
        let mut settings = Settings::new(self.budget.as_secs_f64(), Vec::new());
        settings.starts = starts(self.program, self.machine, &prepared.space, &prepared.rule);
        let learned = self.program.settle(&Wanted::Chosen, self.machine, &self.options).decision.schedule;
        if prepared.space.key(&learned) != prepared.space.key(&prepared.rule) {
            settings.starts.insert(1, ("learned".to_string(), learned));
        }
        let at = settings.starts.len().min(2);
        settings.starts.splice(at..at, std::mem::take(&mut prepared.from_lab.schedules));
        (settings.objective, settings.seed) = (self.objective, self.seed);
        settings.idle_watts = prepared.gauge.as_ref().map_or(0.0, |gauge| gauge.idle_watts);
        settings
    }

    /// The journal of a search like this one with the readings that it holds; `None` without a folder for it. The error
    /// is in words.
    fn journal(&self, prepared: &Prepared, subject: &Subject) -> std::result::Result<Option<(Journal, Known)>, String> {
        let Some(folder) = self.cache.folder() else { return Ok(None) };
        let word = match self.objective {
            Objective::Time => String::new(),
            objective => format!("-{}", objective.word()),
        };
        let path = folder.join(format!("{}{word}.journal", prepared.key.stem()));
        let opened = Journal::open(&path, subject, self.fresh);
        opened.map(Some).map_err(|error| format!("the search cannot be taken up again later: {error}"))
    }

    /// The run as given and runs from further sources. Sources from which the rule's run is over at once (a vertex in a
    /// corner of the graph) say nothing about schedules and are left out. Where runs take long, fewer sources are
    /// drawn, or none: the budget is for the search.
    fn draw_inputs(
        &self,
        module: &Module,
        graph: &Arc<Graph>,
        rule: &ProgramSchedule,
        begun: Instant,
    ) -> Vec<RunOptions> {
        const DRAWS: usize = 4;
        const WORTH: f64 = 0.3;
        let mut inputs = vec![self.options.clone()];
        let standard = self.program.as_standard();
        let source = standard.and_then(|program| program.args.iter().position(|arg| arg.kind.is_start()));
        let (Some(source), true) = (source, self.more_sources > 0) else { return inputs };
        let mut bench = Live::new(
            self.program,
            self.machine,
            module.clone(),
            Arc::clone(graph),
            inputs.clone(),
            Objective::Time,
            |_| {},
        );
        bench.begun_at(begun);
        let share = DRAW_SHARE * self.budget.as_secs_f64();
        // The second of two runs counts, except where one is long enough.
        let mut time = |options: &RunOptions| {
            bench.set_input(options.clone());
            let mut seconds = None;
            for _ in 0..2 {
                let left = share - bench.elapsed();
                match bench.run(rule, 0, left) {
                    Trial::Done(reading) => seconds = Some(reading.seconds),
                    _ => return None,
                }
                if seconds.is_some_and(|seconds| seconds > LONG) {
                    break;
                }
            }
            seconds.filter(|_| bench.elapsed() < share)
        };
        let Some(first) = time(&self.options) else { return inputs };
        let mut rng = Rng::new(self.seed, 0x736f);
        for _ in 0..self.more_sources * DRAWS {
            if inputs.len() > self.more_sources || begun.elapsed().as_secs_f64() > share {
                break;
            }
            let vertex = rng.below(graph.vertices().max(1) as u64) as VertexId;
            if graph.out().degree(vertex) == 0 {
                continue;
            }
            let mut options = self.options.clone();
            options.argv[source + 1] = vertex.to_string();
            if time(&options).is_some_and(|seconds| seconds >= WORTH * first) {
                inputs.push(options);
            }
        }
        inputs
    }
}

/// Writes the best schedule into the cache of an objective, and returns the file. The machine's rule needs no entry,
/// but takes the place of one that no longer holds.
fn keep(
    cache: &ScheduleCache,
    program: &str,
    objective: Objective,
    prepared: &Prepared,
    found: &Found,
) -> std::io::Result<Option<PathBuf>> {
    let is_known = || cache.file(&prepared.key).is_some_and(|file| file.is_file());
    if found.best == 0 && !is_known() {
        return Ok(None);
    }
    let best = &found.arms[found.best];
    let (seconds, joules) = match objective {
        Objective::Time | Objective::Memory => (found.share * found.baseline.seconds, None),
        Objective::Energy | Objective::TimeEnergy => best.median(found.rounds),
    };
    let tuned = TunedSchedule {
        version: 0,
        name: program.to_string(),
        program: prepared.key.program.clone(),
        graph: prepared.key.graph.clone(),
        target: prepared.key.target.clone(),
        machine: prepared.key.machine.clone(),
        schedule: best.schedule.to_string(),
        objective: cache.aim(),
        share: found.share,
        seconds,
        joules,
        tuned: utc_now(),
    };
    cache.store(&prepared.key, &tuned)
}

/// A schedule as a file for `gw run --schedule` can have it: labels that the tuner gave to operators without one are
/// not in the program. The schedule of the first such operator stands without a label then, for all places where it
/// is legal. Returns the labels that were dropped, too.
pub fn for_file(program: &Program, schedule: &ProgramSchedule) -> (ProgramSchedule, Vec<String>) {
    let known = gw_ir::points::label_paths(program.module());
    let mut file = schedule.clone();
    let mut dropped = Vec::new();
    for (label, part) in schedule.labels() {
        if known.iter().any(|path| path == label.as_str()) {
            continue;
        }
        file.remove(label.as_str());
        if file.everywhere().is_none() {
            file.set_everywhere(Some(part.clone()));
        }
        dropped.push(label.to_string());
    }
    (file, dropped)
}

/// Numbers about a graph by name.
fn features(graph: &Graph) -> BTreeMap<String, f64> {
    let all = graph_features(graph);
    let of_graph = Feature::ALL.iter().filter(|feature| feature.is_of_graph());
    of_graph.map(|&feature| (feature.word().to_string(), all[feature.index()])).collect()
}

/// What the lab calls a program on a graph and a machine.
pub(crate) fn cell(program: &Program, prepared: &Prepared, machine: &str, threads: Option<usize>) -> TuneCell {
    let mut features = features(&prepared.graph);
    features.extend(graph_numbers(&prepared.graph, threads));
    TuneCell {
        program: program.name().to_string(),
        program_hash: prepared.key.program.clone(),
        graph: prepared.key.graph.clone(),
        graph_name: Some(prepared.graph_name.clone()),
        features,
        target: prepared.key.target.clone(),
        hardware: machine.to_string(),
        commit: build_commit(),
    }
}
