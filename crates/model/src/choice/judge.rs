//! How good the learned choice is on graphs, or with programs, that it was not learned from.

use std::collections::{BTreeMap, BTreeSet};

use gw_learned::features::signature;
use gw_learned::model::ChoiceModel;
use gw_learned::portfolio::PlaceKind;

use super::rows::{Case, Row, Rows};
use super::train::{Learning, lesson, train};
use crate::error::{ModelError, Result};

/// What is left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaveOut {
    /// All cases of a tenth of the graphs, or of one where there are few.
    Graph,
    /// All cases of a program.
    Program,
}

/// A case with the time of the model's choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The program.
    pub program: String,
    /// The graph.
    pub graph: String,
    /// The rule's time over the least time.
    pub rule: f64,
    /// The time of the model's choice over the least time.
    pub model: f64,
    /// What the model chose where it is not the rule.
    pub chosen: Vec<(Vec<String>, &'static str)>,
}

/// Trains without a tenth of the graphs, or a program, in turn and judges on what was left out.
pub fn judge(rows: &Rows, target: &str, learning: &Learning, left_out: LeaveOut) -> Result<Vec<Judged>> {
    let graphs: BTreeSet<&str> = rows.cases.iter().map(|case| case.graph.as_str()).collect();
    let key = |case: &Case| match left_out {
        LeaveOut::Graph if graphs.len() < MANY => case.graph.clone(),
        LeaveOut::Graph => fold(&case.graph).to_string(),
        LeaveOut::Program => case.program.clone(),
    };
    let keys: BTreeSet<String> = rows.cases.iter().map(key).collect();
    let mut by_case: Vec<Vec<&Row>> = vec![Vec::new(); rows.cases.len()];
    rows.rows.iter().for_each(|row| by_case[row.case].push(row));
    let mut judged = Vec::new();
    for out in keys {
        let model = match train(rows, target, learning, |case| key(&rows.cases[case]) != out) {
            // Where nothing is left to learn from, the rule stays.
            Err(ModelError::NothingToLearn(_)) => None,
            model => Some(model?),
        };
        let here = rows.cases.iter().enumerate().filter(|(_, case)| key(case) == out);
        judged.extend(here.map(|(at, case)| judge_case(case, &by_case[at], model.as_ref())));
    }
    Ok(judged)
}

/// From this many graphs on, a tenth of them is left out at a time; of fewer each alone.
const MANY: usize = 20;

/// The fold of a graph: graphs are left out some at a time.
fn fold(graph: &str) -> u64 {
    const FOLDS: u64 = 10;
    // FNV-1a: the same on every machine.
    graph.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        % FOLDS
}

/// The choice of a model for a case among what was measured. Where several places change, their costs are added, or
/// taken as measured where all took the same candidate.
fn judge_case(case: &Case, rows: &[&Row], model: Option<&ChoiceModel>) -> Judged {
    let mut groups: BTreeMap<(PlaceKind, &[String]), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        // Many places of a kind change together, few alone.
        if row.labels.len() != 2 {
            groups.entry((row.kind, &row.labels)).or_default().push(row);
        }
    }
    let (mut cost, mut chosen) = (0.0, Vec::new());
    for ((kind, labels), rows) in &groups {
        let promising = model.into_iter().flat_map(|model| model.promising(*kind, &rows[0].features));
        let mut measured = promising.filter_map(|(text, ..)| rows.iter().find(|row| row.candidate == text));
        if let Some(row) = measured.next()
            && row.cost != 0.0
        {
            cost += if row.done { row.cost } else { row.cost.max(lesson(row)) };
            chosen.push((*kind, labels.to_vec(), row.candidate));
        }
    }
    if let [(kind, one, candidate), (other, two, same)] = &chosen[..]
        && (kind, candidate) == (other, same)
        && let Some(row) = rows.iter().find(|row| {
            row.candidate == *candidate
                && row.labels.len() == 2
                && [one, two].iter().all(|l| row.labels.contains(&l[0]))
        })
    {
        cost = if row.done { row.cost } else { row.cost.max(lesson(row)) };
    }
    let rule = case.rule / case.best;
    let chosen = chosen.into_iter().map(|(_, labels, candidate)| (labels, candidate)).collect();
    let (program, graph) = (case.program.clone(), case.graph.clone());
    Judged { program, graph, rule, model: (cost.exp() * rule).max(1.0), chosen }
}

/// The classes of operators of programs for which a model is better than the rule on graphs that were left out. For the
/// others the rule stays.
pub fn proven(rows: &Rows, judged: &[Judged]) -> BTreeSet<(PlaceKind, String)> {
    /// What a model must bring for a program.
    const BETTER: f64 = 0.995;
    let wins = |program: &str| {
        let sum = Summary::of(judged.iter().filter(|case| case.program == program));
        sum.mean[1] < BETTER * sum.mean[0]
    };
    let programs: BTreeSet<&str> = rows.cases.iter().map(|case| case.program.as_str()).collect();
    let winners: BTreeSet<&str> = programs.into_iter().filter(|program| wins(program)).collect();
    let rows = rows.rows.iter().filter(|row| winners.contains(rows.cases[row.case].program.as_str()));
    rows.map(|row| (row.kind, signature(&row.features))).collect()
}

/// Means and worst cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Cases.
    pub cases: usize,
    /// Geometric means of the time over the least time: rule and model.
    pub mean: [f64; 2],
    /// The greatest of them.
    pub worst: [f64; 2],
    /// Cases in which the model is slower than the rule by more than a tenth.
    pub slower: usize,
    /// The greatest time of the model over the rule's.
    pub worst_against_rule: f64,
    /// Cases in which the model chose something else than the rule.
    pub changed: usize,
}

impl Summary {
    /// Sums up.
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> Summary {
        let cases = judged.clone().count();
        let mean =
            |of: fn(&Judged) -> f64| (judged.clone().map(|j| of(j).ln()).sum::<f64>() / cases.max(1) as f64).exp();
        let worst = |of: fn(&Judged) -> f64| judged.clone().map(of).fold(1.0, f64::max);
        Summary {
            cases,
            mean: [mean(|j| j.rule), mean(|j| j.model)],
            worst: [worst(|j| j.rule), worst(|j| j.model)],
            slower: judged.clone().filter(|j| j.model > 1.1 * j.rule).count(),
            worst_against_rule: worst(|j| j.model / j.rule),
            changed: judged.filter(|j| !j.chosen.is_empty()).count(),
        }
    }
}
