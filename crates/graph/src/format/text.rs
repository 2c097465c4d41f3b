//! Text files: a header read line by line, then the rest in parallel, block by block, with line numbers for errors.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::input::{Block, Blocks, Input};
use crate::parallel;
use crate::progress::Progress;
use crate::text_file::BYTE_ORDER_MARK;
use crate::{GraphError, Result, memory};

/// What is wrong in a block of text, and where in it.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Byte position in the block.
    pub(crate) at: usize,
    pub(crate) message: String,
    /// The fault is an id too large for the integer type asked for.
    pub(crate) id_too_large: bool,
}

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Fault { at, message: message.into(), id_too_large: false }
    }
}

/// A text file being read.
pub(crate) struct Text<'a> {
    path: &'a Path,
    progress: &'a dyn Progress,
    blocks: Blocks,
    current: Option<Block>,
    /// Start of the next line in the current block.
    at: usize,
    /// Number of that line, from 1.
    line: u64,
}

/// The results of parsing all blocks, in file order.
pub(crate) struct Parsed<T> {
    pub(crate) blocks: Vec<T>,
    /// Line number at which each block starts.
    pub(crate) first_lines: Vec<u64>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(input: Input, path: &'a Path, progress: &'a dyn Progress) -> Result<Self> {
        let mut blocks = input.blocks()?;
        let current = blocks.next().transpose()?;
        if current.is_none() {
            return Err(GraphError::file(path, "the file is empty"));
        }
        let marked = current.as_ref().is_some_and(|block| block.bytes.starts_with(BYTE_ORDER_MARK.as_bytes()));
        let at = if marked { BYTE_ORDER_MARK.len() } else { 0 };
        Ok(Text { path, progress, blocks, current, at, line: 1 })
    }

    /// Number of the next line, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The next line without its end, still there for the next call.
    pub(crate) fn peek_line(&mut self) -> Result<Option<&[u8]>> {
        while self.current.as_ref().is_some_and(|block| self.at >= block.bytes.len()) {
            self.next_block()?;
        }
        Ok(self.current.as_ref().map(|block| {
            let rest = &block.bytes[self.at..];
            rest[..line_length(rest)].trim_ascii_end()
        }))
    }

    /// Moves behind the line last peeked at.
    pub(crate) fn skip_line(&mut self) {
        if let Some(block) = &self.current {
            self.at += line_length(&block.bytes[self.at..]);
            self.line += 1;
        }
    }

    fn next_block(&mut self) -> Result<()> {
        if let Some(block) = &self.current {
            self.progress.advance(block.read);
        }
        self.current = self.blocks.next().transpose()?;
        self.at = 0;
        Ok(())
    }

    /// The first line that is neither blank nor begins with one of `comments`, not yet skipped.
    pub(crate) fn peek_data_line(&mut self, comments: &[u8]) -> Result<Option<&[u8]>> {
        while let Some(line) = self.peek_line()? {
            match line.trim_ascii_start().first() {
                Some(first) if !comments.contains(first) => return self.peek_line(),
                _ => self.skip_line(),
            }
        }
        Ok(None)
    }

    /// Parses the lines not yet skipped, in parallel. The first fault in file order becomes the error.
    pub(crate) fn parse<T: Send>(self, parse: impl Fn(&[u8]) -> Result<T, Fault> + Sync) -> Result<Parsed<T>> {
        let Text { path, progress, blocks, current, at, line } = self;
        let pending = current.map(|block| (block, at));
        let queue = Mutex::new(Queue { path, blocks, pending, index: 0, unchecked: 0, failed: false });
        let done = Mutex::new(Vec::new());
        parallel::each(rayon::current_num_threads(), &|_| {
            loop {
                // Not in a `while let`: the queue must be free again while the block is parsed.
                let next = lock(&queue).next();
                let Some((index, block)) = next else { break };
                let item = block.map_err(Failure::Whole).and_then(|(block, skipped)| {
                    let bytes = &block.bytes[skipped..];
                    let parsed = parse(bytes).map_err(|f| Failure::At(lines_in(&bytes[..f.at]), f.message))?;
                    progress.advance(block.read);
                    Ok((parsed, lines_in(bytes)))
                });
                if item.is_err() {
                    lock(&queue).failed = true;
                }
                lock(&done).push((index, item));
            }
        });

        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|&(index, _)| index);
        let mut parsed = Parsed { blocks: Vec::with_capacity(done.len()), first_lines: Vec::with_capacity(done.len()) };
        let mut line = line;
        for (_, item) in done {
            match item {
                Ok((block, lines)) => {
                    parsed.blocks.push(block);
                    parsed.first_lines.push(line);
                    line += lines;
                }
                Err(Failure::Whole(error)) => return Err(error),
                Err(Failure::At(lines, message)) => return Err(GraphError::text(path, line + lines, message)),
            }
        }
        Ok(parsed)
    }
}

/// Hands out blocks in order; once one has failed, no more.
struct Queue<'a> {
    path: &'a Path,
    blocks: Blocks,
    /// The block in which the header ended, and where.
    pending: Option<(Block, usize)>,
    index: usize,
    /// Bytes handed out since memory was last looked at.
    unchecked: usize,
    failed: bool,
}

/// Bytes of text that are handed out before memory is looked at again. Edges of this much text take a few times as
/// much.
const MEMORY_STEP: usize = 16 << 20;

enum Failure {
    Whole(GraphError),
    /// Lines before the fault in its block, and the message.
    At(u64, String),
}

impl Queue<'_> {
    fn next(&mut self) -> Option<(usize, Result<(Block, usize)>)> {
        if self.failed {
            return None;
        }
        let block = match self.pending.take() {
            Some(pending) => Ok(pending),
            None => self.blocks.next()?.map(|block| (block, 0)),
        };
        self.index += 1;
        Some((self.index, block.and_then(|block| self.within_memory(block))))
    }

    /// The block, as long as there is memory for what becomes of it: a pipe may never end.
    fn within_memory(&mut self, (block, skipped): (Block, usize)) -> Result<(Block, usize)> {
        self.unchecked += block.bytes.len();
        if self.unchecked >= MEMORY_STEP {
            self.unchecked = 0;
            let more = 4 * MEMORY_STEP as u64;
            memory::allow_more(more, format_args!("the next part of {}", self.path.display()))?;
        }
        Ok((block, skipped))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Length of the first line with its end.
fn line_length(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |newline| newline + 1)
}

/// Number of line ends.
pub(crate) fn lines_in(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
