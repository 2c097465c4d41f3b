//! A graph as GraphML or GEXF, with columns of values as attributes of its vertices and edges.
//!
//! A symmetric graph is undirected and has each edge once, unless edges have values, which may differ between the two
//! directions: then it is directed.

use std::path::Path;

use crate::attributes::{Cell, FileColumn, Kind, Rows, Table};
use crate::format::Plan;
use crate::format::plan::{push_weight, vertex_runs};
use crate::{Graph, GraphError, Name, Result, VertexId, WeightKind};

/// What the two formats write differently.
pub(in crate::format) struct Dialect {
    /// What stands in front of everything.
    head: fn(is_directed: bool, weight: WeightKind, nodes: &[FileColumn<'_>], edges: &[FileColumn<'_>]) -> String,
    between: &'static str,
    tail: &'static str,
    /// What stands around the values of a node or edge, where there are some.
    around: [&'static str; 2],
    /// What stands in front of the number of a value, between that and the value, and behind it.
    value: [&'static str; 3],
    /// How numbers of keys begin: of nodes, of edges.
    keys: [&'static str; 2],
    /// The label of a node is written beside its id.
    has_labels: bool,
}

/// GraphML.
pub(in crate::format) const GRAPHML: Dialect = Dialect {
    head: graphml_head,
    between: "",
    tail: "  </graph>\n</graphml>\n",
    around: ["", ""],
    value: ["<data key=\"", "\">", "</data>"],
    keys: ["n", "e"],
    has_labels: false,
};

/// GEXF, version 1.2.
pub(in crate::format) const GEXF: Dialect = Dialect {
    head: gexf_head,
    between: "    </nodes>\n    <edges>\n",
    tail: "    </edges>\n  </graph>\n</gexf>\n",
    around: ["<attvalues>", "</attvalues>"],
    value: ["<attvalue for=\"", "\" value=\"", "\"/>"],
    keys: ["", ""],
    has_labels: true,
};

/// Plans a document. The rows of `nodes` are the vertices of the graph, those of `edges` its edges.
pub(in crate::format) fn plan<'g>(
    graph: &'g Graph,
    dialect: &'static Dialect,
    nodes: Option<&'g Table<'g>>,
    edges: Option<&'g Table<'g>>,
    path: &Path,
) -> Result<Plan<'g>> {
    let columns = |table: Option<&'g Table<'g>>| table.map(Table::value_columns).unwrap_or_default();
    let (node_columns, edge_columns) = (columns(nodes), columns(edges));
    check(graph, &[&node_columns, &edge_columns], path)?;
    let is_directed = !graph.is_symmetric() || !edge_columns.is_empty();
    let head = (dialect.head)(is_directed, graph.weight_kind(), &node_columns, &edge_columns);
    let writer = Writer { graph, dialect, node_columns, edge_columns, is_directed };
    let runs = vertex_runs(graph.out());
    let count = runs.len();
    // The head, the nodes, what is between, the edges, the end.
    Ok(Plan::new(2 * count + 3, move |block, buffer| match block {
        0 => buffer.extend_from_slice(head.as_bytes()),
        block if block <= count => runs[block - 1].clone().for_each(|vertex| writer.push_node(vertex, buffer)),
        block if block == count + 1 => buffer.extend_from_slice(dialect.between.as_bytes()),
        block if block <= 2 * count + 1 => {
            runs[block - count - 2].clone().for_each(|vertex| writer.push_edges(vertex, buffer));
        }
        _ => buffer.extend_from_slice(dialect.tail.as_bytes()),
    }))
}

/// XML has no way to write most control characters.
fn check(graph: &Graph, columns: &[&Vec<FileColumn<'_>>], path: &Path) -> Result<()> {
    let is_bad = |text: &str| text.chars().any(|c| !is_xml(c));
    let refused = |text: &str| {
        let message = format!("{text:?} has a character that XML cannot hold; write `.json`, or a table");
        Err(GraphError::file(path, message))
    };
    for name in graph.names().into_iter().flat_map(|names| names.iter()) {
        if let Name::Text(text) = name
            && is_bad(text)
        {
            return refused(text);
        }
    }
    match columns.iter().flat_map(|columns| columns.iter()).find(|column| is_bad(&column.title)) {
        Some(column) => refused(&column.title),
        None => Ok(()),
    }
}

fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

struct Writer<'g> {
    graph: &'g Graph,
    dialect: &'static Dialect,
    node_columns: Vec<FileColumn<'g>>,
    edge_columns: Vec<FileColumn<'g>>,
    is_directed: bool,
}

impl Writer<'_> {
    fn push_node(&self, vertex: VertexId, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(b"      <node id=\"");
        self.push_id(vertex, buffer);
        if self.dialect.has_labels {
            buffer.extend_from_slice(b"\" label=\"");
            self.push_id(vertex, buffer);
        }
        buffer.push(b'"');
        let values = |buffer: &mut Vec<u8>| {
            for (at, column) in self.node_columns.iter().enumerate() {
                self.push_value(0, at, column.cell(vertex as usize), buffer);
            }
        };
        self.push_inside(b"</node>\n", !self.node_columns.is_empty(), values, buffer);
    }

    fn push_edges(&self, vertex: VertexId, buffer: &mut Vec<u8>) {
        let out = self.graph.out();
        let is_weighted = self.graph.is_weighted();
        for (edge, &target) in out.range(vertex).zip(out.neighbours(vertex)) {
            if !self.is_directed && target > vertex {
                break;
            }
            buffer.extend_from_slice(b"      <edge source=\"");
            self.push_id(vertex, buffer);
            buffer.extend_from_slice(b"\" target=\"");
            self.push_id(target, buffer);
            buffer.push(b'"');
            // In GEXF, the weight is an attribute of the edge itself, and edges have ids.
            let mut is_inside = !self.edge_columns.is_empty();
            if self.dialect.has_labels {
                buffer.extend_from_slice(format!(" id=\"{edge}\"").as_bytes());
                if is_weighted {
                    buffer.extend_from_slice(b" weight=\"");
                    push_weight(buffer, out.weights(), edge);
                    buffer.push(b'"');
                }
            } else {
                is_inside |= is_weighted;
            }
            let values = |buffer: &mut Vec<u8>| {
                if !self.dialect.has_labels && is_weighted {
                    buffer.extend_from_slice(b"<data key=\"weight\">");
                    push_weight(buffer, out.weights(), edge);
                    buffer.extend_from_slice(b"</data>");
                }
                for (at, column) in self.edge_columns.iter().enumerate() {
                    self.push_value(1, at, column.cell(edge), buffer);
                }
            };
            self.push_inside(b"</edge>\n", is_inside, values, buffer);
        }
    }

    /// What is inside an element, and its end.
    fn push_inside(&self, end: &[u8], is_inside: bool, values: impl FnOnce(&mut Vec<u8>), buffer: &mut Vec<u8>) {
        if !is_inside {
            return buffer.extend_from_slice(b"/>\n");
        }
        buffer.push(b'>');
        buffer.extend_from_slice(self.dialect.around[0].as_bytes());
        values(buffer);
        buffer.extend_from_slice(self.dialect.around[1].as_bytes());
        buffer.extend_from_slice(end);
    }

    /// A value of a node (0) or an edge (1); no vertex is no value.
    fn push_value(&self, of: usize, at: usize, cell: Cell<'_>, buffer: &mut Vec<u8>) {
        if cell == Cell::Nothing {
            return;
        }
        let [before, between, behind] = self.dialect.value;
        buffer.extend_from_slice(before.as_bytes());
        buffer.extend_from_slice(format!("{}{at}", self.dialect.keys[of]).as_bytes());
        buffer.extend_from_slice(between.as_bytes());
        push_cell(cell, buffer);
        buffer.extend_from_slice(behind.as_bytes());
    }

    fn push_id(&self, vertex: VertexId, buffer: &mut Vec<u8>) {
        match self.graph.names().map(|names| names.get(vertex)) {
            Some(Name::Text(text)) => push_escaped(text, buffer),
            Some(name) => buffer.extend_from_slice(name.to_string().as_bytes()),
            None => crate::format::plan::push_id(buffer, vertex),
        }
    }
}

/// A value as XML has it; infinities have the names of Java, which both formats refer to.
fn push_cell(cell: Cell<'_>, buffer: &mut Vec<u8>) {
    let real = match cell {
        Cell::Float(value) => Some(f64::from(value)),
        Cell::Double(value) => Some(value),
        _ => None,
    };
    match (cell, real) {
        (_, Some(value)) if value.is_infinite() => {
            buffer.extend_from_slice(if value > 0.0 { b"Infinity" } else { b"-Infinity" });
        }
        (Cell::Bool(value), _) => buffer.extend_from_slice(if value { b"true" } else { b"false" }),
        (Cell::Text(text), _) => push_escaped(text, buffer),
        (cell, _) => cell.push_plain(buffer),
    }
}

fn push_escaped(text: &str, buffer: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        let entity: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            // As such they would become blanks.
            b'\t' => b"&#9;",
            b'\n' => b"&#10;",
            b'\r' => b"&#13;",
            byte => {
                buffer.push(byte);
                continue;
            }
        };
        buffer.extend_from_slice(entity);
    }
}

fn escaped(text: &str) -> String {
    let mut buffer = Vec::new();
    push_escaped(text, &mut buffer);
    String::from_utf8_lossy(&buffer).into_owned()
}

/// The name of a type, which is `integer` in GEXF where it is `int` in GraphML.
fn type_name(kind: Kind, int: &'static str) -> &'static str {
    match kind {
        Kind::Int => int,
        Kind::Uint | Kind::Int64 | Kind::Uint64 => "long",
        Kind::Float => "float",
        Kind::Double => "double",
        Kind::Bool => "boolean",
        Kind::Text => "string",
    }
}

fn graphml_head(is_directed: bool, weight: WeightKind, nodes: &[FileColumn<'_>], edges: &[FileColumn<'_>]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        .to_string();
    let mut key = |id: &str, of: &str, title: &str, kind: &str| {
        let title = escaped(title);
        text += &format!("  <key id=\"{id}\" for=\"{of}\" attr.name=\"{title}\" attr.type=\"{kind}\"/>\n");
    };
    for (at, column) in nodes.iter().enumerate() {
        key(&format!("n{at}"), "node", &column.title, type_name(column.kind, "int"));
    }
    match weight {
        WeightKind::None => {}
        WeightKind::Int => key("weight", "edge", "weight", "int"),
        WeightKind::Float => key("weight", "edge", "weight", "float"),
        WeightKind::Int64 => key("weight", "edge", "weight", "long"),
        WeightKind::Double => key("weight", "edge", "weight", "double"),
    }
    for (at, column) in edges.iter().enumerate() {
        key(&format!("e{at}"), "edge", &column.title, type_name(column.kind, "int"));
    }
    text + &format!("  <graph edgedefault=\"{}\">\n", if is_directed { "directed" } else { "undirected" })
}

fn gexf_head(is_directed: bool, _: WeightKind, nodes: &[FileColumn<'_>], edges: &[FileColumn<'_>]) -> String {
    let kind = if is_directed { "directed" } else { "undirected" };
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n  \
         <graph mode=\"static\" defaultedgetype=\"{kind}\">\n"
    );
    for (class, columns) in [("node", nodes), ("edge", edges)] {
        if columns.is_empty() {
            continue;
        }
        text += &format!("    <attributes class=\"{class}\" mode=\"static\">\n");
        for (at, column) in columns.iter().enumerate() {
            let (title, kind) = (escaped(&column.title), type_name(column.kind, "integer"));
            text += &format!("      <attribute id=\"{at}\" title=\"{title}\" type=\"{kind}\"/>\n");
        }
        text += "    </attributes>\n";
    }
    text + "    <nodes>\n"
}

/// Refuses tables whose rows are not the vertices or the edges of the graph.
pub(in crate::format) fn check_tables(
    graph: &Graph,
    nodes: Option<&Table<'_>>,
    edges: Option<&Table<'_>>,
) -> Result<()> {
    let fits = |table: &Table<'_>, of_edges: bool| match table.rows {
        Rows::Vertices(other) => !of_edges && other.vertices() == graph.vertices(),
        Rows::Edges(other) => of_edges && other.out().edges() == graph.out().edges(),
        Rows::Places(_) | Rows::One => false,
    };
    match nodes.is_none_or(|table| fits(table, false)) && edges.is_none_or(|table| fits(table, true)) {
        true => Ok(()),
        false => Err(GraphError::Usage("the values are not those of the graph's vertices and edges".to_string())),
    }
}
