//! The operator machine of small programs, counted by hand.

use graphwright::{Machine, Program};
use gw_explain::machine::Server;
use gw_explain::{ModelOptions, ModelledStep, Subject, model, typical};
use gw_meter::Target;

/// Breadth-first search over all vertices, level by level, as in the paper: two steps.
const TOPOLOGY_DRIVEN: &str = "\
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const level : vector{Vertex}(int) = -1;
const current : int = 0;

func active(v : Vertex) -> yes : bool
    yes = level[v] == current - 1;
end

func undiscovered(v : Vertex) -> yes : bool
    yes = level[v] == -1;
end

func visit(src : Vertex, dst : Vertex)
    level[dst] = current;
end

func main()
    level[0] = 0;
    current = 1;
    #s1# edges.from(active).to(undiscovered).apply(visit);
    current = 2;
    #s2# edges.from(active).to(undiscovered).apply(visit);
end
";

/// 0 -> 1, 2; then 1 -> 3, 4, 5 and 2 -> 3: at level 2 two active vertices with 3 and 1 edges.
const EDGES: &str = "0 1\n0 2\n1 3\n1 4\n1 5\n2 3\n";

/// The calls of edge operators of a program on a small directed graph, on the CPU with one thread. Steps that remove
/// repeats from a set are left out: they carry the label of their loop, too.
fn steps(program: &Program, edges: &str, more: &[&str], schedule: &str) -> Vec<ModelledStep> {
    let folder = tempfile::tempdir().unwrap();
    let weighted = edges.lines().any(|line| line.split_whitespace().count() == 3);
    let file = folder.path().join(if weighted { "small.wel" } else { "small.el" });
    std::fs::write(&file, edges).unwrap();
    let graph = format!("{}:directed", file.display());
    let args: Vec<String> = std::iter::once(graph).chain(more.iter().map(ToString::to_string)).collect();
    let subject = Subject::new(program, &[], &args).unwrap();
    let wanted = subject.wanted(Some(schedule)).unwrap();
    let machine = Machine::open("cpu").unwrap();
    let sheet = typical(Target::Cpu);
    let run = model(&subject, &wanted, machine.vm(), &sheet, &ModelOptions::default()).unwrap();
    assert_eq!(run.cut_after, None);
    run.steps.into_iter().filter(|step| step.operator == "EdgeSetIterator").collect()
}

fn served(step: &ModelledStep) -> [u64; 6] {
    let of = |server| step.counts.completions[server];
    [
        of(Server::Input),
        of(Server::OwnFilter),
        of(Server::EdgeRange),
        of(Server::Neighbour),
        of(Server::NeighbourFilter),
        step.counts.applied,
    ]
}

#[test]
fn the_worked_example_of_the_paper() {
    let program = Program::parse("levels.gt", TOPOLOGY_DRIVEN).unwrap();
    let steps = steps(&program, EDGES, &[], "s1@push,par=serial;s2@push,par=serial");
    // Level 1: all six vertices are asked, one is active and has two edges to undiscovered vertices.
    assert_eq!(served(&steps[0]), [6, 6, 1, 2, 2, 2]);
    // Level 2: C_ANI = C_NF1 = 6, C_ERL = 2, C_EDL = C_NF2 = 4, C_OP = 3.
    assert_eq!(served(&steps[1]), [6, 6, 2, 4, 4, 3]);
    // Visits per job, where a job is a vertex: 1, 1, 0.33, 0.66, 0.66, 0.5.
    let visits: Vec<f64> = served(&steps[1]).iter().map(|&c| c as f64 / 6.0).collect();
    let expected = [1.0, 1.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.5];
    assert!(visits.iter().zip(expected).all(|(v, e)| (v - e).abs() < 1e-9), "{visits:?}");
}

#[test]
fn a_pull_asks_destinations_and_stops_at_the_first_parent() {
    let bfs = Program::find("bfs").unwrap();
    let pull = steps(&bfs, EDGES, &["0"], "s0:s1@pull");
    // Frontier {0}: six destinations are asked, five are unvisited. Their in-edges: 1 (from 0), 2 (from 0), 3 (from 1
    // and 2, neither in the frontier), 4 (from 1), 5 (from 1). Two find their parent.
    assert_eq!(served(&pull[0]), [6, 6, 5, 6, 6, 2]);
    // Frontier {1, 2}: 3, 4 and 5 are left. 3 stops at its first in-edge and never looks at the second.
    assert_eq!(served(&pull[1]), [6, 6, 3, 3, 3, 3]);
}

#[test]
fn a_queue_hands_out_its_members_only() {
    let bfs = Program::find("bfs").unwrap();
    let push = steps(&bfs, EDGES, &["0"], "s0:s1@push,par=serial");
    assert_eq!(served(&push[0])[..4], [1, 0, 1, 2]);
    assert_eq!(served(&push[1])[..4], [2, 0, 2, 4]);
    // Vertices 3, 4 and 5 enter the output; none of them has edges.
    assert_eq!(push[1].counts.completions[Server::Output], 3);
    assert_eq!(served(&push[2])[..4], [3, 0, 3, 0]);
}

#[test]
fn a_scan_of_all_vertices_tests_the_map_for_each() {
    let bfs = Program::find("bfs").unwrap();
    let dense = steps(&bfs, EDGES, &["0"], "s0:s1@dense-push,par=serial");
    assert_eq!(served(&dense[0])[..4], [6, 6, 1, 2]);
    assert_eq!(served(&dense[1])[..4], [6, 6, 2, 4]);
}

#[test]
fn weights_and_updates_are_counted() {
    let sssp = Program::find("sssp").unwrap();
    // 0 -> 1 (4), 0 -> 2 (1): the first round reads two weights and stores two distances. The second has 1, which has
    // no edges, and 2 -> 1 (1), which lowers the distance of 1 from 4 to 2. The third has 1 again.
    let steps = steps(&sssp, "0 1 4\n0 2 1\n2 1 1\n", &["0"], "s0:s1@push,par=serial");
    let stored = |step: &ModelledStep| step.counts.completions[Server::Write] + step.counts.completions[Server::Atomic];
    let counted: Vec<(u64, u64)> =
        steps.iter().map(|step| (step.counts.completions[Server::Weight], stored(step))).collect();
    assert_eq!(counted, [(2, 2), (1, 1), (0, 0)]);
}
