//! What the effects of a batch do to one list.

use crate::batch::{Effect, OnRepeat};
use crate::lists::ChangedEdge;
use crate::region::Region;
use crate::weight::EdgeWeight;

/// The first position whose entry is `target` or more. Steps double, so that a near position is found fast in a long
/// list.
pub(crate) fn first_from(list: &[u32], target: u32) -> usize {
    let mut step = 1;
    while step < list.len() && list[step] < target {
        step *= 2;
    }
    let low = step / 2;
    low + list[low..list.len().min(step + 1)].partition_point(|&entry| entry < target)
}

/// Whether nothing changes, to the last bit: 0 and -0 are two weights, or the two ends of an edge may come to differ.
pub(crate) fn same<W: EdgeWeight>(old: Option<W>, new: Option<W>) -> bool {
    old.map(W::bits) == new.map(W::bits)
}

/// Makes a changed list; the memory is used for many lists.
pub(crate) struct Merge<W> {
    pub(crate) targets: Vec<u32>,
    pub(crate) weights: Vec<W>,
    /// Positions where entries go.
    gone: Vec<usize>,
    /// New entries, each before the entry at this position.
    fresh: Vec<(usize, u32, W)>,
}

impl<W> Default for Merge<W> {
    fn default() -> Self {
        Merge { targets: Vec::new(), weights: Vec::new(), gone: Vec::new(), fresh: Vec::new() }
    }
}

impl<W: EdgeWeight> Merge<W> {
    /// Leaves the list from the first change on in `targets` and `weights`, and returns how many entries before it stay
    /// as they are. Appends what changed to `changes`.
    pub(crate) fn run(
        &mut self,
        (targets, weights): (&[u32], &[W]),
        effects: &[Effect<W>],
        on_repeat: OnRepeat,
        changes: &mut Vec<ChangedEdge<W>>,
    ) -> usize {
        self.targets.clear();
        self.weights.clear();
        let kept = first_from(targets, effects[0].target);
        let mut at = kept;
        for effect in effects {
            let next = at + first_from(&targets[at..], effect.target);
            self.targets.extend_from_slice(&targets[at..next]);
            self.weights.extend_from_slice(&weights[at..next]);
            at = next;
            let old = (targets.get(at) == Some(&effect.target)).then(|| weights[at]);
            let new = effect.on(old, on_repeat);
            if let Some(weight) = new {
                self.targets.push(effect.target);
                self.weights.push(weight);
            }
            at += usize::from(old.is_some());
            if !same(old, new) {
                changes.push(ChangedEdge { source: effect.source, target: effect.target, old, new });
            }
        }
        self.targets.extend_from_slice(&targets[at..]);
        self.weights.extend_from_slice(&weights[at..]);
        kept
    }

    /// Changes a list where it stands and returns its new length. Appends what changed to `changes`.
    ///
    /// # Safety
    /// The `len` slots from `begin` on have been written, nobody else reads or writes them or the next
    /// `effects.len()` slots behind them at the same time.
    pub(crate) unsafe fn in_place(
        &mut self,
        (targets, weights): (&Region<u32>, &Region<W>),
        (begin, len): (usize, usize),
        effects: &[Effect<W>],
        on_repeat: OnRepeat,
        changes: &mut Vec<ChangedEdge<W>>,
    ) -> usize {
        self.gone.clear();
        self.fresh.clear();
        // SAFETY: written, and ours alone (promise of the caller); targets are not written while this is in use.
        let list = unsafe { targets.read(begin, len) };
        let mut at = 0;
        for effect in effects {
            at += first_from(&list[at..], effect.target);
            // SAFETY: the entry has a weight that was written; the reference ends with the statement.
            let old = (list.get(at) == Some(&effect.target)).then(|| unsafe { weights.read(begin + at, 1)[0] });
            let new = effect.on(old, on_repeat);
            if same(old, new) {
                continue;
            }
            changes.push(ChangedEdge { source: effect.source, target: effect.target, old, new });
            match (old, new) {
                // SAFETY: the slot is ours alone, and nothing refers to weights.
                (Some(_), Some(weight)) => unsafe { weights.write(begin + at, &[weight]) },
                (Some(_), None) => self.gone.push(at),
                (None, Some(weight)) => self.fresh.push((at - self.gone.len(), effect.target, weight)),
                (None, None) => {}
            }
        }
        // What stays moves forward over what goes, then back to make room for what comes.
        for (before, &hole) in self.gone.iter().enumerate() {
            let next = self.gone.get(before + 1).copied().unwrap_or(len);
            // SAFETY: inside the list, which nothing refers to any more.
            unsafe {
                targets.shift(begin + hole + 1, begin + hole - before, next - hole - 1);
                weights.shift(begin + hole + 1, begin + hole - before, next - hole - 1);
            }
        }
        let left = len - self.gone.len();
        let mut end = left;
        for (before, &(position, target, weight)) in self.fresh.iter().enumerate().rev() {
            // SAFETY: inside the list and the slots behind it, of which there is one per effect.
            unsafe {
                targets.shift(begin + position, begin + position + before + 1, end - position);
                weights.shift(begin + position, begin + position + before + 1, end - position);
                targets.write(begin + position + before, &[target]);
                weights.write(begin + position + before, &[weight]);
            }
            end = position;
        }
        left + self.fresh.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_anywhere() {
        let list: Vec<u32> = (0..100).map(|i| i * 3).collect();
        for len in [0, 1, 2, 3, 7, 8, 9, 100] {
            for target in 0..305 {
                let expected = list[..len].iter().filter(|&&entry| entry < target).count();
                assert_eq!(first_from(&list[..len], target), expected, "{target} among {len}");
            }
        }
    }
}
