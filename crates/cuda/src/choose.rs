//! The rules by which this machine takes a schedule when nobody gives one, from the program and from cheap facts
//! about the graph. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | loop that can run on the device | one kernel for the whole loop |
//! | edge operator from a set that changes nothing at destinations | push |
//! | edge operator from a set without a test of destinations, on graphs of a surveyed size or with short lists | push |
//! | other edge operator from a set | push; pull where much work lies ahead, unless degrees are tiny or all alike |
//! | edge operator over all edges that writes destinations | pull |
//! | other edge operators | push |
//! | priority updates | lazy buckets; width from mean weight, mean degree and edges |
//! | balance | edges split over block, warp and thread; a few lanes or one per vertex where degrees are tiny |
//! | balance where each edge intersects lists | edges one by one |

use gw_exec::{
    Choice, ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, LAZY_BUCKETS, PUSH_ALL_EDGES, PUSH_FLAT_SEARCHES,
    PUSH_SETS, PUSH_WHERE_DESTINATIONS_STAY, Rule, RuleTable, because_it_pulls, choose_by_rules,
};
use gw_graph::Graph;
use gw_ir::analysis::operator::VectorUse;
use gw_ir::module::Module;
use gw_schedule::{
    Criterion, Direction, Family, FrontierCreation, FrontierForm, Hybrid, Lanes, LoadBalance, LoopForm, Param,
    PointKind, PriorityChange, SimpleSchedule, Sources,
};

use crate::capability::capabilities;
use crate::tuning::{
    ALIKE_LISTS, BUCKET_FALL, EVEN_DEGREE, EVEN_LISTS, FLAT_DEGREE, FLAT_GREATEST, HUB_DEGREE, INTERSECTED_DEGREE,
    LARGE_GRAPH, LONG_LISTS, NARROW_BUCKET, PULL_SHARE, SMALL_GRAPH, SURVEYED_GRAPH, WARP_DEGREE, WIDE_BUCKET,
};

/// Whether lists are so short that steps of a search stay small.
pub(crate) fn is_flat(graph: &Graph) -> bool {
    let mean = graph.edges() as f64 / graph.vertices().max(1) as f64;
    mean < FLAT_DEGREE && graph.greatest_out_degree() <= FLAT_GREATEST
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub(crate) fn choose(module: Module, graph: &Graph) -> (Module, Choice) {
    choose_by_facts(module, &GraphFacts::of(graph))
}

/// Chooses for a graph of which only these facts are known.
pub(crate) fn choose_by_facts(module: Module, graph: &GraphFacts) -> (Module, Choice) {
    let table = RuleTable { family: Some(Family::Gpu), capabilities: capabilities(), rules: RULES };
    choose_by_rules(&table, module, graph)
}

const RULES: &[Rule] = &[
    Rule { schedule: |p| push(p).into(), ..PUSH_WHERE_DESTINATIONS_STAY },
    Rule { applies: |p| p.is_search() && has_short_lists(p), schedule: |p| push(p).into(), ..PUSH_FLAT_SEARCHES },
    // 2.1 against 4.5 ms for searches of a grid of 140^3 vertices, 0.44 against 0.81 on a ring of 600,000 vertices with
    // 80 neighbours each (H200).
    Rule {
        applies: |p| p.is_search() && has_even_lists(p),
        schedule: |p| push(p).into(),
        because: |p| {
            let (mean, greatest) = (p.graph.mean_degree(), p.graph.greatest_degree);
            format!("degrees are alike (mean {mean:.1}, greatest {greatest}), as in a mesh: frontiers stay small")
        },
    },
    // Components on meshes and random graphs (H200): 1.0 times the best on eight of ten graphs, a push alone takes 1.2
    // to 2 times as long.
    Rule {
        applies: |p| {
            let no_long_list = p.graph.greatest_degree < FLAT_GREATEST && !has_short_lists(p);
            is_combined_from_set(p) && p.point.requires_output && !is_weighted(p) && no_long_list
        },
        schedule: |_| {
            let few_lanes = Lanes::new(8).map_or(LoadBalance::Cm, LoadBalance::virtual_warp);
            let first = balanced(Direction::Push, few_lanes);
            let second = SimpleSchedule {
                frontier: Some(FrontierForm::Bitmap),
                creation: Some(FrontierCreation::UnfusedBitmap),
                ..balanced(Direction::Pull, LoadBalance::VertexBased)
            };
            let (criterion, threshold) = (Criterion::EdgesAhead, Param::Value(PULL_SHARE));
            Hybrid { criterion, threshold, first, second }.into()
        },
        because: |p| {
            let greatest = p.graph.greatest_degree;
            format!("no list is longer than {greatest}: a lane per vertex pulls while much work lies ahead")
        },
    },
    // Shortest paths, components and PageRank by changes on nine graphs of 5 to 13 M edges (H200): 1.08, 1.12 and 1.06
    // times the best, with a change of direction 1.32, 1.25 and 1.19 times.
    Rule {
        applies: is_combined_from_set,
        schedule: |p| {
            let hubs = p.graph.greatest_degree >= HUB_DEGREE && p.point.requires_output && !is_weighted(p);
            let balance = match balance_of_push(p) {
                LoadBalance::Cm if hubs => LoadBalance::MergePath,
                LoadBalance::Etwc if is_weighted(p) && p.graph.greatest_degree < LONG_LISTS => LoadBalance::Cm,
                LoadBalance::Etwc if !is_weighted(p) && p.graph.greatest_degree < EVEN_DEGREE => LoadBalance::Cm,
                LoadBalance::Etwc if !is_weighted(p) => LoadBalance::MergePath,
                balance => balance,
            };
            balanced(Direction::Push, balance).into()
        },
        because: |p| {
            let edges = p.graph.edges;
            format!("{edges} edges: vertices come back again and again, and pushing along their edges is faster")
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
        because: |p| because_it_pulls(p, PULL_SHARE),
    },
    Rule { schedule: |p| push(p).into(), ..PUSH_SETS },
    Rule {
        applies: |p| p.owns_destinations() && is_work_of_edges(p),
        schedule: |p| {
            let greatest = p.graph.greatest_degree;
            let alike = greatest < FLAT_GREATEST || greatest as f64 <= ALIKE_LISTS * p.graph.mean_degree();
            balanced(Direction::Pull, if alike { LoadBalance::Cm } else { LoadBalance::Strict }).into()
        },
        because: |_| "each edge intersects two lists: edges are shared out one by one".into(),
    },
    Rule {
        applies: |p| p.owns_destinations(),
        schedule: |p| {
            // PageRank (H200): 1.04 times the best on eight graphs without long lists, with `etwc` 1.34 times.
            let no_long_list = is_surveyed(p) && p.graph.greatest_degree < FLAT_GREATEST && !intersects(p);
            let lane_each = has_short_lists(p) || no_long_list;
            let balance = if lane_each { LoadBalance::VertexBased } else { LoadBalance::Etwc };
            balanced(Direction::Pull, balance).into()
        },
        because: |_| "all edges: sums of a destination are gathered before they are stored".into(),
    },
    Rule { schedule: |p| push(p).into(), ..PUSH_ALL_EDGES },
    // Few sources pass most tests: 0.06 ms with a lane per vertex against 0.31 with four, where all 16 M vertices of a
    // grid are tested and none passes.
    Rule {
        applies: |p| p.starts_from(Sources::Filter) && has_short_lists(p),
        schedule: |_| balanced(Direction::Push, LoadBalance::VertexBased).into(),
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
            let width = (p.graph.mean_weight() * bucket_width(p)).round().max(1.0);
            let long = p.graph.greatest_degree >= LONG_LISTS;
            let balance = match balance_of_push(p) {
                LoadBalance::Etwc if is_surveyed(p) && !long => LoadBalance::Cm,
                balance => balance,
            };
            let delta = Some(Param::Value(width as u64));
            SimpleSchedule { delta, ..balanced(Direction::Push, balance) }.into()
        },
        because: |p| {
            let (weight, degree, edges) = (p.graph.mean_weight(), p.graph.mean_degree(), p.graph.edges);
            let width = bucket_width(p);
            format!(
                "mean weight {weight:.0}, mean degree {degree:.1}, {edges} edges: buckets of {width:.1} mean weights"
            )
        },
    },
    // Cores: 1.01 times the best on 30 graphs, 1.08 times with the balance of other pushes (H200).
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::ConstantSum) && is_surveyed(p),
        schedule: |_| balanced(Direction::Push, LoadBalance::Cm).into(),
        because: |_| "lazy buckets, a constant per edge: lists are shared by a block".into(),
    },
    Rule { schedule: |p| push(p).into(), ..LAZY_BUCKETS },
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

/// The bucket width in mean weights: on large graphs the edges that wide buckets relax in vain take longer than the
/// rounds that they spare.
fn bucket_width(place: &ChoicePoint<'_>) -> f64 {
    // Rounds are many where paths are long.
    if place.graph.mean_degree() < FLAT_DEGREE || has_even_lists(place) {
        return WIDE_BUCKET;
    }
    let size = place.graph.edges as f64 / SURVEYED_GRAPH as f64;
    (WIDE_BUCKET / size.powi(BUCKET_FALL)).clamp(NARROW_BUCKET, WIDE_BUCKET)
}

/// Whether all lists are about as long, and short beside the number of vertices: meshes and rings.
fn has_even_lists(place: &ChoicePoint<'_>) -> bool {
    let mean = place.graph.mean_degree();
    place.graph.greatest_degree as f64 <= EVEN_LISTS * mean && mean * mean < place.graph.vertices as f64
}

/// An operator from a set that combines values at destinations without a test of them, on a graph of a measured size or
/// with short lists. On a road network of 15 M edges (H200) shortest paths take 123 ms with a push, with a change of
/// direction 1,316 ms; components 523 and 3,083 ms.
fn is_combined_from_set(place: &ChoicePoint<'_>) -> bool {
    let known = is_surveyed(place) || has_short_lists(place);
    place.starts_from(Sources::Set) && !place.point.has_to && combines(place) && known
}

/// Whether what arrives at a destination is combined there: the mark of values that are pushed again and again until
/// nothing changes.
fn combines(place: &ChoicePoint<'_>) -> bool {
    let updated = |vector: &VectorUse| vector.written.destination && vector.read.destination;
    place.edges.is_some_and(|edges| edges.vectors.values().any(updated))
}

fn is_weighted(place: &ChoicePoint<'_>) -> bool {
    place.edges.is_some_and(|edges| edges.weight.is_some())
}

fn intersects(place: &ChoicePoint<'_>) -> bool {
    place.edges.is_some_and(|edges| edges.intersects)
}

fn is_surveyed(place: &ChoicePoint<'_>) -> bool {
    place.graph.edges <= SURVEYED_GRAPH
}

/// Whether an edge has so much to do that edges are shared out, not lists.
fn is_work_of_edges(place: &ChoicePoint<'_>) -> bool {
    let dense = place.graph.edges < SMALL_GRAPH || place.graph.mean_degree() >= INTERSECTED_DEGREE;
    intersects(place) && is_surveyed(place) && !has_short_lists(place) && dense
}

fn balanced(direction: Direction, balance: LoadBalance) -> SimpleSchedule {
    SimpleSchedule { load_balance: Some(balance), ..SimpleSchedule::with_direction(direction) }
}

fn push(place: &ChoicePoint<'_>) -> SimpleSchedule {
    balanced(Direction::Push, balance_of_push(place))
}

fn balance_of_push(place: &ChoicePoint<'_>) -> LoadBalance {
    match () {
        // Searches of a 4000x4000 grid: 29.0 ms, against 31.9 with lists shared by a block and 32.8 with four lanes
        // each.
        () if has_short_lists(place) => LoadBalance::Wm,
        // Few blocks have work in most steps, and what a balancer prepares is most of the time.
        () if place.graph.edges < SMALL_GRAPH => LoadBalance::Cm,
        // The grid of 140^3 vertices: 2.1 ms, against 2.6 with lists shared out by length.
        () if has_even_lists(place) && place.graph.mean_degree() < WARP_DEGREE => LoadBalance::Wm,
        () => LoadBalance::Etwc,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule at a label of a standard program, on a graph of these numbers.
    fn at(program: &str, label: &str, vertices: usize, edges: usize, greatest_degree: usize) -> String {
        let program = gw_programs::find(program).unwrap_or_else(|e| panic!("{e}"));
        let file = gw_lang::SourceFile::new(program.file, program.source);
        let front = gw_lang::compile_front(&file).unwrap_or_else(|found| panic!("{found:?}"));
        let module = gw_ir::lower(&front.typed, program.source).unwrap_or_else(|e| panic!("{e}"));
        let graph =
            GraphFacts { vertices, edges, greatest_degree, symmetric: true, mean_weight: Some(50.0), gini: None };
        let (module, choice) = choose_by_facts(module, &graph);
        let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
        gw_ir::run_pipeline(module, &choice.schedule, &options).unwrap_or_else(|e| panic!("{e}"));
        choice.schedule.get(label).map_or(String::new(), |schedule| schedule.to_string())
    }

    const KRON18: (usize, usize, usize) = (1 << 18, 7_600_000, 25_000);
    const URAND18: (usize, usize, usize) = (1 << 18, 8_388_000, 63);
    const POWERS: (usize, usize, usize) = (1_000_000, 8_170_000, 1000);
    const ROAD: (usize, usize, usize) = (1_000_000, 3_796_000, 4);
    const KRON22: (usize, usize, usize) = (1 << 22, 128_000_000, 160_000);

    #[test]
    fn what_is_combined_again_and_again_is_pushed_up_to_the_measured_size() {
        let on = |program: &str, (vertices, edges, greatest): (usize, usize, usize)| {
            at(program, "s0:s1", vertices, edges, greatest)
        };
        assert_eq!([on("sssp", KRON18), on("sssp", URAND18)], ["push,lb=etwc", "push,lb=cm"]);
        assert_eq!([on("cc", KRON18), on("cc", POWERS)], ["push,lb=merge-path", "push,lb=cm"]);
        assert_eq!(on("pagerank-delta", KRON18), "push,lb=merge-path");
        assert_eq!([on("sssp", ROAD), on("cc", ROAD)], ["push,lb=wm", "push,lb=wm"]);
        assert_eq!(on("cc", (1 << 17, 2_900_000, 9000)), "push,lb=merge-path");
        let large_road = (16_000_000, 64_000_000, 4);
        assert_eq!([on("sssp", large_road), on("cc", large_road)], ["push,lb=wm", "push,lb=wm"]);
        // Pulls where no list is long.
        assert!(on("cc", URAND18).starts_with("hybrid,by=edges-ahead,at=0.05+push,lb=vw8+pull,lb=vertex-based"));
        assert_eq!(on("pagerank-delta", URAND18), "push,lb=cm");
        // Searches change their direction as ever, and so does everything on larger graphs.
        for (program, graph) in [("bfs", KRON18), ("cc", KRON22), ("sssp", KRON22)] {
            assert!(on(program, graph).starts_with("hybrid"), "{program}");
        }
    }

    #[test]
    fn bucket_widths_fall_without_a_jump() {
        let width = |edges: usize| {
            let schedule = at("sssp-delta", "s0:s1", edges / 16, edges, 1000);
            let delta = schedule.rsplit("delta=").next().and_then(|delta| delta.parse::<f64>().ok());
            delta.unwrap_or_else(|| panic!("{schedule}"))
        };
        assert_eq!([width(8 << 20), width(16 << 20), width(32 << 20), width(1 << 27)], [1600.0, 1600.0, 50.0, 50.0]);
        let steps: Vec<f64> = (0..=20).map(|step| width((16 << 20) + (step << 20) * 16 / 20)).collect();
        assert!(steps.is_sorted_by(|a, b| a >= b), "{steps:?}");
        // An edge more in twenty changes the width by less than a third.
        assert!(steps.windows(2).all(|pair| pair[1] > 0.7 * pair[0]), "{steps:?}");
        // Meshes have long paths, whatever their size.
        assert_eq!(at("sssp-delta", "s0:s1", 1 << 24, 100_000_000, 6), "push,lb=wm,delta=1600");
    }

    #[test]
    fn balances_of_queues_sums_and_intersections_follow_the_survey() {
        let on = |program: &str, label: &str, (vertices, edges, greatest): (usize, usize, usize)| {
            at(program, label, vertices, edges, greatest)
        };
        assert_eq!(on("kcore", "s0:s1", ROAD), "push,lb=cm");
        assert_eq!(on("kcore", "s0:s1", KRON22), "push,lb=etwc");
        assert_eq!(on("sssp-delta", "s0:s1", URAND18), "push,lb=cm,delta=1600");
        assert_eq!(on("sssp-delta", "s0:s1", KRON18), "push,lb=etwc,delta=1600");
        assert_eq!(on("sssp-delta", "s0:s1", KRON22), "push,lb=etwc,delta=50");
        assert_eq!(on("pagerank", "s0:s1", URAND18), "pull,lb=vertex-based");
        assert_eq!(on("pagerank", "s0:s1", KRON18), "pull,lb=etwc");
        assert_eq!([on("tc", "s1", KRON18), on("tc", "s1", URAND18)], ["pull,lb=strict", "pull,lb=cm"]);
        assert_eq!([on("tc", "s1", ROAD), on("tc", "s1", KRON22)], ["pull,lb=vertex-based", "pull,lb=etwc"]);
        // Large and sparse: lists are shared out.
        assert_eq!(on("tc", "s1", POWERS), "pull,lb=etwc");
    }
}
