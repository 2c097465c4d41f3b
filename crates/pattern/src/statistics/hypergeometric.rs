//! The upper tail of the hypergeometric distribution: how likely is it to draw so many marked things by chance?

/// The probability of at least `hits` marked things among `drawn` of `all` things, `marked` of which are marked. (Eq.
/// 10.7 of the thesis prints `C(N, i)` as the denominator; it is `C(N, n)`.)
pub fn hypergeometric_tail(all: u64, marked: u64, drawn: u64, hits: u64) -> f64 {
    let most = marked.min(drawn);
    let choose = |n: u64, k: u64| log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    let possible = |i: &u64| drawn - i <= all - marked;
    let term = |i: u64| (choose(marked, i) + choose(all - marked, drawn - i) - choose(all, drawn)).exp();
    (hits..=most).filter(possible).map(term).sum::<f64>().min(1.0)
}

/// `ln(n!)`, by the sum for small numbers and Stirling's series for large ones.
fn log_factorial(n: u64) -> f64 {
    if n < 64 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let x = n as f64;
    x * x.ln() - x + (2.0 * std::f64::consts::PI * x).ln() / 2.0 + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Five cards of 52 with at least 4 of 4 aces: 48 / C(52, 5).
        assert!((hypergeometric_tail(52, 4, 5, 4) * 2_598_960.0 / 48.0 - 1.0).abs() < 1e-10);
        assert!((hypergeometric_tail(5000, 300, 20, 0) - 1.0).abs() < 1e-9);
        assert!((log_factorial(64) - (2..=64).map(|k| f64::from(k).ln()).sum::<f64>()).abs() < 1e-9);
        assert_eq!(hypergeometric_tail(10, 3, 5, 4), 0.0);
    }
}
