//! Program transforms that a schedule asks for, in its order: loop split, loop fuse, apply fusion.
//!
//! Field fusion and set forms are transforms of data, not of code; they belong to the layout and binding passes.

use super::{PassContext, PassError, apply_fusion, loop_fuse, loop_split};
use crate::module::Module;
use gw_schedule::Transform;

/// Applies the transforms of code.
pub fn transforms(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    for transform in context.schedule.transforms() {
        module = match transform {
            Transform::SplitForLoop { target, first, second, first_count, second_count } => loop_split::split(
                module,
                &loop_split::Split {
                    target: target.as_str(),
                    first: first.as_str(),
                    second: second.as_str(),
                    counts: (*first_count, *second_count),
                },
            )?,
            Transform::FuseForLoop { first, second, fused } => {
                loop_fuse::fuse(module, first.as_str(), second.as_str(), fused.as_str())?
            }
            Transform::FuseApplyFunctions { first, second, name } => {
                apply_fusion::fuse(module, first.as_str(), second.as_str(), name.as_str())?
            }
            Transform::FuseFields(_) | Transform::SetVertexSet { .. } => module,
        };
    }
    Ok(module)
}
