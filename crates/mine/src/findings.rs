//! What was found so far, as long as there is memory for it: variables that are equal or constant fulfil templates by
//! the cube of their number.

use crate::error::most_in_memory;
use crate::invariant::{Basis, Invariant};
use crate::template::Template;
use crate::{MineError, Result};

/// Memory of an invariant: in the list, and as text or as data for JSON with the names of its variables.
const BYTES: u64 = 400;

/// Invariants of some variables.
pub struct Findings {
    list: Vec<Invariant>,
    variables: u32,
    most: u64,
}

impl Findings {
    /// No invariants of so many variables yet.
    pub fn new(variables: u32) -> Findings {
        Findings { list: Vec::new(), variables, most: most_in_memory(BYTES) }
    }

    /// One more.
    pub fn push(&mut self, template: Template, variables: [u32; 3], basis: Basis) -> Result<()> {
        let most = self.most;
        if self.list.len() as u64 >= most {
            let bytes = most.saturating_mul(BYTES);
            return Err(MineError::TooMany { what: "invariants", variables: self.variables, most, bytes });
        }
        self.list.push(Invariant { template, variables, basis });
        Ok(())
    }

    /// All of them.
    pub fn into_list(self) -> Vec<Invariant> {
        self.list
    }
}
