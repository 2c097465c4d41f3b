//! Small graphs of every class, for checks and tests: each is a spec, so that any run on one can be repeated by hand.

use crate::registry::Program;

/// A small graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleGraph {
    /// What it is an example of.
    pub class: &'static str,
    /// How it is made, without weights.
    pub spec: &'static str,
    /// The range of its weights for programs that need some.
    pub weights: &'static str,
    /// Part of the short list.
    pub quick: bool,
    /// The weights are the point: nothing new for programs without them.
    pub for_weights: bool,
}

impl ExampleGraph {
    /// The spec for a program: with weights where it needs them.
    ///
    /// ```
    /// let graph = gw_programs::example_graphs().iter().find(|g| g.spec == "kron:8").unwrap();
    /// assert_eq!(graph.spec_for(gw_programs::find("bfs").unwrap()), "kron:8");
    /// assert_eq!(graph.spec_for(gw_programs::find("sssp").unwrap()), "kron:8:weights=1..64");
    /// ```
    pub fn spec_for(&self, program: &Program) -> String {
        match program.needs_weights {
            true => self.weighted_spec(),
            false => self.spec.to_string(),
        }
    }

    /// The spec with weights.
    pub fn weighted_spec(&self) -> String {
        format!("{}:weights={}", self.spec, self.weights)
    }

    /// The weights are fractions, which programs with `int` weights do not take.
    pub fn is_fractional(&self) -> bool {
        self.weights.replace("..", "").contains('.')
    }
}

/// Small graphs of every class. Sizes go up and down, so that what a machine keeps between runs must grow and shrink;
/// the largest of a class have enough work for several workers.
pub fn example_graphs() -> &'static [ExampleGraph] {
    GRAPHS
}

const fn graph(class: &'static str, spec: &'static str, weights: &'static str) -> ExampleGraph {
    ExampleGraph { class, spec, weights, quick: false, for_weights: false }
}

const fn quick(class: &'static str, spec: &'static str, weights: &'static str) -> ExampleGraph {
    ExampleGraph { quick: true, ..graph(class, spec, weights) }
}

const fn weights(spec: &'static str, weights: &'static str) -> ExampleGraph {
    ExampleGraph { for_weights: true, quick: true, ..graph("weights", spec, weights) }
}

const GRAPHS: &[ExampleGraph] = &[
    quick("tiny", "path:1", "1..2"),
    graph("tiny", "path:2", "3..3"),
    quick("tiny", "bipartite:3:2:0", "1..2"),
    quick("path", "path:40", "1..20"),
    graph("path", "path:700", "1..9"),
    quick("cycle", "cycle:31", "1..20"),
    quick("star", "star:50", "1..20"),
    graph("star", "star:3000", "1..20"),
    quick("complete", "complete:14", "1..20"),
    graph("complete", "complete:80", "1..20"),
    quick("grid", "grid:9x8", "1..20"),
    graph("grid", "road:40x40", "1..50"),
    quick("grid", "road:12x12", "1..50"),
    quick("skewed", "kron:8", "1..64"),
    quick("skewed", "kron:11", "1..64"),
    graph("skewed", "powerlaw:100:2.2", "1..20"),
    quick("uniform", "urand:8:4", "1..20"),
    graph("uniform", "urand:11:8", "1..100"),
    graph("uniform", "regular:60:4", "1..20"),
    graph("uniform", "smallworld:80:4:0.2", "1..20"),
    quick("sparse", "tree:63", "1..20"),
    graph("sparse", "bipartite:20:30:150", "1..5"),
    quick("parts", "urand:7:1", "1..20"),
    graph("parts", "regular:40:2:seed=3", "1..20"),
    graph("directed", "path:40:directed", "1..20"),
    quick("directed", "cycle:30:directed", "1..20"),
    graph("directed", "star:50:directed", "1..20"),
    quick("directed", "kron:7:directed", "1..64"),
    graph("directed", "kron:10:directed", "1..64"),
    graph("directed", "urand:7:3:directed", "1..20"),
    weights("grid:6x6", "0..2"),
    weights("grid:9x8:directed", "-3..9"),
    weights("kron:7", "0.25..4.0"),
    // Some paths are too long for the type int.
    weights("grid:5x4", "900000000..2147483646"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{GraphSpec, progress::Silent};
    use std::collections::BTreeSet;

    #[test]
    fn every_graph_is_what_its_class_promises() {
        for example in example_graphs() {
            let graph = GraphSpec::parse(&example.weighted_spec()).and_then(|s| s.load(&Silent)).unwrap().graph;
            assert!(graph.is_weighted(), "{}", example.spec);
            assert_eq!(graph.is_symmetric(), !example.spec.contains("directed"), "{}", example.spec);
            let fractional = graph.weight_kind().is_real();
            assert_eq!(example.is_fractional(), fractional, "{}", example.spec);
        }
        let classes = |quick: bool| -> BTreeSet<_> {
            example_graphs().iter().filter(|g| g.quick || !quick).map(|g| g.class).collect()
        };
        assert_eq!(classes(true), classes(false), "the short list has every class");
    }

    #[test]
    fn programs_say_which_graphs_suit_them() {
        let load = |spec: &str| GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph;
        let suits = |program: &str, spec: &str| crate::find(program).unwrap().suits(&load(spec));
        assert!(suits("bfs", "path:3:directed") && !suits("cc", "path:3:directed") && suits("cc", "path:3"));
        assert!(!suits("sssp", "path:3") && suits("sssp", "path:3:weights=1..2"));
        assert!(suits("sssp", "path:3:weights=-2..-1") && !suits("sssp-delta", "path:3:weights=-2..-1"));
    }
}
