//! Schedule check: every labelled schedule names a place of the program and is legal there; a schedule without label is
//! legal somewhere.

use super::{PassContext, PassError, PassProblem};
use crate::analysis::numbering::free_of_numbers;
use crate::module::{Module, VertexOrder};
use crate::points::{label_paths, program_points};
use crate::source::Span;
use crate::types::Type;
use gw_schedule::{Origin, PointKind, Transform};
use std::collections::HashSet;

const PASS: &str = "check-schedule";

/// Checks the schedule against the points of the module, which stays as it is but for the order of its vertices.
pub fn check_schedule(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    let mut reached: HashSet<String> = HashSet::new();
    let mut somewhere = false;
    let mut first_refusal = None;
    for point in program_points(&module) {
        let mut path = point.path.as_deref();
        // A par_for is also known by its bare label.
        if point.point.kind == PointKind::ParFor
            && let Some(bare) = path.and_then(|p| p.rsplit(':').next())
            && context.schedule.get(bare).is_some()
        {
            path = Some(bare);
        }
        let binding = context
            .schedule
            .bind(path, &point.point)
            .map_err(|reasons| PassError::illegal(PASS, point.span, path, reasons))?;
        match binding.origin {
            Origin::Label => reached.extend(path.map(str::to_string)),
            Origin::Everywhere => somewhere = true,
            Origin::EverywhereIllegal(reasons) => first_refusal = first_refusal.or(Some(reasons)),
            Origin::Default => {}
        }
    }
    if context.schedule.everywhere().is_some() && !somewhere {
        let reasons = first_refusal.unwrap_or_default();
        return Err(PassError { pass: PASS, span: Span::NONE, problem: PassProblem::NowhereLegal { reasons } });
    }
    check_sets(&module, context)?;
    if context.schedule.order().is_some() {
        let free = free_of_numbers(&module).map_err(|found| {
            let message = format!(
                "`order=degree` renumbers the vertices, and the program depends on their numbers: here it {}; run it without \
                 `order=`",
                found.reason
            );
            PassError::transform(PASS, found.span, message)
        })?;
        module.order = Some(VertexOrder { arguments: free.arguments });
    }
    if context.allow_unknown_labels {
        return Ok(module);
    }
    let paths = label_paths(&module);
    for (label, _) in context.schedule.labels() {
        let label = label.to_string();
        if reached.contains(&label) {
            continue;
        }
        let problem = if paths.contains(&label) {
            PassProblem::NotSchedulable(label)
        } else {
            let nearest = nearest(&label, &paths);
            PassProblem::UnknownLabel { label, nearest }
        };
        return Err(PassError { pass: PASS, span: Span::NONE, problem });
    }
    Ok(module)
}

/// Sets whose form the schedule names exist.
fn check_sets(module: &Module, context: &PassContext) -> Result<(), PassError> {
    for transform in context.schedule.transforms() {
        let Transform::SetVertexSet { name, .. } = transform else { continue };
        let is_set = |n: &str, ty: &Type| n == name.as_str() && matches!(ty, Type::VertexSet(_));
        let known = module.globals.iter().any(|g| is_set(&g.name, &g.ty))
            || module.functions.iter().any(|f| f.locals().iter().chain(&f.params).any(|l| is_set(&l.name, &l.ty)));
        if !known {
            let message = format!("the program has no vertex set `{}`", name.as_str());
            return Err(PassError::transform(PASS, Span::NONE, message));
        }
    }
    Ok(())
}

/// The path with the fewest edits, if it is near enough to be meant.
pub(super) fn nearest(label: &str, paths: &[String]) -> Option<String> {
    let (edits, best) =
        paths.iter().map(|path| (strsim::levenshtein(label, path), path)).min_by_key(|&(edits, _)| edits)?;
    (edits <= label.len().div_ceil(2)).then(|| best.clone())
}
