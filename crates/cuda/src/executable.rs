//! A module on the device: its kernels, and the sets that they take and make.

use std::collections::HashMap;
use std::sync::Arc;

use gw_device::DeviceError;
use gw_exec::{
    Environment, ErrorKind, ExecError, Result, Scalar, SetForm, Site, Sites, Stop, Value, VertexSet, stored_weights,
};
use gw_graph::Graph;
use gw_ir::analysis::calls::module_draws;
use gw_ir::analysis::region::{LoopRegion, OperatorRegion, counting_operators, loop_region, operator_region};
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_schedule::{Classes, LoopForm};

use crate::bindings::Bindings;
use crate::changing::is_wide;
use crate::codegen::access::Requirement;
use crate::codegen::inputs::Apart;
use crate::codegen::region::GraphShape;
use crate::codegen::{BLOCK, Generated, Refusal, Task, generate, schedule_of};
use crate::context::Context;
use crate::error::exec_error;
use crate::kernels::{ListForm, QueueTask};
use crate::launch::Launcher;
use crate::outcomes::Outcomes;
use crate::prepared::{Loaded, kernel_name, title};
use crate::set::{DeviceSet, QUEUE};
use crate::vectors::Vectors;

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
    pub(crate) stop: Option<Stop>,
    /// Operators since the first that can fault and that nobody has waited for, itself included.
    pub(crate) unsettled: u32,
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
        let vectors = Vectors::new(&context);
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
        match self.launcher.fault(span) {
            Some(error) => Err(error),
            None => Ok(words),
        }
    }

    /// Writes cells that a kernel may have changed back to the globals.
    pub(crate) fn store_cells(&mut self, loaded: &Loaded, words: &[u64], env: &mut Environment) {
        for name in &loaded.code.cells {
            let Some(scalar) = self.module.global(name).and_then(|g| g.ty.scalar()) else { continue };
            if let Some(bits) = self.launcher.cell(name, words) {
                env.set_global(name, Value::from_bits(scalar, bits));
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
    pub(crate) fn with_reason_of_stop<T>(&self, result: Result<T>) -> Result<T> {
        match (result, &self.stop) {
            (Err(error), Some(stop)) if error.is_stop() => Err(stop.check().err().unwrap_or(error)),
            (result, _) => result,
        }
    }

    /// Waits for operators that can fault, so that nobody goes on with what a failed one left.
    pub(crate) fn settle(&mut self) -> Result<()> {
        match self.unsettled {
            0 => Ok(()),
            _ => self.wait_for_all(),
        }
    }

    pub(crate) fn wait_for_all(&mut self) -> Result<()> {
        self.launcher.results(0, &[])?;
        self.unsettled = 0;
        match self.launcher.fault(Span::NONE) {
            Some(error) => Err(error),
            None => Ok(()),
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

/// Whether an operator looks at the classes of edges, which stand beside compressed rows.
fn looks_at_classes(operator: &OperatorRegion) -> bool {
    operator.operator.edges().is_some_and(|edges| schedule_of(edges).classes == Some(Classes::Marked))
}

/// The shape of a graph. Lists that stand apart on the host do so on the device, unless their `rows` are wanted or
/// their weights are wider than the slots of blocks there.
fn shape_of(graph: &Graph, rows: bool) -> GraphShape {
    let rows = rows || graph.weight_kind().bytes() > 4;
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
        wide: graph.out().is_wide() || (is_apart && is_wide(graph)),
        apart,
        flat: crate::choose::is_flat(graph),
        weight: stored_weights(graph),
    }
}
