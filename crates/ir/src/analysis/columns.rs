//! Which columns of tables a program asks for.

use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::module::{GlobalInit, Module};
use crate::walk;

/// The name of a column, as a program gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnName {
    /// It stands in the program.
    Text(String),
    /// It is the argument at this place.
    Argument(usize),
}

/// The columns that a program asks for, each once. A name that the program makes of others is not among them.
pub fn columns(module: &Module) -> Vec<ColumnName> {
    let mut found = Vec::new();
    let mut look = |expr: &Expr| {
        let name = match &expr.kind {
            ExprKind::Column(args) | ExprKind::Builtin(Builtin::EdgeCode | Builtin::VertexCode, args) => args.get(1),
            _ => None,
        };
        let name = match name.map(|name| &name.kind) {
            Some(ExprKind::Str(text)) => ColumnName::Text(text.to_string()),
            Some(ExprKind::Builtin(Builtin::Argv, args)) => match args.first().map(|place| &place.kind) {
                Some(&ExprKind::Int(place)) => ColumnName::Argument(usize::try_from(place).unwrap_or(usize::MAX)),
                _ => return,
            },
            _ => return,
        };
        if !found.contains(&name) {
            found.push(name);
        }
    };
    for global in &module.globals {
        if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
            walk::walk_expr(init, &mut look);
        }
    }
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut look);
    }
    found
}
