//! Who has touched which line: exact sets, and Bloom filters with false positives.

use super::hierarchy::mix;

/// A task that runs or has finished, by its place in the table of tasks.
pub type TaskId = u32;

/// The uncommitted readers and writers of every writable line.
#[derive(Debug, Default)]
pub struct LineTable {
    lines: Vec<Line>,
}

#[derive(Debug, Default, Clone)]
struct Line {
    readers: Vec<TaskId>,
    writers: Vec<TaskId>,
}

impl LineTable {
    /// Makes room for lines.
    pub fn reserve(&mut self, lines: usize) {
        if self.lines.len() < lines {
            self.lines.resize(lines, Line::default());
        }
    }

    /// The tasks that wrote a line, and for a write also those that read it.
    pub fn rivals(&self, line: u64, write: bool) -> impl Iterator<Item = TaskId> {
        let Line { readers, writers } = &self.lines[line as usize];
        let readers = if write { readers.as_slice() } else { &[] };
        writers.iter().chain(readers).copied()
    }

    /// Notes an access; true when it is the first of its kind by this task.
    pub fn note(&mut self, line: u64, write: bool, task: TaskId) -> bool {
        let line = &mut self.lines[line as usize];
        let list = if write { &mut line.writers } else { &mut line.readers };
        if list.last() == Some(&task) || list.contains(&task) {
            return false;
        }
        list.push(task);
        true
    }

    /// A task is gone: it no longer reads or writes the line.
    pub fn forget(&mut self, line: u64, write: bool, task: TaskId) {
        let line = &mut self.lines[line as usize];
        let list = if write { &mut line.writers } else { &mut line.readers };
        if let Some(at) = list.iter().position(|&t| t == task) {
            list.swap_remove(at);
        }
    }

    /// Whether nobody is noted anywhere; for tests.
    pub fn is_clear(&self) -> bool {
        self.lines.iter().all(|line| line.readers.is_empty() && line.writers.is_empty())
    }
}

/// A set of lines that may claim to hold a line it does not hold.
#[derive(Debug, Clone)]
pub struct Bloom {
    bits: Vec<u64>,
    hashes: usize,
}

impl Bloom {
    /// An empty filter.
    pub fn new(bits: usize, hashes: usize) -> Bloom {
        Bloom { bits: vec![0; bits.div_ceil(64)], hashes }
    }

    /// Each hash function has a part of the bits of its own, as in hardware.
    fn places(&self, line: u64) -> impl Iterator<Item = usize> + use<> {
        let total = self.bits.len() * 64;
        let part = (total / self.hashes).max(1);
        (0..self.hashes).map(move |i| {
            let hash = mix(line ^ (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as usize;
            (i * part + hash % part) % total
        })
    }

    /// Adds a line.
    pub fn add(&mut self, line: u64) {
        for at in self.places(line) {
            self.bits[at / 64] |= 1 << (at % 64);
        }
    }

    /// Whether the filter may hold a line.
    pub fn may_hold(&self, line: u64) -> bool {
        self.places(line).all(|at| self.bits[at / 64] & (1 << (at % 64)) != 0)
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_hold_what_was_added_and_little_else() {
        let mut filter = Bloom::new(2048, 8);
        (0..64).for_each(|line| filter.add(line * 3));
        assert!((0..64).all(|line| filter.may_hold(line * 3)));
        let wrong = (1000..11000).filter(|&line| filter.may_hold(line)).count();
        // 64 of 256 bits per part are set at most: (1/4)^8 of strangers pass.
        assert!(wrong < 10, "{wrong}");
        let mut tiny = Bloom::new(64, 8);
        (0..64).for_each(|line| tiny.add(line));
        assert!((1000..1100).filter(|&line| tiny.may_hold(line)).count() > 90);
    }

    #[test]
    fn lines_know_their_readers_and_writers() {
        let mut table = LineTable::default();
        table.reserve(2);
        assert!(table.note(1, false, 7) && !table.note(1, false, 7) && table.note(1, true, 9));
        assert_eq!(table.rivals(1, false).collect::<Vec<_>>(), [9]);
        assert_eq!(table.rivals(1, true).collect::<Vec<_>>(), [9, 7]);
        table.forget(1, true, 9);
        table.forget(1, false, 7);
        assert!(table.is_clear());
    }
}
