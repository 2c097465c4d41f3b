//! Arguments that a program of one's own never reads, or only in part: most likely a slip.

use graphwright::Program;
use graphwright::language::OwnArgumentKind;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::{GlobalInit, Module};
use gw_ir::walk;
use gw_schedule::ProgramSchedule;

/// The arguments, counted from 1, that neither the module as lowered nor the schedule reads. Empty where the program
/// computes which argument it reads.
pub fn unread(module: &Module, schedule: Option<&ProgramSchedule>, given: usize) -> Vec<usize> {
    let (mut read, mut computed) = (vec![false; given + 1], false);
    let mut look = |expr: &Expr| {
        if let ExprKind::Builtin(Builtin::Argv, args) = &expr.kind {
            match args.first().map(|index| &index.kind) {
                Some(ExprKind::Int(k)) => {
                    if let Some(known) = usize::try_from(*k).ok().and_then(|k| read.get_mut(k)) {
                        *known = true;
                    }
                }
                _ => computed = true,
            }
        }
    };
    for global in &module.globals {
        if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
            walk::walk_expr(init, &mut look);
        }
    }
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut look);
    }
    // A schedule names arguments as `argv3`.
    let schedule = schedule.map(ToString::to_string).unwrap_or_default();
    for text in schedule.split("argv").skip(1) {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        if let Some(known) = digits.parse().ok().and_then(|k: usize| read.get_mut(k)) {
            *known = true;
        }
    }
    match computed {
        true => Vec::new(),
        false => (1..=given).filter(|&k| !read[k]).collect(),
    }
}

/// A sentence about every argument that is no number, where the program reads one.
pub fn misread(program: &Program, args: &[String]) -> impl Iterator<Item = String> {
    program.own_arguments().into_iter().filter_map(|argument| {
        let text = args.get(argument.index.checked_sub(1)?)?;
        let (what, function, part) = match argument.kind {
            OwnArgumentKind::Integer => ("a whole number", "atoi", "digits"),
            OwnArgumentKind::Real => ("a number", "atof", "number"),
            _ => return None,
        };
        let index = argument.index;
        let told =
            format!("argv[{index}], `{text}`, is not {what}: `{function}` reads the {part} at its start, else 0");
        (!argument.kind.reads_all(text)).then_some(told)
    })
}
