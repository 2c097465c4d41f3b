//! Terms of target nodes, such as the GO terms of proteins: a line `NODE TERM` per pair, divided by a comma, a
//! tabulator or spaces. A node may have any number of terms; `#` begins a comment.

use std::path::Path;

use super::node_labels::split;
use super::{lines, read_text, shown};
use crate::labels::Labels;
use crate::{LabelledGraph, PatternError, Result};

/// The terms of every node of a target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// The terms of each node, ascending, as numbers of the table of labels they were read with.
    pub of_node: Vec<Vec<u32>>,
}

impl Terms {
    /// The labels of a target taken as terms: every node has one.
    pub fn from_labels(target: &LabelledGraph) -> Terms {
        Terms { of_node: target.labels().iter().map(|&label| vec![label]).collect() }
    }
}

/// Reads the terms of the nodes of a target.
pub fn read(path: &Path, target: &LabelledGraph, names: &mut Labels) -> Result<Terms> {
    parse(&read_text(path)?, target, names).map_err(|error| error.in_file(path))
}

/// Reads a text with the terms of the nodes of a target.
pub fn parse(text: &str, target: &LabelledGraph, names: &mut Labels) -> Result<Terms> {
    let mut of_node = vec![Vec::new(); target.nodes()];
    for (line, text) in lines(text).filter(|(_, text)| !text.starts_with('#')) {
        let refuse = |message: String| PatternError::text(line, message);
        let (node, term) = split(text).ok_or_else(|| refuse(format!("{} is not `NODE TERM`", shown(text))))?;
        let Some(node) = target.find_node(node) else {
            return Err(refuse(format!("the target has no node {}", shown(node))));
        };
        of_node[node as usize].push(names.intern(term));
    }
    for terms in &mut of_node {
        terms.sort_unstable();
        terms.dedup();
    }
    Ok(Terms { of_node })
}
