//! Changes of edges as lines of text: `source target`, with a weight where the graph has weights, with a time where
//! times are asked for; a `-` before the source deletes, a `+` inserts.

use std::io::{BufRead, Read};
use std::str::SplitWhitespace;

use crate::batch::Change;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

/// The longest line in bytes: a change takes less than a hundred.
const LONGEST: u64 = 4096;

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
    /// Changes so far.
    pub changes: u64,
    /// A hash of their lines, in order.
    pub hash: u64,
}

/// Reads changes line by line.
pub struct Updates<R> {
    lines: R,
    place: Place,
    /// Lines so far.
    line: u64,
    is_timed: bool,
    last: f64,
    bytes: Vec<u8>,
    text: String,
}

impl<R: BufRead> Updates<R> {
    /// Changes from a reader; `is_timed`: the last word of every line is its time, and times do not fall.
    pub fn new(lines: R, is_timed: bool) -> Self {
        Updates {
            lines,
            place: Place::default(),
            line: 0,
            is_timed,
            last: f64::NEG_INFINITY,
            bytes: Vec::new(),
            text: String::new(),
        }
    }

    /// How far the source was read.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The next change. Empty lines and those that begin with `#` or `%` are passed over.
    pub fn next_change<W: EdgeWeight>(&mut self) -> Result<Option<Update<W>>> {
        loop {
            self.text.clear();
            self.bytes.clear();
            let read = self.lines.by_ref().take(LONGEST).read_until(b'\n', &mut self.bytes);
            // A comment may have any bytes; a change that has others than text is refused as such.
            self.text.push_str(&String::from_utf8_lossy(&self.bytes));
            self.line += 1;
            let failed = |problem: String| DynamicError::BadLine { line: self.line, problem };
            if read.map_err(|e| failed(e.to_string()))? == 0 {
                return Ok(None);
            }
            if self.bytes.len() as u64 == LONGEST && !self.bytes.ends_with(b"\n") {
                return Err(failed(format!("is longer than {LONGEST} bytes: this is no file of changes")));
            }
            let text = self.text.trim();
            if text.is_empty() || text.starts_with(['#', '%']) {
                continue;
            }
            let update = parse::<W>(text, self.is_timed).map_err(failed)?;
            if update.time < self.last {
                return Err(failed(format!(
                    "the time {} comes after {}; sort the lines by time",
                    update.time, self.last
                )));
            }
            if self.is_timed {
                self.last = update.time;
            }
            self.place.changes += 1;
            self.place.hash = xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), self.place.hash);
            return Ok(Some(update));
        }
    }
}

fn parse<W: EdgeWeight>(text: &str, is_timed: bool) -> std::result::Result<Update<W>, String> {
    let (deletes, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut words = rest.split_whitespace();
    let (source, target) = (vertex(&mut words)?, vertex(&mut words)?);
    let mut words: Vec<&str> = words.collect();
    let time = match is_timed {
        true => words.pop().ok_or("the time is missing")?,
        false => "0",
    };
    let time: f64 = time.parse().ok().filter(|t: &f64| t.is_finite()).ok_or(format!("`{time}` is no time"))?;
    let change = match (deletes, words[..].split_first()) {
        (true, None) => Change::Delete,
        (true, Some((word, _))) => match W::parse(Some(word)) {
            Some(_) => Change::Delete,
            None => return Err(format!("`{word}` is no weight of this graph")),
        },
        (false, weight) => {
            let text = weight.map(|(word, _)| *word);
            Change::Insert(W::parse(text).ok_or_else(|| match text {
                Some(text) => format!("`{text}` is no weight of this graph"),
                None => "the weight is missing".to_string(),
            })?)
        }
    };
    let most = usize::from(W::KIND != gw_graph::WeightKind::None);
    match words.get(most) {
        Some(word) => Err(format!("`{word}` is one word too many")),
        None => Ok(Update { source, target, change, time }),
    }
}

fn vertex(words: &mut SplitWhitespace<'_>) -> std::result::Result<u32, String> {
    let word = words.next().ok_or("a line has a source and a target")?;
    let vertex = word.parse().ok().filter(|&v: &u32| (v as usize) < gw_graph::MAX_VERTICES);
    vertex
        .ok_or_else(|| format!("`{word}` is no vertex: vertices are numbers from 0 to {}", gw_graph::MAX_VERTICES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_changes() {
        let text = "# edges\n1 2 5\n\n+ 3 4 -6\n-1 2\n- 3 4 7\n";
        let mut updates = Updates::new(text.as_bytes(), false);
        let mut all = Vec::new();
        while let Some(update) = updates.next_change::<i32>().unwrap() {
            all.push((update.source, update.target, update.change));
        }
        let insert = Change::Insert;
        assert_eq!(all, [(1, 2, insert(5)), (3, 4, insert(-6)), (1, 2, Change::Delete), (3, 4, Change::Delete)]);
    }

    #[test]
    fn places_tell_sources_apart() {
        let place = |text: &str| {
            let mut updates = Updates::new(text.as_bytes(), false);
            while updates.next_change::<()>().unwrap().is_some() {}
            updates.place()
        };
        assert_eq!(place("1 2\n3 4\n"), place("# a comment\n 1 2\n\n3 4"));
        assert_ne!(place("1 2\n3 4\n"), place("3 4\n1 2\n"));
        assert_eq!((place("1 2\n3 4\n").changes, place("").changes), (2, 0));
        let mut updates = Updates::new(&b"# caf\xe9\n1 2\n"[..], false);
        assert!(updates.next_change::<()>().unwrap().is_some(), "a comment may have any bytes");
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, problem) in [
            ("- 1 2 x\n", "line 1: `x` is no weight of this graph"),
            ("1\n", "line 1: a line has a source and a target"),
            ("1 x 3\n", "line 1: `x` is no vertex: vertices are numbers from 0 to 2147483646"),
            ("1 2 3\n1 2\n", "line 2: the weight is missing"),
            ("1 2 3.5\n", "line 1: `3.5` is no weight of this graph"),
            ("1 2 3 4\n", "line 1: `4` is one word too many"),
            ("1 4294967295 3\n", "line 1: `4294967295` is no vertex: vertices are numbers from 0 to 2147483646"),
        ] {
            let mut updates = Updates::new(text.as_bytes(), false);
            let error = loop {
                match updates.next_change::<i32>() {
                    Ok(update) => assert!(update.is_some(), "{text} is taken"),
                    Err(error) => break error.to_string(),
                }
            };
            assert_eq!(error, problem);
        }
        // An endless line is not read to its end.
        let mut updates = Updates::new(std::io::BufReader::new(std::io::repeat(b'1')), false);
        let error = updates.next_change::<()>().unwrap_err().to_string();
        assert_eq!(error, "line 1: is longer than 4096 bytes: this is no file of changes");
        let mut updates = Updates::new("1 2 10\n1 3 9\n".as_bytes(), true);
        assert_eq!(updates.next_change::<()>().unwrap().unwrap().time, 10.0);
        let error = updates.next_change::<()>().unwrap_err().to_string();
        assert_eq!(error, "line 2: the time 9 comes after 10; sort the lines by time");
    }
}
