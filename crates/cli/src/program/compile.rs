//! `gw compile`: what the compiler makes of a program, stage by stage.

use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::source;
use crate::error::CliError;
use crate::output::text;

/// Arguments of `gw compile`.
#[derive(Args)]
pub struct Compile {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// What to print
    #[arg(long, value_enum, default_value_t = Emit::Graphir)]
    emit: Emit,
    /// A schedule: canonical text such as s0:s1@pull, or a file with schedule statements
    #[arg(long, value_name = "FILE|TEXT")]
    schedule: Option<String>,
    /// Print GraphIR as it is after this pass [default: the last]
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
}

/// Stages of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The words of the program
    Tokens,
    /// The syntax tree
    Ast,
    /// GraphIR after the passes
    Graphir,
    /// The schedule in canonical text
    Schedule,
    /// Cranelift's form of the kernels of the CPU machine
    Clif,
    /// The kernels of the CPU machine as assembly
    Asm,
}

impl Compile {
    pub fn run(self) -> Result<(), CliError> {
        if self.after.is_some() && self.emit != Emit::Graphir {
            return Err(CliError::Usage("--after goes with --emit graphir".to_string()));
        }
        let program = source::find(&self.program)?;
        let file = &program.file;
        match self.emit {
            Emit::Tokens => {
                let (tokens, found) = gw_lang::tokens(file);
                text(&gw_lang::lexer::dump(file, &tokens))?;
                match gw_lang::diagnostic::has_errors(&found) {
                    true => Err(CliError::Program { found, file: file.clone() }),
                    false => Ok(()),
                }
            }
            Emit::Ast => {
                let (ast, found) = gw_lang::parse(file);
                text(&gw_lang::dump::dump(file, &ast))?;
                match gw_lang::diagnostic::has_errors(&found) {
                    true => Err(CliError::Program { found, file: file.clone() }),
                    false => Ok(()),
                }
            }
            Emit::Graphir => {
                let front = source::front(&program)?;
                let schedule = source::fixed_schedule(&front, self.schedule.as_deref())?;
                let module = source::passes(source::lowered(&program, &front)?, &schedule, self.after.as_deref())?;
                text(&gw_ir::print(&module))
            }
            Emit::Clif | Emit::Asm => {
                let front = source::front(&program)?;
                let schedule = source::fixed_schedule(&front, self.schedule.as_deref())?;
                let module = source::passes(source::lowered(&program, &front)?, &schedule, None)?;
                for (kernel, listing) in gw_cpu::CpuVm::new(0).listings(Arc::new(module))? {
                    let code = if self.emit == Emit::Clif { listing.clif } else { listing.assembly };
                    text(&format!("; {kernel}\n{code}\n"))?;
                }
                Ok(())
            }
            Emit::Schedule => {
                let front = source::front(&program)?;
                let schedule = source::fixed_schedule(&front, self.schedule.as_deref())?;
                text(&format!("{schedule}\n"))
            }
        }
    }
}
