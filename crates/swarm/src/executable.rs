//! A module as tasks: operators and loops run on the simulator, the rest on the reference machine.

use std::sync::{Arc, Mutex, PoisonError};

use gw_exec::{AsyncWork, Statements, scalar};
use gw_exec::{
    Captures, Environment, ErrorKind, Executable, FrontierCosts, Locals, OperatorCall, OperatorId, OperatorOutcome,
    Queue, QueueSpec, QueueState, RemoteMemory, Result, Sites, StatementId, StatementOutcome, StepRecord, Value,
    VertexSet,
};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::SwarmQueue;

use crate::bind::{Bound, Inputs, Places};
use crate::lower::body::fail;
use crate::lower::build::{ObjectRef, Unsupported};
use crate::lower::loops::{self, LoopTasks, MEMBERS, Over, SCALARS, STOPPED};
use crate::lower::style::Style;
use crate::lower::tree::{self, OUTPUT, Region, Units};
use crate::report::Report;
use crate::sim::code::{Args, Code, Fault, Next, Op, Spawn, execute};
use crate::sim::config::Config;
use crate::sim::{Job, Machine, Outcome, SimError};

/// A module ready to run.
pub(crate) struct SwarmExecutable {
    operators: Vec<std::result::Result<Region, Unsupported>>,
    names: Vec<(&'static str, String)>,
    statements: Vec<Option<LoopTasks>>,
    paths: Vec<String>,
    reference: Box<dyn Executable>,
    simulation: Simulation,
}

/// The machine of a run, where its values lie, and what it tells.
struct Simulation {
    config: Config,
    machine: Machine,
    places: Places,
    report: Arc<Mutex<Report>>,
}

impl SwarmExecutable {
    pub(crate) fn new(
        module: &Arc<Module>,
        reference: Box<dyn Executable>,
        config: Config,
        report: Arc<Mutex<Report>>,
    ) -> Result<SwarmExecutable> {
        let sites = Sites::of(module);
        let mut statements = Vec::new();
        for (site, stmt) in &sites.statements {
            let gw_ir::stmt::StmtKind::While { meta, .. } = &stmt.kind else {
                statements.push(None);
                continue;
            };
            let queue = Style::of(meta.schedule.as_deref()).queue;
            statements.push(match (loops::lower(module, stmt), queue) {
                (_, Some(SwarmQueue::Unordered)) | (Err(_), None) => None,
                (Ok(tasks), _) if tasks.idle.is_none() => Some(tasks),
                (lowered, queue) => {
                    let reason = lowered.map_or_else(|e| e.to_string(), |tasks| tasks.idle.unwrap_or("").to_string());
                    let queue = queue.map_or(String::new(), |queue| format!(" with `queue={queue}`"));
                    let message = format!(
                        "the loop `{}` cannot become tasks{queue}: {reason}, or use `queue=unordered`",
                        site.path
                    );
                    return Err(gw_exec::ExecError::new(ErrorKind::Unsupported(message), stmt.span));
                }
            });
        }
        Ok(SwarmExecutable {
            operators: sites.operators.iter().map(|(_, operator)| tree::operator(module, operator)).collect(),
            names: sites.operators.iter().map(|(site, op)| (op.name(), site.path.to_string())).collect(),
            paths: sites.statements.iter().map(|(site, _)| site.path.to_string()).collect(),
            statements,
            reference,
            simulation: Simulation { machine: Machine::new(config.clone()), config, places: Places::default(), report },
        })
    }

    /// The task programs of the module, for listings: a title and the code of each.
    pub(crate) fn programs(&self) -> Vec<(String, &Code)> {
        let operators = self.operators.iter().zip(&self.names).filter_map(|(region, (name, path))| {
            region.as_ref().ok().map(|region| (format!("{name} {path}"), &region.code))
        });
        let loops = self.statements.iter().zip(&self.paths);
        let loops = loops.filter_map(|(tasks, path)| Some((format!("while {path}"), &tasks.as_ref()?.region.code)));
        loops.chain(operators).collect()
    }

    /// Runs an operator as a tree of tasks.
    fn operator(
        &mut self,
        id: OperatorId,
        graph: Option<Arc<Graph>>,
        sources: Option<&VertexSet>,
        to: Option<&VertexSet>,
        captures: Captures<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let Some(Ok(region)) = self.operators.get(id.0) else {
            return Err(ErrorKind::Malformed("an operator of another module".into()).into());
        };
        let vertices = graph.as_ref().map_or(0, |graph| graph.vertices());
        let members = match (region.units, sources) {
            (Units::Members, Some(set)) => checked(set.ids()?, graph.is_some().then_some(vertices))?,
            _ => Vec::new(),
        };
        let units = match region.units {
            Units::Members => members.len(),
            Units::Edges => graph.as_ref().map_or(0, |graph| graph.edges()),
            Units::Vertices => sources.map_or(Ok(vertices), VertexSet::len)?,
        };
        let (input, cores) = (sources.map_or(Ok(vertices), VertexSet::len)? as u64, self.simulation.config.cores);
        let edges = graph.as_ref().map(|graph| match sources {
            Some(_) => members.iter().map(|&v| graph.out().degree(v) as u64).sum(),
            None => graph.edges() as u64,
        });
        let inputs =
            Inputs { env, locals: None, graph, captures, members, to: to.cloned(), vertices, cores, region: id.0 };
        let mut bound = self.simulation.places.bind(&region.objects, &region.params, &inputs)?;
        let leaves = region.leaves(units as u64, cores as u64);
        let root =
            Spawn { function: region.tree, timestamp: 0, hint: None, args: Args::new(&[0, leaves, units as u64]) };
        let roots = if units == 0 { &[][..] } else { std::slice::from_ref(&root) };
        let outcome = self.simulation.run(region, &mut bound, roots, env)?;
        let ids: Vec<u32> = outcome.emitted.iter().map(|&(_, v)| v as u32).collect();
        Ok(OperatorOutcome {
            output: Some(VertexSet::from_ids(ids)),
            input_size: Some(input),
            output_size: None,
            edges,
            seconds: Some(self.simulation.seconds(outcome.cycles)),
            told: None,
        })
    }
}

impl Simulation {
    /// Runs a bound program and brings the scalars that its tasks wrote back to the host.
    fn run(&mut self, region: &Region, bound: &mut Bound, roots: &[Spawn], env: &mut Environment) -> Result<Outcome> {
        let mut stopped = None;
        let mut stop = || {
            stopped = stopped.take().or(env.stop.check().err());
            stopped.is_some()
        };
        let job = Job {
            code: &region.code,
            params: &bound.params,
            writable_lines: self.places.space.writable_lines(),
            roots,
            stop: &mut stop,
            log: false,
        };
        let outcome = self.machine.run(job, &mut bound.memory).map_err(|error| match (error, stopped) {
            (SimError::Stopped, Some(error)) => error,
            (SimError::Stopped, None) => ErrorKind::Cancelled.into(),
            (SimError::Fault { fault, .. }, _) => fault_error(fault, region, bound).into(),
        })?;
        write_back(region, bound, env);
        self.note(|report| report.simulated += 1);
        Ok(outcome)
    }

    /// Changes the report, which also gets what was counted so far.
    fn note(&self, change: impl FnOnce(&mut Report)) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut report);
        (report.stats, report.config) = (self.machine.stats(), self.config.clone());
    }

    fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / (self.config.frequency_ghz * 1e9)
    }
}

/// Brings scalars that tasks wrote back to the host.
fn write_back(region: &Region, bound: &Bound, env: &mut Environment) {
    for (at, object) in region.objects.iter().enumerate() {
        let at = at as u16;
        match object {
            ObjectRef::Scalar(name) => {
                if let Some(scalar) = env.global(name).and_then(|value| value.scalar()) {
                    env.set_global(name, Value::from_bits(scalar, bound.memory.load(at, 0)));
                }
            }
            ObjectRef::Partial(name, op) => {
                let Some(value) = env.global(name) else { continue };
                let (Some(scalar), Some(mut bits)) = (value.scalar(), value.bits()) else { continue };
                for core in 0..bound.memory.len(at) {
                    let part = bound.memory.load(at, core);
                    bits = scalar::reduce(*op, scalar, bits, part).unwrap_or(bits);
                }
                env.set_global(name, Value::from_bits(scalar, bits));
            }
            _ => {}
        }
    }
}

/// Members in ascending order, all of them vertices of the graph.
fn checked(mut ids: Vec<u32>, vertices: Option<usize>) -> Result<Vec<u32>> {
    ids.sort_unstable();
    match (ids.last(), vertices) {
        (Some(&last), Some(vertices)) if last as usize >= vertices => {
            Err(ErrorKind::VertexOutOfRange { vertex: i64::from(last as i32), vertices }.into())
        }
        _ => Ok(ids),
    }
}

/// The error of a task that cannot go on.
fn fault_error(fault: Fault, region: &Region, bound: &Bound) -> ErrorKind {
    match fault {
        Fault::DivisionByZero => ErrorKind::DivisionByZero,
        Fault::Index { object, index } => {
            let len = bound.memory.len(object);
            let index = i64::from(index as i32);
            match &region.objects[object as usize] {
                ObjectRef::Vector(name) => ErrorKind::IndexOutOfRange { index, len, vector: name.to_string() },
                ObjectRef::Capture(..) => ErrorKind::IndexOutOfRange { index, len, vector: "a captured vector".into() },
                ObjectRef::Offsets(_) => ErrorKind::VertexOutOfRange { vertex: index, vertices: len - 1 },
                _ => ErrorKind::VertexOutOfRange { vertex: index, vertices: len },
            }
        }
        Fault::Failed { code: fail::PRIORITY_OVERFLOW, .. } => ErrorKind::PriorityOverflow,
        Fault::Failed { code: fail::NEGATIVE_PRIORITY, value } => {
            let priorities = region.objects.iter().position(|object| matches!(object, ObjectRef::Priorities(_)));
            let bits = priorities.map_or(0, |object| bound.memory.load(object as u16, value as usize));
            ErrorKind::NegativePriority { vertex: (value as u32).into(), priority: f64::from(bits as i32) }
        }
        Fault::Failed { value, .. } => {
            ErrorKind::IndexOutOfRange { index: i64::from(value as i32), len: 0, vector: "a row".into() }
        }
        Fault::Backwards { timestamp } => {
            ErrorKind::Malformed(format!("a task at {timestamp} would come before its parent"))
        }
    }
}

impl RemoteMemory for SwarmExecutable {}

impl FrontierCosts for SwarmExecutable {}

impl Executable for SwarmExecutable {
    fn begin_run(&mut self) {
        self.reference.begin_run();
        self.simulation.machine = Machine::new(self.simulation.config.clone());
        self.simulation.places = Places::default();
        self.simulation.note(|report| *report = Report::default());
    }

    fn run_operator(
        &mut self,
        id: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        if matches!(self.operators.get(id.0), Some(Ok(_))) {
            match &call {
                OperatorCall::Edges(edges) => {
                    let graph = Some(Arc::clone(&edges.graph));
                    return self.operator(id, graph, edges.from.set(), edges.to.set(), edges.captures(), env);
                }
                OperatorCall::Vertices(vertices) => {
                    return self.operator(id, None, Some(&vertices.set), None, vertices.captures(), env);
                }
                _ => {}
            }
        }
        let is_work = matches!(call, OperatorCall::Edges(_) | OperatorCall::Vertices(_));
        if let (true, Some(Err(reason))) = (is_work, self.operators.get(id.0)) {
            let (name, path) = &self.names[id.0];
            let words = format!("{name} {path}: {reason}");
            self.simulation.note(|report| report.on_host(words));
        }
        self.reference.run_operator(id, call, env)
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.reference.new_queue(spec, env)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.reference.dequeue(queue, env)
    }
}

impl Statements for SwarmExecutable {
    fn claims(&self, statement: StatementId) -> bool {
        matches!(self.statements.get(statement.0), Some(Some(_)))
    }

    fn run_statement(
        &mut self,
        id: StatementId,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        let Some(Some(tasks)) = self.statements.get(id.0) else {
            return Err(ErrorKind::Malformed("a loop of another module".into()).into());
        };
        let mut inputs = Inputs {
            env,
            locals: Some(locals),
            graph: None,
            captures: Captures::default(),
            members: Vec::new(),
            to: None,
            vertices: 0,
            cores: self.simulation.config.cores,
            region: self.operators.len() + id.0,
        };
        let graph = tasks.region.objects.iter().find_map(|object| match object {
            ObjectRef::Targets(crate::lower::build::GraphRef::Named(name)) => inputs.value(name).ok(),
            _ => None,
        });
        inputs.vertices = graph.as_ref().and_then(Value::as_graph).map_or(0, |graph| graph.vertices());
        let members = match &tasks.over {
            Over::Frontier { frontier, .. } => match inputs.value(frontier)? {
                Value::Set(set) => set.ids()?,
                _ => return Err(ErrorKind::Unset { name: frontier.to_string() }.into()),
            },
            Over::Queue { name, .. } => drained(&inputs.queue(name)?)?,
        };
        inputs.members = checked(members, Some(inputs.vertices))?;
        let count = inputs.members.len() as u64;
        let mut bound = self.simulation.places.bind(&tasks.region.objects, &tasks.region.params, &inputs)?;
        drop(inputs);
        let spawn = |function, args: &[u64]| Spawn { function, timestamp: 0, hint: None, args: Args::new(args) };
        let mut roots = Vec::new();
        if count > 0 {
            roots.push(spawn(tasks.region.tree, &[0, count, count]));
            roots.extend(tasks.round.map(|round| spawn(round, &[0])));
        }
        let outcome = self.simulation.run(&tasks.region, &mut bound, &roots, env)?;
        finish(tasks, &outcome, &bound, count > 0, locals, env)?;
        let (seconds, path) = (self.simulation.seconds(outcome.cycles), self.paths[id.0].clone());
        env.report(|| StepRecord {
            step: 0,
            operator: "while",
            path,
            function: None,
            input: Some(count),
            output: None,
            edges: None,
            told: None,
            schedule: None,
            variant: 0,
            seconds,
        });
        Ok(StatementOutcome::Done)
    }
}

impl AsyncWork for SwarmExecutable {
    fn device_seconds(&mut self) -> Result<Option<f64>> {
        Ok(Some(self.simulation.seconds(self.simulation.machine.stats().cycles)))
    }
}

/// Everything that is in a queue.
fn drained(queue: &Queue) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    loop {
        let ready = queue.state().dequeue()?;
        if ready.is_empty() {
            return Ok(all);
        }
        all.extend(ready);
    }
}

/// What the host sees after a loop: its frontier, its scalars, its lists, its queue.
fn finish(
    tasks: &LoopTasks,
    outcome: &Outcome,
    bound: &Bound,
    began: bool,
    locals: &mut dyn Locals,
    env: &mut Environment,
) -> Result<()> {
    let on = |channel: u16| outcome.emitted.iter().filter(move |(c, _)| *c == channel).map(|&(_, value)| value);
    let mut stopped: Vec<u32> = on(STOPPED).map(|v| v as u32).collect();
    stopped.sort_unstable();
    stopped.dedup();
    let Over::Frontier { frontier, carried, scalars, lists, stages } = &tasks.over else {
        let Over::Queue { name, .. } = &tasks.over else { return Ok(()) };
        return match env.global(name) {
            Some(Value::Queue(queue)) => queue.state().rebucket(&stopped),
            _ => Ok(()),
        };
    };
    let rounds = match (began, stopped.is_empty()) {
        (false, _) => 0,
        (true, true) => outcome.last_timestamp / stages + 1,
        (true, false) => outcome.last_timestamp / stages,
    };
    locals.set(frontier, Value::Set(VertexSet::from_ids(stopped)));
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); if lists.is_empty() { 0 } else { rounds as usize }];
    for member in on(MEMBERS) {
        if let Some(set) = sets.get_mut((member >> 32) as usize) {
            set.push(member as u32);
        }
    }
    for list in lists {
        let value = locals.get(list).or_else(|| env.global(list));
        let Some(Value::List(list)) = value else { continue };
        list.entries().extend(sets.iter().map(|ids| Value::Set(VertexSet::from_ids(ids.clone()))));
    }
    let read = |name: &str| locals.get(name).or_else(|| env.global(name));
    let kinds: Vec<Option<gw_exec::Scalar>> = carried.iter().map(|name| read(name)?.scalar()).collect();
    let mut values: Vec<u64> = carried.iter().map(|name| read(name).and_then(|v| v.bits()).unwrap_or(0)).collect();
    let function = &tasks.region.code.functions[*scalars as usize];
    for _ in 0..if carried.is_empty() { 0 } else { rounds } {
        values = run_alone(&function.ops, function.registers, &bound.params, &values);
    }
    for ((name, bits), scalar) in carried.iter().zip(values).zip(kinds) {
        if let Some(scalar) = scalar {
            let value = Value::from_bits(scalar, bits);
            if !locals.set(name, value.clone()) {
                env.set_global(name, value);
            }
        }
    }
    Ok(())
}

/// Runs a function on scalars, outside the simulator; what it emits are their new values.
fn run_alone(ops: &[Op], registers: usize, params: &[u64], args: &[u64]) -> Vec<u64> {
    let mut regs = vec![0; registers.max(args.len())];
    regs[..args.len()].copy_from_slice(args);
    let (mut pc, mut values) = (0, args.to_vec());
    while let Some(op) = ops.get(pc) {
        match execute(op, &mut pc, &mut regs) {
            Next::Continue(_) => continue,
            Next::Fault(_) => break,
            Next::Outside => {}
        }
        match *op {
            Op::Param { to, index } => regs[to as usize] = params[index as usize],
            Op::Emit { channel, from } => values[(channel - SCALARS) as usize] = regs[from as usize],
            _ => break,
        }
        pc += 1;
    }
    values
}

/// Channels are apart.
const _: () = assert!(OUTPUT != STOPPED && STOPPED != MEMBERS && MEMBERS < SCALARS);
