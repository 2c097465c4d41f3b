//! The class of a graph in one word, by rules on cheap numbers.
//!
//! The rules are tried in order; the first that holds names the class and is reported in words with the numbers that
//! made it hold. They are meant to tell a person, and a chooser, which graphs behave alike; they prove nothing.

use serde::Serialize;

use super::DegreeSummary;

/// What kind of graph it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// No edges.
    Empty,
    /// At least half of all pairs are joined.
    Dense,
    /// One vertex joined to most others, and little else.
    StarLike,
    /// Chains and rings.
    PathLike,
    /// No cycles.
    TreeLike,
    /// Few vertices have most of the edges.
    PowerLaw,
    /// Deep, with degrees around 3: streets.
    RoadLike,
    /// Deep, with nearly equal degrees.
    MeshLike,
    /// Shallow, degrees nearly equal.
    BoundedDegree,
    /// Shallow, degrees spread less than at random.
    SmallWorld,
    /// Shallow, degrees spread as in a random graph.
    UniformRandom,
    /// Uneven degrees without heavy hubs.
    Irregular,
}

/// The numbers the rules look at.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassNumbers {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of edges, an undirected one counted once.
    pub edges: u64,
    /// Every edge has its reverse.
    pub symmetric: bool,
    /// Number of weak components, if known.
    pub components: Option<u64>,
    /// Total degrees.
    pub degree: DegreeSummary,
    /// Estimated diameter, if known.
    pub diameter: Option<u64>,
}

impl Class {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Class::Empty => "empty",
            Class::Dense => "dense",
            Class::StarLike => "star-like",
            Class::PathLike => "path-like",
            Class::TreeLike => "tree-like",
            Class::PowerLaw => "power-law",
            Class::RoadLike => "road-like",
            Class::MeshLike => "mesh-like",
            Class::BoundedDegree => "bounded-degree",
            Class::SmallWorld => "small-world",
            Class::UniformRandom => "uniform-random",
            Class::Irregular => "irregular",
        }
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl ClassNumbers {
    /// The class and the rule that gave it, in words.
    pub fn classify(&self) -> (Class, String) {
        let d = &self.degree;
        let n = self.vertices as f64;
        let (mean, max) = (d.mean, d.max as f64);
        let density = mean / (n - 1.0).max(1.0);
        let variation = if mean > 0.0 { d.std_dev / mean } else { 0.0 };
        let depth = self.diameter.unwrap_or(0) as f64;
        // A random graph of this mean degree is about ln n / ln mean deep.
        let deep_from = 4.0 * n.max(2.0).ln() / mean.max(2.0).ln();
        // Most streets of a directed graph count twice, once in each direction.
        let road_mean = if self.symmetric { 4.0 } else { 6.5 };
        let deep = depth >= deep_from && d.gini < 0.4;

        if self.edges == 0 {
            return (Class::Empty, "there are no edges".to_owned());
        }
        if max <= 2.0 {
            return (Class::PathLike, format!("no degree is above 2 (greatest {max})"));
        }
        if density >= 0.5 {
            return (Class::Dense, format!("at least half of all pairs are joined ({:.0} %)", 100.0 * density));
        }
        if max >= 0.5 * n && mean < 4.0 {
            return (
                Class::StarLike,
                format!(
                    "one vertex is joined to at least half of all (degree {max}) while the mean degree is below 4 ({mean:.2})"
                ),
            );
        }
        if let Some(components) = self.components
            && self.edges + components == self.vertices
        {
            return (Class::TreeLike, "there are no cycles: edges and components add up to the vertices".to_owned());
        }
        if d.gini >= 0.4 && max >= 10.0 * mean {
            return (
                Class::PowerLaw,
                format!(
                    "the Gini coefficient of degrees is at least 0.4 ({:.2}) and the greatest degree at least 10 times \
                     the mean ({max} against {mean:.2})",
                    d.gini
                ),
            );
        }
        if deep {
            let why = format!(
                "the Gini coefficient of degrees is below 0.4 ({:.2}), the diameter at least 4 ln(vertices) / \
                     ln(mean degree) ({depth} against {deep_from:.0})",
                d.gini
            );
            return if mean <= road_mean && variation >= 0.1 {
                let rule = format!(
                    "{why}, the mean degree at most {road_mean} ({mean:.2}) and degrees vary by 10 % or more of it"
                );
                (Class::RoadLike, rule)
            } else {
                (Class::MeshLike, format!("{why}, and degrees are not those of roads (mean {mean:.2})"))
            };
        }
        if variation < 0.01 {
            return (Class::BoundedDegree, "degrees vary by less than 1 % of their mean".to_owned());
        }
        // A random graph's degrees have a variance equal to their mean.
        let dispersion = d.std_dev * d.std_dev / mean;
        if dispersion < 0.7 {
            return (
                Class::SmallWorld,
                format!("degrees vary less than at random: variance / mean is below 0.7 ({dispersion:.2})"),
            );
        }
        if dispersion <= 1.5 {
            return (
                Class::UniformRandom,
                format!("degrees vary as at random: variance / mean lies between 0.7 and 1.5 ({dispersion:.2})"),
            );
        }
        (
            Class::Irregular,
            format!(
                "degrees vary more than at random (variance / mean {dispersion:.2}) but without the hubs of a power law"
            ),
        )
    }
}
