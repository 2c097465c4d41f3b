//! Values of edges, carried over to the graph after a change, where edges have other numbers.

use gw_exec::{Cell, Scalar, Vector};

use super::incremental::Changes;
use crate::error::{Error, Result};
use crate::graph::Graph;

/// A vector over the edges of the graph before as one over those of the graph now: edges that stayed keep their
/// entries, also those with another weight, and edges that came have 0.
pub(crate) fn carried(name: &str, vector: &Vector, graph: &Graph, changes: &Changes) -> Result<Vector> {
    if vector.dims().len() != 1 {
        return Err(Error::Result(format!(
            "`{name}`: rows of edges cannot be taken over by an update; use flat vectors"
        )));
    }
    match vector.scalar() {
        Scalar::Int => moved::<i32>(name, vector, graph, changes),
        Scalar::Uint => moved::<u32>(name, vector, graph, changes),
        Scalar::Int64 => moved::<i64>(name, vector, graph, changes),
        Scalar::Uint64 => moved::<u64>(name, vector, graph, changes),
        Scalar::Float => moved::<f32>(name, vector, graph, changes),
        Scalar::Double => moved::<f64>(name, vector, graph, changes),
        Scalar::Bool => moved::<bool>(name, vector, graph, changes),
        Scalar::String => Err(Error::Result(format!("`{name}`: a vector of strings cannot be taken over"))),
    }
}

fn moved<T: Cell + Default>(name: &str, vector: &Vector, graph: &Graph, changes: &Changes) -> Result<Vector> {
    let misfit = || {
        let entries = vector.len();
        Error::Result(format!(
            "`{name}` has {entries} entries, which are not the edges of the graph before its changes"
        ))
    };
    let before: Vec<T> = vector.to_vec().ok_or_else(misfit)?;
    let (edges, came, went) = (graph.shared().out(), changes.inserted.shared().out(), changes.deleted.shared().out());
    if before.len() + came.edges() != edges.edges() + went.edges() || came.vertices() != edges.vertices() {
        return Err(misfit());
    }
    let mut now = Vec::with_capacity(edges.edges());
    // Entries of `before` that are taken over or gone.
    let mut taken = 0;
    for v in (0..edges.vertices() as u32).filter(|&v| came.degree(v) + went.degree(v) > 0) {
        // All lists before this one stayed as they were.
        let stayed = edges.range(v).start - now.len();
        now.extend_from_slice(before.get(taken..taken + stayed).ok_or_else(misfit)?);
        taken += stayed;
        let (mut came, mut went) = (came.neighbours(v).iter().peekable(), went.neighbours(v).iter().peekable());
        for target in edges.neighbours(v) {
            while went.next_if(|gone| *gone < target).is_some() {
                taken += 1;
            }
            let is_new = came.next_if_eq(&target).is_some();
            let was_there = went.next_if_eq(&target).is_some();
            if is_new && !was_there {
                now.push(T::default());
            } else {
                now.push(*before.get(taken).ok_or_else(misfit)?);
                taken += 1;
            }
        }
        taken += went.count();
    }
    now.extend_from_slice(before.get(taken..).ok_or_else(misfit)?);
    match now.len() == edges.edges() {
        true => Ok(Vector::from_slice(&now)),
        false => Err(misfit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32)]) -> Graph {
        let (mut offsets, mut targets) = (vec![0u32], Vec::new());
        for v in 0..4 {
            targets.extend(edges.iter().filter(|edge| edge.0 == v).map(|edge| edge.1));
            offsets.push(targets.len() as u32);
        }
        Graph::from_csr(offsets, targets).unwrap()
    }

    #[test]
    fn edges_keep_their_values_under_other_numbers() {
        // 0-1 stays, 0-2 goes, 0-3 comes, 1-0 has another weight, 2-3 stays, 3-0 goes.
        let now = graph(&[(0, 1), (0, 3), (1, 0), (2, 3)]);
        let changes =
            Changes { inserted: graph(&[(0, 3), (1, 0)]), deleted: graph(&[(0, 2), (1, 0), (3, 0)]), symmetric: false };
        let before = Vector::from_slice(&[10, 20, 30, 40, 50]);
        let vector = carried("x", &before, &now, &changes).unwrap();
        assert_eq!(vector.to_vec::<i32>(), Some(vec![10, 0, 30, 40]));
        let short = Vector::from_slice(&[1, 2, 3]);
        let error = carried("x", &short, &now, &changes).unwrap_err().to_string();
        assert_eq!(error, "`x` has 3 entries, which are not the edges of the graph before its changes");
    }
}
