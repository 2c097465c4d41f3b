//! Edge operators of the reference machine.

use std::sync::Arc;

use gw_graph::{Adjacency, Graph};
use gw_ir::meta::{Direction, Representation};
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, OrderedProcessing, UpdatePriorityEdgeSetIterator, VertexFilter};
use gw_ir::types::Scalar;

use super::traced::TracedWalk;
use super::{Reference, function, lock, rebucket, scalar_param, without_repeats};
use crate::call::{Condition, EdgeCall, OperatorOutcome};
use crate::code::Function;
use crate::env::{Environment, Slot};
use crate::error::{ErrorKind, Result, checked_vertex};
use crate::graphs::stored_weights;
use crate::interp::{Frame, Interp};
use crate::queue::Queue;
use crate::random::{Draws, Role};
use crate::scalar::{self, Register, Unary};
use crate::set::VertexSet;
use crate::value::Value;
use crate::vector::Vector;

/// The inputs of one traversal.
pub(super) struct Traversal<'t> {
    pub(super) graph: Arc<Graph>,
    /// Active sources; `None` means all vertices.
    pub(super) sources: Option<Vec<u32>>,
    pub(super) to: Option<VertexSet>,
    captures: &'t [Value],
    from_captures: &'t [Value],
    to_captures: &'t [Value],
    /// Record the entries written to this vector, besides what the operator's output asks for.
    watch: Option<Vector>,
}

/// What a traversal found.
struct Found {
    /// Modified, accepted or enqueued vertices in order of appearance, repeats included.
    out: Vec<u32>,
    input: u64,
    edges: u64,
}

impl Reference {
    pub(super) fn edge_iterator(
        &mut self,
        operator: &EdgeSetIterator,
        call: EdgeCall,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let traversal = Traversal::of(&call, call.from.set(), self.trace.is_none())?;
        let vertices = traversal.graph.vertices();
        let found = self.traverse(operator, traversal, env)?;
        let mut outcome =
            OperatorOutcome { input_size: Some(found.input), edges: Some(found.edges), ..Default::default() };
        if matches!(operator.output, EdgeOutput::None) {
            return Ok(outcome);
        }
        if let Some(&vertex) = found.out.iter().find(|&&v| v as usize >= vertices) {
            return Err(ErrorKind::VertexOutOfRange { vertex: i64::from(vertex), vertices }.into());
        }
        let mut ids = without_repeats(found.out);
        // A traced machine keeps the order in which vertices were found, unless they were found in a map.
        if self.trace.is_some() && operator.meta.output_representation.is_some_and(|r| r != Representation::Sparse) {
            ids.sort_unstable();
        }
        outcome.output_size = Some(ids.len() as u64);
        outcome.output = Some(VertexSet::from_ids(ids));
        Ok(outcome)
    }

    pub(super) fn priority_iterator(
        &mut self,
        operator: &UpdatePriorityEdgeSetIterator,
        call: EdgeCall,
        queue: &Queue,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let traversal = Traversal::of(&call, call.from.set(), self.trace.is_none())?;
        let found = self.update_priorities(&operator.edges, traversal, queue, env)?;
        Ok(OperatorOutcome { input_size: Some(found.input), edges: Some(found.edges), ..Default::default() })
    }

    pub(super) fn ordered(
        &mut self,
        operator: &OrderedProcessing,
        call: EdgeCall,
        queue: &Queue,
        condition: Condition<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let (mut input, mut edges) = (0, 0);
        while condition(self, env)? {
            env.stop.check()?;
            let ready = queue.state().dequeue()?;
            if ready.is_empty() {
                // Nothing is queued, so nothing that the condition could wait for will happen.
                break;
            }
            let traversal = Traversal::of(&call, Some(&VertexSet::from_ids(ready)), self.trace.is_none())?;
            let found = self.update_priorities(&operator.edges, traversal, queue, env)?;
            (input, edges) = (input + found.input, edges + found.edges);
        }
        Ok(OperatorOutcome { input_size: Some(input), edges: Some(edges), ..Default::default() })
    }

    /// A traversal whose function changes priorities: every vertex whose priority changed ends in its bucket, whether
    /// the update moved it at once or left that for later.
    fn update_priorities(
        &mut self,
        operator: &EdgeSetIterator,
        mut traversal: Traversal<'_>,
        queue: &Queue,
        env: &mut Environment,
    ) -> Result<Found> {
        traversal.watch = Some(queue.spec().priorities.clone());
        let found = self.traverse(operator, traversal, env)?;
        rebucket(queue, &found.out)?;
        Ok(found)
    }

    fn traverse(
        &mut self,
        operator: &EdgeSetIterator,
        traversal: Traversal<'_>,
        env: &mut Environment,
    ) -> Result<Found> {
        let graph = Arc::clone(&traversal.graph);
        let out = graph.out();
        let mut rng = self.rng.clone();
        let code = Arc::clone(&self.code);
        let apply_function = function(&code, &operator.apply)?;
        let parameters = EdgeParams::of(apply_function, &graph)?;
        let from_function = filter_function(&operator.from).map(|f| function(&code, f)).transpose()?;
        let to_function = filter_function(&operator.to).map(|f| function(&code, f)).transpose()?;
        let to_function = to_function.filter(|_| !folded(operator));

        let draws = |role| Draws::new(env.seed(), env.operator_calls(), role);
        let [apply_draws, from_draws, to_draws] = [Role::Apply, Role::From, Role::To].map(draws);
        let listener = self.trace.as_ref().map(|t| (Arc::clone(&t.trace), t.operator, t.early_exit[t.operator.0]));
        let mut guard = listener.as_ref().map(|(trace, operator, early)| (lock(trace), *operator, *early));
        let mut interp = Interp::new(&code, env, self);
        let apply = interp.enter(apply_function, traversal.captures.to_vec())?;
        if let Some(slot) = parameters.output {
            interp.set_object(apply, slot, Value::Set(VertexSet::empty()));
        }
        let from = Filter::enter(&mut interp, from_function, traversal.from_captures, from_draws)?;
        let to = Filter::enter(&mut interp, to_function, traversal.to_captures, to_draws)?;
        let members = traversal.to.as_ref().map(|set| membership(set, graph.vertices())).transpose()?;

        let accepted = matches!(operator.output, EdgeOutput::Accepted { .. }) && !operator.meta.udf_enqueues;
        match (&operator.output, &traversal.watch) {
            (_, Some(priorities)) => interp.track(priorities),
            (EdgeOutput::Modified { vector, .. }, None) if !operator.meta.udf_enqueues => {
                match interp.seen_by(apply, vector) {
                    Some(Value::Vector(vector)) => interp.track(&vector),
                    _ => return Err(ErrorKind::Unset { name: vector.to_string() }.into()),
                }
            }
            _ => {}
        }

        let mut body =
            Body { lists: graph.out(), parameters, members, from, to, apply, draws: apply_draws, accepted, edges: 0 };
        if let Some((trace, operator_id, early_exit)) = &mut guard {
            interp.trace = Some(&mut **trace);
            let walk = TracedWalk { operator_id: *operator_id, early_exit: *early_exit, meta: &operator.meta };
            let input = walk.run(&mut interp, &mut body, &traversal)?;
            let found = Found { out: std::mem::take(&mut interp.out), input, edges: body.edges };
            return Ok(found);
        }
        let count = traversal.sources.as_ref().map_or(graph.vertices(), Vec::len);
        let source_at = |i: usize| traversal.sources.as_ref().map_or(i as u32, |ids| ids[i]);
        match &mut rng {
            None => {
                for i in 0..count {
                    let source = source_at(i);
                    let mut passed = None;
                    for at in 0..out.degree(source) {
                        body.run(&mut interp, source, at, &mut passed)?;
                    }
                }
            }
            Some(rng) => {
                let mut order: Vec<(u32, usize)> =
                    (0..count).map(source_at).flat_map(|s| (0..out.degree(s)).map(move |at| (s, at))).collect();
                rng.shuffle(&mut order);
                for (source, at) in order {
                    body.run(&mut interp, source, at, &mut None)?;
                }
            }
        }
        let found = Found { out: std::mem::take(&mut interp.out), input: count as u64, edges: body.edges };
        drop(interp);
        self.rng = rng;
        Ok(found)
    }
}

impl<'t> Traversal<'t> {
    /// With `sorted`, sources are visited in ascending order, else in the order of the set.
    fn of(call: &'t EdgeCall, from: Option<&VertexSet>, sorted: bool) -> Result<Traversal<'t>> {
        let graph = Arc::clone(&call.graph);
        graph.out().load()?;
        let sources = match from {
            Some(set) if set.universe() != Some(graph.vertices()) => {
                let mut ids = set.ids()?;
                if sorted {
                    ids.sort_unstable();
                }
                if let Some(&last) = ids.iter().max() {
                    checked_vertex(last as i32, graph.vertices())?;
                }
                Some(ids)
            }
            _ => None,
        };
        Ok(Traversal {
            graph,
            sources,
            to: call.to.set().cloned(),
            captures: &call.captures,
            from_captures: call.from.captures(),
            to_captures: call.to.captures(),
            watch: None,
        })
    }
}

/// Whether the `to` test is part of the compare-and-swap in the function and this is a push.
fn folded(operator: &EdgeSetIterator) -> bool {
    operator.meta.to_folded && operator.meta.direction != Some(Direction::Pull)
}

fn filter_function(filter: &VertexFilter) -> Option<&gw_ir::expr::FunctionRef> {
    match filter {
        VertexFilter::Function(function) => Some(function),
        VertexFilter::All | VertexFilter::Set(_) => None,
    }
}

fn membership(set: &VertexSet, vertices: usize) -> Result<Vec<bool>> {
    let mut members = vec![false; vertices];
    for v in set.ids()? {
        members[checked_vertex(v as i32, vertices)? as usize] = true;
    }
    Ok(members)
}

/// What happens on one edge.
pub(super) struct Body<'g, 'c> {
    /// The lists that are walked.
    pub(super) lists: &'g Adjacency,
    parameters: EdgeParams,
    /// Membership in the `to` set.
    pub(super) members: Option<Vec<bool>>,
    pub(super) from: Filter<'c>,
    pub(super) to: Filter<'c>,
    apply: Frame<'c>,
    draws: Draws,
    /// Collect destinations for which the function is true.
    accepted: bool,
    pub(super) edges: u64,
}

impl<'c> Body<'_, 'c> {
    /// The edge at a place of the list of its source. `passed` is what the `from` filter said about the source, once it
    /// was asked: filters are called for the ends of edges that the sets select, and for no other vertices.
    #[inline]
    fn run(&mut self, interp: &mut Interp<'c>, source: u32, at: usize, passed: &mut Option<bool>) -> Result<()> {
        let target = self.lists.neighbours(source)[at];
        interp.tick()?;
        self.edges += 1;
        if self.members.as_ref().is_some_and(|m| !m[target as usize]) {
            return Ok(());
        }
        let from_passed = match *passed {
            Some(known) => known,
            None => *passed.insert(self.from.passes(interp, source)?),
        };
        if !from_passed || !self.to.passes(interp, target)? {
            return Ok(());
        }
        self.visit(interp, source, target, (source, at))
    }

    /// Calls the function for an edge that passed all filters, and stands in a list of one of its ends.
    #[inline]
    pub(super) fn visit(
        &mut self,
        interp: &mut Interp<'c>,
        source: u32,
        target: u32,
        (owner, at): (u32, usize),
    ) -> Result<()> {
        interp.env.draws = self.draws;
        interp.env.draws.begin(source, target);
        interp.set_param(self.apply, self.parameters.source, source.bits());
        interp.set_param(self.apply, self.parameters.target, target.bits());
        if let Some((slot, weights)) = &self.parameters.weight {
            interp.set_param(self.apply, *slot, weights.bits(self.lists, owner, at));
        }
        if interp.run_frame(self.apply)? != 0 && self.accepted {
            interp.out.push(target);
        }
        Ok(())
    }

    /// Whether the function takes the weight of its edge.
    pub(super) fn is_weighted(&self) -> bool {
        self.parameters.weight.is_some()
    }
}

/// A filter function with its frame, or none, which passes everything.
pub(super) struct Filter<'c>(Option<(Frame<'c>, u32, Draws)>);

impl<'c> Filter<'c> {
    fn enter(
        interp: &mut Interp<'c>,
        function: Option<&'c Function>,
        captures: &[Value],
        draws: Draws,
    ) -> Result<Filter<'c>> {
        let Some(function) = function else { return Ok(Filter(None)) };
        let slot = scalar_param(function, 0)?;
        Ok(Filter(Some((interp.enter(function, captures.to_vec())?, slot, draws))))
    }

    /// Whether there is a function to ask.
    pub(super) fn is_function(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(super) fn passes(&self, interp: &mut Interp<'c>, vertex: u32) -> Result<bool> {
        let Some((frame, slot, draws)) = self.0 else { return Ok(true) };
        interp.env.draws = draws;
        interp.env.draws.begin(vertex, 0);
        interp.set_param(frame, slot, vertex.bits());
        Ok(interp.run_frame(frame)? != 0)
    }
}

/// Where an edge function takes its arguments.
struct EdgeParams {
    source: u32,
    target: u32,
    weight: Option<(u32, WeightReader)>,
    /// The output set, once change tracking has added it.
    output: Option<u32>,
}

impl EdgeParams {
    fn of(function: &Function, graph: &Graph) -> Result<EdgeParams> {
        let mut params = EdgeParams {
            source: scalar_param(function, 0)?,
            target: scalar_param(function, 1)?,
            weight: None,
            output: None,
        };
        for slot in function.params.iter().skip(2) {
            match *slot {
                Slot::Scalar(slot, scalar) => params.weight = Some((slot, WeightReader::new(graph, scalar)?)),
                Slot::Object(slot) => params.output = Some(slot),
            }
        }
        Ok(params)
    }
}

/// Reads edge weights as the scalar that the function wants.
struct WeightReader(Unary);

impl WeightReader {
    fn new(graph: &Graph, wanted: Scalar) -> Result<WeightReader> {
        let stored = stored_weights(graph);
        let stored = stored.ok_or_else(|| ErrorKind::Unweighted { graph: "the graph".into() })?;
        let conversion = scalar::conversion(stored, wanted);
        conversion.map(WeightReader).ok_or_else(|| ErrorKind::Malformed("a weight that is no number".into()).into())
    }

    #[inline]
    fn bits(&self, lists: &Adjacency, owner: u32, at: usize) -> u64 {
        (self.0)(lists.weight_bits(owner, at).unwrap_or_default())
    }
}
