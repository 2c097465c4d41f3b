//! A whole program: elements, globals, start-up and functions.

use crate::expr::Expr;
use crate::meta::{Extra, GlobalMeta};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;

/// A program in GraphIR.
///
/// A machine runs `startup`, then the function of kind [`FunctionKind::Main`]; or, for a library, one of kind
/// [`FunctionKind::Export`]. The number of vertices of an element kind, |E|, is known to the machine from the graph (or
/// global vertex set) over that element that was assigned last; `VectorAlloc` of `vector{E}(T)` makes |E| entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Module {
    /// Kinds of vertices and edges.
    pub elements: Vec<Name>,
    /// Globals in the order of declaration.
    pub globals: Vec<Global>,
    /// Statements that run before `main`; filled by the start-up pass.
    pub startup: Block,
    /// Functions, in the order of declaration.
    pub functions: Vec<Function>,
    /// The machine may number the vertices anew; set by the schedule check.
    pub order: Option<VertexOrder>,
}

/// A run sees its graph numbered by falling degree: the arguments that are vertices are renumbered on the way in, the
/// vectors over its vertices on the way out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VertexOrder {
    /// The arguments (`argv[k]`) that are vertices.
    pub arguments: Vec<u32>,
}

/// A global variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Name, unique in the module.
    pub name: Name,
    /// Type.
    pub ty: Type,
    /// A vertexset that stands for all vertices of its element and is never materialised. Otherwise false.
    pub universe: bool,
    /// The initialiser as written, until the start-up pass moves it into [`Module::startup`].
    pub init: Option<GlobalInit>,
    /// Where it was declared.
    pub span: Span,
    /// Layout.
    pub meta: GlobalMeta,
}

/// The initialiser of a global.
#[derive(Debug, Clone, PartialEq)]
pub enum GlobalInit {
    /// Evaluated once; has the type of the global.
    Value(Expr),
    /// A vector: evaluated once per (leaf) entry.
    PerEntry(Expr),
}

/// The role of a global, which follows from its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GlobalKind {
    /// A graph.
    EdgeSet,
    /// A vertex set, usually the universe of an element.
    VertexSet,
    /// A vector.
    Vector,
    /// A number, bool, string or vertex.
    Scalar,
    /// A list.
    List,
    /// A priority queue.
    PriorityQueue,
}

impl Global {
    /// The role of this global.
    pub fn kind(&self) -> GlobalKind {
        match self.ty {
            Type::EdgeSet { .. } => GlobalKind::EdgeSet,
            Type::VertexSet(_) => GlobalKind::VertexSet,
            Type::Vector { .. } => GlobalKind::Vector,
            Type::List(_) => GlobalKind::List,
            Type::PriorityQueue { .. } => GlobalKind::PriorityQueue,
            Type::Scalar(_) | Type::Vertex(_) | Type::Void => GlobalKind::Scalar,
        }
    }
}

/// What a function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Called or applied by the program.
    User,
    /// Implemented outside; has no body.
    Extern,
    /// Library entry point.
    Export,
    /// The program.
    Main,
    /// Initialises vectors; made by the start-up pass.
    Startup,
}

/// Where a function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Context {
    /// Not analysed, or never used.
    #[default]
    None,
    /// Only from host code.
    Host,
    /// Only inside operators.
    Device,
    /// Both.
    Both,
}

/// A named, typed parameter, capture or result.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Name, unique in the function.
    pub name: Name,
    /// Type.
    pub ty: Type,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Name, unique in the module.
    pub name: Name,
    /// Role.
    pub kind: FunctionKind,
    /// Where it runs.
    pub context: Context,
    /// Values bound where the function is named: scalars by value, the rest by reference.
    pub captures: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The result variable: zero at entry, returned at the end.
    pub result: Option<Param>,
    /// Body; `None` for extern functions.
    pub body: Option<Block>,
    /// Where it was declared.
    pub span: Span,
    /// Machine-specific entries.
    pub extra: Extra,
}

impl Function {
    /// The result type, `void` without a result.
    pub fn result_type(&self) -> Type {
        self.result.as_ref().map_or(Type::Void, |r| r.ty.clone())
    }

    /// All locals declared in the body in textual order, loop variables included.
    pub fn locals(&self) -> Vec<Param> {
        fn collect(block: &[Stmt], out: &mut Vec<Param>) {
            for stmt in block {
                match &stmt.kind {
                    StmtKind::VarDecl { name, ty, .. } => out.push(Param { name: name.clone(), ty: ty.clone() }),
                    StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => {
                        out.push(Param { name: var.clone(), ty: Type::INT });
                    }
                    _ => {}
                }
                for inner in stmt.blocks() {
                    collect(inner, out);
                }
            }
        }
        let mut out = Vec::new();
        collect(self.body.as_deref().unwrap_or_default(), &mut out);
        out
    }
}

impl Module {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| &*f.name == name)
    }

    /// The function of this name, to change it.
    pub fn function_mut(&mut self, name: &str) -> Option<&mut Function> {
        self.functions.iter_mut().find(|f| &*f.name == name)
    }

    /// The global of this name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.iter().find(|g| &*g.name == name)
    }

    /// The program's `main`, if it has one.
    pub fn main(&self) -> Option<&Function> {
        self.functions.iter().find(|f| f.kind == FunctionKind::Main)
    }

    /// A name that no global, function, local or parameter of the module has: `base`, `base_2`, `base_3`, ...
    pub fn fresh_name(&self, base: &str) -> Name {
        let taken = |name: &str| {
            self.elements.iter().any(|e| &**e == name)
                || self.global(name).is_some()
                || self.functions.iter().any(|f| {
                    &*f.name == name
                        || f.captures.iter().chain(&f.params).chain(&f.result).any(|p| &*p.name == name)
                        || f.locals().iter().any(|p| &*p.name == name)
                })
        };
        if !taken(base) {
            return base.into();
        }
        (2..).map(|n| format!("{base}_{n}")).find(|n| !taken(n)).map_or_else(|| base.into(), |n| n.as_str().into())
    }
}
