//! How fast the reference machine interprets; run with `cargo test --release -p gw-exec --test all speed -- --ignored
//! --nocapture`.

use std::sync::Arc;

use crate::common::{HEAD, lower};
use gw_exec::{Program, ReferenceVm, RunOptions, StepRecord};
use std::sync::Mutex;

#[test]
#[ignore = "a measurement, not a check"]
fn edges_per_second() {
    let cases = [
        (
            "count",
            "const x : vector{Node}(int) = 0;
func f(src : Node, dst : Node) x[dst] += 1; end
func main() #s# links.apply(f); end
",
        ),
        (
            "pagerank",
            "const x : vector{Node}(double) = 1.0;
const y : vector{Node}(double) = 0.0;
func f(src : Node, dst : Node) y[dst] += x[src]; end
func main() #s# links.apply(f); end
",
        ),
        (
            "labels",
            "const x : vector{Node}(int) = 0;
func own(v : Node) x[v] = v; end
func f(src : Node, dst : Node) x[dst] min= x[src]; end
func main() nodes.apply(own); #s# var m : vertexset{Node} = links.applyModified(f, x); print m.getVertexSetSize(); end
",
        ),
        (
            "bfs",
            "const x : vector{Node}(int) = -1;
func fresh(v : Node) -> b : bool  b = x[v] == -1; end
func f(src : Node, dst : Node) x[dst] = src; end
func main() #s# var m : vertexset{Node} = links.to(fresh).applyModified(f, x, true); print m.getVertexSetSize(); end
",
        ),
    ];
    let mut options = RunOptions::with_args(["kron:18"]);
    for (name, body) in cases {
        let mut program = Program::prepare(&ReferenceVm::new(), Arc::new(lower(&format!("{HEAD}{body}")).0)).unwrap();
        let best: Arc<Mutex<f64>> = Arc::default();
        let sink = Arc::clone(&best);
        options.observer = Some(Arc::new(move |record: &StepRecord| {
            if record.path == "s" {
                // Filtered edges count as well: each costs a test.
                let mut best = sink.lock().unwrap();
                *best = best.max(1.0 / record.seconds);
            }
        }));
        let mut edges = 0;
        for _ in 0..3 {
            let result = program.run(&options).unwrap();
            edges = result.globals.get("links").and_then(|g| g.as_graph()).map_or(0, |g| g.edges());
        }
        println!("{name:10} {:6.1} M edges/s", *best.lock().unwrap() * edges as f64 / 1e6);
    }
}
