//! One broken module per rule, and the sentence it gets.
use gw_ir::{parse, validate};

const HEAD: &str =
    "element V; element E; global g : edgeset{E}(V, V); global w : edgeset{E}(V, V, int); universe all : vertexset{V};
global x : vector{V}(int); global b : bool; global n : int; global q : priority_queue{V}(int); global s : vertexset{V};
func f(src : V, dst : V) {} func fw(src : V, dst : V, d : int) {} func fo(src : V, dst : V, out : vertexset{V}) {}
func t(v : V) -> r : bool {} func u(v : V) {} func c[k : int](v : V) {} extern func e(v : int) -> r : int;
";

/// The sentences for a text behind the common head.
fn sentences(text: &str) -> String {
    let module = parse(&format!("{HEAD}{text}")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match validate(&module) {
        Ok(()) => "fine".into(),
        Err(errors) => errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join(" | "),
    }
}

#[test]
fn every_rule_has_a_sentence() {
    let bodies = [
        "n = 1;",
        "break;",
        "while (n) {}",
        "if (n == b) {}",
        "n = b;",
        "n = 1.5;",
        "n = 3000000000;",
        "print s;",
        "delete n;",
        "n + 1 = 2;",
        "x[b] = 1;",
        "for i in (0 : b) {}",
        "{ }",
        "if (b) { var y : int; } n = y;",
        "EnqueueVertex(s, n);",
        "PriorityUpdateMin(q, n, _, 1);",
        "n = Call(e, b);",
        "Call(u);",
        "VertexSetIterator(all, apply=c);",
        "VertexSetIterator(all, apply=c[b]);",
        "VertexSetIterator(all, apply=f);",
        "VertexSetIterator<is_all_vertices=true>(s, apply=u);",
        "var y : vertexset{V} = VertexSetFilter(all, where=u);",
        "EdgeSetIterator(g, apply=u);",
        "EdgeSetIterator(g, apply=fw);",
        "EdgeSetIterator(w, apply=fw);",
        "EdgeSetIterator<is_weighted=true>(w, apply=fw);",
        "EdgeSetIterator<requires_output=true>(g, apply=f);",
        "EdgeSetIterator<is_all_edges=true>(g, from=s, apply=f);",
        "EdgeSetIterator<can_reuse_frontier=true>(g, from=s, apply=f);",
        "EdgeSetIterator<to_folded=true>(g, apply=f);",
        "EdgeSetIterator<dedup_inline=true>(g, apply=f);",
        "EdgeSetIterator<direction=PUSH, merge_reduce=[SUM, x]>(g, apply=f);",
        "EdgeSetIterator<direction=PUSH, pull_input_frontier=BITMAP>(g, apply=f);",
        "var y : vertexset{V} = EdgeSetIterator<udf_enqueues=true>(g, apply=f, modified=x);",
        "var y : vertexset{V} = EdgeSetIterator<udf_enqueues=true>(g, apply=fo, modified=x);",
        "var y : vertexset{V} = EdgeSetIterator(g, apply=f, modified=zz);",
        "var y : vertexset{V} = EdgeSetIterator(g, apply=f, modified=n);",
        "var y : vertexset{V} = EdgeSetIterator(g, apply=f, accepted);",
        "print VertexSetSize(EdgeSetIterator(g, apply=f, modified=x));",
        "EdgeSetIterator(g, to=where u, apply=f);",
        "UpdatePriorityExtern(s, apply=e, queue=q);",
        "while<needs_fusion=true> (b) {}",
        "while<why_not=\"so\"> (b) {}",
        "while<hoisted=[zz]> (b) {}",
        "HybridStmt<criterion=\"input-size\", threshold=\"0.1\">(g) {}",
        "q = PriorityQueueAlloc(priority_queue{V}(int), false, false, n, true, 0, false, n);",
        "n = Intersection(s, n);",
        "s = VertexSetAlloc(vertexset{V}, b);",
        "var v2 : vector[2](int) = VectorLiteral(vector[2](int), 1);",
        "n = Convert(int, s);",
        "b = not n;",
    ];
    let mut out = String::new();
    for body in bodies {
        let body = if body == "{ }" { "Scope {}" } else { body };
        out.push_str(&format!("{body}\n    {}\n", sentences(&format!("main func main() {{ {body} }}"))));
    }
    for item in [
        "main func main() {} main func main2() {}",
        "main func main(k : int) {}",
        "universe kk : int;",
        "global kk : int each = 1;",
        "global kk : int = true;",
        "global kk : vector{V}(vertexset{V});",
        "global kk : int<fused_into=\"a\">;",
    ] {
        out.push_str(&format!("{item}\n    {}\n", sentences(item)));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn parse_errors_say_where() {
    let texts = [
        "element V",
        "global x : vector{W}(int);",
        "main func main() { y = 1; }",
        "main func main() { print 1 + ; }",
        "main func main() {\n  print Nothing(1);\n}",
        "main func main() { print VertexSetSize(1); }",
        "main func main() { while<speed=3> (true) {} }",
        "main func main() { while<fusable=SOON> (true) {} }",
        "main func main() { print 99999999999999999999; }",
        "main func main() { print \"\\q\"; }",
        "main func main() { print 1; ` }",
        "main func main() { var a : int; var a : int; }",
        "global a : int; main func main() { print a[1]; }",
        "main func main() { HybridStmt(a) {} }",
        "element V; element V;",
    ];
    let all: Vec<String> = texts.iter().map(|t| format!("{t:?}\n    {}", parse(t).unwrap_err())).collect();
    insta::assert_snapshot!(all.join("\n"));
}
