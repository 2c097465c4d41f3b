//! What a function touches: every access, and the names of what is read and written across calls and captures.

use std::collections::{BTreeMap, BTreeSet};

use super::writes::body;
use crate::analysis::calls::closure;
use crate::analysis::priority::priority_vector;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::meta::AccessMode;
use crate::module::{Function, Module};
use crate::operator::{EdgeSetIterator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{children, stmt_exprs, walk_stmts};

/// One access of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Access<'m> {
    /// A variable as a whole.
    Variable(&'m Name, AccessMode),
    /// An entry of a vector, or a cell of a row: `x[i]` or `x[i][j]`. The vector itself is not reported again.
    Entry(&'m Expr, AccessMode),
    /// The priority of a vertex in a queue, read and written.
    Priority { queue: &'m Expr, vertex: &'m Expr },
}

/// Calls `visit` for every access in a block.
pub(super) fn each_access<'m>(block: &'m [Stmt], visit: &mut dyn FnMut(Access<'m>)) {
    walk_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { target, value } => {
            place(target, AccessMode::Write, visit);
            expression(value, visit);
        }
        _ => stmt_exprs(stmt, &mut |e| expression(e, visit)),
    });
}

fn expression<'m>(expr: &'m Expr, visit: &mut dyn FnMut(Access<'m>)) {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Element { .. } => place(expr, AccessMode::Read, visit),
        ExprKind::Reduce { target, value, .. } => {
            place(target, AccessMode::ReadWrite, visit);
            expression(value, visit);
        }
        ExprKind::CompareAndSwap { target, expect, value, .. } => {
            place(target, AccessMode::ReadWrite, visit);
            expression(expect, visit);
            expression(value, visit);
        }
        ExprKind::PriorityUpdate { queue, vertex, .. } => {
            visit(Access::Priority { queue, vertex });
            place(queue, AccessMode::ReadWrite, visit);
            children(expr, &mut |child| expression(child, visit));
        }
        ExprKind::Builtin(builtin, args) if builtin.has_effect() => {
            for arg in args {
                match arg.ty.is_reference() && arg.is_place() {
                    true => place(arg, AccessMode::ReadWrite, visit),
                    false => expression(arg, visit),
                }
            }
        }
        _ => children(expr, &mut |child| expression(child, visit)),
    }
}

/// An access to a variable or to an entry; indices are read.
fn place<'m>(target: &'m Expr, mode: AccessMode, visit: &mut dyn FnMut(Access<'m>)) {
    match &target.kind {
        ExprKind::Var(name) => visit(Access::Variable(name, mode)),
        ExprKind::Element { .. } => {
            visit(Access::Entry(target, mode));
            let mut at = target;
            while let ExprKind::Element { vector, index, .. } = &at.kind {
                expression(index, visit);
                at = vector;
            }
            if at.as_var().is_none() {
                expression(at, visit);
            }
        }
        _ => expression(target, visit),
    }
}

/// What the names of a function stand for outside of it.
pub(super) struct Names<'m> {
    module: &'m Module,
    /// Variables of the function itself.
    own: BTreeSet<Name>,
    /// Captured or passed vectors, sets and queues; `None` where it is not known which one it is.
    others: BTreeMap<Name, Option<Name>>,
}

/// What one name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A variable that ends with the call.
    Own,
    /// A global.
    Global(Name),
    /// A vector, set or queue; it may be a global under another name.
    Unknown,
}

impl<'m> Names<'m> {
    /// The names of a function; `reference` is how an operator names it, with its captures. The arguments of called
    /// functions are not followed.
    pub(super) fn of(module: &'m Module, function: &Function, reference: Option<&FunctionRef>) -> Names<'m> {
        let locals = function.locals();
        let mut own: BTreeSet<Name> = locals.iter().chain(&function.result).map(|p| p.name.clone()).collect();
        let mut others = BTreeMap::new();
        for param in &function.params {
            match param.ty.is_reference() {
                true => others.insert(param.name.clone(), None).map_or((), drop),
                false => drop(own.insert(param.name.clone())),
            }
        }
        for (i, capture) in function.captures.iter().enumerate() {
            let origin = reference.and_then(|r| r.captures.get(i)).and_then(Expr::as_var).cloned();
            match capture.ty.is_reference() {
                true => others.insert(capture.name.clone(), origin).map_or((), drop),
                false => drop(own.insert(capture.name.clone())),
            }
        }
        Names { module, own, others }
    }

    pub(super) fn meaning(&self, name: &Name) -> Meaning {
        if self.own.contains(name) {
            return Meaning::Own;
        }
        let origin = match self.others.get(name) {
            Some(Some(origin)) => origin,
            Some(None) => return Meaning::Unknown,
            None => name,
        };
        // A variable of the host function may hold the same vector as a global.
        if self.module.global(origin).is_some() { Meaning::Global(origin.clone()) } else { Meaning::Unknown }
    }
}

/// Globals that a function and everything it calls read and write, captured vectors by their own names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Globals that are read.
    pub reads: BTreeSet<Name>,
    /// Globals that are written.
    pub writes: BTreeSet<Name>,
    /// Something is read that may be any global vector: through a parameter, a local of the host, an extern function.
    pub reads_unknown: bool,
    /// The same for writes.
    pub writes_unknown: bool,
}

impl Touched {
    /// What the function of an operator touches.
    pub fn by(module: &Module, function: &FunctionRef) -> Touched {
        let mut touched = Touched::default();
        for name in closure(module, [function.name.clone()]) {
            let Some(callee) = module.function(&name).filter(|f| f.body.is_some()) else {
                (touched.reads_unknown, touched.writes_unknown) = (true, true);
                continue;
            };
            let names = Names::of(module, callee, Some(function).filter(|f| f.name == name));
            each_access(body(callee), &mut |access| match access {
                Access::Variable(name, mode) => touched.add(names.meaning(name), mode),
                Access::Entry(entry, mode) => match entry.place_root() {
                    Some(root) => touched.add(names.meaning(root), mode),
                    None => touched.add(Meaning::Unknown, mode),
                },
                Access::Priority { queue, .. } => {
                    let vector = queue.as_var().and_then(|queue| match names.meaning(queue) {
                        Meaning::Global(queue) => priority_vector(module, &queue),
                        Meaning::Own | Meaning::Unknown => None,
                    });
                    touched.add(vector.map_or(Meaning::Unknown, Meaning::Global), AccessMode::ReadWrite);
                }
            });
        }
        touched
    }

    fn add(&mut self, what: Meaning, mode: AccessMode) {
        let (reads, writes) = (mode != AccessMode::Write, mode != AccessMode::Read);
        match what {
            Meaning::Own => {}
            Meaning::Global(name) => {
                if reads {
                    self.reads.insert(name.clone());
                }
                if writes {
                    self.writes.insert(name);
                }
            }
            Meaning::Unknown => {
                self.reads_unknown |= reads;
                self.writes_unknown |= writes;
            }
        }
    }

    /// Whether these writes may change what `reader` reads.
    pub fn may_change_what_is_read_by(&self, module: &Module, reader: &Touched) -> bool {
        // What is not known is a vector, a set or a queue, never a global scalar.
        let reference = |names: &BTreeSet<Name>| {
            names.iter().any(|name| module.global(name).is_none_or(|global| global.ty.scalar().is_none()))
        };
        !self.writes.is_disjoint(&reader.reads)
            || (self.writes_unknown && (reader.reads_unknown || reference(&reader.reads)))
            || (reader.reads_unknown && reference(&self.writes))
    }
}

/// Whether a visited edge may change what the `to` function answers for its destination.
///
/// Filters see live values ([`EdgeSetIterator`]), so a pull must ask again after an edge that may have changed the
/// answer. A filter whose answer cannot change is asked once per list.
pub(super) fn early_exit(module: &Module, op: &EdgeSetIterator) -> bool {
    let VertexFilter::Function(to) = &op.to else { return false };
    Touched::by(module, &op.apply).may_change_what_is_read_by(module, &Touched::by(module, to))
}
