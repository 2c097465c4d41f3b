//! From the words on the command line to a checked program and its schedule.

use std::path::Path;

use gw_ir::{Module, Options, lower, run_pipeline};
use gw_lang::{Diagnostic, Front, Severity, SourceFile, check_labels, compile_front, read_schedule};
use gw_programs::Program;
use gw_schedule::ProgramSchedule;

use crate::error::CliError;

/// A program as named on the command line.
pub struct NamedProgram {
    /// The standard program, when it is one.
    pub standard: Option<&'static Program>,
    /// Its text.
    pub file: SourceFile,
}

impl NamedProgram {
    /// A standard program by name, or a `.gt` file by path.
    pub fn find(name: &str) -> Result<Self, CliError> {
        let path = Path::new(name);
        if path.extension().is_some_and(|e| e == "gt") || name.contains(std::path::MAIN_SEPARATOR) {
            let text = std::fs::read_to_string(path).map_err(|e| CliError::Read(path.to_path_buf(), e))?;
            return Ok(NamedProgram { standard: None, file: SourceFile::new(name, text) });
        }
        let program = gw_programs::find(name)?;
        let file = SourceFile::new(program.file, program.source);
        Ok(NamedProgram { standard: Some(program), file })
    }

    /// The name shown to people.
    pub fn name(&self) -> &str {
        self.standard.map_or(self.file.name.as_str(), |p| p.name)
    }

    /// Parses and checks the program; warnings go to standard error.
    pub fn front(&self) -> Result<Front, CliError> {
        let front = compile_front(&self.file).map_err(|found| self.diagnostics(found))?;
        crate::output::warnings(&front.warnings, &self.file);
        Ok(front)
    }

    /// Findings in this program as an error.
    pub fn diagnostics(&self, found: Vec<Diagnostic>) -> CliError {
        CliError::Program { found, file: self.file.clone() }
    }

    /// The schedule to use: the one given by `--schedule`, else the program's own, else none.
    pub fn schedule(&self, front: &Front, given: Option<&str>) -> Result<ProgramSchedule, CliError> {
        let Some(given) = given else {
            return Ok(front.schedule.clone().unwrap_or_default());
        };
        let path = Path::new(given);
        let file = match path.is_file() {
            true => {
                let text = std::fs::read_to_string(path).map_err(|e| CliError::Read(path.to_path_buf(), e))?;
                SourceFile::new(given, text)
            }
            false => SourceFile::new("--schedule", given),
        };
        let wrong = |found: Vec<Diagnostic>| CliError::Program { found, file: file.clone() };
        let parsed = read_schedule(&file).map_err(wrong)?;
        crate::output::warnings(&parsed.warnings, &file);
        let unknown = check_labels(&front.typed, &parsed.schedule, &parsed.labels, Severity::Error);
        if !unknown.is_empty() {
            return Err(CliError::Program { found: unknown, file });
        }
        Ok(parsed.schedule)
    }

    /// The module under a schedule, after all passes or after the named one.
    pub fn module(&self, front: &Front, schedule: &ProgramSchedule, after: Option<&str>) -> Result<Module, CliError> {
        let module = lower(&front.typed, &self.file.text)?;
        let options = Options { after: after.map(str::to_string), allow_unknown_labels: true, ..Options::default() };
        Ok(run_pipeline(module, schedule, &options)?)
    }
}
