//! Kernels of vertex operators and filters.

use cranelift::prelude::*;
use gw_ir::expr::FunctionRef;

use super::Refusal;
use super::edge::Range;
use super::inputs::Role;
use super::translate::Translator;

impl Translator<'_, '_> {
    /// Applies a function to the vertices of a range; with `keep`, vertices for which it is true go to the output.
    pub(crate) fn vertex_kernel(
        &mut self,
        function: &FunctionRef,
        range: Range,
        keep: bool,
        begin: Value,
        end: Value,
    ) -> Result<(), Refusal> {
        self.for_range(begin, end, |t, index, next| {
            let vertex = t.range_vertex(range, index, next);
            t.vertices.push(vertex);
            let result = t.apply(function, Role::Apply, &[vertex])?;
            if keep {
                let kept = result.ok_or_else(|| t.refuse("a filter without result"))?;
                t.when(kept, |t| t.enqueue(vertex));
            }
            t.vertices.pop();
            Ok(())
        })
    }
}
