//! Which version of which changing graph stands on the device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gw_exec::EdgeChange;
use gw_graph::{Adjacency, AdjacencyId, Graph};

use gw_device::{Device, DeviceError};

use super::{DeviceLists, EdgeChanges};

/// From so many edges on, positions are 64 bits wide. Blocks have at most four times as many slots, so that a narrow
/// pool has room for as many free ones.
const WIDE_FROM: usize = 1 << 29;

/// Lists of changing graphs by the adjacency whose contents they have. The host's graph may be gone; its next version
/// is then made of its lists.
#[derive(Default)]
pub(crate) struct Versions(Mutex<HashMap<AdjacencyId, Version>>);

struct Version {
    graph: Weak<Graph>,
    lists: Arc<DeviceLists>,
}

/// Whether positions in the lists of a graph that changes are 64 bits wide.
pub(crate) fn is_wide(graph: &Graph) -> bool {
    graph.edges() >= WIDE_FROM
}

impl Versions {
    fn lock(&self) -> MutexGuard<'_, HashMap<AdjacencyId, Version>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lists of an adjacency, that of a graph or what it was made of, on the device; from the host where they are
    /// not there yet.
    pub(crate) fn lists(
        &self,
        device: &Arc<dyn Device>,
        graph: &Arc<Graph>,
        adjacency: &Adjacency,
    ) -> Result<Arc<DeviceLists>, DeviceError> {
        let mut known = self.lock();
        if let Some(version) = known.get(&adjacency.id()) {
            return Ok(Arc::clone(&version.lists));
        }
        // Versions that nobody has any more, and of which no later one was made in time.
        known.retain(|_, version| version.graph.strong_count() > 0);
        let lists = Arc::new(DeviceLists::from_adjacency(device, adjacency, is_wide(graph))?);
        known.insert(adjacency.id(), Version { graph: Arc::downgrade(graph), lists: Arc::clone(&lists) });
        Ok(lists)
    }

    /// Makes the out-lists of `after` of those of `before`, where these are on the device. False where they are not, or
    /// are still read, or cannot take the changes: whoever asks for the lists of `after` then gets them from the host.
    pub(crate) fn follow(
        &self,
        before: AdjacencyId,
        after: &Arc<Graph>,
        changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool, DeviceError> {
        let Some(version) = self.lock().remove(&before) else { return Ok(false) };
        let Ok(mut lists) = Arc::try_unwrap(version.lists) else { return Ok(false) };
        // Slots of weights have 32 bits.
        if after.weight_kind().bytes() > 4 {
            return Ok(false);
        }
        if lists.is_wide() != is_wide(after) || lists.vertices() > after.vertices() {
            return Ok(false);
        }
        let mut batch = EdgeChanges::default();
        for change in changes {
            match change.weight {
                Some(weight) => batch.insert(change.source, change.target, weight as u32),
                None => batch.delete(change.source, change.target),
            };
        }
        match lists.grow(after.vertices()).and_then(|()| lists.apply_sorted(&batch)) {
            Ok(_) if lists.edges() == after.edges() as u64 => {}
            Ok(_) | Err(DeviceError::OutOfMemory { .. } | DeviceError::Lacking(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
        let version = Version { graph: Arc::downgrade(after), lists: Arc::new(lists) };
        self.lock().insert(after.out().id(), version);
        Ok(true)
    }

    /// Gives up the versions that nobody else has.
    pub(crate) fn drop_unused(&self) {
        self.lock().retain(|_, version| version.graph.strong_count() > 0);
    }
}
