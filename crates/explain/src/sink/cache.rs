//! A cache with least-recently-used replacement in sets.

/// A cache of lines, by line number.
#[derive(Debug, Clone)]
pub struct Cache {
    /// `sets * ways` line numbers, the most recent of each set first.
    lines: Vec<u64>,
    sets: u64,
    ways: usize,
}

/// A line number that no address has.
const EMPTY: u64 = u64::MAX;

impl Cache {
    /// A cache of this many bytes, bytes per line and lines per set.
    pub fn new(bytes: u64, line_bytes: u64, ways: usize) -> Cache {
        let lines = (bytes / line_bytes).max(1);
        let ways = ways.clamp(1, lines as usize);
        let sets = (lines / ways as u64).max(1);
        Cache { lines: vec![EMPTY; sets as usize * ways], sets, ways }
    }

    /// Accesses a line; true when it was there.
    #[inline]
    pub fn access(&mut self, line: u64) -> bool {
        let set = (line % self.sets) as usize * self.ways;
        let set = &mut self.lines[set..set + self.ways];
        if set[0] == line {
            return true;
        }
        match set.iter().position(|&l| l == line) {
            Some(way) => {
                set[..=way].rotate_right(1);
                true
            }
            None => {
                set.rotate_right(1);
                set[0] = line;
                false
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lines.fill(EMPTY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_was_not_used_longest_goes_first() {
        // One set of two lines.
        let mut cache = Cache::new(128, 64, 2);
        let hits: Vec<bool> = [1, 2, 1, 3, 2, 1, 3].iter().map(|&line| cache.access(line)).collect();
        // 3 pushes 2 out, 2 pushes 1 out, 1 pushes 3 out, 3 pushes 2 out.
        assert_eq!(hits, [false, false, true, false, false, false, false]);
        cache.clear();
        assert!(!cache.access(3));
    }

    #[test]
    fn lines_of_other_sets_stay() {
        // Four sets of one line.
        let mut cache = Cache::new(256, 64, 1);
        assert_eq!(
            [0, 1, 2, 3, 0, 4, 0, 1].map(|line| cache.access(line)),
            [false, false, false, false, true, false, false, true]
        );
    }
}
