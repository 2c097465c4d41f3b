//! `gw`, the Graphwright command: argument parsing, printing and progress; the work is done by the libraries.

#[macro_use]
mod note;

mod asked;
mod bench;
mod check;
mod clock;
mod completions;
mod criteria;
mod devices;
mod distributed;
mod energy;
mod error;
mod explain;
mod gpu_queues;
mod graph;
mod lab;
mod machines;
mod matching;
mod memory;
mod meter;
mod mine;
mod model;
mod output;
mod program;
mod progress;
mod stop;
mod stream;
mod swarm;
mod tune;
mod window;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{CommandFactory, Parser, Subcommand};

use error::CliError;

/// Graphwright: write a graph algorithm once, run it fast on the machine at hand.
#[derive(Parser)]
#[command(name = "gw", version, propagate_version = true, max_term_width = 100)]
struct Arguments {
    /// Number of threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program on a graph
    Run(Box<program::run::Run>),
    /// Tell why a run is this fast, what limits it, and which schedule would help
    Explain(Box<explain::Explain>),
    /// Show what the compiler makes of a program
    Compile(program::compile::Compile),
    /// Measure a suite of programs on graphs
    Bench(bench::Bench),
    /// Check that a machine computes right: programs x schedules x small graphs
    Check(check::Check),
    /// Search for the fastest schedule of a program on a graph, and keep it for later runs
    Tune(Box<tune::Tune>),
    /// Apply changes to a graph in batches, and run a program after each
    Stream(Box<stream::Stream>),
    /// List the standard programs
    Programs(program::list::Programs),
    /// Show the processor and the GPUs that programs can run on, or why there are none
    Devices(devices::Devices),
    /// Measure what this machine's memory, units and power reach
    Meter(meter::Meter),
    /// Tell from a profiler's table how well GPU kernels use the device, and what would help
    Criteria(criteria::CriteriaArguments),
    /// Measure programs under many schedules, and keep everything in one file
    Lab(lab::LabArguments),
    /// Run a program on the simulated Swarm machine over numbers of cores
    Swarm(swarm::Swarm),
    /// Generate, convert, inspect and check graphs
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// Train, judge and export models that pick schedules; models of workload
    #[command(subcommand, after_help = model::HELP)]
    Model(Box<model::ModelCommand>),
    /// Find where a small labelled graph occurs in a large one, approximately or exactly
    Match(Box<matching::Match>),
    /// Find what holds at every instant of a trace: likely invariants
    Mine(mine::Mine),
    /// Print a script that completes commands and options in a shell
    Completions(completions::Completions),
    /// Print the manual page, or write a page per command into a folder
    Man(completions::Man),
}

fn main() -> ExitCode {
    clock::begin();
    memory::prepare();
    gpu_queues::prepare();
    gw_graph::explain_bus_errors();
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) if stop::is_hurried() => {
            // Whoever reads the output may have gone.
            let _ = std::io::stdout().flush();
            stop::end_process(0)
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Of several processes that were started together, one is heard.
            if !distributed::tell_launcher(error.exit_code(), &output::error_text(&error)) {
                output::error(&error);
            }
            if error.is_stop() || stop::is_hurried() {
                // Whoever reads the output may have gone.
                let _ = std::io::stdout().flush();
                stop::end_process(error.exit_code().into());
            }
            error.exit_code().into()
        }
    }
}

fn run(arguments: Arguments) -> Result<(), CliError> {
    // True while nothing runs that would look at it.
    let cancel = Arc::new(AtomicBool::new(true));
    stop::on_signals(Arc::clone(&cancel))?;
    check_threads(arguments.threads)?;
    // Started here rather than at first use, where a refusal of the system would be a panic.
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0).into()).build_global()?;
    match arguments.command {
        Command::Run(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Explain(command) => command.run(arguments.threads.unwrap_or(0).into()),
        Command::Compile(command) => command.run(),
        Command::Bench(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Check(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Tune(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Stream(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Programs(command) => command.run(),
        Command::Devices(command) => command.run(),
        Command::Meter(command) => command.run(),
        Command::Criteria(command) => command.run(),
        Command::Lab(command) => command.run(&cancel, arguments.threads.unwrap_or(0).into()),
        Command::Swarm(command) => command.run(&cancel),
        Command::Graph(command) => graph::run(command),
        Command::Model(command) => model::run(*command),
        Command::Match(command) => command.run(),
        Command::Mine(command) => command.run(),
        Command::Completions(command) => command.run(Arguments::command()),
        Command::Man(command) => command.run(Arguments::command()),
    }
}

/// Refuses numbers of threads that only cost: each has a stack and is woken for every loop.
fn check_threads(threads: Option<u16>) -> Result<(), CliError> {
    const PER_CORE: usize = 8;
    const ALWAYS: usize = 64;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = (PER_CORE * cores).max(ALWAYS);
    match threads {
        Some(threads) if usize::from(threads) > most => Err(CliError::Usage(format!(
            "--threads {threads}: at most {most} threads may be asked for on {cores} cores; more would only wait for \
             each other"
        ))),
        _ => Ok(()),
    }
}
