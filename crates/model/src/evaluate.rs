//! How good a model is: the time of its choices against the optimum, against the best single choice and against every
//! fixed schedule, on graphs that it has not seen.

use gw_lab::{Comparing, Comparison, Contender, Field, RowKind, Sheet, StepTable};
use serde::Serialize;

use crate::error::{ModelError, Result};
use crate::model::{Figures, Model};
use crate::predict::{Guard, Places, choices, free_seconds, seconds};
use crate::sample::{Grain, Split};

/// Which rows a model is judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Those that it has not learned from: whole graphs where graphs were held out, else variants, else steps.
    #[default]
    HeldOut,
    /// All, those it learned from too.
    All,
}

/// A model, or several, judged on a table.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// The rows of the comparison: the models, what is optimal, every implementation.
    pub comparison: Comparison,
    /// What each model did.
    pub models: Vec<Conduct>,
    /// The same by graph, for the first model.
    pub graphs: Vec<GraphFigures>,
}

/// What a model did at the steps it was judged on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Conduct {
    /// Its name.
    pub name: String,
    /// Steps.
    pub steps: usize,
    /// Steps at which it had no answer.
    pub unknown: usize,
    /// Steps at weak leaves.
    pub weak: usize,
    /// Steps at which another implementation ran than at the step before.
    pub switches: usize,
    /// Candidates that were not measured there.
    pub missing: Vec<String>,
}

/// Ratios to the optimum on one graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphFigures {
    /// The graph.
    pub graph: String,
    /// Its class.
    pub class: String,
    /// Variants that were compared.
    pub variants: usize,
    /// Optimal seconds.
    pub optimal_seconds: f64,
    /// Total of the model.
    pub total: f64,
    /// Its worst ratio.
    pub worst: f64,
    /// Total of the best non-switching choice.
    pub best_single: f64,
    /// Total of the schedule that is best over all graphs.
    pub best_fixed: f64,
}

/// The name of the row of a model whose switches cost nothing.
pub(crate) fn free_name(model: &str) -> String {
    format!("{model} (switching free)")
}

/// The name of the row of a model whose advice is not always followed.
pub fn guarded_name(model: &Model) -> String {
    format!("{} (guarded)", model.name)
}

/// Judges models. With several, only what none of them has seen is held out.
pub fn evaluate(models: &[&Model], table: &StepTable, scope: Scope) -> Result<Evaluation> {
    let mut keep: Vec<Vec<bool>> = table.variants.iter().map(|variant| vec![true; variant.steps.len()]).collect();
    if scope == Scope::HeldOut {
        for model in models {
            hold_out(model, table, &mut keep)?;
        }
    }
    let part = restrict(table, &keep);
    if part.variants.iter().all(|variant| variant.steps.is_empty()) {
        return Err(ModelError::NothingHeldOut(
            "every measured row was learned from; evaluate all rows instead (--all), or cross-validate".to_string(),
        ));
    }

    let (mut contenders, mut conducts) = (Vec::new(), Vec::new());
    for model in models {
        let places = Places::find(model, table)?;
        let mut conduct = Conduct { name: model.name.clone(), missing: places.missing.clone(), ..Conduct::default() };
        // The model may have been run, too: that row has its name.
        let is_run = table.implementations.iter().any(|i| i.name == model.name);
        let plain = if is_run { format!("{} (predicted)", model.name) } else { model.name.clone() };
        for (guard, name) in [(Guard::Off, plain), (Guard::On, guarded_name(model))] {
            let mut times = Vec::with_capacity(table.variants.len());
            let mut free = Vec::new();
            for (variant, keep) in table.variants.iter().zip(&keep) {
                let chosen = choices(model, &places, variant, guard);
                times.push(seconds(table, variant, &chosen, |step| keep[step]));
                if guard == Guard::Off {
                    free.push(free_seconds(variant, &chosen, |step| keep[step]));
                    let judged = || chosen.iter().zip(keep).filter(|(_, keep)| **keep).map(|(choice, _)| choice);
                    conduct.steps += judged().count();
                    conduct.unknown += judged().filter(|choice| choice.unknown).count();
                    conduct.weak += judged().filter(|choice| choice.weak).count();
                    conduct.switches += chosen
                        .windows(2)
                        .zip(&keep[1.min(keep.len())..])
                        .filter(|(pair, keep)| **keep && pair[0].implementation != pair[1].implementation)
                        .count();
                }
            }
            contenders.push(Contender { name, kind: RowKind::Predicted, seconds: times });
            if guard == Guard::Off && table.switching.is_known() {
                let name = free_name(&model.name);
                contenders.push(Contender { name, kind: RowKind::Predicted, seconds: free });
            }
        }
        let known: Vec<usize> = places.of.iter().copied().flatten().collect();
        contenders.push(Contender {
            name: format!("{} (best of its candidates)", model.name),
            kind: RowKind::Predicted,
            seconds: part.variants.iter().map(|variant| variant.optimal_seconds(&known)).collect(),
        });
        conducts.push(conduct);
    }
    let comparison = Comparison::of(&part, &Comparing { contenders: &contenders, ..Comparing::default() });
    let graphs = by_graph(&part, &comparison, &contenders[0]);
    Ok(Evaluation { comparison: shown(comparison, &keep), models: conducts, graphs })
}

/// Variants without a step to judge were not left out, they were never asked for.
fn shown(mut comparison: Comparison, keep: &[Vec<bool>]) -> Comparison {
    let empty = keep.iter().filter(|steps| !steps.contains(&true)).count();
    comparison.left_out = comparison.left_out.saturating_sub(empty);
    comparison
}

/// Total, Avg and Worst of a model's choices at the steps that `counts` names; `None` when no variant there is
/// complete.
pub(crate) fn figures(
    model: &Model,
    table: &StepTable,
    counts: &dyn Fn(usize, usize) -> bool,
) -> Result<Option<Figures>> {
    let keep: Vec<Vec<bool>> =
        (0..table.variants.len()).map(|x| (0..table.variants[x].steps.len()).map(|s| counts(x, s)).collect()).collect();
    let places = Places::find(model, table)?;
    let time = |(variant, keep): (&gw_lab::Variant, &Vec<bool>)| {
        seconds(table, variant, &choices(model, &places, variant, Guard::Off), |step| keep[step])
    };
    let times = table.variants.iter().zip(&keep).map(time).collect();
    let contenders = [Contender { name: String::new(), kind: RowKind::Predicted, seconds: times }];
    let part = restrict(table, &keep);
    let comparison = Comparison::of(&part, &Comparing { contenders: &contenders, ..Comparing::default() });
    let row = comparison.rows.iter().find(|row| row.kind == RowKind::Predicted);
    Ok(row.map(|row| Figures { total: row.total, avg: row.avg, worst: row.worst }))
}

/// The table with the steps that are kept.
pub(crate) fn restrict(table: &StepTable, keep: &[Vec<bool>]) -> StepTable {
    let mut part = table.clone();
    for (variant, keep) in part.variants.iter_mut().zip(keep) {
        let mut keep = keep.iter();
        variant.steps.retain(|_| *keep.next().unwrap_or(&false));
    }
    part
}

/// Takes away what a model has learned from.
pub(crate) fn hold_out(model: &Model, table: &StepTable, keep: &mut [Vec<bool>]) -> Result<()> {
    let learning = &model.learning;
    let grain = match learning.fractions.held_out() {
        Some(grain) if grain != Grain::Graphs => grain,
        held_out => {
            // By name: holds for later measurements and for other tables too.
            for (variant, keep) in table.variants.iter().zip(&mut *keep) {
                if model.training_graphs.contains(&table.graphs[variant.graph].name) {
                    keep.fill(false);
                }
            }
            if held_out.is_none() && !keep.iter().flatten().any(|keep| *keep) {
                return Err(ModelError::NothingHeldOut(format!(
                    "the model `{}` has learned from everything; evaluate all rows (--all), cross-validate, or train with a \
                     part of the graphs (--train-graphs 0.7)",
                    model.name
                )));
            }
            return Ok(());
        }
    };
    let usable = learning.usable(table);
    let split = Split::draw(table, &usable, learning.fractions, learning.seed);
    let rows: usize = usable.iter().map(|&x| table.variants[x].steps.len()).sum();
    if rows != model.all_rows || table.platform != model.platform {
        return Err(ModelError::Unfit {
            model: model.name.clone(),
            problem: format!(
                "it was trained from {} rows of {}, here are {rows} of {}: what it has not seen cannot be told; give the \
                 measurements as of {}, or evaluate all rows (--all)",
                model.all_rows, model.platform, table.platform, model.created
            ),
        });
    }
    for (x, keep) in keep.iter_mut().enumerate() {
        for (s, keep) in keep.iter_mut().enumerate() {
            *keep &= split.holds_out(grain, table, x, s);
        }
    }
    Ok(())
}

/// The figures of a contender graph by graph; the slowest graph in relation to the optimum first.
pub(crate) fn by_graph(part: &StepTable, comparison: &Comparison, contender: &Contender) -> Vec<GraphFigures> {
    let core = part.core();
    let fixed = comparison.best_fixed().map(|row| row.name.as_str()).unwrap_or_default();
    let fixed = core.iter().copied().find(|&i| part.implementations[i].name == fixed);
    let mut found: Vec<GraphFigures> = Vec::new();
    for (g, graph) in part.graphs.iter().enumerate() {
        let variants: Vec<usize> = (0..part.variants.len())
            .filter(|&x| part.variants[x].graph == g && part.is_complete(x, &core) && contender.seconds[x].is_finite())
            .collect();
        if variants.is_empty() {
            continue;
        }
        let optimal = |x: usize| part.variants[x].optimal_seconds(&core);
        let sum = |of: &dyn Fn(usize) -> f64| variants.iter().map(|&x| of(x)).sum::<f64>();
        let optimal_seconds = sum(&optimal);
        found.push(GraphFigures {
            graph: graph.name.clone(),
            class: graph.class.clone(),
            variants: variants.len(),
            optimal_seconds,
            total: sum(&|x| contender.seconds[x]) / optimal_seconds,
            worst: variants.iter().map(|&x| contender.seconds[x] / optimal(x)).fold(0.0, f64::max),
            best_single: sum(&|x| part.variants[x].best_single_seconds(&core)) / optimal_seconds,
            best_fixed: fixed.map_or(f64::NAN, |i| sum(&|x| part.variants[x].seconds(i)) / optimal_seconds),
        });
    }
    found.sort_by(|a, b| b.total.total_cmp(&a.total));
    found
}

/// Graphs as rows.
pub fn graph_sheet(graphs: &[GraphFigures]) -> Sheet {
    let mut sheet =
        Sheet::new(["Graph", "Class", "Variants", "Optimal s", "Total", "Worst", "Best single", "Best fixed"]);
    for row in graphs {
        sheet.rows.push(vec![
            Field::Text(row.graph.clone()),
            Field::Text(row.class.clone()),
            Field::Integer(row.variants as i64),
            Field::Real(row.optimal_seconds),
            Field::Real(row.total),
            Field::Real(row.worst),
            Field::Real(row.best_single),
            Field::Real(row.best_fixed),
        ]);
    }
    sheet
}
