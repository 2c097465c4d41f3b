//! What the operators of a loop read, for loops that one block runs while that is little.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::Module;
use gw_ir::operator::{Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::Stmt;
use gw_ir::walk;

/// Members of a set up to which one block goes on: four for each of its threads. A step then takes a block about as long as
/// the host needs to launch it on the whole device and to learn how it ended.
pub(crate) const BLOCK_MEMBERS: u32 = 4 * crate::executable::LOOP_BLOCK;

/// The sets that the operators of a loop read.
#[derive(Debug, Default)]
pub(crate) struct Frontiers {
    /// Set variables.
    pub(crate) sets: Vec<Name>,
    /// Priority queues, for the vertices of their open buckets.
    pub(crate) queues: Vec<Name>,
    /// Some operator looks at all vertices.
    pub(crate) all: bool,
}

impl Frontiers {
    /// The sets read in the body of a loop.
    pub(crate) fn of(module: &Module, body: &[Stmt]) -> Frontiers {
        let mut found = Frontiers::default();
        walk::walk_block_exprs(body, &mut |e| match &e.kind {
            ExprKind::Operator(op) => match &**op {
                Operator::EdgeSetIterator(edges) => match &edges.from {
                    VertexFilter::Set(set) => found.read(module, set),
                    VertexFilter::All | VertexFilter::Function(_) => found.all = true,
                },
                Operator::VertexSetIterator(v) => found.read(module, &v.set),
                Operator::VertexSetFilter(v) => found.read(module, &v.set),
                Operator::VertexSetDedup(v) => found.read(module, &v.set),
                Operator::UpdateBuckets(update) => found.read(module, &update.modified),
                _ => {}
            },
            ExprKind::Builtin(Builtin::DequeueReadySet, args) => {
                let queue = args.first().and_then(Expr::as_var);
                found.queues.extend(queue.filter(|queue| !found.queues.contains(queue)).cloned());
            }
            _ => {}
        });
        found
    }

    fn read(&mut self, module: &Module, set: &Expr) {
        match set.as_var() {
            Some(name) if module.global(name).is_some_and(|g| g.universe) => self.all = true,
            Some(name) if !self.sets.contains(name) => self.sets.push(name.clone()),
            Some(_) => {}
            None => self.all = true,
        }
    }
}
