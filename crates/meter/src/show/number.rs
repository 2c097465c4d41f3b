//! Numbers with units, short enough for a table.

use crate::measured::Measured;

/// Three digits: `4.27`, `42.7`, `427`.
pub(super) fn digits(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".to_string(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.0995 || v == 0.0 => format!("{value:.2}"),
        v if v >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

/// A number with the prefix of a thousand that suits it: `4.27 TB/s`.
pub(super) fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    let found = PREFIXES.iter().find(|(size, _)| value.abs() >= 0.9995 * size).unwrap_or(&(1e-12, "p"));
    if value == 0.0 {
        return format!("0 {unit}");
    }
    format!("{} {}{unit}", digits(value / found.0), found.1)
}

/// Bytes as powers of 1024.
pub(super) fn bytes(value: u64) -> String {
    gw_graph::memory::human_bytes(value.into())
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A measured number and its spread.
pub(super) fn with_spread(value: &Measured) -> String {
    format!("{} ± {:.0} %", digits(value.median), 50.0 * value.spread)
}

/// A number that may be missing.
pub(super) fn optional(value: &Option<Measured>) -> String {
    value.as_ref().map_or("-".to_string(), |value| digits(value.median))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(scaled(4.273e12, "B/s"), "4.27 TB/s");
        assert_eq!(scaled(7.4e-12, "s"), "7.40 ps");
        assert_eq!(scaled(0.0, "s"), "0 s");
        assert_eq!(scaled(999.9e9, "B/s"), "1.00 TB/s");
        assert_eq!([digits(126.4), digits(12.64), digits(0.0123)], ["126", "12.6", "0.0123"]);
        assert_eq!(digits(f64::NAN), "-");
    }
}
