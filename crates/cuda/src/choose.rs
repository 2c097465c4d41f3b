//! The rules by which this machine takes a schedule when nobody gives one, from the program and from cheap facts
//! about the graph. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | loop that can run on the device | one kernel for the whole loop |
//! | edge operator from a set that changes nothing at destinations | push |
//! | other edge operator from a set | push; pull where much work lies ahead, unless degrees are tiny or all alike |
//! | edge operator over all edges that writes destinations | pull |
//! | other edge operators | push |
//! | priority updates | lazy buckets; width from mean weight and mean degree |
//! | balance | edges split over block, warp and thread; a few lanes or one per vertex where degrees are tiny |

use gw_exec::{Choice, ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, Rule, RuleTable, choose_by_rules};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{
    Criterion, Direction, Family, FrontierCreation, FrontierForm, Hybrid, LoadBalance, LoopForm, Param, PointKind,
    PriorityChange, SimpleSchedule, Sources,
};

use crate::capability::capabilities;
use crate::tuning::{
    DENSE_BUCKET_WIDTH, EVEN_DEGREE, EVEN_LISTS, FLAT_BUCKET_WIDTH, FLAT_DEGREE, FLAT_GREATEST, LARGE_GRAPH,
    PULL_SHARE, SMALL_GRAPH, WARP_DEGREE,
};

/// Whether lists are so short that steps of a search stay small.
pub(crate) fn is_flat(graph: &Graph) -> bool {
    let mean = graph.edges() as f64 / graph.vertices().max(1) as f64;
    mean < FLAT_DEGREE && graph.greatest_out_degree() <= FLAT_GREATEST
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub(crate) fn choose(module: Module, graph: &Graph) -> (Module, Choice) {
    let table = RuleTable { family: Some(Family::Gpu), capabilities: capabilities(), rules: RULES };
    choose_by_rules(&table, module, &GraphFacts::of(graph))
}

const RULES: &[Rule] = &[
    // A pull would look at all edges for what it does not own.
    Rule {
        applies: |p| p.starts_from(Sources::Set) && !p.point.has_to && !changes_destination(p),
        schedule: |p| push(p).into(),
        because: |_| "nothing is written at destinations: pushing visits the edges of the set only".into(),
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set) && p.point.has_to && has_short_lists(p),
        schedule: |p| push(p).into(),
        because: |p| {
            let degree = p.graph.mean_degree();
            format!("mean degree {degree:.1}: frontiers of a search stay small, so it always pushes")
        },
    },
    // 2.1 against 4.5 ms for searches of a grid of 140^3 vertices, 0.44 against 0.81 on a ring of 600,000 vertices with
    // 80 neighbours each (H200).
    Rule {
        applies: |p| p.starts_from(Sources::Set) && p.point.has_to && has_even_lists(p),
        schedule: |p| push(p).into(),
        because: |p| {
            let (mean, greatest) = (p.graph.mean_degree(), p.graph.greatest_degree);
            format!("degrees are alike (mean {mean:.1}, greatest {greatest}), as in a mesh: frontiers stay small")
        },
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set) && p.graph.edges < SMALL_GRAPH,
        schedule: |p| push(p).into(),
        because: |p| {
            let edges = p.graph.edges;
            format!("{edges} edges: to push along all of them takes no longer than to change the direction")
        },
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |p| {
            // What is left to push is small unless a graph is both large and skewed.
            let even = p.graph.greatest_degree < EVEN_DEGREE || p.graph.edges < LARGE_GRAPH;
            let load_balance = Some(if even { LoadBalance::Cm } else { LoadBalance::Etwc });
            let first = SimpleSchedule { load_balance, ..push(p) };
            let second = pull_from_set(p);
            let (criterion, threshold) = (Criterion::InputWork, Param::Value(PULL_SHARE));
            Hybrid { criterion, threshold, first, second }.into()
        },
        because: |p| {
            let degree = p.graph.mean_degree();
            format!("mean degree {degree:.1}: pulls while more than a twentieth of the edges lies ahead")
        },
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |p| push(p).into(),
        because: |_| "pulling is not possible here".into(),
    },
    Rule {
        applies: |p| p.owns_destinations(),
        schedule: |p| {
            let balance = if has_short_lists(p) { LoadBalance::VertexBased } else { LoadBalance::Etwc };
            SimpleSchedule { load_balance: Some(balance), ..SimpleSchedule::with_direction(Direction::Pull) }.into()
        },
        because: |_| "all edges: sums of a destination are gathered before they are stored".into(),
    },
    Rule {
        applies: |p| p.starts_from(Sources::All),
        schedule: |p| push(p).into(),
        because: |_| "its writes are not owned by destinations".into(),
    },
    // Few sources pass most tests: 0.06 ms with a lane per vertex against 0.31 with four, where all 16 M vertices of a
    // grid are tested and none passes.
    Rule {
        applies: |p| p.starts_from(Sources::Filter) && has_short_lists(p),
        schedule: |_| {
            let lane = Some(LoadBalance::VertexBased);
            SimpleSchedule { load_balance: lane, ..SimpleSchedule::with_direction(Direction::Push) }.into()
        },
        because: |_| "sources are tested, a lane each, which then takes the few edges of its vertex".into(),
    },
    Rule {
        applies: |p| p.starts_from(Sources::Filter),
        schedule: |p| push(p).into(),
        because: |_| "sources are tested, a lane each; what they have is shared out".into(),
    },
    // Wide buckets waste work, narrow ones leave the device idle: about a frontier's worth of edges per bucket.
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::Min),
        schedule: |p| {
            let flat = p.graph.mean_degree() < FLAT_DEGREE;
            let factor = if flat { FLAT_BUCKET_WIDTH } else { DENSE_BUCKET_WIDTH };
            let width = (p.graph.mean_weight() * factor).round().max(1.0);
            SimpleSchedule { delta: Some(Param::Value(width as u64)), ..push(p) }.into()
        },
        because: |p| {
            let (weight, degree) = (p.graph.mean_weight(), p.graph.mean_degree());
            format!("mean weight {weight:.0}, mean degree {degree:.1}: bucket width from both")
        },
    },
    Rule {
        applies: |p| p.point.kind == PointKind::PriorityOperator,
        schedule: |p| push(p).into(),
        because: |_| "lazy buckets".into(),
    },
    Rule {
        applies: |p| p.point.kind == PointKind::WhileLoop && p.point.body_obstacle.is_none(),
        schedule: |_| SimpleSchedule { loop_form: Some(LoopForm::Fused), ..SimpleSchedule::default() }.into(),
        because: |_| "the whole loop is one kernel: no launch and no wait per step".into(),
    },
    INTERSECTIONS_BY_LENGTH,
];

fn has_short_lists(place: &ChoicePoint<'_>) -> bool {
    place.graph.mean_degree() < FLAT_DEGREE && place.graph.greatest_degree <= FLAT_GREATEST
}

fn changes_destination(place: &ChoicePoint<'_>) -> bool {
    place.edges.is_some_and(|edges| edges.changes_destination)
}

/// Whether all lists are about as long, and short beside the number of vertices: meshes and rings.
fn has_even_lists(place: &ChoicePoint<'_>) -> bool {
    let mean = place.graph.mean_degree();
    place.graph.greatest_degree as f64 <= EVEN_LISTS * mean && mean * mean < place.graph.vertices as f64
}

fn push(place: &ChoicePoint<'_>) -> SimpleSchedule {
    let load_balance = match () {
        // Searches of a 4000x4000 grid: 29.0 ms, against 31.9 with lists shared by a block and 32.8 with four lanes
        // each.
        () if has_short_lists(place) => LoadBalance::Wm,
        // Few blocks have work in most steps, and what a balancer prepares is most of the time.
        () if place.graph.edges < SMALL_GRAPH => LoadBalance::Cm,
        // The grid of 140^3 vertices: 2.1 ms, against 2.6 with lists shared out by length.
        () if has_even_lists(place) && place.graph.mean_degree() < WARP_DEGREE => LoadBalance::Wm,
        () => LoadBalance::Etwc,
    };
    SimpleSchedule { load_balance: Some(load_balance), ..SimpleSchedule::with_direction(Direction::Push) }
}

fn pull_from_set(place: &ChoicePoint<'_>) -> SimpleSchedule {
    // A pull that stops at its first find reads an edge or two per vertex; others read whole lists.
    let early_exit = place.edges.is_some_and(|edges| edges.early_exit);
    let balance = if early_exit { LoadBalance::VertexBased } else { LoadBalance::Etwc };
    SimpleSchedule {
        load_balance: Some(balance),
        frontier: Some(FrontierForm::Bitmap),
        creation: place.point.requires_output.then_some(FrontierCreation::UnfusedBitmap),
        ..SimpleSchedule::with_direction(Direction::Pull)
    }
}
