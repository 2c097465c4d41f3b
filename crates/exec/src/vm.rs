//! The contract between the executor and a machine.
//!
//! A [`GraphVm`] prepares a module once. The [`Executable`] it returns is then used for any number of runs: the executor
//! walks the host code and hands every operator, with its inputs evaluated, to the executable.

use std::sync::Arc;

use gw_graph::Graph;
use gw_ir::module::Module;
use gw_ir::types::Scalar;
use gw_schedule::{Capabilities, Family};

use crate::choice::Choice;
use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::queue::{Queue, QueueSpec, QueueState};
use crate::set::VertexSet;
use crate::sites::{OperatorId, StatementId};
use crate::usage::{DeviceFacts, MachineUsage};
use crate::value::Value;
use crate::vector::Vector;

/// A machine: compiles modules.
pub trait GraphVm: Send + Sync {
    /// The name on the command line and in records.
    fn name(&self) -> &str;

    /// The family it belongs to: passes fill what a schedule leaves open with the defaults of the family.
    fn family(&self) -> Family {
        Family::Cpu
    }

    /// The schedules the machine can execute.
    fn capabilities(&self) -> Capabilities;

    /// Compiles every operator of a module. [`Sites`](crate::Sites) numbers them.
    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>>;

    /// Chooses the schedule for a module as lowered, before any pass, and a graph. Returns the module with the labels that
    /// the schedule names. What is chosen is legal for the module and within the machine's capabilities.
    fn choose(&self, module: Module, _graph: &Graph) -> (Module, Choice) {
        (module, Choice::defaults("this machine has no rule for choosing a schedule"))
    }

    /// What it has done since it was opened; `None` from a machine that keeps no count.
    fn usage(&self) -> Option<MachineUsage> {
        None
    }

    /// The device it computes on, where that is not the processor. Measures what the facts say is measured, which may
    /// take a moment.
    fn device(&self) -> Option<DeviceFacts> {
        None
    }
}

/// A module compiled by a machine.
///
/// Only the first three methods are needed; the others are ways to take over more of the work.
pub trait Executable: Send {
    /// Runs one operator to its end: all effects are visible to the host afterwards.
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome>;

    /// Makes a priority queue. Priorities that the machine watches are not fetched for this; it can do so itself.
    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>>;

    /// Removes and returns the best bucket of a queue; an empty set when nothing is queued.
    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet>;

    /// A run begins: forget what belongs to the one before.
    fn begin_run(&mut self) {}

    /// Whether the machine runs this loop or hybrid statement as a whole.
    fn claims(&self, _statement: StatementId) -> bool {
        false
    }

    /// Runs a statement that the machine claims, or as much of a `while` loop as it likes. It reports the steps inside by
    /// [`Environment::report`].
    fn run_statement(
        &mut self,
        _statement: StatementId,
        _locals: &mut dyn Locals,
        _env: &mut Environment,
    ) -> Result<StatementOutcome> {
        Err(ErrorKind::Unsupported("this machine claims no statements".into()).into())
    }

    /// Runs the iterations of a `par_for` in any order; false leaves them to the host.
    fn run_par_for(
        &mut self,
        _statement: StatementId,
        _range: std::ops::Range<i32>,
        _locals: &mut dyn Locals,
        _env: &mut Environment,
    ) -> Result<bool> {
        Ok(false)
    }

    /// Out-edges of a set in a graph, for the choice of a hybrid. With `enough`, counting may end once so many are found, and
    /// may give a bound where that is below; without, the number is exact for small sets and may be estimated for large ones.
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, _enough: Option<u64>) -> Result<u64> {
        set.with_ids(|ids| {
            let inside = ids.iter().filter(|&&v| (v as usize) < graph.vertices());
            inside.map(|&v| graph.out().degree(v) as u64).sum()
        })
    }

    /// Whether edges of frontiers can be counted while these are made, so that asking for them is no work. It is done where
    /// [`Environment::counts_edges`] says so.
    fn counts_while_making(&self) -> bool {
        false
    }

    /// Whether a step of a few edges takes less time than to choose how. On a device every step takes its time.
    fn has_small_steps(&self) -> bool {
        true
    }

    /// A guess of the out-edges of a set from a few members, for machines on which [`frontier_edges`](Executable::frontier_edges) is
    /// work: often a guess is enough to choose by.
    fn guess_edges(&mut self, _set: &VertexSet, _graph: &Graph) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Sum, largest, smallest or count of non-zero entries of a vector, if the machine has a better way than a loop on
    /// the host.
    fn reduce(&mut self, _reduction: Reduction, _vector: &Vector) -> Option<Result<Value>> {
        None
    }

    /// The out-degrees of a graph as a new vector of this scalar, if the machine has a better way than a loop on the host.
    /// The machine itself marks the vector as watched when it keeps the truth.
    fn out_degrees(&mut self, _graph: &Arc<Graph>, _scalar: Scalar) -> Option<Result<Vector>> {
        None
    }

    /// Whether nothing is left in a queue. A machine whose queues know without the host's copy of the priorities
    /// overrides this: the copy is fetched here.
    fn queue_finished(&mut self, queue: &Queue) -> Result<bool> {
        if queue.spec().priorities.is_watched() {
            self.host_will_read(&queue.spec().priorities)?;
        }
        queue.state().finished()
    }

    /// Whether the priority of a vertex is final ([`QueueState::finished_node`]); the priorities are fetched as in
    /// [`Executable::queue_finished`].
    fn queue_finished_node(&mut self, queue: &Queue, vertex: u32) -> Result<bool> {
        if queue.spec().priorities.is_watched() {
            self.host_will_read(&queue.spec().priorities)?;
        }
        queue.state().finished_node(vertex)
    }

    /// Whether vectors that the program makes are watched from the start, before the machine has met them, and left
    /// unfilled on the host ([`Vector::untouched`]). Vectors whose entries the host computes itself (spanning trees,
    /// arguments of export functions) are not: the machine meets them with their first operator.
    fn watches_new_vectors(&self) -> bool {
        false
    }

    /// The host is about to read one cell of a watched vector. `Some` is its value, and the host's cells stay as they
    /// are; `None` leaves it to [`Executable::host_will_read`]. Cells are counted in the vector given, which may be a
    /// row: [`Vector::storage_cell`] gives the place in the storage.
    fn host_element(&mut self, _vector: &Vector, _cell: usize) -> Option<Result<Value>> {
        None
    }

    /// The host is about to write one cell of a watched vector, with a value of its type. `Some(Ok(()))` says that the
    /// machine has stored it, and the host's cells stay as they are; `None` leaves it to
    /// [`Executable::host_will_write`]. Cells are counted as in [`Executable::host_element`].
    fn set_host_element(&mut self, _vector: &Vector, _cell: usize, _value: Value) -> Option<Result<()>> {
        None
    }

    /// Returns when all work handed to the machine is done. Asked when the program starts or reads its timer.
    fn wait(&mut self) -> Result<()> {
        Ok(())
    }

    /// The program has ended, and the clock stops when this returns: the machine waits for its work. The results are
    /// fetched afterwards, by [`Executable::host_will_read`].
    fn finish_run(&mut self) -> Result<()> {
        self.wait()
    }

    /// Seconds from the first kernel of the run to the end of its last work, start-up statements included, by the clock of the
    /// device. `None` for machines without one. Asked after [`Executable::finish_run`].
    fn device_seconds(&mut self) -> Result<Option<f64>> {
        Ok(None)
    }

    /// The host is about to read entries of a watched vector.
    fn host_will_read(&mut self, _vector: &Vector) -> Result<()> {
        Ok(())
    }

    /// The host is about to write entries of a watched vector, and may read them as well.
    fn host_will_write(&mut self, _vector: &Vector) -> Result<()> {
        Ok(())
    }
}

/// Reductions over whole vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Sum of all entries: whole numbers as [`Value::Uint64`] in two's complement, others added up in double precision as
    /// [`Value::Double`]. The host narrows it to what the program wants.
    Sum,
    /// Largest entry; NaN only when all are.
    Max,
    /// Smallest entry; NaN only when all are.
    Min,
    /// Number of entries different from zero, an `int`.
    Count,
}

/// The evaluated inputs of an operator. Which fields are set follows from the operator's node.
#[derive(Default)]
pub struct OperatorCall<'a> {
    /// The graph of an edge operator. Weights may be integers where the program says `float` or `double`.
    pub graph: Option<Arc<Graph>>,
    /// The `from` set of an edge operator, when it is a set.
    pub from: Option<VertexSet>,
    /// The `to` set of an edge operator, when it is a set.
    pub to: Option<VertexSet>,
    /// The input of vertex operators, filters, deduplication, `UpdateBuckets` and `UpdatePriorityExtern`.
    pub set: Option<VertexSet>,
    /// Captures of the applied (or filtering) function.
    pub captures: Vec<Value>,
    /// Captures of the `from` function.
    pub from_captures: Vec<Value>,
    /// Captures of the `to` function.
    pub to_captures: Vec<Value>,
    /// The queue of ordered operators.
    pub queue: Option<Queue>,
    /// The loop condition of `OrderedProcessing`.
    pub condition: Option<Condition<'a>>,
}

/// Evaluates the condition of an ordered loop on the host; the machine passes itself, to be asked about its queues.
pub type Condition<'a> = &'a mut dyn FnMut(&mut dyn Executable, &mut Environment) -> Result<bool>;

/// What an operator returns and what is known about its work.
#[derive(Debug, Default)]
pub struct OperatorOutcome {
    /// The output set, of operators that have one.
    pub output: Option<VertexSet>,
    /// Entries of the input set.
    pub input_size: Option<u64>,
    /// Entries of the output set, when known without extra work.
    pub output_size: Option<u64>,
    /// Edges touched, when known.
    pub edges: Option<u64>,
    /// Time of the call by the clock of the device; asked for only when somebody listens.
    pub seconds: Option<f64>,
}

/// How far a machine ran a statement that it claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementOutcome {
    /// To its end.
    Done,
    /// A `while` loop is between two iterations, and the next one is the host's. Then the machine is asked again.
    HostTurn,
}

/// The locals of the host function that runs a claimed statement.
pub trait Locals {
    /// The value of a local, parameter or capture; `None` when there is none of this name.
    fn get(&self, name: &str) -> Option<Value>;
    /// Assigns one; false when there is none of this name or the value is of another type.
    fn set(&mut self, name: &str, value: Value) -> bool;
}
