//! `gw meter` as a person uses it.

use crate::common::{failure, success};

#[test]
fn a_quick_measurement_is_kept_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let measured = success(folder.path(), &["meter", "--quick", "--out", "sheet.json"]);
    assert!(measured.contains("kept in sheet.json") && measured.contains("DRAM"), "{measured}");
    let shown = success(folder.path(), &["meter", "show", "sheet.json"]);
    assert!(measured.starts_with(&shown), "{shown}");
    let wrote = success(folder.path(), &["meter", "show", "sheet.json", "--html", "page.html"]);
    assert!(wrote.contains("wrote page.html"), "{wrote}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("by the quick benchmarks"));
}

#[test]
fn a_lab_keeps_sheets() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let told = failure(at, &["meter", "--quick", "--lab", "gone.lab"], 2);
    assert!(told.contains("gw lab init"), "{told}");
    success(at, &["lab", "init", "my.lab"]);
    let told = failure(at, &["meter", "show", "--lab", "my.lab"], 2);
    assert!(told.contains("gw meter --target cpu --lab"), "{told}");
    let measured = success(at, &["meter", "--quick", "--out", "sheet.json", "--lab", "my.lab"]);
    assert!(measured.contains("kept in sheet.json and in the lab my.lab"), "{measured}");
    let shown = success(at, &["meter", "show", "--lab", "my.lab"]);
    assert_eq!(shown, success(at, &["meter", "show", "sheet.json"]));
    assert!(success(at, &["lab", "list", "my.lab", "machines"]).contains("cpu"));
    failure(at, &["meter", "show", "--machine", "Xeon"], 2);
}

#[test]
fn what_is_missing_is_told_with_the_mend() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old.json"), "{\"version\": 0, \"target\": \"cpu\"}").unwrap();
    let told = failure(folder.path(), &["meter", "show", "old.json"], 1);
    assert!(told.contains("version 0") && told.contains("gw meter --target cpu"), "{told}");
    let told = failure(folder.path(), &["meter", "show", "none.json"], 1);
    assert!(told.contains("none.json"), "{told}");
    failure(folder.path(), &["meter", "show", "old.json", "--target", "cuda"], 2);
}
