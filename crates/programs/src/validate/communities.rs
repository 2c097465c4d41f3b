//! Communities: names, the modularity that was told, and that no two communities could be joined with gain. Those of
//! Leiden's method are connected besides.

use std::collections::BTreeMap;

use super::{Invalid, Run, ensure, every_vertex, wrong};

/// What a sum of rounded terms may be off by.
const ROUNDING: f64 = 1e-9;
/// Edges that joining two communities may seem to gain.
const GAIN: f64 = 1e-6;

pub(crate) fn louvain(run: &Run<'_>) -> Result<(), Invalid> {
    communities(run).map(|_| ())
}

pub(crate) fn leiden(run: &Run<'_>) -> Result<(), Invalid> {
    let label = communities(run)?;
    // A search from the vertex that a community is named by stays inside and must find all members.
    let out = run.graph.out();
    let mut reached = vec![false; label.len()];
    for start in (0..label.len()).filter(|&v| label[v] as usize == v) {
        let mut stack = vec![start];
        reached[start] = true;
        while let Some(v) = stack.pop() {
            for &u in out.neighbours(v as u32) {
                if label[u as usize] as usize == start && !reached[u as usize] {
                    reached[u as usize] = true;
                    stack.push(u as usize);
                }
            }
        }
    }
    let left = reached.iter().position(|&reached| !reached);
    left.map_or(Ok(()), |v| Err(wrong!("community {} is not connected: it does not lead to vertex {v}", label[v])))
}

/// The labels, if they are a result.
fn communities(run: &Run<'_>) -> Result<Vec<i32>, Invalid> {
    run.needs_symmetric()?;
    let (label, count, modularity) = (run.ints("label")?, run.integer("communities")?, run.real("modularity")?);
    let (out, n) = (run.graph.out(), label.len());
    let mut least = vec![None; n];
    for v in 0..n {
        let name = usize::try_from(label[v]).ok().filter(|&name| name < n);
        let name = name.ok_or_else(|| wrong!("vertex {v}: {} is no vertex", label[v]))?;
        least[name].get_or_insert(v);
    }
    every_vertex(run.graph, |v| {
        let name = label[v as usize];
        let right = least[name as usize].unwrap_or(0);
        ensure(right == name as usize, || wrong!("the least vertex of community {name} is {right}"))
    })?;
    let right = least.iter().flatten().count();
    ensure(count == right as i128, || wrong!("{count} communities instead of {right}"))?;

    let all = out.edges() as f64;
    let (mut ends, mut inside) = (vec![0.0; n], 0.0);
    let mut between: BTreeMap<(i32, i32), f64> = BTreeMap::new();
    for v in 0..n {
        ends[label[v] as usize] += out.degree(v as u32) as f64;
        for &u in out.neighbours(v as u32) {
            let (a, b) = (label[v], label[u as usize]);
            match a == b {
                true => inside += 1.0,
                false => *between.entry((a, b)).or_default() += 1.0,
            }
        }
    }
    let share = |edges: f64| if all > 0.0 { edges / all } else { 0.0 };
    let right = share(inside) - ends.iter().map(|&ends| share(ends) * share(ends)).sum::<f64>();
    let near = (modularity - right).abs() <= ROUNDING;
    ensure(near, || wrong!("the modularity is {right} and not {modularity}"))?;
    for (&(a, b), edges) in &between {
        let gain = edges - ends[a as usize] * share(ends[b as usize]);
        ensure(gain <= GAIN, || wrong!("communities {a} and {b} joined would have more modularity"))?;
    }
    Ok(label.into_owned())
}
