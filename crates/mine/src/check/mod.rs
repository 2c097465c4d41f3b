//! Candidates: what may hold for some variables, and what the instants seen so far say about that.
//!
//! A candidate collects *seen bits*. Two numbers collect how they compare, Booleans collect the patterns of their
//! values, and any other template collects one bit when it is falsified. Bits are only ever added, so that instants
//! can be looked at in any order and on any thread. A candidate is dead once its bits leave nothing to find
//! ([`Rules`]).

mod engine;
mod kernel;
mod rules;

pub use engine::{Cores, survivors};
#[cfg(feature = "cuda")]
pub(crate) use engine::{HEAD, prune, prune_by_head};
pub use kernel::scan;
pub use rules::{EQUAL, GREATER, LESS, Rules, UNORDERED, relation_holds};

use crate::Result;
use crate::ranges::Range;
use crate::source::Source;
use crate::template::Template;

/// Who looks at the instants of a trace: the cores of the processor, or a GPU. What is found is the same.
pub trait Checker {
    /// The trace.
    fn source(&mut self) -> &mut dyn Source;

    /// Takes the candidates that die over the whole trace out of the list. Those that are left have all their bits.
    fn prune(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()>;

    /// [`Checker::prune`] by the first instants only. What was seen is forgotten, so that a further one looks at all
    /// instants.
    fn prune_by_head(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()>;

    /// The ranges of the given numbers, in the same order. Those that nobody asks about get a range that says nothing.
    fn ranges(&mut self, variables: &[u32], is_asked: &[bool]) -> Result<Vec<Range>>;
}

/// What is asked about some variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// How two numbers compare: [`LESS`], [`EQUAL`], [`GREATER`], [`UNORDERED`].
    Order,
    /// Whether a template of numbers is falsified: bit 1.
    Falsified(Template),
    /// Which of the values `a` were seen: bit `1 << a`.
    Patterns1,
    /// Which of the values `a + 2 b` were seen.
    Patterns2,
    /// Which of the values `a + 2 b + 4 c` were seen.
    Patterns3,
}

/// A question about variables, with the bits seen so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// What is asked.
    pub question: Question,
    /// The variables; those that the question does not have are 0.
    pub variables: [u32; 3],
    /// What was seen.
    pub seen: u8,
}

impl Candidate {
    /// A candidate of which nothing has been seen.
    pub fn new(question: Question, variables: [u32; 3]) -> Candidate {
        Candidate { question, variables, seen: 0 }
    }
}
