//! Parquet tables: a row per instant. Columns of truth values are Booleans, columns of numbers are numbers, whole
//! numbers of 64 bits rounded to 64-bit floats; others are left out, with a note. Row groups are read one after the
//! other.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::Source;
use crate::trace::{Numbers, Trace, Variables, packed};
use crate::{MineError, Result};

/// Values that are read at a time.
const BATCH: usize = 1 << 16;

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
    group: usize,
    /// Rows that were read and not handed out yet, Booleans first.
    columns: Vec<Vec<f64>>,
    current: Option<Trace>,
}

impl Parquet {
    /// Opens a table; parts have `part` instants.
    pub fn open(path: &Path, part: usize) -> Result<Parquet> {
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
        let columns = vec![Vec::new(); booleans.len() + numbers.len()];
        let path = path.to_owned();
        Ok(Parquet { path, reader, part, booleans, numbers, variables, notes, group: 0, columns, current: None })
    }

    /// Reads a row group.
    fn read_group(&mut self) -> Result<()> {
        let places: Vec<usize> = self.booleans.iter().chain(&self.numbers).copied().collect();
        let rows = self.reader.metadata().row_group(self.group).num_rows().max(0) as usize;
        for (column, &place) in self.columns.iter_mut().zip(&places) {
            let (reader, group) = (&self.reader, self.group);
            // Whole numbers without sign are stored in the bits of those with one.
            use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
            let converted = reader.metadata().file_metadata().schema_descr().column(place).converted_type();
            let is_unsigned = matches!(converted, UINT_8 | UINT_16 | UINT_32 | UINT_64);
            let values = guarded(&self.path, || {
                let group = reader.get_row_group(group)?;
                Ok(match group.get_column_reader(place)? {
                    ColumnReader::BoolColumnReader(mut reader) => values(&mut reader, |&x| f64::from(u8::from(x)))?,
                    ColumnReader::Int32ColumnReader(mut reader) if is_unsigned => {
                        values(&mut reader, |&x| f64::from(x as u32))?
                    }
                    ColumnReader::Int32ColumnReader(mut reader) => values(&mut reader, |&x| f64::from(x))?,
                    ColumnReader::Int64ColumnReader(mut reader) if is_unsigned => {
                        values(&mut reader, |&x| x as u64 as f64)?
                    }
                    ColumnReader::Int64ColumnReader(mut reader) => values(&mut reader, |&x| x as f64)?,
                    ColumnReader::FloatColumnReader(mut reader) => values(&mut reader, |&x| f64::from(x))?,
                    ColumnReader::DoubleColumnReader(mut reader) => values(&mut reader, |&x| x)?,
                    _ => Vec::new(),
                })
            })?;
            if values.len() != rows {
                let names = self.variables.booleans.iter().chain(&self.variables.numbers);
                let name = names.zip(&places).find(|(_, p)| **p == place).map_or("", |(name, _)| name);
                let message = format!(
                    "column `{name}` has {} values in {rows} rows of row group {}: empty cells cannot be mined",
                    values.len(),
                    self.group
                );
                return Err(MineError::file(&self.path, message));
            }
            column.extend(values);
        }
        self.group += 1;
        Ok(())
    }
}

/// All values of a column in a row group, without those that are missing.
fn values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    number: impl Fn(&T::T) -> f64,
) -> std::result::Result<Vec<f64>, ParquetError> {
    let (mut all, mut batch, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        batch.clear();
        levels.clear();
        let (records, _, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut batch)?;
        all.extend(batch.iter().map(&number));
        if records == 0 {
            return Ok(all);
        }
    }
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
        self.group = 0;
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let rows = |columns: &[Vec<f64>]| columns.first().map_or(0, Vec::len);
        while rows(&self.columns) < self.part && self.group < self.reader.metadata().num_row_groups() {
            self.read_group()?;
        }
        let taken = rows(&self.columns).min(self.part);
        let mut parts = self.columns.iter_mut().map(|column| {
            let rest = column.split_off(taken);
            std::mem::replace(column, rest)
        });
        let booleans =
            parts.by_ref().take(self.booleans.len()).map(|values| packed(values.into_iter().map(|x| x != 0.0)));
        let booleans = booleans.collect();
        let numbers = Numbers::narrowed(parts.collect());
        self.current = (taken > 0).then_some(Trace { instants: taken, booleans, numbers });
        Ok(self.current.as_ref())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}
