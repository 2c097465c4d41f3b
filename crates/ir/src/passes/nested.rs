//! Binding of what stands inside other statements: the algorithm of intersections and the grain of `par_for` loops.

use super::{PassContext, PassError};
use crate::expr::ExprKind;
use crate::meta::IntersectionKind;
use crate::module::Module;
use crate::points::{intersects, rewrite_module};
use crate::stmt::StmtKind;
use crate::walk::{stmt_exprs_mut, walk_expr_mut};
use gw_schedule::{Intersection, PointKind, ProgramPoint, Schedule, SimpleSchedule};

const PASS: &str = "intersection-and-par-for";

/// Binds intersections and `par_for` loops. A `par_for` answers to its path and to its bare label.
pub fn nested(module: Module, context: &PassContext) -> Result<Module, PassError> {
    let bind = |path: Option<&str>, kind: PointKind, span| -> Result<SimpleSchedule, PassError> {
        let point = ProgramPoint::new(kind);
        let binding = context.schedule.bind(path, &point);
        let schedule = binding.map_err(|reasons| PassError::illegal(PASS, span, path, reasons))?.schedule;
        let simple = match schedule {
            Schedule::Simple(s) => s,
            _ => SimpleSchedule::default(),
        };
        Ok(simple.resolve(context.family, &point))
    };
    rewrite_module(module, &mut |mut stmt, path| {
        let span = stmt.span;
        if intersects(&stmt) {
            let schedule = bind(path, PointKind::Intersection, span)?;
            let kind = match schedule.intersection.unwrap_or(Intersection::Naive) {
                Intersection::Naive => IntersectionKind::Naive,
                Intersection::Hiroshi => IntersectionKind::Hiroshi,
                Intersection::Multiskip => IntersectionKind::Multiskip,
                Intersection::Combined => IntersectionKind::Combined,
                Intersection::BinarySearch => IntersectionKind::BinarySearch,
            };
            stmt_exprs_mut(&mut stmt, &mut |e| {
                walk_expr_mut(e, &mut |e| {
                    if let ExprKind::Intersection { meta, .. } | ExprKind::IntersectNeighbor { meta, .. } = &mut e.kind
                    {
                        meta.kind = Some(kind);
                    }
                });
            });
        }
        if let (StmtKind::ParFor { meta, .. }, label) = (&mut stmt.kind, &stmt.label) {
            let bare = label.as_deref().filter(|l| context.schedule.get(l).is_some());
            meta.grain_size = bind(bare.or(path), PointKind::ParFor, span)?.grain;
        }
        Ok(vec![stmt])
    })
}
