//! Bridges: Tarjan's depth-first search with low points; the parts are what remains joined without them.

use gw_graph::{Graph, VertexId};

use super::forest::Joined;
use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn bridges(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (bridge_to, part, count) = (run.ints("bridge_to")?, run.ints("part")?, run.integer("bridges")?);
    let n = run.graph.vertices();
    let bridges = find(run.graph);
    let mut right = vec![-1; n];
    let hops = hops_from_least(run.graph);
    for &(a, b) in &bridges {
        let (far, near) = if hops[a as usize] > hops[b as usize] { (a, b) } else { (b, a) };
        right[far as usize] = near as i32;
    }
    every_vertex(run.graph, |v| {
        let (found, right) = (bridge_to[v as usize], right[v as usize]);
        ensure(found == right, || {
            wrong!(
                "vertex {v}: bridge to {found} instead of {right}",
                v = run.graph.shown(v),
                found = run.graph.shown(found),
                right = run.graph.shown(right)
            )
        })
    })?;
    ensure(count == bridges.len() as i128, || wrong!("{count} bridges instead of {}", bridges.len()))?;
    let mut joined = Joined::new(n);
    for u in 0..n {
        for &v in run.graph.out().neighbours(u as VertexId) {
            // The vector of bridges is known to be right by now.
            if right[u] != v as i32 && right[v as usize] != u as i32 {
                joined.join(u, v as usize);
            }
        }
    }
    for (v, &found) in part.iter().enumerate() {
        let least = joined.least(v);
        ensure(i64::from(found) == least as i64, || {
            wrong!(
                "vertex {v}: part {found} instead of {least}",
                v = run.graph.shown(v),
                found = run.graph.shown(found),
                least = run.graph.shown(least)
            )
        })?;
    }
    Ok(())
}

/// All bridges, each once.
fn find(graph: &Graph) -> Vec<(VertexId, VertexId)> {
    const UNSEEN: u32 = u32::MAX;
    let out = graph.out();
    let (mut met, mut low) = (vec![UNSEEN; graph.vertices()], vec![0u32; graph.vertices()]);
    let (mut bridges, mut clock) = (Vec::new(), 0);
    for root in 0..graph.vertices() as VertexId {
        if met[root as usize] != UNSEEN {
            continue;
        }
        // A vertex, the one before it, and how many of its edges were followed.
        let mut path = vec![(root, root, 0)];
        while let Some((v, before, followed)) = path.pop() {
            let i = v as usize;
            if followed == 0 && met[i] == UNSEEN {
                (met[i], low[i]) = (clock, clock);
                clock += 1;
            }
            if let Some(&u) = out.neighbours(v).get(followed) {
                path.push((v, before, followed + 1));
                if met[u as usize] == UNSEEN {
                    path.push((u, v, 0));
                } else if u != before {
                    low[i] = low[i].min(met[u as usize]);
                }
            } else if v != before {
                if low[i] > met[before as usize] {
                    bridges.push((before, v));
                }
                low[before as usize] = low[before as usize].min(low[i]);
            }
        }
    }
    bridges
}

/// Hops from the least vertex of each component.
fn hops_from_least(graph: &Graph) -> Vec<u32> {
    let mut hops = vec![u32::MAX; graph.vertices()];
    for least in 0..hops.len() {
        if hops[least] != u32::MAX {
            continue;
        }
        hops[least] = 0;
        let mut queue = std::collections::VecDeque::from([least as VertexId]);
        while let Some(v) = queue.pop_front() {
            for &u in graph.out().neighbours(v) {
                if hops[u as usize] == u32::MAX {
                    hops[u as usize] = hops[v as usize] + 1;
                    queue.push_back(u);
                }
            }
        }
    }
    hops
}
