//! Writing C++: lines with indentation, names that C++ accepts, types and numbers.

use gw_ir::types::Scalar;

/// Lines of code, indented by their nesting.
#[derive(Debug, Default)]
pub(crate) struct Code {
    text: String,
    depth: usize,
}

impl Code {
    pub(crate) fn at_depth(depth: usize) -> Code {
        Code { text: String::new(), depth }
    }

    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        for line in line.as_ref().lines() {
            if !line.is_empty() {
                self.text.push_str(&"    ".repeat(self.depth));
                self.text.push_str(&tidy(line));
            }
            self.text.push('\n');
        }
    }

    /// An empty line.
    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, line: impl AsRef<str>) {
        self.line(format!("{} {{", line.as_ref()).trim_start());
        self.depth += 1;
    }

    /// The end of a block, with what follows its brace. A block with nothing in it stays on one line.
    pub(crate) fn close(&mut self, after: &str) {
        self.depth = self.depth.saturating_sub(1);
        match self.text.ends_with("{\n") {
            true => {
                self.text.pop();
                self.text.push_str(&format!("}}{after}\n"));
            }
            false => self.line(format!("}}{after}")),
        }
    }

    /// Goes one level deeper, after a line that ended with an opening brace.
    pub(crate) fn nest(&mut self) {
        self.depth += 1;
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// A line without parentheses that say nothing: a pair right around another, and one around all of an assigned value.
fn tidy(line: &str) -> String {
    if line.trim_start().starts_with("//") || line.contains(['"', '\'']) {
        return line.to_string();
    }
    // Every pair, and whether a comma stands right within it: an argument list, not a value.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut pairs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'(' => open.push((at, false)),
            b',' => open.iter_mut().last().into_iter().for_each(|(_, comma)| *comma = true),
            b')' => match open.pop() {
                Some((from, comma)) => pairs.push((from, at, comma)),
                None => return line.to_string(),
            },
            _ => {}
        }
    }
    let mut gone: Vec<usize> = Vec::new();
    for &(from, to, comma) in pairs.iter().filter(|(_, _, comma)| !comma) {
        let doubled = pairs.contains(&(from.wrapping_sub(1), to + 1, false));
        let assigned = line[..from].ends_with(" = ") || line[..from].ends_with("return ");
        if !comma && (doubled || (assigned && &line[to + 1..] == ";")) {
            gone.extend([from, to]);
        }
    }
    line.char_indices().filter(|(at, _)| !gone.contains(at)).map(|(_, letter)| letter).collect()
}

/// The C++ type of a scalar.
pub(crate) fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "int",
        Scalar::Uint => "unsigned",
        Scalar::Int64 => "long long",
        Scalar::Uint64 => "unsigned long long",
        Scalar::Float => "float",
        Scalar::Double => "double",
        Scalar::Bool => "bool",
        Scalar::String => "void",
    }
}

/// Words that a program may use as names but generated code may not: those of C++ and those of the code around.
const TAKEN: &[&str] = &[
    "alignas",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "not",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    "in",
    "gw",
    "out",
    "run",
    "all",
    "made",
    "choice",
    "allowed",
    "expected",
    "measure",
    "scratch",
    "args",
    "graph",
    "partial",
    "draws",
    "hash",
    "walk",
    "sums",
    "Partial",
    "Offset",
    "Inputs",
    "Arguments",
    "vertex",
    "edge",
    "begin",
    "end",
    "first",
    "last",
    "active",
    "from",
    "to",
    "place",
    "live",
    "more",
    "large",
    "min",
    "max",
    "abs",
    "exp",
    "log",
    "pow",
    "sqrt",
    "floor",
    "main",
    "bits",
    "bytes",
    "queue",
    "far_end",
    "weight_of",
    "NULL",
    "int2",
    "signbit",
    "isnan",
    "isinf",
    "printf",
    "assert",
    "remainder",
    "rank",
    "y0",
    "y1",
    "j0",
    "j1",
    "jn",
    "yn",
    "gamma",
];

/// How the names of counters begin that generated code gives to loops.
pub(crate) const TURNS_NAME: &str = "gw_turns";

/// A name of the program as C++ takes it.
pub(crate) fn c_name(name: &str) -> String {
    if TAKEN.contains(&name) || name.starts_with("__") || name.starts_with(TURNS_NAME) {
        format!("{name}_")
    } else {
        name.to_string()
    }
}

/// A number as C++ writes it so that nothing is lost.
pub(crate) fn int_literal(value: i64, scalar: Scalar) -> String {
    match scalar {
        Scalar::Int if value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_string(),
        Scalar::Int => (value as i32).to_string(),
        Scalar::Uint => format!("{}u", value as u32),
        Scalar::Int64 if value == i64::MIN => "(-9223372036854775807ll - 1)".to_string(),
        Scalar::Int64 => format!("{value}ll"),
        Scalar::Uint64 => format!("{}ull", value as u64),
        Scalar::Float => format!("(float){value}"),
        Scalar::Double => format!("(double){value}"),
        Scalar::Bool => (value != 0).to_string(),
        Scalar::String => "0".to_string(),
    }
}

/// A floating-point number as C++ writes it so that nothing is lost.
pub(crate) fn float_literal(value: f64, scalar: Scalar) -> String {
    match scalar {
        Scalar::Float => {
            let text = format!("{:?}", value as f32);
            if text.contains(['.', 'e']) { format!("{text}f") } else { format!("{text}.0f") }
        }
        _ => {
            let text = format!("{value:?}");
            if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_and_type() {
        assert_eq!(int_literal(-5, Scalar::Int), "-5");
        assert_eq!(int_literal(-5, Scalar::Int64), "-5ll");
        assert_eq!(int_literal(4294967295, Scalar::Uint), "4294967295u");
        assert_eq!(float_literal(0.1, Scalar::Double), "0.1");
        assert_eq!(float_literal(0.1, Scalar::Float), "0.1f");
        assert_eq!(float_literal(1e300, Scalar::Double), "1e300");
        assert_eq!(float_literal(3.0, Scalar::Float), "3.0f");
    }

    #[test]
    fn parentheses_that_say_nothing_go() {
        assert_eq!(tidy("if (!(((int)n != 0))) break;"), "if (!((int)n != 0)) break;");
        assert_eq!(tidy("yes = (a == (b + 1));"), "yes = a == (b + 1);");
        assert_eq!(tidy("return ((a + b));"), "return a + b;");
        for kept in ["x = (a + b) * (c + d);", "f((a, b));", "x = (float)(a + b);", "if ((a) && (b)) c();", "// ((a))"]
        {
            assert_eq!(tidy(kept), kept);
        }
    }

    #[test]
    fn blocks_are_indented_and_empty_ones_are_short() {
        let mut code = Code::default();
        code.open("struct Nothing");
        code.close(";");
        code.open("");
        code.line("a();\nb();");
        code.close("");
        assert_eq!(code.text(), "struct Nothing {};\n{\n    a();\n    b();\n}\n");
    }

    #[test]
    fn names_of_the_language_that_cpp_keeps_to_itself() {
        assert_eq!(c_name("register"), "register_");
        assert_eq!(c_name("parent"), "parent");
    }
}
