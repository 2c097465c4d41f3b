//! The memory hierarchy: private first level, second level per tile, last level in banks, memory controllers.
//!
//! The second level includes the first. A directory knows which tiles hold a writable line and which one owns it (MESI
//! without transient states: every access is complete when the next one begins). Lines that no task writes need no
//! directory. Only latencies come from here; values live elsewhere.

use super::cache::Cache;
use super::config::{Config, MAX_TILES};
use super::memory::{LINE, is_read_only};
use super::noc::Mesh;
use super::stats::Traffic;

/// Bytes of a request or an acknowledgement, and of a line with its header.
const CONTROL_BYTES: u64 = 8;
const DATA_BYTES: u64 = LINE + 8;

/// The caches of the machine.
#[derive(Debug)]
pub struct Hierarchy {
    config: Config,
    l1: Vec<Cache>,
    l2: Vec<Cache>,
    llc: Vec<Cache>,
    directory: Vec<Entry>,
    /// The cycle from which on each memory controller is free.
    controllers: Vec<u64>,
    /// What was counted.
    pub counts: MemoryCounts,
}

/// Hits by level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct MemoryCounts {
    /// Accesses.
    pub accesses: u64,
    /// Hits in the first level.
    pub l1_hits: u64,
    /// Hits in the second level.
    pub l2_hits: u64,
    /// Hits in the last level or in another tile.
    pub llc_hits: u64,
    /// Accesses to memory.
    pub memory: u64,
    /// Lines taken away from a tile because another one writes.
    pub invalidations: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    sharers: [u64; MAX_TILES / 64],
    /// The tile that may write, plus one.
    owner: u16,
}

impl Entry {
    fn has(&self, tile: usize) -> bool {
        self.sharers[tile / 64] & (1 << (tile % 64)) != 0
    }

    fn add(&mut self, tile: usize) {
        self.sharers[tile / 64] |= 1 << (tile % 64);
    }

    fn drop(&mut self, tile: usize) {
        self.sharers[tile / 64] &= !(1 << (tile % 64));
        if self.owner == tile as u16 + 1 {
            self.owner = 0;
        }
    }

    fn tiles(&self) -> impl Iterator<Item = usize> + use<> {
        self.sharers.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(word * 64 + bit)
            })
        })
    }
}

/// Spreads numbers over all bits.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

impl Hierarchy {
    /// Cold caches.
    pub fn new(config: &Config) -> Hierarchy {
        let tiles = 0..config.tiles();
        Hierarchy {
            config: config.clone(),
            l1: (0..config.cores).map(|_| Cache::new(config.l1_bytes, config.l1_ways)).collect(),
            l2: tiles.clone().map(|t| Cache::new(config.l2_bytes(t), config.l2_ways)).collect(),
            llc: tiles.map(|t| Cache::new(config.llc_bytes(t), config.llc_ways)).collect(),
            directory: Vec::new(),
            controllers: vec![0; config.memory_controllers],
            counts: MemoryCounts::default(),
        }
    }

    /// Makes room in the directory.
    pub fn reserve(&mut self, writable_lines: usize) {
        if self.directory.len() < writable_lines {
            self.directory.resize(writable_lines, Entry::default());
        }
    }

    /// The tiles that hold a writable line.
    pub fn sharers(&self, line: u64) -> impl Iterator<Item = usize> + use<> {
        self.directory.get(line as usize).copied().unwrap_or_default().tiles()
    }

    /// An access of a core at a cycle: its cycles, and whether it missed the first level.
    pub fn access(
        &mut self,
        mesh: &Mesh,
        traffic: &mut Traffic,
        core: usize,
        line: u64,
        write: bool,
        now: u64,
    ) -> (u64, bool) {
        self.counts.accesses += 1;
        let l1_cycles = self.config.l1_cycles;
        if self.config.flat_memory {
            self.counts.l1_hits += 1;
            return (l1_cycles, false);
        }
        let tile = core / self.config.cores_per_tile;
        let tracked = !is_read_only(line);
        let may_write = !write || !tracked || self.directory[line as usize].owner == tile as u16 + 1;
        let in_l1 = self.l1[core].touch(line);
        if in_l1 && may_write {
            self.counts.l1_hits += 1;
            if write {
                self.drop_in_tile(tile, line, Some(core));
            }
            return (l1_cycles, false);
        }
        let mut cycles = l1_cycles + self.config.l2_cycles;
        let in_l2 = self.l2[tile].touch(line);
        if in_l2 && may_write {
            self.counts.l2_hits += 1;
        } else {
            cycles += self.beyond_tile(mesh, traffic, tile, line, write, in_l2, now + cycles);
        }
        if write && tracked {
            self.drop_in_tile(tile, line, Some(core));
        }
        if !in_l1 {
            self.l1[core].fill(line);
        }
        (cycles, true)
    }

    /// The part of an access that leaves the tile: to the bank of the line, to other tiles or to memory.
    #[expect(clippy::too_many_arguments, reason = "the parts of one access")]
    fn beyond_tile(
        &mut self,
        mesh: &Mesh,
        traffic: &mut Traffic,
        tile: usize,
        line: u64,
        write: bool,
        in_l2: bool,
        now: u64,
    ) -> u64 {
        let bank = (mix(line) % self.llc.len() as u64) as usize;
        let mut cycles = mesh.latency(tile, bank, CONTROL_BYTES) + self.config.llc_cycles;
        traffic.memory += CONTROL_BYTES * mesh.hops(tile, bank);
        let tracked = !is_read_only(line);
        let entry = if tracked { self.directory[line as usize] } else { Entry::default() };
        // Where the data come from: the tile that owns the line, the bank, or memory.
        let owner = (entry.owner as usize).checked_sub(1).filter(|&owner| owner != tile);
        let mut from = bank;
        if let Some(owner) = owner {
            cycles += mesh.latency(bank, owner, CONTROL_BYTES) + self.config.l2_cycles;
            traffic.memory += CONTROL_BYTES * mesh.hops(bank, owner);
            from = owner;
            self.counts.llc_hits += 1;
            if !self.llc[bank].touch(line) {
                self.llc[bank].fill(line);
            }
        } else if in_l2 {
            // Only the right to write is missing.
            self.counts.l2_hits += 1;
        } else if self.llc[bank].touch(line) {
            self.counts.llc_hits += 1;
        } else {
            self.counts.memory += 1;
            let controller = (mix(line ^ 0x5bd1) % self.controllers.len() as u64) as usize;
            let at = mesh.controller(controller);
            let there = now + cycles + mesh.latency(bank, at, CONTROL_BYTES);
            let start = there.max(self.controllers[controller]);
            self.controllers[controller] = start + self.config.memory_line_cycles;
            cycles = start + self.config.memory_cycles + mesh.latency(at, bank, DATA_BYTES) - now;
            traffic.memory += (CONTROL_BYTES + DATA_BYTES) * mesh.hops(bank, at);
            self.llc[bank].fill(line);
        }
        if write && tracked {
            // Everybody else gives the line up; the slowest answer counts.
            let mut slowest = 0;
            for other in entry.tiles().filter(|&other| other != tile) {
                slowest = slowest.max(2 * mesh.latency(bank, other, CONTROL_BYTES));
                traffic.memory += 2 * CONTROL_BYTES * mesh.hops(bank, other);
                self.counts.invalidations += 1;
                self.l2[other].remove(line);
                self.drop_in_tile(other, line, None);
                self.directory[line as usize].drop(other);
            }
            if owner.is_none() {
                cycles += slowest;
            }
        }
        let bytes = if in_l2 && owner.is_none() { CONTROL_BYTES } else { DATA_BYTES };
        cycles += mesh.latency(from, tile, bytes);
        traffic.memory += bytes * mesh.hops(from, tile);
        if !in_l2 && let Some(gone) = self.l2[tile].fill(line) {
            self.drop_in_tile(tile, gone, None);
            if !is_read_only(gone) {
                self.directory[gone as usize].drop(tile);
            }
        }
        if tracked {
            let entry = &mut self.directory[line as usize];
            let alone = !entry.tiles().any(|other| other != tile);
            entry.owner = if write || alone { tile as u16 + 1 } else { 0 };
            entry.add(tile);
            debug_assert!(entry.has(tile));
        }
        cycles
    }

    /// Takes a line out of the first-level caches of a tile but one.
    fn drop_in_tile(&mut self, tile: usize, line: u64, except: Option<usize>) {
        let first = tile * self.config.cores_per_tile;
        for core in first..first + self.config.cores_of(tile) {
            if Some(core) != except {
                self.l1[core].remove(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { cores: 16, cores_per_tile: 4, memory_line_cycles: 4, ..Config::default() }
    }

    #[test]
    fn latencies_by_hand() {
        let config = config();
        let (mesh, mut caches, mut traffic) = (Mesh::new(&config), Hierarchy::new(&config), Traffic::default());
        caches.reserve(16);
        let mut access = |core, line, write| caches.access(&mesh, &mut traffic, core, line, write, 0).0;
        // Line 0 has bank 0 and the controller of its hash; first access from a core of tile 0.
        let bank = |line: u64| (mix(line) % 4) as usize;
        let at = |line: u64| mesh.controller((mix(line ^ 0x5bd1) % 4) as usize);
        let line = (0..16).find(|&l| bank(l) == 1 && at(l) == 1).unwrap();
        // 2 (L1) + 7 (L2) + one hop to the bank (3) + 9 (bank) + 120 + one hop back with 72 bytes (3 + 2).
        assert_eq!(access(0, line, false), 2 + 7 + 3 + 9 + 120 + 5);
        assert_eq!(access(0, line, false), 2, "a hit");
        assert_eq!(access(1, line, false), 2 + 7, "the neighbour finds it in the second level");
        assert_eq!(access(1, line, true), 2, "the tile was alone and owns the line");
        assert_eq!(access(0, line, false), 2 + 7, "the write took the line from core 0");
        // Tile 3 (one hop from the bank at tile 1, two from tile 0) writes: the owner sends the line.
        assert_eq!(access(12, line, true), 2 + 7 + 3 + 9 + (3 + 7) + (2 * 3 + 2));
        assert_eq!(access(0, line, false), 2 + 7 + 3 + 9 + (3 + 7) + (2 * 3 + 2), "and gets it back");
        // Both share it now; a write from tile 0 asks the bank, which asks tile 3.
        assert_eq!(access(0, line, true), 2 + 7 + 3 + 9 + 2 * 3 + 3);
    }

    #[test]
    fn controllers_take_one_line_at_a_time() {
        let config = Config { cores: 1, ..config() };
        let (mesh, mut caches, mut traffic) = (Mesh::new(&config), Hierarchy::new(&config), Traffic::default());
        caches.reserve(64);
        let same: Vec<u64> = (0..64).filter(|&l| mix(l ^ 0x5bd1).is_multiple_of(4)).take(2).collect();
        let first = caches.access(&mesh, &mut traffic, 0, same[0], false, 100).0;
        let second = caches.access(&mesh, &mut traffic, 0, same[1], false, 100).0;
        assert_eq!((first, second), (2 + 7 + 9 + 120, 2 + 7 + 9 + 120 + 4));
    }
}
