//! The changes of a batch in the order of pages, lists and targets.

use std::ops::Range;

use rayon::prelude::*;

use crate::batch::{Change, Effect, OnRepeat, merge_repeats};
use crate::weight::EdgeWeight;

/// Vertices of one page: what a version copies when one of them changes.
pub(crate) const PAGE: usize = 1 << 12;

/// From which ends a change of an edge is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ways {
    /// From the source.
    Forward,
    /// From the target.
    Backward,
    /// From both; a loop has one end.
    Both,
}

impl Ways {
    fn effects<W: EdgeWeight>(self, change: &(u32, u32, Change<W>)) -> impl Iterator<Item = Effect<W>> + use<W> {
        let &(source, target, what) = change;
        let forward = (self != Ways::Backward).then(|| Effect::of(source, target, what));
        let backward = match self {
            Ways::Forward => false,
            Ways::Backward => true,
            Ways::Both => source != target,
        };
        forward.into_iter().chain(backward.then(|| Effect::of(target, source, what)))
    }
}

/// The effects on the lists of one page, sorted by source and target, one per edge.
pub(crate) struct OnPage<W> {
    pub(crate) page: usize,
    pub(crate) effects: Vec<Effect<W>>,
}

impl<W: EdgeWeight> OnPage<W> {
    /// The vertices whose lists are meant, each with the place of its effects.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        let mut first = 0;
        self.effects.chunk_by(|a, b| a.source == b.source).map(move |of_list| {
            let range = first..first + of_list.len();
            first = range.end;
            (of_list[0].source, range)
        })
    }
}

/// The effects of changes by page; pages ascend. Changes of one edge become one effect, in their order.
pub(crate) fn by_page<W: EdgeWeight>(
    changes: &[(u32, u32, Change<W>)],
    ways: Ways,
    pages: usize,
    on_repeat: OnRepeat,
) -> Vec<OnPage<W>> {
    /// Fewer changes than this are sorted by one thread.
    const FEW: usize = 1 << 13;
    let page = |effect: &Effect<W>| effect.source as usize / PAGE;
    if changes.len() < FEW {
        let mut effects: Vec<Effect<W>> = changes.iter().flat_map(|change| ways.effects(change)).collect();
        // A stable sort: the order of changes of one edge counts.
        effects.sort_by_key(|e| u64::from(e.source) << 32 | u64::from(e.target));
        merge_repeats(&mut effects, on_repeat);
        let parts = effects.chunk_by(|a, b| page(a) == page(b));
        return parts.map(|part| OnPage { page: page(&part[0]), effects: part.to_vec() }).collect();
    }
    // Every thread deals its share out to the pages; then every page takes its parts in the order of the shares.
    let share = changes.len().div_ceil(rayon::current_num_threads());
    let shares: Vec<Vec<Vec<Effect<W>>>> = changes
        .par_chunks(share)
        .map(|share| {
            let mut counts = vec![0; pages];
            let effects = || share.iter().flat_map(|change| ways.effects(change));
            effects().for_each(|effect| counts[page(&effect)] += 1);
            let mut parts: Vec<Vec<Effect<W>>> = counts.into_iter().map(Vec::with_capacity).collect();
            effects().for_each(|effect| parts[page(&effect)].push(effect));
            parts
        })
        .collect();
    let on_page = |page: usize| {
        let parts = || shares.iter().map(|share| &share[page][..]);
        parts().any(|part| !part.is_empty()).then(|| OnPage { page, effects: sorted(parts, on_repeat) })
    };
    (0..pages).into_par_iter().filter_map(on_page).collect()
}

/// The effects on one page, sorted: a counting sort by source, then the few of every list by target.
fn sorted<'e, W: EdgeWeight, P: Iterator<Item = &'e [Effect<W>]>>(
    parts: impl Fn() -> P,
    on_repeat: OnRepeat,
) -> Vec<Effect<W>> {
    let at = |effect: &Effect<W>| effect.source as usize % PAGE;
    let mut begins = vec![0u32; PAGE + 1];
    parts().flatten().for_each(|effect| begins[at(effect) + 1] += 1);
    for v in 0..PAGE {
        begins[v + 1] += begins[v];
    }
    let Some(&any) = parts().flatten().next() else { return Vec::new() };
    let mut effects = vec![any; begins[PAGE] as usize];
    for effect in parts().flatten() {
        let begin = &mut begins[at(effect)];
        effects[*begin as usize] = *effect;
        *begin += 1;
    }
    for of_list in effects.chunk_by_mut(|a, b| a.source == b.source) {
        if !of_list.is_sorted_by_key(|effect| effect.target) {
            of_list.sort_by_key(|effect| effect.target);
        }
    }
    merge_repeats(&mut effects, on_repeat);
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few changes and many are ordered by different means, in the same way.
    #[test]
    fn many_changes_are_ordered_like_few() {
        let vertices = 3 * PAGE as u64;
        let number = |i: u64, by: u64| (i.wrapping_mul(by) >> 7) % vertices;
        let changes: Vec<(u32, u32, Change<i32>)> = (0..20_000u64)
            .map(|i| {
                let what = if i % 5 == 0 { Change::Delete } else { Change::Insert(i as i32) };
                // A tenth of them at one vertex, and repeated targets.
                let source = if i % 10 == 0 { 5000 } else { number(i, 0x9e37_79b9_7f4a_7c15) };
                (source as u32, (number(i, 0xbf58_476d_1ce4_e5b9) / 50) as u32, what)
            })
            .collect();
        for ways in [Ways::Forward, Ways::Backward, Ways::Both] {
            let mut expected: Vec<Effect<i32>> = changes.iter().flat_map(|change| ways.effects(change)).collect();
            expected.sort_by_key(|effect| (effect.source, effect.target));
            merge_repeats(&mut expected, OnRepeat::Sum);
            let found = by_page(&changes, ways, 3, OnRepeat::Sum);
            assert!(found.iter().all(|p| p.effects.iter().all(|e| e.source as usize / PAGE == p.page)));
            let found: Vec<Effect<i32>> = found.into_iter().flat_map(|p| p.effects).collect();
            assert!(found == expected, "{ways:?}");
        }
    }
}
