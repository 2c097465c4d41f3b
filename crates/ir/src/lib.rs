//! GraphIR: Graphwright's intermediate representation and its hardware-independent passes.

pub mod bound;
pub mod builtin;
pub mod expr;
pub mod lower;
pub mod meta;
pub mod module;
pub mod operator;
pub mod source;
pub mod stmt;
pub mod types;
pub mod typing;
pub mod walk;
pub mod text;

pub mod validate;

pub use text::{ParseError, ParseProblem, parse, print};
pub use validate::{ValidateError, validate};
pub use lower::{LowerError, lower};
pub use module::Module;
