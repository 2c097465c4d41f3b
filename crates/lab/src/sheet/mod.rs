//! A sheet: named columns and rows of fields. Answers of queries, tables for people and files for other tools are all
//! made of it.
//!
//! | file | form |
//! |---|---|
//! | `text` | aligned columns for a terminal |
//! | `csv`, `parquet` | files for other tools; numbers keep all their digits |
//! | `latex`, `markdown` | tables for documents |
//! | `digits` | how many digits of a number a person wants to see |

mod csv;
mod digits;
mod latex;
mod markdown;
mod parquet;
mod text;

/// Named columns and rows of fields.
///
/// ```
/// use gw_lab::Sheet;
/// let mut sheet = Sheet::new(["graph", "seconds"]);
/// sheet.row(["road".into(), 0.25.into()]);
/// sheet.row(["kron".into(), 1.5.into()]);
/// assert_eq!(sheet.to_csv(), "graph,seconds\nroad,0.25\nkron,1.5\n");
/// assert_eq!(sheet.to_text(), "graph  seconds\nroad     0.250\nkron     1.500\n");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// The columns.
    pub columns: Vec<String>,
    /// The rows; each has a field per column.
    pub rows: Vec<Vec<Field>>,
}

/// One field of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Nothing known.
    Nothing,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
}

/// What all fields of a column have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers, some of them unknown.
    Integer,
    /// Numbers.
    Real,
    /// At least one text, or nothing known at all.
    Text,
}

/// A sheet that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// A row has too many or too few fields.
    #[error("row {row} of the table has {fields} fields, but there are {columns} columns")]
    Row {
        /// The row, counted from 1.
        row: usize,
        /// Its fields.
        fields: usize,
        /// The columns of the sheet.
        columns: usize,
    },
    /// Two columns of the same name, which a Parquet file cannot tell apart.
    #[error("two columns are called `{0}`; a Parquet file needs different names")]
    TwoColumns(String),
    /// The writer of Parquet files refused.
    #[error("cannot make a Parquet file: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
}

impl Sheet {
    /// A sheet without rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Sheet {
        Sheet { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, fields: impl IntoIterator<Item = Field>) {
        self.rows.push(fields.into_iter().collect());
    }

    /// The fields of a column; rows that are too short have nothing there.
    fn column(&self, at: usize) -> impl Iterator<Item = &Field> {
        self.rows.iter().map(move |row| row.get(at).unwrap_or(&Field::Nothing))
    }

    /// What the fields of a column are.
    pub(crate) fn kind(&self, at: usize) -> Kind {
        let mut kind = None;
        for field in self.column(at) {
            kind = match (kind, field) {
                (kind, Field::Nothing) => kind,
                (_, Field::Text(_)) => return Kind::Text,
                (Some(Kind::Real), _) | (_, Field::Real(_)) => Some(Kind::Real),
                (_, Field::Integer(_)) => Some(Kind::Integer),
            };
        }
        kind.unwrap_or(Kind::Text)
    }

    /// The rows as texts for people, with digits that fit each column; `nothing` stands for what is not known.
    fn cells(&self, nothing: &str) -> Vec<Vec<String>> {
        let digits: Vec<digits::Digits> =
            (0..self.columns.len()).map(|at| digits::Digits::of(self.column(at))).collect();
        let cell = |row: &Vec<Field>, at: usize| match row.get(at).unwrap_or(&Field::Nothing) {
            Field::Nothing => nothing.to_string(),
            Field::Integer(number) => number.to_string(),
            Field::Real(number) => digits[at].show(*number, nothing),
            Field::Text(text) => text.clone(),
        };
        self.rows.iter().map(|row| (0..self.columns.len()).map(|at| cell(row, at)).collect()).collect()
    }
}

impl From<i64> for Field {
    fn from(number: i64) -> Field {
        Field::Integer(number)
    }
}

impl From<u64> for Field {
    /// Numbers beyond the range of `i64` become reals.
    fn from(number: u64) -> Field {
        i64::try_from(number).map_or(Field::Real(number as f64), Field::Integer)
    }
}

impl From<usize> for Field {
    fn from(number: usize) -> Field {
        Field::from(number as u64)
    }
}

impl From<f64> for Field {
    fn from(number: f64) -> Field {
        Field::Real(number)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field::Text(text.to_string())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Field {
        Field::Text(text)
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Field {
        value.map_or(Field::Nothing, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_columns() {
        let mut sheet = Sheet::new(["a", "b", "c", "d"]);
        sheet.row([1i64.into(), 1i64.into(), 1.5.into(), Field::Nothing]);
        sheet.row([Field::Nothing, 1.5.into(), "x".into()]);
        assert_eq!([0, 1, 2, 3].map(|at| sheet.kind(at)), [Kind::Integer, Kind::Real, Kind::Text, Kind::Text]);
    }

    #[test]
    fn fields_from_values() {
        assert_eq!(Field::from(u64::MAX), Field::Real(u64::MAX as f64));
        assert_eq!(Field::from(None::<f64>), Field::Nothing);
        assert_eq!(Field::from(Some("x")), Field::Text("x".into()));
    }
}
