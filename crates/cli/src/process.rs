//! The life of a process: what comes before a command, and what its outcome makes of the exit code.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{ArgMatches, Command, FromArgMatches};

use crate::commands::Common;
use crate::error::CliError;
use crate::{clock, distributed, gpu_queues, memory, output, program, stop};

/// Prepares the process, first of all in `main`, and returns the words of the command line.
pub fn begin() -> Vec<OsString> {
    clock::begin();
    memory::prepare();
    gpu_queues::prepare();
    gw_graph::explain_bus_errors();
    gw_dynamic::know_stores();
    // A graph from standard input with options, such as `-:format=csv`, would read as an option of the command.
    let words = std::env::args_os().map(|word| match word.to_str().and_then(|word| word.strip_prefix("-:")) {
        Some(options) => format!("/dev/stdin:{options}").into(),
        None => word,
    });
    words.collect()
}

/// The arguments of a program that takes these, or the exit code where that is the end. `hand_on` looks at the words
/// before, and ends the process where they are for another program.
pub fn parse<A: FromArgMatches>(
    command: Command,
    words: &[OsString],
    hand_on: impl FnOnce(&Result<ArgMatches, clap::Error>, &[OsString]) -> Result<(), CliError>,
) -> Result<A, ExitCode> {
    let found = command.clone().try_get_matches_from(words);
    hand_on(&found, words).map_err(|error| end(Err(error)))?;
    match found.and_then(|matches| A::from_arg_matches(&matches)) {
        Ok(arguments) => Ok(arguments),
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
            match program::help::asked(&command, std::env::args_os()) {
                Some(told) => Err(end(told.and_then(|help| output::text(&help)))),
                None => error.exit(),
            }
        }
        // Of several ranks, which all have these arguments, the first tells.
        Err(error) if gw_mpi::launched().is_some_and(|launched| launched.rank > 0) => {
            Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1)))
        }
        Err(error) => error.exit(),
    }
}

/// Starts what every command needs: the handler of signals and the threads. Returns the flag that is set when a person
/// or the system asks the command to end.
pub fn prepare(common: &Common) -> Result<Arc<AtomicBool>, CliError> {
    // True while nothing runs that would look at it.
    let cancel = Arc::new(AtomicBool::new(true));
    stop::on_signals(Arc::clone(&cancel))?;
    check_threads(common.threads)?;
    // Started here rather than at first use, where a refusal of the system would be a panic.
    rayon::ThreadPoolBuilder::new().num_threads(common.threads()).build_global()?;
    Ok(cancel)
}

/// Ends the process with the code of the command's outcome.
pub fn end(outcome: Result<(), CliError>) -> ExitCode {
    match outcome.and_then(|()| distributed::leave()) {
        Ok(()) if stop::is_hurried() => {
            // The reader of the output may have gone.
            let _ = std::io::stdout().flush();
            stop::end_process(0)
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            distributed::fail(error.exit_code(), || output::error(&error));
            if error.is_stop() || stop::is_hurried() {
                stop::end_process(error.exit_code().into());
            }
            error.exit_code().into()
        }
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
