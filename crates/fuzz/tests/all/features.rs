//! One program per feature of the language (`tests/features/*.gt`), on every machine and under schedules of every kind.
//!
//! The head of a file names the graph and the lines that the program must print. The values of its globals must be
//! those of the reference machine.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gw_fuzz::case::{Case, GraphData, Machine, Trial};
use gw_fuzz::execute::{self, Machines, Outcome};

/// Generous: kernels of the emulated device are compiled during the run.
const LIMIT: Duration = Duration::from_secs(400);
/// Settings without a label go wherever they are possible.
const CPU: [Option<&str>; 5] =
    [None, Some("push,par=dynamic,grain=1"), Some("pull"), Some("pull,par=edge-aware,frontier=bitmap"), Some("push")];
const GPU: [Option<&str>; 6] = [
    None,
    Some("push,lb=vertex-based"),
    Some("push,lb=etwc"),
    Some("pull,lb=vertex-based"),
    Some("push,lb=edge-only"),
    Some("pull,lb=strict,frontier=bitmap"),
];

/// `path N`: both directions; `random N M`: M drawn pairs in both directions, with weights from 1 to 9.
fn graph(words: &str) -> GraphData {
    let mut words = words.split_whitespace();
    let kind = words.next().expect("a kind of graph");
    let mut number = || words.next().expect("a size").parse::<u32>().expect("a number");
    let vertices = number();
    let pairs: Vec<(u32, u32, f64)> = match kind {
        "path" => (1..vertices).map(|v| (v - 1, v, 1.0)).collect(),
        "random" => (0..u64::from(number()))
            .map(|i| {
                let draw = |k| gw_exec::random::bits(1, i, k);
                (
                    (draw(0) % u64::from(vertices)) as u32,
                    (draw(1) % u64::from(vertices)) as u32,
                    (draw(2) % 9 + 1) as f64,
                )
            })
            .collect(),
        other => panic!("no such graph: {other}"),
    };
    // The weight of the first of several equal pairs must not differ from that of its reverse.
    let mut edges = std::collections::BTreeMap::new();
    for (a, b, weight) in pairs {
        let weight = *edges.entry((a.min(b), a.max(b))).or_insert(weight);
        edges.insert((a.max(b), a.min(b)), weight);
    }
    let edges = edges.into_iter().map(|((a, b), weight)| (a, b, weight)).collect();
    GraphData { vertices: vertices as usize, edges, fractional: false, wide: false, columns: false }
}

fn check(machines: &mut Machines, path: &PathBuf, all: bool) {
    let name = path.display();
    let program = fs::read_to_string(path).expect("the file is read");
    let heads = |key: &str| program.lines().filter_map(|l| l.strip_prefix(key)).map(str::to_string).collect::<Vec<_>>();
    let expected = heads("% expect: ");
    // Every kernel of the emulated device is compiled by a C++ compiler: the usual run takes one small program there.
    let emulated = if all { GPU.len() } else { heads("% emulated in the usual run").len() };
    let graphs: Vec<GraphData> = heads("% graph: ").iter().map(|words| graph(words)).collect();
    let built: Vec<_> = graphs.iter().map(|g| g.build().expect("a graph")).collect::<Vec<Arc<_>>>();
    let module = execute::lower(&program).unwrap_or_else(|error| panic!("{name}:\n{error}"));
    let text = gw_ir::text::print(&module);
    assert_eq!(gw_ir::text::parse(&text).as_ref(), Ok(&module), "{name}: the text form is read back");
    let case = Case { seed: 0, program, graphs, others: Vec::new(), trials: Vec::new() };
    let Outcome::Done { printed, globals } = execute::reference(&case, &module, &built, LIMIT) else {
        panic!("{name}: {:?}", execute::reference(&case, &module, &built, LIMIT));
    };
    assert_eq!(printed, expected, "{name} on the reference machine");
    let mut trials: Vec<Trial> = Vec::new();
    for schedule in CPU {
        trials.extend([1, 4].map(|n| Trial { machine: Machine::Cpu(n), schedule: schedule.map(str::to_string) }));
    }
    for schedule in GPU.into_iter().take(emulated) {
        trials.push(Trial { machine: Machine::Emulator(1), schedule: schedule.map(str::to_string) });
    }
    for trial in trials {
        // The second run of the same executable finds what the first one left.
        for outcome in machines.run(&case, &module, &[&built, &built], &trial, LIMIT) {
            match outcome {
                Outcome::Done { printed: p, globals: g } => {
                    assert_eq!(p, printed, "{name}: {trial:?}");
                    assert_eq!(g, globals, "{name}: {trial:?}");
                }
                // A feature may exclude a direction, never a machine.
                Outcome::Refused(_) if trial.schedule.is_some() => {}
                other => panic!("{name}: {trial:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn every_feature_means_the_same_on_every_machine() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/features");
    let wanted = std::env::var("GW_FEATURE").unwrap_or_default();
    let mut files: Vec<_> = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "gt") && path.to_string_lossy().contains(&wanted));
    files.sort();
    assert!(!files.is_empty());
    let mut machines = Machines::new();
    for path in &files {
        check(&mut machines, path, gw_testing::is_nightly());
    }
}
