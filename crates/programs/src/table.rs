//! The table of standard programs: one entry each, the text embedded from `programs/`.

use crate::registry::{Arg, ArgKind, Output, Program};
use crate::validate;

const GRAPH: Arg = Arg { name: "graph", meaning: "graph file or spec", kind: ArgKind::Graph };
const SOURCE: Arg = Arg { name: "source", meaning: "vertex to start from", kind: ArgKind::Source };
const TARGET: Arg = Arg { name: "target", meaning: "vertex to reach", kind: ArgKind::Target };
const LANDMARK: Arg = Arg { name: "landmark", meaning: "vertex whose distances bound others", kind: ArgKind::Landmark };
const DELTA: Arg = Arg { name: "delta", meaning: "width of a bucket of distances, at least 1", kind: ArgKind::Delta };

const fn count(name: &'static str, meaning: &'static str, example: u32) -> Arg {
    Arg { name, meaning, kind: ArgKind::Count(example) }
}

const fn output(name: &'static str, ty: &'static str, meaning: &'static str) -> Output {
    Output { name, ty, meaning }
}

macro_rules! program {
    ($name:literal: $summary:literal, [$($arg:expr),*] -> [$($output:expr),*], $($need:ident)*, $check:expr) => {
        Program {
            name: $name,
            file: concat!($name, ".gt"),
            summary: $summary,
            args: &[$($arg),*],
            results: &[$($output),*],
            needs_weights: program!(@has weights $($need)*) || program!(@has nonnegative $($need)*),
            needs_symmetric: program!(@has symmetric $($need)*),
            needs_nonnegative: program!(@has nonnegative $($need)*),
            source: include_str!(concat!("../../../programs/", $name, ".gt")),
            validator: $check,
        }
    };
    (@has weights weights $($rest:ident)*) => { true };
    (@has symmetric symmetric $($rest:ident)*) => { true };
    (@has nonnegative nonnegative $($rest:ident)*) => { true };
    (@has $wanted:ident $other:ident $($rest:ident)*) => { program!(@has $wanted $($rest)*) };
    (@has $wanted:ident) => { false };
}

pub(crate) const PROGRAMS: &[Program] = &[
    program!("astar": "shortest path between two vertices, A* guided by a landmark",
        [GRAPH, SOURCE, TARGET, LANDMARK, DELTA] -> [
            output("distance", "int", "length of a shortest path, 2147483647 if none"),
            output("dist", "vector of int", "upper bounds on distances from the source, exact at the target"),
            output("bound", "vector of int", "lower bounds on distances to the target")
        ], nonnegative, validate::astar),
    program!("bc": "betweenness centrality, the share of one source",
        [GRAPH, SOURCE] -> [
            output("dependency", "vector of double", "dependency of the source on each vertex"),
            output("paths", "vector of double", "number of shortest paths from the source"),
            output("level", "vector of int", "hops from the source, -1 out of reach")
        ], , validate::bc),
    program!("bfs": "breadth-first search, parents",
        [GRAPH, SOURCE] -> [
            output("parent", "vector of int", "vertex before on a path with fewest hops, -1 out of reach")
        ], , validate::bfs),
    program!("bfs-levels": "breadth-first search, hops",
        [GRAPH, SOURCE] -> [
            output("level", "vector of int", "hops from the root, -1 out of reach"),
            output("depth", "int", "the greatest level")
        ], , validate::bfs_levels),
    program!("cc": "connected components, label propagation",
        [GRAPH] -> [output("label", "vector of int", "least vertex of the component")],
        symmetric, validate::components),
    program!("cc-fast": "connected components, sampled hooking and compression",
        [GRAPH] -> [output("label", "vector of int", "least vertex of the component")],
        symmetric, validate::components),
    program!("cf": "collaborative filtering, matrix factorisation by gradient descent",
        [GRAPH, count("rounds", "rounds of descent", 10)] -> [
            output("latent", "vector of vector[8] of float", "one short vector per vertex"),
            output("scale", "double", "the greatest rating"),
            output("rmse_before", "double", "error at the start, in units of scale"),
            output("rmse", "double", "error at the end")
        ], nonnegative symmetric, validate::cf),
    program!("closeness": "closeness centrality from sampled pivots",
        [GRAPH, count("pivots", "number of pivots; |V| or more give exact values", 8)] -> [
            output("closeness", "vector of double", "closeness with respect to the pivots")
        ], , validate::closeness),
    program!("coloring": "vertex coloring, largest degree first",
        [GRAPH] -> [output("color", "vector of int", "colors from 0 on, different at neighbours")],
        symmetric, validate::coloring),
    program!("eigenvector": "eigenvector centrality, power iteration",
        [GRAPH, count("rounds", "greatest number of rounds", 100)] -> [
            output("centrality", "vector of double", "the eigenvector, length 1"),
            output("lambda", "double", "the greatest eigenvalue"),
            output("change", "double", "length of the last step")
        ], , validate::eigenvector),
    program!("kcore": "core numbers, peeling with a priority queue",
        [GRAPH] -> [output("core", "vector of int", "core number")], symmetric, validate::kcore),
    program!("kcore-unordered": "core numbers, peeling by rounds",
        [GRAPH] -> [output("core", "vector of int", "core number")], symmetric, validate::kcore),
    program!("mis": "maximal independent set",
        [GRAPH] -> [output("state", "vector of int", "1 for members, 2 for others")], symmetric, validate::mis),
    program!("pagerank": "PageRank, power iteration",
        [GRAPH, count("rounds", "greatest number of rounds", 20)] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank),
    program!("pagerank-delta": "PageRank, passing on changes only",
        [GRAPH] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done")
        ], , validate::pagerank_delta),
    program!("pagerank-div": "PageRank, dividing at every edge",
        [GRAPH, count("rounds", "greatest number of rounds", 20)] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank),
    program!("pagerank-gs": "PageRank, ranks updated in place",
        [GRAPH] -> [
            output("rank", "vector of float", "ranks, sum 1"),
            output("rounds", "int", "rounds done"),
            output("change", "double", "sum of changes in the last round")
        ], , validate::pagerank_delta),
    program!("ppsp": "shortest path between two vertices, delta-stepping",
        [GRAPH, SOURCE, TARGET, DELTA] -> [
            output("distance", "int", "length of a shortest path, 2147483647 if none"),
            output("dist", "vector of int", "upper bounds on distances from the source, exact at the target")
        ], nonnegative, validate::ppsp),
    program!("setcover": "set cover, approximate greedy",
        [GRAPH] -> [
            output("chosen", "vector of bool", "the sets taken"),
            output("covered", "vector of bool", "the vertices covered")
        ], , validate::setcover),
    program!("spmv": "sparse matrix times vector",
        [GRAPH] -> [
            output("y", "vector of float", "the product"),
            output("x", "vector of float", "the factor")
        ], weights, validate::spmv),
    program!("sssp": "shortest paths from one source, Bellman-Ford",
        [GRAPH, SOURCE] -> [
            output("dist", "vector of int", "distance from the source, 2147483647 out of reach"),
            output("negative_cycle", "bool", "a negative cycle can be reached")
        ], weights, validate::sssp),
    program!("sssp-delta": "shortest paths from one source, delta-stepping",
        [GRAPH, SOURCE, DELTA] -> [
            output("dist", "vector of int", "distance from the source, 2147483647 out of reach")
        ], nonnegative, validate::sssp_delta),
    program!("tc": "triangle counting",
        [GRAPH] -> [output("triangles", "uint_64", "number of triangles")], symmetric, validate::triangles),
];
