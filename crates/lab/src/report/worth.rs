//! The variants worth a look: where an implementation is best or worst, and where the times together are extreme.

use crate::{Field, Sheet, StepTable};

/// A variant at an extreme.
#[derive(Debug, Clone, PartialEq)]
pub struct WorthALook {
    /// What is extreme there, such as `greatest spread` or `best of vertex-pull`.
    pub what: String,
    /// Place of the variant in [`StepTable::variants`].
    pub variant: usize,
    /// The ratio or measure.
    pub value: f64,
}

/// A measure of the times of a variant.
type Measure = (&'static str, fn(&[f64]) -> f64);

/// Measures of the times of all core implementations on a variant.
const MEASURES: [Measure; 4] = [
    ("worst / best", |times| greatest(times) / least(times)),
    ("spread", |times| clean(spread(times))),
    ("skewness", |times| clean(standardised(times, 3))),
    ("kurtosis", |times| if spread(times) > NOISE { clean(standardised(times, 4) - 3.0) } else { 0.0 }),
];

/// What rounding may leave of a zero.
const NOISE: f64 = 1e-9;

/// The value, unless it is what rounding leaves of a zero.
fn clean(value: f64) -> f64 {
    if value.abs() < NOISE { 0.0 } else { value }
}

/// The variants worth a look among these, on all of which every core implementation was measured:
///
/// - with the greatest and the least ratio of worst to best time, spread (standard deviation by mean), skewness and
///   excess kurtosis of the times of the core implementations;
/// - for each core implementation, the variant where it is best (its time by that of the best other one) and the one
///   where it is worst (its time by that of the best one).
pub fn worth_a_look(table: &StepTable, variants: &[usize]) -> Vec<WorthALook> {
    let core = table.core();
    let times: Vec<(usize, Vec<f64>)> = variants
        .iter()
        .map(|&variant| (variant, core.iter().map(|&i| table.variants[variant].seconds(i)).collect()))
        .collect();
    let mut found = Vec::new();
    let mut add = |what: String, sign: f64, value: &dyn Fn(&[f64]) -> f64| {
        // The first of several that are alike, whichever end is looked for.
        let extreme = times.iter().map(|(variant, times)| (*variant, value(times)));
        if let Some((variant, value)) = extreme.min_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))) {
            found.push(WorthALook { what, variant, value });
        }
    };
    for (name, measure) in MEASURES {
        add(format!("greatest {name}"), -1.0, &measure);
        add(format!("least {name}"), 1.0, &measure);
    }
    if core.len() > 1 {
        for (place, &implementation) in core.iter().enumerate() {
            let name = &table.implementations[implementation].name;
            add(format!("best of {name}"), 1.0, &|times| times[place] / least_but(times, place));
            add(format!("worst of {name}"), -1.0, &|times| times[place] / least(times));
        }
    }
    found
}

/// The variants worth a look as a sheet.
pub(super) fn sheet(table: &StepTable, variants: &[usize]) -> Sheet {
    let mut sheet = Sheet::new(["What", "Graph", "Variant", "Value"]);
    for found in worth_a_look(table, variants) {
        let variant = &table.variants[found.variant];
        let graph = &table.graphs[variant.graph].name;
        sheet.row([found.what.into(), graph.as_str().into(), variant.config.as_str().into(), Field::Real(found.value)]);
    }
    sheet
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn least_but(times: &[f64], but: usize) -> f64 {
    let others = times.iter().enumerate().filter(|(place, _)| *place != but);
    others.map(|(_, &time)| time).fold(f64::INFINITY, f64::min)
}

fn greatest(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

fn moment(times: &[f64], power: i32) -> f64 {
    let mean = mean(times);
    times.iter().map(|time| (time - mean).powi(power)).sum::<f64>() / times.len() as f64
}

/// The standard deviation by the mean.
fn spread(times: &[f64]) -> f64 {
    moment(times, 2).sqrt() / mean(times)
}

/// The moment by the same power of the standard deviation; 0 when all times are the same.
fn standardised(times: &[f64], power: i32) -> f64 {
    let square = moment(times, 2);
    if spread(times) > NOISE { moment(times, power) / square.powf(f64::from(power) / 2.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Implementation, StepTimes, TableGraph, Variant};
    use gw_schedule::Feature;

    fn table(times: &[[f64; 3]]) -> StepTable {
        let implementation = |name: &str| Implementation {
            id: 0,
            name: name.into(),
            schedule: String::new(),
            target: String::new(),
            is_core: true,
        };
        let variant = |times: &[f64; 3]| Variant {
            id: 0,
            graph: 0,
            config: format!("{times:?}"),
            totals: times.to_vec(),
            steps: vec![StepTimes { features: [0.0; Feature::COUNT], seconds: times.to_vec() }],
        };
        let graph = TableGraph { id: 0, name: "g".into(), dataset: "".into(), class: "".into(), vertices: 1, edges: 1 };
        StepTable {
            implementations: ["a", "b", "c"].map(implementation).to_vec(),
            graphs: vec![graph],
            variants: times.iter().map(variant).collect(),
            ..StepTable::default()
        }
    }

    #[test]
    fn what_rounding_leaves_of_a_zero_is_zero() {
        // Evenly spaced, and all alike: no skewness, and no spread, but for the last bit.
        let table = table(&[[0.1, 0.2, 0.3], [0.1, 0.1, 0.1 + 1e-17], [0.7, 0.1 + 0.6, 0.7]]);
        for found in worth_a_look(&table, &[0, 1, 2]) {
            assert!(found.value == 0.0 || found.value.abs() > 1e-6, "{found:?}");
        }
    }

    #[test]
    fn extremes_by_hand() {
        let table = table(&[[1.0, 1.0, 4.0], [2.0, 1.0, 3.0], [8.0, 2.0, 2.0], [5.0, 5.0, 5.0]]);
        let found = worth_a_look(&table, &[0, 1, 2, 3]);
        let of = |what: &str| {
            let found = found.iter().find(|found| found.what == what).unwrap();
            (found.variant, found.value)
        };
        assert_eq!(of("greatest worst / best"), (0, 4.0));
        assert_eq!(of("least worst / best"), (3, 1.0));
        assert_eq!(of("least spread"), (3, 0.0));
        let (variant, spread) = of("greatest spread");
        assert!(variant == 0 && (spread - 2f64.sqrt() / 2.0).abs() < 1e-12);
        let (variant, skewness) = of("greatest skewness");
        assert!(variant == 0 && (skewness - 0.5f64.sqrt()).abs() < 1e-12);
        // Three values, two of them equal, or evenly spaced: the fourth moment is 1.5 squares of the second.
        assert!((of("least kurtosis").1 + 1.5).abs() < 1e-12);
        assert_eq!(of("best of b"), (1, 0.5));
        assert_eq!(of("best of a"), (0, 1.0));
        assert_eq!(of("worst of a"), (2, 4.0));
        assert_eq!(of("worst of c"), (0, 4.0));
        assert_eq!(found.len(), 8 + 6);
        assert_eq!(sheet(&table, &[3]).rows[0][3], Field::Real(1.0));
        assert_eq!(worth_a_look(&table, &[]), []);
    }
}
