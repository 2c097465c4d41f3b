//! How the numbers of vertices differ from the ids that stand in a file, for those who name vertices by their ids.

use std::fmt;

/// What became of the ids of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbering {
    /// Ids with gaps, or from 1 on, became `0..ids` in ascending order.
    Dense {
        /// The number of different ids.
        ids: u64,
        /// The least id.
        least: i128,
        /// The greatest id.
        greatest: i128,
    },
    /// Ids that are texts became `0..ids` in the order in which they first appear.
    Texts {
        /// The number of different ids.
        ids: u64,
    },
    /// Ids from 1 on are kept, so that vertex 0 exists and has no edges.
    FromOne,
}

impl fmt::Display for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Numbering::Dense { ids: 1, least, .. } => write!(f, "the only id, {least}, was renumbered 0"),
            Numbering::Dense { ids, least, greatest } => {
                write!(f, "{ids} ids between {least} and {greatest} were renumbered 0 to {}", ids - 1)
            }
            Numbering::Texts { ids: 1 } => f.write_str("the only id was numbered 0"),
            Numbering::Texts { ids } => {
                write!(f, "{ids} ids were numbered 0 to {} in the order in which they first appear", ids - 1)
            }
            Numbering::FromOne => f.write_str("ids are kept and begin at 1: vertex 0 exists, without edges"),
        }
    }
}
