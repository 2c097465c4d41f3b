//! The suites that come with Graphwright, embedded from `bench/suites/`.

use crate::suite::Suite;

const TEXTS: &[(&str, &str)] = &[
    ("gap", include_str!("../../../bench/suites/gap.toml")),
    ("graphalytics", include_str!("../../../bench/suites/graphalytics.toml")),
    ("h200", include_str!("../../../bench/suites/h200.toml")),
    ("mapping", include_str!("../../../bench/suites/mapping.toml")),
    ("smoke", include_str!("../../../bench/suites/smoke.toml")),
];

/// Programs of built-in suites that are no standard programs.
const PROGRAMS: &[(&str, &str)] = &[("mapping.gt", include_str!("../../../bench/suites/mapping.gt"))];

/// The text of a program of a built-in suite.
pub(crate) fn program(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// All built-in suites, as names and texts.
pub(crate) fn texts() -> &'static [(&'static str, &'static str)] {
    TEXTS
}

/// All built-in suites.
///
/// ```
/// assert!(gw_lab::builtin_suites().unwrap().iter().any(|suite| suite.name == "gap"));
/// ```
pub fn builtin_suites() -> crate::Result<Vec<Suite>> {
    TEXTS.iter().map(|(name, text)| Suite::parse(name, text)).collect()
}
