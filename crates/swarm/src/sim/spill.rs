//! Spills: a task queue that fills up moves late tasks to memory, and a splitter task brings them back.
//!
//! Only tasks whose parents have committed are moved: nobody can abort such a task before it runs, so moving it is not
//! speculative. A splitter has the least timestamp of its group and takes one entry of the task queue; it is moved as
//! tasks are, so that a queue holds no more of them than it has room for.

use super::conflict::TaskId;
use super::engine::{Doing, Engine};
use super::task::State;

impl Engine<'_> {
    /// Lets a free core move tasks to memory if the task queue of its tile is too full; true when it does.
    pub(super) fn spill(&mut self, tile: usize, core: usize) -> bool {
        let capacity = self.config.task_queue_per_core * self.config.cores_of(tile);
        if self.tiles[tile].tasks() * 100 <= capacity * self.config.overflow_percent {
            return false;
        }
        if self.tiles[tile].untied < 2 {
            return false;
        }
        // The latest tasks, but never the first one of the queue.
        let late = self.tiles[tile].idle.iter().skip(1).rev().map(|entry| entry.id);
        let movable = |&id: &TaskId| self.tasks[id as usize].parent.is_none();
        let group: Vec<TaskId> = late.filter(movable).take(self.config.spill_tasks).collect();
        if group.len() < 2 {
            return false;
        }
        for &id in &group {
            self.leave_idle(id);
            self.tasks[id as usize].state = State::Spilled;
        }
        let first = group.iter().map(|&id| self.tasks[id as usize].timestamp).min().unwrap_or(0);
        let cycles = self.config.spill_cycles * group.len() as u64;
        self.stats.tasks.spilled += group.len() as u64;
        let spawn = self.splitter(first);
        let splitter = self.create(spawn, None);
        self.land(splitter);
        let task = &mut self.tasks[splitter as usize];
        (task.tile, task.group) = (tile as u32, group);
        self.enter_idle(splitter);
        self.turn(core, Doing::Spilling);
        self.core_at(core, cycles);
        true
    }

    /// A splitter is done: its group is in the task queue again.
    pub(super) fn split(&mut self, core: usize) {
        let id = self.cores[core].task;
        for spilled in std::mem::take(&mut self.tasks[id as usize].group) {
            self.enter_idle(spilled);
        }
        self.turn(core, Doing::Nothing);
        self.leave_core(core);
        self.release(id);
    }
}
