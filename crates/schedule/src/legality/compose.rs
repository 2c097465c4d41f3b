//! The rules for hybrid and adaptive schedules.

use super::Reason;
use crate::point::{PointKind, ProgramPoint, Sources};
use crate::schedule::{Chooser, Criterion, Schedule};
use crate::simple::{Axis, SimpleSchedule};

/// Axes that describe the queue, not one step, so all parts must agree on them.
const QUEUE_AXES: [Axis; 4] = [Axis::Update, Axis::Delta, Axis::Merge, Axis::Buckets];

impl Schedule {
    /// Whether this schedule may be put on the point, or every reason why not.
    pub fn legal(&self, point: &ProgramPoint) -> Result<(), Vec<Reason>> {
        let mut reasons = Vec::new();
        match self {
            Schedule::Simple(simple) => return simple.legal(point),
            Schedule::Hybrid(hybrid) => {
                joined("hybrid", &self.parts(), point, &mut reasons);
                source("hybrid", hybrid.criterion, point, &mut reasons);
            }
            Schedule::Adaptive(adaptive) => {
                joined("adaptive", &self.parts(), point, &mut reasons);
                let n = adaptive.candidates.len();
                if n == 0 {
                    let problem = "an adaptive schedule needs at least one candidate";
                    reasons.push(Reason::new("adaptive", problem, "add candidates"));
                }
                if let Chooser::Threshold { criterion, thresholds } = &adaptive.chooser {
                    source("adaptive", *criterion, point, &mut reasons);
                    if thresholds.len() + 1 != n {
                        let needed = n.saturating_sub(1);
                        let given = thresholds.len();
                        let problem =
                            format!("the number of thresholds for {n} candidates is {needed}, but {given} are given");
                        reasons.push(Reason::new("adaptive", problem, "give one fewer than there are candidates"));
                    }
                    if !thresholds.is_sorted() {
                        let problem = "the thresholds of an adaptive schedule must ascend";
                        reasons.push(Reason::new("adaptive", problem, "sort them"));
                    }
                }
            }
        }
        for part in self.parts() {
            for reason in part.legal(point).err().unwrap_or_default() {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }
}

fn joined(name: &'static str, parts: &[&SimpleSchedule], point: &ProgramPoint, out: &mut Vec<Reason>) {
    if !matches!(point.kind, PointKind::EdgeOperator | PointKind::PriorityOperator) {
        let problem = format!(
            "{} schedule chooses by the input of an edge operator, and this is {}",
            article(name),
            point.kind.phrase()
        );
        out.push(Reason::new(name, problem, "use a simple schedule"));
    }
    for axis in QUEUE_AXES {
        let texts: Vec<_> = parts.iter().map(|p| p.text_of(axis)).collect();
        if texts.windows(2).any(|w| w[0] != w[1]) {
            let key = axis.key();
            let problem = format!("the parts share one priority queue but differ in `{key}`");
            out.push(Reason::new(name, problem, format!("give all parts the same `{key}`")));
        }
    }
    if parts.iter().any(|p| p.update.is_some_and(|u| u.is_eager())) {
        let problem = "an eager update replaces the whole loop, so nothing is chosen per step";
        out.push(Reason::new(name, problem, "use `update=lazy` or a simple schedule"));
    }
}

/// The criteria measure the input set, so it must be one that can be measured.
fn source(name: &'static str, criterion: Criterion, point: &ProgramPoint, out: &mut Vec<Reason>) {
    if point.kind != PointKind::EdgeOperator {
        return;
    }
    // Without `from` the work ahead is that of all vertices, which is a fair measure; its size
    // alone is a constant and can never switch.
    let measurable = match point.from {
        Sources::Set => true,
        Sources::All => criterion.needs_degrees(),
        Sources::Filter => false,
    };
    if !measurable {
        let problem = format!(
            "{} schedule by {criterion} measures the input set, and the operator has no `from` with a vertex set variable",
            article(name)
        );
        out.push(Reason::new(name, problem, "use a simple schedule, or put the sources in a vertex set"));
    }
}

fn article(name: &str) -> String {
    match name {
        "adaptive" => "an adaptive".into(),
        _ => format!("a {name}"),
    }
}
