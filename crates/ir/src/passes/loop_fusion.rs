//! Loop-fusion marking: which `while` loops can run in one kernel, why the others cannot, and what travels in and out.

use super::{PassContext, PassError};
use crate::analysis::device::obstacle;
use crate::expr::Expr;
use crate::module::Module;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{walk_block_exprs, walk_expr, walk_stmts};
use gw_schedule::{Family, LoopForm};
use std::collections::{HashMap, HashSet};

/// Marks the loops. Loops of programs for CPUs stay unmarked unless their schedule asks for a device form.
pub fn loop_fusion(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    let whole = module.clone();
    let globals: HashSet<Name> = module.globals.iter().map(|g| g.name.clone()).collect();
    for body in crate::walk::bodies_mut(&mut module) {
        mark(&whole, body, &globals, context.family == Family::Gpu);
    }
    Ok(module)
}

fn mark(module: &Module, block: &mut [Stmt], globals: &HashSet<Name>, gpu: bool) {
    for stmt in block {
        if let StmtKind::While { condition, body, meta } = &mut stmt.kind {
            let form = meta.schedule.as_ref().and_then(|s| s.as_simple()).and_then(|s| s.loop_form);
            let wanted = form.is_some_and(|f| f != LoopForm::Host);
            if gpu || wanted {
                match obstacle(module, Some(condition), body) {
                    Some(why) => {
                        meta.fusable = Some(false);
                        meta.why_not = Some(why);
                    }
                    None => {
                        meta.fusable = Some(true);
                        meta.needs_fusion = wanted;
                        (meta.hoisted, meta.queues) = travelling(condition, body, globals);
                    }
                }
            }
        }
        for inner in stmt.blocks_mut() {
            mark(module, inner, globals, gpu);
        }
    }
}

/// Locals from outside the loop that it uses, in order of first use, and the priority queues it uses.
fn travelling(condition: &Expr, body: &[Stmt], globals: &HashSet<Name>) -> (Vec<Name>, Vec<Name>) {
    let mut inside: HashSet<Name> = HashSet::new();
    walk_stmts(body, &mut |s| match &s.kind {
        StmtKind::VarDecl { name, .. } => {
            inside.insert(name.clone());
        }
        StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => {
            inside.insert(var.clone());
        }
        _ => {}
    });
    let mut types: HashMap<Name, Type> = HashMap::new();
    let mut order: Vec<Name> = Vec::new();
    let mut note = |e: &Expr| {
        if let Some(name) = e.as_var()
            && types.insert(name.clone(), e.ty.clone()).is_none()
        {
            order.push(name.clone());
        }
    };
    walk_expr(condition, &mut note);
    walk_block_exprs(body, &mut note);
    let is_queue = |n: &Name| matches!(types.get(n), Some(Type::PriorityQueue { .. }));
    let queues = order.iter().filter(|n| is_queue(n)).cloned().collect();
    let hoisted =
        order.iter().filter(|n| !is_queue(n) && !globals.contains(*n) && !inside.contains(*n)).cloned().collect();
    (hoisted, queues)
}
