//! A module compiled for the CPU: kernels by operator and shape, and how an operator call is carried out.

use std::sync::{Arc, Mutex};

use gw_exec::{
    AsyncWork, Captures, Condition, EdgeCall, Environment, ErrorKind, Executable, FrontierCosts, Locals, OperatorCall,
    OperatorId, OperatorOutcome, Queue, QueueSpec, QueueState, Reduction, RemoteMemory, Result, Sites, StatementId,
    Statements, Value, Vector, VertexSet, random,
};
use gw_graph::Graph;
use gw_ir::analysis::operator::{EdgeFacts, Enqueued};
use gw_ir::meta::{Dedup, Direction};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::types::Scalar;
use gw_schedule::{FrontierCreation, FrontierForm, SimpleSchedule};
use rustc_hash::FxHashMap;

use crate::abi::slot;
use crate::codegen::{Body, Compiled, EdgeOperator, EdgeShape, Jit, Listing, OutputForm, Range, Side, Source, Target};
use crate::drive::{Crew, common_slots};
use crate::eager;
use crate::edges::{is_selective, weights};
use crate::joined::{self, Pair, Waiting};
use crate::lazy::LazyQueue;
use crate::list_form::ListForm;
use crate::par_for::{self, Iterations};
use crate::set::members;
use crate::sharing::Sharing;
use crate::slots::Slots;
use crate::team::Team;
use crate::vertices::zeroed_vector;

/// A module ready to run on this machine.
pub(crate) struct CpuExecutable {
    pub(crate) module: Arc<Module>,
    pub(crate) operators: Vec<Prepared>,
    /// By statement: `par_for` loops whose bodies may become kernels.
    pub(crate) loops: Vec<Option<Iterations>>,
    /// Operators that can be carried out together.
    pub(crate) pairs: Vec<Pair>,
    /// The first operator of a pair while the second has not come yet.
    pub(crate) waiting: Option<Waiting>,
    /// Second copies of vectors that a pair writes, by the names of the vectors.
    pub(crate) second: FxHashMap<Name, Vector>,
    kernels: FxHashMap<Key, std::result::Result<Compiled, String>>,
    jit: Jit,
    pub(crate) crew: Crew,
    pub(crate) sharing: Sharing,
    /// Bytes of vertices that are already in an output queue; all 0 between calls.
    pub(crate) seen: Vec<u8>,
    /// How often vertices were met; all 0 between calls.
    pub(crate) counts: Vec<u32>,
    /// Runs what is not compiled: printing and extern functions.
    reference: Box<dyn Executable>,
}

/// An operator and what its schedule says.
pub(crate) struct Prepared {
    pub(crate) operator: Operator,
    pub(crate) path: Arc<str>,
    pub(crate) span: Span,
    pub(crate) schedule: SimpleSchedule,
    /// What an edge operator does.
    pub(crate) facts: Option<EdgeFacts>,
    /// The vector that a vertex operator fills with zeros.
    pub(crate) zeroes: Option<Name>,
}

impl Prepared {
    /// The edge operator, if it is one.
    pub(crate) fn edges(&self) -> Option<EdgeOperator<'_>> {
        Some(EdgeOperator { node: self.operator.edges()?, facts: self.facts.as_ref()? })
    }

    /// The type of the weight that the function of an edge operator takes.
    fn weight(&self) -> Option<Scalar> {
        self.facts.as_ref().and_then(|facts| facts.weight)
    }

    /// Whether every vertex that the function of an edge operator puts into the output is the destination.
    fn outputs_destination(&self) -> bool {
        let enqueued = self.facts.as_ref().map(|facts| facts.enqueues.vertices);
        matches!(enqueued, Some(Enqueued::Nothing | Enqueued::Destination))
    }
}

/// Which kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) operator: usize,
    pub(crate) shape: Option<EdgeShape>,
    pub(crate) range: Range,
    pub(crate) target: Target,
    /// The number of the pair whose vertex operator is carried out with the edge operator.
    pub(crate) joined: Option<usize>,
}

impl CpuExecutable {
    pub(crate) fn new(
        module: Arc<Module>,
        team: Arc<Mutex<Team>>,
        sharing: Sharing,
        reference: Box<dyn Executable>,
    ) -> Result<Self> {
        let operators = Sites::of(&module)
            .operators
            .iter()
            .map(|(site, operator)| Prepared {
                operator: (*operator).clone(),
                path: Arc::clone(&site.path),
                span: site.span,
                schedule: schedule_of(operator),
                facts: operator.edges().map(|edges| EdgeFacts::of(&module, edges)),
                zeroes: zeroed_vector(&module, operator),
            })
            .collect();
        let (kernels, loops) = par_for::extract(&module);
        let (module, pairs) = joined::extract(&module, kernels);
        let jit = Jit::new().map_err(|reason| ErrorKind::Unsupported(format!("no code generator: {reason}")))?;
        Ok(CpuExecutable {
            module,
            operators,
            loops,
            pairs,
            waiting: None,
            second: FxHashMap::default(),
            kernels: FxHashMap::default(),
            jit,
            crew: Crew::new(team),
            sharing,
            seen: Vec::new(),
            counts: Vec::new(),
            reference,
        })
    }

    /// The text forms of all kernels, compiled for a narrow graph in the shapes their schedules ask for first.
    pub(crate) fn listings(&mut self) -> Vec<(String, Listing)> {
        self.jit.listings = Some(Vec::new());
        self.kernels.clear();
        for i in 0..self.operators.len() {
            // A refusal is not an error here: such an operator simply has no kernel to show.
            let _ = self.expected_kernel(i);
        }
        for pair in 0..self.pairs.len() {
            // As above.
            let _ = self.expected_pass(pair);
        }
        self.jit.listings.take().unwrap_or_default()
    }

    /// Compiles the kernel that an operator needs most likely, so that the first call finds it.
    pub(crate) fn expected_kernel(&mut self, id: usize) -> std::result::Result<(), String> {
        let prepared = &self.operators[id];
        let parallel = self.crew.size() > 1;
        let (shape, range, target) = match &prepared.operator {
            Operator::VertexSetIterator(op) => {
                let parallel = parallel && op.meta.is_parallel != Some(false);
                (None, Range::Ids, plain_target(parallel, OutputForm::None))
            }
            Operator::VertexSetFilter(op) => {
                let parallel = parallel && op.meta.is_parallel != Some(false);
                (None, Range::Ids, plain_target(parallel, OutputForm::Queue { unique: false }))
            }
            Operator::EdgeSetIterator(op) => {
                let weights = prepared.weight();
                let shape = EdgeShape {
                    direction: op.meta.direction.unwrap_or(Direction::Push),
                    range: match (&op.from, op.meta.direction) {
                        (VertexFilter::Set(_), None | Some(Direction::Push)) => Range::Queue,
                        _ => Range::Ids,
                    },
                    weights,
                    ordered: false,
                    from_all: false,
                    clipped: false,
                    batched: true,
                    fetch_ahead: is_selective(op, op.meta.direction.unwrap_or(Direction::Push)),
                    marked: false,
                    skips_loops: false,
                    drops_leaves: false,
                };
                let target = self.edge_target(prepared, op, shape.direction, parallel, ListForm::NARROW);
                (Some(shape), shape.range, target)
            }
            Operator::OrderedProcessing(ordered) => {
                let op = &ordered.edges;
                let shape = self.ordered_shape(prepared.weight());
                let target = self.edge_target(prepared, op, Direction::Push, parallel, ListForm::NARROW);
                (Some(shape), shape.range, Target { output: OutputForm::Buckets, ..target })
            }
            _ => return Ok(()),
        };
        self.kernel(Key { operator: id, shape, range, target, joined: None }).map(|_| ())
    }

    pub(crate) fn kernel(&mut self, key: Key) -> std::result::Result<Compiled, String> {
        if let Some(known) = self.kernels.get(&key) {
            return known.clone();
        }
        let Some(prepared) = self.operators.get(key.operator) else {
            return self.loop_kernel(key);
        };
        let body = match (&prepared.operator, key.shape) {
            (Operator::VertexSetIterator(op), _) => Body::Vertices(&op.apply, key.range, false),
            (Operator::VertexSetFilter(op), _) => Body::Vertices(&op.filter, key.range, true),
            (_, Some(shape)) => match prepared.edges() {
                Some(op) => match key.joined.and_then(|pair| self.pairs.get(pair)) {
                    Some(pair) => Body::Joined(op, shape, &pair.follow),
                    None => Body::Edges(op, shape),
                },
                None => return Err("not an edge operator".to_string()),
            },
            _ => return Err("not a compiled operator".to_string()),
        };
        let joined = if key.joined.is_some() { ", with the vertex operator behind it" } else { "" };
        let name = format!("{} {}{joined}", prepared.operator.name(), prepared.path);
        let compiled = self
            .jit
            .compile(&self.module, name.trim(), body, key.target)
            .map_err(|r| format!("line {}: {}", r.span.line, r.reason));
        self.kernels.insert(key, compiled.clone());
        compiled
    }

    /// The kernel for a call over so many vertices, and its inputs. Where a vector or another graph has fewer entries
    /// than there are vertices, it is the careful kernel, which checks every access. `more` are globals that only the
    /// kernel knows. `None` leaves the call to the reference machine.
    pub(crate) fn bind(
        &mut self,
        key: Key,
        vertices: usize,
        captures: Captures<'_>,
        more: &[(Name, Value)],
        env: &Environment,
    ) -> Result<Option<(Compiled, Slots)>> {
        // The body of a loop draws by another key than the function of an operator.
        let draws_as = if key.operator < self.operators.len() { random::Role::Apply } else { random::Role::Host };
        self.crew.heed(&env.stop);
        let key = self.suited(key, env);
        for careful in [false, true] {
            // A pair is carried out together only where nothing needs to be checked.
            if careful && key.joined.is_some() {
                return Ok(None);
            }
            let target = Target { careful, ..key.target };
            let Ok(compiled) = self.kernel(Key { target, ..key }) else { return Ok(None) };
            let Some(mut slots) = Slots::fill(&compiled.inputs, target.lists, captures, more, env)? else {
                return Ok(None);
            };
            common_slots(&mut slots.words, &self.crew, vertices);
            slots.set_draws(draws_as, env);
            if compiled.fits(&slots.words) {
                return Ok(Some((compiled, slots)));
            }
        }
        Ok(None)
    }

    /// The kernel of an operator or loop without an adjacency of its own, in the form in which the graph is read whose
    /// lists its functions ask for.
    fn suited(&mut self, key: Key, env: &Environment) -> Key {
        if key.shape.is_some() {
            return key;
        }
        let Ok(compiled) = self.kernel(key) else { return key };
        let forms = compiled.inputs.iter().filter_map(|(source, _)| match source {
            Source::Graph(name, array) => match (env.global(name)?, array.side()?) {
                (Value::Graph(graph), Side::Out) => Some(ListForm::of(graph.out())),
                (Value::Graph(graph), Side::In) => graph.load_incoming().ok().map(ListForm::of),
                _ => None,
            },
            _ => None,
        });
        // Compressed rows can be read in pairs, and not the other way round without a copy.
        let Some(lists) = forms.max_by_key(|form| form.pairs) else { return key };
        Key { target: Target { lists, ..key.target }, ..key }
    }

    /// The kernel of a loop; loops are numbered behind the operators.
    fn loop_kernel(&mut self, key: Key) -> std::result::Result<Compiled, String> {
        let Some(Some(iterations)) = self.loops.get(key.operator - self.operators.len()) else {
            return Err("not a loop".to_string());
        };
        let body = Body::Iterations(&iterations.function);
        let compiled = self
            .jit
            .compile(&self.module, "par_for", body, key.target)
            .map_err(|r| format!("line {}: {}", r.span.line, r.reason));
        self.kernels.insert(key, compiled.clone());
        compiled
    }

    /// How an edge operator's kernel writes its output.
    pub(crate) fn edge_target(
        &self,
        prepared: &Prepared,
        op: &EdgeSetIterator,
        direction: Direction,
        parallel: bool,
        lists: ListForm,
    ) -> Target {
        let duplicates = match &op.output {
            EdgeOutput::None => None,
            EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => Some(*duplicates),
        };
        let unique = duplicates == Some(false) || op.meta.dedup != Dedup::None;
        // Without a word about the form, a map is written in the form in which the next pull reads it.
        let schedule = &prepared.schedule;
        let output = match (duplicates, schedule.creation, direction) {
            (None, ..) => OutputForm::None,
            (_, Some(FrontierCreation::UnfusedBitmap), _) => OutputForm::Bitmap,
            (_, Some(FrontierCreation::UnfusedBoolmap), _) => OutputForm::Bytemap,
            (_, _, Direction::Push) => OutputForm::Queue { unique },
            (_, _, Direction::Pull | Direction::DensePush) => match schedule.pull_frontier() {
                FrontierForm::Boolmap => OutputForm::Bytemap,
                _ => OutputForm::Bitmap,
            },
        };
        Target {
            lists,
            parallel: parallel && op.meta.is_parallel != Some(false),
            output,
            from_bitmap: true,
            owns_output: direction == Direction::Pull
                && prepared.outputs_destination()
                && op.meta.is_edge_parallel != Some(true),
            careful: false,
        }
    }

    /// The kernel of a round of an ordered loop.
    fn ordered_shape(&self, weights: Option<Scalar>) -> EdgeShape {
        EdgeShape {
            direction: Direction::Push,
            range: Range::Tagged,
            weights,
            ordered: true,
            from_all: false,
            clipped: true,
            batched: false,
            // The driver fetches what a bucket needs.
            fetch_ahead: false,
            marked: false,
            skips_loops: false,
            drops_leaves: false,
        }
    }

    /// An ordered loop with eager buckets.
    fn run_ordered(
        &mut self,
        id: usize,
        call: &EdgeCall,
        queue: &Queue,
        condition: &mut Condition<'_>,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let graph = Arc::clone(&call.graph);
        let Some(op) = self.operators[id].edges() else { return Ok(None) };
        let Some(weights) = weights(op.facts.weight, &graph) else { return Ok(None) };
        let lists = ListForm::of(graph.out());
        let target = Target {
            output: OutputForm::Buckets,
            ..self.edge_target(&self.operators[id], op.node, Direction::Push, self.crew.size() > 1, lists)
        };
        let shape = self.ordered_shape(weights);
        let split = op.facts.writes_atomically;
        // Entries of buckets are vertices with a priority in the queue's own vector.
        let Some(priorities) = &op.facts.priorities else { return Ok(None) };
        match env.global(&priorities.vector) {
            Some(Value::Vector(vector)) if is_same(&vector, &queue.spec().priorities) => {}
            _ => return Ok(None),
        }
        let vertices = graph.vertices();
        let key = Key { operator: id, shape: Some(shape), range: Range::Tagged, target, joined: None };
        let Some((compiled, mut slots)) = self.bind(key, vertices, call.captures(), &[], env)? else { return Ok(None) };
        let to_map = call.to.set().map(|set| members(&mut self.crew, set, vertices)).transpose()?;
        slots.set_adjacency(graph.out(), lists);
        slots.words[slot::TO_MAP] = to_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        let ordered = eager::Ordered {
            compiled: &compiled,
            words: &slots.words,
            adjacency: graph.out(),
            greatest_degree: graph.greatest_out_degree(),
            parallel: target.parallel,
            split,
        };
        let outcome = eager::run(self, &ordered, queue, *condition, env);
        slots.write_back(env);
        let span = self.operators[id].span;
        outcome.map(Some).map_err(|e| e.at(span))
    }
}

impl Executable for CpuExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let id = operator.0;
        if let Some(waiting) = self.waiting.take() {
            if let OperatorCall::Vertices(vertices) = &call
                && self.pairs[waiting.pair].vertices == id
                && let Some(outcome) = self.run_joined(&waiting, vertices, env)?
            {
                return Ok(outcome);
            }
            let edges = OperatorId(self.pairs[waiting.pair].edges);
            self.run_now(edges, OperatorCall::Edges(waiting.call()), env)?;
        }
        if let OperatorCall::Edges(edges) = &call
            && let Some(outcome) = self.put_off(id, edges, env)
        {
            return Ok(outcome);
        }
        self.run_now(operator, call, env)
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        if let Some(queue) = eager::EagerQueue::for_spec(spec, self.crew.pool()) {
            return Ok(Box::new(queue));
        }
        let buckets = spec.meta.open_buckets.map(|amount| env.amount(amount)).transpose()?;
        Ok(Box::new(LazyQueue::new(spec, buckets, self.crew.pool())?))
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.reference.dequeue(queue, env)
    }

    fn begin_run(&mut self) {
        self.waiting = None;
        self.second.clear();
        self.crew.rouse();
        self.reference.begin_run();
    }
}

impl CpuExecutable {
    /// Carries out one operator.
    fn run_now(
        &mut self,
        operator: OperatorId,
        mut call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let id = operator.0;
        let outcome = match &mut call {
            OperatorCall::Edges(edges) => self.run_edges(id, edges, env)?,
            OperatorCall::Vertices(vertices) => self.run_vertices(id, vertices, env)?,
            OperatorCall::Dedup { set } => Some(self.run_dedup(set)?),
            OperatorCall::Ordered { edges, queue, condition } if is_eager(queue) => {
                self.run_ordered(id, edges, queue, condition, env)?
            }
            _ => None,
        };
        match outcome {
            Some(outcome) => Ok(outcome),
            None => self.reference.run_operator(operator, call, env),
        }
    }
}

impl Statements for CpuExecutable {
    fn run_par_for(
        &mut self,
        statement: StatementId,
        range: std::ops::Range<i32>,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<bool> {
        self.run_iterations(statement, range, locals, env)
    }
}

impl AsyncWork for CpuExecutable {}

impl FrontierCosts for CpuExecutable {
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, enough: Option<u64>) -> Result<u64> {
        // Where no vertex has many edges, the size of a small set says enough.
        let size = set.len()? as u64;
        let most = size.saturating_mul(graph.greatest_out_degree() as u64);
        match enough {
            Some(enough) if most.saturating_add(size) < enough => Ok(most),
            Some(enough) => crate::set::edges_until(&mut self.crew, set, graph.out(), enough),
            None => crate::set::edges_about(set, graph.out(), crate::set::sample_of(size as usize)),
        }
    }

    fn guess_edges(&mut self, set: &VertexSet, graph: &Graph) -> Result<Option<u64>> {
        crate::set::edges_about(set, graph.out(), crate::set::FEW).map(Some)
    }
}

/// Vectors stay on the host.
impl RemoteMemory for CpuExecutable {
    fn reduce(&mut self, reduction: Reduction, vector: &Vector) -> Option<Result<Value>> {
        crate::reduce::reduce(&mut self.crew, reduction, vector).map(Ok)
    }
}

/// Whether two references lead to the same cells.
fn is_same(a: &Vector, b: &Vector) -> bool {
    a.id() == b.id() && a.storage_cell(0) == b.storage_cell(0) && a.dims() == b.dims()
}

fn is_eager(queue: &Queue) -> bool {
    queue.state().as_any().is::<eager::EagerQueue>()
}

/// The simple schedule bound to an operator; defaults without one.
fn schedule_of(operator: &Operator) -> SimpleSchedule {
    let bound = match operator {
        Operator::VertexSetIterator(op) => op.meta.schedule.as_ref(),
        Operator::VertexSetFilter(op) => op.meta.schedule.as_ref(),
        operator => operator.edges().and_then(|e| e.meta.schedule.as_ref()),
    };
    bound.and_then(|bound| bound.as_simple().copied()).unwrap_or_default()
}

pub(crate) fn plain_target(parallel: bool, output: OutputForm) -> Target {
    // Lists that a vertex function asks for are those of global graphs; `bind` finds out how they are read.
    let lists = ListForm::NARROW;
    Target { lists, parallel, output, from_bitmap: true, owns_output: false, careful: false }
}
