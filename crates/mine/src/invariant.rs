//! Invariants: a template with the variables it holds for, as text and as assertions of programming languages.

use serde::Serialize;

use crate::identifiers::Identifiers;
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

/// A language for assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `assert(a == (b && c));` with `<assert.h>` and `<math.h>`.
    C,
    /// `assert a == (b and c)` with `import math`.
    Python,
    /// Immediate assertions: `assert (a == (b && c));`.
    SystemVerilog,
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

    /// The invariant as a line of a program.
    pub fn assertion(&self, identifiers: &Identifiers, language: Language, tolerance: f64) -> String {
        use Template::*;
        let all = if self.template.is_boolean() { &identifiers.booleans } else { &identifiers.numbers };
        let names: Vec<&String> = self.variables[..self.template.arity()].iter().map(|&v| &all[v as usize]).collect();
        let [a, b, c] = [0, 1, 2].map(|at| names.get(at).map(|name| name.to_string()).unwrap_or_default());
        let word = Words::of(language);
        let near = |value: String| {
            let Words { abs, most, .. } = word;
            format!("{abs}({a} - {value}) <= {tolerance:e} * {most}({abs}({a}), {abs}({value}))")
        };
        let condition = match self.template {
            True => a.clone(),
            False => format!("{}{a}", word.not),
            Same | Equal => format!("{a} == {b}"),
            Opposite | Unequal => format!("{a} != {b}"),
            And => format!("{a} == ({b} {} {c})", word.and),
            Or => format!("{a} == ({b} {} {c})", word.or),
            Xor => format!("{a} == ({b} != {c})"),
            Constant(self::Constant::Equal(k)) => format!("{a} == {k}"),
            Constant(self::Constant::Unequal(k)) => format!("{a} != {k}"),
            Constant(self::Constant::Less(k)) => format!("{a} < {k}"),
            Constant(self::Constant::AtMost(k)) => format!("{a} <= {k}"),
            Less => format!("{a} < {b}"),
            Greater => format!("{a} > {b}"),
            AtMost => format!("{a} <= {b}"),
            AtLeast => format!("{a} >= {b}"),
            BelowRoot => format!("{a} < {}({b})", word.sqrt),
            Logarithm => near(format!("{}({b})", word.log)),
            BelowNext => format!("{a} < {b} + 1"),
            Double => format!("{a} == 2 * {b}"),
            Power => near(format!("{}({b}, {c})", word.pow)),
            Least => format!("{a} == ({})", word.choose(&format!("{b} < {c}"), &b, &c)),
            Most => format!("{a} == ({})", word.choose(&format!("{b} > {c}"), &b, &c)),
            BelowProduct => format!("{a} < {b} * {c}"),
            AtMostSum => format!("{a} <= {b} + {c}"),
        };
        match language {
            Language::C => format!("assert({condition});"),
            Language::Python => format!("assert {condition}"),
            Language::SystemVerilog => format!("assert ({condition});"),
        }
    }
}

/// How a language says things.
#[derive(Clone, Copy)]
struct Words {
    not: &'static str,
    and: &'static str,
    or: &'static str,
    sqrt: &'static str,
    log: &'static str,
    pow: &'static str,
    abs: &'static str,
    most: &'static str,
    is_python: bool,
}

impl Words {
    fn of(language: Language) -> Words {
        let c = Words {
            not: "!",
            and: "&&",
            or: "||",
            sqrt: "sqrt",
            log: "log",
            pow: "pow",
            abs: "fabs",
            most: "fmax",
            is_python: false,
        };
        match language {
            Language::C => c,
            Language::Python => Words {
                not: "not ",
                and: "and",
                or: "or",
                sqrt: "math.sqrt",
                log: "math.log",
                pow: "math.pow",
                abs: "abs",
                most: "max",
                is_python: true,
            },
            // `gw_abs` and `gw_max` stand in the head that goes before the assertions.
            Language::SystemVerilog => {
                Words { sqrt: "$sqrt", log: "$ln", pow: "$pow", abs: "gw_abs", most: "gw_max", ..c }
            }
        }
    }

    fn choose(self, condition: &str, yes: &str, no: &str) -> String {
        match self.is_python {
            true => format!("{yes} if {condition} else {no}"),
            false => format!("{condition} ? {yes} : {no}"),
        }
    }
}

impl Language {
    /// A line that is not part of the program.
    pub fn comment(self, text: &str) -> String {
        match self {
            Language::Python => format!("# {text}\n"),
            Language::C | Language::SystemVerilog => format!("// {text}\n"),
        }
    }

    /// Lines that must stand before assertions of the language.
    pub fn head(self) -> &'static str {
        match self {
            Language::C => "#include <assert.h>\n#include <math.h>\n",
            Language::Python => "import math\n",
            Language::SystemVerilog => {
                "function automatic real gw_abs(real x); return x < 0 ? -x : x; endfunction\n\
                 function automatic real gw_max(real x, real y); return x > y ? x : y; endfunction\n"
            }
        }
    }
}
