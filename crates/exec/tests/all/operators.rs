//! Operators: filters, modified rules, deduplication, live values.

use crate::common;

use common::{HEAD, WEIGHTED, graph, options, printed, run, weighted};

/// Three sources that each point at the same two targets, and one edge more. The third argument of `applyModified` only
/// allows repeats where they cannot be seen: a size that is printed counts vertices.
#[test]
fn the_third_argument_changes_no_result() {
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 0;
func put(src : Node, dst : Node) x[dst] = src; end
func main()
    var f : vertexset{{Node}} = new vertexset{{Node}}(0);
    f.addVertex(1); f.addVertex(2); f.addVertex(3);
    var a : vertexset{{Node}} = links.from(f).applyModified(put, x);
    var b : vertexset{{Node}} = links.from(f).applyModified(put, x, true);
    var c : vertexset{{Node}} = links.from(f).applyModified(put, x, false);
    print a.getVertexSetSize(); print b.getVertexSetSize(); print c.getVertexSetSize(); print f.getVertexSetSize();
end
"
    );
    let g = graph(7, &[(1, 4), (1, 5), (2, 4), (2, 5), (3, 4), (3, 6), (0, 1)]);
    assert_eq!(printed(&source, g, &[]), "3\n3\n3\n3\n");
}

#[test]
fn what_counts_as_modified() {
    let source = |body: &str| {
        format!(
            "{HEAD}const x : vector{{Node}}(int) = 5;
func f(src : Node, dst : Node) {body} end
func main()
    var m : vertexset{{Node}} = links.applyModified(f, x);
    print m.getVertexSetSize();
end
"
        )
    };
    let size = |body: &str| printed(&source(body), graph(4, &[(0, 1), (0, 2), (3, 2)]), &[]).trim().to_string();
    assert_eq!(size("x[dst] = 5;"), "2", "a plain assignment always");
    assert_eq!(size("x[dst] += 0;"), "2", "a sum always");
    assert_eq!(size("x[dst] min= 5;"), "0", "a minimum only when it lowers");
    assert_eq!(size("x[dst] min= 4;"), "2");
    assert_eq!(size("x[dst] max= 5;"), "0");
    assert_eq!(size("x[dst] max= 6;"), "2");
    assert_eq!(size("compare_and_swap(x, dst, 4, 1);"), "0", "a swap only on success");
    assert_eq!(size("compare_and_swap(x, dst, 5, 1);"), "2");
    assert_eq!(size("x[src] = 1;"), "2", "the vertex used as index, not the destination");
    assert_eq!(size("x[src] = 1; x[dst] = 1;"), "4", "every write");
    assert_eq!(size("if dst == 1 x[x[dst] - 5] min= 0; end"), "1", "indirect indices");
}

#[test]
fn indirect_writes_enqueue_their_index() {
    let source = format!(
        "{HEAD}const lab : vector{{Node}}(int) = 0;
const hit : vector{{Node}}(int) = 0;
func init(v : Node) lab[v] = 3 - v; end
func f(src : Node, dst : Node) lab[lab[dst]] min= 0 - 1; end
func note(v : Node) hit[v] += 1; end
func main()
    nodes.apply(init);
    var m : vertexset{{Node}} = links.applyModified(f, lab);
    m.apply(note);
    for i in 0:4 print hit[i]; end
end
"
    );
    assert_eq!(printed(&source, graph(4, &[(0, 1)]), &[]), "0\n0\n1\n0\n");
}

#[test]
fn captured_and_nested_vectors_are_tracked() {
    let source = format!(
        "{HEAD}const n : vector{{Node}}(vector[2](int)) = 0;
func f[y : vector{{Node}}(int)](src : Node, dst : Node) y[dst] += 1; end
func g(src : Node, dst : Node) n[dst][1] += 1; end
func main()
    var y : vector{{Node}}(int) = 0;
    var a : vertexset{{Node}} = links.applyModified(f[y], y);
    var b : vertexset{{Node}} = links.applyModified(g, n);
    print a.getVertexSetSize(); print b.getVertexSetSize(); print y.sum();
end
"
    );
    assert_eq!(printed(&source, graph(4, &[(0, 1), (2, 1), (0, 3)]), &[]), "2\n2\n3\n");
}

#[test]
fn filters_of_both_kinds_on_both_sides() {
    let source = format!(
        "{HEAD}const hits : vector{{Node}}(int) = 0;
func odd(v : Node) -> b : bool  b = mod(v, 2) == 1; end
func below[k : int](v : Node) -> b : bool  b = v < k; end
func hit(src : Node, dst : Node) hits[dst] += 1; end
func main()
    var s : vertexset{{Node}} = new vertexset{{Node}}(0);
    s.addVertex(0); s.addVertex(1);
    links.from(s).apply(hit); print hits.sum();
    links.to(s).apply(hit); print hits.sum();
    links.from(odd).apply(hit); print hits.sum();
    links.from(s).to(odd).apply(hit); print hits.sum();
    links.srcFilter(odd).dstFilter(below[3]).apply(hit); print hits.sum();
    links.from(nodes).apply(hit); print hits.sum();
    links.to(nodes).from(below[0]).apply(hit); print hits.sum();
end
"
    );
    // Complete directed graph on 4 vertices.
    let edges: Vec<(u32, u32)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
    let text = printed(&source, graph(4, &edges), &[]);
    // from {0,1}: 6; to {0,1}: 6; odd sources: 6; {0,1} to odd: 0->1, 0->3, 1->3; 1->0 1->2 3->0 3->1 3->2; all: 12.
    assert_eq!(text.lines().collect::<Vec<_>>(), ["6", "12", "18", "21", "26", "38", "38"]);
}

#[test]
fn filters_and_reads_are_live() {
    // In ascending order the value travels the whole path in one call; a snapshot would move it one step.
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 0;
func reached(v : Node) -> b : bool  b = x[v] > 0; end
func unreached(v : Node) -> b : bool  b = x[v] == 0; end
func step(src : Node, dst : Node) x[dst] = x[src] + 1; end
func main()
    x[0] = 1;
    var m : vertexset{{Node}} = links.from(reached).to(unreached).applyModified(step, x);
    print m.getVertexSetSize(); print x[3];
end
"
    );
    assert_eq!(printed(&source, graph(4, &[(0, 1), (1, 2), (2, 3), (0, 2)]), &[]), "3\n3\n");
}

#[test]
fn bool_functions_of_apply_give_a_set() {
    let source = format!(
        "{HEAD}func even(src : Node, dst : Node) -> b : bool  b = mod(src + dst, 2) == 0; end
func main()
    var s : vertexset{{Node}} = links.apply(even);
    print s.getVertexSetSize();
end
"
    );
    assert_eq!(printed(&source, graph(5, &[(0, 2), (2, 4), (0, 4), (0, 1)]), &[]), "2\n");
}

#[test]
fn vertex_operators() {
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 0;
func count(v : Node) x[v] += 1; end
func odd(v : Node) -> b : bool  x[v] += 10; b = mod(v, 2) == 1; end
func show(v : Node) print v; end
func main()
    var s : vertexset{{Node}} = new vertexset{{Node}}(0);
    s.addVertex(3); s.addVertex(1); s.addVertex(2);
    s.apply(count);
    var o : vertexset{{Node}} = s.filter(odd);
    o.apply(show);
    var all : vertexset{{Node}} = nodes.where(odd);
    print all.getVertexSetSize();
    print x.sum();
end
"
    );
    assert_eq!(printed(&source, graph(5, &[(0, 1)]), &[]), "3\n1\n2\n83\n");
}

#[test]
fn weights_reach_the_function() {
    let source = format!(
        "{WEIGHTED}const x : vector{{Node}}(int) = 0;
func f(src : Node, dst : Node, w : int) x[dst] += w; end
func main() links.apply(f); print x[2]; end
"
    );
    assert_eq!(printed(&source, weighted(3, &[(0, 2, 5), (1, 2, -8)]), &[]), "-3\n");
    let real = source.replace("(Node,Node,int)", "(Node,Node,double)").replace("w : int", "w : double");
    let real = real.replace("vector{Node}(int) = 0", "vector{Node}(double) = 0.0");
    assert_eq!(printed(&real, weighted(3, &[(0, 2, 5), (1, 2, -8)]), &[]), "-3\n", "converted at use");
}

#[test]
fn unweighted_programs_ignore_weights_and_weighted_ones_need_them() {
    let source = format!("{HEAD}func main() print links.getOutDegree(0); end\n");
    assert_eq!(printed(&source, weighted(3, &[(0, 2, 5)]), &[]), "1\n");
    let source = format!("{WEIGHTED}func main() print 1; end\n");
    let error = run(&source, &options(graph(3, &[(0, 2)]), &[])).unwrap_err();
    assert!(error.to_string().contains("`graph:weights=1..1000`"), "{error}");
    assert_eq!(error.span().line, 3);
}

#[test]
fn helpers_may_run_operators() {
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 0;
func inc(v : Node) x[v] += 1; end
func round(n : int) for i in 0:n nodes.apply(inc); end end
func main()
    round(3);
    par_for i in 0:2
        var s : vertexset{{Node}} = new vertexset{{Node}}(0);
        s.addVertex(i);
        s.apply(inc);
        delete s;
    end
    print x.sum();
end
"
    );
    assert_eq!(printed(&source, graph(3, &[(0, 1)]), &[]), "11\n");
}
