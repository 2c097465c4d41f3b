//! What people write out of habit from other languages, and what it is called here.

/// The advice for a word in one of the tables below.
fn find(table: &[(&[&str], &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, advice)| *advice)
}

/// All scalar types, for messages.
pub(crate) const SCALARS: &str = "int, uint, int_64, uint_64, float, double, bool and string";

/// Advice for the name of a type that other languages have.
pub(crate) fn type_name(word: &str) -> Option<&'static str> {
    find(
        &[
            (&["int64", "int64_t", "i64", "long", "Long"], "write `int` (32 bits) or `int_64` (64 bits)"),
            (
                &["int32", "int32_t", "i32", "Int", "integer", "Integer", "short", "int16", "int8", "byte"],
                "write `int`",
            ),
            (&["uint64", "uint64_t", "u64", "size_t", "usize", "ulong"], "write `uint_64`"),
            (&["uint32", "uint32_t", "u32", "unsigned", "uint_32", "UInt"], "write `uint`"),
            (&["float32", "f32", "Float", "single"], "write `float`"),
            (&["float64", "f64", "Double", "real", "Real", "number"], "write `double`"),
            (&["boolean", "Boolean", "Bool", "_Bool"], "write `bool`"),
            (&["str", "String", "char", "text"], "write `string`"),
            (&["void", "Void", "None", "unit"], "leave out the result: `func f(v : Vertex)`"),
            (
                &["node", "Node", "vertex", "VertexID", "NodeID"],
                "declare your kind of vertex with `element Vertex end`",
            ),
            (&["graph", "Graph"], "a graph is an `edgeset{Edge}(Vertex,Vertex)`"),
            (&["array", "Array", "dict", "map", "List", "Vec"], "per-vertex data live in a `vector{Vertex}(int)`"),
        ],
        word,
    )
}

/// Advice for a word at the start of a statement that begins nothing here.
pub(crate) fn statement(word: &str) -> Option<&'static str> {
    find(
        &[
            (&["elseif", "elsif", "elif_", "ElseIf"], "write `elif`"),
            (&["then", "begin"], "leave it out: the block follows the condition and is closed by `end`"),
            (&["let", "auto", "val", "local", "mut"], "declare a variable with `var x : int = 0;`"),
            (&["unless"], "write `if not ...`"),
            (
                &["foreach", "parfor", "forall", "loop", "repeat"],
                "loops are `for i in 0:n`, `par_for i in 0:n`, `while` and `do`",
            ),
            (&["lambda", "function", "def", "fn"], "functions stand at top level and start with `func`"),
            (&["switch", "match", "case"], "write `if`, `elif`, `else`"),
            (&["unsigned", "long", "char", "void"], "declare a variable with `var x : int = 0;`"),
        ],
        word,
    )
}

/// Advice for a word at top level that begins nothing here.
pub(crate) fn top_level(word: &str) -> Option<&'static str> {
    find(
        &[
            (
                &["function", "def", "fn", "fun", "void", "proc", "sub", "procedure"],
                "functions start with `func`, as in `func main()`",
            ),
            (
                &["import", "include", "using", "require", "from"],
                "write `use \"moves.gt\";` for a file, `use std.search;` for the standard library",
            ),
            (
                &["struct", "class", "type", "record"],
                "write `tuple Best (gain : double, target : int)`; a kind of vertex is declared with `element Vertex end`",
            ),
            (&["let", "static", "global", "auto", "final"], "declare a global variable with `const x : int = 0;`"),
            (&["schedule"], "`schedule:` begins in the first column of its line"),
        ],
        word,
    )
}

/// Advice for a value that is not declared.
pub(crate) fn value(word: &str) -> Option<&'static str> {
    find(
        &[
            (&["True", "TRUE", "yes"], "write `true`"),
            (&["False", "FALSE", "no"], "write `false`"),
            (
                &["null", "NULL", "None", "nil", "nullptr"],
                "there is no null; mark a missing vertex with a value such as -1",
            ),
            (&["INT_MAX", "MAXINT", "INT32_MAX", "maxint"], "write 2147483647"),
            (&["INT_MIN", "INT32_MIN"], "write -2147483648"),
            (&["UINT_MAX", "UINT32_MAX"], "write 4294967295"),
            (
                &["inf", "INF", "Inf", "infinity", "INFINITY", "FLT_MAX"],
                "write a number no result reaches, such as 1e30",
            ),
            (&["nan", "NaN", "NAN"], "write `0.0 / 0.0`, or better mark missing values otherwise"),
            (&["pi", "PI", "M_PI"], "write 3.141592653589793"),
            (&["argc"], "the number of arguments cannot be asked; a missing `argv[k]` ends the run with a message"),
            (&["self", "this"], "there are no objects: a function gets what it needs as parameters and captures"),
        ],
        word,
    )
}

/// Advice for a function that is not there.
pub(crate) fn function(word: &str) -> Option<&'static str> {
    find(
        &[
            (&["printf", "puts", "cout", "echo", "write", "println", "display"], "write `print a, b;`"),
            (
                &["len", "length", "size", "count"],
                "ask `vertices.size()`, `set.getVertexSetSize()` or `vector.count()`",
            ),
            (
                &["rand", "randint", "rnd", "randomInt"],
                "write `random(seed, a, b)` for a real below 1, or `randomBits(seed, a, b) mod n` for a whole number",
            ),
            (&["range"], "a loop names its bounds: `for i in 0:10`"),
            (&["fmod", "remainder", "modulo"], "write `a mod b`"),
            (&["fmin", "minimum"], "write `min(a, b)`"),
            (&["fmax", "maximum"], "write `max(a, b)`"),
            (&["ceil", "ceiling", "round"], "write `floor(x + 0.5)` to round, `0 - floor(0 - x)` to round up"),
            (&["ln", "log2", "log10"], "`log(x)` is the natural logarithm; divide by `log(2)` for base 2"),
            (&["stoi", "parseInt", "strtol"], "write `atoi(text)`"),
            (&["exit", "abort", "quit", "assert"], "a program ends at the `end` of `main`"),
            (&["sum"], "write `vector.sum()`"),
            (&["cas", "CAS", "compareAndSwap", "atomicCAS"], "write `compare_and_swap(vector, index, old, new)`"),
            (&["atomicMin"], "write `vector[index] min= value;` or `writeMin(vector, index, value)`"),
            (&["atomicMax"], "write `vector[index] max= value;` or `writeMax(vector, index, value)`"),
        ],
        word,
    )
}

/// The kinds of values that have methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    Graph,
    Set,
    Vector,
    List,
    Queue,
}

/// Advice for a method that other libraries have.
pub(crate) fn method(receiver: Option<Receiver>, word: &str) -> Option<&'static str> {
    let table: &[(&[&str], &'static str)] = match receiver? {
        Receiver::Graph => &[
            (
                &["size", "numVertices", "num_vertices", "getNumVertices", "vertices", "numNodes", "length"],
                "the number of vertices is `getVertices()`",
            ),
            (&["numEdges", "num_edges", "getNumEdges", "edgeCount"], "the number of edges is `getEdges()`"),
            (&["map", "foreach", "forEach", "each", "edgeMap", "for_each"], "write `.apply(f)`"),
            (&["filter", "where", "select"], "restrict edges with `.from(f)` and `.to(f)`"),
            (
                &["neighbors", "neighbours", "getNeighbors", "outNeighbors", "getOutNeighbors", "adj"],
                "write `.getNgh(v)`, or let `.apply(f)` visit the edges",
            ),
            (&["degree", "outDegree", "getDegree", "out_degree"], "write `.getOutDegree(v)`"),
            (&["inDegree", "getInDegree", "getInDegrees"], "count in-edges with `.apply(f)` and `x[dst] += 1`"),
            (&["reverse", "transposed", "T"], "write `.transpose()`"),
        ],
        Receiver::Set => &[
            (&["add", "insert", "push", "append", "push_back", "put"], "write `.addVertex(v)`"),
            (&["length", "len", "count", "getSize"], "write `.getVertexSetSize()`"),
            (&["isEmpty", "empty", "is_empty"], "write `.getVertexSetSize() == 0`"),
            (
                &["contains", "has", "find", "in", "includes"],
                "sets cannot be asked; keep a `vector{Vertex}(bool)`, or restrict an operator with `.to(set)`",
            ),
            (
                &["remove", "erase", "delete", "removeVertex"],
                "vertices cannot be removed; make a new set with `.filter(f)`",
            ),
            (&["map", "foreach", "forEach", "each", "vertexMap", "for_each"], "write `.apply(f)`"),
            (&["clear"], "write `delete set;` and `set = new vertexset{Vertex}(0);`"),
        ],
        Receiver::Vector => &[
            (&["size", "length", "len"], "a vector has one entry per vertex: `vertices.size()`"),
            (&["fill", "set", "reset", "clear"], "set all entries with `vertices.apply(f)`"),
            (&["apply", "map", "foreach", "forEach"], "apply a function of vertices: `vertices.apply(f)`"),
            (&["mean", "average", "avg"], "divide `.sum()` by `vertices.size()`"),
            (&["argMax", "arg_max", "indexOfMax"], "write `.argmax()`"),
            (&["argMin", "arg_min", "indexOfMin"], "write `.argmin()`"),
            (
                &["sort", "sorted", "argsort", "rank"],
                "write `.ranks()`: the position of every entry, the largest first",
            ),
            (&["push", "push_back", "append", "add"], "vectors have a fixed length; use a `list{int}`"),
        ],
        Receiver::List => &[
            (&["push", "push_back", "add"], "write `.append(x)`"),
            (&["length", "len", "count"], "write `.size()`"),
            (&["isEmpty", "empty"], "write `.size() == 0`"),
            (&["get", "at"], "write `list[i]`"),
            (&["remove", "last", "back", "top"], "write `.pop()`"),
        ],
        Receiver::Queue => &[
            (&["pop", "dequeue", "extractMin", "get", "next"], "write `.dequeue_ready_set()`"),
            (&["empty", "isEmpty", "done"], "write `.finished()`"),
            (
                &["push", "insert", "add", "enqueue"],
                "vertices are queued by `.updatePriorityMin(v, old, new)` in an edge function",
            ),
            (&["decreaseKey", "update"], "write `.updatePriorityMin(v, old, new)` in an edge function"),
        ],
    };
    find(table, word)
}
