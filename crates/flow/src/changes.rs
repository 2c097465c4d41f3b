//! What an operator changed in a vector that all workers may write, and how the changes of all become one.

use gw_exec::{ErrorKind, Result, Scalar, Vector, scalar};
use gw_ir::expr::{BinaryOp, ReduceOp};

use crate::message::{Reader, Writer, width};
use crate::plan::Merge;

/// The cells of a vector before an operator: all of them, or those that it can reach.
pub(crate) struct Before {
    vector: Vector,
    merge: Merge,
    cells: Cells,
}

enum Cells {
    /// Every cell.
    All(Vec<u64>),
    /// These cells, each once.
    Some(Vec<(u32, u64)>),
}

impl Before {
    /// Notes the cells of a vector. `reachable` are the only entries that the operator can reach, each once.
    pub(crate) fn of(vector: &Vector, merge: Merge, reachable: Option<&[u32]>) -> Result<Before> {
        if u32::try_from(vector.cells()).is_err() {
            let message = "workers exchange vectors of fewer than 2^32 cells";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let stride = vector.stride();
        let cells = match reachable {
            None => Cells::All((0..vector.cells()).map(|cell| vector.load_bits(cell)).collect()),
            Some(entries) => {
                let cells = entries.iter().flat_map(|&entry| {
                    let first = entry as usize * stride;
                    first..first + stride
                });
                let there = cells.filter(|&cell| cell < vector.cells());
                Cells::Some(there.map(|cell| (cell as u32, vector.load_bits(cell))).collect())
            }
        };
        Ok(Before { vector: vector.clone(), merge, cells })
    }

    /// Writes the changes into a message and takes them back: they are made again with those of all workers.
    pub(crate) fn write_changes(&self, message: &mut Writer) -> Result<()> {
        let (vector, width) = (&self.vector, width(&self.vector));
        let count_at = message.0.len();
        message.u32(0);
        let mut count = 0u32;
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
            message.u32(cell as u32);
            message.cell(value, width);
            count += 1;
            Ok(())
        };
        match &self.cells {
            Cells::All(cells) => cells.iter().enumerate().try_for_each(|(cell, &old)| note(cell, old))?,
            Cells::Some(cells) => cells.iter().try_for_each(|&(cell, old)| note(cell as usize, old))?,
        }
        message.0[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
        Ok(())
    }

    /// Makes the changes of all workers, in the order of the workers.
    pub(crate) fn make_changes(&self, readers: &mut [Reader<'_>]) {
        let (vector, width) = (&self.vector, width(&self.vector));
        let make = |reader: &mut Reader<'_>| {
            for _ in 0..reader.u32() {
                let (cell, value) = (reader.u32() as usize, reader.cell(width));
                if reader.is_short || cell >= vector.cells() {
                    reader.is_short = true;
                    return;
                }
                let value = match self.merge {
                    Merge::First => value,
                    Merge::Reduce(op) => {
                        let old = vector.load_bits(cell);
                        scalar::reduce(op, vector.scalar(), old, value).unwrap_or(old)
                    }
                };
                vector.store_bits(cell, value);
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
    fn merged(merge: Merge, changes: [&[(usize, i32)]; 2], reachable: Option<&[u32]>) -> Vec<i32> {
        let copies = [0, 1].map(|_| Vector::from_slice(&[10, 20, 30, 40]));
        let before: Vec<Before> = copies.iter().map(|copy| Before::of(copy, merge, reachable).unwrap()).collect();
        let messages: Vec<Writer> = (0..2)
            .map(|worker| {
                for &(at, value) in changes[worker] {
                    assert!(copies[worker].set(at, &gw_exec::Value::Int(value)));
                }
                let mut message = Writer::default();
                before[worker].write_changes(&mut message).unwrap();
                message
            })
            .collect();
        for before in &before {
            let mut readers: Vec<Reader<'_>> = messages.iter().map(|m| Reader::new(&m.0)).collect();
            before.make_changes(&mut readers);
            assert!(readers.iter().all(|reader| !reader.is_short));
        }
        let [a, b] = copies.map(|copy| copy.to_vec::<i32>().unwrap());
        assert_eq!(a, b);
        a
    }

    #[test]
    fn changes_are_merged() {
        let changes: [&[(usize, i32)]; 2] = [&[(0, 7), (1, 25)], &[(0, 5), (3, 41)]];
        assert_eq!(merged(Merge::Reduce(ReduceOp::Min), [&[(0, 7), (1, 15)], &[(0, 5)]], None), [5, 15, 30, 40]);
        assert_eq!(merged(Merge::Reduce(ReduceOp::Sum), changes, None), [2, 25, 30, 41]);
        assert_eq!(merged(Merge::First, changes, None), [7, 25, 30, 41]);
        assert_eq!(merged(Merge::First, changes, Some(&[3, 0, 1])), [7, 25, 30, 41]);
    }
}
