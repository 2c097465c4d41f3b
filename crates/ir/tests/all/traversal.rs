//! What the analysis of searches finds: frontiers whose leaves nobody misses, and destinations claimed for good.
use crate::common::*;
use gw_ir::program_points;
use gw_schedule::ProgramPoint;

/// A search with more declarations, statements in and behind its loop, and another condition.
fn search(condition: &str, inside: &str, behind: &str) -> ProgramPoint {
    // A function that writes `parent` counts, called or not.
    let free = if inside.contains("free") { "func free(v : Vertex) parent[v] = -1; end" } else { "" };
    let text = format!(
        "element Vertex end
         element Edge end
         const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
         const vertices : vertexset{{Vertex}} = edges.getVertices();
         const parent : vector{{Vertex}}(int) = -1;
         const found : int = 0;
         func unvisited(v : Vertex) -> yes : bool
             yes = parent[v] == -1;
         end
         func visit(src : Vertex, dst : Vertex)
             parent[dst] = src;
         end
         func look(v : Vertex)
             found += 1;
         end
         {free}
         func main()
             var frontier : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             frontier.addVertex(0);
             parent[0] = 0;
             var rounds : int = 0;
             while {condition}
                 var next : vertexset{{Vertex}} = edges.from(frontier).to(unvisited).applyModified(visit, parent, true);
                 {inside}
                 delete frontier;
                 frontier = next;
             end
             {behind}
             delete frontier;
             found = rounds;
         end"
    );
    let points = program_points(&lowered(&text));
    points.into_iter().map(|p| p.point).find(|p| p.requires_output).unwrap_or_else(|| panic!("no search in {text}"))
}

const GOES_ON: &str = "frontier.getVertexSetSize() != 0";

#[test]
fn leaves_are_missed_by_nobody_who_only_asks_whether_there_are_any() {
    for (condition, inside, behind) in [
        (GOES_ON, "", ""),
        ("frontier.getVertexSetSize() > 0", "", ""),
        (GOES_ON, "rounds = rounds + 1;", ""),
        (GOES_ON, "vertices.apply(look);", ""),
        ("frontier.getVertexSetSize() != 0 and rounds < 9", "", ""),
        (GOES_ON, "", "if frontier.getVertexSetSize() == 0 found = 1; end"),
    ] {
        assert!(search(condition, inside, behind).bears_missing_leaves, "{condition} | {inside} | {behind}");
    }
}

#[test]
fn leaves_are_missed_by_all_else() {
    for (condition, inside, behind) in [
        (GOES_ON, "next.apply(look);", ""),
        (GOES_ON, "found = next.getVertexSetSize();", ""),
        (GOES_ON, "", "found = frontier.getVertexSetSize();"),
        (GOES_ON, "", "if frontier.getVertexSetSize() == 1 found = 1; end"),
        ("frontier.getVertexSetSize() > 1", "", ""),
    ] {
        let point = search(condition, inside, behind);
        assert!(!point.bears_missing_leaves, "{condition} | {inside} | {behind}");
    }
}

#[test]
fn destinations_stay_claimed_unless_something_frees_them() {
    let plain = search(GOES_ON, "", "");
    assert!(plain.claims_destinations && plain.claims_for_good);
    assert!(search(GOES_ON, "vertices.apply(look);", "").claims_for_good);
    for inside in ["vertices.apply(free);", "parent[3] = -1;"] {
        let point = search(GOES_ON, inside, "");
        assert!(point.claims_destinations && !point.claims_for_good, "{inside}");
    }
}

/// Whether leaves may be missing in what each operator of a program makes, in order.
fn missing(text: &str) -> Vec<bool> {
    let points = program_points(&lowered(text)).into_iter().map(|p| p.point);
    points.filter(|p| p.requires_output).map(|p| p.bears_missing_leaves).collect()
}

/// A search with declarations of its own.
fn program(declared: &str, main: &str) -> String {
    format!(
        "element Vertex end
         element Edge end
         const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);
         const back : edgeset{{Edge}}(Vertex,Vertex) = load(argv[2]);
         const vertices : vertexset{{Vertex}} = edges.getVertices();
         const parent : vector{{Vertex}}(int) = -1;
         const color : vector{{Vertex}}(int) = 0;
         {declared}
         func unvisited(v : Vertex) -> yes : bool
             yes = parent[v] == -1;
         end
         func visit(src : Vertex, dst : Vertex)
             parent[dst] = color[src];
         end
         func touch(src : Vertex, dst : Vertex)
             color[src] = 1;
         end
         func count(v : Vertex)
             color[v] = 1;
         end
         func main()
             var frontier : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             var old : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             frontier.addVertex(0);
             {main}
         end"
    )
}

#[test]
fn leaves_of_a_set_that_a_later_round_walks_are_not_missed() {
    let round = |body: &str| program("", &format!("while frontier.getVertexSetSize() != 0 {body} end"));
    let search = "frontier = edges.from(old).to(unvisited).applyModified(visit, parent, true);";
    assert_eq!(missing(&round(&format!("edges.from(old).apply(touch); old = frontier; {search}"))), [true]);
    assert_eq!(missing(&round(&format!("old = frontier; {search}"))), [true]);
    assert_eq!(missing(&round(&format!("old = frontier; {search} old.apply(count);"))), [false]);
    let search = "frontier = edges.from(frontier).to(unvisited).applyModified(visit, parent, true);";
    assert_eq!(missing(&round(&format!("edges.from(frontier).apply(touch); {search}"))), [true]);
    assert_eq!(missing(&round(search)), [true]);
}

#[test]
fn what_is_a_leaf_of_another_graph_is_not_left_out() {
    let main = "var next : vertexset{Vertex} = back.from(frontier).to(unvisited).applyModified(visit, parent, true);
        while next.getVertexSetSize() != 0
            next = edges.from(next).to(unvisited).applyModified(visit, parent, true);
        end";
    assert_eq!(missing(&program("", main)), [false, true]);
}

#[test]
fn a_claiming_function_in_other_hands_may_free_destinations() {
    let claims = |declared: &str, before: &str, inside: &str| -> Vec<bool> {
        let search = "edges.from(frontier).to(unvisited).apply(visit);";
        let text =
            program(declared, &format!("{before} var n : int = 0; while n < 2 {inside} {search} n = n + 1; end"));
        let points = program_points(&lowered(&text)).into_iter().map(|p| p.point);
        points.filter(|p| p.claims_destinations).map(|p| p.claims_for_good).collect()
    };
    assert_eq!(claims("", "", ""), [true]);
    assert_eq!(claims("", "", "edges.from(old).apply(visit);"), [false], "without the test");
    let clear = "func clear(v : Vertex) visit(v, v); end";
    assert_eq!(claims(clear, "", "old.apply(clear);"), [false], "by a call");
    let other = "const other : vector{Vertex}(int) = 0; func clear(v : Vertex) other[v] = -1; end";
    assert_eq!(claims(other, "other = parent;", "vertices.apply(clear);"), [false], "by another name");
    assert_eq!(claims(other, "parent = other;", "vertices.apply(clear);"), [false], "by another vector");
    assert_eq!(claims(other, "", "vertices.apply(clear);"), [true]);
}

/// A loop around this statement, and the edge function that it may use.
fn relaxing(body: &str, declared: &str, main: &str) -> String {
    format!(
        "element Vertex end
         element Edge end
         const edges : edgeset{{Edge}}(Vertex,Vertex,int) = load(argv[1]);
         const dist : vector{{Vertex}}(int) = 9;
         const other : vector{{Vertex}}(int) = 9;
         {declared}
         func relax(src : Vertex, dst : Vertex, weight : int)
             {body}
         end
         func main()
             var frontier : vertexset{{Vertex}} = new vertexset{{Vertex}}(0);
             frontier.addVertex(0);
             while frontier.getVertexSetSize() != 0
                 {main}
             end
         end"
    )
}

/// Whether classes of edges make a difference to the operators with an output.
fn classed(body: &str, declared: &str, main: &str) -> bool {
    let points = program_points(&lowered(&relaxing(body, declared, main))).into_iter().map(|p| p.point);
    points.filter(|p| p.requires_output).all(|p| p.has_edge_classes)
}

const STEP: &str = "frontier = edges.from(frontier).applyModified(relax, dist);";

#[test]
fn an_edge_that_is_alone_owns_its_destination() {
    for body in [
        "dist[dst] min= dist[src] + weight;",
        "var d : int = dist[src] + weight; if d > 0 dist[dst] min= d; end",
        "dist[dst] max= weight; other[src] = 1;",
        "dist[dst] += 1;",
    ] {
        assert!(classed(body, "", STEP), "{body}");
    }
    for body in [
        "dist[dst] = dist[src] + weight;",
        "dist[dst] min= weight; dist[src] min= weight;",
        "dist[dst] min= weight; dist[0] = 1;",
        "dist[dst] min= weight; lower(dst);",
    ] {
        assert!(!classed(body, "func lower(v : Vertex) dist[v] min= 3; end", STEP), "{body}");
    }
    let body = "dist[dst] min= dist[src] + weight;";
    assert!(!classed(body, "", "other = dist; frontier = edges.from(frontier).applyModified(relax, dist);"));
    // With repeats in the input, an edge may be visited twice at the same time.
    let repeats = "frontier = edges.from(frontier).applyModified(relax, dist, true);";
    assert!(!classed("dist[dst] min= weight;", "", repeats));
    // Here the program could tell, so that there are none.
    assert!(classed(body, "", repeats));
}

#[test]
fn a_number_and_its_round_fit_one_word() {
    let fits = |body: &str| -> bool {
        let points = program_points(&lowered(&relaxing(body, "", STEP))).into_iter().map(|p| p.point);
        points.filter(|p| p.requires_output).all(|p| p.tracks_extreme)
    };
    assert!(fits("dist[dst] min= dist[src] + weight;"));
    assert!(fits("if weight > 0 dist[dst] max= weight; end"));
    for body in [
        "dist[dst] += weight;",
        "dist[dst] = weight;",
        "dist[dst] min= weight; dist[dst] max= 3;",
        "dist[src] min= weight;",
    ] {
        assert!(!fits(body), "{body}");
    }
}

#[test]
fn self_loops_that_change_nothing_are_told() {
    // The vector has another name, so that nothing is said of edges that are alone.
    let step = "other = dist; frontier = edges.from(frontier).applyModified(relax, dist);";
    for body in ["dist[dst] min= dist[src];", "dist[dst] max= min(dist[src], weight);"] {
        assert!(classed(body, "", step), "{body}");
    }
    for body in [
        "dist[dst] min= dist[src] + weight;",
        "dist[dst] max= max(dist[src], weight);",
        "dist[dst] min= other[src];",
        "dist[dst] min= dist[src]; other[dst] += 1;",
    ] {
        assert!(!classed(body, "", step), "{body}");
    }
}
