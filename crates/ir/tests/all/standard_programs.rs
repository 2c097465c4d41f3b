//! The standard programs are sound after every pass under schedules of every family.
use crate::common::*;
use gw_ir::{Options, lower, pass_names, program_points, run_pipeline};
use gw_lang::SourceFile;

#[test]
fn standard_programs_pass_the_whole_pipeline() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs");
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut count = 0;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "gt") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let file = SourceFile::new(&name, &text);
        let (ast, diagnostics) = gw_lang::parse(&file);
        assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
        let checked = gw_lang::check(&ast).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let module = lower(&checked.program, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        sound(&module);
        assert!(!program_points(&module).is_empty(), "{name} has nothing to schedule");
        for schedule in ["default", "on=gpu;push,lb=etwc", "par=dynamic", "pull", "on=gpu;pull,create=unfused-bitmap"] {
            for pass in pass_names() {
                let options = Options { after: Some(pass.into()), ..Options::default() };
                match run_pipeline(module.clone(), &schedule_of(schedule), &options) {
                    Ok(module) => sound(&module),
                    Err(e) => assert!(e.to_string().contains("fits no place"), "{name} {schedule}: {e}"),
                }
            }
        }
        count += 1;
    }
    println!("{count} standard programs");
    assert!(count > 0, "no program in {folder}");
}
