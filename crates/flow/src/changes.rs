//! What an operator changed in a vector that all workers may write, and how the changes of all become one.

use std::sync::Arc;

use gw_exec::{ErrorKind, Result, Scalar, Vector, scalar};
use gw_ir::expr::{BinaryOp, ReduceOp};

use crate::cut::Cut;
use crate::message::{Reader, Writer, width};
use crate::mirrors::Mirrors;
use crate::plan::Merge;

/// The cells of a vector before an operator: all of them, or those that it can reach.
pub(crate) struct Before {
    vector: Vector,
    merge: Merge,
    cells: Cells,
    /// Changes go to owners and mirrors only.
    mirrors: Option<Arc<Mirrors>>,
}

enum Cells {
    /// Every cell, of 8 bytes.
    All(Vec<u64>),
    /// Every cell, of 4 bytes or less.
    AllNarrow(Vec<u32>),
    /// These cells, each once.
    Some(Vec<(u32, u64)>),
    /// None: the operator says which it has modified, and what they held before does not matter.
    Modified,
}

/// Which entries an operator may change.
pub(crate) enum Reach<'a> {
    /// Any.
    All,
    /// These, each once.
    Entries(&'a [u32]),
    /// Those that the operator says it has modified.
    Modified,
}

impl Before {
    /// Notes the cells of a vector that the operator may change; `mirrors` are those who must know of changes beside
    /// the owners, if not everybody must.
    pub(crate) fn of(vector: &Vector, merge: Merge, reach: Reach<'_>, mirrors: Option<Arc<Mirrors>>) -> Result<Before> {
        if u32::try_from(vector.cells()).is_err() {
            let message = "workers exchange vectors of fewer than 2^32 cells";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let stride = vector.stride();
        let cells = match reach {
            Reach::Modified => Cells::Modified,
            Reach::All if width(vector) <= 4 => {
                Cells::AllNarrow((0..vector.cells()).map(|cell| vector.load_bits(cell) as u32).collect())
            }
            Reach::All => Cells::All((0..vector.cells()).map(|cell| vector.load_bits(cell)).collect()),
            Reach::Entries(entries) => {
                let cells = entries.iter().flat_map(|&entry| {
                    let first = entry as usize * stride;
                    first..first + stride
                });
                let there = cells.filter(|&cell| cell < vector.cells());
                Cells::Some(there.map(|cell| (cell as u32, vector.load_bits(cell))).collect())
            }
        };
        Ok(Before { vector: vector.clone(), merge, cells, mirrors })
    }

    /// Whether changes of a vector can be told from the entries that an operator says it has modified: what they held
    /// before must not matter, and an entry must be one cell.
    pub(crate) fn is_told_by_modified(vector: &Vector, merge: Merge) -> bool {
        let same_twice = matches!(merge, Merge::First | Merge::Reduce(ReduceOp::Min | ReduceOp::Max));
        same_twice && vector.stride() == 1
    }

    /// Whether the entries that were changed are those that the operator returns.
    pub(crate) fn is_by_modified(&self) -> bool {
        matches!(self.cells, Cells::Modified)
    }

    /// Whether some workers need not know of some changes.
    pub(crate) fn goes_to_mirrors(&self) -> bool {
        self.mirrors.is_some()
    }

    /// Writes the changes. Where what was there before matters they are taken back, and made again with those of all
    /// workers. There is one message for all, or one per worker; `own` is the number of this worker. `modified` are the
    /// entries that the operator says it has modified.
    pub(crate) fn write_changes(
        &self,
        messages: &mut [Writer],
        (own, cut): (usize, &Cut),
        modified: &[u32],
    ) -> Result<()> {
        let (vector, width, stride) = (&self.vector, width(&self.vector), self.vector.stride().max(1));
        let places: Vec<usize> = messages.iter().map(|message| message.0.len()).collect();
        let mut counts = vec![0u32; messages.len()];
        messages.iter_mut().for_each(|message| message.u32(0));
        let mut write = |cell: usize, value: u64| {
            let vertex = (cell / stride) as u32;
            for (to, message) in messages.iter_mut().enumerate() {
                let mirrors = self.mirrors.as_ref().filter(|_| to != own);
                if mirrors.is_none_or(|mirrors| mirrors.has(to, vertex) || cut.range(to).contains(&vertex)) {
                    message.u32(cell as u32);
                    message.cell(value, width);
                    counts[to] += 1;
                }
            }
        };
        let mut note = |cell: usize, old: u64| -> Result<()> {
            let new = vector.load_bits(cell);
            if new == old {
                return Ok(());
            }
            vector.store_bits(cell, old);
            let value = match self.merge {
                // A sum of bools is true where one of them is.
                Merge::Reduce(ReduceOp::Sum) if vector.scalar() != Scalar::Bool => difference(vector, new, old)?,
                _ => new,
            };
            write(cell, value);
            Ok(())
        };
        match &self.cells {
            Cells::All(cells) => cells.iter().enumerate().try_for_each(|(cell, &old)| note(cell, old))?,
            Cells::AllNarrow(cells) => {
                cells.iter().enumerate().try_for_each(|(cell, &old)| note(cell, u64::from(old)))?;
            }
            Cells::Some(cells) => cells.iter().try_for_each(|&(cell, old)| note(cell as usize, old))?,
            Cells::Modified => {
                let there = modified.iter().map(|&entry| entry as usize).filter(|&entry| entry < vector.cells());
                there.for_each(|cell| write(cell, vector.load_bits(cell)));
            }
        }
        for ((message, at), count) in messages.iter_mut().zip(places).zip(counts) {
            message.0[at..at + 4].copy_from_slice(&count.to_le_bytes());
        }
        Ok(())
    }

    /// Makes the changes of all workers, in the order of the workers. Every cell that a worker has changed goes to
    /// `changed`, and whether it is new here.
    pub(crate) fn make_changes(&self, readers: &mut [Reader<'_>], mut changed: impl FnMut(u32, bool)) {
        let (vector, width) = (&self.vector, width(&self.vector));
        let make = |reader: &mut Reader<'_>| {
            for _ in 0..reader.u32() {
                let (cell, value) = (reader.u32() as usize, reader.cell(width));
                if reader.is_short || cell >= vector.cells() {
                    reader.is_short = true;
                    return;
                }
                let old = vector.load_bits(cell);
                let value = match self.merge {
                    Merge::First => value,
                    Merge::Reduce(op) => scalar::reduce(op, vector.scalar(), old, value).unwrap_or(old),
                };
                vector.store_bits(cell, value);
                changed(cell as u32, value != old);
            }
        };
        match self.merge {
            // What the first worker stores last is what stays.
            Merge::First => readers.iter_mut().rev().for_each(make),
            Merge::Reduce(_) => readers.iter_mut().for_each(make),
        }
    }
}

fn difference(vector: &Vector, new: u64, old: u64) -> Result<u64> {
    let minus = scalar::binary(BinaryOp::Sub, vector.scalar());
    let no_number = || ErrorKind::Malformed("a sum of something that is not a number".to_string());
    Ok(minus.ok_or_else(no_number)?(new, old))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two workers change copies of a vector and agree on the result.
    fn merged(merge: Merge, changes: [&[(usize, i32)]; 2], reach: impl Fn() -> Reach<'static>) -> Vec<i32> {
        let copies = [0, 1].map(|_| Vector::from_slice(&[10, 20, 30, 40]));
        let before: Vec<Before> = copies.iter().map(|copy| Before::of(copy, merge, reach(), None).unwrap()).collect();
        let messages: Vec<Writer> = (0..2)
            .map(|worker| {
                for &(at, value) in changes[worker] {
                    assert!(copies[worker].set(at, &gw_exec::Value::Int(value)));
                }
                let mut message = [Writer::default()];
                let modified: Vec<u32> = changes[worker].iter().map(|&(at, _)| at as u32).collect();
                before[worker].write_changes(&mut message, (worker, &Cut::even(4, 2)), &modified).unwrap();
                let [message] = message;
                message
            })
            .collect();
        for before in &before {
            let mut readers: Vec<Reader<'_>> = messages.iter().map(|m| Reader::new(&m.0)).collect();
            let mut changed = Vec::new();
            before.make_changes(&mut readers, |cell, _| changed.push(cell as usize));
            assert!(changes.iter().flat_map(|of| of.iter()).all(|(at, _)| changed.contains(at)));
            assert!(readers.iter().all(|reader| !reader.is_short));
        }
        let [a, b] = copies.map(|copy| copy.to_vec::<i32>().unwrap());
        assert_eq!(a, b);
        a
    }

    #[test]
    fn changes_are_merged() {
        let changes: [&[(usize, i32)]; 2] = [&[(0, 7), (1, 25)], &[(0, 5), (3, 41)]];
        let least: [&[(usize, i32)]; 2] = [&[(0, 7), (1, 15)], &[(0, 5)]];
        for reach in [|| Reach::All, || Reach::Entries(&[3, 0, 1]), || Reach::Modified] {
            assert_eq!(merged(Merge::Reduce(ReduceOp::Min), least, reach), [5, 15, 30, 40]);
            assert_eq!(merged(Merge::First, changes, reach), [7, 25, 30, 41]);
        }
        assert_eq!(merged(Merge::Reduce(ReduceOp::Sum), changes, || Reach::All), [2, 25, 30, 41]);
    }
}
