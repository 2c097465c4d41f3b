//! Traces: the values of variables over instants, a column per variable.
//!
//! Booleans take a bit per instant. Numbers take 4 bytes where every number of the trace is exactly a 32-bit float,
//! else 8: what is found does not depend on that, since all arithmetic means 64-bit floats.

use std::ops::Range;

/// The names of the variables of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variables {
    /// Booleans.
    pub booleans: Vec<String>,
    /// Numbers.
    pub numbers: Vec<String>,
}

/// Columns of numbers, all of the same length.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// All are exactly 32-bit floats.
    Single(Vec<Vec<f32>>),
    /// Any.
    Double(Vec<Vec<f64>>),
}

impl Numbers {
    /// Columns in the narrower form where that loses nothing.
    pub fn narrowed(columns: Vec<Vec<f64>>) -> Numbers {
        let fits = |&x: &f64| x.is_nan() || f64::from(x as f32) == x;
        if columns.iter().flatten().all(fits) {
            Numbers::Single(columns.iter().map(|column| column.iter().map(|&x| x as f32).collect()).collect())
        } else {
            Numbers::Double(columns)
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Numbers::Single(columns) => columns.len(),
            Numbers::Double(columns) => columns.len(),
        }
    }

    /// A value.
    pub fn get(&self, column: usize, instant: usize) -> f64 {
        match self {
            Numbers::Single(columns) => f64::from(columns[column][instant]),
            Numbers::Double(columns) => columns[column][instant],
        }
    }
}

/// A trace, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Instants.
    pub instants: usize,
    /// A bit per instant, the first in the lowest bit of the first word; bits behind the last instant are 0.
    pub booleans: Vec<Vec<u64>>,
    /// Numbers.
    pub numbers: Numbers,
}

impl Trace {
    /// The value of a Boolean.
    pub fn boolean(&self, column: usize, instant: usize) -> bool {
        self.booleans[column][instant / 64] >> (instant % 64) & 1 == 1
    }

    /// The first instants.
    pub fn head(&self, instants: usize) -> Trace {
        let instants = instants.min(self.instants);
        let words = instants.div_ceil(64);
        let valid = Block::new(self, 0..instants).last_word();
        let cut = |column: &Vec<u64>| {
            let mut head = column[..words].to_vec();
            if let Some(last) = head.last_mut() {
                *last &= valid;
            }
            head
        };
        let numbers = match &self.numbers {
            Numbers::Single(columns) => Numbers::Single(columns.iter().map(|c| c[..instants].to_vec()).collect()),
            Numbers::Double(columns) => Numbers::Double(columns.iter().map(|c| c[..instants].to_vec()).collect()),
        };
        Trace { instants, booleans: self.booleans.iter().map(cut).collect(), numbers }
    }

    /// Puts a part behind this one, whose instants must fill whole words.
    pub(crate) fn append(&mut self, part: &Trace) {
        assert!(self.instants.is_multiple_of(64), "only the last part may end within a word");
        self.booleans.iter_mut().zip(&part.booleans).for_each(|(whole, part)| whole.extend(part));
        match (&mut self.numbers, &part.numbers) {
            (Numbers::Single(whole), Numbers::Single(part)) => {
                whole.iter_mut().zip(part).for_each(|(whole, part)| whole.extend(part));
            }
            (Numbers::Double(whole), Numbers::Double(part)) => {
                whole.iter_mut().zip(part).for_each(|(whole, part)| whole.extend(part));
            }
            (Numbers::Double(whole), Numbers::Single(part)) => {
                let wide = |part: &Vec<f32>| part.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
                whole.iter_mut().zip(part).for_each(|(whole, part)| whole.extend(wide(part)));
            }
            (Numbers::Single(whole), Numbers::Double(part)) => {
                let join = |(whole, part): (&Vec<f32>, &Vec<f64>)| {
                    whole.iter().map(|&x| f64::from(x)).chain(part.iter().copied()).collect()
                };
                self.numbers = Numbers::Double(whole.iter().zip(part).map(join).collect());
            }
        }
        self.instants += part.instants;
    }

    /// Bytes of the columns.
    pub fn bytes(&self) -> u64 {
        let width = match self.numbers {
            Numbers::Single(_) => 4,
            Numbers::Double(_) => 8,
        };
        self.booleans.len() as u64 * self.instants.div_ceil(64) as u64 * 8
            + self.numbers.columns() as u64 * self.instants as u64 * width
    }
}

/// Instants of a trace, a whole number of words long unless at the trace's end.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// First instant (a multiple of 64).
    pub from: usize,
    /// First instant behind the block.
    pub to: usize,
}

impl<'a> Block<'a> {
    /// A part of a trace; `from` is a multiple of 64.
    pub fn new(trace: &'a Trace, instants: Range<usize>) -> Block<'a> {
        debug_assert!(instants.start.is_multiple_of(64), "blocks begin at a word");
        Block { trace, from: instants.start, to: instants.end.min(trace.instants) }
    }

    /// The words of a Boolean.
    #[inline]
    pub fn words(&self, column: u32) -> &'a [u64] {
        &self.trace.booleans[column as usize][self.from / 64..self.to.div_ceil(64)]
    }

    /// The bits of the last word that are instants.
    #[inline]
    pub fn last_word(&self) -> u64 {
        match self.to % 64 {
            0 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }
}

/// Packs truth values into words.
pub fn packed(values: impl IntoIterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        if at % 64 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut() {
            *word |= u64::from(value) << (at % 64);
        }
    }
    words
}
