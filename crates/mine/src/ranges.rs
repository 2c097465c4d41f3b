//! The least and the largest value of every number, which decide some templates without looking at pairs of values.

use rayon::prelude::*;

use crate::Result;
use crate::source::Source;
use crate::template::Template;
use crate::trace::Numbers;

/// The values that a number has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// True when some value is not a number: then the range says nothing.
    pub has_nan: bool,
}

pub(crate) const EMPTY: Range = Range { least: f64::INFINITY, most: f64::NEG_INFINITY, has_nan: false };

/// Values of one piece of parallel work.
const PIECE: usize = 1 << 15;

/// The ranges of the given numbers, in the same order. Those that nobody asks about get a range that says nothing.
pub(crate) fn ranges(variables: &[u32], is_asked: &[bool], source: &mut dyn Source) -> Result<Vec<Range>> {
    let unknown = Range { has_nan: true, ..EMPTY };
    let mut found: Vec<Range> = is_asked.iter().map(|&asked| if asked { EMPTY } else { unknown }).collect();
    if !is_asked.contains(&true) {
        return Ok(found);
    }
    source.rewind()?;
    while let Some(part) = source.next()? {
        let here = |(&v, &asked): (&u32, &bool)| match &part.numbers {
            _ if !asked => EMPTY,
            Numbers::Single(columns) => {
                let pieces = columns[v as usize].par_chunks(PIECE).map(|piece| {
                    let (mut least, mut most, mut nan) = (f32::INFINITY, f32::NEG_INFINITY, 0_u32);
                    for &x in piece {
                        least = if x < least { x } else { least };
                        most = if x > most { x } else { most };
                        nan |= u32::from(x.is_nan());
                    }
                    Range { least: least.into(), most: most.into(), has_nan: nan != 0 }
                });
                pieces.reduce(|| EMPTY, Range::join)
            }
            Numbers::Double(columns) => {
                let pieces = columns[v as usize].par_chunks(PIECE).map(|piece| {
                    let (mut least, mut most, mut nan) = (f64::INFINITY, f64::NEG_INFINITY, 0_u64);
                    for &x in piece {
                        least = if x < least { x } else { least };
                        most = if x > most { x } else { most };
                        nan |= u64::from(x.is_nan());
                    }
                    Range { least, most, has_nan: nan != 0 }
                });
                pieces.reduce(|| EMPTY, Range::join)
            }
        };
        let parts: Vec<Range> = variables.par_iter().zip(is_asked).map(here).collect();
        found.iter_mut().zip(parts).for_each(|(whole, part)| *whole = whole.join(part));
    }
    Ok(found)
}

impl Range {
    /// True when all values are finite numbers.
    pub fn is_finite(self) -> bool {
        !self.has_nan && self.least.is_finite() && self.most.is_finite()
    }

    pub(crate) fn join(self, other: Range) -> Range {
        Range {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            has_nan: self.has_nan || other.has_nan,
        }
    }
}

/// True when the ranges alone show that a template holds. Sums, products of numbers that are not negative, and roots
/// keep order when they are rounded, so that the ends of the ranges stand for everything between them. Infinite
/// values are not among them: their sums and products may be no numbers.
pub(crate) fn implied(template: Template, a: Range, b: Range, c: Range) -> bool {
    if !a.is_finite() || !b.is_finite() || (template.arity() == 3 && !c.is_finite()) {
        return false;
    }
    match template {
        Template::BelowRoot => b.least >= 0.0 && a.most < b.least.sqrt(),
        Template::BelowNext => a.most < b.least + 1.0,
        Template::AtMostSum => a.most <= b.least + c.least,
        Template::BelowProduct => b.least >= 0.0 && c.least >= 0.0 && a.most < b.least * c.least,
        _ => false,
    }
}

/// How two numbers compare when their ranges do not overlap: the seen bits, exactly.
pub(crate) fn order(a: Range, b: Range) -> Option<u8> {
    use crate::check::{EQUAL, GREATER, LESS};
    match () {
        () if a.has_nan || b.has_nan => None,
        () if a.most < b.least => Some(LESS),
        () if a.least > b.most => Some(GREATER),
        () if a.least == a.most && a == b => Some(EQUAL),
        () => None,
    }
}
