//! A processor: three caches, lines fetched ahead, guessed branches.
//!
//! The trace is that of one thread. With more threads each works on chunks of it, with the same locality in its own
//! first two caches and a share of the third.

use gw_meter::CpuSheet;

use super::cache::Cache;
use super::footprint::Footprint;
use super::{Sink, Use};
use crate::counts::{CpuCounts, StepCounts};
use crate::machine::{OperatorMachine, PerServer, Server};

/// Bytes of a cache line.
const LINE: u64 = 64;
/// Lines per set of the three caches. The sheet does not tell; results differ little between 8 and 16.
const WAYS: [usize; 3] = [8, 16, 16];
/// What a first-level cache has where the system does not tell.
const USUAL_BYTES: [u64; 3] = [32 << 10, 1 << 20, 32 << 20];

/// The sink of a processor.
pub struct CpuSink {
    caches: [Cache; 3],
    counts: PerServer<CpuCounts>,
    /// The last lines that each server missed: the heads of its streams.
    heads: PerServer<[u64; 4]>,
    /// What a two-bit counter per test expects, 0 and 1 no, 2 and 3 yes.
    guesses: PerServer<u8>,
    /// The length of the last list: loops that are as long as the one before end as expected.
    last_degree: usize,
    footprint: Footprint,
    /// All data of the run fit into the last cache, and earlier runs have brought them there.
    warm: bool,
}

impl CpuSink {
    /// The caches of a sheet, empty.
    pub fn new(sheet: &CpuSheet) -> CpuSink {
        let bytes = |level: u32| sheet.caches.iter().find(|cache| cache.level == level).map(|cache| cache.bytes);
        let cache = |level: usize| Cache::new(bytes(level as u32 + 1).unwrap_or(USUAL_BYTES[level]), LINE, WAYS[level]);
        CpuSink {
            caches: [cache(0), cache(1), cache(2)],
            counts: PerServer::default(),
            heads: PerServer::default(),
            guesses: PerServer::default(),
            last_degree: 0,
            footprint: Footprint::new(LINE),
            warm: false,
        }
    }

    /// The same before a run on so many bytes of data that was run before: what fits into the last cache is there.
    #[must_use]
    pub fn after_run_on(self, bytes: u64, sheet: &CpuSheet) -> CpuSink {
        let last = sheet.caches.iter().map(|cache| cache.bytes).max().unwrap_or(USUAL_BYTES[2]);
        CpuSink { warm: bytes < last / 5 * 4, ..self }
    }

    /// Accesses a line; true when the first cache has it.
    #[inline]
    fn line(&mut self, server: Server, line: u64) {
        let counts = &mut self.counts[server];
        if self.caches[0].access(line) {
            counts.l1 += 1;
            return;
        }
        self.footprint.add(line);
        let heads = &mut self.heads[server];
        let ahead = match heads.iter().position(|&head| line.wrapping_sub(head) <= 2) {
            Some(stream) => {
                heads[stream] = line;
                true
            }
            None => {
                heads.rotate_right(1);
                heads[0] = line;
                false
            }
        };
        if self.caches[1].access(line) {
            counts.l2 += 1;
            counts.l2_ahead += u64::from(ahead);
        } else if self.caches[2].access(line) || self.warm {
            counts.l3 += 1;
            counts.l3_ahead += u64::from(ahead);
        } else {
            counts.dram += 1;
            counts.dram_ahead += u64::from(ahead);
        }
    }
}

impl Sink for CpuSink {
    fn begin(&mut self, _: &OperatorMachine, _: usize) {}

    fn vertex(&mut self) {}

    fn list(&mut self, degree: usize) {
        // Long loops end once in many iterations; short ones are learnt while they stay the same.
        if degree != self.last_degree {
            self.counts[Server::EdgeRange].mispredicted += 1;
        }
        self.last_degree = degree;
    }

    fn edge(&mut self) {}

    #[inline]
    fn access(&mut self, server: Server, address: u64, bytes: u32, kind: Use) {
        let counts = &mut self.counts[server];
        counts.accesses += 1;
        counts.atomics += u64::from(kind == Use::Atomic);
        let (first, last) = (address / LINE, (address + u64::from(bytes) - 1) / LINE);
        self.line(server, first);
        if last != first {
            self.line(server, last);
        }
    }

    fn stream(&mut self, server: Server, address: u64, bytes: u64, entries: u64) {
        if bytes == 0 {
            return;
        }
        self.counts[server].accesses += entries;
        let (first, last) = (address / LINE, (address + bytes - 1) / LINE);
        for line in first..=last {
            self.line(server, line);
        }
        let lines = last - first + 1;
        self.counts[server].l1 += entries.saturating_sub(lines);
    }

    #[inline]
    fn branch(&mut self, server: Server, taken: bool) {
        let guess = &mut self.guesses[server];
        self.counts[server].mispredicted += u64::from((*guess >= 2) != taken);
        *guess = if taken { (*guess + 1).min(3) } else { guess.saturating_sub(1) };
    }

    fn end(&mut self, counts: &mut StepCounts) {
        let own = std::mem::take(&mut self.counts);
        counts.cpu.merge(&own, |a, b| *a += *b);
        counts.footprint_bytes += self.footprint.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typical;

    #[test]
    fn a_scan_is_fetched_ahead_and_a_jump_is_not() {
        let mut sink = CpuSink::new(&typical::cpu());
        for i in 0..1024u64 {
            sink.access(Server::Neighbour, (1 << 40) + i * 4, 4, Use::Read);
        }
        for i in 0..64u64 {
            sink.access(Server::Read, (2 << 40) + (i * 7919 % 64) * 4096, 4, Use::Read);
        }
        let mut counts = StepCounts::default();
        sink.end(&mut counts);
        let scan = counts.cpu[Server::Neighbour];
        assert_eq!((scan.accesses, scan.l1, scan.dram, scan.dram_ahead), (1024, 960, 64, 63));
        let jumps = counts.cpu[Server::Read];
        assert_eq!((jumps.dram, jumps.dram_ahead), (64, 0));
        assert_eq!(counts.footprint_bytes, 128 * 64);
    }

    #[test]
    fn a_test_with_one_outcome_is_guessed() {
        let mut sink = CpuSink::new(&typical::cpu());
        (0..100).for_each(|_| sink.branch(Server::OwnFilter, true));
        (0..100).for_each(|i| sink.branch(Server::NeighbourFilter, i % 2 == 0));
        let mut counts = StepCounts::default();
        sink.end(&mut counts);
        assert_eq!(counts.cpu[Server::OwnFilter].mispredicted, 2);
        assert!(counts.cpu[Server::NeighbourFilter].mispredicted >= 50);
    }
}
