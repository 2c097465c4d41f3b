//! Running a program on the CPU machine and on the reference machine.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, Program, ReferenceVm, RunOptions};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::ProgramSchedule;

/// What a run leaves: what it printed, or its error with the line, in which `index 17` and `vertex 17` read `index
/// _`: which of several faults comes first depends on the schedule.
pub type Outcome = Result<String, String>;

pub fn prepare(vm: &dyn GraphVm, text: &str, schedule: &str) -> Program {
    let front =
        compile_front(&SourceFile::new("test.gt", text)).unwrap_or_else(|_| panic!("the program is right:\n{text}"));
    let module = gw_ir::lower(&front.typed, text).unwrap();
    let schedule: ProgramSchedule = match schedule {
        "default" => ProgramSchedule::default(),
        text => text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    Program::prepare(vm, Arc::new(module)).unwrap()
}

pub fn run(vm: &dyn GraphVm, text: &str, args: &[&str], schedule: &str) -> Outcome {
    let mut program = prepare(vm, text, schedule);
    let options = RunOptions::with_args(args.iter().copied());
    // Twice: executables are reused, also after a fault.
    let [first, second] = [0, 1].map(|_| match program.run(&options) {
        Ok(result) => Ok(result.printed),
        Err(error) => Err(format!("line {}: {}", error.span().line, without_index(&error.to_string()))),
    });
    assert_eq!(first, second, "{schedule}");
    first
}

fn without_index(message: &str) -> String {
    let mut words: Vec<&str> = message.split(' ').collect();
    if matches!(words[0], "index" | "vertex") && words.len() > 1 {
        words[1] = "_";
    }
    words.join(" ")
}

/// The outcome of a program on the reference machine, which the CPU machine must have under all these schedules.
pub fn agree(text: &str, args: &[&str], schedules: &[&str]) -> Outcome {
    let expected = run(&ReferenceVm::new(), text, args, schedules[0]);
    for vm in [CpuVm::new(1), CpuVm::new(2), CpuVm::with_tiny_chunks(3)] {
        for schedule in schedules {
            assert_eq!(run(&vm, text, args, schedule), expected, "{args:?} {schedule}\n{text}");
        }
    }
    expected
}
