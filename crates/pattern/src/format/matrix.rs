//! A matrix of label similarities: a row per query node, a number in `[0, 1]` per target node, divided by spaces.

use std::path::Path;

use super::{read_text, shown};
use crate::similarity::Matrix;
use crate::{PatternError, Result};

/// Reads the matrix of a query and a target.
pub fn read(path: &Path, query_nodes: usize, target_nodes: usize) -> Result<Matrix> {
    parse(&read_text(path)?, query_nodes, target_nodes).map_err(|error| error.in_file(path))
}

/// Reads a matrix of `query_nodes` rows with `target_nodes` numbers each. A row may be spread over lines.
pub fn parse(text: &str, query_nodes: usize, target_nodes: usize) -> Result<Matrix> {
    let (mut values, mut last) = (Vec::new(), 1);
    let wanted = query_nodes.saturating_mul(target_nodes);
    for (at, text) in text.lines().enumerate() {
        for word in text.split_whitespace() {
            last = at + 1;
            let value = word.parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(|| {
                PatternError::text(last, format!("{} is no similarity: a number from 0 to 1 is expected", shown(word)))
            })?;
            if values.len() == wanted {
                let message = format!(
                    "the matrix is too large: {query_nodes} query nodes x {target_nodes} target nodes are {wanted} numbers"
                );
                return Err(PatternError::text(last, message));
            }
            values.push(value);
        }
    }
    if values.len() < wanted {
        let message = format!(
            "the matrix is too small: {query_nodes} query nodes x {target_nodes} target nodes are {wanted} numbers, not {}",
            values.len()
        );
        return Err(PatternError::text(last, message));
    }
    Ok(Matrix::new(values, target_nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_as_many_numbers_as_pairs() {
        let matrix = parse("0 0.5 1\n1 .25 0\n", 2, 3).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0)), (0.5, 1.0));
        let refused = |text: &str| parse(text, 2, 3).unwrap_err().to_string();
        assert!(refused("0 0 1\n1 0").starts_with("line 2: the matrix is too small"));
        assert!(refused("0 0 1\n1 0 1 1").starts_with("line 2: the matrix is too large"));
        assert!(refused("0 0 1\n1 NaN 1").starts_with("line 2: `NaN` is no similarity"));
        assert!(refused("0 0 2").starts_with("line 1: `2` is no similarity"));
    }
}
