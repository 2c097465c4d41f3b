//! Fitting the constants that no sheet has, on cells of training graphs.

use gw_meter::Sheet;

use super::cell::{StudyCell, TracedStep};
use super::row::prediction;
use crate::predict::Costs;

/// Steps of a cell that count, the longest: deep searches have thousands that are alike.
const STEPS: usize = 24;
/// Steps below this share of their run are noise.
const SHARE: f64 = 0.02;
/// Factors by which a constant is changed, the coarse ones first.
const FACTORS: [f64; 4] = [2.0, 1.3, 1.08, 1.02];
/// Passes over all constants per factor, at most.
const PASSES: usize = 12;
/// From here a constant is tried as zero, and a zero is tried as this.
const LEAST: f64 = 0.05;

/// Constants as fitted.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// All constants; those of the other kind of machine as they were.
    pub costs: Costs,
    /// The mean error of the logarithms before.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// Steps that were fitted to.
    pub steps: usize,
}

/// Fits the constants of a kind of machine to traced cells by coordinate descent. What is made small is the mean, over
/// cells, of the absolute error of the logarithm of a step's time: a step twice as long as modelled counts as much as
/// one half as long.
pub fn fit(cells: &[StudyCell], sheet: &Sheet, start: Costs) -> Fitted {
    let gpu = sheet.gpu.is_some();
    let chosen: Vec<Vec<&TracedStep>> = cells.iter().map(longest).filter(|steps| !steps.is_empty()).collect();
    let loss = |costs: &Costs| {
        let cell = |steps: &Vec<&TracedStep>| {
            let (mut sum, mut weight) = (0.0, 0.0);
            for step in steps {
                let error = (prediction(step, sheet, costs).seconds / step.seconds).ln().abs();
                // Long steps count more, but not by as much as they are longer.
                sum += error * step.seconds.sqrt();
                weight += step.seconds.sqrt();
            }
            sum / weight
        };
        chosen.iter().map(cell).sum::<f64>() / chosen.len().max(1) as f64
    };
    let mut costs = start;
    let before = loss(&costs);
    let mut best = before;
    for factor in FACTORS {
        for _ in 0..PASSES {
            let pass_began = best;
            for constant in 0..costs.named(gpu).len() {
                let now = *costs.named(gpu)[constant].1;
                let tries = match now {
                    0.0 => vec![LEAST],
                    now if now <= LEAST => vec![now * factor, 0.0],
                    now => vec![now * factor, now / factor],
                };
                for value in tries {
                    let mut changed = costs;
                    *changed.named(gpu)[constant].1 = value;
                    let now = loss(&changed);
                    if now < best * (1.0 - 1e-6) {
                        (best, costs) = (now, changed);
                        break;
                    }
                }
            }
            if best > pass_began * 0.9995 {
                break;
            }
        }
    }
    Fitted { costs, before, after: best, steps: chosen.iter().map(Vec::len).sum() }
}

fn longest(cell: &StudyCell) -> Vec<&TracedStep> {
    let mut steps: Vec<&TracedStep> = cell.traced.iter().filter(|step| !step.assumed && step.seconds > 0.0).collect();
    let all: f64 = steps.iter().map(|step| step.seconds).sum();
    let many = steps.len();
    steps.retain(|step| step.seconds >= SHARE * all || many > STEPS);
    steps.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    // Of many, every so many: neither the longest nor the shortest alone.
    let apart = steps.len().div_ceil(STEPS).max(1);
    steps.into_iter().step_by(apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::StepCounts;
    use crate::machine::Server;
    use crate::predict::{OperatorFacts, StepFacts, predict};
    use crate::study::cell::{Cell, TracedRound};
    use crate::typical;
    use gw_meter::Target;

    #[test]
    fn constants_that_made_the_times_are_found_again() {
        let sheet = typical(Target::Cpu);
        let mut truth = Costs::default();
        (truth.cpu.range, truth.cpu.filter) = (40.0, 9.0);
        let step = |ranges: u64, filters: u64| {
            let mut counts = StepCounts { calls: 1, ..StepCounts::default() };
            counts.completions[Server::EdgeRange] = ranges;
            counts.completions[Server::NeighbourFilter] = filters;
            let operator = OperatorFacts { edges: true, ..OperatorFacts::default() };
            let facts = StepFacts { threads: 1, operator, ..StepFacts::default() };
            TracedStep {
                operator: "EdgeSetIterator".into(),
                path: "s1".into(),
                seconds: predict(&counts, &sheet, facts, &truth).seconds,
                assumed: false,
                whole_loop: false,
                rounds: vec![TracedRound { facts, counts }],
            }
        };
        let cell = |ranges, filters| StudyCell {
            cell: Cell {
                name: "made up".into(),
                program: "none".into(),
                graph: "none".into(),
                arguments: Vec::new(),
                schedule: None,
            },
            machine: "cpu".into(),
            threads: 1,
            seconds: 1.0,
            steps: Vec::new(),
            counted_for: None,
            traced: vec![step(ranges, filters)],
        };
        let cells = [cell(100_000, 1000), cell(1000, 100_000), cell(50_000, 50_000), cell(0, 1)];
        let found = fit(&cells, &sheet, Costs::default());
        assert!(found.before > 0.2 && found.after < 0.02, "{found:?}");
        let near = |found: f64, truth: f64| (found / truth - 1.0).abs() < 0.05;
        assert!(near(found.costs.cpu.range, 40.0) && near(found.costs.cpu.filter, 9.0), "{:?}", found.costs.cpu);
        assert_eq!(found.costs.gpu, Costs::default().gpu);
    }
}
