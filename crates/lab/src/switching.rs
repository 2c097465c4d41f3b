//! What switching costs: a step takes longer when another implementation ran before it, because the frontier has
//! another form and the caches hold other data. Measured by runs of models that name an implementation for every step
//! by its number alone: the same step was timed without switching, and the difference is the cost.

use gw_schedule::{Feature, Tree, TreeNode};
use serde::Serialize;

use crate::sheet::{Field, Sheet};
use crate::table::{StepTable, retain};
use graphwright::schedule::Adviser;

/// What it costs to go from one implementation to another.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SwitchCost {
    /// Seconds, whatever the graph.
    pub seconds: f64,
    /// Seconds per vertex of the graph.
    pub per_vertex: f64,
    /// Steps it was measured at; 0 when it follows from others.
    pub steps: usize,
}

impl SwitchCost {
    fn on(&self, vertices: u64) -> f64 {
        self.seconds + self.per_vertex * vertices as f64
    }
}

/// The costs between any two implementations of a table. Nothing was measured: nothing costs anything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Switching {
    /// By the place of the implementation before and of the one after; empty when nothing was measured.
    costs: Vec<Vec<SwitchCost>>,
    /// What they were worked out from, in the same order.
    samples: Vec<Vec<Vec<Sample>>>,
    /// The form of the frontier of each implementation.
    forms: Vec<String>,
}

/// A step that was measured with another implementation before it, and without.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    /// The place of its graph in the table.
    graph: usize,
    extra: f64,
    alone: f64,
    vertices: f64,
}

/// The share of samples that is left out at either end: interruptions of a machine that does other work beside.
const TRIMMED: f64 = 0.05;
/// Fewer samples tell nothing.
const FEW: usize = 10;

impl Switching {
    /// Works out the costs from the runs of models in a table. `models` has the model of each implementation that is
    /// one.
    pub fn measured(table: &StepTable, models: &[Option<Adviser>]) -> Switching {
        let count = table.implementations.len();
        let mut samples: Vec<Vec<Vec<Sample>>> = vec![vec![Vec::new(); count]; count];
        for (run, adviser) in models.iter().enumerate() {
            let Some(adviser) = adviser.as_ref().filter(|adviser| is_by_number(&adviser.tree)) else { continue };
            let place = |name: &str| table.implementations.iter().position(|i| i.is_core && i.name == name);
            let places: Vec<Option<usize>> = adviser.candidates.iter().map(|c| place(&c.name)).collect();
            for variant in &table.variants {
                let vertices = table.graphs[variant.graph].vertices as f64;
                let chosen = |step: usize| {
                    let answer = adviser.tree.decide(|f| variant.steps[step].features[f.index()]);
                    answer.candidate.and_then(|candidate| places.get(candidate).copied().flatten())
                };
                for step in 1..variant.steps.len() {
                    let (Some(from), Some(to)) = (chosen(step - 1), chosen(step)) else { continue };
                    let (together, alone) = (variant.steps[step].seconds[run], variant.steps[step].seconds[to]);
                    if together.is_finite() && alone > 0.0 {
                        let extra = together - alone;
                        samples[from][to].push(Sample { graph: variant.graph, extra, alone, vertices });
                    }
                }
            }
        }
        let forms: Vec<String> = table.implementations.iter().map(|i| form(&i.schedule)).collect();
        Switching::fitted(samples, forms)
    }

    /// As if only these graphs had been measured: whoever learns from some graphs must not know what switching costs
    /// on others.
    pub fn on_graphs(&self, is_in: impl Fn(usize) -> bool) -> Switching {
        let some = |samples: &Vec<Sample>| samples.iter().copied().filter(|s| is_in(s.graph)).collect();
        let samples = self.samples.iter().map(|row| row.iter().map(some).collect()).collect();
        Switching::fitted(samples, self.forms.clone())
    }

    fn fitted(samples: Vec<Vec<Vec<Sample>>>, forms: Vec<String>) -> Switching {
        let found: Vec<Vec<Option<SwitchCost>>> =
            samples.iter().map(|row| row.iter().map(|samples| fit(samples.clone())).collect()).collect();
        if found.iter().flatten().all(Option::is_none) {
            return Switching::default();
        }
        let place = |from: usize, to: usize| found[from][to].unwrap_or_else(|| alike(&found, &forms, from, to));
        let costs = (0..forms.len()).map(|from| (0..forms.len()).map(|to| place(from, to)).collect()).collect();
        Switching { costs, samples, forms }
    }

    /// Whether anything was measured.
    pub fn is_known(&self) -> bool {
        !self.costs.is_empty()
    }

    /// Seconds from one implementation to another on a graph with so many vertices.
    pub fn seconds(&self, from: usize, to: usize, vertices: u64) -> f64 {
        self.costs.get(from).and_then(|row| row.get(to)).map_or(0.0, |cost| cost.on(vertices))
    }

    /// Leaves out implementations, as the table does.
    pub(crate) fn keep(&mut self, keep: &[bool]) {
        if !self.is_known() {
            return;
        }
        retain(&mut self.costs, keep);
        self.costs.iter_mut().for_each(|row| retain(row, keep));
        retain(&mut self.samples, keep);
        self.samples.iter_mut().for_each(|row| retain(row, keep));
        retain(&mut self.forms, keep);
    }

    /// The costs that were measured.
    pub fn rows(&self, table: &StepTable) -> Vec<SwitchRow> {
        let name = |place: usize| table.implementations[place].name.clone();
        let all = self.costs.iter().enumerate().flat_map(|(from, row)| row.iter().enumerate().map(move |c| (from, c)));
        all.filter(|(_, (_, cost))| cost.steps > 0)
            .map(|(from, (to, &cost))| SwitchRow { from: name(from), to: name(to), cost })
            .collect()
    }
}

/// A measured cost, with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SwitchRow {
    /// What ran before.
    pub from: String,
    /// What runs now.
    pub to: String,
    /// What that costs.
    #[serde(flatten)]
    pub cost: SwitchCost,
}

impl SwitchRow {
    /// The rows as a table.
    pub fn sheet(rows: &[SwitchRow]) -> Sheet {
        let mut sheet = Sheet::new(["From", "To", "us", "us per 1000 vertices", "Steps"]);
        for SwitchRow { from, to, cost } in rows {
            sheet.rows.push(vec![
                Field::Text(from.clone()),
                Field::Text(to.clone()),
                Field::Real(1e6 * cost.seconds),
                Field::Real(1e9 * cost.per_vertex),
                Field::Integer(cost.steps as i64),
            ]);
        }
        sheet
    }
}

/// Whether a tree looks at the number of the step alone, so that it is known what ran: no guard changes its answers.
fn is_by_number(tree: &Tree) -> bool {
    let is_sure = |node: &TreeNode| match node {
        TreeNode::Leaf(leaf) => leaf.candidates.len() == 1 && !leaf.weak,
        TreeNode::Split { feature, .. } => *feature == Feature::Iteration,
    };
    tree.costs().is_empty() && tree.nodes().iter().all(is_sure)
}

/// What a schedule says about the form of the frontier: switching between the same forms costs about the same.
fn form(schedule: &str) -> String {
    let says = |word: &&str| word.starts_with("frontier=") || word.starts_with("create=");
    schedule.split(',').filter(says).collect::<Vec<_>>().join(",")
}

/// The cost of a pair that was not measured: the mean of those between the same forms; between two of one form, where
/// nothing is converted, that of staying with such a form; else the mean of all. Staying is compared with staying
/// only: asking a model costs something even if nothing changes, and for all alike.
fn alike(found: &[Vec<Option<SwitchCost>>], forms: &[String], from: usize, to: usize) -> SwitchCost {
    let mean = |is_like: &dyn Fn(usize, usize) -> bool| {
        let row = |a: usize| found[a].iter().enumerate().filter_map(move |(b, cost)| cost.map(|cost| (a, b, cost)));
        let pairs = (0..found.len()).flat_map(row).filter(|&(a, b, _)| is_like(a, b));
        let costs: Vec<SwitchCost> = pairs.map(|(.., cost)| cost).collect();
        let mean = |of: fn(&SwitchCost) -> f64| costs.iter().map(of).sum::<f64>() / costs.len() as f64;
        let seconds = mean(|cost| cost.seconds);
        (!costs.is_empty()).then(|| SwitchCost { seconds, per_vertex: mean(|cost| cost.per_vertex), steps: 0 })
    };
    let is_alike = |a: usize, b: usize| (a == b) == (from == to);
    mean(&|a, b| is_alike(a, b) && forms[a] == forms[from] && forms[b] == forms[to])
        .or_else(|| mean(&|a, b| forms[from] == forms[to] && a == b && forms[a] == forms[from]))
        .or_else(|| mean(&is_alike))
        .unwrap_or_default()
}

/// The factors, not negative, that explain the samples best: least squares of the error as a share of the step.
fn fit(mut samples: Vec<Sample>) -> Option<SwitchCost> {
    if samples.len() < FEW {
        return None;
    }
    let steps = samples.len();
    samples.sort_by(|a, b| (a.extra / a.alone).total_cmp(&(b.extra / b.alone)));
    let cut = (TRIMMED * steps as f64) as usize;
    let samples = &samples[cut..steps - cut];
    let sum = |of: &dyn Fn(&Sample) -> f64| samples.iter().map(|s| of(s) / (s.alone * s.alone)).sum::<f64>();
    let (ones, vertices, squares) = (sum(&|_| 1.0), sum(&|s| s.vertices), sum(&|s| s.vertices * s.vertices));
    let (extra, slope) = (sum(&|s| s.extra), sum(&|s| s.extra * s.vertices));
    let determinant = ones * squares - vertices * vertices;
    let both = (determinant > 1e-9 * ones * squares)
        .then(|| ((extra * squares - slope * vertices) / determinant, (ones * slope - vertices * extra) / determinant));
    let lost = |(a, b): (f64, f64)| sum(&|s| (s.extra - a - b * s.vertices).powi(2));
    let tried = [both, Some((extra / ones, 0.0)), (squares > 0.0).then(|| (0.0, slope / squares)), Some((0.0, 0.0))];
    let fits = tried.into_iter().flatten().filter(|(a, b)| *a >= 0.0 && *b >= 0.0);
    let (seconds, per_vertex) = fits.min_by(|&a, &b| lost(a).total_cmp(&lost(b)))?;
    Some(SwitchCost { seconds, per_vertex, steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Implementation, StepTimes, TableGraph, Variant};

    /// Two implementations that take 10 and 20 us, a third of the form of the second, and a model that alternates.
    /// Going from 0 to 1 takes 5 us and 1 ns per vertex, going back nothing.
    fn table() -> (StepTable, Vec<Option<Adviser>>) {
        let implementation = |id: i64, name: &str, schedule: &str| Implementation {
            id,
            name: name.into(),
            schedule: schedule.into(),
            target: "cpu".into(),
            is_core: !name.starts_with("alt"),
        };
        let queue = "s0:s1@push,create=fused";
        let map = "s0:s1@pull,frontier=bitmap,create=unfused-bitmap";
        let mut table = StepTable {
            implementations: vec![
                implementation(1, "queue", queue),
                implementation(2, "map", map),
                implementation(3, "other-map", "s0:s1@pull,par=serial,frontier=bitmap,create=unfused-bitmap"),
                implementation(4, "alt", "adaptive:alt"),
            ],
            ..StepTable::default()
        };
        for (g, vertices) in [1000u64, 50_000, 200_000].into_iter().enumerate() {
            let name = format!("g{g}");
            table.graphs.push(TableGraph {
                id: g as i64,
                name,
                dataset: "d".into(),
                class: String::new(),
                vertices,
                edges: 1,
            });
            let steps = (0..20)
                .map(|i| {
                    let mut features = [0.0; Feature::COUNT];
                    features[Feature::Iteration.index()] = i as f64;
                    let to_map = 25e-6 + 1e-9 * vertices as f64;
                    let switched = if i % 2 == 0 { 10e-6 } else { to_map };
                    StepTimes { features, seconds: vec![10e-6, 20e-6, 30e-6, switched] }
                })
                .collect();
            table.variants.push(Variant { id: g as i64, graph: g, config: "x".into(), totals: vec![0.0; 4], steps });
        }
        let choices: Vec<u16> = (0..20).map(|i| i % 2).collect();
        let text = format!(
            r#"{{"name": "alt", "program": "bfs-levels", "target": "cpu", "label": "s0:s1", "candidates": [
                {{"name": "queue", "schedule": "{queue}"}}, {{"name": "map", "schedule": "{map}"}}], "tree": "{}"}}"#,
            Tree::replay(&choices)
        );
        (table, vec![None, None, None, Some(Adviser::parse("alt", &text).unwrap())])
    }

    #[test]
    fn costs_come_back_as_they_were_put_in() {
        let (table, models) = table();
        let mut switching = Switching::measured(&table, &models);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(switching.seconds(0, 1, 100_000), 105e-6), "{}", switching.seconds(0, 1, 100_000));
        assert!(near(switching.seconds(1, 0, 100_000), 0.0));
        // The same forms.
        assert!(near(switching.seconds(0, 2, 100_000), 105e-6));
        assert!(near(switching.on_graphs(|g| g != 1).seconds(0, 1, 100_000), 105e-6));
        assert!(!switching.on_graphs(|_| false).is_known());
        assert_eq!(switching.seconds(1, 1, 7), 0.0);
        assert_eq!(SwitchRow::sheet(&switching.rows(&table)).rows.len(), 2);
        switching.keep(&[false, true, true, false]);
        assert!(near(switching.seconds(0, 1, 1000), switching.seconds(1, 0, 1000)));
    }

    #[test]
    fn between_schedules_of_one_form_it_costs_as_much_as_to_stay() {
        let (mut table, mut models) = table();
        table.implementations[0].schedule = table.implementations[2].schedule.clone();
        // 0 0 1 1 0 0 1 1: every other step stays, at 2 us.
        models[3].as_mut().unwrap().tree = Tree::replay(&(0..20).map(|i| i / 2 % 2).collect::<Vec<u16>>());
        for variant in &mut table.variants {
            for (i, step) in variant.steps.iter_mut().enumerate() {
                step.seconds[3] = step.seconds[i / 2 % 2] + if i % 2 == 0 { 50e-6 } else { 2e-6 };
            }
        }
        table.implementations[1].schedule = "s0:s1@push,create=fused".into();
        let switching = Switching::measured(&table, &models);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(switching.seconds(0, 1, 1000), 50e-6) && near(switching.seconds(0, 0, 1000), 2e-6));
        // 2 has the form of 0, and nobody went from one to the other.
        assert!(near(switching.seconds(0, 2, 1000), 2e-6), "{}", switching.seconds(0, 2, 1000));
        assert!(near(switching.seconds(2, 1, 1000), 50e-6));
    }

    #[test]
    fn models_that_look_at_sizes_tell_nothing() {
        let (table, mut models) = table();
        models[3].as_mut().unwrap().tree = "(frontier<=5?0:1)".parse().unwrap();
        let switching = Switching::measured(&table, &models);
        assert!(!switching.is_known() && switching.seconds(0, 1, 5) == 0.0);
    }
}
