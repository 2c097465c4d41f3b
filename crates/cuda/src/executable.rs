//! A module on the device: its kernels, operator calls, and what the host sees of them.

use std::collections::HashMap;
use std::sync::Arc;

use gw_exec::{
    Captures, EdgeCall, EdgeChange, Environment, ErrorKind, ExecError, Executable, FrontierCosts, Locals, OperatorCall,
    OperatorId, OperatorOutcome, Queue, QueueSpec, QueueState, Reduction, RemoteMemory, Result, Scalar, SetForm, Site,
    Sites, StatementId, StatementOutcome, Stop, Value, Vector, VertexSet,
};
use gw_graph::{AdjacencyId, Graph, Offsets, WeightKind};
use gw_ir::analysis::calls::module_draws;
use gw_ir::analysis::region::{LoopRegion, OperatorRegion, counting_operators, loop_region, operator_region};
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::types::Type;
use gw_schedule::{Classes, LoopForm};

use crate::bindings::Bindings;
use crate::changing::is_wide;
use crate::codegen::access::Requirement;
use crate::codegen::inputs::{Apart, Source};
use crate::codegen::region::GraphShape;
use crate::codegen::{Generated, Refusal, Task, generate, schedule_of};
use crate::context::Context;
use crate::device::{Address, DeviceError, Kernel};
use crate::edges_read::{Reads, reads};
use crate::kernels::{ListForm, QueueTask};
use crate::launch::Launcher;
use crate::memory::exec_error;
use crate::outcomes::Outcomes;
use crate::prepared::{kernel_name, title};
use crate::queue::DeviceQueue;
use crate::requirements;
use crate::set::{DeviceSet, QUEUE, with_device_set};
use crate::vectors::{Vectors, value_of};

/// Threads per block of generated kernels.
pub(crate) const BLOCK: u32 = 256;

/// Threads per block of loops over graphs with long lists: fewer blocks make barriers cheaper.
pub(crate) const LOOP_BLOCK: u32 = 512;

/// Operators that can fault go to the device one after another, and the host waits after so many at the latest: a
/// loop of the host that goes on only because an operator in it failed must end.
const MOST_UNSETTLED: u32 = 32;

/// A module ready to run on the device.
pub(crate) struct CudaExecutable {
    pub(crate) context: Arc<Context>,
    pub(crate) module: Arc<Module>,
    pub(crate) operators: Vec<OperatorRegion>,
    pub(crate) statements: Vec<Option<LoopRegion>>,
    kernels: HashMap<Key, std::result::Result<Arc<Loaded>, Refusal>>,
    /// What the code of a key requires of its calls.
    plans: HashMap<Key, std::result::Result<Arc<[Requirement]>, Refusal>>,
    pub(crate) vectors: Vectors,
    pub(crate) launcher: Launcher,
    /// What may stop the run, once an operator has told.
    stop: Option<Stop>,
    /// Operators since the first that can fault and that nobody has waited for, itself included.
    unsettled: u32,
}

/// What a kernel was compiled for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Operator { id: usize, shapes: Vec<(Name, GraphShape)>, counts: bool, careful: bool },
    Loop(usize, Vec<(Name, GraphShape)>),
    FrontierEdges(ListForm),
    OutDegrees(ListForm),
    Reduce(u8, Scalar),
    Queue(QueueTask, Scalar, bool),
}

/// A compiled region.
pub(crate) struct Loaded {
    pub(crate) code: Generated,
    pub(crate) kernel: Kernel,
}

impl CudaExecutable {
    pub(crate) fn new(context: Arc<Context>, module: Arc<Module>) -> Result<Self> {
        let sites = Sites::of(&module);
        let draws = module_draws(&module);
        let counting = counting_operators(&module);
        let prepared = |(site, op): &(Site, &Operator)| {
            let counted = counting.get(&std::ptr::from_ref(*op)).cloned();
            OperatorRegion { counted, ..operator_region(&module, site.span, &site.path, op) }
        };
        let operators = sites.operators.iter().map(prepared).collect();
        let statements = sites
            .statements
            .iter()
            .map(|(site, stmt)| loop_region(&module, site.function.as_ref(), &site.path, stmt))
            // Draws depend on the number of the operator call, and only the host counts: it calls all operators
            // itself then.
            .map(|fused| fused.filter(|_| !draws))
            .collect();
        let launcher = Launcher::new(Arc::clone(&context), &module).map_err(exec_error)?;
        let vectors = Vectors::new(Arc::clone(&context.device));
        let (kernels, plans) = (HashMap::new(), HashMap::new());
        let mut executable = CudaExecutable {
            context,
            module,
            operators,
            statements,
            kernels,
            plans,
            vectors,
            launcher,
            stop: None,
            unsettled: 0,
        };
        executable.refuse_early()?;
        Ok(executable)
    }

    /// Loops that cannot run in the form that their schedule asks for are an error at once, with the line.
    fn refuse_early(&mut self) -> Result<()> {
        let facts = self.context.device.facts();
        for fused in self.statements.iter().flatten() {
            let lacking = match fused.form {
                LoopForm::DeviceGraph => facts.no_repeats().map(|error| error.to_string()),
                _ => None,
            };
            let refusal = || self.loop_code(fused, &HashMap::new(), BLOCK).err().map(|refusal| refusal.reason);
            if let Some(reason) = lacking.or_else(refusal) {
                let message = format!("`loop={}` cannot run this loop on the device: {reason}", fused.form);
                return Err(ExecError::from(ErrorKind::Unsupported(message)).at(fused.span));
            }
        }
        Ok(())
    }

    pub(crate) fn operator_code(
        &self,
        prepared: &OperatorRegion,
        shapes: &HashMap<Name, GraphShape>,
        counts: bool,
        careful: bool,
    ) -> std::result::Result<Generated, Refusal> {
        generate(&Task {
            module: &self.module,
            name: &kernel_name("operator", &prepared.path, prepared.span),
            title: &title(&prepared.path, prepared.span, prepared.operator.name()),
            params: prepared.params.clone(),
            shapes: shapes.clone(),
            body: &prepared.body,
            block: BLOCK,
            single: true,
            loop_form: None,
            counted: prepared.counted.clone().filter(|_| counts),
            careful,
        })
    }

    /// What the kernel of a key requires of a call. Code is made for that, and compiled only when it is to be launched.
    pub(crate) fn requires(
        &mut self,
        key: &Key,
        code: impl Fn(&Self) -> std::result::Result<Generated, Refusal>,
    ) -> Result<Arc<[Requirement]>> {
        if !self.plans.contains_key(key) {
            let made = code(self).map(|code| code.requires.into());
            self.plans.insert(key.clone(), made);
        }
        match &self.plans[key] {
            Ok(requires) => Ok(Arc::clone(requires)),
            Err(refusal) => Err(refused(refusal)),
        }
    }

    /// The kernel of a key, compiled when it is first asked for. `code` makes it, in blocks of so many threads at most.
    pub(crate) fn loaded(
        &mut self,
        key: Key,
        code: impl Fn(&Self, u32) -> std::result::Result<Generated, Refusal>,
    ) -> Result<Arc<Loaded>> {
        if !self.kernels.contains_key(&key) {
            let made = match code(self, u32::MAX) {
                Ok(code) if code.unit.block <= BLOCK => Ok(self.compile(code).map_err(exec_error)?),
                Ok(large) => match self.compile(large) {
                    // Several balancers in one loop may need more shared memory than there is; smaller blocks need
                    // less.
                    Err(DeviceError::Compile { .. }) => match code(self, BLOCK) {
                        Ok(small) => Ok(self.compile(small).map_err(exec_error)?),
                        Err(refusal) => Err(refusal),
                    },
                    compiled => Ok(compiled.map_err(exec_error)?),
                },
                Err(refusal) => Err(refusal),
            };
            self.kernels.insert(key.clone(), made);
        }
        match &self.kernels[&key] {
            Ok(loaded) => Ok(Arc::clone(loaded)),
            Err(refusal) => Err(refused(refusal)),
        }
    }

    fn compile(&self, code: Generated) -> std::result::Result<Arc<Loaded>, DeviceError> {
        let kernel = self.context.device.compile(&code.unit)?;
        Ok(Arc::new(Loaded { code, kernel }))
    }

    /// The shape of a graph in the code of this module.
    pub(crate) fn shape_of(&self, graph: &Graph) -> GraphShape {
        shape_of(graph, self.operators.iter().any(looks_at_classes))
    }

    /// The shapes of all graphs that code may name.
    pub(crate) fn shapes(&self, env: &Environment, locals: &[(Name, Arc<Graph>)]) -> Vec<(Name, GraphShape)> {
        let mut shapes: Vec<(Name, GraphShape)> = Vec::new();
        for global in &self.module.globals {
            if let Some(Value::Graph(graph)) = env.global(&global.name) {
                shapes.push((global.name.clone(), self.shape_of(&graph)));
            }
        }
        for (name, graph) in locals {
            shapes.retain(|(n, _)| n != name);
            shapes.push((name.clone(), self.shape_of(graph)));
        }
        shapes.sort_by(|a, b| a.0.cmp(&b.0));
        shapes
    }

    /// A set on the device: as it is, or uploaded. `None` for all vertices and for the empty set.
    pub(crate) fn bind_set(
        &mut self,
        bindings: &mut Bindings,
        name: &Name,
        set: &VertexSet,
        vertices: usize,
    ) -> Result<()> {
        if set.universe().is_some_and(|n| n == vertices) {
            bindings.place(name.clone(), crate::bindings::ALL_VERTICES);
            return Ok(());
        }
        let on_device = set.with(|form| match form {
            SetForm::Machine(machine) => machine
                .as_any()
                .downcast_mut::<DeviceSet>()
                .is_some_and(|s| s.storage().is_some_and(|s| s.vertices == vertices)),
            _ => false,
        });
        if !on_device {
            let ids = set.ids()?;
            within(&ids, vertices)?;
            let storage = self.launcher.storage(vertices, vertices.max(ids.len()), QUEUE)?;
            let fresh =
                DeviceSet::of_ids(&self.context.device, &self.launcher.spares, storage, &ids).map_err(exec_error)?;
            set.with(|form| *form = SetForm::Machine(Box::new(fresh)));
        }
        bindings.set(name.clone(), set.clone());
        Ok(())
    }

    /// Takes the sets that a kernel left in places and makes them sets of the host.
    pub(crate) fn set_at(&mut self, outcomes: &mut Outcomes, place: i32, vertices: usize) -> Result<VertexSet> {
        match place {
            p if (0..8).contains(&p) => {
                let form = outcomes.form(p);
                let storage = outcomes.take(p as usize)?;
                let set = DeviceSet::new(&self.context.device, &self.launcher.spares, storage, form);
                if outcomes.is_counted(p) {
                    set.forget_edges().map_err(exec_error)?;
                }
                let set = VertexSet::new(SetForm::Machine(Box::new(set)));
                // Two variables may name one place.
                outcomes.placed.push((p, set.clone()));
                Ok(set)
            }
            crate::bindings::ALL_VERTICES => Ok(VertexSet::all(vertices)),
            _ => Ok(VertexSet::empty()),
        }
    }

    /// Reads what a kernel handed back, and the faults of all kernels so far.
    pub(crate) fn collect(&mut self, outcomes: &Outcomes, span: Span) -> Result<Vec<u64>> {
        let words = self.launcher.results(outcomes.count, &outcomes.cells)?;
        self.unsettled = 0;
        if let Some(error) = self.launcher.fault(&words, span) {
            return Err(error);
        }
        Ok(words)
    }

    /// Writes cells that a kernel may have changed back to the globals.
    pub(crate) fn store_cells(&mut self, loaded: &Loaded, words: &[u64], env: &mut Environment) {
        for name in &loaded.code.cells {
            let Some(scalar) = self.module.global(name).and_then(|g| g.ty.scalar()) else { continue };
            if let Some(bits) = self.launcher.cell(name, words) {
                env.set_global(name, value_of(scalar, bits));
            }
        }
    }
}

impl CudaExecutable {
    /// From now on waiting for the device ends when the run shall stop.
    pub(crate) fn attend(&mut self, env: &Environment) {
        if self.stop.is_none() {
            self.stop = Some(env.stop.clone());
            self.context.device.watch(Some(Arc::clone(env.stop.flag())), self.launcher.stop_word());
        }
    }

    /// The device tells that it was stopped; the run knows why.
    fn with_reason_of_stop<T>(&self, result: Result<T>) -> Result<T> {
        match (result, &self.stop) {
            (Err(error), Some(stop)) if error.is_stop() => Err(stop.check().err().unwrap_or(error)),
            (result, _) => result,
        }
    }

    fn call_operator(&mut self, id: usize, call: OperatorCall<'_>, env: &mut Environment) -> Result<OperatorOutcome> {
        let call = match &call {
            OperatorCall::UpdateBuckets { set, queue } => {
                self.queue_kernel(QueueTask::Update, queue, Some(set), 0)?;
                return Ok(OperatorOutcome::default());
            }
            OperatorCall::Edges(edges) => RegionCall::Edges(edges),
            OperatorCall::Vertices(vertices) => RegionCall::Vertices(&vertices.set, vertices.captures()),
            OperatorCall::Dedup { set } => RegionCall::Vertices(set, Captures::default()),
            OperatorCall::PriorityEdges { .. } | OperatorCall::Ordered { .. } | OperatorCall::PriorityExtern { .. } => {
                let message = format!("{} on the device", self.operators[id].operator.name());
                return Err(ExecError::from(ErrorKind::Unsupported(message)).at(self.operators[id].span));
            }
        };
        let locals: Vec<(Name, Arc<Graph>)> =
            self.operators[id].names.graph.iter().cloned().zip(call.graph().cloned()).collect();
        let shapes = self.shapes(env, &locals);
        let by_name: HashMap<Name, GraphShape> = shapes.iter().cloned().collect();
        // Counting takes half a microsecond even in a kernel that is told not to, so there are two.
        let counts = self.operators[id].counted.is_some() && env.counts_edges();
        let prepared = &self.operators[id];
        let span = prepared.span;
        let vertices = match &call {
            RegionCall::Edges(edges) => edges.graph.vertices(),
            RegionCall::Vertices(set, _) => {
                let of_element = match &prepared.operator {
                    Operator::VertexSetIterator(v) => Some(&v.set.ty),
                    Operator::VertexSetFilter(v) => Some(&v.set.ty),
                    Operator::VertexSetDedup(v) => Some(&v.set.ty),
                    _ => None,
                };
                let of_element = match of_element {
                    Some(Type::VertexSet(element)) => env.vertices_of(element).unwrap_or(0),
                    _ => 0,
                };
                // A set of all vertices, or one on the device, has its own idea of how many there are.
                match set.universe().is_some() || is_on_device(set) {
                    true => reach(set)?,
                    false => of_element.max(reach(set)?),
                }
            }
        };
        let mut bindings = Bindings::new(vertices);
        let names = &prepared.names;
        let (from, to, set) = match &call {
            RegionCall::Edges(edges) => (edges.from.set(), edges.to.set(), None),
            RegionCall::Vertices(set, _) => (None, None, Some(*set)),
        };
        let sets: Vec<(Name, VertexSet)> = [(&names.from, from), (&names.to, to), (&names.set, set)]
            .into_iter()
            .filter_map(|(name, set)| Some((name.clone()?, set.cloned()?)))
            .collect();
        let captured = call.captures();
        let captures: Vec<(Name, Value)> =
            [(&names.apply, captured.apply), (&names.from_captures, captured.from), (&names.to_captures, captured.to)]
                .into_iter()
                .flat_map(|(names, values)| names.iter().cloned().zip(values.iter().cloned()))
                .collect();
        let (is_dedup, output_name) = (matches!(prepared.operator, Operator::VertexSetDedup(_)), names.output.clone());
        let graph_name = names.graph.clone();
        // Nothing to do, and no memory to do it with. A set may still hold what the graph lacks.
        if vertices == 0 {
            for (_, set) in &sets {
                within(&set.ids()?, vertices).map_err(|error| error.at(span))?;
            }
            let output = output_name.is_some().then(VertexSet::empty);
            return Ok(OperatorOutcome { output, ..OperatorOutcome::default() });
        }
        for (name, set) in &sets {
            self.bind_set(&mut bindings, name, set, vertices).map_err(|error| error.at(span))?;
        }
        for (name, value) in captures {
            bindings.value(name, value);
        }
        if let (Some(name), Some(graph)) = (graph_name, call.graph()) {
            bindings.graph(name, Arc::clone(graph));
        }
        let key = |careful| Key::Operator { id, shapes: shapes.clone(), counts, careful };
        let code = |e: &Self, careful| e.operator_code(&e.operators[id], &by_name, counts, careful);
        let requires = self.requires(&key(false), |e| code(e, false)).map_err(|error| error.at(span))?;
        // Vectors and graphs that are too short for this call: the kernel that checks every access finds out which
        // are used.
        let careful = !requirements::hold(&requires, &bindings, env);
        let loaded = self.loaded(key(careful), |e, _| code(e, careful)).map_err(|error| error.at(span))?;
        if loaded.code.inputs.iter().any(|i| matches!(i.source, Source::Queue(_))) {
            self.bind_queues(&loaded, &mut bindings, env)?;
        }
        let before = env.is_observed().then(|| self.context.device.mark()).transpose().map_err(exec_error)?;
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, Some(env))?;
        let after = before.is_some().then(|| self.context.device.mark()).transpose().map_err(exec_error)?;
        // The host waits only where it must know something now: a scalar, or what an observer is told of this step. A
        // fault is found at the next wait: until then kernels run on entries that stand in, inside their memory.
        self.unsettled += u32::from(loaded.code.faults || self.unsettled > 0);
        let settles = self.unsettled >= MOST_UNSETTLED || (loaded.code.faults && env.is_observed());
        if !loaded.code.cells.is_empty() || settles {
            let words = self.collect(&outcomes, span)?;
            self.store_cells(&loaded, &words, env);
        }
        let mut outcome = OperatorOutcome::default();
        if is_dedup {
            // In the first place unless the set was a map, which has no repeats.
            let (_, set) = &sets[0];
            let form = set.with(|form| match form {
                SetForm::Machine(machine) => machine.as_any().downcast_mut::<DeviceSet>().map(|s| s.form),
                _ => None,
            });
            if form == Some(QUEUE) {
                let storage = outcomes.take(0)?;
                set.with(|form| {
                    if let SetForm::Machine(machine) = form
                        && let Some(own) = machine.as_any().downcast_mut::<DeviceSet>()
                    {
                        own.replace(storage, QUEUE);
                    }
                });
            }
        } else if output_name.is_some() {
            let made = DeviceSet::new(
                &self.context.device,
                &self.launcher.spares,
                outcomes.take(0)?,
                loaded.code.output_form(),
            );
            let made = match call.graph() {
                Some(graph) if loaded.code.counted => made.with_edges_of(graph),
                _ => made,
            };
            outcome.output = Some(VertexSet::new(SetForm::Machine(Box::new(made))));
        }
        // Conversions of the inputs stay with them.
        bindings.note_forms(&loaded.code);
        outcomes.give_back(&self.launcher.spares);
        if let (Some(before), Some(after)) = (before, after) {
            outcome.seconds = Some(self.context.device.seconds(&before, &after).map_err(exec_error)?);
        }
        if env.wants_sizes() {
            self.tell(id, &call, vertices, &mut outcome)?;
        }
        Ok(outcome)
    }

    fn made_queue(&mut self, spec: &QueueSpec) -> Result<Box<dyn QueueState>> {
        let state = DeviceQueue::new(&self.context.device, spec)?;
        let queue = Queue::new(spec.clone(), Box::new(state));
        if !spec.priorities.is_empty() {
            self.queue_kernel(QueueTask::Fill, &queue, None, 0)?;
        }
        // The state moves from this queue to the one that the executor makes.
        let mut state = queue.state();
        let own = state.as_any().downcast_mut::<DeviceQueue>();
        let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let moved = own.moved(&self.context.device)?;
        Ok(Box::new(moved))
    }

    fn dequeued(&mut self, queue: &Queue) -> Result<VertexSet> {
        if queue.spec().priorities.is_empty() {
            return Ok(VertexSet::empty());
        }
        let outcome = self.queue_kernel(QueueTask::Dequeue, queue, None, crate::bindings::EMPTY)?;
        Ok(outcome.set.unwrap_or_else(VertexSet::empty))
    }

    fn is_finished(&mut self, queue: &Queue) -> Result<bool> {
        self.settle()?;
        let mut state = queue.state();
        let own = state.as_any().downcast_mut::<DeviceQueue>();
        let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let mut word = [0; 8];
        self.context.device.download(&mut word, own.cells.address).map_err(exec_error)?;
        Ok(u64::from_ne_bytes(word) == own.taken)
    }

    /// Waits for operators that can fault, so that nobody goes on with what a failed one left.
    fn settle(&mut self) -> Result<()> {
        match self.unsettled {
            0 => Ok(()),
            _ => self.wait_for_all(),
        }
    }

    fn wait_for_all(&mut self) -> Result<()> {
        let words = self.launcher.results(0, &[])?;
        self.unsettled = 0;
        match self.launcher.fault(&words, Span::NONE) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Executable for CudaExecutable {
    fn threads(&self) -> u64 {
        self.context.device.facts().resident_threads()
    }

    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        self.attend(env);
        let outcome = self.call_operator(operator.0, call, env);
        self.with_reason_of_stop(outcome)
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.attend(env);
        let made = self.made_queue(spec);
        self.with_reason_of_stop(made)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.attend(env);
        let set = self.dequeued(queue);
        self.with_reason_of_stop(set)
    }

    fn queue_finished(&mut self, queue: &Queue) -> Result<bool> {
        let finished = self.is_finished(queue);
        self.with_reason_of_stop(finished)
    }

    fn queue_finished_node(&mut self, queue: &Queue, vertex: u32) -> Result<bool> {
        let outcome = self.queue_kernel(QueueTask::FinishedNode, queue, None, vertex as i32);
        self.with_reason_of_stop(outcome.map(|outcome| outcome.flag))
    }

    fn begin_run(&mut self) {
        self.stop = None;
        self.unsettled = 0;
        self.context.device.watch(None, Address::default());
        self.vectors.clear();
        self.launcher.begin_run();
    }

    fn claims(&self, statement: StatementId) -> bool {
        self.statements.get(statement.0).is_some_and(Option::is_some)
    }

    fn run_statement(
        &mut self,
        statement: StatementId,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        self.attend(env);
        let outcome = self.run_loop(statement.0, locals, env);
        self.with_reason_of_stop(outcome)
    }

    fn faults(&mut self) -> Result<()> {
        let settled = self.settle();
        self.with_reason_of_stop(settled)
    }

    fn wait(&mut self) -> Result<()> {
        let waited = self.wait_for_all();
        self.with_reason_of_stop(waited)
    }

    fn finish_run(&mut self) -> Result<()> {
        self.launcher.end_run()?;
        self.wait()
    }

    fn device_seconds(&mut self) -> Result<Option<f64>> {
        self.launcher.device_seconds().map(Some)
    }
}

impl FrontierCosts for CudaExecutable {
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, _enough: Option<u64>) -> Result<u64> {
        let edges = self.edges_of(set, graph);
        self.with_reason_of_stop(edges)
    }

    fn counts_while_making(&self) -> bool {
        true
    }

    fn has_small_steps(&self) -> bool {
        false
    }

    fn resident_threads(&self) -> u64 {
        self.launcher.resident_threads()
    }
}

impl RemoteMemory for CudaExecutable {
    fn reduce(&mut self, reduction: Reduction, vector: &Vector) -> Option<Result<Value>> {
        if vector.is_empty() || vector.cells() == 0 {
            return None;
        }
        if vector.scalar() == Scalar::Bool && matches!(reduction, Reduction::Max | Reduction::Min) {
            return None;
        }
        let value = self.reduce_vector(reduction, vector);
        Some(self.with_reason_of_stop(value))
    }

    fn follow(
        &mut self,
        before: AdjacencyId,
        after: &Arc<Graph>,
        changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool> {
        let followed = self.context.residency.versions.follow(before, after, changes).map_err(exec_error);
        self.with_reason_of_stop(followed)
    }

    fn out_degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Option<Result<Vector>> {
        let degrees = self.degrees(graph, scalar);
        Some(self.with_reason_of_stop(degrees))
    }

    fn contract(&mut self, graph: &Arc<Graph>, labels: &Vector, weighed: bool) -> Option<Result<Arc<Graph>>> {
        let contracted = self.settle().and_then(|()| self.contracted(graph, labels, weighed)).transpose()?;
        Some(self.with_reason_of_stop(contracted))
    }

    fn ranks(&mut self, vector: &Vector) -> Option<Result<Vector>> {
        let ranks = self.settle().and_then(|()| self.ranked(vector)).transpose()?;
        Some(self.with_reason_of_stop(ranks))
    }

    fn watches_new_vectors(&self) -> bool {
        true
    }

    fn host_element(&mut self, vector: &Vector, cell: usize) -> Option<Result<Value>> {
        let value = self.vectors.get(vector, cell)?;
        let value = self.settle().and(value);
        Some(self.with_reason_of_stop(value))
    }

    fn set_host_element(&mut self, vector: &Vector, cell: usize, value: Value) -> Option<Result<()>> {
        let stored = self.vectors.set(vector, cell, &value)?;
        Some(self.with_reason_of_stop(stored))
    }

    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        let fetched = self.settle().and_then(|()| self.vectors.fetch(vector));
        self.with_reason_of_stop(fetched)
    }

    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        let fetched = self.settle().and_then(|()| self.vectors.host_writes(vector));
        self.with_reason_of_stop(fetched)
    }
}

impl CudaExecutable {
    /// Sizes and edges of an operator call, for its step record. The host waits for some of them.
    fn tell(&mut self, id: usize, call: &RegionCall<'_>, vertices: usize, outcome: &mut OperatorOutcome) -> Result<()> {
        let input = match call {
            RegionCall::Edges(edges) => edges.from.set(),
            RegionCall::Vertices(set, _) => Some(*set),
        };
        outcome.input_size = Some(input.map_or(Ok(vertices), VertexSet::len)? as u64);
        outcome.output_size = outcome.output.as_ref().map(VertexSet::len).transpose()?.map(|len| len as u64);
        if let (Operator::EdgeSetIterator(op), RegionCall::Edges(EdgeCall { graph, from, .. })) =
            (&self.operators[id].operator, call)
        {
            outcome.edges = match (reads(op), from.set()) {
                (Reads::All, _) => Some(graph.edges() as u64),
                (Reads::OfInput, Some(set)) if set.universe().is_none() => Some(self.edges_of(set, graph)?),
                (Reads::OfInput, _) => Some(graph.edges() as u64),
                (Reads::Unknown, _) => None,
            };
        }
        Ok(())
    }
}

/// A call that becomes the launch of one region.
enum RegionCall<'c> {
    Edges(&'c EdgeCall),
    Vertices(&'c VertexSet, Captures<'c>),
}

impl RegionCall<'_> {
    fn graph(&self) -> Option<&Arc<Graph>> {
        match self {
            RegionCall::Edges(edges) => Some(&edges.graph),
            RegionCall::Vertices(..) => None,
        }
    }

    fn captures(&self) -> Captures<'_> {
        match self {
            RegionCall::Edges(edges) => edges.captures(),
            RegionCall::Vertices(_, captures) => *captures,
        }
    }
}

fn refused(refusal: &Refusal) -> ExecError {
    ExecError::from(ErrorKind::Unsupported(refusal.reason.clone())).at(refusal.span)
}

/// An error where ids are not vertices of the region: its maps and lists have room for these and no others.
pub(crate) fn within(ids: &[u32], vertices: usize) -> Result<()> {
    match ids.iter().max() {
        Some(&last) if last as usize >= vertices => {
            Err(ErrorKind::VertexOutOfRange { vertex: i64::from(last), vertices }.into())
        }
        _ => Ok(()),
    }
}

fn is_on_device(set: &VertexSet) -> bool {
    with_device_set(set, |_| ()).is_some()
}

/// One past the greatest id that the members of a set may have: what a function applied to them may be called with.
fn reach(set: &VertexSet) -> Result<usize> {
    if let Some(vertices) = with_device_set(set, |own| own.storage().map(|storage| storage.vertices)).flatten() {
        return Ok(vertices);
    }
    match set.universe() {
        Some(n) => Ok(n),
        None => set.with_ids(|ids| ids.iter().max().map_or(0, |&last| last as usize + 1)),
    }
}

/// Whether an operator looks at the classes of edges, which stand beside compressed rows.
fn looks_at_classes(operator: &OperatorRegion) -> bool {
    operator.operator.edges().is_some_and(|edges| schedule_of(edges).classes == Some(Classes::Marked))
}

/// The shape of a graph. Lists that stand apart on the host do so on the device, unless their `rows` are wanted.
fn shape_of(graph: &Graph, rows: bool) -> GraphShape {
    // In-edges that nobody keeps are made as compressed rows.
    let incoming = || match graph.is_symmetric() {
        true => graph.out().spans().is_some(),
        false => graph.has_incoming() && graph.incoming().spans().is_some(),
    };
    let apart = match rows {
        true => Apart::default(),
        false => Apart { out: graph.out().spans().is_some(), incoming: incoming() },
    };
    let is_apart = apart.out || apart.incoming;
    GraphShape {
        wide: matches!(graph.out().offsets(), Offsets::Wide(_)) || (is_apart && is_wide(graph)),
        apart,
        flat: crate::choose::is_flat(graph),
        weight: match graph.weight_kind() {
            WeightKind::None => None,
            WeightKind::Int => Some(Scalar::Int),
            WeightKind::Float => Some(Scalar::Float),
        },
    }
}
