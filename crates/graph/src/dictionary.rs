//! Original ids that keep coming: the vertex of every id at hand, and a new vertex for an id that is new.

use std::hash::Hasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::{Name, Names, VertexId};

/// The original ids of vertices with a table from ids to vertices.
///
/// ```
/// use gw_graph::{Dictionary, Names};
/// let mut ids = Dictionary::new(Names::from_texts(["alice", "bob"]).into());
/// assert_eq!((ids.vertex("bob"), ids.vertex("carol")), (Some(1), None));
/// assert_eq!(ids.take("carol"), Ok(2));
/// assert_eq!(ids.names().get(2).to_string(), "carol");
/// ```
#[derive(Debug)]
pub struct Dictionary {
    names: Arc<Names>,
    vertices: HashTable<VertexId>,
}

/// A text that cannot be an id beside the others: those are whole numbers of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoNumber;

impl Dictionary {
    /// The table of these ids, which are different from each other.
    pub fn new(names: Arc<Names>) -> Dictionary {
        let mut vertices = HashTable::with_capacity(names.len());
        for vertex in 0..names.len() as VertexId {
            vertices.insert_unique(hash(names.get(vertex)), vertex, |&other| hash(names.get(other)));
        }
        Dictionary { names, vertices }
    }

    /// All ids in the order of the vertices.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// The vertex with this id.
    pub fn vertex(&self, id: &str) -> Option<VertexId> {
        let id = self.names.read(id)?;
        self.vertices.find(hash(id), |&vertex| self.names.get(vertex) == id).copied()
    }

    /// Whether a text can be an id beside the others.
    pub fn admits(&self, id: &str) -> bool {
        self.names.admits(id)
    }

    /// The vertex with this id: a further one where the id is new.
    pub fn take(&mut self, id: &str) -> Result<VertexId, NoNumber> {
        if let Some(vertex) = self.vertex(id) {
            return Ok(vertex);
        }
        let vertex = self.names.len() as VertexId;
        // Copies the ids where a version of the graph is still read; nothing is moved otherwise.
        let names = Arc::make_mut(&mut self.names);
        if !names.push(id) {
            return Err(NoNumber);
        }
        let names = &*self.names;
        self.vertices.insert_unique(hash(names.get(vertex)), vertex, |&other| hash(names.get(other)));
        Ok(vertex)
    }
}

/// Equal ids have equal hashes, also a number that was unsigned once and is signed now.
fn hash(id: Name<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    match id {
        Name::Text(text) => hasher.write(text.as_bytes()),
        Name::Signed(id) => hasher.write_u64(id as u64),
        Name::Unsigned(id) => hasher.write_u64(id),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_stay_numbers() {
        let mut ids = Dictionary::new(Names::from_unsigned(vec![7, 1000]).into());
        assert_eq!((ids.take("1000"), ids.take("007"), ids.take("-3")), (Ok(1), Ok(0), Ok(2)));
        assert_eq!(*ids.names().as_ref(), Names::from_signed(vec![7, 1000, -3]));
        assert_eq!((ids.take("7"), ids.take("-3"), ids.vertex("1000")), (Ok(0), Ok(2), Some(1)));
        for wrong in ["alice", "", "1.5", "18446744073709551615", "99999999999999999999"] {
            assert_eq!(ids.take(wrong), Err(NoNumber), "{wrong}");
        }
        let mut wide = Dictionary::new(Names::from_unsigned(vec![u64::MAX]).into());
        assert_eq!((wide.take("18446744073709551615"), wide.take("-1"), wide.take("3")), (Ok(0), Err(NoNumber), Ok(1)));
    }

    #[test]
    fn a_version_that_is_read_keeps_its_ids() {
        let mut ids = Dictionary::new(Names::from_texts([]).into());
        ids.take("a").unwrap();
        let before = Arc::clone(ids.names());
        ids.take("b").unwrap();
        assert_eq!((before.len(), ids.names().len()), (1, 2));
    }

    proptest! {
        #[test]
        fn every_id_is_found_where_it_first_came(texts in prop::collection::vec("[a-d]{0,3}", 0..60)) {
            let mut ids = Dictionary::new(Names::from_texts([]).into());
            let mut first: Vec<String> = Vec::new();
            for text in &texts {
                let expected = first.iter().position(|known| known == text).unwrap_or_else(|| {
                    first.push(text.clone());
                    first.len() - 1
                });
                prop_assert_eq!(ids.take(text), Ok(expected as VertexId));
            }
            let again = Dictionary::new(Arc::clone(ids.names()));
            for (vertex, text) in first.iter().enumerate() {
                prop_assert_eq!(again.vertex(text), Some(vertex as VertexId));
            }
        }
    }
}
