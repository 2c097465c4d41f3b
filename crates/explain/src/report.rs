//! The explanation of a run, step by step.

use std::time::Duration;

use graphwright::Machine;
use graphwright::schedule::{Decision, Origin, Wanted};
use gw_graph::progress::Progress;
use gw_meter::Sheet;
use serde::Serialize;

use crate::energy::{RunEnergy, energy};
use crate::error::Result;
use crate::judged::Judged;
use crate::machine::OperatorMachine;
use crate::measured::{MeasuredRun, Repeat, measure};
use crate::modelled::{ModelOptions, ModelledRun, ModelledStep, model};
use crate::pairing::{Pair, pairs};
use crate::predict::Costs;
use crate::subject::Subject;
use crate::suggest::{Suggestion, measure_all, suggest};

/// A change of schedule is suggested where its modelled time is below this share of that of the schedule at hand.
const WORTHWHILE: f64 = 0.98;

/// How a run is explained.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How it is modelled.
    pub model: ModelOptions,
    /// Timed runs.
    pub runs: u32,
    /// Suggestions wanted.
    pub suggestions: usize,
    /// Time that looking for suggestions may take.
    pub search: Duration,
    /// Ask the meter of the machine for the energy of a run.
    pub energy: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: ModelOptions::default(),
            runs: 9,
            suggestions: 3,
            search: Duration::from_secs(5),
            energy: false,
        }
    }
}

impl Options {
    fn repeat(&self) -> Repeat {
        Repeat { runs: self.runs, limit: Duration::MAX }
    }
}

/// One step: measured, modelled, least possible.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// Seconds measured; `None` where the machine is not at hand.
    pub measured_seconds: Option<f64>,
    /// Steps of the program in it: more than one for a loop that ran as one kernel.
    pub rounds: usize,
    /// The model of the step.
    pub model: ModelledStep,
}

/// The explanation of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The machine.
    pub machine: String,
    /// Threads of the host.
    pub threads: usize,
    /// The machine that the sheet describes, and whether it was measured.
    pub sheet: String,
    /// Vertices and edges of the graph.
    pub graph: Option<(usize, usize)>,
    /// The schedule as text.
    pub schedule: String,
    /// Where the schedule comes from.
    pub origin: &'static str,
    /// Why it was chosen, place by place.
    pub reasons: Vec<String>,
    /// Seconds of the fastest run; `None` where the machine is not at hand.
    pub measured_seconds: Option<f64>,
    /// The steps.
    pub steps: Vec<StepReport>,
    /// The operator machines.
    pub machines: Vec<OperatorMachine>,
    /// Changes of schedule that the model expects to help.
    pub suggestions: Vec<Suggestion>,
    /// How many changes of schedule the model looked at; `None` where none was looked for.
    pub considered: Option<usize>,
    /// Criteria of the kernels of a GPU.
    pub criteria: Option<Judged>,
    /// The energy of a run; `None` where nobody asked.
    pub energy: Option<RunEnergy>,
    /// The modelled time of the schedule at hand as the suggestions are modelled, to compare them with.
    pub modelled_seconds: f64,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

/// Explains a run on a machine. `progress` hears what is being done.
pub fn explain(
    subject: &Subject,
    wanted: &Wanted,
    machine: &Machine,
    sheet: &Sheet,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Explanation> {
    let vm = machine.vm();
    progress.begin("measuring the run", None);
    let measured = measure(subject, wanted, vm, options.repeat())?;
    progress.begin("modelling the run", None);
    let modelled = model(subject, wanted, vm, sheet, &options.model)?;
    let decision = measured.decision.clone();
    let mut notes = subject.notes();
    if let Some(step) = modelled.cut_after {
        notes.push(format!(
            "the model traced {} steps ({} edges at most); later steps are taken to be as the last one of their operator",
            step + 1,
            options.model.edges
        ));
    }
    for machine in &modelled.machines {
        if let Some(function) = &machine.uncounted {
            notes.push(format!(
                "warning: the function {function} looks up neighbours on its own, which the model does not count: its \
                 steps take longer than modelled, and nothing that is said about them holds"
            ));
        }
    }
    let steps = paired(&measured, &modelled, &options.model.costs);
    let hottest = hottest_path(&steps, &modelled);
    let modelled_seconds = steps.iter().map(|step| step.model.prediction.seconds).sum();
    let (mut suggestions, mut considered) = (Vec::new(), None);
    if let (Some(decision), Some(path)) = (&decision, hottest.filter(|_| options.suggestions > 0))
        && modelled.cut_after.is_none()
    {
        // What is not expected to be faster is no suggestion, and is not modelled to its end.
        let most_seconds = WORTHWHILE * modelled_seconds;
        let limits = ModelOptions { most_seconds, ..options.model };
        let suggested = suggest(subject, decision, &path, (vm, sheet), &limits, options.search, progress);
        considered = Some(suggested.considered);
        suggestions = suggested.found.into_iter().filter(|s| s.modelled_seconds < most_seconds).collect();
        suggestions.truncate(options.suggestions);
        measure_all(subject, &mut suggestions, vm, options.repeat(), progress);
    }
    let energy = match options.energy {
        true => {
            progress.begin("metering the run", None);
            Some(energy(subject, wanted, vm, sheet.target)?)
        }
        false => None,
    };
    let criteria = sheet.gpu.as_ref().and_then(|gpu| Judged::of_model(&steps, Some(measured.seconds), gpu));
    Ok(Explanation {
        program: subject.program().name().to_string(),
        arguments: subject.args().to_vec(),
        machine: machine.name().to_string(),
        threads: options.model.threads,
        sheet: sheet.machine.clone(),
        graph: subject.graph().map(|graph| (graph.vertices(), graph.edges())),
        schedule: decision.as_ref().map(|d| d.schedule.to_string()).unwrap_or_default(),
        origin: decision.as_ref().map_or("none", origin),
        reasons: decision.iter().flat_map(|d| d.reasons.iter().map(ToString::to_string)).collect(),
        measured_seconds: Some(measured.seconds),
        steps,
        machines: modelled.machines,
        suggestions,
        considered,
        criteria,
        energy,
        modelled_seconds,
        notes,
    })
}

fn origin(decision: &Decision) -> &'static str {
    match decision.origin {
        Origin::Program => "the program's own",
        Origin::Given => "given",
        Origin::Chosen => "chosen by the machine for this graph",
        Origin::Tuned => "found by `gw tune` for this graph",
        Origin::None => "the defaults of the machine",
    }
}

/// Measured steps, each with the model of what was measured as one step.
fn paired(measured: &MeasuredRun, modelled: &ModelledRun, costs: &Costs) -> Vec<StepReport> {
    let report = |pair: &Pair| {
        let m = &measured.steps[pair.measured];
        let mut rounds = pair.modelled.iter().map(|&i| &modelled.steps[i]);
        let mut model = ModelledStep { assumed: pair.assumed, ..rounds.next()?.clone() };
        for round in rounds {
            model.counts.add(&round.counts);
            model.prediction.add(&round.prediction);
            model.edges = model.edges.zip(round.edges).map(|(a, b)| a + b);
        }
        if pair.whole_loop {
            (model.operator, model.path) = (m.operator.clone(), m.path.clone());
            model.schedule = m.schedule.clone();
            model.prediction.seconds += costs.loop_seconds();
            model.prediction.fixed_seconds += costs.loop_seconds();
        }
        Some(StepReport { measured_seconds: Some(m.seconds), rounds: pair.modelled.len(), model })
    };
    pairs(measured, modelled).iter().filter_map(report).collect()
}

/// The label of the edge operator that takes most of the time. Of a loop that ran as one kernel: of the operator in it
/// that takes most of the modelled time.
fn hottest_path(steps: &[StepReport], modelled: &ModelledRun) -> Option<String> {
    let mut times: Vec<(&str, f64)> = Vec::new();
    let mut add = |path, seconds: f64| match times.iter_mut().find(|(known, _)| *known == path) {
        Some((_, sum)) => *sum += seconds,
        None => times.push((path, seconds)),
    };
    for step in steps.iter().filter(|step| step.rounds == 1) {
        add(&step.model.path, step.measured_seconds.unwrap_or(step.model.prediction.seconds));
    }
    for step in modelled.steps.iter().filter(|_| modelled.fused) {
        add(&step.path, step.prediction.seconds);
    }
    let has_edges = |path: &str| {
        let mut of_path = modelled.steps.iter().filter(|step| step.path == path);
        of_path.any(|step| step.machine.is_some_and(|m| modelled.machines[m].direction.is_some()))
    };
    let most = times.into_iter().filter(|(path, _)| has_edges(path)).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (!most.0.is_empty()).then(|| most.0.to_string())
}
