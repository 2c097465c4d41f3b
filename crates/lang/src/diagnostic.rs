//! Diagnostics: what went wrong, where, and what to do about it; rendered with the source line and a caret.

use crate::source::{SourceFile, Span};
use ariadne::{Cache, CharSet, Color, Config, IndexType, Label as Mark, Report, ReportKind, Source};
use std::fmt;
use std::ops::Range;

/// Each stage of the front end gives up after this many errors: the rest is noise.
pub const MOST_FINDINGS: usize = 50;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but probably not what was meant.
    Warning,
}

/// A place with a short remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark.
    pub message: String,
}

/// One finding of the front end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The sentence that says what is wrong.
    pub message: String,
    /// The place at fault.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, message: label.into() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message, span, label) }
    }

    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean" advice when there is a near name.
    pub fn did_you_mean(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Points at another place.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        let message = label.into();
        self.secondary.push(Label { span, message });
        self
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The finding with its source line and caret, ending in a newline.
    pub fn render(&self, source: &SourceFile, color: bool) -> String {
        self.render_cached(&mut Texts::new(source), color)
    }

    fn render_cached(&self, texts: &mut Texts<'_>, color: bool) -> String {
        let kind = match self.severity {
            Severity::Error => ReportKind::Error,
            Severity::Warning => ReportKind::Warning,
        };
        let config = Config::default()
            .with_color(color)
            .with_char_set(if color { CharSet::Unicode } else { CharSet::Ascii })
            .with_index_type(IndexType::Byte);
        let mark = |label: &Label, color: Color| {
            let place = texts.place(label.span);
            // In source order; out of order, the renderer would open a second snippet.
            let order = i32::try_from(place.1.start).unwrap_or(i32::MAX);
            let mark = Mark::new(place).with_color(color).with_order(order);
            match label.message.as_str() {
                "" => mark,
                message => mark.with_message(message),
            }
        };
        let mut report = Report::build(kind, texts.place(self.primary.span))
            .with_config(config)
            .with_message(&self.message)
            .with_label(mark(&self.primary, Color::Red).with_priority(1));
        for label in &self.secondary {
            report = report.with_label(mark(label, Color::Cyan));
        }
        if let Some(help) = &self.help {
            report = report.with_help(help);
        }
        let mut out = Vec::new();
        // Writing to memory cannot fail, and all sources are in the cache.
        let _ = report.finish().write(&mut *texts, &mut out);
        let text = String::from_utf8_lossy(&out);
        let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        lines.join("\n") + "\n"
    }
}

/// The texts that snippets are cut from: one, or the files of a program.
struct Texts<'a> {
    source: &'a SourceFile,
    texts: Vec<(&'a str, Source<&'a str>)>,
}

impl<'a> Texts<'a> {
    fn new(source: &'a SourceFile) -> Self {
        let files: Vec<(&str, &str)> = match source.origin() {
            Some(origin) => origin.files().collect(),
            None => vec![(&source.name, &source.text)],
        };
        let texts = files.into_iter().map(|(name, text)| (name, Source::from(text))).collect();
        Self { source, texts }
    }

    /// The file of a span, and the bytes of that file.
    fn place(&self, span: Span) -> (usize, Range<usize>) {
        let (file, span) = match self.source.origin() {
            Some(origin) => origin.span(span),
            None => (0, span),
        };
        let end = span.end.min(self.texts[file].1.text().len());
        (file, span.start.min(end)..end)
    }
}

impl<'a> Cache<usize> for Texts<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, file: &usize) -> Result<&Source<&'a str>, impl fmt::Debug> {
        self.texts.get(*file).map(|(_, text)| text).ok_or(())
    }

    fn display<'b>(&self, file: &'b usize) -> Option<impl fmt::Display + 'b> {
        self.texts.get(*file).map(|(name, _)| name.to_string())
    }
}

/// True if any of the findings is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// All findings, each with its source line and caret, separated by blank lines.
///
/// ```
/// use gw_lang::{SourceFile, diagnostic::render, parse};
/// let file = SourceFile::new("oops.gt", "func main()\n    print 1\nend\n");
/// let (_, diagnostics) = parse(&file);
/// assert!(render(&diagnostics, &file, false).contains("expected `;`"));
/// ```
pub fn render(diagnostics: &[Diagnostic], source: &SourceFile, color: bool) -> String {
    let mut texts = Texts::new(source);
    let reports: Vec<String> =
        diagnostics.iter().map(|diagnostic| diagnostic.render_cached(&mut texts, color)).collect();
    reports.join("\n")
}
