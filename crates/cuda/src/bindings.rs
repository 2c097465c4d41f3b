//! The values of a kernel's parameters, by the names that its code gives them.

use std::collections::HashMap;
use std::sync::Arc;

use gw_device::{Address, Device};
use gw_exec::{Result, SetForm, Value, VertexSet};
use gw_graph::Graph;
use gw_ir::source::Name;

use crate::codegen::Generated;
use crate::context::Context;
use crate::error::exec_error;
use crate::outcomes::Outcomes;
use crate::queue::{DeviceQueue, WORDS};
use crate::set::{DeviceRef, DeviceSet, ListStorage, ListedSet, Spares, with_device_set};
use crate::vectors::bits_of;

/// Numbers of places as in `run.cuh`.
pub(crate) const ALL_VERTICES: i32 = 12;
pub(crate) const EMPTY: i32 = -1;
pub(crate) const FROM_HOST: usize = 8;
pub(crate) const PLACES: usize = 12;

/// A set that came from the host.
pub(crate) enum External {
    Set(VertexSet),
    Near(Option<Box<DeviceSet>>),
}

/// A list that came from the host.
pub(crate) struct ListBinding {
    pub(crate) storage: Arc<ListStorage>,
    pub(crate) depth: usize,
    pub(crate) used: u32,
}

/// The values of a kernel's parameters.
pub(crate) struct Bindings {
    pub(crate) vertices: usize,
    pub(crate) scalars: HashMap<Name, u64>,
    pub(crate) values: HashMap<Name, Value>,
    pub(crate) addresses: HashMap<Name, Address>,
    pub(crate) lengths: HashMap<Name, u64>,
    pub(crate) external: Vec<External>,
    pub(crate) graphs: HashMap<Name, Arc<Graph>>,
    pub(crate) queues: HashMap<Name, [u64; WORDS]>,
    pub(crate) lists: HashMap<Name, ListBinding>,
}

impl Bindings {
    pub(crate) fn new(vertices: usize) -> Bindings {
        Bindings {
            vertices,
            scalars: HashMap::new(),
            values: HashMap::new(),
            addresses: HashMap::new(),
            lengths: HashMap::new(),
            external: Vec::new(),
            graphs: HashMap::new(),
            queues: HashMap::new(),
            lists: HashMap::new(),
        }
    }

    pub(crate) fn place(&mut self, name: Name, place: i32) {
        self.scalars.insert(name, u64::from(place as u32));
    }

    pub(crate) fn scalar(&mut self, name: Name, bits: u64) {
        self.scalars.insert(name, bits);
    }

    pub(crate) fn set(&mut self, name: Name, set: VertexSet) {
        let known = self.external.iter().position(|e| matches!(e, External::Set(s) if s.is(&set)));
        let at = known.unwrap_or_else(|| {
            self.external.push(External::Set(set));
            self.external.len() - 1
        });
        self.place(name, (FROM_HOST + at) as i32);
    }

    pub(crate) fn value(&mut self, name: Name, value: Value) {
        match value.scalar() {
            Some(_) => self.scalar(name, bits_of(&value)),
            None => {
                self.values.insert(name, value);
            }
        }
    }

    pub(crate) fn address(&mut self, name: Name, address: Address) {
        self.addresses.insert(name, address);
    }

    pub(crate) fn length(&mut self, name: Name, length: u64) {
        self.lengths.insert(name, length);
    }

    pub(crate) fn graph(&mut self, name: Name, graph: Arc<Graph>) {
        self.graphs.insert(name, graph);
    }

    pub(crate) fn queue(&mut self, name: Name, queue: &DeviceQueue, priorities: Address, near: Option<DeviceSet>) {
        let place = match near {
            Some(near) => {
                self.external.push(External::Near(Some(Box::new(near))));
                (FROM_HOST + self.external.len() - 1) as i32
            }
            None => EMPTY,
        };
        self.queues.insert(name, queue.words(priorities, place));
    }

    pub(crate) fn list(&mut self, name: Name, storage: Arc<ListStorage>, depth: usize, used: u32) {
        self.lists.insert(name, ListBinding { storage, depth, used });
    }

    /// The set of the host in a place.
    pub(crate) fn set_at(&self, place: i32) -> Option<VertexSet> {
        match self.external.get((place as usize).checked_sub(FROM_HOST)?)? {
            External::Set(set) => Some(set.clone()),
            External::Near(_) => None,
        }
    }

    /// The near set of a queue, dequeued.
    pub(crate) fn take_near(&mut self, place: i32, context: &Arc<Context>, spares: &Spares) -> Result<VertexSet> {
        let _ = (context, spares);
        match self.external.get_mut((place as usize).wrapping_sub(FROM_HOST)) {
            Some(External::Near(near)) => match near.take() {
                Some(set) => Ok(VertexSet::new(SetForm::Machine(set))),
                None => Ok(VertexSet::empty()),
            },
            _ => Ok(VertexSet::empty()),
        }
    }

    /// The sets that a loop left on a list.
    pub(crate) fn listed(&self, name: &Name, depth: usize, device: &Arc<dyn Device>) -> Result<Vec<Value>> {
        let Some(list) = self.lists.get(name) else { return Ok(Vec::new()) };
        let mut bytes = vec![0; 4 * depth];
        if depth > 0 {
            device.download(&mut bytes, list.storage.ends.address()).map_err(exec_error)?;
        }
        let mut begin = 0;
        let mut sets = Vec::with_capacity(depth);
        for (i, b) in bytes.chunks_exact(4).enumerate() {
            let end = u32::from_ne_bytes([b[0], b[1], b[2], b[3]]) as usize;
            let list = Arc::clone(&list.storage);
            let set = ListedSet { device: DeviceRef(Arc::clone(device)), list, begin, end, depth: i };
            sets.push(Value::Set(VertexSet::new(SetForm::Machine(Box::new(set)))));
            begin = end;
        }
        Ok(sets)
    }

    /// After an operator: maps and queues that were made of its inputs stay with them.
    pub(crate) fn note_forms(&mut self, code: &Generated) {
        for external in &self.external {
            if let External::Set(set) = external {
                with_device_set(set, |own| own.form |= code.converted_forms(own.form));
            }
        }
    }

    /// After a loop: the forms that the kernel reports.
    pub(crate) fn note_places(&mut self, outcomes: &Outcomes) -> Result<()> {
        for (i, external) in self.external.iter().enumerate() {
            if let External::Set(set) = external {
                let place = (FROM_HOST + i) as i32;
                let (form, counted) = (outcomes.form(place), outcomes.is_counted(place));
                let noted = with_device_set(set, |own| {
                    own.form = form;
                    if counted { own.forget_edges() } else { Ok(()) }
                });
                noted.unwrap_or(Ok(())).map_err(exec_error)?;
            }
        }
        Ok(())
    }
}
