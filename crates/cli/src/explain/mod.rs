//! `gw explain`: why a run is this fast, what limits it, and what would help.

mod study;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use gw_explain::{Judged, ModelOptions, Options, Subject, explain, page, text, typical};
use gw_graph::text_file::read_text;
use gw_meter::{MeterError, Sheet, Target as Kind};
use gw_schedule::Family;

use crate::error::CliError;
use crate::machines::{self, Target};
use crate::output::{json, text as print, writable};
use crate::program::named::Named;
use crate::program::source;
use study::StudyArguments;

const HELP: &str = "\
Examples:
  gw explain bfs kron:18                            step by step: time, what limits it, what would help
  gw explain bfs kron:18 --html why.html            the same as a page with pictures
  gw explain sssp road:300x300:weights=1..100 --schedule s0:s1@push --suggestions 0
                                                    another schedule, without looking for better ones
  gw explain --measure-table cells.json             measures the cells of the table of model and measurement
  gw explain --table cells.json > table.md          models them, here or on another machine, and prints the table
  gw explain --table training.json --fit            fits the constants that no sheet has to cells of --training

`gw meter` measures the machine; without its sheet typical figures are taken. docs/explain.md explains the model.";

/// Arguments of `gw explain`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Explain {
    /// A standard program (see `gw programs`) or a .gt file
    #[arg(required_unless_present_any = ["measure_table", "table"])]
    program: Option<String>,
    /// Arguments of the program, the graph first
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// The machine to run on
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// A schedule, as `gw run` takes it [default: the program's own, else the machine's choice]
    #[arg(long, value_name = "auto|FILE|TEXT")]
    schedule: Option<String>,
    /// The sheet of the machine, from `gw meter` [default: the one kept for the target]
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,
    /// Write the explanation as a page that needs no other file
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Print one JSON object with every count
    #[arg(long)]
    json: bool,
    /// Timed runs
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Changes of schedule to suggest and measure
    #[arg(long, value_name = "N", default_value_t = 3)]
    suggestions: usize,
    /// Seconds that looking for suggestions may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    search: u64,
    /// Edges that the model may walk; later steps are taken to be as earlier ones
    #[arg(long, value_name = "N", default_value_t = 40_000_000)]
    edges: u64,
    /// Judge the kernels by this table of a profiler (see `gw criteria --help`) instead of by what the model counted
    #[arg(long, value_name = "CSV")]
    ncu: Option<PathBuf>,
    /// Do not measure the energy of a run, which takes two seconds where there is a meter
    #[arg(long)]
    no_energy: bool,
    #[command(flatten)]
    study: StudyArguments,
    #[command(flatten)]
    named: Named,
}

impl Explain {
    /// Explains; `threads` is 0 for all cores.
    pub fn run(self, threads: usize) -> Result<(), CliError> {
        if self.study.is_wanted() {
            return self.study.run(&self, threads);
        }
        self.html.as_deref().map_or(Ok(()), |page| writable(page, "--html"))?;
        let program = source::find(self.program.as_deref().unwrap_or_default())?;
        let subject = Subject::new(&program, &self.named.pairs(), &self.args)?;
        subject.notes.iter().for_each(|note| eprintln!("gw: {note}"));
        let wanted = source::schedule(&subject.program, self.schedule.as_deref())?;
        let machine = self.target.open(threads)?.machine;
        let sheet = self.sheet(machine.vm().family())?;
        let model = ModelOptions { threads: machine.threads(), edges: self.edges, ..ModelOptions::default() };
        let (runs, suggestions) = (self.runs, self.suggestions);
        let search = Duration::from_secs(self.search);
        let options = Options { model, runs, suggestions, search, energy: !self.no_energy };
        let mut explanation = explain(&subject, &wanted, &machine, &sheet, &options)?;
        if let Some(file) = &self.ncu {
            let table =
                read_text(file).map_err(|error| CliError::Usage(format!("cannot read {}: {error}", file.display())))?;
            let judged = Judged::of_ncu(&table, explanation.measured_seconds)
                .map_err(|error| CliError::Criteria { file: file.display().to_string(), error })?;
            explanation.criteria = Some(judged);
        }
        if let Some(file) = &self.html {
            write(file, &page::page(&explanation))?;
        }
        match self.json {
            true => json(&explanation),
            false => print(&text::text(&explanation)),
        }
    }

    /// The sheet that was given, else the one kept for the target, else typical figures.
    fn sheet(&self, family: Family) -> Result<Sheet, CliError> {
        let kind = if family == Family::Gpu { Kind::Cuda } else { Kind::Cpu };
        if let Some(file) = &self.sheet {
            return Ok(Sheet::load_for(file, kind).map_err(gw_explain::ExplainError::from)?);
        }
        match Sheet::find(kind) {
            Ok(sheet) => Ok(sheet),
            Err(MeterError::NotMeasured { .. }) => {
                eprintln!("gw: this machine is not measured yet: typical figures are taken; `gw meter` measures it");
                Ok(typical(kind))
            }
            Err(error) => Err(gw_explain::ExplainError::from(error).into()),
        }
    }
}

fn write(file: &Path, content: &str) -> Result<(), CliError> {
    std::fs::write(file, content).map_err(|error| CliError::Usage(format!("{}: {error}", file.display())))
}
