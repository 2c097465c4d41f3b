//! What a run leaves behind: typed results and the record of the run.

use std::sync::OnceLock;

use gw_exec::{Globals, GraphSource, MachineUsage, RunResult, Value, Vector};
use gw_programs::{ArgKind, PARENT, Path, PathError, Program as StandardProgram, Remark, Run as JudgedRun, Values};

use super::note::Note;
use super::parts::Parts;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::program::Program;
use crate::schedule::Decision;

/// A finished run.
#[derive(Debug)]
pub struct Outcome {
    /// The program.
    pub program: String,
    /// Its arguments, `argv[1]` first; a graph in memory has a name of its own.
    pub arguments: Vec<String>,
    /// The machine.
    pub machine: String,
    /// The schedule and how it came about.
    pub decision: Decision,
    /// Where the time went.
    pub times: Times,
    /// The same time in parts that do not overlap.
    pub parts: Parts,
    /// Operator calls of `main`.
    pub steps: u64,
    /// What the program printed.
    pub printed: String,
    /// What the machine counted, where it counts.
    pub usage: Option<MachineUsage>,
    /// What the machine tells of the run, in lines for a person.
    pub report: Option<String>,
    /// What was not as given, and what could not be used: a directed graph taken as undirected, another program for
    /// weights with fractions, a machine without enough memory.
    pub notes: Vec<Note>,
    /// The source that was taken since none was given, by its original id where the graph has ids.
    pub chosen_source: Option<String>,
    standard: Option<&'static StandardProgram>,
    globals: Globals,
    /// The graph of the run, as the program needs it.
    graph: Option<Graph>,
    /// The entries of vectors, taken out when first asked for.
    vectors: Vec<OnceLock<Option<Values<'static>>>>,
}

/// Seconds of a run and of what came before it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Loading graphs and seeing them as the program needs them.
    pub load: f64,
    /// Choosing the schedule and compiling.
    pub compile: f64,
    /// `main`, by the host's clock.
    pub run: f64,
    /// From the first kernel to the last, by the clock of the device, where there is one.
    pub device: Option<f64>,
    /// The start-up statements, loading left out.
    pub startup: f64,
}

impl Times {
    /// The time that benchmarks count, the same on every machine: from the first statement to the end of `main`,
    /// loading left out, by the clock of the host. Work of the host beside a device is in it.
    pub fn counted(&self) -> f64 {
        self.startup + self.run
    }

    /// The times of a finished run; loading and compiling before it are not in them.
    pub fn of(ran: &RunResult) -> Times {
        Times {
            load: ran.timings.load,
            compile: 0.0,
            run: ran.seconds,
            device: ran.device_seconds,
            // Loading may also happen in `main`.
            startup: (ran.timings.startup - ran.timings.load).max(-ran.seconds),
        }
    }
}

/// A run that came to its end, before its results are looked at.
pub(super) struct Finished<'a> {
    pub(super) program: &'a Program,
    pub(super) arguments: Vec<String>,
    pub(super) machine: String,
    pub(super) decision: Decision,
    /// Seconds of reading graphs before the run.
    pub(super) load: f64,
    /// Seconds of choosing the schedule and compiling.
    pub(super) compile: f64,
    pub(super) usage: Option<MachineUsage>,
    pub(super) report: Option<String>,
    pub(super) notes: Vec<Note>,
    pub(super) chosen_source: Option<String>,
    pub(super) graphs: &'a dyn GraphSource,
    pub(super) ran: RunResult,
}

impl Outcome {
    pub(super) fn new(finished: Finished<'_>) -> Result<Outcome> {
        let Finished { program, arguments, machine, decision, load, compile, usage, report, notes, .. } = finished;
        let (chosen_source, ran) = (finished.chosen_source, finished.ran);
        let vectors = ran.globals.iter().map(|_| OnceLock::new()).collect();
        let mut parts = Parts::of_run(&ran, usage.as_ref());
        parts.read_graph += load;
        parts.compile += compile;
        let graph = match (program.as_standard(), arguments.first()) {
            (Some(_), Some(text)) => {
                let loaded = finished.graphs.load(text, None);
                Some(loaded.map_err(|error| Error::Run { error, file: program.file().clone() })?)
            }
            _ => ran.globals.iter().find_map(|(_, value)| value.as_graph()).cloned(),
        };
        Ok(Outcome {
            program: program.name().to_string(),
            arguments,
            chosen_source,
            machine,
            decision,
            times: Times { load: load + ran.timings.load, compile, ..Times::of(&ran) },
            parts,
            steps: ran.steps,
            printed: ran.printed,
            usage,
            report,
            notes,
            standard: program.as_standard(),
            globals: ran.globals,
            graph: graph.map(Graph::from),
            vectors,
        })
    }

    /// The same as the outcome of another program on a graph: an update gives the results of the program.
    pub(super) fn about(self, program: &Program, graph: &Graph) -> Outcome {
        let (name, standard) = (program.name().to_string(), program.as_standard());
        Outcome { program: name, standard, graph: Some(graph.clone()), ..self }
    }

    /// The entries of a vector; the rows of a nested vector one after another. Vertices are `i32`.
    ///
    /// ```
    /// # use graphwright::{Graph, Program};
    /// let cc = Program::find("cc")?;
    /// let run = cc.on(&Graph::from_edges(&[(0, 1), (2, 3)])?).run()?;
    /// let label: &[i32] = run.vector("label")?;
    /// assert!(label[0] == label[1] && label[1] != label[2]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn vector<T: Entry>(&self, name: &str) -> Result<&[T]> {
        let place = self.globals.iter().position(|(known, _)| known == name);
        let (place, vector) = place.zip(self.globals.vector(name)).ok_or_else(|| {
            let vectors = self.globals.iter().filter(|(_, value)| value.as_vector().is_some());
            self.unknown("vector", name, vectors.map(|(name, _)| name).collect())
        })?;
        let values = self.vectors[place].get_or_init(|| Values::of(vector)).as_ref();
        let wrong = |ty: &str| Error::Result(format!("{name} is a vector of {ty}, not of {}", T::NAME));
        let values = values.ok_or_else(|| wrong("strings"))?;
        T::entries(values).ok_or_else(|| wrong(values.type_name()))
    }

    /// A global number, truth value or string.
    ///
    /// ```
    /// # use graphwright::{Graph, Program};
    /// let tc = Program::find("tc")?;
    /// let run = tc.on(&Graph::from_undirected_edges(&[(0, 1), (1, 2), (2, 0)])?).run()?;
    /// assert_eq!(run.scalar::<u64>("triangles")?, 1);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn scalar<T: Number>(&self, name: &str) -> Result<T> {
        let value = self.globals.get(name).filter(|value| value.scalar().is_some()).ok_or_else(|| {
            let scalars = self.globals.iter().filter(|(_, value)| value.scalar().is_some());
            self.unknown("scalar", name, scalars.map(|(name, _)| name).collect())
        })?;
        T::of(value).ok_or_else(|| Error::Result(format!("{name} is a {}, not a {}", value.kind(), T::NAME)))
    }

    /// The vertices of a global vertex set, in no particular order.
    pub fn set(&self, name: &str) -> Result<Vec<u32>> {
        let set = self.globals.get(name).and_then(Value::as_set).ok_or_else(|| {
            let sets = self.globals.iter().filter(|(_, value)| value.as_set().is_some());
            self.unknown("vertex set", name, sets.map(|(name, _)| name).collect())
        })?;
        set.ids().map_err(|error| Error::Result(error.to_string()))
    }

    /// The graph whose vertices and edges the results belong to: the first one of the program, as the program needs it.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The run as the checks and questions of a standard program see it. `None` for a program of one's own, and where
    /// this process has a part of the graph only, which is too little to judge results.
    pub fn judged(&self) -> Option<(&'static StandardProgram, JudgedRun<'_>)> {
        let graph = self.graph.as_ref().filter(|graph| graph.share().is_none())?;
        Some((self.standard?, JudgedRun { graph, args: &self.arguments, results: &self.globals }))
    }

    /// Adds the vertex before each on a shortest path as the result `parent`, where the program finds shortest paths
    /// and does not leave such a vector by itself.
    pub fn add_parents(&mut self) -> Result<()> {
        let finds = self.standard.is_some_and(|standard| standard.has_parents());
        if !finds || self.globals.get(PARENT).is_some() {
            return Ok(());
        }
        match self.parents() {
            Ok(parents) => {
                self.globals.set(PARENT, Value::Vector(Vector::from_slice(&parents)));
                self.vectors = self.globals.iter().map(|_| OnceLock::new()).collect();
                Ok(())
            }
            // That there is no result is said where all results are.
            Err(Error::Path(PathError::NoResult(_))) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// All globals with their values.
    pub fn globals(&self) -> &Globals {
        &self.globals
    }

    /// The arguments of a standard program, by name, that were left out of those given for this run by name and by
    /// position behind the graph: as this run took them, for a run on the same graph after changes. A vertex that it
    /// chose is named by its original id where the graph has such.
    pub fn arguments_left_out(&self, named: &[(String, String)], positional: usize) -> Vec<(String, String)> {
        let names = self.graph().and_then(|graph| graph.names());
        let by_id = |kind: ArgKind, text: &String| {
            let is_vertex = matches!(kind, ArgKind::Source | ArgKind::Sources | ArgKind::Target | ArgKind::Landmark);
            let id = names.filter(|_| is_vertex).zip(text.parse().ok());
            id.map_or(text.clone(), |(names, vertex)| names.get(vertex).to_string())
        };
        let args = self.standard.map_or(&[][..], |standard| standard.args);
        let behind = args.iter().zip(&self.arguments).skip(1);
        let unnamed = behind.filter(|(arg, _)| named.iter().all(|(name, _)| name != arg.name));
        unnamed.skip(positional).map(|(arg, text)| (arg.name.to_string(), by_id(arg.kind, text))).collect()
    }

    /// Checks the result of a standard program, independently of how it was made. A program of one's own has no check.
    pub fn verify(&self) -> Result<()> {
        let Some(standard) = self.standard else {
            return Err(Error::Result(format!(
                "{} is no standard program: its result cannot be checked",
                self.program
            )));
        };
        let graph = self.graph().ok_or_else(|| Error::Result("the run left no graph to check with".to_string()))?;
        Ok(standard.validate(&JudgedRun { graph, args: &self.arguments, results: &self.globals })?)
    }

    /// What a standard program says about this run beside its values: that there is no result, and why, or in which way
    /// the result is less than a person may expect.
    pub fn remark(&self) -> Option<Remark> {
        let (standard, run) = self.judged()?;
        standard.remark(&run)
    }

    /// A shortest path from the source of a search (`bfs`, `sssp`, `ppsp`, ...) to a vertex; `None` where there is
    /// none. Of several it is the one with the fewest edges, then the one with the least vertex numbers from the source
    /// on, on every machine. The time is that of one search along the edges of shortest paths.
    ///
    /// ```
    /// # use graphwright::results::PathNumber;
    /// # use graphwright::{Graph, Program};
    /// let roads = Graph::from_weighted_edges(&[(0, 2, 7), (0, 1, 3), (1, 2, 4), (2, 3, 1)])?;
    /// let run = Program::find("sssp")?.on(&roads).arg("source", 0).run()?;
    /// let path = run.path(3)?.expect("3 is in reach");
    /// assert_eq!((&path.vertices[..], path.length), (&[0, 2, 3][..], PathNumber::Integer(8)));
    /// assert_eq!(run.parents()?, [0, 0, 0, 2]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn path(&self, target: u32) -> Result<Option<Path>> {
        self.searched(|standard, run| Ok(standard.shortest_paths(run, &[target])?.pop().flatten()))
    }

    /// The paths that a run of `k-shortest-paths` found, in their order.
    ///
    /// ```
    /// # use graphwright::{Graph, Program};
    /// let roads = Graph::from_weighted_edges(&[(0, 2, 7), (0, 1, 3), (1, 2, 4), (2, 3, 1)])?;
    /// let program = Program::find("k-shortest-paths")?;
    /// let run = program.on(&roads).arg("source", 0).arg("target", 3).arg("count", 5).run()?;
    /// let vertices: Vec<_> = run.paths()?.into_iter().map(|path| path.vertices).collect();
    /// assert_eq!(vertices, [vec![0, 2, 3], vec![0, 1, 2, 3]]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn paths(&self) -> Result<Vec<Path>> {
        self.searched(|standard, run| standard.listed_paths(run))
    }

    /// The vertex before each on a shortest path from the source of a search: the source is its own parent, vertices
    /// out of reach have -1. Programs with a target know vertices up to its distance; the others have -1.
    pub fn parents(&self) -> Result<Vec<i32>> {
        self.searched(|standard, run| standard.parents(run))
    }

    fn searched<T>(&self, ask: impl Fn(&StandardProgram, &JudgedRun<'_>) -> Result<T, PathError>) -> Result<T> {
        let none = || PathError::NoPaths { program: self.program.clone() };
        let standard = self.standard.ok_or_else(none)?;
        let graph = self.graph().ok_or_else(none)?;
        Ok(ask(standard, &JudgedRun { graph, args: &self.arguments, results: &self.globals })?)
    }

    fn unknown(&self, kind: &str, name: &str, known: Vec<&str>) -> Error {
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        Error::Result(format!("{} has no {kind} `{name}`; it has {known}", self.program))
    }
}

/// The type of entries of a vector.
pub trait Entry: Copy + Sized + 'static {
    /// Its name in messages.
    const NAME: &'static str;
    /// The entries, if these are of this type.
    fn entries<'a>(values: &'a Values<'static>) -> Option<&'a [Self]>;
}

/// The type of a scalar result.
pub trait Number: Sized {
    /// Its name in messages.
    const NAME: &'static str;
    /// The value, if it is of this type.
    fn of(value: &Value) -> Option<Self>;
}

macro_rules! results {
    ($($t:ty, $values:ident, $value:ident, $name:literal);*) => {$(
        impl Entry for $t {
            const NAME: &'static str = $name;
            fn entries<'a>(values: &'a Values<'static>) -> Option<&'a [Self]> {
                match values {
                    Values::$values(entries) => Some(entries),
                    _ => None,
                }
            }
        }
        impl Number for $t {
            const NAME: &'static str = $name;
            fn of(value: &Value) -> Option<Self> {
                match value {
                    Value::$value(number) => Some(*number),
                    _ => None,
                }
            }
        }
    )*};
}

results! {
    i32, Int, Int, "int";
    u32, Uint, Uint, "uint";
    i64, Int64, Int64, "int_64";
    u64, Uint64, Uint64, "uint_64";
    f32, Float, Float, "float";
    f64, Double, Double, "double";
    bool, Bool, Bool, "bool"
}

impl Number for String {
    const NAME: &'static str = "string";
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Str(text) => Some(text.to_string()),
            _ => None,
        }
    }
}
