//! Numbers for the operators and loops of a module, so that executor and machine mean the same node.

use std::collections::HashMap;
use std::sync::Arc;

use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::walk;

/// Which operator of a module: an index into [`Sites::operators`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorId(pub usize);

/// Which loop or hybrid statement of a module: an index into [`Sites::statements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub usize);

/// Where a node stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// The enclosing function; `None` in the start-up block.
    pub function: Option<Name>,
    /// Label path from the function body inward, labels joined by colons; empty without labels.
    pub path: Arc<str>,
    /// The statement in the source.
    pub span: Span,
}

/// All operators and all statements that a machine may claim (loops and hybrids) of a module, in the order of the text:
/// start-up first, then functions; parents before children.
#[derive(Debug)]
pub struct Sites<'m> {
    /// Operators with their places.
    pub operators: Vec<(Site, &'m Operator)>,
    /// `while`, `do`, `for`, `par_for` and hybrid statements with their places.
    pub statements: Vec<(Site, &'m Stmt)>,
    operator_at: HashMap<usize, OperatorId>,
    statement_at: HashMap<usize, StatementId>,
}

impl<'m> Sites<'m> {
    /// Numbers the nodes of a module.
    pub fn of(module: &'m Module) -> Self {
        let mut sites = Sites {
            operators: Vec::new(),
            statements: Vec::new(),
            operator_at: HashMap::new(),
            statement_at: HashMap::new(),
        };
        sites.block(&module.startup, None, "");
        for function in &module.functions {
            sites.block(function.body.as_deref().unwrap_or_default(), Some(&function.name), "");
        }
        sites
    }

    /// The number of an operator of the module these sites were made of.
    pub fn operator(&self, operator: &Operator) -> Option<OperatorId> {
        self.operator_at.get(&address(operator)).copied()
    }

    /// The number of a loop or hybrid statement of the module these sites were made of.
    pub fn statement(&self, stmt: &Stmt) -> Option<StatementId> {
        self.statement_at.get(&address(stmt)).copied()
    }

    fn block(&mut self, block: &'m [Stmt], function: Option<&Name>, path: &str) {
        for stmt in block {
            let inner = match &stmt.label {
                // Labels of `if` take no part in paths.
                Some(label) if !matches!(stmt.kind, StmtKind::If { .. }) => join(path, label),
                _ => path.to_string(),
            };
            let site = || Site { function: function.cloned(), path: inner.as_str().into(), span: stmt.span };
            if matches!(
                stmt.kind,
                StmtKind::While { .. }
                    | StmtKind::DoWhile { .. }
                    | StmtKind::For { .. }
                    | StmtKind::ParFor { .. }
                    | StmtKind::Hybrid(_)
            ) {
                self.statement_at.insert(address(stmt), StatementId(self.statements.len()));
                self.statements.push((site(), stmt));
            }
            let mut found: Vec<&'m Operator> = Vec::new();
            walk::stmt_exprs(stmt, &mut |e| walk::walk_expr(e, &mut |e: &'m Expr| found.extend(operator_of(e))));
            for operator in found {
                self.operator_at.insert(address(operator), OperatorId(self.operators.len()));
                self.operators.push((site(), operator));
            }
            for nested in stmt.blocks() {
                let nested: &'m Block = nested;
                self.block(nested, function, &inner);
            }
        }
    }
}

fn operator_of(expr: &Expr) -> Option<&Operator> {
    match &expr.kind {
        ExprKind::Operator(operator) => Some(operator),
        _ => None,
    }
}

fn join(path: &str, label: &str) -> String {
    match path {
        "" => label.to_string(),
        path => format!("{path}:{label}"),
    }
}

fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}
