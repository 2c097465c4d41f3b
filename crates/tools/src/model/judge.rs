//! `gw model validate`, `evaluate`, `compare`, `cross-validate` and `curve`.

use std::fmt::Write;

use clap::{Args, ValueEnum};
use gw_lab::{Baseline, Comparing, Comparison, Lab};
use gw_model::{
    Accuracy, Evaluation, Fractions, Model, Scope, cross_validate, curve, curve_sheet, evaluate, graph_sheet, validate,
};
use serde::Serialize;

use super::learning::LearningArguments;
use super::{Form, Measurements, find};
use crate::error::ToolError;
use crate::output::json;
use gw_cli::progress::phase;

#[derive(Args)]
pub struct Validate {
    #[command(flatten)]
    measurements: Measurements,
    /// The model: a file, or a name in the lab
    model: String,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
#[command(
    after_help = "A model that was trained on another machine is judged by the names of its candidates: give the \
                        lab or the --platform to judge it on. Where its like has another name there, say so: \
                        --as queue-push-serial=queue-push-cm."
)]
pub struct Evaluate {
    #[command(flatten)]
    measurements: Measurements,
    /// The models: files, or names in the lab
    #[arg(required = true)]
    models: Vec<String>,
    /// Judge on everything, also on what the models have learned from
    #[arg(long)]
    all: bool,
    /// The name that a candidate of the models has in this lab; may be repeated
    #[arg(long = "as", value_name = "CANDIDATE=NAME", value_parser = pair)]
    names: Vec<(String, String)>,
    /// Tell about each graph
    #[arg(long)]
    by_graph: bool,
    #[command(flatten)]
    form: Form,
}

/// Two words with `=` between them.
fn pair(text: &str) -> Result<(String, String), String> {
    let (candidate, name) = text.split_once('=').ok_or("two names with = between them are wanted")?;
    Ok((candidate.to_string(), name.to_string()))
}

#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// What ratios are taken of
    #[arg(long, value_enum, default_value_t = Against::Optimal)]
    against: Against,
    #[command(flatten)]
    form: Form,
}

/// What ratios are taken of.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// The best implementation at every step
    Optimal,
    /// The best single implementation for every variant
    BestSingle,
}

#[derive(Args)]
pub struct CrossValidate {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// Number of folds; 0 holds out each graph alone
    #[arg(long, value_name = "N", default_value_t = 10)]
    folds: usize,
    /// Tell about each graph
    #[arg(long)]
    by_graph: bool,
    #[command(flatten)]
    learning: LearningArguments,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
pub struct Curve {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// Shares to learn from, in percent
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "10,20,30,40,50,60,70,80,90,100")]
    percent: Vec<f64>,
    #[command(flatten)]
    learning: LearningArguments,
    #[command(flatten)]
    form: Form,
}

/// The counts of `gw model validate` as JSON.
#[derive(Serialize)]
struct Validation {
    held_out: Option<Accuracy>,
    all: Accuracy,
}

impl Validate {
    /// Counts right and wrong answers.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let model = find(Some(&lab), &self.model)?;
        let table = self.measurements.filter.read(&lab, &model.algorithm)?.table;
        let mut named = Vec::new();
        let held_out = match model.learning.fractions.held_out() {
            Some(_) => Some(validate(&model, &table, Scope::HeldOut)?),
            None => None,
        };
        named.extend(held_out.map(|accuracy| ("held out", accuracy)));
        let all = validate(&model, &table, Scope::All)?;
        named.push(("all", all));
        let note = "Right: the fastest core implementation is named. Partial: it is one of several that tie in the leaf. \
                    Near: at most 5 % slower than the fastest.\n";
        self.form.print(&Validation { held_out, all }, &Accuracy::sheet(&named), note)
    }
}

impl Evaluate {
    /// Compares predicted times.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let mut models: Vec<Model> =
            self.models.iter().map(|model| find(Some(&lab), model)).collect::<Result<_, ToolError>>()?;
        for model in &mut models {
            self.names.iter().try_for_each(|(candidate, name)| model.rename(candidate, name))?;
        }
        let algorithm = &models[0].algorithm;
        if let Some(other) = models.iter().find(|model| model.algorithm != *algorithm) {
            return Err(ToolError::usage(format!(
                "the models are for different algorithms: `{}` for {algorithm}, `{}` for {}",
                models[0].name, other.name, other.algorithm
            )));
        }
        let table = self.measurements.filter.read(&lab, algorithm)?.table;
        let scope = if self.all { Scope::All } else { Scope::HeldOut };
        let evaluation = evaluate(&models.iter().collect::<Vec<_>>(), &table, scope)?;
        let what = if self.all { "all variants" } else { "what the models have not learned from" };
        match self.by_graph {
            true if self.form.json => json(&evaluation),
            true => self.form.print(&evaluation, &graph_sheet(&evaluation.graphs), ""),
            false => {
                let note = format!("On {what}. {}{}", counted(&evaluation.comparison), conduct(&evaluation));
                self.form.print(&evaluation, &evaluation.comparison.sheet(), &note)
            }
        }
    }
}

impl Compare {
    /// Compares measured times.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let table = self.measurements.filter.read_all(&lab, &self.algorithm)?;
        let baseline = match self.against {
            Against::Optimal => Baseline::Optimal,
            Against::BestSingle => Baseline::BestNonSwitching,
        };
        let comparison = Comparison::of(&table, &Comparing { baseline, ..Comparing::default() });
        let note = counted(&comparison);
        self.form.print(&comparison, &comparison.sheet(), &note)
    }
}

impl CrossValidate {
    /// Trains and judges fold by fold.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let measured = self.measurements.filter.read(&lab, &self.algorithm)?;
        let naming = self.learning.naming("model", &self.algorithm, measured.commit)?;
        let learning = self.learning.learning(Fractions::default());
        let bar = phase("training fold by fold");
        let outcome = cross_validate(&measured.table, &naming, &learning, self.folds)?;
        drop(bar);
        if self.by_graph {
            return self.form.print(&outcome, &graph_sheet(&outcome.graphs), "");
        }
        let (least, most) = (outcome.nodes.iter().min().unwrap_or(&0), outcome.nodes.iter().max().unwrap_or(&0));
        let note = format!(
            "{} folds by graph: each variant by a model that has not seen its graph; trees of {least} to {most} nodes. {}",
            outcome.folds,
            counted(&outcome.comparison)
        );
        self.form.print(&outcome, &outcome.comparison.sheet(), &note)
    }
}

impl Curve {
    /// Trains and judges share by share.
    pub fn run(self) -> Result<(), ToolError> {
        let shares: Vec<f64> = self.percent.iter().map(|percent| percent / 100.0).collect();
        if shares.iter().any(|share| !(*share > 0.0 && *share <= 1.0)) {
            return Err(ToolError::usage("--percent: give numbers above 0 and at most 100".to_string()));
        }
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let measured = self.measurements.filter.read(&lab, &self.algorithm)?;
        let naming = self.learning.naming("model", &self.algorithm, measured.commit)?;
        let learning = self.learning.learning(Fractions::default());
        let bar = phase("training on shares");
        let points = curve(&measured.table, &naming, &learning, &shares)?;
        drop(bar);
        let note = "Total to Best fixed: on what the model has not seen. The last columns: on everything.\n";
        self.form.print(&points, &curve_sheet(&points), note)
    }
}

/// How many variants a comparison is about.
fn counted(comparison: &Comparison) -> String {
    let mut text = format!("{} variants compared", comparison.variants);
    if comparison.left_out > 0 {
        let _ = write!(text, "; {} left out, where a core implementation was not measured", comparison.left_out);
    }
    text + ".\n"
}

/// What the models did.
fn conduct(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    for model in &evaluation.models {
        let _ = write!(
            text,
            "{}: {} steps, {} switches, {} without an answer, {} at weak leaves",
            model.name, model.steps, model.switches, model.unknown, model.weak
        );
        if !model.missing.is_empty() {
            let _ = write!(text, "; candidates not measured here: {}", model.missing.join(", "));
        }
        text += "\n";
    }
    text
}
