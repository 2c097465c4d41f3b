//! `gw check`: is a machine right? Programs x schedules x small graphs, every result validated.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gw_graph::progress::Progress;
use gw_lab::{Check as Matrix, CheckListener, CheckReport, Failure, Tally, run_sequences};

use crate::error::ToolError;
use crate::output::{grouped, json, seconds, text};
use crate::sequences;
use gw_cli::error::CliError;
use gw_cli::machines::{self, Target};
use gw_cli::progress::Bar;

/// Failing schedules that are shown; `--json` has all.
const SHOWN: usize = 12;

const HELP: &str = "\
Examples:
  gw check --target cuda --quick       a minute on new hardware
  gw check --target cpu                the whole matrix
  gw check --program bfs --program sssp-delta --schedules 500 --seed 7
                                       more schedules of two programs, others than usual
  gw check --target cuda --only loop=device-graph
                                       only schedules with this in their text
  gw check --target flow --sequences 2000 --seed 7
                                       more sequences of runs, on 1 to 4 workers
  gw check --sequence 'cc flow:3 schedule=own undirected n=4 0-1 | update | change +1-2 | update'
                                       one sequence again, as a report names it

docs/check.md explains what is run and how to read the table.";

/// Arguments of `gw check`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Check {
    /// The machine to check
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// Few schedules and graphs: every value of every axis at least once
    #[arg(long)]
    quick: bool,
    /// Seed of the schedules drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Legal schedules per program [default: as many as cover every pair of values at every place]
    #[arg(long, value_name = "N")]
    schedules: Option<usize>,
    /// Only this standard program; may be repeated
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Only schedules whose text has this, such as loop=fused; may be repeated
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// No schedule whose text has this; may be repeated
    #[arg(long, value_name = "TEXT")]
    skip: Vec<String>,
    /// Sequences of runs: graphs that change, executables used again, runs that are saved and go on elsewhere
    /// [default: 400; 40 with --quick; none with --only or --skip]
    #[arg(long, value_name = "N")]
    sequences: Option<u64>,
    /// Carry out this sequence of runs and nothing else
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["quick", "schedules", "program", "only", "skip", "sequences"])]
    sequence: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Sequences where nobody says how many.
const SEQUENCES: u64 = 400;
const QUICK_SEQUENCES: u64 = 40;

impl Check {
    /// Runs the matrix; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        if let Some(text) = &self.sequence {
            return sequences::replay(text, threads, self.json);
        }
        let programs = self.program.iter().map(|name| gw_programs::find(name)).collect::<Result<Vec<_>, _>>()?;
        let machine = self.target.open(threads)?;
        let mut options = format!("--target {}", machine.vm().name());
        if threads > 0 {
            let _ = write!(options, " --threads {threads}");
        }
        let mut session = sequences::session(machine.name(), threads);
        session.count = self.sequences.unwrap_or(match (self.quick, self.only.is_empty() && self.skip.is_empty()) {
            (_, false) => 0,
            (true, true) => QUICK_SEQUENCES,
            (false, true) => SEQUENCES,
        });
        (session.seed, session.cancel) = (self.seed, Arc::clone(cancel));
        if !programs.is_empty() {
            session.programs.clone_from(&programs);
        }
        let mut matrix = Matrix::new(machine.vm());
        if !programs.is_empty() {
            matrix.programs = programs;
        }
        (matrix.quick, matrix.seed, matrix.schedules) = (self.quick, self.seed, self.schedules);
        (matrix.only, matrix.skip) = (self.only, self.skip);
        (matrix.options, matrix.cancel) = (options, Arc::clone(cancel));
        matrix.ahead = rayon::current_num_threads();
        cancel.store(false, Ordering::Relaxed);
        let mut screen = Screen { bar: Bar::new() };
        let mut report = gw_lab::check(&matrix, &mut screen);
        if let Ok(report) = &mut report
            && !report.interrupted
        {
            screen.bar.begin("run after run", Some(session.count));
            report.sequences = run_sequences(&session, &mut |_| screen.bar.advance(1));
        }
        // From here on Ctrl-C ends the process at once.
        cancel.store(true, Ordering::Relaxed);
        drop(screen);
        let report = report?;
        match self.json {
            true => json(&report)?,
            false => text(&summary(&report))?,
        }
        match &report {
            report if report.interrupted || report.sequences.interrupted => {
                Err(ToolError::InterruptedCheck(report.total.runs()))
            }
            report if report.total.failed > 0 => {
                Err(ToolError::Check { failed: report.total.failed, runs: report.total.runs() })
            }
            report if !report.sequences.failures.is_empty() => Err(ToolError::Sequences {
                wrong: report.sequences.failures.len() as u64,
                sequences: report.sequences.sequences(),
            }),
            report if report.total.passed == 0 => Err(CliError::Unsupported("nothing could be checked".into()).into()),
            _ => Ok(()),
        }
    }
}

struct Screen {
    bar: Bar,
}

impl CheckListener for Screen {
    fn begin(&mut self, runs: u64) {
        self.bar.begin("", Some(runs));
    }

    fn trying(&mut self, program: &str, _schedule: &str) {
        self.bar.say(program);
    }

    fn advance(&mut self, runs: u64) {
        self.bar.advance(runs);
    }
}

/// The table, the failures, the refusals and the total.
fn summary(report: &CheckReport) -> String {
    let mut text = table(report);
    text += &failures(&report.failures);
    if !report.refusals.is_empty() {
        text += "\nrefused, with a reason (neither right nor wrong):\n";
        for refusal in &report.refusals {
            let runs = grouped(refusal.runs);
            let _ = writeln!(text, "  {runs} runs of {}: {}", refusal.programs.join(", "), refusal.reason);
            let _ = writeln!(text, "    {}", refusal.command);
        }
    }
    let schedules: usize = report.programs.iter().map(|program| program.schedules).sum();
    let Tally { passed, failed, refused } = report.total;
    let _ = writeln!(
        text,
        "\n{}: {} passed, {} failed, {} refused; {} programs, {} schedules; {} (compiling {})",
        report.target,
        grouped(passed),
        grouped(failed),
        grouped(refused),
        report.programs.len(),
        grouped(schedules as u64),
        seconds(report.seconds),
        seconds(report.compile_seconds),
    );
    text + &sequences::summary(&report.sequences)
}

/// A line per program, a column per class of graphs.
fn table(report: &CheckReport) -> String {
    let cells: Vec<Vec<String>> = report
        .programs
        .iter()
        .map(|row| report.classes.iter().map(|class| cell(row.classes.get(class))).collect())
        .collect();
    let width = |i: usize, title: &str| cells.iter().map(|row| row[i].len()).max().unwrap_or(0).max(title.len());
    let widths: Vec<usize> = report.classes.iter().enumerate().map(|(i, class)| width(i, class)).collect();
    let names = report.programs.iter().map(|row| row.program.len()).max().unwrap_or(0).max("program".len());
    let mut text = String::new();
    let mut line = |name: &str, schedules: &str, row: &[String]| {
        let _ = write!(text, "{name:<names$}  {schedules:>9}");
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    };
    line("program", "schedules", &report.classes);
    for (row, cells) in report.programs.iter().zip(&cells) {
        line(&row.program, &row.schedules.to_string(), cells);
    }
    text
}

/// `120`, `118+2F` with failures, `100+20r` with refusals, `-` when no graph of the class suits the program.
fn cell(tally: Option<&Tally>) -> String {
    let Some(tally) = tally else { return "-".to_string() };
    let mut text = tally.passed.to_string();
    for (count, letter) in [(tally.failed, 'F'), (tally.refused, 'r')] {
        if count > 0 {
            let _ = write!(text, "+{count}{letter}");
        }
    }
    text
}

/// The first failure of each program and schedule, with the command that repeats it.
fn failures(failures: &[Failure]) -> String {
    if failures.is_empty() {
        return String::new();
    }
    let mut kinds: BTreeMap<(&str, &str), Vec<&Failure>> = BTreeMap::new();
    for failure in failures {
        kinds.entry((&failure.program, &failure.schedule)).or_default().push(failure);
    }
    let mut text = "\nfailed:\n".to_string();
    for ((program, _), all) in kinds.iter().take(SHOWN) {
        let first = all[0];
        let more = match all.len() {
            1 => String::new(),
            n => format!(" (and on {} more graphs under this schedule)", n - 1),
        };
        let _ = writeln!(text, "  {program} on {}: {}{more}", first.graph, first.problem);
        let _ = writeln!(text, "    {}", first.command);
    }
    if kinds.len() > SHOWN {
        let _ = writeln!(text, "  ... and {} more pairs of program and schedule; --json has all", kinds.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_lab::{CheckedProgram, Refusal};

    #[test]
    fn the_report_reads_well() {
        let tally = |passed, failed, refused| Tally { passed, failed, refused };
        let failure = |graph: &str| Failure {
            program: "bfs".into(),
            class: "path".into(),
            graph: graph.into(),
            schedule: "s0:s1@pull".into(),
            problem: "vertex 2: its parent is 0".into(),
            command: format!("gw run bfs {graph} 0 --target cpu --schedule 's0:s1@pull' --verify"),
        };
        let classes = [("path".to_string(), tally(7, 2, 0)), ("star".to_string(), tally(9, 0, 3))];
        let report = CheckReport {
            target: "cpu".into(),
            classes: ["path", "star", "directed"].map(String::from).into(),
            programs: vec![CheckedProgram { program: "bfs".into(), schedules: 4, classes: classes.into() }],
            total: tally(16, 2, 3),
            failures: vec![failure("path:40"), failure("path:9")],
            refusals: vec![Refusal {
                reason: "no room".into(),
                runs: 3,
                programs: vec!["bfs".into()],
                command: "gw run bfs star:50 0".into(),
            }],
            seconds: 1.5,
            ..CheckReport::default()
        };
        let wanted = "\
program  schedules  path  star  directed
bfs              4  7+2F  9+3r         -

failed:
  bfs on path:40: vertex 2: its parent is 0 (and on 1 more graphs under this schedule)
    gw run bfs path:40 0 --target cpu --schedule 's0:s1@pull' --verify

refused, with a reason (neither right nor wrong):
  3 runs of bfs: no room
    gw run bfs star:50 0

cpu: 16 passed, 2 failed, 3 refused; 1 programs, 4 schedules; 1.50 s (compiling 0 us)
";
        assert_eq!(summary(&report), wanted);
        assert!(!report.is_good());
    }
}
