//! Opening files: memory-mapped when plain, decompressed by a thread of its own otherwise.
//!
//! Text arrives in blocks of whole lines. A mapped file is cut where it lies; a compressed one is unpacked ahead of
//! the parser, which works on earlier blocks meanwhile.

use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::Compression;
use crate::text_file::is_device;
use crate::{GraphError, MappedFile, Result, memory};

/// Largest block of a mapped file.
const MAX_BLOCK: usize = 4 << 20;
const MIN_BLOCK: usize = 64 << 10;
/// Block of unpacked text.
const STREAM_BLOCK: usize = 1 << 20;
/// A longer line in a stream is taken for garbage. A METIS hub with 10^8 neighbours still fits.
const MAX_LINE: usize = 1 << 30;
/// Bytes that are unpacked before memory is looked at again.
const READ_STEP: u64 = 64 << 20;
/// Largest match distance accepted in `.zst`: 128 MiB, as `zstd --long=27` writes.
const ZSTD_WINDOW_LOG: u32 = 27;

/// An open file.
pub(crate) struct Input {
    path: PathBuf,
    compression: Compression,
    file: File,
    /// The first bytes of a pipe, which were read to see what comes through it.
    begun: Vec<u8>,
    /// Size on disk; 0 for pipes.
    size: u64,
    regular: bool,
}

/// Bytes of a file that are looked at to find what it is.
const HEAD: u64 = 256;

impl Input {
    /// Opens `path`, which must not be a directory or an empty file.
    pub(crate) fn open(path: &Path, compression: Compression) -> Result<Input> {
        let io = |e| GraphError::io("read", path, e);
        let metadata = std::fs::metadata(path).map_err(io)?;
        if metadata.is_dir() {
            return Err(GraphError::file(path, "is a directory, not a graph file"));
        }
        let regular = metadata.is_file();
        if is_device(&metadata) {
            return Err(GraphError::file(path, "is a device, not a graph: give a file or a pipe"));
        }
        if regular && metadata.len() == 0 {
            return Err(GraphError::file(path, "the file is empty"));
        }
        let mut file = File::open(path).map_err(io)?;
        let (mut begun, mut compression) = (Vec::new(), compression);
        if !regular {
            file.by_ref().take(HEAD).read_to_end(&mut begun).map_err(io)?;
            if begun.is_empty() {
                return Err(GraphError::file(path, "nothing came through this pipe: the graph is empty"));
            }
            // A pipe has no name that would tell.
            compression = Compression::of_content(&begun).unwrap_or(compression);
        }
        Ok(Input { path: path.to_path_buf(), compression, file, begun, size: metadata.len(), regular })
    }

    /// True for a file on disk, false for a pipe.
    pub(crate) fn is_regular(&self) -> bool {
        self.regular
    }

    /// Bytes on disk.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The first bytes of the content, without moving what [`Input::blocks`] gives.
    pub(crate) fn head(&self) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let failed = |e| GraphError::io("read", &self.path, e);
        let reader = match self.regular {
            true => unpacked(File::open(&self.path).map_err(failed)?, self.compression),
            false => unpacked(io::Cursor::new(self.begun.clone()), self.compression),
        };
        // Damage is reported by the reader proper.
        let _ = reader.map_err(failed)?.take(HEAD).read_to_end(&mut head);
        Ok(head)
    }

    fn is_mappable(&self) -> bool {
        self.regular && self.compression == Compression::Plain
    }

    fn map(&self) -> Result<Arc<MappedFile>> {
        MappedFile::open(&self.file, &self.path).map_err(|e| GraphError::io("map", &self.path, e))
    }

    /// The whole content, mapped or unpacked into memory.
    pub(crate) fn bytes(self) -> Result<Bytes> {
        self.bytes_by_header(0, |_| Ok(u64::MAX))
    }

    /// The content of a format whose first `header` bytes tell the size of all: `size` gets as many of them as there
    /// are. A stream that goes on is left after one byte more, so that a small file cannot unpack to anything; a map is
    /// whole.
    pub(crate) fn bytes_by_header(self, header: u64, size: impl FnOnce(&[u8]) -> Result<u64>) -> Result<Bytes> {
        if self.is_mappable() {
            let map = self.map()?;
            let all = 0..map.len();
            return Ok(Bytes::Mapped(map, all));
        }
        let packed = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: io::Cursor::new(self.begun).chain(self.file), count: Arc::clone(&packed) };
        let failed = |e| damaged(&self.path, self.compression, packed.load(Ordering::Relaxed), e);
        let mut reader = unpacked(counted, self.compression).map_err(failed)?;
        let mut bytes = Vec::new();
        reader.by_ref().take(header).read_to_end(&mut bytes).map_err(failed)?;
        let empty = || GraphError::file(&self.path, "the file is empty");
        if header > 0 && bytes.is_empty() {
            return Err(empty());
        }
        let limit = size(&bytes)?.saturating_add(1);
        // Memory is asked for step by step: a header's word is no reason to allocate.
        while (bytes.len() as u64) < limit {
            let step = (limit - bytes.len() as u64).min(READ_STEP);
            memory::allow_more(step, format_args!("the content of {}", self.path.display()))?;
            bytes.reserve_exact(step as usize);
            if reader.by_ref().take(step).read_to_end(&mut bytes).map_err(failed)? < step as usize {
                break;
            }
        }
        if bytes.is_empty() {
            return Err(empty());
        }
        Ok(Bytes::Owned(bytes))
    }

    /// The content as blocks of whole lines.
    pub(crate) fn blocks(self) -> Result<Blocks> {
        if self.is_mappable() {
            let map = self.map()?;
            map.will_be_read_in_order();
            let block = (map.len() / (8 * rayon::current_num_threads())).clamp(MIN_BLOCK, MAX_BLOCK);
            return Ok(Blocks::Map { map, next: 0, block });
        }
        let (sender, receiver) = sync_channel(2 * rayon::current_num_threads());
        std::thread::Builder::new()
            .name("unpack".into())
            .spawn(move || {
                let packed = Arc::new(AtomicU64::new(0));
                let counted =
                    Counted { inner: io::Cursor::new(self.begun).chain(self.file), count: Arc::clone(&packed) };
                let failed = |e| damaged(&self.path, self.compression, packed.load(Ordering::Relaxed), e);
                let sent = unpacked(counted, self.compression)
                    .map_err(failed)
                    .and_then(|reader| send_blocks(reader, &self.path, &packed, &sender, failed));
                if let Err(error) = sent {
                    // Nobody listens any more when the parser has already failed.
                    let _ = sender.send(Err(error));
                }
            })
            .map_err(|e| GraphError::Usage(format!("cannot start a thread: {e}")))?;
        Ok(Blocks::Stream(receiver))
    }
}

fn unpacked<R: Read + Send + 'static>(file: R, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::Plain => Box::new(file),
        Compression::Gzip => {
            Box::new(flate2::bufread::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 17, file)))
        }
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(file)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
    })
}

fn damaged(path: &Path, compression: Compression, offset: u64, error: io::Error) -> GraphError {
    let kind = match compression {
        Compression::Plain => return GraphError::io("read", path, error),
        Compression::Gzip => "gzip",
        Compression::Zstd => "zstd",
    };
    GraphError::binary(path, offset, format!("the {kind} data are damaged or cut short: {error}"))
}

/// Cuts what `reader` gives into blocks that end with a line.
fn send_blocks(
    mut reader: impl Read,
    path: &Path,
    packed: &AtomicU64,
    sender: &SyncSender<Result<Block>>,
    failed: impl Fn(io::Error) -> GraphError,
) -> Result<()> {
    let mut reported = 0;
    let mut carried = Vec::new();
    loop {
        let mut buffer = std::mem::take(&mut carried);
        let known = buffer.len();
        let room = STREAM_BLOCK.saturating_sub(known).max(STREAM_BLOCK / 2) + known / 2;
        memory::allow(room as u64, format_args!("a line of {}", path.display()))?;
        buffer.reserve_exact(room);
        let got = reader.by_ref().take(room as u64).read_to_end(&mut buffer).map_err(&failed)?;
        let end = match memchr::memrchr(b'\n', &buffer[known..]) {
            _ if got == 0 => buffer.len(),
            Some(newline) => known + newline + 1,
            None if buffer.len() > MAX_LINE => {
                return Err(GraphError::file(path, "a line is longer than 1 GiB: this is no graph"));
            }
            None => {
                carried = buffer;
                continue;
            }
        };
        carried.extend_from_slice(&buffer[end..]);
        buffer.truncate(end);
        let total = packed.load(Ordering::Relaxed);
        if !buffer.is_empty() {
            let block = Block { bytes: Bytes::Owned(buffer), read: total - reported };
            reported = total;
            if sender.send(Ok(block)).is_err() {
                return Ok(());
            }
        }
        if got == 0 {
            return Ok(());
        }
    }
}

/// A reader that counts what passes.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.count.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// Bytes of a file.
pub(crate) enum Bytes {
    /// A window of a mapped file.
    Mapped(Arc<MappedFile>, Range<usize>),
    /// Unpacked bytes.
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map, window) => &map[window.clone()],
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// A run of whole lines.
pub(crate) struct Block {
    pub(crate) bytes: Bytes,
    /// How many bytes of the file on disk were used up for it.
    pub(crate) read: u64,
}

/// The blocks of a file, in order.
pub(crate) enum Blocks {
    Map { map: Arc<MappedFile>, next: usize, block: usize },
    Stream(Receiver<Result<Block>>),
}

impl Iterator for Blocks {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        match self {
            Blocks::Stream(receiver) => receiver.recv().ok(),
            Blocks::Map { map, next, block } => {
                let begin = *next;
                if begin >= map.len() {
                    return None;
                }
                let reach = begin.saturating_add(*block).min(map.len());
                let end = memchr::memchr(b'\n', &map[reach - 1..]).map_or(map.len(), |newline| reach + newline);
                *next = end;
                Some(Ok(Block { bytes: Bytes::Mapped(Arc::clone(map), begin..end), read: (end - begin) as u64 }))
            }
        }
    }
}
