//! The validators tested themselves: right results are damaged in every way, and what a validator lets pass must be
//! another right result. That is decided by a check from the definition (`is_right`), which shares nothing with the
//! validators.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::machine::{Scheduled, prepare_file, run};
use crate::networks::is_greatest_flow;
use crate::oracle::{edges, hops, ranks, solve};
use crate::plain::{Rounds, alpha, counted, hubs, joined, katz, modularity, walk, weighted};
use gw_exec::ReferenceVm;
use gw_graph::{Graph, GraphSpec, progress::Silent};
use gw_lang::SourceFile;
use gw_programs::{Number, Program, ResultMap, Results, Run, Values, example_args, programs};

/// Small graphs of every class; weights are added for programs that need them.
const GRAPHS: [(&str, &str); 12] = [
    ("path:1", "1..2"),
    ("path:23", "1..20"),
    ("cycle:16", "1..5"),
    ("star:24", "1..20"),
    ("complete:9", "1..20"),
    ("grid:5x4", "0..2"),
    ("kron:6", "1..64"),
    ("urand:5:1", "1..20"),
    ("tree:31", "1..9"),
    ("kron:5:directed", "1..64"),
    ("grid:4x4:directed", "-1..9"),
    ("kron:5", "0.25..4.0"),
];

/// Programs whose slow solutions here are those for whole numbers.
const WHOLE: [&str; 6] = ["astar", "bc-weighted", "cf", "k-shortest-paths", "maxflow", "ppsp"];

/// What can become of a vector: the name and the change, which gives nothing where it changes nothing.
type Damage<T> = (&'static str, fn(&[T], &Context<'_>) -> Vec<T>);

/// What a damage may want to know.
struct Context<'a> {
    program: &'a str,
    graph: &'a Graph,
    result: &'a str,
}

/// Numbers that can be damaged.
trait Entry: Copy + PartialOrd + Default {
    fn one_more(self) -> Self;
    fn rounded(self) -> Self;
    /// The value before the program has done anything for the vertex.
    fn initial(context: &Context<'_>, vertex: usize) -> Self;
}

impl Entry for i32 {
    fn one_more(self) -> i32 {
        self.wrapping_add(1)
    }
    fn rounded(self) -> i32 {
        self & !1
    }
    fn initial(context: &Context<'_>, vertex: usize) -> i32 {
        match (context.program, context.result) {
            (_, "dist") => i32::MAX,
            (_, "label") => vertex as i32,
            (_, "core") => context.graph.out().degree(vertex as u32) as i32,
            (_, "state" | "bound") => 0,
            _ => -1,
        }
    }
}

impl Entry for i64 {
    fn one_more(self) -> i64 {
        self.wrapping_add(1)
    }
    fn rounded(self) -> i64 {
        self & !1
    }
    fn initial(_: &Context<'_>, _: usize) -> i64 {
        i64::MAX
    }
}

impl Entry for u64 {
    fn one_more(self) -> u64 {
        self.wrapping_add(1)
    }
    fn rounded(self) -> u64 {
        self & !1
    }
    fn initial(_: &Context<'_>, _: usize) -> u64 {
        0
    }
}

impl Entry for f32 {
    fn one_more(self) -> f32 {
        self + 0.01 + 0.1 * self.abs()
    }
    fn rounded(self) -> f32 {
        (self * 100.0).round() / 100.0
    }
    fn initial(context: &Context<'_>, _: usize) -> f32 {
        if context.result == "rank" { 1.0 / context.graph.vertices() as f32 } else { 0.0 }
    }
}

impl Entry for f64 {
    fn one_more(self) -> f64 {
        self + 0.01 + 0.1 * self.abs()
    }
    fn rounded(self) -> f64 {
        (self * 100.0).round() / 100.0
    }
    fn initial(context: &Context<'_>, _: usize) -> f64 {
        match context.result {
            "dist" | "arrival" => f64::INFINITY,
            "centrality" => 1.0 / (context.graph.vertices() as f64).sqrt(),
            _ => 0.0,
        }
    }
}

impl Entry for bool {
    fn one_more(self) -> bool {
        !self
    }
    fn rounded(self) -> bool {
        true
    }
    fn initial(_: &Context<'_>, _: usize) -> bool {
        false
    }
}

fn changed_at<T: Entry>(values: &[T], at: usize, change: impl Fn(T) -> T) -> Vec<T> {
    values.iter().enumerate().map(|(i, &value)| if i == at { change(value) } else { value }).collect()
}

fn damages<T: Entry>() -> Vec<Damage<T>> {
    vec![
        ("first entry", |v, _| changed_at(v, 0, T::one_more)),
        ("middle entry", |v, _| changed_at(v, v.len() / 2, T::one_more)),
        ("last entry", |v, _| changed_at(v, v.len() - 1, T::one_more)),
        ("one entry zero", |v, _| changed_at(v, v.len() / 2, |_| T::default())),
        ("swap", |v, _| {
            // The first two entries that differ.
            let other = v.iter().position(|x| *x != v[0]).unwrap_or(0);
            let mut v = v.to_vec();
            v.swap(0, other);
            v
        }),
        ("shift", |v, _| v[1..].iter().chain(&v[..1]).copied().collect()),
        ("all one more", |v, _| v.iter().map(|x| x.one_more()).collect()),
        ("rounded", |v, _| v.iter().map(|x| x.rounded()).collect()),
        ("all zero", |v, _| vec![T::default(); v.len()]),
        ("constant", |v, _| vec![v[v.len() / 2]; v.len()]),
        ("early stop", |v, context| {
            // The greatest third has not been reached yet.
            let mut sorted = v.to_vec();
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            let border = sorted[v.len() * 2 / 3];
            v.iter().enumerate().map(|(i, &x)| if x >= border { T::initial(context, i) } else { x }).collect()
        }),
        ("last entry missing", |v, _| v[..v.len() - 1].to_vec()),
    ]
}

/// All damaged forms of a result, each with the name of the damage.
fn damaged(right: &ResultMap, name: &str, context: &Context<'_>) -> Vec<(&'static str, ResultMap)> {
    fn all<T: Entry>(values: &[T], context: &Context<'_>) -> Vec<(&'static str, Vec<T>)> {
        if values.is_empty() {
            return Vec::new();
        }
        let made = damages::<T>().into_iter().map(|(what, change)| (what, change(values, context)));
        // What changed nothing is no damage; NaN is told from everything.
        made.filter(|(_, made)| made.len() != values.len() || made.iter().zip(values).any(|(a, b)| a != b)).collect()
    }
    let with = |what, values: Values<'static>| (what, right.clone().with_vector(name, values));
    match right.vector(name) {
        Some(Values::Int(v)) => all(&v, context).into_iter().map(|(what, v)| with(what, v.into())).collect(),
        Some(Values::Int64(v)) => all(&v, context).into_iter().map(|(what, v)| with(what, v.into())).collect(),
        Some(Values::Uint64(v)) => all(&v, context).into_iter().map(|(what, v)| with(what, v.into())).collect(),
        Some(Values::Float(v)) => {
            let mut made = all(&v, context);
            made.push(("NaN", changed_at(&v, v.len() / 2, |_| f32::NAN)));
            made.into_iter().map(|(what, v)| with(what, v.into())).collect()
        }
        Some(Values::Double(v)) => {
            let mut made = all(&v, context);
            made.push(("NaN", changed_at(&v, v.len() / 2, |_| f64::NAN)));
            made.into_iter().map(|(what, v)| with(what, v.into())).collect()
        }
        Some(Values::Bool(v)) => all(&v, context).into_iter().map(|(what, v)| with(what, v.into())).collect(),
        Some(other) => panic!("{name} has type {}", other.type_name()),
        None => match right.scalar(name) {
            Some(Number::Integer(value)) => {
                let made = [("scalar + 1", value + 1), ("scalar - 1", value - 1), ("scalar zero", 0)];
                let other = made.into_iter().filter(|(_, made)| *made != value);
                other.map(|(what, v)| (what, right.clone().with_scalar(name, Number::Integer(v)))).collect()
            }
            Some(Number::Real(value)) => {
                let made = [("scalar + 1", value + 1.0), ("scalar - 1", value - 1.0), ("scalar zero", 0.0)];
                let other = made.into_iter().filter(|(_, made)| *made != value).chain([("NaN", f64::NAN)]);
                other.map(|(what, v)| (what, right.clone().with_scalar(name, v))).collect()
            }
            None => panic!("the run left no {name}"),
        },
    }
}

/// The results that a program lists, as the reference machine leaves them.
fn right_results(program: &Program, graph: &Arc<Graph>, args: &[String]) -> ResultMap {
    let file = SourceFile::new(program.file, &*program.text_for(args)).with_weights(program.weights_on(graph));
    let mut compiled = prepare_file(&file, Scheduled::Own, &ReferenceVm::new()).unwrap();
    let result = run(&mut compiled, graph, args).unwrap();
    program.results.iter().fold(ResultMap::new(), |map, output| {
        match (Results::vector(&result.globals, output.name), result.globals.scalar(output.name)) {
            (Some(Values::Int(v)), _) => map.with_vector(output.name, v.into_owned()),
            (Some(Values::Int64(v)), _) => map.with_vector(output.name, v.into_owned()),
            (Some(Values::Uint64(v)), _) => map.with_vector(output.name, v.into_owned()),
            (Some(Values::Float(v)), _) => map.with_vector(output.name, v.into_owned()),
            (Some(Values::Double(v)), _) => map.with_vector(output.name, v.into_owned()),
            (Some(Values::Bool(v)), _) => map.with_vector(output.name, v.into_owned()),
            (_, Some(number)) => map.with_scalar(output.name, number),
            (other, _) => panic!("{}: {other:?}", output.name),
        }
    })
}

fn ints(results: &ResultMap, name: &str) -> Vec<i32> {
    match results.vector(name) {
        Some(Values::Int(v)) => v.into_owned(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Entries and scalars as reals, whatever their type.
fn reals(results: &ResultMap, name: &str) -> Vec<f64> {
    match (results.vector(name), results.scalar(name)) {
        (Some(Values::Int(v)), _) => v.iter().map(|&x| f64::from(x)).collect(),
        (Some(Values::Int64(v)), _) => v.iter().map(|&x| x as f64).collect(),
        (Some(Values::Uint64(v)), _) => v.iter().map(|&x| x as f64).collect(),
        (Some(Values::Float(v)), _) => v.iter().map(|&x| f64::from(x)).collect(),
        (Some(Values::Double(v)), _) => v.into_owned(),
        (Some(Values::Bool(v)), _) => v.iter().map(|&x| f64::from(u8::from(x))).collect(),
        (None, Some(Number::Integer(v))) => vec![v as f64],
        (None, Some(Number::Real(v))) => vec![v],
        (other, _) => panic!("{name}: {other:?}"),
    }
}

/// Equal lengths, and no entry farther away than the tolerance, relative to the size of the right one.
fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= tolerance * (1.0 + b.abs());
    a.len() == b.len() && a.iter().zip(b).all(close)
}

/// Whether results solve the problem, by its definition and with the tolerance that the program's header promises.
/// `solved` keeps the solution of the definition from one damaged result to the next.
fn is_right(
    program: &Program,
    graph: &Graph,
    args: &[String],
    found: &ResultMap,
    solved: &OnceCell<ResultMap>,
) -> bool {
    let n = graph.vertices();
    for output in program.results {
        let length = match (program.name, output.name) {
            // As many entries as the paths that were found have.
            ("k-shortest-paths", _) => continue,
            ("cf", "latent") => 8 * n,
            ("walks", "walk") => args[1].parse::<usize>().unwrap() * n,
            ("node2vec", "walk") => args[3].parse::<usize>().unwrap() * n,
            ("similar" | "msbfs", _) => args[1].parse::<usize>().unwrap() * n,
            ("fastrp", _) => 64 * n,
            ("biconnected", "block") | ("similarity-edges", _) | ("ktruss", "truss") => graph.edges(),
            ("bc-edges", _) | ("bc-weighted", "edge_centrality") | ("maxflow", "flow") => graph.edges(),
            _ => n,
        };
        if found.vector(output.name).is_some_and(|values| values.len() != length) {
            return false;
        }
    }
    let neighbours = |v: usize| graph.out().neighbours(v as u32).iter().map(|&u| u as usize);
    let arg = |i: usize| args[i - 1].parse::<usize>().unwrap();
    let right = || solved.get_or_init(|| solve(program.name, graph, args)).clone();
    let all_near = |names: &[&str], tolerance: f64| {
        let right = right();
        names.iter().all(|name| near(&reals(found, name), &reals(&right, name), tolerance))
    };
    let l1 = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    match program.name {
        "bfs" => {
            let (parent, level) = (ints(found, "parent"), hops(graph, arg(2)));
            (0..n).all(|v| match level[v] {
                -1 => parent[v] == -1,
                0 => parent[v] == v as i32,
                _ => (0..n).any(|p| parent[v] == p as i32 && level[p] + 1 == level[v] && neighbours(p).any(|x| x == v)),
            })
        }
        "bfs-levels" => all_near(&["level", "depth"], 0.0),
        "sssp" => all_near(&["dist", "negative_cycle", "too_long"], 0.0),
        "sssp-real" => all_near(&["dist", "negative_cycle"], 0.0),
        "sssp-delta" => all_near(&["dist", "too_long"], 0.0),
        "ppsp" | "astar" => {
            let (right, dist) = (ints(&right(), "dist"), ints(found, "dist"));
            let exact = dist[arg(3)] == right[arg(3)] && reals(found, "distance") == [f64::from(right[arg(3)])];
            let upper = dist[arg(2)] == 0 && (0..n).all(|v| dist[v] >= right[v]);
            let lower = program.name == "ppsp" || {
                let bound = ints(found, "bound");
                let onward = |v: usize| {
                    let args = ["g".to_string(), v.to_string()];
                    ints(&solve("sssp", graph, &args), "dist")[arg(3)]
                };
                (0..n).all(|v| bound[v] >= 0 && bound[v] <= onward(v))
            };
            exact && upper && lower && reals(found, "too_long") == [0.0]
        }
        "pagerank" | "pagerank-div" | "pagerank-weighted" => {
            let (rounds, change) = (reals(found, "rounds")[0], reals(found, "change")[0]);
            let tolerance: f64 = args[2].parse().unwrap();
            if rounds < 0.0 || rounds > arg(2) as f64 {
                return false;
            }
            let graph = counted(program.name, graph);
            let (rank, done, last) = ranks(&graph, 0.85, rounds as usize, 0.0);
            let before = ranks(&graph, 0.85, (rounds as usize).saturating_sub(1), 0.0).2;
            let ended = f64::from(done) == arg(2) as f64 || change < tolerance;
            let not_late = done == 0 || before >= tolerance - 1e-5;
            l1(&reals(found, "rank"), &rank) <= 4e-6 && (change - last).abs() <= 8e-6 && ended && not_late
        }
        "pagerank-delta" | "pagerank-gs" => {
            let tolerance: f64 = args[1].parse().unwrap();
            let (rank, ..) = ranks(&counted(program.name, graph), 0.85, 300, 0.0);
            // The rounds of these two depend on the order of updates: any number that is one.
            let rounds = (0.0..=200.0).contains(&reals(found, "rounds")[0]);
            let ended = program.name == "pagerank-delta" || (0.0..tolerance).contains(&reals(found, "change")[0]);
            l1(&reals(found, "rank"), &rank) <= (7.0 * tolerance + 2e-6) / 0.15 && rounds && ended
        }
        "cc" | "cc-fast" => all_near(&["label"], 0.0),
        "bc" => all_near(&["level"], 0.0) && all_near(&["paths", "dependency"], 1e-6),
        "closeness" => all_near(&["closeness"], 1e-9),
        "eigenvector" | "eigenvector-weighted" => all_near(&["centrality", "lambda", "change"], 2e-8),
        "tc" => all_near(&["triangles"], 0.0),
        "kcore" | "kcore-unordered" => all_near(&["core"], 0.0),
        "cf" => all_near(&["latent"], 2e-3) && all_near(&["scale"], 0.0) && all_near(&["rmse_before", "rmse"], 2e-4),
        "mis" => {
            let state = ints(found, "state");
            (0..n).all(|v| match state[v] {
                1 => neighbours(v).all(|u| state[u] != 1),
                2 => neighbours(v).any(|u| state[u] == 1),
                _ => false,
            })
        }
        "setcover" => {
            let (chosen, covered) = (reals(found, "chosen"), reals(found, "covered"));
            let mut by = vec![false; n];
            edges(graph).into_iter().filter(|e| chosen[e.0] == 1.0).for_each(|e| by[e.1] = true);
            let all = edges(graph).into_iter().all(|e| by[e.1]) && (0..n).all(|v| (covered[v] == 1.0) == by[v]);
            let largest = (0..n).map(|v| neighbours(v).count()).max().unwrap_or(0).max(1) as f64;
            let greedy: f64 = reals(&right(), "chosen").iter().sum();
            all && chosen.iter().sum::<f64>() <= 1.6 * (1.0 + largest.ln()) * greedy
        }
        "coloring" => {
            let color = ints(found, "color");
            let most = (0..n).map(|v| neighbours(v).count()).max().unwrap_or(0) as i32;
            (0..n).all(|v| (0..=most).contains(&color[v]) && neighbours(v).all(|u| color[u] != color[v]))
        }
        "spmv" => all_near(&["x", "y"], 2e-11),
        "scc" => all_near(&["component", "components"], 0.0),
        "msf" => all_near(&["too_long"], 0.0) && is_least_forest(graph, found, reals(&right(), "weight")[0]),
        "ppr" | "ppr-weighted" => {
            let graph = counted(program.name, graph);
            settled(found, arg(3), &args[3], &["rank"], |rounds| walk(&graph, &args[1], 0.85, rounds, 0.0))
        }
        "hits" | "hits-weighted" => {
            let graph = counted(program.name, graph);
            settled(found, arg(2), &args[2], &["hub", "authority"], |rounds| hubs(&graph, rounds, 0.0))
        }
        "katz" | "katz-weighted" => {
            let graph = counted(program.name, graph);
            let alpha = alpha(&graph, args[1].parse().unwrap());
            let solved = settled(found, arg(3), &args[3], &["centrality"], |rounds| katz(&graph, alpha, rounds, 0.0));
            solved && near(&reals(found, "alpha"), &[alpha], 2e-12)
        }
        "triangles" => {
            let reals = ["clustering", "average", "transitivity"];
            all_near(&["triangles", "total"], 0.0) && all_near(&reals, 2e-9)
        }
        "lcc" => all_near(&["clustering"], 2e-12),
        "cdlp" => all_near(&["label", "changed"], 0.0),
        "bc-all" | "bc-edges" => all_near(&["centrality"], 2e-6),
        "bc-weighted" => all_near(&["centrality", "edge_centrality", "too_long", "too_short"], 2e-6),
        "maxflow" => {
            all_near(&["too_long"], 0.0)
                && is_greatest_flow(graph, found, (arg(2), arg(3)), reals(&right(), "value")[0] as i64)
        }
        "k-shortest-paths" => all_near(&["found", "length", "begin", "path", "too_long"], 0.0),
        "harmonic" => all_near(&["harmonic"], 2e-9),
        "eccentricity" => {
            let searches = (0.0..=n as f64).contains(&reals(found, "searches")[0]);
            all_near(&["eccentricity", "upper", "diameter", "radius", "open"], 0.0) && searches
        }
        "bipartite" => all_near(&["bipartite", "side", "conflicts"], 0.0),
        "topo" => all_near(&["level", "levels", "acyclic"], 0.0),
        "earliest-arrival" => all_near(&["arrival", "reached"], 0.0),
        "temporal-reach" => all_near(&["steps", "reached"], 0.0),
        "khop" => all_near(&["level", "reached"], 0.0),
        "matching" | "matching-weighted" => is_dominant(program.name, graph, found),
        "biconnected" => all_near(&["block", "cut", "blocks"], 0.0),
        "bridges" => all_near(&["bridge_to", "part", "bridges"], 0.0),
        "similarity" | "similarity-edges" => {
            all_near(&["common"], 0.0) && all_near(&["jaccard", "overlap", "cosine"], 2e-12)
        }
        "ktruss" => all_near(&["truss", "kmax"], 0.0),
        "louvain" | "leiden" => are_communities(program.name, graph, found),
        "similar" => all_near(&["similar"], 0.0) && all_near(&["jaccard"], 2e-12),
        "msbfs" => all_near(&["hops"], 0.0),
        "fastrp" => all_near(&["embedding"], 1e-3),
        "walks" => all_near(&["walk", "visits"], 0.0),
        "node2vec" => all_near(&["walk", "draws"], 0.0),
        other => panic!("no definition of {other}"),
    }
}

/// The values after the rounds told, the change told, and rounds that ended neither early nor late.
fn settled(found: &ResultMap, limit: usize, tolerance: &str, names: &[&str], after: impl Fn(usize) -> Rounds) -> bool {
    let (rounds, change, tolerance) =
        (reals(found, "rounds")[0], reals(found, "change")[0], tolerance.parse().unwrap());
    if rounds < 0.0 || rounds > limit as f64 {
        return false;
    }
    let (right, done, last, before) = after(rounds as usize);
    let values = names.iter().zip(&right).all(|(name, right)| near(&reals(found, name), right, 2e-9));
    let ended = done as usize == limit || change < tolerance;
    values && (change - last).abs() <= 2e-9 * (1.0 + last) && ended && (done == 0 || before >= tolerance - 4e-9)
}

/// Edges of the graph that join what the graph joins, as few as possible, with the least weight.
fn is_least_forest(graph: &Graph, found: &ResultMap, least: f64) -> bool {
    let n = graph.vertices();
    let (one, other, length) = (ints(found, "one_end"), ints(found, "other_end"), reals(found, "length"));
    let all = weighted(graph);
    let mut kept = Vec::new();
    for v in 0..n {
        match (one[v], other[v]) {
            (-1, -1) if length[v] == 0.0 => {}
            (a, b) => match all.iter().find(|e| (e.0 as i32, e.1 as i32) == (a, b)) {
                Some(e) if e.2 == length[v] => kept.push((e.0, e.1)),
                _ => return false,
            },
        }
    }
    let ends: Vec<(usize, usize)> = all.iter().map(|e| (e.0, e.1)).collect();
    let parts = joined(n, &ends);
    let trees = (0..n).filter(|&v| parts[v] == v).count();
    let spans = joined(n, &kept) == parts && kept.len() + trees == n && reals(found, "trees") == [trees as f64];
    spans && near(&[length.iter().sum()], &[least], 2e-9) && near(&reals(found, "weight"), &[least], 2e-9)
}

/// Mutual pairs, and no edge heavier than what both of its ends have; every edge weighs 1 where weights do not count.
fn is_dominant(program: &str, graph: &Graph, found: &ResultMap) -> bool {
    let (mate, weighs) = (ints(found, "mate"), program == "matching-weighted");
    let all: Vec<_> = weighted(graph).into_iter().map(|(u, v, w)| (u, v, if weighs { w } else { 1.0 })).collect();
    let mut held = vec![-1.0; mate.len()];
    for (v, &other) in mate.iter().enumerate().filter(|(_, other)| **other != -1) {
        match all.iter().find(|e| (e.0, e.1 as i32) == (v, other)) {
            Some(e) if mate[e.1] == v as i32 => held[v] = e.2,
            _ => return false,
        }
    }
    let pairs = mate.iter().filter(|&&other| other != -1).count() as f64 / 2.0;
    let weight: f64 = held.iter().filter(|&&w| w >= 0.0).sum::<f64>() / 2.0;
    let told = reals(found, "pairs") == [pairs]
        && (!weighs || reals(found, "too_long") == [0.0] && near(&reals(found, "weight"), &[weight], 2e-9));
    told && all.iter().all(|e| held[e.0] >= e.2 || held[e.1] >= e.2)
}

/// Communities named by their least vertices, with the modularity told, no two of which gain by being joined; those of
/// Leiden's method connected.
fn are_communities(program: &str, graph: &Graph, found: &ResultMap) -> bool {
    let label = ints(found, "label");
    let named = (0..label.len()).all(|v| label.iter().position(|&l| l == label[v]) == usize::try_from(label[v]).ok());
    let count = (0..label.len()).filter(|&v| label[v] == v as i32).count() as f64;
    let value = modularity(graph, &label);
    if !named || reals(found, "communities") != [count] || !near(&reals(found, "modularity"), &[value], 2e-9) {
        return false;
    }
    let all: Vec<(usize, usize)> = edges(graph).into_iter().map(|(u, v, _)| (u, v)).collect();
    let best = all.iter().filter(|&&(u, v)| label[u] < label[v]).all(|&(u, v)| {
        let joined: Vec<i32> = label.iter().map(|&l| if l == label[v] { label[u] } else { l }).collect();
        modularity(graph, &joined) <= value + 1e-7
    });
    let inner: Vec<(usize, usize)> = all.into_iter().filter(|&(u, v)| label[u] == label[v]).collect();
    let parts = joined(label.len(), &inner);
    best && (program == "louvain" || (0..label.len()).all(|v| parts[v] as i32 == label[v]))
}

/// What became of the damaged results of a program.
#[derive(Default)]
struct Tally {
    caught: u32,
    /// Accepted, and right in another way.
    right: u32,
    /// Refused, though right.
    strict: u32,
    /// Accepted, though wrong.
    missed: u32,
}

#[test]
fn validators_let_no_damage_pass() {
    let mut table: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    let mut problems = Vec::new();
    for program in programs() {
        for (spec, weights) in GRAPHS {
            let spec = if program.needs_weights { format!("{spec}:weights={weights}") } else { spec.to_string() };
            let graph = Arc::new(GraphSpec::parse(&spec).and_then(|spec| spec.load(&Silent)).unwrap().graph);
            // Graphs of the wrong kind are somebody else's business.
            let Some(suited) = program.suit(graph, &spec).ok().filter(|suited| suited.program.name == program.name)
            else {
                continue;
            };
            let graph = suited.graph;
            if graph.weight_kind().is_real() && WHOLE.contains(&program.name) {
                continue;
            }
            let examples: Vec<String> = example_args(program, &spec, &graph);
            // Defaults are finer than what examples use; arguments that the graph decides have none.
            let plain = program.args.iter().take_while(|arg| arg.default.is_none()).count();
            let mut args = program.with_defaults(&examples[..plain]);
            args.extend_from_slice(&examples[args.len()..]);
            let right = right_results(program, &graph, &args);
            let verdict = |results: &ResultMap| program.validate(&Run { graph: &graph, args: &args, results });
            assert_eq!(verdict(&right), Ok(()), "{} {args:?}", program.name);
            let solved = OnceCell::new();
            let is_right = |results: &ResultMap| is_right(program, &graph, &args, results, &solved);
            assert!(is_right(&right), "{} {args:?}: the definition disagrees", program.name);
            // Where there is no result, its vectors mean nothing.
            if ["negative_cycle", "too_long"].iter().any(|flag| right.scalar(flag) == Some(Number::Integer(1))) {
                continue;
            }
            for output in program.results {
                let context = Context { program: program.name, graph: &graph, result: output.name };
                for (what, made) in damaged(&right, output.name, &context) {
                    let tally = table.entry((what, program.name)).or_default();
                    match (verdict(&made).is_ok(), is_right(&made)) {
                        (false, false) => tally.caught += 1,
                        (true, true) => tally.right += 1,
                        (false, true) => tally.strict += 1,
                        (true, false) => {
                            tally.missed += 1;
                            problems.push(format!("{} {args:?}: {what} of {}", program.name, output.name));
                        }
                    }
                }
            }
        }
    }
    println!("{}", shown(&table));
    assert!(problems.is_empty(), "{} damages were let pass:\n{}", problems.len(), problems.join("\n"));
}

/// A row per program, a column per damage: `caught`, `+n=` that are right in another way, `+n!` that were refused
/// though right.
fn shown(table: &BTreeMap<(&str, &str), Tally>) -> String {
    let names = [
        "first entry",
        "middle entry",
        "last entry",
        "one entry zero",
        "swap",
        "shift",
        "all one more",
        "rounded",
        "all zero",
        "constant",
        "early stop",
        "last entry missing",
        "NaN",
        "scalar + 1",
        "scalar - 1",
        "scalar zero",
    ];
    let mut text = format!("| program | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for program in programs() {
        let _ = write!(text, "| `{}` |", program.name);
        for what in names {
            let _ = match table.get(&(what, program.name)) {
                None => write!(text, " - |"),
                Some(tally) => {
                    let right = if tally.right > 0 { format!(" +{}=", tally.right) } else { String::new() };
                    let strict = if tally.strict > 0 { format!(" +{}!", tally.strict) } else { String::new() };
                    let missed = if tally.missed > 0 { format!(" MISSED {}", tally.missed) } else { String::new() };
                    write!(text, " {}{right}{strict}{missed} |", tally.caught)
                }
            };
        }
        text.push('\n');
    }
    let sum = |of: fn(&Tally) -> u32| table.values().map(of).sum::<u32>();
    let (caught, right, strict) = (sum(|t| t.caught), sum(|t| t.right), sum(|t| t.strict));
    let _ = write!(text, "caught {caught}, right in another way {right}, refused though right {strict}, missed ");
    let _ = writeln!(text, "{}", sum(|t| t.missed));
    text
}
