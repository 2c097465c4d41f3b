//! What is made of the undirected edges of a graph, and sets made of two sets.

use std::sync::Arc;

use gw_graph::Graph;

use crate::code::LinkForm;
use crate::error::Result;
use crate::intrinsics;
use crate::value::Value;
use crate::vector::{Derived, Origin, Vector};

/// The graph or vector of this form.
pub(crate) fn of(form: LinkForm, graph: &Arc<Graph>) -> Result<Value> {
    let vector = |form: Derived, len: usize| {
        let origin = Origin { graph: Arc::clone(graph), form, beside: None };
        Vector::derived(origin, len).map(Value::Vector)
    };
    Ok(match form {
        LinkForm::Links => Value::Graph(graph.links()?),
        LinkForm::Undirected => Value::Graph(graph.undirected()?),
        LinkForm::Upward => Value::Graph(graph.upward()?),
        LinkForm::Ranked => {
            let around = graph.undirected()?;
            match is_skewed(&around) {
                true => Value::Graph(Arc::clone(&around.by_falling_degree()?.graph)),
                false => Value::Graph(around),
            }
        }
        LinkForm::Loops => Value::Graph(graph.loops()?),
        LinkForm::RankedNumbers => {
            // What can fail is done here, and kept with the graph.
            let around = graph.undirected()?;
            if is_skewed(&around) {
                around.by_falling_degree()?;
            }
            vector(Derived::RankedNumbers, around.vertices())?
        }
        LinkForm::Sources => vector(Derived::Sources, graph.edges())?,
        LinkForm::Targets => vector(Derived::Targets, graph.edges())?,
        LinkForm::FirstEdges => vector(Derived::FirstEdges, graph.vertices())?,
    })
}

/// The link of every edge of a graph, among these links.
pub(crate) fn numbers(links: &Arc<Graph>, edges: &Arc<Graph>) -> Result<Value> {
    let origin = Origin { graph: Arc::clone(links), form: Derived::LinkNumbers, beside: Some(Arc::clone(edges)) };
    Vector::derived(origin, edges.edges()).map(Value::Vector)
}

/// The entries of a vector that is worked out from a graph.
pub(crate) fn entries(origin: &Origin) -> Vec<i32> {
    let graph = &origin.graph;
    match (origin.form, &origin.beside) {
        (Derived::Sources, _) => graph.sources(),
        (Derived::Targets, _) => graph.targets(),
        (Derived::FirstEdges, _) => {
            let out = graph.out();
            (0..out.vertices() as u32).map(|v| out.range(v).start as i32).collect()
        }
        (Derived::LinkNumbers, Some(edges)) => graph.link_numbers(edges),
        // Both forms were made with the vector.
        (Derived::RankedNumbers | Derived::LinkNumbers, _) => match graph.undirected() {
            Ok(around) if is_skewed(&around) => match around.by_falling_degree() {
                Ok(ranked) => ranked.permutation.new_ids().iter().map(|&v| v as i32).collect(),
                Err(_) => Vec::new(),
            },
            _ => (0..graph.vertices() as i32).collect(),
        },
    }
}

/// Whether numbers by falling degree keep the lists short that are read to count triangles.
fn is_skewed(around: &Graph) -> bool {
    let vertices = around.vertices();
    let hubs = vertices > 0 && around.greatest_out_degree() / 16 > around.edges() / vertices;
    (hubs || intrinsics::is_skewed(around)) && !around.is_degree_ordered()
}

/// The members of one or both sets: those of the first in their order, then the others.
pub(crate) fn union(mut a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    let members = marks(&a);
    a.extend(b.into_iter().filter(|&v| !members.get(v as usize).copied().unwrap_or(false)));
    a
}

/// The members of the first set that the second lacks, in their order.
pub(crate) fn minus(mut a: Vec<u32>, b: &[u32]) -> Vec<u32> {
    let members = marks(b);
    a.retain(|&v| !members.get(v as usize).copied().unwrap_or(false));
    a
}

/// Which numbers are members, up to the greatest of them.
fn marks(ids: &[u32]) -> Vec<bool> {
    let mut marks = vec![false; ids.iter().max().map_or(0, |&most| most as usize + 1)];
    ids.iter().for_each(|&v| marks[v as usize] = true);
    marks
}
