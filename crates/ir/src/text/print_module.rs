//! Printing modules, functions and statements.

use super::keys::{FunctionMeta, HybridMeta};
use super::print_expr::{expr, meta};
use crate::expr::Expr;
use crate::module::{Function, FunctionKind, Global, GlobalInit, Module, Param};
use crate::stmt::{Stmt, StmtKind};
use std::fmt::{self, Write};

/// The text of a module.
pub fn print(module: &Module) -> String {
    written(|out| {
        for element in &module.elements {
            writeln!(out, "element {element};")?;
        }
        if let Some(order) = &module.order {
            let arguments: Vec<String> = order.arguments.iter().map(u32::to_string).collect();
            writeln!(out, "order degree({});", arguments.join(", "))?;
        }
        for g in &module.globals {
            global(out, g)?;
        }
        if !module.startup.is_empty() {
            out.write_str("\nstartup ")?;
            block(out, &module.startup, 0)?;
            out.write_char('\n')?;
        }
        for f in &module.functions {
            out.write_char('\n')?;
            function(out, f)?;
        }
        Ok(())
    })
}

/// The text of one statement, without indentation.
pub fn print_stmt(s: &Stmt) -> String {
    written(|out| stmt(out, s, 0))
}

/// The text of one expression.
pub fn print_expr(e: &Expr) -> String {
    written(|out| expr(out, e))
}

/// Writing into a `String` cannot fail, so the result of the writers carries nothing.
fn written(write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut out = String::new();
    let _ = write(&mut out);
    out
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

fn global(out: &mut String, g: &Global) -> fmt::Result {
    out.write_str(if g.universe { "universe " } else { "global " })?;
    write!(out, "{} : {}", g.name, g.ty)?;
    meta(out, &g.meta)?;
    match &g.init {
        None => {}
        Some(GlobalInit::Value(e)) => {
            out.write_str(" = ")?;
            expr(out, e)?;
        }
        Some(GlobalInit::PerEntry(e)) => {
            out.write_str(" each = ")?;
            expr(out, e)?;
        }
    }
    out.write_str(";\n")
}

fn params(out: &mut String, params: &[Param]) -> fmt::Result {
    for (i, p) in params.iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        write!(out, "{} : {}", p.name, p.ty)?;
    }
    Ok(())
}

fn function(out: &mut String, f: &Function) -> fmt::Result {
    out.write_str(match f.kind {
        FunctionKind::User => "func ",
        FunctionKind::Extern => "extern func ",
        FunctionKind::Export => "export func ",
        FunctionKind::Main => "main func ",
        FunctionKind::Startup => "startup func ",
    })?;
    out.write_str(&f.name)?;
    meta(out, &FunctionMeta { context: f.context, extra: f.extra.clone() })?;
    if !f.captures.is_empty() {
        out.write_char('[')?;
        params(out, &f.captures)?;
        out.write_char(']')?;
    }
    out.write_char('(')?;
    params(out, &f.params)?;
    out.write_char(')')?;
    if let Some(r) = &f.result {
        write!(out, " -> {} : {}", r.name, r.ty)?;
    }
    match &f.body {
        None => out.write_str(";\n"),
        Some(body) => {
            out.write_char(' ')?;
            block(out, body, 0)?;
            out.write_char('\n')
        }
    }
}

fn block(out: &mut String, stmts: &[Stmt], indent: usize) -> fmt::Result {
    if stmts.is_empty() {
        return out.write_str("{}");
    }
    out.write_str("{\n")?;
    for s in stmts {
        stmt(out, s, indent + 1)?;
        out.write_char('\n')?;
    }
    pad(out, indent)?;
    out.write_char('}')
}

fn pad(out: &mut String, indent: usize) -> fmt::Result {
    (0..indent).try_for_each(|_| out.write_str("    "))
}

fn stmt(out: &mut String, s: &Stmt, indent: usize) -> fmt::Result {
    pad(out, indent)?;
    if let Some(label) = &s.label {
        write!(out, "#{label}# ")?;
    }
    match &s.kind {
        StmtKind::VarDecl { name, ty, init } => {
            write!(out, "var {name} : {ty}")?;
            if let Some(e) = init {
                out.write_str(" = ")?;
                expr(out, e)?;
            }
            out.write_char(';')
        }
        StmtKind::Assign { target, value } => {
            expr(out, target)?;
            out.write_str(" = ")?;
            expr(out, value)?;
            out.write_char(';')
        }
        StmtKind::Eval(e) => {
            expr(out, e)?;
            out.write_char(';')
        }
        StmtKind::If { condition, then, otherwise } => {
            out.write_str("if (")?;
            expr(out, condition)?;
            out.write_str(") ")?;
            block(out, then, indent)?;
            if !otherwise.is_empty() {
                out.write_str(" else ")?;
                block(out, otherwise, indent)?;
            }
            Ok(())
        }
        StmtKind::While { condition, body, meta: m } => {
            out.write_str("while")?;
            meta(out, m)?;
            out.write_str(" (")?;
            expr(out, condition)?;
            out.write_str(") ")?;
            block(out, body, indent)
        }
        StmtKind::DoWhile { body, condition } => {
            out.write_str("do ")?;
            block(out, body, indent)?;
            out.write_str(" while (")?;
            expr(out, condition)?;
            out.write_str(");")
        }
        StmtKind::For { var, low, high, body, meta: m } | StmtKind::ParFor { var, low, high, body, meta: m } => {
            out.write_str(if matches!(s.kind, StmtKind::For { .. }) { "for" } else { "par_for" })?;
            meta(out, m)?;
            write!(out, " {var} in (")?;
            expr(out, low)?;
            out.write_str(" : ")?;
            expr(out, high)?;
            out.write_str(") ")?;
            block(out, body, indent)
        }
        StmtKind::Break => out.write_str("break;"),
        StmtKind::Print(e) => {
            out.write_str("print ")?;
            expr(out, e)?;
            out.write_char(';')
        }
        StmtKind::Delete(e) => {
            out.write_str("delete ")?;
            expr(out, e)?;
            out.write_char(';')
        }
        StmtKind::Scope(body) => {
            out.write_str("Scope ")?;
            block(out, body, indent)
        }
        StmtKind::Hybrid(h) => {
            out.write_str("HybridStmt")?;
            meta(out, &HybridMeta::of(&h.decision, &h.extra))?;
            out.write_char('(')?;
            expr(out, &h.graph)?;
            if let Some(f) = &h.frontier {
                out.write_str(", from=")?;
                expr(out, f)?;
            }
            out.write_char(')')?;
            for (i, variant) in h.variants.iter().enumerate() {
                out.write_str(if i == 0 { " " } else { " or " })?;
                block(out, variant, indent)?;
            }
            Ok(())
        }
    }
}
