//! The places of a program that take a schedule.
use crate::common::*;
use gw_ir::program_points;

#[test]
fn points_of_programs() {
    let mut out = String::new();
    for program in [BFS, SSSP, RANK, MIXED, PEEL] {
        for p in program_points(&lowered(program)) {
            let q = &p.point;
            out.push_str(&format!(
                "{:<14} {:<18} from={:?} to={} out={} unique={} w={} merge={} change={:?} eager={} frontier={} rounds={} {}\n",
                p.path.as_deref().unwrap_or("-"),
                q.kind.to_string(),
                q.from,
                q.has_to,
                q.requires_output,
                q.needs_unique_output,
                q.weighted,
                q.reduction_extractable,
                q.priority_change,
                q.eager_loop,
                q.frontier_loop,
                q.round_statements,
                q.body_obstacle.as_deref().unwrap_or(""),
            ));
        }
        out.push('\n');
    }
    insta::assert_snapshot!(out);
}
