//! Traces for tests.

use gw_mine::{InMemory, Numbers, Result, Source, Trace, Variables, packed};
use proptest::prelude::*;

/// A trace of these columns, named `b0`, `b1` and `n0`, `n1`.
pub fn source(booleans: Vec<Vec<bool>>, numbers: Vec<Vec<f64>>, instants: usize) -> InMemory {
    let names = |letter: &str, count: usize| (0..count).map(|v| format!("{letter}{v}")).collect();
    let variables = Variables { booleans: names("b", booleans.len()), numbers: names("n", numbers.len()) };
    let booleans = booleans.into_iter().map(packed).collect();
    InMemory::new(variables, Trace { instants, booleans, numbers: Numbers::narrowed(numbers) })
}

/// Columns of few different values, so that invariants happen: drawn, copied, negated or computed from others.
pub fn columns(instants: usize) -> impl Strategy<Value = (Vec<Vec<bool>>, Vec<Vec<f64>>)> {
    let boolean = (any::<u64>(), 0..7_u8);
    let number = (any::<u64>(), 0..12_u8);
    (prop::collection::vec(boolean, 0..6), prop::collection::vec(number, 0..6)).prop_map(move |(booleans, numbers)| {
        let mut bits: Vec<Vec<bool>> = Vec::new();
        for (seed, kind) in booleans {
            let mut rng = gw_graph::rng::Rng::new(seed, 0);
            let before = bits.len() as u64;
            let mut other = || bits[rng.below(before.max(1)) as usize].clone();
            let column = match kind {
                _ if before == 0 => (0..instants).map(|_| rng.below(2) == 1).collect(),
                0 => vec![true; instants],
                1 => vec![false; instants],
                2 => other(),
                3 => other().into_iter().map(|x| !x).collect(),
                4 => other().into_iter().zip(other()).map(|(x, y)| x && y).collect(),
                5 => other().into_iter().zip(other()).map(|(x, y)| x != y).collect(),
                _ => (0..instants).map(|_| rng.below(8) == 1).collect(),
            };
            bits.push(column);
        }
        let mut values: Vec<Vec<f64>> = Vec::new();
        for (seed, kind) in numbers {
            let mut rng = gw_graph::rng::Rng::new(seed, 1);
            let before = values.len() as u64;
            let mut other = || values[rng.below(before.max(1)) as usize].clone();
            let column: Vec<f64> = match kind {
                _ if before == 0 => (0..instants).map(|_| rng.below(9) as f64).collect(),
                0 => vec![7.0; instants],
                1 => other(),
                2 => other().into_iter().map(|x| x + 1.0).collect(),
                3 => other().into_iter().map(|x| 2.0 * x).collect(),
                4 => other().into_iter().zip(other()).map(|(x, y)| x.min(y)).collect(),
                5 => other().into_iter().zip(other()).map(|(x, y)| x + y).collect(),
                6 => other().into_iter().map(f64::ln).collect(),
                7 => other().into_iter().zip(other()).map(|(x, y)| x.powf(y)).collect(),
                8 => (0..instants).map(|_| rng.unit() - 0.5).collect(),
                9 => other().into_iter().map(|x| if rng.below(40) == 0 { f64::NAN } else { x }).collect(),
                10 => other().into_iter().map(|x| if rng.below(40) == 0 { f64::NEG_INFINITY } else { -x }).collect(),
                _ => (0..instants).map(|_| 1.0 + rng.below(3) as f64).collect(),
            };
            values.push(column);
        }
        (bits, values)
    })
}

/// Hands out a trace in small parts.
pub struct InParts {
    pub whole: InMemory,
    pub part: usize,
    pub at: usize,
    pub current: Option<Trace>,
}

impl Source for InParts {
    fn variables(&self) -> &Variables {
        self.whole.variables()
    }

    fn rewind(&mut self) -> Result<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let trace = self.whole.trace();
        let to = (self.at + self.part).min(trace.instants);
        let cut = |column: &Vec<u64>| column[self.at / 64..to.div_ceil(64)].to_vec();
        let numbers = match &trace.numbers {
            Numbers::Single(columns) => Numbers::Single(columns.iter().map(|c| c[self.at..to].to_vec()).collect()),
            Numbers::Double(columns) => Numbers::Double(columns.iter().map(|c| c[self.at..to].to_vec()).collect()),
        };
        let booleans = trace.booleans.iter().map(cut).collect();
        self.current = (self.at < to).then_some(Trace { instants: to - self.at, booleans, numbers });
        self.at = to;
        Ok(self.current.as_ref())
    }
}
