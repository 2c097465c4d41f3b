//! From spatial hints to tiles, fixed or balanced by the work that committed (MICRO 2016, data-centric load balancing).

use super::config::Config;
use super::hierarchy::mix;

/// Groups of hints and the tiles they are mapped to.
#[derive(Debug)]
pub(crate) struct HintMap {
    tile_of: Vec<u32>,
    /// Committed cycles by group since the last move, older ones halved.
    work: Vec<u64>,
    tiles: usize,
    period: Option<u64>,
    next: u64,
}

impl HintMap {
    pub(crate) fn new(config: &Config) -> HintMap {
        let tiles = config.tiles();
        let groups = tiles * config.hint_groups_per_tile;
        let period = config.balance_hints.then_some(config.balance_period);
        HintMap {
            tile_of: (0..groups).map(|group| (group % tiles) as u32).collect(),
            work: vec![0; groups],
            tiles,
            period,
            next: period.unwrap_or(u64::MAX),
        }
    }

    fn group(&self, hint: u64) -> usize {
        (mix(hint) % self.tile_of.len() as u64) as usize
    }

    pub(crate) fn tile(&self, hint: u64) -> usize {
        self.tile_of[self.group(hint)] as usize
    }

    pub(crate) fn committed(&mut self, hint: u64, cycles: u64) {
        let group = self.group(hint);
        self.work[group] += cycles;
    }

    /// Moves groups from the busiest tile to the idlest one while that makes them more equal.
    pub(crate) fn balance(&mut self, now: u64) {
        let Some(period) = self.period.filter(|_| now >= self.next) else { return };
        self.next = now + period;
        let mut load = vec![0u64; self.tiles];
        self.work.iter().zip(&self.tile_of).for_each(|(work, &tile)| load[tile as usize] += work);
        for _ in 0..self.tile_of.len() {
            let Some(most) = (0..self.tiles).max_by_key(|&t| (load[t], t)) else { break };
            let Some(least) = (0..self.tiles).min_by_key(|&t| (load[t], t)) else { break };
            let gap = load[most] - load[least];
            let groups = (0..self.tile_of.len()).filter(|&g| self.tile_of[g] as usize == most && self.work[g] > 0);
            // The largest group that does not turn the inequality around.
            let Some(group) = groups.filter(|&g| self.work[g] < gap).max_by_key(|&g| (self.work[g], g)) else { break };
            self.tile_of[group] = least as u32;
            load[most] -= self.work[group];
            load[least] += self.work[group];
        }
        self.work.iter_mut().for_each(|work| *work /= 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_moves_to_tiles_that_have_less() {
        let config = Config { cores: 16, balance_hints: true, balance_period: 100, ..Config::default() };
        let mut map = HintMap::new(&config);
        let crowded: Vec<u64> = (0..1000).filter(|&hint| map.tile(hint) == 0).take(8).collect();
        crowded.iter().for_each(|&hint| map.committed(hint, 1000));
        map.balance(99);
        assert!(crowded.iter().all(|&hint| map.tile(hint) == 0), "not before its time");
        map.balance(100);
        let tiles: std::collections::BTreeSet<usize> = crowded.iter().map(|&hint| map.tile(hint)).collect();
        assert_eq!(tiles.len(), 4);
    }
}
