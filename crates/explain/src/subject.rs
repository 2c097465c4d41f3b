//! What is explained: a program with arguments, ready to run.

use std::path::Path;
use std::sync::Arc;

use graphwright::schedule::Wanted;
use graphwright::{Machine, Planned, Program};
use gw_exec::RunOptions;
use gw_graph::Graph;

use crate::error::Result;

/// A program with checked arguments and the graphs it runs on.
pub struct Subject(Planned);

impl Subject {
    /// A run that was planned.
    pub fn of(planned: Planned) -> Subject {
        Subject(planned)
    }

    /// Checks arguments by name and by position, and loads the graph of a standard program.
    pub fn new(program: &Program, named: &[(String, String)], positional: &[String]) -> Result<Subject> {
        let job = program.job().args(positional);
        let job = named.iter().fold(job, |job, (name, value)| job.arg(name, value));
        Ok(Subject(job.plan()?))
    }

    /// The program: the one asked for, or the sibling that suits the graph.
    pub fn program(&self) -> &Program {
        self.0.program()
    }

    /// All arguments.
    pub fn args(&self) -> &[String] {
        self.0.args()
    }

    /// What is not as given, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        self.0.notes().iter().map(ToString::to_string).collect()
    }

    /// The options of a run.
    pub fn options(&self) -> RunOptions {
        self.0.options()
    }

    /// The graph of the run.
    pub fn graph(&self) -> Option<Arc<Graph>> {
        self.0.graph()
    }

    /// The schedule that was planned, on a machine: what was tuned comes before the machine's choice.
    pub fn planned_schedule(&self, machine: &Machine) -> Wanted {
        self.0.wanted(machine)
    }

    /// The schedule of this text, whatever was tuned; the program's own or the machine's choice without one.
    pub fn wanted(&self, schedule: Option<&str>) -> Result<Wanted> {
        let front = self.program().front();
        Ok(match schedule {
            None => Wanted::usual(front),
            Some(text) => Wanted::read(front, self.program().name(), text, "--schedule", Path::to_path_buf)?.wanted,
        })
    }
}
