//! Weights and arguments at the ends of their types: an exact result, or an error that says what to do.

use std::path::Path;

use crate::common::{failure, gw, success, text};

const MACHINES: [&str; 3] = ["cpu", "reference", "flow"];

fn folder(file: &str, table: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), table).unwrap();
    folder
}

fn line(at: &Path, args: &[&str], start: &str) -> String {
    let shown = success(at, args);
    shown.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{args:?}: {shown}")).to_string()
}

#[test]
fn times_of_64_bits_are_compared_exactly() {
    let table = "src,dst,t\na,b,1767571200123456790\nb,c,1767571200123456789\n";
    let folder = folder("ns.csv", table);
    for program in ["temporal-reach", "earliest-arrival"] {
        for machine in MACHINES {
            let args = ["run", program, "ns.csv:weight=t:parallel", "--source", "a", "--target", machine, "--verify"];
            assert_eq!(line(folder.path(), &args, "reached"), "reached = 2", "{program} on {machine}");
        }
    }
}

/// Two groups of four, joined by four edges, all of the same weight.
fn two_groups(weight: &str) -> String {
    let mut table = "src,dst,w\n".to_string();
    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        table.push_str(&format!("{a},{b},{weight}\n{},{},{weight}\n", a + 4, b + 4));
    }
    for a in 0..4 {
        table.push_str(&format!("{a},{},{weight}\n", a + 4));
    }
    table
}

#[test]
fn communities_do_not_depend_on_the_unit_of_weights() {
    for weight in ["1", "1e-300", "1e300"] {
        let folder = folder("w.csv", &two_groups(weight));
        for (program, machine) in [("leiden", "cpu"), ("leiden", "reference"), ("louvain", "cpu")] {
            let args = ["run", program, "w.csv:sym", "--target", machine];
            assert_eq!(line(folder.path(), &args, "communities"), "communities = 2", "{program} {weight} {machine}");
            assert_eq!(line(folder.path(), &args, "modularity"), "modularity = 0.25", "{program} {weight} {machine}");
        }
    }
    let folder = folder("w.csv", &two_groups("1e308"));
    for program in ["leiden", "louvain"] {
        let told = text(&gw(folder.path(), &["run", program, "w.csv:sym"]));
        assert!(told.contains("change their unit"), "{program}: {told}");
    }
}

#[test]
fn numbers_of_communities_are_checked() {
    let folder = folder("s.txt", "0\n0\n7\n");
    let at = folder.path();
    let told = failure(at, &["run", "leiden", "path:3", "--start", "@s.txt"], 2);
    assert!(told.contains("the number 7 of vertex 2 is none from 0 to 2"), "{told}");
    let told = failure(at, &["run", "louvain", "path:3", "--start", "0=0.5"], 2);
    assert!(told.contains("the number 0.5 of vertex 0"), "{told}");
    std::fs::write(at.join("s.txt"), "-1\n-1\n-1\n").unwrap();
    assert_eq!(line(at, &["run", "leiden", "path:3", "--start", "@s.txt"], "communities"), "communities = 1");
}

#[test]
fn parallel_edges_that_become_one_are_told() {
    let folder = folder("p.csv", "src,dst\na,b\na,b\n");
    let told = text(&gw(folder.path(), &["run", "kcore", "p.csv:parallel"]));
    assert!(told.contains("`:sym` when it is read keeps them"), "{told}");
}
