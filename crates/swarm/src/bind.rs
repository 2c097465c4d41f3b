//! From names to memory: what the objects and parameters of a task program stand for in a run.

use std::sync::Arc;

use gw_exec::scalar;
use gw_exec::{
    Captures, Environment, ErrorKind, Locals, Queue, Result, Value, Vector, VectorId, VertexSet, stored_weights,
};
use gw_graph::{AdjacencyId, Graph, Weights};
use gw_ir::expr::ReduceOp;
use rustc_hash::FxHashMap;

use crate::lower::ROUNDS;
use crate::lower::build::{GraphRef, ObjectRef, ParamRef};
use crate::sim::memory::{AddressSpace, Cells, LINE, Memory};

/// Where values of a run lie: the same vector has the same address in all its operators.
#[derive(Default)]
pub struct Places {
    /// The addresses that are taken.
    pub space: AddressSpace,
    vectors: FxHashMap<VectorId, u64>,
    graphs: FxHashMap<(AdjacencyId, u8), u64>,
    others: FxHashMap<(usize, ObjectRef), (u64, u64)>,
    sources: FxHashMap<AdjacencyId, Arc<Vec<u32>>>,
}

/// What the values of a task program come from.
pub struct Inputs<'a> {
    /// Globals.
    pub env: &'a Environment,
    /// Locals of the host function, in a loop.
    pub locals: Option<&'a dyn Locals>,
    /// The graph of the operator.
    pub graph: Option<Arc<Graph>>,
    /// The captures of the operator.
    pub captures: Captures<'a>,
    /// The members of the input set.
    pub members: Vec<u32>,
    /// The `to` set.
    pub to: Option<VertexSet>,
    /// Vertices that can be noted.
    pub vertices: usize,
    /// Cores of the machine.
    pub cores: usize,
    /// The number of the program in its module: objects of its own have addresses of their own.
    pub region: usize,
}

/// A bound task program.
pub struct Bound {
    /// The memory.
    pub memory: Memory,
    /// The parameters.
    pub params: Vec<u64>,
}

impl Inputs<'_> {
    /// A variable: a global, else a local of the host function.
    pub fn value(&self, name: &str) -> Result<Value> {
        let found = self.env.global(name).or_else(|| self.locals.and_then(|locals| locals.get(name)));
        found.ok_or_else(|| ErrorKind::Unset { name: name.to_string() }.into())
    }

    fn vector(&self, name: &str) -> Result<Vector> {
        let value = self.value(name)?;
        value.as_vector().cloned().ok_or_else(|| ErrorKind::Unset { name: name.to_string() }.into())
    }

    fn graph(&self, graph: &GraphRef) -> Result<Arc<Graph>> {
        let unset = |name: &str| ErrorKind::Unset { name: name.to_string() };
        match graph {
            GraphRef::Own => Ok(self.graph.clone().ok_or_else(|| unset("the graph"))?),
            GraphRef::Named(name) => Ok(self.value(name)?.as_graph().cloned().ok_or_else(|| unset(name))?),
        }
    }

    /// A queue by its name.
    pub fn queue(&self, name: &str) -> Result<Queue> {
        match self.value(name)? {
            Value::Queue(queue) => Ok(queue),
            _ => Err(ErrorKind::Unset { name: name.to_string() }.into()),
        }
    }

    fn capture(&self, role: u8, index: u8) -> Result<&Value> {
        let values = [self.captures.apply, self.captures.from, self.captures.to][role as usize % 3];
        values.get(index as usize).ok_or_else(|| ErrorKind::Malformed("a capture is missing".into()).into())
    }

    fn param(&self, param: &ParamRef) -> Result<u64> {
        let number = |value: &Value, name: &str| {
            value.bits().ok_or_else(|| gw_exec::ExecError::from(ErrorKind::Unset { name: name.to_string() }))
        };
        match param {
            ParamRef::Scalar(name) => number(&self.value(name)?, name),
            ParamRef::Capture(role, index) => number(self.capture(*role, *index)?, "a capture"),
            ParamRef::Vertices(element) => Ok(self.env.vertices_of(element)? as u64),
            ParamRef::CurrentBucket(queue) => self.queue(queue)?.state().current_bucket(),
            ParamRef::Delta(queue) => Ok(self.queue(queue)?.spec().width_word()),
            ParamRef::Row(object) => {
                let vector = match object {
                    ObjectRef::Capture(role, index) => self.capture(*role, *index)?.as_vector().cloned(),
                    ObjectRef::Vector(name) => Some(self.vector(name)?),
                    _ => None,
                };
                let row = vector.and_then(|vector| vector.dims().get(1).copied());
                Ok(row.ok_or_else(|| ErrorKind::Malformed("a vector of rows is expected".into()))? as u64)
            }
            ParamRef::Cores => Ok(self.cores as u64),
        }
    }
}

impl Places {
    /// Binds the objects and parameters of a task program.
    pub fn bind(&mut self, objects: &[ObjectRef], params: &[ParamRef], inputs: &Inputs<'_>) -> Result<Bound> {
        let mut memory = Memory::default();
        for object in objects {
            self.add(&mut memory, object, inputs)?;
        }
        let params = params.iter().map(|param| inputs.param(param)).collect::<Result<_>>()?;
        Ok(Bound { memory, params })
    }

    fn add(&mut self, memory: &mut Memory, object: &ObjectRef, inputs: &Inputs<'_>) -> Result<()> {
        match object {
            ObjectRef::Vector(name) => self.add_vector(memory, inputs.vector(name)?),
            ObjectRef::Capture(role, index) => match inputs.capture(*role, *index)?.as_vector() {
                Some(vector) => self.add_vector(memory, vector.clone()),
                None => return Err(ErrorKind::Unset { name: "a capture".into() }.into()),
            },
            ObjectRef::Priorities(queue) => {
                self.add_vector(memory, inputs.queue(queue)?.spec().priorities.clone());
            }
            ObjectRef::Scalar(name) => {
                let bits = inputs.value(name)?.bits().unwrap_or(0);
                self.add_own(memory, object, inputs.region, 8, vec![bits]);
            }
            ObjectRef::Partial(name, op) => {
                // Sums begin at zero, the others at the present value.
                let bits = if *op == ReduceOp::Sum { 0 } else { inputs.value(name)?.bits().unwrap_or(0) };
                self.add_own(memory, object, inputs.region, LINE, vec![bits; inputs.cores]);
            }
            ObjectRef::Offsets(graph) => {
                let graph = inputs.graph(graph)?;
                let (id, len) = (graph.out().id(), graph.vertices() + 1);
                self.add_array(memory, (id, 0), 4, len, Box::new(Offsets(graph)));
            }
            ObjectRef::Targets(graph) => {
                let graph = inputs.graph(graph)?;
                graph.out().load_rows()?;
                let (id, len) = (graph.out().id(), graph.edges());
                self.add_array(memory, (id, 1), 4, len, Box::new(Targets(graph)));
            }
            ObjectRef::Sources(graph) => {
                let graph = inputs.graph(graph)?;
                let (id, len) = (graph.out().id(), graph.edges());
                let sources = self.sources.entry(id).or_insert_with(|| {
                    let lists = 0..graph.vertices() as u32;
                    let repeat = |v| std::iter::repeat_n(v, graph.out().degree(v));
                    Arc::new(lists.flat_map(repeat).collect())
                });
                let sources = Arc::clone(sources);
                self.add_array(memory, (id, 2), 4, len, Box::new(Ids(sources)));
            }
            ObjectRef::Weights(graph, wanted) => {
                let graph = inputs.graph(graph)?;
                graph.out().load_rows()?;
                let (id, len) = (graph.out().id(), graph.edges());
                let stored = stored_weights(&graph);
                let stored = stored.ok_or_else(|| ErrorKind::Unweighted { graph: "the graph".into() })?;
                let bytes = graph.weight_kind().bytes() as u64;
                let convert = scalar::conversion(stored, *wanted)
                    .ok_or_else(|| ErrorKind::Malformed("a weight that is no number".into()))?;
                self.add_array(memory, (id, 3), bytes, len, Box::new(EdgeWeights(graph, convert)));
            }
            ObjectRef::Members => {
                let members = Arc::new(inputs.members.clone());
                let base = self.space_for(object, inputs.region, 4 * members.len() as u64);
                memory.add(base, 4, members.len(), Box::new(Ids(members)));
            }
            ObjectRef::ToSet => {
                let mut members = vec![0; inputs.vertices];
                for v in inputs.to.as_ref().map(VertexSet::ids).transpose()?.unwrap_or_default() {
                    let vertices = inputs.vertices;
                    *members
                        .get_mut(v as usize)
                        .ok_or(ErrorKind::VertexOutOfRange { vertex: i64::from(v), vertices })? = 1;
                }
                self.add_own(memory, object, inputs.region, 1, members);
            }
            ObjectRef::Notes => self.add_own(memory, object, inputs.region, 8, vec![0; inputs.vertices]),
            ObjectRef::Rounds => self.add_own(memory, object, inputs.region, LINE, vec![0; 2 * ROUNDS as usize]),
        }
        Ok(())
    }

    fn add_vector(&mut self, memory: &mut Memory, vector: Vector) {
        let (bytes, cells) = (vector.cell_bytes() as u64, vector.cells());
        let whole = vector.storage();
        let space = &mut self.space;
        let base = self.vectors.entry(vector.id()).or_insert_with(|| space.writable(bytes * whole.cells() as u64));
        let start = *base + bytes * vector.storage_cell(0) as u64;
        memory.add(start, bytes, cells, Box::new(VectorCells(vector)));
    }

    fn add_array(
        &mut self,
        memory: &mut Memory,
        key: (AdjacencyId, u8),
        bytes: u64,
        len: usize,
        cells: Box<dyn Cells>,
    ) {
        let space = &mut self.space;
        let base = *self.graphs.entry(key).or_insert_with(|| space.read_only(bytes * len as u64));
        memory.add(base, bytes, len, cells);
    }

    fn add_own(&mut self, memory: &mut Memory, object: &ObjectRef, region: usize, bytes: u64, cells: Vec<u64>) {
        let base = self.space_for(object, region, bytes * cells.len() as u64);
        memory.add(base, bytes, cells.len(), Box::new(cells));
    }

    /// Room for an object of a region, the same as before if that is large enough.
    fn space_for(&mut self, object: &ObjectRef, region: usize, bytes: u64) -> u64 {
        // Scalars of the program are the same in all regions.
        let region = if matches!(object, ObjectRef::Scalar(_)) { usize::MAX } else { region };
        let key = (region, object.clone());
        match self.others.get(&key) {
            Some(&(base, room)) if room >= bytes => base,
            _ => {
                let base = self.space.writable(bytes);
                self.others.insert(key, (base, bytes));
                base
            }
        }
    }
}

struct VectorCells(Vector);

impl Cells for VectorCells {
    fn load(&self, i: usize) -> u64 {
        self.0.load_bits(i)
    }

    fn store(&mut self, i: usize, bits: u64) {
        self.0.store_bits(i, bits);
    }
}

/// Arrays that no task writes.
macro_rules! read_only {
    ($($name:ident($($field:ty),*), |$this:ident, $i:ident| $load:expr;)*) => {$(
        struct $name($($field),*);

        impl Cells for $name {
            fn load(&self, $i: usize) -> u64 {
                let $this = self;
                $load
            }

            fn store(&mut self, _: usize, _: u64) {
                unreachable!("no task writes to a graph or a set");
            }
        }
    )*};
}

read_only! {
    Offsets(Arc<Graph>), |this, i| this.0.out().offsets().at(i) as u64;
    Targets(Arc<Graph>), |this, i| u64::from(this.0.out().targets()[i]);
    Ids(Arc<Vec<u32>>), |this, i| u64::from(this.0[i]);
    EdgeWeights(Arc<Graph>, scalar::Unary), |this, i| (this.1)(match this.0.out().weights() {
        Weights::None => 0,
        Weights::Int(weights) => u64::from(weights[i] as u32),
        Weights::Float(weights) => u64::from(weights[i].to_bits()),
        Weights::Int64(weights) => weights[i] as u64,
        Weights::Double(weights) => weights[i].to_bits(),
    });
}
