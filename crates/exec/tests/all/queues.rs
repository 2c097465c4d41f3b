//! Priority queues against simple oracles.

use crate::common;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use common::{HEAD, WEIGHTED, graph, lower, options, run, run_on, weighted};
use gw_exec::ReferenceVm;
use gw_graph::{Graph, Weights};
use proptest::prelude::*;

const DELTA_STEPPING: &str = "const dist : vector{Node}(int) = 2147483647;
const pq : priority_queue{Node}(int);
func relax(src : Node, dst : Node, w : int)
    pq.updatePriorityMin(dst, dist[dst], dist[src] + w);
end
func main()
    var s : int = atoi(argv[2]);
    dist[s] = 0;
    pq = new priority_queue{Node}(int)(false, false, dist, 1, 0, false, s);
    #loop# while (pq.finished() == false)
        var fr : vertexset{Node} = pq.dequeue_ready_set();
        #r# links.from(fr).applyUpdatePriority(relax);
        delete fr;
    end
end
";

fn dijkstra(graph: &Graph, source: u32) -> Vec<i32> {
    let Weights::Int(weights) = graph.out().weights() else { panic!("integer weights") };
    let mut dist = vec![i32::MAX; graph.vertices()];
    dist[source as usize] = 0;
    let mut heap = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((d, v))) = heap.pop() {
        if d > dist[v as usize] {
            continue;
        }
        for (&n, edge) in graph.out().neighbours(v).iter().zip(graph.out().range(v)) {
            let via = d + weights[edge];
            if via < dist[n as usize] {
                dist[n as usize] = via;
                heap.push(Reverse((via, n)));
            }
        }
    }
    dist
}

/// A random weighted graph.
fn graphs() -> impl Strategy<Value = Arc<Graph>> {
    (1usize..14).prop_flat_map(|n| {
        let id = 0..n as u32;
        prop::collection::vec((id.clone(), id, 0i32..20), 0..50).prop_map(move |edges| weighted(n, &edges))
    })
}

proptest! {
    #[test]
    fn delta_stepping_is_dijkstra(g in graphs(), source in 0u32..14, delta in 1u32..9, shuffle in any::<Option<u64>>()) {
        let source = source % g.vertices() as u32;
        let text = format!(
            "{WEIGHTED}{DELTA_STEPPING}schedule:
program->configApplyPriorityUpdateDelta(\"loop:r\", \"argv[3]\");\n"
        );
        let (module, schedule) = lower(&text);
        let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
        let vm = shuffle.map_or_else(ReferenceVm::new, ReferenceVm::shuffled);
        let result = run_on(&vm, module, &options(Arc::clone(&g), &[&source.to_string(), &delta.to_string()]));
        let dist = result.unwrap().globals.vector("dist").and_then(|v| v.to_vec::<i32>());
        prop_assert_eq!(dist, Some(dijkstra(&g, source)));
    }

    #[test]
    fn core_numbers(edges in prop::collection::vec((0u32..12, 0u32..12), 0..60)) {
        let both: Vec<_> = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        let g = graph(12, &both);
        let source = format!(
            "{HEAD}const core : vector{{Node}}(int) = links.getOutDegrees();
const pq : priority_queue{{Node}}(int);
func peel(src : Node, dst : Node)
    var k : int = pq.get_current_priority();
    pq.updatePrioritySum(dst, -1, k);
end
func main()
    pq = new priority_queue{{Node}}(int)(false, false, core, 1, 0, true, -1);
    var done : int = 0;
    while done != nodes.size()
        var ready : vertexset{{Node}} = pq.dequeue_ready_set();
        done += ready.getVertexSetSize();
        links.from(ready).applyUpdatePriority(peel);
        delete ready;
    end
end
"
        );
        let result = run(&source, &options(Arc::clone(&g), &[])).unwrap();
        let core = result.globals.vector("core").and_then(|v| v.to_vec::<i32>());
        prop_assert_eq!(core, Some(core_oracle(&g)));
    }
}

/// Removes a vertex of least degree again and again.
fn core_oracle(graph: &Graph) -> Vec<i32> {
    let n = graph.vertices();
    let mut degree: Vec<i32> = (0..n as u32).map(|v| graph.out().degree(v) as i32).collect();
    let (mut core, mut gone, mut k) = (vec![0; n], vec![false; n], 0);
    for _ in 0..n {
        let v = (0..n).filter(|&v| !gone[v]).min_by_key(|&v| degree[v]).unwrap();
        k = k.max(degree[v]);
        (core[v], gone[v]) = (k, true);
        for &w in graph.out().neighbours(v as u32) {
            degree[w as usize] -= 1;
        }
    }
    core
}

#[test]
fn finished_node_ends_point_to_point() {
    let source = format!("{WEIGHTED}{DELTA_STEPPING}").replace("pq.finished() == false", "not pq.finishedNode(2)");
    let g = weighted(6, &[(0, 1, 1), (1, 2, 1), (2, 3, 50), (0, 3, 100), (3, 4, 1)]);
    let dist = run(&source, &options(Arc::clone(&g), &["0"])).unwrap().globals.vector("dist").unwrap().to_f64();
    assert_eq!(dist[2], 2.0);
    assert_eq!(dist[4], f64::from(i32::MAX), "the search stopped at the target");
    let unreachable = source.replace("finishedNode(2)", "finishedNode(5)");
    assert!(run(&unreachable, &options(g, &["0"])).is_ok(), "ends when nothing is queued");
}

#[test]
fn widest_path_with_decreasing_buckets() {
    let source = format!(
        "{WEIGHTED}const width : vector{{Node}}(int) = 0;
const pq : priority_queue{{Node}}(int);
func widen(src : Node, dst : Node, w : int)
    var via : int = width[src];
    via min= w;
    pq.updatePriorityMax(dst, width[dst], via);
end
func main()
    width[0] = 1000;
    pq = new priority_queue{{Node}}(int)(false, false, width, 0, 1, false, 0);
    while (pq.finished() == false)
        var fr : vertexset{{Node}} = pq.dequeue_ready_set();
        links.from(fr).applyUpdatePriority(widen);
        delete fr;
    end
end
"
    );
    let g = weighted(4, &[(0, 1, 5), (1, 2, 4), (0, 2, 3), (2, 3, 9)]);
    let result = run(&source, &options(g, &[])).unwrap();
    assert_eq!(result.globals.vector("width").unwrap().to_vec::<i32>().unwrap(), [1000, 5, 4, 4]);
}

#[test]
fn negative_weights_are_refused_before_the_first_round() {
    let g = weighted(3, &[(0, 1, 1), (1, 2, -5)]);
    let error = run(&format!("{WEIGHTED}{DELTA_STEPPING}"), &options(g, &["0"])).unwrap_err();
    assert!(error.to_string().starts_with("the graph has the negative weight -5"), "{error}");
    assert!(error.to_string().contains("`sssp`"), "{error}");
    assert!(error.span().line > 0);
}

#[test]
fn negative_priorities_are_refused_where_they_appear() {
    let g = weighted(3, &[(0, 1, 5), (1, 2, 1)]);
    let source = format!("{WEIGHTED}{DELTA_STEPPING}").replace("dist[src] + w", "dist[src] - w");
    let error = run(&source, &options(g, &["0"])).unwrap_err();
    assert!(error.to_string().starts_with("a vertex would get a negative priority"), "{error}");
    assert!(error.span().line > 0);
}

#[test]
fn a_zero_bucket_width_is_refused() {
    let text = format!(
        "{WEIGHTED}{DELTA_STEPPING}schedule:
program->configApplyPriorityUpdateDelta(\"loop:r\", \"argv[3]\");\n"
    );
    let (module, schedule) = lower(&text);
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
    let run = |delta| run_on(&ReferenceVm::new(), module.clone(), &options(weighted(2, &[(0, 1, 1)]), &["0", delta]));
    assert!(run("0").unwrap_err().to_string().contains("at least 1"));
    assert!(run("x").unwrap_err().to_string().contains("argv[3] must be a whole number"));
    assert!(run("3").is_ok());
}

#[test]
fn priorities_end_before_the_value_that_means_not_queued() {
    let with_weight = |weight| {
        let g = weighted(3, &[(0, 1, 2_147_483_646), (1, 2, weight)]);
        run(&format!("{WEIGHTED}{DELTA_STEPPING}"), &options(g, &["0"]))
    };
    let dist = with_weight(0).unwrap().globals.vector("dist").unwrap().to_vec::<i32>().unwrap();
    assert_eq!(dist, [0, 2_147_483_646, 2_147_483_646]);
    for weight in [1, 2] {
        let error = with_weight(weight).unwrap_err();
        assert!(error.to_string().contains("go from 0 to 2147483646"), "{error}");
        assert!(error.span().line > 0);
    }
}

#[test]
fn sums_of_priorities_must_fit() {
    let source = |first: i64, amount: i64, floor: i64| {
        format!(
            "{HEAD}const rank : vector{{Node}}(int) = {first};
const pq : priority_queue{{Node}}(int);
func add(src : Node, dst : Node)
    pq.updatePrioritySum(dst, {amount}, {floor});
end
func main()
    pq = new priority_queue{{Node}}(int)(false, false, rank, 1, 0, true, -1);
    links.applyUpdatePriority(add);
    print rank[1];
end"
        )
    };
    let printed = |source: String| run(&source, &options(graph(2, &[(0, 1)]), &[])).map(|r| r.printed);
    assert_eq!(printed(source(2_147_483_600, 46, 0)).unwrap(), "2147483646\n");
    // Neither what is at the floor nor what nothing is added to can overflow.
    assert_eq!(printed(source(2_147_483_600, 100, 2_147_483_600)).unwrap(), "2147483600\n");
    assert_eq!(printed(source(2_147_483_647, 0, 0)).unwrap(), "2147483647\n");
    for amount in [47, 48, 100] {
        let error = printed(source(2_147_483_600, amount, 0)).unwrap_err();
        assert!(error.to_string().contains("go from 0 to 2147483646"), "{error}");
    }
}
