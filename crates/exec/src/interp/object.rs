//! Evaluating expressions that yield an object.

use std::sync::Arc;
use std::time::Instant;

use gw_graph::Graph;
use gw_ir::types::{Scalar, Type};
use gw_schedule::Param;

use super::Interp;
use crate::code::{Num, Obj, QueueAlloc};
use crate::error::{ErrorKind, Result, checked_vertex};
use crate::graphs::{fit_weights, weigh};
use crate::intrinsics;
use crate::links;
use crate::list::List;
use crate::observe::StepRecord;
use crate::queue::{Queue, QueueSpec};
use crate::scalar::Register;
use crate::set::{SetForm, VertexSet};
use crate::value::Value;
use crate::vector::Vector;

impl<'a> Interp<'a> {
    /// A value that is worked out from a graph. A machine that keeps vectors elsewhere may have it from an earlier run;
    /// for others the host works it out now, before the program begins.
    fn worked_out(&self, made: Value) -> Value {
        if let Value::Vector(vector) = &made {
            match self.env.watches_new_vectors() {
                true => vector.set_watched(true),
                false => vector.touch(),
            }
        }
        made
    }

    pub(crate) fn obj(&mut self, e: &'a Obj) -> Result<Value> {
        Ok(match e {
            Obj::Var(var) => self.var(*var).clone(),
            Obj::Text(text) => Value::Str(Arc::clone(text)),
            Obj::Argv(index) => {
                let index = i32::of(self.num(index)?);
                Value::from(&*self.env.argument_seen(i64::from(index))?)
            }
            Obj::Row(place) => Value::Vector(self.locate(place)?.0),
            Obj::Call(call) => self.call(call)?.1,
            Obj::Default(ty) => self.default_value(ty)?,
            Obj::OutDegrees(graph, scalar) => {
                let graph = self.graph(graph)?;
                match self.machine.out_degrees(&graph, *scalar) {
                    Some(vector) => Value::Vector(vector?),
                    None => Value::Vector(out_degrees(&graph, *scalar)?),
                }
            }
            Obj::Neighbours(graph, vertex) => {
                let graph = self.whole_graph(graph)?;
                let vertex = checked_vertex(i32::of(self.num(vertex)?), graph.vertices())?;
                Value::Set(VertexSet::new(SetForm::Neighbours(graph, vertex)))
            }
            Obj::Transpose(graph) => {
                let graph = self.graph(graph)?;
                graph.load_incoming()?;
                Value::Graph(Arc::new(graph.transpose()))
            }
            Obj::Both(graph) => Value::Graph(Arc::new(self.whole_graph(graph)?.both()?)),
            Obj::ByNumber(graph) => Value::Graph(self.whole_graph(graph)?.by_number()?),
            Obj::OfLinks(form, graph) => {
                let made = links::of(*form, &self.whole_graph(graph)?)?;
                self.worked_out(made)
            }
            Obj::EdgeWeights(graph, scalar) => {
                let graph = self.whole_graph(graph)?;
                Value::Vector(intrinsics::edge_weights(&graph, *scalar)?)
            }
            Obj::LinkNumbers(graphs) => {
                let [links, edges] = &**graphs;
                let (links, edges) = (self.whole_graph(links)?, self.whole_graph(edges)?);
                let made = links::numbers(&links, &edges)?;
                self.worked_out(made)
            }
            Obj::SetUnion(sets) => {
                let [a, b] = &**sets;
                let (a, b) = (self.set(a)?.ids()?, self.set(b)?.ids()?);
                Value::Set(VertexSet::from_ids(links::union(a, b)))
            }
            Obj::SetMinus(sets) => {
                let [a, b] = &**sets;
                let (a, b) = (self.set(a)?.ids()?, self.set(b)?.ids()?);
                Value::Set(VertexSet::from_ids(links::minus(a, &b)))
            }
            Obj::Relabel(graph) => Value::Graph(intrinsics::relabel(self.whole_graph(graph)?)?),
            Obj::SelectEdges(args) => {
                let [graph, marks] = &**args;
                let (graph, marks) = (self.whole_graph(graph)?, self.vector(marks)?);
                self.will_read(&marks)?;
                Value::Graph(intrinsics::select_edges(&graph, &marks)?)
            }
            Obj::MakeEdges { all, ends, weights, weight } => {
                let vertices = self.set(all)?.len()?;
                let [from, to] = &**ends;
                let (from, to) = (self.vector(from)?, self.vector(to)?);
                let weights = weights.as_ref().map(|weights| self.vector(weights)).transpose()?;
                for vector in [Some(&from), Some(&to), weights.as_ref()].into_iter().flatten() {
                    self.will_read(vector)?;
                }
                let made = crate::made::graph_of(vertices, &from, &to, weights.as_ref())?;
                Value::Graph(fit_weights(&made, *weight, "the new graph")?)
            }
            Obj::Contract(args, weighed, wanted) => {
                let [graph, labels] = &**args;
                let (graph, labels) = (self.whole_graph(graph)?, self.vector(labels)?);
                let contracted = match self.machine.contract(&graph, &labels, *weighed) {
                    Some(contracted) => contracted?,
                    None => {
                        self.will_read(&labels)?;
                        intrinsics::contract(&graph, &labels, *weighed)?
                    }
                };
                // Sums may need wider weights than the graph had.
                Value::Graph(fit_weights(&contracted, *wanted, "the contracted graph")?)
            }
            Obj::ChangeEdges { graphs, inserts, weighed } => {
                let [graph, batch] = &**graphs;
                let (graph, batch) = (self.whole_graph(graph)?, self.whole_graph(batch)?);
                self.env.stop.check()?;
                let (changed, changes) = self.env.changing.change(&graph, &batch, *inserts, *weighed)?;
                self.machine.follow(graph.out().id(), &changed, &mut changes.into_iter())?;
                Value::Graph(changed)
            }
            Obj::Weighted(graph, weight) => {
                let graph = self.whole_graph(graph)?;
                Value::Graph(fit_weights(&graph, *weight, "the graph")?)
            }
            Obj::Ranks(vector) => {
                let vector = self.vector(vector)?;
                match self.machine.ranks(&vector) {
                    Some(ranks) => Value::Vector(ranks?),
                    None => {
                        self.will_read(&vector)?;
                        Value::Vector(crate::ranks::ranks(&vector))
                    }
                }
            }
            Obj::Weigh(graph, weight, scalar) => {
                let (graph, weight) = (self.whole_graph(graph)?, self.num(weight)?);
                Value::Graph(weigh(&graph, *scalar, weight)?)
            }
            Obj::SpanningTree(graph, start) => {
                let graph = self.whole_graph(graph)?;
                let start = checked_vertex(i32::of(self.num(start)?), graph.vertices())?;
                Value::Vector(Vector::from_slice(&intrinsics::minimum_spanning_tree(&graph, start)))
            }
            Obj::SweepCut(args) => {
                let [graph, set, vector] = &**args;
                let (graph, set, vector) = (self.whole_graph(graph)?, self.set(set)?, self.vector(vector)?);
                self.will_read(&vector)?;
                Value::Set(VertexSet::from_ids(intrinsics::sweep_cut(&graph, &set.ids()?, &vector.to_f64())?))
            }
            Obj::ListPop(list) => {
                let last = self.list(list)?.entries().pop();
                last.ok_or(ErrorKind::EmptyList)?
            }
            Obj::ListGet(list, at) => {
                let at = i32::of(self.num(at)?);
                self.list_entry(list, at)?
            }
            Obj::SetMembers(set) => {
                let mut ids = self.set(set)?.ids()?;
                ids.sort_unstable();
                Value::List(List::of(ids.into_iter().map(|id| Value::Int(id as i32)))?)
            }
            Obj::Printed(value) => {
                let value = self.arg(value)?;
                let cannot = || ErrorKind::Unsupported(format!("a {} cannot be printed", value.kind()));
                Value::from(&*value.printed().ok_or_else(cannot)?)
            }
            Obj::Join(texts) => {
                let [a, b] = &**texts;
                let joined = format!("{} {}", self.text(a)?, self.text(b)?);
                Value::from(joined.as_str())
            }
            Obj::Dequeue(queue) => Value::Set(self.dequeue(queue)?),
            Obj::SetAlloc(element, size) => {
                let size = i32::of(self.num(size)?);
                match size {
                    0 => Value::Set(VertexSet::empty()),
                    _ => {
                        let vertices = self.env.vertices_of(element)?;
                        if usize::try_from(size) != Ok(vertices) {
                            return Err(ErrorKind::SetSize { size: i64::from(size), vertices }.into());
                        }
                        Value::Set(VertexSet::all(vertices))
                    }
                }
            }
            Obj::Universe(element, count) => {
                let vertices = match count {
                    None => self.env.vertices_of(element)?,
                    Some(count) => {
                        let count = i32::of(self.num(count)?);
                        usize::try_from(count)
                            .map_err(|_| ErrorKind::SetSize { size: i64::from(count), vertices: 0 })?
                    }
                };
                Value::Set(VertexSet::all(vertices))
            }
            Obj::VectorAlloc(ty) => Value::Vector(self.env.vector(ty, 0)?),
            Obj::VectorFill(ty, value) => {
                let fill = self.num(value)?;
                Value::Vector(self.env.vector(ty, fill)?)
            }
            Obj::VectorLiteral(ty, entries) => self.literal(ty, entries)?,
            Obj::ListAlloc => Value::List(List::default()),
            Obj::QueueAlloc(alloc) => self.new_queue(alloc)?,
            Obj::Load(name, weight) => {
                let name = self.text(name)?;
                self.env.stop.check()?;
                self.env.load_graph(&name, *weight)?
            }
            Obj::LoadVector(text, ty) => {
                let text = self.text(text)?;
                self.env.stop.check()?;
                Value::Vector(self.env.load_vector(&text, ty)?)
            }
            Obj::Column(column) => {
                let graph = self.graph(&column.graph)?;
                if column.of_edges && column.searches {
                    crate::columns::are_told_apart(&graph)?;
                }
                let name = self.text(&column.name)?;
                let missing = column.missing.as_ref().map(|value| self.num(value)).transpose()?;
                Value::Vector(self.env.column(&graph, &name, column.of_edges, &column.ty, missing)?)
            }
            Obj::Operator(inputs) => self.operator(inputs)?,
        })
    }

    /// A graph of which lists of any vertices are looked at.
    pub(super) fn whole_graph(&mut self, e: &'a Obj) -> Result<Arc<Graph>> {
        let graph = self.graph(e)?;
        match graph.share() {
            None => {
                graph.out().load()?;
                Ok(graph)
            }
            Some(share) => Err(in_part(share.part).into()),
        }
    }

    fn literal(&mut self, ty: &Type, entries: &'a [Num]) -> Result<Value> {
        let vector = self.env.vector(ty, 0)?;
        if vector.cells() != entries.len() {
            let message = format!("{} entries for a vector of {}", entries.len(), vector.cells());
            return Err(ErrorKind::Malformed(message).into());
        }
        self.will_write(&vector)?;
        for (i, e) in entries.iter().enumerate() {
            let bits = self.num(e)?;
            vector.touched().store(i, bits);
        }
        Ok(Value::Vector(vector))
    }

    fn new_queue(&mut self, alloc: &'a QueueAlloc) -> Result<Value> {
        let priorities = self.vector_var(alloc.vector)?.clone();
        if !priorities.is_flat() || matches!(priorities.scalar(), Scalar::Bool | Scalar::String) {
            return Err(ErrorKind::Malformed("priorities must be numbers".into()).into());
        }
        let start = i32::of(self.num(&alloc.start)?);
        let start = match start {
            -1 => None,
            start => Some(checked_vertex(start, priorities.len())?),
        };
        let amount = alloc.meta.delta.or(self.code.delta).unwrap_or(Param::Value(1));
        let (delta, width) = match priorities.scalar().is_float() {
            true => (1, self.env.width(amount)?),
            false => (self.env.amount(amount)?, 1.0),
        };
        if delta == 0 {
            return Err(ErrorKind::Unsupported("the bucket width delta must be at least 1".into()).into());
        }
        let spec = QueueSpec {
            priorities,
            increasing: alloc.increasing,
            all_vertices: alloc.all_vertices,
            start,
            delta,
            width,
            meta: alloc.meta.clone(),
        };
        let state = self.machine.new_queue(&spec, self.env)?;
        Ok(Value::Queue(Queue::new(spec, state)))
    }

    fn dequeue(&mut self, queue: &'a Obj) -> Result<VertexSet> {
        let queue = self.queue(queue)?;
        self.env.stop.check()?;
        let start = Instant::now();
        let set = self.machine.dequeue(&queue, self.env)?;
        let size = set.len()? as u64;
        let (seconds, function, variant) = (start.elapsed().as_secs_f64(), &self.function.name, self.env.variant);
        self.env.report(|| StepRecord {
            step: 0,
            operator: "DequeueReadySet",
            path: String::new(),
            function: Some(function.to_string()),
            input: None,
            output: Some(size),
            edges: None,
            told: None,
            schedule: None,
            variant,
            seconds,
        });
        Ok(set)
    }
}

/// What is said where lists are needed that are elsewhere.
pub(super) fn in_part(part: usize) -> ErrorKind {
    ErrorKind::Unsupported(format!(
        "this looks at neighbours of any vertices, but the graph is there in parts and this process has part {part}; \
         give the graph as one file"
    ))
}

/// The out-degrees of a graph, counted on the host.
fn out_degrees(graph: &Graph, scalar: Scalar) -> Result<Vector> {
    let degrees = graph.out_degrees()?;
    let vector = Vector::zeros(scalar, &[degrees.len()])?;
    let cells = vector.touched();
    degrees.iter().enumerate().for_each(|(i, &degree)| cells.store(i, degree.bits()));
    Ok(vector)
}
