//! The ids that the vertices of a graph have in their file: names, or numbers with gaps.
//!
//! All texts stand in one string with the place where each ends, so that a million names are two allocations.

use std::fmt;

use rayon::prelude::*;

use crate::VertexId;

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
        let at = match &self.0 {
            Table::Texts { .. } => {
                let wanted = Name::Text(id);
                (0..self.len())
                    .into_par_iter()
                    .with_min_len(1 << 14)
                    .position_first(|v| self.get(v as VertexId) == wanted)
            }
            Table::Signed(ids) => {
                let id: i64 = id.parse().ok()?;
                ids.par_iter().with_min_len(1 << 16).position_first(|&other| other == id)
            }
            Table::Unsigned(ids) => {
                let id: u64 = id.parse().ok()?;
                ids.par_iter().with_min_len(1 << 16).position_first(|&other| other == id)
            }
        };
        at.map(|at| at as VertexId)
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
