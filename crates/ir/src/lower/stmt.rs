//! Lowering statements.

use super::{Lower, LowerProblem, Lowering};
use crate::expr::{Expr, ExprKind};
use crate::meta::{ForMeta, UpdateMeta, WhileMeta};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use gw_lang::typed::{self, Init};

impl<'p> Lowering<'p> {
    pub(super) fn block(&mut self, stmts: &'p [typed::Stmt]) -> Lower<Block> {
        let mut out = Block::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out)?;
        }
        Ok(out)
    }

    /// Lowers a statement to the end of `out`; temporaries come before it, without its label.
    fn stmt(&mut self, stmt: &'p typed::Stmt, out: &mut Block) -> Lower<()> {
        let span = self.span(stmt.span);
        if let typed::StmtKind::ForEach { var, members, body } = &stmt.kind {
            return self.for_each(stmt, *var, members, body, out);
        }
        if self.call_statement(stmt, out)? || self.call_into(stmt, out)? {
            return Ok(());
        }
        let label = match &stmt.kind {
            // Labels of `if` are no part of label paths.
            typed::StmtKind::If { .. } => stmt.label.as_ref().map(|label| label.name.as_str().into()),
            _ => self.label(stmt),
        };
        let is_loop = matches!(
            stmt.kind,
            typed::StmtKind::While { .. } | typed::StmtKind::DoWhile { .. } | typed::StmtKind::For { .. }
        );
        let inside = usize::from(is_loop && label.is_some());
        self.labelled += inside;
        let kind = self.stmt_kind(stmt, out)?;
        self.labelled -= inside;
        out.push(Stmt { label, span, kind });
        Ok(())
    }

    fn stmt_kind(&mut self, stmt: &'p typed::Stmt, out: &mut Block) -> Lower<StmtKind> {
        Ok(match &stmt.kind {
            typed::StmtKind::Let { local, init } => {
                let Expr { kind, ty } = self.var(typed::Var::Local(*local));
                let init = match init {
                    Some(Init::Value(value)) => Some(self.value(value, out)?),
                    Some(Init::Fill(value)) => {
                        let value = self.expr(value, out)?;
                        Some(Expr::new(ExprKind::VectorFill(Box::new(value)), ty.clone()))
                    }
                    Some(Init::Items(items)) => {
                        let items = self.exprs(items, out)?;
                        Some(Expr::new(ExprKind::VectorLiteral(items), ty.clone()))
                    }
                    Some(Init::Universe(_)) | None => empty_value(&ty),
                };
                let ExprKind::Var(name) = kind else {
                    return self.fail(stmt.span, LowerProblem::Builtin("a declaration without a name".into()));
                };
                StmtKind::VarDecl { name, ty, init }
            }
            typed::StmtKind::Assign { target, value } => {
                let target = self.target(target, out)?;
                let value = self.value(value, out)?;
                StmtKind::Assign { target, value }
            }
            typed::StmtKind::Reduce { target, op, value } => {
                let target = Box::new(self.target(target, out)?);
                let value = Box::new(self.expr(value, out)?);
                let kind = ExprKind::Reduce { op: *op, target, value, meta: UpdateMeta::default() };
                StmtKind::Eval(Expr::new(kind, Type::BOOL))
            }
            typed::StmtKind::SetUniverse { global, count } => {
                let target = self.var(typed::Var::Global(*global));
                let count = self.expr(count, out)?;
                let value = Expr::new(ExprKind::Universe(Some(Box::new(count))), target.ty.clone());
                StmtKind::Assign { target, value }
            }
            typed::StmtKind::If { arms, otherwise } => self.arms(arms, otherwise, out)?,
            typed::StmtKind::While { cond, body } => StmtKind::While {
                condition: self.plain(cond, "in the condition of a loop")?,
                body: self.loop_body(body)?,
                meta: WhileMeta::default(),
            },
            typed::StmtKind::DoWhile { body, cond } => StmtKind::DoWhile {
                body: self.loop_body(body)?,
                condition: self.plain(cond, "in the condition of a loop")?,
            },
            typed::StmtKind::For { parallel, var, low, high, body } => {
                let ExprKind::Var(var) = self.var(typed::Var::Local(*var)).kind else {
                    return self.fail(stmt.span, LowerProblem::Builtin("a loop without a variable".into()));
                };
                let low = self.plain(low, "in the bound of a loop")?;
                let high = self.plain(high, "in the bound of a loop")?;
                let body = self.loop_body(body)?;
                let meta = ForMeta::default();
                if *parallel {
                    StmtKind::ParFor { var, low, high, body, meta }
                } else {
                    StmtKind::For { var, low, high, body, meta }
                }
            }
            typed::StmtKind::ForEach { .. } => {
                return self.fail(stmt.span, LowerProblem::Builtin("a loop over members in the wrong place".into()));
            }
            typed::StmtKind::Print(values) => StmtKind::Print(self.printed(stmt, values, out)?),
            typed::StmtKind::Break => self.leave_loop(out),
            typed::StmtKind::Continue => StmtKind::Break,
            typed::StmtKind::Delete(place) => StmtKind::Delete(self.target(place, out)?),
            typed::StmtKind::Expr(value) => StmtKind::Eval(self.value(value, out)?),
        })
    }

    /// `if a .. elif b .. else ..` becomes nested two-way branches.
    fn arms(
        &mut self,
        arms: &'p [(typed::Expr, Vec<typed::Stmt>)],
        otherwise: &'p [typed::Stmt],
        out: &mut Block,
    ) -> Lower<StmtKind> {
        let Some(((condition, then), rest)) = arms.split_first() else {
            return Ok(StmtKind::Scope(self.block(otherwise)?));
        };
        let span = self.span(condition.span);
        let condition = self.expr(condition, out)?;
        let then = self.block(then)?;
        let otherwise = if rest.is_empty() {
            self.block(otherwise)?
        } else {
            let mut inner = Block::new();
            let kind = self.arms(rest, otherwise, &mut inner)?;
            inner.push(Stmt::new(kind).at(span));
            inner
        };
        Ok(StmtKind::If { condition, then, otherwise })
    }

    fn target(&mut self, place: &'p typed::Place, out: &mut Block) -> Lower<Expr> {
        let mut target = self.var(place.var);
        for index in &place.indices {
            let index = self.expr(index, out)?;
            target = Expr::element(target, index);
        }
        Ok(target)
    }
}

/// What a variable of a reference type holds before it is assigned; `None` for types without such a value.
pub(crate) fn empty_value(ty: &Type) -> Option<Expr> {
    match ty {
        Type::Vector { .. } => Some(Expr::new(ExprKind::VectorAlloc, ty.clone())),
        Type::VertexSet(_) => Some(Expr::new(ExprKind::VertexSetAlloc(Box::new(Expr::int(0))), ty.clone())),
        Type::List(_) => Some(Expr::new(ExprKind::ListAlloc, ty.clone())),
        _ => None,
    }
}
