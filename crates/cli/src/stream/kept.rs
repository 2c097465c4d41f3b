//! The graph of a stream, and the store that keeps it.

use std::sync::Arc;

use gw_dynamic::{Applied, Batch, DynamicGraph, EdgeWeight, Place, Store};
use gw_graph::Names;

use crate::error::CliError;

/// A graph, and the store that keeps it.
pub struct Kept<W: EdgeWeight> {
    pub graph: DynamicGraph<W>,
    pub store: Option<Store>,
}

impl<W: EdgeWeight> Kept<W> {
    /// Applies a batch, which is on disk before it counts, with how far its file was read. The graph grows to the
    /// vertices that are named: first of all, since a graph that has no room for them must not keep the batch.
    pub fn apply(
        &mut self,
        batch: &Batch<W>,
        names: Option<&Arc<Names>>,
        place: Option<Place>,
    ) -> Result<Applied<W>, CliError> {
        let named = match names {
            Some(names) => names.len(),
            None => batch.greatest().map_or(0, |v| v as usize + 1),
        };
        let vertices = named.max(self.graph.vertices());
        // A program has at least a few words per vertex.
        let room = gw_graph::memory::allow(16 * vertices as u64, format_args!("a graph of {vertices} vertices"));
        room.map_err(gw_graph::GraphError::from)?;
        match names {
            Some(names) => self.graph.name(Arc::clone(names))?,
            None => self.graph.grow(vertices)?,
        }
        self.graph.check(batch)?;
        if let Some(store) = self.store.as_mut().filter(|_| !batch.is_empty()) {
            let place = place.unwrap_or(store.place());
            match names {
                Some(names) => store.append_with_ids(names, batch, place)?,
                None => store.append(vertices, batch, place)?,
            }
        }
        Ok(self.graph.apply(batch)?)
    }
}
