//! From the words on the command line to a checked program and its schedule; warnings go to standard error.

use std::path::Path;

use graphwright::Program;
use graphwright::schedule::{AUTO, Wanted};
use gw_schedule::ProgramSchedule;

use crate::error::CliError;

/// A standard program by name, or a `.gt` file by path; parsed and checked.
pub fn find(name: &str) -> Result<Program, CliError> {
    let program = Program::find(name)?;
    crate::output::warnings(program.warnings(), program.file());
    Ok(program)
}

/// The schedule that `--schedule` asks for; without it the program's own, else the machine's choice.
fn schedule(program: &Program, given: Option<&str>) -> Result<Wanted, CliError> {
    let Some(given) = given else { return Ok(Wanted::usual(program.front())) };
    let read = Wanted::read(program.front(), program.name(), given, "--schedule", Path::to_path_buf)?;
    crate::output::warnings(&read.warnings, &read.file);
    Ok(read.wanted)
}

/// As `schedule`, where there is no graph to choose for.
pub fn fixed_schedule(program: &Program, given: Option<&str>) -> Result<ProgramSchedule, CliError> {
    match schedule(program, given)? {
        Wanted::Fixed(schedule, _) => Ok(*schedule),
        Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..)
            if given.is_some() =>
        {
            Err(CliError::Usage(format!(
                "--schedule {0}: a machine chooses for a graph, and `gw compile` has none; \
             `gw run PROGRAM GRAPH ... --schedule {0} --explain-schedule` shows its choice",
                given.unwrap_or(AUTO)
            )))
        }
        Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => {
            Ok(ProgramSchedule::default())
        }
    }
}

/// An error unless the result of a run can be checked.
pub fn can_verify(program: &Program, graph: Option<&String>) -> Result<(), CliError> {
    if program.as_standard().is_none() {
        let message = "--verify: only standard programs have a validator (see `gw programs`)";
        return Err(CliError::Usage(message.to_string()));
    }
    if graph.is_some_and(|graph| gw_graph::format::is_parted(graph.as_ref())) {
        let message = "--verify needs the whole graph, which no process has of a graph in parts; write the result with \
                       --out and compare it";
        return Err(CliError::Usage(message.to_string()));
    }
    Ok(())
}
