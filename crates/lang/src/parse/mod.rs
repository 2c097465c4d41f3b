//! Recursive-descent parser: tokens to syntax tree, reporting several errors per run.
//!
//! A production that fails has already reported why and returns `Fail`; the enclosing statement or declaration
//! then skips to a place where parsing can go on (`;`, `end`, or a keyword that starts something).

mod expr;
mod habit;
mod item;
mod stmt;
mod types;
mod uses;

use crate::ast::{Ast, Ident};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::lexer;
use crate::source::{SourceFile, Span};
use crate::token::{Token, TokenKind};

/// Marks a production that failed and has reported it.
#[derive(Debug)]
pub(crate) struct Fail;

/// Result of a production.
pub(crate) type Parsed<T> = Result<T, Fail>;

/// How deep statements and parentheses may nest. Keeps recursion far from the end of any thread's stack.
const MAX_DEPTH: usize = 100;

/// How many operators one expression may hold; bounds the depth of the tree that left-leaning chains build.
const MAX_OPERATORS: usize = 400;

/// After this many errors the rest is noise.
const MAX_ERRORS: usize = crate::diagnostic::MOST_FINDINGS;

/// Parses the algorithm part of a file. The tree is complete only if no diagnostic is an error.
pub fn parse(source: &SourceFile) -> (Ast, Vec<Diagnostic>) {
    if !source.refused().is_empty() {
        return (Ast::default(), source.refused().to_vec());
    }
    let (tokens, comments, diagnostics) = lexer::tokens_and_comments(source);
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        diagnostics,
        depth: 0,
        operators: 0,
        suspect: None,
        unclosed: None,
        else_if: None,
        errors: 0,
        warnings: 0,
        stopped: false,
        names_weight: false,
    };
    let uses = parser.uses();
    let items = parser.items();
    let names_weight = parser.names_weight;
    let mut diagnostics = parser.diagnostics;
    if !has_errors(&diagnostics) {
        diagnostics.extend(comments.iter().filter_map(|comment| remainder(source, *comment)));
    }
    diagnostics.sort_by_key(|d| d.primary.span.start);
    let schedule = lexer::split(&source.text).schedule;
    (Ast { uses, items, schedule, names_weight }, diagnostics)
}

/// The parser's state: a cursor over the tokens.
pub(crate) struct Parser<'a> {
    source: &'a SourceFile,
    tokens: Vec<Token>,
    at: usize,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
    operators: usize,
    /// The first block whose `end` is indented less than its opening: the likely place of a missing `end`.
    suspect: Option<(String, Span)>,
    /// Where an unclosed block was last reported, so that the blocks around it are not reported as well.
    unclosed: Option<usize>,
    /// The first `else if` of the function: it opens a second block, which newcomers do not expect.
    else_if: Option<Span>,
    errors: usize,
    warnings: usize,
    /// Parsing gave up; whatever is missing from here on is not worth a message.
    stopped: bool,
    /// The type `weight` was met.
    names_weight: bool,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek(&self) -> TokenKind {
        self.token().kind
    }

    fn peek_at(&self, ahead: usize) -> TokenKind {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Span of the token before the cursor.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text(&self, span: Span) -> &str {
        &self.source.text[span.start..span.end]
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // Warnings never end the parsing: the rest of the program would be lost without a word.
        let count = match diagnostic.is_error() {
            true => &mut self.errors,
            false => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        if self.errors >= MAX_ERRORS {
            self.give_up();
        }
    }

    /// Jumps to the end: nothing more will be reported.
    fn give_up(&mut self) {
        self.at = self.tokens.len() - 1;
        self.stopped = true;
    }

    /// The token at the cursor in words.
    fn found(&self) -> String {
        let token = self.token();
        let text = self.text(token.span);
        match token.kind {
            TokenKind::Eof => "the end of the program".into(),
            TokenKind::Ident => format!("the name `{text}`"),
            TokenKind::Int | TokenKind::Float => format!("the number `{text}`"),
            TokenKind::Str => "a string".into(),
            kind if kind.is_keyword() => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    /// Reports that something else was expected at the cursor.
    fn unexpected(&mut self, expected: &str) -> Fail {
        // A bad token and what the lexer said about it is enough.
        if self.peek() == TokenKind::Bad {
            return Fail;
        }
        if let Some(fail) = self.habit(expected) {
            return fail;
        }
        let message = format!("expected {expected} but found {}", self.found());
        let mut span = self.span();
        if self.peek() == TokenKind::Eof && self.at > 0 {
            span = self.previous().after();
        }
        let mut diagnostic = Diagnostic::error(message, span, format!("expected {expected}"));
        if self.peek().is_reserved_only() {
            let word = self.text(self.span()).to_string();
            diagnostic = diagnostic.help(reserved_help(&word));
        }
        self.report(diagnostic);
        Fail
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Span> {
        if self.peek() == kind {
            return Ok(self.advance().span);
        }
        let expected = format!("`{}`", kind.text().unwrap_or("token"));
        Err(self.unexpected(&expected))
    }

    /// The `;` that ends a statement; a missing one is reported behind the statement, where it belongs.
    fn expect_semi(&mut self) -> Parsed<()> {
        if self.eat(TokenKind::Semi) {
            return Ok(());
        }
        if self.peek() == TokenKind::Bad {
            return Err(Fail);
        }
        if let Some(fail) = self.habit("`;`") {
            return Err(fail);
        }
        let message = format!("expected `;` but found {}", self.found());
        self.report(Diagnostic::error(message, self.previous().after(), "a `;` is missing here"));
        Err(Fail)
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.token();
        if token.kind == TokenKind::Ident {
            self.advance();
            let name = self.text(token.span).to_string();
            let span = token.span;
            return Ok(Ident { name, span });
        }
        if token.kind.is_keyword() {
            let word = self.text(token.span).to_string();
            let diagnostic = Diagnostic::error(
                format!("`{word}` is a reserved word and cannot be {what}"),
                token.span,
                "reserved word",
            )
            .help(format!("choose another name, such as `{word}_`"));
            self.report(diagnostic);
            return Err(Fail);
        }
        Err(self.unexpected(what))
    }

    /// Runs `inner` one level deeper, or reports that the text nests too deeply and gives up.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            self.report(
                Diagnostic::error(format!("this is nested more than {MAX_DEPTH} levels deep"), span, "too deep")
                    .help("move the inner part into a function or a variable"),
            );
            self.give_up();
            return Err(Fail);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// `item {, item}` up to and including `close`; the opening bracket is already consumed.
    fn comma_list<T>(&mut self, close: TokenKind, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(TokenKind::Comma) {
                let expected = format!("`,` or `{}`", close.text().unwrap_or(")"));
                return Err(self.unexpected(&expected));
            }
        }
    }
}

/// A warning for a comment that reads like the right side of a remainder, as in `if x % 2 == 1`: the program is
/// accepted, and means something else.
fn remainder(source: &SourceFile, comment: Span) -> Option<Diagnostic> {
    let text = &source.text[comment.start..comment.end];
    let line = &source.text[..comment.start];
    let before = line[line.rfind('\n').map_or(0, |at| at + 1)..].trim_end();
    let operand = before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ')' | ']'));
    (operand && habit::looks_like_operand(text)).then(|| {
        Diagnostic::warning("`%` starts a comment, so the rest of this line is not read", comment, "a comment")
            .help("write `mod(a, b)` for the remainder of a division")
    })
}

/// Advice for the words that are reserved without a meaning.
fn reserved_help(word: &str) -> String {
    match word {
        "return" => "assign to the function's named result instead; it is returned at `end`".into(),
        _ => format!("`{word}` is reserved but has no meaning in this language"),
    }
}
