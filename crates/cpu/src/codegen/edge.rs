//! Kernels of edge operators: a range of vertices, the edges of each, the user's function inlined.

use std::mem::offset_of;

use cranelift::prelude::*;
use gw_ir::analysis::operator::{EdgeFacts, EdgeOrder, End, OwnedEntry};
use gw_ir::expr::FunctionRef;
use gw_ir::meta::Direction;
use gw_ir::operator::VertexFilter;
use gw_ir::types::Scalar;

use super::inputs::Role;
use super::memory::Reason;
use super::translate::{AtEdge, Translator, clif_type};
use super::{EdgeOperator, Refusal};
use crate::abi::{Worker, slot};

/// How the range of a kernel names the vertices it visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Range {
    /// The range holds vertex ids.
    Ids,
    /// The range indexes a queue of ids.
    Queue,
    /// The range holds ids; only those in the input map count.
    Map,
    /// The range indexes lists; the queue holds the vertex that each belongs to.
    Listed,
    /// The range indexes entries of a bucket: a vertex and the low half of the priority it was filed with.
    Tagged,
}

/// What an edge kernel is compiled for, beside the [`Target`](super::translate::Target).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EdgeShape {
    pub(crate) direction: Direction,
    pub(crate) range: Range,
    /// The type of the weights in memory, when the function takes one.
    pub(crate) weights: Option<Scalar>,
    /// The operator is a round of an ordered loop.
    pub(crate) ordered: bool,
    /// The `from` set holds all vertices, so that nothing is tested.
    pub(crate) from_all: bool,
    /// A worker visits only the edge positions of its clip: how a long list is shared by several workers.
    pub(crate) clipped: bool,
    /// A pull gathers the edges from its set before it visits them.
    pub(crate) batched: bool,
    /// Vertices are tested and their lists fetched ahead of their use.
    pub(crate) fetch_ahead: bool,
    /// Neighbours carry the classes of their edges.
    pub(crate) marked: bool,
    /// Self-loops are passed over where they change nothing.
    pub(crate) skips_loops: bool,
    /// Vertices without out-edges stay out of the output.
    pub(crate) drops_leaves: bool,
}

/// The part of every list that an edge function cares for. Lists are ascending, so the part is the beginning or the
/// end of the list, and the rest of the list need not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guard {
    /// How the other end of an edge compares with the owner of the list.
    other_to_owner: IntCC,
    /// The part is the end of the list.
    at_end: bool,
}

impl Guard {
    /// The part in lists that `owner` owns; `None` when it is all of them.
    fn of(order: EdgeOrder, owner: End) -> Option<Guard> {
        let other_greater = match order {
            EdgeOrder::Any => return None,
            EdgeOrder::SourceGreater => owner == End::Destination,
            EdgeOrder::SourceLess => owner == End::Source,
        };
        let other_to_owner = if other_greater { IntCC::UnsignedGreaterThan } else { IntCC::UnsignedLessThan };
        Some(Guard { other_to_owner, at_end: other_greater })
    }
}

impl Translator<'_, '_> {
    /// The body of an edge kernel over `begin..end`.
    pub(crate) fn edge_kernel(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        begin: Value,
        end: Value,
    ) -> Result<(), Refusal> {
        self.begin_classes(op, shape)?;
        self.claims_by_store = op.claims_by_store();
        let zero = self.b.ins().iconst(types::I64, 0);
        let visited = self.variable(types::I64, zero);
        let counted = Some(visited);
        let visit = |t: &mut Self, index: Value, next: Block| {
            let vertex = t.range_vertex(shape.range, index, next);
            let list = match shape.range {
                Range::Listed => (index, Reason::InRange),
                _ => (t.b.ins().uextend(types::I64, vertex), Reason::PerVertex(vertex)),
            };
            t.with_vertex(vertex, |t| match shape.direction {
                Direction::Push | Direction::DensePush => t.push_vertex(op, shape, vertex, list, counted, next),
                Direction::Pull => t.pull_vertex(op, shape, vertex, list, counted, next),
            })
        };
        match shape.range {
            Range::Ids | Range::Map if shape.fetch_ahead => self.for_wanted(op, shape, begin, end, visit)?,
            Range::Queue if shape.fetch_ahead => self.for_queued(begin, end, visit)?,
            _ => self.for_range(begin, end, visit)?,
        }
        self.count_edges(visited);
        Ok(())
    }

    /// Adds the edges that the kernel visited to those of the worker.
    fn count_edges(&mut self, visited: Variable) {
        let (worker, at) = (self.worker_fields(), offset_of!(Worker, edges) as i32);
        let before = self.load_at(types::I64, &worker, at);
        let visited = self.b.use_var(visited);
        let edges = self.b.ins().iadd(before, visited);
        self.store_at(edges, &worker, at);
    }

    /// A loop over `begin..end`; the body gets the index and the block that goes on with the next one.
    pub(crate) fn for_range(
        &mut self,
        begin: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (head, next, out) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(head, types::I64);
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
        self.b.ins().brif(some, head, &[begin.into()], out, &[]);
        self.b.switch_to_block(head);
        let index = self.b.block_params(head)[0];
        body(self, index, next)?;
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let following = self.b.ins().iadd_imm_s(index, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, following, end);
        self.b.ins().brif(more, head, &[following.into()], out, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }

    /// The vertex that an index of the range stands for; goes on with `next` when it does not count.
    pub(crate) fn range_vertex(&mut self, range: Range, index: Value, next: Block) -> Value {
        match range {
            Range::Ids => self.b.ins().ireduce(types::I32, index),
            Range::Queue | Range::Listed => {
                let queue = self.slot(slot::QUEUE, types::I64);
                let at = self.place_at(queue, index, 4, Reason::InRange);
                self.load_constant(types::I32, &at, 0)
            }
            Range::Map => {
                let vertex = self.b.ins().ireduce(types::I32, index);
                let map = self.slot(slot::FROM_MAP, types::I64);
                let inside = self.in_map(map, vertex, self.target.from_bitmap);
                self.only_if(inside, next);
                vertex
            }
            Range::Tagged => self.tagged_vertex(index, next),
        }
    }

    /// Goes on with `next` unless the condition holds.
    pub(crate) fn only_if(&mut self, condition: Value, next: Block) {
        let here = self.b.create_block();
        self.b.ins().brif(condition, here, &[], next, &[]);
        self.b.switch_to_block(here);
        self.b.seal_block(here);
    }

    fn push_vertex(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        src: Value,
        list: (Value, Reason),
        visited: Option<Variable>,
        next: Block,
    ) -> Result<(), Refusal> {
        let in_order = op.facts.filters_may_fault.in_code(self.target.careful);
        let from = match &op.from {
            VertexFilter::Function(filter) => Some(filter),
            _ => None,
        };
        if let Some(filter) = from.filter(|_| !in_order) {
            let keep = self.filter(filter, Role::From, src)?;
            self.only_if(keep, next);
        }
        let (begin, end) = self.list(list, shape.clipped);
        if let Some(filter) = from.filter(|_| in_order && !matches!(op.to, VertexFilter::Set(_))) {
            // A vertex without edges is not asked.
            let some = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
            self.only_if(some, next);
            let keep = self.filter(filter, Role::From, src)?;
            self.only_if(keep, next);
        }
        let promoted = self.promoted(op.facts, End::Source);
        let test = |t: &mut Self, dst: Value, failed: Block| {
            if t.classes.skips_loops {
                let differs = t.b.ins().icmp(IntCC::NotEqual, src, dst);
                t.only_if(differs, failed);
            }
            match &op.to {
                // The function looks itself. Where the test can fault, the fault must be the function's.
                VertexFilter::Function(_) if op.meta.to_folded && t.target.careful => Ok(None),
                // Also where the function itself looks again (`to_folded`): most edges fail, and those go round in a
                // loop of their own.
                VertexFilter::Function(filter) => t.filter(filter, Role::To, dst).map(Some),
                VertexFilter::Set(_) => {
                    let map = t.slot(slot::TO_MAP, types::I64);
                    let wanted = t.in_map(map, dst, false);
                    let Some(filter) = from.filter(|_| in_order) else { return Ok(Some(wanted)) };
                    t.only_if(wanted, failed);
                    t.filter(filter, Role::From, src).map(Some)
                }
                _ => Ok(None),
            }
        };
        let guard = Guard::of(op.facts.order, End::Source);
        self.each_neighbour((begin, end), shape.marked, guard, promoted, src, visited, test, |t, edge, dst| {
            let args = t.edge_args(op, shape, edge, src, dst)?;
            t.at_edge = Some(AtEdge { source: src, target: dst, place: edge });
            let applied = t.apply_edge(op, &args, dst);
            t.at_edge = None;
            applied.map(|()| None)
        })
    }

    pub(super) fn pull_vertex(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        dst: Value,
        list: (Value, Reason),
        visited: Option<Variable>,
        next: Block,
    ) -> Result<(), Refusal> {
        // A `to` filter that can fault is asked edge by edge; a set says at once what is wanted.
        let in_order = op.facts.filters_may_fault.in_code(self.target.careful);
        let late = in_order && matches!(op.to, VertexFilter::Function(_));
        if !late && let Some(wanted) = self.is_destination(op, dst)? {
            self.only_if(wanted, next);
        }
        let (begin, end) = self.list(list, shape.clipped);
        let promoted = self.promoted(op.facts, End::Destination);
        let ends_early = !late && op.facts.early_exit;
        if matches!(op.from, VertexFilter::Set(_)) && shape.batched && !shape.from_all && !ends_early {
            return self.each_neighbour_in_map(begin, end, promoted, dst, visited, |t, edge, next| {
                if late && let Some(wanted) = t.is_destination(op, dst)? {
                    t.only_if(wanted, next);
                }
                let src = t.neighbour(edge);
                t.with_vertex(src, |t| {
                    let args = t.edge_args(op, shape, edge, src, dst)?;
                    t.apply_edge(op, &args, dst)
                })
            });
        }
        let test = |t: &mut Self, src: Value, failed: Block| {
            let selected = match &op.from {
                VertexFilter::Function(filter) => Some(t.filter(filter, Role::From, src)?),
                VertexFilter::Set(_) if !shape.from_all => {
                    let map = t.slot(slot::FROM_MAP, types::I64);
                    Some(t.in_map(map, src, t.target.from_bitmap))
                }
                _ => None,
            };
            if !late {
                return Ok(selected);
            }
            if let Some(selected) = selected {
                t.only_if(selected, failed);
            }
            t.is_destination(op, dst)
        };
        let guard = Guard::of(op.facts.order, End::Destination);
        self.each_neighbour((begin, end), false, guard, promoted, dst, visited, test, |t, edge, src| {
            let args = t.edge_args(op, shape, edge, src, dst)?;
            t.apply_edge(op, &args, dst)?;
            // Once the destination is no longer wanted, its other edges are not looked at.
            match &op.to {
                VertexFilter::Function(filter) if ends_early => t.apply(filter, Role::To, &[dst]),
                _ => Ok(None),
            }
        })
    }

    /// The answer of a filter.
    pub(super) fn filter(&mut self, filter: &FunctionRef, role: Role, vertex: Value) -> Result<Value, Refusal> {
        let keep = self.apply(filter, role, &[vertex])?;
        keep.ok_or_else(|| self.refuse("a filter without result"))
    }

    /// Whether a vertex is wanted as a destination; `None` when all are.
    fn is_destination(&mut self, op: EdgeOperator<'_>, dst: Value) -> Result<Option<Value>, Refusal> {
        match &op.to {
            VertexFilter::Function(filter) => self.filter(filter, Role::To, dst).map(Some),
            VertexFilter::Set(_) => {
                let map = self.slot(slot::TO_MAP, types::I64);
                Ok(Some(self.in_map(map, dst, false)))
            }
            VertexFilter::All => Ok(None),
        }
    }

    /// The entries that are kept in registers. A careful kernel keeps none: it must touch an entry only where the
    /// program does.
    fn promoted<'f>(&self, facts: &'f EdgeFacts, owner: End) -> &'f [OwnedEntry] {
        if self.target.careful { &[] } else { facts.owned_entries.at(owner) }
    }

    /// The edge positions of a list, clipped to the share of this worker.
    fn list(&mut self, (list, reason): (Value, Reason), clipped: bool) -> (Value, Value) {
        let offsets = self.slot(slot::OFFSETS, types::I64);
        let (begin, end) = self.list_range(offsets, list, reason);
        if !clipped {
            return (begin, end);
        }
        let worker = self.worker_fields();
        let clip = |offset: usize, t: &mut Self| t.load_at(types::I64, &worker, offset as i32);
        let low = clip(offset_of!(Worker, clip_begin), self);
        let high = clip(offset_of!(Worker, clip_end), self);
        let begin = self.b.ins().umax(begin, low);
        let end = self.b.ins().umin(end, high);
        (begin, end)
    }

    /// A loop over the edge positions `begin..end` of `owner` whose other end passes the test, which gets the other
    /// end and the block where an edge that fails goes on. The body gets the position and the other end; it may
    /// return a condition for going on at all.
    ///
    /// Edges that fail go round in a loop of their own inside: what only the body needs stays out of its registers.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn each_neighbour(
        &mut self,
        (begin, end): (Value, Value),
        marked: bool,
        guard: Option<Guard>,
        promoted: &[OwnedEntry],
        owner: Value,
        visited: Option<Variable>,
        test: impl FnOnce(&mut Self, Value, Block) -> Result<Option<Value>, Refusal>,
        body: impl FnOnce(&mut Self, Value, Value) -> Result<Option<Value>, Refusal>,
    ) -> Result<(), Refusal> {
        let [enter, again, head, failed, more, leave, out] = std::array::from_fn(|_| self.b.create_block());
        for block in [again, head, leave] {
            self.b.append_block_param(block, types::I64);
        }
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
        self.b.ins().brif(some, enter, &[], out, &[]);
        self.b.switch_to_block(enter);
        self.b.seal_block(enter);
        let saved = self.promote(promoted, owner)?;
        self.b.ins().jump(again, &[begin.into()]);
        self.b.switch_to_block(again);
        let first = self.b.block_params(again)[0];
        self.b.ins().jump(head, &[first.into()]);

        self.b.switch_to_block(head);
        let step = self.b.block_params(head)[0];
        // From the end of the list on where that is the part of interest.
        let edge = match guard {
            Some(Guard { at_end: true, .. }) => {
                let ends = self.b.ins().iadd(begin, end);
                let ends = self.b.ins().iadd_imm_s(ends, -1);
                self.b.ins().isub(ends, step)
            }
            _ => step,
        };
        let other = if marked { self.marked_neighbour(edge) } else { self.neighbour(edge) };
        if let Some(guard) = guard {
            let inside = self.b.create_block();
            let of_interest = self.b.ins().icmp(guard.other_to_owner, other, owner);
            self.b.ins().brif(of_interest, inside, &[], leave, &[step.into()]);
            self.b.switch_to_block(inside);
            self.b.seal_block(inside);
        }
        let go_on = self.with_vertex(other, |t| {
            if let Some(passed) = test(t, other, failed)? {
                t.only_if(passed, failed);
            }
            body(t, edge, other)
        })?;
        match go_on {
            Some(condition) => {
                let following = self.b.ins().iadd_imm_s(step, 1);
                self.b.ins().brif(condition, more, &[], leave, &[following.into()])
            }
            None => self.b.ins().jump(more, &[]),
        };
        self.b.switch_to_block(failed);
        self.b.seal_block(failed);
        self.next_edge(step, end, head, leave);
        self.b.seal_block(head);
        self.b.switch_to_block(more);
        self.b.seal_block(more);
        self.next_edge(step, end, again, leave);
        self.b.seal_block(again);

        self.b.switch_to_block(leave);
        self.b.seal_block(leave);
        let stopped_at = self.b.block_params(leave)[0];
        self.demote(saved);
        if let Some(visited) = visited {
            let seen = self.b.ins().isub(stopped_at, begin);
            let before = self.b.use_var(visited);
            let sum = self.b.ins().iadd(before, seen);
            self.b.def_var(visited, sum);
        }
        self.b.ins().jump(out, &[]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }

    /// Goes on with the edge behind `edge`, or leaves with it where the list ends.
    fn next_edge(&mut self, edge: Value, end: Value, on: Block, leave: Block) {
        let following = self.b.ins().iadd_imm_s(edge, 1);
        let another = self.b.ins().icmp(IntCC::UnsignedLessThan, following, end);
        self.b.ins().brif(another, on, &[following.into()], leave, &[following.into()]);
    }

    pub(crate) fn neighbour(&mut self, edge: Value) -> Value {
        let targets = self.slot(slot::TARGETS, types::I64);
        let at = self.place_at(targets, edge, 4, Reason::InList);
        self.load_constant(types::I32, &at, 0)
    }

    /// The arguments of the edge function: source, destination and weight.
    fn edge_args(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        edge: Value,
        src: Value,
        dst: Value,
    ) -> Result<Vec<Value>, Refusal> {
        let mut args = vec![src, dst];
        if let Some(stored) = shape.weights {
            let function = self.function(&op.apply.name)?;
            let declared = function.params.get(2).and_then(|p| p.ty.scalar());
            let declared = declared.ok_or_else(|| self.refuse("the edge function takes no weight"))?;
            let weights = self.slot(slot::WEIGHTS, types::I64);
            let at = self.place_at(weights, edge, clif_type(stored).bytes(), Reason::InList);
            let weight = self.load_constant(clif_type(stored), &at, 0);
            args.push(self.convert(weight, stored, declared));
        }
        Ok(args)
    }

    /// Applies the edge function; a true result puts the destination into the output.
    fn apply_edge(&mut self, op: EdgeOperator<'_>, args: &[Value], dst: Value) -> Result<(), Refusal> {
        let accepted = self.apply(&op.apply, Role::Apply, args)?;
        if let (Some(accepted), gw_ir::operator::EdgeOutput::Accepted { .. }) = (accepted, &op.output)
            && !op.meta.udf_enqueues
        {
            self.when(accepted, |t| t.enqueue(dst));
        }
        Ok(())
    }
}
