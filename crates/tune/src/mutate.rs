//! Schedules near a schedule: one or more axes changed, places taken from another schedule.
//!
//! A changed axis may make others illegal (a pull has no sliding queue). Those are left to the machine again, so that
//! every neighbour is legal and as like the original as the rules allow.

use gw_graph::rng::Rng;
use gw_schedule::{
    Axis, Capabilities, Criterion, Direction, Fraction, Hybrid, Param, ProgramSchedule, Schedule, SimpleSchedule,
    THRESHOLDS,
};

use crate::space::{ProgramSpace, STEPS, Slot};

impl ProgramSpace {
    /// A schedule that differs in about `changes` axes; `None` where no legal one was met.
    pub fn near(&self, of: &ProgramSchedule, changes: usize, rng: &mut Rng) -> Option<ProgramSchedule> {
        if self.slots.is_empty() {
            return None;
        }
        let mut schedule = of.clone();
        for _ in 0..changes.max(1) {
            let slot = &self.slots[rng.below(self.slots.len() as u64) as usize];
            let part = schedule.get(slot.label.as_str()).or_else(|| schedule.everywhere()).cloned().unwrap_or_default();
            let changed = slot.mutate(&part, &self.machine, rng)?;
            schedule.insert(slot.label.clone(), changed);
        }
        self.allows(&schedule).then_some(schedule)
    }

    /// A schedule made of two: every place from one of them, or a hybrid of both.
    pub fn cross(&self, one: &ProgramSchedule, other: &ProgramSchedule, rng: &mut Rng) -> Option<ProgramSchedule> {
        let mut schedule = one.clone();
        for slot in &self.slots {
            let part = |of: &ProgramSchedule| of.get(slot.label.as_str()).or_else(|| of.everywhere()).cloned();
            let (a, b) = (part(one).unwrap_or_default(), part(other).unwrap_or_default());
            let mixed = match rng.below(3) {
                0 => a,
                1 => b,
                _ => slot.hybrid(&a, &b, rng).unwrap_or(b),
            };
            schedule.insert(slot.label.clone(), mixed);
        }
        self.allows(&schedule).then_some(schedule)
    }
}

impl Slot {
    fn mutate(&self, part: &Schedule, machine: &Capabilities, rng: &mut Rng) -> Option<Schedule> {
        const ATTEMPTS: usize = 12;
        (0..ATTEMPTS).find_map(|_| {
            let changed = match part {
                Schedule::Simple(simple) if self.has_hybrids() && rng.below(6) == 0 => {
                    let partner = self.draw(machine, rng)?;
                    self.hybrid(&Schedule::Simple(*simple), &partner, rng)?
                }
                Schedule::Simple(simple) => self.change_axis(simple, rng)?.into(),
                Schedule::Hybrid(hybrid) => self.change_hybrid(hybrid, rng)?,
                // A model picks among the candidates; near it lie the candidates themselves.
                Schedule::Adaptive(adaptive) => {
                    let at = rng.below(adaptive.candidates.len().max(1) as u64) as usize;
                    (*adaptive.candidates.get(at)?).into()
                }
            };
            (changed != *part && self.allows(&changed, machine)).then_some(changed)
        })
    }

    fn change_hybrid(&self, hybrid: &Hybrid, rng: &mut Rng) -> Option<Schedule> {
        let mut changed = hybrid.clone();
        match rng.below(12) {
            0 | 1 => changed.threshold = Param::Value(step_threshold(hybrid.threshold.value()?, rng)?),
            2 => changed.threshold = Param::Value(THRESHOLDS[rng.below(THRESHOLDS.len() as u64) as usize]),
            3 => changed.criterion = Criterion::ALL[rng.below(Criterion::ALL.len() as u64) as usize],
            4 => return Some(if rng.below(2) == 0 { hybrid.first } else { hybrid.second }.into()),
            5..=8 => changed.second = self.change_axis(&hybrid.second, rng)?,
            _ => changed.first = self.change_axis(&hybrid.first, rng)?,
        }
        Some(changed.into())
    }

    /// Another value for one axis; what no longer goes with it is left to the machine.
    fn change_axis(&self, of: &SimpleSchedule, rng: &mut Rng) -> Option<SimpleSchedule> {
        let (axis, values) = &self.choices[rng.below(self.choices.len().max(1) as u64) as usize];
        let mut changed = *of;
        let number = of.text_of(*axis).and_then(|text| text.parse::<f64>().ok());
        match number {
            Some(number) if rng.below(3) > 0 => {
                let factor = STEPS[rng.below(STEPS.len() as u64) as usize];
                // Bucket counts are powers of two.
                let factor =
                    if *axis == Axis::Buckets { factor.signum() * factor.log2().round().exp2() } else { factor };
                let stepped = (number * factor).round().max(1.0) as u64;
                if !changed.set_text(*axis, &stepped.to_string()) {
                    return None;
                }
            }
            _ => changed.copy_axis(*axis, &values[rng.below(values.len() as u64) as usize]),
        }
        self.repair(changed, *axis)
    }

    /// Leaves axes to the machine until the schedule is legal; the axis that was changed stays.
    fn repair(&self, mut simple: SimpleSchedule, keep: Axis) -> Option<SimpleSchedule> {
        for _ in 0..Axis::ALL.len() {
            let reasons: Vec<_> = self.points.iter().filter_map(|point| simple.legal(point).err()).flatten().collect();
            if reasons.is_empty() {
                return Some(simple);
            }
            let mut cleared = false;
            for axis in reasons.iter().filter_map(|reason| Axis::from_key(reason.axis)) {
                if axis != keep && simple.is_set(axis) {
                    simple.clear(axis);
                    cleared = true;
                }
            }
            if !cleared {
                return None;
            }
        }
        None
    }

    /// A hybrid of a pushing and another schedule; of two that do not go together nothing.
    fn hybrid(&self, one: &Schedule, other: &Schedule, rng: &mut Rng) -> Option<Schedule> {
        if !self.has_hybrids() {
            return None;
        }
        let parts: Vec<SimpleSchedule> = one.parts().into_iter().chain(other.parts()).copied().collect();
        let first = parts.iter().find(|part| part.direction() == Direction::Push)?;
        let second = parts.iter().find(|part| part.direction() != Direction::Push)?;
        let known = [one, other].into_iter().find_map(|schedule| match schedule {
            Schedule::Hybrid(hybrid) => Some((hybrid.criterion, hybrid.threshold)),
            _ => None,
        });
        let (criterion, threshold) = known.unwrap_or_else(|| {
            let at = rng.below(THRESHOLDS.len() as u64) as usize;
            (Hybrid::push_pull().criterion, Param::Value(THRESHOLDS[at]))
        });
        Some(Hybrid { criterion, threshold, first: *first, second: *second }.into())
    }
}

/// A threshold some steps away, rounded to three digits.
fn step_threshold(of: Fraction, rng: &mut Rng) -> Option<Fraction> {
    let stepped = of.get() * STEPS[rng.below(STEPS.len() as u64) as usize];
    let rounded = (stepped.clamp(0.001, 0.95) * 1000.0).round() / 1000.0;
    Fraction::new(rounded)
}
