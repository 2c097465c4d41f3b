//! `.gfu` and `.gfd`: `#name`, the number of nodes, a label per line, the number of edges, and a line `u v` per edge,
//! nodes counted from 0. Some files list each undirected edge once, some in both directions: both mean the same here.

use super::{lines, shown};
use crate::labels::Labels;
use crate::{LabelledGraph, PatternError, Result};

/// Reads the text of one graph.
pub fn parse(text: &str, labels: &mut Labels) -> Result<LabelledGraph> {
    let mut lines = lines(text);
    let mut last = 0;
    // What is expected is put into words only where it is missing.
    let mut next = |wanted: &dyn Fn() -> String| {
        let found = lines
            .next()
            .ok_or_else(|| PatternError::text(last + 1, format!("the text ends where {} is expected", wanted())))?;
        last = found.0;
        Ok::<_, PatternError>(found)
    };
    // 1. The name.
    let (line, name) = next(&|| "the name of the graph, a line that begins with #".to_owned())?;
    let name = name.strip_prefix('#').ok_or_else(|| {
        let message =
            format!("{} stands where the name of the graph is expected, a line that begins with #", shown(name));
        PatternError::text(line, message)
    })?;
    // 2. The labels. Nothing is allocated by the number in the header, which may be anything.
    let nodes = number(next(&|| "the number of nodes".to_owned())?, "the number of nodes")?;
    let mut node_labels = Vec::new();
    for node in 0..nodes {
        let (_, label) = next(&|| format!("the label of node {node} of {nodes}"))?;
        node_labels.push(labels.intern(label));
    }
    // 3. The edges.
    let count = number(next(&|| "the number of edges".to_owned())?, "the number of edges")?;
    let mut edges = Vec::new();
    for edge in 0..count {
        let (line, text) = next(&|| format!("edge {} of {count}", edge + 1))?;
        edges.push(pair(text, nodes).map_err(|message| PatternError::text(line, message))?);
    }
    if let Ok((line, text)) = next(&String::new) {
        let message = format!("{} follows the last of {count} edges: a file holds one graph", shown(text));
        return Err(PatternError::text(line, message));
    }
    Ok(LabelledGraph::new(node_labels, &edges)?.with_name(name.trim()))
}

fn number((line, text): (usize, &str), what: &str) -> Result<usize> {
    text.parse().map_err(|_| PatternError::text(line, format!("{} is not {what}", shown(text))))
}

/// The two nodes of an edge.
fn pair(text: &str, nodes: usize) -> std::result::Result<(u32, u32), String> {
    let mut parts = text.split_whitespace();
    let (Some(u), Some(v), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err(format!("{} is no edge: two nodes are expected, such as `0 1`", shown(text)));
    };
    let node = |text: &str| match text.parse::<u32>() {
        Ok(node) if (node as usize) < nodes => Ok(node),
        Ok(node) => Err(format!("node {node} does not exist: the {nodes} nodes count from 0")),
        Err(_) => Err(format!("{} is no node: a number below {nodes} is expected", shown(text))),
    };
    Ok((node(u)?, node(v)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text, &mut Labels::default()).unwrap_err().to_string()
    }

    #[test]
    fn edges_listed_once_or_twice_mean_the_same() {
        let mut labels = Labels::default();
        let once = parse("#net\n3\nA\nB b\nA\n2\n0 1\n1 2\n", &mut labels).unwrap();
        let twice = parse("#net\r\n3\r\nA\r\nB b\r\nA\r\n4\r\n0 1\r\n1 0\r\n2 1\r\n1 2\r\n", &mut labels).unwrap();
        assert_eq!(once, twice);
        assert_eq!((once.name(), once.edges(), labels.text(once.label(1))), ("net", 2, "B b"));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        assert!(refused("").starts_with("line 1: the text ends where the name"));
        assert!(refused("net\n3").starts_with("line 1: `net` stands where the name"));
        assert_eq!(refused("#n\nmany"), "line 2: `many` is not the number of nodes");
        assert_eq!(refused("#n\n2\nA\n"), "line 4: the text ends where the label of node 1 of 2 is expected");
        assert!(refused("#n\n2\nA\nB\n1\n0 2").starts_with("line 6: node 2 does not exist"));
        assert!(refused("#n\n2\nA\nB\n1\n0 1 7").starts_with("line 6: `0 1 7` is no edge"));
        assert!(refused("#n\n1\nA\n0\n#m\n").contains("a file holds one graph"));
        assert!(refused("#n\n99999999999999\nA\n").contains("the label of node 1 of"));
    }
}
