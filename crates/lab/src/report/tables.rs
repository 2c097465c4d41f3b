//! The tables of a report for a terminal.

use super::predict::Chooser;
use super::{ReportData, ReportModel, worth};
use crate::{Comparing, Comparison, Contender, RowKind, Sheet, StepTable};

/// The comparison, the variants worth a look and what models look at, each with a heading.
pub fn report_tables(data: &ReportData) -> Vec<(String, Sheet)> {
    let mut tables = Vec::new();
    for table in &data.tables {
        let place = format!("{} on {}", table.program, table.platform);
        let models = models_of(data, table);
        let contender = |model: &&ReportModel| {
            let chooser = Chooser::new(model, table);
            let seconds = table.variants.iter().map(|variant| chooser.total(&variant.steps)).collect();
            Contender { name: shown_name(model, table), kind: RowKind::Predicted, seconds }
        };
        let contenders: Vec<Contender> = models.iter().map(contender).collect();
        let comparison = Comparison::of(table, &Comparing { contenders: &contenders, ..Comparing::default() });
        let left_out = match comparison.left_out {
            0 => String::new(),
            count => format!(", {count} left out since not all implementations were measured there"),
        };
        tables
            .push((format!("{place}: comparison over {} variants{left_out}", comparison.variants), comparison.sheet()));
        let complete = complete(table);
        tables.push((format!("{place}: variants worth a look"), worth::sheet(table, &complete)));
        for model in models.into_iter().filter(|model| model.platform == table.platform) {
            tables.push((format!("{place}: what model {} looks at", model.name), importance(model)));
        }
    }
    tables
}

/// The variants on which all core implementations were measured.
pub(super) fn complete(table: &StepTable) -> Vec<usize> {
    let core = table.core();
    (0..table.variants.len()).filter(|&variant| !core.is_empty() && table.is_complete(variant, &core)).collect()
}

/// The models that choose for the algorithm of a table.
pub(super) fn models_of<'d>(data: &'d ReportData, table: &StepTable) -> Vec<&'d ReportModel> {
    data.models.iter().filter(|model| model.algorithm == table.program).collect()
}

/// The name of a model beside a table: one from elsewhere says so.
pub(super) fn shown_name(model: &ReportModel, table: &StepTable) -> String {
    match model.platform == table.platform {
        true => model.name.clone(),
        false => format!("{} (of {})", model.name, model.platform),
    }
}

/// Smaller shares would be shown as 0.
const SHOWN: f64 = 0.0005;

fn importance(model: &ReportModel) -> Sheet {
    let mut shares: Vec<&(String, f64)> = model.importance.iter().filter(|(_, share)| *share >= SHOWN).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut sheet = Sheet::new(["Feature", "Importance %"]);
    shares.iter().for_each(|(name, share)| sheet.row([name.as_str().into(), (100.0 * share).into()]));
    sheet
}
