//! Everything that is decided about an edge operator before its code is written.

use gw_ir::analysis::classes::{idle_loops, tracked_extreme};
use gw_ir::analysis::operator::EdgeFacts;
use gw_ir::meta::Direction;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::types::Scalar;
use gw_schedule::{Append, Claim, Classes, EdgeForm, Leaves, LoadBalance, SimpleSchedule};

use super::inputs::{EdgeList, GraphParts};
use super::refusal::Refusal;
use super::region::{GraphShape, Region};
use super::sets::{InputMap, Insert, input_repeat, insert_of};

/// The schedule of an edge operator as it was given; unset axes are the machine's defaults.
pub(crate) fn schedule_of(op: &EdgeSetIterator) -> SimpleSchedule {
    op.meta.schedule.as_ref().and_then(|s| s.as_simple().copied()).unwrap_or_default()
}

/// Everything that is decided about an edge operator before its code is written.
pub(super) struct Plan {
    /// Where the operator stands in the program.
    pub(super) span: Span,
    pub(super) schedule: SimpleSchedule,
    pub(super) load_balance: LoadBalance,
    /// The graph that is walked.
    pub(super) graph: Name,
    pub(super) shape: GraphShape,
    pub(super) facts: EdgeFacts,
    pub(super) direction: Direction,
    pub(super) edge_only: bool,
    /// The adjacency that is walked is that of in-edges.
    pub(super) incoming: bool,
    /// Its offsets are read as pairs.
    pub(super) pairs: bool,
    /// Neighbours are read with the classes of their edges.
    pub(super) marked: bool,
    /// Self-loops are passed over.
    pub(super) skips_loops: bool,
    pub(super) insert: Option<Insert>,
    /// How threads get room in an output queue.
    pub(super) room: Append,
    /// Destinations are got by a test and a plain store.
    pub(super) claims_by_store: bool,
    /// Vertices without out-edges stay out of the output.
    pub(super) drops_leaves: bool,
    /// The test by which a repeat in the input queue is passed over.
    pub(super) input_repeat: Option<&'static str>,
    pub(super) early_exit: bool,
    pub(super) weight: Option<Scalar>,
    /// The map in which the input is tested, where it is.
    pub(super) input: InputMap,
    /// Ask for the lists of destinations ahead of time.
    pub(super) fetch_ahead: bool,
    /// Every vertex is looked at, and not the members of a set alone.
    pub(super) walks_all: bool,
    /// A vertex may be met twice as the owner: its entries need atomics even when a group sees all its edges.
    pub(super) repeats: bool,
    /// Filters may fault: they are called for the ends of edges that sets select, the `from` filter first, and not
    /// for other vertices.
    pub(super) late: bool,
    /// The one filter may fault and is of the owner: it is called once per vertex that has edges.
    pub(super) guarded: bool,
}

impl Plan {
    /// The plan of an operator, or why this machine has no code for it.
    pub(super) fn of(region: &Region<'_>, op: &EdgeSetIterator, span: Span) -> Result<Plan, Refusal> {
        let module = region.module;
        let fail = |reason: String| Refusal { span, reason };
        let schedule = schedule_of(op);
        let graph = op.graph.as_var().cloned().ok_or_else(|| fail("a graph variable is expected".into()))?;
        let shape = region.shape(&graph).map_err(fail)?;
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let load_balance = schedule.load_balance.unwrap_or(LoadBalance::VertexBased);
        let edge_only = load_balance == LoadBalance::EdgeOnly;
        let facts = EdgeFacts::of(module, op);
        let weight = facts.weight;
        if weight.is_some() && shape.weight.is_none() {
            return Err(fail("the graph has no weights".into()));
        }
        let has_output = op.output != EdgeOutput::None;
        let insert = has_output.then(|| match insert_of(op, &schedule, facts.enqueues.several) {
            Insert::Words if tracked_extreme(module, op).is_none() => Insert::Counters,
            insert => insert,
        });
        let incoming = direction == Direction::Pull;
        // To ask once more whether a destination wants more edges may be a fault that no edge is to blame for.
        let faulty = facts.filters_may_fault.in_code(region.careful);
        let of_owner = match (&op.from, &op.to) {
            (VertexFilter::Function(_), VertexFilter::All) => !incoming && !edge_only,
            (VertexFilter::All, VertexFilter::Function(_)) => incoming && !edge_only,
            _ => false,
        };
        let repeats = direction == Direction::Push && matches!(op.from, VertexFilter::Set(_));
        let apart = if incoming { shape.apart.incoming } else { shape.apart.out };
        let marked = schedule.classes == Some(Classes::Marked) && !incoming && !edge_only;
        Ok(Plan {
            span,
            direction,
            edge_only,
            incoming,
            pairs: schedule.edges == Some(EdgeForm::CsrM) || (apart && !edge_only),
            marked,
            skips_loops: marked && idle_loops(module, op),
            insert,
            room: schedule.append.unwrap_or(Append::Staged),
            claims_by_store: op.meta.to_folded && schedule.claim == Some(Claim::Store),
            drops_leaves: has_output && schedule.leaves == Some(Leaves::Drop),
            input_repeat: input_repeat(&schedule),
            early_exit: incoming && !edge_only && !faulty && facts.early_exit,
            weight,
            input: InputMap::of(op, &schedule),
            fetch_ahead: shape.flat && has_output && direction == Direction::Push,
            walks_all: !repeats,
            repeats,
            late: faulty && !of_owner,
            guarded: faulty && of_owner,
            schedule,
            load_balance,
            graph,
            shape,
            facts,
        })
    }

    /// Whether each vertex is appended at most once, so that a queue of |V| entries is enough.
    pub(super) fn appends_once(&self, op: &EdgeSetIterator) -> bool {
        // A compare-and-swap that the `to` test was folded into succeeds once per vertex.
        op.meta.to_folded && self.direction != Direction::Pull && !self.claims_by_store
    }

    /// Notes what of the graph the code reads.
    pub(super) fn note_parts(&self, parts: &mut GraphParts) {
        if self.edge_only {
            let form = self.schedule.edges.unwrap_or(match self.incoming {
                true => EdgeForm::CooDestination,
                false => EdgeForm::CooSource,
            });
            parts.list = Some(EdgeList {
                by_destination: matches!(form, EdgeForm::CooDestination | EdgeForm::CooDestinationPairs),
                pairs: matches!(form, EdgeForm::CooSourcePairs | EdgeForm::CooDestinationPairs),
                block: self.schedule.block,
            });
        } else if self.incoming {
            parts.incoming = true;
            parts.in_ranges |= self.pairs;
        } else {
            parts.out = true;
            parts.out_ranges |= self.pairs;
            parts.marked |= self.marked;
        }
        parts.weights |= self.weight.is_some();
    }
}
