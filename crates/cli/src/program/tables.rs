//! Results as tables: `vertex,rank` or `source,target,flow` in CSV, TSV or Parquet, with the original ids of vertices.

use std::path::Path;

use gw_exec::{Value, Vector};
use gw_lab::{Field, Sheet};

use super::ids::{self, Ids};
use super::results::in_full;
use crate::error::CliError;

/// The kinds of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Separated by this byte.
    Separated(char),
    /// A Parquet file.
    Parquet,
}

impl Kind {
    /// The kind that a file name means; `None` for plain lines.
    pub fn of_path(path: &Path) -> Option<Kind> {
        let suffix = path.extension()?.to_str()?.to_ascii_lowercase();
        match suffix.as_str() {
            "csv" => Some(Kind::Separated(',')),
            "tsv" => Some(Kind::Separated('\t')),
            "parquet" | "pq" => Some(Kind::Parquet),
            _ => None,
        }
    }

    /// A result as a file of this kind.
    pub fn bytes(self, name: &str, value: &Value, ids: &Ids<'_>) -> Result<Vec<u8>, CliError> {
        let table = Table { name, value, ids };
        match self {
            Kind::Separated(separator) => Ok(table.separated(separator).into_bytes()),
            Kind::Parquet => Ok(table.sheet().to_parquet()?),
        }
    }
}

struct Table<'a> {
    name: &'a str,
    value: &'a Value,
    ids: &'a Ids<'a>,
}

impl Table<'_> {
    fn titles(&self) -> Vec<String> {
        match self.value.as_vector() {
            None => vec![self.name.to_string()],
            Some(vector) => {
                let first = self.ids.titles(self.name, vector.len()).iter().map(|title| title.to_string());
                let values = match vector.stride().max(1) {
                    1 => vec![self.name.to_string()],
                    columns => (0..columns).map(|column| format!("{}_{column}", self.name)).collect(),
                };
                first.chain(values).collect()
            }
        }
    }

    fn separated(&self, separator: char) -> String {
        let titles: Vec<String> = self.titles().iter().map(|title| quoted(title, separator)).collect();
        let mut text = titles.join(&separator.to_string()) + "\n";
        let Some(vector) = self.value.as_vector() else { return text + &in_full(self.value) + "\n" };
        let columns = vector.stride().max(1);
        for at in 0..vector.len() {
            let entry = self.ids.entry(self.name, at, vector.len());
            let entry: Vec<String> = entry.iter().map(|field| quoted(&ids::text(field), separator)).collect();
            text += &entry.join(&separator.to_string());
            for column in 0..columns {
                text.push(separator);
                let value = cell(vector, at * columns + column);
                match self.ids.vertex_in(self.name, &value) {
                    Some(vertex) => text += &quoted_or_empty(&vertex, separator),
                    None => text += &in_full(&value),
                }
            }
            text.push('\n');
        }
        text
    }

    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new(self.titles());
        let Some(vector) = self.value.as_vector() else {
            sheet.row([field(self.value)]);
            return sheet;
        };
        let columns = vector.stride().max(1);
        for at in 0..vector.len() {
            let values = (0..columns).map(|column| {
                let value = cell(vector, at * columns + column);
                self.ids.vertex_in(self.name, &value).unwrap_or_else(|| field(&value))
            });
            sheet.row(self.ids.entry(self.name, at, vector.len()).into_iter().chain(values));
        }
        sheet
    }
}

fn cell(vector: &Vector, at: usize) -> Value {
    vector.get(at).unwrap_or(Value::Nothing)
}

fn field(value: &Value) -> Field {
    match *value {
        Value::Int(v) => Field::Integer(v.into()),
        Value::Uint(v) => Field::Integer(v.into()),
        Value::Int64(v) => Field::Integer(v),
        Value::Uint64(v) => i64::try_from(v).map_or_else(|_| Field::Real(v as f64), Field::Integer),
        Value::Bool(v) => Field::Integer(v.into()),
        Value::Float(v) => Field::Real(v.into()),
        Value::Double(v) => Field::Real(v),
        _ => Field::Nothing,
    }
}

fn quoted_or_empty(field: &Field, separator: char) -> String {
    match field {
        Field::Nothing => String::new(),
        field => quoted(&ids::text(field), separator),
    }
}

/// A field in quotes where a reader of tables would take it for something else.
fn quoted(text: &str, separator: char) -> String {
    let is_plain = !text.is_empty() && !text.contains([separator, '"', '\n', '\r']) && text.trim() == text;
    match is_plain {
        true => text.to_string(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}
