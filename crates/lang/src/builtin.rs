//! Every built-in function and method, resolved from its spelling to one enum.

/// A built-in operation. In [`ExprKind::Builtin`](crate::typed::ExprKind::Builtin) the receiver of a method is
/// the first argument. The comment of each variant lists the arguments after checking and the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    // Edgesets (language.md 5.1).
    /// `g.getVertices()`: (graph) -> int, the number of vertices.
    VertexCount,
    /// `g.getOutDegrees()`: (graph) -> fresh vector{V}(int).
    OutDegrees,
    /// `g.getOutDegreesUint()`: (graph) -> fresh vector{V}(uint).
    OutDegreesUint,
    /// `g.getOutDegree(v)`: (graph, int) -> int.
    OutDegree,
    /// `g.getNgh(v)`: (graph, int) -> vertexset, sorted view of the out-neighbours.
    Neighbors,
    /// `g.transpose()`: (graph) -> edgeset.
    Transpose,
    /// `g.both()`: (graph) -> edgeset of all edges in both directions.
    Both,
    /// `g.links()`: (graph) -> edgeset of every undirected edge once, from its lesser to its greater end.
    Links,
    /// Every undirected edge in both directions: (graph) -> edgeset. Triangle operators use it.
    Undirected,
    /// Every undirected edge once, towards the end that has more: (graph) -> edgeset. Triangle operators use it.
    Upward,
    /// The undirected edges between numbers by falling degree where degrees are skewed: (graph) -> edgeset. Triangle
    /// operators use it.
    Ranked,
    /// A graph whose vertices are the edges of a graph, each with an edge to itself: (graph) -> edgeset. Triangle
    /// operators use it.
    LinkLoops,
    /// The number of every vertex in `Ranked`: (graph) -> fresh vector{V}(int).
    RankedNumbers,
    /// The link of every edge of the second graph: (links, graph) -> fresh vector{E}(int).
    LinkNumbers,
    /// `g.sources()`: (graph) -> fresh vector{E}(V).
    EdgeSources,
    /// `g.destinations()`: (graph) -> fresh vector{E}(V).
    EdgeTargets,
    /// `g.weights()`: (graph) -> fresh vector{E} of its type of weights.
    EdgeWeights,
    /// The position of the first edge of every vertex: (graph) -> fresh vector{V}(int).
    FirstEdges,
    /// `g.relabel()`: (graph) -> edgeset.
    Relabel,
    /// `g.getEdges()`: (graph) -> uint_64, the number of edges.
    EdgeCount,
    /// `edgeIndex(g, u, v)`, and the edge that an edge function takes: (graph, int, int) -> edge; -1 without such an
    /// edge.
    EdgeIndex,
    /// `g.filter(marks)`: (graph, vector{E}(bool)) -> edgeset of the edges that are marked.
    SelectEdges,
    /// `(sources, targets [, weights])`, vectors of one length: the graph of these edges; its type is that of the node.
    MakeEdges,
    /// `g.column("name")`, `g.column("name", missing)`, and the same of the set of all vertices: (graph, string [, T])
    /// -> fresh vector of T over the edges or the vertices of the graph.
    Column,
    /// `g.vertex("id")`: (graph, string) -> the vertex with this id.
    FindVertex,
    /// `g.code("name", "text")`: (graph, string, string) -> int, the number of a text in a column of edges.
    EdgeCode,
    /// The same in a column of vertices.
    VertexCode,
    /// The form of a graph whose weights are the numbers of its edges: (graph) -> edgeset.
    ByNumber,
    /// `g.contract(labels)`: (graph, vector{V}(int)) -> edgeset of one edge per pair of labels.
    Contract,
    /// `g.insert(batch)`: (graph, graph) -> edgeset of the edges of both. Alone in a statement it changes `g`.
    InsertEdges,
    /// `g.delete(batch)`: (graph, graph) -> edgeset of the edges of the first that the second lacks.
    DeleteEdges,

    // Vertexsets (6.1).
    /// `s.addVertex(v)`: (set, int) -> void.
    AddVertex,
    /// `s.union(t)`: (set, set) -> fresh set.
    SetUnion,
    /// `s.minus(t)`: (set, set) -> fresh set.
    SetMinus,
    /// `s.getVertexSetSize()`: (set) -> int, entries with repeats.
    SetSize,
    /// `s.size()`: (set) -> int; |V| for a universe set, the number of entries otherwise.
    UniverseSize,

    // Vectors (6.2); T is the entry type.
    /// `x.sum()`: (vector) -> T.
    VectorSum,
    /// `x.max()`: (vector) -> T.
    VectorMax,
    /// `x.min()`: (vector) -> T.
    VectorMin,
    /// `x.count()`: (vector) -> int, number of non-zero entries.
    VectorCount,
    /// `x.argmax()`: (vector) -> int, the first index of the largest entry.
    VectorArgMax,
    /// `x.argmin()`: (vector) -> int, the first index of the smallest entry.
    VectorArgMin,

    /// `x.ranks()`: (vector) -> fresh vector of int over the same: the position of every entry, the largest first.
    VectorRanks,

    // Lists (6.3).
    /// `l.append(x)`: (list, T) -> void, appends the reference.
    ListAppend,
    /// `l.pop()`: (list) -> T, removes and returns the last entry.
    ListPop,
    /// `l.insert(x)`: (list, T) -> void, appends a copy.
    ListInsert,
    /// `l.retrieve(s)`: (list, variable T) -> void, overwrites `s` with the last entry and drops that.
    ListRetrieve,
    /// `l.size()`: (list) -> int, number of entries.
    ListSize,
    /// `l[i]`: (list, int) -> T, entry `i` from 0.
    ListGet,

    // Priority queues (7.2); T is the priority type.
    /// `q.dequeue_ready_set()`: (queue) -> vertexset.
    DequeueReadySet,
    /// `q.finished()`: (queue) -> bool.
    Finished,
    /// `q.finishedNode(v)`: (queue, int) -> bool.
    FinishedNode,
    /// `q.get_current_priority()`: (queue) -> T, index of the current bucket.
    CurrentPriority,
    /// `q.updatePriorityMin(v, old, new)`: (queue, int, T, T) -> void.
    UpdatePriorityMin,
    /// `q.updatePriorityMax(v, old, new)`: (queue, int, T, T) -> void.
    UpdatePriorityMax,
    /// `q.updatePrioritySum(v, delta, floor)`: (queue, int, D, T) -> void; D is T, or int when T is unsigned so
    /// that a delta may be negative.
    UpdatePrioritySum,

    // Intrinsics (4).
    /// `startTimer()`: () -> void.
    StartTimer,
    /// `stopTimer()`: () -> float, seconds since the start.
    StopTimer,
    /// `threads()`: () -> int, the threads that the machine has at work at once.
    Threads,
    /// `atoi(s)`: (string) -> int.
    Atoi,
    /// `atof(s)`: (string) -> double.
    Atof,
    /// `date(s)`: (string) -> int_64, seconds since the beginning of 1970.
    Date,
    /// `abs(x)`, `fabs(x)`: (N) -> N; `fabs` of an integer is computed in double.
    Abs,
    /// `floor(x)`: (F) -> F, F = float or double.
    Floor,
    /// `log(x)`, natural: (F) -> F.
    Log,
    /// `exp(x)`: (F) -> F.
    Exp,
    /// `sqrt(x)`: (F) -> F.
    Sqrt,
    /// `pow(x, y)`: (F, F) -> F.
    Pow,
    /// `min(x, y)`: (N, N) -> N.
    Min,
    /// `max(x, y)`: (N, N) -> N; N = int whenever `y` is an int, as in older programs.
    Max,
    /// `mod(a, b)`: (N, N) -> N, remainder with the sign of `a` (C's `%` and `fmod`).
    Mod,
    /// `a & b`: (N, N) -> N, N = int, uint, int_64 or uint_64.
    BitAnd,
    /// `a | b`: (N, N) -> N.
    BitOr,
    /// `a ^ b`: (N, N) -> N.
    BitXor,
    /// `~a`: (N) -> N.
    BitNot,
    /// `a << n`: (N, N) -> N; the count is taken modulo the width of N.
    ShiftLeft,
    /// `a >> n`: (N, N) -> N; copies of the sign come in for signed types, zeros for others.
    ShiftRight,
    /// `popcount(a)`: (N) -> int, the number of bits that are set.
    PopCount,
    /// `randomBits(seed, a, b)`: (uint_64, uint_64, uint_64) -> uint_64, a function of its arguments alone.
    RandomBits,
    /// `writeMin(x, i, v)`: (vector, int, T) -> bool, atomic; true if it lowered the entry.
    WriteMin,
    /// `writeMax(x, i, v)`: (vector, int, T) -> bool, atomic; true if it raised the entry.
    WriteMax,
    /// `atomicAdd(x, i, v)`: (vector, int, T) -> void, atomic.
    AtomicAdd,
    /// `compare_and_swap(x, i, old, new)`: (vector, int, T, T) -> bool, atomic; true if it stored.
    CompareAndSwap,
    /// `getRandomOutNgh(g, v)`: (graph, int) -> vertex.
    RandomOutNeighbor,
    /// `getRandomInNgh(g, v)`: (graph, int) -> vertex.
    RandomInNeighbor,
    /// `getOutNgh(g, v, k)`: (graph, int, int) -> vertex: the k-th out-neighbour, from 0, in ascending order.
    OutNeighbor,
    /// `getOutWeight(g, v, k)`: (graph, int, int) -> weight of the edge to that neighbour.
    OutWeight,
    /// `serialMinimumSpanningTree(g, start)`: (graph, int) -> vector{V}(int), parents.
    MinimumSpanningTree,
    /// `serialSweepCut(g, set, values)`: (graph, set, vector{V}(double)) -> vertexset.
    SweepCut,
    /// `intersection(a, b, na, nb [, limit])`: (set, set, int, int [, int]) -> int.
    Intersection,
    /// `intersectNeighbor(g, u, v)`: (graph, int, int) -> int.
    IntersectNeighbor,
}
