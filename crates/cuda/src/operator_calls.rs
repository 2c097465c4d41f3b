//! Operator calls of the host: a kernel each.

use std::collections::HashMap;
use std::sync::Arc;

use gw_exec::{
    Captures, EdgeCall, Environment, ErrorKind, ExecError, OperatorCall, OperatorOutcome, Result, SetForm, Value,
    VertexSet,
};
use gw_graph::Graph;
use gw_ir::analysis::region::OperatorRegion;
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::types::Type;

use crate::bindings::Bindings;
use crate::codegen::grouped_graph;
use crate::codegen::inputs::Source;
use crate::codegen::region::GraphShape;
use crate::edges_read::{Reads, reads};
use crate::error::exec_error;
use crate::executable::{CudaExecutable, Key, within};
use crate::kernels::QueueTask;
use crate::outcomes::Outcomes;
use crate::prepared::Loaded;
use crate::requirements;
use crate::set::{DeviceSet, QUEUE, with_device_set};

/// Operators that can fault go to the device one after another, and the host waits after so many at the latest: a
/// loop of the host that goes on only because an operator in it failed must end.
const MOST_UNSETTLED: u32 = 32;

impl CudaExecutable {
    /// Runs an operator by itself.
    pub(crate) fn call_operator(
        &mut self,
        id: usize,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let prepared = &self.operators[id];
        let call = match &call {
            OperatorCall::UpdateBuckets { set, queue } => {
                self.queue_kernel(QueueTask::Update, queue, Some(set), 0)?;
                return Ok(OperatorOutcome::default());
            }
            OperatorCall::Edges(edges) => RegionCall::Edges(edges),
            OperatorCall::Vertices(vertices) => RegionCall::Vertices(&vertices.set, vertices.captures()),
            OperatorCall::Dedup { set } => RegionCall::Vertices(set, Captures::default()),
            OperatorCall::PriorityEdges { .. } | OperatorCall::Ordered { .. } | OperatorCall::PriorityExtern { .. } => {
                let message = format!("{} on the device", prepared.operator.name());
                return Err(ExecError::from(ErrorKind::Unsupported(message)).at(prepared.span));
            }
        };
        let span = prepared.span;
        // Neighbours that are grouped are vertices of the operator, too.
        let vertices = call.vertices(prepared, env)?.max(self.grouped_vertices(&prepared.operator, env));
        let sets = call.sets(prepared);
        // Nothing to do, and no memory to do it with. A set may still hold what the graph lacks.
        if vertices == 0 {
            for (_, set) in &sets {
                within(&set.ids()?, vertices).map_err(|error| error.at(span))?;
            }
            let output = prepared.names.output.is_some().then(VertexSet::empty);
            return Ok(OperatorOutcome { output, ..OperatorOutcome::default() });
        }
        let mut bindings = call.bindings(prepared, vertices);
        for (name, set) in &sets {
            self.bind_set(&mut bindings, name, set, vertices).map_err(|error| error.at(span))?;
        }
        let loaded = self.loaded_for(id, &call, &bindings, env).map_err(|error| error.at(span))?;
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
        if matches!(self.operators[id].operator, Operator::VertexSetDedup(_)) {
            take_deduplicated(&sets[0].1, &mut outcomes)?;
        } else if self.operators[id].names.output.is_some() {
            outcome.output = Some(self.made_set(&loaded, call.graph(), &mut outcomes)?);
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

    /// The kernel for a call.
    fn loaded_for(
        &mut self,
        id: usize,
        call: &RegionCall<'_>,
        bindings: &Bindings,
        env: &Environment,
    ) -> Result<Arc<Loaded>> {
        let prepared = &self.operators[id];
        let locals: Vec<(Name, Arc<Graph>)> = prepared.names.graph.iter().cloned().zip(call.graph().cloned()).collect();
        // Counting takes half a microsecond even in a kernel that is told not to, so there are two.
        let counts = prepared.counted.is_some() && env.counts_edges();
        let shapes = self.shapes(env, &locals);
        let by_name: HashMap<Name, GraphShape> = shapes.iter().cloned().collect();
        let key = |careful| Key::Operator { id, shapes: shapes.clone(), counts, careful };
        let code = |e: &Self, careful| e.operator_code(&e.operators[id], &by_name, counts, careful);
        let requires = self.requires(&key(false), |e| code(e, false))?;
        // Vectors and graphs that are too short for this call: the kernel that checks every access finds out which
        // are used.
        let careful = !requirements::hold(&requires, bindings, env);
        self.loaded(key(careful), |e, _| code(e, careful))
    }

    /// The vertices of the graph whose neighbours an operator groups; 0 where it groups none.
    fn grouped_vertices(&self, operator: &Operator, env: &Environment) -> usize {
        let functions = gw_ir::walk::operator_functions(operator);
        let grouped = functions.iter().find_map(|(_, f)| grouped_graph(self.module.function(&f.name)?));
        match grouped.and_then(|name| env.global(&name)) {
            Some(Value::Graph(graph)) => graph.vertices(),
            _ => 0,
        }
    }

    /// The set that a kernel made.
    fn made_set(&self, loaded: &Loaded, graph: Option<&Arc<Graph>>, outcomes: &mut Outcomes) -> Result<VertexSet> {
        let (device, spares) = (&self.context.device, &self.launcher.spares);
        let made = DeviceSet::new(device, spares, outcomes.take(0)?, loaded.code.output_form());
        let made = match graph {
            Some(graph) if loaded.code.counted => made.with_edges_of(graph),
            _ => made,
        };
        Ok(VertexSet::new(SetForm::Machine(Box::new(made))))
    }

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

/// Puts what is left of a set without its repeats in its place: the first of the outcomes, unless the set was a map,
/// which has no repeats.
fn take_deduplicated(set: &VertexSet, outcomes: &mut Outcomes) -> Result<()> {
    if with_device_set(set, |own| own.form) != Some(QUEUE) {
        return Ok(());
    }
    let storage = outcomes.take(0)?;
    with_device_set(set, |own| own.replace(storage, QUEUE));
    Ok(())
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

    /// The vertices that the region is about.
    fn vertices(&self, prepared: &OperatorRegion, env: &Environment) -> Result<usize> {
        let set = match self {
            RegionCall::Edges(edges) => return Ok(edges.graph.vertices()),
            RegionCall::Vertices(set, _) => set,
        };
        // A set of all vertices, or one on the device, has its own idea of how many there are.
        let reach = reach(set)?;
        if set.universe().is_some() || is_on_device(set) {
            return Ok(reach);
        }
        let ty = match &prepared.operator {
            Operator::VertexSetIterator(v) => Some(&v.set.ty),
            Operator::VertexSetFilter(v) => Some(&v.set.ty),
            Operator::VertexSetDedup(v) => Some(&v.set.ty),
            _ => None,
        };
        let of_element = match ty {
            Some(Type::VertexSet(element)) => env.vertices_of(element).unwrap_or(0),
            _ => 0,
        };
        Ok(of_element.max(reach))
    }

    /// The sets of the call, by their names in the code.
    fn sets(&self, prepared: &OperatorRegion) -> Vec<(Name, VertexSet)> {
        let names = &prepared.names;
        let (from, to, set) = match self {
            RegionCall::Edges(edges) => (edges.from.set(), edges.to.set(), None),
            RegionCall::Vertices(set, _) => (None, None, Some(*set)),
        };
        let named = [(&names.from, from), (&names.to, to), (&names.set, set)].into_iter();
        named.filter_map(|(name, set)| Some((name.clone()?, set.cloned()?))).collect()
    }

    /// The captures and the graph of the call, by their names in the code.
    fn bindings(&self, prepared: &OperatorRegion, vertices: usize) -> Bindings {
        let (names, captured) = (&prepared.names, self.captures());
        let mut bindings = Bindings::new(vertices);
        let roles =
            [(&names.apply, captured.apply), (&names.from_captures, captured.from), (&names.to_captures, captured.to)];
        for (names, values) in roles {
            for (name, value) in names.iter().zip(values) {
                bindings.value(name.clone(), Value::clone(value));
            }
        }
        if let (Some(name), Some(graph)) = (&names.graph, self.graph()) {
            bindings.graph(name.clone(), Arc::clone(graph));
        }
        bindings
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
