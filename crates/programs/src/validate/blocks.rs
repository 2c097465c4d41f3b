//! Biconnected components: one depth-first search that leaves the edges of a block on a stack (Hopcroft and Tarjan).

use gw_graph::{Adjacency, VertexId};

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn biconnected(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (found, cut, count) = (run.edge_ints("block")?, run.bools("cut")?, run.integer("blocks")?);
    let out = run.graph.out();
    let right = blocks(out);
    for (edge, (&found, &right)) in found.iter().zip(&right).enumerate() {
        ensure(i64::from(found) == right as i64, || {
            let (from, to) = (out.source_of(edge), out.targets()[edge]);
            wrong!(
                "the edge from {from} to {to} is in block {right}, not in block {found}",
                from = run.graph.shown(from),
                to = run.graph.shown(to)
            )
        })?;
    }
    every_vertex(run.graph, |v| {
        let right = out.range(v).any(|edge| right[edge] != right[out.range(v).start]);
        let found = cut[v as usize];
        ensure(found == right, || wrong!("vertex {v}: cut is {found} instead of {right}", v = run.graph.shown(v)))
    })?;
    let names = right.iter().enumerate().filter(|&(edge, &name)| edge == name).count();
    ensure(count == names as i128, || wrong!("{count} blocks instead of {names}"))
}

/// The least edge of the block of every edge, by its position.
fn blocks(out: &Adjacency) -> Vec<usize> {
    const UNSEEN: u32 = u32::MAX;
    let position =
        |from: VertexId, to: VertexId| out.range(from).start + out.neighbours(from).partition_point(|&v| v < to);
    let (mut met, mut low) = (vec![UNSEEN; out.vertices()], vec![0u32; out.vertices()]);
    let (mut block, mut waiting, mut clock) = (vec![usize::MAX; out.edges()], Vec::new(), 0);
    for root in 0..out.vertices() as VertexId {
        if met[root as usize] != UNSEEN {
            continue;
        }
        // A vertex, the one before it, and how many of its edges were followed.
        let mut path = vec![(root, root, 0)];
        while let Some((v, before, followed)) = path.pop() {
            let i = v as usize;
            if followed == 0 {
                (met[i], low[i]) = (clock, clock);
                clock += 1;
            }
            if let Some(&u) = out.neighbours(v).get(followed) {
                path.push((v, before, followed + 1));
                if met[u as usize] == UNSEEN {
                    waiting.push((v, u));
                    path.push((u, v, 0));
                } else if u != before && met[u as usize] < met[i] {
                    waiting.push((v, u));
                    low[i] = low[i].min(met[u as usize]);
                }
            } else if v != before {
                let above = before as usize;
                low[above] = low[above].min(low[i]);
                if low[i] >= met[above] {
                    // All edges that wait since the one from `before` to `v` are one block.
                    let first = waiting.iter().rposition(|&ends| ends == (before, v)).unwrap_or(0);
                    let edges: Vec<usize> =
                        waiting.drain(first..).flat_map(|(a, b)| [position(a, b), position(b, a)]).collect();
                    let name = edges.iter().copied().min().unwrap_or(0);
                    edges.into_iter().for_each(|edge| block[edge] = name);
                }
            }
        }
    }
    block
}
