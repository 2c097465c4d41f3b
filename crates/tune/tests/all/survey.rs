//! Surveys: what they measure, and that they go on where they ended.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use graphwright::Program;
use graphwright::schedule::ScheduleCache;
use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{Choice, ErrorKind, Executable, GraphVm, RunOptions, SpecGraphs};
use gw_graph::Graph;
use gw_ir::Module;
use gw_lab::{Lab, TrialOutcome, TrialRow};
use gw_schedule::{Capabilities, Family};
use gw_tune::{Objective, Session, Survey, Surveyed};

/// Schedules that are wanted besides: for the CPU, for a GPU.
const ALSO: [&str; 2] = ["s0:s1@push,par=static,grain=77", "s0:s1@push,lb=twc"];

/// Surveys with a lab in a folder; returns the trials of the lab, too.
fn survey(
    folder: &Path,
    machine: &dyn GraphVm,
    program: &str,
    graph: &str,
    what: Survey,
    budget: Duration,
) -> (Surveyed, Vec<TrialRow>) {
    let path = folder.join("survey.lab");
    let lab = if path.exists() { Lab::open(&path).unwrap() } else { Lab::create(&path).unwrap() };
    let program = Program::find(program).unwrap();
    let options =
        RunOptions { graphs: Arc::new(SpecGraphs::new()), ..RunOptions::with_args([graph.to_string(), "1".into()]) };
    let mut session = Session {
        program: &program,
        machine,
        threads: 1,
        options,
        more_sources: 0,
        objective: Objective::Time,
        meter: None,
        budget,
        seed: 1,
        fresh: false,
        lab: Some(lab),
        cache: ScheduleCache::at(folder, 1),
    };
    let prepared = session.prepare().unwrap();
    let also: Vec<_> = ALSO.iter().map(|text| text.parse().unwrap()).collect();
    let surveyed = session.survey(&prepared, what, &also, &mut |_| {}).unwrap();
    assert!(surveyed.problems.is_empty(), "{:?}", surveyed.problems);
    let lab = Lab::open(&path).unwrap();
    let cells = lab.tune_cells(None, machine.name()).unwrap();
    assert_eq!(cells.len(), 1);
    (surveyed, lab.trials(cells[0].0).unwrap())
}

fn different(trials: &[TrialRow]) -> usize {
    trials.iter().map(|trial| &trial.schedule).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn a_survey_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let machine = gw_cpu::CpuVm::new(1);
    let on_road = |what, budget| survey(folder.path(), &machine, "bfs", "road:12x12", what, budget);
    let (first, trials) = on_road(Survey::Drawn(20), Duration::from_secs(60));
    assert!(first.known == 0 && first.tried > 20 && first.ended > 0 && !first.stopped, "{first:?}");
    assert_eq!(different(&trials), first.tried);
    assert!(trials.iter().any(|trial| trial.schedule.contains("grain=77")));
    assert!(!trials.iter().any(|trial| trial.schedule.contains("lb=twc")));
    // Nothing is measured for the first time, but the best are run again.
    let (again, more) = on_road(Survey::Drawn(20), Duration::from_secs(60));
    assert_eq!((again.known, again.tried), (first.tried, 0));
    assert!(more.len() > trials.len() && different(&more) == first.tried, "{} {}", more.len(), trials.len());
    // The order does not depend on how many are wanted of what was drawn before.
    assert_eq!(trials[0].schedule, more[0].schedule);
    let (wider, _) = on_road(Survey::Drawn(60), Duration::from_secs(60));
    assert!(wider.known == first.tried && wider.tried > 0, "{wider:?}");
}

#[test]
fn draws_come_in_random_order() {
    let folder = tempfile::tempdir().unwrap();
    let machine = gw_cpu::CpuVm::new(1);
    // Few enough simple schedules to be listed: without a shuffle they would come in the order of the axes.
    let (surveyed, trials) =
        survey(folder.path(), &machine, "kcore", "kron:5", Survey::Drawn(400), Duration::from_secs(120));
    assert!(surveyed.tried >= 400, "{surveyed:?}");
    let drawn = &trials[surveyed.tried - 400..surveyed.tried];
    let sorted = drawn.windows(2).filter(|pair| pair[0].schedule <= pair[1].schedule).count();
    assert!((120..280).contains(&sorted), "{sorted} of 399 neighbours are in order");
}

/// Schedules are prepared before their turn where a device compiles kernels; the measured ones are the same.
#[test]
fn a_device_is_surveyed_too() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = EmulatedDevice::new() else { return };
    let machine = CudaVm::on(Arc::new(device));
    let (surveyed, trials) = survey(folder.path(), &machine, "bfs", "kron:4", Survey::Drawn(5), Duration::from_secs(6));
    assert!(surveyed.tried > 0 && !surveyed.stopped, "{surveyed:?}");
    assert_eq!(different(&trials), surveyed.tried);
}

/// A device that breaks after some schedules were prepared, as after a kernel that does not end.
struct Breaking {
    machine: CudaVm,
    left: AtomicUsize,
}

impl GraphVm for Breaking {
    fn name(&self) -> &str {
        self.machine.name()
    }

    fn family(&self) -> Family {
        self.machine.family()
    }

    fn capabilities(&self) -> Capabilities {
        self.machine.capabilities()
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        self.machine.choose(module, graph)
    }

    fn needs(&self, module: &Module, graph: &Graph) -> gw_exec::Result<gw_exec::Needs> {
        self.machine.needs(module, graph)
    }

    fn threads(&self) -> u64 {
        self.machine.threads()
    }

    fn prepare(&self, module: Arc<Module>) -> gw_exec::Result<Box<dyn Executable>> {
        let prepare = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, prepare) {
            Ok(_) => self.machine.prepare(module),
            Err(_) => Err(ErrorKind::Machine("the device is still at work".to_string()).into()),
        }
    }
}

impl gw_exec::MachineReport for Breaking {}

/// What fails on a broken device says nothing about schedules: the survey ends, and they are not noted as failed.
#[test]
fn a_broken_device_ends_the_survey() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = EmulatedDevice::new() else { return };
    let machine = Breaking { machine: CudaVm::on(Arc::new(device)), left: AtomicUsize::new(3) };
    let (surveyed, trials) =
        survey(folder.path(), &machine, "bfs", "kron:4", Survey::Drawn(5), Duration::from_secs(60));
    assert!(surveyed.stopped && surveyed.tried == 4, "{surveyed:?}");
    assert_eq!(different(&trials), 3);
    assert!(trials.iter().all(|trial| trial.outcome != TrialOutcome::Failed));
}
