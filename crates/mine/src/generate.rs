//! Traces for tests and measurements, of the shape of those of the thesis: Booleans and numbers drawn at random, with
//! or without planted invariants.

use gw_graph::rng::Rng;
use rayon::prelude::*;

use crate::source::InMemory;
use crate::trace::{Numbers, Trace, Variables};

/// Instants that one stream of random numbers makes.
const PIECE: usize = 1 << 16;

/// A trace without invariants: every value is drawn evenly, Booleans from both values and numbers from the whole
/// numbers -128 to 127, so that no template of set I or II holds for long.
pub fn noise(instants: usize, booleans: usize, numbers: usize, seed: u64) -> InMemory {
    let bits = (0..booleans).map(|v| random_words(instants, seed, v as u64)).collect();
    let columns = (0..numbers).map(|v| random_numbers(instants, seed, v as u64)).collect();
    named(Trace { instants, booleans: bits, numbers: Numbers::Single(columns) })
}

/// A trace with planted invariants.
///
/// Groups of five Booleans are: two drawn at random, their conjunction, their disjunction and a copy of the first;
/// the last Boolean is always true. The first half of the numbers is a chain: all are near a base drawn anew for
/// every instant, and each is less than the next. Groups of five of the others are: one drawn at random, that one and
/// something positive on top, twice that one, the smaller of two drawn numbers, and one of those two. The chain makes
/// sums and products hold for tens of thousands of triples that ranges do not decide, as in the traces of the thesis.
pub fn planted(instants: usize, booleans: usize, numbers: usize, seed: u64) -> InMemory {
    let bits = (0..booleans).map(|v| planted_boolean(instants, v, booleans, seed)).collect();
    let planted = |v| planted_number(instants, v, numbers, seed);
    let columns: Vec<Vec<f32>> = (0..numbers).into_par_iter().map(planted).collect();
    named(Trace { instants, booleans: bits, numbers: Numbers::Single(columns) })
}

/// The traces of the thesis, by their shape: 15 or 50 Booleans and as many numbers, with or without invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// 15 and 15, no invariants.
    T1,
    /// 15 and 15, planted ones.
    T2,
    /// 50 and 50, no invariants.
    T3,
    /// 50 and 50, planted ones.
    T4,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 4] = [Shape::T1, Shape::T2, Shape::T3, Shape::T4];

    /// The name in the thesis.
    pub fn name(self) -> &'static str {
        match self {
            Shape::T1 => "T1",
            Shape::T2 => "T2",
            Shape::T3 => "T3",
            Shape::T4 => "T4",
        }
    }

    /// A trace of this shape. [`crate::MineError::Memory`] where it does not fit.
    pub fn make(self, instants: usize, seed: u64) -> crate::Result<InMemory> {
        let (variables, is_planted) = match self {
            Shape::T1 => (15, false),
            Shape::T2 => (15, true),
            Shape::T3 => (50, false),
            Shape::T4 => (50, true),
        };
        // Columns under way take as much again while their parts are drawn.
        let bytes = (instants as u64).saturating_mul(2 * variables as u64 * 5);
        gw_graph::memory::allow(bytes, format_args!("a trace of {instants} instants"))?;
        Ok(match is_planted {
            true => planted(instants, variables, variables, seed),
            false => noise(instants, variables, variables, seed),
        })
    }
}

fn named(trace: Trace) -> InMemory {
    let names = |letter: &str, count: usize| (0..count).map(|v| format!("{letter}{v}")).collect();
    let variables =
        Variables { booleans: names("b", trace.booleans.len()), numbers: names("n", trace.numbers.columns()) };
    InMemory::new(variables, trace)
}

fn random_words(instants: usize, seed: u64, variable: u64) -> Vec<u64> {
    let mut words = vec![0; instants.div_ceil(64)];
    words.par_chunks_mut(PIECE / 64).enumerate().for_each(|(piece, words)| {
        let mut rng = Rng::new(seed ^ 0xb001, variable << 32 | piece as u64);
        words.iter_mut().for_each(|word| *word = rng.next_u64());
    });
    cut(&mut words, instants);
    words
}

/// Clears the bits behind the last instant.
fn cut(words: &mut [u64], instants: usize) {
    if let (Some(last), bits @ 1..) = (words.last_mut(), instants % 64) {
        *last &= (1 << bits) - 1;
    }
}

fn random_numbers(instants: usize, seed: u64, variable: u64) -> Vec<f32> {
    let mut values = vec![0.0; instants];
    values.par_chunks_mut(PIECE).enumerate().for_each(|(piece, values)| {
        let mut rng = Rng::new(seed ^ 0x9085, variable << 32 | piece as u64);
        for eight in values.chunks_mut(8) {
            let bytes = rng.next_u64().to_le_bytes();
            for (value, byte) in eight.iter_mut().zip(bytes) {
                *value = f32::from(byte) - 128.0;
            }
        }
    });
    values
}

fn planted_boolean(instants: usize, v: usize, count: usize, seed: u64) -> Vec<u64> {
    let drawn = |v: usize| random_words(instants, seed, v as u64);
    let base = v - v % 5;
    let of_two = |combine: fn(u64, u64) -> u64| {
        drawn(base).into_iter().zip(drawn(base + 1)).map(|(a, b)| combine(a, b)).collect::<Vec<_>>()
    };
    let mut words = match v % 5 {
        _ if v + 1 == count => vec![u64::MAX; instants.div_ceil(64)],
        0 | 1 => drawn(v),
        2 => of_two(|a, b| a & b),
        3 => of_two(|a, b| a | b),
        _ => drawn(base),
    };
    cut(&mut words, instants);
    words
}

fn planted_number(instants: usize, v: usize, count: usize, seed: u64) -> Vec<f32> {
    let drawn = |v: usize| random_numbers(instants, seed, v as u64);
    let chain = count / 2;
    if v < chain {
        let rise = 2.0 * v as f32;
        // The base goes from 300 to 1575; steps of 2 leave room for a last bit drawn per number.
        let near = |(base, bit): (f32, f32)| 940.0 + 5.0 * base + rise + f32::from(bit > 0.0);
        return drawn(count).into_iter().zip(drawn(v)).map(near).collect();
    }
    let base = v - (v - chain) % 5;
    let of_two = |a: usize, b: usize, combine: fn(f32, f32) -> f32| {
        drawn(a).into_iter().zip(drawn(b)).map(|(a, b)| combine(a, b)).collect()
    };
    match (v - chain) % 5 {
        0 => drawn(base),
        1 => of_two(base, base + 1, |a, b| a + b.abs() + 1.0),
        2 => drawn(base).into_iter().map(|a| 2.0 * a).collect(),
        3 => of_two(base + 3, base + 4, f32::min),
        _ => drawn(base + 4),
    }
}
