//! C-like numeric conversions, written into the tree; literals are converted on the spot.

use super::expr::builtin;
use super::{Checked, Checker};
use crate::ast::BinaryOp;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind};
use crate::types::{Scalar, Type};

impl Checker {
    /// The expression as a value of type `target`, or an error that says what was wanted `for_what`.
    pub(super) fn coerce(&mut self, expr: Expr, target: &Type, for_what: &str) -> Checked<Expr> {
        if let (Some(from), Some(to)) = (expr.ty.numeric(), target.numeric()) {
            let vertex = matches!(target, Type::Element(_));
            let expr = if vertex { self.within_int(expr)? } else { expr };
            self.fits(&expr, to);
            // Only an `int` stands for a vertex; other numbers become one first.
            if vertex && !matches!(expr.kind, ExprKind::Int(_)) {
                return Ok(convert(expr, from, to, &Type::INT));
            }
            return Ok(convert(expr, from, to, target));
        }
        if same(&expr.ty, target) {
            return Ok(expr);
        }
        // `getVertices()` is a count; where a set is wanted it means the set of all vertices.
        if let Type::VertexSet(elem) = target
            && is_vertex_count(&expr)
        {
            let span = expr.span;
            let size = Box::new(expr);
            return Ok(Expr { kind: ExprKind::NewVertexSet { elem: *elem, size }, ty: target.clone(), span });
        }
        Err(self.mismatch(&expr, target, for_what))
    }

    /// Warns of a literal that is too large for the type it becomes.
    fn fits(&mut self, expr: &Expr, to: Scalar) {
        let value = match expr.kind {
            ExprKind::Int(value) if value >= 0 => value as u64,
            _ => match large(expr) {
                Some(value) => value,
                None => return,
            },
        };
        let most = match to {
            Scalar::Int => i32::MAX as u64,
            Scalar::Uint => u64::from(u32::MAX),
            Scalar::Int64 => i64::MAX as u64,
            _ => return,
        };
        if value > most {
            let becomes = wrap(value as i64, to);
            let larger = if value > i64::MAX as u64 { "`uint_64`" } else { "`int_64`" };
            self.report(
                Diagnostic::warning(
                    format!("{value} does not fit in {to} and becomes {becomes}"),
                    expr.span,
                    "too large",
                )
                .help(format!("the largest {to} is {most}; {larger} holds larger numbers")),
            );
        }
    }

    pub(super) fn mismatch(&mut self, expr: &Expr, target: &Type, for_what: &str) -> super::Fail {
        let span = expr.span;
        if expr.ty == Type::Void {
            return self.error(format!("this gives no value, but {for_what} needs one"), span, "has no value");
        }
        let found = self.show(&expr.ty);
        let wanted = self.show(target);
        let mut diagnostic = Diagnostic::error(
            format!("{for_what} needs {wanted} but this is {found}"),
            span,
            format!("this is {found}"),
        );
        if expr.ty == Type::STRING && target.numeric().is_some() {
            diagnostic = diagnostic.help("turn a string into a number with `atoi(...)`");
        }
        self.report(diagnostic)
    }

    /// The expression as a truth value; numbers are true when not zero.
    pub(super) fn truth(&mut self, expr: Expr, for_what: &str) -> Checked<Expr> {
        self.coerce(expr, &Type::BOOL, for_what)
    }

    /// The expression as an index or vertex id: vertex ids stay, other numbers become `int`.
    pub(super) fn index(&mut self, expr: Expr, for_what: &str) -> Checked<Expr> {
        match expr.ty {
            Type::Element(_) => Ok(expr),
            _ => {
                let expr = self.within_int(expr)?;
                self.coerce(expr, &Type::INT, for_what)
            }
        }
    }

    /// A number of 64 bits that becomes an index or a vertex. It must not become a small one by losing its upper
    /// half: what is too large for an `int` becomes the largest, which no vector and no graph has, and what is below 0
    /// becomes -1.
    fn within_int(&mut self, expr: Expr) -> Checked<Expr> {
        const MOST: i64 = i32::MAX as i64;
        let span = expr.span;
        let literal = match expr.kind {
            ExprKind::Int(value) => (value > MOST).then_some(value as u64),
            _ => large(&expr),
        };
        match literal {
            Some(value) => {
                let message = format!("{value} is not an index: indices and vertices are at most {MOST}");
                Err(self.error(message, span, "too large"))
            }
            None if matches!(expr.ty, Type::Scalar(Scalar::Int64 | Scalar::Uint64))
                && !matches!(expr.kind, ExprKind::Int(_)) =>
            {
                let ty = expr.ty.clone();
                let bound = |value| Expr { kind: ExprKind::Int(value), ty: ty.clone(), span };
                let within = builtin(Builtin::Min, vec![expr, bound(MOST)], ty.clone(), span);
                match ty {
                    Type::Scalar(Scalar::Int64) => Ok(builtin(Builtin::Max, vec![within, bound(-1)], ty, span)),
                    _ => Ok(within),
                }
            }
            None => Ok(expr),
        }
    }

    /// The numeric type of an expression, or an error.
    pub(super) fn number(&mut self, expr: &Expr, for_what: &str) -> Checked<Scalar> {
        match expr.ty.numeric() {
            Some(scalar) => Ok(scalar),
            None => {
                if expr.ty == Type::Void {
                    return Err(self.mismatch(expr, &Type::INT, for_what));
                }
                let found = self.show(&expr.ty);
                let mut diagnostic = Diagnostic::error(
                    format!("{for_what} needs a number but this is {found}"),
                    expr.span,
                    format!("this is {found}"),
                );
                if matches!(expr.kind, ExprKind::Str(_)) && for_what == "`+`" {
                    diagnostic = diagnostic.help("strings cannot be joined; `print` the parts one after another");
                } else if expr.ty == Type::STRING {
                    diagnostic = diagnostic.help("turn a string into a number with `atoi(...)`");
                }
                Err(self.report(diagnostic))
            }
        }
    }
}

/// True for `graph.getVertices()`.
pub(super) fn is_vertex_count(expr: &Expr) -> bool {
    use crate::builtin::Builtin;
    matches!(expr.kind, ExprKind::Builtin { builtin: Builtin::VertexCount, .. })
}

/// Types that need no conversion between them; vertex ids and ints are one, also inside vectors.
fn same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Vector { index: i, item: x }, Type::Vector { index: j, item: y }) => i == j && same(x, y),
        (Type::List(x), Type::List(y)) => same(x, y),
        _ => match (a.repr(), b.repr()) {
            (Some(x), Some(y)) => x == y,
            _ => a == b,
        },
    }
}

/// Wraps `expr` in a conversion unless the representation stays; literals are converted here.
pub(super) fn convert(expr: Expr, from: Scalar, to: Scalar, target: &Type) -> Expr {
    let span = expr.span;
    let ty = target.clone();
    let kind = match (expr.kind, to) {
        (ExprKind::Int(v), Scalar::Float | Scalar::Double) => ExprKind::Float(v as f64),
        (ExprKind::Int(v), Scalar::Bool) => ExprKind::Bool(v != 0),
        (ExprKind::Int(v), Scalar::Uint64) if v < 0 => return large_literal(v as u64, span),
        (ExprKind::Int(v), _) => ExprKind::Int(wrap(v, to)),
        (ExprKind::Bool(v), Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64) => ExprKind::Int(i64::from(v)),
        (ExprKind::Float(v), Scalar::Float | Scalar::Double) => ExprKind::Float(v),
        (kind, _) if from == to => {
            return Expr { kind, ty: expr.ty, span };
        }
        (kind, _) => ExprKind::Convert(Box::new(Expr { kind, ty: expr.ty, span })),
    };
    Expr { kind, ty, span }
}

/// The value an integer literal has in an integral type.
fn wrap(value: i64, to: Scalar) -> i64 {
    match to {
        Scalar::Int => i64::from(value as i32),
        Scalar::Uint => i64::from(value as u32),
        _ => value,
    }
}

/// An integer literal with the narrowest type that holds it: `int`, else `uint`, else `int_64`.
pub(super) fn int_literal(value: i64, span: Span) -> Expr {
    let scalar = if i32::try_from(value).is_ok() {
        Scalar::Int
    } else if u32::try_from(value).is_ok() {
        Scalar::Uint
    } else {
        Scalar::Int64
    };
    Expr { kind: ExprKind::Int(value), ty: Type::Scalar(scalar), span }
}

/// A literal beyond the greatest signed number, written as `2 * half + rest`: numbers of the tree are signed, and a
/// conversion to a real takes the sum for the large number it is.
pub(super) fn large_literal(value: u64, span: Span) -> Expr {
    let ty = Type::Scalar(Scalar::Uint64);
    let int = |v: u64| Expr { kind: ExprKind::Int(v as i64), ty: ty.clone(), span };
    let binary = |op: BinaryOp, left: Expr, right: Expr| {
        let (left, right) = (Box::new(left), Box::new(right));
        Expr { kind: ExprKind::Binary { op, left, right }, ty: ty.clone(), span }
    };
    binary(BinaryOp::Add, binary(BinaryOp::Mul, int(2), int(value / 2)), int(value % 2))
}

/// Whether an expression is the literal 2^63, the least that no `int_64` holds.
pub(super) fn is_two_to_the_63(expr: &Expr) -> bool {
    large(expr) == Some(1 << 63)
}

/// -2^63. Without its sign it fits no `int_64`, so that it is a difference.
pub(super) fn least_int_64(span: Span) -> Expr {
    let ty = Type::Scalar(Scalar::Int64);
    let int = |value| Box::new(Expr { kind: ExprKind::Int(value), ty: ty.clone(), span });
    let kind = ExprKind::Binary { op: BinaryOp::Sub, left: int(-i64::MAX), right: int(1) };
    Expr { kind, ty: ty.clone(), span }
}

/// The number that [`large_literal`] wrote as a sum.
fn large(expr: &Expr) -> Option<u64> {
    if expr.ty == Type::Scalar(Scalar::Uint64)
        && let ExprKind::Binary { op: BinaryOp::Add, left, right } = &expr.kind
        && let ExprKind::Binary { op: BinaryOp::Mul, left: two, right: half } = &left.kind
        && let (ExprKind::Int(2), ExprKind::Int(half), ExprKind::Int(rest)) = (&two.kind, &half.kind, &right.kind)
    {
        return Some((*half as u64).wrapping_mul(2).wrapping_add(*rest as u64));
    }
    None
}
