//! What a run leaves behind: typed results and the record of the run.

use std::sync::OnceLock;

use gw_exec::{Globals, MachineUsage, RunResult, Value};
use gw_programs::{Program as StandardProgram, Remark, Run, Values};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::parts::Parts;
use crate::program::Program;
use crate::settled::Decision;

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
    /// What was not as given: a directed graph taken as undirected, another program for weights with fractions.
    pub notes: Vec<String>,
    standard: Option<&'static StandardProgram>,
    globals: Globals,
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

impl Outcome {
    pub(crate) fn new(
        program: &Program,
        arguments: Vec<String>,
        machine: String,
        decision: Decision,
        times: Times,
        ran: RunResult,
        usage: Option<MachineUsage>,
    ) -> Outcome {
        let vectors = ran.globals.iter().map(|_| OnceLock::new()).collect();
        let mut parts = Parts::of_run(&ran, usage.as_ref());
        parts.read_graph += times.load;
        parts.compile += times.compile;
        Outcome {
            program: program.name().to_string(),
            arguments,
            machine,
            decision,
            times: Times { load: times.load + ran.timings.load, compile: times.compile, ..Times::of(&ran) },
            parts,
            steps: ran.steps,
            printed: ran.printed,
            usage,
            notes: Vec::new(),
            standard: program.as_standard(),
            globals: ran.globals,
            vectors,
        }
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

    /// The first graph that the program loaded, as the program saw it.
    pub fn graph(&self) -> Option<Graph> {
        self.globals.iter().find_map(|(_, value)| value.as_graph()).cloned().map(Graph::from)
    }

    /// All globals with their values.
    pub fn globals(&self) -> &Globals {
        &self.globals
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
        Ok(standard.validate(&Run { graph: &graph, args: &self.arguments, results: &self.globals })?)
    }

    /// What a standard program says about this run beside its values: that there is no result, and why, or in which way
    /// the result is less than a person may expect.
    pub fn remark(&self) -> Option<Remark> {
        let (standard, graph) = (self.standard?, self.graph()?);
        standard.remark(&Run { graph: &graph, args: &self.arguments, results: &self.globals })
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
