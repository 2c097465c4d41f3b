//! Caches: tags only, least recently used first to go.

use super::memory::LINE;

/// A set-associative cache. Sets are picked by the low bits of a hash of the line.
#[derive(Debug, Clone)]
pub struct Cache {
    sets: u64,
    ways: usize,
    /// Line + 1 by set, most recently used first; 0 is empty.
    tags: Vec<u64>,
}

impl Cache {
    /// A cache of this size; at least one set.
    pub fn new(bytes: u64, ways: usize) -> Cache {
        let sets = (bytes / (LINE * ways as u64)).max(1);
        Cache { sets, ways, tags: vec![0; sets as usize * ways] }
    }

    fn set(&mut self, line: u64) -> &mut [u64] {
        let at = (line % self.sets) as usize * self.ways;
        &mut self.tags[at..at + self.ways]
    }

    /// Looks a line up; a hit makes it the most recent one.
    #[inline]
    pub fn touch(&mut self, line: u64) -> bool {
        let set = self.set(line);
        match set.iter().position(|&tag| tag == line + 1) {
            Some(0) => true,
            Some(at) => {
                set.copy_within(..at, 1);
                set[0] = line + 1;
                true
            }
            None => false,
        }
    }

    /// Brings a line in that is not there; the line that had to go.
    pub fn fill(&mut self, line: u64) -> Option<u64> {
        let set = self.set(line);
        let last = set.len() - 1;
        let gone = set[last];
        set.copy_within(..last, 1);
        set[0] = line + 1;
        gone.checked_sub(1)
    }

    /// Takes a line out.
    pub fn remove(&mut self, line: u64) {
        let set = self.set(line);
        if let Some(at) = set.iter().position(|&tag| tag == line + 1) {
            set.copy_within(at + 1.., at);
            if let Some(last) = set.last_mut() {
                *last = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The obvious model: a time per line, the oldest of a full set goes.
    struct Model {
        sets: u64,
        ways: usize,
        used: HashMap<u64, u64>,
    }

    impl Model {
        fn access(&mut self, line: u64, now: u64) -> bool {
            if self.used.insert(line, now).is_some() {
                return true;
            }
            let set: Vec<u64> = self.used.keys().copied().filter(|l| l % self.sets == line % self.sets).collect();
            if set.len() > self.ways {
                let oldest = set.into_iter().min_by_key(|l| self.used[l]).unwrap();
                self.used.remove(&oldest);
            }
            false
        }
    }

    #[test]
    fn agrees_with_the_obvious_model() {
        let count = gw_testing::usually(20_000, 1_000_000);
        for (bytes, ways) in [(64, 1), (1024, 4), (4096, 8), (960, 5)] {
            let mut cache = Cache::new(bytes, ways);
            let mut model = Model { sets: cache.sets, ways, used: HashMap::new() };
            let mut state = 7u64;
            for now in 0..count {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let line = (state >> 33) % 100;
                if state >> 60 == 0 {
                    cache.remove(line);
                    model.used.remove(&line);
                    continue;
                }
                let hit = cache.touch(line);
                if !hit {
                    cache.fill(line);
                }
                assert_eq!(hit, model.access(line, now), "access {now} to line {line}");
            }
        }
    }
}
