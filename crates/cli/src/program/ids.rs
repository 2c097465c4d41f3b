//! Vertices as people know them: by the ids of their file where it has some, else by their numbers.

use graphwright::Program;
use gw_exec::Value;
use gw_graph::{Graph, Name};
use gw_ir::Module;
use gw_ir::types::{Domain, Type};
use gw_lab::Field;

/// What the entries and the values of a program's vectors stand for.
#[derive(Debug, Default)]
pub struct Meanings {
    /// Vectors with an entry per vertex.
    per_vertex: Vec<String>,
    /// Vectors with an entry per edge of the first graph.
    per_edge: Vec<String>,
    /// Vectors whose values are vertices.
    hold_vertices: Vec<String>,
}

impl Meanings {
    /// Of the vectors of a module: by their types, and by the table of a standard program.
    pub fn of(program: &Program, module: &Module) -> Meanings {
        let mut meanings = Meanings::default();
        let graph = module.globals.iter().find_map(|global| match &global.ty {
            Type::EdgeSet { edge, source, target, .. } => Some((edge, [source, target])),
            _ => None,
        });
        for global in &module.globals {
            let Type::Vector { domain, item } = &global.ty else { continue };
            let name = || global.name.to_string();
            if let (Domain::Element(element), Some((edge, ends))) = (domain, graph) {
                if ends.contains(&element) {
                    meanings.per_vertex.push(name());
                } else if element == edge {
                    meanings.per_edge.push(name());
                }
            }
            if program.as_standard().is_none() && matches!(**item, Type::Vertex(_)) {
                meanings.hold_vertices.push(name());
            }
        }
        let results = program.as_standard().into_iter().flat_map(|standard| standard.results);
        meanings.hold_vertices.extend(results.filter(|result| result.holds_vertices).map(|r| r.name.to_string()));
        meanings
    }
}

/// How vertices and edges are shown, and which vectors belong to them.
pub struct Ids<'a> {
    graph: Option<&'a Graph>,
    meanings: &'a Meanings,
}

/// What an entry of a vector belongs to.
enum Owner<'a> {
    Vertex(&'a Graph),
    Edge(&'a Graph),
    /// Nothing that a graph knows.
    Place,
}

impl<'a> Ids<'a> {
    /// The ids of a graph's vertices; without a graph, entries have numbers.
    pub fn new(graph: Option<&'a Graph>, meanings: &'a Meanings) -> Self {
        Ids { graph, meanings }
    }

    fn owner(&self, vector: &str, length: usize) -> Owner<'a> {
        let is_in = |names: &[String]| names.iter().any(|name| name == vector);
        match self.graph {
            Some(graph) if is_in(&self.meanings.per_vertex) && graph.vertices() == length => Owner::Vertex(graph),
            Some(graph) if is_in(&self.meanings.per_edge) && graph.edges() == length => Owner::Edge(graph),
            _ => Owner::Place,
        }
    }

    /// What the entries of a vector of this length belong to, as titles of columns.
    pub fn titles(&self, vector: &str, length: usize) -> &'static [&'static str] {
        match self.owner(vector, length) {
            Owner::Vertex(_) => &["vertex"],
            Owner::Edge(_) => &["source", "target"],
            Owner::Place => &["index"],
        }
    }

    /// The vertex, the ends of the edge, or the place of entry `at` in a vector of this length: as many as titles.
    pub fn entry(&self, vector: &str, at: usize, length: usize) -> Vec<Field> {
        match self.owner(vector, length) {
            Owner::Vertex(graph) => vec![id(graph, at as u32)],
            Owner::Edge(graph) => {
                let source = graph.out().source_of(at);
                let target = graph.out().neighbours(source)[at - graph.out().range(source).start];
                vec![id(graph, source), id(graph, target)]
            }
            Owner::Place => vec![Field::Integer(at as i64)],
        }
    }

    /// The vertex that a value of this vector names; `None` where values are not vertices. No vertex is nothing.
    pub fn vertex_in(&self, vector: &str, value: &Value) -> Option<Field> {
        if !self.meanings.hold_vertices.iter().any(|other| other == vector) {
            return None;
        }
        let (Value::Int(vertex), graph) = (value, self.graph) else { return None };
        let vertex = u32::try_from(*vertex).ok().zip(graph).filter(|(v, graph)| (*v as usize) < graph.vertices());
        Some(vertex.map_or(Field::Nothing, |(vertex, graph)| id(graph, vertex)))
    }
}

/// A vertex by the id of its file, else by its number.
fn id(graph: &Graph, vertex: u32) -> Field {
    match graph.names() {
        Some(names) => name(names.get(vertex)),
        None => Field::Integer(vertex.into()),
    }
}

fn name(name: Name<'_>) -> Field {
    match name {
        Name::Text(text) => Field::Text(text.to_string()),
        Name::Signed(id) => Field::Integer(id),
        Name::Unsigned(id) => i64::try_from(id).map_or_else(|_| Field::Text(id.to_string()), Field::Integer),
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
