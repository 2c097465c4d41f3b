//! `par_for` on the CPU machine agrees with the reference machine, in parallel where the body allows it.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, ReferenceVm, RunOptions, RunResult};
use gw_lang::{SourceFile, compile_front};

const HEAD: &str = "\
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const out : vector{Vertex}(int) = 0;
const hits : vector{Vertex}(int) = 0;
const total : int = 0;
func bump(v : Vertex)
    hits[v] += 1;
end
";

fn run(vm: &dyn GraphVm, body: &str, schedule: &str) -> Result<RunResult, String> {
    let text = format!("{HEAD}func main()\n{body}\nend\n{schedule}");
    let file = SourceFile::new("test.gt", text.clone());
    let front = compile_front(&file).map_err(|found| format!("{found:?}"))?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let schedule = front.schedule.unwrap_or_default();
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    let mut program = gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())?;
    program.run(&RunOptions::with_args(["kron:7"])).map_err(|e| e.to_string())
}

fn results(run: &RunResult) -> (Vec<i32>, Vec<i32>, String) {
    let vector = |name: &str| run.globals.vector(name).and_then(gw_exec::Vector::to_vec::<i32>).unwrap();
    (vector("out"), vector("hits"), format!("{:?} {}", run.globals.get("total"), run.printed))
}

fn agree(body: &str, schedule: &str) {
    let expected = results(&run(&ReferenceVm::new(), body, schedule).unwrap());
    for machine in [CpuVm::new(1), CpuVm::new(2), CpuVm::with_tiny_chunks(4)] {
        for _ in 0..5 {
            assert_eq!(results(&run(&machine, body, schedule).unwrap()), expected, "{body}");
        }
    }
}

#[test]
fn bodies_that_become_kernels() {
    agree("par_for i in 0:128\n out[i] = i * i;\nend", "");
    agree("var scale : int = 3;\npar_for i in 5:100\n var x : int = i * scale;\n out[i] = x;\n total += x;\nend", "");
    agree("par_for i in 0:128\n for k in 0:edges.getOutDegree(i)\n hits[getOutNgh(edges, i, k)] += 1;\n end\nend", "");
    agree("par_for i in 0:0\n out[i] = 1;\nend", "");
    agree("#p# par_for i in 0:128\n out[i] = i;\nend", "schedule:\nprogram->configParForGrainSize(\"p\", 7);\n");
}

#[test]
fn reductions_into_local_variables_arrive() {
    let text = "var sum : int = 5;\nvar best : int = 0;\nvar least : double = 9.0;\npar_for i in 0:100\n sum += i;\n\
         best max= mod(i * 37, 101);\n least min= 50.0 - i;\nend\ntotal = sum;\nprint best;\nprint least;";
    agree(text, "");
    let result = run(&CpuVm::with_tiny_chunks(4), text, "").unwrap();
    assert_eq!(results(&result).2.replace('\n', " "), "Some(Int(4955)) 100 -49 ");
    // What the body reads as well depends on the order of the iterations, which is that of the host.
    agree("var sum : int = 0;\npar_for i in 0:100\n sum += i;\n out[i] = sum;\nend\ntotal = sum;", "");
}

#[test]
fn bodies_that_stay_on_the_host() {
    agree("par_for i in 0:5\n vertices.apply(bump);\nend", "");
    agree("var last : int = 0;\npar_for i in 0:9\n last = i;\nend\ntotal = last;", "");
    agree("par_for i in 0:3\n print i;\nend", "");
}

#[test]
fn an_index_out_of_range_ends_the_loop_with_its_line() {
    let error = run(&CpuVm::with_tiny_chunks(4), "par_for i in 0:1000\n out[i] = 1;\nend", "").unwrap_err();
    assert!(error.contains("out of range") && error.contains("`out` has 128 entries"), "{error}");
}
