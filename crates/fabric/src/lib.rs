//! What the ranks of one computation say to each other.
//!
//! Ranks walk one program in step and so come to the same exchanges in the same order; that is all the progress there
//! is to know. A [`Fabric`] carries bytes between ranks and knows nothing of graphs. [`Place`] is the fabric of workers
//! of one process, which may stand on another fabric between processes (crate `mpi`).
//!
//! | file | concept |
//! |---|---|
//! | `lib` | the trait, what is said and what is heard |
//! | `neighbours` | a plan of who has how much for whom, kept for many exchanges |
//! | `local` | workers of one process, and what one of them carries out for all |
//! | `by_exchange` | what a fabric can do that has nothing better than exchanges for it |
//! | `parcel` | what the workers of one process say to those of another, in one piece |
//! | `end` | why a run ends before its time |

mod by_exchange;
mod end;
mod local;
mod neighbours;
mod parcel;

use std::ops::{Deref, Range};
use std::sync::Arc;

use thiserror::Error;

pub use end::End;
pub use local::{Outer, Place, places};
pub use neighbours::Neighbours;

/// The exchange cannot be completed: the run is over, for this reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Over(pub String);

/// What a rank says in an exchange.
#[derive(Debug, Clone)]
pub enum Outgoing {
    /// The same to all.
    All(Arc<Vec<u8>>),
    /// To each rank, in their order, something else; what is for itself comes back.
    Each(Vec<Arc<Vec<u8>>>),
}

/// A message as it was received: a part of bytes that other messages may share.
#[derive(Debug, Clone)]
pub struct Message {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Message {
    /// All of these bytes.
    pub fn whole(bytes: Arc<Vec<u8>>) -> Message {
        let range = 0..bytes.len();
        Message { bytes, range }
    }

    /// A range of these bytes; `None` when the range is not within the bytes.
    pub fn part(bytes: &Arc<Vec<u8>>, range: Range<usize>) -> Option<Message> {
        bytes.get(range.clone())?;
        Some(Message { bytes: Arc::clone(bytes), range })
    }

    /// A range of this message.
    pub(crate) fn within(&self, range: Range<usize>) -> Option<Message> {
        let start = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end).filter(|&end| end <= self.range.end)?;
        Message::part(&self.bytes, start..end)
    }
}

impl Deref for Message {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // Messages are made of ranges that are within the bytes.
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

/// How the numbers of all ranks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Their sum, which wraps around.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

impl Op {
    /// One number of two.
    pub fn of(self, a: u64, b: u64) -> u64 {
        match self {
            Op::Sum => a.wrapping_add(b),
            Op::Min => a.min(b),
            Op::Max => a.max(b),
        }
    }
}

/// The place of one rank among all ranks of a computation.
///
/// Every rank makes the same calls in the same order; a call returns when all ranks that have something to say to this
/// one have made it. An error is the end: later calls fail, too.
pub trait Fabric: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// From now on, waiting ends when `end` is told.
    fn watch(&mut self, end: &Arc<End>);

    /// Says something to all ranks and returns what all have said, in their order. Lengths ride along.
    fn exchange(&mut self, outgoing: Outgoing) -> Result<Vec<Message>, Over>;

    /// A plan for exchanges in which this rank has `give` entries for each rank and takes `take` entries of each, in
    /// the order of the ranks. What one rank gives to another must be what the other one takes.
    fn neighbours(&mut self, give: &[usize], take: &[usize]) -> Result<Neighbours, Over> {
        Ok(Neighbours::of(self.rank(), give, take))
    }

    /// Says to each neighbour of a plan that takes something its entries, of `unit` bytes each, and returns those of
    /// the neighbours that give something. Ranks that are no neighbours need not wait for each other.
    fn exchange_neighbours(
        &mut self,
        plan: &Neighbours,
        unit: usize,
        parts: Vec<Arc<Vec<u8>>>,
    ) -> Result<Vec<Message>, Over> {
        by_exchange::neighbours(self, plan, unit, parts)
    }

    /// Reduces the numbers at each place of the slices of all ranks to one, which all ranks get.
    fn allreduce(&mut self, values: &mut [u64], op: Op) -> Result<(), Over> {
        by_exchange::allreduce(self, values, op)
    }

    /// Says the same to all ranks and returns what all have said, in their order.
    fn allgather(&mut self, bytes: Vec<u8>) -> Result<Vec<Message>, Over> {
        self.exchange(Outgoing::All(Arc::new(bytes)))
    }

    /// Waits until all ranks have come here.
    fn barrier(&mut self) -> Result<(), Over> {
        self.allgather(Vec::new()).map(drop)
    }

    /// Ends the run of all ranks. Ranks of one process hear the reason; of ranks that are processes, this one tells it
    /// and ends all.
    fn abort(&mut self, reason: &str);
}
