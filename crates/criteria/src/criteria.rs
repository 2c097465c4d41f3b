//! The criteria, one function each: from 0 (bad) to 1 (good), or unknown.

use std::ops::{Index, IndexMut};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::counters::{Compiled, Counters, Device, Events, Launch, WARP};
use crate::criterion::Criterion;
use crate::timeline::Timeline;

/// Which form of a formula is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// The form that does what the text of the source says.
    #[default]
    Corrected,
    /// The form as printed, clamped to 0..1: for comparing with published numbers.
    Printed,
}

/// Values of the eleven criteria.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Criteria([Option<f64>; 11]);

impl Criteria {
    /// All criteria that the counters tell. HSync and DT need a timeline: see [`Criteria::with_timeline`].
    pub fn of(counters: &Counters, form: Form) -> Criteria {
        let Counters { device, launch, compiled, events } = counters;
        let mut criteria = Criteria::default();
        criteria[Criterion::Occupancy] = match form {
            Form::Corrected => occupancy(device, launch, compiled),
            Form::Printed => occupancy_printed(device, launch, compiled),
        };
        criteria[Criterion::DeviceSync] = device_sync(device, events);
        criteria[Criterion::Divergence] = events.lanes_per_instruction.map(|lanes| lanes / f64::from(WARP));
        criteria[Criterion::WarpBalance] = warp_balance(counters);
        criteria[Criterion::ProcessorBalance] = processor_balance(events);
        criteria[Criterion::GranularityL1] = granularity(events.useful_bytes, events.l1_requests, L1_LINE, form);
        criteria[Criterion::GranularityL2] = granularity(events.useful_bytes, events.l2_sectors, L2_SECTOR, form);
        criteria[Criterion::SharedEfficiency] = events.shared_ideal;
        criteria[Criterion::Intensity] = events.arithmetic.zip(events.load_store).map(|(a, l)| (a + l) / 2.0);
        criteria.clamped()
    }

    /// The same with the two criteria that a timeline tells.
    pub fn with_timeline(mut self, timeline: &Timeline, form: Form) -> Criteria {
        self[Criterion::HostSync] = timeline.host_sync();
        self[Criterion::Transfer] = match form {
            Form::Corrected => timeline.transfer(),
            Form::Printed => timeline.transfer_printed(),
        };
        self.clamped()
    }

    /// Criteria of several kernels as one: means weighted by their times; a criterion that a kernel does not have
    /// counts by the others. `None` without kernels or time.
    pub fn mean<'a>(kernels: impl Iterator<Item = (&'a Criteria, f64)> + Clone) -> Option<Criteria> {
        let time: f64 = kernels.clone().map(|(_, seconds)| seconds).sum();
        if !(time > 0.0 && time.is_finite()) {
            return None;
        }
        let mut mean = Criteria::default();
        for criterion in Criterion::ALL {
            let known = kernels.clone().filter_map(|(c, seconds)| c[criterion].map(|value| (value * seconds, seconds)));
            let (sum, seconds) = known.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
            mean[criterion] = (seconds > 0.0).then(|| sum / seconds);
        }
        Some(mean)
    }

    /// Those that are known.
    pub fn known(&self) -> impl Iterator<Item = (Criterion, f64)> + '_ {
        Criterion::ALL.into_iter().filter_map(|criterion| Some((criterion, self[criterion]?)))
    }

    fn clamped(mut self) -> Criteria {
        for value in &mut self.0 {
            *value = value.filter(|v| v.is_finite()).map(|v| v.clamp(0.0, 1.0));
        }
        self
    }
}

impl Index<Criterion> for Criteria {
    type Output = Option<f64>;
    fn index(&self, criterion: Criterion) -> &Option<f64> {
        &self.0[criterion as usize]
    }
}

impl IndexMut<Criterion> for Criteria {
    fn index_mut(&mut self, criterion: Criterion) -> &mut Option<f64> {
        &mut self.0[criterion as usize]
    }
}

impl Serialize for Criteria {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(11))?;
        for criterion in Criterion::ALL {
            map.serialize_entry(criterion.symbol(), &self[criterion])?;
        }
        map.end()
    }
}

const L1_LINE: f64 = 128.0;
const L2_SECTOR: f64 = 32.0;

/// Blocks that a multiprocessor can hold at once: as many as its shared memory, registers, threads and places allow.
pub fn resident_blocks(device: &Device, launch: &Launch, compiled: &Compiled) -> u32 {
    let threads = launch.whole_block();
    if threads == 0 {
        return 0;
    }
    // Counters come from files: sums beyond all bounds are no reason to stop.
    let shared = compiled.static_shared.saturating_add(launch.dynamic_shared).saturating_add(device.shared_reserved);
    let by_shared = device.shared_per_processor.checked_div(shared).unwrap_or(u64::MAX);
    let of_block = registers_of_warp(device, compiled).saturating_mul(u64::from(threads / WARP));
    let by_registers = u64::from(device.registers_per_processor).checked_div(of_block);
    let by_registers = by_registers.and_then(|blocks| u32::try_from(blocks).ok()).unwrap_or(u32::MAX);
    let by_threads = device.threads_per_processor / threads;
    by_registers.min(by_threads).min(device.blocks_per_processor).min(u32::try_from(by_shared).unwrap_or(u32::MAX))
}

/// Registers that the threads of a warp take together.
fn registers_of_warp(device: &Device, compiled: &Compiled) -> u64 {
    let wanted = u64::from(WARP) * u64::from(compiled.registers);
    wanted.next_multiple_of(u64::from(device.register_granularity.max(1)))
}

/// OCC: resident threads of a full multiprocessor, or of the whole grid where that is smaller, by the most.
pub fn occupancy(device: &Device, launch: &Launch, compiled: &Compiled) -> Option<f64> {
    let threads = f64::from(launch.whole_block());
    let most = f64::from(device.threads_per_processor);
    let full = f64::from(resident_blocks(device, launch, compiled)) * threads / most;
    let grid = launch.grid as f64 * threads / (most * f64::from(device.processors));
    (most > 0.0 && device.processors > 0 && launch.block > 0).then(|| full.min(grid).min(1.0))
}

/// OCC with the four terms as they are printed, whose units do not agree: floors of block counts beside ratios.
fn occupancy_printed(device: &Device, launch: &Launch, compiled: &Compiled) -> Option<f64> {
    let threads = launch.whole_block();
    let shared = compiled.static_shared.saturating_add(launch.dynamic_shared);
    let by_shared = device.shared_per_processor.checked_div(shared).map_or(f64::INFINITY, |blocks| blocks as f64);
    let registers = u64::from(launch.block / WARP).saturating_mul(registers_of_warp(device, compiled));
    let by_registers = (registers / u64::from(device.registers_per_processor.max(1))) as f64;
    let by_blocks = f64::from(device.blocks_per_processor.max(device.threads_per_processor.checked_div(threads)?));
    let resident = f64::from(device.threads_per_processor) * f64::from(device.processors);
    let by_threads = launch.grid as f64 * f64::from(threads) / resident;
    Some(by_shared.min(by_registers).min(by_blocks).min(by_threads).min(1.0))
}

/// Share of the warps of the whole device that were there, over the whole time of the kernel.
pub(crate) fn active_warps(device: &Device, events: &Events) -> Option<f64> {
    let warps = events.warps_per_active_cycle? * events.active_cycles_mean?;
    let most = f64::from(device.warps_per_processor()) * events.elapsed_cycles?;
    (most > 0.0).then(|| (warps / most).clamp(0.0, 1.0))
}

/// DSync: barriers hurt as far as no other warps fill the time.
fn device_sync(device: &Device, events: &Events) -> Option<f64> {
    Some(1.0 - (1.0 - active_warps(device, events)?) * events.barrier_stalls?)
}

/// LB_W: warps on a busy multiprocessor, by those of the blocks that it could hold of this grid.
fn warp_balance(counters: &Counters) -> Option<f64> {
    let Counters { device, launch, compiled, events } = counters;
    let even = launch.grid.div_ceil(u64::from(device.processors.max(1)));
    let blocks = u64::from(resident_blocks(device, launch, compiled)).min(even);
    let warps = blocks as f64 * f64::from(launch.whole_block() / WARP);
    let seen = events.warps_per_active_cycle?;
    (warps > 0.0).then(|| seen / warps)
}

/// LB_SM: mean by greatest number of active cycles.
fn processor_balance(events: &Events) -> Option<f64> {
    let (mean, max) = (events.active_cycles_mean?, events.active_cycles_max?);
    (max > 0.0).then(|| mean / max)
}

/// Gran: bytes asked for, by bytes moved; printed the other way round.
fn granularity(useful: Option<f64>, transactions: Option<f64>, bytes: f64, form: Form) -> Option<f64> {
    let (useful, moved) = (useful?, transactions? * bytes);
    match form {
        Form::Corrected => (moved > 0.0).then(|| useful / moved),
        Form::Printed => (useful > 0.0).then(|| moved / useful),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counters(block: u32, grid: u64, registers: u32, shared: u64, events: Events) -> Counters {
        Counters {
            device: Device::h200(),
            launch: Launch { block, grid, dynamic_shared: 0 },
            compiled: Compiled { registers, static_shared: shared },
            events,
        }
    }

    fn occupancy_of(block: u32, grid: u64, registers: u32, shared: u64) -> f64 {
        let c = counters(block, grid, registers, shared, Events::default());
        occupancy(&c.device, &c.launch, &c.compiled).unwrap()
    }

    /// By hand: 65536 registers, 2048 threads, 32 blocks, 228 KiB per multiprocessor; 132 multiprocessors.
    #[test]
    fn occupancy_by_hand() {
        assert_eq!(occupancy_of(256, 100_000, 32, 0), 1.0);
        // 64 registers: 2048 per warp, 16384 per block: 4 blocks of 256 threads.
        assert_eq!(occupancy_of(256, 100_000, 64, 0), 0.5);
        // 33 registers: 1056 round up to 1280 per warp, 10240 per block: 6 blocks.
        assert_eq!(occupancy_of(256, 100_000, 33, 0), 0.75);
        // 32 blocks of one warp are half of the threads.
        assert_eq!(occupancy_of(32, 100_000, 16, 0), 0.5);
        // 75 KiB + 1 KiB reserved: 3 blocks of 512 threads.
        assert_eq!(occupancy_of(512, 100_000, 16, 75 << 10), 0.75);
        // A grid of 66 blocks of 1024 threads is a quarter of the device.
        assert_eq!(occupancy_of(1024, 66, 16, 0), 0.25);
        // 40 threads take the room of 64.
        assert_eq!(occupancy_of(40, 100_000, 16, 0), 1.0);
    }

    /// A file may say anything.
    #[test]
    fn absurd_counters_give_no_panic() {
        for (block, registers, shared) in [(u32::MAX, u32::MAX, u64::MAX), (u32::MAX, 1, 1), (1024, u32::MAX, u64::MAX)]
        {
            let mut c = counters(block, u64::MAX, registers, shared, Events::default());
            c.launch.dynamic_shared = u64::MAX;
            for form in [Form::Corrected, Form::Printed] {
                let found = Criteria::of(&c, form)[Criterion::Occupancy];
                assert!(found.is_none_or(|value| (0.0..=1.0).contains(&value)), "{found:?}");
            }
        }
    }

    /// The printed register term is below 1 for every legal kernel and floors to 0.
    #[test]
    fn printed_occupancy_is_nearly_always_zero() {
        let c = counters(256, 100_000, 64, 1024, Events::default());
        assert_eq!(Criteria::of(&c, Form::Printed)[Criterion::Occupancy], Some(0.0));
    }

    /// 48 of 64 warps in 900 of 1000 cycles, a fifth of the stalls at barriers.
    #[test]
    fn synchronisation_and_balance_by_hand() {
        let events = Events {
            warps_per_active_cycle: Some(48.0),
            active_cycles_mean: Some(900.0),
            active_cycles_max: Some(1000.0),
            elapsed_cycles: Some(1000.0),
            barrier_stalls: Some(0.2),
            ..Events::default()
        };
        let criteria = Criteria::of(&counters(256, 100_000, 32, 0, events), Form::Corrected);
        let near = |c: Criterion, expected: f64| assert!((criteria[c].unwrap() - expected).abs() < 1e-12, "{c:?}");
        near(Criterion::DeviceSync, 1.0 - (1.0 - 0.675) * 0.2);
        near(Criterion::WarpBalance, 0.75);
        near(Criterion::ProcessorBalance, 0.9);
        // A grid of one block per multiprocessor has eight warps there at most.
        let events = Events { warps_per_active_cycle: Some(6.0), ..Events::default() };
        let small = Criteria::of(&counters(256, 132, 32, 0, events), Form::Corrected);
        assert_eq!(small[Criterion::WarpBalance], Some(0.75));
    }

    /// 32 lanes read 4 bytes each: side by side one request and 4 sectors, scattered one request and 32 sectors.
    #[test]
    fn granularity_by_hand() {
        let reads = |l1_requests, l2_sectors| Events {
            useful_bytes: Some(128.0),
            l1_requests: Some(l1_requests),
            l2_sectors: Some(l2_sectors),
            ..Events::default()
        };
        let of = |events, form| {
            let criteria = Criteria::of(&counters(256, 1000, 32, 0, events), form);
            (criteria[Criterion::GranularityL1].unwrap(), criteria[Criterion::GranularityL2].unwrap())
        };
        assert_eq!(of(reads(1.0, 4.0), Form::Corrected), (1.0, 1.0));
        assert_eq!(of(reads(2.0, 32.0), Form::Corrected), (0.5, 0.125));
        // As printed, the worse access is not told from the best.
        assert_eq!(of(reads(2.0, 32.0), Form::Printed), (1.0, 1.0));
    }

    #[test]
    fn kernels_are_joined_by_their_time() {
        let (mut a, mut b) = (Criteria::default(), Criteria::default());
        (a[Criterion::Divergence], b[Criterion::Divergence]) = (Some(1.0), Some(0.5));
        a[Criterion::SharedEfficiency] = Some(0.25);
        let joined = Criteria::mean([(&a, 1.0), (&b, 3.0)].into_iter()).unwrap();
        assert_eq!(joined[Criterion::Divergence], Some(0.625));
        assert_eq!(joined[Criterion::SharedEfficiency], Some(0.25));
        assert_eq!(joined[Criterion::Occupancy], None);
        assert!(Criteria::mean([(&a, 0.0)].into_iter()).is_none());
    }

    fn any_events() -> impl Strategy<Value = Events> {
        let value = || prop::option::of(prop_oneof![Just(0.0), 0.0..2.0f64, 0.0..1e12f64]);
        prop::array::uniform16(value()).prop_map(|v| Events {
            seconds: v[0],
            active_cycles_mean: v[1],
            active_cycles_max: v[2],
            elapsed_cycles: v[3],
            warps_per_active_cycle: v[4],
            barrier_stalls: v[5],
            lanes_per_instruction: v[6],
            useful_bytes: v[7],
            l1_requests: v[8],
            l2_sectors: v[9],
            shared_ideal: v[10],
            shared_wavefronts: v[11],
            arithmetic: v[12],
            load_store: v[13],
            dram_bytes: v[14],
            dram_share: v[15],
        })
    }

    proptest! {
        #[test]
        fn all_lie_between_0_and_1(
            block in 0u32..2000, grid in 0u64..1 << 40, registers in 0u32..256, shared in 0u64..300_000,
            events in any_events()
        ) {
            let counters = counters(block, grid, registers, shared, events);
            for form in [Form::Corrected, Form::Printed] {
                for (criterion, value) in Criteria::of(&counters, form).known() {
                    prop_assert!((0.0..=1.0).contains(&value), "{criterion:?} {value}");
                }
            }
        }

        #[test]
        fn more_resources_never_raise_occupancy(
            block in 1u32..1025, grid in 1u64..10_000, registers in 1u32..255, shared in 0u64..100_000
        ) {
            let at = occupancy_of(block, grid, registers, shared);
            prop_assert!(occupancy_of(block, grid, registers + 1, shared) <= at);
            prop_assert!(occupancy_of(block, grid, registers, shared + 1000) <= at);
            prop_assert!(occupancy_of(block, grid + 1, registers, shared) >= at);
        }

        #[test]
        fn more_barriers_and_more_bytes_never_help(
            warps in 0.0..64.0f64, stalls in 0.0..0.9f64, useful in 1.0..1e6f64, sectors in 1.0..1e6f64
        ) {
            let of = |stalls, sectors| {
                let events = Events {
                    warps_per_active_cycle: Some(warps), active_cycles_mean: Some(1000.0), elapsed_cycles: Some(1000.0),
                    barrier_stalls: Some(stalls), useful_bytes: Some(useful), l2_sectors: Some(sectors),
                    ..Events::default()
                };
                Criteria::of(&counters(256, 1000, 32, 0, events), Form::Corrected)
            };
            let (good, bad) = (of(stalls, sectors), of(stalls + 0.1, sectors * 1.5));
            prop_assert!(bad[Criterion::DeviceSync] <= good[Criterion::DeviceSync]);
            prop_assert!(bad[Criterion::GranularityL2] <= good[Criterion::GranularityL2]);
        }
    }
}
