//! Arbitrary ids to `0..n`, in ascending order of the originals.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::Numbering;
use crate::parallel;
use crate::vertex_limit::checked_vertices;

/// Edges of a block with ids of either width.
pub(crate) enum AnyIds {
    Narrow(Vec<(u32, u32)>),
    Wide(Vec<(u64, u64)>),
}

impl AnyIds {
    fn len(&self) -> usize {
        match self {
            AnyIds::Narrow(edges) => edges.len(),
            AnyIds::Wide(edges) => edges.len(),
        }
    }
}

/// The outcome.
pub(crate) struct Dense {
    pub(crate) vertices: usize,
    /// Edges of each block.
    pub(crate) edges: Vec<Vec<(u32, u32)>>,
    /// Original id of every vertex, unless they were `0..vertices` already.
    pub(crate) original: Option<Vec<u64>>,
    /// What became of the ids, unless they were `0..vertices` already.
    pub(crate) numbering: Option<Numbering>,
}

/// What became of this many ids from `least` to `greatest`.
fn numbering(ids: usize, least: u64, greatest: u64) -> Option<Numbering> {
    let ids = ids as u64;
    let dense = Numbering::Dense { ids, least: least.into(), greatest: greatest.into() };
    (ids > 0 && (least, greatest) != (0, ids - 1)).then_some(dense)
}

/// Renumbers all blocks.
pub(crate) fn densify(blocks: Vec<AnyIds>) -> Result<Dense, String> {
    let edges: usize = blocks.iter().map(AnyIds::len).sum();
    let largest = parallel::map(blocks.len(), |block| match &blocks[block] {
        AnyIds::Narrow(edges) => edges.iter().map(|&(s, t)| u64::from(s.max(t))).max(),
        AnyIds::Wide(edges) => edges.iter().map(|&(s, t)| s.max(t)).max(),
    });
    let largest = largest.into_iter().max().flatten().unwrap_or(0);
    // A bit per possible id, unless that costs more than the edges themselves.
    const ALWAYS: usize = 1 << 21;
    if largest / 64 < edges.max(ALWAYS) as u64 { by_bitmap(blocks, largest) } else { by_sorting(blocks) }
}

fn by_bitmap(blocks: Vec<AnyIds>, largest: u64) -> Result<Dense, String> {
    let words = (largest / 64 + 1) as usize;
    let present: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
    let mark = |id: u64| {
        let (word, bit) = (&present[(id / 64) as usize], 1 << (id % 64));
        // Looking first keeps hot words shared between the caches.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    };
    parallel::each(blocks.len(), &|block| match &blocks[block] {
        AnyIds::Narrow(edges) => edges.iter().for_each(|&(s, t)| {
            mark(s.into());
            mark(t.into());
        }),
        AnyIds::Wide(edges) => edges.iter().for_each(|&(s, t)| {
            mark(s);
            mark(t);
        }),
    });
    let present: Vec<u64> = present.into_iter().map(AtomicU64::into_inner).collect();
    let mut before = Vec::with_capacity(words);
    let mut vertices = 0u64;
    for word in &present {
        before.push(vertices as u32);
        vertices += u64::from(word.count_ones());
    }
    let vertices = vertex_count(vertices)?;
    let rank = |id: u64| {
        let word = (id / 64) as usize;
        before[word] + (present[word] & ((1 << (id % 64)) - 1)).count_ones()
    };
    let gapless = vertices as u64 == largest + 1;
    let edges = parallel::map_items(blocks, |block| match block {
        AnyIds::Narrow(edges) if gapless => edges,
        AnyIds::Narrow(mut edges) => {
            edges.iter_mut().for_each(|(s, t)| (*s, *t) = (rank((*s).into()), rank((*t).into())));
            edges
        }
        AnyIds::Wide(edges) => edges.into_iter().map(|(s, t)| (rank(s), rank(t))).collect(),
    });
    let original = (!gapless).then(|| {
        let ids = |(word, &bits): (usize, &u64)| {
            (0..64).filter(move |b| bits >> b & 1 == 1).map(move |b| 64 * word as u64 + b)
        };
        present.iter().enumerate().flat_map(ids).collect()
    });
    let least = present.iter().enumerate().find(|(_, word)| **word != 0);
    let least = least.map_or(0, |(at, word)| 64 * at as u64 + u64::from(word.trailing_zeros()));
    Ok(Dense { vertices, edges, original, numbering: numbering(vertices, least, largest) })
}

fn by_sorting(blocks: Vec<AnyIds>) -> Result<Dense, String> {
    let mut ids: Vec<u64> = Vec::with_capacity(2 * blocks.iter().map(AnyIds::len).sum::<usize>());
    for block in &blocks {
        match block {
            AnyIds::Narrow(edges) => ids.extend(edges.iter().flat_map(|&(s, t)| [u64::from(s), u64::from(t)])),
            AnyIds::Wide(edges) => ids.extend(edges.iter().flat_map(|&(s, t)| [s, t])),
        }
    }
    ids.par_sort_unstable();
    ids.dedup();
    let vertices = vertex_count(ids.len() as u64)?;
    let rank = |id: u64| ids.partition_point(|&other| other < id) as u32;
    let edges = parallel::map_items(blocks, |block| match block {
        AnyIds::Narrow(edges) => edges.into_iter().map(|(s, t)| (rank(s.into()), rank(t.into()))).collect(),
        AnyIds::Wide(edges) => edges.into_iter().map(|(s, t)| (rank(s), rank(t))).collect(),
    });
    let (least, greatest) = (ids.first().copied().unwrap_or(0), ids.last().copied().unwrap_or(0));
    let numbering = numbering(vertices, least, greatest);
    Ok(Dense { vertices, edges, original: numbering.is_some().then_some(ids), numbering })
}

fn vertex_count(vertices: u64) -> Result<usize, String> {
    checked_vertices(vertices).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_agree(edges in prop::collection::vec((0u32..5000, 0u32..5000), 1..200), wide: bool) {
            let blocks = || {
                let (a, b) = edges.split_at(edges.len() / 2);
                let second = match wide {
                    true => AnyIds::Wide(b.iter().map(|&(s, t)| (s.into(), t.into())).collect()),
                    false => AnyIds::Narrow(b.to_vec()),
                };
                vec![AnyIds::Narrow(a.to_vec()), second]
            };
            let largest = edges.iter().map(|&(s, t)| s.max(t)).max().map_or(0, u64::from);
            let bitmap = by_bitmap(blocks(), largest).unwrap();
            let sorted = by_sorting(blocks()).unwrap();
            prop_assert_eq!(&bitmap.edges, &sorted.edges);
            prop_assert_eq!(&bitmap.original, &sorted.original);
            prop_assert_eq!(&bitmap.numbering, &sorted.numbering);
            let original = bitmap.original.unwrap_or_else(|| (0..bitmap.vertices as u64).collect());
            prop_assert_eq!(original.len(), bitmap.vertices);
            let back: Vec<_> = bitmap.edges.concat().into_iter()
                .map(|(s, t)| (original[s as usize] as u32, original[t as usize] as u32)).collect();
            prop_assert_eq!(back, edges);
        }
    }
}
