//! The words of a dump, with the numbers of their lines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::{MineError, Result};

/// The longest line.
const MOST_LINE: u64 = 1 << 20;

/// A token as it is shown in a message.
pub fn shown(token: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&token[..token.len().min(MOST)]).into_owned();
    if token.len() > MOST { format!("`{text}...`") } else { format!("`{text}`") }
}

/// Words of a file, with the number of the line.
pub struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    buffer: Vec<u8>,
    at: usize,
    /// The number of the current line.
    pub line: u64,
}

impl Reader {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Reader> {
        let file = File::open(path).map_err(|source| MineError::read(path, source))?;
        Ok(Reader {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 20, file),
            buffer: Vec::new(),
            at: 0,
            line: 0,
        })
    }

    /// An error at the current line.
    pub fn error(&self, message: String) -> MineError {
        MineError::line(&self.path, self.line, message)
    }

    /// The next word.
    pub fn token(&mut self) -> Result<Option<&[u8]>> {
        loop {
            let start = self.buffer[self.at..].iter().position(|byte| !byte.is_ascii_whitespace());
            if let Some(start) = start.map(|start| self.at + start) {
                let length = self.buffer[start..].iter().position(u8::is_ascii_whitespace);
                let end = length.map_or(self.buffer.len(), |length| start + length);
                self.at = end;
                return Ok(Some(&self.buffer[start..end]));
            }
            self.buffer.clear();
            self.at = 0;
            let mut limited = std::io::Read::take(&mut self.input, MOST_LINE);
            let read = limited.read_until(b'\n', &mut self.buffer);
            if read.map_err(|source| MineError::read(&self.path, source))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if self.buffer.len() as u64 == MOST_LINE {
                return Err(self.error("this line is too long: is the file a VCD?".to_owned()));
            }
        }
    }

    /// The words up to `$end`.
    pub fn words_to_end(&mut self) -> Result<Vec<String>> {
        let mut words = Vec::new();
        loop {
            match self.token()? {
                None => return Err(self.error("the file ends where $end is expected".to_owned())),
                Some(b"$end") => return Ok(words),
                Some(word) => words.push(String::from_utf8_lossy(word).into_owned()),
            }
        }
    }

    /// Goes on behind `$end`.
    pub fn skip_to_end(&mut self) -> Result<()> {
        self.words_to_end().map(drop)
    }
}
