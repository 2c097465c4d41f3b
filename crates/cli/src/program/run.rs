//! `gw run`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use graphwright::{Machine, Program};
use gw_graph::GraphSpec;

use super::estimate::Estimate;
use super::graphs::{Given, Graphs};
use super::named::Named;
use super::out::OutFile;
use super::paths;
use super::planned::Planned;
use super::programs::{self, Programs};
use super::saving::Saving;
use super::several::{Results, Several};
use super::source;
use super::top::Top;
use crate::apart::Apart;
use crate::distributed::{self, Distributed};
use crate::error::CliError;
use crate::graph::columns::Columns;
use crate::machines::{self, Simulated, Target};
use crate::stop;

const HELP: &str = "\
Examples:
  gw run bfs kron:16 --verify                   breadth-first search from a hub, result checked
  gw run sssp road:300x300:weights=1..100 --source 7
                                                shortest paths on a generated road-like graph from vertex 7
  gw run pagerank follows.csv --source-column follower --target-column followee --top rank:10
                                                the ten best names of a table of edges
  gw run pagerank follows.csv --out rank=rank.csv
                                                a table of names and ranks; .tsv, .parquet, .arrow, .json, .jsonl too
  gw run pagerank follows.csv --out ranks.graphml
                                                the graph with all results as attributes; .gexf too
  gw run pagerank,cc,kcore,louvain follows.csv --out all.parquet
                                                several programs, whose results are the columns of one table
  gw run my.gt web.mtx.gz --out rank=ranks.txt  a program of your own; a result into a file
  gw run pagerank web.mtx.gz --out rank=- | sort -g | tail
                                                a result to standard output, everything else to standard error
  gw run pagerank web.mtx.gz --target cuda --estimate
                                                how much memory that takes, and whether it fits
  gw run bc kron:16 2 --schedule auto --explain-schedule
                                                the machine chooses the schedule and says why

`gw programs` lists the standard programs and their arguments.";

/// Arguments of `gw run`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Run {
    /// A standard program (see `gw programs`) or a .gt file; or several with commas between, which run in turn on one
    /// graph
    pub(super) program: String,
    /// Arguments of the program, its first and later argv; graph specs are taken wherever a graph file is, and vertices
    /// are named by the ids of their file. Several programs get the graph alone, and other arguments by name
    #[arg(allow_negative_numbers = true)]
    pub(super) args: Vec<String>,
    /// The machine to run on
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    pub(super) target: Target,
    /// A schedule: `auto` (what `gw tune` found for this graph, else the machine's choice), `auto:energy` or
    /// `auto:time-energy` (what `gw tune --objective` found, else the machine's choice), `rule` (the machine's choice,
    /// whatever was tuned), `adaptive` (a model picks at every step; a model file may follow as adaptive:FILE), a name
    /// (bfs-4k, helix, ... for GPUs, see docs/schedules-gpu.md), canonical text such as s0:s1@pull, or a file with
    /// schedule statements [default: the program's own, else auto]
    #[arg(long, value_name = "auto[:AIM]|rule|adaptive[:FILE]|NAME|FILE|TEXT")]
    pub(super) schedule: Option<String>,
    /// Print the schedule of every place, with the reason where the machine chose it, to standard error
    #[arg(long)]
    pub(super) explain_schedule: bool,
    /// Follow the model of an adaptive schedule blindly: weak leaves, dear candidates and late steps change nothing
    #[arg(long)]
    pub(super) no_guard: bool,
    /// Do not run: tell how much memory the run needs, on the host and on the device, and whether it fits; exit code 1
    /// if it does not
    #[arg(long, conflicts_with_all = ["verify", "out", "top", "path", "trace", "explain_schedule"])]
    estimate: bool,
    /// Check the result; the exit code is 0 only if it is right
    #[arg(long)]
    pub(super) verify: bool,
    /// Write a vector or scalar of the program to a file, or without RESULT all results as columns of one file. The
    /// ending is the form: a table `vertex,RESULT` as .csv, .tsv, .parquet, .arrow (.feather), .json or .jsonl; an
    /// array as .npy; the graph with results as attributes as .graphml or .gexf; one entry per line as .txt, .lst or
    /// without an ending. `-` is standard output, and so are `-.csv`, `-.tsv`, `-.json` and `-.jsonl`
    #[arg(long, value_name = "[RESULT=]FILE", allow_hyphen_values = true)]
    pub(super) out: Vec<String>,
    /// Print the vertices with the greatest entries of a vector, or with the least ones; COUNT alone is of the first
    /// result
    #[arg(long, value_name = "RESULT:COUNT[:least]", value_parser = Top::parse)]
    pub(super) top: Vec<Top>,
    /// Print a shortest path to this vertex, by the ids of the file, with its length; may be given several times. Exit
    /// code 1 if there is none
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    pub(super) path: Vec<String>,
    /// Print one JSON object; of several programs an array with an object for each
    #[arg(long)]
    pub(super) json: bool,
    /// Print every operator call to standard error
    #[arg(long)]
    pub(super) trace: bool,
    /// Stop after this many seconds, whatever is being done then: loading, running or checking; from 1e9 on there is
    /// no limit
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    timeout: Option<Duration>,
    /// Seed of random choices in the program
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) saving: Saving,
    #[command(flatten)]
    simulated: Simulated,
    #[command(flatten)]
    pub(super) distributed: Distributed,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    pub(super) named: Named,
}

/// What the programs of a command share.
pub struct Setting<'a> {
    /// Set to end a run.
    pub cancel: &'a Arc<AtomicBool>,
    /// When the command began.
    pub started: Instant,
    /// The time limit, counted from then.
    pub timeout: Option<Duration>,
    /// A result goes to standard output, and everything else to standard error.
    pub to_stdout: bool,
    /// Number of programs.
    pub programs: usize,
}

impl Run {
    /// Runs the programs; `threads` is 0 for all cores.
    pub fn run(mut self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), CliError> {
        let started = Instant::now();
        self.distributed.check(&self.target)?;
        self.distributed.check_inputs(&self.target, &self.args)?;
        let threads = self.distributed.join(&self.target, threads)?;
        let meeting = started.elapsed().as_secs_f64();
        if !distributed::is_first() {
            self.leave_results_to_the_first();
        }
        let several = Several::check(&self)?;
        let timeout = self.timeout.filter(|&limit| limit < NO_LIMIT);
        timeout.map(stop::end_after).transpose()?;
        let outputs: Vec<OutFile<'_>> = self.out.iter().map(|text| OutFile::parse(text)).collect::<Result<_, _>>()?;
        OutFile::check_all(&outputs)?;
        let words = std::iter::once(&*self.program).chain(self.program.split(','));
        let read = Apart::reading(words).and(&self.args).and(&self.schedule);
        let written = read.writing("--out", outputs.iter().map(OutFile::path));
        written.writing("--checkpoint", self.saving.file().as_deref()).check()?;
        let to_stdout = outputs.iter().any(OutFile::is_stdout);
        if to_stdout && self.json {
            return Err(CliError::Usage("--json and --out RESULT=- both want standard output".to_string()));
        }
        let programs = programs::find(&self.program)?;
        for (_, program) in programs.iter().filter(|_| self.verify) {
            source::can_verify(program, self.args.first())?;
        }
        several.check_names(&self, &programs)?;
        paths::check_programs(&programs, &self.path)?;
        let given = Arc::new(Given::new(programs.len() > 1 || outputs.iter().any(OutFile::is_graph)));
        let cluster = if self.estimate { None } else { self.distributed.cluster(&self.target)? };
        given.set_process(self.target.is_flow(), cluster.as_ref());
        let compile = started.elapsed().as_secs_f64() - meeting;
        // A machine that takes time to start does so while the graph is read.
        let begun = self.target.begin(threads, self.args.first().map(String::as_str));
        let setting = Setting { cancel, started, timeout, to_stdout, programs: programs.len() };
        let positional = self.positional()?;
        let mut results = Results { given, graph: positional.first().cloned(), runs: Vec::new(), failed: Vec::new() };
        let mut planned = self.plan(&setting, programs, &positional, &mut results)?;
        let asked = Programs(planned.iter().map(|planned| (planned.asked.as_str(), planned.program())).collect());
        if results.failed.is_empty() {
            outputs.iter().try_for_each(|output| output.check(&asked))?;
            self.top.iter_mut().try_for_each(|top| top.settle(&asked))?;
        }
        drop(asked);
        let Some(first) = planned.first_mut() else { return results.failed(&self) };
        let loaded = if self.target.is_auto() { first.load_graph() } else { None };
        let start = Instant::now();
        let opened = match cluster {
            Some(cluster) => distributed::open(cluster, threads),
            None => self.target.finish(begun, &self.simulated, threads, Some(&first.work(loaded.as_deref()))),
        };
        if self.estimate {
            let machine = match opened {
                // A machine that is not here can still be asked.
                Err(_) if self.target.is_cuda() => Machine::new(gw_cuda::PlanVm, 1),
                opened => opened?,
            };
            let estimates = planned.iter().map(|planned| planned.estimate(&machine));
            return Estimate::tell(&estimates.collect::<Result<Vec<_>, _>>()?, self.json);
        }
        // On the way out, in whatever way, a device is left to the system.
        let machine = stop::Left::new(opened?, |machine| !machine.vm().start_steps().is_empty());
        first.takes_also(compile, meeting + start.elapsed().as_secs_f64());
        if let Some(worth) = machine.start().worth.as_ref().filter(|_| self.explain_schedule) {
            eprintln!("machine: {}, chosen by --target auto: {}", machine.name(), worth.because);
        }
        let last = planned.len() - 1;
        for (at, planned) in planned.into_iter().enumerate() {
            let asked = planned.asked.clone();
            match planned.run(&self, &setting, &machine, at == last) {
                Ok(ended) => results.runs.push(ended),
                Err(error) if setting.programs == 1 || error.is_stop() => return Err(error),
                Err(error) => results.fail(asked, error),
            }
        }
        results.tell(&self, &setting, &machine, &outputs)
    }

    /// Makes the programs ready. One that the graph does not suit fails alone; whatever else is wrong is wrong with the
    /// command.
    fn plan(
        &self,
        setting: &Setting<'_>,
        programs: Vec<(String, Program)>,
        positional: &[String],
        results: &mut Results,
    ) -> Result<Vec<Planned>, CliError> {
        let mut planned = Vec::new();
        for (asked, program) in programs {
            let graphs = Graphs::new(Arc::clone(&results.given), program.as_standard().is_some());
            match Planned::new(self, setting, (asked.clone(), program), positional, Arc::new(graphs)) {
                Ok(ready) => planned.push(ready),
                Err(error @ CliError::Unsupported(_)) if setting.programs > 1 => results.fail(asked, error),
                Err(error) => return Err(error),
            }
        }
        Ok(planned)
    }

    /// The arguments by position, with the columns of the graph's table in its spec.
    fn positional(&self) -> Result<Vec<String>, CliError> {
        let mut args = self.args.clone();
        if !self.columns.is_default() {
            let Some(graph) = args.first_mut() else {
                return Err(CliError::Usage("columns are named for a table, but there is no graph".to_string()));
            };
            *graph = self.columns.apply(GraphSpec::parse(graph)?)?.to_string();
        }
        Ok(args)
    }

    /// Of several processes, only the first writes and tells.
    fn leave_results_to_the_first(&mut self) {
        (self.verify, self.json, self.trace, self.explain_schedule) = (false, false, false, false);
        self.out.clear();
        self.top.clear();
        self.path.clear();
    }
}

/// A time limit from here on, 31 years, is none.
const NO_LIMIT: Duration = Duration::from_secs(1_000_000_000);

fn positive_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_string())?;
    match Duration::try_from_secs_f64(seconds.min(NO_LIMIT.as_secs_f64())) {
        Ok(duration) if seconds > 0.0 => Ok(duration),
        _ => Err("a positive number of seconds is expected".to_string()),
    }
}
