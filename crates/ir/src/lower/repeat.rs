//! Lowering of what a loop is made of besides its bounds: `continue`, loops over members, and several printed values.
//!
//! GraphIR has `break` and no `continue`. The body of a loop with a `continue` becomes a loop of one round,
//! `do { body } while false`, which `continue` leaves. A `break` of such a body notes in a variable that the outer
//! loop ends as well. So no machine has to know of `continue`, and loops without one are as they were.

use super::{Lower, Lowering};
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::meta::ForMeta;
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use gw_lang::builtin::Builtin as LangBuiltin;
use gw_lang::{typed, visit};

impl<'p> Lowering<'p> {
    /// The body of a loop.
    pub(super) fn loop_body(&mut self, body: &'p [typed::Stmt]) -> Lower<Block> {
        let own = |wanted: fn(&typed::StmtKind) -> bool| body.iter().any(|stmt| has(stmt, wanted));
        if !own(|kind| matches!(kind, typed::StmtKind::Continue)) {
            self.left.push(None);
            let body = self.block(body);
            self.left.pop();
            return body;
        }
        let left = own(|kind| matches!(kind, typed::StmtKind::Break)).then(|| self.fresh("left"));
        self.left.push(left.clone());
        let inner = self.block(body);
        self.left.pop();
        let once = Stmt::new(StmtKind::DoWhile { body: inner?, condition: Expr::bool(false) });
        Ok(match left {
            None => vec![once],
            Some(left) => {
                let init = Some(Expr::bool(false));
                let declare = StmtKind::VarDecl { name: left.clone(), ty: Type::BOOL, init };
                let condition = Expr::var(left, Type::BOOL);
                let leave = StmtKind::If { condition, then: vec![Stmt::new(StmtKind::Break)], otherwise: Vec::new() };
                vec![Stmt::new(declare), once, Stmt::new(leave)]
            }
        })
    }

    /// `break` of the program.
    pub(super) fn leave_loop(&mut self, out: &mut Block) -> StmtKind {
        if let Some(Some(left)) = self.left.last() {
            let target = Expr::var(left.clone(), Type::BOOL);
            out.push(Stmt::new(StmtKind::Assign { target, value: Expr::bool(true) }));
        }
        StmtKind::Break
    }

    /// `for v in set` and `for x in list` become loops over positions: of the neighbours where the set is a list of
    /// neighbours, of all vertices where it stands for all, else of a list of the members.
    pub(super) fn for_each(
        &mut self,
        stmt: &'p typed::Stmt,
        var: gw_lang::types::LocalId,
        members: &'p typed::Expr,
        body: &'p [typed::Stmt],
        out: &mut Block,
    ) -> Lower<()> {
        let span = self.span(stmt.span);
        let position = self.fresh("position");
        let at = Expr::var(position.clone(), Type::INT);
        let mut made: Option<Expr> = None;
        let (high, member) = if self.is_universe(members) {
            let set = self.expr(members, out)?;
            (self.built(Builtin::VertexCount, vec![set], members)?, at)
        } else if let typed::ExprKind::Builtin { builtin: LangBuiltin::Neighbors, args } = &members.kind
            && let [graph, vertex] = args.as_slice()
        {
            let graph = self.kept(graph, "graph", body, out)?;
            let vertex = self.kept(vertex, "vertex", body, out)?;
            let high = self.built(Builtin::OutDegree, vec![graph.clone(), vertex.clone()], members)?;
            (high, self.built(Builtin::OutNeighbor, vec![graph, vertex, at], members)?)
        } else {
            let mut list = self.value(members, out)?;
            if matches!(list.ty, Type::VertexSet(_)) {
                list = match list.as_var() {
                    Some(_) => list,
                    None => self.temporary(list, "set", members.span, out),
                };
                list = self.built(Builtin::SetMembers, vec![list], members)?;
            }
            if list.as_var().is_none() {
                list = self.temporary(list, "members", members.span, out);
                made = Some(list.clone());
            }
            let high = self.built(Builtin::ListSize, vec![list.clone()], members)?;
            (high, self.built(Builtin::ListGet, vec![list, at], members)?)
        };
        let Expr { kind, ty } = self.var(typed::Var::Local(var));
        let name: Name = match kind {
            ExprKind::Var(name) => name,
            _ => self.fresh("member"),
        };
        let mut inside = vec![Stmt::new(StmtKind::VarDecl { name, ty, init: Some(member) }).at(span)];
        let label = self.label(stmt);
        self.labelled += usize::from(label.is_some());
        inside.extend(self.loop_body(body)?);
        self.labelled -= usize::from(label.is_some());
        let kind = StmtKind::For { var: position, low: Expr::int(0), high, body: inside, meta: ForMeta::default() };
        out.push(Stmt { label, span, kind });
        out.extend(made.map(|list| Stmt::new(StmtKind::Delete(list)).at(span)));
        Ok(())
    }

    /// The value of an expression before a loop, as a variable that the body of the loop does not assign.
    fn kept(&mut self, expr: &'p typed::Expr, base: &str, body: &'p [typed::Stmt], out: &mut Block) -> Lower<Expr> {
        let value = self.value(expr, out)?;
        let mut assigned = false;
        if let typed::ExprKind::Var(var) = expr.kind {
            visit::stmts(body, &mut |stmt| {
                assigned |= matches!(&stmt.kind, typed::StmtKind::Assign { target, .. }
                    | typed::StmtKind::Reduce { target, .. } if target.var == var && target.indices.is_empty());
            });
        }
        match value.as_var().is_some() && !assigned {
            true => Ok(value),
            false => Ok(self.temporary(value, base, expr.span, out)),
        }
    }

    /// What a `print` shows: one value as it is, several as one text.
    pub(super) fn printed(&mut self, stmt: &'p typed::Stmt, values: &'p [typed::Expr], out: &mut Block) -> Lower<Expr> {
        let mut text: Option<Expr> = None;
        let lowered = self.in_order(&values.iter().collect::<Vec<_>>(), out)?;
        for (value, lowered) in values.iter().zip(lowered) {
            text = Some(match text {
                None if values.len() == 1 => return Ok(lowered),
                None => self.text(lowered, value)?,
                Some(before) => {
                    let shown = self.text(lowered, value)?;
                    self.built(Builtin::Join, vec![before, shown], value)?
                }
            });
        }
        match text {
            Some(text) => Ok(text),
            None => self.fail(stmt.span, super::LowerProblem::Builtin("nothing to print".into())),
        }
    }

    fn text(&self, value: Expr, at: &typed::Expr) -> Lower<Expr> {
        match value.ty == Type::STRING {
            true => Ok(value),
            false => self.built(Builtin::Text, vec![value], at),
        }
    }
}

/// Whether a statement is or holds a wanted one that belongs to the same loop.
fn has(stmt: &typed::Stmt, wanted: fn(&typed::StmtKind) -> bool) -> bool {
    wanted(&stmt.kind)
        || match &stmt.kind {
            typed::StmtKind::If { arms, otherwise } => {
                let arms = arms.iter().flat_map(|(_, body)| body);
                arms.chain(otherwise).any(|stmt| has(stmt, wanted))
            }
            _ => false,
        }
}
