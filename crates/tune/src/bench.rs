//! What a search measures with, and what it wants to be small.

use graphwright::schedule::Aim;
use gw_graph::rng::Rng;
use gw_schedule::ProgramSchedule;
use serde::{Deserialize, Serialize};

use crate::space::ProgramSpace;

/// What a run costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Seconds, by the clock of all benchmarks ([`graphwright::Times::counted`]).
    pub seconds: f64,
    /// Bytes of memory on host and device, as estimated before the run; 0 where nobody asked.
    pub bytes: u64,
    /// Joules of the machine's meter, idle power included; `None` where nobody metered.
    #[serde(default)]
    pub joules: Option<f64>,
}

impl Reading {
    /// A run of which only the time is known.
    pub fn timed(seconds: f64) -> Reading {
        Reading { seconds, bytes: 0, joules: None }
    }

    /// The reading as it would be today, where the schedule whose reading was `then` has the reading `now`.
    pub(crate) fn moved(self, then: &Reading, now: &Reading) -> Reading {
        let factor = |then: f64, now: f64| if then > 0.0 && now > 0.0 { now / then } else { 1.0 };
        let joules = match (self.joules, then.joules, now.joules) {
            (Some(joules), Some(then), Some(now)) => Some(joules * factor(then, now)),
            _ => self.joules,
        };
        Reading { seconds: self.seconds * factor(then.seconds, now.seconds), joules, ..self }
    }
}

/// What the search wants to be small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The time of a run.
    #[default]
    Time,
    /// The memory of a run, and the time among schedules that need the same.
    Memory,
    /// The energy of a run.
    Energy,
    /// The product of energy and time of a run.
    TimeEnergy,
}

impl Objective {
    /// The weight of the logarithm of the time beside that of the memory.
    const TIE: f64 = 1e-3;

    /// Its word in names of files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Objective::Time => "time",
            Objective::Memory => "memory",
            Objective::Energy => "energy",
            Objective::TimeEnergy => "time-energy",
        }
    }

    /// Under which aim the cache of schedules keeps what is found; `None` where it does not.
    pub fn aim(self) -> Option<Aim> {
        match self {
            Objective::Time => Some(Aim::Time),
            Objective::Memory => None,
            Objective::Energy => Some(Aim::Energy),
            Objective::TimeEnergy => Some(Aim::TimeEnergy),
        }
    }

    /// Whether runs must be metered.
    pub fn needs_meter(self) -> bool {
        matches!(self, Objective::Energy | Objective::TimeEnergy)
    }

    /// What a reading measured, in a unit of the objective; bytes are estimated, so that memory counts its time here.
    /// Without a finite number where energy is wanted and nobody metered it.
    pub fn measured(self, reading: &Reading) -> f64 {
        let joules = reading.joules.unwrap_or(f64::INFINITY);
        match self {
            Objective::Time | Objective::Memory => reading.seconds,
            Objective::Energy => joules,
            Objective::TimeEnergy => joules * reading.seconds,
        }
    }

    /// The logarithm of what a reading costs, as a multiple of another reading.
    pub fn ratio(self, reading: &Reading, of: &Reading) -> f64 {
        const LEAST: f64 = 1e-12;
        let measured = (self.measured(reading).max(LEAST) / self.measured(of).max(LEAST)).ln();
        match self {
            Objective::Memory => {
                (reading.bytes.max(1) as f64 / of.bytes.max(1) as f64).ln() + Objective::TIE * measured
            }
            Objective::Time | Objective::Energy | Objective::TimeEnergy => measured,
        }
    }

    /// The time after which a run cannot win, where the best so far is `best` (a logarithm) against `base`. A run of
    /// some seconds takes at least the energy that the machine takes in these seconds without work, `idle_watts`; 0
    /// where idle power is not known.
    pub(crate) fn limit(self, cap: f64, best: f64, base: &Reading, idle_watts: f64) -> f64 {
        // Bytes are known before the run, and energy cannot be told from time where idle power is not known: only runs
        // that are slow beyond reason are ended.
        const SLOW: f64 = 20.0;
        // Other processes that have ended since may have been part of the idle power.
        const SURE: f64 = 0.8;
        let (slow, idle) = (SLOW * base.seconds, SURE * idle_watts);
        let most = cap * best.exp() * self.measured(base);
        match self {
            Objective::Time => most,
            Objective::Memory => slow,
            Objective::Energy if idle > 0.0 => (most / idle).min(slow),
            Objective::TimeEnergy if idle > 0.0 => (most / idle).sqrt().min(slow),
            Objective::Energy | Objective::TimeEnergy => slow,
        }
    }
}

/// How one run of a schedule ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Trial {
    /// It came to its end.
    Done(Reading),
    /// It was ended after its time limit: it cannot win.
    TooSlow,
    /// It cannot be compiled or failed.
    Failed(String),
    /// The person wants the search to end.
    Stopped,
}

/// Something that runs schedules: a machine, or a table of times that were measured before.
pub trait Bench {
    /// The number of inputs (sources) that a schedule can be run with.
    fn inputs(&self) -> usize;
    /// Seconds of the budget that are spent: runs, compiling, everything.
    fn elapsed(&self) -> f64;
    /// Runs a schedule with one of the inputs, at most for `limit` seconds.
    fn run(&mut self, schedule: &ProgramSchedule, input: usize, limit: f64) -> Trial;
    /// Hears which schedules will be run next, in this order. A machine whose compiler takes long begins with them.
    fn expect(&mut self, _next: &[ProgramSchedule]) {}
    /// How many schedules are compiled side by side while others run.
    fn lanes(&self) -> usize {
        1
    }
}

/// The schedules that a search may propose.
pub trait Catalogue {
    /// Any of them.
    fn draw(&self, rng: &mut Rng) -> Option<ProgramSchedule>;
    /// One that is like another, but for about this many axes.
    fn near(&self, of: &ProgramSchedule, changes: usize, rng: &mut Rng) -> Option<ProgramSchedule>;
    /// One that is made of two.
    fn cross(&self, one: &ProgramSchedule, other: &ProgramSchedule, rng: &mut Rng) -> Option<ProgramSchedule>;
    /// The schedule as numbers, always equally many.
    fn code(&self, schedule: &ProgramSchedule) -> Vec<f64>;
    /// A text that is the same for schedules that run alike.
    fn key(&self, schedule: &ProgramSchedule) -> String;
}

impl Catalogue for ProgramSpace {
    fn draw(&self, rng: &mut Rng) -> Option<ProgramSchedule> {
        (!self.slots.is_empty()).then(|| ProgramSpace::draw(self, rng))
    }

    fn near(&self, of: &ProgramSchedule, changes: usize, rng: &mut Rng) -> Option<ProgramSchedule> {
        ProgramSpace::near(self, of, changes, rng)
    }

    fn cross(&self, one: &ProgramSchedule, other: &ProgramSchedule, rng: &mut Rng) -> Option<ProgramSchedule> {
        ProgramSpace::cross(self, one, other, rng)
    }

    fn code(&self, schedule: &ProgramSchedule) -> Vec<f64> {
        ProgramSpace::code(self, schedule)
    }

    fn key(&self, schedule: &ProgramSchedule) -> String {
        ProgramSpace::key(self, schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_weigh_time_and_energy() {
        let of = |seconds: f64, joules: f64| Reading { joules: Some(joules), ..Reading::timed(seconds) };
        let (fast, thrifty) = (of(1.0, 300.0), of(2.0, 200.0));
        let better = |objective: Objective| objective.ratio(&thrifty, &fast) < 0.0;
        assert!(better(Objective::Energy) && !better(Objective::Time) && !better(Objective::TimeEnergy));
        assert!((Objective::TimeEnergy.ratio(&thrifty, &fast) - (400.0f64 / 300.0).ln()).abs() < 1e-12);
        // A reading without energy never wins where energy is wanted.
        assert_eq!(Objective::Energy.ratio(&Reading::timed(0.1), &fast), f64::INFINITY);
        assert!([Objective::Energy, Objective::TimeEnergy].into_iter().all(Objective::needs_meter));
        assert!(!Objective::Time.needs_meter() && Objective::Memory.aim().is_none());
    }

    #[test]
    fn no_run_is_ended_that_could_still_win() {
        // 100 W of 300 W are idle. A run of 3.7 s takes at least 80 W * 3.7 s, about as much as the best.
        let base = Reading { joules: Some(300.0), ..Reading::timed(1.0) };
        let limit = |objective: Objective, idle: f64| objective.limit(1.0, 0.0, &base, idle);
        assert!((limit(Objective::Energy, 100.0) - 3.75).abs() < 1e-9);
        assert!((limit(Objective::TimeEnergy, 100.0) - 3.75f64.sqrt()).abs() < 1e-9);
        assert_eq!([limit(Objective::Energy, 0.0), limit(Objective::Memory, 100.0)], [20.0, 20.0]);
        assert_eq!(limit(Objective::Time, 100.0), 1.0);
    }
}
