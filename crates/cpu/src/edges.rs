//! Carrying out an edge operator: its input in the form that the kernel wants, the cut into chunks, its output.

use std::sync::Arc;

use gw_exec::{EdgeCall, Environment, ErrorKind, OperatorOutcome, Result, SetForm, Stop, VertexSet};
use gw_graph::derived::{Marked, Segment};
use gw_graph::{Adjacency, Graph};
use gw_ir::meta::Direction;
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::types::Scalar;
use gw_schedule::{Classes, FrontierForm, Leaves, PriorityUpdate, SimpleSchedule};

use crate::abi::slot;
use crate::chunks::shared_work;
use crate::codegen::{Compiled, EdgeShape, OutputForm, Range};
use crate::constant_sum::ConstantSum;
use crate::drive::Crew;
use crate::executable::{CpuExecutable, Key};
use crate::list_form::ListForm;
use crate::loan::Loan;
use crate::set::{Map, MapSet, all_below, is_map, members};
use crate::sharing::Hands;
use crate::slots::Slots;

/// The lists that a call walks.
struct Rows<'g> {
    adjacency: &'g Adjacency,
    /// The lists in pieces whose sources fit a cache.
    segments: Option<Arc<Vec<Segment>>>,
    /// Edges are treated by their classes.
    by_class: bool,
    lists: ListForm,
}

impl<'g> Rows<'g> {
    /// The lists for a direction; `None` where kernels cannot walk them.
    fn of(
        graph: &'g Graph,
        direction: Direction,
        schedule: &SimpleSchedule,
        env: &Environment,
    ) -> Result<Option<Rows<'g>>> {
        let adjacency = if direction == Direction::Pull { graph.load_incoming()? } else { graph.out() };
        adjacency.load()?;
        let segments = match schedule.segments {
            Some(count) if direction == Direction::Pull => {
                Some(graph.segments(env.amount(count)?.clamp(1, u64::from(u16::MAX)) as usize)?)
            }
            _ => None,
        };
        let by_class = schedule.classes == Some(Classes::Marked) && direction != Direction::Pull;
        // Segments are compressed rows of their own, whatever the adjacency is, and marks belong to such rows.
        let lists = match segments.is_some() || by_class {
            true => ListForm::of_offsets(adjacency.offsets()),
            false => ListForm::of(adjacency),
        };
        let differs = |segment: &Segment| ListForm::of_offsets(segment.offsets()) != lists;
        if segments.as_ref().is_some_and(|all| all.iter().any(differs)) {
            return Ok(None);
        }
        Ok(Some(Rows { adjacency, segments, by_class, lists }))
    }
}

/// What is shared out when a kernel runs.
struct Work<'g> {
    schedule: SimpleSchedule,
    grain: Option<usize>,
    shape: EdgeShape,
    /// The vertices, where they are in a queue.
    queue: &'g [u32],
    adjacency: &'g Adjacency,
    hands: Option<Hands>,
}

impl CpuExecutable {
    /// Carries out an edge operator; `None` leaves it to the reference machine.
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
        let (schedule, span) = (prepared.schedule, prepared.span);
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let Some(Rows { adjacency, segments, by_class, lists }) = Rows::of(&graph, direction, &schedule, env)? else {
            return Ok(None);
        };
        let mut target = self.edge_target(prepared, &op, direction, self.crew.size() > 1, lists);
        let sums = match schedule.update {
            Some(PriorityUpdate::ConstantSum) => ConstantSum::of(&self.module, &op, &call.captures, env)?,
            _ => None,
        };
        if sums.is_some() {
            target.output = OutputForm::Counts;
        }
        let Some(weights) = weights(op.facts.weight, &graph) else { return Ok(None) };

        // The `to` map comes first: it may be of the same set that is lent to the kernel below.
        let to_map = call.to.set().map(|set| members(&mut self.crew, set, vertices)).transpose()?;
        let from = call.from.set().filter(|set| set.universe() != Some(vertices));
        from.map_or(Ok(()), |set| all_below(set, vertices))?;
        let input_size = from.map_or(Ok(vertices), VertexSet::len)?;
        target.from_bitmap = direction == Direction::Push || schedule.pull_frontier() != FrontierForm::Boolmap;
        let (mut range, input) = match from {
            None => (Range::Ids, None),
            Some(set) => {
                let (range, loan) =
                    lend_input(&mut self.crew, direction, set, input_size, vertices, target.from_bitmap)?;
                (range, Some(loan))
            }
        };
        if segments.is_some() {
            range = Range::Listed;
            // Chunks of lists need not end at words of the output map.
            target.owns_output = false;
        }
        let queue = input.as_ref().map_or(&[][..], Loan::ids);

        // Work that nobody shares needs no atomics.
        let shared = shared_work(queue, range, adjacency, op.meta.is_edge_parallel == Some(true));
        let atomics = direction != Direction::Pull && !op.claims_by_store();
        let hands = self.sharing.hands_for_edges(shared, self.crew.size(), atomics).filter(|_| target.parallel);
        target.parallel = hands.is_some();
        let drops_leaves = schedule.leaves == Some(Leaves::Drop);
        // Marks spare atomics and degrees; alone and with leaves in the output there is nothing to spare.
        let marked = match by_class && (target.parallel || drops_leaves) {
            true => Some(graph.marked()?.ok_or_else(too_many_for_marks)?),
            false => None,
        };
        // Shares end within lists where these are read; marks are read from rows, wherever the lists stand.
        let elsewhere = by_class && adjacency.spans().is_some();
        let shape = EdgeShape {
            direction,
            range,
            weights,
            ordered: false,
            from_all: from.is_none(),
            clipped: target.parallel && op.meta.is_edge_parallel == Some(true) && !elsewhere,
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
        slots.words[slot::FROM_MAP] = input.as_ref().map_or(0, Loan::map_address);
        slots.words[slot::TO_MAP] = to_map.as_ref().map_or(0, |m| m.as_ptr() as u64);
        let out_map = self.lend_output(&mut slots, target.output, vertices);

        let grain = schedule.grain.map(|grain| env.amount(grain)).transpose()?.filter(|&g| g > 0).map(|g| g as usize);
        let work = Work { schedule, grain, shape, queue, adjacency, hands };
        let driven = self.drive_edges(&compiled, &mut slots, &work, segments.as_deref().map(Vec::as_slice), &env.stop);
        let fault = self.crew.fault(&compiled.sites);
        slots.write_back(env);
        let found = self.found(sums, target.output, fault.is_ok() && driven.is_ok());
        let (edges, marked) = self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;

        let output = made_set(target.output, found, out_map, marked as usize);
        Ok(Some(OperatorOutcome {
            output_size: output.as_ref().map(VertexSet::len).transpose()?.map(|len| len as u64),
            output,
            input_size: Some(input_size as u64),
            edges: Some(edges),
            seconds: None,
            told: None,
        }))
    }

    /// Runs a kernel over the vertices of a call, or over the lists of each segment in turn.
    fn drive_edges(
        &mut self,
        compiled: &Compiled,
        slots: &mut Slots,
        work: &Work<'_>,
        segments: Option<&[Segment]>,
        stop: &Stop,
    ) -> Result<()> {
        let Work { schedule, grain, shape, queue, adjacency, hands } = *work;
        let Some(segments) = segments else {
            let chunks = match hands {
                None => self.chunks_alone(shape, queue, adjacency),
                Some(hands) => self.chunks(&schedule, grain, shape, queue, adjacency, hands.members),
            };
            // SAFETY: the slots were filled from the inputs that this kernel was compiled with, for this graph; the
            // range is that of its vertices or of the queue, whose ids are vertices of the graph.
            return unsafe { self.crew.drive(compiled.kernel, &slots.words, &*chunks, hands, stop) };
        };
        segments.iter().try_for_each(|segment| {
            slots.set_segment(segment);
            let chunks = self.segment_chunks(grain, segment);
            // SAFETY: as above; the range is that of the lists of the segment.
            unsafe { self.crew.drive(compiled.kernel, &slots.words, &chunks, hands, stop) }
        })
    }

    /// Lends memory for the output to a kernel. Returns the map, where the output is one.
    fn lend_output(&mut self, slots: &mut Slots, output: OutputForm, vertices: usize) -> Option<Map> {
        let mut map = match output {
            OutputForm::Bitmap => Some(Map::empty(vertices, true)),
            OutputForm::Bytemap => Some(Map::empty(vertices, false)),
            _ => None,
        };
        slots.words[slot::OUT_MAP] = map.as_mut().map_or(0, |m| m.as_mut_ptr() as u64);
        if output == (OutputForm::Queue { unique: true }) && self.seen.len() < vertices {
            self.seen = vec![0; vertices];
        }
        slots.words[slot::SEEN] = self.seen.as_mut_ptr() as u64;
        if output == OutputForm::Counts && self.counts.len() < vertices {
            self.counts = vec![0; vertices];
        }
        slots.words[slot::COUNTS] = self.counts.as_mut_ptr() as u64;
        map
    }

    /// The vertices in the queues of all members, with their counts added up where they were counted. Marks and counts
    /// are 0 again; of a step that did not go `well` there may be counts of vertices that are in no queue.
    fn found(&mut self, sums: Option<ConstantSum>, output: OutputForm, well: bool) -> Vec<u32> {
        let mut found = self.crew.collect_queues();
        if let Some(sums) = sums {
            found = sums.add(found, &mut self.counts, self.crew.pool());
            if !well {
                self.counts.fill(0);
            }
        }
        if output == (OutputForm::Queue { unique: true }) {
            for &v in &found {
                self.seen[v as usize] = 0;
            }
        }
        found
    }
}

/// The type of the weights that a kernel reads; `None` where the graph lacks weights that the function takes.
pub(crate) fn weights(taken: Option<Scalar>, graph: &Graph) -> Option<Option<Scalar>> {
    match taken {
        None => Some(None),
        Some(_) => gw_exec::stored_weights(graph).map(Some),
    }
}

/// Lends the members of a set to a kernel, in the form that suits the direction.
fn lend_input<'s>(
    crew: &mut Crew,
    direction: Direction,
    set: &'s VertexSet,
    size: usize,
    vertices: usize,
    bits: bool,
) -> Result<(Range, Loan<'s>)> {
    Ok(match direction {
        Direction::Pull => (Range::Ids, Loan::map(crew, set, vertices, bits)?),
        Direction::DensePush => (Range::Map, Loan::map(crew, set, vertices, bits)?),
        // Walking a well-filled map costs less than making a queue of it. In others too few lists would be fetched
        // ahead.
        Direction::Push if is_map(set) && size > vertices / 4 => (Range::Map, Loan::map(crew, set, vertices, true)?),
        Direction::Push => (Range::Queue, Loan::queue(set)?),
    })
}

/// The output of an operator: the vertices that were `found`, or those that are `marked` in a map.
fn made_set(output: OutputForm, found: Vec<u32>, map: Option<Map>, marked: usize) -> Option<VertexSet> {
    match output {
        OutputForm::None | OutputForm::Buckets => None,
        OutputForm::Queue { .. } | OutputForm::Counts => Some(VertexSet::from_ids(found)),
        OutputForm::Bitmap | OutputForm::Bytemap => {
            map.map(|map| VertexSet::new(SetForm::Machine(Box::new(MapSet::new(map, marked)))))
        }
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
