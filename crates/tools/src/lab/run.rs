//! `gw lab run`: measures what is missing.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use graphwright::Machine;
use gw_graph::progress::Progress;
use gw_lab::{CollectListener, Collected, Collection, Lab, collect};

use crate::error::ToolError;
use crate::output::{grouped, text};
use gw_cli::machines::{self, Target};
use gw_cli::progress::Bar;

/// Problems that are shown one by one.
const SHOWN: usize = 10;

#[derive(Args)]
pub struct Run {
    /// The lab
    lab: PathBuf,
    /// The machine
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// A run that takes longer than this has failed. Reading the graph and compiling for a processor do not count;
    /// kernels of a GPU that the cache does not have yet do, in the first run of a program
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Begin nothing after this time; running again goes on
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    stop_after: Option<Duration>,
    /// Try a run that failed so many times more
    #[arg(long, value_name = "N", default_value_t = 2)]
    retries: u32,
    /// Forget what failed before and try it again
    #[arg(long)]
    again: bool,
    /// Look for files of graphs in this folder first, by their names
    #[arg(long, value_name = "FOLDER")]
    graphs: Option<PathBuf>,
    /// Meter the energy of every run that is measured now: two seconds more per run. `gw lab list LAB energy` shows it;
    /// runs that were measured before have none
    #[arg(long)]
    energy: bool,
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0);
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| "write a number of seconds above 0".to_string())
}

impl Run {
    /// Measures; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        let mut lab = Lab::open(&self.lab)?;
        let machine = self.target.open(threads)?;
        if self.again {
            lab.forget_failures()?;
        }
        let meter = self.energy.then(|| gw_cli::energy::meter(machine.vm().name(), "--energy")).transpose()?;
        let counting = Machine::cpu(threads);
        let settings = Collection {
            machine: machine.vm(),
            threads: machine.threads(),
            property_machine: counting.vm(),
            time_limit: self.time_limit,
            stop_after: self.stop_after,
            retries: self.retries,
            graph_folder: self.graphs.clone(),
            energy: meter.as_deref(),
            cancel: Arc::clone(cancel),
        };
        let mut screen = Screen { bar: Bar::new() };
        cancel.store(false, Ordering::Relaxed);
        let collected = collect(&mut lab, &settings, &mut screen);
        // From here on Ctrl-C ends the process at once.
        cancel.store(true, Ordering::Relaxed);
        drop(screen);
        let collected = collected?;
        report(&collected)?;
        match (collected.interrupted, collected.problems.len()) {
            (true, _) => Err(ToolError::Interrupted(collected.runs as usize)),
            (false, 0) => Ok(()),
            (false, bad) => Err(ToolError::LabRuns { bad }),
        }
    }
}

fn report(collected: &Collected) -> Result<(), ToolError> {
    for problem in collected.problems.iter().take(SHOWN) {
        let what = problem.implementation.as_deref().unwrap_or("properties");
        let times = if problem.times == 1 { "once".to_string() } else { format!("{} times", problem.times) };
        eprintln!("gw: {what} on {}, {}: failed {times}: {}", problem.graph, problem.config, problem.message);
    }
    if collected.problems.len() > SHOWN {
        eprintln!("gw: and {} more; `gw lab list FILE failures` shows all", collected.problems.len() - SHOWN);
    }
    let mut said = format!("measured {} runs", grouped(collected.runs));
    let mut add = |count: u64, words: &str| {
        if count > 0 {
            said.push_str(&format!("; {} {words}", grouped(count)));
        }
    };
    add(collected.properties, "variants had their properties worked out");
    add(collected.not_validated, "gave results that were not found right (`gw lab validate` looks again)");
    add(collected.elsewhere, "are left to another process");
    add(collected.left, "are still missing");
    text(&(said + "\n"))
}

/// The progress bar.
struct Screen {
    bar: Bar,
}

impl CollectListener for Screen {
    fn begin(&mut self, runs: u64) {
        self.bar.begin("measuring", Some(runs));
    }

    fn at(&mut self, graph: &str, what: &str) {
        self.bar.say(&format!("{graph}: {what}"));
    }

    fn advance(&mut self, runs: u64) {
        self.bar.advance(runs);
    }
}
