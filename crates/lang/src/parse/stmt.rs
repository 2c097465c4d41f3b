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
        if let Some(span) = self.else_if {
            self.suspect = None;
            diagnostic = diagnostic
                .also(span, "`else if` opens a second `if`, which needs its own `end`")
                .help("write `elif` for another case of the same `if`");
        }
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

    /// Whether a `do` stands on the line of a `while` before it.
    fn after_while(&self, open: Span) -> bool {
        let before = &self.source.text[..open.start];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        line.trim_start().starts_with("while")
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
                | KwWhile | KwDo | KwFor | KwParFor | KwPrint | KwPrintln | KwBreak | KwContinue | KwDelete | Hash => {
                    return;
                }
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Skips the rest of the line: a broken block header must not take its block along.
    pub(super) fn skip_line(&mut self) {
        // Only the gap before each token is looked at, so that a long line takes linear time.
        while !matches!(self.peek(), TokenKind::Eof | TokenKind::KwEnd) && self.same_line() {
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
        let start = self.advance().span;
        let name = self.ident("a label")?;
        if self.peek() != TokenKind::Hash {
            let help = "write `#name#` for a label; a comment starts with `%`";
            return Err(self.no_such("this label has no second `#`", start.to(name.span), "not a label", help));
        }
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
                if self.peek() != KwWhile && self.after_while(open) {
                    let help = "leave out `do`: the block follows the condition of `while`";
                    let fail = self.no_such("`while` has no `do`", open, "opens a second block", help);
                    self.give_up();
                    return Err(fail);
                }
                self.expect(KwWhile)?;
                let cond = self.expr()?;
                self.eat(Semi);
                Ok(StmtKind::DoWhile { body, cond })
            }
            KwFor => self.for_stmt(false),
            KwParFor => self.for_stmt(true),
            KwPrint | KwPrintln => {
                self.advance();
                let mut values = vec![self.expr()?];
                while self.eat(Comma) {
                    values.push(self.expr()?);
                }
                self.expect_semi()?;
                Ok(StmtKind::Print(values))
            }
            KwBreak => {
                self.advance();
                self.expect_semi()?;
                Ok(StmtKind::Break)
            }
            KwContinue => {
                self.advance();
                self.expect_semi()?;
                Ok(StmtKind::Continue)
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
            _ => match self.foreign_statement() {
                Some(fail) => Err(fail),
                None => self.expr_or_assign(),
            },
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
            true => {
                if self.peek() == TokenKind::KwIf && self.same_line() && self.else_if.is_none() {
                    self.else_if = Some(self.previous().to(self.span()));
                }
                Some(self.block())
            }
            false => None,
        };
        self.close_block("if", open)?;
        Ok(StmtKind::If { arms, otherwise })
    }

    fn for_stmt(&mut self, parallel: bool) -> Parsed<StmtKind> {
        let open = self.advance().span;
        let word = if parallel { "par_for" } else { "for" };
        let (var, first, high) = match self.for_header() {
            Ok(header) => header,
            Err(Fail) => {
                self.skip_line();
                let error = Expr { kind: ExprKind::Error, span: open };
                let var = Ident { name: String::new(), span: open };
                (var, error.clone(), Some(error))
            }
        };
        let body = self.block();
        self.close_block(word, open)?;
        Ok(match high {
            Some(high) => StmtKind::For { parallel, var, low: first, high, body },
            None => StmtKind::ForEach { parallel, var, members: first, body },
        })
    }

    /// The variable and the bounds of a loop over numbers, or the variable and the set of a loop over members.
    fn for_header(&mut self) -> Parsed<(Ident, Expr, Option<Expr>)> {
        if self.peek() == TokenKind::LParen {
            let span = self.span();
            let help = "write `for i in 0:10`; the loop ends before 10";
            return Err(self.no_such(
                "a loop runs over numbers from `low` to below `high`",
                span,
                "not like this",
                help,
            ));
        }
        let var = self.ident("a loop variable")?;
        if self.peek() == TokenKind::Assign {
            let span = self.span();
            let help = format!("write `for {} in 0:10`; the loop ends before 10", var.name);
            return Err(self.no_such("a loop runs over numbers from `low` to below `high`", span, "not `in`", &help));
        }
        self.expect(TokenKind::KwIn)?;
        let low = self.expr()?;
        if !matches!(self.peek(), TokenKind::Colon | TokenKind::Bad) {
            let members = match &low.kind {
                ExprKind::Name(_) | ExprKind::Method { .. } | ExprKind::Operator { .. } | ExprKind::Groups(_) => true,
                ExprKind::Call { callee, .. } => callee.name.name != "range",
                _ => false,
            };
            // What follows on the line cannot be the start of the block: it belongs to a header gone wrong.
            if !members || self.peek() == TokenKind::Comma {
                return Err(self.no_range(&low));
            }
            return Ok((var, low, None));
        }
        self.expect(TokenKind::Colon)?;
        let high = self.expr()?;
        Ok((var, low, Some(high)))
    }

    fn expr_or_assign(&mut self) -> Parsed<StmtKind> {
        use TokenKind::*;
        let target = self.expr()?;
        let op = match self.peek() {
            Assign => None,
            PlusEq => Some(ReduceOp::Sum),
            MinEq => Some(ReduceOp::Min),
            MaxEq => Some(ReduceOp::Max),
            PipeEq => Some(ReduceOp::Or),
            AmpEq => Some(ReduceOp::And),
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
