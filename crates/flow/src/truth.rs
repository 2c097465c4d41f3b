//! Which entries of vectors are true on this worker.
//!
//! A vector that nothing is noted about is true in all entries. One that only owners have written is true in the owned
//! entries; one that was brought or changed along the edges of a graph also in those of the mirrors. In one that owners
//! settle, the entries of others are bounds of what is true ([`settle`](crate::settle)). Vectors of which
//! not everything is true are watched, so that the host fetches the rest before it looks. All workers note the same.

use std::sync::Arc;

use gw_exec::{Result, Vector, VectorId};
use gw_graph::GraphId;
use gw_ir::expr::ReduceOp;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cut::Cut;
use crate::mirrors::Mirrors;
use crate::session::Session;

/// What is known of vectors.
#[derive(Default)]
pub(crate) struct Truth {
    partial: FxHashMap<VectorId, Partial>,
    /// Vectors that were asked for as a whole after they were true in part: changes of these go to everybody.
    whole: FxHashSet<VectorId>,
}

/// A vector of which the owned entries are true, and the mirrors in one graph if there is one.
struct Partial {
    vector: Vector,
    cut: Arc<Cut>,
    mirrored: Option<GraphId>,
    /// The entries of others are what this worker knew best, for this reduction along the edges of this graph.
    bounded: Option<(ReduceOp, GraphId)>,
}

impl Truth {
    /// Makes vectors true in all entries, those that are not.
    pub(crate) fn fetch<'v>(&mut self, session: &mut Session, vectors: impl Iterator<Item = &'v Vector>) -> Result<()> {
        let needed: Vec<Partial> = vectors.filter_map(|vector| self.partial.remove(&vector.id())).collect();
        if needed.is_empty() {
            return Ok(());
        }
        let vectors: Vec<_> = needed.iter().map(|partial| (partial.vector.clone(), Arc::clone(&partial.cut))).collect();
        session.gather(&vectors)?;
        for partial in needed {
            partial.vector.set_watched(false);
            if partial.mirrored.is_some() || partial.bounded.is_some() {
                self.whole.insert(partial.vector.id());
            }
        }
        Ok(())
    }

    /// Makes vectors true in the entries of mirrors, those that are not.
    pub(crate) fn mirror<'v>(
        &mut self,
        session: &mut Session,
        vectors: impl Iterator<Item = &'v Vector>,
        (graph, mirrors): (GraphId, &Mirrors),
    ) -> Result<()> {
        let mut needed = Vec::new();
        for vector in vectors {
            if let Some(partial) = self.partial.get_mut(&vector.id()).filter(|p| p.mirrored != Some(graph)) {
                partial.mirrored = Some(graph);
                needed.push(vector.clone());
            }
        }
        if needed.is_empty() { Ok(()) } else { mirrors.exchange(session, &needed) }
    }

    /// Whether something is asked for as a whole again and again.
    pub(crate) fn is_wanted_whole(&self, vector: &Vector) -> bool {
        self.whole.contains(&vector.id())
    }

    /// Whether a vector is true in part, under another cut.
    pub(crate) fn is_cut_otherwise(&self, vector: &Vector, cut: &Arc<Cut>) -> bool {
        self.partial.get(&vector.id()).is_some_and(|partial| partial.cut != *cut)
    }

    /// Only the owned entries of a vector are true from now on, and the mirrors in a graph if there is one.
    pub(crate) fn is_true_in_part(&mut self, vector: &Vector, cut: &Arc<Cut>, mirrored: Option<GraphId>) {
        vector.set_watched(true);
        let partial = Partial { vector: vector.clone(), cut: Arc::clone(cut), mirrored, bounded: None };
        self.partial.insert(vector.id(), partial);
    }

    /// The owned entries of a vector are true from now on; those of others at the ends of edges of a graph are bounds
    /// for a reduction.
    pub(crate) fn is_bounded_from_now(&mut self, vector: &Vector, cut: &Arc<Cut>, how: (ReduceOp, GraphId)) {
        vector.set_watched(true);
        let partial = Partial { vector: vector.clone(), cut: Arc::clone(cut), mirrored: None, bounded: Some(how) };
        self.partial.insert(vector.id(), partial);
    }

    /// Whether the entries of others at the ends of edges of a graph are bounds for a reduction.
    pub(crate) fn is_bounded(&self, vector: &Vector, how: (ReduceOp, GraphId)) -> bool {
        self.partial.get(&vector.id()).is_some_and(|partial| partial.bounded == Some(how))
    }

    /// Forgets vectors that nobody else knows.
    pub(crate) fn forget_unreachable(&mut self) {
        self.partial.retain(|_, partial| partial.vector.is_shared_beyond(1));
    }

    /// A run begins.
    pub(crate) fn clear(&mut self) {
        self.partial.clear();
        self.whole.clear();
    }
}
