//! The local half of an operator, which is the CPU machine's, between what must be known before and what is told after.
//!
//! Around the local half a worker
//! 1. fetches the entries of others that the operator reads and that are not true here,
//! 2. notes what vectors hold that other workers may write as well,
//! 3. runs the operator on its own edges or vertices,
//! 4. exchanges what it changed, the members it found and its part of global sums, in one message.
//!
//! Entries that only their owner writes are not sent at once.

use std::sync::Arc;

use gw_exec::{Environment, ErrorKind, OperatorCall, OperatorId, OperatorOutcome, Result, Vector, VertexSet};
use gw_graph::GraphId;

use crate::bound::bound;
use crate::changes::{Before, Reach};
use crate::cut::Cut;
use crate::executable::FlowExecutable;
use crate::message::Reader;
use crate::mirrors::Mirrors;
use crate::plan::{VectorPlan, Write};
use crate::scalars::Scalars;
use crate::session::Session;
use crate::sets::{Union, read_union, write_set};

/// The share of a worker in an operator call.
pub(crate) struct Share {
    pub(crate) id: usize,
    pub(crate) cut: Arc<Cut>,
    /// Vertices of the graph or of the element of the set.
    pub(crate) vertices: usize,
    pub(crate) input_size: usize,
    /// The ends of all edges that will be visited, where they are few.
    pub(crate) reachable: Option<Vec<u32>>,
    /// Who needs which vertices, where values and changes go only there.
    pub(crate) mirrors: Option<(GraphId, Arc<Mirrors>)>,
}

impl FlowExecutable {
    /// Runs this worker's share of an operator between what must be known before and what is told after.
    pub(crate) fn share(
        &mut self,
        share: Share,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let Share { id, cut, vertices, input_size, reachable, mirrors } = share;
        let plan = self.operators[id].plan.clone();
        let yields = self.operators[id].yields;
        let vectors = bound(&plan, &call, env)?;
        // 1. What is read elsewhere.
        let at_mirrors = self.make_true(&vectors, &cut, vertices, mirrors.as_ref())?;
        // 2. What was there before.
        let before = values_before(&vectors, &at_mirrors, mirrors.as_ref(), reachable.as_deref())?;
        let own = self.running()?.index();
        let scalars = Scalars::begin(&plan, own, env)?;
        // 3. The local half.
        let local = self.local.run_operator(OperatorId(id), call, env);
        // A kernel that was stopped since another worker has failed is not what went wrong.
        self.running()?.check()?;
        let local = local?;
        self.note_writes(&vectors, &at_mirrors, &cut, mirrors.as_ref());
        let mut outcome = OperatorOutcome { input_size: Some(input_size as u64), ..OperatorOutcome::default() };
        if !plan.has_news() && !yields {
            return Ok(outcome);
        }
        // 4. What everybody must know.
        let found = local.output.filter(|_| yields).unwrap_or_else(VertexSet::empty);
        let by_modified = before.iter().any(Before::is_by_modified);
        let modified = if by_modified { found.ids()? } else { Vec::new() };
        let session = self.running()?;
        // One message for all, unless changes go to those who need them.
        let each = before.iter().any(Before::goes_to_mirrors);
        // Who hears of all changed entries knows the set of them.
        let is_set_told = !by_modified || each;
        let workers = if each { session.peers() } else { 1 };
        let mut outgoing = scalars.messages(workers, local.edges.unwrap_or(0), env);
        before.iter().try_for_each(|before| before.write_changes(&mut outgoing, (own, &cut), &modified))?;
        if yields && is_set_told {
            outgoing.iter_mut().try_for_each(|message| write_set(message, &found, vertices))?;
        }
        let messages = match each {
            true => session.exchange_each(outgoing)?,
            false => session.broadcast(outgoing.swap_remove(0))?,
        };
        let mut readers = Session::readers(&messages);
        outcome.edges = Some(scalars.read(&mut readers, env)?);
        let changed = make_changes(&before, &mut readers, vertices, !is_set_told);
        if yields {
            let union = match is_set_told {
                true => read_union(&mut readers, vertices),
                false => changed.and_then(Union::into_set),
            };
            let union = union.ok_or_else(|| ErrorKind::Machine("a damaged message arrived".to_string()))?;
            outcome.output_size = Some(union.len()? as u64);
            outcome.output = Some(union);
        }
        session.intact(&readers)?;
        Ok(outcome)
    }

    /// Notes which entries of the vectors that an operator has written are true on this worker.
    fn note_writes(
        &mut self,
        vectors: &[(Vector, VectorPlan)],
        at_mirrors: &[bool],
        cut: &Arc<Cut>,
        mirrors: Option<&(GraphId, Arc<Mirrors>)>,
    ) {
        for ((vector, plan), at_mirrors) in vectors.iter().zip(at_mirrors) {
            match plan.write {
                Write::Owned => self.truth.is_true_in_part(vector, cut, None),
                Write::Merged { .. } if *at_mirrors => {
                    self.truth.is_true_in_part(vector, cut, mirrors.map(|(graph, _)| *graph));
                }
                Write::Merged { .. } | Write::Nothing => {}
            }
        }
    }
}

/// What the vectors hold that other workers may write as well. Of those with few `reachable` entries, only these.
fn values_before(
    vectors: &[(Vector, VectorPlan)],
    at_mirrors: &[bool],
    mirrors: Option<&(GraphId, Arc<Mirrors>)>,
    reachable: Option<&[u32]>,
) -> Result<Vec<Before>> {
    let mut before = Vec::new();
    for ((vector, plan), at_mirrors) in vectors.iter().zip(at_mirrors) {
        if let Write::Merged { merge, ends } = plan.write {
            let mirrors = mirrors.filter(|_| *at_mirrors).map(|(_, mirrors)| Arc::clone(mirrors));
            let reach = match reachable.filter(|_| ends) {
                _ if plan.tracked && Before::is_told_by_modified(vector, merge) => Reach::Modified,
                Some(entries) => Reach::Entries(entries),
                None => Reach::All,
            };
            before.push(Before::of(vector, merge, reach, mirrors)?);
        }
    }
    Ok(before)
}

/// Makes the changes that the workers have told. With `notes`, gives the entries that changed in vectors whose changes
/// are the modified vertices; `None` where one of them is no vertex.
fn make_changes(before: &[Before], readers: &mut [Reader<'_>], vertices: usize, notes: bool) -> Option<Union> {
    let (mut union, mut known) = (Union::new(vertices), Some(()));
    for before in before {
        let mut changed = Vec::new();
        let is_noted = notes && before.is_by_modified();
        before.make_changes(readers, |cell, _| {
            if is_noted {
                changed.push(cell)
            }
        });
        known = known.and_then(|()| union.add_all(changed.into_iter()));
    }
    known.map(|()| union)
}
