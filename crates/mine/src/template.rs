//! Templates: the shapes of invariants. Sets I and II are those of Mangrove (Busato, PhD thesis, chapter 20).

use serde::{Serialize, Serializer};

use crate::{MineError, Result};

/// A relation of a number and a constant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// `v = c`
    Equal(#[serde(serialize_with = "number_or_text")] f64),
    /// `v != c`
    Unequal(#[serde(serialize_with = "number_or_text")] f64),
    /// `v < c`
    Less(#[serde(serialize_with = "number_or_text")] f64),
    /// `v <= c`
    AtMost(#[serde(serialize_with = "number_or_text")] f64),
}

/// JSON has no infinite numbers: they become texts.
fn number_or_text<S: Serializer>(value: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str(&value.to_string()) }
}

impl std::str::FromStr for Constant {
    type Err = MineError;

    /// Such as `= 7`, `!=0`, `< 10` or `<= 10`.
    fn from_str(text: &str) -> Result<Constant> {
        let wrong = || MineError::Argument(format!("`{text}` is no template: `= 7`, `!= 0`, `< 10` and `<= 10` are"));
        let number = |rest: &str| rest.trim().parse::<f64>().ok().filter(|c| !c.is_nan()).ok_or_else(wrong);
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("!=") {
            Ok(Constant::Unequal(number(rest)?))
        } else if let Some(rest) = text.strip_prefix("<=") {
            Ok(Constant::AtMost(number(rest)?))
        } else if let Some(rest) = text.strip_prefix('<') {
            Ok(Constant::Less(number(rest)?))
        } else if let Some(rest) = text.strip_prefix('=') {
            Ok(Constant::Equal(number(rest)?))
        } else {
            Err(wrong())
        }
    }
}

/// The shape of an invariant over one, two or three variables, written `a`, `b` and `c` here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Template {
    /// Boolean: `a` is always true.
    True,
    /// Boolean: `a` is always false.
    False,
    /// Boolean: `a = b`.
    Same,
    /// Boolean: `a != b`.
    Opposite,
    /// Boolean: `a = b AND c`.
    And,
    /// Boolean: `a = b OR c`.
    Or,
    /// Boolean: `a = b XOR c`.
    Xor,
    /// Number and constant.
    Constant(Constant),
    /// `a = b`
    Equal,
    /// `a != b`
    Unequal,
    /// `a < b`
    Less,
    /// `a > b`
    Greater,
    /// `a <= b`
    AtMost,
    /// `a >= b`
    AtLeast,
    /// `a < sqrt(b)`
    BelowRoot,
    /// `a = log(b)`, the natural logarithm, within the tolerance.
    Logarithm,
    /// `a < b + 1`
    BelowNext,
    /// `a = 2 * b`
    Double,
    /// `a = b ^ c`, within the tolerance.
    Power,
    /// `a = min(b, c)`
    Least,
    /// `a = max(b, c)`
    Most,
    /// `a < b * c`
    BelowProduct,
    /// `a <= b + c`
    AtMostSum,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Templates {
    /// Of Booleans: true, false; and from set II on two and three variables.
    pub booleans: Vec<Template>,
    /// Of a number and a constant.
    pub constants: Vec<Constant>,
    /// Of two numbers.
    pub pairs: Vec<Template>,
    /// Of three numbers.
    pub triples: Vec<Template>,
    /// `log` and `^` may differ by this share, since the values of a trace are rounded.
    pub tolerance: f64,
}

/// The tolerance unless another is given: single precision, about.
const TOLERANCE: f64 = 1e-6;

impl Templates {
    /// Set I: constant Booleans, and the six relations of two numbers.
    pub fn first() -> Templates {
        use Template::*;
        Templates {
            booleans: vec![True, False],
            constants: vec![],
            pairs: vec![Equal, Unequal, Less, Greater, AtMost, AtLeast],
            triples: vec![],
            tolerance: TOLERANCE,
        }
    }

    /// Set II: Booleans of up to three variables, numbers with constants, roots, logarithms, products and sums.
    pub fn second() -> Templates {
        use Template::*;
        Templates {
            booleans: vec![True, False, Same, Opposite, And, Or, Xor],
            constants: vec![
                self::Constant::Equal(7.0),
                self::Constant::Unequal(0.0),
                self::Constant::Less(10.0),
                self::Constant::AtMost(10.0),
            ],
            pairs: vec![Equal, AtMost, AtLeast, BelowRoot, Logarithm, BelowNext, Double],
            triples: vec![Power, Least, Most, BelowProduct, AtMostSum],
            tolerance: TOLERANCE,
        }
    }

    /// The same with templates of at most so many variables.
    pub fn with_arity(mut self, arity: usize) -> Templates {
        self.booleans.retain(|template| template.arity() <= arity);
        if arity < 3 {
            self.triples.clear();
        }
        if arity < 2 {
            self.pairs.clear();
        }
        self
    }

    /// True when a Boolean template of so many variables is looked for.
    pub(crate) fn has_booleans_of(&self, arity: usize) -> bool {
        self.booleans.iter().any(|template| template.arity() == arity)
    }
}

impl Template {
    /// Number of variables.
    pub fn arity(self) -> usize {
        use Template::*;
        match self {
            True | False | Constant(_) => 1,
            Same | Opposite | Equal | Unequal | Less | Greater | AtMost | AtLeast | BelowRoot | Logarithm
            | BelowNext | Double => 2,
            And | Or | Xor | Power | Least | Most | BelowProduct | AtMostSum => 3,
        }
    }

    /// True when the last two of three variables, or both of two, may be exchanged.
    pub fn is_symmetric(self) -> bool {
        use Template::*;
        matches!(self, Same | Opposite | Equal | Unequal | And | Or | Xor | Least | Most | BelowProduct | AtMostSum)
    }

    /// Whether numbers fulfil the template: the definition, in 64-bit floats. Unused variables may be anything.
    pub fn holds(self, a: f64, b: f64, c: f64, tolerance: f64) -> bool {
        use Template::*;
        // Everything is near infinity by this measure, so that only finite values may differ.
        let near = |x: f64, y: f64| {
            let most = x.abs().max(y.abs());
            x == y || (most.is_finite() && (x - y).abs() <= tolerance * most)
        };
        match self {
            Constant(self::Constant::Equal(k)) => a == k,
            Constant(self::Constant::Unequal(k)) => a != k,
            Constant(self::Constant::Less(k)) => a < k,
            Constant(self::Constant::AtMost(k)) => a <= k,
            Equal => a == b,
            Unequal => a != b,
            Less => a < b,
            Greater => a > b,
            AtMost => a <= b,
            AtLeast => a >= b,
            BelowRoot => a < b.sqrt(),
            Logarithm => near(a, b.ln()),
            BelowNext => a < b + 1.0,
            Double => a == 2.0 * b,
            Power => near(a, b.powf(c)),
            Least => (a == b && b <= c) || (a == c && c <= b),
            Most => (a == b && b >= c) || (a == c && c >= b),
            BelowProduct => a < b * c,
            AtMostSum => a <= b + c,
            True | False | Same | Opposite | And | Or | Xor => false,
        }
    }

    /// Whether truth values fulfil the template.
    pub fn holds_for(self, a: bool, b: bool, c: bool) -> bool {
        use Template::*;
        match self {
            True => a,
            False => !a,
            Same => a == b,
            Opposite => a != b,
            And => a == (b && c),
            Or => a == (b || c),
            Xor => a == (b != c),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read() {
        assert_eq!("= 7".parse::<Constant>().unwrap(), Constant::Equal(7.0));
        assert_eq!("!=0".parse::<Constant>().unwrap(), Constant::Unequal(0.0));
        assert_eq!(" <= -1e3".parse::<Constant>().unwrap(), Constant::AtMost(-1000.0));
        assert!("> 3".parse::<Constant>().is_err() && "= x".parse::<Constant>().is_err());
    }
}
