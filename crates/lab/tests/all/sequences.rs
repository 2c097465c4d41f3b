//! Sequences of runs: right machines pass, and a machine that lets one run change the next is caught, with a small
//! sequence that shows it. `gw-fuzz sequences` runs many more.

use std::sync::{Arc, Mutex};

use graphwright::Machine;
use gw_exec::{
    Choice, Environment, Executable, FrontierCosts, GraphVm, Needs, OperatorCall, OperatorId, OperatorOutcome, Queue,
    QueueSpec, QueueState, ReferenceVm, RemoteMemory, Result, Value, VertexSet, host_needs,
};
use gw_graph::Graph;
use gw_ir::Module;
use gw_lab::{Ending, Sequence, SequenceKind, SequenceReport, Sequences, Targets, play, run_sequences};
use gw_schedule::{Capabilities, Family};

fn session<'a>(targets: &'a Targets, on: &[&str], count: u64) -> Sequences<'a> {
    Sequences {
        targets,
        on: on.iter().flat_map(|name| targets.of(name)).collect(),
        partners: ["reference", "cpu", "flow:2"].map(String::from).into(),
        programs: gw_programs::programs().iter().collect(),
        kinds: SequenceKind::ALL.into(),
        seed: 1,
        count,
        random: 10,
        command: "gw check --sequence".to_string(),
        cancel: Arc::default(),
    }
}

fn assert_right(report: &SequenceReport) {
    let failures: Vec<String> =
        report.failures.iter().map(|failure| format!("{}\n  {}", failure.problem, failure.command)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for tally in &report.tallies {
        println!("{tally:?}");
    }
}

/// The machines of this computer without a GPU, side by side. The emulated GPU is tested by `gw-cuda`.
#[test]
fn one_run_does_not_change_the_next() {
    let targets = Targets::standard(2);
    let count = gw_testing::usually(56, 20_000);
    let report = run_sequences(&session(&targets, &["reference", "cpu", "flow", "swarm"], count), &mut |_| {});
    assert_right(&report);
    // Every machine had every kind, and most sequences had results.
    assert_eq!(report.tallies.len(), 7 * SequenceKind::ALL.len());
    let (right, judged) = (report.tallies.iter().map(|t| t.right).sum::<u64>(), &mut report.tallies.iter());
    assert!(right * 3 > report.sequences() * 2, "{right} of {}", report.sequences());
    assert!(judged.map(|tally| tally.judged).sum::<u64>() > 2 * right);
}

/// What was wrong once: workers of one process shared the vectors that an update is given.
#[test]
fn sequences_that_failed_once() {
    let targets = Targets::standard(2);
    for text in [
        "bfs flow:2 schedule=own undirected n=4 | update | change +0-1 | update | change +1-2 | update | \
         change +2-3 | update",
        "cc flow:2 schedule=own undirected n=5 | update | change +2-3 +4-0 | update | change -2-3 -4-0 +2-4 | update | \
         change +1-4 +3-4 | update | change -3-4 -1-4 | update",
        "sssp flow:3 schedule=own undirected weighted n=5 0-2=6 | update | change +2-1=3 +3-1=3 | update | \
         change +0-1=9 +3-1=6 | update | change +3-0=1 | update | change +2-4=9 | update",
    ] {
        let sequence: Sequence = text.parse().unwrap();
        for workers in 1..=4 {
            let played = play(&Sequence { on: format!("flow:{workers}"), ..sequence.clone() }, &targets);
            assert_eq!(played.ending, Ending::Right, "{workers} workers: {text}");
            assert!(played.judged >= 4);
        }
    }
}

/// A machine whose executables remember: the first entry of `label` is that of the run before.
struct Forgetless {
    reference: ReferenceVm,
}

struct Remembering {
    reference: Box<dyn Executable>,
    runs: u32,
    last: Arc<Mutex<Option<Value>>>,
}

impl GraphVm for Forgetless {
    fn name(&self) -> &str {
        "forgetless"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        self.reference.capabilities()
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let reference = self.reference.prepare(module)?;
        Ok(Box::new(Remembering { reference, runs: 0, last: Arc::default() }))
    }

    fn threads(&self) -> u64 {
        1
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl gw_exec::MachineReport for Forgetless {}

impl RemoteMemory for Remembering {}

impl FrontierCosts for Remembering {}

impl gw_exec::Statements for Remembering {}

impl gw_exec::AsyncWork for Remembering {}

impl Executable for Remembering {
    fn begin_run(&mut self) {
        self.runs += 1;
    }

    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let outcome = self.reference.run_operator(operator, call, env);
        if let Some(Value::Vector(label)) = env.global("label")
            && label.len() > 1
        {
            let mut last = self.last.lock().unwrap();
            if let Some(value) = last.as_ref().filter(|_| self.runs > 1) {
                label.set(1, value);
            }
            *last = label.get(1);
        }
        outcome
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.reference.new_queue(spec, env)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.reference.dequeue(queue, env)
    }
}

#[test]
fn what_a_run_leaves_behind_is_caught_and_made_small() {
    let mut targets = Targets::standard(1);
    targets.add("forgetless", || Ok(Machine::new(Forgetless { reference: ReferenceVm::new() }, 1)));
    let mut session = session(&targets, &["forgetless"], 12);
    session.programs = vec![gw_programs::find("cc").unwrap()];
    session.kinds = vec![SequenceKind::Repeat];
    session.random = 0;
    let report = run_sequences(&session, &mut |_| {});
    let failure = report.failures.first().expect("the machine is wrong");
    let small: Sequence = failure.sequence.parse().unwrap();
    // A graph that changes in between, and the executable before and after.
    assert!(small.steps.len() <= 4 && small.start.vertices <= 3, "{small}");
    assert!(failure.fails_again && failure.problem.contains("step "), "{failure:?}");
    assert_eq!(failure.command, format!("gw check --sequence '{small}'"));
    assert!(matches!(play(&small, &targets).ending, Ending::Wrong { .. }));
}

#[test]
fn what_a_machine_cannot_do_is_refused_with_a_sentence() {
    let targets = Targets::standard(1);
    for (text, reason) in [
        ("louvain cpu schedule=auto undirected n=3 0-1 | update", "louvain comes without an update"),
        ("triangles cpu schedule=own undirected n=3 0-1 | resume 1 cpu cpu 0", "this program has none"),
        ("cc nothing schedule=auto undirected n=3 0-1 | run 0", "there is no machine `nothing` for sequences"),
    ] {
        let played = play(&text.parse().unwrap(), &targets);
        assert_eq!((played.ending, played.refused.len()), (Ending::Refused, 1), "{text}");
        assert!(played.refused[0].contains(reason), "{}", played.refused[0]);
    }
}
