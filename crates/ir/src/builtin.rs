//! The built-in operations that are not operators: one variant each, with its signature in words.
//!
//! Where a vertex is expected an `int` is as good: both have one representation.

/// A built-in operation. The comment gives arguments and result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Builtin {
    /// `(int) -> string`: command-line argument `i`.
    Argv,
    /// `(string) -> int`: C `atoi`.
    Atoi,
    /// `(string) -> double`: the longest prefix that is a decimal number, 0 without one.
    Atof,
    /// (string) -> int_64, the seconds from the beginning of 1970 to a point in time.
    Date,
    /// (edgeset) -> edgeset with int weights: the same edges, each weighing its number.
    ByNumber,
    /// (edgeset, string) -> vertex with this id; an error where there is none.
    FindVertex,
    /// (edgeset, string, string) -> int, the number of a text in a column of edges; -1 where it does not stand there.
    EdgeCode,
    /// The same in a column of vertices.
    VertexCode,
    /// `(number) -> same type`: absolute value.
    Abs,
    /// `(float|double) -> same type`.
    Floor,
    /// `(float|double) -> same type`: natural logarithm.
    Log,
    /// `(float|double) -> same type`: exponential.
    Exp,
    /// `(float|double) -> same type`: square root.
    Sqrt,
    /// `(F, F) -> F` on float or double: power.
    Pow,
    /// `(T, T) -> T` on numbers.
    Max,
    /// `(T, T) -> T` on numbers.
    Min,
    /// `(T, T) -> T`: remainder with the sign of the dividend, as C's `%` and `fmod`.
    Mod,
    /// `(T, T) -> T` on whole numbers: bits set in both.
    BitAnd,
    /// `(T, T) -> T` on whole numbers: bits set in one or both.
    BitOr,
    /// `(T, T) -> T` on whole numbers: bits set in one of them.
    BitXor,
    /// `(T) -> T` on whole numbers: the other bits.
    BitNot,
    /// `(T, T) -> T` on whole numbers; the count is taken modulo the width of the type.
    ShiftLeft,
    /// `(T, T) -> T` on whole numbers, copying the sign of signed ones; the count as in `ShiftLeft`.
    ShiftRight,
    /// `(T) -> int` on whole numbers: the number of bits that are set.
    PopCount,
    /// `(uint_64, uint_64, uint_64) -> uint_64`: random bits for a seed and two counters, a function of these alone.
    RandomBits,
    /// `(scalar) -> string`: as `print` shows it.
    Text,
    /// `(string, string) -> string`: both with a blank between.
    Join,
    /// `() -> void`: starts the one timer.
    StartTimer,
    /// `() -> float`: seconds since the timer was started.
    StopTimer,
    /// `() -> int`: threads that the machine has at work at once.
    Threads,

    /// `(edgeset | universe vertexset) -> int`: |V| of a graph, |E| of a universe.
    VertexCount,
    /// `(edgeset) -> vector{V}(int)`: a fresh vector of out-degrees.
    OutDegrees,
    /// `(edgeset) -> vector{V}(uint)`: the same, unsigned.
    OutDegreesUint,
    /// `(edgeset, vertex) -> int`.
    OutDegree,
    /// `(edgeset, vertex) -> vertexset`: sorted view of the out-neighbours.
    Neighbors,
    /// `(edgeset) -> edgeset`: edges reversed.
    Transpose,
    /// A graph with every edge in both directions.
    Both,
    /// `(edgeset) -> edgeset`: every undirected edge once, from its lesser to its greater end.
    Links,
    /// `(edgeset) -> edgeset`: every undirected edge in both directions.
    Undirected,
    /// `(edgeset) -> edgeset`: every undirected edge once, from the end that has fewer to the end that has more.
    Upward,
    /// `(edgeset) -> edgeset`: its undirected edges between numbers by falling degree where degrees are skewed.
    Ranked,
    /// `(edgeset) -> edgeset` whose vertices are the edges of the first, each with an edge to itself.
    LinkLoops,
    /// `(edgeset) -> vector{V}(int)`: the number that `Ranked` gives to every vertex.
    RankedNumbers,
    /// `(edgeset of links, edgeset) -> vector{E}(int)`: the link of every edge of the second, -1 where there is none.
    LinkNumbers,
    /// `(edgeset) -> vector{E}(V)`: the source of every edge.
    EdgeSources,
    /// `(edgeset) -> vector{E}(V)`: the destination of every edge.
    EdgeTargets,
    /// `(edgeset) -> vector{E}(W)`: the weight of every edge.
    EdgeWeights,
    /// `(edgeset) -> vector{V}(int)`: the position of the first edge of every vertex among all edges.
    FirstEdges,
    /// `(edgeset) -> edgeset`: renumbered by descending degree when that promises to help.
    Relabel,
    /// `(edgeset) -> uint_64`: the number of edges.
    EdgeCount,
    /// `(edgeset, vertex, vertex) -> E`: the position of the edge between two vertices among all edges, by source and
    /// then by destination; -1 when there is none.
    EdgeIndex,
    /// `(edgeset, vector{E}(bool)) -> edgeset`: the edges that are marked, between the same vertices.
    SelectEdges,
    /// `(vertexset{V}, vector of V, vector of V [, vector of weights]) -> edgeset`: the graph of these edges between
    /// all vertices, those with a negative end left out.
    MakeEdges,
    /// `(edgeset, vector{V}(int)) -> weighted edgeset`: an edge per pair of different labels that edges lead from and
    /// to, with the sum of their weights, or with their number where they have none.
    Contract,
    /// `(edgeset, edgeset) -> edgeset`: the edges of both, between the vertices of the first. An edge of both has the
    /// weight that it has in the second. Vertices of the second are known by the ids that their file gives them.
    InsertEdges,
    /// `(edgeset, edgeset) -> edgeset`: the edges of the first that are not in the second.
    DeleteEdges,
    /// `(edgeset, number) -> edgeset with weights of this type`: the same edges with their own weights, or all with
    /// this one where they have none.
    Weigh,
    /// `(edgeset, vertex) -> V`: a random out-neighbour.
    RandomOutNeighbor,
    /// `(edgeset, vertex) -> V`: a random in-neighbour.
    RandomInNeighbor,
    /// `(edgeset, vertex, int) -> V`: the out-neighbour at a position, from 0, in ascending order.
    OutNeighbor,
    /// `(edgeset, vertex, int) -> its weights`: the weight of the edge to the out-neighbour at a position.
    OutWeight,
    /// `(edgeset, vertex) -> vector{V}(int)`: Prim's tree from a vertex; entries are parents.
    SerialMinimumSpanningTree,
    /// `(edgeset, vertexset, vector{V}(double)) -> vertexset`: prefix of least conductance.
    SerialSweepCut,

    /// `(vertexset) -> int`: number of members.
    VertexSetSize,
    /// `(vertexset, vertex) -> void`: adds a vertex unless it is a member.
    AddVertex,
    /// `(vertexset{V}, vertexset{V}) -> vertexset{V}`: a new set of the members of one or both.
    SetUnion,
    /// `(vertexset{V}, vertexset{V}) -> vertexset{V}`: a new set of the members of the first that the second lacks.
    SetMinus,
    /// `(vertexset{V}) -> list{V}`: a new list of the members in ascending order.
    SetMembers,

    /// `(vector(T)) -> T`: sum of all entries; an `int` for bools.
    VectorSum,
    /// `(vector(T)) -> T`: largest entry.
    VectorMax,
    /// `(vector(T)) -> T`: smallest entry.
    VectorMin,
    /// `(vector(T)) -> int`: number of entries different from zero.
    VectorCount,
    /// `(vector(T)) -> int`: first index of the largest entry; NaN counts where there is nothing else.
    VectorArgMax,
    /// `(vector(T)) -> int`: first index of the smallest entry; NaN counts where there is nothing else.
    VectorArgMin,
    /// `(vector(T)) -> vector(int)` over the same: the position of every entry when the largest comes first; equal ones
    /// stay in order, and NaN comes last.
    VectorRanks,

    /// `(list{T}, T) -> void`: add at the end (a reference).
    ListAppend,
    /// `(list{T}) -> T`: remove the last.
    ListPop,
    /// `(list{T}, T) -> void`: add a copy of the contents at the end.
    ListInsert,
    /// `(list{T}, variable T) -> void`: overwrite the variable with the last entry and drop that.
    ListRetrieve,
    /// `(list{T}) -> int`: number of entries.
    ListSize,
    /// `(list{T}, int) -> T`: the entry at a position, from 0.
    ListGet,

    /// `(priority_queue) -> vertexset`: removes and returns the best bucket.
    DequeueReadySet,
    /// `(priority_queue) -> bool`: no work left.
    QueueFinished,
    /// `(priority_queue, vertex) -> bool`: the vertex can no longer improve.
    QueueFinishedNode,
    /// `(priority_queue(T)) -> T`: index of the current bucket.
    CurrentPriority,
}

impl Builtin {
    /// All built-ins with their spelling in the text form.
    pub const ALL: [(Builtin, &'static str); 85] = {
        use Builtin::*;
        [
            (Argv, "Argv"),
            (Atoi, "Atoi"),
            (Atof, "Atof"),
            (Date, "Date"),
            (ByNumber, "ByNumber"),
            (FindVertex, "FindVertex"),
            (EdgeCode, "EdgeCode"),
            (VertexCode, "VertexCode"),
            (Abs, "Abs"),
            (Floor, "Floor"),
            (Log, "Log"),
            (Exp, "Exp"),
            (Sqrt, "Sqrt"),
            (Pow, "Pow"),
            (Max, "Max"),
            (Min, "Min"),
            (Mod, "Mod"),
            (BitAnd, "BitAnd"),
            (BitOr, "BitOr"),
            (BitXor, "BitXor"),
            (BitNot, "BitNot"),
            (ShiftLeft, "ShiftLeft"),
            (ShiftRight, "ShiftRight"),
            (PopCount, "PopCount"),
            (RandomBits, "RandomBits"),
            (Text, "Text"),
            (Join, "Join"),
            (StartTimer, "StartTimer"),
            (StopTimer, "StopTimer"),
            (Threads, "Threads"),
            (VertexCount, "VertexCount"),
            (OutDegrees, "OutDegrees"),
            (OutDegreesUint, "OutDegreesUint"),
            (OutDegree, "OutDegree"),
            (Neighbors, "Neighbors"),
            (Transpose, "Transpose"),
            (Both, "Both"),
            (Links, "Links"),
            (Undirected, "Undirected"),
            (Upward, "Upward"),
            (Ranked, "Ranked"),
            (LinkLoops, "LinkLoops"),
            (RankedNumbers, "RankedNumbers"),
            (LinkNumbers, "LinkNumbers"),
            (EdgeSources, "EdgeSources"),
            (EdgeTargets, "EdgeTargets"),
            (EdgeWeights, "EdgeWeights"),
            (FirstEdges, "FirstEdges"),
            (Relabel, "Relabel"),
            (EdgeCount, "EdgeCount"),
            (EdgeIndex, "EdgeIndex"),
            (SelectEdges, "SelectEdges"),
            (MakeEdges, "MakeEdges"),
            (Contract, "Contract"),
            (InsertEdges, "InsertEdges"),
            (DeleteEdges, "DeleteEdges"),
            (Weigh, "Weigh"),
            (RandomOutNeighbor, "RandomOutNeighbor"),
            (RandomInNeighbor, "RandomInNeighbor"),
            (OutNeighbor, "OutNeighbor"),
            (OutWeight, "OutWeight"),
            (SerialMinimumSpanningTree, "SerialMinimumSpanningTree"),
            (SerialSweepCut, "SerialSweepCut"),
            (VertexSetSize, "VertexSetSize"),
            (AddVertex, "AddVertex"),
            (SetUnion, "SetUnion"),
            (SetMinus, "SetMinus"),
            (SetMembers, "SetMembers"),
            (VectorSum, "VectorSum"),
            (VectorMax, "VectorMax"),
            (VectorMin, "VectorMin"),
            (VectorCount, "VectorCount"),
            (VectorArgMax, "VectorArgMax"),
            (VectorArgMin, "VectorArgMin"),
            (VectorRanks, "VectorRanks"),
            (ListAppend, "ListAppend"),
            (ListPop, "ListPop"),
            (ListInsert, "ListInsert"),
            (ListRetrieve, "ListRetrieve"),
            (ListSize, "ListSize"),
            (ListGet, "ListGet"),
            (DequeueReadySet, "DequeueReadySet"),
            (QueueFinished, "QueueFinished"),
            (QueueFinishedNode, "QueueFinishedNode"),
            (CurrentPriority, "CurrentPriority"),
        ]
    };

    /// The spelling in the text form.
    pub fn name(self) -> &'static str {
        Builtin::ALL.iter().find(|(b, _)| *b == self).map_or("?", |(_, n)| n)
    }

    /// The built-in written `name`.
    pub fn from_name(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().find(|(_, n)| *n == name).map(|(b, _)| *b)
    }

    /// Touches state other than its result: must not be moved, duplicated or dropped.
    pub fn has_effect(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            StartTimer
                | StopTimer
                | RandomOutNeighbor
                | RandomInNeighbor
                | AddVertex
                | ListAppend
                | ListPop
                | ListInsert
                | ListRetrieve
                | DequeueReadySet
        )
    }
}
