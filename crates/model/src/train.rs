//! From a table of measured steps to a model.

use gw_lab::{StepTable, Switching};
use gw_schedule::{Cost, Feature, Label, Leaf, Name, ProgramSchedule, Schedule, Tree, TreeNode};
use serde::{Deserialize, Serialize};

use crate::candidates;
use crate::cost;
use crate::data::{Data, least, weights};
use crate::error::{ModelError, Result};
use crate::evaluate;
use crate::grow::{Criterion, Grown, Limits, grow};
use crate::model::{Candidate, FeatureUse, Model, Tie};
use crate::path::Paths;
use crate::prune;
use crate::sample::{Fractions, Split};

/// What a model is called and what it is for.
#[derive(Debug, Clone)]
pub struct Naming {
    /// Its name; adaptive schedules are written with it.
    pub name: Name,
    /// The algorithm, such as `bfs`.
    pub algorithm: String,
    /// The label of the operator whose calls are the steps, such as `s0:s1`.
    pub label: Label,
    /// When it is trained, in UTC.
    pub created: String,
    /// The commit whose timings are used.
    pub commit: Option<String>,
}

/// How to learn. The same options, seed and table give the same model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learning {
    /// What splits shall reduce.
    pub criterion: Criterion,
    /// What the tree may look at.
    pub features: Vec<Feature>,
    /// How many implementations the tree may choose from; all when absent.
    pub candidates: Option<usize>,
    /// How much Total counts beside Avg.
    pub total_weight: f64,
    /// Longest way from the root to a leaf.
    pub max_depth: usize,
    /// Least number of rows in a leaf.
    pub min_rows: usize,
    /// Least gain of a split as a share of what there is to gain.
    pub min_gain: f64,
    /// Folds of the cross-validation that prunes; below 2 nothing is pruned.
    pub folds: usize,
    /// What becomes of leaves in which candidates tie.
    pub ambiguous: Ambiguous,
    /// Only variants on which every core implementation was measured.
    pub skip_incomplete: bool,
    /// What is drawn for training.
    pub fractions: Fractions,
    /// The seed of the draw and of the folds.
    pub seed: u64,
    /// Count what switching costs, where that was measured.
    #[serde(default)]
    pub switching: bool,
}

/// What becomes of leaves in which candidates tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ambiguous {
    /// They stay sets: a running program keeps the schedule it has.
    None,
    /// The first of the set.
    First,
    /// The one of the set that loses least over all training rows.
    Ranked,
}

impl Default for Learning {
    /// Cost-sensitive, few candidates, pruned.
    fn default() -> Learning {
        Learning {
            criterion: Criterion::Spread,
            features: Feature::ALL.to_vec(),
            candidates: Some(6),
            total_weight: 1.0,
            max_depth: 12,
            min_rows: 5,
            min_gain: 0.0,
            folds: 5,
            ambiguous: Ambiguous::Ranked,
            skip_incomplete: true,
            fractions: Fractions::default(),
            seed: 1,
            switching: true,
        }
    }
}

impl Learning {
    /// As published: plain Gini over all implementations, grown until every leaf is pure, ties kept.
    pub fn plain() -> Learning {
        Learning {
            criterion: Criterion::Gini,
            candidates: None,
            max_depth: usize::from(u16::MAX),
            min_rows: 1,
            folds: 0,
            ambiguous: Ambiguous::None,
            switching: false,
            ..Learning::default()
        }
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<()> {
        self.fractions.check()?;
        let refuse = |option, problem: &str| Err(ModelError::Option { option, problem: problem.to_string() });
        match self {
            _ if self.features.is_empty() => refuse("--features", "a tree needs at least one"),
            _ if self.candidates == Some(0) => refuse("--candidates", "a tree needs at least one"),
            _ if !(self.total_weight >= 0.0 && self.total_weight.is_finite()) => {
                refuse("--total-weight", "give a number that is not negative")
            }
            _ if !(0.0..1.0).contains(&self.min_gain) => refuse("--min-gain", "give a share: at least 0 and below 1"),
            _ => Ok(()),
        }
    }

    /// The variants that can be learned from.
    pub(crate) fn usable(&self, table: &StepTable) -> Vec<usize> {
        let core = table.core();
        let has_times = |x: usize| table.variants[x].steps.iter().any(|step| !least(&step.seconds, &core).is_nan());
        (0..table.variants.len())
            .filter(|&x| if self.skip_incomplete { table.is_complete(x, &core) } else { has_times(x) })
            .collect()
    }
}

/// Trains a model from a table.
///
/// 1. Rows are drawn by the fractions and the seed.
/// 2. The candidates are chosen: few implementations that together come close to the optimum of all.
/// 3. A tree is grown, and pruned by cross-validation over the graphs. Where it is known what switching costs, a row
///    counts what its choice costs then and later, at first on the best path, then on that of the tree before.
/// 4. Leaves with little support are marked weak, and the cost of every candidate is fitted.
pub fn train(table: &StepTable, naming: &Naming, learning: &Learning) -> Result<Model> {
    learning.check()?;
    let usable = learning.usable(table);
    let split = Split::draw(table, &usable, learning.fractions, learning.seed);
    let trains = |x: usize, s: usize| split.trains(table, x, s);
    let mut model = train_on(table, naming, learning, &usable, &trains)?;
    for &x in &usable {
        let graph = table.variants[x].graph;
        let name = &table.graphs[graph].name;
        if !split.graphs[graph] && !model.held_out_graphs.contains(name) {
            model.held_out_graphs.push(name.clone());
        }
    }
    Ok(model)
}

/// Trains from the rows that `trains` names, out of the usable variants.
pub(crate) fn train_on(
    table: &StepTable,
    naming: &Naming,
    learning: &Learning,
    usable: &[usize],
    trains: &dyn Fn(usize, usize) -> bool,
) -> Result<Model> {
    // 1. The rows.
    let rows = Rows::of(table, learning, usable, trains)?;
    // 2. The candidates, the safe one first.
    let chosen = rows.candidates(&naming.label, learning)?;
    // 3. The tree.
    let (shape, tree) = rows.tree(&chosen, learning)?;
    // 4. What is told about it.
    let names = |graphs: Vec<usize>| graphs.into_iter().map(|g| table.graphs[g].name.clone()).collect::<Vec<_>>();
    let mut graphs: Vec<usize> = rows.places.iter().map(|&(x, _)| table.variants[x].graph).collect();
    graphs.sort_unstable();
    graphs.dedup();
    let mut datasets: Vec<String> = graphs.iter().map(|&g| table.graphs[g].dataset.clone()).collect();
    datasets.sort();
    datasets.dedup();
    let mut model = Model {
        format: Model::FORMAT,
        name: naming.name.to_string(),
        algorithm: naming.algorithm.clone(),
        program: table.program.clone(),
        target: table.implementations[chosen[0]].target.clone(),
        platform: table.platform.clone(),
        label: naming.label.to_string(),
        candidates: chosen
            .iter()
            .map(|&i| &table.implementations[i])
            .map(|i| Candidate { name: i.name.clone(), schedule: i.schedule.clone(), implementation: i.id })
            .collect(),
        tree,
        features: shape.features,
        ties: shape.ties,
        learning: learning.clone(),
        datasets,
        training_graphs: names(graphs),
        held_out_graphs: Vec::new(),
        training_rows: rows.places.len(),
        all_rows: rows.measured,
        training: None,
        created: naming.created.clone(),
        commit: naming.commit.clone(),
    };
    model.training = evaluate::figures(&model, table, trains)?;
    Ok(model)
}

/// The rows that a model is trained from.
struct Rows<'t> {
    table: &'t StepTable,
    /// The core implementations.
    core: Vec<usize>,
    /// How many rows of the usable variants were measured, whether they are for training or not.
    measured: usize,
    /// Variant and step of every row for training.
    places: Vec<(usize, usize)>,
    /// The weights of the variants.
    weights: Vec<f64>,
    /// What switching costs on the graphs of the rows.
    switching: Switching,
}

impl<'t> Rows<'t> {
    /// The rows that `trains` names, out of the usable variants.
    fn of(
        table: &'t StepTable,
        learning: &Learning,
        usable: &[usize],
        trains: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Rows<'t>> {
        let core = table.core();
        let steps = |x: usize| (0..table.variants[x].steps.len()).map(move |s| (x, s));
        let measured = |&(x, s): &(usize, usize)| !least(&table.variants[x].steps[s].seconds, &core).is_nan();
        let all: Vec<(usize, usize)> = usable.iter().flat_map(|&x| steps(x)).filter(measured).collect();
        let places: Vec<(usize, usize)> = all.iter().copied().filter(|&(x, s)| trains(x, s)).collect();
        if places.is_empty() {
            return Err(ModelError::NothingToLearn(reason(table, learning, &core, usable.len())));
        }

        let mut is_seen = vec![false; table.graphs.len()];
        places.iter().for_each(|&(x, _)| is_seen[table.variants[x].graph] = true);
        let switching = match learning.switching {
            true => table.switching.on_graphs(|graph| is_seen[graph]),
            false => Switching::default(),
        };
        let weights = weights(table, &places, &core, learning.total_weight);
        Ok(Rows { table, core, measured: all.len(), places, weights, switching })
    }

    /// The implementations that the tree may choose from, the safe one first.
    fn candidates(&self, label: &Label, learning: &Learning) -> Result<Vec<usize>> {
        let mut chosen: Vec<usize> =
            self.core.iter().copied().filter(|&i| is_simple(&self.table.implementations[i].schedule, label)).collect();
        if chosen.is_empty() {
            return Err(ModelError::NothingToLearn(format!(
                "none of {} core implementations has a simple schedule at `{label}`, and a model cannot \
                 switch between others",
                self.core.len()
            )));
        }
        if let Some(count) = learning.candidates {
            let everyone = Data::new(self.table, &self.places, &chosen, &self.weights, &[])?;
            let paths = Paths::new(self.table, &self.switching, &everyone, &chosen, &self.weights);
            let few = match &paths {
                Some(paths) => candidates::select_for_paths(&everyone, paths, count),
                None => candidates::select(&everyone, count),
            };
            chosen = few.into_iter().map(|class| chosen[class]).collect();
        }
        let to_ratio: Vec<f64> = self
            .weights
            .iter()
            .enumerate()
            .map(|(x, &weight)| if weight > 0.0 { 1.0 / (weight * optimum(self.table, x, &self.core)) } else { 0.0 })
            .collect();
        let bare = Data::new(self.table, &self.places, &chosen, &self.weights, &[])?;
        chosen.swap(0, candidates::safest(&bare, &to_ratio));
        Ok(chosen)
    }

    /// Grows the tree over the chosen implementations, on the best path and then on its own.
    fn tree(&self, chosen: &[usize], learning: &Learning) -> Result<(Shape, Tree)> {
        let mut data = Data::new(self.table, &self.places, chosen, &self.weights, &learning.features)?;
        let costs: Vec<Cost> =
            chosen.iter().map(|&implementation| cost::fit(self.table, &self.places, implementation)).collect();
        let learn = |data: &Data| -> Result<(Shape, Tree)> {
            let limits = Limits {
                max_depth: learning.max_depth,
                min_rows: learning.min_rows.max(1),
                min_gain: learning.min_gain,
            };
            let rows: Vec<u32> = (0..data.len() as u32).collect();
            let grown = grow(data, &rows, learning.criterion, limits);
            let pruning = prune::choose(data, &grown, learning.criterion, limits, learning.folds, learning.seed);
            let shape = Shape::new(data, &grown, learning, &pruning);
            let tree = Tree::new(shape.nodes.clone(), costs.clone())
                .map_err(|error| ModelError::NothingToLearn(format!("the tree cannot be used: {error}")))?;
            Ok((shape, tree))
        };
        match Paths::new(self.table, &self.switching, &data, chosen, &self.weights) {
            None => learn(&data),
            Some(paths) => {
                let to_end = paths.to_end(&data);
                data.charge(&paths.charged(&to_end, &paths.best(&to_end)));
                let (_, first) = learn(&data)?;
                data.charge(&paths.charged(&to_end, &paths.of_tree(self.table, &data, &first)));
                learn(&data)
            }
        }
    }
}

/// Whether a schedule can be a candidate of an adaptive one: at the operator it neither switches nor chooses by itself.
fn is_simple(schedule: &str, label: &Label) -> bool {
    let Ok(schedule) = schedule.parse::<ProgramSchedule>() else { return false };
    matches!(schedule.get(label.as_str()).or_else(|| schedule.everywhere()), None | Some(Schedule::Simple(_)))
}

/// Why no rows are left.
fn reason(table: &StepTable, learning: &Learning, core: &[usize], usable: usize) -> String {
    match (table.variants.len(), core.len(), usable) {
        (0, ..) => "no variant was measured".to_string(),
        (_, 0, _) => "no core implementation was measured".to_string(),
        (variants, _, 0) if learning.skip_incomplete => format!(
            "none of {variants} variants has times of all {} core implementations; measure the missing ones, or allow \
             incomplete variants",
            core.len()
        ),
        _ => "the shares drawn for training leave no rows; draw more".to_string(),
    }
}

/// The optimal seconds of a variant, over the steps that were measured.
fn optimum(table: &StepTable, variant: usize, core: &[usize]) -> f64 {
    let seconds = table.variants[variant].steps.iter().map(|step| least(&step.seconds, core));
    seconds.filter(|s| s.is_finite()).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// Candidates whose costs differ by less than this share of the time tie.
const TIE: f64 = 0.01;

/// A leaf with fewer rows than this is weak.
const FEW_ROWS: usize = 4;

/// The final tree, and what its nodes say.
struct Shape {
    nodes: Vec<TreeNode>,
    ties: Vec<Tie>,
    features: Vec<FeatureUse>,
}

impl Shape {
    fn new(data: &Data, grown: &Grown, learning: &Learning, pruning: &prune::Pruning) -> Shape {
        let price = prune::prices(grown, data.len().max(1) as f64);
        let ranks = data.cost_sums();
        let mut shape = Shape { nodes: Vec::new(), ties: Vec::new(), features: Vec::new() };
        let mut gains = vec![0.0; data.features.len()];
        let is_leaf =
            |at: usize| grown.nodes[at].split.is_none() || (learning.folds >= 2 && price[at] <= pruning.price);
        // Splits both sides of which answer the same are undone, from the leaves up.
        let mut answer: Vec<Option<Vec<u16>>> = vec![None; grown.nodes.len()];
        for at in (0..grown.nodes.len()).rev() {
            let node = &grown.nodes[at];
            answer[at] = match &node.split {
                Some(split) if !is_leaf(at) => match (&answer[split.left], &answer[split.right]) {
                    (Some(left), Some(right)) if left == right => Some(left.clone()),
                    _ => None,
                },
                _ => Some(resolve(tied(node, grown.criterion), learning.ambiguous, &ranks)),
            };
        }
        // The rest in the order of the text: a split, all of its left, all of its right.
        let mut open = vec![(0, None)];
        while let Some((at, parent)) = open.pop() {
            let place = shape.nodes.len() as u32;
            if let Some((parent, is_right)) = parent
                && let TreeNode::Split { left, right, .. } = &mut shape.nodes[parent]
            {
                *(if is_right { right } else { left }) = place;
            }
            let node = &grown.nodes[at];
            match (&answer[at], &node.split) {
                (None, Some(split)) => {
                    gains[split.feature] += split.gain;
                    shape.nodes.push(TreeNode::Split {
                        feature: data.features[split.feature],
                        threshold: split.threshold,
                        left: 0,
                        right: 0,
                    });
                    open.push((split.right, Some((place as usize, true))));
                    open.push((split.left, Some((place as usize, false))));
                }
                (candidates, _) => {
                    let set = tied(node, grown.criterion);
                    if set.len() > 1 {
                        match shape.ties.iter_mut().find(|tie| tie.candidates == set) {
                            Some(tie) => tie.leaves += 1,
                            None => shape.ties.push(Tie { candidates: set.clone(), leaves: 1 }),
                        }
                    }
                    let candidates = candidates.clone().unwrap_or_else(|| resolve(set, learning.ambiguous, &ranks));
                    let weak = is_weak(data, &grown.members[node.rows.clone()], &pruning.unseen);
                    shape.nodes.push(TreeNode::Leaf(Leaf { candidates, weak }));
                }
            }
        }
        let all: f64 = gains.iter().sum();
        shape.features = data
            .features
            .iter()
            .zip(&gains)
            .map(|(&feature, &gain)| FeatureUse { feature, importance: if all > 0.0 { gain / all } else { 0.0 } })
            .collect();
        shape.features.sort_by(|a, b| b.importance.total_cmp(&a.importance));
        shape
    }
}

/// The candidates that fit the rows of a leaf equally well, ascending. By labels: those with the most rows. By cost:
/// those that take at most a hundredth longer than the best.
fn tied(node: &crate::grow::Node, criterion: Criterion) -> Vec<u16> {
    let best = usize::from(node.best(criterion));
    let ties = |class: usize| match criterion.is_by_cost() {
        true => node.costs[class] - node.costs[best] <= TIE * (node.least + node.costs[best]),
        false => node.counts[class] == node.counts[best],
    };
    let others = (0..node.costs.len()).filter(|&class| class != best && ties(class));
    // The best one stands first in sets by cost; `First` and a set of one then mean the same.
    let mut set: Vec<u16> = std::iter::once(best).chain(others).map(|class| class as u16).collect();
    if !criterion.is_by_cost() {
        set.sort_unstable();
    }
    set
}

/// What a leaf answers when these tie.
fn resolve(set: Vec<u16>, ambiguous: Ambiguous, ranks: &[f64]) -> Vec<u16> {
    let least = |set: &[u16]| {
        set.iter()
            .copied()
            .min_by(|&a, &b| ranks[usize::from(a)].total_cmp(&ranks[usize::from(b)]))
            .into_iter()
            .collect()
    };
    match ambiguous {
        Ambiguous::None => set,
        Ambiguous::First => set[..1].to_vec(),
        Ambiguous::Ranked => least(&set),
    }
}

/// A leaf is weak when it stands on few rows or on one graph, or when trees that had not seen these graphs lost more
/// on its rows than the safe candidate would have.
fn is_weak(data: &Data, rows: &[u32], unseen: &[u16]) -> bool {
    let first = rows.first().map(|&row| data.groups[row as usize]);
    let one_graph = rows.iter().all(|&row| Some(data.groups[row as usize]) == first);
    let lost: f64 =
        rows.iter().filter_map(|&row| unseen.get(row as usize).map(|&c| data.costs(row)[usize::from(c)])).sum();
    let safe: f64 = rows.iter().map(|&row| data.costs(row)[0]).sum();
    rows.len() < FEW_ROWS || one_graph || (!unseen.is_empty() && lost > safe)
}
