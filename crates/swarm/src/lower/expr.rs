//! Expressions of the program as task code.

use gw_exec::scalar;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};

use super::body::Body;
use super::build::{Build, Built, GraphRef, ObjectRef, Ops, ParamRef, Unsupported, scalar_of};
use super::priority::bucket_of;
use crate::sim::code::{Op, Reg};

impl Body<'_, '_, '_> {
    /// The value of an expression that has one.
    pub fn expr(&mut self, e: &Expr) -> Built<Reg> {
        self.expr_or_nothing(e)?.ok_or_else(|| Unsupported("a value is missing".into()))
    }

    pub(super) fn expr_or_nothing(&mut self, e: &Expr) -> Built<Option<Reg>> {
        Ok(Some(match &e.kind {
            ExprKind::Int(value) => match scalar::whole(scalar_of(&e.ty)?, *value) {
                Some(bits) => self.ops.constant(bits),
                None => return Err(Unsupported("a whole number of this type".into())),
            },
            ExprKind::Float(value) => match scalar::real(scalar_of(&e.ty)?, *value) {
                Some(bits) => self.ops.constant(bits),
                None => return Err(Unsupported("a real number of this type".into())),
            },
            ExprKind::Bool(value) => self.ops.constant(u64::from(*value)),
            ExprKind::Var(_) | ExprKind::Element { .. } => match self.handed_over(e) {
                Some(reg) => reg,
                None => {
                    let place = self.place(e)?;
                    self.read(&place)
                }
            },
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.expr(a)?;
                self.ops.unary(|a| u64::from(a == 0), "not", a)
            }
            ExprKind::Unary(UnaryOp::Neg, a) => self.unary(scalar::negate(scalar_of(&a.ty)?), "-", a)?,
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let result = self.expr(a)?;
                let result = self.ops.copy(result);
                let over = self.ops.jump(Some((result, *op == BinaryOp::Or)));
                let b = self.expr(b)?;
                self.ops.push(Op::Copy { to: result, from: b });
                self.ops.land(over);
                result
            }
            ExprKind::Binary(op, a, b) => {
                let scalar = scalar_of(&a.ty)?;
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.ops.binary(*op, scalar, a, b)?
            }
            ExprKind::Convert(a) => {
                let (from, to) = (scalar_of(&a.ty)?, scalar_of(&e.ty)?);
                self.unary(scalar::conversion(from, to), to.keyword(), a)?
            }
            ExprKind::Call { function, args } => {
                let captures = self.slots(&function.captures)?;
                let args = self.slots(args)?;
                return self.inline(&function.name, captures, args);
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, &e.ty)?,
            ExprKind::Reduce { op, target, value, .. } => self.reduce(*op, target, value)?,
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                let scalar = scalar_of(&target.ty)?;
                let expect = self.expr(expect)?;
                let value = self.expr(value)?;
                let place = self.place(target)?;
                let old = self.read(&place);
                let same = self.ops.binary(BinaryOp::Eq, scalar, old, expect)?;
                let over = self.ops.jump(Some((same, false)));
                self.store(&place, value);
                self.ops.land(over);
                same
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, .. } => {
                let queue = named(Some(&**queue))?;
                let vertex = self.expr(vertex)?;
                let bound = bound.as_deref().map(|e| self.expr(e)).transpose()?;
                let scalar = value.ty.scalar();
                let value = self.expr(value)?;
                self.update_priority(*op, &queue, vertex, bound, (value, scalar))?
            }
            ExprKind::EnqueueVertex { vertex, .. } => {
                let vertex = self.expr(vertex)?;
                match &mut self.enqueue {
                    Some(enqueue) => enqueue(self.build, self.ops, vertex)?,
                    None => return Err(Unsupported("a filter that enqueues".into())),
                }
                return Ok(None);
            }
            ExprKind::IntersectNeighbor { args, .. } => self.common_neighbours(args)?,
            other => return Err(Unsupported(format!("`{}` in a task", word(other)))),
        }))
    }

    /// An operation on a value.
    fn unary(&mut self, f: Option<scalar::Unary>, word: &str, a: &Expr) -> Built<Reg> {
        let f = f.ok_or_else(|| Unsupported(format!("`{word}` on this type")))?;
        let a = self.expr(a)?;
        Ok(self.ops.unary(f, word, a))
    }

    /// The register of an entry of the source that the task was handed.
    fn handed_over(&self, e: &Expr) -> Option<Reg> {
        let ExprKind::Element { vector, index, .. } = &e.kind else { return None };
        let vector = vector.as_var().filter(|name| self.depth == 1 && !self.names.contains_key(*name))?;
        let at_source = index.as_var().is_some() && index.as_var() == self.source.as_ref();
        self.handed.iter().find(|(name, _)| at_source && name == vector).map(|&(_, reg)| reg)
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], ty: &Type) -> Built<Reg> {
        let name = builtin.name();
        match builtin {
            Builtin::VertexCount => {
                let element = match args.first().map(|e| &e.ty) {
                    Some(Type::EdgeSet { source, .. }) => source.clone(),
                    Some(Type::VertexSet(element)) => element.clone(),
                    _ => return Err(Unsupported("the size of something".into())),
                };
                Ok(self.ops.param(self.build, ParamRef::Vertices(element)))
            }
            Builtin::OutDegree | Builtin::OutNeighbor | Builtin::OutWeight => {
                let graph = self.graph(args.first())?;
                let vertex = self.expr(&args[1])?;
                if builtin != Builtin::OutDegree {
                    let offsets = self.build.object(ObjectRef::Offsets(graph.clone()));
                    let low = self.ops.load(offsets, vertex);
                    let entries = match builtin {
                        Builtin::OutWeight => ObjectRef::Weights(graph, scalar_of(ty)?),
                        _ => ObjectRef::Targets(graph),
                    };
                    let entries = self.build.object(entries);
                    let position = self.expr(&args[2])?;
                    let at = self.ops.count(BinaryOp::Add, low, position);
                    return Ok(self.ops.load(entries, at));
                }
                let (low, high) = list(self.build, self.ops, &graph, vertex);
                Ok(self.ops.count(BinaryOp::Sub, high, low))
            }
            Builtin::CurrentPriority => {
                let scalar = scalar_of(ty)?;
                let bucket = match self.bucket {
                    Some(bucket) => bucket,
                    None => self.ops.param(self.build, ParamRef::CurrentBucket(named(args.first())?)),
                };
                let f = scalar::conversion(Scalar::Uint64, scalar);
                let f = f.ok_or_else(|| Unsupported("a priority of this type".into()))?;
                Ok(self.ops.unary(f, scalar.keyword(), bucket))
            }
            Builtin::QueueFinishedNode if self.bucket.is_some() => {
                let queue = named(args.first())?;
                let vertex = self.expr(&args[1])?;
                let own = bucket_of(self.build, self.ops, &queue, vertex)?;
                let best = self.bucket.unwrap_or(own.bucket);
                let before = self.ops.count(BinaryOp::Lt, own.bucket, best);
                Ok(self.ops.apply(|a, b| u64::from(a != 0 && b == 0), "and not", before, own.unset))
            }
            Builtin::RandomBits => args.iter().try_fold(self.ops.constant(0), |state, argument| {
                let b = self.expr(argument)?;
                Ok(self.ops.apply(gw_exec::random::round, name, state, b))
            }),
            Builtin::Mod => {
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                Ok(self.ops.divide(scalar_of(ty)?, true, a, b))
            }
            _ => {
                let scalar = scalar_of(args.first().map_or(ty, |e| &e.ty))?;
                match (args, scalar::function(builtin, scalar), scalar::function_of_two(builtin, scalar)) {
                    ([a], Some(f), _) => self.unary(Some(f), name, a),
                    ([_, _], _, Some(f)) => {
                        let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                        Ok(self.ops.apply(f, name, a, b))
                    }
                    _ => Err(Unsupported(format!("`{name}` in a task"))),
                }
            }
        }
    }

    /// The number of common out-neighbours of two vertices, none above the second: two sorted lists are merged.
    fn common_neighbours(&mut self, args: &[Expr]) -> Built<Reg> {
        let graph = self.graph(args.first())?;
        let targets = self.build.object(ObjectRef::Targets(graph.clone()));
        let (a, b) = (self.expr(&args[1])?, self.expr(&args[2])?);
        let (low, i_end) = list(self.build, self.ops, &graph, a);
        let i = self.ops.copy(low);
        let (low, j_end) = list(self.build, self.ops, &graph, b);
        let j = self.ops.copy(low);
        let found = self.ops.constant(0);
        self.repeat(|this| {
            for (at, end) in [(i, i_end), (j, j_end)] {
                let inside = this.ops.count(BinaryOp::Lt, at, end);
                this.leave_unless(inside);
            }
            let (x, y) = (this.ops.load(targets, i), this.ops.load(targets, j));
            let below = this.ops.count(BinaryOp::Le, y, b);
            this.leave_unless(below);
            // Each list moves on where its head is not the greater one.
            let (i_moves, j_moves) = (this.ops.count(BinaryOp::Le, x, y), this.ops.count(BinaryOp::Le, y, x));
            let both = this.ops.count(BinaryOp::Mul, i_moves, j_moves);
            for (to, by) in [(i, i_moves), (j, j_moves), (found, both)] {
                this.ops.apply_to(to, u64::wrapping_add, "+", to, by);
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn graph(&self, e: Option<&Expr>) -> Built<GraphRef> {
        named(e).map(GraphRef::Named)
    }
}

/// The name of a graph or queue.
fn named(e: Option<&Expr>) -> Built<Name> {
    e.and_then(Expr::as_var).cloned().ok_or_else(|| Unsupported("a graph or queue without a name".into()))
}

/// Where the list of a vertex begins and ends.
pub fn list(build: &mut Build<'_>, ops: &mut Ops, graph: &GraphRef, vertex: Reg) -> (Reg, Reg) {
    let offsets = build.object(ObjectRef::Offsets(graph.clone()));
    let low = ops.load(offsets, vertex);
    let next = ops.count_by(BinaryOp::Add, vertex, 1);
    (low, ops.load(offsets, next))
}

/// The kind of an expression in words.
fn word(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Str(_) => "a text",
        ExprKind::Intersection { .. } => "Intersection",
        ExprKind::Operator(_) => "an operator",
        ExprKind::Groups(_) => "groupBy",
        ExprKind::PriorityQueueAlloc(_) => "a new queue",
        ExprKind::EdgeSetLoad(_) | ExprKind::VectorLoad(_) => "load",
        ExprKind::Column(_) => "a column",
        _ => "a new object",
    }
}
