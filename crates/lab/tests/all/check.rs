//! The conformance matrix must pass a right machine and catch those that are wrong, refuse, panic or hang.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gw_exec::{
    Choice, Environment, ErrorKind, Executable, GraphVm, Needs, OperatorCall, OperatorId, OperatorOutcome, Queue,
    QueueSpec, QueueState, ReferenceVm, Result, Value, VertexSet, host_needs,
};
use gw_graph::Graph;
use gw_ir::Module;
use gw_lab::{Check, CheckListener, CheckReport, Tally, check};
use gw_schedule::{Axis, Capabilities, Direction};

/// Counts what it hears.
#[derive(Default)]
struct Heard {
    promised: u64,
    done: u64,
    schedules: usize,
}

impl CheckListener for Heard {
    fn begin(&mut self, runs: u64) {
        self.promised = runs;
    }

    fn trying(&mut self, _program: &str, _schedule: &str) {
        self.schedules += 1;
    }

    fn advance(&mut self, runs: u64) {
        self.done += runs;
    }
}

/// What a wrong machine does.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// One entry of `parent` is changed after every operator.
    Corrupts,
    /// It cannot compile anything.
    Refuses,
    /// It cannot run anything with a direction of pull.
    RefusesPull,
    Panics,
    Hangs,
}

struct Faulty(Fault);

struct FaultyExecutable {
    reference: Box<dyn Executable>,
    fault: Fault,
}

impl GraphVm for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn family(&self) -> gw_schedule::Family {
        gw_schedule::Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::new("faulty")
            .allow(Axis::Direction, &[Direction::Push, Direction::Pull])
            .allow_all(Axis::Frontier)
            .allow_all(Axis::Dedup)
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let pulls = format!("{module}").contains("pull");
        match self.0 {
            Fault::Refuses => Err(ErrorKind::Unsupported("no code today".into()).into()),
            Fault::RefusesPull if pulls => Err(ErrorKind::Unsupported("pull is beyond me".into()).into()),
            fault => Ok(Box::new(FaultyExecutable { reference: ReferenceVm::new().prepare(module)?, fault })),
        }
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl gw_exec::MachineReport for Faulty {}

impl gw_exec::RemoteMemory for FaultyExecutable {}

impl gw_exec::FrontierCosts for FaultyExecutable {}

impl gw_exec::Statements for FaultyExecutable {}

impl gw_exec::AsyncWork for FaultyExecutable {}

impl Executable for FaultyExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        match self.fault {
            Fault::Panics => panic!("a machine with a fault"),
            Fault::Hangs => loop {
                env.stop.check()?;
            },
            _ => {}
        }
        let outcome = self.reference.run_operator(operator, call, env);
        if self.fault == Fault::Corrupts
            && let Some(Value::Vector(parent)) = env.global("parent")
            && parent.len() == 40
        {
            parent.set(30, &Value::Int(7));
        }
        outcome
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.reference.new_queue(spec, env)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.reference.dequeue(queue, env)
    }

    fn begin_run(&mut self) {
        self.reference.begin_run();
    }
}

fn programs(names: &[&str]) -> Vec<&'static gw_programs::Program> {
    names.iter().map(|name| gw_programs::find(name).unwrap()).collect()
}

fn report(fault: Fault, names: &[&str], change: impl FnOnce(&mut Check<'_>)) -> CheckReport {
    let machine = Faulty(fault);
    let mut matrix = Check::new(&machine);
    matrix.programs = programs(names);
    matrix.quick = true;
    change(&mut matrix);
    let mut heard = Heard::default();
    let report = check(&matrix, &mut heard).unwrap();
    if !report.interrupted {
        assert_eq!((heard.done, heard.promised), (report.total.runs(), report.total.runs()));
        assert!(heard.schedules > 0);
    }
    report
}

#[test]
fn a_right_machine_passes() {
    let report = report(Fault::None, &["bfs", "sssp", "tc"], |_| {});
    // The programs' own schedules name a parallelism that this machine has not.
    assert_eq!(report.total.failed, 0);
    assert!(report.is_good());
    let refused: Vec<&str> = report.refusals.iter().map(|refusal| refusal.reason.as_str()).collect();
    assert!(refused.iter().all(|reason| reason.contains("the faulty machine cannot run")), "{refused:?}");
    let row = |name: &str| report.programs.iter().find(|row| row.program == name).unwrap();
    assert!(row("bfs").classes.contains_key("directed") && !row("bfs").classes.contains_key("weights"));
    assert!(!row("tc").classes.contains_key("directed"));
    assert!(row("sssp").classes.contains_key("weights"));
    let sum = report.programs.iter().flat_map(|row| row.classes.values()).map(Tally::runs).sum::<u64>();
    assert_eq!(sum, report.total.runs());
}

#[test]
fn the_reference_machine_passes_with_all_programs() {
    let machine = ReferenceVm::new();
    let mut matrix = Check::new(&machine);
    (matrix.quick, matrix.schedules) = (true, Some(1));
    // Every third program: the crate `programs` tries each of them on the reference machine.
    if !gw_testing::is_nightly() {
        matrix.programs = gw_programs::programs().iter().step_by(3).collect();
    }
    let report = check(&matrix, &mut Heard::default()).unwrap();
    assert!(report.is_good() && report.refusals.is_empty(), "{:?} {:?}", report.failures, report.refusals);
    assert_eq!(report.programs.len(), matrix.programs.len());
}

#[test]
fn a_wrong_result_is_caught_and_can_be_repeated() {
    let report = report(Fault::Corrupts, &["bfs", "bfs-levels"], |matrix| matrix.options = "--target it".into());
    assert!(!report.is_good());
    let row = |name: &str, class: &str| report.programs.iter().find(|r| r.program == name).unwrap().classes[class];
    // Only the path has 40 vertices, and only this program has parents.
    assert!(row("bfs", "path").failed > 0 && row("bfs", "path").passed == 0);
    assert_eq!((row("bfs", "star").failed, row("bfs-levels", "path").failed), (0, 0));
    assert_eq!(report.failures.len() as u64, report.total.failed);
    for failure in &report.failures {
        assert!(failure.problem.contains("vertex 30") || failure.problem.contains("parent"), "{}", failure.problem);
        assert!(failure.command.starts_with("gw run bfs path:40 1 --target it"), "{}", failure.command);
        assert!(failure.command.ends_with("--verify"));
    }
    let pull = report.failures.iter().find(|failure| failure.schedule.contains("pull")).unwrap();
    assert!(pull.command.contains(&format!("--schedule '{}'", pull.schedule)), "{}", pull.command);
}

#[test]
fn a_refusal_is_neither_right_nor_wrong() {
    let all = report(Fault::Refuses, &["bfs"], |_| {});
    assert_eq!((all.total.passed, all.total.failed), (0, 0));
    assert!(all.total.refused > 0 && !all.is_good());
    let refusal = all.refusals.iter().find(|refusal| refusal.reason == "no code today").unwrap();
    assert_eq!(refusal.programs, ["bfs"]);
    assert!(refusal.command.starts_with("gw run bfs "));
    let some = report(Fault::RefusesPull, &["bfs"], |_| {});
    assert!(some.is_good() && some.refusals.iter().any(|refusal| refusal.reason == "pull is beyond me"));
}

#[test]
fn panics_and_hangs_are_failures() {
    let panicked = report(Fault::Panics, &["bfs"], |matrix| matrix.schedules = Some(1));
    assert_eq!(panicked.total.passed, 0);
    assert!(panicked.failures.iter().any(|failure| failure.problem == "panicked: a machine with a fault"));
    let hung = report(Fault::Hangs, &["bfs"], |matrix| {
        (matrix.schedules, matrix.timeout) = (Some(1), Duration::from_millis(20));
    });
    assert!(hung.total.passed == 0 && hung.failures[0].problem.contains("time limit"), "{:?}", hung.failures[0]);
    // The graphs after the first one are not waited for.
    assert!(hung.failures[1].problem.starts_with("not run"), "{:?}", hung.failures[1]);
}

#[test]
fn a_check_can_be_cancelled() {
    let cancel = Arc::new(AtomicBool::new(false));
    cancel.store(true, Ordering::Relaxed);
    let report = report(Fault::None, &["bfs"], |matrix| matrix.cancel = cancel);
    assert!(report.interrupted && !report.is_good() && report.total.runs() == 0);
}
