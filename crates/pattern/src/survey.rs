//! Many queries in one target: a row per query, and their means, with a test against another scoring.

use serde::Serialize;

use crate::find::{Found, Options, find_with};
use crate::score::Scoring;
use crate::statistics::{Summary, false_discovery_rates, rank_sum, summary};
use crate::{LabelledGraph, Result};

/// What became of one query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryRow {
    /// Its name.
    pub query: String,
    /// Its nodes.
    pub nodes: usize,
    /// Its undirected edges.
    pub edges: usize,
    /// Costs of its distinct matches.
    pub costs: Summary,
    /// Distinct matches over solutions.
    pub distinct_ratio: f64,
    /// Seconds spent.
    pub seconds: f64,
    /// How another scoring does on the same query.
    pub against: Option<Against>,
}

/// How another scoring does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// Costs of its distinct matches.
    pub costs: Summary,
    /// The p-value of the rank-sum test between the costs of both.
    pub p: f64,
    /// The same, corrected for the number of queries (Benjamini and Hochberg).
    pub corrected_p: f64,
}

/// What became of all queries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// The scoring.
    pub scoring: String,
    /// The other scoring, if any.
    pub against: Option<String>,
    /// A row per query.
    pub queries: Vec<QueryRow>,
    /// The mean over queries of the mean cost of distinct matches.
    pub mean_cost: f64,
    /// The mean over queries of the cheapest match.
    pub best_cost: f64,
    /// Queries with a match without cost.
    pub exact: usize,
    /// The mean over queries of distinct matches over solutions.
    pub distinct_ratio: f64,
    /// Seconds per query: mean, least and most.
    pub seconds: Summary,
    /// The mean over queries of the other scoring's mean cost.
    pub against_cost: Option<f64>,
}

/// Finds matches of every query on the cores and summarises them.
pub fn survey(
    queries: &[(String, LabelledGraph)],
    target: &LabelledGraph,
    scoring: &dyn Scoring,
    against: Option<&dyn Scoring>,
    options: &Options,
) -> Result<Survey> {
    survey_by(queries, scoring, against, |scoring, query| find_with(scoring, query, target, None, options))
}

/// [`survey`] with a function that finds the matches of a query under a scoring.
pub fn survey_by(
    queries: &[(String, LabelledGraph)],
    scoring: &dyn Scoring,
    against: Option<&dyn Scoring>,
    find: impl Fn(&dyn Scoring, &LabelledGraph) -> Result<Found>,
) -> Result<Survey> {
    let mut rows = Vec::with_capacity(queries.len());
    for (name, query) in queries {
        let found = find(scoring, query)?;
        let costs = costs(&found);
        let against = match against {
            None => None,
            Some(other) => {
                let others = self::costs(&find(other, query)?);
                Some(Against { costs: summary(&others), p: rank_sum(&costs, &others), corrected_p: 1.0 })
            }
        };
        rows.push(QueryRow {
            query: name.clone(),
            nodes: query.nodes(),
            edges: query.edges(),
            costs: summary(&costs),
            distinct_ratio: found.distinct_ratio(),
            seconds: found.seconds.seeds + found.seconds.growing,
            against,
        });
    }
    let p_values: Vec<f64> = rows.iter().filter_map(|row| Some(row.against.as_ref()?.p)).collect();
    let corrected = false_discovery_rates(&p_values);
    rows.iter_mut().filter_map(|row| row.against.as_mut()).zip(corrected).for_each(|(row, p)| row.corrected_p = p);
    let mean = |value: &dyn Fn(&QueryRow) -> f64| summary(&rows.iter().map(value).collect::<Vec<_>>());
    let against_cost = |row: &QueryRow| row.against.as_ref().map_or(0.0, |against| against.costs.mean);
    Ok(Survey {
        scoring: scoring.name(),
        against: against.map(|other| other.name()),
        mean_cost: mean(&|row| row.costs.mean).mean,
        best_cost: mean(&|row| row.costs.least).mean,
        exact: rows.iter().filter(|row| row.costs.least == 0.0).count(),
        distinct_ratio: mean(&|row| row.distinct_ratio).mean,
        seconds: mean(&|row| row.seconds),
        against_cost: against.map(|_| mean(&against_cost).mean),
        queries: rows,
    })
}

fn costs(found: &Found) -> Vec<f64> {
    found.matches.iter().map(|found| found.cost.total).collect()
}
