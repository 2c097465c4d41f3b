//! A window of time over a stream of edges.

use std::collections::VecDeque;

use gw_dynamic::{Batch, Change, EdgeWeight, Update};
use rustc_hash::FxHashMap;

/// Edges by the time they were inserted, to be deleted when they are too old.
pub struct Window {
    span: f64,
    inserted: VecDeque<(f64, u32, u32)>,
    latest: FxHashMap<(u32, u32), f64>,
}

impl Window {
    /// No edges yet.
    pub fn new(span: f64) -> Window {
        Window { span, inserted: VecDeque::new(), latest: FxHashMap::default() }
    }

    /// Notes an insertion, and adds the deletion of what is too old by then to the batch.
    pub fn pass<W: EdgeWeight>(&mut self, update: &Update<W>, undirected: bool, batch: &mut Batch<W>) {
        while let Some(&(time, source, target)) = self.inserted.front()
            && update.time - time >= self.span
        {
            self.inserted.pop_front();
            // An edge that was inserted again stays until that is too old.
            if self.latest.get(&(source, target)) == Some(&time) {
                self.latest.remove(&(source, target));
                batch.delete(source, target);
            }
        }
        let key = match undirected {
            true => (update.source.min(update.target), update.source.max(update.target)),
            false => (update.source, update.target),
        };
        match update.change {
            Change::Insert(_) => {
                self.inserted.push_back((update.time, key.0, key.1));
                self.latest.insert(key, update.time);
            }
            Change::Delete => drop(self.latest.remove(&key)),
        }
    }
}
