//! The `gw-fuzz` command.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use gw_fuzz::case::Case;
use gw_fuzz::check::{Failure, Settings};
use gw_fuzz::classify::classify;
use gw_fuzz::generate;
use gw_fuzz::guard::GuardAllocator;
use gw_fuzz::reduce::Reducer;
use gw_fuzz::schedules::Targets;
use gw_fuzz::sequences::{self, Wanted};
use gw_fuzz::session::Session;
use gw_fuzz::worker::{Worker, serve};

#[global_allocator]
static ALLOCATOR: GuardAllocator = GuardAllocator;

/// Reasons of refusals that are shown, the most frequent ones.
const REFUSALS: usize = 12;

/// Random programs on random graphs under random schedules: all machines must agree with the reference machine.
#[derive(Parser)]
#[command(name = "gw-fuzz")]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(clap::Args, Clone)]
struct Options {
    /// The first seed; the next programs have the seeds after it
    #[arg(long, default_value_t = 1, global = true)]
    seed: u64,
    /// Stop after so many programs
    #[arg(long, default_value_t = 1000, global = true)]
    programs: u64,
    /// Stop after so many seconds
    #[arg(long, global = true)]
    seconds: Option<u64>,
    /// Schedules per program and machine
    #[arg(long, default_value_t = 10, global = true)]
    schedules: usize,
    /// Machines to compare with the reference machine
    #[arg(long, value_delimiter = ',', default_value = "cpu", global = true)]
    targets: Vec<Target>,
    /// Worker processes
    #[arg(long, default_value_t = 1, global = true)]
    jobs: usize,
    /// Folder for failing cases
    #[arg(long, global = true)]
    save: Option<PathBuf>,
    /// Milliseconds for one run
    #[arg(long, default_value_t = 5000, global = true)]
    limit_ms: u64,
    /// Do not take cases apart to see what their failures have to do with
    #[arg(long, global = true)]
    no_classes: bool,
}

#[derive(Subcommand, Clone)]
enum Action {
    /// Shrink the failing case of a seed, or of a `case.json`
    Reduce {
        /// The seed, or the file
        case: String,
        /// Candidates to try at most
        #[arg(long, default_value_t = 3000)]
        budget: usize,
    },
    /// Check the case of a `case.json` or of a seed again
    Replay {
        /// The file, or the seed
        case: String,
    },
    /// Print the program of a seed
    Show {
        /// The seed
        seed: u64,
    },
    /// Run sequences of standard programs: does one run change the next? Takes --seed and --seconds, too
    Sequences {
        /// The machines: reference, cpu, cpu:3, flow (1 to 4 workers), swarm, emulator, cuda
        #[arg(long, value_delimiter = ',', default_value = "reference,cpu,flow,swarm,emulator")]
        on: Vec<String>,
        /// The number of sequences
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// Only these standard programs
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Of a hundred sequences, those with a random schedule
        #[arg(long, default_value_t = 10)]
        random: u64,
        /// Carry out one sequence, as a report names it
        #[arg(long)]
        play: Option<String>,
    },
    /// Answer requests of a parent process
    #[command(hide = true)]
    Worker,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum Target {
    Cpu,
    Emulator,
    Cuda,
}

impl Options {
    fn settings(&self) -> Settings {
        let has = |target| self.targets.contains(&target);
        let targets = Targets { cpu: has(Target::Cpu), emulator: has(Target::Emulator), cuda: has(Target::Cuda) };
        Settings { schedules: self.schedules, targets, limit_ms: self.limit_ms }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> std::io::Result<bool> {
    let options = &arguments.options;
    match &arguments.command {
        None => fuzz(options),
        Some(Action::Worker) => serve().map(|()| true),
        Some(Action::Show { seed }) => {
            print!("{}", generate::case(*seed).program);
            Ok(true)
        }
        Some(Action::Replay { case }) => {
            let report = Worker::new(std::env::current_exe()?, options.settings()).case(&find(case)?)?;
            println!("{}", serde_json::to_string_pretty(&report)?);
            Ok(report.failures.is_empty())
        }
        Some(Action::Sequences { on, count, only, random, play }) => match play {
            Some(line) => replay(line),
            None => {
                let (on, programs) = (on.clone(), only.clone());
                let time = options.seconds.map(Duration::from_secs);
                run_sequences(&Wanted { on, programs, seed: options.seed, count: *count, random: *random, time })
            }
        },
        Some(Action::Reduce { case, budget }) => reduce(options, &find(case)?, *budget),
    }
}

/// Runs sequences and tells what they came to; false where one is wrong.
fn run_sequences(wanted: &Wanted) -> std::io::Result<bool> {
    let (mut done, every) = (0u64, (wanted.count / 20).max(1));
    let report = sequences::run(wanted, &mut |_| {
        done += 1;
        if done.is_multiple_of(every) {
            eprintln!("{done} sequences");
        }
    });
    let report = report.map_err(std::io::Error::other)?;
    for tally in &report.tallies {
        let (right, wrong, refused, judged) = (tally.right, tally.wrong, tally.refused, tally.judged);
        let name = format!("{} {}", tally.machine, tally.kind.word());
        println!("{name:<18} {right:>6} right {wrong:>4} wrong {refused:>5} refused {judged:>7} results");
    }
    for failure in &report.failures {
        let again = if failure.fails_again { "" } else { " (not when it was tried again)" };
        println!("seed {}: {}{again}\n    {}", failure.seed, failure.problem, failure.command);
    }
    let mut refusals: Vec<_> = report.refusals.iter().collect();
    refusals.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in refusals.iter().take(REFUSALS) {
        println!("refused in {count} sequences: {reason}");
    }
    println!("{} sequences, {} wrong", report.sequences(), report.failures.len());
    Ok(report.failures.is_empty())
}

/// Carries out one sequence.
fn replay(line: &str) -> std::io::Result<bool> {
    let sequence: gw_lab::Sequence = line.parse().map_err(std::io::Error::other)?;
    let played = gw_lab::play(&sequence, &sequences::targets());
    println!("{played:?}");
    Ok(!matches!(played.ending, gw_lab::Ending::Wrong { .. }))
}

/// The case of a seed, or of a file.
fn find(text: &str) -> std::io::Result<Case> {
    match text.parse() {
        Ok(seed) => Ok(generate::case(seed)),
        Err(_) => Ok(serde_json::from_str(&std::fs::read_to_string(text)?)?),
    }
}

fn fuzz(options: &Options) -> std::io::Result<bool> {
    let session = Session {
        program: std::env::current_exe()?,
        seed: options.seed,
        programs: options.programs,
        time: options.seconds.map(Duration::from_secs),
        jobs: options.jobs,
        settings: options.settings(),
        save: options.save.clone(),
        classify: !options.no_classes,
    };
    let summary = session.run(&|class, finding| {
        let Failure { trial, difference } = &finding.failure;
        println!(
            "seed {} after {} programs, {:.1} s: {class}\n    {} under `{}`: {}",
            finding.seed,
            finding.programs,
            finding.seconds,
            trial.machine,
            trial.schedule.as_deref().unwrap_or("auto"),
            difference.detail
        );
    })?;
    print!("{summary}");
    Ok(summary.findings.is_empty())
}

fn reduce(options: &Options, case: &Case, budget: usize) -> std::io::Result<bool> {
    let mut worker = Worker::new(std::env::current_exe()?, options.settings());
    let report = worker.case(case)?;
    let Some(failure) = report.failures.first() else {
        println!("this case does not fail");
        return Ok(true);
    };
    let kind = failure.difference.kind;
    let mut reducer = Reducer::new(&mut worker, kind, budget);
    let (small, failure) = reducer.reduce(case, failure);
    println!("{} candidates tried", reducer.tried);
    let class = classify(&mut worker, &small, &failure);
    println!("{class}: {} under `{}`", failure.trial.machine, failure.trial.schedule.as_deref().unwrap_or("auto"));
    println!("{}\n\n{}", failure.difference.detail, small.program);
    for (graph, name) in small.graphs.iter().zip(small.args()) {
        println!("{name}: {} vertices, edges {:?}", graph.vertices, graph.edges);
    }
    let folder = options.save.clone().unwrap_or_else(|| PathBuf::from(format!("fuzz-{}", case.seed)));
    small.save(&folder, &format!("{class}\n{}", failure.difference.detail))?;
    println!("\nsaved in {}:\n{}", folder.display(), small.commands().join("\n"));
    Ok(false)
}
