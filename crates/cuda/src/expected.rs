//! The kernels that a run on a graph is expected to launch, known before it begins, so that they can be compiled side
//! by side while the graph is on its way to the device.

use std::collections::{HashMap, HashSet};

use gw_device::Unit;
use gw_exec::{Reduction, Scalar, Sites};
use gw_graph::Graph;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::QueueKind;
use gw_ir::module::GlobalInit;
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::types::Type;
use gw_ir::walk;

use crate::codegen::region::GraphShape;
use crate::executable::CudaExecutable;
use crate::kernels::{self, ListForm, QueueTask};
use crate::{contract, ranks};

impl CudaExecutable {
    /// Loops that run on the device, and operators outside of them, as they are on graphs of this shape. What a run
    /// meets besides (operators that check every access) is compiled when it is met.
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
            walk::walk_block_exprs(std::slice::from_ref(*stmt), &mut |e| {
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
        let mut units: Vec<Unit> = units.into_iter().map(|code| code.unit).collect();
        // The longest first: they end last.
        units.sort_by_key(|unit| std::cmp::Reverse(unit.source.len()));
        units.extend(self.own_units(shape));
        units
    }

    /// Kernels that are the same in all programs: those that statements of this one ask for.
    fn own_units(&self, shape: GraphShape) -> Vec<Unit> {
        let module = &self.module;
        let mut units: Vec<Unit> = Vec::new();
        let mut note = |e: &Expr| match &e.kind {
            ExprKind::PriorityQueueAlloc(queue) => {
                let scalar = module.global(&queue.vector).and_then(|vector| vector.ty.leaf().scalar());
                let far = queue.meta.kind == Some(QueueKind::NearFar);
                units.extend(scalar.map(|scalar| kernels::queue(QueueTask::Fill, scalar, far).unit));
            }
            ExprKind::Builtin(Builtin::Contract, _) => units.extend([contract::keys_unit(), contract::rows_unit()]),
            ExprKind::Builtin(Builtin::VectorRanks, _) => units.push(ranks::unit()),
            ExprKind::Builtin(Builtin::OutDegrees | Builtin::OutDegreesUint, _) => {
                units.push(kernels::out_degrees(ListForm { wide: shape.wide, apart: shape.apart.out }).unit);
            }
            ExprKind::Builtin(builtin, args) => {
                let reduction = match builtin {
                    Builtin::VectorSum => Reduction::Sum,
                    Builtin::VectorMax => Reduction::Max,
                    Builtin::VectorMin => Reduction::Min,
                    Builtin::VectorCount => Reduction::Count,
                    _ => return,
                };
                // The host finds the largest of truth values.
                let scalar = args.first().and_then(|vector| vector.ty.leaf().scalar()).filter(|s| *s != Scalar::Bool);
                units.extend(scalar.map(|scalar| kernels::reduce(reduction, scalar).unit));
            }
            _ => {}
        };
        for global in &module.globals {
            if let Some(GlobalInit::Value(value)) = &global.init {
                walk::walk_expr(value, &mut |e| note(e));
            }
        }
        for body in walk::bodies(module) {
            walk::walk_block_exprs(body, &mut |e| note(e));
        }
        units
    }
}
