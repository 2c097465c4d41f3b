//! Legality: every rule has a schedule that breaks it, and the sentence says so.

use crate::common;
use gw_schedule::*;
use proptest::prelude::*;

fn bfs() -> ProgramPoint {
    ProgramPoint {
        from: Sources::Set,
        has_to: true,
        requires_output: true,
        ..ProgramPoint::new(PointKind::EdgeOperator)
    }
}

fn pagerank() -> ProgramPoint {
    ProgramPoint { reduction_extractable: true, ..ProgramPoint::new(PointKind::EdgeOperator) }
}

fn sssp() -> ProgramPoint {
    ProgramPoint {
        from: Sources::Set,
        weighted: true,
        priority_change: Some(PriorityChange::Min),
        eager_loop: true,
        ..ProgramPoint::new(PointKind::PriorityOperator)
    }
}

fn kcore() -> ProgramPoint {
    ProgramPoint { priority_change: Some(PriorityChange::ConstantSum), weighted: false, eager_loop: false, ..sssp() }
}

fn frontier_loop() -> ProgramPoint {
    ProgramPoint { frontier_loop: true, ..ProgramPoint::new(PointKind::WhileLoop) }
}

fn schedule(text: &str) -> Schedule {
    text.parse().unwrap()
}

#[test]
fn usual_schedules_are_legal() {
    let vertex = ProgramPoint::new(PointKind::VertexOperator);
    for (text, point) in [
        ("default", bfs()),
        ("hybrid", bfs()),
        ("hybrid", pagerank()),
        ("hybrid,by=input-size,at=0.15+push,lb=etwc+pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap", bfs()),
        ("push,par=dynamic,grain=64,create=sliding-queue", bfs()),
        ("pull,par=edge-aware,grain=4096,frontier=bitmap", bfs()),
        ("push,create=fused,dedup=on,dedup-by=hash", bfs()),
        ("pull,create=level-mask,count=block,frontier=level-mask,lb=vw16-64", bfs()),
        ("push,lb=edge-only,frontier=boolmap", bfs()),
        ("pull,lb=edge-only,block=270336,edges=coo-by-destination", pagerank()),
        ("pull,par=dynamic,segments=argv3,numa=static-parallel", pagerank()),
        ("push,par=edge-parallel,edges=coo-by-source-pairs", pagerank()),
        ("push,lb=etwc,edges=csr-m,classes=marked", ProgramPoint { has_edge_classes: true, ..bfs() }),
        ("push,create=fused,dedup=on,dedup-by=words", ProgramPoint { tracks_extreme: true, ..bfs() }),
        ("dense-push,classes=marked", ProgramPoint { has_edge_classes: true, ..bfs() }),
        ("adaptive,by=tree.m+push+pull,lb=etwc", bfs()),
        ("push,update=eager-with-merge,delta=argv4,merge=100", sssp()),
        ("hybrid+push,delta=4+pull,delta=4", sssp()),
        ("update=constant-sum,buckets=64", kcore()),
        ("par=static,grain=16", vertex),
        ("grain=0", ProgramPoint::new(PointKind::ParFor)),
        ("loop=single-block", frontier_loop()),
        ("intersect=hiroshi", ProgramPoint::new(PointKind::Intersection)),
        ("update=lazy,delta=2", ProgramPoint::new(PointKind::PriorityExtern)),
    ] {
        assert_eq!(schedule(text).legal(&point), Ok(()), "{text}");
    }
}

#[test]
fn every_rule_speaks() {
    let unique = ProgramPoint { needs_unique_output: true, ..bfs() };
    let classed = ProgramPoint { has_edge_classes: true, ..bfs() };
    let lowering = ProgramPoint { tracks_extreme: true, ..bfs() };
    let filtered = ProgramPoint { from: Sources::Filter, ..bfs() };
    let directed_kcore = ProgramPoint { symmetric: Some(false), ..kcore() };
    let printing = ProgramPoint { body_obstacle: Some("the body prints".into()), ..frontier_loop() };
    let rounds = ProgramPoint { round_statements: true, ..frontier_loop() };
    let plain_loop = ProgramPoint::new(PointKind::WhileLoop);
    let vertex = ProgramPoint::new(PointKind::VertexOperator);
    let extern_update = ProgramPoint::new(PointKind::PriorityExtern);
    let cases: &[(&str, &ProgramPoint)] = &[
        ("loop=fused", &bfs()),
        ("par=edge-parallel", &vertex),
        ("par=edge-aware", &bfs()),
        ("par=dynamic,grain=0", &bfs()),
        ("par=serial,grain=8", &bfs()),
        ("par=dynamic,lb=etwc", &bfs()),
        ("dense-push,lb=edge-only", &bfs()),
        ("lb=cm,block=64", &pagerank()),
        ("lb=edge-only,block=0", &pagerank()),
        ("lb=etwc,edges=coo-by-source", &bfs()),
        ("lb=edge-only,edges=csr-m", &bfs()),
        ("classes=marked", &bfs()),
        ("pull,classes=marked", &classed),
        ("lb=edge-only,classes=marked", &classed),
        ("pull,update=eager", &sssp()),
        ("update=eager", &kcore()),
        ("update=constant-sum", &sssp()),
        ("update=constant-sum", &directed_kcore),
        ("update=near-far", &kcore()),
        ("update=eager", &extern_update),
        ("delta=0", &sssp()),
        ("update=eager,merge=10", &sssp()),
        ("update=eager,buckets=128", &sssp()),
        ("buckets=100", &sssp()),
        ("frontier=bitmap", &bfs()),
        ("push,frontier=bitmap", &bfs()),
        ("pull,frontier=bitmap", &pagerank()),
        ("update=eager,frontier=bitmap", &sssp()),
        ("create=fused", &pagerank()),
        ("update=eager,create=fused", &sssp()),
        ("pull,create=sliding-queue", &bfs()),
        ("par=serial,create=sliding-queue", &bfs()),
        ("lb=wm,create=sliding-queue", &bfs()),
        ("create=sliding-queue", &filtered),
        ("count=warp", &bfs()),
        ("create=fused,count=warp", &bfs()),
        ("dedup=on", &pagerank()),
        ("create=unfused-bitmap,dedup-by=counters", &bfs()),
        ("dedup-by=hash", &unique),
        ("dedup=off,dedup-by=hash", &bfs()),
        ("dedup=on,dedup-by=words", &bfs()),
        ("pull,dedup=on,dedup-by=words", &lowering),
        ("segments=4", &pagerank()),
        ("pull,segments=0", &pagerank()),
        ("pull,lb=edge-only,segments=4", &pagerank()),
        ("pull,numa=serial", &pagerank()),
        ("pull,segments=4,numa=static-parallel", &bfs()),
        ("loop=fused", &printing),
        ("loop=single-block", &plain_loop),
        ("queue=bucket", &plain_loop),
        ("queue=priority", &rounds),
        ("hybrid", &frontier_loop()),
        ("hybrid,by=input-size,at=0.1+push+pull", &pagerank()),
        ("hybrid", &filtered),
        ("hybrid+push,delta=2+pull,delta=4", &sssp()),
        ("hybrid+push,update=eager+push,update=eager,delta=1", &sssp()),
        ("adaptive,by=input-size,at=0.5_0.1+push+pull", &bfs()),
        ("hybrid+push,segments=2+pull", &bfs()),
    ];
    let mut lines = String::new();
    for (text, point) in cases {
        let reasons = schedule(text).legal(point).expect_err(text);
        lines += &format!("{text} on {}\n", point.kind);
        for r in reasons {
            let idle = if r.idle { " (idle)" } else { "" };
            lines += &format!("    [{}]{idle} {r}\n", r.axis);
        }
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn a_schedule_without_label_falls_where_it_is_legal() {
    let program: ProgramSchedule = "pull,frontier=bitmap,loop=fused;s9@push,segments=2".parse().unwrap();
    let bind = |path, point: &ProgramPoint| program.bind(path, point);
    let step = bind(Some("s0:s1"), &bfs()).unwrap();
    assert_eq!(step.schedule, schedule("pull,frontier=bitmap"));
    assert_eq!(step.origin, Origin::Everywhere);
    // No input set to test: the form of the frontier is dropped, the direction stays.
    let sum = bind(None, &pagerank()).unwrap();
    assert_eq!(sum.schedule, schedule("pull"));
    let round = bind(Some("s0"), &frontier_loop()).unwrap();
    assert_eq!(round.schedule, schedule("loop=fused"));
    let vertex = bind(Some("s2"), &ProgramPoint::new(PointKind::VertexOperator)).unwrap();
    assert_eq!(vertex.origin, Origin::Default);
    let printing = ProgramPoint { body_obstacle: Some("the body prints".into()), ..frontier_loop() };
    let kept = bind(Some("s3"), &printing).unwrap();
    assert!(kept.schedule.is_default());
    assert!(matches!(kept.origin, Origin::EverywhereIllegal(r) if r[0].axis == "loop"));
    // A label must be legal as written.
    assert_eq!(bind(Some("s9"), &bfs()).unwrap_err()[0].axis, "segments");
}

#[test]
fn dedup_follows_the_table() {
    let plan = |text: &str, unique| text.parse::<SimpleSchedule>().unwrap().dedup_plan(unique);
    use DedupPlan::*;
    for (text, unique, expected) in [
        ("create=fused,dedup=off", true, Exact(DedupBy::Counters)),
        ("dedup=on,dedup-by=counters-fused", true, Exact(DedupBy::CountersFused)),
        ("dedup=on", false, BestEffort(DedupBy::Counters)),
        ("dedup=off", false, None),
        ("create=unfused-bitmap,dedup=on", true, ByMap),
        ("create=unfused-boolmap,dedup=off", false, ByMap),
    ] {
        assert_eq!(plan(text, unique), expected, "{text} {unique}");
    }
}

#[test]
fn ownership_follows_direction_and_splitting() {
    let owned = |text: &str| text.parse::<SimpleSchedule>().unwrap().owned();
    for (text, expected) in [
        ("default", Owned::Source),
        ("pull", Owned::Destination),
        ("dense-push", Owned::Source),
        ("pull,par=serial", Owned::Both),
        ("pull,par=dynamic", Owned::Destination),
        ("pull,par=edge-parallel", Owned::Neither),
        ("push,lb=vertex-based", Owned::Source),
        ("push,lb=etwc", Owned::Neither),
        ("pull,lb=vw8", Owned::Neither),
        ("pull,lb=vw1", Owned::Destination),
        ("pull,lb=edge-only", Owned::Neither),
    ] {
        assert_eq!(owned(text), expected, "{text}");
    }
}

#[test]
fn defaults_of_the_families() {
    let resolve = |text: &str, family, point: &ProgramPoint| {
        text.parse::<SimpleSchedule>().unwrap().resolve(family, point).to_string()
    };
    let lines = [
        ("default", Family::Cpu, bfs()),
        ("default", Family::Gpu, bfs()),
        ("default", Family::Swarm, bfs()),
        ("default", Family::HammerBlade, bfs()),
        ("default", Family::Cpu, ProgramPoint::new(PointKind::VertexOperator)),
        ("default", Family::Cpu, sssp()),
        ("update=eager-with-merge", Family::Cpu, sssp()),
        ("default", Family::Gpu, frontier_loop()),
        ("default", Family::Swarm, frontier_loop()),
        ("default", Family::Swarm, ProgramPoint::new(PointKind::WhileLoop)),
        ("pull,lb=edge-only", Family::Gpu, bfs()),
        ("create=unfused-bitmap", Family::Gpu, bfs()),
        ("create=sliding-queue", Family::Cpu, bfs()),
        ("pull,par=edge-aware,segments=8", Family::Cpu, pagerank()),
        ("default", Family::Cpu, ProgramPoint::new(PointKind::ParFor)),
        ("default", Family::Cpu, ProgramPoint::new(PointKind::Intersection)),
    ]
    .map(|(text, family, point)| format!("{text} / {family} / {}\n    {}", point.kind, resolve(text, family, &point)));
    insta::assert_snapshot!(lines.join("\n"));
}

proptest! {
    #[test]
    fn resolving_keeps_what_was_set_and_stays_legal(
        s in common::simple(),
        family in prop::sample::select(Family::ALL),
        which in 0usize..4,
    ) {
        let point = [bfs(), pagerank(), sssp(), frontier_loop()][which].clone();
        let resolved = s.resolve(family, &point);
        for axis in s.set_axes() {
            prop_assert_eq!(s.text_of(axis), resolved.text_of(axis));
        }
        prop_assert_eq!(resolved.resolve(family, &point), resolved);
        if let Ok((fitted, _)) = Schedule::Simple(s).fit(&point) {
            let simple = *fitted.as_simple().unwrap();
            prop_assert_eq!(fitted.legal(&point), Ok(()));
            prop_assert_eq!(simple.resolve(family, &point).legal(&point), Ok(()));
        }
    }

    #[test]
    fn fitting_only_drops(s in common::schedule(), which in 0usize..4) {
        let point = [bfs(), pagerank(), kcore(), frontier_loop()][which].clone();
        match s.fit(&point) {
            Ok((fitted, dropped)) => {
                prop_assert_eq!(fitted.legal(&point), Ok(()));
                prop_assert!(dropped.iter().all(|r| r.idle));
                for (was, is) in s.parts().into_iter().zip(fitted.parts()) {
                    prop_assert_eq!(is.or(was), *was);
                }
            }
            Err(reasons) => prop_assert!(reasons.iter().all(|r| !r.idle) && !reasons.is_empty()),
        }
    }
}
