//! The one way to run, as a Rust program sees it: tuned schedules, machines that were chosen, notes, checkpoints.

use std::sync::{Arc, Mutex};

use graphwright::machine::{Family, GraphVm, MachineKind, MachineOptions, Machines, Missing};
use graphwright::schedule::{Aim, Origin, ScheduleCache, TunedSchedule, TuningKey, text_hash};
use graphwright::{Checkpoint, Graph, Machine, Note, Outcome, Program, Resume};
use gw_exec::{Choice, ErrorKind, Executable, MachineReport, Needs, ReferenceVm, host_needs};
use gw_ir::Module;
use gw_schedule::Capabilities;

/// A machine on which nothing fits.
struct Small;

impl GraphVm for Small {
    fn name(&self) -> &str {
        "small"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        ReferenceVm::new().capabilities()
    }

    fn prepare(&self, _: Arc<Module>) -> gw_exec::Result<Box<dyn Executable>> {
        Err(ErrorKind::OutOfMemory { what: "the graph".into() }.into())
    }

    fn threads(&self) -> u64 {
        1
    }

    fn choose(&self, module: Module, _: &gw_graph::Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &gw_graph::Graph) -> gw_exec::Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for Small {}

impl MachineKind for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn about(&self) -> &'static str {
        "Has no memory"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn open(&self, _: &MachineOptions) -> Result<Machine, Missing> {
        Ok(Machine::new(Small, 1))
    }

    fn is_preferred(&self) -> bool {
        true
    }
}

const PRINTS: &str = "element Vertex end\nelement Edge end\n\
    const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);\nfunc main()\n print 42;\nend\n";

#[test]
fn the_cpu_takes_over_from_a_machine_that_was_chosen() {
    let mut machines = Machines::none();
    machines.register(Small);
    let program = Program::parse("prints.gt", PRINTS).unwrap();
    let graph = Graph::open("path:9").unwrap();
    let printed: Arc<Mutex<Vec<u8>>> = Arc::default();
    let chosen = machines.open("auto", &MachineOptions { threads: 1 }).unwrap();
    let run = program.on(&graph).machine(&chosen).print_to(Arc::clone(&printed) as _).run().unwrap();
    assert_eq!(run.machine, "cpu");
    let told: Vec<String> = run.notes.iter().map(Note::to_string).collect();
    assert!(told.len() == 1 && told[0].starts_with("small: ") && told[0].ends_with("; running on the CPU"), "{told:?}");
    // What the machine that gave up may have printed is not there.
    assert_eq!(String::from_utf8(printed.lock().unwrap().clone()).unwrap(), "42\n");
    // A machine that was asked for is not replaced.
    let asked = machines.open("small", &MachineOptions { threads: 1 }).unwrap();
    let error = program.on(&graph).machine(&asked).run().unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
}

#[test]
fn the_machine_of_a_small_graph_is_the_cpu() {
    let cc = Program::find("cc").unwrap();
    let prepared = cc.on(&Graph::open("kron:6").unwrap()).target("auto").prepare().unwrap();
    assert_eq!(prepared.machine().name(), "cpu");
    let worth = prepared.machine().start().worth.as_ref().expect("the machines were weighed");
    assert!(!worth.on_device && worth.because.contains("threads of the CPU"), "{worth:?}");
}

/// Keeps a schedule as `gw tune` does.
fn tune(cache: &ScheduleCache, program: &Program, graph: &Graph, schedule: &str) {
    let machine = Machine::usual();
    let words = cache.machine(machine.vm());
    let key = TuningKey::new(&text_hash(&program.file().text), graph, machine.name(), &words);
    let entry = TunedSchedule {
        version: 0,
        name: program.name().into(),
        program: key.program.clone(),
        graph: key.graph.clone(),
        target: key.target.clone(),
        machine: words,
        schedule: schedule.into(),
        objective: Aim::Time,
        share: 0.5,
        seconds: 0.001,
        joules: None,
        tuned: "2026-01-01T00:00:00Z".into(),
    };
    cache.store(&key, &entry).unwrap().expect("a folder");
}

#[test]
fn what_was_tuned_is_used_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ScheduleCache::at(folder.path(), Machine::usual().threads());
    let (program, graph) = (Program::find("sssp-delta").unwrap(), Graph::open("grid:9x9:weights=1..9").unwrap());
    const SCHEDULE: &str = "s0:s1@push,par=serial,update=lazy,delta=7";
    tune(&cache, &program, &graph, SCHEDULE);
    let run = |schedule: &str, cache: &ScheduleCache, graph: &Graph| -> Outcome {
        program.on(graph).arg("source", 0).schedule(schedule).tuned(cache).run().unwrap()
    };
    let is_tuned = |outcome: &Outcome| outcome.notes.iter().any(|note| matches!(note, Note::Tuned { .. }));
    let tuned = run("auto", &cache, &graph);
    assert_eq!((tuned.decision.schedule.to_string().as_str(), tuned.decision.origin), (SCHEDULE, Origin::Tuned));
    let told = tuned.notes.iter().map(Note::to_string).collect::<Vec<_>>().join("\n");
    assert!(
        told.contains("the schedule is tuned: `gw tune` found it on 2026-01-01T00:00:00Z: 50 % of the time"),
        "{told}"
    );
    for other in [run("rule", &cache, &graph), run("auto", &ScheduleCache::none(), &graph)] {
        assert!(other.decision.origin == Origin::Chosen && !is_tuned(&other));
        assert_eq!(other.vector::<i32>("dist").unwrap(), tuned.vector::<i32>("dist").unwrap());
    }
    // Another graph has no entry, unless it is one that changes made of this graph.
    let changed = Graph::open("grid:9x8:weights=1..9").unwrap();
    assert!(!is_tuned(&run("auto", &cache, &changed)));
    assert!(is_tuned(&run("auto", &cache.clone().for_changes_of(&graph), &changed)));
    // An aim for which nothing is tuned.
    let error = program.on(&graph).schedule("auto:speed").tuned(&cache).run().unwrap_err().to_string();
    assert_eq!(error, "nothing is tuned for `speed`; known are time, energy, time-energy");
}

#[test]
fn a_run_is_saved_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (program, graph) = (Program::find("pagerank").unwrap(), Graph::open("kron:8").unwrap());
    let checkpoint = |resume| Checkpoint { folder: folder.path().to_path_buf(), every: 1, resume, writes: true };
    let first = program.on(&graph).checkpoint(checkpoint(Resume::No)).run().unwrap();
    assert!(checkpoint(Resume::No).path().exists());
    let again = program.on(&graph).checkpoint(checkpoint(Resume::IfThere)).run().unwrap();
    assert!(again.steps < first.steps, "{} {}", again.steps, first.steps);
    let (one, two): (&[f32], &[f32]) = (first.vector("rank").unwrap(), again.vector("rank").unwrap());
    assert!(one.iter().zip(two).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn notes_are_heard_as_they_come_and_kept() {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&heard);
    let job = Program::find("bfs").unwrap().on(&Graph::open("path:5").unwrap());
    let planned = job.explain(true).listen(move |note| into.lock().unwrap().push(note.to_string())).plan().unwrap();
    assert_eq!((planned.chosen_source(), planned.notes().len()), (Some("1"), 1));
    assert!(matches!(&planned.notes()[0], Note::ChosenSource { id, .. } if id == "1"));
    let run = planned.on(Machine::usual()).unwrap().run().unwrap();
    assert!(run.notes.iter().any(|note| matches!(note, Note::Schedule(text) if text.contains("the program's own"))));
    assert_eq!(*heard.lock().unwrap(), run.notes.iter().map(Note::to_string).collect::<Vec<_>>());
}

#[test]
fn memory_is_told_before_a_run() {
    let planned = Program::find("pagerank").unwrap().on(&Graph::open("kron:10").unwrap()).plan().unwrap();
    let (text, graph, needs) = planned.needs(Machine::usual()).unwrap().expect("the graph is known");
    assert!(text == "kron:10" && needs.host_bytes() > graph.bytes() as u64 && needs.device_bytes() == 0);
}
