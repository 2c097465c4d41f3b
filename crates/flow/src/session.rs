//! A worker's place in a run: its number, its place at the board, and what all workers do together.
//!
//! All workers walk the same program and so come to the same exchanges in the same order. A worker that fails says why;
//! the others find it at their next exchange, or in the midst of a kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gw_exec::{ErrorKind, Result, Vector};

use crate::board::{Board, Message, Outgoing};
use crate::cut::Cut;
use crate::message::{Reader, Writer, read_cells, write_cells};

/// A place at the board, for one worker.
pub(crate) struct Wires {
    /// The number of this worker.
    pub(crate) index: usize,
    pub(crate) board: Arc<Board>,
}

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
    wires: Wires,
    traffic: Arc<Traffic>,
    /// Bytes that this worker has told others.
    told: u64,
    /// This worker has failed, or knows that another has.
    is_over: bool,
}

impl Session {
    pub(crate) fn new(wires: Wires, traffic: Arc<Traffic>) -> Session {
        Session { wires, traffic, told: 0, is_over: false }
    }

    /// The number of this worker.
    pub(crate) fn index(&self) -> usize {
        self.wires.index
    }

    /// The number of workers.
    pub(crate) fn peers(&self) -> usize {
        self.wires.board.peers()
    }

    /// The number of this worker among those of its process, and how many these are.
    pub(crate) fn among_own(&self) -> (usize, usize) {
        let workers = self.wires.board.others().1 + 1;
        (self.index() % workers, workers)
    }

    /// Sends a message to every other worker and returns those of all, in the order of the workers.
    pub(crate) fn broadcast(&mut self, message: Writer) -> Result<Vec<Message>> {
        let (processes, workers) = self.wires.board.others();
        self.count(message.0.len() * processes, message.0.len() * workers);
        self.exchange(Outgoing::All(Arc::new(message.0)))
    }

    /// Sends a message to each worker, in their order, and returns those of all.
    pub(crate) fn exchange_each(&mut self, messages: Vec<Writer>) -> Result<Vec<Message>> {
        let (own, here) = (self.index(), self.process_of(self.index()));
        let (mut sent, mut shown) = (0, 0);
        for (to, message) in messages.iter().enumerate().filter(|(to, _)| *to != own) {
            let count = if self.process_of(to) == here { &mut shown } else { &mut sent };
            *count += message.0.len();
        }
        self.count(sent, shown);
        self.exchange(Outgoing::Each(messages.into_iter().map(|message| Arc::new(message.0)).collect()))
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

    fn exchange(&mut self, outgoing: Outgoing) -> Result<Vec<Message>> {
        if self.is_over {
            return Err(ErrorKind::Machine("the run has failed already".to_string()).into());
        }
        let received = self.wires.board.exchange(self.wires.index, outgoing);
        received.map_err(|reason| {
            self.is_over = true;
            let (own, _) = self.among_own();
            let by_caller = if own == 0 { self.wires.board.end().check_caller().err() } else { None };
            by_caller.unwrap_or_else(|| ErrorKind::Elsewhere(reason).into())
        })
    }

    /// An error when another worker has ended the run: what the last kernel left is of no use then.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.wires.board.end().is_told() {
            false => Ok(()),
            true => {
                self.is_over = true;
                Err(ErrorKind::Elsewhere(self.wires.board.end().reason()).into())
            }
        }
    }

    /// Whether there are other processes.
    pub(crate) fn is_spread(&self) -> bool {
        self.wires.board.others().0 > 0
    }

    /// The process of a worker.
    pub(crate) fn process_of(&self, worker: usize) -> usize {
        self.wires.board.process_of(worker)
    }

    /// Ends the run for a reason that all workers find at the same time.
    pub(crate) fn end(&mut self, reason: &str) {
        self.is_over = true;
        self.wires.board.fail(reason);
    }

    /// Readers of messages.
    pub(crate) fn readers(messages: &[Message]) -> Vec<Reader<'_>> {
        messages.iter().map(|message| Reader::new(message)).collect()
    }

    /// Tells all other workers that this one cannot go on.
    pub(crate) fn fail(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.wires.board.fail(&format!("worker {}: {reason}", self.wires.index));
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
