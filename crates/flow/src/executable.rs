//! A module on one worker: the share of every operator that is this worker's, and what is told to the others.
//!
//! Every worker has all vectors in full length and all sets; the edges are shared out. Around the local half of an
//! operator, which is the CPU machine's, a worker
//! 1. fetches the entries of others that the operator reads and that are not up to date here,
//! 2. notes what vectors hold that other workers may write as well,
//! 3. runs the operator on its own edges or vertices,
//! 4. exchanges what it changed, the members it found and its part of global sums, in one message.
//!
//! Entries that only their owner writes are not sent at once. The vector is then *dirty*: only the owned entries are
//! true. It is watched, so that the host fetches the others before it looks.

use std::sync::Arc;

use gw_exec::{
    EdgeCall, Environment, ErrorKind, ExecError, Executable, FrontierCosts, OperatorCall, OperatorId, OperatorOutcome,
    Queue, QueueSpec, QueueState, RemoteMemory, Result, Selection, Sites, Value, Vector, VectorId, VertexCall,
    VertexSet, scalar,
};
use gw_graph::{Graph, GraphId};
use gw_ir::expr::ReduceOp;
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::types::Type;
use rustc_hash::FxHashMap;

use crate::changes::Before;
use crate::cut::Cut;
use crate::message::{Reader, Writer, read_union, write_set};
use crate::plan::{Merge, Plan, Role, Source, VectorPlan, Write};
use crate::reach::Reach;
use crate::run::{Run, Start};
use crate::session::Session;

/// An operator and its plan.
struct Prepared {
    plan: Plan,
    span: Span,
    /// The element of the set of a vertex operator.
    element: Option<Name>,
    /// The operator returns a set.
    yields: bool,
}

/// A module ready to run on one worker.
pub(crate) struct FlowExecutable {
    operators: Vec<Prepared>,
    local: Box<dyn Executable>,
    start: Start,
    run: Option<Run>,
    /// By number of vertices: all graphs and sets of so many vertices are cut alike.
    cuts: FxHashMap<usize, Arc<Cut>>,
    parts: FxHashMap<GraphId, Arc<Graph>>,
    /// Vectors of which only the owned entries are true.
    dirty: FxHashMap<VectorId, (Vector, Arc<Cut>)>,
    reach: Reach,
    pulls: bool,
}

impl FlowExecutable {
    pub(crate) fn new(module: &Arc<Module>, local: Box<dyn Executable>, start: Start) -> Result<FlowExecutable> {
        let alone = start.is_alone();
        let mut operators = Vec::new();
        for (site, operator) in Sites::of(module).operators {
            let plan = match Plan::of(module, operator) {
                Ok(plan) => plan,
                Err(_) if alone => Plan::default(),
                Err(reason) => {
                    let name = operator.name();
                    let message = format!("several workers cannot run this {name}: {reason}; --workers 1 can");
                    return Err(ExecError::new(ErrorKind::Unsupported(message), site.span));
                }
            };
            let set = match operator {
                Operator::VertexSetIterator(op) => Some(&op.set),
                Operator::VertexSetFilter(op) => Some(&op.set),
                _ => None,
            };
            let element = set.and_then(|set| match &set.ty {
                Type::VertexSet(element) => Some(element.clone()),
                _ => None,
            });
            let yields = operator.result_type() != Type::Void;
            operators.push(Prepared { plan, span: site.span, element, yields });
        }
        let pulls = operators.iter().any(|op| op.plan.pulls);
        Ok(FlowExecutable {
            operators,
            local,
            start,
            run: None,
            cuts: FxHashMap::default(),
            parts: FxHashMap::default(),
            dirty: FxHashMap::default(),
            reach: Reach::default(),
            pulls,
        })
    }

    /// The run; the first call of a run begins it.
    fn session(&mut self, env: &Environment) -> Result<&mut Session> {
        if self.run.is_none() {
            self.run = Some(self.start.begin(env)?);
        }
        self.running()
    }

    fn running(&mut self) -> Result<&mut Session> {
        let run = self.run.as_mut().ok_or_else(|| ErrorKind::Machine("no run has begun".to_string()))?;
        Ok(run.session())
    }

    /// The cut of all vertices of graphs and sets of this size. The first graph of that size decides.
    fn cut(&mut self, vertices: usize, graph: Option<&Graph>, env: &Environment) -> Result<Arc<Cut>> {
        if let Some(cut) = self.cuts.get(&vertices) {
            return Ok(Arc::clone(cut));
        }
        let peers = self.session(env)?.peers();
        let of_env = || {
            env.global_values().find_map(|(_, _, value)| match value {
                Value::Graph(graph) if graph.vertices() == vertices => Some(graph),
                _ => None,
            })
        };
        let cut =
            match graph.map_or_else(|| of_env().map(|g| Cut::by_edges(&g, peers)), |g| Some(Cut::by_edges(g, peers))) {
                Some(cut) => cut,
                None => Cut::even(vertices, peers),
            };
        let cut = Arc::new(cut);
        self.cuts.insert(vertices, Arc::clone(&cut));
        Ok(cut)
    }

    /// The edges of this worker.
    fn part(&mut self, graph: &Arc<Graph>, cut: &Cut, own: usize) -> Arc<Graph> {
        let pulls = self.pulls;
        let part = self.parts.entry(graph.id()).or_insert_with(|| Arc::new(graph.part(cut.range(own), pulls)));
        Arc::clone(part)
    }

    /// Makes vectors true in all entries, those that are not.
    fn fetch<'v>(&mut self, vectors: impl Iterator<Item = &'v Vector>) -> Result<()> {
        let needed: Vec<(Vector, Arc<Cut>)> = vectors.filter_map(|vector| self.dirty.remove(&vector.id())).collect();
        if needed.is_empty() {
            return Ok(());
        }
        self.running()?.gather(&needed)?;
        needed.iter().for_each(|(vector, _)| vector.set_watched(false));
        Ok(())
    }

    fn run_edges(&mut self, id: usize, mut call: EdgeCall, env: &mut Environment) -> Result<OperatorOutcome> {
        let (graph, vertices) = (Arc::clone(&call.graph), call.graph.vertices());
        let cut = self.cut(vertices, Some(&graph), env)?;
        let own = self.session(env)?.index();
        let part = self.part(&graph, &cut, own);
        let pulls = self.operators[id].plan.pulls;
        let input_size = call.from.set().map(VertexSet::len).transpose()?.unwrap_or(vertices);
        let sources = match call.from.set().filter(|set| set.universe() != Some(vertices)) {
            Some(set) if !pulls => Some(own_members(set, &cut, own, vertices)?),
            _ => None,
        };
        let reachable = match &sources {
            Some(sources) if !pulls => self.reach.entries(&part, sources),
            _ => None,
        };
        if let Some(sources) = sources {
            call.from = Selection::Set(VertexSet::from_ids(sources));
        }
        call.graph = part;
        let share = Share { id, cut, vertices, input_size, reachable };
        self.share(share, OperatorCall::Edges(call), env)
    }

    fn run_vertices(&mut self, id: usize, call: VertexCall, env: &mut Environment) -> Result<OperatorOutcome> {
        let universe = call.set.universe();
        let vertices = match (universe, &self.operators[id].element) {
            (Some(vertices), _) => vertices,
            (None, Some(element)) => env.vertices_of(element)?,
            (None, None) => call.set.ids()?.iter().max().map_or(0, |&v| v as usize + 1),
        };
        let cut = self.cut(vertices, None, env)?;
        let own = self.session(env)?.index();
        let input_size = call.set.len()?;
        let members = match universe {
            Some(_) => cut.range(own).collect(),
            None => own_members(&call.set, &cut, own, vertices)?,
        };
        let call = VertexCall { set: VertexSet::from_ids(members), captures: call.captures };
        let share = Share { id, cut, vertices, input_size, reachable: None };
        self.share(share, OperatorCall::Vertices(call), env)
    }

    /// Runs this worker's share of an operator between what must be known before and what is told after.
    fn share(&mut self, share: Share, call: OperatorCall<'_>, env: &mut Environment) -> Result<OperatorOutcome> {
        let Share { id, cut, vertices, input_size, reachable } = share;
        let plan = self.operators[id].plan.clone();
        let yields = self.operators[id].yields;
        let vectors = bound(&plan, &call, env)?;
        // 1. What is read elsewhere must be true here.
        let is_read =
            |plan: &VectorPlan| plan.reads_far || plan.reads_any || matches!(plan.write, Write::Merged { .. });
        self.fetch(vectors.iter().filter(|(_, plan)| is_read(plan)).map(|(vector, _)| vector))?;
        // A vector that others are indexed by is either cut like the vertices here, or whole.
        let other_cut = |(vector, plan): &&(Vector, VectorPlan)| {
            plan.write != Write::Nothing && self.dirty.get(&vector.id()).is_some_and(|(_, known)| *known != cut)
        };
        let cut_otherwise: Vec<Vector> = vectors.iter().filter(other_cut).map(|(v, _)| v.clone()).collect();
        self.fetch(cut_otherwise.iter())?;
        // Nobody can read a vector that only this table knows.
        self.dirty.retain(|_, (vector, _)| vector.is_shared_beyond(1));
        // 2. What was there before.
        let mut before = Vec::new();
        for (vector, plan) in &vectors {
            if let Write::Merged { merge, ends } = plan.write {
                before.push(Before::of(vector, merge, reachable.as_deref().filter(|_| ends))?);
            }
        }
        let own = self.running()?.index();
        let scalars = Scalars::begin(&plan, own, env)?;
        // 3. The local half.
        let local = self.local.run_operator(OperatorId(id), call, env)?;
        for (vector, plan) in &vectors {
            if plan.write == Write::Owned {
                vector.set_watched(true);
                self.dirty.insert(vector.id(), (vector.clone(), Arc::clone(&cut)));
            }
        }
        let mut outcome = OperatorOutcome { input_size: Some(input_size as u64), ..OperatorOutcome::default() };
        if !plan.has_news() && !yields {
            return Ok(outcome);
        }
        // 4. What everybody must know.
        let mut message = Session::message();
        message.u64(local.edges.unwrap_or(0));
        scalars.write(&mut message, env);
        before.iter().try_for_each(|before| before.write_changes(&mut message))?;
        if yields {
            let found = local.output.map_or(Ok(Vec::new()), |set| set.ids())?;
            write_set(&mut message, &found, vertices);
        }
        let session = self.running()?;
        let messages = session.broadcast(message)?;
        let mut readers = Session::readers(&messages);
        outcome.edges = Some(readers.iter_mut().map(Reader::u64).sum());
        scalars.read(&mut readers, env)?;
        before.iter().for_each(|before| before.make_changes(&mut readers));
        if yields {
            let union = read_union(&mut readers, vertices);
            let ids = union.ok_or_else(|| ErrorKind::Machine("a damaged message arrived".to_string()))?;
            outcome.output_size = Some(ids.len() as u64);
            outcome.output = Some(VertexSet::from_ids(ids));
        }
        session.intact(&readers)?;
        Ok(outcome)
    }
}

/// The share of a worker in an operator call.
struct Share {
    id: usize,
    cut: Arc<Cut>,
    /// Vertices of the graph or of the element of the set.
    vertices: usize,
    input_size: usize,
    /// The ends of all edges that will be visited, where they are few.
    reachable: Option<Vec<u32>>,
}

/// Global scalars that an operator writes, as they were before.
struct Scalars(Vec<(Name, Merge, Value)>);

impl Scalars {
    /// Notes the scalars. Sums start at 0 on all workers but the first.
    fn begin(plan: &Plan, own: usize, env: &mut Environment) -> Result<Scalars> {
        let mut noted = Vec::new();
        for (name, merge) in &plan.scalars {
            let value = env.global(name).ok_or_else(|| ErrorKind::Unset { name: name.to_string() })?;
            if own > 0 && *merge == Merge::Reduce(ReduceOp::Sum) {
                env.set_global(name, with_bits(&value, 0));
            }
            noted.push((name.clone(), *merge, value));
        }
        Ok(Scalars(noted))
    }

    fn write(&self, message: &mut Writer, env: &Environment) {
        for (name, _, before) in &self.0 {
            message.u64(env.global(name).unwrap_or_else(|| before.clone()).bits().unwrap_or(0));
        }
    }

    fn read(&self, readers: &mut [Reader<'_>], env: &mut Environment) -> Result<()> {
        for (name, merge, before) in &self.0 {
            let found: Vec<u64> = readers.iter_mut().map(Reader::u64).collect();
            let old = before.bits().unwrap_or(0);
            let kind = before.scalar().ok_or_else(|| ErrorKind::Malformed(format!("`{name}` is not a number")))?;
            let reduced = |op: ReduceOp| {
                found.iter().copied().reduce(|a, b| scalar::reduce(op, kind, a, b).unwrap_or(a)).unwrap_or(old)
            };
            let new = match merge {
                Merge::Reduce(op) => reduced(*op),
                Merge::First => found.iter().copied().find(|&bits| bits != old).unwrap_or(old),
            };
            env.set_global(name, with_bits(before, new));
        }
        Ok(())
    }
}

fn with_bits(like: &Value, bits: u64) -> Value {
    like.scalar().map_or(Value::Nothing, |scalar| Value::from_bits(scalar, bits))
}

/// The members of a set that a worker owns.
fn own_members(set: &VertexSet, cut: &Cut, own: usize, vertices: usize) -> Result<Vec<u32>> {
    let range = cut.range(own);
    set.with_ids(|ids| {
        if let Some(&vertex) = ids.iter().find(|&&v| v as usize >= vertices) {
            return Err(ErrorKind::VertexOutOfRange { vertex: i64::from(vertex), vertices }.into());
        }
        Ok(ids.iter().copied().filter(|v| range.contains(v)).collect())
    })?
}

/// The vectors of a plan as they are in this call, each once.
fn bound(plan: &Plan, call: &OperatorCall<'_>, env: &Environment) -> Result<Vec<(Vector, VectorPlan)>> {
    let captures = call.captures();
    let mut found: Vec<(Vector, VectorPlan)> = Vec::new();
    for (source, plan) in &plan.vectors {
        let value = match source {
            Source::Global(name) => env.global(name),
            Source::Capture(role, i) => {
                let values = match role {
                    Role::Apply => captures.apply,
                    Role::From => captures.from,
                    Role::To => captures.to,
                };
                values.get(*i).cloned()
            }
        };
        let Some(Value::Vector(vector)) = value else { continue };
        if vector.dims().len() != vector.storage().dims().len() {
            let message = "several workers cannot share a row of a vector that an operator is given; --workers 1 can";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let known = found.iter_mut().find(|(known, _)| known.id() == vector.id());
        let Some((_, known)) = known else {
            found.push((vector, *plan));
            continue;
        };
        if known.write != Write::Nothing && plan.write != Write::Nothing && known.write != plan.write {
            let message = "an operator writes the same vector under two names, in different ways";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let write = if known.write == Write::Nothing { plan.write } else { known.write };
        let (reads_far, reads_any) = (known.reads_far || plan.reads_far, known.reads_any || plan.reads_any);
        *known = VectorPlan { reads_far, reads_any, write };
    }
    Ok(found)
}

impl Executable for FlowExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        if self.start.is_alone() {
            return self.local.run_operator(operator, call, env);
        }
        let Some(span) = self.operators.get(operator.0).map(|op| op.span) else {
            return Err(ErrorKind::Malformed("an operator of another module".to_string()).into());
        };
        let outcome = match call {
            OperatorCall::Edges(call) => self.run_edges(operator.0, call, env),
            OperatorCall::Vertices(call) => self.run_vertices(operator.0, call, env),
            OperatorCall::UpdateBuckets { set, queue } => {
                let priorities = queue.spec().priorities.clone();
                let call = OperatorCall::UpdateBuckets { set, queue };
                self.fetch([&priorities].into_iter()).and_then(|()| self.local.run_operator(operator, call, env))
            }
            call @ OperatorCall::Dedup { .. } => self.local.run_operator(operator, call, env),
            _ => Err(ErrorKind::Unsupported("several workers cannot run this operator".to_string()).into()),
        };
        outcome.map_err(|error| {
            let error = error.at(span);
            if let Some(run) = &mut self.run {
                run.session().fail(&error.to_string());
            }
            error
        })
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.fetch([&spec.priorities].into_iter())?;
        self.local.new_queue(spec, env)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.fetch([&queue.spec().priorities].into_iter())?;
        self.local.dequeue(queue, env)
    }

    fn begin_run(&mut self) {
        self.run = None;
        self.dirty.clear();
        self.cuts.clear();
        self.parts.clear();
        self.local.begin_run();
    }

    fn finish_run(&mut self) -> Result<()> {
        if let Some(run) = &mut self.run {
            run.finish();
        }
        self.local.finish_run()
    }
}

impl RemoteMemory for FlowExecutable {
    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        self.fetch([vector].into_iter())
    }

    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        self.fetch([vector].into_iter())
    }
}

impl FrontierCosts for FlowExecutable {
    /// Counted here and not by the local machine, whose threads may stop at different counts: all workers must choose
    /// the same.
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, enough: Option<u64>) -> Result<u64> {
        let (vertices, enough) = (graph.vertices(), enough.unwrap_or(u64::MAX));
        if set.universe() == Some(vertices) {
            return Ok(graph.edges() as u64);
        }
        set.with_ids(|ids| {
            let mut edges = 0;
            for &v in ids {
                if v as usize >= vertices {
                    return Err(ErrorKind::VertexOutOfRange { vertex: i64::from(v), vertices }.into());
                }
                edges += graph.out().degree(v) as u64;
                if edges >= enough {
                    break;
                }
            }
            Ok(edges)
        })?
    }
}
