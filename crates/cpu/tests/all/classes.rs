//! Pushes that treat edges by their classes, and leave vertices without out-edges out of frontiers, end as on the
//! reference machine.

use std::sync::{Arc, Mutex};

use crate::run::{agree, prepare};
use gw_cpu::CpuVm;
use gw_exec::{GraphVm, Observer, RunOptions, StepRecord};

const SCHEDULES: &[&str] = &[
    "default",
    "s0:s1@push,par=dynamic,classes=marked",
    "s0:s1@push,par=dynamic,leaves=drop",
    "s0:s1@push,par=dynamic,classes=marked,leaves=drop",
    "s0:s1@push,par=edge-parallel,classes=marked,leaves=drop",
    "s0:s1@push,par=dynamic,classes=marked,leaves=drop,create=unfused-bitmap",
    "s0:s1@dense-push,par=dynamic,frontier=boolmap,classes=marked,leaves=drop",
    "s0:s1@pull,par=dynamic,leaves=drop",
    "s0:s1@hybrid,by=input-size,at=0.2+push,par=dynamic,classes=marked,leaves=drop+pull,par=dynamic,leaves=drop",
];

/// Directed graphs with negative weights and without cycles, with sinks and single in-edges, with loops, without
/// edges; and one with negative cycles.
const GRAPHS: &[&str] = &[
    "path:1:directed:weights=-9..9",
    "path:2:directed:weights=-9..-9",
    "path:300:directed:weights=-9..9",
    "star:40:directed:weights=-3..3",
    "kron:9:2:directed:weights=0..9",
    "kron:8:directed:loops:weights=0..9",
    "urand:9:2:directed:weights=1..99",
    "kron:8:4:directed:weights=-1..40",
];

/// The loop of `sssp` with the reduction of a function and what is reported in the end.
fn relaxed(function: &str) -> String {
    format!(
        "element V end\nelement E end\nconst g : edgeset{{E}}(V,V,int) = load(argv[1]);\n\
         const vertices : vertexset{{V}} = g.getVertices();\nconst x : vector{{V}}(int) = 1000000;\n\
         func f(src : V, dst : V, w : int)\n {function}\nend\n\
         func main()\n var frontier : vertexset{{V}} = new vertexset{{V}}(0);\n frontier.addVertex(0);\n x[0] = 0;\n\
         var rounds : int = 0;\n\
         #s0# while frontier.getVertexSetSize() != 0 and rounds < 2 * vertices.size()\n\
         #s1# var next : vertexset{{V}} = g.from(frontier).applyModified(f, x);\n delete frontier;\n frontier = next;\n\
         rounds = rounds + 1;\n end\n var cut : bool = frontier.getVertexSetSize() != 0;\n print cut;\n\
         if not cut\n print x.sum();\n print x.min();\n end\n delete frontier;\nend\n"
    )
}

#[test]
fn classes_and_leaves_change_no_result() {
    let mut ends = 0;
    for function in ["x[dst] min= x[src] + w;", "x[dst] min= max(x[src], w);", "x[dst] min= x[src];"] {
        for graph in GRAPHS {
            ends += usize::from(agree(&relaxed(function), &[graph], SCHEDULES).unwrap().starts_with("0\n"));
        }
    }
    assert!(ends > 2 * GRAPHS.len(), "most runs end by themselves: {ends}");
}

/// A vertex without out-edges is the last one that is found, in the last round that the program allows: whether
/// something was found in it must not depend on the schedule.
#[test]
fn a_round_that_finds_only_leaves_counts() {
    let text = relaxed("x[dst] min= x[src] + w;").replace("2 * vertices.size()", "vertices.size() - 1");
    assert_eq!(agree(&text, &["path:6:directed:weights=1..1"], SCHEDULES).unwrap(), "1\n");
    let text = text.replace("vertices.size() - 1", "vertices.size()");
    assert!(agree(&text, &["path:6:directed:weights=1..1"], SCHEDULES).unwrap().starts_with("0\n"));
}

/// Sums into entries of destinations: every vertex counts its in-edges, in two rounds.
#[test]
fn sums_at_single_in_edges_are_whole() {
    let text = "element V end\nelement E end\nconst g : edgeset{E}(V,V) = load(argv[1]);\n\
        const a : vector{V}(int) = 0;\nconst b : vector{V}(float) = 0.0;\n\
        func f(src : V, dst : V)\n a[dst] += 1;\n b[dst] += 0.5;\nend\n\
        func main()\n for i in 0:2\n #s1# g.apply(f);\n end\n print a.sum();\n print a.max();\n print b.sum();\nend\n";
    let schedules = ["default", "s1@push,par=dynamic,classes=marked", "s1@push,par=edge-parallel,classes=marked"];
    for graph in GRAPHS {
        agree(text, &[graph], &schedules).unwrap();
    }
}

#[derive(Default)]
struct Sizes(Mutex<Vec<u64>>);

impl Observer for Sizes {
    fn step(&self, record: &StepRecord) {
        self.0.lock().unwrap().extend(record.output);
    }
}

#[test]
fn frontiers_without_leaves_are_smaller() {
    let text = relaxed("x[dst] min= x[src] + w;");
    let found = |vm: &dyn GraphVm, schedule: &str| -> u64 {
        let sizes = Arc::new(Sizes::default());
        let options = RunOptions {
            observer: Some(Arc::clone(&sizes) as Arc<dyn Observer>),
            ..RunOptions::with_args(["star:400:directed:weights=1..9"])
        };
        prepare(vm, &text, schedule).run(&options).unwrap();
        let sizes = sizes.0.lock().unwrap();
        sizes.iter().sum()
    };
    for vm in [CpuVm::new(1), CpuVm::with_tiny_chunks(2)] {
        let kept = found(&vm, "s0:s1@push,par=dynamic");
        for by in ["", ",classes=marked"] {
            let dropped = found(&vm, &format!("s0:s1@push,par=dynamic{by},leaves=drop"));
            assert!(4 * dropped < 3 * kept, "{dropped} of {kept}");
        }
    }
}
