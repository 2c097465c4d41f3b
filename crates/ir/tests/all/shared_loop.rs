//! Functions whose loop may be shared out, and functions whose loop may not.

use gw_ir::analysis::shared_loop::{SharedLoop, shared_loop};
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::types::Scalar;

const HEAD: &str = "\
element Node;
element Link;
global links : edgeset{Link}(Node, Node);
universe nodes : vertexset{Node};
global x : vector{Node}(int);
global y : vector{Node}(int);
global rate : vector{Node}(double);
global total : int;

";

/// The loop of a function `f` with this body, applied with these captures to all nodes in a `main` that begins so.
fn found(captures: [&str; 2], before: &str, body: &str) -> Option<SharedLoop> {
    let [declared, given] = captures;
    let text = format!(
        "{HEAD}func add[into : vector{{Node}}(int)](v : Node) {{ Reduce(SUM, into[v], 1); }}\n\n\
         func f{declared}(v : Node) {{ {body} }}\n\n\
         main func main() {{\n    {before}\n    VertexSetIterator(nodes, apply=f{given});\n}}\n"
    );
    let module: Module = gw_ir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(problems) = gw_ir::validate(&module) {
        panic!("{problems:?}\n{text}");
    }
    let mut applied = None;
    for body in gw_ir::walk::bodies(&module) {
        gw_ir::walk::walk_stmts(body, &mut |s| {
            if let Some(Operator::VertexSetIterator(v)) = s.operator() {
                applied = Some(v.apply.clone());
            }
        });
    }
    shared_loop(&module, &applied.unwrap())
}

fn plain(body: &str) -> Option<SharedLoop> {
    found(["", ""], "", body)
}

const TURNS: &str = "for i in (0 : OutDegree(links, v))";

#[test]
fn turns_that_only_reduce_are_shared() {
    let of = plain(&format!("{TURNS} {{ Reduce(SUM, x[OutNeighbor(links, v, i)], y[v]); }}")).unwrap();
    assert_eq!((&*of.var, of.sums.len(), of.has_rest), ("i", 0, false));
    // Under a condition, and through a function that is called.
    let body = format!("if (y[v] > 1) {{ {TURNS} {{ Call(add[x], OutNeighbor(links, v, i)); }} }}");
    assert!(plain(&body).is_some());
    assert!(plain(&format!("{TURNS} {{ Reduce(SUM, total, 1); }}")).is_some());
}

#[test]
fn sums_in_locals_are_handed_to_what_follows() {
    let body = format!("var n : int = 0; {TURNS} {{ Reduce(SUM, n, y[v]); }} Reduce(MAX, x[v], n);");
    let of = plain(&body).unwrap();
    assert_eq!((of.sums, of.has_rest), (vec![("n".into(), Scalar::Int)], true));
    // The next turn would have to know what the last one added.
    let body = format!("var n : int = 0; {TURNS} {{ Reduce(SUM, n, 1); Reduce(SUM, x[n], 1); }}");
    assert_eq!(plain(&body), None);
}

#[test]
fn turns_that_depend_on_each_other_are_not_shared() {
    for turn in [
        // What is read is written.
        "Reduce(SUM, x[OutNeighbor(links, v, i)], x[v]);",
        "Call(add[y], y[v]);",
        // The last turn wins.
        "x[v] = i;",
        "total = i;",
        // The order of terms matters.
        "Reduce(SUM, rate[v], 0.5);",
        // A turn ends the loop.
        "if (y[v] == i) { break; } Reduce(SUM, x[v], 1);",
        // Who sees the change goes on.
        "if (CompareAndSwap(x[v], 0, i)) { Reduce(SUM, total, 1); }",
    ] {
        assert_eq!(plain(&format!("{TURNS} {{ {turn} }}")), None, "{turn}");
    }
    // The statements before the loop are done by everybody.
    assert_eq!(plain(&format!("Reduce(SUM, x[v], 1); {TURNS} {{ Reduce(SUM, x[v], 1); }}")), None);
    // Two loops, and a loop of a known length.
    assert_eq!(
        plain(&format!("{TURNS} {{ Reduce(SUM, x[v], 1); }} for k in (0 : y[v]) {{ Reduce(SUM, x[v], 1); }}")),
        None
    );
    assert_eq!(plain("for i in (0 : 4) { Reduce(SUM, x[v], i); }"), None);
}

#[test]
fn vectors_under_two_names_are_not_shared() {
    let body = format!("{TURNS} {{ Reduce(SUM, into[OutNeighbor(links, v, i)], y[v]); }}");
    let captures = ["[into : vector{Node}(int)]", "[z]"];
    assert!(found(captures, "var z : vector{Node}(int) = VectorAlloc(vector{Node}(int));", &body).is_some());
    // `z` is `y` under another name.
    assert_eq!(found(captures, "var z : vector{Node}(int) = y;", &body), None);
    assert_eq!(found(["[into : vector{Node}(int)]", "[y]"], "", &body), None);
}
