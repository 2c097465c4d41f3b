//! Core numbers: serial peeling with vertices kept sorted by remaining degree (Batagelj and Zaversnik).

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn kcore(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let found = run.ints("core")?;
    let cores = peel(run.graph);
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], cores[v as usize]);
        ensure(i64::from(found) == i64::from(right), || {
            wrong!("vertex {v}: core number {found} instead of {right}", v = run.graph.shown(v))
        })
    })
}

fn peel(graph: &Graph) -> Vec<u32> {
    let out = graph.out();
    let vertices = graph.vertices();
    let mut degree: Vec<u32> = (0..vertices as u32).map(|v| out.degree(v) as u32).collect();
    let most = degree.iter().copied().max().unwrap_or(0) as usize;
    // first[d]: where the vertices of remaining degree d begin in `order`.
    let mut first = vec![0usize; most + 2];
    degree.iter().for_each(|&d| first[d as usize + 1] += 1);
    (1..first.len()).for_each(|d| first[d] += first[d - 1]);
    let mut next = first.clone();
    let (mut order, mut place) = (vec![0u32; vertices], vec![0usize; vertices]);
    for v in 0..vertices {
        let slot = &mut next[degree[v] as usize];
        order[*slot] = v as u32;
        place[v] = *slot;
        *slot += 1;
    }
    for i in 0..vertices {
        let v = order[i];
        for &n in out.neighbours(v) {
            let d = degree[n as usize];
            if d > degree[v as usize] {
                // Swap n to the front of its degree class and move the border past it.
                let front = first[d as usize];
                let other = order[front];
                order.swap(place[n as usize], front);
                place[other as usize] = place[n as usize];
                place[n as usize] = front;
                first[d as usize] = front + 1;
                degree[n as usize] -= 1;
            }
        }
    }
    degree
}
