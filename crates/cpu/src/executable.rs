//! A module compiled for the CPU: kernels by operator and shape, and how an operator call is carried out.

use std::collections::HashMap;
use std::sync::Arc;

use gw_exec::{
    Environment, ErrorKind, ExecError, Executable, OperatorCall, OperatorId, OperatorOutcome, Queue, QueueSpec,
    QueueState, Reduction, Result, SetForm, Sites, Value, Vector, VertexSet,
};
use gw_graph::{Adjacency, Graph, Offsets, WeightKind};
use gw_ir::expr::{ExprKind, FunctionRef};
use gw_ir::meta::{Dedup, Direction, Representation};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Span;
use gw_ir::types::Scalar;
use gw_ir::walk;
use gw_schedule::{Parallelism, SimpleSchedule};

use crate::abi::slot;
use crate::codegen::{Body, Compiled, EdgeShape, Jit, Listing, OutputForm, Range, Target};
use crate::drive::{ByEdges, Chunks, Crew, Even, common_slots};
use crate::eager;
use crate::set::{Map, MapSet, map_of};
use crate::slots::Slots;

/// How work is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sharing {
    /// Fewer edges than this are not worth waking the team.
    pub(crate) alone_edges: usize,
    /// Fewer vertices than this are not worth waking the team.
    pub(crate) alone_vertices: usize,
    /// A chunk has at least this many vertices.
    pub(crate) least_chunk: usize,
}

impl Sharing {
    /// What measures best.
    pub(crate) const USUAL: Sharing = Sharing { alone_edges: 1 << 13, alone_vertices: 1 << 11, least_chunk: 16 };
    /// Everything is shared, in chunks as small as can be: brings races to light.
    pub(crate) const TINY: Sharing = Sharing { alone_edges: 0, alone_vertices: 0, least_chunk: 1 };
}

/// Chunks per member when a range is cut.
const CHUNKS_PER_MEMBER: usize = 32;
/// The largest chunk of vertices that an idle member takes, unless the schedule says otherwise.
const DYNAMIC_GRAIN: usize = 1024;

/// A module ready to run on this machine.
pub(crate) struct CpuExecutable {
    module: Arc<Module>,
    operators: Vec<Prepared>,
    kernels: HashMap<Key, std::result::Result<Compiled, String>>,
    jit: Jit,
    pub(crate) crew: Crew,
    pub(crate) sharing: Sharing,
    /// The workers have the random numbers of this run.
    seeded: bool,
    /// Bytes of vertices that are already in an output queue; all 0 between calls.
    seen: Vec<u8>,
    /// Runs what is not compiled: printing, extern functions and lazy queues.
    reference: Box<dyn Executable>,
}

/// An operator and what its schedule says.
struct Prepared {
    operator: Operator,
    path: Arc<str>,
    span: Span,
    schedule: SimpleSchedule,
    /// Every vertex that the function puts into the output is the destination.
    outputs_destination: bool,
}

/// Which kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    operator: usize,
    shape: Option<EdgeShape>,
    range: Range,
    target: Target,
}

impl CpuExecutable {
    pub(crate) fn new(
        module: Arc<Module>,
        threads: usize,
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
                outputs_destination: outputs_destination(&module, operator),
            })
            .collect();
        let jit = Jit::new().map_err(|reason| ErrorKind::Unsupported(format!("no code generator: {reason}")))?;
        Ok(CpuExecutable {
            module,
            operators,
            kernels: HashMap::new(),
            jit,
            crew: Crew::new(threads),
            sharing,
            seeded: false,
            seen: Vec::new(),
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
                let weights = declared_weight(&self.module, op);
                let shape = EdgeShape {
                    direction: op.meta.direction.unwrap_or(Direction::Push),
                    range: match (&op.from, op.meta.direction) {
                        (VertexFilter::Set(_), None | Some(Direction::Push)) => Range::Queue,
                        _ => Range::Ids,
                    },
                    weights,
                    ordered: false,
                    from_all: false,
                };
                let target = self.edge_target(prepared, op, shape.direction, parallel, false);
                (Some(shape), shape.range, target)
            }
            _ => return Ok(()),
        };
        self.kernel(Key { operator: id, shape, range, target }).map(|_| ())
    }

    fn kernel(&mut self, key: Key) -> std::result::Result<Compiled, String> {
        if let Some(known) = self.kernels.get(&key) {
            return known.clone();
        }
        let prepared = &self.operators[key.operator];
        let body = match (&prepared.operator, key.shape) {
            (Operator::VertexSetIterator(op), _) => Body::Vertices(&op.apply, key.range, false),
            (Operator::VertexSetFilter(op), _) => Body::Vertices(&op.filter, key.range, true),
            (operator, Some(shape)) => match operator.edges() {
                Some(op) => Body::Edges(op, shape),
                None => return Err("not an edge operator".to_string()),
            },
            _ => return Err("not a compiled operator".to_string()),
        };
        let name = format!("{} {}", prepared.operator.name(), prepared.path);
        let compiled = self
            .jit
            .compile(&self.module, name.trim(), body, key.target)
            .map_err(|r| format!("line {}: {}", r.span.line, r.reason));
        self.kernels.insert(key, compiled.clone());
        compiled
    }

    /// How an edge operator's kernel writes its output.
    fn edge_target(
        &self,
        prepared: &Prepared,
        op: &EdgeSetIterator,
        direction: Direction,
        parallel: bool,
        wide_offsets: bool,
    ) -> Target {
        let duplicates = match &op.output {
            EdgeOutput::None => None,
            EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => Some(*duplicates),
        };
        let unique = duplicates == Some(false) || op.meta.dedup != Dedup::None;
        let output = match (duplicates, op.meta.output_representation, direction) {
            (None, ..) => OutputForm::None,
            (_, Some(Representation::Bitmap), _) => OutputForm::Bitmap,
            (_, Some(Representation::Boolmap), _) => OutputForm::Bytemap,
            (_, _, Direction::Pull | Direction::DensePush) => OutputForm::Bitmap,
            (_, _, Direction::Push) => OutputForm::Queue { unique },
        };
        Target {
            wide_offsets,
            parallel: parallel && op.meta.is_parallel != Some(false),
            output,
            from_bitmap: true,
            owns_output: direction == Direction::Pull && prepared.outputs_destination,
        }
    }

    fn run_edges(
        &mut self,
        id: usize,
        call: &OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let graph = required(call.graph.as_ref(), "graph")?.clone();
        let vertices = graph.vertices();
        let prepared = &self.operators[id];
        let Some(op) = prepared.operator.edges() else { return Ok(None) };
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let adjacency = if direction == Direction::Pull { graph.incoming() } else { graph.out() };
        let wide = matches!(adjacency.offsets(), Offsets::Wide(_));
        let mut target = self.edge_target(prepared, op, direction, self.crew.size() > 1, wide);
        let weights = match (declared_weight(&self.module, op), graph.weight_kind()) {
            (None, _) => None,
            (Some(_), WeightKind::Float) => Some(Scalar::Float),
            (Some(_), WeightKind::Int) => Some(Scalar::Int),
            (Some(_), WeightKind::None) => return Ok(None),
        };

        // The input in the form the kernel iterates over or tests.
        let from = call.from.as_ref().filter(|set| set.universe().is_none());
        let input_size = from.map_or(vertices, VertexSet::len);
        let mut queue = Vec::new();
        let mut from_map = None;
        let range = match (direction, from) {
            (_, None) => Range::Ids,
            (Direction::Pull, Some(set)) => {
                target.from_bitmap = prepared.schedule.pull_frontier() != gw_schedule::FrontierForm::Boolmap;
                from_map = Some(map_of(set, vertices, target.from_bitmap));
                Range::Ids
            }
            (Direction::DensePush, Some(set)) => {
                target.from_bitmap = prepared.schedule.pull_frontier() != gw_schedule::FrontierForm::Boolmap;
                from_map = Some(map_of(set, vertices, target.from_bitmap));
                Range::Map
            }
            (Direction::Push, Some(set)) if is_map(set) && input_size > vertices / 16 => {
                from_map = Some(map_of(set, vertices, true));
                Range::Map
            }
            (Direction::Push, Some(set)) => {
                queue = set.ids();
                Range::Queue
            }
        };
        let to_map = call.to.as_ref().map(|set| map_of(set, vertices, false));

        let parallel = target.parallel;
        let (span, shape) =
            (prepared.span, EdgeShape { direction, range, weights, ordered: false, from_all: from.is_none() });
        let Ok(compiled) = self.kernel(Key { operator: id, shape: Some(shape), range, target }) else {
            return Ok(None);
        };

        // The environment of the kernel.
        let Some(mut slots) = Slots::fill(&compiled.sources, target.wide_offsets, call, env)? else { return Ok(None) };
        common_slots(&mut slots.words, &self.crew, vertices);
        slots.set_adjacency(adjacency);
        slots.words[slot::QUEUE] = queue.as_ptr() as u64;
        slots.words[slot::FROM_MAP] = from_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        slots.words[slot::TO_MAP] = to_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        let mut out_map = match target.output {
            OutputForm::Bitmap => Some(Map::empty(vertices, true)),
            OutputForm::Bytemap => Some(Map::empty(vertices, false)),
            _ => None,
        };
        slots.words[slot::OUT_MAP] = out_map.as_mut().map_or(0, |m| m.as_mut_ptr() as u64);
        let unique = target.output == OutputForm::Queue { unique: true };
        if unique && self.seen.len() < vertices {
            self.seen = vec![0; vertices];
        }
        slots.words[slot::SEEN] = self.seen.as_mut_ptr() as u64;

        let schedule = self.operators[id].schedule;
        let grain = schedule.grain.map(|grain| env.amount(grain)).transpose()?.filter(|&g| g > 0).map(|g| g as usize);
        let chunks = self.chunks(&schedule, grain, range, queue.len(), adjacency);
        let alone = !parallel || is_small(&queue, range, adjacency, self.sharing.alone_edges);
        // SAFETY: the slots were filled from the inputs that this kernel was compiled with, for this graph; the range is
        // that of its vertices or of the queue, whose ids are vertices of the graph.
        let driven = unsafe { self.crew.drive(compiled.kernel, &slots.words, &*chunks, alone, &env.stop) };
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        let found = self.crew.collect_queues();
        if unique {
            for &v in &found {
                self.seen[v as usize] = 0;
            }
        }
        let (edges, marked) = self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;

        let output = match target.output {
            OutputForm::None | OutputForm::Buckets => None,
            OutputForm::Queue { .. } => Some(VertexSet::from_ids(found)),
            OutputForm::Bitmap | OutputForm::Bytemap => out_map.map(|map| {
                let set = MapSet { map, count: marked as usize };
                VertexSet::new(SetForm::Machine(Box::new(set)))
            }),
        };
        Ok(Some(OperatorOutcome {
            output_size: output.as_ref().map(|set| set.len() as u64),
            output,
            input_size: Some(input_size as u64),
            edges: Some(edges),
        }))
    }

    /// The cut of an edge operator's range that its schedule asks for; without one, vertices are shared by their edges.
    fn chunks<'g>(
        &self,
        schedule: &SimpleSchedule,
        grain: Option<usize>,
        range: Range,
        queued: usize,
        adjacency: &'g Adjacency,
    ) -> Box<dyn Chunks + 'g> {
        let members = self.crew.size();
        let length = if range == Range::Queue { queued } else { adjacency.vertices() };
        let even = |grain: usize| Even {
            length,
            // Words of a bitmap must not be shared by two chunks.
            grain: if range == Range::Queue { grain } else { grain.next_multiple_of(64) },
        };
        match (schedule.parallelism, grain) {
            (Some(Parallelism::Static), _) => Box::new(even(length.div_ceil(members).max(1))),
            (Some(Parallelism::Dynamic), Some(grain)) => Box::new(even(grain)),
            (Some(Parallelism::Dynamic), None) if range != Range::Queue => {
                Box::new(even((length / (CHUNKS_PER_MEMBER * members)).clamp(64, DYNAMIC_GRAIN)))
            }
            (Some(Parallelism::EdgeAware), Some(grain)) if range != Range::Queue => {
                let chunks = (adjacency.edges() + adjacency.vertices()).div_ceil(grain).max(1);
                Box::new(ByEdges { offsets: adjacency.offsets(), chunks })
            }
            _ if range == Range::Queue => {
                Box::new(even((length / (CHUNKS_PER_MEMBER * members)).clamp(self.sharing.least_chunk, DYNAMIC_GRAIN)))
            }
            _ => Box::new(ByEdges { offsets: adjacency.offsets(), chunks: CHUNKS_PER_MEMBER * members }),
        }
    }

    fn run_vertices(
        &mut self,
        id: usize,
        call: &OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let set = required(call.set.as_ref(), "vertexset")?;
        let prepared = &self.operators[id];
        let (is_parallel, filter) = match &prepared.operator {
            Operator::VertexSetIterator(op) => (op.meta.is_parallel, false),
            Operator::VertexSetFilter(op) => (op.meta.is_parallel, true),
            _ => return Ok(None),
        };
        let parallel = self.crew.size() > 1 && is_parallel != Some(false);
        let output = if filter { OutputForm::Queue { unique: false } } else { OutputForm::None };
        let (queue, range, length) = match set.universe() {
            Some(n) => (Vec::new(), Range::Ids, n),
            None => {
                let queue = set.ids();
                let length = queue.len();
                (queue, Range::Queue, length)
            }
        };
        let span = prepared.span;
        let target = plain_target(parallel, output);
        let key = Key { operator: id, shape: None, range, target };
        let Ok(compiled) = self.kernel(key) else { return Ok(None) };
        let Some(mut slots) = Slots::fill(&compiled.sources, target.wide_offsets, call, env)? else { return Ok(None) };
        // Vertices of a set are below the number of vertices of their element, to which vectors are sized.
        let vertices = set.universe().unwrap_or_else(|| queue.iter().max().map_or(0, |&v| v as usize + 1));
        common_slots(&mut slots.words, &self.crew, vertices);
        slots.words[slot::QUEUE] = queue.as_ptr() as u64;
        let schedule = self.operators[id].schedule;
        let members = self.crew.size();
        let grain = match (schedule.parallelism, schedule.grain) {
            (Some(Parallelism::Static), _) => length.div_ceil(members).max(1),
            (_, Some(grain)) => (env.amount(grain)? as usize).max(1),
            _ => (length / (CHUNKS_PER_MEMBER * members)).clamp(16 * self.sharing.least_chunk, 1 << 14),
        };
        let chunks = Even { length, grain };
        let alone = !parallel || length < self.sharing.alone_vertices;
        // SAFETY: as in `run_edges`.
        let driven = unsafe { self.crew.drive(compiled.kernel, &slots.words, &chunks, alone, &env.stop) };
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        let found = self.crew.collect_queues();
        self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;
        Ok(Some(OperatorOutcome {
            output_size: filter.then_some(found.len() as u64),
            output: filter.then(|| VertexSet::from_ids(found)),
            input_size: Some(length as u64),
            edges: None,
        }))
    }

    /// Removes repeats from a set in place, keeping first entries. Maps have none.
    fn run_dedup(&mut self, call: &OperatorCall<'_>) -> Result<OperatorOutcome> {
        let set = required(call.set.as_ref(), "vertexset")?;
        let seen = &mut self.seen;
        let input = set.len();
        set.with(|form| {
            let SetForm::Ids(ids) = form else { return };
            let needed = ids.iter().max().map_or(0, |&v| v as usize + 1);
            if seen.len() < needed {
                seen.resize(needed, 0);
            }
            ids.retain(|&v| std::mem::replace(&mut seen[v as usize], 1) == 0);
            for &v in ids.iter() {
                seen[v as usize] = 0;
            }
        });
        Ok(OperatorOutcome {
            input_size: Some(input as u64),
            output_size: Some(set.len() as u64),
            ..OperatorOutcome::default()
        })
    }

    /// An ordered loop with eager buckets.
    fn run_ordered(
        &mut self,
        id: usize,
        call: &mut OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let graph: Arc<Graph> = required(call.graph.as_ref(), "graph")?.clone();
        let queue = required(call.queue.as_ref(), "priority queue")?.clone();
        let Some(op) = self.operators[id].operator.edges() else { return Ok(None) };
        let weights = match (declared_weight(&self.module, op), graph.weight_kind()) {
            (None, _) => None,
            (Some(_), WeightKind::Float) => Some(Scalar::Float),
            (Some(_), WeightKind::Int) => Some(Scalar::Int),
            (Some(_), WeightKind::None) => return Ok(None),
        };
        let wide = matches!(graph.out().offsets(), Offsets::Wide(_));
        let target = Target {
            output: OutputForm::Buckets,
            ..self.edge_target(&self.operators[id], op, Direction::Push, self.crew.size() > 1, wide)
        };
        let shape =
            EdgeShape { direction: Direction::Push, range: Range::Queue, weights, ordered: true, from_all: false };
        let Ok(compiled) = self.kernel(Key { operator: id, shape: Some(shape), range: Range::Queue, target }) else {
            return Ok(None);
        };
        let to_map = call.to.as_ref().map(|set| map_of(set, graph.vertices(), false));
        let Some(mut slots) = Slots::fill(&compiled.sources, target.wide_offsets, call, env)? else { return Ok(None) };
        common_slots(&mut slots.words, &self.crew, graph.vertices());
        slots.set_adjacency(graph.out());
        slots.words[slot::TO_MAP] = to_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        let Some(condition) = call.condition.take() else { return Ok(None) };
        let outcome = eager::run(self, &compiled, &slots.words, &queue, condition, env);
        slots.write_back(env);
        let span = self.operators[id].span;
        outcome.map(Some).map_err(|e| e.at(span))
    }
}

impl Executable for CpuExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        mut call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let id = operator.0;
        if !std::mem::replace(&mut self.seeded, true) {
            self.crew.seed(env.seed());
        }
        let outcome = match &self.operators[id].operator {
            Operator::EdgeSetIterator(_) => self.run_edges(id, &call, env)?,
            Operator::VertexSetIterator(_) | Operator::VertexSetFilter(_) => self.run_vertices(id, &call, env)?,
            Operator::VertexSetDedup(_) => Some(self.run_dedup(&call)?),
            Operator::OrderedProcessing(_) if is_eager(call.queue.as_ref()) => self.run_ordered(id, &mut call, env)?,
            _ => None,
        };
        match outcome {
            Some(outcome) => Ok(outcome),
            None => self.reference.run_operator(operator, call, env),
        }
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        match eager::EagerQueue::for_spec(spec)? {
            Some(queue) => Ok(Box::new(queue)),
            None => self.reference.new_queue(spec, env),
        }
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.reference.dequeue(queue, env)
    }

    fn begin_run(&mut self) {
        self.seeded = false;
        self.reference.begin_run();
    }

    fn reduce(&mut self, reduction: Reduction, vector: &Vector) -> Option<Result<Value>> {
        crate::reduce::reduce(reduction, vector).map(Ok)
    }
}

fn is_eager(queue: Option<&Queue>) -> bool {
    queue.is_some_and(|q| q.state().as_any().is::<eager::EagerQueue>())
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

/// The weight type that the edge function takes.
fn declared_weight(module: &Module, op: &EdgeSetIterator) -> Option<Scalar> {
    if !op.meta.is_weighted {
        return None;
    }
    module.function(&op.apply.name)?.params.get(2)?.ty.scalar()
}

/// Whether every vertex that the function of an operator puts into the output is its second parameter.
fn outputs_destination(module: &Module, operator: &Operator) -> bool {
    let Some(op) = operator.edges() else { return false };
    let only_destination = |function: &FunctionRef| {
        let Some(function) = module.function(&function.name) else { return false };
        let Some(destination) = function.params.get(1) else { return false };
        let mut only = true;
        walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| match &e.kind {
            ExprKind::EnqueueVertex { vertex, .. } => only &= vertex.as_var() == Some(&destination.name),
            ExprKind::Call { .. } => only = false,
            _ => {}
        });
        only
    };
    only_destination(&op.apply)
}

fn plain_target(parallel: bool, output: OutputForm) -> Target {
    // Offsets that a vertex function asks for are those of global graphs; wide ones are compiled apart.
    Target { wide_offsets: false, parallel, output, from_bitmap: true, owns_output: false }
}

/// Whether the edges of an operator call are too few to share.
fn is_small(queue: &[u32], range: Range, adjacency: &Adjacency, few: usize) -> bool {
    match range {
        Range::Queue if queue.len() > few => false,
        Range::Queue => queue.iter().map(|&v| adjacency.degree(v) + 1).sum::<usize>() < few,
        _ => adjacency.edges() + adjacency.vertices() < few,
    }
}

fn is_map(set: &VertexSet) -> bool {
    set.with(|form| matches!(form, SetForm::Machine(_)))
}

fn required<'a, T>(value: Option<&'a T>, what: &str) -> Result<&'a T> {
    value.ok_or_else(|| ExecError::from(ErrorKind::Malformed(format!("an operator call without its {what}"))))
}
