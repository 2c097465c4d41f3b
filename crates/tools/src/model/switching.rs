//! `gw model alternate` and `switching`: what it costs to go from one implementation to another.

use std::num::NonZeroU16;

use clap::Args;
use gw_lab::{Lab, SwitchRow};
use gw_model::{Fractions, alternating, record, train};

use super::learning::LearningArguments;
use super::{Form, Measurements};
use crate::error::ToolError;
use crate::output::text;

#[derive(Args)]
#[command(
    after_help = "`gw lab run` then measures them, `gw model switching` tells what came of it, and `train`, `evaluate` \
                        and `cross-validate` count what switching costs."
)]
pub struct Alternate {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The implementations [default: those that a model would choose from]
    #[arg(value_name = "IMPLEMENTATION")]
    names: Vec<String>,
    /// Run the second of two at every N-th step only: the longer the first runs, the less the caches hold for the
    /// second
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(2..))]
    every: u16,
    #[command(flatten)]
    learning: LearningArguments,
}

#[derive(Args)]
pub struct Switching {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    #[command(flatten)]
    form: Form,
}

impl Alternate {
    /// Keeps the models in the lab, and has them measured like any other implementation.
    pub fn run(self) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.measurements.lab)?;
        let measured = self.measurements.filter.read(&lab, &self.algorithm)?;
        let naming = |name: &str| self.learning.naming(name, &self.algorithm, measured.commit.clone());
        let names = match self.names.is_empty() {
            false => self.names.clone(),
            true => {
                let learning = self.learning.learning(Fractions::default());
                let model = train(&measured.table, &naming("model")?, &learning)?;
                model.candidates.into_iter().map(|candidate| candidate.name).collect()
            }
        };
        if names.len() < 2 {
            return Err(ToolError::usage(format!("name two implementations or more, not only {}", names.join(", "))));
        }
        let every = NonZeroU16::new(self.every).unwrap_or(NonZeroU16::MIN);
        let known: Vec<String> = lab.models(None)?.into_iter().map(|model| model.name).collect();
        let mut added = 0;
        for (i, first) in names.iter().enumerate() {
            for second in &names[i + 1..] {
                let model = alternating(&measured.table, &naming("alternate")?, (first, second), every)?;
                if !known.contains(&model.name) {
                    let what = format!("alternates {first} and {second}, one of {every} steps");
                    lab.store_model(&record(&model, Some(what)))?;
                }
                added += lab.add_model_implementation(&self.algorithm, &model.name, &model.program, &model.target)?.new;
            }
        }
        text(&format!("added {added} implementations that alternate between two of: {}\n", names.join(", ")))
    }
}

impl Switching {
    /// Prints the costs that were measured.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let table = self.measurements.filter.read(&lab, &self.algorithm)?.table;
        let rows = table.switching.rows(&table);
        let note = match table.switching.is_known() {
            true => {
                "A step takes so much longer when the first ran before it. Pairs that are not here count like their kind.\n"
            }
            false => {
                "Nothing was measured: switching counts as free. `gw model alternate` adds runs that show what it costs.\n"
            }
        };
        self.form.print(&rows, &SwitchRow::sheet(&rows), note)
    }
}
