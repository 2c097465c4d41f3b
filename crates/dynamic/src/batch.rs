//! Changes of edges, and their order.

use rayon::prelude::*;

use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

/// What becomes of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<W> {
    /// The edge is there afterwards.
    Insert(W),
    /// The edge is not there afterwards.
    Delete,
}

/// What an insertion does to an edge that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnRepeat {
    /// The weight stays.
    Keep,
    /// The new weight.
    #[default]
    Replace,
    /// The lesser weight.
    Least,
    /// Both weights together.
    Sum,
}

impl OnRepeat {
    fn combine<W: EdgeWeight>(self, old: W, new: W) -> W {
        match self {
            OnRepeat::Keep => old,
            OnRepeat::Replace => new,
            OnRepeat::Least => old.least(new),
            OnRepeat::Sum => old.sum(new),
        }
    }
}

/// Changes that are applied together, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch<W> {
    changes: Vec<(u32, u32, Change<W>)>,
    on_repeat: OnRepeat,
}

impl<W: EdgeWeight> Batch<W> {
    /// No changes yet.
    pub fn new() -> Self {
        Batch { changes: Vec::new(), on_repeat: OnRepeat::default() }
    }

    /// Says what an insertion does to an edge that is there already.
    pub fn on_repeat(&mut self, on_repeat: OnRepeat) -> &mut Self {
        self.on_repeat = on_repeat;
        self
    }

    /// Adds an edge.
    pub fn insert(&mut self, source: u32, target: u32, weight: W) -> &mut Self {
        self.push(source, target, Change::Insert(weight))
    }

    /// Takes an edge away; nothing happens where there is none.
    pub fn delete(&mut self, source: u32, target: u32) -> &mut Self {
        self.push(source, target, Change::Delete)
    }

    /// A change.
    pub fn push(&mut self, source: u32, target: u32, change: Change<W>) -> &mut Self {
        self.changes.push((source, target, change));
        self
    }

    /// The changes in their order.
    pub fn changes(&self) -> &[(u32, u32, Change<W>)] {
        &self.changes
    }

    /// What an insertion does to an edge that is there already.
    pub fn repeats(&self) -> OnRepeat {
        self.on_repeat
    }

    /// The number of changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Without changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Takes all changes away; the memory stays.
    pub fn clear(&mut self) {
        self.changes.clear();
    }

    /// The greatest vertex named.
    pub fn greatest(&self) -> Option<u32> {
        self.changes.par_iter().with_min_len(1 << 14).map(|&(source, target, _)| source.max(target)).max()
    }

    /// An error unless all vertices are below `vertices` and all weights are fine.
    pub(crate) fn check(&self, vertices: usize) -> Result<()> {
        let is_bad = |&(source, target, change): &(u32, u32, Change<W>)| {
            source.max(target) as usize >= vertices || matches!(change, Change::Insert(weight) if !weight.is_fine())
        };
        let Some(at) = self.changes.par_iter().with_min_len(1 << 14).position_first(is_bad) else { return Ok(()) };
        let (source, target, change) = self.changes[at];
        let vertex = if source as usize >= vertices { source } else { target };
        Err(match change {
            _ if vertex as usize >= vertices => DynamicError::UnknownVertex { place: at + 1, vertex, vertices },
            Change::Insert(weight) => {
                DynamicError::BadWeight { place: at + 1, source_vertex: source, target, weight: weight.text() }
            }
            Change::Delete => unreachable!("a deletion has no weight"),
        })
    }
}

/// What a batch does to one edge, all its changes of that edge together: it erases or adds or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect<W> {
    pub(crate) source: u32,
    pub(crate) target: u32,
    /// The edge that was there is gone, whatever its weight.
    pub(crate) erases: bool,
    /// An edge comes, with this weight.
    adds: Option<W>,
}

impl<W: EdgeWeight> Effect<W> {
    pub(crate) fn of(source: u32, target: u32, change: Change<W>) -> Self {
        match change {
            Change::Insert(weight) => Effect { source, target, erases: false, adds: Some(weight) },
            Change::Delete => Effect { source, target, erases: true, adds: None },
        }
    }

    /// The effect of this and then of `next`, which is of the same edge.
    fn then(self, next: Self, on_repeat: OnRepeat) -> Self {
        let adds = match (self.adds, next.adds) {
            (Some(old), Some(new)) if !next.erases => Some(on_repeat.combine(old, new)),
            (_, new) => new,
        };
        Effect { erases: self.erases || next.erases, adds, ..self }
    }

    /// The weight afterwards; `None`: there is no edge afterwards.
    pub(crate) fn on(self, old: Option<W>, on_repeat: OnRepeat) -> Option<W> {
        match (old, self.adds) {
            (Some(old), Some(new)) if !self.erases => Some(on_repeat.combine(old, new)),
            (_, new) => new,
        }
    }
}

/// Makes one effect of those of one edge, which stand side by side in the order of their changes.
pub(crate) fn merge_repeats<W: EdgeWeight>(effects: &mut Vec<Effect<W>>, on_repeat: OnRepeat) {
    effects.dedup_by(|next, first| {
        let same = (next.source, next.target) == (first.source, first.target);
        if same {
            *first = first.then(*next, on_repeat);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(changes: &[Change<i32>], on_repeat: OnRepeat) -> Effect<i32> {
        let mut effects = changes.iter().map(|&change| Effect::of(1, 2, change)).collect();
        merge_repeats(&mut effects, on_repeat);
        effects[0]
    }

    #[test]
    fn the_order_of_changes_counts() {
        use Change::*;
        for (changes, on_repeat, absent, present) in [
            (&[Insert(3), Delete][..], OnRepeat::Sum, None, None),
            (&[Delete, Insert(3)], OnRepeat::Sum, Some(3), Some(3)),
            (&[Insert(3), Insert(4)], OnRepeat::Sum, Some(7), Some(17)),
            (&[Insert(3), Insert(4)], OnRepeat::Least, Some(3), Some(3)),
            (&[Insert(3), Insert(4)], OnRepeat::Keep, Some(3), Some(10)),
            (&[Insert(3), Insert(4)], OnRepeat::Replace, Some(4), Some(4)),
            (&[Insert(3), Delete, Insert(4)], OnRepeat::Keep, Some(4), Some(4)),
            (&[Insert(i32::MAX), Insert(4)], OnRepeat::Sum, Some(i32::MAX), Some(i32::MAX)),
        ] {
            let effect = effect(changes, on_repeat);
            assert_eq!((effect.on(None, on_repeat), effect.on(Some(10), on_repeat)), (absent, present), "{changes:?}");
        }
    }

    #[test]
    fn what_cannot_be_applied_is_named() {
        let mut batch = Batch::new();
        batch.insert(0, 1, 1.5).insert(1, 7, 1.0);
        let error = batch.check(5).unwrap_err().to_string();
        assert_eq!(error, "change 2 of the batch names vertex 7, but there are 5 vertices; add vertices first");
        batch.clear();
        batch.insert(0, 1, f32::NAN);
        let error = batch.check(5).unwrap_err().to_string();
        assert_eq!(error, "change 1 of the batch gives edge 0 -> 1 the weight NaN: weights are finite");
    }
}
