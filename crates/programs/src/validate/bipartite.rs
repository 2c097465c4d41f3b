//! Bipartite graphs: sides by a serial search per component, and the edges that stay within a side.

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn bipartite(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (found, conflicts, verdict) = (run.ints("side")?, run.integer("conflicts")?, run.integer("bipartite")?);
    let out = run.graph.out();
    let mut hops = vec![-1i32; run.graph.vertices()];
    for least in 0..hops.len() {
        if hops[least] != -1 {
            continue;
        }
        hops[least] = 0;
        let mut queue = std::collections::VecDeque::from([least as u32]);
        while let Some(v) = queue.pop_front() {
            for &u in out.neighbours(v) {
                if hops[u as usize] == -1 {
                    hops[u as usize] = hops[v as usize] + 1;
                    queue.push_back(u);
                }
            }
        }
    }
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], hops[v as usize] % 2);
        ensure(found == right, || wrong!("vertex {v}: side {found} instead of {right}", v = run.graph.shown(v)))
    })?;
    let within = |v: u32| out.neighbours(v).iter().filter(|&&u| (hops[u as usize] - hops[v as usize]) % 2 == 0).count();
    let right: usize = (0..hops.len() as u32).map(within).sum();
    ensure(conflicts == right as i128, || wrong!("{conflicts} edges within a side instead of {right}"))?;
    ensure(verdict == i128::from(right == 0), || wrong!("bipartite is {verdict}, with {right} edges within a side"))
}
