//! Columns of a Parquet file that are kept, row group by row group.

use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::parquet::unreadable;
use super::positioned::PositionedFile;
use crate::columns::{Cells, Kind};
use crate::{GraphError, Result, memory, parallel};

/// The rows of a row group that are kept, in ascending order; `None` for all.
pub(super) type KeptRows = Option<Vec<u32>>;

/// Rows that are read at a time.
const BATCH: usize = 1 << 16;

/// The cells of these columns, which are at least of these kinds, of the rows that are kept: for each column the row
/// groups in order. Without lists of rows all are kept.
pub(super) fn cells(
    reader: &SerializedFileReader<PositionedFile>,
    path: &Path,
    wanted: &[(usize, Kind)],
    kept: &[KeptRows],
) -> Result<Vec<Vec<Cells>>> {
    let groups = reader.metadata().num_row_groups();
    let column = |&(at, kind): &(usize, Kind)| {
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let column = ColumnOfFile { path, descriptor: schema.column(at), kind };
        let parts = parallel::map(groups, |group| {
            let rows = kept.get(group).and_then(Option::as_deref);
            let group = reader.get_row_group(group).map_err(|error| unreadable(path, &error))?;
            column.part(group.get_column_reader(at).map_err(|error| unreadable(path, &error))?, rows)
        });
        parts.into_iter().collect::<Result<Vec<Cells>>>()
    };
    wanted.iter().map(column).collect()
}

struct ColumnOfFile<'a> {
    path: &'a Path,
    descriptor: std::sync::Arc<ColumnDescriptor>,
    /// [`Kind::Name`] where the cells are names whatever the column holds.
    kind: Kind,
}

/// What numbers in a column are.
#[derive(Clone, Copy)]
enum Whole {
    Number,
    Unsigned,
    /// Points in time: seconds are the number times the first, divided by the second.
    Time(i64, i64),
}

impl ColumnOfFile<'_> {
    fn part(&self, reader: ColumnReader, kept: Option<&[u32]>) -> Result<Cells> {
        let descriptor = &self.descriptor;
        if descriptor.max_rep_level() > 0 || descriptor.max_def_level() > 1 {
            return Err(self.fail("is nested: plain values are needed"));
        }
        let whole = self.whole()?;
        let kind = match (self.kind, whole) {
            (Kind::Name, _) => Kind::Name,
            (_, Whole::Time(..)) => Kind::Time,
            _ => Kind::Int,
        };
        match reader {
            ColumnReader::BoolColumnReader(reader) => {
                self.pushed(reader, self.or_name(Kind::Bool), kept, |cells, &value| match cells.kind() {
                    Kind::Name => cells.push(if value { "true" } else { "false" }).is_ok(),
                    _ => true.then(|| cells.push_bool(value)).is_some(),
                })
            }
            ColumnReader::Int32ColumnReader(reader) => self.pushed(reader, kind, kept, |cells, &value| match whole {
                Whole::Unsigned => push_whole(cells, i64::from(value as u32)),
                Whole::Number => push_whole(cells, i64::from(value)),
                Whole::Time(times, over) => push_whole(cells, (i64::from(value) * times).div_euclid(over)),
            }),
            ColumnReader::Int64ColumnReader(reader) => self.pushed(reader, kind, kept, |cells, &value| match whole {
                Whole::Unsigned if value < 0 => false,
                Whole::Number | Whole::Unsigned => push_whole(cells, value),
                Whole::Time(times, over) => push_whole(cells, value.saturating_mul(times).div_euclid(over)),
            }),
            ColumnReader::FloatColumnReader(reader) => self.pushed(reader, Kind::Double, kept, |cells, &value| {
                cells.push_double(f64::from(value));
                true
            }),
            ColumnReader::DoubleColumnReader(reader) => self.pushed(reader, Kind::Double, kept, |cells, &value| {
                cells.push_double(value);
                true
            }),
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.pushed(reader, self.or_name(Kind::Text), kept, |cells, value| {
                    std::str::from_utf8(value.data()).is_ok_and(|text| cells.push(text).is_ok())
                })
            }
            _ => Err(self.fail(&format!("is of the type {}, which is not read", descriptor.physical_type()))),
        }
    }

    fn or_name(&self, kind: Kind) -> Kind {
        if self.kind == Kind::Name { Kind::Name } else { kind }
    }

    /// What whole numbers in this column are; an error for kinds of numbers that are not read.
    fn whole(&self) -> Result<Whole> {
        let descriptor = &self.descriptor;
        if let Some((times, over)) = time_scale(descriptor) {
            return Ok(Whole::Time(times, over));
        }
        match descriptor.logical_type_ref() {
            Some(LogicalType::Decimal(..)) => return Err(self.fail("holds decimals; write it as reals or texts")),
            Some(LogicalType::Time(..)) => return Err(self.fail("holds times of day; write it as points in time")),
            Some(LogicalType::Integer(int)) if !int.is_signed => return Ok(Whole::Unsigned),
            _ => {}
        }
        match descriptor.converted_type() {
            ConvertedType::DECIMAL => Err(self.fail("holds decimals; write it as reals or texts")),
            ConvertedType::UINT_32 | ConvertedType::UINT_64 => Ok(Whole::Unsigned),
            _ => Ok(Whole::Number),
        }
    }

    /// The cells of a row group, each made by `push`, which is false for a value that is none.
    fn pushed<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        kind: Kind,
        kept: Option<&[u32]>,
        push: impl Fn(&mut Cells, &T::T) -> bool,
    ) -> Result<Cells> {
        let mut cells = Cells::new(kind);
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let (mut row, mut next_kept) = (0u32, kept.map(|kept| kept.iter().peekable()));
        loop {
            memory::allow_more(64 * BATCH as u64, format_args!("a part of {}", self.path.display()))?;
            values.clear();
            levels.clear();
            let read = reader.read_records(BATCH, Some(&mut levels), None, &mut values);
            let (records, ..) = read.map_err(|error| unreadable(self.path, &error))?;
            if records == 0 {
                return Ok(cells);
            }
            let all_there = levels.len() != records || values.len() == records;
            let mut at = 0;
            for record in 0..records {
                let is_there = all_there || levels.get(record).is_some_and(|&level: &i16| level > 0);
                let is_kept = next_kept.as_mut().is_none_or(|kept| kept.next_if_eq(&&row).is_some());
                let value = if is_there { values.get(at) } else { None };
                at += usize::from(is_there);
                row += 1;
                match value {
                    _ if !is_kept => {}
                    None => cells.push_missing(),
                    Some(value) if push(&mut cells, value) => {}
                    Some(_) => return Err(self.fail(&format!("has a value in row {row} of a group that is not read"))),
                }
            }
        }
    }

    fn fail(&self, what: &str) -> GraphError {
        GraphError::file(self.path, format!("the column `{}` {what}", self.descriptor.path().string()))
    }
}

/// Adds a number; as a text to names.
fn push_whole(cells: &mut Cells, value: i64) -> bool {
    match cells.kind() {
        Kind::Name => cells.push(&value.to_string()).is_ok(),
        _ => {
            cells.push_int(value);
            true
        }
    }
}

/// By what numbers of a column of dates or points in time are multiplied and divided to give seconds; `None` for a
/// column of others.
pub(super) fn time_scale(column: &ColumnDescriptor) -> Option<(i64, i64)> {
    const DAY: i64 = 86_400;
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Some((DAY, 1)),
        (Some(LogicalType::Timestamp(timestamp)), _) => Some((
            1,
            match timestamp.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            },
        )),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some((1, 1_000)),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some((1, 1_000_000)),
        _ => None,
    }
}
