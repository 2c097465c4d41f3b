//! `gw criteria`, run as a person would.

use crate::common;
use std::path::Path;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../criteria/tests/h200/primitives.csv");

fn success(args: &[&str]) -> String {
    common::success(Path::new("."), args)
}

#[test]
fn a_kernel_is_told_what_would_help() {
    let told = success(&["criteria", TABLE, "--kernel", "transpose_tile<0", "--elapsed", "0.0010"]);
    assert!(told.starts_with("1 kernel, "), "{told}");
    assert!(told.contains("HSync") && told.contains("1. SMem_eff 0.06, at most"), "{told}");
    let object = common::json(Path::new("."), &["criteria", TABLE, "--json"]);
    assert_eq!(object["kernels"].as_array().unwrap().len(), 24, "{object}");
    assert!(object["criteria"]["Gran_L2"].as_f64().unwrap() > 0.0, "{object}");
    let metrics = success(&["criteria", "--metrics"]);
    assert!(metrics.starts_with("gpu__time_duration.sum,launch__block_size,") && metrics.lines().count() == 1);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let failure = |args: &[&str], code| common::failure(Path::new("."), args, code);
    let error = failure(&["criteria", TABLE, "--kernel", "nobody"], 1);
    assert!(error.contains("primitives.csv: no kernel has `nobody` in its name"), "{error}");
    assert!(failure(&["criteria", "/nowhere.csv"], 2).contains("cannot read /nowhere.csv"));
    assert!(failure(&["criteria", TABLE, "--elapsed", "0"], 2).contains("--elapsed 0: seconds above 0"));
}
