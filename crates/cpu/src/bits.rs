//! Sets as bits, for machines that stand on this one and carry sets from one process to another.

use gw_exec::{SetForm, VertexSet};

use crate::set::{Map, MapSet};

/// A set whose members are the bits of these words: vertex `v` is bit `v % 64` of word `v / 64`.
///
/// ```
/// let set = gw_cpu::set_of_bits(vec![0b101, 1]);
/// assert_eq!(set.ids().unwrap(), [0, 2, 64]);
/// assert_eq!(gw_cpu::with_bits(&set, |words| words.len()), Some(2));
/// ```
pub fn set_of_bits(words: Vec<u64>) -> VertexSet {
    let members = words.iter().map(|word| word.count_ones() as usize).sum();
    VertexSet::new(SetForm::Machine(Box::new(MapSet::new(Map::Bits(words), members))))
}

/// Calls `f` with the bits of a set that is kept as bits; `None` for any other.
pub fn with_bits<R>(set: &VertexSet, f: impl FnOnce(&[u64]) -> R) -> Option<R> {
    set.with(|form| {
        let SetForm::Machine(machine) = form else { return None };
        match &machine.as_any().downcast_mut::<MapSet>()?.map {
            Map::Bits(words) => Some(f(words)),
            Map::Bytes(_) => None,
        }
    })
}
