//! Edges as a file lists them, before a graph is built of them: what every reader of a format returns.

use std::fmt;
use std::sync::Arc;

use super::GuessedColumns;
use super::edge_lines::Assembled;
use crate::columns::Table;
use crate::{AnyEdgeList, Names, Numbering, RoundedWeight};

/// Edges as a file lists them, and what it says about them.
#[derive(Debug)]
pub struct EdgeFile {
    /// The edges in file order.
    pub edges: AnyEdgeList,
    /// The file lists each undirected edge once (Matrix Market symmetric, KONECT sym and bip): mirror them.
    pub symmetrise: bool,
    /// The format is for undirected graphs and lists each edge at both ends (METIS): the graph must come out
    /// symmetric.
    pub both_ends: bool,
    /// Original id of every vertex, where these are other than `0..vertices`.
    pub names: Option<Names>,
    /// The first weight that 32 bits hold as another number.
    pub rounded: Option<RoundedWeight>,
    /// How the numbers of vertices differ from the ids in the file.
    pub numbering: Option<Numbering>,
    /// Edges that were left out since something was missing.
    pub skipped: Option<SkippedEdges>,
    /// Columns of a table that were taken only because they stand first.
    pub guessed: Option<GuessedColumns>,
    /// The columns of a table that are kept: a row per edge.
    pub columns: Option<Arc<Table>>,
}

/// Edges of a file that were left out because their source, target or weight was missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEdges {
    /// How many.
    pub count: u64,
    /// Where the first one stands, counted from 1.
    pub first: u64,
    /// What `first` counts: lines, or rows of a Parquet file.
    pub unit: &'static str,
}

impl fmt::Display for SkippedEdges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SkippedEdges { count, first, unit } = self;
        match count {
            1 => write!(f, "1 edge with a missing source, target or weight was left out, in {unit} {first}"),
            _ => write!(
                f,
                "{count} edges with a missing source, target or weight were left out, the first in {unit} {first}"
            ),
        }
    }
}

impl EdgeFile {
    /// Edges that are taken one by one as listed.
    pub(crate) fn directed(edges: impl Into<Assembled>) -> Self {
        let Assembled { edges, rounded } = edges.into();
        EdgeFile {
            edges,
            symmetrise: false,
            both_ends: false,
            names: None,
            rounded,
            numbering: None,
            skipped: None,
            guessed: None,
            columns: None,
        }
    }
}
