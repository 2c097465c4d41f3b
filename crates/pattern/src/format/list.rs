//! `.lg`: a line `v NAME LABEL` per node and a line `e NAME NAME` per edge, in any order as long as nodes come before
//! their edges. Names are any texts without spaces; a label is the rest of its line. `#` begins a comment.

use rustc_hash::FxHashMap;

use super::{lines, shown};
use crate::labels::Labels;
use crate::{LabelledGraph, PatternError, Result};

/// Reads the text of one graph.
pub fn parse(text: &str, labels: &mut Labels) -> Result<LabelledGraph> {
    let mut nodes: FxHashMap<&str, u32> = FxHashMap::default();
    let (mut names, mut node_labels, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for (line, text) in lines(text).filter(|(_, text)| !text.starts_with('#')) {
        let refuse = |message: String| PatternError::text(line, message);
        let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match kind {
            "v" => {
                let (name, label) = rest
                    .trim()
                    .split_once(char::is_whitespace)
                    .ok_or_else(|| refuse(format!("{} is no node: `v NAME LABEL` is expected", shown(text))))?;
                if nodes.insert(name, names.len() as u32).is_some() {
                    return Err(refuse(format!("node {} appears a second time", shown(name))));
                }
                names.push(name.to_owned());
                node_labels.push(labels.intern(label.trim()));
            }
            "e" => {
                let mut ends = rest.split_whitespace();
                let (Some(u), Some(v), None) = (ends.next(), ends.next(), ends.next()) else {
                    return Err(refuse(format!("{} is no edge: `e NAME NAME` is expected", shown(text))));
                };
                let node = |name: &str| {
                    nodes.get(name).copied().ok_or_else(|| {
                        refuse(format!("node {} is unknown: a line `v {name} LABEL` must stand before", shown(name)))
                    })
                };
                edges.push((node(u)?, node(v)?));
            }
            _ => {
                let message = format!("{} is neither `v NAME LABEL` nor `e NAME NAME`", shown(text));
                return Err(refuse(message));
            }
        }
    }
    Ok(LabelledGraph::new(node_labels, &edges)?.with_node_names(names))
}

/// Writes a graph so that [`parse`] reads it.
pub fn print(graph: &LabelledGraph, labels: &Labels) -> String {
    let nodes = (0..graph.nodes() as u32)
        .map(|node| format!("v {} {}\n", graph.node_name(node), labels.text(graph.label(node))));
    let edges = graph.edge_list().map(|(u, v)| format!("e {} {}\n", graph.node_name(u), graph.node_name(v)));
    nodes.chain(edges).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_graph_is_read_back() {
        let mut labels = Labels::default();
        let text = "# two\nv a red hot\nv b blue\n\ne a b\n";
        let graph = parse(text, &mut labels).unwrap();
        assert_eq!(labels.text(graph.label(0)), "red hot");
        let nodes = graph.node_numbers();
        assert_eq!((nodes.find("b"), nodes.find("c")), (Some(1), None));
        assert_eq!(parse(&print(&graph, &labels), &mut labels).unwrap(), graph);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let refused = |text: &str| parse(text, &mut Labels::default()).unwrap_err().to_string();
        assert_eq!(refused("v a"), "line 1: `v a` is no node: `v NAME LABEL` is expected");
        assert_eq!(refused("v a x\nv a y"), "line 2: node `a` appears a second time");
        assert!(refused("v a x\ne a b").contains("node `b` is unknown"));
        assert!(refused("v a x\ne a").contains("is no edge"));
        assert!(refused("t # 0").contains("is neither"));
    }
}
