//! How many vertices a graph may have: the one place that says so.

use crate::{GraphError, Result};

/// The greatest number of vertices. Programs hold vertices in numbers of 32 bits with a sign.
pub const MAX_VERTICES: usize = i32::MAX as usize;

/// `vertices` as a size, or an error where they are too many for a graph.
pub(crate) fn checked_vertices(vertices: u64) -> Result<usize> {
    match usize::try_from(vertices) {
        Ok(count) if count <= MAX_VERTICES => Ok(count),
        _ => Err(GraphError::TooManyVertices(vertices)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_vertex_is_a_number_that_programs_can_hold() {
        assert_eq!(checked_vertices(2_147_483_647).unwrap(), MAX_VERTICES);
        for vertices in [2_147_483_648, 1 << 32, u64::MAX] {
            let error = checked_vertices(vertices).unwrap_err().to_string();
            let expected = format!("{vertices} vertices are too many: a graph has at most 2147483647");
            assert_eq!(error, expected);
        }
    }
}
