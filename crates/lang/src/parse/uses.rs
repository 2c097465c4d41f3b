//! The `use` lines at the beginning of a file, and names that a module qualifies.

use super::{Fail, Parsed, Parser};
use crate::ast::{Ident, ModuleName, Use};
use crate::diagnostic::Diagnostic;
use crate::lexer;
use crate::source::Span;
use crate::token::TokenKind;

impl Parser<'_> {
    /// The `use` lines before the first declaration. Behind them, `module.name` is one token.
    pub(super) fn uses(&mut self) -> Vec<Use> {
        let mut uses = Vec::new();
        while self.at_word("use") && matches!(self.peek_at(1), TokenKind::Str | TokenKind::Ident) {
            match self.use_line() {
                Ok(line) => uses.push(line),
                Err(Fail) => self.skip_use(),
            }
        }
        self.join_qualified(&uses);
        uses
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek() == TokenKind::Ident && self.text(self.span()) == word
    }

    /// After a faulty `use`: behind its `;`, or at the next line that can be read.
    fn skip_use(&mut self) {
        use TokenKind::*;
        while !matches!(self.peek(), Eof | Semi | KwElement | KwExtern | KwExport | KwFunc | KwConst)
            && !self.at_word("use")
        {
            self.advance();
        }
        self.eat(TokenKind::Semi);
    }

    fn use_line(&mut self) -> Parsed<Use> {
        let start = self.advance().span;
        let token = self.token();
        let (module, module_span) = match token.kind {
            TokenKind::Str => {
                self.advance();
                let literal = self.text(token.span).to_string();
                let path = lexer::unescape(&literal, token.span, &mut self.diagnostics);
                (ModuleName::File(path), token.span)
            }
            _ => self.library_module()?,
        };
        let alias = match self.at_word("as") {
            true => {
                self.advance();
                Some(self.ident("a name for the module")?)
            }
            false => own_name(&module, module_span),
        };
        let mut with = Vec::new();
        if self.eat(TokenKind::KwWith) {
            loop {
                let theirs = self.ident("a name of the module")?;
                let ours = match self.eat(TokenKind::Assign) {
                    true => self.ident("a name of this file")?,
                    false => theirs.clone(),
                };
                with.push((theirs, ours));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.expect_semi()?;
        Ok(Use { module, module_span, alias, with, span: start.to(self.previous()) })
    }

    /// `std.NAME`.
    fn library_module(&mut self) -> Parsed<(ModuleName, Span)> {
        let first = self.ident("`std` or a path in quotes")?;
        if first.name != "std" {
            let end = match self.peek() == TokenKind::Dot && self.peek_at(1) == TokenKind::Ident {
                true => self.tokens[self.at + 1].span,
                false => first.span,
            };
            let place = first.span.to(end);
            let help =
                format!("write `use \"{}.gt\";` for a file, `use std.NAME;` for the standard library", first.name);
            let message = "the path of a file stands in quotes";
            self.report(Diagnostic::error(message, place, "neither a path nor a module of `std`").help(help));
            return Err(Fail);
        }
        if self.peek() != TokenKind::Dot {
            let help = "write `use std.search;`";
            self.report(Diagnostic::error("`std` is not a module by itself", first.span, "which module?").help(help));
            return Err(Fail);
        }
        self.advance();
        let name = self.ident("a module of `std`")?;
        Ok((ModuleName::Std(name.name), first.span.to(name.span)))
    }

    /// Makes one token of the three in `module.name`, where `module` is one that the file uses.
    fn join_qualified(&mut self, uses: &[Use]) {
        if uses.iter().all(|line| line.alias.is_none()) {
            return;
        }
        let mut at = self.at;
        let mut kept = at;
        while at < self.tokens.len() {
            let mut token = self.tokens[at];
            let after_dot = kept > 0 && self.tokens[kept - 1].kind == TokenKind::Dot;
            if token.kind == TokenKind::Ident
                && !after_dot
                && let Some([dot, name]) = self.tokens.get(at + 1..at + 3)
                && (dot.kind, name.kind) == (TokenKind::Dot, TokenKind::Ident)
                && (token.span.end, dot.span.end) == (dot.span.start, name.span.start)
                && uses.iter().any(|line| line.alias.as_ref().is_some_and(|a| a.name == self.text(token.span)))
            {
                token.span = token.span.to(name.span);
                at += 2;
            }
            self.tokens[kept] = token;
            kept += 1;
            at += 1;
        }
        self.tokens.truncate(kept);
    }
}

/// The name that a module has by itself: that of its file without the ending, if it is a name of the language.
fn own_name(module: &ModuleName, span: Span) -> Option<Ident> {
    let name = match module {
        ModuleName::Std(name) => name.as_str(),
        ModuleName::File(path) => path.rsplit(['/', '\\']).next()?.strip_suffix(".gt")?,
    };
    let is_name = {
        use logos::Logos;
        let mut tokens = TokenKind::lexer(name);
        tokens.next() == Some(Ok(TokenKind::Ident)) && tokens.next().is_none()
    };
    is_name.then(|| Ident { name: name.to_string(), span })
}
