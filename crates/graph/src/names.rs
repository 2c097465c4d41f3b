//! The ids that the vertices of a graph have in their file: names, or numbers with gaps.
//!
//! All texts stand in one string with the place where each ends, so that a million names are two allocations.

use std::fmt::{self, Write};

use crate::parallel::{self, PIECE};
use crate::{Graph, VertexId};

/// The original id of every vertex. Ids are different from each other.
///
/// ```
/// let names = gw_graph::Names::from_texts(["alice", "bob"]);
/// assert_eq!(names.get(1).to_string(), "bob");
/// assert_eq!(names.find("alice"), Some(0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(Table);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Table {
    /// Texts one after another, and the end of each.
    Texts {
        text: String,
        ends: Vec<usize>,
    },
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
}

/// The original id of one vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name<'a> {
    /// A text.
    Text(&'a str),
    /// A number below 2^63.
    Signed(i64),
    /// A number from 0 on.
    Unsigned(u64),
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Text(text) => f.write_str(text),
            Name::Signed(id) => id.fmt(f),
            Name::Unsigned(id) => id.fmt(f),
        }
    }
}

/// A vertex as messages show it: a text in backquotes, on one line and not too long; a number as it is.
///
/// ```
/// use gw_graph::{BuildOptions, EdgeList, Names, build};
/// let graph = build(EdgeList::from_pairs(2, vec![(0, 1)]), &BuildOptions::default()).unwrap();
/// assert_eq!(graph.shown(1).to_string(), "1");
/// let graph = graph.with_names(Some(std::sync::Arc::new(Names::from_texts(["ann", "bob"]))));
/// assert_eq!(graph.shown(1).to_string(), "`bob`");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownVertex<'a>(Name<'a>);

/// Longer ids are cut in messages.
const LONGEST: usize = 60;

impl fmt::Display for ShownVertex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name::Text(text) = self.0 else { return self.0.fmt(f) };
        f.write_str("`")?;
        for (at, letter) in text.chars().enumerate() {
            match letter {
                _ if at == LONGEST => {
                    f.write_str("…")?;
                    break;
                }
                letter if letter.is_control() => letter.escape_default().fmt(f)?,
                letter => f.write_char(letter)?,
            }
        }
        f.write_str("`")
    }
}

impl Graph {
    /// A vertex for a message: by its id where the graph has ids, else by its number. A number that is no vertex, such
    /// as the -1 of a result, stands for itself.
    pub fn shown(&self, number: impl TryInto<i64>) -> ShownVertex<'_> {
        let number = number.try_into().unwrap_or(i64::MAX);
        let named = self.names().zip(VertexId::try_from(number).ok());
        let named = named.filter(|(names, vertex)| (*vertex as usize) < names.len());
        ShownVertex(named.map_or(Name::Signed(number), |(names, vertex)| names.get(vertex)))
    }
}

impl Names {
    /// Texts, the first for vertex 0.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Names {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in texts {
            text += name;
            ends.push(text.len());
        }
        Names::from_text(text, ends)
    }

    /// Texts one after another with the end of each; every end is the end of a character.
    pub(crate) fn from_text(text: String, ends: Vec<usize>) -> Names {
        Names(Table::Texts { text, ends })
    }

    /// Numbers that may be negative, the first for vertex 0.
    pub fn from_signed(ids: Vec<i64>) -> Names {
        Names(Table::Signed(ids))
    }

    /// Numbers from 0 on, the first for vertex 0.
    pub fn from_unsigned(ids: Vec<u64>) -> Names {
        Names(Table::Unsigned(ids))
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        match &self.0 {
            Table::Texts { ends, .. } => ends.len(),
            Table::Signed(ids) => ids.len(),
            Table::Unsigned(ids) => ids.len(),
        }
    }

    /// True without ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when ids are texts.
    pub fn is_text(&self) -> bool {
        matches!(self.0, Table::Texts { .. })
    }

    /// The id of a vertex. Panics when there is no such vertex.
    pub fn get(&self, vertex: VertexId) -> Name<'_> {
        let at = vertex as usize;
        match &self.0 {
            Table::Texts { text, ends } => {
                Name::Text(&text[at.checked_sub(1).map_or(0, |before| ends[before])..ends[at]])
            }
            Table::Signed(ids) => Name::Signed(ids[at]),
            Table::Unsigned(ids) => Name::Unsigned(ids[at]),
        }
    }

    /// All ids in the order of the vertices.
    pub fn iter(&self) -> impl Iterator<Item = Name<'_>> {
        (0..self.len() as VertexId).map(|vertex| self.get(vertex))
    }

    /// The vertex with this id. Looks at all ids, on all threads: no index is kept for the few vertices that people
    /// name.
    pub fn find(&self, id: &str) -> Option<VertexId> {
        let find = |count: usize, is_it: &(dyn Fn(usize) -> bool + Sync)| {
            parallel::first(count, PIECE, |mut range| range.find(|&at| is_it(at)))
        };
        let at = match &self.0 {
            Table::Texts { .. } => {
                let wanted = Name::Text(id);
                find(self.len(), &|v| self.get(v as VertexId) == wanted)
            }
            Table::Signed(ids) => {
                let id: i64 = id.parse().ok()?;
                find(ids.len(), &|at| ids[at] == id)
            }
            Table::Unsigned(ids) => {
                let id: u64 = id.parse().ok()?;
                find(ids.len(), &|at| ids[at] == id)
            }
        };
        at.map(|at| at as VertexId)
    }

    /// A text as an id of the kind that these ids have; `None` where they are numbers and the text is none of them.
    pub(crate) fn read<'a>(&self, id: &'a str) -> Option<Name<'a>> {
        match &self.0 {
            Table::Texts { .. } => Some(Name::Text(id)),
            Table::Signed(_) => id.parse().ok().map(Name::Signed),
            Table::Unsigned(_) => id.parse().ok().map(Name::Unsigned),
        }
    }

    /// True when ids are numbers, and one is or was negative.
    pub fn is_signed(&self) -> bool {
        matches!(self.0, Table::Signed(_))
    }

    /// Whether [`Names::push`] takes a text.
    pub(crate) fn admits(&self, id: &str) -> bool {
        match &self.0 {
            Table::Texts { .. } => true,
            Table::Signed(_) => id.parse::<i64>().is_ok(),
            Table::Unsigned(ids) => {
                let fits = |&id: &u64| i64::try_from(id).is_ok();
                id.parse::<u64>().is_ok() || (id.parse::<i64>().is_ok() && ids.iter().all(fits))
            }
        }
    }

    /// Adds the id of a further vertex; false, and nothing is added, where a text is no number beside numbers.
    pub(crate) fn push(&mut self, id: &str) -> bool {
        match &mut self.0 {
            Table::Texts { text, ends } => {
                *text += id;
                ends.push(text.len());
                true
            }
            Table::Signed(ids) => id.parse().map(|id| ids.push(id)).is_ok(),
            Table::Unsigned(ids) => match (id.parse::<u64>(), id.parse::<i64>()) {
                (Ok(id), _) => {
                    ids.push(id);
                    true
                }
                // The first negative number: all are signed from here on, if they fit.
                (_, Ok(negative)) if ids.iter().all(|&id| i64::try_from(id).is_ok()) => {
                    let signed = ids.iter().map(|&id| id as i64).chain([negative]);
                    *self = Names::from_signed(signed.collect());
                    true
                }
                _ => false,
            },
        }
    }

    /// The same ids for vertices that have these new numbers.
    pub(crate) fn renumbered(&self, new_id: &[VertexId]) -> Names {
        let mut old = vec![0; new_id.len()];
        for (vertex, &new) in new_id.iter().enumerate() {
            old[new as usize] = vertex;
        }
        match &self.0 {
            Table::Texts { text, .. } => {
                let (mut moved, mut ends) = (String::with_capacity(text.len()), Vec::with_capacity(old.len()));
                for &vertex in &old {
                    if let Name::Text(name) = self.get(vertex as VertexId) {
                        moved += name;
                    }
                    ends.push(moved.len());
                }
                Names::from_text(moved, ends)
            }
            Table::Signed(ids) => Names::from_signed(old.iter().map(|&vertex| ids[vertex]).collect()),
            Table::Unsigned(ids) => Names::from_unsigned(old.iter().map(|&vertex| ids[vertex]).collect()),
        }
    }

    /// Memory of the table in bytes.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Table::Texts { text, ends } => text.len() + 8 * ends.len(),
            Table::Signed(ids) => 8 * ids.len(),
            Table::Unsigned(ids) => 8 * ids.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_ids_on_one_line() {
        let graph =
            crate::build(crate::EdgeList::from_pairs(3, vec![(0, 1)]), &crate::BuildOptions::default()).unwrap();
        let long = "x".repeat(LONGEST + 1);
        let graph = graph.with_names(Some(std::sync::Arc::new(Names::from_texts(["Zoë, Müller", "a\nb", &long]))));
        let shown = |number: i32| graph.shown(number).to_string();
        assert_eq!((shown(0), shown(1)), ("`Zoë, Müller`".to_string(), "`a\\nb`".to_string()));
        assert_eq!(shown(2), format!("`{}…`", "x".repeat(LONGEST)));
        assert_eq!(
            (shown(-1), shown(3), graph.shown(usize::MAX).to_string()),
            ("-1".into(), "3".into(), i64::MAX.to_string())
        );
    }

    #[test]
    fn names_are_found_and_move_with_their_vertices() {
        let texts = Names::from_texts(["a", "", "änne", "b"]);
        assert_eq!((texts.len(), texts.find("änne"), texts.find("nn")), (4, Some(2), None));
        let moved = texts.renumbered(&[3, 0, 1, 2]);
        assert_eq!(moved.iter().map(|n| n.to_string()).collect::<Vec<_>>(), ["", "änne", "b", "a"]);
        let numbers = Names::from_signed(vec![-5, 7]);
        assert_eq!((numbers.find("-5"), numbers.find("x"), numbers.find("5")), (Some(0), None, None));
        assert_eq!(numbers.renumbered(&[1, 0]), Names::from_signed(vec![7, -5]));
        let large = Names::from_unsigned(vec![3, u64::MAX]);
        assert_eq!((large.find("18446744073709551615"), large.bytes()), (Some(1), 16));
    }
}
