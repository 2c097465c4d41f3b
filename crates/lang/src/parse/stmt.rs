//! Statements and blocks.

use super::{Fail, Parsed, Parser};
use crate::ast::{Expr, ExprKind, Ident, ReduceOp, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Statements up to `end`, `elif`, `else`, a top-level keyword or the end of the text.
    pub(super) fn block(&mut self) -> Vec<Stmt> {
        use TokenKind::*;
        let mut stmts = Vec::new();
        loop {
            match self.peek() {
                KwEnd | KwElif | KwElse | Eof | KwFunc | KwExport | KwExtern | KwElement => break,
                _ => {}
            }
            let before = self.at;
            match self.nested(|p| p.stmt()) {
                Ok(stmt) => stmts.push(stmt),
                Err(Fail) => self.skip_to_stmt(before),
            }
        }
        stmts
    }

    /// The `end` of a block that was opened by `word` at `open`.
    pub(super) fn close_block(&mut self, word: &str, open: Span) -> Parsed<()> {
        if self.peek() == TokenKind::KwEnd {
            let end = self.advance().span;
            if self.suspect.is_none() && self.indent(end) < self.indent(open) {
                self.suspect = Some((word.to_string(), open));
            }
            return Ok(());
        }
        if matches!(self.peek(), TokenKind::KwElif | TokenKind::KwElse) {
            let message = format!("{} without an `if` before it", self.found());
            let span = self.span();
            self.report(
                Diagnostic::error(message, span, "no `if` is open here")
                    .also(open, format!("the innermost open block is this `{word}`")),
            );
            self.advance();
            return Err(Fail);
        }
        if self.stopped || self.unclosed == Some(self.at) {
            return Err(Fail);
        }
        self.unclosed = Some(self.at);
        let message = format!("this `{word}` is never closed: expected `end` but found {}", self.found());
        let mut diagnostic = Diagnostic::error(message, open, "opened here")
            .help("every func, if, while, for, par_for and do needs its own `end`");
        if self.peek() != TokenKind::Eof {
            diagnostic = diagnostic.also(self.span(), "expected `end` before this");
        }
        if let Some((word, span)) = self.suspect.take() {
            let remark = format!("by its indentation, this `{word}` may lack its `end`");
            diagnostic = diagnostic.also(span, remark);
        }
        self.report(diagnostic);
        Err(Fail)
    }

    /// White space before the first word of the line.
    fn indent(&self, span: Span) -> usize {
        let before = &self.source.text[..span.start];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let text = &self.source.text[line..];
        text.len() - text.trim_start_matches([' ', '\t']).len()
    }

    /// Skips to where a statement can start again; `before` is where the failed one began.
    fn skip_to_stmt(&mut self, before: usize) {
        use TokenKind::*;
        if self.at == before {
            self.advance();
        }
        loop {
            match self.peek() {
                Semi => {
                    self.advance();
                    return;
                }
                Eof | KwEnd | KwElif | KwElse | KwFunc | KwExport | KwExtern | KwElement | KwVar | KwConst | KwIf
                | KwWhile | KwDo | KwFor | KwParFor | KwPrint | KwPrintln | KwBreak | KwDelete | Hash => return,
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Skips the rest of the line: a broken block header must not take its block along.
    fn skip_line(&mut self) {
        let from = self.previous().end;
        while !matches!(self.peek(), TokenKind::Eof | TokenKind::KwEnd) {
            let to = self.span().start;
            if self.source.text[from.min(to)..to].contains('\n') {
                return;
            }
            if self.advance().kind == TokenKind::Semi {
                return;
            }
        }
    }

    /// An expression of a block header; a failure skips to the next line and goes on with the block.
    fn header_expr(&mut self) -> Expr {
        let start = self.span();
        match self.expr() {
            Ok(expr) => expr,
            Err(Fail) => {
                self.skip_line();
                let span = start;
                let kind = ExprKind::Error;
                Expr { kind, span }
            }
        }
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let label = match self.peek() {
            TokenKind::Hash => Some(self.label()?),
            _ => None,
        };
        let start = self.span();
        self.operators = 0;
        let kind = self.bare_stmt()?;
        let span = start.to(self.previous());
        Ok(Stmt { label, kind, span })
    }

    fn label(&mut self) -> Parsed<Ident> {
        self.advance();
        let name = self.ident("a label")?;
        self.expect(TokenKind::Hash)?;
        Ok(name)
    }

    fn bare_stmt(&mut self) -> Parsed<StmtKind> {
        use TokenKind::*;
        match self.peek() {
            KwVar | KwConst => Ok(StmtKind::Decl(self.decl()?)),
            KwIf => self.if_stmt(),
            KwWhile => {
                let open = self.advance().span;
                let cond = self.header_expr();
                let body = self.block();
                self.close_block("while", open)?;
                Ok(StmtKind::While { cond, body })
            }
            KwDo => {
                let open = self.advance().span;
                let body = self.block();
                self.close_block("do", open)?;
                self.expect(KwWhile)?;
                let cond = self.expr()?;
                self.eat(Semi);
                Ok(StmtKind::DoWhile { body, cond })
            }
            KwFor => self.for_stmt(false),
            KwParFor => self.for_stmt(true),
            KwPrint | KwPrintln => {
                self.advance();
                let value = self.expr()?;
                if self.peek() == Comma {
                    let span = self.span();
                    self.report(
                        Diagnostic::error("`print` takes one value", span, "a second value follows")
                            .help("write one `print` per value"),
                    );
                    return Err(Fail);
                }
                self.expect_semi()?;
                Ok(StmtKind::Print(value))
            }
            KwBreak => {
                self.advance();
                self.expect_semi()?;
                Ok(StmtKind::Break)
            }
            KwDelete => {
                self.advance();
                let value = self.expr()?;
                self.expect_semi()?;
                Ok(StmtKind::Delete(value))
            }
            Semi => {
                self.advance();
                Ok(StmtKind::Empty)
            }
            kind if kind.is_reserved_only() => Err(self.unexpected("a statement")),
            _ => self.expr_or_assign(),
        }
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        let open = self.advance().span;
        let cond = self.header_expr();
        let mut arms = vec![(cond, self.block())];
        while self.eat(TokenKind::KwElif) {
            let cond = self.header_expr();
            arms.push((cond, self.block()));
        }
        let otherwise = match self.eat(TokenKind::KwElse) {
            true => Some(self.block()),
            false => None,
        };
        self.close_block("if", open)?;
        Ok(StmtKind::If { arms, otherwise })
    }

    fn for_stmt(&mut self, parallel: bool) -> Parsed<StmtKind> {
        let open = self.advance().span;
        let word = if parallel { "par_for" } else { "for" };
        let (var, low, high) = match self.for_header() {
            Ok(header) => header,
            Err(Fail) => {
                self.skip_line();
                let error = Expr { kind: ExprKind::Error, span: open };
                let var = Ident { name: String::new(), span: open };
                (var, error.clone(), error)
            }
        };
        let body = self.block();
        self.close_block(word, open)?;
        Ok(StmtKind::For { parallel, var, low, high, body })
    }

    fn for_header(&mut self) -> Parsed<(Ident, Expr, Expr)> {
        let var = self.ident("a loop variable")?;
        self.expect(TokenKind::KwIn)?;
        let low = self.expr()?;
        self.expect(TokenKind::Colon)?;
        let high = self.expr()?;
        Ok((var, low, high))
    }

    fn expr_or_assign(&mut self) -> Parsed<StmtKind> {
        use TokenKind::*;
        let target = self.expr()?;
        let op = match self.peek() {
            Assign => None,
            PlusEq => Some(ReduceOp::Sum),
            MinEq => Some(ReduceOp::Min),
            MaxEq => Some(ReduceOp::Max),
            AsyncMinEq => Some(ReduceOp::AsyncMin),
            AsyncMaxEq => Some(ReduceOp::AsyncMax),
            Comma => {
                let span = self.span();
                self.report(
                    Diagnostic::error("only one value can be assigned at a time", span, "a second target follows")
                        .help("write one assignment per variable"),
                );
                return Err(Fail);
            }
            _ => {
                self.expect_semi()?;
                return Ok(StmtKind::Expr(target));
            }
        };
        self.advance();
        let value = self.expr()?;
        self.expect_semi()?;
        Ok(match op {
            None => StmtKind::Assign { target, value },
            Some(op) => StmtKind::Reduce { target, op, value },
        })
    }
}
