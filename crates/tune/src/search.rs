//! The search: a race among good starts, then proposals by a surrogate, then a duel of the best.
//!
//! 1. The baseline, the machine's rule, is measured. It is the answer until something beats it by more than noise.
//! 2. The starts race: a run that takes twice as long as the best so far is ended, since it cannot win.
//! 3. Proposals: schedules one or two axes from the best, mixtures of good ones, random draws. A forest learned from
//!    everything measured so far picks those that promise most (mean less spread: the lower confidence bound). They
//!    climb rungs: one input first; only what stays close to the best is run with further inputs (successive halving,
//!    Jamieson and Talwalkar, AISTATS 2016).
//! 4. The duel: the best few and the baseline take turns, and medians decide. A schedule that merely had one lucky run
//!    loses here.
//!
//! Time runs by the clock of the [`Bench`], so that compiling counts and a replay of measured tables is a search, too.

use gw_graph::rng::Rng;
use gw_schedule::ProgramSchedule;

use crate::arm::{Arm, Arms};
use crate::bench::{Bench, Catalogue, Objective, Reading, Trial};
use crate::forest::Forest;
use crate::journal::Known;

/// Runs of the baseline per input before anything else.
const BASELINE_RUNS: usize = 3;
/// A run is ended after this multiple of the best so far: among the starts, and later.
const START_CAP: f64 = 2.0;
const CAP: f64 = 1.5;
/// The share of the budget after which no further start is raced: on a device each is compiled for a while.
const START_SHARE: f64 = 0.5;
/// How close to the best a schedule must stay to climb from rung to rung.
const RUNGS: [f64; 3] = [1.25, 1.12, 1.06];
/// The best schedules that proposals are near to.
const ELITES: usize = 6;
/// Proposals measured before the surrogate learns again; more where more are compiled side by side.
const BATCH: usize = 6;
/// Schedules measured before the surrogate is asked.
const LEAST_ROWS: usize = 12;
/// Schedules that the surrogate learns from at most.
const MOST_ROWS: usize = 256;
/// The share of proposals that are drawn blindly.
const BLIND: f64 = 0.1;
/// The share of the budget that is kept for the duel, and its rounds.
const DUEL_SHARE: f64 = 0.15;
const DUEL_ROUNDS: usize = 9;
const DUELLISTS: usize = 3;
/// What a schedule must save against the baseline to replace it.
const NOISE: f64 = 0.98;

/// What a search is asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seconds in all.
    pub budget: f64,
    /// What shall be small.
    pub objective: Objective,
    /// Watts that the machine draws without work; 0 where nobody knows. Tells when a run can no longer win by energy.
    pub idle_watts: f64,
    /// The seed of all draws.
    pub seed: u64,
    /// The search ends early when this many schedules in a row brought nothing.
    pub patience: usize,
    /// Schedules to begin with, each with the word for where it comes from. The first is the baseline.
    pub starts: Vec<(String, ProgramSchedule)>,
    /// Readings of earlier searches.
    pub known: Known,
    /// Learn a surrogate; without it proposals near the best are taken as they come.
    pub surrogate: bool,
}

impl Settings {
    /// A search with these starts.
    pub fn new(budget: f64, starts: Vec<(String, ProgramSchedule)>) -> Settings {
        Settings {
            budget,
            objective: Objective::Time,
            idle_watts: 0.0,
            seed: 1,
            patience: 1500,
            starts,
            known: Vec::new(),
            surrogate: true,
        }
    }
}

/// What a search tells while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// The baseline was measured.
    Baseline(Reading),
    /// A schedule is the best so far.
    Best {
        /// The schedule.
        arm: &'a Arm,
        /// Its cost as a share of the baseline's.
        share: f64,
        /// Schedules tried so far.
        tried: usize,
        /// Seconds spent so far.
        elapsed: f64,
    },
    /// Another schedule was tried.
    Tried {
        /// Schedules tried so far.
        tried: usize,
        /// Seconds spent so far.
        elapsed: f64,
    },
    /// The best few take turns now.
    Duel,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its time was over.
    Budget,
    /// Nothing better came up for a long time, or nothing was left to try.
    Exhausted,
    /// The person ended it.
    Stopped,
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// Every schedule that was tried, in order; the first is the baseline.
    pub arms: Vec<Arm>,
    /// The place of the best one.
    pub best: usize,
    /// Its cost as a share of the baseline's, by the duel.
    pub share: f64,
    /// Rounds of the duel: so many of the last readings of its schedules decided; 0 without a duel.
    pub rounds: usize,
    /// The baseline's best reading, summed over the inputs and divided by their number.
    pub baseline: Reading,
    /// How far runs of the baseline were apart: greatest over least, less one.
    pub noise: f64,
    /// Seconds spent.
    pub elapsed: f64,
    /// Why it ended.
    pub ended: Ended,
    /// The cost of every arm as a share of the baseline's; `None` where it did not come to an end.
    pub shares: Vec<Option<f64>>,
}

/// The baseline cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoBaseline(pub String);

struct Search<'a> {
    bench: &'a mut dyn Bench,
    catalogue: &'a dyn Catalogue,
    settings: &'a Settings,
    watch: &'a mut dyn FnMut(&Event<'_>),
    arms: Arms,
    best: usize,
    rng: Rng,
    /// How far runs of the baseline were apart.
    noise: f64,
    /// Schedules since the last improvement.
    stale: usize,
    stopped: bool,
    /// Rounds of the duel.
    rounds: usize,
}

/// Searches for the schedule with the least cost.
pub fn search(
    bench: &mut dyn Bench,
    catalogue: &dyn Catalogue,
    settings: &Settings,
    watch: &mut dyn FnMut(&Event<'_>),
) -> Result<Found, NoBaseline> {
    let rng = Rng::new(settings.seed, 0x5e_a7c4);
    let arms = Arms::new(settings.objective);
    let mut search = Search {
        bench,
        catalogue,
        settings,
        watch,
        arms,
        best: 0,
        rng,
        noise: 0.0,
        stale: 0,
        stopped: false,
        rounds: 0,
    };
    let noise = search.baseline()?;
    search.noise = noise;
    search.recall();
    search.race_starts();
    let ended = search.propose();
    let share = search.duel();
    let base = &search.arms.base;
    let inputs = base.len().max(1) as f64;
    let baseline = Reading {
        seconds: base.iter().map(|reading| reading.seconds).sum::<f64>() / inputs,
        bytes: base.iter().map(|reading| reading.bytes).max().unwrap_or(0),
        joules: base.iter().map(|reading| reading.joules).sum::<Option<f64>>().map(|joules| joules / inputs),
    };
    let shares = (0..search.arms.all.len()).map(|arm| {
        let whole = search.arms.all[arm].at_least.is_none() && search.arms.all[arm].failed.is_none();
        search.arms.score(arm).filter(|_| whole).map(f64::exp)
    });
    Ok(Found {
        best: search.best,
        share,
        rounds: search.rounds,
        baseline,
        noise,
        elapsed: search.bench.elapsed(),
        ended: if search.stopped { Ended::Stopped } else { ended },
        shares: shares.collect(),
        arms: search.arms.all,
    })
}

impl Search<'_> {
    fn add(&mut self, schedule: &ProgramSchedule, origin: &str) -> usize {
        let (key, code) = (self.catalogue.key(schedule), self.catalogue.code(schedule));
        self.arms.add(key, schedule.clone(), code, origin, self.bench.inputs())
    }

    /// Measures the first start with every input; returns how far its runs are apart.
    fn baseline(&mut self) -> Result<f64, NoBaseline> {
        let Some((origin, schedule)) = self.settings.starts.first() else {
            return Err(NoBaseline("there is no schedule to begin with".to_string()));
        };
        let arm = self.add(schedule, origin);
        let mut noise: f64 = 0.0;
        for input in 0..self.bench.inputs() {
            let mut readings: Vec<Reading> = Vec::new();
            for _ in 0..BASELINE_RUNS {
                match self.bench.run(schedule, input, f64::MAX) {
                    Trial::Done(reading) => readings.push(reading),
                    Trial::Failed(problem) => return Err(NoBaseline(problem)),
                    Trial::TooSlow => return Err(NoBaseline("a run without a limit was ended by one".to_string())),
                    Trial::Stopped => {
                        self.stopped = true;
                        break;
                    }
                }
                // A baseline that takes a good part of the budget is not repeated.
                if self.bench.elapsed() > 0.2 * self.settings.budget || self.stopped {
                    break;
                }
            }
            let objective = self.settings.objective;
            let measured = |reading: &Reading| objective.measured(reading);
            let least = readings.iter().min_by(|a, b| measured(a).total_cmp(&measured(b))).copied();
            let Some(least) = least else { return Err(NoBaseline("the search was ended before its first run".into())) };
            // The first run warms up.
            let most = readings.iter().skip(1).map(measured).fold(measured(&least), f64::max);
            noise = noise.max(most / measured(&least) - 1.0);
            self.arms.base.push(least);
            self.arms.all[arm].readings[input] = readings;
            if input == 0 {
                (self.watch)(&Event::Baseline(least));
            }
            if self.stopped {
                // Inputs that were not run count for nothing.
                let have = self.arms.base.len();
                self.arms.all[arm].readings.truncate(have);
                break;
            }
        }
        Ok(noise)
    }

    /// Takes up what earlier searches measured. The machine may have been faster or slower then: what the same search
    /// measured for the rule, against today's rule, says by how much. Readings without a rule beside them say nothing.
    fn recall(&mut self) {
        let objective = self.settings.objective;
        let measured = |reading: &Reading| objective.measured(reading);
        let rule_key = self.catalogue.key(&self.arms.all[0].schedule);
        for known in &self.settings.known {
            for (input, base) in self.arms.base.clone().iter().enumerate() {
                let of_input = || known.iter().filter(|(_, of, _)| *of == input);
                let of_rule = of_input().filter(|known| self.catalogue.key(&known.0) == rule_key).map(|known| known.2);
                let Some(rule) = of_rule.min_by(|a, b| measured(a).total_cmp(&measured(b))) else { continue };
                for (schedule, _, reading) in of_input() {
                    let arm = self.add(schedule, "an earlier search");
                    if arm != 0 {
                        self.arms.all[arm].readings[input].push(reading.moved(&rule, base));
                    }
                }
            }
        }
        self.best = self.arms.ranked().first().copied().unwrap_or(0);
    }

    fn race_starts(&mut self) {
        let all: Vec<ProgramSchedule> = self.settings.starts.iter().map(|(_, schedule)| schedule.clone()).collect();
        for (place, (origin, schedule)) in self.settings.starts.iter().enumerate().skip(1) {
            if self.is_over() || self.bench.elapsed() > START_SHARE * self.settings.budget {
                return;
            }
            self.bench.expect(&all[place..]);
            let arm = self.add(schedule, origin);
            self.race(arm, START_CAP);
        }
    }

    /// Whether only the time for the duel is left.
    fn is_over(&self) -> bool {
        self.stopped || self.bench.elapsed() >= (1.0 - DUEL_SHARE) * self.settings.budget
    }

    /// The cost of the best so far, as a logarithm against the baseline.
    fn best_score(&self) -> f64 {
        self.arms.score(self.best).unwrap_or(0.0)
    }

    /// The time after which a run with an input cannot win, see [`Objective::limit`].
    fn limit(&self, cap: f64, best: f64, input: usize) -> f64 {
        self.settings.objective.limit(cap, best, &self.arms.base[input], self.settings.idle_watts)
    }

    /// Runs a schedule from rung to rung as long as it may win. With one input the rungs are repetitions.
    fn race(&mut self, arm: usize, cap: f64) {
        // Where runs differ by chance, more of them are given their time.
        let cap = cap * (1.0 + self.noise.min(1.0));
        let inputs = self.arms.base.len();
        let rungs = inputs.max(RUNGS.len());
        for rung in 0..rungs {
            let input = rung % inputs.max(1);
            if self.arms.all[arm].readings[input].len() > rung / inputs.max(1) {
                continue;
            }
            let best = self.best_score();
            let limit = self.limit(cap, best, input);
            match self.bench.run(&self.arms.all[arm].schedule, input, limit) {
                Trial::Done(reading) => self.arms.all[arm].readings[input].push(reading),
                Trial::TooSlow => {
                    // A schedule that was run before merely had a slow run.
                    if self.arms.all[arm].runs() == 0 || input > 0 && self.arms.all[arm].readings[input].is_empty() {
                        self.arms.all[arm].at_least = Some(cap.ln() + best);
                    }
                    break;
                }
                Trial::Failed(problem) => {
                    self.arms.all[arm].failed = Some(problem);
                    break;
                }
                Trial::Stopped => {
                    self.stopped = true;
                    break;
                }
            }
            let close = RUNGS[rung.min(RUNGS.len() - 1)].ln() + (0.5 * self.noise.min(0.5)).ln_1p();
            if arm != self.best && self.arms.score(arm).is_some_and(|score| score > best + close) {
                break;
            }
        }
        self.stale += 1;
        let (tried, elapsed) = (self.arms.all.len(), self.bench.elapsed());
        let better = self.arms.score(arm).is_some_and(|score| score < self.best_score());
        let leads = arm != self.best && better && self.arms.is_whole(arm);
        if leads && self.holds(arm) {
            if self.arms.score(arm).unwrap_or(0.0) < self.best_score() + 0.99f64.ln() {
                self.stale = 0;
            }
            self.best = arm;
            let share = self.best_score().exp();
            (self.watch)(&Event::Best { arm: &self.arms.all[arm], share, tried, elapsed });
        } else {
            (self.watch)(&Event::Tried { tried, elapsed });
        }
    }

    /// Whether a schedule that seems to be the best stays so when both are run once more, the former best first.
    fn holds(&mut self, arm: usize) -> bool {
        const CLEAR: f64 = 0.9;
        if self.arms.score(arm).unwrap_or(0.0) < self.best_score() + CLEAR.ln() {
            return true;
        }
        for input in 0..self.arms.base.len() {
            for place in [self.best, arm] {
                let limit = self.limit(START_CAP, self.best_score(), input);
                match self.bench.run(&self.arms.all[place].schedule, input, limit) {
                    Trial::Done(reading) => self.arms.all[place].readings[input].push(reading),
                    Trial::Stopped => {
                        self.stopped = true;
                        return false;
                    }
                    Trial::TooSlow | Trial::Failed(_) => {}
                }
            }
        }
        self.arms.score(arm).unwrap_or(0.0) < self.best_score()
    }

    /// Proposes and measures until the time is over or nothing new comes.
    fn propose(&mut self) -> Ended {
        while !self.is_over() {
            if self.stale > self.settings.patience {
                return Ended::Exhausted;
            }
            let batch = self.batch();
            if batch.is_empty() {
                return Ended::Exhausted;
            }
            let next: Vec<ProgramSchedule> = batch.iter().map(|(schedule, _)| schedule.clone()).collect();
            for (place, (schedule, origin)) in batch.into_iter().enumerate() {
                if self.is_over() {
                    break;
                }
                self.bench.expect(&next[place..]);
                let arm = self.add(&schedule, origin);
                self.race(arm, CAP);
            }
        }
        Ended::Budget
    }

    /// The next schedules to measure, the most promising first.
    fn batch(&mut self) -> Vec<(ProgramSchedule, &'static str)> {
        let mut pool = self.pool();
        let (rows, costs) = self.arms.rows(MOST_ROWS);
        let forest = (self.settings.surrogate && rows.len() >= LEAST_ROWS)
            .then(|| Forest::grow(&rows, &costs, &mut self.rng))
            .flatten();
        match forest {
            None => self.rng.shuffle(&mut pool),
            Some(forest) => {
                let promise = |schedule: &ProgramSchedule| {
                    let expected = forest.expect(&self.catalogue.code(schedule));
                    expected.mean - expected.spread
                };
                let mut ranked: Vec<(f64, _)> = pool.into_iter().map(|entry| (promise(&entry.0), entry)).collect();
                ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
                pool = ranked.into_iter().map(|(_, entry)| entry).collect();
            }
        }
        let batch = BATCH.max(self.bench.lanes());
        pool.truncate(batch);
        if self.rng.unit() < BLIND * batch as f64
            && let Some(drawn) = self.catalogue.draw(&mut self.rng)
            && !self.arms.has(&self.catalogue.key(&drawn))
        {
            pool.pop();
            pool.push((drawn, "drawn blindly"));
        }
        pool
    }

    /// Schedules that may be worth a run, each once and none that was tried.
    fn pool(&mut self) -> Vec<(ProgramSchedule, &'static str)> {
        let elites: Vec<usize> = self.arms.ranked().into_iter().take(ELITES).collect();
        let mut pool: Vec<(ProgramSchedule, &'static str)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (count, kind) in [(60, 0), (40, 1), (24, 2), (30, 3)] {
            for turn in 0..count {
                // The better half of the turns is for the best.
                let elite = match elites.len() {
                    0 => self.best,
                    some => elites[if turn % 2 == 0 { 0 } else { self.rng.below(some as u64) as usize }],
                };
                let of = &self.arms.all[elite].schedule;
                let (made, origin) = match kind {
                    0 => (self.catalogue.near(of, 1, &mut self.rng), "one axis from a good one"),
                    1 => (self.catalogue.near(of, 2, &mut self.rng), "two axes from a good one"),
                    2 if elites.len() > 1 => {
                        let other = elites[self.rng.below(elites.len() as u64) as usize];
                        let other = &self.arms.all[other].schedule;
                        (self.catalogue.cross(of, other, &mut self.rng), "made of two good ones")
                    }
                    _ => (self.catalogue.draw(&mut self.rng), "drawn"),
                };
                if let Some(schedule) = made {
                    let key = self.catalogue.key(&schedule);
                    if !self.arms.has(&key) && seen.insert(key) {
                        pool.push((schedule, origin));
                    }
                }
            }
        }
        pool
    }

    /// Lets the best few and the baseline take turns; the median decides. Returns the winner's share of the baseline.
    fn duel(&mut self) -> f64 {
        let mut field: Vec<usize> = self.arms.ranked().into_iter().take(DUELLISTS).collect();
        if !field.contains(&0) {
            field.push(0);
        }
        if field == [0] || self.stopped {
            return self.settle_for(self.best);
        }
        (self.watch)(&Event::Duel);
        let mut rounds = 0;
        while rounds < DUEL_ROUNDS && (rounds == 0 || self.bench.elapsed() < self.settings.budget) && !self.stopped {
            for turn in 0..field.len() {
                // Whoever comes first finds the caches as the last one left them: the order rotates.
                let arm = field[(turn + rounds) % field.len()];
                for input in 0..self.arms.base.len() {
                    let schedule = &self.arms.all[arm].schedule;
                    match self.bench.run(schedule, input, f64::MAX) {
                        Trial::Done(reading) => self.arms.all[arm].readings[input].push(reading),
                        Trial::Stopped => self.stopped = true,
                        Trial::Failed(problem) => self.arms.all[arm].failed = Some(problem),
                        Trial::TooSlow => {}
                    }
                }
            }
            rounds += 1;
        }
        self.rounds = rounds;
        field.retain(|&arm| self.arms.all[arm].failed.is_none());
        let score = |arm: usize| self.arms.median_score(arm, rounds).unwrap_or(f64::MAX);
        let winner = field.iter().copied().min_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0);
        let share = (score(winner) - score(0)).exp();
        match share < NOISE {
            true => {
                self.best = winner;
                share
            }
            false => {
                self.best = 0;
                1.0
            }
        }
    }

    /// Without a duel: the best by its least readings, if it saves more than noise.
    fn settle_for(&mut self, arm: usize) -> f64 {
        let share = self.arms.score(arm).map_or(1.0, f64::exp);
        match share < NOISE {
            true => {
                self.best = arm;
                share
            }
            false => {
                self.best = 0;
                1.0
            }
        }
    }
}
