//! Looks at the machine code of kernels and collects what is not as it should be.

use std::sync::Mutex;

use gw_device::Unit;

use super::sass::{Found, examined, timed_part};

/// Examines kernels for one architecture.
pub(super) struct Purity {
    architecture: String,
    complaints: Mutex<Vec<String>>,
}

impl Purity {
    /// For an architecture such as `sm_90`.
    pub fn new(architecture: &str) -> Purity {
        Purity { architecture: architecture.to_string(), complaints: Mutex::default() }
    }

    /// What the timed part of a kernel is made of: `expected` instructions of the `codes` for `operations` operations
    /// of the benchmark. Without codes only the length is told. `None` where the compiler or the machine code fails.
    pub fn of(&self, unit: &Unit, codes: &[u16], expected: usize, operations: usize) -> Option<Found> {
        let cubin = gw_device::nvidia::compile_only(unit, &self.architecture);
        let part = cubin.ok().and_then(|cubin| timed_part(&cubin, &unit.name));
        let Some(part) = part else {
            self.complain(format!("{}: no timed loop was found in the machine code", unit.name));
            return None;
        };
        let found = examined(&part, codes, expected, operations);
        if !codes.is_empty() && !found.complete {
            self.complain(format!(
                "{}: {expected} instructions were expected in the timed loop and {:.0} found: the number is about something \
                 else",
                unit.name,
                found.purity * part.len() as f64
            ));
        }
        Some(found)
    }

    fn complain(&self, text: String) {
        if let Ok(mut complaints) = self.complaints.lock() {
            complaints.push(text);
        }
    }

    /// What was found to be wrong so far.
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().map(|complaints| complaints.clone()).unwrap_or_default()
    }
}
