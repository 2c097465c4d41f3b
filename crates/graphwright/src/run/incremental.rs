//! Results that are kept up to date while a graph changes.

use std::sync::Arc;

use gw_exec::{Given, SpecGraphs, Value};
use gw_graph::{Offsets, Symmetry, Weight, with_weight_type};
use gw_ir::types::{Domain, Type};

use super::attempt::Prepared;
use super::carried::carried;
use super::job::{Job, Place};
use super::outcome::Outcome;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::program::Program;

/// What has changed since the run before.
#[derive(Debug, Clone)]
pub struct Changes {
    /// Edges that were not there, and those with another weight as they are now; as many vertices as the graph has now.
    pub inserted: Graph,
    /// Edges that are no longer there, and those with another weight as they were.
    pub deleted: Graph,
    /// Every edge has its reverse, in these graphs and in the one that changed.
    pub symmetric: bool,
}

/// How a result came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It was made from the one before.
    Updated,
    /// There was none before.
    First,
    /// The update found that the program has to run.
    Again,
}

/// A program and the update that brings its result up to date: [`gw_programs::Update`] says what an update is given.
///
/// ```
/// use graphwright::{Changes, Graph, How, Incremental, Program};
/// let graph = |edges: &[(u32, u32)]| {
///     let (mut offsets, mut targets) = (vec![0u32], Vec::new());
///     for v in 0..4 {
///         let ways = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
///         targets.extend(ways.filter(|way| way.0 == v).map(|way| way.1));
///         offsets.push(targets.len() as u32);
///     }
///     Graph::from_csr(offsets, targets)
/// };
/// let cc = Program::find("cc")?;
/// let update = cc.update().unwrap()?;
/// let mut components = Incremental::new(cc.job(), update);
/// let first = components.run(&graph(&[(0, 1), (2, 3)])?, None)?;
/// assert_eq!((first.0.vector::<i32>("label")?, first.1), (&[0, 0, 2, 2][..], How::First));
/// let changes = Changes { inserted: graph(&[(1, 2)])?, deleted: graph(&[])?, symmetric: true };
/// let next = components.run(&graph(&[(0, 1), (1, 2), (2, 3)])?, Some(&changes))?;
/// assert_eq!((next.0.vector::<i32>("label")?, next.1), (&[0, 0, 0, 0][..], How::Updated));
/// # Ok::<(), graphwright::Error>(())
/// ```
pub struct Incremental {
    /// The program with the arguments behind the graph; a source that was chosen stays.
    job: Job,
    /// The same arguments as programs read them: vertices are numbers.
    settled: Vec<String>,
    update: Program,
    /// The update, compiled.
    prepared: Option<Prepared>,
    /// Globals of the run before that the update is given.
    kept: Option<Given>,
    /// Vertices of the graph before.
    vertices: usize,
}

/// The two graphs of changes.
const CHANGES: [&str; 2] = ["inserted", "deleted"];

impl Incremental {
    /// Nothing has run yet. The job has the program with the arguments behind the graph, the schedule of the program,
    /// machine and limits; the update has a schedule of its own, or that which the machine chooses.
    pub fn new(job: Job, update: Program) -> Incremental {
        Incremental { job, settled: Vec::new(), update, prepared: None, kept: None, vertices: 0 }
    }

    /// The result on the graph as it is now; `changes` are those since the last call. Without them, and on the first
    /// call, the program runs from scratch. Outcomes of earlier calls stay as they are.
    pub fn run(&mut self, graph: &Graph, changes: Option<&Changes>) -> Result<(Outcome, How)> {
        // A run that fails leaves nothing to go on from.
        let (Some(kept), Some(changes)) = (self.kept.take(), changes) else {
            return Ok((self.run_anew(graph)?, How::First));
        };
        if self.job.program.as_standard().is_some_and(|standard| standard.needs_simple) && has_loop(&changes.inserted) {
            // The program says why it cannot take the graph.
            return Ok((self.run_anew(graph)?, How::Again));
        }
        let outcome = self.updated(graph, changes, kept)?;
        match outcome.globals().get("repaired") {
            Some(Value::Bool(false)) => {
                // The attempt counts.
                let mut anew = self.run_anew(graph)?;
                anew.times.run += outcome.times.counted();
                Ok((anew, How::Again))
            }
            _ => {
                self.keep(&outcome, graph);
                Ok((outcome, How::Updated))
            }
        }
    }

    /// Runs the program, and then the update without any change, for what it keeps beside the result.
    fn run_anew(&mut self, graph: &Graph) -> Result<Outcome> {
        let mut prepared = self.job.clone().behind(graph).prepare()?;
        let outcome = prepared.run()?;
        if outcome.program != self.job.program.name() {
            let (asked, ran) = (self.job.program.name(), &outcome.program);
            return Err(Error::Result(format!("{asked} hands this graph over to {ran}: name {ran} itself")));
        }
        // The machine stays, and so does a source that was chosen.
        self.job.request.place = Place::Machine(prepared.machine().clone());
        let (named, positional) = self.job.arguments.texts(|_, _| {});
        for (name, value) in outcome.arguments_left_out(&named, positional.len()) {
            self.job.arguments.set(&name, value.into());
        }
        self.settled = outcome.arguments[1..].to_vec();
        self.keep(&outcome, graph);
        let told = |name: &str| CHANGES.contains(&name) || ["symmetric", "vertices_before"].contains(&name);
        let lacks = self.given().any(|name| !told(name) && outcome.globals().get(name).is_none());
        if !lacks {
            return Ok(outcome);
        }
        let none = without_edges(graph)?;
        let unchanged = Changes { inserted: none.clone(), deleted: none, symmetric: graph.is_symmetric() };
        let kept = self.kept.take().unwrap_or_default();
        let mut prepared = self.updated(graph, &unchanged, kept)?;
        self.keep(&prepared, graph);
        prepared.times.run += outcome.times.counted();
        prepared.notes.splice(0..0, outcome.notes);
        Ok(prepared)
    }

    /// Globals of the update without an initial value.
    fn given(&self) -> impl Iterator<Item = &str> {
        self.update.module().globals.iter().filter(|global| global.init.is_none()).map(|global| &*global.name)
    }

    /// Vectors of the update over the edges of the graph that changes.
    fn over_edges(&self) -> impl Iterator<Item = &str> {
        let globals = &self.update.module().globals;
        let of_graph = |element: &str| {
            globals.iter().any(|global| match &global.ty {
                Type::EdgeSet { edge, .. } => &**edge == element && !CHANGES.contains(&&*global.name),
                _ => false,
            })
        };
        globals
            .iter()
            .filter(move |global| match &global.ty {
                Type::Vector { domain: Domain::Element(element), .. } => of_graph(element),
                _ => false,
            })
            .map(|global| &*global.name)
    }

    /// Keeps what the update takes over from a run.
    fn keep(&mut self, outcome: &Outcome, graph: &Graph) {
        let mut kept = Given::default();
        for name in self.given().filter(|name| !CHANGES.contains(name)) {
            if let Some(value) = outcome.globals().get(name) {
                kept.leave(name, value.clone());
            }
        }
        (self.kept, self.vertices) = (Some(kept), graph.vertices());
    }

    fn updated(&mut self, graph: &Graph, changes: &Changes, mut given: Given) -> Result<Outcome> {
        let graphs = SpecGraphs::new();
        let name = graph.name().to_string();
        graphs.insert(&name, Arc::clone(graph.shared()));
        let values = [
            (CHANGES[0], Value::Graph(Arc::clone(changes.inserted.shared()))),
            (CHANGES[1], Value::Graph(Arc::clone(changes.deleted.shared()))),
            ("symmetric", Value::Bool(changes.symmetric)),
            ("vertices_before", Value::Int(self.vertices as i32)),
        ];
        for (name, value) in values {
            if self.given().any(|known| known == name) {
                given.set(name, value);
            }
        }
        for name in self.over_edges() {
            if let Some(Value::Vector(vector)) = given.get(name) {
                let vector = carried(name, vector, graph, changes)?;
                given.leave(name, Value::Vector(vector));
            }
        }
        let args = std::iter::once(name).chain(self.settled.iter().cloned()).collect();
        let prepared = match self.prepared.take() {
            Some(mut prepared) => {
                prepared.begin_with(args, Arc::new(graphs), given);
                self.prepared.insert(prepared)
            }
            None => {
                let mut job = Job { program: self.update.clone(), ..self.job.clone() }.graphs(Arc::new(graphs));
                (job.arguments, job.request.schedule) = (args.into_iter().collect(), None);
                job.request.options.given = given;
                self.prepared.insert(job.prepare()?)
            }
        };
        let outcome = prepared.run();
        // The values of the run before are not held longer than the run needs them.
        prepared.begin_with(Vec::new(), Arc::new(SpecGraphs::new()), Given::default());
        Ok(outcome?.about(&self.job.program, graph))
    }
}

fn has_loop(graph: &Graph) -> bool {
    (0..graph.vertices() as u32).any(|v| graph.out().neighbours(v).binary_search(&v).is_ok())
}

/// As many vertices as the graph has, with weights where it has some, and no edges.
fn without_edges(graph: &Graph) -> Result<Graph> {
    let weights = with_weight_type!(graph.weight_kind(), W => W::wrap(Vec::new()));
    let offsets = Offsets::from_degrees(&vec![0; graph.vertices()]);
    Ok(gw_graph::Graph::from_arrays(offsets, Vec::new().into(), weights, Symmetry::Directed)?.into())
}
