//! Changes of edges from a text: a line each, or a row of a table each.
//!
//! | file | does |
//! |---|---|
//! | `record` | reads line by line, and row by row where a quoted field goes over several lines |
//! | `words` | the parts of a change, from a line or a row |
//! | `vertices` | the vertices that a change names, by number or by original id |

mod record;
mod vertices;
mod words;

use std::cell::Cell;
use std::io::BufRead;

use gw_graph::WeightKind;
use gw_graph::format::{RowColumns, RowFault, RowTable};

use self::record::Records;
pub use self::vertices::Vertices;
use self::words::Words;
use crate::batch::Change;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

/// A change and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update<W> {
    /// Where the edge begins.
    pub source: u32,
    /// Where the edge leads to.
    pub target: u32,
    /// What becomes of it.
    pub change: Change<W>,
    /// The time, 0 where times are not asked for.
    pub time: f64,
}

/// How far a source of changes was read: how many of them, and a hash that tells them from those of another source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Lines and rows so far, with those that are no change.
    pub changes: u64,
    /// A hash of them, in order.
    pub hash: u64,
}

/// How a text has its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// `source target`, with a weight and a time where there are some; a `-` before the source deletes, a `+` inserts.
    Lines {
        /// The last word is the time, and times do not fall.
        is_timed: bool,
    },
    /// A table with a header or without one.
    Table {
        /// What stands between fields; without it, what the first line has.
        separator: Option<u8>,
        /// Which column has what.
        columns: RowColumns,
    },
}

/// Reads changes one by one.
pub struct Updates<R> {
    records: Records<R>,
    form: Form,
    table: Option<RowTable>,
    place: Place,
    /// The time of the last change.
    last: Cell<f64>,
}

impl<R: BufRead> Updates<R> {
    /// Changes from a reader; `name` stands in messages.
    pub fn new(reader: R, name: impl Into<String>, form: Form) -> Self {
        let (is_table, comments): (_, &[u8]) = match &form {
            Form::Lines { .. } => (false, b"#%"),
            Form::Table { columns, .. } if columns.edges.no_header => (true, b""),
            Form::Table { .. } => (true, b"#"),
        };
        let records = Records::new(reader, name.into(), is_table, comments);
        Updates { records, form, table: None, place: Place::default(), last: Cell::new(f64::NEG_INFINITY) }
    }

    /// How far the source was read.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The number of the line at which the last change begins, from 1.
    pub fn line(&self) -> u64 {
        self.records.line
    }

    /// The next change. Empty lines and, outside of tables, those that begin with `#` or `%` are passed over. After an
    /// error for which [`DynamicError::is_bad_line`] is true, the next call goes on behind the line at fault.
    pub fn next_change<W: EdgeWeight>(&mut self, vertices: &mut Vertices) -> Result<Option<Update<W>>> {
        if !self.advance()? {
            return Ok(None);
        }
        let (name, line) = (&self.records.name, self.records.line);
        let bad = |RowFault { problem, is_missing }| {
            let name = name.clone();
            DynamicError::BadLine { name, line, problem, is_missing }
        };
        let Read { words, change, time } = self.read::<W>(vertices.are_ids()).map_err(bad)?;
        let (source, target) = vertices.both(&words).map_err(|wrong| match wrong {
            vertices::Wrong::Problem(problem) => bad(problem.into()),
            vertices::Wrong::Beyond(vertex) => {
                DynamicError::BeyondLimit { name: name.clone(), line, vertex, limit: vertices.limit() }
            }
        })?;
        Ok(Some(Update { source, target, change, time }))
    }

    /// Passes over changes until as many were read as `seen` says. Whether they are the same ones.
    pub fn pass_over<W: EdgeWeight>(&mut self, seen: Place, vertices: &Vertices) -> Result<bool> {
        while self.place.changes < seen.changes && self.advance()? {
            // Times go on from those of the lines that are changes.
            let _ = self.read::<W>(vertices.are_ids());
        }
        Ok(self.place == seen)
    }

    /// Goes to the next line or row that should be a change; false at the end.
    fn advance(&mut self) -> Result<bool> {
        if let (Form::Table { separator, columns }, None) = (&self.form, &self.table) {
            if !self.records.next(|_| false)? {
                return Ok(false);
            }
            let made = self.records.text().and_then(|text| RowTable::new(text, *separator, columns));
            let (table, is_row) = made.map_err(|problem| DynamicError::Table {
                name: self.records.name.clone(),
                line: self.records.line,
                problem,
            })?;
            // Below the header, names may begin with any letter.
            (self.records.again, self.records.comments) = (is_row, b"");
            self.table = Some(table);
        }
        let table = self.table.as_ref();
        if !self.records.next(|text| table.is_some_and(|table| table.is_open(text)))? {
            return Ok(false);
        }
        let bytes = self.records.bytes().trim_ascii();
        self.place.changes += 1;
        self.place.hash = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.place.hash);
        Ok(true)
    }

    /// The change of the present line or row, or what is wrong with it.
    fn read<W: EdgeWeight>(&self, by_tabs: bool) -> std::result::Result<Read<'_, W>, RowFault> {
        let (text, is_timed) = (self.records.text()?, self.form.is_timed());
        let words = match &self.table {
            Some(table) => Words::of_row(table.row(text)?)?,
            None => Words::of_line(text.trim(), is_timed, by_tabs)?,
        };
        let is_missing = words.lacks_weight::<W>();
        let change = words.change::<W>().map_err(|problem| RowFault { problem, is_missing })?;
        let time = words.time(is_timed)?;
        let last = self.last.get();
        if time < last {
            return Err(format!("the time {time} comes after {last}; sort the lines by time").into());
        }
        if is_timed {
            self.last.set(time);
        }
        Ok(Read { words, change, time })
    }
}

/// A change whose vertices are not known yet.
struct Read<'a, W> {
    words: Words<'a>,
    change: Change<W>,
    time: f64,
}

impl Form {
    fn is_timed(&self) -> bool {
        match self {
            Form::Lines { is_timed } => *is_timed,
            Form::Table { columns, .. } => columns.is_timed,
        }
    }
}

/// Whether a graph with this type of weights has any.
fn has_weights<W: EdgeWeight>() -> bool {
    W::KIND != WeightKind::None
}

#[cfg(test)]
mod tests {
    use gw_graph::Names;

    use super::*;

    fn lines(text: &str, is_timed: bool) -> Updates<&[u8]> {
        Updates::new(text.as_bytes(), "u", Form::Lines { is_timed })
    }

    fn table(text: &str, is_timed: bool) -> Updates<&[u8]> {
        let columns = RowColumns { is_timed, ..RowColumns::default() };
        Updates::new(text.as_bytes(), "u.csv", Form::Table { separator: None, columns })
    }

    fn all<W: EdgeWeight>(mut updates: Updates<&[u8]>, vertices: &mut Vertices) -> Vec<(u32, u32, Change<W>)> {
        std::iter::from_fn(|| updates.next_change::<W>(vertices).unwrap())
            .map(|update| (update.source, update.target, update.change))
            .collect()
    }

    fn ids(names: Names) -> Vertices {
        Vertices::ids(names.into())
    }

    #[test]
    fn lines_are_changes() {
        let text = "# edges\n1 2 5\n\n+ 3 4 -6\n-1 2\n- 3 4 7\n";
        let insert = Change::Insert;
        let expected = [(1, 2, insert(5)), (3, 4, insert(-6)), (1, 2, Change::Delete), (3, 4, Change::Delete)];
        assert_eq!(all::<i32>(lines(text, false), &mut Vertices::numbers()), expected);
    }

    #[test]
    fn names_are_vertices_in_the_order_of_their_arrival() {
        let mut vertices = ids(Names::from_texts(["bob"]));
        let text = "alice bob\n- bob carol\nann smith\tbob\n-ann smith\talice\n+ #tag\tbob\n";
        let found = all::<()>(lines(text, false), &mut vertices);
        let (insert, delete) = (Change::Insert(()), Change::Delete);
        assert_eq!(found, [(1, 0, insert), (0, 2, delete), (3, 0, insert), (3, 1, delete), (4, 0, insert)]);
        let names: Vec<String> = vertices.names().unwrap().iter().map(|name| name.to_string()).collect();
        assert_eq!(names, ["bob", "alice", "carol", "ann smith", "#tag"]);
    }

    #[test]
    fn numbers_are_ids_where_the_graph_has_such() {
        let mut vertices = ids(Names::from_unsigned(vec![70, 900]));
        assert_eq!(
            all::<()>(lines("900 70\n-900 5\n", false), &mut vertices),
            [(1, 0, Change::Insert(())), (1, 2, Change::Delete)]
        );
        let mut signed = ids(Names::from_signed(vec![-5, 7]));
        let text = "-5 7\n- 5 7\n+ -5 7\n7 -5\n";
        let mut updates = lines(text, false);
        let error = updates.next_change::<()>(&mut signed).unwrap_err().to_string();
        assert!(error.contains("write `- 5` to delete an edge of 5, or `+ -5` for the vertex -5"), "{error}");
        let mut next = || updates.next_change::<()>(&mut signed).unwrap().unwrap();
        assert_eq!(
            [next(), next(), next()].map(|u| (u.source, u.target, u.change)),
            [(2, 1, Change::Delete), (0, 1, Change::Insert(())), (1, 0, Change::Insert(()))]
        );
    }

    #[test]
    fn rows_are_changes() {
        let text =
            "op,from,to,weight,time\n+,\"smith, ann\",bob,2,10\n-,bob,\"smith, ann\",,11\n,bob,\"two\nlines\",3,12\n";
        let mut vertices = ids(Names::from_texts([]));
        let mut updates = table(text, true);
        let mut found = Vec::new();
        while let Some(update) = updates.next_change::<i32>(&mut vertices).unwrap() {
            found.push((updates.line(), update.source, update.target, update.change, update.time));
        }
        assert_eq!(
            found,
            [(2, 0, 1, Change::Insert(2), 10.0), (3, 1, 0, Change::Delete, 11.0), (4, 1, 2, Change::Insert(3), 12.0)]
        );
        let mut numbers = Vertices::numbers();
        assert_eq!(all::<()>(table("1,2\n3,4\n", false), &mut numbers).len(), 2, "without a header");
        let error = table("a,b\n\"x,y\nz,w\n", false).next_change::<()>(&mut ids(Names::from_texts([])));
        assert!(error.unwrap_err().to_string().contains("u.csv, line 2: a quote is opened here"));
        let error = table("a\nx\n", false).next_change::<()>(&mut numbers).unwrap_err();
        assert!(!error.is_bad_line() && error.to_string().contains("an edge needs two columns"), "{error}");
        for text in ["a,b,w\n,2,3\n", "a,b,w\n1,,3\n", "a,b,w\n1,2,\n"] {
            let error = table(text, false).next_change::<i32>(&mut numbers).unwrap_err();
            assert!(matches!(error, DynamicError::BadLine { is_missing: true, .. }), "{error}");
        }
        let error = table("a,b,change\n1,2,maybe\n", false).next_change::<()>(&mut numbers).unwrap_err();
        assert!(error.to_string().contains("`maybe` is no change: + or insert, - or delete"), "{error}");
    }

    #[test]
    fn places_tell_sources_apart() {
        let place = |text: &str| {
            let mut updates = lines(text, false);
            while updates.next_change::<()>(&mut Vertices::numbers()).unwrap().is_some() {}
            updates.place()
        };
        assert_eq!(place("1 2\n3 4\n"), place("# a comment\n 1 2\n\n3 4"));
        assert_ne!(place("1 2\n3 4\n"), place("3 4\n1 2\n"));
        assert_eq!((place("1 2\n3 4\n").changes, place("").changes), (2, 0));
        let mut updates = Updates::new(&b"# caf\xe9\n1 2\n1 caf\xe9\n3 4\n"[..], "u", Form::Lines { is_timed: false });
        let mut next = || updates.next_change::<()>(&mut Vertices::numbers());
        assert!(next().unwrap().is_some(), "a comment may have any bytes");
        assert!(next().unwrap_err().to_string().contains("line 3: the text is not UTF-8"));
        assert!(next().unwrap().is_some());
    }

    /// What is passed over gives no vertex a number, and bad lines count, so that the place is the same.
    #[test]
    fn what_was_seen_is_passed_over() {
        let text = "a b 1\nb x y 2\nb c 3\nc d 4\nd e 2\nd f 5\n";
        let mut vertices = ids(Names::from_texts([]));
        let mut updates = lines(text, true);
        let mut places = vec![updates.place()];
        loop {
            match updates.next_change::<()>(&mut vertices) {
                Ok(None) => break,
                Ok(Some(_)) => {}
                Err(error) => assert!(error.is_bad_line(), "{error}"),
            }
            places.push(updates.place());
        }
        assert_eq!((places.len(), vertices.names().unwrap().len()), (7, 5));
        for &seen in &places {
            let mut again = lines(text, true);
            let fresh = ids(Names::from_texts([]));
            assert!(again.pass_over::<()>(seen, &fresh).unwrap());
            assert_eq!((again.place(), fresh.names().unwrap().len()), (seen, 0));
        }
        let mut again = lines(text, true);
        again.pass_over::<()>(places[4], &vertices).unwrap();
        let error = again.next_change::<()>(&mut vertices).unwrap_err().to_string();
        assert!(error.contains("the time 2 comes after 4"), "times go on: {error}");
        assert!(!lines("a b 1\nother 2\n", true).pass_over::<()>(places[2], &vertices).unwrap());
    }

    #[test]
    fn bad_lines_are_named_and_can_be_left_out() {
        for (text, problem) in [
            ("- 1 2 x\n", "u, line 1: `x` is no weight of this graph, which has integer weights"),
            ("1\n", "u, line 1: a line has a source and a target"),
            ("1 x 3\n", "u, line 1: `x` is no vertex: vertices are numbers from 0 to 2147483646"),
            ("1 -7 3\n", "u, line 1: `-7` is no vertex: vertices are numbers from 0 to 2147483646"),
            ("1 2 3\n1 2\n", "u, line 2: the weight is missing"),
            ("1 2 3.5\n", "u, line 1: `3.5` is no weight of this graph, which has integer weights"),
            ("1 2 3 4\n", "u, line 1: `4` is one word too many"),
            ("1 4294967295 3\n", "u, line 1: `4294967295` is no vertex: vertices are numbers from 0 to 2147483646"),
        ] {
            let mut updates = lines(text, false);
            let error = loop {
                match updates.next_change::<i32>(&mut Vertices::numbers()) {
                    Ok(update) => assert!(update.is_some(), "{text} is taken"),
                    Err(error) => break error,
                }
            };
            assert_eq!((error.to_string().as_str(), error.is_bad_line()), (problem, true));
            assert!(updates.next_change::<i32>(&mut Vertices::numbers()).unwrap().is_none());
        }
        // An endless line is not read to its end.
        let endless = std::io::BufReader::new(std::io::repeat(b'1'));
        let mut updates = Updates::new(endless, "u", Form::Lines { is_timed: false });
        let error = updates.next_change::<()>(&mut Vertices::numbers()).unwrap_err();
        assert_eq!(error.to_string(), "u: line 1 is longer than 4096 bytes: this is no file of changes");
        assert!(!error.is_bad_line());
        let mut updates = lines("1 2 10\n1 3 9\n1 4 x\n1 5 10\n", true);
        let mut next = || updates.next_change::<()>(&mut Vertices::numbers()).map(|update| update.unwrap().time);
        assert_eq!(next().unwrap(), 10.0);
        assert_eq!(next().unwrap_err().to_string(), "u, line 2: the time 9 comes after 10; sort the lines by time");
        assert_eq!(next().unwrap_err().to_string(), "u, line 3: `x` is no time");
        assert_eq!(next().unwrap(), 10.0);
    }

    #[test]
    fn a_vertex_beyond_the_limit_is_named() {
        let mut numbers = Vertices::numbers();
        numbers.set_limit(100);
        let mut updates = lines("1 99\n1 100\n99 1\n", false);
        assert!(updates.next_change::<()>(&mut numbers).is_ok());
        let error = updates.next_change::<()>(&mut numbers).unwrap_err();
        assert!(error.is_bad_line());
        assert!(matches!(error, DynamicError::BeyondLimit { line: 2, limit: 100, ref vertex, .. } if vertex == "100"));
        assert!(updates.next_change::<()>(&mut numbers).is_ok());
        let mut two = ids(Names::from_texts(["a"]));
        two.set_limit(2);
        let mut updates = lines("a b\nb c\nc d\nb a\n", false);
        let mut next = || updates.next_change::<()>(&mut two).map(|update| update.map(|u| (u.source, u.target)));
        assert_eq!(next().unwrap(), Some((0, 1)));
        assert!(next().is_err() && next().is_err());
        assert_eq!(next().unwrap(), Some((1, 0)));
        assert_eq!(two.names().unwrap().len(), 2, "a line that is refused brings no vertex");
    }
}
