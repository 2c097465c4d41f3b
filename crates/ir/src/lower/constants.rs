//! Constants: global numbers that are worked out from literals and other constants and never assigned. Their values
//! stand in place of their names, so that passes and machines see the number.

use std::collections::HashSet;

use crate::expr::{Expr, ExprKind};
use crate::types::{Scalar, Type};
use gw_lang::builtin::Builtin;
use gw_lang::typed::{self, BinaryOp, Init, StmtKind, TypedProgram};
use gw_lang::types::GlobalId;
use gw_lang::visit;

/// The value of every global that is a constant, by the number of the global.
pub(super) fn constants(program: &TypedProgram) -> Vec<Option<Expr>> {
    let assigned = assigned(program);
    let mut known: Vec<Option<Expr>> = Vec::with_capacity(program.globals.len());
    for (at, global) in program.globals.iter().enumerate() {
        let scalar = global.ty.numeric().filter(|_| matches!(global.ty, gw_lang::Type::Scalar(_)));
        let value = match (&global.init, scalar) {
            (Some(Init::Value(value)), Some(scalar)) if !assigned.contains(&GlobalId(at as u32)) => {
                evaluate(value, &known).filter(Number::is_finite).map(|number| number.into_expr(scalar))
            }
            _ => None,
        };
        known.push(value);
    }
    known
}

/// The globals whose value a function changes.
fn assigned(program: &TypedProgram) -> HashSet<GlobalId> {
    let mut found = HashSet::new();
    for function in &program.functions {
        visit::stmts(&function.body, &mut |stmt| {
            if let StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } = &stmt.kind
                && let typed::Var::Global(id) = target.var
            {
                found.insert(id);
            }
            visit::exprs(stmt, &mut |e| {
                let typed::ExprKind::Builtin { builtin: Builtin::ListRetrieve, args } = &e.kind else { return };
                found.extend(args.iter().filter_map(|arg| match arg.kind {
                    typed::ExprKind::Var(typed::Var::Global(id)) => Some(id),
                    _ => None,
                }));
            });
        });
    }
    found
}

/// A number that is known.
#[derive(Clone, Copy)]
enum Number {
    /// A whole number or truth value, wrapped to its type.
    Whole(i64),
    Real(f64),
}

impl Number {
    fn into_expr(self, scalar: Scalar) -> Expr {
        match self {
            Number::Whole(value) if scalar == Scalar::Bool => Expr::bool(value != 0),
            Number::Whole(value) => Expr::new(ExprKind::Int(value), Type::Scalar(scalar)),
            Number::Real(value) => Expr::new(ExprKind::Float(value), Type::Scalar(scalar)),
        }
    }

    fn is_finite(&self) -> bool {
        !matches!(self, Number::Real(value) if !value.is_finite())
    }

    fn of(expr: &Expr) -> Option<Number> {
        match expr.kind {
            ExprKind::Int(value) => Some(Number::Whole(value)),
            ExprKind::Float(value) => Some(Number::Real(value)),
            ExprKind::Bool(value) => Some(Number::Whole(i64::from(value))),
            _ => None,
        }
    }
}

/// The value of an expression of literals and constants, as a machine would compute it; `None` for all else, and where
/// a machine would end the run.
fn evaluate(expr: &typed::Expr, known: &[Option<Expr>]) -> Option<Number> {
    let scalar = expr.ty.numeric()?;
    match &expr.kind {
        typed::ExprKind::Int(value) => Some(Number::Whole(*value)),
        typed::ExprKind::Float(value) => Some(rounded(*value, scalar)),
        typed::ExprKind::Bool(value) => Some(Number::Whole(i64::from(*value))),
        typed::ExprKind::Var(typed::Var::Global(id)) => known.get(id.0 as usize)?.as_ref().and_then(Number::of),
        typed::ExprKind::Neg(inner) => match evaluate(inner, known)? {
            Number::Whole(value) => wrapped(value.wrapping_neg(), scalar),
            Number::Real(value) => Some(rounded(-value, scalar)),
        },
        typed::ExprKind::Convert(inner) => match (evaluate(inner, known)?, scalar) {
            (Number::Whole(value), Scalar::Bool) => Some(Number::Whole(i64::from(value != 0))),
            (Number::Whole(value), to) if to.is_whole() => wrapped(value, to),
            // From 2^53 on the way of the conversion matters.
            (Number::Whole(value), to) if value.unsigned_abs() < 1 << 53 => Some(rounded(value as f64, to)),
            (Number::Real(value), to) if to.is_float() => Some(rounded(value, to)),
            _ => None,
        },
        typed::ExprKind::Binary { op, left, right } => {
            let of = left.ty.numeric()?;
            match (evaluate(left, known)?, evaluate(right, known)?) {
                (Number::Whole(left), Number::Whole(right)) if of == scalar && scalar.is_whole() => {
                    let value = match op {
                        BinaryOp::Add => left.wrapping_add(right),
                        BinaryOp::Sub => left.wrapping_sub(right),
                        BinaryOp::Mul => left.wrapping_mul(right),
                        BinaryOp::Div if scalar.is_signed() => left.checked_div(right)?,
                        _ => return None,
                    };
                    wrapped(value, scalar)
                }
                (Number::Real(left), Number::Real(right)) if of == scalar => {
                    let value = match op {
                        BinaryOp::Add => left + right,
                        BinaryOp::Sub => left - right,
                        BinaryOp::Mul => left * right,
                        BinaryOp::Div => left / right,
                        _ => return None,
                    };
                    Some(rounded(value, scalar))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A whole number of a type; `None` where the type has none.
fn wrapped(value: i64, scalar: Scalar) -> Option<Number> {
    Some(Number::Whole(match scalar {
        Scalar::Int => i64::from(value as i32),
        Scalar::Uint => i64::from(value as u32),
        Scalar::Int64 => value,
        Scalar::Uint64 if value >= 0 => value,
        _ => return None,
    }))
}

/// A real of a type. The sum, difference, product and quotient of two floats are the same whether they are worked out
/// in double precision first or not.
fn rounded(value: f64, scalar: Scalar) -> Number {
    match scalar {
        Scalar::Float => Number::Real(f64::from(value as f32)),
        _ => Number::Real(value),
    }
}
