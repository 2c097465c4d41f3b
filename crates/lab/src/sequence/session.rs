//! Many sequences: drawn, carried out, counted; those that fail are made small.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphwright::StandardProgram;
use serde::Serialize;

use super::draw::{Drawing, Kind};
use super::play::{Ending, Played, play};
use super::shrink::shrunk;
use super::target::Targets;

/// What to draw and where to run it.
pub struct Sequences<'a> {
    /// The machines by name.
    pub targets: &'a Targets,
    /// Machines that sequences run on, in turns.
    pub on: Vec<String>,
    /// Machines that save runs for those, and go on with theirs.
    pub partners: Vec<String>,
    /// The programs.
    pub programs: Vec<&'static StandardProgram>,
    /// The kinds, in turns.
    pub kinds: Vec<Kind>,
    /// The seed of the first sequence; the next ones have the numbers behind it.
    pub seed: u64,
    /// The number of sequences.
    pub count: u64,
    /// Of a hundred sequences, those with a random schedule.
    pub random: u64,
    /// The command that repeats a sequence, whose text follows in quotes.
    pub command: String,
    /// Ends the session when it becomes true.
    pub cancel: Arc<AtomicBool>,
}

/// What came of a session.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SequenceReport {
    /// By machine and kind.
    pub tallies: Vec<SequenceTally>,
    /// Sequences that failed.
    pub failures: Vec<SequenceFailure>,
    /// Why steps were refused, with the number of sequences.
    pub refusals: BTreeMap<String, u64>,
    /// The session was cancelled before its end.
    pub interrupted: bool,
}

/// How the sequences of a kind ended on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SequenceTally {
    /// The machine.
    pub machine: String,
    /// The kind.
    pub kind: Kind,
    /// Sequences with right results only.
    pub right: u64,
    /// Sequences with a wrong result or a run that failed.
    pub wrong: u64,
    /// Sequences of which the machine refused every run.
    pub refused: u64,
    /// Results that were judged.
    pub judged: u64,
}

/// A sequence that failed.
#[derive(Debug, Clone, Serialize)]
pub struct SequenceFailure {
    /// Its seed.
    pub seed: u64,
    /// Its kind.
    pub kind: Kind,
    /// The smallest sequence found that fails.
    pub sequence: String,
    /// What is wrong, and in which step.
    pub problem: String,
    /// Whether it failed when it was tried again; a failure that depends on threads may not.
    pub fails_again: bool,
    /// The command that repeats it.
    pub command: String,
}

impl SequenceReport {
    /// Sequences that were carried out.
    pub fn sequences(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.right + tally.wrong + tally.refused).sum()
    }

    fn tally(&mut self, machine: &str, kind: Kind) -> &mut SequenceTally {
        let known = self.tallies.iter().position(|tally| tally.machine == machine && tally.kind == kind);
        let at = known.unwrap_or_else(|| {
            let machine = machine.to_string();
            self.tallies.push(SequenceTally { machine, kind, right: 0, wrong: 0, refused: 0, judged: 0 });
            self.tallies.len() - 1
        });
        &mut self.tallies[at]
    }
}

/// Runs a session; `done` hears of every sequence.
pub fn run_sequences(session: &Sequences<'_>, done: &mut dyn FnMut(&Played)) -> SequenceReport {
    let mut report = SequenceReport::default();
    let mut drawing = Drawing::new(session.programs.clone(), session.partners.clone(), session.random);
    if session.on.is_empty() || session.kinds.is_empty() {
        return report;
    }
    for seed in session.seed..session.seed.saturating_add(session.count) {
        if session.cancel.load(Ordering::Relaxed) {
            report.interrupted = true;
            break;
        }
        // Every machine gets every kind.
        let (machines, kinds) = (session.on.len() as u64, session.kinds.len() as u64);
        let on = &session.on[(seed % machines) as usize];
        let kind = session.kinds[(seed / machines % kinds) as usize];
        let Some(sequence) = drawing.draw(seed, kind, on, session.targets) else { continue };
        let played = play(&sequence, session.targets);
        done(&played);
        let tally = report.tally(on, kind);
        tally.judged += played.judged;
        match &played.ending {
            Ending::Right => tally.right += 1,
            Ending::Refused => tally.refused += 1,
            Ending::Wrong { .. } => tally.wrong += 1,
        }
        for reason in played.refused {
            *report.refusals.entry(reason).or_default() += 1;
        }
        if let Ending::Wrong { step, problem } = played.ending {
            let small = shrunk(&sequence, session.targets);
            let fails_again = small.is_some();
            let (small, problem) = small.unwrap_or_else(|| (sequence, format!("step {}: {problem}", step + 1)));
            let sequence = small.to_string();
            let command = format!("{} '{sequence}'", session.command);
            report.failures.push(SequenceFailure { seed, kind, sequence, problem, fails_again, command });
        }
    }
    report
}
