//! A module on the device: operator calls, fused loops, queues, and what the host sees of them.

use std::collections::HashMap;
use std::sync::Arc;

use gw_exec::{
    Environment, ErrorKind, ExecError, Executable, Locals, MachineSet, OperatorCall, OperatorId, OperatorOutcome,
    Queue, QueueSpec, QueueState, Reduction, Result, Scalar, SetForm, Site, Sites, StatementId, StatementOutcome,
    StepRecord, Value, Vector, VertexSet,
};
use gw_graph::{Graph, Offsets, WeightKind};
use gw_ir::expr::Expr;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::types::Type;
use gw_schedule::LoopForm;

use crate::codegen::region::{GraphShape, counting_operators};
use crate::codegen::{BLOCK_MEMBERS, Frontiers, Generated, Refusal, Task, generate};
use crate::context::Context;
use crate::device::{DeviceError, Kernel};
use crate::kernels::{self, QueueTask};
use crate::launch::{Bindings, Launcher, Outcomes, with_device_set};
use crate::memory::{Buffer, exec_error};
use crate::queue::{DeviceQueue, REPORTED, is_near_far};
use crate::set::{DeviceSet, ListStorage, ListedSet, QUEUE};
use crate::told::{Reads, reads};
use crate::vectors::{Vectors, value_of};

/// Threads per block of generated kernels.
pub(crate) const BLOCK: u32 = 256;

/// Threads per block of loops over graphs with long lists: fewer blocks make barriers cheaper.
pub(crate) const LOOP_BLOCK: u32 = 512;

/// Threads per block of such loops that walk all vertices every time.
const WHOLE_BLOCK: u32 = 1024;

/// A module ready to run on the device.
pub(crate) struct CudaExecutable {
    context: Arc<Context>,
    module: Arc<Module>,
    operators: Vec<Prepared>,
    statements: Vec<Option<FusedLoop>>,
    kernels: HashMap<Key, std::result::Result<Arc<Loaded>, Refusal>>,
    pub(crate) vectors: Vectors,
    pub(crate) launcher: Launcher,
}

/// An operator as a region of its own.
struct Prepared {
    span: Span,
    path: Arc<str>,
    params: Vec<(Name, Type)>,
    body: Block,
    /// What it is for the host.
    operator: Operator,
    names: OperandNames,
    /// The graph whose edges must be counted for the choice that picks this operator.
    counted: Option<Name>,
}

/// Names that the operands of an operator have in its region.
#[derive(Default)]
struct OperandNames {
    from: Option<Name>,
    to: Option<Name>,
    set: Option<Name>,
    output: Option<Name>,
    apply: Vec<Name>,
    from_captures: Vec<Name>,
    to_captures: Vec<Name>,
    graph: Option<Name>,
}

/// A loop that runs on the device, in one launch or several.
struct FusedLoop {
    span: Span,
    path: Arc<str>,
    function: Option<Name>,
    params: Vec<(Name, Type)>,
    body: Block,
    form: LoopForm,
    /// What its operators read.
    frontiers: Frontiers,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Operator(usize, Vec<(Name, GraphShape)>),
    Loop(usize, Vec<(Name, GraphShape)>),
    FrontierEdges(bool),
    OutDegrees(bool),
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
        let counting = counting_operators(&module);
        let prepared = |(site, op): &(Site, &Operator)| {
            let counted = counting.get(&std::ptr::from_ref(*op)).cloned();
            Prepared { counted, ..prepare(&module, site.span, &site.path, op) }
        };
        let operators = sites.operators.iter().map(prepared).collect();
        let statements = sites
            .statements
            .iter()
            .map(|(site, stmt)| fused_loop(&module, site.function.as_ref(), &site.path, stmt))
            .collect();
        let launcher = Launcher::new(Arc::clone(&context)).map_err(exec_error)?;
        let vectors = Vectors::new(Arc::clone(&context.device));
        let mut executable =
            CudaExecutable { context, module, operators, statements, kernels: HashMap::new(), vectors, launcher };
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

    /// The code of every kernel of the module, for narrow graphs with the declared weights.
    pub(crate) fn listings(module: &Arc<Module>) -> std::result::Result<Vec<Generated>, Refusal> {
        let sites = Sites::of(module);
        let mut all = Vec::new();
        let mut inside: Vec<Span> = Vec::new();
        for (i, (site, stmt)) in sites.statements.iter().enumerate() {
            if let Some(fused) = fused_loop(module, site.function.as_ref(), &site.path, stmt) {
                let task = Task {
                    module,
                    name: &format!("loop_{i}"),
                    title: &title(&fused.path, fused.span, "loop"),
                    params: fused.params.clone(),
                    shapes: HashMap::new(),
                    body: &fused.body,
                    block: BLOCK,
                    single: false,
                    loop_form: Some(fused.form),
                    counted: None,
                };
                all.push(generate(&task)?);
                gw_ir::walk::walk_stmts(&fused.body, &mut |s| inside.push(s.span));
            }
        }
        let counting = counting_operators(module);
        for (i, (site, op)) in sites.operators.iter().enumerate() {
            if inside.contains(&site.span) || matches!(op, Operator::UpdateBuckets(_)) {
                continue;
            }
            let prepared = prepare(module, site.span, &site.path, op);
            let task = Task {
                module,
                name: &format!("operator_{i}"),
                title: &title(&prepared.path, prepared.span, op.name()),
                params: prepared.params.clone(),
                shapes: HashMap::new(),
                body: &prepared.body,
                block: BLOCK,
                single: true,
                loop_form: None,
                counted: counting.get(&std::ptr::from_ref(*op)).cloned(),
            };
            all.push(generate(&task)?);
        }
        Ok(all)
    }

    fn loop_code(
        &self,
        fused: &FusedLoop,
        shapes: &HashMap<Name, GraphShape>,
        most: u32,
    ) -> std::result::Result<Generated, Refusal> {
        let small = fused.form != LoopForm::SingleBlock && shapes.values().all(|s| s.flat);
        let mut task = Task {
            module: &self.module,
            name: &kernel_name("loop", &fused.path, fused.span),
            title: &title(&fused.path, fused.span, "loop"),
            params: fused.params.clone(),
            shapes: shapes.clone(),
            body: &fused.body,
            block: if small { BLOCK } else { LOOP_BLOCK.min(most) },
            single: false,
            loop_form: Some(fused.form),
            counted: None,
        };
        let code = generate(&task)?;
        if small || fused.form == LoopForm::SingleBlock || code.takes_steps() {
            return Ok(code);
        }
        task.block = WHOLE_BLOCK.min(most);
        generate(&task)
    }

    fn operator_code(
        &self,
        prepared: &Prepared,
        shapes: &HashMap<Name, GraphShape>,
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
            counted: prepared.counted.clone(),
        })
    }

    /// The kernel of a key, compiled when it is first asked for. `code` makes it, in blocks of so many threads at most.
    fn loaded(
        &mut self,
        key: Key,
        code: impl Fn(&Self, u32) -> std::result::Result<Generated, Refusal>,
    ) -> Result<Arc<Loaded>> {
        if !self.kernels.contains_key(&key) {
            let made = match code(self, u32::MAX) {
                Ok(code) if code.unit.block <= BLOCK => Ok(self.compile(code).map_err(exec_error)?),
                Ok(large) => match self.compile(large) {
                    // Several balancers in one loop may need more shared memory than there is; smaller blocks need less.
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
            Err(refusal) => Err(ExecError::from(ErrorKind::Unsupported(refusal.reason.clone())).at(refusal.span)),
        }
    }

    fn compile(&self, code: Generated) -> std::result::Result<Arc<Loaded>, DeviceError> {
        let kernel = self.context.device.compile(&code.unit)?;
        Ok(Arc::new(Loaded { code, kernel }))
    }

    /// The shapes of all graphs that code may name.
    fn shapes(&self, env: &Environment, locals: &[(Name, Arc<Graph>)]) -> Vec<(Name, GraphShape)> {
        let mut shapes: Vec<(Name, GraphShape)> = Vec::new();
        for global in &self.module.globals {
            if let Some(Value::Graph(graph)) = env.global(&global.name) {
                shapes.push((global.name.clone(), shape_of(&graph)));
            }
        }
        for (name, graph) in locals {
            shapes.retain(|(n, _)| n != name);
            shapes.push((name.clone(), shape_of(graph)));
        }
        shapes.sort_by(|a, b| a.0.cmp(&b.0));
        shapes
    }

    /// A set on the device: as it is, or uploaded. `None` for all vertices and for the empty set.
    fn bind_set(&mut self, bindings: &mut Bindings, name: &Name, set: &VertexSet, vertices: usize) -> Result<()> {
        if set.universe().is_some_and(|n| n == vertices) {
            bindings.place(name.clone(), crate::launch::ALL_VERTICES);
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
            let ids = set.ids();
            let storage = self.launcher.storage(vertices, vertices.max(ids.len()), QUEUE)?;
            let fresh =
                DeviceSet::of_ids(&self.context.device, &self.launcher.spares, storage, &ids).map_err(exec_error)?;
            set.with(|form| *form = SetForm::Machine(Box::new(fresh)));
        }
        bindings.set(name.clone(), set.clone());
        Ok(())
    }

    /// Takes the sets that a kernel left in places and makes them sets of the host.
    fn set_at(&mut self, outcomes: &mut Outcomes, place: i32, vertices: usize) -> Result<VertexSet> {
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
            crate::launch::ALL_VERTICES => Ok(VertexSet::all(vertices)),
            _ => Ok(VertexSet::empty()),
        }
    }

    /// Reads what a kernel handed back, and the faults of all kernels so far.
    fn collect(&mut self, outcomes: &Outcomes, span: Span) -> Result<Vec<u64>> {
        let words = self.launcher.results(outcomes.count, &outcomes.cells)?;
        if let Some(error) = self.launcher.fault(&words, span) {
            return Err(error);
        }
        Ok(words)
    }

    /// Writes cells that a kernel may have changed back to the globals.
    fn store_cells(&mut self, loaded: &Loaded, words: &[u64], env: &mut Environment) {
        for name in &loaded.code.cells {
            let Some(scalar) = self.module.global(name).and_then(|g| g.ty.scalar()) else { continue };
            if let Some(bits) = self.launcher.cell(name, words) {
                env.set_global(name, value_of(scalar, bits));
            }
        }
    }

    /// Runs a kernel for a queue; returns the place and forms of its set.
    fn queue_kernel(
        &mut self,
        task: QueueTask,
        queue: &Queue,
        set: Option<&VertexSet>,
        vertex: i32,
    ) -> Result<QueueOutcome> {
        let scalar = queue.spec().priorities.scalar();
        let near_far = is_near_far(queue.spec());
        let key = Key::Queue(task, scalar, near_far);
        let loaded = self.loaded(key, |_, _| Ok(kernels::queue(task, scalar, near_far)))?;
        let vertices = queue.spec().priorities.len();
        let mut bindings = Bindings::new(vertices);
        match set {
            Some(set) => self.bind_set(&mut bindings, &"set".into(), set, vertices)?,
            None => bindings.scalar("set".into(), u64::from(vertex as u32)),
        }
        let mut state = queue.state();
        let device_queue = state.as_any().downcast_mut::<DeviceQueue>();
        let device_queue = device_queue.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let priorities = self.vectors.for_reading(&queue.spec().priorities)?;
        let near = device_queue.near.take();
        bindings.queue("queue".into(), device_queue, priorities, near);
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let words = self.collect(&outcomes, Span::NONE)?;
        outcomes.read(&loaded.code, &words);
        device_queue.note(&words);
        device_queue.near =
            outcomes.near_set(&self.context, &self.launcher.spares, words[1] as u32 as i32, &mut bindings)?;
        let place = words[REPORTED] as u32 as i32;
        let set = match task {
            QueueTask::Dequeue => Some(match place {
                p if p >= 8 => bindings.take_near(p, &self.context, &self.launcher.spares)?,
                p => self.set_at(&mut outcomes, p, vertices)?,
            }),
            _ => None,
        };
        outcomes.give_back(&self.launcher.spares);
        Ok(QueueOutcome { set, flag: place != 0 })
    }
}

struct QueueOutcome {
    set: Option<VertexSet>,
    flag: bool,
}

impl Executable for CudaExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let id = operator.0;
        if let Operator::UpdateBuckets(_) = self.operators[id].operator {
            let queue = call.queue.ok_or_else(|| ErrorKind::Malformed("the operator lacks its queue".into()))?;
            let set = call.set.ok_or_else(|| ErrorKind::Malformed("the operator lacks its set".into()))?;
            self.queue_kernel(QueueTask::Update, &queue, Some(&set), 0)?;
            return Ok(OperatorOutcome::default());
        }
        let locals: Vec<(Name, Arc<Graph>)> =
            self.operators[id].names.graph.iter().cloned().zip(call.graph.iter().cloned()).collect();
        let shapes = self.shapes(env, &locals);
        let by_name: HashMap<Name, GraphShape> = shapes.iter().cloned().collect();
        let loaded = self.loaded(Key::Operator(id, shapes), |e, _| e.operator_code(&e.operators[id], &by_name));
        let loaded = loaded.map_err(|error| error.at(self.operators[id].span))?;
        let prepared = &self.operators[id];
        let span = prepared.span;
        let vertices = match (&call.graph, &prepared.operator) {
            (Some(graph), _) => graph.vertices(),
            (None, op) => {
                let set = match op {
                    Operator::VertexSetIterator(v) => Some(&v.set),
                    Operator::VertexSetFilter(v) => Some(&v.set),
                    Operator::VertexSetDedup(v) => Some(&v.set),
                    _ => None,
                };
                match set.map(|e| &e.ty) {
                    Some(Type::VertexSet(element)) => env.vertices_of(element)?,
                    _ => 0,
                }
            }
        };
        let mut bindings = Bindings::new(vertices);
        let names = &prepared.names;
        let sets: Vec<(Name, VertexSet)> = [(&names.from, &call.from), (&names.to, &call.to), (&names.set, &call.set)]
            .into_iter()
            .filter_map(|(name, set)| Some((name.clone()?, set.clone()?)))
            .collect();
        let captures: Vec<(Name, Value)> = [
            (&names.apply, &call.captures),
            (&names.from_captures, &call.from_captures),
            (&names.to_captures, &call.to_captures),
        ]
        .into_iter()
        .flat_map(|(names, values)| names.iter().cloned().zip(values.iter().cloned()))
        .collect();
        let (is_dedup, output_name) = (matches!(prepared.operator, Operator::VertexSetDedup(_)), names.output.clone());
        let graph_name = names.graph.clone();
        let needs_queues =
            loaded.code.inputs.iter().any(|i| matches!(i.source, crate::codegen::inputs::Source::Queue(_)));
        // Nothing to do, and no memory to do it with.
        if vertices == 0 {
            let output = output_name.is_some().then(VertexSet::empty);
            return Ok(OperatorOutcome { output, ..OperatorOutcome::default() });
        }
        for (name, set) in &sets {
            self.bind_set(&mut bindings, name, set, vertices)?;
        }
        for (name, value) in captures {
            bindings.value(name, value);
        }
        if let (Some(name), Some(graph)) = (graph_name, &call.graph) {
            bindings.graph(name, Arc::clone(graph));
        }
        if needs_queues {
            self.bind_queues(&loaded, &mut bindings, env)?;
        }
        let before = env.is_observed().then(|| self.context.device.mark()).transpose().map_err(exec_error)?;
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, Some(env))?;
        let after = before.is_some().then(|| self.context.device.mark()).transpose().map_err(exec_error)?;
        // The host waits only where it must know something now.
        if !loaded.code.cells.is_empty() {
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
            let made = match &call.graph {
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

    fn new_queue(&mut self, spec: &QueueSpec, _env: &mut Environment) -> Result<Box<dyn QueueState>> {
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

    fn dequeue(&mut self, queue: &Queue, _env: &mut Environment) -> Result<VertexSet> {
        if queue.spec().priorities.is_empty() {
            return Ok(VertexSet::empty());
        }
        let outcome = self.queue_kernel(QueueTask::Dequeue, queue, None, crate::launch::EMPTY)?;
        Ok(outcome.set.unwrap_or_else(VertexSet::empty))
    }

    fn queue_finished(&mut self, queue: &Queue) -> Result<bool> {
        let mut state = queue.state();
        let own = state.as_any().downcast_mut::<DeviceQueue>();
        let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let mut word = [0; 8];
        self.context.device.download(&mut word, own.cells.address).map_err(exec_error)?;
        Ok(u64::from_ne_bytes(word) == own.taken)
    }

    fn queue_finished_node(&mut self, queue: &Queue, vertex: u32) -> Result<bool> {
        Ok(self.queue_kernel(QueueTask::FinishedNode, queue, None, vertex as i32)?.flag)
    }

    fn begin_run(&mut self) {
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
        let id = statement.0;
        let start = std::time::Instant::now();
        let Some(fused) = &self.statements[id] else {
            return Err(ErrorKind::Malformed("this loop runs on the host".into()).into());
        };
        let span = fused.span;
        let mut values: Vec<(Name, Type, Value)> = Vec::new();
        for (name, ty) in &fused.params {
            values.push((name.clone(), ty.clone(), locals.get(name).unwrap_or_default()));
        }
        let vertices = self.loop_vertices(&values, env)?;
        if self.outgrown(id, &values, vertices, env) {
            return Ok(StatementOutcome::HostTurn);
        }
        let graphs: Vec<(Name, Arc<Graph>)> =
            values.iter().filter_map(|(name, _, value)| Some((name.clone(), value.as_graph()?.clone()))).collect();
        let shapes = self.shapes(env, &graphs);
        let by_name: HashMap<Name, GraphShape> = shapes.iter().cloned().collect();
        let loaded = self.loaded(Key::Loop(id, shapes), |e, most| match &e.statements[id] {
            Some(fused) => e.loop_code(fused, &by_name, most),
            None => Err(Refusal { span, reason: "this loop runs on the host".into() }),
        });
        let loaded = loaded.map_err(|error| error.at(span))?;
        let mut bindings = Bindings::new(vertices);
        for (name, ty, value) in &values {
            match (ty, value) {
                (Type::VertexSet(_), Value::Set(set)) => self.bind_set(&mut bindings, name, set, vertices)?,
                (Type::VertexSet(_), _) => bindings.place(name.clone(), crate::launch::EMPTY),
                (Type::EdgeSet { .. }, Value::Graph(graph)) => bindings.graph(name.clone(), Arc::clone(graph)),
                (Type::List(_), Value::List(list)) => {
                    let sets: Vec<Value> = list.entries().clone();
                    self.bind_list(&mut bindings, name, &sets, vertices)?;
                }
                (_, value) => bindings.value(name.clone(), value.clone()),
            }
        }
        self.bind_queues(&loaded, &mut bindings, env)?;
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, Some(env))?;
        let words = self.collect(&outcomes, span)?;
        outcomes.read(&loaded.code, &words);
        self.store_cells(&loaded, &words, env);
        self.launcher.round = outcomes.round;
        let mut ended = StatementOutcome::Done;
        // Scalars and sets go back to their variables.
        for (at, outcome) in loaded.code.outcomes.iter().enumerate() {
            use crate::codegen::region::Outcome;
            let word = words[at];
            match outcome {
                Outcome::Local(name, scalar) => {
                    locals.set(name, value_of(*scalar, word));
                }
                Outcome::Global(name, scalar) => {
                    env.set_global(name, value_of(*scalar, word));
                }
                Outcome::Set(name) if values.iter().any(|(n, _, _)| n == name) => {
                    let place = word as u32 as i32;
                    let known = outcomes.placed.iter().find(|(p, _)| *p == place).map(|(_, s)| s.clone());
                    let set = match (known, place) {
                        (Some(set), _) => set,
                        (None, 8..12) => bindings.set_at(place).unwrap_or_else(VertexSet::empty),
                        (None, place) => self.set_at(&mut outcomes, place, vertices)?,
                    };
                    locals.set(name, Value::Set(set));
                }
                Outcome::List(name) => {
                    let (depth, _) = ((word >> 32) as usize, word as u32 as usize);
                    if let Some((_, _, Value::List(list))) = values.iter().find(|(n, _, _)| n == name) {
                        let sets = bindings.listed(name, depth, &self.context.device)?;
                        *list.entries() = sets;
                    }
                }
                Outcome::Queue(name) => {
                    let Some(Value::Queue(queue)) = env.global(name) else { continue };
                    let mut state = queue.state();
                    let Some(own) = state.as_any().downcast_mut::<DeviceQueue>() else { continue };
                    own.note(&words[at..]);
                    let place = words[at + 1] as u32 as i32;
                    own.near = outcomes.near_set(&self.context, &self.launcher.spares, place, &mut bindings)?;
                }
                Outcome::Outgrown if word != 0 => ended = StatementOutcome::HostTurn,
                _ => {}
            }
        }
        bindings.note_places(&outcomes)?;
        outcomes.give_back(&self.launcher.spares);
        let Some(fused) = &self.statements[id] else { return Ok(ended) };
        let (path, function) = (fused.path.to_string(), fused.function.as_ref().map(ToString::to_string));
        let form = fused.form;
        env.report(|| StepRecord {
            step: 0,
            operator: "While",
            path,
            function,
            input: None,
            output: None,
            edges: None,
            schedule: Some(format!("loop={form}")),
            variant: 0,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(ended)
    }

    fn frontier_edges(&mut self, set: &VertexSet, graph: &Graph, _enough: Option<u64>) -> u64 {
        self.edges_of(set, graph).unwrap_or(0)
    }

    fn counts_while_making(&self) -> bool {
        true
    }

    fn reduce(&mut self, reduction: Reduction, vector: &Vector) -> Option<Result<Value>> {
        if vector.is_empty() || vector.cells() == 0 {
            return None;
        }
        if vector.scalar() == Scalar::Bool && matches!(reduction, Reduction::Max | Reduction::Min) {
            return None;
        }
        Some(self.reduce_vector(reduction, vector))
    }

    fn out_degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Option<Result<Vector>> {
        Some(self.degrees(graph, scalar))
    }

    fn watches_new_vectors(&self) -> bool {
        true
    }

    fn host_element(&mut self, vector: &Vector, cell: usize) -> Option<Result<Value>> {
        self.vectors.get(vector, cell)
    }

    fn set_host_element(&mut self, vector: &Vector, cell: usize, value: Value) -> Option<Result<()>> {
        self.vectors.set(vector, cell, &value)
    }

    fn wait(&mut self) -> Result<()> {
        let words = self.launcher.results(0, &[])?;
        match self.launcher.fault(&words, Span::NONE) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn finish_run(&mut self) -> Result<()> {
        self.launcher.end_run()?;
        self.wait()
    }

    fn device_seconds(&mut self) -> Result<Option<f64>> {
        self.launcher.device_seconds().map(Some)
    }

    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        self.vectors.fetch(vector)
    }

    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        self.vectors.host_writes(vector)
    }
}

impl CudaExecutable {
    /// Sizes and edges of an operator call, for its step record. The host waits for some of them.
    fn tell(
        &mut self,
        id: usize,
        call: &OperatorCall<'_>,
        vertices: usize,
        outcome: &mut OperatorOutcome,
    ) -> Result<()> {
        let input = call.set.as_ref().or(call.from.as_ref());
        outcome.input_size = Some(input.map_or(vertices, VertexSet::len) as u64);
        outcome.output_size = outcome.output.as_ref().map(|set| set.len() as u64);
        if let (Operator::EdgeSetIterator(op), Some(graph)) = (&self.operators[id].operator, &call.graph) {
            outcome.edges = match (reads(op), &call.from) {
                (Reads::All, _) => Some(graph.edges() as u64),
                (Reads::OfInput, Some(set)) if set.universe().is_none() => Some(self.edges_of(set, graph)?),
                (Reads::OfInput, _) => Some(graph.edges() as u64),
                (Reads::Unknown, _) => None,
            };
        }
        Ok(())
    }

    fn loop_vertices(&self, values: &[(Name, Type, Value)], env: &Environment) -> Result<usize> {
        let mut vertices = None;
        for (_, _, value) in values {
            if let Value::Graph(graph) = value {
                vertices = Some(graph.vertices());
            }
        }
        for global in &self.module.globals {
            if let Some(Value::Graph(graph)) = env.global(&global.name) {
                vertices = vertices.or(Some(graph.vertices()));
            }
        }
        vertices.ok_or_else(|| ErrorKind::Unsupported("a loop on the device needs a graph".into()).into())
    }

    /// Whether something that a loop reads is too large for the one block that shall run it.
    fn outgrown(&self, id: usize, values: &[(Name, Type, Value)], vertices: usize, env: &Environment) -> bool {
        let Some(fused) = self.statements[id].as_ref().filter(|l| l.form == LoopForm::SingleBlock) else {
            return false;
        };
        let limit = BLOCK_MEMBERS as usize;
        let frontiers = &fused.frontiers;
        let set_is_large = |(name, _, value): &(Name, Type, Value)| match value {
            Value::Set(set) => frontiers.sets.contains(name) && set.len() > limit,
            _ => false,
        };
        let queue_is_large = |name: &Name| match env.global(name) {
            Some(Value::Queue(queue)) => {
                let mut state = queue.state();
                let own = state.as_any().downcast_mut::<DeviceQueue>();
                own.and_then(|own| own.near.as_ref()).is_some_and(|near| near.len() > limit)
            }
            _ => false,
        };
        (frontiers.all && vertices > limit)
            || values.iter().any(set_is_large)
            || frontiers.queues.iter().any(queue_is_large)
    }

    /// The queues that code names, by their global variables.
    fn bind_queues(&mut self, loaded: &Loaded, bindings: &mut Bindings, env: &Environment) -> Result<()> {
        for input in &loaded.code.inputs {
            let crate::codegen::inputs::Source::Queue(name) = &input.source else { continue };
            let Some(Value::Queue(queue)) = env.global(name) else {
                return Err(ErrorKind::Unset { name: name.to_string() }.into());
            };
            let priorities = self.vectors.for_reading(&queue.spec().priorities)?;
            let mut state = queue.state();
            let own = state.as_any().downcast_mut::<DeviceQueue>();
            let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
            // Only a loop moves vertices between buckets; an operator asks for the open one.
            let near = match loaded
                .code
                .outcomes
                .iter()
                .any(|o| matches!(o, crate::codegen::region::Outcome::Queue(n) if n == name))
            {
                true => own.near.take(),
                false => None,
            };
            bindings.queue(name.clone(), own, priorities, near);
        }
        Ok(())
    }

    /// A list of the host as a list on the device.
    fn bind_list(&mut self, bindings: &mut Bindings, name: &Name, sets: &[Value], vertices: usize) -> Result<()> {
        let device = &self.context.device;
        let mut ends: Vec<u32> = Vec::with_capacity(sets.len());
        let mut storage: Option<Arc<ListStorage>> = None;
        let mut same = true;
        for (i, value) in sets.iter().enumerate() {
            let Value::Set(set) = value else {
                return Err(ErrorKind::Unsupported("only lists of sets go to the device".into()).into());
            };
            same &= set.with(|form| match form {
                SetForm::Machine(machine) => match machine.as_any().downcast_mut::<ListedSet>() {
                    Some(listed) => {
                        let list = storage.get_or_insert_with(|| Arc::clone(&listed.list));
                        ends.push(listed.end as u32);
                        Arc::ptr_eq(list, &listed.list) && listed.depth == i
                    }
                    None => false,
                },
                _ => false,
            });
            if !same {
                break;
            }
        }
        if same && let Some(storage) = storage {
            // As a loop left it.
            bindings.list(name.clone(), storage, sets.len(), ends.last().copied().unwrap_or(0));
            return Ok(());
        }
        let mut ids: Vec<u32> = Vec::new();
        ends.clear();
        let mut heads: Vec<u32> = Vec::new();
        for value in sets {
            if let Value::Set(set) = value {
                set.with_ids(|members| ids.extend_from_slice(members));
                heads.extend([ids.len() as u32 - ends.last().copied().unwrap_or(0), 0, 0, 0]);
                ends.push(ids.len() as u32);
            }
        }
        let capacity = ids.len() + 4 * vertices + 1024;
        let depth_capacity = sets.len() + vertices.min(1 << 22) + 1024;
        let storage = ListStorage {
            ids: Buffer::new(device, 4 * capacity).map_err(exec_error)?,
            ends: Buffer::new(device, 4 * depth_capacity).map_err(exec_error)?,
            heads: Buffer::new(device, 16 * depth_capacity).map_err(exec_error)?,
            capacity,
            depth_capacity,
        };
        let upload = |to: &Buffer, words: &[u32]| match words.is_empty() {
            true => Ok(()),
            false => device.upload(to.address, crate::memory::bytes_of(words)).map_err(exec_error),
        };
        upload(&storage.ids, &ids)?;
        upload(&storage.ends, &ends)?;
        upload(&storage.heads, &heads)?;
        bindings.list(name.clone(), Arc::new(storage), sets.len(), ids.len() as u32);
        Ok(())
    }

    fn edges_of(&mut self, set: &VertexSet, graph: &Graph) -> Result<u64> {
        // The operator that made the set may have counted. What is still on the host is a source or a few.
        if let Some(edges) = with_device_set(set, |own| own.edges_of(graph)).flatten() {
            return Ok(edges);
        }
        if let Some(edges) = edges_of_few(set, graph) {
            return Ok(edges);
        }
        with_device_set(set, DeviceSet::forget_count).unwrap_or(Ok(())).map_err(exec_error)?;
        let vertices = graph.vertices();
        let wide = matches!(graph.out().offsets(), Offsets::Wide(_));
        let loaded = self.loaded(Key::FrontierEdges(wide), |_, _| Ok(kernels::frontier_edges(wide)))?;
        let offsets = self.context.offsets_of(graph)?;
        let mut bindings = Bindings::new(vertices);
        self.bind_set(&mut bindings, &"set".into(), set, vertices)?;
        bindings.address("offsets".into(), offsets);
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let words = self.collect(&outcomes, Span::NONE)?;
        outcomes.give_back(&self.launcher.spares);
        Ok(words[0])
    }

    fn reduce_vector(&mut self, reduction: Reduction, vector: &Vector) -> Result<Value> {
        let scalar = vector.scalar();
        let number = match reduction {
            Reduction::Sum => 0,
            Reduction::Max => 1,
            Reduction::Min => 2,
            Reduction::Count => 3,
        };
        let loaded = self.loaded(Key::Reduce(number, scalar), |_, _| Ok(kernels::reduce(reduction, scalar)))?;
        let address = self.vectors.for_reading(vector)?;
        let mut bindings = Bindings::new(0);
        bindings.address("cells".into(), address);
        bindings.length("cells".into(), vector.cells() as u64);
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let words = self.collect(&outcomes, Span::NONE)?;
        outcomes.give_back(&self.launcher.spares);
        let out = match reduction {
            Reduction::Count => Scalar::Int,
            Reduction::Sum if scalar == Scalar::Bool => Scalar::Int,
            _ => scalar,
        };
        Ok(value_of(out, words[0]))
    }

    fn degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Result<Vector> {
        let vertices = graph.vertices();
        let vector = Vector::zeros(scalar, &[vertices])?;
        if vertices == 0 {
            return Ok(vector);
        }
        let wide = matches!(graph.out().offsets(), Offsets::Wide(_));
        let loaded = self.loaded(Key::OutDegrees(wide), |_, _| Ok(kernels::out_degrees(wide)))?;
        let buffer = Buffer::new(&self.context.device, 4 * vertices).map_err(exec_error)?;
        let mut bindings = Bindings::new(vertices);
        let parts = crate::codegen::inputs::GraphParts { out: true, ..Default::default() };
        let words = self.context.residency.words(graph, parts, 0).map_err(exec_error)?;
        bindings.address("offsets".into(), crate::device::Address(words.words[0]));
        bindings.address("degrees".into(), buffer.address);
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        outcomes.give_back(&self.launcher.spares);
        self.vectors.adopt(&vector, buffer);
        Ok(vector)
    }
}

/// Out-edges of a small set that is not on the device.
fn edges_of_few(set: &VertexSet, graph: &Graph) -> Option<u64> {
    const FEW: usize = 64;
    set.with(|form| match form {
        SetForm::Ids(ids) if ids.len() <= FEW => {
            let inside = ids.iter().filter(|&&v| (v as usize) < graph.vertices());
            Some(inside.map(|&v| graph.out().degree(v) as u64).sum())
        }
        _ => None,
    })
}

fn shape_of(graph: &Graph) -> GraphShape {
    GraphShape {
        wide: matches!(graph.out().offsets(), Offsets::Wide(_)),
        flat: crate::choose::is_flat(graph),
        weight: match graph.weight_kind() {
            WeightKind::None => None,
            WeightKind::Int => Some(Scalar::Int),
            WeightKind::Float => Some(Scalar::Float),
        },
    }
}

fn title(path: &str, span: Span, what: &str) -> String {
    match (path, span.line) {
        ("", line) => format!("{what}, line {line}"),
        (path, line) => format!("{what} {path}, line {line}"),
    }
}

/// A name for a kernel that says where it comes from.
fn kernel_name(what: &str, path: &str, span: Span) -> String {
    let path: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match path.as_str() {
        "" => format!("{what}_line_{}", span.line),
        path => format!("{what}_{path}"),
    }
}

/// An operator as a region: operands become parameters.
fn prepare(module: &Module, span: Span, path: &Arc<str>, operator: &Operator) -> Prepared {
    let mut names = OperandNames::default();
    let mut params: Vec<(Name, Type)> = Vec::new();
    let mut operator_in_region = operator.clone();
    let fresh = |base: &str| module.fresh_name(base);
    let captures = |function: &mut gw_ir::expr::FunctionRef, role: &str, params: &mut Vec<(Name, Type)>| {
        let mut made = Vec::new();
        let types = module.function(&function.name).map(|f| f.captures.clone()).unwrap_or_default();
        for (i, (expr, capture)) in function.captures.iter_mut().zip(types).enumerate() {
            let name = fresh(&format!("{role}_capture{i}"));
            params.push((name.clone(), capture.ty.clone()));
            *expr = Expr::var(name.clone(), capture.ty);
            made.push(name);
        }
        made
    };
    let mut output: Option<(Name, Type)> = None;
    match &mut operator_in_region {
        Operator::EdgeSetIterator(e) => {
            for (filter, slot, base) in
                [(&mut e.from, &mut names.from, "from_set"), (&mut e.to, &mut names.to, "to_set")]
            {
                if let VertexFilter::Set(set) = filter {
                    let name = fresh(base);
                    params.push((name.clone(), set.ty.clone()));
                    *set = Expr::var(name.clone(), set.ty.clone());
                    *slot = Some(name);
                }
            }
            names.apply = captures(&mut e.apply, "apply", &mut params);
            if let VertexFilter::Function(f) = &mut e.from {
                names.from_captures = captures(f, "from", &mut params);
            }
            if let VertexFilter::Function(f) = &mut e.to {
                names.to_captures = captures(f, "to", &mut params);
            }
            if let Some(name) = e.graph.as_var() {
                // A graph of the host function travels under its own name; a global one is found there.
                if module.global(name).is_none() {
                    params.push((name.clone(), e.graph.ty.clone()));
                }
                names.graph = Some(name.clone());
            }
            if e.output != EdgeOutput::None
                && let Type::EdgeSet { target, .. } = &e.graph.ty
            {
                output = Some((fresh("output_set"), Type::VertexSet(target.clone())));
            }
        }
        Operator::VertexSetIterator(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.apply, "apply", &mut params);
        }
        Operator::VertexSetFilter(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.filter, "apply", &mut params);
            output = Some((fresh("output_set"), v.set.ty.clone()));
        }
        Operator::VertexSetDedup(d) => {
            names.set = Some(vertex_input(&mut d.set, &mut params, &fresh));
        }
        _ => {}
    }
    names.output = output.as_ref().map(|(name, _)| name.clone());
    let expr = operator_in_region.into_expr();
    let stmt = match output {
        Some((name, ty)) => Stmt::new(StmtKind::VarDecl { name, ty, init: Some(expr) }),
        None => Stmt::eval(expr),
    };
    let body = vec![stmt.at(span)];
    Prepared { span, path: Arc::clone(path), params, body, operator: operator.clone(), names, counted: None }
}

fn vertex_input(set: &mut Expr, params: &mut Vec<(Name, Type)>, fresh: &dyn Fn(&str) -> Name) -> Name {
    let name = fresh("vertex_set");
    params.push((name.clone(), set.ty.clone()));
    *set = Expr::var(name.clone(), set.ty.clone());
    name
}

/// A loop whose schedule asks for the device.
fn fused_loop(module: &Module, function: Option<&Name>, path: &Arc<str>, stmt: &Stmt) -> Option<FusedLoop> {
    let StmtKind::While { meta, body, .. } = &stmt.kind else { return None };
    if !meta.needs_fusion {
        return None;
    }
    let form = meta.schedule.as_ref()?.as_simple()?.loop_form?;
    let locals = match function.and_then(|f| module.function(f)) {
        Some(function) => {
            let mut locals = function.locals();
            locals.extend(function.params.iter().cloned());
            locals.extend(function.captures.iter().cloned());
            locals.extend(function.result.iter().cloned());
            locals
        }
        None => Vec::new(),
    };
    let mut params: Vec<(Name, Type)> = Vec::new();
    for name in &meta.hoisted {
        if let Some(local) = locals.iter().find(|l| l.name == *name) {
            params.push((name.clone(), local.ty.clone()));
        }
    }
    Some(FusedLoop {
        span: stmt.span,
        path: Arc::clone(path),
        function: function.cloned(),
        params,
        body: vec![stmt.clone()],
        form,
        frontiers: Frontiers::of(module, body),
    })
}
