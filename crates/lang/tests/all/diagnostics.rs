//! The message of every error class, as a person sees it.
//!
//! Each test renders a group of small faulty programs into one snapshot; read the snapshots as documentation.

use crate::common::golden;
use gw_lang::{SourceFile, compile_front, diagnostic, parse_schedule};

/// Declarations that most cases share.
const PRELUDE: &str = "\
element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const wlinks : edgeset{Link}(Node,Node,int) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const hops : vector{Node}(int) = -1;
const near : vector{Node}(float) = 0;
const grid4 : vector{Node}(vector[4](int)) = 0;
const small : vector[3](int) = {1, 2, 3};
const queue : priority_queue{Node}(int);
func edge(src : Node, dst : Node) hops[dst] = hops[src]; end
func heavy(src : Node, dst : Node, w : int) hops[dst] min= w; end
func vertex(v : Node) hops[v] = 0; end
func keep(v : Node) -> ok : bool ok = true; end
func twice(x : int) -> y : int y = x + x; end
func bound[by : int](v : Node) hops[v] = by; end
";

fn render_all(cases: &[(&str, String)]) -> String {
    let mut out = String::new();
    for (name, text) in cases {
        let source = SourceFile::new("case.gt", text.as_str());
        let findings = match compile_front(&source) {
            Ok(front) => front.warnings,
            Err(findings) => findings,
        };
        assert!(!findings.is_empty(), "`{name}` should be complained about");
        let shown = diagnostic::render(&findings, &source, false);
        out.push_str(&format!("=== {name}\n{shown}\n"));
    }
    out
}

/// Whole programs.
fn programs(cases: &[(&str, &str)]) -> String {
    let cases: Vec<_> = cases.iter().map(|(n, t)| (*n, t.to_string())).collect();
    render_all(&cases)
}

/// Statements of `main` behind the prelude.
fn statements(cases: &[(&str, &str)]) -> String {
    let wrap = |body: &str| format!("{PRELUDE}func main()\n    {body}\nend\n");
    let cases: Vec<_> = cases.iter().map(|(n, t)| (*n, wrap(t))).collect();
    render_all(&cases)
}

/// Declarations behind the prelude, with an empty `main`.
fn declarations(cases: &[(&str, &str)]) -> String {
    let wrap = |body: &str| format!("{PRELUDE}{body}\nfunc main() end\n");
    let cases: Vec<_> = cases.iter().map(|(n, t)| (*n, wrap(t))).collect();
    render_all(&cases)
}

#[test]
fn prelude_is_fine() {
    let source = SourceFile::new("prelude.gt", format!("{PRELUDE}func main() end\n"));
    let front = compile_front(&source).expect("the shared declarations are right");
    assert_eq!(front.warnings, []);
}

#[test]
fn lexical() {
    golden(
        "lexical",
        &programs(&[
            ("unknown character", "func main()\n    print 1 @ 2;\nend\n"),
            ("exclamation mark", "func main()\n    if !true print 1; end\nend\n"),
            ("ampersands", "func main()\n    if true && false print 1; end\nend\n"),
            ("open string", "func main()\n    print \"never closed;\nend\n"),
            ("unknown escape", "func main()\n    print \"a\\qb\";\nend\n"),
            ("open comment", "func main()\nend\n%{ never closed\n"),
            ("no digit after the dot", "func main()\n    var x : float = 5.;\nend\n"),
            ("no digit before the dot", "func main()\n    var x : float = .5;\nend\n"),
            ("number glued to a name", "func main()\n    print 12abc;\nend\n"),
            ("hexadecimal", "func main()\n    print 0x1F;\nend\n"),
            ("octal", "func main()\n    print 017;\nend\n"),
            ("octal with a 9", "func main()\n    print 019;\nend\n"),
            ("number too large", "func main()\n    print 99999999999999999999;\nend\n"),
        ]),
    );
}

#[test]
fn syntax() {
    golden(
        "syntax",
        &programs(&[
            ("missing semicolon", "func main()\n    print 1\n    print 2;\nend\n"),
            ("missing end", "func main()\n    while true\n        print 1;\nend\n"),
            (
                "missing end, told by indentation",
                "func main()\n    for i in 0:3\n        while true\n            print 1;\n    end\nend\n",
            ),
            ("missing end before func", "func f()\n    print 1;\nfunc main()\nend\n"),
            ("extra end", "func main()\nend\nend\n"),
            ("else without if", "func main()\n    print 1;\nelse\nend\n"),
            ("no such declaration", "frontier x;\nfunc main() end\n"),
            ("var at top level", "var x : int = 1;\nfunc main() end\n"),
            ("reserved word as a name", "func main()\n    var from : int = 1;\nend\n"),
            ("reserved word without meaning", "func main()\n    var x : matrix = 1;\nend\n"),
            ("return", "func f() -> y : int\n    return 1;\nend\nfunc main() end\n"),
            ("inout", "func f(inout x : int) end\nfunc main() f(1); end\n"),
            ("reduction instead of a declaration", "func main()\n    var max=3;\nend\n"),
            ("no minus-assign", "func main()\n    var x : int = 1;\n    x -= 1;\nend\n"),
            ("two targets", "func main()\n    var x : int = 1;\n    x, x = 1;\nend\n"),
            ("nothing behind a comma", "func main()\n    print 1, ;\nend\n"),
            ("unsupported operator", "func main()\n    print 2 ^ 3;\nend\n"),
            ("transpose mark", "func main()\n    print 2';\nend\n"),
            ("two indices", "func main()\n    print argv[1, 2];\nend\n"),
            ("missing bracket", "func main()\n    print (1 + 2;\nend\n"),
            ("bad list", "func f(a : int b : int) end\nfunc main() end\n"),
            ("missing expression", "func main()\n    var x : int = ;\nend\n"),
            ("missing type", "func main()\n    var x;\nend\n"),
            ("bad vector type", "const x : vector(int);\nfunc main() end\n"),
            ("bad new", "func main()\n    var x : int = new thing();\nend\n"),
            ("bad for", "func main()\n    for i of 1:2\n        print i;\n    end\n    prnt 1;\nend\n"),
            ("bad queue", "func main()\n    q = new priority_queue{V}(int)(0, false, d, 1, 0, false, 1);\nend\n"),
            ("apply without tracking", "func main()\n    links.applyModified(edge);\nend\n"),
            ("several at once", "func main()\n    var = 1;\n    print (2;\n    if 3 ) print 4; end\n    x = ;\nend\n"),
        ]),
    );
}

#[test]
fn depth_is_limited() {
    let deep = format!("func main()\n    print {}1{};\nend\n", "(".repeat(5000), ")".repeat(5000));
    let long = format!("func main()\n    print 1{};\nend\n", "+1".repeat(5000));
    let blocks = format!("func main()\n{}{}end\n", "if 1\n".repeat(5000), "end\n".repeat(5000));
    let minus = format!("func main()\n    print {}1;\nend\n", "- ".repeat(5000));
    let index = format!("func main()\n    print {}1{};\nend\n", "a[".repeat(5000), "]".repeat(5000));
    for (text, message) in [
        (deep, "this is nested more than 100 levels deep"),
        (long, "one expression holds more than 400 operators"),
        (blocks, "this is nested more than 100 levels deep"),
        (minus, "this is nested more than 100 levels deep"),
        (index, "this is nested more than 100 levels deep"),
    ] {
        let findings = compile_front(&SourceFile::new("deep.gt", text)).unwrap_err();
        assert!(findings.iter().any(|d| d.message == message), "{findings:#?}");
        assert!(findings.len() <= 2, "one cause, not a flood: {findings:#?}");
    }
}

#[test]
fn names() {
    golden(
        "names",
        &statements(&[
            ("unknown variable", "hopz[0] = 1;"),
            ("unknown function", "print twise(1);"),
            ("unknown intrinsic", "print sqr(2.0);"),
            ("method called as a function", "print getVertexSetSize(nodes);"),
            ("unknown method", "print links.getVertexs();"),
            ("method of another type", "print hops.getNgh(1);"),
            ("method of a number", "var x : int = 1; print x.size();"),
            ("field", "print nodes.size;"),
            ("unknown element", "var s : vertexset{Nod} = new vertexset{Nod}(0);"),
            ("declared twice", "var x : int = 1; var x : int = 2;"),
            ("function as a value", "print twice;"),
            ("element as a value", "print Node;"),
            ("variable called", "print hops(1);"),
            ("argv alone", "print argv;"),
            ("out of scope", "if true var inner : int = 1; end print inner;"),
        ]),
    );
    golden(
        "names_of_declarations",
        &declarations(&[
            ("global twice", "const hops : int = 1;"),
            ("parameter twice", "func f(a : int, a : int) end"),
            ("global used before its declaration", "const a : int = b;\nconst b : int = 1;"),
            ("argv in a function", "func f() print argv[1]; end"),
            ("hidden result", "func f() -> y : int var y : int = 1; end"),
            ("element fields", "element Thing size : int; end"),
            ("extern variable", "extern thing : int;"),
            ("generics", "func f<T>(a : int) end"),
        ]),
    );
}

#[test]
fn types() {
    golden(
        "types",
        &statements(&[
            ("string where a number is needed", "var x : int = argv[1];"),
            ("number where a string is needed", "print atoi(1);"),
            ("set where a number is needed", "print nodes + 1;"),
            ("string in arithmetic", "print \"a\" * 2;"),
            ("set as a condition", "while nodes print 1; end"),
            ("no value", "var x : int = startTimer();"),
            ("no value to print", "print startTimer();"),
            ("vector printed", "print hops;"),
            ("vector kinds differ", "hops = near;"),
            ("number assigned to a vector", "hops = 3;"),
            ("row assigned", "grid4[0] = 1;"),
            ("index of a number", "var x : int = 1; print x[0];"),
            ("index that is a set", "print hops[nodes];"),
            ("index out of range", "print small[3];"),
            ("negative index", "print hops[-1];"),
            ("too few arguments", "print twice();"),
            ("too many arguments", "print twice(1, 2);"),
            ("wrong argument", "print twice(nodes);"),
            ("load without a type", "load(argv[1]);"),
            ("load of something else", "var x : int = load(argv[1]);"),
            ("captures missing", "nodes.apply(bound);"),
            ("captures not wanted", "nodes.apply(vertex[1]);"),
            ("captures of an intrinsic", "print abs[1](2);"),
            ("list of the wrong thing", "var l : list{int} = new list{int}(); l.append(nodes);"),
            ("retrieve into nothing", "var l : list{int} = new list{int}(); l.retrieve(1);"),
            ("queue on the wrong vector", "queue = new priority_queue{Node}(int)(false, false, near, 1, 0, false, 0);"),
            ("queue orders", "queue = new priority_queue{Node}(int)(false, false, hops, 7, 0, false, 0);"),
            ("atomic on a number", "var x : int = 0; atomicAdd(x, 0, 1);"),
            ("intersection of numbers", "print intersection(1, 2, 3, 4);"),
            ("graph expected", "print intersectNeighbor(nodes, 1, 2);"),
            ("sum of a nested vector", "print grid4.sum();"),
            ("deleted number", "var x : int = 1; delete x;"),
            ("reduction into a set", "nodes += 1;"),
            ("reduction into a bool", "var x : bool = true; x += 1;"),
            ("assignment to a call", "twice(1) = 2;"),
            ("assignment to a function", "twice = 2;"),
        ]),
    );
    golden(
        "types_of_declarations",
        &declarations(&[
            ("bipartite edgeset", "const b : edgeset{Link}(Node,Link);"),
            ("string weights", "const b : edgeset{Link}(Node,Node,string);"),
            ("vector of sets", "const b : vector{Node}(vertexset{Node});"),
            ("list of vectors", "const b : list{vector{Node}(int)};"),
            ("empty fixed vector", "const b : vector[0](int);"),
            ("bool priorities", "const b : priority_queue{Node}(bool);"),
            ("list of values without a type", "const b = {1, 2};"),
            ("list of values for a number", "const b : int = {1, 2};"),
            ("too few values", "const b : vector[3](int) = {1, 2};"),
            ("no value", "const b = startTimer();"),
            ("two results", "func f() -> (a : int, b : int) end"),
        ]),
    );
}

#[test]
fn operators() {
    golden(
        "operators",
        &statements(&[
            ("not an edge function", "links.apply(vertex);"),
            ("weight without weights", "links.apply(heavy);"),
            ("not a vertex function", "nodes.apply(edge);"),
            ("not a filter", "nodes.filter(vertex);"),
            ("filter of edges", "links.filter(keep);"),
            ("from without apply", "links.from(keep);"),
            ("from a number", "var x : int = 1; links.from(x).apply(edge);"),
            ("from not a filter", "links.from(vertex).apply(edge);"),
            ("from on a set", "nodes.from(keep).apply(vertex);"),
            ("from twice", "links.from(keep).from(nodes).apply(edge);"),
            ("tracked vector not written", "links.applyModified(edge, near);"),
            ("tracked a number", "var x : int = 1; links.applyModified(edge, x);"),
            ("tracked a small vector", "links.applyModified(edge, small);"),
            ("applyModified on a set", "nodes.applyModified(vertex, hops);"),
            ("no priority updated", "links.applyUpdatePriority(edge);"),
            ("priority update in main", "queue.updatePriorityMin(1, 2, 3);"),
            ("extern expected", "nodes.applyUpdatePriorityExtern(vertex);"),
            ("apply on a number", "var x : int = 1; x.apply(vertex);"),
            ("unknown function", "links.apply(edgee);"),
            ("unused filter result", "nodes.apply(keep);"),
        ]),
    );
    golden(
        "operators_of_declarations",
        &declarations(&[
            (
                "weight of the wrong type",
                "func f(s : Node, d : Node, w : float) near[d] = w; end\nfunc go() wlinks.apply(f); end",
            ),
            (
                "ignored result",
                "func f(s : Node, d : Node) -> c : bool hops[d] = 1; end\nfunc go() links.applyModified(f, hops); end",
            ),
        ]),
    );
}

#[test]
fn statements_of_control() {
    golden(
        "statements_of_control",
        &statements(&[
            ("break outside", "break;"),
            ("break in par_for", "par_for i in 0:3 break; end"),
            ("loop variable assigned", "for i in 0:3 i = 5; end"),
            ("local const assigned", "const c : int = 1; c = 2;"),
            ("local const without a value", "const c : int;"),
            ("argv assigned", "argv[1] = 2;"),
            ("useless value", "1 + 2;"),
        ]),
    );
    golden(
        "statements_of_declarations",
        &declarations(&[("capture assigned", "func f[c : int](v : Node) c = 2; end")]),
    );
    golden(
        "main",
        &programs(&[
            ("no main", "func f() end\n"),
            ("empty", ""),
            ("parameters", "func main(x : int) end\n"),
            ("result", "func main() -> y : int end\n"),
            ("twice", "func main() end\nfunc main() end\n"),
        ]),
    );
}

#[test]
fn schedules() {
    let sections = [
        ("unknown function", "program->configAplyDirection(\"s1\", \"DensePull\");"),
        ("unknown direction", "program->configApplyDirection(\"s1\", \"DensePul\");"),
        ("too few arguments", "program->configApplyDirection(\"s1\");"),
        ("wrong kind of argument", "program->configApplyDirection(s1, \"DensePull\");"),
        ("bad label", "program->configApplyDirection(\"s 1\", \"DensePull\");"),
        (
            "direction not there",
            "program->configApplyDirection(\"s1\", \"SparsePush\")->configApplyNUMA(\"s1\", \"serial\", \"DensePull\");",
        ),
        ("segmenting by edges", "program->configApplyNumSSG(\"s1\", \"edge-aware-vertex-count\", 3);"),
        ("zero delta", "program->configApplyPriorityUpdateDelta(\"s1\", 0);"),
        ("delta not a number", "program->configApplyPriorityUpdateDelta(\"s1\", \"argv[x]\");"),
        ("unknown intersection", "program->configIntersection(\"s1\", \"NaivIntersection\");"),
        ("setApply without its number", "program->setApply(\"s1\", \"num_segment\");"),
        ("setApply with a number too many", "program->setApply(\"s1\", \"push\", 3);"),
        ("one field", "program->fuseFields(\"a\");"),
        ("unknown type", "SimpleGPUSchedul s;"),
        ("unknown object", "s1.configDelta(2);"),
        ("object declared twice", "SimpleGPUSchedule s; SimpleGPUSchedule s;"),
        ("unknown enum", "SimpleGPUSchedule s; s.configLoadBalance(TWCX);"),
        ("enum of another function", "SimpleGPUSchedule s; s.configDirection(ENABLED);"),
        ("function of another machine", "SimpleGPUSchedule s; s.configQueueType(PRIOQUEUE);"),
        ("blocked without edge-only", "SimpleGPUSchedule s; s.configLoadBalance(TWC, BLOCKED, 2);"),
        ("no effect", "SimpleGPUSchedule s; s.configBooleanType(BITMAP); s.configDirection(PUSH, BITMAP);"),
        (
            "hybrid of a hybrid",
            "SimpleGPUSchedule s; HybridGPUSchedule h(INPUT_VERTEXSET_SIZE, 0.1, s, s); HybridGPUSchedule i(INPUT_VERTEXSET_SIZE, 0.1, h, s);",
        ),
        (
            "hybrid configured",
            "SimpleGPUSchedule s; HybridGPUSchedule h(INPUT_VERTEXSET_SIZE, 0.1, s, s); h.configDelta(1);",
        ),
        ("wrong machine", "SimpleSwarmSchedule s; program->applyGPUSchedule(\"s1\", s);"),
        (
            "two machines",
            "SimpleSwarmSchedule s; SimpleGPUSchedule t; program->applyGPUSchedule(\"s1\", t)->applySwarmSchedule(\"s1\", s);",
        ),
        ("missing semicolon", "SimpleGPUSchedule s"),
        ("missing argument", "program->configApplyDirection(\"s1\", );"),
        ("open comment", "/* program;"),
        ("percent comment", "% program"),
        ("not a statement", "-> x;"),
    ];
    let mut out = String::new();
    for (name, text) in sections {
        let source = SourceFile::new("case.schedule", text);
        let findings = match parse_schedule(&source) {
            Ok(parsed) => parsed.warnings,
            Err(findings) => findings,
        };
        assert!(!findings.is_empty(), "`{name}` should be complained about");
        out.push_str(&format!("=== {name}\n{}\n", diagnostic::render(&findings, &source, false)));
    }
    golden("schedules", &out);
}

#[test]
fn schedule_places_are_in_the_whole_file() {
    let text = "func main()\n    #loop# while 1\n        #op# print 1;\n    end\nend\nschedule: rest is dropped\n  program->configApplyDirection(\"loop:oop\", \"DensePull\");\n  program->nothing();\n";
    golden("schedule_places_are_in_the_whole_file", &programs(&[("both", text)]));
}

#[test]
fn unknown_labels() {
    let program = |label: &str| {
        format!(
            "func main()\n    #loop# while 1\n        #op# print 1;\n    end\nend\nschedule:\n  program->configApplyDirection(\"{label}\", \"DensePull\");\n"
        )
    };
    let cases = [
        ("near", program("loop:oop")),
        ("without what is around it", program("op")),
        ("far away", program("something")),
        ("no labels at all", "func main() end\nschedule:\nprogram->setApply(\"s1\", \"push\");\n".into()),
    ];
    golden("unknown_labels", &render_all(&cases));
}

#[test]
fn habits_of_types() {
    golden(
        "habits_of_types",
        &statements(&[
            ("int64", "var x : int64 = 3;"),
            ("int32", "var x : int32 = 3;"),
            ("Int", "var x : Int = 3;"),
            ("long", "var x : long = 3;"),
            ("uint64", "var x : uint64 = 3;"),
            ("size_t", "var x : size_t = 3;"),
            ("u32", "var x : u32 = 3;"),
            ("float64", "var x : float64 = 3;"),
            ("real", "var x : real = 3;"),
            ("boolean", "var x : boolean = 3;"),
            ("str", "var x : str = 3;"),
            ("void", "var x : void = 3;"),
            ("colour", "var x : colour = 3;"),
            ("Nod", "var x : Nod = 3;"),
            ("vertex", "var x : vertex = 3;"),
            ("two words", "var x : unsigned int = 3;"),
            ("an array", "var x : int[10];"),
            ("angle brackets", "var x : vector<int> = 0;"),
            ("vector of int64", "var x : vector{Node}(int64) = 0;"),
            ("weight", "var g : edgeset{Link}(Node,Node,int64) = load(argv[1]);"),
            ("queue", "var q : priority_queue{Node}(long);"),
        ]),
    );
}

#[test]
fn habits_of_methods() {
    golden(
        "habits_of_methods",
        &statements(&[
            ("aply", "links.aply(edge);"),
            ("form", "links.form(nodes).apply(edge);"),
            ("applymodified", "links.applymodified(edge, hops);"),
            ("edges map", "links.map(edge);"),
            ("edges size", "print links.size();"),
            ("edges numEdges", "print links.numEdges();"),
            ("edges filter", "links.filtr(keep);"),
            ("vertices aply", "nodes.aply(vertex);"),
            ("vertices foreach", "nodes.foreach(vertex);"),
            ("vertices filtr", "var s : vertexset{Node} = nodes.filtr(keep);"),
            ("set add", "nodes.add(3);"),
            ("set contains", "print nodes.contains(3);"),
            ("set isEmpty", "print nodes.isEmpty();"),
            ("set reduce", "nodes.reduce(vertex);"),
            ("vector size", "print hops.size();"),
            ("vector length", "print hops.length();"),
            ("vector called", "print hops(3);"),
            ("queue pop", "print queue.pop();"),
            ("len", "print len(hops);"),
            ("printf", "printf(\"a\");"),
            ("rand", "print rand();"),
            ("called function", "links.apply(edge());"),
            ("lambda", "links.apply(lambda s, d);"),
        ]),
    );
}

#[test]
fn habits_of_operators() {
    golden(
        "habits_of_operators",
        &statements(&[
            ("double ampersand", "print 1 && 0;"),
            ("double bar", "print 1 || 0;"),
            ("remainder", "print 7 % 3;"),
            ("remainder in an if", "if 7 % 3 == 1\n        print 1;\n    end"),
            ("shift and assign", "var x : int = 1;\n    x <<= 3;"),
            ("MOD", "print 7 MOD 3;"),
            ("power", "print 2 ** 3;"),
            ("floor division", "print 7 // 2;"),
            ("ternary", "var x : int = 1 ? 2 : 3;"),
            ("increment", "var i : int = 0;\n    i++;"),
            ("prefix increment", "var i : int = 0;\n    ++i;"),
            ("decrement", "var i : int = 0;\n    i--;"),
            ("= in if", "if small[0] = 0\n        print 1;\n    end"),
            ("= in while", "while (small[0] = 0)\n        print 1;\n    end"),
            ("== as assignment", "small[0] == 3;"),
            ("colon equals", "var i : int := 0;"),
            ("single quotes", "print 'hello';"),
            ("joined strings", "print \"a\" + 3;"),
            ("cast", "var x : int = (int) 3.5;"),
            ("conversion", "var x : float = float(3);"),
            ("AND", "print 1 AND 0;"),
            ("too large for int", "var x : int = 3000000000;"),
            ("far too large for int", "var x : int = 18446744073709551615;"),
            ("too large for uint_64", "var x : uint_64 = 18446744073709551616;"),
        ]),
    );
}

#[test]
fn habits_of_statements() {
    golden(
        "habits_of_statements",
        &statements(&[
            ("range", "for i in range(10)\n        print i;\n    end"),
            ("range with both bounds", "for i in range(2, 10)\n        print i;\n    end"),
            ("for over a number", "var n : int = 3;\n    for v in n\n        print v;\n    end"),
            ("for over a vector", "for v in hops\n        print v;\n    end"),
            ("par_for over a set", "par_for v in nodes\n        print v;\n    end"),
            ("for of C", "for (int i = 0; i < 10; i++)\n        print i;\n    end"),
            ("for to", "for i = 0 to 10\n        print i;\n    end"),
            ("dots", "for i in 0..10\n        print i;\n    end"),
            ("elseif", "if 1 == 2\n        print 1;\n    elseif 2 == 3\n        print 2;\n    end"),
            ("else if", "if 1 == 2\n        print 1;\n    else if 2 == 3\n        print 2;\n    end"),
            ("then", "if 1 == 2 then\n        print 1;\n    end"),
            ("braces", "if 1 == 2 {\n        print 1;\n    }"),
            ("colon", "if 1 == 2:\n        print 1;\n    end"),
            ("while do", "while 1 == 2 do\n        print 1;\n    end"),
            ("type first", "int x = 3;"),
            ("let", "let x = 3;"),
            ("no var", "x = 3;"),
            ("comment of C", "// hello\n    print 1;"),
            ("long comment of C", "/* hello */\n    print 1;"),
            ("comment of Python", "# hello\n    print 1;"),
            ("continue outside a loop", "continue;"),
            ("null", "var x : int = null;"),
            ("True", "var x : bool = True;"),
            ("INT_MAX", "var x : int = INT_MAX;"),
            ("inf", "var x : float = inf;"),
            ("argc", "print argc;"),
        ]),
    );
}

#[test]
fn habits_of_declarations() {
    golden(
        "habits_of_declarations",
        &declarations(&[
            ("no const", "count : int = 0;"),
            ("type first", "int count = 0;"),
            ("function of C", "int f(int x)\n    print 1;\nend"),
            ("def", "def f()\n    print 1;\nend"),
            ("function", "function f()\n    print 1;\nend"),
            ("import", "import math;"),
            ("struct", "struct P end"),
            ("C comment", "// hello"),
            ("parameter of C", "func f(int x)\nend"),
            ("no type", "func f(x)\nend"),
            ("result without name", "func f(x : int) -> int\nend"),
            ("result behind a colon", "func f(x : int) : int\nend"),
            ("braces", "func f() {\n    print 1;\n}"),
            ("indented schedule", " schedule:\n program->nothing();"),
        ]),
    );
}

/// Filters of edge operators that change something.
const CHANGING: &str = "\
const total : int = 0;
func marks(v : Node) -> yes : bool hops[v] = 1; yes = true; end
func counts(v : Node) -> yes : bool total += 1; yes = true; end
func says(v : Node) -> yes : bool print v; yes = true; end
func swaps(v : Node) -> yes : bool yes = compare_and_swap(hops, v, 0, 1); end
func moves(v : Node) -> yes : bool queue.updatePriorityMin(v, 0, 1); yes = true; end
func outer(v : Node) -> yes : bool yes = middle(v); end
func middle(v : Node) -> yes : bool yes = marks(v); end
func writes[into : vector{Node}(int)](v : Node) -> yes : bool into[v] = 1; yes = true; end
func alias(v : Node) -> yes : bool var same : vector{Node}(int) = hops; same[v] = 1; yes = true; end
";

#[test]
fn filters_that_change_something() {
    let program = |body: &str| format!("{PRELUDE}{CHANGING}func main()\n    {body}\nend\n");
    let cases = [
        ("writes a vector", "links.to(marks).apply(edge);"),
        ("writes a global", "links.from(counts).apply(edge);"),
        ("prints", "links.to(says).apply(edge);"),
        ("compare and swap", "links.to(swaps).apply(edge);"),
        ("updates a queue", "links.to(moves).apply(edge);"),
        ("through calls", "links.from(outer).apply(edge);"),
        ("a captured vector", "links.to(writes[hops]).apply(edge);"),
        ("under another name", "links.to(alias).apply(edge);"),
    ];
    let cases: Vec<_> = cases.iter().map(|(name, body)| (*name, program(body))).collect();
    golden("filters_that_change_something", &render_all(&cases));
}

#[test]
fn filters_may_read_count_for_themselves_and_select_vertices() {
    let text = format!(
        "{PRELUDE}{CHANGING}
func own(v : Node) -> yes : bool
    var bins : vector[4](int) = 0;
    var sum : int = 0;
    for i in 0:4
        bins[i] = v;
        sum += bins[i];
    end
    yes = sum > hops[v];
end
func main()
    links.from(own).to(keep).apply(edge);
    var all : vertexset{{Node}} = nodes.filter(marks);
    links.from(all).apply(edge);
    delete all;
end
"
    );
    let front = compile_front(&SourceFile::new("own.gt", text)).expect("nothing is changed by an edge filter");
    assert_eq!(front.warnings, []);
}

#[test]
fn the_greatest_uint_64_is_a_literal() {
    let text = "func main()\n    var x : uint_64 = 18446744073709551615;\n    print x;\n    var y : double = 18446744073709551615;\n    print 9223372036854775808 + y;\nend\n";
    let front = compile_front(&SourceFile::new("max.gt", text)).expect("64 bits hold it");
    assert_eq!(front.warnings, []);
}

#[test]
fn comments_that_are_no_remainders_are_left_alone() {
    let text = "func main() % 3;\n    var x : int = 7; % 3;\n    if x == 7 % the usual case\n        print x; %% 3;\n    end\nend\n";
    // Only the first line reads like a remainder: `main() % 3;`.
    let front = compile_front(&SourceFile::new("c.gt", text)).expect("all comments");
    let found: Vec<_> = front.warnings.iter().map(|d| d.primary.span.start).collect();
    assert_eq!(found, [12]);
}

#[test]
fn colour_is_used_only_when_asked_for() {
    let source = SourceFile::new("c.gt", "func main()\n    print x;\nend\n");
    let findings = compile_front(&source).unwrap_err();
    assert!(diagnostic::render(&findings, &source, true).contains('\u{1b}'));
    assert!(!diagnostic::render(&findings, &source, false).contains('\u{1b}'));
}

#[test]
fn rendering_bears_any_place() {
    // Carets next to tabs, wide characters and the end of the text must not upset the renderer.
    for text in ["", "\u{e9}\u{4e2d}\tfunc", "func main()\n\u{1f600}", "\r\n\r\nfunc\t(", "\"\u{4e2d}\\"] {
        let source = SourceFile::new("odd.gt", text);
        if let Err(findings) = compile_front(&source) {
            assert!(diagnostic::render(&findings, &source, false).contains("Error"));
        }
    }
}

#[test]
fn bits_and_random_numbers() {
    golden(
        "bits_and_random_numbers",
        &statements(&[
            ("bits of a real", "print 6.5 & 3;"),
            ("power of a real", "print 1.5 ^ 2;"),
            ("power of two", "var n : int = 3;\n    print 2 ^ n;"),
            ("shift too far", "var x : int = 1;\n    print x << 40;"),
            ("not of a real", "print ~1.5;"),
            ("popcount of a real", "print popcount(0.5);"),
            ("random without counters", "print random(7);"),
            ("random of a real", "print random(0.5, 1, 2);"),
            ("randint", "print randint(6);"),
            ("negative list index", "var found : list{int} = new list{int}();\n    print found[-1];"),
        ]),
    );
}

#[test]
fn state_per_edge() {
    let more = "\
        const marks : vector{Link}(bool) = false;\n\
        const second : edgeset{Link}(Node,Node) = load(argv[2]);\n\
        func mark(src : Node, dst : Node, e : Link) marks[e] = true; end\n\
        func swapped(src : Node, e : Link, dst : Node) marks[e] = true; end\n";
    let wrap = |body: &str| format!("{PRELUDE}{more}func main()\n    {body}\nend\n");
    let cases = [
        ("edges of two graphs", "links.apply(mark);\n    second.apply(mark);"),
        ("graph that is not a global", "links.transpose().apply(mark);"),
        ("called directly", "links.apply(mark);\n    mark(1, 2, 3);"),
        ("edge in the wrong place", "links.apply(swapped);"),
        ("filter by a function", "var few : edgeset{Link}(Node,Node) = links.filter(keep);"),
        ("filter by another vector", "var few : edgeset{Link}(Node,Node) = links.filter(hops);"),
        ("contract by another vector", "var few : edgeset{Link}(Node,Node,int) = links.contract(marks);"),
    ];
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, wrap(text))).collect();
    golden("state_per_edge", &render_all(&cases));
}

#[test]
fn views_of_edges() {
    let more = "\
        const marks : vector{Link}(bool) = false;\n\
        const near_ones : edgeset{Link}(Node,Node) = links.where(is_near);\n\
        func is_near(src : Node, dst : Node) -> yes : bool yes = dst == src + 1; end\n\
        func is_marked(src : Node, dst : Node, e : Link) -> yes : bool yes = marks[e]; end\n\
        func counts(src : Node, dst : Node) -> yes : bool hops[dst] += 1; yes = true; end\n\
        func own(src : Node, dst : Node) -> key : int key = dst; end\n";
    let wrap = |body: &str| format!("{PRELUDE}{more}func main()\n    {body}\nend\n");
    let cases = [
        ("where with a function that gives no bool", "links.where(edge).apply(edge);"),
        ("where with a function of a vertex", "links.where(keep).apply(edge);"),
        ("where with a weight that is not there", "links.where(heavy).apply(edge);"),
        ("where that changes something", "links.where(counts).apply(edge);"),
        ("where behind from", "links.from(keep).where(is_near).apply(edge);"),
        ("a view that nothing walks", "var few : edgeset{Link}(Node,Node) = links.where(is_near);"),
        ("a graph of a view", "var few : edgeset{Link}(Node,Node) = near_ones.filter(marks);"),
        ("degrees of a view", "var degrees : vector{Node}(int) = near_ones.getOutDegrees();"),
        ("a view that is assigned", "near_ones = links;"),
        ("groups of a view", "links.where(is_near).groupBy(own).count().groups(hops);"),
        ("marks of a graph that is no global", "links.transpose().where(is_marked).apply(edge);"),
        ("where of what is not there", "links.where(is_nearr).apply(edge);"),
    ];
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, wrap(text))).collect();
    golden("views_of_edges", &render_all(&cases));
}

#[test]
fn edges_that_come_and_go() {
    let more = "\
        const marks : vector{Link}(bool) = false;\n\
        const batch : edgeset{Link}(Node,Node) = load(argv[2]);\n\
        func grow(v : Node) links.insert(batch); end\n\
        func asks(v : Node) -> yes : bool grow(v); yes = true; end\n";
    let wrap = |body: &str| format!("{PRELUDE}{more}func main()\n    {body}\nend\n");
    let cases = [
        ("insert in an operator", "nodes.apply(grow);"),
        ("delete in a loop that runs in parallel", "par_for i in 0:3\n        links.delete(batch);\n    end"),
        ("insert below a filter", "var some : vertexset{Node} = nodes.filter(asks);"),
        ("insert a vector", "links.insert(marks);"),
        ("insert nothing", "links.insert();"),
        ("insert edges without weights", "wlinks.insert(batch);"),
        ("insert into what is no variable", "links.transpose().insert(batch);"),
        ("delete a set", "links.delete(nodes);"),
        ("change a local constant", "const few : edgeset{Link}(Node,Node) = links;\n    few.delete(batch);"),
        ("update", "links.update(batch);"),
    ];
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, wrap(text))).collect();
    golden("edges_that_come_and_go", &render_all(&cases));
}

#[test]
fn links_and_triangles() {
    let more = "\
        element Side end\n\
        const sides : edgeset{Side}(Node,Node) = links.links();\n\
        const alive : vector{Side}(bool) = true;\n\
        const far : vector{Side}(double) = 0.0;\n\
        func corners(a : Node, b : Node, c : Node) hops[a] += 1; end\n\
        func pair(a : Node, b : Node) hops[a] += 1; end\n\
        func mixed(a : Node, ab : Side, c : Node) hops[a] += 1; end\n\
        func tells(a : Node, b : Node, c : Node) -> yes : bool yes = true; end\n\
        func low_one(e : Side) -> yes : bool yes = e < 9; end\n\
        func changes(e : Side) -> yes : bool alive[e] = false; yes = true; end\n";
    let wrap = |body: &str| format!("{PRELUDE}{more}func main()\n    {body}\nend\n");
    let cases = [
        ("triangles of what are no links", "links.triangles().apply(corners);"),
        ("a function of two vertices", "sides.triangles().apply(pair);"),
        ("a function of vertices and links in another order", "sides.triangles().apply(mixed);"),
        ("a function that tells something", "sides.triangles().apply(tells);"),
        ("a function that is not there", "sides.triangles().apply(cornrs);"),
        ("from a function", "sides.triangles().from(low_one).apply(corners);"),
        ("from a set of vertices", "sides.triangles().from(nodes).apply(corners);"),
        ("to a set", "sides.triangles().to(nodes).apply(corners);"),
        ("where a function of vertices", "sides.triangles().where(keep).apply(corners);"),
        ("where a vector of numbers", "sides.triangles().where(far).apply(corners);"),
        ("where something changes", "sides.triangles().where(changes).apply(corners);"),
        ("applyModified", "sides.triangles().applyModified(corners, hops);"),
        ("as a value", "var some : vertexset{Node} = sides.triangles().apply(corners);"),
        ("alone", "sides.triangles();"),
        ("count into reals", "sides.triangles().count(far);"),
        ("count of a selection", "sides.triangles().where(alive).count(hops);"),
        ("count into a local number", "var n : int = 0;\n    sides.triangles().count(n);"),
        ("links inside a function", "var more : edgeset{Side}(Node,Node) = links.links();"),
        ("links that are assigned", "sides = links.filter(marked);"),
        ("links that grow", "sides.insert(links);"),
        ("links that are deleted", "delete sides;"),
        ("sets of different elements", "var s : edgesubset{Side} = sides.all().union(nodes);"),
        ("a filter of vertices", "var s : edgesubset{Side} = sides.filter(keep);"),
    ];
    let cases: Vec<_> = cases.iter().map(|(name, text)| (*name, wrap(text))).collect();
    golden("links_and_triangles", &render_all(&cases));
}
