//! Maximum flow: a flow within the capacities and a cut of the same size. No flow is greater than a cut, so that each
//! proves the other.

use super::{Invalid, Run, ensure, every_vertex, int_weight, wrong};
use crate::registry::Remark;

pub(crate) fn maxflow(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, sink) = (run.vertex_arg(2)?, run.vertex_arg(3)?);
    let (value, flow, side) = (run.integer("value")?, run.edge_ints("flow")?, run.bools("source_side")?);
    let out = run.graph.out();
    if source == sink {
        ensure(value == 0, || {
            wrong!("the value is {value}, but nothing flows from {source} to itself", source = run.graph.shown(source))
        })?;
        ensure(flow.iter().all(|&flow| flow == 0), || wrong!("there is flow, though the source is the sink"))?;
        return ensure(!side.contains(&true), || wrong!("there is a cut, though the source is the sink"));
    }
    every_vertex(run.graph, |u| {
        for (edge, &v) in out.range(u).zip(out.neighbours(u)) {
            let (flow, capacity) = (i64::from(flow[edge]), int_weight(out.weights(), edge));
            ensure((0..=capacity).contains(&flow), || {
                wrong!(
                    "the edge from {u} to {v} carries {flow}, its capacity being {capacity}",
                    u = run.graph.shown(u),
                    v = run.graph.shown(v)
                )
            })?;
        }
        Ok(())
    })?;
    let (mut gain, mut cut) = (vec![0i128; run.graph.vertices()], 0i128);
    for u in 0..run.graph.vertices() {
        for (edge, &v) in out.range(u as u32).zip(out.neighbours(u as u32)) {
            gain[u] -= i128::from(flow[edge]);
            gain[v as usize] += i128::from(flow[edge]);
            if side[u] && !side[v as usize] {
                cut += i128::from(int_weight(out.weights(), edge));
            }
        }
    }
    every_vertex(run.graph, |v| {
        let (gain, right) = (
            gain[v as usize],
            if v == source {
                -value
            } else if v == sink {
                value
            } else {
                0
            },
        );
        ensure(gain == right, || {
            wrong!("vertex {v}: {gain} more arrives than leaves, instead of {right}", v = run.graph.shown(v))
        })
    })?;
    ensure(side[source as usize], || {
        wrong!("the source {source} is not on its side of the cut", source = run.graph.shown(source))
    })?;
    ensure(!side[sink as usize], || {
        wrong!("the sink {sink} is on the source's side of the cut", sink = run.graph.shown(sink))
    })?;
    ensure(cut == value, || wrong!("the value is {value}, but the capacity of the cut {cut}"))
}

/// Told when source and sink are one vertex.
pub(crate) fn no_flow(run: &Run<'_>) -> Option<Remark> {
    let (source, sink) = (run.vertex_arg(2).ok()?, run.vertex_arg(3).ok()?);
    let why = format!("there is no flow from {} to itself; give another vertex as sink", run.graph.shown(source));
    (source == sink).then_some(Remark::NoResult(why))
}
