//! Columns of tables: what a table tells of edges or vertices beside their ends and the weight.
//!
//! | file | does |
//! |---|---|
//! | `cells` | collects the cells of a column, of the narrowest kind that holds all of them |
//! | `time` | reads dates and points in time |
//! | `stored` | columns and ids as bytes, for `.gwg` files |
//!
//! A table keeps its rows in the order of the file. A graph knows the row of each of its edges (or vertices), so that
//! an undirected edge, which is stored twice, has its row twice.

mod cells;
mod stored;
mod time;

use std::fmt;
use std::sync::Arc;

use crate::{Buffer, Names};

pub(crate) use cells::{Cells, Kind};
pub(crate) use stored::{Stored, stored_bytes};
pub use time::seconds_of;

/// Which columns of a table are kept beside those that make the graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Kept {
    /// None.
    #[default]
    None,
    /// Those of these names. A name that the table lacks is no error: it may be one of another table.
    Named(Vec<String>),
    /// All but the ends of edges and the weight.
    All,
}

/// The values of a column, one per row of its table.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Truth values, 0 or 1.
    Bool(Arc<Buffer<u8>>),
    /// Whole numbers.
    Int(Arc<Buffer<i64>>),
    /// Reals.
    Double(Arc<Buffer<f64>>),
    /// Points in time, in seconds since the beginning of 1970 in UTC.
    Time(Arc<Buffer<i64>>),
    /// Texts, each as its place in the sorted list of all different ones.
    Text(Arc<Buffer<u32>>, Arc<Names>),
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Its values; those of rows without one mean nothing.
    pub values: Values,
    /// The rows without a value, in ascending order.
    pub missing: Arc<Buffer<u32>>,
}

/// The columns of a table that are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<Column>,
    /// The names of the columns that are not kept, the ends of edges among them.
    pub others: Vec<String>,
}

/// The row of no table: a vertex that the table of vertices does not mention.
pub const NO_ROW: u32 = u32::MAX;

/// The columns of the edges or of the vertices of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// The table.
    pub table: Arc<Table>,
    /// The row of each edge, in the order of their numbers, or of each vertex; [`NO_ROW`] where there is none.
    pub row_of: Arc<Buffer<u32>>,
}

impl Values {
    /// What the values are, for messages.
    pub fn what(&self) -> &'static str {
        match self {
            Values::Bool(_) => "truth values",
            Values::Int(_) => "whole numbers",
            Values::Double(_) => "reals",
            Values::Time(_) => "points in time",
            Values::Text(..) => "texts",
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Values::Bool(values) => values.bytes(),
            Values::Int(values) | Values::Time(values) => values.bytes(),
            Values::Double(values) => values.bytes(),
            Values::Text(codes, texts) => codes.bytes() + texts.bytes(),
        }
    }
}

impl Column {
    /// Whether a row has no value.
    pub fn is_missing(&self, row: u32) -> bool {
        row == NO_ROW || (!self.missing.is_empty() && self.missing.binary_search(&row).is_ok())
    }
}

/// A text in a column of numbers, dates or truth values: probably a typing error in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Stranger {
    /// The first row that has such a text.
    pub row: u32,
    /// The text.
    pub text: String,
    /// What most rows hold, for messages.
    pub others: &'static str,
    /// How many of the rows with a value hold that, from above 0.5 to below 1.
    pub share: f64,
}

impl Column {
    /// What makes a column one of texts although more than half of its rows hold numbers, truth values or times.
    pub fn stranger(&self) -> Option<Stranger> {
        let Values::Text(codes, texts) = &self.values else { return None };
        let class = |kind: Kind| match kind {
            Kind::Int | Kind::Double => Some("numbers"),
            Kind::Bool => Some("truth values"),
            Kind::Time => Some("points in time"),
            Kind::Empty | Kind::Text | Kind::Name => None,
        };
        let classes: Vec<_> = texts.iter().map(|text| class(Kind::of(&text.to_string()))).collect();
        let of_row = |code: &u32| classes.get(*code as usize).copied().flatten();
        let count = |what| codes.iter().filter(|code| of_row(code) == Some(what)).count();
        let all = codes.len() - self.missing.len();
        let others = ["numbers", "truth values", "points in time"].into_iter().max_by_key(|what| count(what))?;
        let share = count(others) as f64 / all.max(1) as f64;
        let is_other = |&row: &u32| !self.is_missing(row) && of_row(&codes[row as usize]) != Some(others);
        let row = (0..codes.len() as u32).find(is_other).filter(|_| share > 0.5)?;
        let text = texts.get(codes[row as usize]).to_string();
        Some(Stranger { row, text, others, share })
    }
}

impl Table {
    /// The column of this name, or what to say where it is not there.
    pub fn column(&self, name: &str) -> Result<&Column, MissingColumn> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| MissingColumn {
            name: name.to_string(),
            kept: self.columns.iter().map(|column| column.name.clone()).collect(),
            is_left_out: self.others.iter().any(|other| other == name),
            others: self.others.clone(),
        })
    }
}

impl fmt::Display for Table {
    /// The columns that are kept, with what they hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Column { name, values, missing }) in self.columns.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}`{name}` ({}", values.what())?;
            match missing.len() {
                0 => f.write_str(")")?,
                1 => f.write_str(", 1 missing)")?,
                count => write!(f, ", {count} missing)")?,
            }
        }
        Ok(())
    }
}

impl Columns {
    /// Memory of all columns in bytes.
    pub fn bytes(&self) -> usize {
        let columns = self.table.columns.iter().map(|column| column.values.bytes() + column.missing.bytes());
        columns.sum::<usize>() + self.row_of.bytes()
    }

    /// The same table, where the entry at `at` has the row that the entry `from(at)` has here.
    pub(crate) fn moved(&self, count: usize, from: impl Fn(usize) -> usize + Sync) -> Columns {
        let row_of = crate::parallel::list(count, |at| self.row_of[from(at)]);
        Columns { table: Arc::clone(&self.table), row_of: Arc::new(row_of.into()) }
    }
}

/// There is no column of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingColumn {
    name: String,
    kept: Vec<String>,
    is_left_out: bool,
    others: Vec<String>,
}

impl fmt::Display for MissingColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        if self.is_left_out {
            return write!(
                f,
                "the column `{name}` was not kept when the table was read: read the table with `:columns={name}`; a \
                 column that gave the weights is `edges.weights()`"
            );
        }
        let near = crate::generate::suggestion(name, self.kept.iter().chain(&self.others).map(String::as_str));
        let all: Vec<String> = self.kept.iter().chain(&self.others).map(|name| format!("`{name}`")).collect();
        let begin = if near.is_empty() { "; the" } else { " The" };
        write!(f, "there is no column `{name}`{near}{begin} columns are {}", all.join(", "))
    }
}
