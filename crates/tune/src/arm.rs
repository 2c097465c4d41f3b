//! The schedules of a search with what is known about each.

use std::collections::HashMap;

use gw_schedule::ProgramSchedule;

use crate::bench::{Objective, Reading};

/// A schedule of the search and what its runs said.
#[derive(Debug, Clone)]
pub struct Arm {
    /// The schedule.
    pub schedule: ProgramSchedule,
    /// Where it comes from: `rule`, `lab`, `near the best` and so on.
    pub origin: String,
    /// The schedule as numbers.
    pub(crate) code: Vec<f64>,
    /// The readings of every input.
    pub(crate) readings: Vec<Vec<Reading>>,
    /// It was ended at this cost or later (a logarithm against the baseline).
    pub(crate) at_least: Option<f64>,
    /// Why it cannot run.
    pub failed: Option<String>,
}

impl Arm {
    /// The least reading of an input.
    fn least(&self, input: usize, objective: Objective, base: &Reading) -> Option<f64> {
        let ratios = self.readings.get(input)?.iter().map(|reading| objective.ratio(reading, base));
        ratios.min_by(f64::total_cmp)
    }

    /// The bytes that were estimated; 0 where nobody asked.
    pub fn least_bytes(&self) -> u64 {
        self.readings.iter().flatten().map(|reading| reading.bytes).min().unwrap_or(0)
    }

    /// The median seconds of the last so many runs of every input (of all runs where `last` is 0), and the median
    /// joules where each of them was metered.
    pub fn median(&self, last: usize) -> (f64, Option<f64>) {
        let median = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let skipped = |readings: &[Reading]| if last > 0 { readings.len().saturating_sub(last) } else { 0 };
        let all = || self.readings.iter().flat_map(|readings| &readings[skipped(readings)..]);
        let joules: Option<Vec<f64>> = all().map(|reading| reading.joules).collect();
        (median(all().map(|reading| reading.seconds).collect()).unwrap_or(0.0), joules.and_then(median))
    }

    /// The number of runs that came to their end.
    pub fn runs(&self) -> usize {
        self.readings.iter().map(Vec::len).sum()
    }
}

/// All schedules of a search. The first one is the baseline.
#[derive(Debug, Default)]
pub(crate) struct Arms {
    pub all: Vec<Arm>,
    /// Places by key.
    known: HashMap<String, usize>,
    /// The baseline's least reading of every input.
    pub base: Vec<Reading>,
    pub objective: Objective,
}

impl Arms {
    pub fn new(objective: Objective) -> Arms {
        Arms { objective, ..Arms::default() }
    }

    /// The place of a schedule, which is added when it is new.
    pub fn add(
        &mut self,
        key: String,
        schedule: ProgramSchedule,
        code: Vec<f64>,
        origin: &str,
        inputs: usize,
    ) -> usize {
        *self.known.entry(key).or_insert_with(|| {
            self.all.push(Arm {
                schedule,
                origin: origin.to_string(),
                code,
                readings: vec![Vec::new(); inputs],
                at_least: None,
                failed: None,
            });
            self.all.len() - 1
        })
    }

    /// Whether a schedule is among them.
    pub fn has(&self, key: &str) -> bool {
        self.known.contains_key(key)
    }

    /// The cost of a schedule as a logarithm against the baseline, over the inputs that it was run with; `None` before
    /// its first run.
    pub fn score(&self, arm: usize) -> Option<f64> {
        let (sum, count) = (0..self.base.len())
            .filter_map(|input| self.all[arm].least(input, self.objective, &self.base[input]))
            .fold((0.0, 0), |(sum, count), ratio| (sum + ratio, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// As [`Arms::score`], by the median of the readings of every input: for schedules that were run equally often.
    pub fn median_score(&self, arm: usize, last: usize) -> Option<f64> {
        let mut sum = 0.0;
        for (input, base) in self.base.iter().enumerate() {
            let readings = &self.all[arm].readings[input];
            let mut ratios: Vec<f64> =
                readings[readings.len().saturating_sub(last)..].iter().map(|r| self.objective.ratio(r, base)).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            sum += *ratios.get(ratios.len() / 2)?;
        }
        Some(sum / self.base.len().max(1) as f64)
    }

    /// Whether a schedule was run with all inputs and not ended.
    pub fn is_whole(&self, arm: usize) -> bool {
        let arm = &self.all[arm];
        arm.failed.is_none() && arm.at_least.is_none() && arm.readings.iter().all(|input| !input.is_empty())
    }

    /// Those that were run with all inputs and not ended, the best first.
    pub fn ranked(&self) -> Vec<usize> {
        let whole = |arm: &usize| self.is_whole(*arm);
        let mut places: Vec<(f64, usize)> =
            (0..self.all.len()).filter(whole).filter_map(|arm| Some((self.score(arm)?, arm))).collect();
        places.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        places.into_iter().map(|(_, arm)| arm).collect()
    }

    /// What the surrogate learns from: numbers of a schedule and its cost. A schedule that was ended or failed is
    /// taken to cost somewhat more than is known. Of many schedules the better half of `most` are the best, and the
    /// others are spread evenly over the rest: learning must not take longer than measuring.
    pub fn rows(&self, most: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        const BEYOND: f64 = 0.4;
        const FAILED: f64 = 3.0;
        let row = |place: usize| {
            let arm = &self.all[place];
            let cost = match (&arm.failed, arm.at_least) {
                (Some(_), _) => FAILED,
                (None, Some(bound)) => bound + BEYOND,
                (None, None) => self.score(place)?,
            };
            Some((cost.min(FAILED), place))
        };
        let mut rows: Vec<(f64, usize)> = (0..self.all.len()).filter_map(row).collect();
        if rows.len() > most {
            rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let rest = rows.split_off(most / 2);
            let stride = rest.len().div_ceil(most - most / 2).max(1);
            rows.extend(rest.into_iter().step_by(stride));
        }
        rows.into_iter().map(|(cost, place)| (self.all[place].code.clone(), cost)).unzip()
    }
}
