//! What a model would choose at every step of measured variants, and how long that would take.

use gw_lab::{StepTable, Variant};
use gw_schedule::{ChosenBy, Feature};

use crate::cost;
use crate::error::{ModelError, Result};
use crate::model::Model;

/// What happens at weak leaves and to dear candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guard {
    /// The tree is believed.
    #[default]
    Off,
    /// The safe candidate runs instead, by the rules of [`gw_schedule::Guard`]. Late steps are not foreseen.
    On,
}

/// The candidates of a model in a table.
#[derive(Debug, Clone)]
pub struct Places {
    /// For each candidate its place in [`StepTable::implementations`]; `None` when it was not measured there.
    pub of: Vec<Option<usize>>,
    /// The place of the safe candidate; of the first that was measured when that one was not.
    pub safe: usize,
    /// The names of the candidates that were not measured.
    pub missing: Vec<String>,
}

impl Places {
    /// Finds the candidates by name, so that a model can be tried on the measurements of another machine.
    pub fn find(model: &Model, table: &StepTable) -> Result<Places> {
        let core = table.core();
        let place = |name: &str| core.iter().copied().find(|&i| table.implementations[i].name == name);
        let of: Vec<Option<usize>> = model.candidates.iter().map(|candidate| place(&candidate.name)).collect();
        let Some(safe) = of.iter().copied().flatten().next() else {
            let names: Vec<&str> = model.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
            let problem = format!("none of its candidates was measured there: {}", names.join(", "));
            return Err(ModelError::Unfit { model: model.name.clone(), problem });
        };
        let missing = model.candidates.iter().zip(&of).filter(|(_, place)| place.is_none());
        let missing = missing.map(|(candidate, _)| candidate.name.clone()).collect();
        Ok(Places { of, safe, missing })
    }
}

/// What a model chooses at one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The place of the implementation.
    pub implementation: usize,
    /// The tree had no answer, or one that was not measured: the choice before was kept.
    pub unknown: bool,
    /// The leaf was weak.
    pub weak: bool,
}

/// The choices of a model for the steps of a variant, in order. Without an answer the choice before stays; at the first
/// step that is the safe candidate.
pub fn choices(model: &Model, places: &Places, variant: &Variant, guard: Guard) -> Vec<Choice> {
    let rules = gw_schedule::Guard::default();
    let guard = (guard == Guard::On).then_some(&rules);
    let mut current = places.safe;
    let mut chosen = Vec::with_capacity(variant.steps.len());
    for step in &variant.steps {
        let answer = model.tree.decide(|feature: Feature| step.features[feature.index()]);
        let (candidate, by) = model.tree.choose_by(answer, Some(&cost::terms(&step.features)), None, guard);
        let wanted = match by {
            ChosenBy::Tie => None,
            ChosenBy::WeakLeaf | ChosenBy::Cost | ChosenBy::Time | ChosenBy::Small => Some(places.safe),
            ChosenBy::Leaf => places.of.get(candidate).copied().flatten(),
        };
        current = wanted.unwrap_or(current);
        chosen.push(Choice { implementation: current, unknown: wanted.is_none(), weak: answer.weak });
    }
    chosen
}

/// The seconds that choices would take at those steps that `counts` names if switching were free; NaN when one was not
/// measured.
pub(crate) fn free_seconds(variant: &Variant, choices: &[Choice], counts: impl Fn(usize) -> bool) -> f64 {
    let times = variant.steps.iter().zip(choices).enumerate().filter(|(step, _)| counts(*step));
    times.map(|(_, (step, choice))| step.seconds[choice.implementation]).sum()
}

/// As [`free_seconds`], with what switching costs where that is known.
pub(crate) fn seconds(table: &StepTable, variant: &Variant, choices: &[Choice], counts: impl Fn(usize) -> bool) -> f64 {
    let vertices = table.graphs[variant.graph].vertices;
    let switches = (1..choices.len()).filter(|&step| counts(step));
    let cost =
        |step: usize| table.switching.seconds(choices[step - 1].implementation, choices[step].implementation, vertices);
    switches.map(cost).sum::<f64>() + free_seconds(variant, choices, &counts)
}
