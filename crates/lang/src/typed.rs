//! The typed program: every name resolved to an id, every expression typed, every conversion written out.
//!
//! Conventions that the lowering may rely on:
//! - A vertex id (`Type::Element`) and `int` have one representation; no [`ExprKind::Convert`] stands between them.
//! - Every other change of scalar type is a `Convert` node, including "is it non-zero" (to `bool`). The target is
//!   the node's own type.
//! - Both operands of an arithmetic or comparison [`ExprKind::Binary`] have the same representation. Operands of
//!   `and`/`or`/`xor`/`not` and all conditions are `bool`.
//! - Indices, vertex arguments and loop bounds are `int` or a vertex id.
//! - Assigned, returned and passed values have exactly the type (up to the first point) of where they go.

use crate::builtin::Builtin;
use crate::source::Span;
use crate::types::{EdgeSetType, ElemId, FuncId, GlobalId, IndexKind, LocalId, Scalar, Type};

pub use crate::ast::{BinaryOp, FuncKind};

/// A checked program.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TypedProgram {
    /// Element kinds in declaration order.
    pub elements: Vec<Element>,
    /// Global variables in declaration order, which is also their start-up order.
    pub globals: Vec<Global>,
    /// Functions in declaration order.
    pub functions: Vec<Function>,
    /// The function `main`, absent in a library of exported functions.
    pub main: Option<FuncId>,
}

/// An element kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// The name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it starts with; vectors without one are zero-filled.
    pub init: Option<Init>,
    /// For a vertexset: true if it stands for all vertices of its element (it is then never materialised), false
    /// if the program assigns dynamic sets to it. False for every other type.
    pub universe: bool,
    /// Place of the name.
    pub span: Span,
}

/// What a variable starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// The value, of the variable's type.
    Value(Expr),
    /// A vector: allocate it and set every (leaf) entry to this scalar. For a global the expression is evaluated
    /// once per entry, for a local once.
    Fill(Expr),
    /// A fixed-size vector, entry by entry.
    Items(Vec<Expr>),
    /// A universe vertexset: this int is the number of vertices of its element.
    Universe(Expr),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name.
    pub name: String,
    /// Plain, export or extern (no body).
    pub kind: FuncKind,
    /// All locals: captures, parameters, result, then variables as they appear. Shadowing makes a new entry.
    pub locals: Vec<Local>,
    /// Captures in order.
    pub captures: Vec<LocalId>,
    /// Parameters in order.
    pub params: Vec<LocalId>,
    /// The named result, zero when the body does not set it.
    pub result: Option<LocalId>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// Place of the name.
    pub span: Span,
}

/// A local of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// The name as written; not unique in the function.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What kind of local.
    pub kind: LocalKind,
    /// Place of the name.
    pub span: Span,
}

/// Kinds of locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// Functor state, bound where the function is named.
    Capture,
    /// Parameter.
    Param,
    /// The named result.
    Result,
    /// `var`.
    Var,
    /// `const` inside a function: assigned once.
    Const,
    /// Variable of `for` or `par_for`.
    Loop,
}

/// A resolved variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Var {
    /// A global.
    Global(GlobalId),
    /// A local of the enclosing function.
    Local(LocalId),
}

/// A `#label#`.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The name between the hashes.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Its label, if any.
    pub label: Option<Label>,
    /// What it does.
    pub kind: StmtKind,
    /// The whole statement.
    pub span: Span,
}

/// Kinds of statements. Empty statements are gone.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Declares a local and sets it; without `init` it is zero, empty, or an allocated zero vector.
    Let {
        /// The local.
        local: LocalId,
        /// Its first value; never [`Init::Universe`].
        init: Option<Init>,
    },
    /// `target = value`.
    Assign {
        /// What is assigned.
        target: Place,
        /// The value, of the target's type.
        value: Expr,
    },
    /// `target op= value`.
    Reduce {
        /// What is reduced into.
        target: Place,
        /// The reduction.
        op: ReduceOp,
        /// The value, of the target's type.
        value: Expr,
    },
    /// `vertices = edges.getVertices();`: sets the number of vertices of a universe vertexset.
    SetUniverse {
        /// The universe vertexset.
        global: GlobalId,
        /// The number of vertices.
        count: Expr,
    },
    /// `if` with its `elif` arms.
    If {
        /// Condition and block per arm, in order.
        arms: Vec<(Expr, Vec<Stmt>)>,
        /// The `else` block, possibly empty.
        otherwise: Vec<Stmt>,
    },
    /// `while`.
    While {
        /// The condition.
        cond: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `do ... end while`.
    DoWhile {
        /// The block.
        body: Vec<Stmt>,
        /// The condition, evaluated outside the block's scope.
        cond: Expr,
    },
    /// `for` and `par_for` over `low..high`; `for` evaluates `high` before every iteration.
    For {
        /// True for `par_for`.
        parallel: bool,
        /// The loop variable.
        var: LocalId,
        /// First value.
        low: Expr,
        /// One past the last value.
        high: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// `for v in set` and `for x in list`: once per member of the set, in ascending order, as the set is when the loop
    /// begins; once per entry of the list, from the first.
    ForEach {
        /// The loop variable.
        var: LocalId,
        /// The set or list.
        members: Expr,
        /// The block.
        body: Vec<Stmt>,
    },
    /// Prints scalars, with blanks between them and a newline behind.
    Print(Vec<Expr>),
    /// Leaves the innermost `for`, `while` or `do`.
    Break,
    /// Goes on with the next round of the innermost loop.
    Continue,
    /// Frees what the place refers to.
    Delete(Place),
    /// Evaluates for effect.
    Expr(Expr),
}

/// Reduction operators, in checked programs and in GraphIR; the `async` spellings mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// `+=`
    Sum,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `|=`, on whole numbers.
    Or,
    /// `&=`, on whole numbers.
    And,
}

/// Something assignable: a variable, or an entry of a vector variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub var: Var,
    /// No index for the variable itself, one for a vector entry, two for an entry of a nested vector.
    pub indices: Vec<Expr>,
    /// Type of the place.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which expression.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Integer literal, value already fitting the node's integral type (wrapped for `int`).
    Int(i64),
    /// Floating literal.
    Float(f64),
    /// Truth value.
    Bool(bool),
    /// String literal.
    Str(String),
    /// A variable's value.
    Var(Var),
    /// `argv[i]`, a string.
    Argv(Box<Expr>),
    /// Numeric conversion to the node's type, as C does it.
    Convert(Box<Expr>),
    /// Entry of a vector.
    Index {
        /// A vector-typed expression.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `-x`.
    Neg(Box<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// Binary operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// Call of a function of the program (possibly extern).
    Call {
        /// The function and its captures.
        func: FuncUse,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A built-in; the receiver of a method is the first argument.
    Builtin {
        /// Which one.
        builtin: Builtin,
        /// Receiver and arguments.
        args: Vec<Expr>,
    },
    /// An edge operator; a vertexset when it yields one, void otherwise.
    EdgeApply(Box<EdgeApply>),
    /// A choice among the groups of neighbours; a vertexset when it assigns, void otherwise.
    Groups(Box<GroupApply>),
    /// `set.apply(f)`, void.
    VertexApply {
        /// The set.
        set: Box<Expr>,
        /// The vertex function.
        func: FuncUse,
    },
    /// `set.filter(f)`, a vertexset.
    VertexFilter {
        /// The set.
        set: Box<Expr>,
        /// The predicate.
        func: FuncUse,
    },
    /// `set.applyUpdatePriorityExtern(g)`, void.
    VertexApplyExtern {
        /// The set.
        set: Box<Expr>,
        /// The extern function vertexset -> vertexset.
        func: FuncUse,
    },
    /// `load(path)`, `load(path, weight)`: an edgeset, or a vector over vertices.
    Load {
        /// The text that names what is read.
        path: Box<Expr>,
        /// The weight of the edges of a graph without weights, of the type of the edgeset's weights.
        weight: Option<Box<Expr>>,
    },
    /// A fresh vertexset: empty for size 0, all vertices for size |V|; other sizes are a run-time error.
    NewVertexSet {
        /// The element.
        elem: ElemId,
        /// The size.
        size: Box<Expr>,
    },
    /// A fresh empty list.
    NewList,
    /// A fresh zero-filled vector.
    NewVector,
    /// A fresh priority queue.
    NewPriorityQueue(Box<NewPriorityQueue>),
}

/// An operator over edges.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeApply {
    /// The graph, edgeset-typed.
    pub graph: Expr,
    /// Its type.
    pub graph_type: EdgeSetType,
    /// Restriction of the sources.
    pub from: Option<Filter>,
    /// Restriction of the destinations.
    pub to: Option<Filter>,
    /// What kind of apply.
    pub kind: ApplyKind,
    /// The edge function, `(src, dst)` or `(src, dst, weight)`.
    pub func: FuncUse,
    /// True if the function takes the weight.
    pub weighted: bool,
}

/// An operator over the groups of neighbours of every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupApply {
    /// The graph, a global edgeset.
    pub graph: Expr,
    /// Its type.
    pub graph_type: EdgeSetType,
    /// The vertices whose neighbours are grouped.
    pub from: Option<Filter>,
    /// The neighbours that take part: those for which the function is true.
    pub to: Option<FuncUse>,
    /// The key of an edge, a number; negative keys leave the edge out.
    pub key: EdgeValue,
    /// How the values of a group become one.
    pub combine: Combine,
    /// The value of an edge; `None` counts edges.
    pub value: Option<EdgeValue>,
    /// What is made of the groups.
    pub choice: GroupChoice,
}

/// A number of an edge from a vertex to its neighbour.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeValue {
    /// The entry of the neighbour in a vector over vertices.
    Vector(Expr),
    /// The weight of the edge.
    Weight,
    /// A function `(v, n)` or `(v, n, weight)`.
    Func {
        /// The function.
        func: FuncUse,
        /// True if the function takes the weight.
        weighted: bool,
    },
}

/// How the values of a group become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// `count()` and `sum(..)`.
    Sum,
    /// `min(..)`.
    Min,
    /// `max(..)`.
    Max,
}

/// What is made of the groups of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupChoice {
    /// `best(g, target[, own])`: assigns the key with the greatest `g(v, key, value)`, the least among equals.
    Best {
        /// The function `(v, key, value) -> double`.
        score: FuncUse,
        /// The vector that gets the key.
        target: Expr,
        /// A vector whose key is offered with the value 0 where no neighbour has it.
        own: Option<Expr>,
    },
    /// `each(f)`: calls `f(v, key, value)` for every group.
    Each(FuncUse),
    /// `groups(vector)`: assigns the number of groups.
    Groups(Expr),
    /// `leastAbsent(vector)`: assigns the least number from 0 on that is no key.
    LeastAbsent(Expr),
}

/// Restriction of one end of the edges.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Members of a vertexset.
    Set(Expr),
    /// Vertices for which the function is true.
    Func(FuncUse),
}

/// Kinds of edge operators.
#[derive(Clone, Debug, PartialEq)]
pub enum ApplyKind {
    /// `apply` without a result.
    Apply,
    /// `apply` with a bool-valued function: yields the destinations for which it was true.
    ApplyCollect,
    /// `applyModified`: yields the vertices whose tracked entry changed.
    Modified {
        /// The tracked vector.
        vector: Tracked,
        /// True if the result may hold repeats.
        disable_dedup: bool,
    },
    /// `applyUpdatePriority`.
    UpdatePriority,
}

/// The vector that `applyModified` watches, as the edge function sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tracked {
    /// A global vector.
    Global(GlobalId),
    /// A capture of the edge function, by position in [`Function::captures`].
    Capture(u32),
}

/// A function named somewhere, with the values bound to its captures there.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncUse {
    /// The function.
    pub func: FuncId,
    /// One value per capture.
    pub captures: Vec<Expr>,
    /// Where it is named.
    pub span: Span,
}

/// Construction of a priority queue.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPriorityQueue {
    /// Element whose vertices are queued.
    pub elem: ElemId,
    /// Priority type.
    pub priority: Scalar,
    /// May a vertex appear twice in a bucket (recorded, no effect).
    pub dup_within: bool,
    /// May a vertex be in several buckets (recorded, no effect).
    pub dup_across: bool,
    /// The vector that holds the priorities.
    pub vector: Expr,
    /// Smallest bucket first.
    pub increasing: bool,
    /// 0, 1 or 2 as written (informational).
    pub priority_order: u8,
    /// All vertices are queued from the start.
    pub all_queued: bool,
    /// Start vertex or -1.
    pub start: Expr,
}

impl TypedProgram {
    /// The element with this id.
    pub fn element(&self, id: ElemId) -> &Element {
        &self.elements[id.0 as usize]
    }

    /// The global with this id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// The function with this id.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The function with this name.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        let at = self.functions.iter().position(|f| f.name == name)?;
        Some(FuncId(at as u32))
    }

    /// True if the expression is a global vertexset that stands for all vertices.
    pub fn is_universe(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Var(Var::Global(id)) if self.global(id).universe)
    }

    /// The type in source spelling.
    pub fn type_name(&self, ty: &Type) -> String {
        type_name(ty, &|id| self.element(id).name.clone())
    }
}

impl GroupApply {
    /// The functions that are called for edges and groups.
    pub fn functions(&self) -> impl Iterator<Item = &FuncUse> {
        let of_choice = match &self.choice {
            GroupChoice::Best { score: func, .. } | GroupChoice::Each(func) => Some(func),
            GroupChoice::Groups(_) | GroupChoice::LeastAbsent(_) => None,
        };
        self.edge_functions().chain(of_choice)
    }

    /// The functions that are called for edges: the `to` filter, the key and the value.
    pub fn edge_functions(&self) -> impl Iterator<Item = &FuncUse> {
        let values = [Some(&self.key), self.value.as_ref()].into_iter().flatten();
        self.to.iter().chain(values.filter_map(|value| match value {
            EdgeValue::Func { func, .. } => Some(func),
            EdgeValue::Vector(_) | EdgeValue::Weight => None,
        }))
    }

    /// The vectors that are named beside functions.
    pub fn vectors(&self) -> impl Iterator<Item = &Expr> {
        let values = [Some(&self.key), self.value.as_ref()].into_iter().flatten();
        let read = values.filter_map(|value| match value {
            EdgeValue::Vector(vector) => Some(vector),
            EdgeValue::Func { .. } | EdgeValue::Weight => None,
        });
        let own = match &self.choice {
            GroupChoice::Best { own, .. } => own.as_ref(),
            _ => None,
        };
        read.chain(own).chain(self.choice.target())
    }
}

impl GroupChoice {
    /// The vector that is assigned.
    pub fn target(&self) -> Option<&Expr> {
        match self {
            GroupChoice::Best { target, .. } | GroupChoice::Groups(target) | GroupChoice::LeastAbsent(target) => {
                Some(target)
            }
            GroupChoice::Each(_) => None,
        }
    }
}

impl Function {
    /// The local with this id.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    /// Type of the result, void without one.
    pub fn result_type(&self) -> Type {
        self.result.map_or(Type::Void, |id| self.local(id).ty.clone())
    }
}

/// Spells a type, asking `elem` for element names.
pub(crate) fn type_name(ty: &Type, elem: &dyn Fn(ElemId) -> String) -> String {
    match ty {
        Type::Void => "nothing".into(),
        Type::Scalar(scalar) => scalar.keyword().into(),
        Type::Element(id) => elem(*id),
        Type::VertexSet(id) => format!("vertexset{{{}}}", elem(*id)),
        Type::EdgeSet(set) => {
            let weight = set.weight.map_or(String::new(), |w| format!(",{w}"));
            format!("edgeset{{{}}}({},{}{weight})", elem(set.edge), elem(set.src), elem(set.dst))
        }
        Type::Vector { index, item } => {
            let item = type_name(item, elem);
            match index {
                IndexKind::Element(id) => format!("vector{{{}}}({item})", elem(*id)),
                IndexKind::Fixed(n) => format!("vector[{n}]({item})"),
            }
        }
        Type::List(item) => format!("list{{{}}}", type_name(item, elem)),
        Type::PriorityQueue { elem: id, priority } => {
            format!("priority_queue{{{}}}({priority})", elem(*id))
        }
    }
}
