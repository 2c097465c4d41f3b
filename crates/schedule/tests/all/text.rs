//! The text form: what is printed reads back, what is read prints canonically, what is wrong is named.

use crate::common;
use gw_schedule::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn schedules_read_back(s in common::schedule()) {
        let text = s.to_string();
        prop_assert!(
            text.chars().all(|c| c.is_ascii_alphanumeric() || ",=+.-_".contains(c)),
            "unsafe in a file name: {}", text
        );
        prop_assert_eq!(text.parse::<Schedule>().unwrap(), s.clone());
        let json = serde_json::to_string(&s).unwrap();
        prop_assert_eq!(serde_json::from_str::<Schedule>(&json).unwrap(), s);
    }

    #[test]
    fn simple_schedules_read_back_in_any_order(
        s in common::simple(),
        seed in any::<usize>(),
    ) {
        let text = s.to_string();
        let mut items: Vec<&str> = text.split(',').collect();
        let by = seed % items.len();
        items.rotate_left(by);
        let read: SimpleSchedule = items.join(" , ").parse().unwrap();
        prop_assert_eq!(read, s);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn programs_read_back(p in common::program()) {
        let text = p.to_string();
        prop_assert_eq!(text.parse::<ProgramSchedule>().unwrap(), p.clone());
        let json = serde_json::to_string(&p).unwrap();
        prop_assert_eq!(serde_json::from_str::<ProgramSchedule>(&json).unwrap(), p);
    }

    #[test]
    fn mutilated_text_never_panics_and_points_inside(
        p in common::program(),
        cut in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "=", "+", ",", ";", "@", "argv[", "hybrid", "é", " "]),
    ) {
        let text = p.to_string();
        let i = cut.index(text.len());
        let broken = format!("{}{with}{}", &text[..i], &text[i + 1..]);
        match broken.parse::<ProgramSchedule>() {
            Ok(read) => prop_assert_eq!(read.to_string().parse::<ProgramSchedule>().unwrap(), read),
            Err(e) => {
                prop_assert!(e.position <= broken.len());
                prop_assert!(broken[e.position..].starts_with(&e.word), "{} in {}", e, broken);
            }
        }
    }
}

#[test]
fn canonical_forms() {
    let canonical = |text: &str| text.parse::<ProgramSchedule>().unwrap().to_string();
    for (text, expected) in [
        ("default", "default"),
        ("push", "push"),
        ("direction=sparse-push", "push"),
        ("lb=twce,push", "push,lb=etwc"),
        ("lb=edge-only,block=0x42000", "lb=edge-only,block=270336"),
        ("delta=argv[3]", "delta=argv3"),
        ("lb=vw16-1", "lb=vw16"),
        ("hybrid", "hybrid,by=input-work,at=0.05+push+pull"),
        (
            "hybrid,by=input-size,at=argv[2]+push,lb=etwc+pull,frontier=bitvector",
            "hybrid,by=input-size,at=argv2+push,lb=etwc+pull,frontier=bitmap",
        ),
        ("adaptive,by=tree.bfs-h200+push+pull", "adaptive,by=tree.bfs-h200+push+pull"),
        (
            "adaptive,by=edges-ahead,at=0.010_0.2+push+push,lb=etwc+pull",
            "adaptive,by=edges-ahead,at=0.01_0.2+push+push,lb=etwc+pull",
        ),
        (" s0:s1 @ push , lb = etwc ; s0@loop=fused ; on=gpu ", "on=gpu;s0@loop=fused;s0:s1@push,lb=etwc"),
        ("do=fuse-fields,a,b;pull", "do=fuse-fields,a,b;pull"),
        ("s1@default", "s1@default"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(expected), expected);
    }
    assert_eq!(Schedule::Hybrid(Hybrid::push_dense_push()).to_string(), "hybrid,by=input-work,at=0.05+push+dense-push");
}

#[test]
fn errors_name_the_word_and_the_nearest() {
    let messages: Vec<String> = [
        "",
        "push,,lb=etwc",
        "psuh",
        "etwc",
        "vw16",
        "push,pull",
        "lb=etwx",
        "lb=",
        "grian=4",
        "grain=many",
        "segments=-3",
        "lb=vw12",
        "push+pull",
        "hybrid+push",
        "hybrid,by=input-siez+push+pull",
        "hybrid,at=often+push+pull",
        "hybrid,over=2+push+pull",
        "hybrid,leaves=drop",
        "adaptive,by=tree.m",
        "adaptive+push",
        "adaptive,by=tree.a/b+push",
        "s 0@push",
        "s0@push;s0@pull",
        "push;pull",
        "on=gup",
        "do=fuse-feilds,a,b",
        "do=split-for-loop,a",
        "s0:s1@push,lb=strictt",
        "push,order=degree",
        "s1@push,on=gpu",
        "order=degree, s1@push",
        "order=degree,push",
        "s0:s1: push",
        "s1: lb=etwc",
    ]
    .iter()
    .map(|text| format!("{text:35} {}", text.parse::<ProgramSchedule>().unwrap_err()))
    .collect();
    insta::assert_snapshot!(messages.join("\n"));
}
