//! x
mod common;
use std::sync::Arc;
#[test]
fn dbg() {
    for entry in std::fs::read_dir("/work/main/programs").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "gt") { continue; }
        let source = std::fs::read_to_string(&path).unwrap();
        let file = gw_lang::SourceFile::new("p.gt", source.clone());
        let front = match gw_lang::compile_front(&file) { Ok(f) => f, Err(e) => { println!("{path:?}: FRONT {}", gw_lang::diagnostic::render(&e, &file, false)); continue } };
        let module = gw_ir::lower(&front.typed, &source).unwrap();
        let schedule = front.schedule.unwrap_or_default();
        let full = match gw_ir::run_pipeline(module.clone(), &schedule, &gw_ir::Options{allow_unknown_labels: true, ..Default::default()}) { Ok(m) => m, Err(e) => { println!("{path:?}: PIPE {e}"); continue } };
        for (stage, module) in [("lowered", module), ("full", full)] {
            let mut options = gw_exec::RunOptions::with_args(["kron:8:8:weights=1..10", "1", "5", "3", "3"]);
            options.timeout = Some(std::time::Duration::from_secs(10));
            let result = gw_exec::Program::prepare(&gw_exec::ReferenceVm::new(), Arc::new(module)).and_then(|mut p| p.run(&options));
            match result {
                Ok(r) => println!("{:?} {stage}: ok, {} steps, {:.4} s, printed {:?}", path.file_name().unwrap(), r.steps, r.seconds, &r.printed[..r.printed.len().min(60)]),
                Err(e) => println!("{:?} {stage}: ERROR {e} at {:?}", path.file_name().unwrap(), e.span()),
            }
        }
    }
}
