//! The search on made-up costs, where the best schedule is known: it finds the optimum, keeps to its budget, survives
//! whatever candidates do, and gives the same answer for the same seed.

use gw_exec::{GraphVm, label_operators};
use gw_graph::rng::Rng;
use gw_schedule::ProgramSchedule;
use gw_tune::{Bench, Catalogue, Ended, Event, Found, Objective, ProgramSpace, Reading, Settings, Trial, search};

fn space(program: &str) -> (ProgramSpace, ProgramSchedule) {
    let machine = gw_cpu::CpuVm::new(1);
    let program = graphwright::Program::find(program).unwrap();
    let mut module = program.module().clone();
    label_operators(&mut module);
    let space = ProgramSpace::new(&module, &machine.capabilities(), machine.family());
    (space, program.front().schedule.clone().unwrap_or_default())
}

/// Costs that follow from the settings: a factor per setting, and one for a pair of them.
struct MadeUp<'a> {
    space: &'a ProgramSpace,
    seed: u64,
    elapsed: f64,
    /// Of so many schedules one fails, and one hangs until its limit.
    trouble: u64,
    runs: u64,
    stop_after: u64,
    longest: f64,
}

impl<'a> MadeUp<'a> {
    fn new(space: &'a ProgramSpace, seed: u64) -> MadeUp<'a> {
        let (trouble, stop_after) = (u64::MAX, u64::MAX);
        MadeUp { space, seed, elapsed: 0.0, trouble, runs: 0, stop_after, longest: 0.0 }
    }

    fn seconds(&self, schedule: &ProgramSchedule) -> f64 {
        let settings = self.space.settings(schedule);
        let weight = |text: &str| {
            let hash = text.bytes().fold(self.seed, |hash, byte| gw_graph::rng::mix(hash ^ u64::from(byte)));
            Rng::new(hash, 7).unit()
        };
        // Seven settings matter, the rest hardly.
        let mut log = 0.0;
        for (place, setting) in settings.iter().enumerate() {
            let matters = if weight(&setting.axis) < 7.0 / settings.len() as f64 { 1.0 } else { 0.02 };
            log += matters * weight(&format!("{place}{}", setting.value));
        }
        if let (Some(first), Some(last)) = (settings.first(), settings.last()) {
            log += 0.5 * weight(&format!("{}{}", first.value, last.value));
        }
        0.002 * log.exp()
    }
}

impl Bench for MadeUp<'_> {
    fn inputs(&self) -> usize {
        1
    }

    fn elapsed(&self) -> f64 {
        self.elapsed
    }

    fn run(&mut self, schedule: &ProgramSchedule, _input: usize, limit: f64) -> Trial {
        self.runs += 1;
        if self.runs > self.stop_after {
            return Trial::Stopped;
        }
        let seconds = self.seconds(schedule);
        let hash = schedule.to_string().bytes().fold(7, |hash, byte| gw_graph::rng::mix(hash ^ u64::from(byte)));
        let (fails, hangs) = match limit == f64::MAX {
            true => (false, false),
            false => (hash % self.trouble == 3, hash % self.trouble == 5),
        };
        let spent = match (fails, hangs) {
            (true, _) => 0.0,
            (_, true) => limit,
            _ => seconds.min(limit),
        };
        self.elapsed += spent + 0.001;
        self.longest = self.longest.max(spent);
        match (fails, hangs) {
            (true, _) => Trial::Failed("made up".to_string()),
            (_, true) => Trial::TooSlow,
            _ if seconds > limit => Trial::TooSlow,
            _ => Trial::Done(Reading::timed(seconds)),
        }
    }
}

fn run(bench: &mut MadeUp<'_>, space: &ProgramSpace, start: &ProgramSchedule, budget: f64, seed: u64) -> Found {
    let starts = vec![("rule".to_string(), start.clone())];
    let settings = Settings { seed, ..Settings::new(budget, starts) };
    search(bench, space, &settings, &mut |_: &Event<'_>| {}).unwrap()
}

#[test]
fn the_search_comes_near_a_planted_optimum() {
    let (space, start) = space("bfs");
    let mut close = 0;
    let (worlds, draws) = (4, 1500);
    for world in 0..worlds {
        let mut bench = MadeUp::new(&space, world);
        let found = run(&mut bench, &space, &start, 10.0, world);
        let answer = bench.seconds(&found.arms[found.best].schedule);
        // More random draws than the search has tried.
        let mut rng = Rng::new(world, 99);
        let drawn = (0..draws).map(|_| bench.seconds(&space.draw(&mut rng))).fold(f64::MAX, f64::min);
        assert!(found.arms.len() < draws, "{}", found.arms.len());
        close += u32::from(answer <= 1.02 * drawn);
    }
    assert!(close + 1 >= worlds as u32, "{close} of {worlds}");
}

/// A machine on which one thread takes twice the time at 100 W, and all threads draw 250 W: one thread takes the least
/// energy (200 against 250), all threads the least time and the least product of both. Other settings matter little.
struct Powered {
    elapsed: f64,
}

fn is_serial(schedule: &ProgramSchedule) -> bool {
    schedule.to_string().contains("par=serial")
}

impl Bench for Powered {
    fn inputs(&self) -> usize {
        1
    }

    fn elapsed(&self) -> f64 {
        self.elapsed
    }

    fn run(&mut self, schedule: &ProgramSchedule, _input: usize, limit: f64) -> Trial {
        let hash = schedule.to_string().bytes().fold(3, |hash, byte| gw_graph::rng::mix(hash ^ u64::from(byte)));
        let serial = is_serial(schedule);
        let seconds = 0.01 * (1.0 + 0.1 * Rng::new(hash, 1).unit()) * if serial { 2.0 } else { 1.0 };
        self.elapsed += seconds.min(limit) + 0.001;
        match seconds > limit {
            true => Trial::TooSlow,
            false => {
                let watts = if serial { 100.0 } else { 250.0 };
                Trial::Done(Reading { joules: Some(watts * seconds), ..Reading::timed(seconds) })
            }
        }
    }
}

#[test]
fn least_energy_is_found_where_it_is_not_the_least_time() {
    let (space, _) = space("sssp-delta");
    let found = |objective: Objective, start: &str| {
        let starts = vec![("rule".to_string(), start.parse().unwrap())];
        let settings = Settings { objective, idle_watts: 60.0, ..Settings::new(4.0, starts) };
        let found = search(&mut Powered { elapsed: 0.0 }, &space, &settings, &mut |_| {}).unwrap();
        assert!(found.baseline.joules.is_some_and(|joules| joules > 0.0));
        is_serial(&found.arms[found.best].schedule)
    };
    let (serial, parallel) = ("s0:s1@push,par=serial,update=lazy", "s0:s1@push,par=dynamic,update=lazy");
    for start in [serial, parallel] {
        assert!(!found(Objective::Time, start), "{start}");
        assert!(found(Objective::Energy, start), "{start}");
        assert!(!found(Objective::TimeEnergy, start), "{start}");
    }
}

#[test]
fn the_budget_holds_and_the_seed_decides() {
    let (space, start) = space("sssp-delta");
    let once = |seed: u64| {
        let mut bench = MadeUp::new(&space, 5);
        let found = run(&mut bench, &space, &start, 3.0, seed);
        assert!(bench.elapsed <= 3.0 + 4.0 * bench.longest + 0.1, "{} s, longest {}", bench.elapsed, bench.longest);
        (found.arms.len(), found.arms[found.best].schedule.to_string())
    };
    assert_eq!(once(3), once(3));
    let rule_only = {
        let mut bench = MadeUp::new(&space, 5);
        run(&mut bench, &space, &start, 0.02, 1)
    };
    assert!(rule_only.share <= 1.0 && !rule_only.arms.is_empty());
}

#[test]
fn candidates_that_fail_or_hang_cost_little() {
    let (space, start) = space("bc");
    let mut bench = MadeUp::new(&space, 2);
    bench.trouble = 7;
    let found = run(&mut bench, &space, &start, 6.0, 1);
    assert!(found.arms.iter().any(|arm| arm.failed.is_some()));
    assert!(found.arms[found.best].failed.is_none());
    assert!(found.share < 1.0, "{}", found.share);
    assert!(bench.elapsed < 9.0, "{}", bench.elapsed);
}

#[test]
fn a_search_that_is_ended_keeps_what_it_found() {
    let (space, start) = space("bfs");
    let mut bench = MadeUp::new(&space, 4);
    bench.stop_after = 60;
    let found = run(&mut bench, &space, &start, 60.0, 1);
    assert_eq!(found.ended, Ended::Stopped);
    let best = bench.seconds(&found.arms[found.best].schedule);
    let seen = found.arms.iter().filter(|arm| arm.runs() > 0).map(|arm| bench.seconds(&arm.schedule));
    assert!(best <= 1.0 / 0.97 * seen.fold(f64::MAX, f64::min), "the best of what was measured is the answer");
    bench = MadeUp::new(&space, 4);
    bench.stop_after = 0;
    let starts = vec![("rule".to_string(), start)];
    assert!(search(&mut bench, &space, &Settings::new(1.0, starts), &mut |_| {}).is_err());
}

#[test]
fn neighbours_are_legal_and_compile() {
    let machine = gw_cpu::CpuVm::new(1);
    for name in ["bfs", "sssp-delta", "pagerank", "cc", "bc", "tc", "kcore"] {
        let (space, start) = space(name);
        let program = graphwright::Program::find(name).unwrap();
        let mut module = program.module().clone();
        label_operators(&mut module);
        let mut rng = Rng::new(11, 3);
        let (mut compiled, mut changed, mut all) = (0, 0, 0);
        let mut at = start.clone();
        for turn in 0..120 {
            let made = match turn % 4 {
                0 => Some(space.draw(&mut rng)),
                1 => space.cross(&at, &start, &mut rng),
                n => space.near(&at, n - 1, &mut rng),
            };
            let Some(schedule) = made else { continue };
            assert!(space.allows(&schedule), "{name}: {schedule}");
            assert_eq!(Catalogue::code(&space, &schedule).len(), space.columns().len());
            assert_eq!(space.settings(&schedule).len(), space.columns().len());
            changed += usize::from(space.key(&schedule) != space.key(&at));
            all += 1;
            let wanted =
                graphwright::schedule::Wanted::Fixed(Box::new(schedule.clone()), graphwright::schedule::Origin::Given);
            let settled = wanted.settle(&machine, module.clone(), &gw_exec::RunOptions::default());
            compiled += usize::from(settled.compile(&machine).is_ok());
            at = schedule;
        }
        assert!(all > 80 && changed * 10 > all * 8, "{name}: {changed} of {all} differ");
        assert!(compiled * 10 > all * 9, "{name}: {compiled} of {all} compile");
    }
}

#[test]
fn a_survey_has_different_legal_schedules() {
    for (name, least) in [("bfs", 2000), ("bc", 2000), ("tc", 40)] {
        let (space, _) = space(name);
        let survey: Vec<ProgramSchedule> = space.drawn(2000, 1).collect();
        assert!(survey.len() >= least, "{name}: {}", survey.len());
        let keys: std::collections::HashSet<String> = survey.iter().map(|schedule| space.key(schedule)).collect();
        assert_eq!(keys.len(), survey.len());
        // Of however many, the first are there at once, and a small space comes to its end.
        assert_eq!(space.drawn(usize::MAX, 1).take(20).count(), 20);
        if least < 100 {
            assert!(space.drawn(1 << 40, 1).count() >= least, "{name}");
        }
    }
}

/// On the day of an earlier search everything took a third of the time. A search that takes its readings up and is
/// ended after the rule's runs must not take that for the gain of a schedule.
#[test]
fn readings_of_a_faster_day_are_no_gain() {
    let (space, start) = space("sssp-delta");
    let mut rng = Rng::new(3, 3);
    let others: Vec<ProgramSchedule> = (0..8).map(|_| space.draw(&mut rng)).collect();
    let world = MadeUp::new(&space, 5);
    let of =
        |schedule: &ProgramSchedule, day: f64| (schedule.clone(), 0, Reading::timed(world.seconds(schedule) / day));
    let known = |day: f64, rule: bool| {
        let all = rule.then_some(&start).into_iter().chain(&others);
        all.map(|schedule| of(schedule, day)).collect::<Vec<_>>()
    };
    let ended_early = |known| {
        let mut bench = MadeUp { stop_after: 3, ..MadeUp::new(&space, 5) };
        let starts = vec![("rule".to_string(), start.clone())];
        let settings = Settings { known, ..Settings::new(10.0, starts) };
        search(&mut bench, &space, &settings, &mut |_: &Event<'_>| {}).unwrap()
    };
    let least = others.iter().map(|other| world.seconds(other)).fold(f64::MAX, f64::min);
    let truth = (least / world.seconds(&start)).min(1.0);
    let found = ended_early(vec![known(3.0, true), known(7.0, true)]);
    assert_eq!(found.ended, Ended::Stopped);
    assert!((found.share - truth).abs() < 0.02, "{} instead of {truth}", found.share);
    // Nothing says how fast the day was: nothing is believed.
    let found = ended_early(vec![known(3.0, false)]);
    assert_eq!((found.best, found.share), (0, 1.0));
}
