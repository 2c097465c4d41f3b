//! "Did you mean": the nearest known name by edit distance.

/// The candidate nearest to `name`, if it is near enough to be a likely slip.
///
/// ```
/// use gw_lang::suggest::nearest;
/// assert_eq!(nearest("getVertexs", ["getVertices", "getNgh"]), Some("getVertices"));
/// assert_eq!(nearest("frobnicate", ["getVertices", "getNgh"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, limit), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance (insert, delete, replace, swap neighbours), ignoring letter case; `limit + 1` when larger.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let width = b.len() + 1;
    // Three rows suffice: a swap looks two rows back.
    let mut rows = [vec![0; width], (0..width).collect::<Vec<_>>(), vec![0; width]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..width {
            let replace = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("from", "form", 4), 1);
        assert_eq!(distance("apply", "aply", 4), 1);
        assert_eq!(distance("Apply", "apply", 4), 0);
        assert_eq!(distance("a", "abcdef", 2), 3);
        assert_eq!(distance("", "ab", 2), 2);
    }
}
