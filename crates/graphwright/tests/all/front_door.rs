//! The library as a user meets it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use graphwright::schedule::{Origin, ScheduleCache};
use graphwright::{Error, Graph, Machine, Program};

/// Adds a number to every vertex of one graph and looks at another.
const TWO_GRAPHS: &str = "\
element Vertex end
element Edge end
element Other end
element Link end
const first : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
const second : edgeset{Link}(Other, Other) = load(argv[2]);
const vertices : vertexset{Vertex} = first.getVertices();
const other_vertices : vertexset{Other} = second.getVertices();
const degree : vector{Vertex}(int) = first.getOutDegrees();
const others : int = 0;
const step : int = atoi(argv[3]);
const chosen : vertexset{Vertex} = new vertexset{Vertex}(0);

func add(v : Vertex)
    degree[v] += step;
end

func main()
    vertices.apply(add);
    others = other_vertices.size();
    chosen.addVertex(2);
    print others;
end
";

const ENDLESS: &str = "\
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
func main()
    var going : int = 1;
    while going > 0
        going += 1;
        if going > 1000
            going = 1;
        end
    end
end
";

fn message<T>(result: Result<T, Error>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn arguments_by_name_and_by_position_give_the_same() {
    let graph = Graph::open("grid:5x5").unwrap();
    let bfs = Program::find("bfs-levels").unwrap();
    let by_name = bfs.on(&graph).arg("source", 7).run().unwrap();
    let by_position = bfs.on(&graph).args([7]).run().unwrap();
    let by_text = bfs.job().args(["grid:5x5", "7"]).run().unwrap();
    let level: &[i32] = by_name.vector("level").unwrap();
    assert_eq!((level[7], level.len()), (0, 25));
    assert_eq!(level, by_position.vector::<i32>("level").unwrap());
    assert_eq!(level, by_text.vector::<i32>("level").unwrap());
    by_name.verify().unwrap();
}

#[test]
fn arguments_that_do_not_fit_are_refused_with_the_right_ones() {
    let graph = Graph::open("path:5").unwrap();
    let bfs = Program::find("bfs").unwrap();
    assert_eq!(
        message(bfs.on(&graph).arg("sauce", 1).run()),
        "bfs has no argument `sauce`; its arguments are graph, source"
    );
    assert!(message(bfs.on(&graph).arg("source", "x").run()).contains("not a vertex"));
    assert!(message(bfs.on(&graph).arg("source", 5).run()).contains("5"));
    assert!(message(bfs.on(&graph).args([1, 2]).run()).contains("surplus"));
    let own = Program::parse("two.gt", TWO_GRAPHS).unwrap();
    let error = message(own.on(&graph).arg("stop", 1).run());
    assert_eq!(error, "two.gt has no argument `stop`; its arguments are first, second, step");
    assert_eq!(message(own.on(&graph).arg("step", 1).run()), "two.gt: the argument second, argv[2] is missing");
}

#[test]
fn a_program_of_ones_own_takes_several_graphs_and_has_typed_results() {
    let (path, star) = (Graph::open("path:3").unwrap(), Graph::open("star:7").unwrap());
    let program = Program::parse("two.gt", TWO_GRAPHS).unwrap();
    let run = program.on(&path).arg("second", &star).arg("step", 10).run().unwrap();
    assert_eq!(run.vector::<i32>("degree").unwrap(), [11, 12, 11]);
    assert_eq!(run.scalar::<i32>("others").unwrap(), star.vertices() as i32);
    assert_eq!(run.set("chosen").unwrap(), [2]);
    assert_eq!(run.printed, format!("{}\n", star.vertices()));
    assert_eq!(message(run.vector::<f64>("degree")), "degree is a vector of int, not of double");
    assert!(message(run.vector::<i32>("degre")).contains("it has degree"));
    assert!(message(run.scalar::<bool>("others")).contains("not a bool"));
    assert!(message(run.set("degree")).contains("it has "));
    assert!(message(run.verify()).contains("no standard program"));
}

#[test]
fn graphs_come_from_slices_and_arrays() {
    let edges = [(0u32, 1u32), (1, 2), (2, 0)];
    let from_edges = Graph::from_edges(&edges).unwrap();
    let targets: Arc<[u32]> = Arc::from([1, 2, 0]);
    let from_csr = Graph::from_csr(vec![0, 1, 2, 3], Arc::clone(&targets)).unwrap();
    assert_eq!(*from_edges, *from_csr);
    assert_eq!(from_csr.out().targets().as_ptr(), targets.as_ptr());
    assert!(message(Graph::from_csr(vec![0, 9], vec![0])).contains("the offsets end at 9"));
    let weighted = Graph::from_weighted_edges(&[(0, 1, 5), (1, 2, -2)]).unwrap();
    let sssp = Program::find("sssp").unwrap();
    let run = sssp.on(&weighted).arg("source", 0).run().unwrap();
    run.verify().unwrap();
}

#[test]
fn a_schedule_is_chosen_given_or_adaptive() {
    let graph = Graph::open("kron:8").unwrap();
    let bfs = Program::find("bfs").unwrap();
    // The person's cache is left out: `auto` would take a schedule that `gw tune` has put there.
    let job = || bfs.on(&graph).arg("source", 1).tuned(&ScheduleCache::none());
    for (schedule, origin) in [("auto", Origin::Chosen), ("s0:s1@pull", Origin::Given), ("adaptive", Origin::Chosen)] {
        let run = job().schedule(schedule).run().unwrap();
        assert_eq!(run.decision.origin, origin, "{schedule}");
        run.verify().unwrap();
    }
    assert!(job().schedule("adaptive").run().unwrap().decision.schedule.to_string().contains("adaptive,by=tree"));
    assert!(message(job().schedule("s0:s1@pul").run()).contains("pul"));
    assert!(message(job().schedule("s0:s1@push,lb=twc").run()).contains("lb=twc"));
}

#[test]
fn a_prepared_program_runs_from_many_vertices() {
    let graph = Graph::open("path:9").unwrap();
    let bfs = Program::find("bfs-levels").unwrap();
    let mut prepared = bfs.on(&graph).arg("source", 0).prepare().unwrap();
    for source in [3, 8] {
        let run = prepared.arg("source", source).unwrap().run().unwrap();
        assert_eq!(run.vector::<i32>("level").unwrap()[0], source);
    }
    assert!(message(prepared.arg("source", 9)).contains("9"));
    assert!(message(prepared.arg("graph", &graph)).contains("keeps its graph"));
}

#[test]
fn a_directed_graph_is_seen_as_the_program_needs_it() {
    let graph = Graph::from_edges(&[(0, 1), (2, 1)]).unwrap();
    let run = Program::find("cc").unwrap().on(&graph).run().unwrap();
    assert!(run.notes[0].to_string().contains("taken as undirected"), "{:?}", run.notes);
    let component: &[i32] = run.vector("label").unwrap();
    assert!(component.iter().all(|&c| c == component[0]));
}

#[test]
fn runs_can_be_stopped_and_watched() {
    let graph = Graph::open("path:4").unwrap();
    let endless = Program::parse("endless.gt", ENDLESS).unwrap();
    let start = Instant::now();
    let error = endless.on(&graph).timeout(Duration::from_millis(50)).run().unwrap_err();
    assert!(error.is_timeout() && !error.is_cancelled(), "{error}");
    let cancel = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&cancel);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        later.store(true, Ordering::Relaxed);
    });
    let error = endless.on(&graph).cancel(&cancel).run().unwrap_err();
    canceller.join().unwrap();
    assert!(error.is_cancelled() && start.elapsed() < Duration::from_secs(20), "{error}");

    let (steps, edges) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let (seen, touched) = (Arc::clone(&steps), Arc::clone(&edges));
    let bfs = Program::find("bfs").unwrap();
    let run = bfs.on(&graph).arg("source", 0).observe(move |step| {
        seen.lock().unwrap().push(step.operator);
        touched.fetch_add(step.edges.unwrap_or(0), Ordering::Relaxed);
    });
    let run = run.run().unwrap();
    let observed = steps.lock().unwrap();
    assert!(observed.contains(&"EdgeSetIterator") && observed.len() as u64 >= run.steps, "{observed:?}");
    assert!(edges.load(Ordering::Relaxed) > 0);
}

#[test]
fn all_standard_programs_run_through_the_front_door() {
    let reference = Machine::open("reference").unwrap();
    for standard in graphwright::programs() {
        let spec = if standard.needs_weights { "grid:4x4:weights=1..9" } else { "grid:4x4" };
        let graph = Graph::open(spec).unwrap();
        let args = gw_programs::example_args(standard, spec, &graph);
        let program = Program::standard(standard).unwrap();
        for machine in [Machine::usual(), &reference] {
            let run = program.on(&graph).args(&args[1..]).machine(machine).run();
            let run = run.unwrap_or_else(|error| panic!("{} on {}: {error}", standard.name, machine.name()));
            run.verify().unwrap_or_else(|error| panic!("{} on {}: {error}", standard.name, machine.name()));
        }
    }
}
