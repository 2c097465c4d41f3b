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

/// Programs that get at the number of a vertex in a roundabout way: each is refused, or computes what it does without.
#[test]
fn numbers_are_found_wherever_they_hide() -> Result<(), Error> {
    let graph = Graph::open("kron:8")?;
    let text = |functions: &str, main: &str, globals: &str| {
        format!(
            "element Vertex end\nelement Edge end\nconst edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);\nconst \
             vertices : vertexset{{Vertex}} = edges.getVertices();\nconst deg : vector{{Vertex}}(int) = \
             edges.getOutDegrees();\nconst x : vector{{Vertex}}(int) = 0;\n{globals}\n{functions}\nfunc main()\n{main}\nend\n"
        )
    };
    let captured = "func f[k : Vertex](v : Vertex)\n x[v] = deg[k];\nend";
    let refused = [
        text(captured, "vertices.apply(f[5]);", ""),
        text(captured, "for i in 0:3\n vertices.apply(f[i]);\nend", ""),
        text("", "var s : Vertex;\nx[s] = 5;", ""),
        text("", "x[atoi(argv[2])] = 0;", "element Item end\nconst y : vector{Item}(int) = 0;"),
        text(
            "func f(i : Item)\n y[i] = 1;\nend",
            "items.apply(f);",
            "element Item end\nconst items : vertexset{Item} = new vertexset{Item}(256);\nconst y : vector{Item}(int) = 0;",
        ),
        text("func f(v : Vertex)\n var u : Vertex;\n x[v] = deg[u];\nend", "vertices.apply(f);", ""),
        text("", "var s : int = atoi(argv[2]);\nx[s] = 1;\nprint argv[2];", ""),
        text("", "var s : int = atoi(argv[2]);\nx[s] = 1;\nprint atof(argv[2]);", ""),
        text("", "var s : int = atoi(argv[2]);\nx[s] = 1;\nvar k : int = 2;\nprint argv[k];", ""),
        text("", "var s : int = atoi(argv[2]);\nx[s] = 1;", "const y : vector{Vertex}(int) = atoi(argv[2]);"),
        text("", "var s : int = atoi(argv[2]);\nx[s] = 1;\nvar t : int = atoi(argv[2]);\nt = t + 1;", ""),
    ];
    for program in &refused {
        let program = Program::parse("hidden.gt", program)?;
        let run = program.job().args([graphwright::Argument::from(&graph), "5".into()]).schedule("order=degree").run();
        let Err(error) = run else { panic!("{} runs", program.file().text) };
        assert!(error.to_string().contains("depends on their numbers"), "{error}");
    }
    // The same argument as a vertex, twice, is one.
    let twice = text("", "var s : int = atoi(argv[2]);\nx[s] = 7;\nvar t : int = atoi(argv[2]);\nx[t] += 1;", "");
    let twice = Program::parse("twice.gt", &twice)?;
    let run = twice.job().args([graphwright::Argument::from(&graph), "5".into()]).schedule("order=degree").run()?;
    assert_eq!(run.vector::<i32>("x")?[5], 8);
    Ok(())
}
