//! Children on their way: a message to their tile, which takes them in or refuses them.

use super::code::Spawn;
use super::config::Unhinted;
use super::conflict::TaskId;
use super::engine::{Doing, Engine};
use super::events::Event;
use super::hierarchy::mix;
use super::task::{State, Task};

/// Bytes of messages \[SwarmArch/sim\]: a task without and with each argument, its acknowledgement.
const TASK_BYTES: u64 = 12;
const ARGUMENT_BYTES: u64 = 8;
const ACK_BYTES: u64 = 4;
/// How long a refused task waits at first and at most \[SwarmArch/sim: 25 to 1,000 cycles\], and how often it is
/// refused before its tile takes it in over capacity.
const FIRST_BACK_OFF: u64 = 25;
const LAST_BACK_OFF: u64 = 1000;
pub(super) const REFUSALS: u32 = 8;

impl Engine<'_> {
    /// Makes a task that is on its way to its tile.
    pub(super) fn create(&mut self, spawn: Spawn, parent: Option<(TaskId, usize)>) -> TaskId {
        let id = self.unused.pop().unwrap_or_else(|| {
            self.tasks.push(Task::new());
            (self.tasks.len() - 1) as TaskId
        });
        self.next_order += 1;
        self.live += 1;
        let tile = match (spawn.hint, self.config.unhinted, parent) {
            (Some(hint), _, _) => self.hints.tile(hint),
            (None, Unhinted::Local, Some((_, tile))) => tile,
            (None, _, _) => (mix(self.next_order ^ mix(self.config.seed)) % self.tiles.len() as u64) as usize,
        };
        let task = &mut self.tasks[id as usize];
        (task.function, task.args, task.timestamp, task.hint) =
            (spawn.function, spawn.args, spawn.timestamp, spawn.hint);
        (task.order, task.tile, task.state) = (self.next_order, tile as u32, State::Flying);
        (task.parent, task.sender) = (parent.map(|(parent, _)| parent), None);
        task.flight = self.flying.len() as u32;
        self.flying.push(id);
        if let Some((parent, _)) = parent {
            self.tasks[parent as usize].children.push(id);
        }
        id
    }

    /// Sends a new child from a tile; false when the send buffer is full.
    pub(super) fn send(&mut self, spawn: Spawn, parent: TaskId, from: usize) -> bool {
        if self.tiles[from].sending >= self.config.send_buffer {
            return false;
        }
        let id = self.create(spawn, Some((parent, from)));
        let to = self.tasks[id as usize].tile as usize;
        let bytes = TASK_BYTES + ARGUMENT_BYTES * spawn.args.as_slice().len() as u64;
        if to != from {
            self.tiles[from].sending += 1;
            self.tasks[id as usize].sender = Some(from as u32);
            self.stats.traffic.tasks += bytes * self.mesh.hops(from, to);
        }
        let generation = self.tasks[id as usize].generation;
        let cycles = self.config.enqueue_cycles + self.mesh.latency(from, to, bytes);
        self.at(cycles, Event::Arrive { task: id, generation, refusals: 0 });
        true
    }

    /// A task arrives at its tile, which takes it in or refuses it.
    pub(super) fn arrive(&mut self, id: TaskId, refusals: u32) {
        let task = &self.tasks[id as usize];
        let (tile, sender) = (task.tile as usize, task.sender);
        let capacity = self.config.task_queue_per_core * self.config.cores_of(tile);
        if self.tiles[tile].tasks() >= capacity && refusals < REFUSALS {
            self.stats.tasks.refused += 1;
            let wait = (FIRST_BACK_OFF << refusals).min(LAST_BACK_OFF);
            let generation = task.generation;
            self.at(wait, Event::Arrive { task: id, generation, refusals: refusals + 1 });
            return;
        }
        self.stats.tasks.over_capacity += u64::from(self.tiles[tile].tasks() >= capacity);
        self.land(id);
        self.enter_idle(id);
        self.mark(tile);
        if let Some(sender) = sender {
            self.acknowledge(id, tile, sender);
        }
    }

    /// Frees the entry of a send buffer, after the way back.
    pub(super) fn acknowledge(&mut self, id: TaskId, tile: usize, sender: u32) {
        self.tasks[id as usize].sender = None;
        self.stats.traffic.tasks += ACK_BYTES * self.mesh.hops(tile, sender as usize);
        let cycles = self.mesh.latency(tile, sender as usize, ACK_BYTES);
        self.at(cycles, Event::Ack { tile: sender });
    }

    /// A task is no longer on its way.
    pub(super) fn land(&mut self, id: TaskId) {
        let at = self.tasks[id as usize].flight as usize;
        self.flying.swap_remove(at);
        if let Some(&moved) = self.flying.get(at) {
            self.tasks[moved as usize].flight = at as u32;
        }
    }

    /// Cores of a tile that wait for room in the send buffer try again, the earliest task first.
    pub(super) fn resume_senders(&mut self, tile: usize) {
        if self.tiles[tile].cores(Doing::WaitingToSend) == 0 {
            return;
        }
        let room = self.config.send_buffer.saturating_sub(self.tiles[tile].sending);
        let waiting = self.cores_of(tile).filter(|&core| self.cores[core].doing == Doing::WaitingToSend);
        let mut waiting: Vec<usize> = waiting.collect();
        waiting.sort_by_key(|&core| self.tasks[self.cores[core].task as usize].time());
        for core in waiting.into_iter().take(room) {
            self.turn(core, Doing::Running);
            self.core_at(core, 0);
        }
    }
}
