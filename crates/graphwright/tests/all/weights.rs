//! Weights of 64 bits on the machines that this process has: distances are those of a plain search, sum by sum, and
//! validators accept what every program with weights makes of them.

use graphwright::machine::Target;
use graphwright::{Graph, Program};
use gw_graph::rng::Rng;
use gw_graph::{Weight, WeightKind};

const MACHINES: [&str; 3] = ["reference", "cpu", "flow"];

/// How the weights of a graph are drawn.
/// Draws a weight.
type Draw = fn(&mut Rng) -> f64;

const KINDS: [(&str, Draw); 5] = [
    ("uniform", |rng| unit(rng) + 0.01),
    ("from 1e-9 to 1e12", |rng| 10f64.powf(unit(rng) * 21.0 - 9.0)),
    ("cents", |rng| (rng.below(99_999) + 1) as f64 / 100.0),
    ("tiny", |rng| unit(rng) * 1e-3 + 1e-6),
    ("some that 32 bits hold", |rng| (rng.below(64) + 1) as f64 / 16.0),
];

fn unit(rng: &mut Rng) -> f64 {
    rng.below(1 << 53) as f64 / (1u64 << 53) as f64
}

/// The edges of one of four shapes, every pair once.
fn pairs(shape: usize, rng: &mut Rng) -> Vec<(u32, u32)> {
    let drawn = |rng: &mut Rng, count: usize| {
        let mut vertex = || rng.below(80) as u32;
        (0..count).map(|_| (vertex(), vertex())).collect::<Vec<_>>()
    };
    let mut pairs = match shape {
        0 => drawn(rng, 900),
        1 => drawn(rng, 160),
        2 => (0..79).flat_map(|v| [(v, v + 1), (v + 1, v)]).collect(),
        _ => drawn(rng, 300).into_iter().flat_map(|(u, v)| [(u, v), (v, u)]).collect(),
    };
    pairs.retain(|(u, v)| u != v);
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A graph whose edges weigh the same in both directions.
fn graph<W: Weight>(shape: usize, seed: u64, weight: impl Fn(&mut Rng) -> W) -> Graph {
    let mut rng = Rng::new(seed, 0);
    let pairs = pairs(shape, &mut rng);
    let edges: Vec<_> = pairs
        .into_iter()
        .map(|(u, v)| (u, v, weight(&mut Rng::new(seed << 32 | u64::from(u.min(v) * 100 + u.max(v)), 1))))
        .collect();
    Graph::from_weighted_edges(&edges).unwrap()
}

/// Distances by rounds over all edges, every sum added up from the source.
fn distances(graph: &Graph, source: u32) -> Vec<f64> {
    let mut dist = vec![f64::INFINITY; graph.vertices()];
    dist[source as usize] = 0.0;
    loop {
        let before = dist.clone();
        for u in 0..graph.vertices() as u32 {
            for (at, &v) in graph.out().neighbours(u).iter().enumerate() {
                let there = dist[u as usize] + graph.out().weight_at(u, at).unwrap();
                dist[v as usize] = dist[v as usize].min(there);
            }
        }
        if dist == before {
            return dist;
        }
    }
}

#[test]
fn distances_are_exact_on_every_machine() {
    let (mut seed, step) = (0, gw_testing::usually(3, 1));
    for shape in 0..4 {
        for (name, weight) in KINDS {
            seed += 1;
            if !(seed as usize).is_multiple_of(step) {
                continue;
            }
            let graph = graph(shape, seed, weight);
            let narrow = name.starts_with("some");
            assert_eq!(graph.weight_kind(), WeightKind::Double);
            let right = distances(&graph, 3);
            for machine in MACHINES {
                for program in ["sssp", "sssp-delta", "sssp-real"] {
                    let job = Program::find(program).unwrap().on(&graph).arg("source", 3).target(machine);
                    let run = job.run().unwrap_or_else(|e| panic!("{name}, {shape}: {program} on {machine}: {e}"));
                    assert_eq!(run.vector::<f64>("dist").unwrap(), right, "{name}, {shape}: {program} on {machine}");
                    run.verify().unwrap();
                }
                // Buckets of any width.
                for delta in ["0.001", "0.37", "1e6"] {
                    if narrow {
                        let job = Program::find("sssp-delta").unwrap().on(&graph).arg("source", 3).arg("delta", delta);
                        let run = job.target(machine).run().unwrap();
                        assert_eq!(run.vector::<f64>("dist").unwrap(), right, "delta {delta} on {machine}");
                    }
                }
            }
        }
    }
}

#[test]
fn wide_integers_are_exact_on_every_machine() {
    for shape in 0..4 {
        let graph = graph(shape, 77, |rng| rng.below(1 << 40) as i64 + (1 << 53) + 1);
        assert_eq!(graph.weight_kind(), WeightKind::Int64);
        let mut found: Vec<Vec<i64>> = Vec::new();
        for machine in MACHINES {
            for program in ["sssp", "sssp-delta"] {
                let job = Program::find(program).unwrap().on(&graph).arg("source", 3).target(machine);
                let run = job.run().unwrap_or_else(|e| panic!("{shape}: {program} on {machine}: {e}"));
                run.verify().unwrap();
                found.push(run.vector::<i64>("dist").unwrap().to_vec());
            }
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{shape}");
    }
}

/// Every program that uses weights, on twenty graphs, on every machine and with several threads: validators accept the
/// result. The programs that a graph does not suit refuse it before the run.
#[test]
fn every_program_with_weights_is_right_with_weights_of_64_bits() {
    let targets = [("reference", 1), ("cpu", 1), ("cpu", 4), ("flow", 1), ("flow", 3)];
    let (mut cells, mut problems) = (0, Vec::new());
    for (at, example) in gw_programs::weighted_examples().unwrap().into_iter().enumerate() {
        for (number, program) in gw_programs::programs().iter().filter(|program| program.uses_weights()).enumerate() {
            if !(at + number).is_multiple_of(gw_testing::usually(4, 1)) {
                continue;
            }
            let Ok(suited) = program.suit(example.graph.clone(), "g") else { continue };
            let args = gw_programs::example_args(program, "g", &suited.graph);
            let graph = Graph::from(suited.graph);
            for (machine, threads) in targets {
                let job = Program::standard(program).unwrap().on(&graph).args(args[1..].iter().cloned());
                let target = Target::named(machine).threads(threads);
                let verified = job.target_with(target).run().and_then(|run| run.verify());
                cells += 1;
                if let Err(problem) = verified {
                    problems.push(format!("{}: {} on {machine}, {threads}: {problem}", example.name, program.name));
                }
            }
        }
    }
    println!("{cells} runs");
    assert!(problems.is_empty(), "{} of {cells} runs:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_program_with_weights_takes_reals_of_64_bits() {
    let graph = graph(3, 5, |rng| (rng.below(99_999) + 1) as f64 / 100.0);
    for program in gw_programs::programs().iter().filter(|program| program.needs_weights) {
        let spec = "g".to_string();
        let suited = program.suit(graph.shared().clone(), &spec).unwrap();
        let args = gw_programs::example_args(suited.program, &spec, &suited.graph);
        for machine in MACHINES {
            let suited_graph = Graph::from(suited.graph.clone());
            let job = Program::standard(suited.program).unwrap().on(&suited_graph).args(args[1..].iter().cloned());
            let run = job.target(machine).run().unwrap_or_else(|e| panic!("{} on {machine}: {e}", program.name));
            run.verify().unwrap_or_else(|e| panic!("{} on {machine}: {e}", program.name));
        }
    }
}

#[test]
fn a_program_of_ones_own_follows_the_weights() {
    let text = "
        element Vertex end
        element Edge end
        const edges : edgeset{Edge}(Vertex,Vertex,weight) = load(argv[1]);
        const heaviest : vector{Vertex}(weight) = 0;
        const none : weight = greatest();
        func see(src : Vertex, dst : Vertex, w : weight) heaviest[dst] max= w; end
        func main() edges.apply(see); end";
    let program = Program::parse("heaviest.gt", text).unwrap();
    let real = program.on(&Graph::from_weighted_edges(&[(0, 1, 0.1), (1, 2, 1e300)]).unwrap()).run().unwrap();
    assert_eq!(real.vector::<f64>("heaviest").unwrap(), [0.0, 0.1, 1e300]);
    let wide = program.on(&Graph::from_weighted_edges(&[(0, 1, 1i64 << 40)]).unwrap()).run().unwrap();
    assert_eq!(wide.vector::<i64>("heaviest").unwrap(), [0, 1 << 40]);
    let whole = program.on(&Graph::from_weighted_edges(&[(0, 1, 7)]).unwrap()).run().unwrap();
    assert_eq!(whole.vector::<i32>("heaviest").unwrap(), [0, 7]);
}

#[test]
fn weights_that_are_no_numbers_are_refused_with_their_edge() {
    for weight in [f64::NAN, f64::INFINITY] {
        let error = Graph::from_weighted_edges(&[(0, 1, 0.5), (1, 2, weight)]).unwrap_err().to_string();
        assert!(error.contains("the weight of the edge from vertex 1 to vertex 2 is"), "{error}");
    }
}
