//! `--top`: the vertices or edges with the greatest or the least entries of a vector.

use std::cmp::Ordering;
use std::fmt::Write;

use gw_exec::Globals;
use gw_ir::types::Type;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::ids::{self, Id, Ids};
use super::programs::Programs;
use super::results;
use crate::error::CliError;
use crate::output::grouped;

/// What `--top` asks for: `rank:10`, `dist:10:least`, or `10` of the first result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
    /// Empty until [`Top::settle`] where the option has no name.
    name: String,
    count: usize,
    least: bool,
}

/// The best entries of a vector.
#[derive(Serialize)]
pub struct Best {
    #[serde(skip)]
    heading: String,
    result: String,
    order: &'static str,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    /// The vertex, the ends of the edge, or the place, each by its title.
    #[serde(flatten)]
    of: Map<String, Json>,
    value: Json,
    #[serde(skip)]
    shown: (String, String),
}

impl Top {
    /// Reads `RESULT:COUNT`, `RESULT:COUNT:least`, `RESULT:COUNT:greatest`, or `COUNT` alone.
    pub fn parse(text: &str) -> Result<Top, String> {
        let wrong = || "write it as RESULT:COUNT or RESULT:COUNT:least, such as rank:10, or COUNT alone".to_string();
        let parts: Vec<&str> = text.split(':').collect();
        let (name, count, least) = match parts[..] {
            [count] => ("", count, false),
            ["", ..] => return Err(wrong()),
            [name, count] | [name, count, "greatest"] => (name, count, false),
            [name, count, "least"] => (name, count, true),
            _ => return Err(wrong()),
        };
        match count.parse() {
            Ok(count) if count > 0 => Ok(Top { name: name.to_string(), count, least }),
            _ => Err(wrong()),
        }
    }

    /// The result, as the option names it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks before the runs that a program has the vector. Where none is named, the first result is meant.
    pub fn settle(&mut self, programs: &Programs<'_>) -> Result<(), CliError> {
        if self.name.is_empty() {
            let none = || CliError::Usage("--top: the program has no vector of numbers among its results".to_string());
            self.name = programs.first(is_plain).ok_or_else(none)?;
        }
        self.find(programs).map(drop)
    }

    /// The program that has a vector of numbers of this name, and the name there.
    pub fn find<'t>(&'t self, programs: &Programs<'_>) -> Result<(usize, &'t str), CliError> {
        programs.find("--top", &self.name, "vector of numbers", is_plain)
    }

    /// The best entries of the vector that the program calls `name`; the first of equal ones, and never one that is no
    /// number or says that its vertex was not reached.
    pub fn best(&self, name: &str, globals: &Globals, ids: &Ids<'_>) -> Result<Best, CliError> {
        let Some(vector) = globals.get(name).and_then(|value| value.as_vector()) else {
            return Err(CliError::Usage(format!("--top: the run left no vector `{}`", self.name)));
        };
        let absent = ids.absent(name, vector);
        let is_value = |key: f64| !key.is_nan() && Some(key) != absent;
        let mut keyed: Vec<(f64, u32)> =
            vector.to_f64().into_iter().zip(0..).filter(|(key, _)| is_value(*key)).collect();
        let all = keyed.len();
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            let keys = a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal);
            let keys = if self.least { keys } else { keys.reverse() };
            keys.then(a.1.cmp(&b.1))
        };
        if self.count < keyed.len() {
            keyed.select_nth_unstable_by(self.count, order);
            keyed.truncate(self.count);
        }
        keyed.sort_unstable_by(order);
        let word = if self.least { "least" } else { "greatest" };
        let rows = ids.rows(name, vector.len());
        let entries = keyed.into_iter().filter_map(|(_, at)| {
            let value = vector.get(at as usize)?;
            let entry = Ids::entry(rows, at as usize);
            let of =
                rows.titles().iter().zip(&entry).map(|(title, field)| (title.to_string(), as_json(field))).collect();
            let who = entry.iter().map(ids::text).collect::<Vec<_>>().join(" -> ");
            Some(match ids.vertex_in(name, &value) {
                Some(other) => Entry { shown: (who, ids::text(&other)), of, value: as_json(&other) },
                None => Entry { shown: (who, results::readable(&value)), of, value: results::number(&value) },
            })
        });
        let entries: Vec<Entry> = entries.collect();
        let of = if absent.is_some() && all < vector.len() { " that were reached" } else { "" };
        let heading =
            format!("{}: the {} {word} of {}{of}", self.name, grouped(entries.len() as u64), grouped(all as u64));
        Ok(Best { heading, result: self.name.clone(), order: word, entries })
    }
}

/// Whether values of a type are vectors with a number, or a truth value, per entry.
fn is_plain(ty: &Type) -> bool {
    matches!(ty, Type::Vector { item, .. } if item.scalar().is_some())
}

impl Best {
    /// A heading and a line per entry.
    pub fn in_words(&self) -> String {
        let lines: Vec<(String, String)> =
            self.entries.iter().map(|entry| (printable(&entry.shown.0), printable(&entry.shown.1))).collect();
        let width = lines.iter().map(|(vertex, _)| vertex.chars().count()).max().unwrap_or(0);
        let mut text = self.heading.clone() + "\n";
        for (vertex, value) in lines {
            let _ = writeln!(text, "  {vertex:<width$}  {value}");
        }
        text
    }
}

/// Longer ids are cut.
const LONGEST_ID: usize = 100;

/// An id as a terminal can show it: on one line, without control characters, not too long.
pub fn printable(id: &str) -> String {
    let mut shown = String::new();
    for (at, letter) in id.chars().enumerate() {
        match letter {
            _ if at == LONGEST_ID => {
                shown.push('…');
                break;
            }
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}

/// An id as JSON has it.
pub fn as_json(id: &Id) -> Json {
    match id {
        Id::Nothing => Json::Null,
        Id::Integer(number) => json!(number),
        Id::Text(text) => json!(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let top = |name: &str, count, least| Ok(Top { name: name.to_string(), count, least });
        assert_eq!(Top::parse("rank:10"), top("rank", 10, false));
        assert_eq!(Top::parse("dist:3:least"), top("dist", 3, true));
        assert_eq!(Top::parse("dist:3:greatest"), top("dist", 3, false));
        assert_eq!(Top::parse("3"), top("", 3, false));
        for wrong in ["rank", "rank:", "rank:x", "rank:0", ":3", ":3:least", "0", "rank:3:most", "a:1:least:x"] {
            assert!(Top::parse(wrong).is_err(), "{wrong}");
        }
    }
}
