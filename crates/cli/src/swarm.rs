//! `gw swarm`: a program on the simulated Swarm machine over numbers of cores.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use graphwright::{Machine, Program};
use gw_graph::progress::Progress;
use gw_swarm::{Report, SwarmVm, page};
use rayon::prelude::*;

use crate::apart::Apart;
use crate::error::CliError;
use crate::machines::Parameters;
use crate::output::{grouped, text};
use crate::progress::Bar;

const HELP: &str = "\
Examples:
  gw swarm bfs road:32x32                             cycles and speedups on 1, 4, 16 and 64 cores
  gw swarm sssp-delta kron:10:weights=1..64 0 4 --cores 1,16,256 --page sssp.html
                                                      from vertex 0 with delta 4, as a page of stacked bars
  gw swarm sssp-delta kron:10:weights=1..64 0 4 --schedule 's0:s1@lb=edge-based,hint=on'

Results are verified where the program is a standard one. docs/swarm.md explains the machine, its parameters and its schedules.";

/// Arguments of `gw swarm`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Swarm {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// Arguments of the program, the graph first
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// Numbers of cores
    #[arg(long, value_delimiter = ',', default_value = "1,4,16,64", value_name = "N,...")]
    cores: Vec<usize>,
    /// A schedule for Swarm: canonical text such as s0:s1@hint=on, or a file [default: the machine's defaults]
    #[arg(long, value_name = "FILE|TEXT")]
    schedule: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// Write a page of stacked bars
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Print one JSON array with everything that was counted
    #[arg(long)]
    json: bool,
}

impl Swarm {
    /// Runs the program on every number of cores and prints the cycles.
    pub fn run(self, cancel: &Arc<AtomicBool>) -> Result<(), CliError> {
        let read = Apart::reading([&*self.program]).and(&self.args).and(&self.schedule);
        read.writing("--page", self.page.as_deref()).check()?;
        let program = Program::find(&self.program)?;
        let config = self.parameters.config()?;
        let schedule = self.schedule.as_deref().unwrap_or(graphwright::schedule::AUTO);
        cancel.store(false, Ordering::Relaxed);
        let bar = Bar::late();
        bar.begin("simulating", Some(self.cores.len() as u64));
        let run = |&cores: &usize| -> Result<Report, CliError> {
            let machine = SwarmVm::new(config.clone().with_cores(cores)).map_err(|e| CliError::Usage(e.to_string()))?;
            let machine = Arc::new(machine);
            let job = program.job().args(self.args.iter().map(String::as_str)).schedule(schedule);
            let outcome = job.machine(&Machine::shared(Arc::clone(&machine) as _, 1)).cancel(cancel).run()?;
            if program.as_standard().is_some() {
                outcome.verify()?;
            }
            bar.advance(1);
            Ok(machine.last_report())
        };
        let reports: Vec<Report> = self.cores.par_iter().map(run).collect::<Result<_, _>>()?;
        drop(bar);
        if let Some(file) = &self.page {
            let title = format!("{} {} on Swarm under {schedule}", program.name(), self.args.join(" "));
            gw_graph::format::write_file(file, page::page(&title, &reports).as_bytes())?;
        }
        match self.json {
            true => crate::output::json(&reports),
            false => text(&table(&reports)),
        }
    }
}

/// A line per number of cores.
fn table(reports: &[Report]) -> String {
    let mut out = format!("{:>6} {:>16} {:>8}", "cores", "cycles", "speedup");
    let names = Report::default().parts().map(|(name, _)| name);
    names.iter().for_each(|name| out += &format!(" {name:>13}"));
    out += &format!(" {:>12}\n", "aborts");
    for report in reports {
        let cycles = grouped(report.stats.cycles);
        out += &format!("{:>6} {cycles:>16} {:>8.2}", report.config.cores, page::speedup(reports, report));
        let total = report.stats.cores.total().max(1) as f64;
        report.parts().iter().for_each(|(_, part)| out += &format!(" {:>11.1} %", *part as f64 * 100.0 / total));
        out += &format!(" {:>12}\n", grouped(report.stats.aborts()));
    }
    let mut host: Vec<&String> = reports.iter().flat_map(|report| &report.host).collect();
    host.dedup();
    host.iter().for_each(|words| out += &format!("on the host, without cycles: {words}\n"));
    out
}
