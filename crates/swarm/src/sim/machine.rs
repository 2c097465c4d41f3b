//! The machine and its event loop: task queues, cores, messages between tiles.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::code::{Args, Code, Fault, Spawn};
use super::config::{Config, Unhinted};
use super::conflict::{LineTable, TaskId};
use super::hierarchy::{Hierarchy, mix};
use super::hints::HintMap;
use super::memory::{LINE, Memory};
use super::noc::Mesh;
use super::stats::{Stats, Traffic};
use super::task::{SPLITTER, State, Task, VirtualTime};

/// Bytes of messages \[SwarmArch/sim\]: a task without and with each argument, its acknowledgement, a tile's minimum of
/// virtual time and the answer.
const TASK_BYTES: u64 = 12;
const ARGUMENT_BYTES: u64 = 8;
const ACK_BYTES: u64 = 4;
pub(super) const MINIMUM_BYTES: u64 = 24;
pub(super) const GVT_BYTES: u64 = 16;
/// How long a refused task waits at first and at most \[SwarmArch/sim: 25 to 1,000 cycles\], and how often it is
/// refused before its tile takes it in over capacity.
const FIRST_BACK_OFF: u64 = 25;
const LAST_BACK_OFF: u64 = 1000;
const REFUSALS: u32 = 8;
/// Events between two looks at whether to stop.
const EVENTS_PER_STOP: u64 = 4096;

/// A machine with its caches and its clock. Runs follow one another and find the caches as the last one left them.
pub struct Machine {
    config: Config,
    mesh: Mesh,
    caches: Hierarchy,
    table: LineTable,
    hints: HintMap,
    clock: u64,
    stats: Stats,
    next_order: u64,
    next_tie: u64,
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

/// A tile's queues.
#[derive(Debug, Default)]
pub(super) struct Tile {
    /// Idle tasks by timestamp and age.
    pub(super) idle: BTreeSet<(u64, u64, TaskId)>,
    /// The commit queue.
    pub(super) finished: BTreeSet<(VirtualTime, TaskId)>,
    /// Tasks on cores.
    pub(super) on_core: usize,
    /// Hints of tasks on cores.
    running_hints: Vec<u64>,
    /// Used entries of the send buffer.
    sending: usize,
    /// Something happened that may let a core go on.
    dirty: bool,
}

impl Tile {
    /// Used entries of the task queue.
    pub(super) fn tasks(&self) -> usize {
        self.idle.len() + self.on_core + self.finished.len()
    }
}

/// What a core does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Nothing,
    Running,
    WaitingToSend,
    WaitingToCommit,
    RollingBack,
    Spilling,
}

/// A core.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) doing: Doing,
    /// Since when its cycles are not accounted for.
    since: u64,
    /// Events of earlier epochs mean nothing.
    pub(super) epoch: u32,
    pub(super) task: TaskId,
    pub(super) pc: usize,
    pub(super) regs: Vec<u64>,
    /// The hint that no other task of the tile may have meanwhile.
    hint: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    Core { core: u32, epoch: u32 },
    Arrive { task: TaskId, generation: u32, refusals: u32 },
    Ack { tile: u32 },
    Gvt,
    Commit { before: VirtualTime },
}

/// One run.
pub(super) struct Engine<'r> {
    pub(super) config: &'r Config,
    pub(super) mesh: &'r Mesh,
    pub(super) caches: &'r mut Hierarchy,
    pub(super) table: &'r mut LineTable,
    pub(super) hints: &'r mut HintMap,
    pub(super) memory: &'r mut Memory,
    pub(super) code: &'r Code,
    pub(super) params: &'r [u64],
    roots: &'r [Spawn],
    stop: &'r mut dyn FnMut() -> bool,
    pub(super) log: bool,
    pub(super) now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    next_event: u64,
    pub(super) tasks: Vec<Task>,
    unused: Vec<TaskId>,
    pub(super) live: usize,
    pub(super) tiles: Vec<Tile>,
    dirty: Vec<u32>,
    pub(super) cores: Vec<Core>,
    /// Tasks on their way, by timestamp.
    pub(super) flying: BTreeSet<(u64, TaskId)>,
    pub(super) next_order: u64,
    pub(super) next_tie: u64,
    pub(super) committed_until: VirtualTime,
    pub(super) stats: Stats,
    pub(super) outcome: Outcome,
}

impl<'r> Engine<'r> {
    fn new(machine: &'r mut Machine, job: Job<'r>, memory: &'r mut Memory) -> Engine<'r> {
        let Machine { config, mesh, caches, table, hints, clock, stats, next_order, next_tie } = machine;
        let core =
            |_| Core { doing: Doing::Nothing, since: *clock, epoch: 0, task: 0, pc: 0, regs: Vec::new(), hint: None };
        Engine {
            tiles: (0..config.tiles()).map(|_| Tile::default()).collect(),
            cores: (0..config.cores).map(core).collect(),
            config,
            mesh,
            caches,
            table,
            hints,
            memory,
            code: job.code,
            params: job.params,
            roots: job.roots,
            stop: job.stop,
            log: job.log,
            now: *clock,
            events: BinaryHeap::new(),
            next_event: 0,
            tasks: Vec::new(),
            unused: Vec::new(),
            live: 0,
            dirty: Vec::new(),
            flying: BTreeSet::new(),
            next_order: *next_order,
            next_tie: *next_tie,
            committed_until: (0, 0),
            stats: *stats,
            outcome: Outcome::default(),
        }
    }

    fn run(&mut self) -> Result<(), SimError> {
        for &root in self.roots {
            let task = self.create(root, None);
            self.arrive(task, REFUSALS);
        }
        self.wake_tiles();
        if self.live > 0 {
            self.at(self.config.gvt_period, Event::Gvt);
        }
        let mut events = 0u64;
        while self.live > 0 {
            events += 1;
            if events.is_multiple_of(EVENTS_PER_STOP) && (self.stop)() {
                return Err(SimError::Stopped);
            }
            let Some(Reverse((cycle, _, event))) = self.events.pop() else {
                unreachable!("a live task waits for an event")
            };
            self.now = cycle;
            match event {
                Event::Core { core, epoch } => {
                    if self.cores[core as usize].epoch == epoch {
                        self.core_event(core as usize);
                    }
                }
                Event::Arrive { task, generation, refusals } => {
                    if self.tasks[task as usize].generation == generation {
                        self.arrive(task, refusals);
                    }
                }
                Event::Ack { tile } => {
                    self.tiles[tile as usize].sending -= 1;
                    self.mark(tile as usize);
                }
                Event::Gvt => self.gvt(),
                Event::Commit { before } => self.commit_before(before)?,
            }
            self.wake_tiles();
        }
        for core in 0..self.cores.len() {
            self.account(core);
        }
        Ok(())
    }

    /// Schedules an event some cycles from now.
    pub(super) fn at(&mut self, cycles: u64, event: Event) {
        self.next_event += 1;
        self.events.push(Reverse((self.now + cycles, self.next_event, event)));
    }

    /// The cycle of the next event.
    pub(super) fn horizon(&self) -> u64 {
        self.events.peek().map_or(u64::MAX, |Reverse((cycle, ..))| *cycle)
    }

    /// Schedules the next event of a core and makes the ones before void.
    pub(super) fn core_at(&mut self, core: usize, cycles: u64) {
        self.cores[core].epoch += 1;
        let epoch = self.cores[core].epoch;
        self.at(cycles, Event::Core { core: core as u32, epoch });
    }

    /// Gives the cycles of a core since the last change to what it did.
    pub(super) fn account(&mut self, core: usize) {
        let core = &mut self.cores[core];
        let cycles = self.now - std::mem::replace(&mut core.since, self.now);
        let counts = &mut self.stats.cores;
        match core.doing {
            Doing::Nothing => counts.empty += cycles,
            Doing::Running if self.tasks[core.task as usize].function == SPLITTER => counts.spill += cycles,
            Doing::Running => self.tasks[core.task as usize].spent += cycles,
            Doing::WaitingToSend => counts.stalled_send += cycles,
            Doing::WaitingToCommit => counts.stalled_commit += cycles,
            Doing::RollingBack => counts.aborted += cycles,
            Doing::Spilling => counts.spill += cycles,
        }
    }

    /// A core begins something else.
    pub(super) fn turn(&mut self, core: usize, doing: Doing) {
        self.account(core);
        self.cores[core].doing = doing;
    }

    /// The tile of a core.
    pub(super) fn tile_of(&self, core: usize) -> usize {
        core / self.config.cores_per_tile
    }

    /// The cores of a tile.
    pub(super) fn cores_of(&self, tile: usize) -> std::ops::Range<usize> {
        let first = tile * self.config.cores_per_tile;
        first..first + self.config.cores_of(tile)
    }

    /// The tile shall look whether it can go on with something.
    pub(super) fn mark(&mut self, tile: usize) {
        if !std::mem::replace(&mut self.tiles[tile].dirty, true) {
            self.dirty.push(tile as u32);
        }
    }

    /// Lets every marked tile go on.
    pub(super) fn wake_tiles(&mut self) {
        while let Some(tile) = self.dirty.pop() {
            self.tiles[tile as usize].dirty = false;
            self.admit(tile as usize);
            self.resume_senders(tile as usize);
            self.dispatch(tile as usize);
        }
    }

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
        self.flying.insert((spawn.timestamp, id));
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
    fn arrive(&mut self, id: TaskId, refusals: u32) {
        let task = &self.tasks[id as usize];
        let (tile, timestamp, order, sender) = (task.tile as usize, task.timestamp, task.order, task.sender);
        let capacity = self.config.task_queue_per_core * self.config.cores_of(tile);
        if self.tiles[tile].tasks() >= capacity && refusals < REFUSALS {
            self.stats.tasks.refused += 1;
            let wait = (FIRST_BACK_OFF << refusals).min(LAST_BACK_OFF);
            let generation = task.generation;
            self.at(wait, Event::Arrive { task: id, generation, refusals: refusals + 1 });
            return;
        }
        self.stats.tasks.over_capacity += u64::from(self.tiles[tile].tasks() >= capacity);
        self.flying.remove(&(timestamp, id));
        self.tasks[id as usize].state = State::Idle;
        self.tiles[tile].idle.insert((timestamp, order, id));
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

    /// Gives tasks to the free cores of a tile.
    fn dispatch(&mut self, tile: usize) {
        for core in self.cores_of(tile) {
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
        let is_free = |id: TaskId| match self.tasks[id as usize].hint {
            Some(hint) if self.config.serialize_hints => !running_hints.contains(&hint),
            _ => true,
        };
        idle.iter().map(|&(_, _, id)| id).find(|&id| is_free(id))
    }

    /// A core that waits with a later task gives way to an idle earlier one: the earliest task always finds a core.
    fn preempt(&mut self, tile: usize) {
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
        let task = &mut self.tasks[id as usize];
        let tile = task.tile as usize;
        self.tiles[tile].idle.remove(&(task.timestamp, task.order, id));
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

    /// Cores of a tile that wait for room in the send buffer try again, the earliest task first.
    fn resume_senders(&mut self, tile: usize) {
        let room = self.config.send_buffer.saturating_sub(self.tiles[tile].sending);
        let waiting = self.cores_of(tile).filter(|&core| self.cores[core].doing == Doing::WaitingToSend);
        let mut waiting: Vec<usize> = waiting.collect();
        waiting.sort_by_key(|&core| self.tasks[self.cores[core].task as usize].time());
        for core in waiting.into_iter().take(room) {
            self.turn(core, Doing::Running);
            self.core_at(core, 0);
        }
    }

    /// An entry of the table of tasks is free again.
    pub(super) fn release(&mut self, id: TaskId) {
        let task = &mut self.tasks[id as usize];
        task.clear_run();
        task.group.clear();
        task.generation += 1;
        task.state = State::Gone;
        self.unused.push(id);
        self.live -= 1;
    }

    /// The traffic of the run.
    pub(super) fn traffic(&mut self) -> &mut Traffic {
        &mut self.stats.traffic
    }

    /// The task as it was created.
    pub(super) fn spawn_of(&self, id: TaskId) -> Spawn {
        let Task { function, timestamp, hint, args, .. } = self.tasks[id as usize];
        Spawn { function, timestamp, hint, args }
    }

    /// A task without arguments that stands for tasks in memory.
    pub(super) fn splitter(&self, timestamp: u64) -> Spawn {
        Spawn { function: SPLITTER, timestamp, hint: None, args: Args::default() }
    }
}
