//! Filling the environment of a kernel from the values of a run.

use std::sync::Arc;

use gw_exec::{Captures, Environment, ErrorKind, Result, Value, random};
use gw_graph::derived::CsrM;
use gw_graph::derived::Segment;
use gw_graph::{Adjacency, Graph, WeightKind, Weights, with_weights};
use gw_ir::source::Name;
use gw_ir::types::Scalar;

use crate::abi::slot;
use crate::codegen::{GraphArray, Input, REAL_WEIGHTS, Role, Shape, Side, Source, WIDE_WEIGHTS};
use crate::list_form::{ListForm, offsets_address, pairs_address};

/// The slots of one call and the values they point to.
pub(crate) struct Slots {
    pub(crate) words: Vec<u64>,
    /// Global scalars that the kernel writes; boxed so that their addresses stay.
    cells: Vec<(Name, Value, Box<u64>)>,
    /// Keeps vectors and graphs alive while kernels use their addresses.
    keep: Vec<Value>,
    graphs: Vec<Arc<Graph>>,
    /// Everything is as the kernel expects it.
    fits: bool,
}

impl Slots {
    /// Evaluates the inputs of a kernel. `more` are globals that only the kernel knows. `None` when a graph cannot be
    /// read in the form that it was compiled for, or a vector has cells of another type.
    pub(crate) fn fill(
        inputs: &[Input],
        lists: ListForm,
        captures: Captures<'_>,
        more: &[(Name, Value)],
        env: &Environment,
    ) -> Result<Option<Slots>> {
        let mut slots = Slots {
            words: vec![0; slot::COUNT + inputs.len()],
            cells: Vec::new(),
            keep: Vec::new(),
            graphs: Vec::new(),
            fits: true,
        };
        for (i, (source, shape)) in inputs.iter().enumerate() {
            slots.words[slot::COUNT + i] = slots.input(source, shape.as_ref(), lists, captures, more, env)?;
        }
        Ok(slots.fits.then_some(slots))
    }

    /// Writes the global scalars that the kernel changed back; returns those that the run does not know.
    pub(crate) fn write_back(self, env: &mut Environment) -> Vec<(Name, Value)> {
        let cells = self.cells.into_iter().map(|(name, old, cell)| (name, with_bits(&old, *cell)));
        cells.filter(|(name, value)| !env.set_global(name, value.clone())).collect()
    }

    /// Sets what random neighbours depend on beside the vertex or edge: the seed, the operator call and the role of
    /// the function.
    pub(crate) fn set_draws(&mut self, apply: random::Role, env: &Environment) {
        let roles = [(Role::Apply, apply), (Role::From, random::Role::From), (Role::To, random::Role::To)];
        for (role, drawn_as) in roles {
            self.words[role.draws_slot()] = random::call_key(env.seed(), env.operator_calls(), drawn_as);
        }
    }

    /// Points the slots of an adjacency to its lists. The form is that of the kernel, [`ListForm::of`] the adjacency or
    /// of its offsets.
    pub(crate) fn set_adjacency(&mut self, adjacency: &Adjacency, lists: ListForm) {
        self.words[slot::TARGETS] = targets(adjacency, lists);
        (self.words[slot::OFFSETS], self.words[slot::WEIGHTS]) = match adjacency.spans().filter(|_| lists.pairs) {
            Some(spans) => (pairs_address(spans.ranges()), spans.weights() as u64),
            None => (offsets_address(adjacency.offsets()), weights(adjacency.weights())),
        };
    }

    /// Points the slots of an adjacency to a segment.
    pub(crate) fn set_segment(&mut self, segment: &Segment) {
        self.words[slot::OFFSETS] = offsets_address(segment.offsets());
        self.words[slot::TARGETS] = segment.targets().as_ptr() as u64;
        self.words[slot::WEIGHTS] = weights(segment.weights());
        self.words[slot::QUEUE] = segment.owners().as_ptr() as u64;
    }

    fn input(
        &mut self,
        source: &Source,
        shape: Option<&Shape>,
        lists: ListForm,
        captures: Captures<'_>,
        more: &[(Name, Value)],
        env: &Environment,
    ) -> Result<u64> {
        let known = |name: &Name| more.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        let global = |name: &Name| match known(name).or_else(|| env.global(name)) {
            Some(Value::Nothing) | None => Err(ErrorKind::Unset { name: name.to_string() }.into()),
            Some(value) => gw_exec::Result::Ok(value),
        };
        let captured = |role: &Role, i: usize| {
            let values = match role {
                Role::Apply => captures.apply,
                Role::From => captures.from,
                Role::To => captures.to,
            };
            let missing = || gw_exec::ExecError::from(ErrorKind::Malformed("a capture is missing".to_string()));
            values.get(i).cloned().ok_or_else(missing)
        };
        match source {
            Source::GlobalVector(name) => self.vector(global(name)?, shape),
            Source::CapturedVector(role, i) => self.vector(captured(role, *i)?, shape),
            Source::GlobalLength(name) => length(&global(name)?),
            Source::CapturedLength(role, i) => length(&captured(role, *i)?),
            Source::GlobalRow(name) => row(&global(name)?),
            Source::CapturedRow(role, i) => row(&captured(role, *i)?),
            Source::GlobalScalar(name) => Ok(bits(&global(name)?)),
            Source::CapturedScalar(role, i) => Ok(bits(&captured(role, *i)?)),
            Source::GlobalCell(name) => {
                let value = global(name)?;
                let cell = Box::new(bits(&value));
                let address = &raw const *cell as u64;
                self.cells.push((name.clone(), value, cell));
                Ok(address)
            }
            Source::Vertices(element) => Ok(env.vertices_of(element)? as u64),
            Source::CurrentBucket(name, scalar) => {
                let Value::Queue(queue) = global(name)? else {
                    return Err(ErrorKind::Malformed(format!("`{name}` is not a queue")).into());
                };
                let bucket = queue.state().current_bucket()?;
                Ok(match scalar {
                    Scalar::Float => u64::from((bucket as f32).to_bits()),
                    Scalar::Double => (bucket as f64).to_bits(),
                    _ => bucket,
                })
            }
            Source::Graph(name, array) => {
                let Value::Graph(graph) = global(name)? else {
                    return Err(ErrorKind::Malformed(format!("`{name}` is not a graph")).into());
                };
                let mut fitting = |word: Option<u64>| {
                    self.fits &= word.is_some();
                    word.unwrap_or(0)
                };
                // Before arrays are asked for by their address, they are made.
                let load = |adjacency: &Adjacency| if lists.pairs { adjacency.load() } else { adjacency.load_rows() };
                match array.side() {
                    Some(Side::Out) => load(graph.out())?,
                    Some(Side::In) => load(graph.load_incoming()?)?,
                    None => {}
                }
                let word = match array {
                    GraphArray::OutOffsets => fitting(offsets(graph.out(), lists, || graph.csr_m())?),
                    GraphArray::OutTargets => targets(graph.out(), lists),
                    GraphArray::OutWeights => fitting(out_weights(graph.out(), lists)),
                    GraphArray::OutWeightKind => {
                        let kind = graph.weight_kind();
                        u64::from(kind.is_real()) * REAL_WEIGHTS + u64::from(kind.bytes() > 4) * WIDE_WEIGHTS
                    }
                    GraphArray::OutSums => fitting(sums(graph.out(), lists)),
                    GraphArray::InOffsets => fitting(offsets(graph.incoming(), lists, || graph.csr_m_in())?),
                    GraphArray::InTargets => targets(graph.incoming(), lists),
                    GraphArray::VertexCount => graph.vertices() as u64,
                    GraphArray::EdgeCount => graph.edges() as u64,
                };
                self.graphs.push(graph);
                Ok(word)
            }
        }
    }

    fn vector(&mut self, value: Value, shape: Option<&Shape>) -> Result<u64> {
        let Value::Vector(vector) = &value else {
            return Err(ErrorKind::Malformed("a vector is expected".to_string()).into());
        };
        let inner = vector.dims().get(1..).unwrap_or_default();
        self.fits &= shape.is_some_and(|shape| shape.is_of(vector.scalar(), inner));
        let address = vector.as_ptr() as u64;
        self.keep.push(value);
        Ok(address)
    }
}

/// What tells a kernel where the lists of an adjacency begin and end; `None` when that is not to be had in the form
/// that the kernel wants. `pairs` are those of the adjacency in compressed rows, which its graph keeps.
fn offsets(
    adjacency: &Adjacency,
    lists: ListForm,
    pairs: impl FnOnce() -> gw_graph::Result<Arc<CsrM>>,
) -> Result<Option<u64>> {
    Ok(match (adjacency.spans(), lists.pairs) {
        (_, false) => sums(adjacency, lists),
        (Some(spans), true) => (ListForm::of(adjacency) == lists).then(|| pairs_address(spans.ranges())),
        (None, true) => match sums(adjacency, lists) {
            Some(_) => Some(pairs_address(&*pairs()?)),
            None => None,
        },
    })
}

/// The offsets of an adjacency in compressed rows; `None` when they are not as wide as wanted.
fn sums(adjacency: &Adjacency, lists: ListForm) -> Option<u64> {
    let fits = ListForm::of_offsets(adjacency.offsets()).wide == lists.wide;
    fits.then(|| offsets_address(adjacency.offsets()))
}

/// The memory that the positions told by [`offsets`] are in. Where a kernel wants compressed rows, lists that stand
/// elsewhere are copied.
fn targets(adjacency: &Adjacency, lists: ListForm) -> u64 {
    match adjacency.spans().filter(|_| lists.pairs) {
        Some(spans) => spans.targets() as u64,
        None => adjacency.targets().as_ptr() as u64,
    }
}

/// The weights at the positions told by [`offsets`]; `None` without weights.
fn out_weights(adjacency: &Adjacency, lists: ListForm) -> Option<u64> {
    let address = match adjacency.spans().filter(|_| lists.pairs) {
        Some(spans) => spans.weights() as u64,
        None => weights(adjacency.weights()),
    };
    (adjacency.weight_kind() != WeightKind::None).then_some(address)
}

fn weights(weights: &Weights) -> u64 {
    with_weights!(weights, none => 0, w => w.as_ptr() as u64)
}

fn length(value: &Value) -> Result<u64> {
    match value {
        Value::Vector(vector) => Ok(vector.len() as u64),
        _ => Err(ErrorKind::Malformed("a vector is expected".to_string()).into()),
    }
}

fn row(value: &Value) -> Result<u64> {
    let row = value.as_vector().and_then(|vector| vector.dims().get(1).copied());
    Ok(row.ok_or_else(|| ErrorKind::Malformed("a vector of rows is expected".to_string()))? as u64)
}

/// The bits of a scalar as generated code loads them from a slot; 0 for what is no scalar.
fn bits(value: &Value) -> u64 {
    value.bits().unwrap_or(0)
}

/// A value of the type of `old` with new bits.
fn with_bits(old: &Value, bits: u64) -> Value {
    match old.bits().and(old.scalar()) {
        Some(scalar) => Value::from_bits(scalar, bits),
        None => old.clone(),
    }
}
