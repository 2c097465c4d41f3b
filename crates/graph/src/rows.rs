//! Edges that remember where they come from: the row of their table, or their number in another graph.
//!
//! The builder sorts edges with their weights. Here the weight of an edge is the number of its row: what the builder
//! returns says which row each edge comes from, and whatever else a row holds follows from that.

use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use crate::build::{allow_csr, check};
use crate::columns::{Columns, Table};
use crate::csr::csr;
use crate::parallel::{self, PIECE};
use crate::stream::{AdjacencyStream, EdgeStream, Edges, ListStream};
use crate::{
    Adjacency, BuildOptions, EdgeChunk, EdgeList, Graph, GraphError, Offsets, Permutation, Result, Symmetry, Weight,
    WeightKind, Weights, with_weights,
};

/// What becomes of parallel edges: several from the same vertex to the same neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parallel {
    /// One stays, with the least weight.
    #[default]
    Least,
    /// One stays, with the greatest weight.
    Greatest,
    /// The first one of the file stays.
    First,
    /// One stays, with the sum of the weights; edges without weights get their number as the weight.
    Sum,
    /// All stay.
    Keep,
}

impl Parallel {
    const ALL: [Parallel; 5] = [Parallel::Least, Parallel::Greatest, Parallel::First, Parallel::Sum, Parallel::Keep];

    /// The word for it: `min`, `max`, `first`, `sum` or `keep`.
    pub fn word(self) -> &'static str {
        match self {
            Parallel::Least => "min",
            Parallel::Greatest => "max",
            Parallel::First => "first",
            Parallel::Sum => "sum",
            Parallel::Keep => "keep",
        }
    }

    /// Whether the builder of graphs does this by itself, without rows.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Parallel::Least | Parallel::Keep)
    }
}

impl FromStr for Parallel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|choice| choice.word() == text);
        found.ok_or_else(|| format!("`{text}` says nothing about parallel edges: use keep, first, min, max or sum"))
    }
}

/// [`build`](crate::build) for edges that are the rows of a table: the graph knows the row of each of its edges
/// ([`Graph::edge_columns`]).
pub fn build_rows<W: Weight>(edges: EdgeList<W>, table: Option<Arc<Table>>, options: &BuildOptions) -> Result<Graph> {
    check(&edges)?;
    countable(edges.len(), "rows")?;
    let stored = if options.symmetrise { 2 * edges.len() } else { edges.len() };
    allow_csr(WeightKind::Int, edges.vertices, stored)?;
    let mut weights = Vec::with_capacity(edges.len());
    let mut chunks = Vec::with_capacity(edges.chunks.len());
    let mut first = 0;
    for chunk in edges.chunks {
        weights.extend_from_slice(&chunk.weights);
        let rows = (first..first + chunk.edges.len() as i32).collect();
        first += chunk.edges.len() as i32;
        chunks.push(EdgeChunk { edges: chunk.edges, weights: rows });
    }
    let weights = W::wrap(weights);
    let list = ListStream::new(EdgeList { vertices: edges.vertices, chunks });
    let (out, rows) = edges_of_rows(Edges::new(list), &weights, options)?;
    let symmetric = match options.symmetry {
        _ if options.symmetrise => true,
        Symmetry::Directed => false,
        Symmetry::Unknown => out.looks_symmetric(),
    };
    let columns = table.map(|table| Arc::new(Columns { table, row_of: Arc::new(rows.into()) }));
    let graph = Graph::new(out, symmetric).with_edge_columns(columns);
    match &options.reorder {
        Some(order) => graph.try_reordered(order),
        None => Ok(graph),
    }
}

impl Graph {
    /// The undirected graph of this one's edges, each of which keeps its row.
    pub(crate) fn symmetrised_with_rows(&self, columns: &Columns, options: &BuildOptions) -> Result<Graph> {
        let out = self.out();
        allow_csr(WeightKind::Int, self.vertices(), 2 * self.edges())?;
        let numbered = numbered(self)?;
        let options = BuildOptions { symmetrise: true, ..options.clone() };
        let stream = AdjacencyStream::<i32> { adjacency: &numbered, weights: PhantomData };
        let (made, places) = edges_of_rows(Edges::new(stream), out.weights(), &options)?;
        let columns = columns.moved(places.len(), |at| places[at] as usize);
        Ok(Graph::new(made, true).with_edge_columns(Some(Arc::new(columns))))
    }

    /// The lists of this graph under other numbers of its vertices: offsets, targets, weights, and the rows of edges.
    pub(crate) fn lists_with_rows(
        &self,
        columns: &Columns,
        permutation: Arc<Permutation>,
    ) -> Result<(Adjacency, Columns)> {
        let source = Arc::new(numbered(self)?);
        let renumbering = crate::Renumbering { source, permutation, falling: false };
        let offsets = renumbering.offsets();
        let (targets, places) = renumbering.lists(&offsets);
        let Weights::Int(places) = places else { return Err(GraphError::Malformed("edges lost their numbers".into())) };
        let weights = picked(self.out().weights(), places.len(), |at| places[at] as usize);
        let columns = columns.moved(places.len(), |at| places[at] as usize);
        Ok((Adjacency::from_parts(offsets, targets.into(), weights), columns))
    }
}

/// The out-edges of a graph with their numbers as weights.
fn numbered(graph: &Graph) -> Result<Adjacency> {
    can_be_numbered(graph)?;
    Ok(with_numbers(graph))
}

/// The same, where it [can be asked for](can_be_numbered).
pub(crate) fn with_numbers(graph: &Graph) -> Adjacency {
    graph.shared_out().with_weights(Weights::Int(parallel::list(graph.edges(), |at| at as i32).into()))
}

/// Refuses graphs with more edges than there are numbers.
pub(crate) fn can_be_numbered(graph: &Graph) -> Result<()> {
    graph.out().load()?;
    countable(graph.edges(), "edges")
}

fn countable(count: usize, what: &str) -> Result<()> {
    match i32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(GraphError::Usage(format!(
            "numbers of edges, columns, and parallel edges by first, max or sum need up to {} {what}; there are {count}",
            i32::MAX
        ))),
    }
}

/// The adjacency of edges whose weights are the numbers of rows, with the weights of these rows; and the row of each
/// edge.
fn edges_of_rows<S: EdgeStream<Weight = i32>>(
    edges: Edges<S>,
    weights: &Weights,
    options: &BuildOptions,
) -> Result<(Adjacency, Vec<u32>)> {
    let edges = edges.mirrored(options.symmetrise).loops(options.keep_loops);
    let by_row = csr(edges, false);
    let Lists { degrees, targets, rows, groups } = match options.parallel {
        Parallel::Greatest => with_weights!(weights, none => lists(&by_row, One, &|_, _| false),
            w => lists(&by_row, One, &|a, b| w[a as usize] > w[b as usize])),
        Parallel::Least => with_weights!(weights, none => lists(&by_row, One, &|_, _| false),
            w => lists(&by_row, One, &|a, b| w[a as usize] < w[b as usize])),
        // Parallel edges stand in the order of their weights, as everywhere.
        Parallel::Keep => with_weights!(weights, none => lists(&by_row, All, &|_, _| false),
            w => lists(&by_row, All, &|a, b| w[a as usize] < w[b as usize])),
        Parallel::First => lists(&by_row, One, &|_, _| false),
        Parallel::Sum => lists(&by_row, Groups, &|_, _| false),
    };
    let weights = match options.parallel {
        Parallel::Sum => sums(weights, &groups)?,
        _ => picked(weights, rows.len(), |at| rows[at] as usize),
    };
    Ok((Adjacency::from_parts(Offsets::from_degrees(&degrees), targets.into(), weights), rows))
}

/// The weights at these places.
fn picked(weights: &Weights, count: usize, at: impl Fn(usize) -> usize + Sync) -> Weights {
    fn pick<W: Weight>(weights: &[W], count: usize, at: impl Fn(usize) -> usize + Sync) -> Weights {
        W::wrap(parallel::list(count, |edge| weights[at(edge)]))
    }
    with_weights!(weights, none => Weights::None, w => pick(w, count, at))
}

/// Which of parallel edges [`lists`] returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    One,
    All,
    /// The first, with the rows of all.
    Groups,
}
use Chosen::{All, Groups, One};

/// Neighbour lists one after another.
#[derive(Default)]
struct Lists {
    degrees: Vec<u32>,
    targets: Vec<u32>,
    rows: Vec<u32>,
    /// The rows of each edge, where they are asked for.
    groups: Vec<Box<[u32]>>,
}

/// The lists of an adjacency whose weights are rows, with of parallel edges the first one by `precedes`, or all of them
/// in this order. Rows that do not precede each other stand in ascending order.
fn lists(by_row: &Adjacency, chosen: Chosen, precedes: &(dyn Fn(u32, u32) -> bool + Sync)) -> Lists {
    let parts = parallel::pieces(by_row.vertices(), PIECE, |vertices| {
        let mut part = Lists::default();
        for v in vertices {
            let (targets, rows) = (by_row.neighbours(v as u32), by_row.weights_of::<i32>(v as u32));
            let before = part.targets.len();
            let mut begin = 0;
            while begin < targets.len() {
                let same = targets[begin..].iter().take_while(|&&target| target == targets[begin]).count();
                part.take(chosen, targets[begin], &rows[begin..begin + same], precedes);
                begin += same;
            }
            part.degrees.push((part.targets.len() - before) as u32);
        }
        part
    });
    let mut all = Lists::default();
    for part in parts {
        all.degrees.extend(part.degrees);
        all.targets.extend(part.targets);
        all.rows.extend(part.rows);
        all.groups.extend(part.groups);
    }
    all
}

impl Lists {
    /// Takes the parallel edges to a target, whose rows ascend.
    fn take(&mut self, chosen: Chosen, target: u32, rows: &[i32], precedes: &(dyn Fn(u32, u32) -> bool + Sync)) {
        let mut rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        match chosen {
            One => {
                let best = rows.into_iter().reduce(|best, row| if precedes(row, best) { row } else { best });
                self.rows.extend(best);
            }
            All => {
                rows.sort_by(|&a, &b| precedes(b, a).cmp(&precedes(a, b)));
                self.rows.extend(rows);
            }
            Groups => {
                self.rows.extend(rows.first());
                self.groups.push(rows.into_boxed_slice());
            }
        }
        self.targets.resize(self.rows.len(), target);
    }
}

/// The sums of the weights of rows, in the narrowest type of 32 or 64 bits that holds all of them exactly; the numbers
/// of rows where there are no weights.
fn sums(weights: &Weights, groups: &[Box<[u32]>]) -> Result<Weights> {
    let whole = |weight: &(dyn Fn(u32) -> i64 + Sync)| -> Result<Weights> {
        let sum = |group: &[u32]| group.iter().try_fold(0i64, |sum, &row| sum.checked_add(weight(row)));
        let sums: Option<Vec<i64>> = groups.iter().map(|group| sum(group)).collect();
        let sums = sums.ok_or_else(|| {
            GraphError::Malformed("the weights of parallel edges add up to more than 64 bits hold".into())
        })?;
        let narrow: Option<Vec<i32>> = sums.iter().map(|&sum| i32::try_from(sum).ok()).collect();
        Ok(narrow.map_or_else(|| i64::wrap(sums), i32::wrap))
    };
    let real = |weight: &(dyn Fn(u32) -> f64 + Sync)| {
        let sums: Vec<f64> = parallel::map(groups.len(), |at| groups[at].iter().map(|&row| weight(row)).sum());
        match sums.iter().all(|&sum| f64::from(sum as f32) == sum) {
            true => f32::wrap(sums.iter().map(|&sum| sum as f32).collect()),
            false => f64::wrap(sums),
        }
    };
    Ok(match weights {
        Weights::None => whole(&|_| 1)?,
        Weights::Int(weights) => whole(&|row| i64::from(weights[row as usize]))?,
        Weights::Int64(weights) => whole(&|row| weights[row as usize])?,
        Weights::Float(weights) => real(&|row| f64::from(weights[row as usize])),
        Weights::Double(weights) => real(&|row| weights[row as usize]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Cells, Kind};

    fn table(rows: &[i64]) -> Arc<Table> {
        let mut cells = Cells::new(Kind::Int);
        rows.iter().for_each(|&value| cells.push_int(value));
        Arc::new(Table { rows: rows.len(), columns: vec![Cells::column("c", vec![cells])], others: Vec::new() })
    }

    /// Two parallel edges 0-1, one 1-0, one 1-2 and a loop.
    fn graph(parallel: Parallel, symmetrise: bool) -> Graph {
        let triples = [(0, 1, 5), (1, 2, 7), (0, 1, 3), (1, 0, 9), (2, 2, 1)];
        let options = BuildOptions { parallel, symmetrise, ..BuildOptions::default() };
        build_rows(EdgeList::<i32>::from_triples(3, triples), Some(table(&[10, 11, 12, 13, 14])), &options).unwrap()
    }

    fn rows(graph: &Graph) -> Vec<u32> {
        graph.edge_columns().unwrap().row_of.to_vec()
    }

    fn weights(graph: &Graph) -> Vec<i32> {
        <i32 as Weight>::slice(graph.out().weights()).unwrap().to_vec()
    }

    #[test]
    fn of_parallel_edges_the_one_that_was_asked_for_stays() {
        for (parallel, expected_rows, expected_weights) in [
            (Parallel::Least, vec![2, 3, 1], vec![3, 9, 7]),
            (Parallel::Greatest, vec![0, 3, 1], vec![5, 9, 7]),
            (Parallel::First, vec![0, 3, 1], vec![5, 9, 7]),
            (Parallel::Sum, vec![0, 3, 1], vec![8, 9, 7]),
            (Parallel::Keep, vec![2, 0, 3, 1], vec![3, 5, 9, 7]),
        ] {
            let graph = graph(parallel, false);
            assert_eq!((rows(&graph), weights(&graph)), (expected_rows, expected_weights), "{parallel:?}");
        }
        let graph = graph(Parallel::Sum, true);
        assert_eq!((rows(&graph), weights(&graph)), (vec![0, 0, 1, 1], vec![17, 17, 7, 7]));
        assert!(graph.is_symmetric());
    }

    #[test]
    fn rows_stay_with_their_edges() {
        let graph = graph(Parallel::Keep, false);
        let undirected = graph.symmetrised().unwrap();
        assert_eq!(undirected.edge_columns().map(|columns| columns.row_of.len()), Some(undirected.edges()));
        let reordered = undirected.try_reordered(&crate::Reorder::DegreeAscending).unwrap();
        // Vertex 2 has become 0 or 1; its only edge, to what was vertex 1, is of row 1.
        let ids = undirected.new_ids(&crate::Reorder::DegreeAscending);
        let at = reordered.out().range(ids[2]).start;
        assert_eq!((rows(&reordered)[at], weights(&reordered)[at]), (1, 7));
    }

    #[test]
    fn sums_of_reals_and_of_edges_without_weights() {
        let options = BuildOptions { parallel: Parallel::Sum, ..BuildOptions::default() };
        let count = build_rows(EdgeList::from_pairs(2, vec![(0, 1), (0, 1), (1, 0)]), None, &options).unwrap();
        assert_eq!(weights(&count), [2, 1]);
        let tenths = [(0, 1, 0.1f64), (0, 1, 0.2)];
        let sums = build_rows(EdgeList::from_triples(2, tenths), None, &options).unwrap();
        assert_eq!(sums.out().weights().real(0), Some(0.1 + 0.2));
        let large = EdgeList::<i64>::from_triples(2, [(0, 1, i64::MAX), (0, 1, 1)]);
        assert!(build_rows(large, None, &options).unwrap_err().to_string().contains("add up to more than 64 bits"));
    }
}
