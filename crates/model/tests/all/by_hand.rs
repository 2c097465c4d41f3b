//! Evaluation of a small tree on a small table, checked by hand.

use gw_lab::{StepTable, StepTimes, Variant};
use gw_model::{
    Candidate, Fractions, Guard, Learning, Model, Places, Scope, choices, evaluate, export, show, validate,
};
use gw_schedule::Feature;

use crate::made_up::{features, graph, implementation};

/// Three implementations on two graphs; the frontier of each step is its first number.
pub fn table() -> StepTable {
    let step = |(frontier, seconds): &(f64, [f64; 3])| StepTimes {
        features: features(&[(Feature::Frontier, *frontier)]),
        seconds: seconds.to_vec(),
    };
    let variant = |id: i64, graph, steps: &[(f64, [f64; 3])]| Variant {
        id,
        graph,
        config: "root 0".into(),
        totals: vec![f64::NAN; 3],
        steps: steps.iter().map(step).collect(),
    };
    StepTable {
        program: "bfs-levels".into(),
        platform: "paper".into(),
        implementations: ["push", "pull", "queue"].iter().enumerate().map(|(i, n)| implementation(i, n)).collect(),
        graphs: vec![graph(1, "small", "road"), graph(2, "large", "social")],
        variants: vec![
            // Answers: unknown, pull, unknown, weak queue.
            variant(
                1,
                0,
                &[(5.0, [2.0, 1.0, 4.0]), (50.0, [9.0, 3.0, 4.0]), (5.0, [2.0, 6.0, 4.0]), (900.0, [7.0, 5.0, 30.0])],
            ),
            // Answers: pull, unknown.
            variant(2, 1, &[(50.0, [1.0, 2.0, 3.0]), (5.0, [8.0, 6.0, 2.0])]),
        ],
        ..StepTable::default()
    }
}

pub fn model(tree: &str) -> Model {
    let candidate = |(i, name): (usize, &&str)| Candidate {
        name: (*name).into(),
        schedule: "push".into(),
        implementation: i as i64,
    };
    Model {
        format: Model::FORMAT,
        name: "tree".into(),
        algorithm: "bfs".into(),
        program: "bfs-levels".into(),
        target: "cpu".into(),
        platform: "paper".into(),
        label: "s0:s1".into(),
        candidates: ["push", "pull", "queue"].iter().enumerate().map(candidate).collect(),
        tree: tree.parse().unwrap(),
        features: Vec::new(),
        ties: Vec::new(),
        learning: Learning { fractions: Fractions { graphs: 0.5, ..Fractions::default() }, ..Learning::default() },
        datasets: vec!["made-up".into()],
        training_graphs: vec!["small".into()],
        held_out_graphs: vec!["large".into()],
        training_rows: 4,
        all_rows: 6,
        training: None,
        created: "2026-01-01T00:00:00Z".into(),
        commit: None,
    }
}

const TREE: &str = "(frontier<=10?{0,2}:(frontier<=100?1:2!))";

#[test]
fn unknown_leaves_keep_the_choice_before() {
    let (table, model) = (table(), model(TREE));
    let places = Places::find(&model, &table).unwrap();
    let chosen = |x: usize, guard| -> Vec<usize> {
        choices(&model, &places, &table.variants[x], guard).iter().map(|choice| choice.implementation).collect()
    };
    // The safe one at the first step; then pull, which stays; then the weak answer.
    assert_eq!(chosen(0, Guard::Off), [0, 1, 1, 2]);
    assert_eq!(chosen(0, Guard::On), [0, 1, 1, 0]);
    assert_eq!(chosen(1, Guard::Off), [1, 1]);

    let all = evaluate(&[&model], &table, Scope::All).unwrap();
    // Optimal: 1 + 3 + 2 + 5 and 1 + 2. The tree: 2 + 3 + 6 + 30 and 2 + 6. Guarded: 7 in place of 30.
    let row = |name: &str| all.comparison.row(name).unwrap();
    assert_eq!(all.comparison.baseline_seconds, 14.0);
    assert_eq!(row("tree").total, 49.0 / 14.0);
    assert_eq!(row("tree").worst, 41.0 / 11.0);
    assert_eq!(row("tree (guarded)").total, 26.0 / 14.0);
    // Single choices: push 20 and 9, pull 15 and 8, queue 42 and 5.
    assert_eq!(row("Best Non-switching").total, 20.0 / 14.0);
    assert_eq!(all.comparison.best_fixed().unwrap().name, "pull");
    let conduct = &all.models[0];
    assert_eq!((conduct.steps, conduct.unknown, conduct.weak, conduct.switches), (6, 3, 1, 2));

    // Held out is the graph that is not in the list of training.
    let held_out = evaluate(&[&model], &table, Scope::HeldOut).unwrap();
    assert_eq!((held_out.comparison.variants, held_out.comparison.left_out), (1, 0));
    assert_eq!(held_out.comparison.row("tree").unwrap().total, 8.0 / 3.0);
    assert_eq!(held_out.graphs.len(), 1);
    assert_eq!((held_out.graphs[0].graph.as_str(), held_out.graphs[0].best_single), ("large", 5.0 / 3.0));

    // A model that learned from all graphs that were there has not seen those that came later.
    let mut whole = model.clone();
    whole.learning.fractions = Fractions::default();
    let later = evaluate(&[&whole], &table, Scope::HeldOut).unwrap();
    assert_eq!(later.comparison.variants, 1);
    whole.training_graphs.push("large".into());
    let nothing = evaluate(&[&whole], &table, Scope::HeldOut).unwrap_err().to_string();
    assert!(nothing.contains("has learned from everything"), "{nothing}");
}

#[test]
fn answers_are_counted() {
    let (table, model) = (table(), model(TREE));
    let all = validate(&model, &table, Scope::All).unwrap();
    // Labels: pull, pull, push, pull; push, queue. Answers: {push, queue}, pull, {push, queue}, queue; pull, {push,
    // queue}.
    assert_eq!((all.right, all.partial, all.wrong, all.unknown, all.near), (1, 2, 2, 1, 0));
    assert_eq!((all.hard_error(), all.soft_error()), (2.0 / 6.0, 4.0 / 6.0));
    let held_out = validate(&model, &table, Scope::HeldOut).unwrap();
    assert_eq!((held_out.partial, held_out.wrong, held_out.rows()), (1, 1, 2));
}

#[test]
fn steps_are_shown_with_their_reasons() {
    let (table, model) = (table(), model(TREE));
    let steps = show(&model, &table, "small", "root 0").unwrap();
    let rules = |step: usize| steps[step].path.iter().map(|rule| rule.to_string()).collect::<Vec<_>>();
    assert_eq!(rules(3), ["frontier=900 > 10", "frontier=900 > 100"]);
    assert_eq!((steps[3].choice.as_str(), steps[3].best.as_str(), steps[3].weak), ("queue", "pull", true));
    assert!(steps[0].unknown && !steps[1].unknown);
    let wrong = show(&model, &table, "small", "root 7").unwrap_err().to_string();
    assert_eq!(wrong, "no variant `root 7` of the graph `small` was measured; variants of this graph: root 0");
    let wrong = show(&model, &table, "tiny", "root 7").unwrap_err().to_string();
    assert!(wrong.ends_with("graphs: large, small"), "{wrong}");
}

#[test]
fn a_model_meets_another_machine() {
    let mut table = table();
    table.platform = "other".into();
    table.implementations[1].name = "pull-2".into();
    let model = model(TREE);
    let evaluation = evaluate(&[&model], &table, Scope::All).unwrap();
    assert_eq!(evaluation.models[0].missing, ["pull"]);
    // Where it wants pull, push stays: 2 + 9 + 2 + 30 and 1 + 8.
    assert_eq!(evaluation.comparison.row("tree").unwrap().total, 52.0 / 14.0);
    table.implementations.iter_mut().for_each(|i| i.name += "?");
    let unfit = evaluate(&[&model], &table, Scope::All).unwrap_err().to_string();
    assert!(unfit.contains("none of its candidates was measured there: push, pull, queue"), "{unfit}");
}

#[test]
fn nothing_held_out_is_an_error_with_a_mend() {
    let (table, mut model) = (table(), model(TREE));
    model.training_graphs.push("large".into());
    assert!(evaluate(&[&model], &table, Scope::HeldOut).unwrap_err().to_string().contains("--all"));
    model.learning.fractions = Fractions::default();
    assert!(evaluate(&[&model], &table, Scope::HeldOut).unwrap_err().to_string().contains("--train-graphs"));
    // What was drawn from other rows cannot be drawn again.
    model.learning.fractions = Fractions { variants: 0.5, ..Fractions::default() };
    model.all_rows = 7;
    let unfit = evaluate(&[&model], &table, Scope::HeldOut).unwrap_err().to_string();
    assert!(unfit.contains("from 7 rows of paper, here are 6 of paper"), "{unfit}");
    model.all_rows = 6;
    assert_eq!(evaluate(&[&model], &table, Scope::HeldOut).unwrap().comparison.variants, 1);
    model.learning.fractions = Fractions { steps: 0.5, ..Fractions::default() };
    let steps = evaluate(&[&model], &table, Scope::HeldOut).unwrap();
    assert_eq!(steps.models[0].steps, 3);
}

#[test]
fn json_has_the_nodes() {
    let text = export(&model(TREE), gw_model::Export::Json);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["features"], serde_json::json!(["frontier"]));
    let right: Vec<i64> =
        value["nodes"].as_array().unwrap().iter().map(|node| node["right"].as_i64().unwrap()).collect();
    assert_eq!(right, [2, -1, 4, 1, 2]);
    assert_eq!(value["nodes"][4]["weak"], true);
}
