//! A worker's place in a run: its number, and what all workers do together.
//!
//! All workers walk the same program and so come to the same exchanges in the same order. A worker that fails says why;
//! the others find it at their next exchange, or in the midst of a kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gw_exec::{ErrorKind, Result, Stop, Vector};
use gw_fabric::{Fabric, Message, Neighbours, Op, Outgoing, Over, Place};

use crate::cut::Cut;
use crate::message::{Reader, Writer, read_cells, write_cells};

/// What was said since the machine was opened, by the workers of this process.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// Bytes for other processes.
    pub(crate) sent: AtomicU64,
    /// Bytes for other workers of this process, which read them where they are.
    pub(crate) shown: AtomicU64,
    /// Exchanges, once per worker of this process.
    pub(crate) exchanges: AtomicU64,
}

/// One worker in a run.
pub(crate) struct Session {
    place: Place,
    /// How the caller of the run ends it; followers hear of that through their leader.
    caller: Option<Stop>,
    traffic: Arc<Traffic>,
    /// Bytes that this worker has told others.
    told: u64,
    /// This worker has failed, or knows that another has.
    is_over: bool,
}

impl Session {
    pub(crate) fn new(place: Place, caller: Option<Stop>, traffic: Arc<Traffic>) -> Session {
        Session { place, caller, traffic, told: 0, is_over: false }
    }

    /// The number of this worker.
    pub(crate) fn index(&self) -> usize {
        self.place.rank()
    }

    /// The number of workers.
    pub(crate) fn peers(&self) -> usize {
        self.place.size()
    }

    /// The number of this worker among those of its process, and how many these are.
    pub(crate) fn among_own(&self) -> (usize, usize) {
        let (_, workers) = self.place.shape();
        (self.index() % workers, workers)
    }

    /// Sends a message to every other worker and returns those of all, in the order of the workers.
    pub(crate) fn broadcast(&mut self, message: Writer) -> Result<Vec<Message>> {
        let (processes, workers) = self.place.shape();
        self.count(message.0.len() * (processes - 1), message.0.len() * (workers - 1));
        self.speak(|place| place.exchange(Outgoing::All(Arc::new(message.0))))
    }

    /// Sends a message to each worker, in their order, and returns those of all.
    pub(crate) fn exchange_each(&mut self, messages: Vec<Writer>) -> Result<Vec<Message>> {
        self.count_each(messages.iter().enumerate().map(|(to, message)| (to, message.0.len())));
        let each = messages.into_iter().map(|message| Arc::new(message.0)).collect();
        self.speak(|place| place.exchange(Outgoing::Each(each)))
    }

    /// A plan for exchanges of so many entries with each worker.
    pub(crate) fn neighbours(&mut self, give: &[usize], take: &[usize]) -> Result<Neighbours> {
        self.speak(|place| place.neighbours(give, take))
    }

    /// Sends to the workers of a plan their entries of `unit` bytes each, in its order, and returns theirs.
    pub(crate) fn exchange_neighbours(
        &mut self,
        plan: &Neighbours,
        unit: usize,
        messages: Vec<Writer>,
    ) -> Result<Vec<Message>> {
        self.count_each(plan.give().iter().zip(&messages).map(|(&(to, _), message)| (to, message.0.len())));
        let parts = messages.into_iter().map(|message| Arc::new(message.0)).collect();
        self.speak(|place| place.exchange_neighbours(plan, unit, parts))
    }

    /// The sum of the numbers of all workers.
    pub(crate) fn sum(&mut self, number: u64) -> Result<u64> {
        let (processes, workers) = self.place.shape();
        self.count(8 * (processes - 1), 8 * (workers - 1));
        let mut values = [number];
        self.speak(|place| place.allreduce(&mut values, Op::Sum))?;
        Ok(values[0])
    }

    /// Bytes that this worker has told others since the run began.
    pub(crate) fn told(&self) -> u64 {
        self.told
    }

    fn count(&mut self, sent: usize, shown: usize) {
        self.told += (sent + shown) as u64;
        self.traffic.sent.fetch_add(sent as u64, Ordering::Relaxed);
        self.traffic.shown.fetch_add(shown as u64, Ordering::Relaxed);
        self.traffic.exchanges.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts messages to workers, but for one to itself.
    fn count_each(&mut self, messages: impl Iterator<Item = (usize, usize)>) {
        let (own, here) = (self.index(), self.process_of(self.index()));
        let (mut sent, mut shown) = (0, 0);
        for (to, bytes) in messages.filter(|(to, _)| *to != own) {
            *(if self.process_of(to) == here { &mut shown } else { &mut sent }) += bytes;
        }
        self.count(sent, shown);
    }

    fn speak<T>(&mut self, what: impl FnOnce(&mut Place) -> std::result::Result<T, Over>) -> Result<T> {
        if self.is_over {
            return Err(ErrorKind::Machine("the run has failed already".to_string()).into());
        }
        what(&mut self.place).map_err(|over| {
            self.is_over = true;
            let by_caller = self.caller.as_ref().and_then(|caller| caller.check().err());
            by_caller.unwrap_or_else(|| ErrorKind::Elsewhere(over.0).into())
        })
    }

    /// An error when another worker has ended the run: what the last kernel left is of no use then.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.place.end().is_told() {
            false => Ok(()),
            true => {
                self.is_over = true;
                Err(ErrorKind::Elsewhere(self.place.end().reason()).into())
            }
        }
    }

    /// Whether there are other processes.
    pub(crate) fn is_spread(&self) -> bool {
        self.place.shape().0 > 1
    }

    /// The process of a worker.
    pub(crate) fn process_of(&self, worker: usize) -> usize {
        self.place.process_of(worker)
    }

    /// Ends the run for a reason that all workers find at the same time.
    pub(crate) fn end(&mut self, reason: &str) {
        self.is_over = true;
        self.place.abort(reason);
    }

    /// Readers of messages.
    pub(crate) fn readers(messages: &[Message]) -> Vec<Reader<'_>> {
        messages.iter().map(|message| Reader::new(message)).collect()
    }

    /// Tells all other workers that this one cannot go on.
    pub(crate) fn fail(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.is_over, true) {
            let own = self.index();
            self.place.abort(&format!("worker {own}: {reason}"));
        }
    }

    /// Brings the owned entries of vectors to all workers.
    pub(crate) fn gather(&mut self, vectors: &[(Vector, Arc<Cut>)]) -> Result<()> {
        let mut message = Writer::default();
        let own = self.index();
        for (vector, cut) in vectors {
            write_cells(&mut message, vector, owned_cells(vector, cut, own));
        }
        let messages = self.broadcast(message)?;
        let mut readers = Session::readers(&messages);
        for (vector, cut) in vectors {
            for (worker, reader) in readers.iter_mut().enumerate().filter(|(worker, _)| *worker != own) {
                let cells = owned_cells(vector, cut, worker);
                read_cells(reader, vector, cells.len(), cells);
            }
        }
        self.intact(&readers)
    }

    /// An error when one of the messages was shorter than it should be.
    pub(crate) fn intact(&mut self, readers: &[Reader<'_>]) -> Result<()> {
        match readers.iter().position(|reader| reader.is_short) {
            None => Ok(()),
            Some(worker) => {
                let reason = format!(
                    "a message of worker {worker} is too short: do all processes run the same \
                                      program on the same graph with the same version?"
                );
                self.fail(&reason);
                Err(ErrorKind::Machine(reason).into())
            }
        }
    }
}

/// The cells of the entries that a worker owns.
pub(crate) fn owned_cells(vector: &Vector, cut: &Cut, worker: usize) -> std::ops::Range<usize> {
    let (range, stride, end) = (cut.range(worker), vector.stride(), vector.cells());
    (range.start as usize * stride).min(end)..(range.end as usize * stride).min(end)
}
