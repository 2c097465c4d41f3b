//! Several shortest paths: the list is right as far as it goes, and no path that it lacks comes before its end.
//!
//! A path that is not listed leaves the tree of the listed ones at some vertex. So for every vertex of that tree, the
//! first way to the target that avoids the vertices before and the edges of the tree is worked out, by Dijkstra's
//! search backwards from the target; it must come behind the last listed path.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use gw_graph::{Adjacency, Graph, VertexId};

use super::{Invalid, Run, ensure, int_weight, wrong};
use crate::paths::{Path, PathError, is_path};
use crate::registry::{Program, Remark};
use crate::results::{Number, Values};

/// A length, and a number of edges.
type Key = (u64, u32);

/// Listed paths are told as far as lengths fit the type.
const LONGEST: u64 = i32::MAX as u64;

const FAR: Key = (u64::MAX, u32::MAX);

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
    Some(match run.integer("found").ok()? {
        0 => Remark::NoResult(format!(
            "all paths from {source} to {target} are longer than {LONGEST} and do not fit the type int; `sssp-real` \
             has the length of a shortest one"
        )),
        _ => Remark::Rough(format!(
            "further paths from {source} to {target} may be missing: they are longer than {LONGEST} and do not fit the \
             type int"
        )),
    })
}

pub(crate) fn k_shortest_paths(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, target, count) = (run.vertex_arg(2)?, run.vertex_arg(3)?, run.count_arg(4)?);
    let paths = listed(run)?;
    ensure(paths.len() <= count, || wrong!("{} paths were found, {count} are the most", paths.len()))?;
    for (at, path) in paths.iter().enumerate() {
        let place = |invalid| wrong!("path {}: {invalid}", at + 1);
        is_path(run.graph, path, false).map_err(place)?;
        let ends = (path.vertices[0], path.vertices[path.hops()]);
        ensure(ends == (source, target), || wrong!("path {} leads from {} to {}", at + 1, ends.0, ends.1))?;
    }
    for (at, pair) in paths.windows(2).enumerate() {
        ensure(order(&pair[0]) < order(&pair[1]), || wrong!("path {} does not come behind path {}", at + 2, at + 1))?;
    }
    let too_long = run.integer("too_long")? != 0;
    ensure(!too_long || may_be_too_long(run.graph), || wrong!("too_long is set, but all paths are short"))?;
    if paths.len() < count {
        let most = if too_long { (LONGEST, u32::MAX) } else { FAR };
        nothing_before(run.graph, source, target, &paths, (most, &[]), paths.len())
    } else {
        ensure(!too_long, || wrong!("all {count} paths were found, but too_long is set"))?;
        match paths.last() {
            None => Ok(()),
            Some(last) => nothing_before(run.graph, source, target, &paths, order(last), paths.len()),
        }
    }
}

/// Whether a path can be longer than what is told.
fn may_be_too_long(graph: &Graph) -> bool {
    let greatest = (0..graph.edges()).map(|edge| int_weight(graph.out().weights(), edge)).max().unwrap_or(0);
    i128::from(greatest) * graph.vertices() as i128 > i128::from(LONGEST)
}

/// The place of a path among all paths.
fn order(path: &Path) -> (Key, &[VertexId]) {
    (key(path), &path.vertices)
}

fn key(path: &Path) -> Key {
    match path.length {
        Number::Integer(length) => (u64::try_from(length).unwrap_or(0), path.hops() as u32),
        Number::Real(_) => FAR,
    }
}

/// The paths as the results list them; the weights are those of the graph.
fn listed(run: &Run<'_>) -> Result<Vec<Path>, Invalid> {
    let found = usize::try_from(run.integer("found")?).map_err(|_| wrong!("found is negative"))?;
    let (length, begin) = (list(run, "length", Some(found))?, list(run, "begin", Some(found))?);
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
        let weight = |pair: &[VertexId]| weight(run.graph, pair[0], pair[1]);
        let weights = vertices.windows(2).map(weight).collect::<Result<Vec<_>, _>>()?;
        paths.push(Path { vertices, weights, length: length[at].into() });
    }
    ensure(found > 0 || vertices.is_empty(), || wrong!("no path was found, but `path` has entries"))?;
    Ok(paths)
}

fn list(run: &Run<'_>, name: &'static str, expected: Option<usize>) -> Result<Vec<i32>, Invalid> {
    match run.results.vector(name).ok_or(Invalid::Missing(name))? {
        Values::Int(v) if expected.is_none_or(|expected| v.len() == expected) => Ok(v.into_owned()),
        Values::Int(v) => Err(Invalid::WrongLength { name, found: v.len(), expected: expected.unwrap_or(0) }),
        other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "int" }),
    }
}

fn weight(graph: &Graph, u: VertexId, v: VertexId) -> Result<Number, Invalid> {
    let out = graph.out();
    let at = out.neighbours(u).binary_search(&v).map_err(|_| wrong!("there is no edge from {u} to {v}"))?;
    Ok(Number::Integer(int_weight(out.weights(), out.range(u).start + at).into()))
}

/// No path but the listed ones comes before `last`, or is `last`.
fn nothing_before(
    graph: &Graph,
    source: VertexId,
    target: VertexId,
    paths: &[Path],
    last: (Key, &[VertexId]),
    listed: usize,
) -> Result<(), Invalid> {
    // The vertices behind each common beginning, and the key of the beginning.
    let mut tree: BTreeMap<&[VertexId], (Key, BTreeSet<VertexId>)> = BTreeMap::new();
    tree.entry(&[][..]).or_default();
    let root = [source];
    if paths.is_empty() {
        tree.insert(&root, ((0, 0), BTreeSet::new()));
    }
    for path in paths {
        let mut sum = (0, 0);
        for at in 0..path.hops() {
            let behind = tree.entry(&path.vertices[..=at]).or_insert((sum, BTreeSet::new()));
            behind.1.insert(path.vertices[at + 1]);
            let Number::Integer(step) = path.weights[at] else { continue };
            sum = (sum.0 + u64::try_from(step).unwrap_or(0), sum.1 + 1);
        }
    }
    let ahead = nearest(graph.out(), source, |_| false, |_| true);
    let back = graph.load_incoming()?;
    for (beginning, (sum, behind)) in tree.iter().filter(|(beginning, _)| !beginning.is_empty()) {
        let spur = beginning[beginning.len() - 1];
        if spur == target {
            continue;
        }
        let barred: BTreeSet<VertexId> = beginning.iter().copied().collect();
        // A way that goes on too long is of no interest: it is at least as long as the difference of distances.
        let at_spur = ahead[spur as usize].0;
        let may_lead = |(v, way): (VertexId, Key)| {
            ahead[v as usize] != FAR && sum.0 + way.0 + ahead[v as usize].0.saturating_sub(at_spur) <= last.0.0
        };
        let way = nearest(back, target, |v| barred.contains(&v), may_lead);
        if let Some((key, vertices)) = first_way(graph, spur, target, behind, &barred, &way) {
            let key = (sum.0 + key.0, sum.1 + key.1);
            let whole: Vec<VertexId> = beginning.iter().copied().chain(vertices).collect();
            ensure((key, &whole[..]) > last, || {
                wrong!("a path of length {} is missing among the first {}: {whole:?}", key.0, listed + 1)
            })?;
        }
    }
    Ok(())
}

/// The first way from a vertex to the target that does not begin with an edge to one of `behind`.
fn first_way(
    graph: &Graph,
    spur: VertexId,
    target: VertexId,
    behind: &BTreeSet<VertexId>,
    barred: &BTreeSet<VertexId>,
    way: &[Key],
) -> Option<(Key, Vec<VertexId>)> {
    let out = graph.out();
    let best = |u: VertexId| {
        let edges = out.neighbours(u).iter().zip(out.range(u));
        let open = edges.filter(|(v, _)| way[**v as usize] != FAR && !barred.contains(v));
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
fn nearest(
    adjacency: &Adjacency,
    start: VertexId,
    left_out: impl Fn(VertexId) -> bool,
    goes_on: impl Fn((VertexId, Key)) -> bool,
) -> Vec<Key> {
    let mut keys = vec![FAR; adjacency.vertices()];
    let mut heap = BinaryHeap::new();
    if !left_out(start) {
        keys[start as usize] = (0, 0);
        heap.push(Reverse(((0, 0), start)));
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

fn step(adjacency: &Adjacency, edge: usize) -> Key {
    (u64::try_from(int_weight(adjacency.weights(), edge)).unwrap_or(0), 1)
}

fn plus(a: Key, b: Key) -> Key {
    (a.0 + b.0, a.1 + b.1)
}
