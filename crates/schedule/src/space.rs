//! The space of schedules of one program point: counted, indexed, walked and sampled.
//!
//! The space is a layered graph, one layer per axis. A node holds the choices that are legal after
//! the choices above it, and how many schedules lie below each. Two nodes of a layer are one when
//! no later rule can tell them apart ([`Steering`]), so the graph stays small while the number of
//! schedules runs into billions; counting and indexing only walk one path.

use crate::axis::*;
use crate::capability::Capabilities;
use crate::param::{Fraction, Param, Threshold};
use crate::point::{PointKind, ProgramPoint};
use crate::rng::SplitMix;
use crate::schedule::{Criterion, Hybrid, Schedule};
use crate::simple::{Axis, SimpleSchedule};
use std::collections::{BTreeSet, HashMap};

/// The thresholds tried for hybrid schedules.
pub const THRESHOLDS: [Fraction; 4] =
    [Fraction::ratio(1, 100), Fraction::ratio(1, 20), Fraction::ratio(3, 20), Fraction::ratio(1, 2)];

/// All legal schedules of a program point that a machine can execute.
///
/// Simple schedules come first, each with every axis set that has a meaning beside the others
/// (`hubs`, `block` and `segments`, which are off when unset, also stay unset; `par` and `lb` exclude each
/// other). Then the hybrids of an edge operator: push first, another direction second, for every
/// criterion the machine can evaluate and every threshold of [`THRESHOLDS`]. Numeric axes run over
/// the short lists of [`Axis::representatives`]. Adaptive schedules are not enumerated: a trained
/// model is not a point of a list.
///
/// ```
/// use gw_schedule::{Capabilities, PointKind, ProgramPoint, Space};
/// let point = ProgramPoint::new(PointKind::Intersection);
/// let space = Space::new(&point, &Capabilities::everything("any"));
/// let all: Vec<String> = space.iter().map(|s| s.to_string()).collect();
/// assert_eq!(all[0], "intersect=naive");
/// assert_eq!(space.count(), 5);
/// ```
#[derive(Debug, Clone)]
pub struct Space {
    nodes: Vec<Node>,
    root: usize,
    /// Criterion and threshold pairs of the hybrids.
    switches: Vec<(Criterion, Threshold)>,
}

#[derive(Debug, Clone)]
struct Node {
    axis: Axis,
    choices: Vec<Choice>,
    count: u128,
}

#[derive(Debug, Clone)]
struct Choice {
    /// A schedule with only this axis set, or nothing set.
    patch: SimpleSchedule,
    /// The node of the next layer; `None` after the last.
    child: Option<usize>,
    count: u128,
}

impl Space {
    /// The space of a point on a machine.
    pub fn new(point: &ProgramPoint, machine: &Capabilities) -> Space {
        let mut space = Space::simple_only(point, machine);
        if point.kind != PointKind::EdgeOperator {
            return space;
        }
        let (Some(first), Some(second)) =
            (space.firsts().map(|c| space.walk_choice(c, 0)), space.seconds().next().map(|c| space.walk_choice(c, 0)))
        else {
            return space;
        };
        for &criterion in machine.criteria() {
            for threshold in THRESHOLDS.map(Param::Value) {
                let hybrid = Hybrid { criterion, threshold, first, second };
                if Schedule::from(hybrid).legal(point).is_ok() {
                    space.switches.push((criterion, threshold));
                }
            }
        }
        space
    }

    /// The simple schedules alone.
    pub fn simple_only(point: &ProgramPoint, machine: &Capabilities) -> Space {
        let mut builder = Builder { point, machine, nodes: Vec::new(), known: HashMap::new() };
        let root = builder.node(0, &SimpleSchedule::default());
        Space { nodes: builder.nodes, root, switches: Vec::new() }
    }

    /// The number of schedules.
    pub fn count(&self) -> u128 {
        self.simple_count() + self.hybrid_count()
    }

    /// The number of simple schedules.
    pub fn simple_count(&self) -> u128 {
        self.nodes[self.root].count
    }

    /// The number of hybrid schedules.
    pub fn hybrid_count(&self) -> u128 {
        let firsts = self.firsts().map_or(0, |c| c.count);
        let seconds: u128 = self.seconds().map(|c| c.count).sum();
        self.switches.len() as u128 * firsts * seconds
    }

    /// The schedule at an index below [`Space::count`].
    pub fn get(&self, index: u128) -> Option<Schedule> {
        if index < self.simple_count() {
            return Some(self.walk(self.root, index).into());
        }
        let mut index = index - self.simple_count();
        if index >= self.hybrid_count() {
            return None;
        }
        let firsts = self.firsts()?;
        let seconds: u128 = self.seconds().map(|c| c.count).sum();
        let (criterion, threshold) = self.switches[(index / (firsts.count * seconds)) as usize];
        index %= firsts.count * seconds;
        let first = self.walk_choice(firsts, index / seconds);
        let mut rest = index % seconds;
        for choice in self.seconds() {
            if rest < choice.count {
                let second = self.walk_choice(choice, rest);
                return Some(Schedule::Hybrid(Hybrid { criterion, threshold, first, second }));
            }
            rest -= choice.count;
        }
        None
    }

    /// All schedules in index order, made as they are asked for.
    pub fn iter(&self) -> impl Iterator<Item = Schedule> + '_ {
        (0..self.count()).filter_map(|index| self.get(index))
    }

    /// `n` different schedules drawn evenly, the same for the same seed; the whole space in order
    /// when it has no more than `n`.
    ///
    /// Hybrids outnumber simple schedules by far: draw from [`Space::simple_only`] too when both
    /// are wanted.
    pub fn sample(&self, seed: u64, n: usize) -> Vec<Schedule> {
        let count = self.count();
        if count <= n as u128 {
            return self.iter().collect();
        }
        let mut random = SplitMix::new(seed);
        let mut seen = BTreeSet::new();
        let mut drawn = Vec::with_capacity(n);
        while drawn.len() < n {
            let index = random.below(count);
            if seen.insert(index) {
                drawn.extend(self.get(index));
            }
        }
        drawn
    }

    /// The root's choice of push, when directions are chosen at all.
    fn firsts(&self) -> Option<&Choice> {
        let mut choices = self.nodes[self.root].choices.iter();
        choices.find(|c| c.patch.direction == Some(Direction::Push))
    }

    /// The root's choices of other directions.
    fn seconds(&self) -> impl Iterator<Item = &Choice> {
        let choices = self.nodes[self.root].choices.iter();
        choices.filter(|c| c.patch.direction.is_some_and(|d| d != Direction::Push))
    }

    fn walk_choice(&self, choice: &Choice, index: u128) -> SimpleSchedule {
        let below = choice.child.map(|child| self.walk(child, index));
        choice.patch.or(&below.unwrap_or_default())
    }

    fn walk(&self, root: usize, mut index: u128) -> SimpleSchedule {
        let mut schedule = SimpleSchedule::default();
        let mut at = Some(root);
        while let Some(i) = at {
            let node = &self.nodes[i];
            at = None;
            for choice in &node.choices {
                if index < choice.count {
                    schedule.copy_axis(node.axis, &choice.patch);
                    at = choice.child;
                    break;
                }
                index -= choice.count;
            }
        }
        schedule
    }
}

/// What later rules look at in the choices made so far. A rule of `legality` that looks at
/// something else must add it here; the tests compare with filtering the plain product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Steering {
    direction: Option<Direction>,
    parallelism: Option<Parallelism>,
    grain: bool,
    load_balance: bool,
    /// What the rule about hubs sees of it.
    by_device: bool,
    of_tasks: bool,
    edge_only: bool,
    edge_list: bool,
    update: Option<PriorityUpdate>,
    creation: Option<FrontierCreation>,
    dedup: Option<Dedup>,
    drops_leaves: bool,
    segments: bool,
}

impl Steering {
    fn of(s: &SimpleSchedule) -> Steering {
        Steering {
            direction: s.direction,
            parallelism: s.parallelism,
            grain: s.grain.is_some(),
            load_balance: s.load_balance.is_some(),
            by_device: s.load_balance.is_some_and(LoadBalance::shares_lists_by_device),
            of_tasks: matches!(
                s.load_balance,
                Some(LoadBalance::EdgeBased | LoadBalance::Aligned | LoadBalance::Blocking)
            ),
            edge_only: s.load_balance == Some(LoadBalance::EdgeOnly),
            edge_list: s.edges.is_some_and(EdgeForm::is_edge_list),
            update: s.update,
            creation: s.creation,
            dedup: s.dedup,
            drops_leaves: s.leaves == Some(Leaves::Drop),
            segments: s.segments.is_some(),
        }
    }
}

struct Builder<'a> {
    point: &'a ProgramPoint,
    machine: &'a Capabilities,
    nodes: Vec<Node>,
    known: HashMap<(usize, Steering), usize>,
}

impl Builder<'_> {
    /// The node of a layer after the choices in `so_far`.
    fn node(&mut self, layer: usize, so_far: &SimpleSchedule) -> usize {
        let key = (layer, Steering::of(so_far));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let axis = Axis::ALL[layer];
        let mut choices = Vec::new();
        for patch in self.patches(axis, so_far) {
            let mut with = *so_far;
            with.copy_axis(axis, &patch);
            let last = layer + 1 == Axis::ALL.len();
            let child = (!last).then(|| self.node(layer + 1, &with));
            let count = child.map_or(1, |c| self.nodes[c].count);
            choices.push(Choice { patch, child, count });
        }
        let count = choices.iter().map(|c| c.count).sum();
        self.nodes.push(Node { axis, choices, count });
        let index = self.nodes.len() - 1;
        self.known.insert(key, index);
        index
    }

    /// What may be chosen for an axis: its legal values, and nothing where that is a choice too.
    fn patches(&self, axis: Axis, so_far: &SimpleSchedule) -> Vec<SimpleSchedule> {
        let unset = SimpleSchedule::default();
        if !axis.applies_to().contains(&self.point.kind) {
            return vec![unset];
        }
        let rival = self.machine.knows(Axis::LoadBalance) && Axis::LoadBalance.applies_to().contains(&self.point.kind);
        // The branch without `par` is the branch of `lb`, which `grain` would close.
        if axis == Axis::Grain && rival && so_far.parallelism.is_none() {
            return vec![unset];
        }
        let mut patches = self.machine.representatives(axis);
        patches.retain(|patch| {
            let mut with = *so_far;
            with.copy_axis(axis, patch);
            with.legal(self.point).is_ok()
        });
        let optional = match axis {
            Axis::Hubs | Axis::Block | Axis::Segments => true,
            Axis::Parallelism => rival,
            _ => false,
        };
        if optional || patches.is_empty() {
            patches.insert(0, unset);
        }
        patches
    }
}
