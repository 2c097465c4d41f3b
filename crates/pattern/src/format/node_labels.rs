//! Labels for a graph of any format: a line `VERTEX LABEL` per vertex, divided by a comma, a tabulator or spaces. The
//! vertex is called as in the graph's own file; `#` begins a comment.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{lines, read_text, shown};
use crate::labels::{LabelId, Labels};
use crate::{PatternError, Result};

/// Reads the labels of all vertices of a graph.
pub fn read(path: &Path, graph: &gw_graph::Graph, labels: &mut Labels) -> Result<Vec<LabelId>> {
    parse(&read_text(path)?, graph, labels).map_err(|error| error.in_file(path))
}

/// Reads a text with a label for every vertex.
pub fn parse(text: &str, graph: &gw_graph::Graph, labels: &mut Labels) -> Result<Vec<LabelId>> {
    let mut found: Vec<Option<LabelId>> = vec![None; graph.vertices()];
    // Names are asked for one after the other, so that all of them are put in a table once.
    let by_name: Option<FxHashMap<String, u32>> =
        graph.names().map(|names| names.iter().map(|name| name.to_string()).zip(0..).collect());
    let mut last = 0;
    for (line, text) in lines(text).filter(|(_, text)| !text.starts_with('#')) {
        last = line;
        let refuse = |message: String| PatternError::text(line, message);
        let (vertex, label) = split(text).ok_or_else(|| refuse(format!("{} is not `VERTEX LABEL`", shown(text))))?;
        let index = match (&by_name, graph.names()) {
            // A number may be written in another way than the graph's own file has it, such as 007.
            (Some(by_name), Some(names)) => by_name.get(vertex).copied().or_else(|| names.find(vertex)),
            _ => vertex.parse().ok().filter(|&v: &u32| (v as usize) < graph.vertices()),
        };
        let Some(index) = index else {
            return Err(refuse(format!("the graph has no vertex {}", shown(vertex))));
        };
        if found[index as usize].replace(labels.intern(label)).is_some() {
            return Err(refuse(format!("vertex {} has a label already", shown(vertex))));
        }
    }
    let named = |vertex: usize| match graph.names() {
        Some(names) => names.get(vertex as u32).to_string(),
        None => vertex.to_string(),
    };
    let missing = |vertex: usize| PatternError::text(last, format!("vertex {} has no label", named(vertex)));
    found.iter().enumerate().map(|(vertex, label)| label.ok_or_else(|| missing(vertex))).collect()
}

/// A line as two texts: at its first comma or tabulator, else at its first space.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let (left, right) = text.split_once([',', '\t']).or_else(|| text.split_once(char::is_whitespace))?;
    let (left, right) = (left.trim(), right.trim());
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_gets_one_label() {
        let spec = gw_graph::GraphSpec::parse("path:3").unwrap();
        let graph = spec.load(&gw_graph::progress::Silent).unwrap().graph;
        let mut labels = Labels::default();
        assert_eq!(parse("# x\n1,b\n0 a a\n2\tb\n", &graph, &mut labels).unwrap(), [1, 0, 0].map(|l| l));
        let mut refused = |text: &str| parse(text, &graph, &mut labels).unwrap_err().to_string();
        assert_eq!(refused("0 a\n1 b"), "line 2: vertex 2 has no label");
        assert_eq!(refused("0 a\n0 b"), "line 2: vertex `0` has a label already");
        assert_eq!(refused("3 a"), "line 1: the graph has no vertex `3`");
        assert_eq!(refused("3"), "line 1: `3` is not `VERTEX LABEL`");
    }
}
