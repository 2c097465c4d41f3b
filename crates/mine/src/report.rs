//! Results as text, as data for JSON, and as assertions.

use std::fmt::Write;

use serde::Serialize;

use crate::assertion::Language;
use crate::identifiers::Identifiers;
use crate::invariant::Basis;
use crate::mine::{Mined, Seconds};
use crate::template::Template;

/// An invariant with names.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// As a person reads it.
    pub text: String,
    /// The shape.
    pub template: Template,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// How it is known.
    pub basis: Basis,
}

/// All of a result.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Names of Booleans.
    pub booleans: Vec<String>,
    /// Names of numbers.
    pub numbers: Vec<String>,
    /// How many invariants were found.
    pub count: usize,
    /// Those of them that do not follow from others.
    pub checked: usize,
    /// Time spent.
    pub seconds: Seconds,
    /// What a person should know about the trace.
    pub notes: Vec<String>,
    /// The invariants.
    pub invariants: Vec<Row>,
}

/// A result as data. `only_checked` leaves out what follows from other invariants or from ranges.
pub fn report(mined: &Mined, only_checked: bool) -> Report {
    let shown = mined.invariants.iter().filter(|found| !only_checked || found.basis == Basis::Checked);
    let row = |found: &crate::Invariant| Row {
        text: found.text(&mined.variables),
        template: found.template,
        variables: found.names(&mined.variables).into_iter().map(str::to_owned).collect(),
        basis: found.basis,
    };
    Report {
        booleans: mined.variables.booleans.clone(),
        numbers: mined.variables.numbers.clone(),
        count: mined.invariants.len(),
        checked: mined.invariants.iter().filter(|found| found.basis == Basis::Checked).count(),
        seconds: mined.seconds,
        notes: mined.notes.clone(),
        invariants: shown.map(row).collect(),
    }
}

/// A line per invariant.
pub fn text(mined: &Mined, only_checked: bool) -> String {
    let mut text = String::new();
    for found in mined.invariants.iter().filter(|found| !only_checked || found.basis == Basis::Checked) {
        let _ = writeln!(text, "{}", found.text(&mined.variables));
    }
    text
}

/// A line of a program per invariant, behind the lines that they need.
pub fn assertions(mined: &Mined, language: Language, only_checked: bool) -> String {
    let shown = || mined.invariants.iter().filter(|found| !only_checked || found.basis == Basis::Checked);
    let calls = |template: Template| matches!(template, Template::BelowRoot | Template::Logarithm | Template::Power);
    let mut text = language.head(shown().any(|found| calls(found.template))).to_owned();
    let identifiers = Identifiers::new(&mined.variables, language);
    for (identifier, name) in identifiers.renamed(&mined.variables) {
        text += &language.comment(&format!("{identifier} is the variable {name:?}"));
    }
    for found in shown() {
        let _ = writeln!(text, "{}", found.assertion(&identifiers, language, mined.tolerance));
    }
    text
}
