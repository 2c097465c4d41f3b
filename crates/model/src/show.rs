//! What a model chooses at every step of one variant, and why.

use gw_lab::{Field, Sheet, StepTable};
use gw_schedule::Feature;
use serde::Serialize;

use crate::data::least;
use crate::error::{ModelError, Result};
use crate::model::Model;
use crate::predict::{Guard, Places, choices};

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct ShownStep {
    /// Its number.
    pub step: usize,
    /// The implementation that the model chooses.
    pub choice: String,
    /// Its seconds.
    pub seconds: f64,
    /// The fastest implementation.
    pub best: String,
    /// Its seconds.
    pub best_seconds: f64,
    /// The tree had no answer: the choice before was kept.
    pub unknown: bool,
    /// The leaf was weak.
    pub weak: bool,
    /// The splits on the way to the leaf.
    pub path: Vec<Rule>,
}

/// A split on the way to a leaf.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Rule {
    /// What was looked at.
    pub feature: Feature,
    /// Its value at this step.
    pub value: f64,
    /// Whether it was at most the threshold.
    pub at_most: bool,
    /// The threshold.
    pub threshold: f64,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.at_most { "<=" } else { ">" };
        write!(f, "{}={} {sign} {}", self.feature, short(self.value), self.threshold)
    }
}

/// A number with four digits, whole numbers as they are.
fn short(value: f64) -> String {
    match value {
        v if v == v.trunc() && v.abs() < 1e15 => format!("{v}"),
        v if v.abs() >= 1e-3 => format!("{v:.4}"),
        v => format!("{v:.3e}"),
    }
}

/// The steps of the variant of a graph with this configuration.
pub fn show(model: &Model, table: &StepTable, graph: &str, config: &str) -> Result<Vec<ShownStep>> {
    let of_graph: Vec<_> = table.variants.iter().filter(|v| table.graphs[v.graph].name == graph).collect();
    let Some(variant) = of_graph.iter().find(|variant| variant.config == config) else {
        let configs: Vec<&str> = of_graph.iter().map(|variant| variant.config.as_str()).collect();
        let mut graphs: Vec<&str> = table.variants.iter().map(|v| table.graphs[v.graph].name.as_str()).collect();
        graphs.sort_unstable();
        graphs.dedup();
        let known = match configs.is_empty() {
            true => format!("graphs: {}", graphs.join(", ")),
            false => format!("variants of this graph: {}", configs.join(", ")),
        };
        return Err(ModelError::UnknownVariant { graph: graph.to_string(), config: config.to_string(), known });
    };
    let places = Places::find(model, table)?;
    let core = table.core();
    let chosen = choices(model, &places, variant, Guard::Off);
    let shown = variant.steps.iter().zip(chosen).enumerate().map(|(number, (step, choice))| {
        let best_seconds = least(&step.seconds, &core);
        let best = core.iter().find(|&&i| step.seconds[i] == best_seconds);
        let value = |feature: Feature| step.features[feature.index()];
        let path = model.tree.path(value).into_iter();
        ShownStep {
            step: number,
            choice: table.implementations[choice.implementation].name.clone(),
            seconds: step.seconds[choice.implementation],
            best: best.map_or_else(String::new, |&i| table.implementations[i].name.clone()),
            best_seconds,
            unknown: choice.unknown,
            weak: choice.weak,
            path: path
                .map(|(feature, threshold, at_most)| Rule { feature, value: value(feature), at_most, threshold })
                .collect(),
        }
    });
    Ok(shown.collect())
}

/// A row per step.
pub fn show_sheet(steps: &[ShownStep]) -> Sheet {
    let mut sheet = Sheet::new(["Step", "Choice", "Time us", "Best", "Best us", "Ratio", "Leaf", "Because"]);
    for step in steps {
        let leaf = match (step.unknown, step.weak) {
            (true, _) => "unknown",
            (_, true) => "weak",
            _ => "",
        };
        let rules: Vec<String> = step.path.iter().map(Rule::to_string).collect();
        sheet.rows.push(vec![
            Field::Integer(step.step as i64),
            Field::Text(step.choice.clone()),
            Field::Real(1e6 * step.seconds),
            Field::Text(step.best.clone()),
            Field::Real(1e6 * step.best_seconds),
            Field::Real(step.seconds / step.best_seconds),
            Field::Text(leaf.to_string()),
            Field::Text(rules.join(", ")),
        ]);
    }
    sheet
}
