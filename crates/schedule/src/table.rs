//! The one table of options: every axis with a line each, as data and as Markdown.

use crate::point::PointKind;
use crate::program::Family;
use crate::resolve::defaults;
use crate::simple::{Axis, SimpleSchedule};
use crate::value::ValueRow;
use std::fmt::Write;

/// One axis as a row of the table of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisRow {
    /// The axis.
    pub axis: Axis,
    /// Its key in the text form.
    pub key: &'static str,
    /// What it decides.
    pub line: &'static str,
    /// Its values with a line each.
    pub values: Vec<ValueRow>,
    /// The program points it has a meaning for.
    pub points: &'static [PointKind],
    /// The default of each machine family that has one, at the first of these points.
    pub defaults: Vec<(Family, &'static str)>,
}

/// All axes in the order of the text form.
pub fn axes_table() -> Vec<AxisRow> {
    let row = |&axis: &Axis| {
        let points = axis.applies_to();
        let default = |&family: &Family| {
            let nothing = SimpleSchedule::default();
            let first = defaults(axis, family, points[0], &nothing).first()?;
            Some((family, *first))
        };
        AxisRow {
            axis,
            key: axis.key(),
            line: axis.line(),
            values: axis.rows(),
            points,
            defaults: Family::ALL.iter().filter_map(default).collect(),
        }
    };
    Axis::ALL.iter().map(row).collect()
}

/// The table as Markdown: the axes, then the values of each.
pub fn axes_markdown() -> String {
    let mut out = String::from("| key | decides | on | defaults |\n|---|---|---|---|\n");
    let table = axes_table();
    for row in &table {
        let points: Vec<_> = row.points.iter().map(|p| p.word()).collect();
        let defaults: Vec<_> = row.defaults.iter().map(|(family, word)| format!("{family} `{word}`")).collect();
        let _ = writeln!(out, "| `{}` | {} | {} | {} |", row.key, row.line, points.join(", "), defaults.join(", "));
    }
    out.push_str("\n| setting | meaning |\n|---|---|\n");
    for row in &table {
        for value in &row.values {
            let _ = write!(out, "| `{}={}`", row.key, value.word);
            for alias in value.aliases {
                let _ = write!(out, ", `{alias}`");
            }
            let _ = writeln!(out, " | {} |", value.line.replace('|', "\\|"));
        }
    }
    out
}

/// The table of the language guide: a row per axis with its values.
pub fn axes_guide() -> String {
    let mut out = String::from("| key | values | decides | on |\n|---|---|---|---|\n");
    for row in axes_table() {
        let points: Vec<_> = row.points.iter().map(|p| p.word()).collect();
        let values: Vec<_> = row.values.iter().map(|v| format!("`{}`", v.word.replace('|', "\\|"))).collect();
        let _ = writeln!(out, "| `{}` | {} | {} | {} |", row.key, values.join(" "), row.line, points.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_guide_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/language.md");
        let guide = std::fs::read_to_string(path).unwrap();
        let (before, rest) = guide.split_once("<!-- axes:").expect("the table begins here");
        let (comment, rest) = rest.split_once("-->\n").expect("the comment ends");
        let (table, after) = rest.split_once("<!-- end of axes -->").expect("the table ends here");
        if std::env::var_os("UPDATE_AXES").is_some() {
            let new = format!("{before}<!-- axes:{comment}-->\n{}<!-- end of axes -->{after}", axes_guide());
            std::fs::write(path, new).unwrap();
            return;
        }
        assert_eq!(table, axes_guide(), "run the tests with UPDATE_AXES=1 to rewrite the table in the guide");
    }

    #[test]
    fn the_written_table_is_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/AXES.md");
        if std::env::var_os("UPDATE_AXES").is_some() {
            std::fs::write(path, axes_markdown()).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(path).unwrap(),
            axes_markdown(),
            "run the tests with UPDATE_AXES=1 to rewrite AXES.md"
        );
    }

    /// Every word that the parser takes besides the axes stands in the grammar of the guide.
    #[test]
    fn the_grammar_of_the_guide_names_every_word() {
        let guide = include_str!("../../../docs/language.md");
        let grammar = guide.split("### The one-line text").nth(1).and_then(|rest| rest.split("```").nth(1)).unwrap();
        let words = crate::Criterion::ALL.iter().map(|c| c.word());
        let words =
            words.chain(Family::ALL.iter().map(|f| f.word())).chain(crate::SetForm::ALL.iter().map(|f| f.word()));
        let words = words.chain(crate::Direction::ALL.iter().map(|d| d.word()));
        let transforms =
            ["fuse-fields", "split-for-loop", "fuse-for-loop", "fuse-apply-functions", "set-vertex-set"].into_iter();
        for word in words.chain(transforms).chain(["hybrid", "adaptive", "default", "tree.", "oracle.", "on=", "do="]) {
            assert!(grammar.contains(word), "the grammar lacks `{word}`");
        }
    }

    #[test]
    fn defaults_are_values_of_their_axis() {
        for row in axes_table() {
            for (_, word) in row.defaults {
                assert!(SimpleSchedule::default().set_text(row.axis, word), "{word}");
            }
        }
    }

    #[test]
    fn keys_and_words_are_unique_and_safe_in_file_names() {
        let mut keys = std::collections::BTreeSet::new();
        for row in axes_table() {
            assert!(keys.insert(row.key), "{} twice", row.key);
            assert!(!["by", "at", "on", "order", "do"].contains(&row.key));
            let mut words = std::collections::BTreeSet::new();
            for value in &row.values {
                for word in std::iter::once(&value.word).chain(value.aliases) {
                    assert!(words.insert(*word), "{word} twice in {}", row.key);
                }
            }
            for s in row.axis.representatives() {
                let text = s.to_string();
                let safe = |c: char| c.is_ascii_alphanumeric() || ",=+.-_@".contains(c);
                assert!(text.chars().all(safe), "{text}");
            }
        }
    }
}
