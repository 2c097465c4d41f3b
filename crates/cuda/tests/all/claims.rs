//! Claims of destinations on an emulated GPU end as on the reference machine, whatever numbers stand for "free".

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, ReferenceVm, RunOptions};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

/// Entries hold -0.0, and 0.0 stands for free.
const NEGATIVE_ZERO: &str = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const d : vector{Vertex}(float) = 0.0;
func negate(v : Vertex)
    d[v] = -1.0 * d[v];
end
func fresh(v : Vertex) -> yes : bool
    yes = d[v] == 0.0;
end
func put(src : Vertex, dst : Vertex)
    d[dst] = 3.0;
end
func main()
    vertices.apply(negate);
    #s1# edges.to(fresh).apply(put);
    print d.sum();
end
";

fn printed(vm: &dyn GraphVm, schedule: &str, graph: &str) -> String {
    let file = SourceFile::new("test.gt", NEGATIVE_ZERO);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, NEGATIVE_ZERO).unwrap();
    let schedule: ProgramSchedule = schedule.parse().unwrap();
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    gw_exec::Program::prepare(vm, Arc::new(module)).unwrap().run(&RunOptions::with_args([graph])).unwrap().printed
}

#[test]
fn a_negative_zero_is_free_where_zero_is() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // Long lists look at entries before they swap, short ones swap at once.
    for graph in ["path:4", "kron:5"] {
        let expected = printed(&ReferenceVm::new(), "default", graph);
        assert_ne!(expected.trim(), "0");
        for schedule in ["on=gpu;s1@push,lb=vertex-based", "on=gpu;s1@push,lb=wm"] {
            assert_eq!(printed(&vm, schedule, graph), expected, "{schedule} on {graph}");
        }
    }
}
