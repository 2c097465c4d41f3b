//! The reference machine's priority queue: lazy buckets in a sorted map, obviously right.
//!
//! A vertex is queued in at most one bucket, `priority / delta` at the time of its last insertion. Moving a vertex only
//! notes its new bucket and appends it there; the entry left behind is recognised as stale when its bucket is opened.

use std::any::Any;
use std::collections::BTreeMap;

use gw_ir::types::Scalar;

use crate::error::{ErrorKind, Result};
use crate::queue::{QueueSpec, QueueState, bucket_of_real};
use crate::scalar::{self, Register};
use crate::vector::Vector;

/// Buckets of vertices, opened in ascending or descending order.
#[derive(Debug)]
pub(crate) struct Buckets {
    priorities: Vector,
    /// [`QueueSpec::width_word`].
    delta: u64,
    increasing: bool,
    buckets: BTreeMap<u64, Vec<u32>>,
    /// The bucket each vertex is queued in.
    queued: Vec<Option<u64>>,
    current: u64,
}

impl Buckets {
    /// Queues every vertex whose priority is not the largest value of its type, which means "not queued".
    pub(crate) fn new(spec: &QueueSpec) -> Result<Buckets> {
        let vertices = spec.priorities.len();
        let mut buckets = Buckets {
            priorities: spec.priorities.clone(),
            delta: spec.width_word(),
            increasing: spec.increasing,
            buckets: BTreeMap::new(),
            queued: vec![None; vertices],
            current: 0,
        };
        // The start vertex and `all_vertices` ask for less than this: whoever has a priority is queued.
        for vertex in 0..vertices as u32 {
            buckets.insert(vertex)?;
        }
        Ok(buckets)
    }

    /// The bucket of a vertex by its present priority; `None` for the sentinel.
    fn bucket_of(&self, vertex: u32) -> Result<Option<u64>> {
        let scalar = self.priorities.scalar();
        let bits = self.priorities.touched().load(vertex as usize);
        if bits == scalar::largest(scalar) {
            return Ok(None);
        }
        let negative = |priority| Err(ErrorKind::NegativePriority { vertex: vertex.into(), priority }.into());
        match scalar {
            Scalar::Int => match u64::try_from(i32::of(bits)) {
                Ok(priority) => Ok(Some(priority / self.delta)),
                Err(_) => negative(f64::from(i32::of(bits))),
            },
            Scalar::Int64 => match u64::try_from(i64::of(bits)) {
                Ok(priority) => Ok(Some(priority / self.delta)),
                Err(_) => negative(i64::of(bits) as f64),
            },
            Scalar::Float | Scalar::Double => {
                let priority = scalar::to_f64(scalar, bits);
                match priority {
                    p if p.is_infinite() && p > 0.0 => Ok(None),
                    p if p >= 0.0 => Ok(Some(bucket_of_real(p, self.delta))),
                    p => negative(p),
                }
            }
            _ => Ok(Some(bits / self.delta)),
        }
    }

    /// Queues a vertex in the bucket of its present priority, or takes it out if that is the sentinel.
    pub(crate) fn insert(&mut self, vertex: u32) -> Result<()> {
        let bucket = self.bucket_of(vertex)?;
        if self.queued[vertex as usize] != bucket {
            self.queued[vertex as usize] = bucket;
            if let Some(bucket) = bucket {
                self.buckets.entry(bucket).or_default().push(vertex);
            }
        }
        Ok(())
    }

    /// Whether an entry of a bucket still counts.
    fn is_live(&self, vertex: u32, bucket: u64) -> Result<bool> {
        Ok(self.queued[vertex as usize] == Some(bucket) && self.bucket_of(vertex)? == Some(bucket))
    }

    /// The best bucket with a live entry; buckets without are dropped on the way.
    fn best(&mut self) -> Result<Option<u64>> {
        loop {
            let end = match self.increasing {
                true => self.buckets.first_key_value(),
                false => self.buckets.last_key_value(),
            };
            let Some((&bucket, entries)) = end else { return Ok(None) };
            for &vertex in entries {
                if self.is_live(vertex, bucket)? {
                    return Ok(Some(bucket));
                }
            }
            self.buckets.remove(&bucket);
        }
    }

    fn take_best(&mut self) -> Result<Vec<u32>> {
        let Some(bucket) = self.best()? else { return Ok(Vec::new()) };
        self.current = bucket;
        let mut ready = Vec::new();
        for vertex in self.buckets.remove(&bucket).unwrap_or_default() {
            if self.is_live(vertex, bucket)? {
                // Also what makes a second entry of the same vertex stale.
                self.queued[vertex as usize] = None;
                ready.push(vertex);
            }
        }
        ready.sort_unstable();
        Ok(ready)
    }
}

impl QueueState for Buckets {
    fn finished(&mut self) -> Result<bool> {
        Ok(self.best()?.is_none())
    }

    fn finished_node(&mut self, vertex: u32) -> Result<bool> {
        let Some(best) = self.best()? else { return Ok(true) };
        Ok(match (self.bucket_of(vertex)?, self.increasing) {
            (None, increasing) => !increasing,
            (Some(own), true) => own < best,
            (Some(own), false) => own > best,
        })
    }

    fn current_bucket(&mut self) -> Result<u64> {
        Ok(self.current)
    }

    fn rebucket(&mut self, vertices: &[u32]) -> Result<()> {
        let count = self.priorities.len();
        for &vertex in vertices {
            if vertex as usize >= count {
                return Err(ErrorKind::VertexOutOfRange { vertex: i64::from(vertex), vertices: count }.into());
            }
            self.insert(vertex)?;
        }
        Ok(())
    }

    fn dequeue(&mut self) -> Result<Vec<u32>> {
        self.take_best()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(priorities: &Vector, increasing: bool, delta: u64) -> Result<Buckets> {
        Buckets::new(&QueueSpec {
            priorities: priorities.clone(),
            increasing,
            all_vertices: false,
            start: None,
            delta,
            width: delta as f64,
            meta: Default::default(),
        })
    }

    #[test]
    fn both_orders_and_the_sentinel() -> Result<()> {
        let p = Vector::from_slice(&[7, i32::MAX, 0, 5]);
        let mut up = buckets(&p, true, 5)?;
        assert_eq!(up.dequeue()?, [2]);
        assert!(up.finished_node(2)? && !up.finished_node(0)? && !up.finished_node(1)?);
        assert_eq!((up.dequeue()?, up.current_bucket()?), (vec![0, 3], 1));
        assert!(up.finished()? && up.finished_node(1)?);
        assert!(up.dequeue()?.is_empty());
        let mut down = buckets(&p, false, 5)?;
        assert_eq!(down.dequeue()?, [0, 3]);
        assert_eq!(down.dequeue()?, [2]);
        Ok(())
    }

    #[test]
    fn stale_entries_are_dropped_and_reinsertions_come_first() -> Result<()> {
        let p = Vector::from_slice(&[0u32, 9, 4, u32::MAX]);
        let mut queue = buckets(&p, true, 2)?;
        assert_eq!(queue.dequeue()?, [0]);
        p.touched().store(1, 1);
        queue.insert(1)?;
        queue.insert(1)?;
        assert_eq!(queue.dequeue()?, [1], "back in the current bucket");
        p.touched().store(2, u64::from(u32::MAX));
        queue.insert(2)?;
        assert!(queue.finished()?, "2 was taken out and the old entry of 1 is stale");
        Ok(())
    }

    #[test]
    fn a_raised_vertex_does_not_revive_old_entries() -> Result<()> {
        let p = Vector::from_slice(&[6]);
        let mut queue = buckets(&p, true, 1)?;
        p.touched().store(0, 2);
        queue.insert(0)?;
        assert_eq!(queue.dequeue()?, [0]);
        p.touched().store(0, 6);
        assert!(queue.finished()?);
        Ok(())
    }

    #[test]
    fn negative_priorities_are_refused() {
        let error = buckets(&Vector::from_slice(&[1, -3]), true, 1).map(|_| ());
        let message = error.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.starts_with("vertex 1 has the negative priority -3"), "{message}");
        assert!(buckets(&Vector::from_slice(&[-0.5f64]), true, 1).is_err());
        assert!(buckets(&Vector::from_slice(&[f32::INFINITY, 2.5]), true, 1).is_ok());
    }
}
