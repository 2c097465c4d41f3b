//! Communities: names, the modularity that was told, and that no two communities could be joined with gain. Those of
//! Leiden's method are connected besides. Edges count by their weights where they have some.

use std::collections::BTreeMap;

use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// What a sum of rounded terms may be off by.
const ROUNDING: f64 = 1e-9;
/// The share of all edges that joining two communities may seem to gain, and the edges where these are few.
const GAIN: (f64, f64) = (1e-12, 1e-6);
/// The share of the greatest weight that a vertex must gain by a move.
const INDIFFERENT: f64 = 1.001e-7;
/// What the sum of weights between two communities may be off by, as its share: contracted graphs store floats.
const ROUNDED: f64 = 1e-6;

/// Told when the weights of all edges may add up to more than their type holds.
pub(crate) fn too_great(run: &Run<'_>) -> Option<Remark> {
    let why = "the weights of all edges may add up to more than a real of 64 bits holds; change their unit";
    run.integer("too_great").is_ok_and(|value| value != 0).then(|| Remark::NoResult(why.to_string()))
}

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
    left.map_or(Ok(()), |v| {
        let (community, vertex) = (run.graph.shown(label[v]), run.graph.shown(v));
        Err(wrong!("community {community} is not connected: it does not lead to vertex {vertex}"))
    })
}

/// The labels, if they are a result.
fn communities(run: &Run<'_>) -> Result<Vec<i32>, Invalid> {
    run.needs_symmetric()?;
    let resolution = run.real_arg(3)?;
    let (label, count, modularity) = (run.ints("label")?, run.integer("communities")?, run.real("modularity")?);
    let (out, n) = (run.graph.out(), label.len());
    let mut least = vec![None; n];
    for v in 0..n {
        let name = usize::try_from(label[v]).ok().filter(|&name| name < n);
        let name = name.ok_or_else(|| wrong!("vertex {}: {} is no vertex", run.graph.shown(v), label[v]))?;
        least[name].get_or_insert(v);
    }
    every_vertex(run.graph, |v| {
        let name = label[v as usize];
        let right = least[name as usize].unwrap_or(0);
        ensure(right == name as usize, || {
            wrong!(
                "the least vertex of community {name} is {right}",
                name = run.graph.shown(name),
                right = run.graph.shown(right)
            )
        })
    })?;
    let right = least.iter().flatten().count();
    ensure(count == right as i128, || wrong!("{count} communities instead of {right}"))?;

    let weight = |v: u32, at: usize| out.weight_at(v, at).unwrap_or(1.0);
    let weights = |v: u32| (0..out.degree(v)).map(move |at| weight(v, at));
    let all: f64 = (0..n as u32).flat_map(weights).sum();
    let (mut ends, mut inside) = (vec![0.0; n], 0.0);
    let mut between: BTreeMap<(i32, i32), f64> = BTreeMap::new();
    for v in 0..n {
        for (&u, weight) in out.neighbours(v as u32).iter().zip(weights(v as u32)) {
            let (a, b) = (label[v], label[u as usize]);
            ends[a as usize] += weight;
            match a == b {
                true => inside += weight,
                false => *between.entry((a, b)).or_default() += weight,
            }
        }
    }
    let share = |edges: f64| if all > 0.0 { edges / all } else { 0.0 };
    let right = share(inside) - resolution * ends.iter().map(|&ends| share(ends) * share(ends)).sum::<f64>();
    let near = (modularity - right).abs() <= ROUNDING;
    ensure(near, || wrong!("the modularity is {right} and not {modularity}"))?;
    let heaviest = (0..n as u32).flat_map(weights).fold(0.0, f64::max);
    let enough = GAIN.1.max(GAIN.0 * all).max(INDIFFERENT * heaviest);
    for (&(a, b), edges) in &between {
        let gain = edges - resolution * ends[a as usize] * share(ends[b as usize]);
        ensure(gain <= enough.max(ROUNDED * edges), || {
            wrong!(
                "communities {a} and {b} joined would have more modularity",
                a = run.graph.shown(a),
                b = run.graph.shown(b)
            )
        })?;
    }
    Ok(label.into_owned())
}
