//! Bodies of functions in place of calls: the module is that of a program with everything in `main`.

use crate::common::{after, lowered};
use gw_ir::points::label_paths;
use gw_ir::print;

const HEAD: &str = "
element V end
element E end
const g : edgeset{E}(V,V) = load(argv[1]);
const vertices : vertexset{V} = g.getVertices();
const hops : vector{V}(int) = -1;
const total : int = 0;
func fresh(v : V) -> yes : bool yes = hops[v] == -1; end
func visit[depth : int](src : V, dst : V) hops[dst] = depth; end
";

const LOOP: &str = "
    while frontier.getVertexSetSize() != 0
        #s1# var next : vertexset{V} = graph.from(frontier).to(fresh).applyModified(visit[depth + 1], hops, true);
        delete frontier;
        frontier = next;
        depth = depth + 1;
    end
    delete frontier;
";

/// A search from a vertex over a graph that is given, in a function.
fn search() -> String {
    format!(
        "func search(graph : edgeset{{E}}(V,V), root : int) -> depth : int
             var frontier : vertexset{{V}} = new vertexset{{V}}(0);
             frontier.addVertex(root);
             #s0# {LOOP}
         end"
    )
}

fn module(functions: &str, main: &str) -> gw_ir::Module {
    lowered(&format!("{HEAD}{functions}\nfunc main()\n{main}\nend\n"))
}

#[test]
fn a_call_is_what_main_would_say_itself() {
    let apart = module(&search(), "var root : int = atoi(argv[2]); var far : int = search(g, root); print far;");
    let body = LOOP.replace("graph", "g").replace("depth", "far");
    let together = module(
        "",
        &format!(
            "var root : int = atoi(argv[2]);
             var far : int;
             var frontier : vertexset{{V}} = new vertexset{{V}}(0);
             frontier.addVertex(root);
             #s0# {body} print far;"
        ),
    );
    assert_eq!(print(&apart), print(&together));
}

#[test]
fn functions_of_functions_are_brought_along_and_then_gone() {
    let functions = format!("{}\nfunc outer() total = search(g, 0) + search(g, 1); end", search());
    let module = module(&functions, "outer();");
    assert_eq!(module.functions.iter().map(|f| &*f.name).collect::<Vec<_>>(), ["fresh", "visit", "main"]);
    let paths = ["search:s0", "search:s0:s1", "search_2:s0", "search_2:s0:s1"];
    assert_eq!(label_paths(&module), paths);
    // The searches are done in the order of the text, before their sum.
    let text = print(&module);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("#search:s0#") < at("#search_2:s0#") && at("#search_2:s0#") < at("total ="), "{text}");
}

#[test]
fn what_a_body_changes_is_read_before_it_where_the_text_says_so() {
    let functions = "func count(v : V) total += 1; end
        func grow() -> all : int vertices.apply(count); all = 1; end";
    let text = print(&module(functions, "var sum : int = total + grow(); print total, sum;"));
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("before : int = total") < at("VertexSetIterator"), "{text}");
}

#[test]
fn what_a_function_changes_of_its_parameters_stays_its_own() {
    let functions = format!(
        "{}\nfunc again(graph : edgeset{{E}}(V,V), root : int) root = root + search(graph, root); total = root; end",
        search()
    );
    let text = print(&module(&functions, "var start : int = 3; again(g, start); print start;"));
    assert!(text.contains("var root : int = start;"), "{text}");
    assert!(text.contains(">(g, from=frontier"), "the graph is the global: {text}");
}

#[test]
fn a_set_of_all_vertices_is_one_under_any_name() {
    let functions = "func reset(v : V) hops[v] = -1; end
        func each(all : vertexset{V}) -> n : int all.apply(reset); n = all.getVertexSetSize(); end";
    let text = print(&module(functions, "print each(vertices);"));
    assert!(text.contains("is_all_vertices=true") && text.contains("VertexCount(vertices)"), "{text}");
}

#[test]
fn what_a_function_holds_is_gone_when_it_ends() {
    let functions = "func reset(v : V) hops[v] = -1; end
        func each() var mine : list{int} = new list{int}(); mine.append(1); vertices.apply(reset); end";
    let text = print(&module(functions, "each(); #s0# while total < 3 total = total + 1; end"));
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("delete mine;") < at("#s0# while"), "{text}");
}

#[test]
fn calls_without_a_place_for_statements_stay_calls() {
    let functions = "func reset(v : V) hops[v] = -1; end
        func any() -> yes : bool vertices.apply(reset); yes = false; end
        func down(n : int) vertices.apply(reset); if n > 0 down(n - 1); end end";
    let module = module(functions, "while any() end if total > 3 and any() end down(3);");
    let names: Vec<&str> = module.functions.iter().map(|f| &*f.name).collect();
    assert!(names.contains(&"any") && names.contains(&"down"), "{names:?}");
}

#[test]
fn a_written_path_means_every_copy_and_a_path_of_its_own_means_one() {
    let main = "var a : int = search(g, 0); #near# var b : int = search(g, 1);";
    let module = module(&search(), main);
    assert_eq!(label_paths(&module), ["search:s0", "search:s0:s1", "near:s0", "near:s0:s1"]);
    let directions = |schedule: &str| {
        let text = print(&after(&module, schedule, "binding"));
        let lines = text.lines().filter(|line| line.contains("EdgeSetIterator<direction"));
        lines.map(|line| line.contains("direction=PULL")).collect::<Vec<_>>()
    };
    assert_eq!(directions("s0:s1@pull"), [true, true]);
    assert_eq!(directions("near:s0:s1@pull"), [false, true]);
    assert_eq!(directions("s0:s1@pull;near:s0:s1@push"), [true, false]);
    assert_eq!(directions("search:s0:s1@pull"), [true, false]);
}
