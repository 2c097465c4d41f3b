//! From the words on the command line to a checked program and its schedule; warnings go to standard error.

use std::path::Path;

use gw_ir::{Module, Options, lower, run_pipeline};
use gw_lab::{AUTO, Source, Wanted};
use gw_lang::Front;
use gw_schedule::ProgramSchedule;

use crate::error::CliError;

/// A standard program by name, or a `.gt` file by path.
pub fn find(name: &str) -> Result<Source, CliError> {
    Ok(Source::find(name, Path::to_path_buf)?)
}

/// Parses and checks the program.
pub fn front(source: &Source) -> Result<Front, CliError> {
    let front = source.front()?;
    crate::output::warnings(&front.warnings, &source.file);
    Ok(front)
}

/// The schedule that `--schedule` asks for; without it the program's own, else the machine's choice.
pub fn schedule(front: &Front, program: &str, given: Option<&str>) -> Result<Wanted, CliError> {
    let Some(given) = given else { return Ok(Wanted::usual(front)) };
    let read = Wanted::read(front, program, given, "--schedule", Path::to_path_buf)?;
    crate::output::warnings(&read.warnings, &read.file);
    Ok(read.wanted)
}

/// As [`schedule`], where there is no graph to choose for.
pub fn fixed_schedule(front: &Front, program: &str, given: Option<&str>) -> Result<ProgramSchedule, CliError> {
    match schedule(front, program, given)? {
        Wanted::Fixed(schedule, _) => Ok(*schedule),
        Wanted::Chosen | Wanted::Adaptive(..) if given.is_some() => Err(CliError::Usage(format!(
            "--schedule {}: a machine chooses for a graph, and `gw compile` has none; \
             `gw run PROGRAM GRAPH ... --schedule {AUTO} --explain-schedule` shows its choice",
            given.unwrap_or(AUTO)
        ))),
        Wanted::Chosen | Wanted::Adaptive(..) => Ok(ProgramSchedule::default()),
    }
}

/// The module before any pass.
pub fn lowered(source: &Source, front: &Front) -> Result<Module, CliError> {
    Ok(lower(&front.typed, &source.file.text)?)
}

/// The module under a schedule, after all passes or after the named one.
pub fn passes(module: Module, schedule: &ProgramSchedule, after: Option<&str>) -> Result<Module, CliError> {
    let options = Options { after: after.map(str::to_string), allow_unknown_labels: true, ..Options::default() };
    Ok(run_pipeline(module, schedule, &options)?)
}
