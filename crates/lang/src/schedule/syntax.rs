//! Statements of the schedule section: declarations of schedule objects and chains of calls.

use super::token::Kind;
use super::{Fail, Read};
use crate::diagnostic::Diagnostic;
use crate::lexer::unescape;
use crate::source::{SourceFile, Span};
use logos::Logos;

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// `Kind name;`, `Kind name = other;`, `Kind name(args);`, or `object.f(..)` / `program->f(..)->g(..)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    Declare { kind: Name, name: Name, args: Vec<Arg> },
    Calls { object: Name, calls: Vec<Call> },
}

/// One call of a chain.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: Name,
    pub(super) args: Vec<Arg>,
}

/// An argument with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arg {
    pub(super) kind: ArgKind,
    pub(super) span: Span,
}

/// Kinds of arguments. A qualified name keeps its last part only.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ArgKind {
    Str(String),
    Int(u64),
    Float(f64),
    Name(String),
    List(Vec<(String, Span)>),
}

/// After this many faults the rest is noise.
pub(super) const MAX_FINDINGS: usize = crate::diagnostic::MOST_FINDINGS;

/// Reads all statements of the section, resynchronising at `;`.
pub(super) fn parse(source: &SourceFile, span: Span) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut parser = Parser { text: &source.text, tokens: Vec::new(), at: 0, diagnostics: Vec::new() };
    parser.lex(span);
    let mut statements = Vec::new();
    while parser.peek() != Kind::Eof && parser.diagnostics.len() < MAX_FINDINGS {
        let before = parser.at;
        match parser.statement() {
            Ok(Some(statement)) => statements.push(statement),
            Ok(None) => {}
            Err(Fail) => parser.skip(before),
        }
    }
    (statements, parser.diagnostics)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Kind, Span)>,
    at: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn lex(&mut self, section: Span) {
        let text = &self.text[section.start..section.end];
        for (kind, range) in Kind::lexer(text).spanned() {
            let span = Span::new(section.start + range.start, section.start + range.end);
            match kind {
                Ok(Kind::LineComment | Kind::BlockComment) => {}
                Ok(kind) => self.tokens.push((kind, span)),
                Err(()) => {
                    let word = &text[range];
                    let diagnostic = if word.starts_with("/*") {
                        let open = Span::new(span.start, span.start + 2);
                        Diagnostic::error("this comment is never closed", open, "starts here")
                            .help("close it with `*/`")
                    } else if word.starts_with('"') {
                        Diagnostic::error("this string is never closed", span, "starts here")
                    } else if word.starts_with('%') {
                        Diagnostic::error("`%` does not start a comment here", span, "unexpected character")
                            .help("the schedule section has `//` and `/* */` comments")
                    } else {
                        let shown: String = word.chars().take(1).collect();
                        let message = format!("`{}` does not belong to a schedule", shown.escape_debug());
                        Diagnostic::error(message, span, "unexpected character")
                    };
                    self.diagnostics.push(diagnostic);
                    if self.diagnostics.len() >= MAX_FINDINGS {
                        break;
                    }
                }
            }
        }
        let end = Span::new(section.end, section.end);
        self.tokens.push((Kind::Eof, end));
    }

    fn peek(&self) -> Kind {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Kind::Eof {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn fail(&mut self, expected: &str) -> Fail {
        let found = match self.peek() {
            kind @ (Kind::Name | Kind::Int | Kind::Float) => {
                let span = self.span();
                format!("{} `{}`", kind.describe(), &self.text[span.start..span.end])
            }
            kind => kind.describe().to_string(),
        };
        let mut span = self.span();
        // A missing `;` is shown where it belongs, behind the token before.
        if expected.contains("`;`") && self.at > 0 {
            span = self.tokens[self.at - 1].1.after();
        }
        let message = format!("expected {expected} but found {found}");
        let label = format!("expected {expected}");
        self.diagnostics.push(Diagnostic::error(message, span, label));
        Fail
    }

    fn expect(&mut self, kind: Kind) -> Read<Span> {
        match self.peek() == kind {
            true => Ok(self.advance()),
            false => Err(self.fail(kind.describe())),
        }
    }

    /// Skips past the next `;`.
    fn skip(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while !matches!(self.peek(), Kind::Semi | Kind::Eof) {
            self.advance();
        }
        self.eat(Kind::Semi);
    }

    /// `a::b::c`, of which only the last part counts.
    fn name(&mut self, what: &str) -> Read<Name> {
        loop {
            if self.peek() != Kind::Name {
                return Err(self.fail(what));
            }
            let span = self.advance();
            if !self.eat(Kind::Scope) {
                let text = self.text[span.start..span.end].to_string();
                return Ok(Name { text, span });
            }
        }
    }

    fn statement(&mut self) -> Read<Option<Statement>> {
        if self.eat(Kind::Semi) {
            return Ok(None);
        }
        let first = self.name("`program`, a schedule type or a schedule object")?;
        let statement = match self.peek() {
            Kind::Name => {
                let name = self.name("a name")?;
                let args = if self.eat(Kind::Assign) {
                    let other = self.name("a schedule object")?;
                    let (kind, span) = (ArgKind::Name(other.text), other.span);
                    vec![Arg { kind, span }]
                } else if self.eat(Kind::LParen) {
                    self.args()?
                } else {
                    Vec::new()
                };
                let kind = first;
                Statement::Declare { kind, name, args }
            }
            _ => {
                let mut calls = Vec::new();
                while self.eat(Kind::Arrow) || self.eat(Kind::Dot) {
                    let name = self.name("a function")?;
                    self.expect(Kind::LParen)?;
                    let args = self.args()?;
                    calls.push(Call { name, args });
                }
                Statement::Calls { object: first, calls }
            }
        };
        if !self.eat(Kind::Semi) {
            return Err(self.fail("`;`"));
        }
        Ok(Some(statement))
    }

    /// Arguments up to and including `)`.
    fn args(&mut self) -> Read<Vec<Arg>> {
        let mut args = Vec::new();
        if self.eat(Kind::RParen) {
            return Ok(args);
        }
        loop {
            args.push(self.arg()?);
            if self.eat(Kind::RParen) {
                return Ok(args);
            }
            if !self.eat(Kind::Comma) {
                return Err(self.fail("`,` or `)`"));
            }
        }
    }

    fn arg(&mut self) -> Read<Arg> {
        let span = self.span();
        let text = &self.text[span.start..span.end];
        let kind = match self.peek() {
            Kind::Str => ArgKind::Str(self.string()?),
            Kind::Int => {
                let digits = text.trim_start_matches(['0']);
                let value = match digits.strip_prefix(['x', 'X']) {
                    Some(hex) if text.starts_with('0') => u64::from_str_radix(hex, 16),
                    _ => text.parse(),
                };
                let Ok(value) = value else {
                    self.diagnostics.push(Diagnostic::error("this number does not fit in 64 bits", span, "too large"));
                    return Err(Fail);
                };
                self.advance();
                ArgKind::Int(value)
            }
            Kind::Float => {
                let digits = text.trim_end_matches(['f', 'F']);
                let Ok(value) = digits.parse() else {
                    return Err(self.fail("a number"));
                };
                self.advance();
                ArgKind::Float(value)
            }
            Kind::LBrace => {
                self.advance();
                let mut items = Vec::new();
                loop {
                    let span = self.span();
                    items.push((self.string()?, span));
                    if self.eat(Kind::RBrace) {
                        break ArgKind::List(items);
                    }
                    if !self.eat(Kind::Comma) {
                        return Err(self.fail("`,` or `}`"));
                    }
                }
            }
            Kind::Name => {
                let name = self.name("a name")?;
                let (kind, span) = (ArgKind::Name(name.text), span.to(name.span));
                return Ok(Arg { kind, span });
            }
            _ => return Err(self.fail("an argument")),
        };
        Ok(Arg { kind, span })
    }

    fn string(&mut self) -> Read<String> {
        if self.peek() != Kind::Str {
            return Err(self.fail("a string"));
        }
        let span = self.advance();
        let literal = &self.text[span.start..span.end];
        Ok(unescape(literal, span, &mut self.diagnostics))
    }
}
