//! A column as an array of NumPy: a header of a few lines and the values as they stand in memory, little-endian.
//!
//! The format is NumPy's NEP 1, version 1.0. Vertices are numbers, and no vertex is -1.

use std::path::Path;

use super::{Cells, Rows, Table};
use crate::{GraphError, Result};

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The values begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// The file of a table with one column: an array with an entry per row, or with a row of `width` entries.
pub(super) fn bytes(table: &Table<'_>, path: &Path) -> Result<Vec<u8>> {
    let [column] = &table.columns[..] else {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let message = format!("a .npy holds one result of {}: write it as RESULT=FILE", names.join(", "));
        return Err(GraphError::file(path, message));
    };
    let (kind, values): (&str, Vec<u8>) = match &column.cells {
        Cells::Int(values) => ("<i4", little_endian(values, |v| v.to_le_bytes())),
        Cells::Uint(values) => ("<u4", little_endian(values, |v| v.to_le_bytes())),
        Cells::Int64(values) => ("<i8", little_endian(values, |v| v.to_le_bytes())),
        Cells::Uint64(values) => ("<u8", little_endian(values, |v| v.to_le_bytes())),
        Cells::Float(values) => ("<f4", little_endian(values, |v| v.to_le_bytes())),
        Cells::Double(values) => ("<f8", little_endian(values, |v| v.to_le_bytes())),
        Cells::Bool(values) => ("|b1", little_endian(values, |v| [u8::from(v)])),
        Cells::Text(_) => return Err(GraphError::file(path, "a .npy holds numbers, and this result is a text")),
    };
    let shape = match (table.rows, column.width) {
        (Rows::One, _) => "()".to_string(),
        (rows, 1) => format!("({},)", rows.len()),
        (rows, width) => format!("({}, {width})", rows.len()),
    };
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // The length of the header is a number of two bytes behind the magic; the header ends with a newline.
    let before = MAGIC.len() + 2;
    let length = (before + dictionary.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let mut file = MAGIC.to_vec();
    file.extend((length as u16).to_le_bytes());
    file.extend(format!("{dictionary:<width$}\n", width = length - 1).into_bytes());
    file.extend(values);
    Ok(file)
}

fn little_endian<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Column;

    fn file(rows: Rows<'_>, cells: Cells<'static>, width: usize) -> Vec<u8> {
        let column = Column { width, ..Column::new("x", cells) };
        bytes(&Table { rows, columns: vec![column] }, Path::new("x.npy")).unwrap()
    }

    #[test]
    fn headers_are_those_of_numpy() {
        // `numpy.save` writes the same bytes for these arrays.
        let vector = file(Rows::Places(2), vec![1.5f32, -2.0].into(), 1);
        let mut expected =
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".to_vec();
        expected.resize(127, b' ');
        expected.push(b'\n');
        expected.extend([0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]);
        assert_eq!(vector, expected);
        let rows = file(Rows::Places(2), vec![1i64, 2, 3, 4, 5, 6].into(), 3);
        assert!(rows[10..].starts_with(b"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }"));
        assert_eq!(rows.len(), 128 + 48);
        let one = file(Rows::One, vec![true].into(), 1);
        assert!(one[10..].starts_with(b"{'descr': '|b1', 'fortran_order': False, 'shape': (), }"));
        assert_eq!(one[128..], [1]);
    }
}
