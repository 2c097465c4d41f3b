//! Walking edges in the direction of the schedule and telling a trace.

use gw_ir::meta::{Direction, EdgeMeta};

use super::edges::{Body, Traversal};
use crate::error::Result;
use crate::interp::Interp;
use crate::sites::OperatorId;
use crate::trace::{TraceFilter, TracedCall};

/// How an operator is walked.
pub(super) struct TracedWalk<'o> {
    pub(super) operator_id: OperatorId,
    /// A pull stops at the first edge that its function was called for.
    pub(super) early_exit: bool,
    pub(super) meta: &'o EdgeMeta,
}

impl TracedWalk<'_> {
    /// Walks all edges; the size of the input.
    pub(super) fn run<'g, 'c>(
        &self,
        interp: &mut Interp<'c>,
        body: &mut Body<'g, 'c>,
        traversal: &'g Traversal<'_>,
    ) -> Result<u64> {
        let graph = &traversal.graph;
        let direction = self.meta.direction.unwrap_or(Direction::Push);
        let input = traversal.sources.as_deref();
        if let Some(trace) = &mut interp.trace {
            trace.begin(&TracedCall { operator: self.operator_id, graph: Some(graph), direction, input });
        }
        let member = match (direction, input) {
            (Direction::Push, _) | (_, None) => None,
            (_, Some(ids)) => {
                let mut member = vec![false; graph.vertices()];
                ids.iter().for_each(|&v| member[v as usize] = true);
                Some(member)
            }
        };
        match direction {
            Direction::Pull => {
                body.lists = graph.load_incoming()?;
                for target in 0..graph.vertices() as u32 {
                    self.pull(interp, body, traversal, target, member.as_deref())?;
                }
            }
            Direction::DensePush => {
                for source in 0..graph.vertices() as u32 {
                    tell(interp, |trace| trace.vertex(source));
                    if let Some(member) = &member {
                        tell(interp, |trace| trace.filter(TraceFilter::From, source, false));
                        if !member[source as usize] {
                            continue;
                        }
                    }
                    self.push(interp, body, traversal, source)?;
                }
            }
            Direction::Push => {
                let count = input.map_or(graph.vertices(), <[u32]>::len);
                for i in 0..count {
                    let source = input.map_or(i as u32, |ids| ids[i]);
                    tell(interp, |trace| trace.vertex(source));
                    self.push(interp, body, traversal, source)?;
                }
            }
        }
        let produced = self.meta.requires_output.then_some(interp.out.len());
        tell(interp, |trace| trace.end(produced));
        Ok(input.map_or(graph.vertices(), <[u32]>::len) as u64)
    }

    fn push<'g, 'c>(
        &self,
        interp: &mut Interp<'c>,
        body: &mut Body<'g, 'c>,
        traversal: &'g Traversal<'_>,
        source: u32,
    ) -> Result<()> {
        let out = traversal.graph.out();
        if body.from.is_function() {
            tell(interp, |trace| trace.filter(TraceFilter::From, source, true));
            // Filters are called for the ends of edges only; what a filter says of a vertex without edges is unknown
            // here, and such a vertex counts as refused.
            if out.degree(source) == 0 || !body.from.passes(interp, source)? {
                return Ok(());
            }
        }
        tell(interp, |trace| trace.list(source));
        for (at, (edge, &target)) in out.range(source).zip(out.neighbours(source)).enumerate() {
            interp.tick()?;
            body.edges += 1;
            tell(interp, |trace| trace.edge(edge, target));
            if let Some(members) = &body.members {
                tell(interp, |trace| trace.filter(TraceFilter::To, target, false));
                if !members[target as usize] {
                    continue;
                }
            }
            if body.to.is_function() {
                tell(interp, |trace| trace.filter(TraceFilter::To, target, true));
                if !body.to.passes(interp, target)? {
                    continue;
                }
            }
            let weighted = body.is_weighted();
            tell(interp, |trace| trace.apply(weighted));
            body.visit(interp, source, target, (source, at))?;
        }
        Ok(())
    }

    fn pull<'g, 'c>(
        &self,
        interp: &mut Interp<'c>,
        body: &mut Body<'g, 'c>,
        traversal: &'g Traversal<'_>,
        target: u32,
        member: Option<&[bool]>,
    ) -> Result<()> {
        let incoming = traversal.graph.incoming();
        tell(interp, |trace| trace.vertex(target));
        if let Some(members) = &body.members {
            tell(interp, |trace| trace.filter(TraceFilter::To, target, false));
            if !members[target as usize] {
                return Ok(());
            }
        }
        if body.to.is_function() {
            tell(interp, |trace| trace.filter(TraceFilter::To, target, true));
            if incoming.degree(target) == 0 || !body.to.passes(interp, target)? {
                return Ok(());
            }
        }
        tell(interp, |trace| trace.list(target));
        for (at, (edge, &source)) in incoming.range(target).zip(incoming.neighbours(target)).enumerate() {
            interp.tick()?;
            body.edges += 1;
            tell(interp, |trace| trace.edge(edge, source));
            if let Some(member) = member {
                tell(interp, |trace| trace.filter(TraceFilter::From, source, false));
                if !member[source as usize] {
                    continue;
                }
            }
            if body.from.is_function() {
                tell(interp, |trace| trace.filter(TraceFilter::From, source, true));
                if !body.from.passes(interp, source)? {
                    continue;
                }
            }
            let weighted = body.is_weighted();
            tell(interp, |trace| trace.apply(weighted));
            body.visit(interp, source, target, (target, at))?;
            if self.early_exit && !body.to.passes(interp, target)? {
                break;
            }
        }
        Ok(())
    }
}

#[inline]
fn tell(interp: &mut Interp<'_>, event: impl FnOnce(&mut dyn crate::trace::Trace)) {
    if let Some(trace) = &mut interp.trace {
        event(&mut **trace);
    }
}
