//! The degree histogram: buckets that double, and bars for a terminal.

use serde::Serialize;

/// Vertices whose degree lies in `low..=high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// Least degree.
    pub low: u64,
    /// Greatest degree.
    pub high: u64,
    /// Number of vertices.
    pub count: u64,
}

/// Buckets 0, 1, 2-3, 4-7, 8-15 ... from the least to the greatest degree in `counts`, which holds (degree, vertices)
/// pairs in ascending order.
pub fn histogram(counts: &[(u64, u64)]) -> Vec<Bucket> {
    let index = |degree: u64| (u64::BITS - degree.leading_zeros()) as usize;
    let (Some(first), Some(last)) = (counts.first(), counts.last()) else { return Vec::new() };
    let bucket = |i: usize| match i {
        0 => Bucket { low: 0, high: 0, count: 0 },
        _ => Bucket { low: 1 << (i - 1), high: (1u64 << (i - 1)) - 1 + (1 << (i - 1)), count: 0 },
    };
    let base = index(first.0);
    let mut buckets: Vec<Bucket> = (base..=index(last.0)).map(bucket).collect();
    for &(degree, count) in counts {
        buckets[index(degree) - base].count += count;
    }
    buckets
}

/// Bars of block characters, one line per bucket, no line wider than `width` columns as long as that leaves room for
/// a bar.
///
/// ```
/// use gw_graph::stats::{histogram, render};
/// let text = render(&histogram(&[(1, 6), (2, 3), (3, 9)]), 30);
/// assert_eq!(text, "  1   6  33.3% ███████▌\n2-3  12  66.7% ███████████████\n");
/// ```
pub fn render(buckets: &[Bucket], width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let total: u64 = buckets.iter().map(|b| b.count).sum();
    let most = buckets.iter().map(|b| b.count).max().unwrap_or(0);
    let label = |b: &Bucket| if b.low == b.high { b.low.to_string() } else { format!("{}-{}", b.low, b.high) };
    let label_width = buckets.iter().map(|b| label(b).len()).max().unwrap_or(0);
    let count_width = most.to_string().len();
    // Label, two spaces, count, space, six columns of share, space.
    let room = width.saturating_sub(label_width + count_width + 10).max(8);
    let mut text = String::new();
    for bucket in buckets {
        let share = 100.0 * bucket.count as f64 / total.max(1) as f64;
        let eighths = (u128::from(bucket.count) * 8 * room as u128 / u128::from(most.max(1))) as usize;
        // Something must be seen of whatever is there.
        let eighths = if bucket.count > 0 { eighths.max(1) } else { 0 };
        let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
        let line = format!("{:>label_width$}  {:>count_width$} {share:>5.1}% {bar}", label(bucket), bucket.count);
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_double() {
        let buckets = histogram(&[(0, 1), (1, 2), (3, 4), (4, 8), (7, 16), (8, 32)]);
        let found: Vec<_> = buckets.iter().map(|b| (b.low, b.high, b.count)).collect();
        assert_eq!(found, [(0, 0, 1), (1, 1, 2), (2, 3, 4), (4, 7, 24), (8, 15, 32)]);
        assert_eq!(histogram(&[]), []);
        assert_eq!(histogram(&[(u64::MAX, 1)])[0].high, u64::MAX);
    }

    #[test]
    fn bars_fit_the_width() {
        let buckets = histogram(&[(0, 1), (1, 1000), (5, 333), (70, 0), (1 << 20, 1)]);
        let text = render(&buckets, 60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert_eq!(text.lines().count(), buckets.len());
    }
}
