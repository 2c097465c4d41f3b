//! The schedule attached to a node.

use gw_schedule::Schedule;
use std::ops::Deref;
use std::sync::Arc;

/// A schedule as bound to one node; cheap to clone, dereferences to the [`Schedule`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoundSchedule(Arc<Schedule>);

impl BoundSchedule {
    /// Binds a schedule.
    pub fn new(schedule: impl Into<Schedule>) -> BoundSchedule {
        BoundSchedule(Arc::new(schedule.into()))
    }
}

impl Deref for BoundSchedule {
    type Target = Schedule;
    fn deref(&self) -> &Schedule {
        &self.0
    }
}
