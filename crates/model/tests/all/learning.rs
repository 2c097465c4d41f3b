//! What training does: separable data, regret, splits that come out again, model files.

use gw_lab::{StepTable, StepTimes, Variant};
use gw_model::{Ambiguous, Criterion, Fractions, Learning, Model, Naming, Scope, Split, evaluate, train, validate};
use gw_schedule::{Feature, StepSizes};
use proptest::prelude::*;

use crate::made_up::{Random, features, graph, implementation, searches};

pub fn naming() -> Naming {
    Naming {
        name: "tree".parse().unwrap(),
        algorithm: "bfs".into(),
        label: "s0:s1".parse().unwrap(),
        created: "2026-01-01T00:00:00Z".into(),
        commit: None,
    }
}

/// One step per variant: features by a function, and one of three implementations 10 times as fast as the others.
fn separable(rows: usize, best: impl Fn(f64, f64) -> usize, seed: u64) -> StepTable {
    let mut random = Random::new(seed);
    let mut table = StepTable {
        implementations: ["a", "b", "c"].iter().enumerate().map(|(i, name)| implementation(i, name)).collect(),
        graphs: (0..4).map(|g| graph(g, &format!("g{g}"), "any")).collect(),
        ..StepTable::default()
    };
    for x in 0..rows {
        let (one, two) = (random.between(0.0, 100.0), random.between(0.0, 1.0));
        let mut seconds = vec![10e-6; 3];
        seconds[best(one, two)] = 1e-6;
        let step = StepTimes {
            features: features(&[(Feature::Frontier, one), (Feature::FrontierShare, two)]),
            seconds: seconds.clone(),
        };
        table.variants.push(Variant {
            id: x as i64,
            graph: x % 4,
            config: format!("root {x}"),
            totals: seconds,
            steps: vec![step],
        });
    }
    table
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn separable_rows_are_learned_without_a_mistake(
        seed in any::<u64>(), at in 10.0f64..90.0, share in 0.2f64..0.8, regret in any::<bool>(),
    ) {
        let best = |one: f64, two: f64| if one <= at { 0 } else if two <= share { 1 } else { 2 };
        let table = separable(200, best, seed);
        let criterion = if regret { Criterion::Regret } else { Criterion::Gini };
        let learning = Learning { criterion, ..Learning::plain() };
        let model = train(&table, &naming(), &learning).unwrap();
        let accuracy = validate(&model, &table, Scope::All).unwrap();
        prop_assert_eq!(accuracy.right, 200);
        let training = model.training.unwrap();
        prop_assert!((training.total - 1.0).abs() < 1e-9 && (training.worst - 1.0).abs() < 1e-9);
        let importance: f64 = model.features.iter().map(|used| used.importance).sum();
        prop_assert!((importance - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_better_than_the_optimum(seed in any::<u64>(), candidates in 1usize..6, depth in 0usize..6) {
        let table = searches(5, 2, seed);
        let learning = Learning { candidates: Some(candidates), max_depth: depth, ..Learning::default() };
        let model = train(&table, &naming(), &learning).unwrap();
        prop_assert!(model.candidates.len() <= candidates && model.tree.depth() <= depth);
        let evaluation = evaluate(&[&model], &table, Scope::All).unwrap();
        for row in &evaluation.comparison.rows {
            prop_assert!(row.total >= 1.0 - 1e-9, "{row:?}");
        }
        // No tree over these candidates is better than the best of them at every step.
        let own = evaluation.comparison.row("tree (best of its candidates)").unwrap();
        prop_assert!(evaluation.comparison.row("tree").unwrap().total >= own.total - 1e-9);
    }

    #[test]
    fn a_split_comes_out_again(seed in any::<u64>(), graphs in 0.1f64..1.0, variants in 0.1f64..1.0, steps in 0.1f64..1.0) {
        let table = searches(10, 2, 1);
        let usable: Vec<usize> = (0..table.variants.len()).collect();
        let fractions = Fractions { graphs, variants, steps };
        let split = Split::draw(&table, &usable, fractions, seed);
        prop_assert_eq!(&split, &Split::draw(&table, &usable, fractions, seed));
        // The order in which the table has its variants does not matter.
        let backwards: Vec<usize> = usable.iter().rev().copied().collect();
        prop_assert_eq!(&split, &Split::draw(&table, &backwards, fractions, seed));
        let drawn = split.graphs.iter().filter(|&&drawn| drawn).count();
        prop_assert_eq!(drawn, (graphs * 10.0) as usize);
        let drawn = split.variants.iter().filter(|&&drawn| drawn).count();
        prop_assert_eq!(drawn, (variants * 20.0) as usize);
    }
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let table = searches(10, 3, 3);
    let learning = Learning { fractions: Fractions { graphs: 0.7, ..Fractions::default() }, ..Learning::default() };
    let model = train(&table, &naming(), &learning).unwrap();
    assert_eq!(model, train(&table, &naming(), &learning).unwrap());
    assert_eq!((model.training_graphs.len(), model.held_out_graphs.len()), (7, 3));
    let other = train(&table, &naming(), &Learning { seed: 99, ..learning }).unwrap();
    assert_ne!(model.training_graphs, other.training_graphs);
}

#[test]
fn costs_are_close_to_what_steps_take() {
    let table = searches(10, 2, 4);
    let learning = Learning { candidates: None, ..Learning::default() };
    let model = train(&table, &naming(), &learning).unwrap();
    let queue = model.candidates.iter().position(|candidate| candidate.name == "queue").unwrap();
    let mut step = StepSizes::first(100_000, 1_000_000);
    (step.frontier, step.frontier_edges) = (5_000, 50_000);
    let (is, should) = (model.tree.costs()[queue].seconds(&step), 3e-6 + 10e-6 + 75e-6);
    assert!((is - should).abs() < 0.03 * should, "{is} {should}");
}

#[test]
fn ties_become_sets_or_are_resolved() {
    // Rows with the same features: `a` is best in two of them, `b` in two, `c` in one.
    let mut table = separable(5, |_, _| 2, 1);
    for (x, variant) in table.variants.iter_mut().enumerate() {
        variant.steps[0].features = features(&[]);
        variant.steps[0].seconds = vec![10e-6; 3];
        variant.steps[0].seconds[[0, 1, 0, 1, 2][x]] = if x == 1 { 0.1e-6 } else { 1e-6 };
    }
    let answer = |ambiguous, total_weight| {
        let learning = Learning { ambiguous, total_weight, ..Learning::plain() };
        let model = train(&table, &naming(), &learning).unwrap();
        assert_eq!((model.ties.len(), model.ties[0].leaves, model.tree.nodes().len()), (1, 1, 1));
        let names = |set: &[u16]| -> Vec<String> {
            let mut names: Vec<String> = set.iter().map(|&c| model.candidates[usize::from(c)].name.clone()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&model.ties[0].candidates), ["a", "b"]);
        names(&model.tree.candidates())
    };
    assert_eq!(answer(Ambiguous::None, 0.0), ["a", "b"]);
    assert_eq!(answer(Ambiguous::First, 0.0).len(), 1);
    // Where `b` wins, it wins by more.
    assert_eq!(answer(Ambiguous::Ranked, 0.0), ["b"]);
}

#[test]
fn schedules_that_switch_by_themselves_are_no_candidates() {
    let mut table = searches(5, 2, 9);
    for implementation in &mut table.implementations {
        implementation.schedule = "s0:s1@hybrid".to_string();
    }
    let none = train(&table, &naming(), &Learning::default()).unwrap_err().to_string();
    assert!(none.contains("none of 6 core implementations has a simple schedule at `s0:s1`"), "{none}");
    table.implementations[4].schedule = "s0:s1@push".to_string();
    let model = train(&table, &naming(), &Learning::default()).unwrap();
    assert_eq!((model.candidates.len(), model.candidates[0].name.as_str()), (1, "queue"));
    assert_eq!(model.tree.to_string().split(';').next(), Some("0"));
}

#[test]
fn a_leaf_that_stands_on_one_graph_is_weak() {
    let mut table = separable(40, |one, _| if one <= 50.0 { 0 } else { 1 }, 8);
    for variant in &mut table.variants {
        let large = variant.steps[0].features[Feature::Frontier.index()] > 50.0;
        variant.graph = if large { 3 } else { variant.graph % 3 };
    }
    let model = train(&table, &naming(), &Learning { folds: 0, ..Learning::default() }).unwrap();
    let weak = |frontier: f64| model.tree.decide(|f| if f == Feature::Frontier { frontier } else { 0.0 }).weak;
    assert!(!weak(10.0) && weak(90.0), "{}", model.tree);
}

#[test]
fn model_files_come_back_and_bad_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bfs.model");
    let model = train(&searches(5, 2, 5), &naming(), &Learning::default()).unwrap();
    model.write(&path).unwrap();
    assert_eq!(Model::read(&path).unwrap(), model);
    // Nothing but the file is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let text = std::fs::read_to_string(&path).unwrap();
    let message = |text: &str| Model::from_json(text, "x").unwrap_err().to_string();
    assert!(message("{").starts_with("x is not a model: EOF"));
    assert!(message(&text.replace("\"format\": 1", "\"format\": 7")).contains("its format is 7, this program knows 1"));
    assert!(message(&text.replace("\"tree\": \"", "\"tree\": \"(size<=")).contains("not a decision tree"));
    assert!(message(&text.replace("s0:s1@push", "s0:s1@upward")).contains("the schedule of `"));
    let mut broken = model.clone();
    broken.tree = "9".parse().unwrap();
    assert!(message(&broken.to_json()).contains("its tree answers 9, but there are only"));
    let missing = Model::read(&folder.path().join("none")).unwrap_err().to_string();
    assert!(missing.contains("cannot read the model") && missing.contains("none"), "{missing}");
    let unwritable = model.write(&folder.path().join("no/such/folder")).unwrap_err().to_string();
    assert!(unwritable.contains("cannot write the model"), "{unwritable}");
}

#[test]
fn what_cannot_be_learned_from_is_said() {
    let message = |table: &StepTable, learning: Learning| train(table, &naming(), &learning).unwrap_err().to_string();
    assert_eq!(message(&StepTable::default(), Learning::default()), "nothing to learn from: no variant was measured");
    let mut table = searches(2, 1, 1);
    for variant in &mut table.variants {
        variant.steps[0].seconds[variant.graph] = f64::NAN;
    }
    assert!(message(&table, Learning::default()).contains("none of 2 variants has times of all 6 core"));
    let allowed = Learning { skip_incomplete: false, ..Learning::default() };
    let rows: usize = table.variants.iter().map(|variant| variant.steps.len()).sum();
    assert_eq!(train(&table, &naming(), &allowed).unwrap().training_rows, rows);
    let few = Learning { fractions: Fractions { graphs: 0.01, ..Fractions::default() }, ..allowed.clone() };
    assert!(message(&table, few).contains("draw more"));
    assert!(message(&table, Learning { candidates: Some(0), ..allowed.clone() }).starts_with("--candidates: "));
    table.variants[1].steps[3].features[Feature::DegreeMax.index()] = f64::NAN;
    assert!(message(&table, allowed).contains("has no value for the feature `degree-max`"));
}

#[test]
fn twenty_thousand_rows_take_seconds() {
    let mut random = Random::new(11);
    let mut table = StepTable {
        implementations: (0..60).map(|i| implementation(i, &format!("i{i}"))).collect(),
        graphs: (0..50).map(|g| graph(g, &format!("g{g}"), "any")).collect(),
        ..StepTable::default()
    };
    for x in 0..1000 {
        let steps = (0..20).map(|_| {
            let mut values = [0.0; Feature::COUNT];
            values.iter_mut().for_each(|value| *value = random.unit());
            let seconds = (0..60).map(|i| 1e-6 * (1.0 + (values[i % 35] * 7.0 + i as f64).sin().abs())).collect();
            StepTimes { features: values, seconds }
        });
        table.variants.push(Variant {
            id: x as i64,
            graph: x % 50,
            config: format!("root {x}"),
            totals: vec![f64::NAN; 60],
            steps: steps.collect(),
        });
    }
    let start = std::time::Instant::now();
    let learning = Learning { candidates: None, folds: 0, max_depth: 8, ..Learning::default() };
    let model = train(&table, &naming(), &learning).unwrap();
    println!("{} rows, {} nodes: {:?}", model.training_rows, model.tree.nodes().len(), start.elapsed());
    assert_eq!(model.training_rows, 20_000);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

/// Two implementations take turns at being the fastest, by 1 us of 10. A third model alternates between them.
fn taking_turns(extra: f64) -> StepTable {
    let mut table = StepTable {
        implementations: ["even", "odd", "alt"].iter().enumerate().map(|(i, name)| implementation(i, name)).collect(),
        ..StepTable::default()
    };
    table.implementations[2].is_core = false;
    let choices: Vec<u16> = (0..20).map(|step| step % 2).collect();
    for g in 0..6 {
        table.graphs.push(graph(g, &format!("g{g}"), "any"));
        let step = |i: usize| StepTimes {
            features: features(&[(Feature::Iteration, i as f64), (Feature::Frontier, (i % 2) as f64)]),
            seconds: match i % 2 {
                0 => vec![9e-6, 10e-6, 9e-6 + extra],
                _ => vec![10e-6, 9e-6, 9e-6 + extra],
            },
        };
        let steps: Vec<StepTimes> = (0..20).map(step).collect();
        let totals = vec![190e-6, 190e-6, 180e-6];
        table.variants.push(Variant { id: g as i64, graph: g, config: "root 0".into(), totals, steps });
    }
    let text = format!(
        r#"{{"name": "alt", "program": "bfs-levels", "target": "cpu", "label": "s0:s1", "tree": "{}",
            "candidates": [{{"name": "even", "schedule": "s0:s1@push"}}, {{"name": "odd", "schedule": "s0:s1@push"}}]}}"#,
        gw_schedule::Tree::replay(&choices)
    );
    let adviser = graphwright::schedule::Adviser::parse("alt", &text).unwrap();
    table.switching = gw_lab::Switching::measured(&table, &[None, None, Some(adviser)]);
    table
}

#[test]
fn a_model_switches_when_that_pays() {
    let learning = Learning { features: vec![Feature::Frontier], folds: 0, ..Learning::default() };
    // A fifth of a microsecond per switch is less than staying loses, five are more.
    for (extra, leaves) in [(0.2e-6, 2), (5e-6, 1)] {
        let table = taking_turns(extra);
        let model = train(&table, &naming(), &learning).unwrap();
        assert_eq!(model.tree.candidates().len(), leaves, "{extra}: {}", model.tree);
        let free = train(&table, &naming(), &Learning { switching: false, ..learning.clone() }).unwrap();
        assert_eq!(free.tree.candidates().len(), 2);
        // What it does is judged with what switching costs: 19 switches.
        let judged = evaluate(&[&model], &table, Scope::All).unwrap();
        let total = |name: &str| judged.comparison.rows.iter().find(|row| row.name == name).unwrap().total;
        assert!((total("tree (switching free)") - if leaves == 2 { 1.0 } else { 190.0 / 180.0 }).abs() < 1e-6);
        let expected = if leaves == 2 { (180e-6 + 19.0 * extra) / 180e-6 } else { 190.0 / 180.0 };
        assert!((total("tree") - expected).abs() < 1e-6, "{extra}: {}", total("tree"));
    }
}
