//! Evaluating expressions that yield a register.

use gw_graph::columns::seconds_of;
use gw_ir::expr::PriorityOp;
use gw_ir::types::Scalar;

use super::Interp;
use super::stmt::Old;
use crate::code::{Arg, Num, Obj, PriorityUpdate, Target};
use crate::error::{ErrorKind, ExecError, Result, checked_vertex};
use crate::intrinsics;
use crate::remote::Reduction;
use crate::scalar::{self, Register};
use crate::trace::TraceAccess;
use crate::value::Value;
use crate::vector::Vector;

impl<'a> Interp<'a> {
    #[inline]
    pub(crate) fn num(&mut self, e: &'a Num) -> Result<u64> {
        match e {
            Num::Const(bits) => Ok(*bits),
            Num::Local(slot) => Ok(self.frames.registers[self.frames.base + *slot as usize]),
            Num::Global(slot) => Ok(self.env.scalars[*slot as usize]),
            Num::Entry(var, index) => {
                let index = self.num(index)?;
                let vector = self.vector_var(*var)?;
                if index >= vector.len() as u64 {
                    let len = vector.len();
                    return Err(self.index_error(*var, index, len));
                }
                match vector.plain() {
                    Some(cells) => {
                        let bits = cells.load(index as usize);
                        if self.trace.is_some() {
                            let (id, cell, bytes) =
                                (vector.id(), vector.storage_cell(index as usize), vector.cell_bytes());
                            self.tell(id, cell, bytes, TraceAccess::Read);
                        }
                        Ok(bits)
                    }
                    None => self.entry(*var, index as usize),
                }
            }
            Num::Binary(op, a, b) => {
                let a = self.num(a)?;
                let b = self.num(b)?;
                Ok(op(a, b))
            }
            Num::Unary(op, a) => Ok(op(self.num(a)?)),
            Num::And(a, b) => match self.num(a)? {
                0 => Ok(0),
                _ => self.num(b),
            },
            Num::Or(a, b) => match self.num(a)? {
                0 => self.num(b),
                _ => Ok(1),
            },
            Num::Reduce { op, scalar, target, value } => {
                let value = self.num(value)?;
                let (op, scalar) = (*op, *scalar);
                self.rewrite(target, move |old| scalar::reduce(op, scalar, old, value)).map(u64::from)
            }
            other => self.rare(other),
        }
    }

    /// The expressions that are not on every edge.
    fn rare(&mut self, e: &'a Num) -> Result<u64> {
        match e {
            Num::Cell(place) => {
                let (vector, cell) = self.locate(place)?;
                self.element(&vector, cell)
            }
            Num::Div(scalar, a, b) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                Ok(scalar::divide(*scalar, a, b).ok_or(ErrorKind::DivisionByZero)?)
            }
            Num::Mod(scalar, a, b) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                Ok(scalar::remainder(*scalar, a, b).ok_or(ErrorKind::DivisionByZero)?)
            }
            Num::Call(call) => Ok(self.call(call)?.0),
            Num::CompareAndSwap { scalar, target, expect, value } => {
                let (expect, value) = (self.num(expect)?, self.num(value)?);
                let scalar = *scalar;
                let swap = move |old| scalar::equal(scalar, old, expect).then_some(value);
                self.rewrite(target, swap).map(u64::from)
            }
            Num::Priority(update) => self.priority(update).map(u64::from),
            Num::Enqueue(vertex) => {
                let vertex = i32::of(self.num(vertex)?);
                let vertex = u32::try_from(vertex).map_err(|_| ErrorKind::VertexOutOfRange {
                    vertex: i64::from(vertex),
                    vertices: i32::MAX as usize,
                })?;
                self.out.push(vertex);
                if let Some(trace) = &mut self.trace {
                    trace.enqueue(vertex);
                }
                Ok(0)
            }
            Num::StringCompare(op, a, b) => self.compare_strings(*op, a, b),
            Num::Atoi(from) => {
                let text = self.text(from)?;
                match intrinsics::atoi(&text) {
                    Some(number) => Ok(number.bits()),
                    None => Err(self.no_int(from, &text)?),
                }
            }
            Num::Atof(text) => Ok(intrinsics::atof(&self.text(text)?).bits()),
            Num::Date(text) => {
                let text = self.text(text)?;
                let seconds = seconds_of(text.trim());
                Ok(seconds.ok_or_else(|| ErrorKind::NoDate { text: text.to_string() })?.bits())
            }
            Num::FindVertex(args) => {
                let [graph, id] = &**args;
                let (graph, id) = (self.graph(graph)?, self.text(id)?);
                Ok((intrinsics::find_vertex(&graph, &id)? as i32).bits())
            }
            Num::Code { graph, texts, of_edges } => {
                let graph = self.graph(graph)?;
                let [name, text] = &**texts;
                let (name, text) = (self.text(name)?, self.text(text)?);
                Ok(crate::columns::code(&graph, &name, &text, *of_edges)?.bits())
            }
            Num::StartTimer => {
                self.machine.wait()?;
                self.env.start_timer();
                Ok(0)
            }
            Num::StopTimer => {
                self.machine.wait()?;
                Ok((self.env.timer_seconds() as f32).bits())
            }
            Num::Threads => Ok(i32::try_from(self.env.threads).unwrap_or(i32::MAX).max(1).bits()),
            Num::VertexCount(e) => {
                let count = match self.obj(e)? {
                    Value::Graph(graph) => graph.vertices(),
                    Value::Set(set) => set.len()?,
                    _ => return Err(self.not_set(e)),
                };
                Ok((count as i32).bits())
            }
            Num::OutDegree(graph, vertex) => {
                let vertex = i32::of(self.num(vertex)?);
                // The graph is nearly always a variable: look at it in place.
                if let Obj::Var(var) = &**graph
                    && let Value::Graph(graph) = self.var(*var)
                    && graph.share().is_none()
                {
                    let vertex = checked_vertex(vertex, graph.vertices())?;
                    return Ok((graph.out().degree(vertex) as i32).bits());
                }
                let graph = self.whole_graph(graph)?;
                let vertex = checked_vertex(vertex, graph.vertices())?;
                Ok((graph.out().degree(vertex) as i32).bits())
            }
            Num::EdgeCount(graph) => Ok((self.graph(graph)?.edges() as u64).bits()),
            Num::EdgeIndex { graph, ends: [u, v] } => {
                let graph = self.whole_graph(graph)?;
                let (u, v) = (i32::of(self.num(u)?), i32::of(self.num(v)?));
                let u = checked_vertex(u, graph.vertices())?;
                let v = checked_vertex(v, graph.vertices())?;
                // The first of parallel edges, as on all machines.
                let list = graph.out().neighbours(u);
                let first = list.partition_point(|&w| w < v);
                let found = (list.get(first) == Some(&v)).then_some(first);
                let at = found.map_or(-1, |at| (graph.out().range(u).start + at) as i32);
                Ok(at.bits())
            }
            Num::RandomNeighbour { graph, vertex, out } => {
                let graph = self.whole_graph(graph)?;
                let vertex = checked_vertex(i32::of(self.num(vertex)?), graph.vertices())?;
                let adjacency = if *out { graph.out() } else { graph.load_incoming()? };
                let neighbours = adjacency.neighbours(vertex);
                if neighbours.is_empty() {
                    return Err(ErrorKind::NoNeighbours {
                        vertex: vertex.into(),
                        side: if *out { "out" } else { "in" },
                    }
                    .into());
                }
                let chosen = self.env.draws.below(neighbours.len() as u64) as usize;
                Ok((neighbours[chosen] as i32).bits())
            }
            Num::OutNeighbour { graph, vertex, position } => {
                let graph = self.whole_graph(graph)?;
                let vertex = checked_vertex(i32::of(self.num(vertex)?), graph.vertices())?;
                let position = i32::of(self.num(position)?);
                let neighbours = graph.out().neighbours(vertex);
                let neighbour = usize::try_from(position).ok().and_then(|k| neighbours.get(k));
                let outside = || ErrorKind::IndexOutOfRange {
                    index: i64::from(position),
                    len: neighbours.len(),
                    vector: "neighbours".to_string(),
                };
                Ok((*neighbour.ok_or_else(outside)? as i32).bits())
            }
            Num::OutWeight { graph, vertex, position, weight } => {
                let graph = self.whole_graph(graph)?;
                let vertex = checked_vertex(i32::of(self.num(vertex)?), graph.vertices())?;
                let position = i32::of(self.num(position)?);
                intrinsics::out_weight(&graph, vertex, position, *weight)
            }
            Num::SetSize(set) => Ok((self.set(set)?.len()? as i32).bits()),
            Num::AddVertex { element, set, vertex } => {
                let set = self.set(set)?;
                let vertex = i32::of(self.num(vertex)?);
                let vertices = self.env.vertices_of(element).unwrap_or(i32::MAX as usize);
                set.push(checked_vertex(vertex, vertices)?)?;
                Ok(0)
            }
            Num::VectorReduce(reduction, vector, wanted) => {
                let vector = self.vector(vector)?;
                let result = match self.machine.reduce(*reduction, &vector) {
                    Some(result) => result?,
                    None => {
                        self.will_read(&vector)?;
                        reduce_vector(*reduction, &vector)?
                    }
                };
                match reduction {
                    Reduction::Sum => narrow_sum(&result, vector.scalar(), *wanted),
                    _ => Ok(result.bits().unwrap_or(0)),
                }
            }
            Num::ListPush { list, value, copy } => {
                let list = self.list(list)?;
                let value = self.arg(value)?;
                let value = if *copy { value.contents()? } else { value };
                list.push(value)?;
                Ok(0)
            }
            Num::ListPop(list) => {
                let last = self.list(list)?.entries().pop();
                Ok(last.ok_or(ErrorKind::EmptyList)?.bits().unwrap_or(0))
            }
            Num::ListRetrieve(list, target) => {
                let last = self.list(list)?.entries().pop();
                let bits = last.ok_or(ErrorKind::EmptyList)?.bits().unwrap_or(0);
                self.write(target, bits)?;
                Ok(0)
            }
            Num::ListRetrieveInto(list, var) => {
                let last = self.list(list)?.entries().pop();
                self.set_var(*var, last.ok_or(ErrorKind::EmptyList)?);
                Ok(0)
            }
            Num::ListGet(list, at) => {
                let at = i32::of(self.num(at)?);
                Ok(self.list_entry(list, at)?.bits().unwrap_or(0))
            }
            Num::VectorBest { vector, largest } => {
                let vector = self.vector(vector)?;
                self.will_read(&vector)?;
                best_entry(&vector, *largest)
            }
            Num::ListSize(list) => Ok((self.list(list)?.entries().len() as i32).bits()),
            Num::QueueFinished(queue) => {
                let queue = self.queue(queue)?;
                Ok(self.machine.queue_finished(&queue)?.bits())
            }
            Num::QueueFinishedNode(queue, vertex) => {
                let queue = self.queue(queue)?;
                let vertex = checked_vertex(i32::of(self.num(vertex)?), queue.spec().priorities.len())?;
                Ok(self.machine.queue_finished_node(&queue, vertex)?.bits())
            }
            Num::CurrentPriority(scalar, queue) => {
                let bucket = self.queue(queue)?.state().current_bucket()?;
                Ok(scalar::conversion(Scalar::Uint64, *scalar).map_or(bucket, |convert| convert(bucket)))
            }
            Num::Intersection { sets, sizes, limit } => {
                let (a, b) = (self.set(&sets[0])?, self.set(&sets[1])?);
                let sizes = [i32::of(self.num(&sizes[0])?), i32::of(self.num(&sizes[1])?)];
                let limit = limit.as_ref().map(|e| self.num(e).map(i32::of)).transpose()?;
                let (a, b) = (a.ids()?, b.ids()?);
                let count = intrinsics::intersection(prefix(&a, sizes[0]), prefix(&b, sizes[1]), limit);
                Ok((count as i32).bits())
            }
            Num::Groups(groups) => self.groups(groups),
            Num::IntersectNeighbours { graph, a, b } => {
                let graph = self.whole_graph(graph)?;
                let (a, b) = (i32::of(self.num(a)?), i32::of(self.num(b)?));
                let (u, v) = (checked_vertex(a, graph.vertices())?, checked_vertex(b, graph.vertices())?);
                let out = graph.out();
                if let Some(trace) = &mut self.trace {
                    trace.intersect(u, v);
                }
                let count = intrinsics::intersection(out.neighbours(u), out.neighbours(v), Some(b));
                Ok((count as i32).bits())
            }
            Num::Const(_)
            | Num::Local(_)
            | Num::Global(_)
            | Num::Entry(..)
            | Num::Unary(..)
            | Num::Binary(..)
            | Num::And(..)
            | Num::Or(..)
            | Num::Reduce { .. } => self.num(e),
        }
    }

    /// What is wrong with a text whose number `int` cannot hold; an argument of the run is named.
    #[cold]
    fn no_int(&mut self, from: &'a Obj, text: &str) -> Result<ExecError> {
        let text = text.to_string();
        Ok(match from {
            Obj::Argv(index) => {
                let index = i32::of(self.num(index)?).unsigned_abs();
                ErrorKind::BadArgument { index, text, expected: "a number from -2147483648 to 2147483647" }
            }
            _ => ErrorKind::NoInt { text },
        }
        .into())
    }

    /// The entry of a list at a position.
    pub(super) fn list_entry(&mut self, list: &'a Obj, at: i32) -> Result<Value> {
        let list = self.list(list)?;
        let entries = list.entries();
        let entry = usize::try_from(at).ok().and_then(|at| entries.get(at)).cloned();
        let outside =
            || ErrorKind::IndexOutOfRange { index: i64::from(at), len: entries.len(), vector: "list".to_string() };
        Ok(entry.ok_or_else(outside)?)
    }

    /// Rewrites a scalar from its old value; true when something was stored.
    #[inline]
    fn rewrite(&mut self, target: &'a Target, new: impl FnOnce(u64) -> Option<u64>) -> Result<bool> {
        let place = match target {
            Target::Cell(place) => return self.update(place, Old::Needed, new),
            Target::Local(slot) => &mut self.frames.registers[self.frames.base + *slot as usize],
            Target::Global(slot) => &mut self.env.scalars[*slot as usize],
        };
        Ok(match new(*place) {
            Some(bits) => {
                *place = bits;
                true
            }
            None => false,
        })
    }

    pub(super) fn arg(&mut self, arg: &'a Arg) -> Result<Value> {
        match arg {
            Arg::Num(scalar, e) => Ok(Value::from_bits(*scalar, self.num(e)?)),
            Arg::Obj(e) => self.obj(e),
        }
    }

    /// Changes a priority; true when it changed.
    fn priority(&mut self, update: &'a PriorityUpdate) -> Result<bool> {
        let queue = self.queue(&update.queue)?;
        let priorities = &queue.spec().priorities;
        let vertex = checked_vertex(i32::of(self.num(&update.vertex)?), priorities.len())?;
        let bound = update.bound.as_ref().map(|e| self.num(e)).transpose()?;
        let value = self.num(&update.value)?;
        let scalar = priorities.scalar();
        self.will_write(priorities)?;
        let cells = priorities.touched();
        let old = cells.load(vertex as usize);
        // A value that is no priority is a sum that did not fit. It stands for something larger than all that can be
        // stored, and is an error only where nothing is stored yet.
        if update.op == PriorityOp::Min && !fits(scalar, value) {
            return match old == scalar::largest(scalar) {
                true => Err(ErrorKind::PriorityOverflow.into()),
                false => Ok(false),
            };
        }
        let new = match update.op {
            PriorityOp::Min => scalar::reduce(gw_ir::expr::ReduceOp::Min, scalar, old, value),
            PriorityOp::Max => scalar::reduce(gw_ir::expr::ReduceOp::Max, scalar, old, value),
            PriorityOp::Sum => add_to_priority(scalar, old, update.value_scalar, value, bound)?,
        };
        let new = new.filter(|&new| !scalar::equal(scalar, old, new));
        let stored = Old::Needed.access(new.is_some());
        self.tell(priorities.id(), priorities.storage_cell(vertex as usize), priorities.cell_bytes(), stored);
        let Some(new) = new else { return Ok(false) };
        cells.store(vertex as usize, new);
        self.note_write(priorities.id(), priorities.storage_cell(vertex as usize));
        if !update.deferred {
            queue.state().rebucket(&[vertex])?;
        }
        Ok(true)
    }
}

/// Whether a whole number can be a priority: from 0 to the greatest value of its type but one, as that value itself
/// means "not queued". Reals do not overflow.
fn fits(scalar: Scalar, value: u64) -> bool {
    match scalar {
        Scalar::Int => (0..i32::MAX).contains(&i32::of(value)),
        Scalar::Int64 => (0..i64::MAX).contains(&i64::of(value)),
        Scalar::Uint | Scalar::Uint64 => value != scalar::largest(scalar),
        _ => true,
    }
}

/// `old + difference`, not below the floor; nothing when the priority is at or below it already. A sum that is no
/// smaller than the greatest value of the type is an error.
fn add_to_priority(
    scalar: Scalar,
    old: u64,
    difference_scalar: Scalar,
    difference: u64,
    floor: Option<u64>,
) -> Result<Option<u64>> {
    fn exact(scalar: Scalar, bits: u64) -> i128 {
        match scalar {
            Scalar::Int => i128::from(i32::of(bits)),
            Scalar::Int64 => i128::from(i64::of(bits)),
            _ => i128::from(bits),
        }
    }
    if scalar.is_float() {
        let (old, floor) = (scalar::to_f64(scalar, old), floor.map(|f| scalar::to_f64(scalar, f)));
        if floor.is_some_and(|floor| old <= floor) {
            return Ok(None);
        }
        let new = old + scalar::to_f64(difference_scalar, difference);
        let new = floor.map_or(new, |floor| new.max(floor));
        return Ok(Some(if scalar == Scalar::Float { (new as f32).bits() } else { new.bits() }));
    }
    let floor = floor.map(|f| exact(scalar, f));
    let old = exact(scalar, old);
    if floor.is_some_and(|floor| old <= floor) {
        return Ok(None);
    }
    let new = old + exact(difference_scalar, difference);
    let new = floor.map_or(new, |floor| new.max(floor));
    if new > old && new >= exact(scalar, scalar::largest(scalar)) {
        return Err(ErrorKind::PriorityOverflow.into());
    }
    Ok(Some(match scalar {
        Scalar::Int => (new as i32).bits(),
        Scalar::Uint => (new as u32).bits(),
        _ => (new as u64).bits(),
    }))
}

fn prefix(ids: &[u32], size: i32) -> &[u32] {
    &ids[..ids.len().min(size.max(0) as usize)]
}

/// A reduction over all cells in order. Sums are kept whole: `uint_64` (in two's complement) of whole numbers,
/// `double` of others. Largest and smallest entries pass over NaN as long as there is anything else.
pub(crate) fn reduce_vector(reduction: Reduction, vector: &Vector) -> Result<Value> {
    let scalar = vector.scalar();
    let cells = vector.touched();
    let cells = (0..vector.cells()).map(|i| cells.load(i));
    let is_nan = |x: u64| !scalar::equal(scalar, x, x);
    let best = |op, word: &'static str| {
        let better = |a, b| match is_nan(a) {
            true => b,
            false => scalar::reduce(op, scalar, a, b).unwrap_or(a),
        };
        let best = cells.clone().reduce(better).ok_or(ErrorKind::EmptyVector(word))?;
        Ok(Value::from_bits(scalar, best))
    };
    match reduction {
        // From 0.0: the sum of nothing by an iterator is -0.0.
        Reduction::Sum if scalar.is_float() => {
            Ok(Value::Double(cells.fold(0.0, |sum, x| sum + scalar::to_f64(scalar, x))))
        }
        Reduction::Sum => {
            let widen = scalar::conversion(scalar, Scalar::Uint64).unwrap_or(|bits| bits);
            Ok(Value::Uint64(cells.fold(0u64, |sum, x| sum.wrapping_add(widen(x)))))
        }
        Reduction::Max => best(gw_ir::expr::ReduceOp::Max, "largest entry"),
        Reduction::Min => best(gw_ir::expr::ReduceOp::Min, "smallest entry"),
        Reduction::Count => Ok(Value::Int(cells.filter(|&x| !scalar::equal(scalar, x, 0)).count() as i32)),
    }
}

/// The first index of the largest or smallest entry. NaN entries are passed over as long as there is anything else.
fn best_entry(vector: &Vector, largest: bool) -> Result<u64> {
    let scalar = vector.scalar();
    let op = if largest { gw_ir::expr::ReduceOp::Max } else { gw_ir::expr::ReduceOp::Min };
    let cells = vector.touched();
    let mut best: Option<(usize, u64)> = None;
    for at in 0..vector.cells() {
        let cell = cells.load(at);
        let better = match best {
            None => true,
            Some((_, held)) if !scalar::equal(scalar, held, held) => scalar::equal(scalar, cell, cell),
            Some((_, held)) => scalar::reduce(op, scalar, held, cell).is_some(),
        };
        if better {
            best = Some((at, cell));
        }
    }
    let (at, _) = best.ok_or(ErrorKind::EmptyVector(if largest { "largest entry" } else { "smallest entry" }))?;
    Ok((at as i32).bits())
}

/// The sum of a vector of `cells` in the type that the program wants; whole numbers that do not fit are an error.
fn narrow_sum(sum: &Value, cells: Scalar, wanted: Scalar) -> Result<u64> {
    let (bits, from) = (sum.bits().unwrap_or(0), sum.scalar().unwrap_or(wanted));
    let signed = cells.is_signed();
    let fits = match (from, wanted) {
        (Scalar::Uint64, Scalar::Int) if signed => i32::try_from(bits as i64).is_ok(),
        (Scalar::Uint64, Scalar::Int) => i32::try_from(bits).is_ok(),
        (Scalar::Uint64, Scalar::Int64) => signed || i64::try_from(bits).is_ok(),
        (Scalar::Uint64, Scalar::Uint) => u32::try_from(bits).is_ok(),
        _ => true,
    };
    if !fits {
        let sum = if signed { i128::from(bits as i64) } else { i128::from(bits) };
        return Err(ErrorKind::SumOverflow { sum, wanted: wanted.keyword() }.into());
    }
    match (from, wanted) {
        (Scalar::Uint64, Scalar::Float) if signed => Ok((bits as i64 as f32).bits()),
        (Scalar::Uint64, Scalar::Double) if signed => Ok((bits as i64 as f64).bits()),
        _ => Ok(scalar::conversion(from, wanted).map_or(bits, |convert| convert(bits))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(scalar: Scalar, cells: &[u64]) -> Result<Vector> {
        let vector = Vector::zeros(scalar, &[cells.len()])?;
        cells.iter().enumerate().for_each(|(i, &bits)| vector.touched().store(i, bits));
        Ok(vector)
    }

    #[test]
    fn sums_are_whole_until_they_are_narrowed() -> Result<()> {
        let large = vector(Scalar::Int, &[i32::MAX.bits(), i32::MAX.bits(), 5i32.bits()])?;
        let sum = reduce_vector(Reduction::Sum, &large)?;
        assert_eq!(narrow_sum(&sum, Scalar::Int, Scalar::Uint64)?, 2 * i32::MAX as u64 + 5);
        assert_eq!(f64::of(narrow_sum(&sum, Scalar::Int, Scalar::Double)?), 4294967299.0);
        assert!(narrow_sum(&sum, Scalar::Int, Scalar::Int).is_err());
        let negative = vector(Scalar::Int, &[(-3i32).bits(), 1i32.bits()])?;
        let sum = reduce_vector(Reduction::Sum, &negative)?;
        assert_eq!(i32::of(narrow_sum(&sum, Scalar::Int, Scalar::Int)?), -2);
        assert_eq!(f64::of(narrow_sum(&sum, Scalar::Int, Scalar::Double)?), -2.0);
        let tenths = vector(Scalar::Float, &vec![0.1f32.bits(); 1_000_000])?;
        let sum = reduce_vector(Reduction::Sum, &tenths)?;
        assert!((f32::of(narrow_sum(&sum, Scalar::Float, Scalar::Float)?) - 100_000.0).abs() < 0.01);
        Ok(())
    }

    #[test]
    fn extremes_pass_over_nan() -> Result<()> {
        let nan = f64::NAN.bits();
        let mixed = vector(Scalar::Double, &[nan, 3f64.bits(), nan, 2f64.bits()])?;
        assert!(matches!(reduce_vector(Reduction::Min, &mixed)?, Value::Double(x) if x == 2.0));
        assert!(matches!(reduce_vector(Reduction::Max, &mixed)?, Value::Double(x) if x == 3.0));
        let all = vector(Scalar::Double, &[nan, nan])?;
        assert!(matches!(reduce_vector(Reduction::Max, &all)?, Value::Double(x) if x.is_nan()));
        Ok(())
    }
}
