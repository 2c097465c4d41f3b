//! Statements, expressions, built-ins and start-up, one small program each.

use crate::common;

use common::{HEAD, graph, main_prints, options, printed, run};

#[test]
fn printing_follows_streams() {
    let lines = main_prints(
        "print 25; print 0.5; print 17.0/30.0; print 0.0000001; print 1000000.0; print true; print 1 < 2;
         print \"text\"; print 0.0/0.0 == 0.0; print -7/2; print 7/2.0; println 1;",
    );
    assert_eq!(lines, ["25", "0.5", "0.566667", "1e-07", "1e+06", "1", "1", "text", "0", "-3", "3.5", "1"]);
}

#[test]
fn arithmetic_is_c() {
    let lines = main_prints(
        "var big : int = 2147483647; big = big + 1; print big;
         var u : uint = 0; u = u - 1; print u;
         var w : uint_64 = 0; w = w - 1; print w;
         var f : float = 16777216.0; f = f + 1.0; print f;
         var b : bool = 5; print b;
         print 1 < 2 < 1; print not (1 == 1) or true and false; print true xor true;
         print mod(-7, 3); print max(2.9, 1); print fabs(-1.5); print floor(2.7); print to_double(3) / 2;",
    );
    assert_eq!(
        lines,
        [
            "-2147483648",
            "4294967295",
            "18446744073709551615",
            "1.67772e+07",
            "1",
            "0",
            "0",
            "0",
            "-1",
            "2",
            "1.5",
            "2",
            "1.5"
        ]
    );
}

#[test]
fn short_circuit_spares_the_right_side() {
    let lines = main_prints("var x : vector[2](int) = {4, 5}; var i : int = 9; print i < 2 and x[i] == 4;");
    assert_eq!(lines, ["0"]);
}

#[test]
fn loops_and_breaks() {
    let lines = main_prints(
        "var n : int = 3;
         for i in 0:n  print i; n = 2; end
         while true  n = n + 10; if n > 30 break; elif n > 20 print n; else print -n; end end
         do n = n - 30; end while n > 100
         print n;
         par_for i in 5:7 print i; end
         for i in 0:3 for j in 0:3 if j == 1 break; end print i * 10 + j; end end",
    );
    assert_eq!(lines, ["0", "1", "-12", "22", "2", "5", "6", "0", "10", "20"]);
}

#[test]
fn vectors() {
    let source = format!(
        "{HEAD}const a : vector{{Node}}(int) = 7;
const b : vector{{Node}}(double);
const c : vector[3](float) = {{0.5, 1.5, -2.0}};
const d : vector{{Node}}(vector[2](int)) = 1;
const e : vector{{Node}}(int) = links.getOutDegrees();
const k : int = 5;
const f : vector{{Node}}(int) = k + 1;
func touch(v : Node) d[v][1] += v; b[v] = v; end
func main()
    nodes.apply(touch);
    print a.sum(); print b.sum(); print c.sum(); print c.max(); print c.min(); print e.count(); print f[2];
    print d[2][1] + d[2][0];
    var alias : vector{{Node}}(int) = a;
    alias[0] = 100;
    print a[0];
    var fresh : vector{{Node}}(int) = new vector{{Node}}(int)();
    print fresh.sum();
    var filled : vector{{Node}}(double) = 0.25;
    print filled.sum();
end
"
    );
    let text = printed(&source, graph(3, &[(0, 1), (1, 2)]), &[]);
    assert_eq!(text.lines().collect::<Vec<_>>(), ["21", "3", "0", "1.5", "-2", "2", "6", "4", "100", "0", "0.75"]);
}

#[test]
fn rows_of_fixed_vectors_are_filled() {
    let source = format!(
        "{HEAD}const x : vector[4](vector[3](int)) = 7;
func main()
    print x[0][0] + x[1][2]; print x[3][2];
end
"
    );
    let (module, _) = common::lower(&source);
    let options = options(graph(2, &[(0, 1)]), &[]);
    let passed = gw_ir::run_pipeline(module.clone(), &Default::default(), &Default::default()).unwrap();
    for module in [module, passed] {
        assert_eq!(common::run_on(&gw_exec::ReferenceVm::new(), module, &options).unwrap().printed, "14\n7\n");
    }
}

#[test]
fn sets_and_lists() {
    let lines = main_prints(
        "var s : vertexset{Node} = new vertexset{Node}(0);
         s.addVertex(2); s.addVertex(2);
         print s.getVertexSetSize();
         var t : vertexset{Node} = s; t.addVertex(1); print s.getVertexSetSize();
         var all : vertexset{Node} = new vertexset{Node}(3); print all.getVertexSetSize(); print nodes.size();
         var l : list{vertexset{Node}} = new list{vertexset{Node}}();
         l.append(s); l.insert(s); s.addVertex(0);
         var copy : vertexset{Node} = l.pop(); print copy.getVertexSetSize();
         var same : vertexset{Node} = l.pop(); print same.getVertexSetSize();
         l.append(all); l.retrieve(same); print same.getVertexSetSize(); print 0;
         var n : list{int} = new list{int}(); n.append(4); n.append(5); print n.pop() * 10 + n.pop();
         delete s; s = new vertexset{Node}(0); print s.getVertexSetSize();",
    );
    assert_eq!(lines, ["1", "2", "3", "3", "2", "3", "3", "0", "54", "0"]);
}

#[test]
fn functions_and_functors() {
    let source = format!(
        "{HEAD}const mark : vector{{Node}}(int) = 0;
func twice(x : int) -> y : int  y = 2 * x; end
func unset(x : int) -> y : int  if x > 0 y = 5; end end
func add[k : int, into : vector{{Node}}(int)](v : Node)  into[v] += k + v; end
func scaled[k : double](x : double) -> y : double  y = k * x; end
func fill(n : int) -> v : vector{{Node}}(int)  v = new vector{{Node}}(int)(); v[0] = n; end
func bump(v : vector{{Node}}(int))  v[1] = 9; end
func main()
    print twice(twice(3)); print unset(1); print unset(0);
    nodes.apply(add[10, mark]);
    print mark.sum();
    print scaled[1.5](4.0);
    var w : vector{{Node}}(int) = fill(8);
    bump(w);
    print w.sum();
end
"
    );
    let text = printed(&source, graph(3, &[(0, 1), (1, 2)]), &[]);
    assert_eq!(text.lines().collect::<Vec<_>>(), ["12", "5", "0", "33", "6", "17"]);
}

#[test]
fn graph_methods() {
    let source = format!(
        "{HEAD}func main()
    print links.getVertices(); print links.getOutDegree(1);
    var d : vector{{Node}}(uint) = links.getOutDegreesUint(); print d[0];
    var t : edgeset{{Link}}(Node,Node) = links.transpose(); print t.getOutDegree(3);
    var a : vertexset{{Node}} = links.getNgh(0); print a.getVertexSetSize();
    var b : vertexset{{Node}} = links.getNgh(1);
    print intersection(a, b, 3, 2); print intersection(a, b, 3, 2, 2); print intersectNeighbor(links, 0, 1);
    print getRandomOutNgh(links, 2); print getRandomInNgh(links, 1);
end
"
    );
    let g = graph(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    let text = printed(&source, g, &[]);
    assert_eq!(text.lines().collect::<Vec<_>>(), ["4", "2", "3", "3", "3", "2", "1", "0", "3", "0"]);
}

#[test]
fn random_neighbours_repeat_by_seed() {
    let source = format!("{HEAD}func main()\n    for i in 0:20 print getRandomOutNgh(links, 0); end\nend\n");
    let g = graph(9, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8)]);
    let mut with_seed = options(g, &[]);
    let mut draw = |seed| {
        with_seed.seed = seed;
        run(&source, &with_seed).unwrap().printed
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn arguments_and_timer() {
    let source = format!(
        "{HEAD}const start : int = atoi(argv[2]);
func main()
    startTimer();
    print start + atoi(argv[3]);
    print argv[4];
    print stopTimer() < 100.0;
end
"
    );
    let text = printed(&source, graph(2, &[(0, 1)]), &["4", " -6x", "last"]);
    assert_eq!(text, "-2\nlast\n1\n");
}

#[test]
fn compare_and_swap_and_helpers() {
    let source = format!(
        "{HEAD}const x : vector{{Node}}(int) = 3;
func main()
    print compare_and_swap(x, 0, 3, 8); print compare_and_swap(x, 0, 3, 9); print x[0];
    print writeMin(x, 1, 5); print writeMin(x, 1, -5); print x[1];
    atomicAdd(x, 2, 10); print x[2];
    var m : int = 4; m min= 6; m max= 5; m += 2; print m;
end
"
    );
    let text = printed(&source, graph(3, &[(0, 1)]), &[]);
    assert_eq!(text.lines().collect::<Vec<_>>(), ["1", "0", "8", "0", "1", "-5", "13", "7"]);
}

#[test]
fn start_up_order() {
    // Scalars see loaded graphs, vectors see scalars, later vectors see earlier ones.
    let source = "element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const half : int = nodes.size() / 2;
const a : vector{Node}(int) = half + 1;
const b : vector{Node}(int) = a[0] * 2;
func main() print half; print a[3]; print b[3]; end
";
    let g = graph(4, &[(0, 1)]);
    assert_eq!(printed(source, g, &[]), "2\n3\n6\n");
}

#[test]
fn sizes_without_a_graph() {
    let source = "element Node end
const nodes : vertexset{Node} = new vertexset{Node}(5);
const x : vector{Node}(int) = 2;
func double_it(v : Node) x[v] = 2 * x[v]; end
func main() nodes.apply(double_it); print x.sum(); print nodes.size(); end
";
    assert_eq!(printed(source, graph(1, &[]), &[]), "20\n5\n");
}

/// A path of four vertices and a way around it, with weights.
fn ways() -> std::sync::Arc<gw_graph::Graph> {
    common::weighted(4, &[(0, 1, 20), (1, 2, 5), (1, 3, 30), (2, 3, 11), (0, 3, 1)])
}

#[test]
fn views_have_the_edges_for_which_a_function_is_true() {
    let source = format!(
        "{}const heavy : edgeset{{Link}}(Node,Node,int) = links.where(over[10]);
         const dist : vector{{Node}}(int) = 1000;
         const marked : vector{{Link}}(bool) = false;
         const met : int = 0;
         func over[least : int](src : Node, dst : Node, weight : int) -> yes : bool yes = weight > least; end
         func from_0(src : Node, dst : Node) -> yes : bool yes = src == 0; end
         func is_marked(src : Node, dst : Node, e : Link) -> yes : bool yes = marked[e]; end
         func mark(src : Node, dst : Node, e : Link) marked[e] = dst == 3; end
         func relax(src : Node, dst : Node, weight : int) dist[dst] min= dist[src] + weight; end
         func meet(src : Node, dst : Node) met += 1; end
         func is_even(src : Node, dst : Node) -> yes : bool yes = dst mod 2 == 0; end
         func main()
             var frontier : vertexset{{Node}} = new vertexset{{Node}}(0);
             frontier.addVertex(0);
             dist[0] = 0;
             while frontier.getVertexSetSize() != 0
                 var next : vertexset{{Node}} = heavy.from(frontier).applyModified(relax, dist);
                 delete frontier;
                 frontier = next;
             end
             for v in 0:4 print dist[v]; end
             heavy.apply(meet); print met;
             heavy.where(from_0).apply(meet); print met;
             links.apply(mark);
             links.where(is_marked).apply(meet); print met;
             var even : vertexset{{Node}} = links.where(over[4]).apply(is_even); print even.getVertexSetSize();
             even = heavy.apply(is_even); print even.getVertexSetSize(), heavy.getVertices();
         end",
        common::WEIGHTED
    );
    let lines = printed(&source, ways(), &[]);
    assert_eq!(lines.lines().collect::<Vec<_>>(), ["0", "20", "1000", "50", "3", "4", "7", "1", "0 4"]);
}

#[test]
fn functions_with_loops_do_what_calls_of_them_did() {
    let source = format!(
        "{HEAD}const seen : vector{{Node}}(int) = 0;
         const total : int = 0;
         func fresh(v : Node) -> yes : bool yes = seen[v] == 0; end
         func see[by : int](src : Node, dst : Node) seen[dst] = by; end
         func forget(v : Node) seen[v] = 0; end
         func search(root : int, by : int) -> found : int
             var frontier : vertexset{{Node}} = new vertexset{{Node}}(0);
             frontier.addVertex(root);
             seen[root] = by;
             while frontier.getVertexSetSize() != 0
                 found += frontier.getVertexSetSize();
                 var next : vertexset{{Node}} = links.from(frontier).to(fresh).applyModified(see[by], seen);
                 delete frontier;
                 frontier = next;
             end
             total = total + found;
             root = -1;
         end
         func again(n : int) -> sum : int
             if n > 0
                 nodes.apply(forget);
                 sum = search(n, 1) + again(n - 1);
             end
         end
         func main()
             var root : int = 1;
             print total + search(root, 7), root, total;
             print search(0, 7), seen[0];
             for i in 0:2
                 nodes.apply(forget);
                 var n : int = search(i, i + 1);
                 print n, seen[2];
             end
             print again(2), total;
             if search(2, 1) == 1 and total > 0 print 5; elif search(1, 1) == 2 print 6; else print 7; end
             print total;
         end"
    );
    let lines = printed(&source, graph(3, &[(0, 1), (1, 2)]), &[]);
    let wanted = ["2 1 2", "1 7", "3 1", "2 2", "3 11", "5", "12"];
    assert_eq!(lines.lines().collect::<Vec<_>>(), wanted);
}
