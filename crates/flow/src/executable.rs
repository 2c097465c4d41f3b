//! A module on one worker: which part of an operator call is this worker's.
//!
//! Every worker has all vectors in full length and all sets; the edges are shared out. What is true here of a vector
//! that others write is known ([`Truth`]), and fetched when it is needed.

use std::ops::Range;
use std::sync::Arc;

use gw_exec::{
    AsyncWork, EdgeCall, Environment, ErrorKind, Executable, FrontierCosts, OperatorCall, OperatorId, OperatorOutcome,
    Queue, QueueSpec, QueueState, RemoteMemory, Result, Scalar, Selection, Statements, Value, Vector, VertexCall,
    VertexSet,
};
use gw_graph::{Graph, GraphId};
use gw_ir::module::Module;
use gw_ir::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::agreement;
use crate::bound::bound;
use crate::cut::Cut;
use crate::local_half::Share;
use crate::mirrors::Mirrors;
use crate::obstacle::Obstacle;
use crate::plan::{VectorPlan, Write};
use crate::prepared::{Prepared, prepare};
use crate::reach::Reach;
use crate::run::{Run, Start};
use crate::session::Session;
use crate::sets::{members_in, sum_until};
use crate::settle::{again, settled};
use crate::shares;
use crate::truth::Truth;

/// Mirrors are looked for once so many times the vertices told exceed the edges of a worker: to tell everybody of a
/// vertex costs about as much as to look at four edges.
const MIRRORS_PAY: u64 = 4;

/// Owners alone are told of changes where at least one in so many vertices is a source: that takes two exchanges in
/// place of one, but a worker need not look at the changes of all.
const SETTLING_PAYS: usize = 128;

/// Graphs whose parts are kept from run to run.
const KEPT_GRAPHS: usize = 4;

/// A module ready to run on one worker.
pub(crate) struct FlowExecutable {
    pub(crate) operators: Vec<Prepared>,
    pub(crate) local: Box<dyn Executable>,
    start: Start,
    run: Option<Run>,
    /// By number of vertices: all graphs and sets of so many vertices are cut alike.
    cuts: FxHashMap<usize, Arc<Cut>>,
    /// Parts of graphs, each with the range of vertices that it belongs to.
    parts: FxHashMap<GraphId, (Range<u32>, Arc<Graph>)>,
    /// Graphs of this run that are known to be the same in all processes.
    agreed: FxHashSet<GraphId>,
    /// The number of the loaded values of vertices that are known to be the same in all processes.
    agreed_values: u64,
    /// By graph, who needs which vertices, and the cut under which that was found out.
    mirrors: FxHashMap<GraphId, (Arc<Cut>, Arc<Mirrors>)>,
    /// Vertices that operators have begun with, by graph: so much was told to everybody while there are no mirrors.
    told: FxHashMap<GraphId, u64>,
    pub(crate) truth: Truth,
    reach: Reach,
    /// Out-degrees of shares of graphs that were counted before anybody knew who owns what.
    degrees: Vec<Vector>,
    pulls: bool,
    /// What needs more of a graph than the part of a process, and the place of its operator.
    needs_whole: Option<(Obstacle, Span)>,
    /// The same number in all processes that run this module.
    module: u64,
}

impl FlowExecutable {
    pub(crate) fn new(module: &Arc<Module>, local: Box<dyn Executable>, start: Start) -> Result<FlowExecutable> {
        let alone = start.is_alone();
        let drains = start.manners().drains && !alone;
        let (operators, needs_whole) = prepare(module, alone, drains)?;
        let pulls = operators.iter().any(|op| op.plan.pulls);
        Ok(FlowExecutable {
            operators,
            local,
            start,
            run: None,
            cuts: FxHashMap::default(),
            parts: FxHashMap::default(),
            agreed: FxHashSet::default(),
            agreed_values: 0,
            mirrors: FxHashMap::default(),
            told: FxHashMap::default(),
            truth: Truth::default(),
            reach: Reach::default(),
            degrees: Vec::new(),
            pulls,
            needs_whole,
            module: agreement::module_hash(module),
        })
    }

    /// The run; the first call of a run begins it. Values that the program has loaded since are compared, too.
    fn session(&mut self, env: &Environment) -> Result<&mut Session> {
        if self.run.is_none() {
            let mut run = self.start.begin(env)?;
            agreement::on_program(run.session(), self.module, self.start.manners(), env)?;
            let values = env.global_values().map(|(_, _, value)| value);
            let graphs: Vec<Arc<Graph>> = values.filter_map(|value| value.as_graph().cloned()).collect();
            for graph in &graphs {
                if self.agreed.insert(graph.id()) {
                    agreement::on_graph(run.session(), graph)?;
                }
            }
            if self.start.manners().to_mirrors {
                self.agree_on_kept(run.session(), &graphs)?;
            }
            self.run = Some(run);
        } else if self.agreed_values != env.loaded_values() {
            let (module, manners) = (self.module, self.start.manners());
            agreement::on_program(self.running()?, module, manners, env)?;
        }
        self.agreed_values = env.loaded_values();
        self.running()
    }

    /// Keeps what is known of graphs from earlier runs where all workers know the same. A run that failed may have left
    /// the workers at different places, and another process may have made a graph anew: then all of them forget.
    fn agree_on_kept(&mut self, session: &mut Session, graphs: &[Arc<Graph>]) -> Result<()> {
        let of_this_run = |id: &GraphId| graphs.iter().any(|graph| graph.id() == *id);
        self.mirrors.retain(|id, _| of_this_run(id));
        self.told.retain(|id, _| of_this_run(id));
        let known = graphs.iter().map(|graph| {
            let told = self.told.get(&graph.id()).copied().unwrap_or(0);
            (told, self.mirrors.contains_key(&graph.id()))
        });
        if !agreement::is_same(session, known)? {
            self.mirrors.clear();
            self.told.clear();
        }
        Ok(())
    }

    pub(crate) fn running(&mut self) -> Result<&mut Session> {
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
        let of_env = if graph.is_none() { of_env() } else { None };
        let cut = match graph.or(of_env.as_deref()) {
            Some(graph) if graph.share().is_some() => {
                if let Some((obstacle, operator)) = &self.needs_whole {
                    return Err(obstacle.on_parts(*operator));
                }
                shares::agree(self.running()?, graph)?
            }
            Some(graph) => Cut::by_edges(graph, peers),
            None => Cut::even(vertices, peers),
        };
        let cut = Arc::new(cut);
        for degrees in self.degrees.extract_if(.., |degrees| degrees.len() == vertices) {
            self.truth.is_true_in_part(&degrees, &cut, None);
        }
        self.cuts.insert(vertices, Arc::clone(&cut));
        Ok(cut)
    }

    /// The edges of this worker.
    fn part(&mut self, graph: &Arc<Graph>, cut: &Cut, own: usize) -> Result<Arc<Graph>> {
        // All workers agree on the graph, whether they have their parts of it already or not.
        if !self.agreed.contains(&graph.id()) {
            agreement::on_graph(self.running()?, graph)?;
            self.agreed.insert(graph.id());
        }
        if let Some((_, part)) = self.parts.get(&graph.id()).filter(|(range, _)| *range == cut.range(own)) {
            return Ok(Arc::clone(part));
        }
        let part = Arc::new(graph.part(cut.range(own), self.pulls));
        self.parts.insert(graph.id(), (cut.range(own), Arc::clone(&part)));
        Ok(part)
    }

    /// Who needs which vertices of a graph, where values and changes go only there.
    fn mirrors(
        &mut self,
        id: usize,
        whole: &Graph,
        part: &Graph,
        cut: &Arc<Cut>,
        input_size: usize,
    ) -> Result<Option<(GraphId, Arc<Mirrors>)>> {
        let graph = whole.id();
        let along_edges = |plan: &VectorPlan| plan.reads_far || matches!(plan.write, Write::Merged { ends: true, .. });
        let needed = self.operators[id].plan.vectors.iter().any(|(_, plan)| along_edges(plan));
        if !needed || !self.start.manners().to_mirrors {
            return Ok(None);
        }
        // The cut is the same on all workers, and so is the answer; the range of one of them may be as it was.
        if let Some((_, mirrors)) = self.mirrors.get(&graph).filter(|(known, _)| known == cut) {
            return Ok(Some((graph, Arc::clone(mirrors))));
        }
        // To find mirrors is to look at all edges, which a search of few steps does not pay back. All workers know the
        // same numbers; of a graph in parts they do not, and nobody could be told everything either.
        let workers = self.running()?.peers() as u64;
        let told = self.told.entry(graph).or_default();
        *told += input_size as u64;
        if whole.share().is_none() && *told * workers * MIRRORS_PAY < whole.edges() as u64 {
            return Ok(None);
        }
        let pulls = self.pulls;
        let mirrors = Arc::new(Mirrors::agree(self.running()?, part, cut, pulls)?);
        self.mirrors.insert(graph, (Arc::clone(cut), Arc::clone(&mirrors)));
        Ok(Some((graph, mirrors)))
    }

    /// Makes vectors true in all entries, those that are not.
    pub(crate) fn fetch<'v>(&mut self, mut vectors: impl Iterator<Item = &'v Vector>) -> Result<()> {
        if let Some(run) = self.run.as_mut() {
            return self.truth.fetch(run.session(), vectors);
        }
        // Nothing was computed yet, so that all is true, but for what was counted in a part of a graph.
        match vectors.any(|vector| self.degrees.iter().any(|degrees| degrees.id() == vector.id())) {
            false => Ok(()),
            true => Err(ErrorKind::Unsupported(shares::TOO_EARLY.to_string()).into()),
        }
    }

    fn run_edges(&mut self, id: usize, mut call: EdgeCall, env: &mut Environment) -> Result<OperatorOutcome> {
        let (graph, vertices) = (Arc::clone(&call.graph), call.graph.vertices());
        let cut = self.cut(vertices, Some(&graph), env)?;
        let own = self.session(env)?.index();
        if self.operators[id].plan.for_one {
            let input_size = call.from.set().map(VertexSet::len).transpose()?.unwrap_or(vertices);
            return self.run_on_one(id, (input_size, vertices), OperatorCall::Edges(call), env);
        }
        let part = self.part(&graph, &cut, own)?;
        let pulls = self.operators[id].plan.pulls;
        let input_size = call.from.set().map(VertexSet::len).transpose()?.unwrap_or(vertices);
        let sources = match call.from.set().filter(|set| set.universe() != Some(vertices)) {
            Some(set) if !pulls => Some(members_in(set, cut.range(own), vertices)?),
            _ => None,
        };
        // What the operator itself says it has modified need not be looked for.
        let is_silent = |(_, plan): &(_, VectorPlan)| matches!(plan.write, Write::Merged { .. }) && !plan.tracked;
        let reachable = match &sources {
            Some(sources) if self.operators[id].plan.vectors.iter().any(is_silent) => {
                self.reach.entries(&part, sources)
            }
            _ => None,
        };
        let mirrors = self.mirrors(id, &graph, &part, &cut, input_size)?;
        call.graph = part;
        let share = Share { id, cut, vertices, input_size, reachable, mirrors };
        if let Some(sources) = sources {
            call.from = Selection::Set(VertexSet::from_ids(sources));
        }
        let drains = self.operators[id].drains;
        if self.operators[id].plan.can_be_settled() && (drains || input_size >= vertices / SETTLING_PAYS) {
            let vectors = bound(&self.operators[id].plan, &OperatorCall::Edges(again(&call, None)), env)?;
            // A vector that somebody looks at as a whole is told to everybody at once.
            let wanted = |vector: &Vector| drains || !self.truth.is_wanted_whole(vector);
            if let Some((target, op)) = settled(&vectors).filter(|(target, _)| wanted(target)) {
                return self.settle(share, (target.clone(), op, graph.id()), call, drains, env);
            }
        }
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
        if self.operators[id].plan.for_one {
            return self.run_on_one(id, (input_size, vertices), OperatorCall::Vertices(call), env);
        }
        let members = match universe {
            Some(_) => cut.range(own).collect(),
            None => members_in(&call.set, cut.range(own), vertices)?,
        };
        let call = VertexCall { set: VertexSet::from_ids(members), captures: call.captures };
        let share = Share { id, cut, vertices, input_size, reachable: None, mirrors: None };
        self.share(share, OperatorCall::Vertices(call), env)
    }

    /// Makes true here what an operator reads elsewhere: at the mirrors where that is enough, else everywhere. Says of
    /// each vector whether mirrors are enough.
    pub(crate) fn make_true(
        &mut self,
        vectors: &[(Vector, VectorPlan)],
        cut: &Arc<Cut>,
        vertices: usize,
        mirrors: Option<&(GraphId, Arc<Mirrors>)>,
    ) -> Result<Vec<bool>> {
        let is_merged = |plan: &VectorPlan| matches!(plan.write, Write::Merged { .. });
        let is_read = |plan: &VectorPlan| plan.reads_far || plan.reads_any || is_merged(plan);
        let at_mirrors: Vec<bool> = vectors
            .iter()
            .map(|(vector, plan)| {
                let elsewhere = plan.reads_any || matches!(plan.write, Write::Merged { ends: false, .. });
                mirrors.is_some() && !elsewhere && vector.len() == vertices && !self.truth.is_wanted_whole(vector)
            })
            .collect();
        let of = |mirrored: bool| {
            let picked = vectors.iter().zip(&at_mirrors).filter(move |(_, at)| **at == mirrored);
            picked.filter(|((_, plan), _)| is_read(plan)).map(|((vector, _), _)| vector)
        };
        // A vector that others are indexed by is either cut like the vertices here, or whole.
        let cut_otherwise = vectors.iter().map(|(v, _)| v).filter(|v| self.truth.is_cut_otherwise(v, cut));
        let cut_otherwise: Vec<Vector> = cut_otherwise.cloned().collect();
        let session = match self.run.as_mut() {
            Some(run) => run.session(),
            None => return Err(ErrorKind::Machine("no run has begun".to_string()).into()),
        };
        self.truth.fetch(session, of(false).chain(&cut_otherwise))?;
        if let Some((graph, mirrors)) = mirrors {
            self.truth.mirror(session, of(true), (*graph, mirrors))?;
        }
        self.truth.forget_unreachable();
        Ok(at_mirrors)
    }
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
        let told_before = self.run.as_mut().map_or(0, |run| run.session().told());
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
        let told = self.run.as_mut().map(|run| run.session().told() - told_before);
        let outcome = outcome.map(|outcome| OperatorOutcome { told, ..outcome });
        outcome.map_err(|error| {
            let error = error.at(span);
            if let Some(run) = &mut self.run {
                let text = match error.span().line {
                    0 => error.to_string(),
                    line => format!("line {line}: {error}"),
                };
                run.session().fail(&text);
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

    fn has_replicas(&self) -> bool {
        self.start.has_replicas()
    }

    fn begin_run(&mut self) {
        self.run = None;
        self.truth.clear();
        self.degrees.clear();
        self.agreed.clear();
        self.cuts.clear();
        // Parts and mirrors of a graph that the next run meets again are made once; graphs that it does not meet
        // shall not stay for long.
        if self.parts.len() > KEPT_GRAPHS {
            self.parts.clear();
            self.mirrors.clear();
            self.told.clear();
        }
        self.local.begin_run();
    }
}

impl Statements for FlowExecutable {}

impl AsyncWork for FlowExecutable {
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

    /// Of a share of a graph, every process counts its own.
    fn out_degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Option<Result<Vector>> {
        let share = graph.share().filter(|_| !self.start.is_alone())?;
        let counted = shares::out_degrees(graph, share, scalar);
        if let Ok(degrees) = &counted {
            match self.cuts.get(&graph.vertices()) {
                Some(cut) => self.truth.is_true_in_part(degrees, cut, None),
                None => {
                    degrees.set_watched(true);
                    self.degrees.push(degrees.clone());
                }
            }
        }
        Some(counted)
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
        if let Some(share) = graph.share().filter(|_| !self.start.is_alone()) {
            return shares::frontier_edges(self.run.as_mut().map(Run::session), set, graph, share, enough);
        }
        sum_until(set, 0..vertices as u32, vertices, |v| graph.out().degree(v) as u64, enough)
    }
}
