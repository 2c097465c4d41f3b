//! The environment of a run: globals, sizes of elements, command line, timer, printing, random numbers, step records.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use gw_graph::derived::Renumbered;
use gw_graph::{Graph, memory};
use gw_ir::module::{Module, VertexOrder};
use gw_ir::source::Name;
use gw_ir::types::{Domain, Scalar, Type};
use gw_schedule::Param;
use rustc_hash::FxHashMap;

use crate::adaptive::Steps;
use crate::changing::Changing;
use crate::checkpoint::{Checkpoint, Saved};
use crate::error::{ErrorKind, Result};
use crate::externs::{ExternCall, Externs};
use crate::graphs::{GraphSource, fit_weights};
use crate::intrinsics::atoi;
use crate::observe::{Observer, StepRecord};
use crate::options::{Printer, RunOptions, Stop};
use crate::random::{Draws, Role};
use crate::sites::StatementId;
use crate::value::Value;
use crate::vector::{Vector, described};
use crate::vm::Executable;

/// Vectors from this size on ask for memory before they are made: to look how much there is takes as long as to fill a
/// part of a MiB.
const LOOKED_AT: u64 = 16 << 20;

/// Everything a run owns besides the locals of functions. Machines read and write globals here.
pub struct Environment {
    /// Threads that the machine has at work at once.
    pub(crate) threads: u64,
    pub(crate) globals: Arc<GlobalTable>,
    pub(crate) scalars: Vec<u64>,
    pub(crate) objects: Vec<Value>,
    sizes: Vec<Option<usize>>,
    argv: Vec<String>,
    externs: Arc<Externs>,
    graphs: Arc<dyn GraphSource>,
    /// Graphs are numbered by falling degree when they are loaded.
    pub(crate) order: Option<VertexOrder>,
    /// The graph as it was loaded and as this run sees it, where vertices have other numbers in this run.
    pub(crate) renumbered: Option<(Arc<Graph>, Arc<Renumbered>)>,
    /// The graphs whose edges the program changes.
    pub(crate) changing: Changing,
    observer: Option<Arc<dyn Observer>>,
    pub(crate) printer: Printer,
    /// The draws of the code that is running on the host.
    pub(crate) draws: Draws,
    /// Operators that draw and `par_for` loops begun so far.
    pub(crate) calls: u64,
    in_par_for: bool,
    seed: u64,
    timer: Instant,
    /// The ways to stop this run from outside.
    pub stop: Stop,
    steps: u64,
    pub(crate) load_seconds: f64,
    /// A hash of all values of vertices that were loaded.
    pub(crate) loaded_values: u64,
    /// The variant that the enclosing hybrid chose; goes into step records.
    pub(crate) variant: usize,
    /// Seconds that this choice took, when somebody listens; the next operator counts them as its own.
    pub(crate) choosing: f64,
    /// Edges that the last operator call visited, where the machine counts them.
    pub(crate) visited: Option<u64>,
    /// The same for the last call of a statement that chooses.
    pub(crate) visited_by: Option<(StatementId, u64)>,
    /// The next choice may depend on the edges that leave the output of the next operator.
    pub(crate) counts_edges: bool,
    /// The steps of adaptive operators, by statement.
    adaptive: Vec<Option<Steps>>,
    /// Bad advice of trees is guarded against.
    pub(crate) guard: bool,
    /// How deep functions and operators are nested.
    pub(crate) depth: usize,
    /// Where the run is saved, and what it goes on from.
    pub(crate) checkpoint: Option<(Checkpoint, Option<Saved>)>,
    /// What the caller decided about this run.
    options: RunOptions,
    /// The run is one of `main`, which needs nothing but its options.
    pub(crate) of_main: bool,
    /// New vectors are watched and left unfilled ([`RemoteMemory::watches_new_vectors`](crate::RemoteMemory)).
    watch_new: bool,
}

/// Where a variable is kept: numbers and bools in registers, all else as values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Scalar(u32, Scalar),
    Object(u32),
}

/// The globals of a module by name.
#[derive(Debug)]
pub(crate) struct GlobalTable {
    pub(crate) slots: FxHashMap<Name, Slot>,
    pub(crate) names: Vec<(Name, Type, Slot)>,
    pub(crate) elements: Vec<Name>,
    pub(crate) scalars: u32,
    pub(crate) objects: u32,
}

/// Hands out slots in order.
#[derive(Debug, Default)]
pub(crate) struct SlotCounter {
    pub(crate) scalars: u32,
    pub(crate) objects: u32,
}

impl SlotCounter {
    pub(crate) fn next(&mut self, ty: &Type) -> Slot {
        match ty.scalar() {
            Some(scalar) if scalar != Scalar::String => {
                self.scalars += 1;
                Slot::Scalar(self.scalars - 1, scalar)
            }
            _ => {
                self.objects += 1;
                Slot::Object(self.objects - 1)
            }
        }
    }
}

impl GlobalTable {
    pub(crate) fn of(module: &Module) -> GlobalTable {
        let mut counter = SlotCounter::default();
        let names: Vec<_> =
            module.globals.iter().map(|g| (g.name.clone(), g.ty.clone(), counter.next(&g.ty))).collect();
        GlobalTable {
            slots: names.iter().map(|(name, _, slot)| (name.clone(), *slot)).collect(),
            names,
            elements: module.elements.clone(),
            scalars: counter.scalars,
            objects: counter.objects,
        }
    }

    pub(crate) fn element(&self, name: &str) -> Option<usize> {
        self.elements.iter().position(|e| &**e == name)
    }
}

impl Environment {
    pub(crate) fn new(
        globals: Arc<GlobalTable>,
        options: &RunOptions,
        machine: &dyn Executable,
        threads: u64,
    ) -> Environment {
        Environment {
            threads,
            scalars: vec![0; globals.scalars as usize],
            objects: vec![Value::Nothing; globals.objects as usize],
            sizes: vec![None; globals.elements.len()],
            globals,
            argv: options.argv.clone(),
            externs: Arc::clone(&options.externs),
            graphs: Arc::clone(&options.graphs),
            order: None,
            renumbered: None,
            changing: Changing::default(),
            observer: options.observer.clone(),
            printer: Printer::new(&options.output),
            draws: Draws::new(options.seed, 0, Role::Host),
            calls: 0,
            in_par_for: false,
            seed: options.seed,
            timer: Instant::now(),
            stop: Stop::new(options),
            steps: 0,
            load_seconds: 0.0,
            loaded_values: 0,
            variant: 0,
            choosing: 0.0,
            visited: None,
            visited_by: None,
            counts_edges: true,
            adaptive: Vec::new(),
            guard: options.guard,
            depth: 0,
            checkpoint: None,
            options: options.clone(),
            of_main: false,
            watch_new: machine.watches_new_vectors(),
        }
    }

    /// The value of a global; [`Value::Nothing`] when it is not assigned, `None` when there is none of this name.
    pub fn global(&self, name: &str) -> Option<Value> {
        Some(self.slot_value(*self.globals.slots.get(name)?))
    }

    /// Assigns a global; false when there is none of this name or the value is of another type.
    pub fn set_global(&mut self, name: &str, value: Value) -> bool {
        match self.globals.slots.get(name) {
            Some(Slot::Scalar(slot, scalar)) if value.scalar() == Some(*scalar) => {
                self.scalars[*slot as usize] = value.bits().unwrap_or(0);
                true
            }
            Some(Slot::Object(slot)) if value.bits().is_none() => {
                self.objects[*slot as usize] = value;
                true
            }
            _ => false,
        }
    }

    fn slot_value(&self, slot: Slot) -> Value {
        match slot {
            Slot::Scalar(slot, scalar) => Value::from_bits(scalar, self.scalars[slot as usize]),
            Slot::Object(slot) => self.objects[slot as usize].clone(),
        }
    }

    /// All globals in order of declaration.
    pub fn global_values(&self) -> impl Iterator<Item = (&str, &Type, Value)> {
        self.globals.names.iter().map(|(name, ty, slot)| (&**name, ty, self.slot_value(*slot)))
    }

    /// The number of vertices of an element, when known.
    pub fn vertices_of(&self, element: &str) -> Result<usize> {
        let known = self.globals.element(element).and_then(|e| self.sizes[e]);
        known.ok_or_else(|| ErrorKind::UnknownSize { element: element.to_string() }.into())
    }

    /// Sets the number of vertices of an element: done when a graph over it is assigned.
    pub fn set_vertices_of(&mut self, element: &str, vertices: usize) {
        if let Some(e) = self.globals.element(element) {
            self.sizes[e] = Some(vertices);
        }
    }

    /// Command-line argument `index`.
    pub fn argument(&self, index: i64) -> Result<&str> {
        let found = usize::try_from(index).ok().and_then(|i| self.argv.get(i));
        Ok(found.ok_or(ErrorKind::MissingArgument { index })?)
    }

    /// The command-line argument as the program sees it: a vertex by its number in this run.
    pub(crate) fn argument_seen(&self, index: i64) -> Result<Cow<'_, str>> {
        let text = self.argument(index)?;
        let is_vertex = |order: &VertexOrder| order.arguments.iter().any(|&k| i64::from(k) == index);
        let renumbered = self.renumbered.as_ref().filter(|_| self.order.as_ref().is_some_and(is_vertex));
        let new_ids = renumbered.map(|(_, renumbered)| renumbered.permutation.new_ids());
        let new_id = new_ids.and_then(|ids| ids.get(usize::try_from(atoi(text)?).ok()?));
        Ok(new_id.map_or(Cow::Borrowed(text), |id| Cow::Owned(id.to_string())))
    }

    /// A vertex of this run as people know it: by the id that its graph has for it, else by the number that it has in
    /// the graph as it was loaded. `None` where no graph has the vertex.
    pub(crate) fn known_as(&self, vertex: u32) -> Option<String> {
        if let Some((loaded, renumbered)) = &self.renumbered {
            return renumbered.permutation.old_ids().get(vertex as usize).map(|&old| loaded.shown(old).to_string());
        }
        let mut graphs = self.objects.iter().filter_map(Value::as_graph);
        let graph = graphs.find(|graph| (vertex as usize) < graph.vertices())?;
        Some(graph.shown(vertex).to_string())
    }

    /// A number of a schedule that may come from the command line.
    pub fn amount(&self, amount: gw_ir::meta::Amount) -> Result<u64> {
        match amount {
            Param::Value(value) => Ok(value),
            Param::Argv(index) => {
                let text = self.argument(i64::from(index))?;
                text.parse().map_err(|_| {
                    let expected = "a whole number that is not negative";
                    ErrorKind::BadArgument { index, text: text.to_string(), expected }.into()
                })
            }
        }
    }

    /// The width of buckets of reals, which may come from the command line.
    pub(crate) fn width(&self, amount: gw_ir::meta::Amount) -> Result<f64> {
        let (index, text) = match amount {
            Param::Value(0) => {
                return Err(ErrorKind::Unsupported("the bucket width delta must be at least 1".into()).into());
            }
            Param::Value(value) => return Ok(value as f64),
            Param::Argv(index) => (index, self.argument(i64::from(index))?),
        };
        let width = text.parse().ok().filter(|width: &f64| width.is_finite() && *width > 0.0);
        width.ok_or_else(|| {
            let expected = "a number greater than 0";
            ErrorKind::BadArgument { index, text: text.to_string(), expected }.into()
        })
    }

    /// A threshold of a schedule that may come from the command line.
    pub fn threshold(&self, threshold: gw_schedule::Threshold) -> Result<f64> {
        match threshold {
            Param::Value(value) => Ok(value.get()),
            Param::Argv(index) => {
                let text = self.argument(i64::from(index))?;
                let number = text.parse().ok().and_then(gw_schedule::Fraction::new);
                number.map(gw_schedule::Fraction::get).ok_or_else(|| {
                    let expected = "a number that is not negative";
                    ErrorKind::BadArgument { index, text: text.to_string(), expected }.into()
                })
            }
        }
    }

    /// The shape of a vector type: entries per level of nesting, and the type of the cells.
    pub fn shape(&self, ty: &Type) -> Result<(Scalar, Vec<usize>)> {
        let mut dims = Vec::new();
        let mut inner = ty;
        while let Type::Vector { domain, item } = inner {
            dims.push(match domain {
                Domain::Element(element) => self.vertices_of(element)?,
                Domain::Fixed(n) => *n as usize,
                Domain::Counted(name) => self.counted(name)?,
            });
            inner = item;
        }
        match inner.scalar() {
            Some(scalar) if !dims.is_empty() => Ok((scalar, dims)),
            _ => Err(ErrorKind::Malformed(format!("`{ty}` is not a vector type")).into()),
        }
    }

    /// The number of entries of a vector that is as long as a global says.
    fn counted(&self, name: &Name) -> Result<usize> {
        let value = self.global(name);
        let length = match &value {
            Some(Value::Int(n)) => i128::from(*n),
            Some(Value::Uint(n)) => i128::from(*n),
            Some(Value::Int64(n)) => i128::from(*n),
            Some(Value::Uint64(n)) => i128::from(*n),
            _ => return Err(ErrorKind::Unset { name: name.to_string() }.into()),
        };
        // An index is an `int`, so that what is longer could not be used.
        let fits = i32::try_from(length).ok().and_then(|length| usize::try_from(length).ok());
        fits.ok_or_else(|| ErrorKind::BadLength { name: name.to_string(), length: length.to_string() }.into())
    }

    /// Whether new vectors are watched and left unfilled.
    pub(crate) fn watches_new_vectors(&self) -> bool {
        self.watch_new
    }

    pub(crate) fn vector(&self, ty: &Type, fill: u64) -> Result<Vector> {
        let (scalar, dims) = self.shape(ty)?;
        let cell = match scalar {
            Scalar::Bool => 1,
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 8,
            _ => 4,
        };
        let bytes = dims.iter().fold(cell, |bytes: u64, &d| bytes.saturating_mul(d as u64));
        // A watched vector is first needed on another machine.
        if !self.watch_new && bytes >= LOOKED_AT {
            memory::allow(bytes, described(&dims))?;
        }
        let vector = Vector::filled(scalar, &dims, fill)?;
        match self.watch_new {
            true => vector.set_watched(true),
            // A machine in this memory needs the cells anyway, and the start-up is the time to fill them.
            false => vector.touch(),
        }
        Ok(vector)
    }

    /// Loads a graph for an edgeset with these weights.
    pub(crate) fn load_graph(&mut self, text: &str, weight: Option<Scalar>) -> Result<Value> {
        let start = Instant::now();
        let graph = self.graphs.load(text, weight)?;
        let graph = fit_weights(&graph, weight, text)?;
        self.load_seconds += start.elapsed().as_secs_f64();
        if self.order.is_none() || graph.is_degree_ordered() {
            return Ok(Value::Graph(graph));
        }
        let renumbered = graph.by_falling_degree()?;
        let seen = Arc::clone(&renumbered.graph);
        self.renumbered = Some((graph, renumbered));
        Ok(Value::Graph(seen))
    }

    pub(crate) fn start_timer(&mut self) {
        self.timer = Instant::now();
    }

    pub(crate) fn timer_seconds(&self) -> f64 {
        self.timer.elapsed().as_secs_f64()
    }

    /// Prints a line.
    pub fn print(&mut self, text: &str) -> Result<()> {
        self.printer.line(text)
    }

    /// Calls an extern function. `signature` stands in the message when it is missing.
    pub fn call_extern(&self, name: &str, signature: impl FnOnce() -> String, args: &[Value]) -> Result<Value> {
        let Some(closure) = self.externs.get(name) else {
            return Err(ErrorKind::MissingExtern { name: name.to_string(), signature: signature() }.into());
        };
        let call_result = closure(&ExternCall::new(args, &|name| self.global(name)));
        call_result.map_err(|message| ErrorKind::Extern { name: name.to_string(), message }.into())
    }

    /// The options with which another worker can do the same run in step with this one: nobody listens to that run,
    /// and its prints are kept. `None` for the call of an export function, whose arguments exist only here.
    pub fn replica_options(&self) -> Option<RunOptions> {
        let (observer, output) = (None, crate::options::Output::Capture);
        let checkpoint = self.options.checkpoint.clone().map(|checkpoint| Checkpoint { writes: false, ..checkpoint });
        self.of_main.then(|| RunOptions { observer, output, checkpoint, ..self.options.clone() })
    }

    /// A number for the checkpoint that the run goes on from: the same for the same checkpoint. 0 without one.
    pub fn resumed_from(&self) -> u64 {
        let saved = self.checkpoint.as_ref().and_then(|(_, saved)| saved.as_ref());
        saved.map_or(0, |saved| saved.checksum + 1)
    }

    /// A number for the values of vertices that the program has loaded so far: the same for the same values.
    pub fn loaded_values(&self) -> u64 {
        self.loaded_values
    }

    /// The seed of random choices in this run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of the operator call (or `par_for` loop) that runs at present, from 1 on, counting operators whose
    /// functions draw: part of what random draws depend on ([`random`](crate::random)).
    pub fn operator_calls(&self) -> u64 {
        self.calls
    }

    /// A `par_for` begins: its iterations draw by their number. Nothing for a loop inside another, whose iterations are
    /// part of those outside.
    pub(crate) fn begin_par_for(&mut self) -> Option<Draws> {
        if std::mem::replace(&mut self.in_par_for, true) {
            return None;
        }
        self.calls += 1;
        Some(std::mem::replace(&mut self.draws, Draws::new(self.seed, self.calls, Role::Host)))
    }

    /// A `par_for` ends; `outside` is what its begin returned.
    pub(crate) fn end_par_for(&mut self, outside: Option<Draws>) {
        if let Some(draws) = outside {
            (self.draws, self.in_par_for) = (draws, false);
        }
    }

    /// The steps of an adaptive operator, begun when they are first asked for.
    pub(crate) fn adaptive_steps(&mut self, id: StatementId, begin: impl FnOnce() -> Steps) -> &mut Steps {
        if self.adaptive.len() <= id.0 {
            self.adaptive.resize_with(id.0 + 1, || None);
        }
        self.adaptive[id.0].get_or_insert_with(begin)
    }

    /// Operator calls so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether bad advice of trees is guarded against ([`RunOptions::guard`]).
    pub fn is_guarded(&self) -> bool {
        self.guard
    }

    /// Whether a machine that counts the edges of frontiers while it makes them shall count those of the next one
    /// ([`FrontierCosts::counts_while_making`](crate::FrontierCosts::counts_while_making)).
    pub fn counts_edges(&self) -> bool {
        self.counts_edges
    }

    /// Whether somebody listens to step records: what costs time to find out is asked for only then.
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Whether whoever listens wants sizes and edges, too.
    pub fn wants_sizes(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_sizes())
    }

    /// Reports a step; its number is filled in. A machine calls this for the operators inside a statement it claimed;
    /// for all others the executor does.
    pub fn report(&mut self, record: impl FnOnce() -> StepRecord) {
        if let Some(observer) = &self.observer {
            let mut record = record();
            record.step = self.steps;
            observer.step(&record);
        }
        self.steps += 1;
    }
}
