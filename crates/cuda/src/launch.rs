//! Launching kernels: from the values of a run to the bytes of arguments, and back from results to values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gw_device::{Address, Buffer, Device, DeviceError, Launch, Mark};
use gw_exec::{Environment, ErrorKind, ExecError, PerGraph, Result, Vector, graph_features, random};
use gw_ir::module::Module;
use gw_ir::source::{Name, Span};
use gw_schedule::{Features, LoopForm};

use crate::bindings::{Bindings, External, FROM_HOST, PLACES};
use crate::codegen::inputs::{GraphInput, GraphParts, Source};
use crate::codegen::region::Outcome;
use crate::codegen::{ALONE_AT, Generated, STATE_WORDS};
use crate::context::Context;
use crate::error::exec_error;
use crate::faults::{FAULT_BYTES, Faults, STOP_AT, word_at};
use crate::launch_values::{LaunchValues, unset};
use crate::outcomes::Outcomes;
use crate::prepared::Loaded;
use crate::residency::{GraphWords, Wanted};
use crate::set::{DeviceSet, FORM_BITS, LEVELS, QUEUE, SET_WORDS, Spares, Storage, with_device_set};
use crate::tuning::{GROUP_TABLE_BYTES, MOST_GROUP_TABLES};
use crate::vectors::{Vectors, bits_of};
use crate::work_memory::WorkMemory;

// The shared block of a launcher: fault, cells, results.
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
    memory: WorkMemory,
    /// What adaptive schedules look at.
    features: PerGraph<Features>,
    cells: HashMap<Name, Cell>,
    /// Slots and values that the device must learn before the next kernel.
    unsent: Vec<(usize, u64)>,
    /// What was read last: fault and cells.
    last: Vec<u8>,
    /// Kernels may be running, and their faults are not known.
    busy: bool,
    /// The last run left neither a fault nor the word that ends kernels.
    ended_well: bool,
    faults: Faults,
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
            memory: WorkMemory::new(device),
            features: PerGraph::default(),
            cells: HashMap::new(),
            unsent: Vec::new(),
            last: Vec::new(),
            busy: false,
            ended_well: false,
            faults: Faults::of(module),
            first: None,
            end: None,
            context,
        })
    }

    /// A run begins: nothing is known about scalars on the device.
    pub(crate) fn begin_run(&mut self) {
        self.cells.values_mut().for_each(|c| c.bits = None);
        self.unsent.clear();
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
        self.memory.clear_counters()
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
        let capacity = self.capacity(&LaunchValues { code, bindings, env });
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
        let values = LaunchValues { code, bindings, env };
        for input in &code.inputs {
            self.input(&input.source, &values, capacity, vectors, (&mut words, &mut keep))?;
        }
        if code.inputs.is_empty() {
            words.push(0);
        }
        self.send_cells()?;
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
    fn capacity(&self, values: &LaunchValues<'_>) -> usize {
        let own = self.own_capacity(values);
        let of_lists = values.bindings.lists.values().map(|list| list.used as usize).max();
        let given = of_lists.map_or(0, |used| used.max(values.sets_capacity()));
        own.max(given).min(u32::MAX as usize)
    }

    /// How many ids the outputs of a kernel may have.
    fn own_capacity(&self, values: &LaunchValues<'_>) -> usize {
        let (code, vertices) = (values.code, values.bindings.vertices);
        if !code.unbounded {
            return vertices;
        }
        // As often as there are edges, at most; but all places together, and scratch memory, which is as large as four
        // of them, take no more than half of what is free.
        let edges = values.most_edges();
        let free = self.device().free_bytes().unwrap_or(0) as usize;
        let share = free / 2 / (code.places as usize + 4);
        (vertices + edges).min((share / 4).max(6 * vertices))
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

    /// Adds the words of an input of the kernel; `keep` gets what must stay on the device until the launch.
    fn input(
        &mut self,
        source: &Source,
        values: &LaunchValues<'_>,
        capacity: usize,
        vectors: &mut Vectors,
        (words, keep): (&mut Vec<u64>, &mut Vec<GraphWords>),
    ) -> Result<()> {
        let bindings = values.bindings;
        match source {
            Source::GlobalVector(name) => words.push(vectors.for_kernel(&values.global_vector(name)?)?.0),
            Source::GlobalWords(name) => {
                let len = values.global_vector(name)?.len();
                words.push(self.memory.words(name, len)?.0);
            }
            Source::GlobalLength(name) => words.push(values.global_vector(name)?.len() as u64),
            Source::LocalVector(name) => match bindings.addresses.get(name) {
                Some(address) => words.push(address.0),
                None => words.push(vectors.for_kernel(values.local_vector(name)?)?.0),
            },
            Source::LocalLength(name) => match bindings.lengths.get(name) {
                Some(length) => words.push(*length),
                None => words.push(values.local_vector(name)?.len() as u64),
            },
            Source::GlobalRow(name) => words.push(row(&values.global_vector(name)?)?),
            Source::LocalRow(name) => words.push(row(values.local_vector(name)?)?),
            Source::GlobalScalar(name) => words.push(bits_of(&values.global(name)?)),
            Source::GlobalCell(name) => {
                let bits = bits_of(&values.global(name)?);
                words.push(self.cell_address(name, bits)?.0);
            }
            Source::LocalScalar(name) => words.push(*bindings.scalars.get(name).ok_or_else(|| unset(name))?),
            Source::Vertices(element) => words.push(values.env()?.vertices_of(element)? as u64),
            Source::Members(name) => words.push(values.global_set(name)?.len()? as u64),
            Source::Graph(graph) => {
                let found = self.graph_words(graph, values)?;
                words.extend(found.words);
                keep.push(found);
            }
            Source::Fault => words.push(self.block.address().0),
            Source::DrawKey(role) => {
                let env = values.env()?;
                words.push(random::call_key(env.seed(), env.operator_calls(), *role));
            }
            Source::Counters => words.push(self.memory.counters(bindings.vertices)?.0),
            Source::SeenMap => words.push(self.memory.seen_map(bindings.vertices)?.0),
            Source::VisitedMap(vector) => words.push(self.memory.visited_map(vector, bindings.vertices)?.0),
            Source::Scratch => {
                // Balancers keep something for each member of a set, repeats included.
                let capacity = capacity.max(values.sets_capacity());
                let count = 4 * capacity.max(bindings.vertices) + values.most_edges() / 64 + (1 << 16);
                words.push(self.memory.scratch(count)?.0);
                words.push(count as u64);
            }
            Source::GroupTables(name) => {
                let greatest = values.graph(name)?.greatest_out_degree();
                // A power of two above twice the groups that there can be; a slot has a word and a key.
                let slots = (2 * greatest + 3).next_power_of_two();
                let count = (GROUP_TABLE_BYTES / (12 * slots)).clamp(1, MOST_GROUP_TABLES);
                words.push(self.memory.tables(12 * slots * count)?.0);
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
                words.push(values.env()?.threshold(number)?.to_bits());
            }
            Source::GraphFeature(name, feature) => {
                let graph = values.graph(name)?;
                words.push(self.features.of(&graph, graph_features)[feature.index()].to_bits());
            }
            Source::ResidentThreads => words.push(self.resident_threads()),
            Source::Guard => words.push(u64::from(values.env.is_some_and(Environment::is_guarded))),
        }
        Ok(())
    }

    /// The arrays of a graph on the device, those that the kernel reads.
    fn graph_words(&self, input: &GraphInput, values: &LaunchValues<'_>) -> Result<GraphWords> {
        let graph = values.graph(&input.name)?;
        let parts = values.code.parts.iter().find(|(name, _)| *name == input.name);
        let parts = parts.map_or_else(GraphParts::default, |(_, parts)| *parts);
        let block = match parts.list.and_then(|l| l.block) {
            Some(number) => values.env()?.amount(number)?.min(u64::from(u32::MAX)) as u32,
            None => 0,
        };
        let wanted = Wanted { parts, apart: input.apart, wide: input.wide, block };
        self.context.residency.words(&graph, wanted).map_err(exec_error)
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
            self.unsent.push((cell.slot, bits));
            cell.bits = Some(bits);
        }
        Ok(address)
    }

    /// Sends the cells that the next kernel reads: neighbours together, since every transfer delays the kernel.
    fn send_cells(&mut self) -> Result<()> {
        let mut cells = std::mem::take(&mut self.unsent);
        cells.sort_unstable();
        for run in cells.chunk_by(|a, b| a.0 + 1 == b.0) {
            let values: Vec<u64> = run.iter().map(|(_, bits)| *bits).collect();
            let address = self.block.address().offset(FAULT_BYTES + 8 * run[0].0);
            self.device().upload(address, bytemuck::cast_slice(&values)).map_err(exec_error)?;
        }
        Ok(())
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

    /// The value of a global scalar as it was read last.
    pub(crate) fn cell(&mut self, name: &Name, _words: &[u64]) -> Option<u64> {
        let slot = self.cells.get(name)?.slot;
        let bits = word_at(&self.last, FAULT_BYTES + 8 * slot);
        if let Some(cell) = self.cells.get_mut(name) {
            cell.bits = Some(bits);
        }
        Some(bits)
    }

    /// The first fault of a kernel, if there was one.
    pub(crate) fn fault(&mut self, span: Span) -> Option<ExecError> {
        let error = self.faults.error(&self.last, span)?;
        // The next run begins without it.
        let _ = self.context.device.fill(self.block.address(), 0, 4, FAULT_BYTES / 4);
        Some(error)
    }
}

/// Number of entries of a row of a vector.
fn row(vector: &Vector) -> Result<u64> {
    let row = vector.dims().get(1).copied();
    Ok(row.ok_or_else(|| ErrorKind::Malformed("a vector of rows is expected".to_string()))? as u64)
}

/// An epoch that no launcher had before.
fn next_epoch() -> u32 {
    static EPOCHS: AtomicU32 = AtomicU32::new(1);
    EPOCHS.fetch_add(1, Ordering::Relaxed)
}
