//! Tables of a study, for people.

use std::fmt::Write;

use super::row::StudyRow;
use crate::statistics::{pearson, spearman};

/// Steps with at least this share of the time of a run count in the errors of steps.
const SHARE: f64 = 0.02;

/// All tables of a study: a row per cell, and where cells differ only in their schedules, how the model ranks these.
pub fn study_tables(rows: &[StudyRow]) -> String {
    let rows: Vec<&StudyRow> = rows.iter().filter(|row| row.measured > 0.0 && !row.steps.is_empty()).collect();
    let groups =
        grouped(&rows, |a, b| a.cell.name == b.cell.name && a.cell.graph == b.cell.graph && a.threads == b.threads);
    match groups.iter().all(|group| group.len() == 1) {
        true => cells(&rows) + &summary(&rows),
        false => schedules(&groups),
    }
}

fn grouped<'a>(rows: &[&'a StudyRow], same: impl Fn(&StudyRow, &StudyRow) -> bool) -> Vec<Vec<&'a StudyRow>> {
    let mut groups: Vec<Vec<&StudyRow>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| same(group[0], row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.3}"))
}

/// A row of a table per cell.
fn cells(rows: &[&StudyRow]) -> String {
    let mut out = String::from(
        "| program | graph | steps | measured ms | modelled ms | error | r of steps | mean step error | largest | limited by |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let (mean, largest) = match row.step_errors(SHARE) {
            Some((mean, largest)) => (format!("{:.0} %", mean * 100.0), format!("{:.0} %", largest * 100.0)),
            None => ("-".to_string(), "-".to_string()),
        };
        let (limit, part) = row.bottleneck();
        let rounds: usize = row.steps.iter().map(|step| step.rounds).sum();
        let steps =
            if rounds > row.steps.len() { format!("{} ({rounds})", row.steps.len()) } else { rounds.to_string() };
        let _ = writeln!(
            out,
            "| {} | {} | {steps} | {:.3} | {:.3} | {:+.0} % | {} | {mean} | {largest} | {limit}, {:.0} % |",
            row.cell.name,
            row.cell.graph,
            row.measured * 1e3,
            row.modelled * 1e3,
            row.error() * 100.0,
            number(pearson(&row.pairs(0.0))),
            part * 100.0
        );
    }
    out + "\n"
}

/// Errors by graph and over all, runs and steps.
fn summary(rows: &[&StudyRow]) -> String {
    let mut out = String::from(
        "| graph | cells | mean error of a run | largest | r of runs (logarithms) | steps | mean error of a step | largest \
         | r of steps |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut line = |name: &str, rows: &[&StudyRow]| {
        let runs: Vec<(f64, f64)> = rows.iter().map(|row| (row.measured, row.modelled)).collect();
        let logs: Vec<(f64, f64)> = runs.iter().map(|(m, p)| (m.ln(), p.ln())).collect();
        let steps: Vec<(f64, f64)> = rows.iter().flat_map(|row| row.pairs(SHARE)).collect();
        let errors = |pairs: &[(f64, f64)]| {
            let errors: Vec<f64> = pairs.iter().map(|(m, p)| (p / m - 1.0).abs()).collect();
            let largest = errors.iter().copied().fold(0.0, f64::max);
            (errors.iter().sum::<f64>() / errors.len().max(1) as f64 * 100.0, largest * 100.0)
        };
        let ((mean, largest), (step_mean, step_largest)) = (errors(&runs), errors(&steps));
        let _ = writeln!(
            out,
            "| {name} | {} | {mean:.0} % | {largest:.0} % | {} | {} | {step_mean:.0} % | {step_largest:.0} % | {} |",
            rows.len(),
            number(pearson(&logs)),
            steps.len(),
            number(pearson(&steps))
        );
    };
    for group in grouped(rows, |a, b| a.cell.graph == b.cell.graph) {
        line(&group[0].cell.graph, &group);
    }
    line("all", rows);
    let _ = writeln!(
        out,
        "\nSteps are those with at least {:.0} % of the time of their run. A loop that ran as one kernel is one step; its \
         rounds stand in brackets.",
        SHARE * 100.0
    );
    let not_traced: usize = rows.iter().map(|row| row.not_traced).sum();
    if not_traced > 0 {
        let _ = writeln!(out, "{not_traced} steps were measured and not traced; they count on neither side.");
    }
    out
}

/// How the model ranks the schedules of each cell.
fn schedules(groups: &[Vec<&StudyRow>]) -> String {
    let mut out = String::from(
        "| program | graph | schedules | rank correlation | r of logarithms | best ms | median ms | model's choice ms | regret |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut regrets = Vec::new();
    for group in groups {
        let pairs: Vec<(f64, f64)> = group.iter().map(|row| (row.measured, row.modelled)).collect();
        let logs: Vec<(f64, f64)> = pairs.iter().map(|(m, p)| (m.ln(), p.ln())).collect();
        let mut sorted: Vec<f64> = pairs.iter().map(|p| p.0).collect();
        sorted.sort_by(f64::total_cmp);
        let (best, median) = (sorted[0], sorted[sorted.len() / 2]);
        let chosen = pairs.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(f64::NAN, |p| p.0);
        regrets.push(chosen / best - 1.0);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.0} % |",
            group[0].cell.program,
            group[0].cell.graph,
            pairs.len(),
            number(spearman(&pairs)),
            number(pearson(&logs)),
            best * 1e3,
            median * 1e3,
            chosen * 1e3,
            (chosen / best - 1.0) * 100.0
        );
    }
    let mean = regrets.iter().sum::<f64>() / regrets.len().max(1) as f64;
    let worst = regrets.iter().copied().fold(0.0, f64::max);
    let _ = writeln!(out, "\nRegret of the model's choice: mean {:.0} %, worst {:.0} %.", mean * 100.0, worst * 100.0);
    out
}
