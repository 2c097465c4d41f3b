//! Comparing the outcome of a machine with that of the reference machine.

use crate::execute::{Data, Fault, Outcome};
use crate::order::Judgement;
use serde::{Deserialize, Serialize};

/// What kind of failure a trial shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The process died: a stray access, or an abort of the allocator.
    Crash,
    /// No end within the time.
    Hang,
    /// A panic.
    Panic,
    /// The reference machine reports an error, this machine does not.
    MissingFault,
    /// This machine reports an error, the reference machine does not.
    ExtraFault,
    /// Both report errors that cannot be the same.
    OtherFault,
    /// Printed lines differ.
    Printed,
    /// A global differs.
    Globals,
    /// The generated program is not well typed: a defect of the generator.
    Generator,
    /// The reference machine gives another result in another order, although the rule says that none matters.
    Rule,
}

/// A difference.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Difference {
    /// What kind.
    pub kind: Kind,
    /// Both sides in words.
    pub detail: String,
}

fn difference(kind: Kind, detail: String) -> Option<Difference> {
    Some(Difference { kind, detail })
}

/// The difference between two outcomes of a program, if there is one that the program's semantics do not allow.
pub fn compare(program: &str, judgement: &Judgement, expected: &Outcome, found: &Outcome) -> Option<Difference> {
    match (expected, found) {
        (_, Outcome::Panicked(message)) => return difference(Kind::Panic, message.clone()),
        (_, Outcome::Refused(_)) | (Outcome::Stopped, _) => return None,
        (_, Outcome::Stopped) => return difference(Kind::Hang, "stopped by its time limit".into()),
        _ => {}
    }
    if judgement.dependent.is_some() {
        return None;
    }
    match (expected, found) {
        (Outcome::Done { printed: a, globals: x }, Outcome::Done { printed: b, globals: y }) => {
            compare_lines(judgement, a, b).or_else(|| compare_globals(judgement, x, y))
        }
        (Outcome::Fault(a), Outcome::Fault(b)) => compare_faults(program, judgement, a, b),
        (Outcome::Fault(fault), _) => difference(
            Kind::MissingFault,
            format!("the reference machine says in line {}: {}", fault.line, fault.message),
        ),
        (_, Outcome::Fault(fault)) => {
            difference(Kind::ExtraFault, format!("line {}: {} {}", fault.line, fault.kind, fault.message))
        }
        _ => None,
    }
}

fn compare_lines(judgement: &Judgement, expected: &[String], found: &[String]) -> Option<Difference> {
    for (at, (a, b)) in expected.iter().zip(found).enumerate() {
        if a != b && !(judgement.inexact && close_texts(a, b)) {
            return difference(Kind::Printed, format!("printed line {}: `{a}` became `{b}`", at + 1));
        }
    }
    if expected.len() != found.len() {
        return difference(Kind::Printed, format!("{} lines became {}", expected.len(), found.len()));
    }
    None
}

fn close_texts(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => close(x, y, 1.0),
        _ => false,
    }
}

/// Sums in another order: equal up to a part in ten thousand of the numbers around. Numbers that are not finite have
/// lost what could be compared.
fn close(a: f64, b: f64, scale: f64) -> bool {
    a == b || !a.is_finite() || !b.is_finite() || (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(scale)
}

fn compare_globals(judgement: &Judgement, expected: &[(String, Data)], found: &[(String, Data)]) -> Option<Difference> {
    for ((name, a), (_, b)) in expected.iter().zip(found) {
        match (a, b) {
            (Data::Whole(x), Data::Whole(y)) => {
                if let Some(at) = (0..x.len().max(y.len())).find(|&i| x.get(i) != y.get(i)) {
                    return difference(Kind::Globals, format!("{name}[{at}]: {:?} became {:?}", x.get(at), y.get(at)));
                }
            }
            (Data::Real(x), Data::Real(y)) => {
                let scale = x.iter().filter(|v| v.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()));
                let same = |a: f64, b: f64| {
                    a == b || (a.is_nan() && b.is_nan()) || (judgement.inexact && close(a, b, scale.min(1e6)))
                };
                if x.len() != y.len() {
                    return difference(Kind::Globals, format!("{name}: {} entries became {}", x.len(), y.len()));
                }
                if let Some(at) = (0..x.len()).find(|&i| !same(x[i], y[i])) {
                    return difference(Kind::Globals, format!("{name}[{at}]: {} became {}", x[at], y[at]));
                }
            }
            _ => return difference(Kind::Globals, format!("{name} has another type")),
        }
    }
    None
}

/// Which of several faults of an operator is reported depends on the order of its elements: another line of the
/// functions of the same operator is as good, and so is another line of the same `par_for`. Other faults of the host
/// have one place.
fn compare_faults(program: &str, judgement: &Judgement, a: &Fault, b: &Fault) -> Option<Difference> {
    let describe = |fault: &Fault| format!("line {}: {} `{}`", fault.line, fault.kind, fault.message);
    if let Some(found) = compare_lines(judgement, &a.printed, &b.printed) {
        return difference(found.kind, format!("{}; {} became {}", found.detail, describe(a), describe(b)));
    }
    if a.line == b.line && a.kind == b.kind {
        if same_object(program, a, b) {
            return None;
        }
    } else if let (Some(first), Some(second)) = (operator_of(program, a.line), operator_of(program, b.line))
        && (first == second || used_together(program, &first, &second))
    {
        return None;
    } else if applies(program, a.line, b.line) || applies(program, b.line, a.line) {
        return None;
    } else if let Some(parallel) = parallel_loop(program, a.line)
        && parallel.contains(&b.line)
    {
        return None;
    }
    difference(Kind::OtherFault, format!("{} became {}", describe(a), describe(b)))
}

/// The same message, but for the index: the vector and its length must be the same, unless the line has several.
fn same_object(program: &str, a: &Fault, b: &Fault) -> bool {
    let object = |fault: &Fault| fault.message.split_once(": ").map(|(_, object)| object.to_string());
    if a.message == b.message || object(a) == object(b) {
        return true;
    }
    let text = program.lines().nth(a.line.saturating_sub(1) as usize).unwrap_or_default();
    text.matches('[').count() + text.matches('(').count() > 1
}

/// The lines of the `par_for` of `main` around a line, if there is one.
fn parallel_loop(program: &str, line: u32) -> Option<std::ops::RangeInclusive<u32>> {
    let lines: Vec<&str> = program.lines().collect();
    let indent = |text: &str| text.len() - text.trim_start().len();
    let at = (line as usize).checked_sub(1).filter(|at| *at < lines.len())?;
    let start = (0..=at).rev().find(|&i| lines[i].contains("par_for "))?;
    let end =
        (start + 1..lines.len()).find(|&i| lines[i].trim() == "end" && indent(lines[i]) == indent(lines[start]))?;
    (start..=end).contains(&at).then(|| start as u32 + 1..=end as u32 + 1)
}

/// The function around a line; `None` in `main`.
fn operator_of(program: &str, line: u32) -> Option<String> {
    let above = program.lines().take(line as usize).collect::<Vec<_>>();
    let head = above.iter().rev().find(|text| text.starts_with("func "))?;
    let name = head.trim_start_matches("func ").split(['[', '(']).next()?.trim();
    (name != "main").then(|| name.to_string())
}

/// Whether a line of `main` is an operator that applies the function around another line: machines report
/// a vertex that cannot enter the output at the operator or at the line that wrote it.
fn applies(program: &str, main: u32, inside: u32) -> bool {
    let line = program.lines().nth(main.saturating_sub(1) as usize).unwrap_or_default();
    let function = operator_of(program, inside);
    operator_of(program, main).is_none() && function.is_some_and(|name| line.contains(&format!("({name}")))
}

/// Whether two functions belong to one operator: named in one line of `main`, or a function of numbers that others
/// call.
fn used_together(program: &str, first: &str, second: &str) -> bool {
    let helper = |name: &str| name.starts_with('h');
    helper(first)
        || helper(second)
        || program.lines().any(|line| line.contains(&format!("({first}")) && line.contains(&format!("({second}")))
}
