//! How large a generated graph will be, and the refusal of what cannot fit.

use crate::{GraphError, Result};

/// Expected size of a generated graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of undirected edges (an upper bound or an expectation).
    pub edges: u64,
}

impl Size {
    /// From numbers that may exceed 64 bits; those saturate.
    pub fn new(vertices: u128, edges: u128) -> Self {
        let clip = |x: u128| u64::try_from(x).unwrap_or(u64::MAX);
        Size { vertices: clip(vertices), edges: clip(edges) }
    }

    /// Most memory in use while the graph is made: the edge list, then the larger of the builder's buffer and the
    /// finished arrays with their weights.
    pub fn peak_bytes(&self, directed: bool, weighted: bool) -> u128 {
        let (vertices, edges) = (u128::from(self.vertices), u128::from(self.edges));
        let stored = if directed { edges } else { 2 * edges };
        let building = 8 * edges + 8 * stored;
        let weighing = if weighted { 12 * stored } else { 0 };
        building.max(weighing) + 12 * vertices
    }

    /// Refuses a graph whose making needs more memory than the machine can give, or more ids than there are.
    pub fn check(&self, spec: &str, directed: bool, weighted: bool) -> Result<()> {
        let needed = self.peak_bytes(directed, weighted);
        let refuse = |limit: String| {
            Err(GraphError::Spec {
                spec: spec.to_owned(),
                message: format!(
                    "about {} vertices and {} edges need about {} of memory; {limit}",
                    self.vertices,
                    self.edges,
                    human_bytes(needed)
                ),
            })
        };
        match available_memory() {
            Some(available) if needed > available => {
                refuse(format!("this machine has {} to give", human_bytes(available)))
            }
            _ if self.vertices > 1 << 32 => refuse("and vertex ids are 32 bits wide".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Memory that the system could give, where it tells.
fn available_memory() -> Option<u128> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |key: &str| -> Option<u128> {
        text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix("kB")?.trim().parse().ok())
    };
    Some((kilobytes("MemAvailable:")? + kilobytes("SwapFree:").unwrap_or(0)) * 1024)
}

/// A size for people: `1.5 GiB`.
pub(crate) fn human_bytes(bytes: u128) -> String {
    const UNITS: [&str; 9] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_people() {
        assert_eq!(human_bytes(12), "12 bytes");
        assert_eq!(human_bytes(1536), "1.5 KiB");
        assert_eq!(human_bytes(3 << 40), "3.0 TiB");
    }

    #[test]
    fn absurd_sizes_are_refused_without_overflow() {
        let absurd = Size::new(u128::MAX, u128::MAX);
        let message = absurd.check("x", false, true).unwrap_err().to_string();
        assert!(message.contains("need about"), "{message}");
        assert!(Size::new(1000, 5000).check("x", false, true).is_ok());
    }
}
