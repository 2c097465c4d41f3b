//! Vertex sets as maps, and conversions between the forms that kernels want.

use std::any::Any;

use gw_exec::{MachineSet, SetForm, VertexSet};
use rayon::prelude::*;

/// A set as a map over all vertices.
#[derive(Debug, Clone)]
pub(crate) struct MapSet {
    pub(crate) map: Map,
    pub(crate) count: usize,
}

/// One bit or one byte per vertex.
#[derive(Debug, Clone)]
pub(crate) enum Map {
    /// Bit `v % 64` of word `v / 64`.
    Bits(Vec<u64>),
    /// Byte `v`.
    Bytes(Vec<u8>),
}

impl Map {
    /// An empty map.
    pub(crate) fn empty(vertices: usize, bits: bool) -> Map {
        match bits {
            true => Map::Bits(vec![0; vertices.div_ceil(64)]),
            false => Map::Bytes(vec![0; vertices]),
        }
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        match self {
            Map::Bits(words) => words.as_mut_ptr().cast(),
            Map::Bytes(bytes) => bytes.as_mut_ptr(),
        }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        match self {
            Map::Bits(words) => words.as_ptr().cast(),
            Map::Bytes(bytes) => bytes.as_ptr(),
        }
    }

    fn insert(&mut self, vertex: u32) -> bool {
        match self {
            Map::Bits(words) => {
                let Some(word) = words.get_mut(vertex as usize / 64) else { return false };
                let fresh = *word >> (vertex % 64) & 1 == 0;
                *word |= 1 << (vertex % 64);
                fresh
            }
            Map::Bytes(bytes) => {
                let Some(byte) = bytes.get_mut(vertex as usize) else { return false };
                std::mem::replace(byte, 1) == 0
            }
        }
    }

    /// Ids in ascending order.
    fn ids(&self) -> Vec<u32> {
        match self {
            Map::Bits(words) => words
                .par_chunks(1 << 12)
                .enumerate()
                .flat_map_iter(|(chunk, words)| {
                    let mut ids = Vec::new();
                    for (i, &word) in words.iter().enumerate() {
                        let first = ((chunk << 12) + i) as u32 * 64;
                        let mut rest = word;
                        while rest != 0 {
                            ids.push(first + rest.trailing_zeros());
                            rest &= rest - 1;
                        }
                    }
                    ids
                })
                .collect(),
            Map::Bytes(bytes) => bytes
                .par_iter()
                .enumerate()
                .with_min_len(1 << 14)
                .filter_map(|(v, &byte)| (byte != 0).then_some(v as u32))
                .collect(),
        }
    }
}

impl MachineSet for MapSet {
    fn len(&self) -> usize {
        self.count
    }
    fn ids(&self) -> Vec<u32> {
        self.map.ids()
    }
    fn push(&mut self, vertex: u32) {
        self.count += usize::from(self.map.insert(vertex));
    }
    fn copy(&self) -> Box<dyn MachineSet> {
        Box::new(self.clone())
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The members of a set as a map.
pub(crate) fn map_of(set: &VertexSet, vertices: usize, bits: bool) -> Map {
    set.with(|form| match form {
        SetForm::Machine(machine) => {
            if let Some(own) = machine.as_any().downcast_mut::<MapSet>() {
                match (&own.map, bits) {
                    (Map::Bits(_), true) | (Map::Bytes(_), false) => return own.map.clone(),
                    _ => {}
                }
            }
            fill(vertices, bits, &machine.ids())
        }
        SetForm::All(n) => {
            let mut map = Map::empty(vertices, bits);
            match &mut map {
                Map::Bits(words) => words.fill(u64::MAX),
                Map::Bytes(bytes) => bytes.fill(1),
            }
            debug_assert!(*n <= vertices);
            map
        }
        form => fill(vertices, bits, &form.ids()),
    })
}

fn fill(vertices: usize, bits: bool, ids: &[u32]) -> Map {
    let mut map = Map::empty(vertices, bits);
    for &v in ids {
        map.insert(v);
    }
    map
}
