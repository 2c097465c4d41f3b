//! The schedules this machine can execute: nothing is accepted that would be ignored.

use gw_schedule::{
    Axis, Capabilities, Criterion, Dedup, Direction, FrontierCreation, FrontierForm, Intersection, LoopForm,
    Parallelism, PriorityUpdate,
};

/// What the CPU machine can run.
pub(crate) fn capabilities() -> Capabilities {
    Capabilities::new("cpu")
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
        .allow(
            Axis::Update,
            &[PriorityUpdate::Lazy, PriorityUpdate::Eager, PriorityUpdate::EagerWithMerge, PriorityUpdate::ConstantSum],
        )
        .allow_all(Axis::Segments)
        .allow_all(Axis::Delta)
        .allow_all(Axis::Merge)
        .allow_all(Axis::Buckets)
        .allow(Axis::LoopForm, &[LoopForm::Host])
        .allow(Axis::Intersection, Intersection::ALL)
        .allow_hybrids(&[Criterion::InputSize, Criterion::InputWork])
        .allow_adaptive()
}
