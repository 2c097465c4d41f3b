//! Undirected graphs with a label on every node: sorted neighbour lists without loops and without repeated edges.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::labels::LabelId;
use crate::{PatternError, Result};

/// An undirected graph with labelled nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledGraph {
    name: String,
    labels: Vec<LabelId>,
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
    node_names: Option<Vec<String>>,
}

impl LabelledGraph {
    /// A graph of as many nodes as labels. Each edge may be listed in one direction or in both; loops are dropped.
    ///
    /// [`PatternError::Argument`] when an edge names a node that does not exist, or where nodes are too many to number.
    pub fn new(labels: Vec<LabelId>, edges: &[(u32, u32)]) -> Result<LabelledGraph> {
        let nodes = labels.len();
        if nodes > gw_graph::MAX_VERTICES {
            return Err(gw_graph::GraphError::TooManyVertices(nodes as u64).into());
        }
        if let Some(&(u, v)) = edges.iter().find(|(u, v)| *u as usize >= nodes || *v as usize >= nodes) {
            return Err(PatternError::Argument(format!("edge {u} {v}: the graph has only the nodes 0 to {}", {
                nodes as i64 - 1
            })));
        }
        let edges = || edges.iter().filter(|(u, v)| u != v);
        let mut offsets = vec![0; nodes + 1];
        for &(u, v) in edges() {
            offsets[u as usize + 1] += 1;
            offsets[v as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut ends = offsets.clone();
        let mut neighbours = vec![0; offsets[nodes]];
        for &(u, v) in edges() {
            for (from, to) in [(u, v), (v, u)] {
                neighbours[ends[from as usize]] = to;
                ends[from as usize] += 1;
            }
        }
        lists(&offsets, &mut neighbours).into_par_iter().for_each(|list| list.sort_unstable());
        // Edges that were listed more than once go; lists move up to where they have room.
        let mut kept = 0;
        for node in 0..nodes {
            let (from, to) = (offsets[node], offsets[node + 1]);
            offsets[node] = kept;
            for at in from..to {
                if at == from || neighbours[at] != neighbours[at - 1] {
                    neighbours[kept] = neighbours[at];
                    kept += 1;
                }
            }
        }
        offsets[nodes] = kept;
        neighbours.truncate(kept);
        Ok(LabelledGraph { name: String::new(), labels, offsets, neighbours, node_names: None })
    }

    /// The edges of a graph of any kind, taken as undirected, with labels; vertices keep their names.
    pub fn from_graph(graph: &gw_graph::Graph, labels: Vec<LabelId>) -> Result<LabelledGraph> {
        if labels.len() != graph.vertices() {
            let message = format!("{} labels for a graph of {} vertices", labels.len(), graph.vertices());
            return Err(PatternError::Argument(message));
        }
        let edges: Vec<(u32, u32)> =
            (0..graph.vertices() as u32).flat_map(|u| graph.out().neighbours(u).iter().map(move |&v| (u, v))).collect();
        let mut made = LabelledGraph::new(labels, &edges)?;
        made.node_names = graph.names().map(|names| names.iter().map(|name| name.to_string()).collect());
        Ok(made)
    }

    /// The same graph with a name.
    pub fn with_name(mut self, name: impl Into<String>) -> LabelledGraph {
        self.name = name.into();
        self
    }

    /// The same graph with the names of another and of its nodes.
    pub(crate) fn named_as(mut self, other: &LabelledGraph) -> LabelledGraph {
        assert_eq!(other.nodes(), self.nodes(), "a name per node");
        (self.name, self.node_names) = (other.name.clone(), other.node_names.clone());
        self
    }

    /// The same graph with a name for every node.
    pub(crate) fn with_node_names(mut self, names: Vec<String>) -> LabelledGraph {
        assert_eq!(names.len(), self.nodes(), "a name per node");
        self.node_names = Some(names);
        self
    }

    /// The name that the file gives, or nothing.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.labels.len()
    }

    /// Number of undirected edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The label of a node.
    #[inline]
    pub fn label(&self, node: u32) -> LabelId {
        self.labels[node as usize]
    }

    /// The labels of all nodes.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// The neighbours of a node, ascending.
    #[inline]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }

    /// Number of neighbours.
    #[inline]
    pub fn degree(&self, node: u32) -> usize {
        self.offsets[node as usize + 1] - self.offsets[node as usize]
    }

    /// Where the neighbours of each node begin, and the number of all of them at the end.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The neighbours of all nodes, one list after the other.
    pub fn all_neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// Whether two nodes are neighbours.
    #[inline]
    pub fn has_edge(&self, u: u32, v: u32) -> bool {
        let (list, wanted) = if self.degree(u) <= self.degree(v) { (u, v) } else { (v, u) };
        self.neighbours(list).binary_search(&wanted).is_ok()
    }

    /// Every undirected edge once, the smaller node first.
    pub fn edge_list(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.nodes() as u32).flat_map(|u| self.neighbours(u).iter().filter(move |&&v| u < v).map(move |&v| (u, v)))
    }

    /// What a person calls a node: its name, or its number.
    pub fn node_name(&self, node: u32) -> String {
        match &self.node_names {
            Some(names) => names[node as usize].clone(),
            None => node.to_string(),
        }
    }

    /// The nodes by what a person calls them.
    pub fn node_numbers(&self) -> NodeNumbers<'_> {
        let names = self.node_names.as_ref();
        let by_name = names.map(|names| names.iter().map(String::as_str).zip(0..).collect());
        NodeNumbers { nodes: self.nodes(), by_name }
    }
}

/// The nodes of a graph by what a person calls them: their names, or their numbers where they have none.
#[derive(Debug, Clone)]
pub struct NodeNumbers<'a> {
    nodes: usize,
    by_name: Option<FxHashMap<&'a str, u32>>,
}

impl NodeNumbers<'_> {
    /// The node that a person calls so; the first of several.
    pub fn find(&self, name: &str) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => by_name.get(name).copied(),
            None => name.parse().ok().filter(|&node: &u32| (node as usize) < self.nodes),
        }
    }
}

/// The lists of all nodes, each to be changed on its own.
fn lists<'n>(offsets: &[usize], mut neighbours: &'n mut [u32]) -> Vec<&'n mut [u32]> {
    let mut lists = Vec::with_capacity(offsets.len());
    for pair in offsets.windows(2) {
        let (list, rest) = std::mem::take(&mut neighbours).split_at_mut(pair[1] - pair[0]);
        lists.push(list);
        neighbours = rest;
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_kept_once_in_both_directions() {
        let graph = LabelledGraph::new(vec![0, 1, 0], &[(0, 1), (1, 0), (2, 1), (1, 1), (2, 1)]).unwrap();
        assert_eq!((graph.nodes(), graph.edges()), (3, 2));
        assert_eq!(graph.neighbours(1), [0, 2]);
        assert!(graph.has_edge(1, 2) && graph.has_edge(2, 1) && !graph.has_edge(0, 2) && !graph.has_edge(1, 1));
        assert_eq!(graph.edge_list().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn edges_to_nowhere_are_refused() {
        let error = LabelledGraph::new(vec![0, 1], &[(0, 2)]).unwrap_err();
        assert_eq!(error.to_string(), "edge 0 2: the graph has only the nodes 0 to 1");
    }
}
