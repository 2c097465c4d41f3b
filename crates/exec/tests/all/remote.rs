//! A machine that keeps vectors away from the host, as a GPU does: the host's cells hold rubbish between operators,
//! so an access that is not announced shows.

use crate::common;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use common::{HEAD, graph, lower, options};
use gw_exec::{
    AsyncWork, Choice, Environment, Executable, Externs, FrontierCosts, GraphVm, MachineReport, Needs, OperatorCall,
    OperatorId, OperatorOutcome, Program, Queue, QueueSpec, QueueState, ReferenceVm, RemoteMemory, Result, RunOptions,
    RunResult, Scalar, Statements, Value, Vector, VectorId, VertexSet, host_needs,
};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

/// What the executor asked for, in order.
type Log = Arc<Mutex<Vec<&'static str>>>;

struct RemoteVm {
    /// Single cells are served where the truth is.
    elements: bool,
    /// Fetches nothing when the host is about to read.
    forgetful: bool,
    log: Log,
}

struct Remote {
    reference: Box<dyn Executable>,
    elements: bool,
    forgetful: bool,
    log: Log,
    /// The truth by storage, and the storage itself.
    away: HashMap<VectorId, (Vector, Vec<Value>)>,
}

impl RemoteVm {
    fn new(elements: bool) -> RemoteVm {
        RemoteVm { elements, forgetful: false, log: Log::default() }
    }

    fn count(&self, what: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|entry| **entry == what).count()
    }
}

impl GraphVm for RemoteVm {
    fn name(&self) -> &str {
        "remote"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::everything("remote")
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let reference = ReferenceVm::new().prepare(module)?;
        Ok(Box::new(Remote {
            reference,
            elements: self.elements,
            forgetful: self.forgetful,
            log: Arc::clone(&self.log),
            away: HashMap::new(),
        }))
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for RemoteVm {}

fn rubbish(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Int => Value::Int(-777),
        Scalar::Uint => Value::Uint(777),
        Scalar::Uint64 => Value::Uint64(777),
        Scalar::Int64 => Value::Int64(-777),
        Scalar::Float => Value::Float(-777.0),
        Scalar::Double => Value::Double(-777.0),
        _ => Value::Bool(true),
    }
}

impl Remote {
    fn note(&self, what: &'static str) {
        self.log.lock().unwrap().push(what);
    }

    /// The host's cells become rubbish; the truth is kept here.
    fn take_away(&mut self, vector: &Vector) -> &mut Vec<Value> {
        let storage = vector.storage();
        let entry = self.away.entry(vector.id()).or_insert_with(|| {
            let values = match storage.untouched() {
                Some(fill) => vec![Value::from_bits(storage.scalar(), fill); storage.cells()],
                None => {
                    let values = (0..storage.cells()).map(|i| storage.get(i).unwrap()).collect();
                    (0..storage.cells()).for_each(|i| assert!(storage.set(i, &rubbish(storage.scalar()))));
                    values
                }
            };
            storage.set_watched(true);
            (storage, values)
        });
        &mut entry.1
    }

    fn bring_home(&mut self, id: VectorId) {
        if let Some((storage, values)) = self.away.remove(&id) {
            assert!(!storage.as_ptr_to_overwrite().is_null() || values.is_empty());
            values.iter().enumerate().for_each(|(i, value)| assert!(storage.set(i, value)));
        }
    }

    fn all_home(&mut self) {
        let ids: Vec<VectorId> = self.away.keys().copied().collect();
        ids.into_iter().for_each(|id| self.bring_home(id));
    }

    fn globals_away(&mut self, env: &Environment) {
        let vectors: Vec<Vector> = env.global_values().filter_map(|(_, _, value)| value.as_vector().cloned()).collect();
        vectors.iter().for_each(|vector| {
            self.take_away(vector);
        });
    }
}

impl Executable for Remote {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let captures = call.captures();
        let captured: Vec<Vector> = [captures.apply, captures.from, captures.to]
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_vector().cloned())
            .collect();
        self.all_home();
        let outcome = self.reference.run_operator(operator, call, env);
        self.globals_away(env);
        captured.iter().for_each(|vector| {
            self.take_away(vector);
        });
        outcome
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.bring_home(spec.priorities.id());
        self.reference.new_queue(spec, env)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.all_home();
        let set = self.reference.dequeue(queue, env);
        self.globals_away(env);
        set
    }

    fn begin_run(&mut self) {
        self.away.clear();
    }
}

impl Statements for Remote {}

impl AsyncWork for Remote {
    fn wait(&mut self) -> Result<()> {
        self.note("wait");
        Ok(())
    }
}

impl FrontierCosts for Remote {}

impl RemoteMemory for Remote {
    fn watches_new_vectors(&self) -> bool {
        true
    }

    fn out_degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Option<Result<Vector>> {
        if scalar != Scalar::Int {
            return None;
        }
        self.note("out_degrees");
        Some(Vector::zeros(scalar, &[graph.vertices()]).inspect(|vector| {
            let degrees = graph.out_degrees().unwrap();
            *self.take_away(vector) = degrees.iter().map(|&degree| Value::Int(degree as i32)).collect();
        }))
    }

    fn host_element(&mut self, vector: &Vector, cell: usize) -> Option<Result<Value>> {
        self.note("host_element");
        let at = vector.storage_cell(cell);
        self.elements.then(|| Ok(self.take_away(vector)[at].clone()))
    }

    fn set_host_element(&mut self, vector: &Vector, cell: usize, value: Value) -> Option<Result<()>> {
        self.note("set_host_element");
        assert_eq!(value.scalar(), Some(vector.scalar()));
        let at = vector.storage_cell(cell);
        self.elements.then(|| {
            self.take_away(vector)[at] = value;
            Ok(())
        })
    }

    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        self.note("host_will_read");
        if self.forgetful {
            vector.storage().set_watched(false);
            return Ok(());
        }
        self.bring_home(vector.id());
        Ok(())
    }

    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        self.note("host_will_write");
        self.bring_home(vector.id());
        Ok(())
    }
}

fn contents(result: &RunResult) -> String {
    let mut text = String::new();
    for (name, value) in result.globals.iter() {
        let value = match value {
            Value::Vector(vector) => {
                assert!(!vector.is_watched(), "`{name}` is a result");
                format!("{:?}", vector.to_f64())
            }
            Value::Graph(_) | Value::Queue(_) => continue,
            Value::Set(set) => format!("{:?}", set.ids()),
            scalar => format!("{scalar:?}"),
        };
        text.push_str(&format!("{name} = {value}\n"));
    }
    text
}

#[test]
fn programs_do_not_notice() {
    let programs = [
        (include_str!("../../../../programs/bfs.gt"), &["kron:6", "3"][..]),
        (include_str!("../../../../programs/bfs-levels.gt"), &["kron:6", "3"]),
        (include_str!("../../../../programs/bc.gt"), &["kron:6", "3"]),
        (include_str!("../../../../programs/sssp.gt"), &["kron:6:weights=1..9", "3"]),
        (include_str!("../../../../programs/sssp-delta.gt"), &["kron:6:weights=1..9", "3", "2"]),
        (include_str!("../../../../programs/ppsp.gt"), &["road:6x6:weights=1..9", "0", "35", "4"]),
        (include_str!("../../../../programs/astar.gt"), &["road:6x6:weights=1..9", "0", "35", "7", "4"]),
        (include_str!("../../../../programs/pagerank.gt"), &["kron:6", "5", "0.0001", "0.85"]),
        (include_str!("../../../../programs/pagerank-delta.gt"), &["kron:6", "0.00001", "0.85"]),
        (include_str!("../../../../programs/cc.gt"), &["urand:6:1"]),
        (include_str!("../../../../programs/cc-fast.gt"), &["urand:6:1"]),
        (include_str!("../../../../programs/cf.gt"), &["bipartite:9:12:40:weights=1..5", "3"]),
        (include_str!("../../../../programs/closeness.gt"), &["kron:5", "4"]),
        (include_str!("../../../../programs/coloring.gt"), &["kron:5"]),
        (include_str!("../../../../programs/kcore.gt"), &["kron:6"]),
        (include_str!("../../../../programs/kcore-unordered.gt"), &["kron:6"]),
        (include_str!("../../../../programs/mis.gt"), &["kron:6"]),
        (include_str!("../../../../programs/setcover.gt"), &["kron:5"]),
        (include_str!("../../../../programs/tc.gt"), &["kron:6"]),
    ];
    for (source, args) in programs {
        let (module, schedule) = lower(source);
        let passed = gw_ir::run_pipeline(module.clone(), &schedule, &gw_ir::Options::default()).unwrap();
        for module in [module, passed] {
            let options = RunOptions::with_args(args.iter().copied());
            let run = |vm: &dyn GraphVm| {
                let mut program = Program::prepare(vm, Arc::new(module.clone())).unwrap();
                let first = contents(&program.run(&options).unwrap());
                assert_eq!(first, contents(&program.run(&options).unwrap()));
                first
            };
            let wanted = run(&ReferenceVm::new());
            for elements in [false, true] {
                assert_eq!(run(&RemoteVm::new(elements)), wanted, "{source}");
            }
        }
    }
}

#[test]
fn the_entry_exam_is_passed() {
    gw_exec::conformance::host_and_machine(&ReferenceVm::new()).unwrap();
    for elements in [false, true] {
        gw_exec::conformance::host_and_machine(&RemoteVm::new(elements)).unwrap();
    }
}

#[test]
fn the_entry_exam_finds_a_machine_that_keeps_the_truth_to_itself() {
    let mut vm = RemoteVm::new(true);
    vm.forgetful = true;
    let failure = gw_exec::conformance::host_and_machine(&vm).unwrap_err();
    assert!(failure.to_string().contains("the remote machine says"), "{failure}");
}

const ELEMENTS: &str = "const x : vector{Node}(int) = 7;
const rows : vector{Node}(vector[2](double));
func main()
    x[1] = 3;
    x[1] += x[0];
    x[2] min= 9;
    rows[2][1] = 2.5;
    print x[1];
    print rows[2][1] + rows[0][0];
end
";

fn elements(vm: &RemoteVm, fetch_results: bool) -> RunResult {
    let (module, schedule) = lower(&format!("{HEAD}{ELEMENTS}"));
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
    let options = RunOptions { fetch_results, ..options(graph(3, &[(0, 1), (1, 2)]), &[]) };
    Program::prepare(vm, Arc::new(module)).unwrap().run(&options).unwrap()
}

#[test]
fn single_cells_leave_the_host_untouched() {
    let vm = RemoteVm::new(true);
    let result = elements(&vm, true);
    assert_eq!(result.printed, "10\n2.5\n");
    assert_eq!(result.globals.vector("x").unwrap().to_vec::<i32>().unwrap(), [7, 10, 7]);
    assert_eq!(vm.count("host_will_write"), 0);
    // The results, after the clock has stopped.
    let log = vm.log.lock().unwrap();
    assert_eq!(log[log.len() - 3..], ["wait", "host_will_read", "host_will_read"]);
    assert_eq!(log.iter().filter(|entry| **entry == "host_will_read").count(), 2);
}

#[test]
fn a_machine_that_serves_no_cells_is_told_instead() {
    let vm = RemoteVm::new(false);
    assert_eq!(elements(&vm, true).printed, "10\n2.5\n");
    assert!(vm.count("host_will_write") >= 3);
}

#[test]
fn results_stay_away_when_nobody_wants_them() {
    let vm = RemoteVm::new(true);
    let result = elements(&vm, false);
    assert_eq!(result.printed, "10\n2.5\n");
    assert!(matches!(result.globals.get("x"), Some(Value::Nothing)));
    assert_eq!(vm.count("host_will_read"), 0);
}

#[test]
fn machines_count_degrees_and_end_the_timed_part() {
    let body = "func main()
    startTimer();
    var d : vector{Node}(int) = links.getOutDegrees();
    print d[1];
    var t : float = stopTimer();
end
";
    let vm = RemoteVm::new(true);
    let options = options(graph(3, &[(1, 0), (1, 2)]), &[]);
    let result = common::run_on(&vm, lower(&format!("{HEAD}{body}")).0, &options).unwrap();
    assert_eq!((result.printed.as_str(), vm.count("out_degrees"), vm.count("wait")), ("2\n", 1, 3));
}

#[test]
fn extern_functions_find_vectors_at_home() {
    let body = "extern func twice(x : vector{Node}(int));
const x : vector{Node}(int) = 1;
func bump(v : Node) x[v] += v; end
func main()
    nodes.apply(bump);
    twice(x);
    print x.sum();
end
";
    let mut options = options(graph(3, &[(0, 1)]), &[]);
    let mut externs = Externs::new();
    externs.register("twice", |call| {
        let Some(Value::Vector(x)) = call.global("x") else { return Err("no x".into()) };
        let doubled: Vec<i32> = call.vector::<i32>(0)?.to_vec::<i32>().unwrap().into_iter().map(|v| v * 2).collect();
        assert!(x.copy_from_slice(&doubled));
        Ok(Value::Nothing)
    });
    options.externs = Arc::new(externs);
    let result = common::run_on(&RemoteVm::new(true), lower(&format!("{HEAD}{body}")).0, &options).unwrap();
    assert_eq!(result.printed, "12\n");
}

#[test]
fn vectors_of_the_caller_come_back() {
    let source = "element Node end
element Link end
const links : edgeset{Link}(Node,Node);
const x : vector{Node}(int);
func bump(v : Node) x[v] += 1; end
export func count(g : edgeset{Link}(Node,Node), y : vector{Node}(int))
    links = g;
    x = y;
    var all : vertexset{Node} = links.getVertices();
    all.apply(bump);
end
";
    let mut program = Program::prepare(&RemoteVm::new(true), Arc::new(lower(source).0)).unwrap();
    let y = Vector::from_slice(&[4, 5, 6]);
    let args = vec![Value::Graph(graph(3, &[(0, 1)])), Value::Vector(y.clone())];
    let options = RunOptions { fetch_results: false, ..RunOptions::default() };
    program.call("count", args, &options).unwrap();
    assert!(!y.is_watched());
    assert_eq!(y.to_vec::<i32>().unwrap(), [5, 6, 7]);
}
