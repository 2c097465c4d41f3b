//! From GraphIR to code: expressions.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, UnaryOp};
use gw_ir::groups::NeighbourGroups;
use gw_ir::module::Module;
use gw_ir::types::{Domain, Scalar, Type};
use gw_ir::walk;

use super::compile::{Compiler, Resolved, is_num, malformed};
use super::{Arg, Call, ColumnOf, GroupChoice, Groups, LinkForm, Named, Num, Obj, PriorityUpdate, QueueAlloc};
use crate::env::Slot;
use crate::error::Result;
use crate::random;
use crate::remote::Reduction;
use crate::scalar::{self, Register};

impl<'m> Compiler<'m> {
    pub(super) fn num(&self, e: &'m Expr) -> Result<Num> {
        let boxed = |e| self.num(e).map(Box::new);
        Ok(match &e.kind {
            ExprKind::Int(v) => {
                let bits = scalar::whole(scalar_of(e)?, *v);
                Num::Const(bits.ok_or_else(|| misfit("an integer literal", e))?)
            }
            ExprKind::Float(v) => {
                let bits = scalar::real(scalar_of(e)?, *v);
                Num::Const(bits.ok_or_else(|| misfit("a real literal", e))?)
            }
            ExprKind::Bool(v) => Num::Const(v.bits()),
            ExprKind::Var(name) => match self.slot(name)? {
                Resolved::Local(Slot::Scalar(slot, _)) => Num::Local(slot),
                Resolved::Global(Slot::Scalar(slot, _)) => Num::Global(slot),
                _ => return Err(malformed(format!("`{name}` is no scalar"))),
            },
            ExprKind::Element { .. } => {
                let mut place = self.place(e)?;
                match place.indices.pop() {
                    Some(index) if place.indices.is_empty() => Num::Entry(place.vector, Box::new(index)),
                    index => {
                        place.indices.extend(index);
                        Num::Cell(place)
                    }
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => Num::Unary(|a| u64::from(a == 0), boxed(a)?),
            ExprKind::Unary(UnaryOp::Neg, a) => {
                Num::Unary(scalar::negate(scalar_of(a)?).ok_or_else(|| misfit("-", a))?, boxed(a)?)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b)?,
            // A sum is wanted in another type: it is converted as a whole, not after it was narrowed.
            ExprKind::Convert(a)
                if let ExprKind::Builtin(Builtin::VectorSum, args) = &a.kind
                    && let [v] = args.as_slice() =>
            {
                Num::VectorReduce(Reduction::Sum, self.boxed_obj(v)?, scalar_of(e)?)
            }
            ExprKind::Convert(a) => {
                let convert = scalar::conversion(scalar_of(a)?, scalar_of(e)?);
                Num::Unary(convert.ok_or_else(|| misfit("a conversion", a))?, boxed(a)?)
            }
            ExprKind::Call { function, args } => Num::Call(self.call(function, args)?),
            ExprKind::Builtin(builtin, args) => self.builtin_num(*builtin, args)?,
            ExprKind::Reduce { op, target, value, .. } => Num::Reduce {
                op: *op,
                scalar: scalar_of(target)?,
                target: Box::new(self.target(target)?),
                value: boxed(value)?,
            },
            ExprKind::CompareAndSwap { target, expect, value, .. } => Num::CompareAndSwap {
                scalar: scalar_of(target)?,
                target: Box::new(self.target(target)?),
                expect: boxed(expect)?,
                value: boxed(value)?,
            },
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta } => {
                Num::Priority(Box::new(PriorityUpdate {
                    op: *op,
                    queue: self.obj(queue)?,
                    vertex: self.num(vertex)?,
                    bound: bound.as_ref().map(|e| self.num(e)).transpose()?,
                    value: self.num(value)?,
                    value_scalar: scalar_of(value)?,
                    deferred: meta.deferred,
                }))
            }
            ExprKind::EnqueueVertex { set, vertex, .. } => {
                self.named_object(set)?;
                Num::Enqueue(boxed(vertex)?)
            }
            ExprKind::Intersection { args, .. } => match args.as_slice() {
                [a, b, na, nb, limit @ ..] if limit.len() <= 1 => Num::Intersection {
                    sets: [self.boxed_obj(a)?, self.boxed_obj(b)?],
                    sizes: [boxed(na)?, boxed(nb)?],
                    limit: limit.first().map(boxed).transpose()?,
                },
                _ => return Err(malformed("Intersection takes 4 or 5 arguments")),
            },
            ExprKind::IntersectNeighbor { args, .. } => match args.as_slice() {
                [graph, a, b] => Num::IntersectNeighbours { graph: self.boxed_obj(graph)?, a: boxed(a)?, b: boxed(b)? },
                _ => return Err(malformed("IntersectNeighbor takes 3 arguments")),
            },
            ExprKind::Groups(groups) => Num::Groups(Box::new(self.groups(groups)?)),
            _ => return Err(malformed(format!("an expression of type {} where a number is needed", e.ty))),
        })
    }

    fn binary(&self, op: BinaryOp, a: &'m Expr, b: &'m Expr) -> Result<Num> {
        if a.ty == Type::STRING && matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return Ok(Num::StringCompare(op, self.boxed_obj(a)?, self.boxed_obj(b)?));
        }
        let scalar = scalar_of(a)?;
        if scalar_of(b)? != scalar {
            return Err(malformed(format!("`{}` between {} and {}", op.symbol(), a.ty, b.ty)));
        }
        let (x, y) = (Box::new(self.num(a)?), Box::new(self.num(b)?));
        Ok(match op {
            BinaryOp::And => Num::And(x, y),
            BinaryOp::Or => Num::Or(x, y),
            BinaryOp::Div => Num::Div(scalar, x, y),
            op => Num::Binary(scalar::binary(op, scalar).ok_or_else(|| misfit(op.symbol(), a))?, x, y),
        })
    }

    pub(super) fn call(&self, function: &'m FunctionRef, args: &'m [Expr]) -> Result<Box<Call>> {
        let index = self.function(function)?;
        let target = &self.module.functions[index];
        if target.params.len() != args.len() {
            return Err(malformed(format!("`{}` is called with {} arguments", function.name, args.len())));
        }
        Ok(Box::new(Call { function: index, captures: self.args(&function.captures)?, args: self.args(args)? }))
    }

    fn named(&self, function: &'m FunctionRef) -> Result<Named> {
        Ok(Named { function: self.function(function)?, captures: self.args(&function.captures)? })
    }

    fn groups(&self, groups: &'m NeighbourGroups) -> Result<Groups> {
        let value = groups.value.as_ref();
        let gives = value.and_then(|value| self.module.function(&value.name)?.result_type().scalar());
        let choice = match &groups.choice {
            gw_ir::groups::GroupChoice::Best { score, own } => {
                GroupChoice::Best { score: self.named(score)?, own: own.as_ref().map(|own| self.num(own)).transpose()? }
            }
            gw_ir::groups::GroupChoice::Each(visit) => GroupChoice::Each(self.named(visit)?),
            gw_ir::groups::GroupChoice::Count => GroupChoice::Count,
            gw_ir::groups::GroupChoice::LeastAbsent => GroupChoice::LeastAbsent,
        };
        Ok(Groups {
            graph: self.obj(&groups.graph)?,
            vertex: self.num(&groups.vertex)?,
            key: self.named(&groups.key)?,
            value: value.map(|value| self.named(value)).transpose()?,
            scalar: gives.unwrap_or(Scalar::Int),
            combine: groups.combine,
            choice,
        })
    }

    pub(super) fn function(&self, function: &FunctionRef) -> Result<usize> {
        let index = self.functions.get(&function.name);
        let index = *index.ok_or_else(|| malformed(format!("there is no function `{}`", function.name)))?;
        match self.module.functions[index].captures.len() == function.captures.len() {
            true => Ok(index),
            false => Err(malformed(format!("the captures of `{}` do not fit", function.name))),
        }
    }

    pub(super) fn args(&self, args: &'m [Expr]) -> Result<Vec<Arg>> {
        args.iter().map(|e| self.arg(e)).collect()
    }

    fn arg(&self, e: &'m Expr) -> Result<Arg> {
        match e.ty.scalar() {
            Some(scalar) if scalar != Scalar::String => Ok(Arg::Num(scalar, self.num(e)?)),
            _ => Ok(Arg::Obj(self.obj(e)?)),
        }
    }

    fn boxed_obj(&self, e: &'m Expr) -> Result<Box<Obj>> {
        self.obj(e).map(Box::new)
    }

    fn builtin_num(&self, builtin: Builtin, args: &'m [Expr]) -> Result<Num> {
        use Builtin::*;
        let num = |e| self.num(e).map(Box::new);
        let obj = |e| self.boxed_obj(e);
        Ok(match (builtin, args) {
            (Atoi, [s]) => Num::Atoi(obj(s)?),
            (Atof, [s]) => Num::Atof(obj(s)?),
            (Date, [s]) => Num::Date(obj(s)?),
            (FindVertex, [graph, id]) => Num::FindVertex(Box::new([self.obj(graph)?, self.obj(id)?])),
            (EdgeCode | VertexCode, [graph, name, text]) => Num::Code {
                graph: obj(graph)?,
                texts: Box::new([self.obj(name)?, self.obj(text)?]),
                of_edges: builtin == EdgeCode,
            },
            (Abs | Floor | Log | Exp | Sqrt | BitNot | PopCount, [x]) => {
                let function = scalar::function(builtin, scalar_of(x)?);
                Num::Unary(function.ok_or_else(|| misfit(builtin.name(), x))?, num(x)?)
            }
            (Pow | Max | Min | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight, [x, y]) => {
                let function = scalar::function_of_two(builtin, scalar_of(x)?);
                Num::Binary(function.ok_or_else(|| misfit(builtin.name(), x))?, num(x)?, num(y)?)
            }
            (Mod, [x, y]) => Num::Mod(scalar_of(x)?, num(x)?, num(y)?),
            (RandomBits, [seed, a, b]) => {
                let first = Num::Binary(random::round, Box::new(Num::Const(0)), num(seed)?);
                let second = Num::Binary(random::round, Box::new(first), num(a)?);
                Num::Binary(random::round, Box::new(second), num(b)?)
            }
            (StartTimer, []) => Num::StartTimer,
            (StopTimer, []) => Num::StopTimer,
            (Threads, []) => Num::Threads,
            (VertexCount, [x]) => Num::VertexCount(obj(x)?),
            (OutDegree, [g, v]) => Num::OutDegree(obj(g)?, num(v)?),
            (EdgeCount, [g]) => Num::EdgeCount(obj(g)?),
            (EdgeIndex, [g, u, v]) => Num::EdgeIndex { graph: obj(g)?, ends: [num(u)?, num(v)?] },
            (RandomOutNeighbor | RandomInNeighbor, [g, v]) => {
                Num::RandomNeighbour { graph: obj(g)?, vertex: num(v)?, out: builtin == RandomOutNeighbor }
            }
            (OutWeight, [g, v, k]) => {
                let weight = g.ty.weight().ok_or_else(|| misfit("a weight", g))?;
                Num::OutWeight { graph: obj(g)?, vertex: num(v)?, position: num(k)?, weight }
            }
            (OutNeighbor, [g, v, k]) => Num::OutNeighbour { graph: obj(g)?, vertex: num(v)?, position: num(k)? },
            (VertexSetSize, [s]) => Num::SetSize(obj(s)?),
            (AddVertex, [s, v]) => match &s.ty {
                Type::VertexSet(element) => Num::AddVertex { element: element.clone(), set: obj(s)?, vertex: num(v)? },
                _ => return Err(misfit("AddVertex", s)),
            },
            (VectorSum, [v]) => Num::VectorReduce(Reduction::Sum, obj(v)?, sum_type(v)?),
            (VectorMax, [v]) => Num::VectorReduce(Reduction::Max, obj(v)?, cell_type(v)?),
            (VectorMin, [v]) => Num::VectorReduce(Reduction::Min, obj(v)?, cell_type(v)?),
            (VectorCount, [v]) => Num::VectorReduce(Reduction::Count, obj(v)?, Scalar::Int),
            (ListAppend | ListInsert, [list, value]) => {
                Num::ListPush { list: obj(list)?, value: Box::new(self.arg(value)?), copy: builtin == ListInsert }
            }
            (ListPop, [list]) => Num::ListPop(obj(list)?),
            (ListRetrieve, [list, variable]) => match is_num(&variable.ty) {
                true => Num::ListRetrieve(obj(list)?, Box::new(self.target(variable)?)),
                false => Num::ListRetrieveInto(obj(list)?, self.object_var(variable)?),
            },
            (ListSize, [list]) => Num::ListSize(obj(list)?),
            (ListGet, [list, at]) => Num::ListGet(obj(list)?, num(at)?),
            (VectorArgMax | VectorArgMin, [v]) => Num::VectorBest { vector: obj(v)?, largest: builtin == VectorArgMax },
            (QueueFinished, [q]) => Num::QueueFinished(obj(q)?),
            (QueueFinishedNode, [q, v]) => Num::QueueFinishedNode(obj(q)?, num(v)?),
            (CurrentPriority, [q]) => match &q.ty {
                Type::PriorityQueue { priority, .. } => Num::CurrentPriority(*priority, obj(q)?),
                _ => return Err(misfit("CurrentPriority", q)),
            },
            _ => return Err(malformed(format!("{} does not fit here", builtin.name()))),
        })
    }

    pub(super) fn obj(&self, e: &'m Expr) -> Result<Obj> {
        Ok(match &e.kind {
            ExprKind::Str(text) => Obj::Text(text.clone()),
            ExprKind::Var(_) => Obj::Var(self.object_var(e)?),
            ExprKind::Element { .. } => Obj::Row(self.place(e)?),
            ExprKind::Call { function, args } => Obj::Call(self.call(function, args)?),
            ExprKind::Builtin(builtin, args) => self.builtin_obj(*builtin, args)?,
            ExprKind::VertexSetAlloc(size) => Obj::SetAlloc(self.element(e)?, self.num(size)?),
            ExprKind::Universe(count) => {
                Obj::Universe(self.element(e)?, count.as_ref().map(|e| self.num(e)).transpose()?)
            }
            ExprKind::VectorAlloc => Obj::VectorAlloc(e.ty.clone()),
            ExprKind::VectorFill(value) => Obj::VectorFill(e.ty.clone(), self.num(value)?),
            ExprKind::VectorLiteral(entries) => {
                let entries = entries.iter().map(|e| self.num(e)).collect::<Result<_>>()?;
                Obj::VectorLiteral(e.ty.clone(), entries)
            }
            ExprKind::ListAlloc => Obj::ListAlloc,
            ExprKind::PriorityQueueAlloc(q) => Obj::QueueAlloc(Box::new(QueueAlloc {
                vector: self.named_object(&q.vector)?,
                increasing: q.increasing,
                all_vertices: q.all_vertices,
                start: self.num(&q.start)?,
                meta: q.meta.clone(),
            })),
            ExprKind::Convert(graph) if matches!(e.ty, Type::EdgeSet { .. }) => {
                Obj::Weighted(self.boxed_obj(graph)?, e.ty.weight())
            }
            ExprKind::EdgeSetLoad(name) => Obj::Load(self.boxed_obj(name)?, e.ty.weight()),
            ExprKind::VectorLoad(text) => Obj::LoadVector(self.boxed_obj(text)?, e.ty.clone()),
            ExprKind::Column(args) => {
                let [graph, name, missing @ ..] = args.as_slice() else {
                    return Err(malformed("a column of nothing".to_string()));
                };
                Obj::Column(Box::new(ColumnOf {
                    graph: self.obj(graph)?,
                    name: self.obj(name)?,
                    missing: missing.first().map(|value| self.num(value)).transpose()?,
                    of_edges: is_over_edges(&e.ty, &graph.ty),
                    searches: searches(self.module),
                    ty: e.ty.clone(),
                }))
            }
            ExprKind::Operator(operator) => Obj::Operator(self.operator(operator)?),
            _ => return Err(malformed(format!("an expression of type {} where an object is needed", e.ty))),
        })
    }

    fn builtin_obj(&self, builtin: Builtin, args: &'m [Expr]) -> Result<Obj> {
        use Builtin::*;
        let obj = |e| self.boxed_obj(e);
        Ok(match (builtin, args) {
            (Argv, [i]) => Obj::Argv(self.num(i)?),
            (OutDegrees, [g]) => Obj::OutDegrees(obj(g)?, Scalar::Int),
            (OutDegreesUint, [g]) => Obj::OutDegrees(obj(g)?, Scalar::Uint),
            (Neighbors, [g, v]) => Obj::Neighbours(obj(g)?, self.num(v)?),
            (Transpose, [g]) => Obj::Transpose(obj(g)?),
            (Both, [g]) => Obj::Both(obj(g)?),
            (ByNumber, [g]) => Obj::ByNumber(obj(g)?),
            (Links, [g]) => Obj::OfLinks(LinkForm::Links, obj(g)?),
            (Undirected, [g]) => Obj::OfLinks(LinkForm::Undirected, obj(g)?),
            (Upward, [g]) => Obj::OfLinks(LinkForm::Upward, obj(g)?),
            (Ranked, [g]) => Obj::OfLinks(LinkForm::Ranked, obj(g)?),
            (LinkLoops, [g]) => Obj::OfLinks(LinkForm::Loops, obj(g)?),
            (RankedNumbers, [g]) => Obj::OfLinks(LinkForm::RankedNumbers, obj(g)?),
            (EdgeSources, [g]) => Obj::OfLinks(LinkForm::Sources, obj(g)?),
            (EdgeTargets, [g]) => Obj::OfLinks(LinkForm::Targets, obj(g)?),
            (EdgeWeights, [g]) => Obj::EdgeWeights(obj(g)?, g.ty.weight().ok_or_else(|| misfit("weights", g))?),
            (FirstEdges, [g]) => Obj::OfLinks(LinkForm::FirstEdges, obj(g)?),
            (LinkNumbers, [links, g]) => Obj::LinkNumbers(Box::new([self.obj(links)?, self.obj(g)?])),
            (SetUnion, [a, b]) => Obj::SetUnion(Box::new([self.obj(a)?, self.obj(b)?])),
            (SetMinus, [a, b]) => Obj::SetMinus(Box::new([self.obj(a)?, self.obj(b)?])),
            (Relabel, [g]) => Obj::Relabel(obj(g)?),
            (SelectEdges, [g, marks]) => Obj::SelectEdges(Box::new([self.obj(g)?, self.obj(marks)?])),
            (MakeEdges, [all, from, to, weights @ ..]) => Obj::MakeEdges {
                all: obj(all)?,
                ends: Box::new([self.obj(from)?, self.obj(to)?]),
                weights: weights.first().map(obj).transpose()?,
                weight: weights.first().and_then(|weights| weights.ty.leaf().scalar()),
            },
            (Contract, [g, labels]) => {
                let weight = g.ty.weight();
                Obj::Contract(
                    Box::new([self.obj(g)?, self.obj(labels)?]),
                    weight.is_some(),
                    weight.or(Some(Scalar::Int)),
                )
            }
            (InsertEdges | DeleteEdges, [g, batch]) => Obj::ChangeEdges {
                graphs: Box::new([self.obj(g)?, self.obj(batch)?]),
                inserts: builtin == InsertEdges,
                weighed: g.ty.weight().is_some(),
            },
            (VectorRanks, [vector]) => Obj::Ranks(obj(vector)?),
            (Weigh, [g, weight]) => Obj::Weigh(obj(g)?, self.num(weight)?, scalar_of(weight)?),
            (SerialMinimumSpanningTree, [g, v]) => Obj::SpanningTree(obj(g)?, self.num(v)?),
            (SerialSweepCut, [g, s, v]) => Obj::SweepCut(Box::new([self.obj(g)?, self.obj(s)?, self.obj(v)?])),
            (ListPop, [list]) => Obj::ListPop(obj(list)?),
            (ListGet, [list, at]) => Obj::ListGet(obj(list)?, self.num(at)?),
            (SetMembers, [set]) => Obj::SetMembers(obj(set)?),
            (Text, [value]) => Obj::Printed(Box::new(self.arg(value)?)),
            (Join, [a, b]) => Obj::Join(Box::new([self.obj(a)?, self.obj(b)?])),
            (DequeueReadySet, [q]) => Obj::Dequeue(obj(q)?),
            _ => return Err(malformed(format!("{} does not fit here", builtin.name()))),
        })
    }

    fn element(&self, e: &Expr) -> Result<gw_ir::source::Name> {
        match &e.ty {
            Type::VertexSet(element) => Ok(element.clone()),
            other => Err(malformed(format!("{other} where a vertexset is needed"))),
        }
    }
}

fn scalar_of(e: &Expr) -> Result<Scalar> {
    e.ty.scalar().ok_or_else(|| malformed(format!("{} where a scalar is needed", e.ty)))
}

/// The type of the cells of a vector.
fn cell_type(vector: &Expr) -> Result<Scalar> {
    let mut ty = &vector.ty;
    while let Type::Vector { item, .. } = ty {
        ty = item;
    }
    ty.scalar().ok_or_else(|| malformed(format!("{} where a vector of numbers is needed", vector.ty)))
}

/// The type of the sum of a vector: bools are counted.
fn sum_type(vector: &Expr) -> Result<Scalar> {
    Ok(match cell_type(vector)? {
        Scalar::Bool => Scalar::Int,
        scalar => scalar,
    })
}

fn misfit(what: &str, operand: &Expr) -> crate::error::ExecError {
    malformed(format!("{what} on {}", operand.ty))
}

/// Whether a vector is over the edges of a graph, not over its vertices.
fn is_over_edges(vector: &Type, graph: &Type) -> bool {
    match (vector, graph) {
        (Type::Vector { domain: Domain::Element(of), .. }, Type::EdgeSet { edge, .. }) => of == edge,
        _ => false,
    }
}

/// Whether a program searches for the number of an edge by its ends.
fn searches(module: &Module) -> bool {
    let mut found = false;
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut |e| {
            found |= matches!(e.kind, ExprKind::Builtin(Builtin::EdgeIndex, _));
        });
    }
    found
}
