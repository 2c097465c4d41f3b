//! Results of which there is one: every right run of a program gives the same numbers, to the last digit.

use crate::registry::Program;

/// Programs with such results.
const EXACT: &[(&str, &[&str])] = &[
    ("astar", &["distance", "too_long"]),
    ("bfs-levels", &["level", "depth"]),
    ("biconnected", &["block", "cut", "blocks"]),
    ("bipartite", &["bipartite"]),
    ("bridges", &["bridges", "part"]),
    ("cc", &["label"]),
    ("cc-fast", &["label"]),
    ("cdlp", &["label", "changed"]),
    ("earliest-arrival", &["arrival", "reached"]),
    ("k-shortest-paths", &["found"]),
    ("kcore", &["core"]),
    ("kcore-unordered", &["core"]),
    ("khop", &["level", "reached"]),
    ("ktruss", &["truss", "kmax"]),
    ("msbfs", &["hops"]),
    ("msf", &["trees"]),
    ("node2vec", &["walk"]),
    ("ppsp", &["distance", "too_long"]),
    ("scc", &["component", "components"]),
    ("similarity", &["common"]),
    ("similarity-edges", &["common"]),
    ("sssp", &["dist", "negative_cycle", "too_long"]),
    ("sssp-delta", &["dist", "too_long"]),
    ("tc", &["triangles"]),
    ("temporal-reach", &["steps", "reached"]),
    ("topo", &["level", "levels", "acyclic"]),
    ("triangles", &["triangles", "total"]),
    ("walks", &["walk", "visits"]),
];

impl Program {
    /// The results that are the same, to the last digit, after every right run on a graph with the same arguments:
    /// distances, counts, labels by least vertices, walks of a seed. Of other results several may be right (parents of
    /// a search), or the last digits depend on an order.
    ///
    /// ```
    /// assert_eq!(gw_programs::find("cc").unwrap().exact_results(), ["label"]);
    /// assert!(gw_programs::find("bfs").unwrap().exact_results().is_empty());
    /// ```
    pub fn exact_results(&self) -> &'static [&'static str] {
        EXACT.iter().find(|(name, _)| *name == self.name).map_or(&[], |(_, results)| results)
    }
}

#[cfg(test)]
mod tests {
    use super::EXACT;

    #[test]
    fn all_are_results_of_programs() {
        for (name, results) in EXACT {
            let program = crate::find(name).unwrap();
            for result in *results {
                assert!(program.results.iter().any(|known| known.name == *result), "{name} has no {result}");
            }
        }
    }
}
