//! What a person or another program is told about the matches of one query: names instead of numbers, costs and their
//! distribution.

use serde::Serialize;

use crate::cost::{Cost, cost};
use crate::exact::Exact;
use crate::find::{Found, Match, Seconds};
use crate::format::terms::Terms;
use crate::labels::Labels;
use crate::similarity::Similarity;
use crate::statistics::{Coherence, Summary, coherence, summary};

/// The sizes of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Size {
    /// Nodes.
    pub nodes: usize,
    /// Undirected edges.
    pub edges: usize,
}

/// A query node and its partner.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The query node.
    pub query: String,
    /// Its label.
    pub label: String,
    /// The target node, if any.
    pub target: Option<String>,
    /// The target node's label.
    pub target_label: Option<String>,
}

/// A match with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMatch {
    /// What it costs.
    pub cost: Cost,
    /// Solutions that are this match.
    pub solutions: usize,
    /// A pair per query node.
    pub pairs: Vec<Pair>,
    /// How coherent the terms of its target nodes are, where terms were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coherence: Option<Coherence>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// `released`, `thesis`, `exact` or `exact induced`.
    pub method: String,
    /// The query.
    pub query: Size,
    /// The target.
    pub target: Size,
    /// Solutions grown; matches found, for an exact search.
    pub solutions: usize,
    /// Distinct matches over solutions.
    pub distinct_ratio: f64,
    /// Costs of distinct matches.
    pub costs: Summary,
    /// Whether there are no other matches, for an exact search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_complete: Option<bool>,
    /// Seconds spent.
    pub seconds: Seconds,
    /// Distinct matches, the cheapest first.
    pub matches: Vec<NamedMatch>,
}

impl Report {
    /// The report of an approximate search.
    pub fn new(found: &Found, similarity: &Similarity<'_>, labels: &Labels, terms: Option<&Terms>) -> Report {
        let costs: Vec<f64> = found.matches.iter().map(|found| found.cost.total).collect();
        let (query, target) = (similarity.query(), similarity.target());
        let matches = found.matches.iter().map(|found| NamedMatch::new(found, similarity, labels, terms)).collect();
        Report {
            method: found.scoring.clone(),
            query: Size { nodes: query.nodes(), edges: query.edges() },
            target: Size { nodes: target.nodes(), edges: target.edges() },
            solutions: found.solutions,
            distinct_ratio: found.distinct_ratio(),
            costs: summary(&costs),
            is_complete: None,
            seconds: found.seconds,
            matches,
        }
    }

    /// The report of an exact search that took so many seconds.
    pub fn of_exact(
        found: &Exact,
        is_induced: bool,
        seconds: f64,
        similarity: &Similarity<'_>,
        labels: &Labels,
        terms: Option<&Terms>,
    ) -> Report {
        let method = if is_induced { "exact induced" } else { "exact" };
        let as_found = Found {
            scoring: method.to_owned(),
            matches: exact_matches(found, similarity),
            solutions: found.matches.len(),
            seconds: Seconds { seeds: 0.0, growing: seconds },
        };
        Report { is_complete: Some(found.is_complete), ..Report::new(&as_found, similarity, labels, terms) }
    }
}

/// Exact matches with their costs.
pub fn exact_matches(found: &Exact, similarity: &Similarity<'_>) -> Vec<Match> {
    let with_cost = |partners: &Vec<u32>| {
        let partners: Vec<Option<u32>> = partners.iter().copied().map(Some).collect();
        Match { cost: cost(similarity, &partners), partners, solutions: 1 }
    };
    found.matches.iter().map(with_cost).collect()
}

impl NamedMatch {
    fn new(found: &Match, similarity: &Similarity<'_>, labels: &Labels, terms: Option<&Terms>) -> NamedMatch {
        let (query, target) = (similarity.query(), similarity.target());
        let pair = |(q, partner): (usize, &Option<u32>)| Pair {
            query: query.node_name(q as u32),
            label: labels.text(query.label(q as u32)).to_owned(),
            target: partner.map(|t| target.node_name(t)),
            target_label: partner.map(|t| labels.text(target.label(t)).to_owned()),
        };
        NamedMatch {
            cost: found.cost,
            solutions: found.solutions,
            pairs: found.partners.iter().enumerate().map(pair).collect(),
            coherence: terms.and_then(|terms| coherence(&found.partners, terms)),
        }
    }
}
