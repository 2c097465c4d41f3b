//! Lines of a text, and rows of a table, which may go over several lines.

use std::io::{BufRead, Read};
use std::path::Path;

use crate::{DynamicError, Result};

/// The longest line in bytes: a change takes less than a hundred.
const LONGEST: usize = 4096;
/// The longest row of a table, which may have columns that are not looked at.
const LONGEST_ROW: usize = 1 << 20;

/// Reads record by record.
pub(super) struct Records<R> {
    reader: R,
    /// For messages.
    pub(super) name: String,
    is_table: bool,
    /// Lines that begin with one of these letters are comments.
    pub(super) comments: &'static [u8],
    /// The number of the line at which the last record begins, from 1.
    pub(super) line: u64,
    /// Lines so far.
    lines: u64,
    record: Vec<u8>,
    /// The next record is the last one once more.
    pub(super) again: bool,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(reader: R, name: String, is_table: bool, comments: &'static [u8]) -> Self {
        Records { reader, name, is_table, comments, line: 0, lines: 0, record: Vec::new(), again: false }
    }

    /// Goes to the next record that is neither empty nor a comment; false at the end. `is_open` tells whether a record
    /// goes on in the next line.
    pub(super) fn next(&mut self, is_open: impl Fn(&str) -> bool) -> Result<bool> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        loop {
            self.record.clear();
            if !self.read_line()? {
                return Ok(false);
            }
            self.line = self.lines;
            let text = self.record.trim_ascii();
            if text.first().is_none_or(|letter| self.comments.contains(letter)) {
                continue;
            }
            while self.text().is_ok_and(&is_open) && self.read_line()? {}
            return Ok(true);
        }
    }

    /// The bytes of the record, with its line end.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.record
    }

    /// The record as a text.
    pub(super) fn text(&self) -> std::result::Result<&str, String> {
        let text = std::str::from_utf8(&self.record);
        let text = text.map_err(|_| "the text is not UTF-8; convert the file, for example with iconv".to_string())?;
        Ok(if self.line == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text })
    }

    /// Appends a line to the record; false at the end of the text.
    fn read_line(&mut self) -> Result<bool> {
        let longest = if self.is_table { LONGEST_ROW } else { LONGEST };
        let before = self.record.len();
        let room = (longest - before.min(longest)) as u64;
        let read = self.reader.by_ref().take(room).read_until(b'\n', &mut self.record);
        let read = read.map_err(|cause| DynamicError::io("read", Path::new(&self.name), cause))?;
        self.lines += u64::from(read > 0);
        if self.record.len() >= longest && !self.record.ends_with(b"\n") {
            let line = if before == 0 { self.lines } else { self.line };
            return Err(DynamicError::LongLine { name: self.name.clone(), line, longest });
        }
        Ok(read > 0)
    }
}
