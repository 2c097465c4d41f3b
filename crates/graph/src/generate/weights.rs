//! Random weights in a range, a function of the seed and the two ends of an edge alone.
//!
//! Hashing the ends makes a weight independent of threads, of the order of edges and of how the graph was stored, and
//! gives both directions of an undirected edge the same weight without looking for the reverse.

use std::fmt;
use std::str::FromStr;

use super::hash::mix;
use crate::parallel;
use crate::{Adjacency, Graph, Offsets, Result, Weight, WeightKind, Weights, memory};

/// A range of weights: `1..1000` are integers, both ends included; `0.0..1.0` are reals, the upper end excluded.
///
/// Integers have 32 bits where both ends do and 64 bits otherwise; reals have 32 bits unless 64 are asked for.
///
/// ```
/// use gw_graph::generate::WeightRange;
/// assert_eq!("1..1000".parse(), Ok(WeightRange::Int { low: 1, high: 1000 }));
/// assert_eq!("0.5..2".parse(), Ok(WeightRange::Float { low: 0.5, high: 2.0 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WeightRange {
    /// Integers from `low` to `high`, both included.
    Int {
        /// Least weight.
        low: i64,
        /// Greatest weight.
        high: i64,
    },
    /// Reals from `low` up to but without `high`.
    Float {
        /// Least weight.
        low: f64,
        /// Bound of the weights.
        high: f64,
    },
}

impl WeightRange {
    /// The type of weights in the range: `wanted` reals, or else the narrowest type.
    pub fn kind(&self, wanted: Option<WeightKind>) -> WeightKind {
        match *self {
            WeightRange::Int { low, high } if i32::try_from(low).is_ok() && i32::try_from(high).is_ok() => {
                WeightKind::Int
            }
            WeightRange::Int { .. } => WeightKind::Int64,
            WeightRange::Float { .. } if wanted == Some(WeightKind::Double) => WeightKind::Double,
            WeightRange::Float { .. } => WeightKind::Float,
        }
    }

    /// As [`WeightRange::apply`]; an error when there is no memory for it.
    pub fn try_apply(&self, graph: &Graph, seed: u64, wanted: Option<WeightKind>) -> Result<Graph> {
        let per_edge = 4 + self.kind(wanted).bytes() as u64;
        let bytes = per_edge * graph.edges() as u64 + graph.out().offsets().bytes() as u64;
        memory::allow(bytes, "the graph with random weights")?;
        Ok(self.apply(graph, seed, wanted))
    }

    /// The same graph with random weights in place of those it had, of the type [`WeightRange::kind`] says.
    ///
    /// In a symmetric graph both directions of an edge weigh the same.
    pub fn apply(&self, graph: &Graph, seed: u64, wanted: Option<WeightKind>) -> Graph {
        let weights = match (*self, self.kind(wanted)) {
            (WeightRange::Int { low, high }, WeightKind::Int) => {
                let span = (high - low + 1) as u64;
                weigh(graph, seed, |hash| (low + scale(hash, span) as i64) as i32)
            }
            (WeightRange::Int { low, high }, _) => {
                // All of 64 bits have a span of 2^64, which is no number of 64 bits.
                let span = (i128::from(high) - i128::from(low) + 1) as u128;
                weigh(graph, seed, |hash| {
                    let above = if span > u128::from(u64::MAX) { hash } else { scale(hash, span as u64) };
                    low.wrapping_add(above as i64)
                })
            }
            (WeightRange::Float { low, high }, WeightKind::Double) => weigh(graph, seed, |hash| {
                let weight = low + (high - low) * unit(hash);
                if weight >= high && high > low { high.next_down() } else { weight }
            }),
            (WeightRange::Float { low, high }, _) => {
                let (low, high) = (low as f32, high as f32);
                let (base, span) = (f64::from(low), f64::from(high) - f64::from(low));
                weigh(graph, seed, |hash| {
                    let weight = (base + span * unit(hash)) as f32;
                    // Rounding to 32 bits may reach the excluded end.
                    if weight >= high && high > low { high.next_down() } else { weight }
                })
            }
        };
        let out = graph.out();
        let adjacency = Adjacency::from_parts(copy_offsets(out.offsets()), out.targets().to_vec().into(), weights);
        Graph::new(adjacency, graph.is_symmetric())
    }
}

/// A number from 0 up to but without 1 from 64 random bits.
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number below `span` from 64 random bits.
fn scale(hash: u64, span: u64) -> u64 {
    ((u128::from(hash) * u128::from(span)) >> 64) as u64
}

fn weigh<W: Weight>(graph: &Graph, seed: u64, weight: impl Fn(u64) -> W + Sync) -> Weights {
    const BLOCK: usize = 1 << 16;
    let adjacency = graph.out();
    let symmetric = graph.is_symmetric();
    let key = mix(seed ^ 0x77e1_6874_5eed_0001);
    let mut weights = vec![W::default(); adjacency.edges()];
    parallel::chunks(&mut weights, BLOCK, |begin, weights| {
        let mut source = adjacency.source_of(begin);
        let mut list_end = adjacency.range(source).end;
        let targets = &adjacency.targets()[begin..begin + weights.len()];
        for (edge, (slot, &target)) in (begin..).zip(weights.iter_mut().zip(targets)) {
            while edge >= list_end {
                source += 1;
                list_end = adjacency.range(source).end;
            }
            let (from, to) = if symmetric && target < source { (target, source) } else { (source, target) };
            *slot = weight(mix(key ^ mix(u64::from(from) << 32 | u64::from(to))));
        }
    });
    W::wrap(weights)
}

fn copy_offsets(offsets: &Offsets) -> Offsets {
    match offsets {
        Offsets::Narrow(o) => Offsets::Narrow(o.to_vec().into()),
        Offsets::Wide(o) => Offsets::Wide(o.to_vec().into()),
    }
}

impl FromStr for WeightRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "weights are a range such as 1..1000 (integers, both ends included) or 0.0..1.0 (reals)";
        let (low, high) = text.split_once("..").ok_or(FORM)?;
        if let (Ok(low), Ok(high)) = (low.parse(), high.parse()) {
            return match low <= high {
                true => Ok(WeightRange::Int { low, high }),
                false => Err(format!("the range {text} is empty")),
            };
        }
        match (low.parse::<f64>(), high.parse::<f64>()) {
            (Ok(low), Ok(high)) if !low.is_finite() || !high.is_finite() || !(high - low).is_finite() => {
                Err(format!("{text}: weights must be finite"))
            }
            (Ok(low), Ok(high)) if low > high => Err(format!("the range {text} is empty")),
            (Ok(low), Ok(high)) => Ok(WeightRange::Float { low, high }),
            _ => Err(FORM.to_owned()),
        }
    }
}

impl fmt::Display for WeightRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightRange::Int { low, high } => write!(f, "{low}..{high}"),
            // Debug keeps the point of whole numbers, which tells reals from integers.
            WeightRange::Float { low, high } => write!(f, "{low:?}..{high:?}"),
        }
    }
}
