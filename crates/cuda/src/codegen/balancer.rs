//! Load balancers: which function of the headers walks the edges of an operator, and how it is called.

use gw_schedule::{Hubs, LoadBalance};

use super::inputs::Source;
use super::region::Region;

/// How a function of the headers is called for a balancer, and whether it needs scratch memory. `all`: every vertex
/// is looked at, so that there is work enough to let the whole grid share long lists.
pub(super) fn balancer(load_balance: LoadBalance, incoming: bool, all: bool) -> Option<(String, &'static str, bool)> {
    Some(match load_balance {
        LoadBalance::VertexBased => ("gw::balance_vertex_based(op)".into(), "balance_vertex_based.cuh", false),
        LoadBalance::VirtualWarp { lanes, chunk } => {
            (format!("gw::balance_virtual_warp<{}>(op, {chunk})", lanes.get()), "balance_virtual_warp.cuh", false)
        }
        LoadBalance::DynamicVirtualWarp { min } => {
            (format!("gw::balance_dynamic_virtual_warp<{}>(op)", min.get()), "balance_dynamic_virtual_warp.cuh", false)
        }
        LoadBalance::Twc => ("gw::balance_twc(op, scratch, run.grid)".into(), "balance_twc.cuh", true),
        LoadBalance::Etwc => {
            let greatest = if incoming { "in_greatest" } else { "out_greatest" };
            let (name, header) = match all {
                true => ("balance_etwc_all", "balance_etwc_all.cuh"),
                false => ("balance_etwc", "balance_etwc.cuh"),
            };
            (format!("gw::{name}(op, scratch, run.grid, op.graph.{greatest})"), header, true)
        }
        LoadBalance::Wm => ("gw::balance_warp_mapping(op)".into(), "balance_warp_mapping.cuh", false),
        LoadBalance::Cm => ("gw::balance_block_mapping(op)".into(), "balance_block_mapping.cuh", false),
        LoadBalance::Strict => ("gw::balance_strict(op, scratch, run.grid)".into(), "balance_strict.cuh", true),
        LoadBalance::CtaWarpScan => ("gw::balance_cta_warp_scan(op)".into(), "balance_cta_warp_scan.cuh", false),
        LoadBalance::LocalWarpSearch => {
            ("gw::balance_local_warp_search(op)".into(), "balance_local_warp_search.cuh", false)
        }
        LoadBalance::MergePath => {
            ("gw::balance_merge_path(op, scratch, run.grid)".into(), "balance_merge_path.cuh", true)
        }
        LoadBalance::MultiPhase => {
            ("gw::balance_multi_phase(op, scratch, run.grid)".into(), "balance_multi_phase.cuh", true)
        }
        LoadBalance::EdgeOnly => ("gw::balance_edge_only(op)".into(), "balance_edge_only.cuh", false),
        LoadBalance::EdgeBased | LoadBalance::Aligned | LoadBalance::Blocking => return None,
    })
}

/// The call of a balancer around which the lists of hubs are put aside.
pub(super) fn hubs_apart(region: &mut Region<'_>, balance: &str, hubs: Hubs, incoming: bool) -> String {
    let least = match hubs {
        Hubs::Degree(degree) => format!("{degree}u"),
        Hubs::Resident => {
            let threads = region.inputs.member(Source::ResidentThreads, "unsigned long long", "threads");
            format!("(unsigned)({threads} / 2)")
        }
    };
    let greatest = if incoming { "in_greatest" } else { "out_greatest" };
    // The balancer walks what the wrapper leaves to it, under the same name.
    format!("gw::balance_hubs(op, scratch, run.grid, {least}, op.graph.{greatest}, [&](auto& op) {{ {balance}; }})")
}
