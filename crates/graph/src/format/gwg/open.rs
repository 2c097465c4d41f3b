//! Opening and verifying a `.gwg`.

use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;
use rustc_hash::FxHasher;
use serde::Serialize;

use super::header::{BLOCK, Header, Kind, PAGE};
use crate::columns::Stored;
use crate::format::Compression;
use crate::format::input::{Bytes, Input};
use crate::parallel::{self, PIECE};
use crate::progress::{Progress, Silent};
use crate::validate::check_adjacency;
use crate::{Adjacency, Buffer, Graph, GraphError, Offsets, Result, WeightKind, Weights, memory};

/// Opens a `.gwg` without reading its content: milliseconds at any size.
///
/// The header, its checksum, the places of all sections and the ends of the offsets are checked, the content is not.
/// Use it on files of one's own; [`load`](crate::format::load) verifies the content as well.
pub fn open_gwg(path: &Path) -> Result<Graph> {
    let input = Input::open(path, Compression::of_path(path))?;
    Ok(GwgFile::open(input, path)?.into_graph())
}

/// What [`verify_gwg`] read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GwgCheck {
    /// Size of the content in bytes.
    pub bytes: u64,
    /// Checksums compared.
    pub blocks: u64,
}

/// Reads a `.gwg` whole and compares every checksum; an error names the offset of the damage.
pub fn verify_gwg(path: &Path) -> Result<GwgCheck> {
    let input = Input::open(path, Compression::of_path(path))?;
    let file = GwgFile::open(input, path)?;
    file.verify(&Silent)?;
    let bytes = file.header.layout.file_bytes;
    Ok(GwgCheck { bytes, blocks: (file.header.layout.checksums - PAGE).div_ceil(BLOCK) })
}

/// An open `.gwg` whose structure is sound.
pub(in crate::format) struct GwgFile<'a> {
    path: &'a Path,
    bytes: Bytes,
    header: Header,
    graph: Graph,
}

impl<'a> GwgFile<'a> {
    pub(in crate::format) fn open(input: Input, path: &'a Path) -> Result<Self> {
        if cfg!(target_endian = "big") {
            return Err(GraphError::file(path, "`.gwg` files are little-endian, this machine is not"));
        }
        let bytes = input.bytes_by_header(PAGE, |page| {
            Header::described_bytes(page).map_err(|(offset, message)| GraphError::binary(path, offset, message))
        })?;
        let wrong = |(offset, message)| GraphError::binary(path, offset, message);
        let header = Header::decode(&bytes, bytes.len() as u64).map_err(wrong)?;
        let checksums = &bytes[header.layout.checksums as usize..];
        if crc32fast::hash(checksums) != header.checksums_crc {
            return Err(wrong((header.layout.checksums, "the list of checksums is damaged".into())));
        }
        if matches!(bytes, Bytes::Owned(_)) {
            memory::allow(header.layout.file_bytes, format_args!("the graph in {}", path.display()))?;
        }
        let direction = |kinds| adjacency(&bytes, &header, kinds).map_err(wrong);
        let out = direction([Kind::OutOffsets, Kind::OutTargets, Kind::OutWeights])?;
        let graph = match header.shape.incoming {
            true => {
                let incoming = direction([Kind::InOffsets, Kind::InTargets, Kind::InWeights])?;
                Graph::with_incoming(out, incoming)
            }
            false => Graph::new(out, header.shape.symmetric),
        };
        let graph = match header.shape.beside {
            0 => graph,
            _ => with_stored(graph, &bytes, &header).map_err(wrong)?,
        };
        let mut checksum = FxHasher::default();
        checksum.write(&bytes[..PAGE as usize]);
        checksum.write(checksums);
        let graph = graph.with_checksum(checksum.finish());
        Ok(GwgFile { path, bytes, header, graph })
    }

    /// Compares all checksums, then checks that no offset and no id can lead out of the arrays.
    pub(in crate::format) fn verify(&self, progress: &dyn Progress) -> Result<()> {
        let layout = &self.header.layout;
        let content = &self.bytes[PAGE as usize..layout.checksums as usize];
        let checksums = &self.bytes[layout.checksums as usize..];
        let blocks = content.par_chunks(BLOCK as usize).zip(checksums.par_chunks_exact(4));
        let damaged = blocks.enumerate().find_first(|(_, (block, checksum))| {
            progress.advance(block.len() as u64);
            crc32fast::hash(block).to_le_bytes() != **checksum
        });
        if let Some((block, _)) = damaged {
            let offset = PAGE + BLOCK * block as u64;
            let message = "the content is damaged: the checksum of the 1 MiB block here does not fit";
            return Err(GraphError::binary(self.path, offset, message));
        }
        check_adjacency(self.graph.out()).map_err(|m| GraphError::file(self.path, m))?;
        if self.header.shape.incoming {
            check_adjacency(self.graph.incoming()).map_err(|m| GraphError::file(self.path, m))?;
        }
        Ok(())
    }

    pub(in crate::format) fn into_graph(self) -> Graph {
        self.graph
    }
}

/// The graph with its ids and columns.
fn with_stored(graph: Graph, bytes: &Bytes, header: &Header) -> Result<Graph, super::header::Wrong> {
    let damaged = || (PAGE, "the ids and columns beside the edges are damaged".to_string());
    let section = header.layout.sections.iter().find(|section| section.kind == Kind::Beside).ok_or_else(damaged)?;
    let start = section.offset as usize;
    let window = bytes.get(start..start + section.bytes as usize).ok_or_else(damaged)?;
    let map = match bytes {
        Bytes::Mapped(map, all) => Some((map, all.start + start)),
        Bytes::Owned(_) => None,
    };
    let stored = Stored::read(window, map, graph.vertices(), graph.edges()).ok_or((section.offset, damaged().1))?;
    let graph = graph.with_names(stored.names).with_edge_columns(stored.edges);
    Ok(graph.with_vertex_columns(stored.vertices))
}

fn adjacency(
    bytes: &Bytes,
    header: &Header,
    [offsets, targets, weights]: [Kind; 3],
) -> Result<Adjacency, super::header::Wrong> {
    let shape = &header.shape;
    let (lists, edges) = (shape.vertices as usize + 1, shape.edges as usize);
    let offsets = match shape.wide {
        true => Offsets::Wide(section(bytes, header, offsets, lists)?),
        false => Offsets::Narrow(section(bytes, header, offsets, lists)?),
    };
    if offsets.at(0) != 0 || offsets.total() != edges {
        let at = header.layout.sections[0].offset;
        return Err((at, "the offsets do not run from 0 to the number of edges".into()));
    }
    let weights = match shape.weights {
        WeightKind::None => Weights::None,
        WeightKind::Int => Weights::Int(section(bytes, header, weights, edges)?),
        WeightKind::Float => Weights::Float(section(bytes, header, weights, edges)?),
        WeightKind::Int64 => Weights::Int64(section(bytes, header, weights, edges)?),
        WeightKind::Double => Weights::Double(section(bytes, header, weights, edges)?),
    };
    Ok(Adjacency::from_parts(offsets, section(bytes, header, targets, edges)?, weights))
}

/// A section as an array of `items` items, in place when the file is mapped.
fn section<T: Pod + Send + Sync>(
    bytes: &Bytes,
    header: &Header,
    kind: Kind,
    items: usize,
) -> Result<Buffer<T>, super::header::Wrong> {
    let missing = || (PAGE, format!("section {kind:?} is missing or too short"));
    let section = header.layout.sections.iter().find(|s| s.kind == kind).ok_or_else(missing)?;
    if section.bytes != (items * size_of::<T>()) as u64 {
        return Err(missing());
    }
    let start = section.offset as usize;
    match bytes {
        Bytes::Mapped(map, window) => Buffer::mapped(Arc::clone(map), window.start + start, items).ok_or_else(missing),
        Bytes::Owned(bytes) => {
            let window = bytes.get(start..start + section.bytes as usize).ok_or_else(missing)?;
            let mut list = vec![T::zeroed(); window.len() / size_of::<T>()];
            parallel::chunks(&mut list, PIECE, |first, chunk| {
                let bytes = &window[first * size_of::<T>()..][..size_of_val(chunk)];
                bytemuck::cast_slice_mut(chunk).copy_from_slice(bytes);
            });
            Ok(list.into())
        }
    }
}
