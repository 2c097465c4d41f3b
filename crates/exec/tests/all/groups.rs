//! Grouped neighbourhoods on the reference machine, against plain loops over the lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_exec::{Program, ReferenceVm, RunOptions, RunResult, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};

const TEXT: &str = include_str!("groups.gt");

pub(crate) fn run_text(text: &str, graph: &Arc<Graph>) -> RunResult {
    let file = SourceFile::new("program.gt", text);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, text).unwrap();
    let printed = module.to_string();
    assert_eq!(gw_ir::text::print(&gw_ir::text::parse(&printed).unwrap()), printed);
    let module = gw_ir::run_pipeline(module, &Default::default(), &gw_ir::Options::default()).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("g", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["g"]) };
    Program::prepare(&ReferenceVm::new(), Arc::new(module)).unwrap().run(&options).unwrap()
}

pub(crate) fn ints(result: &RunResult, name: &str) -> Vec<i32> {
    match result.globals.get(name) {
        Some(Value::Vector(vector)) => vector.to_vec::<i32>().unwrap(),
        _ => panic!("no vector {name}"),
    }
}

/// The key with the greatest worth, the least among equals.
fn best(groups: impl IntoIterator<Item = (i32, f64)>) -> i32 {
    let mut best: Option<(i32, f64)> = None;
    for (key, worth) in groups {
        let better = best.is_none_or(|(least, most)| worth > most || (worth == most && key < least));
        best = if better { Some((key, worth)) } else { best };
    }
    best.map_or(-1, |(key, _)| key)
}

#[test]
fn every_form_is_what_plain_loops_find() {
    for spec in ["kron:7:weights=1..9", "star:40:weights=1..9", "grid:6x6:weights=1..9", "complete:20:weights=1..9"] {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        let result = run_text(TEXT, &graph);
        let label: Vec<i32> = (0..graph.vertices() as i32).map(|v| v.wrapping_mul(7919).rem_euclid(11)).collect();
        assert_eq!(ints(&result, "label"), label, "{spec}");
        let names = ["often", "heavy", "least", "distinct", "free", "picked", "real"];
        let found: BTreeMap<&str, Vec<i32>> = names.iter().map(|name| (*name, ints(&result, name))).collect();
        for v in 0..graph.vertices() as u32 {
            let at = v as usize;
            let list: Vec<(u32, i32)> = graph
                .out()
                .neighbours(v)
                .iter()
                .copied()
                .zip(graph.out().weights_of::<i32>(v).iter().copied())
                .collect();
            let (mut count, mut weight, mut greatest) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
            let (mut least, mut thirds) = (BTreeMap::<i32, i32>::new(), BTreeMap::<i32, f64>::new());
            for &(n, w) in &list {
                *count.entry(label[n as usize]).or_insert(0) += 1;
                *weight.entry(label[n as usize]).or_insert(0) += w;
                let heaviest = greatest.entry(n as i32).or_insert(w);
                *heaviest = w.max(*heaviest);
                if n % 3 != 0 {
                    let (key, value) = (label[n as usize] * 300_000, n as i32 - v as i32);
                    least.entry(key).and_modify(|x| *x = value.min(*x)).or_insert(value);
                }
                if n > 3 {
                    let amount = f64::from(n % 13) / 7.0;
                    *thirds.entry(label[n as usize]).or_insert(0.0) += f64::from(w) / 3.0 - amount;
                }
            }
            let worth = |(key, n): (&i32, &i32)| (*key, f64::from(*n));
            assert_eq!(found["often"][at], best(count.iter().map(worth)), "{spec} {v}");
            assert_eq!(found["distinct"][at], greatest.len() as i32, "{spec} {v}");
            assert_eq!(found["picked"][at], best(greatest.iter().map(worth)), "{spec} {v}");
            assert_eq!(found["free"][at], (0..).find(|key| !count.contains_key(key)).unwrap(), "{spec} {v}");
            if v % 2 == 0 {
                assert_eq!(found["least"][at], best(least.iter().map(worth)), "{spec} {v}");
            }
            weight.entry(label[at]).or_insert(0);
            let bonus = |key: i32| if key == label[at] { 0.5 } else { 0.0 };
            let weighed = weight.iter().map(|(key, w)| (*key, f64::from(*w) * 2.0 + bonus(*key)));
            assert_eq!(found["heavy"][at], best(weighed), "{spec} {v}");
            // Sums of reals may be equal but for rounding, so the choice must be as good as the best.
            let most = thirds.values().copied().fold(f64::NEG_INFINITY, f64::max);
            let real = found["real"][at];
            let fine = if thirds.is_empty() { real == -1 } else { thirds.get(&real).is_some_and(|x| most - x < 1e-9) };
            assert!(fine, "{spec} {v}: {real} of {thirds:?}");
        }
    }
}
