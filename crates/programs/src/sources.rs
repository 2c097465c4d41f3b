//! Several vertices to start from, each with a weight: `7`, `3,17=0.5`, or `@FILE` with a vertex and a weight per line.

use std::path::Path;

use gw_graph::vertex_values::{Kind, read};
use gw_graph::{Graph, GraphError, VertexId};

use crate::arguments::ArgumentError;
use crate::registry::{Arg, ArgKind};

/// The weight of every vertex; those that are not named have 0.
pub(crate) fn weights(text: &str, graph: &Graph) -> Result<Vec<f64>, GraphError> {
    let mut weights = vec![0.0; graph.vertices()];
    let kind = Kind { word: "a number", one: 1.0 };
    let parse = |word: &str| word.parse().ok().filter(|weight: &f64| weight.is_finite());
    read(text, graph, 1, kind, parse, |vertex, _, weight| weights[vertex as usize] = weight)?;
    Ok(weights)
}

/// Whether a text may name vertices, as far as that shows without the graph.
pub(crate) fn may_be(text: &str) -> bool {
    let is_entry = |entry: &str| {
        let (vertex, weight) = entry.split_once('=').unwrap_or((entry, "1"));
        let is_vertex = !vertex.trim().is_empty() && vertex.trim().bytes().all(|byte| byte.is_ascii_digit());
        is_vertex && weight.trim().parse::<f64>().is_ok()
    };
    match text.strip_prefix('@') {
        Some(path) => !path.is_empty(),
        None => text.split(',').all(is_entry),
    }
}

/// Whether a text names vertices of this graph, with values that suit the argument.
pub(crate) fn check(arg: &Arg, text: &str, graph: &Graph) -> Result<(), ArgumentError> {
    let bad = |problem| ArgumentError::Sources { name: arg.name.to_uppercase(), problem };
    let values = weights(text, graph).map_err(|error| bad(error.to_string()))?;
    let problem = match arg.kind {
        ArgKind::Numbers => no_number(&values, graph),
        _ => no_weight(&values, text, graph),
    };
    problem.map_or(Ok(()), |problem| Err(bad(problem)))
}

/// Why values are no numbers of communities: whole numbers below that of the vertices, or less than 0.
fn no_number(values: &[f64], graph: &Graph) -> Option<String> {
    let fits = |value: f64| value.fract() == 0.0 && value >= f64::from(i32::MIN) && value < values.len() as f64;
    let vertex = values.iter().position(|&value| !fits(value))?;
    let (value, shown) = (values[vertex], graph.shown(vertex));
    let most = values.len() - 1;
    Some(format!("the number {value} of vertex {shown} is none from 0 to {most}, and no whole number below 0 (alone)"))
}

/// Why values are no weights: some are negative, or all are 0.
fn no_weight(weights: &[f64], text: &str, graph: &Graph) -> Option<String> {
    match weights.iter().position(|&weight| weight < 0.0) {
        Some(vertex) => Some(format!("the weight {} of vertex {} is negative", weights[vertex], graph.shown(vertex))),
        None if weights.iter().all(|&weight| weight == 0.0) => {
            Some(format!("`{text}` gives no vertex a weight above 0"))
        }
        None => None,
    }
}

/// The text with vertices by their numbers; a file stays as it is. `find` finds a vertex by its id.
pub(crate) fn numbered(
    arg: &Arg,
    text: &str,
    graph: &Graph,
    find: impl Fn(&Arg, &str, &Graph) -> Result<VertexId, ArgumentError>,
) -> Result<String, ArgumentError> {
    let entry = |entry: &str| -> Result<String, ArgumentError> {
        Ok(match entry.split_once('=') {
            Some((id, weight)) => format!("{}={}", find(arg, id.trim(), graph)?, weight.trim()),
            None => find(arg, entry.trim(), graph)?.to_string(),
        })
    };
    let numbered = match text.starts_with('@') {
        true => text.to_string(),
        // An id may hold a comma; one that is the whole text is taken as it is.
        false => match find(arg, text, graph) {
            Ok(vertex) => vertex.to_string(),
            Err(_) if Path::new(text).is_file() => {
                let problem = format!("`{text}` is a file and no vertex: to read it, write `@{text}`");
                return Err(ArgumentError::Sources { name: arg.name.to_uppercase(), problem });
            }
            Err(error) if !text.contains([',', '=']) => return Err(error),
            Err(_) => text.split(',').map(entry).collect::<Result<Vec<_>, _>>()?.join(","),
        },
    };
    check(arg, &numbered, graph).map_err(|error| match error {
        // People know what they wrote, not the numbers of its vertices.
        ArgumentError::Sources { name, problem } => {
            let problem = problem.replacen(&format!("`{numbered}`"), &format!("`{text}`"), 1);
            ArgumentError::Sources { name, problem }
        }
        error => error,
    })?;
    Ok(numbered)
}
