//! Tables of vertices: a column of ids, and columns that tell something about each vertex.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cells::Text;
use super::columns::named;
use super::csv::{Opened, Separator, at_line};
use super::keep;
use crate::columns::{Cells, Columns, Kept, Kind, NO_ROW};
use crate::format::input::Input;
use crate::format::{Compression, Format};
use crate::{Dictionary, Graph, GraphError, Names, Result};

/// A file with a table of vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexTable {
    /// The file: CSV, TSV or Parquet.
    pub path: PathBuf,
    /// The column of ids; without a name `id`, `vertex`, `node`, `name` or `key`, else the first one.
    pub id: Option<String>,
}

const IDS: &[&str] = &["id", "vertex", "node", "name", "key"];

/// What a file of vertices holds.
struct Rows {
    header: Vec<String>,
    wanted: Vec<(usize, String)>,
    ids: Names,
    cells: Vec<Vec<Cells>>,
}

impl VertexTable {
    /// The place of the column of ids.
    fn id_column(&self, header: &[String]) -> Result<usize, String> {
        Ok(named(header, "ids", self.id.as_deref(), IDS)?.unwrap_or(0))
    }

    /// The columns of the vertices of a graph, and a sentence about rows of vertices that the graph does not have.
    pub fn read(&self, graph: &Graph, kept: &Kept) -> Result<(Columns, Option<String>)> {
        let input = Input::open(&self.path, Compression::of_path(&self.path))?;
        let Rows { header, wanted, ids, cells } = match Format::of_path(&self.path) {
            Some(Format::Csv) => self.text(input, Separator::Any, kept)?,
            Some(Format::Tsv) => self.text(input, Separator::Tab, kept)?,
            Some(Format::Parquet) => self.parquet(input, kept)?,
            _ => return Err(GraphError::file(&self.path, "a table of vertices is a CSV, TSV or Parquet file")),
        };
        let (row_of, strangers) = rows_of(&self.path, graph, &ids)?;
        let table = keep::table(&header, wanted, cells, ids.len());
        let note = strangers.map(|(count, first)| {
            let rows = if count == 1 { "1 row is".to_string() } else { format!("{count} rows are") };
            format!("{}: {rows} of vertices that no edge has, such as `{first}`: left out", self.path.display())
        });
        Ok((Columns { table, row_of: Arc::new(row_of.into()) }, note))
    }

    fn text(&self, input: Input, separator: Separator, kept: &Kept) -> Result<Rows> {
        let bytes = input.bytes()?;
        let path = &self.path;
        let opened = Opened::new(&bytes, path, separator, false, &|first| {
            let has_number = first.iter().any(|field| field.parse::<f64>().is_ok());
            !has_number || self.id.as_ref().is_some_and(|id| first.contains(id))
        })?;
        let fail = |message| GraphError::file(path, message);
        let id = self.id_column(&opened.header).map_err(fail)?;
        let wanted = keep::wanted(kept, &opened.header, &[id]).map_err(fail)?;
        let text = Text { bytes: &bytes, path, separator: opened.separator, data: opened.data, filled: &[] };
        let mut reading = keep::unread(&wanted);
        reading.push((id, Kind::Name));
        let mut cells = text.cells(&reading).map_err(|fault| at_line(path, &bytes, fault))?;
        let ids = Cells::names(cells.pop().unwrap_or_default());
        Ok(Rows { header: opened.header, wanted, ids, cells })
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self, input: Input, kept: &Kept) -> Result<Rows> {
        let read = super::parquet::read_columns(input, &self.path, |header| {
            let id = self.id_column(header)?;
            let wanted = keep::wanted(kept, header, &[id])?;
            let mut reading = keep::unread(&wanted);
            reading.push((id, Kind::Name));
            Ok((reading, wanted))
        })?;
        let (header, wanted, mut cells) = read;
        let ids = Cells::names(cells.pop().unwrap_or_default());
        Ok(Rows { header, wanted, ids, cells })
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(&self, input: Input, _: &Kept) -> Result<Rows> {
        let silent = &crate::progress::Silent;
        super::read_parquet(input, &self.path, &super::TableColumns::default(), &Kept::None, silent)
            .map(|_| unreachable!("this program reads no Parquet"))
    }
}

/// How many rows are of no vertex, and the id of the first one.
type Strangers = Option<(usize, String)>;

/// The row of every vertex; and how many rows are of no vertex, with the id of the first.
fn rows_of(path: &Path, graph: &Graph, ids: &Names) -> Result<(Vec<u32>, Strangers)> {
    let mut row_of = vec![NO_ROW; graph.vertices()];
    let dictionary = graph.names().map(|names| Dictionary::new(Arc::clone(names)));
    let mut strangers: Option<(usize, String)> = None;
    for (row, id) in ids.iter().enumerate() {
        let id = id.to_string();
        if id.is_empty() {
            let message = format!("row {}: the column of ids is empty", row + 1);
            return Err(GraphError::file(path, message));
        }
        let vertex = match &dictionary {
            Some(dictionary) => dictionary.vertex(&id).map(|vertex| vertex as usize),
            None => id.parse().ok().filter(|&vertex: &usize| vertex < row_of.len()),
        };
        match vertex {
            Some(vertex) if row_of[vertex] != NO_ROW => {
                let (first, second) = (row_of[vertex] + 1, row + 1);
                let message = format!("the vertex `{id}` has two rows, {first} and {second}; leave one");
                return Err(GraphError::file(path, message));
            }
            Some(vertex) => row_of[vertex] = row as u32,
            None => strangers.get_or_insert((0, id)).0 += 1,
        }
    }
    Ok((row_of, strangers))
}
