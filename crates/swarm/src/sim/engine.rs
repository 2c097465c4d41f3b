//! One run of a machine: its clock, its events, its cores.

use super::code::{Args, Code, Spawn};
use super::config::Config;
use super::conflict::{LineTable, TaskId};
use super::events::{Event, Events};
use super::hierarchy::Hierarchy;
use super::hints::HintMap;
use super::machine::{Job, Machine, Outcome, SimError};
use super::memory::Memory;
use super::noc::Mesh;
use super::send::REFUSALS;
use super::stats::Stats;
use super::task::{SPLITTER, State, Task, VirtualTime};
use super::tile::Tile;

/// Events between two looks at whether to stop.
const EVENTS_PER_STOP: u64 = 4096;

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

impl Doing {
    /// How many things a core can do.
    pub(super) const ALL: usize = 6;
}

/// A core.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) doing: Doing,
    pub(super) tile: usize,
    /// Since when its cycles are not accounted for.
    since: u64,
    /// Events of earlier epochs mean nothing.
    pub(super) epoch: u32,
    pub(super) task: TaskId,
    pub(super) pc: usize,
    pub(super) regs: Vec<u64>,
    /// The hint that no other task of the tile may have meanwhile.
    pub(super) hint: Option<u64>,
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
    events: Events,
    pub(super) tasks: Vec<Task>,
    pub(super) unused: Vec<TaskId>,
    pub(super) live: usize,
    pub(super) tiles: Vec<Tile>,
    dirty: Vec<u32>,
    pub(super) cores: Vec<Core>,
    /// Tasks on their way.
    pub(super) flying: Vec<TaskId>,
    /// A place for conflicts is an address shifted by this.
    pub(super) conflict_shift: u32,
    pub(super) next_order: u64,
    pub(super) next_tie: u64,
    pub(super) committed_until: VirtualTime,
    pub(super) stats: Stats,
    pub(super) outcome: Outcome,
}

impl<'r> Engine<'r> {
    pub(super) fn new(machine: &'r mut Machine, job: Job<'r>, memory: &'r mut Memory) -> Engine<'r> {
        let Machine { config, mesh, caches, table, hints, clock, stats, next_order, next_tie } = machine;
        let core = |at| Core {
            doing: Doing::Nothing,
            tile: at / config.cores_per_tile,
            since: *clock,
            epoch: 0,
            task: 0,
            pc: 0,
            regs: Vec::new(),
            hint: None,
        };
        Engine {
            conflict_shift: config.conflict_bytes.trailing_zeros(),
            tiles: (0..config.tiles()).map(|tile| Tile::new(config.cores_of(tile))).collect(),
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
            events: Events::new(),
            tasks: Vec::new(),
            unused: Vec::new(),
            live: 0,
            dirty: Vec::new(),
            flying: Vec::new(),
            next_order: *next_order,
            next_tie: *next_tie,
            committed_until: (0, 0),
            stats: *stats,
            outcome: Outcome::default(),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), SimError> {
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
            let Some((cycle, event)) = self.events.pop(self.now) else {
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
        self.events.push(self.now, self.now + cycles, event);
    }

    /// The cycle of the next event.
    pub(super) fn horizon(&self) -> u64 {
        self.events.next(self.now)
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
        let core = &mut self.cores[core];
        let before = std::mem::replace(&mut core.doing, doing);
        let tile = &mut self.tiles[core.tile];
        tile.cores_doing[before as usize] -= 1;
        tile.cores_doing[doing as usize] += 1;
    }

    /// The tile of a core.
    pub(super) fn tile_of(&self, core: usize) -> usize {
        self.cores[core].tile
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
