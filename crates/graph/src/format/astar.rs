//! `.bin` graphs for A* search, read only: magic, number of vertices, then per vertex latitude, longitude, degree,
//! neighbours and distances. The weight is the distance times 637100000 (the Earth's radius in centimetres), truncated.
//! Coordinates are skipped.

use std::path::Path;

use super::edge_file::EdgeFile;
use super::input::Input;
use crate::progress::Progress;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, GraphError, Result};

const MAGIC: u32 = 0x1508_42A7;
const EARTH_RADIUS_CM: f64 = 637_100_000.0;

/// Reads a `.bin`.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let size = input.size();
    let bytes = input.bytes()?;
    let mut reader = Reader { bytes: &bytes, at: 0, path };
    if reader.u32("the magic number")? != MAGIC {
        return Err(GraphError::binary(path, 0, "not an A* graph: the magic number 0x150842A7 is missing"));
    }
    let vertices = reader.u32("the number of vertices")?;
    let mut chunk = EdgeChunk::with_capacity(0);
    for source in 0..vertices {
        reader.take(16, "coordinates")?;
        let degree = reader.u32("a degree")? as usize;
        let start = reader.at;
        let targets = reader.take(4 * degree as u64, "neighbours")?;
        let distances_at = reader.at;
        let distances = reader.take(8 * degree as u64, "distances")?;
        let pairs = targets.chunks_exact(4).zip(distances.chunks_exact(8)).enumerate();
        for (i, (target, distance)) in pairs {
            let target = u32::from_le_bytes(array(target));
            if target >= vertices {
                let message = format!("neighbour {target} is out of range 0..{vertices}");
                return Err(GraphError::binary(path, (start + 4 * i) as u64, message));
            }
            let distance = f64::from_le_bytes(array(distance));
            let weight = (distance * EARTH_RADIUS_CM).trunc();
            if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&weight) {
                let message = format!("distance {distance} gives no 32-bit weight");
                return Err(GraphError::binary(path, (distances_at + 8 * i) as u64, message));
            }
            chunk.push(source, target, weight as i32);
        }
    }
    if reader.at != bytes.len() {
        return Err(GraphError::binary(path, reader.at as u64, "there is more behind the last vertex"));
    }
    progress.advance(size);
    let list = EdgeList { vertices: vertices as usize, chunks: vec![chunk] };
    Ok(EdgeFile::directed(AnyEdgeList::Int(list)))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    path: &'a Path,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64, what: &str) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if length > rest.len() as u64 {
            let message = format!("the file ends in the middle of {what}");
            return Err(GraphError::binary(self.path, self.bytes.len() as u64, message));
        }
        self.at += length as usize;
        Ok(&rest[..length as usize])
    }

    fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(array(self.take(4, what)?)))
    }
}

/// The bytes as an array of the same length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}
