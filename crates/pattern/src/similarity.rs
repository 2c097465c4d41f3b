//! How similar a query node and a target node are by their labels: `S(q, t)` in `[0, 1]`.

use crate::{LabelledGraph, PatternError, Result};

/// Similarities given by a person: a row per query node, a column per target node.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    values: Vec<f32>,
    columns: usize,
}

impl Matrix {
    /// The matrix with these rows, one after the other, of `columns` values each.
    ///
    /// # Panics
    /// When the values do not fill whole rows.
    pub fn new(values: Vec<f32>, columns: usize) -> Matrix {
        assert!(columns == 0 || values.len().is_multiple_of(columns), "whole rows");
        Matrix { values, columns }
    }

    /// The similarity of a pair.
    #[inline]
    pub fn get(&self, query: u32, target: u32) -> f32 {
        self.values[query as usize * self.columns + target as usize]
    }

    /// All values, row by row.
    #[cfg(feature = "cuda")]
    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }
}

/// The similarity of the nodes of a query and a target: a matrix, or 1 where labels are equal and 0 elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Similarity<'a> {
    query: &'a LabelledGraph,
    target: &'a LabelledGraph,
    matrix: Option<&'a Matrix>,
}

impl<'a> Similarity<'a> {
    /// The similarity of two graphs; [`PatternError::Argument`] when the matrix has other sizes.
    pub fn new(
        query: &'a LabelledGraph,
        target: &'a LabelledGraph,
        matrix: Option<&'a Matrix>,
    ) -> Result<Similarity<'a>> {
        match matrix {
            Some(m) if m.rows() != query.nodes() || m.columns != target.nodes() => {
                Err(PatternError::Argument(format!(
                    "the matrix has {} rows of {} numbers; the query has {} nodes and the target {}",
                    m.rows(),
                    m.columns,
                    query.nodes(),
                    target.nodes()
                )))
            }
            _ => Ok(Similarity { query, target, matrix }),
        }
    }

    /// The query.
    pub fn query(&self) -> &'a LabelledGraph {
        self.query
    }

    /// The target.
    pub fn target(&self) -> &'a LabelledGraph {
        self.target
    }

    /// True when a matrix says what is similar, not the labels.
    pub fn has_matrix(&self) -> bool {
        self.matrix.is_some()
    }

    /// `S(q, t)`.
    #[inline]
    pub fn get(&self, query: u32, target: u32) -> f64 {
        match self.matrix {
            Some(matrix) => f64::from(matrix.get(query, target)),
            None => f64::from(u8::from(self.query.label(query) == self.target.label(target))),
        }
    }

    /// `S(q, t)`, or `floor` for unequal labels: pairs of unequal labels shall stay possible. A matrix has no floor,
    /// since the matrix itself says which pairs are possible.
    #[inline]
    pub fn with_floor(&self, query: u32, target: u32, floor: f64) -> f64 {
        match self.matrix {
            Some(matrix) => f64::from(matrix.get(query, target)),
            None if self.query.label(query) == self.target.label(target) => 1.0,
            None => floor,
        }
    }
}
