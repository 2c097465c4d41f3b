//! What the script of the page is given: names, totals and steps, in the words that the script uses.

use std::collections::BTreeMap;

use gw_schedule::{AxisValue, Feature, TreeNode};
use serde::{Serialize, Serializer};

use super::predict::Chooser;
use super::sample::{self, Sample};
use super::tables::{complete, models_of, shown_name};
use super::{ReportData, ReportModel, worth};
use crate::{StepTable, Variant};

/// A number with 4 significant digits; NaN is `null`.
#[derive(Debug, Clone, Copy)]
struct Short(f64);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            number if !number.is_finite() => serializer.serialize_none(),
            number if number.fract() == 0.0 && number.abs() < 1e4 => serializer.serialize_i64(number as i64),
            number => serializer.serialize_f64(format!("{number:.3e}").parse().unwrap_or(number)),
        }
    }
}

fn short(numbers: impl IntoIterator<Item = f64>) -> Vec<Short> {
    numbers.into_iter().map(Short).collect()
}

/// The whole page.
#[derive(Serialize)]
pub(super) struct Page<'d> {
    title: &'d str,
    created: &'d str,
    version: &'static str,
    /// What features mean.
    features: BTreeMap<&'static str, &'static str>,
    tables: Vec<PageTable<'d>>,
    models: Vec<PageModel<'d>>,
    notes: &'d [String],
}

#[derive(Serialize)]
struct PageTable<'d> {
    program: &'d str,
    platform: &'d str,
    implementations: Vec<PageImplementation<'d>>,
    graphs: Vec<PageGraph<'d>>,
    variants: PageVariants<'d>,
    /// By place of the variant in `variants`.
    steps: BTreeMap<usize, PageSteps>,
    /// What a reader must know about what is not in the page.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct PageImplementation<'d> {
    name: &'d str,
    schedule: &'d str,
    target: &'d str,
    core: bool,
}

#[derive(Serialize)]
struct PageGraph<'d> {
    name: &'d str,
    dataset: &'d str,
    class: &'d str,
    vertices: u64,
    edges: u64,
}

/// Variants, a list per property.
#[derive(Serialize, Default)]
struct PageVariants<'d> {
    graph: Vec<usize>,
    config: Vec<&'d str>,
    steps: Vec<usize>,
    optimum: Vec<Short>,
    /// Seconds per variant and implementation.
    time: Vec<Vec<Short>>,
}

/// The bars of a variant: a step each, or several.
#[derive(Serialize)]
struct PageSteps {
    from: Vec<usize>,
    to: Vec<usize>,
    frontier: Vec<Short>,
    edges: Vec<Short>,
    /// Seconds per bar and implementation.
    time: Vec<Vec<Short>>,
    /// By place of the model.
    models: BTreeMap<usize, PageChoices>,
}

#[derive(Serialize)]
struct PageChoices {
    time: Vec<Short>,
    /// The implementation of each bar; none when its steps differ.
    chosen: Vec<Option<usize>>,
}

#[derive(Serialize)]
struct PageModel<'d> {
    name: String,
    table: usize,
    nodes: Vec<PageNode>,
    candidates: &'d [String],
    /// Candidates that the table does not have.
    missing: Vec<&'d str>,
    importance: Vec<(&'d str, Short)>,
    /// Seconds per variant.
    predicted: Vec<Short>,
    /// Graphs not seen in training.
    unseen: Option<Vec<usize>>,
}

#[derive(Serialize)]
struct PageNode {
    /// Measured steps that come here.
    steps: usize,
    #[serde(flatten)]
    kind: PageNodeKind,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PageNodeKind {
    Split { feature: &'static str, threshold: Short, left: u32, right: u32 },
    Leaf { candidates: Vec<u16>, weak: bool },
}

impl<'d> Page<'d> {
    /// Everything that the script draws.
    pub fn of(data: &'d ReportData) -> Page<'d> {
        let mut page = Page {
            title: &data.title,
            created: &data.created,
            version: env!("CARGO_PKG_VERSION"),
            features: Feature::rows().into_iter().map(|row| (row.word, row.line)).collect(),
            tables: Vec::new(),
            models: Vec::new(),
            notes: &data.notes,
        };
        for table in data.tables.iter().filter(|table| !table.variants.is_empty()) {
            page.add(table, &models_of(data, table));
        }
        page
    }

    fn add(&mut self, table: &'d StepTable, models: &[&'d ReportModel]) {
        let complete = complete(table);
        let wanted: Vec<usize> = worth::worth_a_look(table, &complete).iter().map(|found| found.variant).collect();
        let sample = sample::sample(table, &complete, &wanted);
        let shown = Shown::new(table, &complete, &sample);
        let choosers: Vec<Chooser> = models.iter().map(|model| Chooser::new(model, table)).collect();
        let first = self.models.len();
        for (model, chooser) in models.iter().zip(&choosers) {
            self.models.push(shown.model(model, chooser, self.tables.len()));
        }
        self.tables.push(shown.table(&choosers, first));
    }
}

/// What is shown of a table.
struct Shown<'d, 's> {
    table: &'d StepTable,
    complete: &'s [usize],
    sample: &'s Sample,
    /// Places of the implementations that were measured at all.
    implementations: Vec<usize>,
    core: Vec<usize>,
}

impl<'d, 's> Shown<'d, 's> {
    fn new(table: &'d StepTable, complete: &'s [usize], sample: &'s Sample) -> Shown<'d, 's> {
        let measured = |i: &usize| complete.iter().any(|&variant| table.variants[variant].seconds(*i).is_finite());
        let implementations = (0..table.implementations.len()).filter(measured).collect();
        Shown { table, complete, sample, implementations, core: table.core() }
    }

    fn variants(&self) -> impl Iterator<Item = &'d Variant> {
        self.sample.variants.iter().map(|&place| &self.table.variants[place])
    }

    /// The place of an implementation in the page.
    fn place(&self, implementation: usize) -> Option<usize> {
        self.implementations.iter().position(|&i| i == implementation)
    }

    fn table(&self, choosers: &[Chooser], first_model: usize) -> PageTable<'d> {
        let table = self.table;
        let implementation = |&i: &usize| {
            let one = &table.implementations[i];
            PageImplementation { name: &one.name, schedule: &one.schedule, target: &one.target, core: one.is_core }
        };
        let graph = |graph: &'d crate::TableGraph| PageGraph {
            name: &graph.name,
            dataset: &graph.dataset,
            class: &graph.class,
            vertices: graph.vertices,
            edges: graph.edges,
        };
        let mut variants = PageVariants::default();
        let mut steps = BTreeMap::new();
        for (place, (&number, variant)) in self.sample.variants.iter().zip(self.variants()).enumerate() {
            variants.graph.push(variant.graph);
            variants.config.push(&variant.config);
            variants.steps.push(variant.steps.len());
            variants.optimum.push(Short(variant.optimal_seconds(&self.core)));
            variants.time.push(short(self.implementations.iter().map(|&i| variant.seconds(i))));
            if self.sample.steps.binary_search(&number).is_ok() {
                steps.insert(place, self.steps(variant, choosers, first_model));
            }
        }
        PageTable {
            program: &table.program,
            platform: &table.platform,
            implementations: self.implementations.iter().map(implementation).collect(),
            graphs: table.graphs.iter().map(graph).collect(),
            variants,
            steps,
            notes: self.notes(),
        }
    }

    fn steps(&self, variant: &Variant, choosers: &[Chooser], first_model: usize) -> PageSteps {
        let bars = sample::bars(variant.steps.len());
        let summed = |values: &[f64]| short(bars.iter().map(|&(from, to)| values[from..=to].iter().sum()));
        let greatest = |feature: Feature| {
            let value = |step: &crate::StepTimes| step.features[feature.index()];
            short(bars.iter().map(|&(from, to)| variant.steps[from..=to].iter().map(value).fold(0.0, f64::max)))
        };
        let time = |&(from, to): &(usize, usize)| {
            let sum = |&i: &usize| variant.steps[from..=to].iter().map(|step| step.seconds[i]).sum();
            short(self.implementations.iter().map(sum))
        };
        let choices = |chooser: &Chooser| {
            let chosen = chooser.choices(&variant.steps);
            let seconds = Chooser::seconds(&chosen, &variant.steps);
            let same = |&(from, to): &(usize, usize)| {
                let first = chosen[from]?;
                chosen[from..=to].iter().all(|&one| one == Some(first)).then(|| self.place(first)).flatten()
            };
            PageChoices { time: summed(&seconds), chosen: bars.iter().map(same).collect() }
        };
        PageSteps {
            from: bars.iter().map(|bar| bar.0).collect(),
            to: bars.iter().map(|bar| bar.1).collect(),
            frontier: greatest(Feature::Frontier),
            edges: greatest(Feature::FrontierEdges),
            time: bars.iter().map(time).collect(),
            models: choosers.iter().enumerate().map(|(i, chooser)| (first_model + i, choices(chooser))).collect(),
        }
    }

    fn model(&self, model: &'d ReportModel, chooser: &Chooser, table: usize) -> PageModel<'d> {
        let tree = &model.tree;
        let mut steps = vec![0; tree.nodes().len()];
        for step in self.complete.iter().flat_map(|&variant| &self.table.variants[variant].steps) {
            // From the root to the leaf, counting.
            let mut at = 0;
            while let TreeNode::Split { feature, threshold, left, right } = &tree.nodes()[at] {
                steps[at] += 1;
                at = if step.features[feature.index()] <= *threshold { *left } else { *right } as usize;
            }
            steps[at] += 1;
        }
        let node = |(node, steps): (&TreeNode, usize)| {
            let kind = match node {
                TreeNode::Split { feature, threshold, left, right } => PageNodeKind::Split {
                    feature: feature.word(),
                    threshold: Short(*threshold),
                    left: *left,
                    right: *right,
                },
                TreeNode::Leaf(leaf) => PageNodeKind::Leaf { candidates: leaf.candidates.clone(), weak: leaf.weak },
            };
            PageNode { steps, kind }
        };
        let has = |name: &str| self.table.implementations.iter().any(|one| one.name == name || one.schedule == name);
        let unseen = model.unseen.as_ref().map(|names| {
            let graphs = self.table.graphs.iter().enumerate();
            graphs.filter(|(_, graph)| names.contains(&graph.name)).map(|(place, _)| place).collect()
        });
        PageModel {
            name: shown_name(model, self.table),
            table,
            nodes: tree.nodes().iter().zip(steps).map(node).collect(),
            candidates: &model.candidates,
            missing: model.candidates.iter().map(String::as_str).filter(|name| !has(name)).collect(),
            importance: model.importance.iter().map(|(name, share)| (name.as_str(), Short(*share))).collect(),
            predicted: short(self.variants().map(|variant| chooser.total(&variant.steps))),
            unseen,
        }
    }

    fn notes(&self) -> Vec<String> {
        let (all, complete, shown) = (self.table.variants.len(), self.complete.len(), self.sample.variants.len());
        let mut notes = Vec::new();
        if complete < all {
            let count = all - complete;
            notes.push(format!(
                "{count} of {all} variants are left out: not every fixed implementation was measured there."
            ));
        }
        let names = (0..self.table.implementations.len()).filter(|i| !self.implementations.contains(i));
        let names: Vec<&str> = names.map(|i| self.table.implementations[i].name.as_str()).collect();
        if !names.is_empty() {
            notes.push(format!("Not measured, so not shown: {}.", names.join(", ")));
        }
        if shown < complete {
            notes.push(format!(
                "{shown} of {complete} variants are in this page, some of every graph, to keep it small."
            ));
        }
        if self.sample.steps.len() < shown {
            let count = self.sample.steps.len();
            notes.push(format!("Single steps of {count} of {shown} variants are in this page, to keep it small."));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = |number: f64| serde_json::to_string(&Short(number)).unwrap();
        assert_eq!(shown(0.000012345678), "0.00001235");
        assert_eq!(shown(123_456.7), "123500.0");
        assert_eq!(shown(17.0), "17");
        assert_eq!(shown(0.1 + 0.2), "0.3");
        assert_eq!(shown(f64::NAN), "null");
    }
}
