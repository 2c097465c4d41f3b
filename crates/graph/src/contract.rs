//! Contraction: the graph between groups of vertices that share a label.
//!
//! The rows of the new graph are made side by side. A row adds up the edges of all members of a label in an array with
//! an entry per vertex, and sorts the few entries it has touched; time is linear in the edges, and sums are made in the
//! order of the edges, so that they do not depend on the number of threads.

use crate::build::allow_csr;
use crate::{Adjacency, Graph, GraphError, Offsets, Result, VertexId, Weight, WeightKind, Weights, parallel};

/// Edges that are worth a task of their own.
const PIECE_EDGES: usize = 1 << 15;

impl Graph {
    /// The edges between groups of vertices that share a label: one edge per pair of different labels that edges lead
    /// from and to. Its weight is the sum of their weights; it is their number where they have none, or where
    /// `weighed` says that weights do not count. The vertices stay the same; those that are no label have no edges.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList, Weights};
    /// let path = build(EdgeList::from_pairs(4, vec![(0, 2), (1, 2), (1, 3)]), &BuildOptions::default()).unwrap();
    /// let halves = path.contract(&[0, 0, 2, 2], true).unwrap();
    /// assert_eq!(halves.out().neighbours(0), &[2]);
    /// assert!(matches!(halves.out().weights(), Weights::Int(w) if **w == [3]));
    /// ```
    pub fn contract(&self, labels: &[VertexId], weighed: bool) -> Result<Graph> {
        let (out, vertices) = (self.out(), self.vertices());
        if let Some(&label) = labels.iter().find(|&&label| label as usize >= vertices) {
            return Err(GraphError::VertexOutOfRange { vertex: label.into(), vertices });
        }
        if labels.len() != vertices {
            return Err(GraphError::Malformed(format!("{} labels for {vertices} vertices", labels.len())));
        }
        let members = Members::of(labels);
        let contracted = match out.weight_kind() {
            WeightKind::Float if weighed => {
                allow_csr(WeightKind::Float, vertices, out.edges())?;
                let rows = rows::<f32, _>(out, labels, &members, |weight| f64::from(weight.unwrap_or_default()));
                let weights: Vec<f32> = parallel::list(rows.sums.len(), |at| rows.sums[at] as f32);
                rows.adjacency(Weights::Float(weights.into()))
            }
            WeightKind::Double if weighed => {
                allow_csr(WeightKind::Double, vertices, out.edges())?;
                let mut rows = rows::<f64, _>(out, labels, &members, Option::unwrap_or_default);
                let weights = std::mem::take(&mut rows.sums);
                rows.adjacency(Weights::Double(weights.into()))
            }
            WeightKind::Int64 if weighed => {
                allow_csr(WeightKind::Int64, vertices, out.edges())?;
                let rows = rows::<i64, _>(out, labels, &members, |weight| i128::from(weight.unwrap_or_default()));
                let weights = rows.whole::<i64>()?;
                rows.adjacency(Weights::Int64(weights.into()))
            }
            kind => {
                allow_csr(WeightKind::Int, vertices, out.edges())?;
                let rows = match kind {
                    WeightKind::Int if weighed => {
                        rows::<i32, _>(out, labels, &members, |weight| i64::from(weight.unwrap_or_default()))
                    }
                    _ => rows::<(), _>(out, labels, &members, |_| 1i64),
                };
                // Sums of weights of 32 bits fit into 64, sums of fewer than 2^31 of them.
                let fits = rows.sums.iter().all(|&sum| i32::try_from(sum).is_ok());
                let mut rows = rows;
                match fits {
                    true => {
                        let weights = rows.whole::<i32>()?;
                        rows.adjacency(Weights::Int(weights.into()))
                    }
                    false => {
                        let weights = std::mem::take(&mut rows.sums);
                        rows.adjacency(Weights::Int64(weights.into()))
                    }
                }
            }
        };
        // Whole sums are the same in both directions; sums of fractions may be rounded in different ways.
        let whole = contracted.weight_kind().is_whole();
        let symmetric = self.is_symmetric() && whole || contracted.looks_symmetric();
        Ok(Graph::new(contracted, symmetric).with_names(self.names().cloned()))
    }
}

/// The vertices of every label, in ascending order.
struct Members {
    /// Where the members of a label begin, and the number of vertices at the end.
    starts: Vec<u32>,
    vertices: Vec<VertexId>,
}

impl Members {
    fn of(labels: &[VertexId]) -> Self {
        let mut starts = vec![0u32; labels.len() + 1];
        for &label in labels {
            starts[label as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut vertices) = (starts.clone(), vec![0; labels.len()]);
        for (v, &label) in labels.iter().enumerate() {
            let place = &mut next[label as usize];
            vertices[*place as usize] = v as VertexId;
            *place += 1;
        }
        Members { starts, vertices }
    }

    fn with(&self, label: usize) -> &[VertexId] {
        &self.vertices[self.starts[label] as usize..self.starts[label + 1] as usize]
    }

    /// Runs of labels whose members have about equally many edges.
    fn pieces(&self, out: &Adjacency) -> Vec<std::ops::Range<usize>> {
        let enough = (out.edges() / (4 * rayon::current_num_threads())).max(PIECE_EDGES);
        let (mut pieces, mut begin, mut edges) = (Vec::new(), 0, 0);
        for label in 0..out.vertices() {
            edges += self.with(label).iter().map(|&v| out.degree(v)).sum::<usize>();
            if edges >= enough {
                pieces.push(begin..label + 1);
                (begin, edges) = (label + 1, 0);
            }
        }
        pieces.push(begin..out.vertices());
        pieces
    }
}

/// Rows of the new graph, one per label.
struct Rows<T> {
    degrees: Vec<u32>,
    targets: Vec<VertexId>,
    sums: Vec<T>,
}

impl<T> Rows<T> {
    fn adjacency(self, weights: Weights) -> Adjacency {
        Adjacency::from_parts(Offsets::from_degrees(&self.degrees), self.targets.into(), weights)
    }
}

impl<T: Copy + std::fmt::Display> Rows<T> {
    /// The sums as weights of the type `W`.
    fn whole<W: Weight + TryFrom<T>>(&self) -> Result<Vec<W>> {
        let narrow = |at: usize| W::try_from(self.sums[at]).map_err(|_| at);
        let weights: std::result::Result<Vec<W>, usize> = (0..self.sums.len()).map(narrow).collect();
        weights.map_err(|at| {
            let mut end = 0;
            let is_past = |degree: &u32| {
                end += *degree as usize;
                end > at
            };
            let source = self.degrees.iter().position(is_past).unwrap_or(0);
            GraphError::Malformed(format!(
                "the weights of the edges from label {source} to label {} add up to {}, and a weight has {} bits",
                self.targets[at],
                self.sums[at],
                32 * W::WORDS
            ))
        })
    }
}

/// Adds up the edges from every label to every other, each with the value of its weight.
fn rows<W: Weight, T: Copy + Default + std::ops::AddAssign + Send>(
    out: &Adjacency,
    labels: &[VertexId],
    members: &Members,
    value: impl Fn(Option<W>) -> T + Sync,
) -> Rows<T> {
    let pieces = members.pieces(out);
    let made = parallel::map(pieces.len(), |piece| {
        let range = pieces[piece].clone();
        let mut rows = Rows { degrees: Vec::with_capacity(range.len()), targets: Vec::new(), sums: Vec::new() };
        // The row that an entry was last used for, counted from 1, and its sum.
        let mut entries = vec![(0u32, T::default()); labels.len()];
        let mut touched: Vec<VertexId> = Vec::new();
        for label in range {
            let row = label as u32 + 1;
            for &v in members.with(label) {
                let weights = out.weights_of::<W>(v);
                for (at, &target) in out.neighbours(v).iter().enumerate() {
                    let to = labels[target as usize];
                    if to as usize == label {
                        continue;
                    }
                    let entry = &mut entries[to as usize];
                    if entry.0 != row {
                        *entry = (row, T::default());
                        touched.push(to);
                    }
                    entry.1 += value(weights.get(at).copied());
                }
            }
            touched.sort_unstable();
            rows.degrees.push(touched.len() as u32);
            rows.targets.extend_from_slice(&touched);
            rows.sums.extend(touched.iter().map(|&to| entries[to as usize].1));
            touched.clear();
        }
        rows
    });
    let mut made = made.into_iter();
    let first = made.next().unwrap_or(Rows { degrees: Vec::new(), targets: Vec::new(), sums: Vec::new() });
    made.fold(first, |mut all, more| {
        all.degrees.extend(more.degrees);
        all.targets.extend(more.targets);
        all.sums.extend(more.sums);
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, EdgeList, build};

    fn square() -> Graph {
        let pairs = [(0, 1, 5), (1, 2, 6), (2, 3, 7), (3, 0, 8)];
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        build(EdgeList::<i32>::from_triples(4, pairs), &options).unwrap()
    }

    #[test]
    fn contraction_sums_and_drops_loops() {
        let pairs = square().contract(&[0, 0, 3, 3], true).unwrap();
        assert!(pairs.is_symmetric());
        assert_eq!(pairs.out().neighbours(0), &[3]);
        assert!(matches!(pairs.out().weights(), Weights::Int(w) if **w == [14, 14]));
        let counted = square().contract(&[0, 0, 3, 3], false).unwrap();
        assert!(matches!(counted.out().weights(), Weights::Int(w) if **w == [2, 2]));
        assert_eq!(square().contract(&[1; 4], true).unwrap().edges(), 0);
        assert!(square().contract(&[4; 4], true).unwrap_err().to_string().contains('4'));
    }

    #[test]
    fn sums_beyond_32_bits_have_64() {
        let heavy = [(0, 2, i32::MAX), (1, 2, 1)];
        let graph = build(EdgeList::<i32>::from_triples(3, heavy), &BuildOptions::default()).unwrap();
        let made = graph.contract(&[0, 0, 2], true).unwrap();
        assert!(matches!(made.out().weights(), Weights::Int64(w) if **w == [2_147_483_648]));
        let heavy = [(0, 2, i64::MAX), (1, 2, 1)];
        let graph = build(EdgeList::<i64>::from_triples(3, heavy), &BuildOptions::default()).unwrap();
        let error = graph.contract(&[0, 0, 2], true).unwrap_err().to_string();
        assert!(error.contains("from label 0 to label 2 add up to 9223372036854775808"), "{error}");
    }

    #[test]
    fn sums_are_those_of_a_map_for_any_number_of_threads() {
        // Enough edges for several pieces, and weights that are fractions.
        let (n, mut state) = (500u32, 7u64);
        let mut draw = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(below)) as u32
        };
        let triples: Vec<_> = (0..150_000).map(|_| (draw(n), draw(n), draw(1000) as f32 / 7.0)).collect();
        let labels: Vec<VertexId> = (0..n).map(|_| draw(n) / 3).collect();
        let options = BuildOptions { parallel: crate::Parallel::Keep, ..BuildOptions::default() };
        let graph = build(EdgeList::<f32>::from_triples(n as usize, triples), &options).unwrap();
        let mut right = std::collections::BTreeMap::<(u32, u32), f64>::new();
        for v in 0..n {
            for (edge, &u) in graph.out().range(v).zip(graph.out().neighbours(v)) {
                let Weights::Float(w) = graph.out().weights() else { panic!("no fractions") };
                let pair = (labels[v as usize], labels[u as usize]);
                if pair.0 != pair.1 {
                    *right.entry(pair).or_default() += f64::from(w[edge]);
                }
            }
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let made = pool.install(|| graph.contract(&labels, true)).unwrap();
            let out = made.out();
            let Weights::Float(w) = out.weights() else { panic!("no fractions") };
            let found: Vec<_> = (0..out.edges()).map(|e| ((out.source_of(e), out.targets()[e]), w[e])).collect();
            let right: Vec<_> = right.iter().map(|(&pair, &sum)| (pair, sum as f32)).collect();
            assert_eq!(found, right, "{threads} threads");
        }
    }
}
