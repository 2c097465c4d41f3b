//! What the analysis of operators says about operators written in GraphIR.

use gw_ir::analysis::operator::{EdgeFacts, EdgeOrder, End, Enqueued, FunctionFacts, filter_may_fault, handed_entries};
use gw_ir::analysis::ownership::{Marker, Role, owned};
use gw_ir::expr::ReduceOp;
use gw_ir::meta::{Direction, EdgeMeta};
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::types::Scalar;
use gw_schedule::Owned;

const HEAD: &str = "\
element Node;
element Link;
global links : edgeset{Link}(Node, Node);
global x : vector{Node}(int);
global y : vector{Node}(int);
global rows : vector{Node}(vector[2](double));
global best : vector[2](int);
global spare : vector[2](int);
global total : int;
global limit : int;
global queue : priority_queue{Node}(int);

";

/// A module with these functions and one edge operator in `main`.
fn module(functions: &str, operator: &str) -> Module {
    module_with(functions, "", operator)
}

fn module_with(functions: &str, before: &str, operator: &str) -> Module {
    let text = format!("{HEAD}{functions}\nmain func main() {{\n    {before}\n    {operator};\n}}\n");
    let module = gw_ir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(problems) = gw_ir::validate(&module) {
        panic!("{problems:?}\n{text}");
    }
    module
}

/// The facts about the last edge operator of `main`.
fn facts(module: &Module) -> EdgeFacts {
    let main = module.functions.last().unwrap();
    let last = main.body.as_ref().unwrap().last().unwrap();
    EdgeFacts::of(module, last.operator().and_then(Operator::edges).unwrap())
}

const ALL: &str = "EdgeSetIterator<is_all_edges=true>(links, apply=f)";
const TO: &str = "EdgeSetIterator(links, to=where wanted, apply=f)";

fn with(functions: &str) -> EdgeFacts {
    facts(&module(functions, ALL))
}

/// Whether an operator with the filter `wanted` and the function `f` exits early.
fn exits(filter: &str, function: &str) -> bool {
    let wanted = format!("func wanted(v : Node) -> yes : bool {{ {filter} }}\n");
    let f = format!("func f(src : Node, dst : Node) {{ {function} }}\n");
    let helpers = "func raise(v : Node) { Reduce(MAX, x[v], 3); }\n\
                   func look(v : Node) -> r : int { r = x[v]; }\n\
                   func pure(v : Node) -> r : int { r = v + 1; }\n";
    facts(&module(&format!("{helpers}{wanted}{f}"), TO)).early_exit
}

#[test]
fn early_exit_follows_what_the_function_writes_and_the_filter_reads() {
    let unvisited = "yes = x[v] == 0;";
    assert!(exits(unvisited, "x[dst] = src;"));
    assert!(exits(unvisited, "Reduce(MIN, x[dst], src);"));
    assert!(exits(unvisited, "CompareAndSwap(x[dst], 0, src);"));
    // Another entry may be the destination's as well.
    assert!(exits(unvisited, "x[src] = 1;"));
    assert!(!exits(unvisited, "y[dst] = x[src];"), "reading is not writing");
    assert!(!exits("yes = v > 3;", "x[dst] = src;"));
    // A scalar that both touch.
    assert!(exits("yes = total < 3;", "Reduce(SUM, total, 1);"));
    assert!(!exits("yes = limit < 3;", "Reduce(SUM, total, 1);"));
}

#[test]
fn early_exit_looks_into_called_functions() {
    assert!(exits("yes = x[v] == 0;", "Call(raise, dst);"));
    assert!(exits("yes = Call(look, v) == 0;", "x[dst] = 1;"));
    // A call that touches nothing of interest does not count.
    assert!(!exits("yes = y[v] == 0;", "Call(raise, dst);"));
    assert!(!exits("yes = x[v] == 0;", "y[dst] = Call(pure, src);"));
}

#[test]
fn early_exit_keeps_variables_of_functions_apart() {
    // The function's own `yes` and `n` are not those of the filter.
    assert!(!exits("var n : int = y[v]; yes = n == 0;", "var n : int = 3; n = n + src; x[dst] = n;"));
}

const CAPTURE: &str = "func wanted(v : Node) -> yes : bool { yes = x[v] == 0; }\n\
                       func f[z : vector{Node}(int)](src : Node, dst : Node) { z[dst] = src; }\n";

#[test]
fn early_exit_follows_captured_vectors() {
    let captures = |vector: &str, before: &str| {
        facts(&module_with(CAPTURE, before, &format!("EdgeSetIterator(links, to=where wanted, apply=f[{vector}])")))
            .early_exit
    };
    assert!(captures("x", ""));
    assert!(!captures("y", ""));
    // A vector of the host function may be any global under another name.
    assert!(captures("z", "var z : vector{Node}(int) = x;"));
}

#[test]
fn early_exit_knows_that_priority_updates_write_the_priorities() {
    let update = |vector: &str| {
        let functions = format!(
            "func wanted(v : Node) -> yes : bool {{ yes = {vector}[v] > 2; }}\n\
             func f(src : Node, dst : Node) {{ PriorityUpdateSum(queue, dst, -1, 0); }}\n"
        );
        let before = "queue = PriorityQueueAlloc(priority_queue{Node}(int), false, false, x, true, 0, true, -1);";
        facts(&module_with(&functions, before, TO)).early_exit
    };
    assert!(update("x"));
    assert!(!update("y"));
}

#[test]
fn without_a_filter_function_nothing_exits_early() {
    assert!(!with("func f(src : Node, dst : Node) { x[dst] = src; }").early_exit);
}

#[test]
fn scalars_that_are_only_reduced_into_can_be_accumulated() {
    let reductions = |body: &str| {
        let facts = with(&format!("func f(src : Node, dst : Node) {{ {body} }}"));
        let all = facts.functions.scalar_reductions.into_iter();
        all.map(|r| (r.name.to_string(), r.op, r.scalar, r.result_used)).collect::<Vec<_>>()
    };
    let total = |op, used| vec![("total".to_string(), op, Scalar::Int, used)];
    assert_eq!(reductions("Reduce(SUM, total, 1);"), total(ReduceOp::Sum, false));
    assert_eq!(reductions("Reduce(MIN, total, src); Reduce(MIN, total, dst);"), total(ReduceOp::Min, false));
    assert_eq!(reductions("if (Reduce(SUM, total, 1)) { x[dst] = 1; }"), total(ReduceOp::Sum, true));
    assert_eq!(reductions("Reduce(SUM, total, 1); Reduce(MAX, total, 1);"), []);
    assert_eq!(reductions("Reduce(SUM, total, 1); x[dst] = total;"), []);
    assert_eq!(reductions("Reduce(SUM, total, total);"), []);
    assert_eq!(reductions("total = 1; Reduce(SUM, total, 1);"), []);
    assert_eq!(reductions("Reduce(SUM, x[dst], 1);"), []);
}

#[test]
fn a_cell_that_is_only_reduced_into_can_be_accumulated() {
    let reduction = |body: &str| {
        let facts = with(&format!("func f(src : Node, dst : Node) {{ {body} }}"));
        facts.functions.cell_reduction.map(|r| (r.vector.to_string(), r.op, r.scalar))
    };
    let best = |op| Some(("best".to_string(), op, Scalar::Int));
    assert_eq!(reduction("Reduce(MAX, best[0], src);"), best(ReduceOp::Max));
    assert_eq!(reduction("Reduce(SUM, best[1], 1); if (src < dst) { Reduce(SUM, best[1], 2); }"), best(ReduceOp::Sum));
    // Two cells, two operations, a cell that depends on the edge, one that is not there.
    assert_eq!(reduction("Reduce(MAX, best[0], src); Reduce(MAX, best[1], dst);"), None);
    assert_eq!(reduction("Reduce(MAX, best[0], src); Reduce(MIN, best[0], dst);"), None);
    assert_eq!(reduction("Reduce(MAX, best[total], src);"), None);
    assert_eq!(reduction("Reduce(MAX, best[2], src);"), None);
    // Somebody looks, or might look under another name.
    assert_eq!(reduction("Reduce(MAX, best[0], src); x[dst] = best[0];"), None);
    assert_eq!(reduction("if (Reduce(MAX, best[0], src)) { x[dst] = 1; }"), None);
    assert_eq!(reduction("Reduce(MAX, best[0], src); x[dst] = spare[0];"), None);
    assert_eq!(reduction("Reduce(MAX, x[dst], src);"), None);
}

#[test]
fn written_scalars_are_found_in_called_functions() {
    let module = module(
        "func bump(v : Node) { limit = v; }\nfunc f(src : Node, dst : Node) { Call(bump, dst); Reduce(SUM, total, 1); }",
        ALL,
    );
    let facts = FunctionFacts::of(&module, ["f".into()]);
    assert_eq!(facts.written_scalars.iter().map(|n| &**n).collect::<Vec<_>>(), ["limit", "total"]);
    assert_eq!(facts.functions.len(), 2);
}

#[test]
fn reductions_into_the_owner_can_be_gathered() {
    let gathered = |body: &str| {
        let facts = with(&format!("func f(src : Node, dst : Node) {{ {body} }}"));
        let names = |end: End| {
            let all = facts.entry_reductions.at(end).iter();
            all.map(|r| (r.vector.to_string(), r.op)).collect::<Vec<_>>()
        };
        (names(End::Source), names(End::Destination))
    };
    let x = |op| vec![("x".to_string(), op)];
    assert_eq!(gathered("Reduce(SUM, x[dst], y[src]);"), (vec![], x(ReduceOp::Sum)));
    assert_eq!(gathered("Reduce(MIN, x[src], y[dst]);"), (x(ReduceOp::Min), vec![]));
    assert_eq!(gathered("Reduce(SUM, x[dst], x[src]);"), (vec![], vec![]), "the vector is read");
    assert_eq!(gathered("Reduce(SUM, x[dst], 1); x[dst] = 3;"), (vec![], vec![]));
    assert_eq!(gathered("dst = 3; Reduce(SUM, x[dst], 1);"), (vec![], vec![]), "another entry");
    assert_eq!(gathered("if (Reduce(MIN, x[dst], 1)) { y[dst] = 1; }"), (vec![], vec![]), "the result is used");
}

#[test]
fn owned_entries_need_an_owner() {
    let owned = |meta: &str, body: &str| {
        let functions = format!("func f(src : Node, dst : Node) {{ {body} }}");
        let facts = facts(&module(&functions, &format!("EdgeSetIterator<{meta}>(links, apply=f)")));
        let names = |end: End| facts.owned_entries.at(end).iter().map(|e| e.vector.to_string()).collect::<Vec<_>>();
        (names(End::Source), names(End::Destination))
    };
    let none = (vec![], vec![]);
    let bound = "direction=PULL, is_edge_parallel=false";
    let sum = "Reduce(SUM, x[dst]<LOCAL, READ_WRITE>, y[src]<SHARED, READ>);";
    assert_eq!(owned(bound, sum), (vec![], vec!["x".to_string()]));
    assert_eq!(owned("direction=PULL, is_edge_parallel=true", sum), none);
    assert_eq!(owned("direction=PULL", sum), none, "before a schedule is bound");
    assert_eq!(owned(bound, &sum.replace("LOCAL", "SHARED")), none);
    assert_eq!(owned(bound, "y[src]<SHARED, WRITE> = x[dst]<LOCAL, READ>;"), none, "only read");
    assert_eq!(owned(bound, "CompareAndSwap(x[dst]<LOCAL, READ_WRITE>, 0, src);"), none);
}

#[test]
fn vectors_are_known_by_entry_and_kind_of_access() {
    let facts = with("func f(src : Node, dst : Node) { Reduce(SUM, x[dst], y[src]); rows[src][1] = rows[y[dst]][0]; }");
    let x = facts.vectors["x"];
    assert!(x.written.only(End::Destination) && x.written.destination && x.read == x.written);
    assert_eq!(x.entry, Some(Scalar::Int));
    let y = facts.vectors["y"];
    assert!(y.read.source && y.read.destination && !y.read.other && !y.written.source);
    let rows = facts.vectors["rows"];
    assert!(rows.written.only(End::Source) && rows.read.other && !rows.read.source);
    assert_eq!(rows.entry, None);
}

#[test]
fn writes_of_the_destination_are_told_from_others() {
    let only = |body: &str| {
        let functions = "func helper(v : Node) -> r : int { r = v; }\n";
        with(&format!("{functions}func f(src : Node, dst : Node) {{ {body} }}")).writes_destination_only
    };
    assert!(only("Reduce(SUM, x[dst], y[src]);"));
    assert!(only("Reduce(SUM, total, y[src]);"));
    assert!(only("x[dst] = 1; CompareAndSwap(y[dst], 0, 1);"));
    assert!(!only("x[src] = 1;"));
    assert!(!only("x[y[dst]] = 1;"));
    assert!(!only("x[dst] = Call(helper, src);"), "called functions do not know the ends");
    assert!(!only("rows[dst][1] = 0.5;"), "rows are more than an entry");
}

#[test]
fn enqueued_vertices_are_known() {
    let enqueues = |body: &str| {
        let functions = "func helper(v : Node, out : vertexset{Node}) { EnqueueVertex(out, v); }\n";
        let functions = format!("{functions}func f(src : Node, dst : Node, out : vertexset{{Node}}) {{ {body} }}");
        let meta = "is_all_edges=true, requires_output=true, udf_enqueues=true";
        let operator = format!("EdgeSetIterator<{meta}>(links, apply=f, modified=x)");
        facts(&module(&functions, &format!("var made : vertexset{{Node}} = {operator}"))).enqueues
    };
    let one = |vertices| (vertices, false);
    let of = |body: &str| {
        let found = enqueues(body);
        (found.vertices, found.several)
    };
    assert_eq!(of("x[dst] = 1;"), one(Enqueued::Nothing));
    assert_eq!(of("EnqueueVertex(out, dst);"), one(Enqueued::Destination));
    assert_eq!(of("EnqueueVertex(out, src);"), one(Enqueued::Source));
    assert_eq!(of("EnqueueVertex(out, y[dst]);"), one(Enqueued::Anything));
    assert_eq!(of("dst = 3; EnqueueVertex(out, dst);"), one(Enqueued::Anything));
    assert_eq!(of("EnqueueVertex(out, dst); EnqueueVertex(out, dst);"), (Enqueued::Destination, true));
    assert_eq!(of("EnqueueVertex(out, dst); EnqueueVertex(out, src);"), (Enqueued::Anything, true));
    assert_eq!(
        of("if (src > dst) { EnqueueVertex(out, dst); } else { EnqueueVertex(out, dst); }"),
        one(Enqueued::Destination)
    );
    assert_eq!(of("for i in (0 : 3) { EnqueueVertex(out, dst); }"), (Enqueued::Destination, true));
}

#[test]
fn conditions_on_vertex_numbers_are_recognised() {
    let order = |condition: &str, otherwise: &str| {
        with(&format!("func f(src : Node, dst : Node) {{ if ({condition}) {{ x[dst] = 1; }} {otherwise} }}")).order
    };
    assert_eq!(order("src > dst", ""), EdgeOrder::SourceGreater);
    assert_eq!(order("dst < src", ""), EdgeOrder::SourceGreater);
    assert_eq!(order("src < dst", ""), EdgeOrder::SourceLess);
    assert_eq!(order("dst > src", ""), EdgeOrder::SourceLess);
    assert_eq!(order("src >= dst", ""), EdgeOrder::Any);
    assert_eq!(order("src > dst", "else { y[dst] = 1; }"), EdgeOrder::Any);
    assert_eq!(with("func f(src : Node, dst : Node) { x[dst] = 1; }").order, EdgeOrder::Any);
}

#[test]
fn filters_fault_where_an_index_or_a_divisor_is_not_known_to_be_good() {
    let faults = |body: &str, careful: bool| {
        let functions = format!(
            "func look(v : Node) -> r : int {{ r = x[v]; }}\n\
             func pure(v : Node) -> r : int {{ r = v + 1; }}\n\
             func wanted(v : Node) -> yes : bool {{ {body} }}\n\
             func f(src : Node, dst : Node) {{ x[dst] = 1; }}"
        );
        filter_may_fault(&module(&functions, TO), &"wanted".into(), careful)
    };
    assert!(!faults("yes = x[v] == 0;", false));
    assert!(faults("yes = x[v] == 0;", true), "careful code takes no index for granted");
    assert!(faults("yes = x[y[v]] == 0;", false));
    assert!(faults("v = v + 1; yes = x[v] == 0;", false));
    assert!(faults("Reduce(SUM, v, 1); yes = x[v] == 0;", false));
    assert!(!faults("yes = rows[v][1] > 0.0;", false));
    assert!(!faults("yes = (x[v] / 2) == 0;", false));
    assert!(faults("yes = (4 / x[v]) == 0;", false));
    assert!(!faults("yes = Call(pure, v) == 0;", true));
    assert!(
        faults("yes = Call(look, v) == 0;", false),
        "only the filter itself is called with a vertex of the operator"
    );
}

#[test]
fn a_worker_owns_the_end_whose_list_it_walks() {
    let meta = |direction, is_edge_parallel, is_parallel| EdgeMeta {
        direction,
        is_edge_parallel: Some(is_edge_parallel),
        is_parallel: Some(is_parallel),
        ..EdgeMeta::default()
    };
    assert_eq!(owned(&meta(Some(Direction::Pull), false, true)), Owned::Destination);
    assert_eq!(owned(&meta(Some(Direction::Push), false, true)), Owned::Source);
    assert_eq!(owned(&meta(Some(Direction::Pull), true, true)), Owned::Neither);
    assert_eq!(owned(&meta(Some(Direction::Push), true, false)), Owned::Both, "one worker owns everything");
    assert_eq!(owned(&EdgeMeta::default()), Owned::Neither, "before a schedule is bound");
    assert_eq!((End::walked(Direction::Pull), End::walked(Direction::DensePush)), (End::Destination, End::Source));
}

#[test]
fn one_write_elsewhere_takes_the_ownership_of_a_vector_away() {
    let module = module("func f(src : Node, dst : Node) { x[dst] = 1; y[dst] = 2; y[src] = 3; }", ALL);
    let function = module.function("f").unwrap();
    let marker = Marker::new(&module, function, &Role::Parallel(Some("dst".into())));
    assert!(!marker.is_contested("x") && marker.is_contested("y"));
}

#[test]
fn shared_lists_need_atomic_writes() {
    let atomic = |body: &str| with(&format!("func f(src : Node, dst : Node) {{ {body} }}")).writes_atomically;
    assert!(atomic("Reduce<atomic=true>(SUM, x[dst]<SHARED, READ_WRITE>, 1);"));
    assert!(!atomic("Reduce(SUM, x[dst]<SHARED, READ_WRITE>, 1);"));
    assert!(!atomic("x[dst] = 1;"));
    assert!(atomic("var n : int = 1; n = 2;"), "variables of the function are nobody else's");
}

#[test]
fn entries_that_are_read_before_they_are_written_can_be_handed_over() {
    for (body, expected) in [
        ("Reduce(SUM, y[dst], x[src]);", &["x"][..]),
        ("Reduce(SUM, x[dst], x[src]);", &["x"]),
        ("var changed : bool = Reduce(MIN, x[dst], x[src] + y[src]); total = 1;", &["x", "y"]),
        ("y[dst] = x[src]; x[dst] = 0;", &["x"]),
        // The edge may lead from a vertex to itself.
        ("Reduce(SUM, x[dst], 1); Reduce(SUM, y[dst], x[src]);", &[]),
        ("Reduce(SUM, x[src], 1); Reduce(SUM, y[dst], x[src]);", &[]),
        ("if (x[src] == 0) { x[dst] = 1; }", &[]),
        ("Reduce(SUM, y[dst], x[limit]);", &[]),
        ("src = dst; y[dst] = x[src];", &[]),
    ] {
        let module = module(&format!("func f(src : Node, dst : Node) {{ {body} }}"), ALL);
        let main = module.functions.last().unwrap().body.as_ref().unwrap();
        let op = main.last().unwrap().operator().and_then(Operator::edges).unwrap();
        let names = handed_entries(&module, op);
        assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), expected, "{body}");
    }
}

#[test]
fn what_a_function_changes_at_its_destination_is_followed_through_calls() {
    let changes = |function: &str| {
        let helpers = "func raise(v : Node) { Reduce(MAX, x[v], 3); }\n\
                       func both(v : Node, w : Node) { Call(raise, w); }\n";
        with(&format!("{helpers}func f(src : Node, dst : Node) {{ {function} }}\n")).changes_destination
    };
    assert!(changes("x[dst] = 1;") && changes("Call(raise, dst);") && changes("Call(both, src, dst);"));
    assert!(!changes("x[src] = 1;") && !changes("Call(raise, src);") && !changes("Call(both, dst, src);"));
    // Entries of other vertices, and scalars.
    assert!(!changes("x[y[dst]] = 1;") && !changes("Reduce(SUM, total, x[dst]);"));
    assert!(changes("print x[dst];"), "whoever prints may do anything");
}
