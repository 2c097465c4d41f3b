//! Parameters that are a number now or a command-line argument later (`argv[k]`).

use crate::value::{AxisValue, ValueRow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// A number known when the schedule is written, or the index of the command-line argument that
/// holds it when the program runs.
///
/// The text is the number itself or `argv<k>`; `argv[k]` is read as well.
///
/// ```
/// use gw_schedule::{Param, Number};
/// assert_eq!("argv[3]".parse::<Number>().unwrap(), Param::Argv(3));
/// assert_eq!(Param::<u64>::Argv(3).to_string(), "argv3");
/// assert_eq!("0x10".parse::<Number>().unwrap(), Param::Value(16));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Param<T> {
    /// A number written in the schedule.
    Value(T),
    /// Argument `k` of the program, read at run time.
    Argv(u32),
}

/// A count or size: grain, bucket width, number of segments, ...
pub type Number = Param<u64>;

/// A hybrid threshold.
pub type Threshold = Param<Fraction>;

impl<T: Copy> Param<T> {
    /// The number, when it is known without a command line.
    pub fn value(self) -> Option<T> {
        match self {
            Param::Value(v) => Some(v),
            Param::Argv(_) => None,
        }
    }

    /// The argument index, when the number comes from the command line.
    pub fn argv(self) -> Option<u32> {
        match self {
            Param::Value(_) => None,
            Param::Argv(k) => Some(k),
        }
    }
}

impl<T> From<T> for Param<T> {
    fn from(value: T) -> Self {
        Param::Value(value)
    }
}

impl<T: fmt::Display> fmt::Display for Param<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Param::Value(v) => v.fmt(f),
            Param::Argv(k) => write!(f, "argv{k}"),
        }
    }
}

/// The text is neither a number nor `argv<k>`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a number of the right kind nor `argv<k>`")]
pub struct BadParam(pub String);

/// Numbers a [`Param`] can hold.
pub trait ParamNumber: Copy {
    /// Reads the number; `None` when the text is not one.
    fn read(text: &str) -> Option<Self>;
}

impl ParamNumber for u64 {
    fn read(text: &str) -> Option<u64> {
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => (hex, 16),
            None => (text, 10),
        };
        // `from_str_radix` takes a leading sign, which is not part of our text.
        if digits.starts_with(['+', '-']) {
            return None;
        }
        u64::from_str_radix(digits, radix).ok()
    }
}

impl ParamNumber for Fraction {
    fn read(text: &str) -> Option<Fraction> {
        // Only plain decimals: `inf`, `nan` and exponents are words to the f64 parser.
        if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return None;
        }
        Fraction::new(text.parse().ok()?)
    }
}

impl<T: ParamNumber> FromStr for Param<T> {
    type Err = BadParam;

    fn from_str(text: &str) -> Result<Self, BadParam> {
        let bad = || BadParam(text.to_string());
        let Some(rest) = text.strip_prefix("argv") else {
            return T::read(text).map(Param::Value).ok_or_else(bad);
        };
        let digits = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')).unwrap_or(rest);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        digits.parse().map(Param::Argv).map_err(|_| bad())
    }
}

impl AxisValue for Number {
    fn rows() -> Vec<ValueRow> {
        vec![
            ValueRow { word: "<n>", aliases: &[], line: "a number (decimal or 0x hexadecimal)" },
            ValueRow { word: "argv<k>", aliases: &["argv[<k>]"], line: "command-line argument k, read at run time" },
        ]
    }
    fn text(&self) -> String {
        self.to_string()
    }
    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn kind(&self) -> &'static str {
        match self {
            Param::Value(_) => "<n>",
            Param::Argv(_) => "argv<k>",
        }
    }
}

/// A finite, non-negative number with equality and hash, used for thresholds.
#[derive(Debug, Clone, Copy)]
pub struct Fraction(f64);

impl Fraction {
    /// Wraps a number; `None` when it is negative, infinite or not a number.
    pub fn new(value: f64) -> Option<Fraction> {
        // Adding zero turns -0.0 into 0.0, so equal numbers have equal bits.
        (value.is_finite() && value >= 0.0).then_some(Fraction(value + 0.0))
    }

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// When the denominator is zero; meant for constants.
    pub const fn ratio(numerator: u32, denominator: u32) -> Fraction {
        assert!(denominator != 0, "a ratio needs a denominator");
        Fraction(numerator as f64 / denominator as f64)
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for Fraction {}
impl Hash for Fraction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rust prints the shortest decimal that reads back to the same bits, never an exponent.
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_arguments() {
        assert_eq!("7".parse(), Ok(Number::Value(7)));
        assert_eq!("0x42000".parse(), Ok(Number::Value(0x42000)));
        assert_eq!("argv2".parse(), Ok(Number::Argv(2)));
        for bad in ["", "-1", "+1", "0x", "argv", "argv[]", "argv[2", "argv-1", "1.5", "0x-1"] {
            assert!(bad.parse::<Number>().is_err(), "{bad}");
        }
        for bad in ["", ".", "nan", "inf", "-0.5", "1e3"] {
            assert!(bad.parse::<Threshold>().is_err(), "{bad}");
        }
    }

    #[test]
    fn fractions_are_finite_and_non_negative() {
        assert_eq!(Fraction::new(-0.0), Fraction::new(0.0));
        assert_eq!(Fraction::new(f64::NAN), None);
        assert_eq!(Fraction::new(-1.0), None);
        assert_eq!(Fraction::new(f64::INFINITY), None);
    }

    proptest! {
        #[test]
        fn fraction_text_round_trips(x in 0.0f64..1e9) {
            let t = Param::Value(Fraction::new(x).unwrap());
            prop_assert_eq!(t.to_string().parse::<Threshold>().unwrap(), t);
        }
    }
}
