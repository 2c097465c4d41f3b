//! A GPU: lanes grouped into warps in lock step, sectors of warp instructions, L2 and open rows.
//!
//! A job is one warp instruction that accesses memory. The lanes of a warp that make the same access in the same
//! iteration make one job, whose distinct 32-byte sectors go to the caches. A warp makes as many iterations as its
//! longest lane. The caches are those of the paper (a least-recently-used L2 and 256-byte blocks for open rows), and a
//! small cache per warp for its share of the first-level cache, which GPUs of that time did not use for such data.

use gw_meter::GpuSheet;

use super::cache::Cache;
use super::footprint::Footprint;
use super::mapping::{BLOCK, Mapping, Small, WARP};
use super::{Sink, Use};
use crate::counts::{GpuCounts, StepCounts};
use crate::layout::REGION;
use crate::machine::{OperatorMachine, PerServer, Server};

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Bytes of a row's block that stays open.
const ROW_BLOCK: u64 = 256;
/// Blocks that are open at a time.
const OPEN_BLOCKS: u64 = 1024;
/// Sectors of the first-level cache that a warp can count on: 256 KiB among 64 resident warps.
const L1_SECTORS: u64 = 128;
/// Where load balancers write vertices and sums of degrees: regions that the layout does not hand out.
const SCRATCH: u64 = 62 * REGION;
const SCRATCH_SUMS: u64 = 63 * REGION;
/// The first number, among the accesses of a server to a vertex, of those that a load balancer adds.
const SCRATCH_TURN: u64 = 200;

/// An access of a lane.
#[derive(Debug, Clone, Copy)]
struct Record {
    /// The iteration of the warp, then the server and how often it was met in the iteration: lanes with equal keys
    /// make one instruction.
    key: u64,
    address: u64,
    bytes: u32,
    kind: Use,
}

/// The sink of a GPU.
pub struct GpuSink {
    mapping: Mapping,
    l1: Cache,
    l2: Cache,
    rows: Cache,
    counts: PerServer<GpuCounts>,
    /// Accesses of the vertex at hand: those before its edges, and those of edges.
    head: Vec<Record>,
    body: Vec<Record>,
    /// Edges of the vertex so far.
    edges: usize,
    /// Degree of the vertex, once its list is looked up.
    degree: usize,
    /// How often each server was met in the iteration.
    met: PerServer<u8>,
    in_edges: bool,
    has_vertex: bool,
    /// Accesses of the vertices of the warp at hand.
    warp_head: Vec<Record>,
    warp_body: Vec<Record>,
    warp_vertices: usize,
    /// Edges of short lists in the warp at hand, where lists are given out by degree.
    short_edges: usize,
    /// Edges in the warp at hand, and vertices and warps of edges in the unit, of pooled edges.
    pooled_edges: usize,
    unit_vertices: usize,
    unit_pools: u64,
    /// Vertices written down by a load balancer that sums up degrees first.
    written: u64,
    warps: u64,
    longest: u64,
    iterations: u64,
    /// Jobs of the unit of pooled edges.
    unit_jobs: u64,
    footprint: Footprint,
    seen: Vec<u64>,
    threads: usize,
    /// All data of the run fit into L2, and earlier runs have brought them there.
    warm: bool,
}

impl GpuSink {
    /// The caches of a sheet.
    pub fn new(sheet: &GpuSheet) -> GpuSink {
        GpuSink {
            mapping: Mapping::Lanes(1),
            l1: Cache::new(L1_SECTORS * SECTOR, SECTOR, 16),
            l2: Cache::new(sheet.l2_bytes, SECTOR, 16),
            rows: Cache::new(OPEN_BLOCKS * ROW_BLOCK, ROW_BLOCK, 16),
            counts: PerServer::default(),
            head: Vec::new(),
            body: Vec::new(),
            edges: 0,
            degree: 0,
            met: PerServer::default(),
            in_edges: false,
            has_vertex: false,
            warp_head: Vec::new(),
            warp_body: Vec::new(),
            warp_vertices: 0,
            short_edges: 0,
            pooled_edges: 0,
            unit_vertices: 0,
            unit_pools: 0,
            written: 0,
            warps: 0,
            longest: 0,
            iterations: 0,
            unit_jobs: 0,
            footprint: Footprint::new(SECTOR),
            seen: Vec::new(),
            threads: (sheet.multiprocessors * sheet.resident_warps_per_sm) as usize * WARP,
            warm: false,
        }
    }

    /// The same before a run on so many bytes of data that was run before: what fits into L2 is there.
    #[must_use]
    pub fn after_run_on(self, bytes: u64, sheet: &GpuSheet) -> GpuSink {
        GpuSink { warm: bytes < sheet.l2_bytes / 5 * 4, ..self }
    }

    /// Threads that the device holds.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The mapping of the edges that come next, after [`Sink::begin`].
    pub fn set_mapping(&mut self, mapping: Mapping) {
        self.finish_vertex();
        self.flush_warp();
        self.mapping = mapping;
    }

    /// Puts the finished vertex into its warp.
    fn finish_vertex(&mut self) {
        if !std::mem::take(&mut self.has_vertex) {
            return;
        }
        let (mut head, mut body) = (std::mem::take(&mut self.head), std::mem::take(&mut self.body));
        let regroup = |body: &mut [Record], iteration: &dyn Fn(usize) -> usize| {
            for record in body {
                record.key = with_iteration(record.key, iteration(iteration_of(record.key)));
            }
        };
        match self.mapping {
            Mapping::Lanes(lanes) => {
                regroup(&mut body, &|i| i / lanes);
                self.join_warp(&head, &body, lanes);
            }
            Mapping::ByDegree { grid_from, .. } if self.degree >= WARP => {
                // A warp, all warps of a block, or those of the whole grid for this vertex.
                regroup(&mut body, &|i| i / WARP);
                let jobs = self.issue(&head) + self.issue_sorted(&mut body);
                let warps = match self.degree {
                    degree if degree >= grid_from => (degree / WARP) as u64,
                    degree if degree >= BLOCK => (BLOCK / WARP) as u64,
                    _ => 1,
                };
                self.end_warp(jobs / warps.max(1), warps);
            }
            Mapping::ByDegree { small, .. } => {
                // Lanes look at a vertex each, then walk the short lists of all of them.
                let (place, edges) = (self.warp_vertices, self.short_edges);
                match small {
                    Small::Lanes(lanes) => {
                        let round = place * lanes / WARP * WARP.div_ceil(lanes);
                        regroup(&mut body, &|i| round + i / lanes);
                    }
                    Small::Pooled => regroup(&mut body, &|i| (edges + i) / WARP),
                }
                self.short_edges += self.degree;
                self.join_warp(&head, &body, 1);
            }
            Mapping::Pooled(_) | Mapping::Scanned => {
                // The edges went to their warps one by one.
                if self.mapping == Mapping::Scanned && self.degree > 0 {
                    self.write_down(&mut head);
                }
                self.warp_head.extend_from_slice(&head);
                self.warp_vertices += 1;
                self.unit_vertices += 1;
                if self.warp_vertices == WARP {
                    self.flush_head();
                }
                if self.mapping == Mapping::Pooled(self.unit_vertices) {
                    self.end_unit();
                }
            }
        }
        (self.head, self.body) = (head, body);
        self.head.clear();
        self.body.clear();
    }

    /// Adds a vertex that so many lanes walk to the warp at hand.
    fn join_warp(&mut self, head: &[Record], body: &[Record], lanes: usize) {
        self.warp_head.extend_from_slice(head);
        self.warp_body.extend_from_slice(body);
        self.warp_vertices += 1;
        if self.warp_vertices * lanes >= WARP {
            self.flush_warp();
        }
    }

    /// What a load balancer that sums up degrees first adds to a vertex with edges: it writes the vertex and the sum,
    /// and behind a barrier reads both and looks up the beginning of the list once more.
    fn write_down(&mut self, head: &mut Vec<Record>) {
        let at = self.written;
        self.written += 1;
        let again = head.iter().rev().find(|record| server_of(record.key) == Server::EdgeRange).map(|r| r.address);
        let places =
            [(SCRATCH, Use::Write), (SCRATCH_SUMS, Use::Write), (SCRATCH, Use::Read), (SCRATCH_SUMS, Use::Read)];
        let places = places.map(|(base, kind)| (base + at * 4, kind));
        for (turn, (address, kind)) in places.into_iter().chain(again.map(|a| (a, Use::Read))).enumerate() {
            let key = with_iteration((SCRATCH_TURN + turn as u64) << 16 | Server::EdgeRange as u64, 0);
            head.push(Record { key, address, bytes: 4, kind });
        }
    }

    fn flush_warp(&mut self) {
        if self.warp_vertices == 0 {
            return;
        }
        let (mut head, mut body) = (std::mem::take(&mut self.warp_head), std::mem::take(&mut self.warp_body));
        let jobs = self.issue_sorted(&mut head) + self.issue_sorted(&mut body);
        head.clear();
        body.clear();
        (self.warp_head, self.warp_body) = (head, body);
        (self.warp_vertices, self.short_edges) = (0, 0);
        self.end_warp(jobs, 1);
    }

    fn end_warp(&mut self, jobs: u64, warps: u64) {
        self.warps += warps;
        self.longest = self.longest.max(jobs);
        self.l1.clear();
    }

    /// The accesses before the edges of 32 vertices, of pooled edges.
    fn flush_head(&mut self) {
        let mut head = std::mem::take(&mut self.warp_head);
        self.unit_jobs += self.issue_sorted(&mut head);
        head.clear();
        self.warp_head = head;
        self.warp_vertices = 0;
    }

    /// The accesses of up to 32 pooled edges.
    fn flush_pool(&mut self) {
        let mut body = std::mem::take(&mut self.warp_body);
        body.iter_mut().for_each(|record| record.key = with_iteration(record.key, 0));
        self.unit_jobs += self.issue_sorted(&mut body);
        body.clear();
        self.warp_body = body;
        self.unit_pools += u64::from(self.pooled_edges > 0);
        self.pooled_edges = 0;
    }

    fn end_unit(&mut self) {
        self.flush_head();
        self.flush_pool();
        let pools = std::mem::take(&mut self.unit_pools);
        let warps = match self.mapping {
            // Any warp takes any edges.
            Mapping::Scanned | Mapping::Pooled(usize::MAX) => {
                pools.max(self.unit_vertices.div_ceil(WARP) as u64).max(1)
            }
            Mapping::Pooled(unit) => unit.div_ceil(WARP).max(1) as u64,
            _ => return,
        };
        let jobs = std::mem::take(&mut self.unit_jobs);
        (self.unit_vertices, self.written) = (0, 0);
        self.end_warp(jobs.div_ceil(warps), warps);
    }

    fn issue_sorted(&mut self, records: &mut [Record]) -> u64 {
        records.sort_by_key(|record| record.key);
        self.issue(records)
    }

    /// Issues records that are sorted by key: one instruction per key.
    fn issue(&mut self, records: &[Record]) -> u64 {
        let mut jobs = 0;
        let mut iteration = u64::MAX;
        for group in records.chunk_by(|a, b| a.key == b.key) {
            let server = server_of(group[0].key);
            jobs += 1;
            if iteration != group[0].key >> 32 {
                iteration = group[0].key >> 32;
                self.iterations += 1;
            }
            self.seen.clear();
            for record in group {
                let sectors = record.address / SECTOR..=(record.address + u64::from(record.bytes) - 1) / SECTOR;
                sectors.for_each(|sector| self.seen.push(sector));
            }
            let atomic = group[0].kind == Use::Atomic;
            if atomic {
                self.counts[server].atomics += group.len() as u64;
                let mut addresses: Vec<u64> = group.iter().map(|record| record.address).collect();
                addresses.sort_unstable();
                addresses.dedup();
                self.counts[server].conflicts += (group.len() - addresses.len()) as u64;
            }
            self.seen.sort_unstable();
            self.seen.dedup();
            let seen = std::mem::take(&mut self.seen);
            let counts = &mut self.counts[server];
            counts.jobs += 1;
            counts.lanes += group.len() as u64;
            counts.bytes += group.iter().map(|record| u64::from(record.bytes)).sum::<u64>();
            for &sector in &seen {
                self.sector(server, sector, group[0].kind);
            }
            self.seen = seen;
        }
        jobs
    }

    #[inline]
    fn sector(&mut self, server: Server, sector: u64, kind: Use) {
        let counts = &mut self.counts[server];
        counts.sectors += 1;
        if kind == Use::Read && self.l1.access(sector) {
            counts.l1 += 1;
            return;
        }
        self.footprint.add(sector);
        if self.l2.access(sector) || self.warm {
            counts.l2 += 1;
        } else if self.rows.access(sector * SECTOR / ROW_BLOCK) {
            counts.row_hits += 1;
        } else {
            counts.row_misses += 1;
        }
    }
}

/// Iterations stand in the upper half of a key.
fn iteration_of(key: u64) -> usize {
    (key >> 32) as usize
}

fn with_iteration(key: u64, iteration: usize) -> u64 {
    (key & 0xffff_ffff) | ((iteration as u64) << 32)
}

fn server_of(key: u64) -> Server {
    Server::ALL[(key & 0xffff) as usize % Server::ALL.len()]
}

impl Sink for GpuSink {
    /// What comes before the edges, such as a change of the input's form, has a lane per entry.
    fn begin(&mut self, _: &OperatorMachine, _: usize) {
        self.mapping = Mapping::Lanes(1);
    }

    fn vertex(&mut self) {
        self.finish_vertex();
        self.has_vertex = true;
        self.in_edges = false;
        (self.edges, self.degree) = (0, 0);
        self.met = PerServer::default();
    }

    fn list(&mut self, degree: usize) {
        self.degree = degree;
    }

    fn edge(&mut self) {
        if self.in_edges {
            self.edges += 1;
        }
        self.in_edges = true;
        self.met = PerServer::default();
        if matches!(self.mapping, Mapping::Pooled(_) | Mapping::Scanned) {
            if self.pooled_edges == WARP {
                self.flush_pool();
            }
            self.pooled_edges += 1;
        }
    }

    fn access(&mut self, server: Server, address: u64, bytes: u32, kind: Use) {
        let met = &mut self.met[server];
        let iteration = if self.in_edges { self.edges } else { 0 };
        let key = with_iteration(u64::from(*met) << 16 | server as u64, iteration);
        *met = met.saturating_add(1);
        let record = Record { key, address, bytes, kind };
        match (self.in_edges, self.mapping) {
            (false, _) => self.head.push(record),
            (true, Mapping::Pooled(_) | Mapping::Scanned) => self.warp_body.push(record),
            (true, _) => self.body.push(record),
        }
    }

    fn stream(&mut self, server: Server, address: u64, bytes: u64, entries: u64) {
        // Lanes walk lists entry by entry; what counts is the sector that is new.
        if bytes == 0 {
            return;
        }
        let width = (bytes / entries.max(1)).max(1);
        let step = (SECTOR / width).max(1);
        let mut entry = 0;
        while entry < entries {
            self.access(server, address + entry * width, width as u32, Use::Read);
            entry += step;
        }
        // Those in between are jobs without new sectors.
        let between = entries - entries.div_ceil(step);
        let counts = &mut self.counts[server];
        counts.jobs += between / WARP as u64;
        counts.lanes += between;
        counts.bytes += between * width;
    }

    fn branch(&mut self, _: Server, _: bool) {}

    fn end(&mut self, counts: &mut StepCounts) {
        self.finish_vertex();
        match self.mapping {
            Mapping::Pooled(_) | Mapping::Scanned => self.end_unit(),
            _ => self.flush_warp(),
        }
        let own = std::mem::take(&mut self.counts);
        counts.gpu.merge(&own, |a, b| *a += *b);
        counts.footprint_bytes += self.footprint.take();
        counts.warps += std::mem::take(&mut self.warps);
        counts.longest_warp = counts.longest_warp.max(std::mem::take(&mut self.longest));
        counts.warp_iterations += std::mem::take(&mut self.iterations);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typical;

    /// Vertices with these degrees, each edge reading its neighbour's entry at a distance of `apart` bytes.
    fn counts(mapping: Mapping, degrees: &[usize], apart: u64) -> StepCounts {
        let mut sink = GpuSink::new(&typical::gpu());
        sink.set_mapping(mapping);
        let mut edge = 0u64;
        for (v, &degree) in degrees.iter().enumerate() {
            sink.vertex();
            sink.access(Server::EdgeRange, (1 << 40) + v as u64 * 4, 8, Use::Read);
            sink.list(degree);
            for _ in 0..degree {
                sink.edge();
                sink.access(Server::Neighbour, (2 << 40) + edge * 4, 4, Use::Read);
                sink.access(Server::Read, (3 << 40) + edge * apart, 4, Use::Read);
                edge += 1;
            }
        }
        let mut counts = StepCounts::default();
        sink.end(&mut counts);
        counts
    }

    #[test]
    fn lanes_in_lock_step_take_as_long_as_the_longest() {
        // 32 lanes: one of 10 edges, one of 3, the rest none. Maximum 10, not the sum 13.
        let mut degrees = [0; 32];
        (degrees[4], degrees[9]) = (10, 3);
        let thread = counts(Mapping::Lanes(1), &degrees, 4096);
        assert_eq!(thread.gpu[Server::EdgeRange].jobs, 1);
        assert_eq!(thread.gpu[Server::Neighbour].jobs, 10);
        assert_eq!((thread.warps, thread.longest_warp), (1, 21));
        // Entries that lie apart: one sector per edge.
        assert_eq!(thread.gpu[Server::Read].sectors, 13);
        // A warp per vertex: both vertices with edges make one iteration each.
        let warp = counts(Mapping::Lanes(32), &degrees, 4096);
        assert_eq!((warp.gpu[Server::Neighbour].jobs, warp.warps), (2, 32));
        // Pooled: 13 edges in one warp instruction, whose ids lie in two sectors.
        let pooled = counts(Mapping::Pooled(32), &degrees, 4096);
        assert_eq!((pooled.gpu[Server::Neighbour].jobs, pooled.gpu[Server::Neighbour].sectors), (1, 2));
    }

    #[test]
    fn virtual_warps_share_vertices() {
        // Two vertices per warp, 16 lanes each: 40 and 16 edges are 3 and 1 iterations, together 3.
        let half = counts(Mapping::Lanes(16), &[40, 16], 4);
        assert_eq!(half.gpu[Server::Neighbour].jobs, 3);
        // By degree: 300 edges get a block, 40 a warp; the small ones share a warp, 8 lanes each: one iteration.
        let etwc = Mapping::ByDegree { small: Small::Lanes(8), grid_from: 4096 };
        let by_degree = counts(etwc, &[300, 40, 2, 5], 4);
        assert_eq!(by_degree.gpu[Server::Neighbour].jobs, 300_u64.div_ceil(32) + 2 + 1);
        assert_eq!(by_degree.warps, 8 + 1 + 1);
        // Five small lists are two rounds of four groups; the longest of a round counts: 2 iterations, then 1.
        let rounds = counts(etwc, &[2, 9, 2, 2, 5], 4);
        assert_eq!(rounds.gpu[Server::Neighbour].jobs, 3);
        // Pooled: 7 edges are one iteration.
        let twc = Mapping::ByDegree { small: Small::Pooled, grid_from: usize::MAX };
        assert_eq!(counts(twc, &[2, 5], 4).gpu[Server::Neighbour].jobs, 1);
        // A list of 8192 edges is shared by the grid: no warp takes much longer than the others.
        assert!(counts(etwc, &[8192], 4).longest_warp < counts(twc, &[8192], 4).longest_warp);
    }

    #[test]
    fn summed_degrees_are_written_and_read_once_more() {
        let scanned = counts(Mapping::Scanned, &[3; 32], 4);
        let pooled = counts(Mapping::Pooled(usize::MAX), &[3; 32], 4);
        let more = |of: fn(&GpuCounts) -> u64| of(&scanned.gpu_total()) - of(&pooled.gpu_total());
        // Two writes, two reads, and the beginnings of the lists again.
        assert_eq!((more(|c| c.jobs), more(|c| c.lanes)), (5, 5 * 32));
        // A hub alone keeps as many warps busy as its edges fill.
        assert_eq!(counts(Mapping::Scanned, &[3200], 4).warps, 100);
    }

    #[test]
    fn equal_addresses_of_atomics_are_conflicts() {
        let mut sink = GpuSink::new(&typical::gpu());
        for _ in 0..4 {
            sink.vertex();
            sink.access(Server::Atomic, 1 << 40, 4, Use::Atomic);
        }
        let mut counts = StepCounts::default();
        sink.end(&mut counts);
        let atomic = counts.gpu[Server::Atomic];
        assert_eq!((atomic.jobs, atomic.atomics, atomic.conflicts, atomic.sectors), (1, 4, 3, 1));
    }
}
