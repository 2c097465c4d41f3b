//! Programs that bring the result of a standard program up to date after the graph has changed.

use crate::registry::Program;

/// The update of a standard program: its text in the language, embedded from `programs/update/`.
///
/// It declares without an initial value what it is given: `inserted` and `deleted`, the edges that came and went, and
/// the results of the run before under the names that they have in the standard program. Where it declares them, it is
/// also given `vertices_before`, the number of vertices before, and `symmetric`, whether every edge has its reverse.
/// Its results are those of the standard program; `repaired`, where there is one, is false when the standard program
/// has to run. All else without an initial value is zero at first, and stays from update to update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// The file in `programs/`.
    pub file: &'static str,
    /// The text with its schedule.
    pub source: &'static str,
}

macro_rules! updates {
    ($($name:literal),*) => {
        &[$(($name, Update {
            file: concat!("update/", $name, ".gt"),
            source: include_str!(concat!("../../../programs/update/", $name, ".gt")),
        })),*]
    };
}

const UPDATES: &[(&str, Update)] =
    updates!("bfs", "bfs-levels", "cc", "kcore", "ktruss", "leiden", "pagerank-delta", "sssp", "tc", "triangles");

impl Program {
    /// The update of this program; `None` where there is none.
    ///
    /// ```
    /// let cc = gw_programs::find("cc").unwrap();
    /// assert_eq!(cc.update().map(|update| update.file), Some("update/cc.gt"));
    /// assert!(gw_programs::find("louvain").unwrap().update().is_none());
    /// ```
    pub fn update(&self) -> Option<Update> {
        UPDATES.iter().find(|(name, _)| *name == self.name).map(|(_, update)| *update)
    }
}

/// The names of the standard programs with an update.
pub fn with_update() -> impl Iterator<Item = &'static str> {
    UPDATES.iter().map(|(name, _)| *name)
}
