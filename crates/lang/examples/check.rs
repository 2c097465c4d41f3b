//! Checks the `.gt` programs and schedule files named on the command line and prints what the front end finds.
//!
//! A file whose text is nothing but a schedule (no top-level declaration before `schedule:`) is read as such.

use gw_lang::{SourceFile, compile_front, diagnostic, lexer, parse_schedule};
use std::time::{Duration, Instant};

fn main() {
    let (mut good, mut bad, mut slowest) = (0, 0, Duration::ZERO);
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                bad += 1;
                continue;
            }
        };
        let source = SourceFile::new(&path, text);
        let algorithm = lexer::split(&source.text).algorithm;
        let has_algorithm = source.text[..algorithm.end]
            .lines()
            .any(|line| ["element", "func", "export", "extern", "const"].iter().any(|w| line.starts_with(w)));
        let start = Instant::now();
        let result = match has_algorithm {
            true => compile_front(&source).map(|front| front.warnings),
            false => parse_schedule(&source).map(|parsed| parsed.warnings),
        };
        slowest = slowest.max(start.elapsed());
        let findings = match result {
            Ok(warnings) => {
                good += 1;
                warnings
            }
            Err(findings) => {
                bad += 1;
                findings
            }
        };
        print!("{}", diagnostic::render(&findings, &source, false));
    }
    println!("{good} fine, {bad} rejected, slowest {slowest:?}");
}
