//! The rule that tells programs whose results may depend on an order from those whose results may not.
//!
//! It looks at GraphIR as lowered and knows nothing of how a program was made. A program passes when every operator
//! and every `par_for` does (`region`), or belongs to one of two loops whose end does not depend on the way
//! (`loops`): a monotone fixed point, and a priority queue that is drained. The rule errs on the safe side: a program
//! that fails it may still be deterministic.
//!
//! A region passes when, for every vector and variable that it writes,
//! - all accesses are to the entry of the one vertex (or round) that the function runs for, or
//! - it is never read there, and all writes are the same reduction whose result is not used, or
//! - all writes assign one value that is the same everywhere, or
//! - the one assignment writes the entry of an end of the edge with a value that depends on that end alone, or
//! - all writes are `compare_and_swap` between the same two different constants at an end of the edge, and what happens
//!   after a swap depends on that end alone.
//!
//! Sums of reals pass, but their last digits depend on the order: such a program is *inexact*, and passes only if
//! these sums are printed and otherwise left alone.

mod loops;
mod region;

use std::collections::BTreeSet;

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::Module;
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk::{children, stmt_exprs, walk_stmts};

use region::Region;

/// What the rule says about a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Why the results may depend on an order; `None` when they do not.
    pub dependent: Option<String>,
    /// Some reals are exact only up to the order of summands.
    pub inexact: bool,
}

/// Judges a module as lowered, before any pass.
pub fn judge(module: &Module) -> Judgement {
    let mut judge = Judge {
        module,
        problem: None,
        inexact: BTreeSet::new(),
        read: BTreeSet::new(),
        sums: false,
        random: false,
        loops: false,
    };
    for function in &module.functions {
        // Functions of operators are looked at where they are used.
        if function.kind == gw_ir::module::FunctionKind::Main
            && let Some(body) = &function.body
        {
            judge.block(body);
            judge.host_reads(body);
        }
    }
    if judge.problem.is_none()
        && let Some(name) = judge.inexact.intersection(&judge.read).next()
    {
        judge.problem = Some(format!("`{name}` holds sums of reals and is read"));
    }
    // Draws differ from call to call of an operator, and these loops take as many calls as the schedule wants.
    if judge.random && judge.loops {
        judge.fail("random neighbours behind a loop whose rounds depend on the schedule");
    }
    Judgement { dependent: judge.problem, inexact: judge.sums || !judge.inexact.is_empty() }
}

struct Judge<'m> {
    module: &'m Module,
    problem: Option<String>,
    /// Variables and vectors that hold sums of reals in any order.
    inexact: BTreeSet<Name>,
    /// Variables and vectors that are read other than by `print`.
    read: BTreeSet<Name>,
    /// Sums over vectors of reals are printed.
    sums: bool,
    /// Operators draw random neighbours.
    random: bool,
    /// How many operators are called before one that draws depends on the schedule.
    loops: bool,
}

impl Judge<'_> {
    fn fail(&mut self, problem: impl Into<String>) {
        self.problem.get_or_insert(problem.into());
    }

    /// Judges host code.
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            match loops::judge(self.module, stmt) {
                Some(Ok(())) => {
                    self.loops = true;
                    continue;
                }
                Some(Err(problem)) => self.fail(problem),
                None => {}
            }
            if let Some(operator) = stmt.operator() {
                let region = Region::of_operator(self.module, operator);
                self.region(region);
            }
            if let StmtKind::ParFor { var, body, .. } = &stmt.kind {
                let region = Region::of_par_for(self.module, var, body);
                self.region(region);
                continue;
            }
            stmt_exprs(stmt, &mut |expr| {
                gw_ir::walk::walk_expr(expr, &mut |inner| match &inner.kind {
                    ExprKind::Call { function, .. } => {
                        let callee = self.module.function(&function.name);
                        let plain = callee.and_then(|f| f.body.as_ref()).is_some_and(|body| is_plain(body));
                        if !plain {
                            self.problem.get_or_insert("a function called by `main` runs operators".into());
                        }
                    }
                    ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _) => {
                        self.problem.get_or_insert("random neighbours".into());
                    }
                    ExprKind::Builtin(Builtin::StopTimer, _) => {
                        self.problem.get_or_insert("the clock".into());
                    }
                    _ => {}
                });
            });
            for inner in stmt.blocks() {
                self.block(inner);
            }
        }
    }

    fn region(&mut self, region: Region) {
        let verdict = region.verdict();
        if let Some(problem) = verdict.problem {
            self.fail(problem);
        }
        self.random |= verdict.random;
        self.inexact.extend(verdict.inexact);
        self.read.extend(verdict.read);
    }

    /// Notes what host code reads: all but what it prints and what it hands to functions.
    fn host_reads(&mut self, body: &[Stmt]) {
        let mut read = BTreeSet::new();
        let mut sums = false;
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Print(value) => {
                sums |= sums_reals(value);
                // What is computed before it is printed may magnify a difference.
                let plain = matches!(value.kind, ExprKind::Var(_) | ExprKind::Element { .. })
                    || matches!(&value.kind, ExprKind::Builtin(
                        Builtin::VectorSum | Builtin::VectorMax | Builtin::VectorMin, args) if args.len() == 1);
                if !plain {
                    reads(value, &mut read);
                }
            }
            StmtKind::Assign { target, value } => {
                reads(value, &mut read);
                if let ExprKind::Element { index, .. } = &target.kind {
                    reads(index, &mut read);
                }
            }
            _ => stmt_exprs(stmt, &mut |expr| reads(expr, &mut read)),
        });
        self.read.extend(read);
        self.sums |= sums;
    }
}

fn sums_reals(expr: &Expr) -> bool {
    let mut found = false;
    gw_ir::walk::walk_expr(expr, &mut |inner| {
        found |= matches!(inner.kind, ExprKind::Builtin(Builtin::VectorSum, _))
            && inner.ty.scalar().is_some_and(|scalar| scalar.is_float());
    });
    found
}

/// Adds the variables whose values an expression of the host reads. Arguments handed to functions are looked at
/// inside them.
fn reads(expr: &Expr, read: &mut BTreeSet<Name>) {
    match &expr.kind {
        ExprKind::Var(name) => {
            read.insert(name.clone());
        }
        ExprKind::Operator(_) => {}
        ExprKind::Reduce { target, value, .. } => {
            reads(value, read);
            if let ExprKind::Element { index, .. } = &target.kind {
                reads(index, read);
            }
        }
        _ => children(expr, &mut |child| reads(child, read)),
    }
}

/// No operators inside.
fn is_plain(body: &[Stmt]) -> bool {
    let mut plain = true;
    walk_stmts(body, &mut |stmt| plain &= stmt.operator().is_none() && !matches!(stmt.kind, StmtKind::ParFor { .. }));
    plain
}
