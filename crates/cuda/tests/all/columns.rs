//! Columns of tables on the emulated device: pushes and pulls see the values of the edges that the reference machine
//! sees, of parallel edges too, run after run.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, Program, ReferenceVm, RunOptions, SpecGraphs, Value};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

const TEXT: &str = include_str!("../../../exec/tests/all/columns.gt");
const WEIGHTS: &str = include_str!("../../../exec/tests/all/weights_of_rows.gt");

/// The results of two runs of one program.
fn twice(vm: &dyn GraphVm, text: &str, source: &str, schedule: &str) -> [Vec<(String, Vec<u64>)>; 2] {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../exec/tests/all");
    let graph = format!("{folder}/payments.csv:weight=amount:parallel:vertices={folder}/people.csv");
    let file = SourceFile::new("columns.gt", text);
    let front = compile_front(&file).unwrap_or_else(|_| panic!("the program is right"));
    let module = gw_ir::lower(&front.typed, &file.text).unwrap();
    let schedule = match schedule {
        "" => ProgramSchedule::default(),
        text => text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    let options = RunOptions { graphs: Arc::new(SpecGraphs::new()), ..RunOptions::with_args([&*graph, source]) };
    let mut program = Program::prepare(vm, Arc::new(module)).unwrap();
    [(); 2].map(|()| {
        let result = program.run(&options).unwrap_or_else(|e| panic!("{e}"));
        let bits = |value: &Value| match value {
            Value::Vector(vector) => (0..vector.len()).map(|i| vector.load_bits(i)).collect(),
            value => vec![value.bits().unwrap_or(0)],
        };
        let globals = result.globals.iter().filter(|(_, value)| !matches!(value, Value::Graph(_)));
        globals.map(|(name, value)| (name.to_string(), bits(value))).collect()
    })
}

#[test]
fn every_edge_has_its_own_values() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    for (text, source, schedules) in [
        (TEXT, "0", ["", "s1:s2@push,lb=vertex-based", "s1:s2@pull"]),
        (WEIGHTS, "ann", ["", "s1@pull;s2:s3@push,lb=cm", "s1@push,lb=vertex-based;s2:s3@pull"]),
    ] {
        let expected = twice(&ReferenceVm::new(), text, source, "");
        assert_eq!(expected[0], expected[1]);
        for schedule in schedules {
            assert_eq!(twice(&vm, text, source, schedule), expected, "{schedule:?}");
        }
    }
}
