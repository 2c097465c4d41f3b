//! The table of measured steps: what comparisons, models and reports look at. Filled from the lab, or made up by tests.

use gw_schedule::Features;
use serde::Serialize;

use crate::switching::Switching;

/// Step times of several implementations on the same variants.
#[derive(Debug, Clone, Default)]
pub struct StepTable {
    /// The program all implementations run.
    pub program: String,
    /// The platform the times were taken on.
    pub platform: String,
    /// Who is compared; [`StepTimes::seconds`] has an entry for each.
    pub implementations: Vec<Implementation>,
    /// The graphs.
    pub graphs: Vec<TableGraph>,
    /// The variants: a graph and a way to run the program on it.
    pub variants: Vec<Variant>,
    /// What it costs to go from one implementation to another between two steps.
    pub switching: Switching,
}

impl StepTable {
    /// Leaves out implementations; `keep` has a word for each.
    pub fn keep_implementations(&mut self, keep: &[bool]) {
        self.switching.keep(keep);
        retain(&mut self.implementations, keep);
        for variant in &mut self.variants {
            retain(&mut variant.totals, keep);
            variant.steps.iter_mut().for_each(|step| retain(&mut step.seconds, keep));
        }
    }
}

/// Keeps the things whose place says so.
pub(crate) fn retain<T>(things: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    things.retain(|_| *keep.next().unwrap_or(&false));
}

/// A way to execute a program: a triple of program, schedule and target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Implementation {
    /// Its key in the lab.
    pub id: i64,
    /// Short name, such as `vertex-pull`; the canonical schedule when nobody named it.
    pub name: String,
    /// Canonical text of the program's schedule.
    pub schedule: String,
    /// The machine, such as `cpu` or `cuda`.
    pub target: String,
    /// Fixed schedules are labels of training; those that switch by a model are not.
    pub is_core: bool,
}

/// A graph of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableGraph {
    /// Its key in the lab.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The dataset it belongs to.
    pub dataset: String,
    /// Its class, such as `road`.
    pub class: String,
    /// Vertices.
    pub vertices: u64,
    /// Edges, as stored.
    pub edges: u64,
}

/// A graph and a way to run the program on it, with all its steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its key in the lab.
    pub id: i64,
    /// Place of its graph in [`StepTable::graphs`].
    pub graph: usize,
    /// The configuration, such as `root 17`.
    pub config: String,
    /// Mean seconds of the whole computation per implementation; NaN where it was not measured.
    pub totals: Vec<f64>,
    /// The steps in order.
    pub steps: Vec<StepTimes>,
}

/// One step of a variant.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTimes {
    /// What was known before the step.
    pub features: Features,
    /// Mean seconds per implementation; NaN where it was not measured.
    pub seconds: Vec<f64>,
}
