//! Views of edges under `filter=view` and `filter=graph`: the same results on every machine.

use graphwright::{Graph, Program};

const MACHINES: [&str; 4] = ["reference", "cpu", "flow", "swarm"];

/// Payments with parallel edges; the columns tell them apart.
const TABLE: &str = "source,target,weight,amount,kind
a,b,3,10,card
a,b,4,0.5,cash
b,c,2,30,card
c,a,9,7,card
b,d,1,2,wire
d,a,5,11,card
d,c,6,12,wire
c,d,7,1,card
";

/// Operators over views in and outside of loops: by weight, by column, by a captured number, by ends, in turns.
const VIEWS: &str = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex,int) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const amount : vector{Edge}(double) = edges.column(\"amount\");
const kind : vector{Edge}(int) = edges.column(\"kind\");
const least : double = 5.0;
const rank : vector{Vertex}(int) = 1;
const dist : vector{Vertex}(int) = 1000;
const number : vector{Vertex}(int) = 0;
const sum : vector{Vertex}(double) = 0.0;
const most : int = 0;
func large(src : Vertex, dst : Vertex, e : Edge) -> yes : bool
    yes = amount[e] > least and kind[e] != 1;
end
func light[bound : int](src : Vertex, dst : Vertex, weight : int) -> yes : bool
    yes = weight < bound;
end
func ranked(src : Vertex, dst : Vertex) -> yes : bool
    yes = rank[src] > most;
end
func relax(src : Vertex, dst : Vertex, weight : int)
    dist[dst] min= dist[src] + weight;
end
func note(src : Vertex, dst : Vertex, e : Edge)
    number[dst] max= e;
    sum[dst] += amount[e];
end
func count(src : Vertex, dst : Vertex)
    number[dst] += 1;
end
func search()
    var frontier : vertexset{Vertex} = new vertexset{Vertex}(0);
    frontier.addVertex(0);
    dist[0] = 0;
    #s0# while frontier.getVertexSetSize() != 0
        #s1# var next : vertexset{Vertex} = edges.where(large).from(frontier).applyModified(relax, dist);
        delete frontier;
        frontier = next;
    end
    delete frontier;
end
func main()
    search();
    for v in 0:vertices.size()
        print dist[v];
    end
    var bound : int = 4;
    for round in 0:3
        #s2# edges.where(large).where(light[7]).apply(note);
    end
    #s3# edges.where(light[bound]).apply(count);
    bound = 8;
    #s4# edges.where(light[bound]).apply(count);
    most = 1;
    #s5# edges.where(ranked).apply(count);
    most = 0;
    #s6# edges.where(ranked).apply(count);
    for v in 0:vertices.size()
        print number[v], sum[v];
    end
end
";

fn table() -> (tempfile::TempDir, Graph) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("payments.csv");
    std::fs::write(&file, TABLE).unwrap();
    let graph = Graph::open(&format!("{}:columns=all:parallel", file.display())).unwrap();
    (folder, graph)
}

fn printed(program: &Program, graph: &Graph, machine: &str, schedule: &str) -> String {
    let run = program.on(graph).target(machine).schedule(schedule).run();
    let run = run.unwrap_or_else(|e| panic!("{machine} with {schedule}: {e}"));
    run.printed.clone()
}

#[test]
fn graphs_of_views_give_what_views_give_on_every_machine() {
    let (_folder, graph) = table();
    let program = Program::parse("views.gt", VIEWS).unwrap();
    let right = printed(&program, &graph, "reference", "filter=view");
    // Nothing large that is not cash leads to d.
    assert!(right.starts_with("0\n3\n5\n1000\n"), "{right}");
    for machine in MACHINES {
        for schedule in ["filter=view", "filter=graph", "push,filter=graph", "s0:s1@filter=graph;s2@filter=graph"] {
            assert_eq!(printed(&program, &graph, machine, schedule), right, "{machine} with {schedule}");
        }
    }
    // Parts of a hybrid may differ.
    for first in ["view", "graph"] {
        for second in ["view", "graph"] {
            let parts = format!("push,filter={first}+pull,filter={second}");
            let schedule = format!("s0:s1@hybrid,by=input-size,at=0.5+{parts}");
            assert_eq!(printed(&program, &graph, "cpu", &schedule), right, "{schedule}");
        }
    }
    assert_eq!(printed(&program, &graph, "cpu", "pull,filter=graph"), right);
}

#[test]
fn a_graph_is_made_once_for_the_same_condition() {
    let program = Program::parse("views.gt", VIEWS).unwrap();
    let schedule = "filter=graph".parse().unwrap();
    let module = gw_ir::run_pipeline(program.module().clone(), &schedule, &gw_ir::Options::default()).unwrap();
    let made = module.globals.iter().filter(|global| global.name.contains("_where")).count();
    let text = gw_ir::print(&module);
    // `large` alone, `large` with `light`, `light` with two bounds, `ranked` twice.
    assert_eq!(made, 6, "{text}");
    let main = &text[text.find("main func").unwrap()..];
    let at = |what: &str| main.find(what).unwrap_or_else(|| panic!("no {what} in {main}"));
    assert!(at("SelectEdges") < at("#s0#"));
}

#[test]
fn conditions_that_change_or_fail_are_refused_with_a_sentence() {
    let (_folder, graph) = table();
    for (condition, inside) in [
        // The operator, or the loop around it, changes what is read.
        ("yes = dist[dst] > 3;", ""),
        ("yes = weight > most;", "most = most + 1;"),
        // An edge that is not walked could end the run.
        ("yes = 8 / weight > most;", ""),
        ("yes = rank[weight] == 1;", ""),
    ] {
        let text = VIEWS.replace("yes = amount[e] > least and kind[e] != 1;", condition);
        let text = text.replace(
            "src : Vertex, dst : Vertex, e : Edge) -> yes",
            "src : Vertex, dst : Vertex, weight : int) -> yes",
        );
        let text = text.replace(
            "        delete frontier;\n        frontier",
            &format!("        {inside}\n        delete frontier;\n        frontier"),
        );
        let program = Program::parse("views.gt", &text).unwrap_or_else(|e| panic!("{condition}: {e}"));
        let error = program.on(&graph).target("cpu").schedule("s0:s1@filter=graph").run().unwrap_err().to_string();
        assert!(error.contains("no condition around the edge function can be asked before the operator"), "{error}");
        assert!(error.contains("drop `filter`"), "{error}");
    }
}
