//! A file that several threads read at once, each at its own place.
//!
//! The file handles of the crate `parquet` share one position: two row groups that are read at the same time would
//! take each other's bytes. Here every read names its place.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// A file without a position of its own, or what came through a pipe.
pub(super) struct PositionedFile {
    content: Content,
    size: u64,
}

#[derive(Clone)]
enum Content {
    File(Arc<File>),
    Memory(Bytes),
}

impl PositionedFile {
    /// The file as long as it is now.
    pub fn new(file: File) -> io::Result<PositionedFile> {
        let size = file.metadata()?.len();
        Ok(PositionedFile { content: Content::File(Arc::new(file)), size })
    }

    /// The content of a file that is in memory.
    pub fn in_memory(bytes: Vec<u8>) -> PositionedFile {
        PositionedFile { size: bytes.len() as u64, content: Content::Memory(bytes.into()) }
    }

    fn from(&self, place: u64) -> FromPlace {
        FromPlace { content: self.content.clone(), place }
    }
}

impl Length for PositionedFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for PositionedFile {
    type T = BufReader<FromPlace>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // A damaged file may name any length: no more memory is asked for than the file has bytes.
        let there = usize::try_from(self.size.saturating_sub(start)).unwrap_or(usize::MAX);
        if length > there {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = vec![0; length];
        self.from(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a place.
pub(super) struct FromPlace {
    content: Content,
    place: u64,
}

impl Read for FromPlace {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &self.content {
            #[cfg(unix)]
            Content::File(file) => std::os::unix::fs::FileExt::read_at(&**file, buffer, self.place)?,
            #[cfg(windows)]
            Content::File(file) => std::os::windows::fs::FileExt::seek_read(&**file, buffer, self.place)?,
            Content::Memory(bytes) => {
                let place = usize::try_from(self.place).unwrap_or(usize::MAX).min(bytes.len());
                (&bytes[place..]).read(buffer)?
            }
        };
        self.place += read as u64;
        Ok(read)
    }
}
