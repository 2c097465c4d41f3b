//! The board on which the workers of one process leave messages for each other, and for those of other processes.
//!
//! Workers of a process share memory: a message is put on the board once and read where it is. What other processes
//! must know is collected there by the worker that comes last, which carries out the exchange between processes for
//! all of them: one parcel per process, however many workers it has.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::end::End;
use crate::link::Link;
use crate::message::{Reader, Writer};

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
#[derive(Debug, Clone)]
pub(crate) struct Message {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Deref for Message {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
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
struct Round {
    local: Vec<Outgoing>,
    /// The parcel of every process; that of this process is empty.
    remote: Vec<Arc<Vec<u8>>>,
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
        let before = self.rounds.load(Ordering::Acquire);
        let mut state = self.state();
        state.given[index - self.process * self.workers] = Some(outgoing);
        let round = if state.given.iter().all(Option::is_some) {
            let local: Vec<Outgoing> = state.given.iter_mut().filter_map(Option::take).collect();
            drop(state);
            let Some(remote) = self.remote(&local) else {
                self.end.tell("the connection to the other processes was lost");
                return Err(self.end.reason());
            };
            let round = Arc::new(Round { local, remote });
            self.state().round = Some(Arc::clone(&round));
            self.rounds.store(before + 1, Ordering::Release);
            self.changed.notify_all();
            Some(round)
        } else {
            drop(state);
            self.wait(before)
        };
        let messages = round.and_then(|round| self.messages(&round, index));
        messages.ok_or_else(|| {
            self.end.tell("a damaged message arrived: do all processes run the same version?");
            self.end.reason()
        })
    }

    /// Waits for the end of an exchange; `None` when the run is over.
    fn wait(&self, before: u64) -> Option<Arc<Round>> {
        let is_complete = || self.rounds.load(Ordering::Acquire) != before;
        for _ in 0..self.looks {
            if is_complete() {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.state();
        while !is_complete() {
            if self.end.is_told() {
                return None;
            }
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.round.clone()
    }

    /// Exchanges what the workers of this process say with the other processes; `None` when the run is over.
    fn remote(&self, local: &[Outgoing]) -> Option<Vec<Arc<Vec<u8>>>> {
        if self.processes == 1 {
            return Some(vec![Arc::default()]);
        }
        let parcel = |process: usize| {
            let mut parcel = Writer::default();
            let mut say = |bytes: &[u8]| {
                parcel.u64(bytes.len() as u64);
                parcel.bytes(bytes);
            };
            for outgoing in local {
                match outgoing {
                    Outgoing::All(bytes) => {
                        say(&[]);
                        say(bytes);
                    }
                    Outgoing::Each(each) => {
                        say(&[1]);
                        let first = process * self.workers;
                        each.iter().skip(first).take(self.workers).for_each(|bytes| say(bytes));
                    }
                }
            }
            parcel.0
        };
        let parcels = (0..self.processes).map(|to| if to == self.process { Vec::new() } else { parcel(to) }).collect();
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let received = link.as_mut()?.exchange(parcels)?;
        Some(received.into_iter().map(Arc::new).collect())
    }

    /// What all workers said to one of this process; `None` when something is damaged.
    fn messages(&self, round: &Round, index: usize) -> Option<Vec<Message>> {
        let mut messages = Vec::with_capacity(self.peers());
        for (process, parcel) in round.remote.iter().enumerate() {
            if process == self.process {
                for outgoing in &round.local {
                    let bytes = match outgoing {
                        Outgoing::All(bytes) => bytes,
                        Outgoing::Each(each) => each.get(index)?,
                    };
                    messages.push(Message { bytes: Arc::clone(bytes), range: 0..bytes.len() });
                }
                continue;
            }
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
                messages.push(Message { bytes: Arc::clone(parcel), range });
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
