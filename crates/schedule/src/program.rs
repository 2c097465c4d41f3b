//! The schedule of a whole program: one schedule per label, and transforms of the program itself.

use crate::name::{BadName, Label, Name};
use crate::schedule::Schedule;
use crate::tree::Tree;
use crate::value::word_axis;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

word_axis! {
    /// The family of machines a schedule was written for.
    Family {
        Cpu = "cpu": "multi-core CPUs",
        Gpu = "gpu": "GPUs",
        Swarm = "swarm": "ordered speculative tasks",
        HammerBlade = "hammerblade": "HammerBlade manycores",
    }
}

word_axis! {
    /// How a named vertex set is stored.
    SetForm {
        Sparse = "sparse": "a queue of ids",
        Dense = "dense": "a map over all vertices",
    }
}

/// A change of the program itself that a schedule asks for. Transforms apply in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Transform {
    /// Store these vectors as one array of structures (at least two).
    FuseFields(Vec<Name>),
    /// Replace a loop by two over its first `first_count` and next `second_count` iterations.
    SplitForLoop {
        /// The loop to split.
        target: Label,
        /// Label of the first part.
        first: Label,
        /// Label of the second part.
        second: Label,
        /// Iterations of the first part.
        first_count: u64,
        /// Iterations of the second part.
        second_count: u64,
    },
    /// Run two loops with constant bounds as one.
    FuseForLoop {
        /// The first loop.
        first: Label,
        /// The second loop.
        second: Label,
        /// Label of the fused loop.
        fused: Label,
    },
    /// Run the functions of two vertex operators in one.
    FuseApplyFunctions {
        /// The operator that stays.
        first: Label,
        /// The operator that goes.
        second: Label,
        /// Name of the new function.
        name: Name,
    },
    /// Store a named vertex set in this form.
    SetVertexSet {
        /// The set.
        name: Name,
        /// Its form.
        form: SetForm,
    },
}

/// The order in which a run numbers the vertices. The ids that a person gives and gets stay the person's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexOrder {
    /// By falling degree: what is read most lies together.
    Degree,
}

impl VertexOrder {
    /// All orders.
    pub const ALL: [VertexOrder; 1] = [VertexOrder::Degree];

    /// The word in a schedule.
    pub fn word(self) -> &'static str {
        match self {
            VertexOrder::Degree => "degree",
        }
    }
}

/// The schedule of a whole program.
///
/// ```
/// use gw_schedule::ProgramSchedule;
/// let p: ProgramSchedule = "s0:s1@push,lb=twce;s0@loop=fused".parse().unwrap();
/// assert_eq!(p.to_string(), "s0@loop=fused;s0:s1@push,lb=etwc");
/// let everywhere: ProgramSchedule = "pull,frontier=bitmap".parse().unwrap();
/// assert!(everywhere.everywhere().is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ProgramSchedule {
    family: Option<Family>,
    order: Option<VertexOrder>,
    transforms: Vec<Transform>,
    everywhere: Option<Schedule>,
    labels: BTreeMap<Label, Schedule>,
    trees: Trees,
}

/// The trees of choosers by name. A schedule is what its text says; its trees travel beside it, so schedules of the
/// same text are equal.
#[derive(Debug, Clone, Default)]
struct Trees(BTreeMap<Name, Arc<Tree>>);

impl PartialEq for Trees {
    fn eq(&self, _: &Trees) -> bool {
        true
    }
}
impl Eq for Trees {}
impl Hash for Trees {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl ProgramSchedule {
    /// Nothing said: every machine uses its defaults.
    pub fn new() -> ProgramSchedule {
        ProgramSchedule::default()
    }

    /// The machine family this was written for, if it says one.
    pub fn family(&self) -> Option<Family> {
        self.family
    }

    /// Says the machine family.
    pub fn set_family(&mut self, family: Option<Family>) {
        self.family = family;
    }

    /// The order in which vertices are numbered; as the graph has them, if not said.
    pub fn order(&self) -> Option<VertexOrder> {
        self.order
    }

    /// Says the order in which vertices are numbered.
    pub fn set_order(&mut self, order: Option<VertexOrder>) {
        self.order = order;
    }

    /// The tree that choosers of this name ask.
    pub fn tree(&self, name: &Name) -> Option<&Arc<Tree>> {
        self.trees.0.get(name)
    }

    /// Gives choosers of this name their tree.
    pub fn set_tree(&mut self, name: Name, tree: Arc<Tree>) {
        self.trees.0.insert(name, tree);
    }

    /// The transforms, in the order in which they apply.
    pub fn transforms(&self) -> &[Transform] {
        &self.transforms
    }

    /// Adds a transform after those already there.
    pub fn push_transform(&mut self, transform: Transform) {
        self.transforms.push(transform);
    }

    /// The schedule for every point without its own, where it is legal.
    pub fn everywhere(&self) -> Option<&Schedule> {
        self.everywhere.as_ref()
    }

    /// Sets the schedule for every point without its own. A default schedule is the same as none.
    pub fn set_everywhere(&mut self, schedule: Option<Schedule>) {
        self.everywhere = schedule.filter(|s| !s.is_default());
    }

    /// The labelled schedules, ordered by label.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = (&Label, &Schedule)> {
        self.labels.iter()
    }

    /// The schedule given to exactly this label path.
    pub fn get(&self, path: &str) -> Option<&Schedule> {
        self.labels.get(path)
    }

    /// As [`ProgramSchedule::get`], to be changed in place.
    pub fn get_mut(&mut self, path: &str) -> Option<&mut Schedule> {
        self.labels.get_mut(path)
    }

    /// Gives a label path its schedule, replacing an earlier one.
    pub fn set(&mut self, path: &str, schedule: impl Into<Schedule>) -> Result<(), BadName> {
        self.labels.insert(Label::new(path)?, schedule.into());
        Ok(())
    }

    /// As [`ProgramSchedule::set`] with a checked label.
    pub fn insert(&mut self, label: Label, schedule: impl Into<Schedule>) -> Option<Schedule> {
        self.labels.insert(label, schedule.into())
    }

    /// The schedule of a label path, made with nothing set if it is not there yet.
    pub fn entry(&mut self, label: Label) -> &mut Schedule {
        self.labels.entry(label).or_default()
    }

    /// Takes a label's schedule away.
    pub fn remove(&mut self, path: &str) -> Option<Schedule> {
        self.labels.remove(path)
    }

    /// Whether nothing was said at all.
    pub fn is_default(&self) -> bool {
        *self == ProgramSchedule::default()
    }
}

impl From<Schedule> for ProgramSchedule {
    /// The schedule applies everywhere it is legal.
    fn from(schedule: Schedule) -> Self {
        let mut program = ProgramSchedule::new();
        program.set_everywhere(Some(schedule));
        program
    }
}
