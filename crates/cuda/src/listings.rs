//! The code of a module as a reader sees it, without a device.

use std::collections::{HashMap, HashSet};

use gw_exec::Sites;
use gw_ir::analysis::calls::module_draws;
use gw_ir::analysis::region::{counting_operators, loop_region, operator_region};
use gw_ir::expr::ExprKind;
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::types::Type;

use crate::codegen::inputs::Apart;
use crate::codegen::region::GraphShape;
use crate::codegen::{BLOCK, Generated, Refusal, Task, generate};
use crate::prepared::title;

/// The code of the kernels of the module, for narrow graphs with the declared weights: its loops on the device, and
/// the operators outside of them. With `everything`, also the operators inside, which the host calls where a loop
/// cannot run as a whole, and the careful code of every operator.
pub(crate) fn listings(module: &Module, everything: bool) -> Result<Vec<Generated>, Refusal> {
    made(module, everything, Apart::default())
}

/// The same for graphs that change, whose lists stand apart.
pub(crate) fn listings_apart(module: &Module) -> Result<Vec<Generated>, Refusal> {
    made(module, true, Apart { out: true, incoming: true })
}

/// The shapes of the graphs among globals and parameters, where they are not as usual.
fn shapes(module: &Module, params: &[(Name, Type)], apart: Apart) -> HashMap<Name, GraphShape> {
    if apart == Apart::default() {
        return HashMap::new();
    }
    let globals = module.globals.iter().map(|global| (&global.name, &global.ty));
    let graphs = globals.chain(params.iter().map(|(name, ty)| (name, ty)));
    let graphs = graphs.filter(|(_, ty)| matches!(ty, Type::EdgeSet { .. }));
    graphs.map(|(name, ty)| (name.clone(), GraphShape { apart, ..GraphShape::declared(ty) })).collect()
}

fn made(module: &Module, everything: bool, apart: Apart) -> Result<Vec<Generated>, Refusal> {
    let sites = Sites::of(module);
    let mut all = Vec::new();
    // Spans do not tell statements apart: they never take part in equality.
    let mut inside: HashSet<*const Operator> = HashSet::new();
    let draws = module_draws(module);
    for (i, (site, stmt)) in sites.statements.iter().enumerate() {
        let fused = loop_region(module, site.function.as_ref(), &site.path, stmt);
        if let Some(fused) = fused.filter(|_| !draws) {
            let task = Task {
                module,
                name: &format!("loop_{i}"),
                title: &title(&fused.path, fused.span, "loop"),
                params: fused.params.clone(),
                shapes: shapes(module, &fused.params, apart),
                body: &fused.body,
                block: BLOCK,
                single: false,
                loop_form: Some(fused.form),
                counted: None,
                careful: false,
            };
            all.push(generate(&task)?);
            gw_ir::walk::walk_block_exprs(std::slice::from_ref(*stmt), &mut |e| {
                if let ExprKind::Operator(operator) = &e.kind {
                    inside.insert(std::ptr::from_ref(&**operator));
                }
            });
        }
    }
    let counting = counting_operators(module);
    for (i, (site, op)) in sites.operators.iter().enumerate() {
        let in_loop = inside.contains(&std::ptr::from_ref(*op));
        if matches!(op, Operator::UpdateBuckets(_)) || (in_loop && !everything) {
            continue;
        }
        let prepared = operator_region(module, site.span, &site.path, op);
        for careful in [false, true].into_iter().take(1 + usize::from(everything)) {
            all.push(generate(&Task {
                module,
                name: &format!("operator_{i}"),
                title: &title(&prepared.path, prepared.span, op.name()),
                params: prepared.params.clone(),
                shapes: shapes(module, &prepared.params, apart),
                body: &prepared.body,
                block: BLOCK,
                single: true,
                loop_form: None,
                counted: counting.get(&std::ptr::from_ref(*op)).cloned(),
                careful,
            })?);
        }
    }
    Ok(all)
}
