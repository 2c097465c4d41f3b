//! The reference machine: interprets operators one edge at a time, in a fixed or a shuffled order. Simple, sequential
//! and obviously right; the oracle of differential tests.
//!
//! It honours what operators mean, not how schedules would run them, and so gives the same results for a module at any
//! stage of the pipeline: before change tracking it observes the writes of a function itself, afterwards it lets the
//! function enqueue; atomicity, directions and representations make no difference to it. Only `to_folded` is taken at
//! its word (the test is skipped in a push), so that a wrongly folded filter shows.

mod buckets;
mod edges;
mod traced;
mod traced_vm;

use std::sync::{Arc, MutexGuard, PoisonError};

use gw_graph::Graph;
use gw_graph::rng::Rng;
use gw_ir::analysis::operator::EdgeFacts;
use gw_ir::expr::FunctionRef;
use gw_ir::meta::Direction;
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_schedule::{Capabilities, Family};

use buckets::Buckets;
pub use traced_vm::TracedVm;

use crate::call::{OperatorCall, OperatorOutcome, VertexCall};
use crate::choice::Choice;
use crate::code::{Code, Function};
use crate::env::{Environment, Slot};
use crate::error::{ErrorKind, ExecError, Result};
use crate::frontier::FrontierCosts;
use crate::interp::Interp;
use crate::needs::{Needs, host_needs};
use crate::queue::{Queue, QueueSpec, QueueState};
use crate::random::{Draws, Role};
use crate::remote::RemoteMemory;
use crate::scalar::Register;
use crate::set::{SetForm, VertexSet};
use crate::sites::{OperatorId, Sites};
use crate::trace::{SharedTrace, Trace, TracedCall};
use crate::vm::{AsyncWork, Executable, GraphVm, MachineReport, Statements};

/// The reference machine.
///
/// By default sources are visited in ascending order, each with its neighbours in order of adjacency. A shuffled
/// machine visits vertices and edges in an order drawn from its seed, anew in every call: programs whose results then
/// differ depend on an order that the language does not promise.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReferenceVm {
    shuffle: Option<u64>,
}

impl ReferenceVm {
    /// The machine with its fixed order.
    pub fn new() -> Self {
        ReferenceVm::default()
    }

    /// The machine with an order drawn from this seed.
    pub fn shuffled(seed: u64) -> Self {
        ReferenceVm { shuffle: Some(seed) }
    }
}

impl GraphVm for ReferenceVm {
    fn name(&self) -> &str {
        "reference"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        // Schedules do not change results, and results are all this machine is for.
        Capabilities::everything("reference")
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let code = Code::compile(&module)?;
        let operators = Sites::of(&module).operators.into_iter().map(|(_, op)| op.clone()).collect();
        Ok(Box::new(Reference {
            code: Arc::new(code),
            operators: Arc::new(operators),
            seed: self.shuffle,
            rng: self.shuffle.map(|seed| Rng::new(seed, 0)),
            trace: None,
        }))
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for ReferenceVm {}

/// A module prepared by the machine that tells `trace` what it does.
fn prepare_traced(module: Arc<Module>, trace: SharedTrace) -> Result<Box<dyn Executable>> {
    let code = Arc::new(Code::compile(&module)?);
    let operators: Vec<Operator> = Sites::of(&module).operators.into_iter().map(|(_, op)| op.clone()).collect();
    let early_exit = |op: &Operator| op.edges().is_some_and(|edges| EdgeFacts::of(&module, edges).early_exit);
    let early_exit = operators.iter().map(early_exit).collect();
    let trace = Some(Traced { trace, early_exit, operator: OperatorId(0) });
    Ok(Box::new(Reference { code, operators: Arc::new(operators), seed: None, rng: None, trace }))
}

/// A module prepared by the reference machine.
struct Reference {
    code: Arc<Code>,
    operators: Arc<Vec<Operator>>,
    seed: Option<u64>,
    /// Draws the order of a shuffled machine.
    rng: Option<Rng>,
    /// Who listens, for a traced machine.
    trace: Option<Traced>,
}

/// What a traced machine knows beyond the reference machine.
struct Traced {
    trace: SharedTrace,
    /// By operator: whether a pull may stop at the first visited edge that changes the answer of the `to` function.
    early_exit: Vec<bool>,
    /// The operator that is running.
    operator: OperatorId,
}

impl RemoteMemory for Reference {}

impl FrontierCosts for Reference {}

impl Statements for Reference {}

impl AsyncWork for Reference {}

impl Executable for Reference {
    fn begin_run(&mut self) {
        self.rng = self.seed.map(|seed| Rng::new(seed, 0));
    }

    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let operators = Arc::clone(&self.operators);
        if let Some(traced) = &mut self.trace {
            traced.operator = operator;
        }
        let operator =
            operators.get(operator.0).ok_or_else(|| ErrorKind::Malformed("an operator of another module".into()))?;
        match (operator, call) {
            (Operator::EdgeSetIterator(edges), OperatorCall::Edges(call)) => self.edge_iterator(edges, call, env),
            (Operator::UpdatePriorityEdgeSetIterator(update), OperatorCall::PriorityEdges { edges, queue }) => {
                self.priority_iterator(update, edges, &queue, env)
            }
            (Operator::OrderedProcessing(ordered), OperatorCall::Ordered { edges, queue, condition }) => {
                self.ordered(ordered, edges, &queue, condition, env)
            }
            (Operator::VertexSetIterator(vertices), OperatorCall::Vertices(call)) => {
                self.vertices(&vertices.apply, false, call, env)
            }
            (Operator::VertexSetFilter(filter), OperatorCall::Vertices(call)) => {
                self.vertices(&filter.filter, true, call, env)
            }
            (Operator::VertexSetDedup(_), OperatorCall::Dedup { set }) => {
                let input_size = Some(set.len()? as u64);
                set.with(|form| {
                    if !matches!(form, SetForm::All(_)) {
                        *form = SetForm::Ids(without_repeats(form.ids()?));
                    }
                    Result::Ok(())
                })?;
                Ok(OperatorOutcome { input_size, output_size: Some(set.len()? as u64), ..Default::default() })
            }
            (Operator::UpdateBuckets(_), OperatorCall::UpdateBuckets { set, queue }) => {
                let moved = set.ids()?;
                rebucket(&queue, &moved)?;
                Ok(OperatorOutcome { input_size: Some(moved.len() as u64), ..Default::default() })
            }
            (Operator::UpdatePriorityExtern(update), OperatorCall::PriorityExtern { vertices, queue }) => {
                let VertexCall { set, captures } = vertices;
                let input_size = Some(set.len()? as u64);
                let code = Arc::clone(&self.code);
                let function = function(&code, &update.function)?;
                let result = Interp::new(&code, env, self).run_function(function, captures, vec![set.into()])?;
                let moved = result.as_set().map(VertexSet::ids).transpose()?;
                let moved = moved.ok_or_else(|| {
                    let message = format!("the extern function `{}` returned no vertexset", update.function.name);
                    ExecError::from(ErrorKind::Malformed(message))
                })?;
                rebucket(&queue, &moved)?;
                Ok(OperatorOutcome { input_size, output_size: Some(moved.len() as u64), ..Default::default() })
            }
            _ => Err(ErrorKind::Malformed("a call of another kind of operator".into()).into()),
        }
    }

    fn new_queue(&mut self, spec: &QueueSpec, _: &mut Environment) -> Result<Box<dyn QueueState>> {
        Ok(Box::new(Buckets::new(spec)?))
    }

    fn dequeue(&mut self, queue: &Queue, _: &mut Environment) -> Result<VertexSet> {
        Ok(VertexSet::from_ids(queue.state().dequeue()?))
    }
}

impl Reference {
    /// Runs a function on the members of a set and, as a filter, keeps those for which it is true.
    fn vertices(
        &mut self,
        apply: &FunctionRef,
        filter: bool,
        VertexCall { set, captures }: VertexCall,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let size = set.len()?;
        let mut order = match (set.universe(), &self.rng) {
            (Some(_), None) => None,
            _ => Some(set.ids()?),
        };
        if let (Some(ids), Some(rng)) = (&mut order, &mut self.rng) {
            rng.shuffle(ids);
        }
        let code = Arc::clone(&self.code);
        let function = function(&code, apply)?;
        let slot = scalar_param(function, 0)?;
        env.draws = Draws::new(env.seed(), env.operator_calls(), Role::Apply);
        let listener = self.trace.as_ref().map(|traced| (Arc::clone(&traced.trace), traced.operator));
        let mut guard = listener.as_ref().map(|(trace, operator)| (lock(trace), *operator));
        if let Some((trace, operator)) = &mut guard {
            let (operator, input) = (*operator, order.as_deref());
            trace.begin(&TracedCall { operator, graph: None, direction: Direction::Push, input });
        }
        let mut interp = Interp::new(&code, env, self);
        interp.trace = guard.as_mut().map(|(trace, _)| &mut **trace as &mut dyn Trace);
        let frame = interp.enter(function, captures)?;
        let mut kept = Vec::new();
        for i in 0..size {
            let vertex = order.as_ref().map_or(i as u32, |ids| ids[i]);
            interp.tick()?;
            interp.env.draws.begin(vertex, 0);
            interp.set_param(frame, slot, vertex.bits());
            if let Some(trace) = &mut interp.trace {
                trace.vertex(vertex);
                trace.apply(false);
            }
            if interp.run_frame(frame)? != 0 && filter {
                kept.push(vertex);
                if let Some(trace) = &mut interp.trace {
                    trace.enqueue(vertex);
                }
            }
        }
        if let Some(trace) = &mut interp.trace {
            trace.end(filter.then_some(kept.len()));
        }
        drop(interp);
        let mut outcome = OperatorOutcome { input_size: Some(size as u64), ..Default::default() };
        if filter {
            outcome.output_size = Some(kept.len() as u64);
            outcome.output = Some(VertexSet::from_ids(kept));
        }
        Ok(outcome)
    }
}

/// The listener of a traced machine. A listener that failed leaves a trace that nobody will read.
fn lock<'t>(trace: &'t SharedTrace) -> MutexGuard<'t, dyn Trace + 'static> {
    trace.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves vertices to the buckets of their present priorities.
fn rebucket(queue: &Queue, vertices: &[u32]) -> Result<()> {
    queue.state().rebucket(vertices)
}

fn function<'c>(code: &'c Code, function: &FunctionRef) -> Result<&'c Function> {
    let index = code.by_name.get(&function.name);
    let found = index.and_then(|&i| code.functions.get(i));
    found.ok_or_else(|| ErrorKind::Malformed(format!("there is no function `{}`", function.name)).into())
}

fn scalar_param(function: &Function, index: usize) -> Result<u32> {
    match function.params.get(index) {
        Some(Slot::Scalar(slot, _)) => Ok(*slot),
        _ => Err(ErrorKind::Malformed(format!("parameter {index} of `{}` must be a vertex", function.name)).into()),
    }
}

/// The ids in their order, each once.
fn without_repeats(ids: Vec<u32>) -> Vec<u32> {
    let mut seen = vec![false; ids.iter().max().map_or(0, |&max| max as usize + 1)];
    ids.into_iter().filter(|&v| !std::mem::replace(&mut seen[v as usize], true)).collect()
}
