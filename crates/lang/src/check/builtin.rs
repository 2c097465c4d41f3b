//! Built-in methods and intrinsic functions: spelling, arguments, result.

use super::convert::{convert, large_literal};
use super::expr::{arithmetic_type, builtin};
use super::numbered::edge_weights;
use super::{Checked, Checker, Symbol};
use crate::advice::{self, Receiver};
use crate::ast::{self, BinaryOp, Ident};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest::nearest;
use crate::typed::{Expr, ExprKind, Var};
use crate::types::{EdgeSetType, IndexKind, Scalar, Type};

/// Every method with all its spellings: receiver, name, meaning.
const METHODS: &[(Receiver, &str, Builtin)] = {
    use Builtin::*;
    use Receiver::*;
    &[
        (Graph, "getVertices", VertexCount),
        (Graph, "getOutDegrees", OutDegrees),
        (Graph, "getOutDegreesUint", OutDegreesUint),
        (Graph, "getOutDegree", OutDegree),
        (Graph, "getNgh", Neighbors),
        (Graph, "transpose", Transpose),
        (Graph, "both", Both),
        (Graph, "links", Links),
        (Graph, "numbers", LinkNumbers),
        (Graph, "sources", EdgeSources),
        (Graph, "destinations", EdgeTargets),
        (Graph, "weights", EdgeWeights),
        (Graph, "relabel", Relabel),
        (Graph, "getEdges", EdgeCount),
        (Graph, "column", Column),
        (Graph, "code", EdgeCode),
        (Graph, "vertex", FindVertex),
        (Graph, "contract", Contract),
        (Graph, "insert", InsertEdges),
        (Graph, "delete", DeleteEdges),
        (Set, "addVertex", AddVertex),
        (Set, "getVertexSetSize", SetSize),
        (Set, "size", UniverseSize),
        (Set, "union", SetUnion),
        (Set, "minus", SetMinus),
        (Set, "column", Column),
        (Set, "code", VertexCode),
        (Vector, "sum", VectorSum),
        (Vector, "max", VectorMax),
        (Vector, "min", VectorMin),
        (Vector, "count", VectorCount),
        (Vector, "argmax", VectorArgMax),
        (Vector, "argmin", VectorArgMin),
        (Vector, "ranks", VectorRanks),
        (List, "append", ListAppend),
        (List, "pop", ListPop),
        (List, "insert", ListInsert),
        (List, "retrieve", ListRetrieve),
        (List, "size", ListSize),
        (Queue, "dequeue_ready_set", DequeueReadySet),
        (Queue, "dequeueReadySet", DequeueReadySet),
        (Queue, "finished", Finished),
        (Queue, "finishedNode", FinishedNode),
        (Queue, "finished_node", FinishedNode),
        (Queue, "get_current_priority", CurrentPriority),
        (Queue, "getCurrentPriority", CurrentPriority),
        (Queue, "updatePriorityMin", UpdatePriorityMin),
        (Queue, "update_priority_min", UpdatePriorityMin),
        (Queue, "updatePriorityMax", UpdatePriorityMax),
        (Queue, "update_priority_max", UpdatePriorityMax),
        (Queue, "updatePrioritySum", UpdatePrioritySum),
        (Queue, "update_priority_sum", UpdatePrioritySum),
    ]
};

/// Whether a function of this name is built in.
pub(crate) fn is_function(name: &str) -> bool {
    INTRINSICS.iter().any(|(known, _)| *known == name)
}

/// Every intrinsic: name and number of arguments.
const INTRINSICS: &[(&str, usize)] = &[
    ("startTimer", 0),
    ("stopTimer", 0),
    ("threads", 0),
    ("greatest", 0),
    ("atoi", 1),
    ("atof", 1),
    ("date", 1),
    ("abs", 1),
    ("fabs", 1),
    ("floor", 1),
    ("log", 1),
    ("exp", 1),
    ("sqrt", 1),
    ("pow", 2),
    ("min", 2),
    ("max", 2),
    ("mod", 2),
    ("to_double", 1),
    ("popcount", 1),
    ("random", 3),
    ("randomBits", 3),
    ("writeMin", 3),
    ("writeMax", 3),
    ("atomicAdd", 3),
    ("compare_and_swap", 4),
    ("getRandomOutNgh", 2),
    ("getRandomInNgh", 2),
    ("getOutNgh", 3),
    ("getOutWeight", 3),
    ("edgeIndex", 3),
    ("serialMinimumSpanningTree", 2),
    ("serialSweepCut", 3),
];

impl Checker {
    pub(super) fn method_exists(&self, name: &str) -> bool {
        METHODS.iter().any(|(_, method, _)| *method == name)
    }

    pub(super) fn method(
        &mut self,
        receiver: &ast::Expr,
        name: &Ident,
        args: &[ast::Expr],
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let receiver = self.expr(receiver, None)?;
        if let Type::EdgeSet(graph) = receiver.ty {
            match name.name.as_str() {
                "triangles" => return Err(self.stray_triangles(span)),
                "all" => return self.all_edges(receiver, graph, name, args, span),
                _ => {}
            }
        }
        let kind = match &receiver.ty {
            Type::EdgeSet(_) => Some(Receiver::Graph),
            Type::VertexSet(_) => Some(Receiver::Set),
            Type::Vector { .. } => Some(Receiver::Vector),
            Type::List(_) => Some(Receiver::List),
            Type::PriorityQueue { .. } => Some(Receiver::Queue),
            _ => None,
        };
        let found = METHODS.iter().find(|(on, method, _)| Some(*on) == kind && *method == name.name);
        let Some((_, _, method)) = found else {
            return Err(self.no_method(&receiver, kind, name));
        };
        if let Builtin::Column | Builtin::EdgeCode | Builtin::VertexCode = method {
            return self.column_method(*method, receiver, args, span, hint);
        }
        let made = self.method_call(*method, receiver, name, args, span)?;
        Ok(match (*method, hint) {
            // What the new graph is assigned to says how its edges are called and weighted.
            (Builtin::Contract, Some(wanted)) => made_graph(made, wanted, true),
            (Builtin::InsertEdges | Builtin::DeleteEdges, Some(wanted)) => made_graph(made, wanted, false),
            (Builtin::Links, Some(wanted)) => made_graph(made, wanted, false),
            _ => made,
        })
    }

    /// `edges.all()`: the set of all edges.
    fn all_edges(
        &mut self,
        graph: Expr,
        of_graph: EdgeSetType,
        name: &Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Checked<Expr> {
        self.count_args(&name.name, name.span, args.len(), &[0])?;
        Ok(self.all_of(graph, of_graph, span))
    }

    /// The set of all edges of a graph.
    pub(super) fn all_of(&self, graph: Expr, of_graph: EdgeSetType, span: Span) -> Expr {
        let count = builtin(Builtin::EdgeCount, vec![graph], Type::Scalar(Scalar::Uint64), span);
        let size = Box::new(convert(count, Scalar::Uint64, Scalar::Int, &Type::INT));
        let kind = ExprKind::NewVertexSet { elem: of_graph.edge, size };
        Expr { kind, ty: Type::VertexSet(of_graph.edge), span }
    }

    fn no_method(&mut self, receiver: &Expr, kind: Option<Receiver>, name: &Ident) -> super::Fail {
        let shown = self.show(&receiver.ty);
        let message = match receiver.ty {
            Type::Void => format!("there is no value to call `{}` on", name.name),
            _ => format!("{shown} has no method `{}`", name.name),
        };
        let operators: &[&str] = match kind {
            Some(Receiver::Graph) => &["from", "to", "apply", "applyModified", "applyUpdatePriority"],
            Some(Receiver::Set) => &["apply", "filter"],
            _ => &[],
        };
        let methods = METHODS.iter().filter(|(on, _, _)| Some(*on) == kind).map(|(_, method, _)| *method);
        let own: Vec<&str> = operators.iter().copied().chain(methods).collect();
        let mut diagnostic = Diagnostic::error(message, name.span, "unknown method");
        if let Some(advice) = advice::method(kind, &name.name) {
            diagnostic = diagnostic.help(advice);
        } else if let Some(near) = nearest(&name.name, own.iter().copied()) {
            diagnostic = diagnostic.did_you_mean(Some(near));
        } else if !own.is_empty() {
            diagnostic = diagnostic.help(format!("its methods are {}", own.join(", ")));
        }
        self.report(diagnostic)
    }

    fn method_call(
        &mut self,
        method: Builtin,
        receiver: Expr,
        name: &Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Checked<Expr> {
        use Builtin::*;
        let wanted = match method {
            SetUnion | SetMinus | OutDegree | Neighbors | Contract | InsertEdges | DeleteEdges | AddVertex
            | LinkNumbers | FindVertex | ListAppend | ListInsert | ListRetrieve | FinishedNode => 1,
            UpdatePriorityMin | UpdatePriorityMax | UpdatePrioritySum => 3,
            _ => 0,
        };
        self.count_args(&name.name, name.span, args.len(), &[wanted])?;
        let what = format!("`{}`", name.name);
        let ty = receiver.ty.clone();
        let mut all = vec![receiver];
        let result = match (method, &ty) {
            (VertexCount, _) => Type::INT,
            (Transpose | Both | Relabel, _) => ty.clone(),
            (EdgeCount, _) => Type::Scalar(Scalar::Uint64),
            (Links, Type::EdgeSet(g)) => {
                self.links_at_top_level(span)?;
                Type::EdgeSet(EdgeSetType { weight: None, ..*g })
            }
            (LinkNumbers, Type::EdgeSet(_)) => {
                let (graph, edge) = self.numbered_edges(&all[0], &args[0])?;
                all.push(graph);
                Type::Vector { index: IndexKind::Element(edge), item: Box::new(Type::INT) }
            }
            (EdgeSources | EdgeTargets, Type::EdgeSet(g)) => {
                Type::Vector { index: IndexKind::Element(g.edge), item: Box::new(Type::Element(g.src)) }
            }
            (FindVertex, Type::EdgeSet(g)) => {
                all.push(self.value(&args[0], &Type::STRING, &what)?);
                Type::Element(g.src)
            }
            (EdgeWeights, Type::EdgeSet(g)) => match g.weight {
                Some(weight) => edge_weights(g.edge, weight),
                None => {
                    return Err(self.error("the edges of this edgeset have no weights", span, "without weights"));
                }
            },
            (SetUnion | SetMinus, Type::VertexSet(_)) => {
                all.push(self.value(&args[0], &ty, &what)?);
                ty.clone()
            }
            (Contract, Type::EdgeSet(g)) => {
                all.push(self.value(&args[0], &per_vertex(g, Scalar::Int), &what)?);
                ty.clone()
            }
            (InsertEdges | DeleteEdges, Type::EdgeSet(g)) => {
                all.push(self.batch(method, g, &args[0], &what)?);
                ty.clone()
            }
            (OutDegrees, Type::EdgeSet(g)) => per_vertex(g, Scalar::Int),
            (OutDegreesUint, Type::EdgeSet(g)) => per_vertex(g, Scalar::Uint),
            (OutDegree, _) => {
                all.push(self.index_value(&args[0], &what)?);
                Type::INT
            }
            (Neighbors, Type::EdgeSet(g)) => {
                all.push(self.index_value(&args[0], &what)?);
                Type::VertexSet(g.dst)
            }
            (AddVertex, _) => {
                self.mark_dynamic(&all[0]);
                all.push(self.index_value(&args[0], &what)?);
                Type::Void
            }
            (SetSize | UniverseSize, _) => Type::INT,
            (
                VectorSum | VectorMax | VectorMin | VectorCount | VectorArgMax | VectorArgMin | VectorRanks,
                Type::Vector { index, item },
            ) => {
                if item.numeric().is_none() {
                    let shown = self.show(item);
                    let message = format!("`{}` needs a vector of numbers, not of {shown}", name.name);
                    return Err(self.error(message, name.span, "not a number"));
                }
                match method {
                    VectorCount | VectorArgMax | VectorArgMin => Type::INT,
                    VectorRanks => Type::Vector { index: *index, item: Box::new(Type::INT) },
                    // Entries of a bool vector are added as ints, as everywhere.
                    VectorSum if **item == Type::BOOL => Type::INT,
                    _ => (**item).clone(),
                }
            }
            (ListAppend | ListInsert, Type::List(item)) => {
                all.push(self.value(&args[0], item, &what)?);
                Type::Void
            }
            (ListRetrieve, Type::List(item)) => {
                let target = self.value(&args[0], item, &what)?;
                if !matches!(target.kind, ExprKind::Var(_)) {
                    return Err(self.error("`retrieve` overwrites a variable", target.span, "not a variable"));
                }
                self.mark_dynamic(&target);
                all.push(target);
                Type::Void
            }
            (ListPop, Type::List(item)) => (**item).clone(),
            (ListSize, _) => Type::INT,
            (DequeueReadySet, Type::PriorityQueue { elem, .. }) => Type::VertexSet(*elem),
            (Finished, _) => Type::BOOL,
            (FinishedNode, _) => {
                all.push(self.index_value(&args[0], &what)?);
                Type::BOOL
            }
            (CurrentPriority, Type::PriorityQueue { priority, .. }) => Type::Scalar(*priority),
            (UpdatePriorityMin | UpdatePriorityMax | UpdatePrioritySum, Type::PriorityQueue { priority, .. }) => {
                self.only_in_operator(&what, name.span)?;
                let third = Type::Scalar(*priority);
                // The delta of a sum may be negative even when priorities are unsigned.
                let second = match (method, priority) {
                    (UpdatePrioritySum, Scalar::Uint | Scalar::Uint64) => Type::INT,
                    _ => third.clone(),
                };
                let vertex = self.index_value(&args[0], &what);
                let second = self.value(&args[1], &second, &what);
                let third = self.value(&args[2], &third, &what);
                all.extend([vertex?, second?, third?]);
                Type::Void
            }
            // The table pairs every method with its receiver, so nothing should be left; if something is, say so.
            _ => return Err(self.error(format!("{what} is not available here"), name.span, "not supported")),
        };
        Ok(builtin(method, all, result, span))
    }

    /// Priority updates belong to edge functions.
    fn only_in_operator(&mut self, what: &str, span: Span) -> Checked<()> {
        if self.frame.function.as_deref() != Some("main") {
            return Ok(());
        }
        Err(self.report(
            Diagnostic::error(format!("{what} works only inside an edge function"), span, "not in `main`")
                .help("set start priorities in the vector before the queue is made"),
        ))
    }

    /// Notes that a global vertexset is filled by hand and thus cannot stand for all vertices.
    pub(super) fn mark_dynamic(&mut self, set: &Expr) {
        if let ExprKind::Var(Var::Global(id)) = set.kind {
            self.dynamic.insert(id);
        }
    }

    /// Checks an expression that must be a graph.
    pub(super) fn graph(&mut self, expr: &ast::Expr, for_what: &str) -> Checked<(Expr, EdgeSetType)> {
        let value = self.expr(expr, None)?;
        match value.ty {
            Type::EdgeSet(graph) => Ok((value, graph)),
            _ => {
                let found = self.show(&value.ty);
                Err(self.error(
                    format!("{for_what} needs an edgeset but this is {found}"),
                    value.span,
                    format!("this is {found}"),
                ))
            }
        }
    }

    /// A call of a name that is no function of the program.
    pub(super) fn intrinsic(
        &mut self,
        callee: &ast::FuncRef,
        args: &[ast::Expr],
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let name = callee.name.name.as_str();
        let Some((_, count)) = INTRINSICS.iter().find(|(known, _)| *known == name) else {
            return Err(self.no_function(&callee.name));
        };
        if callee.captures.is_some() {
            return Err(self.error(format!("`{name}` captures nothing"), callee.span, "leave out the brackets"));
        }
        self.count_args(name, callee.name.span, args.len(), &[*count])?;
        match name {
            "startTimer" => Ok(builtin(Builtin::StartTimer, vec![], Type::Void, span)),
            "stopTimer" => Ok(builtin(Builtin::StopTimer, vec![], Type::FLOAT, span)),
            "threads" => Ok(builtin(Builtin::Threads, vec![], Type::INT, span)),
            "greatest" => Ok(greatest(hint, span)),
            "atoi" => {
                let text = self.value(&args[0], &Type::STRING, "`atoi`")?;
                Ok(builtin(Builtin::Atoi, vec![text], Type::INT, span))
            }
            "atof" => {
                let text = self.value(&args[0], &Type::STRING, "`atof`")?;
                Ok(builtin(Builtin::Atof, vec![text], Type::DOUBLE, span))
            }
            "date" => self.date(&args[0], span),
            "to_double" => {
                let value = self.value(&args[0], &Type::DOUBLE, "`to_double`")?;
                Ok(Expr { span, ..value })
            }
            "abs" | "fabs" | "floor" | "log" | "exp" | "sqrt" => self.maths(name, &args[0], span, hint),
            "pow" | "min" | "max" | "mod" => self.two_numbers(name, args, span, hint),
            "popcount" => self.popcount(&args[0], span),
            "random" | "randomBits" => self.random(name, args, span),
            "writeMin" | "writeMax" | "atomicAdd" | "compare_and_swap" => self.atomic(name, args, span),
            _ => self.graph_function(name, args, span),
        }
    }

    fn no_function(&mut self, name: &Ident) -> super::Fail {
        if self.saturated() {
            return super::Fail;
        }
        let own = self
            .symbols
            .iter()
            .filter(|(_, symbol)| matches!(symbol, Symbol::Func(_) | Symbol::Template(_)))
            .map(|(name, _)| name.as_str());
        let known = own.chain(INTRINSICS.iter().map(|(name, _)| *name));
        let near = nearest(&name.name, known).map(str::to_string);
        let mut diagnostic =
            Diagnostic::error(format!("there is no function `{}`", name.name), name.span, "unknown function")
                .did_you_mean(near.as_deref());
        if let Some(advice) = advice::function(&name.name) {
            diagnostic = diagnostic.help(advice);
        } else if self.method_exists(&name.name) && near.is_none() {
            diagnostic = diagnostic.help(format!("`{}` is a method: write `x.{}(...)`", name.name, name.name));
        }
        self.report(diagnostic)
    }

    /// Functions of one number. All but `abs` compute in `float` for a float and in `double` otherwise.
    fn maths(&mut self, name: &str, arg: &ast::Expr, span: Span, hint: Option<&Type>) -> Checked<Expr> {
        let which = match name {
            "abs" | "fabs" => Builtin::Abs,
            "floor" => Builtin::Floor,
            "log" => Builtin::Log,
            "exp" => Builtin::Exp,
            _ => Builtin::Sqrt,
        };
        let value = self.expr(arg, hint)?;
        let from = self.number(&value, &format!("`{name}`"))?;
        let to = match from {
            Scalar::Float => Scalar::Float,
            Scalar::Bool if name == "abs" => Scalar::Int,
            integral if name == "abs" => integral,
            _ => Scalar::Double,
        };
        let ty = Type::Scalar(to);
        let value = convert(value, from, to, &ty);
        Ok(builtin(which, vec![value], ty, span))
    }

    fn two_numbers(&mut self, name: &str, args: &[ast::Expr], span: Span, hint: Option<&Type>) -> Checked<Expr> {
        let what = format!("`{name}`");
        let (x, y) = (self.expr(&args[0], hint), self.expr(&args[1], hint));
        let (x, y) = (x?, y?);
        let (a, b) = (self.number(&x, &what), self.number(&y, &what));
        let (a, b) = (a?, b?);
        let common = arithmetic_type(&x, a, &y, b, false);
        let (which, to) = match name {
            "pow" if common == Scalar::Float => (Builtin::Pow, Scalar::Float),
            "pow" => (Builtin::Pow, Scalar::Double),
            "min" => (Builtin::Min, common),
            // Older programs rely on `max(floating, int)` being an int. Whole numbers of 64 bits keep their bits.
            "max" if b == Scalar::Int && !matches!(a, Scalar::Int64 | Scalar::Uint64) => (Builtin::Max, Scalar::Int),
            "max" => (Builtin::Max, common),
            _ => (Builtin::Mod, common),
        };
        let ty = Type::Scalar(to);
        let args = vec![convert(x, a, to, &ty), convert(y, b, to, &ty)];
        Ok(builtin(which, args, ty, span))
    }

    /// `writeMin`, `writeMax`, `atomicAdd`, `compare_and_swap` on a vector entry.
    fn atomic(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        let what = format!("`{name}`");
        let vector = self.expr(&args[0], None)?;
        let Type::Vector { index, item } = vector.ty.clone() else {
            let found = self.show(&vector.ty);
            return Err(self.report(
                Diagnostic::error(
                    format!("{what} needs a vector but this is {found}"),
                    vector.span,
                    format!("this is {found}"),
                )
                .help(format!("name the vector and the index apart: `{name}(x, i, ...)`")),
            ));
        };
        if item.numeric().is_none() {
            let shown = self.show(&item);
            return Err(self.error(
                format!("{what} needs a vector of numbers, not of {shown}"),
                vector.span,
                "not a vector of numbers",
            ));
        }
        let at = self.index_value(&args[1], "an index");
        let values: Vec<_> = args[2..].iter().map(|arg| self.value(arg, &item, &what)).collect();
        let at = at?;
        self.check_fixed_index(index, &at)?;
        let mut all = vec![vector, at];
        for value in values {
            all.push(value?);
        }
        let (which, ty) = match name {
            "writeMin" => (Builtin::WriteMin, Type::BOOL),
            "writeMax" => (Builtin::WriteMax, Type::BOOL),
            "atomicAdd" => (Builtin::AtomicAdd, Type::Void),
            _ => (Builtin::CompareAndSwap, Type::BOOL),
        };
        Ok(builtin(which, all, ty, span))
    }

    fn graph_function(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        let what = format!("`{name}`");
        let (graph, ty) = self.graph(&args[0], &what)?;
        if name == "serialSweepCut" {
            let set = self.value(&args[1], &Type::VertexSet(ty.src), &what);
            let values = self.value(&args[2], &per_vertex(&ty, Scalar::Double), &what);
            let args = vec![graph, set?, values?];
            return Ok(builtin(Builtin::SweepCut, args, Type::VertexSet(ty.src), span));
        }
        let vertex = self.index_value(&args[1], &what)?;
        if name == "getOutNgh" {
            let position = self.index_value(&args[2], &what)?;
            let args = vec![graph, vertex, position];
            return Ok(builtin(Builtin::OutNeighbor, args, Type::Element(ty.dst), span));
        }
        if name == "getOutWeight" {
            let Some(weight) = ty.weight else {
                return Err(self.report(
                    Diagnostic::error("the edges of this edgeset have no weights", args[0].span, "without weights")
                        .help("declare them: `edgeset{Edge}(Vertex,Vertex,int)`"),
                ));
            };
            let position = self.index_value(&args[2], &what)?;
            let args = vec![graph, vertex, position];
            return Ok(builtin(Builtin::OutWeight, args, Type::Scalar(weight), span));
        }
        if name == "edgeIndex" {
            let target = self.index_value(&args[2], &what)?;
            let args = vec![graph, vertex, target];
            return Ok(builtin(Builtin::EdgeIndex, args, Type::Element(ty.edge), span));
        }
        let (which, result) = match name {
            "getRandomOutNgh" => (Builtin::RandomOutNeighbor, Type::Element(ty.dst)),
            "getRandomInNgh" => (Builtin::RandomInNeighbor, Type::Element(ty.src)),
            _ => (Builtin::MinimumSpanningTree, per_vertex(&ty, Scalar::Int)),
        };
        Ok(builtin(which, vec![graph, vertex], result, span))
    }
}

/// A graph made at run time as the edgeset that is wanted: between the same vertices, its edges may have another
/// element, and another weight where that is worked out anew.
pub(super) fn made_graph(made: Expr, wanted: &Type, weighs: bool) -> Expr {
    match (&made.ty, wanted) {
        (Type::EdgeSet(own), Type::EdgeSet(other)) if own.src == other.src && own.dst == other.dst => {
            let weight = if weighs { other.weight } else { own.weight };
            let ty = Type::EdgeSet(EdgeSetType { edge: other.edge, weight, ..*own });
            Expr { ty, ..made }
        }
        _ => made,
    }
}

/// `vector{V}(scalar)` over the vertices of a graph.
fn per_vertex(graph: &EdgeSetType, scalar: Scalar) -> Type {
    Type::Vector { index: IndexKind::Element(graph.src), item: Box::new(Type::Scalar(scalar)) }
}

/// The greatest value of the type that is expected, infinity of reals; of `int` where none is.
fn greatest(hint: Option<&Type>, span: Span) -> Expr {
    let scalar = match hint {
        Some(Type::Scalar(scalar)) => *scalar,
        _ => Scalar::Int,
    };
    let ty = Type::Scalar(scalar);
    let whole = |value: i64| Expr { kind: ExprKind::Int(value), ty: ty.clone(), span };
    match scalar {
        Scalar::Uint => whole(u32::MAX.into()),
        Scalar::Int64 => whole(i64::MAX),
        Scalar::Uint64 => large_literal(u64::MAX, span),
        Scalar::Float | Scalar::Double => {
            let real = |value: f64| Box::new(Expr { kind: ExprKind::Float(value), ty: ty.clone(), span });
            let kind = ExprKind::Binary { op: BinaryOp::Div, left: real(1.0), right: real(0.0) };
            Expr { kind, ty, span }
        }
        _ => Expr { kind: ExprKind::Int(i32::MAX.into()), ty: Type::INT, span },
    }
}
