//! The order of everything: graph by graph, properties first, then variant by variant. The implementations of a
//! variant take turns, and each round begins with another one: machines change their pace from second to second, and
//! that shall not hit one of them alone.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gw_exec::{ErrorKind, RunOptions, RunResult};
use gw_programs::Run as ProgramRun;
use gw_schedule::ProgramSchedule;

use super::compiled::{Compiled, Under, guarded};
use super::graph::AtHand;
use super::listen::{Heard, Steps};
use super::turns::take_turns;
use super::{CollectListener, Collected, Collection, result};
use crate::db::{Batch, Environment, FinishedRun, GraphWork, Lab, MODEL, Ours, Timing, VariantProperties, WorkVariant};
use crate::energy::{RowEnergy, metered};
use crate::error::{LabError, Result};
use graphwright::schedule::Adviser;

/// Measures.
pub(super) struct Runner<'a> {
    pub(super) lab: &'a mut Lab,
    pub(super) settings: &'a Collection<'a>,
    listener: &'a mut dyn CollectListener,
    environment: Environment,
    pub(super) ours: Ours,
    started: Instant,
    /// Compiled implementations by their keys in the lab.
    compiled: HashMap<i64, std::result::Result<Compiled, String>>,
    /// Programs of property runs by algorithm.
    plain: HashMap<i64, std::result::Result<Compiled, String>>,
    done: Collected,
    /// Runs and properties that came to an end in this pass, well or not.
    ended: u64,
}

/// Why a run has no result.
pub(super) enum Fault {
    /// It failed; `broken` when its executable cannot be used again.
    Failed { message: String, broken: bool },
    /// A person stopped it.
    Cancelled,
}

/// Whoever takes this many times longer than the fastest in the first round is timed once: it would take most of the
/// time of measuring. The warm-up does not tell: there a machine compiles.
const HOPELESS: f64 = 20.0;

/// Stands for the properties of a graph in claims.
const PROPERTIES: i64 = 0;

impl<'a> Runner<'a> {
    pub(super) fn new(
        lab: &'a mut Lab,
        settings: &'a Collection<'a>,
        listener: &'a mut dyn CollectListener,
    ) -> Result<Self> {
        let environment = Environment::of(settings.machine, settings.threads);
        let nothing = |message: String| LabError::Entry { place: format!("lab {}", lab.path().display()), message };
        let Some(platform) = lab.platform(&environment)? else {
            return Err(nothing(format!(
                "there is no run configuration for this machine ({} on {}); `gw lab add run-config` adds one",
                environment.target,
                environment.hardware()
            )));
        };
        let commits = lab.commits_of_platform(platform.id)?;
        if !commits.contains(&environment.commit) {
            return Err(nothing(format!(
                "its run configurations of {} are for other versions of Graphwright ({}), this is {}; timings of several \
                 versions are not mixed: `gw lab add run-config` adds one for this version",
                platform.name,
                commits.join(", "),
                environment.commit
            )));
        }
        let ours = Ours { platform: platform.id, commit: environment.commit.clone(), retries: settings.retries };
        Ok(Runner {
            lab,
            settings,
            listener,
            environment,
            ours,
            started: Instant::now(),
            compiled: HashMap::new(),
            plain: HashMap::new(),
            done: Collected::default(),
            ended: 0,
        })
    }

    /// Goes over all graphs until nothing is left that this process can do. What failed comes again in the next pass.
    pub(super) fn run(mut self) -> Result<Collected> {
        self.lab.forget_void_claims()?;
        self.lab.make_variants(&self.ours)?;
        let missing: u64 = self.lab.graphs_with_work(&self.ours)?.iter().map(|graph| graph.missing).sum();
        self.listener.begin(missing);
        loop {
            self.ended = 0;
            self.done.elsewhere = 0;
            for graph in self.lab.graphs_with_work(&self.ours)? {
                if self.must_stop() {
                    break;
                }
                self.graph(&graph)?;
            }
            if self.ended == 0 || self.must_stop() {
                break;
            }
        }
        let left: u64 = self.lab.graphs_with_work(&self.ours)?.iter().map(|graph| graph.missing).sum();
        self.done.left = left.saturating_sub(self.done.elsewhere);
        self.done.problems = self.lab.problems(&self.ours)?;
        Ok(self.done)
    }

    pub(super) fn must_stop(&mut self) -> bool {
        self.done.interrupted |= self.settings.cancel.load(Ordering::Relaxed);
        let late = self.settings.stop_after.is_some_and(|limit| self.started.elapsed() >= limit);
        self.done.interrupted || late
    }

    /// Everything that is missing on one graph.
    fn graph(&mut self, work: &GraphWork) -> Result<()> {
        let at_hand = self.load(work);
        if !self.lab.claim(work.id, PROPERTIES, PROPERTIES)? {
            self.done.elsewhere += work.missing;
            return Ok(());
        }
        let found = self.properties(work, at_hand.as_ref().map_err(String::as_str));
        self.lab.release(work.id, PROPERTIES, PROPERTIES)?;
        found?;
        let mut batches = Vec::new();
        for batch in self.lab.batches(&self.ours, work.id)? {
            match self.lab.claim(work.id, batch.run_config, batch.implementation)? {
                true => batches.push(batch),
                false => self.done.elsewhere += batch.variants.len() as u64,
            }
        }
        let ran = self.in_turns(work, &batches, at_hand.as_ref().map_err(String::as_str));
        for batch in &batches {
            self.lab.release(work.id, batch.run_config, batch.implementation)?;
        }
        ran
    }

    /// The graph, if it is the one that was measured before.
    pub(super) fn load(&mut self, work: &GraphWork) -> std::result::Result<AtHand, String> {
        self.listener.at(&work.name, "loading");
        let at_hand = AtHand::load(&work.path, self.settings.graph_folder.as_deref())?;
        match &work.content_hash {
            Some(known) if *known != at_hand.content_hash => Err(format!(
                "{} is not the graph that was measured before: its hash is {}, not {known}",
                work.path, at_hand.content_hash
            )),
            _ => Ok(at_hand),
        }
    }

    /// Properties of a graph and of its variants, as far as they are missing.
    fn properties(&mut self, work: &GraphWork, at_hand: std::result::Result<&AtHand, &str>) -> Result<()> {
        // Another process may have been here since the work was listed.
        let variants = self.lab.variants_without_properties(&self.ours, work.id)?;
        if variants.is_empty() {
            return Ok(());
        }
        self.listener.at(&work.name, "properties");
        if let (Ok(at_hand), None) = (at_hand, &work.content_hash) {
            let (class, properties) = at_hand.properties();
            self.lab.store_graph(work.id, &at_hand.content_hash, &class, &properties)?;
        }
        for variant in variants {
            if self.must_stop() {
                return Ok(());
            }
            let found = match at_hand {
                Ok(at_hand) => self.variant_properties(&variant, at_hand)?,
                Err(message) => Err(Fault::Failed { message: message.to_string(), broken: false }),
            };
            match found {
                Ok(found) => {
                    self.lab.store_properties(variant.id, variant.algorithm, &found)?;
                    self.done.properties += 1;
                }
                Err(Fault::Cancelled) => {
                    self.done.interrupted = true;
                    return Ok(());
                }
                Err(Fault::Failed { message, broken }) => {
                    if broken {
                        self.plain.remove(&variant.algorithm);
                    }
                    self.lab.store_property_failure(variant.id, &message)?;
                }
            }
            self.ended += 1;
        }
        Ok(())
    }

    /// Frontiers and the reference result of a variant, by a run under a plain schedule.
    fn variant_properties(
        &mut self,
        variant: &WorkVariant,
        at_hand: &AtHand,
    ) -> Result<std::result::Result<VariantProperties, Fault>> {
        let options = self.options(at_hand);
        let failed = |message: &str| Fault::Failed { message: message.to_string(), broken: false };
        let compiled = match self.plain(variant.algorithm)? {
            Ok(compiled) => compiled,
            Err(message) => return Ok(Err(failed(message))),
        };
        let mut look = || -> std::result::Result<VariantProperties, Fault> {
            let root = match (variant.seed, variant.root_number) {
                (Some(seed), Some(number)) => Some(at_hand.root(seed, number).map_err(|m| failed(&m))?),
                _ => None,
            };
            let args = compiled.arguments(variant, root).map_err(|m| failed(&m))?;
            let (ran, heard) = run(compiled, &options, &args, true)?;
            let wrong = check(compiled, at_hand, &args, &ran);
            wrong.map_or(Ok(()), |problem| Err(failed(&format!("the reference result is wrong: {problem}"))))?;
            let steps: Option<Vec<(u64, u64)>> =
                heard.steps.iter().map(|step| Some((step.frontier?, step.edges?))).collect();
            let steps = steps.ok_or_else(|| failed("the machine of property runs does not count edges"))?;
            Ok(VariantProperties { root, result: result::hash(compiled.standard, &ran.globals), steps })
        };
        Ok(look())
    }

    /// The program of an algorithm under a plain schedule.
    pub(super) fn plain(&mut self, algorithm: i64) -> Result<&mut std::result::Result<Compiled, String>> {
        Ok(match self.plain.entry(algorithm) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(match self.lab.program_of(algorithm)? {
                Some(program) => Compiled::new(&program, &Under::Plain, self.settings.property_machine),
                None => Err("the algorithm has no implementation; `gw lab add schedules` adds some".to_string()),
            }),
        })
    }

    /// The program of a batch under its schedule.
    pub(super) fn compiled(&mut self, batch: &Batch) -> std::result::Result<&mut Compiled, Fault> {
        let (lab, machine) = (&*self.lab, self.settings.machine);
        let compiled = self.compiled.entry(batch.implementation).or_insert_with(|| {
            if let Some(name) = batch.schedule.strip_prefix(MODEL) {
                let model = lab.model(name).map_err(|error| error.to_string())?;
                let adviser = Adviser::parse(name, &model.file).map_err(|error| error.to_string())?;
                return Compiled::new(&batch.program, &Under::Model(&adviser), machine);
            }
            let schedule = batch.schedule.parse::<ProgramSchedule>().map_err(|error| format!("schedule: {error}"))?;
            Compiled::new(&batch.program, &Under::Schedule(&schedule), machine)
        });
        compiled.as_mut().map_err(|message| Fault::Failed { message: message.clone(), broken: false })
    }

    /// The implementations on the variants of a graph that they lack.
    fn in_turns(
        &mut self,
        work: &GraphWork,
        batches: &[Batch],
        at_hand: std::result::Result<&AtHand, &str>,
    ) -> Result<()> {
        let mut wanting: BTreeMap<(i64, i64), (&WorkVariant, Vec<&Batch>)> = BTreeMap::new();
        for batch in batches {
            // Another process may have been here since the work was listed.
            let done: HashSet<i64> = self.lab.variants_done(batch)?;
            for variant in batch.variants.iter().filter(|v| !done.contains(&v.id)) {
                wanting.entry((batch.run_config, variant.id)).or_insert((variant, Vec::new())).1.push(batch);
            }
        }
        for (variant, batches) in wanting.into_values() {
            if self.must_stop() {
                return Ok(());
            }
            self.variant(work, variant, &batches, at_hand)?;
            if self.done.interrupted {
                return Ok(());
            }
        }
        Ok(())
    }

    /// These implementations on one variant: a warm-up each whose result is looked at, then rounds of timed runs.
    fn variant(
        &mut self,
        work: &GraphWork,
        variant: &WorkVariant,
        batches: &[&Batch],
        at_hand: std::result::Result<&AtHand, &str>,
    ) -> Result<()> {
        let mut timed: Vec<Timed<'_>> = Vec::with_capacity(batches.len());
        for batch in batches {
            self.listener.at(&work.name, batch.name.as_deref().unwrap_or(&batch.schedule));
            let begun = match at_hand {
                Ok(at_hand) => self.begin(batch, variant, at_hand),
                Err(message) => Err(Fault::Failed { message: message.to_string(), broken: false }),
            };
            match begun {
                Ok(begun) => timed.push(begun),
                Err(fault) => self.fault(batch, variant, fault)?,
            }
            if self.done.interrupted {
                return Ok(());
            }
        }
        let Ok(at_hand) = at_hand else { return Ok(()) };
        let rounds = timed.iter().map(|timed| timed.repeats).max().unwrap_or(0);
        // Those that need no further round: among the others, each shall be first equally often.
        let mut finished: Vec<Timed<'_>> = Vec::new();
        for round in 0..rounds {
            take_turns(&mut timed, round);
            let mut left = Vec::with_capacity(timed.len());
            for mut one in timed {
                match self.again(&mut one, at_hand) {
                    Ok(()) => left.push(one),
                    Err(fault) => self.fault(one.batch, variant, fault)?,
                }
                if self.done.interrupted {
                    return Ok(());
                }
            }
            timed = left;
            if round == 0 {
                let taken = |timed: &Timed<'_>| timed.seconds.first().copied().unwrap_or(0.0);
                let fastest = timed.iter().map(taken).fold(f64::INFINITY, f64::min);
                for hopeless in timed.iter_mut().filter(|timed| taken(timed) > HOPELESS * fastest) {
                    hopeless.repeats = 1;
                }
            }
            finished.extend(timed.extract_if(.., |timed| timed.repeats <= round + 1));
        }
        for mut timed in finished {
            if let Err(fault) = self.energy(&mut timed, at_hand) {
                self.fault(timed.batch, variant, fault)?;
                if self.done.interrupted {
                    return Ok(());
                }
                continue;
            }
            let (batch, finished) = (timed.batch, timed.finished(variant.id));
            if self.lab.store_run(&self.environment, batch, &finished)? {
                self.done.runs += 1;
                self.done.not_validated += u64::from(!finished.validated);
            }
            self.listener.advance(1);
            self.ended += 1;
        }
        Ok(())
    }

    /// Notes that a run has no result.
    fn fault(&mut self, batch: &Batch, variant: &WorkVariant, fault: Fault) -> Result<()> {
        match fault {
            Fault::Cancelled => self.done.interrupted = true,
            Fault::Failed { message, broken } => {
                if broken {
                    self.compiled.remove(&batch.implementation);
                }
                self.lab.store_failure(batch, variant.id, &message)?;
                self.ended += 1;
            }
        }
        Ok(())
    }

    /// A warm-up whose result is looked at.
    fn begin<'b>(
        &mut self,
        batch: &'b Batch,
        variant: &WorkVariant,
        at_hand: &AtHand,
    ) -> std::result::Result<Timed<'b>, Fault> {
        let options = self.options(at_hand);
        let failed = |message: String| Fault::Failed { message, broken: false };
        let compiled = self.compiled(batch)?;
        let args = compiled.arguments(variant, variant.root).map_err(failed)?;
        let (ran, _) = run(compiled, &options, &args, true)?;
        let hash = result::hash(compiled.standard, &ran.globals);
        // What is not equal bit by bit may still be right.
        let validated = variant.result.as_ref() == Some(&hash)
            || (compiled.standard.is_some() && check(compiled, at_hand, &args, &ran).is_none());
        Ok(Timed {
            batch,
            args,
            repeats: batch.repeats,
            validated,
            hash,
            heard: Vec::new(),
            seconds: Vec::new(),
            device: Vec::new(),
            energy: None,
        })
    }

    /// A timed run.
    fn again(&mut self, timed: &mut Timed<'_>, at_hand: &AtHand) -> std::result::Result<(), Fault> {
        let options = self.options(at_hand);
        let (ran, steps) = run(self.compiled(timed.batch)?, &options, &timed.args, false)?;
        timed.heard.push(steps);
        timed.seconds.push(ran.seconds);
        timed.device.extend(ran.device_seconds);
        Ok(())
    }

    /// Repeats a run for its energy, where somebody wants it.
    fn energy(&mut self, timed: &mut Timed<'_>, at_hand: &AtHand) -> std::result::Result<(), Fault> {
        let Some(meter) = self.settings.energy else { return Ok(()) };
        let options = self.options(at_hand);
        let compiled = self.compiled(timed.batch)?;
        let energy = metered(meter, |_| run(compiled, &options, &timed.args, false).map(|_| ()))?;
        let stood_still = || "the counter of energy stood still while the run was repeated".to_string();
        timed.energy = Some(energy.ok_or_else(|| Fault::Failed { message: stood_still(), broken: false })?);
        Ok(())
    }

    pub(super) fn options(&self, at_hand: &AtHand) -> RunOptions {
        RunOptions {
            graphs: Arc::clone(&at_hand.source) as _,
            timeout: self.settings.time_limit,
            cancel: Arc::clone(&self.settings.cancel),
            ..RunOptions::default()
        }
    }
}

/// One implementation on a variant, in the middle of its timed runs.
struct Timed<'b> {
    batch: &'b Batch,
    args: Vec<String>,
    repeats: u32,
    validated: bool,
    hash: Vec<u8>,
    heard: Vec<Heard>,
    seconds: Vec<f64>,
    device: Vec<f64>,
    energy: Option<RowEnergy>,
}

impl Timed<'_> {
    fn finished(self, variant: i64) -> FinishedRun {
        let heard = &self.heard;
        let totals = [
            ("computation", Timing::of(heard.iter().map(Heard::computation))),
            ("run", Timing::of(self.seconds.iter().copied())),
            ("device", Timing::of(self.device.iter().copied())),
        ];
        let steps = heard.iter().map(|heard| heard.steps.len()).min().unwrap_or(0);
        let step = |at: usize| Timing::of(heard.iter().map(move |heard| heard.steps[at].seconds));
        FinishedRun {
            variant,
            validated: self.validated,
            samples: heard.len(),
            totals: totals.into_iter().filter_map(|(name, timing)| Some((name, timing?))).collect(),
            steps: (0..steps).filter_map(step).collect(),
            result: self.hash,
            energy: self.energy,
        }
    }
}

/// One observed run. For its results, with `fetch`, sizes of steps are found out as well; otherwise it is for times.
pub(super) fn run(
    compiled: &mut Compiled,
    options: &RunOptions,
    args: &[String],
    fetch: bool,
) -> std::result::Result<(RunResult, Heard), Fault> {
    let steps = Arc::new(Steps::new(&compiled.step, fetch));
    let mut options = RunOptions { fetch_results: fetch, observer: Some(Arc::clone(&steps) as _), ..options.clone() };
    options.argv.extend(args.iter().cloned());
    match guarded(|| compiled.program.run(&options)) {
        Ok(Ok(ran)) => Ok((ran, steps.take())),
        Ok(Err(error)) => Err(match error.kind() {
            ErrorKind::Cancelled => Fault::Cancelled,
            // A device that failed or hung may be in any state.
            ErrorKind::TimedOut { .. } | ErrorKind::Machine(_) => {
                Fault::Failed { message: error.to_string(), broken: true }
            }
            _ => Fault::Failed { message: error.to_string(), broken: false },
        }),
        Err(message) => Err(Fault::Failed { message, broken: true }),
    }
}

/// What the validator of a standard program finds wrong.
pub(super) fn check(compiled: &Compiled, at_hand: &AtHand, args: &[String], ran: &RunResult) -> Option<String> {
    let run = ProgramRun { graph: &at_hand.graph, args, results: &ran.globals };
    compiled.standard?.validate(&run).err().map(|problem| problem.to_string())
}
