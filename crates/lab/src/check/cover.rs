//! Which schedules of a program to try: few enough to run them all, and every value of every axis at every place of the
//! program, every pair of values where both can stand together, and hybrids.
//!
//! The space of one place runs into billions, so it is sampled evenly by values: a pool holds for every value of
//! every axis some schedules that have it and are random otherwise. From the pool those are picked that add most to
//! what is covered, until nothing is missing. The lists of all places are then gone through side by side.

use std::collections::HashMap;

use gw_graph::rng::Rng;
use gw_ir::points::Point;
use gw_schedule::{
    Axis, Capabilities, Direction, Hybrid, Label, Param, PointKind, ProgramPoint, ProgramSchedule, Schedule,
    SimpleSchedule, THRESHOLDS,
};

/// Schedules drawn per value of a place before the best are picked.
const DRAWS: usize = 12;
/// Values of an axis tried before it is left out.
const ATTEMPTS: usize = 3;
/// Every so many schedules of a place a hybrid.
const HYBRID_EVERY: usize = 4;

/// Something that a schedule may cover: a value of an axis at a kind of place, or the switch of a hybrid.
pub(super) type Feature = (PointKind, String);

/// A schedule of a program and what it covers, for choosing among many.
pub(super) struct Candidate {
    pub(super) schedule: ProgramSchedule,
    pub(super) features: Vec<Feature>,
}

/// Draws and covers; what was worked out for one place serves all that look the same.
pub(super) struct Cover<'a> {
    machine: &'a Capabilities,
    rng: Rng,
    known: HashMap<Vec<ProgramPoint>, Vec<Schedule>>,
}

/// The places that share one schedule: a label path, or all places without a label.
struct Slot {
    path: Option<Label>,
    kind: PointKind,
    list: Vec<Schedule>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(machine: &'a Capabilities, seed: u64) -> Cover<'a> {
        Cover { machine, rng: Rng::new(seed, 0xc0), known: HashMap::new() }
    }

    /// Schedules for a program with these places: `wanted` of them, or as many as cover everything. Those that cover
    /// most come first. `compiles` has the last word on what is legal: passes know more than a place tells.
    pub(super) fn program(
        &mut self,
        points: &[Point],
        wanted: Option<usize>,
        compiles: impl Fn(&ProgramSchedule) -> bool,
    ) -> Vec<Candidate> {
        let mut slots = self.slots(points);
        for slot in &mut slots {
            slot.list.retain(|schedule| compiles(&slot_schedule(&slot.path, schedule)));
        }
        slots.retain(|slot| !slot.list.is_empty());
        let all = slots.iter().map(|slot| slot.list.len()).max().unwrap_or(0);
        let wanted = wanted.unwrap_or(all);
        // One label: the list says it all. More: each list is begun again, in another order, until the longest is
        // through.
        let mut orders: Vec<Vec<usize>> = slots.iter().map(|slot| (0..slot.list.len()).collect()).collect();
        let mut candidates: Vec<Candidate> = Vec::new();
        for row in 0..wanted.saturating_mul(4) {
            if candidates.len() == wanted {
                break;
            }
            let mut schedule = ProgramSchedule::new();
            let mut features = Vec::new();
            for (slot, order) in slots.iter().zip(&mut orders) {
                let at = row % order.len();
                if at == 0 && row > 0 {
                    self.rng.shuffle(order);
                }
                let picked = slot.list[order[at]].clone();
                features.extend(features_of(&picked).into_iter().map(|f| (slot.kind, f)));
                put(&mut schedule, &slot.path, picked);
            }
            if !candidates.iter().any(|known| known.schedule == schedule) {
                candidates.push(Candidate { schedule, features });
            }
        }
        candidates
    }

    fn slots(&mut self, points: &[Point]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        let mut unlabelled = Slot { path: None, kind: PointKind::EdgeOperator, list: Vec::new() };
        let mut seen: Vec<&Point> = Vec::new();
        for point in points {
            let path = point.path.as_ref().and_then(|path| Label::new(&**path).ok());
            match path {
                // All places of one label take the same schedule.
                Some(path) if !slots.iter().any(|slot| slot.path.as_ref() == Some(&path)) => {
                    let same: Vec<ProgramPoint> =
                        points.iter().filter(|p| p.path == point.path).map(|p| p.point.clone()).collect();
                    let list = self.list(same);
                    slots.push(Slot { path: Some(path), kind: point.point.kind, list });
                }
                None if !seen.iter().any(|other| other.point == point.point) => {
                    unlabelled.kind = point.point.kind;
                    unlabelled.list.extend(self.list(vec![point.point.clone()]));
                    seen.push(point);
                }
                _ => {}
            }
        }
        slots.push(unlabelled);
        slots
    }

    /// The schedules to try at places that share one.
    fn list(&mut self, points: Vec<ProgramPoint>) -> Vec<Schedule> {
        if let Some(list) = self.known.get(&points) {
            return list.clone();
        }
        let pool = self.pool(&points);
        let hybrids = self.hybrids(&points, &pool);
        let simple: Vec<Schedule> = pool.into_iter().map(Schedule::from).collect();
        let mut hybrids = cover(hybrids, features_of).into_iter();
        let mut list = Vec::new();
        for (i, schedule) in cover(simple, |schedule| pairs(&features_of(schedule))).into_iter().enumerate() {
            if i % HYBRID_EVERY == HYBRID_EVERY - 1 {
                list.extend(hybrids.next());
            }
            list.push(schedule);
        }
        list.extend(hybrids);
        self.known.insert(points, list.clone());
        list
    }

    /// Simple schedules that are legal at all the places, some for every value.
    fn pool(&mut self, points: &[ProgramPoint]) -> Vec<SimpleSchedule> {
        let applies = |axis: Axis| points.iter().any(|point| axis.applies_to().contains(&point.kind));
        let mut axes: Vec<(Axis, Vec<SimpleSchedule>)> = Axis::ALL
            .iter()
            .filter(|&&axis| applies(axis) && self.machine.knows(axis))
            .map(|&axis| (axis, self.machine.representatives(axis)))
            .collect();
        let values: Vec<SimpleSchedule> = axes.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        let legal = |schedule: &SimpleSchedule| points.iter().all(|point| schedule.legal(point).is_ok());
        let mut pool = vec![SimpleSchedule::default()];
        for value in &values {
            let bases = smallest(value, &values, legal);
            if bases.is_empty() {
                continue;
            }
            for draw in 0..DRAWS {
                let base = bases[draw % bases.len()];
                let mut schedule = base;
                self.rng.shuffle(&mut axes);
                for (axis, values) in axes.iter().filter(|(axis, _)| !base.is_set(*axis)) {
                    // One of the values or none, all alike; after some that are not legal here, none.
                    for _ in 0..ATTEMPTS {
                        let Some(value) = values.get(self.rng.below(values.len() as u64 + 1) as usize) else { break };
                        let mut with = schedule;
                        with.copy_axis(*axis, value);
                        if legal(&with) {
                            schedule = with;
                            break;
                        }
                    }
                }
                pool.push(schedule);
            }
        }
        pool.sort_unstable();
        pool.dedup();
        self.rng.shuffle(&mut pool);
        pool
    }

    /// Hybrids of two simple schedules that are legal at all the places: push while there is little to do.
    fn hybrids(&mut self, points: &[ProgramPoint], pool: &[SimpleSchedule]) -> Vec<Schedule> {
        let legal = |schedule: &SimpleSchedule| points.iter().all(|point| schedule.legal(point).is_ok());
        let directions: Vec<Direction> =
            self.machine.representatives(Axis::Direction).iter().filter_map(|s| s.direction).collect();
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for schedule in pool {
            for &direction in &directions {
                let part = SimpleSchedule { direction: Some(direction), ..*schedule };
                if legal(&part) {
                    if direction == Direction::Push { &mut firsts } else { &mut seconds }.push(part);
                }
            }
        }
        let criteria = self.machine.criteria();
        if firsts.is_empty() || seconds.is_empty() || criteria.is_empty() {
            return Vec::new();
        }
        let mut below = |n: usize| self.rng.below(n as u64) as usize;
        let mut hybrids = Vec::new();
        // Twice as many as there are parts: every part comes up with two others.
        for round in 0..2 * firsts.len().max(seconds.len()) {
            let first = firsts[round % firsts.len()];
            let mut second = seconds[below(seconds.len())];
            if round % 2 == 1 {
                second = seconds[(round / 2) % seconds.len()];
            }
            // The parts share one queue.
            for axis in [Axis::Update, Axis::Delta, Axis::Merge, Axis::Buckets] {
                second.copy_axis(axis, &first);
            }
            let criterion = criteria[below(criteria.len())];
            let threshold = Param::Value(THRESHOLDS[below(THRESHOLDS.len())]);
            let hybrid = Schedule::Hybrid(Hybrid { criterion, threshold, first, second });
            if points.iter().all(|point| hybrid.legal(point).is_ok()) {
                hybrids.push(hybrid);
            }
        }
        hybrids
    }
}

/// A schedule at one label, or everywhere.
fn slot_schedule(path: &Option<Label>, schedule: &Schedule) -> ProgramSchedule {
    let mut program = ProgramSchedule::new();
    put(&mut program, path, schedule.clone());
    program
}

fn put(program: &mut ProgramSchedule, path: &Option<Label>, schedule: Schedule) {
    match path {
        Some(path) => drop(program.insert(path.clone(), schedule)),
        None => program.set_everywhere(Some(schedule)),
    }
}

/// The smallest legal schedules with a value: alone, or with one or two others that it cannot do without.
fn smallest(
    value: &SimpleSchedule,
    others: &[SimpleSchedule],
    legal: impl Fn(&SimpleSchedule) -> bool,
) -> Vec<SimpleSchedule> {
    let mut bases = vec![*value];
    for more in [true, true, false] {
        let found: Vec<SimpleSchedule> = bases.iter().copied().filter(&legal).collect();
        if !found.is_empty() || !more {
            return found;
        }
        bases = bases.iter().flat_map(|base| others.iter().map(|other| base.or(other))).collect();
        bases.sort_unstable();
        bases.dedup();
    }
    Vec::new()
}

/// What a schedule sets, as words.
pub(super) fn features_of(schedule: &Schedule) -> Vec<String> {
    let mut features = Vec::new();
    if let Schedule::Hybrid(hybrid) = schedule {
        features.push(format!("hybrid by {}", hybrid.criterion));
        features.push(format!("hybrid at {}", hybrid.threshold));
    }
    let parts = schedule.parts();
    for (i, part) in parts.iter().enumerate() {
        let place = if parts.len() > 1 { format!("part {} ", i + 1) } else { String::new() };
        for axis in part.set_axes() {
            features.push(format!("{place}{}={}", axis.key(), part.text_of(axis).unwrap_or_default()));
        }
    }
    features
}

/// The features and all pairs of them.
fn pairs(features: &[String]) -> Vec<String> {
    let mut all = features.to_vec();
    for (i, a) in features.iter().enumerate() {
        all.extend(features[..i].iter().map(|b| format!("{b} {a}")));
    }
    all
}

/// The items that together have every feature of all of them, picked greedily: most new features first.
pub(super) fn cover<T, F: std::hash::Hash + Eq>(items: Vec<T>, features: impl Fn(&T) -> Vec<F>) -> Vec<T> {
    let mut numbers: HashMap<F, u32> = HashMap::new();
    let mut open: Vec<(T, Vec<u32>)> = Vec::new();
    for item in items {
        let own = features(&item);
        let own = own.into_iter().map(|feature| {
            let next = numbers.len() as u32;
            *numbers.entry(feature).or_insert(next)
        });
        let own = own.collect();
        open.push((item, own));
    }
    let mut covered = vec![false; numbers.len()];
    let mut picked = Vec::new();
    loop {
        // What is covered already never counts again, so that the lists only shrink.
        open.iter_mut().for_each(|(_, own)| own.retain(|&feature| !covered[feature as usize]));
        open.retain(|(_, own)| !own.is_empty());
        // The first of the best, so that the result follows from the order.
        let Some(best) = (0..open.len()).max_by_key(|&i| (open[i].1.len(), std::cmp::Reverse(i))) else {
            return picked;
        };
        let (item, own) = open.swap_remove(best);
        own.into_iter().for_each(|feature| covered[feature as usize] = true);
        picked.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn points(program: &str) -> Vec<Point> {
        let program = gw_programs::find(program).unwrap();
        let file = gw_lang::SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = gw_lang::compile_front(&file).unwrap_or_else(|_| panic!("{} compiles", program.name));
        gw_ir::program_points(&gw_ir::lower(&front.typed, program.source).unwrap())
    }

    /// The values that uniform sampling of the space finds must be among those covered.
    #[test]
    fn nothing_that_the_space_holds_is_missed() {
        let machine = Capabilities::everything("any");
        for program in ["bfs", "sssp-delta", "pagerank", "tc", "kcore"] {
            let points = points(program);
            let rows = Cover::new(&machine, 7).program(&points, None, |_| true);
            for point in &points {
                let Some(path) = &point.path else { continue };
                let covered: BTreeSet<String> =
                    rows.iter().filter_map(|row| row.schedule.get(path)).flat_map(features_of).collect();
                let space = gw_schedule::Space::new(&point.point, &machine);
                let simple = gw_schedule::Space::simple_only(&point.point, &machine);
                let sampled = space.sample(1, 300).into_iter().chain(simple.sample(2, 300));
                let missed: BTreeSet<String> =
                    sampled.flat_map(|s| features_of(&s)).filter(|f| !covered.contains(f)).collect();
                assert!(missed.is_empty(), "{program} {path}: {missed:?}");
            }
        }
    }

    #[test]
    fn every_schedule_is_legal_and_the_same_for_a_seed() {
        let machine = Capabilities::everything("any");
        for program in ["bfs", "astar", "cc-fast", "cf"] {
            let points = points(program);
            let rows = |seed| Cover::new(&machine, seed).program(&points, Some(40), |_| true);
            let texts = |seed| rows(seed).iter().map(|row| row.schedule.to_string()).collect::<Vec<_>>();
            assert_eq!(texts(3), texts(3));
            assert_ne!(texts(3), texts(4));
            for row in rows(3) {
                for point in &points {
                    let bound = row.schedule.bind(point.path.as_deref(), &point.point);
                    assert!(bound.is_ok(), "{program}: {} at {:?}: {bound:?}", row.schedule, point.path);
                }
            }
        }
    }

    #[test]
    fn covering_is_greedy_and_complete() {
        let items = vec![vec![1], vec![2, 3], vec![1, 2], vec![4, 1, 3]];
        assert_eq!(cover(items, Clone::clone), [vec![4, 1, 3], vec![2, 3]]);
    }
}
