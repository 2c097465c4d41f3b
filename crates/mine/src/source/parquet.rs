//! Parquet tables: a row per instant. Columns of truth values are Booleans, columns of numbers are numbers, whole
//! numbers of 64 bits rounded to 64-bit floats, with a note where that changes one; others are left out, with a note.
//! Row groups are read one after the other, part by part: a group may be as large as the table.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::{ReadOptions, Source};
use crate::trace::{Numbers, Trace, Variables, packed};
use crate::{MineError, Result};

/// Values that are read at a time.
const BATCH: usize = 1 << 13;

/// A table in a file.
pub struct Parquet {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    part: usize,
    /// Columns that are Booleans, and those that are numbers.
    booleans: Vec<usize>,
    numbers: Vec<usize>,
    variables: Variables,
    notes: Vec<String>,
    /// The row group that is read, and the number of its first row.
    group: usize,
    first_row: usize,
    /// Its columns, Booleans first, where it was begun; and how many of its rows were read.
    open: Vec<Column>,
    read: usize,
    /// Per column: a value was rounded, and that is noted.
    is_rounded: Vec<bool>,
    current: Option<Trace>,
}

impl Parquet {
    /// Opens a table.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Parquet> {
        let file = File::open(path).map_err(|source| MineError::read(path, source))?;
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let (mut variables, mut notes) = (Variables::default(), Vec::new());
        let (mut booleans, mut numbers) = (Vec::new(), Vec::new());
        for (at, column) in schema.columns().iter().enumerate() {
            let name = column.path().string();
            match column.physical_type() {
                _ if column.max_rep_level() > 0 => notes.push(format!("column `{name}` is left out: it holds lists")),
                Physical::INT32 | Physical::INT64 if column.converted_type() == ConvertedType::DECIMAL => {
                    notes.push(format!("column `{name}` is left out: decimal numbers cannot be mined"));
                }
                Physical::BOOLEAN => {
                    booleans.push(at);
                    variables.booleans.push(name);
                }
                Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE => {
                    numbers.push(at);
                    variables.numbers.push(name);
                }
                other => notes.push(format!("column `{name}` is left out: {other} is no number")),
            }
        }
        let rows = reader.metadata().file_metadata().num_rows();
        if variables == Variables::default() {
            return Err(MineError::file(path, "no column holds truth values or numbers"));
        }
        if rows <= 0 {
            return Err(MineError::file(path, "the table has no rows"));
        }
        let part = options.instants(booleans.len() + numbers.len());
        let is_rounded = vec![false; booleans.len() + numbers.len()];
        Ok(Parquet {
            path: path.to_owned(),
            reader,
            part,
            booleans,
            numbers,
            variables,
            notes,
            group: 0,
            first_row: 0,
            open: Vec::new(),
            read: 0,
            is_rounded,
            current: None,
        })
    }

    /// Rows of the group that is read.
    fn rows_of_group(&self) -> usize {
        self.reader.metadata().row_group(self.group).num_rows().max(0) as usize
    }

    /// Begins a row group.
    fn begin(&mut self) -> Result<()> {
        let (reader, group) = (&self.reader, self.group);
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let columns = self.booleans.iter().chain(&self.numbers).map(|&place| {
            // Whole numbers without sign are stored in the bits of those with one.
            use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
            let is_unsigned = matches!(schema.column(place).converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64);
            let reader = guarded(&self.path, || reader.get_row_group(group)?.get_column_reader(place))?;
            Ok(Column { reader, is_unsigned })
        });
        self.open = columns.collect::<Result<_>>()?;
        self.read = 0;
        Ok(())
    }

    /// Puts up to `most` further rows of the group behind the columns.
    fn extend(&mut self, columns: &mut [Vec<f64>], most: usize) -> Result<()> {
        let wanted = most.min(self.rows_of_group() - self.read);
        let row = self.first_row + self.read + 1;
        for (at, (column, values)) in self.open.iter_mut().zip(columns).enumerate() {
            let before = values.len();
            let rounded = guarded(&self.path, || column.extend(values, wanted))?;
            let name = self.variables.booleans.iter().chain(&self.variables.numbers).nth(at).map_or("", String::as_str);
            let found = values.len() - before;
            if found != wanted {
                let message = format!(
                    "column `{name}` has {found} values in rows {row} to {}: empty cells cannot be mined",
                    row + wanted - 1
                );
                return Err(MineError::file(&self.path, message));
            }
            if let (Some(rounded), false) = (rounded, self.is_rounded[at]) {
                self.is_rounded[at] = true;
                let row = row + rounded;
                self.notes.push(format!(
                    "column `{name}` is rounded to 64-bit floats: row {row} has a whole number beyond 2^53 that is none"
                ));
            }
        }
        self.read += wanted;
        Ok(())
    }
}

/// A column of a row group.
struct Column {
    reader: ColumnReader,
    is_unsigned: bool,
}

impl Column {
    /// Puts up to `most` further values behind the others; tells the first that was rounded.
    fn extend(&mut self, values: &mut Vec<f64>, most: usize) -> std::result::Result<Option<usize>, ParquetError> {
        let exact = |value: f64| (value, true);
        // Comparing as numbers of 128 bits tells whether the float is the whole number.
        let whole = |number: i128| (number as f64, number as f64 as i128 == number);
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => further(reader, values, most, |&x| exact(f64::from(u8::from(x)))),
            ColumnReader::Int32ColumnReader(reader) if self.is_unsigned => {
                further(reader, values, most, |&x| exact(f64::from(x as u32)))
            }
            ColumnReader::Int32ColumnReader(reader) => further(reader, values, most, |&x| exact(f64::from(x))),
            ColumnReader::Int64ColumnReader(reader) if self.is_unsigned => {
                further(reader, values, most, |&x| whole((x as u64).into()))
            }
            ColumnReader::Int64ColumnReader(reader) => further(reader, values, most, |&x| whole(x.into())),
            ColumnReader::FloatColumnReader(reader) => further(reader, values, most, |&x| exact(f64::from(x))),
            ColumnReader::DoubleColumnReader(reader) => further(reader, values, most, |&x| exact(x)),
            _ => Ok(None),
        }
    }
}

/// Reads up to `most` records of a column, without those that are missing. `number` makes a float of a value and says
/// whether it is the same number; the first that is not is told, counted from the first record.
fn further<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    values: &mut Vec<f64>,
    most: usize,
    number: impl Fn(&T::T) -> (f64, bool),
) -> std::result::Result<Option<usize>, ParquetError> {
    let (mut batch, mut levels, mut rounded, mut read) = (Vec::new(), Vec::new(), None, 0);
    while read < most {
        batch.clear();
        levels.clear();
        let (records, _, _) = reader.read_records(BATCH.min(most - read), Some(&mut levels), None, &mut batch)?;
        if records == 0 {
            break;
        }
        for (at, value) in batch.iter().enumerate() {
            let (value, is_exact) = number(value);
            values.push(value);
            if !is_exact && rounded.is_none() {
                rounded = Some(read + at);
            }
        }
        read += records;
    }
    Ok(rounded)
}

/// Calls the library, which has assertions that a damaged file can reach.
fn guarded<T>(path: &Path, call: impl FnOnce() -> std::result::Result<T, ParquetError>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(MineError::file(path, format!("the Parquet file cannot be read: {error}"))),
        Err(_) => Err(MineError::file(path, "the Parquet file is damaged")),
    }
}

impl Source for Parquet {
    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn rewind(&mut self) -> Result<()> {
        (self.group, self.first_row, self.read) = (0, 0, 0);
        self.open.clear();
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let mut columns = vec![Vec::new(); self.booleans.len() + self.numbers.len()];
        let mut rows = 0;
        while rows < self.part && self.group < self.reader.metadata().num_row_groups() {
            if self.open.is_empty() {
                self.begin()?;
            }
            let before = self.read;
            self.extend(&mut columns, self.part - rows)?;
            rows += self.read - before;
            if self.read == self.rows_of_group() {
                self.first_row += self.read;
                self.group += 1;
                self.open.clear();
            }
        }
        let mut columns = columns.into_iter();
        let booleans = columns.by_ref().take(self.booleans.len());
        let booleans = booleans.map(|values| packed(values.into_iter().map(|x| x != 0.0))).collect();
        let numbers = Numbers::narrowed(columns.collect());
        self.current = (rows > 0).then_some(Trace { instants: rows, booleans, numbers });
        Ok(self.current.as_ref())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}
