//! Hubs: from which degree on a list of edges is put aside and shared by the whole device.

use crate::value::{AxisValue, ValueRow};
use std::fmt;
use std::num::NonZeroU32;

/// The degree from which on a vertex is a hub: its edges are put aside and shared by all blocks after the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hubs {
    /// Lists of at least this many edges.
    Degree(NonZeroU32),
    /// Lists of at least half as many edges as threads are resident on the device.
    Resident,
}

impl Hubs {
    /// Lists of at least `degree` edges; `None` for 0.
    pub fn degree(degree: u32) -> Option<Hubs> {
        NonZeroU32::new(degree).map(Hubs::Degree)
    }

    /// The values tried by enumeration: a degree that small graphs reach, one that only skewed graphs reach, and the
    /// threshold by resident threads.
    pub fn representatives() -> Vec<Hubs> {
        [32, 4096].into_iter().filter_map(Hubs::degree).chain([Hubs::Resident]).collect()
    }
}

impl fmt::Display for Hubs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hubs::Degree(degree) => degree.fmt(f),
            Hubs::Resident => f.write_str("resident"),
        }
    }
}

impl AxisValue for Hubs {
    fn rows() -> Vec<ValueRow> {
        vec![
            ValueRow { word: "<n>", aliases: &[], line: "lists of at least n edges" },
            ValueRow {
                word: "resident",
                aliases: &[],
                line: "lists of at least half as many edges as threads are resident on the device",
            },
        ]
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Option<Hubs> {
        if text == "resident" {
            return Some(Hubs::Resident);
        }
        // No sign and no leading zero: one text per value.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        plain.then(|| text.parse().ok().map(Hubs::Degree)).flatten()
    }

    fn kind(&self) -> &'static str {
        match self {
            Hubs::Degree(_) => "<n>",
            Hubs::Resident => "resident",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_and_others_are_refused() {
        for value in Hubs::representatives() {
            assert_eq!(Hubs::from_text(&value.text()), Some(value));
            assert!(Hubs::rows().iter().any(|row| row.word == value.kind()));
        }
        for bad in ["0", "", "-1", "+1", "007", "4294967296", "residents"] {
            assert_eq!(Hubs::from_text(bad), None, "{bad}");
        }
    }
}
