//! Twenty small graphs with weights of 64 bits, for checks and tests of programs with weights: of many sizes at once,
//! with sums that are rounded and sums that are not, with ties, zeros, negative weights, loops and parallel edges.

use std::sync::Arc;

use gw_graph::rng::Rng;
use gw_graph::{BuildOptions, EdgeList, Graph, GraphError, Parallel, Weight, build};

/// A small graph with weights of 64 bits.
#[derive(Debug, Clone)]
pub struct WeightedExample {
    /// What it is an example of.
    pub name: &'static str,
    /// The graph.
    pub graph: Arc<Graph>,
}

/// How edges are drawn.
#[derive(Clone, Copy)]
enum Shape {
    /// Pairs at random, so many of them.
    Random(usize),
    /// The same with every edge in both directions.
    Undirected(usize),
    /// From lesser to greater vertices: there is no cycle.
    Forward(usize),
    /// The neighbours of a square grid, in both directions.
    Grid,
    /// A long way.
    Chain,
    /// All others around one.
    Star,
}

const VERTICES: u64 = 48;
/// The side of the grid.
const SIDE: u32 = 7;

/// The graphs, each with a name.
///
/// ```
/// let all = gw_programs::weighted_examples().unwrap();
/// assert_eq!(all.len(), 20);
/// assert!(all.iter().any(|example| example.graph.least_weight() < Some(0.0)));
/// ```
pub fn weighted_examples() -> Result<Vec<WeightedExample>, GraphError> {
    use Shape::*;
    let plain = BuildOptions::default();
    let both = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    let kept = BuildOptions { keep_loops: true, parallel: Parallel::Keep, ..both.clone() };
    let mut all = Vec::new();
    let mut add = |name: &'static str, graph: Result<Graph, GraphError>| -> Result<(), GraphError> {
        all.push(WeightedExample { name, graph: Arc::new(graph?) });
        Ok(())
    };
    add("uniform", made(1, Random(400), &plain, uniform))?;
    add("from 1e-9 to 1e12", made(2, Random(400), &plain, wide))?;
    add("cents", made(3, Random(400), &plain, cents))?;
    add("powers of two", made(4, Random(400), &plain, powers))?;
    add("zeros", made(5, Random(400), &plain, zeros))?;
    add("few edges", made(6, Random(60), &plain, uniform))?;
    add("a grid of cents", made(7, Grid, &both, cents))?;
    add("undirected, uniform", made(8, Undirected(160), &both, uniform))?;
    add("undirected, from 1e-9 to 1e12", made(9, Undirected(160), &both, wide))?;
    add("undirected, cents", made(10, Undirected(160), &both, cents))?;
    add("undirected, powers of two", made(11, Undirected(160), &both, powers))?;
    add("loops and parallel edges", made(12, Undirected(160), &kept, cents))?;
    add("parts", made(13, Undirected(36), &both, uniform))?;
    add("integers beyond 2^53", made(14, Random(400), &plain, long))?;
    add("undirected, integers beyond 2^53", made(15, Undirected(160), &both, long))?;
    add("negative cents", made(16, Forward(300), &plain, |rng| cents(rng) - 200.0))?;
    add("negative", made(17, Forward(300), &plain, |rng| uniform(rng) - 0.25))?;
    add("a chain of small ones", made(18, Chain, &both, |rng| uniform(rng) * 1e-3))?;
    add("a star", made(19, Star, &both, uniform))?;
    add("ties of tenths", made(20, Undirected(160), &both, |rng| (rng.below(3) + 1) as f64 / 10.0))?;
    Ok(all)
}

fn made<W: Weight>(
    seed: u64,
    shape: Shape,
    options: &BuildOptions,
    weight: impl Fn(&mut Rng) -> W,
) -> Result<Graph, GraphError> {
    let mut rng = Rng::new(seed, 0);
    let vertex = |rng: &mut Rng| rng.below(VERTICES) as u32;
    let pairs: Vec<(u32, u32)> = match shape {
        Shape::Random(count) | Shape::Undirected(count) => {
            (0..count).map(|_| (vertex(&mut rng), vertex(&mut rng))).collect()
        }
        Shape::Forward(count) => {
            let pairs = (0..count).map(|_| (vertex(&mut rng), vertex(&mut rng)));
            pairs.filter(|(u, v)| u != v).map(|(u, v)| (u.min(v), u.max(v))).collect()
        }
        Shape::Grid => {
            let at = |row: u32, column: u32| row * SIDE + column;
            let right = (0..SIDE).flat_map(|row| (1..SIDE).map(move |column| (at(row, column - 1), at(row, column))));
            let down = (1..SIDE).flat_map(|row| (0..SIDE).map(move |column| (at(row - 1, column), at(row, column))));
            right.chain(down).collect()
        }
        Shape::Chain => (1..VERTICES as u32).map(|v| (v - 1, v)).collect(),
        Shape::Star => (1..VERTICES as u32).map(|v| (0, v)).collect(),
    };
    let vertices = match shape {
        Shape::Grid => (SIDE * SIDE) as usize,
        _ => VERTICES as usize,
    };
    let triples: Vec<(u32, u32, W)> = pairs.into_iter().map(|(u, v)| (u, v, weight(&mut rng))).collect();
    build(EdgeList::from_triples(vertices, triples), options)
}

/// From 0.01 to 1.01.
fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 53) as f64 / (1u64 << 53) as f64 + 0.01
}

fn wide(rng: &mut Rng) -> f64 {
    10f64.powf((uniform(rng) - 0.01) * 21.0 - 9.0)
}

fn cents(rng: &mut Rng) -> f64 {
    (rng.below(99_999) + 1) as f64 / 100.0
}

/// From 2^-20 to 2^19: sums of them are not rounded.
fn powers(rng: &mut Rng) -> f64 {
    2f64.powi(rng.below(40) as i32 - 20)
}

fn zeros(rng: &mut Rng) -> f64 {
    if rng.below(4) == 0 { 0.0 } else { uniform(rng) }
}

fn long(rng: &mut Rng) -> i64 {
    (1 << 53) + 1 + rng.below(1 << 40) as i64
}
