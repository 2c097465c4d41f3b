//! Columns and original ids as bytes, for files of graphs: a description in JSON, then the arrays, each at a multiple
//! of 8 bytes, so that a mapped file is used in place.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use super::{Column, Columns, Table, Values};
use crate::{Buffer, Graph, Name, Names};

/// Where arrays begin.
const ALIGNMENT: usize = 8;

/// What a file keeps beside the edges of a graph.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) names: Option<Arc<Names>>,
    pub(crate) edges: Option<Arc<Columns>>,
    pub(crate) vertices: Option<Arc<Columns>>,
}

#[derive(Serialize, Deserialize)]
struct Description {
    names: Option<StoredNames>,
    edges: Option<StoredColumns>,
    vertices: Option<StoredColumns>,
}

#[derive(Serialize, Deserialize)]
struct StoredColumns {
    rows: usize,
    row_of: usize,
    columns: Vec<StoredColumn>,
    others: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredColumn {
    name: String,
    kind: StoredKind,
    missing: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredKind {
    Bool,
    Int,
    Double,
    Time,
    Text(StoredNames),
}

/// Lengths of arrays: of the texts in bytes, else of the numbers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredNames {
    Texts { count: usize, bytes: usize },
    Signed { count: usize },
    Unsigned { count: usize },
}

/// The bytes of what a graph has beside its edges; `None` where it has nothing.
pub(crate) fn stored_bytes(graph: &Graph) -> Option<Vec<u8>> {
    let (names, edges, vertices) = (graph.names(), graph.edge_columns(), graph.vertex_columns());
    if names.is_none() && edges.is_none() && vertices.is_none() {
        return None;
    }
    let mut arrays = Vec::new();
    let description = Description {
        names: names.map(|names| put_names(&mut arrays, names)),
        edges: edges.map(|columns| put_columns(&mut arrays, columns)),
        vertices: vertices.map(|columns| put_columns(&mut arrays, columns)),
    };
    let Ok(json) = serde_json::to_vec(&description) else { unreachable!("numbers and texts can be written as JSON") };
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json);
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    bytes.extend(arrays);
    Some(bytes)
}

fn put<T: Pod>(arrays: &mut Vec<u8>, items: &[T]) {
    arrays.extend_from_slice(bytemuck::cast_slice(items));
    arrays.resize(arrays.len().next_multiple_of(ALIGNMENT), 0);
}

fn put_names(arrays: &mut Vec<u8>, names: &Names) -> StoredNames {
    let count = names.len();
    if names.is_text() {
        let (mut text, mut ends) = (Vec::new(), Vec::with_capacity(count));
        for name in names.iter() {
            if let Name::Text(name) = name {
                text.extend_from_slice(name.as_bytes());
            }
            ends.push(text.len() as u64);
        }
        put(arrays, &ends);
        put(arrays, &text);
        return StoredNames::Texts { count, bytes: text.len() };
    }
    let numbers: Vec<u64> = names
        .iter()
        .map(|name| match name {
            Name::Signed(id) => id as u64,
            Name::Unsigned(id) => id,
            Name::Text(_) => 0,
        })
        .collect();
    put(arrays, &numbers);
    if names.is_signed() { StoredNames::Signed { count } } else { StoredNames::Unsigned { count } }
}

fn put_columns(arrays: &mut Vec<u8>, columns: &Columns) -> StoredColumns {
    put(arrays, &columns.row_of);
    let column = |column: &Column| {
        let kind = match &column.values {
            Values::Bool(values) => {
                put(arrays, values);
                StoredKind::Bool
            }
            Values::Int(values) => {
                put(arrays, values);
                StoredKind::Int
            }
            Values::Double(values) => {
                put(arrays, values);
                StoredKind::Double
            }
            Values::Time(values) => {
                put(arrays, values);
                StoredKind::Time
            }
            Values::Text(codes, texts) => {
                put(arrays, codes);
                StoredKind::Text(put_names(arrays, texts))
            }
        };
        put(arrays, &column.missing);
        StoredColumn { name: column.name.clone(), kind, missing: column.missing.len() }
    };
    let described = columns.table.columns.iter().map(column).collect();
    StoredColumns {
        rows: columns.table.rows,
        row_of: columns.row_of.len(),
        columns: described,
        others: columns.table.others.clone(),
    }
}

/// Reads arrays one after another.
struct Arrays<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` begins in the mapped file, if the file is mapped.
    map: Option<(&'a Arc<crate::MappedFile>, usize)>,
}

impl Arrays<'_> {
    fn range<T: Pod>(&mut self, count: usize) -> Option<Range<usize>> {
        let end = self.at.checked_add(count.checked_mul(size_of::<T>())?)?;
        let range = self.at..end;
        self.at = end.checked_next_multiple_of(ALIGNMENT)?;
        (end <= self.bytes.len()).then_some(range)
    }

    fn take<T: Pod>(&mut self, count: usize) -> Option<Buffer<T>> {
        let range = self.range::<T>(count)?;
        match self.map {
            Some((map, start)) => Buffer::mapped(Arc::clone(map), start + range.start, count),
            None => Some(
                self.bytes[range]
                    .chunks_exact(size_of::<T>())
                    .map(bytemuck::pod_read_unaligned)
                    .collect::<Vec<T>>()
                    .into(),
            ),
        }
    }

    fn names(&mut self, stored: &StoredNames) -> Option<Names> {
        Some(match *stored {
            StoredNames::Texts { count, bytes } => {
                let ends: Buffer<u64> = self.take(count)?;
                let text = std::str::from_utf8(&self.bytes[self.range::<u8>(bytes)?]).ok()?.to_string();
                let ends: Vec<usize> = ends.iter().map(|&end| end as usize).collect();
                let is_sound = ends.is_sorted() && ends.iter().all(|&end| text.is_char_boundary(end));
                if !is_sound || ends.last().copied().unwrap_or(0) != bytes {
                    return None;
                }
                Names::from_text(text, ends)
            }
            StoredNames::Signed { count } => Names::from_signed(self.take::<i64>(count)?.to_vec()),
            StoredNames::Unsigned { count } => Names::from_unsigned(self.take::<u64>(count)?.to_vec()),
        })
    }

    fn columns(&mut self, stored: StoredColumns) -> Option<Columns> {
        let rows = stored.rows;
        let row_of: Buffer<u32> = self.take(stored.row_of)?;
        if !row_of.iter().all(|&row| (row as usize) < rows || row == super::NO_ROW) {
            return None;
        }
        let mut columns = Vec::with_capacity(stored.columns.len().min(self.bytes.len()));
        for StoredColumn { name, kind, missing } in stored.columns {
            let values = match kind {
                StoredKind::Bool => Values::Bool(Arc::new(self.take(rows)?)),
                StoredKind::Int => Values::Int(Arc::new(self.take(rows)?)),
                StoredKind::Double => Values::Double(Arc::new(self.take(rows)?)),
                StoredKind::Time => Values::Time(Arc::new(self.take(rows)?)),
                StoredKind::Text(texts) => {
                    let codes = self.take(rows)?;
                    Values::Text(Arc::new(codes), Arc::new(self.names(&texts)?))
                }
            };
            let missing = Arc::new(self.take(missing)?);
            columns.push(Column { name, values, missing });
        }
        let table = Arc::new(Table { rows, columns, others: stored.others });
        Some(Columns { table, row_of: Arc::new(row_of) })
    }
}

impl Stored {
    /// Reads what [`stored_bytes`] wrote for a graph of this size; `map` tells where the bytes begin in a mapped file.
    /// `None` where they are damaged.
    pub(crate) fn read(
        bytes: &[u8],
        map: Option<(&Arc<crate::MappedFile>, usize)>,
        vertices: usize,
        edges: usize,
    ) -> Option<Stored> {
        let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        let end = usize::try_from(length).ok()?.checked_add(8)?;
        let description: Description = serde_json::from_slice(bytes.get(8..end)?).ok()?;
        let at = end.checked_next_multiple_of(ALIGNMENT)?;
        let mut arrays = Arrays { bytes, at, map };
        let names = match &description.names {
            Some(names) => Some(arrays.names(names).filter(|names| names.len() == vertices).map(Arc::new)?),
            None => None,
        };
        let mut columns = |stored: Option<StoredColumns>, count: usize| -> Option<Option<Arc<Columns>>> {
            match stored {
                Some(stored) => {
                    Some(Some(arrays.columns(stored).filter(|columns| columns.row_of.len() == count).map(Arc::new)?))
                }
                None => Some(None),
            }
        };
        let of_edges = columns(description.edges, edges)?;
        let of_vertices = columns(description.vertices, vertices)?;
        Some(Stored { names, edges: of_edges, vertices: of_vertices })
    }
}
