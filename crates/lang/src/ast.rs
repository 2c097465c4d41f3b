//! The syntax tree of a `.gt` program: what the parser saw, with spans, before any name is resolved.

use crate::source::Span;
use crate::types::Scalar;

/// A name as written, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

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

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// Which type.
    pub kind: TypeExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The shapes of written types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `int`, `double`, `string`, ...
    Scalar(Scalar),
    /// An element name.
    Named(Ident),
    /// `vertexset{E}`.
    VertexSet(Ident),
    /// `edgeset{Ed}(S,D[,W])`.
    EdgeSet {
        /// Edge element.
        edge: Ident,
        /// Source element.
        src: Ident,
        /// Destination element.
        dst: Ident,
        /// Edge-weight type.
        weight: Option<Scalar>,
    },
    /// `vector{E}(T)` or `vector[k](T)`.
    Vector {
        /// Element or fixed length.
        index: VectorIndex,
        /// Type of one entry.
        item: Box<TypeExpr>,
    },
    /// `list{T}`.
    List(Box<TypeExpr>),
    /// `priority_queue{E}(T)`.
    PriorityQueue {
        /// Element whose vertices are queued.
        elem: Ident,
        /// Priority type.
        priority: Scalar,
    },
    /// Something the parser already complained about.
    Error,
}

/// What a vector is indexed by, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorIndex {
    /// One entry per element of this name.
    Element(Ident),
    /// A fixed number of entries.
    Fixed(i64),
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

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which expression.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Integer literal.
    Int(i64),
    /// Integer literal beyond the greatest signed 64-bit number.
    Large(u64),
    /// Floating literal.
    Float(f64),
    /// `true` / `false`.
    Bool(bool),
    /// String literal, escapes resolved.
    Str(String),
    /// A name.
    Name(String),
    /// Unary operator.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// Binary operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// Binary operator on the bits of whole numbers, or `mod`.
    Word {
        /// The operator.
        op: WordOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `base[index]`.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `f(args)` or `f[captures](args)`.
    Call {
        /// The function, with captures.
        callee: FuncRef,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `receiver.name(args)` with an ordinary method name.
    Method {
        /// The receiver.
        receiver: Box<Expr>,
        /// The method.
        name: Ident,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `receiver.name` without parentheses (legacy field read; always diagnosed).
    Field {
        /// The receiver.
        receiver: Box<Expr>,
        /// The field.
        name: Ident,
    },
    /// `receiver.from(f)` and the other keyword methods that take a function.
    Operator {
        /// The receiver.
        receiver: Box<Expr>,
        /// Which keyword method.
        op: OperatorKind,
        /// Place of the keyword.
        op_span: Span,
        /// The function or vertexset named.
        func: FuncRef,
        /// The tracked vector of `applyModified`.
        tracked: Option<Ident>,
        /// Third argument of `applyModified`: true disables deduplication.
        disable_dedup: Option<bool>,
    },
    /// `receiver.groupBy(key).count().best(g, target)` and the other chains over grouped neighbours.
    Groups(Box<Groups>),
    /// `load(path)`, `load(path, weight)`.
    Load {
        /// The text that names what is read.
        path: Box<Expr>,
        /// The weight of the edges of a graph without weights.
        weight: Option<Box<Expr>>,
    },
    /// `intersection(a, b, na, nb [, limit])`.
    Intersection(Vec<Expr>),
    /// `intersectNeighbor(edges, u, v)`.
    IntersectNeighbor(Vec<Expr>),
    /// `new vertexset{E}(size)`.
    NewVertexSet {
        /// The element.
        elem: Ident,
        /// Number of vertices; absent means 0.
        size: Option<Box<Expr>>,
    },
    /// `new list{T}(size)`.
    NewList {
        /// Entry type.
        item: TypeExpr,
        /// Accepted and without meaning.
        size: Option<Box<Expr>>,
    },
    /// `new vector{E}(T)()`.
    NewVector(TypeExpr),
    /// `new priority_queue{E}(T)(...)`.
    NewPriorityQueue(Box<NewPriorityQueue>),
    /// Something the parser already complained about.
    Error,
}

/// A chain over grouped neighbours: the edges, the key, how values of a group are combined, and what is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The edgeset, with its filters.
    pub receiver: Expr,
    /// The function or vector that gives the key.
    pub key: FuncRef,
    /// `count`, `sum`, `min` or `max`.
    pub combine: Ident,
    /// What is combined.
    pub values: Vec<FuncRef>,
    /// `best`, `each`, `groups` or `leastAbsent`.
    pub choice: Ident,
    /// The functions and vectors of the choice.
    pub args: Vec<FuncRef>,
}

/// The constructor arguments of a priority queue, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPriorityQueue {
    /// Element whose vertices are queued.
    pub elem: Ident,
    /// Priority type.
    pub priority: Scalar,
    /// May a vertex appear twice in a bucket.
    pub dup_within: bool,
    /// May a vertex be in several buckets.
    pub dup_across: bool,
    /// The vector that holds the priorities.
    pub vector: Ident,
    /// 1 = smallest first, 0 = largest first.
    pub bucket_order: i64,
    /// 0 decreasing, 1 increasing, 2 "lower first".
    pub priority_order: i64,
    /// Place of the two orders, for messages.
    pub order_span: Span,
    /// All vertices queued from the start.
    pub all_queued: bool,
    /// Start vertex or -1.
    pub start: Expr,
}

/// A function named in an operator or call, with the values of its captures.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncRef {
    /// The name.
    pub name: Ident,
    /// Capture values, `f[a, b]`; `None` without brackets.
    pub captures: Option<Vec<Expr>>,
    /// Name and captures together.
    pub span: Span,
}

/// Keyword methods whose argument is a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// `from` / `srcFilter`.
    From,
    /// `to` / `dstFilter`.
    To,
    /// `apply`.
    Apply,
    /// `applyModified`.
    ApplyModified,
    /// `applyUpdatePriority`.
    ApplyUpdatePriority,
    /// `applyUpdatePriorityExtern`.
    ApplyUpdatePriorityExtern,
    /// `filter` / `where`.
    Filter,
}

impl OperatorKind {
    /// The spelling used in messages and dumps.
    pub fn name(self) -> &'static str {
        match self {
            OperatorKind::From => "from",
            OperatorKind::To => "to",
            OperatorKind::Apply => "apply",
            OperatorKind::ApplyModified => "applyModified",
            OperatorKind::ApplyUpdatePriority => "applyUpdatePriority",
            OperatorKind::ApplyUpdatePriorityExtern => "applyUpdatePriorityExtern",
            OperatorKind::Filter => "filter",
        }
    }
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `+x`
    Plus,
    /// `not x`
    Not,
    /// `~x`
    BitNot,
}

/// Binary operators that become built-ins: those on the bits of whole numbers, and `mod`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordOp {
    /// `mod`
    Mod,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

impl WordOp {
    /// The spelling in source text.
    pub fn symbol(self) -> &'static str {
        match self {
            WordOp::Mod => "mod",
            WordOp::And => "&",
            WordOp::Or => "|",
            WordOp::Xor => "^",
            WordOp::ShiftLeft => "<<",
            WordOp::ShiftRight => ">>",
        }
    }
}

/// Binary operators, in programs and in GraphIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating on integers.
    Div,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `and`, short-circuit.
    And,
    /// `or`, short-circuit.
    Or,
    /// `xor` on truth values.
    Xor,
}

impl BinaryOp {
    /// All operators with their spelling.
    pub const ALL: [(BinaryOp, &'static str); 13] = [
        (BinaryOp::Add, "+"),
        (BinaryOp::Sub, "-"),
        (BinaryOp::Mul, "*"),
        (BinaryOp::Div, "/"),
        (BinaryOp::Eq, "=="),
        (BinaryOp::Ne, "!="),
        (BinaryOp::Lt, "<"),
        (BinaryOp::Le, "<="),
        (BinaryOp::Gt, ">"),
        (BinaryOp::Ge, ">="),
        (BinaryOp::And, "and"),
        (BinaryOp::Or, "or"),
        (BinaryOp::Xor, "xor"),
    ];

    /// The spelling.
    pub fn symbol(self) -> &'static str {
        BinaryOp::ALL.iter().find(|(op, _)| *op == self).map_or("?", |(_, symbol)| symbol)
    }

    /// `+ - * /`.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
    }

    /// `== != < <= > >=`.
    pub fn is_comparison(self) -> bool {
        !self.is_arithmetic() && !self.is_logical()
    }

    /// `and or xor`.
    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}
