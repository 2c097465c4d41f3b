//! Vertex sets whose members are on the device.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use gw_device::{Address, Buffer, Device, DeviceError};
use gw_exec::{MachineSet, SetForm, VertexSet};
use gw_graph::{Graph, GraphId};

use crate::error::exec_error;

/// Forms as the headers number them.
pub(crate) const QUEUE: u32 = 1;
pub(crate) const BITS: u32 = 2;
pub(crate) const BYTES: u32 = 4;
pub(crate) const LEVELS: u32 = 16;
/// No form: the edges that leave the set were counted. Only kernels use it.
pub(crate) const COUNTED: u32 = 8;

/// Bits of the forms of one place, with the one that only kernels use.
pub(crate) const FORM_BITS: u32 = 5;

/// Words of a set in the arguments of a kernel.
pub(crate) const SET_WORDS: usize = 6;

/// Words that count, and where among them the round of the mask is.
const HEAD: usize = 8;
const ROUND_AT: usize = 4;
/// Where among them the edges that leave the set are, two words.
const EDGES_AT: usize = 2;

/// Room for a set: a queue, maps where they are needed, and the words that count.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) queue: Buffer,
    pub(crate) bits: Option<Buffer>,
    pub(crate) bytes: Option<Buffer>,
    /// The mask: per vertex the round in which it was last added.
    pub(crate) levels: Option<Buffer>,
    /// Tells the rounds of the mask from others with the same numbers.
    pub(crate) epoch: u32,
    pub(crate) head: Buffer,
    /// Ids that the queue may hold: there is room for so many, or for more where the memory was another set's.
    pub(crate) capacity: usize,
    pub(crate) vertices: usize,
    /// What may hold something: maps by their forms, and the head, which counts as the queue. Maps are emptied when
    /// somebody needs them, so that steps with queues do not pay for steps with maps before them.
    pub(crate) dirty: u32,
}

impl Storage {
    pub(crate) fn new(
        device: &Arc<dyn Device>,
        vertices: usize,
        capacity: usize,
        forms: u32,
    ) -> Result<Storage, DeviceError> {
        let map = |form: u32, bytes: usize| (forms & form != 0).then(|| Buffer::zeroed(device, bytes)).transpose();
        Ok(Storage {
            queue: Buffer::new(device, 4 * capacity)?,
            bits: map(BITS, 4 * vertices.div_ceil(32))?,
            bytes: map(BYTES, vertices.next_multiple_of(4))?,
            levels: map(LEVELS, 4 * vertices)?,
            epoch: 0,
            head: Buffer::zeroed(device, 4 * HEAD)?,
            capacity,
            vertices,
            dirty: 0,
        })
    }

    /// Makes it an empty set in these forms.
    pub(crate) fn clean(&mut self, device: &Arc<dyn Device>, forms: u32) -> Result<(), DeviceError> {
        if self.dirty & QUEUE != 0 {
            device.fill(self.head.address(), 0, 4, self.head.bytes() / 4)?;
            self.dirty &= !QUEUE;
        }
        self.clean_maps(device, forms)
    }

    /// Empties the maps of these forms.
    pub(crate) fn clean_maps(&mut self, device: &Arc<dyn Device>, forms: u32) -> Result<(), DeviceError> {
        for (form, map) in [(BITS, &self.bits), (BYTES, &self.bytes)] {
            if let Some(map) = map.as_ref().filter(|_| self.dirty & forms & form != 0) {
                device.fill(map.address(), 0, 4, map.bytes() / 4)?;
                self.dirty &= !form;
            }
        }
        Ok(())
    }

    /// Adds room for maps that are missing.
    pub(crate) fn extend(&mut self, device: &Arc<dyn Device>, forms: u32) -> Result<(), DeviceError> {
        if forms & BITS != 0 && self.bits.is_none() {
            self.bits = Some(Buffer::zeroed(device, 4 * self.vertices.div_ceil(32))?);
        }
        if forms & BYTES != 0 && self.bytes.is_none() {
            self.bytes = Some(Buffer::zeroed(device, self.vertices.next_multiple_of(4))?);
        }
        if forms & LEVELS != 0 && self.levels.is_none() {
            self.levels = Some(Buffer::zeroed(device, 4 * self.vertices)?);
        }
        Ok(())
    }

    /// Forgets a mask of earlier rounds, whose numbers come again.
    pub(crate) fn enter(&mut self, device: &Arc<dyn Device>, epoch: u32) -> Result<(), DeviceError> {
        if std::mem::replace(&mut self.epoch, epoch) != epoch
            && let Some(levels) = &self.levels
        {
            device.fill(levels.address(), 0, 4, levels.bytes() / 4)?;
        }
        Ok(())
    }

    /// Whether it can be used for a set of this kind.
    pub(crate) fn fits(&self, vertices: usize, capacity: usize) -> bool {
        self.vertices == vertices && self.queue.bytes() >= 4 * capacity
    }

    /// Its words in the arguments of a kernel. The last has the capacity, and half a word that is read from the head
    /// there.
    pub(crate) fn words(&self) -> [u64; SET_WORDS] {
        let address = |b: &Option<Buffer>| b.as_ref().map_or(0, |b| b.address().0);
        let (bits, bytes, levels) = (address(&self.bits), address(&self.bytes), address(&self.levels));
        [self.queue.address().0, bits, bytes, levels, self.head.address().0, (self.capacity as u64) << 32]
    }
}

/// Storages that are free again, shared by all sets of an executable.
pub(crate) type Spares = Arc<Mutex<Vec<Storage>>>;

/// A set on the device.
pub(crate) struct DeviceSet {
    device: Arc<dyn Device>,
    spares: Spares,
    storage: Option<Storage>,
    pub(crate) form: u32,
    /// The graph whose edges were counted when the set was made: their number is in the head.
    counted: Option<GraphId>,
    known: Mutex<Known>,
}

/// What the host has read of a set.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    size: Option<usize>,
    edges: u64,
}

impl DeviceSet {
    pub(crate) fn new(device: &Arc<dyn Device>, spares: &Spares, storage: Storage, form: u32) -> DeviceSet {
        let (device, spares) = (Arc::clone(device), Arc::clone(spares));
        DeviceSet { device, spares, storage: Some(storage), form, counted: None, known: Mutex::default() }
    }

    /// As a kernel made it that counted the edges of this graph that leave the set.
    pub(crate) fn with_edges_of(mut self, graph: &Arc<Graph>) -> DeviceSet {
        self.counted = Some(graph.id());
        self
    }

    /// The edges of a graph that leave the set, if they were counted when it was made. Comes with the size, in one
    /// transfer.
    pub(crate) fn edges_of(&self, graph: &Graph) -> Result<Option<u64>, DeviceError> {
        match self.counted == Some(graph.id()) {
            true => Ok(Some(self.read()?.edges)),
            false => Ok(None),
        }
    }

    /// Forgets the number of edges that leave it, if it was counted: whoever counts next begins at zero.
    pub(crate) fn forget_count(&mut self) -> Result<(), DeviceError> {
        if self.counted.take().is_some() { self.forget_edges() } else { Ok(()) }
    }

    fn read(&self) -> Result<Known, DeviceError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.size.is_none() {
            let words = match &self.storage {
                Some(storage) => self.download(storage.head.address(), EDGES_AT + 2)?,
                None => Vec::new(),
            };
            let word = |at: usize| words.get(at).copied().unwrap_or(0);
            let edges = u64::from(word(EDGES_AT)) | u64::from(word(EDGES_AT + 1)) << 32;
            *known = Known { size: Some(word(0) as usize), edges };
        }
        Ok(*known)
    }

    fn note_size(&self, size: usize) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known { size: Some(size), edges: 0 };
    }

    /// Forgets the number of edges that leave it: whoever counts next begins at zero.
    pub(crate) fn forget_edges(&self) -> Result<(), DeviceError> {
        match &self.storage {
            Some(storage) => self.device.fill(Address(storage.head.address().0 + 4 * EDGES_AT as u64), 0, 4, 2),
            None => Ok(()),
        }
    }

    /// A set with these members.
    pub(crate) fn of_ids(
        device: &Arc<dyn Device>,
        spares: &Spares,
        mut storage: Storage,
        ids: &[u32],
    ) -> Result<DeviceSet, DeviceError> {
        storage.clean(device, QUEUE)?;
        device.upload(storage.queue.address(), bytemuck::cast_slice(ids))?;
        device.upload(storage.head.address(), bytemuck::cast_slice(&[ids.len() as u32]))?;
        storage.dirty |= QUEUE;
        let set = DeviceSet::new(device, spares, storage, QUEUE);
        set.note_size(ids.len());
        Ok(set)
    }

    /// Ids that its queue can hold.
    pub(crate) fn capacity(&self) -> usize {
        self.storage.as_ref().map_or(0, |storage| storage.capacity)
    }

    pub(crate) fn storage(&mut self) -> Option<&mut Storage> {
        self.storage.as_mut()
    }

    /// A kernel may add members: their number is asked for again.
    pub(crate) fn forget_size(&mut self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known::default();
    }

    /// Another storage takes the place of the one there was.
    pub(crate) fn replace(&mut self, storage: Storage, form: u32) {
        if let Some(old) = self.storage.replace(storage) {
            give_back(&self.spares, old);
        }
        (self.form, self.counted) = (form, None);
        self.forget_size();
    }

    fn download(&self, from: Address, count: usize) -> Result<Vec<u32>, DeviceError> {
        words(&*self.device, from, count)
    }
}

/// So many words of device memory.
fn words(device: &dyn Device, from: Address, count: usize) -> Result<Vec<u32>, DeviceError> {
    let mut bytes = vec![0; 4 * count];
    device.download(&mut bytes, from)?;
    Ok(bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// Puts a storage aside for the next set.
pub(crate) fn give_back(spares: &Spares, storage: Storage) {
    let mut spares = spares.lock().unwrap_or_else(PoisonError::into_inner);
    if spares.len() < 16 {
        spares.push(storage);
    }
}

impl Drop for DeviceSet {
    fn drop(&mut self) {
        if let Some(storage) = self.storage.take() {
            give_back(&self.spares, storage);
        }
    }
}

impl std::fmt::Debug for DeviceSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceSet(form {})", self.form)
    }
}

impl MachineSet for DeviceSet {
    fn len(&self) -> gw_exec::Result<usize> {
        Ok(self.read().map_err(exec_error)?.size.unwrap_or(0))
    }

    fn ids(&self) -> gw_exec::Result<Vec<u32>> {
        let Some(storage) = &self.storage else { return Ok(Vec::new()) };
        let fetch = |from, count| self.download(from, count).map_err(exec_error);
        if self.form & QUEUE != 0 {
            return fetch(storage.queue.address(), self.len()?.min(storage.capacity));
        }
        let marked = |words: Vec<u32>, per_word: usize| {
            let width = 32 / per_word;
            let mut ids = Vec::new();
            for (w, word) in words.into_iter().enumerate() {
                for i in 0..per_word {
                    if word >> (i * width) & ((1u64 << width) - 1) as u32 != 0 {
                        ids.push((w * per_word + i) as u32);
                    }
                }
            }
            ids
        };
        let of_round = |levels: &Buffer| {
            let round = fetch(storage.head.address(), HEAD)?.get(ROUND_AT).copied();
            let levels = fetch(levels.address(), storage.vertices)?.into_iter();
            Ok(levels.enumerate().filter(|(_, level)| Some(*level) == round).map(|(v, _)| v as u32).collect())
        };
        match (&storage.bits, &storage.bytes, &storage.levels) {
            (Some(bits), _, _) if self.form & BITS != 0 => Ok(marked(fetch(bits.address(), bits.bytes() / 4)?, 32)),
            (_, Some(bytes), _) if self.form & BYTES != 0 => Ok(marked(fetch(bytes.address(), bytes.bytes() / 4)?, 4)),
            (_, _, Some(levels)) if self.form & LEVELS != 0 => of_round(levels),
            _ => Ok(Vec::new()),
        }
    }

    fn copy(&self) -> gw_exec::Result<Box<dyn MachineSet>> {
        Ok(Box::new(HostSet(self.ids()?)))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// A copy on the host.
#[derive(Debug)]
struct HostSet(Vec<u32>);

impl MachineSet for HostSet {
    fn len(&self) -> gw_exec::Result<usize> {
        Ok(self.0.len())
    }
    fn ids(&self) -> gw_exec::Result<Vec<u32>> {
        Ok(self.0.clone())
    }
    fn copy(&self) -> gw_exec::Result<Box<dyn MachineSet>> {
        Ok(Box::new(HostSet(self.0.clone())))
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Ids of the sets on a list, one set behind the other, on the device.
#[derive(Debug)]
pub(crate) struct ListStorage {
    pub(crate) ids: Buffer,
    pub(crate) ends: Buffer,
    pub(crate) heads: Buffer,
    pub(crate) capacity: usize,
    pub(crate) depth_capacity: usize,
    /// All ids are below this.
    pub(crate) vertices: usize,
}

/// A set on a list.
#[derive(Debug)]
pub(crate) struct ListedSet {
    pub(crate) device: DeviceRef,
    pub(crate) list: Arc<ListStorage>,
    pub(crate) begin: usize,
    pub(crate) end: usize,
    /// Its number on the list.
    pub(crate) depth: usize,
}

/// A device that can be printed.
#[derive(Clone)]
pub(crate) struct DeviceRef(pub(crate) Arc<dyn Device>);

impl std::fmt::Debug for DeviceRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("device")
    }
}

impl MachineSet for ListedSet {
    fn len(&self) -> gw_exec::Result<usize> {
        Ok(self.end - self.begin)
    }
    fn ids(&self) -> gw_exec::Result<Vec<u32>> {
        words(&*self.device.0, self.list.ids.address().offset(4 * self.begin), self.end - self.begin)
            .map_err(exec_error)
    }
    fn copy(&self) -> gw_exec::Result<Box<dyn MachineSet>> {
        Ok(Box::new(HostSet(self.ids()?)))
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Calls `f` with a set that is on the device.
pub(crate) fn with_device_set<R>(set: &VertexSet, f: impl FnOnce(&mut DeviceSet) -> R) -> Option<R> {
    set.with(|form| match form {
        SetForm::Machine(machine) => machine.as_any().downcast_mut::<DeviceSet>().map(f),
        _ => None,
    })
}
