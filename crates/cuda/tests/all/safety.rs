//! Legal programs whose vectors, sets and graphs do not fit each other: on an emulated GPU, which stops at every
//! access outside of allocated memory, they end as on the reference machine, with its result or with its error at its
//! line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{ErrorKind, ExecError, GraphVm, ReferenceVm, RunOptions};
use gw_ir::module::Module;
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

fn lowered(source: &str) -> Module {
    let file = SourceFile::new("test.gt", source);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    gw_ir::lower(&front.typed, source).unwrap()
}

/// A module under schedules, each at all places where it is legal and none was before.
fn scheduled(source: &str, texts: &[&str]) -> Arc<Module> {
    let mut module = lowered(source);
    gw_exec::label_operators(&mut module);
    let mut schedule = ProgramSchedule::default();
    schedule.set_family(Some(Family::Gpu));
    for text in texts {
        let part: ProgramSchedule = format!("on=gpu;{text}").parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        let part = part.everywhere().cloned().unwrap();
        let places = gw_ir::points::program_points(&module);
        for place in &places {
            if let Some(path) = &place.path
                && schedule.get(path).is_none()
                && places.iter().filter(|p| p.path == place.path).all(|p| part.legal(&p.point).is_ok())
            {
                schedule.set(path, part.clone()).unwrap();
            }
        }
    }
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    Arc::new(gw_ir::run_pipeline(module, &schedule, &options).unwrap_or_else(|e| panic!("{texts:?}: {e}")))
}

/// What a run printed, or its error.
fn run(vm: &dyn GraphVm, source: &str, texts: &[&str], options: &RunOptions) -> Result<String, ExecError> {
    let mut program = gw_exec::Program::prepare(vm, scheduled(source, texts))?;
    program.run(options).map(|result| result.printed)
}

fn emulated() -> Option<CudaVm> {
    Some(CudaVm::on(Arc::new(EmulatedDevice::new()?)))
}

/// An outcome without what the order of threads decides: which of several indices was out of range first.
fn described(outcome: &Result<String, ExecError>) -> String {
    match outcome {
        Ok(printed) => printed.clone(),
        Err(error) => {
            let what = match error.kind() {
                ErrorKind::IndexOutOfRange { vector, len, .. } => {
                    format!("an index outside of the {len} of `{vector}`")
                }
                ErrorKind::VertexOutOfRange { vertices, .. } => format!("a vertex outside of {vertices}"),
                kind => kind.to_string(),
            };
            format!("line {}: {what}", error.span().line)
        }
    }
}

/// The program ends under every schedule as on the reference machine, and there as `expected` says.
fn like_the_reference(source: &str, args: &[&str], expected: &str, schedules: &[&[&str]]) {
    let options = RunOptions::with_args(args.iter().copied());
    let reference = described(&run(&ReferenceVm::new(), source, &[], &options));
    assert!(reference.contains(expected), "the reference machine: {reference}");
    let Some(vm) = emulated() else { return };
    for texts in schedules {
        let outcome = run(&vm, source, texts, &options);
        assert_eq!(described(&outcome), reference, "under {texts:?}: {outcome:?}");
    }
}

/// Ways to walk edges that differ in who owns what, and in the form of sets.
const WALKS: &[&[&str]] = &[
    &["push,lb=vertex-based"],
    &["pull,lb=etwc,frontier=bitmap,create=unfused-bitmap"],
    &["push,lb=edge-only"],
    &["dense-push,lb=wm,frontier=boolmap,create=unfused-boolmap"],
];
/// Two of them, for programs that differ from others in little.
const TWO: &[&[&str]] = &[WALKS[0], WALKS[1]];
/// No edges are walked.
const NONE: &[&[&str]] = &[&[]];

/// A program with a graph `edges`: `rest` are more declarations and functions, `main` the statements of `main`.
fn on_graph(rest: &str, main: &str) -> String {
    format!(
        "element Vertex end
element Edge end
const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{{Vertex}} = edges.getVertices();
{rest}
func main()
    {main}
end
"
    )
}

/// A program with two graphs, of which `of` gives the vertices; `hits` has an entry for each of these.
fn on_two(of: &str, rest: &str, main: &str) -> String {
    format!(
        "element Vertex end
element Edge end
const small : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
const big : edgeset{{Edge}}(Vertex,Vertex) = load(argv[2]);
const vertices : vertexset{{Vertex}} = {of}.getVertices();
const hits : vector{{Vertex}}(int) = 0;
{rest}
func main()
    {main}
end
"
    )
}

const HIT: &str = "func hit(src : Vertex, dst : Vertex)
    hits[dst] += 1;
end";

#[test]
fn a_vector_of_fixed_length_is_shorter_than_the_graph() {
    let source = on_graph(&format!("const hits : vector[8](int) = 0;\n{HIT}"), "edges.apply(hit); print hits.sum();");
    like_the_reference(&source, &["path:12"], "outside of the 8 of `hits`", WALKS);
    like_the_reference(&source, &["path:9"], "outside of the 8 of `hits`", TWO);
    like_the_reference(&source, &["path:8"], "14\n", TWO);
}

#[test]
fn a_vector_is_too_short_but_nobody_goes_there() {
    let hit = "const hits : vector[8](int) = 0;
func hit(src : Vertex, dst : Vertex)
    if dst < 8
        hits[dst] += 1;
    end
end";
    like_the_reference(&on_graph(hit, "edges.apply(hit); print hits.sum();"), &["path:12"], "15\n", WALKS);
}

#[test]
fn a_vector_belongs_to_a_smaller_graph() {
    let source = on_two("small", HIT, "big.apply(hit); print hits.sum();");
    like_the_reference(&source, &["path:10", "kron:6"], "outside of the 10 of `hits`", WALKS);
    // Read, not written.
    let read = "const total : int = 0;
func see(src : Vertex, dst : Vertex)
    total += hits[dst];
end";
    let source = on_two("small", read, "big.apply(see); print total;");
    like_the_reference(&source, &["path:10", "kron:6"], "outside of the 10 of `hits`", TWO);
    like_the_reference(&source, &["path:64", "kron:6"], "0\n", TWO);
}

#[test]
fn a_vector_belongs_to_another_element() {
    let source = "element Vertex end
element Item end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const items : edgeset{Edge}(Item,Item) = load(argv[2]);
const vertices : vertexset{Vertex} = edges.getVertices();
const things : vertexset{Item} = items.getVertices();
const hits : vector{Vertex}(int) = 0;
func hit(v : Item)
    hits[v] = 7;
end
func hite(src : Item, dst : Item)
    hits[dst] = 7;
end
func main()
    WHICH
    print hits.sum();
end
";
    for which in ["things.apply(hit);", "items.apply(hite);"] {
        let source = source.replace("WHICH", which);
        like_the_reference(&source, &["path:10", "path:100"], "outside of the 10 of `hits`", TWO);
        like_the_reference(&source, &["path:100", "path:10"], "70\n", TWO);
    }
}

#[test]
fn rows_and_captures_and_histograms_are_too_short() {
    let row = "const hits : vector{Vertex}(vector[8](int)) = 0;
func hit(v : Vertex)
    hits[v][v] = 7;
end";
    like_the_reference(
        &on_graph(row, "vertices.apply(hit); print 1;"),
        &["path:50"],
        "outside of the 8 of `hits`",
        NONE,
    );
    let captured = "func put[x : vector[4](int)](v : Vertex)
    x[v] = v;
end";
    let main = "var y : vector[4](int) = 0; vertices.apply(put[y]); print y.sum();";
    like_the_reference(&on_graph(captured, main), &["path:100"], "outside of the 4 of `x`", NONE);
    like_the_reference(&on_graph(captured, main), &["path:4"], "6\n", NONE);
    let histogram = "const histogram : vector[64](int) = 0;
func count(v : Vertex)
    histogram[v] += 1;
end";
    let source = on_graph(histogram, "vertices.apply(count); print histogram.sum();");
    like_the_reference(&source, &["kron:7"], "outside of the 64 of `histogram`", NONE);
}

#[test]
fn another_graph_is_asked_about_a_vertex_it_lacks() {
    for question in ["small.getOutDegree(dst)", "getOutNgh(small, dst, 0)", "intersectNeighbor(small, src, dst)"] {
        let function = format!("func hit(src : Vertex, dst : Vertex)\n    hits[0] += {question};\nend");
        let source = on_two("big", &function, "big.apply(hit); print hits.sum();");
        like_the_reference(&source, &["path:10", "kron:6"], "a vertex outside of 10", TWO);
        like_the_reference(&source, &["complete:64", "kron:6"], "\n", &TWO[..1]);
    }
    // A list is asked for an entry that it lacks.
    let function = "func hit(src : Vertex, dst : Vertex)\n    hits[0] += getOutNgh(big, dst, 900);\nend";
    let source = on_two("big", function, "big.apply(hit); print hits.sum();");
    let options = RunOptions::with_args(["path:10", "kron:6"]);
    let Some(vm) = emulated() else { return };
    let error = run(&vm, &source, &[], &options).unwrap_err();
    assert!(error.to_string().contains("`neighbours`"), "{error}");
}

const QUEUE: &str = "element Vertex end
element Edge end
const small : edgeset{Edge}(Vertex,Vertex,int) = load(argv[1]);
const big : edgeset{Edge}(Vertex,Vertex,int) = load(argv[2]);
const vertices : vertexset{Vertex} = small.getVertices();
const dist : vector{Vertex}(int) = 2147483647;
const queue : priority_queue{Vertex}(int);
func relax(src : Vertex, dst : Vertex, weight : int)
    queue.updatePriorityMin(dst, dist[dst], dist[src] + weight);
end
func main()
    dist[0] = 0;
    queue = new priority_queue{Vertex}(int)(false, false, dist, 1, 0, false, 0);
    #s0# while queue.finished() == false
        var near : vertexset{Vertex} = queue.dequeue_ready_set();
        #s1# big.from(near).applyUpdatePriority(relax);
        delete near;
    end
    print dist[1];
end
";

#[test]
fn a_queue_belongs_to_a_smaller_graph() {
    let short = RunOptions::with_args(["path:10:weights=1..5", "kron:6:weights=1..5"]);
    let expected = run(&ReferenceVm::new(), QUEUE, &[], &short).unwrap_err();
    assert!(expected.to_string().contains("out of range"), "{expected}");
    let Some(vm) = emulated() else { return };
    for texts in
        [["push,update=lazy", "loop=host"], ["push,update=near-far", "loop=fused"], ["pull,lb=wm", "loop=fused"]]
    {
        let error = run(&vm, QUEUE, &texts, &short).unwrap_err();
        assert!(error.to_string().contains("out of range"), "{texts:?}: {error}");
        assert_eq!(error.span().line, expected.span().line, "{texts:?}: {error}");
        like_the_reference(QUEUE, &["kron:6:weights=1..5", "kron:6:weights=1..5"], "\n", &[&texts]);
    }
}

#[test]
fn a_graph_is_loaded_again() {
    let rest = "const x : vector{Vertex}(int) = 0;
const y : vector{Vertex}(int) = 1;
func f(src : Vertex, dst : Vertex)
    x[dst] += y[dst];
end";
    let source = on_graph(rest, "edges = load(argv[2]); edges.apply(f); print x.sum();");
    like_the_reference(&source, &["path:10", "path:100"], "outside of the 10 of", WALKS);
    like_the_reference(&source, &["path:100", "path:10"], "18\n", TWO);
    // So is the one of a loop on the device: its vectors are compared every time it begins.
    let main = "var i : int = 0;
    #s0# while i < 3
        edges.apply(f);
        i = i + 1;
    end
    print x.sum();
    edges = load(argv[2]);
    i = 0;
    #s2# while i < 3
        edges.apply(f);
        i = i + 1;
    end
    print x.sum();";
    let source = on_graph(rest, main);
    let fused: &[&[&str]] = &[&["push", "loop=fused"], &["pull", "loop=device-graph"], &["push", "loop=single-block"]];
    like_the_reference(&source, &["path:10", "path:30"], "outside of the 10 of", fused);
    like_the_reference(&source, &["path:30", "path:10"], "174\n228\n", fused);
}

#[test]
fn a_set_of_all_vertices_is_smaller_than_the_graph() {
    let source = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = new vertexset{Vertex}(5);
const x : vector{Vertex}(int) = 0;
func f(src : Vertex, dst : Vertex)
    x[dst] += 1;
end
func main()
    edges.apply(f);
    print x.sum();
end
";
    like_the_reference(source, &["path:100"], "outside of the 5 of `x`", TWO);
    // All vertices of the one graph are some of the other.
    let count = "const total : int = 0;
func f(src : Vertex, dst : Vertex)
    total += 1;
end";
    let main = "var s : vertexset{Vertex} = new vertexset{Vertex}(vertices.size()); big.from(s).apply(f); print total;";
    like_the_reference(&on_two("small", count, main), &["path:10", "path:100"], "19\n", WALKS);
}

#[test]
fn a_set_holds_vertices_that_the_graph_lacks() {
    let rest = format!(
        "{HIT}
func odd(v : Vertex) -> yes : bool
    yes = mod(v, 2) == 1;
end"
    );
    let from = "var s : vertexset{Vertex} = vertices.filter(odd); small.from(s).apply(hit); print hits.sum();";
    like_the_reference(&on_two("big", &rest, from), &["path:10", "path:40"], "a vertex outside of 10", WALKS);
    let to = "var s : vertexset{Vertex} = vertices.filter(odd); small.to(s).apply(hit); print hits.sum();";
    like_the_reference(&on_two("big", &rest, to), &["path:10", "path:40"], "a vertex outside of 10", TWO);
    like_the_reference(&on_two("big", &rest, to), &["path:40", "path:40"], "39\n", TWO);
    let all = "var s : vertexset{Vertex} = new vertexset{Vertex}(vertices.size()); small.from(s).apply(hit); print 1;";
    like_the_reference(&on_two("big", &rest, all), &["path:10", "path:40"], "a vertex outside of 10", TWO);
    // In a loop on the device.
    let looped = "var s : vertexset{Vertex} = vertices.filter(odd);
    var i : int = 0;
    #s0# while i < 3
        small.from(s).apply(hit);
        i = i + 1;
    end
    print hits.sum();";
    let fused: &[&[&str]] = &[&["push", "loop=fused"]];
    like_the_reference(&on_two("big", &rest, looped), &["path:10", "path:40"], "a vertex outside of 10", fused);
    like_the_reference(&on_two("big", &rest, looped), &["path:40", "path:40"], "117\n", fused);
}

/// Entry 0 stands in for one that is out of range. A loop that goes on because of it must end all the same.
#[test]
fn a_fault_ends_loops_that_would_go_on() {
    let function = "const next : vector[4](int) = 0;
func walk(v : Vertex)
    var at : int = v;
    while next[at] == 0
        at = at + 1;
    end
end";
    let source = on_graph(function, "vertices.apply(walk); print 1;");
    like_the_reference(&source, &["path:10"], "outside of the 4 of `next`", NONE);
    let looped = "const next : vector[4](int) = 0;
func touch(v : Vertex)
    next[v] += 1;
end";
    let main = "#s0# while next[3] < 1000000
        vertices.apply(touch);
    end
    print 1;";
    like_the_reference(&on_graph(looped, main), &["path:10"], "outside of the 4 of `next`", &[&["loop=fused"]]);
}

/// A function that does not end, on the device and in a loop there.
#[test]
fn nothing_keeps_a_run_from_its_time_limit() {
    let rest = "const x : vector{Vertex}(int) = 0;
func forever(v : Vertex)
    while true
        x[v] = x[v] + 1;
    end
end
func once(v : Vertex)
    x[v] = 1;
end";
    let turning = "#s0# while x[0] < 2
        vertices.apply(once);
    end";
    let Some(vm) = emulated() else { return };
    for (main, texts) in [("vertices.apply(forever);", "loop=host"), (turning, "loop=fused"), (turning, "loop=host")] {
        let options = RunOptions { timeout: Some(Duration::from_secs(1)), ..RunOptions::with_args(["path:20"]) };
        let start = Instant::now();
        let error = run(&vm, &on_graph(rest, main), &[texts], &options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TimedOut { .. }), "{main} under {texts}: {error}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}

/// Vertices added on the device, in a loop: outside of the graph, and more than once.
#[test]
fn vertices_are_added_once_and_only_those_there_are() {
    let rest = "const x : vector{Vertex}(int) = 0;
func touch(v : Vertex)
    x[v] += 1;
end";
    let main = "var s : vertexset{Vertex} = new vertexset{Vertex}(0);
    var i : int = 0;
    #s0# while i < 6
        s.addVertex(i / 2);
        s.apply(touch);
        i = i + 1;
    end
    print s.getVertexSetSize();
    print x.sum();";
    let forms: &[&[&str]] = &[&["loop=fused"], &["loop=device-graph"], &["loop=host"]];
    like_the_reference(&on_graph(rest, main), &["path:10"], "3\n12\n", forms);
    like_the_reference(&on_graph(rest, main), &["path:2"], "a vertex outside of 2", forms);
}

/// Random neighbours are those of the reference machine, whatever the schedule.
#[test]
fn random_neighbours_are_the_same_on_every_machine() {
    let rest = "const visits : vector{Vertex}(int) = 0;
const last : vector{Vertex}(int) = 0;
func step(at : int) -> next : int
    next = getRandomOutNgh(edges, at);
end
func wander(v : Vertex)
    var at : int = v;
    for i in 0:5
        at = step(at);
        visits[at] += 1;
    end
    last[v] = getRandomOutNgh(edges, at);
end
func odd(v : Vertex) -> yes : bool
    yes = mod(getRandomOutNgh(edges, v), 2) == 1;
end
func choose(src : Vertex, dst : Vertex)
    if getRandomOutNgh(edges, dst) == src
        visits[dst] += 100;
    end
end
func write(v : Vertex)
    print visits[v];
end";
    let main = "vertices.apply(wander);
    #s1# edges.from(odd).to(odd).apply(choose);
    var i : int = 0;
    #s2# while i < 2
        vertices.apply(wander);
        i = i + 1;
    end
    for v in 0:40
        print visits[v];
        print last[v];
    end";
    let forms: &[&[&str]] = &[&["push", "loop=fused"], &["pull", "loop=host"], &["push,lb=edge-only", "loop=host"]];
    let rest = rest.rsplit_once("\nfunc write").unwrap().0;
    like_the_reference(&on_graph(rest, main), &["complete:40"], "\n", forms);
}

/// `min` and `max` with what is no number, in functions, in updates and over vectors; sums that 32 bits cannot hold.
#[test]
fn numbers_that_are_none_and_sums_that_are_large() {
    let rest = "const a : vector{Vertex}(double) = 0.0;
const b : vector{Vertex}(double) = 0.0;
const z : vector{Vertex}(double) = 0.0;
const e : vector{Vertex}(double) = 5.0;
const f : vector{Vertex}(double) = 5.0;
const g : vector{Vertex}(float) = 0.0;
const least : double = 9.0;
func go(v : Vertex)
    var n : double = z[v] / z[v];
    a[v] = min(n, 1.0);
    b[v] = max(1.0, n);
    e[v] min= n;
    f[v] max= n;
    least min= n;
    if v == 3
        a[v] = 2.5;
        least min= a[v];
    end
end
func none(v : Vertex)
    z[v] = z[v] / z[v];
end
func pull(src : Vertex, dst : Vertex)
    g[dst] min= -1.0;
    e[dst] min= a[src];
end";
    let main = "vertices.apply(go);
    #s1# edges.apply(pull);
    print a[0]; print a[3]; print b[0]; print e[1]; print e[4]; print f[0]; print least; print g[2];
    print a.min(); print a.max(); print e.min(); print e.max();
    vertices.apply(none);
    print z.min(); print z.max();";
    like_the_reference(&on_graph(rest, main), &["path:10"], "2.5", TWO);
    let rest = "const x : vector{Vertex}(int) = 2000000000;
const y : vector{Vertex}(float) = 0.1;
const m : vector{Vertex}(int) = -7;";
    let main = "var s : uint_64 = x.sum(); print s; print m.sum(); print y.sum();";
    like_the_reference(&on_graph(rest, main), &["path:1000"], "2000000000000", NONE);
}

/// Filters that may fault are asked about ends of edges only.
#[test]
fn filters_are_not_asked_about_vertices_without_edges() {
    let rest = "const z : vector{Vertex}(int) = 0;
func ok(v : Vertex) -> yes : bool
    yes = 1 / z[v] > 0;
end
func all(v : Vertex) -> yes : bool
    yes = true;
end
func f(src : Vertex, dst : Vertex)
    z[dst] += 1;
end";
    for filters in ["to(ok)", "from(ok)", "from(all).to(ok)"] {
        let source = on_graph(rest, &format!("#s1# edges.{filters}.apply(f); print 1;"));
        like_the_reference(&source, &["path:1"], "1\n", WALKS);
        like_the_reference(&source, &["path:3"], "integer division by zero", TWO);
    }
}

/// Sets that come from lists of loops on the device, and from kernels, are sets of the host like others.
#[test]
fn sets_from_the_device_take_more_vertices() {
    let rest = "const x : vector{Vertex}(int) = 0;
func first(v : Vertex) -> yes : bool
    yes = v < 3;
end
func touch(v : Vertex)
    x[v] += 1;
end";
    let main = "var few : vertexset{Vertex} = vertices.filter(first);
    var sets : list{vertexset{Vertex}} = new list{vertexset{Vertex}}();
    var i : int = 0;
    #s0# while i < 3
        sets.append(few);
        i = i + 1;
    end
    var top : vertexset{Vertex} = sets.pop();
    top.addVertex(7);
    top.addVertex(7);
    top.addVertex(1);
    top.apply(touch);
    print top.getVertexSetSize();
    var made : vertexset{Vertex} = vertices.filter(first);
    made.addVertex(9);
    made.addVertex(0);
    made.apply(touch);
    print made.getVertexSetSize();
    print x.sum();";
    like_the_reference(&on_graph(rest, main), &["path:12"], "4\n4\n8\n", &[&["loop=fused"], &["loop=host"]]);
}

/// A function may enqueue more vertices than it has edges; the list must hold them all, and each once.
#[test]
fn an_edge_enqueues_several_vertices() {
    let rest = "const x : vector{Vertex}(int) = 0;
func ends(src : Vertex, dst : Vertex)
    x[src] = 1;
    x[dst] = 1;
end
func often(src : Vertex, dst : Vertex)
    for i in 0:9
        x[dst] = i;
    end
end";
    let main = "var both : vertexset{Vertex} = edges.applyModified(ends, x);
    print both.getVertexSetSize();
    var few : vertexset{Vertex} = edges.from(both).applyModified(often, x);
    print few.getVertexSetSize();";
    let schedules: &[&[&str]] =
        &[&["push,lb=etwc"], &["push,dedup=on,dedup-by=hash"], &["push,dedup=on,dedup-by=warp-match"], WALKS[1]];
    like_the_reference(&on_graph(rest, main), &["star:40:directed"], "40\n39\n", schedules);
}

/// The edges of a set are counted before any operator has brought the graph to the device.
#[test]
fn edges_are_counted_in_a_graph_that_is_not_on_the_device() {
    let rest = format!(
        "{HIT}
func odd(v : Vertex) -> yes : bool
    yes = mod(v, 2) == 1;
end"
    );
    let main = "var s : vertexset{Vertex} = vertices.filter(odd); #s1# small.from(s).apply(hit); print hits.sum();";
    let hybrid: &[&[&str]] = &[&["hybrid,by=input-work,at=0.1+push+pull"]];
    like_the_reference(&on_two("big", &rest, main), &["path:200", "path:200"], "199\n", hybrid);
}

/// A real number that no whole number stands for becomes the nearest that does, on every machine.
#[test]
fn reals_become_the_nearest_whole_number() {
    let rest = "const u : vector{Vertex}(uint) = 1;
const w : vector{Vertex}(uint_64) = 1;
const i : vector{Vertex}(int) = 1;
const r : vector{Vertex}(double) = 0.0;
func narrow(v : Vertex)
    var scale : double = 1.0e30;
    if mod(v, 2) == 0
        scale = -1.0e30;
    end
    if v == 3
        scale = r[v] / r[v];
    end
    u[v] = scale * 0.5;
    w[v] = scale * 0.5;
    i[v] = scale * 0.5;
end";
    let main = "vertices.apply(narrow); print u[0]; print u[1]; print u[3]; print w[0]; print w[1]; print w[3]; print i[0]; print i[1]; print i[3];";
    let expected = "0\n4294967295\n0\n0\n18446744073709551615\n0\n-2147483648\n2147483647\n0\n";
    like_the_reference(&on_graph(rest, main), &["path:6"], expected, NONE);
}

/// The greatest number means "not queued": a priority that would become it, or go beyond, is an error.
#[test]
fn priorities_that_overflow_are_errors() {
    let queue = |scalar: &str, first: &str, update: &str| {
        let rest = format!(
            "const d : vector{{Vertex}}({scalar}) = {first};
const q : priority_queue{{Vertex}}({scalar});
func f(src : Vertex, dst : Vertex)
    {update}
end"
        );
        let main = "q = new priority_queue{Vertex}(int)(false, false, d, 1, 0, true, -1);
    var s : vertexset{Vertex} = q.dequeue_ready_set();
    #s1# edges.from(s).applyUpdatePriority(f);
    print d[0];";
        on_graph(&rest, &main.replace("(int)(", &format!("({scalar})(")))
    };
    let lazy: &[&[&str]] = &[&["push,update=lazy"]];
    let sum = "q.updatePrioritySum(dst, 100, 0);";
    like_the_reference(&queue("int", "2147483600", sum), &["path:2"], "overflow", lazy);
    like_the_reference(&queue("int", "2147483546", sum), &["path:2"], "2147483646\n", lazy);
    let down = "q.updatePrioritySum(dst, -100, 7);";
    like_the_reference(&queue("int", "2147483600", down), &["path:2"], "2147483500\n", lazy);
    like_the_reference(&queue("int", "90", down), &["path:2"], "7\n", lazy);
    let zero = "q.updatePrioritySum(dst, 0, 7);";
    like_the_reference(&queue("int", "90", zero), &["path:2"], "90\n", lazy);
}
