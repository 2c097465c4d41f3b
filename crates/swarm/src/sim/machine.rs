//! The machine between runs, and what it is asked to do.

use super::code::{Code, Fault, Spawn};
use super::config::Config;
use super::conflict::LineTable;
use super::engine::Engine;
use super::hierarchy::Hierarchy;
use super::hints::HintMap;
use super::memory::{LINE, Memory};
use super::noc::Mesh;
use super::stats::Stats;

/// A machine with its caches and its clock. Runs follow one another and find the caches as the last one left them.
pub struct Machine {
    pub(super) config: Config,
    pub(super) mesh: Mesh,
    pub(super) caches: Hierarchy,
    pub(super) table: LineTable,
    pub(super) hints: HintMap,
    pub(super) clock: u64,
    pub(super) stats: Stats,
    pub(super) next_order: u64,
    pub(super) next_tie: u64,
}

/// What a machine shall run.
pub struct Job<'j> {
    /// The task program.
    pub code: &'j Code,
    /// Values of [`Op::Param`](super::code::Op::Param).
    pub params: &'j [u64],
    /// The lines that tasks can write ([`AddressSpace::writable_lines`](super::memory::AddressSpace::writable_lines)).
    pub writable_lines: usize,
    /// The first tasks.
    pub roots: &'j [Spawn],
    /// Asked now and then whether to stop.
    pub stop: &'j mut dyn FnMut() -> bool,
    /// Keep the tasks in the order in which they committed.
    pub log: bool,
}

/// What a run leaves behind besides the memory.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What tasks emitted, by channel, in the order of commits.
    pub emitted: Vec<(u16, u64)>,
    /// The tasks in the order of commits, where [`Job::log`] asked for them.
    pub order: Vec<Spawn>,
    /// Cycles of this run.
    pub cycles: u64,
    /// The timestamp of the last commit.
    pub last_timestamp: u64,
}

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A committed task cannot go on.
    #[error("a task of function {function} failed: {fault:?}")]
    Fault {
        /// Its function.
        function: u16,
        /// Why.
        fault: Fault,
    },
    /// [`Job::stop`] said so.
    #[error("the simulation was stopped")]
    Stopped,
}

impl Machine {
    /// A machine with cold caches at cycle 0.
    pub fn new(config: Config) -> Machine {
        Machine {
            mesh: Mesh::new(&config),
            caches: Hierarchy::new(&config),
            table: LineTable::default(),
            hints: HintMap::new(&config),
            clock: 0,
            stats: Stats::default(),
            next_order: 0,
            next_tie: 1,
            config,
        }
    }

    /// The parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What was counted in all runs.
    pub fn stats(&self) -> Stats {
        Stats { memory: self.caches.counts, ..self.stats }
    }

    /// Runs a task program until every task has committed. After an error the memory holds values that mean nothing.
    pub fn run(&mut self, job: Job<'_>, memory: &mut Memory) -> Result<Outcome, SimError> {
        self.table.reserve(job.writable_lines * (LINE / self.config.conflict_bytes) as usize);
        self.caches.reserve(job.writable_lines);
        let start = self.clock;
        // The parts of the job are borrowed anew, for no longer than the machine.
        let Job { code, params, writable_lines, roots, stop, log } = job;
        let job = Job { code, params, writable_lines, roots, stop: &mut *stop, log };
        let mut engine = Engine::new(self, job, memory);
        let result = engine.run();
        let (now, outcome) = (engine.now, std::mem::take(&mut engine.outcome));
        let last_timestamp = engine.committed_until.0;
        let (stats, order, tie) = (engine.stats, engine.next_order, engine.next_tie);
        if result.is_err() {
            self.table = LineTable::default();
        } else {
            debug_assert!(self.table.is_clear());
        }
        (self.stats, self.clock, self.next_order, self.next_tie) = (stats, now, order, tie);
        self.stats.cycles = self.stats.cycles.wrapping_add(now - start);
        result.map(|()| Outcome { cycles: now - start, last_timestamp, ..outcome })
    }
}
