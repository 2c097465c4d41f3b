//! The schedules this machine can execute: nothing is accepted that would be ignored.

use gw_schedule::{
    Append, Axis, Capabilities, Claim, Classes, Criterion, Dedup, DedupBy, DedupInput, Direction, EdgeFilter, EdgeForm,
    FrontierCount, FrontierCreation, FrontierForm, GroupTable, Intersection, Lanes, Leaves, LoadBalance, LoopForm,
    PriorityUpdate, Visited,
};

/// What the CUDA machine can run.
pub(crate) fn capabilities() -> Capabilities {
    let lanes = Lanes::new(8).into_iter();
    let mut balancers = vec![
        LoadBalance::VertexBased,
        LoadBalance::Twc,
        LoadBalance::Etwc,
        LoadBalance::Wm,
        LoadBalance::Cm,
        LoadBalance::Strict,
        LoadBalance::CtaWarpScan,
        LoadBalance::LocalWarpSearch,
        LoadBalance::MergePath,
        LoadBalance::MultiPhase,
        LoadBalance::EdgeOnly,
    ];
    balancers.extend(
        lanes.flat_map(|lanes| [LoadBalance::virtual_warp(lanes), LoadBalance::DynamicVirtualWarp { min: lanes }]),
    );
    Capabilities::new("cuda")
        .allow(Axis::Direction, Direction::ALL)
        .allow(Axis::LoadBalance, &balancers)
        .allow_all(Axis::Hubs)
        .allow_all(Axis::Block)
        .allow(Axis::Edges, EdgeForm::ALL)
        .allow(Axis::Classes, Classes::ALL)
        .allow(Axis::Update, &[PriorityUpdate::Lazy, PriorityUpdate::NearFar])
        .allow_all(Axis::Delta)
        .allow(Axis::Frontier, FrontierForm::ALL)
        .allow(
            Axis::Creation,
            &[
                FrontierCreation::Fused,
                FrontierCreation::UnfusedBitmap,
                FrontierCreation::UnfusedBoolmap,
                FrontierCreation::LevelMask,
            ],
        )
        .allow(Axis::Count, FrontierCount::ALL)
        .allow(Axis::Dedup, Dedup::ALL)
        .allow(Axis::DedupBy, DedupBy::ALL)
        .allow(Axis::DedupInput, DedupInput::ALL)
        .allow(Axis::Claim, Claim::ALL)
        .allow(Axis::Visited, Visited::ALL)
        .allow(Axis::Append, Append::ALL)
        .allow(Axis::Leaves, Leaves::ALL)
        .allow(Axis::LoopForm, LoopForm::ALL)
        .allow(Axis::Intersection, Intersection::ALL)
        .allow(Axis::Table, &[GroupTable::Hash, GroupTable::Warp, GroupTable::Shared, GroupTable::Memory])
        .allow(Axis::Filter, EdgeFilter::ALL)
        .allow_hybrids(Criterion::ALL)
        .allow_adaptive()
}
