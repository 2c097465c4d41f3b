//! The type rules of expressions, shared by parser, lowering and validator.

use crate::builtin::Builtin;
use crate::expr::Expr;
use crate::source::Name;
use crate::types::{Domain, Scalar, Type};

/// The result type of a built-in for these arguments, or a sentence that says what does not fit.
pub fn builtin_type(builtin: Builtin, args: &[Expr]) -> Result<Type, String> {
    use Builtin::*;
    let types: Vec<&Type> = args.iter().map(|a| &a.ty).collect();
    let misfit = |expected: &str| {
        let given: Vec<String> = types.iter().map(|t| t.to_string()).collect();
        Err(format!("{} takes ({expected}), not ({})", builtin.name(), given.join(", ")))
    };
    let vertex_of = |graph: &Type| match graph {
        Type::EdgeSet { source, .. } => Some(source.clone()),
        _ => None,
    };
    let per_vertex = |graph: &Type, scalar| {
        vertex_of(graph).map(|e| Type::Vector { domain: Domain::Element(e), item: Box::new(Type::Scalar(scalar)) })
    };
    let per_edge = |edge: &Name, item| Type::Vector { domain: Domain::Element(edge.clone()), item: Box::new(item) };
    let is_whole = |t: &Type| t.scalar().is_some_and(Scalar::is_whole);
    let is_vertex = |t: &Type| t.scalar() == Some(Scalar::Int);
    let takes_vertex = |graph: &Type, vertex: &Type| vertex_of(graph).is_some() && is_vertex(vertex);
    match (builtin, types.as_slice()) {
        (Argv, [t]) if is_vertex(t) => Ok(Type::STRING),
        (Argv, _) => misfit("int"),
        (Atoi, [Type::Scalar(Scalar::String)]) => Ok(Type::INT),
        (Atoi, _) => misfit("string"),
        (Atof, [Type::Scalar(Scalar::String)]) => Ok(Type::Scalar(Scalar::Double)),
        (Atof, _) => misfit("string"),
        (Date, [Type::Scalar(Scalar::String)]) => Ok(Type::Scalar(Scalar::Int64)),
        (Date, _) => misfit("string"),
        (ByNumber, [Type::EdgeSet { edge, source, target, .. }]) => Ok(Type::EdgeSet {
            edge: edge.clone(),
            source: source.clone(),
            target: target.clone(),
            weight: Some(Scalar::Int),
        }),
        (ByNumber, _) => misfit("edgeset"),
        (FindVertex, [Type::EdgeSet { source, .. }, text]) if **text == Type::STRING => {
            Ok(Type::Vertex(source.clone()))
        }
        (FindVertex, _) => misfit("edgeset, string"),
        (EdgeCode | VertexCode, [Type::EdgeSet { .. }, name, text])
            if **name == Type::STRING && **text == Type::STRING =>
        {
            Ok(Type::INT)
        }
        (EdgeCode | VertexCode, _) => misfit("edgeset, string, string"),
        (Abs, [t]) if t.is_numeric() => Ok((*t).clone()),
        (Abs, _) => misfit("number"),
        (Floor | Log | Exp | Sqrt, [t]) if t.scalar().is_some_and(Scalar::is_float) => Ok((*t).clone()),
        (Floor | Log | Exp | Sqrt, _) => misfit("float or double"),
        (Pow, [a, b]) if a == b && a.scalar().is_some_and(Scalar::is_float) => Ok((*a).clone()),
        (Pow, _) => misfit("float or double, twice"),
        (Max | Min | Mod, [a, b]) if a.same_representation(b) && a.is_numeric() => Ok(a.arithmetic()),
        (Max | Min | Mod, _) => misfit("T, T"),
        (BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight, [a, b]) if a.same_representation(b) && is_whole(a) => {
            Ok(a.arithmetic())
        }
        (BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight, _) => misfit("T, T, whole numbers"),
        (BitNot, [a]) if is_whole(a) => Ok(a.arithmetic()),
        (PopCount, [a]) if is_whole(a) => Ok(Type::INT),
        (BitNot | PopCount, _) => misfit("whole number"),
        (RandomBits, [a, b, c]) if [a, b, c].iter().all(|t| t.scalar() == Some(Scalar::Uint64)) => {
            Ok(Type::Scalar(Scalar::Uint64))
        }
        (RandomBits, _) => misfit("uint_64, uint_64, uint_64"),
        (Text, [t]) if t.scalar().is_some() => Ok(Type::STRING),
        (Text, _) => misfit("scalar"),
        (Join, [Type::Scalar(Scalar::String), Type::Scalar(Scalar::String)]) => Ok(Type::STRING),
        (Join, _) => misfit("string, string"),
        (StartTimer, []) => Ok(Type::Void),
        (StopTimer, []) => Ok(Type::Scalar(Scalar::Float)),
        (Threads, []) => Ok(Type::Scalar(Scalar::Int)),
        (StartTimer | StopTimer | Threads, _) => misfit(""),

        (OutDegrees, [g @ Type::EdgeSet { .. }]) => Ok(per_vertex(g, Scalar::Int).unwrap_or(Type::Void)),
        (OutDegreesUint, [g @ Type::EdgeSet { .. }]) => Ok(per_vertex(g, Scalar::Uint).unwrap_or(Type::Void)),
        (Transpose | Both | Relabel, [g @ Type::EdgeSet { .. }]) => Ok((*g).clone()),
        (Links | Undirected | Upward | Ranked, [Type::EdgeSet { edge, source, target, .. }]) => {
            let (edge, source, target) = (edge.clone(), source.clone(), target.clone());
            Ok(Type::EdgeSet { edge, source, target, weight: None })
        }
        (LinkLoops, [Type::EdgeSet { edge, .. }]) => {
            let vertex = || edge.clone();
            Ok(Type::EdgeSet { edge: vertex(), source: vertex(), target: vertex(), weight: None })
        }
        (RankedNumbers | FirstEdges, [g @ Type::EdgeSet { .. }]) => {
            Ok(per_vertex(g, Scalar::Int).unwrap_or(Type::Void))
        }
        (EdgeSources | EdgeTargets, [Type::EdgeSet { edge, source, .. }]) => {
            Ok(per_edge(edge, Type::Vertex(source.clone())))
        }
        (EdgeWeights, [Type::EdgeSet { edge, weight: Some(weight), .. }]) => Ok(per_edge(edge, Type::Scalar(*weight))),
        (EdgeWeights, _) => misfit("edgeset with weights"),
        (LinkNumbers, [Type::EdgeSet { .. }, Type::EdgeSet { edge, .. }]) => Ok(per_edge(edge, Type::INT)),
        (LinkNumbers, _) => misfit("edgeset of links, edgeset"),
        (
            LinkLoops | OutDegrees | OutDegreesUint | Transpose | Both | Relabel | Links | Undirected | Upward | Ranked
            | RankedNumbers | FirstEdges | EdgeSources | EdgeTargets,
            _,
        ) => misfit("edgeset"),
        (VertexCount, [Type::EdgeSet { .. } | Type::VertexSet(_)]) => Ok(Type::INT),
        (VertexCount, _) => misfit("edgeset or vertexset"),
        (OutDegree, [g, v]) if takes_vertex(g, v) => Ok(Type::INT),
        (Neighbors, [g, v]) if takes_vertex(g, v) => Ok(vertex_of(g).map_or(Type::Void, Type::VertexSet)),
        (RandomOutNeighbor | RandomInNeighbor, [g, v]) if takes_vertex(g, v) => {
            Ok(vertex_of(g).map_or(Type::Void, Type::Vertex))
        }
        (OutNeighbor, [g, v, Type::Scalar(Scalar::Int)]) if takes_vertex(g, v) => {
            Ok(vertex_of(g).map_or(Type::Void, Type::Vertex))
        }
        (OutWeight, [Type::EdgeSet { weight: Some(weight), .. }, v, Type::Scalar(Scalar::Int)]) if is_vertex(v) => {
            Ok(Type::Scalar(*weight))
        }
        (OutWeight, _) => misfit("edgeset with weights, its vertex, int"),
        (OutNeighbor, _) => misfit("edgeset, its vertex, int"),
        (EdgeCount, [Type::EdgeSet { .. }]) => Ok(Type::Scalar(Scalar::Uint64)),
        (EdgeCount, _) => misfit("edgeset"),
        (EdgeIndex, [g @ Type::EdgeSet { edge, .. }, u, v]) if takes_vertex(g, u) && is_vertex(v) => {
            Ok(Type::Vertex(edge.clone()))
        }
        (EdgeIndex, _) => misfit("edgeset, its vertex, its vertex"),
        (SelectEdges, [g @ Type::EdgeSet { edge, .. }, Type::Vector { domain: Domain::Element(of), item }])
            if of == edge && item.is_bool() =>
        {
            Ok((*g).clone())
        }
        (SelectEdges, _) => misfit("edgeset, vector of bool over its edges"),
        (
            MakeEdges,
            [Type::VertexSet(v), Type::Vector { item: from, .. }, Type::Vector { item: to, .. }, weights @ ..],
        ) if is_vertex(from) && is_vertex(to) && weights.len() < 2 => {
            let weight = match weights {
                [weights] => Some(weights.item().and_then(Type::scalar).ok_or("a vector of weights is needed")?),
                _ => None,
            };
            Ok(Type::EdgeSet { edge: v.clone(), source: v.clone(), target: v.clone(), weight })
        }
        (MakeEdges, _) => misfit("vertexset, vector of vertices, vector of vertices [, vector of weights]"),
        (
            Contract,
            [Type::EdgeSet { edge, source, target, weight }, Type::Vector { domain: Domain::Element(of), item }],
        ) if of == source && is_vertex(item) => Ok(Type::EdgeSet {
            edge: edge.clone(),
            source: source.clone(),
            target: target.clone(),
            weight: Some(weight.unwrap_or(Scalar::Int)),
        }),
        (Contract, _) => misfit("edgeset, vector of int over its vertices"),
        (InsertEdges, [g @ Type::EdgeSet { weight, .. }, Type::EdgeSet { weight: of_batch, .. }])
            if weight == of_batch =>
        {
            Ok((*g).clone())
        }
        (DeleteEdges, [g @ Type::EdgeSet { .. }, Type::EdgeSet { .. }]) => Ok((*g).clone()),
        (InsertEdges, _) => misfit("edgeset, edgeset with weights of the same type"),
        (DeleteEdges, _) => misfit("edgeset, edgeset"),
        (Weigh, [Type::EdgeSet { edge, source, target, .. }, Type::Scalar(weight)])
            if *weight != Scalar::Bool && *weight != Scalar::String =>
        {
            let (edge, source, target) = (edge.clone(), source.clone(), target.clone());
            Ok(Type::EdgeSet { edge, source, target, weight: Some(*weight) })
        }
        (Weigh, _) => misfit("edgeset, number"),
        (SerialMinimumSpanningTree, [g, v]) if takes_vertex(g, v) => {
            Ok(per_vertex(g, Scalar::Int).unwrap_or(Type::Void))
        }
        (OutDegree | Neighbors | RandomOutNeighbor | RandomInNeighbor | SerialMinimumSpanningTree, _) => {
            misfit("edgeset, its vertex")
        }
        (SerialSweepCut, [g @ Type::EdgeSet { .. }, s @ Type::VertexSet(_), v])
            if Some((*v).clone()) == per_vertex(g, Scalar::Double) =>
        {
            Ok((*s).clone())
        }
        (SerialSweepCut, _) => misfit("edgeset, vertexset, vector of double"),

        (VertexSetSize, [Type::VertexSet(_)]) => Ok(Type::INT),
        (VertexSetSize, _) => misfit("vertexset"),
        (AddVertex, [Type::VertexSet(_), v]) if is_vertex(v) => Ok(Type::Void),
        (AddVertex, _) => misfit("vertexset, its vertex"),
        (SetUnion | SetMinus, [s @ Type::VertexSet(a), Type::VertexSet(b)]) if a == b => Ok((*s).clone()),
        (SetUnion | SetMinus, _) => misfit("vertexset, vertexset of the same element"),
        (SetMembers, [Type::VertexSet(element)]) => Ok(Type::List(Box::new(Type::Vertex(element.clone())))),
        (SetMembers, _) => misfit("vertexset"),

        // Entries of a bool vector are added as ints.
        (VectorSum, [Type::Vector { item, .. }]) if item.is_bool() => Ok(Type::INT),
        (VectorSum | VectorMax | VectorMin, [Type::Vector { item, .. }]) if item.is_numeric() || item.is_bool() => {
            Ok((**item).clone())
        }
        (VectorCount | VectorArgMax | VectorArgMin, [Type::Vector { item, .. }])
            if item.scalar().is_some_and(|s| s != Scalar::String) =>
        {
            Ok(Type::INT)
        }
        (VectorRanks, [Type::Vector { domain, item }]) if item.scalar().is_some_and(|s| s != Scalar::String) => {
            Ok(Type::Vector { domain: domain.clone(), item: Box::new(Type::INT) })
        }
        (VectorSum | VectorMax | VectorMin | VectorCount | VectorArgMax | VectorArgMin | VectorRanks, _) => {
            misfit("vector of numbers")
        }

        (ListAppend | ListInsert | ListRetrieve, [Type::List(item), t]) if item.same_representation(t) => {
            Ok(Type::Void)
        }
        (ListAppend | ListInsert | ListRetrieve, _) => misfit("list{T}, T"),
        (ListPop, [Type::List(item)]) => Ok((**item).clone()),
        (ListSize, [Type::List(_)]) => Ok(Type::INT),
        (ListPop | ListSize, _) => misfit("list"),
        (ListGet, [Type::List(item), at]) if is_vertex(at) => Ok((**item).clone()),
        (ListGet, _) => misfit("list, int"),

        (DequeueReadySet, [Type::PriorityQueue { element, .. }]) => Ok(Type::VertexSet(element.clone())),
        (QueueFinished, [Type::PriorityQueue { .. }]) => Ok(Type::BOOL),
        (CurrentPriority, [Type::PriorityQueue { priority, .. }]) => Ok(Type::Scalar(*priority)),
        (DequeueReadySet | QueueFinished | CurrentPriority, _) => misfit("priority_queue"),
        (QueueFinishedNode, [Type::PriorityQueue { .. }, v]) if is_vertex(v) => Ok(Type::BOOL),
        (QueueFinishedNode, _) => misfit("priority_queue, its vertex"),
    }
}

/// Whether `Convert` exists between two types: from a number, bool or vertex to a number or bool, and between edgesets
/// over the same vertices, which may name their edges and take their weights otherwise.
pub fn convertible(from: &Type, to: &Type) -> bool {
    if let (Type::EdgeSet { source, target, .. }, Type::EdgeSet { source: s, target: t, .. }) = (from, to) {
        return source == s && target == t;
    }
    let plain = |t: &Type| t.scalar().is_some_and(|s| s != Scalar::String);
    plain(from) && plain(to)
}

/// Whether a value of this type may index a vector: vertex ids and `int`.
pub fn indexes(index: &Type) -> bool {
    index.scalar() == Some(Scalar::Int)
}
