//! How often a model names the fastest implementation.

use gw_lab::{Field, Sheet, StepTable};
use gw_schedule::TreeNode;
use serde::Serialize;

use crate::data::least;
use crate::error::Result;
use crate::evaluate::{Scope, hold_out};
use crate::model::Model;
use crate::predict::Places;

/// Counts of answers. The label of a row is the core implementation with the least mean seconds, candidate or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Accuracy {
    /// The answer is the label.
    pub right: usize,
    /// The label is one of several that tie in the leaf.
    pub partial: usize,
    /// The answer is another.
    pub wrong: usize,
    /// Several tie in the leaf, and the label is none of them; or the answer was not measured.
    pub unknown: usize,
    /// Of the wrong ones: those that take at most a twentieth longer than the label.
    pub near: usize,
}

impl Accuracy {
    /// All rows.
    pub fn rows(&self) -> usize {
        self.right + self.partial + self.wrong + self.unknown
    }

    /// The share of wrong answers.
    pub fn hard_error(&self) -> f64 {
        self.wrong as f64 / self.rows().max(1) as f64
    }

    /// The share of answers that are wrong or only partly right.
    pub fn soft_error(&self) -> f64 {
        (self.wrong + self.partial) as f64 / self.rows().max(1) as f64
    }

    /// As a sheet with a row for each of several.
    pub fn sheet(named: &[(&str, Accuracy)]) -> Sheet {
        let mut sheet = Sheet::new([
            "Rows of",
            "Rows",
            "Right",
            "Partial",
            "Wrong",
            "Of these near",
            "Unknown",
            "Hard error %",
            "Soft error %",
        ]);
        for (name, accuracy) in named {
            let counts =
                [accuracy.rows(), accuracy.right, accuracy.partial, accuracy.wrong, accuracy.near, accuracy.unknown];
            let mut fields = vec![Field::Text((*name).to_string())];
            fields.extend(counts.map(|count| Field::Integer(count as i64)));
            fields.extend([accuracy.hard_error(), accuracy.soft_error()].map(|error| Field::Real(100.0 * error)));
            sheet.rows.push(fields);
        }
        sheet
    }
}

/// Counts the answers of a model.
pub fn validate(model: &Model, table: &StepTable, scope: Scope) -> Result<Accuracy> {
    let mut keep: Vec<Vec<bool>> = table.variants.iter().map(|variant| vec![true; variant.steps.len()]).collect();
    if scope == Scope::HeldOut {
        hold_out(model, table, &mut keep)?;
    }
    let places = Places::find(model, table)?;
    let core = table.core();
    let mut accuracy = Accuracy::default();
    for (x, variant) in table.variants.iter().enumerate() {
        if !table.is_complete(x, &core) {
            continue;
        }
        for (step, _) in variant.steps.iter().zip(&keep[x]).filter(|(_, keep)| **keep) {
            let best = least(&step.seconds, &core);
            let leaf = &model.tree.nodes()[model.tree.leaf(|feature| step.features[feature.index()])];
            let TreeNode::Leaf(leaf) = leaf else { continue };
            let times: Vec<Option<f64>> = leaf
                .candidates
                .iter()
                .map(|&c| places.of.get(usize::from(c)).copied().flatten().map(|i| step.seconds[i]))
                .collect();
            match times[..] {
                [Some(time)] if time == best => accuracy.right += 1,
                [Some(time)] => {
                    accuracy.wrong += 1;
                    accuracy.near += usize::from(time <= 1.05 * best);
                }
                _ if times.contains(&Some(best)) => accuracy.partial += 1,
                _ => accuracy.unknown += 1,
            }
        }
    }
    Ok(accuracy)
}
