//! Approximate matching: phase 1 (weights of seeds), phase 2 (a seed per solution) and phase 3 (growing), in parallel
//! over target nodes and over solutions. The same seed gives the same matches for any number of threads.

use std::time::Instant;

use gw_graph::rng::Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::cost::{Cost, cost};
use crate::extend::Grower;
use crate::score::{Released, Scoring, Seeds};
use crate::similarity::{Matrix, Similarity};
use crate::{LabelledGraph, PatternError, Result};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Solutions grown; the distinct matches among them may be fewer.
    pub solutions: usize,
    /// Edges from a node that its neighbourhood reaches in phase 1.
    pub depth: usize,
    /// Rounds in which every query node moves to the partner that costs least. The published method has none.
    pub rounds: usize,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { solutions: 100, depth: 2, rounds: 0, seed: 1 }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// The target node of every query node, or none.
    pub partners: Vec<Option<u32>>,
    /// What the match costs.
    pub cost: Cost,
    /// How many solutions are this match.
    pub solutions: usize,
}

/// Seconds spent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Seconds {
    /// On the weights of seeds.
    pub seeds: f64,
    /// On growing, with drawing the seeds and with the costs.
    pub growing: f64,
}

/// The matches of a query in a target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The scoring.
    pub scoring: String,
    /// Distinct matches, the cheapest first.
    pub matches: Vec<Match>,
    /// Solutions grown.
    pub solutions: usize,
    /// Time spent.
    pub seconds: Seconds,
}

impl Found {
    /// Distinct matches over solutions.
    pub fn distinct_ratio(&self) -> f64 {
        self.matches.len() as f64 / self.solutions.max(1) as f64
    }
}

/// Finds matches of a query in a target with the default scoring, [`Released`]. Without a matrix, labels are similar
/// when they are equal.
pub fn find(
    query: &LabelledGraph,
    target: &LabelledGraph,
    matrix: Option<&Matrix>,
    options: &Options,
) -> Result<Found> {
    find_with(&Released, query, target, matrix, options)
}

/// [`find`] with a scoring.
pub fn find_with(
    scoring: &dyn Scoring,
    query: &LabelledGraph,
    target: &LabelledGraph,
    matrix: Option<&Matrix>,
    options: &Options,
) -> Result<Found> {
    check(query, target, options)?;
    let similarity = Similarity::new(query, target, matrix)?;
    let start = Instant::now();
    // No neighbourhood reaches farther than there are nodes.
    let depth = options.depth.min(query.nodes().max(target.nodes()));
    let seeds = scoring.seeds(&similarity, depth)?;
    let seed_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let matches = distinct(grow(scoring, &*seeds, similarity, options));
    let seconds = Seconds { seeds: seed_seconds, growing: start.elapsed().as_secs_f64() };
    Ok(Found { scoring: scoring.name(), matches, solutions: options.solutions, seconds })
}

pub(crate) fn check(query: &LabelledGraph, target: &LabelledGraph, options: &Options) -> Result<()> {
    let refuse = |message: &str| Err(PatternError::Argument(message.to_owned()));
    // All solutions are kept until equal ones are counted.
    let each = size_of::<(Vec<Option<u32>>, Cost)>() + query.nodes() * size_of::<Option<u32>>();
    gw_graph::memory::allow(
        (options.solutions as u64).saturating_mul(each as u64),
        format_args!("{} solutions", options.solutions),
    )?;
    match () {
        () if query.nodes() == 0 => refuse("the query has no nodes"),
        () if target.nodes() == 0 => refuse("the target has no nodes"),
        () if options.solutions == 0 => refuse("at least one solution must be asked for"),
        () if options.depth == 0 => refuse("a neighbourhood reaches at least one edge far: the depth is at least 1"),
        () => Ok(()),
    }
}

/// Phases 2 and 3. Each solution draws from a stream of random numbers of its own.
fn grow(
    scoring: &dyn Scoring,
    seeds: &dyn Seeds,
    similarity: Similarity<'_>,
    options: &Options,
) -> Vec<(Vec<Option<u32>>, Cost)> {
    let one = |grower: &mut Grower<'_>, solution: usize| {
        let mut rng = Rng::new(options.seed, solution as u64);
        let seed = seeds.draw(&mut rng);
        let mut partners = grower.grow(seed, &mut rng);
        for _ in 0..options.rounds {
            if !grower.improve(&mut partners, &mut rng) {
                break;
            }
        }
        let cost = cost(&similarity, &partners);
        (partners, cost)
    };
    (0..options.solutions).into_par_iter().with_min_len(4).map_init(|| Grower::new(similarity, scoring), one).collect()
}

/// Counts equal solutions, and puts the cheapest first.
pub(crate) fn distinct(mut solutions: Vec<(Vec<Option<u32>>, Cost)>) -> Vec<Match> {
    solutions.sort_by(|(a, cost_a), (b, cost_b)| cost_a.total.total_cmp(&cost_b.total).then_with(|| a.cmp(b)));
    let mut matches: Vec<Match> = Vec::new();
    for (partners, cost) in solutions {
        match matches.last_mut() {
            Some(last) if last.partners == partners => last.solutions += 1,
            _ => matches.push(Match { partners, cost, solutions: 1 }),
        }
    }
    matches
}
