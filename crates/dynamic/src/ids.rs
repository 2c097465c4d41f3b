//! Original ids of vertices on disk: a file beside every checkpoint, and the new ones in the records of a log.
//!
//! The file has its magic, the kind of the ids, their number, the ids as texts, each behind its length, and a checksum
//! of all that.

use std::path::Path;

use gw_graph::{Name, Names, format};

use crate::{DynamicError, Result};

const MAGIC: &[u8; 7] = b"gw-ids ";
const TEXTS: u8 = b't';
const SIGNED: u8 = b'i';
const UNSIGNED: u8 = b'u';
/// Magic, kind, number of ids.
const HEADER: usize = 16;

/// Appends an id behind its length.
pub(crate) fn push(bytes: &mut Vec<u8>, id: Name<'_>) {
    let mut push = |text: &str| {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    match id {
        Name::Text(text) => push(text),
        number => push(&number.to_string()),
    }
}

/// Takes an id from the beginning of bytes; `None` where there is none.
pub(crate) fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

/// Writes ids to a file, which appears complete or not at all.
pub(crate) fn write(path: &Path, names: &Names) -> Result<()> {
    let mut bytes = Vec::with_capacity(HEADER + names.bytes());
    bytes.extend(MAGIC);
    bytes.push(match names.is_text() {
        true => TEXTS,
        false if names.is_signed() => SIGNED,
        false => UNSIGNED,
    });
    bytes.extend((names.len() as u64).to_le_bytes());
    names.iter().for_each(|id| push(&mut bytes, id));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    format::write_file(path, &bytes)?;
    Ok(())
}

/// Reads the ids of such a file.
pub(crate) fn read(path: &Path) -> Result<Names> {
    let bytes = std::fs::read(path).map_err(|e| DynamicError::io("read", path, e))?;
    let damaged = || gw_graph::GraphError::file(path, "the file of ids is damaged: its checksum does not fit");
    decode(&bytes).ok_or_else(|| damaged().into())
}

fn decode(bytes: &[u8]) -> Option<Names> {
    let (content, checksum) = bytes.split_last_chunk()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) || !content.starts_with(MAGIC) {
        return None;
    }
    let (header, mut rest) = content.split_at_checked(HEADER)?;
    let count = u64::from_le_bytes(header[8..].try_into().ok()?);
    let mut texts = Vec::new();
    for _ in 0..count {
        texts.push(take(&mut rest)?);
    }
    let names = match header[7] {
        TEXTS => Names::from_texts(texts),
        SIGNED => Names::from_signed(texts.into_iter().map(|id| id.parse().ok()).collect::<Option<_>>()?),
        UNSIGNED => Names::from_unsigned(texts.into_iter().map(|id| id.parse().ok()).collect::<Option<_>>()?),
        _ => return None,
    };
    rest.is_empty().then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids");
        for names in [
            Names::from_texts(["a", "", "änne\nb", "7"]),
            Names::from_signed(vec![-5, i64::MIN, 7]),
            Names::from_unsigned(vec![u64::MAX, 0]),
            Names::from_texts([]),
        ] {
            write(&path, &names).unwrap();
            assert_eq!(read(&path).unwrap(), names);
            let whole = std::fs::read(&path).unwrap();
            for cut in 0..whole.len() {
                assert!(decode(&whole[..cut]).is_none());
            }
            for bit in 0..whole.len() * 8 {
                let mut damaged = whole.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(decode(&damaged).is_none(), "bit {bit}");
            }
        }
    }
}
