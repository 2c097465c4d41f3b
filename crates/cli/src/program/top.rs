//! `--top`: the vertices or edges with the greatest or the least entries of a vector.

use std::cmp::Ordering;
use std::fmt::Write;

use gw_exec::Globals;
use gw_ir::Module;
use gw_ir::types::Type;
use gw_lab::Field;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::ids::{self, Ids};
use super::results;
use crate::error::CliError;
use crate::output::grouped;

/// What `--top` asks for: `rank:10`, or `dist:10:least`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Top {
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
    /// Reads `RESULT:COUNT`, `RESULT:COUNT:least` or `RESULT:COUNT:greatest`.
    pub fn parse(text: &str) -> Result<Top, String> {
        let wrong = || "write it as RESULT:COUNT or RESULT:COUNT:least, such as rank:10".to_string();
        let parts: Vec<&str> = text.split(':').collect();
        let (name, count, least) = match parts[..] {
            [name, count] | [name, count, "greatest"] => (name, count, false),
            [name, count, "least"] => (name, count, true),
            _ => return Err(wrong()),
        };
        match count.parse() {
            Ok(count) if count > 0 && !name.is_empty() => Ok(Top { name: name.to_string(), count, least }),
            _ => Err(wrong()),
        }
    }

    /// The program must have a vector of numbers of this name; asked before the run.
    pub fn check(&self, module: &Module) -> Result<(), CliError> {
        let plain = |ty: &Type| matches!(ty, Type::Vector { item, .. } if item.scalar().is_some());
        let known: Vec<&str> = module.globals.iter().filter(|g| plain(&g.ty)).map(|g| &*g.name).collect();
        match known.contains(&self.name.as_str()) {
            true => Ok(()),
            false => Err(CliError::Usage(format!(
                "--top: the program has no vector of numbers `{}`; it has {}",
                self.name,
                if known.is_empty() { "none".to_string() } else { known.join(", ") }
            ))),
        }
    }

    /// The best entries; the first of equal ones, and never one that is no number.
    pub fn best(&self, globals: &Globals, ids: &Ids<'_>) -> Result<Best, CliError> {
        let Some(vector) = globals.get(&self.name).and_then(|value| value.as_vector()) else {
            return Err(CliError::Usage(format!("--top: the run left no vector `{}`", self.name)));
        };
        let mut keyed: Vec<(f64, u32)> =
            vector.to_f64().into_iter().zip(0..).filter(|(key, _)| !key.is_nan()).collect();
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
        let titles = ids.titles(&self.name, vector.len());
        let entries = keyed.into_iter().filter_map(|(_, at)| {
            let value = vector.get(at as usize)?;
            let entry = ids.entry(&self.name, at as usize, vector.len());
            let of = titles.iter().zip(&entry).map(|(title, field)| (title.to_string(), as_json(field))).collect();
            let who = entry.iter().map(ids::text).collect::<Vec<_>>().join(" -> ");
            Some(match ids.vertex_in(&self.name, &value) {
                Some(other) => Entry { shown: (who, ids::text(&other)), of, value: as_json(&other) },
                None => Entry { shown: (who, results::readable(&value)), of, value: results::number(&value) },
            })
        });
        let entries: Vec<Entry> = entries.collect();
        let heading =
            format!("{}: the {} {word} of {}", self.name, grouped(entries.len() as u64), grouped(vector.len() as u64));
        Ok(Best { heading, result: self.name.clone(), order: word, entries })
    }
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
fn printable(id: &str) -> String {
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

fn as_json(field: &Field) -> Json {
    match field {
        Field::Nothing => Json::Null,
        Field::Integer(number) => json!(number),
        Field::Real(number) => json!(number),
        Field::Text(text) => json!(text),
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
        for wrong in ["rank", "rank:", "rank:x", "rank:0", ":3", "rank:3:most", "a:1:least:x"] {
            assert!(Top::parse(wrong).is_err(), "{wrong}");
        }
    }
}
