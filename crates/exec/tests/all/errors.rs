//! Bad input, cancelling and time limits: always a typed error with its place, never a panic.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{HEAD, graph, main_fails, options, run};
use gw_exec::ErrorKind;

#[test]
fn messages_and_places() {
    let cases = [
        ("print argv[7];", "Did not provide argv[7] as part of the command line input"),
        ("var i : int = 0 - 1; print argv[i];", "Did not provide argv[-1] as part of the command line input"),
        ("var z : int = 0; print 1 / z;", "integer division by zero"),
        ("var z : uint = 0; print mod(z, z);", "integer division by zero"),
        ("var x : vector{Node}(int) = 0; x[3] = 1;", "index 3 is out of range: `x` has 3 entries"),
        ("var x : vector{Node}(int) = 0; print x[0 - 1];", "index -1 is out of range: `x` has 3 entries"),
        ("var i : int = 2; var x : vector[2](int) = {1, 2}; x[i] += 1;", "index 2 is out of range: `x` has 2 entries"),
        (
            "var s : vertexset{Node} = new vertexset{Node}(0); s.addVertex(3);",
            "vertex 3 is out of range: there are 3 vertices",
        ),
        (
            "var s : vertexset{Node} = new vertexset{Node}(0); s.addVertex(0 - 2);",
            "vertex -2 is out of range: there are 3 vertices",
        ),
        ("var s : vertexset{Node} = new vertexset{Node}(2);", "a new vertexset holds 0 or all 3 vertices, not 2"),
        ("print links.getOutDegree(17);", "vertex 17 is out of range: there are 3 vertices"),
        ("print getRandomOutNgh(links, 2);", "vertex 2 has no out-neighbours to choose from"),
        ("var l : list{int} = new list{int}(); print l.pop();", "the list is empty"),
        (
            "var s : vertexset{Node} = new vertexset{Node}(0); delete s; print s.getVertexSetSize();",
            "`s` holds nothing here: it was never assigned, or was deleted",
        ),
        ("links = load(\"no such file.el\");", "no such file.el"),
        ("links = load(\"kron:banana\");", "kron:banana"),
    ];
    for (body, message) in cases {
        let error = main_fails(body);
        assert!(error.to_string().contains(message), "{body}: {error}");
        assert_eq!(error.span().line, 6, "{body}");
        assert!(error.diagnostic().is_some());
    }
}

#[test]
fn errors_inside_operators_point_into_the_function() {
    let source = format!(
        "{HEAD}const x : vector[2](int) = {{0, 0}};
func f(src : Node, dst : Node)
    x[dst] = 1;
end
func main()
    links.apply(f);
end
"
    );
    let error = run(&source, &options(graph(4, &[(0, 1), (0, 3)]), &[])).unwrap_err();
    assert_eq!(error.to_string(), "index 3 is out of range: `x` has 2 entries");
    assert_eq!(error.span().line, 7);
}

#[test]
fn a_frontier_of_another_graph_is_caught() {
    let source = format!(
        "{HEAD}const small : edgeset{{Link}}(Node,Node) = load(argv[2]);
const x : vector{{Node}}(int) = 0;
func f(src : Node, dst : Node) x[dst] = 1; end
func main()
    var s : vertexset{{Node}} = new vertexset{{Node}}(0);
    links = load(argv[1]);
    s.addVertex(4);
    small.from(s).apply(f);
end
"
    );
    let mut options = options(graph(5, &[(0, 4)]), &["small"]);
    let graphs = gw_exec::SpecGraphs::new();
    graphs.insert("graph", graph(5, &[(0, 4)]));
    graphs.insert("small", graph(2, &[(0, 1)]));
    options.graphs = Arc::new(graphs);
    let error = run(&source, &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::VertexOutOfRange { vertex: 4, vertices: 2 }), "{error}");
}

#[test]
fn endless_recursion_is_caught() {
    // Built by hand: whether the language admits recursion is the front end's business.
    let (mut module, _) = common::lower("func f(x : int) -> y : int  y = x; end\nfunc main() print f(1); end\n");
    let call = module.main().and_then(|m| m.body.as_ref()).map(|b| b[0].kind.clone());
    let Some(gw_ir::stmt::StmtKind::Print(call)) = call else { panic!("a print") };
    let f = module.function_mut("f").unwrap();
    f.body.as_mut().unwrap().push(gw_ir::stmt::Stmt::eval(call));
    let error = common::run_on(&gw_exec::ReferenceVm::new(), module, &Default::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Recursion { .. }), "{error}");
}

const ENDLESS: [&str; 3] =
    ["while true end", "var i : int = 0; do i = i + 1; end while 1 == 1", "while true nodes.apply(spin); end"];

fn endless(body: &str) -> String {
    format!(
        "{HEAD}const x : vector{{Node}}(int) = 0;
func spin(v : Node) for i in 0:2147483647 x[v] += i; end end
func main()
{body}
end
"
    )
}

#[test]
fn time_limits_stop_endless_programs() {
    for body in ENDLESS {
        let mut options = options(graph(3, &[(0, 1)]), &[]);
        options.timeout = Some(Duration::from_millis(50));
        let start = Instant::now();
        let error = run(&endless(body), &options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TimedOut { .. }) && error.is_stop(), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn cancelling_stops_endless_programs() {
    for body in ENDLESS {
        let options = options(graph(3, &[(0, 1)]), &[]);
        let cancel: Arc<AtomicBool> = Arc::clone(&options.cancel);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            cancel.store(true, Ordering::Relaxed);
        });
        let error = run(&endless(body), &options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
        stopper.join().unwrap();
    }
}

#[test]
fn a_program_without_main_says_so() {
    let error = run("func f(x : int) -> y : int y = x; end\n", &Default::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoMain), "{error}");
}

#[test]
fn sizes_must_be_known() {
    let source = "element Node end
func main() var x : vector{Node}(int) = 3; print x.sum(); end
";
    let error = run(source, &Default::default()).unwrap_err();
    assert!(error.to_string().starts_with("the number of vertices of `Node` is not known yet"), "{error}");
}
