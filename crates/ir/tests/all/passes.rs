//! Golden tests of the single passes: the functions concerned, before and after.
use crate::common::*;
use gw_ir::{Module, Options, pass_names, run_pipeline};

/// The text of some functions (`startup` and `globals` are possible too).
fn show(module: &Module, names: &[&str]) -> String {
    let text = module.to_string();
    let mut out = String::new();
    for part in text.split("\n\n") {
        let head = part.lines().next().unwrap_or("");
        let wanted = |n: &&str| match *n {
            "globals" => head.starts_with("element") || head.starts_with("global"),
            "startup" => head == "startup {",
            name => {
                head.contains(&format!("func {name}("))
                    || head.contains(&format!("func {name}<"))
                    || head.contains(&format!("func {name}["))
            }
        };
        if names.iter().any(wanted) {
            out.push_str(part.trim_end());
            out.push_str("\n\n");
        }
    }
    out
}

/// The functions right before and right after one pass.
fn around(program: &str, schedule: &str, pass: &str, names: &[&str]) -> String {
    let module = lowered(program);
    let at = pass_names().iter().position(|p| *p == pass).unwrap();
    let before = if at == 0 { module.clone() } else { after(&module, schedule, pass_names()[at - 1]) };
    let after = after(&module, schedule, pass);
    format!("-- before\n{}-- after\n{}", show(&before, names), show(&after, names))
}

#[test]
fn udf_duplication() {
    insta::assert_snapshot!(around(LABELS, "default", "udf-duplication", &["sink", "sink_2", "main"]));
}

#[test]
fn start_up() {
    insta::assert_snapshot!(around(
        RANK,
        "default",
        "start-up",
        &["globals", "startup", "old_rank_init", "new_rank_init"]
    ));
    insta::assert_snapshot!(around(
        MIXED,
        "default",
        "start-up",
        &["globals", "startup", "pair_init", "triangles_init"]
    ));
}

#[test]
fn priority_lazy() {
    insta::assert_snapshot!(around(SSSP, "rounds:relax@delta=8", "priority", &["relax", "main"]));
    insta::assert_snapshot!(around(PEEL, "rounds:peel@update=constant-sum", "priority", &["peel", "main"]));
}

#[test]
fn priority_eager() {
    let schedule = "rounds:relax@push,par=dynamic,update=eager-with-merge,delta=argv3,merge=500";
    insta::assert_snapshot!(around(SSSP, schedule, "priority", &["relax", "main"]));
}

#[test]
fn frontier_reuse() {
    insta::assert_snapshot!(around(BFS, "default", "frontier-reuse", &["main"]));
    // `live` is looked at before its delete.
    insta::assert_snapshot!(around(
        &LABELS.replace("#flat# cells.apply(jump);", "print live.getVertexSetSize();"),
        "default",
        "frontier-reuse",
        &["main"]
    ));
}

#[test]
fn binding() {
    insta::assert_snapshot!(around(LABELS, "on=gpu;loop:step@push,lb=twc,dedup=on", "binding", &["main"]));
    insta::assert_snapshot!(around(LABELS, "on=cpu;loop:step@pull,par=dynamic", "binding", &["main"]));
}

#[test]
fn hybrid_on_cpu() {
    insta::assert_snapshot!(around(BFS, "walk:hop@hybrid", "binding", &["travel", "travel_v2", "main"]));
}

#[test]
fn adaptive() {
    let schedule = "on=gpu;walk:hop@adaptive,by=tree.bfs+push,lb=etwc+pull,lb=wm+push,lb=edge-only";
    insta::assert_snapshot!(around(BFS, schedule, "binding", &["travel_v3", "main"]));
}

#[test]
fn intersection_and_par_for() {
    insta::assert_snapshot!(around(
        MIXED,
        "meet@intersect=hiroshi;all@grain=16",
        "intersection-and-par-for",
        &["count", "main"]
    ));
}

#[test]
fn sharing() {
    insta::assert_snapshot!(around(
        LABELS,
        "loop:step@pull,par=dynamic;first@push,par=dynamic",
        "sharing",
        &["sink", "sink_2", "lower_to", "jump"]
    ));
    insta::assert_snapshot!(around(RANK, "rounds:gather@pull,par=dynamic", "sharing", &["gather"]));
}

#[test]
fn layout() {
    insta::assert_snapshot!(around(RANK, "do=fuse-fields,old_rank,fan_out", "layout", &["globals"]));
}

#[test]
fn atomics() {
    insta::assert_snapshot!(around(
        LABELS,
        "loop:step@pull,par=dynamic;first@push,par=dynamic",
        "atomics",
        &["sink", "sink_2", "lower_to", "jump"]
    ));
    insta::assert_snapshot!(around(BFS, "walk:hop@push,par=dynamic", "atomics", &["travel", "main"]));
    insta::assert_snapshot!(around(SSSP, "rounds:relax@push,par=dynamic", "atomics", &["relax"]));
    insta::assert_snapshot!(around(MIXED, "all:inner@push,par=dynamic", "atomics", &["mark", "main"]));
}

#[test]
fn tracking() {
    insta::assert_snapshot!(around(
        LABELS,
        "loop:step@push,par=dynamic",
        "tracking",
        &["sink_2", "lower_to", "lower_to_tracked", "lower_to_tracked_2"]
    ));
    insta::assert_snapshot!(around(MIXED, "default", "tracking", &["mark", "main"]));
    insta::assert_snapshot!(around(SSSP, "default", "tracking", &["relax"]));
}

#[test]
fn merge_reduce() {
    insta::assert_snapshot!(around(
        RANK,
        "rounds:gather@pull,par=dynamic,segments=4,numa=static",
        "merge-reduce",
        &["main"]
    ));
}

#[test]
fn loop_fusion() {
    insta::assert_snapshot!(around(SSSP, "on=gpu;rounds@loop=fused", "loop-fusion", &["main"]));
    insta::assert_snapshot!(around(
        &BFS.replace("delete here;\n        here", "delete here;\n        print stopTimer();\n        here"),
        "on=gpu",
        "loop-fusion",
        &["main"]
    ));
}

#[test]
fn contexts() {
    insta::assert_snapshot!(show(
        &after(&lowered(MIXED), "default", "context"),
        &["judge", "count", "mark", "far_off"]
    ));
}

#[test]
fn loop_split() {
    insta::assert_snapshot!(around(
        RANK,
        "do=split-for-loop,rounds,l1,l2,5,15;l1:gather@push;l2:gather@pull",
        "transforms",
        &["main"]
    ));
}

const TWO_LOOPS: &str = "
element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const a : vector{Node}(int) = 0;
const b : vector{Node}(int) = 0;
func up(v : Node)
    a[v] += 1;
end
func double_it(v : Node)
    b[v] = b[v] * 2;
end
func main()
    #one# for i in 0:10
        #x# nodes.apply(up);
        var k : int = i;
        print_a(k);
    end
    #two# for j in 2:14
        #y# nodes.apply(double_it);
        b[0] = j;
    end
    #p# nodes.apply(up);
    #q# nodes.apply(double_it);
end
";

#[test]
fn loop_fuse() {
    let program = TWO_LOOPS.replace("        print_a(k);\n", "        a[0] = k;\n");
    insta::assert_snapshot!(around(
        &program,
        "do=fuse-for-loop,one,two,both;both:one:x@par=serial",
        "transforms",
        &["main"]
    ));
}

#[test]
fn apply_fusion() {
    let program = TWO_LOOPS.replace("        print_a(k);\n", "");
    insta::assert_snapshot!(around(&program, "do=fuse-apply-functions,p,q,both", "transforms", &["both", "main"]));
}

/// Two rankings in two loops, as a program that computes both would have them.
const TWO_RANKS: &str = "\
element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const a : vector{Node}(float) = 1;
const new_a : vector{Node}(float) = 0;
const b : vector{Node}(float) = 1;
const new_b : vector{Node}(float) = 0;
func spread_a(src : Node, dst : Node)
    var half : float = a[src] / 2;
    new_a[dst] += half;
end
func spread_b[factor : float](from_node : Node, to_node : Node)
    var part : float = b[from_node] * factor;
    new_b[to_node] += part;
end
func some(v : Node) -> yes : bool yes = v > 3; end
func turn_a(v : Node) a[v] = new_a[v]; new_a[v] = 0; end
func turn_b(v : Node) b[v] = new_b[v]; new_b[v] = 0; end
func main()
    #one# for i in 1:10
        #s# links.apply(spread_a);
        nodes.apply(turn_a);
    end
    #two# for i in 1:10
        #s# links.apply(spread_b[0.5]);
        nodes.apply(turn_b);
    end
end
";

const BOTH: &str =
    "do=fuse-for-loop,one,two,both;do=fuse-apply-functions,both:one:s,both:two:s,spread;both:one:s@par=dynamic";

#[test]
fn apply_fusion_of_edge_operators_in_a_fused_loop() {
    let text = show(&after(&lowered(TWO_RANKS), BOTH, "transforms"), &["spread", "main"]);
    // The second operator is gone, its function runs behind the first under its names.
    assert_eq!(text.matches("EdgeSetIterator<").count(), 1, "{text}");
    assert!(text.contains("(links, apply=spread[0.5f]);"), "{text}");
    assert!(text.contains("func spread[factor : float](src : Node, dst : Node) {"), "{text}");
    assert!(text.contains("Reduce(SUM, new_a[dst], half);\n    var part : float = b[src] * factor;"), "{text}");
    run_pipeline(lowered(TWO_RANKS), &schedule_of(BOTH), &Options::default()).unwrap();
}

#[test]
fn edge_operators_that_touch_the_same_data_are_not_fused() {
    let refused = |old: &str, new: &str, schedule: &str| {
        let program = TWO_RANKS.replace(old, new);
        assert_ne!(program, TWO_RANKS);
        run_pipeline(lowered(&program), &schedule_of(schedule), &Options::default()).unwrap_err().to_string()
    };
    let near = "do=fuse-apply-functions,s,t,spread";
    let neighbours = |first: &str, between: &str, second: &str| {
        let head = TWO_RANKS.split("    #one#").next().unwrap();
        let program = format!("{head}    #s# {first}\n    {between}\n    #t# {second}\nend\n");
        run_pipeline(lowered(&program), &schedule_of(near), &Options::default()).map_err(|e| e.to_string())
    };
    let (a, b) = ("links.apply(spread_a);", "links.apply(spread_b[0.5]);");
    assert!(neighbours(a, "nodes.apply(turn_a);", b).is_ok());
    let touched = neighbours(a, "nodes.apply(turn_b);", b).unwrap_err();
    assert!(touched.contains("is touched between the two operators"), "{touched}");
    assert!(neighbours(a, "print 1;", b).is_ok());
    let twice = neighbours(a, "", a).unwrap_err();
    assert!(twice.contains("is shared by the two functions"), "{twice}");
    let filtered = neighbours("links.from(some).apply(spread_a);", "", b).unwrap_err();
    assert!(filtered.contains("without `from`, `to` and output set"), "{filtered}");
    let mixed = neighbours(a, "", "nodes.apply(turn_b);").unwrap_err();
    assert!(mixed.contains("two vertex operators or two edge operators"), "{mixed}");
    let order = "do=fuse-apply-functions,two:s,one:s,spread";
    let apart = refused("1:10", "1:9", order);
    assert!(apart.contains("in one block or in neighbouring scopes"), "{apart}");
}

/// `min=` may read its vector and yield a frontier under NUMA; a plain assignment may not.
#[test]
fn numa_takes_reductions_that_can_be_merged() {
    let legal = |program: &str, schedule: &str| {
        run_pipeline(lowered(program), &schedule_of(schedule), &Options::default()).map_err(|e| e.to_string())
    };
    let program = |edge: &str| {
        format!(
            "element Node end\nelement Link end\nconst links : edgeset{{Link}}(Node,Node) = load(argv[1]);\n\
             const nodes : vertexset{{Node}} = links.getVertices();\nconst id : vector{{Node}}(int) = 0;\n\
             func edge(src : Node, dst : Node) {edge} end\nfunc main()\n    \
             var all : vertexset{{Node}} = new vertexset{{Node}}(nodes.size());\n    \
             #s# var next : vertexset{{Node}} = links.from(all).applyModified(edge, id);\n    delete next;\nend\n"
        )
    };
    let numa = "s@pull,segments=4,numa=static";
    assert!(legal(&program("if id[dst] != id[src] id[dst] min= id[src]; end"), numa).is_ok());
    for other in ["id[dst] = id[src];", "id[dst] += 1;", "id[src] min= id[dst];"] {
        let refused = legal(&program(other), numa).unwrap_err();
        assert!(refused.contains("private copies"), "{other}: {refused}");
    }
}

fn refusal(program: &str, schedule: &str) -> String {
    let error = run_pipeline(lowered(program), &schedule_of(schedule), &Options::default()).unwrap_err();
    error.to_string()
}

#[test]
fn refusals_name_label_and_line() {
    let all = [
        refusal(BFS, "walk:hopp@push"),
        refusal(BFS, "walk:hop@push,segments=4"),
        refusal(BFS, "segments=4"),
        refusal(BFS, "walk:hop@loop=fused"),
        refusal(SSSP, "rounds:relax@pull,update=eager"),
        refusal(PEEL, "rounds:peel@push,update=eager"),
        refusal(MIXED, "all:inner@hybrid,by=input-size,at=0.1+push+pull"),
        refusal(RANK, "do=fuse-fields,old_rank,damp"),
        refusal(BFS, "do=set-vertex-set,nowhere,dense"),
        refusal(RANK, "do=split-for-loop,rounds,l1,l2,5,5"),
        refusal(RANK, "do=split-for-loop,round,l1,l2,5,15"),
        refusal(RANK, "do=fuse-apply-functions,rounds:spread,rounds:gather,both"),
        refusal(
            TWO_LOOPS.replace("        print_a(k);\n", "        b[1] = 0;\n").as_str(),
            "do=fuse-for-loop,one,two,both",
        ),
        run_pipeline(
            lowered(BFS),
            &schedule_of("default"),
            &Options { after: Some("bindings".into()), ..Options::default() },
        )
        .unwrap_err()
        .to_string(),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn every_program_is_sound_after_every_pass_under_many_schedules() {
    let schedules = [
        "default",
        "push",
        "pull",
        "on=gpu;push,lb=etwc,loop=fused",
        "on=gpu;pull,create=unfused-bitmap,dedup=on",
        "hybrid",
        "par=dynamic",
        "par=edge-parallel",
        "on=gpu;create=fused,dedup=on,dedup-by=counters-fused",
        "on=swarm;push",
    ];
    let mut checked = 0;
    for program in [BFS, SSSP, RANK, LABELS, MIXED, PEEL] {
        let module = lowered(program);
        for schedule in schedules {
            for pass in pass_names() {
                let options = Options { after: Some(pass.into()), ..Options::default() };
                match run_pipeline(module.clone(), &schedule_of(schedule), &options) {
                    Ok(module) => sound(&module),
                    // A schedule for one kind of point need not fit each program.
                    Err(e) => assert!(e.to_string().contains("fits no place"), "{e}"),
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 6 * schedules.len() * pass_names().len());
}
