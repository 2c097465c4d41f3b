//! What is explained: a program with arguments, ready to run.

use std::borrow::Cow;
use std::sync::Arc;

use graphwright::{Program, Wanted};
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::Graph;
use std::path::Path;

use crate::error::Result;

/// A program with checked arguments and the graphs it runs on.
pub struct Subject {
    /// The program: the one asked for, or the sibling that suits the graph.
    pub program: Program,
    /// All arguments.
    pub args: Vec<String>,
    /// What is not as given, one sentence each.
    pub notes: Vec<String>,
    graphs: Arc<SpecGraphs>,
}

impl Subject {
    /// Checks arguments by name and by position, and loads the graph of a standard program.
    pub fn new(program: &Program, named: &[(String, String)], positional: &[String]) -> Result<Subject> {
        Subject::with_graphs(program, named, positional, Arc::new(SpecGraphs::new()))
    }

    /// As [`Subject::new`], with graphs that were loaded before.
    pub fn with_graphs(
        program: &Program,
        named: &[(String, String)],
        positional: &[String],
        graphs: Arc<SpecGraphs>,
    ) -> Result<Subject> {
        let ready = program.ready(named, positional, &*graphs)?;
        let taken = match ready.program {
            Cow::Borrowed(program) => program.clone(),
            Cow::Owned(sibling) => sibling,
        };
        Ok(Subject { program: taken, args: ready.args, notes: ready.notes, graphs })
    }

    /// The options of a run.
    pub fn options(&self) -> RunOptions {
        let mut options = RunOptions::with_args(self.args.iter().cloned());
        options.graphs = Arc::clone(&self.graphs) as _;
        options
    }

    /// The graph of the run, for programs whose first argument is one.
    pub fn graph(&self) -> Option<Arc<Graph>> {
        use gw_exec::GraphSource;
        self.graphs.load(self.args.first()?, None).ok()
    }

    /// The schedule of this text; the program's own or the machine's choice without one.
    pub fn wanted(&self, schedule: Option<&str>) -> Result<Wanted> {
        let front = self.program.front();
        Ok(match schedule {
            None => Wanted::usual(front),
            Some(text) => Wanted::read(front, self.program.name(), text, "--schedule", Path::to_path_buf)?.wanted,
        })
    }
}
