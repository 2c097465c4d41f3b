//! The table of standard programs: one entry each, the text embedded from `programs/`.

use crate::edges::{OutOfReach, Reached};
use crate::paths::PathKind;
use crate::registry::{Arg, ArgKind, Output, Program, TimeBound};
use crate::validate;
use gw_exec::Scalar;

const GRAPH: Arg = Arg { name: "graph", meaning: "graph file or spec", kind: ArgKind::Graph, default: None };
const SOURCE: Arg = Arg { name: "source", meaning: "vertex to start from", kind: ArgKind::Source, default: None };
const SOURCES: Arg = Arg {
    name: "source",
    meaning: "vertices to start from: one, a list such as `3,17=0.5`, or a file `@FILE`",
    kind: ArgKind::Sources,
    default: None,
};
const TARGET: Arg = Arg { name: "target", meaning: "vertex to reach", kind: ArgKind::Target, default: None };
const SINK: Arg = Arg { name: "sink", meaning: "vertex where the flow ends", kind: ArgKind::Target, default: None };
const LANDMARK: Arg = Arg {
    name: "landmark",
    meaning: "vertex whose distances bound others; one behind the source is found",
    kind: ArgKind::Landmark,
    default: None,
};
const DELTA: Arg = Arg {
    name: "delta",
    meaning: "width of a bucket of distances; one is worked out from weights and degrees",
    kind: ArgKind::Delta,
    default: None,
};

const fn count(name: &'static str, meaning: &'static str, example: u32) -> Arg {
    Arg { name, meaning, kind: ArgKind::Count(example), default: None }
}

const fn starts(name: &'static str, meaning: &'static str, example: u32) -> Arg {
    Arg { name, meaning, kind: ArgKind::Starts(example), default: None }
}

/// A greatest number of rounds; 100 when left out.
const fn rounds(example: u32) -> Arg {
    Arg { default: Some("100"), ..count("rounds", "greatest number of rounds", example) }
}

/// Where rounds end early; 0.000001 when left out.
const fn tolerance(meaning: &'static str, example: &'static str) -> Arg {
    Arg { name: "tolerance", meaning, kind: ArgKind::Tolerance(example), default: Some("0.000001") }
}

/// A greatest number of searches; as many as it takes when left out.
const SEARCHES: Arg = Arg { default: Some("2147483647"), ..count("searches", "greatest number of searches", 12) };

/// How many paths are listed; 3 when left out.
const PATHS: Arg = Arg { default: Some("3"), ..count("count", "number of paths", 5) };

/// Vertices that one thread takes over from all; none when left out.
const TAIL: Arg = Arg { default: Some("0"), ..count("tail", "greatest number of vertices left to one thread", 12) };

/// Where random numbers begin; 1 when left out.
const SEED: Arg = Arg { default: Some("1"), ..count("seed", "start of the random numbers", 7) };

/// What the edges expected at random count against those inside communities; 1 when left out.
const RESOLUTION: Arg = Arg {
    name: "resolution",
    meaning: "what edges expected at random count; the more, the smaller communities are",
    kind: ArgKind::Positive("1"),
    default: Some("1"),
};

/// Communities that a search for better ones begins with; every vertex alone when left out.
const START_COMMUNITIES: Arg = Arg {
    name: "start",
    meaning: "a number per vertex, the same for those that begin together: a list, a file `@FILE`, or `none`",
    kind: ArgKind::Numbers,
    default: Some("none"),
};

/// The length of rows in the texts of `walks` and `node2vec`.
pub(crate) const WALK_ROW: u32 = 80;
/// The length of rows in the text of `similar`.
pub(crate) const LIST_ROW: u32 = 10;
/// The length of rows in the text of `msbfs`.
pub(crate) const PIVOT_ROW: u32 = 64;

const fn row(name: &'static str, meaning: &'static str, example: u32, written: u32) -> Arg {
    Arg { name, meaning, kind: ArgKind::Row { example, written }, default: None }
}

/// Vertices of a random walk.
const LENGTH: Arg = Arg { default: Some("80"), ..row("length", "vertices of a walk", 12, WALK_ROW) };

/// Vertices that `msbfs` searches from; 64 when left out.
const PIVOTS: Arg = Arg { default: Some("64"), ..row("pivots", "number of vertices to search from", 70, PIVOT_ROW) };

/// A bound of times, `any` when left out.
const fn time(name: &'static str, meaning: &'static str, bound: TimeBound, example: &'static str) -> Arg {
    Arg { name, meaning, kind: ArgKind::Time(bound, example), default: Some("any") }
}
const SINCE: Arg = time("since", "no edge is taken before this time, a number or a date", TimeBound::Least, "2");
const UNTIL: Arg = time("until", "no edge is taken after this time, a number or a date", TimeBound::Greatest, "300");

/// How long an edge takes; 0 when left out.
const DURATION: Arg = Arg { default: Some("0"), ..count("duration", "how long an edge takes", 1) };

/// Hops that `khop` goes; 2 when left out.
const HOPS: Arg = Arg { default: Some("2"), ..count("hops", "greatest number of hops", 2) };

/// A parameter of node2vec; 1 when left out.
const fn preference(name: &'static str, meaning: &'static str, example: &'static str) -> Arg {
    Arg { name, meaning, kind: ArgKind::Positive(example), default: Some("1") }
}

/// The weight of an edge of a walk, in Katz centrality.
const ALPHA: Arg = Arg {
    name: "alpha",
    meaning: "weight of an edge of a walk; 0 for one that is always small enough",
    kind: ArgKind::Tolerance("0"),
    default: Some("0"),
};

/// The probability of a step along an edge, in PageRank.
const DAMPING: Arg = Arg {
    name: "damping",
    meaning: "probability of a step along an edge",
    kind: ArgKind::Share("0.85"),
    default: Some("0.85"),
};

/// Whether edges count by their weights.
const WEIGHTS: Arg = Arg {
    name: "weights",
    meaning: "`use` or `ignore` the weights of edges; `auto` uses those of a file",
    kind: ArgKind::Weights,
    default: Some("auto"),
};

const MEAN_CHANGE: &str = "rounds end early when they change the values by less in the mean";
const CHANGE: &str = "rounds end early when they change the ranks by less in all";

const fn output(name: &'static str, ty: &'static str, meaning: &'static str) -> Output {
    Output { name, ty, meaning, holds_vertices: false }
}

/// A vector whose entries are vertices.
const fn vertices(name: &'static str, meaning: &'static str) -> Output {
    Output { holds_vertices: true, ..output(name, "vector of int", meaning) }
}

/// A vector whose entries are rows of vertices.
const fn vertex_rows(name: &'static str, ty: &'static str, meaning: &'static str) -> Output {
    Output { holds_vertices: true, ..output(name, ty, meaning) }
}

/// How the results of a search show what was reached.
const fn reached(name: &str) -> Option<Reached> {
    let (vector, otherwise) = match name.as_bytes() {
        b"bfs" => ("parent", OutOfReach::MinusOne),
        b"bfs-levels" | b"bc" | b"khop" => ("level", OutOfReach::MinusOne),
        b"sssp" | b"sssp-delta" | b"sssp-real" | b"ppsp" | b"astar" => ("dist", OutOfReach::Greatest),
        b"earliest-arrival" => ("arrival", OutOfReach::Greatest),
        b"temporal-reach" => ("steps", OutOfReach::MinusOne),
        _ => return None,
    };
    Some(Reached { vector, otherwise })
}

/// To which vertices the runs of a program lead.
const fn paths(name: &str) -> Option<PathKind> {
    match name.as_bytes() {
        b"bfs" | b"bfs-levels" | b"khop" | b"sssp" | b"sssp-delta" | b"sssp-real" => Some(PathKind::ToAll),
        b"ppsp" | b"astar" => Some(PathKind::ToTarget),
        b"k-shortest-paths" => Some(PathKind::Listed),
        _ => None,
    }
}

/// The program that takes fractions or negative weights where the one of this name does not.
const fn instead(name: &str) -> Option<&'static str> {
    match name.as_bytes() {
        b"sssp-delta" | b"ppsp" | b"astar" => Some("sssp"),
        _ => None,
    }
}

/// The form of a program in which edges count by their weights, or the program that solves the problem with weights.
const fn weighted(name: &str) -> Option<&'static str> {
    match name.as_bytes() {
        b"bc-all" | b"bc-edges" => Some("bc-weighted"),
        b"bfs" | b"bfs-levels" => Some("sssp"),
        b"eigenvector" => Some("eigenvector-weighted"),
        b"hits" => Some("hits-weighted"),
        b"katz" => Some("katz-weighted"),
        b"matching" => Some("matching-weighted"),
        b"pagerank" => Some("pagerank-weighted"),
        b"pagerank-delta" | b"pagerank-div" | b"pagerank-gs" => Some("pagerank"),
        b"ppr" => Some("ppr-weighted"),
        _ => None,
    }
}

/// What the type `weight` stands for in a program whatever the graph is.
const fn always(name: &str) -> Option<Scalar> {
    match name.as_bytes() {
        b"sssp-real" => Some(Scalar::Double),
        _ => None,
    }
}

macro_rules! program {
    ($name:literal: $summary:literal, $args:tt -> $outputs:tt, $($rest:tt)*) => {
        program!($name in $name: $summary, $args -> $outputs, $($rest)*)
    };
    ($name:literal in $file:literal: $summary:literal, [$($arg:expr),*] -> [$($output:expr),*], $($need:ident)*,
     $check:expr $(, $remark:expr)?) => {
        Program {
            name: $name,
            file: concat!($file, ".gt"),
            weights: always($name),
            summary: $summary,
            args: &[$($arg),*],
            results: &[$($output),*],
            needs_weights: program!(@has weights $($need)*)
                || program!(@has positive $($need)*)
                || program!(@has nonnegative $($need)*) && !program!(@has optional $($need)*),
            needs_symmetric: program!(@has symmetric $($need)*),
            needs_simple: program!(@has simple $($need)*),
            needs_nonnegative: program!(@has nonnegative $($need)*),
            needs_positive: program!(@has positive $($need)*),
            needs_exact: program!(@has exact $($need)*),
            instead: instead($name),
            weighted: weighted($name),
            reached: reached($name),
            paths: paths($name),
            source: include_str!(concat!("../../../programs/", $file, ".gt")),
            validator: $check,
            remark: program!(@remark $($remark)?),
        }
    };
    (@remark $remark:expr) => { $remark };
    (@remark) => { validate::nothing };
    (@has weights weights $($rest:ident)*) => { true };
    (@has optional optional $($rest:ident)*) => { true };
    (@has exact exact $($rest:ident)*) => { true };
    (@has symmetric symmetric $($rest:ident)*) => { true };
    (@has simple simple $($rest:ident)*) => { true };
    (@has nonnegative nonnegative $($rest:ident)*) => { true };
    (@has positive positive $($rest:ident)*) => { true };
    (@has $wanted:ident $other:ident $($rest:ident)*) => { program!(@has $wanted $($rest)*) };
    (@has $wanted:ident) => { false };
}

pub(crate) const PROGRAMS: &[Program] = &[
    program!("astar": "shortest path between two vertices, A* guided by a landmark",
        [GRAPH, SOURCE, TARGET, LANDMARK, DELTA] -> [
            output("distance", "weight", "length of a shortest path, greatest of its type if none"),
            output("dist", "vector of weight", "upper bounds on distances from the source, exact at the target"),
            output("bound", "vector of weight", "lower bounds on distances to the target"),
            output("too_long", "bool", "the length does not fit the type of `distance`")
        ], nonnegative exact, validate::astar, validate::too_long),
    program!("bc": "betweenness centrality, the share of one source",
        [GRAPH, SOURCE] -> [
            output("dependency", "vector of double", "dependency of the source on each vertex"),
            output("paths", "vector of double", "number of shortest paths from the source"),
            output("level", "vector of int", "hops from the source, -1 out of reach")
        ], , validate::bc),
    program!("bc-all": "betweenness centrality, exact or from sampled sources",
        [GRAPH, starts("sources", "number of sources; |V| or more give exact values", 4)] -> [
            output("centrality", "vector of double", "betweenness over all pairs, not normalised")
        ], , validate::betweenness),
    program!("bc-edges": "betweenness centrality of edges, exact or from sampled sources",
        [GRAPH, starts("sources", "number of sources; |V| or more give exact values", 4)] -> [
            output("centrality", "edge vector of double", "betweenness over all pairs, not normalised")
        ], simple, validate::edge_betweenness),
    program!("bc-weighted": "betweenness centrality of vertices and edges by the lengths of paths",
        [GRAPH, starts("sources", "number of sources; |V| or more give exact values", 4)] -> [
            output("centrality", "vector of double", "betweenness over all pairs, not normalised"),
            output("edge_centrality", "edge vector of double", "the same for edges"),
            output("too_long", "bool", "a length does not fit its type of 64 bits"),
            output("too_short", "bool", "an edge is lost in the rounding of the length before it")
        ], positive simple exact, validate::weighted_betweenness, validate::no_betweenness),
    program!("bfs": "breadth-first search, parents",
        [GRAPH, SOURCE] -> [
            vertices("parent", "vertex before on a path with fewest hops, -1 out of reach")
        ], , validate::bfs),
    program!("bfs-levels": "breadth-first search, hops",
        [GRAPH, SOURCE] -> [
            output("level", "vector of int", "hops from the root, -1 out of reach"),
            output("depth", "int", "the greatest level")
        ], , validate::bfs_levels),
    program!("biconnected": "biconnected components and cut vertices",
        [GRAPH] -> [
            output("block", "edge vector of int", "least edge of the biconnected component"),
            output("cut", "vector of bool", "whether the loss of the vertex cuts its component"),
            output("blocks", "int", "number of biconnected components")
        ], symmetric simple, validate::biconnected),
    program!("bipartite": "is the graph bipartite? the two sides",
        [GRAPH] -> [
            output("bipartite", "bool", "every edge goes across"),
            output("side", "vector of int", "0 or 1"),
            output("conflicts", "uint_64", "edges within one side, counted in both directions")
        ], symmetric, validate::bipartite),
    program!("bridges": "bridges and 2-edge-connected components",
        [GRAPH] -> [
            vertices("bridge_to", "other end of the bridge kept at v, -1 if none"),
            output("bridges", "int", "number of bridges"),
            vertices("part", "least vertex of the 2-edge-connected component")
        ], symmetric simple, validate::bridges),
    program!("cc": "connected components, label propagation",
        [GRAPH] -> [vertices("label", "least vertex of the component")],
        symmetric, validate::components),
    program!("cc-fast": "connected components, sampled hooking and compression",
        [GRAPH] -> [vertices("label", "least vertex of the component")],
        symmetric, validate::components),
    program!("cdlp": "communities, label propagation of LDBC Graphalytics",
        [GRAPH, Arg { default: Some("10"), ..count("rounds", "greatest number of rounds", 5) }] -> [
            vertices("label", "the community, named by one vertex"),
            output("changed", "int", "labels that the last round changed")
        ], simple, validate::cdlp),
    program!("cf": "collaborative filtering, matrix factorisation by gradient descent",
        [GRAPH, count("rounds", "rounds of descent", 10)] -> [
            output("latent", "vector of vector[8] of float", "one short vector per vertex"),
            output("scale", "double", "the greatest rating"),
            output("rmse_before", "double", "error at the start, in units of scale"),
            output("rmse", "double", "error at the end")
        ], nonnegative symmetric exact, validate::cf),
    program!("closeness": "closeness centrality from sampled pivots",
        [GRAPH, starts("pivots", "number of pivots; |V| or more give exact values", 8)] -> [
            output("closeness", "vector of double", "closeness with respect to the pivots")
        ], , validate::closeness),
    program!("coloring": "vertex coloring, largest degree first",
        [GRAPH] -> [output("color", "vector of int", "colors from 0 on, different at neighbours")],
        symmetric simple, validate::coloring),
    program!("earliest-arrival": "earliest arrivals along edges that are there at one time each",
        [GRAPH, SOURCE, SINCE, UNTIL, DURATION] -> [
            output("arrival", "vector of weight_64", "earliest time of arrival, greatest of its type out of reach"),
            output("reached", "int", "vertices reached, the source among them")
        ], weights exact, validate::earliest_arrival),
    program!("eccentricity": "eccentricities, diameter and radius, exact or bounds",
        [GRAPH, SEARCHES] -> [
            output("eccentricity", "vector of int", "greatest number of hops within the component, or a lower bound"),
            output("upper", "vector of int", "upper bounds"),
            output("diameter", "int", "the greatest eccentricity"),
            output("radius", "int", "the least eccentricity of a vertex with neighbours"),
            output("open", "int", "vertices whose bounds differ"),
            output("searches", "int", "breadth-first searches done")
        ], symmetric, validate::eccentricity, validate::open_bounds),
    program!("eigenvector": "eigenvector centrality, power iteration",
        [GRAPH, rounds(100), tolerance("rounds end early when a step is shorter", "0.000001"), WEIGHTS] -> [
            output("centrality", "vector of double", "the eigenvector, length 1"),
            output("lambda", "double", "the greatest eigenvalue"),
            output("change", "double", "length of the last step")
        ], , validate::eigenvector, validate::unfinished_eigenvector),
    program!("eigenvector-weighted": "eigenvector centrality, edges count by their weights",
        [GRAPH, rounds(100), tolerance("rounds end early when a step is shorter", "0.000001")] -> [
            output("centrality", "vector of double", "the eigenvector, length 1"),
            output("lambda", "double", "the greatest eigenvalue"),
            output("change", "double", "length of the last step")
        ], nonnegative exact, validate::weighted_eigenvector, validate::unfinished_eigenvector),
    program!("fastrp": "embeddings by fast random projection",
        [GRAPH, Arg { default: Some("3"), ..rounds(3) }, SEED] -> [
            output("embedding", "vector of 64 float", "64 numbers per vertex, alike where neighbourhoods are")
        ], symmetric, validate::fastrp),
    program!("harmonic": "harmonic centrality, exact or from sampled pivots",
        [GRAPH, starts("pivots", "number of pivots; |V| or more give exact values", 8)] -> [
            output("harmonic", "vector of double", "sum of 1 / hops to the vertex")
        ], , validate::harmonic),
    program!("hits": "hubs and authorities, power iteration",
        [GRAPH, rounds(20), tolerance("rounds end early when they change the hubs by less in all", "0.0001"), WEIGHTS] -> [
            output("hub", "vector of double", "hubs, sum 1"),
            output("authority", "vector of double", "authorities, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::hits, validate::unfinished_ranks),
    program!("hits-weighted": "hubs and authorities, edges count by their weights",
        [GRAPH, rounds(20), tolerance("rounds end early when they change the hubs by less in all", "0.0001")] -> [
            output("hub", "vector of double", "hubs, sum 1"),
            output("authority", "vector of double", "authorities, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], nonnegative exact, validate::weighted_hits, validate::unfinished_ranks),
    program!("k-shortest-paths": "the shortest paths between two vertices, one after the other, by Yen's method",
        [GRAPH, SOURCE, TARGET, PATHS, DELTA] -> [
            output("found", "int", "number of paths found, less than asked for when there are no more"),
            output("length", "list of weight", "lengths of the paths, shortest first"),
            output("begin", "list of int", "place in `path` where each path begins"),
            vertex_rows("path", "list of int", "vertices of all paths, one path after another"),
            output("too_long", "bool", "paths may be missing whose lengths do not fit the type of `length`")
        ], optional nonnegative simple exact, validate::k_shortest_paths, validate::too_long_paths),
    program!("katz": "Katz centrality",
        [GRAPH, ALPHA, rounds(50), tolerance(MEAN_CHANGE, "0.0001"), WEIGHTS] -> [
            output("centrality", "vector of double", "the solution, length 1"),
            output("alpha", "double", "the weight of an edge of a walk"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "mean change in the last round")
        ], , validate::katz, validate::unfinished_katz),
    program!("katz-weighted": "Katz centrality, edges count by their weights",
        [GRAPH, ALPHA, rounds(50), tolerance(MEAN_CHANGE, "0.0001")] -> [
            output("centrality", "vector of double", "the solution, length 1"),
            output("alpha", "double", "the weight of an edge of a walk"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "mean change in the last round")
        ], nonnegative exact, validate::weighted_katz, validate::unfinished_katz),
    program!("kcore": "core numbers, peeling with a priority queue",
        [GRAPH] -> [output("core", "vector of int", "core number")], symmetric, validate::kcore),
    program!("kcore-unordered": "core numbers, peeling by rounds",
        [GRAPH] -> [output("core", "vector of int", "core number")], symmetric, validate::kcore),
    program!("khop": "the vertices within some hops of one",
        [GRAPH, SOURCE, HOPS] -> [
            output("level", "vector of int", "hops from the source, -1 outside"),
            output("reached", "int", "vertices within the hops")
        ], , validate::khop),
    program!("ktruss": "k-trusses: how many triangles hold an edge?",
        [GRAPH, Arg { default: Some("0"), ..count("k", "only the truss of this k; 0: all", 0) }] -> [
            output("truss", "edge vector of int", "greatest k whose truss has the edge, 2 without triangles"),
            output("kmax", "int", "the greatest of them, 0 without edges")
        ], symmetric simple, validate::ktruss),
    program!("lcc": "local clustering coefficients of LDBC Graphalytics",
        [GRAPH] -> [
            output("clustering", "vector of double", "edges between neighbours by those there could be")
        ], simple, validate::lcc),
    program!("leiden": "communities, Leiden's method, each of them connected",
        [GRAPH, SEED, RESOLUTION, START_COMMUNITIES] -> [
            vertices("label", "the community, named by its least vertex"),
            output("communities", "int", "number of communities"),
            output("modularity", "double", "share of weight inside, less resolution times the share expected")
        ], symmetric optional nonnegative, validate::leiden, validate::too_great),
    program!("louvain": "communities, Louvain's method",
        [GRAPH, SEED, RESOLUTION, START_COMMUNITIES] -> [
            vertices("label", "the community, named by its least vertex"),
            output("communities", "int", "number of communities"),
            output("modularity", "double", "share of weight inside, less resolution times the share expected")
        ], symmetric optional nonnegative, validate::louvain, validate::too_great),
    program!("matching": "maximal matching",
        [GRAPH] -> [
            vertices("mate", "other end of the edge in the matching, -1 if none"),
            output("pairs", "int", "edges of the matching")
        ], symmetric simple, validate::matching),
    program!("matching-weighted": "weighted matching, at least half of the best",
        [GRAPH] -> [
            vertices("mate", "other end of the edge in the matching, -1 if none"),
            output("pairs", "int", "edges of the matching"),
            output("weight", "weight_64", "their weight in all"),
            output("too_long", "bool", "that weight does not fit its type")
        ], nonnegative symmetric simple exact, validate::matching_weighted, validate::no_weight),
    program!("maxflow": "maximum flow and minimum cut between two vertices",
        [GRAPH, SOURCE, SINK] -> [
            output("value", "weight_64", "what flows from the source to the sink"),
            output("flow", "edge vector of weight", "what flows along the edge"),
            output("source_side", "vector of bool", "the source's side of a minimum cut"),
            output("too_long", "bool", "the capacities at the source do not fit the type of `value`")
        ], nonnegative simple exact, validate::maxflow, validate::no_flow),
    program!("mis": "maximal independent set",
        [GRAPH] -> [output("state", "vector of int", "1 for members, 2 for others")], symmetric, validate::mis),
    program!("msbfs": "distances in hops from many vertices at once",
        [GRAPH, PIVOTS] -> [
            output("hops", "rows of PIVOTS int", "hops from each pivot, -1 out of reach")
        ], , validate::msbfs),
    program!("msf": "minimum spanning forest, Boruvka's method",
        [GRAPH] -> [
            vertices("one_end", "one end of the edge of the forest kept at v, -1 if none"),
            vertices("other_end", "other end of that edge, -1 if none"),
            output("length", "vector of weight", "weight of that edge"),
            output("weight", "weight_64", "weight of the forest"),
            output("trees", "int", "number of trees"),
            output("too_long", "bool", "the weight of the forest does not fit its type")
        ], weights symmetric exact, validate::msf, validate::no_weight),
    program!("node2vec": "random walks of node2vec from every vertex",
        [GRAPH, preference("p", "a step back has the weight 1 / p", "0.5"),
         preference("q", "a step away from the vertex before has the weight 1 / q", "2"), LENGTH, SEED] -> [
            vertex_rows("walk", "rows of LENGTH int", "vertices of the walk from v, -1 behind its end"),
            output("draws", "uint_64", "random numbers used")
        ], , validate::node2vec),
    program!("pagerank": "PageRank, power iteration",
        [GRAPH, rounds(20), tolerance(CHANGE, "0.0001"), DAMPING, WEIGHTS] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank, validate::unfinished_ranks),
    program!("pagerank-delta": "PageRank, passing on changes only",
        [GRAPH, tolerance("rounds end when no vertex holds back more than this divided by |V|", "0.00001"), DAMPING] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done")
        ], , validate::pagerank_delta),
    program!("pagerank-div": "PageRank, dividing at every edge",
        [GRAPH, rounds(20), tolerance(CHANGE, "0.0001"), DAMPING] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank, validate::unfinished_ranks),
    program!("pagerank-gs": "PageRank, ranks updated in place",
        [GRAPH, tolerance(CHANGE, "0.00005"), DAMPING] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank_gs, validate::unfinished_in_place),
    program!("pagerank-weighted": "PageRank, edges count by their weights",
        [GRAPH, rounds(20), tolerance(CHANGE, "0.0001"), DAMPING] -> [
            output("rank", "vector of double", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], nonnegative exact, validate::weighted_pagerank, validate::unfinished_ranks),
    program!("ppr": "personalised PageRank from one vertex or several",
        [GRAPH, SOURCES, rounds(20), tolerance(CHANGE, "0.0001"), DAMPING, WEIGHTS] -> [
            output("rank", "vector of double", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::ppr, validate::unfinished_walk),
    program!("ppr-weighted": "personalised PageRank, edges count by their weights",
        [GRAPH, SOURCES, rounds(20), tolerance(CHANGE, "0.0001"), DAMPING] -> [
            output("rank", "vector of double", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], nonnegative exact, validate::weighted_ppr, validate::unfinished_walk),
    program!("ppsp": "shortest path between two vertices, delta-stepping",
        [GRAPH, SOURCE, TARGET, DELTA] -> [
            output("distance", "weight", "length of a shortest path, greatest of its type if none"),
            output("dist", "vector of weight", "upper bounds on distances from the source, exact at the target"),
            output("too_long", "bool", "the length does not fit the type of `distance`")
        ], nonnegative exact, validate::ppsp, validate::too_long),
    program!("scc": "strongly connected components",
        [GRAPH, TAIL] -> [
            vertices("component", "least vertex of the component"),
            output("components", "int", "number of components")
        ], , validate::scc),
    program!("setcover": "set cover, approximate greedy",
        [GRAPH] -> [
            output("chosen", "vector of bool", "the sets taken"),
            output("covered", "vector of bool", "the vertices covered")
        ], , validate::setcover),
    program!("similar": "the vertices most similar to each vertex",
        [GRAPH, Arg { default: Some("10"), ..row("entries", "entries of a list", 12, LIST_ROW) }] -> [
            vertex_rows("similar", "rows of ENTRIES int", "the most similar vertices, best first, -1 behind the end"),
            output("jaccard", "rows of ENTRIES double", "common out-neighbours divided by those of either")
        ], simple, validate::similar),
    program!("similarity": "similarity to one vertex by common neighbours",
        [GRAPH, SOURCE] -> [
            output("common", "vector of int", "common out-neighbours"),
            output("jaccard", "vector of double", "common by all out-neighbours of the two"),
            output("overlap", "vector of double", "common by the lesser out-degree"),
            output("cosine", "vector of double", "common by the root of the product of out-degrees")
        ], , validate::similarity),
    program!("similarity-edges": "similarity of the ends of every edge by common neighbours",
        [GRAPH] -> [
            output("common", "edge vector of int", "common out-neighbours"),
            output("jaccard", "edge vector of double", "common by all out-neighbours of the two"),
            output("overlap", "edge vector of double", "common by the lesser out-degree"),
            output("cosine", "edge vector of double", "common by the root of the product of out-degrees")
        ], simple, validate::similarity_edges),
    program!("spmv": "sparse matrix times vector",
        [GRAPH] -> [
            output("y", "vector of double", "the product"),
            output("x", "vector of double", "the factor")
        ], weights exact, validate::spmv),
    program!("sssp": "shortest paths from one source, Bellman-Ford",
        [GRAPH, SOURCE] -> [
            output("dist", "vector of weight", "distance from the source, greatest of its type out of reach"),
            output("negative_cycle", "bool", "a negative cycle can be reached"),
            output("too_long", "bool", "a distance does not fit the type of `dist`")
        ], weights exact, validate::sssp, validate::no_distances),
    program!("sssp-delta": "shortest paths from one source, delta-stepping",
        [GRAPH, SOURCE, DELTA] -> [
            output("dist", "vector of weight", "distance from the source, greatest of its type out of reach"),
            output("too_long", "bool", "a distance does not fit the type of `dist`")
        ], nonnegative exact, validate::sssp_delta, validate::no_distances),
    program!("sssp-real" in "sssp": "shortest paths from one source, weights and distances are reals",
        [GRAPH, SOURCE] -> [
            output("dist", "vector of double", "distance from the source, inf out of reach"),
            output("negative_cycle", "bool", "a negative cycle can be reached"),
            output("too_long", "bool", "a distance does not fit the type double")
        ], weights exact, validate::sssp, validate::no_distances),
    program!("tc": "triangle counting",
        [GRAPH] -> [output("triangles", "uint_64", "number of triangles")], symmetric simple, validate::triangles),
    program!("temporal-reach": "vertices that edges taken in the order of their times lead to",
        [GRAPH, SOURCE, SINCE, UNTIL, DURATION] -> [
            output("steps", "vector of int", "fewest edges of a path, 0 at the source, -1 out of reach"),
            output("reached", "int", "vertices reached, the source among them")
        ], weights exact, validate::temporal_reach),
    program!("topo": "topological levels of a directed graph without cycles",
        [GRAPH] -> [
            output("level", "vector of int", "edges on the longest path to v, -1 on and behind cycles"),
            output("levels", "int", "number of levels"),
            output("acyclic", "bool", "there is no cycle")
        ], , validate::topo),
    program!("triangles": "triangles and clustering coefficient of every vertex",
        [GRAPH] -> [
            output("triangles", "vector of uint_64", "triangles with v as a corner"),
            output("clustering", "vector of double", "triangles by pairs of neighbours"),
            output("total", "uint_64", "triangles in all"),
            output("average", "double", "mean of the coefficients"),
            output("transitivity", "double", "closed by all pairs of neighbours")
        ], symmetric simple, validate::triangles_per_vertex),
    program!("walks": "random walks from every vertex",
        [GRAPH, LENGTH, SEED] -> [
            vertex_rows("walk", "rows of LENGTH int", "vertices of the walk from v, -1 behind its end"),
            output("visits", "vector of int", "how often all walks visit v")
        ], , validate::walks),
];
