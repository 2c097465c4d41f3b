//! The fine-grained model: criteria corrected by curves of the device, and the speedup that each one leaves open.

use serde::Serialize;

use crate::counters::{Counters, WARP};
use crate::criteria::{Criteria, Form, active_warps};
use crate::criterion::Criterion;
use crate::curve::Characterisation;

/// Cycles of one access per level, as micro-benchmarks measure them: what splits the time of a kernel by component.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latencies {
    /// Of the first-level cache.
    pub l1: f64,
    /// Of the second-level cache.
    pub l2: f64,
    /// Of shared memory.
    pub shared: f64,
}

/// The criteria of the fine-grained model that differ from those of Pro++.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FineGrained {
    /// DEVICESYNC: what stalls at barriers leave.
    pub device_sync: Option<f64>,
    /// DIVERGENCE: lanes at work, and the extra cost of many paths.
    pub divergence: Option<f64>,
    /// SHMEMEFFICIENCY.
    pub shared: Option<f64>,
    /// MEMTHR: throughput of the memory, by what is reachable for that many bytes.
    pub memory: Option<f64>,
    /// ARITHTHR: throughput of the arithmetic units, likewise.
    pub arithmetic: Option<f64>,
    /// THROUGHPUT/OCCUPANCY: idle threads matter as far as the memory is not saturated.
    pub throughput: Option<f64>,
}

impl FineGrained {
    /// From counters, the criteria made of them, and the curves of the device.
    pub fn of(counters: &Counters, criteria: &Criteria, curves: &Characterisation, form: Form) -> FineGrained {
        let events = &counters.events;
        let clamp = |value: f64| value.clamp(0.0, 1.0);
        let over = |share: f64, reachable: f64| clamp(if reachable > 0.0 { share / reachable } else { share });
        let memory =
            events.dram_share.map(|share| over(share, events.dram_bytes.map_or(1.0, |bytes| curves.dram.at(bytes))));
        // The deepest divergence is one lane per path.
        let paths = |lanes: f64| f64::from(WARP) / lanes.max(1.0);
        FineGrained {
            device_sync: events.barrier_stalls.map(|stalls| clamp(1.0 - stalls)),
            divergence: criteria[Criterion::Divergence]
                .map(|value| clamp(value * curves.divergence.at(paths(value * f64::from(WARP))))),
            shared: criteria[Criterion::SharedEfficiency]
                .map(|value| clamp(value * curves.shared.at(if value > 0.0 { 1.0 / value } else { 32.0 }))),
            memory,
            arithmetic: events.arithmetic.map(|share| over(share, curves.arithmetic.at(f64::INFINITY))),
            throughput: criteria[Criterion::Occupancy].zip(memory).map(|(occupancy, memory)| match form {
                Form::Corrected => 1.0 - (1.0 - occupancy) * (1.0 - memory),
                Form::Printed if memory > 0.99 => 1.0,
                Form::Printed => 1.0 - (1.0 - occupancy) * memory,
            }),
        }
    }

    /// The overall potential speedup: how far the kernel is from the roof that it is nearer to.
    pub fn overall(&self) -> Option<f64> {
        let nearest = self.memory.into_iter().chain(self.arithmetic).fold(0.0, f64::max);
        (nearest > 0.0).then(|| 1.0 / nearest)
    }
}

/// What mending one criterion could bring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Potential {
    /// Which.
    pub criterion: Criterion,
    /// Its value.
    pub value: f64,
    /// At most so many times faster when the criterion becomes 1 and nothing else changes.
    pub speedup: f64,
    /// The same by the printed formula, which can be below 1.
    pub printed: f64,
}

/// Potential speedups of a kernel, the greatest first. Levels of memory count by their share of the time where
/// `latencies` are given, and by the whole time otherwise; none exceeds the overall potential of the kernel.
pub(crate) fn potentials(
    counters: &Counters,
    criteria: &Criteria,
    fine: &FineGrained,
    latencies: Option<&Latencies>,
) -> Vec<Potential> {
    let events = &counters.events;
    let share = |accesses: Option<f64>, latency: f64| {
        let cycles = events.elapsed_cycles? * f64::from(counters.device.processors);
        let warps = events.warps_per_active_cycle?.max(1.0);
        (cycles > 0.0).then(|| (accesses.unwrap_or(0.0) * latency / cycles / warps).clamp(0.0, 1.0))
    };
    let level = |criterion: Criterion| {
        let latencies = latencies?;
        match criterion {
            Criterion::GranularityL1 => share(events.l1_requests, latencies.l1),
            Criterion::GranularityL2 => share(events.l2_sectors, latencies.l2),
            _ => share(events.shared_wavefronts, latencies.shared),
        }
    };
    let roof = fine.overall().unwrap_or(f64::INFINITY);
    let mut found: Vec<Potential> = criteria
        .known()
        .filter_map(|(criterion, value)| {
            let (value, speedup, printed) = match criterion {
                Criterion::DeviceSync => {
                    let lost = (1.0 - active_warps(&counters.device, events)?) * events.barrier_stalls?;
                    (value, 1.0 / (1.0 - lost), lost)
                }
                Criterion::GranularityL1 | Criterion::GranularityL2 | Criterion::SharedEfficiency => {
                    let value = if criterion == Criterion::SharedEfficiency { fine.shared? } else { value };
                    let share = level(criterion).unwrap_or(1.0);
                    (value, 1.0 / (1.0 - share * (1.0 - value)), share / value)
                }
                Criterion::Divergence => (fine.divergence?, 1.0 / fine.divergence?, 1.0 / fine.divergence?),
                Criterion::Occupancy => (value, 1.0 / fine.throughput?, 1.0 / fine.throughput?),
                // Busy units are a sign, not a cause; the model has the roofs instead.
                Criterion::Intensity | Criterion::Transfer => return None,
                _ => (value, 1.0 / value, 1.0 / value),
            };
            // Time outside of kernels is not bounded by the roof of the kernel.
            let most = if criterion == Criterion::HostSync { f64::INFINITY } else { roof };
            Some(Potential { criterion, value, speedup: speedup.min(most).max(1.0), printed })
        })
        .collect();
    found.sort_by(|a, b| b.speedup.total_cmp(&a.speedup));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{Compiled, Device, Events, Launch};
    use crate::curve::Curve;

    fn kernel(events: Events) -> Counters {
        Counters {
            device: Device::h200(),
            launch: Launch { block: 256, grid: 10_000, dynamic_shared: 0 },
            compiled: Compiled { registers: 64, static_shared: 0 },
            events,
        }
    }

    /// A quarter of the memory's throughput where half can be reached; occupancy 0.5.
    #[test]
    fn throughput_and_roof_by_hand() {
        let counters = kernel(Events {
            dram_share: Some(0.25),
            dram_bytes: Some(1e6),
            arithmetic: Some(0.1),
            ..Events::default()
        });
        let criteria = Criteria::of(&counters, Form::Corrected);
        let curves = Characterisation {
            dram: Curve::through("dram", vec![(1e6, 0.5), (1e9, 1.0)]).unwrap(),
            ..Characterisation::default()
        };
        let fine = FineGrained::of(&counters, &criteria, &curves, Form::Corrected);
        assert_eq!((fine.memory, fine.throughput), (Some(0.5), Some(1.0 - 0.5 * 0.5)));
        assert_eq!(fine.overall(), Some(2.0));
        let printed = FineGrained::of(&counters, &criteria, &curves, Form::Printed);
        assert_eq!(printed.throughput, Some(1.0 - 0.5 * 0.5));
        // Saturated memory: occupancy does not matter, in both forms; just below they differ.
        let full = kernel(Events { dram_share: Some(1.0), ..Events::default() });
        let near = kernel(Events { dram_share: Some(0.9), ..Events::default() });
        let throughput = |counters: &Counters, form| {
            FineGrained::of(counters, &criteria, &Characterisation::default(), form).throughput.unwrap()
        };
        assert_eq!((throughput(&full, Form::Corrected), throughput(&full, Form::Printed)), (1.0, 1.0));
        assert!(throughput(&near, Form::Corrected) > 0.94 && throughput(&near, Form::Printed) < 0.56);
    }

    /// A tenth of the time goes to shared memory, whose conflicts cost a factor of four there.
    #[test]
    fn amdahl_bounds_a_level_by_its_share() {
        let counters = kernel(Events {
            shared_ideal: Some(0.25),
            shared_wavefronts: Some(1000.0 * 132.0),
            elapsed_cycles: Some(10_000.0),
            warps_per_active_cycle: Some(30.0),
            ..Events::default()
        });
        let criteria = Criteria::of(&counters, Form::Corrected);
        let fine = FineGrained::of(&counters, &criteria, &Characterisation::default(), Form::Corrected);
        let latencies = Latencies { l1: 30.0, l2: 200.0, shared: 30.0 };
        let find = |latencies| {
            let all = potentials(&counters, &criteria, &fine, latencies);
            *all.iter().find(|p| p.criterion == Criterion::SharedEfficiency).unwrap()
        };
        let with = find(Some(&latencies));
        assert!((with.speedup - 1.0 / (1.0 - 0.1 * 0.75)).abs() < 1e-12);
        assert!((with.printed - 0.4).abs() < 1e-12, "the printed form promises a slowdown");
        assert_eq!(find(None).speedup, 4.0);
    }
}
