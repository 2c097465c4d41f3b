//! Surveys: many schedules are measured, not searched for the best, as evidence about a program on a graph.
//!
//! A table of a thousand schedules is wanted from a machine whose time is rationed. So schedules come in random order,
//! which makes a table that was cut short a fair sample; slow runs are ended; what the lab already has is not measured
//! again, so that a survey goes on where it ended; and on a device many schedules are compiled ahead, on all cores,
//! while others run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use graphwright::schedule::Wanted;
use gw_graph::rng::Rng;
use gw_lab::{Lab, TrialOutcome, TuneCell};
use gw_learned::features::known_threads;
use gw_schedule::ProgramSchedule;

use crate::bench::{Bench, Objective, Trial};
use crate::error::Result;
use crate::live::Live;
use crate::recorder::Recorder;
use crate::session::{Prepared, Session, cell};
use crate::starts::{rule_and_portfolio, starts};

/// A run is ended after this multiple of the best time so far.
const CAP: f64 = 3.0;
/// Schedules within this multiple of the best are run again, so many times.
const CLOSE: f64 = 1.3;
const AGAIN: usize = 4;
/// The share of the budget for schedules that were not run yet; the rest is for running the best ones again.
const FIRST_SHARE: f64 = 0.8;
/// No schedule is compiled and measured in less time.
const LEAST_SECONDS: f64 = 1e-3;

/// The schedules that a survey measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survey {
    /// The rule and the portfolio: few schedules, the same ones on every graph.
    Portfolio,
    /// What a search begins with, and so many drawn evenly from the space.
    Drawn(usize),
}

/// The end of a survey.
#[derive(Debug)]
pub struct Surveyed {
    /// Schedules that the lab already had.
    pub known: usize,
    /// Schedules that were tried.
    pub tried: usize,
    /// Those of them whose runs came to their end.
    pub ended: usize,
    /// The person ended it, or the device takes no further run.
    pub stopped: bool,
    /// What could not be written down, in words.
    pub problems: Vec<String>,
}

impl Session<'_> {
    /// Measures schedules instead of searching: each once with a cap, those within reach of the best some times more.
    /// `also` are schedules that somebody wants in the table. `watch` hears how many were tried.
    pub fn survey(
        &mut self,
        prepared: &Prepared,
        survey: Survey,
        also: &[ProgramSchedule],
        watch: &mut dyn FnMut(usize),
    ) -> Result<Surveyed> {
        let cell = cell(self.program, prepared, &prepared.key.machine, known_threads(self.machine));
        let known = match &self.lab {
            Some(lab) => known_times(lab, &cell)?,
            None => HashMap::new(),
        };
        let schedules = self.surveyed_schedules(prepared, survey, also, known.len());
        let mut recorder = Recorder::new(self.lab.as_mut(), cell, None);
        let runs = prepared.runs[..1].to_vec();
        let (module, graph) = (prepared.module.clone(), Arc::clone(&prepared.graph));
        let mut bench =
            Live::new(self.program, self.machine, module, graph, runs, Objective::Time, |trial| recorder.add(trial))
                .hurried();
        bench.begun_at(prepared.begun);
        let mut best = known.values().flatten().copied().fold(f64::MAX / CAP, f64::min);
        let mut done: Vec<(f64, ProgramSchedule)> = Vec::new();
        let mut left: Vec<ProgramSchedule> = Vec::new();
        for schedule in schedules {
            match known.get(&schedule.to_string()) {
                Some(Some(seconds)) => done.push((*seconds, schedule)),
                Some(None) => {}
                None => left.push(schedule),
            }
        }
        let budget = self.budget.as_secs_f64();
        let (mut tried, mut ended, mut stopped) = (0, 0, false);
        for (place, schedule) in left.iter().enumerate() {
            if bench.elapsed() > FIRST_SHARE * budget {
                break;
            }
            bench.expect(&left[place..]);
            tried += 1;
            match bench.run(schedule, 0, CAP * best) {
                Trial::Done(reading) => {
                    best = best.min(reading.seconds);
                    ended += 1;
                    done.push((reading.seconds, schedule.clone()));
                }
                Trial::Stopped => {
                    stopped = true;
                    break;
                }
                Trial::TooSlow | Trial::Failed(_) => {}
            }
            watch(tried);
        }
        bench.expect(&[]);
        for _ in 0..AGAIN {
            for (place, (seconds, schedule)) in done.iter_mut().enumerate() {
                // The first one is the rule, which all others are compared with.
                if stopped || place > 0 && *seconds > CLOSE * best || bench.elapsed() > budget {
                    continue;
                }
                match bench.run(schedule, 0, CAP * best) {
                    Trial::Done(reading) => {
                        *seconds = seconds.min(reading.seconds);
                        best = best.min(reading.seconds);
                    }
                    Trial::Stopped => stopped = true,
                    Trial::TooSlow | Trial::Failed(_) => {}
                }
            }
        }
        drop(bench);
        recorder.finish();
        Ok(Surveyed { known: known.len(), tried, ended, stopped, problems: recorder.problems })
    }

    /// The schedules of a survey in the order in which they are measured: the rule, the learned choice and the model
    /// that picks at every step, what a search begins with, the others shuffled.
    fn surveyed_schedules(
        &self,
        prepared: &Prepared,
        survey: Survey,
        also: &[ProgramSchedule],
        known: usize,
    ) -> Vec<ProgramSchedule> {
        let also = also.iter().filter(|schedule| prepared.space.allows(schedule)).cloned();
        let wanted = match survey {
            Survey::Portfolio => {
                return rule_and_portfolio(&prepared.space, &prepared.rule).into_iter().chain(also).collect();
            }
            Survey::Drawn(wanted) => wanted,
        };
        // Several operators together have millions of schedules: no more are drawn than the budget can hold.
        let most = known + (self.budget.as_secs_f64() / LEAST_SECONDS).ceil() as usize;
        let goes_on = || !self.options.cancel.load(Ordering::Relaxed);
        let drawn = prepared.space.drawn(wanted.min(most), self.seed).take_while(|_| goes_on());
        let mut drawn: Vec<ProgramSchedule> = drawn.collect();
        Rng::new(self.seed, 0x73_6876).shuffle(&mut drawn);
        // What a run takes without a search, so that a table tells how far it is from the best.
        let adaptive = Wanted::Adaptive(None, self.program.name().to_string());
        let taken = [Wanted::Chosen, adaptive]
            .map(|wanted| self.program.settle(&wanted, self.machine, &self.options).decision.schedule);
        let starts = starts(self.program, self.machine, &prepared.space, &prepared.rule);
        let mut starts = starts.into_iter().map(|(_, schedule)| schedule);
        let mut seen = std::collections::HashSet::new();
        let all = starts
            .next()
            .into_iter()
            .chain(taken)
            .chain(also)
            .chain(starts)
            .chain(drawn.into_iter().take_while(|_| goes_on()));
        all.filter(|schedule| seen.insert(prepared.space.key(schedule))).collect()
    }
}

/// What the lab has of a cell: schedules, and the least time of those whose runs came to their end.
fn known_times(lab: &Lab, cell: &TuneCell) -> Result<HashMap<String, Option<f64>>> {
    let mut known: HashMap<String, Option<f64>> = HashMap::new();
    let same = |other: &TuneCell| {
        (&other.program_hash, &other.graph, &other.hardware, &other.commit)
            == (&cell.program_hash, &cell.graph, &cell.hardware, &cell.commit)
    };
    for (id, _) in lab.tune_cells(Some(&cell.program), &cell.target)?.into_iter().filter(|(_, of)| same(of)) {
        for trial in lab.trials(id)?.into_iter().filter(|trial| trial.input == 0) {
            let least = known.entry(trial.schedule).or_default();
            if trial.outcome == TrialOutcome::Done {
                *least = Some(least.map_or(trial.seconds, |least| least.min(trial.seconds)));
            }
        }
    }
    Ok(known)
}
