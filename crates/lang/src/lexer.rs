//! From text to tokens, and the textual split between algorithm and schedule.

use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::{SourceFile, Span};
use crate::token::{Token, TokenKind};
use logos::Logos;

/// After this many malformed pieces the rest is noise.
const MAX_FINDINGS: usize = crate::diagnostic::MOST_FINDINGS;

/// The two parts of a file: the algorithm, and what follows the `schedule:` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Bytes of the algorithm.
    pub algorithm: Span,
    /// Bytes behind the `schedule:` line, if there is one.
    pub schedule: Option<Span>,
}

/// Splits at the first line that begins in column 0 with `schedule:`; the rest of that line is dropped.
///
/// ```
/// let split = gw_lang::lexer::split("func main() end\nschedule:\nprogram;\n");
/// assert_eq!(split.schedule, Some(gw_lang::Span::new(26, 35)));
/// ```
pub fn split(text: &str) -> Split {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("schedule:") {
            return Split { algorithm: Span::new(0, start), schedule: Some(Span::new(start + line.len(), text.len())) };
        }
        start += line.len();
    }
    Split { algorithm: Span::new(0, text.len()), schedule: None }
}

/// The tokens of the algorithm part, without comments, ending with [`TokenKind::Eof`].
///
/// Malformed pieces become [`TokenKind::Bad`] tokens (numbers and strings keep their class) with a diagnostic each.
pub fn tokens(source: &SourceFile) -> (Vec<Token>, Vec<Diagnostic>) {
    let (tokens, _, diagnostics) = tokens_and_comments(source);
    (tokens, diagnostics)
}

/// As [`tokens`], with the places of the comments.
pub(crate) fn tokens_and_comments(source: &SourceFile) -> (Vec<Token>, Vec<Span>, Vec<Diagnostic>) {
    let end = split(&source.text).algorithm.end;
    let text = &source.text[..end];
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut diagnostics = Vec::new();
    let mut comments = Vec::new();
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let span = Span::new(range.start, range.end);
        match kind {
            Ok(TokenKind::Comment) => comments.push(span),
            Ok(kind) => push(text, Token { kind, span }, &mut tokens, &mut diagnostics),
            Err(()) => bad(text, span, &mut tokens, &mut diagnostics),
        }
    }
    tokens.push(Token { kind: TokenKind::Eof, span: Span::new(end, end) });
    (tokens, comments, diagnostics)
}

/// Reports a malformed piece, unless there were many before. The first error is never left out.
fn note(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    if diagnostics.len() < MAX_FINDINGS || !has_errors(diagnostics) {
        diagnostics.push(diagnostic);
    }
}

/// Adds a recognised token, repairing the few that need a look at their neighbours.
fn push(text: &str, token: Token, tokens: &mut Vec<Token>, diagnostics: &mut Vec<Diagnostic>) {
    use TokenKind::*;
    let span = token.span;
    let kind = match token.kind {
        Assign => {
            // `max==x` compares a variable named max: the reduction token must not swallow the first `=`.
            if let Some(last) = tokens.last_mut()
                && matches!(last.kind, MinEq | MaxEq | AsyncMinEq | AsyncMaxEq)
                && last.span.end == span.start
            {
                last.kind = Ident;
                last.span.end -= 1;
                let span = Span::new(span.start - 1, span.end);
                tokens.push(Token { kind: EqEq, span });
                return;
            }
            Assign
        }
        OpenStr => {
            note(
                diagnostics,
                Diagnostic::error("this string is never closed", span, "starts here")
                    .help("add a `\"` before the end of the line"),
            );
            Str
        }
        BadNumber => {
            let word = &text[span.start..span.end];
            // The second half of `0..10`, which the first half has reported.
            if word.starts_with('.') && text[..span.start].ends_with('.') {
                tokens.push(Token { kind: Bad, span });
                return;
            }
            let (message, help) = if word.ends_with('.') && text[span.end..].starts_with('.') {
                let low = word.trim_end_matches('.');
                let rest = text[span.end..].trim_start_matches(['.', '<', '=']);
                let high: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                ("a range of numbers is written with a colon", format!("{low}:{high}"))
            } else if word.ends_with('.') {
                ("a number needs a digit after its dot", format!("{word}0"))
            } else if word.starts_with('.') {
                ("a number needs a digit before its dot", format!("0{word}"))
            } else if word.starts_with("0x") || word.starts_with("0X") {
                let value = i64::from_str_radix(&word[2..], 16);
                let help = value.map_or(String::new(), |v| v.to_string());
                ("hexadecimal numbers are for schedules only", help)
            } else {
                ("a name cannot start with a digit, nor a number end in letters", String::new())
            };
            let mut diagnostic = Diagnostic::error(message, span, "not a number");
            if !help.is_empty() {
                diagnostic = diagnostic.help(format!("write `{help}`"));
            }
            note(diagnostics, diagnostic);
            Bad
        }
        other => other,
    };
    tokens.push(Token { kind, span });
}

/// Reports text that is no token; neighbouring bad characters make one report.
fn bad(text: &str, span: Span, tokens: &mut Vec<Token>, diagnostics: &mut Vec<Diagnostic>) {
    let word = &text[span.start..span.end];
    if word.starts_with('%') {
        let open = Span::new(span.start, span.start + 2);
        note(
            diagnostics,
            Diagnostic::error("this block comment is never closed", open, "starts here").help("close it with `%}`"),
        );
        return;
    }
    if let Some(last) = tokens.last_mut()
        && last.kind == TokenKind::Bad
        && last.span.end == span.start
    {
        last.span.end = span.end;
        return;
    }
    let shown: String = word.chars().take(1).collect();
    let mut diagnostic = Diagnostic::error(
        format!("`{}` does not belong to the language", shown.escape_debug()),
        span,
        "unexpected character",
    );
    let help = match shown.as_str() {
        "!" => Some("write `not x`; `!` exists only in `!=`"),
        "?" => Some("choose between two values with an `if` statement"),
        _ => None,
    };
    if let Some(help) = help {
        diagnostic = diagnostic.help(help);
    }
    note(diagnostics, diagnostic);
    let kind = TokenKind::Bad;
    tokens.push(Token { kind, span });
}

/// Resolves the escapes of a string literal given with its quotes; unknown escapes are reported.
pub(crate) fn unescape(literal: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> String {
    let body = literal.strip_prefix('"').unwrap_or(literal);
    let body = body.strip_suffix('"').unwrap_or(body);
    let mut out = String::with_capacity(body.len());
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().map(|(_, c)| c) {
            Some('a') => out.push('\x07'),
            Some('b') => out.push('\x08'),
            Some('f') => out.push('\x0C'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\x0B'),
            Some(c @ ('\\' | '\'' | '"' | '?')) => out.push(c),
            Some(c) => {
                let start = span.start + 1 + at;
                let place = Span::new(start, start + 1 + c.len_utf8());
                note(
                    diagnostics,
                    Diagnostic::error(format!("`\\{}` is not an escape", c.escape_debug()), place, "unknown escape")
                        .help("the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" \\?"),
                );
                out.push(c);
            }
            // Only an unterminated literal ends in a backslash; that is already reported.
            None => {}
        }
    }
    out
}

/// One token per line with its place and text, for `--emit tokens`.
pub fn dump(source: &SourceFile, tokens: &[Token]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for token in tokens {
        let (line, column) = source.line_column(token.span.start);
        let text = &source.text[token.span.start..token.span.end];
        let class = match token.kind {
            TokenKind::Ident => "name",
            TokenKind::Int => "int",
            TokenKind::Float => "float",
            TokenKind::Str => "string",
            TokenKind::Eof => "end of text",
            TokenKind::Bad => "bad",
            kind if kind.is_keyword() => "keyword",
            _ => "symbol",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:>9}  {class:<8} {text}", format!("{line}:{column}"));
    }
    out
}
