//! No program touches memory that is not its own: vectors, graphs and sets of other sizes than the operator's, under
//! the schedules that use them in different ways. The results and faults are those of the reference machine, and one
//! access behind a piece of memory ends the process (`guard`).

mod guard;
mod run;

use run::agree;

#[global_allocator]
static ALLOCATOR: guard::Guarded = guard::Guarded;

const EDGE: &[&str] = &[
    "push",
    "push,par=dynamic",
    "pull,par=edge-aware",
    "push,par=edge-parallel",
    "pull",
    "pull,par=dynamic,frontier=bitmap",
    "pull,par=dynamic,frontier=boolmap",
    "pull,par=dynamic,segments=3",
    "dense-push,par=dynamic",
];

const VERTEX: &[&str] = &["par=serial", "par=dynamic", "par=static"];

const HEAD: &str = "element V end\nelement E end\n\
    const g : edgeset{E}(V,V) = load(argv[1]);\nconst vertices : vertexset{V} = g.getVertices();\n";
/// A second graph, usually a larger one.
const OTHER: &str = "const h : edgeset{E}(V,V) = load(argv[2]);\n";

/// A program over one graph.
fn one(rest: &str) -> String {
    format!("{HEAD}{rest}")
}

/// A program whose vectors are as long as the first graph.
fn two(rest: &str) -> String {
    format!("{HEAD}const x : vector{{V}}(int) = 0;\n{OTHER}{rest}")
}

/// A program whose vectors are as long as the second graph.
fn two_large(rest: &str) -> String {
    format!("{HEAD}{OTHER}const all : vertexset{{V}} = h.getVertices();\nconst x : vector{{V}}(int) = 0;\n{rest}")
}

fn fault(outcome: run::Outcome, part: &str) {
    let error = outcome.expect_err("a fault");
    assert!(error.contains(part), "{error}");
}

#[test]
fn a_vector_of_fixed_length() {
    let text = one("const x : vector[8](int) = 0;\nfunc f(src : V, dst : V)\n x[dst] += 1;\nend\n\
        func main()\n g.apply(f);\n print x.sum();\nend\n");
    fault(agree(&text, &["path:12"], EDGE), "line 7: index _ is out of range: `x` has 8 entries");
    fault(agree(&text, &["path:9"], EDGE), "line 7: index _ is out of range: `x` has 8 entries");
    assert_eq!(agree(&text, &["path:8"], EDGE).unwrap(), "14\n");
    // The access must happen to be a fault.
    let guarded = text.replace(" x[dst] += 1;", " if dst < 8\n x[dst] += 1;\n end");
    assert_eq!(agree(&guarded, &["path:12"], EDGE).unwrap(), "15\n");
}

#[test]
fn vectors_of_another_graph() {
    let apply = "func main()\n h.apply(f);\n print x.sum();\nend\n";
    let writes = two(&format!("func f(src : V, dst : V)\n x[dst] += 1;\nend\n{apply}"));
    fault(agree(&writes, &["path:10", "kron:7"], EDGE), "`x` has 10 entries");
    let reads = two(&format!("const t : int = 0;\nfunc f(src : V, dst : V)\n t += x[src];\nend\n{apply}"));
    fault(agree(&reads, &["path:10", "kron:7"], EDGE), "`x` has 10 entries");
    let filtered =
        two("func f(src : V, dst : V)\n x[0] += 1;\nend\nfunc ok(v : V) -> yes : bool\n yes = x[v] == 0;\nend\n\
        func main()\n h.to(ok).apply(f);\nend\n");
    fault(agree(&filtered, &["path:10", "kron:7"], EDGE), "`x` has 10 entries");
    // The other way round the vector is longer, and all is well.
    assert_eq!(agree(&writes, &["kron:7", "path:10"], EDGE).unwrap(), "18\n");
}

#[test]
fn vectors_of_another_element() {
    let text = "element V end\nelement W end\nelement E end\nconst g : edgeset{E}(V,V) = load(argv[1]);\n\
        const h : edgeset{E}(W,W) = load(argv[2]);\nconst vertices : vertexset{V} = g.getVertices();\n\
        const things : vertexset{W} = h.getVertices();\nconst x : vector{V}(int) = 0;\nfunc f(v : W)\n x[v] = 7;\nend\n\
        func e(src : W, dst : W)\n x[dst] = 7;\nend\nfunc main()\n OPERATOR;\n print x.sum();\nend\n";
    for (operator, schedules) in [("things.apply(f)", VERTEX), ("h.apply(e)", EDGE)] {
        let text = text.replace("OPERATOR", operator);
        fault(agree(&text, &["path:10", "path:1000"], schedules), "`x` has 10 entries");
    }
}

#[test]
fn rows_and_captured_vectors() {
    let rows = one("const x : vector{V}(vector[8](int)) = 0;\nfunc f(v : V)\n x[v][v] = 7;\nend\n\
        func main()\n vertices.apply(f);\n print 1;\nend\n");
    fault(agree(&rows, &["path:70"], VERTEX), "has 8 entries");
    assert_eq!(agree(&rows, &["path:8"], VERTEX).unwrap(), "1\n");
    let captured =
        one("func put[x : vector[4](int)](v : V)\n x[v] = v;\nend\nfunc on[x : vector[4](int)](src : V, dst : V)\n\
         x[dst] = 1;\nend\nfunc main()\n var y : vector[4](int) = 0;\n OPERATOR;\n print y.sum();\nend\n");
    for (operator, schedules) in [("vertices.apply(put[y])", VERTEX), ("g.apply(on[y])", EDGE)] {
        let text = captured.replace("OPERATOR", operator);
        fault(agree(&text, &["path:1000"], schedules), "`x` has 4 entries");
        agree(&text, &["path:4"], schedules).unwrap();
    }
    let histogram = one("const x : vector[64](int) = 0;\nfunc f(v : V)\n x[v] += 1;\nend\n\
        func main()\n vertices.apply(f);\n print x.sum();\nend\n");
    fault(agree(&histogram, &["kron:10"], VERTEX), "`x` has 64 entries");
}

#[test]
fn vertices_of_another_graph() {
    for asked in
        ["g.getOutDegree(dst)", "getOutNgh(g, dst, 0)", "intersectNeighbor(g, src, dst)", "getRandomOutNgh(g, dst)"]
    {
        let text =
            two_large(&format!("func f(src : V, dst : V)\n x[0] += {asked};\nend\nfunc main()\n h.apply(f);\nend\n"));
        fault(agree(&text, &["cycle:100", "kron:8"], EDGE), "vertex _ is out of range: there are 100 vertices");
        let text = text.replace("src : V, dst", "dst").replace("src", "dst").replace("h.apply", "all.apply");
        fault(agree(&text, &["cycle:100", "path:1000"], VERTEX), "vertex _ is out of range: there are 100 vertices");
    }
}

#[test]
fn a_graph_loaded_again() {
    let text = one("const x : vector{V}(int) = 0;\nconst y : vector{V}(int) = 1;\nfunc f(src : V, dst : V)\n\
         x[dst] += 1;\nend\nfunc main()\n g = load(argv[2]);\n g.apply(f);\n print x.sum();\nend\n");
    fault(agree(&text, &["path:10", "path:1000"], EDGE), "has 10 entries");
    assert_eq!(agree(&text, &["path:10", "path:10"], EDGE).unwrap(), "18\n");
}

#[test]
fn a_vertexset_of_its_own_size() {
    let text = "element V end\nelement E end\nconst g : edgeset{E}(V,V) = load(argv[1]);\n\
        const vertices : vertexset{V} = new vertexset{V}(5);\nconst x : vector{V}(int) = 0;\nfunc f(src : V, dst : V)\n\
         x[dst] += 1;\nend\nfunc main()\n g.apply(f);\n print x.sum();\nend\n";
    fault(agree(text, &["path:1000"], EDGE), "`x` has 5 entries");
}

#[test]
fn sets_of_another_graph() {
    let functions = "func f(src : V, dst : V)\n x[dst] += 1;\nend\nfunc odd(v : V) -> yes : bool\n yes = mod(v, 2) == 1;\nend\n\
        func main()\n var s : vertexset{V} = all.filter(odd);\n print s.getVertexSetSize();\n";
    for operator in ["g.from(s).apply(f)", "g.to(s).apply(f)", "g.from(s).to(s).apply(f)"] {
        let text = two_large(&format!("{functions} {operator};\n print x.sum();\nend\n"));
        fault(agree(&text, &["path:10", "path:40"], EDGE), "vertex _ is out of range: there are 10 vertices");
        // One more vertex than the words of a map have bits.
        fault(agree(&text, &["path:65", "path:66"], EDGE), "vertex _ is out of range: there are 65 vertices");
        // Now the set is a small one, and the vector as long as the small graph: a fault or not, but the same
        // everywhere.
        _ = agree(&text, &["path:40", "path:10"], EDGE);
    }
    // A frontier of one graph, in the form in which the schedule makes it, taken for one of another.
    let frontier = two_large(
        "func f(src : V, dst : V)\n x[dst] = 1;\nend\nfunc main()\n\
         var s : vertexset{V} = FIRST.applyModified(f, x);\n SECOND.from(s).apply(f);\n print x.sum();\nend\n",
    );
    let mut schedules = EDGE.to_vec();
    schedules.extend(["push,create=unfused-bitmap,par=dynamic", "push,create=unfused-boolmap,par=dynamic"]);
    let larger = frontier.replace("FIRST", "h").replace("SECOND", "g");
    fault(agree(&larger, &["path:10", "path:300"], &schedules), "there are 10 vertices");
    let smaller = frontier.replace("FIRST", "g").replace("SECOND", "h");
    agree(&smaller, &["path:10", "path:300"], &schedules).unwrap();
    agree(&smaller, &["path:64", "path:65"], &schedules).unwrap();
}

#[test]
fn all_vertices_of_another_number() {
    let text = two("const t : int = 0;\nfunc f(src : V, dst : V)\n t += 1;\nend\nfunc main()\n\
         var s : vertexset{V} = new vertexset{V}(vertices.size());\n h.from(s).apply(f);\n h.to(s).apply(f);\n print t;\nend\n");
    assert_eq!(agree(&text, &["path:10", "path:1000"], EDGE).unwrap(), "38\n");
    assert_eq!(agree(&text, &["path:64", "path:65"], EDGE).unwrap(), "254\n");
    assert_eq!(agree(&text, &["path:65", "path:1000"], EDGE).unwrap(), "258\n");
}

const QUEUES: &[&str] = &[
    "s0:s1@push,update=lazy",
    "s0:s1@push,par=dynamic,update=lazy",
    "s0:s1@pull,par=dynamic,update=lazy",
    "s0:s1@push,par=dynamic,update=eager",
    "s0:s1@push,par=dynamic,update=eager-with-merge",
];

/// A shortest-path program whose priorities are as long as the first graph, with the loop over the second.
fn queue(vertex: &str) -> String {
    format!(
        "element V end\nelement E end\nconst g : edgeset{{E}}(V,V,int) = load(argv[1]);\n\
         const vertices : vertexset{{V}} = g.getVertices();\nconst dist : vector{{V}}(int) = 2147483647;\n\
         const h : edgeset{{E}}(V,V,int) = load(argv[2]);\nconst q : priority_queue{{V}}(int);\n\
         func relax(src : V, dst : V, weight : int)\n q.updatePriorityMin({vertex}, dist[{vertex}], dist[src] + weight);\nend\n\
         func main()\n dist[0] = 0;\n q = new priority_queue{{V}}(int)(false, false, dist, 1, 0, false, 0);\n\
         #s0# while q.finished() == false\n var near : vertexset{{V}} = q.dequeue_ready_set();\n\
         #s1# h.from(near).applyUpdatePriority(relax);\n delete near;\nend\n print dist[1];\nend\n"
    )
}

#[test]
fn priorities_of_another_graph() {
    let short = ["path:10:weights=1..5", "kron:9:weights=1..5"];
    fault(agree(&queue("dst"), &short, QUEUES), "out of range");
    let long = ["path:1000:weights=1..5", "path:10:weights=1..5"];
    agree(&queue("dst"), &long, QUEUES).unwrap();
    // A vertex that has a priority but is none of the graph's is queued, and is an error when its turn comes.
    fault(agree(&queue("dst + 20"), &long, QUEUES), "vertex _ is out of range: there are 10 vertices");
}

#[test]
fn constant_sums_of_another_graph() {
    let text = |vertex: &str| {
        format!(
            "element V end\nelement E end\nconst g : edgeset{{E}}(V,V) = load(argv[1]);\n\
             const vertices : vertexset{{V}} = g.getVertices();\nconst d : vector{{V}}(int) = 9;\n\
             const h : edgeset{{E}}(V,V) = load(argv[2]);\nconst q : priority_queue{{V}}(int);\n\
             func f(src : V, dst : V)\n q.updatePrioritySum({vertex}, -1, 2);\nend\nfunc main()\n\
             q = new priority_queue{{V}}(int)(false, false, d, 1, 2, false, -1);\n\
             var near : vertexset{{V}} = q.dequeue_ready_set();\n#s1# h.from(near).applyUpdatePriority(f);\n print d.sum();\nend\n"
        )
    };
    let schedules =
        ["s1@push,par=dynamic,update=lazy", "s1@push,par=dynamic,update=constant-sum", "s1@push,update=constant-sum"];
    fault(agree(&text("dst"), &["path:10", "kron:7"], &schedules), "out of range");
    agree(&text("dst"), &["path:10", "path:10"], &schedules).unwrap();
}
