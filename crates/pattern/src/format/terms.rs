//! Terms of target nodes, such as the GO terms of proteins: a line `NODE TERM` per pair, divided by a comma, a
//! tabulator or spaces. A node may have any number of terms; `#` begins a comment.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::node_labels::split;
use super::{lines, read_text, shown};
use crate::labels::Labels;
use crate::{LabelledGraph, PatternError, Result};

/// The terms of every node of a target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    of_node: Vec<Vec<u32>>,
    nodes_with: FxHashMap<u32, u64>,
}

impl Terms {
    /// The terms of every node, as numbers.
    pub fn new(mut of_node: Vec<Vec<u32>>) -> Terms {
        let mut nodes_with: FxHashMap<u32, u64> = FxHashMap::default();
        for terms in &mut of_node {
            terms.sort_unstable();
            terms.dedup();
            terms.iter().for_each(|&term| *nodes_with.entry(term).or_default() += 1);
        }
        Terms { of_node, nodes_with }
    }

    /// The labels of a target taken as terms: every node has one.
    pub fn from_labels(target: &LabelledGraph) -> Terms {
        Terms::new(target.labels().iter().map(|&label| vec![label]).collect())
    }

    /// The terms of a node, ascending, as numbers of the table of labels they were read with.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.of_node[node as usize]
    }

    /// Number of nodes, with terms or without.
    pub fn nodes(&self) -> usize {
        self.of_node.len()
    }

    /// How many nodes have a term.
    pub fn nodes_with(&self, term: u32) -> u64 {
        self.nodes_with.get(&term).copied().unwrap_or(0)
    }
}

/// Reads the terms of the nodes of a target.
pub fn read(path: &Path, target: &LabelledGraph, names: &mut Labels) -> Result<Terms> {
    parse(&read_text(path)?, target, names).map_err(|error| error.in_file(path))
}

/// Reads a text with the terms of the nodes of a target.
pub fn parse(text: &str, target: &LabelledGraph, names: &mut Labels) -> Result<Terms> {
    let mut of_node = vec![Vec::new(); target.nodes()];
    let nodes = target.node_numbers();
    for (line, text) in lines(text).filter(|(_, text)| !text.starts_with('#')) {
        let refuse = |message: String| PatternError::text(line, message);
        let (node, term) = split(text).ok_or_else(|| refuse(format!("{} is not `NODE TERM`", shown(text))))?;
        let Some(node) = nodes.find(node) else {
            return Err(refuse(format!("the target has no node {}", shown(node))));
        };
        of_node[node as usize].push(names.intern(term));
    }
    Ok(Terms::new(of_node))
}
