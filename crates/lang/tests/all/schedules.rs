//! Every function of the scheduling languages and the canonical schedule it makes.

use gw_lang::{SourceFile, check, fit_schedule, label_paths, parse, parse_schedule, read_schedule, unknown_labels};

#[track_caller]
fn reads(statements: &str, canonical: &str) {
    let source = SourceFile::new("test.schedule", statements);
    match parse_schedule(&source) {
        Ok(parsed) => assert_eq!(parsed.schedule.to_string(), canonical, "{statements}"),
        Err(findings) => panic!("{}", gw_lang::diagnostic::render(&findings, &source, false)),
    }
}

#[test]
fn cpu_directions() {
    reads(r#"program->configApplyDirection("s", "SparsePush");"#, "on=cpu;s@push");
    reads(r#"program->configApplyDirection("s", "DensePull");"#, "on=cpu;s@pull");
    reads(r#"program->configApplyDirection("s", "DensePush");"#, "on=cpu;s@dense-push");
    let hybrid = "on=cpu;s@hybrid,by=input-work,at=0.05+push+pull";
    reads(r#"program->configApplyDirection("s", "SparsePush-DensePull");"#, hybrid);
    reads(r#"program->configApplyDirection("s", "DensePull-SparsePush");"#, hybrid);
    reads(r#"program->setApply("s", "hybrid_dense");"#, hybrid);
    let dense = "on=cpu;s@hybrid,by=input-work,at=0.05+push+dense-push";
    reads(r#"program->configApplyDirection("s", "DensePush-SparsePush");"#, dense);
    reads(r#"program->setApply("s", "hybrid_dense_forward");"#, dense);
}

#[test]
fn cpu_settings() {
    for (call, canonical) in [
        (r#"configApplyParallelization("s", "serial")"#, "par=serial"),
        (r#"configApplyParallelization("s", "static-vertex-parallel")"#, "par=static"),
        (r#"configApplyParallelization("s", "dynamic-vertex-parallel", 64)"#, "par=dynamic,grain=64"),
        (
            r#"configApplyParallelization("s", "edge-aware-dynamic-vertex-parallel", 64, "all")"#,
            "par=edge-aware,grain=64",
        ),
        (r#"configApplyDenseVertexSet("s", "bitvector")"#, "frontier=bitmap"),
        (r#"configApplyNumSSG("s", "fixed-vertex-count", 8)"#, "segments=8"),
        (r#"configApplyNumSSG("s", "fixed-vertex-count", "argv[2]")"#, "segments=argv2"),
        (r#"configApplyNumSegments("s", 8)"#, "segments=8"),
        (r#"configApplyNUMA("s", "static-parallel")"#, "numa=static-parallel"),
        (r#"configApplyNumaAware("s")"#, "numa=static-parallel"),
        (r#"configApplyDataStructure("s", "bitvector")"#, "frontier=bitmap"),
        (r#"configApplyPriorityUpdate("s", "lazy_priority_update")"#, "update=lazy"),
        (r#"configApplyPriorityUpdate("s", "eager_priority_update")"#, "update=eager"),
        (r#"configApplyPriorityUpdate("s", "eager_priority_update_with_merge")"#, "update=eager-with-merge"),
        (r#"configApplyPriorityUpdate("s", "constant_sum_reduce_before_update")"#, "update=constant-sum"),
        (r#"configApplyPriorityUpdateDelta("s", "argv[3]")"#, "delta=argv3"),
        (r#"configBucketMergeThreshold("s", 50)"#, "merge=50"),
        (r#"configNumOpenBuckets("s", 64)"#, "buckets=64"),
        (r#"configNumBuckets("s", 64)"#, "buckets=64"),
        (r#"configApplyDeduplication("s", "disable_deduplication")"#, "dedup=off"),
        (r#"configIntersection("s", "BinarySearchIntersection")"#, "intersect=binary-search"),
        (r#"configParForGrainSize("s", 16)"#, "grain=16"),
        (r#"configParForGrainSize("s")"#, "grain=0"),
        (r#"setApply("s", "push")"#, "push"),
        (r#"setApply("s", "pull")"#, "pull"),
        (r#"setApply("s", "serial")"#, "par=serial"),
        (r#"setApply("s", "parallel")"#, "par=dynamic"),
        (r#"setApply("s", "enable_deduplication")"#, "dedup=on"),
        (r#"setApply("s", "sliding_queue")"#, "create=sliding-queue"),
        (r#"setApply("s", "pull_frontier_bitvector")"#, "frontier=bitmap"),
        (r#"setApply("s", "pull_edge_based_load_balance")"#, "par=edge-aware"),
        (r#"setApply("s", "pull_edge_based_load_balance", 9)"#, "par=edge-aware,grain=9"),
        (r#"setApply("s", "numa_aware")"#, "numa=static-parallel"),
        (r#"setApply("s", "eager_priority_update")"#, "update=eager"),
        (r#"setApply("s", "num_segment", 4)"#, "segments=4"),
        (r#"setApply("s", "delta", 4)"#, "delta=4"),
        (r#"setApply("s", "bucket_merge_threshold", 4)"#, "merge=4"),
        (r#"setApply("s", "num_open_buckets", 4)"#, "buckets=4"),
        (r#"setApply("s", "grain_size", 4)"#, "grain=4"),
    ] {
        reads(&format!("program->{call};"), &format!("on=cpu;s@{canonical}"));
    }
}

#[test]
fn settings_of_one_direction_stay_there() {
    let start = r#"program->configApplyDirection("s", "SparsePush-DensePull")"#;
    let hybrid = "on=cpu;s@hybrid,by=input-work,at=0.05+push";
    reads(
        &format!(r#"{start}->configApplyParallelization("s", "dynamic-vertex-parallel", "DensePull");"#),
        &format!("{hybrid}+pull,par=dynamic"),
    );
    reads(
        &format!(r#"{start}->configApplyDenseVertexSet("s", "bitvector", "src-vertexset", "DensePull");"#),
        &format!("{hybrid}+pull,frontier=bitmap"),
    );
    // Unless a direction is named, what only pull can use goes to the pull half.
    reads(
        &format!(r#"{start}->configApplyNumSSG("s", "fixed-vertex-count", 3);"#),
        &format!("{hybrid}+pull,segments=3"),
    );
    // Settings made before the direction are kept.
    reads(
        r#"program->configApplyParallelization("s", "serial")->configApplyDirection("s", "SparsePush-DensePull");"#,
        &format!("{hybrid},par=serial+pull,par=serial"),
    );
    reads(&format!(r#"{start}->configApplyDirection("s", "DensePull");"#), "on=cpu;s@pull");
}

#[test]
fn transforms() {
    reads(r#"program->fuseFields("a", "b");"#, "on=cpu;do=fuse-fields,a,b");
    reads(r#"program->fuseFields({"a", "b", "c"});"#, "on=cpu;do=fuse-fields,a,b,c");
    for statement in [
        r#"program->splitForLoop("l1", "l2", "l3", 2, 8);"#,
        r#"program->fuseForLoop("l1", "l2", "l3");"#,
        r#"program->fuseApplyFunctions("l3:l1:s", "l3:l2:s", "both");"#,
        r#"program->setVertexSet("front", "dense");"#,
    ] {
        let parsed = parse_schedule(&SourceFile::new("t", statement)).expect(statement);
        assert_eq!(parsed.schedule.transforms().len(), 1, "{statement}");
    }
}

#[test]
fn gpu_objects() {
    for (calls, canonical) in [
        ("", "default"),
        ("s.configDirection(PUSH);", "push"),
        ("s.configDirection(PULL);", "pull"),
        ("s.configDirection(gpu_schedule::PULL, BITMAP);", "pull,frontier=bitmap"),
        ("s.configFrontierCreation(FUSED);", "create=fused"),
        ("s.configFrontierCreation(UNFUSED_BITMAP);", "create=unfused-bitmap"),
        ("s.configFrontierCreation(UNFUSED_BOOLMAP);", "create=unfused-boolmap"),
        ("s.configDeduplication(ENABLED, HASH64);", "dedup=on,dedup-by=hash64"),
        ("s.configDeduplication(ENABLED);", "dedup=on"),
        ("s.configDeduplication(DISABLED);", "dedup=off"),
        ("s.configDeduplication(ENABLED, UNFUSED);", "dedup=on,dedup-by=counters"),
        ("s.configDeduplication(ENABLED, FUSED);", "dedup=on,dedup-by=counters-fused"),
        ("s.configDeduplication(ENABLED, BITMAP);", "dedup=on,dedup-by=bitmap"),
        ("s.configLoadBalance(VERTEX_BASED);", "lb=vertex-based"),
        ("s.configLoadBalance(TWC);", "lb=twc"),
        ("s.configLoadBalance(TWCE);", "lb=etwc"),
        ("s.configLoadBalance(ETWC);", "lb=etwc"),
        ("s.configLoadBalance(WM);", "lb=wm"),
        ("s.configLoadBalance(CM);", "lb=cm"),
        ("s.configLoadBalance(STRICT);", "lb=strict"),
        ("s.configLoadBalance(EDGE_ONLY, UNBLOCKED);", "lb=edge-only"),
        ("s.configLoadBalance(EDGE_ONLY, BLOCKED, 0x42000);", "lb=edge-only,block=270336"),
        ("s.configLoadBalance(EDGE_ONLY, BLOCKED, 0x10); s.configLoadBalance(CM);", "lb=cm"),
        ("s.configDelta(7);", "delta=7"),
        ("s.configDelta(\"argv[2]\");", "delta=argv2"),
        ("s.configKernelFusion(ENABLED);", "loop=fused"),
        ("s.configKernelFusion(DISABLED);", "loop=host"),
    ] {
        let text = format!("SimpleGPUSchedule s; {calls} program->applyGPUSchedule(\"a:b\", s);");
        reads(&text, &format!("on=gpu;a:b@{canonical}"));
    }
}

#[test]
fn objects_are_copied_when_applied() {
    reads(
        r#"SimpleGPUSchedule s; s.configDelta(1); program->applyGPUSchedule("a", s); s.configDelta(2);
           SimpleGPUSchedule t = s; SimpleGPUSchedule u(t); program->applyGPUSchedule("b", u);"#,
        "on=gpu;a@delta=1;b@delta=2",
    );
    reads(
        r#"SimpleGPUSchedule s; SimpleGPUSchedule t; t.configDirection(PULL); // comment
           HybridGPUSchedule h(INPUT_VERTEXSET_SIZE, "argv[3]", s, t); /* comment */ program->applyGPUSchedule("a", h);"#,
        "on=gpu;a@hybrid,by=input-size,at=argv3+default+pull",
    );
}

#[test]
fn swarm_and_hammerblade_objects() {
    for (calls, canonical) in [
        ("s.configDirection(PULL, BITMAP);", "pull,frontier=bitmap"),
        ("s.configDeduplication(ENABLED);", "dedup=on"),
        ("s.configLoadBalance(EDGE_BASED);", "lb=edge-based"),
        ("s.configDelta(3);", "delta=3"),
        ("s.configQueueType(UNORDEREDQUEUE);", "queue=unordered"),
        ("s.configQueueType(PRIOQUEUE);", "queue=priority"),
        ("s.configLoopCoarsening(COARSEN_ENABLED);", "coarsen=on"),
        ("s.configSpatialHint(HINTS_DISABLED);", "hint=off"),
        ("s.configStride(STRIDE_ON);", "stride=on"),
    ] {
        let text = format!("SimpleSwarmSchedule s; {calls} program->applySwarmSchedule(\"a\", s);");
        reads(&text, &format!("on=swarm;a@{canonical}"));
    }
    for (calls, canonical) in [
        ("s.configDirection(hb_schedule_options::PULL);", "pull"),
        ("s.configLoadBalance(ALIGNED);", "lb=aligned"),
        ("s.configLoadBalance(BLOCKING);", "lb=blocking"),
    ] {
        let text = format!("SimpleHBSchedule s; {calls} program->applyHBSchedule(\"a\", s);");
        reads(&text, &format!("on=hammerblade;a@{canonical}"));
    }
}

#[test]
fn a_schedule_file_with_or_without_header() {
    let with = "% the algorithm part is ignored here\nschedule:\nprogram->setApply(\"s\", \"push\");\n";
    reads(with, "on=cpu;s@push");
    reads("", "default");
    reads("schedule:\n", "default");
}

#[test]
fn either_form_is_read() {
    let read = |text: &str| read_schedule(&SourceFile::new("--schedule", text));
    assert_eq!(read("s1@pull,frontier=bitmap").expect("canonical").labels.len(), 1);
    assert_eq!(read("program->setApply(\"s1\", \"pull\");").expect("statements").labels.len(), 1);
    let errors = read("pull,frontier=bitmp").expect_err("a slip");
    assert!(errors[0].message.contains("did you mean `bitmap`"), "{errors:?}");
    assert_eq!(errors[0].primary.span, gw_lang::Span::new(14, 19));
}

const LOOPS: &str = "\
func inner() #deep# print 1; end
func main()
    #l1# for i in 0:10
        #s# print i;
        #hidden# if i == 3
            #t# print 3;
        end
    end
    while 1
        #bare# par_for i in 0:3 print i; end
    end
end
";

#[test]
fn label_paths_skip_unlabelled_statements_and_ifs() {
    let (ast, _) = parse(&SourceFile::new("loops.gt", LOOPS));
    let program = check(&ast).expect("right").program;
    assert_eq!(label_paths(&program), ["bare", "deep", "l1", "l1:s", "l1:t"]);
}

#[test]
fn labels_made_by_transforms_are_known() {
    let (ast, _) = parse(&SourceFile::new("loops.gt", LOOPS));
    let program = check(&ast).expect("right").program;
    let text = r#"program->splitForLoop("l1", "a", "b", 2, 8)->setApply("a:s", "push")->setApply("b:t", "push");
                  program->setApply("c:t", "push")->configParForGrainSize("bare", 3);"#;
    let mut parsed = parse_schedule(&SourceFile::new("s", text)).expect("right");
    let found = fit_schedule(&program, &mut parsed);
    let messages: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["the program has no label `c:t`"]);
    assert!(!found[0].is_error());
    let unknown = unknown_labels(&program, &parsed.schedule);
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].to_string(), "the program has no label `c:t`; did you mean `a:t`?");
}

/// What becomes of a schedule for [`LOOPS`]: its text and the findings, errors marked.
fn fitted(text: &str) -> (String, Vec<String>) {
    let (ast, _) = parse(&SourceFile::new("loops.gt", LOOPS));
    let program = check(&ast).expect("right").program;
    let mut parsed = read_schedule(&SourceFile::new("s", text)).expect("readable");
    let found = fit_schedule(&program, &mut parsed);
    let shown = |d: &gw_lang::Diagnostic| format!("{}{}", if d.is_error() { "error: " } else { "" }, d.message);
    (parsed.schedule.to_string(), found.iter().map(shown).collect())
}

#[test]
fn a_file_of_statements_serves_programs_that_lack_some_of_its_labels() {
    let some = r#"program->setApply("l1:s", "push")->setApply("s2", "push");"#;
    assert_eq!(fitted(some).1, ["the program has no label `s2`"]);
    let none = r#"program->setApply("s1", "push")->setApply("s2", "push");"#;
    assert_eq!(fitted(none).1, ["error: the program has no label `s1`", "error: the program has no label `s2`"]);
    assert_eq!(fitted("l1:s@push;s2@push").1, ["error: the program has no label `s2`"]);
}

#[test]
fn settings_about_edges_are_dropped_from_vertex_operators() {
    let program = "\
element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const seen : vector{Node}(int) = 0;
func see(v : Node) seen[v] = 1; end
func main()
    #l1# par_for i in 0:10
        #s1# nodes.apply(see);
    end
end
schedule:
    program->configApplyDirection(\"l1:s1\", \"SparsePush-DensePull\");
    program->configApplyParallelization(\"l1:s1\", \"dynamic-vertex-parallel\");
";
    let front = gw_lang::compile_front(&SourceFile::new("nested.gt", program)).expect("right");
    let messages: Vec<&str> = front.warnings.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["`l1:s1` is a vertex operator, so `direction` has no effect"]);
    assert_eq!(front.schedule.expect("there").to_string(), "on=cpu;l1:s1@par=dynamic");
}
