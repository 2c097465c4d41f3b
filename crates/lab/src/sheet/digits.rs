//! How many digits of a number a person wants to see: the same for a whole column, so that its numbers can be
//! compared by eye.

use super::Field;

/// How the numbers of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digits {
    /// With this many digits behind the point.
    Fixed(usize),
    /// As `1.234e-5`.
    Power,
}

/// Significant digits of the smallest number of a column.
const SIGNIFICANT: i32 = 3;

/// Digits behind the point, at most.
const BEHIND: i32 = 3;

impl Digits {
    /// What fits all reals among the fields.
    pub fn of<'f>(fields: impl Iterator<Item = &'f Field>) -> Digits {
        let (mut least, mut greatest, mut whole) = (f64::INFINITY, 0f64, true);
        for field in fields {
            if let Field::Real(number) = field
                && number.is_finite()
                && *number != 0.0
            {
                least = least.min(number.abs());
                greatest = greatest.max(number.abs());
                whole &= number.fract() == 0.0;
            }
        }
        match (least, greatest) {
            (_, 0.0) => Digits::Fixed(0),
            (_, greatest) if greatest >= 1e9 => Digits::Power,
            _ if whole => Digits::Fixed(0),
            (least, _) if least < 1e-3 => Digits::Power,
            (least, _) => {
                let before = least.log10().floor() as i32 + 1;
                Digits::Fixed((SIGNIFICANT - before).clamp(0, BEHIND) as usize)
            }
        }
    }

    /// A number; `nothing` for NaN.
    pub fn show(self, number: f64, nothing: &str) -> String {
        match self {
            _ if number.is_nan() => nothing.to_string(),
            _ if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.to_string(),
            Digits::Fixed(behind) => format!("{number:.behind$}"),
            Digits::Power if number == 0.0 => "0".to_string(),
            Digits::Power => format!("{number:.3e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(numbers: &[f64]) -> Vec<String> {
        let fields: Vec<Field> = numbers.iter().copied().map(Field::Real).collect();
        let digits = Digits::of(fields.iter());
        numbers.iter().map(|&number| digits.show(number, "-")).collect()
    }

    #[test]
    fn digits_fit_the_column() {
        assert_eq!(shown(&[1.0, 2.214, 1339.0]), ["1.00", "2.21", "1339.00"]);
        assert_eq!(shown(&[50.0, 22.0, 0.0]), ["50", "22", "0"]);
        assert_eq!(shown(&[123.4, 5678.9]), ["123", "5679"]);
        assert_eq!(shown(&[0.0123, 0.5]), ["0.012", "0.500"]);
        assert_eq!(shown(&[0.000012345, 1.5, 0.0]), ["1.234e-5", "1.500e0", "0"]);
        assert_eq!(shown(&[f64::NAN, f64::INFINITY, 0.0]), ["-", "inf", "0"]);
        assert_eq!(shown(&[2e12]), ["2.000e12"]);
        assert_eq!(shown(&[]), [""; 0]);
    }
}
