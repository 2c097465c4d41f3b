//! The rules by which this machine takes a schedule when nobody gives one, from the program and from cheap facts
//! about the graph and the processor. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | edge operator from a set that changes nothing at destinations | push |
//! | other edge operator from a set | push, and pull where much work lies ahead; only push in searches (`to` is given) of flat graphs |
//! | edge operator over all edges that writes destinations | pull, shared by edges; cache segments where the vectors it reads by source outgrow the second-level cache |
//! | other edge operators | push, chunks of vertices |
//! | least-priority updates in an ordered loop | eager buckets with merging; width from mean weight and mean degree |
//! | sums of a constant | one update per vertex and round |
//! | other priority updates | lazy buckets |
//! | intersections | by the lengths of the lists |
//! | grouped neighbours | a slot for every vertex while these fit the last-level cache, else a hash table |
//! | vertex operators | chunks of vertices |

use gw_exec::{
    Choice, ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, LAZY_BUCKETS, PUSH_ALL_EDGES, PUSH_FLAT_SEARCHES,
    PUSH_SETS, PUSH_WHERE_DESTINATIONS_STAY, Rule, RuleTable, because_it_pulls, because_of_weight_and_degree,
    choose_by_rules, push_in_chunks, push_or_pull, shared_out,
};
use gw_ir::module::Module;
use gw_schedule::{Direction, GroupTable, Parallelism, Param, PriorityChange, PriorityUpdate, SimpleSchedule, Sources};

use crate::capability::capabilities;
use crate::codegen::cell_bytes;
use crate::tuning::{
    BUCKET_WIDTH_FACTOR, DENSE_DEGREE, LEAST_BUCKET_WIDTH_FACTOR, LEAST_BUCKET_WIDTH_FACTOR_IN_CACHE, PULL_SHARE,
};

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub(crate) fn choose(module: Module, graph: &GraphFacts) -> (Module, Choice) {
    choose_by_rules(&RuleTable { family: None, capabilities: capabilities(), rules: RULES }, module, graph)
}

const RULES: &[Rule] = &[
    PUSH_WHERE_DESTINATIONS_STAY,
    PUSH_FLAT_SEARCHES,
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |_| push_or_pull(PULL_SHARE).into(),
        because: |p| because_it_pulls(p, PULL_SHARE),
    },
    PUSH_SETS,
    Rule {
        applies: |p| {
            p.owns_destinations() && bytes_by_source(p) > second_level_cache() && p.graph.mean_degree() >= DENSE_DEGREE
        },
        schedule: |p| {
            let segments = bytes_by_source(p).div_ceil(second_level_cache());
            let segments = Some(Param::Value(segments as u64));
            SimpleSchedule { segments, ..shared_out(Direction::Pull, Parallelism::EdgeAware) }.into()
        },
        because: |p| {
            let (bytes, cache) = (mib(bytes_by_source(p)), mib(second_level_cache()));
            format!("all edges, destinations owned; {bytes} of vectors read by source against a cache of {cache}")
        },
    },
    Rule {
        applies: |p| p.owns_destinations(),
        schedule: |_| shared_out(Direction::Pull, Parallelism::EdgeAware).into(),
        because: |_| "all edges: pulling owns its destinations, no atomics".into(),
    },
    PUSH_ALL_EDGES,
    Rule {
        applies: |p| p.starts_from(Sources::Filter),
        schedule: |_| push_in_chunks().into(),
        because: |_| "sources are tested: pushing tests each once".into(),
    },
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::Min) && p.point.eager_loop,
        schedule: |p| {
            let delta = Some(Param::Value(bucket_width(p.graph)));
            SimpleSchedule { update: Some(PriorityUpdate::EagerWithMerge), delta, ..push_in_chunks() }.into()
        },
        because: because_of_weight_and_degree,
    },
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::ConstantSum) && p.graph.symmetric,
        schedule: |_| SimpleSchedule { update: Some(PriorityUpdate::ConstantSum), ..push_in_chunks() }.into(),
        because: |_| "a constant per edge: counted first, one update per vertex and round".into(),
    },
    LAZY_BUCKETS,
    Rule {
        applies: |p| p.point.has_groups && dense_table_bytes(p) <= last_level_cache(),
        schedule: |_| SimpleSchedule { table: Some(GroupTable::Dense), ..SimpleSchedule::default() }.into(),
        because: |p| {
            let (bytes, cache) = (mib(dense_table_bytes(p)), mib(last_level_cache()));
            format!("a slot for every vertex takes {bytes} of a cache of {cache}: keys never meet")
        },
    },
    Rule {
        applies: |p| p.point.has_groups,
        schedule: |_| SimpleSchedule { table: Some(GroupTable::Hash), ..SimpleSchedule::default() }.into(),
        because: |p| {
            let (bytes, cache) = (mib(dense_table_bytes(p)), mib(last_level_cache()));
            format!("a slot for every vertex takes {bytes}, beyond a cache of {cache}: small tables")
        },
    },
    INTERSECTIONS_BY_LENGTH,
];

/// Bytes of the table of one worker that has a slot for every vertex, with its notes.
fn dense_table_bytes(place: &ChoicePoint<'_>) -> usize {
    place.graph.vertices.next_power_of_two() * (size_of::<i64>() + size_of::<u32>())
}

/// The denser a graph, the sooner a bucket is settled and the more work a wide one wastes; the best width falls with
/// the square of the degree, down to a small part of the mean weight, which is larger on small graphs.
fn bucket_width(graph: &GraphFacts) -> u64 {
    let weight = graph.mean_weight().max(1.0);
    let degree = graph.mean_degree().max(1.0);
    let least = match graph.vertices * size_of::<u32>() < second_level_cache() {
        true => LEAST_BUCKET_WIDTH_FACTOR_IN_CACHE,
        false => LEAST_BUCKET_WIDTH_FACTOR,
    };
    let factor = (BUCKET_WIDTH_FACTOR / (degree * degree)).max(least);
    ((weight * factor).round() as u64).max(1)
}

/// Bytes of the vectors that an edge function touches at its source, for all vertices.
fn bytes_by_source(place: &ChoicePoint<'_>) -> usize {
    let vectors = place.edges.into_iter().flat_map(|edges| edges.vectors.values());
    let at_source = vectors.filter(|vector| vector.read.source || vector.written.source);
    let per_vertex: usize = at_source.map(|vector| vector.entry.map_or(8, |s| cell_bytes(s) as usize)).sum();
    per_vertex * place.graph.vertices
}

fn mib(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Bytes of the second-level cache of a core; 1 MiB where the system does not tell.
fn second_level_cache() -> usize {
    cache_bytes(2).unwrap_or(1 << 20).max(1 << 16)
}

/// Bytes of the last-level cache; 16 MiB where the system does not tell.
fn last_level_cache() -> usize {
    cache_bytes(3).unwrap_or(1 << 24).max(second_level_cache())
}

/// Bytes of the cache of a level, where the system tells.
fn cache_bytes(level: u32) -> Option<usize> {
    let size = std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size")).ok()?;
    let kib: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_schedule::Schedule;

    fn facts(vertices: usize, degree: usize, mean_weight: Option<f64>) -> GraphFacts {
        GraphFacts {
            vertices,
            edges: vertices * degree,
            greatest_degree: degree,
            symmetric: true,
            mean_weight,
            gini: None,
        }
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
        let (dense, flat) = (width(&facts(1 << 28, 32, Some(128.0))), width(&facts(1 << 28, 3, Some(128.0))));
        assert_eq!((dense, flat), (3, 313));
        assert_eq!(width(&facts(1 << 28, 99, Some(128.0))), dense);
        assert_eq!(width(&facts(1 << 12, 32, Some(128.0))), 8);
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

    const IN_A_FUNCTION: &str = "
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const near : vector{Vertex}(int) = 0;
func inward(src : Vertex, dst : Vertex)
    near[dst] += 1;
end
func step(start : Vertex)
    var some : vertexset{Vertex} = new vertexset{Vertex}(0);
    some.addVertex(start);
    edges.from(some).apply(inward);
    delete some;
end
func main()
    step(1);
    var some : vertexset{Vertex} = new vertexset{Vertex}(0);
    some.addVertex(2);
    edges.from(some).apply(inward);
    delete some;
end
";

    /// An operator with two variants brings a copy of its function, which must not move the functions behind it.
    #[test]
    fn operators_of_other_functions_than_main_change_direction() {
        let choice = chosen(IN_A_FUNCTION, &facts(100, 10, None));
        assert!(at(&choice, "op1").0.starts_with("hybrid"), "{choice:?}");
        assert!(at(&choice, "op2").0.starts_with("hybrid"), "{choice:?}");
    }

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
