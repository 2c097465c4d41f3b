//! How results and errors reach a person or a pipe.

use std::io::{IsTerminal, Write};
use std::path::Path;

use gw_graph::partial_file::PartialFile;
use gw_lang::diagnostic::MOST_FINDINGS;
use gw_lang::{Diagnostic, SourceFile};
use serde::Serialize;

use crate::error::CliError;

/// Prints an error: one line, or the findings in a program with its text.
pub fn error(error: &CliError) {
    eprint!("{}", error_text(error));
}

/// An error as it is printed.
pub fn error_text(error: &CliError) -> String {
    match error {
        error if error.is_broken_pipe() => String::new(),
        // Diagnostics bring their own heading.
        CliError::Program { found, .. } => {
            let mut text = error.to_string();
            if found.iter().filter(|finding| finding.is_error()).count() >= MOST_FINDINGS {
                text += &format!("gw: no more than {MOST_FINDINGS} errors are shown; there may be more\n");
            }
            text
        }
        CliError::Run { error: cause, .. } if cause.diagnostic().is_some() => error.to_string(),
        error => format!("gw: {error}\n"),
    }
}

/// An error of one of several programs as it is printed.
pub fn error_text_of(program: &str, error: &CliError) -> String {
    let text = error_text(error);
    match text.strip_prefix("gw: ") {
        Some(rest) => format!("gw: {program}: {rest}"),
        None => format!("gw: {program} failed:\n{text}"),
    }
}

/// Prints warnings about a program.
pub fn warnings(found: &[Diagnostic], file: &SourceFile) {
    if !found.is_empty() {
        eprint!("{}", gw_lang::diagnostic::render(found, file, color()));
    }
}

/// Whether standard error shows colours.
pub fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints a value as indented JSON.
pub fn json(value: &impl Serialize) -> Result<(), CliError> {
    text(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Prints a text, which ends with its own newline.
pub fn text(text: &str) -> Result<(), CliError> {
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Refuses a file that cannot be written, before the work whose result shall go there. A file that is there keeps its
/// contents, and none stays behind where there was none.
pub fn writable(path: &Path, option: &str) -> Result<(), CliError> {
    let tried = match path.exists() {
        true => std::fs::OpenOptions::new().append(true).open(path).map(drop),
        false => PartialFile::beside(path).map(drop),
    };
    tried.map_err(|error| CliError::Usage(format!("{option} {}: {error}", path.display())))
}

/// A number with thin groups of three: `1,048,576`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A byte count with a binary unit: `1.5 MiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

/// A duration with three digits: `1.23 s`, `45.6 ms`, `789 us`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} us", s * 1e6),
    }
}

/// A rate with three digits: `1.23 G`, `45.6 M`; `unit` follows the letter.
pub fn rate(value: f64, unit: &str) -> String {
    let (value, letter) = match value {
        v if v >= 1e9 => (v / 1e9, "G"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let digits = if value >= 100.0 || value == 0.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {letter}{unit}").trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_048_576), "1,048,576");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(2.5), "2.50 s");
        assert_eq!(rate(1.234e9, ""), "1.23 G");
        assert_eq!(rate(45.67e6, "B/s"), "45.7 MB/s");
        assert_eq!(rate(812.0, ""), "812");
        assert_eq!(rate(0.0, "B/s"), "0 B/s");
    }
}
