//! Writes down what a search measures: each trial into the journal, some at a time into the lab.

use std::time::{Duration, Instant};

use gw_lab::{Lab, TrialRow, TuneCell};

use crate::journal::Journal;

/// How often trials go into the lab.
const TO_LAB_EVERY: Duration = Duration::from_millis(500);
/// How long another process that writes to the lab is waited for: during a search, and at its end.
const WAIT_IN_BETWEEN: Duration = Duration::from_millis(20);
const WAIT_AT_THE_END: Duration = Duration::from_secs(10);

/// Writes trials down: into the journal at once, into the lab twice a second.
pub(crate) struct Recorder<'a> {
    lab: Option<&'a mut Lab>,
    cell: TuneCell,
    journal: Option<Journal>,
    waiting: Vec<TrialRow>,
    last: Instant,
    /// What could not be written down, in words.
    pub problems: Vec<String>,
}

impl<'a> Recorder<'a> {
    /// Nothing is written down yet.
    pub fn new(lab: Option<&'a mut Lab>, cell: TuneCell, journal: Option<Journal>) -> Recorder<'a> {
        Recorder { lab, cell, journal, waiting: Vec::new(), last: Instant::now(), problems: Vec::new() }
    }

    /// Hears of a trial.
    pub fn add(&mut self, trial: TrialRow) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.add(&trial)
        {
            self.problems.push(format!("the search cannot be taken up again later: {error}"));
            self.journal = None;
        }
        if self.lab.is_some() {
            self.waiting.push(trial);
            if self.last.elapsed() > TO_LAB_EVERY {
                self.flush();
            }
        }
    }

    /// Writes into the lab, unless another process does so right now: the search does not wait for it.
    fn flush(&mut self) {
        self.last = Instant::now();
        self.store(WAIT_IN_BETWEEN);
    }

    /// Writes the rest into the lab, also where another process must be waited for.
    pub fn finish(&mut self) {
        self.store(WAIT_AT_THE_END);
        if !self.waiting.is_empty() && self.lab.is_some() {
            let (count, seconds) = (self.waiting.len(), WAIT_AT_THE_END.as_secs());
            self.problems.push(format!(
                "{count} measurements are not in the lab: another process was writing to it for {seconds} s"
            ));
        }
    }

    fn store(&mut self, patience: Duration) {
        let Some(lab) = &mut self.lab else { return };
        if self.waiting.is_empty() {
            return;
        }
        let stored = lab.wait_for_others(patience).and_then(|()| lab.store_trials(&self.cell, &self.waiting));
        match stored {
            Ok(()) => self.waiting.clear(),
            Err(error) if error.is_busy() => {}
            Err(error) => {
                self.problems.push(format!("the lab could not be written: {error}"));
                self.lab = None;
                self.waiting.clear();
            }
        }
    }
}
