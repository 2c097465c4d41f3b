//! Updates against runs from scratch, after every one of many random batches.

use std::collections::BTreeMap;

use graphwright::{Changes, Graph, How, Incremental, Machine, Program};
use gw_graph::rng::Rng;
use gw_graph::{Offsets, Symmetry, Weights};

type Edges = BTreeMap<(u32, u32), i32>;

fn graph(vertices: usize, edges: &Edges, weighted: bool, symmetry: Symmetry) -> Graph {
    let mut degrees = vec![0; vertices];
    edges.keys().for_each(|edge| degrees[edge.0 as usize] += 1);
    let targets: Vec<u32> = edges.keys().map(|edge| edge.1).collect();
    let weights = match weighted {
        true => Weights::Int(edges.values().copied().collect::<Vec<i32>>().into()),
        false => Weights::None,
    };
    gw_graph::Graph::from_arrays(Offsets::from_degrees(&degrees), targets.into(), weights, symmetry).unwrap().into()
}

/// A stream of batches: what it does to how many edges, and whether it deletes.
struct Stream {
    vertices: usize,
    edges: usize,
    batches: &'static [usize],
    deletes: bool,
    undirected: bool,
    weighted: bool,
    /// There may be edges from a vertex to itself.
    loops: bool,
}

impl Stream {
    /// The graphs after each batch, with what changed.
    fn play(&self, seed: u64) -> Vec<(Graph, Changes)> {
        let mut rng = Rng::new(seed, 0);
        let (mut vertices, mut now, mut states) = (self.vertices, Edges::new(), Vec::new());
        for &size in [self.edges].iter().chain(self.batches) {
            let before = now.clone();
            for _ in 0..size {
                // Some vertices have many edges, most few; now and then there is a new vertex.
                let mut vertex = || (rng.below(vertices as u64) * rng.below(1000) / 1000) as u32;
                let (a, b) = (vertex(), vertex());
                let weight = rng.below(20) as i32;
                let (a, b) = if !states.is_empty() && rng.below(40) == 0 { (a, vertices as u32) } else { (a, b) };
                let b = if a == b && !self.loops { a ^ 1 } else { b };
                vertices = vertices.max(a.max(b) as usize + 1);
                let deletes = self.deletes && !states.is_empty() && rng.below(2) == 0;
                let nth = rng.below(now.len().max(1) as u64) as usize;
                let edge = match deletes {
                    true => now.keys().nth(nth).copied().unwrap_or((a, b)),
                    false => (a, b),
                };
                let ways = if self.undirected { vec![edge, (edge.1, edge.0)] } else { vec![edge] };
                for way in ways {
                    match deletes {
                        true => drop(now.remove(&way)),
                        false => drop(now.insert(way, weight)),
                    }
                }
            }
            let weight_counts = self.weighted;
            let other = |there: &Edges, edge: &(u32, u32), w: &i32| match there.get(edge) {
                None => true,
                Some(old) => weight_counts && old != w,
            };
            let inserted: Edges = now.iter().filter(|(e, w)| other(&before, e, w)).map(|(e, w)| (*e, *w)).collect();
            let deleted: Edges = before.iter().filter(|(e, w)| other(&now, e, w)).map(|(e, w)| (*e, *w)).collect();
            let symmetry = if self.undirected { Symmetry::Unknown } else { Symmetry::Directed };
            let of = |edges: &Edges, symmetry| graph(vertices, edges, self.weighted, symmetry);
            let changes = Changes {
                inserted: of(&inserted, Symmetry::Directed),
                deleted: of(&deleted, Symmetry::Directed),
                symmetric: self.undirected,
            };
            states.push((of(&now, symmetry), changes));
        }
        states
    }
}

const SMALL: Stream = Stream {
    vertices: 60,
    edges: 90,
    batches: &[1, 1, 2, 5, 1, 10, 3, 1, 30, 1, 2, 0, 4],
    deletes: true,
    undirected: true,
    weighted: false,
    loops: true,
};
const LARGE: Stream = Stream { vertices: 3000, edges: 9000, batches: &[1, 40, 7, 300, 2], ..SMALL };
const SPARSE: Stream = Stream { vertices: 400, edges: 380, ..SMALL };

/// Runs an update after every batch and compares with `same`. Returns how many were updates.
fn follow(
    name: &str,
    args: &[&str],
    machine: &str,
    stream: &Stream,
    seeds: u64,
    same: impl Fn(&graphwright::Outcome, &graphwright::Outcome),
) -> usize {
    let program = Program::find(name).unwrap();
    let machine = match machine.strip_prefix("flow:") {
        Some(workers) => {
            let cluster = gw_flow::Cluster::threads(workers.parse().unwrap()).unwrap();
            Machine::new(gw_flow::FlowVm::new(cluster, 1), 1)
        }
        None => Machine::open(machine).unwrap(),
    };
    let mut updated = 0;
    for seed in 0..seeds {
        let update = program.update().unwrap().unwrap();
        let mut kept = Incremental::new(program.job().args(args.iter().copied()).machine(&machine), update);
        let mut last: Option<graphwright::Outcome> = None;
        for (at, (graph, changes)) in stream.play(seed).iter().enumerate() {
            let (outcome, how) = kept.run(graph, Some(changes)).unwrap();
            outcome.verify().unwrap_or_else(|e| panic!("{name}, seed {seed}, batch {at}: {e}"));
            let scratch = program.on(graph).args(args.iter().copied()).machine(&machine).run().unwrap();
            same(&outcome, &scratch);
            // The update has not changed the outcome that it went on from.
            if let Some(last) = last.replace(outcome) {
                last.verify().unwrap_or_else(|e| panic!("{name}, seed {seed}, batch {at}: the outcome before: {e}"));
            }
            assert_eq!(how == How::First, at == 0, "{name}");
            updated += usize::from(how == How::Updated);
        }
    }
    updated
}

fn vectors_agree(name: &'static str) -> impl Fn(&graphwright::Outcome, &graphwright::Outcome) {
    move |a, b| assert_eq!(a.vector::<i32>(name).unwrap(), b.vector::<i32>(name).unwrap())
}

#[test]
fn components() {
    for (machine, stream, seeds) in
        [("cpu", &SMALL, 12), ("cpu", &LARGE, 3), ("cpu", &SPARSE, 6), ("reference", &SMALL, 4)]
    {
        let updated = follow("cc", &[], machine, stream, seeds, vectors_agree("label"));
        assert!(updated > 3 * seeds as usize, "{updated} updates on {machine}");
    }
}

#[test]
fn levels() {
    let directed = Stream { undirected: false, deletes: false, ..SMALL };
    let falling_back = Stream { undirected: false, ..SMALL };
    let streams =
        [("cpu", &SMALL, 12), ("cpu", &LARGE, 3), ("cpu", &directed, 5), ("cpu", &SPARSE, 4), ("reference", &SMALL, 4)];
    for (machine, stream, seeds) in streams {
        let same = |a: &graphwright::Outcome, b: &graphwright::Outcome| {
            vectors_agree("level")(a, b);
            assert_eq!(a.scalar::<i32>("depth").unwrap(), b.scalar::<i32>("depth").unwrap());
        };
        let updated = follow("bfs-levels", &["0"], machine, stream, seeds, same);
        assert!(updated > 3 * seeds as usize, "{updated} updates on {machine}");
    }
    follow("bfs-levels", &["0"], "cpu", &falling_back, 3, vectors_agree("level"));
}

/// Any tree of shortest paths will do: the validator of bfs tells.
#[test]
fn trees() {
    let streams = [("cpu", &SMALL, 12), ("cpu", &LARGE, 3), ("cpu", &SPARSE, 4), ("reference", &SMALL, 4)];
    for (machine, stream, seeds) in streams {
        let updated = follow("bfs", &["0"], machine, stream, seeds, |_, _| ());
        assert!(updated > 3 * seeds as usize, "{updated} updates on {machine}");
    }
}

#[test]
fn distances() {
    let [small, large, sparse] = [SMALL, LARGE, SPARSE].map(|stream| Stream { weighted: true, ..stream });
    let directed = Stream { undirected: false, deletes: false, weighted: true, ..SMALL };
    let streams =
        [("cpu", &small, 12), ("cpu", &large, 3), ("cpu", &directed, 5), ("cpu", &sparse, 4), ("reference", &small, 4)];
    for (machine, stream, seeds) in streams {
        let updated = follow("sssp", &["0"], machine, stream, seeds, vectors_agree("dist"));
        // Without deletions a new weight may still be one.
        assert!(updated > 2 * seeds as usize, "{updated} updates on {machine}");
    }
}

#[test]
fn ranks() {
    let directed = Stream { undirected: false, ..SMALL };
    for (machine, stream, seeds) in
        [("cpu", &SMALL, 8), ("cpu", &LARGE, 3), ("cpu", &directed, 8), ("reference", &directed, 3)]
    {
        let same = |a: &graphwright::Outcome, b: &graphwright::Outcome| {
            let (a, b) = (a.vector::<f32>("rank").unwrap(), b.vector::<f32>("rank").unwrap());
            let far: f32 = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum();
            assert!(far < 2e-5, "the ranks differ by {far} in all");
        };
        let updated = follow("pagerank-delta", &[], machine, stream, seeds, same);
        assert_eq!(updated, stream.batches.len() * seeds as usize);
    }
}

#[test]
fn cores() {
    let dense = Stream { vertices: 25, edges: 120, ..SMALL };
    let growing = Stream { deletes: false, ..dense };
    let streams =
        [("cpu", &dense, 12), ("cpu", &growing, 6), ("cpu", &LARGE, 3), ("cpu", &SPARSE, 4), ("reference", &dense, 4)];
    for (machine, stream, seeds) in streams {
        let updated = follow("kcore", &[], machine, stream, seeds, vectors_agree("core"));
        assert_eq!(updated, stream.batches.len() * seeds as usize);
    }
}

#[test]
fn triangles() {
    let dense = Stream { vertices: 25, edges: 120, loops: false, ..SMALL };
    let large = Stream { loops: false, ..LARGE };
    for (machine, stream, seeds) in [("cpu", &dense, 12), ("cpu", &large, 3), ("reference", &dense, 4)] {
        let count = |a: &graphwright::Outcome, b: &graphwright::Outcome| {
            assert_eq!(a.scalar::<u64>("triangles").unwrap(), b.scalar::<u64>("triangles").unwrap());
        };
        assert_eq!(follow("tc", &[], machine, stream, seeds, count), stream.batches.len() * seeds as usize);
        let each = |a: &graphwright::Outcome, b: &graphwright::Outcome| {
            assert_eq!(a.vector::<u64>("triangles").unwrap(), b.vector::<u64>("triangles").unwrap());
            assert_eq!(a.vector::<f64>("clustering").unwrap(), b.vector::<f64>("clustering").unwrap());
        };
        follow("triangles", &[], machine, stream, seeds, each);
    }
}

/// Trusses are kept by edge: edges have other numbers after every batch.
#[test]
fn trusses() {
    let dense = Stream { vertices: 25, edges: 140, loops: false, ..SMALL };
    let growing = Stream { deletes: false, ..dense };
    let large = Stream { loops: false, ..LARGE };
    // Most edges are in many triangles, so that numbers rise and fall by more than one.
    let clique = Stream { vertices: 16, edges: 300, batches: &[1, 20, 3, 40, 1, 60, 2, 30, 5], loops: false, ..SMALL };
    let streams = [
        ("cpu", &dense, 12),
        ("cpu", &growing, 8),
        ("cpu", &clique, 12),
        ("cpu", &large, 2),
        ("reference", &dense, 3),
        ("reference", &clique, 2),
    ];
    for (machine, stream, seeds) in streams {
        let same = |a: &graphwright::Outcome, b: &graphwright::Outcome| {
            vectors_agree("truss")(a, b);
            assert_eq!(a.scalar::<i32>("kmax").unwrap(), b.scalar::<i32>("kmax").unwrap());
        };
        let updated = follow("ktruss", &[], machine, stream, seeds, same);
        assert_eq!(updated, stream.batches.len() * seeds as usize);
    }
}

/// Workers of one process walk the same update, and each has the results of the run before to itself.
#[test]
fn updates_on_several_workers() {
    let weighted = Stream { weighted: true, ..SMALL };
    for workers in ["flow:1", "flow:2", "flow:3", "flow:4"] {
        follow("cc", &[], workers, &SMALL, 1, vectors_agree("label"));
        follow("bfs", &["0"], workers, &SMALL, 1, |_, _| ());
        follow("sssp", &["0"], workers, &weighted, 1, vectors_agree("dist"));
        follow("kcore", &[], workers, &SMALL, 1, vectors_agree("core"));
        follow("pagerank-delta", &[], workers, &Stream { batches: &[1, 5, 1, 30], ..SMALL }, 1, |_, _| ());
    }
}
