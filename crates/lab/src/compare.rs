//! How implementations compare over a set of variants: a row for each, in relation to what would have been best.
//!
//! A variant `x` is a graph and a way to run the program on it, `t(i,x,s)` the mean seconds of step `s` under
//! implementation `i`, and `t(i,x)` their sum over the steps.
//!
//! | name | meaning |
//! |---|---|
//! | optimal | `opt(x)`: the sum over the steps of the least time of any core implementation; switching costs nothing |
//! | best non-switching | `bns(x)`: the least `t(i,x)` of any core implementation |
//! | Total | sum of `t(i,x)` over the variants by the sum of `opt(x)`: long runs decide |
//! | Avg | mean of `t(i,x) / opt(x)`: each variant weighs the same |
//! | 1-2x, >5x, >20x | percentage of the variants whose ratio is below 2, above 5, above 20 |
//! | Worst | the greatest ratio |
//! | GeoMean | geometric mean of the ratios |
//!
//! Only variants count on which every compared core implementation was measured; how many were left out is told.
//!
//! ```
//! # use gw_lab::{Comparing, Comparison, Implementation, StepTable, StepTimes, TableGraph, Variant};
//! # let (schedule, target) = ("default", "cpu");
//! # let core = |name: &str| {
//! #     let (name, schedule, target) = (name.into(), schedule.into(), target.into());
//! #     Implementation { id: 0, name, schedule, target, is_core: true }
//! # };
//! # let step = |a, b| StepTimes { features: [0.0; gw_schedule::Feature::COUNT], seconds: vec![a, b] };
//! # let graph = TableGraph { id: 1, name: "g".into(), dataset: "d".into(), class: "c".into(), vertices: 4, edges: 8 };
//! let steps = vec![step(1.0, 3.0), step(5.0, 1.0)];
//! let variant = Variant { id: 1, graph: 0, config: "root 0".into(), totals: vec![6.0, 4.0], steps };
//! let table = StepTable {
//!     implementations: vec![core("push"), core("pull")],
//!     graphs: vec![graph],
//!     variants: vec![variant],
//!     ..StepTable::default()
//! };
//! let comparison = Comparison::of(&table, &Comparing::default());
//! let totals: Vec<(&str, f64)> = comparison.rows.iter().map(|row| (row.name.as_str(), row.total)).collect();
//! assert_eq!(totals, [("Optimal", 1.0), ("Best Non-switching", 2.0), ("pull", 2.0), ("push", 3.0)]);
//! ```

use serde::Serialize;

use crate::sheet::{Field, Sheet};
use crate::table::{StepTable, Variant};

/// What is compared, and with what.
#[derive(Debug, Clone, Default)]
pub struct Comparing<'a> {
    /// Only these places of [`StepTable::variants`], such as the held-out ones; all when absent.
    pub variants: Option<&'a [usize]>,
    /// What a ratio is taken of.
    pub baseline: Baseline,
    /// Further rows, such as the predictions of a model.
    pub contenders: &'a [Contender],
}

/// What a ratio is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Baseline {
    /// The optimal time: the best implementation for each step.
    #[default]
    Optimal,
    /// The best single implementation for each variant.
    BestNonSwitching,
}

/// Times that are compared but do not define what is optimal.
#[derive(Debug, Clone)]
pub struct Contender {
    /// The name of its row.
    pub name: String,
    /// What kind of row it is.
    pub kind: RowKind,
    /// Seconds for each of [`StepTable::variants`]; NaN where there are none.
    pub seconds: Vec<f64>,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The best choice at every step.
    Optimal,
    /// The best single choice for every variant.
    BestNonSwitching,
    /// A fixed schedule.
    Core,
    /// A measured implementation that switches.
    Derived,
    /// The times that a model's choices would take.
    Predicted,
}

/// All rows, the least Total first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// A row for each implementation and contender.
    pub rows: Vec<ComparisonRow>,
    /// Variants that were compared.
    pub variants: usize,
    /// Variants that were not, since a core implementation was not measured there or since they take no time.
    pub left_out: usize,
    /// The sum of the baseline over the compared variants.
    pub baseline_seconds: f64,
}

/// One implementation or contender.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub kind: RowKind,
    /// Summed seconds by the summed baseline.
    pub total: f64,
    /// Mean ratio.
    pub avg: f64,
    /// Percentage of the variants with a ratio below 2.
    pub within_2: f64,
    /// Percentage of the variants with a ratio above 5.
    pub over_5: f64,
    /// Percentage of the variants with a ratio above 20.
    pub over_20: f64,
    /// The greatest ratio.
    pub worst: f64,
    /// The place in [`StepTable::variants`] where that happens.
    pub worst_variant: usize,
    /// Geometric mean of the ratios.
    pub geometric_mean: f64,
    /// Variants that the row is about: all compared ones, or those that a contender has times for.
    pub variants: usize,
}

impl Variant {
    /// The sum of the step times of an implementation; NaN when a step was not measured.
    pub fn seconds(&self, implementation: usize) -> f64 {
        self.steps.iter().map(|step| step.seconds.get(implementation).copied().unwrap_or(f64::NAN)).sum()
    }

    /// The least time of any of these implementations, step by step, summed; NaN when a step was not measured at all.
    pub fn optimal_seconds(&self, implementations: &[usize]) -> f64 {
        let least = |seconds: &Vec<f64>| {
            implementations.iter().filter_map(|&i| seconds.get(i).copied()).fold(f64::NAN, f64::min)
        };
        self.steps.iter().map(|step| least(&step.seconds)).sum()
    }

    /// The least [`Variant::seconds`] of any of these implementations.
    pub fn best_single_seconds(&self, implementations: &[usize]) -> f64 {
        implementations.iter().map(|&i| self.seconds(i)).fold(f64::NAN, f64::min)
    }
}

impl StepTable {
    /// The core implementations that were measured on at least one variant: these define what is optimal.
    pub fn core(&self) -> Vec<usize> {
        let measured = |i: usize| self.variants.iter().any(|x| !x.steps.is_empty() && !x.seconds(i).is_nan());
        (0..self.implementations.len()).filter(|&i| self.implementations[i].is_core && measured(i)).collect()
    }

    /// Whether all these implementations were measured at every step of a variant that takes time.
    pub fn is_complete(&self, variant: usize, implementations: &[usize]) -> bool {
        let variant = &self.variants[variant];
        implementations.iter().all(|&i| variant.seconds(i).is_finite())
            && variant.optimal_seconds(implementations) > 0.0
    }
}

impl Comparison {
    /// Compares the implementations of a table, and contenders with them.
    pub fn of(table: &StepTable, comparing: &Comparing) -> Comparison {
        let core = table.core();
        let all: Vec<usize> = (0..table.variants.len()).collect();
        let wanted = comparing.variants.unwrap_or(&all);
        let complete: Vec<usize> = wanted.iter().copied().filter(|&x| table.is_complete(x, &core)).collect();
        let times = |seconds: &dyn Fn(&Variant) -> f64| -> Vec<f64> { table.variants.iter().map(seconds).collect() };
        let optimal = times(&|variant| variant.optimal_seconds(&core));
        let single = times(&|variant| variant.best_single_seconds(&core));
        let baseline = match comparing.baseline {
            Baseline::Optimal => optimal.clone(),
            Baseline::BestNonSwitching => single.clone(),
        };

        let mut entries = vec![
            ("Optimal".to_string(), RowKind::Optimal, optimal),
            ("Best Non-switching".to_string(), RowKind::BestNonSwitching, single),
        ];
        for (i, implementation) in table.implementations.iter().enumerate() {
            let kind = if implementation.is_core { RowKind::Core } else { RowKind::Derived };
            entries.push((implementation.name.clone(), kind, times(&|variant| variant.seconds(i))));
        }
        for contender in comparing.contenders {
            entries.push((contender.name.clone(), contender.kind, contender.seconds.clone()));
        }
        let mut rows: Vec<ComparisonRow> = entries
            .into_iter()
            .filter_map(|(name, kind, seconds)| ComparisonRow::of(name, kind, &seconds, &baseline, &complete))
            .collect();
        // Rows of the same Total stand in the order of the kinds above, then by name.
        rows.sort_by(|a, b| {
            a.total.total_cmp(&b.total).then((a.kind as u8).cmp(&(b.kind as u8))).then_with(|| a.name.cmp(&b.name))
        });
        Comparison {
            rows,
            variants: complete.len(),
            left_out: wanted.len() - complete.len(),
            baseline_seconds: complete.iter().map(|&x| baseline[x]).sum(),
        }
    }

    /// The row of this name.
    pub fn row(&self, name: &str) -> Option<&ComparisonRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The fixed schedule with the least Total.
    pub fn best_fixed(&self) -> Option<&ComparisonRow> {
        self.rows.iter().find(|row| row.kind == RowKind::Core)
    }

    /// The columns of the published tables and the geometric mean.
    pub fn sheet(&self) -> Sheet {
        let mut sheet =
            Sheet::new(["Implementation", "Total", "Avg", "1-2x %", ">5x %", ">20x %", "Worst", "GeoMean", "Variants"]);
        for row in &self.rows {
            let numbers = [row.total, row.avg, row.within_2, row.over_5, row.over_20, row.worst, row.geometric_mean];
            let mut fields = vec![Field::Text(row.name.clone())];
            fields.extend(numbers.map(Field::Real));
            fields.push(Field::Integer(row.variants as i64));
            sheet.rows.push(fields);
        }
        sheet
    }
}

impl ComparisonRow {
    /// A row over those of the variants that have times; `None` when none has.
    fn of(name: String, kind: RowKind, seconds: &[f64], baseline: &[f64], variants: &[usize]) -> Option<ComparisonRow> {
        let time = |x: usize| seconds.get(x).copied().filter(|seconds| seconds.is_finite());
        let measured: Vec<(usize, f64, f64)> =
            variants.iter().filter_map(|&x| time(x).map(|seconds| (x, seconds, baseline[x]))).collect();
        let count = measured.len() as f64;
        let ratios: Vec<f64> = measured.iter().map(|&(_, seconds, best)| seconds / best).collect();
        let percent = |holds: &dyn Fn(f64) -> bool| 100.0 * ratios.iter().filter(|&&r| holds(r)).count() as f64 / count;
        let (place, worst) = ratios.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(ComparisonRow {
            name,
            kind,
            total: measured.iter().map(|m| m.1).sum::<f64>() / measured.iter().map(|m| m.2).sum::<f64>(),
            avg: ratios.iter().sum::<f64>() / count,
            within_2: percent(&|ratio| ratio < 2.0),
            over_5: percent(&|ratio| ratio > 5.0),
            over_20: percent(&|ratio| ratio > 20.0),
            worst,
            worst_variant: measured[place].0,
            geometric_mean: (ratios.iter().map(|r| r.ln()).sum::<f64>() / count).exp(),
            variants: measured.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Implementation, StepTimes, TableGraph};
    use gw_schedule::Feature;
    use proptest::prelude::*;

    /// A table of core implementations `A`, `B`, ...: `times[variant][step][implementation]`.
    fn table(times: &[Vec<Vec<f64>>]) -> StepTable {
        let width = times.first().and_then(|steps| steps.first()).map_or(0, Vec::len);
        let implementation = |i: usize| Implementation {
            id: i as i64,
            name: char::from(b'A' + i as u8).to_string(),
            schedule: "default".into(),
            target: "cpu".into(),
            is_core: true,
        };
        let graph =
            TableGraph { id: 1, name: "g".into(), dataset: "d".into(), class: "c".into(), vertices: 1, edges: 1 };
        let variant = |(x, steps): (usize, &Vec<Vec<f64>>)| Variant {
            id: x as i64,
            graph: 0,
            config: format!("root {x}"),
            totals: vec![f64::NAN; width],
            steps: steps
                .iter()
                .map(|seconds| StepTimes { features: [0.0; Feature::COUNT], seconds: seconds.clone() })
                .collect(),
        };
        StepTable {
            program: "p".into(),
            platform: "m".into(),
            implementations: (0..width).map(implementation).collect(),
            graphs: vec![graph],
            variants: times.iter().enumerate().map(variant).collect(),
            ..StepTable::default()
        }
    }

    fn totals(comparison: &Comparison) -> Vec<(&str, f64)> {
        comparison.rows.iter().map(|row| (row.name.as_str(), row.total)).collect()
    }

    #[test]
    fn the_one_that_never_wins_may_have_the_least_mean() {
        let table = table(&[vec![vec![100.0, 150.0, 300.0]], vec![vec![300.0, 150.0, 100.0]]]);
        let comparison = Comparison::of(&table, &Comparing::default());
        assert_eq!(
            totals(&comparison),
            [("Optimal", 1.0), ("Best Non-switching", 1.0), ("B", 1.5), ("A", 2.0), ("C", 2.0)]
        );
        let a = comparison.row("A").unwrap();
        assert_eq!((a.avg, a.worst, a.worst_variant), (2.0, 3.0, 1));
        assert_eq!((a.within_2, a.over_5, a.over_20), (50.0, 0.0, 0.0));
        assert!((a.geometric_mean - 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(comparison.best_fixed().unwrap().name, "B");
        assert_eq!(comparison.sheet().rows[2][..2], [Field::Text("B".into()), Field::Real(1.5)]);
    }

    #[test]
    fn bounds_are_strict() {
        let table = table(&[
            vec![vec![1.0, 2.0]],
            vec![vec![1.0, 5.0]],
            vec![vec![1.0, 20.0]],
            vec![vec![1.0, 21.0]],
            vec![vec![1.0, 1.5]],
        ]);
        let comparison = Comparison::of(&table, &Comparing::default());
        let b = comparison.row("B").unwrap();
        assert_eq!((b.within_2, b.over_5, b.over_20), (20.0, 40.0, 20.0));
        assert_eq!((b.worst, b.worst_variant), (21.0, 3));
    }

    #[test]
    fn unmeasured_variants_are_left_out_and_counted() {
        let mut table = table(&[
            vec![vec![1.0, 2.0], vec![1.0, 2.0]],
            vec![vec![1.0, 2.0], vec![f64::NAN, 2.0]],
            vec![vec![0.0, 0.0]],
            vec![],
        ]);
        let model = Contender { name: "model".into(), kind: RowKind::Predicted, seconds: vec![3.0, 1.0, 1.0, 1.0] };
        let absent = Contender { name: "absent".into(), kind: RowKind::Predicted, seconds: vec![f64::NAN; 4] };
        let contenders = [model, absent];
        let comparing = Comparing { contenders: &contenders, ..Comparing::default() };
        let comparison = Comparison::of(&table, &comparing);
        assert_eq!((comparison.variants, comparison.left_out, comparison.baseline_seconds), (1, 3, 2.0));
        assert_eq!(comparison.row("model").unwrap().total, 1.5);
        assert!(comparison.row("absent").is_none());
        // One that was never measured does not take all variants with it.
        for step in table.variants.iter_mut().flat_map(|variant| &mut variant.steps) {
            step.seconds.push(f64::NAN);
        }
        let extra = Implementation { name: "C".into(), ..table.implementations[0].clone() };
        table.implementations.push(extra);
        assert_eq!(Comparison::of(&table, &Comparing::default()).variants, 1);
        // A part of the variants.
        let part = Comparison::of(&table, &Comparing { variants: Some(&[1, 2]), ..Comparing::default() });
        assert_eq!((part.variants, part.left_out, part.rows.len()), (0, 2, 0));
    }

    #[test]
    fn those_that_switch_define_nothing() {
        let mut table = table(&[vec![vec![2.0, 1.0]]]);
        table.implementations[1].is_core = false;
        let comparison = Comparison::of(&table, &Comparing::default());
        assert_eq!(totals(&comparison), [("B", 0.5), ("Optimal", 1.0), ("Best Non-switching", 1.0), ("A", 1.0)]);
        assert_eq!(comparison.row("B").unwrap().kind, RowKind::Derived);
    }

    fn times() -> impl Strategy<Value = Vec<Vec<Vec<f64>>>> {
        let step = proptest::collection::vec(0.001f64..10.0, 4);
        proptest::collection::vec(proptest::collection::vec(step, 1..6), 1..8)
    }

    proptest! {
        /// Totals by the two baselines differ by one factor: the Total of the best non-switching choice.
        #[test]
        fn the_two_baselines_differ_by_a_factor(times in times()) {
            let table = table(&times);
            let by_step = Comparison::of(&table, &Comparing::default());
            let by_single =
                Comparison::of(&table, &Comparing { baseline: Baseline::BestNonSwitching, ..Comparing::default() });
            let factor = by_step.row("Best Non-switching").unwrap().total;
            for row in &by_step.rows {
                let other = by_single.row(&row.name).unwrap().total;
                prop_assert!((row.total / other - factor).abs() < 1e-9 * factor);
            }
        }

        #[test]
        fn nothing_beats_the_optimum_and_no_fixed_one_beats_the_best(times in times()) {
            let comparison = Comparison::of(&table(&times), &Comparing::default());
            let single = comparison.row("Best Non-switching").unwrap();
            for row in &comparison.rows {
                prop_assert!(row.total >= 1.0 - 1e-12 && row.avg >= 1.0 - 1e-12);
                prop_assert!(row.geometric_mean <= row.avg * (1.0 + 1e-12) && row.avg <= row.worst * (1.0 + 1e-12));
                prop_assert!(row.kind != RowKind::Core || row.total >= single.total - 1e-12);
            }
        }
    }
}
