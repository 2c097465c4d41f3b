//! The schedule that this machine takes when nobody gives one: a rule per operator, from the program and from cheap facts
//! about the graph and the processor. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | edge operator from a set | push, and pull where much work lies ahead; only push in searches (`to` is given) at mean degrees below 4 |
//! | edge operator over all edges that writes destinations | pull, shared by edges; cache segments where the vectors it reads by source outgrow the second-level cache |
//! | other edge operators | push, chunks of vertices |
//! | least-priority updates in an ordered loop | eager buckets with merging; width from mean weight and mean degree |
//! | sums of a constant | one update per vertex and round |
//! | other priority updates | lazy buckets |
//! | intersections | by the lengths of the lists |
//! | vertex operators | chunks of vertices |

use gw_exec::{Choice, Reason, label_operators};
use gw_graph::{Graph, Weights};
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::points::{self, Point};
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_ir::walk;
use gw_schedule::{
    Direction, Fraction, FrontierForm, Hybrid, Intersection, Parallelism, Param, PointKind, PriorityChange,
    PriorityUpdate, ProgramPoint, Schedule, SimpleSchedule, Sources,
};

use crate::capability::capabilities;
use crate::codegen::cell_bytes;

/// What the rule knows about a graph. Cheap to find, whatever the size.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFacts {
    /// Vertices.
    pub vertices: usize,
    /// Stored edges.
    pub edges: usize,
    /// Every edge is stored in both directions.
    pub symmetric: bool,
    /// Mean weight, of a sample.
    pub mean_weight: Option<f64>,
}

impl GraphFacts {
    /// The facts about a graph.
    pub fn of(graph: &Graph) -> GraphFacts {
        const SAMPLE: usize = 1 << 12;
        let stride = (graph.edges() / SAMPLE).max(1);
        let mean = |sum: f64| sum / graph.edges().div_ceil(stride) as f64;
        let mean_weight = match graph.out().weights() {
            Weights::None => None,
            _ if graph.edges() == 0 => None,
            Weights::Int(w) => Some(mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum())),
            Weights::Float(w) => Some(mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum())),
        };
        GraphFacts { vertices: graph.vertices(), edges: graph.edges(), symmetric: graph.is_symmetric(), mean_weight }
    }

    /// Edges per vertex.
    pub fn mean_degree(&self) -> f64 {
        self.edges as f64 / self.vertices.max(1) as f64
    }
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub fn choose(mut module: Module, graph: &GraphFacts) -> (Module, Choice) {
    label_operators(&mut module);
    let places = points::program_points(&module);
    let mut choice = Choice::default();
    for place in &places {
        let Some(path) = place.path.as_deref() else { continue };
        // Functions may use a label again: the first place decides for all of them.
        if choice.schedule.get(path).is_some() {
            continue;
        }
        let Some((schedule, because)) = rule(&module, place, graph) else { continue };
        // What a place of this path or this machine forbids leaves the path to the defaults.
        let legal = places.iter().filter(|p| p.path == place.path).all(|p| schedule.legal(&p.point).is_ok());
        if schedule.is_default() || !legal || !capabilities().unsupported(&schedule).is_empty() {
            continue;
        }
        let reason = Reason {
            path: path.to_string(),
            line: place.span.line,
            what: place.point.kind.phrase(),
            schedule: schedule.to_string(),
            because,
        };
        if choice.schedule.set(path, schedule).is_ok() {
            choice.reasons.push(reason);
        }
    }
    (module, choice)
}

fn rule(module: &Module, place: &Point, graph: &GraphFacts) -> Option<(Schedule, String)> {
    match place.point.kind {
        PointKind::EdgeOperator => Some(edge_rule(module, &place.point, operator_at(module, place)?, graph)),
        PointKind::PriorityOperator => Some(priority_rule(&place.point, graph)),
        PointKind::Intersection => {
            let schedule = SimpleSchedule { intersection: Some(Intersection::Combined), ..SimpleSchedule::default() };
            Some((schedule.into(), "merge lists of similar length, search the longer one otherwise".to_string()))
        }
        _ => None,
    }
}

fn edge_rule(module: &Module, point: &ProgramPoint, op: &EdgeSetIterator, graph: &GraphFacts) -> (Schedule, String) {
    let degree = graph.mean_degree();
    let push = parallel(Direction::Push, Parallelism::Dynamic);
    let writes = writes(module, op);
    match point.from {
        // A filter on destinations is the mark of a search; without one a set may begin with all vertices.
        Sources::Set if degree < FLAT_DEGREE && point.has_to => {
            (push.into(), format!("mean degree {degree:.1}: frontiers of a search stay small, so it always pushes"))
        }
        Sources::Set => {
            let pull = SimpleSchedule {
                frontier: Some(FrontierForm::Bitmap),
                ..parallel(Direction::Pull, Parallelism::Dynamic)
            };
            let threshold = Param::Value(PULL_SHARE);
            let hybrid = Schedule::from(Hybrid { threshold, first: push, second: pull, ..Hybrid::push_pull() });
            match hybrid.legal(point) {
                Ok(()) => {
                    (hybrid, format!("mean degree {degree:.1}: pulls while more than a tenth of the edges lies ahead"))
                }
                Err(_) => (push.into(), "pulling is not possible here".to_string()),
            }
        }
        Sources::All if writes == Writes::Destination => {
            let pull = parallel(Direction::Pull, Parallelism::EdgeAware);
            let bytes = bytes_by_source(module, op) * graph.vertices;
            let cache = second_level_cache();
            let segments = bytes.div_ceil(cache);
            let segmented = SimpleSchedule { segments: Some(Param::Value(segments as u64)), ..pull };
            if segments > 1 && degree >= DENSE_DEGREE && segmented.legal(point).is_ok() {
                let because = format!(
                    "all edges, destinations owned; {} of vectors read by source against a cache of {}",
                    mib(bytes),
                    mib(cache)
                );
                return (segmented.into(), because);
            }
            (pull.into(), "all edges: pulling owns its destinations, no atomics".to_string())
        }
        Sources::All => (push.into(), "its writes are not owned by destinations".to_string()),
        Sources::Filter => (push.into(), "sources are tested: pushing tests each once".to_string()),
    }
}

/// Below this mean degree frontiers of a search stay small.
const FLAT_DEGREE: f64 = 4.0;
/// From this mean degree on, segments save more than their extra lists cost.
const DENSE_DEGREE: f64 = 8.0;

fn priority_rule(point: &ProgramPoint, graph: &GraphFacts) -> (Schedule, String) {
    let push = parallel(Direction::Push, Parallelism::Dynamic);
    let eager = SimpleSchedule {
        update: Some(PriorityUpdate::EagerWithMerge),
        delta: Some(Param::Value(bucket_width(graph))),
        ..push
    };
    if point.priority_change == Some(PriorityChange::Min) && point.eager_loop && eager.legal(point).is_ok() {
        let weight = graph.mean_weight.unwrap_or(1.0);
        let because =
            format!("mean weight {weight:.0}, mean degree {:.1}: bucket width from both", graph.mean_degree());
        return (eager.into(), because);
    }
    let counted = SimpleSchedule { update: Some(PriorityUpdate::ConstantSum), ..push };
    if point.priority_change == Some(PriorityChange::ConstantSum) && graph.symmetric && counted.legal(point).is_ok() {
        return (counted.into(), "a constant per edge: counted first, one update per vertex and round".to_string());
    }
    (push.into(), "lazy buckets".to_string())
}

/// The share of the edges ahead from which on a search pulls. Lists are fetched ahead, which makes pushing cheaper than
/// the customary twentieth assumes (bench/cpu-choice.md).
const PULL_SHARE: Fraction = Fraction::ratio(1, 10);

/// The denser a graph, the sooner a bucket is settled and the more work a wide one wastes; the best width falls with the
/// square of the degree, down to a small part of the mean weight. The factors are measured (bench/cpu-choice.md).
fn bucket_width(graph: &GraphFacts) -> u64 {
    let weight = graph.mean_weight.unwrap_or(1.0).max(1.0);
    let degree = graph.mean_degree().max(1.0);
    let factor = (22.0 / (degree * degree)).max(1.0 / 40.0);
    ((weight * factor).round() as u64).max(1)
}

fn parallel(direction: Direction, parallelism: Parallelism) -> SimpleSchedule {
    SimpleSchedule { parallelism: Some(parallelism), ..SimpleSchedule::with_direction(direction) }
}

fn mib(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Bytes of the second-level cache of a core; 1 MiB where the system does not tell.
fn second_level_cache() -> usize {
    let told = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index2/size").ok();
    let size = told.and_then(|text| text.trim().strip_suffix('K')?.parse::<usize>().ok());
    size.map_or(1 << 20, |kib| kib << 10).max(1 << 16)
}

/// Whose entries an edge function writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Destination,
    Other,
}

fn writes(module: &Module, op: &EdgeSetIterator) -> Writes {
    let Some(function) = module.function(&op.apply.name) else { return Writes::Other };
    let Some(destination) = function.params.get(1) else { return Writes::Other };
    // A function that only adds to scalars owns all it writes as well.
    let mut only = true;
    each_write(function, &mut |target| {
        if let ExprKind::Element { index, .. } = &target.kind {
            only &= index.as_var() == Some(&destination.name);
        }
    });
    let calls = walks(function, |e| matches!(e.kind, ExprKind::Call { .. }));
    if only && !calls { Writes::Destination } else { Writes::Other }
}

/// Bytes per vertex of the vectors that an edge function reads at its source.
fn bytes_by_source(module: &Module, op: &EdgeSetIterator) -> usize {
    let Some(function) = module.function(&op.apply.name) else { return 0 };
    let Some(source) = function.params.first() else { return 0 };
    let mut vectors: Vec<(Name, usize)> = Vec::new();
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
        if let ExprKind::Element { vector, index, .. } = &e.kind
            && index.as_var() == Some(&source.name)
            && let Some(name) = vector.place_root()
        {
            vectors.push((name.clone(), e.ty.scalar().map_or(8, |s| cell_bytes(s) as usize)));
        }
    });
    vectors.sort();
    vectors.dedup();
    vectors.iter().map(|(_, bytes)| bytes).sum()
}

fn each_write(function: &Function, visit: &mut dyn FnMut(&Expr)) {
    let body = function.body.as_deref().unwrap_or_default();
    walk::walk_stmts(body, &mut |stmt| {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            visit(target);
        }
    });
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } = &e.kind {
            visit(target);
        }
    });
}

fn walks(function: &Function, test: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| found |= test(e));
    found
}

/// The edge operator of the statement at a place.
fn operator_at<'m>(module: &'m Module, place: &Point) -> Option<&'m EdgeSetIterator> {
    let label = place.path.as_deref()?.rsplit(':').next();
    walk::bodies(module).find_map(|body| {
        let mut found = None;
        walk::walk_stmts(body, &mut |stmt| {
            // Spans are all equal to `==`.
            let here = (stmt.span.start, stmt.span.end) == (place.span.start, place.span.end);
            if here && stmt.label.as_deref() == label && found.is_none() {
                found = stmt.operator().and_then(Operator::edges);
            }
        });
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(vertices: usize, degree: usize, mean_weight: Option<f64>) -> GraphFacts {
        GraphFacts { vertices, edges: vertices * degree, symmetric: true, mean_weight }
    }

    /// A choice for a program text; every one must pass the pipeline.
    fn chosen(text: &str, graph: &GraphFacts) -> Choice {
        let file = gw_lang::SourceFile::new("test.gt", text);
        let front = gw_lang::compile_front(&file).unwrap_or_else(|found| panic!("{found:?}"));
        let module = gw_ir::lower(&front.typed, text).unwrap_or_else(|e| panic!("{e}"));
        let (module, choice) = choose(module, graph);
        gw_ir::run_pipeline(module, &choice.schedule, &gw_ir::Options::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(choice.reasons.len(), choice.schedule.labels().len());
        choice
    }

    fn standard(program: &str, graph: &GraphFacts) -> Choice {
        chosen(gw_programs::find(program).unwrap_or_else(|e| panic!("{e}")).source, graph)
    }

    /// The schedule and the reason at a label.
    fn at<'c>(choice: &'c Choice, path: &str) -> (&'c str, &'c str) {
        let reason = choice.reasons.iter().find(|r| r.path == path);
        reason.map(|r| (r.schedule.as_str(), r.because.as_str())).unwrap_or_else(|| panic!("{path}: {choice:?}"))
    }

    #[test]
    fn searches_change_direction_on_dense_graphs_only() {
        let dense = standard("bfs", &facts(1 << 20, 32, None));
        let (schedule, because) = at(&dense, "s0:s1");
        assert!(
            schedule.starts_with("hybrid") && schedule.contains("+push") && schedule.contains("+pull"),
            "{schedule}"
        );
        assert!(because.contains("32.0"), "{because}");
        let flat = facts(1 << 20, 2, None);
        assert_eq!(at(&standard("bfs", &flat), "s0:s1").0, "push,par=dynamic");
        // Not a search: all vertices are active at first.
        assert!(at(&standard("cc", &flat), "s0:s1").0.starts_with("hybrid"));
    }

    #[test]
    fn segments_are_for_vectors_beyond_the_cache_on_dense_graphs() {
        let pagerank = |vertices, degree| {
            let choice = standard("pagerank", &facts(vertices, degree, None));
            let pulls = choice.reasons.iter().find(|r| r.schedule.starts_with("pull"));
            pulls.map(|r| r.schedule.clone()).unwrap_or_else(|| panic!("{choice:?}"))
        };
        assert!(pagerank(1 << 28, 16).contains("segments="), "{}", pagerank(1 << 28, 16));
        assert!(!pagerank(1 << 28, 2).contains("segments="));
        assert!(!pagerank(1 << 10, 16).contains("segments="));
    }

    #[test]
    fn bucket_widths_follow_the_graph() {
        let width = |graph: &GraphFacts| {
            let choice = standard("sssp-delta", graph);
            let schedule: Schedule = at(&choice, "s0:s1").0.parse().unwrap_or_else(|e| panic!("{e}"));
            let Schedule::Simple(simple) = schedule else { panic!("{choice:?}") };
            assert_eq!(simple.update, Some(PriorityUpdate::EagerWithMerge));
            match simple.delta {
                Some(Param::Value(width)) => width,
                other => panic!("{other:?}"),
            }
        };
        let (dense, flat) = (width(&facts(1 << 16, 32, Some(128.0))), width(&facts(1 << 16, 3, Some(128.0))));
        assert_eq!((dense, flat), (3, 313));
        assert_eq!(width(&facts(1 << 16, 99, Some(128.0))), dense);
        assert_eq!(width(&facts(1 << 16, 32, Some(0.0))), 1);
        assert_eq!(width(&facts(1 << 16, 3, None)), 2);
    }

    const UNLABELLED: &str = "
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const near : vector{Vertex}(int) = 0;
const far : vector{Vertex}(int) = 0;
func inward(src : Vertex, dst : Vertex)
    near[dst] += far[src];
end
func outward(src : Vertex, dst : Vertex)
    far[src] += 1;
end
func main()
    edges.apply(outward);
    edges.apply(inward);
end
";

    #[test]
    fn operators_without_labels_are_told_apart() {
        let choice = chosen(UNLABELLED, &facts(100, 10, None));
        assert_eq!(at(&choice, "op1").0, "push,par=dynamic");
        assert_eq!(at(&choice, "op2").0, "pull,par=edge-aware");
        let lines: Vec<u32> = choice.reasons.iter().map(|r| r.line).collect();
        assert_eq!(lines, [14, 15]);
        let shown = choice.reasons[0].to_string();
        assert!(shown.contains("line 14, `op1` (an edge operator): push") && shown.contains("owned"), "{shown}");
    }

    #[test]
    fn a_label_used_twice_gets_a_schedule_that_is_legal_at_both() {
        let text = UNLABELLED.replace(
            "func main()\n    edges.apply(outward);\n    edges.apply(inward);",
            "func first()\n    #s1# edges.apply(inward);\nend\n\
             func main()\n    first();\n    #s1# edges.apply(outward);",
        );
        let choice = chosen(&text, &facts(100, 10, None));
        assert_eq!(choice.reasons.len(), 1);
    }
}
