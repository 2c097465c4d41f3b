//! Rules of operators: signatures of their functions, and metadata that must agree with the arguments.

use super::{Checker, Problem};
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::meta::{Dedup, Direction};
use crate::module::{Function, FunctionKind};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::types::{Scalar, Type};

impl<'m> Checker<'m> {
    pub(super) fn operator(&mut self, op: &'m Operator) {
        match op {
            Operator::EdgeSetIterator(e) => self.edges(e),
            Operator::UpdatePriorityEdgeSetIterator(u) => {
                self.extra(&u.queue_meta.extra);
                self.queue(&u.queue);
                self.edges(&u.edges);
                if u.edges.output != EdgeOutput::None {
                    self.report(Problem::Placement("UpdatePriorityEdgeSetIterator has no output".into()));
                }
            }
            Operator::OrderedProcessing(o) => {
                self.extra(&o.meta.extra);
                self.queue(&o.queue);
                self.expr(&o.condition);
                if !o.condition.ty.is_bool() {
                    self.type_error("the condition of OrderedProcessing", "bool", &o.condition.ty);
                }
                self.edges(&o.edges);
                if o.edges.output != EdgeOutput::None || o.edges.from != VertexFilter::All {
                    let message = "the edges of OrderedProcessing have neither `from` nor output";
                    self.report(Problem::Placement(message.into()));
                }
            }
            Operator::VertexSetIterator(v) => {
                self.extra(&v.meta.extra);
                self.set(&v.set);
                self.vertex_function(&v.apply, false);
                self.all_vertices(v.meta.is_all_vertices, &v.set);
            }
            Operator::VertexSetFilter(v) => {
                self.extra(&v.meta.extra);
                self.set(&v.set);
                self.vertex_function(&v.filter, true);
                self.all_vertices(v.meta.is_all_vertices, &v.set);
            }
            Operator::VertexSetDedup(d) => {
                self.extra(&d.extra);
                self.set_variable(&d.set);
            }
            Operator::UpdatePriorityExtern(u) => {
                self.extra(&u.meta.extra);
                self.set_variable(&u.set);
                self.queue(&u.queue);
                if let Some(f) = self.function_ref(&u.function) {
                    let fits = f.kind == FunctionKind::Extern
                        && matches!(f.params.as_slice(), [p] if matches!(p.ty, Type::VertexSet(_)))
                        && matches!(f.result_type(), Type::VertexSet(_));
                    if !fits {
                        let message = format!("`{}` must be an extern function from vertexset to vertexset", f.name);
                        self.report(Problem::Signature(message));
                    }
                }
            }
            Operator::UpdateBuckets(u) => {
                self.extra(&u.meta.extra);
                self.queue(&u.queue);
                self.set_variable(&u.modified);
            }
        }
    }

    fn queue(&mut self, queue: &'m Expr) {
        self.expr(queue);
        if !matches!(queue.ty, Type::PriorityQueue { .. }) || queue.as_var().is_none() {
            self.type_error("the queue of an operator", "a priority_queue variable", &queue.ty);
        }
    }

    fn set_variable(&mut self, set: &'m Expr) {
        self.expr(set);
        if !matches!(set.ty, Type::VertexSet(_)) || set.as_var().is_none() {
            self.type_error("the set of an operator", "a vertexset variable", &set.ty);
        }
    }

    fn set(&mut self, set: &'m Expr) {
        self.expr(set);
        let fits = matches!(set.kind, ExprKind::Var(_) | ExprKind::Universe(_));
        if !matches!(set.ty, Type::VertexSet(_)) || !fits {
            self.type_error("the set of an operator", "a vertexset variable or a Universe", &set.ty);
        }
    }

    fn is_universe(&self, set: &Expr) -> bool {
        match &set.kind {
            ExprKind::Universe(_) => true,
            ExprKind::Var(name) => self.universes.contains(&**name),
            _ => false,
        }
    }

    fn all_vertices(&mut self, claimed: bool, set: &Expr) {
        if claimed && !self.is_universe(set) {
            self.report(Problem::Metadata("is_all_vertices: the set is not a universe".into()));
        }
    }

    fn vertex_function(&mut self, reference: &'m FunctionRef, predicate: bool) {
        let Some(f) = self.function_ref(reference) else { return };
        let fits = matches!(f.params.as_slice(), [p] if p.ty.scalar() == Some(Scalar::Int));
        if !fits || (predicate && f.result_type() != Type::BOOL) {
            let wanted = if predicate { "(vertex) -> bool" } else { "(vertex)" };
            self.report(Problem::Signature(format!("`{}` must be a function {wanted}", f.name)));
        }
    }

    fn edges(&mut self, e: &'m EdgeSetIterator) {
        self.extra(&e.meta.extra);
        self.expr(&e.graph);
        if !matches!(e.graph.ty, Type::EdgeSet { .. }) || e.graph.as_var().is_none() {
            self.type_error("the graph of an edge operator", "an edgeset variable", &e.graph.ty);
        }
        for filter in [&e.from, &e.to] {
            match filter {
                VertexFilter::All => {}
                VertexFilter::Set(set) => self.set_variable(set),
                VertexFilter::Function(f) => self.vertex_function(f, true),
            }
        }
        let Some(f) = self.function_ref(&e.apply) else { return };
        self.edge_signature(e, f);
        if let EdgeOutput::Modified { vector, .. } = &e.output {
            let ty = f
                .captures
                .iter()
                .find(|c| c.name == *vector)
                .map(|c| &c.ty)
                .or_else(|| self.globals.get(&**vector).copied());
            match ty.cloned() {
                None => self.unknown("tracked vector", vector),
                Some(Type::Vector { .. }) => {}
                Some(other) => self.type_error("what is tracked", "a vector", &other),
            }
        }
        self.edge_meta(e);
    }

    fn edge_signature(&mut self, e: &EdgeSetIterator, f: &Function) {
        let mut params = f.params.as_slice();
        if e.meta.udf_enqueues {
            match params.split_last() {
                Some((last, rest)) if matches!(last.ty, Type::VertexSet(_)) => params = rest,
                _ => {
                    let message = format!("`{}` must take the output set as its last parameter", f.name);
                    self.report(Problem::Signature(message));
                }
            }
        }
        let vertex = |i: usize| params.get(i).is_some_and(|p| p.ty.scalar() == Some(Scalar::Int));
        let weight = e.graph.ty.weight();
        let fits = match params.len() {
            2 => vertex(0) && vertex(1),
            3 => vertex(0) && vertex(1) && weight.is_some_and(|w| params[2].ty == Type::Scalar(w)),
            _ => false,
        };
        if !fits {
            let wanted = match weight {
                Some(w) => format!("(source, destination[, {}])", w.keyword()),
                None => "(source, destination)".to_string(),
            };
            self.report(Problem::Signature(format!("`{}` must be an edge function {wanted}", f.name)));
        }
        if e.meta.is_weighted != (params.len() == 3) {
            let message = format!("is_weighted={}: `{}` says otherwise", e.meta.is_weighted, f.name);
            self.report(Problem::Metadata(message));
        }
        if matches!(e.output, EdgeOutput::Accepted { .. }) && f.result_type() != Type::BOOL && !e.meta.udf_enqueues {
            self.report(Problem::Signature(format!("`{}` must return a bool", f.name)));
        }
    }

    fn edge_meta(&mut self, e: &EdgeSetIterator) {
        let meta = &e.meta;
        let output = e.output != EdgeOutput::None;
        let pull = meta.direction == Some(Direction::Pull);
        let rules = [
            (meta.requires_output && !output, "requires_output: the operator has no output"),
            (meta.udf_enqueues && !output, "udf_enqueues: the operator has no output"),
            (
                meta.is_all_edges && (e.from != VertexFilter::All || e.to != VertexFilter::All),
                "is_all_edges: the operator has a filter",
            ),
            (
                meta.can_reuse_frontier && !(output && matches!(e.from, VertexFilter::Set(_))),
                "can_reuse_frontier: there is no input set, or no output",
            ),
            (
                meta.to_folded && (pull || !matches!(e.to, VertexFilter::Function(_))),
                "to_folded: only for a push with a `to` function",
            ),
            (meta.dedup_inline && meta.dedup == Dedup::None, "dedup_inline: nothing is deduplicated"),
            (meta.dedup != Dedup::None && !output, "dedup: the operator has no output"),
            (meta.output_representation.is_some() && !output, "output_representation: the operator has no output"),
            (meta.merge_reduce.is_some() && !pull, "merge_reduce: only a pull is segmented"),
            (
                meta.pull_input_frontier.is_some() && e.meta.direction == Some(Direction::Push),
                "pull_input_frontier: a push has none",
            ),
        ];
        for (broken, message) in rules {
            if broken {
                self.report(Problem::Metadata(message.into()));
            }
        }
    }
}
