//! Writing a `.gwg`: the checksums first, from memory, then everything in order.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::header::{BLOCK, Layout, PAGE, Shape};
use crate::columns::stored_bytes;
use crate::format::plan::Plan;
use crate::{Adjacency, Graph, Offsets};

/// Plans a `.gwg`; with `incoming`, the in-adjacency of a directed graph goes into it as well.
pub(in crate::format) fn plan(graph: &Graph, incoming: bool) -> Plan<'_> {
    let incoming = incoming && !graph.is_symmetric();
    let beside = stored_bytes(graph);
    let shape = Shape {
        vertices: graph.vertices() as u64,
        edges: graph.edges() as u64,
        symmetric: graph.is_symmetric(),
        weights: graph.weight_kind(),
        wide: matches!(graph.out().offsets(), Offsets::Wide(_)),
        incoming,
        beside: beside.as_ref().map_or(0, |bytes| bytes.len() as u64),
    };
    let Some(layout) = shape.layout() else { unreachable!("the arrays of the graph are in memory") };
    let mut arrays = arrays(graph.out()).to_vec();
    if incoming {
        arrays.extend(self::arrays(graph.incoming()));
    }
    let mut arrays: Vec<Cow<'_, [u8]>> = arrays.into_iter().flatten().map(Cow::Borrowed).collect();
    arrays.extend(beside.map(Cow::Owned));
    let content = Content { layout, arrays };

    let blocks = (content.layout.checksums - PAGE).div_ceil(BLOCK);
    let checksums: Vec<u8> = (0..blocks)
        .into_par_iter()
        .flat_map_iter(|block| {
            let mut crc = crc32fast::Hasher::new();
            content.visit(content.block(block), |bytes| crc.update(bytes));
            crc.finalize().to_le_bytes()
        })
        .collect();
    let header = shape.encode(&content.layout, crc32fast::hash(&checksums));
    Plan::new(blocks as usize + 2, move |block, buffer| match block as u64 {
        0 => buffer.extend_from_slice(&header),
        block if block <= blocks => {
            buffer.reserve_exact(BLOCK as usize);
            content.visit(content.block(block - 1), |bytes| buffer.extend_from_slice(bytes));
        }
        _ => buffer.extend_from_slice(&checksums),
    })
}

/// The arrays in the order of their sections; `None` for no weights.
fn arrays(adjacency: &Adjacency) -> [Option<&[u8]>; 3] {
    let offsets = match adjacency.offsets() {
        Offsets::Narrow(offsets) => bytemuck::cast_slice(offsets),
        Offsets::Wide(offsets) => bytemuck::cast_slice(offsets),
    };
    let weights = adjacency.weights().count().map(|_| adjacency.weights().as_bytes());
    [Some(offsets), Some(bytemuck::cast_slice(adjacency.targets())), weights]
}

/// The sections with the zeros between them.
struct Content<'g> {
    layout: Layout,
    /// Parallel to the sections of the layout.
    arrays: Vec<Cow<'g, [u8]>>,
}

impl Content<'_> {
    /// The bytes of the file under checksum `block`.
    fn block(&self, block: u64) -> Range<u64> {
        let begin = PAGE + BLOCK * block;
        begin..(begin + BLOCK).min(self.layout.checksums)
    }

    /// Gives the bytes of `range` piece by piece.
    fn visit(&self, range: Range<u64>, mut visit: impl FnMut(&[u8])) {
        const ZEROS: [u8; PAGE as usize] = [0; PAGE as usize];
        let sections = &self.layout.sections;
        for (i, (section, array)) in sections.iter().zip(&self.arrays).enumerate() {
            let end = section.offset + section.bytes;
            let (from, to) = (range.start.max(section.offset), range.end.min(end));
            if from < to {
                visit(&array[(from - section.offset) as usize..(to - section.offset) as usize]);
            }
            let padded = sections.get(i + 1).map_or(self.layout.checksums, |next| next.offset);
            let (from, to) = (range.start.max(end), range.end.min(padded));
            if from < to {
                visit(&ZEROS[..(to - from) as usize]);
            }
        }
    }
}
