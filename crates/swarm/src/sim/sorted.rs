//! Queues in order: entries side by side in one piece of memory, cheap to change near both ends.

use std::collections::VecDeque;

/// Entries in ascending order, no two of them equal.
#[derive(Debug)]
pub(super) struct Sorted<T> {
    entries: VecDeque<T>,
}

impl<T> Default for Sorted<T> {
    fn default() -> Sorted<T> {
        Sorted { entries: VecDeque::new() }
    }
}

impl<T: Ord> Sorted<T> {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn first(&self) -> Option<&T> {
        self.entries.front()
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.entries.back()
    }

    pub(super) fn iter(&self) -> std::collections::vec_deque::Iter<'_, T> {
        self.entries.iter()
    }

    pub(super) fn pop_first(&mut self) -> Option<T> {
        self.entries.pop_front()
    }

    pub(super) fn insert(&mut self, entry: T) {
        match self.entries.back() {
            Some(last) if *last > entry => {
                let at = self.entries.partition_point(|other| *other < entry);
                self.entries.insert(at, entry);
            }
            _ => self.entries.push_back(entry),
        }
    }

    /// Takes an entry out, if it is there.
    pub(super) fn remove(&mut self, entry: &T) {
        if self.entries.front() == Some(entry) {
            self.entries.pop_front();
        } else if let Ok(at) = self.entries.binary_search(entry) {
            self.entries.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn queues_are_sets_in_order() {
        let (mut queue, mut model) = (Sorted::default(), BTreeSet::new());
        let mut state = 3u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let entry = (state >> 33) % 300;
            match state >> 62 {
                0 | 1 if model.insert(entry) => queue.insert(entry),
                2 => {
                    queue.remove(&entry);
                    model.remove(&entry);
                }
                3 => assert_eq!(queue.pop_first(), model.pop_first()),
                _ => {}
            }
            assert_eq!((queue.len(), queue.first(), queue.last()), (model.len(), model.first(), model.last()));
        }
        assert!(queue.iter().eq(&model));
    }
}
