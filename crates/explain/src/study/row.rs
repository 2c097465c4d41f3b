//! A traced cell predicted: its steps measured beside modelled.

use gw_meter::Sheet;
use serde::Serialize;

use super::cell::{Cell, StudyCell, TracedStep};
use crate::predict::{Costs, Prediction, predict};

/// Steps and totals of a cell.
#[derive(Debug, Clone, Serialize)]
pub struct StudyRow {
    /// The cell.
    pub cell: Cell,
    /// The machine.
    pub machine: String,
    /// Threads of the host.
    pub threads: usize,
    /// The steps that were traced.
    pub steps: Vec<StudyStep>,
    /// Measured seconds of these steps.
    pub measured: f64,
    /// Modelled seconds of these steps.
    pub modelled: f64,
    /// Steps that were measured and not traced.
    pub not_traced: usize,
}

/// A step, measured and modelled.
#[derive(Debug, Clone, Serialize)]
pub struct StudyStep {
    /// Label path; empty without labels.
    pub path: String,
    /// Steps of the program in it: more than one for a loop that ran as one kernel.
    pub rounds: usize,
    /// Seconds measured.
    pub measured: f64,
    /// Seconds modelled.
    pub modelled: f64,
    /// Vertices handed out.
    pub vertices: u64,
    /// Edges walked.
    pub edges: u64,
    /// What limits the step by the model.
    pub limited_by: String,
    /// The prediction, with all resources.
    #[serde(skip)]
    pub prediction: Prediction,
}

/// The row of a traced cell on the machine of a sheet.
pub fn row(cell: &StudyCell, sheet: &Sheet, costs: &Costs) -> StudyRow {
    let steps: Vec<StudyStep> =
        cell.traced.iter().filter(|step| !step.assumed).map(|traced| step(traced, sheet, costs)).collect();
    StudyRow {
        cell: cell.cell.clone(),
        machine: cell.machine.clone(),
        threads: cell.threads,
        measured: steps.iter().map(|step| step.measured).sum(),
        modelled: steps.iter().map(|step| step.modelled).sum(),
        not_traced: cell.traced.len() - steps.len(),
        steps,
    }
}

/// The prediction of a traced step.
pub(super) fn prediction(traced: &TracedStep, sheet: &Sheet, costs: &Costs) -> Prediction {
    let mut rounds = traced.rounds.iter().map(|round| predict(&round.counts, sheet, round.facts, costs));
    let mut whole = rounds.next().unwrap_or_default();
    rounds.for_each(|round| whole.add(&round));
    if traced.whole_loop {
        whole.seconds += costs.loop_seconds();
        whole.fixed_seconds += costs.loop_seconds();
    }
    whole
}

fn step(traced: &TracedStep, sheet: &Sheet, costs: &Costs) -> StudyStep {
    use crate::machine::Server;
    let prediction = prediction(traced, sheet, costs);
    let served = |server| traced.rounds.iter().map(|round| round.counts.completions[server]).sum();
    StudyStep {
        path: traced.path.clone(),
        rounds: traced.rounds.len(),
        measured: traced.seconds,
        modelled: prediction.seconds,
        vertices: served(Server::Input),
        edges: served(Server::Neighbour),
        limited_by: crate::text::limit(&prediction),
        prediction,
    }
}

impl StudyRow {
    /// Measured and modelled seconds of the steps that take at least this share of the measured time: others are of
    /// no interest, and mostly noise.
    pub fn pairs(&self, share: f64) -> Vec<(f64, f64)> {
        let pairs = self.steps.iter().map(|step| (step.measured, step.modelled));
        pairs.filter(|(measured, _)| *measured >= share * self.measured).collect()
    }

    /// The relative error of all traced steps together.
    pub fn error(&self) -> f64 {
        self.modelled / self.measured - 1.0
    }

    /// Mean and largest relative error of the steps that take at least this share of the time; `None` without any.
    pub fn step_errors(&self, share: f64) -> Option<(f64, f64)> {
        let errors: Vec<f64> = self.pairs(share).iter().map(|(m, p)| (p / m - 1.0).abs()).collect();
        let largest = errors.iter().copied().reduce(f64::max)?;
        Some((errors.iter().sum::<f64>() / errors.len() as f64, largest))
    }

    /// What limits most of the measured time, with its share.
    pub fn bottleneck(&self) -> (String, f64) {
        let mut times: Vec<(&str, f64)> = Vec::new();
        for step in &self.steps {
            match times.iter_mut().find(|(known, _)| *known == step.limited_by) {
                Some((_, sum)) => *sum += step.measured,
                None => times.push((&step.limited_by, step.measured)),
            }
        }
        let most = times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        most.map_or(("nothing".into(), 0.0), |(name, seconds)| {
            (name.to_string(), seconds / self.measured.max(f64::MIN_POSITIVE))
        })
    }
}
