//! A search on a table of measured schedules: the same search, in milliseconds, with the time that it would have taken.

use std::collections::HashMap;

use gw_graph::rng::Rng;
use gw_lab::{TrialOutcome, TrialRow};
use gw_schedule::ProgramSchedule;

use crate::bench::{Bench, Catalogue, Reading, Trial};
use crate::live::{LONG, STOP_DELAY};
use crate::space::ProgramSpace;

/// A schedule that was measured.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The schedule.
    pub schedule: ProgramSchedule,
    /// Its numbers.
    pub code: Vec<f64>,
    /// The least seconds of a run; the limit where it never came to its end.
    pub seconds: f64,
    /// It came to its end.
    pub done: bool,
    /// Seconds for compiling.
    pub compile_seconds: f64,
}

/// A program on a graph and a machine with every schedule that was measured, with the first input.
#[derive(Debug, Clone)]
pub struct Table {
    /// The schedules.
    pub entries: Vec<Entry>,
    places: HashMap<String, usize>,
}

impl Table {
    /// The trials of a cell; schedules that cannot be run are left out.
    pub fn new(trials: &[TrialRow], space: &ProgramSpace) -> Table {
        let mut table = Table { entries: Vec::new(), places: HashMap::new() };
        for trial in trials.iter().filter(|trial| trial.input == 0 && trial.outcome != TrialOutcome::Failed) {
            let Ok(schedule) = trial.schedule.parse::<ProgramSchedule>() else { continue };
            let done = trial.outcome == TrialOutcome::Done;
            let place = *table.places.entry(space.key(&schedule)).or_insert_with(|| {
                let code = space.code(&schedule);
                table.entries.push(Entry { schedule, code, seconds: f64::MAX, done: false, compile_seconds: 0.0 });
                table.entries.len() - 1
            });
            let entry = &mut table.entries[place];
            if done && !entry.done {
                entry.seconds = trial.seconds;
            } else if done || !entry.done {
                entry.seconds = entry.seconds.min(trial.seconds);
            }
            entry.done |= done;
            entry.compile_seconds = entry.compile_seconds.max(trial.compile_seconds);
        }
        table
    }

    /// The least time of all.
    pub fn best(&self) -> f64 {
        self.entries.iter().filter(|entry| entry.done).map(|entry| entry.seconds).fold(f64::MAX, f64::min)
    }

    /// The entry of a schedule.
    pub fn find(&self, space: &ProgramSpace, schedule: &ProgramSchedule) -> Option<&Entry> {
        self.places.get(&space.key(schedule)).map(|&place| &self.entries[place])
    }
}

/// A bench whose times come from a table.
pub struct Replay<'a> {
    table: &'a Table,
    space: &'a ProgramSpace,
    elapsed: f64,
    compiled: std::collections::HashSet<usize>,
    /// Schedules that are compiled side by side; 0 where this is no device.
    lanes: usize,
    /// Schedules that were run.
    pub runs: usize,
}

/// On a device a new schedule takes one core of the host this long to compile: the mean of hybrid searches, NVRTC 13.
const DEVICE_COMPILE: f64 = 1.5;
/// How long a run takes on a device that a survey ended: nobody knows; ten times what the survey gave it.
const DEVICE_SLOW: f64 = 0.5;

impl<'a> Replay<'a> {
    /// A search on this table.
    pub fn new(table: &'a Table, space: &'a ProgramSpace) -> Replay<'a> {
        Replay { table, space, elapsed: 0.0, compiled: std::collections::HashSet::new(), lanes: 0, runs: 0 }
    }

    /// The same on a device, where compiling counts most and is done for so many schedules side by side. What a survey
    /// measured of compiling is left out: its kernels may have been in the cache.
    #[must_use]
    pub fn on_device(self, lanes: usize) -> Replay<'a> {
        Replay { lanes: lanes.max(1), ..self }
    }
}

impl Bench for Replay<'_> {
    fn inputs(&self) -> usize {
        1
    }

    fn elapsed(&self) -> f64 {
        self.elapsed
    }

    fn run(&mut self, schedule: &ProgramSchedule, _input: usize, limit: f64) -> Trial {
        let Some(&place) = self.table.places.get(&self.space.key(schedule)) else {
            return Trial::Failed("the table has no such schedule".to_string());
        };
        let entry = &self.table.entries[place];
        if self.lanes > 0 {
            let seconds = if entry.done { entry.seconds } else { entry.seconds.max(DEVICE_SLOW) };
            let first = self.compiled.insert(place);
            self.elapsed += if first { DEVICE_COMPILE / self.lanes as f64 + 2.0 * seconds } else { seconds };
            self.runs += 1;
            return match entry.done {
                true => Trial::Done(Reading::timed(entry.seconds)),
                false => Trial::TooSlow,
            };
        }
        // As on a machine: a first run that is short is repeated, and a stop is seen late.
        let limit = limit.max(STOP_DELAY);
        if self.compiled.insert(place) {
            self.elapsed += entry.compile_seconds;
            if entry.seconds < LONG {
                self.elapsed += entry.seconds.min(limit);
            }
        }
        self.runs += 1;
        self.elapsed += entry.seconds.min(limit);
        match entry.done && entry.seconds <= limit {
            true => Trial::Done(Reading::timed(entry.seconds)),
            false => Trial::TooSlow,
        }
    }

    fn lanes(&self) -> usize {
        self.lanes.max(1)
    }
}

/// The schedules of a table as the space of a search.
pub struct TableCatalogue<'a> {
    table: &'a Table,
    space: &'a ProgramSpace,
}

impl<'a> TableCatalogue<'a> {
    /// The schedules of this table.
    pub fn new(table: &'a Table, space: &'a ProgramSpace) -> TableCatalogue<'a> {
        TableCatalogue { table, space }
    }

    fn nearest(&self, code: &[f64], among: usize, rng: &mut Rng) -> Option<ProgramSchedule> {
        let differing = |entry: &Entry| entry.code.iter().zip(code).filter(|(a, b)| a != b).count();
        let mut ranked: Vec<(usize, usize)> =
            self.table.entries.iter().enumerate().map(|(place, entry)| (differing(entry), place)).collect();
        // The schedule itself is no neighbour.
        ranked.retain(|&(distance, _)| distance > 0);
        let among = among.min(ranked.len());
        if among == 0 {
            return None;
        }
        ranked.select_nth_unstable(among - 1);
        let (_, place) = ranked[rng.below(among as u64) as usize];
        Some(self.table.entries[place].schedule.clone())
    }
}

impl Catalogue for TableCatalogue<'_> {
    fn draw(&self, rng: &mut Rng) -> Option<ProgramSchedule> {
        let count = self.table.entries.len() as u64;
        (count > 0).then(|| self.table.entries[rng.below(count) as usize].schedule.clone())
    }

    fn near(&self, of: &ProgramSchedule, changes: usize, rng: &mut Rng) -> Option<ProgramSchedule> {
        const PER_CHANGE: usize = 24;
        self.nearest(&self.space.code(of), PER_CHANGE * changes, rng)
    }

    fn cross(&self, one: &ProgramSchedule, other: &ProgramSchedule, rng: &mut Rng) -> Option<ProgramSchedule> {
        let (one, other) = (self.space.code(one), self.space.code(other));
        let mixed: Vec<f64> = one.iter().zip(&other).map(|(&a, &b)| if rng.below(2) == 0 { a } else { b }).collect();
        self.nearest(&mixed, 2, rng)
    }

    fn code(&self, schedule: &ProgramSchedule) -> Vec<f64> {
        self.space.code(schedule)
    }

    fn key(&self, schedule: &ProgramSchedule) -> String {
        self.space.key(schedule)
    }
}
