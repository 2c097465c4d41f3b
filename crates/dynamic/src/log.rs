//! Batches as records of a file: length, checksum, number, contents.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use gw_graph::{Name, WeightKind};

use crate::batch::{Batch, Change, OnRepeat};
use crate::graph::Ends;
use crate::ids;
use crate::updates::Place;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

const MAGIC: &[u8; 8] = b"gw-log 1";
/// The same of a graph whose vertices have ids: records bring the new ones.
const MAGIC_OF_IDS: &[u8; 8] = b"gw-log 2";
/// Magic, kind of weights, ends, place, checksum of these 26 bytes.
const HEADER: usize = 30;
/// Length, checksum, number.
const FRAME: usize = 16;
/// What stands before the changes: vertices, place, what repeated edges do.
const PREFIX: usize = 25;
/// The most bytes of a record, whose length has 32 bits.
pub(crate) const MOST: usize = u32::MAX as usize;
/// Bytes of a change: source, target, tag, weight. Edges without weights have the room of a weight of 32 bits.
const fn change_bytes<W: EdgeWeight>() -> usize {
    9 + 4 * if W::WORDS > 1 { W::WORDS } else { 1 }
}

fn kind_byte(kind: WeightKind) -> u8 {
    match kind {
        WeightKind::None => 0,
        WeightKind::Int => 1,
        WeightKind::Float => 2,
        WeightKind::Int64 => 3,
        WeightKind::Double => 4,
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
    /// The ids of vertices that the batch brought.
    pub(crate) ids: Vec<String>,
}

/// What a log holds, up to its first byte that is not in order.
pub(crate) struct LogContents<W> {
    pub(crate) kind: WeightKind,
    pub(crate) ends: Ends,
    /// The vertices have ids.
    pub(crate) has_ids: bool,
    /// How far the source of changes was read before the log.
    pub(crate) place: Place,
    pub(crate) records: Vec<Record<W>>,
    /// Bytes in order.
    pub(crate) good: u64,
    /// Bytes behind them, which are no whole record.
    pub(crate) left_out: u64,
    /// What these bytes are.
    pub(crate) tail: Tail,
    /// A whole record follows the bytes that are not in order, so that these were whole once.
    pub(crate) is_damaged: bool,
}

/// What the bytes behind the last record in order are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// The beginning of a record. A process that is killed leaves that, and nothing else: records are appended.
    Torn,
    /// As many bytes as the record says it has, or more, or a record with a wrong length, which has its checksum.
    Damaged,
}

/// Whether a file is a log in order without a batch.
pub(crate) fn is_empty(path: &Path) -> bool {
    let is_short = std::fs::metadata(path).is_ok_and(|file| file.len() == HEADER as u64);
    is_short && std::fs::read(path).is_ok_and(|bytes| read_header(&bytes).is_some())
}

/// The first bytes of a log.
pub(crate) fn header<W: EdgeWeight>(ends: Ends, has_ids: bool, place: Place) -> Vec<u8> {
    let mut bytes = if has_ids { MAGIC_OF_IDS } else { MAGIC }.to_vec();
    bytes.push(kind_byte(W::KIND));
    bytes.push(ENDS.iter().position(|&e| e == ends).unwrap_or(0) as u8);
    bytes.extend(bytes_of(place));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Writes a record and waits until the disk has it.
pub(crate) fn append(file: &mut File, path: &Path, record: &[u8]) -> Result<()> {
    let failed = |e| DynamicError::io("write", path, e);
    let before = file.metadata().map_err(failed)?.len();
    file.write_all(record).and_then(|()| file.sync_data()).map_err(|cause| {
        // What follows must not stand behind half a record. If this fails too, the next append fails as well.
        let _ = file.set_len(before);
        failed(cause)
    })
}

/// A record: its length, checksum and number, then the number of vertices, the place, what repeated edges do, new ids
/// where vertices have ids, and the changes. `None` where it is too long.
pub(crate) fn encode<W: EdgeWeight>(
    number: u64,
    vertices: usize,
    place: Place,
    batch: &Batch<W>,
    ids: Option<&[Name<'_>]>,
) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(PREFIX + batch.len() * change_bytes::<W>());
    body.extend((vertices as u64).to_le_bytes());
    body.extend(bytes_of(place));
    body.push(REPEATS.iter().position(|&r| r == batch.repeats()).unwrap_or(0) as u8);
    if let Some(ids) = ids {
        body.extend((ids.len() as u32).to_le_bytes());
        ids.iter().for_each(|id| ids::push(&mut body, *id));
    }
    for &(source, target, change) in batch.changes() {
        let (tag, weight) = match change {
            Change::Insert(weight) => (1, weight.bits().unwrap_or(0)),
            Change::Delete => (0, 0),
        };
        body.extend(source.to_le_bytes());
        body.extend(target.to_le_bytes());
        body.push(tag);
        body.extend(&weight.to_le_bytes()[..change_bytes::<W>() - 9]);
    }
    let length = u32::try_from(body.len()).ok()?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&number.to_le_bytes());
    checksum.update(&body);
    let mut record = Vec::with_capacity(FRAME + body.len());
    record.extend(length.to_le_bytes());
    record.extend(checksum.finalize().to_le_bytes());
    record.extend(number.to_le_bytes());
    record.extend(body);
    Some(record)
}

/// Reads the log that follows batch `base`. A record that is not whole ends it; `None` where not even the header is.
pub(crate) fn read<W: EdgeWeight>(path: &Path, base: u64) -> Result<Option<LogContents<W>>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|e| DynamicError::io("read", path, e))?;
    let Some((kind, ends, has_ids, place)) = read_header(&bytes) else { return Ok(None) };
    let (records, good, left_out, tail) = (Vec::new(), HEADER as u64, 0, Tail::Torn);
    let mut contents = LogContents { kind, ends, has_ids, place, records, good, left_out, tail, is_damaged: false };
    let mut at = HEADER;
    while kind == W::KIND
        && let Some((record, length)) = decode(&bytes[at..], has_ids)
    {
        contents.records.push(record);
        at += length;
    }
    (contents.good, contents.left_out, contents.tail) = (at as u64, (bytes.len() - at) as u64, tail_of(&bytes[at..]));
    if kind == W::KIND && contents.left_out > 0 {
        let last = contents.records.last().map_or(base, |record| record.number);
        let is_later = |number: u64| number > last + 1 && number < last + 1 + contents.left_out;
        contents.is_damaged = (at + 1..bytes.len().saturating_sub(FRAME)).any(|at| {
            let number = bytes[at + 8..at + 16].try_into().map_or(0, u64::from_le_bytes);
            is_later(number) && decode::<W>(&bytes[at..], has_ids).is_some()
        });
    }
    Ok(Some(contents))
}

/// What bytes are that are no whole record.
fn tail_of(bytes: &[u8]) -> Tail {
    let Some((frame, body)) = bytes.split_at_checked(FRAME) else { return Tail::Torn };
    let word = |at: usize| frame[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let (length, checksum) = (word(0) as usize, word(4));
    if body.len() >= length || crc32fast::hash(&bytes[8..]) == checksum { Tail::Damaged } else { Tail::Torn }
}

fn read_header(bytes: &[u8]) -> Option<(WeightKind, Ends, bool, Place)> {
    let header = bytes.get(..HEADER)?;
    let (words, checksum) = header.split_at(HEADER - 4);
    let has_ids = words.starts_with(MAGIC_OF_IDS);
    if !(has_ids || words.starts_with(MAGIC)) || crc32fast::hash(words).to_le_bytes() != *checksum {
        return None;
    }
    const KINDS: [WeightKind; 5] =
        [WeightKind::None, WeightKind::Int, WeightKind::Float, WeightKind::Int64, WeightKind::Double];
    let kind = *KINDS.get(usize::from(words[8]))?;
    let place = place_from(&words[10..26])?;
    Some((kind, *ENDS.get(usize::from(words[9]))?, has_ids, place))
}

/// A record and its length; `None` where the bytes are not a whole one.
fn decode<W: EdgeWeight>(bytes: &[u8], has_ids: bool) -> Option<(Record<W>, usize)> {
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
    let (mut new, mut rest) = (Vec::new(), &body[PREFIX..]);
    if has_ids {
        let (count, behind) = rest.split_first_chunk()?;
        rest = behind;
        for _ in 0..u32::from_le_bytes(*count) {
            new.push(ids::take(&mut rest)?.to_string());
        }
    }
    for change in rest.chunks(change_bytes::<W>()) {
        let word = |at: usize| Some(u32::from_le_bytes(change.get(at..at + 4)?.try_into().ok()?));
        let (source, target, low) = (word(0)?, word(4)?, word(9)?);
        let high = if W::WORDS > 1 { word(13)? } else { 0 };
        let change = if change[8] == 1 { Change::Insert(W::take(&[low, high])) } else { Change::Delete };
        batch.push(source, target, change);
    }
    Some((Record { number, vertices, place, batch, ids: new }, FRAME + length))
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
        let whole = |number, vertices, batch: &Batch<f32>| encode(number, vertices, place, batch, None).unwrap();
        let records = [whole(1, 5, &batch()), whole(2, 9, &Batch::new())];
        let whole = [header::<f32>(Ends::Undirected, false, Place::default()), records.concat()].concat();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let contents = read::<f32>(&path, 0).unwrap();
            let expected = match cut {
                0..HEADER => None,
                _ => Some(usize::from(cut >= HEADER + records[0].len()) + usize::from(cut == whole.len())),
            };
            assert_eq!(contents.as_ref().map(|c| c.records.len()), expected, "{cut} bytes");
            assert!(contents.is_none_or(|c| {
                let is_cut = c.left_out == 0 || c.tail == Tail::Torn;
                c.good + c.left_out == cut as u64 && c.ends == Ends::Undirected && is_cut
            }));
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
            assert_eq!(found.as_ref().is_some_and(|c| c.is_damaged), is_damaged, "bit {bit}");
            // No bit of the last record makes it one that was not written to its end.
            assert!(before == 0 || found.is_some_and(|c| c.tail == Tail::Damaged), "bit {bit}");
        }
        std::fs::write(&path, &whole).unwrap();
        let read = read::<f32>(&path, 0).unwrap().unwrap();
        assert_eq!((read.records[0].batch.clone(), read.records[0].vertices, read.records[1].number), (batch(), 5, 2));
        assert_eq!((read.place, read.records[1].place), (Place::default(), place));
    }

    /// The same where records bring ids, some of which are long or empty.
    #[test]
    fn records_with_ids_are_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let ids = ["", "ann smith", "änne", "-7"].map(Name::Text);
        let record = encode(4, 5, Place::default(), &batch(), Some(&ids)).unwrap();
        let whole = [header::<f32>(Ends::Directed, true, Place::default()), record].concat();
        for cut in HEADER..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let contents = read::<f32>(&path, 3).unwrap().unwrap();
            assert!(contents.has_ids && contents.records.len() == usize::from(cut == whole.len()), "{cut} bytes");
        }
        let read = read::<f32>(&path, 3).unwrap().unwrap();
        assert_eq!(read.records[0].ids, ids.map(|id| id.to_string()));
        assert_eq!(read.records[0].batch, batch());
        // Ids by the word of a record that has none, with the right checksum: no panic, no record.
        for body in [vec![0; PREFIX], [vec![0; PREFIX], vec![255; 4]].concat()] {
            let checksum = crc32fast::hash(&[&4u64.to_le_bytes()[..], &body].concat());
            let frame = [&(body.len() as u32).to_le_bytes()[..], &checksum.to_le_bytes(), &4u64.to_le_bytes(), &body];
            assert!(decode::<f32>(&frame.concat(), true).is_none());
        }
    }
}
