//! The same program under three schedules: `cargo run --release -p graphwright --example three_schedules`.

use graphwright::{Graph, Machine, Program};

/// Runs per schedule; the least time is shown.
const RUNS: usize = 5;

fn main() -> Result<(), graphwright::Error> {
    let graph = Graph::open("kron:18")?;
    let bfs = Program::find("bfs")?;
    let machine = Machine::open("auto")?;
    let hub = (0..graph.vertices() as u32).max_by_key(|&v| graph.out().degree(v)).unwrap_or(0);
    println!("bfs from vertex {hub} on {} of {} edges, on {}", graph.vertices(), graph.edges(), machine.name());
    for schedule in ["s0:s1@push", "s0:s1@pull", "auto"] {
        let mut prepared = bfs.on(&graph).arg("source", hub).schedule(schedule).machine(&machine).prepare()?;
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            let run = prepared.run()?;
            run.verify()?;
            least = least.min(run.times.run);
        }
        println!("{schedule:12} {:9.3} ms   {}", least * 1e3, prepared.decision().schedule);
    }
    Ok(())
}
