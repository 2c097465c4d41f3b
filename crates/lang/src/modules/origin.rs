//! Where the bytes of a text that was made of several files come from.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The files behind a text, and the file of each of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Origin {
    files: Vec<(String, String)>,
    /// In the order of the text; a piece ends where the next one begins.
    pieces: Vec<Piece>,
    findings: Vec<Diagnostic>,
}

/// Bytes of the text that come from one place of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where it begins in the text.
    start: usize,
    file: usize,
    from: From,
}

/// What stands in a file behind a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The same bytes, from here on.
    Copy(usize),
    /// A name that was replaced as a whole, or a place where something was put in.
    Word(Span),
}

impl Origin {
    pub(super) fn new(files: Vec<(String, String)>) -> Self {
        Origin { files, ..Origin::default() }
    }

    /// The bytes of the text from `start` on are those of a file from `at` on.
    pub(super) fn copied(&mut self, start: usize, file: usize, at: usize) {
        self.pieces.push(Piece { start, file, from: From::Copy(at) });
    }

    /// The bytes of the text from `start` on stand for a word of a file.
    pub(super) fn replaced(&mut self, start: usize, file: usize, word: Span) {
        self.pieces.push(Piece { start, file, from: From::Word(word) });
    }

    pub(super) fn refuse(&mut self, findings: Vec<Diagnostic>) {
        self.findings = findings;
    }

    /// Why there is no text.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Names and texts of the files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    fn piece(&self, offset: usize) -> Option<usize> {
        self.pieces.partition_point(|piece| piece.start <= offset).checked_sub(1)
    }

    /// The file of a span of the text, by number, and the bytes there. A span over pieces of several files becomes that
    /// of its first piece.
    pub(crate) fn span(&self, span: Span) -> (usize, Span) {
        let Some(first) = self.piece(span.start) else { return (0, Span::default()) };
        let last = self.piece(span.end.saturating_sub(1).max(span.start)).unwrap_or(first);
        let Piece { start, file, from } = self.pieces[first];
        let begin = match from {
            From::Copy(at) => at + (span.start - start),
            From::Word(word) => word.start,
        };
        let end_of = |at: usize, end: usize| match self.pieces[at].from {
            From::Copy(from) => from + (end - self.pieces[at].start),
            From::Word(word) => word.end,
        };
        let same = self.pieces[first..=last].iter().all(|piece| piece.file == file);
        let end = match same {
            true => end_of(last, span.end),
            false => end_of(first, self.pieces[first + 1].start),
        };
        (file, Span::new(begin, end.max(begin)))
    }

    /// Name and text of the file of a byte of the text, and the byte there.
    pub(crate) fn place(&self, offset: usize) -> Option<(&str, &str, usize)> {
        self.piece(offset)?;
        let (file, span) = self.span(Span::new(offset, offset));
        let (name, text) = &self.files[file];
        Some((name, text, span.start))
    }
}
