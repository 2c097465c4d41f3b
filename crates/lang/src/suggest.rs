//! "Did you mean": the nearest known name by edit distance.

/// The candidate with the fewest edits from `name` (insert, delete, replace, swap neighbours; letter case is
/// ignored), if it is near enough to be a likely slip.
///
/// ```
/// use gw_lang::suggest::nearest;
/// assert_eq!(nearest("getVertexs", ["getVertices", "getNgh"]), Some("getVertices"));
/// assert_eq!(nearest("form", ["apply", "FROM"]), Some("FROM"));
/// assert_eq!(nearest("frobnicate", ["getVertices", "getNgh"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 4);
    let (name, length) = (name.to_lowercase(), name.chars().count());
    candidates
        .into_iter()
        // Names whose lengths differ by more are too far away; not to compare them bounds the time for long names.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}
