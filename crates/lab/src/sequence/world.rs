//! The graph of a sequence: lists that change in place, as a stream keeps them, and a plain copy to judge by.

use std::collections::BTreeMap;

use graphwright::{Changes, Graph, Machine};
use gw_dynamic::{Batch, ChangedEdge, Difference, DynamicGraph, EdgeWeight, Ends};
use gw_exec::EdgeChange;
use gw_graph::{AdjacencyId, Offsets, Symmetry, Weights};

use super::{Change, Edge, Start};

/// A weight that edges of sequences can have.
pub(super) trait Weighing: EdgeWeight {
    /// The weight of an edge with this number.
    fn of(weight: i32) -> Self;
}

impl Weighing for () {
    fn of(_: i32) {}
}

impl Weighing for i32 {
    fn of(weight: i32) -> i32 {
        weight
    }
}

/// A version of the graph.
#[derive(Clone)]
pub(super) struct Version {
    /// A number for the version, the same for the same edges.
    pub(super) number: u64,
    /// The lists under test, where they stand.
    pub(super) lists: Graph,
    /// The same edges as arrays of their own.
    pub(super) plain: Graph,
}

/// The graph as it is, and what was told of it.
pub(super) struct World<W: Weighing> {
    start: Start,
    lists: DynamicGraph<W>,
    vertices: usize,
    edges: BTreeMap<(u32, u32), i32>,
    now: Option<Version>,
    versions: u64,
    /// The lists that the machine knows, and what changed since.
    told: Option<AdjacencyId>,
    untold: Difference<W>,
    /// What changed since the last update.
    since_update: Difference<W>,
}

impl<W: Weighing> World<W> {
    pub(super) fn new(start: &Start) -> Result<World<W>, String> {
        let ends = if start.undirected { Ends::Undirected } else { Ends::Directed };
        let mut world = World {
            start: start.clone(),
            lists: DynamicGraph::new(start.vertices, ends).map_err(|error| error.to_string())?,
            vertices: start.vertices,
            edges: BTreeMap::new(),
            now: None,
            versions: 0,
            told: None,
            untold: Difference::default(),
            since_update: Difference::default(),
        };
        let edges: Vec<Change> = start.edges.iter().copied().map(Change::Insert).collect();
        world.apply(&edges)?;
        world.untold.clear();
        world.since_update.clear();
        Ok(world)
    }

    /// Applies a batch to the lists and to the plain edges.
    pub(super) fn apply(&mut self, changes: &[Change]) -> Result<(), String> {
        let mut batch = Batch::new();
        for change in changes {
            let (Change::Insert(Edge { source, target, .. }) | Change::Delete(Edge { source, target, .. })) = *change;
            self.vertices = self.vertices.max(source.max(target) as usize + 1);
            let back = self.start.undirected.then_some((target, source));
            for way in [Some((source, target)), back].into_iter().flatten() {
                match change {
                    Change::Insert(edge) => drop(self.edges.insert(way, edge.weight)),
                    Change::Delete(_) => drop(self.edges.remove(&way)),
                }
            }
            match change {
                Change::Insert(edge) => batch.insert(source, target, W::of(edge.weight)),
                Change::Delete(_) => batch.delete(source, target),
            };
        }
        if self.vertices > self.lists.vertices() {
            self.lists.grow(self.vertices).map_err(|error| error.to_string())?;
        }
        let applied = self.lists.apply(&batch).map_err(|error| error.to_string())?;
        self.untold.add(applied.changes.clone());
        self.since_update.add(applied.changes);
        self.now = None;
        self.versions += 1;
        Ok(())
    }

    /// The graph as it is.
    pub(super) fn now(&mut self) -> Result<Version, String> {
        if let Some(now) = &self.now {
            return Ok(now.clone());
        }
        let lists = Graph::from(self.lists.snapshot().graph().map_err(|error| error.to_string())?);
        let version = Version { number: self.versions, lists, plain: self.plain()? };
        self.now = Some(version.clone());
        Ok(version)
    }

    fn plain(&self) -> Result<Graph, String> {
        let mut degrees = vec![0; self.vertices];
        self.edges.keys().for_each(|(source, _)| degrees[*source as usize] += 1);
        let targets: Vec<u32> = self.edges.keys().map(|(_, target)| *target).collect();
        let weights = match self.start.weighted {
            true => Weights::Int(self.edges.values().copied().collect::<Vec<i32>>().into()),
            false => Weights::None,
        };
        let symmetry = if self.start.undirected { Symmetry::Unknown } else { Symmetry::Directed };
        let plain = gw_graph::Graph::from_arrays(Offsets::from_degrees(&degrees), targets.into(), weights, symmetry);
        Ok(plain.map_err(|error| error.to_string())?.into())
    }

    /// Tells the machine how the graph has changed since it ran on it last.
    pub(super) fn tell(&mut self, machine: &Machine) -> Result<(), String> {
        let now = self.now()?.lists;
        let id = now.out().id();
        if let Some(before) = self.told.replace(id).filter(|before| *before != id) {
            let change = |edge: &ChangedEdge<W>| EdgeChange {
                source: edge.source,
                target: edge.target,
                weight: edge.new_bits(),
            };
            let mut changes = self.untold.changes().iter().map(change);
            machine.vm().follow(before, now.shared(), &mut changes).map_err(|error| format!("follow: {error}"))?;
        }
        self.untold.clear();
        Ok(())
    }

    /// What has changed since the last call.
    pub(super) fn changes(&mut self) -> Result<Changes, String> {
        let since = std::mem::take(&mut self.since_update);
        let inserted = since.inserted(self.vertices).map_err(|error| error.to_string())?;
        let deleted = since.deleted(self.vertices).map_err(|error| error.to_string())?;
        Ok(Changes { inserted: inserted.into(), deleted: deleted.into(), symmetric: self.start.undirected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists and the plain copy have the same edges after every batch, also in versions that are kept.
    #[test]
    fn lists_and_copies_agree() {
        let edge = |source, target| Edge { source, target, weight: 1 };
        for undirected in [false, true] {
            let start = Start { undirected, weighted: false, vertices: 3, edges: vec![edge(0, 1), edge(1, 2)] };
            let mut world = World::<()>::new(&start).unwrap();
            let first = world.now().unwrap();
            world.apply(&[Change::Insert(edge(2, 4)), Change::Delete(edge(0, 1)), Change::Insert(edge(2, 2))]).unwrap();
            let second = world.now().unwrap();
            for version in [&first, &second] {
                for v in 0..version.plain.vertices() as u32 {
                    let (lists, plain) = (version.lists.out(), version.plain.out());
                    assert_eq!(lists.neighbours(v).to_vec(), plain.neighbours(v).to_vec());
                }
            }
            assert_eq!((first.plain.vertices(), second.plain.vertices()), (3, 5));
            let changes = world.changes().unwrap();
            assert_eq!(changes.deleted.edges(), 1 + usize::from(undirected));
            assert_eq!(world.changes().unwrap().inserted.edges(), 0);
        }
    }
}
