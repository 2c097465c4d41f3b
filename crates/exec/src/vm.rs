//! The contract between the executor and a machine: preparing modules and executing operators.
//!
//! A [`GraphVm`] prepares a module once. The [`Executable`] it returns is then used for any number of runs: the
//! executor walks the host code and hands every operator, with its inputs evaluated, to the executable.

use std::sync::Arc;

use gw_graph::{AdjacencyId, Graph};
use gw_ir::module::Module;
use gw_ir::source::Span;
use gw_schedule::{Capabilities, Family};

use crate::call::{OperatorCall, OperatorOutcome};
use crate::choice::Choice;
use crate::edge_change::EdgeChange;
use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::frontier::FrontierCosts;
use crate::needs::Needs;
use crate::queue::{Queue, QueueSpec, QueueState};
use crate::remote::RemoteMemory;
use crate::set::VertexSet;
use crate::sites::{OperatorId, StatementId};
use crate::usage::{DeviceFacts, MachineUsage, StartStep};
use crate::value::Value;

/// An operator that a machine runs with less than all it has, or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortfall {
    /// What the machine does instead and why, in words of the program, with the lines.
    pub text: String,
    /// The statement at fault.
    pub span: Span,
    /// The machine does not run the program.
    pub refused: bool,
}

/// A machine: compiles modules.
///
/// A method has an answer here only where every machine may leave the question to it. What a machine tells of itself
/// is a part of its own, [`MachineReport`].
pub trait GraphVm: MachineReport + Send + Sync {
    /// The name on the command line and in records.
    fn name(&self) -> &str;

    /// The family it belongs to: passes fill what a schedule leaves open with the defaults of the family.
    fn family(&self) -> Family;

    /// The schedules the machine can execute.
    fn capabilities(&self) -> Capabilities;

    /// The threads that are at work at once: what the program's `threads()` tells, and the measure of the criterion
    /// `input-threads`.
    fn threads(&self) -> u64;

    /// Compiles every operator of a module. [`Sites`](crate::Sites) numbers them.
    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>>;

    /// As [`GraphVm::prepare`], for runs that are expected to be on graphs like this one: a machine that compiles
    /// operators for the graphs they meet can begin with that at once. What the executable can run is the same.
    fn prepare_for(&self, module: Arc<Module>, _graph: &Graph) -> Result<Box<dyn Executable>> {
        self.prepare(module)
    }

    /// Chooses the schedule for a module as lowered, before any pass, and a graph. Returns the module with the labels
    /// that the schedule names. What is chosen is legal for the module and within the machine's capabilities. A machine
    /// without a rule returns [`Choice::without_rule`].
    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice);

    /// The memory that a run of a module, after all passes, needs on a graph. Nothing is allocated. A machine that
    /// works in the memory of the host alone returns [`host_needs`](crate::host_needs).
    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs>;

    /// The operators of a program that the machine runs with less than all it has, or not at all. `optimised` makes the
    /// module after all passes; `None` where the passes refuse it. A machine that runs every operator alike does not
    /// ask.
    fn shortfalls(&self, _optimised: &mut dyn FnMut() -> Option<Module>) -> Vec<Shortfall> {
        Vec::new()
    }

    /// From how many runs on a graph on it pays to number the vertices by degree; `None` where that helps nobody.
    fn renumbers_from(&self) -> Option<u32> {
        None
    }

    /// A graph has changed: `after` has the edges of a graph with the out-lists `before`, which may be gone, with these
    /// changes, sorted by source and target. A machine that keeps graphs elsewhere brings what it has up to date, and
    /// says whether it did; else it takes all of `after` when it first runs on it.
    fn follow(
        &self,
        _before: AdjacencyId,
        _after: &Arc<Graph>,
        _changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool> {
        Ok(false)
    }
}

/// What a machine tells of itself, for records and for people. A machine that has nothing to tell implements it without
/// a method.
pub trait MachineReport {
    /// What it has done since it was opened; `None` from a machine that keeps no count.
    fn usage(&self) -> Option<MachineUsage> {
        None
    }

    /// What opening the machine took, step by step; empty where opening takes no time worth telling.
    fn start_steps(&self) -> &[StartStep] {
        &[]
    }

    /// What the machine has to tell about its last run, in lines for a person; `None` from a machine that has nothing
    /// to tell.
    fn report(&self) -> Option<String> {
        None
    }

    /// The device it computes on, where that is not the processor. Measures what the facts say is measured, which may
    /// take a moment.
    fn device(&self) -> Option<DeviceFacts> {
        None
    }
}

/// A module compiled by a machine: the first part of the contract, executing operators.
///
/// The other parts are [`RemoteMemory`], for machines that keep values away from the host, [`FrontierCosts`],
/// [`Statements`], for machines that run loops as a whole, and [`AsyncWork`], for machines that work while the host
/// goes on. A machine that does none of this implements them without a method.
pub trait Executable: RemoteMemory + FrontierCosts + Statements + AsyncWork + Send {
    /// Runs one operator: its effects are visible to whatever the host asks for afterwards. A machine that works while
    /// the host goes on may tell of a fault later, when it is next asked for a value, or by [`AsyncWork::faults`].
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
    fn begin_run(&mut self);

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

    /// Whether other runs in this process walk the program beside this one, with the same options
    /// ([`Environment::replica_options`]).
    fn has_replicas(&self) -> bool {
        false
    }
}

/// The statements that a machine runs as a whole. A machine that runs operators alone implements it without a method.
pub trait Statements {
    /// Whether the machine runs this loop or hybrid statement as a whole.
    fn claims(&self, _statement: StatementId) -> bool {
        false
    }

    /// Runs a statement that the machine claims, or as much of a `while` loop as it likes. It reports the steps
    /// inside by [`Environment::report`].
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
}

/// What the executor asks of a machine that works while the host goes on. A machine whose operators are done when their
/// call returns implements it without a method.
pub trait AsyncWork {
    /// Tells of a fault in an operator that nobody has waited for yet. Asked before anything is printed, and when the
    /// host finds a fault of its own: what went wrong first is what a person is told.
    fn faults(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns when all work handed to the machine is done. Asked when the program starts or reads its timer.
    fn wait(&mut self) -> Result<()> {
        Ok(())
    }

    /// The program has ended, and the clock stops when this returns: the machine waits for its work. The results are
    /// fetched afterwards, by [`RemoteMemory::host_will_read`](crate::RemoteMemory::host_will_read).
    fn finish_run(&mut self) -> Result<()> {
        self.wait()
    }

    /// Seconds from the first kernel of the run to the end of its last work, start-up statements included, by the
    /// clock of the device. `None` for machines without one. Asked after [`AsyncWork::finish_run`].
    fn device_seconds(&mut self) -> Result<Option<f64>> {
        Ok(None)
    }
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
