//! The reference machine gives the same results for a module at every stage of the pipeline, under every schedule and
//! in every order: random graphs x programs x schedules x stages x shuffles.

use crate::common;

use std::cell::RefCell;
use std::sync::Arc;

use common::{HEAD, WEIGHTED, lower, options};
use gw_exec::{Program, ReferenceVm};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_ir::pass_names;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const BFS: &str = "const level : vector{Node}(int) = -1;
func fresh(v : Node) -> b : bool  b = level[v] == -1; end
func visit[d : int](src : Node, dst : Node) level[dst] = d; end
func main()
    var f : vertexset{Node} = new vertexset{Node}(0);
    f.addVertex(0); level[0] = 0;
    var d : int = 1;
    #s0# while f.getVertexSetSize() != 0
        #s1# var next : vertexset{Node} = links.from(f).to(fresh).applyModified(visit[d], level, true);
        delete f;
        f = next;
        d = d + 1;
    end
end
";

const SSSP: &str = "const dist : vector{Node}(int) = 1000000;
func relax(src : Node, dst : Node, w : int) dist[dst] min= dist[src] + w; end
func main()
    var f : vertexset{Node} = new vertexset{Node}(0);
    f.addVertex(0); dist[0] = 0;
    #s0# while f.getVertexSetSize() != 0
        #s1# var next : vertexset{Node} = links.from(f).applyModified(relax, dist);
        delete f;
        f = next;
    end
end
";

const DELTA: &str = "const dist : vector{Node}(int) = 2147483647;
const pq : priority_queue{Node}(int);
func relax(src : Node, dst : Node, w : int) pq.updatePriorityMin(dst, dist[dst], dist[src] + w); end
func main()
    dist[0] = 0;
    pq = new priority_queue{Node}(int)(false, false, dist, 1, 0, false, 0);
    #s0# while (pq.finished() == false)
        var f : vertexset{Node} = pq.dequeue_ready_set();
        #s1# links.from(f).applyUpdatePriority(relax);
        delete f;
    end
end
";

const COMPONENTS: &str = "const id : vector{Node}(int) = 0;
func own(v : Node) id[v] = v; end
func least(src : Node, dst : Node) id[dst] min= id[src]; end
func main()
    nodes.apply(own);
    var f : vertexset{Node} = new vertexset{Node}(nodes.size());
    #s0# while f.getVertexSetSize() != 0
        #s1# var next : vertexset{Node} = links.from(f).applyModified(least, id);
        delete f;
        f = next;
    end
end
";

/// Path counts: a repeat in a frontier would double them.
const PATHS: &str = "const paths : vector{Node}(int) = 0;
const visited : vector{Node}(bool) = false;
const rounds : int = 0;
func fresh(v : Node) -> b : bool  b = visited[v] == false; end
func count(src : Node, dst : Node) paths[dst] += paths[src]; end
func mark(v : Node) visited[v] = true; end
func main()
    var f : vertexset{Node} = new vertexset{Node}(0);
    f.addVertex(0); paths[0] = 1; visited[0] = true;
    #s0# while f.getVertexSetSize() != 0
        #s1# var next : vertexset{Node} = links.from(f).to(fresh).applyModified(count, paths);
        #s2# next.apply(mark);
        rounds += 1;
        delete f;
        f = next;
    end
end
";

const CORES: &str = "const core : vector{Node}(int) = links.getOutDegrees();
const pq : priority_queue{Node}(int);
func peel(src : Node, dst : Node) pq.updatePrioritySum(dst, -1, pq.get_current_priority()); end
func main()
    pq = new priority_queue{Node}(int)(false, false, core, 1, 0, true, -1);
    var done : int = 0;
    #s0# while done != nodes.size()
        var ready : vertexset{Node} = pq.dequeue_ready_set();
        done += ready.getVertexSetSize();
        #s1# links.from(ready).applyUpdatePriority(peel);
        delete ready;
    end
end
";

const TRIANGLES: &str = "const total : int = 0;
const found : vector{Node}(uint_64) = 0;
func close(src : Node, dst : Node)
    if src > dst found[src] += intersectNeighbor(links, src, dst); end
end
func main()
    #s1# links.apply(close);
    total = found.sum();
end
";

fn cpu(lines: &[&str]) -> String {
    format!("schedule:\nprogram->{};\n", lines.join("->"))
}

fn frontier_schedules() -> Vec<String> {
    vec![
        String::new(),
        cpu(&[
            "configApplyDirection(\"s0:s1\", \"DensePull\")",
            "configApplyParallelization(\"s0:s1\", \"dynamic-vertex-parallel\")",
        ]),
        cpu(&[
            "configApplyDirection(\"s0:s1\", \"SparsePush-DensePull\")",
            "configApplyParallelization(\"s0:s1\", \"dynamic-vertex-parallel\")",
        ]),
        cpu(&["configApplyDirection(\"s0:s1\", \"DensePush-SparsePush\")"]),
        "schedule:
SimpleGPUSchedule a; a.configDirection(PUSH); a.configLoadBalance(TWCE); a.configFrontierCreation(FUSED);
a.configDeduplication(ENABLED);
SimpleGPUSchedule b; b.configDirection(PULL, BITMAP); b.configFrontierCreation(UNFUSED_BITMAP);
HybridGPUSchedule h(INPUT_VERTEXSET_SIZE, 0.3, a, b);
program->applyGPUSchedule(\"s0:s1\", h);
"
        .into(),
        "schedule:
SimpleGPUSchedule a; a.configLoadBalance(CM); a.configFrontierCreation(UNFUSED_BOOLMAP);
SimpleGPUSchedule k; k.configKernelFusion(ENABLED);
program->applyGPUSchedule(\"s0:s1\", a);
program->applyGPUSchedule(\"s0\", k);
"
        .into(),
    ]
}

fn priority_schedules() -> Vec<String> {
    ["lazy_priority_update", "eager_priority_update", "eager_priority_update_with_merge"]
        .iter()
        .map(|kind| {
            cpu(&[
                &format!("configApplyPriorityUpdate(\"s0:s1\", \"{kind}\")"),
                "configApplyPriorityUpdateDelta(\"s0:s1\", 4)",
            ])
        })
        .chain([String::new()])
        .collect()
}

fn programs() -> Vec<(&'static str, String, Vec<String>, &'static str)> {
    let core_schedules =
        vec![String::new(), cpu(&["configApplyPriorityUpdate(\"s0:s1\", \"constant_sum_reduce_before_update\")"])];
    vec![
        ("bfs", format!("{HEAD}{BFS}"), frontier_schedules(), "level"),
        ("sssp", format!("{WEIGHTED}{SSSP}"), frontier_schedules(), "dist"),
        ("delta", format!("{WEIGHTED}{DELTA}"), priority_schedules(), "dist"),
        ("components", format!("{HEAD}{COMPONENTS}"), frontier_schedules(), "id"),
        ("paths", format!("{HEAD}{PATHS}"), frontier_schedules(), "paths"),
        ("cores", format!("{HEAD}{CORES}"), core_schedules, "core"),
        ("triangles", format!("{HEAD}{TRIANGLES}"), vec![String::new()], "found"),
    ]
}

/// One prepared variant of a program.
struct Variant {
    name: String,
    program: RefCell<Program>,
}

fn variants(source: &str, schedules: &[String]) -> Vec<Variant> {
    let mut variants = Vec::new();
    let mut seed = 0;
    for (index, schedule) in schedules.iter().enumerate() {
        let (module, schedule) = lower(&format!("{source}{schedule}"));
        let mut stages = vec![("lowered", module.clone())];
        let mut last = module.clone();
        for pass in pass_names() {
            let options = gw_ir::Options { after: Some(pass.into()), ..Default::default() };
            let staged = gw_ir::run_pipeline(module.clone(), &schedule, &options)
                .unwrap_or_else(|e| panic!("schedule {index}: {e}\n{source}"));
            if staged != last {
                stages.push((pass, staged.clone()));
                last = staged;
            }
        }
        for (stage, module) in stages {
            seed += 1;
            for vm in [ReferenceVm::new(), ReferenceVm::shuffled(seed)] {
                let program = Program::prepare(&vm, Arc::new(module.clone())).unwrap();
                let name = format!("schedule {index} after {stage} on {vm:?}");
                variants.push(Variant { name, program: RefCell::new(program) });
            }
        }
    }
    variants
}

fn graphs() -> impl Strategy<Value = Arc<Graph>> {
    (1usize..12).prop_flat_map(|n| {
        let id = 0..n as u32;
        prop::collection::vec((id.clone(), id, 1i32..20), 0..40).prop_map(move |edges| {
            let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
            Arc::new(build(EdgeList::from_triples(n, edges), &options).unwrap())
        })
    })
}

#[test]
fn all_stages_agree() {
    for (name, source, schedules, vector) in programs() {
        let variants = variants(&source, &schedules);
        assert!(variants.len() >= 4, "{name}");
        let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&graphs(), |graph| {
            let options = options(graph, &[]);
            let mut expected: Option<Vec<f64>> = None;
            for variant in &variants {
                let result = variant.program.borrow_mut().run(&options);
                let result = result.map_err(|e| TestCaseError::fail(format!("{name}, {}: {e}", variant.name)))?;
                let values = result.globals.vector(vector).map(|v| v.to_f64()).unwrap_or_default();
                match &expected {
                    None => expected = Some(values),
                    Some(expected) => prop_assert_eq!(&values, expected, "{}, {}", name, variant.name),
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
