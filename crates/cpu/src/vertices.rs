//! Carrying out vertex operators, filters and the removal of repeats.

use std::sync::Arc;

use gw_exec::{Environment, OperatorOutcome, Result, SetForm, Value, VertexCall, VertexSet};
use gw_graph::Graph;
use gw_ir::expr::ExprKind;
use gw_ir::groups::NeighbourGroups;
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_schedule::{GroupTable, Parallelism, SimpleSchedule};

use crate::abi::slot;
use crate::codegen::{OutputForm, Range};
use crate::drive::{ByDegrees, ByEdges, Chunks, Even};
use crate::executable::{CpuExecutable, Key, plain_target};
use crate::loan::Loan;
use crate::set::blocks;
use crate::sharing::Hands;
use crate::tuning::CHUNKS_PER_MEMBER;

impl CpuExecutable {
    pub(crate) fn run_vertices(
        &mut self,
        id: usize,
        call: &VertexCall,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let set = &call.set;
        let prepared = &self.operators[id];
        let (is_parallel, filter) = match &prepared.operator {
            Operator::VertexSetIterator(op) => (op.meta.is_parallel, false),
            Operator::VertexSetFilter(op) => (op.meta.is_parallel, true),
            _ => return Ok(None),
        };
        if let Some(vector) = &prepared.zeroes
            && let Some(Value::Vector(vector)) = env.global(vector)
            && vector.untouched() == Some(0)
            && set.universe() == Some(vector.len())
        {
            // A new vector holds zeros. Its memory comes into being where it is first used, near who uses it.
            return Ok(Some(OperatorOutcome { input_size: Some(vector.len() as u64), ..OperatorOutcome::default() }));
        }
        let output = if filter { OutputForm::Queue { unique: false } } else { OutputForm::None };
        let members = set.len()?;
        // The vertices that a map speaks of are those of its blocks.
        let grouped = self.grouped(id, env);
        let (loan, range, length) = match (set.universe(), blocks(set)) {
            (Some(n), _) => (None, Range::Ids, n),
            (None, Some(vertices)) if members > vertices / 64 && grouped.is_none() => {
                (Some(Loan::map(&mut self.crew, set, vertices, true)?), Range::Map, vertices)
            }
            (None, _) => (Some(Loan::queue(set)?), Range::Queue, members),
        };
        let queue = loan.as_ref().map_or(&[][..], Loan::ids);
        let span = prepared.span;
        let parallel = self.crew.size() > 1 && is_parallel != Some(false);
        let hands = self.hands_for_vertices(grouped.as_deref(), range, queue, length).filter(|_| parallel);
        let target = plain_target(hands.is_some(), output);
        let key = Key { operator: id, shape: None, range, target, joined: None };
        // All members are below this number, with which the lengths of vectors are compared.
        let vertices = match (range, &loan) {
            (Range::Queue, _) => queue.iter().max().map_or(0, |&v| v as usize + 1),
            (_, Some(loan)) => loan.end(),
            _ => length,
        };
        // Neighbours are vertices of the operator, too.
        let vertices = grouped.as_ref().map_or(vertices, |graph| vertices.max(graph.vertices()));
        let Some((compiled, mut slots)) = self.bind(key, vertices, call.captures(), &[], env)? else { return Ok(None) };
        slots.words[slot::QUEUE] = queue.as_ptr() as u64;
        slots.words[slot::FROM_MAP] = loan.as_ref().map_or(0, Loan::map_address);
        let schedule = self.operators[id].schedule;
        if schedule.table == Some(GroupTable::Dense) {
            slots.words[slot::TABLE_BITS] = u64::from(vertices.next_power_of_two().trailing_zeros().max(2));
        }
        let crew = hands.map_or(1, |hands| hands.members);
        let grain = self.vertex_grain(&schedule, length, crew, env)?;
        let even = Even { length, grain };
        let by_edges = match &grouped {
            Some(graph) if schedule.grain.is_none() && hands.is_some() => {
                chunks_by_edges(graph, range, queue, length, CHUNKS_PER_MEMBER * crew)
            }
            _ => None,
        };
        let chunks = by_edges.as_deref().unwrap_or(&even);
        // SAFETY: as in `run_edges`.
        let driven = unsafe { self.crew.drive(compiled.kernel, &slots.words, chunks, hands, &env.stop) };
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        let found = self.crew.collect_queues();
        self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;
        Ok(Some(OperatorOutcome {
            output_size: filter.then_some(found.len() as u64),
            output: filter.then(|| VertexSet::from_ids(found)),
            input_size: Some(members as u64),
            edges: None,
            seconds: None,
            told: None,
        }))
    }

    /// How many threads a call over `length` vertices is worth: by its edges, where neighbours of a graph are grouped.
    fn hands_for_vertices(&self, grouped: Option<&Graph>, range: Range, queue: &[u32], length: usize) -> Option<Hands> {
        let crew = self.crew.size();
        let Some(graph) = grouped else {
            return self.sharing.hands(length, self.sharing.member_vertices, crew);
        };
        let edges = match range {
            Range::Ids => graph.edges(),
            _ => queue.iter().map(|&v| degree_in(graph, v)).sum(),
        };
        self.sharing.hands(edges, self.sharing.member_edges, crew)
    }

    /// Vertices of a chunk, of a call over `length` vertices that `crew` threads share.
    fn vertex_grain(&self, schedule: &SimpleSchedule, length: usize, crew: usize, env: &Environment) -> Result<usize> {
        Ok(match (schedule.parallelism, schedule.grain) {
            (Some(Parallelism::Static), _) => length.div_ceil(crew).max(1),
            (_, Some(grain)) => (env.amount(grain)? as usize).max(1),
            _ => (length / (CHUNKS_PER_MEMBER * crew)).clamp(4 * self.sharing.least_chunk, 1 << 14),
        })
    }

    /// The graph whose neighbours the function of an operator groups.
    fn grouped(&self, id: usize, env: &Environment) -> Option<Arc<Graph>> {
        let function = match &self.operators[id].operator {
            Operator::VertexSetIterator(op) => &op.apply,
            Operator::VertexSetFilter(op) => &op.filter,
            _ => return None,
        };
        let groups = NeighbourGroups::of(self.module.function(&function.name)?)?;
        match env.global(groups.graph.as_var()?)? {
            Value::Graph(graph) => Some(graph),
            _ => None,
        }
    }

    /// Removes repeats from a set in place, keeping first entries. Maps have none.
    pub(crate) fn run_dedup(&mut self, set: &VertexSet) -> Result<OperatorOutcome> {
        let seen = &mut self.seen;
        let input = set.len()?;
        set.with(|form| {
            let SetForm::Ids(ids) = form else { return };
            let needed = ids.iter().max().map_or(0, |&v| v as usize + 1);
            if seen.len() < needed {
                seen.resize(needed, 0);
            }
            ids.retain(|&v| std::mem::replace(&mut seen[v as usize], 1) == 0);
            for &v in ids.iter() {
                seen[v as usize] = 0;
            }
        });
        Ok(OperatorOutcome {
            input_size: Some(input as u64),
            output_size: Some(set.len()? as u64),
            ..OperatorOutcome::default()
        })
    }
}

/// Chunks with about equally many edges, for the vertices of a call over the lists of a graph; `None` where some of the
/// vertices may have no list.
fn chunks_by_edges<'c>(
    graph: &'c Graph,
    range: Range,
    queue: &'c [u32],
    length: usize,
    chunks: usize,
) -> Option<Box<dyn Chunks + 'c>> {
    match range {
        Range::Queue if queue.iter().all(|&v| (v as usize) < graph.vertices()) => {
            Some(Box::new(ByDegrees::new(queue, graph.out(), chunks)))
        }
        Range::Ids if length == graph.vertices() => Some(Box::new(all_by_edges(graph, chunks))),
        _ => None,
    }
}

/// Chunks of all vertices with about equally many edges; vertices without edges count as well.
fn all_by_edges(graph: &Graph, chunks: usize) -> ByEdges<'_> {
    ByEdges { offsets: graph.out().offsets(), chunks, align: 1, within: 0..graph.vertices() }
}

fn degree_in(graph: &Graph, vertex: u32) -> usize {
    if (vertex as usize) < graph.vertices() { graph.out().degree(vertex) } else { 0 }
}

/// The global vector whose entry of the vertex an operator sets to zero, if it does nothing else.
pub(crate) fn zeroed_vector(module: &Module, operator: &Operator) -> Option<Name> {
    let Operator::VertexSetIterator(op) = operator else { return None };
    let function = module.function(&op.apply.name)?;
    let ([stmt], [vertex]) = (function.body.as_deref()?, &function.params[..]) else { return None };
    let StmtKind::Assign { target, value } = &stmt.kind else { return None };
    let ExprKind::Element { vector, index, .. } = &target.kind else { return None };
    let zero = match value.kind {
        ExprKind::Int(x) => x == 0,
        // Negative zero has other bits.
        ExprKind::Float(x) => x.to_bits() == 0,
        ExprKind::Bool(x) => !x,
        _ => false,
    };
    let name = vector.as_var().filter(|name| module.global(name).is_some())?;
    (zero && index.as_var() == Some(&vertex.name)).then(|| name.clone())
}
