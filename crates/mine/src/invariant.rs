//! Invariants: a template with the variables it holds for, as a person reads it.

use serde::Serialize;

use crate::template::{Constant, Template};
use crate::trace::Variables;

/// How it is known that an invariant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Every instant was looked at for this template and these variables.
    Checked,
    /// The invariant follows from others, or from the ranges of its variables.
    Inferred,
}

/// A likely invariant: true at every instant of the trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Invariant {
    /// The shape.
    pub template: Template,
    /// The variables `a`, `b`, `c`, as many as the template has: indices among the Booleans or the numbers.
    pub variables: [u32; 3],
    /// How it is known.
    pub basis: Basis,
}

impl Template {
    /// True when the variables are Booleans.
    pub fn is_boolean(self) -> bool {
        use Template::*;
        matches!(self, True | False | Same | Opposite | And | Or | Xor)
    }
}

impl Invariant {
    /// The names of its variables.
    pub fn names<'a>(&self, variables: &'a Variables) -> Vec<&'a str> {
        let names = if self.template.is_boolean() { &variables.booleans } else { &variables.numbers };
        self.variables[..self.template.arity()].iter().map(|&v| names[v as usize].as_str()).collect()
    }

    /// The invariant as a person reads it, such as `busy = start AND ready`.
    pub fn text(&self, variables: &Variables) -> String {
        use Template::*;
        let names = self.names(variables);
        let [a, b, c] = [0, 1, 2].map(|at| names.get(at).copied().unwrap_or_default());
        match self.template {
            True => format!("{a} is true"),
            False => format!("{a} is false"),
            Same | Equal => format!("{a} = {b}"),
            Opposite | Unequal => format!("{a} != {b}"),
            And => format!("{a} = {b} AND {c}"),
            Or => format!("{a} = {b} OR {c}"),
            Xor => format!("{a} = {b} XOR {c}"),
            Constant(self::Constant::Equal(k)) => format!("{a} = {k}"),
            Constant(self::Constant::Unequal(k)) => format!("{a} != {k}"),
            Constant(self::Constant::Less(k)) => format!("{a} < {k}"),
            Constant(self::Constant::AtMost(k)) => format!("{a} <= {k}"),
            Less => format!("{a} < {b}"),
            Greater => format!("{a} > {b}"),
            AtMost => format!("{a} <= {b}"),
            AtLeast => format!("{a} >= {b}"),
            BelowRoot => format!("{a} < sqrt({b})"),
            Logarithm => format!("{a} = log({b})"),
            BelowNext => format!("{a} < {b} + 1"),
            Double => format!("{a} = 2 * {b}"),
            Power => format!("{a} = {b} ^ {c}"),
            Least => format!("{a} = min({b}, {c})"),
            Most => format!("{a} = max({b}, {c})"),
            BelowProduct => format!("{a} < {b} * {c}"),
            AtMostSum => format!("{a} <= {b} + {c}"),
        }
    }
}
