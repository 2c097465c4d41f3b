//! The date and time of a measurement, in UTC.

use std::time::SystemTime;

/// The present moment as `2026-01-31T23:59:59Z`.
pub fn utc_now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
