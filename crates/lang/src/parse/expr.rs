//! Expressions, by precedence climbing.

use super::{Fail, MAX_OPERATORS, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, FuncRef, Groups, Ident, NewPriorityQueue, OperatorKind, UnaryOp, WordOp};
use crate::diagnostic::Diagnostic;
use crate::lexer;
use crate::source::Span;
use crate::token::TokenKind;

/// Binding strength of the loosest operator that binds tighter than a comparison: what `not` takes in.
const ABOVE_COMPARISON: u8 = 5;
/// Binding strength of `*`, `/` and `mod`.
const MULTIPLICATIVE: u8 = 10;

/// What stands between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Plain(BinaryOp),
    Word(WordOp),
    /// Recognised in order to say that there is no such operator.
    Unsupported,
}

/// Binding strength of a binary operator; higher binds tighter. Operators on bits bind tighter than comparisons, so
/// that `x & 1 == 0` asks for the lowest bit.
fn binary_op(kind: TokenKind) -> Option<(u8, Infix)> {
    use Infix::{Plain, Unsupported, Word};
    use TokenKind::*;
    Some(match kind {
        KwOr => (1, Plain(BinaryOp::Or)),
        KwAnd => (2, Plain(BinaryOp::And)),
        KwXor => (3, Plain(BinaryOp::Xor)),
        EqEq => (4, Plain(BinaryOp::Eq)),
        Ne => (4, Plain(BinaryOp::Ne)),
        Lt => (4, Plain(BinaryOp::Lt)),
        Gt => (4, Plain(BinaryOp::Gt)),
        Le => (4, Plain(BinaryOp::Le)),
        Ge => (4, Plain(BinaryOp::Ge)),
        Pipe => (ABOVE_COMPARISON, Word(WordOp::Or)),
        Caret => (6, Word(WordOp::Xor)),
        Amp => (7, Word(WordOp::And)),
        Shl => (8, Word(WordOp::ShiftLeft)),
        Shr => (8, Word(WordOp::ShiftRight)),
        Plus => (9, Plain(BinaryOp::Add)),
        Minus => (9, Plain(BinaryOp::Sub)),
        Star => (MULTIPLICATIVE, Plain(BinaryOp::Mul)),
        Slash => (MULTIPLICATIVE, Plain(BinaryOp::Div)),
        Backslash | DotStar | DotSlash => (MULTIPLICATIVE, Unsupported),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.binary(1))
    }

    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let span = self.span();
            self.report(
                Diagnostic::error(
                    format!("one expression holds more than {MAX_OPERATORS} operators"),
                    span,
                    "too long",
                )
                .help("split it with variables"),
            );
            self.give_up();
            return Err(Fail);
        }
        Ok(())
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        // The operand of a `not` takes every operator that binds tighter than a comparison.
        let mut left = match self.peek() {
            TokenKind::KwNot if least <= ABOVE_COMPARISON => self.not()?,
            _ => self.negation()?,
        };
        while let Some((strength, op)) = self.infix() {
            if strength < least {
                break;
            }
            self.count_operator()?;
            let token = self.advance();
            if matches!(token.kind, TokenKind::Plus | TokenKind::Minus)
                && self.peek() == token.kind
                && self.adjacent(0)
                && matches!(self.peek_at(1), TokenKind::Semi | TokenKind::RParen | TokenKind::RBracket)
            {
                let span = token.span.to(self.span());
                return Err(self.no_steps(span));
            }
            if self.peek() == TokenKind::Assign && token.span.end == self.span().start {
                return Err(self.no_compound_assignment(token.span));
            }
            let right = self.binary(strength + 1)?;
            let span = left.span.to(right.span);
            let (one, other) = (Box::new(left), Box::new(right));
            let kind = match op {
                Infix::Plain(op) => ExprKind::Binary { op, left: one, right: other },
                Infix::Word(op) => ExprKind::Word { op, left: one, right: other },
                Infix::Unsupported => return Err(self.unsupported_operator(token.span)),
            };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    /// The operator at the cursor. `mod` is a name that stands between two operands of one line.
    fn infix(&self) -> Option<(u8, Infix)> {
        if self.peek() == TokenKind::Ident && self.text(self.span()) == "mod" && self.same_line() {
            return Some((MULTIPLICATIVE, Infix::Word(WordOp::Mod)));
        }
        binary_op(self.peek())
    }

    /// `x -= 1` and its like.
    fn no_compound_assignment(&mut self, operator: Span) -> Fail {
        let symbol = self.text(operator).to_string();
        let span = operator.to(self.span());
        self.report(
            Diagnostic::error(format!("there is no `{symbol}=`"), span, "unknown operator")
                .help(format!("write `x = x {symbol} ...`; the reductions are +=, min=, max=, |= and &=")),
        );
        Fail
    }

    fn unsupported_operator(&mut self, span: Span) -> Fail {
        let symbol = self.text(span).to_string();
        let help = match symbol.as_str() {
            "'" => "use `edges.transpose()` for graphs",
            _ => "vectors have no whole-vector arithmetic: write a vertex function",
        };
        let message = format!("the operator `{symbol}` is not supported");
        self.report(Diagnostic::error(message, span, "not supported").help(help));
        Fail
    }

    fn not(&mut self) -> Parsed<Expr> {
        self.count_operator()?;
        let start = self.advance().span;
        let operand = self.nested(|p| match p.peek() {
            TokenKind::KwNot => p.not(),
            _ => p.binary(ABOVE_COMPARISON),
        })?;
        Ok(unary(UnaryOp::Not, start, operand))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let op = match self.peek() {
            TokenKind::Minus => UnaryOp::Neg,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Tilde => UnaryOp::BitNot,
            _ => return self.postfix(),
        };
        self.count_operator()?;
        let start = self.advance().span;
        let operand = self.nested(|p| p.negation())?;
        Ok(unary(op, start, operand))
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut base = self.primary()?;
        loop {
            match self.peek() {
                TokenKind::Dot => {
                    self.count_operator()?;
                    self.advance();
                    base = self.suffix(base)?;
                }
                TokenKind::LBracket => {
                    self.count_operator()?;
                    self.advance();
                    let index = self.expr()?;
                    if self.peek() == TokenKind::Comma {
                        let span = self.span();
                        self.report(
                            Diagnostic::error("an index is one value", span, "a second index follows")
                                .help("nested vectors are read as `x[v][j]`"),
                        );
                        return Err(Fail);
                    }
                    let end = self.expect(TokenKind::RBracket)?;
                    let span = base.span.to(end);
                    base = Expr { kind: ExprKind::Index { base: Box::new(base), index: Box::new(index) }, span };
                }
                TokenKind::Quote => {
                    let span = self.span();
                    return Err(self.unsupported_operator(span));
                }
                _ => return Ok(base),
            }
        }
    }

    /// What follows a `.`.
    fn suffix(&mut self, receiver: Expr) -> Parsed<Expr> {
        use TokenKind::*;
        let start = receiver.span;
        let op = match self.peek() {
            KwFrom | KwSrcFilter => OperatorKind::From,
            KwTo | KwDstFilter => OperatorKind::To,
            KwApply => OperatorKind::Apply,
            KwApplyModified => OperatorKind::ApplyModified,
            KwApplyUpdatePriority => OperatorKind::ApplyUpdatePriority,
            KwApplyUpdatePriorityExtern => OperatorKind::ApplyUpdatePriorityExtern,
            KwFilter | KwWhere => OperatorKind::Filter,
            _ => return self.method(receiver),
        };
        let op_span = self.advance().span;
        self.expect(LParen)?;
        let func = self.func_ref()?;
        let (mut tracked, mut tracked_field) = (None, None);
        let mut disable_dedup = None;
        if op == OperatorKind::ApplyModified {
            if !self.eat(Comma) {
                return Err(self.unexpected("`,` and the vector to track"));
            }
            tracked = Some(self.ident("a vector name")?);
            if self.eat(Dot) {
                tracked_field = Some(Box::new(self.ident("a field")?));
            }
            if self.eat(Comma) {
                disable_dedup = Some(self.bool_literal()?);
            }
        }
        if func.name.name == "lambda" && matches!(self.peek(), Ident | Colon) {
            let help = "declare a function with `func` and write its name here";
            return Err(self.no_such("there are no functions without a name", func.span, "unknown word", help));
        }
        if self.peek() == LParen {
            let span = self.span();
            let help = format!("write `{}` alone; the operator calls it", func.name.name);
            return Err(self.no_such("the function is named, not called", span, "a call", &help));
        }
        let end = self.expect(RParen)?;
        Ok(Expr {
            kind: ExprKind::Operator {
                receiver: Box::new(receiver),
                op,
                op_span,
                func,
                tracked,
                tracked_field,
                disable_dedup,
            },
            span: start.to(end),
        })
    }

    fn method(&mut self, receiver: Expr) -> Parsed<Expr> {
        let start = receiver.span;
        let receiver = Box::new(receiver);
        // `delete` is the one keyword that is a method; the checker knows the type and has advice about others.
        let name = match self.peek().is_keyword() {
            true => {
                let span = self.advance().span;
                Ident { name: self.text(span).to_string(), span }
            }
            false => self.ident("a method name")?,
        };
        if name.name == "groupBy" && self.peek() == TokenKind::LParen {
            return self.groups(*receiver);
        }
        let kind = match self.eat(TokenKind::LParen) {
            true => {
                let args = self.comma_list(TokenKind::RParen, |p| p.expr())?;
                ExprKind::Method { receiver, name, args }
            }
            false => ExprKind::Field { receiver, name },
        };
        let span = start.to(self.previous());
        Ok(Expr { kind, span })
    }

    /// What follows `.groupBy`: the key, a method that combines values and one that chooses among the groups.
    fn groups(&mut self, receiver: Expr) -> Parsed<Expr> {
        let start = receiver.span;
        self.expect(TokenKind::LParen)?;
        let key = self.func_ref()?;
        self.expect(TokenKind::RParen)?;
        let mut step = |wanted: &str| -> Parsed<(Ident, Vec<FuncRef>)> {
            if !self.eat(TokenKind::Dot) {
                return Err(self.unexpected(wanted));
            }
            let name = self.ident("a method of groups")?;
            self.expect(TokenKind::LParen)?;
            let args = self.comma_list(TokenKind::RParen, |p| p.func_ref())?;
            Ok((name, args))
        };
        let (combine, values) = step("`.count()`, `.sum(..)`, `.min(..)` or `.max(..)`")?;
        let (choice, args) = step("`.best(..)`, `.each(..)`, `.groups(..)` or `.leastAbsent(..)`")?;
        let span = start.to(self.previous());
        let groups = Groups { receiver, key, combine, values, choice, args };
        Ok(Expr { kind: ExprKind::Groups(Box::new(groups)), span })
    }

    fn func_ref(&mut self) -> Parsed<FuncRef> {
        let name = self.ident("a function name")?;
        let captures = match self.eat(TokenKind::LBracket) {
            true => Some(self.comma_list(TokenKind::RBracket, |p| p.expr())?),
            false => None,
        };
        let span = name.span.to(self.previous());
        Ok(FuncRef { name, captures, span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        use TokenKind::*;
        let token = self.token();
        let start = token.span;
        let kind = match token.kind {
            LParen => {
                self.advance();
                let inner = self.expr()?;
                let end = self.expect(RParen)?;
                // The parentheses belong to the span, so that carets cover them.
                return Ok(Expr { kind: inner.kind, span: start.to(end) });
            }
            Ident => return self.name_or_call(),
            Int => self.number_literal()?,
            Float => {
                self.advance();
                match self.text(start).parse() {
                    Ok(value) => ExprKind::Float(value),
                    Err(_) => return Err(Fail),
                }
            }
            Str => {
                self.advance();
                let text = &self.source.text[start.start..start.end];
                ExprKind::Str(lexer::unescape(text, start, &mut self.diagnostics))
            }
            KwTrue | KwFalse => {
                self.advance();
                ExprKind::Bool(token.kind == KwTrue)
            }
            KwLoad => {
                self.advance();
                self.expect(LParen)?;
                let path = Box::new(self.expr()?);
                let weight = if self.eat(Comma) { Some(Box::new(self.expr()?)) } else { None };
                self.expect(RParen)?;
                ExprKind::Load { path, weight }
            }
            KwIntersection | KwIntersectNeighbor => {
                self.advance();
                self.expect(LParen)?;
                let args = self.comma_list(RParen, |p| p.expr())?;
                match token.kind {
                    KwIntersection => ExprKind::Intersection(args),
                    _ => ExprKind::IntersectNeighbor(args),
                }
            }
            KwNew => self.new_expr()?,
            _ => return Err(self.unexpected("an expression")),
        };
        let span = start.to(self.previous());
        Ok(Expr { kind, span })
    }

    /// `x`, `f(..)` or `f[..](..)`. After `name[..]` only a `(` tells a functor call from an index.
    fn name_or_call(&mut self) -> Parsed<Expr> {
        let name = self.ident("a name")?;
        let start = name.span;
        let mut captures = None;
        if self.peek() == TokenKind::LBracket && self.functor_follows() {
            self.advance();
            captures = Some(self.comma_list(TokenKind::RBracket, |p| p.expr())?);
        }
        if !self.eat(TokenKind::LParen) {
            return Ok(Expr { kind: ExprKind::Name(name.name), span: start });
        }
        let callee = FuncRef { span: start.to(self.tokens[self.at - 2].span), name, captures };
        self.count_operator()?;
        let args = self.comma_list(TokenKind::RParen, |p| p.expr())?;
        let span = start.to(self.previous());
        let kind = ExprKind::Call { callee, args };
        Ok(Expr { kind, span })
    }

    /// True if the bracket at the cursor closes right before a `(`.
    fn functor_follows(&self) -> bool {
        use TokenKind::*;
        let mut open = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                LBracket => open += 1,
                RBracket => {
                    open -= 1;
                    if open == 0 {
                        return self.tokens[at + 1].kind == LParen;
                    }
                }
                Semi | KwEnd | Eof => return false,
                _ => {}
            }
        }
        false
    }

    fn new_expr(&mut self) -> Parsed<ExprKind> {
        use TokenKind::*;
        self.advance();
        match self.peek() {
            KwVertexSet | Ident if self.peek() == KwVertexSet || self.is_edge_subset() => {
                self.advance();
                let elem = self.braced_element()?;
                let size = self.optional_argument()?;
                Ok(ExprKind::NewVertexSet { elem, size })
            }
            KwEdgeSet => {
                let ty = self.type_expr()?;
                self.expect(LParen)?;
                let vectors = self.comma_list(RParen, |p| p.expr())?;
                Ok(ExprKind::NewEdgeSet { ty, vectors })
            }
            KwList => {
                self.advance();
                self.expect(LBrace)?;
                let item = self.type_expr()?;
                self.expect(RBrace)?;
                let size = self.optional_argument()?;
                Ok(ExprKind::NewList { item, size })
            }
            KwVector => {
                let ty = self.vector_type()?;
                self.expect(LParen)?;
                self.expect(RParen)?;
                Ok(ExprKind::NewVector(ty))
            }
            KwPriorityQueue => {
                self.advance();
                let (elem, priority) = self.queue_type()?;
                self.new_queue(elem, priority)
            }
            Ident => {
                let name = self.text(self.span()).to_string();
                let help = format!("a tuple is made by its name alone, `{name}(...)`");
                Err(self.no_such("`new` makes sets, vectors, lists, graphs and queues", self.span(), "a name", &help))
            }
            _ => Err(self.unexpected("`vertexset`, `list`, `vector`, `edgeset` or `priority_queue`")),
        }
    }

    fn optional_argument(&mut self) -> Parsed<Option<Box<Expr>>> {
        self.expect(TokenKind::LParen)?;
        if self.eat(TokenKind::RParen) {
            return Ok(None);
        }
        let value = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(Some(Box::new(value)))
    }

    fn new_queue(&mut self, elem: Ident, priority: crate::types::Scalar) -> Parsed<ExprKind> {
        self.expect(TokenKind::LParen)?;
        let dup_within = self.bool_literal()?;
        self.expect(TokenKind::Comma)?;
        let dup_across = self.bool_literal()?;
        self.expect(TokenKind::Comma)?;
        let vector = self.ident("the vector of priorities")?;
        self.expect(TokenKind::Comma)?;
        let order_start = self.span();
        let bucket_order = self.int_literal("the bucket order, 0 or 1")?;
        self.expect(TokenKind::Comma)?;
        let priority_order = self.int_literal("the priority order, 0, 1 or 2")?;
        let order_span = order_start.to(self.previous());
        self.expect(TokenKind::Comma)?;
        let all_queued = self.bool_literal()?;
        self.expect(TokenKind::Comma)?;
        let start = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(ExprKind::NewPriorityQueue(Box::new(NewPriorityQueue {
            elem,
            priority,
            dup_within,
            dup_across,
            vector,
            bucket_order,
            priority_order,
            order_span,
            all_queued,
            start,
        })))
    }

    fn bool_literal(&mut self) -> Parsed<bool> {
        match self.peek() {
            TokenKind::KwTrue | TokenKind::KwFalse => Ok(self.advance().kind == TokenKind::KwTrue),
            _ => Err(self.unexpected("`true` or `false`")),
        }
    }

    /// An integer literal in an expression, up to the greatest `uint_64`.
    fn number_literal(&mut self) -> Parsed<ExprKind> {
        let text = self.text(self.span());
        if let (Err(_), Ok(value), false) = (text.parse::<i64>(), text.parse::<u64>(), text.starts_with('0')) {
            self.advance();
            return Ok(ExprKind::Large(value));
        }
        Ok(ExprKind::Int(self.int_literal("a number")?))
    }

    /// An integer literal. A leading 0 means octal, as in the language's other compilers, with a warning.
    pub(super) fn int_literal(&mut self, what: &str) -> Parsed<i64> {
        if self.peek() != TokenKind::Int {
            return Err(self.unexpected(what));
        }
        let span = self.advance().span;
        let text = self.text(span).to_string();
        let digits = text.trim_start_matches('0');
        let octal = digits.len() < text.len() && !digits.is_empty();
        let value = match (digits, octal) {
            ("", _) => Ok(0),
            (digits, true) => i64::from_str_radix(digits, 8),
            (digits, false) => digits.parse(),
        };
        match value {
            Ok(value) if octal && digits.len() > 1 => {
                self.report(
                    Diagnostic::warning(format!("`{text}` is octal and means {value}"), span, "starts with 0")
                        .help(format!("write `{digits}` if you mean the decimal number")),
                );
                Ok(value)
            }
            Ok(value) => Ok(value),
            Err(_) if octal && digits.contains(['8', '9']) => {
                self.report(
                    Diagnostic::error(
                        "a number that starts with 0 is octal and has no digits 8 or 9",
                        span,
                        "not octal",
                    )
                    .help(format!("write `{digits}` for the decimal number")),
                );
                Err(Fail)
            }
            Err(_) => {
                self.report(
                    Diagnostic::error("this number does not fit in 64 bits", span, "too large")
                        .help(format!("the largest is {}", u64::MAX)),
                );
                Err(Fail)
            }
        }
    }
}

fn unary(op: UnaryOp, start: Span, operand: Expr) -> Expr {
    Expr { span: start.to(operand.span), kind: ExprKind::Unary { op, operand: Box::new(operand) } }
}
