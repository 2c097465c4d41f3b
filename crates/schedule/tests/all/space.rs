//! The space of schedules of a point: its size, its members, samples of it.

use gw_schedule::*;
use std::collections::HashSet;

fn bfs() -> ProgramPoint {
    ProgramPoint {
        from: Sources::Set,
        has_to: true,
        requires_output: true,
        reduction_extractable: true,
        ..ProgramPoint::new(PointKind::EdgeOperator)
    }
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

fn thesis_gpu() -> Capabilities {
    use LoadBalance::*;
    Capabilities::new("thesis GPU")
        .allow(Axis::LoadBalance, &[VertexBased, Twc, Etwc, Wm, Cm, Strict])
        .allow(Axis::Direction, &[Direction::Push, Direction::Pull])
        .allow(
            Axis::Creation,
            &[FrontierCreation::Fused, FrontierCreation::UnfusedBitmap, FrontierCreation::UnfusedBoolmap],
        )
        .allow_all(Axis::Dedup)
        .allow(Axis::Frontier, &[FrontierForm::Boolmap, FrontierForm::Bitmap])
        .allow(Axis::LoopForm, &[LoopForm::Host, LoopForm::Fused])
}

#[test]
fn the_thesis_counts_288_schedules() {
    // 6 load balances x 2 directions x 3 frontier creations x 2 (dedup off, on) x 2 pull forms
    // (boolmap, bitmap) x 2 (loop on the host, fused) for each of the two sides of a hybrid.
    let gpu = thesis_gpu();
    let axes = [Axis::LoadBalance, Axis::Direction, Axis::Creation, Axis::Dedup, Axis::Frontier, Axis::LoopForm];
    let sizes = axes.map(|axis| gpu.representatives(axis).len());
    assert_eq!(sizes, [6, 2, 3, 2, 2, 2]);
    assert_eq!(gpu.product(&axes), 288);

    // That product counts the pull form for push as well, where it means nothing. The different
    // legal schedules are push 6 x 3 x 2 = 36 and pull 6 x 3 x 2 x 2 = 72 on the operator, times 2
    // on the loop around it; counting each push twice gives the 288 again.
    let operator = Space::new(&bfs(), &gpu);
    let around = Space::new(&ProgramPoint::new(PointKind::WhileLoop), &gpu);
    let pushes = operator.iter().filter(|s| s.as_simple().unwrap().direction() == Direction::Push).count() as u128;
    assert_eq!((pushes, operator.count(), around.count()), (36, 108, 2));
    assert_eq!((operator.count() + pushes) * around.count(), 288);
}

/// All combinations of the machine's values on these axes, unset included.
fn plain_product(machine: &Capabilities, axes: &[Axis]) -> Vec<SimpleSchedule> {
    let mut all = vec![SimpleSchedule::default()];
    for &axis in axes {
        let mut values = machine.representatives(axis);
        values.push(SimpleSchedule::default());
        all = all.iter().flat_map(|s| values.iter().map(|v| s.or(v))).collect();
    }
    all
}

/// Whether some unset axis of these could be set without breaking a rule.
fn could_say_more(s: &SimpleSchedule, machine: &Capabilities, axes: &[Axis], p: &ProgramPoint) -> bool {
    axes.iter().filter(|&&axis| !s.is_set(axis) && ![Axis::Hubs, Axis::Block, Axis::Segments].contains(&axis)).any(
        |&axis| {
            let values = machine.representatives(axis);
            values.iter().any(|v| s.or(v).legal(p).is_ok())
        },
    )
}

#[test]
fn the_graph_agrees_with_filtering_the_plain_product() {
    // Each case is small enough to write out, and together they cover all rules between axes.
    use Axis::*;
    let cases: &[(&[Axis], ProgramPoint)] = &[
        (&[Direction, Parallelism, Grain, Edges, Frontier, Creation], bfs()),
        (&[Direction, LoadBalance, Block, Edges, Frontier, Creation], bfs()),
        (&[Direction, Parallelism, Grain, LoadBalance, Edges], bfs()),
        (&[Direction, Creation, Count, Dedup, DedupBy], bfs()),
        (&[Direction, Creation, Dedup, DedupBy], ProgramPoint { tracks_extreme: true, ..bfs() }),
        (&[Direction, LoadBalance, Edges, Segments, Numa], bfs()),
        (&[Direction, LoadBalance, Hubs, Block, DedupInput], bfs()),
        (&[Direction, Creation, DedupInput, Append, Leaves], bfs()),
        (&[Direction, LoadBalance, Edges, Classes], ProgramPoint { has_edge_classes: true, ..bfs() }),
        (&[Direction, Parallelism, Edges, Classes], bfs()),
        (
            &[Direction, Creation, Claim, Visited, Append, Leaves],
            ProgramPoint { bears_missing_leaves: true, claims_destinations: true, claims_for_good: true, ..bfs() },
        ),
        (&[Direction, Parallelism, Edges, Segments, Numa], bfs()),
        (&[Direction, Update, Delta, Merge, Buckets], sssp()),
        (
            &[Direction, Creation, Leaves, Filter],
            ProgramPoint { bears_missing_leaves: true, has_condition: true, ..bfs() },
        ),
        (&[Direction, Update, Filter], ProgramPoint { has_condition: true, ..sssp() }),
        (&[Direction, Update, Frontier, Creation, Count, Dedup, DedupBy], sssp()),
        (&[Direction, Update, Creation, DedupInput, Append], sssp()),
    ];
    for (axes, point) in cases {
        let mut machine = axes.iter().fold(Capabilities::new("small"), |m, &a| m.allow_all(a));
        if axes.contains(&Creation) && !axes.contains(&Parallelism) {
            // The sliding queue belongs to machines that split work by `par`.
            let others = FrontierCreation::ALL.split_last().unwrap().1;
            machine = machine.forbid(Creation).allow(Creation, others);
        }
        let expected: HashSet<SimpleSchedule> = plain_product(&machine, axes)
            .into_iter()
            .filter(|s| s.legal(point).is_ok() && !could_say_more(s, &machine, axes, point))
            .collect();
        let space = Space::simple_only(point, &machine);
        let found: Vec<SimpleSchedule> = space.iter().map(|s| *s.as_simple().unwrap()).collect();
        assert_eq!(found.len() as u128, space.count(), "{axes:?}");
        let found: HashSet<_> = found.into_iter().collect();
        assert_eq!(found.len() as u128, space.count(), "{axes:?} repeats");
        let odd: Vec<String> = found.symmetric_difference(&expected).take(5).map(|s| s.to_string()).collect();
        assert!(odd.is_empty(), "{axes:?}: {odd:?}");
    }
}

#[test]
fn members_are_legal_supported_and_indexed_in_order() {
    let machine = thesis_gpu().allow_hybrids(Criterion::ALL);
    let space = Space::new(&bfs(), &machine);
    // 36 pushes x 72 pulls x 4 criteria x 4 thresholds.
    assert_eq!(space.hybrid_count(), 36 * 72 * 4 * 4);
    let all: Vec<Schedule> = space.iter().collect();
    assert_eq!(all.len() as u128, space.count());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    for (i, s) in all.iter().enumerate() {
        if i % 7 == 0 {
            assert_eq!(s.legal(&bfs()), Ok(()), "{s}");
            assert_eq!(machine.unsupported(s), [], "{s}");
            assert_eq!(space.get(i as u128).as_ref(), Some(s));
        }
    }
    assert_eq!(space.get(space.count()), None);
    // Without a `from` set its size cannot be measured, so that criterion is left out.
    let no_from = ProgramPoint { from: Sources::All, ..bfs() };
    let by_size = Space::new(&no_from, &machine)
        .iter()
        .any(|s| matches!(s, Schedule::Hybrid(h) if h.criterion == Criterion::InputSize));
    assert!(!by_size);
}

#[test]
fn the_whole_space_is_counted_and_sampled() {
    let machine = Capabilities::everything("any");
    for kind in PointKind::ALL {
        let point = ProgramPoint {
            kind: *kind,
            frontier_loop: true,
            ..match kind {
                PointKind::EdgeOperator => bfs(),
                _ => sssp(),
            }
        };
        let space = Space::new(&point, &machine);
        assert!(space.count() > 1, "{kind}");
        let sample = space.sample(7, 300);
        assert_eq!(sample, space.sample(7, 300), "{kind}: same seed, same sample");
        let different: HashSet<_> = sample.iter().collect();
        assert_eq!(different.len(), sample.len(), "{kind}: no repeats");
        for s in &sample {
            assert_eq!(s.legal(&point), Ok(()), "{kind}: {s}");
            assert_eq!(s.to_string().parse().as_ref(), Ok(s));
        }
        if space.count() > 300 {
            assert_eq!(sample.len(), 300);
            assert_ne!(sample, space.sample(8, 300), "{kind}: another seed");
        } else {
            assert_eq!(sample.len() as u128, space.count());
        }
    }
}

#[test]
fn a_machine_says_what_it_cannot_run() {
    let machine = thesis_gpu().allow_hybrids(&[Criterion::InputSize]);
    let sentences: Vec<String> = [
        "push,lb=etwc,create=unfused-bitmap",
        "dense-push",
        "push,lb=vw16",
        "push,par=serial",
        "hybrid",
        "adaptive,by=tree.m+push+pull",
        "hybrid,by=input-size,at=0.1+push,count=warp+pull,count=warp",
    ]
    .iter()
    .map(|text| {
        let reasons = machine.unsupported(&text.parse().unwrap());
        let lines: Vec<String> = reasons.iter().map(|r| format!("    {r}")).collect();
        format!("{text}\n{}", lines.join("\n"))
    })
    .collect();
    insta::assert_snapshot!(sentences.join("\n"));
}
