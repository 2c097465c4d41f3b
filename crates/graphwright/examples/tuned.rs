//! A run with the schedule that `gw tune` found: `cargo run --release -p graphwright --example tuned bfs kron:16`.

use graphwright::{Graph, Program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, graph] = &arguments[..] else { return Err("give a program and a graph".into()) };
    let graph = Graph::open(graph)?;
    let run = Program::find(program)?.on(&graph).schedule("auto").run()?;
    run.notes.iter().for_each(|note| println!("{note}"));
    println!("{} ({:?}), {:.3} ms", run.decision.schedule, run.decision.origin, run.times.run * 1e3);
    Ok(())
}
