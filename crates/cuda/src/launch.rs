//! Launching kernels: from the values of a run to the bytes of arguments, and back from results to values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gw_device::{Address, Buffer, Device, DeviceError, Launch, Mark};
use gw_exec::{Environment, ErrorKind, ExecError, PerGraph, Result, Value, graph_features, random};
use gw_ir::module::Module;
use gw_ir::source::{Name, Span};
use gw_ir::walk;
use gw_schedule::{Features, LoopForm};

use crate::bindings::{Bindings, External, FROM_HOST, PLACES};
use crate::codegen::inputs::{GraphParts, Source};
use crate::codegen::region::{Outcome, vector_names};
use crate::codegen::{ALONE_AT, Generated, STATE_WORDS};
use crate::context::Context;
use crate::error::exec_error;
use crate::outcomes::Outcomes;
use crate::prepared::Loaded;
use crate::residency::{GraphWords, Wanted};
use crate::set::{DeviceSet, FORM_BITS, LEVELS, QUEUE, SET_WORDS, Spares, Storage, with_device_set};
use crate::tuning::{GROUP_TABLE_BYTES, MOST_GROUP_TABLES};
use crate::vectors::{Vectors, bits_of};

/// The shared block of a launcher: fault, cells, results.
const FAULT_BYTES: usize = 40;
/// Where in a fault the host says that the run shall end.
const STOP_AT: usize = 28;
const CELLS: usize = 64;
const RESULTS: usize = ALONE_AT;
const RESULTS_AT: usize = FAULT_BYTES + 8 * CELLS;

/// No kernel begins at a later round: it has as many again before numbers run out, more than a loop takes in an hour.
pub(crate) const LAST_ROUND: u32 = 1 << 31;

/// Barrier counters prepared at once.
const COUNTERS: usize = 4096;

struct Cell {
    slot: usize,
    /// What the device holds.
    bits: Option<u64>,
}

/// Launches kernels of one executable.
pub(crate) struct Launcher {
    context: Arc<Context>,
    pub(crate) spares: Spares,
    block: Buffer,
    counters: Buffer,
    next_counter: usize,
    /// The last round of deduplication and of masks.
    pub(crate) round: u32,
    /// Tells these rounds from earlier ones and from those of other launchers, which have the same numbers.
    epoch: u32,
    /// Round counters of deduplication, and a map for it.
    marks: Option<Buffer>,
    seen: Option<Buffer>,
    /// Words of numbers and rounds, by vector.
    words: HashMap<Name, Option<Buffer>>,
    /// Maps of claimed destinations, by vector.
    visited: HashMap<Name, Option<Buffer>>,
    scratch: Option<Buffer>,
    /// Tables for groups of neighbours: zeros between two kernels.
    tables: Option<Buffer>,
    /// What adaptive schedules look at.
    features: PerGraph<Features>,
    cells: HashMap<Name, Cell>,
    /// What was read last: fault and cells.
    last: Vec<u8>,
    /// Kernels may be running, and their faults are not known.
    busy: bool,
    /// The last run left neither a fault nor the word that ends kernels.
    ended_well: bool,
    /// The vectors that faults name, by their numbers less one, and the statements of the program by their lines.
    names: Vec<Name>,
    statements: HashMap<u32, Span>,
    /// The stream before the first kernel of the run, and behind the last.
    first: Option<Mark>,
    end: Option<Mark>,
}

impl Launcher {
    pub(crate) fn new(context: Arc<Context>, module: &Module) -> std::result::Result<Launcher, DeviceError> {
        let device = &context.device;
        Ok(Launcher {
            block: Buffer::zeroed(device, RESULTS_AT + 8 * 3 * RESULTS)?,
            counters: Buffer::zeroed(device, 4 * COUNTERS)?,
            next_counter: 0,
            spares: Arc::new(Mutex::new(Vec::new())),
            round: 0,
            epoch: next_epoch(),
            marks: None,
            seen: None,
            words: HashMap::new(),
            visited: HashMap::new(),
            scratch: None,
            tables: None,
            features: PerGraph::default(),
            cells: HashMap::new(),
            last: Vec::new(),
            busy: false,
            ended_well: false,
            names: vector_names(module),
            statements: statements(module),
            first: None,
            end: None,
            context,
        })
    }

    /// A run begins: nothing is known about scalars on the device.
    pub(crate) fn begin_run(&mut self) {
        self.cells.values_mut().for_each(|c| c.bits = None);
        (self.first, self.end) = (None, None);
        // A run that was stopped may have left a fault that nobody read, and the word that ends kernels. A device
        // that fails here fails again.
        if !std::mem::take(&mut self.ended_well) {
            let _ = self.context.device.fill(self.block.address(), 0, 4, FAULT_BYTES / 4);
        }
    }

    /// The run was not stopped, and no kernel of it left a fault.
    pub(crate) fn ended_well(&mut self) {
        self.ended_well = true;
    }

    /// The word that kernels look at to learn that the run shall end.
    pub(crate) fn stop_word(&self) -> Address {
        self.block.address().offset(STOP_AT)
    }

    /// All work of the run is handed over.
    pub(crate) fn end_run(&mut self) -> Result<()> {
        if self.first.is_some() {
            self.end = Some(self.device().mark().map_err(exec_error)?);
        }
        Ok(())
    }

    /// Seconds on the device from the first kernel of the run to the end of its work; nothing for a run without
    /// kernels.
    pub(crate) fn device_seconds(&self) -> Result<f64> {
        match (&self.first, &self.end) {
            (Some(first), Some(end)) => self.device().seconds(first, end).map_err(exec_error),
            _ => Ok(0.0),
        }
    }

    fn device(&self) -> &Arc<dyn Device> {
        &self.context.device
    }

    /// Rounds begin anew: what holds numbers of earlier ones forgets them.
    fn begin_epoch(&mut self) -> Result<()> {
        (self.round, self.epoch) = (0, next_epoch());
        match &self.marks {
            Some(marks) => self.device().fill(marks.address(), 0, 4, marks.bytes() / 4).map_err(exec_error),
            None => Ok(()),
        }
    }

    /// A clean storage for a set.
    pub(crate) fn storage(&mut self, vertices: usize, capacity: usize, forms: u32) -> Result<Storage> {
        let found = {
            let mut spares = self.spares.lock().unwrap_or_else(PoisonError::into_inner);
            let at = spares.iter().position(|s| s.fits(vertices, capacity));
            at.map(|at| spares.swap_remove(at))
        };
        let made = match found {
            Some(mut storage) => {
                storage.capacity = capacity;
                let device = self.device();
                let cleaned = storage.clean(device, forms).and_then(|()| storage.enter(device, self.epoch));
                cleaned.and_then(|()| storage.extend(device, forms)).map(|()| storage)
            }
            None => self.fresh(vertices, capacity, forms),
        };
        match made {
            Err(DeviceError::OutOfMemory { .. }) => {
                self.spares.lock().unwrap_or_else(PoisonError::into_inner).clear();
                self.context.residency.drop_unused();
                self.fresh(vertices, capacity, forms).map_err(exec_error)
            }
            made => made.map_err(exec_error),
        }
    }

    fn fresh(&self, vertices: usize, capacity: usize, forms: u32) -> std::result::Result<Storage, DeviceError> {
        let storage = Storage::new(self.device(), vertices, capacity, forms)?;
        Ok(Storage { epoch: self.epoch, ..storage })
    }

    /// Launches a kernel with these bindings.
    pub(crate) fn launch(
        &mut self,
        loaded: &Loaded,
        bindings: &mut Bindings,
        vectors: &mut Vectors,
        env: Option<&Environment>,
    ) -> Result<Outcomes> {
        let code = &loaded.code;
        let vertices = bindings.vertices;
        let capacity = self.capacity(code, bindings, env);
        if bindings.external.len() > PLACES - FROM_HOST {
            return Err(ErrorKind::Unsupported("more than four sets go into one loop on the device".into()).into());
        }
        if code.outcomes.len() + STATE_WORDS > RESULTS {
            return Err(ErrorKind::Unsupported("a loop on the device has too many variables".into()).into());
        }
        if self.round >= self.context.last_round {
            self.begin_epoch()?;
        }
        let mut own: Vec<Option<Storage>> = Vec::new();
        for place in 0..code.places {
            let mut storage = self.storage(vertices, capacity, code.forms)?;
            // A single operator uses the first place alone.
            if place == 0 || !code.single {
                storage.dirty |= code.forms | QUEUE;
            }
            own.push(Some(storage));
        }
        let (mut words, forms) = self.set_words(code, &own, bindings)?;
        words.push(u64::from(code.places) | (vertices as u64) << 32);
        words.push(forms);
        words.push(u64::from(self.round));
        words.push(self.counter()?.0);
        words.push(self.block.address().offset(RESULTS_AT).0);
        let mut keep: Vec<GraphWords> = Vec::new();
        for input in &code.inputs {
            self.input(&input.source, code, bindings, vectors, env, capacity, &mut words, &mut keep)?;
        }
        if code.inputs.is_empty() {
            words.push(0);
        }
        // Rounds that an operator may use up; a loop reports its last.
        self.round += code.rounds.max(1);
        let launch = Launch { grid: self.grid(loaded), block: code.unit.block, cooperative: code.cooperative };
        if self.first.is_none() {
            self.first = Some(self.device().mark().map_err(exec_error)?);
        }
        let launched = match code.loop_form {
            Some(LoopForm::DeviceGraph) => {
                // The first launch must see that there was none before.
                let begun = self.block.address().offset(RESULTS_AT + 8 * code.outcomes.len());
                self.device().fill(begun, 0, 4, 2).map_err(exec_error)?;
                self.device().launch_while(&loaded.kernel, launch, bytemuck::cast_slice(&words))
            }
            _ => self.device().launch(&loaded.kernel, launch, bytemuck::cast_slice(&words)),
        };
        launched.map_err(exec_error)?;
        self.busy = true;
        Ok(Outcomes {
            count: code.outcomes.len(),
            cells: code.cells.clone(),
            own,
            forms,
            round: self.round,
            placed: Vec::new(),
        })
    }

    /// The sets that a kernel finds in its places, as words, and their forms: first those that are made for it.
    fn set_words(&self, code: &Generated, own: &[Option<Storage>], bindings: &mut Bindings) -> Result<(Vec<u64>, u64)> {
        let epoch = self.epoch;
        let mut words: Vec<u64> = Vec::with_capacity(PLACES * SET_WORDS + 64);
        let mut forms: u64 = 0;
        for place in 0..PLACES {
            let storage = own.get(place).and_then(Option::as_ref).map(Storage::words);
            words.extend(storage.unwrap_or_default());
        }
        // Loops and queues add to sets that are there; operators make new ones.
        let adds = !code.single && code.outcomes.contains(&Outcome::Forms);
        for (i, external) in bindings.external.iter_mut().enumerate() {
            let device = Arc::clone(&self.context.device);
            let describe = |set: &mut DeviceSet| -> std::result::Result<([u64; SET_WORDS], u32), DeviceError> {
                let form = set.form;
                if adds {
                    set.forget_size();
                    set.forget_count()?;
                }
                match set.storage() {
                    Some(storage) => {
                        storage.extend(&device, code.forms)?;
                        // A mask in use is of one round, which stays its own.
                        if form & LEVELS == 0 {
                            storage.enter(&device, epoch)?;
                        }
                        storage.clean_maps(&device, code.forms & !form)?;
                        storage.dirty |= code.forms | QUEUE;
                        Ok((storage.words(), form))
                    }
                    None => Ok(([0; SET_WORDS], form)),
                }
            };
            let described = match external {
                External::Set(set) => with_device_set(set, describe),
                External::Near(Some(near)) => Some(describe(near)),
                External::Near(None) => None,
            };
            if let Some(described) = described {
                let (set_words, form) = described.map_err(exec_error)?;
                let place = FROM_HOST + i;
                words[SET_WORDS * place..SET_WORDS * (place + 1)].copy_from_slice(&set_words);
                forms |= u64::from(form) << (FORM_BITS as usize * place);
            }
        }
        Ok((words, forms))
    }

    /// Blocks of a launch: as many as the device holds at once.
    fn grid(&self, loaded: &Loaded) -> u32 {
        let code = &loaded.code;
        // Steps of a loop over short lists are small: one block per multiprocessor is enough, and the barrier is
        // cheaper.
        let limit = if code.flat && !code.single { 1 } else { 64 };
        match code.loop_form {
            Some(LoopForm::SingleBlock) => 1,
            _ => (self.device().facts().processors * loaded.kernel.blocks_per_processor.min(limit)).max(1),
        }
    }

    /// How many ids a queue of the kernel must hold. Sets are copied from lists, onto which sets from the host may go.
    fn capacity(&self, code: &Generated, bindings: &Bindings, env: Option<&Environment>) -> usize {
        let own = self.own_capacity(code, bindings, env);
        let of_lists = bindings.lists.values().map(|list| list.used as usize).max();
        let given = of_lists.map_or(0, |used| used.max(given_capacity(bindings)));
        own.max(given).min(u32::MAX as usize)
    }

    /// How many ids the outputs of a kernel may have.
    fn own_capacity(&self, code: &Generated, bindings: &Bindings, env: Option<&Environment>) -> usize {
        let vertices = bindings.vertices;
        if !code.unbounded {
            return vertices;
        }
        // As often as there are edges, at most; but all places together, and scratch memory, which is as large as four
        // of them, take no more than half of what is free.
        let edges = self.most_edges(code, bindings, env);
        let free = self.device().free_bytes().unwrap_or(0) as usize;
        let share = free / 2 / (code.places as usize + 4);
        (vertices + edges).min((share / 4).max(6 * vertices))
    }

    /// Edges of the largest graph that a kernel walks.
    fn most_edges(&self, code: &Generated, bindings: &Bindings, env: Option<&Environment>) -> usize {
        let edges_of = |name: &Name| match (bindings.graphs.get(name), env.and_then(|env| env.global(name))) {
            (Some(graph), _) => graph.edges(),
            (None, Some(Value::Graph(graph))) => graph.edges(),
            _ => 0,
        };
        code.parts.iter().map(|(name, _)| edges_of(name)).max().unwrap_or(0)
    }

    /// A barrier counter at zero.
    fn counter(&mut self) -> Result<Address> {
        if self.next_counter == COUNTERS {
            self.device().fill(self.counters.address(), 0, 4, COUNTERS).map_err(exec_error)?;
            self.next_counter = 0;
        }
        self.next_counter += 1;
        Ok(self.counters.address().offset(4 * (self.next_counter - 1)))
    }

    #[expect(clippy::too_many_arguments, reason = "all of them are needed for some source")]
    fn input(
        &mut self,
        source: &Source,
        code: &Generated,
        bindings: &Bindings,
        vectors: &mut Vectors,
        env: Option<&Environment>,
        capacity: usize,
        words: &mut Vec<u64>,
        keep: &mut Vec<GraphWords>,
    ) -> Result<()> {
        let no_env = || ExecError::from(ErrorKind::Malformed("a kernel without a program".into()));
        let global = |name: &Name| -> Result<Value> {
            match env.ok_or_else(no_env)?.global(name) {
                Some(Value::Nothing) | None => Err(ErrorKind::Unset { name: name.to_string() }.into()),
                Some(value) => Ok(value),
            }
        };
        let unset = |name: &Name| ExecError::from(ErrorKind::Unset { name: name.to_string() });
        match source {
            Source::GlobalVector(name) => match global(name)? {
                Value::Vector(vector) => words.push(vectors.for_kernel(&vector)?.0),
                _ => return Err(unset(name)),
            },
            Source::GlobalWords(name) => match global(name)? {
                Value::Vector(vector) => {
                    let slot = self.words.entry(name.clone()).or_default();
                    words.push(lasting(slot, &self.context.device, 8 * vector.len().max(1), false)?.0);
                }
                _ => return Err(unset(name)),
            },
            Source::GlobalLength(name) => match global(name)? {
                Value::Vector(vector) => words.push(vector.len() as u64),
                _ => return Err(unset(name)),
            },
            Source::LocalVector(name) => match (bindings.addresses.get(name), bindings.values.get(name)) {
                (Some(address), _) => words.push(address.0),
                (None, Some(Value::Vector(vector))) => words.push(vectors.for_kernel(vector)?.0),
                _ => return Err(unset(name)),
            },
            Source::LocalLength(name) => match (bindings.lengths.get(name), bindings.values.get(name)) {
                (Some(length), _) => words.push(*length),
                (None, Some(Value::Vector(vector))) => words.push(vector.len() as u64),
                _ => return Err(unset(name)),
            },
            Source::GlobalScalar(name) => words.push(bits_of(&global(name)?)),
            Source::GlobalCell(name) => {
                let bits = bits_of(&global(name)?);
                words.push(self.cell_address(name, bits)?.0);
            }
            Source::LocalScalar(name) => words.push(*bindings.scalars.get(name).ok_or_else(|| unset(name))?),
            Source::Vertices(element) => words.push(env.ok_or_else(no_env)?.vertices_of(element)? as u64),
            Source::Members(name) => match global(name)? {
                Value::Set(set) => words.push(set.len()? as u64),
                _ => return Err(unset(name)),
            },
            Source::Graph(graph) => {
                let found = match bindings.graphs.get(&graph.name) {
                    Some(graph) => Arc::clone(graph),
                    None => match global(&graph.name)? {
                        Value::Graph(graph) => graph,
                        _ => return Err(unset(&graph.name)),
                    },
                };
                let parts = code.parts.iter().find(|(name, _)| *name == graph.name);
                let parts = parts.map_or_else(GraphParts::default, |(_, parts)| *parts);
                let block = match parts.list.and_then(|l| l.block) {
                    Some(number) => env.ok_or_else(no_env)?.amount(number)?.min(u64::from(u32::MAX)) as u32,
                    None => 0,
                };
                let wanted = Wanted { parts, apart: graph.apart, wide: graph.wide, block };
                let found = self.context.residency.words(&found, wanted).map_err(exec_error)?;
                words.extend(found.words);
                keep.push(found);
            }
            Source::Fault => words.push(self.block.address().0),
            Source::DrawKey(role) => {
                let env = env.ok_or_else(no_env)?;
                words.push(random::call_key(env.seed(), env.operator_calls(), *role));
            }
            Source::Counters => {
                let bytes = 4 * bindings.vertices;
                let address = lasting(&mut self.marks, &self.context.device, bytes, true)?;
                words.push(address.0);
            }
            Source::SeenMap => {
                let bytes = bindings.vertices + 64;
                words.push(lasting(&mut self.seen, &self.context.device, bytes, false)?.0);
            }
            Source::VisitedMap(vector) => {
                let slot = self.visited.entry(vector.clone()).or_default();
                words.push(lasting(slot, &self.context.device, bindings.vertices / 8 + 64, false)?.0);
            }
            Source::Scratch => {
                // Balancers keep something for each member of a set, repeats included.
                let capacity = capacity.max(given_capacity(bindings));
                let edges = self.most_edges(code, bindings, env);
                let count = 4 * capacity.max(bindings.vertices) + edges / 64 + (1 << 16);
                words.push(lasting(&mut self.scratch, &self.context.device, 4 * count, true)?.0);
                words.push(count as u64);
            }
            Source::GroupTables(name) => {
                let greatest = match bindings.graphs.get(name) {
                    Some(graph) => graph.greatest_out_degree(),
                    None => match global(name)? {
                        Value::Graph(graph) => graph.greatest_out_degree(),
                        _ => return Err(unset(name)),
                    },
                };
                // A power of two above twice the groups that there can be; a slot has a word and a key.
                let slots = (2 * greatest + 3).next_power_of_two();
                let count = (GROUP_TABLE_BYTES / (12 * slots)).clamp(1, MOST_GROUP_TABLES);
                words.push(lasting(&mut self.tables, &self.context.device, 12 * slots * count, true)?.0);
                words.push(slots as u64 | (count as u64) << 32);
            }
            Source::Queue(name) => words.extend(bindings.queues.get(name).ok_or_else(|| unset(name))?),
            Source::List(name) => {
                let list = bindings.lists.get(name).ok_or_else(|| unset(name))?;
                let storage = &list.storage;
                words.extend([storage.ids.address().0, storage.ends.address().0, storage.heads.address().0]);
                words.push(storage.capacity as u64 | (storage.depth_capacity as u64) << 32);
                words.push(list.depth as u64 | u64::from(list.used) << 32);
            }
            Source::Threshold(index) => {
                let number = gw_schedule::Param::Argv(*index);
                words.push(env.ok_or_else(no_env)?.threshold(number)?.to_bits());
            }
            Source::GraphFeature(name, feature) => {
                let graph = match bindings.graphs.get(name) {
                    Some(graph) => Arc::clone(graph),
                    None => match global(name)? {
                        Value::Graph(graph) => graph,
                        _ => return Err(unset(name)),
                    },
                };
                words.push(self.features.of(&graph, graph_features)[feature.index()].to_bits());
            }
            Source::ResidentThreads => words.push(self.resident_threads()),
            Source::Guard => words.push(u64::from(env.is_some_and(Environment::is_guarded))),
        }
        Ok(())
    }

    /// Threads that can be on the device at once.
    pub(crate) fn resident_threads(&self) -> u64 {
        self.context.device.facts().resident_threads()
    }

    /// The cell of a global scalar, holding this value.
    fn cell_address(&mut self, name: &Name, bits: u64) -> Result<Address> {
        let next = self.cells.len();
        let cell = self.cells.entry(name.clone()).or_insert(Cell { slot: next, bits: None });
        if cell.slot >= CELLS {
            return Err(ErrorKind::Unsupported("operators write more than 64 global scalars".into()).into());
        }
        let address = self.block.address().offset(FAULT_BYTES + 8 * cell.slot);
        if cell.bits != Some(bits) {
            self.context.device.upload(address, &bits.to_ne_bytes()).map_err(exec_error)?;
            cell.bits = Some(bits);
        }
        Ok(address)
    }

    /// Whether a kernel was launched whose end nobody has waited for.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Work was handed to the device by another way than [`Launcher::launch`].
    pub(crate) fn note_work(&mut self) {
        self.busy = true;
    }

    /// Waits, and reads results; fault and cells come along.
    pub(crate) fn results(&mut self, count: usize, cells: &[Name]) -> Result<Vec<u64>> {
        let bytes = match (count, cells.is_empty()) {
            (0, true) => FAULT_BYTES,
            _ => RESULTS_AT + 8 * count,
        };
        self.last.resize(bytes, 0);
        self.context.device.download(&mut self.last, self.block.address()).map_err(exec_error)?;
        self.busy = false;
        let words = self.last[RESULTS_AT.min(bytes)..].chunks_exact(8);
        Ok(words.map(|b| u64::from_ne_bytes(b.try_into().unwrap_or_default())).collect())
    }

    fn last_word(&self, at: usize) -> u64 {
        self.last.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
    }

    /// The value of a global scalar as it was read last.
    pub(crate) fn cell(&mut self, name: &Name, _words: &[u64]) -> Option<u64> {
        let slot = self.cells.get(name)?.slot;
        let bits = self.last_word(FAULT_BYTES + 8 * slot);
        if let Some(cell) = self.cells.get_mut(name) {
            cell.bits = Some(bits);
        }
        Some(bits)
    }

    /// The first fault of a kernel, if there was one.
    pub(crate) fn fault(&mut self, _words: &[u64], span: Span) -> Option<ExecError> {
        let (code, line) = (self.last_word(0) as u32, (self.last_word(0) >> 32) as u32);
        if code == 0 {
            return None;
        }
        let (index, length) = (self.last_word(8) as i64, self.last_word(16) as i64);
        // The next run begins without it.
        let _ = self.context.device.fill(self.block.address(), 0, 4, FAULT_BYTES / 4);
        let vector = (self.last_word(24) as u32 as usize).checked_sub(1).and_then(|at| self.names.get(at));
        let vertex = u32::try_from(index).unwrap_or(0);
        let kind = match code {
            1 => ErrorKind::IndexOutOfRange {
                index,
                len: length.max(0) as usize,
                vector: vector.map_or_else(|| "the vector".to_string(), ToString::to_string),
            },
            2 => ErrorKind::DivisionByZero,
            3 => ErrorKind::PriorityOverflow,
            4 => ErrorKind::OutOfMemory {
                what: format!(
                    "a set of more than {length} entries; `dedup=on` with `dedup-by=counters-fused`, or \
                     `create=unfused-bitmap`, keeps repeats out"
                ),
            },
            5 => ErrorKind::NegativePriority { vertex: vertex.into(), priority: length as f64 },
            6 => ErrorKind::EmptyList,
            7 => ErrorKind::VertexOutOfRange { vertex: index, vertices: length.max(0) as usize },
            8 => ErrorKind::IndexOutOfRange { index, len: length.max(0) as usize, vector: "neighbours".into() },
            9 => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "out" },
            10 => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "in" },
            11 => ErrorKind::SetSize { size: index, vertices: length.max(0) as usize },
            _ => ErrorKind::Machine(format!("unknown fault {code}")),
        };
        let place = self.statements.get(&line).copied().unwrap_or(Span { line, ..Span::NONE });
        Some(ExecError::from(kind).at(if line > 0 { place } else { span }))
    }
}

/// How many ids the sets may have that come from the host. Where nobody can tell, they have repeats, and more members
/// than there are vertices.
fn given_capacity(bindings: &Bindings) -> usize {
    let capacity = |external: &External| match external {
        External::Set(set) => with_device_set(set, |own| own.capacity()).unwrap_or(0),
        External::Near(near) => near.as_ref().map_or(0, |near| near.capacity()),
    };
    bindings.external.iter().map(capacity).max().unwrap_or(0)
}

/// The first statement of every line.
fn statements(module: &Module) -> HashMap<u32, Span> {
    let mut spans = HashMap::new();
    let blocks = module.functions.iter().filter_map(|f| f.body.as_deref()).chain([module.startup.as_slice()]);
    for block in blocks {
        walk::walk_stmts(block, &mut |stmt| {
            spans.entry(stmt.span.line).or_insert(stmt.span);
        });
    }
    spans
}

/// An epoch that no launcher had before.
fn next_epoch() -> u32 {
    static EPOCHS: AtomicU32 = AtomicU32::new(1);
    EPOCHS.fetch_add(1, Ordering::Relaxed)
}

/// A buffer that lasts from kernel to kernel and grows when it must.
fn lasting(slot: &mut Option<Buffer>, device: &Arc<dyn Device>, bytes: usize, zero: bool) -> Result<Address> {
    if slot.as_ref().is_none_or(|b| b.bytes() < bytes) {
        *slot = None;
        let made = if zero { Buffer::zeroed(device, bytes) } else { Buffer::new(device, bytes.next_multiple_of(4)) };
        *slot = Some(made.map_err(exec_error)?);
    }
    Ok(slot.as_ref().map_or(Address(0), |b| b.address()))
}
