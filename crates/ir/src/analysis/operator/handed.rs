//! Which entries of the source can be read before an edge is visited.
//!
//! A machine that makes a task of every edge reads them once per list and hands them to the tasks, which then touch
//! nothing of the source: what others write beside it is no conflict with them.

use super::touched::{Access, each_access};
use super::vectors::{Places, first_entry, uses};
use super::writes::body;
use super::{End, VectorUse};
use crate::analysis::priority::priority_vector;
use crate::expr::ExprKind;
use crate::meta::AccessMode;
use crate::module::Module;
use crate::operator::EdgeSetIterator;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};

/// The global vectors whose entry of the source the applied function reads by its name, and that it writes nowhere, or
/// at the destination only, after the last such read (an edge may lead from a vertex to itself).
///
/// Edges of one operator run in any order, so that an entry which another edge changes meanwhile may be read before.
pub fn handed_entries(module: &Module, op: &EdgeSetIterator) -> Vec<Name> {
    let Some(function) = module.function(&op.apply.name) else { return Vec::new() };
    let own = |name: &Name| function.captures.iter().chain(&function.params).any(|param| param.name == *name);
    let before = |name: &Name, used: &VectorUse| match used.written {
        Places::NONE => true,
        written => written.only(End::Destination) && reads_come_first(module, body(function), name),
    };
    let found = uses(module, &op.apply);
    // A vector of unknown origin may be any global.
    if found.iter().any(|(name, used)| module.global(name).is_none() && used.written != Places::NONE) {
        return Vec::new();
    }
    found
        .iter()
        .filter(|(name, used)| used.read.source && used.entry.is_some() && !own(name) && module.global(name).is_some())
        .filter(|(name, used)| before(name, used))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Whether a vector is read up to the first statement that writes it, and that statement evaluates before it writes.
fn reads_come_first(module: &Module, block: &[Stmt], vector: &Name) -> bool {
    let touches = |stmt: &Stmt, wanted: &dyn Fn(bool) -> bool| {
        let mut found = false;
        each_access(std::slice::from_ref(stmt), &mut |access| match access {
            Access::Entry(e, mode) => {
                let is_it = first_entry(e).is_some_and(|(root, ..)| root == vector);
                found |= is_it && wanted(mode != AccessMode::Read);
            }
            Access::Priority { queue, .. } => {
                let updated = queue.as_var().and_then(|queue| priority_vector(module, queue));
                found |= updated.as_ref() == Some(vector) && wanted(true);
            }
            Access::Variable(..) => {}
        });
        found
    };
    let Some(at) = block.iter().position(|stmt| touches(stmt, &|write| write)) else { return false };
    let straight = match &block[at].kind {
        StmtKind::VarDecl { init: Some(e), .. } | StmtKind::Eval(e) => {
            matches!(
                e.kind,
                ExprKind::Reduce { .. } | ExprKind::CompareAndSwap { .. } | ExprKind::PriorityUpdate { .. }
            )
        }
        StmtKind::Assign { .. } => true,
        _ => false,
    };
    straight && !block[at + 1..].iter().any(|stmt| touches(stmt, &|_| true))
}
