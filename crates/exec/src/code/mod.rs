//! Slot-indexed code: a module with every name resolved once, so that running it looks up no strings.
//!
//! Expressions are split by what they yield: [`Num`] a register (numbers, bools, vertices, or nothing of interest),
//! [`Obj`] a value (strings, vectors, sets, graphs, lists, queues).

mod compile;
mod compile_expr;
mod compile_operator;

use std::collections::HashMap;
use std::sync::Arc;

use gw_ir::analysis::columns::ColumnName;
use gw_ir::expr::{BinaryOp, PriorityOp, ReduceOp};
use gw_ir::meta::{Amount, QueueMeta};
use gw_ir::module::FunctionKind;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::HybridStmt;
use gw_ir::types::{Scalar, Type};

use crate::adaptive::StepChooser;
use crate::env::{GlobalTable, Slot};
use crate::remote::Reduction;
use crate::scalar::{Binary, Unary};
use crate::sites::{OperatorId, Site, StatementId};

/// A compiled module.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) globals: Arc<GlobalTable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) by_name: HashMap<Name, usize>,
    /// The start-up block as a function without parameters.
    pub(crate) startup: Function,
    /// Initialisers that no pass has moved into the start-up block yet, in order of declaration.
    pub(crate) inits: Vec<Init>,
    pub(crate) operators: Vec<OperatorInfo>,
    /// The bucket width that ordered operators name, for queues whose node names none.
    pub(crate) delta: Option<Amount>,
    /// The columns of tables that the program asks for.
    pub(crate) columns: Vec<ColumnName>,
}

/// What step records say about an operator.
#[derive(Debug)]
pub(crate) struct OperatorInfo {
    pub(crate) name: &'static str,
    pub(crate) site: Site,
    pub(crate) schedule: Option<String>,
    /// Its functions draw random neighbours: such calls are numbered.
    pub(crate) draws: bool,
}

/// The initialiser of a global.
#[derive(Debug)]
pub(crate) struct Init {
    pub(crate) span: Span,
    pub(crate) ty: Type,
    pub(crate) step: InitStep,
}

#[derive(Debug)]
pub(crate) enum InitStep {
    /// An assignment; loads and universes run before everything else, vectors last.
    Assign(Box<Line>),
    /// A vector: allocated with the others, then evaluated per cell.
    PerEntry(u32, Num),
    /// A vector without an initialiser.
    Zero(u32),
}

/// A function. Registers and objects of a frame are numbered apart: captures, parameters, result, locals.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Name,
    pub(crate) kind: FunctionKind,
    pub(crate) captures: Vec<Slot>,
    pub(crate) params: Vec<Slot>,
    pub(crate) param_types: Vec<Type>,
    pub(crate) result: Option<Slot>,
    pub(crate) result_type: Type,
    pub(crate) scalars: u32,
    pub(crate) objects: u32,
    pub(crate) object_names: Vec<Name>,
    pub(crate) slots: HashMap<Name, Slot>,
    pub(crate) body: Option<Vec<Line>>,
    pub(crate) signature: String,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) span: Span,
    pub(crate) kind: LineKind,
}

#[derive(Debug)]
pub(crate) enum LineKind {
    SetNum(Target, Num),
    SetObj(Var, Obj, Effect),
    /// Copies the cells of a vector into a row of a nested vector.
    SetRow(Place, Obj),
    Eval(Num),
    EvalObj(Obj),
    If(Num, Vec<Line>, Vec<Line>),
    While(StatementId, Num, Vec<Line>),
    DoWhile(StatementId, Vec<Line>, Num),
    /// `high` is evaluated again before every iteration.
    For {
        id: StatementId,
        var: u32,
        low: Num,
        high: Num,
        body: Vec<Line>,
    },
    ParFor {
        id: StatementId,
        var: u32,
        low: Num,
        high: Num,
        body: Vec<Line>,
    },
    Break,
    PrintNum(Scalar, Num),
    PrintObj(Obj),
    Delete(Var),
    Scope(Vec<Line>),
    Hybrid {
        id: StatementId,
        node: Box<HybridStmt>,
        /// The tree that picks the variant, when one does.
        chooser: Option<Box<StepChooser>>,
        frontier: Option<Obj>,
        graph: Obj,
        variants: Vec<Vec<Line>>,
    },
}

/// What assigning an object means for the sizes of elements.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    None,
    /// A graph over these elements: those of its vertices, and that of its edges.
    Graph(Vec<Name>, Name),
    /// The universe of this element.
    Universe(Name),
}

/// An object variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Var {
    Local(u32),
    Global(u32),
}

/// A vector entry: a variable and one index per level of nesting.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) vector: Var,
    pub(crate) indices: Vec<Num>,
}

/// The deepest nesting of vectors.
pub(crate) const MAX_NESTING: usize = 4;

/// What a scalar can be written to.
#[derive(Debug)]
pub(crate) enum Target {
    Local(u32),
    Global(u32),
    Cell(Place),
}

/// An argument of either sort.
#[derive(Debug)]
pub(crate) enum Arg {
    Num(Scalar, Num),
    Obj(Obj),
}

/// An expression that yields a register.
#[derive(Debug)]
pub(crate) enum Num {
    Const(u64),
    Local(u32),
    Global(u32),
    /// Entry of an unnested vector.
    Entry(Var, Box<Num>),
    Cell(Place),
    Unary(Unary, Box<Num>),
    Binary(Binary, Box<Num>, Box<Num>),
    Div(Scalar, Box<Num>, Box<Num>),
    Mod(Scalar, Box<Num>, Box<Num>),
    And(Box<Num>, Box<Num>),
    Or(Box<Num>, Box<Num>),
    Call(Box<Call>),
    Reduce {
        op: ReduceOp,
        scalar: Scalar,
        target: Box<Target>,
        value: Box<Num>,
    },
    CompareAndSwap {
        scalar: Scalar,
        target: Box<Target>,
        expect: Box<Num>,
        value: Box<Num>,
    },
    Priority(Box<PriorityUpdate>),
    Enqueue(Box<Num>),
    StringCompare(BinaryOp, Box<Obj>, Box<Obj>),
    Atoi(Box<Obj>),
    Atof(Box<Obj>),
    Date(Box<Obj>),
    /// The vertex with an id.
    FindVertex(Box<[Obj; 2]>),
    /// The number of a text in a column: the name of the column, then the text.
    Code {
        graph: Box<Obj>,
        texts: Box<[Obj; 2]>,
        of_edges: bool,
    },
    StartTimer,
    StopTimer,
    Threads,
    VertexCount(Box<Obj>),
    OutDegree(Box<Obj>, Box<Num>),
    EdgeCount(Box<Obj>),
    EdgeIndex {
        graph: Box<Obj>,
        ends: [Box<Num>; 2],
    },
    RandomNeighbour {
        graph: Box<Obj>,
        vertex: Box<Num>,
        out: bool,
    },
    OutNeighbour {
        graph: Box<Obj>,
        vertex: Box<Num>,
        position: Box<Num>,
    },
    OutWeight {
        graph: Box<Obj>,
        vertex: Box<Num>,
        position: Box<Num>,
        weight: Scalar,
    },
    SetSize(Box<Obj>),
    AddVertex {
        element: Name,
        set: Box<Obj>,
        vertex: Box<Num>,
    },
    /// A reduction of all entries, and the type that the program wants it in.
    VectorReduce(Reduction, Box<Obj>, Scalar),
    ListPush {
        list: Box<Obj>,
        value: Box<Arg>,
        copy: bool,
    },
    ListPop(Box<Obj>),
    ListRetrieve(Box<Obj>, Box<Target>),
    ListRetrieveInto(Box<Obj>, Var),
    ListSize(Box<Obj>),
    ListGet(Box<Obj>, Box<Num>),
    /// The first index of the largest or smallest entry.
    VectorBest {
        vector: Box<Obj>,
        largest: bool,
    },
    QueueFinished(Box<Obj>),
    QueueFinishedNode(Box<Obj>, Box<Num>),
    CurrentPriority(Scalar, Box<Obj>),
    Intersection {
        sets: [Box<Obj>; 2],
        sizes: [Box<Num>; 2],
        limit: Option<Box<Num>>,
    },
    Groups(Box<Groups>),
    IntersectNeighbours {
        graph: Box<Obj>,
        a: Box<Num>,
        b: Box<Num>,
    },
}

/// What is made of the undirected edges of a graph, or of its edges as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LinkForm {
    Links,
    Undirected,
    Upward,
    Ranked,
    Loops,
    RankedNumbers,
    Sources,
    Targets,
    FirstEdges,
}

/// An expression that yields a value.
#[derive(Debug)]
pub(crate) enum Obj {
    Var(Var),
    Text(Arc<str>),
    Argv(Num),
    Row(Place),
    Call(Box<Call>),
    /// What a variable of this type holds before it is assigned.
    Default(Type),
    OutDegrees(Box<Obj>, Scalar),
    Neighbours(Box<Obj>, Num),
    Transpose(Box<Obj>),
    Both(Box<Obj>),
    /// A graph or vector of the undirected edges of a graph.
    OfLinks(LinkForm, Box<Obj>),
    EdgeWeights(Box<Obj>, Scalar),
    /// The links of all edges of the second graph.
    LinkNumbers(Box<[Obj; 2]>),
    /// The members of one or both sets.
    SetUnion(Box<[Obj; 2]>),
    /// The members of the first set that the second lacks.
    SetMinus(Box<[Obj; 2]>),
    Relabel(Box<Obj>),
    SelectEdges(Box<[Obj; 2]>),
    /// Graph and labels; true where weights are summed, false where edges are counted; the weights that are declared.
    Contract(Box<[Obj; 2]>, bool, Option<Scalar>),
    /// The graph between all vertices of edges that vectors list.
    MakeEdges {
        all: Box<Obj>,
        ends: Box<[Obj; 2]>,
        weights: Option<Box<Obj>>,
        weight: Option<Scalar>,
    },
    /// A graph and a batch of edges that come, or go.
    ChangeEdges {
        graphs: Box<[Obj; 2]>,
        inserts: bool,
        weighed: bool,
    },
    /// A graph with weights of this type.
    Weighted(Box<Obj>, Option<Scalar>),
    SpanningTree(Box<Obj>, Num),
    SweepCut(Box<[Obj; 3]>),
    ListPop(Box<Obj>),
    ListGet(Box<Obj>, Num),
    SetMembers(Box<Obj>),
    /// A scalar as `print` shows it.
    Printed(Box<Arg>),
    /// Two texts with a blank between.
    Join(Box<[Obj; 2]>),
    Dequeue(Box<Obj>),
    SetAlloc(Name, Num),
    Universe(Name, Option<Num>),
    VectorAlloc(Type),
    VectorFill(Type, Num),
    VectorLiteral(Type, Vec<Num>),
    ListAlloc,
    QueueAlloc(Box<QueueAlloc>),
    Ranks(Box<Obj>),
    /// A graph with its own weights, or with this weight of this type on every edge.
    Weigh(Box<Obj>, Num, Scalar),
    Load(Box<Obj>, Option<Scalar>),
    LoadVector(Box<Obj>, Type),
    Column(Box<ColumnOf>),
    ByNumber(Box<Obj>),
    Operator(Box<OperatorInputs>),
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) function: usize,
    pub(crate) captures: Vec<Arg>,
    pub(crate) args: Vec<Arg>,
}

/// A function with the values of its captures, called with numbers.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) function: usize,
    pub(crate) captures: Vec<Arg>,
}

/// Grouped neighbours of a vertex.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) graph: Obj,
    pub(crate) vertex: Num,
    pub(crate) key: Named,
    pub(crate) value: Option<Named>,
    /// The type that the value function gives.
    pub(crate) scalar: Scalar,
    pub(crate) combine: ReduceOp,
    pub(crate) choice: GroupChoice,
}

#[derive(Debug)]
pub(crate) enum GroupChoice {
    Best { score: Named, own: Option<Num> },
    Each(Named),
    Count,
    LeastAbsent,
}

#[derive(Debug)]
pub(crate) struct PriorityUpdate {
    pub(crate) op: PriorityOp,
    pub(crate) queue: Obj,
    pub(crate) vertex: Num,
    pub(crate) bound: Option<Num>,
    pub(crate) value: Num,
    pub(crate) value_scalar: Scalar,
    pub(crate) deferred: bool,
}

/// A column of a table as a vector.
#[derive(Debug)]
pub(crate) struct ColumnOf {
    pub(crate) graph: Obj,
    pub(crate) name: Obj,
    pub(crate) missing: Option<Num>,
    pub(crate) of_edges: bool,
    /// The program searches for the numbers of edges, too.
    pub(crate) searches: bool,
    pub(crate) ty: Type,
}

#[derive(Debug)]
pub(crate) struct QueueAlloc {
    pub(crate) vector: Var,
    pub(crate) increasing: bool,
    pub(crate) all_vertices: bool,
    pub(crate) start: Num,
    pub(crate) meta: QueueMeta,
}

/// The expressions that an operator is handed the values of.
#[derive(Debug)]
pub(crate) struct OperatorInputs {
    pub(crate) id: OperatorId,
    pub(crate) kind: InputKind,
}

/// The inputs of an operator by its kind, as in [`OperatorCall`](crate::OperatorCall).
#[derive(Debug)]
pub(crate) enum InputKind {
    Edges(EdgeInputs),
    PriorityEdges(EdgeInputs, Obj),
    Ordered(EdgeInputs, Obj, Num),
    Vertices(Obj, Vec<Arg>),
    Dedup(Obj),
    UpdateBuckets(Obj, Obj),
    PriorityExtern(Obj, Vec<Arg>, Obj),
}

#[derive(Debug)]
pub(crate) struct EdgeInputs {
    pub(crate) graph: Obj,
    pub(crate) from: SelectionInput,
    pub(crate) to: SelectionInput,
    pub(crate) captures: Vec<Arg>,
    /// The function lowers priorities by what it computes from edge weights: they must not be negative.
    pub(crate) lowers_by_weight: bool,
}

#[derive(Debug)]
pub(crate) enum SelectionInput {
    All,
    Set(Obj),
    Function(Vec<Arg>),
}
