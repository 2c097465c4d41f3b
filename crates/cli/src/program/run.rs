//! `gw run`.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use gw_exec::{Globals, GraphSource, MachineUsage, Output, Reason, RunOptions, SpecGraphs, Value};
use gw_lab::{Origin, Source};
use gw_programs::Run as FinishedRun;
use serde::Serialize;

use super::attempt::{Attempt, Finished};
use super::{source, trace};
use crate::error::CliError;
use crate::machines::Target;
use crate::output::{grouped, rate, seconds};

const HELP: &str = "\
Examples:
  gw run bfs kron:16 2 --verify                 breadth-first search from vertex 2, result checked
  gw run sssp road:300x300:weights=1..100 7     shortest paths on a generated road-like graph
  gw run my.gt web.mtx.gz --out rank=ranks.txt  a program of your own; a result vector into a file
  gw run bc kron:16 2 --schedule auto --explain-schedule
                                                the machine chooses the schedule and says why

`gw programs` lists the standard programs and their arguments.";

/// Arguments of `gw run`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Run {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// Arguments of the program, its first and later argv; graph specs are taken wherever a graph file is
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// The machine to run on
    #[arg(long, value_enum, default_value_t = Target::Cpu)]
    target: Target,
    /// A schedule: `auto` (the machine's choice for this graph), `adaptive` (a model picks at every step; a model file may
    /// follow as adaptive:FILE), canonical text such as s0:s1@pull, or a file with schedule
    /// statements [default: the program's own, else auto]
    #[arg(long, value_name = "auto|adaptive[:FILE]|FILE|TEXT")]
    schedule: Option<String>,
    /// Print the schedule of every place, with the reason where the machine chose it, to standard error
    #[arg(long)]
    explain_schedule: bool,
    /// Follow the model of an adaptive schedule blindly: weak leaves, dear candidates and late steps change nothing
    #[arg(long)]
    no_guard: bool,
    /// Check the result; the exit code is 0 only if it is right
    #[arg(long)]
    verify: bool,
    /// Write a vector of the program to a file, one entry per line
    #[arg(long, value_name = "VECTOR=FILE")]
    out: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print every operator call to standard error
    #[arg(long)]
    trace: bool,
    /// Stop after this many seconds, whatever is being done then: loading, running or checking
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    timeout: Option<Duration>,
    /// Seed of random choices in the program
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    program: &'a str,
    arguments: &'a [String],
    target: &'a str,
    schedule: String,
    schedule_origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_reasons: Option<&'a [Reason]>,
    load_seconds: f64,
    compile_seconds: f64,
    seconds: f64,
    steps: u64,
    edges: Option<u64>,
    edges_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    touched_edges: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    touched_edges_per_second: Option<f64>,
    /// What the machine counted, where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<MachineUsage>,
    verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    verify_seconds: Option<f64>,
    printed: &'a str,
}

impl Run {
    /// Runs the program; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), CliError> {
        let started = Instant::now();
        self.timeout.map(crate::stop::end_after).transpose()?;
        let outputs = self.outputs()?;
        let program = source::find(&self.program)?;
        if self.verify && program.standard.is_none() {
            let message = "--verify: only standard programs have a validator (see `gw programs`)";
            return Err(CliError::Usage(message.to_string()));
        }
        self.check_arguments(&program)?;

        let graphs = Arc::new(SpecGraphs::new());
        let mut options = RunOptions::with_args(self.args.iter().cloned());
        (options.timeout, options.started) = (self.timeout, Some(started));
        options.cancel = Arc::clone(cancel);
        options.graphs = graphs.clone();
        options.seed = self.seed;
        options.guard = !self.no_guard;
        // Front end, choice of a schedule, passes and code of the machine count as compiling.
        let start = Instant::now();
        let front = source::front(&program)?;
        let wanted = source::schedule(&front, program.name(), self.schedule.as_deref())?;
        let machine = self.target.open(threads)?;
        let front_seconds = start.elapsed().as_secs_f64();

        let attempt = Attempt { program: &program, front: &front, wanted: &wanted, explain: self.explain_schedule };
        let mut tracer = None;
        let finished = attempt.run(&machine, threads, &mut |may_be_given_up| {
            tracer = self.trace.then(|| Arc::new(trace::Printer::new()));
            options.observer = tracer.clone().map(|tracer| tracer as _);
            options.output = match self.json || may_be_given_up {
                true => Output::Capture,
                false => Output::Writer(Arc::new(std::sync::Mutex::new(std::io::stdout()))),
            };
            options.clone()
        })?;
        let Finished { settled, compile_seconds, ran, prepared, usage } = finished;
        if !self.json {
            // Where another machine might have had to begin again, prints were kept back until now.
            crate::output::text(&ran.printed)?;
        }

        let start = Instant::now();
        let verdict = match (self.verify, program.standard) {
            (true, Some(standard)) => {
                let spec = self.args.first().map_or("", String::as_str);
                let graph =
                    graphs.load(spec, None).map_err(|error| CliError::Run { error, file: program.file.clone() })?;
                Some(standard.validate(&FinishedRun { graph: &graph, args: &self.args, results: &ran.globals }))
            }
            _ => None,
        };
        let verify_seconds = verdict.is_some().then(|| start.elapsed().as_secs_f64());
        for (vector, file) in outputs {
            write_vector(&ran.globals, vector, Path::new(file))?;
        }
        let problem = verdict.as_ref().and_then(|v| v.as_ref().err()).map(ToString::to_string);
        let edges = ran.globals.iter().find_map(|(_, value)| value.as_graph()).map(|graph| graph.edges() as u64);
        let touched_edges = tracer.and_then(|tracer| tracer.touched_edges());
        let per_second = |edges: Option<u64>| edges.filter(|_| ran.seconds > 0.0).map(|e| e as f64 / ran.seconds);
        let answer = Answer {
            program: program.name(),
            arguments: &self.args,
            target: prepared.machine(),
            schedule: settled.schedule.to_string(),
            schedule_origin: settled.origin,
            schedule_reasons: (settled.origin == Origin::Chosen).then_some(&settled.reasons),
            load_seconds: settled.load_seconds + ran.timings.load,
            compile_seconds: front_seconds + compile_seconds,
            seconds: ran.seconds,
            steps: ran.steps,
            edges,
            edges_per_second: per_second(edges),
            touched_edges,
            touched_edges_per_second: per_second(touched_edges),
            usage,
            verified: verdict.as_ref().map(Result::is_ok),
            problem: problem.clone(),
            verify_seconds,
            printed: &ran.printed,
        };
        match self.json {
            true => crate::output::json(&answer)?,
            false => tell(&answer),
        }
        match problem {
            Some(problem) => Err(CliError::Wrong(problem)),
            None => Ok(()),
        }
    }

    fn outputs(&self) -> Result<Vec<(&str, &str)>, CliError> {
        let wrong = |text: &String| CliError::Usage(format!("--out {text}: write it as VECTOR=FILE"));
        self.out.iter().map(|text| text.split_once('=').ok_or_else(|| wrong(text))).collect()
    }

    /// A standard program says what it needs before anything is loaded.
    fn check_arguments(&self, program: &Source) -> Result<(), CliError> {
        let Some(standard) = program.standard else { return Ok(()) };
        if self.args.len() < standard.args.len() {
            let missing = &standard.args[self.args.len()];
            return Err(CliError::Usage(format!(
                "missing argument {}: {}\nusage: gw run {}",
                missing.name.to_uppercase(),
                missing.meaning,
                standard.usage()
            )));
        }
        Ok(())
    }
}

/// One line about the run, on standard error: standard output belongs to the program.
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
        line += &format!("; {} edges in the graph, {} edges/s", grouped(edges), rate(speed, ""));
    }
    if let (Some(edges), Some(speed)) = (answer.touched_edges, answer.touched_edges_per_second) {
        line += &format!("; {} touched, {} edges/s", grouped(edges), rate(speed, ""));
    }
    let (load, compile) = (seconds(answer.load_seconds), seconds(answer.compile_seconds));
    line += &format!(" (load {load}, compile {compile})");
    // The first run brings the graph to a device and compiles kernels as it meets them.
    if let Some(usage) = &answer.usage {
        let (kernels, transfer) = (seconds(usage.compile_seconds), seconds(usage.transfer_seconds));
        line += &format!(
            "; in the run: {} kernels compiled, {} from the cache in {kernels}, transfers {transfer}",
            usage.compiled, usage.cached
        );
    }
    match (answer.verified, answer.verify_seconds) {
        (Some(true), Some(s)) => line += &format!("; result verified in {}", seconds(s)),
        (Some(false), _) => line += "; the result is wrong",
        _ => {}
    }
    eprintln!("{line}");
}

/// Writes a vector of the run, one entry (or row) per line.
fn write_vector(globals: &Globals, name: &str, path: &Path) -> Result<(), CliError> {
    let Some(vector) = globals.vector(name) else {
        let vectors: Vec<_> = globals.iter().filter(|(_, v)| v.as_vector().is_some()).map(|(n, _)| n).collect();
        return Err(CliError::Usage(format!(
            "--out: the program has no vector `{name}`; it has {}",
            vectors.join(", ")
        )));
    };
    let row = vector.stride().max(1);
    let mut bytes = Vec::new();
    for cell in 0..vector.cells() {
        let value = vector.get(cell).unwrap_or(Value::Nothing);
        let end = if (cell + 1) % row == 0 { '\n' } else { ' ' };
        match value {
            // All digits, unlike `print`: a file is for machines.
            Value::Float(v) => write!(bytes, "{v}{end}")?,
            Value::Double(v) => write!(bytes, "{v}{end}")?,
            other => write!(bytes, "{}{end}", other.printed().unwrap_or_default())?,
        }
    }
    gw_graph::format::write_file(path, &bytes)?;
    Ok(())
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds > 0.0 => Ok(duration),
        _ => Err("a positive number of seconds is expected".to_string()),
    }
}
