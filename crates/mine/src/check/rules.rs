//! When a candidate is dead: tables over all seen bits, made once from the templates that are looked for.

use super::{Candidate, Question};
use crate::template::{Template, Templates};

/// Some instant has `a < b`.
pub const LESS: u8 = 1;
/// Some instant has `a = b`.
pub const EQUAL: u8 = 2;
/// Some instant has `a > b`.
pub const GREATER: u8 = 4;
/// Some instant has a value that is not a number.
pub const UNORDERED: u8 = 8;

/// Whether a relation of two numbers holds at all instants that gave these bits.
pub fn relation_holds(relation: Template, seen: u8) -> bool {
    let allowed = match relation {
        Template::Equal => EQUAL,
        Template::Unequal => LESS | GREATER | UNORDERED,
        Template::Less => LESS,
        Template::Greater => GREATER,
        Template::AtMost => LESS | EQUAL,
        Template::AtLeast => GREATER | EQUAL,
        _ => return false,
    };
    seen & !allowed == 0
}

/// Whether Boolean templates can still hold, by the patterns seen.
fn fits(template: Template, patterns: u8, valued: impl Fn(u8, usize) -> bool) -> bool {
    (0..8)
        .filter(|pattern| patterns >> pattern & 1 == 1)
        .all(|pattern| template.holds_for(valued(pattern, 0), valued(pattern, 1), valued(pattern, 2)))
}

/// Tables of deadness.
#[derive(Debug, Clone)]
pub struct Rules {
    order: [bool; 16],
    patterns1: [bool; 4],
    patterns3: [bool; 256],
    /// How far logarithms and powers may be off.
    pub tolerance: f64,
}

impl Rules {
    /// The tables for some templates. `with_opposites`: three Booleans are also asked about as if each were negated.
    pub fn new(templates: &Templates, with_opposites: bool) -> Rules {
        let order =
            std::array::from_fn(|seen| !templates.pairs.iter().any(|&relation| relation_holds(relation, seen as u8)));
        let wanted = |arity: usize| templates.booleans.iter().filter(move |template| template.arity() == arity);
        let patterns1 = std::array::from_fn(|seen| {
            !wanted(1).any(|&template| fits(template, seen as u8, |pattern, _| pattern == 1))
        });
        let patterns3 = std::array::from_fn(|seen| {
            let flips = if with_opposites { 0..8_u8 } else { 0..1 };
            // Each of the three may be the one that is computed from the others.
            let lives = |flip: u8, first: usize| {
                let valued = |pattern: u8, at: usize| (pattern ^ flip) >> ((first + at) % 3) & 1 == 1;
                wanted(3).any(|&template| fits(template, seen as u8, valued))
            };
            !flips.into_iter().any(|flip| (0..3).any(|first| lives(flip, first)))
        });
        Rules { order, patterns1, patterns3, tolerance: templates.tolerance }
    }

    /// Whether these bits leave nothing to find.
    #[inline]
    pub fn is_dead(&self, question: Question, seen: u8) -> bool {
        match question {
            Question::Order => self.order[usize::from(seen)],
            Question::Falsified(_) => seen != 0,
            Question::Patterns1 => self.patterns1[usize::from(seen)],
            Question::Patterns2 => seen == 0b1111,
            Question::Patterns3 => self.patterns3[usize::from(seen)],
        }
    }

    /// Whether a candidate is alive.
    pub fn is_alive(&self, candidate: &Candidate) -> bool {
        !self.is_dead(candidate.question, candidate.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_die_when_nothing_can_hold() {
        let second = Rules::new(&Templates::second(), false);
        // `<=` and `>=` are gone; `!=` is not looked for.
        assert!(second.is_dead(Question::Order, LESS | GREATER));
        let first = Rules::new(&Templates::first(), false);
        assert!(!first.is_dead(Question::Order, LESS | GREATER));
        assert!(first.is_dead(Question::Order, LESS | GREATER | EQUAL));
        // a = b AND c allows the patterns 000, 010 (b), 100 (c) and 111.
        let and = 1 | 1 << 2 | 1 << 4 | 1 << 7;
        assert!(!second.is_dead(Question::Patterns3, and));
        assert!(second.is_dead(Question::Patterns3, 0xff));
        // NAND is found only where opposites are asked about.
        let nand = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6;
        assert!(second.is_dead(Question::Patterns3, nand));
        assert!(!Rules::new(&Templates::second(), true).is_dead(Question::Patterns3, nand));
    }
}
