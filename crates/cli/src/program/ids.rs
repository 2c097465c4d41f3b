//! Vertices as people know them: by the ids of their file where it has some, else by their numbers.

use graphwright::Program;
use gw_exec::Value;
use gw_graph::{Graph, Name, Names};
use gw_ir::Module;
use gw_ir::types::Type;
use gw_lab::Field;

/// How vertices are shown, and which vectors hold vertices.
pub struct Ids<'a> {
    names: Option<&'a Names>,
    vertices: Option<usize>,
    vertex_vectors: &'a [String],
}

impl<'a> Ids<'a> {
    /// The ids of a graph's vertices; without a graph, entries have numbers.
    pub fn new(graph: Option<&'a Graph>, vertex_vectors: &'a [String]) -> Self {
        let names = graph.and_then(|graph| graph.names()).map(|names| &**names);
        Ids { names, vertices: graph.map(Graph::vertices), vertex_vectors }
    }

    /// What the entries of a vector of this length stand for, as a title.
    pub fn title(&self, length: usize) -> &'static str {
        if self.is_per_vertex(length) { "vertex" } else { "index" }
    }

    fn is_per_vertex(&self, length: usize) -> bool {
        self.vertices == Some(length)
    }

    /// The vertex, or the place, of entry `at` in a vector of this length.
    pub fn entry(&self, at: usize, length: usize) -> Field {
        match self.names.filter(|_| self.is_per_vertex(length)) {
            Some(names) => name(names.get(at as u32)),
            None => Field::Integer(at as i64),
        }
    }

    /// The vertex that a value of this vector names; `None` where values are not vertices. No vertex is nothing.
    pub fn vertex_in(&self, vector: &str, value: &Value) -> Option<Field> {
        if !self.vertex_vectors.iter().any(|other| other == vector) {
            return None;
        }
        let Value::Int(vertex) = value else { return None };
        let vertex = u32::try_from(*vertex).ok().filter(|&v| self.vertices.is_some_and(|n| (v as usize) < n));
        Some(match (vertex, self.names) {
            (Some(vertex), Some(names)) => name(names.get(vertex)),
            (Some(vertex), None) => Field::Integer(vertex.into()),
            (None, _) => Field::Nothing,
        })
    }
}

fn name(name: Name<'_>) -> Field {
    match name {
        Name::Text(text) => Field::Text(text.to_string()),
        Name::Signed(id) => Field::Integer(id),
        Name::Unsigned(id) => i64::try_from(id).map_or_else(|_| Field::Text(id.to_string()), Field::Integer),
    }
}

/// The vectors whose entries are vertices: by the table of a standard program, by their type in another.
pub fn vertex_vectors(program: &Program, module: &Module) -> Vec<String> {
    match program.as_standard() {
        Some(standard) => standard.results.iter().filter(|r| r.holds_vertices).map(|r| r.name.to_string()).collect(),
        None => {
            let holds = |ty: &Type| matches!(ty, Type::Vector { item, .. } if matches!(**item, Type::Vertex(_)));
            module.globals.iter().filter(|global| holds(&global.ty)).map(|global| global.name.to_string()).collect()
        }
    }
}

/// A field as a text; nothing is empty.
pub fn text(field: &Field) -> String {
    match field {
        Field::Nothing => String::new(),
        Field::Integer(number) => number.to_string(),
        Field::Real(number) => number.to_string(),
        Field::Text(text) => text.clone(),
    }
}
