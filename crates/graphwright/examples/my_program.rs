//! A program of one's own with arguments of its own: `cargo run --release -p graphwright --example my_program`.

use std::time::Duration;

use graphwright::{Graph, Program};

/// Counts, for every vertex, the neighbours with at least `least` neighbours of their own.
const POPULAR: &str = "\
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const degree : vector{Vertex}(int) = edges.getOutDegrees();
const popular : vector{Vertex}(int) = 0;
const least : int = atoi(argv[2]);

func count(source : Vertex, target : Vertex)
    if degree[target] >= least
        popular[source] += 1;
    end
end

func main()
    #s1# edges.apply(count);
end
";

fn main() -> Result<(), graphwright::Error> {
    let program = Program::parse("popular.gt", POPULAR)?;
    let graph = Graph::open("kron:10")?;
    // The argument has the name of the variable that the program reads it into.
    let run = program.on(&graph).arg("least", 100).timeout(Duration::from_secs(10)).run()?;
    let popular: &[i32] = run.vector("popular")?;
    let most = popular.iter().max().copied().unwrap_or(0);
    println!("one vertex has {most} neighbours with at least 100 neighbours each");
    println!("schedule: {}; {} steps in {:.3} ms", run.decision.schedule, run.steps, run.times.run * 1e3);
    Ok(())
}
