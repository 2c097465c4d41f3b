//! Random walks: every walk once more, with random bits made here from their definition in the language guide.

use std::sync::atomic::{AtomicU64, Ordering};

use gw_graph::{Adjacency, Graph, VertexId};

use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::table::WALK_ROW;

/// SplitMix64 over three numbers.
fn bits(seed: u64, vertex: u64, draw: u64) -> u64 {
    [seed, vertex, draw].into_iter().fold(0, |state, number| {
        let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// The out-neighbour that the upper half of random bits stands for.
fn drawn(out: &Adjacency, vertex: VertexId, bits: u64) -> VertexId {
    let list = out.neighbours(vertex);
    list[(((bits >> 32) * list.len() as u64) >> 32) as usize]
}

pub(crate) fn walks(run: &Run<'_>) -> Result<(), Invalid> {
    let (length, seed) = (run.count_arg(2)?, run.count_arg(3)? as u64);
    let row = run.row_length("walk", length, WALK_ROW)?;
    let (walk, visits) = (run.int_rows("walk", row)?, run.ints("visits")?);
    let out = run.graph.out();
    every_vertex(run.graph, |v| {
        let mut here = v;
        compare(run.graph, &walk[v as usize * row..][..row], v, length, |step| {
            if step > 0 {
                here = drawn(out, here, bits(seed, v.into(), step as u64 - 1));
            }
            (here, out.degree(here) > 0)
        })
    })?;
    let mut right = vec![0; visits.len()];
    walk.iter().filter(|&&v| v >= 0).for_each(|&v| right[v as usize] += 1);
    every_vertex(run.graph, |v| {
        let (found, right) = (visits[v as usize], right[v as usize]);
        ensure(found == right, || wrong!("vertex {v}: {found} visits instead of {right}", v = run.graph.shown(v)))
    })
}

pub(crate) fn node2vec(run: &Run<'_>) -> Result<(), Invalid> {
    let (back, away) = (1.0 / run.real_arg(2)?, 1.0 / run.real_arg(3)?);
    let (length, seed) = (run.count_arg(4)?, run.count_arg(5)? as u64);
    let row = run.row_length("walk", length, WALK_ROW)?;
    let (walk, draws) = (run.int_rows("walk", row)?, run.integer("draws")?);
    let greatest = f64::max(1.0, f64::max(back, away));
    let (out, all) = (run.graph.out(), AtomicU64::new(0));
    every_vertex(run.graph, |v| {
        let (mut here, mut before, mut draw) = (v, None, 0u64);
        let verdict = compare(run.graph, &walk[v as usize * row..][..row], v, length, |step| {
            let mut taken = step == 0;
            while !taken {
                let bits = bits(seed, v.into(), draw);
                draw += 1;
                let next = drawn(out, here, bits);
                let weight = match before {
                    None => greatest,
                    Some(last) if last == next => back,
                    Some(last) if out.neighbours(last).binary_search(&next).is_ok() => 1.0,
                    Some(_) => away,
                };
                taken = out.degree(here) == 1 || (bits & 0xffff_ffff) as f64 * greatest < weight * 2f64.powi(32);
                if taken {
                    (before, here) = (Some(here), next);
                }
            }
            (here, out.degree(here) > 0)
        });
        all.fetch_add(draw, Ordering::Relaxed);
        verdict
    })?;
    let right = all.into_inner();
    ensure(draws == i128::from(right), || wrong!("{draws} random numbers were used instead of {right}"))
}

/// Compares the row of a vertex with a walk, whose `step` tells where it is and whether it goes on.
fn compare(
    graph: &Graph,
    row: &[i32],
    v: VertexId,
    length: usize,
    mut step: impl FnMut(usize) -> (VertexId, bool),
) -> Result<(), Invalid> {
    let mut goes_on = true;
    for (at, &found) in row.iter().enumerate() {
        let right = if at < length && goes_on {
            let (here, more) = step(at);
            goes_on = more;
            i64::from(here)
        } else {
            -1
        };
        ensure(i64::from(found) == right, || {
            wrong!(
                "the walk from {v} is at {found} after {at} steps, not at {right}",
                v = graph.shown(v),
                found = graph.shown(found),
                right = graph.shown(right)
            )
        })?;
    }
    Ok(())
}
