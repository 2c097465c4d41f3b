//! The entries of one list as marks in a bitmap, for lists that are intersected with many others in a row.

use super::probe;

/// A bitmap with the entries of one list. Each worker has its own.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    bits: Vec<u32>,
    /// Identity of the list whose entries are marked. It is compared, never followed.
    list: usize,
    length: usize,
    /// The entries marked, which are the first of the list.
    marked: Vec<u32>,
}

impl Marks {
    /// Marks the entries of a list that are not above `limit`. More stay marked when the list is the same as before.
    pub(crate) fn mark(&mut self, list: &[u32], limit: u32) {
        if (self.list, self.length) != (list.as_ptr() as usize, list.len()) {
            for &x in &self.marked {
                self.bits[x as usize / 32] = 0;
            }
            self.marked.clear();
            (self.list, self.length) = (list.as_ptr() as usize, list.len());
        }
        let words = limit as usize / 32 + 1;
        if self.bits.len() < words {
            self.bits.resize(words.next_power_of_two(), 0);
        }
        for &x in list.get(self.marked.len()..).unwrap_or_default() {
            if x > limit {
                break;
            }
            self.bits[x as usize / 32] |= 1 << (x % 32);
            self.marked.push(x);
        }
    }

    /// Number of marked entries of an ascending list that are not above `limit`, which the last marking covered.
    pub(crate) fn count(&self, list: &[u32], limit: u32) -> u64 {
        probe::count(&self.bits, list, limit)
    }

    /// Lists may change from now on: none is taken for the one that is marked.
    pub(crate) fn forget(&mut self) {
        (self.list, self.length) = (0, usize::MAX);
    }
}
