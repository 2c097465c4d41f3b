//! A trace in memory.

use super::Source;
use crate::Result;
use crate::trace::{Trace, Variables};

/// A trace in memory: one part.
#[derive(Debug, Clone)]
pub struct InMemory {
    variables: Variables,
    trace: Trace,
    notes: Vec<String>,
    is_read: bool,
}

impl InMemory {
    /// A trace with the names of its variables.
    ///
    /// # Panics
    /// When there are not as many names as columns.
    pub fn new(variables: Variables, trace: Trace) -> InMemory {
        assert_eq!(variables.booleans.len(), trace.booleans.len(), "a name per Boolean");
        assert_eq!(variables.numbers.len(), trace.numbers.columns(), "a name per number");
        InMemory { variables, trace, notes: Vec::new(), is_read: false }
    }

    pub(super) fn with_notes(self, notes: Vec<String>) -> InMemory {
        InMemory { notes, ..self }
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Source for InMemory {
    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn rewind(&mut self) -> Result<()> {
        self.is_read = false;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let part = (!self.is_read && self.trace.instants > 0).then_some(&self.trace);
        self.is_read = true;
        Ok(part)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}
