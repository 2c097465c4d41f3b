//! Label propagation: the rounds once more, with a count per label in a hash map.

use std::cmp::Reverse;
use std::collections::HashMap;

use gw_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn cdlp(run: &Run<'_>) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    let (rounds, found, changed) = (run.count_arg(2)?, run.ints("label")?, run.integer("changed")?);
    let mut labels: Vec<VertexId> = (0..run.graph.vertices() as VertexId).collect();
    let mut differ = labels.len();
    for _ in 0..rounds {
        if differ == 0 {
            break;
        }
        let next = step(run.graph, &labels);
        differ = next.iter().zip(&labels).filter(|(a, b)| a != b).count();
        labels = next;
    }
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], labels[v as usize]);
        ensure(i64::from(found) == i64::from(right), || {
            wrong!(
                "vertex {v}: label {found} instead of {right}",
                v = run.graph.shown(v),
                found = run.graph.shown(found),
                right = run.graph.shown(right)
            )
        })
    })?;
    ensure(changed == differ as i128, || wrong!("the last round changed {differ} labels, not {changed}"))
}

/// Every vertex takes the most frequent label around, the least among equals.
fn step(graph: &Graph, labels: &[VertexId]) -> Vec<VertexId> {
    let (out, incoming) = (graph.out(), graph.incoming());
    let choose = |v: VertexId| {
        let mut times: HashMap<VertexId, u32> = HashMap::new();
        for &u in out.neighbours(v).iter().chain(incoming.neighbours(v)) {
            *times.entry(labels[u as usize]).or_default() += 1;
        }
        let best = times.into_iter().max_by_key(|&(label, times)| (times, Reverse(label)));
        best.map_or(labels[v as usize], |(label, _)| label)
    };
    (0..labels.len() as VertexId).into_par_iter().with_min_len(256).map(choose).collect()
}
