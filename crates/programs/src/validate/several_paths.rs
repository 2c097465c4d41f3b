//! Several shortest paths: the list is right as far as it goes, and no path that it lacks comes before its end.
//!
//! A path that is not listed leaves the tree of the listed ones at some vertex. So for every vertex of that tree, the
//! first way to the target that avoids the vertices before and the edges of the tree is worked out, by Dijkstra's
//! search backwards from the target; it must come behind the last listed path.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use gw_graph::{Adjacency, Graph, VertexId};

use super::length::{At, Length, are_real};
use super::point_to_point::beyond;
use super::{Invalid, Run, ensure, int_weight, real_weight, wrong};
use crate::paths::{Path, PathError, is_path};
use crate::registry::{Program, Remark};
use crate::results::{Number, Values};

/// A length, and a number of edges.
type Key<L> = At<L, u32>;

fn far<L: Length>() -> Key<L> {
    At(L::FAR, u32::MAX)
}

impl Program {
    /// The paths that a finished run of `k-shortest-paths` lists, in their order.
    pub fn listed_paths(&self, run: &Run<'_>) -> Result<Vec<Path>, PathError> {
        if run.graph.share().is_some() {
            return Err(PathError::InParts);
        }
        Ok(listed(run)?)
    }
}

/// Told when lengths of paths do not fit the type.
pub(crate) fn too_long_paths(run: &Run<'_>) -> Option<Remark> {
    let (source, target) = (run.vertex_arg(2).ok()?, run.vertex_arg(3).ok()?);
    if run.integer("too_long").ok()? == 0 {
        return None;
    }
    let (source, target) = (run.graph.shown(source), run.graph.shown(target));
    let (ty, beyond) = (run.type_of("length"), beyond(run.type_of("length")));
    Some(match run.integer("found").ok()? {
        0 => Remark::NoResult(format!(
            "all paths from {source} to {target} are {beyond} and do not fit the type {ty}; `sssp-real` has the length \
             of a shortest one"
        )),
        _ => Remark::Rough(format!(
            "further paths from {source} to {target} may be missing: they are {beyond} and do not fit the type {ty}"
        )),
    })
}

pub(crate) fn k_shortest_paths(run: &Run<'_>) -> Result<(), Invalid> {
    if are_real(run.graph) { check::<f64>(run) } else { check::<i128>(run) }
}

fn check<L: Length>(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, target, count) = (run.vertex_arg(2)?, run.vertex_arg(3)?, run.count_arg(4)?);
    let (_, infinity) = run.length_list::<L>("length")?;
    let paths = listed(run)?;
    ensure(paths.len() <= count, || wrong!("{} paths were found, {count} are the most", paths.len()))?;
    for (at, path) in paths.iter().enumerate() {
        let place = |invalid| wrong!("path {}: {invalid}", at + 1);
        is_path(run.graph, path, false).map_err(place)?;
        let ends = (path.vertices[0], path.vertices[path.hops()]);
        ensure(ends == (source, target), || wrong!("path {} leads from {} to {}", at + 1, ends.0, ends.1))?;
    }
    for (at, pair) in paths.windows(2).enumerate() {
        ensure(comes_before::<L>(&pair[0], &pair[1]), || {
            wrong!("path {} does not come behind path {}", at + 2, at + 1)
        })?;
    }
    let different: BTreeSet<&[VertexId]> = paths.iter().map(|path| &path.vertices[..]).collect();
    ensure(different.len() == paths.len(), || wrong!("a path is listed twice"))?;
    let too_long = run.integer("too_long")? != 0;
    ensure(!too_long || may_reach(run.graph, infinity), || wrong!("too_long is set, but all paths are short"))?;
    if paths.len() < count {
        let most = if too_long { At(infinity, 0) } else { far() };
        nothing_before(run.graph, source, target, &paths, (most, &[]), paths.len())
    } else {
        ensure(!too_long, || wrong!("all {count} paths were found, but too_long is set"))?;
        match paths.last() {
            None => Ok(()),
            Some(last) => nothing_before(run.graph, source, target, &paths, order::<L>(last), paths.len()),
        }
    }
}

/// Whether a path can be as long as this.
fn may_reach<L: Length>(graph: &Graph, length: L) -> bool {
    let of_edge = |edge| L::of_edge(graph.out().weights(), edge).real();
    let greatest = (0..graph.edges()).map(of_edge).fold(0.0, f64::max);
    greatest * graph.vertices() as f64 >= length.real()
}

/// Whether one path may stand before another: with equal sums of reals, in either order.
fn comes_before<L: Length>(one: &Path, other: &Path) -> bool {
    let (one, other) = (order::<L>(one), order::<L>(other));
    one < other || (L::TOLERANCE > 0.0 && one.0.0 == other.0.0)
}

/// The place of a path among all paths.
fn order<L: Length>(path: &Path) -> (Key<L>, &[VertexId]) {
    (At(L::of_number(path.length).unwrap_or(L::FAR), path.hops() as u32), &path.vertices)
}

/// The paths as the results list them; the weights are those of the graph.
fn listed(run: &Run<'_>) -> Result<Vec<Path>, Invalid> {
    let found = usize::try_from(run.integer("found")?).map_err(|_| wrong!("found is negative"))?;
    let (length, begin) = (lengths(run, found)?, list(run, "begin", Some(found))?);
    let vertices = list(run, "path", None)?;
    let mut paths = Vec::new();
    for at in 0..found {
        let end = begin.get(at + 1).map_or(Ok(vertices.len()), |&end| usize::try_from(end));
        let range = usize::try_from(begin[at]).and_then(|from| Ok(from..end?));
        let range = range.ok().filter(|range| range.start < range.end && (at > 0 || range.start == 0));
        let part = range.and_then(|range| vertices.get(range));
        let part = part.ok_or_else(|| wrong!("path {} begins at {} of `path`", at + 1, begin[at]))?;
        let part: Option<Vec<VertexId>> = part.iter().map(|&v| VertexId::try_from(v).ok()).collect();
        let vertices = part.filter(|part| part.iter().all(|&v| (v as usize) < run.graph.vertices()));
        let vertices = vertices.ok_or_else(|| wrong!("path {} has an entry that is no vertex", at + 1))?;
        let weight = |pair: &[VertexId]| weight(run.graph, pair[0], pair[1], length[at]);
        let weights = vertices.windows(2).map(weight).collect::<Result<Vec<_>, _>>()?;
        paths.push(Path { vertices, weights, length: length[at] });
    }
    ensure(found > 0 || vertices.is_empty(), || wrong!("no path was found, but `path` has entries"))?;
    Ok(paths)
}

/// The lengths of the paths, in the type of the program.
fn lengths(run: &Run<'_>, found: usize) -> Result<Vec<Number>, Invalid> {
    let name = "length";
    let length: Vec<Number> = match run.results.vector(name).ok_or(Invalid::Missing(name))? {
        Values::Int(v) => v.iter().map(|&length| length.into()).collect(),
        Values::Int64(v) => v.iter().map(|&length| length.into()).collect(),
        Values::Double(v) => v.iter().map(|&length| length.into()).collect(),
        other => return Err(Invalid::WrongType { name, found: other.type_name(), expected: "int" }),
    };
    match length.len() == found {
        true => Ok(length),
        false => Err(Invalid::WrongLength { name, found: length.len(), expected: found }),
    }
}

fn list(run: &Run<'_>, name: &'static str, expected: Option<usize>) -> Result<Vec<i32>, Invalid> {
    match run.results.vector(name).ok_or(Invalid::Missing(name))? {
        Values::Int(v) if expected.is_none_or(|expected| v.len() == expected) => Ok(v.into_owned()),
        Values::Int(v) => Err(Invalid::WrongLength { name, found: v.len(), expected: expected.unwrap_or(0) }),
        other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "int" }),
    }
}

/// The weight of an edge as a term of a length.
fn weight(graph: &Graph, u: VertexId, v: VertexId, length: Number) -> Result<Number, Invalid> {
    let out = graph.out();
    let at = out.neighbours(u).binary_search(&v).map_err(|_| wrong!("there is no edge from {u} to {v}"))?;
    let edge = out.range(u).start + at;
    Ok(match length {
        Number::Integer(_) => Number::Integer(int_weight(out.weights(), edge).into()),
        Number::Real(_) => Number::Real(real_weight(out.weights(), edge)),
    })
}

/// No path but the listed ones comes before `last`, or is `last`. Sums of reals are added up from the target here, so
/// that they are compared as far as they are exact.
fn nothing_before<L: Length>(
    graph: &Graph,
    source: VertexId,
    target: VertexId,
    paths: &[Path],
    last: (Key<L>, &[VertexId]),
    listed: usize,
) -> Result<(), Invalid> {
    // The vertices behind each common beginning, and the key of the beginning.
    let mut tree: BTreeMap<&[VertexId], (Key<L>, BTreeSet<VertexId>)> = BTreeMap::new();
    let root = [source];
    if paths.is_empty() {
        tree.insert(&root, (At(L::ZERO, 0), BTreeSet::new()));
    }
    for path in paths {
        let mut sum = At(L::ZERO, 0);
        for at in 0..path.hops() {
            let behind = tree.entry(&path.vertices[..=at]).or_insert((sum, BTreeSet::new()));
            behind.1.insert(path.vertices[at + 1]);
            let step = L::of_number(path.weights[at]).unwrap_or(L::ZERO);
            sum = At(sum.0 + step, sum.1 + 1);
        }
    }
    let ahead: Vec<Key<L>> = nearest(graph.out(), source, |_| false, |_| true);
    let back = graph.load_incoming()?;
    for (beginning, (sum, behind)) in &tree {
        let spur = beginning[beginning.len() - 1];
        if spur == target {
            continue;
        }
        let barred: BTreeSet<VertexId> = beginning.iter().copied().collect();
        // A way that goes on too long is of no interest: it is at least as long as the difference of distances.
        let at_spur = ahead[spur as usize].0;
        let may_lead = |(v, way): (VertexId, Key<L>)| {
            if ahead[v as usize] == far() {
                return false;
            }
            let there = ahead[v as usize].0;
            let detour = if there > at_spur { there - at_spur } else { L::ZERO };
            let length = (sum.0 + way.0 + detour).real();
            length <= last.0.0.real() * (1.0 + L::TOLERANCE)
        };
        let way = nearest(back, target, |v| barred.contains(&v), may_lead);
        if let Some((key, vertices)) = first_way(graph, spur, target, behind, &barred, &way) {
            let key = plus(*sum, key);
            let whole: Vec<VertexId> = beginning.iter().copied().chain(vertices).collect();
            let comes_behind = match L::TOLERANCE > 0.0 {
                true => key.0.real() >= last.0.0.real() * (1.0 - L::TOLERANCE),
                false => (key, &whole[..]) > last,
            };
            ensure(comes_behind, || {
                wrong!("a path of length {} is missing among the first {}: {whole:?}", key.0, listed + 1)
            })?;
        }
    }
    Ok(())
}

/// The first way from a vertex to the target that does not begin with an edge to one of `behind`.
fn first_way<L: Length>(
    graph: &Graph,
    spur: VertexId,
    target: VertexId,
    behind: &BTreeSet<VertexId>,
    barred: &BTreeSet<VertexId>,
    way: &[Key<L>],
) -> Option<(Key<L>, Vec<VertexId>)> {
    let out = graph.out();
    let best = |u: VertexId| {
        let edges = out.neighbours(u).iter().zip(out.range(u));
        let open = edges.filter(|(v, _)| way[**v as usize] != far() && !barred.contains(v));
        let open = open.filter(|(v, _)| u != spur || !behind.contains(v));
        open.map(|(&v, edge)| (plus(way[v as usize], step(out, edge)), v)).min()
    };
    let (key, mut v) = best(spur)?;
    let mut vertices = vec![v];
    while v != target {
        v = best(v)?.1;
        vertices.push(v);
    }
    Some((key, vertices))
}

/// Keys of the shortest ways from a start along edges of an adjacency, without the vertices that are left out, as far
/// as they are of interest.
fn nearest<L: Length>(
    adjacency: &Adjacency,
    start: VertexId,
    left_out: impl Fn(VertexId) -> bool,
    goes_on: impl Fn((VertexId, Key<L>)) -> bool,
) -> Vec<Key<L>> {
    let mut keys = vec![far(); adjacency.vertices()];
    let mut heap = BinaryHeap::new();
    if !left_out(start) {
        keys[start as usize] = At(L::ZERO, 0);
        heap.push(Reverse((At(L::ZERO, 0), start)));
    }
    while let Some(Reverse((key, u))) = heap.pop() {
        if key > keys[u as usize] || !goes_on((u, key)) {
            continue;
        }
        for (&v, edge) in adjacency.neighbours(u).iter().zip(adjacency.range(u)) {
            let through = plus(key, step(adjacency, edge));
            if through < keys[v as usize] && !left_out(v) {
                keys[v as usize] = through;
                heap.push(Reverse((through, v)));
            }
        }
    }
    keys
}

fn step<L: Length>(adjacency: &Adjacency, edge: usize) -> Key<L> {
    At(L::of_edge(adjacency.weights(), edge), 1)
}

fn plus<L: Length>(a: Key<L>, b: Key<L>) -> Key<L> {
    At(a.0 + b.0, a.1 + b.1)
}
