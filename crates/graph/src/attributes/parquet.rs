//! Tables as Parquet files: each column with the type of its values; ids of vertices may be missing.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, IntType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{Cell, FileColumn, Kind, Table};
use crate::format::Output;
use crate::{GraphError, Result};

/// Rows of a row group: that many values of a column are in memory a second time.
const GROUP: usize = 1 << 20;

/// Writes a file.
pub(super) fn write(table: &Table<'_>, path: &Path) -> Result<()> {
    let mut output = Output::create(path)?;
    match write_to(table, &mut output) {
        Ok(()) => output.commit().map(drop),
        Err(error) => {
            output.abandon();
            Err(GraphError::file(path, format!("the Parquet file cannot be written: {error}")))
        }
    }
}

fn write_to(table: &Table<'_>, output: &mut Output) -> Result<(), ParquetError> {
    let columns = table.file_columns();
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("results").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(Default::default()))
        .set_created_by(format!("Graphwright {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))?;
    let rows = table.rows.len();
    for start in (0..rows).step_by(GROUP) {
        let mut group = writer.next_row_group()?;
        for column in &columns {
            if let Some(mut place) = group.next_column()? {
                let cells = || (start..(start + GROUP).min(rows)).map(|row| column.cell(row));
                write_column(column.kind, &mut place, &cells)?;
                place.close()?;
            }
        }
        group.close()?;
    }
    writer.close().map(drop)
}

/// Writes the cells of a column in a row group.
fn write_column<'c, I: Iterator<Item = Cell<'c>>>(
    kind: Kind,
    place: &mut SerializedColumnWriter<'_>,
    cells: &dyn Fn() -> I,
) -> Result<(), ParquetError> {
    match kind {
        Kind::Int => put::<Int32Type, _>(place, cells, |cell| integer(cell) as i32),
        // Unsigned numbers are kept in their bits.
        Kind::Uint => put::<Int32Type, _>(place, cells, |cell| integer(cell) as u32 as i32),
        Kind::Int64 | Kind::Uint64 => put::<Int64Type, _>(place, cells, integer),
        Kind::Float => put::<FloatType, _>(place, cells, |cell| match cell {
            Cell::Float(value) => value,
            _ => 0.0,
        }),
        Kind::Double => put::<DoubleType, _>(place, cells, |cell| match cell {
            Cell::Double(value) => value,
            _ => 0.0,
        }),
        Kind::Bool => put::<BoolType, _>(place, cells, |cell| cell == Cell::Bool(true)),
        Kind::Text => put::<ByteArrayType, _>(place, cells, |cell| match cell {
            Cell::Text(text) => ByteArray::from(text.as_bytes().to_vec()),
            _ => ByteArray::new(),
        }),
    }
}

fn put<'c, T: DataType, I: Iterator<Item = Cell<'c>>>(
    place: &mut SerializedColumnWriter<'_>,
    cells: &dyn Fn() -> I,
    value: impl Fn(Cell<'c>) -> T::T,
) -> Result<(), ParquetError> {
    // One per row: is there a value?
    let levels: Vec<i16> = cells().map(|cell| i16::from(cell != Cell::Nothing)).collect();
    let values: Vec<T::T> = cells().filter(|cell| *cell != Cell::Nothing).map(value).collect();
    place.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}

fn integer(cell: Cell<'_>) -> i64 {
    match cell {
        Cell::Int(value) => value,
        Cell::Uint(value) => value as i64,
        _ => 0,
    }
}

fn field(column: &FileColumn<'_>) -> Result<Arc<Type>, ParquetError> {
    let unsigned = |bit_width| Some(LogicalType::Integer(IntType { bit_width, is_signed: false }));
    let (physical, logical) = match column.kind {
        Kind::Int => (Physical::INT32, None),
        Kind::Uint => (Physical::INT32, unsigned(32)),
        Kind::Int64 => (Physical::INT64, None),
        Kind::Uint64 => (Physical::INT64, unsigned(64)),
        Kind::Float => (Physical::FLOAT, None),
        Kind::Double => (Physical::DOUBLE, None),
        Kind::Bool => (Physical::BOOLEAN, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(&column.title, physical);
    Ok(Arc::new(builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}
