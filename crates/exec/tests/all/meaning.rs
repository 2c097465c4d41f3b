//! What programs mean where machines could disagree: sets, sums, NaN, filters, random draws, priorities that overflow.

use crate::common::*;
use gw_exec::{ErrorKind, ReferenceVm};

fn lines(source: &str, graph: std::sync::Arc<gw_graph::Graph>) -> Vec<String> {
    let result = run(source, &options(graph, &[])).unwrap_or_else(|e| panic!("{e}\n{source}"));
    result.printed.lines().map(str::to_string).collect()
}

fn failure(source: &str, graph: std::sync::Arc<gw_graph::Graph>) -> String {
    match run(source, &options(graph, &[])) {
        Ok(result) => panic!("it printed {:?}\n{source}", result.printed),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_vertex_is_in_a_set_once() {
    let source = format!(
        "{HEAD}const hits : vector{{Node}}(int) = 0;
func hit(src : Node, dst : Node)  hits[dst] += 1;  end
func here(v : Node)  hits[v] += 10;  end
func main()
    var s : vertexset{{Node}} = new vertexset{{Node}}(0);
    s.addVertex(0); s.addVertex(0); s.addVertex(2); s.addVertex(0);
    print s.getVertexSetSize();
    links.from(s).apply(hit);
    s.apply(here);
    var all : vertexset{{Node}} = new vertexset{{Node}}(nodes.size());
    all.addVertex(1);
    print all.getVertexSetSize();
    var out : vertexset{{Node}} = links.applyModified(hit, hits, true);
    print out.getVertexSetSize();
    print hits[0]; print hits[1];
end"
    );
    // Vertex 1 is met from 0 and from 2, in each of two traversals.
    assert_eq!(lines(&source, graph(3, &[(0, 1), (2, 1)])), ["2", "3", "1", "10", "4"]);
}

#[test]
fn sums_do_not_wrap_in_silence() {
    let source = |wanted: &str| {
        format!(
            "{HEAD}const x : vector{{Node}}(int) = 2000000000;
const tenth : vector{{Node}}(float) = 0.1;
func main()
    var total : {wanted} = x.sum();
    print total;
end"
        )
    };
    let three = || graph(3, &[(0, 1)]);
    assert_eq!(lines(&source("uint_64"), three()), ["6000000000"]);
    assert_eq!(lines(&source("double"), three()), ["6e+09"]);
    let message = failure(&source("int"), three());
    assert!(message.contains("6000000000") && message.contains("uint_64"), "{message}");
}

#[test]
fn bools_are_ordered_as_0_and_1() {
    let source = format!(
        "{HEAD}const no : vector{{Node}}(bool) = false;
const yes : vector{{Node}}(bool) = true;
func main()
    print no[0] < yes[0]; print yes[0] < no[0]; print no[0] <= no[0]; print 0 < yes[0] < 1;
end"
    );
    assert_eq!(lines(&source, graph(2, &[(0, 1)])), ["1", "0", "1", "0"]);
}

#[test]
fn large_numbers_do_not_become_small_indices() {
    let uses = [
        "x[big] = 7;",
        "x[big + 1] += 7;",
        "print links.getOutDegree(big);",
        "var s : vertexset{Node} = new vertexset{Node}(0); s.addVertex(big);",
        "var v : Node = big; x[v] = 1;",
        "if compare_and_swap(x, big, 0, 1)  print 1;  end",
    ];
    for statement in uses {
        let source = format!(
            "{HEAD}const x : vector{{Node}}(int) = 0;
func main()
    var big : uint_64 = 4294967296;
    {statement}
end"
        );
        let message = failure(&source, graph(3, &[(0, 1)]));
        assert!(message.contains("2147483647 is out of range"), "{statement}: {message}");
    }
}

#[test]
fn negative_literals_become_large_unsigned_numbers() {
    let source = format!(
        "{HEAD}func main()
    var a : uint_64 = -1;
    var b : uint_64 = 5;
    print a; print b + -3; print -3 < b;
end"
    );
    assert_eq!(lines(&source, graph(2, &[(0, 1)])), ["18446744073709551615", "2", "0"]);
}

#[test]
fn nan_counts_only_as_the_first_operand() {
    let source = format!(
        "{HEAD}const z : vector{{Node}}(double) = 0.0;
const e : vector{{Node}}(double) = 5.0;
func main()
    var n : double = z[0] / z[0];
    print min(1.0, n); print max(1.0, n);
    if min(n, 1.0) == 1.0  print 1;  else  print 0;  end
    e[0] min= n; e[0] max= n;
    print e[0];
    e[0] = n;
    print e.min(); print e.max();
end"
    );
    assert_eq!(lines(&source, graph(2, &[(0, 1)])), ["1", "1", "0", "5", "5", "5"]);
}

#[test]
fn filters_are_asked_about_ends_of_edges_only() {
    let source = |clause: &str| {
        format!(
            "{HEAD}const zero : vector{{Node}}(int) = 0;
const hits : vector{{Node}}(int) = 0;
func faulty(v : Node) -> yes : bool  yes = 1 / zero[v] > 0;  end
func hit(src : Node, dst : Node)  hits[dst] += 1;  end
func main()
    var none : vertexset{{Node}} = new vertexset{{Node}}(0);
    links.{clause}.apply(hit);
    print hits.sum();
end"
        )
    };
    for clause in ["from(faulty)", "to(faulty)"] {
        assert_eq!(lines(&source(clause), graph(3, &[])), ["0"], "{clause}");
        assert!(failure(&source(clause), graph(3, &[(0, 1)])).contains("division by zero"), "{clause}");
    }
    for clause in ["from(faulty).to(none)", "from(none).to(faulty)"] {
        assert_eq!(lines(&source(clause), graph(3, &[(0, 1)])), ["0"], "{clause}");
    }
}

#[test]
fn random_draws_do_not_depend_on_the_order() {
    let source = format!(
        "{HEAD}const met : vector{{Node}}(int) = 0;
const far : vector{{Node}}(int) = 0;
func lucky(v : Node) -> yes : bool  yes = mod(getRandomOutNgh(links, v), 2) == 0;  end
func wander(v : Node)
    var at : int = getRandomOutNgh(links, v);
    at = getRandomOutNgh(links, at);
    far[v] = at;
    met[at] += 1;
end
func meet(src : Node, dst : Node)  met[getRandomOutNgh(links, dst)] += 1;  end
func main()
    for i in 0:3
        nodes.apply(wander);
        links.from(lucky).to(lucky).apply(meet);
    end
    print getRandomOutNgh(links, 0); print getRandomOutNgh(links, 0); print getRandomOutNgh(links, 0);
end"
    );
    let cycle: Vec<(u32, u32)> = (0..40).flat_map(|v| (1..7).map(move |k| (v, (v * k + k) % 40))).collect();
    let of = |vm: ReferenceVm, seed: u64| {
        let mut options = options(graph(40, &cycle), &[]);
        options.seed = seed;
        let result = run_on(&vm, lower(&source).0, &options).unwrap_or_else(|e| panic!("{e}"));
        let vector = |name: &str| result.globals.vector(name).and_then(|v| v.to_vec::<i32>());
        (result.printed.clone(), vector("met"), vector("far"))
    };
    let first = of(ReferenceVm::new(), 1);
    for order in 0..5 {
        assert_eq!(of(ReferenceVm::shuffled(order), 1), first);
    }
    assert_ne!(of(ReferenceVm::new(), 2), first);
}

#[test]
fn a_first_priority_that_overflows_is_an_error() {
    let source = format!(
        "{WEIGHTED}const dist : vector{{Node}}(int) = 2147483647;
const queue : priority_queue{{Node}}(int);
func relax(src : Node, dst : Node, weight : int)
    queue.updatePriorityMin(dst, dist[dst], dist[src] + weight);
end
func main()
    dist[0] = 2147483640;
    queue = new priority_queue{{Node}}(int)(false, false, dist, 1, 0, false, 0);
    while queue.finished() == false
        var near : vertexset{{Node}} = queue.dequeue_ready_set();
        links.from(near).applyUpdatePriority(relax);
        delete near;
    end
    print dist[1];
end"
    );
    let with_weight = |weight| run(&source, &options(weighted(2, &[(0, 1, weight)]), &[]));
    assert_eq!(with_weight(3).map(|r| r.printed).unwrap_or_else(|e| panic!("{e}")), "2147483643\n");
    assert!(matches!(with_weight(9), Err(e) if matches!(e.kind(), ErrorKind::PriorityOverflow)));
}
