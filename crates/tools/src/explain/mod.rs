//! `gw explain`: why a run is this fast, what limits it, and what would help.

mod study;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gw_exec::SpecGraphs;
use gw_explain::{Judged, ModelOptions, Options, Subject, explain, page, text, typical};
use gw_graph::text_file::read_text;
use gw_meter::{MachineFacts, MeterError, Sheet, Target as Kind};
use gw_schedule::Family;

use crate::error::ToolError;
use crate::output::{json, text as print, writable};
use gw_cli::apart::Apart;
use gw_cli::machines::{self, Target};
use gw_cli::program::named::Named;
use gw_cli::program::notes::Notes;
use gw_cli::program::source;
use gw_cli::progress::Bar;
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
    #[arg(long, value_name = "auto|FILE|TEXT", conflicts_with = "study")]
    schedule: Option<String>,
    /// The sheet of the machine, from `gw meter` [default: the one kept for the target]
    #[arg(long, value_name = "FILE", conflicts_with = "measure_table")]
    sheet: Option<PathBuf>,
    /// Write the explanation as a page that needs no other file
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Print one JSON object with every count
    #[arg(long, conflicts_with_all = ["measure_table", "fit"])]
    json: bool,
    /// Timed runs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with = "table"
    )]
    runs: u32,
    /// Changes of schedule to suggest and measure
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "study")]
    suggestions: usize,
    /// Seconds that looking for suggestions may take; no further change is modelled after them
    #[arg(long, value_name = "SECONDS", default_value_t = 5, conflicts_with = "study")]
    search: u64,
    /// Edges that the model may walk; later steps are taken to be as earlier ones
    #[arg(long, value_name = "N", default_value_t = 40_000_000, conflicts_with = "measure_table")]
    edges: u64,
    /// Judge the kernels by this table of a profiler (see `gw criteria --help`) instead of by what the model counted
    #[arg(long, value_name = "CSV", conflicts_with = "study")]
    ncu: Option<PathBuf>,
    /// Do not measure the energy of a run, which takes two seconds where there is a meter
    #[arg(long, conflicts_with = "study")]
    no_energy: bool,
    #[command(flatten)]
    study: StudyArguments,
    #[command(flatten)]
    named: Named,
}

impl Explain {
    /// Explains; `threads` is 0 for all cores.
    pub fn run(self, threads: usize) -> Result<(), ToolError> {
        if self.study.is_wanted() {
            return self.study.run(&self, threads);
        }
        let read = Apart::reading(self.program.as_deref()).and(&self.args).and(&self.schedule);
        read.files(self.sheet.iter().chain(&self.ncu)).writing("--html", self.html.as_deref()).check()?;
        self.html.as_deref().map_or(Ok(()), |page| writable(page, "--html"))?;
        let program = source::find(self.program.as_deref().unwrap_or_default())?;
        let (bar, graphs) = (Bar::late(), Arc::new(SpecGraphs::new()));
        if let Some(graph) = self.args.first() {
            // What is wrong with it is said below, where the arguments are looked at.
            let _ = graphs.load_with(graph, None, &bar);
        }
        drop(bar);
        let mut job = program.job().args(&self.args).graphs(graphs).schedule_title("--schedule");
        job = self.named.pairs().into_iter().fold(job, |job, (name, value)| job.arg(&name, value));
        if let Some(schedule) = &self.schedule {
            job = job.schedule(schedule);
        }
        let notes = Notes::default();
        let subject = Subject::of(job.listen(move |note| notes.tell(note)).plan()?);
        let machine = self.target.open(threads)?;
        if self.ncu.is_some() && machine.vm().family() != Family::Gpu {
            let mend = "a table of ncu is about kernels of a GPU; `--target cuda` runs there, `gw criteria` judges the table alone";
            return Err(ToolError::usage(format!("--ncu with --target {}: {mend}", machine.name())));
        }
        let wanted = subject.planned_schedule(&machine);
        let sheet = self.sheet(machine.vm().family())?;
        let here = match machine.vm().device() {
            Some(device) => Some(device.name),
            None => MachineFacts::read().cpu,
        };
        let is_typical = sheet.machine == typical(sheet.target).machine;
        if let Some(here) = here.filter(|here| !is_typical && *here != sheet.machine) {
            eprintln!(
                "gw: warning: the sheet is about {}, and this is {here}: modelled times are those of the former",
                sheet.machine
            );
        }
        let model = ModelOptions { threads: machine.threads(), edges: self.edges, ..ModelOptions::default() };
        let (runs, suggestions) = (self.runs, self.suggestions);
        let search = Duration::from_secs(self.search);
        let options = Options { model, runs, suggestions, search, energy: !self.no_energy };
        let bar = Bar::late();
        let mut explanation = explain(&subject, &wanted, &machine, &sheet, &options, &bar)?;
        drop(bar);
        if let Some(file) = &self.ncu {
            let table = read_text(file)
                .map_err(|error| ToolError::usage(format!("cannot read {}: {error}", file.display())))?;
            let judged = Judged::of_ncu(&table, explanation.measured_seconds)
                .map_err(|error| ToolError::Criteria { file: file.display().to_string(), error })?;
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
    fn sheet(&self, family: Family) -> Result<Sheet, ToolError> {
        let kind = if family == Family::Gpu { Kind::Cuda } else { Kind::Cpu };
        if let Some(file) = &self.sheet {
            return Ok(Sheet::load_for(file, kind).map_err(gw_explain::ExplainError::from)?);
        }
        match Sheet::find(kind) {
            Ok(sheet) => Ok(sheet),
            Err(MeterError::NotMeasured { .. } | MeterError::NoFolder) => {
                eprintln!("gw: this machine is not measured yet: typical figures are taken; `gw meter` measures it");
                Ok(typical(kind))
            }
            Err(error) => Err(gw_explain::ExplainError::from(error).into()),
        }
    }
}

fn write(file: &Path, content: &str) -> Result<(), ToolError> {
    gw_graph::format::write_file(file, content.as_bytes())?;
    Ok(())
}
