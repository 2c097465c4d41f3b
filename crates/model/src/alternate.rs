//! Models that alternate between two implementations: their runs show what switching costs ([`gw_lab::Switching`]).

use std::num::NonZeroU16;

use gw_lab::StepTable;
use gw_schedule::Tree;

use crate::error::{ModelError, Result};
use crate::model::{Candidate, Model};
use crate::train::{Learning, Naming};

/// Steps among which are some with another implementation than the step before. All after them run like the last: not
/// switching may cost something, too.
const STEPS: u16 = 24;

/// The model that alternates between two implementations of a table, given by name: the second runs every `every`-th
/// step, the first the others. Their keys in the lab are added to its own name. The longer the first runs, the less
/// is left in the caches of what the second needs.
pub fn alternating(
    table: &StepTable,
    naming: &Naming,
    (first, second): (&str, &str),
    every: NonZeroU16,
) -> Result<Model> {
    let candidate = |name: &str| -> Result<(Candidate, String)> {
        let found = table.core().into_iter().map(|i| &table.implementations[i]).find(|i| i.name == name);
        let found = found.ok_or_else(|| ModelError::Unfit {
            model: naming.name.to_string(),
            problem: format!("no core implementation `{name}` was measured"),
        })?;
        let (name, schedule, implementation) = (found.name.clone(), found.schedule.clone(), found.id);
        Ok((Candidate { name, schedule, implementation }, found.target.clone()))
    };
    let ((first, target), (second, _)) = (candidate(first)?, candidate(second)?);
    let is_second = |step: u16| step % every == every.get() - 1;
    let mut choices: Vec<u16> = (0..STEPS).map(|step| u16::from(is_second(step))).collect();
    let mut name = format!("{}-{}-{}", naming.name, first.implementation, second.implementation);
    if every.get() > 2 {
        // The second may be a poor choice for a whole run.
        choices.push(0);
        name = format!("{name}-every-{every}");
    }
    Ok(Model {
        format: Model::FORMAT,
        name,
        algorithm: naming.algorithm.clone(),
        program: table.program.clone(),
        target,
        platform: table.platform.clone(),
        label: naming.label.to_string(),
        candidates: vec![first, second],
        tree: Tree::replay(&choices),
        features: Vec::new(),
        ties: Vec::new(),
        learning: Learning::default(),
        datasets: Vec::new(),
        training_graphs: Vec::new(),
        held_out_graphs: Vec::new(),
        training_rows: 0,
        all_rows: 0,
        training: None,
        created: naming.created.clone(),
        commit: naming.commit.clone(),
    })
}
