//! Whether lists on the device fit together: blocks, stacks, counts.

use gw_device::{Buffer, DeviceError};

use super::lists::DeviceLists;
use super::state::{NO_BLOCK, SIZES, SMALLEST, size_for};

/// The entries of every list, or what is wrong.
pub(super) fn checked(lists: &DeviceLists) -> Result<Vec<Vec<(u32, u32)>>, String> {
    let memory = Memory::read(lists).map_err(|error| error.to_string())?;
    let mut blocks: Vec<(u64, u8)> = Vec::new();
    let mut found = Vec::with_capacity(memory.ranges.len());
    let (mut edges, mut used, mut made) = (0, 0, [0; SIZES]);
    for (v, (&(first, last), &size)) in memory.ranges.iter().zip(&memory.sizes).enumerate() {
        let length = last.checked_sub(first).ok_or_else(|| format!("list {v} ends before it begins"))?;
        let fills = size == SMALLEST as u8 || length * 2 >= 1u64.checked_shl(size.into()).unwrap_or(0);
        let suits = match size {
            NO_BLOCK => length == 0,
            size => (size as usize) < SIZES && size >= size_for(length as usize) && length > 0 && fills,
        };
        if !suits {
            return Err(format!("list {v} of {length} entries stands in a block of size {size}"));
        }
        if size == NO_BLOCK {
            found.push(Vec::new());
            continue;
        }
        blocks.push((first, size));
        edges += length;
        used += 1 << size;
        made[usize::from(size)] += 1;
        if last > lists.known.end {
            return Err(format!("list {v} ends at slot {last}, behind the last block at {}", lists.known.end));
        }
        let slots = first as usize..last as usize;
        let list: Vec<(u32, u32)> = slots.map(|slot| (memory.targets[slot], memory.weight(slot))).collect();
        if !list.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(format!("list {v} is not sorted: {list:?}"));
        }
        found.push(list);
    }
    for (size, stack) in memory.stacks.iter().enumerate() {
        blocks.extend(stack.iter().map(|&first| (u64::from(first) << 2, size as u8)));
        made[size] += stack.len() as u32;
    }
    blocks.sort_unstable();
    let apart = |pair: &[(u64, u8)]| pair[0].0 + (1 << pair[0].1) <= pair[1].0;
    if let Some(pair) = blocks.windows(2).find(|pair| !apart(pair)) {
        return Err(format!("blocks share slots: {pair:?}"));
    }
    let known = &lists.known;
    match () {
        () if edges != known.edges => Err(format!("{edges} edges, the state says {}", known.edges)),
        () if used != known.used => Err(format!("{used} slots in use, the state says {}", known.used)),
        () if made != known.made => Err(format!("blocks {made:?}, the state says {:?}", known.made)),
        () => Ok(found),
    }
}

/// A copy of what is on the device.
struct Memory {
    ranges: Vec<(u64, u64)>,
    sizes: Vec<u8>,
    targets: Vec<u32>,
    weights: Vec<u32>,
    stacks: Vec<Vec<u32>>,
}

impl Memory {
    fn read(lists: &DeviceLists) -> Result<Memory, DeviceError> {
        let read = |buffer: &Buffer, bytes: usize| {
            let mut contents = vec![0; bytes];
            lists.device.download(&mut contents, buffer.address())?;
            Ok::<_, DeviceError>(contents)
        };
        let words = |buffer: &Buffer, count: usize| {
            let bytes = read(buffer, 4 * count)?;
            Ok::<_, DeviceError>(bytes.chunks_exact(4).map(word).collect::<Vec<u32>>())
        };
        let slots = lists.known.end as usize;
        let width = if lists.is_wide() { 8 } else { 4 };
        let number = |bytes: &[u8]| match width {
            8 => u64::from(word(bytes)) | u64::from(word(&bytes[4..])) << 32,
            _ => word(bytes).into(),
        };
        let pairs = read(&lists.ranges, 2 * width * lists.vertices())?;
        let ranges = pairs.chunks_exact(2 * width).map(|pair| (number(pair), number(&pair[width..]))).collect();
        let stack = |size: usize| match lists.pool.stack(size) {
            Some(stack) => words(stack, lists.known.free[size] as usize),
            None => Ok(Vec::new()),
        };
        Ok(Memory {
            ranges,
            sizes: read(&lists.sizes, lists.vertices())?,
            targets: words(&lists.pool.targets, slots)?,
            weights: lists.pool.weights.as_ref().map_or(Ok(Vec::new()), |weights| words(weights, slots))?,
            stacks: (0..SIZES).map(stack).collect::<Result<_, _>>()?,
        })
    }

    fn weight(&self, slot: usize) -> u32 {
        self.weights.get(slot).copied().unwrap_or(0)
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}
