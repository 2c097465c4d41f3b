//! Vertex sets as bytes, and the members that a worker owns.

use std::ops::Range;

use gw_exec::{ErrorKind, Result, VertexSet};

use crate::message::{Reader, Writer};

/// In front of members as ids.
const IDS: u8 = 0;
/// In front of members as bits.
const BITS: u8 = 1;
/// Bits of a word.
const WORD: usize = 64;

/// Writes a set of vertices below `vertices`: ids, or the words from the first to the last member where that is
/// shorter.
pub(crate) fn write_set(writer: &mut Writer, set: &VertexSet, vertices: usize) -> Result<()> {
    let written = gw_cpu::with_bits(set, |words| {
        let members: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        match is_sparse(members, vertices) {
            true => write_ids(writer, members, each(words, 0..words.len() * WORD)),
            false => write_words(writer, words),
        }
    });
    if written.is_some() {
        return Ok(());
    }
    set.with_ids(|ids| match is_sparse(ids.len(), vertices) || ids.iter().any(|&id| id as usize >= vertices) {
        true => write_ids(writer, ids.len(), ids.iter().copied()),
        false => write_words(writer, &bits_of(ids.iter().copied(), vertices)),
    })
}

/// Whether ids are shorter than bits.
fn is_sparse(members: usize, vertices: usize) -> bool {
    members * 32 <= vertices
}

fn write_ids(writer: &mut Writer, count: usize, ids: impl Iterator<Item = u32>) {
    writer.u8(IDS);
    writer.u32(count as u32);
    writer.0.reserve(4 * count);
    ids.for_each(|id| writer.u32(id));
}

fn write_words(writer: &mut Writer, words: &[u64]) {
    let first = words.iter().position(|word| *word != 0).unwrap_or(words.len());
    let end = words.iter().rposition(|word| *word != 0).map_or(first, |last| last + 1);
    writer.u8(BITS);
    writer.u32(first as u32);
    writer.u32((end - first) as u32);
    writer.0.reserve(8 * (end - first));
    words[first..end].iter().for_each(|&word| writer.u64(word));
}

fn bits_of(ids: impl Iterator<Item = u32>, vertices: usize) -> Vec<u64> {
    let mut words = vec![0u64; vertices.div_ceil(WORD)];
    ids.for_each(|id| words[id as usize / WORD] |= 1 << (id as usize % WORD));
    words
}

/// The union of sets; of a small one the ids ascend, each once. `None` when one of them is damaged.
pub(crate) fn read_union(readers: &mut [Reader<'_>], vertices: usize) -> Option<VertexSet> {
    let mut union = Union::new(vertices);
    for reader in readers.iter_mut() {
        match reader.u8() {
            IDS => {
                let count = reader.u32() as usize;
                let bytes = reader.bytes(count.checked_mul(4)?);
                union.add_all(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])))?;
            }
            BITS => {
                let (first, count) = (reader.u32() as usize, reader.u32() as usize);
                let bytes = reader.bytes(count.checked_mul(8)?);
                let words = union.words().get_mut(first..first.checked_add(count)?)?;
                for (all, more) in words.iter_mut().zip(bytes.chunks_exact(8)) {
                    *all |= more.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
                }
            }
            _ => return None,
        }
        if reader.is_short {
            return None;
        }
    }
    union.into_set()
}

/// A set that grows out of what all workers have found.
pub(crate) struct Union {
    vertices: usize,
    ids: Vec<u32>,
    words: Option<Vec<u64>>,
}

impl Union {
    /// The empty set of vertices below `vertices`.
    pub(crate) fn new(vertices: usize) -> Union {
        Union { vertices, ids: Vec::new(), words: None }
    }

    /// Adds vertices; `None` when one of them is none of the graph.
    pub(crate) fn add_all(&mut self, ids: impl Iterator<Item = u32>) -> Option<()> {
        let vertices = self.vertices;
        match &mut self.words {
            None => self.ids.extend(ids),
            Some(words) => {
                for id in ids {
                    *words.get_mut(id as usize / WORD)? |= 1 << (id as usize % WORD);
                }
            }
        }
        if !is_sparse(self.ids.len(), vertices) {
            self.words();
        }
        Some(())
    }

    /// The set as words, from now on.
    fn words(&mut self) -> &mut Vec<u64> {
        let words = self.words.get_or_insert_with(|| vec![0; self.vertices.div_ceil(WORD)]);
        // An id that is no vertex stays among the ids, where it is found at the end.
        self.ids.retain(|&id| match words.get_mut(id as usize / WORD) {
            Some(word) => {
                *word |= 1 << (id as usize % WORD);
                false
            }
            None => true,
        });
        words
    }

    /// The set; `None` when it has a member that is no vertex.
    pub(crate) fn into_set(mut self) -> Option<VertexSet> {
        if let Some(words) = self.words {
            let surplus = words.len() * WORD - self.vertices;
            let is_sound = words.last().is_none_or(|last| surplus == 0 || last >> (WORD - surplus) == 0);
            return (is_sound && self.ids.is_empty()).then(|| gw_cpu::set_of_bits(words));
        }
        if !self.ids.is_sorted_by(|a, b| a < b) {
            self.ids.sort_unstable();
            self.ids.dedup();
        }
        let is_sound = self.ids.last().is_none_or(|&last| (last as usize) < self.vertices);
        is_sound.then(|| VertexSet::from_ids(self.ids))
    }
}

/// The members among the bits in a range of vertices.
fn each(words: &[u64], range: Range<usize>) -> impl Iterator<Item = u32> {
    let end = range.end.min(words.len() * WORD);
    let of_word = move |at: usize| {
        let (low, high) = (range.start.saturating_sub(at * WORD), (end - at * WORD).min(WORD));
        let mut left = words[at] & (u64::MAX << low) & (u64::MAX >> (WORD - high));
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (bit < WORD as u32).then(|| (at * WORD) as u32 + bit)
        })
    };
    (range.start / WORD..end.div_ceil(WORD)).flat_map(of_word)
}

/// The members of a set in a range of vertices. An error when a member is no vertex of a graph with so many.
pub(crate) fn members_in(set: &VertexSet, range: Range<u32>, vertices: usize) -> Result<Vec<u32>> {
    let outside = |vertex: u32| ErrorKind::VertexOutOfRange { vertex: i64::from(vertex), vertices };
    let of_bits = gw_cpu::with_bits(set, |words| match each(words, vertices..words.len() * WORD).next() {
        Some(vertex) => Err(outside(vertex).into()),
        None => Ok(each(words, range.start as usize..range.end as usize).collect()),
    });
    if let Some(members) = of_bits {
        return members;
    }
    set.with_ids(|ids| match ids.iter().find(|&&v| v as usize >= vertices) {
        Some(&vertex) => Err(outside(vertex).into()),
        None => Ok(ids.iter().copied().filter(|v| range.contains(v)).collect()),
    })?
}

/// The sum of something over the members of a set in a range of vertices, until it is `enough`.
pub(crate) fn sum_until(
    set: &VertexSet,
    range: Range<u32>,
    vertices: usize,
    of: impl Fn(u32) -> u64,
    enough: u64,
) -> Result<u64> {
    fn sum(members: impl Iterator<Item = u32>, of: impl Fn(u32) -> u64, enough: u64) -> u64 {
        let mut sum = 0u64;
        for v in members {
            sum += of(v);
            if sum >= enough {
                break;
            }
        }
        sum
    }
    let of_bits = gw_cpu::with_bits(set, |words| {
        each(words, vertices..words.len() * WORD)
            .next()
            .is_none()
            .then(|| sum(each(words, range.start as usize..range.end as usize), &of, enough))
    });
    match of_bits {
        Some(Some(sum)) => Ok(sum),
        _ => Ok(sum(members_in(set, range, vertices)?.into_iter(), of, enough)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_both_forms_are_united() {
        let sets: [&[u32]; 5] = [&[], &[5, 3], &[3, 699, 0], &(0..300).collect::<Vec<u32>>(), &[63, 64, 65]];
        let as_bits = |ids: &[u32]| gw_cpu::set_of_bits(bits_of(ids.iter().copied(), 700));
        for a in sets {
            for b in sets {
                for left in [VertexSet::from_ids(a.to_vec()), as_bits(a)] {
                    let messages: Vec<Writer> = [left, VertexSet::from_ids(b.to_vec())]
                        .iter()
                        .map(|set| {
                            let mut writer = Writer::default();
                            write_set(&mut writer, set, 700).unwrap();
                            writer
                        })
                        .collect();
                    let mut readers: Vec<Reader<'_>> = messages.iter().map(|m| Reader::new(&m.0)).collect();
                    let mut wanted = [a, b].concat();
                    wanted.sort_unstable();
                    wanted.dedup();
                    assert_eq!(read_union(&mut readers, 700).map(|set| set.ids().unwrap()), Some(wanted));
                    // A message that was cut is noticed.
                    let cut = &messages[1].0[..messages[1].0.len() - 1];
                    assert!(read_union(&mut [Reader::new(cut)], 700).is_none());
                }
            }
        }
    }

    #[test]
    fn members_that_are_no_vertices_are_damage() {
        for ids in [&[1, 700][..], &(600..701).collect::<Vec<u32>>(), &[5000]] {
            let mut writer = Writer::default();
            write_set(&mut writer, &VertexSet::from_ids(ids.to_vec()), 700).unwrap();
            assert!(read_union(&mut [Reader::new(&writer.0)], 700).is_none());
            assert!(members_in(&VertexSet::from_ids(ids.to_vec()), 0..9, 700).is_err());
        }
    }

    #[test]
    fn members_of_a_range_are_found_in_both_forms() {
        let ids = [0, 1, 63, 64, 127, 128, 500, 699];
        let (few, bits) = (VertexSet::from_ids(ids.to_vec()), gw_cpu::set_of_bits(bits_of(ids.into_iter(), 700)));
        for range in [0..700, 0..0, 1..64, 63..64, 64..128, 65..501, 600..700] {
            let wanted: Vec<u32> = ids.into_iter().filter(|v| range.contains(v)).collect();
            assert_eq!(members_in(&few, range.clone(), 700).unwrap(), wanted);
            assert_eq!(members_in(&bits, range.clone(), 700).unwrap(), wanted);
            let all = |set| sum_until(set, range.clone(), 700, |_| 2, u64::MAX).unwrap();
            assert_eq!((all(&few), all(&bits)), (2 * wanted.len() as u64, 2 * wanted.len() as u64));
            assert!(sum_until(&bits, range, 700, |_| 2, 3).unwrap() <= 4);
        }
    }
}
