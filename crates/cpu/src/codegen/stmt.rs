//! Statements.

use cranelift::prelude::*;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::Scalar;
use gw_ir::walk;

use super::Refusal;
use super::memory::{Place, Reason};
use super::translate::{Binding, CountedList, Translator, assigns_in, clif_type};
use crate::abi::{Fault, slot};

impl Translator<'_, '_> {
    /// Translates a statement list. Stops after a `break`: nothing behind it is reached.
    pub(crate) fn block(&mut self, block: &[Stmt]) -> Result<(), Refusal> {
        for stmt in block {
            self.stmt(stmt)?;
            if matches!(stmt.kind, StmtKind::Break) {
                break;
            }
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        if stmt.span.line > 0 {
            self.span = stmt.span;
        }
        match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => {
                let ty = clif_type(self.scalar_of(ty)?);
                let value = match init {
                    Some(init) => self.value(init)?,
                    None => self.zero(ty),
                };
                let variable = self.variable(ty, value);
                self.names.insert(name.clone(), Binding::Scalar(variable));
            }
            StmtKind::Assign { target, value } => {
                let value = self.value(value)?;
                self.assign(target, value)?;
            }
            StmtKind::Eval(expr) => {
                self.expr(expr)?;
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.value(condition)?;
                let (yes, no, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.b.ins().brif(condition, yes, &[], no, &[]);
                for (start, block) in [(yes, then), (no, otherwise)] {
                    self.b.switch_to_block(start);
                    self.b.seal_block(start);
                    self.block(block)?;
                    self.b.ins().jump(done, &[]);
                }
                self.b.switch_to_block(done);
                self.b.seal_block(done);
            }
            StmtKind::While { condition, body, .. } => {
                self.repeat(true, |t| t.value(condition).map(Some), |t| t.block(body))?;
            }
            StmtKind::DoWhile { body, condition } => self.do_while(body, condition)?,
            StmtKind::For { var, low, high, body, .. } => self.count(var, low, high, body, true)?,
            StmtKind::ParFor { var, low, high, body, .. } => self.count(var, low, high, body, false)?,
            StmtKind::Break => {
                let out = self.loops.last().copied().ok_or_else(|| self.refuse("`break` outside a loop"))?;
                self.b.ins().jump(out, &[]);
                // What follows in the enclosing blocks is translated but never reached.
                let dead = self.b.create_block();
                self.b.switch_to_block(dead);
                self.b.seal_block(dead);
            }
            StmtKind::Scope(block) => self.block(block)?,
            StmtKind::Print(_) => return Err(self.refuse("printing happens on the host")),
            StmtKind::Delete(_) => return Err(self.refuse("objects are not freed inside operator functions")),
            StmtKind::Hybrid(_) => return Err(self.refuse("operators do not nest")),
        }
        Ok(())
    }

    /// Stores a value into a variable, global or vector entry.
    pub(crate) fn assign(&mut self, target: &Expr, value: Value) -> Result<(), Refusal> {
        if let ExprKind::Var(name) = &target.kind {
            match self.names.get(name) {
                Some(Binding::Scalar(variable)) => {
                    let variable = *variable;
                    self.b.def_var(variable, value);
                    return Ok(());
                }
                Some(_) => return Err(self.refuse(format!("`{name}` is not a number"))),
                None => {}
            }
        }
        if let Some(register) = self.register(target) {
            self.b.def_var(register, value);
            return Ok(());
        }
        let (place, _) = self.place(target)?;
        self.store(value, &place);
        Ok(())
    }

    /// `while condition body`; a condition of `None` is true. A loop that may be endless looks whether the run is to
    /// stop.
    fn repeat(
        &mut self,
        may_be_endless: bool,
        condition: impl FnOnce(&mut Self) -> Result<Option<Value>, Refusal>,
        body: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (head, inside, out) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        match condition(self)? {
            Some(condition) => self.b.ins().brif(condition, inside, &[], out, &[]),
            None => self.b.ins().jump(inside, &[]),
        };
        self.b.switch_to_block(inside);
        self.b.seal_block(inside);
        if may_be_endless {
            self.check_stop();
        }
        self.loops.push(out);
        body(self)?;
        self.loops.pop();
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }

    fn do_while(&mut self, body: &[Stmt], condition: &Expr) -> Result<(), Refusal> {
        let (head, out) = (self.b.create_block(), self.b.create_block());
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        self.check_stop();
        self.loops.push(out);
        self.block(body)?;
        self.loops.pop();
        let condition = self.value(condition)?;
        self.b.ins().brif(condition, head, &[], out, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }

    fn count(&mut self, var: &Name, low: &Expr, high: &Expr, body: &[Stmt], again: bool) -> Result<(), Refusal> {
        let first = low.kind.clone();
        let low = self.value(low)?;
        let counter = self.variable(types::I32, low);
        let fixed = if again && !self.is_fixed(high) { None } else { Some(self.value(high)?) };
        let ends = self.is_fixed(high) && ends_soon(body, var);
        let counted = self.counted_list(var, &first, high).filter(|_| ends);
        self.repeat(
            !ends,
            |t| {
                let high = match fixed {
                    Some(high) => high,
                    None => t.value(high)?,
                };
                let now = t.b.use_var(counter);
                Ok(Some(t.binary(BinaryOp::Lt, Scalar::Int, now, high)))
            },
            |t| {
                let now = t.b.use_var(counter);
                let variable = t.variable(types::I32, now);
                t.names.insert(var.clone(), Binding::Scalar(variable));
                let known = t.counted.len();
                t.counted.extend(counted);
                t.block(body)?;
                t.counted.truncate(known);
                let now = t.b.use_var(variable);
                let next = t.b.ins().iadd_imm_s(now, 1);
                t.b.def_var(counter, next);
                Ok(())
            },
        )
    }

    /// The list whose positions a loop variable runs over: of a vertex of the operator, from some position to the end.
    fn counted_list(&self, var: &Name, first: &ExprKind, high: &Expr) -> Option<CountedList> {
        let (ExprKind::Builtin(Builtin::OutDegree, args), ExprKind::Int(0..)) = (&high.kind, first) else {
            return None;
        };
        let [graph, vertex] = &args[..] else { return None };
        match self.names.get(vertex.as_var()?)? {
            Binding::Vertex(vertex) => {
                Some(CountedList { position: var.clone(), graph: graph.as_var()?.clone(), vertex: *vertex })
            }
            _ => None,
        }
    }

    /// Whether an expression has the same value each time, and not a huge one: a constant, or the degree of a vertex of
    /// the operator.
    fn is_fixed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(number) => *number < MANY_ITERATIONS,
            ExprKind::Builtin(Builtin::OutDegree, args) => {
                let vertex = args.get(1).and_then(Expr::as_var);
                vertex.is_some_and(|name| matches!(self.names.get(name), Some(Binding::Vertex(_))))
            }
            _ => false,
        }
    }

    /// Leaves the kernel when the run shall stop: loops of the program may be endless.
    pub(super) fn check_stop(&mut self) {
        let flag = Place::new(self.slot(slot::STOP, types::I64), Reason::Cell);
        let stop = self.load(types::I8, &flag);
        let fine = self.b.ins().icmp_imm_s(IntCC::Equal, stop, 0);
        self.check(fine, Fault::Stopped, None, None, "");
    }
}

/// A loop up to a greater number looks whether the run is to stop.
const MANY_ITERATIONS: i64 = 1 << 16;

/// Whether a loop that counts up to a fixed number comes to its end soon: its body neither sets the count back nor has
/// loops or calls.
fn ends_soon(body: &[Stmt], var: &Name) -> bool {
    let mut short = !assigns_in(body, var);
    walk::walk_stmts(body, &mut |stmt| short &= !is_loop(&stmt.kind));
    walk::walk_block_exprs(body, &mut |e| short &= !matches!(e.kind, ExprKind::Call { .. }));
    short
}

fn is_loop(stmt: &StmtKind) -> bool {
    matches!(stmt, StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. } | StmtKind::ParFor { .. })
}
