//! Commits: the tiles report the least virtual time that is not finished, and everything before the minimum commits.

use super::conflict::TaskId;
use super::engine::{Doing, Engine};
use super::events::Event;
use super::machine::SimError;
use super::task::{State, VirtualTime};

/// Bytes of messages \[SwarmArch/sim\]: a tile's minimum of virtual time and the answer.
const MINIMUM_BYTES: u64 = 24;
const GVT_BYTES: u64 = 16;

impl Engine<'_> {
    /// The tiles report, the minimum is known everywhere after the way to the arbiter and back.
    pub(super) fn gvt(&mut self) {
        let before = self.minimum();
        let arbiter = 0;
        for tile in 0..self.tiles.len() {
            self.stats.samples += 1;
            self.stats.task_queue_sum += self.tiles[tile].tasks() as u64;
            self.stats.commit_queue_sum += self.tiles[tile].finished.len() as u64;
            let hops = self.mesh.hops(tile, arbiter);
            self.stats.traffic.gvt += (MINIMUM_BYTES + GVT_BYTES) * hops;
        }
        let cycles = 2 * self.mesh.diameter() * self.config.hop_cycles;
        self.at(cycles, Event::Commit { before });
        self.hints.balance(self.now);
        self.at(self.config.gvt_period, Event::Gvt);
    }

    /// The least virtual time of a task that is not finished. An idle task will get a tie breaker above all others.
    fn minimum(&self) -> VirtualTime {
        let idle = self.tiles.iter().filter_map(|tile| tile.idle.first()).map(|entry| entry.timestamp);
        let flying = self.flying.iter().map(|&id| self.tasks[id as usize].timestamp);
        let waiting = idle.chain(flying).min().map(|timestamp| (timestamp, self.next_tie));
        let running = self.cores.iter().filter(|core| matches!(core.doing, Doing::Running | Doing::WaitingToSend));
        let running = running.map(|core| self.tasks[core.task as usize].time());
        running.chain(waiting).min().unwrap_or((u64::MAX, u64::MAX))
    }

    /// Commits everything finished before a virtual time.
    pub(super) fn commit_before(&mut self, before: VirtualTime) -> Result<(), SimError> {
        let mut ready: Vec<(VirtualTime, TaskId)> = Vec::new();
        for tile in 0..self.tiles.len() {
            while let Some(&(time, id)) = self.tiles[tile].finished.first().filter(|(time, _)| *time < before) {
                self.tiles[tile].finished.pop_first();
                self.mark(tile);
                ready.push((time, id));
            }
        }
        for core in 0..self.cores.len() {
            let id = self.cores[core].task;
            if self.cores[core].doing == Doing::WaitingToCommit && self.tasks[id as usize].time() < before {
                ready.push((self.tasks[id as usize].time(), id));
                self.turn(core, Doing::Nothing);
                self.leave_core(core);
            }
        }
        ready.sort_unstable();
        ready.into_iter().try_for_each(|(time, id)| self.commit(time, id))
    }

    fn commit(&mut self, time: VirtualTime, id: TaskId) -> Result<(), SimError> {
        debug_assert!(self.committed_until < time, "commits are in program order");
        self.committed_until = time;
        let task = &mut self.tasks[id as usize];
        if let Some(fault) = task.fault {
            return Err(SimError::Fault { function: task.function, fault });
        }
        debug_assert!(task.parent.is_none(), "the parent committed before");
        for &line in &task.reads {
            self.table.forget(line, false, id);
        }
        for &line in &task.writes {
            self.table.forget(line, true, id);
        }
        self.outcome.emitted.append(&mut task.emitted);
        self.stats.cores.committed += task.spent;
        self.stats.tasks.committed += 1;
        let (hint, spent) = (task.hint, task.spent);
        let children = std::mem::take(&mut task.children);
        for &child in &children {
            let child = &mut self.tasks[child as usize];
            child.parent = None;
            self.tiles[child.tile as usize].untied += usize::from(child.state == State::Idle);
        }
        // The list is used again.
        self.tasks[id as usize].children = children;
        if let Some(hint) = hint {
            self.hints.committed(hint, spent);
        }
        if self.log {
            let spawn = self.spawn_of(id);
            self.outcome.order.push(spawn);
        }
        self.release(id);
        Ok(())
    }
}
