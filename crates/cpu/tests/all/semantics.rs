//! What the language says about filters that can fault, NaN, deep calls, random neighbours and stopping holds on this
//! machine under every schedule and with any number of threads, as on the reference machine.

use crate::run::agree;

const SCHEDULES: &[&str] = &[
    "push",
    "push,par=dynamic",
    "push,par=edge-parallel",
    "pull",
    "pull,par=dynamic,frontier=bitmap",
    "pull,par=dynamic,frontier=boolmap",
    "pull,par=dynamic,segments=3",
    "dense-push,par=dynamic",
];

fn program(rest: &str) -> String {
    format!(
        "element V end\nelement E end\nconst g : edgeset{{E}}(V,V) = load(argv[1]);\n\
         const vertices : vertexset{{V}} = g.getVertices();\nconst x : vector{{V}}(int) = 0;\n{rest}"
    )
}

#[test]
fn a_filter_that_can_fault_is_asked_only_where_an_edge_needs_it() {
    let filtered = |operator: &str| {
        program(&format!(
            "func ok(v : V) -> yes : bool\n yes = 1 / x[v] > 0;\nend\nfunc low(v : V) -> yes : bool\n yes = v < 2;\nend\n\
             func f(src : V, dst : V)\n x[dst] += 1;\nend\nfunc main()\n var none : vertexset{{V}} = new vertexset{{V}}(0);\n\
             var two : vertexset{{V}} = vertices.filter(low);\n x[0] = 1;\n x[1] = 1;\n {operator};\n print x.sum();\nend\n"
        ))
    };
    for operator in ["g.to(ok).apply(f)", "g.from(ok).apply(f)"] {
        // The one vertex has no edge, and x[0] of the other program is not 0.
        let text = filtered(operator).replace("x[0] = 1;", "").replace("x[1] = 1;", "");
        assert_eq!(agree(&text, &["path:1"], SCHEDULES).unwrap(), "0\n", "{operator}");
        let error = agree(&text, &["path:3"], SCHEDULES).unwrap_err();
        assert!(error.contains("integer division by zero"), "{error}");
    }
    // No edge is selected, so nobody is asked.
    for operator in ["g.from(none).to(ok).apply(f)", "g.to(none).from(ok).apply(f)"] {
        assert_eq!(agree(&filtered(operator), &["path:9"], SCHEDULES).unwrap(), "2\n", "{operator}");
    }
    // Only vertices 0 to 2 are met along the edges from 0 and 1; asking 2 is a fault.
    let error = agree(&filtered("g.from(two).to(ok).apply(f)"), &["path:9"], SCHEDULES).unwrap_err();
    assert!(error.contains("integer division by zero"), "{error}");
    // Of two filters, `from` is asked first, and `to` only for the edges that are left.
    let text = filtered("g.from(low).to(ok).apply(f)");
    assert_eq!(agree(&text, &["path:2"], SCHEDULES).unwrap(), "4\n");
}

#[test]
fn functions_that_call_each_other_twice_at_every_level_are_not_inlined_without_end() {
    let mut functions = "func f0(v : int) -> r : int\n r = v + 1;\nend\n".to_string();
    for i in 1..=20 {
        functions += &format!("func f{i}(v : int) -> r : int\n r = f{0}(v) + f{0}(v + 1);\nend\n", i - 1);
    }
    let text = program(&format!(
        "{functions}func go(v : V)\n x[v] = f20(v);\nend\nfunc main()\n vertices.apply(go);\n print x.max();\nend\n"
    ));
    let start = std::time::Instant::now();
    agree(&text, &["path:1"], &["par=dynamic"]).unwrap();
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn nan_is_never_better() {
    let text = program(
        "const z : vector{V}(double) = 0.0;\nconst a : vector{V}(double) = 0.0;\nconst b : vector{V}(double) = 0.0;\n\
         const e : vector{V}(double) = 5.0;\nconst f : vector{V}(double) = 5.0;\n\
         func go(v : V)\n var n : double = z[v] / z[v];\n a[v] = min(n, 1.0) + max(n, 1.0);\n b[v] = min(1.0, n) + max(1.0, n);\n\
          e[v] min= n;\n f[v] max= n;\nend\nfunc edge(src : V, dst : V)\n var n : double = z[src] / z[src];\n\
          e[dst] min= n;\n f[dst] max= n;\nend\n\
         func main()\n vertices.apply(go);\n g.apply(edge);\n print a[0];\n print b[0];\n print e[0];\n print f[0];\n\
          a[0] = 3.0;\n print a.min();\n print a.max();\nend\n",
    );
    let printed = agree(&text, &["path:9"], SCHEDULES).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "NaN", "{printed}");
    assert_eq!(lines[1..].iter().map(|l| l.parse::<f64>().unwrap()).collect::<Vec<_>>(), [2.0, 5.0, 5.0, 3.0, 3.0]);
}

#[test]
fn sums_are_made_in_64_bits_and_in_double_precision() {
    let text = program(
        "const big : vector{V}(int) = 2147483647;\nconst y : vector{V}(float) = 0.1;\nfunc main()\n\
          print y.sum();\n var s : uint_64 = big.sum();\n print s;\nend\n",
    );
    let printed = agree(&text, &["path:100000"], &["default"]).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert!((lines[0].parse::<f64>().unwrap() - 10_000.0).abs() < 0.01, "{printed}");
    assert_eq!(lines[1], "214748364700000");
}

#[test]
fn random_neighbours_depend_on_nothing_but_the_seed_and_the_element() {
    let text = program(
        "func wander(v : V)\n var at : int = v;\n for i in 0:10\n if g.getOutDegree(at) > 0\n at = getRandomOutNgh(g, at);\n\
          x[at] += 1;\n end\n end\nend\nfunc edge(src : V, dst : V)\n x[getRandomOutNgh(g, dst)] += 1;\nend\n\
         func lucky(v : V) -> yes : bool\n yes = getRandomOutNgh(g, v) > v;\nend\n\
         func main()\n vertices.apply(wander);\n vertices.apply(wander);\n g.apply(edge);\n g.from(lucky).apply(edge);\n\
          g.to(lucky).apply(edge);\n par_for i in 0:64\n if g.getOutDegree(i) > 0\n x[getRandomOutNgh(g, i)] += 1;\n end\n end\n\
          for v in 0:64\n print x[v];\n end\nend\n",
    );
    agree(&text, &["kron:6"], SCHEDULES).unwrap();
}

#[test]
fn endless_functions_stop_when_time_is_over() {
    use std::time::{Duration, Instant};
    let bodies = [
        ("func f(v : V)\n while true\n x[v] = x[v] + 1;\n end\nend\n", "vertices.apply(f)", "par=dynamic"),
        ("func f(src : V, dst : V)\n while true\n x[dst] += 1;\n end\nend\n", "g.apply(f)", "push,par=dynamic"),
        ("func f(src : V, dst : V)\n while true\n x[dst] += 1;\n end\nend\n", "g.apply(f)", "pull,par=dynamic"),
        ("", "par_for i in 0:9\n while true\n x[i] += 1;\n end\n end", "default"),
    ];
    for (functions, main, schedule) in bodies {
        let text = program(&format!("{functions}func main()\n {main};\nend\n").replace("end;", "end"));
        for vm in [gw_cpu::CpuVm::new(1), gw_cpu::CpuVm::with_tiny_chunks(3)] {
            let mut program = crate::run::prepare(&vm, &text, schedule);
            let timeout = Some(Duration::from_millis(200));
            let options = gw_exec::RunOptions { timeout, ..gw_exec::RunOptions::with_args(["path:100"]) };
            let start = Instant::now();
            let error = program.run(&options).expect_err("the run has no end").to_string();
            assert!(error.contains("time limit"), "{error}");
            // Far above the limit, far below no end: the machine may be busy.
            assert!(start.elapsed() < Duration::from_secs(10), "{main}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn the_entry_exam_of_machines_is_passed() {
    for threads in [1, 3] {
        gw_exec::conformance::host_and_machine(&gw_cpu::CpuVm::with_tiny_chunks(threads)).unwrap();
    }
}

/// Also a loop that leaves a list early, begins later, or uses its variable for something else.
#[test]
fn loops_over_lists_visit_their_entries_once() {
    let text = program(
        "const rank : vector{V}(double) = 1.0;\nconst all : vector{V}(int_64) = 0;\n\
         const later : vector{V}(int_64) = 0;\nconst early : vector{V}(int_64) = 0;\n\
         const counted : vector{V}(int_64) = 0;\n\
         func look(v : V)\n var arrived : double = 0.0;\n\
          for k in 0:g.getOutDegree(v)\n arrived += rank[getOutNgh(g, v, k)];\n\
           all[v] += 1 + getOutNgh(g, v, k);\n end\n\
          for k in 2:g.getOutDegree(v)\n later[v] += 1 + getOutNgh(g, v, k);\n end\n\
          for k in 0:g.getOutDegree(v)\n if getOutNgh(g, v, k) > v\n break;\n end\n early[v] += 1;\n end\n\
          for k in 0:g.getOutDegree(v)\n counted[v] += k * getOutNgh(g, v, k);\n end\n\
          rank[v] = 1.0 + 0.0 * arrived;\nend\n\
         func main()\n for i in 0:3\n vertices.apply(look);\n end\n print all.sum();\n print later.sum();\n\
          print early.sum();\n print counted.sum();\n print rank.max();\nend\n",
    );
    for spec in ["path:1", "path:2", "path:3", "road:40x50", "kron:9", "star:300"] {
        agree(&text, &[spec], &["default", "par=dynamic", "par=dynamic,grain=3"]).unwrap();
    }
}

/// A claim by a plain store may be made twice: the repeats must not show, nor may a destination go without a claim.
#[test]
fn claims_that_bear_repeats_reach_every_vertex() {
    let text = program(
        "const parent : vector{V}(int) = -1;\nfunc free(v : V) -> yes : bool\n yes = parent[v] == -1;\nend\n\
         func claim(src : V, dst : V)\n parent[dst] = src;\nend\n\
         func reached(v : V) -> yes : bool\n yes = parent[v] != -1;\nend\n\
         func main()\n var here : vertexset{V} = new vertexset{V}(0);\n here.addVertex(0);\n parent[0] = 0;\n\
          var steps : int = 0;\n\
          while here.getVertexSetSize() != 0\n\
           #s1# var next : vertexset{V} = g.from(here).to(free).applyModified(claim, parent, true);\n\
           delete here;\n here = next;\n steps += 1;\n end\n\
          var all : vertexset{V} = vertices.filter(reached);\n print steps;\n print all.getVertexSetSize();\nend\n",
    );
    for spec in ["road:40x50", "kron:10", "star:3000", "complete:60"] {
        agree(&text, &[spec], &["s1@push", "s1@push,par=dynamic", "s1@push,par=edge-parallel"]).unwrap();
    }
}
