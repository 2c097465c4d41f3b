//! Model against measurement over many cells: `gw explain --measure-table` and `--table`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use graphwright::{Machine, Program};
use gw_exec::{GraphVm, SpecGraphs};
use gw_explain::predict::Costs;
use gw_explain::{
    Cell, Cells, ModelOptions, Repeat, StudyCell, Subject, counted_for, fit, measure_cell, program_of,
    random_schedules, row, study_cells, study_tables, text, trace_cell,
};
use gw_meter::Sheet;
use gw_schedule::Family;

use super::{Explain, write};
use crate::error::ToolError;
use crate::output::{json, text as print};
use gw_cli::apart::Apart;
use gw_cli::program::source;

/// Arguments of a study. Those of one kind require the group of both kinds and refuse the other kind: a required
/// argument that a given one conflicts with would count as not required.
#[derive(Args)]
pub struct StudyArguments {
    /// Measure the cells of the table into this file
    #[arg(long, value_name = "FILE", group = "study", conflicts_with_all = ["program", "table", "html"])]
    measure_table: Option<PathBuf>,
    /// Model the cells of this file and print the table
    #[arg(long, value_name = "FILE", group = "study", conflicts_with_all = ["program", "html"])]
    table: Option<PathBuf>,
    /// With --table: keep the counts of all cells in this file, which --table takes again without tracing
    #[arg(long, value_name = "FILE", requires = "study", conflicts_with = "measure_table")]
    traced: Option<PathBuf>,
    /// With --table: fit the constants that no sheet has to these cells and print them
    #[arg(long, requires = "study", conflicts_with = "measure_table")]
    fit: bool,
    /// With --table: fit the constants to the cells of this file first, of the same machine and build, then print
    #[arg(long, value_name = "TRAINING", requires = "study", conflicts_with_all = ["fit", "measure_table"])]
    fit_on: Option<PathBuf>,
    /// With --measure-table: a further graph, such as a file of your own; may be repeated
    #[arg(long, value_name = "NAME=FILE|SPEC", value_parser = assignment, requires = "study", conflicts_with = "table")]
    graph: Vec<(String, String)>,
    /// With --measure-table: logarithm of the number of vertices of generated graphs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 17,
        value_parser = clap::value_parser!(u32).range(8..=26),
        requires = "study", conflicts_with = "table"
    )]
    scale: u32,
    /// With --measure-table: graphs of other sizes and seeds than the table's, to fit constants on
    #[arg(long, requires = "study", conflicts_with = "table")]
    training: bool,
    /// With --measure-table: random schedules per program and graph instead of the usual ones
    #[arg(long, value_name = "N", requires = "study", conflicts_with = "table")]
    schedules: Option<usize>,
    /// With --measure-table or --table: only cells with one of these words in program and graph, such as `bfs/rmat`
    #[arg(long, value_name = "PROGRAM/GRAPH", value_delimiter = ',', requires = "study")]
    only: Vec<String>,
    /// With --measure-table: no further run of a cell begins after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, requires = "study", conflicts_with = "table")]
    cell_seconds: f64,
    /// With --measure-table or --table: only every N-th cell or schedule, beginning with the I-th, to share the work
    #[arg(long, value_name = "I/N", value_parser = part, default_value = "1/1", requires = "study")]
    part: (usize, usize),
}

impl StudyArguments {
    /// Whether a study is asked for, not the explanation of a run.
    pub fn is_wanted(&self) -> bool {
        self.measure_table.is_some() || self.table.is_some()
    }

    /// Measures or prints; `threads` is 0 for all cores.
    pub fn run(&self, common: &Explain, threads: usize) -> Result<(), ToolError> {
        let read = Apart::default().and(self.graph.iter().map(|(_, spec)| spec));
        let read = read.files(self.table.iter().chain(&self.fit_on).chain(&common.sheet));
        let written = read.writing("--measure-table", self.measure_table.as_deref());
        written.writing("--traced", self.traced.as_deref()).check()?;
        match (&self.measure_table, &self.table) {
            (Some(file), _) => self.measure(file, common, threads),
            (None, Some(file)) => self.print(file, common),
            (None, None) => Ok(()),
        }
    }

    fn measure(&self, file: &std::path::Path, common: &Explain, threads: usize) -> Result<(), ToolError> {
        let machine = common.target.open(threads)?;
        let (vm, threads) = (machine.vm(), machine.threads());
        let limit = Duration::try_from_secs_f64(self.cell_seconds)
            .map_err(|error| ToolError::usage(format!("--cell-seconds {}: {error}", self.cell_seconds)))?;
        let repeat = Repeat { runs: common.runs, limit };
        let gpu = vm.family() == Family::Gpu;
        let graphs = Arc::new(SpecGraphs::new());
        let mut done: Vec<StudyCell> = Vec::new();
        let wanted = Cells { gpu, scale: self.scale, graphs: &self.graph, training: self.training };
        let mut number = 0;
        for cell in study_cells(wanted).into_iter().filter(|cell| self.is_chosen(cell)) {
            let subject = subject(&cell, &graphs)?;
            let cells: Vec<Cell> = match self.schedules {
                None => vec![cell],
                // Schedules are drawn per program and graph, so that only one of the usual variants counts.
                Some(_) if cell.schedule.is_some() => continue,
                Some(count) => random_schedules(&subject, vm, 1 + u64::from(self.training), count)
                    .into_iter()
                    .map(|schedule| Cell { schedule: Some(schedule), ..cell.clone() })
                    .collect(),
            };
            for cell in cells {
                number += 1;
                if !self.is_mine(number) {
                    continue;
                }
                match measure_cell(&cell, &subject, vm, threads, repeat) {
                    Ok(measured) => {
                        eprintln!("{} {} {}", cell.name, cell.graph, text::seconds(measured.seconds));
                        done.push(measured);
                    }
                    Err(error) => eprintln!("gw: {} on {}: left out: {error}", cell.name, cell.graph),
                }
            }
            write(file, &serde_json::to_string(&done)?)?;
        }
        Ok(())
    }

    fn is_chosen(&self, cell: &Cell) -> bool {
        let name = format!("{}/{}", cell.program, cell.graph);
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only) || cell.name.contains(only))
    }

    fn is_mine(&self, number: usize) -> bool {
        number % self.part.1 == self.part.0 % self.part.1
    }

    fn print(&self, file: &std::path::Path, common: &Explain) -> Result<(), ToolError> {
        let cells = read_cells(file)?;
        let Some(first) = cells.first() else {
            return Err(ToolError::usage(format!("{}: no cells", file.display())));
        };
        if let Some(other) = cells.iter().find(|cell| cell.machine != first.machine) {
            let (one, other) = (&first.machine, &other.machine);
            return Err(ToolError::usage(format!(
                "{}: cells of {one} and {other}; one file per machine",
                file.display()
            )));
        }
        let family = if first.machine == "cuda" { Family::Gpu } else { Family::Cpu };
        let sheet = common.sheet(family)?;
        let graphs = Arc::new(SpecGraphs::new());
        let options = ModelOptions { edges: common.edges, ..ModelOptions::default() };
        let all = |cells: Vec<StudyCell>| {
            let traced = cells.into_iter().map(|cell| trace(cell, &graphs, &sheet, &options));
            let told = traced.inspect(|cell| {
                if let Err(error) = cell {
                    eprintln!("gw: {error}");
                }
            });
            told.flatten().collect::<Vec<StudyCell>>()
        };
        let mine = cells.into_iter().enumerate().filter(|(i, _)| self.is_mine(i + 1)).map(|(_, cell)| cell);
        let traced = all(mine.filter(|cell| self.is_chosen(&cell.cell)).collect());
        if traced.is_empty() {
            return Err(ToolError::usage(format!("{}: no cell is left to model", file.display())));
        }
        if let Some(file) = &self.traced {
            write(file, &serde_json::to_string(&traced)?)?;
        }
        if self.fit {
            return print_fit(&traced, &sheet, Costs::default());
        }
        let costs = match &self.fit_on {
            Some(file) => fit(&all(read_cells(file)?), &sheet, Costs::default()).costs,
            None => Costs::default(),
        };
        let rows: Vec<_> = traced.iter().map(|cell| row(cell, &sheet, &costs)).collect();
        match common.json {
            true => json(&rows),
            false => print(&study_tables(&rows)),
        }
    }
}

fn read_cells(file: &std::path::Path) -> Result<Vec<StudyCell>, ToolError> {
    let content =
        std::fs::read_to_string(file).map_err(|error| ToolError::usage(format!("{}: {error}", file.display())))?;
    serde_json::from_str(&content)
        .map_err(|error| ToolError::usage(format!("{}: not written by --measure-table: {error}", file.display())))
}

/// A cell with its counts; one that has them stays as it is.
fn trace(
    cell: StudyCell,
    graphs: &Arc<SpecGraphs>,
    sheet: &Sheet,
    options: &ModelOptions,
) -> Result<StudyCell, ToolError> {
    if !cell.traced.is_empty() {
        let here = counted_for(sheet);
        return match &cell.counted_for {
            Some(there) if *there != here => Err(ToolError::usage(format!(
                "{} on {}: left out: its accesses were counted for {there}, and the sheet is about {here}; give the \
                 sheet of then, or the cells of --measure-table",
                cell.cell.name, cell.cell.graph
            ))),
            _ => Ok(cell),
        };
    }
    let cpu = Machine::cpu(cell.threads);
    let plan = gw_cuda::PlanVm;
    let vm: &dyn GraphVm = if cell.machine == "cuda" { &plan } else { cpu.vm() };
    let subject = subject(&cell.cell, graphs)?;
    let named = |error| ToolError::usage(format!("{} on {}: left out: {error}", cell.cell.name, cell.cell.graph));
    trace_cell(&cell, &subject, vm, sheet, options).map_err(named)
}

fn print_fit(cells: &[StudyCell], sheet: &Sheet, start: Costs) -> Result<(), ToolError> {
    let mut fitted = fit(cells, sheet, start);
    let mut start = start;
    let gpu = sheet.gpu.is_some();
    let mut out = format!(
        "{} steps of {} cells; mean error of the logarithms {:.3} before, {:.3} after\n",
        fitted.steps,
        cells.len(),
        fitted.before,
        fitted.after
    );
    for ((name, before), (_, after)) in start.named(gpu).into_iter().zip(fitted.costs.named(gpu)) {
        out += &format!("{name:>22} {before:10.3} -> {after:10.3}\n");
    }
    print(&out)
}

fn subject(cell: &Cell, graphs: &Arc<SpecGraphs>) -> Result<Subject, ToolError> {
    let with_graphs =
        |program: &Program, arguments: &[String]| program.job().args(arguments).graphs(Arc::clone(graphs) as _);
    let standard = |program: &str| {
        let program = source::find(program)?;
        Ok::<_, ToolError>(Subject::of(with_graphs(&program, &cell.arguments).plan()?))
    };
    match program_of(cell) {
        None => standard(&cell.program),
        // The search begins where the standard program would.
        Some(program) => {
            let arguments = standard("bfs")?.args().to_vec();
            Ok(Subject::of(with_graphs(&program?, &arguments).plan()?))
        }
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=FILE or NAME=SPEC is wanted")?;
    Ok((name.to_string(), value.to_string()))
}

fn part(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    numbers.filter(|&(i, n)| 1 <= i && i <= n).ok_or_else(|| "I/N with 1 <= I <= N is wanted, such as 2/4".to_string())
}
