//! A program with arguments that it can take and a graph that suits it.

use std::borrow::Cow;
use std::sync::Arc;

use gw_exec::{GraphSource, SpecGraphs};
use gw_programs::ArgumentError;

use crate::error::{Error, Result};
use crate::program::Program;

/// A program whose arguments were checked.
pub struct Ready<'a> {
    /// The program: the one asked for, or the standard program that takes over on this kind of graph.
    pub program: Cow<'a, Program>,
    /// All arguments, `argv[1]` first.
    pub args: Vec<String>,
    /// What is not as given, one sentence each.
    pub notes: Vec<String>,
}

impl Program {
    /// Makes the program ready for a run: the arguments of a standard program are checked, those left out get their
    /// defaults, its graph is loaded from `graphs` and seen as the program needs it (kept there under the same name),
    /// and a sibling takes over where the weights ask for one. A program of one's own takes what it is given.
    pub fn ready(&self, args: &[String], graphs: &SpecGraphs) -> Result<Ready<'_>> {
        let mut ready = Ready { program: Cow::Borrowed(self), args: args.to_vec(), notes: Vec::new() };
        let Some(standard) = self.as_standard() else { return Ok(ready) };
        ready.args = match standard.arguments(args) {
            // No vertex of any graph: refused below, where the vertices of this one can be told.
            Err(ArgumentError::Beyond { .. }) => standard.with_defaults(args),
            args => args?,
        };
        let name = &ready.args[0];
        let graph = graphs.load(name, None).map_err(|error| Error::Run { error, file: self.file().clone() })?;
        let suited = standard.suit(Arc::clone(&graph), name)?;
        suited.program.check_vertices(&ready.args, &suited.graph)?;
        ready.notes = suited.notes;
        if let Some(source) = suited.program.stranded(&ready.args, &suited.graph) {
            ready.notes.push(format!("no edge leaves the vertex {source}, so the run ends where it starts"));
        }
        if !Arc::ptr_eq(&graph, &suited.graph) {
            graphs.insert(name, suited.graph);
        }
        if suited.program.name != standard.name {
            ready.program = Cow::Owned(Program::standard(suited.program)?);
        }
        Ok(ready)
    }
}
