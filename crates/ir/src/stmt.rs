//! Statements.

use std::sync::Arc;

use crate::bound::BoundSchedule;
use crate::expr::{Expr, ExprKind};
use crate::meta::{Extra, ForMeta, WhileMeta};
use crate::operator::Operator;
use crate::source::{Name, Span};
use crate::types::Type;

/// A statement list.
pub type Block = Vec<Stmt>;

/// A statement with its label and its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// `#label#` of the program; part of label paths. What stands before the last colon is the scope of a body that
    /// stands in place of a call; see [`gw_lang::inlined`].
    pub label: Option<Name>,
    /// Where it was written.
    pub span: Span,
    /// What it does.
    pub kind: StmtKind,
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// Declares a local; without `init` it is zero, false, empty or nothing.
    VarDecl {
        /// Unique in its function.
        name: Name,
        /// Type.
        ty: Type,
        /// First value.
        init: Option<Expr>,
    },
    /// `target = value`.
    Assign {
        /// Variable or vector element.
        target: Expr,
        /// New value, of the same type.
        value: Expr,
    },
    /// Evaluates for its effect.
    Eval(Expr),
    /// Two-way branch.
    If {
        /// A bool.
        condition: Expr,
        /// When true.
        then: Block,
        /// When false.
        otherwise: Block,
    },
    /// Loop with the test before the body.
    While {
        /// A bool.
        condition: Expr,
        /// Body.
        body: Block,
        /// Fusion.
        meta: WhileMeta,
    },
    /// Loop with the test after the body. The condition sees names of the function, not of the body.
    DoWhile {
        /// Body, run at least once.
        body: Block,
        /// A bool.
        condition: Expr,
    },
    /// `for var in low:high`, half-open; `high` is evaluated again before every iteration.
    For {
        /// An `int` local of the loop.
        var: Name,
        /// First value.
        low: Expr,
        /// One past the last value.
        high: Expr,
        /// Body.
        body: Block,
        /// Grain.
        meta: ForMeta,
    },
    /// Like `For`, but iterations may run at the same time; both bounds are evaluated once.
    ParFor {
        /// An `int` local of the loop.
        var: Name,
        /// First value.
        low: Expr,
        /// One past the last value.
        high: Expr,
        /// Body.
        body: Block,
        /// Grain.
        meta: ForMeta,
    },
    /// Leaves the innermost loop.
    Break,
    /// Prints a value and a newline.
    Print(Expr),
    /// Frees a set, vector, list or queue; the variable must not be read before it is assigned again.
    Delete(Expr),
    /// A block of its own whose label takes part in label paths (`NameNode`).
    Scope(Block),
    /// Chooses one of several variants of the same operator at run time.
    Hybrid(HybridStmt),
}

/// Runs one of several variants of the same operator; which one is decided before every execution. All variants compute
/// the same, so a machine without the means to decide may always run the first.
#[derive(Debug, Clone, PartialEq)]
pub struct HybridStmt {
    /// What decides.
    pub decision: Decision,
    /// The set whose size is looked at; `None` means all vertices.
    pub frontier: Option<Expr>,
    /// The graph that gives |V|, |E| and degrees.
    pub graph: Expr,
    /// The variants, at least one; the first is the safe one.
    pub variants: Vec<Block>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// How a hybrid decides.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The first of two variants while the measure is small, the second otherwise.
    Threshold {
        /// What is measured.
        criterion: gw_schedule::Criterion,
        /// Where the switch lies.
        threshold: gw_schedule::Threshold,
    },
    /// The chooser of this adaptive schedule picks.
    Chooser {
        /// The schedule.
        schedule: BoundSchedule,
        /// What a chooser by tree or recording asks; `None` for the others, and where it was not given.
        tree: Option<Arc<gw_schedule::Tree>>,
    },
}

impl Stmt {
    /// A statement made by a pass: no label, no source.
    pub fn new(kind: StmtKind) -> Stmt {
        Stmt { label: None, span: Span::NONE, kind }
    }

    /// The same statement at a source position.
    pub fn at(mut self, span: Span) -> Stmt {
        self.span = span;
        self
    }

    /// The same statement with a label.
    pub fn labelled(mut self, label: Option<Name>) -> Stmt {
        self.label = label;
        self
    }

    /// An effect.
    pub fn eval(expr: Expr) -> Stmt {
        Stmt::new(StmtKind::Eval(expr))
    }

    /// `target = value`.
    pub fn assign(target: Expr, value: Expr) -> Stmt {
        Stmt::new(StmtKind::Assign { target, value })
    }

    /// The expression whose value the statement stores or evaluates, for declarations, assignments and effects.
    pub fn value(&self) -> Option<&Expr> {
        match &self.kind {
            StmtKind::VarDecl { init, .. } => init.as_ref(),
            StmtKind::Assign { value, .. } | StmtKind::Eval(value) => Some(value),
            _ => None,
        }
    }

    /// [`Stmt::value`] to change it.
    pub fn value_mut(&mut self) -> Option<&mut Expr> {
        match &mut self.kind {
            StmtKind::VarDecl { init, .. } => init.as_mut(),
            StmtKind::Assign { value, .. } | StmtKind::Eval(value) => Some(value),
            _ => None,
        }
    }

    /// The operator of this statement, if it runs one.
    pub fn operator(&self) -> Option<&Operator> {
        match &self.value()?.kind {
            ExprKind::Operator(op) => Some(op),
            _ => None,
        }
    }

    /// [`Stmt::operator`] to change it.
    pub fn operator_mut(&mut self) -> Option<&mut Operator> {
        match &mut self.value_mut()?.kind {
            ExprKind::Operator(op) => Some(op),
            _ => None,
        }
    }

    /// The blocks nested directly in this statement.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ParFor { body, .. }
            | StmtKind::Scope(body) => vec![body],
            StmtKind::Hybrid(h) => h.variants.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// [`Stmt::blocks`] to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ParFor { body, .. }
            | StmtKind::Scope(body) => vec![body],
            StmtKind::Hybrid(h) => h.variants.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}
