//! Executing task code on a core.
//!
//! Operations on registers have no effect outside the task, so they run ahead; before every access, new child and end
//! the core waits until its cycle has come and every earlier event is done.

use super::code::{Fault, Next, Op, Spawn, execute};
use super::config::Conflicts;
use super::conflict::Bloom;
use super::engine::{Doing, Engine};
use super::memory::{LINE, is_read_only};
use super::task::{SPLITTER, State};

/// Cycles after which a task that only computes lets others go first: values that never were may make it run for ever.
const RUN_AHEAD: u64 = 10_000;

impl Engine<'_> {
    /// The event of a core.
    pub(super) fn core_event(&mut self, core: usize) {
        match self.cores[core].doing {
            Doing::Running if self.tasks[self.cores[core].task as usize].function == SPLITTER => self.split(core),
            Doing::Running => self.run_task(core),
            Doing::RollingBack | Doing::Spilling => {
                self.turn(core, Doing::Nothing);
                let tile = self.tile_of(core);
                self.mark(tile);
            }
            Doing::Nothing | Doing::WaitingToSend | Doing::WaitingToCommit => {}
        }
    }

    /// Runs the task of a core until another event comes first, or to its end.
    fn run_task(&mut self, core: usize) {
        let code = self.code;
        let id = self.cores[core].task;
        let ops = &code.functions[self.tasks[id as usize].function as usize].ops;
        let epoch = self.cores[core].epoch;
        let mut elapsed = 0;
        loop {
            let state = &mut self.cores[core];
            let Some(op) = ops.get(state.pc) else {
                return self.end_task(core, elapsed, None);
            };
            self.stats.instructions += 1;
            match execute(op, &mut state.pc, &mut state.regs) {
                Next::Continue(cycles) => {
                    elapsed += cycles;
                    if elapsed > RUN_AHEAD {
                        return self.core_at(core, elapsed);
                    }
                    continue;
                }
                Next::Fault(fault) => return self.end_task(core, elapsed, Some(fault)),
                Next::Outside => {}
            }
            match *op {
                Op::Param { to, index } => {
                    self.cores[core].regs[to as usize] = self.params[index as usize];
                    elapsed += 1;
                }
                Op::Core { to } => {
                    self.cores[core].regs[to as usize] = core as u64;
                    elapsed += 1;
                }
                Op::Timestamp { to } => {
                    self.cores[core].regs[to as usize] = self.tasks[id as usize].timestamp;
                    elapsed += 1;
                }
                Op::Emit { channel, from } => {
                    let value = self.cores[core].regs[from as usize];
                    self.tasks[id as usize].emitted.push((channel, value));
                    // The value goes to the end of a buffer of this core.
                    elapsed += 1 + self.config.l1_cycles;
                }
                Op::End => return self.end_task(core, elapsed, None),
                _ => {
                    if !self.reach(core, elapsed) {
                        self.stats.instructions -= 1;
                        return;
                    }
                    match self.outside(core, op) {
                        Some(Ok(cycles)) => elapsed = cycles,
                        Some(Err(fault)) => return self.end_task(core, 0, Some(fault)),
                        None => {
                            self.stats.instructions -= 1;
                            return;
                        }
                    }
                    self.wake_tiles();
                    // Making room for an earlier task may have aborted this one.
                    if self.cores[core].epoch != epoch {
                        return;
                    }
                }
            }
            self.cores[core].pc += 1;
        }
    }

    /// Moves the clock on if no event comes before; else the core goes on later.
    fn reach(&mut self, core: usize, elapsed: u64) -> bool {
        if elapsed > 0 && self.now + elapsed >= self.horizon() {
            self.core_at(core, elapsed);
            return false;
        }
        self.now += elapsed;
        true
    }

    /// An operation that others notice: its cycles, a fault, or nothing when the core has to wait.
    fn outside(&mut self, core: usize, op: &Op) -> Option<Result<u64, Fault>> {
        let regs = &self.cores[core].regs;
        match *op {
            Op::Load { object, to, index } => {
                let index = regs[index as usize];
                if index >= self.memory.len(object) as u64 {
                    return Some(Err(Fault::Index { object, index }));
                }
                let cycles = self.access(core, self.memory.address(object, index), false);
                self.cores[core].regs[to as usize] = self.memory.load(object, index as usize);
                Some(Ok(1 + cycles))
            }
            Op::Store { object, index, from } => {
                let (index, bits) = (regs[index as usize], regs[from as usize]);
                if index >= self.memory.len(object) as u64 {
                    return Some(Err(Fault::Index { object, index }));
                }
                let cycles = self.access(core, self.memory.address(object, index), true);
                let old = self.memory.load(object, index as usize);
                let id = self.cores[core].task as usize;
                self.tasks[id].undo.push((object, index as u32, old));
                self.memory.store(object, index as usize, bits);
                Some(Ok(1 + cycles))
            }
            Op::Enqueue { function, timestamp, hint, first, count } => {
                let timestamp = regs[timestamp as usize];
                let args = super::code::Args::new(&regs[first as usize..first as usize + count as usize]);
                let hint = hint.map(|(object, index)| self.memory.line(object, regs[index as usize]));
                let parent = self.cores[core].task;
                if timestamp < self.tasks[parent as usize].timestamp {
                    return Some(Err(Fault::Backwards { timestamp }));
                }
                let tile = self.tile_of(core);
                if !self.send(Spawn { function, timestamp, hint, args }, parent, tile) {
                    self.turn(core, Doing::WaitingToSend);
                    return None;
                }
                Some(Ok(self.config.enqueue_cycles))
            }
            _ => Some(Ok(1)),
        }
    }

    /// The cycles of an access; later tasks that should have come after it are aborted.
    fn access(&mut self, core: usize, address: u64, write: bool) -> u64 {
        let (id, line) = (self.cores[core].task, address / LINE);
        let tracked = !is_read_only(line);
        // Who shared the line before this access took it away.
        let bloom = tracked && self.config.conflicts == Conflicts::Bloom;
        let sharers: Vec<usize> = if bloom { self.caches.sharers(line).collect() } else { Vec::new() };
        let (mut cycles, missed) = self.caches.access(self.mesh, &mut self.stats.traffic, core, line, write, self.now);
        if !tracked {
            return cycles;
        }
        if missed {
            cycles += self.config.check_cycles;
        }
        let time = self.tasks[id as usize].time();
        // From here on a line is what counts as one place for conflicts.
        let line = address >> self.conflict_shift;
        let mut victims: Vec<u32> = Vec::new();
        for rival in self.table.rivals(line, write) {
            if self.tasks[rival as usize].time() > time {
                victims.push(rival);
            }
        }
        self.stats.tasks.aborted_data += victims.len() as u64;
        if bloom && missed {
            self.false_rivals(core, line, write, &sharers, &mut victims);
        }
        if !victims.is_empty() {
            victims.sort_unstable();
            victims.dedup();
            let tile = self.tile_of(core);
            self.abort(&victims, Some(tile));
        }
        if self.table.note(line, write, id) {
            let task = &mut self.tasks[id as usize];
            if write { &mut task.writes } else { &mut task.reads }.push(line);
            if bloom {
                let empty = || Bloom::new(self.config.bloom_bits, self.config.bloom_hashes);
                task.filters.get_or_insert_with(|| Box::new([empty(), empty()]))[usize::from(write)].add(line);
            }
        }
        cycles
    }

    /// Later tasks in the tiles that are asked whose filters claim the line wrongly.
    fn false_rivals(&mut self, core: usize, line: u64, write: bool, sharers: &[usize], victims: &mut Vec<u32>) {
        let own = self.tile_of(core);
        let time = self.tasks[self.cores[core].task as usize].time();
        for &tile in sharers.iter().filter(|&&tile| tile != own).chain([&own]) {
            let on_cores = self.cores_of(tile).map(|c| &self.cores[c]);
            let running = on_cores
                .filter(|c| matches!(c.doing, Doing::Running | Doing::WaitingToSend | Doing::WaitingToCommit))
                .map(|c| c.task);
            let finished = self.tiles[tile].finished.iter().map(|&(_, id)| id);
            for rival in running.chain(finished) {
                let task = &self.tasks[rival as usize];
                let Some(filters) = &task.filters else { continue };
                let claims = filters[1].may_hold(line) || (write && filters[0].may_hold(line));
                if claims && task.time() > time && !victims.contains(&rival) {
                    self.stats.tasks.aborted_false += 1;
                    victims.push(rival);
                }
            }
        }
    }

    /// The task of a core is done, well or not; it goes to the commit queue when its cycle has come.
    fn end_task(&mut self, core: usize, elapsed: u64, fault: Option<Fault>) {
        let id = self.cores[core].task;
        if !self.reach(core, elapsed) {
            // Comes back here: the program counter stands at or behind the last operation.
            self.stats.instructions -= 1;
            return;
        }
        self.tasks[id as usize].fault = fault;
        self.turn(core, Doing::WaitingToCommit);
        // It no longer runs: an earlier task with its hint must not wait for a later one that waits for room.
        self.release_hint(core);
        let tile = self.tile_of(core);
        self.mark(tile);
    }

    /// Moves tasks that are done into the commit queue of their tile, the earliest first; an earlier task takes the
    /// place of the latest one.
    pub(super) fn admit(&mut self, tile: usize) {
        if self.tiles[tile].cores(Doing::WaitingToCommit) == 0 {
            return;
        }
        let capacity = self.config.commit_queue_per_core * self.config.cores_of(tile);
        loop {
            let waiting = self.cores_of(tile).filter(|&core| self.cores[core].doing == Doing::WaitingToCommit);
            let first = waiting.min_by_key(|&core| self.tasks[self.cores[core].task as usize].time());
            let Some(core) = first else { return };
            let id = self.cores[core].task;
            let time = self.tasks[id as usize].time();
            if self.tiles[tile].finished.len() >= capacity {
                match self.tiles[tile].finished.last() {
                    Some(&(latest, victim)) if latest > time => {
                        self.stats.tasks.aborted_room += 1;
                        self.abort(&[victim], None);
                        continue;
                    }
                    _ => return,
                }
            }
            self.turn(core, Doing::Nothing);
            self.leave_core(core);
            self.tasks[id as usize].state = State::Finished;
            self.tiles[tile].finished.insert((time, id));
        }
    }
}
