//! A piece of a trace in device memory. Columns are sent when they are first asked for.
//!
//! Columns are filled up to whole tiles with copies of their last instant, which adds nothing to what is seen, so that
//! kernels need not ask where a column ends.

use std::ops::Range;
use std::sync::Arc;

use gw_device::{Buffer, Device, DeviceError};

use super::kernels::{TILE, WORDS, Width};
use crate::trace::{Numbers, Trace};

/// Columns of some instants on the device.
pub(super) struct Segment {
    instants: Range<usize>,
    pub width: Width,
    numbers: Vec<Option<Buffer>>,
    booleans: Vec<Option<Buffer>>,
}

impl Segment {
    /// A segment of a trace without any column yet; it begins at a whole word.
    pub fn new(trace: &Trace, instants: Range<usize>) -> Segment {
        debug_assert!(instants.start.is_multiple_of(64) && !instants.is_empty() && instants.end <= trace.instants);
        Segment {
            instants,
            width: width(trace),
            numbers: (0..trace.numbers.columns()).map(|_| None).collect(),
            booleans: (0..trace.booleans.len()).map(|_| None).collect(),
        }
    }

    /// Tiles of numbers.
    pub fn tiles(&self) -> usize {
        self.instants.len().div_ceil(TILE)
    }

    /// Tiles of Booleans.
    pub fn word_tiles(&self) -> usize {
        self.instants.len().div_ceil(64 * WORDS)
    }

    /// The addresses of all columns of numbers; those of `asked` are there, others may be 0.
    pub fn numbers(
        &mut self,
        device: &Arc<dyn Device>,
        trace: &Trace,
        asked: impl Iterator<Item = u32>,
    ) -> Result<Vec<u64>, DeviceError> {
        for v in asked {
            let column = &mut self.numbers[v as usize];
            if column.is_none() {
                *column = Some(match &trace.numbers {
                    Numbers::Single(columns) => sent(device, &columns[v as usize][self.instants.clone()])?,
                    Numbers::Double(columns) => sent(device, &columns[v as usize][self.instants.clone()])?,
                });
            }
        }
        Ok(addresses(&self.numbers))
    }

    /// The same for Booleans.
    pub fn booleans(
        &mut self,
        device: &Arc<dyn Device>,
        trace: &Trace,
        asked: impl Iterator<Item = u32>,
    ) -> Result<Vec<u64>, DeviceError> {
        for v in asked {
            let column = &mut self.booleans[v as usize];
            if column.is_none() {
                let words = self.instants.start / 64..self.instants.end.div_ceil(64);
                *column = Some(sent_words(device, &trace.booleans[v as usize][words], self.instants.len())?);
            }
        }
        Ok(addresses(&self.booleans))
    }
}

/// How wide the numbers of a trace are.
pub(super) fn width(trace: &Trace) -> Width {
    match trace.numbers {
        Numbers::Single(_) => Width::Single,
        Numbers::Double(_) => Width::Double,
    }
}

fn addresses(columns: &[Option<Buffer>]) -> Vec<u64> {
    columns.iter().map(|column| column.as_ref().map_or(0, |buffer| buffer.address().0)).collect()
}

/// Sends numbers, at least one.
fn sent<T: bytemuck::Pod>(device: &Arc<dyn Device>, values: &[T]) -> Result<Buffer, DeviceError> {
    let whole = values.len().next_multiple_of(TILE);
    let buffer = Buffer::new(device, whole * size_of::<T>())?;
    device.upload(buffer.address(), bytemuck::cast_slice(values))?;
    let filling = vec![values[values.len() - 1]; whole - values.len()];
    device.upload(buffer.address().offset(size_of_val(values)), bytemuck::cast_slice(&filling))?;
    Ok(buffer)
}

/// Sends the words of a Boolean of so many instants, at least one.
fn sent_words(device: &Arc<dyn Device>, words: &[u64], instants: usize) -> Result<Buffer, DeviceError> {
    let whole = words.len().next_multiple_of(WORDS);
    let buffer = Buffer::new(device, 8 * whole)?;
    let (last, before) = (words[words.len() - 1], &words[..words.len() - 1]);
    let last_bit = (instants - 1) % 64;
    let (value, valid) = (last >> last_bit & 1 == 1, u64::MAX >> (63 - last_bit));
    let fill = if value { u64::MAX } else { 0 };
    let mut tail = vec![fill; whole - before.len()];
    tail[0] = last & valid | fill & !valid;
    device.upload(buffer.address(), bytemuck::cast_slice(before))?;
    device.upload(buffer.address().offset(size_of_val(before)), bytemuck::cast_slice(&tail))?;
    Ok(buffer)
}
