//! Reduction extraction: segmented pulls whose function is one reduction learn how partial results are merged.

use super::{PassContext, PassError};
use crate::analysis::reduction::extractable;
use crate::meta::{Direction, MergeReduce};
use crate::module::Module;
use crate::operator::EdgeOutput;
use crate::source::Name;
use crate::walk::{bodies_mut, walk_stmts_mut};
use gw_schedule::Numa;
use std::collections::HashMap;

/// Records the merge of segmented operators.
pub fn merge_reduce(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let reductions: HashMap<Name, _> =
        module.functions.iter().filter_map(|f| Some((f.name.clone(), extractable(&module, f)?))).collect();
    for body in bodies_mut(&mut module) {
        walk_stmts_mut(body, &mut |s| {
            let Some(edges) = s.operator_mut().and_then(|op| op.edges_mut()) else { return };
            let segmented = edges.meta.schedule.as_ref().and_then(|s| s.as_simple().copied());
            let Some(schedule) = segmented.filter(|s| s.segments.is_some()) else { return };
            if edges.meta.direction != Some(Direction::Pull) || edges.output != EdgeOutput::None {
                return;
            }
            if let Some((vector, op)) = reductions.get(&edges.apply.name) {
                let numa = schedule.numa.is_some_and(|n| n != Numa::Serial);
                edges.meta.merge_reduce = Some(MergeReduce { vector: vector.clone(), op: *op, numa });
            }
        });
    }
    Ok(module)
}
