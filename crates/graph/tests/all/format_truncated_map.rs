//! A mapped file that is truncated while it is in use: a sentence and exit code 1 instead of a bare bus error.
//! The test runs its own program again, and that process ends by the signal.
#![cfg(unix)]

use std::process::Command;

use crate::format_support::{Folder, write_file};
use gw_graph::format::open_gwg;

const CHILD: &str = "GW_TEST_TRUNCATED_MAP";

#[test]
fn a_truncated_map_is_explained() {
    if let Some(path) = std::env::var_os(CHILD) {
        gw_graph::explain_bus_errors();
        let graph = open_gwg(path.as_ref()).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(4096).unwrap();
        let sum: u64 = graph.out().targets().iter().map(|&target| u64::from(target)).sum();
        unreachable!("the pages are gone, but their sum is {sum}");
    }
    let folder = Folder::new();
    let path = folder.path("g.gwg");
    let spec = gw_graph::GraphSpec::parse("grid:300x300").unwrap();
    write_file(&spec.load(&gw_graph::progress::Silent).unwrap().graph, &path).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "format_truncated_map::a_truncated_map_is_explained", "--nocapture"])
        .env(CHILD, &path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let expected = format!("gw: {}: the file was truncated or overwritten while it was in use; ", path.display());
    assert!(errors.contains(&expected), "{errors}");
}

#[test]
fn maps_come_and_go() {
    // More than there are places in the table of maps.
    let folder = Folder::new();
    let path = folder.path("g.gwg");
    let spec = gw_graph::GraphSpec::parse("path:9").unwrap();
    write_file(&spec.load(&gw_graph::progress::Silent).unwrap().graph, &path).unwrap();
    let graphs: Vec<_> = (0..300).map(|_| open_gwg(&path).unwrap()).collect();
    assert!(graphs.iter().all(|graph| graph.vertices() == 9));
    drop(graphs);
    assert_eq!(open_gwg(&path).unwrap().edges(), 16);
}
