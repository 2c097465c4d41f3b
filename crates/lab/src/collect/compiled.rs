//! A program under a schedule on a machine, with the operator that makes its steps and the arguments it takes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use graphwright::schedule::{Adviser, Origin, Wanted};
use graphwright::{Error, Program};
use gw_exec::{Choice, GraphVm, RunOptions, Sites};
use gw_ir::Module;
use gw_ir::operator::Operator;
use gw_programs::{ArgKind, Program as StandardProgram};
use gw_schedule::ProgramSchedule;

use crate::db::WorkVariant;

/// The name under which programs of the lab ask for the graph at hand.
pub(super) const GRAPH: &str = "graph";

/// What a program runs under.
pub(super) enum Under<'a> {
    /// Push at the operator that makes the steps.
    Plain,
    /// A schedule.
    Schedule(&'a ProgramSchedule),
    /// Whatever a model picks at every step.
    Model(&'a Adviser),
}

/// A program ready to run. The text of an error is for people.
pub(super) struct Compiled {
    pub(super) program: gw_exec::Program,
    pub(super) standard: Option<&'static StandardProgram>,
    /// Label path of the edge operator that makes the steps.
    pub(super) step: String,
}

impl Compiled {
    /// Compiles a program.
    pub(super) fn new(name: &str, under: &Under<'_>, machine: &dyn GraphVm) -> Result<Compiled, String> {
        guarded(|| Compiled::make(name, under, machine)).and_then(|made| made)
    }

    fn make(name: &str, under: &Under<'_>, machine: &dyn GraphVm) -> Result<Compiled, String> {
        let source = Program::find(name).map_err(|e| e.to_string())?;
        let step = step_path(source.module()).ok_or_else(|| {
            format!("{name} has no labelled edge operator in a labelled loop: nothing tells its steps apart")
        })?;
        let schedule = match under {
            Under::Plain => format!("{step}@push").parse::<ProgramSchedule>().map_err(|e| format!("{step}: {e}"))?,
            Under::Schedule(schedule) => ProgramSchedule::clone(schedule),
            Under::Model(adviser) => {
                let mut choice = Choice::defaults("a model picks");
                match adviser.advise(machine, source.module(), source.name(), &mut choice, false).places {
                    0 => {
                        return Err(format!(
                            "no operator of {name} can run the candidates of the model {}",
                            adviser.name
                        ));
                    }
                    _ => choice.schedule,
                }
            }
        };
        let wanted = Wanted::Fixed(Box::new(schedule), Origin::Given);
        let settled = source.settle(&wanted, machine, &RunOptions::default()).strict();
        let compiled = settled.compile(machine).map_err(|error| match error {
            Error::Refused(reasons) => reasons.join("; "),
            error => error.to_string(),
        })?;
        Ok(Compiled { program: compiled.program, standard: source.as_standard(), step })
    }

    /// The arguments of a run.
    pub(super) fn arguments(&self, variant: &WorkVariant, root: Option<u32>) -> Result<Vec<String>, String> {
        let lacks = |what: &str, option: &str| {
            format!(
                "the program needs {what}, which the configuration `{}` has not; add variants with {option}",
                variant.config
            )
        };
        let Some(standard) = self.standard else {
            // A program of one's own takes the graph, then whatever the configuration has.
            let more = root.into_iter().chain(variant.count).map(|number| number.to_string());
            return Ok(std::iter::once(GRAPH.to_string()).chain(more).collect());
        };
        let argument = |kind: ArgKind| match kind {
            ArgKind::Graph => Ok(GRAPH.to_string()),
            ArgKind::Source | ArgKind::Sources => {
                root.map(|root| root.to_string()).ok_or_else(|| lacks("a root", "--roots"))
            }
            // The program is compiled before variants are known: rows have the length of its text.
            ArgKind::Row { example, .. } => Ok(example.to_string()),
            ArgKind::Count(_) | ArgKind::Starts(_) => {
                variant.count.map(|n| n.to_string()).ok_or_else(|| lacks("a count", "--rounds"))
            }
            ArgKind::Tolerance(number)
            | ArgKind::Share(number)
            | ArgKind::Positive(number)
            | ArgKind::Time(_, number) => Ok(number.to_string()),
            ArgKind::Weights => Ok("ignore".to_string()),
            ArgKind::Numbers => Ok("none".to_string()),
            ArgKind::Target | ArgKind::Landmark | ArgKind::Delta => {
                Err("the lab runs programs that take a graph, a root and a count, not other arguments".to_string())
            }
        };
        standard.args.iter().map(|arg| argument(arg.kind)).collect()
    }

    /// Whether a step record tells of the operator that makes the steps.
    pub(super) fn is_step(step: &str, path: &str) -> bool {
        path.strip_prefix(step).is_some_and(|rest| rest.is_empty() || rest.starts_with(":hybrid"))
    }
}

/// The label path of the first labelled edge operator in a labelled loop; outside of loops when there is none in one.
fn step_path(module: &Module) -> Option<String> {
    let sites = Sites::of(module);
    let edges = sites.operators.iter().filter(|(_, operator)| {
        matches!(operator, Operator::EdgeSetIterator(_) | Operator::UpdatePriorityEdgeSetIterator(_))
    });
    let paths: Vec<&str> = edges.map(|(site, _)| &*site.path).filter(|path| !path.is_empty()).collect();
    paths.iter().find(|path| path.contains(':')).or(paths.first()).map(ToString::to_string)
}

/// A panic of a machine is a failure like any other: its message comes back.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", text.unwrap_or("without a message"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_exec::ReferenceVm;

    #[test]
    fn steps_and_arguments() {
        let compiled = Compiled::new("bfs-levels", &Under::Plain, &ReferenceVm::new()).unwrap();
        assert_eq!(compiled.step, "s0:s1");
        let variant = WorkVariant { config: "once".into(), ..WorkVariant::default() };
        assert_eq!(compiled.arguments(&variant, Some(7)).unwrap(), ["graph", "7"]);
        assert!(compiled.arguments(&variant, None).unwrap_err().contains("--roots"));
        assert!(Compiled::is_step("s0:s1", "s0:s1:hybrid2") && Compiled::is_step("s0:s1", "s0:s1"));
        assert!(!Compiled::is_step("s0:s1", "s0:s10") && !Compiled::is_step("s0:s1", "s0"));
    }

    #[test]
    fn what_cannot_be_compiled_says_why() {
        let schedule: ProgramSchedule = "s0:s9@push".parse().unwrap();
        let error = Compiled::new("bfs-levels", &Under::Schedule(&schedule), &ReferenceVm::new()).err().unwrap();
        assert!(error.contains("s0:s9"), "{error}");
        assert!(Compiled::new("bsf", &Under::Plain, &ReferenceVm::new()).err().unwrap().contains("bfs"));
    }
}
