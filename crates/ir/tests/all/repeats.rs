//! Where a program allows repeats in a frontier, they stay allowed only as long as nothing shows them.
use crate::common::*;

/// A search whose frontier may hold repeats, with a function and a use of the frontier to be filled in.
fn search(function: &str, used: &str) -> String {
    format!(
        "element Vertex end
         element Edge end
         const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
         const vertices : vertexset{{Vertex}} = edges.getVertices();
         const parent : vector{{Vertex}}(int) = -1;
         const count : vector{{Vertex}}(int) = 0;
         const kept : list{{vertexset{{Vertex}}}} = new list{{vertexset{{Vertex}}}}();
         func unvisited(v : Vertex) -> yes : bool
             yes = parent[v] == -1;
         end
         func touch(v : Vertex)
             count[v] += 1;
         end
         func mark(v : Vertex)
             count[v] = 1;
         end
         func visit(src : Vertex, dst : Vertex)
             {function}
         end
         func main()
             var frontier : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             frontier.addVertex(0);
             while frontier.getVertexSetSize() != 0
                 var next : vertexset{{Vertex}} = edges.from(frontier).to(unvisited).applyModified(visit, parent, true);
                 {used}
                 delete frontier;
                 frontier = next;
             end
         end"
    )
}

fn allows_repeats(function: &str, used: &str) -> bool {
    lowered(&search(function, used)).to_string().contains("duplicates")
}

#[test]
fn repeats_that_nothing_shows_stay_allowed() {
    for function in ["parent[dst] = src;", "parent[dst] max= src;", "parent[dst] = src; count[dst] = 3;"] {
        assert!(allows_repeats(function, ""), "{function}");
    }
    for used in ["next.apply(mark);", "if next.getVertexSetSize() == 0 print 1; end", "next.addVertex(0);"] {
        assert!(allows_repeats("parent[dst] = src;", used), "{used}");
    }
}

#[test]
fn repeats_that_something_shows_are_forbidden() {
    let functions = [
        "parent[dst] = src; count[dst] += 1;",
        "parent[dst] = parent[dst] + 1;",
        "if parent[dst] == -1 parent[dst] = src; else count[dst] = 7; end",
        "parent[dst] = src; print 1;",
    ];
    for function in functions {
        assert!(!allows_repeats(function, ""), "{function}");
    }
    let uses = [
        "print next.getVertexSetSize();",
        "next.apply(touch);",
        "kept.append(next);",
        "var more : vertexset{Vertex} = next; print more.getVertexSetSize();",
        "if next.getVertexSetSize() > 1 print 1; end",
    ];
    for used in uses {
        assert!(!allows_repeats("parent[dst] = src;", used), "{used}");
    }
}

#[test]
fn searches_that_come_along_keep_the_permission() {
    let own = ["bfs", "bfs-levels", "bipartite", "bridges", "eccentricity"];
    let own = own.map(|name| format!("../../programs/{name}.gt"));
    let bound = "../../bindings/python/python/graphwright/programs/two-color.gt".to_string();
    for name in own.into_iter().chain([bound]) {
        let text = std::fs::read_to_string(&name).unwrap();
        assert!(lowered(&text).to_string().contains("duplicates"), "{name}");
    }
}

/// A loop whose frontier may hold repeats: the `to` function, what is stored, and what the loop does besides.
fn round(to: &str, stored: &str, besides: &str) -> String {
    format!(
        "element Vertex end
         element Edge end
         const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
         const vertices : vertexset{{Vertex}} = edges.getVertices();
         const mark : vector{{Vertex}}(int) = 0;
         const tag : vector{{Vertex}}(int) = 0;
         func fresh(v : Vertex) -> yes : bool
             yes = mark[v] == 0;
         end
         func put[n : int](src : Vertex, dst : Vertex)
             mark[dst] {stored};
         end
         func main()
             var f : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             f.addVertex(0);
             var n : int = 1;
             while n < 7
                 var next : vertexset{{Vertex}} = edges.from(f){to}.applyModified(put[n], mark, true);
                 delete f;
                 f = next;
                 {besides}
             end
         end"
    )
}

#[test]
fn repeats_do_not_multiply() {
    let allows = |to, stored, besides| lowered(&round(to, stored, besides)).to_string().contains("duplicates");
    // Every edge reports its destination, in each round.
    assert!(!allows("", "= 1", ""));
    assert!(!allows(".to(fresh)", "= tag[src]", ""));
    assert!(!allows(".to(fresh)", "= src", ""), "vertex 0 stores what stands for free");
    assert!(!allows(".to(fresh)", "= 0", ""));
    assert!(!allows(".to(fresh)", "= n", "n = n - 1;"));
    assert!(!allows(".to(fresh)", "= n", "n = 1 - n;"));
    // Changes are reported.
    assert!(allows(".to(fresh)", "= 1", ""));
    assert!(allows(".to(fresh)", "= n", "n = 3 - n;"));
    assert!(allows("", "max= src", ""));
}

#[test]
fn repeats_that_no_edge_operator_starts_from_stay() {
    let text = round("", "= 1", "").replace("f = next;", "").replace("delete f;", "");
    assert!(lowered(&text).to_string().contains("duplicates"));
}
