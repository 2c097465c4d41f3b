//! Slow, plain solutions of more standard problems, from their definitions: reachability between all pairs, removal of
//! single edges, all triples of vertices.

use gw_graph::Graph;
use gw_programs::{Number, ResultMap};

use crate::oracle::{dependencies, edges, hops};

/// A right result of a program. `args` are `argv[1..]`.
pub fn solve(program: &str, graph: &Graph, args: &[String]) -> ResultMap {
    let n = graph.vertices();
    let arg = |i: usize| args[i - 1].parse::<usize>().unwrap();
    let real = |i: usize| args[i - 1].parse::<f64>().unwrap();
    let results = ResultMap::new();
    match program {
        "scc" => {
            let component = components(graph);
            let count = (0..n).filter(|&v| component[v] == v as i32).count();
            results.with_vector("component", component).with_scalar("components", count as i32)
        }
        "msf" => forest(graph, results),
        "ppr" | "ppr-weighted" => {
            iterated(results, &["rank"], walk(&counted(program, graph), &args[1], real(5), arg(3), real(4)))
        }
        "hits" | "hits-weighted" => {
            iterated(results, &["hub", "authority"], hubs(&counted(program, graph), arg(2), real(3)))
        }
        "katz" | "katz-weighted" => {
            let graph = counted(program, graph);
            let alpha = alpha(&graph, real(2));
            let results = results.with_scalar("alpha", alpha);
            iterated(results, &["centrality"], katz(&graph, alpha, arg(3), real(4)))
        }
        "triangles" => triangles(graph, results),
        "lcc" => results.with_vector("clustering", (0..n).map(|v| clustering(graph, v).1).collect::<Vec<f64>>()),
        "cdlp" => labels(graph, arg(2), results),
        "bc-all" => {
            let sources = arg(2).min(n);
            let mut sums = vec![0.0; n];
            for i in 0..sources {
                let share = dependencies(graph, i * n / sources);
                (0..n).for_each(|v| sums[v] += share[v] * n as f64 / sources as f64);
            }
            results.with_vector("centrality", sums)
        }
        "harmonic" => {
            let pivots = arg(2).min(n);
            let mut sums = vec![0.0; n];
            for i in 0..pivots {
                let level = hops(graph, i * n / pivots);
                let part = |v: usize| if level[v] > 0 { 1.0 / f64::from(level[v]) } else { 0.0 };
                (0..n).for_each(|v| sums[v] += part(v) * n as f64 / pivots as f64);
            }
            results.with_vector("harmonic", sums)
        }
        "eccentricity" => {
            let farthest: Vec<i32> = (0..n).map(|v| *hops(graph, v).iter().max().unwrap()).collect();
            let joined = (0..n).filter(|&v| graph.out().degree(v as u32) > 0).map(|v| farthest[v]);
            let (diameter, radius) = (*farthest.iter().max().unwrap(), joined.min().unwrap_or(0));
            let results = results.with_scalar("diameter", diameter).with_scalar("radius", radius);
            let results = results.with_vector("upper", farthest.clone()).with_scalar("open", 0);
            results.with_vector("eccentricity", farthest).with_scalar("searches", n.min(arg(2)) as i32)
        }
        "bipartite" => {
            // The parity of the hops from the least vertex that reaches v.
            let from: Vec<Vec<i32>> = (0..n).map(|v| hops(graph, v)).collect();
            let side: Vec<i32> =
                (0..n).map(|v| (0..n).find(|&u| from[u][v] >= 0).map_or(0, |u| from[u][v] % 2)).collect();
            let conflicts = edges(graph).iter().filter(|e| side[e.0] == side[e.1]).count() as u64;
            let results = results.with_vector("side", side).with_scalar("conflicts", conflicts);
            results.with_scalar("bipartite", conflicts == 0)
        }
        "topo" => levels(graph, results),
        "earliest-arrival" | "temporal-reach" => {
            let (arrival, steps) = timely(graph, arg(2), real(3)..=real(4), real(5));
            let reached = steps.iter().filter(|&&s| s >= 0).count() as i32;
            let results = results.with_vector("steps", steps).with_scalar("reached", reached);
            match graph.weight_kind().is_real() {
                true => results.with_vector("arrival", arrival),
                false => {
                    let whole = |time: f64| if time < f64::INFINITY { time as i64 } else { i64::MAX };
                    results.with_vector("arrival", arrival.into_iter().map(whole).collect::<Vec<i64>>())
                }
            }
        }
        "khop" => {
            let level: Vec<i32> =
                hops(graph, arg(2)).iter().map(|&l| if l <= arg(3) as i32 { l } else { -1 }).collect();
            let reached = level.iter().filter(|&&l| l >= 0).count() as i32;
            results.with_vector("level", level).with_scalar("reached", reached)
        }
        "matching" => {
            let order = edges(graph).into_iter().map(|(u, v, _)| (u, v, 1.0)).collect();
            let (mate, pairs, _) = greedy(n, order);
            results.with_vector("mate", mate).with_scalar("pairs", pairs)
        }
        "matching-weighted" => {
            let mut order = weighted(graph);
            order.sort_by(|a, b| b.2.total_cmp(&a.2));
            let (mate, pairs, weight) = greedy(n, order);
            let results = results.with_scalar("weight", sum(graph, weight)).with_scalar("too_long", false);
            results.with_vector("mate", mate).with_scalar("pairs", pairs)
        }
        "biconnected" => biconnected(graph, results),
        "bridges" => bridges(graph, results),
        "similarity" => {
            let list = |v: usize| graph.out().neighbours(v as u32);
            let count = |v: usize| list(v).iter().filter(|u| list(arg(2)).contains(u)).count();
            let common: Vec<f64> = (0..n).map(|v| count(v) as f64).collect();
            let degree = |v: usize| list(v).len() as f64;
            let by = |divisor: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
                let value = |v: usize| common[v] / divisor(degree(v), degree(arg(2)), common[v]);
                (0..n).map(|v| if common[v] > 0.0 { value(v) } else { 0.0 }).collect()
            };
            results
                .with_vector("jaccard", by(&|a, b, both| a + b - both))
                .with_vector("overlap", by(&|a, b, _| a.min(b)))
                .with_vector("cosine", by(&|a, b, _| a.sqrt() * b.sqrt()))
                .with_vector("common", common.iter().map(|&c| c as i32).collect::<Vec<_>>())
        }
        "similarity-edges" => {
            let list = |v: u32| graph.out().neighbours(v);
            let ends: Vec<(u32, u32)> = (0..n as u32).flat_map(|u| list(u).iter().map(move |&v| (u, v))).collect();
            let count = |&(u, v): &(u32, u32)| list(u).iter().filter(|w| list(v).contains(w)).count();
            let common: Vec<usize> = ends.iter().map(count).collect();
            let by = |divisor: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
                let value = |(&(u, v), &both): (&(u32, u32), &usize)| match both as f64 {
                    0.0 => 0.0,
                    both => both / divisor(list(u).len() as f64, list(v).len() as f64, both),
                };
                ends.iter().zip(&common).map(value).collect()
            };
            results
                .with_vector("jaccard", by(&|a, b, both| a + b - both))
                .with_vector("overlap", by(&|a, b, _| a.min(b)))
                .with_vector("cosine", by(&|a, b, _| a.sqrt() * b.sqrt()))
                .with_vector("common", common.iter().map(|&c| c as i32).collect::<Vec<_>>())
        }
        "ktruss" => {
            let truss = trusses(graph);
            let kmax = truss.iter().copied().max().unwrap_or(0);
            results.with_vector("truss", truss).with_scalar("kmax", kmax)
        }
        "louvain" | "leiden" => {
            let label = agglomerated(graph);
            let count = (0..n).filter(|&v| label[v] == v as i32).count() as i32;
            let modularity = modularity(graph, &label);
            let results = results.with_scalar("communities", count).with_scalar("modularity", modularity);
            results.with_vector("label", label)
        }
        "similar" => {
            let most = arg(2);
            let row = most.max(1);
            let list = |v: usize| graph.out().neighbours(v as u32);
            let (mut similar, mut jaccard) = (vec![-1; row * n], vec![0.0; row * n]);
            for v in 0..n {
                let mut all: Vec<(f64, usize)> = Vec::new();
                for w in (0..n).filter(|&w| w != v) {
                    let common = list(v).iter().filter(|u| list(w).contains(u)).count();
                    if common > 0 {
                        all.push((common as f64 / (list(v).len() + list(w).len() - common) as f64, w));
                    }
                }
                all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                for (at, &(value, w)) in all.iter().take(most).enumerate() {
                    (similar[row * v + at], jaccard[row * v + at]) = (w as i32, value);
                }
            }
            results.with_vector("similar", similar).with_vector("jaccard", jaccard)
        }
        "msbfs" => {
            let pivots = arg(2).min(n);
            let width = arg(2).max(1);
            let from: Vec<Vec<i32>> = (0..pivots).map(|i| hops(graph, i * n / pivots)).collect();
            let row = |v: usize| (0..width).map(|i| from.get(i).map_or(-1, |hops| hops[v])).collect::<Vec<i32>>();
            results.with_vector("hops", (0..n).flat_map(row).collect::<Vec<i32>>())
        }
        "fastrp" => results.with_vector("embedding", projections(graph, arg(2), arg(3) as u64)),
        "walks" => {
            let rows: Vec<Vec<i32>> = (0..n).map(|v| walks(graph, v, arg(2), arg(3), 1.0, 1.0, true).0).collect();
            let visits = |v: usize| rows.iter().flatten().filter(|&&at| at == v as i32).count() as i32;
            let visits: Vec<i32> = (0..n).map(visits).collect();
            results.with_vector("walk", rows.concat()).with_vector("visits", visits)
        }
        "node2vec" => {
            let all: Vec<(Vec<i32>, u64)> =
                (0..n).map(|v| walks(graph, v, arg(4), arg(5), real(2), real(3), false)).collect();
            let draws: u64 = all.iter().map(|walk| walk.1).sum();
            let rows: Vec<Vec<i32>> = all.into_iter().map(|walk| walk.0).collect();
            results.with_vector("walk", rows.concat()).with_scalar("draws", draws)
        }
        other => crate::networks::solve(other, graph, args),
    }
}

/// A graph of which only numbers and edges matter: the ends of each edge, and what it counts for.
pub struct Counted {
    pub vertices: usize,
    pub edges: Vec<(usize, usize, f64)>,
}

/// The graph as a program sees it: edges count by their weights, or all alike.
pub fn counted(program: &str, graph: &Graph) -> Counted {
    let mut edges = weighted(graph);
    if !program.ends_with("-weighted") {
        edges.iter_mut().for_each(|edge| edge.2 = 1.0);
    }
    Counted { vertices: graph.vertices(), edges }
}

impl Counted {
    /// What the out-edges of a vertex count for together.
    pub fn leaving(&self, v: usize) -> f64 {
        self.edges.iter().filter(|edge| edge.0 == v).map(|edge| edge.2).sum()
    }
}

/// Rows of 64 numbers by random projection, as the definition says.
fn projections(graph: &Graph, rounds: usize, seed: u64) -> Vec<f32> {
    let n = graph.vertices();
    let start = |v: usize, j: usize| match gw_exec::random::bits(seed, v as u64, j as u64) % 6 {
        0 => 0.046875f64.sqrt(),
        1 => -0.046875f64.sqrt(),
        _ => 0.0,
    };
    let mut rows: Vec<Vec<f64>> = (0..n).map(|v| (0..64).map(|j| start(v, j)).collect()).collect();
    let mut all = vec![vec![0.0; 64]; n];
    for round in 0..rounds {
        let mut sums = vec![vec![0.0; 64]; n];
        edges(graph).into_iter().for_each(|(u, v, _)| (0..64).for_each(|j| sums[v][j] += rows[u][j]));
        for (v, mut sum) in sums.into_iter().enumerate() {
            let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            sum.iter_mut().for_each(|x| *x = if length > 1e-3 { *x / length } else { 0.0 });
            rows[v] = sum;
            if round > 0 || rounds == 1 {
                (0..64).for_each(|j| all[v][j] += rows[v][j]);
            }
        }
    }
    all.concat().into_iter().map(|x| x as f32).collect()
}

/// All edges with their weights as reals, 1 where there are none.
pub fn weighted(graph: &Graph) -> Vec<(usize, usize, f64)> {
    let weight = |at: usize| graph.out().weights().real(at).unwrap_or(1.0);
    edges(graph).into_iter().enumerate().map(|(at, (u, v, _))| (u, v, weight(at))).collect()
}

/// Earliest arrivals and fewest edges of paths whose edges are taken in the order of their times, which are their
/// weights: all edges are tried as often as there are vertices.
fn timely(graph: &Graph, source: usize, window: std::ops::RangeInclusive<f64>, duration: f64) -> (Vec<f64>, Vec<i32>) {
    let edges: Vec<_> = weighted(graph).into_iter().filter(|edge| window.contains(&edge.2)).collect();
    let n = graph.vertices();
    let (mut arrival, mut steps) = (vec![f64::INFINITY; n], vec![-1; n]);
    arrival[source] = edges.iter().filter(|edge| edge.0 == source).map(|edge| edge.2).fold(f64::INFINITY, f64::min);
    steps[source] = 0;
    for step in 1..=n as i32 {
        let before = arrival.clone();
        for &(_, v, time) in edges.iter().filter(|edge| before[edge.0] <= edge.2) {
            arrival[v] = arrival[v].min(time + duration);
            steps[v] = if steps[v] == -1 { step } else { steps[v] };
        }
    }
    (arrival, steps)
}

/// The least vertex that reaches v and is reached from there.
fn components(graph: &Graph) -> Vec<i32> {
    let from: Vec<Vec<i32>> = (0..graph.vertices()).map(|v| hops(graph, v)).collect();
    let both = |u: usize, v: usize| from[u][v] >= 0 && from[v][u] >= 0;
    (0..from.len()).map(|v| (0..from.len()).find(|&u| both(u, v)).unwrap() as i32).collect()
}

/// Vertices that edges join, by the least vertex, for a list of edges in both directions.
pub fn joined(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut least: Vec<usize> = (0..n).collect();
    for _ in 0..n {
        let before = least.clone();
        for &(u, v) in edges {
            let low = least[u].min(least[v]);
            (least[u], least[v]) = (low, low);
        }
        if least == before {
            break;
        }
    }
    least
}

/// Prim's method from the least vertex of every component: a vertex keeps the edge by which it was reached.
fn forest(graph: &Graph, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let edges = weighted(graph);
    let (mut one, mut other, mut length) = (vec![-1; n], vec![-1; n], vec![0.0; n]);
    let (mut inside, mut trees) = (vec![false; n], 0);
    for root in 0..n {
        if inside[root] {
            continue;
        }
        inside[root] = true;
        trees += 1;
        while let Some(&(u, v, w)) =
            edges.iter().filter(|e| inside[e.0] && !inside[e.1]).min_by(|a, b| a.2.total_cmp(&b.2))
        {
            inside[v] = true;
            (one[v], other[v], length[v]) = (u as i32, v as i32, w);
        }
    }
    let weight: f64 = length.iter().sum();
    let results = results.with_vector("one_end", one).with_vector("other_end", other).with_scalar("trees", trees);
    let results = results.with_scalar("weight", sum(graph, weight)).with_scalar("too_long", false);
    match graph.weight_kind().is_real() {
        true => results.with_vector("length", length),
        false => results.with_vector("length", length.into_iter().map(|length| length as i32).collect::<Vec<_>>()),
    }
}

/// A sum of weights in the type that programs have for it.
fn sum(graph: &Graph, weight: f64) -> Number {
    if graph.weight_kind().is_real() { Number::Real(weight) } else { Number::Integer(weight as i128) }
}

/// Vectors after some rounds, the number of rounds, the last change and the one before.
pub type Rounds = (Vec<Vec<f64>>, i32, f64, f64);

fn iterated(results: ResultMap, names: &[&str], (vectors, rounds, change, _): Rounds) -> ResultMap {
    let results = results.with_scalar("rounds", rounds).with_scalar("change", change);
    names.iter().zip(vectors).fold(results, |results, (name, vector)| results.with_vector(name, vector))
}

/// Repeats a step until it changes the first vector by less than the tolerance, but not more often than the limit.
fn repeat(
    start: Vec<Vec<f64>>,
    limit: usize,
    tolerance: f64,
    scale: f64,
    step: impl Fn(&[Vec<f64>]) -> Vec<Vec<f64>>,
) -> Rounds {
    let (mut x, mut rounds, mut change, mut before) = (start, 0, 1.0, 1.0);
    while rounds < limit as i32 && change >= tolerance {
        let next = step(&x);
        before = change;
        change = next[0].iter().zip(&x[0]).map(|(a, b)| (a - b).abs()).sum::<f64>() / scale;
        x = next;
        rounds += 1;
    }
    (x, rounds, change, before)
}

/// Personalised PageRank; `sources` is a list such as `3,17=0.5`.
pub fn walk(graph: &Counted, sources: &str, damping: f64, limit: usize, tolerance: f64) -> Rounds {
    let mut home = vec![0.0; graph.vertices];
    let leaving: Vec<f64> = (0..graph.vertices).map(|v| graph.leaving(v)).collect();
    for entry in sources.split(',') {
        let (vertex, weight) = entry.split_once('=').unwrap_or((entry, "1"));
        home[vertex.parse::<usize>().unwrap()] = weight.parse::<f64>().unwrap();
    }
    let total: f64 = home.iter().sum();
    home.iter_mut().for_each(|weight| *weight /= total);
    repeat(vec![home.clone()], limit, tolerance, 1.0, |x| {
        let mut next = vec![0.0; x[0].len()];
        for &(u, v, share) in graph.edges.iter().filter(|edge| edge.2 > 0.0) {
            next[v] += damping * x[0][u] * share / leaving[u];
        }
        let returning = 1.0 - next.iter().sum::<f64>();
        next.iter_mut().zip(&home).for_each(|(next, home)| *next += returning * home);
        vec![next]
    })
}

pub fn hubs(graph: &Counted, limit: usize, tolerance: f64) -> Rounds {
    let n = graph.vertices;
    let scaled = |x: Vec<f64>| {
        let sum: f64 = x.iter().sum();
        x.into_iter().map(|e| if sum > 0.0 { e / sum } else { 0.0 }).collect::<Vec<f64>>()
    };
    repeat(vec![vec![1.0 / n as f64; n], vec![0.0; n]], limit, tolerance, 1.0, |x| {
        let mut authority = vec![0.0; n];
        graph.edges.iter().for_each(|&(u, v, share)| authority[v] += share * x[0][u]);
        let authority = scaled(authority);
        let mut hub = vec![0.0; n];
        graph.edges.iter().for_each(|&(u, v, share)| hub[u] += share * authority[v]);
        let hub = if graph.edges.iter().all(|edge| edge.2 == 0.0) { x[0].clone() } else { scaled(hub) };
        vec![hub, authority]
    })
}

pub fn alpha(graph: &Counted, wanted: f64) -> f64 {
    let into = |v: usize| graph.edges.iter().filter(|e| e.1 == v).map(|e| e.2).sum::<f64>();
    let most = (0..graph.vertices).map(into).fold(0.0, f64::max);
    match (wanted, most) {
        (0.0, 0.0) => 0.85,
        (0.0, most) => 0.85 / most,
        _ => wanted,
    }
}

pub fn katz(graph: &Counted, alpha: f64, limit: usize, tolerance: f64) -> Rounds {
    let n = graph.vertices;
    let (x, rounds, change, before) = repeat(vec![vec![0.0; n]], limit, tolerance, n as f64, |x| {
        let mut next = vec![1.0; n];
        graph.edges.iter().for_each(|&(u, v, share)| next[v] += alpha * share * x[0][u]);
        vec![next]
    });
    let length = x[0].iter().map(|c| c * c).sum::<f64>().sqrt();
    let unit = x[0].iter().map(|c| if length > 0.0 { c / length } else { 0.0 }).collect();
    (vec![unit], rounds, change, before)
}

/// Edges between the neighbours of v, and their share of those there could be.
fn clustering(graph: &Graph, v: usize) -> (u64, f64) {
    let edges = edges(graph);
    let is_near = |u: usize| edges.iter().any(|e| (e.0, e.1) == (u, v) || (e.0, e.1) == (v, u));
    let near: Vec<bool> = (0..graph.vertices()).map(is_near).collect();
    let links = edges.iter().filter(|e| near[e.0] && near[e.1]).count() as u64;
    let around = near.iter().filter(|&&near| near).count() as f64;
    (links, if around > 1.0 { links as f64 / (around * (around - 1.0)) } else { 0.0 })
}

fn triangles(graph: &Graph, results: ResultMap) -> ResultMap {
    let all: Vec<(u64, f64)> = (0..graph.vertices()).map(|v| clustering(graph, v)).collect();
    let corners: Vec<u64> = all.iter().map(|a| a.0 / 2).collect();
    let pairs: usize = (0..all.len() as u32).map(|v| graph.out().degree(v)).map(|d| d * d.saturating_sub(1) / 2).sum();
    let sum: u64 = corners.iter().sum();
    let transitivity = if pairs > 0 { sum as f64 / pairs as f64 } else { 0.0 };
    results
        .with_vector("triangles", corners)
        .with_scalar("total", sum / 3)
        .with_scalar("average", all.iter().map(|a| a.1).sum::<f64>() / all.len() as f64)
        .with_scalar("transitivity", transitivity)
        .with_vector("clustering", all.into_iter().map(|a| a.1).collect::<Vec<f64>>())
}

fn labels(graph: &Graph, rounds: usize, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let (mut label, mut changed) = ((0..n as i32).collect::<Vec<i32>>(), n);
    for _ in 0..rounds {
        if changed == 0 {
            break;
        }
        // times[v][l]: how often l occurs around v.
        let mut times = vec![vec![0; n]; n];
        for (u, v, _) in edges(graph) {
            times[u][label[v] as usize] += 1;
            times[v][label[u] as usize] += 1;
        }
        let best = |v: usize| (0..n).rev().max_by_key(|&l| times[v][l]).filter(|&l| times[v][l] > 0);
        let next: Vec<i32> = (0..n).map(|v| best(v).map_or(label[v], |l| l as i32)).collect();
        changed = (0..n).filter(|&v| next[v] != label[v]).count();
        label = next;
    }
    results.with_vector("label", label).with_scalar("changed", changed as i32)
}

fn levels(graph: &Graph, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let from: Vec<Vec<i32>> = (0..n).map(|v| hops(graph, v)).collect();
    let on_cycle = |v: usize| edges(graph).iter().any(|e| e.0 == v && from[e.1][v] >= 0);
    let cyclic: Vec<usize> = (0..n).filter(|&v| on_cycle(v)).collect();
    let mut level: Vec<i32> = (0..n).map(|v| if cyclic.iter().any(|&c| from[c][v] >= 0) { -1 } else { 0 }).collect();
    for _ in 0..n {
        for (u, v, _) in edges(graph) {
            if level[v] >= 0 {
                level[v] = level[v].max(level[u] + 1);
            }
        }
    }
    let acyclic = !level.contains(&-1);
    let levels = level.iter().max().unwrap() + 1;
    results.with_vector("level", level).with_scalar("levels", levels).with_scalar("acyclic", acyclic)
}

/// Takes edges in their order as long as both ends are free: mates, pairs, weight.
fn greedy(n: usize, order: Vec<(usize, usize, f64)>) -> (Vec<i32>, i32, f64) {
    let (mut mate, mut pairs, mut weight) = (vec![-1; n], 0, 0.0);
    for (u, v, w) in order {
        if mate[u] == -1 && mate[v] == -1 {
            (mate[u], mate[v]) = (v as i32, u as i32);
            (pairs, weight) = (pairs + 1, weight + w);
        }
    }
    (mate, pairs, weight)
}

/// Two edges that share a vertex are in one block if their other ends hang together without it; and so are all that
/// follow from that.
fn biconnected(graph: &Graph, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let all: Vec<(usize, usize)> = edges(graph).into_iter().map(|(u, v, _)| (u, v)).collect();
    let mut pairs = Vec::new();
    for (e, &(a, b)) in all.iter().enumerate() {
        let twin = all.iter().position(|&ends| ends == (b, a)).unwrap();
        pairs.push((e, twin));
        let rest: Vec<(usize, usize)> = all.iter().copied().filter(|&(u, v)| u != a && v != a).collect();
        let least = joined(n, &rest);
        let beside = |&f: &usize| all[f].0 == a && least[all[f].1] == least[b];
        pairs.extend((e + 1..all.len()).filter(beside).map(|f| (e, f)));
    }
    let block = joined(all.len(), &pairs);
    let in_several = |v: usize| {
        let mut of_v = (0..all.len()).filter(|&e| all[e].0 == v).map(|e| block[e]);
        of_v.next().is_some_and(|first| of_v.any(|other| other != first))
    };
    let blocks = (0..all.len()).filter(|&e| block[e] == e).count() as i32;
    let cut: Vec<bool> = (0..n).map(in_several).collect();
    let block: Vec<i32> = block.into_iter().map(|e| e as i32).collect();
    results.with_vector("block", block).with_vector("cut", cut).with_scalar("blocks", blocks)
}

fn bridges(graph: &Graph, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let all: Vec<(usize, usize)> = edges(graph).into_iter().map(|(u, v, _)| (u, v)).collect();
    let without = |a: usize, b: usize| {
        let rest: Vec<(usize, usize)> = all.iter().copied().filter(|&e| e != (a, b) && e != (b, a)).collect();
        joined(n, &rest)
    };
    let is_bridge = |&(a, b): &(usize, usize)| {
        let least = without(a, b);
        least[a] != least[b]
    };
    let bridges: Vec<(usize, usize)> = all.iter().copied().filter(|e| e.0 < e.1).filter(is_bridge).collect();
    let least = joined(n, &all);
    let mut bridge_to = vec![-1; n];
    for &(a, b) in &bridges {
        let level = hops(graph, least[a]);
        let (far, near) = if level[a] > level[b] { (a, b) } else { (b, a) };
        bridge_to[far] = near as i32;
    }
    let inner: Vec<(usize, usize)> =
        all.iter().copied().filter(|&(a, b)| !bridges.contains(&(a, b)) && !bridges.contains(&(b, a))).collect();
    let part: Vec<i32> = joined(n, &inner).into_iter().map(|v| v as i32).collect();
    results.with_vector("bridge_to", bridge_to).with_vector("part", part).with_scalar("bridges", bridges.len() as i32)
}

/// The trusses by their definition: for every k, edges in fewer than k - 2 triangles go, until none does.
pub fn trusses(graph: &Graph) -> Vec<i32> {
    let all: Vec<(usize, usize)> = edges(graph).into_iter().map(|(u, v, _)| (u, v)).collect();
    let mut truss = vec![0; all.len()];
    let mut left: Vec<bool> = vec![true; all.len()];
    for k in 2.. {
        loop {
            let mut joined = vec![vec![false; graph.vertices()]; graph.vertices()];
            all.iter().zip(&left).filter(|(_, left)| **left).for_each(|(&(u, v), _)| joined[u][v] = true);
            let triangles =
                |&(u, v): &(usize, usize)| (0..joined.len()).filter(|&w| joined[u][w] && joined[v][w]).count();
            let stays: Vec<bool> = all.iter().zip(&left).map(|(e, &left)| left && triangles(e) + 2 >= k).collect();
            if stays == left {
                break;
            }
            left = stays;
        }
        if !left.contains(&true) {
            return truss;
        }
        (0..all.len()).filter(|&e| left[e]).for_each(|e| truss[e] = k as i32);
    }
    truss
}

/// The modularity of a labelling, summed over all pairs of vertices.
pub fn modularity(graph: &Graph, label: &[i32]) -> f64 {
    let edges = weighted(graph);
    let all: f64 = edges.iter().map(|e| e.2).sum();
    if all == 0.0 {
        return 0.0;
    }
    let mut degree = vec![0.0; label.len()];
    edges.iter().for_each(|e| degree[e.0] += e.2);
    let within: f64 = edges.iter().filter(|e| label[e.0] == label[e.1]).map(|e| e.2).sum();
    let pairs = (0..label.len()).flat_map(|u| (0..label.len()).map(move |v| (u, v)));
    let expected: f64 = pairs.filter(|&(u, v)| label[u] == label[v]).map(|(u, v)| degree[u] * degree[v]).sum();
    within / all - expected / all / all
}

/// Joins the two communities that gain most, as long as two gain, each named by its least vertex.
fn agglomerated(graph: &Graph) -> Vec<i32> {
    let mut label: Vec<i32> = (0..graph.vertices() as i32).collect();
    loop {
        let now = modularity(graph, &label);
        let joined = |a: i32, b: i32| -> Vec<i32> { label.iter().map(|&l| if l == b { a } else { l }).collect() };
        let pairs: std::collections::BTreeSet<(i32, i32)> =
            edges(graph).into_iter().map(|(u, v, _)| (label[u], label[v])).filter(|(a, b)| a < b).collect();
        let best = pairs.into_iter().map(|(a, b)| (modularity(graph, &joined(a, b)), a, b));
        match best.max_by(|x, y| x.0.total_cmp(&y.0)) {
            Some((value, a, b)) if value > now + 1e-12 => label = joined(a, b),
            _ => return label,
        }
    }
}

/// The walk of a vertex with the random numbers it takes; a `plain` one takes every draw, and so does an only edge.
fn walks(graph: &Graph, start: usize, length: usize, seed: usize, p: f64, q: f64, plain: bool) -> (Vec<i32>, u64) {
    let list = |v: usize| graph.out().neighbours(v as u32);
    let (mut path, mut draws) = (vec![start], 0u64);
    while path.len() < length && !list(path[path.len() - 1]).is_empty() {
        let here = path[path.len() - 1];
        let bits = gw_exec::random::bits(seed as u64, start as u64, draws);
        draws += 1;
        let next = list(here)[(((bits >> 32) * list(here).len() as u64) >> 32) as usize] as usize;
        let weights = [1.0 / p, 1.0, 1.0 / q];
        let kind = match path.len().checked_sub(2).map(|at| path[at]) {
            Some(before) if before == next => 0,
            Some(before) if list(before).contains(&(next as u32)) => 1,
            Some(_) => 2,
            None => 3,
        };
        let most = weights.into_iter().fold(1.0, f64::max);
        let weight = weights.get(kind).copied().unwrap_or(most);
        if plain || list(here).len() == 1 || (bits as u32) as f64 * most < weight * 4294967296.0 {
            path.push(next);
        }
    }
    let path = if length == 0 { Vec::new() } else { path };
    let row = (0..length.max(1)).map(|at| path.get(at).map_or(-1, |&v| v as i32)).collect();
    (row, draws)
}
