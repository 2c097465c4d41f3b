//! What the results of a program belong to, and results as tables that can be written.

pub use gw_exec::{Globals, MachineUsage, RunResult};
use gw_exec::{Value, Vector};
use gw_graph::Graph;
pub use gw_graph::attributes::Absent;
use gw_graph::attributes::{Cells, Column, Rows, Table};
use gw_ir::Module;
use gw_ir::types::{Domain, Type};
use gw_programs::OutOfReach;
pub use gw_programs::{Invalid, Number as PathNumber, PathError, Remark, Run as JudgedRun, Values};

use crate::Program;
pub use crate::run::{Entry, Number, Parts};

/// What the entries and the values of a program's vectors stand for.
#[derive(Debug, Clone, Default)]
pub struct Meanings {
    /// Vectors with an entry per vertex.
    per_vertex: Vec<String>,
    /// Vectors with an entry per edge of the first graph.
    per_edge: Vec<String>,
    /// Vectors whose values are vertices.
    hold_vertices: Vec<String>,
    /// The vector in which a number says that a vertex was not reached, and the number.
    reached: Option<(&'static str, Absent)>,
}

impl Meanings {
    /// Of the vectors of a program: by their types, and by the table of a standard program.
    pub fn of(program: &Program) -> Meanings {
        let module: &Module = program.module();
        let mut meanings = Meanings::default();
        let graph = module.globals.iter().find_map(|global| match &global.ty {
            Type::EdgeSet { edge, source, target, .. } => Some((edge, [source, target])),
            _ => None,
        });
        for global in module.globals.iter().filter(|global| !global.name.starts_with(gw_lang::DERIVED)) {
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
        if program.as_standard().is_some_and(|standard| standard.has_parents()) {
            meanings.per_vertex.push(gw_programs::PARENT.to_string());
            meanings.hold_vertices.push(gw_programs::PARENT.to_string());
        }
        meanings.reached = program.as_standard().and_then(|standard| standard.reached).map(|reached| {
            let absent = match reached.otherwise {
                OutOfReach::MinusOne => Absent::MinusOne,
                OutOfReach::Greatest => Absent::Greatest,
            };
            (reached.vector, absent)
        });
        let results = program.as_standard().into_iter().flat_map(|standard| standard.results);
        meanings.hold_vertices.extend(results.filter(|result| result.holds_vertices).map(|r| r.name.to_string()));
        meanings
    }

    /// What the entries of a vector of this length belong to, on the graph of the run.
    pub fn rows<'a>(&self, vector: &str, length: usize, graph: Option<&'a Graph>) -> Rows<'a> {
        let is_in = |names: &[String]| names.iter().any(|name| name == vector);
        match graph {
            Some(graph) if is_in(&self.per_vertex) && graph.vertices() == length => Rows::Vertices(graph),
            // A process with a part of the graph does not know the ends of all edges.
            Some(graph) if is_in(&self.per_edge) && graph.edges() == length && graph.share().is_none() => {
                Rows::Edges(graph)
            }
            _ => Rows::Places(length),
        }
    }

    /// The number that says in this vector that a vertex was not reached.
    pub fn absent(&self, vector: &str) -> Option<Absent> {
        self.reached.filter(|(name, _)| *name == vector).map(|(_, absent)| absent)
    }

    /// Whether the values of a vector are vertices.
    pub fn holds_vertices(&self, vector: &str) -> bool {
        self.hold_vertices.iter().any(|name| name == vector)
    }
}

/// A result with what it belongs to.
#[derive(Debug, Clone)]
pub struct NamedResult<'a> {
    /// The name of its column.
    pub name: String,
    /// Its value.
    pub value: &'a Value,
    /// What its entries belong to.
    pub rows: Rows<'a>,
    /// The graph whose vertices the entries are, if they are such.
    pub vertices_of: Option<&'a Graph>,
    /// The number that stands for no value.
    pub absent: Option<Absent>,
}

impl<'a> NamedResult<'a> {
    /// The result `result` of a run, to be called `name`.
    pub fn new(
        name: String,
        result: &str,
        value: &'a Value,
        meanings: &Meanings,
        graph: Option<&'a Graph>,
    ) -> NamedResult<'a> {
        let rows = value.as_vector().map_or(Rows::One, |vector| meanings.rows(result, vector.len(), graph));
        let vertices_of = graph.filter(|_| meanings.holds_vertices(result));
        NamedResult { name, value, rows, vertices_of, absent: meanings.absent(result) }
    }

    /// The result as a column; `None` for what is neither a vector nor a scalar.
    pub fn column(&self) -> Option<Column<'a>> {
        let (cells, width) = match self.value.as_vector() {
            Some(vector) => (cells(vector)?, vector.stride().max(1)),
            None => (scalar(self.value)?, 1),
        };
        Some(Column { name: self.name.clone(), cells, width, vertices_of: self.vertices_of, absent: self.absent })
    }

    /// The result as a table of its own.
    pub fn table(&self) -> Option<Table<'a>> {
        Some(Table { rows: self.rows, columns: vec![self.column()?] })
    }
}

/// Results of one or several programs, sorted into tables.
#[derive(Debug, Default)]
pub struct ResultTables<'a> {
    /// All results with a value per vertex.
    pub vertices: Option<Table<'a>>,
    /// Results with a value per edge: those of the first graph that has some.
    pub edges: Option<Table<'a>>,
    /// All numbers.
    pub scalars: Option<Table<'a>>,
    /// Names of results that belong to neither, each with what it is.
    pub others: Vec<(String, &'static str)>,
}

impl<'a> ResultTables<'a> {
    /// Sorts results. Programs see a graph in different ways (directed or not), but with the same vertices: values of
    /// vertices share a table, values of edges only where the edges are the same.
    pub fn of(results: &[NamedResult<'a>]) -> ResultTables<'a> {
        let mut tables = ResultTables::default();
        for result in results {
            let column = result.column();
            let (table, kind) = match (result.rows, column.is_some()) {
                (Rows::Vertices(graph), true) if same(tables.vertices.as_ref(), |rows| has_vertices(rows, graph)) => {
                    (Some(&mut tables.vertices), "")
                }
                (Rows::Edges(graph), true) if same(tables.edges.as_ref(), |rows| has_edges(rows, graph)) => {
                    (Some(&mut tables.edges), "")
                }
                (Rows::One, true) => (Some(&mut tables.scalars), ""),
                (Rows::Edges(_), true) => (None, "belongs to the edges of another view of the graph"),
                (_, false) => (None, "holds texts"),
                _ => (None, "belongs to neither vertices nor edges"),
            };
            match (table, column) {
                (Some(table), Some(column)) => {
                    let table = table.get_or_insert_with(|| Table { rows: result.rows, columns: Vec::new() });
                    table.columns.push(column);
                }
                _ => tables.others.push((result.name.clone(), kind)),
            }
        }
        tables
    }

    /// The table that a file of rows holds: that of vertices, else that of edges, else all numbers; and the names of
    /// the results that are not in it, each with what it is.
    pub fn rows(self) -> (Option<Table<'a>>, Vec<(String, &'static str)>) {
        let mut left = self.others;
        let mut taken = None;
        let tables =
            [(self.vertices, "belongs to vertices"), (self.edges, "belongs to edges"), (self.scalars, "is one number")];
        for (table, kind) in tables {
            let Some(table) = table else { continue };
            match taken {
                None => taken = Some(table),
                Some(_) => left.extend(table.columns.into_iter().map(|column| (column.name, kind))),
            }
        }
        (taken, left)
    }
}

fn same(table: Option<&Table<'_>>, fits: impl Fn(Rows<'_>) -> bool) -> bool {
    table.is_none_or(|table| fits(table.rows))
}

fn has_vertices(rows: Rows<'_>, graph: &Graph) -> bool {
    matches!(rows, Rows::Vertices(other) if other.vertices() == graph.vertices())
}

fn has_edges(rows: Rows<'_>, graph: &Graph) -> bool {
    matches!(rows, Rows::Edges(other) if std::ptr::eq(other, graph) || other.out().id() == graph.out().id())
}

/// The entries of a vector; `None` for texts.
fn cells(vector: &Vector) -> Option<Cells<'static>> {
    Some(match Values::of(vector)? {
        Values::Int(values) => Cells::Int(values),
        Values::Uint(values) => Cells::Uint(values),
        Values::Int64(values) => Cells::Int64(values),
        Values::Uint64(values) => Cells::Uint64(values),
        Values::Float(values) => Cells::Float(values),
        Values::Double(values) => Cells::Double(values),
        Values::Bool(values) => Cells::Bool(values),
    })
}

fn scalar(value: &Value) -> Option<Cells<'static>> {
    Some(match value {
        Value::Int(value) => vec![*value].into(),
        Value::Uint(value) => vec![*value].into(),
        Value::Int64(value) => vec![*value].into(),
        Value::Uint64(value) => vec![*value].into(),
        Value::Float(value) => vec![*value].into(),
        Value::Double(value) => vec![*value].into(),
        Value::Bool(value) => vec![*value].into(),
        Value::Str(text) => Cells::Text(text.to_string().into()),
        _ => return None,
    })
}

/// Names for results of several programs: the name of the result, with the name of the program in front where another
/// program has a result of the same name.
///
/// ```
/// let names = graphwright::results::result_names(&[("cc", vec!["label"]), ("louvain", vec!["label", "modularity"])]);
/// assert_eq!(names, [vec!["cc.label"], vec!["louvain.label", "modularity"]]);
/// ```
pub fn result_names(programs: &[(&str, Vec<&str>)]) -> Vec<Vec<String>> {
    let count = |name: &str| programs.iter().filter(|(_, results)| results.contains(&name)).count();
    let shown = |program: &str, name: &str| match count(name) {
        1 => name.to_string(),
        _ => format!("{program}.{name}"),
    };
    programs.iter().map(|(program, results)| results.iter().map(|name| shown(program, name)).collect()).collect()
}
