//! `gw lab validate`, `import`, `merge`, `contribute` and `vacuum`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use graphwright::Machine;
use gw_lab::{Collection, Lab, revalidate};

use super::run::seconds;
use crate::error::ToolError;
use crate::output::{bytes, text};
use gw_cli::machines::{self, Target};

#[derive(Args)]
pub struct Validate {
    /// The lab
    lab: PathBuf,
    /// The machine
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// Give up on a run that takes longer than this
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Look for files of graphs in this folder first, by their names
    #[arg(long, value_name = "FOLDER")]
    graphs: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
The first line of the table names its columns:
  system   the other system                           needed
  graph    the graph's name in the lab                needed
  seconds  mean seconds                               needed
  dataset  the graph's dataset                        where two datasets have a graph of this name
  config   the configuration, or                      where the algorithm has several
  root     the root vertex
  timer    what was timed [default: computation]
  min, max, std_dev  in seconds [default: the mean, the mean, 0]
Other columns are an error. Nothing is taken in when a line is wrong.")]
pub struct Import {
    /// The lab
    lab: PathBuf,
    /// A CSV file
    table: PathBuf,
    /// The algorithm
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The platform that the timings were taken on
    #[arg(long, value_name = "NAME")]
    platform: String,
}

#[derive(Args)]
pub struct Merge {
    /// The lab that takes in
    lab: PathBuf,
    /// The lab that is taken in; it stays as it is
    other: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
What is in the file: numbers of vertices and edges, degrees, sizes of frontiers, schedules, times, energies, the names of
processor and device and their sheets (`gw meter`). What is not: names, files and contents of graphs, results, models, messages, the version of the system.
`gw lab merge LAB FILE` takes the file, and `gw model train` and `gw tune` use what it says.")]
pub struct Contribute {
    /// The lab
    lab: PathBuf,
    /// The file to make
    file: PathBuf,
}

#[derive(Args)]
pub struct Vacuum {
    /// The lab
    lab: PathBuf,
}

impl Validate {
    /// Runs again what was not found right; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let machine = self.target.open(threads)?;
        let counting = Machine::cpu(threads);
        let settings = Collection {
            machine: machine.vm(),
            threads: machine.threads(),
            property_machine: counting.vm(),
            time_limit: self.time_limit,
            stop_after: None,
            retries: 0,
            graph_folder: self.graphs.clone(),
            energy: None,
            cancel: Arc::clone(cancel),
        };
        cancel.store(false, Ordering::Relaxed);
        let looked = revalidate(&mut lab, &settings);
        cancel.store(true, Ordering::Relaxed);
        let looked = looked?;
        for problem in &looked.wrong {
            let what = problem.implementation.as_deref().unwrap_or("");
            eprintln!("gw: {what} on {}, {}: {}", problem.graph, problem.config, problem.message);
        }
        text(&format!("{} runs found right; {} not\n", looked.right, looked.wrong.len()))?;
        match (looked.interrupted, looked.wrong.len()) {
            (true, _) => Err(ToolError::Interrupted(looked.right as usize)),
            (false, 0) => Ok(()),
            (false, bad) => Err(ToolError::LabRuns { bad }),
        }
    }
}

impl Import {
    /// Takes in a table.
    pub fn run(self) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let added = lab.import(&self.table, &self.algorithm, &self.platform)?;
        text(&format!("took in {} timings of {} systems; {} replaced\n", added.timings, added.systems, added.replaced))
    }
}

impl Merge {
    /// Takes in a lab.
    pub fn run(self) -> Result<(), ToolError> {
        let merged = Lab::open(&self.lab)?.merge(&self.other)?;
        text(&format!(
            "took in {} graphs, {} implementations, {} runs, {} timings of other systems, {} models, {} trials of tuners, \
             {} sheets of machines\n",
            merged.graphs,
            merged.implementations,
            merged.runs,
            merged.external,
            merged.models,
            merged.trials,
            merged.machines
        ))
    }
}

impl Contribute {
    /// Writes the file.
    pub fn run(self) -> Result<(), ToolError> {
        let made = Lab::open(&self.lab)?.contribute(&self.file)?;
        text(&format!(
            "made {}: {} graphs by their features, {} runs, {} trials of tuners, {}\n",
            self.file.display(),
            made.graphs,
            made.runs,
            made.trials,
            bytes(made.bytes)
        ))
    }
}

impl Vacuum {
    /// Makes the file small.
    pub fn run(self) -> Result<(), ToolError> {
        let (before, after) = Lab::open(&self.lab)?.vacuum()?;
        text(&format!("{}: {} before, {} now\n", self.lab.display(), bytes(before), bytes(after)))
    }
}
