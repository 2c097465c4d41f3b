//! A file as blocks of text or bytes that are made side by side, compressed, and written in order; and the words and
//! numbers that blocks are made of.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use super::Compression;
use super::output::Output;
use crate::parallel::{self, PIECE};
use crate::progress::Progress;
use crate::{Adjacency, Graph, GraphError, Result, Weights};

/// Appends the block with this number.
type MakeBlock<'g> = Box<dyn Fn(usize, &mut Vec<u8>) + Sync + 'g>;

/// A file as blocks that can be made independently.
pub(crate) struct Plan<'g> {
    blocks: usize,
    make: MakeBlock<'g>,
    pub(super) notes: Vec<String>,
}

impl<'g> Plan<'g> {
    /// `make(i, buffer)` appends block `i`.
    pub(crate) fn new(blocks: usize, make: impl Fn(usize, &mut Vec<u8>) + Sync + 'g) -> Self {
        Plan { blocks, make: Box::new(make), notes: Vec::new() }
    }

    /// A header, then what `per_vertex` appends for each vertex of `adjacency` in turn.
    pub(crate) fn by_vertices(
        adjacency: &'g Adjacency,
        header: Vec<u8>,
        per_vertex: impl Fn(u32, &mut Vec<u8>) + Sync + 'g,
    ) -> Self {
        let runs = vertex_runs(adjacency);
        Plan::new(runs.len() + 1, move |block, buffer| match block.checked_sub(1) {
            None => buffer.extend_from_slice(&header),
            Some(run) => runs[run].clone().for_each(|v| per_vertex(v, buffer)),
        })
    }

    pub(crate) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The blocks in order.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let block = |i| {
            let mut buffer = Vec::new();
            (self.make)(i, &mut buffer);
            buffer
        };
        parallel::map(self.blocks, block).concat()
    }

    /// Writes the blocks in order.
    pub(crate) fn write(&self, path: &Path, compression: Compression, progress: &dyn Progress) -> Result<u64> {
        progress.begin("writing", Some(self.blocks as u64));
        let mut output = Output::create(path)?;
        self.write_to(&mut output, path, compression, progress)?;
        output.commit()
    }

    /// One batch of blocks is made while the one before is written.
    fn write_to(
        &self,
        output: &mut Output,
        path: &Path,
        compression: Compression,
        progress: &dyn Progress,
    ) -> Result<()> {
        let batch = 4 * rayon::current_num_threads();
        let make = |batch: Range<usize>| -> Result<Vec<Vec<u8>>> {
            let block = |i| {
                let mut buffer = Vec::new();
                (self.make)(i, &mut buffer);
                compress(buffer, compression).map_err(|e| GraphError::io("compress", path, e))
            };
            parallel::map_items(batch.collect(), block).into_iter().collect()
        };
        let mut made: Vec<Vec<u8>> = Vec::new();
        for start in (0..self.blocks).step_by(batch).chain([self.blocks]) {
            let ready = std::mem::take(&mut made);
            let (written, next) = rayon::join(
                || ready.iter().try_for_each(|block| output.write(block)),
                || make(start..(start + batch).min(self.blocks)),
            );
            written?;
            progress.advance(ready.len() as u64);
            made = next?;
        }
        Ok(())
    }
}

fn compress(bytes: Vec<u8>, compression: Compression) -> std::io::Result<Vec<u8>> {
    if bytes.is_empty() {
        return Ok(bytes);
    }
    match compression {
        Compression::Plain => Ok(bytes),
        Compression::Gzip => {
            // Three times as fast as the usual level 6, a few per cent larger.
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(4));
            encoder.write_all(&bytes)?;
            encoder.finish()
        }
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            encoder.write_all(&bytes)?;
            encoder.finish()
        }
    }
}

/// Runs of vertices with about equally much text.
pub(crate) fn vertex_runs(adjacency: &Adjacency) -> Vec<Range<u32>> {
    const WORK: usize = 1 << 17;
    let vertices = adjacency.vertices();
    // Lines cost something even without edges.
    let work_before = |v: usize| adjacency.offsets().at(v) + v;
    let mut runs = Vec::new();
    let mut begin = 0;
    while begin < vertices {
        let enough = work_before(begin) + WORK;
        let (mut low, mut high) = (begin + 1, vertices);
        while low < high {
            let middle = (low + high) / 2;
            if work_before(middle) < enough {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        runs.push(begin as u32..low as u32);
        begin = low;
    }
    runs
}

/// What a format without a header loses: vertices without edges behind the last one with an edge. Without any edge
/// nothing at all would be left, which is an error.
pub(crate) fn headerless_notes(graph: &Graph, path: &Path) -> Result<Vec<String>> {
    let out = graph.out();
    if out.edges() == 0 {
        return Err(GraphError::file(path, "the graph has no edges, and this format holds nothing else"));
    }
    let last_source = (0..graph.vertices()).rev().find(|&v| out.offsets().at(v) < out.offsets().at(v + 1)).unwrap_or(0);
    let greatest = |range: Range<usize>| out.targets()[range].iter().copied().max();
    let last_target = parallel::pieces(out.edges(), PIECE, greatest).into_iter().flatten().max().unwrap_or(0) as usize;
    let lost = graph.vertices() - 1 - last_source.max(last_target);
    Ok(match lost {
        0 => Vec::new(),
        _ => vec![format!("the last {lost} vertices have no edges and are not in the file")],
    })
}

/// Number of vertices without any edge.
pub(crate) fn isolated(graph: &Graph) -> usize {
    let mut touched = vec![false; graph.vertices()];
    for &target in graph.out().targets() {
        touched[target as usize] = true;
    }
    (0..graph.vertices()).filter(|&v| !touched[v] && graph.out().degree(v as u32) == 0).count()
}

/// The note for a format that demands weights.
pub(crate) fn unit_weights_note(graph: &Graph) -> Option<String> {
    (!graph.is_weighted()).then(|| "the graph has no weights: every edge is written with weight 1".into())
}

#[inline]
pub(crate) fn push_byte(buffer: &mut Vec<u8>, byte: u8) {
    buffer.push(byte);
}

/// Appends an id.
#[inline]
pub(crate) fn push_id(buffer: &mut Vec<u8>, id: u32) {
    push_number(buffer, u64::from(id));
}

/// Appends a number.
#[inline]
pub(crate) fn push_number(buffer: &mut Vec<u8>, number: u64) {
    let mut digits = [0; lexical_core::BUFFER_SIZE];
    buffer.extend_from_slice(lexical_core::write(number, &mut digits));
}

/// Appends the weight of an edge: 1 in an unweighted graph. Floats read back to the same bits, and as floats.
#[inline]
pub(crate) fn push_weight(buffer: &mut Vec<u8>, weights: &Weights, edge: usize) {
    let mut digits = [0; lexical_core::BUFFER_SIZE];
    buffer.extend_from_slice(match weights {
        Weights::None => b"1",
        Weights::Int(weights) => lexical_core::write(weights[edge], &mut digits),
        // As many digits as tell it from all reals of 64 bits, which readers compare it with.
        Weights::Float(weights) => lexical_core::write(f64::from(weights[edge]), &mut digits),
        Weights::Int64(weights) => lexical_core::write(weights[edge], &mut digits),
        Weights::Double(weights) => lexical_core::write(weights[edge], &mut digits),
    });
}
