//! From rows to a model.

use std::collections::{BTreeMap, BTreeSet};

use graphwright::learned::features::Features;
use graphwright::learned::model::{About, ChoiceModel, VERSION};
use graphwright::learned::portfolio::PlaceKind;
use graphwright::learned::tree::Tree;
use gw_graph::rng::Rng;

use super::grow::{Example, Shape, forest};
use super::rows::{Row, Rows};
use crate::error::{ModelError, Result};

/// How a model is learned, and how careful it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// The trees.
    pub shape: Shape,
    /// The least gain that a change must promise, as a logarithm.
    pub margin: f64,
    /// Standard deviations of the trees' answers that are added to what they expect.
    pub doubt: f64,
    /// The seed of all draws.
    pub seed: u64,
}

impl Default for Learning {
    fn default() -> Self {
        let shape = Shape { trees: 16, depth: 5, leaf: 4, share: 0.5 };
        Learning { shape, margin: 0.08, doubt: 1.0, seed: 1 }
    }
}

/// A candidate that was ended or is this much slower than the rule is simply bad.
const BAD: f64 = 1.1;
/// A gain beyond this is simply good.
const GOOD: f64 = -2.0;

/// What a row teaches.
pub(super) fn lesson(row: &Row) -> f64 {
    if row.done { row.cost.clamp(GOOD, BAD) } else { BAD }
}

/// Learns from the rows of some cases.
pub fn train(rows: &Rows, target: &str, learning: &Learning, uses: impl Fn(usize) -> bool) -> Result<ChoiceModel> {
    let used: Vec<usize> = (0..rows.cases.len()).filter(|&case| uses(case)).collect();
    let names: BTreeSet<&str> = used.iter().map(|&case| rows.cases[case].graph.as_str()).collect();
    let graphs: BTreeMap<&str, usize> = names.into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    let programs: BTreeSet<&str> = used.iter().map(|&case| rows.cases[case].program.as_str()).collect();
    if graphs.len() < 2 {
        let mend = "`gw tune PROGRAM GRAPH --survey portfolio --lab LAB` measures some";
        return Err(ModelError::NothingToLearn(format!(
            "surveys of the portfolio on at least two graphs with the machine {target} are needed, and there are {}; \
             {mend}",
            graphs.len()
        )));
    }
    let mut examples: BTreeMap<(PlaceKind, &str), Vec<Example<'_>>> = BTreeMap::new();
    for row in rows.rows.iter().filter(|row| uses(row.case)) {
        let graph = graphs[rows.cases[row.case].graph.as_str()];
        let features: &Features = &row.features;
        examples.entry((row.kind, row.candidate)).or_default().push((features, lesson(row), graph));
    }
    let mut rng = Rng::new(learning.seed, 0x6368);
    let mut kinds: BTreeMap<PlaceKind, Vec<(String, Vec<Tree>)>> = BTreeMap::new();
    for ((kind, candidate), examples) in examples {
        // A candidate that never pays needs no trees.
        let pays = examples.iter().any(|example| example.1 < -learning.margin);
        let trees = if pays { forest(&examples, graphs.len(), &learning.shape, &mut rng) } else { Vec::new() };
        if !trees.is_empty() {
            kinds.entry(kind).or_default().push((candidate.to_string(), trees));
        }
    }
    let hardware: BTreeSet<&str> = used.iter().map(|&case| rows.cases[case].hardware.as_str()).collect();
    let about = About {
        version: VERSION,
        target: target.to_string(),
        hardware: hardware.into_iter().map(String::from).collect(),
        graphs: graphs.len(),
        programs: programs.len(),
        margin: learning.margin,
        doubt: learning.doubt,
        judged: None,
    };
    Ok(ChoiceModel::new(about, kinds))
}
