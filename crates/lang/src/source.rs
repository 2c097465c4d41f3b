//! Source text and positions in it: the program being compiled and byte spans into it.

use crate::diagnostic::Diagnostic;
use crate::modules::{self, Files, NoFiles, Origin};
use crate::types::Scalar;
use std::fmt;
use std::sync::Arc;

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
///
/// A program of several files is one text as well: `text` has the declarations of all files, and the source file
/// knows from which file each of its bytes comes. Whatever is keyed by the text thereby depends on all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Name shown in diagnostics, usually the path.
    pub name: String,
    /// The whole text, compiled as it stands.
    pub text: String,
    origin: Option<Arc<Origin>>,
    weights: Scalar,
}

impl SourceFile {
    /// A source file with the name shown in diagnostics and its text, which may use modules of the standard library.
    ///
    /// ```
    /// let file = gw_lang::SourceFile::new("tiny.gt", "func main()\nend\n");
    /// assert_eq!(file.line_column(12), (2, 1));
    /// ```
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_files(name, text, &NoFiles)
    }

    /// As [`SourceFile::new`]; `files` has the other files that the text may use.
    pub fn with_files(name: impl Into<String>, text: impl Into<String>, files: &dyn Files) -> Self {
        let whole = Self::single(name.into(), text.into());
        match modules::begins_with_use(&whole.text) {
            true => modules::assemble(whole, files),
            false => whole,
        }
    }

    /// A text that is compiled as it stands, `use` lines included.
    pub(crate) fn single(name: String, text: String) -> Self {
        Self { name, text, origin: None, weights: Scalar::Int }
    }

    /// A text made of several files.
    pub(crate) fn assembled(name: String, text: String, origin: Origin) -> Self {
        Self { name, text, origin: Some(Arc::new(origin)), weights: Scalar::Int }
    }

    /// The same text, in which the type `weight` stands for this one: that of the weights of the graph at hand.
    #[must_use]
    pub fn with_weights(self, weights: Scalar) -> Self {
        Self { weights, ..self }
    }

    /// What the type `weight` stands for; `int` unless something else is said.
    pub fn weights(&self) -> Scalar {
        self.weights
    }

    /// Why the files of the program do not make one text; empty where they do.
    pub fn refused(&self) -> &[Diagnostic] {
        self.origin.as_ref().map_or(&[], |origin| origin.findings())
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        line_column(&self.text, offset)
    }

    /// A line of the text as people know it: its number, with the file where it is not the first one.
    ///
    /// ```
    /// let file = gw_lang::SourceFile::new("tiny.gt", "func main()\nend\n");
    /// assert_eq!(file.line_in_words(2), "line 2");
    /// ```
    pub fn line_in_words(&self, line: usize) -> String {
        let at = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        // The first word of the line: what stands before it may come from another file.
        let indent = self.text[at..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
        match self.origin().and_then(|origin| origin.place(at + indent)) {
            Some((file, text, at)) => {
                let line = line_column(text, at).0;
                if file == self.name { format!("line {line}") } else { format!("line {line} of {file}") }
            }
            None => format!("line {line}"),
        }
    }

    /// A message of later stages, which know lines of the whole text, with lines as people know them.
    ///
    /// ```
    /// let file = gw_lang::SourceFile::new("tiny.gt", "func main()\nend\n");
    /// assert_eq!(file.lines_in_words("line 2: too short"), "line 2: too short");
    /// ```
    pub fn lines_in_words(&self, message: &str) -> String {
        const WORD: &str = "line ";
        if self.origin().is_none() {
            return message.to_string();
        }
        let (mut words, mut rest) = (String::with_capacity(message.len()), message);
        while let Some(at) = rest.find(WORD) {
            let digits = &rest[at + WORD.len()..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            words.push_str(&rest[..at]);
            match digits[..end].parse() {
                Ok(line) => words.push_str(&self.line_in_words(line)),
                Err(_) => words.push_str(&rest[at..at + WORD.len() + end]),
            }
            rest = &digits[end..];
        }
        words + rest
    }
}

/// Line and column of a byte offset into a text.
fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}
