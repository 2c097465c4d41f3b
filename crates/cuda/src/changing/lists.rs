//! Lists in device memory that batches of changes are applied to.

use std::sync::Arc;

use rayon::prelude::*;

use gw_graph::{Adjacency, WeightKind};

use gw_device::{Address, Buffer, Device, DeviceError, Kernel, Launch};

use super::batch::{EdgeChanges, MOST_CHANGES, Room, SORT_TILE};
use super::pool::Pool;
use super::state::{BYTES, NO_BLOCK, SIZES, SMALLEST, State, size_for};
use super::units::{self, BLOCK};

/// What a batch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AppliedChanges {
    /// Edges that were not there before.
    pub inserted: u64,
    /// Edges that are no longer there.
    pub deleted: u64,
    /// Edges with another weight.
    pub reweighted: u64,
    /// Changes that were left out, since they name vertices that are not there.
    pub unknown: u64,
}

/// The memory of lists that change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Edges.
    pub edges: u64,
    /// Slots of the blocks that hold them: at most twice the edges and three per list.
    pub slots: u64,
    /// Slots that were ever in a block: with those of free blocks.
    pub touched: u64,
    /// Bytes on the device: the whole pool, free or not, ranges and sizes. What batches work with is not counted.
    pub bytes: usize,
}

/// Sorted neighbour lists in device memory, in blocks of powers of two.
pub struct DeviceLists {
    pub(super) device: Arc<dyn Device>,
    vertices: usize,
    wide: bool,
    pub(super) ranges: Buffer,
    pub(super) sizes: Buffer,
    pub(super) pool: Pool,
    /// On the device.
    state: Buffer,
    /// As it was after the last batch.
    pub(super) known: State,
    /// Of the barrier of grids.
    counter: Buffer,
    sort: Kernel,
    apply: Kernel,
    room: Option<Room>,
}

/// Where a batch is and how it is ordered.
#[derive(Clone, Copy)]
struct Input {
    keys: Address,
    /// The bits of weights; null where lists have none.
    values: Address,
    count: usize,
    sorted: bool,
}

impl DeviceLists {
    /// The lists of an adjacency. Weights come along where it has some. Positions are 64 bits wide where `wide` says
    /// so, else 32, which is enough for 2^32 slots.
    pub fn from_adjacency(
        device: &Arc<dyn Device>,
        adjacency: &Adjacency,
        wide: bool,
    ) -> Result<DeviceLists, DeviceError> {
        let vertices = adjacency.vertices();
        let sizes: Vec<u8> = (0..vertices as u32).into_par_iter().map(|v| size_for(adjacency.degree(v))).collect();
        let mut by_size: [Vec<u32>; SIZES] = std::array::from_fn(|_| Vec::new());
        for (v, &size) in sizes.iter().enumerate().filter(|&(_, &size)| size != NO_BLOCK) {
            by_size[usize::from(size)].push(v as u32);
        }
        // Largest first, so that every block is aligned to its size or to the largest one.
        let mut state = State { edges: adjacency.edges() as u64, ..State::default() };
        let mut firsts = [0; SIZES];
        for size in (SMALLEST as usize..SIZES).rev() {
            firsts[size] = state.end;
            state.end += (by_size[size].len() as u64) << size;
            state.made[size] = by_size[size].len() as u32;
        }
        state.used = state.end;
        let lengths = (0..vertices as u32).into_par_iter().map(|v| adjacency.degree(v) as u64);
        state.greatest = lengths.max().unwrap_or(0);
        if !wide && state.end > u64::from(u32::MAX) {
            return Err(DeviceError::Lacking(format!("{} slots need wide positions", state.end)));
        }
        let mut begins = vec![0; vertices];
        for (size, lists) in by_size.iter().enumerate() {
            for (rank, &v) in lists.iter().enumerate() {
                begins[v as usize] = firsts[size] + ((rank as u64) << size);
            }
        }
        let end = |v: usize| begins[v] + adjacency.degree(v as u32) as u64;
        let ranges = match wide {
            true => {
                let pairs: Vec<[u64; 2]> = (0..vertices).into_par_iter().map(|v| [begins[v], end(v)]).collect();
                Buffer::with(device, bytemuck::cast_slice(pairs.as_flattened()))?
            }
            false => {
                let pair = |v: usize| [begins[v] as u32, end(v) as u32];
                let pairs: Vec<[u32; 2]> = (0..vertices).into_par_iter().map(pair).collect();
                Buffer::with(device, bytemuck::cast_slice(pairs.as_flattened()))?
            }
        };
        let weighted = adjacency.weight_kind() != WeightKind::None;
        let pool = Pool::new(device, state.end, weighted, wide)?;
        let slots = image(&by_size, &firsts, state.end, |v, block| {
            let list = adjacency.neighbours(v);
            block[..list.len()].copy_from_slice(list);
        });
        device.upload(pool.targets.address(), bytemuck::cast_slice(&slots))?;
        drop(slots);
        if let Some(weights) = &pool.weights {
            let copy = |v: u32, to: &mut [u32]| match adjacency.weight_kind() {
                WeightKind::Float => {
                    to.iter_mut().zip(adjacency.weights_of::<f32>(v)).for_each(|(to, w)| *to = w.to_bits());
                }
                _ => to.iter_mut().zip(adjacency.weights_of::<i32>(v)).for_each(|(to, w)| *to = *w as u32),
            };
            let slots = image(&by_size, &firsts, state.end, copy);
            device.upload(weights.address(), bytemuck::cast_slice(&slots))?;
        }
        let sizes = Buffer::with(device, &sizes)?;
        DeviceLists::made(device, vertices, wide, ranges, sizes, pool, state)
    }

    /// Lists without entries.
    pub fn new(
        device: &Arc<dyn Device>,
        vertices: usize,
        weighted: bool,
        wide: bool,
    ) -> Result<DeviceLists, DeviceError> {
        let ranges = Buffer::zeroed(device, (if wide { 16 } else { 8 }) * vertices)?;
        let sizes = Buffer::new(device, vertices)?;
        device.fill(sizes.address(), NO_BLOCK.into(), 1, vertices)?;
        let pool = Pool::new(device, 0, weighted, wide)?;
        DeviceLists::made(device, vertices, wide, ranges, sizes, pool, State::default())
    }

    fn made(
        device: &Arc<dyn Device>,
        vertices: usize,
        wide: bool,
        ranges: Buffer,
        sizes: Buffer,
        pool: Pool,
        known: State,
    ) -> Result<DeviceLists, DeviceError> {
        Ok(DeviceLists {
            vertices,
            wide,
            ranges,
            sizes,
            pool,
            state: Buffer::with(device, &known.to_bytes())?,
            known,
            counter: Buffer::zeroed(device, 4)?,
            sort: device.compile(&units::sort())?,
            apply: device.compile(&units::apply(wide))?,
            room: None,
            device: Arc::clone(device),
        })
    }

    /// Applies changes in their order; the last one of an edge counts. Insertions of edges that are there change their
    /// weights; deletions of edges that are not do nothing.
    ///
    /// An error leaves all edges as they were, except that weights may be new.
    pub fn apply(&mut self, changes: &EdgeChanges) -> Result<AppliedChanges, DeviceError> {
        self.apply_from_host(changes, false)
    }

    /// The same for changes in order of source and target, each edge once.
    pub fn apply_sorted(&mut self, changes: &EdgeChanges) -> Result<AppliedChanges, DeviceError> {
        self.apply_from_host(changes, true)
    }

    /// The same for changes on the device: `count` of [`EdgeChanges::key`], and the bits of weights where the lists
    /// have weights. Both stay as they are.
    pub fn apply_resident(
        &mut self,
        keys: &Buffer,
        weights: Option<&Buffer>,
        count: usize,
    ) -> Result<AppliedChanges, DeviceError> {
        let weights = weights.filter(|_| self.pool.weights.is_some());
        let has = (keys.bytes() / 8).min(weights.map_or(usize::MAX, |weights| weights.bytes() / 4));
        if has < count || (self.pool.weights.is_some() && weights.is_none()) {
            let message = format!("{count} changes were announced, the device has {has}, or weights are missing");
            return Err(DeviceError::Lacking(message));
        }
        self.make_room(count)?;
        let values = weights.map_or(Address::default(), |weights| weights.address());
        self.carry_out(Input { keys: keys.address(), values, count, sorted: false })
    }

    fn apply_from_host(&mut self, changes: &EdgeChanges, sorted: bool) -> Result<AppliedChanges, DeviceError> {
        let count = changes.len();
        if count == 0 {
            return Ok(AppliedChanges::default());
        }
        self.make_room(count)?;
        let Some(room) = &self.room else { return Ok(AppliedChanges::default()) };
        let input = Input { keys: room.input, values: room.input_values, count, sorted };
        self.device.upload(input.keys, bytemuck::cast_slice(&changes.keys))?;
        if self.pool.weights.is_some() {
            self.device.upload(input.values, bytemuck::cast_slice(&changes.weights))?;
        }
        self.carry_out(input)
    }

    /// Blocks of threads for a kernel at most.
    fn most_blocks(&self, kernel: &Kernel) -> u32 {
        (self.device.facts().processors * kernel.blocks_per_processor.min(8)).max(1)
    }

    fn make_room(&mut self, count: usize) -> Result<(), DeviceError> {
        if count > MOST_CHANGES {
            let message = format!("a batch has at most {MOST_CHANGES} changes, not {count}; cut it into several");
            return Err(DeviceError::Lacking(message));
        }
        let (lists, weighted) = (count.min(self.vertices), self.pool.weights.is_some());
        let grid = self.most_blocks(&self.sort).max(self.most_blocks(&self.apply));
        if !self.room.as_ref().is_some_and(|room| room.fits(count, lists, grid)) {
            self.room = None;
            let changes = count.next_power_of_two().min(count + count / 4).max(1024);
            self.room = Some(Room::new(&self.device, changes, changes.min(self.vertices), grid, weighted)?);
        }
        self.pool.ready_stacks(&self.known)
    }

    /// Sorts and applies a batch for which there is room.
    fn carry_out(&mut self, mut input: Input) -> Result<AppliedChanges, DeviceError> {
        if input.count == 0 {
            return Ok(AppliedChanges::default());
        }
        if !input.sorted {
            input = self.sorted(input)?;
        }
        let most = self.most_blocks(&self.apply);
        // Few changes may move long lists: there are blocks of threads on every processor.
        let grid = (input.count.div_ceil(BLOCK as usize) as u32).max(self.device.facts().processors).min(most);
        self.launch_apply(input, grid, false)?;
        let mut state = self.read_state()?;
        while state.needed > 0 {
            let grown = self.pool.grow(state.needed, &self.known);
            if let Err(error) = grown.and_then(|()| self.launch_apply(input, grid, true)) {
                // Lists are as they were: only the counts of the plan are to be taken back.
                self.device.upload(self.state.address(), &self.known.to_bytes())?;
                return Err(error);
            }
            state = self.read_state()?;
        }
        let applied = AppliedChanges {
            inserted: state.inserted,
            deleted: state.deleted,
            reweighted: state.reweighted - self.known.reweighted,
            unknown: state.unknown - self.known.unknown,
        };
        self.known = state;
        Ok(applied)
    }

    fn sorted(&self, input: Input) -> Result<Input, DeviceError> {
        let Some(room) = &self.room else { return Ok(input) };
        // As many bits as the greatest vertex has, twice, in digits of 8.
        let bits = usize::BITS - self.vertices.saturating_sub(1).max(1).leading_zeros();
        let passes = (2 * bits).div_ceil(8);
        let few = input.count <= SORT_TILE;
        let grid = if few { 1 } else { (input.count.div_ceil(SORT_TILE) as u32).min(self.most_blocks(&self.sort)) };
        let words = [
            input.keys.0,
            input.values.0,
            room.keys[0].0,
            room.keys[1].0,
            room.values[0].0,
            room.values[1].0,
            room.counts.0,
            input.count as u64,
            u64::from(bits),
            u64::from(passes),
            self.counter.address().0,
        ];
        let launch = Launch { grid, block: BLOCK, cooperative: true };
        self.device.launch(&self.sort, launch, bytemuck::cast_slice(&words))?;
        let last = if few { 0 } else { (passes as usize - 1) % 2 };
        Ok(Input { keys: room.keys[last], values: room.values[last], sorted: true, ..input })
    }

    fn launch_apply(&self, input: Input, grid: u32, resumes: bool) -> Result<(), DeviceError> {
        let Some(room) = &self.room else { return Ok(()) };
        let pool = &self.pool;
        let mut words = vec![
            self.ranges.address().0,
            self.sizes.address().0,
            pool.targets.address().0,
            pool.weights.as_ref().map_or(0, |weights| weights.address().0),
            self.state.address().0,
        ];
        words.extend(pool.stacks().map(|stack| stack.0));
        words.extend([
            pool.capacity,
            self.vertices as u64,
            input.keys.0,
            input.values.0,
            room.found.0,
            room.op_target.0,
            room.op_place.0,
            room.op_before.0,
            room.op_weight.0,
            room.source.0,
            room.first_op.0,
            room.list.0,
            room.of_team[0].0,
            room.of_team[1].0,
            room.of_team[2].0,
            room.of_grid.0,
            room.sums.0,
            self.counter.address().0,
            input.count as u64,
            u64::from(resumes),
        ]);
        self.device.launch(&self.apply, Launch { grid, block: BLOCK, cooperative: true }, bytemuck::cast_slice(&words))
    }

    fn read_state(&self) -> Result<State, DeviceError> {
        let mut bytes = vec![0; BYTES];
        self.device.download(&mut bytes, self.state.address())?;
        Ok(State::of_bytes(&bytes))
    }

    /// Adds vertices without edges, until there are so many.
    pub fn grow(&mut self, vertices: usize) -> Result<(), DeviceError> {
        if vertices <= self.vertices {
            return Ok(());
        }
        let pair = if self.wide { 16 } else { 8 };
        let ranges = Buffer::zeroed(&self.device, pair * vertices)?;
        self.device.copy(ranges.address(), self.ranges.address(), pair * self.vertices)?;
        let sizes = Buffer::new(&self.device, vertices)?;
        self.device.fill(sizes.address(), NO_BLOCK.into(), 1, vertices)?;
        self.device.copy(sizes.address(), self.sizes.address(), self.vertices)?;
        (self.ranges, self.sizes, self.vertices) = (ranges, sizes, vertices);
        Ok(())
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The number of edges.
    pub fn edges(&self) -> u64 {
        self.known.edges
    }

    /// No list is longer, or was.
    pub(crate) fn greatest(&self) -> u32 {
        self.known.greatest.min(u64::from(u32::MAX)) as u32
    }

    /// Where the lists begin and end, as pairs.
    pub(crate) fn ranges(&self) -> Address {
        self.ranges.address()
    }

    /// The slots of neighbours.
    pub(crate) fn targets(&self) -> Address {
        self.pool.targets.address()
    }

    /// Those of weights; null without.
    pub(crate) fn weights(&self) -> Address {
        self.pool.weights.as_ref().map_or(Address::default(), |weights| weights.address())
    }

    /// Whether positions are 64 bits wide.
    pub(crate) fn is_wide(&self) -> bool {
        self.wide
    }

    /// The neighbours of a vertex, read from the device.
    pub fn list(&self, vertex: u32) -> Result<Vec<u32>, DeviceError> {
        if vertex as usize >= self.vertices {
            return Err(DeviceError::Lacking(format!("there is no vertex {vertex}, only {}", self.vertices)));
        }
        let width = if self.wide { 8 } else { 4 };
        let mut pair = vec![0; 2 * width];
        self.device.download(&mut pair, self.ranges.address().offset(2 * width * vertex as usize))?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let (first, last) = (number(&pair[..width]), number(&pair[width..]));
        let mut bytes = vec![0; 4 * (last - first)];
        if last > first {
            self.device.download(&mut bytes, self.pool.targets.address().offset(4 * first))?;
        }
        Ok(bytes.chunks_exact(4).map(|word| number(word) as u32).collect())
    }

    /// Seconds, by the clock of the device, of sorting such a batch ([`DeviceLists::apply_resident`]); nothing changes.
    pub fn sort_seconds(&mut self, keys: &Buffer, count: usize) -> Result<f64, DeviceError> {
        let count = count.min(keys.bytes() / 8);
        self.make_room(count)?;
        let before = self.device.mark()?;
        self.sorted(Input { keys: keys.address(), values: Address::default(), count, sorted: false })?;
        let after = self.device.mark()?;
        self.device.seconds(&before, &after)
    }

    /// The memory of the lists.
    pub fn occupancy(&self) -> Occupancy {
        Occupancy {
            edges: self.known.edges,
            slots: self.known.used,
            touched: self.known.end,
            bytes: self.pool.bytes() + self.ranges.bytes() + self.sizes.bytes(),
        }
    }

    /// Everything as it stands on the device, after checking that it fits together: blocks are of powers of two and
    /// apart, lists sorted, every slot in exactly one block in use or free. The result has the entries of every list
    /// with the bits of their weights, 0 without. For tests: it reads all of the memory.
    pub fn checked_lists(&self) -> Result<Vec<Vec<(u32, u32)>>, String> {
        super::check::checked(self)
    }
}

/// Slots of a pool, filled by `copy` block by block.
fn image(
    by_size: &[Vec<u32>; SIZES],
    firsts: &[u64; SIZES],
    slots: u64,
    copy: impl Fn(u32, &mut [u32]) + Sync,
) -> Vec<u32> {
    let mut image = vec![0; slots as usize];
    for (size, lists) in by_size.iter().enumerate().filter(|(_, lists)| !lists.is_empty()) {
        let first = firsts[size] as usize;
        let blocks = image[first..first + (lists.len() << size)].par_chunks_exact_mut(1 << size);
        blocks.zip(lists).with_min_len(1 + (1 << 12 >> size)).for_each(|(block, &v)| copy(v, block));
    }
    image
}
