//! The portfolio: few schedules by kind of place, one of which comes close to the best one on nearly every graph.
//!
//! The tuner begins with them, surveys measure them on many graphs, and the learned choice picks among them. A place
//! of any program can take those of its kind, so what was measured with one program holds for others. What a machine
//! cannot run and what is not legal at a place falls out.

use gw_schedule::{Param, PointKind, ProgramPoint, Schedule, Sources};

/// The kinds of places that a portfolio tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceKind {
    /// An edge operator from a set of vertices or from those that pass a test.
    Frontier,
    /// An edge operator over all edges.
    AllEdges,
    /// An operator that changes priorities.
    Priority,
    /// An intersection of lists.
    Intersection,
    /// A loop.
    Loop,
}

impl PlaceKind {
    /// The kind of a place; `None` where a schedule has little to say.
    pub fn of(point: &ProgramPoint) -> Option<PlaceKind> {
        match (point.kind, point.from) {
            (PointKind::EdgeOperator, Sources::All) => Some(PlaceKind::AllEdges),
            (PointKind::EdgeOperator, _) => Some(PlaceKind::Frontier),
            (PointKind::PriorityOperator, _) => Some(PlaceKind::Priority),
            (PointKind::Intersection, _) => Some(PlaceKind::Intersection),
            (PointKind::WhileLoop, _) => Some(PlaceKind::Loop),
            _ => None,
        }
    }

    /// All kinds.
    pub const ALL: [PlaceKind; 5] =
        [PlaceKind::Frontier, PlaceKind::AllEdges, PlaceKind::Priority, PlaceKind::Intersection, PlaceKind::Loop];

    /// Its word in model files.
    pub fn word(self) -> &'static str {
        match self {
            PlaceKind::Frontier => "frontier",
            PlaceKind::AllEdges => "all-edges",
            PlaceKind::Priority => "priority",
            PlaceKind::Intersection => "intersection",
            PlaceKind::Loop => "loop",
        }
    }

    /// The texts of the candidates for places of this kind, those of processors and those of GPUs.
    pub fn texts(self) -> impl Iterator<Item = &'static str> {
        let texts = match self {
            PlaceKind::Frontier => [FRONTIER, FRONTIER_GPU],
            PlaceKind::AllEdges => [ALL_EDGES, ALL_EDGES_GPU],
            PlaceKind::Priority => [PRIORITY, PRIORITY_GPU],
            PlaceKind::Intersection => [INTERSECTIONS, &[]],
            PlaceKind::Loop => [&[], LOOPS],
        };
        texts.into_iter().flatten().copied()
    }

    /// The candidates for places of this kind.
    pub fn candidates(self) -> impl Iterator<Item = Candidate> {
        self.texts().filter_map(Candidate::parse)
    }
}

/// A schedule for a kind of place.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The schedule. A bucket width that it leaves open is that of the rule times the factor.
    pub schedule: Schedule,
    /// The factor for the rule's bucket width.
    pub width: f64,
}

impl Candidate {
    /// Reads a schedule text, behind which `*4` may follow as the factor for the rule's bucket width.
    pub fn parse(text: &str) -> Option<Candidate> {
        let (text, width) = match text.split_once('*') {
            Some((text, factor)) => (text, factor.parse().ok()?),
            None => (text, 1.0),
        };
        Some(Candidate { schedule: text.parse().ok()?, width })
    }

    /// The schedule for a place that the machine's rule gives another one.
    pub fn at(&self, rule: Option<&Schedule>) -> Schedule {
        let width = rule.into_iter().flat_map(Schedule::parts).find_map(|part| part.delta);
        let mut schedule = self.schedule.clone();
        if let Some(Param::Value(width)) = width {
            for part in schedule.parts_mut().into_iter().filter(|part| part.delta.is_none()) {
                part.delta = Some(Param::Value(((width as f64 * self.width).round() as u64).max(1)));
            }
        }
        schedule
    }
}

const FRONTIER: &[&str] = &[
    "push,par=dynamic",
    "hybrid,by=input-work,at=0.1+push,par=dynamic+pull,par=dynamic,frontier=bitmap",
    "push,par=serial",
    "pull,par=serial,frontier=bitmap",
    "hybrid,by=input-size,at=0.01+push,par=dynamic,grain=256+pull,par=dynamic,grain=256,frontier=bitmap",
    "hybrid,by=input-size,at=0.15+push,par=static,grain=64+pull,par=static,grain=64,frontier=bitmap",
    "hybrid,by=input-size,at=0.02+push,par=dynamic+pull,par=edge-aware,frontier=bitmap",
    "hybrid,by=input-work,at=0.05+push,par=serial+pull,par=dynamic,frontier=bitmap",
    "hybrid,by=input-size,at=0.05+push,par=serial+pull,par=serial,frontier=bitmap",
    "hybrid,by=input-size,at=0.5+push,par=dynamic+pull,par=static,grain=4096,frontier=boolmap",
    "pull,par=dynamic,grain=4096,frontier=boolmap",
    "push,par=dynamic,grain=256,create=sliding-queue",
    "push,par=edge-parallel,grain=1024",
    "dense-push,par=static,grain=1024,frontier=bitmap",
];
const ALL_EDGES: &[&str] = &[
    "pull,par=edge-aware",
    "pull,par=dynamic",
    "pull,par=dynamic,grain=64",
    "pull,par=static",
    "pull,par=serial",
    "pull,par=edge-aware,segments=4",
    "push,par=dynamic",
    "push,par=dynamic,grain=64",
    "push,par=edge-parallel,grain=4096",
    "push,par=serial",
];
const PRIORITY: &[&str] = &[
    "push,par=dynamic,update=eager-with-merge",
    "push,par=dynamic,update=eager-with-merge*4",
    "push,par=dynamic,update=eager-with-merge*16",
    "push,par=dynamic,update=eager-with-merge*0.25",
    "push,par=dynamic,grain=256,update=eager-with-merge,merge=10000*4",
    "push,par=static,grain=4096,update=eager*8",
    "push,par=dynamic,update=eager",
    "push,par=serial,update=eager-with-merge*4",
    "push,par=dynamic,update=lazy",
    "push,par=serial,update=lazy",
    "push,par=dynamic,grain=4096,update=lazy",
    "push,par=dynamic,update=constant-sum",
    "push,par=serial,update=constant-sum",
    "dense-push,par=serial,update=lazy,frontier=bitmap",
];
const INTERSECTIONS: &[&str] = &["intersect=combined", "intersect=hiroshi", "intersect=binary-search"];
const FRONTIER_GPU: &[&str] = &[
    "push,lb=etwc",
    "hybrid,by=input-work,at=0.05+push,lb=cm+pull,lb=vertex-based,frontier=bitmap",
    "hybrid,by=edges-ahead,at=0.05+push,lb=etwc+pull,lb=etwc,frontier=bitmap,create=unfused-bitmap",
    "hybrid,by=edges-ahead,at=0.05+push,lb=vw8+pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap",
    "push,lb=wm",
    "push,lb=cm",
    "push,lb=vertex-based",
    "push,lb=merge-path",
];
const ALL_EDGES_GPU: &[&str] = &[
    "pull,lb=etwc",
    "pull,lb=vw8",
    "pull,lb=vertex-based",
    "pull,lb=strict",
    "pull,lb=cm",
    "push,lb=etwc",
    "push,lb=cm",
];
const PRIORITY_GPU: &[&str] =
    &["push,lb=etwc", "push,lb=etwc*4", "push,lb=etwc*0.25", "push,lb=wm", "push,lb=cm", "push,lb=vertex-based"];
const LOOPS: &[&str] = &["loop=fused", "loop=host"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_is_a_schedule() {
        let all = [FRONTIER, ALL_EDGES, PRIORITY, INTERSECTIONS, FRONTIER_GPU, ALL_EDGES_GPU, PRIORITY_GPU, LOOPS];
        for text in all.into_iter().flatten() {
            let candidate = Candidate::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert!(!candidate.schedule.is_default(), "{text}");
        }
    }

    #[test]
    fn bucket_widths_follow_the_rule() {
        let rule: Schedule = "push,update=eager,delta=12".parse().unwrap_or_else(|e| panic!("{e}"));
        let at = |text: &str| Candidate::parse(text).map(|candidate| candidate.at(Some(&rule)).to_string());
        assert_eq!(at("push,update=lazy*0.25").as_deref(), Some("push,update=lazy,delta=3"));
        assert_eq!(at("push,update=lazy,delta=7*4").as_deref(), Some("push,update=lazy,delta=7"));
        assert_eq!(Candidate::parse("push*x"), None);
    }
}
