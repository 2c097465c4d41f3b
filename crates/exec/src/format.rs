//! Printing scalars as C++ streams do by default: six significant digits, no trailing zeros, bools as 1 and 0.

/// A floating-point number in the `%g` manner: `0.566667`, `1e-07`, `25`, `1e+06`, `inf`, `-0`; `NaN`
/// without a sign, which differs between machines.
///
/// ```
/// assert_eq!(gw_exec::format_float(17.0 / 30.0), "0.566667");
/// assert_eq!(gw_exec::format_float(1e6), "1e+06");
/// ```
pub fn format_float(value: f64) -> String {
    const DIGITS: i32 = 6;
    if value.is_nan() {
        return "NaN".to_string();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    // Rounding to six digits decides the exponent: 999999.5 becomes 1e+06.
    let scientific = format!("{:.*e}", DIGITS as usize - 1, value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        format!("{sign}{}", without_trailing_zeros(&format!("{:.decimals$}", value.abs())))
    } else {
        let direction = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{}e{direction}{:02}", without_trailing_zeros(mantissa), exponent.abs())
    }
}

fn without_trailing_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let table = [
            (17.0 / 30.0, "0.566667"),
            (0.002895184, "0.00289518"),
            (1e-7, "1e-07"),
            (25.0, "25"),
            (1e6, "1e+06"),
            (123456.7, "123457"),
            (999999.5, "1e+06"),
            (999999.4, "999999"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (0.000099999999, "0.0001"),
            (1.5e300, "1.5e+300"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (0.1 + 0.2, "0.3"),
            (f64::NAN, "NaN"),
            (-f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (0.0, "0"),
            (-0.0, "-0"),
            (f64::from(0.1f32), "0.1"),
            (f64::from(f32::MAX), "3.40282e+38"),
            (5e-324, "4.94066e-324"),
        ];
        for (value, text) in table {
            assert_eq!(format_float(value), text);
        }
    }
}
