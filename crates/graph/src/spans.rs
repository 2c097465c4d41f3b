//! Neighbour lists that stand apart in memory of somebody else, such as the blocks of a graph that changes.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::csr::split;
use crate::derived::CsrM;
use crate::parallel;
use crate::{Offsets, VertexId, Weight, WeightKind, Weights, with_weight_type};

/// The lists of all vertices: where each begins and ends in memory that an owner keeps. A copy shares the memory.
#[derive(Clone)]
pub struct Spans(Arc<Memory>);

/// Invariant, promised by the caller of [`Spans::new`]: every slot of every range has contents, and they stay where
/// they are and unchanged while the owner lives.
struct Memory {
    ranges: CsrM,
    targets: *const VertexId,
    /// Of the kind said; null without weights.
    weights: *const u8,
    kind: WeightKind,
    #[expect(dead_code, reason = "keeps the slots")]
    owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: nobody writes the slots of the ranges (invariant of `Memory`), and the owner may be sent and shared itself.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Spans {
    /// Lists in slots of `targets`, with weights in the same slots of `weights`, which is not looked at where weights
    /// have no size: list `v` is `list(v)`, the first slot and the number of entries. Panics when a list lies outside
    /// the slots.
    ///
    /// # Safety
    /// All slots of all lists must have contents that stay valid, in place and unchanged until `owner` is dropped;
    /// other slots may be empty and may change. Every list must ascend, and all its entries must be below `lists`.
    pub unsafe fn new<W: Weight>(
        lists: usize,
        list: impl Fn(VertexId) -> (usize, usize) + Sync,
        targets: *const [VertexId],
        weights: *const [W],
        owner: Box<dyn Any + Send + Sync>,
    ) -> Self {
        let slots = if size_of::<W>() == 0 { targets.len() } else { targets.len().min(weights.len()) };
        let ranges = ranges_of(lists, slots, &list);
        let weights = if size_of::<W>() == 0 { std::ptr::null() } else { weights.cast() };
        Spans(Arc::new(Memory { ranges, targets: targets.cast(), weights, kind: W::KIND, owner }))
    }

    /// The slots of every list.
    pub fn ranges(&self) -> &CsrM {
        &self.0.ranges
    }

    /// The slots of one list.
    #[inline]
    pub fn range(&self, v: VertexId) -> Range<usize> {
        self.0.ranges.range(v)
    }

    /// The first of all slots of targets. Only those of lists may be read.
    pub fn targets(&self) -> *const VertexId {
        self.0.targets
    }

    /// The first of all slots of weights, of [`Spans::kind`]; null without weights. Only those of lists may be read.
    pub fn weights(&self) -> *const u8 {
        self.0.weights
    }

    /// The kind of the weights.
    pub fn kind(&self) -> WeightKind {
        self.0.kind
    }

    /// A list.
    #[inline]
    pub(crate) fn list(&self, v: VertexId) -> &[VertexId] {
        let range = self.range(v);
        // SAFETY: the invariant of `Memory`.
        unsafe { std::slice::from_raw_parts(self.0.targets.add(range.start), range.len()) }
    }

    /// The weights of a list; none where weights are of another kind or have no size.
    pub(crate) fn weights_of<W: Weight>(&self, v: VertexId) -> &[W] {
        if W::KIND != self.0.kind || W::KIND == WeightKind::None {
            return &[];
        }
        let range = self.range(v);
        // SAFETY: the invariant of `Memory`; the weights are of this type.
        unsafe { std::slice::from_raw_parts(self.0.weights.cast::<W>().add(range.start), range.len()) }
    }

    /// The offsets of a copy of the lists one behind the other, as wide as the ranges.
    pub(crate) fn running_sums(&self) -> Offsets {
        let lists = 0..self.0.ranges.lists() as u32;
        match &self.0.ranges {
            CsrM::Narrow(_) => {
                Offsets::from_degrees(&parallel::list(lists.len(), |v| self.range(v as u32).len() as u32))
            }
            CsrM::Wide(_) => {
                let mut sum = 0;
                let sums = lists.map(|v| {
                    sum += self.range(v).len() as u64;
                    sum
                });
                Offsets::Wide(std::iter::once(0).chain(sums).collect::<Vec<_>>().into())
            }
        }
    }

    /// A copy of the lists one behind the other.
    pub(crate) fn rows(&self, offsets: &Offsets) -> (Vec<VertexId>, Weights) {
        with_weight_type!(self.0.kind, W => self.rows_of::<W>(offsets))
    }

    fn rows_of<W: Weight>(&self, offsets: &Offsets) -> (Vec<VertexId>, Weights) {
        const RUN: usize = 1 << 12;
        let (mut targets, mut weights) = (vec![0; offsets.total()], vec![W::default(); offsets.total()]);
        let firsts: Vec<usize> = (0..offsets.lists()).step_by(RUN).chain([offsets.lists()]).collect();
        let bounds = || firsts.iter().map(|&v| offsets.at(v));
        let parts = split(&mut targets, bounds()).into_iter().zip(split(&mut weights, bounds()));
        let runs: Vec<_> = firsts.windows(2).map(|run| run[0]..run[1]).zip(parts).collect();
        parallel::map_items(runs, |(lists, (targets, weights))| {
            let first = offsets.at(lists.start);
            for v in lists {
                let here = offsets.at(v) - first..offsets.at(v + 1) - first;
                targets[here.clone()].copy_from_slice(self.list(v as VertexId));
                if W::KIND != WeightKind::None {
                    weights[here].copy_from_slice(self.weights_of(v as VertexId));
                }
            }
        });
        (targets, W::wrap(weights))
    }

    /// Bytes of the ranges. The slots are the owner's.
    pub(crate) fn bytes(&self) -> usize {
        self.0.ranges.bytes()
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").field("ranges", &self.0.ranges).field("kind", &self.0.kind).finish_non_exhaustive()
    }
}

/// The slots of every list, in as few bits as they need. Panics when a list lies outside the slots.
fn ranges_of(lists: usize, slots: usize, list: &(dyn Fn(VertexId) -> (usize, usize) + Sync)) -> CsrM {
    let range = |v: usize| {
        let (begin, len) = list(v as VertexId);
        let end = begin.checked_add(len).filter(|&end| end <= slots);
        [begin, end.unwrap_or_else(|| panic!("list {v} does not lie in the {slots} slots"))]
    };
    match u32::try_from(slots) {
        Ok(_) => CsrM::Narrow(parallel::list(lists, |v| range(v).map(|slot| slot as u32)).into()),
        Err(_) => CsrM::Wide(parallel::list(lists, |v| range(v).map(|slot| slot as u64)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derived::CooOrder;
    use crate::{BuildOptions, EdgeList, Graph, Symmetry, Weights, build};

    /// Three lists in the wrong order, with gaps that hold nonsense.
    fn spread<W: Weight>(weights: Vec<W>) -> (Graph, Graph) {
        let targets = vec![9, 0, 2, 9, 9, 1, 2, 9];
        let lists = [(5, 2), (0, 0), (1, 2)];
        let owner = Arc::new((targets, weights));
        let (slots, values) = (&raw const owner.0[..], &raw const owner.1[..]);
        let list = |v: u32| lists[v as usize];
        // SAFETY: nobody changes the vectors, which the spans hold; lists ascend, below 3.
        let spans = unsafe { Spans::new(3, list, slots, values, Box::new(Arc::clone(&owner))) };
        let triples = [(0, 1, 5), (0, 2, 6), (2, 0, 1), (2, 2, 2)].map(|(s, t, slot)| (s, t, owner.1[slot]));
        let options = BuildOptions { keep_loops: true, symmetry: Symmetry::Directed, ..BuildOptions::default() };
        (Graph::from_spans(spans, None, false), build(EdgeList::from_triples(3, triples), &options).unwrap())
    }

    fn is_copied(graph: &Graph) -> bool {
        graph.derived().iter().any(|form| form.name.starts_with("compressed copy"))
    }

    #[test]
    fn lists_are_read_where_they_stand() {
        let (spans, rows) = spread((0..8).map(|slot| 10 * slot).collect::<Vec<i32>>());
        assert_eq!((spans.vertices(), spans.edges(), spans.weight_kind()), (3, 4, WeightKind::Int));
        assert_eq!([0, 1, 2].map(|v| spans.out().neighbours(v)), [&[1, 2][..], &[], &[0, 2]]);
        assert_eq!([0, 1, 2].map(|v| spans.out().weights_of::<i32>(v)), [&[50, 60][..], &[], &[10, 20]]);
        assert_eq!([0, 1, 2].map(|v| spans.out().positions(v)), [5..7, 0..0, 1..3]);
        assert_eq!((0..4).map(|e| spans.out().weight_of(e)).collect::<Vec<_>>(), [50., 60., 10., 20.].map(Some));
        assert_eq!(spans.least_weight(), Some(10.0));
        assert_eq!(spans.incoming(), rows.incoming());
        assert_eq!(*spans.by_falling_degree().unwrap().graph, *rows.by_falling_degree().unwrap().graph);
        assert!(!is_copied(&spans) && !is_copied(&rows));
    }

    #[test]
    fn who_wants_rows_gets_a_copy_whose_cost_is_told() {
        let (spans, rows) = spread(vec![(); 8]);
        assert_eq!(spans.out().targets(), [1, 2, 0, 2]);
        assert!(is_copied(&spans));
        assert_eq!(spans, rows);
        for order in [CooOrder::Source, CooOrder::Destination] {
            assert_eq!(spans.coo(order).unwrap(), rows.coo(order).unwrap());
        }
        assert_eq!(spans.csr_m().unwrap(), rows.csr_m().unwrap());
        let (spans, rows) = spread((0..8).map(|slot| 0.5 * slot as f32).collect::<Vec<_>>());
        let anew = spans.anew();
        assert!(matches!(anew.out().weights(), Weights::Float(w) if **w == [2.5, 3.0, 0.5, 1.0]));
        assert_eq!(anew, rows);
        assert!(is_copied(&anew) && !is_copied(&spans));
        crate::validate(&spans).unwrap();
    }
}
