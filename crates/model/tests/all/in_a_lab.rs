//! From a lab to a model and back, with real measurements of the reference machine.

use gw_exec::ReferenceVm;
use gw_lab::{
    Collection, Environment, Kind, Lab, NewGraph, NewImplementation, TableQuery, VariantPlan, build_commit, collect,
};
use gw_model::{Fractions, Learning, Scope, evaluate, load, measured, record, train};

use crate::learning::naming;

/// Three schedules of a search from two roots on three graphs.
fn lab(path: &std::path::Path) -> Lab {
    let machine = ReferenceVm::new();
    let mut lab = Lab::create(path).unwrap();
    let graphs = ["kron:6", "path:40", "star:50"].map(NewGraph::of);
    lab.add_graphs("made", &graphs).unwrap();
    let implementation = |name: &str, schedule: &str| NewImplementation {
        name: Some(name.to_string()),
        program: "bfs-levels".to_string(),
        schedule: schedule.parse().unwrap(),
        target: "reference".to_string(),
        kind: Kind::Core,
    };
    let all = [implementation("push", "s0:s1@push"), implementation("pull", "s0:s1@pull")];
    lab.add_implementations("bfs", &all).unwrap();
    lab.add_variants("bfs", VariantPlan::Roots { count: 2, seed: 1 }).unwrap();
    let platform = lab.add_platform(&Environment::of(&machine, 1), Some("here")).unwrap();
    lab.add_run_config("bfs", &platform, "made", &build_commit(), 2).unwrap();
    let settings = Collection {
        machine: &machine,
        threads: 1,
        property_machine: &machine,
        time_limit: None,
        stop_after: None,
        retries: 1,
        graph_folder: None,
        energy: None,
        cancel: Default::default(),
    };
    let collected = collect(&mut lab, &settings, &mut ()).unwrap();
    assert!(collected.problems.is_empty(), "{:?}", collected.problems);
    lab
}

#[test]
fn a_model_is_trained_from_a_lab_and_kept_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(&folder.path().join("my.lab"));
    let query = TableQuery { algorithm: "bfs".into(), ..TableQuery::default() };
    let found = measured(&lab, &query, None).unwrap();
    assert_eq!((found.table.program.as_str(), found.table.variants.len()), ("bfs-levels", 6));
    assert_eq!(found.commit, Some(build_commit()));

    let fractions = Fractions { graphs: 0.7, ..Fractions::default() };
    let naming = gw_model::Naming { commit: found.commit, ..naming() };
    let model = train(&found.table, &naming, &Learning { fractions, ..Learning::default() }).unwrap();
    assert_eq!((model.target.as_str(), model.platform.as_str()), ("reference", "here"));
    assert_eq!((model.training_graphs.len(), model.held_out_graphs.len()), (2, 1));
    lab.store_model(&record(&model, Some("a test".to_string()))).unwrap();
    assert_eq!(load(&lab, "tree").unwrap(), model);
    let kept = lab.model("tree").unwrap();
    assert_eq!((kept.train_graphs, kept.datasets, kept.seed), (0.7, vec!["made".to_string()], 1));

    // Two roots on the graph that was held out.
    let evaluation = evaluate(&[&model], &found.table, Scope::HeldOut).unwrap();
    assert_eq!(evaluation.comparison.variants, 2);

    let other = measured(&lab, &query, Some("bfs")).unwrap_err().to_string();
    assert_eq!(other, "--program: no measured implementation runs `bfs`; there are: bfs-levels");
    assert!(load(&lab, "bush").unwrap_err().is_usage());
}
