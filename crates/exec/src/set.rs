//! Vertex sets: references to a collection of ids in one of several forms, some of them owned by a machine.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_graph::Graph;

/// A vertex set. Assigning or passing it shares it; [`VertexSet::copy`] makes a set of its own.
#[derive(Clone, Debug)]
pub struct VertexSet(Arc<Mutex<SetForm>>);

/// How a set is stored.
#[derive(Debug)]
pub enum SetForm {
    /// All vertices `0..n`, never materialised.
    All(usize),
    /// Ids in order of insertion; repeats count.
    Ids(Vec<u32>),
    /// The sorted out-neighbours of a vertex, viewed in the graph.
    Neighbours(Arc<Graph>, u32),
    /// Kept by a machine: a bitmap, a device queue, ...
    Machine(Box<dyn MachineSet>),
}

/// A set in a form that only one machine understands.
pub trait MachineSet: Any + Send + fmt::Debug {
    /// Number of entries, repeats counted.
    fn len(&self) -> usize;
    /// The entries as ids.
    fn ids(&self) -> Vec<u32>;
    /// Appends without a duplicate check.
    fn push(&mut self, vertex: u32);
    /// A set of its own with the same entries.
    fn copy(&self) -> Box<dyn MachineSet>;
    /// For the machine to get at its own type.
    fn as_any(&mut self) -> &mut dyn Any;
    /// True without entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl VertexSet {
    /// A set in this form.
    pub fn new(form: SetForm) -> Self {
        VertexSet(Arc::new(Mutex::new(form)))
    }

    /// The empty set.
    pub fn empty() -> Self {
        VertexSet::from_ids(Vec::new())
    }

    /// A set with these entries.
    pub fn from_ids(ids: Vec<u32>) -> Self {
        VertexSet::new(SetForm::Ids(ids))
    }

    /// All vertices `0..n`.
    pub fn all(n: usize) -> Self {
        VertexSet::new(SetForm::All(n))
    }

    /// Number of entries, repeats counted.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries as ids.
    pub fn ids(&self) -> Vec<u32> {
        self.lock().ids()
    }

    /// `Some(n)` for the set of all vertices `0..n`.
    pub fn universe(&self) -> Option<usize> {
        match &*self.lock() {
            SetForm::All(n) => Some(*n),
            _ => None,
        }
    }

    /// Appends without a duplicate check.
    pub fn push(&self, vertex: u32) {
        match &mut *self.lock() {
            SetForm::Ids(ids) => ids.push(vertex),
            SetForm::Machine(set) => set.push(vertex),
            form @ (SetForm::All(_) | SetForm::Neighbours(..)) => {
                let mut ids = form.ids();
                ids.push(vertex);
                *form = SetForm::Ids(ids);
            }
        }
    }

    /// A set of its own with the same entries.
    pub fn copy(&self) -> VertexSet {
        VertexSet::new(match &*self.lock() {
            SetForm::All(n) => SetForm::All(*n),
            SetForm::Ids(ids) => SetForm::Ids(ids.clone()),
            SetForm::Neighbours(graph, v) => SetForm::Neighbours(Arc::clone(graph), *v),
            SetForm::Machine(set) => SetForm::Machine(set.copy()),
        })
    }

    /// Looks at or changes the form. The set stays locked for the time of `f`, which must not use it otherwise.
    pub fn with<R>(&self, f: impl FnOnce(&mut SetForm) -> R) -> R {
        f(&mut self.lock())
    }

    /// Calls `f` with the ids, without a copy where they lie in memory.
    pub fn with_ids<R>(&self, f: impl FnOnce(&[u32]) -> R) -> R {
        match &*self.lock() {
            SetForm::Ids(ids) => f(ids),
            SetForm::Neighbours(graph, v) => f(graph.out().neighbours(*v)),
            form => f(&form.ids()),
        }
    }

    /// True when both are the same set, not only equal ones.
    pub fn is(&self, other: &VertexSet) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn lock(&self) -> MutexGuard<'_, SetForm> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SetForm {
    /// Number of entries, repeats counted.
    pub fn len(&self) -> usize {
        match self {
            SetForm::All(n) => *n,
            SetForm::Ids(ids) => ids.len(),
            SetForm::Neighbours(graph, v) => graph.out().degree(*v),
            SetForm::Machine(set) => set.len(),
        }
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries as ids.
    pub fn ids(&self) -> Vec<u32> {
        match self {
            SetForm::All(n) => (0..*n as u32).collect(),
            SetForm::Ids(ids) => ids.clone(),
            SetForm::Neighbours(graph, v) => graph.out().neighbours(*v).to_vec(),
            SetForm::Machine(set) => set.ids(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_share_and_copies_do_not() {
        let set = VertexSet::from_ids(vec![3, 1]);
        let (alias, copy) = (set.clone(), set.copy());
        alias.push(1);
        assert_eq!(set.ids(), [3, 1, 1]);
        assert_eq!(copy.ids(), [3, 1]);
        assert!(set.is(&alias) && !set.is(&copy));
    }

    #[test]
    fn adding_to_all_vertices_materialises() {
        let set = VertexSet::all(2);
        assert_eq!(set.universe(), Some(2));
        set.push(0);
        assert_eq!((set.universe(), set.ids()), (None, vec![0, 1, 0]));
    }
}
