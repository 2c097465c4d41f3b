//! A tile: its task queue, its commit queue, and which task its cores take next.

use super::conflict::TaskId;
use super::engine::{Core, Doing, Engine};
use super::sorted::Sorted;
use super::task::{SPLITTER, State, Task, VirtualTime};

impl Task {
    /// Its entry in the task queue.
    fn idle(&self, id: TaskId) -> Idle {
        Idle { timestamp: self.timestamp, order: self.order, id, hint: self.hint }
    }
}

/// An idle task in its queue: by timestamp and age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Idle {
    pub(super) timestamp: u64,
    order: u64,
    pub(super) id: TaskId,
    hint: Option<u64>,
}

/// A tile's queues.
#[derive(Debug, Default)]
pub(super) struct Tile {
    /// Idle tasks.
    pub(super) idle: Sorted<Idle>,
    /// How many of them have no parent that could be aborted.
    pub(super) untied: usize,
    /// The commit queue.
    pub(super) finished: Sorted<(VirtualTime, TaskId)>,
    /// Tasks on cores.
    pub(super) on_core: usize,
    /// Hints of tasks on cores.
    running_hints: Vec<u64>,
    /// Used entries of the send buffer.
    pub(super) sending: usize,
    /// Something happened that may let a core go on.
    pub(super) dirty: bool,
    /// The cores by what they do.
    pub(super) cores_doing: [usize; Doing::ALL],
}

impl Tile {
    /// A tile whose cores do nothing yet.
    pub(super) fn new(cores: usize) -> Tile {
        let mut tile = Tile::default();
        tile.cores_doing[Doing::Nothing as usize] = cores;
        tile
    }

    /// The cores that do something.
    pub(super) fn cores(&self, doing: Doing) -> usize {
        self.cores_doing[doing as usize]
    }

    /// Used entries of the task queue.
    pub(super) fn tasks(&self) -> usize {
        self.idle.len() + self.on_core + self.finished.len()
    }
}

impl Engine<'_> {
    /// A task comes into the task queue of its tile.
    pub(super) fn enter_idle(&mut self, id: TaskId) {
        let task = &mut self.tasks[id as usize];
        task.state = State::Idle;
        let (entry, tile, untied) = (task.idle(id), task.tile as usize, task.parent.is_none());
        self.tiles[tile].idle.insert(entry);
        self.tiles[tile].untied += usize::from(untied);
    }

    /// A task leaves the task queue of its tile.
    pub(super) fn leave_idle(&mut self, id: TaskId) {
        let task = &self.tasks[id as usize];
        let (entry, tile) = (task.idle(id), &mut self.tiles[task.tile as usize]);
        tile.untied -= usize::from(task.parent.is_none());
        tile.idle.remove(&entry);
    }

    /// Gives tasks to the free cores of a tile.
    pub(super) fn dispatch(&mut self, tile: usize) {
        let cores = if self.tiles[tile].cores(Doing::Nothing) > 0 { self.cores_of(tile) } else { 0..0 };
        for core in cores {
            if self.cores[core].doing != Doing::Nothing {
                continue;
            }
            if self.spill(tile, core) {
                continue;
            }
            let Some(id) = self.next_task(tile) else { break };
            self.start(core, id);
        }
        self.preempt(tile);
    }

    /// The earliest idle task whose hint nobody in the tile is working on.
    fn next_task(&self, tile: usize) -> Option<TaskId> {
        let Tile { idle, running_hints, .. } = &self.tiles[tile];
        let is_free = |hint: Option<u64>| match hint {
            Some(hint) if self.config.serialize_hints => !running_hints.contains(&hint),
            _ => true,
        };
        idle.iter().find(|entry| is_free(entry.hint)).map(|entry| entry.id)
    }

    /// A core that waits with a later task gives way to an idle earlier one: the earliest task always finds a core.
    fn preempt(&mut self, tile: usize) {
        if self.tiles[tile].cores(Doing::WaitingToCommit) == 0 {
            return;
        }
        let Some(first) = self.next_task(tile) else { return };
        let timestamp = self.tasks[first as usize].timestamp;
        let waiting = self.cores_of(tile).filter(|&core| self.cores[core].doing == Doing::WaitingToCommit);
        let latest = waiting.map(|core| self.cores[core].task).max_by_key(|&task| self.tasks[task as usize].time());
        if let Some(latest) = latest.filter(|&task| self.tasks[task as usize].timestamp > timestamp) {
            self.stats.tasks.aborted_room += 1;
            self.abort(&[latest], None);
        }
    }

    fn start(&mut self, core: usize, id: TaskId) {
        self.leave_idle(id);
        let task = &mut self.tasks[id as usize];
        let tile = task.tile as usize;
        self.tiles[tile].on_core += 1;
        self.tiles[tile].running_hints.extend(task.hint);
        self.cores[core].hint = task.hint;
        task.tie = self.next_tie;
        self.next_tie += 1;
        task.state = State::OnCore(core as u32);
        let (function, args) = (task.function, task.args);
        self.turn(core, Doing::Running);
        self.cores[core].task = id;
        let mut cycles = self.config.dequeue_cycles;
        if function == SPLITTER {
            cycles += self.config.spill_cycles * self.tasks[id as usize].group.len() as u64;
        } else {
            let registers = self.code.functions[function as usize].registers;
            let Core { regs, pc, .. } = &mut self.cores[core];
            regs.clear();
            regs.extend_from_slice(args.as_slice());
            regs.resize(registers.max(args.as_slice().len()), 0);
            *pc = 0;
        }
        self.core_at(core, cycles);
    }

    /// A core gives its task up: to the commit queue, back to the task queue, or because it is gone.
    pub(super) fn leave_core(&mut self, core: usize) {
        let tile = self.tile_of(core);
        self.tiles[tile].on_core -= 1;
        self.release_hint(core);
        self.cores[core].epoch += 1;
        self.mark(tile);
    }

    /// Other tasks with the hint of this core's task may run.
    pub(super) fn release_hint(&mut self, core: usize) {
        let tile = self.tile_of(core);
        let hints = &mut self.tiles[tile].running_hints;
        let hint = self.cores[core].hint.take();
        if let Some(at) = hint.and_then(|hint| hints.iter().position(|&h| h == hint)) {
            hints.swap_remove(at);
        }
    }
}
