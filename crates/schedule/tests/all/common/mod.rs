//! Random schedules over the whole space, legal or not.

// Each test file uses its part.
#![allow(dead_code)]

use gw_schedule::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// One axis: unset, any representative value, any number, any argument.
fn axis_value(axis: Axis) -> BoxedStrategy<SimpleSchedule> {
    let listed = prop::sample::select(axis.representatives());
    let numeric = axis.rows().iter().any(|row| row.word == "argv<k>");
    let chosen = if numeric {
        let number =
            prop_oneof![any::<u64>().prop_map(|n| n.to_string()), any::<u32>().prop_map(|k| format!("argv{k}")),];
        let free = number.prop_map(move |text| {
            let mut s = SimpleSchedule::default();
            assert!(s.set_text(axis, &text));
            s
        });
        prop_oneof![listed, free].boxed()
    } else if axis == Axis::LoadBalance {
        let warp = (0u32..6, 1u16.., 0u32..6)
            .prop_map(|(lanes, chunk, min)| [format!("vw{}-{chunk}", 1 << lanes), format!("dvw{}", 1 << min)]);
        let free = (warp, any::<bool>()).prop_map(|(texts, which)| {
            let mut s = SimpleSchedule::default();
            assert!(s.set_text(Axis::LoadBalance, &texts[usize::from(which)]));
            s
        });
        prop_oneof![listed, free].boxed()
    } else {
        listed.boxed()
    };
    option::weighted(0.3, chosen).prop_map(Option::unwrap_or_default).boxed()
}

pub fn simple() -> impl Strategy<Value = SimpleSchedule> {
    let axes: Vec<_> = Axis::ALL.iter().map(|&axis| axis_value(axis)).collect();
    axes.prop_map(|parts| parts.iter().fold(SimpleSchedule::default(), |all, part| all.or(part)))
}

fn fraction() -> impl Strategy<Value = Fraction> {
    prop_oneof![0.0f64..1.0, 0.0f64..1e12, Just(0.0)].prop_map(|x| Fraction::new(x).unwrap())
}

fn criterion() -> impl Strategy<Value = Criterion> {
    prop::sample::select(Criterion::ALL)
}

fn name() -> impl Strategy<Value = Name> {
    "[A-Za-z0-9_.-]{1,12}".prop_map(|s| Name::new(s).unwrap())
}

fn label() -> impl Strategy<Value = Label> {
    "[A-Za-z0-9_-]{1,4}(:[A-Za-z0-9_-]{1,4}){0,2}".prop_map(|s| Label::new(s).unwrap())
}

pub fn schedule() -> impl Strategy<Value = Schedule> {
    let threshold = prop_oneof![fraction().prop_map(Param::Value), any::<u32>().prop_map(Param::Argv)];
    let hybrid = (criterion(), threshold, simple(), simple())
        .prop_map(|(c, t, first, second)| Schedule::Hybrid(Hybrid { criterion: c, threshold: t, first, second }));
    let chooser = prop_oneof![
        (criterion(), vec(fraction(), 0..4))
            .prop_map(|(criterion, thresholds)| { Chooser::Threshold { criterion, thresholds } }),
        name().prop_map(Chooser::Tree),
        name().prop_map(Chooser::Oracle),
    ];
    let adaptive = (chooser, vec(simple(), 1..4))
        .prop_map(|(chooser, candidates)| Schedule::Adaptive(Adaptive { candidates, chooser }));
    prop_oneof![simple().prop_map(Schedule::Simple), hybrid, adaptive]
}

fn transform() -> impl Strategy<Value = Transform> {
    prop_oneof![
        vec(name(), 2..5).prop_map(Transform::FuseFields),
        (label(), label(), label(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c, n, m)| {
            Transform::SplitForLoop { target: a, first: b, second: c, first_count: n, second_count: m }
        }),
        (label(), label(), label()).prop_map(|(a, b, c)| Transform::FuseForLoop { first: a, second: b, fused: c }),
        (label(), label(), name()).prop_map(|(a, b, n)| Transform::FuseApplyFunctions { first: a, second: b, name: n }),
        (name(), prop::sample::select(SetForm::ALL)).prop_map(|(name, form)| Transform::SetVertexSet { name, form }),
    ]
}

pub fn program() -> impl Strategy<Value = ProgramSchedule> {
    (
        option::of(prop::sample::select(Family::ALL)),
        vec(transform(), 0..3),
        option::of(schedule()),
        vec((label(), schedule()), 0..4),
    )
        .prop_map(|(family, transforms, everywhere, labels)| {
            let mut program = ProgramSchedule::new();
            program.set_family(family);
            for t in transforms {
                program.push_transform(t);
            }
            program.set_everywhere(everywhere);
            for (label, schedule) in labels {
                program.insert(label, schedule);
            }
            program
        })
}
