//! Lowering expressions.

use super::{Lower, LowerProblem, Lowering};
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, PriorityQueueAlloc, ReduceOp, UnaryOp};
use crate::meta::{IntersectionMeta, QueueMeta, UpdateMeta};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use crate::typing::builtin_type;
use gw_lang::builtin::Builtin as LangBuiltin;
use gw_lang::typed;

impl<'p> Lowering<'p> {
    /// An expression that is the whole value of a statement: it may be an operator.
    pub(super) fn value(&mut self, expr: &'p typed::Expr, pre: &mut Block) -> Lower<Expr> {
        match self.operator(expr, pre)? {
            Some(op) => Ok(op.into_expr()),
            None => self.expr(expr, pre),
        }
    }

    /// An expression where no temporary can be put in front.
    pub(super) fn plain(&mut self, expr: &'p typed::Expr, position: &'static str) -> Lower<Expr> {
        let mut pre = Block::new();
        let in_statement = std::mem::replace(&mut self.in_statement, false);
        let lowered = self.expr(expr, &mut pre);
        self.in_statement = in_statement;
        let lowered = lowered?;
        if pre.is_empty() { Ok(lowered) } else { self.fail(expr.span, LowerProblem::OperatorPosition(position)) }
    }

    pub(super) fn exprs(&mut self, exprs: &'p [typed::Expr], pre: &mut Block) -> Lower<Vec<Expr>> {
        self.in_order(&exprs.iter().collect::<Vec<_>>(), pre)
    }

    fn boxed(&mut self, expr: &'p typed::Expr, pre: &mut Block) -> Lower<Box<Expr>> {
        self.expr(expr, pre).map(Box::new)
    }

    /// An expression that must be a variable: others get a temporary.
    pub(super) fn variable(&mut self, expr: &'p typed::Expr, base: &str, pre: &mut Block) -> Lower<Expr> {
        let value = self.value(expr, pre)?;
        if value.as_var().is_some() { Ok(value) } else { Ok(self.temporary(value, base, expr.span, pre)) }
    }

    pub(super) fn temporary(&mut self, value: Expr, base: &str, span: gw_lang::Span, pre: &mut Block) -> Expr {
        let name = self.fresh(base);
        let ty = value.ty.clone();
        let decl = StmtKind::VarDecl { name: name.clone(), ty: ty.clone(), init: Some(value) };
        pre.push(Stmt::new(decl).at(self.span(span)));
        Expr::var(name, ty)
    }

    /// An expression inside another one.
    pub(super) fn expr(&mut self, expr: &'p typed::Expr, pre: &mut Block) -> Lower<Expr> {
        if let Some(op) = self.operator(expr, pre)? {
            let value = op.into_expr();
            if value.ty == Type::Void {
                return self.fail(expr.span, LowerProblem::OperatorPosition("inside an expression"));
            }
            return Ok(self.temporary(value, "result", expr.span, pre));
        }
        let ty = self.ty(&expr.ty);
        Ok(match &expr.kind {
            typed::ExprKind::Int(v) => {
                Expr::new(ExprKind::Int(*v), Type::Scalar(ty.scalar().unwrap_or(crate::types::Scalar::Int)))
            }
            typed::ExprKind::Float(v) => Expr::new(ExprKind::Float(*v), ty),
            typed::ExprKind::Bool(b) => Expr::bool(*b),
            typed::ExprKind::Str(s) => Expr::new(ExprKind::Str(s.as_str().into()), Type::STRING),
            typed::ExprKind::Var(v) => self.constant(*v).unwrap_or_else(|| self.var(*v)),
            typed::ExprKind::Argv(index) => {
                let index = self.expr(index, pre)?;
                self.built(Builtin::Argv, vec![index], expr)?
            }
            typed::ExprKind::Convert(inner) => self.expr(inner, pre)?.convert(ty),
            typed::ExprKind::Index { base, index } => {
                let mut base_expr = self.expr(base, pre)?;
                if !base_expr.is_place() {
                    base_expr = self.temporary(base_expr, "vector", base.span, pre);
                }
                let index = self.expr(index, pre)?;
                Expr::element(base_expr, index)
            }
            typed::ExprKind::Neg(inner) => {
                let inner = self.expr(inner, pre)?;
                negate(inner)
            }
            typed::ExprKind::Not(inner) => Expr::negated(self.expr(inner, pre)?),
            typed::ExprKind::Binary { op, left, right } => {
                if matches!(op, BinaryOp::And | BinaryOp::Or) {
                    let left = self.expr(left, pre)?;
                    let right = self.plain(right, "on the right side of `and` or `or`")?;
                    return Ok(Expr::binary(*op, left, right));
                }
                match <[Expr; 2]>::try_from(self.in_order(&[left, right], pre)?) {
                    Ok([left, right]) => Expr::binary(*op, left, right),
                    Err(_) => return self.arity(expr),
                }
            }
            typed::ExprKind::Call { func, args } => {
                if let Some(site) = self.site(func) {
                    return self.call(&site, func, args, pre);
                }
                let function = self.function_ref(func, pre)?;
                let args = self.exprs(args, pre)?;
                Expr::new(ExprKind::Call { function, args }, ty)
            }
            typed::ExprKind::Builtin { builtin, args } => self.builtin(expr, *builtin, args, pre)?,
            typed::ExprKind::Load { path, weight } => self.load(path, weight.as_deref(), ty, expr, pre)?,
            typed::ExprKind::NewVertexSet { size, .. } => {
                Expr::new(ExprKind::VertexSetAlloc(self.boxed(size, pre)?), ty)
            }
            typed::ExprKind::NewList => Expr::new(ExprKind::ListAlloc, ty),
            typed::ExprKind::NewVector => Expr::new(ExprKind::VectorAlloc, ty),
            typed::ExprKind::NewPriorityQueue(q) => {
                let vector = self.variable(&q.vector, "priorities", pre)?;
                let start = self.expr(&q.start, pre)?;
                let alloc = PriorityQueueAlloc {
                    duplicates_within: q.dup_within,
                    duplicates_across: q.dup_across,
                    vector: vector.as_var().cloned().unwrap_or_else(|| "_".into()),
                    increasing: q.increasing,
                    priority_order: i64::from(q.priority_order),
                    all_vertices: q.all_queued,
                    start,
                    meta: QueueMeta::default(),
                };
                Expr::new(ExprKind::PriorityQueueAlloc(Box::new(alloc)), ty)
            }
            typed::ExprKind::EdgeApply(_)
            | typed::ExprKind::Groups(_)
            | typed::ExprKind::VertexApply { .. }
            | typed::ExprKind::VertexFilter { .. }
            | typed::ExprKind::VertexApplyExtern { .. } => {
                return self.fail(expr.span, LowerProblem::OperatorPosition("here"));
            }
        })
    }

    /// `load`: values of vertices, or a graph, whose edges get a weight where they have none and one is given.
    fn load(
        &mut self,
        path: &'p typed::Expr,
        weight: Option<&'p typed::Expr>,
        ty: Type,
        at: &typed::Expr,
        pre: &mut Block,
    ) -> Lower<Expr> {
        let path = self.boxed(path, pre)?;
        let (Type::EdgeSet { edge, source, target, .. }, Some(weight)) = (&ty, weight) else {
            return Ok(match ty {
                Type::Vector { .. } => Expr::new(ExprKind::VectorLoad(path), ty),
                _ => Expr::new(ExprKind::EdgeSetLoad(path), ty),
            });
        };
        let (edge, source, target) = (edge.clone(), source.clone(), target.clone());
        let plain = Type::EdgeSet { edge, source, target, weight: None };
        let graph = Expr::new(ExprKind::EdgeSetLoad(path), plain);
        let weight = self.expr(weight, pre)?;
        self.built(Builtin::Weigh, vec![graph, weight], at)
    }

    pub(super) fn function_ref(&mut self, func: &'p typed::FuncUse, pre: &mut Block) -> Lower<FunctionRef> {
        let captures = self.exprs(&func.captures, pre)?;
        Ok(FunctionRef { name: self.program.function(func.func).name.as_str().into(), captures })
    }

    pub(super) fn built(&self, builtin: Builtin, args: Vec<Expr>, at: &typed::Expr) -> Lower<Expr> {
        match builtin_type(builtin, &args) {
            Ok(ty) => Ok(Expr::new(ExprKind::Builtin(builtin, args), ty)),
            Err(message) => self.fail(at.span, LowerProblem::Builtin(message)),
        }
    }

    fn builtin(
        &mut self,
        expr: &'p typed::Expr,
        builtin: LangBuiltin,
        args: &'p [typed::Expr],
        pre: &mut Block,
    ) -> Lower<Expr> {
        use LangBuiltin as L;
        let universe = args.first().is_some_and(|a| self.is_universe(a));
        let mut lowered = self.exprs(args, pre)?;
        let simple = match builtin {
            L::VertexCount => Builtin::VertexCount,
            L::OutDegrees => Builtin::OutDegrees,
            L::OutDegreesUint => Builtin::OutDegreesUint,
            L::OutDegree => Builtin::OutDegree,
            L::Neighbors => Builtin::Neighbors,
            L::Transpose => Builtin::Transpose,
            L::Both => Builtin::Both,
            L::Relabel => Builtin::Relabel,
            L::RankedNumbers => Builtin::RankedNumbers,
            L::LinkNumbers => Builtin::LinkNumbers,
            L::EdgeSources => Builtin::EdgeSources,
            L::EdgeTargets => Builtin::EdgeTargets,
            L::EdgeWeights => Builtin::EdgeWeights,
            L::FirstEdges => Builtin::FirstEdges,
            L::SetUnion => Builtin::SetUnion,
            L::SetMinus => Builtin::SetMinus,
            L::EdgeCount => Builtin::EdgeCount,
            L::EdgeIndex => Builtin::EdgeIndex,
            L::SelectEdges
            | L::MakeEdges
            | L::Contract
            | L::InsertEdges
            | L::DeleteEdges
            | L::Links
            | L::Undirected
            | L::Upward
            | L::LinkLoops
            | L::Ranked => {
                if let (L::MakeEdges, Type::EdgeSet { source, .. }) = (builtin, self.ty(&expr.ty)) {
                    lowered.insert(0, Expr::new(ExprKind::Universe(None), Type::VertexSet(source)));
                }
                let which = match builtin {
                    L::Links => Builtin::Links,
                    L::Undirected => Builtin::Undirected,
                    L::Upward => Builtin::Upward,
                    L::Ranked => Builtin::Ranked,
                    L::LinkLoops => Builtin::LinkLoops,
                    L::MakeEdges => Builtin::MakeEdges,
                    L::Contract => Builtin::Contract,
                    L::InsertEdges => Builtin::InsertEdges,
                    L::DeleteEdges => Builtin::DeleteEdges,
                    _ => Builtin::SelectEdges,
                };
                let ty = self.ty(&expr.ty);
                let made = self.built(which, lowered, expr)?;
                return Ok(if made.ty == ty { made } else { Expr::new(ExprKind::Convert(Box::new(made)), ty) });
            }
            L::AddVertex => Builtin::AddVertex,
            L::SetSize | L::UniverseSize if universe => Builtin::VertexCount,
            L::SetSize | L::UniverseSize => Builtin::VertexSetSize,
            L::VectorSum => Builtin::VectorSum,
            L::VectorMax => Builtin::VectorMax,
            L::VectorMin => Builtin::VectorMin,
            L::VectorCount => Builtin::VectorCount,
            L::VectorArgMax => Builtin::VectorArgMax,
            L::VectorArgMin => Builtin::VectorArgMin,
            L::VectorRanks => Builtin::VectorRanks,
            L::ListAppend => Builtin::ListAppend,
            L::ListPop => Builtin::ListPop,
            L::ListInsert => Builtin::ListInsert,
            L::ListRetrieve => Builtin::ListRetrieve,
            L::ListSize => Builtin::ListSize,
            L::ListGet => Builtin::ListGet,
            L::DequeueReadySet => Builtin::DequeueReadySet,
            L::Finished => Builtin::QueueFinished,
            L::FinishedNode => Builtin::QueueFinishedNode,
            L::CurrentPriority => Builtin::CurrentPriority,
            L::StartTimer => Builtin::StartTimer,
            L::StopTimer => Builtin::StopTimer,
            L::Threads => Builtin::Threads,
            L::Atoi => Builtin::Atoi,
            L::Atof => Builtin::Atof,
            L::Date => Builtin::Date,
            L::ByNumber => Builtin::ByNumber,
            L::FindVertex => Builtin::FindVertex,
            L::EdgeCode => Builtin::EdgeCode,
            L::VertexCode => Builtin::VertexCode,
            L::Column => return Ok(Expr::new(ExprKind::Column(lowered), self.ty(&expr.ty))),
            L::Abs => Builtin::Abs,
            L::Floor => Builtin::Floor,
            L::Log => Builtin::Log,
            L::Exp => Builtin::Exp,
            L::Sqrt => Builtin::Sqrt,
            L::Pow => Builtin::Pow,
            L::Min => Builtin::Min,
            L::Max => Builtin::Max,
            L::Mod => Builtin::Mod,
            L::BitAnd => Builtin::BitAnd,
            L::BitOr => Builtin::BitOr,
            L::BitXor => Builtin::BitXor,
            L::BitNot => Builtin::BitNot,
            L::ShiftLeft => Builtin::ShiftLeft,
            L::ShiftRight => Builtin::ShiftRight,
            L::PopCount => Builtin::PopCount,
            L::RandomBits => Builtin::RandomBits,
            L::RandomOutNeighbor => Builtin::RandomOutNeighbor,
            L::RandomInNeighbor => Builtin::RandomInNeighbor,
            L::OutNeighbor => Builtin::OutNeighbor,
            L::OutWeight => Builtin::OutWeight,
            L::MinimumSpanningTree => Builtin::SerialMinimumSpanningTree,
            L::SweepCut => Builtin::SerialSweepCut,
            L::WriteMin => return self.atomic(ReduceOp::Min, lowered, expr),
            L::WriteMax => return self.atomic(ReduceOp::Max, lowered, expr),
            L::AtomicAdd => return self.atomic(ReduceOp::Sum, lowered, expr),
            L::UpdatePriorityMin => return self.priority(PriorityOp::Min, lowered, expr),
            L::UpdatePriorityMax => return self.priority(PriorityOp::Max, lowered, expr),
            L::UpdatePrioritySum => return self.priority(PriorityOp::Sum, lowered, expr),
            L::CompareAndSwap => {
                let (Some(value), Some(expect), Some(index), Some(vector)) =
                    (lowered.pop(), lowered.pop(), lowered.pop(), lowered.pop())
                else {
                    return self.arity(expr);
                };
                let kind = ExprKind::CompareAndSwap {
                    target: Box::new(Expr::element(vector, index)),
                    expect: Box::new(expect),
                    value: Box::new(value),
                    meta: UpdateMeta { atomic: true, ..UpdateMeta::default() },
                };
                return Ok(Expr::new(kind, Type::BOOL));
            }
            L::Intersection => {
                let kind = ExprKind::Intersection { args: lowered, meta: IntersectionMeta::default() };
                return Ok(Expr::new(kind, Type::INT));
            }
            L::IntersectNeighbor => {
                let kind = ExprKind::IntersectNeighbor { args: lowered, meta: IntersectionMeta::default() };
                return Ok(Expr::new(kind, Type::INT));
            }
        };
        self.built(simple, lowered, expr)
    }

    fn arity<T>(&self, at: &typed::Expr) -> Lower<T> {
        self.fail(at.span, LowerProblem::Builtin("wrong number of arguments".into()))
    }

    /// `writeMin(vec, i, x)` and its relatives: a reduction that the program itself asks to be atomic.
    fn atomic(&self, op: ReduceOp, mut args: Vec<Expr>, at: &typed::Expr) -> Lower<Expr> {
        let (Some(value), Some(index), Some(vector)) = (args.pop(), args.pop(), args.pop()) else {
            return self.arity(at);
        };
        let kind = ExprKind::Reduce {
            op,
            target: Box::new(Expr::element(vector, index)),
            value: Box::new(value),
            meta: UpdateMeta { atomic: true, ..UpdateMeta::default() },
        };
        Ok(Expr::new(kind, Type::BOOL))
    }

    fn priority(&self, op: PriorityOp, mut args: Vec<Expr>, at: &typed::Expr) -> Lower<Expr> {
        let (Some(last), Some(third), Some(vertex), Some(queue)) = (args.pop(), args.pop(), args.pop(), args.pop())
        else {
            return self.arity(at);
        };
        // Min and Max are (old, new), Sum is (difference, floor).
        let (bound, value) = if op == PriorityOp::Sum { (last, third) } else { (third, last) };
        let kind = ExprKind::PriorityUpdate {
            op,
            queue: Box::new(queue),
            vertex: Box::new(vertex),
            bound: Some(Box::new(bound)),
            value: Box::new(value),
            meta: UpdateMeta::default(),
        };
        Ok(Expr::new(kind, Type::BOOL))
    }
}

/// `-x`, with the sign inside a literal.
fn negate(inner: Expr) -> Expr {
    match inner.kind {
        ExprKind::Int(v) if inner.ty == Type::INT && i32::try_from(-v).is_ok() => Expr::int(-v),
        ExprKind::Float(v) => Expr::new(ExprKind::Float(-v), inner.ty),
        _ => {
            let ty = inner.ty.arithmetic();
            Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(inner)), ty)
        }
    }
}
