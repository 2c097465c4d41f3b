//! Tasks as the machine keeps them.

use super::code::{Args, Fault, FunctionId, ObjectId};
use super::conflict::{Bloom, TaskId};

/// A place in program order: timestamp, then the tie breaker that a task gets when a core takes it.
pub type VirtualTime = (u64, u64);

/// The function of tasks that bring spilled tasks back.
pub(crate) const SPLITTER: FunctionId = FunctionId::MAX;

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The entry is not used.
    Gone,
    /// On its way to its tile.
    Flying,
    /// In the task queue of its tile.
    Idle,
    /// On a core, running or waiting there.
    OnCore(u32),
    /// In the commit queue of its tile.
    Finished,
    /// In memory, in the group of a splitter.
    Spilled,
}

/// A task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) function: FunctionId,
    pub(crate) args: Args,
    pub(crate) timestamp: u64,
    pub(crate) tie: u64,
    pub(crate) hint: Option<u64>,
    pub(crate) state: State,
    /// Distinguishes the tasks that use this entry one after the other.
    pub(crate) generation: u32,
    /// When it was created, counted in tasks: the order of idle tasks with equal timestamps.
    pub(crate) order: u64,
    pub(crate) tile: u32,
    /// Its place among the tasks on their way.
    pub(crate) flight: u32,
    /// The tile whose send buffer holds it.
    pub(crate) sender: Option<u32>,
    /// The parent, until it commits.
    pub(crate) parent: Option<TaskId>,
    pub(crate) children: Vec<TaskId>,
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    pub(crate) undo: Vec<(ObjectId, u32, u64)>,
    pub(crate) emitted: Vec<(u16, u64)>,
    /// Of a splitter: the tasks in memory.
    pub(crate) group: Vec<TaskId>,
    /// Lines read and lines written, where Bloom filters are used.
    pub(crate) filters: Option<Box<[Bloom; 2]>>,
    pub(crate) fault: Option<Fault>,
    /// Cycles of cores in this run.
    pub(crate) spent: u64,
    /// Set while an abort is being worked out.
    pub(crate) doomed: Doom,
}

/// What an abort makes of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doom {
    No,
    /// It runs again.
    Again,
    /// It goes with its parent.
    Discard,
}

impl Task {
    pub(crate) fn new() -> Task {
        Task {
            function: 0,
            args: Args::default(),
            timestamp: 0,
            tie: 0,
            hint: None,
            state: State::Gone,
            generation: 0,
            order: 0,
            tile: 0,
            flight: 0,
            sender: None,
            parent: None,
            children: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            undo: Vec::new(),
            emitted: Vec::new(),
            group: Vec::new(),
            filters: None,
            fault: None,
            spent: 0,
            doomed: Doom::No,
        }
    }

    /// Its place in program order; only for tasks that a core has taken.
    pub(crate) fn time(&self) -> VirtualTime {
        (self.timestamp, self.tie)
    }

    /// Forgets the run: nothing is read, written, created or emitted.
    pub(crate) fn clear_run(&mut self) {
        self.children.clear();
        self.reads.clear();
        self.writes.clear();
        self.undo.clear();
        self.emitted.clear();
        self.fault = None;
        self.spent = 0;
        if let Some(filters) = &mut self.filters {
            filters.iter_mut().for_each(Bloom::clear);
        }
    }
}
