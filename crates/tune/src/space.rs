//! The schedule space of a whole program: one space per label, drawn from and walked through together.
//!
//! [`gw_schedule::Space`] knows the legal schedules of one place. A program has several places, and the passes know
//! rules between them that no place can tell. So a schedule of this space is legal at each of its places; whether the
//! places go together is found out by compiling.

use gw_graph::rng::Rng;
use gw_ir::points::program_points;
use gw_ir::{Module, points::Point};
use gw_schedule::{Axis, Capabilities, Family, Label, ProgramPoint, ProgramSchedule, Schedule, SimpleSchedule, Space};

/// Numeric values beside the representatives are reached by steps of these factors.
pub(crate) const STEPS: [f64; 4] = [0.5, 2.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::SQRT_2];

/// The places of a program that share a label, with their common space.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// The label path.
    pub label: Label,
    /// The places that have it; the first one stands for all where defaults are filled in.
    pub points: Vec<ProgramPoint>,
    /// Simple schedules of the first place.
    pub simple: Space,
    /// Simple and hybrid schedules of the first place.
    pub all: Space,
    /// The values of every axis that the machine can execute here.
    pub choices: Vec<(Axis, Vec<SimpleSchedule>)>,
}

/// All legal schedules of the labelled places of a program on a machine.
#[derive(Debug, Clone)]
pub struct ProgramSpace {
    pub(crate) slots: Vec<Slot>,
    pub(crate) machine: Capabilities,
    pub(crate) family: Family,
}

impl ProgramSpace {
    /// The space of a module as lowered, every operator with a label ([`gw_exec::label_operators`]).
    pub fn new(module: &Module, machine: &Capabilities, family: Family) -> ProgramSpace {
        let places = program_points(module);
        let mut slots: Vec<Slot> = Vec::new();
        for place in &places {
            let Some(label) = place.path.as_deref().and_then(|path| Label::new(path).ok()) else { continue };
            if slots.iter().any(|slot| slot.label == label) {
                continue;
            }
            let slot = Slot::new(label, places.iter().filter(|other| other.path == place.path), machine);
            // A place with one way to run it has nothing to search.
            if slot.all.count() > 1 {
                slots.push(slot);
            }
        }
        ProgramSpace { slots, machine: machine.clone(), family }
    }

    /// The number of schedules: the product over all labels.
    pub fn count(&self) -> f64 {
        self.slots.iter().map(|slot| slot.all.count() as f64).product()
    }

    /// The label paths, each with the number of its schedules.
    pub fn labels(&self) -> impl Iterator<Item = (&Label, u128)> {
        self.slots.iter().map(|slot| (&slot.label, slot.all.count()))
    }

    /// Whether every place may have its part of the schedule and the machine can execute it. Labels that the space
    /// does not have are left to the passes.
    pub fn allows(&self, schedule: &ProgramSchedule) -> bool {
        self.slots.iter().all(|slot| match schedule.get(slot.label.as_str()) {
            Some(part) => slot.allows(part, &self.machine),
            None => true,
        })
    }

    /// A random schedule: at every place a simple one or a hybrid with equal chances.
    pub fn draw(&self, rng: &mut Rng) -> ProgramSchedule {
        let mut schedule = ProgramSchedule::new();
        for slot in &self.slots {
            if let Some(drawn) = slot.draw(&self.machine, rng) {
                schedule.insert(slot.label.clone(), drawn);
            }
        }
        schedule
    }

    /// `wanted` different schedules, each made when it is asked for. The simple schedules of a program with few of them
    /// all come, then random draws until draws bring nothing new.
    pub fn drawn(&self, wanted: usize, seed: u64) -> impl Iterator<Item = ProgramSchedule> {
        /// Draws in a row without a new schedule, after which no further one is expected.
        const VAIN: usize = 4096;
        let mut rng = Rng::new(seed, 0x7475_6e65);
        let simple: u128 = self.slots.iter().map(|slot| slot.simple.count()).fold(1, u128::saturating_mul);
        let listed = if simple <= wanted as u128 / 2 { simple } else { 0 };
        let simple = (0..listed).map(|at| self.simple(at)).filter(|schedule| self.allows(schedule)).map(Some);
        let mut seen = std::collections::HashSet::new();
        let mut vain = 0;
        simple
            .chain(std::iter::repeat_with(move || Some(self.draw(&mut rng))))
            .map_while(move |schedule| {
                let schedule = schedule.filter(|schedule| seen.insert(self.key(schedule)));
                vain = if schedule.is_some() { 0 } else { vain + 1 };
                (vain < VAIN).then_some(schedule)
            })
            .flatten()
            .take(wanted)
    }

    /// A simple schedule by its number.
    fn simple(&self, number: u128) -> ProgramSchedule {
        let mut rest = number;
        let mut schedule = ProgramSchedule::new();
        for slot in &self.slots {
            let part = slot.simple.get(rest % slot.simple.count());
            rest /= slot.simple.count();
            schedule.insert(slot.label.clone(), part.unwrap_or_default());
        }
        schedule
    }

    /// A text that is the same for schedules that run alike: what is left open is filled with the machine's defaults.
    pub fn key(&self, schedule: &ProgramSchedule) -> String {
        let mut resolved = schedule.clone();
        for slot in &self.slots {
            let part = self.resolved(slot, schedule);
            resolved.insert(slot.label.clone(), part);
        }
        resolved.set_family(None);
        resolved.to_string()
    }

    /// The part of a schedule for a slot, every axis set that has a meaning.
    pub(crate) fn resolved(&self, slot: &Slot, schedule: &ProgramSchedule) -> Schedule {
        let part = schedule.get(slot.label.as_str()).or_else(|| schedule.everywhere());
        let mut part = part.cloned().unwrap_or_default();
        self.machine.drop_void(&mut part);
        for simple in part.parts_mut() {
            *simple = simple.resolve(self.family, &slot.points[0]);
        }
        self.machine.drop_void(&mut part);
        part
    }
}

impl Slot {
    fn new<'p>(label: Label, places: impl Iterator<Item = &'p Point>, machine: &Capabilities) -> Slot {
        let points: Vec<ProgramPoint> = places.map(|place| place.point.clone()).collect();
        let choices = Axis::ALL.iter().filter(|axis| axis.applies_to().contains(&points[0].kind)).map(|&axis| {
            let possible = |value: &SimpleSchedule| machine.unsupported(&Schedule::from(*value)).is_empty();
            (axis, axis.representatives().into_iter().filter(possible).collect::<Vec<_>>())
        });
        Slot {
            choices: choices.filter(|(_, values)| !values.is_empty()).collect(),
            simple: Space::simple_only(&points[0], machine),
            all: Space::new(&points[0], machine),
            label,
            points,
        }
    }

    /// Whether a hybrid may stand here.
    pub fn has_hybrids(&self) -> bool {
        self.all.hybrid_count() > 0
    }

    /// Whether all places of the label may have this schedule and the machine can execute it.
    pub fn allows(&self, schedule: &Schedule, machine: &Capabilities) -> bool {
        self.points.iter().all(|point| schedule.legal(point).is_ok()) && machine.unsupported(schedule).is_empty()
    }

    /// A random schedule; `None` where the places of the label agree on none in a few draws.
    pub fn draw(&self, machine: &Capabilities, rng: &mut Rng) -> Option<Schedule> {
        const ATTEMPTS: usize = 16;
        (0..ATTEMPTS).find_map(|_| {
            let hybrid = self.has_hybrids() && rng.below(2) == 1;
            let (from, count) = match hybrid {
                true => (self.all.simple_count(), self.all.hybrid_count()),
                false => (0, self.all.simple_count()),
            };
            let number = (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())) % count.max(1);
            self.all.get(from + number).filter(|schedule| self.allows(schedule, machine))
        })
    }
}
