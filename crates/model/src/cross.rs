//! Cross-validation over graphs: every graph is held out once, and the model that is judged on it has not seen it.

use gw_lab::{Comparing, Comparison, Contender, RowKind, StepTable};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::{ModelError, Result};
use crate::evaluate::{GraphFigures, by_graph, free_name};
use crate::model::Model;
use crate::predict::{Guard, Places, choices, free_seconds, seconds};
use crate::sample;
use crate::train::{Learning, Naming, train_on};

/// The outcome over all folds.
#[derive(Debug, Clone, Serialize)]
pub struct CrossValidation {
    /// The rows: the models as one, guarded and not, what is optimal, every implementation.
    pub comparison: Comparison,
    /// The same by graph.
    pub graphs: Vec<GraphFigures>,
    /// Nodes of the tree of each fold.
    pub nodes: Vec<usize>,
    /// Folds.
    pub folds: usize,
}

/// Trains a model per fold of the graphs and judges it on the graphs of the fold; `folds` of 0 holds out each graph
/// alone. The shares of [`Learning::fractions`] do not count here.
pub fn cross_validate(
    table: &StepTable,
    naming: &Naming,
    learning: &Learning,
    folds: usize,
) -> Result<CrossValidation> {
    learning.check()?;
    let usable = learning.usable(table);
    let mut graphs: Vec<usize> = usable.iter().map(|&x| table.variants[x].graph).collect();
    graphs.sort_by_key(|&g| (table.graphs[g].id, g));
    graphs.dedup();
    let folds = if folds == 0 { graphs.len() } else { folds.min(graphs.len()) };
    if folds < 2 {
        let problem = format!("{} graphs with usable variants cannot be divided into folds", graphs.len());
        return Err(ModelError::NothingToLearn(problem));
    }
    let mut fold_of = vec![usize::MAX; table.graphs.len()];
    for (fold, &graph) in sample::folds(graphs.len(), folds, learning.seed).iter().zip(&graphs) {
        fold_of[graph] = *fold;
    }
    let models: Vec<Model> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let trains = |x: usize, _: usize| fold_of[table.variants[x].graph] != fold;
            train_on(table, naming, learning, &usable, &trains)
        })
        .collect::<Result<_>>()?;

    let unknown = || vec![f64::NAN; table.variants.len()];
    let (mut plain, mut guarded, mut free) = (unknown(), unknown(), unknown());
    for &x in &usable {
        let variant = &table.variants[x];
        let model = &models[fold_of[variant.graph]];
        let places = Places::find(model, table)?;
        let chosen = choices(model, &places, variant, Guard::Off);
        (plain[x], free[x]) = (seconds(table, variant, &chosen, |_| true), free_seconds(variant, &chosen, |_| true));
        guarded[x] = seconds(table, variant, &choices(model, &places, variant, Guard::On), |_| true);
    }
    let contender = |name: String, seconds| Contender { name, kind: RowKind::Predicted, seconds };
    let mut contenders =
        vec![contender(naming.name.to_string(), plain), contender(format!("{} (guarded)", naming.name), guarded)];
    if table.switching.is_known() {
        contenders.push(contender(free_name(naming.name.as_str()), free));
    }
    let comparing = Comparing { variants: Some(&usable), contenders: &contenders, ..Comparing::default() };
    let comparison = Comparison::of(table, &comparing);
    let graphs = by_graph(table, &comparison, &contenders[0]);
    Ok(CrossValidation { comparison, graphs, nodes: models.iter().map(|m| m.tree.nodes().len()).collect(), folds })
}
