//! Operators with metadata that agrees with their arguments.
use super::*;
use gw_ir::bound::BoundSchedule;
use gw_ir::expr::{FunctionRef, ReduceOp};
use gw_ir::meta::*;
use gw_ir::operator::*;
use gw_schedule::Schedule;

pub const SCHEDULES: [&str; 3] = ["push,lb=etwc,create=fused", "pull,par=dynamic,segments=4", "delta=argv3"];

impl Gen<'_> {
    pub fn schedule(&mut self) -> Option<BoundSchedule> {
        let text = self.maybe(&SCHEDULES)?;
        Some(BoundSchedule::new(text.parse::<Schedule>().unwrap()))
    }

    pub fn path(&mut self) -> Option<Name> {
        self.maybe(&["s0:s1", "walk:hop:hybrid1"]).map(Name::from)
    }

    fn filter(&mut self) -> VertexFilter {
        match self.pick(3) {
            0 => VertexFilter::All,
            1 => VertexFilter::Set(self.set_var()),
            _ => VertexFilter::Function(self.test()),
        }
    }

    fn set_var(&mut self) -> Expr {
        self.var(&set()).unwrap_or_else(|| Expr::var("seen", set()))
    }

    fn test(&mut self) -> FunctionRef {
        FunctionRef { name: "test".into(), captures: vec![self.expr(&Type::INT, 1)] }
    }

    fn members(&mut self) -> Expr {
        match self.pick(3) {
            0 => Expr::var("nodes", set()),
            1 => Expr::new(ExprKind::Universe(None), set()),
            _ => self.set_var(),
        }
    }

    fn vertex_meta(&mut self, of: &Expr) -> VertexMeta {
        let universe = of.as_var().is_none_or(|n| &**n == "nodes");
        VertexMeta {
            is_all_vertices: universe && self.coin(),
            is_parallel: self.maybe(&[true, false]),
            path: self.path(),
            schedule: self.schedule(),
            extra: self.extra(),
        }
    }

    fn edges(&mut self, output: bool) -> EdgeSetIterator {
        let from = self.filter();
        let to = self.filter();
        let (apply, out, weighted) = match self.pick(if output { 3 } else { 2 }) {
            0 => (FunctionRef::plain(if output { "edge_bool" } else { "edge" }), EdgeOutput::None, false),
            1 => (FunctionRef::plain("edge_w"), EdgeOutput::None, true),
            _ => {
                let captures = vec![self.expr(&Type::INT, 1), Expr::var("hops", per_node(Type::INT))];
                (FunctionRef { name: "edge_out".into(), captures }, EdgeOutput::None, false)
            }
        };
        let udf_enqueues = &*apply.name == "edge_out";
        let out = match (output, &*apply.name) {
            (false, _) => out,
            (true, "edge_bool") => EdgeOutput::Accepted { duplicates: self.coin() },
            (true, "edge_out") => {
                EdgeOutput::Modified { vector: self.of(&["hops", "vec"]).into(), duplicates: self.coin() }
            }
            (true, _) => EdgeOutput::Modified { vector: self.of(&["hops", "rank"]).into(), duplicates: self.coin() },
        };
        let direction = self.maybe(&[Direction::Push, Direction::Pull, Direction::DensePush]);
        let pull = direction == Some(Direction::Pull);
        let dedup = if output { self.of(&[Dedup::None, Dedup::BestEffort, Dedup::Perfect]) } else { Dedup::None };
        let representations =
            [Representation::Sparse, Representation::Boolmap, Representation::Bitmap, Representation::LevelMask];
        let op = self.of(&[ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max, ReduceOp::Or, ReduceOp::And]);
        let meta = EdgeMeta {
            direction,
            is_parallel: self.maybe(&[true, false]),
            is_edge_parallel: self.maybe(&[true, false]),
            is_weighted: weighted,
            is_all_edges: from == VertexFilter::All && to == VertexFilter::All,
            requires_output: output,
            udf_enqueues,
            can_reuse_frontier: output && matches!(from, VertexFilter::Set(_)) && self.coin(),
            claims_for_good: weighted && matches!(to, VertexFilter::Function(_)),
            bears_missing_leaves: output && weighted,
            has_condition: output && !weighted,
            visits_once: weighted || from == VertexFilter::All,
            dedup,
            dedup_inline: dedup != Dedup::None && self.coin(),
            output_representation: if output { self.maybe(&representations) } else { None },
            pull_input_frontier: if direction == Some(Direction::Push) { None } else { self.maybe(&representations) },
            to_folded: !pull && matches!(to, VertexFilter::Function(_)) && self.coin(),
            merge_reduce: if pull && self.coin() {
                Some(MergeReduce { vector: "rank".into(), op, numa: self.coin() })
            } else {
                None
            },
            path: self.path(),
            schedule: self.schedule(),
            extra: self.extra(),
        };
        let graph =
            if weighted { Expr::var("roads", graph(Some(Scalar::Int))) } else { Expr::var("links", graph(None)) };
        EdgeSetIterator { graph, from, to, apply, output: out, meta }
    }

    /// An operator that yields a set.
    pub fn set_operator(&mut self) -> Operator {
        if self.coin() {
            return Operator::EdgeSetIterator(self.edges(true));
        }
        let set = self.members();
        let meta = self.vertex_meta(&set);
        Operator::VertexSetFilter(VertexSetFilter { set, filter: self.test(), meta })
    }

    /// An operator that yields nothing.
    pub fn plain_operator(&mut self) -> Operator {
        let pq = || Expr::var("pq", queue());
        match self.pick(7) {
            0 => Operator::EdgeSetIterator(self.edges(false)),
            1 => {
                let set = self.members();
                let meta = self.vertex_meta(&set);
                Operator::VertexSetIterator(VertexSetIterator { set, apply: FunctionRef::plain("visit"), meta })
            }
            2 => Operator::VertexSetDedup(VertexSetDedup {
                set: self.set_var(),
                perfect: self.coin(),
                extra: self.extra(),
            }),
            3 => Operator::UpdatePriorityExtern(UpdatePriorityExtern {
                set: self.set_var(),
                function: FunctionRef::plain("judge"),
                queue: pq(),
                meta: self.queue_meta(),
            }),
            4 => Operator::UpdateBuckets(UpdateBuckets {
                queue: pq(),
                modified: self.set_var(),
                meta: self.queue_meta(),
            }),
            5 => Operator::UpdatePriorityEdgeSetIterator(UpdatePriorityEdgeSetIterator {
                edges: self.edges(false),
                queue: pq(),
                queue_meta: self.queue_meta(),
            }),
            _ => {
                let mut edges = self.edges(false);
                edges.from = VertexFilter::All;
                let condition = self.expr(&Type::BOOL, 2);
                Operator::OrderedProcessing(OrderedProcessing {
                    queue: pq(),
                    condition,
                    edges,
                    meta: self.queue_meta(),
                })
            }
        }
    }
}
