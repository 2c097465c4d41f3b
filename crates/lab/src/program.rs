//! Programs and schedules of a suite: found, parsed and checked before anything runs.

use std::path::Path;
use std::sync::Arc;

use gw_exec::GraphVm;
use gw_ir::types::Type;
use gw_ir::{Options, lower, run_pipeline};
use gw_lang::{Diagnostic, Front, Severity, SourceFile, check_labels, compile_front, read_schedule};
use gw_programs::Program;
use gw_schedule::ProgramSchedule;

use crate::error::{LabError, Result};
use crate::suite::Suite;

/// The name of the schedule that a program has without one being given.
pub(crate) const DEFAULT: &str = "default";

/// A checked program.
pub(crate) struct PlannedProgram {
    /// The name as in the suite.
    pub(crate) name: String,
    /// The standard program, when it is one.
    pub(crate) standard: Option<&'static Program>,
    file: SourceFile,
    front: Front,
}

/// A program compiled under a schedule.
pub(crate) struct Prepared {
    pub(crate) program: gw_exec::Program,
    /// Whether it loads a weighted graph.
    pub(crate) weighted: bool,
}

impl PlannedProgram {
    /// Finds a standard program by name or a `.gt` file by path, and checks it.
    pub(crate) fn find(suite: &Suite, name: &str) -> Result<Self> {
        let path = Path::new(name);
        let is_file = path.extension().is_some_and(|e| e == "gt") || name.contains(std::path::MAIN_SEPARATOR);
        let (standard, file) = match is_file {
            true => (None, SourceFile::new(name, read(&suite.path(path))?)),
            false => {
                let standard = gw_programs::find(name)?;
                (Some(standard), SourceFile::new(standard.file, standard.source))
            }
        };
        let front = compile_front(&file).map_err(|found| wrong(found, &file))?;
        let name = standard.map_or(name, |p| p.name).to_string();
        Ok(PlannedProgram { name, standard, file, front })
    }

    /// The schedule that a suite or a person names: the default, one of the suite's, a file or a text.
    pub(crate) fn schedule(&self, suite: &Suite, name: &str) -> Result<ProgramSchedule> {
        if name == DEFAULT {
            return Ok(self.front.schedule.clone().unwrap_or_default());
        }
        let text = suite.schedules.get(name).map_or(name, String::as_str);
        let path = suite.path(Path::new(text));
        let file = match path.is_file() {
            true => SourceFile::new(text, read(&path)?),
            false => SourceFile::new(format!("schedule of {}", self.name), text),
        };
        let parsed = read_schedule(&file).map_err(|found| wrong(found, &file))?;
        let unknown = check_labels(&self.front.typed, &parsed.schedule, &parsed.labels, Severity::Error);
        if !unknown.is_empty() {
            return Err(wrong(unknown, &file));
        }
        Ok(parsed.schedule)
    }

    /// Compiles the program for a machine. The error says in words why the machine cannot run it.
    pub(crate) fn prepare(&self, schedule: &ProgramSchedule, machine: &dyn GraphVm) -> Result<Prepared, String> {
        let capabilities = machine.capabilities();
        let everywhere = schedule.everywhere().map(|s| ("the program".to_string(), s));
        let labels = schedule.labels().map(|(label, s)| (label.to_string(), s));
        let refused: Vec<String> = labels
            .chain(everywhere)
            .flat_map(|(place, s)| capabilities.unsupported(s).into_iter().map(move |r| (place.clone(), r)))
            .map(|(place, reason)| format!("schedule of {place}: {reason}"))
            .collect();
        if !refused.is_empty() {
            return Err(refused.join("; "));
        }
        let module = lower(&self.front.typed, &self.file.text).map_err(|e| e.to_string())?;
        // The front end has warned of labels that a program's own schedule has in excess.
        let options = Options { allow_unknown_labels: true, ..Options::default() };
        let module = run_pipeline(module, schedule, &options).map_err(|e| e.to_string())?;
        let weighted = module.globals.iter().any(|g| matches!(g.ty, Type::EdgeSet { weight: Some(_), .. }));
        let program = gw_exec::Program::prepare(machine, Arc::new(module)).map_err(|e| e.to_string())?;
        Ok(Prepared { program, weighted })
    }
}

fn wrong(found: Vec<Diagnostic>, file: &SourceFile) -> LabError {
    LabError::Program { found, file: file.clone() }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| LabError::Read { path: path.to_path_buf(), source })
}
