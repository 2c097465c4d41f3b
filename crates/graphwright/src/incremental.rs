//! Results that are kept up to date while a graph changes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gw_exec::{Given, RunOptions, SpecGraphs, Value};
use gw_graph::{Offsets, Symmetry, WeightKind, Weights};
use gw_ir::types::{Domain, Type};

use crate::carried::carried;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::machines::Machine;
use crate::outcome::{Outcome, Times};
use crate::program::Program;
use crate::settled::Compiled;
use crate::wanted::Wanted;

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
/// use graphwright::{Changes, Graph, How, Incremental, Machine, Program};
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
/// let mut components = Incremental::new(cc, update, Machine::usual());
/// let first = components.run(&graph(&[(0, 1), (2, 3)])?, None)?;
/// assert_eq!((first.0.vector::<i32>("label")?, first.1), (&[0, 0, 2, 2][..], How::First));
/// let changes = Changes { inserted: graph(&[(1, 2)])?, deleted: graph(&[])?, symmetric: true };
/// let next = components.run(&graph(&[(0, 1), (1, 2), (2, 3)])?, Some(&changes))?;
/// assert_eq!((next.0.vector::<i32>("label")?, next.1), (&[0, 0, 0, 0][..], How::Updated));
/// # Ok::<(), graphwright::Error>(())
/// ```
pub struct Incremental {
    program: Program,
    update: Program,
    machine: Machine,
    arguments: Vec<String>,
    schedule: Option<String>,
    cancel: Option<Arc<AtomicBool>>,
    compiled: Option<Compiled>,
    /// Globals of the run before that the update is given.
    kept: Option<Given>,
    /// Vertices of the graph before.
    vertices: usize,
}

/// The two graphs of changes.
const CHANGES: [&str; 2] = ["inserted", "deleted"];

impl Incremental {
    /// Nothing has run yet.
    pub fn new(program: Program, update: Program, machine: &Machine) -> Incremental {
        Incremental {
            program,
            update,
            machine: machine.clone(),
            arguments: Vec::new(),
            schedule: None,
            cancel: None,
            compiled: None,
            kept: None,
            vertices: 0,
        }
    }

    /// The arguments behind the graph.
    pub fn args<A: Into<String>>(&mut self, arguments: impl IntoIterator<Item = A>) -> &mut Self {
        self.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// The schedule of the program; the update has its own.
    pub fn schedule(&mut self, text: &str) -> &mut Self {
        self.schedule = Some(text.to_string());
        self
    }

    /// Ends a run with an error soon after the flag becomes true.
    pub fn cancel(&mut self, flag: &Arc<AtomicBool>) -> &mut Self {
        self.cancel = Some(Arc::clone(flag));
        self
    }

    /// The result on the graph as it is now; `changes` are those since the last call. Without them, and on the first
    /// call, the program runs from scratch. An update changes the vectors of the run before where they are: what is
    /// needed of that outcome must be read before.
    pub fn run(&mut self, graph: &Graph, changes: Option<&Changes>) -> Result<(Outcome, How)> {
        // A run that fails leaves nothing to go on from.
        let (Some(kept), Some(changes)) = (self.kept.take(), changes) else {
            return Ok((self.run_anew(graph)?, How::First));
        };
        if self.program.as_standard().is_some_and(|standard| standard.needs_simple) && has_loop(&changes.inserted) {
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
        let mut job = self.program.on(graph).args(self.arguments.iter().map(String::as_str));
        job = job.machine(&self.machine);
        if let Some(flag) = &self.cancel {
            job = job.cancel(flag);
        }
        if let Some(text) = &self.schedule {
            job = job.schedule(text);
        }
        let outcome = job.run()?;
        if outcome.program != self.program.name() {
            let (asked, ran) = (self.program.name(), &outcome.program);
            return Err(Error::Result(format!("{asked} hands this graph over to {ran}: name {ran} itself")));
        }
        // A source that was chosen stays.
        self.arguments = outcome.arguments[1..].to_vec();
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
                kept.set(name, value.clone());
            }
        }
        (self.kept, self.vertices) = (Some(kept), graph.vertices());
    }

    fn updated(&mut self, graph: &Graph, changes: &Changes, mut given: Given) -> Result<Outcome> {
        let graphs = SpecGraphs::new();
        let name = format!("graph {}", graph.id());
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
                given.set(name, Value::Vector(vector));
            }
        }
        let mut options = RunOptions { graphs: Arc::new(graphs), given, ..RunOptions::default() };
        if let Some(flag) = &self.cancel {
            options.cancel = Arc::clone(flag);
        }
        options.argv.push(name);
        options.argv.extend(self.arguments.iter().cloned());
        let start = Instant::now();
        let compiled = match &mut self.compiled {
            Some(compiled) => compiled,
            none => {
                let wanted = Wanted::usual(self.update.front());
                none.insert(self.update.compile(&wanted, self.machine.vm(), &options)?)
            }
        };
        let times = Times { compile: start.elapsed().as_secs_f64(), ..Times::default() };
        let ran = compiled.program.run(&options);
        let ran = ran.map_err(|error| Error::Run { error, file: self.update.file().clone() })?;
        let (arguments, machine) = (options.argv[1..].to_vec(), self.machine.name().to_string());
        Ok(Outcome::new(&self.program, arguments, machine, compiled.decision.clone(), times, ran, None))
    }
}

fn has_loop(graph: &Graph) -> bool {
    (0..graph.vertices() as u32).any(|v| graph.out().neighbours(v).binary_search(&v).is_ok())
}

/// As many vertices as the graph has, with weights where it has some, and no edges.
fn without_edges(graph: &Graph) -> Result<Graph> {
    let weights = match graph.weight_kind() {
        WeightKind::None => Weights::None,
        WeightKind::Int => Weights::Int(Vec::new().into()),
        WeightKind::Float => Weights::Float(Vec::new().into()),
    };
    let offsets = Offsets::from_degrees(&vec![0; graph.vertices()]);
    Ok(gw_graph::Graph::from_arrays(offsets, Vec::new().into(), weights, Symmetry::Directed)?.into())
}
