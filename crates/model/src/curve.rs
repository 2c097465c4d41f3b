//! The learning curve: how good models are that have seen only a part of the graphs, of the variants or of the steps.

use gw_lab::{Comparison, Field, RowKind, Sheet, StepTable};
use serde::Serialize;

use crate::error::Result;
use crate::evaluate::{Scope, evaluate};
use crate::sample::{Fractions, Grain};
use crate::train::{Learning, Naming, train};

/// One model of the curve.
#[derive(Debug, Clone, Serialize)]
pub struct CurvePoint {
    /// What was divided.
    pub grain: Grain,
    /// The share that was learned from.
    pub fraction: f64,
    /// Nodes of its tree.
    pub nodes: usize,
    /// On what it has not seen; absent at a share of 1.
    pub held_out: Option<CurveFigures>,
    /// On everything, as published tables have it.
    pub all: CurveFigures,
}

/// A model and those it should beat, on the same rows.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CurveFigures {
    /// Total of the model.
    pub total: f64,
    /// Its mean ratio.
    pub avg: f64,
    /// Percentage of ratios below 2.
    pub within_2: f64,
    /// Percentage of ratios above 5.
    pub over_5: f64,
    /// Percentage of ratios above 20.
    pub over_20: f64,
    /// Its worst ratio.
    pub worst: f64,
    /// Total of the best non-switching choice.
    pub best_single: f64,
    /// Total of the best fixed schedule.
    pub best_fixed: f64,
}

impl CurveFigures {
    fn of(comparison: &Comparison, name: &str) -> Option<CurveFigures> {
        let row = comparison.row(name)?;
        let single = comparison.rows.iter().find(|row| row.kind == RowKind::BestNonSwitching);
        Some(CurveFigures {
            total: row.total,
            avg: row.avg,
            within_2: row.within_2,
            over_5: row.over_5,
            over_20: row.over_20,
            worst: row.worst,
            best_single: single.map_or(f64::NAN, |row| row.total),
            best_fixed: comparison.best_fixed().map_or(f64::NAN, |row| row.total),
        })
    }
}

/// A model for each of these shares at each grain. Shares that draw nothing are left out.
pub fn curve(table: &StepTable, naming: &Naming, learning: &Learning, fractions: &[f64]) -> Result<Vec<CurvePoint>> {
    let mut points = Vec::new();
    for grain in [Grain::Steps, Grain::Variants, Grain::Graphs] {
        for &fraction in fractions {
            let mut part = Fractions::default();
            *match grain {
                Grain::Graphs => &mut part.graphs,
                Grain::Variants => &mut part.variants,
                Grain::Steps => &mut part.steps,
            } = fraction;
            part.check()?;
            let learning = Learning { fractions: part, ..learning.clone() };
            let model = match train(table, naming, &learning) {
                Err(crate::ModelError::NothingToLearn(_)) => continue,
                other => other?,
            };
            let figures = |scope| -> Result<Option<CurveFigures>> {
                let evaluation = evaluate(&[&model], table, scope)?;
                Ok(CurveFigures::of(&evaluation.comparison, &model.name))
            };
            let held_out = if fraction < 1.0 { figures(Scope::HeldOut)? } else { None };
            let Some(all) = figures(Scope::All)? else { continue };
            points.push(CurvePoint { grain, fraction, nodes: model.tree.nodes().len(), held_out, all });
        }
    }
    Ok(points)
}

/// A row per model.
pub fn curve_sheet(points: &[CurvePoint]) -> Sheet {
    let mut sheet = Sheet::new([
        "Split by",
        "Trained %",
        "Nodes",
        "Total",
        "Avg",
        "1-2x %",
        ">5x %",
        ">20x %",
        "Worst",
        "Best single",
        "Best fixed",
        "Total on all",
        "Worst on all",
    ]);
    for point in points {
        let grain = match point.grain {
            Grain::Graphs => "graphs",
            Grain::Variants => "variants",
            Grain::Steps => "steps",
        };
        let mut fields = vec![
            Field::Text(grain.to_string()),
            Field::Integer((100.0 * point.fraction).round() as i64),
            Field::Integer(point.nodes as i64),
        ];
        fields.extend(match &point.held_out {
            None => vec![Field::Nothing; 8],
            Some(f) => [f.total, f.avg, f.within_2, f.over_5, f.over_20, f.worst, f.best_single, f.best_fixed]
                .map(Field::Real)
                .to_vec(),
        });
        fields.extend([point.all.total, point.all.worst].map(Field::Real));
        sheet.rows.push(fields);
    }
    sheet
}
