//! Arguments of a run by name and by position, with the vertices of a graph by their original ids.
//!
//! [`Program::bind`] puts every argument at its place before the graph is there; [`Bound::settle`] turns ids into
//! vertices and finds a source, a landmark and a width of buckets where none is given.

use gw_graph::vertex_values::NONE;
use gw_graph::{Graph, VertexId};

use crate::arguments::ArgumentError;
use crate::choose::{delta, landmark, mean_degree, mean_weight, starts};
use crate::example::busiest;
use crate::registry::{Arg, ArgKind, Program};
use crate::sources;

/// Arguments at their places, of which some wait for the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    program: &'static Program,
    /// One per argument of the program; `None` where the graph decides.
    values: Vec<Option<String>>,
}

/// The arguments of a run on a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// `argv[1]`, `argv[2]`, ...: vertices are numbers here.
    pub args: Vec<String>,
    /// The source that was taken since none was given.
    pub chosen_source: Option<VertexId>,
    /// The landmark that was taken since none was given.
    pub chosen_landmark: Option<VertexId>,
    /// Which width of buckets was taken since none was given, and why, in a sentence.
    pub chosen_delta: Option<String>,
    /// From how many vertices the program searches since no number was given, in a sentence.
    pub chosen_starts: Option<String>,
}

impl Program {
    /// Puts arguments at their places: those with a name first, then the others in order, then defaults. Names are
    /// those of the program's arguments ([`Program::args`]).
    ///
    /// ```
    /// use gw_graph::{BuildOptions, EdgeList, build};
    /// let graph = build(EdgeList::from_pairs(3, vec![(1, 0), (1, 2)]), &BuildOptions::default()).unwrap();
    /// let bfs = gw_programs::find("bfs").unwrap();
    /// let bound = bfs.bind(&[("source".into(), "2".into())], &["web.el".into()]).unwrap();
    /// assert_eq!(bound.settle(&graph).unwrap().args, ["web.el", "2"]);
    /// // Without a source, the vertex with the most out-edges is taken.
    /// let bound = bfs.bind(&[], &["web.el".into()]).unwrap();
    /// assert_eq!(bound.settle(&graph).unwrap().chosen_source, Some(1));
    /// ```
    pub fn bind(&'static self, named: &[(String, String)], positional: &[String]) -> Result<Bound, ArgumentError> {
        let mut values: Vec<Option<String>> = vec![None; self.args.len()];
        for (name, value) in named {
            let Some(at) = self.args.iter().position(|arg| arg.name == name) else {
                let known = self.args.iter().map(|arg| arg.name).collect();
                return Err(ArgumentError::Unknown { name: name.clone(), program: self.name, known });
            };
            if values[at].replace(value.clone()).is_some() {
                return Err(ArgumentError::Twice { name: name.to_uppercase() });
            }
        }
        let mut given = positional.iter();
        for value in values.iter_mut().filter(|value| value.is_none()) {
            *value = given.next().cloned();
        }
        if let Some(text) = given.next() {
            let (text, program, most) = (text.clone(), self.name, self.args.len());
            return Err(ArgumentError::Surplus { text, program, most, usage: self.usage() });
        }
        for (arg, value) in self.args.iter().zip(&mut values) {
            if value.is_none() {
                *value = arg.default.map(str::to_string);
            }
            match value {
                Some(text) if !is_vertex(arg) && !names_vertices(arg, text) => arg.check(text)?,
                None if !arg.kind.is_chosen() => {
                    let (name, meaning) = (arg.name.to_uppercase(), arg.meaning);
                    return Err(ArgumentError::Missing { name, meaning, usage: self.usage() });
                }
                _ => {}
            }
        }
        Ok(Bound { program: self, values })
    }
}

impl Bound {
    /// The graph file or spec.
    pub fn graph(&self) -> &str {
        let at = self.program.args.iter().position(|arg| arg.kind == ArgKind::Graph);
        at.and_then(|at| self.values[at].as_deref()).unwrap_or_default()
    }

    /// The values as far as they are known before the graph: `argv[1]` first.
    pub fn known(&self) -> Vec<String> {
        self.values.iter().map(|value| value.clone().unwrap_or_default()).collect()
    }

    /// The arguments on this graph: an id becomes its vertex, and a source that is left out the vertex with the most
    /// out-edges, which lies in a large part of most graphs.
    pub fn settle(&self, graph: &Graph) -> Result<Settled, ArgumentError> {
        let mut settled = Settled {
            args: Vec::with_capacity(self.values.len()),
            chosen_source: None,
            chosen_landmark: None,
            chosen_delta: None,
            chosen_starts: None,
        };
        for (arg, value) in self.program.args.iter().zip(&self.values) {
            let text = match value {
                Some(text) if is_vertex(arg) => vertex(arg, text, graph)?.to_string(),
                Some(text) if names_vertices(arg, text) => sources::numbered(arg, text, graph, vertex)?,
                Some(text) => arg.read(text),
                None => self.chosen(arg, graph, &mut settled)?,
            };
            settled.args.push(text);
        }
        Ok(settled)
    }

    /// The value of an argument that the graph decides; those before it are settled.
    fn chosen(&self, arg: &Arg, graph: &Graph, settled: &mut Settled) -> Result<String, ArgumentError> {
        let bad = |expected: &str| ArgumentError::Bad {
            name: arg.name.to_uppercase(),
            text: String::new(),
            expected: expected.to_string(),
        };
        if graph.vertices() == 0 {
            return Err(bad("there: the graph has no vertices"));
        }
        let in_parts = graph.share().is_some();
        match arg.kind {
            ArgKind::Delta if in_parts => {
                Err(bad("a width: give one, since of a graph in parts no process knows the mean weight"))
            }
            ArgKind::Starts(_) if in_parts => {
                Err(bad("a number: give one, since of a graph in parts no process knows all edges"))
            }
            _ if in_parts => Err(bad(
                "a vertex: give one, since of a graph in parts no process knows the vertex with the most edges",
            )),
            ArgKind::Delta => {
                let width = delta(graph);
                let (weight, degree) = (mean_weight(graph), mean_degree(graph));
                settled.chosen_delta = Some(format!(
                    "no delta is given: taken is {width}, for the mean weight {} and {degree:.1} edges per \
                     vertex",
                    shown(weight)
                ));
                Ok(width)
            }
            ArgKind::Starts(_) => {
                let (starts, all, name) = (starts(graph), graph.vertices(), arg.name);
                settled.chosen_starts = Some(match starts == all {
                    true => format!("no number of {name} is given: taken are all {all} vertices, values are exact"),
                    false => format!(
                        "no number of {name} is given: taken are {starts} of {all} vertices, values are estimates; \
                         --{name} {all} makes them exact"
                    ),
                });
                Ok(starts.to_string())
            }
            ArgKind::Landmark => {
                let end = |kind: ArgKind| {
                    let at = self.program.args.iter().position(|arg| arg.kind == kind);
                    at.and_then(|at| settled.args.get(at)?.parse().ok()).unwrap_or(0)
                };
                let vertex = landmark(graph, end(ArgKind::Source), end(ArgKind::Target));
                settled.chosen_landmark = Some(vertex);
                Ok(vertex.to_string())
            }
            _ => {
                let source = busiest(graph.out());
                settled.chosen_source = Some(source);
                Ok(source.to_string())
            }
        }
    }
}

/// A mean weight with as many digits as matter.
fn shown(weight: f64) -> String {
    if weight.abs() >= 1.0 || weight == 0.0 { format!("{weight:.1}") } else { format!("{weight:.2e}") }
}

/// Whether a text is a list of vertices or a file, with values.
fn names_vertices(arg: &Arg, text: &str) -> bool {
    arg.kind == ArgKind::Sources || (arg.kind == ArgKind::Numbers && text != NONE)
}

pub(crate) fn is_vertex(arg: &Arg) -> bool {
    matches!(arg.kind, ArgKind::Source | ArgKind::Target | ArgKind::Landmark)
}

/// The vertex that a text names: by its original id where the graph has some, else by its number.
pub fn find_vertex(text: &str, graph: &Graph) -> Result<VertexId, ArgumentError> {
    const ANY: Arg = Arg { name: "vertex", meaning: "a vertex", kind: ArgKind::Target, default: None };
    vertex(&ANY, text, graph)
}

/// The vertex that a text names: by its original id where the graph has some, else by its number.
fn vertex(arg: &Arg, text: &str, graph: &Graph) -> Result<VertexId, ArgumentError> {
    let bad = |expected: String| ArgumentError::Bad { name: arg.name.to_uppercase(), text: text.to_string(), expected };
    if let Some(names) = graph.names() {
        return names.find(text).ok_or_else(|| {
            const SHOWN: usize = 3;
            let some: Vec<String> = names.iter().take(SHOWN).map(|name| name.to_string()).collect();
            bad(format!("the id of a vertex: the graph has {}, such as {}", names.len(), some.join(", ")))
        });
    }
    let number = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|text| text.parse().ok());
    number.filter(|&vertex: &VertexId| (vertex as usize) < graph.vertices()).ok_or_else(|| match graph.vertices() {
        0 => bad("a vertex: the graph has none".to_string()),
        n => bad(format!("a vertex: the graph has {n}, numbered from 0 to {}", n - 1)),
    })
}
