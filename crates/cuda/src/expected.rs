//! The kernels that a run on a graph is expected to launch, known before it begins, so that they can be compiled side
//! by side while the graph is on its way to the device.

use std::collections::{HashMap, HashSet};

use gw_device::Unit;
use gw_exec::Sites;
use gw_graph::Graph;
use gw_ir::expr::ExprKind;
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::types::Type;

use crate::codegen::region::GraphShape;
use crate::executable::CudaExecutable;

impl CudaExecutable {
    /// Loops that run on the device, and operators outside of them, as they are on graphs of this shape. What a run
    /// meets besides (sums, operators that check every access) is compiled when it is met.
    pub(crate) fn expected(&self, graph: &Graph) -> Vec<Unit> {
        let shape = self.shape_of(graph);
        let of_globals: HashMap<Name, GraphShape> = self
            .module
            .globals
            .iter()
            .filter(|global| matches!(global.ty, Type::EdgeSet { .. }))
            .map(|global| (global.name.clone(), shape))
            .collect();
        let with = |names: &mut dyn Iterator<Item = &Name>| {
            let mut shapes = of_globals.clone();
            shapes.extend(names.map(|name| (name.clone(), shape)));
            shapes
        };
        let sites = Sites::of(&self.module);
        let (mut units, mut inside) = (Vec::new(), HashSet::new());
        for (fused, (_, stmt)) in self.statements.iter().zip(&sites.statements) {
            let Some(fused) = fused else { continue };
            gw_ir::walk::walk_block_exprs(std::slice::from_ref(*stmt), &mut |e| {
                if let ExprKind::Operator(operator) = &e.kind {
                    inside.insert(std::ptr::from_ref::<Operator>(operator));
                }
            });
            let mut graphs =
                fused.params.iter().filter(|(_, ty)| matches!(ty, Type::EdgeSet { .. })).map(|(name, _)| name);
            units.extend(self.loop_code(fused, &with(&mut graphs), u32::MAX).ok());
        }
        for (prepared, (_, operator)) in self.operators.iter().zip(&sites.operators) {
            if inside.contains(&std::ptr::from_ref::<Operator>(operator))
                || matches!(operator, Operator::UpdateBuckets(_))
            {
                continue;
            }
            let shapes = with(&mut prepared.names.graph.iter());
            units.extend(self.operator_code(prepared, &shapes, prepared.counted.is_some(), false).ok());
        }
        units.into_iter().map(|code| code.unit).collect()
    }
}
