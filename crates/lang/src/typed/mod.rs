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

mod expr;

use crate::source::Span;
use crate::types::{ElemId, FuncId, GlobalId, IndexKind, LocalId, Type};

pub use crate::ast::{BinaryOp, FuncKind};
pub use expr::{
    ApplyKind, Combine, EdgeApply, EdgeValue, Expr, ExprKind, Filter, FuncUse, GroupApply, GroupChoice,
    NewPriorityQueue, Place, Tracked, Var,
};

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
        type_name(ty, &|id| self.element(id).name.clone(), &|id| self.global(id).name.clone())
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

/// Spells a type, asking `elem` for the names of elements and `global` for those of lengths.
pub(crate) fn type_name(ty: &Type, elem: &dyn Fn(ElemId) -> String, global: &dyn Fn(GlobalId) -> String) -> String {
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
            let item = type_name(item, elem, global);
            match index {
                IndexKind::Element(id) => format!("vector{{{}}}({item})", elem(*id)),
                IndexKind::Fixed(n) => format!("vector[{n}]({item})"),
                IndexKind::Counted(id) => format!("vector[{}]({item})", global(*id)),
            }
        }
        Type::List(item) => format!("list{{{}}}", type_name(item, elem, global)),
        Type::PriorityQueue { elem: id, priority } => {
            format!("priority_queue{{{}}}({priority})", elem(*id))
        }
    }
}
