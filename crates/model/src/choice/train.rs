//! From rows to a model.

use std::collections::{BTreeMap, BTreeSet};

use gw_graph::rng::Rng;
use gw_learned::features::signature;
use gw_learned::model::{About, ChoiceModel, Lessons, VERSION};
use gw_learned::portfolio::PlaceKind;

use super::grow::{Example, Shape, forest};
use super::rows::{Case, Row, Rows};
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
        let shape = Shape { trees: 12, depth: 6, leaf: 3, share: 0.6 };
        Learning { shape, margin: 0.1, doubt: 0.7, seed: 1 }
    }
}

/// A candidate that was ended or is this much slower than the rule is simply bad.
const BAD: f64 = 1.1;
/// A class of operators has at most this many candidates beside the rule: among many, one always looks good by chance.
const FEW: usize = 4;
/// A further candidate must bring this much in the mean over all cases, as a logarithm.
const WORTH: f64 = 0.004;
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
    let mut classes: BTreeMap<(PlaceKind, String), Vec<&Row>> = BTreeMap::new();
    for row in rows.rows.iter().filter(|row| uses(row.case)) {
        classes.entry((row.kind, signature(&row.features))).or_default().push(row);
    }
    let mut rng = Rng::new(learning.seed, 0x6368);
    let mut lessons = Lessons::new();
    for (class, all) in classes {
        for candidate in few(&all) {
            let of_graph = |row: &Row| graphs[rows.cases[row.case].graph.as_str()];
            let here = all.iter().filter(|row| row.candidate == candidate);
            let examples: Vec<Example<'_>> = here.map(|row| (&row.features, lesson(row), of_graph(row))).collect();
            let trees = forest(&examples, graphs.len(), &learning.shape, &mut rng);
            if !trees.is_empty() {
                lessons.entry(class.clone()).or_default().push((candidate.to_string(), trees));
            }
        }
    }
    let hardware: BTreeSet<&str> = used.iter().map(|&case| rows.cases[case].hardware.as_str()).collect();
    let range = |of: fn(&Case) -> f64| {
        let values = || used.iter().map(|&case| of(&rows.cases[case]));
        [values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max)]
    };
    let about = About {
        version: VERSION,
        target: target.to_string(),
        hardware: hardware.into_iter().map(String::from).collect(),
        graphs: graphs.len(),
        programs: programs.len(),
        edges: range(|case| case.edges),
        threads: range(|case| case.threads),
        margin: learning.margin,
        doubt: learning.doubt,
        judged: None,
    };
    Ok(ChoiceModel::new(about, lessons))
}

/// The few candidates that together bring most, were the best of them known for each place and graph; one after the
/// other, the one that brings most first.
fn few(rows: &[&Row]) -> Vec<&'static str> {
    let mut costs: BTreeMap<&'static str, BTreeMap<(usize, &[String]), f64>> = BTreeMap::new();
    for row in rows {
        costs.entry(row.candidate).or_default().insert((row.case, &row.labels), lesson(row));
    }
    let places: BTreeSet<(usize, &[String])> = rows.iter().map(|row| (row.case, row.labels.as_slice())).collect();
    // What the candidates so far bring; the rule brings nothing.
    let mut known: BTreeMap<(usize, &[String]), f64> = places.iter().map(|&place| (place, 0.0)).collect();
    let mut found = Vec::new();
    while found.len() < FEW {
        let brings = |of: &BTreeMap<(usize, &[String]), f64>| {
            of.iter().map(|(place, cost)| (known[place] - cost).max(0.0)).sum::<f64>() / places.len().max(1) as f64
        };
        let ranked = costs.iter().map(|(candidate, of)| (brings(of), *candidate, of));
        let Some((brought, candidate, of)) = ranked.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if brought < WORTH {
            break;
        }
        for (place, cost) in of {
            known.entry(*place).and_modify(|known| *known = known.min(*cost));
        }
        found.push(candidate);
    }
    found
}
