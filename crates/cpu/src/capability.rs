//! The schedules this machine can execute: nothing is accepted that would be ignored.

use gw_schedule::{
    Axis, Capabilities, Classes, Criterion, Dedup, Direction, EdgeFilter, FrontierCreation, FrontierForm, GroupTable,
    Intersection, Leaves, LoopForm, Parallelism, PriorityUpdate,
};
use std::sync::OnceLock;

/// What the CPU machine can run.
pub(crate) fn capabilities() -> Capabilities {
    let machine = everywhere();
    // Segments are not placed on sockets. Where there is one socket, there is nothing to place.
    match numa_nodes() {
        1 => machine.void(Axis::Numa, "this computer has one NUMA node"),
        _ => machine,
    }
}

/// The number of NUMA nodes of the computer; 1 where the system does not say.
fn numa_nodes() -> usize {
    static NODES: OnceLock<usize> = OnceLock::new();
    *NODES.get_or_init(|| {
        let online = std::fs::read_to_string("/sys/devices/system/node/online");
        online.map_or(1, |text| count(&text))
    })
}

/// How many numbers a list such as `0-3,8` holds, at least 1.
fn count(list: &str) -> usize {
    let range = |part: &str| {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (low, high): (usize, usize) = (low.parse().ok()?, high.parse().ok()?);
        Some(high.checked_sub(low)?.saturating_add(1))
    };
    list.trim().split(',').filter_map(range).sum::<usize>().max(1)
}

/// What kernels of the CPU machine can run for any machine that drives them, by its name: nothing that belongs to one
/// memory or looks at the clock.
pub fn kernel_capabilities(machine: &'static str) -> Capabilities {
    Capabilities::new(machine)
        .allow(Axis::Direction, Direction::ALL)
        .allow(
            Axis::Parallelism,
            &[
                Parallelism::Serial,
                Parallelism::Static,
                Parallelism::Dynamic,
                Parallelism::EdgeAware,
                Parallelism::EdgeParallel,
            ],
        )
        .allow_all(Axis::Grain)
        .allow(Axis::Frontier, &[FrontierForm::Boolmap, FrontierForm::Bitmap])
        .allow(
            Axis::Creation,
            &[
                FrontierCreation::Fused,
                FrontierCreation::SlidingQueue,
                FrontierCreation::UnfusedBitmap,
                FrontierCreation::UnfusedBoolmap,
            ],
        )
        .allow(Axis::Dedup, Dedup::ALL)
        .allow(Axis::Update, &[PriorityUpdate::Lazy])
        .allow_all(Axis::Delta)
        .allow_all(Axis::Buckets)
        .allow(Axis::LoopForm, &[LoopForm::Host])
        .allow(Axis::Intersection, Intersection::ALL)
        .allow(Axis::Filter, EdgeFilter::ALL)
        .allow_hybrids(&[Criterion::InputSize, Criterion::InputWork])
}

/// What the CPU machine can run on any computer.
fn everywhere() -> Capabilities {
    kernel_capabilities("cpu")
        .allow(Axis::Update, &[PriorityUpdate::Eager, PriorityUpdate::EagerWithMerge, PriorityUpdate::ConstantSum])
        .allow(Axis::Classes, Classes::ALL)
        .allow(Axis::Leaves, Leaves::ALL)
        .allow(Axis::Table, &[GroupTable::Hash, GroupTable::Dense])
        .allow_all(Axis::Segments)
        .allow_all(Axis::Merge)
        .allow_adaptive()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted() {
        for (list, nodes) in [("0\n", 1), ("0-1\n", 2), ("0-3,8", 5), ("", 1), ("3-1", 1), ("x", 1)] {
            assert_eq!(count(list), nodes, "{list}");
        }
    }

    #[test]
    fn numa_is_void_on_one_node_and_refused_on_more() {
        let schedule = "pull,segments=4,numa=static".parse().unwrap();
        assert!(everywhere().unsupported(&schedule)[0].to_string().contains("cannot run `numa=static-parallel`"));
        if numa_nodes() == 1 {
            assert!(capabilities().unsupported(&schedule).is_empty());
            let words = capabilities().without_effect(&schedule);
            assert_eq!(words, ["`numa=static-parallel` has no effect: this computer has one NUMA node"]);
        }
    }
}
