//! Traces in Parquet files, several row groups long.
#![cfg(feature = "parquet")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use gw_mine::{ReadOptions, Source, Templates, load, mine, open};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const SCHEMA: &str =
    "message trace { required boolean ok; required double x; required int64 n; required binary name (UTF8); }";

/// Three row groups of 100 rows: `ok` is true, `x` is twice `n`.
fn write(path: &Path) {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    for group in 0..3_i64 {
        let rows = 100 * group..100 * (group + 1);
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<BoolType>().write_batch(&[true; 100], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let doubles: Vec<f64> = rows.clone().map(|n| 2.0 * n as f64).collect();
        column.typed::<DoubleType>().write_batch(&doubles, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&rows.collect::<Vec<_>>(), None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&vec![ByteArray::from("a"); 100], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn a_table_is_read_in_parts_and_mined() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    write(&path);
    for part in [64, 128, 1024] {
        let mut source = open(&path, &ReadOptions { part, ..ReadOptions::default() }).unwrap();
        let found = mine(&mut *source, &Templates::second()).unwrap();
        let texts: Vec<String> = found.invariants.iter().map(|i| i.text(&found.variables)).collect();
        assert!(texts.contains(&"x = 2 * n".to_string()) && texts.contains(&"ok is true".to_string()), "{texts:?}");
        let whole = load(&mut *source).unwrap();
        assert_eq!((whole.trace().instants, whole.trace().numbers.get(1, 299)), (300, 299.0));
        assert_eq!(source.notes(), ["column `name` is left out: BYTE_ARRAY is no number"]);
    }
}

/// A row group may be as large as the table; it is read in parts as well. Numbers that are rounded are told.
#[test]
fn large_row_groups_are_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    let schema = Arc::new(parse_message_type("message trace { required int64 n; required int64 m; }").unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for shift in [0, (1 << 53) - 20_000_i64] {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<i64> = (0..20_010).map(|n| n + shift).collect();
        column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let mut source = open(&path, &ReadOptions { part: 6400, ..ReadOptions::default() }).unwrap();
    source.rewind().unwrap();
    let mut parts = Vec::new();
    while let Some(part) = source.next().unwrap() {
        assert_eq!(part.numbers.get(0, 0), parts.iter().sum::<usize>() as f64);
        parts.push(part.instants);
    }
    assert_eq!(parts, [6400, 6400, 6400, 810]);
    let note = "column `m` is rounded to 64-bit floats: row 20002 has a whole number beyond 2^53 that is none";
    assert_eq!(load(&mut *source).unwrap().notes(), [note]);
}

#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    write(&path);
    let bytes = std::fs::read(&path).unwrap();
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let error = open(&path, &ReadOptions::default()).err().expect("a cut file is refused").to_string();
        assert!(error.contains("the Parquet file"), "{error}");
    }
}
