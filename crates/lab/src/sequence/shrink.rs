//! The smallest sequence that fails: steps, changes, edges and vertices are taken out as long as it still fails.

use super::play::{Ending, play};
use super::target::Targets;
use super::{Sequence, Step};

/// Sequences that are tried at most.
const BUDGET: usize = 400;

/// A part of a sequence that is a list.
#[derive(Clone, Copy)]
enum Part {
    Steps,
    /// The changes of the step at this place.
    Changes(usize),
    Edges,
}

/// The smallest failing sequence found and its problem; `None` where the sequence does not fail again.
pub(super) fn shrunk(sequence: &Sequence, targets: &Targets) -> Option<(Sequence, String)> {
    let mut fails = |candidate: &Sequence| problem_of(candidate, targets);
    let problem = fails(sequence)?;
    Some(shrink(sequence.clone(), problem, &mut fails))
}

/// What is wrong with a sequence, if it fails in one of two tries: some failures depend on threads.
fn problem_of(sequence: &Sequence, targets: &Targets) -> Option<String> {
    (0..2).find_map(|_| match play(sequence, targets).ending {
        Ending::Wrong { step, problem } => Some(format!("step {}: {problem}", step + 1)),
        Ending::Right | Ending::Refused => None,
    })
}

/// Takes out what can be taken out while `fails` still tells a problem.
fn shrink(
    mut best: Sequence,
    mut problem: String,
    fails: &mut dyn FnMut(&Sequence) -> Option<String>,
) -> (Sequence, String) {
    let mut tried = 0;
    let mut attempt = |best: &mut Sequence, candidate: Sequence| {
        tried += 1;
        let found = if tried > BUDGET { None } else { fails(&candidate) };
        let Some(found) = found else { return false };
        (*best, problem) = (candidate, found);
        true
    };
    loop {
        let before = best.clone();
        remove(&mut best, Part::Steps, &mut attempt);
        for at in 0..best.steps.len() {
            remove(&mut best, Part::Changes(at), &mut attempt);
        }
        remove(&mut best, Part::Edges, &mut attempt);
        for schedule in ["default", super::play::OWN] {
            let candidate = Sequence { schedule: schedule.to_string(), ..best.clone() };
            if best.schedule != schedule && attempt(&mut best, candidate) {
                break;
            }
        }
        while best.start.vertices > 1 {
            let mut candidate = best.clone();
            candidate.start.vertices = (best.start.vertices / 2).max(least_vertices(&best));
            if candidate == best || !attempt(&mut best, candidate) {
                break;
            }
        }
        if best == before {
            return (best, problem);
        }
    }
}

/// The vertices that the edges at the beginning name.
fn least_vertices(sequence: &Sequence) -> usize {
    let named = sequence.start.edges.iter().map(|edge| edge.source.max(edge.target) as usize + 1);
    named.max().unwrap_or(1)
}

/// The length of a part; 0 for a step that is no list.
fn length(sequence: &Sequence, part: Part) -> usize {
    match part {
        Part::Steps => sequence.steps.len(),
        Part::Edges => sequence.start.edges.len(),
        Part::Changes(at) => match sequence.steps.get(at) {
            Some(Step::Change(changes)) => changes.len(),
            _ => 0,
        },
    }
}

fn without(sequence: &Sequence, part: Part, range: std::ops::Range<usize>) -> Sequence {
    let mut shorter = sequence.clone();
    match part {
        Part::Steps => drop(shorter.steps.drain(range)),
        Part::Edges => drop(shorter.start.edges.drain(range)),
        Part::Changes(at) => {
            if let Some(Step::Change(changes)) = shorter.steps.get_mut(at) {
                drop(changes.drain(range));
            }
        }
    }
    shorter
}

/// Delta debugging: takes out runs of items, halves first, single items last.
fn remove(best: &mut Sequence, part: Part, attempt: &mut dyn FnMut(&mut Sequence, Sequence) -> bool) {
    let mut chunk = length(best, part).div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < length(best, part) {
            let candidate = without(best, part, at..(at + chunk).min(length(best, part)));
            if !attempt(best, candidate) {
                at += chunk;
            }
        }
        if chunk == 1 {
            return;
        }
        chunk = chunk.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let text = "cc cpu schedule=auto undirected n=30 0-1 1-2 5-6 | change +3-4 -0-1 +7-8 | run 0 | keep | update";
        let mut fails = |sequence: &Sequence| {
            let text = sequence.to_string();
            (text.contains("-0-1") && text.contains("5-6") && text.contains("update")).then(|| "it fails".to_string())
        };
        let (small, problem) = shrink(text.parse().unwrap(), String::new(), &mut fails);
        assert_eq!(small.to_string(), "cc cpu schedule=default undirected n=7 5-6 | change -0-1 | update");
        assert_eq!(problem, "it fails");
    }
}
