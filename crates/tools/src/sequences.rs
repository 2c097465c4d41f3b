//! `gw check`, run after run: sequences of runs on graphs that change.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use gw_lab::{Ending, Sequence, SequenceKind, SequenceReport, Sequences, Targets, play};

use gw_cli::error::CliError;

use crate::error::ToolError;
use crate::output::{grouped, json, text};

/// Refusals that are shown; `--json` has all.
const SHOWN: usize = 8;
/// Of a hundred sequences, those with a random schedule.
const RANDOM: u64 = 20;

/// The machines by name.
fn targets(threads: usize) -> &'static Targets {
    static TARGETS: OnceLock<Targets> = OnceLock::new();
    TARGETS.get_or_init(|| Targets::standard(threads))
}

/// Sequences on a machine. Runs are saved for, and go on with those of, the reference machine, the processor and two
/// workers.
pub fn session(machine: &str, threads: usize) -> Sequences<'static> {
    let targets = targets(threads);
    Sequences {
        targets,
        on: targets.of(machine),
        partners: ["reference", "cpu", "flow:2"].map(String::from).into(),
        programs: gw_programs::programs().iter().collect(),
        kinds: SequenceKind::ALL.into(),
        seed: 1,
        count: 0,
        random: RANDOM,
        command: "gw check --sequence".to_string(),
        cancel: Arc::default(),
    }
}

/// Carries out one sequence.
pub fn replay(line: &str, threads: usize, as_json: bool) -> Result<(), ToolError> {
    let usage = |message: String| CliError::Usage(format!("--sequence: {message}"));
    let sequence: Sequence = line.parse().map_err(|error: gw_lab::BadSequence| usage(error.to_string()))?;
    gw_programs::find(&sequence.program)?;
    let targets = targets(threads);
    targets.open(&sequence.on).map_err(usage)?;
    let played = play(&sequence, targets);
    let (judged, refused) = (played.judged, &played.refused);
    match as_json {
        true => json(&serde_json::json!({ "ending": played.ending, "judged": judged, "refused": refused }))?,
        false => {
            let mut told = format!("{} results are right\n", grouped(judged));
            refused.iter().for_each(|reason| told += &format!("refused: {reason}\n"));
            text(&told)?;
        }
    }
    match played.ending {
        Ending::Wrong { step, problem } => Err(ToolError::WrongSequence { step: step + 1, problem }),
        Ending::Refused => Err(CliError::Unsupported("the machine refuses every run of the sequence".into()).into()),
        Ending::Right => Ok(()),
    }
}

/// A line per machine and kind, the failures with the commands that repeat them, and the reasons of refusals.
pub fn summary(report: &SequenceReport) -> String {
    let mut text = String::new();
    if report.tallies.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\nrun after run      right  wrong  refused  results judged");
    for tally in &report.tallies {
        let name = format!("{} {}", tally.machine, tally.kind.word());
        let (right, wrong, refused, judged) = (tally.right, tally.wrong, tally.refused, tally.judged);
        let _ = writeln!(text, "  {name:<16} {right:>5}  {wrong:>5}  {refused:>7}  {judged:>14}");
    }
    for failure in &report.failures {
        let again = if failure.fails_again { "" } else { " (not when it was tried again)" };
        let _ = writeln!(text, "wrong, seed {}: {}{again}\n  {}", failure.seed, failure.problem, failure.command);
    }
    let mut refusals: Vec<(&String, &u64)> = report.refusals.iter().collect();
    refusals.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in refusals.iter().take(SHOWN) {
        let _ = writeln!(text, "refused in {} sequences: {reason}", grouped(**count));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_lab::{SequenceFailure, SequenceTally};

    #[test]
    fn the_report_reads_well() {
        let kind = SequenceKind::Stream;
        let tally = SequenceTally { machine: "flow:2".into(), kind, right: 7, wrong: 1, refused: 2, judged: 31 };
        let failure = SequenceFailure {
            seed: 9,
            kind,
            sequence: "cc ...".into(),
            problem: "step 2: vertices 2 and 4 are neighbours".into(),
            fails_again: true,
            command: "gw check --sequence 'cc ...'".into(),
        };
        let refusals = [("no loop".to_string(), 2)].into();
        let report =
            SequenceReport { tallies: vec![tally], failures: vec![failure], refusals, ..SequenceReport::default() };
        let wanted = "
run after run      right  wrong  refused  results judged
  flow:2 stream        7      1        2              31
wrong, seed 9: step 2: vertices 2 and 4 are neighbours
  gw check --sequence 'cc ...'
refused in 2 sequences: no loop
";
        assert_eq!(summary(&report), wanted);
        assert_eq!(summary(&SequenceReport::default()), "");
    }
}
