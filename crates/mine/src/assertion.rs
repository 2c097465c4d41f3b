//! Invariants as assertions of programming languages, which mean what the miner means: numbers are 64-bit floats,
//! logarithms, roots and powers have a value everywhere (perhaps infinite, perhaps no number), and values may be off by
//! the tolerance only where both are finite.
//!
//! C and SystemVerilog compute in the width and sign of the operands, so that numbers are made floats first: the sum
//! of two registers of 8 bits is not cut to 8 bits, and -1 is below an unsigned 5.

use crate::identifiers::Identifiers;
use crate::invariant::Invariant;
use crate::template::{Constant, Template};

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

impl Invariant {
    /// The invariant as a line of a program.
    pub fn assertion(&self, identifiers: &Identifiers, language: Language, tolerance: f64) -> String {
        use Template::*;
        let all = if self.template.is_boolean() { &identifiers.booleans } else { &identifiers.numbers };
        let mut names = self.variables[..self.template.arity()].iter().map(|&v| {
            let name = all[v as usize].as_str();
            if self.template.is_boolean() { name.to_owned() } else { language.number(name) }
        });
        let [a, b, c] = std::array::from_fn(|_| names.next().unwrap_or_default());
        let Words { not, and, or, sqrt, log, pow } = language.words();
        let near = |value: String| format!("gw_near({a}, {value}, {tolerance:e})");
        let one_of = |relation: &str| {
            format!("({a} == {b} {and} {b} {relation} {c}) {or} ({a} == {c} {and} {c} {relation} {b})")
        };
        let two = language.literal(2.0);
        let condition = match self.template {
            True => a.clone(),
            False => format!("{not}{a}"),
            Same | Equal => format!("{a} == {b}"),
            Opposite | Unequal => format!("{a} != {b}"),
            And => format!("{a} == ({b} {and} {c})"),
            Or => format!("{a} == ({b} {or} {c})"),
            Xor => format!("{a} == ({b} != {c})"),
            Constant(self::Constant::Equal(k)) => format!("{a} == {}", language.literal(k)),
            Constant(self::Constant::Unequal(k)) => format!("{a} != {}", language.literal(k)),
            Constant(self::Constant::Less(k)) => format!("{a} < {}", language.literal(k)),
            Constant(self::Constant::AtMost(k)) => format!("{a} <= {}", language.literal(k)),
            Less => format!("{a} < {b}"),
            Greater => format!("{a} > {b}"),
            AtMost => format!("{a} <= {b}"),
            AtLeast => format!("{a} >= {b}"),
            BelowRoot => format!("{a} < {sqrt}({b})"),
            Logarithm => near(format!("{log}({b})")),
            BelowNext => format!("{a} < {b} + {}", language.literal(1.0)),
            Double => format!("{a} == {two} * {b}"),
            Power => near(format!("{pow}({b}, {c})")),
            Least => one_of("<="),
            Most => one_of(">="),
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
struct Words {
    not: &'static str,
    and: &'static str,
    or: &'static str,
    sqrt: &'static str,
    log: &'static str,
    pow: &'static str,
}

impl Language {
    fn words(self) -> Words {
        let c = Words { not: "!", and: "&&", or: "||", sqrt: "sqrt", log: "log", pow: "pow" };
        match self {
            Language::C => c,
            Language::Python => {
                Words { not: "not ", and: "and", or: "or", sqrt: "gw_sqrt", log: "gw_log", pow: "gw_pow" }
            }
            Language::SystemVerilog => Words { sqrt: "gw_sqrt", log: "gw_ln", pow: "$pow", ..c },
        }
    }

    /// A variable as a 64-bit float.
    fn number(self, name: &str) -> String {
        match self {
            Language::C => format!("(double){name}"),
            // Whole numbers of Python have no width.
            Language::Python => name.to_owned(),
            Language::SystemVerilog => format!("real'({name})"),
        }
    }

    /// A constant as a 64-bit float.
    fn literal(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        match self {
            Language::Python if value.is_infinite() => format!("{sign}math.inf"),
            // Whole numbers of Python compare with floats as numbers do.
            Language::Python if value.abs() < 1e15 => format!("{value}"),
            Language::Python => format!("{value:?}"),
            Language::C if value.is_infinite() => format!("{sign}INFINITY"),
            Language::SystemVerilog if value.is_infinite() => format!("{sign}$bitstoreal(64'h7ff0000000000000)"),
            // With a point or an exponent: no language takes it for a whole number of some width.
            Language::C | Language::SystemVerilog => format!("{value:?}"),
        }
    }

    /// A line that is not part of the program.
    pub fn comment(self, text: &str) -> String {
        match self {
            Language::Python => format!("# {text}\n"),
            Language::C | Language::SystemVerilog => format!("// {text}\n"),
        }
    }

    /// Lines that must stand before assertions of the language. Functions are there only where an assertion calls them.
    pub fn head(self, has_functions: bool) -> &'static str {
        match (self, has_functions) {
            (Language::C, false) => "#include <assert.h>\n#include <math.h>\n",
            (Language::C, true) => C_HEAD,
            (Language::Python, false) => "import math\n",
            (Language::Python, true) => PYTHON_HEAD,
            (Language::SystemVerilog, false) => "",
            (Language::SystemVerilog, true) => SYSTEM_VERILOG_HEAD,
        }
    }
}

const C_HEAD: &str = "\
#include <assert.h>
#include <math.h>
static inline int gw_near(double x, double y, double share) {
    return x == y || (isfinite(x) && isfinite(y) && fabs(x - y) <= share * fmax(fabs(x), fabs(y)));
}
";

const PYTHON_HEAD: &str = "\
import math
def gw_near(x, y, share):
    return x == y or (math.isfinite(x) and math.isfinite(y) and abs(x - y) <= share * max(abs(x), abs(y)))
def gw_sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan
def gw_log(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan
def gw_pow(x, y):
    x, y = float(x), float(y)
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        return math.nan if x != 0 else math.copysign(math.inf, x) if y % 2 == 1 else math.inf
";

const SYSTEM_VERILOG_HEAD: &str = "\
function automatic real gw_abs(real x); return x < 0.0 ? -x : x; endfunction
function automatic real gw_max(real x, real y); return x > y ? x : y; endfunction
function automatic bit gw_finite(real x); return x - x == 0.0; endfunction
function automatic bit gw_near(real x, real y, real share);
    return x == y || (gw_finite(x) && gw_finite(y) && gw_abs(x - y) <= share * gw_max(gw_abs(x), gw_abs(y)));
endfunction
function automatic real gw_sqrt(real x);
    return x >= 0.0 ? $sqrt(x) : $bitstoreal(64'h7ff8000000000000);
endfunction
function automatic real gw_ln(real x);
    return x > 0.0 ? $ln(x) : x == 0.0 ? -$bitstoreal(64'h7ff0000000000000) : $bitstoreal(64'h7ff8000000000000);
endfunction
";
