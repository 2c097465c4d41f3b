//! A whole session on the CPU machine: journal, lab and cache, and what broken ones do.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graphwright::Program;
use graphwright::schedule::{ScheduleCache, Tuning, Wanted};
use gw_exec::{GraphVm, RunOptions, SpecGraphs};
use gw_lab::Lab;
use gw_meter::power::EnergyMeter;
use gw_schedule::ProgramSchedule;
use gw_tune::{Objective, Session, Tuned, for_file};

const GRAPH: &str = "road:40x40:weights=1..100";

struct Here<'a> {
    folder: &'a Path,
    machine: gw_cpu::CpuVm,
    program: Program,
    more_sources: usize,
}

impl<'a> Here<'a> {
    fn new(folder: &'a Path, program: &str) -> Here<'a> {
        Here { folder, machine: gw_cpu::CpuVm::new(1), program: Program::find(program).unwrap(), more_sources: 2 }
    }

    fn session(&self, milliseconds: u64, lab: Option<Lab>) -> Session<'_> {
        let mut options = RunOptions::with_args([GRAPH, "3", "20"]);
        options.graphs = Arc::new(SpecGraphs::new());
        Session {
            program: &self.program,
            machine: &self.machine,
            threads: 1,
            options,
            more_sources: self.more_sources,
            objective: Objective::Time,
            meter: None,
            budget: Duration::from_millis(milliseconds),
            seed: 1,
            fresh: false,
            lab,
            cache: ScheduleCache::at(self.folder, 1),
        }
    }

    fn tune(&self, milliseconds: u64, lab: Option<Lab>) -> (Tuned, usize) {
        let mut session = self.session(milliseconds, lab);
        let mut prepared = session.prepare().unwrap();
        let tuned = session.tune(&mut prepared, &mut |_| {}).unwrap();
        assert!(tuned.problems.is_empty(), "{:?}", tuned.problems);
        (tuned, prepared.recalled)
    }

    /// The decision of `auto` with the cache.
    fn auto(&self) -> graphwright::schedule::Decision {
        let wanted = Wanted::Chosen.or_tuned(ScheduleCache::at(self.folder, 1), &self.program);
        let mut options = RunOptions::with_args([GRAPH, "3", "20"]);
        options.graphs = Arc::new(SpecGraphs::new());
        self.program.settle(&wanted, &self.machine, &options).decision
    }
}

/// An entry that somebody tuned for the machine.
fn entry(
    key: &graphwright::schedule::TuningKey,
    cache: &ScheduleCache,
    here: &Here<'_>,
    joules: Option<f64>,
) -> graphwright::schedule::TunedSchedule {
    graphwright::schedule::TunedSchedule {
        version: 0,
        name: "sssp-delta".into(),
        program: key.program.clone(),
        graph: key.graph.clone(),
        target: "cpu".into(),
        machine: cache.machine(&here.machine),
        schedule: "s0:s1@push,par=serial,update=lazy,delta=7".into(),
        objective: graphwright::schedule::Aim::Time,
        share: 0.5,
        seconds: 0.001,
        joules,
        tuned: "2026-01-01T00:00:00Z".into(),
    }
}

#[test]
fn a_session_is_right_kept_and_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let lab = folder.path().join("my.lab");
    let mut here = Here::new(folder.path(), "sssp-delta");
    // Further sources are chosen by the time of their runs: on a busy machine the second session takes others, and a
    // journal about other inputs is not taken up.
    here.more_sources = 0;
    let (first, recalled) = here.tune(700, Some(Lab::create(&lab).unwrap()));
    assert_eq!((first.verified, recalled), (Some(true), 0));
    assert!(!first.found.arms.is_empty() && first.found.share <= 1.0);
    let lab = Lab::open(&lab).unwrap();
    let cells = lab.tune_cells(Some("sssp-delta"), "cpu").unwrap();
    assert_eq!(cells.len(), 1);
    assert!(cells[0].1.features["vertices"] > 1000.0);
    let trials = lab.trials(cells[0].0).unwrap().len();
    assert!(trials > 0);
    // Again: everything is remembered, and the lab has schedules for the start.
    let mut session = here.session(300, Some(lab));
    let mut prepared = session.prepare().unwrap();
    assert!(prepared.from_lab.graphs == 1 && !prepared.from_lab.schedules.is_empty());
    let second = session.tune(&mut prepared, &mut |_| {}).unwrap();
    assert!(prepared.recalled > 0 && prepared.recalled <= trials);
    // What goes into a file is what the program's text can name: its last operator has no label there.
    let (file, dropped) = for_file(&here.program, second.schedule());
    let named = |schedule: &ProgramSchedule| -> Vec<String> {
        let labels = schedule.labels().filter(|(label, _)| !dropped.contains(&label.to_string()));
        labels.map(|(label, part)| format!("{label}@{part}")).collect()
    };
    assert!(named(&file) == named(second.schedule()) && named(&file).iter().any(|part| part.starts_with("s0:s1@")));
    assert!(dropped.len() <= 1, "{dropped:?}");
}

#[test]
fn the_cache_is_used_checked_and_passed_over_when_it_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let here = Here::new(folder.path(), "sssp-delta");
    assert_eq!(here.auto().origin, graphwright::schedule::Origin::Chosen);
    let mut session = here.session(100, None);
    let key = session.prepare().unwrap().key;
    let cache = ScheduleCache::at(folder.path(), 1);
    let entry = entry(&key, &cache, &here, None);
    let file = cache.store(&key, &entry).unwrap().unwrap();
    let decision = here.auto();
    assert_eq!((decision.origin, decision.tuned_ignored), (graphwright::schedule::Origin::Tuned, None));
    assert!(decision.schedule.to_string().contains("delta=7"));
    assert!(matches!(cache.find(&key), Tuning::Found(..)));
    let refused = |text: String, word: &str| {
        std::fs::write(&file, text).unwrap();
        let decision = here.auto();
        assert_eq!(decision.origin, graphwright::schedule::Origin::Chosen);
        let why = decision.tuned_ignored.unwrap_or_default();
        assert!(why.contains(word), "{why}");
    };
    let good = std::fs::read_to_string(&file).unwrap();
    refused(good.replace("\"version\": 1", "\"version\": 9"), "version 9");
    refused(good[..good.len() / 2].to_string(), "no entry of the cache");
    refused("\u{0}".to_string(), "no entry of the cache");
    refused(good.replace("threads: 1", "threads: 64"), "was tuned on");
    refused(good.replace("par=serial", "par=nonsense"), "cannot be read");
    // Legal as a text, but not at this place, and not on this machine.
    refused(good.replace("push,par=serial,update=lazy,delta=7", "push,segments=4"), "does not fit");
    refused(good.replace("par=serial", "lb=twc"), "does not fit");
    refused(good.replace("s0:s1@", "nowhere@"), "does not fit");
    refused(good.replace(&key.graph, "0000000000000000"), "another program, graph or machine");
    // Another graph, another program text: nothing was tuned.
    std::fs::write(&file, good).unwrap();
    assert_eq!(here.auto().origin, graphwright::schedule::Origin::Tuned);
    assert_eq!(Here::new(folder.path(), "sssp").auto().origin, graphwright::schedule::Origin::Chosen);
}

/// A search that is ended, at its first run or after some schedules, leaves the cache as it was.
#[test]
fn a_search_that_is_ended_changes_no_entry_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut here = Here::new(folder.path(), "sssp-delta");
    here.more_sources = 0;
    let ended = |after: usize| {
        let mut session = here.session(20_000, None);
        session.fresh = true;
        let cancel = Arc::clone(&session.options.cancel);
        let mut prepared = session.prepare().unwrap();
        let mut heard = 0;
        let tuned = session.tune(&mut prepared, &mut |_| {
            heard += 1;
            cancel.store(heard > after, std::sync::atomic::Ordering::Relaxed);
        });
        let tuned = tuned.unwrap();
        assert_eq!((tuned.found.ended, tuned.verified), (gw_tune::Ended::Stopped, None));
        assert!(tuned.entry.is_none() && tuned.problems.is_empty(), "{:?}", tuned.problems);
        prepared.key
    };
    let cache = ScheduleCache::at(folder.path(), 1);
    let key = ended(30);
    assert_eq!(cache.find(&key), Tuning::None);
    let entry = entry(&key, &cache, &here, Some(0.2));
    let file = cache.store(&key, &entry).unwrap().unwrap();
    let before = std::fs::read_to_string(&file).unwrap();
    for after in [0, 30] {
        ended(after);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
    assert!(here.auto().schedule.to_string().contains("delta=7"));
}

#[test]
fn memory_is_an_objective_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = Here::new(folder.path(), "sssp-delta");
    let mut session = here.session(300, None);
    session.objective = Objective::Memory;
    let mut prepared = session.prepare().unwrap();
    let tuned = session.tune(&mut prepared, &mut |_| {}).unwrap();
    assert!(tuned.found.baseline.bytes > 0 && tuned.entry.is_none());
    let least = tuned.found.arms[tuned.found.best].least_bytes();
    assert!(least <= tuned.found.baseline.bytes, "{least} of {}", tuned.found.baseline.bytes);
}

/// Counts 40 W in steps of 5 ms, from a moment.
struct Forty(Instant);

impl EnergyMeter for Forty {
    fn name(&self) -> String {
        "forty".to_string()
    }

    fn joules(&self) -> Option<f64> {
        Some((self.0.elapsed().as_millis() / 5) as f64 * 0.2)
    }

    fn watts(&self) -> Option<f64> {
        Some(40.0)
    }
}

#[test]
fn energy_is_metered_kept_in_the_lab_and_in_an_entry_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.lab");
    let here = Here::new(folder.path(), "sssp-delta");
    let meter = Forty(Instant::now());
    let mut session = here.session(2500, Some(Lab::create(&path).unwrap()));
    (session.objective, session.more_sources) = (Objective::Energy, 0);
    let problem = session.prepare().unwrap_err().to_string();
    assert!(problem.contains("cannot be metered") && problem.contains("--objective time"), "{problem}");
    session.meter = Some(&meter);
    let mut prepared = session.prepare().unwrap();
    let gauge = prepared.gauge.clone().unwrap();
    assert!((gauge.idle_watts - 40.0).abs() < 8.0 && gauge.window < 1.0, "{gauge:?}");
    let tuned = session.tune(&mut prepared, &mut |_| {}).unwrap();
    assert_eq!((tuned.verified, tuned.problems.len()), (Some(true), 0), "{:?}", tuned.problems);
    // Joules of a run are those of 40 W over a little more than its time: the host does something between two runs.
    let base = tuned.found.baseline;
    let joules = base.joules.unwrap();
    assert!(joules >= 0.8 * 40.0 * base.seconds && joules < 40.0 * (4.0 * base.seconds + 0.01), "{base:?}");
    let lab = Lab::open(&path).unwrap();
    let cell = lab.tune_cells(None, "cpu").unwrap()[0].0;
    let done: Vec<_> =
        lab.trials(cell).unwrap().into_iter().filter(|t| t.outcome == gw_lab::TrialOutcome::Done).collect();
    assert!(!done.is_empty() && done.iter().all(|trial| trial.joules.is_some_and(|joules| joules > 0.0)));
    assert!(lab.query("trials", None).unwrap().rows.len() >= done.len());
    let mut other = Lab::create(folder.path().join("other.lab")).unwrap();
    lab.contribute(&folder.path().join("given.lab")).unwrap();
    assert!(other.merge(&folder.path().join("given.lab")).unwrap().trials > 0);
    assert_eq!(other.trials(1).unwrap(), lab.trials(cell).unwrap(), "joules go along");
    // An entry for energy is none for time.
    let cache = ScheduleCache::at(folder.path(), 1);
    let thrifty = cache.clone().aimed_at(graphwright::schedule::Aim::Energy);
    if tuned.found.best != 0 {
        let Tuning::Found(entry, _) = thrifty.find(&prepared.key) else { panic!("no entry") };
        assert!(entry.objective == graphwright::schedule::Aim::Energy && entry.joules.is_some());
    }
    assert_eq!(cache.find(&prepared.key), Tuning::None);
    // A search for time knows nothing of the journal of energy.
    drop(session);
    let mut session = here.session(100, None);
    let mut prepared = session.prepare().unwrap();
    session.tune(&mut prepared, &mut |_| {}).unwrap();
    assert_eq!(prepared.recalled, 0);
}

#[test]
fn an_entry_holds_for_the_objective_that_it_was_tuned_for() {
    let folder = tempfile::tempdir().unwrap();
    let here = Here::new(folder.path(), "sssp-delta");
    let key = here.session(100, None).prepare().unwrap().key;
    let cache = ScheduleCache::at(folder.path(), 1);
    let entry = entry(&key, &cache, &here, Some(0.2));
    let both = cache.clone().aimed_at(graphwright::schedule::Aim::TimeEnergy);
    let file = both.store(&key, &entry).unwrap().unwrap();
    assert!(file.to_string_lossy().ends_with("-time-energy.json"), "{file:?}");
    assert!(matches!(both.find(&key), Tuning::Found(entry, _) if entry.joules == Some(0.2)));
    assert_eq!(cache.find(&key), Tuning::None);
    std::fs::copy(&file, cache.file(&key).unwrap()).unwrap();
    let Tuning::Ignored(why) = cache.find(&key) else { panic!("taken for another objective") };
    assert!(why.contains("was tuned for time-energy"), "{why}");
    // Entries of earlier versions say no objective: they are for time.
    let text = std::fs::read_to_string(&file).unwrap().replace("  \"objective\": \"time-energy\",\n", "");
    std::fs::write(cache.file(&key).unwrap(), text).unwrap();
    assert!(matches!(cache.find(&key), Tuning::Found(..)));
    let wanted = Wanted::Chosen.or_tuned(both, &here.program);
    let mut options = RunOptions::with_args([GRAPH, "3", "20"]);
    options.graphs = Arc::new(SpecGraphs::new());
    let decision = here.program.settle(&wanted, &here.machine, &options).decision;
    assert!(decision.reasons[0].because.contains("50 % of the product of energy and time"), "{:?}", decision.reasons);
}

#[test]
fn a_contribution_names_no_graph_and_merges() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let empty = Lab::create(at("empty.lab")).unwrap();
    let problem = empty.contribute(&at("nothing.lab")).unwrap_err().to_string();
    assert!(problem.contains("no measurements") && !at("nothing.lab").exists(), "{problem}");
    let here = Here::new(folder.path(), "sssp-delta");
    here.tune(200, Some(Lab::create(at("my.lab")).unwrap()));
    let lab = Lab::open(at("my.lab")).unwrap();
    let made = lab.contribute(&at("given.lab")).unwrap();
    assert!(made.trials > 0 && made.graphs == 1);
    assert!(lab.contribute(&at("given.lab")).is_err(), "nothing is overwritten");
    let bytes = std::fs::read(at("given.lab")).unwrap();
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    assert!(has(b"sssp-delta") && !has(b"road:40x40"));
    let mut other = Lab::create(at("other.lab")).unwrap();
    let merged = other.merge(&at("given.lab")).unwrap();
    assert_eq!(merged.trials as i64, made.trials);
    assert_eq!(other.merge(&at("given.lab")).unwrap().trials, 0, "taken in once");
    let cell = &other.tune_cells(None, "cpu").unwrap()[0].1;
    assert!(cell.graph_name.is_none() && cell.features["edges"] > 0.0);
    assert!(other.check_integrity().unwrap().is_empty());
}

#[test]
fn a_program_without_choices_is_told_so() {
    let program = Program::parse(
        "empty.gt",
        "element Vertex end\nelement Edge end\nconst edges : \
        edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\nconst d : vector{Vertex}(int) = edges.getOutDegrees();\n\
        func main()\nend\n",
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let here = Here { folder: folder.path(), machine: gw_cpu::CpuVm::new(1), program, more_sources: 0 };
    let error = here.session(100, None).prepare().unwrap_err().to_string();
    assert!(error.contains("nothing to tune"), "{error}");
    assert_eq!(here.machine.name(), "cpu");
}

/// A schedule for one thread is none for two, and takes no other's place.
#[test]
fn computers_with_other_threads_have_entries_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = Here::new(folder.path(), "sssp-delta");
    let key = here.session(100, None).prepare().unwrap().key;
    let (one, two) = (ScheduleCache::at(folder.path(), 1), ScheduleCache::at(folder.path(), 2));
    let other = graphwright::schedule::TuningKey { machine: two.machine(&here.machine), ..key.clone() };
    let first = entry(&key, &one, &here, None);
    let mut second = entry(&other, &two, &here, None);
    second.schedule = "s0:s1@push,par=serial,update=lazy,delta=9".into();
    one.store(&key, &first).unwrap();
    two.store(&other, &second).unwrap();
    for (cache, key, word) in [(&one, &key, "delta=7"), (&two, &other, "delta=9")] {
        let Tuning::Found(_, schedule) = cache.find(key) else { panic!("no entry for {}", key.machine) };
        assert!(schedule.to_string().contains(word), "{schedule}");
    }
}

/// The budget counts from the moment when the graph is there: what is drawn before the search is part of it.
#[test]
fn drawing_sources_is_part_of_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let here = Here::new(folder.path(), "sssp");
    let mut session = here.session(100, None);
    session.options.argv = ["sssp", "road:300x300:weights=1..100", "3"].map(str::to_string).to_vec();
    session.more_sources = 3;
    let begun = Instant::now();
    let mut prepared = session.prepare().unwrap();
    let spent = begun.elapsed().as_secs_f64();
    // A run takes longer than a fifth of the budget: it is ended, and no other source is tried.
    assert_eq!(prepared.inputs, 1);
    std::thread::sleep(Duration::from_millis(150));
    let tuned = session.tune(&mut prepared, &mut |_| {}).unwrap();
    assert_eq!(tuned.found.arms.len(), 1, "the time was over before the search");
    assert!(tuned.found.elapsed >= 0.15 && tuned.found.elapsed < spent + begun.elapsed().as_secs_f64());
}

/// Another process writes to the lab for a while: the search goes on, and everything is in the lab afterwards.
#[test]
fn a_lab_that_another_process_writes_to_does_not_hold_up_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.lab");
    let mut here = Here::new(folder.path(), "sssp-delta");
    here.more_sources = 0;
    drop(Lab::create(&path).unwrap());
    let mut session = here.session(800, Some(Lab::open(&path).unwrap()));
    let mut prepared = session.prepare().unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(5));
        other.execute_batch("COMMIT").unwrap();
    });
    let tuned = session.tune(&mut prepared, &mut |_| {}).unwrap();
    writer.join().unwrap();
    assert!(tuned.problems.is_empty(), "{:?}", tuned.problems);
    assert!(tuned.found.elapsed < 4.0, "{} s", tuned.found.elapsed);
    drop(session);
    let lab = Lab::open(&path).unwrap();
    let cell = lab.tune_cells(None, "cpu").unwrap()[0].0;
    assert!(lab.trials(cell).unwrap().len() > tuned.found.arms.len() / 2);
}
