//! `gw model train`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gw_lab::Lab;
use gw_model::{Fractions, Model, record, train};

use super::Measurements;
use super::learning::{LearningArguments, words};
use crate::error::ToolError;
use crate::output::{json, text};
use gw_cli::apart::Apart;
use gw_cli::progress::phase;

/// Arguments of `gw model train`.
#[derive(Args)]
#[command(after_help = format!("Features: {}.", words()))]
pub struct Train {
    #[command(flatten)]
    measurements: Measurements,
    /// The algorithm, such as bfs
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The name of the model
    #[arg(long)]
    name: String,
    /// Write the model to a file
    #[arg(short, long, value_name = "FILE", required_unless_present = "store")]
    out: Option<PathBuf>,
    /// Keep the model in the lab
    #[arg(long)]
    store: bool,
    /// A sentence about the model, for the lab
    #[arg(long, value_name = "TEXT", requires = "store")]
    description: Option<String>,
    /// Share of the graphs to learn from; the others are held out
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    train_graphs: f64,
    /// Share of the variants to learn from
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    train_variants: f64,
    /// Share of the steps to learn from
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    train_steps: f64,
    #[command(flatten)]
    learning: LearningArguments,
    /// Print the model as JSON
    #[arg(long)]
    json: bool,
}

impl Train {
    /// Trains, keeps and tells.
    pub fn run(self) -> Result<(), ToolError> {
        let path = &self.measurements.lab;
        Apart::default().files([path]).writing("--out", self.out.as_deref()).check()?;
        let mut lab = if self.store { Lab::open(path)? } else { Lab::open_read_only(path)? };
        if self.store && lab.models(None)?.iter().any(|model| model.name == self.name) {
            return Err(ToolError::usage(format!(
                "--name {}: the lab has a model of this name; choose another",
                self.name
            )));
        }
        let measured = self.measurements.filter.read(&lab, &self.algorithm)?;
        let fractions = Fractions { graphs: self.train_graphs, variants: self.train_variants, steps: self.train_steps };
        let naming = self.learning.naming(&self.name, &self.algorithm, measured.commit)?;
        let bar = phase("training");
        let model = train(&measured.table, &naming, &self.learning.learning(fractions))?;
        drop(bar);
        if let Some(out) = &self.out {
            model.write(out)?;
        }
        if self.store {
            lab.store_model(&record(&model, self.description.clone()))?;
        }
        if self.json { json(&model) } else { text(&summary(&model)) }
    }
}

/// What a person wants to know about a model first.
pub fn summary(model: &Model) -> String {
    let mut out = format!(
        "{}: {} on {}, learned from {} of {} rows of {} graphs\n",
        model.name,
        model.algorithm,
        model.platform,
        model.training_rows,
        model.all_rows,
        model.training_graphs.len()
    );
    let _ = write!(out, "tree: {} nodes, depth {}", model.tree.nodes().len(), model.tree.depth());
    out += &model.training.map_or_else(String::new, |on| {
        format!("; on the rows it learned from: Total {:.3}, Avg {:.3}, Worst {:.2}", on.total, on.avg, on.worst)
    });
    out += "\n";
    for (i, candidate) in model.candidates.iter().enumerate() {
        let safe = if i == 0 { " (safe)" } else { "" };
        let _ = writeln!(out, "  {i} {}{safe}: {}", candidate.name, candidate.schedule);
    }
    let shown = model.tree.to_string();
    let _ = writeln!(out, "{}", shown.split(';').next().unwrap_or_default());
    out
}
