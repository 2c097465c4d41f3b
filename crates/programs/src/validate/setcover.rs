//! Set cover: everything coverable is covered, by not many more sets than greedy needs.
//!
//! The program promises 1.6 H(d) times the least number of sets, d being the largest set and H the harmonic sum. The
//! least number is unknown but at most what greedy finds, so a cover beyond 1.6 H(d) times greedy's breaks the promise.

use rayon::prelude::*;

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn setcover(run: &Run<'_>) -> Result<(), Invalid> {
    let (chosen, covered) = (run.bools("chosen")?, run.bools("covered")?);
    let incoming = run.graph.load_incoming()?;
    every_vertex(run.graph, |v| {
        let list = incoming.neighbours(v);
        let by = list.iter().find(|&&s| chosen[s as usize]);
        match by {
            None => ensure(list.is_empty(), || {
                wrong!(
                    "vertex {v}: in none of the chosen sets, though {} sets have it",
                    list.len(),
                    v = run.graph.shown(v)
                )
            })?,
            Some(s) => ensure(covered[v as usize], || {
                wrong!(
                    "vertex {v}: in the chosen set {s}, but not marked",
                    v = run.graph.shown(v),
                    s = run.graph.shown(*s)
                )
            })?,
        }
        ensure(!covered[v as usize] || by.is_some(), || {
            wrong!("vertex {v}: marked, but in none of the chosen sets", v = run.graph.shown(v))
        })
    })?;
    let size = chosen.par_iter().filter(|&&c| c).count();
    let largest = (0..run.graph.vertices() as u32).map(|v| run.graph.out().degree(v)).max().unwrap_or(0);
    let harmonic: f64 = (1..=largest).map(|k| 1.0 / k as f64).sum();
    let greedy = greedy(run.graph);
    ensure(size as f64 <= 1.6 * harmonic * greedy as f64, || {
        wrong!("{size} sets chosen, more than 1.6 H({largest}) times the {greedy} that greedy takes")
    })
}

/// The number of sets that the greedy method takes, largest remaining set first.
pub(crate) fn greedy(graph: &Graph) -> usize {
    let out = graph.out();
    let largest = (0..graph.vertices() as u32).map(|v| out.degree(v)).max().unwrap_or(0);
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); largest + 1];
    (0..graph.vertices() as u32).for_each(|v| buckets[out.degree(v)].push(v));
    let mut covered = vec![false; graph.vertices()];
    let mut taken = 0;
    for size in (1..=largest).rev() {
        // Sizes only fall: a set that shrank since it was filed moves to a lower bucket, at most once per bucket.
        for set in std::mem::take(&mut buckets[size]) {
            let remaining = out.neighbours(set).iter().filter(|&&v| !covered[v as usize]).count();
            if remaining < size {
                buckets[remaining].push(set);
                continue;
            }
            out.neighbours(set).iter().for_each(|&v| covered[v as usize] = true);
            taken += 1;
        }
    }
    taken
}
