//! Lengths of vectors that have a name: constants, and variables that say at run time how many entries there are.
//!
//! A global of whole numbers is a constant where its initial value is worked out from literals and other constants
//! alone and nothing in the program assigns it. A vector whose length is a constant is one of fixed length. Any other
//! global of whole numbers is read when the vector is made, so that rows can be as long as an argument or a graph says.

use super::{Checked, Checker, Fail};
use crate::ast::{self, Ast, BinaryOp, Expr, ExprKind, Ident, Item, Stmt, StmtKind, UnaryOp, WordOp};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest::nearest;
use crate::types::{GlobalId, IndexKind, Scalar};
use std::collections::{HashMap, HashSet};

/// The globals of a program as lengths of vectors, known before any of them is checked.
#[derive(Default)]
pub(super) struct Lengths {
    /// Every global by its name, in order of declaration.
    globals: HashMap<String, GlobalId>,
    names: Vec<String>,
    /// The values of constants.
    constants: HashMap<String, i64>,
    /// Globals that the program names as lengths, each with the place where it does so first.
    used: Vec<(GlobalId, Span)>,
}

impl Lengths {
    /// Looks through the declarations and functions of a program.
    pub(super) fn of(ast: &Ast) -> Lengths {
        let mut lengths = Lengths::default();
        let mut assigned = HashSet::new();
        for item in &ast.items {
            if let Item::Func(func) = item {
                note_assigned(&func.body, &mut assigned);
            }
        }
        for item in &ast.items {
            let Item::Const(decl) = item else { continue };
            let name = &decl.name.name;
            if lengths.globals.contains_key(name) {
                continue;
            }
            lengths.globals.insert(name.clone(), GlobalId(lengths.names.len() as u32));
            lengths.names.push(name.clone());
            let whole = match decl.ty.as_ref().map(|ty| &ty.kind) {
                Some(ast::TypeExprKind::Scalar(scalar)) => scalar.is_whole().then_some(*scalar),
                Some(_) => None,
                None => Some(Scalar::Int64),
            };
            if let (Some(scalar), Some(ast::Init::Expr(value)), false) = (whole, &decl.init, assigned.contains(name))
                && let Some(value) = lengths.value(value).filter(|value| holds(scalar, *value))
            {
                lengths.constants.insert(name.clone(), value);
            }
        }
        lengths
    }

    /// The name of a global, for types in messages.
    pub(super) fn name(&self, id: GlobalId) -> String {
        self.names.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// A whole number worked out from literals and constants; `None` where it is something else or overflows.
    fn value(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Name(name) => self.constants.get(name).copied(),
            ExprKind::Unary { op: UnaryOp::Neg, operand } => self.value(operand)?.checked_neg(),
            ExprKind::Unary { op: UnaryOp::Plus, operand } => self.value(operand),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    BinaryOp::Div => left.checked_div(right),
                    _ => None,
                }
            }
            ExprKind::Word { op: WordOp::Mod, left, right } => self.value(left)?.checked_rem(self.value(right)?),
            ExprKind::Word { op: WordOp::ShiftLeft, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                (0..31).contains(&right).then(|| left.checked_mul(1 << right))?
            }
            _ => None,
        }
    }
}

/// Whether arithmetic in this type cannot have gone wrong on the way to the value: only small numbers make lengths.
fn holds(scalar: Scalar, value: i64) -> bool {
    match scalar {
        Scalar::Uint | Scalar::Uint64 => (0..1 << 31).contains(&value),
        _ => (-(1 << 31)..1 << 31).contains(&value),
    }
}

/// Gathers the names that statements assign. A local of the same name counts, too: it only makes a constant a variable.
fn note_assigned(body: &[Stmt], names: &mut HashSet<String>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => note_name(target, names),
            // `list.retrieve(x)` assigns `x`.
            StmtKind::Expr(Expr { kind: ExprKind::Method { name, args, .. }, .. }) if name.name == "retrieve" => {
                args.iter().for_each(|arg| note_name(arg, names));
            }
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| note_assigned(body, names));
                note_assigned(otherwise.as_deref().unwrap_or_default(), names);
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForEach { body, .. } => note_assigned(body, names),
            _ => {}
        }
    }
}

fn note_name(expr: &Expr, names: &mut HashSet<String>) {
    if let ExprKind::Name(name) = &expr.kind {
        names.insert(name.clone());
    }
}

impl Checker {
    /// What a vector is indexed by whose length is the value of this name.
    pub(super) fn named_length(&mut self, name: &Ident) -> Checked<IndexKind> {
        if let Some(&value) = self.lengths.constants.get(&name.name) {
            return self.fixed_length(value, name.span);
        }
        if let Some(&id) = self.lengths.globals.get(&name.name) {
            if !self.lengths.used.iter().any(|(used, _)| *used == id) {
                self.lengths.used.push((id, name.span));
            }
            return Ok(IndexKind::Counted(id));
        }
        if self.saturated() {
            return Err(Fail);
        }
        let diagnostic = match self.is_variable(&name.name) {
            true => Diagnostic::error(
                format!("`{}` is a local variable, and the length of a vector is a number or a global", name.name),
                name.span,
                "not a global",
            )
            .help(format!(
                "declare `const {0} : int;` at top level and assign it before the vector is made",
                name.name
            )),
            false => {
                let near = nearest(&name.name, self.lengths.names.iter().map(String::as_str)).map(str::to_string);
                let message = format!("there is no global `{}` to be the length of a vector", name.name);
                let diagnostic = Diagnostic::error(message, name.span, "unknown name");
                match near {
                    Some(near) => diagnostic.did_you_mean(Some(&near)),
                    None if matches!(self.symbols.get(&name.name), Some(super::Symbol::Element(_))) => {
                        diagnostic.help(format!("one entry per `{0}` is written in braces: `vector{{{0}}}`", name.name))
                    }
                    None => diagnostic.help(format!("declare it at top level: `const {} : int = ...;`", name.name)),
                }
            }
        };
        Err(self.report(diagnostic))
    }

    /// A length that is known now.
    pub(super) fn fixed_length(&mut self, length: i64, span: Span) -> Checked<IndexKind> {
        /// Longest fixed-size vector; larger data belongs in a vector per element.
        const MAX_FIXED: i64 = 1 << 20;
        match u32::try_from(length) {
            Ok(entries) if (1..=MAX_FIXED).contains(&length) => Ok(IndexKind::Fixed(entries)),
            _ => Err(self.error(
                format!("a fixed vector has between 1 and {MAX_FIXED} entries, not {length}"),
                span,
                "impossible length",
            )),
        }
    }

    /// Reports lengths that are no whole numbers.
    pub(super) fn judge_lengths(&mut self) {
        if self.found[0] > 0 {
            return;
        }
        for (id, span) in std::mem::take(&mut self.lengths.used) {
            let global = self.program.global(id);
            if global.ty.repr().is_some_and(Scalar::is_whole) {
                continue;
            }
            let (name, place, shown) = (global.name.clone(), global.span, self.show(&global.ty));
            self.report(
                Diagnostic::error(format!("`{name}` is {shown}, but a length is a whole number"), span, "a length")
                    .also(place, "declared here")
                    .help(format!("declare `{name}` as an int")),
            );
        }
    }
}
