//! Sets that hold a vertex more often than their queues have room for: on an emulated GPU, which stops at every access
//! outside of allocated memory, such a run ends with an error that says what helps.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{ErrorKind, GraphVm, RunOptions};
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_ir::operator::{EdgeOutput, Operator};
use gw_ir::walk::{bodies_mut, walk_stmts_mut};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

/// Every edge counts as a change, so that without deduplication the hub of a star and its leaves multiply.
const MULTIPLY: &str = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const mark : vector{Vertex}(int) = 0;
func put(src : Vertex, dst : Vertex)
    mark[dst] = 1;
end
func main()
    var f : vertexset{Vertex} = new vertexset{Vertex}(0);
    f.addVertex(0);
    var rounds : int = 0;
    #s0# while rounds < 5
        #s1# var next : vertexset{Vertex} = edges.from(f).applyModified(put, mark);
        delete f;
        f = next;
        rounds = rounds + 1;
    end
end
";

#[test]
fn a_full_queue_is_an_error_and_nobody_reads_beyond_it() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let file = SourceFile::new("test.gt", MULTIPLY);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    for text in [
        "on=gpu;s0:s1@push,lb=wm",
        "on=gpu;s0:s1@push,lb=etwc,append=registers",
        "on=gpu;s0@loop=fused;s0:s1@push,lb=vertex-based",
        "on=gpu;s0@loop=fused;s0:s1@push,lb=merge-path,append=ballot",
        "on=gpu;s0@loop=fused;s0:s1@push,lb=vw4,hubs=32",
    ] {
        let mut module = gw_ir::lower(&front.typed, MULTIPLY).unwrap();
        // A program cannot ask for this: GraphIR can.
        for body in bodies_mut(&mut module) {
            walk_stmts_mut(body, &mut |stmt| {
                if let Some(edges) = stmt.operator_mut().and_then(Operator::edges_mut)
                    && let EdgeOutput::Modified { duplicates, .. } = &mut edges.output
                {
                    *duplicates = true;
                }
            });
        }
        let schedule: ProgramSchedule = text.parse().unwrap();
        let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
        let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
        let mut program = gw_exec::Program::prepare(&vm, Arc::new(module)).unwrap();
        // 60 vertices and 118 edges make a queue of 178; the third round finds 59 x 59.
        let error = program.run(&RunOptions::with_args(["star:60"])).unwrap_err();
        let full = matches!(error.kind(), ErrorKind::OutOfMemory { what } if what.contains("more than 178 entries"));
        assert!(full, "{text}: {error}");
    }
}

/// Where destinations are claimed by plain stores, queues have room for repeats, and balancers for as many entries: the
/// estimate says so.
#[test]
fn room_for_repeats_is_estimated() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let bfs = gw_programs::programs().iter().find(|program| program.name == "bfs").unwrap();
    let front = compile_front(&SourceFile::new(bfs.file, bfs.source)).ok().unwrap();
    let graph = GraphSpec::parse("kron:6").and_then(|spec| spec.load(&Silent)).unwrap().graph;
    let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
    assert!(edges > 5 * vertices);
    let room = |text: &str| {
        let schedule: ProgramSchedule = text.parse().unwrap();
        let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
        let module = gw_ir::run_pipeline(gw_ir::lower(&front.typed, bfs.source).unwrap(), &schedule, &options).unwrap();
        let needs = vm.needs(&module, &graph).unwrap();
        needs.parts.iter().find(|part| part.what == "room for balancers").unwrap().device_bytes
    };
    let rest = edges / 16 + (1 << 18);
    assert_eq!(room("on=gpu;s0:s1@push,lb=etwc"), 16 * vertices + rest);
    assert_eq!(room("on=gpu;s0:s1@push,lb=etwc,claim=store"), 16 * 6 * vertices + rest);
}
