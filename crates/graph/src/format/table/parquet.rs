//! Parquet tables of edges: row groups are read on all threads.
//!
//! Ids are strings or whole numbers, weights any kind of number. Nested columns and values of other kinds are refused.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use rayon::prelude::*;

use super::columns::{Places, TableColumns};
use super::ids::{BlockIds, IdBlock, NumberIds, Numbered, Refusal, TextIds};
use super::positioned::PositionedFile;
use crate::format::Compression;
use crate::format::edge_lines::Assembled;
use crate::format::input::Input;
use crate::format::load::EdgeFile;
use crate::progress::Progress;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, GraphError, Result, RoundedWeight, Weight, memory};

/// Records that are read at a time.
const BATCH: usize = 1 << 16;

/// Reads a Parquet file.
pub(in crate::format) fn read_parquet(
    input: Input,
    path: &Path,
    columns: &TableColumns,
    progress: &dyn Progress,
) -> Result<EdgeFile> {
    let size = input.size();
    drop(input);
    if Compression::of_path(path) != Compression::Plain {
        return Err(GraphError::file(path, "Parquet files are compressed inside; unpack this one first"));
    }
    // The reader of Parquet files has assertions that a damaged file can reach.
    let read = catch_unwind(AssertUnwindSafe(|| open(path, columns)?.edges()));
    let damaged = |_| Err(GraphError::file(path, "the Parquet file is damaged"));
    let edges = read.unwrap_or_else(damaged)?;
    progress.advance(size);
    Ok(edges)
}

/// A file whose columns are known.
struct Table<'a> {
    path: &'a Path,
    reader: SerializedFileReader<PositionedFile>,
    header: Vec<String>,
    places: Places,
}

fn open<'a>(path: &'a Path, columns: &TableColumns) -> Result<Table<'a>> {
    if columns.no_header {
        return Err(GraphError::Usage("`noheader`: the columns of a Parquet file have names".to_string()));
    }
    let file = File::open(path).and_then(PositionedFile::new).map_err(|error| GraphError::io("read", path, error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| unreadable(path, &error))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let header: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let places = columns.places(&header).map_err(|message| GraphError::file(path, message))?;
    Ok(Table { path, reader, header, places })
}

fn unreadable(path: &Path, error: &ParquetError) -> GraphError {
    GraphError::file(path, format!("the Parquet file cannot be read: {error}"))
}

/// The values of a column in a row group.
enum Values {
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Reals(Vec<f64>),
    Texts(Vec<ByteArray>),
}

impl Table<'_> {
    fn edges(&self) -> Result<EdgeFile> {
        let numbers = match self.has_number_ids() {
            true => self.edges_as::<NumberIds>()?,
            false => None,
        };
        match numbers {
            Some(file) => Ok(file),
            None => self.edges_as::<TextIds>()?.ok_or_else(|| self.fail("ids cannot be read")),
        }
    }

    fn has_number_ids(&self) -> bool {
        [self.places.source, self.places.target].into_iter().all(|at| {
            let schema = self.reader.metadata().file_metadata().schema_descr();
            matches!(schema.column(at).physical_type(), Physical::INT32 | Physical::INT64)
        })
    }

    fn edges_as<I: BlockIds>(&self) -> Result<Option<EdgeFile>> {
        let groups = self.reader.metadata().num_row_groups();
        let mut first_rows = Vec::with_capacity(groups);
        let mut rows = 0;
        for group in self.reader.metadata().row_groups() {
            first_rows.push(rows);
            rows += group.num_rows().max(0) as u64;
        }
        let read = |group: usize| self.group::<I>(group, first_rows[group]);
        let read: Vec<_> = (0..groups).into_par_iter().map(read).collect::<Result<_>>()?;
        let (ids, weights): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        if ids.iter().all(|block| block.edges.is_empty()) {
            return Err(self.fail("there is no edge in the table"));
        }
        let numbered = I::number(ids).map_err(|error| self.fail(error.to_string()))?;
        let Some(Numbered { vertices, edges, names, numbering }) = numbered else { return Ok(None) };
        let assembled = self.assembled(vertices, edges, weights, &first_rows)?;
        Ok(Some(EdgeFile { names, numbering, ..EdgeFile::directed(assembled) }))
    }

    /// The edges of a row group and the weights, where there are some.
    fn group<I: BlockIds>(&self, group: usize, first_row: u64) -> Result<(IdBlock<I>, Option<Values>)> {
        let reader = self.reader.get_row_group(group).map_err(|error| unreadable(self.path, &error))?;
        let Places { source, target, weight } = self.places;
        let sources = self.column(&*reader, source, first_row)?;
        let targets = self.column(&*reader, target, first_row)?;
        let weights = weight.map(|at| self.column(&*reader, at, first_row)).transpose()?;
        let mut ids = I::default();
        let fail = |at: usize, message: &str| self.fail(format!("row {}: {message}", first_row + at as u64 + 1));
        let mut read = |values: &Values, at: usize, column: usize| {
            let id = match values {
                Values::Signed(values) => ids.id(values[at].to_string().as_bytes()),
                Values::Unsigned(values) => ids.id(values[at].to_string().as_bytes()),
                Values::Texts(texts) if texts[at].is_empty() => {
                    return Err(fail(at, &self.empty(column)));
                }
                Values::Texts(texts) => ids.id(texts[at].data()),
                Values::Reals(_) => {
                    return Err(
                        self.fail(format!("the column `{}` holds fractions, which are no ids", self.header[column]))
                    );
                }
            };
            id.map_err(|refusal| match refusal {
                Refusal::NotANumber => fail(at, "an id is no number"),
                Refusal::Bad(message) => fail(at, message),
            })
        };
        let count = sources.len().min(targets.len());
        let mut edges = Vec::with_capacity(count);
        for at in 0..count {
            edges.push((read(&sources, at, source)?, read(&targets, at, target)?));
        }
        if sources.len() != targets.len() || weights.as_ref().is_some_and(|weights| weights.len() != count) {
            return Err(self.fail("the Parquet file is damaged: its columns have different lengths"));
        }
        Ok((IdBlock { ids, edges }, weights))
    }

    fn column(&self, group: &dyn RowGroupReader, at: usize, first_row: u64) -> Result<Values> {
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let column = schema.column(at);
        if column.max_rep_level() > 0 || column.max_def_level() > 1 {
            return Err(self.fail(format!("the column `{}` is nested; an edge needs plain values", self.header[at])));
        }
        if let Some(kind) = no_number(&column) {
            let column = &self.header[at];
            return Err(self.fail(format!("the column `{column}` holds {kind}; write it as strings or plain numbers")));
        }
        let unsigned = is_unsigned(&column);
        let reader = group.get_column_reader(at).map_err(|error| unreadable(self.path, &error))?;
        Ok(match reader {
            ColumnReader::Int32ColumnReader(reader) => {
                let values = self.values(reader, at, first_row)?;
                let wide = |value: i32| if unsigned { i64::from(value as u32) } else { i64::from(value) };
                Values::Signed(values.into_iter().map(wide).collect())
            }
            ColumnReader::Int64ColumnReader(reader) => {
                let values = self.values(reader, at, first_row)?;
                match unsigned {
                    true => Values::Unsigned(values.into_iter().map(|value| value as u64).collect()),
                    false => Values::Signed(values),
                }
            }
            ColumnReader::FloatColumnReader(reader) => {
                Values::Reals(self.values(reader, at, first_row)?.into_iter().map(f64::from).collect())
            }
            ColumnReader::DoubleColumnReader(reader) => Values::Reals(self.values(reader, at, first_row)?),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Texts(self.values(reader, at, first_row)?),
            _ => {
                let kind = column.physical_type();
                let message = format!(
                    "the column `{}` is of the type {kind}; ids are strings or whole numbers, weights are numbers",
                    self.header[at]
                );
                return Err(self.fail(message));
            }
        })
    }

    /// All values of a column; one that is missing is an error.
    fn values<T: DataType>(&self, mut reader: ColumnReaderImpl<T>, at: usize, first_row: u64) -> Result<Vec<T::T>> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            memory::allow_more(64 * BATCH as u64, format_args!("a part of {}", self.path.display()))?;
            let before = levels.len();
            let read = reader.read_records(BATCH, Some(&mut levels), None, &mut values);
            let (records, ..) = read.map_err(|error| unreadable(self.path, &error))?;
            if let Some(missing) = levels[before..].iter().position(|&level| level == 0)
                && values.len() < levels.len()
            {
                let row = first_row + (before + missing) as u64 + 1;
                return Err(self.fail(format!("row {row}: {}", self.empty(at))));
            }
            if records == 0 {
                return Ok(values);
            }
        }
    }

    fn empty(&self, column: usize) -> String {
        format!("the column `{}` is empty; fill it in, or remove the row", self.header[column])
    }

    fn fail(&self, message: impl Into<String>) -> GraphError {
        GraphError::file(self.path, message)
    }

    fn assembled(
        &self,
        vertices: usize,
        edges: Vec<Vec<(u32, u32)>>,
        weights: Vec<Option<Values>>,
        first_rows: &[u64],
    ) -> Result<Assembled> {
        if self.places.weight.is_none() {
            let chunks = edges.into_iter().map(|edges| EdgeChunk { weights: vec![(); edges.len()], edges });
            return Ok(AnyEdgeList::None(EdgeList { vertices, chunks: chunks.collect() }).into());
        }
        let is_real = weights.iter().flatten().any(|values| matches!(values, Values::Reals(_)));
        match is_real {
            false => {
                let whole = |value: i128| i32::try_from(value).ok();
                let list = self.weighted(vertices, edges, weights, first_rows, |values, at| match values {
                    Values::Signed(values) => whole(values[at].into()),
                    Values::Unsigned(values) => whole(values[at].into()),
                    Values::Reals(_) | Values::Texts(_) => None,
                })?;
                Ok(AnyEdgeList::Int(list).into())
            }
            true => {
                let exact = |values: &Values, at: usize| match values {
                    Values::Reals(values) => values[at],
                    Values::Signed(values) => values[at] as f64,
                    Values::Unsigned(values) => values[at] as f64,
                    Values::Texts(_) => f64::NAN,
                };
                let rounded = weights.iter().flatten().find_map(|values| {
                    let is_rounded = |value: f64| {
                        let kept = value as f32;
                        (kept.abs() >= 16_777_216.0 || kept == 0.0) && f64::from(kept) != value
                    };
                    let value = (0..values.len()).map(|at| exact(values, at)).find(|&value| is_rounded(value))?;
                    Some(RoundedWeight { line: None, written: value.to_string(), kept: value as f32 })
                });
                let list = self.weighted(vertices, edges, weights, first_rows, |values, at| {
                    Some(exact(values, at) as f32).filter(|value| value.is_finite())
                })?;
                Ok(Assembled { edges: AnyEdgeList::Float(list), rounded })
            }
        }
    }

    fn weighted<W: Weight>(
        &self,
        vertices: usize,
        edges: Vec<Vec<(u32, u32)>>,
        weights: Vec<Option<Values>>,
        first_rows: &[u64],
        weight: impl Fn(&Values, usize) -> Option<W>,
    ) -> Result<EdgeList<W>> {
        let mut chunks = Vec::with_capacity(edges.len());
        for ((edges, values), first_row) in edges.into_iter().zip(weights.into_iter().flatten()).zip(first_rows) {
            let weights = (0..edges.len()).map(|at| {
                weight(&values, at).ok_or_else(|| {
                    let (row, column) = (first_row + at as u64 + 1, self.places.weight.unwrap_or(0));
                    let name = &self.header[column];
                    self.fail(format!(
                        "row {row}: the column `{name}` holds no finite number of 32 bits, as weights are"
                    ))
                })
            });
            let weights = weights.collect::<Result<_>>()?;
            chunks.push(EdgeChunk { edges, weights });
        }
        Ok(EdgeList { vertices, chunks })
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Signed(values) => values.len(),
            Values::Unsigned(values) => values.len(),
            Values::Reals(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }
}

/// What a column of integers holds that is no number.
fn no_number(column: &ColumnDescriptor) -> Option<&'static str> {
    match column.logical_type_ref() {
        Some(LogicalType::Decimal(..)) => return Some("decimals"),
        Some(LogicalType::Date) => return Some("dates"),
        Some(LogicalType::Time(..)) => return Some("times of day"),
        Some(LogicalType::Timestamp(..)) => return Some("points in time"),
        _ => {}
    }
    match column.converted_type() {
        ConvertedType::DECIMAL => Some("decimals"),
        ConvertedType::DATE => Some("dates"),
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => Some("times of day"),
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => Some("points in time"),
        _ => None,
    }
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    let logical = matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed);
    logical || matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64)
}
