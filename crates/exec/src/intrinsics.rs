//! The intrinsic functions that need more than a line: `atoi`, intersections, relabelling, spanning tree, sweep cut,
//! graphs of selected edges and of labels.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use gw_graph::Graph;
use gw_graph::rng::Rng;
use gw_ir::types::Scalar;

use crate::error::{ErrorKind, Result, checked_vertex};
use crate::graphs::stored_weights;
use crate::scalar::Register;
use crate::vector::Vector;

/// C's `atoi`: leading white space, a sign, digits; 0 when there are none. `None` for a number that `int` cannot hold,
/// for which C promises nothing.
pub(crate) fn atoi(text: &str) -> Option<i32> {
    let text = text.trim_start();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut digits = digits.bytes().take_while(u8::is_ascii_digit).map(|d| i32::from(d - b'0'));
    let sign = if negative { -1 } else { 1 };
    digits.try_fold(0i32, |n, d| n.checked_mul(10)?.checked_add(sign * d))
}

/// C's `atof` for decimal numbers: leading white space, then the longest prefix that is one; 0 when there is none, and
/// infinity for a number that `double` cannot hold.
pub(crate) fn atof(text: &str) -> f64 {
    let text = text.trim_start();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let mut end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    loop {
        match text[..end].parse() {
            Ok(value) => return value,
            Err(_) if end > 0 => end -= 1,
            Err(_) => return 0.0,
        }
    }
}

/// The number of common ids of two ascending lists, ids above the limit ignored.
pub(crate) fn intersection(a: &[u32], b: &[u32], limit: Option<i32>) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        if limit.is_some_and(|limit| i64::from(y) > i64::from(limit)) {
            break;
        }
        match x.cmp(&y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, count) = (i + 1, j + 1, count + 1);
            }
        }
    }
    count
}

/// Whether numbers by degree promise to help: an average degree of at least 10 and degrees so skewed that the mean of a
/// sample of 1000, divided by 1.3, is above its median.
pub(crate) fn is_skewed(graph: &Graph) -> bool {
    const SAMPLE: usize = 1000;
    let vertices = graph.vertices();
    if vertices == 0 || graph.edges() / vertices < 10 {
        return false;
    }
    let mut rng = Rng::new(0, 0);
    let mut sample: Vec<usize> =
        (0..SAMPLE.min(vertices)).map(|_| graph.out().degree(rng.below(vertices as u64) as u32)).collect();
    sample.sort_unstable();
    let mean = sample.iter().sum::<usize>() as f64 / sample.len() as f64;
    let median = sample[sample.len() / 2] as f64;
    mean / 1.3 > median
}

/// Renumbers by descending degree when that promises to help. A graph that is numbered so stays as it is. The graph
/// keeps what is made of it, so that only the first run pays.
pub(crate) fn relabel(graph: Arc<Graph>) -> Result<Arc<Graph>> {
    if !is_skewed(&graph) || graph.is_degree_ordered() {
        return Ok(graph);
    }
    if !graph.is_symmetric() {
        let message = "relabel() needs an undirected graph; this one has edges without their reverse";
        return Err(ErrorKind::Unsupported(message.into()).into());
    }
    Ok(Arc::clone(&graph.by_falling_degree()?.graph))
}

/// Prim's algorithm along out-edges: the parent of every vertex, -1 for the start and for vertices out of reach.
/// Without weights every edge weighs 1.
pub(crate) fn minimum_spanning_tree(graph: &Graph, start: u32) -> Vec<i32> {
    let out = graph.out();
    // Ordered by weight, then ids, so that the tree is the same every time.
    let key = |w: f64| {
        let bits = w.to_bits() as i64;
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    };
    let mut parents = vec![-1; graph.vertices()];
    let mut done = vec![false; graph.vertices()];
    let mut heap = BinaryHeap::from([Reverse((i64::MIN, start, -1))]);
    while let Some(Reverse((_, vertex, parent))) = heap.pop() {
        if std::mem::replace(&mut done[vertex as usize], true) {
            continue;
        }
        parents[vertex as usize] = parent;
        for (at, &next) in out.neighbours(vertex).iter().enumerate() {
            if !done[next as usize] {
                heap.push(Reverse((key(out.weight_at(vertex, at).unwrap_or(1.0)), next, vertex as i32)));
            }
        }
    }
    parents
}

/// Orders the set by descending value (ties by id) and returns the prefix of least conductance: edges that leave it
/// over the smaller of the two volumes, degrees being out-degrees.
pub(crate) fn sweep_cut(graph: &Graph, set: &[u32], values: &[f64]) -> Result<Vec<u32>> {
    let vertices = graph.vertices().min(values.len());
    for &v in set {
        checked_vertex(v as i32, vertices)?;
    }
    let mut order = set.to_vec();
    order.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]).then(a.cmp(&b)));
    order.dedup();
    let total = graph.edges();
    let mut inside = vec![false; graph.vertices()];
    let (mut volume, mut cut) = (0usize, 0i64);
    let (mut best, mut best_len) = (f64::INFINITY, 0);
    for (i, &v) in order.iter().enumerate() {
        let neighbours = graph.out().neighbours(v);
        let towards = neighbours.iter().filter(|&&n| inside[n as usize]).count() as i64;
        volume += neighbours.len();
        cut += neighbours.len() as i64 - 2 * towards;
        inside[v as usize] = true;
        let smaller = volume.min(total - volume);
        if smaller > 0 && (cut as f64 / smaller as f64) < best {
            (best, best_len) = (cut as f64 / smaller as f64, i + 1);
        }
    }
    order.truncate(best_len);
    Ok(order)
}

/// The weight of the edge to the out-neighbour at a position, as a number of this type.
pub(crate) fn out_weight(graph: &Graph, vertex: u32, position: i32, wanted: Scalar) -> Result<u64> {
    let out = graph.out();
    let stored = stored_weights(graph).ok_or_else(|| ErrorKind::Unweighted { graph: "the graph".into() })?;
    let weight = usize::try_from(position).ok().and_then(|at| out.weight_bits(vertex, at));
    let (index, len) = (i64::from(position), out.degree(vertex));
    let weight = weight.ok_or_else(|| ErrorKind::IndexOutOfRange { index, len, vector: "neighbours".to_string() })?;
    let convert = crate::scalar::conversion(stored, wanted);
    Ok(convert.ok_or_else(|| ErrorKind::Malformed("a weight that is no number".into()))?(weight))
}

/// The vertex with this id: one of the file where it has some, else a number.
pub(crate) fn find_vertex(graph: &Graph, id: &str) -> Result<u32> {
    let found = match graph.names() {
        Some(names) => names.find(id),
        None => id.parse().ok().filter(|&vertex: &u32| (vertex as usize) < graph.vertices()),
    };
    found.ok_or_else(|| {
        let ids = match graph.names() {
            Some(names) => {
                let some: Vec<String> = names.iter().take(3).map(|name| name.to_string()).collect();
                format!("has {}, such as {}", names.len(), some.join(", "))
            }
            None => format!("has {}, numbered from 0", graph.vertices()),
        };
        ErrorKind::NoVertex { id: id.to_string(), ids }.into()
    })
}

/// The weights of all edges, as numbers of this type.
pub(crate) fn edge_weights(graph: &Graph, wanted: Scalar) -> Result<Vector> {
    let out = graph.out();
    let stored = stored_weights(graph).ok_or_else(|| ErrorKind::Unweighted { graph: "the graph".into() })?;
    let convert = crate::scalar::conversion(stored, wanted);
    let convert = convert.ok_or_else(|| ErrorKind::Malformed("a weight that is no number".into()))?;
    let vector = Vector::zeros(wanted, &[graph.edges()])?;
    let cells = vector.touched();
    for vertex in 0..graph.vertices() as u32 {
        for (at, edge) in out.range(vertex).enumerate() {
            cells.store(edge, convert(out.weight_bits(vertex, at).unwrap_or_default()));
        }
    }
    Ok(vector)
}

/// The graph of the edges that are marked.
pub(crate) fn select_edges(graph: &Graph, marks: &Vector) -> Result<Arc<Graph>> {
    if marks.len() != graph.edges() {
        return Err(ErrorKind::EdgeVector { entries: marks.len(), edges: graph.edges() }.into());
    }
    let cells = marks.touched();
    Ok(Arc::new(graph.select(|edge| cells.load(edge) != 0)?))
}

/// The graph between labels; `weighed` where the program gives the edges weights.
pub(crate) fn contract(graph: &Graph, labels: &Vector, weighed: bool) -> Result<Arc<Graph>> {
    let vertices = graph.vertices();
    if labels.len() != vertices {
        let message = format!("{} labels for {vertices} vertices", labels.len());
        return Err(ErrorKind::Malformed(message).into());
    }
    let cells = labels.touched();
    let labels: Vec<u32> =
        (0..vertices).map(|v| checked_vertex(i32::of(cells.load(v)), vertices)).collect::<Result<_>>()?;
    Ok(Arc::new(graph.contract(&labels, weighed)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{BuildOptions, EdgeList, build};

    #[test]
    fn atoi_is_c() {
        for (text, value) in [("12", 12), (" \t-7x", -7), ("+3", 3), ("", 0), ("x", 0), ("0x10", 0), ("é", 0)] {
            assert_eq!(atoi(text), Some(value), "{text:?}");
        }
        assert_eq!((atoi("2147483647"), atoi(" -2147483648;")), (Some(i32::MAX), Some(i32::MIN)));
        for text in ["2147483648", "-2147483649", "99999999999999", "000099999999999999999999x"] {
            assert_eq!(atoi(text), None, "{text:?}");
        }
    }

    #[test]
    fn atof_takes_the_longest_number() {
        let cases = [
            ("1e-6", 1e-6),
            (" \t-2.5x", -2.5),
            (".5", 0.5),
            ("3e", 3.0),
            ("1.2.3", 1.2),
            ("", 0.0),
            ("é", 0.0),
            ("-1e999", f64::NEG_INFINITY),
        ];
        for (text, value) in cases {
            assert_eq!(atof(text), value, "{text:?}");
        }
    }

    #[test]
    fn intersections() {
        assert_eq!(intersection(&[1, 3, 5, 9], &[3, 4, 5, 9], None), 3);
        assert_eq!(intersection(&[1, 3, 5, 9], &[3, 4, 5, 9], Some(5)), 2);
        assert_eq!(intersection(&[1], &[1], Some(-1)), 0);
        assert_eq!(intersection(&[], &[1], None), 0);
    }

    fn undirected(vertices: usize, edges: &[(u32, u32, i32)]) -> Result<Arc<Graph>> {
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        Ok(Arc::new(build(EdgeList::from_triples(vertices, edges.iter().copied()), &options)?))
    }

    #[test]
    fn spanning_tree_of_a_square_with_a_diagonal() -> Result<()> {
        let graph = undirected(5, &[(0, 1, 1), (1, 2, 5), (2, 3, 1), (3, 0, 2), (0, 2, 9)])?;
        assert_eq!(minimum_spanning_tree(&graph, 0), [-1, 0, 3, 0, -1]);
        Ok(())
    }

    #[test]
    fn sweep_cut_finds_the_clique() -> Result<()> {
        // Two triangles joined by one edge: the values favour the first triangle.
        let graph = undirected(6, &[(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1), (2, 3, 1)])?;
        let values = [0.9, 0.8, 0.7, 0.3, 0.2, 0.1];
        assert_eq!(sweep_cut(&graph, &[0, 1, 2, 3, 4, 5], &values)?, [0, 1, 2]);
        assert!(sweep_cut(&graph, &[], &values)?.is_empty());
        assert!(sweep_cut(&graph, &[6], &values).is_err());
        Ok(())
    }

    #[test]
    fn relabel_only_when_it_helps() -> Result<()> {
        let path = undirected(3, &[(0, 1, 1), (1, 2, 1)])?;
        assert!(Arc::ptr_eq(&path, &relabel(Arc::clone(&path))?));
        // A dense core of 40 vertices and 60 leaves: mean degree 16, median 1.
        let mut edges: Vec<_> = (60..100).flat_map(|a| (a + 1..100).map(move |b| (a, b, 1))).collect();
        edges.extend((0..60).map(|leaf| (leaf, 99, 1)));
        let skewed = undirected(100, &edges)?;
        let renumbered = relabel(Arc::clone(&skewed))?;
        assert_eq!(renumbered.out().degree(0), 99);
        assert!(Arc::ptr_eq(&renumbered, &relabel(Arc::clone(&renumbered))?));
        // A directed graph is refused only when it would be renumbered.
        let directed = |n, edges| build(EdgeList::from_pairs(n, edges), &BuildOptions::default()).map(Arc::new);
        assert!(relabel(directed(2, vec![(0, 1)])?).is_ok());
        let core_at = |first: u32| (first..first + 40).flat_map(|a| (0..100).map(move |b| (a, b))).collect();
        assert!(relabel(directed(100, core_at(60))?).is_err());
        assert!(relabel(directed(100, core_at(0))?).is_ok(), "in order already");
        Ok(())
    }
}
