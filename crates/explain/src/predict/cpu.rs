//! Processors: the core itself, three caches, memory by latency and by bandwidth, atomics.

use gw_meter::CpuSheet;
use serde::Serialize;

use super::{OperatorFacts, Prediction, Service, StepFacts, most};
use crate::counts::{CpuCounts, StepCounts};
use crate::machine::Server;

/// Declares constants: a field, its value and its meaning each, and a list of them by name.
macro_rules! constants {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize)]
        pub struct $name {
            $($(#[$doc])* pub $field: f64,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $value,)* }
            }
        }

        impl $name {
            /// The constants by name.
            pub(crate) fn named(&mut self) -> Vec<(&'static str, &mut f64)> {
                vec![$((stringify!($field), &mut self.$field),)*]
            }
        }
    };
}
pub(super) use constants;

constants! {
    /// Cycles of a core that no sheet tells, and how much of the work overlaps.
    ///
    /// They belong to the code that the CPU machine generates. `gw explain --table TRAINING --fit` found them on 916
    /// steps of 122 training cells on a Xeon with two cores, one thread, release build (mean error of the logarithms
    /// 0.16). They are in cycles, so that other processors of the kind are near. `speedup` and `share_us` are not
    /// fitted: training had one thread.
    CpuCosts {
        /// Per call of an operator on edges.
        call = 3260.0,
        /// Per call of an operator on vertices.
        vertex_call = 2990.0,
        /// Per call of an operator on a set alone.
        set_call = 336.0,
        /// Per member of that set.
        set_member = 7.4,
        /// Per vertex handed out.
        vertex = 0.8,
        /// Per filter asked about the vertex whose edges may be walked.
        own_filter = 4.4,
        /// Per filter asked about the other end of an edge.
        filter = 3.4,
        /// Per edge range of a vertex from a list.
        range = 22.1,
        /// Per edge range of vertices in the order of their numbers.
        next_range = 8.2,
        /// Per edge of a push.
        edge = 0.79,
        /// Per edge of a pull.
        pull_edge = 1.37,
        /// Per call of the function.
        apply = 0.19,
        /// Per weight read, with the arithmetic on it.
        weight = 9.9,
        /// Per read of vertex data in the function of an edge.
        read = 2.4,
        /// Per read of vertex data in the function of a vertex.
        vertex_read = 1.65,
        /// Per write of vertex data.
        write = 0.42,
        /// Per update that others could disturb. One thread makes it without an atomic instruction.
        atomic = 0.98,
        /// Per element of intersected lists.
        element = 5.5,
        /// Per vertex appended to a list.
        output = 12.0,
        /// Per vertex marked in an output map.
        mark = 6.6,
        /// Per word of a map that is looked through when a set changes its form.
        scan = 1.6,
        /// Per member of a set that changes its form.
        convert = 8.0,
        /// Per edge of a list that cores share.
        shared_edge = 0.59,
        /// Per list of a cache segment beyond those that are walked without segments.
        segment = 8.5,
        /// Per chunk of a cache segment.
        chunk = 3020.0,
        /// Per wrong guess.
        mispredict = 3.9,
        /// Loads of lines outside the first cache that a core has in flight.
        in_flight = 11.9,
        /// The exponent of the number of threads in the speedup of what they share.
        speedup = 0.9,
        /// Microseconds per step that threads share, and again per doubling of the threads.
        share_us = 1.0,
    }
}

/// From how much work on the CPU machine asks further threads for help.
#[derive(Debug, Clone, Copy)]
pub struct Helpers;

impl Helpers {
    /// Edges that are worth a thread.
    const EDGES: u64 = 1 << 9;
    /// Vertices that are worth a thread.
    const VERTICES: u64 = 1 << 10;
    /// Below this many edges two threads with atomics are no better than one without.
    const ALONE_ATOMIC: u64 = 1 << 15;

    /// The threads that share a step.
    pub fn of(counts: &StepCounts, threads: usize) -> usize {
        let edges = counts.completions[Server::Neighbour];
        let calls = counts.calls.max(1);
        let members = match edges {
            0 => counts.completions[Server::Input] / calls / Helpers::VERTICES,
            _ => edges.max(counts.completions[Server::Input]) / calls / Helpers::EDGES,
        };
        let members = (members as usize).clamp(1, threads.max(1));
        let atomics = counts.cpu[Server::Atomic].atomics > 0;
        if members == 2 && atomics && edges / calls < Helpers::ALONE_ATOMIC { 1 } else { members }
    }
}

pub(super) fn predict(counts: &StepCounts, sheet: &CpuSheet, facts: StepFacts, costs: &CpuCosts) -> Prediction {
    let total = counts.cpu_total();
    let members = Helpers::of(counts, if facts.operator.serial { 1 } else { facts.threads });
    let workers = members as f64;
    // Threads share caches, bandwidth and uneven work: they are less than `members` times as fast.
    let faster = workers.powf(costs.speedup);
    let cycle = sheet.cycle_ns.median * 1e-9;
    let jobs = total.accesses as f64;

    let mut services = Vec::new();
    let core = core_cycles(counts, facts, costs);
    let all: f64 = core.iter().map(|(_, cycles)| cycles).sum();
    services.push(Service {
        name: "core".into(),
        requests: jobs,
        visits: 1.0,
        seconds_each: if jobs > 0.0 { all * cycle / jobs } else { 0.0 },
        seconds: all * cycle / faster,
        parallelism: workers,
        needed: None,
        mostly: most(|server| core.iter().find(|(s, _)| *s == server).map_or(0.0, |(_, cycles)| *cycles)),
    });
    let mut level = |name: &str, wanted: &str, requests: fn(&CpuCounts) -> u64| {
        let Some(level) = sheet.level(wanted) else { return };
        let requests_all = requests(&total) as f64;
        let each = level.seconds_per_access.at(costs.in_flight);
        services.push(Service {
            name: name.into(),
            requests: requests_all,
            visits: if jobs > 0.0 { requests_all / jobs } else { 0.0 },
            seconds_each: each,
            seconds: requests_all * each / faster,
            parallelism: costs.in_flight * workers,
            needed: Some(level.seconds_per_access.saturation(1.1) * workers),
            mostly: most(|server| requests(&counts.cpu[server]) as f64),
        });
    };
    // Lines that the hardware fetches ahead wait for bandwidth, not for latency.
    level("L2", "L2", |c| c.l2 - c.l2_ahead);
    level("L3", "L3", |c| c.l3 - c.l3_ahead);
    level("DRAM latency", "DRAM", |c| c.dram - c.dram_ahead);
    if let Some(dram) = sheet.level("DRAM") {
        let bytes = total.dram as f64 * 64.0;
        let rate = dram.read_bytes_per_second.at(workers);
        services.push(Service {
            name: "DRAM bandwidth".into(),
            requests: total.dram as f64,
            visits: if jobs > 0.0 { total.dram as f64 / jobs } else { 0.0 },
            seconds_each: 64.0 / rate,
            seconds: bytes / rate,
            parallelism: workers,
            needed: None,
            mostly: most(|server| counts.cpu[server].dram as f64),
        });
    }
    if total.atomics > 0 && facts.threads > 1 && members > 1 {
        let each = sheet.atomic_own_line_ns.median * 1e-9;
        services.push(Service {
            name: "atomics".into(),
            requests: total.atomics as f64,
            visits: total.atomics as f64 / jobs.max(1.0),
            seconds_each: each,
            seconds: total.atomics as f64 * each / faster,
            parallelism: workers,
            needed: None,
            mostly: Some(Server::Atomic),
        });
    }
    let call = match (counts.set_calls > 0, facts.operator.edges) {
        (true, _) => costs.set_call,
        (false, true) => costs.call,
        (false, false) => costs.vertex_call,
    };
    let sharing = if members > 1 { costs.share_us * 1e-6 * (1.0 + workers.log2()) } else { 0.0 };
    let prediction = Prediction {
        fixed_seconds: counts.calls.max(1) as f64 * (call * cycle + sharing),
        jobs,
        services,
        floor_seconds: floor(counts.footprint_bytes, 64 * total.dram, sheet, workers),
        workers,
        ..Prediction::default()
    };
    // A core does not overlap its own work with most of its waiting: times are added.
    prediction.finish(1.0)
}

/// The least time in which the touched bytes can reach the cores: those that come from memory by its bandwidth, and all
/// of them by that of the fastest level behind the first cache. Repeated runs find in the caches what fits there, so
/// that the bandwidth of memory alone would be no bound.
fn floor(touched_bytes: u64, dram_bytes: u64, sheet: &CpuSheet, workers: f64) -> f64 {
    let rate = |name: &str| sheet.level(name).map(|level| level.read_bytes_per_second.at(workers));
    let fastest = ["L2", "L3", "DRAM"].into_iter().filter_map(rate).fold(0.0, f64::max);
    let seconds = |bytes: u64, rate: f64| if rate > 0.0 { bytes as f64 / rate } else { 0.0 };
    let from_memory = rate("DRAM").map_or(0.0, |rate| seconds(dram_bytes.min(touched_bytes), rate));
    from_memory.max(seconds(touched_bytes, fastest))
}

/// Cycles of the core by server.
fn core_cycles(counts: &StepCounts, facts: StepFacts, costs: &CpuCosts) -> [(Server, f64); 11] {
    let completions = |server: Server| counts.completions[server] as f64;
    if counts.set_calls > 0 {
        let mut cycles = Server::ALL.map(|server| (server, 0.0));
        cycles[Server::Input as usize].1 = completions(Server::Input) * costs.set_member;
        return cycles;
    }
    let missed = |server: Server| counts.cpu[server].mispredicted as f64 * costs.mispredict;
    let per = |server: Server, cycles: f64| (server, completions(server) * cycles + missed(server));
    let OperatorFacts { pull, shares_lists, output_map, edges, scans, grain, .. } = facts.operator;
    let edge = if pull { costs.pull_edge } else { costs.edge } + if shares_lists { costs.shared_edge } else { 0.0 };
    let converted = counts.scanned_words as f64 * costs.scan + counts.converted as f64 * costs.convert;
    let lists = counts.segment_lists as f64;
    let segments =
        (lists - completions(Server::EdgeRange)).max(0.0) * costs.segment + lists / grain.max(1) as f64 * costs.chunk;
    let (input, range) =
        (per(Server::Input, costs.vertex), per(Server::EdgeRange, if scans { costs.next_range } else { costs.range }));
    [
        (input.0, input.1 + converted),
        per(Server::OwnFilter, costs.own_filter),
        (range.0, range.1 + segments),
        per(Server::Neighbour, edge),
        per(Server::NeighbourFilter, costs.filter),
        per(Server::Weight, costs.weight),
        per(Server::Read, if edges { costs.read } else { costs.vertex_read }),
        (Server::Write, completions(Server::Write) * costs.write + counts.applied as f64 * costs.apply),
        per(Server::Atomic, costs.atomic),
        (Server::Intersect, counts.cpu[Server::Intersect].accesses as f64 * costs.element + missed(Server::Intersect)),
        per(Server::Output, if output_map { costs.mark } else { costs.output }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typical;

    #[test]
    fn data_in_caches_are_not_bound_by_memory() {
        let sheet = typical::cpu();
        let rate = |name: &str| sheet.level(name).unwrap().read_bytes_per_second.at(1.0);
        let bytes = 1 << 20;
        let warm = floor(bytes, 0, &sheet, 1.0);
        assert_eq!(warm, bytes as f64 / rate("L2").max(rate("L3")));
        let cold = floor(bytes, bytes, &sheet, 1.0);
        assert_eq!(cold, bytes as f64 / rate("DRAM"));
        assert!(warm < cold);
        // A line that is fetched twice is touched once.
        assert_eq!(floor(bytes, 2 * bytes, &sheet, 1.0), cold);
    }
}
