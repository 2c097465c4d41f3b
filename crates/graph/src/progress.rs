//! How long work tells a person where it stands.

/// Receives the progress of long work. Implementations must be cheap: they are called once per chunk of work.
pub trait Progress: Sync {
    /// A new phase begins; `total` units of work are expected when known.
    fn begin(&self, phase: &str, total: Option<u64>);
    /// `units` more of the current phase are done.
    fn advance(&self, units: u64);
}

/// Progress that nobody watches.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
}
