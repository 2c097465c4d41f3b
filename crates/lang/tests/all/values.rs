//! Constants, lengths of vectors that have a name, tuples, and graphs made of lists: what becomes of them, and what is
//! refused.

use crate::common::golden;
use gw_lang::typed::{Init, StmtKind};
use gw_lang::types::IndexKind;
use gw_lang::{SourceFile, Type, TypedProgram, compile_front, diagnostic};

const PRELUDE: &str = "\
tuple Best (gain : double, target : Node)
element Node end
element Link end
const links : edgeset{Link}(Node,Node,int) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const WIDTH : int = 2 * 4;
const best : vector{Node}(Best) = Best(0.5, -1);
const hops : vector{Node}(int) = -1;
const by_link : vector{Link}(int) = 0;
func better(a : Best, b : Best) -> chosen : Best
    chosen = a;
    if b.gain > a.gain
        chosen = b;
    end
end
";

fn program(text: &str) -> TypedProgram {
    let source = SourceFile::new("test.gt", format!("{PRELUDE}{text}"));
    match compile_front(&source) {
        Ok(front) => {
            assert_eq!(front.warnings, [], "warnings");
            front.typed
        }
        Err(errors) => panic!("{}", diagnostic::render(&errors, &source, false)),
    }
}

fn refused(cases: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, text) in cases {
        let source = SourceFile::new("case.gt", format!("{PRELUDE}{text}"));
        let Err(findings) = compile_front(&source) else { panic!("`{name}` should be refused") };
        out += &format!("=== {name}\n{}\n", diagnostic::render(&findings, &source, false));
    }
    out
}

/// The type of a global.
fn type_of(program: &TypedProgram, name: &str) -> Type {
    program.globals.iter().find(|global| global.name == name).map(|global| global.ty.clone()).expect("a global")
}

fn length_of(program: &TypedProgram, name: &str) -> IndexKind {
    match type_of(program, name) {
        Type::Vector { index, .. } => index,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_length_is_a_constant_where_nothing_assigns_it() {
    let program = program(
        "const more : int = WIDTH + 1;\n\
         const asked : int = atoi(argv[2]);\n\
         const changed : int = 3;\n\
         const a : vector[more](int) = 0;\n\
         const b : vector[asked](int) = 0;\n\
         const c : vector{Node}(vector[changed](int)) = 0;\n\
         const d : vector[WIDTH](double) = {1, 2, 3, 4, 5, 6, 7, 8};\n\
         func main()\n    changed = 5;\n    var e : vector[asked](int) = b;\n    print e[0] + a[8] + c[0][4] + d[7];\nend\n",
    );
    assert_eq!(length_of(&program, "a"), IndexKind::Fixed(9));
    assert_eq!(length_of(&program, "d"), IndexKind::Fixed(8));
    let counted = |name: &str| match length_of(&program, name) {
        IndexKind::Counted(id) => program.global(id).name.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(counted("b"), "asked");
    assert_eq!(program.type_name(&type_of(&program, "c")), "vector{Node}(vector[changed](int))");
}

#[test]
fn a_vector_of_tuples_is_a_vector_per_field() {
    let program = program(
        "func look(v : Node)\n    best[v] = better(best[v], Best(1, v + 1));\n    best[v].gain += 1;\nend\n\
         func raise(src : Node, dst : Node)\n    best[dst].gain max= 2;\nend\n\
         func main()\n    nodes.apply(look);\n    var s : vertexset{Node} = links.applyModified(raise, best.gain);\n    \
         print best.gain.sum(), best[0], s.getVertexSetSize();\n    delete s;\nend\n",
    );
    assert_eq!(program.type_name(&type_of(&program, "best_gain")), "vector{Node}(double)");
    assert_eq!(program.type_name(&type_of(&program, "best_target")), "vector{Node}(Node)");
    let fill = program.globals.iter().find(|global| global.name == "best_gain").and_then(|global| global.init.clone());
    assert!(matches!(fill, Some(Init::Fill(_))));
    // The function that gives a tuple is a part of the one that calls it.
    let names: Vec<&str> = program.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["look", "raise", "main"]);
}

#[test]
fn tuples_are_variables_parameters_captures_and_results() {
    let program = program(
        "const held : Best;\n\
         const rows : vector{Node}(vector[WIDTH](Best));\n\
         const two : vector[2](Best) = {Best(1, 2), Best(3, 4)};\n\
         func swap(a : Best) -> b : Best\n    b = Best(a.target, a.gain);\n    b = Best(b.target, b.gain);\nend\n\
         func most(a : Best, b : Best) -> c : Best\n    var d : Best = swap(a);\n    c = better(d, b);\nend\n\
         func settle[least : Best, all : vector{Node}(Best)](v : Node)\n    all[v] = most(least, all[v]);\nend\n\
         func gain_of(a : Best) -> gain : double\n    gain = a.gain;\nend\n\
         func main()\n    var own : vector{Node}(Best) = Best(0, 0);\n    var least = Best(2, 3);\n    \
         nodes.apply(settle[least, own]);\n    held = own[1];\n    rows[0][1] = held;\n    held = two[1];\n    \
         for i in 0:2\n        held = most(held, rows[i][i]);\n    end\n    \
         print held, gain_of(held), rows[0][1].target;\n    delete own;\nend\n",
    );
    let main = program.functions.iter().find(|function| function.name == "main").expect("main");
    assert!(main.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::For { .. })));
    assert_eq!(program.type_name(&type_of(&program, "held_target")), "Node");
}

#[test]
fn a_graph_is_made_of_lists() {
    program(
        "element Pair end\n\
         const plain : edgeset{Pair}(Node,Node);\n\
         func main()\n    plain = new edgeset{Pair}(Node,Node)(by_link, by_link);\n    \
         var weighed : edgeset{Pair}(Node,Node,int) = new edgeset{Pair}(Node,Node,int)(by_link, by_link, by_link);\n    \
         print plain.getEdges() + weighed.getEdges();\nend\n",
    );
}

#[test]
fn wrong_lengths() {
    let text = refused(&[
        ("unknown", "const x : vector[wdth](int) = 0; func main() end"),
        ("local", "func main() var n : int = 3; var x : vector[n](int) = 0; print x[0]; end"),
        ("element", "const x : vector[Node](int) = 0; func main() end"),
        ("real", "const r : double = 2.5; const x : vector[r](int) = 0; func main() end"),
        ("expression", "const x : vector[WIDTH + 1](int) = 0; func main() end"),
        ("negative", "const m : int = -2; const x : vector[m](int) = 0; func main() end"),
        (
            "other length",
            "const k : int = atoi(argv[1]); const a : vector[k](int) = 0; const j : int = atoi(argv[1]);\nfunc main() var b : vector[j](int) = a; print b[0]; end",
        ),
        ("beyond a constant", "const x : vector[WIDTH](int) = 0; func main() print x[8]; end"),
    ]);
    golden("values-lengths", &text);
}

#[test]
fn wrong_tuples() {
    let text = refused(&[
        ("unknown field", "func main() print best[0].gian; end"),
        ("no such field", "func main() print best.weight; end"),
        ("too few values", "func main() var b = Best(1); print b.gain; end"),
        ("too many values", "func main() var b : Best = Best(1, 2, 3); print b.gain; end"),
        ("holds itself", "tuple Chain (value : int, next : Chain) func main() end"),
        ("holds another", "tuple Outer (inner : Best) func main() end"),
        ("holds a vector", "tuple Row (entries : vector[3](int)) func main() end"),
        ("no fields", "tuple Nothing () func main() end"),
        ("two fields of one name", "tuple Twice (a : int, a : double) func main() end"),
        ("declared twice", "tuple Best (x : int) func main() end"),
        (
            "calls itself",
            "func f(n : int) -> b : Best if n > 0 b = f(n - 1); end end func main() var b = f(3); print b; end",
        ),
        ("as a number", "func main() var b = Best(1, 2); print b + 1; end"),
        ("compared", "func main() var b = Best(1, 2); if b == best[0] print 1; end end"),
        ("reduced", "func main() best[0] += Best(1, 2); end"),
        ("a number for a tuple", "func main() var b : Best = 3; print b; end"),
        ("a tuple for a number", "func main() var x : int = 0; x = Best(1, 2); hops[0] = best[1]; print x; end"),
        ("field of a call", "func main() print better(best[0], best[1]).gain; end"),
        (
            "inside an expression",
            "func f(b : Best) -> x : double x = b.gain; end func main() print f(better(best[0], best[1])); end",
        ),
        ("in a list", "func main() var l : list{Best} = new list{Best}(); delete l; end"),
        (
            "as an edge function",
            "func f(src : Node, dst : Node) -> b : Best b = Best(1, src); end func main() links.apply(f); end",
        ),
        ("loaded", "const given : vector{Node}(Best) = load(argv[2]); func main() end"),
        ("another tuple", "tuple Other (x : int) func main() var o : Other = best[0]; print o; end"),
        ("wrong type of a value", "func main() var b = Best(\"much\", 3); print b.gain; end"),
        ("field of a number", "func main() print hops[0].gain; end"),
        (
            "tracked field",
            "func f(src : Node, dst : Node) hops[dst] = 1; end func main() var s : vertexset{Node} = links.applyModified(f, hops.gain); delete s; end",
        ),
        ("new", "func main() var b = new Best(1, 2); print b; end"),
        ("not used", "func main() better(best[0], best[1]); end"),
        ("struct", "struct Pair (a : int) func main() end"),
        ("braces", "tuple Pair { a : int } func main() end"),
    ]);
    golden("values-tuples", &text);
}

#[test]
fn wrong_lists_of_edges() {
    let text = refused(&[
        ("too few", "func main() links = new edgeset{Link}(Node,Node,int)(by_link, by_link); end"),
        (
            "too many",
            "const p : edgeset{Link}(Node,Node); func main() p = new edgeset{Link}(Node,Node)(by_link, by_link, by_link); end",
        ),
        (
            "reals",
            "const r : vector{Link}(double) = 0; func main() links = new edgeset{Link}(Node,Node,int)(r, by_link, by_link); end",
        ),
        (
            "weights",
            "const r : vector{Link}(double) = 0; func main() links = new edgeset{Link}(Node,Node,int)(by_link, by_link, r); end",
        ),
        ("no vector", "func main() links = new edgeset{Link}(Node,Node,int)(3, by_link, by_link); end"),
        ("over something else", "func main() links = new edgeset{Link}(Node,Node,int)(by_link, hops, by_link); end"),
        (
            "inside an operator",
            "func f(v : Node) links = new edgeset{Link}(Node,Node,int)(by_link, by_link, by_link); end func main() nodes.apply(f); end",
        ),
    ]);
    golden("values-graphs", &text);
}
