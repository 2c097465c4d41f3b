//! Parquet files: columns of whole numbers, numbers or texts, each of which may lack values.

use std::collections::HashSet;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{Field, Kind, Sheet, SheetError};
use crate::Result;

impl Sheet {
    /// The sheet as a Parquet file. A column of whole numbers is `INT64`, one of numbers `DOUBLE`, any other a
    /// string, in which numbers are written as in [`to_csv`](Sheet::to_csv); all may lack values.
    pub fn to_parquet(&self) -> Result<Vec<u8>> {
        Ok(self.parquet()?)
    }

    fn parquet(&self) -> Result<Vec<u8>, SheetError> {
        self.check()?;
        let kinds: Vec<Kind> = (0..self.columns.len()).map(|at| self.kind(at)).collect();
        let columns = self.columns.iter().zip(&kinds).map(|(name, kind)| column(name, *kind));
        let schema = Type::group_type_builder("sheet").with_fields(columns.collect::<Result<_, _>>()?).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(Default::default()))
            .set_created_by(format!("Graphwright {}", env!("CARGO_PKG_VERSION")))
            .build();
        let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (at, kind) in kinds.into_iter().enumerate() {
            if let Some(mut column) = group.next_column()? {
                self.write(at, kind, &mut column)?;
                column.close()?;
            }
        }
        group.close()?;
        Ok(writer.into_inner()?)
    }

    fn check(&self) -> Result<(), SheetError> {
        let columns = self.columns.len();
        if let Some((row, fields)) =
            self.rows.iter().enumerate().map(|(at, row)| (at + 1, row.len())).find(|&(_, fields)| fields != columns)
        {
            return Err(SheetError::Row { row, fields, columns });
        }
        let mut names = HashSet::new();
        match self.columns.iter().find(|name| !names.insert(*name)) {
            Some(name) => Err(SheetError::TwoColumns(name.clone())),
            None => Ok(()),
        }
    }

    fn write(&self, at: usize, kind: Kind, column: &mut SerializedColumnWriter<'_>) -> Result<(), SheetError> {
        // One per row: is there a value?
        let levels: Vec<i16> = self.column(at).map(|field| i16::from(*field != Field::Nothing)).collect();
        let known = self.column(at).filter(|field| **field != Field::Nothing);
        match kind {
            Kind::Integer => {
                let numbers: Vec<i64> = known.filter_map(integer).collect();
                column.typed::<Int64Type>().write_batch(&numbers, Some(&levels), None)?;
            }
            Kind::Real => {
                let numbers: Vec<f64> = known.filter_map(real).collect();
                column.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
            }
            Kind::Text => {
                let texts: Vec<ByteArray> = known.map(|field| ByteArray::from(text(field).into_bytes())).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
            }
        }
        Ok(())
    }
}

fn column(name: &str, kind: Kind) -> Result<Arc<Type>, SheetError> {
    let (physical, logical) = match kind {
        Kind::Integer => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(name, physical);
    Ok(Arc::new(builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}

fn integer(field: &Field) -> Option<i64> {
    match field {
        Field::Integer(number) => Some(*number),
        _ => None,
    }
}

fn real(field: &Field) -> Option<f64> {
    match field {
        Field::Integer(number) => Some(*number as f64),
        Field::Real(number) => Some(*number),
        _ => None,
    }
}

fn text(field: &Field) -> String {
    match field {
        Field::Nothing => String::new(),
        Field::Integer(number) => number.to_string(),
        Field::Real(number) => format!("{number:?}"),
        Field::Text(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field as Read;
    use proptest::prelude::*;
    use std::io::Write;

    /// The columns and rows of a file.
    fn read(file: Vec<u8>) -> (Vec<String>, Vec<Vec<Read>>) {
        let mut place = tempfile::tempfile().unwrap();
        place.write_all(&file).unwrap();
        let reader = SerializedFileReader::new(place).unwrap();
        let names = reader.metadata().file_metadata().schema().get_fields().iter().map(|f| f.name().to_string());
        let rows = reader.get_row_iter(None).unwrap();
        let rows = rows.map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect());
        (names.collect(), rows.collect())
    }

    #[test]
    fn kinds_and_gaps() {
        let mut sheet = Sheet::new(["whole", "number", "text", "none"]);
        sheet.row([1i64.into(), 1i64.into(), "a \"b\"\né".into(), Field::Nothing]);
        sheet.row([Field::Nothing, 0.1.into(), 7i64.into(), Field::Nothing]);
        sheet.row([i64::MIN.into(), Field::Nothing, Field::Nothing, Field::Nothing]);
        let (names, rows) = read(sheet.to_parquet().unwrap());
        assert_eq!(names, sheet.columns);
        let text = |text: &str| Read::Str(text.into());
        assert_eq!(rows[0], [Read::Long(1), Read::Double(1.0), text("a \"b\"\né"), Read::Null]);
        assert_eq!(rows[1], [Read::Null, Read::Double(0.1), text("7"), Read::Null]);
        assert_eq!(rows[2], [Read::Long(i64::MIN), Read::Null, Read::Null, Read::Null]);
    }

    #[test]
    fn what_cannot_be_written() {
        let mut sheet = Sheet::new(["a", "b"]);
        sheet.row([1i64.into()]);
        let error = sheet.to_parquet().unwrap_err().to_string();
        assert_eq!(error, "row 1 of the table has 1 fields, but there are 2 columns");
        let error = Sheet::new(["a", "a"]).to_parquet().unwrap_err().to_string();
        assert_eq!(error, "two columns are called `a`; a Parquet file needs different names");
        assert_eq!(read(Sheet::new(["a"]).to_parquet().unwrap()).1.len(), 0);
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(proptest::option::of(any::<f64>()), 1..300)) {
            let mut sheet = Sheet::new(["x"]);
            numbers.iter().for_each(|number| sheet.row([Field::from(*number)]));
            prop_assume!(sheet.kind(0) == Kind::Real);
            for (row, number) in read(sheet.to_parquet().unwrap()).1.iter().zip(&numbers) {
                match (&row[0], number) {
                    (Read::Null, None) => {}
                    (Read::Double(read), Some(number)) => prop_assert_eq!(read.to_bits(), number.to_bits()),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }
    }
}
