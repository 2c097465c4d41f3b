//! The schedule section: C++-like statements that build a [`ProgramSchedule`].
//!
//! `syntax.rs` reads the statements, `device.rs` runs those on schedule objects (GPU, Swarm, HammerBlade), `cpu.rs`
//! those on the program (`configApply...`, legacy `setApply`, transforms).

mod argument;
mod cpu;
mod device;
mod syntax;
mod token;

use crate::diagnostic::{Diagnostic, has_errors};
use crate::lexer;
use crate::source::{SourceFile, Span};
use crate::suggest::nearest;
use device::Object;
use gw_schedule::{Family, Label, ProgramSchedule};
use std::collections::HashMap;
use syntax::{Call, Name, Statement};

/// A label named by a schedule, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelUse {
    /// The label path.
    pub path: String,
    /// Where it is written.
    pub span: Span,
    /// True for `configParForGrainSize`, which names the bare label of a `par_for`.
    pub bare: bool,
}

/// A schedule read from C++-like statements.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ParsedSchedule {
    /// The schedule.
    pub schedule: ProgramSchedule,
    /// The labels it names, in order.
    pub labels: Vec<LabelUse>,
    /// Findings that are not errors.
    pub warnings: Vec<Diagnostic>,
    /// True for the canonical one-line text, which is written for one program; files of statements serve many.
    pub one_line: bool,
}

/// Parses a schedule file: everything behind its `schedule:` line, or the whole text without one.
///
/// ```
/// use gw_lang::{SourceFile, parse_schedule};
/// let file = SourceFile::new("road.gt", "program->configApplyDirection(\"s1\", \"DensePull\");");
/// let parsed = parse_schedule(&file).unwrap();
/// assert_eq!(parsed.schedule.to_string(), "on=cpu;s1@pull");
/// ```
pub fn parse_schedule(source: &SourceFile) -> Result<ParsedSchedule, Vec<Diagnostic>> {
    let whole = Span::new(0, source.text.len());
    let span = lexer::split(&source.text).schedule.unwrap_or(whole);
    parse_section(source, span)
}

/// Reads a schedule in either form: the canonical one-line text of the schedule space, or C++-like statements.
///
/// ```
/// use gw_lang::{SourceFile, schedule::read_schedule};
/// let line = read_schedule(&SourceFile::new("--schedule", "s1@pull")).unwrap();
/// let statements = read_schedule(&SourceFile::new("s.gt", "program->setApply(\"s1\", \"pull\");")).unwrap();
/// assert_eq!(line.schedule.get("s1"), statements.schedule.get("s1"));
/// ```
pub fn read_schedule(source: &SourceFile) -> Result<ParsedSchedule, Vec<Diagnostic>> {
    let text = source.text.trim();
    // Every statement is a call, a declaration of a `...Schedule` object, or stands behind the header.
    let statements = text.contains("->") || text.contains("Schedule") || lexer::split(&source.text).schedule.is_some();
    if statements || text.is_empty() {
        return parse_schedule(source);
    }
    let offset = source.text.len() - source.text.trim_start().len();
    match text.parse::<ProgramSchedule>() {
        Ok(schedule) => {
            // Where each label stands: before the `@` of its part.
            let mut places: HashMap<&str, usize> = HashMap::new();
            let mut start = 0;
            for part in source.text.split(';') {
                if let Some((label, _)) = part.split_once('@') {
                    let blanks = label.len() - label.trim_start().len();
                    places.entry(label.trim()).or_insert(start + blanks);
                }
                start += part.len() + 1;
            }
            let place = |path: &str| {
                let start = places.get(path).copied().unwrap_or(offset);
                Span::new(start, (start + path.len()).min(source.text.len()))
            };
            let labels = schedule.labels().map(|(label, _)| LabelUse {
                span: place(label.as_str()),
                path: label.to_string(),
                bare: !label.as_str().contains(':'),
            });
            Ok(ParsedSchedule { labels: labels.collect(), schedule, warnings: Vec::new(), one_line: true })
        }
        Err(error) => {
            let start = (offset + error.position).min(source.text.len());
            let span = Span::new(start, (start + error.word.len()).min(source.text.len()));
            Err(vec![Diagnostic::error(error.to_string(), span, "not understood")])
        }
    }
}

/// Parses the schedule statements in one part of a file; spans point into the whole file.
pub fn parse_section(source: &SourceFile, span: Span) -> Result<ParsedSchedule, Vec<Diagnostic>> {
    let (statements, diagnostics) = syntax::parse(source, span);
    let mut reader = Reader { diagnostics, ..Reader::default() };
    for statement in &statements {
        if reader.errors >= syntax::MAX_FINDINGS {
            break;
        }
        // A faulty statement is reported; the others are still read.
        let _ = reader.statement(statement);
    }
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|d| d.primary.span.start);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    Ok(ParsedSchedule { schedule: reader.schedule, labels: reader.labels, warnings: diagnostics, one_line: false })
}

/// Marks a statement that failed and has been reported.
#[derive(Debug)]
struct Fail;

/// Result of reading a piece of a statement.
type Read<T> = Result<T, Fail>;

/// Runs the statements in order.
#[derive(Default)]
struct Reader {
    schedule: ProgramSchedule,
    labels: Vec<LabelUse>,
    objects: HashMap<String, Object>,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl Reader {
    fn report(&mut self, diagnostic: Diagnostic) -> Fail {
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
        Fail
    }

    fn statement(&mut self, statement: &Statement) -> Read<()> {
        match statement {
            Statement::Declare { kind, name, args } => self.declare(kind, name, args),
            Statement::Calls { object, calls } if object.text == "program" => {
                calls.iter().try_for_each(|call| self.program_call(call))
            }
            Statement::Calls { object, calls } => calls.iter().try_for_each(|call| self.object_call(object, call)),
        }
    }

    fn program_call(&mut self, call: &Call) -> Read<()> {
        match call.name.text.as_str() {
            "applyGPUSchedule" => self.apply(call, Family::Gpu),
            "applySwarmSchedule" => self.apply(call, Family::Swarm),
            "applyHBSchedule" => self.apply(call, Family::HammerBlade),
            _ => self.cpu_call(call),
        }
    }

    /// Notes which machines the schedule is for; device families win over the CPU, two of them clash.
    fn family(&mut self, family: Family, span: Span) -> Read<()> {
        match self.schedule.family() {
            None | Some(Family::Cpu) => self.schedule.set_family(Some(family)),
            Some(_) if family == Family::Cpu => {}
            Some(other) if other != family => {
                return Err(self.report(Diagnostic::error(
                    format!("one schedule cannot be for {other} and for {family}"),
                    span,
                    format!("for {family}"),
                )));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Checks a label path and notes its use.
    fn label(&mut self, path: &str, span: Span, bare: bool) -> Read<Label> {
        match Label::new(path) {
            Ok(label) => {
                let path = path.to_string();
                self.labels.push(LabelUse { path, span, bare });
                Ok(label)
            }
            Err(error) => Err(self.report(Diagnostic::error(error.to_string(), span, "not a label"))),
        }
    }

    /// Reports a word that is none of the `known` ones.
    fn unknown(&mut self, what: &str, name: &Name, known: &[&str]) -> Fail {
        let mut diagnostic =
            Diagnostic::error(format!("there is no {what} `{}`", name.text), name.span, format!("unknown {what}"));
        diagnostic = match nearest(&name.text, known.iter().copied()) {
            Some(near) => diagnostic.did_you_mean(Some(near)),
            None if known.len() <= 12 => diagnostic.help(format!("known here: {}", known.join(", "))),
            None => diagnostic,
        };
        self.report(diagnostic)
    }
}
