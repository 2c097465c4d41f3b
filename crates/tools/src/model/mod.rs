//! `gw model`: trains decision trees from a lab, judges and exports them; models of workload.

mod choice;
mod judge;
mod learning;
mod look;
mod switching;
mod train;
mod workload;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use gw_lab::{Lab, Sheet, StepTable, TableQuery};
use gw_model::{Measured, Model};
use serde::Serialize;

use crate::error::ToolError;
use crate::output::{json, text};

/// Examples, shown by `gw model --help`.
pub const HELP: &str = "\
Example, with a lab that has BFS measured on a CPU (see `gw lab --help`):
  gw model compare my.lab --algorithm bfs            which fixed schedule is best?
  gw model cross-validate my.lab --algorithm bfs     how good is a model on graphs it has not seen?
  gw model train my.lab --algorithm bfs --name bfs-cpu -o bfs-cpu.json
  gw model show my.lab bfs-cpu kron-12 'root 17'      what does it choose, and why?
  gw run bfs graph.gwg 0 --schedule adaptive:bfs-cpu.json

docs/models.md explains training, the numbers and the model file.";

/// The commands about models.
#[derive(Subcommand)]
pub enum ModelCommand {
    /// Learn a model from the measurements of a lab
    Train(train::Train),
    /// How often does a model name the fastest implementation?
    Validate(judge::Validate),
    /// How long would the choices of models take, against the optimum and every fixed schedule?
    Evaluate(judge::Evaluate),
    /// Compare the measured implementations
    Compare(judge::Compare),
    /// Train and judge a model per fold of the graphs: every graph is held out once
    CrossValidate(judge::CrossValidate),
    /// How good are models that have seen only a part of the data?
    Curve(judge::Curve),
    /// Add runs that alternate between implementations: they show what switching costs
    Alternate(switching::Alternate),
    /// What does it cost to go from one implementation to another?
    Switching(switching::Switching),
    /// What does a model choose at each step of a run, and why?
    Show(look::Show),
    /// Which features does a model look at?
    Importance(look::Importance),
    /// Write a model as JSON nodes, Rust source or CUDA source
    Export(look::Export),
    /// List the models of a lab
    List(look::List),
    /// Tell everything about one model
    Query(look::Query),
    /// Learn which schedule of the portfolio suits an operator on a graph, from surveys of the tuner
    Choice(choice::Choice),
    /// Predict the memory operations of a round of PageRank from the size of a graph
    Workload(workload::Workload),
}

/// Runs a command about models.
pub fn run(command: ModelCommand) -> Result<(), ToolError> {
    match command {
        ModelCommand::Train(command) => command.run(),
        ModelCommand::Validate(command) => command.run(),
        ModelCommand::Evaluate(command) => command.run(),
        ModelCommand::Compare(command) => command.run(),
        ModelCommand::CrossValidate(command) => command.run(),
        ModelCommand::Curve(command) => command.run(),
        ModelCommand::Alternate(command) => command.run(),
        ModelCommand::Switching(command) => command.run(),
        ModelCommand::Show(command) => command.run(),
        ModelCommand::Importance(command) => command.run(),
        ModelCommand::Export(command) => command.run(),
        ModelCommand::List(command) => command.run(),
        ModelCommand::Query(command) => command.run(),
        ModelCommand::Choice(command) => command.run(),
        ModelCommand::Workload(command) => command.run(),
    }
}

/// Which measurements of a lab.
#[derive(Args)]
struct Measurements {
    /// The lab
    lab: PathBuf,
    #[command(flatten)]
    filter: Filter,
}

/// Which of the measurements of an algorithm.
#[derive(Args)]
struct Filter {
    /// Times of this platform [default: the only one with runs]
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Only graphs of this dataset; may be repeated
    #[arg(long, value_name = "NAME")]
    dataset: Vec<String>,
    /// Only implementations for this machine, such as cpu
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Only implementations that run this program [default: the only one]
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Only runs of this commit [default: the only one]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// What the lab knew at this moment, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "UTC")]
    as_of: Option<String>,
    /// Count the least time of the repeats instead of their mean: for machines that do other work beside
    #[arg(long)]
    least: bool,
}

impl Filter {
    fn query(&self, algorithm: &str) -> TableQuery {
        TableQuery {
            algorithm: algorithm.to_string(),
            platform: self.platform.clone(),
            datasets: self.dataset.clone(),
            target: self.target.clone(),
            commit: self.commit.clone(),
            as_of: self.as_of.clone(),
            complete: false,
            least: self.least,
        }
    }

    /// Reads the steps of an algorithm under the schedules of one program.
    fn read(&self, lab: &Lab, algorithm: &str) -> Result<Measured, ToolError> {
        Ok(gw_model::measured(lab, &self.query(algorithm), self.program.as_deref())?)
    }

    /// Reads the steps of an algorithm; of all its programs, where none is named.
    fn read_all(&self, lab: &Lab, algorithm: &str) -> Result<StepTable, ToolError> {
        match self.program {
            Some(_) => Ok(self.read(lab, algorithm)?.table),
            None => Ok(lab.step_table(&self.query(algorithm))?),
        }
    }
}

/// How a table is printed.
#[derive(Args)]
struct Form {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the table as LaTeX
    #[arg(long, conflicts_with = "json")]
    latex: bool,
}

impl Form {
    /// Prints a sheet and a note under it, or the value behind them.
    fn print(&self, value: &impl Serialize, sheet: &Sheet, note: &str) -> Result<(), ToolError> {
        match self {
            Form { json: true, .. } => json(value),
            Form { latex: true, .. } => text(&sheet.to_latex()),
            _ => text(&format!("{}{note}", sheet.to_text())),
        }
    }
}

/// A model: a file where there is one, else a name in the lab.
fn find(lab: Option<&Lab>, model: &str) -> Result<Model, ToolError> {
    let path = Path::new(model);
    match lab {
        Some(lab) if !path.exists() => Ok(gw_model::load(lab, model)?),
        _ => Ok(Model::read(path)?),
    }
}
