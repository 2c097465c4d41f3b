//! Maximum flow: a flow within the capacities and a cut of the same size. No flow is greater than a cut, so that each
//! proves the other.

use std::ops::Add;

use super::length::{Length, are_real};
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

pub(crate) fn maxflow(run: &Run<'_>) -> Result<(), Invalid> {
    if are_real(run.graph) { flow::<f64>(run, f64::MAX) } else { flow::<i128>(run, i64::MAX.into()) }
}

fn flow<L: Length>(run: &Run<'_>, most: L) -> Result<(), Invalid> {
    let (source, sink) = (run.vertex_arg(2)?, run.vertex_arg(3)?);
    let (value, side) = (run.length::<L>("value")?, run.bools("source_side")?);
    let (flow, _) = run.length_list::<L>("flow")?;
    let expected = run.graph.edges();
    ensure(flow.len() == expected, || Invalid::WrongLength { name: "flow", found: flow.len(), expected })?;
    let out = run.graph.out();
    let too_long = run.integer("too_long")? != 0;
    if too_long {
        let supply = out.range(source).map(|edge| L::of_edge(out.weights(), edge)).fold(L::ZERO, Add::add);
        ensure(supply.real() >= 0.99 * most.real(), || {
            wrong!("the capacities at the source are {supply} in all and fit the type of the value")
        })?;
    }
    if source == sink || too_long {
        ensure(value == L::ZERO, || {
            wrong!("the value is {value}, but nothing flows from {source} to {sink}", source = run.graph.shown(source))
        })?;
        ensure(flow.iter().all(|&flow| flow == L::ZERO), || wrong!("there is flow, but the value is 0"))?;
        return ensure(!side.contains(&true), || wrong!("there is a cut, but no flow was looked for"));
    }
    every_vertex(run.graph, |u| {
        for (edge, &v) in out.range(u).zip(out.neighbours(u)) {
            let (flow, capacity) = (flow[edge], L::of_edge(out.weights(), edge));
            ensure((L::ZERO..=capacity).contains(&flow), || {
                wrong!(
                    "the edge from {u} to {v} carries {flow}, its capacity being {capacity}",
                    u = run.graph.shown(u),
                    v = run.graph.shown(v)
                )
            })?;
        }
        Ok(())
    })?;
    // What arrives less what leaves, and the size of the sums from which it comes.
    let (mut gain, mut size, mut cut) = (vec![L::ZERO; run.graph.vertices()], vec![0.0; run.graph.vertices()], L::ZERO);
    for u in 0..run.graph.vertices() {
        for (edge, &v) in out.range(u as u32).zip(out.neighbours(u as u32)) {
            gain[u] = gain[u] - flow[edge];
            gain[v as usize] = gain[v as usize] + flow[edge];
            let capacity = L::of_edge(out.weights(), edge);
            size[u] += capacity.real();
            size[v as usize] += capacity.real();
            if side[u] && !side[v as usize] {
                cut = cut + capacity;
            }
        }
    }
    every_vertex(run.graph, |v| {
        let (gain, right) = (
            gain[v as usize],
            if v == source {
                L::ZERO - value
            } else if v == sink {
                value
            } else {
                L::ZERO
            },
        );
        ensure(gain.is_near(right, size[v as usize]), || {
            wrong!("vertex {v}: {gain} more arrives than leaves, instead of {right}", v = run.graph.shown(v))
        })
    })?;
    ensure(side[source as usize], || {
        wrong!("the source {source} is not on its side of the cut", source = run.graph.shown(source))
    })?;
    ensure(!side[sink as usize], || {
        wrong!("the sink {sink} is on the source's side of the cut", sink = run.graph.shown(sink))
    })?;
    ensure(cut.is_near(value, cut.real()), || wrong!("the value is {value}, but the capacity of the cut {cut}"))
}

/// Told when source and sink are one vertex, or when there is no value.
pub(crate) fn no_flow(run: &Run<'_>) -> Option<Remark> {
    let (source, sink) = (run.vertex_arg(2).ok()?, run.vertex_arg(3).ok()?);
    let shown = run.graph.shown(source);
    if run.integer("too_long").is_ok_and(|value| value != 0) {
        let ty = if are_real(run.graph) { "double" } else { "int_64" };
        let why = format!("the capacities of the edges from {shown} add up to more than the type {ty} holds");
        return Some(Remark::NoResult(format!("{why}; change the unit of the weights")));
    }
    let why = format!("there is no flow from {shown} to itself; give another vertex as sink");
    (source == sink).then_some(Remark::NoResult(why))
}
