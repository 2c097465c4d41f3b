//! Printing expressions and operators.

use super::keys::{DedupMeta, Meta};
use super::value::{quote, word};
use crate::expr::{Expr, ExprKind, FunctionRef, PriorityOp, UnaryOp};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::types::{Scalar, Type};
use std::fmt::{self, Write};

/// Writes `<key=value, ...>`, or nothing when all is at its default.
pub(super) fn meta(out: &mut String, meta: &dyn Meta) -> fmt::Result {
    let entries = meta.entries();
    if entries.is_empty() {
        return Ok(());
    }
    out.write_char('<')?;
    for (i, (key, value)) in entries.iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        write!(out, "{key}={value}")?;
    }
    out.write_char('>')
}

fn list(out: &mut String, exprs: &[Expr], first: bool) -> fmt::Result {
    for (i, e) in exprs.iter().enumerate() {
        if i > 0 || !first {
            out.write_str(", ")?;
        }
        expr(out, e)?;
    }
    Ok(())
}

/// Writes a function with its captured values: `f` or `f[a, b]`.
pub(super) fn function_ref(out: &mut String, f: &FunctionRef) -> fmt::Result {
    out.write_str(&f.name)?;
    if !f.captures.is_empty() {
        out.write_char('[')?;
        list(out, &f.captures, true)?;
        out.write_char(']')?;
    }
    Ok(())
}

/// Writes an operand of a unary or binary operator: in parentheses when it is one itself.
fn operand(out: &mut String, e: &Expr) -> fmt::Result {
    if matches!(e.kind, ExprKind::Binary(..) | ExprKind::Unary(..)) {
        out.write_char('(')?;
        expr(out, e)?;
        out.write_char(')')
    } else {
        expr(out, e)
    }
}

/// Writes an expression.
pub(super) fn expr(out: &mut String, e: &Expr) -> fmt::Result {
    match &e.kind {
        ExprKind::Int(v) => {
            write!(out, "{v}")?;
            match e.ty {
                Type::Scalar(Scalar::Uint) => out.write_char('u'),
                Type::Scalar(Scalar::Int64) => out.write_char('l'),
                Type::Scalar(Scalar::Uint64) => out.write_str("ul"),
                _ => Ok(()),
            }
        }
        ExprKind::Float(v) => {
            write!(out, "{v:?}")?;
            if e.ty == Type::Scalar(Scalar::Float) { out.write_char('f') } else { Ok(()) }
        }
        ExprKind::Bool(b) => write!(out, "{b}"),
        ExprKind::Str(s) => quote(out, s),
        ExprKind::Var(name) => out.write_str(name),
        ExprKind::Element { vector, index, access } => {
            expr(out, vector)?;
            out.write_char('[')?;
            expr(out, index)?;
            out.write_char(']')?;
            match access {
                Some(a) => write!(out, "<{}, {}>", word(&a.sharing), word(&a.mode)),
                None => Ok(()),
            }
        }
        ExprKind::Unary(UnaryOp::Neg, a) => {
            out.write_str("-(")?;
            expr(out, a)?;
            out.write_char(')')
        }
        ExprKind::Unary(UnaryOp::Not, a) => {
            out.write_str("not ")?;
            operand(out, a)
        }
        ExprKind::Binary(op, a, b) => {
            operand(out, a)?;
            write!(out, " {} ", op.symbol())?;
            operand(out, b)
        }
        ExprKind::Convert(a) => {
            write!(out, "Convert({}, ", e.ty)?;
            expr(out, a)?;
            out.write_char(')')
        }
        ExprKind::Call { function, args } => {
            out.write_str("Call(")?;
            function_ref(out, function)?;
            list(out, args, false)?;
            out.write_char(')')
        }
        ExprKind::Builtin(b, args) => {
            write!(out, "{}(", b.name())?;
            list(out, args, true)?;
            out.write_char(')')
        }
        ExprKind::Reduce { op, target, value, meta: m } => {
            out.write_str("Reduce")?;
            meta(out, m)?;
            write!(out, "({}, ", word(op))?;
            expr(out, target)?;
            out.write_str(", ")?;
            expr(out, value)?;
            out.write_char(')')
        }
        ExprKind::CompareAndSwap { target, expect, value, meta: m } => {
            out.write_str("CompareAndSwap")?;
            meta(out, m)?;
            out.write_char('(')?;
            expr(out, target)?;
            out.write_str(", ")?;
            expr(out, expect)?;
            out.write_str(", ")?;
            expr(out, value)?;
            out.write_char(')')
        }
        ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta: m } => {
            let name = match op {
                PriorityOp::Min => "PriorityUpdateMin",
                PriorityOp::Max => "PriorityUpdateMax",
                PriorityOp::Sum => "PriorityUpdateSum",
            };
            out.write_str(name)?;
            meta(out, m)?;
            out.write_char('(')?;
            expr(out, queue)?;
            out.write_str(", ")?;
            expr(out, vertex)?;
            let bound = |out: &mut String| match bound {
                Some(b) => {
                    out.write_str(", ")?;
                    expr(out, b)
                }
                None => out.write_str(", _"),
            };
            if *op != PriorityOp::Sum {
                bound(out)?;
            }
            out.write_str(", ")?;
            expr(out, value)?;
            if *op == PriorityOp::Sum {
                bound(out)?;
            }
            out.write_char(')')
        }
        ExprKind::EnqueueVertex { set, vertex, meta: m } => {
            out.write_str("EnqueueVertex")?;
            meta(out, m)?;
            write!(out, "({set}, ")?;
            expr(out, vertex)?;
            out.write_char(')')
        }
        ExprKind::Intersection { args, meta: m } => {
            out.write_str("Intersection")?;
            meta(out, m)?;
            out.write_char('(')?;
            list(out, args, true)?;
            out.write_char(')')
        }
        ExprKind::IntersectNeighbor { args, meta: m } => {
            out.write_str("IntersectNeighbor")?;
            meta(out, m)?;
            out.write_char('(')?;
            list(out, args, true)?;
            out.write_char(')')
        }
        ExprKind::Groups(g) => groups(out, g),
        ExprKind::VertexSetAlloc(size) => typed(out, "VertexSetAlloc", &e.ty, std::slice::from_ref(size)),
        ExprKind::Universe(Some(count)) => typed(out, "Universe", &e.ty, std::slice::from_ref(count)),
        ExprKind::Universe(None) => typed(out, "Universe", &e.ty, &[] as &[Expr]),
        ExprKind::VectorAlloc => typed(out, "VectorAlloc", &e.ty, &[] as &[Expr]),
        ExprKind::VectorFill(value) => typed(out, "VectorFill", &e.ty, std::slice::from_ref(value)),
        ExprKind::VectorLiteral(items) => typed(out, "VectorLiteral", &e.ty, items),
        ExprKind::ListAlloc => typed(out, "ListAlloc", &e.ty, &[] as &[Expr]),
        ExprKind::EdgeSetLoad(file) => typed(out, "EdgeSetLoad", &e.ty, std::slice::from_ref(file)),
        ExprKind::VectorLoad(text) => typed(out, "VectorLoad", &e.ty, std::slice::from_ref(text)),
        ExprKind::Column(args) => typed(out, "Column", &e.ty, args),
        ExprKind::PriorityQueueAlloc(q) => {
            out.write_str("PriorityQueueAlloc")?;
            meta(out, &q.meta)?;
            write!(
                out,
                "({}, {}, {}, {}, {}, {}, {}, ",
                e.ty,
                q.duplicates_within,
                q.duplicates_across,
                q.vector,
                q.increasing,
                q.priority_order,
                q.all_vertices
            )?;
            expr(out, &q.start)?;
            out.write_char(')')
        }
        ExprKind::Operator(op) => operator(out, op),
    }
}

/// Writes `Groups(graph, vertex, key=f, SUM=g, best=h, own=x)`.
fn groups(out: &mut String, g: &NeighbourGroups) -> fmt::Result {
    out.write_str("Groups(")?;
    expr(out, &g.graph)?;
    out.write_str(", ")?;
    expr(out, &g.vertex)?;
    let function = |out: &mut String, key: &str, f: &FunctionRef| {
        write!(out, ", {key}=")?;
        function_ref(out, f)
    };
    function(out, "key", &g.key)?;
    if let Some(value) = &g.value {
        function(out, word(&g.combine), value)?;
    }
    match &g.choice {
        GroupChoice::Best { score, own } => {
            function(out, "best", score)?;
            if let Some(own) = own {
                out.write_str(", own=")?;
                expr(out, own)?;
            }
        }
        GroupChoice::Each(visit) => function(out, "each", visit)?,
        GroupChoice::Count => out.write_str(", count")?,
        GroupChoice::LeastAbsent => out.write_str(", least_absent")?,
    }
    out.write_char(')')
}

/// Writes a node whose first argument is its type.
fn typed<E: std::borrow::Borrow<Expr>>(out: &mut String, name: &str, ty: &Type, args: &[E]) -> fmt::Result {
    write!(out, "{name}({ty}")?;
    for a in args {
        out.write_str(", ")?;
        expr(out, a.borrow())?;
    }
    out.write_char(')')
}

fn filter(out: &mut String, side: &str, filter: &VertexFilter) -> fmt::Result {
    match filter {
        VertexFilter::All => Ok(()),
        VertexFilter::Set(set) => {
            write!(out, ", {side}=")?;
            expr(out, set)
        }
        VertexFilter::Function(f) => {
            write!(out, ", {side}=where ")?;
            function_ref(out, f)
        }
    }
}

/// Writes `(graph, from=..., to=..., apply=..., output` without the closing parenthesis.
fn edges(out: &mut String, e: &EdgeSetIterator) -> fmt::Result {
    out.write_char('(')?;
    expr(out, &e.graph)?;
    filter(out, "from", &e.from)?;
    filter(out, "to", &e.to)?;
    out.write_str(", apply=")?;
    function_ref(out, &e.apply)?;
    let duplicates = |d: bool| if d { ", duplicates" } else { "" };
    match &e.output {
        EdgeOutput::None => Ok(()),
        EdgeOutput::Modified { vector, duplicates: d } => write!(out, ", modified={vector}{}", duplicates(*d)),
        EdgeOutput::Accepted { duplicates: d } => write!(out, ", accepted{}", duplicates(*d)),
    }
}

/// Writes an operator.
pub(super) fn operator(out: &mut String, op: &Operator) -> fmt::Result {
    out.write_str(op.name())?;
    match op {
        Operator::EdgeSetIterator(e) => {
            meta(out, &e.meta)?;
            edges(out, e)?;
        }
        Operator::UpdatePriorityEdgeSetIterator(u) => {
            meta(out, &u.edges.meta)?;
            edges(out, &u.edges)?;
            out.write_str(", queue=")?;
            expr(out, &u.queue)?;
            meta(out, &u.queue_meta)?;
        }
        Operator::VertexSetIterator(v) => {
            meta(out, &v.meta)?;
            out.write_char('(')?;
            expr(out, &v.set)?;
            out.write_str(", apply=")?;
            function_ref(out, &v.apply)?;
        }
        Operator::VertexSetFilter(v) => {
            meta(out, &v.meta)?;
            out.write_char('(')?;
            expr(out, &v.set)?;
            out.write_str(", where=")?;
            function_ref(out, &v.filter)?;
        }
        Operator::VertexSetDedup(d) => {
            meta(out, &DedupMeta { perfect: d.perfect, extra: d.extra.clone() })?;
            out.write_char('(')?;
            expr(out, &d.set)?;
        }
        Operator::UpdatePriorityExtern(u) => {
            meta(out, &u.meta)?;
            out.write_char('(')?;
            expr(out, &u.set)?;
            out.write_str(", apply=")?;
            function_ref(out, &u.function)?;
            out.write_str(", queue=")?;
            expr(out, &u.queue)?;
        }
        Operator::UpdateBuckets(u) => {
            meta(out, &u.meta)?;
            out.write_char('(')?;
            expr(out, &u.queue)?;
            out.write_str(", modified=")?;
            expr(out, &u.modified)?;
        }
        Operator::OrderedProcessing(o) => {
            meta(out, &o.meta)?;
            out.write_char('(')?;
            expr(out, &o.queue)?;
            out.write_str(", while=")?;
            expr(out, &o.condition)?;
            out.write_str(", EdgeSetIterator")?;
            meta(out, &o.edges.meta)?;
            edges(out, &o.edges)?;
            out.write_char(')')?;
        }
    }
    out.write_char(')')
}
