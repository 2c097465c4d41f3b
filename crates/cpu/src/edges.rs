//! Carrying out an edge operator: its input in the form that the kernel wants, the cut into chunks, its output.

use std::sync::Arc;

use gw_exec::{EdgeCall, Environment, ErrorKind, OperatorOutcome, Result, SetForm, VertexSet};
use gw_graph::derived::{Marked, Segment};
use gw_graph::{Adjacency, WeightKind};
use gw_ir::meta::Direction;
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::types::Scalar;
use gw_schedule::{Classes, FrontierForm, Leaves, Parallelism, PriorityUpdate, SimpleSchedule};

use crate::abi::slot;
use crate::codegen::{EdgeShape, OutputForm, Range};
use crate::constant_sum::ConstantSum;
use crate::drive::{ByDegrees, ByEdges, Chunks, Clipped, Even};
use crate::executable::{CpuExecutable, Key};
use crate::list_form::ListForm;
use crate::set::{Loan, Map, MapSet, all_below, is_map, members};
use crate::tuning::{ALONE_EDGES, ALONE_GRAIN, CHUNKS_PER_MEMBER, DYNAMIC_GRAIN, QUEUE_CHUNKS};

impl CpuExecutable {
    pub(crate) fn run_edges(
        &mut self,
        id: usize,
        call: &EdgeCall,
        env: &mut Environment,
    ) -> Result<Option<OperatorOutcome>> {
        let graph = Arc::clone(&call.graph);
        let vertices = graph.vertices();
        let prepared = &self.operators[id];
        let Some(op) = prepared.edges() else { return Ok(None) };
        let schedule = prepared.schedule;
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let adjacency = if direction == Direction::Pull { graph.incoming() } else { graph.out() };
        let segments = match schedule.segments {
            Some(count) if direction == Direction::Pull => {
                Some(graph.segments(env.amount(count)?.clamp(1, u64::from(u16::MAX)) as usize))
            }
            _ => None,
        };
        let by_class = schedule.classes == Some(Classes::Marked) && direction != Direction::Pull;
        // Segments are compressed rows of their own, whatever the adjacency is, and marks belong to such rows.
        let lists = match segments.is_some() || by_class {
            true => ListForm::of_offsets(adjacency.offsets()),
            false => ListForm::of(adjacency),
        };
        if segments.as_ref().is_some_and(|all| all.iter().any(|s| ListForm::of_offsets(s.offsets()) != lists)) {
            return Ok(None);
        }
        let mut target = self.edge_target(prepared, &op, direction, self.crew.size() > 1, lists);
        let sums = match schedule.update {
            Some(PriorityUpdate::ConstantSum) => ConstantSum::of(&self.module, &op, &call.captures, env)?,
            _ => None,
        };
        if sums.is_some() {
            target.output = OutputForm::Counts;
        }
        let weights = match (op.facts.weight, graph.weight_kind()) {
            (None, _) => None,
            (Some(_), WeightKind::Float) => Some(Scalar::Float),
            (Some(_), WeightKind::Int) => Some(Scalar::Int),
            (Some(_), WeightKind::None) => return Ok(None),
        };

        // The `to` map comes first: it may be of the same set that is lent to the kernel below.
        let to_map = call.to.set().map(|set| members(&mut self.crew, set, vertices)).transpose()?;
        let from = call.from.set().filter(|set| set.universe() != Some(vertices));
        from.map_or(Ok(()), |set| all_below(set, vertices))?;
        let input_size = from.map_or(Ok(vertices), VertexSet::len)?;
        target.from_bitmap = direction == Direction::Push || schedule.pull_frontier() != FrontierForm::Boolmap;
        let (mut range, input) = match (direction, from) {
            (_, None) => (Range::Ids, None),
            (Direction::Pull, Some(set)) => {
                (Range::Ids, Some(Loan::map(&mut self.crew, set, vertices, target.from_bitmap)?))
            }
            (Direction::DensePush, Some(set)) => {
                (Range::Map, Some(Loan::map(&mut self.crew, set, vertices, target.from_bitmap)?))
            }
            // Walking a well-filled map costs less than making a queue of it. In others too few lists would be
            // fetched ahead.
            (Direction::Push, Some(set)) if is_map(set) && input_size > vertices / 4 => {
                (Range::Map, Some(Loan::map(&mut self.crew, set, vertices, true)?))
            }
            (Direction::Push, Some(set)) => (Range::Queue, Some(Loan::queue(set)?)),
        };
        if segments.is_some() {
            range = Range::Listed;
            // Chunks of lists need not end at words of the output map.
            target.owns_output = false;
        }
        let queue = input.as_ref().map_or(&[][..], Loan::ids);
        let map = input.as_ref().map_or(0, Loan::map_address);

        // Work that nobody shares needs no atomics.
        let work = shared_work(queue, range, adjacency, op.meta.is_edge_parallel == Some(true));
        let atomics = direction != Direction::Pull;
        let hands = self.sharing.hands_for_edges(work, self.crew.size(), atomics).filter(|_| target.parallel);
        target.parallel = hands.is_some();
        let span = prepared.span;
        let drops_leaves = schedule.leaves == Some(Leaves::Drop);
        // Marks spare atomics and degrees; alone and with leaves in the output there is nothing to spare.
        let marked = match by_class && (target.parallel || drops_leaves) {
            true => Some(graph.marked().ok_or_else(too_many_for_marks)?),
            false => None,
        };
        // Shares end within lists where these are read; marks are read from rows, wherever the lists stand.
        let elsewhere = by_class && adjacency.spans().is_some();
        let clipped = target.parallel && op.meta.is_edge_parallel == Some(true) && !elsewhere;
        let shape = EdgeShape {
            direction,
            range,
            weights,
            ordered: false,
            from_all: from.is_none(),
            clipped,
            // Of a set that holds most vertices, the test goes the same way most of the time and is predicted.
            batched: direction == Direction::Pull && input_size <= vertices / 2,
            fetch_ahead: adjacency.edges() > 0 && is_selective(&op, direction),
            marked: marked.is_some(),
            skips_loops: by_class,
            drops_leaves,
        };
        // The kernel and its environment.
        let key = Key { operator: id, shape: Some(shape), range, target, joined: None };
        let Some((compiled, mut slots)) = self.bind(key, vertices, call.captures(), &[], env)? else { return Ok(None) };
        slots.set_adjacency(adjacency, lists);
        if let Some(marked) = &marked {
            slots.words[slot::TARGETS] = marked.targets().as_ptr() as u64;
        }
        slots.words[slot::QUEUE] = queue.as_ptr() as u64;
        slots.words[slot::FROM_MAP] = map;
        slots.words[slot::TO_MAP] = to_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        let mut out_map = match target.output {
            OutputForm::Bitmap => Some(Map::empty(vertices, true)),
            OutputForm::Bytemap => Some(Map::empty(vertices, false)),
            _ => None,
        };
        slots.words[slot::OUT_MAP] = out_map.as_mut().map_or(0, |m| m.as_mut_ptr() as u64);
        let unique = target.output == OutputForm::Queue { unique: true };
        if unique && self.seen.len() < vertices {
            self.seen = vec![0; vertices];
        }
        slots.words[slot::SEEN] = self.seen.as_mut_ptr() as u64;
        if sums.is_some() && self.counts.len() < vertices {
            self.counts = vec![0; vertices];
        }
        slots.words[slot::COUNTS] = self.counts.as_mut_ptr() as u64;

        let grain = schedule.grain.map(|grain| env.amount(grain)).transpose()?.filter(|&g| g > 0).map(|g| g as usize);
        let driven = match segments {
            None => {
                let chunks = match hands {
                    None => self.chunks_alone(shape, queue, adjacency),
                    Some(hands) => self.chunks(&schedule, grain, shape, queue, adjacency, hands.members),
                };
                // SAFETY: the slots were filled from the inputs that this kernel was compiled with, for this graph; the
                // range is that of its vertices or of the queue, whose ids are vertices of the graph.
                unsafe { self.crew.drive(compiled.kernel, &slots.words, &*chunks, hands, &env.stop) }
            }
            Some(segments) => segments.iter().try_for_each(|segment| {
                slots.set_segment(segment);
                let chunks = self.segment_chunks(grain, segment);
                // SAFETY: as above; the range is that of the lists of the segment.
                unsafe { self.crew.drive(compiled.kernel, &slots.words, &chunks, hands, &env.stop) }
            }),
        };
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        let mut found = self.crew.collect_queues();
        if let Some(sums) = sums {
            found = sums.add(found, &mut self.counts, self.crew.pool());
            if fault.is_err() || driven.is_err() {
                // What was counted but not met again.
                self.counts.fill(0);
            }
        }
        if unique {
            for &v in &found {
                self.seen[v as usize] = 0;
            }
        }
        let (edges, marked) = self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;

        let output = match target.output {
            OutputForm::None | OutputForm::Buckets => None,
            OutputForm::Queue { .. } | OutputForm::Counts => Some(VertexSet::from_ids(found)),
            OutputForm::Bitmap | OutputForm::Bytemap => out_map.map(|map| {
                let set = MapSet::new(map, marked as usize);
                VertexSet::new(SetForm::Machine(Box::new(set)))
            }),
        };
        Ok(Some(OperatorOutcome {
            output_size: output.as_ref().map(VertexSet::len).transpose()?.map(|len| len as u64),
            output,
            input_size: Some(input_size as u64),
            edges: Some(edges),
            seconds: None,
            told: None,
        }))
    }

    /// The cut of an edge operator's range that nobody shares: only to look now and then whether the run is to stop.
    pub(crate) fn chunks_alone<'g>(
        &self,
        shape: EdgeShape,
        queue: &[u32],
        adjacency: &'g Adjacency,
    ) -> Box<dyn Chunks + 'g> {
        // A kernel over a queue looks itself.
        if shape.range == Range::Queue {
            return Box::new(Even { length: queue.len(), grain: ALONE_GRAIN });
        }
        let chunks = (adjacency.edges() + adjacency.walked().len()).div_ceil(ALONE_EDGES).max(1);
        Box::new(ByEdges::of(adjacency, chunks))
    }

    /// The cut of an edge operator's range that its schedule asks for, among so many members; without a word in the
    /// schedule, vertices are shared by their edges.
    pub(crate) fn chunks<'g>(
        &self,
        schedule: &SimpleSchedule,
        grain: Option<usize>,
        shape: EdgeShape,
        queue: &'g [u32],
        adjacency: &'g Adjacency,
        members: usize,
    ) -> Box<dyn Chunks + 'g> {
        let range = shape.range;
        let length = if range == Range::Queue { queue.len() } else { adjacency.vertices() };
        if shape.clipped {
            let least = self.sharing.least_chunk;
            return Box::new(match range {
                Range::Queue => Clipped::queue(queue, adjacency, grain, members * CHUNKS_PER_MEMBER, least),
                _ => Clipped::vertices(adjacency, grain, members * CHUNKS_PER_MEMBER, least),
            });
        }
        let even = |grain: usize| Even {
            length,
            // Words of a bitmap must not be shared by two chunks.
            grain: if range == Range::Queue { grain } else { grain.next_multiple_of(64) },
        };
        match (schedule.parallelism, grain) {
            (Some(Parallelism::Static), _) => Box::new(even(length.div_ceil(members).max(1))),
            (Some(Parallelism::Dynamic), Some(grain)) => Box::new(even(grain)),
            (Some(Parallelism::Dynamic), None) if range != Range::Queue => {
                Box::new(even((length / (CHUNKS_PER_MEMBER * members)).clamp(64, DYNAMIC_GRAIN)))
            }
            (Some(Parallelism::EdgeAware), Some(grain)) if range != Range::Queue => {
                let chunks = (adjacency.edges() + adjacency.vertices()).div_ceil(grain).max(1);
                Box::new(ByEdges::of(adjacency, chunks))
            }
            // So few vertices that chunks of them would not go round are cut by their edges.
            _ if range == Range::Queue && length < self.sharing.least_chunk * members * 2 => {
                Box::new(ByDegrees::new(queue, adjacency, QUEUE_CHUNKS * members))
            }
            _ if range == Range::Queue => {
                Box::new(even((length / (QUEUE_CHUNKS * members)).clamp(self.sharing.least_chunk, DYNAMIC_GRAIN)))
            }
            _ => Box::new(ByEdges::of(adjacency, CHUNKS_PER_MEMBER * members)),
        }
    }

    /// The lists of a segment, shared by their edges.
    fn segment_chunks<'g>(&self, grain: Option<usize>, segment: &'g Segment) -> ByEdges<'g> {
        let work = segment.targets().len() + segment.owners().len();
        let chunks = grain.map_or(CHUNKS_PER_MEMBER * self.crew.size(), |grain| work.div_ceil(grain).max(1));
        ByEdges { offsets: segment.offsets(), chunks, align: 1, within: 0..segment.offsets().lists() }
    }
}

fn too_many_for_marks() -> ErrorKind {
    let most = Marked::MOST_VERTICES;
    let reason = format!("`classes=marked` needs two bits of every number: {most} vertices at most; use `classes=off`");
    ErrorKind::Unsupported(reason)
}

/// Whether an operator leaves lists before their end or leaves lists out, so that the processor does not find the next
/// one by itself.
pub(crate) fn is_selective(op: &EdgeSetIterator, direction: Direction) -> bool {
    match direction {
        Direction::Pull => !matches!(op.to, VertexFilter::All) || matches!(op.from, VertexFilter::Set(_)),
        Direction::Push | Direction::DensePush => !matches!(op.from, VertexFilter::All),
    }
}

/// About how many edges and vertices of an operator call several members could share. Of a few vertices the longest
/// list is one member's unless lists are cut: a hub in a queue of its own is nothing to share. Long queues are judged
/// by the mean degree: to add up their degrees would cost a good part of the step.
fn shared_work(queue: &[u32], range: Range, adjacency: &Adjacency, cuts_lists: bool) -> usize {
    match range {
        Range::Queue if queue.len() <= 64 => {
            let (mut work, mut longest) = (0, 0);
            for &v in queue {
                let list = adjacency.degree(v) + 1;
                (work, longest) = (work + list, list.max(longest));
            }
            if cuts_lists { work } else { work - longest }
        }
        Range::Queue => queue.len() * (adjacency.edges() / adjacency.vertices().max(1) + 1),
        _ => adjacency.edges() + adjacency.walked().len(),
    }
}
