//! BFS under the two schedules of the UGF thesis: direction-optimising and fused road.
use crate::common::*;

#[test]
fn direction_optimising() {
    let schedule = "on=gpu;walk:hop@hybrid,by=input-size,at=0.15+push,lb=etwc,create=fused+pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap";
    let module = after(&lowered(BFS), schedule, "context");
    insta::assert_snapshot!(module.to_string());
}

#[test]
fn fused_road() {
    let schedule = "on=gpu;walk@loop=fused;walk:hop@push,lb=etwc,create=fused";
    let module = after(&lowered(BFS), schedule, "context");
    insta::assert_snapshot!(module.to_string());
}
