//! Graphs whose edges a program changes: `edges.insert(batch)` and `edges.delete(batch)`.
//!
//! Every change makes a new graph with an identity of its own. What belongs to a graph by its identity (derived forms,
//! what machines keep of it) thus stays true, and other names of the graph before keep that version. Both have most
//! lists in common: the graph of the last change is kept as blocks ([`gw_dynamic`]), so that the next change of it
//! costs its own edges and a few words per vertex, not a copy of all edges.

use std::collections::VecDeque;
use std::sync::Arc;

use gw_dynamic::{Batch, Change, DynamicGraph, EdgeWeight, Ends};
use gw_graph::{BuildOptions, EdgeList, Graph, GraphId, Weight, WeightKind, build, with_weight_type};
use rustc_hash::FxHashMap;

use crate::edge_change::EdgeChange;
use crate::error::{ErrorKind, Result};

/// Graphs that are kept as blocks at a time. A program changes one or two by turns.
const KEPT: usize = 4;

/// The graphs that a run has changed, as they are after their last change.
#[derive(Default)]
pub(crate) struct Changing {
    kept: VecDeque<(GraphId, Blocks)>,
}

/// A graph in blocks, by its weights.
enum Blocks {
    None(DynamicGraph<()>),
    Int(DynamicGraph<i32>),
    Float(DynamicGraph<f32>),
    Int64(DynamicGraph<i64>),
    Double(DynamicGraph<f64>),
}

/// Runs an expression with a graph in blocks, whatever the type of its weights.
macro_rules! with_blocks {
    ($blocks:expr, $graph:ident => $body:expr) => {
        match $blocks {
            Blocks::None($graph) => $body,
            Blocks::Int($graph) => $body,
            Blocks::Float($graph) => $body,
            Blocks::Int64($graph) => $body,
            Blocks::Double($graph) => $body,
        }
    };
}

impl Changing {
    /// The graph with the edges of a batch, or without them, and the edges that it has otherwise than before, sorted.
    /// `weighed`: the program sees weights.
    pub(crate) fn change(
        &mut self,
        graph: &Arc<Graph>,
        batch: &Graph,
        inserts: bool,
        weighed: bool,
    ) -> Result<(Arc<Graph>, Vec<EdgeChange>)> {
        if batch.edges() == 0 {
            return Ok((Arc::clone(graph), Vec::new()));
        }
        let kind = match (weighed, graph.weight_kind(), batch.weight_kind()) {
            (false, ..) => WeightKind::None,
            (true, kind, of_batch) if inserts => joint(kind, of_batch),
            (true, kind, _) => kind,
        };
        let is_mirrored = batch.is_symmetric() || batch.out().is_symmetric();
        let ends = if graph.is_symmetric() && is_mirrored { Ends::Undirected } else { Ends::Directed };
        let known = self.kept.iter().position(|(id, _)| *id == graph.id());
        let known = known.and_then(|at| self.kept.remove(at)).filter(|(_, blocks)| blocks.are(kind, ends));
        let mut blocks = match known {
            Some((_, blocks)) => blocks,
            None => Blocks::of(graph, kind, ends)?,
        };
        let vertices = vertices_of(graph, batch)?;
        let (made, changes) = with_blocks!(&mut blocks, of => changed(of, graph, batch, &vertices, inserts)?);
        let made = Arc::new(made.with_names(graph.names().cloned()));
        self.kept.push_back((made.id(), blocks));
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
        Ok((made, changes))
    }
}

/// The type of weights that holds those of a graph and those of a batch: reals where one has reals, 64 bits where one
/// has 64.
fn joint(graph: WeightKind, batch: WeightKind) -> WeightKind {
    let is_wide = graph.bytes() > 4 || batch.bytes() > 4;
    match (graph, graph.is_real() || batch.is_real(), is_wide) {
        // Without weights in the batch, its first edge is refused.
        (WeightKind::None, ..) => WeightKind::None,
        (_, true, true) => WeightKind::Double,
        (_, true, false) => WeightKind::Float,
        (_, false, true) => WeightKind::Int64,
        (_, false, false) => WeightKind::Int,
    }
}

impl Blocks {
    fn of(graph: &Graph, kind: WeightKind, ends: Ends) -> Result<Blocks> {
        Ok(match kind {
            WeightKind::None => Blocks::None(taken_over(graph, ends)?),
            WeightKind::Int => Blocks::Int(taken_over(graph, ends)?),
            WeightKind::Float => Blocks::Float(taken_over(graph, ends)?),
            WeightKind::Int64 => Blocks::Int64(taken_over(graph, ends)?),
            WeightKind::Double => Blocks::Double(taken_over(graph, ends)?),
        })
    }

    fn are(&self, kind: WeightKind, ends: Ends) -> bool {
        fn kind_of<W: EdgeWeight>(_: &DynamicGraph<W>) -> WeightKind {
            W::KIND
        }
        with_blocks!(self, blocks => (kind, ends) == (kind_of(blocks), blocks.ends()))
    }
}

/// The graph in blocks, with weights of this kind.
fn taken_over<W: StoredWeight>(graph: &Graph, ends: Ends) -> Result<DynamicGraph<W>> {
    if graph.weight_kind() == W::KIND {
        return Ok(DynamicGraph::from_graph(graph, ends)?);
    }
    let mut triples = Vec::with_capacity(graph.edges());
    for source in 0..graph.vertices() as u32 {
        for (at, &target) in graph.out().neighbours(source).iter().enumerate() {
            triples.push((source, target, W::stored(graph, source, at)?));
        }
    }
    let edges = EdgeList::<W>::from_triples(graph.vertices(), triples);
    let options = BuildOptions { keep_loops: true, parallel: gw_graph::Parallel::Keep, ..BuildOptions::default() };
    Ok(DynamicGraph::from_graph(&build(edges, &options)?, ends)?)
}

/// The graph after a batch. `vertices` are those of the batch as the graph numbers them.
fn changed<W: StoredWeight>(
    blocks: &mut DynamicGraph<W>,
    graph: &Graph,
    batch: &Graph,
    vertices: &Numbers,
    inserts: bool,
) -> Result<(Graph, Vec<EdgeChange>)> {
    let mut changes = Batch::new();
    for source in 0..batch.vertices() as u32 {
        let targets = batch.out().neighbours(source);
        let from = match targets {
            [] => continue,
            _ => vertices.number(source, graph, batch)?,
        };
        for (at, &target) in targets.iter().enumerate() {
            // An undirected edge is changed from one end.
            if blocks.ends() == Ends::Undirected && source > target {
                continue;
            }
            let change = if inserts { Change::Insert(W::stored(batch, source, at)?) } else { Change::Delete };
            changes.push(from, vertices.number(target, graph, batch)?, change);
        }
    }
    let applied = blocks.apply(&changes)?.changes;
    let change = |edge: &gw_dynamic::ChangedEdge<W>| EdgeChange {
        source: edge.source,
        target: edge.target,
        weight: edge.new_bits(),
    };
    Ok((blocks.snapshot().graph()?, applied.iter().map(change).collect()))
}

/// The numbers that vertices of a batch have in the graph.
enum Numbers {
    /// Both number them alike.
    Same(usize),
    /// By vertex of the batch; `None` where the graph has no such vertex.
    Of(Vec<Option<u32>>),
}

impl Numbers {
    fn number(&self, vertex: u32, graph: &Graph, batch: &Graph) -> Result<u32> {
        let number = match self {
            Numbers::Same(vertices) => ((vertex as usize) < *vertices).then_some(vertex),
            Numbers::Of(numbers) => numbers.get(vertex as usize).copied().flatten(),
        };
        let name = || batch.names().map_or_else(|| vertex.to_string(), |names| names.get(vertex).to_string());
        Ok(number.ok_or_else(|| ErrorKind::VertexOfBatch { vertex: name(), vertices: graph.vertices() })?)
    }
}

/// Vertices are the same where their files give them the same id.
fn vertices_of(graph: &Graph, batch: &Graph) -> Result<Numbers> {
    let (own, others) = (graph.names(), batch.names());
    let alike = match (own, others) {
        (None, None) => true,
        (Some(own), Some(others)) => Arc::ptr_eq(own, others),
        _ => false,
    };
    if alike {
        return Ok(Numbers::Same(graph.vertices()));
    }
    let known: Option<FxHashMap<String, u32>> =
        own.map(|names| names.iter().zip(0..).map(|(name, vertex)| (name.to_string(), vertex)).collect());
    let number = |id: String| match &known {
        Some(known) => known.get(&id).copied(),
        None => id.parse().ok().filter(|&vertex: &u32| (vertex as usize) < graph.vertices()),
    };
    let ids = 0..batch.vertices() as u32;
    let id = |vertex: u32| others.map_or_else(|| vertex.to_string(), |names| names.get(vertex).to_string());
    Ok(Numbers::Of(ids.map(|vertex| number(id(vertex))).collect()))
}

/// A weight as a graph in blocks stores it.
trait StoredWeight: EdgeWeight {
    /// The weight of the edge at a position of a list.
    fn stored(graph: &Graph, source: u32, at: usize) -> Result<Self>;
}

impl StoredWeight for () {
    fn stored(_: &Graph, _: u32, _: usize) -> Result<()> {
        Ok(())
    }
}

macro_rules! stored_weight {
    ($($type:ty),*) => {
        $(impl StoredWeight for $type {
            fn stored(graph: &Graph, source: u32, at: usize) -> Result<$type> {
                with_weight_type!(graph.weight_kind(), F => {
                    let from: F = weight(graph, source, at)?;
                    let stored = from.real() as $type;
                    // 64-bit integers have more digits than reals, through which weights of other types come.
                    let stored = match (from.bits(), F::KIND) {
                        (Some(bits), WeightKind::Int64) => bits as i64 as $type,
                        _ => stored,
                    };
                    let is_same = match F::KIND {
                        WeightKind::Int64 => stored as i128 == from.bits().unwrap_or(0) as i64 as i128,
                        _ => stored.real() == from.real(),
                    };
                    match is_same {
                        true => Ok(stored),
                        false => Err(ErrorKind::WeightOfBatch { weight: format!("{from:?}"), kind: Self::KIND }.into()),
                    }
                })
            }
        })*
    };
}

stored_weight!(i32, f32, i64, f64);

fn weight<W: Weight>(graph: &Graph, source: u32, at: usize) -> Result<W> {
    let found = graph.out().weights_of::<W>(source).get(at).copied();
    Ok(found.ok_or_else(|| ErrorKind::Unweighted { graph: "the batch".to_string() })?)
}
