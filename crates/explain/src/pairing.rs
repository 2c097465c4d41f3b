//! Which modelled steps belong to which measured step.

use crate::measured::{MeasuredRun, MeasuredStep};
use crate::modelled::{ModelledRun, ModelledStep};

/// A measured step and the modelled steps that were measured as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Its place among the measured steps.
    pub(crate) measured: usize,
    /// Their places among the modelled steps; several for a loop that ran as one kernel.
    pub(crate) modelled: Vec<usize>,
    /// The step was not traced: an earlier one of its operator stands for it.
    pub(crate) assumed: bool,
    /// The step is a whole loop.
    pub(crate) whole_loop: bool,
}

/// Measured and modelled steps side by side. They come in the same order; where numbers of steps differ (a run is cut
/// off, or rounds depend on the order of threads), steps of an operator are paired in their order. Measured steps
/// whose operator was never traced are left out.
pub(crate) fn pairs(measured: &MeasuredRun, modelled: &ModelledRun) -> Vec<Pair> {
    let alike = |m: &MeasuredStep, s: &ModelledStep| m.path == s.path && m.operator == s.operator;
    let mut taken = vec![false; modelled.steps.len()];
    let mut next_of: Vec<(&str, &str, usize)> = Vec::new();
    let mut found = Vec::new();
    for (place, m) in measured.steps.iter().enumerate() {
        let whole = whole_loop(m, modelled, &mut taken);
        if !whole.is_empty() {
            found.push(Pair { measured: place, modelled: whole, assumed: false, whole_loop: true });
            continue;
        }
        // Each operator goes through the modelled steps once.
        let known = next_of.iter().position(|(path, operator, _)| *path == m.path && *operator == m.operator);
        let known = known.unwrap_or_else(|| {
            next_of.push((&m.path, &m.operator, 0));
            next_of.len() - 1
        });
        let from = next_of[known].2;
        let next = (from..modelled.steps.len()).find(|&i| !taken[i] && alike(m, &modelled.steps[i]));
        next_of[known].2 = next.map_or(modelled.steps.len(), |i| i + 1);
        let (place_of_model, assumed) = match next {
            Some(i) => (Some(i), false),
            None => (last_alike(modelled, m), true),
        };
        if let Some(i) = place_of_model {
            taken[i] = true;
            found.push(Pair { measured: place, modelled: vec![i], assumed, whole_loop: false });
        }
    }
    found
}

/// The steps of the body of a loop that was measured as one step.
fn whole_loop(m: &MeasuredStep, modelled: &ModelledRun, taken: &mut [bool]) -> Vec<usize> {
    if m.operator != "While" {
        return Vec::new();
    }
    let inside = |path: &str| path == m.path || path.strip_prefix(&m.path).is_some_and(|rest| rest.starts_with(':'));
    let mut steps = Vec::new();
    for (i, step) in modelled.steps.iter().enumerate() {
        if !taken[i] && inside(&step.path) {
            taken[i] = true;
            steps.push(i);
        }
    }
    steps
}

/// The last traced step of the operator of a step, of the same variant where there is one.
fn last_alike(run: &ModelledRun, m: &MeasuredStep) -> Option<usize> {
    let alike = |step: &ModelledStep| step.path == m.path && step.operator == m.operator;
    let same = run.steps.iter().rposition(|step| alike(step) && step.variant == m.variant);
    same.or_else(|| run.steps.iter().rposition(alike))
}
