//! The Rust side: extern and export functions, observers, outputs, reuse, and a machine that takes over statements.

use crate::common;

use std::sync::{Arc, Mutex};

use common::{HEAD, graph, lower, options, run, weighted};
use gw_exec::{
    AsyncWork, Choice, Environment, Executable, Externs, FrontierCosts, GraphVm, Locals, MachineReport, Needs,
    OperatorCall, OperatorId, OperatorOutcome, Output, Program, Queue, QueueSpec, QueueState, ReferenceVm,
    RemoteMemory, Result, Sites, StatementId, StatementOutcome, Statements, StepRecord, Value, Vector, VertexSet,
    host_needs,
};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_ir::stmt::StmtKind;
use gw_schedule::{Capabilities, Family};

const EXTERNS: &str = "extern func weigh(v : Node) -> w : double;
extern func visit(src : Node, dst : Node);
extern func total(x : vector{Node}(int), s : vertexset{Node}, scale : int) -> t : int;
const x : vector{Node}(int) = 1;
func main()
    print weigh(2);
    links.apply(visit);
    print x.sum();
    print total(x, nodes, 10);
end
";

#[test]
fn extern_functions() {
    let mut options = options(graph(3, &[(0, 1), (0, 2)]), &[]);
    let mut externs = Externs::new();
    externs
        .register("weigh", |call| Ok(Value::Double(f64::from(call.int(0)?) / 4.0)))
        .register("visit", |call| {
            let Some(Value::Vector(x)) = call.global("x") else { return Err("no x".into()) };
            x.set(call.int(1)? as usize, &Value::Int(100));
            Ok(Value::Nothing)
        })
        .register("total", |call| {
            let (x, set) = (call.vector::<i32>(0)?, call.set(1)?);
            let sum: i32 =
                set.ids().unwrap_or_default().iter().map(|&v| x.to_vec::<i32>().map_or(0, |x| x[v as usize])).sum();
            Ok(Value::Int(sum * call.int(2)?))
        });
    options.externs = Arc::new(externs);
    assert_eq!(run(&format!("{HEAD}{EXTERNS}"), &options).unwrap().printed, "0.5\n201\n2010\n");
}

#[test]
fn extern_mistakes_are_explained() {
    let mut options = options(graph(3, &[(0, 1)]), &[]);
    let source = format!("{HEAD}{EXTERNS}");
    let error = run(&source, &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "the extern function `func weigh(v: Node) -> w: double` is not registered: register a closure named `weigh`"
    );
    let mut externs = Externs::new();
    externs.register("weigh", |_| Ok(Value::Int(1)));
    options.externs = Arc::new(externs);
    let error = run(&source, &options).unwrap_err().to_string();
    assert_eq!(error, "extern function `weigh`: it returned int, but `func weigh(v: Node) -> w: double` is declared");
    let mut externs = Externs::new();
    externs.register("weigh", |call| call.text(0).map(|_| Value::Nothing));
    options.externs = Arc::new(externs);
    let error = run(&source, &options).unwrap_err().to_string();
    assert_eq!(error, "extern function `weigh`: argument 0 is a int, a string is needed");
}

#[test]
fn export_functions() {
    let source = "element Node end
element Link end
const links : edgeset{Link}(Node,Node,int);
const nodes : vertexset{Node};
const dist : vector{Node}(int);
const scale : int = 3;
func relax(src : Node, dst : Node, w : int) dist[dst] min= dist[src] + scale * w; end
export func distances(g : edgeset{Link}(Node,Node,int), start : vector{Node}(int), rounds : int) -> out : vector{Node}(int)
    links = g;
    nodes = links.getVertices();
    dist = start;
    for i in 0:rounds links.apply(relax); end
    out = dist;
end
";
    let (module, schedule) = lower(source);
    let lowered = gw_ir::run_pipeline(module.clone(), &schedule, &gw_ir::Options::default()).unwrap();
    for module in [module, lowered] {
        let mut program = Program::prepare(&ReferenceVm::new(), Arc::new(module)).unwrap();
        assert_eq!(program.exports(), ["distances"]);
        let g = Value::Graph(weighted(3, &[(0, 1, 2), (1, 2, 1)]));
        let start = Vector::from_slice(&[0, 99, 99]);
        let result =
            program.call("distances", vec![g.clone(), start.clone().into(), 2.into()], &Default::default()).unwrap();
        assert_eq!(result.value.as_vector().and_then(|v| v.to_vec::<i32>()), Some(vec![0, 6, 9]));
        assert_eq!(start.to_vec::<i32>(), Some(vec![0, 6, 9]), "shared with the caller");

        let mut fails = |args| program.call("distances", args, &Default::default()).unwrap_err().to_string();
        assert_eq!(fails(vec![g.clone()]), "`distances`: 3 arguments are needed, 1 given");
        assert_eq!(
            fails(vec![g.clone(), 1.into(), 2.into()]),
            "`distances`: argument 1 is a int, a vector{Node}(int) is needed"
        );
        assert_eq!(
            fails(vec![g.clone(), Vector::from_slice(&[0, 1]).into(), 2.into()]),
            "`distances`: argument 1 has 2 entries, but there are 3 vertices"
        );
        let unweighted = Value::Graph(graph(3, &[(0, 1)]));
        assert!(fails(vec![unweighted, start.into(), 2.into()]).contains("needs edge weights"));
        let error = program.call("nothing", vec![], &Default::default()).unwrap_err().to_string();
        assert_eq!(error, "`nothing` is not an export function of this program; it has distances");
    }
}

const BFS: &str = "const level : vector{Node}(int) = -1;
func fresh(v : Node) -> b : bool  b = level[v] == -1; end
func visit(src : Node, dst : Node) level[dst] = level[src] + 1; end
func main()
    var f : vertexset{Node} = new vertexset{Node}(0);
    var s : int = atoi(argv[2]);
    f.addVertex(s); level[s] = 0;
    #rounds# while f.getVertexSetSize() != 0
        #step# var next : vertexset{Node} = links.from(f).to(fresh).applyModified(visit, level);
        delete f;
        f = next;
    end
end
";

#[test]
fn programs_are_reusable_and_steps_are_observed() {
    let (module, _) = lower(&format!("{HEAD}{BFS}"));
    let mut program = Program::prepare(&ReferenceVm::new(), Arc::new(module)).unwrap();
    let mut options = options(graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), &["0"]);
    let records: Arc<Mutex<Vec<StepRecord>>> = Arc::default();
    let sink = Arc::clone(&records);
    options.observer = Some(Arc::new(move |record: &StepRecord| sink.lock().unwrap().push(record.clone())));
    let result = program.run(&options).unwrap();
    assert_eq!(result.globals.vector("level").unwrap().to_vec::<i32>().unwrap(), [0, 1, 1, 2]);
    assert_eq!(result.steps, 3);
    let records = std::mem::take(&mut *records.lock().unwrap());
    let summary: Vec<_> = records.iter().map(|r| (r.step, r.input, r.output, r.edges)).collect();
    assert_eq!(
        summary,
        [(0, Some(1), Some(2), Some(2)), (1, Some(2), Some(1), Some(2)), (2, Some(1), Some(0), Some(0))]
    );
    assert!(records.iter().all(|r| r.operator == "EdgeSetIterator" && r.path == "rounds:step"));
    assert!(records.iter().all(|r| r.function.as_deref() == Some("main") && r.seconds >= 0.0));

    options.argv[2] = "2".into();
    let again = program.run(&options).unwrap();
    assert_eq!(again.globals.vector("level").unwrap().to_vec::<i32>().unwrap(), [-1, -1, 0, 1]);
}

#[test]
fn prints_can_go_to_a_writer() {
    let sink: Arc<Mutex<Vec<u8>>> = Arc::default();
    let options = gw_exec::RunOptions { output: Output::Writer(sink.clone()), ..Default::default() };
    let result = run("func main() print 1; print \"two\"; end\n", &options).unwrap();
    assert_eq!(result.printed, "");
    assert_eq!(String::from_utf8_lossy(&sink.lock().unwrap()), "1\ntwo\n");
}

/// A machine that lets the reference machine do its work, claims every `while`, and keeps the truth about vectors for
/// itself until the host asks.
struct Greedy;

struct GreedyCode {
    inner: Box<dyn Executable>,
    whiles: Vec<StatementId>,
    log: Vec<String>,
}

impl GraphVm for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }
    fn family(&self) -> Family {
        Family::Cpu
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("greedy")
    }
    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let sites = Sites::of(&module);
        let is_while = |i: &usize| matches!(sites.statements[*i].1.kind, StmtKind::While { .. });
        let whiles = (0..sites.statements.len()).filter(is_while).map(StatementId).collect();
        Ok(Box::new(GreedyCode { inner: ReferenceVm::new().prepare(module)?, whiles, log: Vec::new() }))
    }
    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }
    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for Greedy {}

impl Executable for GreedyCode {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        if let Some(Value::Vector(x)) = env.global("x") {
            x.set_watched(true);
        }
        self.inner.run_operator(operator, call, env)
    }
    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.inner.new_queue(spec, env)
    }
    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.inner.dequeue(queue, env)
    }
    fn begin_run(&mut self) {
        self.inner.begin_run();
    }
}

impl Statements for GreedyCode {
    fn claims(&self, statement: StatementId) -> bool {
        self.whiles.contains(&statement)
    }
    fn run_statement(
        &mut self,
        _: StatementId,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        let n = 2 * locals.get("n").and_then(|n| n.as_int()).unwrap_or(0);
        assert!(locals.set("n", Value::Int(n)) && !locals.set("n", Value::Bool(true)));
        env.print("claimed")?;
        Ok(if n < 50 { StatementOutcome::HostTurn } else { StatementOutcome::Done })
    }
}

impl AsyncWork for GreedyCode {}

impl FrontierCosts for GreedyCode {}

impl RemoteMemory for GreedyCode {
    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        self.log.push(format!("read {}", vector.len()));
        Ok(())
    }
    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        // Shows in the result that the announcement comes before the access.
        vector.set(1, &Value::Int(50));
        self.log.push("write".into());
        Ok(())
    }
}

#[test]
fn machines_claim_statements_and_hear_of_host_accesses() {
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 1;
func f(v : Node) x[v] += 1; end
func main()
    var n : int = 7;
    while n < 100 n = n + 1; end
    print n;
    nodes.apply(f);
    x[1] += 1;
    print x[1];
end
"
    );
    let mut program = Program::prepare(&Greedy, Arc::new(lower(&source).0)).unwrap();
    assert_eq!(program.machine(), "greedy");
    let result = program.run(&options(graph(3, &[(0, 1)]), &[])).unwrap();
    // Doubled by the machine, raised by one on the host, in turns: 14, 15, 30, 31, 62.
    assert_eq!(result.printed, "claimed\nclaimed\nclaimed\n62\n51\n");
}
