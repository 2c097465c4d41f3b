//! Source text and positions in it: the file being compiled and byte spans into it.

use std::fmt;

/// A half-open byte range into a [`SourceFile`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The empty span just behind this one, where something is missing.
    pub fn after(self) -> Span {
        Span::new(self.end, self.end)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A named piece of source text: a `.gt` program or a schedule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Name shown in diagnostics, usually the path.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// A source file with the name shown in diagnostics and its text.
    ///
    /// ```
    /// let file = gw_lang::SourceFile::new("tiny.gt", "func main()\nend\n");
    /// assert_eq!(file.line_column(12), (2, 1));
    /// ```
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }
}
