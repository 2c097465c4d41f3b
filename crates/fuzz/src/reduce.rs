//! Shrinking a failing case: schedules, lines of the program and edges of the graphs are taken out as long as it
//! still fails in the same way. A program that is no longer well typed does not fail in the same way, so that lines
//! may be tried blindly.

use crate::case::Case;
use crate::check::Failure;
use crate::compare::Kind;
use crate::worker::Worker;

/// Shrinks cases with the help of a worker.
pub struct Reducer<'w> {
    worker: &'w mut Worker,
    kind: Kind,
    /// Trials run so far, and how many there may be.
    pub tried: usize,
    budget: usize,
}

impl<'w> Reducer<'w> {
    /// A reducer that keeps failures of this kind and runs at most so many candidates.
    pub fn new(worker: &'w mut Worker, kind: Kind, budget: usize) -> Reducer<'w> {
        Reducer { worker, kind, tried: 0, budget }
    }

    /// The smallest case found, with its failure.
    pub fn reduce(&mut self, case: &Case, failure: &Failure) -> (Case, Failure) {
        let mut best = Case { trials: vec![failure.trial.clone()], ..case.clone() };
        let mut last = failure.clone();
        loop {
            let before = size(&best);
            self.schedule(&mut best, &mut last);
            self.blocks(&mut best, &mut last);
            self.lines(&mut best, &mut last);
            self.graphs(&mut best, &mut last);
            if size(&best) == before || self.tried >= self.budget {
                return (best, last);
            }
        }
    }

    /// Takes a candidate over if it still fails in the same way.
    fn attempt(&mut self, best: &mut Case, last: &mut Failure, candidate: Case) -> bool {
        if self.tried >= self.budget {
            return false;
        }
        self.tried += 1;
        let Ok(report) = self.worker.case(&candidate) else { return false };
        let same = report.failures.into_iter().find(|failure| failure.difference.kind == self.kind);
        let Some(failure) = same else { return false };
        *best = candidate;
        *last = failure;
        true
    }

    fn schedule(&mut self, best: &mut Case, last: &mut Failure) {
        let text = best.trials.first().and_then(|trial| trial.schedule.clone()).unwrap_or_default();
        let with = |case: &Case, schedule: String| {
            let mut case = case.clone();
            case.trials.iter_mut().for_each(|trial| trial.schedule = Some(schedule.clone()));
            case
        };
        if text == "default" || self.attempt(best, last, with(best, "default".into())) || text.is_empty() {
            return;
        }
        let mut parts: Vec<String> = text.split(';').map(str::to_string).collect();
        shrink(&mut parts, &mut |parts| {
            let candidate = with(best, parts.join(";"));
            self.attempt(best, last, candidate)
        });
    }

    /// Functions and other blocks as a whole: from a line to the `end` of the same indentation.
    fn blocks(&mut self, best: &mut Case, last: &mut Failure) {
        let mut at = 0;
        loop {
            let lines: Vec<&str> = best.program.lines().collect();
            if at >= lines.len() {
                return;
            }
            let indent = |line: &str| line.len() - line.trim_start().len();
            let head = lines[at];
            let end = lines[at + 1..]
                .iter()
                .position(|line| indent(line) == indent(head) && line.trim_start().starts_with("end"));
            let opens = lines.get(at + 1).is_some_and(|next| indent(next) > indent(head));
            if let (true, Some(end)) = (opens, end) {
                let mut kept = lines[..at].to_vec();
                kept.extend(&lines[at + 1 + end + 1..]);
                let candidate = Case { program: kept.join("\n") + "\n", ..best.clone() };
                if self.attempt(best, last, candidate) {
                    continue;
                }
            }
            at += 1;
        }
    }

    fn lines(&mut self, best: &mut Case, last: &mut Failure) {
        let mut lines: Vec<String> = best.program.lines().map(str::to_string).collect();
        shrink(&mut lines, &mut |lines| {
            let candidate = Case { program: lines.join("\n") + "\n", ..best.clone() };
            self.attempt(best, last, candidate)
        });
    }

    fn graphs(&mut self, best: &mut Case, last: &mut Failure) {
        if !best.others.is_empty() {
            // One run is simpler than three.
            let candidate = Case { others: Vec::new(), ..best.clone() };
            self.attempt(best, last, candidate);
        }
        for at in 0..best.graphs.len() {
            let mut edges = best.graphs[at].edges.clone();
            shrink(&mut edges, &mut |edges| {
                let mut candidate = best.clone();
                candidate.graphs[at].edges = edges.to_vec();
                self.attempt(best, last, candidate)
            });
            // Vertices above all edges.
            loop {
                let graph = &best.graphs[at];
                let used = graph.edges.iter().map(|&(s, t, _)| s.max(t) as usize + 1).max().unwrap_or(0);
                let fewer = (graph.vertices + used) / 2;
                let mut candidate = best.clone();
                candidate.graphs[at].vertices = fewer;
                if fewer >= best.graphs[at].vertices || !self.attempt(best, last, candidate) {
                    break;
                }
            }
        }
    }
}

fn size(case: &Case) -> usize {
    let graphs: usize = case.graphs.iter().map(|graph| graph.vertices + graph.edges.len()).sum();
    let schedules: usize = case.trials.iter().filter_map(|trial| trial.schedule.as_ref()).map(String::len).sum();
    case.program.len() + graphs + schedules
}

/// Delta debugging: takes out runs of items, halves first, single items last, as long as `keeps` agrees.
fn shrink<T: Clone>(items: &mut Vec<T>, keeps: &mut dyn FnMut(&[T]) -> bool) {
    let mut chunk = items.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < items.len() {
            let mut candidate = items[..at].to_vec();
            candidate.extend_from_slice(&items[(at + chunk).min(items.len())..]);
            if keeps(&candidate) {
                *items = candidate;
            } else {
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
    use super::shrink;

    #[test]
    fn shrinking_keeps_what_is_needed() {
        let mut items: Vec<u32> = (0..100).collect();
        shrink(&mut items, &mut |left| left.contains(&17) && left.contains(&80));
        assert_eq!(items, [17, 80]);
    }
}
