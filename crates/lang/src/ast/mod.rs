//! The syntax tree of a `.gt` program: what the parser saw, with spans, before any name is resolved.

mod expr;
mod operators;
mod types;

use crate::source::Span;

pub use expr::{Expr, ExprKind, FuncRef, Groups, NewPriorityQueue, OperatorKind};
pub use operators::{BinaryOp, UnaryOp, WordOp};
pub use types::{Ident, TypeExpr, TypeExprKind, VectorIndex};

/// A whole algorithm file. The schedule section, if any, stays text until the checker has the labels.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ast {
    /// The modules that the file uses.
    pub uses: Vec<Use>,
    /// Top-level declarations in source order.
    pub items: Vec<Item>,
    /// Byte range of the schedule statements behind the `schedule:` line.
    pub schedule: Option<Span>,
    /// The type `weight` occurs.
    pub names_weight: bool,
}

/// `use "moves.gt";`, `use std.search as s;`, `use "hits.gt" with edges, gather = pull;`
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// What is used.
    pub module: ModuleName,
    /// Place of the path or the name.
    pub module_span: Span,
    /// The name that qualifies the module's names: what stands behind `as`, else the file's name if it is a name.
    pub alias: Option<Ident>,
    /// Declarations of the module, each with that of this file that takes its place.
    pub with: Vec<(Ident, Ident)>,
    /// The whole line.
    pub span: Span,
}

/// How a module is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleName {
    /// A file, by its path from the folder of the using file.
    File(String),
    /// A module of the standard library.
    Std(String),
}

/// One top-level declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `element Node ... end`; the fields are accepted and have no meaning.
    Element {
        /// The element's name.
        name: Ident,
        /// Fields, kept only for the tree dump.
        fields: Vec<Param>,
        /// The whole declaration.
        span: Span,
    },
    /// `tuple Best (gain : double, target : int)`: several numbers as one value.
    Tuple {
        /// The tuple's name.
        name: Ident,
        /// Its fields in order.
        fields: Vec<Param>,
        /// The whole declaration.
        span: Span,
    },
    /// `extern name : type;`, accepted and unused.
    ExternVar {
        /// The variable's name.
        name: Ident,
        /// Its declared type.
        ty: TypeExpr,
        /// The whole declaration.
        span: Span,
    },
    /// `const name : type = init;` at top level: a global variable.
    Const(Decl),
    /// A function, exported, extern or plain.
    Func(Func),
}

/// A `const` or `var` declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// True for `var`, false for `const`.
    pub is_var: bool,
    /// The declared name.
    pub name: Ident,
    /// The written type; absent means "take the initialiser's type".
    pub ty: Option<TypeExpr>,
    /// The initialiser.
    pub init: Option<Init>,
    /// The whole declaration.
    pub span: Span,
}

/// What a declaration starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// One expression.
    Expr(Expr),
    /// `{a, b, c}` for a fixed-size vector.
    List(Vec<Expr>, Span),
}

/// How a function is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FuncKind {
    /// Written and used in this program.
    Plain,
    /// An entry point callable from the host language.
    Export,
    /// Implemented outside; has no body.
    Extern,
}

/// A function declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Plain, export or extern.
    pub kind: FuncKind,
    /// The function's name.
    pub name: Ident,
    /// Generic parameters; accepted, without meaning.
    pub generics: Vec<Ident>,
    /// Captured state of a functor, `[name : type, ...]`.
    pub captures: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Named results; the checker accepts at most one.
    pub results: Vec<Param>,
    /// Statements; empty for extern functions.
    pub body: Vec<Stmt>,
    /// The whole declaration.
    pub span: Span,
}

/// `name : type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: TypeExpr,
}

/// A statement with its optional `#label#`.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The label, if any.
    pub label: Option<Ident>,
    /// What it does.
    pub kind: StmtKind,
    /// The whole statement, without the label.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `var` or `const` inside a function.
    Decl(Decl),
    /// `if`/`elif` arms in order, then the `else` block.
    If {
        /// Condition and block per arm.
        arms: Vec<(Expr, Vec<Stmt>)>,
        /// The `else` block.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `while cond ... end`.
    While {
        /// The condition.
        cond: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `do ... end while cond`.
    DoWhile {
        /// The block.
        body: Vec<Stmt>,
        /// Tested after each round.
        cond: Expr,
    },
    /// `for i in a:b ... end` and `par_for`.
    For {
        /// True for `par_for`.
        parallel: bool,
        /// The loop variable.
        var: Ident,
        /// First value.
        low: Expr,
        /// One past the last value.
        high: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `for v in set ... end` over the members of a set or the entries of a list.
    ForEach {
        /// True for `par_for`, which the checker refuses.
        parallel: bool,
        /// The loop variable.
        var: Ident,
        /// The set or list.
        members: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `print e;` or `println e;`, with further values behind commas.
    Print(Vec<Expr>),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `delete x;`.
    Delete(Expr),
    /// `target = value;`.
    Assign {
        /// What is assigned.
        target: Expr,
        /// The new value.
        value: Expr,
    },
    /// `target += value;` and the other reductions.
    Reduce {
        /// What is reduced into.
        target: Expr,
        /// The reduction, as written.
        op: ReduceOp,
        /// The value folded in.
        value: Expr,
    },
    /// An expression evaluated for its effect.
    Expr(Expr),
    /// `;` alone.
    Empty,
}

/// A reduction operator as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// `+=`
    Sum,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `|=`
    Or,
    /// `&=`
    And,
    /// `asyncMin=`
    AsyncMin,
    /// `asyncMax=`
    AsyncMax,
}
