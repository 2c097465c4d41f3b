//! Collaborative filtering: the same descent again in double precision, and the errors that the vectors really make.

use rayon::prelude::*;

use gw_graph::{Graph, Weights};

use super::{Invalid, Run, ensure, every_vertex, real_weight, wrong};

/// Entries of a latent vector.
const WIDTH: usize = 8;
const RATE: f64 = 0.2;
const DECAY: f64 = 0.001;

type Row = [f64; WIDTH];

pub(crate) fn cf(run: &Run<'_>) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    run.needs_symmetric()?;
    let rounds = run.count_arg(2)?;
    let latent = run.rows("latent", WIDTH)?;
    let (before, after, scale) = (run.real("rmse_before")?, run.real("rmse")?, run.real("scale")?);
    every_vertex(run.graph, |v| {
        let row = &latent[v as usize * WIDTH..][..WIDTH];
        ensure(row.iter().all(|x| x.is_finite()), || {
            wrong!("vertex {v}: its vector holds a value that is no number", v = run.graph.shown(v))
        })
    })?;
    let right_scale = greatest_rating(run.graph);
    ensure(scale == right_scale, || wrong!("scale is {scale} instead of {right_scale}"))?;

    let found: Vec<Row> = latent.chunks_exact(WIDTH).map(|row| std::array::from_fn(|j| f64::from(row[j]))).collect();
    let start = start(run.graph.vertices());
    for (what, said, rows) in [("before", before, &start), ("after", after, &found)] {
        let error = rmse(run.graph, rows, scale);
        let near = (error - said).abs() <= 1e-4 * (1.0 + error);
        ensure(near, || wrong!("the error {what} is said to be {said:.6}, but the vectors make {error:.6}"))?;
    }
    ensure(rounds == 0 || after <= before * (1.0 + 1e-6), || {
        wrong!("the error grew from {before:.6} to {after:.6} in {rounds} rounds")
    })?;

    let right = (0..rounds).fold(start, |rows, _| step(run.graph, &rows, scale));
    every_vertex(run.graph, |v| {
        for j in 0..WIDTH {
            let (found, right) = (found[v as usize][j], right[v as usize][j]);
            ensure((found - right).abs() <= 1e-3, || {
                wrong!(
                    "vertex {v}: entry {j} of its vector is {found:.6} instead of {right:.6}",
                    v = run.graph.shown(v)
                )
            })?;
        }
        Ok(())
    })
}

fn greatest_rating(graph: &Graph) -> f64 {
    let weights = graph.out().weights();
    let greatest = (0..graph.edges()).into_par_iter().map(|edge| real_weight(weights, edge)).reduce(|| 0.0, f64::max);
    if greatest == 0.0 { 1.0 } else { greatest }
}

fn start(vertices: usize) -> Vec<Row> {
    let entry = |v: usize, j: usize| {
        let hash = ((v * WIDTH + j) as u32).wrapping_mul(2_654_435_769);
        f64::from((0.2 + f64::from(hash >> 16) / 655_360.0) as f32)
    };
    (0..vertices).map(|v| std::array::from_fn(|j| entry(v, j))).collect()
}

fn miss(weights: &Weights, edge: usize, a: &Row, b: &Row, scale: f64) -> f64 {
    real_weight(weights, edge) / scale - a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
}

fn rmse(graph: &Graph, rows: &[Row], scale: f64) -> f64 {
    let incoming = graph.incoming();
    let squares = |v: u32| {
        let edges = incoming.neighbours(v).iter().zip(incoming.range(v));
        let miss = edges.map(|(&u, e)| miss(incoming.weights(), e, &rows[u as usize], &rows[v as usize], scale));
        miss.map(|m| m * m).sum::<f64>()
    };
    let total: f64 = (0..graph.vertices() as u32).into_par_iter().map(squares).sum();
    (total / graph.edges().max(1) as f64).sqrt()
}

fn step(graph: &Graph, rows: &[Row], scale: f64) -> Vec<Row> {
    let incoming = graph.incoming();
    let moved = |v: u32| {
        let mine = &rows[v as usize];
        let mut gradient = [0.0; WIDTH];
        for (&u, e) in incoming.neighbours(v).iter().zip(incoming.range(v)) {
            let theirs = &rows[u as usize];
            let miss = miss(incoming.weights(), e, theirs, mine, scale);
            gradient.iter_mut().zip(theirs).for_each(|(g, t)| *g += miss * t);
        }
        let degree = graph.out().degree(v).max(1) as f64;
        std::array::from_fn(|j| mine[j] + RATE * (gradient[j] / degree - DECAY * mine[j]))
    };
    (0..graph.vertices() as u32).into_par_iter().map(moved).collect()
}
