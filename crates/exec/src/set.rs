//! Vertex sets: references to a collection of ids in one of several forms, some of them owned by a machine.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_graph::{Graph, memory};
use rustc_hash::FxHashSet;

use crate::error::Result;

/// Up to so many members, a set is searched one by one.
const FEW: usize = 16;
/// Bytes of an id.
const ID: u64 = size_of::<u32>() as u64;
/// Bytes of a member in the table for quick tests, at most: a table is kept between 7/16 and 7/8 full.
const TESTED: u64 = 12;

/// A vertex set. Assigning or passing it shares it; [`VertexSet::copy`] makes a set of its own.
///
/// For a program a vertex is in a set or it is not: adding a member changes nothing, and every operator visits a member
/// once. A machine may leave repeats in [`SetForm::Ids`] or in a form of its own only where the passes found that the
/// program cannot tell (`Dedup::None`).
#[derive(Clone, Debug)]
pub struct VertexSet(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    form: SetForm,
    /// The members of [`SetForm::Ids`] for quick tests, kept from one [`VertexSet::push`] to the next.
    members: Option<FxHashSet<u32>>,
}

/// How a set is stored.
#[derive(Debug)]
pub enum SetForm {
    /// All vertices `0..n`, never materialised.
    All(usize),
    /// Ids in order of insertion.
    Ids(Vec<u32>),
    /// The sorted out-neighbours of a vertex, viewed in the graph.
    Neighbours(Arc<Graph>, u32),
    /// Kept by a machine: a bitmap, a device queue, ...
    Machine(Box<dyn MachineSet>),
}

/// A set in a form that only one machine understands. Memory of a device may fail to answer; nothing is made up then.
pub trait MachineSet: Any + Send + fmt::Debug {
    /// Number of members.
    fn len(&self) -> Result<usize>;
    /// The members as ids.
    fn ids(&self) -> Result<Vec<u32>>;
    /// A set of its own with the same members.
    fn copy(&self) -> Result<Box<dyn MachineSet>>;
    /// Bytes of the host's memory that it holds.
    fn bytes(&self) -> usize {
        0
    }
    /// For the machine to get at its own type.
    fn as_any(&mut self) -> &mut dyn Any;
    /// True without members.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl VertexSet {
    /// A set in this form.
    pub fn new(form: SetForm) -> Self {
        VertexSet(Arc::new(Mutex::new(Inner { form, members: None })))
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

    /// Number of members.
    pub fn len(&self) -> Result<usize> {
        self.lock().form.len()
    }

    /// Bytes of the host's memory that the members take.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.lock().form {
            SetForm::All(_) | SetForm::Neighbours(..) => 0,
            SetForm::Ids(ids) => ids.len() as u64 * ID,
            SetForm::Machine(set) => set.bytes() as u64,
        }
    }

    /// True without members.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The members as ids.
    pub fn ids(&self) -> Result<Vec<u32>> {
        self.lock().form.ids()
    }

    /// `Some(n)` for the set of all vertices `0..n`.
    pub fn universe(&self) -> Option<usize> {
        match &self.lock().form {
            SetForm::All(n) => Some(*n),
            _ => None,
        }
    }

    /// Adds a vertex; false when it is a member already.
    pub fn push(&self, vertex: u32) -> Result<bool> {
        let inner = &mut *self.lock();
        match &mut inner.form {
            SetForm::All(n) if (vertex as usize) < *n => return Ok(false),
            SetForm::Neighbours(graph, v) if graph.out().neighbours(*v).binary_search(&vertex).is_ok() => {
                return Ok(false);
            }
            SetForm::Ids(_) => {}
            form => *form = SetForm::Ids(form.ids()?),
        }
        let SetForm::Ids(ids) = &mut inner.form else { return Ok(false) };
        if ids.len() == ids.capacity() {
            let what = format_args!("a set that grows beyond {} vertices", ids.len());
            memory::allow(ids.len() as u64 * (ID + TESTED), what)?;
        }
        if ids.len() < FEW {
            inner.members = None;
            let new = !ids.contains(&vertex);
            if new {
                ids.push(vertex);
            }
            return Ok(new);
        }
        let new = inner.members.get_or_insert_with(|| ids.iter().copied().collect()).insert(vertex);
        if new {
            ids.push(vertex);
        }
        Ok(new)
    }

    /// A set of its own with the same entries.
    pub fn copy(&self) -> Result<VertexSet> {
        Ok(VertexSet::new(match &self.lock().form {
            SetForm::All(n) => SetForm::All(*n),
            SetForm::Ids(ids) => {
                memory::allow(ids.len() as u64 * ID, format_args!("a copy of a set of {} vertices", ids.len()))?;
                SetForm::Ids(ids.clone())
            }
            SetForm::Neighbours(graph, v) => SetForm::Neighbours(Arc::clone(graph), *v),
            SetForm::Machine(set) => SetForm::Machine(set.copy()?),
        }))
    }

    /// Looks at or changes the form. The set stays locked for the time of `f`, which must not use it otherwise.
    pub fn with<R>(&self, f: impl FnOnce(&mut SetForm) -> R) -> R {
        let inner = &mut *self.lock();
        inner.members = None;
        f(&mut inner.form)
    }

    /// Calls `f` with the ids, without a copy where they lie in memory.
    pub fn with_ids<R>(&self, f: impl FnOnce(&[u32]) -> R) -> Result<R> {
        Ok(match &self.lock().form {
            SetForm::Ids(ids) => f(ids),
            SetForm::Neighbours(graph, v) => f(graph.out().neighbours(*v)),
            form => f(&form.ids()?),
        })
    }

    /// True when both are the same set, not only equal ones.
    pub fn is(&self, other: &VertexSet) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SetForm {
    /// Number of members.
    pub fn len(&self) -> Result<usize> {
        Ok(match self {
            SetForm::All(n) => *n,
            SetForm::Ids(ids) => ids.len(),
            SetForm::Neighbours(graph, v) => graph.out().degree(*v),
            SetForm::Machine(set) => return set.len(),
        })
    }

    /// True without members.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The members as ids.
    pub fn ids(&self) -> Result<Vec<u32>> {
        Ok(match self {
            SetForm::All(n) => {
                memory::allow(*n as u64 * ID, format_args!("the set of all {n} vertices"))?;
                (0..*n as u32).collect()
            }
            SetForm::Ids(ids) => ids.clone(),
            SetForm::Neighbours(graph, v) => graph.out().neighbours(*v).to_vec(),
            SetForm::Machine(set) => return set.ids(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_share_and_copies_do_not() -> Result<()> {
        let set = VertexSet::from_ids(vec![3, 1]);
        let (alias, copy) = (set.clone(), set.copy()?);
        assert!(alias.push(2)?);
        assert_eq!(set.ids()?, [3, 1, 2]);
        assert_eq!(copy.ids()?, [3, 1]);
        assert!(set.is(&alias) && !set.is(&copy));
        Ok(())
    }

    #[test]
    fn a_member_is_added_once() -> Result<()> {
        let set = VertexSet::empty();
        for new in [true, false, false] {
            for v in 0..100 {
                assert_eq!(set.push(v)?, new);
            }
        }
        assert_eq!(set.ids()?, (0..100).collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn adding_to_all_vertices_materialises() -> Result<()> {
        let set = VertexSet::all(2);
        assert!(!set.push(0)?);
        assert_eq!(set.universe(), Some(2));
        assert!(set.push(5)?);
        assert_eq!((set.universe(), set.ids()?), (None, vec![0, 1, 5]));
        Ok(())
    }
}
