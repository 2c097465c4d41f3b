//! Load balance: how edges are given to GPU threads, Swarm tasks or HammerBlade tiles.

use crate::value::{AxisValue, ValueRow};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU16;

/// The lanes of a virtual warp: a power of two from 1 to 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Lanes(u8);

impl Lanes {
    /// Checks and wraps the number of lanes.
    pub const fn new(lanes: u8) -> Option<Lanes> {
        if lanes.is_power_of_two() && lanes <= 32 { Some(Lanes(lanes)) } else { None }
    }

    /// The number of lanes.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Lanes {
    type Error = String;
    fn try_from(lanes: u8) -> Result<Lanes, String> {
        Lanes::new(lanes).ok_or_else(|| format!("{lanes} lanes: a virtual warp has 1, 2, 4, 8, 16 or 32 lanes"))
    }
}
impl From<Lanes> for u8 {
    fn from(lanes: Lanes) -> u8 {
        lanes.0
    }
}

/// How edges are given to threads (GPU), tasks (Swarm) or tiles (HammerBlade).
///
/// The words and lines are in [`LoadBalance::rows`](AxisValue::rows); the text of a virtual warp
/// carries its parameters: `vw16` is 16 lanes and one vertex at a time, `vw16-64` gives each
/// virtual warp a chunk of 64 vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadBalance {
    /// One thread per active vertex, serial over its edges.
    VertexBased,
    /// A fixed number of lanes per vertex, each virtual warp walking a chunk of vertices.
    VirtualWarp {
        /// Lanes per virtual warp.
        lanes: Lanes,
        /// Vertices per virtual warp.
        chunk: NonZeroU16,
    },
    /// Lanes per vertex chosen again every round from the frontier size, never below `min`.
    DynamicVirtualWarp {
        /// The smallest virtual warp.
        min: Lanes,
    },
    /// Three bins of vertices by degree: thread, warp, block.
    Twc,
    /// Edges of each vertex split over block, warp and thread stages.
    Etwc,
    /// A warp shares the edges of 32 vertices by a warp scan.
    Wm,
    /// A block shares the edges of its vertices by a block scan.
    Cm,
    /// Device-wide scan of degrees; each block owns an equal share of edges.
    Strict,
    /// Block phase, warp phase, then leftovers through a scan.
    CtaWarpScan,
    /// A warp loads 32 vertices and searches the owner of each edge.
    LocalWarpSearch,
    /// Vertices plus edges split evenly along the merge path.
    MergePath,
    /// Device-wide partition, then iterated coalesced expansion in shared memory.
    MultiPhase,
    /// One thread per edge of the whole edge list.
    EdgeOnly,
    /// Tasks or tiles with equal shares of edges.
    EdgeBased,
    /// Cyclic blocks of vertices aligned to cache lines.
    Aligned,
    /// As `aligned`, with vertex data copied to the scratchpad first.
    Blocking,
}

/// The smallest dynamic virtual warp unless another is named (smaller ones never paid off).
const DYNAMIC_MIN: Lanes = Lanes(4);

impl LoadBalance {
    /// A virtual warp of `lanes` lanes that takes one vertex at a time.
    pub fn virtual_warp(lanes: Lanes) -> LoadBalance {
        LoadBalance::VirtualWarp { lanes, chunk: NonZeroU16::MIN }
    }

    /// Representative values for enumeration: every value without parameters, virtual warps of
    /// 1 to 32 lanes plus the pair 16-64, and the dynamic form with its usual smallest size.
    pub fn representatives() -> Vec<LoadBalance> {
        use LoadBalance::*;
        let mut all = vec![VertexBased];
        all.extend([1, 2, 4, 8, 16, 32].map(|n| LoadBalance::virtual_warp(Lanes::new(n).unwrap())));
        all.push(VirtualWarp { lanes: Lanes(16), chunk: NonZeroU16::new(64).unwrap() });
        all.push(DynamicVirtualWarp { min: DYNAMIC_MIN });
        all.extend([
            Twc,
            Etwc,
            Wm,
            Cm,
            Strict,
            CtaWarpScan,
            LocalWarpSearch,
            MergePath,
            MultiPhase,
            EdgeOnly,
            EdgeBased,
            Aligned,
            Blocking,
        ]);
        all
    }

    /// Whether long lists are shared by the whole device, whatever the degrees are.
    pub fn shares_lists_by_device(self) -> bool {
        use LoadBalance::*;
        matches!(self, Twc | Etwc | Strict | MergePath | MultiPhase | EdgeOnly)
    }

    /// Whether two workers may hold edges of the same vertex at once.
    pub fn shares_vertices(self) -> bool {
        match self {
            LoadBalance::VertexBased | LoadBalance::Aligned | LoadBalance::Blocking => false,
            LoadBalance::VirtualWarp { lanes, .. } => lanes.get() > 1,
            _ => true,
        }
    }
}

impl fmt::Display for LoadBalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LoadBalance::VirtualWarp { lanes, chunk } if chunk.get() == 1 => {
                write!(f, "vw{}", lanes.get())
            }
            LoadBalance::VirtualWarp { lanes, chunk } => write!(f, "vw{}-{chunk}", lanes.get()),
            LoadBalance::DynamicVirtualWarp { min: DYNAMIC_MIN } => f.write_str("dvw"),
            LoadBalance::DynamicVirtualWarp { min } => write!(f, "dvw{}", min.get()),
            other => f.write_str(other.kind()),
        }
    }
}

/// Reads decimal digits only: no sign, no leading zero.
fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    (text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0')).then(|| text.parse().ok()).flatten()
}

impl AxisValue for LoadBalance {
    fn rows() -> Vec<ValueRow> {
        let row = |word, aliases, line| ValueRow { word, aliases, line };
        vec![
            row("vertex-based", &["vertex"], "one worker per active vertex, serial over its edges"),
            row(
                "vw<lanes>[-<chunk>]",
                &[],
                "GPU: virtual warps of 1..32 lanes share one vertex; each walks a chunk of vertices (1 unless given)",
            ),
            row(
                "dvw[<min>]",
                &[],
                "GPU: virtual warp size chosen every round from the frontier size, at least `min` (4 unless given)",
            ),
            row("twc", &[], "GPU: vertices binned by degree for a thread, a warp or a block"),
            row("etwc", &["twce"], "GPU: the edges of each vertex split over block, warp and thread stages"),
            row("wm", &[], "GPU: a warp shares the edges of 32 vertices by a warp scan"),
            row("cm", &[], "GPU: a block shares the edges of its vertices by a block scan"),
            row("strict", &[], "GPU: device-wide scan of degrees, every block owns an equal share of edges"),
            row(
                "cta-warp-scan",
                &[],
                "GPU: block-wide, then warp-wide gathering of large vertices, leftovers by a scan",
            ),
            row("local-warp-search", &["lws"], "GPU: a warp loads 32 vertices and searches the owner of each edge"),
            row("merge-path", &[], "GPU: vertices plus edges split evenly along the merge path"),
            row("multi-phase", &[], "GPU: device-wide partition, then iterated coalesced expansion in shared memory"),
            row("edge-only", &[], "GPU: one thread per edge of the whole edge list, membership tested per edge"),
            row("edge-based", &[], "Swarm, HammerBlade: tasks or tiles with equal shares of edges"),
            row("aligned", &[], "HammerBlade: cyclic blocks of vertices aligned to cache lines"),
            row("blocking", &[], "HammerBlade: as aligned, vertex data copied to the scratchpad first"),
        ]
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        use LoadBalance::*;
        Some(match text {
            "vertex-based" | "vertex" => VertexBased,
            "dvw" => DynamicVirtualWarp { min: DYNAMIC_MIN },
            "twc" => Twc,
            "etwc" | "twce" => Etwc,
            "wm" => Wm,
            "cm" => Cm,
            "strict" => Strict,
            "cta-warp-scan" => CtaWarpScan,
            "local-warp-search" | "lws" => LocalWarpSearch,
            "merge-path" => MergePath,
            "multi-phase" => MultiPhase,
            "edge-only" => EdgeOnly,
            "edge-based" => EdgeBased,
            "aligned" => Aligned,
            "blocking" => Blocking,
            _ => {
                if let Some(min) = text.strip_prefix("dvw") {
                    let min = Lanes::new(digits(min)?)?;
                    return Some(DynamicVirtualWarp { min });
                }
                let rest = text.strip_prefix("vw")?;
                let (lanes, chunk) = rest.split_once('-').unwrap_or((rest, "1"));
                VirtualWarp { lanes: Lanes::new(digits(lanes)?)?, chunk: digits(chunk)? }
            }
        })
    }

    fn kind(&self) -> &'static str {
        use LoadBalance::*;
        match self {
            VertexBased => "vertex-based",
            VirtualWarp { .. } => "vw<lanes>[-<chunk>]",
            DynamicVirtualWarp { .. } => "dvw[<min>]",
            Twc => "twc",
            Etwc => "etwc",
            Wm => "wm",
            Cm => "cm",
            Strict => "strict",
            CtaWarpScan => "cta-warp-scan",
            LocalWarpSearch => "local-warp-search",
            MergePath => "merge-path",
            MultiPhase => "multi-phase",
            EdgeOnly => "edge-only",
            EdgeBased => "edge-based",
            Aligned => "aligned",
            Blocking => "blocking",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_representative_reads_back_and_has_a_row() {
        let rows = LoadBalance::rows();
        for value in LoadBalance::representatives() {
            assert_eq!(LoadBalance::from_text(&value.text()), Some(value));
            assert!(rows.iter().any(|r| r.word == value.kind()), "{value}");
        }
        for row in &rows {
            assert!(
                LoadBalance::representatives().iter().any(|v| v.kind() == row.word),
                "{} has no representative",
                row.word
            );
        }
    }

    #[test]
    fn virtual_warps_take_powers_of_two() {
        for bad in ["vw", "vw0", "vw3", "vw64", "vw16-0", "vw16-", "vw+4", "vw04", "dvw3", "dvw-4"] {
            assert_eq!(LoadBalance::from_text(bad), None, "{bad}");
        }
        assert_eq!(LoadBalance::from_text("dvw4").unwrap().text(), "dvw");
    }
}
