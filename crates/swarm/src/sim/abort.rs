//! Aborts: a task, its children, and the later tasks that used what it wrote.

use super::conflict::TaskId;
use super::engine::{Doing, Engine};
use super::task::{Doom, State};

/// Bytes of a word to another tile that a task is aborted.
const ABORT_BYTES: u64 = 8;

impl Engine<'_> {
    /// Undoes the runs of these tasks, of everything they created, and of later tasks that touched a line they wrote.
    /// The tasks themselves run again; their children are thrown away. `by` is the tile whose access is the cause.
    pub(super) fn abort(&mut self, victims: &[TaskId], by: Option<usize>) {
        let mut doomed: Vec<TaskId> = Vec::new();
        let mut open: Vec<(TaskId, Doom)> = victims.iter().map(|&id| (id, Doom::Again)).collect();
        let named = open.len();
        while let Some((id, doom)) = open.pop() {
            let task = &mut self.tasks[id as usize];
            match (task.doomed, doom) {
                (Doom::No, _) => {
                    task.doomed = doom;
                    doomed.push(id);
                    open.extend(task.children.iter().map(|&child| (child, Doom::Discard)));
                    let task = &self.tasks[id as usize];
                    let time = task.time();
                    for &line in &task.writes {
                        for rival in self.table.rivals(line, true) {
                            if self.tasks[rival as usize].time() > time {
                                open.push((rival, Doom::Again));
                            }
                        }
                    }
                }
                // Whoever is thrown away does not run again.
                (Doom::Again, Doom::Discard) => task.doomed = Doom::Discard,
                _ => {}
            }
        }
        let on_the_way = doomed.iter().filter(|&&id| {
            let task = &self.tasks[id as usize];
            task.doomed == Doom::Again && matches!(task.state, State::OnCore(_) | State::Finished)
        });
        self.stats.tasks.aborted_data += (on_the_way.count() as u64).saturating_sub(named as u64);

        // Writes to a line happened in the order of virtual time, so the latest are undone first.
        let ran = |state| matches!(state, State::OnCore(_) | State::Finished);
        let mut undone: Vec<TaskId> = doomed.iter().copied().filter(|&id| ran(self.tasks[id as usize].state)).collect();
        undone.sort_unstable_by_key(|&id| std::cmp::Reverse(self.tasks[id as usize].time()));
        for &id in &undone {
            self.undo(id, by);
        }
        doomed.sort_unstable_by_key(|&id| self.tasks[id as usize].order);
        for id in doomed {
            self.dismiss(id);
        }
    }

    /// Takes back what a task wrote and takes it off its core or out of its commit queue.
    fn undo(&mut self, id: TaskId, by: Option<usize>) {
        let task = &mut self.tasks[id as usize];
        let (tile, time, state) = (task.tile as usize, task.time(), task.state);
        for &(object, index, old) in task.undo.iter().rev() {
            self.memory.store(object, index as usize, old);
        }
        for &line in &task.reads {
            self.table.forget(line, false, id);
        }
        for &line in &task.writes {
            self.table.forget(line, true, id);
        }
        let rollback = self.config.undo_cycles * task.undo.len() as u64;
        if let Some(by) = by {
            self.stats.traffic.aborts += ABORT_BYTES * self.mesh.hops(by, tile);
        }
        match state {
            State::OnCore(core) => {
                let core = core as usize;
                self.turn(core, Doing::RollingBack);
                self.leave_core(core);
                match rollback {
                    0 => self.turn(core, Doing::Nothing),
                    cycles => self.core_at(core, cycles),
                }
            }
            _ => {
                self.tiles[tile].finished.remove(&(time, id));
                self.mark(tile);
            }
        }
        self.stats.cores.aborted += self.tasks[id as usize].spent;
    }

    /// Puts a doomed task back into its queue, or throws it away.
    fn dismiss(&mut self, id: TaskId) {
        let task = &mut self.tasks[id as usize];
        let doom = std::mem::replace(&mut task.doomed, Doom::No);
        let (tile, state) = (task.tile as usize, task.state);
        if doom == Doom::Again {
            debug_assert!(matches!(state, State::OnCore(_) | State::Finished));
            task.clear_run();
            self.enter_idle(id);
            self.mark(tile);
            return;
        }
        match state {
            State::Idle => {
                self.leave_idle(id);
                self.mark(tile);
            }
            State::Flying => {
                self.land(id);
                if let Some(sender) = self.tasks[id as usize].sender {
                    self.acknowledge(id, tile, sender);
                }
            }
            // Undone before. Spilled tasks have no parent that could be aborted.
            State::OnCore(_) | State::Finished | State::Spilled | State::Gone => {}
        }
        self.stats.tasks.discarded += 1;
        let parent = self.tasks[id as usize].parent;
        if let Some(parent) = parent {
            self.tasks[parent as usize].children.retain(|&child| child != id);
        }
        self.release(id);
    }
}
