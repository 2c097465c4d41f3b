//! A lower bound of the diameter by double sweep: search from a vertex, then again from the farthest one found.
//!
//! Magnien, Latapy and Habib, "Fast computation of empirically tight bounds for the diameter of massive graphs", 2009.
//! Exact on trees, and usually within a level or two elsewhere.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::{Graph, VertexId};

/// Frontiers with fewer vertices are walked by one thread: splitting would cost more than the work.
const SMALL: usize = 1 << 10;

/// Greatest distance found from `start` and from a vertex farthest from it, edge directions ignored.
pub fn double_sweep(graph: &Graph, start: VertexId) -> u64 {
    if graph.vertices() == 0 {
        return 0;
    }
    let (first, farthest) = sweep(graph, start);
    let (second, _) = sweep(graph, farthest);
    first.max(second)
}

/// The number of levels of a breadth-first search less one, and the least vertex of the last level.
fn sweep(graph: &Graph, start: VertexId) -> (u64, VertexId) {
    let visited: Vec<AtomicU64> = (0..graph.vertices().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
    let claim = |v: VertexId| {
        let (word, bit) = (&visited[v as usize / 64], 1 << (v % 64));
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    };
    let incoming = (!graph.is_symmetric()).then(|| graph.incoming());
    let expand = |next: &mut Vec<VertexId>, v: VertexId| {
        next.extend(graph.out().neighbours(v).iter().copied().filter(|&n| claim(n)));
        if let Some(incoming) = incoming {
            next.extend(incoming.neighbours(v).iter().copied().filter(|&n| claim(n)));
        }
    };

    claim(start);
    let mut frontier = vec![start];
    let mut next = Vec::new();
    let mut depth = 0;
    loop {
        if frontier.len() < SMALL {
            for &v in &frontier {
                expand(&mut next, v);
            }
        } else {
            let parts: Vec<Vec<VertexId>> = frontier
                .par_iter()
                .with_min_len(SMALL / 8)
                .fold(Vec::new, |mut part, &v| {
                    expand(&mut part, v);
                    part
                })
                .collect();
            parts.into_iter().for_each(|part| next.extend(part));
        }
        if next.is_empty() {
            return (depth, frontier.iter().copied().min().unwrap_or(start));
        }
        depth += 1;
        std::mem::swap(&mut frontier, &mut next);
        next.clear();
    }
}
