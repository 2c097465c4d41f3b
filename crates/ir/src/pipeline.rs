//! The passes in order: one table, so that a compiler can stop after any of them.

use crate::module::Module;
use crate::passes::*;
use crate::points;
use crate::source::Span;
use crate::validate::validate;
use gw_schedule::{Family, ProgramSchedule};

/// A pass: a function from module to module.
pub type Pass = fn(Module, &PassContext) -> Result<Module, PassError>;

/// All passes in the order in which they run.
pub const PASSES: &[(&str, Pass)] = &[
    ("transforms", transforms::transforms),
    ("udf-duplication", udf_duplication::udf_duplication),
    ("start-up", startup::startup),
    ("check-schedule", check_schedule::check_schedule),
    ("priority", priority::priority),
    ("frontier-reuse", frontier_reuse::frontier_reuse),
    ("binding", binding::binding),
    ("filter-graphs", filter_graphs::filter_graphs),
    ("intersection-and-par-for", nested::nested),
    ("sharing", sharing::sharing),
    ("layout", layout::layout),
    ("atomics", atomics::atomics),
    ("tracking", tracking::tracking),
    ("merge-reduce", merge_reduce::merge_reduce),
    ("loop-fusion", loop_fusion::loop_fusion),
    ("context", context::context),
];

/// How far and for whom to run the passes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The family of machines; the schedule's own when absent, CPUs when that says nothing.
    pub family: Option<Family>,
    /// The last pass to run; all when absent.
    pub after: Option<String>,
    /// Labels in the schedule that the program does not have are passed over instead of refused.
    pub allow_unknown_labels: bool,
    /// Validate after every pass; debug builds always do.
    pub validate: bool,
}

/// Why the pipeline stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PipelineError {
    /// A pass refused the program or its schedule.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// [`Options::after`] names no pass.
    #[error("there is no pass `{0}`; the passes are {names}", names = pass_names().join(", "))]
    UnknownPass(String),
}

/// The names of all passes in order.
pub fn pass_names() -> Vec<&'static str> {
    PASSES.iter().map(|(name, _)| *name).collect()
}

/// Runs the passes in order, up to [`Options::after`].
///
/// What the module computes does not change on the way: a machine that ignores all metadata gets the same results
/// before and after, under any schedule.
pub fn run_pipeline(
    mut module: Module,
    schedule: &ProgramSchedule,
    options: &Options,
) -> Result<Module, PipelineError> {
    if let Some(last) = &options.after
        && !PASSES.iter().any(|(name, _)| name == last)
    {
        return Err(PipelineError::UnknownPass(last.clone()));
    }
    let schedule = points::spread(&module, schedule);
    let context = PassContext {
        schedule: &schedule,
        family: options.family.or(schedule.family()).unwrap_or(Family::Cpu),
        allow_unknown_labels: options.allow_unknown_labels,
    };
    for (name, pass) in PASSES {
        module = pass(module, &context)?;
        if options.validate || cfg!(debug_assertions) {
            validate(&module).map_err(|errors| PassError {
                pass: name,
                span: errors.first().map_or(Span::NONE, |e| e.span),
                problem: PassProblem::Invalid(errors),
            })?;
        }
        if options.after.as_deref() == Some(name) {
            break;
        }
    }
    Ok(module)
}
