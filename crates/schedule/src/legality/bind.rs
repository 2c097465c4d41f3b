//! Binding: which schedule of a program's schedule falls on a program point.

use super::Reason;
use crate::point::ProgramPoint;
use crate::program::ProgramSchedule;
use crate::schedule::Schedule;
use crate::simple::Axis;

/// The schedule that falls on a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The schedule, legal on the point.
    pub schedule: Schedule,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where the schedule of a point comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The point's own label.
    Label,
    /// The schedule without a label; settings without meaning here were dropped.
    Everywhere,
    /// The schedule without a label is not legal here, so the point keeps its defaults.
    EverywhereIllegal(Vec<Reason>),
    /// Nothing was said about this point.
    Default,
}

impl Schedule {
    /// Drops settings that have no meaning at the point, and says which. Fails with the reasons
    /// when what remains contradicts itself or the point.
    pub fn fit(&self, point: &ProgramPoint) -> Result<(Schedule, Vec<Reason>), Vec<Reason>> {
        let mut schedule = self.clone();
        let mut dropped = Vec::new();
        // Dropping one setting can make another one idle, so repeat until nothing changes; every
        // round drops at least one of finitely many settings.
        loop {
            let reasons = match schedule.legal(point) {
                Ok(()) => return Ok((schedule, dropped)),
                Err(reasons) => reasons,
            };
            let before = dropped.len();
            for part in schedule.parts_mut() {
                for reason in part.legal(point).err().unwrap_or_default() {
                    if reason.idle
                        && let Some(axis) = Axis::from_key(reason.axis)
                    {
                        part.clear(axis);
                        if !dropped.contains(&reason) {
                            dropped.push(reason);
                        }
                    }
                }
            }
            if dropped.len() == before {
                return Err(reasons.into_iter().filter(|r| !r.idle).collect());
            }
        }
    }
}

impl ProgramSchedule {
    /// The schedule of the point with this label path (`None`: it has no label).
    ///
    /// A labelled schedule must be legal as written; the reasons come back otherwise. A schedule
    /// without a label falls on every other point where it is legal after dropping what has no
    /// meaning there: `pull,loop=fused` is `pull` on an edge operator and `loop=fused` on a loop.
    ///
    /// ```
    /// use gw_schedule::{Origin, PointKind, ProgramPoint, ProgramSchedule};
    /// let program: ProgramSchedule = "pull,loop=fused".parse().unwrap();
    /// let operator = ProgramPoint::new(PointKind::EdgeOperator);
    /// let binding = program.bind(Some("s0:s1"), &operator).unwrap();
    /// assert_eq!(binding.schedule.to_string(), "pull");
    /// assert_eq!(binding.origin, Origin::Everywhere);
    /// ```
    pub fn bind(&self, path: Option<&str>, point: &ProgramPoint) -> Result<Binding, Vec<Reason>> {
        let bound = |schedule, origin| Ok(Binding { schedule, origin });
        if let Some(labelled) = path.and_then(|path| self.get(path)) {
            labelled.legal(point)?;
            return bound(labelled.clone(), Origin::Label);
        }
        let Some(everywhere) = self.everywhere() else {
            return bound(Schedule::default(), Origin::Default);
        };
        match everywhere.fit(point) {
            Ok((schedule, _)) if schedule.is_default() => bound(schedule, Origin::Default),
            Ok((schedule, _)) => bound(schedule, Origin::Everywhere),
            Err(reasons) => bound(Schedule::default(), Origin::EverywhereIllegal(reasons)),
        }
    }
}
