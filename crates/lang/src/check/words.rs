//! Operators on the bits of whole numbers, `mod` between operands, and random numbers by counter.

use super::convert::{convert, int_literal};
use super::expr::{arithmetic_type, builtin, node};
use super::{Checked, Checker};
use crate::ast::{self, BinaryOp, WordOp};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind};
use crate::types::{Scalar, Type};

/// Bits of a random word that make a `float` below 1: as many as a `float` holds exactly.
const FLOAT_BITS: i64 = 24;

impl Checker {
    /// `a mod b`, `a & b`, `a << n` and their like.
    pub(super) fn word(
        &mut self,
        op: WordOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let shift = matches!(op, WordOp::ShiftLeft | WordOp::ShiftRight);
        let left = self.expr(left, hint);
        // `mask | 1 << k` has the width of the mask.
        let wide = left.as_ref().ok().map(|left| left.ty.clone()).filter(is_wide);
        let right = self.expr(right, if shift { None } else { wide.as_ref().or(hint) });
        let (left, right) = (left?, right?);
        let what = format!("`{}`", op.symbol());
        let (a, b) = match op {
            WordOp::Mod => (self.number(&left, &what), self.number(&right, &what)),
            _ => (self.whole(op, &left), self.whole(op, &right)),
        };
        let (a, b) = (a?, b?);
        let to = match (shift, hint) {
            // The width of `1 << k` is that of what it becomes.
            (true, Some(ty)) if is_wide(ty) && matches!(left.kind, ExprKind::Int(_)) => ty.repr().unwrap_or(a),
            (true, _) => a.common(Scalar::Int).unwrap_or(Scalar::Int),
            (false, _) => arithmetic_type(&left, a, &right, b, false),
        };
        self.advise(op, &left, &right, to, span);
        let ty = Type::Scalar(to);
        let args = vec![convert(left, a, to, &ty), convert(right, b, to, &ty)];
        let which = match op {
            WordOp::Mod => Builtin::Mod,
            WordOp::And => Builtin::BitAnd,
            WordOp::Or => Builtin::BitOr,
            WordOp::Xor => Builtin::BitXor,
            WordOp::ShiftLeft => Builtin::ShiftLeft,
            WordOp::ShiftRight => Builtin::ShiftRight,
        };
        Ok(builtin(which, args, ty, span))
    }

    /// `~a`.
    pub(super) fn bit_not(&mut self, operand: &ast::Expr, span: Span, hint: Option<&Type>) -> Checked<Expr> {
        let value = self.expr(operand, hint)?;
        let from = self.whole_number(&value, "`~`", "write `not` for the opposite of a truth value")?;
        let to = match hint {
            // `~0` has the width of what it becomes.
            Some(ty) if is_wide(ty) && matches!(value.kind, ExprKind::Int(_)) => ty.repr().unwrap_or(from),
            _ => from.common(Scalar::Int).unwrap_or(Scalar::Int),
        };
        let ty = Type::Scalar(to);
        Ok(builtin(Builtin::BitNot, vec![convert(value, from, to, &ty)], ty, span))
    }

    /// `popcount(a)`.
    pub(super) fn popcount(&mut self, arg: &ast::Expr, span: Span) -> Checked<Expr> {
        let value = self.expr(arg, None)?;
        let from = self.whole_number(&value, "`popcount`", "it counts the bits of a whole number")?;
        let to = from.common(Scalar::Int).unwrap_or(Scalar::Int);
        let ty = Type::Scalar(to);
        Ok(builtin(Builtin::PopCount, vec![convert(value, from, to, &ty)], Type::INT, span))
    }

    /// `randomBits(seed, a, b)`, and `random(seed, a, b)` as the upper bits of it, scaled to [0, 1).
    pub(super) fn random(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        let word = Type::Scalar(Scalar::Uint64);
        let what = format!("`{name}`");
        let values: Vec<_> = args
            .iter()
            .map(|arg| {
                let value = self.expr(arg, None)?;
                let from = self.whole_number(&value, &what, "it takes whole numbers: a seed and two counters")?;
                Ok(convert(value, from, Scalar::Uint64, &word))
            })
            .collect();
        let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
        let bits = builtin(Builtin::RandomBits, values, word.clone(), span);
        if name == "randomBits" {
            return Ok(bits);
        }
        let drop = int_literal(64 - FLOAT_BITS, span);
        let upper = vec![bits, convert(drop, Scalar::Int, Scalar::Uint64, &word)];
        let upper = builtin(Builtin::ShiftRight, upper, word, span);
        let left = Box::new(convert(upper, Scalar::Uint64, Scalar::Float, &Type::FLOAT));
        let unit = 1.0 / (1i64 << FLOAT_BITS) as f64;
        let right = Box::new(node(ExprKind::Float(unit), Type::FLOAT, span));
        Ok(node(ExprKind::Binary { op: BinaryOp::Mul, left, right }, Type::FLOAT, span))
    }

    fn whole(&mut self, op: WordOp, value: &Expr) -> Checked<Scalar> {
        let help = match op {
            WordOp::Xor => "`^` is the exclusive or of bits; write `pow(x, y)` for a power",
            _ => "bits are those of whole numbers",
        };
        self.whole_number(value, &format!("`{}`", op.symbol()), help)
    }

    /// The type of a whole number, or an error.
    fn whole_number(&mut self, value: &Expr, what: &str, help: &str) -> Checked<Scalar> {
        let scalar = self.number(value, what)?;
        if !scalar.is_float() {
            return Ok(scalar);
        }
        Err(self.report(
            Diagnostic::error(
                format!("{what} needs a whole number but this is {scalar}"),
                value.span,
                format!("this is {scalar}"),
            )
            .help(help),
        ))
    }

    /// Warns of what is allowed and rarely meant.
    fn advise(&mut self, op: WordOp, left: &Expr, right: &Expr, to: Scalar, span: Span) {
        let width: i64 = if is_wide(&Type::Scalar(to)) { 64 } else { 32 };
        let diagnostic = match (op, &left.kind, &right.kind) {
            (WordOp::Xor, ExprKind::Int(base @ (2 | 10)), _) => {
                Diagnostic::warning("`^` is the exclusive or of bits, not a power", span, "combines bits")
                    .help(format!("write `pow({base}, x)` for a power"))
            }
            (WordOp::ShiftLeft | WordOp::ShiftRight, _, ExprKind::Int(count)) if !(0..width).contains(count) => {
                let becomes = count.rem_euclid(width);
                Diagnostic::warning(
                    format!("{to} has {width} bits: a shift by {count} is one by {becomes}"),
                    right.span,
                    "too far",
                )
                .help(format!("shift by 0 to {}", width - 1))
            }
            _ => return,
        };
        self.report(diagnostic);
    }
}

/// Whether values of a type have 64 bits and are whole.
fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Int64 | Scalar::Uint64))
}
