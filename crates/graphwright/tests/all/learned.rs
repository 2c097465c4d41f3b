//! The learned choice: what a model changes, where it may, and what it says.

use graphwright::machine::{MachineOptions, Machines};
use graphwright::schedule::Wanted;
use graphwright::{Machine, Program, programs};
use gw_exec::{Choice, RunOptions};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_learned::features::graph_numbers;
use gw_learned::model::ChoiceModel;
use gw_learned::portfolio::{Candidate, PlaceKind};

fn graph(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap_or_else(|e| panic!("{spec}: {e}")).graph
}

fn machine() -> Machine {
    Machines::standard().open("cpu", &MachineOptions { threads: 2 }).unwrap_or_else(|e| panic!("{e}"))
}

/// A model with these candidates and trees at operators with a frontier.
fn model(judges: &[(&str, &str)]) -> ChoiceModel {
    let judges: Vec<String> =
        judges.iter().map(|(schedule, tree)| format!(r#"{{"schedule":"{schedule}","trees":["{tree}"]}}"#)).collect();
    let text = text(&kind("frontier", &judges.join(",")));
    ChoiceModel::parse("test", &text).unwrap_or_else(|e| panic!("{e}"))
}

/// The text of a kind of place with these candidates. All classes of operators have them.
fn kind(word: &str, candidates: &str) -> String {
    format!(r#"{{"{word}":{{"*":[{candidates}]}}}}"#)
}

fn text(kinds: &str) -> String {
    format!(
        r#"{{"version":1,"target":"cpu","hardware":[],"graphs":2,"programs":3,"edges":[10,4000],"threads":[1,2],
            "margin":0.1,"doubt":1.0,"judged":null,
            "kinds":{kinds}}}"#
    )
}

/// The schedule and the first reason for a program on a graph, and the number of places that changed.
fn improved(model: &ChoiceModel, program: &str, spec: &str) -> (String, String, usize) {
    let machine = machine();
    let program = Program::find(program).unwrap_or_else(|e| panic!("{e}"));
    let (module, mut choice): (_, Choice) = machine.vm().choose(program.module().clone(), &graph(spec));
    let changed = model.improve(machine.vm(), &module, &graph(spec), &mut choice);
    let because = choice.reasons.last().map(|reason| reason.because.clone()).unwrap_or_default();
    (choice.schedule.to_string(), because, changed)
}

#[test]
fn a_candidate_takes_the_place_of_the_rule_where_it_promises_a_gain() {
    let model = model(&[("push,par=serial", "(mean-degree<=3?-0.5:0.5)"), ("pull,par=serial", "-0.05")]);
    let (schedule, because, changed) = improved(&model, "cc", "road:20x20");
    assert_eq!((schedule.as_str(), changed), ("s0:s1@push,par=serial", 1));
    assert!(because.contains("3 programs on 2 graphs") && because.contains("61 %"), "{because}");
    assert!(because.contains("mean-degree"), "{because}");
    // Dense graphs stay with the rule, and a gain within the margin changes nothing.
    let (schedule, because, changed) = improved(&model, "cc", "kron:8");
    assert!(schedule.contains("hybrid") && changed == 0 && !because.contains("learned"), "{schedule}");
}

#[test]
fn graphs_and_machines_beyond_the_surveys_keep_the_rule() {
    let model = model(&[("push,par=serial", "-0.5")]);
    assert_eq!(improved(&model, "cc", "road:20x20").2, 1);
    assert_eq!(improved(&model, "cc", "road:90x90").2, 0);
    let few = text(&kind("frontier", r#"{"schedule":"push,par=serial","trees":["-0.5"]}"#)).replace("[1,2]", "[8,16]");
    let few = ChoiceModel::parse("test", &few).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(improved(&few, "cc", "road:20x20").2, 0);
}

#[test]
fn trees_that_disagree_change_nothing() {
    let judge = kind("frontier", r#"{"schedule":"push,par=serial","trees":["-0.9","0.3"]}"#);
    let model = ChoiceModel::parse("test", &text(&judge)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(improved(&model, "cc", "road:20x20").2, 0);
}

#[test]
fn an_operator_of_a_class_that_was_not_surveyed_keeps_the_rule() {
    let judge = r#"{"frontier":{"1111111111111111":[{"schedule":"push,par=serial","trees":["-1"]}]}}"#;
    let model = ChoiceModel::parse("test", &text(judge)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(improved(&model, "cc", "road:20x20").2, 0);
}

#[test]
fn what_is_not_legal_or_not_possible_falls_out() {
    // A machine without load balancing, then a schedule for priority queues, then one that fits.
    let model = model(&[("push,lb=strict", "-0.9"), ("push,update=lazy", "-0.8"), ("push,par=serial", "-0.3")]);
    assert_eq!(improved(&model, "bfs", "kron:6").0, "s0:s1@push,par=serial");
    // Whatever is chosen, every program passes the passes of the compiler.
    for program in programs() {
        for kind in PlaceKind::ALL {
            for candidate in kind.texts() {
                let judge = format!(r#"{{"schedule":"{candidate}","trees":["-1"]}}"#);
                let judge = self::kind(kind.word(), &judge);
                let model = ChoiceModel::parse("test", &text(&judge)).unwrap_or_else(|e| panic!("{e}"));
                let machine = machine();
                let found = Program::find(program.name).unwrap_or_else(|e| panic!("{e}"));
                let small = graph("kron:4:weights=1..9");
                let (module, mut choice) = machine.vm().choose(found.module().clone(), &small);
                model.improve(machine.vm(), &module, &small, &mut choice);
                let options = gw_ir::Options::default();
                let passed = gw_ir::run_pipeline(module, &choice.schedule, &options);
                assert!(passed.is_ok(), "{} under {}", program.name, choice.schedule);
            }
        }
    }
}

#[test]
fn a_bad_model_file_is_refused_with_what_is_wrong() {
    let judge =
        |schedule: &str, trees: &str| kind("frontier", &format!(r#"{{"schedule":"{schedule}","trees":{trees}}}"#));
    for (text, word) in [
        ("nonsense".to_string(), "gw model choice"),
        (text("{}").replace("\"version\":1", "\"version\":7"), "version 7"),
        (text(r#"{"kitchen":{}}"#), "`kitchen` is no kind of place"),
        (text(&judge("sideways", r#"["0"]"#)), "`sideways` is no schedule"),
        (text(&judge("push", "[]")), "has no trees"),
        (text(&judge("push", r#"["(mood<=1?0:1)"]"#)), "`mood` is no feature"),
    ] {
        let refused = ChoiceModel::parse("my.json", &text);
        let words = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(words.contains("my.json") && words.contains(word), "{word}: {words}");
    }
}

#[test]
fn models_are_written_and_read() {
    let model = model(&[("push,par=dynamic,update=eager*4", "(threads<=1?-0.25:0)"), ("pull", "0.5")]);
    assert_eq!(ChoiceModel::parse("again", &model.to_text()).unwrap_or_else(|e| panic!("{e}")), model);
}

#[test]
fn the_models_that_come_along_can_be_read_and_keep_results_right() {
    for target in ["cpu", "cuda"] {
        let known = ChoiceModel::of(target);
        assert!(known.is_none_or(|model| model.is_ok_and(|model| model.about.target == target)), "{target}");
    }
    let machine = machine();
    for spec in ["road:120x120:weights=1..9", "kron:11:weights=1..9", "star:20000:weights=1..9"] {
        for name in ["bfs", "sssp", "cc", "pagerank", "bc", "kcore", "mis", "coloring", "tc", "triangles"] {
            let program = Program::find(name).unwrap_or_else(|e| panic!("{e}"));
            let opened = graphwright::Graph::open(spec).unwrap_or_else(|e| panic!("{e}"));
            let job = program.on(&opened).machine(&machine).schedule("auto");
            let job = if ["bfs", "sssp", "bc"].contains(&name) { job.arg("source", 1) } else { job };
            let run = job.run().unwrap_or_else(|e| panic!("{name} on {spec}: {e}"));
            assert!(run.verify().is_ok(), "{name} on {spec}: {}", run.decision.schedule);
        }
    }
}

#[test]
fn the_rule_stays_when_it_is_asked_for() {
    let machine = machine();
    let program = Program::find("cc").unwrap_or_else(|e| panic!("{e}"));
    let settled = program.settle(&Wanted::Rule, machine.vm(), &RunOptions::with_args(["road:40x40"]));
    let (_, choice) = machine.vm().choose(program.module().clone(), &graph("road:40x40"));
    assert_eq!(settled.decision.schedule, choice.schedule);
    assert!(settled.decision.reasons.iter().all(|reason| !reason.because.contains("learned")));
}

#[test]
fn numbers_about_a_graph_are_those_that_labs_have() {
    let numbers = graph_numbers(&graph("road:20x20"), Some(4));
    for name in ["vertices", "edges", "out-degree-max", "probe-rounds", "probe-met", "edge-distance", "threads"] {
        assert!(numbers.contains_key(name), "{name}");
    }
    assert!(Candidate::parse("push,par=serial").is_some() && Candidate::parse("push*?").is_none());
}
