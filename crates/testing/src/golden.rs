//! Texts that are compared with a recorded file.

use std::path::Path;

/// Compares a text line by line with the file in which it was recorded. With `GW_BLESS=1` the file is written anew.
///
/// # Panics
/// Where the text differs, with the first lines that do.
#[track_caller]
pub fn assert_recorded(file: impl AsRef<Path>, text: &str) {
    let file = file.as_ref();
    let recorded = std::fs::read_to_string(file).unwrap_or_default();
    if std::env::var_os("GW_BLESS").is_some() {
        std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    if let Some(difference) = difference(text, &recorded) {
        panic!("{}: {difference}", file.display());
    }
}

/// How a text differs from the recorded one, in its first lines: whole texts may have thousands of them.
fn difference(text: &str, recorded: &str) -> Option<String> {
    let differ = |(at, (now, then)): (usize, (&str, &str))| (now != then).then(|| format!("{at}: {now} / {then}"));
    let lines: Vec<String> = text.lines().zip(recorded.lines()).enumerate().filter_map(differ).take(5).collect();
    match (lines.is_empty(), text.len() == recorded.len()) {
        (false, _) => Some(format!("the first lines that differ, now / recorded: {lines:#?}")),
        (true, false) => Some(format!(
            "one text is the beginning of the other: {} bytes now, {} recorded",
            text.len(),
            recorded.len()
        )),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn lines_and_lengths_are_compared() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert!(difference("a\nc\n", "a\nb\n").is_some_and(|text| text.contains("1: c / b")));
        assert!(difference("a\n", "a\nb\n").is_some_and(|text| text.contains("2 bytes now, 4 recorded")));
    }
}
