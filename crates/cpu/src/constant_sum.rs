//! Constant sums: how often each vertex is met is counted first, then one sum per vertex is added.
//!
//! An edge function that adds the same amount to the priority of whatever it meets, down to a floor that is the same
//! for the whole round, need not touch the priorities while it runs: `k` sums of `d` are one of `k * d`. What the
//! function would have reported as changed is found when the sums are added. Sums that grow are left to the edges,
//! where an overflow is found with its line.

use crate::tuning::FEW_SUMS;
use gw_exec::{Environment, Result, Scalar, Value, Vector};
use gw_ir::analysis::priority::priority_vector;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, PriorityOp};
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk;

use crate::pool::Pool;

/// The sums of one round.
pub(crate) struct ConstantSum {
    priorities: Vector,
    amount: i32,
    floor: i32,
}

impl ConstantSum {
    /// The sums of an operator call; `None` when its function does more than to add a constant.
    pub(crate) fn of(
        module: &Module,
        op: &EdgeSetIterator,
        captures: &[Value],
        env: &Environment,
    ) -> Result<Option<ConstantSum>> {
        let Some(function) = module.function(&op.apply.name) else { return Ok(None) };
        let Some(update) = Update::of(function) else { return Ok(None) };
        // A sum that grows may overflow, which is an error at the edge that makes it so.
        if update.amount > 0 {
            return Ok(None);
        }
        let Some(vector) = priority_vector(module, update.queue) else { return Ok(None) };
        // Whoever reads the priorities must see the sums at once.
        let filters = [&op.from, &op.to].into_iter().filter_map(|filter| match filter {
            VertexFilter::Function(f) => module.function(&f.name),
            _ => None,
        });
        let reads = |f: &Function| {
            let block = f.body.as_deref().unwrap_or_default();
            walk::block_mentions(block, &vector) || calls(block) || f.captures.iter().any(|c| c.ty.is_reference())
        };
        if reads(function) || filters.into_iter().any(reads) {
            return Ok(None);
        }
        let Some(floor) = round_constant(module, function, update.floor, captures, env)? else { return Ok(None) };
        match env.global(&vector) {
            Some(Value::Vector(priorities)) if priorities.scalar() == Scalar::Int => {
                Ok(Some(ConstantSum { priorities, amount: update.amount, floor }))
            }
            _ => Ok(None),
        }
    }

    /// Adds what was counted to the priorities of the vertices that were met, each of them once, sets their counts back
    /// to 0 and returns the vertices whose priority changed.
    pub(crate) fn add(&self, mut met: Vec<u32>, counts: &mut [u32], pool: &Pool) -> Vec<u32> {
        let shared = Shared(counts.as_mut_ptr(), self.priorities.as_ptr().cast());
        let known = counts.len().min(self.priorities.len());
        let add = |vertex: u32| {
            // Only what was counted has both.
            if vertex as usize >= known {
                return false;
            }
            // SAFETY: the vertex has a count and a priority, as just looked at, and each vertex is met once.
            let (count, priority) = unsafe { (&mut *shared.count(vertex), &mut *shared.priority(vertex)) };
            let sum = i64::from(self.amount) * i64::from(std::mem::take(count)) + i64::from(*priority);
            // The amount is not positive, so the sum fits.
            let new = sum.max(i64::from(self.floor)) as i32;
            *priority > self.floor && std::mem::replace(priority, new) != new
        };
        if met.len() < FEW_SUMS {
            met.retain(|&vertex| add(vertex));
            return met;
        }
        let parts: Vec<&[u32]> = met.chunks(FEW_SUMS / 8).collect();
        pool.map(parts.len(), |i| parts[i].iter().copied().filter(|&vertex| add(vertex)).collect::<Vec<u32>>()).concat()
    }
}

/// Counts and priorities, of which each thread touches other entries.
struct Shared(*mut u32, *mut i32);

// SAFETY: every entry is touched by one thread only, see `ConstantSum::add`.
unsafe impl Sync for Shared {}

impl Shared {
    fn count(&self, vertex: u32) -> *mut u32 {
        self.0.wrapping_add(vertex as usize)
    }
    fn priority(&self, vertex: u32) -> *mut i32 {
        self.1.wrapping_add(vertex as usize)
    }
}

/// The one priority update of a function.
struct Update<'m> {
    queue: &'m Name,
    amount: i32,
    floor: &'m Expr,
}

impl<'m> Update<'m> {
    /// The update, if the function has one, by a constant, whose outcome is used for nothing but the output.
    fn of(function: &'m Function) -> Option<Update<'m>> {
        let block = function.body.as_deref()?;
        let mut found = Vec::new();
        walk::walk_block_exprs(block, &mut |e| {
            if let ExprKind::PriorityUpdate { op, queue, bound, value, .. } = &e.kind {
                found.push((*op, queue, bound, value));
            }
        });
        let [(PriorityOp::Sum, queue, Some(floor), value)] = found.as_slice() else { return None };
        let ExprKind::Int(amount) = value.kind else { return None };
        let mut fine = true;
        walk::walk_stmts(block, &mut |stmt| {
            let StmtKind::VarDecl { name, init: Some(init), .. } = &stmt.kind else {
                // The update stands alone, or as the value of a variable.
                fine &= stands_alone(stmt) || !contains_update(stmt);
                return;
            };
            match init.kind {
                ExprKind::PriorityUpdate { .. } => fine &= only_guards_output(block, name),
                _ => fine &= !contains_update(stmt),
            }
        });
        let queue = queue.as_var()?;
        fine.then_some(Update { queue, amount: i32::try_from(amount).ok()?, floor })
    }
}

fn stands_alone(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Eval(e) if matches!(e.kind, ExprKind::PriorityUpdate { .. }))
}

/// Whether an expression of the statement itself, not of the blocks in it, has an update inside.
fn contains_update(stmt: &Stmt) -> bool {
    let mut found = false;
    walk::stmt_exprs(stmt, &mut |e| {
        walk::walk_expr(e, &mut |e| found |= matches!(e.kind, ExprKind::PriorityUpdate { .. }));
    });
    found
}

/// Whether a variable is read only by `if` statements that put a vertex into the output.
fn only_guards_output(block: &[Stmt], name: &Name) -> bool {
    let (mut reads, mut guards) = (0, 0);
    walk::walk_block_exprs(block, &mut |e| reads += usize::from(e.as_var() == Some(name)));
    walk::walk_stmts(block, &mut |stmt| {
        if let StmtKind::If { condition, then, otherwise } = &stmt.kind
            && condition.as_var() == Some(name)
            && otherwise.is_empty()
            && let [only] = then.as_slice()
            && let StmtKind::Eval(e) = &only.kind
            && matches!(e.kind, ExprKind::EnqueueVertex { .. })
        {
            guards += 1;
        }
    });
    reads == guards
}

fn calls(block: &[Stmt]) -> bool {
    let mut found = false;
    walk::walk_block_exprs(block, &mut |e| found |= matches!(e.kind, ExprKind::Call { .. }));
    found
}

/// The value of an expression that is the same for all edges; `None` when it may not be.
fn round_constant(
    module: &Module,
    function: &Function,
    expr: &Expr,
    captures: &[Value],
    env: &Environment,
) -> Result<Option<i32>> {
    let int = |value: Option<&Value>| value.and_then(Value::as_int);
    match &expr.kind {
        ExprKind::Int(v) => Ok(i32::try_from(*v).ok()),
        ExprKind::Builtin(Builtin::CurrentPriority, args) => {
            let queue = args.first().and_then(Expr::as_var).and_then(|name| env.global(name));
            match queue {
                Some(Value::Queue(queue)) => Ok(Some(queue.state().current_bucket()? as i32)),
                _ => Ok(None),
            }
        }
        ExprKind::Var(name) => {
            let block = function.body.as_deref().unwrap_or_default();
            let (mut inits, mut assigned) = (Vec::new(), false);
            walk::walk_stmts(block, &mut |stmt| match &stmt.kind {
                StmtKind::VarDecl { name: declared, init, .. } if declared == name => inits.push(init.as_ref()),
                StmtKind::Assign { target, .. } => assigned |= target.as_var() == Some(name),
                StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => assigned |= var == name,
                _ => {}
            });
            walk::walk_block_exprs(block, &mut |e| {
                if let ExprKind::Reduce { target, .. } = &e.kind {
                    assigned |= target.as_var() == Some(name);
                }
            });
            if assigned || function.params.iter().any(|p| p.name == *name) {
                return Ok(None);
            }
            if let Some(at) = function.captures.iter().position(|c| c.name == *name) {
                return Ok(int(captures.get(at)));
            }
            match inits.as_slice() {
                [Some(init)] => round_constant(module, function, init, captures, env),
                [] if module.global(name).is_some() => Ok(int(env.global(name).as_ref())),
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}
