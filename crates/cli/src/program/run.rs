//! `gw run`.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use graphwright::{Origin, Parts, Program, RULE, ScheduleCache, Wanted, Worth};
use gw_exec::{GraphSource, GraphVm, MachineUsage, Output, Reason, RunOptions, graph_text};
use gw_graph::GraphSpec;
use gw_ir::Module;
use gw_programs::{ArgumentError, Remark, Run as FinishedRun};
use serde::Serialize;

use super::attempt::{Attempt, Finished};
use super::estimate::Estimate;
use super::graphs::Graphs;
use super::ids::{self, Ids};
use super::named::Named;
use super::results::{self, OutFile};
use super::saving::Saving;
use super::times::{Start, Times};
use super::top::{Best, Top};
use super::{source, trace, unread};
use crate::distributed::{self, Distributed};
use crate::error::CliError;
use crate::graph::columns::Columns;
use crate::machines::{self, Simulated, Target, Work};
use crate::output::{grouped, rate, seconds};
use crate::stop;

const HELP: &str = "\
Examples:
  gw run bfs kron:16 --verify                   breadth-first search from a hub, result checked
  gw run sssp road:300x300:weights=1..100 --source 7
                                                shortest paths on a generated road-like graph from vertex 7
  gw run pagerank follows.csv --source-column follower --target-column followee --top rank:10
                                                the ten best names of a table of edges
  gw run pagerank follows.csv --out rank=rank.csv
                                                a table of names and ranks
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
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// Arguments of the program, its first and later argv; graph specs are taken wherever a graph file is, and vertices
    /// are named by the ids of their file
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// The machine to run on
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// A schedule: `auto` (what `gw tune` found for this graph, else the machine's choice), `auto:energy` or
    /// `auto:time-energy` (what `gw tune --objective` found, else the machine's choice), `rule` (the machine's choice,
    /// whatever was tuned), `adaptive` (a model picks at every step; a model file may follow as adaptive:FILE), a name
    /// (bfs-4k, helix, ... for GPUs, see docs/schedules-gpu.md), canonical text such as s0:s1@pull, or a file with
    /// schedule statements [default: the program's own, else auto]
    #[arg(long, value_name = "auto[:AIM]|rule|adaptive[:FILE]|NAME|FILE|TEXT")]
    schedule: Option<String>,
    /// Print the schedule of every place, with the reason where the machine chose it, to standard error
    #[arg(long)]
    explain_schedule: bool,
    /// Follow the model of an adaptive schedule blindly: weak leaves, dear candidates and late steps change nothing
    #[arg(long)]
    no_guard: bool,
    /// Do not run: tell how much memory the run needs, on the host and on the device, and whether it fits; exit code 1
    /// if it does not
    #[arg(long, conflicts_with_all = ["verify", "out", "top", "trace", "explain_schedule"])]
    estimate: bool,
    /// Check the result; the exit code is 0 only if it is right
    #[arg(long)]
    verify: bool,
    /// Write a vector or scalar of the program to a file: a table `vertex,RESULT` to a .csv, .tsv or .parquet, to any
    /// other name one entry per line; `-` is standard output
    #[arg(long, value_name = "RESULT=FILE")]
    out: Vec<String>,
    /// Print the vertices with the greatest entries of a vector, or with the least ones
    #[arg(long, value_name = "RESULT:COUNT[:least]", value_parser = Top::parse)]
    top: Vec<Top>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print every operator call to standard error
    #[arg(long)]
    trace: bool,
    /// Stop after this many seconds, whatever is being done then: loading, running or checking; from 1e9 on there is
    /// no limit
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    timeout: Option<Duration>,
    /// Seed of random choices in the program
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    simulated: Simulated,
    #[command(flatten)]
    distributed: Distributed,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    named: Named,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    program: &'a str,
    arguments: &'a [String],
    /// The source that was taken since none was given, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_source: Option<String>,
    target: &'a str,
    schedule: String,
    schedule_origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_reasons: Option<&'a [Reason]>,
    /// Why `--target auto` took this machine, where both were weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_reason: Option<&'a Worth>,
    load_seconds: f64,
    compile_seconds: f64,
    /// The part `run`.
    seconds: f64,
    /// Where the time of the process went: parts that add up to `whole`.
    parts: Times,
    /// How the machine was opened.
    start: Start<'a>,
    steps: u64,
    edges: Option<u64>,
    /// The edges that `edges_per_second` is about: those of what a search reached.
    counted_edges: Option<u64>,
    edges_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    touched_edges: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    touched_edges_per_second: Option<f64>,
    /// What the machine counted, where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<MachineUsage>,
    /// What a machine with a clock of its own says that the run took.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_seconds: Option<f64>,
    verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// In which way the result is less than expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    verify_seconds: Option<f64>,
    /// Scalars with their values, of vectors the length and the range.
    results: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "<[Best]>::is_empty")]
    top: &'a [Best],
    printed: &'a str,
}

/// The arguments of a run.
struct Ready {
    args: Vec<String>,
    /// The id of the source that was taken since none was given.
    chosen_source: Option<String>,
}

impl Run {
    /// Runs the program; `threads` is 0 for all cores.
    pub fn run(mut self, cancel: &Arc<AtomicBool>, mut threads: usize) -> Result<(), CliError> {
        let started = Instant::now();
        if self.distributed.launches() {
            return self.distributed.launch(&self.target, cancel);
        }
        if let Some((process, processes)) = distributed::launched()? {
            if process > 0 {
                self.be_silent();
            }
            if threads == 0 {
                threads = (std::thread::available_parallelism().map_or(1, usize::from) / processes).max(1);
            }
        }
        let timeout = self.timeout.filter(|&limit| limit < NO_LIMIT);
        timeout.map(stop::end_after).transpose()?;
        let outputs: Vec<OutFile<'_>> = self.out.iter().map(|text| OutFile::parse(text)).collect::<Result<_, _>>()?;
        OutFile::check_all(&outputs)?;
        let to_stdout = outputs.iter().any(OutFile::is_stdout);
        if to_stdout && self.json {
            return Err(CliError::Usage("--json and --out RESULT=- both want standard output".to_string()));
        }
        let mut program = source::find(&self.program)?;
        if self.verify {
            source::can_verify(&program, self.args.first())?;
        }
        let graphs = Arc::new(match program.as_standard() {
            Some(_) => Graphs::by_ids(),
            None => Graphs::default(),
        });
        // Before the graph is read: whoever is missing is named at once.
        let start = Instant::now();
        let cluster = if self.estimate { None } else { self.distributed.gather(&self.target)? };
        let meeting = start.elapsed().as_secs_f64();
        graphs.set_process(self.target.is_flow(), cluster.as_ref());
        let mut parts = Parts { compile: started.elapsed().as_secs_f64() - meeting, ..Parts::default() };
        // A machine that takes time to start does so while the graph is read.
        let begun = self.target.begin(threads, self.args.first().map(String::as_str));
        let start = Instant::now();
        let Ready { args, chosen_source } = self.ready(&mut program, &graphs)?;
        parts.read_graph = start.elapsed().as_secs_f64();
        let mut options = RunOptions::with_args(args.iter().cloned());
        (options.timeout, options.started) = (timeout, Some(started));
        options.cancel = Arc::clone(cancel);
        options.graphs = graphs.clone();
        options.seed = self.seed;
        options.guard = !self.no_guard;
        options.checkpoint = self.saving.checkpoint(self.distributed.is_first());
        // Choice of a schedule, passes and code of the machine count as compiling.
        let start = Instant::now();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let cache = ScheduleCache::of_user(if threads == 0 { cores() } else { threads });
        let wanted = match (self.schedule.as_deref(), source::aim(self.schedule.as_deref())?) {
            (Some(RULE), _) => source::schedule(&program, Some(RULE))?,
            (_, Some(aim)) => Wanted::Chosen.or_tuned(cache.aimed_at(aim), &program),
            (given, None) => source::schedule(&program, given)?.or_tuned(cache, &program),
        };
        let module = program.module();
        outputs.iter().try_for_each(|output| output.check(module))?;
        self.top.iter().try_for_each(|top| top.check(module))?;
        let meanings = ids::Meanings::of(&program, module);
        self.warn_of_unread(&program, module, &wanted, &args);
        parts.compile += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let loaded = match self.target.is_auto() {
            true => graph_text(module, &options.argv).and_then(|wanted| graphs.load(&wanted.text, wanted.weight).ok()),
            false => None,
        };
        parts.read_graph += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let work = Work { program: program.name(), graph: loaded.as_deref() };
        let opened = match cluster {
            Some(cluster) => distributed::open(cluster, threads),
            None => begun.finish(&self.simulated, threads, Some(&work)),
        };
        if self.estimate {
            // A machine that is not here can still be asked.
            let plan;
            let vm: &dyn GraphVm = match &opened {
                Ok(opened) => opened.machine.vm(),
                Err(_) if self.target.is_cuda() => {
                    plan = gw_cuda::PlanVm;
                    &plan
                }
                Err(_) => return opened.map(drop),
            };
            return Estimate::of(&program, &wanted, vm, &options)?.tell(self.json);
        }
        // On the way out, in whatever way, a device is left to the system.
        let opened = stop::Left::new(opened?, |opened| !opened.machine.vm().start_steps().is_empty());
        parts.start_device = meeting + start.elapsed().as_secs_f64();
        if let Some(worth) = opened.worth.as_ref().filter(|_| self.explain_schedule) {
            eprintln!("machine: {}, chosen by --target auto: {}", opened.machine.name(), worth.because);
        }

        let attempt = Attempt { program: &program, wanted: &wanted, explain: self.explain_schedule };
        let mut tracer = None;
        let finished = attempt.run(&opened, threads, &mut |may_be_given_up| {
            tracer = self.trace.then(|| Arc::new(trace::Printer::new()));
            options.observer = tracer.clone().map(|tracer| tracer as _);
            options.output = match self.json || may_be_given_up {
                true => Output::Capture,
                false if to_stdout => Output::Writer(Arc::new(std::sync::Mutex::new(std::io::stderr()))),
                false => Output::Writer(Arc::new(std::sync::Mutex::new(std::io::stdout()))),
            };
            options.clone()
        })?;
        let report = opened.machine.vm().report();
        let Finished { decision, compile_seconds, ran, machine, usage } = finished;
        let of_run = Parts::of_run(&ran, usage.as_ref());
        parts.read_graph += decision.load_seconds;
        parts.compile += compile_seconds;
        let parts = parts + of_run;
        let start = Instant::now();
        let found = results::of_run(&program, &ran.globals);
        let graph = match program.as_standard() {
            Some(_) => Some(
                graphs.load(&args[0], None).map_err(|error| CliError::Run { error, file: program.file().clone() })?,
            ),
            None => None,
        };
        let in_parts = graph.as_deref().is_some_and(|graph| graph.share().is_some());
        let graph_of_run = ran.globals.iter().find_map(|(_, value)| value.as_graph());
        let ids = Ids::new(graph.as_deref().or(graph_of_run.map(|graph| &**graph)), &meanings);
        // Who has a part of the graph knows too little of it to judge results.
        let finished = graph.as_deref().filter(|_| !in_parts).map(|graph| FinishedRun {
            graph,
            args: &args,
            results: &ran.globals,
        });
        let remark =
            program.as_standard().zip(finished.as_ref()).and_then(|(standard, finished)| standard.remark(finished));
        let (rough, no_result) = match remark {
            Some(Remark::Rough(text)) => (Some(text), None),
            Some(Remark::NoResult(text)) => (None, Some(text)),
            None => (None, None),
        };
        let best: Vec<Best> = match no_result.is_none() {
            true => self.top.iter().map(|top| top.best(&ran.globals, &ids)).collect::<Result<_, _>>()?,
            false => Vec::new(),
        };
        // Files come first: a reader of standard output that goes away must not cost results. A file that cannot be
        // written does not cost what is printed either.
        let written = match no_result.is_none() {
            true => outputs.iter().try_for_each(|output| output.write(&ran.globals, &ids)),
            false => Ok(()),
        };
        if !self.json {
            // Where another machine might have had to begin again, prints were kept back until now. Standard output
            // belongs to `--out X=-` if that is there, else to the program; standard programs print nothing but their
            // results.
            let mut words = if no_result.is_none() { results::in_words(&found) } else { String::new() };
            words.extend(best.iter().map(Best::in_words));
            match to_stdout {
                true => eprint!("{}", ran.printed),
                false => crate::output::text(&ran.printed)?,
            }
            match program.as_standard().is_some() && !to_stdout {
                true => crate::output::text(&words)?,
                false => eprint!("{words}"),
            }
        }
        written?;

        let mut times = Times { parts, output: start.elapsed().as_secs_f64(), ..Times::default() };
        let start = Instant::now();
        let verdict = program.as_standard().zip(finished.as_ref()).filter(|_| self.verify);
        let verdict = verdict.map(|(standard, finished)| standard.validate(finished));
        times.validate = start.elapsed().as_secs_f64();
        let verify_seconds = verdict.is_some().then_some(times.validate);
        let start = Instant::now();
        let wrong = verdict.as_ref().and_then(|v| v.as_ref().err()).map(ToString::to_string);
        let in_json = if self.json { results::as_json(&found) } else { serde_json::Map::new() };
        let edges = graph_of_run.map(|graph| graph.edges() as u64);
        let counted_edges = match program.as_standard().zip(finished.as_ref()) {
            Some((standard, finished)) => Some(standard.counted_edges(finished)),
            None => edges,
        };
        let touched_edges = tracer.and_then(|tracer| tracer.touched_edges());
        let per_second = |edges: Option<u64>| edges.filter(|_| parts.run > 0.0).map(|e| e as f64 / parts.run);
        times.output += start.elapsed().as_secs_f64();
        let answer = Answer {
            program: program.name(),
            arguments: &args,
            chosen_source,
            target: &machine,
            schedule: decision.schedule.to_string(),
            schedule_origin: decision.origin,
            schedule_reasons: matches!(decision.origin, Origin::Chosen | Origin::Tuned).then_some(&decision.reasons),
            target_reason: opened.worth.as_ref(),
            load_seconds: parts.read_graph,
            compile_seconds: parts.compile,
            seconds: parts.run,
            parts: times.of_whole(crate::clock::elapsed()),
            start: Start { seconds: opened.seconds, steps: opened.machine.vm().start_steps() },
            steps: ran.steps,
            edges,
            counted_edges,
            edges_per_second: per_second(counted_edges),
            touched_edges,
            touched_edges_per_second: per_second(touched_edges),
            usage,
            device_seconds: ran.device_seconds,
            // Where there is no result, none was verified, however right the reason is.
            verified: verdict.as_ref().map(Result::is_ok).filter(|right| !right || no_result.is_none()),
            problem: wrong.clone().or(no_result.clone()),
            remark: rough.clone(),
            verify_seconds,
            results: in_json,
            top: &best,
            printed: &ran.printed,
        };
        match self.json {
            true => crate::output::json(&answer)?,
            false => tell(&answer),
        }
        if let Some(report) = report.filter(|_| !self.json) {
            eprint!("{report}");
        }
        if let Some(rough) = rough {
            eprintln!("gw: warning: {rough}");
        }
        match (wrong, no_result) {
            (Some(problem), _) => Err(CliError::Wrong(problem)),
            (None, Some(reason)) => Err(CliError::NoResult(reason)),
            (None, None) => Ok(()),
        }
    }

    /// Makes a standard program ready: its arguments are checked, its graph is loaded and seen as the program needs
    /// it, and a sibling takes over where the weights ask for one. Remarks go to standard error.
    fn ready(&self, program: &mut Program, graphs: &Graphs) -> Result<Ready, CliError> {
        let named = self.named.pairs();
        let mut args = self.args.clone();
        if !self.columns.is_default() {
            let Some(graph) = args.first_mut() else {
                return Err(CliError::Usage("columns are named for a table, but there is no graph".to_string()));
            };
            *graph = self.columns.apply(GraphSpec::parse(graph)?)?.to_string();
        }
        let ready = program.ready(&named, &args, graphs).map_err(|error| match error {
            graphwright::Error::Argument(ArgumentError::Unknown { name, program, known }) => {
                let options: Vec<String> = known.iter().skip(1).map(|name| Named::option(name)).collect();
                let options = if options.is_empty() { "none by name".to_string() } else { options.join(", ") };
                CliError::Usage(format!("{}: {program} has no such argument; it has {options}", Named::option(&name)))
            }
            error => error.into(),
        })?;
        ready.notes.iter().for_each(|note| eprintln!("gw: {note}"));
        let (args, chosen_source) = (ready.args, ready.chosen_source);
        if let Cow::Owned(sibling) = ready.program {
            *program = sibling;
        }
        Ok(Ready { args, chosen_source })
    }

    /// Makes the run one of which only its part in the work matters: another process tells of the results.
    fn be_silent(&mut self) {
        (self.verify, self.json, self.trace, self.explain_schedule) = (false, false, false, false);
        self.out.clear();
        self.top.clear();
    }

    /// Says which arguments a program of one's own does not read.
    fn warn_of_unread(&self, program: &Program, module: &Module, wanted: &Wanted, args: &[String]) {
        if program.as_standard().is_some() {
            return;
        }
        let schedule = match wanted {
            Wanted::Fixed(schedule, _) => Some(&**schedule),
            Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => None,
        };
        for index in unread::unread(module, schedule, args.len()) {
            eprintln!("gw: warning: the program never reads argv[{index}], `{}`", args[index - 1]);
        }
    }
}

/// Two lines about the run and its time, on standard error: standard output belongs to the program.
fn tell(answer: &Answer<'_>) {
    let steps = if answer.steps == 1 { "step" } else { "steps" };
    let mut line = format!(
        "{} on {}: {} in {} {steps}",
        answer.program,
        answer.target,
        seconds(answer.seconds),
        grouped(answer.steps)
    );
    if let (Some(edges), Some(speed)) = (answer.edges, answer.edges_per_second) {
        line += &format!("; {} edges in the graph", grouped(edges));
        if let Some(counted) = answer.counted_edges.filter(|&counted| counted != edges) {
            line += &format!(", {} reached", grouped(counted));
        }
        line += &format!(", {} edges/s", rate(speed, ""));
    }
    if let (Some(edges), Some(speed)) = (answer.touched_edges, answer.touched_edges_per_second) {
        line += &format!("; {} touched, {} edges/s", grouped(edges), rate(speed, ""));
    }
    match (answer.verified, answer.verify_seconds) {
        (Some(true), Some(s)) => line += &format!("; result verified in {}", seconds(s)),
        (Some(false), _) => line += "; the result is wrong",
        _ => {}
    }
    eprintln!("{line}");
    eprintln!("{}", answer.parts.in_words(&answer.start, answer.usage.as_ref()));
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
