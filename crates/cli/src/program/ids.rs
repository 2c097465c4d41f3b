//! Vertices as people know them: by the ids of their file where it has some, else by their numbers.

use graphwright::results::Meanings;
use gw_exec::{Scalar, Value, Vector};
use gw_graph::attributes::{Absent, Rows};
use gw_graph::{Graph, Name};

/// What a person calls a vertex or a place in a vector.
pub enum Id {
    /// No vertex.
    Nothing,
    /// A number.
    Integer(i64),
    /// A text.
    Text(String),
}

/// How vertices and edges are shown, and which vectors belong to them.
pub struct Ids<'a> {
    graph: Option<&'a Graph>,
    meanings: &'a Meanings,
}

impl<'a> Ids<'a> {
    /// The ids of a graph's vertices; without a graph, entries have numbers.
    pub fn new(graph: Option<&'a Graph>, meanings: &'a Meanings) -> Self {
        Ids { graph, meanings }
    }

    /// What the entries of a vector of this length belong to.
    pub fn rows(&self, vector: &str, length: usize) -> Rows<'a> {
        self.meanings.rows(vector, length, self.graph)
    }

    /// The vertex, the ends of the edge, or the place of an entry: as many as the rows have titles.
    pub fn entry(rows: Rows<'_>, at: usize) -> Vec<Id> {
        match rows {
            Rows::Vertices(graph) => vec![id(graph, at as u32)],
            Rows::Edges(graph) => {
                let source = graph.out().source_of(at);
                let target = graph.out().neighbours(source)[at - graph.out().range(source).start];
                vec![id(graph, source), id(graph, target)]
            }
            Rows::Places(_) | Rows::One => vec![Id::Integer(at as i64)],
        }
    }

    /// The number that says in a vector that a vertex was not reached.
    pub fn absent(&self, name: &str, vector: &Vector) -> Option<f64> {
        Some(match self.meanings.absent(name)? {
            Absent::MinusOne => -1.0,
            Absent::Greatest if vector.scalar().is_float() => f64::INFINITY,
            Absent::Greatest if vector.scalar() == Scalar::Int64 => i64::MAX as f64,
            Absent::Greatest => f64::from(i32::MAX),
        })
    }

    /// The vertex that a value of this vector names; `None` where values are not vertices. No vertex is nothing.
    pub fn vertex_in(&self, vector: &str, value: &Value) -> Option<Id> {
        if !self.meanings.holds_vertices(vector) {
            return None;
        }
        let (Value::Int(vertex), graph) = (value, self.graph) else { return None };
        let vertex = u32::try_from(*vertex).ok().zip(graph).filter(|(v, graph)| (*v as usize) < graph.vertices());
        Some(vertex.map_or(Id::Nothing, |(vertex, graph)| id(graph, vertex)))
    }
}

/// A vertex by the id of its file, else by its number.
pub fn id(graph: &Graph, vertex: u32) -> Id {
    match graph.names() {
        Some(names) => name(names.get(vertex)),
        None => Id::Integer(vertex.into()),
    }
}

fn name(name: Name<'_>) -> Id {
    match name {
        Name::Text(text) => Id::Text(text.to_string()),
        Name::Signed(id) => Id::Integer(id),
        Name::Unsigned(id) => i64::try_from(id).map_or_else(|_| Id::Text(id.to_string()), Id::Integer),
    }
}

/// An id as a text; nothing is empty.
pub fn text(id: &Id) -> String {
    match id {
        Id::Nothing => String::new(),
        Id::Integer(number) => number.to_string(),
        Id::Text(text) => text.clone(),
    }
}
