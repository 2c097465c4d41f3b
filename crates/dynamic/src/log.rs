//! Batches as records of a file: length, checksum, number, contents.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use gw_graph::WeightKind;

use crate::batch::{Batch, Change, OnRepeat};
use crate::graph::Ends;
use crate::updates::Place;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

const MAGIC: &[u8; 8] = b"gw-log 1";
/// Magic, kind of weights, ends, place, checksum of these 26 bytes.
const HEADER: usize = 30;
/// Length, checksum, number.
const FRAME: usize = 16;
/// What stands before the changes: vertices, place, what repeated edges do.
const PREFIX: usize = 25;
/// The most changes of a record, whose length has 32 bits.
pub(crate) const MOST: usize = (u32::MAX as usize - PREFIX) / CHANGE;
/// Source, target, tag, weight.
const CHANGE: usize = 13;

fn kind_byte(kind: WeightKind) -> u8 {
    match kind {
        WeightKind::None => 0,
        WeightKind::Int => 1,
        WeightKind::Float => 2,
    }
}

fn bytes_of(place: Place) -> impl Iterator<Item = u8> {
    place.changes.to_le_bytes().into_iter().chain(place.hash.to_le_bytes())
}

fn place_from(bytes: &[u8]) -> Option<Place> {
    let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    Some(Place { changes: word(0)?, hash: word(8)? })
}

const ENDS: [Ends; 3] = [Ends::Directed, Ends::DirectedBoth, Ends::Undirected];
const REPEATS: [OnRepeat; 4] = [OnRepeat::Keep, OnRepeat::Replace, OnRepeat::Least, OnRepeat::Sum];

/// One record read back.
pub(crate) struct Record<W> {
    pub(crate) number: u64,
    /// The number of vertices that the batch was meant for.
    pub(crate) vertices: usize,
    /// How far the source of changes was read.
    pub(crate) place: Place,
    pub(crate) batch: Batch<W>,
}

/// What a log holds, up to its first byte that is not in order.
pub(crate) struct LogContents<W> {
    pub(crate) kind: WeightKind,
    pub(crate) ends: Ends,
    /// How far the source of changes was read before the log.
    pub(crate) place: Place,
    pub(crate) records: Vec<Record<W>>,
    /// Bytes in order.
    pub(crate) good: u64,
    /// Bytes behind them: a record that was not written to its end.
    pub(crate) torn: u64,
    /// A whole record follows the bytes that are not in order, so that these were whole once.
    pub(crate) is_damaged: bool,
}

/// The first bytes of a log.
pub(crate) fn header<W: EdgeWeight>(ends: Ends, place: Place) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(kind_byte(W::KIND));
    bytes.push(ENDS.iter().position(|&e| e == ends).unwrap_or(0) as u8);
    bytes.extend(bytes_of(place));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Writes a record and waits until the disk has it.
pub(crate) fn append<W: EdgeWeight>(
    file: &mut File,
    path: &Path,
    number: u64,
    vertices: usize,
    place: Place,
    batch: &Batch<W>,
) -> Result<()> {
    let record = encode(number, vertices, place, batch);
    let failed = |e| DynamicError::io("write", path, e);
    let before = file.metadata().map_err(failed)?.len();
    file.write_all(&record).and_then(|()| file.sync_data()).map_err(|cause| {
        // What follows must not stand behind half a record. If this fails too, the next append fails as well.
        let _ = file.set_len(before);
        failed(cause)
    })
}

fn encode<W: EdgeWeight>(number: u64, vertices: usize, place: Place, batch: &Batch<W>) -> Vec<u8> {
    let mut body = Vec::with_capacity(PREFIX + batch.len() * CHANGE);
    body.extend((vertices as u64).to_le_bytes());
    body.extend(bytes_of(place));
    body.push(REPEATS.iter().position(|&r| r == batch.repeats()).unwrap_or(0) as u8);
    for &(source, target, change) in batch.changes() {
        let (tag, weight) = match change {
            Change::Insert(weight) => (1, weight.bits().unwrap_or(0)),
            Change::Delete => (0, 0),
        };
        body.extend(source.to_le_bytes());
        body.extend(target.to_le_bytes());
        body.push(tag);
        body.extend(weight.to_le_bytes());
    }
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&number.to_le_bytes());
    checksum.update(&body);
    let mut record = Vec::with_capacity(FRAME + body.len());
    record.extend((body.len() as u32).to_le_bytes());
    record.extend(checksum.finalize().to_le_bytes());
    record.extend(number.to_le_bytes());
    record.extend(body);
    record
}

/// Reads the log that follows batch `base`. A record that is not whole ends it; `None` where not even the header is.
pub(crate) fn read<W: EdgeWeight>(path: &Path, base: u64) -> Result<Option<LogContents<W>>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|e| DynamicError::io("read", path, e))?;
    let Some((kind, ends, place)) = read_header(&bytes) else { return Ok(None) };
    let mut contents =
        LogContents { kind, ends, place, records: Vec::new(), good: HEADER as u64, torn: 0, is_damaged: false };
    let mut at = HEADER;
    while kind == W::KIND
        && let Some((record, length)) = decode(&bytes[at..])
    {
        contents.records.push(record);
        at += length;
    }
    (contents.good, contents.torn) = (at as u64, (bytes.len() - at) as u64);
    if kind == W::KIND && contents.torn > 0 {
        let last = contents.records.last().map_or(base, |record| record.number);
        let is_later = |number: u64| number > last + 1 && number < last + 1 + contents.torn;
        contents.is_damaged = (at + 1..bytes.len().saturating_sub(FRAME)).any(|at| {
            let number = bytes[at + 8..at + 16].try_into().map_or(0, u64::from_le_bytes);
            is_later(number) && decode::<W>(&bytes[at..]).is_some()
        });
    }
    Ok(Some(contents))
}

fn read_header(bytes: &[u8]) -> Option<(WeightKind, Ends, Place)> {
    let header = bytes.get(..HEADER)?;
    let (words, checksum) = header.split_at(HEADER - 4);
    if !words.starts_with(MAGIC) || crc32fast::hash(words).to_le_bytes() != *checksum {
        return None;
    }
    let kind = *[WeightKind::None, WeightKind::Int, WeightKind::Float].get(usize::from(words[8]))?;
    let place = place_from(&words[10..26])?;
    Some((kind, *ENDS.get(usize::from(words[9]))?, place))
}

/// A record and its length; `None` where the bytes are not a whole one.
fn decode<W: EdgeWeight>(bytes: &[u8]) -> Option<(Record<W>, usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (length, checksum) = (word(0)? as usize, word(4)?);
    let number = u64::from_le_bytes(bytes.get(8..16)?.try_into().ok()?);
    let body = bytes.get(FRAME..FRAME + length)?;
    if crc32fast::hash(bytes.get(8..FRAME + length)?) != checksum || length < PREFIX {
        return None;
    }
    let vertices = usize::try_from(u64::from_le_bytes(body[..8].try_into().ok()?)).ok()?;
    let place = place_from(&body[8..24])?;
    let mut batch = Batch::new();
    batch.on_repeat(*REPEATS.get(usize::from(body[24]))?);
    for change in body[PREFIX..].chunks(CHANGE) {
        let word = |at: usize| Some(u32::from_le_bytes(change.get(at..at + 4)?.try_into().ok()?));
        let (source, target, weight) = (word(0)?, word(4)?, word(9)?);
        batch.push(source, target, if change[8] == 1 { Change::Insert(W::from_bits(weight)) } else { Change::Delete });
    }
    Some((Record { number, vertices, place, batch }, FRAME + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch<f32> {
        let mut batch = Batch::new();
        batch.on_repeat(OnRepeat::Least).insert(1, 2, 0.5).delete(3, 4).insert(0, 0, -7.25);
        batch
    }

    /// Every prefix of a log gives the records that are whole in it, and a flipped bit ends the log before its record.
    #[test]
    fn torn_and_damaged_records_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let place = Place { changes: 3, hash: 0x1234_5678_9abc_def0 };
        let records = [encode(1, 5, place, &batch()), encode(2, 9, place, &Batch::<f32>::new())];
        let whole = [header::<f32>(Ends::Undirected, Place::default()), records.concat()].concat();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let contents = read::<f32>(&path, 0).unwrap();
            let expected = match cut {
                0..HEADER => None,
                _ => Some(usize::from(cut >= HEADER + records[0].len()) + usize::from(cut == whole.len())),
            };
            assert_eq!(contents.as_ref().map(|c| c.records.len()), expected, "{cut} bytes");
            assert!(contents.is_none_or(|c| c.good + c.torn == cut as u64 && c.ends == Ends::Undirected));
        }
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &damaged).unwrap();
            let found = read::<f32>(&path, 0).unwrap();
            let before = usize::from(bit / 8 >= HEADER + records[0].len());
            assert_eq!(found.as_ref().map_or(0, |c| c.records.len()), before, "bit {bit}");
            // A whole record behind the damage says that nothing was torn here.
            let is_damaged = (HEADER..HEADER + records[0].len()).contains(&(bit / 8));
            assert_eq!(found.is_some_and(|c| c.is_damaged), is_damaged, "bit {bit}");
        }
        std::fs::write(&path, &whole).unwrap();
        let read = read::<f32>(&path, 0).unwrap().unwrap();
        assert_eq!((read.records[0].batch.clone(), read.records[0].vertices, read.records[1].number), (batch(), 5, 2));
        assert_eq!((read.place, read.records[1].place), (Place::default(), place));
    }
}
