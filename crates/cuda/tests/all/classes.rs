//! Pushes that treat edges by their classes, leave vertices without out-edges out of frontiers, and keep repeats out by
//! words of value and round end on an emulated GPU as on the reference machine.

use std::sync::{Arc, Mutex};

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, Observer, ReferenceVm, RunOptions, StepRecord};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

const SCHEDULES: &[&str] = &[
    "on=gpu;s0:s1@push,lb=wm,classes=marked",
    "on=gpu;s0:s1@push,lb=vw4,hubs=32,edges=csr-m,classes=marked,leaves=drop",
    "on=gpu;s0@loop=fused;s0:s1@push,lb=etwc,classes=marked,leaves=drop",
    "on=gpu;s0@loop=fused;s0:s1@push,lb=cm,leaves=drop,append=ballot,dedup-by=bitmap",
    "on=gpu;s0:s1@push,lb=wm,dedup-by=words",
    "on=gpu;s0@loop=fused;s0:s1@push,lb=etwc,classes=marked,leaves=drop,dedup-by=words,append=registers",
    "on=gpu;s0@loop=single-block;s0:s1@push,lb=cm,dedup-by=words",
    "on=gpu;s0@loop=device-graph;s0:s1@push,lb=vw4,dedup-by=words",
    "on=gpu;s0@loop=fused;s0:s1@hybrid,by=input-size,at=0.2+push,lb=wm,dedup-by=words+pull,lb=vw4",
    "on=gpu;s0@loop=fused;s0:s1@dense-push,lb=vertex-based,classes=marked,leaves=drop,create=unfused-boolmap",
    "on=gpu;s0@loop=fused;s0:s1@hybrid,by=input-size,at=0.2+push,lb=wm,classes=marked,leaves=drop+pull,leaves=drop",
];

const GRAPHS: &[&str] = &[
    "path:1:directed:weights=-9..9",
    "path:40:directed:weights=-9..9",
    "star:40:directed:weights=-3..3",
    "kron:6:8:directed:loops:weights=0..9",
    "kron:5:4:directed:weights=-1..40",
];

/// The loop of `sssp` with the reduction of a function.
fn relaxed(function: &str, rounds: &str) -> String {
    format!(
        "element V end\nelement E end\nconst g : edgeset{{E}}(V,V,int) = load(argv[1]);\n\
         const vertices : vertexset{{V}} = g.getVertices();\nconst x : vector{{V}}(int) = 1000000;\n\
         func f(src : V, dst : V, w : int)\n {function}\nend\n\
         func main()\n var frontier : vertexset{{V}} = new vertexset{{V}}(0);\n frontier.addVertex(0);\n x[0] = 0;\n\
         var rounds : int = 0;\n\
         #s0# while frontier.getVertexSetSize() != 0 and rounds < {rounds}\n\
         #s1# var next : vertexset{{V}} = g.from(frontier).applyModified(f, x);\n delete frontier;\n frontier = next;\n\
         rounds = rounds + 1;\n end\n var cut : bool = frontier.getVertexSetSize() != 0;\n print cut;\n\
         if not cut\n print x.sum();\n print x.min();\n end\n delete frontier;\nend\n"
    )
}

fn printed(vm: &dyn GraphVm, text: &str, schedule: &str, options: &RunOptions) -> String {
    let file = SourceFile::new("test.gt", text);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, text).unwrap();
    let schedule: ProgramSchedule = schedule.parse().unwrap();
    let passes = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &passes).unwrap_or_else(|e| panic!("{schedule}: {e}"));
    gw_exec::Program::prepare(vm, Arc::new(module)).unwrap().run(options).unwrap().printed
}

#[test]
fn classes_and_leaves_change_no_result() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // All schedules for the first function: a kernel takes seconds to compile.
    let functions =
        [("x[dst] min= x[src] + w;", 1), ("x[dst] min= max(x[src], w);", 5), ("x[dst] max= x[src] - w;", 3)];
    for (function, step) in functions {
        for graph in GRAPHS {
            let mut text = relaxed(function, "2 * vertices.size()");
            if function.contains("max= x") {
                text = text.replace("= 1000000", "= -1000000");
            }
            let options = RunOptions::with_args([*graph]);
            let expected = printed(&ReferenceVm::new(), &text, "default", &options);
            for schedule in SCHEDULES.iter().step_by(step) {
                assert_eq!(printed(&vm, &text, schedule, &options), expected, "{function} {schedule} on {graph}");
            }
        }
    }
}

/// The last round that the program allows finds a vertex without out-edges only.
#[test]
fn a_round_that_finds_only_leaves_counts() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let options = RunOptions::with_args(["path:6:directed:weights=1..1"]);
    for (rounds, expected) in [("vertices.size() - 1", "1\n"), ("vertices.size()", "0\n")] {
        let text = relaxed("x[dst] min= x[src] + w;", rounds);
        for schedule in SCHEDULES {
            let found = printed(&vm, &text, schedule, &options);
            assert!(found.starts_with(expected), "{rounds} {schedule}: {found}");
        }
    }
}

/// Words keep all repeats out: in a dense graph, where many edges lower a vertex in one round, frontiers stay as small
/// as with counters.
#[test]
fn words_keep_every_repeat_out() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let text = relaxed("x[dst] min= x[src] + w;", "2 * vertices.size()");
    let largest = |schedule: &str| -> (u64, u64) {
        let sizes = Arc::new(Sizes::default());
        let options = RunOptions {
            observer: Some(Arc::clone(&sizes) as Arc<dyn Observer>),
            ..RunOptions::with_args(["kron:6:8:weights=1..9"])
        };
        printed(&vm, &text, schedule, &options);
        let sizes = sizes.0.lock().unwrap();
        (sizes.iter().sum(), sizes.iter().copied().max().unwrap_or(0))
    };
    let by_counters = largest("on=gpu;s0:s1@push,lb=wm,dedup-by=counters-fused");
    let by_words = largest("on=gpu;s0:s1@push,lb=wm,dedup-by=words");
    // What a round finds depends on the order of its threads; a frontier with repeats would outgrow the graph.
    assert!(by_words.1 <= 64 && 2 * by_words.0 < 3 * by_counters.0, "{by_words:?} {by_counters:?}");
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
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let text = relaxed("x[dst] min= x[src] + w;", "2 * vertices.size()");
    let found = |schedule: &str| -> u64 {
        let sizes = Arc::new(Sizes::default());
        let options = RunOptions {
            observer: Some(Arc::clone(&sizes) as Arc<dyn Observer>),
            ..RunOptions::with_args(["star:200:directed:weights=1..9"])
        };
        printed(&vm, &text, schedule, &options);
        let sizes = sizes.0.lock().unwrap();
        sizes.iter().sum()
    };
    let kept = found("on=gpu;s0:s1@push,lb=wm");
    for by in ["", ",classes=marked"] {
        let dropped = found(&format!("on=gpu;s0:s1@push,lb=wm{by},leaves=drop"));
        assert!(4 * dropped < 3 * kept, "{dropped} of {kept}");
    }
}
