//! Operators between values: unary, binary, and those on the bits of whole numbers.

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `+x`
    Plus,
    /// `not x`
    Not,
    /// `~x`
    BitNot,
}

/// Binary operators that become built-ins: those on the bits of whole numbers, and `mod`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordOp {
    /// `mod`
    Mod,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

impl WordOp {
    /// The spelling in source text.
    pub fn symbol(self) -> &'static str {
        match self {
            WordOp::Mod => "mod",
            WordOp::And => "&",
            WordOp::Or => "|",
            WordOp::Xor => "^",
            WordOp::ShiftLeft => "<<",
            WordOp::ShiftRight => ">>",
        }
    }
}

/// Binary operators, in programs and in GraphIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating on integers.
    Div,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `and`, short-circuit.
    And,
    /// `or`, short-circuit.
    Or,
    /// `xor` on truth values.
    Xor,
}

impl BinaryOp {
    /// All operators with their spelling.
    pub const ALL: [(BinaryOp, &'static str); 13] = [
        (BinaryOp::Add, "+"),
        (BinaryOp::Sub, "-"),
        (BinaryOp::Mul, "*"),
        (BinaryOp::Div, "/"),
        (BinaryOp::Eq, "=="),
        (BinaryOp::Ne, "!="),
        (BinaryOp::Lt, "<"),
        (BinaryOp::Le, "<="),
        (BinaryOp::Gt, ">"),
        (BinaryOp::Ge, ">="),
        (BinaryOp::And, "and"),
        (BinaryOp::Or, "or"),
        (BinaryOp::Xor, "xor"),
    ];

    /// The spelling.
    pub fn symbol(self) -> &'static str {
        BinaryOp::ALL.iter().find(|(op, _)| *op == self).map_or("?", |(_, symbol)| symbol)
    }

    /// `+ - * /`.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
    }

    /// `== != < <= > >=`.
    pub fn is_comparison(self) -> bool {
        !self.is_arithmetic() && !self.is_logical()
    }

    /// `and or xor`.
    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}
