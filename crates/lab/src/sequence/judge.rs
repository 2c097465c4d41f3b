//! Is a result right? The validator of its program says so, and a run from scratch on the reference machine where there
//! is only one right result.

use std::collections::HashMap;

use graphwright::{Machine, Outcome, Program, StandardProgram};
use gw_exec::{Globals, ReferenceVm};
use gw_graph::Graph;
use gw_programs::{ArgKind, Run, example_args};

use super::world::Version;

/// What stands for the graph among the arguments.
pub(super) const GRAPH: &str = "the graph";

/// Judges results of one program; runs on the reference machine are kept.
pub(super) struct Judge {
    program: Program,
    reference: Machine,
    known: HashMap<(u64, Vec<String>), Result<Outcome, String>>,
}

impl Judge {
    pub(super) fn new(program: &Program) -> Judge {
        let reference = Machine::new(ReferenceVm::new(), 1);
        Judge { program: program.clone(), reference, known: HashMap::new() }
    }

    /// What is wrong with the results of a run of a program, if anything is.
    pub(super) fn check(
        &mut self,
        ran: &StandardProgram,
        version: &Version,
        args: &[String],
        results: &Globals,
    ) -> Result<(), String> {
        let valid = ran.validate(&Run { graph: &version.plain, args, results });
        valid.map_err(|problem| problem.to_string())?;
        if ran.exact_results().is_empty() || ran.name != self.program.name() {
            return Ok(());
        }
        let scratch = || {
            let job = self.program.on(&version.plain).args(args[1..].iter().map(String::as_str));
            job.machine(&self.reference).schedule("default").run().map_err(|error| error.to_string())
        };
        let wanted = self.known.entry((version.number, args.to_vec())).or_insert_with(scratch);
        let wanted = wanted.as_ref().map_err(|error| format!("the reference machine: {error}"))?;
        for name in ran.exact_results() {
            same(wanted.globals(), results, name)?;
        }
        Ok(())
    }
}

/// Compares a result with that of the reference machine.
fn same(wanted: &Globals, found: &Globals, name: &str) -> Result<(), String> {
    if wanted.get(name).is_some_and(|value| value.as_vector().is_none()) {
        let [wanted, found] = [wanted, found].map(|globals| globals.get(name).and_then(|value| value.as_f64()));
        return match wanted == found {
            true => Ok(()),
            false => Err(format!("{name} is {found:?}, the reference machine has {wanted:?}")),
        };
    }
    let (Some(wanted), Some(found)) = (wanted.vector(name), found.vector(name)) else {
        return Err(format!("{name} is missing"));
    };
    let (wanted, found) = (wanted.to_f64(), found.to_f64());
    let at = (0..wanted.len().max(found.len())).find(|&at| wanted.get(at) != found.get(at));
    match at {
        None => Ok(()),
        Some(at) => {
            let [wanted, found] = [wanted, found].map(|values| values.get(at).map_or("nothing".into(), f64::to_string));
            Err(format!("{name}: entry {at} is {found}, the reference machine has {wanted}"))
        }
    }
}

/// The arguments that a number stands for; `None` where the graph is too small for any.
pub(super) fn arguments(program: &StandardProgram, plain: &Graph, arg: u32) -> Option<Vec<String>> {
    let vertices = plain.vertices() as u32;
    let mut args = example_args(program, GRAPH, plain);
    let mut source = None;
    for (text, known) in args.iter_mut().zip(program.args) {
        match known.kind {
            ArgKind::Source => {
                source = Some(arg % vertices);
                *text = (arg % vertices).to_string();
            }
            ArgKind::Sources => *text = format!("{}=2,{}", arg % vertices, (arg + 1) % vertices),
            ArgKind::Target | ArgKind::Landmark if source.map(|v| v.to_string()).as_deref() == Some(&*text) => {
                if vertices < 2 {
                    return None;
                }
                *text = ((arg + 1) % vertices).to_string();
            }
            ArgKind::Count(count) | ArgKind::Starts(count) => *text = (count + arg % 3).to_string(),
            _ => {}
        }
    }
    if vertices == 1 {
        // A vertex that is named twice is refused.
        args.iter_mut().zip(program.args).filter(|(_, known)| known.kind == ArgKind::Sources).for_each(|(text, _)| {
            *text = "0".to_string();
        });
    }
    Some(args)
}
