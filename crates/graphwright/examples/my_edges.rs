//! A standard program on edges that are in memory: `cargo run --release -p graphwright --example my_edges`.

use graphwright::{Graph, Program};

fn main() -> Result<(), graphwright::Error> {
    let friends = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
    let graph = Graph::from_undirected_edges(&friends)?;

    let bfs = Program::find("bfs-levels")?;
    let run = bfs.on(&graph).arg("source", 0).run()?;
    for (person, steps) in run.vector::<i32>("level")?.iter().enumerate() {
        println!("person {person} is {steps} steps away");
    }

    let pagerank = Program::find("pagerank")?;
    let run = pagerank.on(&graph).run()?;
    let rank: &[f64] = run.vector("rank")?;
    let best = (0..rank.len()).max_by(|&a, &b| rank[a].total_cmp(&rank[b]));
    println!("the most central person is {}", best.unwrap_or(0));
    Ok(())
}
