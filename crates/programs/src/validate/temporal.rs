//! Paths that respect time: arrivals are those of a search in the order of arrivals, steps those of rounds over all
//! edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::{Graph, VertexId};

use super::{Invalid, Run, ensure, every_vertex, int_weight, real_weight, wrong};
use crate::results::Values;

/// A point in time: a whole number, or the order of a real.
trait Time: Copy + Ord {
    fn of_edge(graph: &Graph, edge: usize) -> Self;
    /// As a real, which windows are compared with.
    fn real(self) -> f64;
    /// So much later; `None` beyond the type.
    fn after(self, duration: i64) -> Option<Self>;
}

impl Time for i64 {
    fn of_edge(graph: &Graph, edge: usize) -> i64 {
        int_weight(graph.out().weights(), edge)
    }
    fn real(self) -> f64 {
        self as f64
    }
    fn after(self, duration: i64) -> Option<i64> {
        self.checked_add(duration).filter(|&time| time != i64::MAX)
    }
}

/// A real with the order of numbers; there are no other reals among times.
#[derive(Clone, Copy, PartialEq)]
struct Real(f64);

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Real) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Real) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Time for Real {
    fn of_edge(graph: &Graph, edge: usize) -> Real {
        // A zero has one sign, as comparisons see it.
        Real(real_weight(graph.out().weights(), edge) + 0.0)
    }
    fn real(self) -> f64 {
        self.0
    }
    fn after(self, duration: i64) -> Option<Real> {
        Some(Real(self.0 + duration as f64)).filter(|time| time.0 < f64::INFINITY)
    }
}

/// What the arguments of a run say.
struct Question<'g> {
    graph: &'g Graph,
    source: VertexId,
    window: std::ops::RangeInclusive<f64>,
    duration: i64,
}

impl<'g> Question<'g> {
    fn of(run: &Run<'g>) -> Result<Question<'g>, Invalid> {
        let window = run.real_arg(3)?..=run.real_arg(4)?;
        let duration = run.count_arg(5)? as i64;
        Ok(Question { graph: run.graph, source: run.vertex_arg(2)?, window, duration })
    }

    /// The edges of a vertex that may be taken: their ends and times.
    fn edges<T: Time>(&self, vertex: VertexId) -> impl Iterator<Item = (VertexId, T)> {
        let out = self.graph.out();
        let ends = out.neighbours(vertex).iter().copied().zip(out.range(vertex));
        let timed = ends.map(|(end, edge)| (end, T::of_edge(self.graph, edge)));
        timed.filter(|(_, time)| self.window.contains(&time.real()))
    }

    /// The time of the first edge of the source.
    fn first<T: Time>(&self) -> Option<T> {
        self.edges(self.source).map(|(_, time)| time).min()
    }

    /// The earliest arrivals, by the method of Dijkstra: who arrives earlier can wait.
    fn arrivals<T: Time>(&self) -> Vec<Option<T>> {
        let mut arrival: Vec<Option<T>> = vec![None; self.graph.vertices()];
        let mut waiting = BinaryHeap::new();
        arrival[self.source as usize] = self.first();
        waiting.extend(self.first::<T>().map(|time| Reverse((time, self.source))));
        while let Some(Reverse((here, vertex))) = waiting.pop() {
            if arrival[vertex as usize] != Some(here) {
                continue;
            }
            for (end, time) in self.edges::<T>(vertex).filter(|(_, time)| *time >= here) {
                let Some(there) = time.after(self.duration) else { continue };
                let known = &mut arrival[end as usize];
                if known.is_none_or(|known| there < known) {
                    *known = Some(there);
                    waiting.push(Reverse((there, end)));
                }
            }
        }
        arrival
    }

    /// The fewest edges of a path to each vertex, -1 where there is none: rounds over the edges of all vertices.
    fn steps<T: Time>(&self) -> Vec<i32> {
        let mut steps = vec![-1; self.graph.vertices()];
        let mut arrival: Vec<Option<T>> = vec![None; steps.len()];
        steps[self.source as usize] = 0;
        arrival[self.source as usize] = self.first();
        for round in 1.. {
            let before = arrival.clone();
            for vertex in 0..before.len() as VertexId {
                let Some(here) = before[vertex as usize] else { continue };
                for (end, time) in self.edges::<T>(vertex).filter(|(_, time)| *time >= here) {
                    let Some(there) = time.after(self.duration) else { continue };
                    let known = &mut arrival[end as usize];
                    *known = Some(known.map_or(there, |known| known.min(there)));
                }
            }
            if arrival == before {
                break;
            }
            for (step, arrival) in steps.iter_mut().zip(&arrival) {
                if *step == -1 && arrival.is_some() {
                    *step = round;
                }
            }
        }
        steps
    }
}

fn reached(run: &Run<'_>, right: usize) -> Result<(), Invalid> {
    let found = run.integer("reached")?;
    ensure(found == right as i128, || wrong!("{found} vertices reached instead of {right}"))
}

pub(crate) fn earliest_arrival(run: &Run<'_>) -> Result<(), Invalid> {
    let question = Question::of(run)?;
    // Every vertex that has an arrival, and the source.
    let count = |there: &dyn Fn(usize) -> bool| {
        (0..run.graph.vertices()).filter(|&v| v == question.source as usize || there(v)).count()
    };
    match run.results.vector("arrival").ok_or(Invalid::Missing("arrival"))? {
        Values::Int64(found) => {
            run.one_per_vertex("arrival", found.len())?;
            let right = question.arrivals::<i64>();
            every_vertex(run.graph, |v| {
                let (found, right) = (found[v as usize], right[v as usize].unwrap_or(i64::MAX));
                ensure(found == right, || {
                    wrong!("vertex {v}: arrival {found} instead of {right}", v = run.graph.shown(v))
                })
            })?;
            reached(run, count(&|v| right[v].is_some()))
        }
        _ => {
            let (found, right) = (run.doubles("arrival")?, question.arrivals::<Real>());
            every_vertex(run.graph, |v| {
                let (found, right) = (found[v as usize], right[v as usize].map_or(f64::INFINITY, |time| time.0));
                ensure(found == right, || {
                    wrong!("vertex {v}: arrival {found} instead of {right}", v = run.graph.shown(v))
                })
            })?;
            reached(run, count(&|v| right[v].is_some()))
        }
    }
}

pub(crate) fn temporal_reach(run: &Run<'_>) -> Result<(), Invalid> {
    let (question, found) = (Question::of(run)?, run.ints("steps")?);
    let right = match run.graph.weight_kind().is_real() {
        true => question.steps::<Real>(),
        false => question.steps::<i64>(),
    };
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], right[v as usize]);
        ensure(found == right, || wrong!("vertex {v}: {found} steps instead of {right}", v = run.graph.shown(v)))
    })?;
    reached(run, right.iter().filter(|&&steps| steps >= 0).count())
}
