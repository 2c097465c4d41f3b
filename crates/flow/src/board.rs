//! The board on which the workers of one process leave messages for each other, and for those of other processes.
//!
//! Workers of a process share memory: a message is put on the board once and read where it is. What other processes
//! must know is collected there by the first worker, which carries out the exchange between processes for all of them:
//! one parcel per process, however many workers it has. It is always the same one, since timely wakes one thread.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::end::End;
use crate::link::{Link, Parcel, Pieces};
use crate::message::Reader;

/// How long a worker sleeps at most before it looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often a worker looks at the board before it sleeps, where every worker can have a core.
const LOOKS: u32 = 1_000;

/// What a worker has to say.
#[derive(Debug, Clone)]
pub(crate) enum Outgoing {
    /// The same to all.
    All(Arc<Vec<u8>>),
    /// To each worker, in their order, something else; what is for itself comes back.
    Each(Vec<Arc<Vec<u8>>>),
}

/// A message as it was received.
#[derive(Clone)]
pub(crate) enum Message {
    /// Of a worker of this process.
    Near(Arc<Vec<u8>>),
    /// Of a worker of another process: a range of its parcel.
    Far(Arc<Round>, usize, Range<usize>),
}

impl Deref for Message {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Message::Near(bytes) => bytes,
            Message::Far(round, process, range) => {
                let parcel = round.remote.get(*process).and_then(Option::as_ref);
                parcel.and_then(|bytes| bytes.get(range.clone())).unwrap_or_default()
            }
        }
    }
}

/// Where the workers of this process meet.
pub(crate) struct Board {
    /// Workers of every process.
    workers: usize,
    process: usize,
    processes: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// The number of exchanges that are complete: may be looked at without the lock.
    rounds: AtomicU64,
    /// The number of exchanges that all workers of this process have given their messages for.
    complete: AtomicU64,
    link: Mutex<Option<Link>>,
    end: Arc<End>,
    /// How often a worker looks before it sleeps.
    looks: u32,
}

struct State {
    given: Vec<Option<Outgoing>>,
    /// The last exchange that was complete.
    round: Option<Arc<Round>>,
}

/// A complete exchange.
pub(crate) struct Round {
    local: Vec<Outgoing>,
    /// The parcel of every other process.
    remote: Vec<Option<Parcel>>,
}

impl Board {
    /// A board for the workers of the process number `process`; `link` leads to the other processes, if there are any.
    pub(crate) fn new(
        workers: usize,
        process: usize,
        processes: usize,
        link: Option<Link>,
        end: &Arc<End>,
        threads: usize,
    ) -> Arc<Board> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Board {
            workers,
            process,
            processes,
            state: Mutex::new(State { given: vec![None; workers], round: None }),
            changed: Condvar::new(),
            rounds: AtomicU64::new(0),
            complete: AtomicU64::new(0),
            link: Mutex::new(link),
            end: Arc::clone(end),
            looks: if workers * threads <= cores { LOOKS } else { 0 },
        })
    }

    /// Workers of all processes.
    pub(crate) fn peers(&self) -> usize {
        self.workers * self.processes
    }

    /// Why the run ends before its time.
    pub(crate) fn end(&self) -> &Arc<End> {
        &self.end
    }

    /// How many processes and how many workers of this process hear what a worker says to all.
    pub(crate) fn others(&self) -> (usize, usize) {
        (self.processes - 1, self.workers - 1)
    }

    /// The process of a worker.
    pub(crate) fn process_of(&self, worker: usize) -> usize {
        worker / self.workers
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something to all workers and returns what all have said, in their order. The error says why the run is
    /// over.
    pub(crate) fn exchange(&self, index: usize, outgoing: Outgoing) -> Result<Vec<Message>, String> {
        if self.end.is_told() {
            return Err(self.end.reason());
        }
        let own = index - self.process * self.workers;
        let before = self.rounds.load(Ordering::Acquire);
        let mut state = self.state();
        state.given[own] = Some(outgoing);
        let is_last = state.given.iter().all(Option::is_some);
        // One worker carries the exchange out: any that comes last, or the one that timely wakes.
        let carries_out = if self.processes == 1 { is_last } else { own == 0 };
        if is_last && !carries_out {
            self.complete.store(before + 1, Ordering::Release);
            self.changed.notify_all();
        }
        drop(state);
        if carries_out && !is_last && !self.wait(own == 0, &self.complete, before) {
            return Err(self.end.reason());
        }
        let round = match carries_out {
            true => Some(self.carry_out(before)?),
            false if self.wait(own == 0, &self.rounds, before) => self.state().round.clone(),
            false => None,
        };
        let messages = round.and_then(|round| self.messages(&round, index));
        messages.ok_or_else(|| {
            self.end.tell("a damaged message arrived: do all processes run the same version?");
            self.end.reason()
        })
    }

    /// Exchanges what all workers of this process have given with the other processes, and shows it to all.
    fn carry_out(&self, before: u64) -> Result<Arc<Round>, String> {
        let local: Vec<Outgoing> = self.state().given.iter_mut().filter_map(Option::take).collect();
        let Some(remote) = self.remote(&local) else {
            self.end.tell("the connection to the other processes was lost");
            return Err(self.end.reason());
        };
        let round = Arc::new(Round { local, remote });
        let mut state = self.state();
        state.round = Some(Arc::clone(&round));
        self.complete.store(before + 1, Ordering::Release);
        self.rounds.store(before + 1, Ordering::Release);
        drop(state);
        self.changed.notify_all();
        Ok(round)
    }

    /// Waits until a count is no longer what it was before; false when the run is over. The leader looks whether its
    /// caller has cancelled the run.
    fn wait(&self, is_leader: bool, count: &AtomicU64, before: u64) -> bool {
        let has_changed = || count.load(Ordering::Acquire) != before;
        for _ in 0..self.looks {
            if has_changed() {
                return true;
            }
            std::hint::spin_loop();
        }
        let mut state = self.state();
        while !has_changed() {
            if is_leader {
                self.end.look_at_caller();
            }
            if self.end.is_told() {
                return false;
            }
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Exchanges what the workers of this process say with the other processes; `None` when the run is over.
    fn remote(&self, local: &[Outgoing]) -> Option<Vec<Option<Parcel>>> {
        if self.processes == 1 {
            return Some(vec![None]);
        }
        let (to_all, to_each) = (Arc::new(Vec::new()), Arc::new(vec![1]));
        let parcel = |process: usize| -> Pieces {
            let mut pieces = Vec::new();
            for outgoing in local {
                match outgoing {
                    Outgoing::All(bytes) => pieces.extend([&to_all, bytes].map(Arc::clone)),
                    Outgoing::Each(each) => {
                        pieces.push(Arc::clone(&to_each));
                        pieces.extend(each.iter().skip(process * self.workers).take(self.workers).map(Arc::clone));
                    }
                }
            }
            pieces
        };
        let parcels = (0..self.processes).map(|to| if to == self.process { Vec::new() } else { parcel(to) }).collect();
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        link.as_mut()?.exchange(parcels)
    }

    /// What all workers said to one of this process; `None` when something is damaged.
    fn messages(&self, round: &Arc<Round>, index: usize) -> Option<Vec<Message>> {
        let mut messages = Vec::with_capacity(self.peers());
        for (process, parcel) in round.remote.iter().enumerate() {
            if process == self.process {
                for outgoing in &round.local {
                    let bytes = match outgoing {
                        Outgoing::All(bytes) => bytes,
                        Outgoing::Each(each) => each.get(index)?,
                    };
                    messages.push(Message::Near(Arc::clone(bytes)));
                }
                continue;
            }
            let parcel: &[u8] = parcel.as_ref()?;
            let mut reader = Reader::new(parcel);
            let hear = |reader: &mut Reader<'_>| {
                let length = usize::try_from(reader.u64()).ok()?;
                let start = parcel.len() - reader.left();
                reader.bytes(length);
                (!reader.is_short).then(|| start..start + length)
            };
            for _ in 0..self.workers {
                let range = match hear(&mut reader)?.len() {
                    0 => hear(&mut reader)?,
                    _ => {
                        let own = index - self.process * self.workers;
                        let all: Vec<Range<usize>> =
                            (0..self.workers).map(|_| hear(&mut reader)).collect::<Option<_>>()?;
                        all.get(own)?.clone()
                    }
                };
                messages.push(Message::Far(Arc::clone(round), process, range));
            }
        }
        Some(messages)
    }

    /// Ends the run of all workers of all processes.
    pub(crate) fn fail(&self, reason: &str) {
        self.end.tell(reason);
        let reason = self.end.reason();
        // Whoever holds the link sees that the run is over and lets it go.
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = link.as_mut() {
            link.fail(&reason);
        }
    }

    /// Leaves the other processes. All workers of this one have come to their end.
    pub(crate) fn leave(&self) {
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_hears_everybody_in_order() {
        let board = Board::new(3, 0, 1, None, &Arc::default(), 1);
        std::thread::scope(|scope| {
            for index in 0..3usize {
                let board = &board;
                scope.spawn(move || {
                    for round in 0..200usize {
                        let said = Outgoing::All(Arc::new(vec![index as u8; round]));
                        let heard = board.exchange(index, said).unwrap();
                        for (other, message) in heard.iter().enumerate() {
                            assert_eq!(**message, vec![other as u8; round]);
                        }
                        let each = (0..3).map(|to| Arc::new(vec![index as u8, to, round as u8])).collect();
                        let heard = board.exchange(index, Outgoing::Each(each)).unwrap();
                        for (other, message) in heard.iter().enumerate() {
                            assert_eq!(**message, [other as u8, index as u8, round as u8]);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn whoever_waits_for_one_that_failed_is_told_why() {
        let board = Board::new(2, 0, 1, None, &Arc::default(), 1);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| board.exchange(0, Outgoing::All(Arc::default())).map(|_| ()));
            std::thread::sleep(Duration::from_millis(30));
            board.fail("worker 1: no");
            assert_eq!(waiting.join().unwrap(), Err("worker 1: no".to_string()));
        });
        assert!(board.exchange(1, Outgoing::All(Arc::default())).is_err());
    }
}
