//! How thorough a measurement is.

/// How thorough a measurement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// All points, enough repetitions for a spread, power windows of more than a second.
    Full,
    /// Fewer points and repetitions: for a first look and for tests. Curves have the same ends.
    Quick,
}

impl Effort {
    /// One of two values.
    pub fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Effort::Full => full,
            Effort::Quick => quick,
        }
    }
}

/// Told what is being measured, for a person who waits.
pub trait Listener: Sync {
    /// A group of benchmarks begins.
    fn begins(&self, what: &str);
}

/// A listener that says nothing.
pub struct Silent;

impl Listener for Silent {
    fn begins(&self, _what: &str) {}
}
