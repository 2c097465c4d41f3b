//! Placeholder line, replaced when the crate gets its first content.
