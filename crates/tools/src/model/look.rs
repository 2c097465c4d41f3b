//! `gw model show`, `importance`, `export`, `list` and `query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gw_lab::{Field, Lab, Sheet};
use gw_model::{export, show, show_sheet};
use serde::Serialize;

use super::train::summary;
use super::{Form, Measurements, find};
use crate::error::ToolError;
use crate::output::{json, text};
use gw_cli::apart::Apart;

#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    measurements: Measurements,
    /// The model: a file, or a name in the lab
    model: String,
    /// The graph
    graph: String,
    /// The configuration, such as 'root 17' (see `gw lab list LAB variants`)
    config: String,
    #[command(flatten)]
    form: Form,
}

/// A model by file or by name.
#[derive(Args)]
struct Chosen {
    /// The model: a file, or a name in the lab given by --lab
    model: String,
    /// The lab that has the model
    #[arg(long, value_name = "FILE")]
    lab: Option<PathBuf>,
}

impl Chosen {
    fn read(&self) -> Result<gw_model::Model, ToolError> {
        let lab = self.lab.as_ref().map(Lab::open_read_only).transpose()?;
        find(lab.as_ref(), &self.model)
    }
}

#[derive(Args)]
pub struct Importance {
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    chosen: Chosen,
    /// What to write
    #[arg(long = "as", value_enum, default_value_t = As::Json)]
    form: As,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What a model is written as.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum As {
    /// The nodes as JSON
    Json,
    /// A Rust module with a function `decide`
    Rust,
    /// A header for CUDA C++ with a function `gw_decide`
    Cuda,
    /// The model file
    Model,
}

#[derive(Args)]
pub struct List {
    /// The lab
    lab: PathBuf,
    /// What the lab knew at this moment, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "UTC")]
    as_of: Option<String>,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
pub struct Query {
    #[command(flatten)]
    chosen: Chosen,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    /// Prints the steps.
    pub fn run(self) -> Result<(), ToolError> {
        let lab = Lab::open_read_only(&self.measurements.lab)?;
        let model = find(Some(&lab), &self.model)?;
        let table = self.measurements.filter.read(&lab, &model.algorithm)?.table;
        let steps = show(&model, &table, &self.graph, &self.config)?;
        self.form.print(&steps, &show_sheet(&steps), "")
    }
}

impl Importance {
    /// Prints the features.
    pub fn run(self) -> Result<(), ToolError> {
        let model = self.chosen.read()?;
        self.form.print(&model.features, &model.importance_sheet(), "")
    }
}

impl Export {
    /// Writes the model in another form.
    pub fn run(self) -> Result<(), ToolError> {
        let read = Apart::reading([&*self.chosen.model]).files(&self.chosen.lab);
        read.writing("--out", self.out.as_deref()).check()?;
        let model = self.chosen.read()?;
        let written = match self.form {
            As::Json => export(&model, gw_model::Export::Json),
            As::Rust => export(&model, gw_model::Export::Rust),
            As::Cuda => export(&model, gw_model::Export::Cuda),
            As::Model => model.to_json(),
        };
        match &self.out {
            Some(path) => {
                gw_graph::format::write_file(path, written.as_bytes())?;
                Ok(())
            }
            None => text(&written),
        }
    }
}

/// A model of a list, as JSON.
#[derive(Serialize)]
struct Listed {
    name: String,
    algorithm: String,
    platform: String,
    train_graphs: f64,
    train_variants: f64,
    train_steps: f64,
    created: String,
    description: Option<String>,
}

impl List {
    /// Prints the models.
    pub fn run(self) -> Result<(), ToolError> {
        let models = Lab::open_read_only(&self.lab)?.models(self.as_of.as_deref())?;
        let mut sheet =
            Sheet::new(["Name", "Algorithm", "Platform", "Graphs", "Variants", "Steps", "Created", "About"]);
        let mut listed = Vec::new();
        for model in models {
            sheet.rows.push(vec![
                Field::Text(model.name.clone()),
                Field::Text(model.algorithm.clone()),
                Field::Text(model.platform.clone()),
                Field::Real(model.train_graphs),
                Field::Real(model.train_variants),
                Field::Real(model.train_steps),
                Field::Text(model.created.clone()),
                model.description.clone().map_or(Field::Nothing, Field::Text),
            ]);
            listed.push(Listed {
                name: model.name,
                algorithm: model.algorithm,
                platform: model.platform,
                train_graphs: model.train_graphs,
                train_variants: model.train_variants,
                train_steps: model.train_steps,
                created: model.created,
                description: model.description,
            });
        }
        self.form.print(&listed, &sheet, "")
    }
}

impl Query {
    /// Prints all about a model.
    pub fn run(self) -> Result<(), ToolError> {
        let model = self.chosen.read()?;
        if self.json {
            return json(&model);
        }
        let learning = &model.learning;
        let more = format!(
            "features in use: {}\ncriterion: {:?}; total weight {}; max depth {}; min rows {}; min gain {}; pruning folds {}; \
             ambiguous leaves {:?}; incomplete variants {}\n\
             shares: graphs {}, variants {}, steps {}; seed {}\ntied leaves: {}\nlearned from: {}\nheld out: {}\n\
             created {}, timings of commit {}\n",
            model.tree.features().iter().map(|f| f.word()).collect::<Vec<_>>().join(", "),
            learning.criterion,
            learning.total_weight,
            learning.max_depth,
            learning.min_rows,
            learning.min_gain,
            learning.folds,
            learning.ambiguous,
            if learning.skip_incomplete { "skipped" } else { "used" },
            learning.fractions.graphs,
            learning.fractions.variants,
            learning.fractions.steps,
            learning.seed,
            model.ties.iter().map(|tie| tie.leaves).sum::<u64>(),
            model.training_graphs.join(", "),
            if model.held_out_graphs.is_empty() { "nothing".to_string() } else { model.held_out_graphs.join(", ") },
            model.created,
            model.commit.as_deref().unwrap_or("unknown"),
        );
        text(&(summary(&model) + &more))
    }
}
