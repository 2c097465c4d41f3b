//! Workers of one process: a board on which they leave messages for each other, and one among them who carries out what
//! is said to other processes.
//!
//! Workers of a process share memory: a message is put on the board once and read where it is. What other processes
//! must know goes there in one parcel per process, however many workers there are. The first worker carries it out,
//! always the same one: an MPI may want to be called by one thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{End, Fabric, Message, Neighbours, Op, Outgoing, Over, by_exchange, parcel};

/// How long a worker sleeps at most before it looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often a worker looks at the board before it sleeps, where every worker can have a core.
const LOOKS: u32 = 1_000;
/// What is said of bytes that no process of this version would send.
const DAMAGED: &str = "a damaged message arrived: do all ranks run the same version?";

/// A fabric between processes, of which this process has one place.
pub type Outer = Box<dyn Fabric>;

/// Where the workers of this process meet.
struct Board {
    workers: usize,
    /// The number of this process, and of all.
    process: usize,
    processes: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// The number of exchanges that are complete: may be looked at without the lock.
    rounds: AtomicU64,
    /// The number of exchanges that all workers of this process have given their messages for.
    complete: AtomicU64,
    outer: Arc<Mutex<Option<Outer>>>,
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
    /// The parcel of every process; none where there is one.
    remote: Vec<Message>,
}

/// The place of one worker of this process.
pub struct Place {
    board: Arc<Board>,
    /// The number among the workers of this process.
    own: usize,
    end: Arc<End>,
}

/// The places of `workers` workers of this process in a run that ends when `end` is told, each with so many threads.
/// The process has a place in `outer` if there are others; what is in there when a run begins is there when it ends.
pub fn places(workers: usize, threads: usize, outer: &Arc<Mutex<Option<Outer>>>, end: &Arc<End>) -> Vec<Place> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (process, processes) = match &mut *outer.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(outer) => {
            outer.watch(end);
            (outer.rank(), outer.size())
        }
        None => (0, 1),
    };
    let board = Arc::new(Board {
        workers,
        process,
        processes,
        state: Mutex::new(State { given: vec![None; workers], round: None }),
        changed: Condvar::new(),
        rounds: AtomicU64::new(0),
        complete: AtomicU64::new(0),
        outer: Arc::clone(outer),
        looks: if workers * threads <= cores { LOOKS } else { 0 },
    });
    (0..workers).map(|own| Place { board: Arc::clone(&board), own, end: Arc::clone(end) }).collect()
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the fabric between processes.
    fn between<T>(&self, what: impl FnOnce(&mut dyn Fabric) -> Result<T, Over>) -> Result<T, Over> {
        let mut outer = self.outer.lock().unwrap_or_else(PoisonError::into_inner);
        match outer.as_deref_mut() {
            Some(outer) => what(outer),
            None => Err(Over("there is no connection to other processes".to_string())),
        }
    }

    /// What all workers said to the one with number `own`; `None` when something is damaged.
    fn messages(&self, round: &Round, own: usize) -> Option<Vec<Message>> {
        let mut messages = Vec::with_capacity(self.workers * self.processes);
        for process in 0..self.processes {
            if process != self.process {
                messages.extend(parcel::unpacked(round.remote.get(process)?, own, self.workers)?);
                continue;
            }
            for outgoing in &round.local {
                messages.push(Message::whole(Arc::clone(match outgoing {
                    Outgoing::All(bytes) => bytes,
                    Outgoing::Each(each) => each.get(self.process * self.workers + own)?,
                })));
            }
        }
        Some(messages)
    }
}

impl Place {
    /// The process of a worker, by its number among all.
    pub fn process_of(&self, rank: usize) -> usize {
        rank / self.board.workers
    }

    /// The number of processes, and of the workers of each.
    pub fn shape(&self) -> (usize, usize) {
        (self.board.processes, self.board.workers)
    }

    /// The end of the run.
    pub fn end(&self) -> &Arc<End> {
        &self.end
    }

    fn over(&self) -> Over {
        Over(self.end.reason())
    }

    /// This worker is the only one of its process: what it says needs no board.
    fn is_single(&self) -> bool {
        self.board.workers == 1 && self.board.processes > 1
    }

    /// Exchanges what all workers of this process have given with the other processes, and shows it to all.
    fn carry_out(&self, before: u64) -> Result<Arc<Round>, Over> {
        let board = &self.board;
        let local: Vec<Outgoing> = board.state().given.iter_mut().filter_map(Option::take).collect();
        let remote = match board.processes {
            1 => Vec::new(),
            _ => {
                let said = parcel::packed(&local, board.workers, board.processes);
                let heard = board.between(|outer| outer.exchange(said));
                heard.inspect_err(|over| self.end.tell(&over.0))?
            }
        };
        let round = Arc::new(Round { local, remote });
        let mut state = board.state();
        state.round = Some(Arc::clone(&round));
        board.complete.store(before + 1, Ordering::Release);
        board.rounds.store(before + 1, Ordering::Release);
        drop(state);
        board.changed.notify_all();
        Ok(round)
    }

    /// Waits until a count is no longer what it was before. The first worker looks whether the caller has cancelled the
    /// run.
    fn wait(&self, count: &AtomicU64, before: u64) -> Result<(), Over> {
        let has_changed = || count.load(Ordering::Acquire) != before;
        for _ in 0..self.board.looks {
            if has_changed() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let mut state = self.board.state();
        while !has_changed() {
            if self.own == 0 {
                self.end.look_at_caller();
            }
            if self.end.is_told() {
                return Err(self.over());
            }
            state = self.board.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Fabric for Place {
    fn rank(&self) -> usize {
        self.board.process * self.board.workers + self.own
    }

    fn size(&self) -> usize {
        self.board.workers * self.board.processes
    }

    fn watch(&mut self, end: &Arc<End>) {
        self.end = Arc::clone(end);
    }

    fn exchange(&mut self, outgoing: Outgoing) -> Result<Vec<Message>, Over> {
        if self.end.is_told() {
            return Err(self.over());
        }
        let board = &self.board;
        if self.is_single() {
            let heard = board.between(|outer| outer.exchange(outgoing));
            return heard.inspect_err(|over| self.end.tell(&over.0));
        }
        let before = board.rounds.load(Ordering::Acquire);
        let mut state = board.state();
        state.given[self.own] = Some(outgoing);
        let is_last = state.given.iter().all(Option::is_some);
        // One worker carries the exchange out: any that comes last, or the one that may call other processes.
        let carries_out = if board.processes == 1 { is_last } else { self.own == 0 };
        if is_last && !carries_out {
            board.complete.store(before + 1, Ordering::Release);
            board.changed.notify_all();
        }
        drop(state);
        let round = if carries_out {
            if !is_last {
                self.wait(&board.complete, before)?;
            }
            self.carry_out(before)?
        } else {
            self.wait(&board.rounds, before)?;
            let round = board.state().round.clone();
            round.ok_or_else(|| self.over())?
        };
        board.messages(&round, self.own).ok_or_else(|| {
            self.end.tell(DAMAGED);
            self.over()
        })
    }

    fn neighbours(&mut self, give: &[usize], take: &[usize]) -> Result<Neighbours, Over> {
        match self.is_single() {
            true => self.board.between(|outer| outer.neighbours(give, take)),
            false => Ok(Neighbours::of(self.rank(), give, take)),
        }
    }

    fn exchange_neighbours(
        &mut self,
        plan: &Neighbours,
        unit: usize,
        parts: Vec<Arc<Vec<u8>>>,
    ) -> Result<Vec<Message>, Over> {
        if !self.is_single() {
            return by_exchange::neighbours(self, plan, unit, parts);
        }
        let heard = self.board.between(|outer| outer.exchange_neighbours(plan, unit, parts));
        heard.inspect_err(|over| self.end.tell(&over.0))
    }

    fn allreduce(&mut self, values: &mut [u64], op: Op) -> Result<(), Over> {
        if !self.is_single() {
            return by_exchange::allreduce(self, values, op);
        }
        let reduced = self.board.between(|outer| outer.allreduce(values, op));
        reduced.inspect_err(|over| self.end.tell(&over.0))
    }

    fn abort(&mut self, reason: &str) {
        self.end.tell(reason);
        self.board.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
