//! The schedules this machine can execute: those of the CPU machine that mean the same on several workers.

use gw_schedule::{
    Axis, Capabilities, Criterion, Dedup, Direction, FrontierCreation, FrontierForm, Intersection, LoopForm,
    Parallelism, PriorityUpdate,
};

/// What the machine can run. Adaptive schedules are missing, since their guard looks at the clock and workers would
/// choose differently; so are eager buckets and segments, which belong to one memory.
pub(crate) fn capabilities() -> Capabilities {
    Capabilities::new(crate::NAME)
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
        .allow_hybrids(&[Criterion::InputSize, Criterion::InputWork])
}
