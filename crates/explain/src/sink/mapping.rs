//! Mapping: how a load balancer gives the edges of vertices to the lanes of warps.

use gw_schedule::LoadBalance;
use serde::Serialize;

/// Lanes of a warp.
pub(crate) const WARP: usize = 32;
/// Threads of a block, in all kernels.
pub(crate) const BLOCK: usize = 256;
/// Lists of at least so many edges are shared by the whole grid where the load balancer does that.
const GRID_LIST: usize = 16 * BLOCK;

/// How lists below 32 edges are walked where longer ones get a warp or a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Small {
    /// By groups of this many lanes, one group of lists after the other.
    Lanes(usize),
    /// By all lanes of the warp together, edge by edge.
    Pooled,
}

/// How edges reach lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// This many lanes, a power of two up to 32, walk the edges of one vertex.
    Lanes(usize),
    /// A vertex gets part of a warp, a warp, a block or the grid by its degree.
    ByDegree {
        /// How short lists are walked.
        small: Small,
        /// Lists of at least so many edges are shared by the whole grid.
        grid_from: usize,
    },
    /// Consecutive edges go to consecutive lanes, whatever their vertex, within this many vertices.
    Pooled(usize),
    /// The same within the whole input set: degrees are summed up and written down first.
    Scanned,
}

impl Mapping {
    /// The mapping of a load balancer for so many active vertices on a device with so many threads.
    pub fn of(balance: Option<LoadBalance>, active: usize, threads: usize) -> Mapping {
        match balance {
            None | Some(LoadBalance::VertexBased | LoadBalance::Aligned | LoadBalance::Blocking) => Mapping::Lanes(1),
            Some(LoadBalance::VirtualWarp { lanes, .. }) => Mapping::Lanes(lanes.get().into()),
            Some(LoadBalance::DynamicVirtualWarp { min }) => {
                // The most lanes for which all vertices still get their group at once.
                let fit = (threads / active.max(1)).clamp(1, WARP);
                let lanes = if fit.is_power_of_two() { fit } else { fit.next_power_of_two() / 2 };
                Mapping::Lanes(lanes.clamp(min.get().into(), WARP))
            }
            Some(LoadBalance::Twc) => Mapping::ByDegree { small: Small::Pooled, grid_from: threads },
            Some(LoadBalance::Etwc) => Mapping::ByDegree { small: Small::Lanes(8), grid_from: GRID_LIST },
            Some(LoadBalance::CtaWarpScan) => Mapping::ByDegree { small: Small::Pooled, grid_from: usize::MAX },
            Some(LoadBalance::Wm | LoadBalance::LocalWarpSearch) => Mapping::Pooled(WARP),
            Some(LoadBalance::Cm) => Mapping::Pooled(BLOCK),
            Some(LoadBalance::Strict | LoadBalance::MergePath | LoadBalance::MultiPhase) => Mapping::Scanned,
            Some(LoadBalance::EdgeOnly | LoadBalance::EdgeBased) => Mapping::Pooled(usize::MAX),
        }
    }

    /// Barriers of the grid inside the load balancer: degrees are summed up or sorted into bins before the edges.
    pub fn barriers(balance: Option<LoadBalance>) -> u32 {
        match balance {
            Some(LoadBalance::Strict | LoadBalance::MergePath | LoadBalance::MultiPhase | LoadBalance::Twc) => 1,
            _ => 0,
        }
    }

    /// Whether lanes look for the vertex of their edge.
    pub fn searches(balance: Option<LoadBalance>) -> bool {
        use LoadBalance::{Cm, CtaWarpScan, LocalWarpSearch, MergePath, MultiPhase, Strict, Wm};
        matches!(balance, Some(Cm | CtaWarpScan | LocalWarpSearch | MergePath | MultiPhase | Strict | Wm))
    }
}
