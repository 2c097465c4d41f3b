//! The suites that come with Graphwright, embedded from `bench/suites/`.

use crate::suite::Suite;

const TEXTS: &[(&str, &str)] = &[
    ("gap", include_str!("../../../bench/suites/gap.toml")),
    ("h200", include_str!("../../../bench/suites/h200.toml")),
    ("smoke", include_str!("../../../bench/suites/smoke.toml")),
];

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
