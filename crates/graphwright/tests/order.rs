//! Vertices numbered by degree: ids in and out stay the graph's own, and programs that depend on numbers are refused.

use graphwright::{Error, Graph, Program};

/// Programs that do not depend on the numbers of vertices, each with arguments.
const FREE: [(&str, &[(&str, i32)]); 8] = [
    ("sssp-delta", &[("source", 5), ("delta", 8)]),
    ("sssp", &[("source", 5)]),
    ("bfs-levels", &[("source", 5)]),
    ("bc", &[("source", 5)]),
    ("kcore", &[]),
    ("pagerank", &[]),
    ("pagerank-delta", &[]),
    ("eigenvector", &[]),
];

#[test]
fn results_have_the_ids_of_the_graph() -> Result<(), Error> {
    let graph = Graph::open("kron:9:weights=1..20")?;
    for (name, arguments) in FREE {
        let program = Program::find(name)?;
        let job = arguments.iter().fold(program.on(&graph), |job, (name, value)| job.arg(name, *value));
        let run = job.schedule("order=degree").run()?;
        assert!(run.decision.schedule.to_string().contains("order=degree"), "{name}");
        run.verify()?;
    }
    Ok(())
}

#[test]
fn programs_that_depend_on_numbers_are_refused() -> Result<(), Error> {
    let graph = Graph::open("kron:6")?;
    for name in ["bfs", "cc", "cc-fast", "tc", "mis", "coloring"] {
        let program = Program::find(name)?;
        let Err(refused) = program.on(&graph).schedule("order=degree").run() else { panic!("{name} runs") };
        assert!(refused.to_string().contains("depends on their numbers"), "{name}: {refused}");
    }
    Ok(())
}

#[test]
fn many_runs_on_a_skewed_graph_are_ordered() -> Result<(), Error> {
    let program = Program::find("pagerank")?;
    let ordered = |spec: &str, runs: u32| -> Result<bool, Error> {
        let run = program.on(&Graph::open(spec)?).schedule("auto").runs(runs).run()?;
        run.verify()?;
        Ok(run.decision.schedule.order().is_some())
    };
    assert!(ordered("kron:10", 1000)?);
    assert!(!ordered("kron:10", 1)?);
    assert!(!ordered("road:30x30", 1000)?, "degrees are alike");
    assert!(!ordered("kron:10:reorder=degree", 1000)?, "numbered so already");
    Ok(())
}
