//! Values of vertices and edges in columns with names, and the files that hold them.
//!
//! | file | does |
//! |---|---|
//! | `form` | the forms of files and the endings that mean them |
//! | `cell` | a value of a column as a text |
//! | `text` | lines, CSV, TSV, JSON and JSON lines, made block by block on all threads |
//! | `npy` | one column as an array of NumPy |
//! | `arrow` | an Arrow IPC file, also called Feather |
//! | `parquet` | a Parquet file; behind the feature `parquet` |
//!
//! GraphML and GEXF hold a graph with the columns as attributes: [`write_graph`](crate::format::write_graph).

mod arrow;
mod cell;
mod form;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

use std::borrow::Cow;
use std::path::Path;

pub(crate) use cell::{Cell, push_json_text};
pub use form::Form;

use crate::format::write_file;
use crate::progress::Silent;
use crate::{Graph, GraphError, Name, Names, Result, VertexId};

/// A table: what its rows are, and columns with names.
///
/// ```
/// use gw_graph::attributes::{Cells, Column, Form, Rows, Table};
/// let path = std::env::temp_dir().join(format!("gw-attributes-{}.csv", std::process::id()));
/// let rank = Column::new("rank", Cells::from(vec![0.75f32, 0.25]));
/// let table = Table { rows: Rows::Places(2), columns: vec![rank] };
/// table.write(&path, Form::of_path(&path)?)?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "index,rank\n0,0.75\n1,0.25\n");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gw_graph::GraphError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table<'a> {
    /// What a row is about.
    pub rows: Rows<'a>,
    /// The columns, each with an entry per row.
    pub columns: Vec<Column<'a>>,
}

/// What a row of a table is about.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a> {
    /// A vertex: the table begins with a column of their ids.
    Vertices(&'a Graph),
    /// An edge: the table begins with the ids of both ends.
    Edges(&'a Graph),
    /// One of this many places: the table begins with their numbers.
    Places(usize),
    /// Everything: the table has one row.
    One,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// Its name.
    pub name: String,
    /// Its values, row by row.
    pub cells: Cells<'a>,
    /// Values per row: a column of lists is written as columns `name_0`, `name_1` and so on.
    pub width: usize,
    /// The graph whose vertices the values are; a number that is no vertex of it is no value.
    pub vertices_of: Option<&'a Graph>,
    /// The number that stands for no value.
    pub absent: Option<Absent>,
}

/// A number that stands for no value, such as the distance of a vertex out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// -1.
    MinusOne,
    /// The greatest whole number of the type, or infinity.
    Greatest,
}

impl Absent {
    /// Whether a whole number of 32 bits is the one.
    pub fn is_int(self, value: i32) -> bool {
        value == if self == Absent::MinusOne { -1 } else { i32::MAX }
    }

    /// Whether a whole number of 64 bits is the one.
    pub fn is_int64(self, value: i64) -> bool {
        value == if self == Absent::MinusOne { -1 } else { i64::MAX }
    }

    /// Whether a real number is the one.
    pub fn is_real(self, value: f64) -> bool {
        value == if self == Absent::MinusOne { -1.0 } else { f64::INFINITY }
    }
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells<'a> {
    /// Whole numbers of 32 bits, and vertices.
    Int(Cow<'a, [i32]>),
    /// Whole numbers of 32 bits from 0 on.
    Uint(Cow<'a, [u32]>),
    /// Whole numbers of 64 bits.
    Int64(Cow<'a, [i64]>),
    /// Whole numbers of 64 bits from 0 on.
    Uint64(Cow<'a, [u64]>),
    /// Real numbers of 32 bits.
    Float(Cow<'a, [f32]>),
    /// Real numbers of 64 bits.
    Double(Cow<'a, [f64]>),
    /// Truth values.
    Bool(Cow<'a, [bool]>),
    /// A text; for scalars only.
    Text(Cow<'a, str>),
}

macro_rules! cells_from {
    ($($t:ty => $variant:ident),*) => {$(
        impl From<Vec<$t>> for Cells<'_> {
            fn from(values: Vec<$t>) -> Self {
                Cells::$variant(Cow::Owned(values))
            }
        }
    )*};
}

cells_from! { i32 => Int, u32 => Uint, i64 => Int64, u64 => Uint64, f32 => Float, f64 => Double, bool => Bool }

impl Cells<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Cells::Int(values) => values.len(),
            Cells::Uint(values) => values.len(),
            Cells::Int64(values) => values.len(),
            Cells::Uint64(values) => values.len(),
            Cells::Float(values) => values.len(),
            Cells::Double(values) => values.len(),
            Cells::Bool(values) => values.len(),
            Cells::Text(_) => 1,
        }
    }

    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Column<'a> {
    /// A column with a value per row.
    pub fn new(name: impl Into<String>, cells: Cells<'a>) -> Column<'a> {
        Column { name: name.into(), cells, width: 1, vertices_of: None, absent: None }
    }
}

impl Rows<'_> {
    /// Number of rows.
    pub fn len(self) -> usize {
        match self {
            Rows::Vertices(graph) => graph.vertices(),
            Rows::Edges(graph) => graph.out().edges(),
            Rows::Places(places) => places,
            Rows::One => 1,
        }
    }

    /// True without rows.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The titles of the columns that say what a row is about.
    pub fn titles(self) -> &'static [&'static str] {
        match self {
            Rows::Vertices(_) => &["vertex"],
            Rows::Edges(_) => &["source", "target"],
            Rows::Places(_) => &["index"],
            Rows::One => &[],
        }
    }
}

/// A column of a file: one of those that say what a row is about, or a place in the lists of a column.
pub(crate) struct FileColumn<'t> {
    pub(crate) title: String,
    pub(crate) kind: Kind,
    source: Source<'t>,
}

/// What the values of a column of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Uint,
    Int64,
    Uint64,
    Float,
    Double,
    Bool,
    Text,
}

enum Source<'t> {
    Vertex(&'t Graph),
    /// The source of the edge of each row.
    Sources(&'t Graph, Vec<VertexId>),
    Target(&'t Graph),
    Place,
    /// A place in the lists of a column, the graph whose vertices the values are, and the number that is no value.
    Column(&'t Column<'t>, usize, Option<&'t Graph>, Option<Absent>),
}

impl<'a> Table<'a> {
    /// Writes the table. The file appears under its name when it is complete.
    pub fn write(&self, path: &Path, form: Form) -> Result<()> {
        if form.is_graph() {
            return Err(GraphError::file(path, "a graph is needed, of which these are values"));
        }
        self.check(path)?;
        match form {
            Form::Npy => write_file(path, &npy::bytes(self, path)?).map(drop),
            Form::Arrow => arrow::write(self, path),
            #[cfg(feature = "parquet")]
            Form::Parquet => parquet::write(self, path),
            #[cfg(not(feature = "parquet"))]
            Form::Parquet => Err(GraphError::file(
                path,
                "this program was built without Parquet (the cargo feature `parquet` of gw-graph); write `.arrow`",
            )),
            form => text::plan(self, form, path)?.write(path, form.compression(path), &Silent).map(drop),
        }
    }

    /// The table in a form that is a text, as bytes. `path` stands in messages.
    pub fn text(&self, path: &Path, form: Form) -> Result<Vec<u8>> {
        self.check(path)?;
        Ok(text::plan(self, form, path)?.bytes())
    }

    /// Every column has a name of its own and an entry per row.
    fn check(&self, path: &Path) -> Result<()> {
        let mut titles = std::collections::HashSet::new();
        for column in &self.columns {
            if column.cells.len() != self.rows.len() * column.width {
                let (name, values, rows) = (&column.name, column.cells.len(), self.rows.len());
                return Err(GraphError::file(path, format!("the column `{name}` has {values} values for {rows} rows")));
            }
        }
        match self.file_columns().into_iter().map(|column| column.title).find(|title| !titles.insert(title.clone())) {
            Some(title) => Err(GraphError::file(path, format!("two columns are called `{title}`"))),
            None => Ok(()),
        }
    }

    /// The columns as a file has them.
    pub(crate) fn file_columns(&self) -> Vec<FileColumn<'_>> {
        let mut columns = Vec::new();
        let mut key = |title: &str, kind, source| columns.push(FileColumn { title: title.to_string(), kind, source });
        match self.rows {
            Rows::Vertices(graph) => key("vertex", id_kind(graph), Source::Vertex(graph)),
            Rows::Edges(graph) => {
                key("source", id_kind(graph), Source::Sources(graph, sources(graph)));
                key("target", id_kind(graph), Source::Target(graph));
            }
            Rows::Places(_) => key("index", Kind::Int64, Source::Place),
            Rows::One => {}
        }
        columns.extend(self.value_columns());
        columns
    }

    /// The columns without those that say what a row is about.
    pub(crate) fn value_columns(&self) -> Vec<FileColumn<'_>> {
        let mut columns = Vec::new();
        for column in &self.columns {
            let Column { name, width, .. } = column;
            columns.extend((0..*width).map(|at| {
                let title = if *width == 1 { name.clone() } else { format!("{name}_{at}") };
                let source = Source::Column(column, at, column.vertices_of, column.absent);
                FileColumn { title, kind: kind(column), source }
            }));
        }
        columns
    }
}

impl<'t> FileColumn<'t> {
    /// The same column, in which vertices are numbers and every number is a value.
    pub(crate) fn with_numbers(self) -> FileColumn<'t> {
        match self.source {
            Source::Column(column, at, Some(_), _) => {
                FileColumn { kind: Kind::Int, source: Source::Column(column, at, None, None), ..self }
            }
            Source::Column(column, at, None, _) => {
                FileColumn { source: Source::Column(column, at, None, None), ..self }
            }
            source => FileColumn { source, ..self },
        }
    }

    /// The value in a row.
    pub(crate) fn cell(&self, row: usize) -> Cell<'t> {
        match &self.source {
            Source::Vertex(graph) => id(graph, row as VertexId),
            Source::Sources(graph, sources) => id(graph, sources[row]),
            Source::Target(graph) => id(graph, graph.out().targets()[row]),
            Source::Place => Cell::Int(row as i64),
            Source::Column(column, at, vertices_of, absent) => {
                let place = row * column.width + at;
                match (&column.cells, *vertices_of) {
                    (Cells::Int(values), Some(graph)) => match usize::try_from(values[place]) {
                        Ok(vertex) if vertex < graph.vertices() => id(graph, vertex as VertexId),
                        _ => Cell::Nothing,
                    },
                    (Cells::Int(values), None) if absent.is_some_and(|absent| absent.is_int(values[place])) => {
                        Cell::Nothing
                    }
                    (Cells::Int(values), None) => Cell::Int(values[place].into()),
                    (Cells::Uint(values), _) => Cell::Int(values[place].into()),
                    (Cells::Int64(values), _) if absent.is_some_and(|absent| absent.is_int64(values[place])) => {
                        Cell::Nothing
                    }
                    (Cells::Int64(values), _) => Cell::Int(values[place]),
                    (Cells::Uint64(values), _) => Cell::Uint(values[place]),
                    (Cells::Float(values), _) => Cell::Float(values[place]),
                    (Cells::Double(values), _) if absent.is_some_and(|absent| absent.is_real(values[place])) => {
                        Cell::Nothing
                    }
                    (Cells::Double(values), _) => Cell::Double(values[place]),
                    (Cells::Bool(values), _) => Cell::Bool(values[place]),
                    (Cells::Text(text), _) => Cell::Text(text),
                }
            }
        }
    }
}

/// The source of every edge, in the order of the edges.
fn sources(graph: &Graph) -> Vec<VertexId> {
    let out = graph.out();
    (0..graph.vertices() as VertexId).flat_map(|v| std::iter::repeat_n(v, out.range(v).len())).collect()
}

/// A vertex by the id of its file, else by its number.
fn id(graph: &Graph, vertex: VertexId) -> Cell<'_> {
    match graph.names().map(|names| names.get(vertex)) {
        None => Cell::Int(vertex.into()),
        Some(Name::Text(text)) => Cell::Text(text),
        Some(Name::Signed(id)) => Cell::Int(id),
        Some(Name::Unsigned(id)) => i64::try_from(id).map_or(Cell::Uint(id), Cell::Int),
    }
}

fn id_kind(graph: &Graph) -> Kind {
    let is_beyond = |names: &&std::sync::Arc<Names>| {
        names.iter().any(|name| matches!(name, Name::Unsigned(id) if i64::try_from(id).is_err()))
    };
    match graph.names() {
        Some(names) if names.is_text() => Kind::Text,
        Some(names) if is_beyond(&names) => Kind::Uint64,
        _ => Kind::Int64,
    }
}

fn kind(column: &Column<'_>) -> Kind {
    match (&column.cells, column.vertices_of) {
        (Cells::Int(_), Some(graph)) => id_kind(graph),
        (Cells::Int(_), None) => Kind::Int,
        (Cells::Uint(_), _) => Kind::Uint,
        (Cells::Int64(_), _) => Kind::Int64,
        (Cells::Uint64(_), _) => Kind::Uint64,
        (Cells::Float(_), _) => Kind::Float,
        (Cells::Double(_), _) => Kind::Double,
        (Cells::Bool(_), _) => Kind::Bool,
        (Cells::Text(_), _) => Kind::Text,
    }
}
