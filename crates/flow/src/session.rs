//! A worker's place in a run: its number, its wires, and what all workers do together.
//!
//! All workers walk the same program and so come to the same exchanges in the same order. A worker that fails sends a
//! last message that says why; the others find it in their next exchange.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gw_exec::{ErrorKind, ExecError, Result, Vector};

use crate::cut::Cut;
use crate::message::{Reader, Writer, width};
use crate::wires::Wires;

/// The first byte of every message.
const FINE: u8 = 0;
const FAILED: u8 = 1;

/// What was sent since the machine was opened, by the workers of this process.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) bytes: AtomicU64,
    /// Exchanges, once per worker of this process.
    pub(crate) exchanges: AtomicU64,
}

/// One worker in a run.
pub(crate) struct Session {
    wires: Wires,
    traffic: Arc<Traffic>,
    /// This worker has failed, or knows that another has.
    is_over: bool,
}

impl Session {
    pub(crate) fn new(wires: Wires, traffic: Arc<Traffic>) -> Session {
        Session { wires, traffic, is_over: false }
    }

    /// The number of this worker.
    pub(crate) fn index(&self) -> usize {
        self.wires.index
    }

    /// The number of workers.
    pub(crate) fn peers(&self) -> usize {
        self.wires.peers
    }

    /// A message of this worker, to be filled.
    pub(crate) fn message() -> Writer {
        Writer(vec![FINE])
    }

    /// Sends a message to every other worker and returns those of all, in the order of the workers.
    pub(crate) fn broadcast(&mut self, message: Writer) -> Result<Vec<Vec<u8>>> {
        let mut parcels = vec![Vec::new(); self.peers()];
        let own = self.index();
        for (_, parcel) in parcels.iter_mut().enumerate().filter(|(to, _)| *to != own) {
            parcel.clone_from(&message.0);
        }
        parcels[own] = message.0;
        self.exchange(parcels)
    }

    /// Sends a message to each worker, in their order, and returns those of all.
    pub(crate) fn exchange(&mut self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        if self.is_over {
            return Err(ErrorKind::Machine("the run has failed already".to_string()).into());
        }
        let own = self.index();
        let sent: usize = parcels.iter().enumerate().filter(|(to, _)| *to != own).map(|(_, p)| p.len()).sum();
        self.traffic.bytes.fetch_add(sent as u64, Ordering::Relaxed);
        self.traffic.exchanges.fetch_add(1, Ordering::Relaxed);
        let received = self.wires.exchange(parcels);
        let messages = received.map_err(|reason| self.over(ErrorKind::Machine(reason).into()))?;
        let failed = messages.iter().enumerate().find(|(_, message)| message.first() != Some(&FINE));
        if let Some((worker, message)) = failed {
            let reason = String::from_utf8_lossy(message.get(1..).unwrap_or_default()).into_owned();
            return Err(self.over(ErrorKind::Machine(format!("worker {worker}: {reason}")).into()));
        }
        Ok(messages)
    }

    /// Readers of messages, behind their first byte.
    pub(crate) fn readers(messages: &[Vec<u8>]) -> Vec<Reader<'_>> {
        messages.iter().map(|message| Reader::new(message.get(1..).unwrap_or_default())).collect()
    }

    fn over(&mut self, error: ExecError) -> ExecError {
        self.is_over = true;
        error
    }

    /// Tells all other workers that this one cannot go on.
    pub(crate) fn fail(&mut self, reason: &str) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let message: Vec<u8> = [FAILED].into_iter().chain(reason.bytes()).collect();
        self.wires.last(vec![message; self.peers()]);
    }

    /// Brings the owned entries of vectors to all workers.
    pub(crate) fn gather(&mut self, vectors: &[(Vector, Arc<Cut>)]) -> Result<()> {
        let mut message = Session::message();
        let own = self.index();
        for (vector, cut) in vectors {
            let width = width(vector);
            owned_cells(vector, cut, own).for_each(|cell| message.cell(vector.load_bits(cell), width));
        }
        let messages = self.broadcast(message)?;
        let mut readers = Session::readers(&messages);
        for (vector, cut) in vectors {
            let width = width(vector);
            for (worker, reader) in readers.iter_mut().enumerate().filter(|(worker, _)| *worker != own) {
                owned_cells(vector, cut, worker).for_each(|cell| vector.store_bits(cell, reader.cell(width)));
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
