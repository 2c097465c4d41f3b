//! The loops over instants: plain loops over strips that compilers turn into vector instructions, and an early exit
//! after each strip. On x86-64 with AVX2 they run in a version compiled for it.
//!
//! Sums and products mean 64-bit floats. For 32-bit columns they are tried in 32 bits first: rounding keeps order, so
//! that `a < round(b * c)` implies `a < b * c`, and only strips in which some instant fails are looked at again in 64
//! bits.

use super::rules::{EQUAL, GREATER, LESS, Rules, UNORDERED};
use super::{Candidate, Question};
use crate::template::Template;
use crate::trace::{Block, Numbers};

/// Instants looked at before the loop asks whether to go on.
const STRIP: usize = 256;

const LESS_OR_EQUAL: u8 = LESS | EQUAL;
const GREATER_OR_EQUAL: u8 = GREATER | EQUAL;

/// The seen bits of a candidate after a block.
#[inline]
pub fn scan(candidate: &Candidate, seen: u8, block: &Block<'_>, rules: &Rules) -> u8 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just asked.
        return unsafe { scan_avx2(candidate, seen, block, rules) };
    }
    scan_any(candidate, seen, block, rules)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2(candidate: &Candidate, seen: u8, block: &Block<'_>, rules: &Rules) -> u8 {
    scan_any(candidate, seen, block, rules)
}

#[inline(always)]
fn scan_any(candidate: &Candidate, seen: u8, block: &Block<'_>, rules: &Rules) -> u8 {
    let [a, b, c] = candidate.variables;
    match candidate.question {
        Question::Patterns1 | Question::Patterns2 | Question::Patterns3 => patterns(candidate, seen, block, rules),
        Question::Order | Question::Falsified(_) => match &block.trace.numbers {
            Numbers::Single(columns) => {
                let column = |v: u32| &columns[v as usize][block.from..block.to];
                numbers(candidate.question, seen, [column(a), column(b), column(c)], rules)
            }
            Numbers::Double(columns) => {
                let column = |v: u32| &columns[v as usize][block.from..block.to];
                numbers(candidate.question, seen, [column(a), column(b), column(c)], rules)
            }
        },
    }
}

/// A number of a trace.
trait Number: Copy + PartialOrd {
    fn wide(self) -> f64;
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// The same number.
    const IS_WIDE: bool;
}

impl Number for f32 {
    const IS_WIDE: bool = false;
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn add(self, other: f32) -> f32 {
        self + other
    }
    #[inline(always)]
    fn multiply(self, other: f32) -> f32 {
        self * other
    }
}

impl Number for f64 {
    const IS_WIDE: bool = true;
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn add(self, other: f64) -> f64 {
        self + other
    }
    #[inline(always)]
    fn multiply(self, other: f64) -> f64 {
        self * other
    }
}

#[inline(always)]
fn numbers<T: Number>(question: Question, seen: u8, [a, b, c]: [&[T]; 3], rules: &Rules) -> u8 {
    let Question::Falsified(template) = question else {
        return order(a, b, seen, rules);
    };
    let tolerance = rules.tolerance;
    let defined = |x: T, y: T, z: T| template.holds(x.wide(), y.wide(), z.wide(), tolerance);
    let holds = match template {
        Template::Least => all(a, b, c, |x, y, z| (x == if y < z { y } else { z }) & are_numbers(y, z)),
        Template::Most => all(a, b, c, |x, y, z| (x == if y > z { y } else { z }) & are_numbers(y, z)),
        Template::AtMostSum => all_or(a, b, c, |x, y, z| x < y.add(z), |x, y, z| x.wide() <= y.wide() + z.wide()),
        Template::BelowProduct => {
            all_or(a, b, c, |x, y, z| x < y.multiply(z), |x, y, z| x.wide() < y.wide() * z.wide())
        }
        Template::BelowRoot => all(a, b, a, |x, y, _| x.wide() < y.wide().sqrt()),
        Template::BelowNext => all(a, b, a, |x, y, _| x.wide() < y.wide() + 1.0),
        Template::Double => all(a, b, a, |x, y, _| x.wide() == 2.0 * y.wide()),
        // Powers and logarithms cost more than asking after each of them.
        _ => a.iter().zip(b).zip(c).all(|((&x, &y), &z)| defined(x, y, z)),
    };
    u8::from(!holds)
}

/// Whether two values can be compared. One vector instruction, unlike two tests for "not a number".
#[inline(always)]
fn are_numbers<T: Number>(x: T, y: T) -> bool {
    x.partial_cmp(&y).is_some()
}

/// Whether a condition is true of all instants.
#[inline(always)]
fn all<T: Number>(a: &[T], b: &[T], c: &[T], condition: impl Fn(T, T, T) -> bool) -> bool {
    all_or(a, b, c, |_, _, _| false, condition)
}

/// Whether the second condition is true of all instants; the first one is cheaper and implies the second.
#[inline(always)]
fn all_or<T: Number>(
    a: &[T],
    b: &[T],
    c: &[T],
    cheap: impl Fn(T, T, T) -> bool,
    condition: impl Fn(T, T, T) -> bool,
) -> bool {
    let ((a, a_rest), (b, b_rest), (c, c_rest)) = (a.as_chunks(), b.as_chunks(), c.as_chunks());
    let holds = |((a, b), c)| (!T::IS_WIDE && strip(a, b, c, &cheap)) || strip(a, b, c, &condition);
    a.iter().zip(b).zip(c).all(holds) && a_rest.iter().zip(b_rest).zip(c_rest).all(|((&x, &y), &z)| condition(x, y, z))
}

/// A loop of known length, which compilers turn into vector instructions.
#[inline(always)]
fn strip<T: Number>(a: &[T; STRIP], b: &[T; STRIP], c: &[T; STRIP], condition: &impl Fn(T, T, T) -> bool) -> bool {
    let mut failed = 0_u32;
    for at in 0..STRIP {
        failed |= u32::from(!condition(a[at], b[at], c[at]));
    }
    failed == 0
}

/// How two numbers compare.
#[inline(always)]
fn order<T: Number>(a: &[T], b: &[T], mut seen: u8, rules: &Rules) -> u8 {
    let bits = |less: bool, equal: bool, greater: bool, unordered: bool| {
        let found = [(less, LESS), (equal, EQUAL), (greater, GREATER), (unordered, UNORDERED)];
        found.into_iter().fold(0, |bits, (is_seen, bit)| if is_seen { bits | bit } else { bits })
    };
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<STRIP>(), b.as_chunks::<STRIP>());
    for (a, b) in a.iter().zip(b) {
        // Most strips of a candidate that lives show nothing new, which one loop finds out.
        let is_as_before = match seen {
            LESS => strip(a, b, a, &|x, y, _| x < y),
            GREATER => strip(a, b, a, &|x, y, _| x > y),
            EQUAL => strip(a, b, a, &|x, y, _| x == y),
            LESS_OR_EQUAL => strip(a, b, a, &|x, y, _| x <= y),
            GREATER_OR_EQUAL => strip(a, b, a, &|x, y, _| x >= y),
            _ => false,
        };
        if is_as_before {
            continue;
        }
        let any = |condition: fn(T, T) -> bool| !strip(a, b, a, &|x, y, _| !condition(x, y));
        // Four loops, each of which a compiler knows how to make fast, over values that stay in the first cache.
        let less = any(|x, y| x < y);
        let equal = any(|x, y| x == y);
        let greater = any(|x, y| x > y);
        seen |= bits(less, equal, greater, any(|x, y| !are_numbers(x, y)));
        if rules.is_dead(Question::Order, seen) {
            return seen;
        }
    }
    for (x, y) in a_rest.iter().zip(b_rest) {
        seen |= bits(x < y, x == y, x > y, !are_numbers(*x, *y));
    }
    seen
}

/// Which patterns of truth values occur.
#[inline(always)]
fn patterns(candidate: &Candidate, mut seen: u8, block: &Block<'_>, rules: &Rules) -> u8 {
    const WORDS: usize = STRIP / 4;
    let [a, b, c] = candidate.variables.map(|v| block.words(v));
    let count = a.len();
    let mut from = 0;
    while from < count {
        let to = (from + WORDS).min(count);
        // The last word of the trace may have bits that are no instants.
        let whole = if to == count { to - 1 } else { to };
        let mut found = match candidate.question {
            Question::Patterns1 => patterns1(&a[from..whole], u64::MAX),
            Question::Patterns2 => patterns2(&a[from..whole], &b[from..whole], u64::MAX),
            _ => patterns3(&a[from..whole], &b[from..whole], &c[from..whole], u64::MAX),
        };
        if whole < to {
            found |= match candidate.question {
                Question::Patterns1 => patterns1(&a[whole..to], block.last_word()),
                Question::Patterns2 => patterns2(&a[whole..to], &b[whole..to], block.last_word()),
                _ => patterns3(&a[whole..to], &b[whole..to], &c[whole..to], block.last_word()),
            };
        }
        seen |= found;
        if rules.is_dead(candidate.question, seen) {
            break;
        }
        from = to;
    }
    seen
}

#[inline(always)]
fn patterns1(a: &[u64], valid: u64) -> u8 {
    let (mut ones, mut zeros) = (0, 0);
    for &a in a {
        ones |= a;
        zeros |= !a;
    }
    u8::from(zeros & valid != 0) | u8::from(ones & valid != 0) << 1
}

#[inline(always)]
fn patterns2(a: &[u64], b: &[u64], valid: u64) -> u8 {
    let mut found = [0_u64; 4];
    for (&a, &b) in a.iter().zip(b) {
        found[0] |= !a & !b;
        found[1] |= a & !b;
        found[2] |= !a & b;
        found[3] |= a & b;
    }
    found.iter().enumerate().fold(0, |bits, (at, word)| bits | u8::from(word & valid != 0) << at)
}

#[inline(always)]
fn patterns3(a: &[u64], b: &[u64], c: &[u64], valid: u64) -> u8 {
    let mut found = [0_u64; 8];
    for ((&a, &b), &c) in a.iter().zip(b).zip(c) {
        let pairs = [!b & !c, b & !c, !b & c, b & c];
        found[0] |= pairs[0] & !a;
        found[1] |= pairs[0] & a;
        found[2] |= pairs[1] & !a;
        found[3] |= pairs[1] & a;
        found[4] |= pairs[2] & !a;
        found[5] |= pairs[2] & a;
        found[6] |= pairs[3] & !a;
        found[7] |= pairs[3] & a;
    }
    found.iter().enumerate().fold(0, |bits, (at, word)| bits | u8::from(word & valid != 0) << at)
}
