//! Tables of edges that are read record by record: the reader of a stream brings the records, this says what is in
//! them.
//!
//! Headers, separators, quotes and usual names of columns are those of tables that are read as a whole. Two more
//! columns are known: the time of an edge, and whether it comes or goes.

use std::borrow::Cow;

use super::columns::{self, Places, TableColumns, named};
use super::csv::separator_of;
use super::record::{Field, Records, is_open};
use crate::format::text::Fault;
use crate::text_file::BYTE_ORDER_MARK;

/// The columns of such a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowColumns {
    /// Sources, targets and weights.
    pub edges: TableColumns,
    /// The column of times; without a name `time`, `timestamp`, `date` or `t`, else the last one that is left.
    pub time: Option<String>,
    /// The column that says whether an edge comes or goes; without a name `change`, `op` or `action`.
    pub change: Option<String>,
    /// There are times.
    pub is_timed: bool,
}

/// A table whose header is known.
#[derive(Debug)]
pub struct RowTable {
    separator: u8,
    header: Vec<String>,
    places: Places,
    time: Option<usize>,
    change: Option<usize>,
}

/// The fields of a record that matter, without the quotes around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// The source of the edge.
    pub source: Cow<'a, str>,
    /// Its target.
    pub target: Cow<'a, str>,
    /// Its weight, where there is such a column with something in it.
    pub weight: Option<Cow<'a, str>>,
    /// Its time, likewise.
    pub time: Option<Cow<'a, str>>,
    /// Whether it comes or goes, likewise.
    pub change: Option<Cow<'a, str>>,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    /// In words.
    pub problem: String,
    /// A source or a target is missing, and nothing else is wrong.
    pub is_missing: bool,
}

impl From<String> for RowFault {
    fn from(problem: String) -> Self {
        RowFault { problem, is_missing: false }
    }
}

const TIMES: &[&str] = &["time", "timestamp", "date", "t"];
const CHANGES: &[&str] = &["change", "op", "action"];

impl RowTable {
    /// The table that begins with this record, and whether the record is a row already, not a header. `separator` is
    /// found in the record where none is given.
    pub fn new(first: &str, separator: Option<u8>, columns: &RowColumns) -> Result<(RowTable, bool), String> {
        let first = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
        let separator = separator.unwrap_or_else(|| separator_of(first.as_bytes()));
        let fields = cut(first.as_bytes(), separator).map_err(|fault| fault.message)?;
        let fields: Vec<String> = fields.iter().map(|field| field.text(first.as_bytes())).collect();
        let is_header = columns.edges.is_header(&fields);
        let header = if is_header { fields } else { columns::numbered(fields.len()) };
        let change = named(&header, "change", columns.change.as_deref(), CHANGES)?;
        let time = match columns.is_timed {
            true => named(&header, "time", columns.time.as_deref(), TIMES)?,
            false => None,
        };
        let taken: Vec<usize> = [change, time].into_iter().flatten().collect();
        let places = columns.edges.places_beside(&header, &taken)?;
        let used =
            |at: usize| at == places.source || at == places.target || Some(at) == places.weight || taken.contains(&at);
        let time = match columns.is_timed {
            true => Some(time.or_else(|| (0..header.len()).rev().find(|&at| !used(at))).ok_or("no column has times")?),
            false => None,
        };
        Ok((RowTable { separator, header, places, time, change }, !is_header))
    }

    /// Whether a record goes on in the next line: a quote is open.
    pub fn is_open(&self, record: &str) -> bool {
        is_open(record.as_bytes(), self.separator)
    }

    /// The fields of a record.
    pub fn row<'a>(&self, record: &'a str) -> Result<Row<'a>, RowFault> {
        let bytes = record.as_bytes();
        let fields = cut(bytes, self.separator).map_err(|fault| fault.message)?;
        let Places { source, target, weight } = self.places;
        let needed = [Some(source), Some(target), weight, self.time, self.change].into_iter().flatten().max();
        let needed = needed.unwrap_or(0);
        if fields.len() <= needed || fields.len() > self.header.len() {
            return Err(columns::wrong_count(&self.header, fields.len(), needed).into());
        }
        let content = |at: usize| match fields[at] {
            field if field.escaped => Cow::Owned(field.text(bytes)),
            field => Cow::Borrowed(&record[field.start..field.end]),
        };
        let filled = |at: usize| Some(content(at)).filter(|content| !content.is_empty());
        let missing = |at: usize| RowFault { problem: columns::empty(&self.header[at]), is_missing: true };
        let end = |at: usize| filled(at).ok_or_else(|| missing(at));
        Ok(Row {
            source: end(source)?,
            target: end(target)?,
            weight: weight.and_then(filled),
            time: self.time.and_then(filled),
            change: self.change.and_then(filled),
        })
    }
}

fn cut(record: &[u8], separator: u8) -> Result<Vec<Field>, Fault> {
    let mut records = Records::new(record, 0, separator);
    let mut fields = Vec::new();
    loop {
        let field = records.field()?;
        fields.push(field);
        if field.last {
            return Ok(fields);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(is_timed: bool) -> RowColumns {
        RowColumns { is_timed, ..RowColumns::default() }
    }

    #[test]
    fn rows_of_a_table_with_and_without_a_header() {
        let (table, is_row) = RowTable::new("op,from,to,weight,when", None, &columns(true)).unwrap();
        let row = table.row("-,\"alice \"\"a\"\" smith\",bob,,17").unwrap();
        assert!(!is_row);
        assert_eq!((&*row.source, &*row.target, row.weight), ("alice \"a\" smith", "bob", None));
        assert_eq!((row.time.as_deref(), row.change.as_deref()), (Some("17"), Some("-")));

        let (table, is_row) = RowTable::new("1\t2\t0.5", Some(b'\t'), &columns(false)).unwrap();
        let row = table.row("1\t2\t0.5").unwrap();
        assert!(is_row);
        assert_eq!((&*row.source, &*row.target, row.weight, row.time), ("1", "2", None, None));
        let named = RowColumns {
            edges: TableColumns { weight: Some("4".into()), no_header: true, ..TableColumns::default() },
            change: Some("1".into()),
            ..columns(false)
        };
        let (table, _) = RowTable::new("+;a;b;3", None, &named).unwrap();
        let row = table.row("+;a;b;3").unwrap();
        assert_eq!((&*row.source, &*row.target, row.weight.as_deref()), ("a", "b", Some("3")));
    }

    #[test]
    fn a_quote_keeps_a_record_open() {
        let (table, _) = RowTable::new("source,target", None, &columns(false)).unwrap();
        for (record, expected) in
            [("a,\"b", true), ("a,\"b\"\"", true), ("a,\"b\"", false), ("5\" pipe,b", false), ("5\" pipe,\"b", true)]
        {
            assert_eq!(table.is_open(record), expected, "{record}");
        }
        let row = table.row("a,\"b\nc\"\n").unwrap();
        assert_eq!(&*row.target, "b\nc");
    }

    #[test]
    fn mistakes_are_named() {
        let open = |first: &str, columns: &RowColumns| RowTable::new(first, None, columns).unwrap_err();
        let timed = RowColumns { time: Some("when".into()), ..columns(true) };
        assert_eq!(open("a,b", &timed), "there is no column `when` for the time; the columns are `a`, `b`");
        assert_eq!(open("a,b", &columns(true)), "no column has times");
        assert_eq!(open("time,b", &columns(true)), "no column is left for the targets; the columns are `time`, `b`");
        let (table, _) = RowTable::new("a,b", None, &columns(false)).unwrap();
        let wrong = |record: &str| table.row(record).unwrap_err();
        assert_eq!(wrong("x").problem, "1 field, but the column `b` is number 2");
        assert_eq!(wrong("x,y,z").problem.split(';').next(), Some("3 fields for 2 columns"));
        assert!(wrong("x,").is_missing && !wrong("x").is_missing);
        assert_eq!(
            wrong("x,").problem,
            "the column `b` is empty here; fill it in, or leave such lines out with --missing skip"
        );
    }
}
