//! The whole front end in one call.

use crate::check::check;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::labels::fit_own_section;
use crate::parse::parse;
use crate::schedule::parse_section;
use crate::source::SourceFile;
use crate::typed::TypedProgram;
use gw_schedule::ProgramSchedule;

/// A program ready for lowering, with the schedule of its own file.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// The checked program.
    pub typed: TypedProgram,
    /// The schedule section; `None` when the file has none.
    pub schedule: Option<ProgramSchedule>,
    /// Findings that are not errors.
    pub warnings: Vec<Diagnostic>,
    /// The program names the type `weight`: with weights of another type it is another program.
    pub follows_weights: bool,
}

/// Parses and checks a program and its schedule section. On failure all findings are returned, warnings included.
/// Labels of the section that the program lacks are warnings: such labels serve to choose the machine.
pub fn compile_front(source: &SourceFile) -> Result<Front, Vec<Diagnostic>> {
    let (ast, mut findings) = parse(source);
    let mut typed = None;
    if !has_errors(&findings) {
        match check(&ast) {
            Ok(checked) => {
                findings.extend(checked.warnings);
                typed = Some(checked.program);
            }
            Err(errors) => findings.extend(errors),
        }
    }
    let mut schedule = None;
    if let Some(span) = ast.schedule {
        match parse_section(source, span) {
            Ok(mut parsed) => {
                findings.append(&mut parsed.warnings);
                if let Some(typed) = &typed {
                    findings.extend(fit_own_section(typed, &mut parsed));
                }
                schedule = Some(parsed.schedule);
            }
            Err(errors) => findings.extend(errors),
        }
    }
    match typed {
        Some(typed) if !has_errors(&findings) => {
            Ok(Front { typed, schedule, warnings: findings, follows_weights: ast.names_weight })
        }
        _ => Err(findings),
    }
}
