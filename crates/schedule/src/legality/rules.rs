//! The rules for simple schedules.
//!
//! A rule about an axis looks only at axes before it in [`Axis::ALL`]; `space` builds on that. What
//! it looks at must be part of `space`'s `Steering`.

use super::Reason;
use crate::axis::*;
use crate::param::{Number, Param};
use crate::point::{PointKind, PriorityChange, ProgramPoint, Sources};
use crate::simple::{Axis, SimpleSchedule};

impl SimpleSchedule {
    /// Whether this schedule may be put on the point, or every reason why not.
    pub fn legal(&self, point: &ProgramPoint) -> Result<(), Vec<Reason>> {
        let mut check = Check { s: self, p: point, reasons: Vec::new() };
        for axis in self.set_axes() {
            check.axis(axis);
        }
        if check.reasons.is_empty() { Ok(()) } else { Err(check.reasons) }
    }
}

struct Check<'a> {
    s: &'a SimpleSchedule,
    p: &'a ProgramPoint,
    reasons: Vec<Reason>,
}

impl Check<'_> {
    fn wrong(&mut self, axis: Axis, problem: impl Into<String>, mend: impl Into<String>) {
        self.reasons.push(Reason::new(axis.key(), problem, mend));
    }

    fn idle(&mut self, axis: Axis, problem: impl Into<String>) {
        self.reasons.push(Reason::idle(axis, problem));
    }

    /// All rules about one axis that is set.
    fn axis(&mut self, axis: Axis) {
        let kinds = axis.applies_to();
        if !kinds.contains(&self.p.kind) {
            let homes: Vec<&str> = kinds.iter().map(|k| k.phrase()).collect();
            let problem =
                format!("`{}` belongs on {}, and this is {}", axis.key(), homes.join(" or "), self.p.kind.phrase());
            return self.idle(axis, problem);
        }
        match axis {
            Axis::Direction => {}
            Axis::Parallelism => self.parallelism(),
            Axis::Grain => self.grain(),
            Axis::LoadBalance => self.load_balance(),
            Axis::Hubs => self.hubs(),
            Axis::Block => self.block(),
            Axis::Edges => self.edges(),
            Axis::Classes => self.classes(),
            Axis::Update => self.update(),
            Axis::Delta => self.delta(),
            Axis::Merge => self.merge(),
            Axis::Buckets => self.buckets(),
            Axis::Frontier => self.frontier(),
            Axis::Creation => self.creation(),
            Axis::Count => self.count(),
            Axis::Dedup => self.needs_output(Axis::Dedup),
            Axis::DedupBy => self.dedup_by(),
            Axis::DedupInput => self.dedup_input(),
            Axis::Claim => self.claim(),
            Axis::Visited => self.visited(),
            Axis::Append => self.append(),
            Axis::Leaves => self.leaves(),
            Axis::Segments => self.segments(),
            Axis::Numa => self.numa(),
            Axis::LoopForm => self.loop_form(),
            Axis::Queue => self.queue(),
            Axis::Table => self.table(),
            Axis::Filter => self.filter(),
            Axis::Coarsen | Axis::Hint | Axis::Stride | Axis::Intersection => {}
        }
    }

    /// The direction as the rules see it: push unless said otherwise.
    fn direction(&self) -> Direction {
        self.s.direction()
    }

    fn says_direction(&self) -> String {
        match self.s.direction {
            Some(d) => format!("this schedule says {d}"),
            None => "this schedule pushes, as it does when no direction is set".into(),
        }
    }

    fn eager(&self) -> bool {
        self.s.update.is_some_and(PriorityUpdate::is_eager)
    }

    fn edge_only(&self) -> bool {
        self.s.load_balance == Some(LoadBalance::EdgeOnly)
    }

    fn at_least(&mut self, axis: Axis, value: Option<Number>, least: u64) {
        if let Some(Param::Value(n)) = value
            && n < least
        {
            let key = axis.key();
            self.wrong(axis, format!("`{key}={n}` is too small"), format!("use {least} or more"));
        }
    }

    fn parallelism(&mut self) {
        let by_edges = matches!(self.s.parallelism, Some(Parallelism::EdgeAware | Parallelism::EdgeParallel));
        if by_edges && self.p.kind == PointKind::VertexOperator {
            self.wrong(
                Axis::Parallelism,
                "a vertex operator has no edges to split by",
                "use `par=dynamic` or `par=static`",
            );
        } else if self.s.parallelism == Some(Parallelism::EdgeAware) && self.direction() != Direction::Pull {
            self.wrong(
                Axis::Parallelism,
                format!("`par=edge-aware` splits by in-edges, but {}", self.says_direction()),
                "say `pull`, or use `par=edge-parallel`",
            );
        }
    }

    fn grain(&mut self) {
        if self.p.kind != PointKind::ParFor {
            self.at_least(Axis::Grain, self.s.grain, 1);
        }
        if self.s.parallelism == Some(Parallelism::Serial) {
            self.idle(Axis::Grain, "a serial operator has no chunks");
        }
    }

    fn load_balance(&mut self) {
        if self.s.parallelism.is_some() || self.s.grain.is_some() {
            self.wrong(
                Axis::LoadBalance,
                "`lb` gives edges to GPU threads, tasks or tiles, `par` and `grain` split work over CPU cores",
                "set one or the other",
            );
        }
        if self.edge_only() && self.direction() == Direction::DensePush {
            self.wrong(
                Axis::LoadBalance,
                "`lb=edge-only` visits every edge anyway, so it has no dense form of push",
                "say `push`",
            );
        }
    }

    fn hubs(&mut self) {
        match self.s.load_balance {
            Some(balance) if balance.shares_lists_by_device() => self.wrong(
                Axis::Hubs,
                format!("`lb={balance}` already shares the longest lists over the whole device"),
                "drop `hubs`, or use a balancer that gives a vertex to one thread, warp or block",
            ),
            Some(LoadBalance::EdgeBased | LoadBalance::Aligned | LoadBalance::Blocking) => {
                self.wrong(Axis::Hubs, "`hubs` is for balancers of GPUs", "drop `hubs`");
            }
            Some(_) => {}
            None => self.wrong(
                Axis::Hubs,
                "`hubs` is about lists that a GPU balancer would give to one thread, warp or block",
                "add `lb=<balancer>`",
            ),
        }
    }

    fn block(&mut self) {
        if !self.edge_only() {
            self.wrong(
                Axis::Block,
                "`block` orders the edge list, which only `lb=edge-only` walks",
                "add `lb=edge-only` or drop `block`",
            );
        }
        self.at_least(Axis::Block, self.s.block, 1);
    }

    fn edges(&mut self) {
        let Some(form) = self.s.edges else { return };
        let edge_parallel = self.s.parallelism == Some(Parallelism::EdgeParallel);
        if form.is_edge_list() && !self.edge_only() && !edge_parallel {
            self.wrong(
                Axis::Edges,
                format!("`edges={form}` is a list of edges and needs work split by edges"),
                "add `lb=edge-only` (GPU) or `par=edge-parallel` (CPU)",
            );
        } else if !form.is_edge_list() && self.edge_only() {
            self.wrong(
                Axis::Edges,
                format!("`lb=edge-only` walks a list of edges, `edges={form}` is none"),
                "use one of the `coo-` forms or leave `edges` to the machine",
            );
        }
    }

    fn table(&mut self) {
        if !self.p.has_groups {
            self.idle(Axis::Table, "no neighbours are grouped here: a table belongs on an operator with `groupBy`");
        }
    }

    fn filter(&mut self) {
        if !self.p.has_condition {
            return self.idle(
                Axis::Filter,
                "no condition around the edge function can be asked before the operator: it must stand around the whole \
                 function and end no run, and the operator and the loops around it must not change what it reads",
            );
        }
        if self.s.filter != Some(EdgeFilter::Graph) {
            return;
        }
        if self.s.leaves == Some(Leaves::Drop) {
            self.wrong(
                Axis::Filter,
                "`leaves=drop` is about vertices without out-edges, of which `filter=graph` makes more",
                "use `leaves=keep` or `filter=view`",
            );
        }
        if self.s.update == Some(PriorityUpdate::ConstantSum) {
            self.wrong(
                Axis::Filter,
                "`update=constant-sum` needs a symmetric graph, and `filter=graph` may make another one",
                "use `update=lazy` or `filter=view`",
            );
        }
    }

    fn classes(&mut self) {
        if self.direction() == Direction::Pull {
            return self
                .idle(Axis::Classes, format!("only a push has classes of edges, but {}", self.says_direction()));
        }
        if self.edge_only() || self.s.edges.is_some_and(EdgeForm::is_edge_list) {
            self.wrong(
                Axis::Classes,
                "classes are bits of neighbours, and a list of edges has none",
                "use another `lb` than `edge-only` and no `coo-` form, or drop `classes`",
            );
        } else if !self.p.has_edge_classes {
            self.idle(
                Axis::Classes,
                "no class of edges makes a difference: it needs a `+=`, `min=` or `max=` that is the only write to its \
                 vector and goes to the destination, and an input without repeats; or self-loops that change nothing",
            );
        }
    }

    fn update(&mut self) {
        let Some(update) = self.s.update else { return };
        let change = self.p.priority_change;
        let wrong = |problem: String, mend: &str| Reason::new(Axis::Update.key(), problem, mend);
        if self.p.kind == PointKind::PriorityExtern {
            if update != PriorityUpdate::Lazy {
                let problem = format!("an extern update re-buckets after each call, which `update={update}` cannot do");
                self.reasons.push(wrong(problem, "use `update=lazy`"));
            }
            return;
        }
        match update {
            PriorityUpdate::Lazy => {}
            PriorityUpdate::Eager | PriorityUpdate::EagerWithMerge => {
                if self.direction() != Direction::Push {
                    let problem = format!("`update={update}` pushes, but {}", self.says_direction());
                    self.reasons.push(wrong(problem, "say `push` or use `update=lazy`"));
                }
                if !self.p.eager_loop {
                    let problem = format!(
                        "`update={update}` replaces the whole loop, which must only dequeue, apply the update and delete the set"
                    );
                    self.reasons.push(wrong(problem, "use `update=lazy` or move the other statements out of the loop"));
                }
                if change != Some(PriorityChange::Min) {
                    let problem = format!("`update={update}` handles updatePriorityMin only");
                    self.reasons.push(wrong(problem, "use `update=lazy`"));
                }
                if !self.p.weighted {
                    let problem = format!("`update={update}` needs a weighted edge set");
                    self.reasons.push(wrong(problem, "use `update=lazy` or give the edges weights"));
                }
            }
            PriorityUpdate::ConstantSum => {
                if change != Some(PriorityChange::ConstantSum) {
                    let problem = "`update=constant-sum` needs updatePrioritySum with a constant amount".into();
                    self.reasons.push(wrong(problem, "use `update=lazy`"));
                }
                if self.p.symmetric == Some(false) {
                    let problem = "`update=constant-sum` needs a symmetric graph".into();
                    self.reasons.push(wrong(problem, "use `update=lazy` or symmetrise the graph"));
                }
            }
            PriorityUpdate::NearFar => {
                if !matches!(change, Some(PriorityChange::Min | PriorityChange::Max)) {
                    let problem = "`update=near-far` needs updatePriorityMin or updatePriorityMax".into();
                    self.reasons.push(wrong(problem, "use `update=lazy`"));
                }
            }
        }
    }

    fn delta(&mut self) {
        self.at_least(Axis::Delta, self.s.delta, 1);
        let sums = matches!(self.p.priority_change, Some(PriorityChange::Sum | PriorityChange::ConstantSum));
        if let Some(Param::Value(n)) = self.s.delta
            && n > 1
            && sums
        {
            self.wrong(
                Axis::Delta,
                format!(
                    "`delta={n}` puts several priorities into one bucket, but updatePrioritySum counts down one by one"
                ),
                "drop `delta`",
            );
        }
    }

    fn merge(&mut self) {
        if self.s.update != Some(PriorityUpdate::EagerWithMerge) {
            self.wrong(
                Axis::Merge,
                "`merge` limits the merging of `update=eager-with-merge`",
                "add `update=eager-with-merge` or drop `merge`",
            );
        }
    }

    fn buckets(&mut self) {
        if let Some(update) = self.s.update
            && !matches!(update, PriorityUpdate::Lazy | PriorityUpdate::ConstantSum)
        {
            let problem = format!("`update={update}` keeps no array of open buckets");
            self.idle(Axis::Buckets, problem);
        }
        if let Some(Param::Value(n)) = self.s.buckets
            && !(n.is_power_of_two() && n >= 2)
        {
            self.wrong(
                Axis::Buckets,
                format!("`buckets={n}` is not a power of two of at least 2"),
                "use 128, or another power of two",
            );
        }
    }

    fn frontier(&mut self) {
        if self.eager() {
            return self.idle(Axis::Frontier, "an eager update has no frontier map");
        }
        if self.direction() == Direction::Push && !self.edge_only() {
            self.wrong(
                Axis::Frontier,
                format!(
                    "`frontier` is the form in which the input set is tested, which pull, dense-push and `lb=edge-only` do, but {}",
                    self.says_direction()
                ),
                "say `pull` or drop `frontier`",
            );
        } else if self.p.kind == PointKind::EdgeOperator && self.p.from != Sources::Set {
            self.idle(Axis::Frontier, "the operator has no `from` set to test");
        }
    }

    /// Rules for axes about the output frontier; says whether there is one.
    fn needs_output(&mut self, axis: Axis) {
        if self.p.kind == PointKind::EdgeOperator && !self.p.requires_output {
            self.idle(axis, format!("the operator makes no output set for `{}`", axis.key()));
        } else if self.eager() {
            self.idle(axis, format!("an eager update makes no output set for `{}`", axis.key()));
        }
    }

    fn creation(&mut self) {
        self.needs_output(Axis::Creation);
        if self.s.creation != Some(FrontierCreation::SlidingQueue) {
            return;
        }
        if self.direction() != Direction::Push {
            self.wrong(
                Axis::Creation,
                format!("`create=sliding-queue` pushes, but {}", self.says_direction()),
                "say `push`",
            );
        }
        if self.p.kind == PointKind::EdgeOperator && self.p.from != Sources::Set {
            self.wrong(
                Axis::Creation,
                "`create=sliding-queue` slides from an input set, and the operator has no `from` set",
                "use `create=fused`",
            );
        }
        if self.s.parallelism == Some(Parallelism::Serial) {
            self.wrong(
                Axis::Creation,
                "`create=sliding-queue` gathers the buffers of many threads, but the operator is serial",
                "use `par=dynamic`",
            );
        }
        if self.s.load_balance.is_some() {
            self.wrong(
                Axis::Creation,
                "`create=sliding-queue` is a CPU form, `lb` is for other machines",
                "use `create=fused`",
            );
        }
    }

    fn count(&mut self) {
        self.needs_output(Axis::Count);
        if !self.s.creation.is_some_and(FrontierCreation::is_map) {
            self.wrong(
                Axis::Count,
                "`count` is about maps, and a queue is counted by its appends",
                "add `create=unfused-bitmap`, `create=unfused-boolmap` or `create=level-mask`, or drop `count`",
            );
        }
    }

    fn dedup_by(&mut self) {
        self.needs_output(Axis::DedupBy);
        let Some(by) = self.s.dedup_by else { return };
        match self.s.creation {
            None | Some(FrontierCreation::Fused) => {}
            Some(creation) => self.wrong(
                Axis::DedupBy,
                format!("`dedup-by` needs a queue filled by the operator, and `create={creation}` removes repeats in its own way"),
                "use `create=fused` or drop `dedup-by`",
            ),
        }
        if self.p.needs_unique_output && !by.is_exact() {
            self.wrong(
                Axis::DedupBy,
                format!("`dedup-by={by}` misses repeats, and the algorithm needs each vertex at most once"),
                "use `dedup-by=counters`, `counters-fused`, `bitmap` or `boolmap`",
            );
        }
        if by == DedupBy::Words && (!self.p.tracks_extreme || self.direction() == Direction::Pull) {
            self.wrong(
                Axis::DedupBy,
                "`dedup-by=words` keeps the round beside a whole number of 32 bits, which a push with an output must \
                 change by `min=` or by `max=` alone, at destinations alone",
                "use `dedup-by=counters-fused`",
            );
        }
        if self.s.dedup == Some(Dedup::Off) && !self.p.needs_unique_output {
            self.idle(Axis::DedupBy, "`dedup-by` says how, but `dedup=off`");
        }
    }

    fn dedup_input(&mut self) {
        if self.eager() {
            return self.idle(Axis::DedupInput, "an eager update loads no queue");
        }
        if self.direction() != Direction::Push || self.edge_only() {
            self.wrong(
                Axis::DedupInput,
                "`dedup-input` drops repeats where the input queue is loaded, which only a push with a queue does",
                "say `push` and another `lb` than `edge-only`, or drop `dedup-input`",
            );
        } else if self.p.kind == PointKind::EdgeOperator && self.p.from != Sources::Set {
            self.idle(Axis::DedupInput, "the operator has no `from` set");
        }
    }

    /// Rules for axes about the entries that a push claims; says whether there are some.
    fn claims(&mut self, axis: Axis) -> bool {
        if !self.p.claims_destinations {
            self.idle(
                axis,
                "the operator does not claim destinations by a `to` test and a store into the tested entry",
            );
        } else if self.direction() != Direction::Push {
            self.idle(axis, format!("only a push claims destinations, but {}", self.says_direction()));
        } else {
            return true;
        }
        false
    }

    fn visited(&mut self) {
        if self.claims(Axis::Visited) && self.s.visited == Some(Visited::Bits) && !self.p.claims_for_good {
            self.wrong(
                Axis::Visited,
                "`visited=bits` remembers claimed destinations, but other parts of the program may free them again",
                "use `visited=off`",
            );
        }
    }

    fn claim(&mut self) {
        if !self.claims(Axis::Claim) {
            return;
        }
        let unique = self.p.needs_unique_output && self.p.requires_output;
        if self.s.claim == Some(Claim::Store) && unique {
            self.wrong(
                Axis::Claim,
                "`claim=store` may add a vertex twice, and the algorithm needs each vertex at most once",
                "use `claim=swap`",
            );
        }
    }

    fn append(&mut self) {
        self.needs_output(Axis::Append);
        if let Some(creation) = self.s.creation
            && creation != FrontierCreation::Fused
        {
            self.wrong(
                Axis::Append,
                format!("`append` is about a queue that the operator fills, and `create={creation}` makes none"),
                "use `create=fused` or drop `append`",
            );
        }
    }

    fn leaves(&mut self) {
        self.needs_output(Axis::Leaves);
        if self.s.leaves == Some(Leaves::Drop) && self.p.requires_output && !self.p.bears_missing_leaves {
            self.wrong(
                Axis::Leaves,
                "the program could tell that vertices are missing: `leaves=drop` needs an output of which nothing is \
                 used but whether it is empty, and that is the `from` set of operators on the same edges",
                "use `leaves=keep`",
            );
        }
    }

    fn segments(&mut self) {
        if self.direction() != Direction::Pull {
            self.wrong(
                Axis::Segments,
                format!("`segments` cuts the in-edges for pull, but {}", self.says_direction()),
                "say `pull` or drop `segments`",
            );
        }
        if self.edge_only() || self.s.edges.is_some_and(EdgeForm::is_edge_list) {
            self.wrong(
                Axis::Segments,
                "`segments` are small adjacencies, not lists of edges",
                "use `block` with `lb=edge-only`, or drop the list",
            );
        }
        self.at_least(Axis::Segments, self.s.segments, 1);
    }

    fn numa(&mut self) {
        if self.s.segments.is_none() {
            self.wrong(Axis::Numa, "`numa` spreads segments, and there are none", "add `segments=<n>`");
        }
        if self.s.numa != Some(Numa::Serial) && !self.p.reduction_extractable {
            self.wrong(
                Axis::Numa,
                "sockets accumulate into private copies, which needs all shared writes of the edge function to be one `+=`, `min=` or `max=`",
                "drop `numa`",
            );
        }
    }

    fn loop_form(&mut self) {
        let form = self.s.loop_form.unwrap_or(LoopForm::Host);
        if form != LoopForm::Host
            && let Some(obstacle) = &self.p.body_obstacle
        {
            let problem = format!("`loop={form}` runs the body on the device, but {obstacle}");
            self.wrong(Axis::LoopForm, problem, "use `loop=host`");
        }
        if form == LoopForm::SingleBlock && !self.p.frontier_loop {
            self.wrong(
                Axis::LoopForm,
                "`loop=single-block` stops when the frontier outgrows a block, and this loop has no frontier",
                "use `loop=fused`",
            );
        }
    }

    fn queue(&mut self) {
        let Some(queue) = self.s.queue else { return };
        if queue != SwarmQueue::Unordered && !self.p.frontier_loop {
            self.wrong(
                Axis::Queue,
                format!("`queue={queue}` turns a loop over a frontier or priority queue into tasks, and this loop has neither as its condition"),
                "use `queue=unordered`",
            );
        } else if queue == SwarmQueue::Priority && self.p.round_statements {
            self.wrong(
                Axis::Queue,
                "`queue=priority` has no task for the statements that run once a round",
                "use `queue=bucket`",
            );
        }
    }
}
