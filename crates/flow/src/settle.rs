//! Settling: what pushes lower (or raise) is told to the owners alone, who say what has changed.
//!
//! An entry that workers only ever reduce by `min=` or `max=`, and read at their own vertices, needs to be true at its
//! owner. What another worker has of it is a *bound*: the best that this worker knew. So a push tells each owner the
//! entries that it has bettered by its own measure, the owner takes the best, and the vertices whose entries are new to
//! their owners are what the operator has modified. A worker deals with its own changes and with those of its own
//! vertices, not with those of all workers.
//!
//! Draining goes on from there: a worker follows what it has reached itself as far as its own vertices go, before it
//! tells the others. To visit a vertex early with a value that is not the last is work, but no mistake: it is visited
//! again when it changes. In a loop that goes on until nothing changes the number of exchanges becomes that of the
//! times that a path goes from part to part, not that of its edges.

use std::ops::Range;

use gw_exec::{
    EdgeCall, Environment, ErrorKind, OperatorCall, OperatorId, OperatorOutcome, Result, Selection, Vector, VertexSet,
    scalar,
};
use gw_graph::GraphId;
use gw_ir::expr::ReduceOp;

use crate::bound::bound;
use crate::cut::Cut;
use crate::executable::FlowExecutable;
use crate::local_half::Share;
use crate::message::{Reader, Writer, width};
use crate::plan::{Merge, VectorPlan, Write};
use crate::scalars::Scalars;
use crate::session::Session;
use crate::sets::{Union, read_union, write_set};

/// Rounds after which a worker that drains tells the others in any case: a cycle that lowers itself would never end.
const ROUNDS: usize = 1024;

/// The vector that a settled operator reduces, and how; `None` when there is no such vector after all: one of several
/// cells per entry, or one that is also read under another name.
pub(crate) fn settled(vectors: &[(Vector, VectorPlan)]) -> Option<(&Vector, ReduceOp)> {
    vectors.iter().find_map(|(vector, plan)| match plan.write {
        Write::Merged { merge: Merge::Reduce(op), ends: true } => {
            (plan.is_settled() && vector.stride() == 1 && u32::try_from(vector.cells()).is_ok()).then_some((vector, op))
        }
        _ => None,
    })
}

impl FlowExecutable {
    /// Runs this worker's share of an operator that reduces `target`, and lets owners settle what came of it. With
    /// `drains`, also from what it reaches among its own vertices, and so on.
    pub(crate) fn settle(
        &mut self,
        share: Share,
        (target, op, graph): (Vector, ReduceOp, GraphId),
        mut call: EdgeCall,
        drains: bool,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let Share { id, cut, vertices, input_size, mirrors, .. } = share;
        let plan = self.operators[id].plan.clone();
        let vectors = bound(&plan, &OperatorCall::Edges(again(&call, None)), env)?;
        // Bounds are as good as the truth here.
        let read: Vec<_> = match self.truth.is_bounded(&target, (op, graph)) {
            true => vectors.into_iter().filter(|(vector, _)| vector.id() != target.id()).collect(),
            false => vectors,
        };
        self.make_true(&read, &cut, vertices, mirrors.as_ref())?;
        let own = self.running()?.index();
        let range = cut.range(own);
        let scalars = Scalars::begin(&plan, own, env)?;
        let (mut modified, mut edges) = (Union::new(vertices), 0);
        // Own vertices that are to be visited next.
        let mut next = Vec::new();
        for round in 1.. {
            let following = again(&call, None);
            let local = self.local.run_operator(OperatorId(id), OperatorCall::Edges(call), env);
            self.running()?.check()?;
            let local = local?;
            edges += local.edges.unwrap_or(0);
            let found = local.output.map_or(Ok(Vec::new()), |set| set.ids())?;
            modified.add_all(found.iter().copied()).ok_or_else(no_vertex)?;
            next = found.into_iter().filter(|v| range.contains(v)).collect();
            if !drains || next.is_empty() || round == ROUNDS {
                break;
            }
            next.sort_unstable();
            next.dedup();
            call = again(&following, Some(std::mem::take(&mut next)));
        }
        // What is bettered at vertices of others goes to their owners.
        let session = self.running()?;
        let mut outgoing = scalars.messages(session.peers(), edges, env);
        tell_owners(&mut outgoing, &modified.into_set().ok_or_else(no_vertex)?.ids()?, &target, (own, &cut));
        let messages = session.exchange_each(outgoing)?;
        let mut readers = Session::readers(&messages);
        let edges = Some(scalars.read(&mut readers, env)?);
        for (_, reader) in readers.iter_mut().enumerate().filter(|(worker, _)| *worker != own) {
            take_bettered(reader, (&target, op), &range, &mut next);
        }
        session.intact(&readers)?;
        // Every owner says which of its vertices are to be visited.
        let mut message = Writer::default();
        next.sort_unstable();
        next.dedup();
        write_set(&mut message, &VertexSet::from_ids(next), vertices)?;
        let messages = session.broadcast(message)?;
        let next = read_union(&mut Session::readers(&messages), vertices);
        let next = next.ok_or_else(|| ErrorKind::Machine("a damaged message arrived".to_string()))?;
        self.truth.is_bounded_from_now(&target, &cut, (op, graph));
        let (input_size, output_size) = (Some(input_size as u64), Some(next.len()? as u64));
        Ok(OperatorOutcome { input_size, output_size, output: Some(next), edges, ..OperatorOutcome::default() })
    }
}

/// Writes entries of vertices of others to their owners. The vertices ascend.
fn tell_owners(outgoing: &mut [Writer], modified: &[u32], target: &Vector, (own, cut): (usize, &Cut)) {
    let width = width(target);
    let mut owner = 0;
    for &vertex in modified {
        // Ascending, so that owners follow each other.
        while !cut.range(owner).contains(&vertex) {
            owner += 1;
        }
        if owner != own {
            outgoing[owner].u32(vertex);
            outgoing[owner].cell(target.load_bits(vertex as usize), width);
        }
    }
}

/// Reads what another worker tells of entries of own vertices, and keeps what is better. `changed` gets the vertices of
/// changed entries.
fn take_bettered(reader: &mut Reader<'_>, (target, op): (&Vector, ReduceOp), own: &Range<u32>, changed: &mut Vec<u32>) {
    let width = width(target);
    while reader.left() > 0 {
        let (vertex, value) = (reader.u32(), reader.cell(width));
        if reader.is_short || !own.contains(&vertex) || vertex as usize >= target.cells() {
            reader.is_short = true;
            break;
        }
        let old = target.load_bits(vertex as usize);
        let best = scalar::reduce(op, target.scalar(), old, value).unwrap_or(old);
        if best != old {
            target.store_bits(vertex as usize, best);
            changed.push(vertex);
        }
    }
}

/// The same call once more, from other sources where there are some.
pub(crate) fn again(call: &EdgeCall, sources: Option<Vec<u32>>) -> EdgeCall {
    let same = |selection: &Selection| match selection {
        Selection::All => Selection::All,
        Selection::Set(set) => Selection::Set(set.clone()),
        Selection::Function(captures) => Selection::Function(captures.clone()),
    };
    let from = sources.map_or_else(|| same(&call.from), |sources| Selection::Set(VertexSet::from_ids(sources)));
    EdgeCall { graph: call.graph.clone(), from, to: same(&call.to), captures: call.captures.clone() }
}

fn no_vertex() -> ErrorKind {
    ErrorKind::Malformed("an operator says that it has modified what is no vertex".to_string())
}
