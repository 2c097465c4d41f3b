//! A sheet: named columns and rows of fields. Answers of queries, tables for people and files for other tools are all made of it.

/// Named columns and rows of fields.
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

impl Sheet {
    /// A sheet without rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Sheet {
        Sheet { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }
}
