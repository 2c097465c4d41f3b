//! A program with arguments that it can take and a graph that suits it.

use std::borrow::Cow;
use std::sync::Arc;

use gw_exec::GraphStore;
use gw_graph::VertexId;

use crate::argument::own_arguments;
use crate::error::{Error, Result};
use crate::program::Program;

/// A program whose arguments were checked.
pub struct Ready<'a> {
    /// The program: the one asked for, or the standard program that takes over on this kind of graph.
    pub program: Cow<'a, Program>,
    /// All arguments, `argv[1]` first; vertices are numbers.
    pub args: Vec<String>,
    /// The source that was taken since none was given, by its original id where the graph has some.
    pub chosen_source: Option<String>,
    /// What is not as given, one sentence each.
    pub notes: Vec<String>,
}

impl Program {
    /// Makes the program ready for a run with arguments by name and by position.
    ///
    /// The arguments of a standard program are checked, those left out get their defaults, its graph is loaded from
    /// `graphs` and seen as the program needs it (kept there under the same name), and a sibling takes over where the
    /// weights ask for one. A program of one's own takes what it is given; its arguments have the names of the
    /// variables that are set from them.
    pub fn ready(
        &self,
        named: &[(String, String)],
        positional: &[String],
        graphs: &dyn GraphStore,
    ) -> Result<Ready<'_>> {
        let mut ready =
            Ready { program: Cow::Borrowed(self), args: Vec::new(), chosen_source: None, notes: Vec::new() };
        let Some(standard) = self.as_standard() else {
            ready.args = own_arguments(self, named, positional)?;
            return Ok(ready);
        };
        let bound = standard.bind(named, positional)?;
        let name = bound.graph();
        let graph = graphs.load(name, None).map_err(|error| Error::Run { error, file: self.file().clone() })?;
        let suited = standard.suit(Arc::clone(&graph), name)?;
        let settled = bound.settle(&suited.graph)?;
        let id = |vertex: VertexId| match suited.graph.names() {
            Some(names) => names.get(vertex).to_string(),
            None => vertex.to_string(),
        };
        ready.chosen_source = settled.chosen_source.map(id);
        if let Some(source) = &ready.chosen_source {
            ready.notes.push(format!("no source is given: taken is {source}, the vertex with the most out-edges"));
        }
        ready.notes.extend(suited.notes);
        if let Some(source) = suited.program.stranded(&settled.args, &suited.graph) {
            let source = id(source);
            ready.notes.push(format!("warning: no edge leaves the vertex {source}, so the run ends where it starts"));
        }
        ready.args = settled.args;
        if !Arc::ptr_eq(&graph, &suited.graph) {
            graphs.keep(name, suited.graph);
        }
        if suited.program.name != standard.name {
            ready.program = Cow::Owned(Program::standard(suited.program)?);
        }
        Ok(ready)
    }
}
