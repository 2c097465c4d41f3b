//! Runs that are saved at the heads of their loops and go on from there, on three machines: the result is that of a run
//! that was not interrupted.

use std::path::Path;
use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{Checkpoint, GraphVm, ReferenceVm, Resume, RunOptions, RunResult};
use gw_flow::{Cluster, Exchange, FlowVm};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

/// Runs a text with these arguments.
fn run(machine: &dyn GraphVm, source: &str, args: &[&str], saving: Option<Checkpoint>) -> Result<RunResult, String> {
    let front = compile_front(&SourceFile::new("test.gt", source)).map_err(|_| "does not compile".to_string())?;
    let mut schedule: ProgramSchedule = front.schedule.unwrap_or_default();
    schedule.set_family(Some(Family::Cpu));
    let module = gw_ir::lower(&front.typed, source).map_err(|e| e.to_string())?;
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    let mut program = gw_exec::Program::prepare(machine, Arc::new(module)).map_err(|e| e.to_string())?;
    let options = RunOptions { checkpoint: saving, ..RunOptions::with_args(args.iter().copied()) };
    program.run(&options).map_err(|e| e.to_string())
}

fn saving(folder: &Path, every: u64, resumes: bool) -> Option<Checkpoint> {
    let resume = if resumes { Resume::Yes } else { Resume::No };
    Some(Checkpoint { folder: folder.to_path_buf(), every, resume, writes: true })
}

fn machines() -> Vec<Box<dyn GraphVm>> {
    let flow = |workers, exchange| FlowVm::new(Cluster::threads(workers).unwrap().with_exchange(exchange), workers);
    vec![
        Box::new(ReferenceVm::new()),
        Box::new(CpuVm::new(1)),
        Box::new(flow(2, Exchange::All)),
        Box::new(flow(3, Exchange::Mirrors)),
    ]
}

fn standard(name: &str) -> &'static str {
    gw_programs::find(name).unwrap().source
}

/// Twenty resumes of PageRank from different rounds, some of searches; what is saved on one machine goes on there.
#[test]
fn what_was_saved_goes_on_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let mut resumes = 0;
    for machine in machines() {
        for (name, args, vector, rounds) in [
            ("pagerank", &["kron:7", "11", "0", "0.85"][..], "rank", vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            ("bfs-levels", &["path:30", "0"], "level", vec![1, 4, 7]),
            ("cc", &["road:8x8"], "label", vec![1, 2]),
            // Loops in functions of a module.
            ("bridges", &["road:8x8"], "part", vec![1, 5]),
            ("ppr", &["kron:7", "3", "11", "0", "0.85"], "rank", vec![2, 5]),
        ] {
            let source = standard(name);
            let wanted = run(&*machine, source, args, None).unwrap();
            let wanted = wanted.globals.vector(vector).unwrap().to_f64();
            for every in rounds {
                let case = format!("{name} on {} every {every}", machine.name());
                let saved = run(&*machine, source, args, saving(folder.path(), every, false)).unwrap();
                assert_eq!(saved.globals.vector(vector).unwrap().to_f64(), wanted, "{case}");
                let resumed = run(&*machine, source, args, saving(folder.path(), every, true));
                let resumed = resumed.unwrap_or_else(|error| panic!("{case}: {error}"));
                assert_eq!(resumed.globals.vector(vector).unwrap().to_f64(), wanted, "{case}");
                assert!(resumed.steps < saved.steps, "{case}: nothing was left out");
                resumes += 1;
            }
        }
    }
    assert!(resumes >= 20);
}

#[test]
fn what_cannot_be_saved_or_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let machine = CpuVm::new(1);
    let ranks = ["kron:7", "11", "0", "0.85"];
    let refused = |source: &str, args: &[&str], saving| run(&machine, source, args, saving).unwrap_err();
    let list = refused(standard("bc"), &["kron:7", "1"], saving(folder.path(), 1, false));
    assert!(list.contains("a checkpoint cannot hold a list"), "{list}");
    // Before it begins, though no checkpoint would be due.
    let graph = refused(standard("louvain"), &["kron:7", "1", "1", "none"], saving(folder.path(), 1_000_000, false));
    assert!(graph.contains("a checkpoint cannot hold a graph that the program made"), "{graph}");
    let no_loop = refused(standard("triangles"), &["kron:7"], saving(folder.path(), 1, false));
    assert!(no_loop.contains("this program has none"), "{no_loop}");
    let missing = refused(standard("pagerank"), &ranks, saving(folder.path(), 1, true));
    assert!(missing.contains("is not there: begin without --resume"), "{missing}");
    run(&machine, standard("pagerank"), &ranks, saving(folder.path(), 5, false)).unwrap();
    for (name, args, word) in [
        ("pagerank", &["kron:8", "11", "0", "0.85"][..], "belongs to a run with another graph"),
        ("pagerank", &["kron:7", "12", "0", "0.85"], "belongs to a run with another program, schedule or argument"),
        ("cc", &["kron:7"], "belongs to a run with another program"),
    ] {
        let other = refused(standard(name), args, saving(folder.path(), 5, true));
        assert!(other.contains(word), "{other}");
    }
    let path = folder.path().join("checkpoint.gwc");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let damaged = refused(standard("pagerank"), &ranks, saving(folder.path(), 5, true));
    assert!(damaged.contains("is damaged"), "{damaged}");
}

/// What every worker finds is told by the run of the caller, in its words, whichever worker comes there first.
#[test]
fn refusals_are_those_of_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..20 {
        let flow = FlowVm::new(Cluster::threads(4).unwrap(), 4);
        let list =
            run(&flow, standard("leiden"), &["kron:6", "1", "1", "none"], saving(folder.path(), 1, false)).unwrap_err();
        assert!(list.starts_with("a checkpoint cannot hold a "), "{list}");
        run(&flow, standard("pagerank"), &["kron:6", "11", "0", "0.85"], saving(folder.path(), 5, false)).unwrap();
        let other = run(&flow, standard("pagerank"), &["kron:6", "12", "0", "0.85"], saving(folder.path(), 5, true));
        let other = other.unwrap_err();
        assert!(
            other.starts_with("the checkpoint ") && other.contains("another program, schedule or argument"),
            "{other}"
        );
    }
}
