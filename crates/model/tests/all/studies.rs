//! Studies over many models: folds of graphs, shares of training data.

use gw_model::{Learning, cross_validate, curve, curve_sheet};

use crate::learning::naming;
use crate::made_up::searches;

#[test]
fn graphs_that_were_not_seen_are_served_well() {
    let table = searches(20, 3, 2);
    let outcome = cross_validate(&table, &naming(), &Learning::default(), 5).unwrap();
    let row = |name: &str| outcome.comparison.row(name).unwrap();
    println!(
        "{:#?}",
        [row("tree"), row("tree (guarded)"), row("Best Non-switching"), outcome.comparison.best_fixed().unwrap()]
    );
    println!("nodes {:?}", outcome.nodes);
    assert_eq!((outcome.folds, outcome.graphs.len(), outcome.comparison.variants), (5, 20, 60));
    assert!(row("tree").total < row("Best Non-switching").total);
    assert!(row("tree").total < 1.15 && row("tree").worst < 3.0, "{:?}", row("tree"));
    assert!(outcome.nodes.iter().all(|&nodes| nodes < 100), "{:?}", outcome.nodes);
    // Each graph alone.
    let alone = cross_validate(&searches(4, 1, 2), &naming(), &Learning::default(), 0).unwrap();
    assert_eq!(alone.folds, 4);
    let few = cross_validate(&searches(1, 1, 2), &naming(), &Learning::default(), 5).unwrap_err().to_string();
    assert!(few.contains("1 graphs with usable variants cannot be divided"), "{few}");
}

#[test]
fn a_curve_has_a_model_per_share_and_grain() {
    let table = searches(10, 2, 7);
    let points = curve(&table, &naming(), &Learning { folds: 3, ..Learning::default() }, &[0.05, 0.5, 1.0]).unwrap();
    let shares: Vec<f64> = points.iter().map(|point| point.fraction).collect();
    // A twentieth of ten graphs is none.
    assert_eq!(shares, [0.05, 0.5, 1.0, 0.05, 0.5, 1.0, 0.5, 1.0]);
    for point in &points {
        assert_eq!(point.held_out.is_some(), point.fraction < 1.0);
        assert!(point.all.total >= 1.0 && point.all.best_fixed >= point.all.best_single);
    }
    assert_eq!(curve_sheet(&points).rows.len(), points.len());
}
