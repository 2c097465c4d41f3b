//! Lists: last in, first out, shared, and no longer than memory allows.
//!
//! Nothing bounds the length of a list but its program, so a list asks for memory before it grows: a program that
//! appends for ever ends with an error at its line, not with an abort of the process.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_graph::memory;

use crate::error::{ErrorKind, Result};
use crate::value::Value;

/// Bytes of sets that a list takes before memory is looked at again.
const STEP: u64 = 64 << 20;
/// Bytes of a set beside its members, with what the allocator adds.
const SET: u64 = 160;

/// A last-in first-out list; clones share it.
#[derive(Debug, Clone, Default)]
pub struct List(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    entries: Mutex<Vec<Value>>,
    /// Bytes of the sets that were appended since memory was last looked at.
    unasked: AtomicU64,
}

impl List {
    /// A list of these entries.
    pub(crate) fn of(entries: impl ExactSizeIterator<Item = Value>) -> Result<List> {
        let list = List::default();
        grow(&mut list.entries(), entries.len())?;
        list.entries().extend(entries);
        Ok(list)
    }

    /// The entries, locked.
    pub fn entries(&self) -> MutexGuard<'_, Vec<Value>> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an entry; an error where memory does not suffice.
    pub(crate) fn push(&self, entry: Value) -> Result<()> {
        let mut entries = self.entries();
        if entries.len() == entries.capacity() {
            let more = entries.len().max(4);
            grow(&mut entries, more)?;
        }
        if let Value::Set(set) = &entry {
            let bytes = SET + set.bytes();
            if self.0.unasked.fetch_add(bytes, Relaxed) + bytes > STEP {
                self.0.unasked.store(0, Relaxed);
                memory::allow(STEP, format_args!("the next part of a list of {} sets", entries.len()))?;
            }
        }
        entries.push(entry);
        Ok(())
    }
}

fn grow(entries: &mut Vec<Value>, more: usize) -> Result<()> {
    let known = entries.len();
    let bytes = more.saturating_mul(size_of::<Value>()) as u64;
    memory::allow(bytes, format_args!("a list that grows from {known} entries to {}", known + more))?;
    let refused = |_| ErrorKind::OutOfMemory { what: format!("a list of {} entries", known + more) };
    Ok(entries.try_reserve_exact(more).map_err(refused)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::VertexSet;

    #[test]
    fn lists_grow_and_are_shared() -> Result<()> {
        let list = List::of((0..3).map(Value::Int))?;
        let alias = list.clone();
        for i in 3..1000 {
            alias.push(Value::Int(i))?;
        }
        let entries: Vec<Option<i32>> = list.entries().iter().map(Value::as_int).collect();
        assert_eq!(entries, (0..1000).map(Some).collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn more_than_there_is_memory_is_refused() {
        let refused = grow(&mut Vec::new(), 1 << 55).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.starts_with("out of memory: a list that grows from 0 entries to ")));
    }

    #[test]
    fn sets_in_lists_count() -> Result<()> {
        let (list, set) = (List::default(), VertexSet::from_ids((0..1 << 20).collect()));
        assert_eq!(set.bytes(), 4 << 20);
        list.push(Value::Set(set))?;
        assert_eq!(list.0.unasked.load(Relaxed), SET + (4 << 20));
        Ok(())
    }
}
