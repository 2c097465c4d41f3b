//! Graphs with a given mean, standard deviation and maximum of out-degrees: the workloads on which mappings of work to
//! threads are compared.
//!
//! The degree of the vertex of rank r (0 is the largest) lies on a shifted power law that is cut off below,
//! `max(least, shift + (maximum - shift) * (r + 1)^-slope)`. For every slope there is one shift with the wanted mean,
//! and the deviation falls as the slope grows, so two nested bisections find both. Ranks are dealt to vertices by a
//! random permutation, and a degree with a fraction is rounded up with the probability of its fraction.

use super::hash::{Permutation, mix};
use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, GraphError, Result, parallel};

/// A directed graph whose out-degrees have a given mean, standard deviation and maximum.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Number of vertices with out-edges ("work items").
    pub items: u64,
    /// Mean out-degree.
    pub mean: f64,
    /// Standard deviation of out-degrees.
    pub deviation: f64,
    /// Greatest out-degree; exactly one vertex has it unless the deviation asks for more.
    pub max: u64,
    /// Least out-degree.
    pub min: u64,
    /// Every edge leads to a vertex of its own ("work unit"), numbered after the items in the order of the edges;
    /// otherwise edges lead to random items.
    pub units: bool,
}

impl Shape {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let units = params.flag("units");
        let (items, mean, deviation, max): (u64, f64, f64, u64) = (
            params.required("ITEMS")?,
            params.required("MEAN")?,
            params.required("DEVIATION")?,
            params.required("MAX")?,
        );
        let min = params.named("min")?.unwrap_or(if mean >= 1.0 { 1 } else { 0 });
        params.check(items >= 1 && mean.is_finite() && min as f64 <= mean && mean <= max as f64, || {
            format!(
                "the mean {mean} must lie between the least degree {min} and the greatest {max} of at least one item"
            )
        })?;
        params.check(units || max < items, || {
            format!("an item cannot lead to {max} others of {items}; `units` gives every edge an end of its own")
        })?;
        let shape = Shape { items, mean, deviation, max, min, units };
        shape.curve().map_err(|message| params.error(message))?;
        Ok(shape)
    }

    /// The curve of degrees by rank, or why there is none.
    fn curve(&self) -> std::result::Result<Curve, String> {
        let (flattest, steepest) = (self.with_mean(LEAST_SLOPE), self.with_mean(GREATEST_SLOPE));
        let (most, least) = (flattest.deviation(), steepest.deviation());
        // Rounding of single degrees makes the last percent.
        if !(least * 0.99 - 1e-9..=most * 1.01 + 1e-9).contains(&self.deviation) {
            return Err(format!(
                "{} degrees with mean {}, maximum {} and minimum {} have a deviation from {least:.2} to {most:.2}, \
                 not {}",
                self.items, self.mean, self.max, self.min, self.deviation
            ));
        }
        let (mut flat, mut steep) = (LEAST_SLOPE, GREATEST_SLOPE);
        for _ in 0..STEPS {
            let slope = (flat * steep).sqrt();
            match self.with_mean(slope).deviation() > self.deviation {
                true => flat = slope,
                false => steep = slope,
            }
        }
        Ok(self.with_mean(steep))
    }

    /// The curve of this slope that has the wanted mean.
    fn with_mean(&self, slope: f64) -> Curve {
        let ranks = Ranks::new(self.items, slope);
        let (max, least) = (self.max as f64, self.min as f64);
        let (mut low, mut high) = (-max * 1e5 - 1.0, max);
        for _ in 0..STEPS {
            let shift = 0.5 * (low + high);
            match ranks.moments(shift, max, least).0 < self.mean {
                true => low = shift,
                false => high = shift,
            }
        }
        let (mean, square) = ranks.moments(high, max, least);
        Curve { slope, shift: high, max, least, variance: (square - mean * mean).max(0.0) }
    }

    /// The out-degrees of all items under `seed`.
    fn degrees(&self, seed: u64) -> Result<Vec<u32>> {
        let curve = self.curve().map_err(GraphError::Generate)?;
        let bits = self.items.next_power_of_two().trailing_zeros();
        let ranks = Permutation::new(bits, seed);
        const BLOCK: u64 = 1 << 16;
        let blocks = parallel::map(self.items.div_ceil(BLOCK) as usize, |block| {
            let begin = block as u64 * BLOCK;
            (begin..(begin + BLOCK).min(self.items))
                .map(|item| {
                    let mut rank = ranks.apply(item as u32);
                    while u64::from(rank) >= self.items {
                        rank = ranks.apply(rank);
                    }
                    let chance = (mix(seed ^ mix(item.wrapping_add(1))) >> 11) as f64 / (1u64 << 53) as f64;
                    (curve.degree(u64::from(rank)) + chance) as u32
                })
                .collect::<Vec<u32>>()
        });
        Ok(blocks.concat())
    }
}

const LEAST_SLOPE: f64 = 0.01;
const GREATEST_SLOPE: f64 = 64.0;
/// Halvings of an interval; more than enough for its ends to meet.
const STEPS: usize = 80;

/// Degrees by rank.
struct Curve {
    slope: f64,
    shift: f64,
    max: f64,
    least: f64,
    variance: f64,
}

impl Curve {
    fn degree(&self, rank: u64) -> f64 {
        value(((rank + 1) as f64).powf(-self.slope), self.shift, self.max, self.least)
    }

    fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }
}

fn value(weight: f64, shift: f64, max: f64, least: f64) -> f64 {
    (shift + (max - shift) * weight).clamp(least, max)
}

/// The factors `(rank + 1)^-slope` with how many ranks have about that factor: single ranks at the head, then bins
/// that grow by half a percent.
struct Ranks(Vec<(f64, f64)>);

impl Ranks {
    fn new(items: u64, slope: f64) -> Self {
        let mut bins = Vec::new();
        let mut rank = 0;
        while rank < items {
            let length = (rank / 200).max(1).min(items - rank);
            let middle = rank as f64 + 0.5 * (length - 1) as f64;
            bins.push(((middle + 1.0).powf(-slope), length as f64));
            rank += length;
        }
        Ranks(bins)
    }

    /// Mean and mean square of the rounded degrees.
    fn moments(&self, shift: f64, max: f64, least: f64) -> (f64, f64) {
        let (mut items, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for &(weight, count) in &self.0 {
            let degree = value(weight, shift, max, least);
            let fraction = degree - degree.floor();
            items += count;
            sum += count * degree;
            squares += count * (degree * degree + fraction * (1.0 - fraction));
        }
        (sum / items, squares / items)
    }
}

impl Generator for Shape {
    fn spec(&self) -> String {
        let mut spec = format!("shape:{}:{}:{}:{}", self.items, self.mean, self.deviation, self.max);
        if self.min != if self.mean >= 1.0 { 1 } else { 0 } {
            spec += &format!(":min={}", self.min);
        }
        if self.units {
            spec += ":units";
        }
        spec
    }

    fn size(&self) -> Size {
        let edges = (self.items as f64 * self.mean).ceil() as u128;
        Size::new(u128::from(self.items) + if self.units { edges } else { 0 }, edges)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let degrees = self.degrees(seed)?;
        let mut first = Vec::with_capacity(degrees.len());
        let mut all = 0u64;
        for &degree in &degrees {
            first.push(all);
            all += u64::from(degree);
        }
        let vertices = self.items + if self.units { all } else { 0 };
        crate::vertex_limit::checked_vertices(vertices)?;
        let per_item = self.mean.ceil() as usize;
        Ok(blocks::per_item(vertices, self.items, per_item, seed, progress, |rng, item, edges| {
            let degree = u64::from(degrees[item as usize]);
            if self.units {
                let unit = self.items + first[item as usize];
                edges.extend((unit..unit + degree).map(|unit| (item as u32, unit as u32)));
            } else if degree > 0 {
                // An arithmetic sequence modulo the number of others: random, and no target twice.
                let others = self.items - 1;
                let mut step = rng.below(others) + 1;
                while common_divisor(step, others) != 1 {
                    step = step % others + 1;
                }
                let mut target = rng.below(others);
                for _ in 0..degree {
                    edges.push((item as u32, ((item + 1 + target) % self.items) as u32));
                    target = (target + step) % others;
                }
            }
        }))
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(degrees: &[u32]) -> (f64, f64, u32) {
        let n = degrees.len() as f64;
        let mean = degrees.iter().map(|&d| f64::from(d)).sum::<f64>() / n;
        let variance = degrees.iter().map(|&d| (f64::from(d) - mean).powi(2)).sum::<f64>() / n;
        (mean, variance.sqrt(), degrees.iter().copied().max().unwrap_or(0))
    }

    /// The seven workloads of chapter 5 of Busato's thesis (the last one smaller), by items, mean, deviation, maximum.
    #[test]
    fn degrees_have_the_wanted_moments() {
        for (items, mean, deviation, max) in [
            (7_733_822, 2.1, 0.5, 8),
            (3_774_768, 4.8, 7.5, 770),
            (325_729, 5.2, 21.4, 3445),
            (1_000_000, 8.0, 0.0, 8),
            (5_558_326, 10.7, 1356.6, 1_290_501),
            (1_696_415, 13.1, 136.9, 35_455),
            (1_048_576, 96.2, 1033.1, 413_378),
        ] {
            let min = 1;
            let shape = Shape { items, mean, deviation, max, min, units: true };
            let (seen_mean, seen_deviation, seen_max) = moments(&shape.degrees(3).unwrap());
            assert!((seen_mean - mean).abs() <= 0.01 * mean, "{shape:?}: mean {seen_mean}");
            assert!((seen_deviation - deviation).abs() <= 0.02 * deviation, "{shape:?}: deviation {seen_deviation}");
            assert_eq!(u64::from(seen_max), max, "{shape:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let shape = Shape { items: 1000, mean: 4.0, deviation: 500.0, max: 100, min: 0, units: true };
        let message = shape.curve().err().unwrap();
        assert!(message.contains("have a deviation from 3.0") && message.contains("not 500"), "{message}");
    }

    #[test]
    fn random_targets_are_simple_and_units_are_consecutive() {
        let shape = Shape { items: 500, mean: 6.0, deviation: 20.0, max: 300, min: 0, units: false };
        let edges = shape.edges(5, &crate::progress::Silent).unwrap();
        let mut pairs: Vec<_> = edges.iter().map(|(a, b, ())| (a, b)).collect();
        let count = pairs.len();
        assert!(pairs.iter().all(|(a, b)| a != b));
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), count);

        let shape = Shape { units: true, ..shape };
        let edges = shape.edges(5, &crate::progress::Silent).unwrap();
        assert!(edges.iter().zip(500u32..).all(|((_, unit, ()), expected)| unit == expected));
        assert_eq!(edges.vertices, 500 + edges.len());
    }
}
