//! Work in fixed blocks, each with a random stream of its own: the result never depends on threads.

use std::ops::Range;

use crate::huge_pages::prefer_huge_pages;
use crate::parallel;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::{EdgeChunk, EdgeList, VertexId};

/// Items of work under one random stream. Part of the meaning of a seed: changing it changes every random graph.
const BLOCK: usize = 1 << 16;

/// `edges` edges, each made by one call of `draw`.
pub(super) fn draw(
    vertices: u64,
    edges: u64,
    seed: u64,
    progress: &dyn Progress,
    draw: impl Fn(&mut Rng) -> (VertexId, VertexId) + Sync,
) -> EdgeList {
    progress.begin("generating edges", Some(edges));
    let mut list = vec![(0, 0); edges as usize];
    prefer_huge_pages(&mut list);
    parallel::map_items(list.chunks_mut(BLOCK).enumerate().collect(), |(block, chunk)| {
        let mut rng = Rng::new(seed, block as u64);
        for edge in chunk.iter_mut() {
            *edge = draw(&mut rng);
        }
        progress.advance(chunk.len() as u64);
    });
    EdgeList::from_pairs(vertices as usize, list)
}

/// The edges that `emit` appends for every item of `0..items`; `per_item` is how many to make room for.
pub(super) fn per_item(
    vertices: u64,
    items: u64,
    per_item: usize,
    seed: u64,
    progress: &dyn Progress,
    emit: impl Fn(&mut Rng, u64, &mut Vec<(VertexId, VertexId)>) + Sync,
) -> EdgeList {
    in_blocks(vertices, items, per_item, seed, progress, |rng, block, edges| {
        for item in block {
            emit(rng, item, edges);
        }
    })
}

/// The edges that `fill` appends for every block of `0..items`.
pub(super) fn in_blocks(
    vertices: u64,
    items: u64,
    per_item: usize,
    seed: u64,
    progress: &dyn Progress,
    fill: impl Fn(&mut Rng, Range<u64>, &mut Vec<(VertexId, VertexId)>) + Sync,
) -> EdgeList {
    progress.begin("generating edges", Some(items));
    let chunks = parallel::map(items.div_ceil(BLOCK as u64) as usize, |block| {
        let begin = (block * BLOCK) as u64;
        let end = (begin + BLOCK as u64).min(items);
        let mut edges = Vec::with_capacity((end - begin) as usize * per_item);
        fill(&mut Rng::new(seed, block as u64), begin..end, &mut edges);
        progress.advance(end - begin);
        EdgeChunk { weights: vec![(); edges.len()], edges }
    });
    EdgeList { vertices: vertices as usize, chunks }
}
