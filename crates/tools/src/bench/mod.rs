//! `gw bench`: measures a suite of programs on graphs.

mod table;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gw_graph::progress::Progress;
use gw_lab::{CellName, Listener, MOST_RUNS, Measurement, Plan, Provenance, Selection, Settings, Suite};

use crate::error::ToolError;
use crate::output::{json, text};
use gw_cli::apart::Apart;
use gw_cli::machines::{self, Target};
use gw_cli::progress::Bar;
use table::Table;

const HELP: &str = "\
Examples:
  gw bench gap --scale 20                        the GAP benchmark at scale 20
  gw bench gap --graph real=web.mtx.gz           with a graph of your own
  gw bench gap --graphs kron --programs bfs,tc   a part of it
  gw bench gap --programs bfs --schedule s0:s1@push --schedule auto
                                                 schedules side by side
  gw bench mine.toml --out results.json          a suite of your own; results into a file

A time is that of one run, from its first statement to the end of `main`, with the graph loaded and the program
compiled. Reading graphs, compiling, warm-ups and validation are not in it, and their seconds stand apart in the JSON.
There is no limit of time: Ctrl-C ends the measuring and keeps the rows that are done. A limit from outside, such as
`timeout 60 gw bench ...`, counts everything, compiling included.

docs/bench.md explains suites, what is measured and how to read it.";

/// Arguments of `gw bench`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Bench {
    /// A built-in suite (see --list) or a .toml file
    #[arg(required_unless_present = "list")]
    suite: Option<String>,
    /// List the built-in suites
    #[arg(long, exclusive = true)]
    list: bool,
    /// Only these graphs of the suite
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    graphs: Vec<String>,
    /// Use this file or spec for a graph of the suite; a new name adds a graph
    #[arg(long, value_name = "NAME=FILE|SPEC", value_parser = assignment)]
    graph: Vec<(String, String)>,
    /// Only these programs of the suite
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    programs: Vec<String>,
    /// Only these schedules of the suite
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "schedule")]
    schedules: Vec<String>,
    /// Use this schedule in place of those of the suite: `default`, `auto` (the machine's choice for each graph),
    /// canonical text or a file; may be repeated
    #[arg(long, value_name = "auto|FILE|TEXT")]
    schedule: Vec<String>,
    /// Timed runs per source
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_RUNS.into()))]
    trials: Option<u32>,
    /// Runs before the first timed one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_RUNS.into()))]
    warm_ups: Option<u32>,
    /// Number of start vertices, for programs that have one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_RUNS.into()))]
    sources: Option<u32>,
    /// Logarithm of the number of vertices of generated graphs, in suites that have this parameter
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    scale: Option<u32>,
    /// Give a parameter of the suite or an argument such as delta another value
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
    /// Seed of the choice of start vertices
    #[arg(long)]
    seed: Option<u64>,
    /// Do not validate results
    #[arg(long)]
    no_verify: bool,
    /// The machine to run on
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// Meter the energy of a run: two seconds more per row, where the machine has a meter that may be read
    #[arg(long)]
    energy: bool,
    /// Write the results to a file as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the results as JSON in place of the table
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Measures; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        let Some(name) = &self.suite else { return list() };
        let suite = Suite::find(name)?;
        self.check_files(name, &suite)?;
        let plan = Plan::new(&suite, &self.selection())?;
        self.check_out()?;
        for note in plan.notes() {
            eprintln!("gw: {note}");
        }
        let machine = self.target.open(threads)?;
        let meter = if self.energy { Some(gw_cli::energy::meter(machine.vm().name(), "--energy")?) } else { None };
        let provenance = Provenance::of(machine.vm())?;
        let table = Table::new(&plan, &provenance);
        if !self.json {
            match gw_cli::output::text(&table.header()) {
                // Whoever reads the table may have gone; what is measured goes to the file.
                Err(error) if !(error.is_broken_pipe() && self.out.is_some()) => return Err(error.into()),
                _ => {}
            }
        }

        let settings = Settings {
            machine: machine.vm(),
            threads: machine.threads(),
            cancel: Arc::clone(cancel),
            provenance,
            energy: meter.as_deref(),
        };
        let mut screen = Screen { bar: Bar::new(), table, silent: self.json, failed: None };
        cancel.store(false, Ordering::Relaxed);
        let outcome = gw_lab::run(&plan, &settings, &mut screen);
        // From here on Ctrl-C ends the process at once.
        cancel.store(true, Ordering::Relaxed);
        let Screen { bar, table, failed, .. } = screen;
        drop(bar);
        // Before anything that a closed pipe ends: minutes of measuring shall not be lost.
        if let Some(path) = &self.out {
            gw_graph::format::write_file(path, (serde_json::to_string_pretty(&outcome.rows)? + "\n").as_bytes())?;
        }
        if let Some(error) = failed {
            return Err(error);
        }

        match self.json {
            true => json(&outcome.rows)?,
            false => text(&table.footer(&outcome.rows))?,
        }
        if outcome.interrupted {
            return Err(ToolError::Interrupted(outcome.rows.len()));
        }
        let bad = outcome.rows.iter().filter(|row| row.error.is_some() || row.problem.is_some()).count();
        match bad {
            0 => Ok(()),
            bad => Err(ToolError::Rows { bad, rows: outcome.rows.len() }),
        }
    }

    /// The results must not be written over the suite or what it reads. The paths of a suite begin in its folder.
    fn check_files(&self, name: &str, suite: &Suite) -> Result<(), ToolError> {
        let graphs = suite.graphs.iter().filter_map(|graph| graph.spec.as_ref());
        let of_suite = graphs.chain(suite.entries.iter().map(|entry| &entry.program)).chain(suite.schedules.values());
        let folder = suite.folder.clone().unwrap_or_default();
        let of_suite: Vec<String> = of_suite.map(|path| folder.join(path).to_string_lossy().into_owned()).collect();
        let given = self.graph.iter().map(|(_, spec)| spec).chain(&self.schedule);
        Ok(Apart::reading([name]).and(&of_suite).and(given).writing("--out", self.out.as_deref()).check()?)
    }

    /// Minutes of measuring shall not end at a folder that is not there.
    fn check_out(&self) -> Result<(), ToolError> {
        let Some(path) = &self.out else { return Ok(()) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| !folder.is_dir()) {
            Some(folder) => Err(ToolError::usage(format!("--out: there is no folder {}", folder.display()))),
            None if path.is_dir() => Err(ToolError::usage(format!("--out: {} is a folder", path.display()))),
            None => Ok(()),
        }
    }

    fn selection(&self) -> Selection {
        let scale = self.scale.map(|scale| ("scale".to_string(), scale.to_string()));
        Selection {
            graphs: self.graphs.clone(),
            given: self.graph.clone(),
            programs: self.programs.clone(),
            schedules: self.schedules.clone(),
            instead: self.schedule.clone(),
            trials: self.trials,
            warm_ups: self.warm_ups,
            sources: self.sources,
            set: self.set.iter().cloned().chain(scale).collect(),
            seed: self.seed,
            verify: self.no_verify.then_some(false),
        }
    }
}

fn list() -> Result<(), ToolError> {
    let suites = gw_lab::builtin_suites()?;
    let lines = suites.iter().map(|suite| {
        let names = |all: Vec<&str>| all.join(", ");
        let programs = names(suite.entries.iter().map(|e| e.program.as_str()).collect());
        let graphs = names(suite.graphs.iter().map(|g| g.name.as_str()).collect());
        format!("{}\n    {}\n    programs: {programs}\n    graphs: {graphs}\n", suite.name, suite.description)
    });
    text(&lines.collect::<String>())
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("write it as NAME=VALUE".to_string()),
    }
}

/// The progress bar, and the rows as they come.
struct Screen {
    bar: Bar,
    table: Table,
    silent: bool,
    failed: Option<ToolError>,
}

impl Listener for Screen {
    fn loading(&self) -> &dyn Progress {
        &self.bar
    }

    fn running(&mut self, name: &CellName, run: usize, runs: usize) {
        if run <= 1 {
            self.bar.begin(&format!("{} on {}", name.program, name.graph), Some(runs as u64));
        }
        if run > 0 {
            self.bar.advance(1);
        }
    }

    fn finished(&mut self, row: &Measurement) {
        if self.silent || self.failed.is_some() {
            return;
        }
        let line = self.table.row(row);
        self.failed = self.bar.suspend(|| text(&line)).err();
    }
}
