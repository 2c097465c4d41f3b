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

use super::columns::{GuessedColumns, Missing, Places, TableColumns};
use super::ids::{BlockIds, IdBlock, NumberIds, Numbered, Refusal, TextIds};
use super::keep;
use super::positioned::PositionedFile;
use super::row_groups::{self, KeptRows, time_scale};
use crate::columns::{Cells, Kept, Kind};
use crate::format::Compression;
use crate::format::edge_file::{EdgeFile, SkippedEdges};
use crate::format::edge_lines::Assembled;
use crate::format::input::Input;
use crate::format::weight_column::is_narrow;
use crate::parallel;
use crate::progress::Progress;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, GraphError, Result, RoundedWeight, Weight, WeightKind, memory};

/// Records that are read at a time.
const BATCH: usize = 1 << 16;

/// Reads a Parquet file.
pub(in crate::format) fn read_parquet(
    input: Input,
    path: &Path,
    columns: &TableColumns,
    kept: &Kept,
    progress: &dyn Progress,
) -> Result<EdgeFile> {
    let size = input.size();
    let file = positioned(input, path)?;
    let edges = guarded(path, || open(file, path, columns)?.edges(kept))?;
    progress.advance(size);
    Ok(edges)
}

/// The file of an input.
fn positioned(input: Input, path: &Path) -> Result<PositionedFile> {
    Ok(match input.is_regular() {
        true if Compression::of_path(path) != Compression::Plain => {
            return Err(GraphError::file(path, "Parquet files are compressed inside; unpack this one first"));
        }
        true => File::open(path).and_then(PositionedFile::new).map_err(|error| GraphError::io("read", path, error))?,
        // The end of the file says where the rest lies.
        false => PositionedFile::in_memory(input.bytes()?.to_vec()),
    })
}

/// Reads, where the reader of Parquet files has assertions that a damaged file can reach.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let damaged = |_| Err(GraphError::file(path, "the Parquet file is damaged"));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(damaged)
}

/// The columns that `choose` chooses by the header, with what else it returns: the header, that, and for each column
/// the cells of the row groups in order.
pub(super) fn read_columns<T>(
    input: Input,
    path: &Path,
    choose: impl FnOnce(&[String]) -> Result<(Vec<(usize, Kind)>, T), String>,
) -> Result<(Vec<String>, T, Vec<Vec<Cells>>)> {
    let file = positioned(input, path)?;
    guarded(path, || {
        let reader = SerializedFileReader::new(file).map_err(|error| unreadable(path, &error))?;
        let header = header(&reader);
        let (reading, chosen) = choose(&header).map_err(|message| GraphError::file(path, message))?;
        let cells = row_groups::cells(&reader, path, &reading, &[])?;
        Ok((header, chosen, cells))
    })
}

/// The names of the columns.
fn header(reader: &SerializedFileReader<PositionedFile>) -> Vec<String> {
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// A file whose columns are known.
struct Table<'a> {
    path: &'a Path,
    reader: SerializedFileReader<PositionedFile>,
    header: Vec<String>,
    places: Places,
    guessed: Option<GuessedColumns>,
    missing: Missing,
}

fn open<'a>(file: PositionedFile, path: &'a Path, columns: &TableColumns) -> Result<Table<'a>> {
    if columns.no_header {
        return Err(GraphError::Usage("`noheader`: the columns of a Parquet file have names".to_string()));
    }
    let reader = SerializedFileReader::new(file).map_err(|error| unreadable(path, &error))?;
    let header = header(&reader);
    let places = columns.places(&header).map_err(|message| GraphError::file(path, message))?;
    let guessed = columns.guessed(&header, places);
    Ok(Table { path, reader, header, places, guessed, missing: columns.missing })
}

pub(super) fn unreadable(path: &Path, error: &ParquetError) -> GraphError {
    GraphError::file(path, format!("the Parquet file cannot be read: {error}"))
}

/// A column of a row group.
struct IdCells {
    values: Values,
    /// For every row the place of its value, or [`MISSING`]; `None` where every row has one.
    places: Option<Vec<u32>>,
}

const MISSING: u32 = u32::MAX;

/// What a row group holds.
struct Group<I: BlockIds> {
    block: IdBlock<I>,
    weights: Option<IdCells>,
    /// The rows of the edges, where some rows were left out.
    kept: KeptRows,
    /// Rows that were left out, and the first of them.
    skipped: u64,
    first_skipped: Option<u64>,
}

/// The values of a column in a row group.
enum Values {
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Reals(Vec<f64>),
    Texts(Vec<ByteArray>),
}

/// The values of a column, and the place of the value of every row where some are missing.
type ColumnValues<T> = (Vec<T>, Option<Vec<u32>>);

impl Table<'_> {
    fn edges(&self, kept: &Kept) -> Result<EdgeFile> {
        let Places { source, target, weight } = self.places;
        let used: Vec<usize> = [Some(source), Some(target), weight].into_iter().flatten().collect();
        let wanted = keep::wanted(kept, &self.header, &used).map_err(|message| self.fail(message))?;
        let numbers = match self.has_number_ids() {
            true => self.edges_as::<NumberIds>()?,
            false => None,
        };
        let (file, rows) = match numbers {
            Some(read) => read,
            None => self.edges_as::<TextIds>()?.ok_or_else(|| self.fail("ids cannot be read"))?,
        };
        if *kept == Kept::None {
            return Ok(file);
        }
        let cells = row_groups::cells(&self.reader, self.path, &keep::unread(&wanted), &rows)?;
        let columns = Some(keep::table(&self.header, wanted, cells, file.edges.len()));
        Ok(EdgeFile { columns, ..file })
    }

    fn has_number_ids(&self) -> bool {
        [self.places.source, self.places.target].into_iter().all(|at| {
            let schema = self.reader.metadata().file_metadata().schema_descr();
            matches!(schema.column(at).physical_type(), Physical::INT32 | Physical::INT64)
        })
    }

    fn edges_as<I: BlockIds>(&self) -> Result<Option<(EdgeFile, Vec<KeptRows>)>> {
        let groups = self.reader.metadata().num_row_groups();
        let mut first_rows = Vec::with_capacity(groups);
        let mut rows = 0;
        for group in self.reader.metadata().row_groups() {
            first_rows.push(rows);
            rows += group.num_rows().max(0) as u64;
        }
        let read = |group: usize| self.group::<I>(group, first_rows[group]);
        let read: Vec<Group<I>> = parallel::map(groups, read).into_iter().collect::<Result<_>>()?;
        let skipped = read.iter().find_map(|group| group.first_skipped).map(|first| SkippedEdges {
            count: read.iter().map(|group| group.skipped).sum(),
            first,
            unit: "row",
        });
        let (mut ids, mut weights, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for group in read {
            rows.push(group.kept.clone());
            ids.push(group.block);
            weights.push(group.weights.map(|weights| (weights, group.kept)));
        }
        if ids.iter().all(|block| block.edges.is_empty()) {
            let why = skipped.map_or(String::new(), |skipped| format!(": {skipped}"));
            return Err(self.fail(format!("there is no edge in the table{why}")));
        }
        let numbered = I::number(ids).map_err(|error| self.fail(error.to_string()))?;
        let Some(Numbered { vertices, edges, names, numbering }) = numbered else { return Ok(None) };
        let assembled = self.assembled(vertices, edges, weights, &first_rows)?;
        let guessed = self.guessed.clone();
        Ok(Some((EdgeFile { names, numbering, skipped, guessed, ..EdgeFile::directed(assembled) }, rows)))
    }

    /// The edges of a row group and the weights, where there are some.
    fn group<I: BlockIds>(&self, group: usize, first_row: u64) -> Result<Group<I>> {
        let reader = self.reader.get_row_group(group).map_err(|error| unreadable(self.path, &error))?;
        let Places { source, target, weight } = self.places;
        let sources = self.column(&*reader, source, first_row)?;
        let targets = self.column(&*reader, target, first_row)?;
        let weights = weight.map(|at| self.column(&*reader, at, first_row)).transpose()?;
        let count = sources.rows();
        if targets.rows() != count || weights.as_ref().is_some_and(|weights| weights.rows() != count) {
            return Err(self.fail("the Parquet file is damaged: its columns have different lengths"));
        }
        let mut ids = I::default();
        let mut edges = Vec::with_capacity(count);
        let (mut kept, mut skipped, mut first_skipped) = (None::<Vec<u32>>, 0, None);
        for row in 0..count {
            let columns = [Some(&sources), Some(&targets), weights.as_ref()];
            if self.missing == Missing::Skip && columns.iter().flatten().any(|cells| cells.is_missing(row)) {
                kept.get_or_insert_with(|| (0..row as u32).collect());
                skipped += 1;
                first_skipped.get_or_insert(first_row + row as u64 + 1);
                continue;
            }
            edges.push((
                self.id(&mut ids, &sources, row, source, first_row)?,
                self.id(&mut ids, &targets, row, target, first_row)?,
            ));
            kept.iter_mut().for_each(|kept| kept.push(row as u32));
        }
        Ok(Group { block: IdBlock { ids, edges }, weights, kept, skipped, first_skipped })
    }

    /// The id in a row.
    fn id<I: BlockIds>(
        &self,
        ids: &mut I,
        cells: &IdCells,
        row: usize,
        column: usize,
        first_row: u64,
    ) -> Result<I::Id> {
        let fail = |message: &str| self.fail(format!("row {}: {message}", first_row + row as u64 + 1));
        let at = cells.place(row).ok_or_else(|| fail(&self.empty(column)))?;
        let id = match &cells.values {
            Values::Signed(values) => ids.id(values[at].to_string().as_bytes()),
            Values::Unsigned(values) => ids.id(values[at].to_string().as_bytes()),
            Values::Texts(texts) if texts[at].is_empty() => return Err(fail(&self.empty(column))),
            Values::Texts(texts) => ids.id(texts[at].data()),
            Values::Reals(_) => {
                let column = &self.header[column];
                return Err(self.fail(format!("the column `{column}` holds fractions, which are no ids")));
            }
        };
        id.map_err(|refusal| match refusal {
            Refusal::NotANumber => fail("an id is no number"),
            Refusal::Bad(message) => fail(message),
        })
    }

    fn column(&self, group: &dyn RowGroupReader, at: usize, first_row: u64) -> Result<IdCells> {
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let column = schema.column(at);
        if column.max_rep_level() > 0 || column.max_def_level() > 1 {
            return Err(self.fail(format!("the column `{}` is nested; an edge needs plain values", self.header[at])));
        }
        // Points in time are weights, in seconds.
        let time = time_scale(&column).filter(|_| self.places.weight == Some(at));
        if let Some(kind) = no_number(&column)
            && time.is_none()
        {
            let column = &self.header[at];
            return Err(self.fail(format!("the column `{column}` holds {kind}; write it as strings or plain numbers")));
        }
        let unsigned = is_unsigned(&column);
        let reader = group.get_column_reader(at).map_err(|error| unreadable(self.path, &error))?;
        let (mut values, places) = match reader {
            ColumnReader::Int32ColumnReader(reader) => {
                let (values, places) = self.values(reader, at, first_row)?;
                let wide = |value: i32| if unsigned { i64::from(value as u32) } else { i64::from(value) };
                (Values::Signed(values.into_iter().map(wide).collect()), places)
            }
            ColumnReader::Int64ColumnReader(reader) => {
                let (values, places) = self.values(reader, at, first_row)?;
                match unsigned {
                    true => (Values::Unsigned(values.into_iter().map(|value| value as u64).collect()), places),
                    false => (Values::Signed(values), places),
                }
            }
            ColumnReader::FloatColumnReader(reader) => {
                let (values, places) = self.values(reader, at, first_row)?;
                (Values::Reals(values.into_iter().map(f64::from).collect()), places)
            }
            ColumnReader::DoubleColumnReader(reader) => {
                let (values, places) = self.values(reader, at, first_row)?;
                (Values::Reals(values), places)
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let (values, places) = self.values(reader, at, first_row)?;
                (Values::Texts(values), places)
            }
            _ => {
                let kind = column.physical_type();
                let message = format!(
                    "the column `{}` is of the type {kind}; ids are strings or whole numbers, weights are numbers",
                    self.header[at]
                );
                return Err(self.fail(message));
            }
        };
        if let (Some((times, over)), Values::Signed(values)) = (time, &mut values) {
            values.iter_mut().for_each(|value| *value = value.saturating_mul(times).div_euclid(over));
        }
        Ok(IdCells { values, places })
    }

    /// All values of a column, and the place of every row's value where some are missing.
    fn values<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        at: usize,
        first_row: u64,
    ) -> Result<ColumnValues<T::T>> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            memory::allow_more(64 * BATCH as u64, format_args!("a part of {}", self.path.display()))?;
            let before = levels.len();
            let read = reader.read_records(BATCH, Some(&mut levels), None, &mut values);
            let (records, ..) = read.map_err(|error| unreadable(self.path, &error))?;
            if self.missing == Missing::Error
                && let Some(missing) = levels[before..].iter().position(|&level| level == 0)
                && values.len() < levels.len()
            {
                let row = first_row + (before + missing) as u64 + 1;
                return Err(self.fail(format!("row {row}: {}", self.empty(at))));
            }
            if records == 0 {
                break;
            }
        }
        if values.len() >= levels.len() {
            return Ok((values, None));
        }
        let mut next = 0;
        let place = |level: i16| match level {
            0 => MISSING,
            _ => {
                next += 1;
                next - 1
            }
        };
        let places: Vec<u32> = levels.into_iter().map(place).collect();
        match next as usize == values.len() {
            true => Ok((values, Some(places))),
            false => Err(self.fail("the Parquet file is damaged: a column has more rows than values")),
        }
    }

    fn empty(&self, column: usize) -> String {
        format!("the column `{}` is empty; fill it in, or leave such rows out with --missing skip", self.header[column])
    }

    fn fail(&self, message: impl Into<String>) -> GraphError {
        GraphError::file(self.path, message)
    }

    /// Edges with their weights, of the narrowest type that holds all of them exactly.
    fn assembled(
        &self,
        vertices: usize,
        edges: Vec<Vec<(u32, u32)>>,
        weights: Vec<Option<Weights>>,
        first_rows: &[u64],
    ) -> Result<Assembled> {
        if self.places.weight.is_none() {
            let chunks = edges.into_iter().map(|edges| EdgeChunk { weights: vec![(); edges.len()], edges });
            return Ok(AnyEdgeList::None(EdgeList { vertices, chunks: chunks.collect() }).into());
        }
        let all = |hold: fn(&Values) -> bool| weights.iter().flatten().all(|(cells, _)| hold(&cells.values));
        if all(Values::are_whole::<i32>) {
            let list = self.weighted(vertices, edges, &weights, first_rows, Values::whole::<i32>)?;
            return Ok(AnyEdgeList::Int(list).into());
        }
        if all(Values::are_whole::<i64>) {
            let list = self.weighted(vertices, edges, &weights, first_rows, Values::whole::<i64>)?;
            return Ok(AnyEdgeList::Int64(list).into());
        }
        let rounded = weights.iter().flatten().find_map(|(cells, _)| {
            let at = (0..cells.values.len()).find(|&at| cells.values.is_rounded(at))?;
            let (written, kept) = (cells.values.written(at), cells.values.real(at));
            Some(RoundedWeight { line: None, written, kept, kind: WeightKind::Double, asked: false })
        });
        if rounded.is_none() && all(Values::are_narrow) {
            let list = self.weighted(vertices, edges, &weights, first_rows, |values, at| {
                Some(values.real(at) as f32).filter(|value| value.is_finite())
            })?;
            return Ok(AnyEdgeList::Float(list).into());
        }
        let list = self.weighted(vertices, edges, &weights, first_rows, |values, at| {
            Some(values.real(at)).filter(|value| value.is_finite())
        })?;
        Ok(Assembled { edges: AnyEdgeList::Double(list), rounded })
    }

    fn weighted<W: Weight>(
        &self,
        vertices: usize,
        edges: Vec<Vec<(u32, u32)>>,
        weights: &[Option<Weights>],
        first_rows: &[u64],
        weight: impl Fn(&Values, usize) -> Option<W>,
    ) -> Result<EdgeList<W>> {
        let mut chunks = Vec::with_capacity(edges.len());
        for ((edges, (cells, kept)), first_row) in edges.into_iter().zip(weights.iter().flatten()).zip(first_rows) {
            let weights = (0..edges.len()).map(|edge| {
                let row = kept.as_ref().map_or(edge, |kept| kept[edge] as usize);
                cells.place(row).and_then(|at| weight(&cells.values, at)).ok_or_else(|| {
                    let (row, column) = (first_row + row as u64 + 1, self.places.weight.unwrap_or(0));
                    let name = &self.header[column];
                    self.fail(format!("row {row}: the column `{name}` holds no finite number, as weights are"))
                })
            });
            let weights = weights.collect::<Result<_>>()?;
            chunks.push(EdgeChunk { edges, weights });
        }
        Ok(EdgeList { vertices, chunks })
    }
}

/// The weights of a row group, and the rows of its edges where some rows were left out.
type Weights = (IdCells, KeptRows);

impl IdCells {
    fn rows(&self) -> usize {
        self.places.as_ref().map_or(self.values.len(), Vec::len)
    }

    /// The place of a row's value; `None` where it has none.
    fn place(&self, row: usize) -> Option<usize> {
        match &self.places {
            Some(places) => Some(places[row]).filter(|&place| place != MISSING).map(|place| place as usize),
            None => Some(row),
        }
    }

    /// Whether a row has no value, an empty text, or NaN, as tables of other programs call a missing number.
    fn is_missing(&self, row: usize) -> bool {
        self.place(row).is_none_or(|at| match &self.values {
            Values::Texts(texts) => texts[at].is_empty(),
            Values::Reals(values) => values[at].is_nan(),
            Values::Signed(_) | Values::Unsigned(_) => false,
        })
    }
}

impl Values {
    /// Whether all values are whole numbers of the type `W`.
    fn are_whole<W: TryFrom<i64> + TryFrom<u64>>(&self) -> bool {
        match self {
            Values::Signed(values) => values.iter().all(|&value| W::try_from(value).is_ok()),
            Values::Unsigned(values) => values.iter().all(|&value| W::try_from(value).is_ok()),
            // A text is refused as a weight later on, with its row.
            Values::Texts(_) => true,
            Values::Reals(_) => false,
        }
    }

    /// A value as a whole number.
    fn whole<W: TryFrom<i64> + TryFrom<u64>>(&self, at: usize) -> Option<W> {
        match self {
            Values::Signed(values) => W::try_from(values[at]).ok(),
            Values::Unsigned(values) => W::try_from(values[at]).ok(),
            Values::Reals(_) | Values::Texts(_) => None,
        }
    }

    /// Whether 32-bit reals hold all values exactly.
    fn are_narrow(&self) -> bool {
        (0..self.len()).all(|at| is_narrow(self.real(at)) || self.real(at).is_nan())
    }

    /// A value as a real number; NaN for a text.
    fn real(&self, at: usize) -> f64 {
        match self {
            Values::Reals(values) => values[at],
            Values::Signed(values) => values[at] as f64,
            Values::Unsigned(values) => values[at] as f64,
            Values::Texts(_) => f64::NAN,
        }
    }

    /// Whether 64-bit reals hold a value as another number.
    fn is_rounded(&self, at: usize) -> bool {
        match self {
            Values::Signed(values) => self.real(at) as i128 != i128::from(values[at]),
            Values::Unsigned(values) => self.real(at) as i128 != i128::from(values[at]),
            Values::Reals(_) | Values::Texts(_) => false,
        }
    }

    /// A value with all its digits.
    fn written(&self, at: usize) -> String {
        match self {
            Values::Reals(values) => values[at].to_string(),
            Values::Signed(values) => values[at].to_string(),
            Values::Unsigned(values) => values[at].to_string(),
            Values::Texts(_) => String::new(),
        }
    }

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
